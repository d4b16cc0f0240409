//! One request over HTTP, and the head and body of its answer.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::header::{IF_MODIFIED_SINCE, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};
use url::Url;

use super::body::{Filled, Incoming, Limits};
use super::redirect::{Chain, is_redirect};
use super::resolve::literal;
use super::{Fetcher, connect, failure};
use crate::outcome::{Copy, Failure, Response, Stage};

impl Fetcher {
    /// Asks the URLs of a chain, until an answer is no redirect.
    pub(super) async fn over_http(
        &self,
        chain: &mut Chain,
        conditional: Option<&Copy>,
    ) -> Result<Response, Failure> {
        // Validators belong to the URL that they came from.
        let validated = conditional
            .map(|copy| (copy, copy.final_url.clone().unwrap_or_else(|| chain.url.to_string())));
        loop {
            let validators = match &validated {
                Some((copy, url)) if url == chain.url.as_str() => validators(copy),
                _ => HeaderMap::new(),
            };
            let is_conditional = !validators.is_empty();
            let answer = self.ask(&chain.url, validators).await?;
            let status = answer.status().as_u16();
            if is_redirect(status) {
                // The answer is dropped, and its connection with it.
                chain.follow(status, answer.headers())?;
                continue;
            }
            if status == 304 && !is_conditional {
                return Err(Failure::Broken("304 where no condition was sent".to_owned()));
            }
            return self.response(answer).await;
        }
    }

    /// Sends a request and waits for the head of the answer.
    async fn ask(&self, url: &Url, validators: HeaderMap) -> Result<reqwest::Response, Failure> {
        // The connector looks up names only; what is an address already is judged here.
        if let Some(address) = url.host().and_then(|host| literal(&host))
            && !self.shared.judged.permitted.contains(address)
        {
            return Err(Failure::Refused(address));
        }
        let request = self.shared.client.get(url.clone()).headers(validators);
        let connected = Arc::new(Notify::new());
        let answer = pin!(connect::with_notice(request.send(), Arc::clone(&connected)));
        let read_deadline = async {
            connected.notified().await;
            sleep(self.shared.settings.read_timeout).await;
        };
        let answer = tokio::select! {
            answer = answer => answer.map_err(|error| failure::of_request(&error))?,
            () = read_deadline => return Err(Failure::TimedOut(Stage::Read)),
        };
        // The connector was given permitted addresses alone; should that ever break, nothing
        // of the answer is used.
        match answer.remote_addr().map(|peer| peer.ip()) {
            Some(peer) if self.shared.judged.permitted.contains(peer) => Ok(answer),
            Some(peer) => Err(Failure::Refused(peer)),
            None => Err(Failure::Local("the peer's address is not known".to_owned())),
        }
    }

    /// The final answer. Bodies are read only of answers that have the file: those of errors
    /// mean nothing, and may be of any size.
    async fn response(&self, mut answer: reqwest::Response) -> Result<Response, Failure> {
        let status = answer.status();
        let headers = std::mem::take(answer.headers_mut());
        let (body, is_truncated) = match status.is_success() {
            true => {
                let settings = &self.shared.settings;
                body(answer, &headers, settings.limits, settings.read_timeout).await?
            }
            false => (Vec::new(), false),
        };
        Ok(Response { status: status.as_u16(), headers, body, is_truncated })
    }
}

async fn body(
    mut answer: reqwest::Response,
    headers: &HeaderMap,
    limits: Limits,
    read_timeout: Duration,
) -> Result<(Vec<u8>, bool), Failure> {
    let mut incoming = Incoming::new(headers, limits)?;
    loop {
        let chunk = timeout(read_timeout, answer.chunk()).await;
        let chunk = chunk.map_err(|_| Failure::TimedOut(Stage::Read))?;
        let Some(chunk) = chunk.map_err(|error| failure::of_body(&error))? else { break };
        if incoming.push(&chunk)? == Filled::Full {
            break;
        }
    }
    incoming.end()
}

/// The headers that ask for an answer only if the copy is no longer the latest.
fn validators(copy: &Copy) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let all = [(IF_NONE_MATCH, &copy.etag), (IF_MODIFIED_SINCE, &copy.last_modified)];
    for (name, value) in all {
        // What came as a header's value can be sent as one.
        if let Some(Ok(value)) = value.as_deref().map(HeaderValue::from_bytes) {
            headers.insert(name, value);
        }
    }
    headers
}
