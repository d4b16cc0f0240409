//! Requests over HTTP: the head of each answer, and the body of the last.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::header::{COOKIE, HOST, PROXY_AUTHORIZATION};
use http::{HeaderMap, HeaderValue, Request, StatusCode};
use hyper::body::Body;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::TokioIo;
use tokio::sync::Notify;
use tokio::time::timeout;
use url::Url;

use super::client::Client;
use super::clock::Clock;
use super::connect::{Offer, Stream};
use super::events::TARGET;
use super::login::{self, is_robots_txt, leads_away};
use super::progress::Between;
use super::tasks::Tasks;
use super::tunnels::Forwarded;
use super::visit::Visit;
use super::wire::{HeadProgress, MAX_HEAD_BYTES, Watched};
use super::{canary, failure, progress};
use crate::body::{BodyLimits, Filled, Incoming, announced, is_encoded, too_short};
use crate::cause::ErrorChain;
use crate::network::{Chain, is_redirect};
use crate::outcome::attempt::{has_file, unasked};
use crate::outcome::{CachedCopy, Failure, LocalFault, LocalKind, Response, Stage};
use crate::time::Timestamp;

/// The most header lines of an answer over HTTP/1.
const MAX_HEADER_LINES: usize = 1000;

/// The most interim answers (1xx) before the answer.
const MAX_INTERIM: usize = 50;

/// The bytes of a body that HTTP/2 may send ahead of what is read.
const WINDOW_BYTES: u32 = 256 * 1024;

/// An encoded body is decoded before its end from so many bytes on.
const LONG_BYTES: usize = 64 * 1024;

/// The number of times that a request is sent again which an HTTP/2 server refused to process.
const MAX_REFUSED: u32 = 2;

/// The time for which an address that serves many sites is left alone if one of them answers 429.
const MAX_ADDRESS_PAUSE: Duration = Duration::from_secs(10);

/// Requests the URLs of a chain until an answer is not a redirect.
pub(super) async fn fetch(
    client: &Client,
    chain: &mut Chain,
    conditional: Option<&CachedCopy>,
    limits: BodyLimits,
    total: &mut Clock,
) -> Result<Response, Failure> {
    // Validators are valid only for the URL that they came from.
    let validated = conditional
        .map(|copy| (copy, copy.final_url.clone().unwrap_or_else(|| chain.url().to_owned())));
    let (mut visit, mut left): (Option<Visit<'_>>, u32) = (None, 0);
    // The URL from which somebody led elsewhere who may not be the site.
    let mut away: Option<Url> = None;
    loop {
        let validators = match &validated {
            Some((copy, url)) if url == chain.url() => copy.validators(),
            _ => HeaderMap::new(),
        };
        let is_conditional = !validators.is_empty();
        let mut headers = client.headers.of(chain.first(), chain.as_url());
        headers.extend(validators);
        if let Some(cookie) = chain.cookie() {
            // There is one header of them: RFC 6265, section 5.4.
            let given = headers.get(COOKIE).map(|given| [given.as_bytes(), b"; "].concat());
            let both = [&given.unwrap_or_default(), cookie.as_bytes()].concat();
            headers.insert(COOKIE, HeaderValue::from_bytes(&both).unwrap_or(cookie));
        }
        let connect = Clock::new(client.settings.connect_timeout, Stage::Connect);
        let here = match visit.take() {
            Some(mut here) if here.is_of(chain.as_url()) => {
                here.again().await;
                here
            }
            elsewhere => {
                // Nobody waits for a turn while holding another one.
                drop(elsewhere);
                Visit::begin(client, chain.as_url(), total, left).await?
            }
        };
        let here = visit.insert(here);
        let (leave, before) = (here.asked_to_leave(), total.clone());
        let mut leave = pin!(leave);
        let answer = tokio::select! {
            answer = exchange(client, here, chain.as_url(), &headers, total, connect) => answer?,
            () = &mut leave => {
                (visit, left, *total) = (None, left + 1, before);
                continue;
            }
        };
        let status = answer.status.as_u16();
        let (asked, canary) = (chain.as_url().clone(), here.canary(chain.as_url()));
        let answered = || {
            progress::answered();
            if let Some(canary) = canary.clone() {
                let is_verified = asked.scheme() == "https" && progress::certificate().is_none();
                client.network.answered(canary, is_verified);
            }
        };
        if is_redirect(status) {
            // Dropping the answer closes its connection.
            let followed = chain.follow(status, &answer.headers);
            if away.is_none() && followed.is_ok() && leads_away(&asked, chain.as_url()) {
                away = Some(asked);
            } else if away.is_none() {
                answered();
            }
            followed?;
            tracing::debug!(target: TARGET, status, to = %chain.url(), "redirect");
            continue;
        }
        let may_be_page = away.is_none() && login::may_be_page(&asked, status, &answer.headers);
        match &away {
            // The body shows.
            None if may_be_page => {}
            _ if answer.status == StatusCode::NETWORK_AUTHENTICATION_REQUIRED => {}
            _ if answer.connection.forwarded.is_some() && matches!(status, 502..=504) => {
                progress::between(Between::Gateway);
            }
            Some(from) if !is_robots_txt(&asked, status, &answer.headers) => {
                let host = |url: &Url| url.host_str().unwrap_or_default().to_owned();
                let from = canary::site(&host(from));
                progress::between(Between::Away { from, to: host(&asked) });
            }
            _ => answered(),
        }
        if let Some(pause) = pause(client, status, &answer.headers) {
            // A 502, 503 or 504 is about this site. A 429 may be about all that its address has.
            let address = if status == 429 { pause } else { Duration::ZERO };
            here.back_off(pause, address.min(MAX_ADDRESS_PAUSE));
        }
        if status == 304 && !is_conditional {
            return Err(unasked());
        }
        tokio::select! {
            response = total.run(response(client, answer, limits)) => {
                let page = response.as_ref().ok().filter(|_| may_be_page).and_then(|response| {
                    login::page(&asked, &response.headers, &response.body)
                });
                if let Some(page) = page {
                    let from = login::owner(asked.host_str().unwrap_or_default());
                    client.network.saw_page(page, &from, canary);
                    progress::between(Between::Page { from, page });
                } else if may_be_page {
                    answered();
                }
                return response;
            }
            () = &mut leave => (visit, left, *total) = (None, left + 1, before),
        }
    }
}

/// The time for which a site asks not to be asked again, within the bound of the settings.
fn pause(client: &Client, status: u16, headers: &HeaderMap) -> Option<Duration> {
    Some(asked_pause(status, headers)?.min(client.settings.max_retry_after))
}

/// The pause that `Retry-After` asks for.
pub(super) fn asked_pause(status: u16, headers: &HeaderMap) -> Option<Duration> {
    let now = Timestamp::now();
    Some(crate::outcome::retry_after(status, headers, now)?.since(now))
}

/// The head of an answer, and its body to come. Dropping it closes the connection.
struct OpenAnswer {
    status: StatusCode,
    headers: HeaderMap,
    body: hyper::body::Incoming,
    connection: Connection,
}

/// A request without an answer: the cause, and the next step.
struct Lost {
    failure: Failure,
    then: Then,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    GiveUp,
    /// The server did not process the request: RFC 9113, section 8.7.
    Again,
    /// The connection ended before the first byte of an answer: RFC 9110, section 9.2.2.
    AgainOnce,
    /// The server wants HTTP/1.1: RFC 9113, section 7.
    WithHttp1,
}

/// Sends a request, again if need be, and waits for the head of the answer.
async fn exchange(
    client: &Client,
    visit: &mut Visit<'_>,
    url: &Url,
    headers: &HeaderMap,
    total: &mut Clock,
    mut connect: Clock,
) -> Result<OpenAnswer, Failure> {
    let (mut offer, mut refused, mut is_second) = (Offer::Http2, 0, false);
    loop {
        let connection = open(client, visit, url, offer, total, &mut connect).await?;
        let headers = match progress::certificate() {
            Some(_) => client.headers.of_stranger(),
            None => headers,
        };
        let asking = async {
            Ok(timeout(client.settings.read_timeout, ask(client, connection, url, headers))
                .await
                .unwrap_or(Err(Lost {
                    failure: Failure::TimedOut(Stage::Read),
                    then: Then::GiveUp,
                })))
        };
        let Lost { failure, then } = match total.run(asking).await? {
            Ok(answer) => return Ok(answer),
            Err(lost) => lost,
        };
        match then {
            Then::Again if refused < MAX_REFUSED => refused += 1,
            Then::AgainOnce if !is_second => is_second = true,
            Then::WithHttp1 if offer == Offer::Http2 => offer = Offer::Http1,
            _ => return Err(failure),
        }
        tracing::debug!(target: TARGET, %failure, "again");
        connect = Clock::new(client.settings.connect_timeout, Stage::Connect);
    }
}

/// A connection that a request can be sent over.
struct Connection {
    sender: Sender,
    progress: Arc<HeadProgress>,
    tasks: Tasks,
    /// There if the URL is sent whole, because a proxy forwards it.
    forwarded: Option<Forwarded>,
}

enum Sender {
    Http1(http1::SendRequest<String>),
    Http2(http2::SendRequest<String>),
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.tasks.end();
    }
}

/// Connects to a URL's host.
async fn open(
    client: &Client,
    visit: &mut Visit<'_>,
    url: &Url,
    offer: Offer,
    total: &mut Clock,
    connect: &mut Clock,
) -> Result<Connection, Failure> {
    let connector = &client.connector;
    let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
        return Err(Failure::BadRedirect("no host or no port".to_owned()));
    };
    let is_tls = url.scheme() == "https";
    let stream = visit.connect(
        |target| async {
            match (&connector.proxy, is_tls) {
                (Some(proxy), false) => {
                    let name = url.host_str().unwrap_or_default();
                    let (stream, forwarded) =
                        proxy.http(&connector.dialer, name, target, port).await?;
                    Ok((stream, false, forwarded))
                }
                (None, false) => Ok((connector.open(target, port).await?, false, None)),
                (_, true) => {
                    let stream = connector.open(target, port).await?;
                    let (stream, is_http2) =
                        connector.dialer.tls_of_site(stream, &host, offer).await?;
                    Ok((stream, is_http2, None))
                }
            }
        },
        total,
        connect,
    );
    let (stream, is_http2, forwarded) = stream.await?;
    let (progress, tasks) = (Arc::new(HeadProgress::default()), Tasks::default());
    let sender = match is_http2 {
        true => shake_http2(stream, &progress, &tasks).await?,
        false => shake_http1(stream, &progress, &tasks).await?,
    };
    Ok(Connection { sender, progress, tasks, forwarded })
}

async fn shake_http1(
    stream: Stream,
    progress: &Arc<HeadProgress>,
    tasks: &Tasks,
) -> Result<Sender, Failure> {
    let stream = TokioIo::new(Watched::http1(stream, Arc::clone(progress)));
    let (sender, connection) = http1::Builder::new()
        // Browsers and curl accept all of these, and so robots.txt files work with them.
        .allow_obsolete_multiline_headers_in_responses(true)
        .allow_spaces_after_header_name_in_responses(true)
        .ignore_invalid_headers_in_responses(true)
        .max_buf_size(MAX_HEAD_BYTES as usize)
        .max_headers(MAX_HEADER_LINES)
        .handshake(stream)
        .await
        .map_err(|cause| of_error(&cause))?;
    tasks.spawn(async move {
        // The error also reaches whoever waits for the answer.
        let _ = connection.await;
    });
    Ok(Sender::Http1(sender))
}

async fn shake_http2(
    stream: Stream,
    progress: &Arc<HeadProgress>,
    tasks: &Tasks,
) -> Result<Sender, Failure> {
    let stream = TokioIo::new(Watched::http2(stream, Arc::clone(progress)));
    let (sender, connection) = http2::Builder::new(tasks.clone())
        .max_header_list_size(MAX_HEAD_BYTES)
        .initial_stream_window_size(WINDOW_BYTES)
        .initial_connection_window_size(WINDOW_BYTES)
        .handshake(stream)
        .await
        .map_err(|cause| of_error(&cause))?;
    tasks.spawn(async move {
        let _ = connection.await;
    });
    Ok(Sender::Http2(sender))
}

/// Sends a request and waits for the head of the answer.
async fn ask(
    client: &Client,
    mut connection: Connection,
    url: &Url,
    headers: &HeaderMap,
) -> Result<OpenAnswer, Lost> {
    let give_up = |failure| Lost { failure, then: Then::GiveUp };
    let mut request = request(client, &connection, url, headers).map_err(give_up)?;
    let flooded = Arc::new(Notify::new());
    let (count, notice) = (AtomicUsize::new(0), Arc::clone(&flooded));
    // Over HTTP/2, interim answers are frames without data, and are counted as such.
    hyper::ext::on_informational(&mut request, move |_| {
        if count.fetch_add(1, Ordering::Relaxed) >= MAX_INTERIM {
            notice.notify_one();
        }
    });
    let answer = async {
        match &mut connection.sender {
            Sender::Http1(sender) => sender.send_request(request).await,
            Sender::Http2(sender) => sender.send_request(request).await,
        }
    };
    let answer = {
        let answer = pin!(answer);
        tokio::select! {
            biased;
            () = flooded.notified() => {
                let text = format!("more than {MAX_INTERIM} interim answers");
                return Err(give_up(Failure::Broken(text)));
            }
            answer = answer => answer,
        }
    };
    match answer {
        Ok(answer) => {
            connection.progress.note_head();
            let (head, body) = answer.into_parts();
            if let (Some(forwarded), Some(proxy)) = (connection.forwarded, &client.connector.proxy)
                && let Some(fault) = proxy.refusal_in(forwarded, head.status, &head.headers)
            {
                return Err(give_up(Failure::Local(fault)));
            }
            Ok(OpenAnswer { status: head.status, headers: head.headers, body, connection })
        }
        Err(cause) => {
            let then = then(&cause, &connection.progress);
            Err(Lost { failure: of_error(&cause), then })
        }
    }
}

fn request(
    client: &Client,
    connection: &Connection,
    url: &Url,
    headers: &HeaderMap,
) -> Result<Request<String>, Failure> {
    let bad = |cause: http::Error| {
        Failure::Local(LocalFault::new(LocalKind::Other, ErrorChain(&cause).text()))
    };
    let authority = &url[url::Position::BeforeHost..url::Position::AfterPort];
    let is_whole = connection.forwarded.is_some() || matches!(connection.sender, Sender::Http2(_));
    let target = match is_whole {
        true => &url[..url::Position::AfterQuery],
        false => &url[url::Position::BeforePath..url::Position::AfterQuery],
    };
    let mut request = Request::get(target).body(String::new()).map_err(bad)?;
    let sent = request.headers_mut();
    sent.clone_from(headers);
    if let Sender::Http1(_) = connection.sender {
        let host = HeaderValue::from_str(authority).map_err(|cause| bad(cause.into()))?;
        sent.insert(HOST, host);
    }
    if connection.forwarded.is_some()
        && let Some(proxy) = &client.connector.proxy
        && let Some(value) = proxy.authorization()
    {
        sent.insert(PROXY_AUTHORIZATION, value);
    }
    Ok(request)
}

fn of_error(cause: &hyper::Error) -> Failure {
    failure::of_request(cause)
}

/// The next step after a request that was not answered.
fn then(cause: &hyper::Error, progress: &HeadProgress) -> Then {
    if let Some(h2) = ErrorChain(cause).find::<h2::Error>() {
        match h2.reason() {
            Some(h2::Reason::HTTP_1_1_REQUIRED) => return Then::WithHttp1,
            Some(h2::Reason::REFUSED_STREAM) => return Then::Again,
            _ if h2.is_go_away() && h2.is_remote() => return Then::Again,
            _ => {}
        }
        let is_cut = h2.is_io() || h2.is_go_away();
        return if is_cut && !progress.has_begun() { Then::AgainOnce } else { Then::GiveUp };
    }
    match progress.has_begun() {
        false => Then::AgainOnce,
        true => Then::GiveUp,
    }
}

/// The final answer. Only a body that is the file is read: others may have any size.
async fn response(
    client: &Client,
    mut answer: OpenAnswer,
    limits: BodyLimits,
) -> Result<Response, Failure> {
    let (body, is_truncated) = match has_file(answer.status.as_u16()) {
        true => body(client, &mut answer, limits).await?,
        false => (Vec::new(), false),
    };
    let mut response = Response::new(answer.status.as_u16(), body);
    response.headers = std::mem::take(&mut answer.headers);
    response.is_truncated = is_truncated;
    Ok(response)
}

/// Reads a body. A decoder may take megabytes, and a body may stall: so the bytes are kept as they come,
/// and decoded when they have ended, are full, or might be: each time that there are twice as many.
async fn body(
    client: &Client,
    answer: &mut OpenAnswer,
    limits: BodyLimits,
) -> Result<(Vec<u8>, bool), Failure> {
    let read_timeout = client.settings.read_timeout;
    let most = limits.wire_bytes;
    let full_from = if is_encoded(&answer.headers)? { LONG_BYTES } else { limits.body_bytes };
    let mut enough = most.min(full_from);
    let mut wire = Vec::new();
    let announced = announced(&answer.headers);
    let is_http2 = matches!(answer.connection.sender, Sender::Http2(_));
    loop {
        let frame = poll_fn(|context| Pin::new(&mut answer.body).poll_frame(context));
        let frame = timeout(read_timeout, frame).await;
        let frame = frame.map_err(|_| Failure::TimedOut(Stage::Read))?;
        let arrived = wire.len() as u64;
        let Some(frame) = frame else {
            // hyper checks the length in HTTP/1. In HTTP/2 it takes a reset without an error for
            // the end.
            return match announced {
                Some(announced) if arrived < announced => Err(too_short(arrived, announced)),
                _ if is_http2 && !answer.body.is_end_stream() => {
                    Err(Failure::Broken(format!("the stream was reset after {arrived} bytes")))
                }
                _ => {
                    let mut incoming = Incoming::new(&answer.headers, limits)?;
                    incoming.push(&wire)?;
                    incoming.end()
                }
            };
        };
        let frame = frame.map_err(|cause| failure::of_body(&cause))?;
        // Trailers say nothing.
        let Ok(bytes) = frame.into_data() else { continue };
        wire.extend_from_slice(&bytes);
        if wire.len() > enough {
            let mut incoming = Incoming::new(&answer.headers, limits)?;
            if incoming.push(&wire)? == Filled::Full {
                return incoming.end();
            }
            enough = most.min(2 * enough);
        }
    }
}
