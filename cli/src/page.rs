//! `robotsieve page`: the page that answers in a browser, served by this program.

use std::convert::Infallible;
use std::io::{self, IsTerminal};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use futures_util::future::{self, Either};
use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_TYPE, HOST, HeaderMap,
    HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS,
};
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::signal::ctrl_c;
use tokio::sync::Semaphore;
use url::form_urlencoded::byte_serialize;

use crate::error::{Failure, Status};
use crate::read::robots_file;
use crate::write::{stderr, stdout};

include!("../page/files.rs");

/// The port that is taken if it is free, so that what the browser keeps of the page, to work without
/// this program, is kept once.
const PORT: u16 = 9309;

/// How many connections are served at the same time.
const CONNECTIONS: usize = 64;

/// How long a client may take for the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// The most bytes of a robots.txt that the page takes.
const FILE_BYTES: usize = 8 << 20;

/// Where the page finds the robots.txt that the command was given.
const GIVEN: &str = "given";

/// Open a page in the browser that answers questions while you type
///
/// The page shows what a robots.txt lets crawlers read, why, what is wrong with
/// the file, what a change opens and closes, and the automaton that decides. It
/// is served from this program, to this machine only. It asks nothing of any
/// other machine, and what you paste into it stays in the browser.
///
/// With ROBOTS the page opens with that file in it, or with what a URL answers,
/// as it is when the command begins.
///
/// Prints the address of the page. Ctrl-C ends it.
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  robotsieve page
  robotsieve page robots.txt
  robotsieve page https://example.com/robots.txt
  robotsieve page --no-browser --port 8080

Exit status:
  0  ended by Ctrl-C
  2  wrong usage
  3  the file could not be read, the port is taken, or the address could not be
     printed"
)]
pub struct PageArgs {
    /// The port on this machine [default: 9309, or a free one if it is taken]
    ///
    /// 0 takes a free one.
    #[arg(long, value_name = "PORT", verbatim_doc_comment)]
    port: Option<u16>,

    /// Print the address, and open no browser
    ///
    /// None is opened either if standard output is not a terminal.
    #[arg(long, verbatim_doc_comment)]
    no_browser: bool,

    /// The robots.txt to open: a file, an http(s) URL, or '-'
    #[arg(value_name = "ROBOTS")]
    robots: Option<PathBuf>,
}

/// The robots.txt that the page opens.
struct Given {
    file: Bytes,
    /// The header field with its name.
    disposition: HeaderValue,
}

impl Given {
    fn read(path: &Path) -> Result<Given, Failure> {
        let file = robots_file::text(path)?;
        let name = robots_file::shown(path);
        if file.len() > FILE_BYTES {
            let cause = io::Error::new(io::ErrorKind::InvalidData, "it is longer than 8 MiB");
            let failure = Failure::io(format!("cannot open '{name}' in the page"), cause);
            return Err(failure.advise(
                "crawlers read no more than its first 500 KiB or so: 'head -c 500K' keeps those",
            ));
        }
        Ok(Given::new(&name, file))
    }

    fn new(name: &str, file: Vec<u8>) -> Given {
        let name = byte_serialize(name.as_bytes()).collect::<String>().replace('+', "%20");
        let disposition = HeaderValue::try_from(format!("attachment; filename*=UTF-8''{name}"));
        let disposition = disposition.expect("all other bytes are percent-encoded");
        Given { file: file.into(), disposition }
    }

    /// The file as bytes and nothing else, for the page of this origin only: a browser shows and
    /// runs nothing of what is in it.
    fn response(&self) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::new(self.file.clone()));
        let headers = response.headers_mut();
        headers.insert(CONTENT_DISPOSITION, self.disposition.clone());
        for (name, value) in [
            (CONTENT_TYPE, "application/octet-stream"),
            (CACHE_CONTROL, "no-store"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        response
    }
}

/// Serves the page until the program is ended.
pub fn run(args: &PageArgs) -> Result<Status, Failure> {
    let given = args.robots.as_deref().map(Given::read).transpose()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|cause| Failure::io("cannot serve the page", cause))?;
    runtime.block_on(async {
        // Listened for before the address is printed: who reads that may end it at once.
        let stopped = tokio::spawn(ctrl_c());
        tokio::task::yield_now().await;
        let listener = listen(args.port).await?;
        let address = listener.local_addr();
        let address = address.map_err(|cause| Failure::io("cannot serve the page", cause))?;
        let query = if given.is_some() { "?given" } else { "" };
        let url = format!("http://{address}/{query}");
        stdout::print(format!("{url}\n"))?;
        if !args.no_browser && io::stdout().is_terminal() {
            if let Err(cause) = open::that_detached(&url) {
                stderr::note(&format_args!("cannot open a browser ({cause}): open {url} in one"));
            }
            stderr::note(&"Ctrl-C ends it");
        }
        // Whoever ends it has what was asked for.
        match future::select(pin!(serve(listener, given)), stopped).await {
            Either::Left((ended, _)) => ended,
            Either::Right(_) => Ok(Status::Done),
        }
    })
}

async fn listen(port: Option<u16>) -> Result<TcpListener, Failure> {
    let bind = |port| TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let bound = match port {
        Some(port) => bind(port).await,
        None => match bind(PORT).await {
            Err(cause) if cause.kind() == io::ErrorKind::AddrInUse => bind(0).await,
            bound => bound,
        },
    };
    bound.map_err(|cause| {
        let failed = Failure::io(format!("cannot listen on port {}", port.unwrap_or(PORT)), cause);
        failed.advise("choose another with --port, or a free one with '--port 0'")
    })
}

async fn serve(listener: TcpListener, given: Option<Given>) -> Result<Status, Failure> {
    let given = Arc::new(given);
    let connections = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        // The semaphore is never closed.
        let Ok(turn) = Arc::clone(&connections).acquire_owned().await else {
            return Ok(Status::Done);
        };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(_) => {
                // Of the connection, or a shortage that passes.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let given = Arc::clone(&given);
        tokio::spawn(async move {
            let answer = service_fn(move |request: Request<Incoming>| {
                let (method, path) = (request.method(), request.uri().path());
                let answer = answer_to(method, path, request.headers(), (*given).as_ref());
                future::ready(Ok::<_, Infallible>(answer))
            });
            let mut server = http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
            // A client that breaks off is no fault of ours.
            let _ = server.serve_connection(TokioIo::new(stream), answer).await;
            drop(turn);
        });
    }
}

fn answer_to(
    method: &Method,
    path: &str,
    asked: &HeaderMap,
    given: Option<&Given>,
) -> Response<Full<Bytes>> {
    let with = |status: StatusCode, text: &'static str| {
        let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())));
        *response.status_mut() = status;
        response
    };
    // A name that somebody else has pointed here must not become an origin with this page.
    if !asked.get(HOST).is_some_and(is_this_machine) {
        return with(StatusCode::MISDIRECTED_REQUEST, "this page is for 127.0.0.1 and localhost\n");
    }
    if ![Method::GET, Method::HEAD].contains(method) {
        let mut response = with(StatusCode::METHOD_NOT_ALLOWED, "GET and HEAD only\n");
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    let name = match path.trim_start_matches('/') {
        "" => "index.html",
        name => name,
    };
    if let (GIVEN, Some(given)) = (name, given) {
        // Old browsers do not say where a request comes from; the others get it for the page alone.
        let comes_from = asked.get("sec-fetch-site");
        if comes_from.is_some_and(|site| site != "same-origin") {
            return with(StatusCode::FORBIDDEN, "this file is for the page that is served here\n");
        }
        return given.response();
    }
    let Some((_, kind, bytes)) = FILES.iter().find(|(file, _, _)| *file == name) else {
        return with(StatusCode::NOT_FOUND, "there is no such file\n");
    };
    let mut response = Response::new(Full::new(Bytes::from_static(bytes)));
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE, *kind),
        (CONTENT_ENCODING, "gzip"),
        // Another version of this program may come to the same address.
        (CACHE_CONTROL, "no-cache"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Whether a Host header names this machine.
fn is_this_machine(host: &HeaderValue) -> bool {
    let Ok(host) = host.to_str() else { return false };
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    ["127.0.0.1", "localhost"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(fields: &[(&'static str, &'static str)]) -> HeaderMap {
        fields
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect()
    }

    fn asked(method: Method, path: &str, host: &'static str) -> Response<Full<Bytes>> {
        answer_to(&method, path, &headers(&[("host", host)]), None)
    }

    #[test]
    fn all_files_are_there() {
        for name in ["", "index.html"].into_iter().chain(FILES.iter().map(|(name, ..)| *name)) {
            let answer = asked(Method::GET, &format!("/{name}"), "127.0.0.1:9309");
            assert_eq!(answer.status(), StatusCode::OK, "{name}");
        }
        for (name, kind, bytes) in FILES {
            assert!(bytes.starts_with(&[0x1f, 0x8b]), "{name}");
            assert!(kind.contains('/'), "{name}: {kind}");
        }
    }

    #[test]
    fn what_is_not_answered() {
        let status = |method, path, host| asked(method, path, host).status().as_u16();
        assert_eq!(status(Method::GET, "/../Cargo.toml", "localhost"), 404);
        assert_eq!(status(Method::POST, "/", "localhost:9309"), 405);
        assert_eq!(status(Method::GET, "/", "evil.example:9309"), 421);
        assert_eq!(answer_to(&Method::GET, "/", &HeaderMap::new(), None).status(), 421);
    }

    #[test]
    fn the_given_file_is_for_its_page_only() {
        let given = Given::new("café robots+1.txt", b"<script>alert(1)</script>".to_vec());
        let answer = |fields: &[(&'static str, &'static str)]| {
            answer_to(&Method::GET, "/given", &headers(fields), Some(&given))
        };
        let local = ("host", "127.0.0.1:9309");
        for (fields, status) in [
            (&[local][..], 200),
            (&[local, ("sec-fetch-site", "same-origin")], 200),
            (&[local, ("sec-fetch-site", "cross-site")], 403),
            (&[local, ("sec-fetch-site", "same-site")], 403),
            (&[local, ("sec-fetch-site", "none")], 403),
            (&[("host", "evil.example")], 421),
        ] {
            assert_eq!(answer(fields).status().as_u16(), status, "{fields:?}");
        }
        let response = answer(&[local]);
        for (name, value) in [
            ("content-type", "application/octet-stream"),
            ("content-disposition", "attachment; filename*=UTF-8''caf%C3%A9%20robots%2B1.txt"),
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(response.headers()[name], value, "{name}");
        }
        assert_eq!(asked(Method::GET, "/given", "localhost").status(), 404);
    }
}
