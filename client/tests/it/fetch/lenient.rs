//! Answers that break a rule and that browsers and curl accept all the same, requests that are
//! sent again, and codings of the transfer.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use robotsieve_client::outcome::Failure;
use tokio::io::AsyncWriteExt;

use crate::support::servers::frames::{closed, frame, http2, ok};
use crate::support::servers::site::{Site, answer};
use crate::support::servers::{ROBOTS, answered, authority, failed, fetch, origin, settings};

/// A site that sends these bytes, and then closes the connection.
async fn says(text: impl Into<Vec<u8>>) -> Site {
    let text = text.into();
    Site::raw(move |mut stream| {
        let text = text.clone();
        async move {
            let _ = stream.write_all(&text).await;
        }
    })
    .await
}

#[tokio::test]
async fn heads_that_browsers_accept() {
    for head in [
        "HTTP/1.1 200 OK\r\nX: a\r\n  folded\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon in this line\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 2\n\n",
        "http/1.1 200 OK\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 \r\nX-\u{fc}: latin\r\nX: \u{fc}\r\nContent-Length: 2\r\n\r\n",
    ] {
        let site = says(format!("{head}ok")).await;
        let attempt = fetch(&site.url("http", "/")).await;
        assert_eq!(answered(&attempt).body, b"ok", "{head:?}");
    }
    for head in ["HTTP/1.0 200 OK\r\n", "HTTP/1.1 200 OK\r\n"] {
        let site =
            says(format!("{head}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")).await;
        assert_eq!(answered(&fetch(&site.url("http", "/")).await).body, b"ok", "{head:?}");
        let site = says(format!("{head}\r\nok")).await;
        assert_eq!(answered(&fetch(&site.url("http", "/")).await).body, b"ok", "{head:?}");
    }
    for text in ["User-agent: *\nDisallow: /\n", "HTTP/2 200 OK\r\n\r\n", "ICY 200 OK\r\n\r\n"] {
        let failure = failed(fetch(&says(text).await.url("http", "/")).await);
        assert!(matches!(failure, Failure::Broken(_)), "{text:?}: {failure}");
    }
}

#[tokio::test]
async fn long_heads_over_both_versions() {
    // On a busy machine a megabyte of headers may take a while.
    let patience = Duration::from_secs(60);
    let fetcher = settings().read_timeout(patience).total_timeout(patience).build().unwrap();
    // Over HTTP/1 a head may be as long as the limit and one more read.
    for (lines, is_taken) in [(300, true), (900, false)] {
        let answers = move |_: &http::request::Parts| {
            let mut answer = answer(200, &[], ROBOTS);
            for n in 0..lines {
                let name = http::HeaderName::try_from(format!("x-{n}")).unwrap();
                answer.headers_mut().insert(name, "y".repeat(1000).parse().unwrap());
            }
            answer
        };
        let plain = Site::http(answers).await;
        let tls = Site::https(authority::test().server("site.test", &["h2"]), answers).await;
        for url in [plain.url("http", "/"), tls.url("https", "/")] {
            let attempt = fetcher.fetch(&origin(&url), None).await;
            match is_taken {
                true => assert_eq!(answered(&attempt).headers["x-299"].len(), 1000, "{url}"),
                false => {
                    let failure = failed(attempt);
                    assert!(matches!(failure, Failure::Broken(_)), "{url}: {failure:?}");
                }
            }
        }
    }
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(body).unwrap();
    gzip.finish().unwrap()
}

#[tokio::test]
async fn transfer_codings_are_undone_or_refused() {
    let chunked = |body: &[u8]| {
        let size = format!("{:x}\r\n", body.len());
        [size.as_bytes(), body, b"\r\n0\r\n\r\n"].concat()
    };
    let twice = gzip(&gzip(ROBOTS));
    for (headers, body) in [
        ("Transfer-Encoding: gzip, chunked", chunked(&gzip(ROBOTS))),
        ("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", chunked(&gzip(ROBOTS))),
        ("Transfer-Encoding: GZIP", gzip(ROBOTS)),
        ("Content-Encoding: gzip\r\nTransfer-Encoding: gzip, chunked", chunked(&twice)),
        ("Transfer-Encoding: Chunked", chunked(ROBOTS)),
    ] {
        let head = format!("HTTP/1.1 200 OK\r\n{headers}\r\n\r\n");
        let site = says([head.as_bytes(), &body].concat()).await;
        let attempt = fetch(&site.url("http", "/")).await;
        assert_eq!(answered(&attempt).body, ROBOTS, "{headers}");
    }
    for coding in ["rot13, chunked", "gzip, chunked"] {
        let head = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: {coding}\r\n\r\n");
        let site = says([head.as_bytes(), &chunked(ROBOTS)].concat()).await;
        let failure = failed(fetch(&site.url("http", "/")).await);
        assert!(matches!(failure, Failure::Encoding(_)), "{coding}: {failure}");
    }
}

/// A site that answers the nth connection, from 0, with the bytes of a function.
async fn by_turns(protocols: &[&str], bytes: fn(usize) -> Vec<u8>) -> Site {
    let count = Arc::new(AtomicUsize::new(0));
    http2(protocols, move |mut stream| {
        let n = count.fetch_add(1, Ordering::SeqCst);
        async move {
            let _ = stream.write_all(&bytes(n)).await;
            closed(stream).await;
        }
    })
    .await
}

/// GOAWAY: nothing was processed.
fn go_away(code: u8) -> Vec<u8> {
    frame(7, 0, 0, &[0, 0, 0, 0, 0, 0, 0, code])
}

#[tokio::test]
async fn a_refused_stream_is_tried_again() {
    let refused: fn(usize) -> Vec<u8> = |n| match n {
        0 | 1 => frame(3, 0, 1, &[0, 0, 0, 7]),
        _ => ok(ROBOTS),
    };
    let site = by_turns(&["h2"], refused).await;
    let attempt = fetch(&site.url("https", "/")).await;
    assert_eq!((answered(&attempt).body.as_slice(), attempt.tries), (ROBOTS, 1));
    assert_eq!(site.connections(), 3);
    let site = by_turns(&["h2"], |_| frame(3, 0, 1, &[0, 0, 0, 7])).await;
    assert!(matches!(failed(fetch(&site.url("https", "/")).await), Failure::Broken(_)));
    assert_eq!(site.connections(), 3);
    // Any other reset is an answer.
    let site = by_turns(&["h2"], |_| frame(3, 0, 1, &[0, 0, 0, 2])).await;
    assert!(matches!(failed(fetch(&site.url("https", "/")).await), Failure::Broken(_)));
    assert_eq!(site.connections(), 1);
}

#[tokio::test]
async fn a_connection_that_goes_away_is_tried_again() {
    for code in [0, 11] {
        let bytes: fn(usize) -> Vec<u8> = match code {
            0 => |n| if n == 0 { go_away(0) } else { ok(ROBOTS) },
            _ => |n| if n == 0 { go_away(11) } else { ok(ROBOTS) },
        };
        let site = by_turns(&["h2"], bytes).await;
        assert_eq!(answered(&fetch(&site.url("https", "/")).await).body, ROBOTS, "{code}");
        assert_eq!(site.connections(), 2);
    }
}

#[tokio::test]
async fn http1_is_used_if_it_is_required() {
    let site = http2(&["h2", "http/1.1"], |mut stream| async move {
        let bytes = match stream.get_ref().1.alpn_protocol() == Some(b"h2") {
            true => frame(3, 0, 1, &[0, 0, 0, 13]),
            false => b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_vec(),
        };
        let _ = stream.write_all(&bytes).await;
        closed(stream).await;
    })
    .await;
    assert_eq!(answered(&fetch(&site.url("https", "/")).await).body, b"ok");
}

#[tokio::test]
async fn a_connection_that_ends_before_any_byte_is_tried_once_again() {
    for (text, connections) in [("", 2), ("HTTP/1.1 200 OK\r\n", 1)] {
        let site = says(text).await;
        let failure = failed(fetch(&site.url("http", "/")).await);
        assert!(matches!(failure, Failure::Broken(_)), "{failure}");
        assert_eq!(site.connections(), connections, "{text:?}");
    }
    let count = AtomicUsize::new(0);
    let site = Site::raw(move |mut stream| {
        let is_first = count.fetch_add(1, Ordering::SeqCst) == 0;
        async move {
            if is_first {
                let _ = stream.set_zero_linger();
            } else {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await;
            }
        }
    })
    .await;
    assert_eq!(answered(&fetch(&site.url("http", "/")).await).body, b"ok");
}
