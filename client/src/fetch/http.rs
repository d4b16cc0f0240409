//! Requests over HTTP: the head of each answer, and the body of the last.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::header::{IF_MODIFIED_SINCE, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};
use url::Url;

use super::body::{Filled, Incoming, Limits};
use super::client::Client;
use super::redirect::{Chain, is_redirect};
use super::resolve::literal;
use super::{connect, failure, progress};
use crate::outcome::{CachedCopy, Failure, LocalFault, LocalKind, Response, Stage};

/// Requests the URLs of a chain until an answer is not a redirect.
pub(super) async fn fetch(
    client: &Client,
    chain: &mut Chain,
    conditional: Option<&CachedCopy>,
) -> Result<Response, Failure> {
    // Validators are valid only for the URL that they came from.
    let validated = conditional
        .map(|copy| (copy, copy.final_url.clone().unwrap_or_else(|| chain.url.to_string())));
    loop {
        let validators = match &validated {
            Some((copy, url)) if url == chain.url.as_str() => validators(copy),
            _ => HeaderMap::new(),
        };
        let is_conditional = !validators.is_empty();
        let answer = request(client, &chain.url, validators).await?;
        let status = answer.status().as_u16();
        if is_redirect(status) {
            // Dropping the answer closes its connection.
            chain.follow(status, answer.headers())?;
            continue;
        }
        if status == 304 && !is_conditional {
            return Err(Failure::Broken("304 to an unconditional request".to_owned()));
        }
        return response(client, answer).await;
    }
}

/// Sends a request and waits for the head of the answer.
async fn request(
    client: &Client,
    url: &Url,
    validators: HeaderMap,
) -> Result<reqwest::Response, Failure> {
    let permitted = &client.resolver.permitted;
    // The connector resolves only names, so an address in the URL is checked here.
    if let Some(address) = url.host().and_then(|host| literal(&host)) {
        if !permitted.contains(address) {
            return Err(Failure::Refused(address));
        }
        progress::trying(&[address]);
    }
    let request = client.http.get(url.clone()).headers(validators);
    let connected = Arc::new(Notify::new());
    let answer = pin!(connect::with_notice(request.send(), Arc::clone(&connected)));
    let read_deadline = async {
        connected.notified().await;
        sleep(client.settings.read_timeout).await;
    };
    let answer = tokio::select! {
        answer = answer => answer.map_err(|error| failure::of_request(&error))?,
        () = read_deadline => return Err(Failure::TimedOut(Stage::Read)),
    };
    // The connector gets only permitted addresses. Should that ever break, the answer is not
    // used.
    match answer.remote_addr() {
        Some(peer) if permitted.contains(peer.ip()) => {
            client.network.answered(peer);
            Ok(answer)
        }
        Some(peer) => Err(Failure::Refused(peer.ip())),
        None => {
            Err(Failure::Local(LocalFault::new(LocalKind::Other, "the peer's address is unknown")))
        }
    }
}

/// The final answer. Only the body of a 2xx is read: other bodies are not the file, and may have
/// any size.
async fn response(client: &Client, mut answer: reqwest::Response) -> Result<Response, Failure> {
    let status = answer.status();
    let headers = std::mem::take(answer.headers_mut());
    let (body, is_truncated) = match status.is_success() {
        true => {
            let settings = &client.settings;
            body(answer, &headers, settings.limits, settings.read_timeout).await?
        }
        false => (Vec::new(), false),
    };
    let mut response = Response::new(status.as_u16(), body);
    response.headers = headers;
    response.is_truncated = is_truncated;
    Ok(response)
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

/// The headers of a request that is to be answered with 304 if the copy is still current.
fn validators(copy: &CachedCopy) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let all = [(IF_NONE_MATCH, &copy.etag), (IF_MODIFIED_SINCE, &copy.last_modified)];
    for (name, value) in all {
        // It came as a header's value, so it can be sent as one.
        if let Some(Ok(value)) = value.as_deref().map(HeaderValue::from_bytes) {
            headers.insert(name, value);
        }
    }
    headers
}
