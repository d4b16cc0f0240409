//! Requests, redirects, validators and bodies over HTTP.

use http::header;
use robotsieve_client::Timestamp;
use robotsieve_client::fetch::{Fetcher, InvalidFetcher};
use robotsieve_client::outcome::{CachedCopy, Failure, Redirect};
use std::io::Write;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::servers::site::{Site, answer};
use crate::support::servers::{
    Names, ROBOTS, USER_AGENT, answered, failed, fetch, fetcher, origin, settings, skipped,
};

#[tokio::test]
async fn a_file_comes_as_it_is() {
    let site = Site::http(|_| answer(200, &[("etag", "\"1\"")], ROBOTS)).await;
    let attempt = fetch(&site.url("http", "/page?x")).await;
    let response = answered(&attempt);
    assert_eq!((response.status, &*response.body, response.is_truncated), (200, ROBOTS, false));
    assert_eq!(response.headers["etag"], "\"1\"");
    assert!(attempt.redirects.is_empty());
    assert!(Timestamp::now().since(attempt.at) < Duration::from_secs(60));

    let seen = &site.seen()[0];
    assert_eq!(seen.uri.path(), "/robots.txt");
    assert_eq!(seen.method, http::Method::GET);
    assert_eq!(seen.headers[header::USER_AGENT], USER_AGENT);
    assert_eq!(seen.headers[header::HOST], format!("site.test:{}", site.port()));
    assert_eq!(seen.headers[header::ACCEPT_ENCODING], "gzip, br, zstd");
    assert_eq!(seen.headers[header::ACCEPT], "text/plain, */*;q=0.5");
    for absent in [header::REFERER, header::COOKIE, header::IF_NONE_MATCH] {
        assert!(!seen.headers.contains_key(&absent), "{absent}");
    }
}

#[tokio::test]
async fn each_status_is_handed_over() {
    for status in
        [200, 203, 204, 206, 207, 300, 305, 306, 400, 401, 403, 404, 410, 429, 500, 503, 599]
    {
        let body = if status == 204 { b"" } else { ROBOTS };
        let site = Site::http(move |_| answer(status, &[("retry-after", "7")], body)).await;
        let attempt = fetch(&site.url("http", "/")).await;
        let response = answered(&attempt);
        assert_eq!(response.status, status);
        assert_eq!(response.headers["retry-after"], "7");
        // The body of an error is not the file, nor is a part that nobody asked for.
        let body = if status / 100 == 2 && status != 206 { body } else { b"" };
        assert_eq!(response.body, body, "{status}");
    }
}

#[tokio::test]
async fn answers_change_from_attempt_to_attempt() {
    let count = std::sync::atomic::AtomicU16::new(0);
    let site = Site::http(move |_| {
        let n = count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        answer(if n.is_multiple_of(2) { 503 } else { 200 }, &[], ROBOTS)
    })
    .await;
    let fetcher = fetcher();
    let url = site.url("http", "/");
    for n in 0..6u16 {
        let attempt = fetcher.fetch(&origin(&url), None).await;
        assert_eq!(answered(&attempt).status, if n.is_multiple_of(2) { 503 } else { 200 });
    }
    // Each connection serves one request.
    assert_eq!(site.connections(), 6);
}

/// A site whose paths /0, /1, … each redirect to the next, and the last has the file.
async fn staircase(hops: usize) -> Site {
    Site::http(move |request| {
        let at = request.uri.path().trim_start_matches('/').parse().map_or(0, |n: usize| n + 1);
        match at < hops {
            true => {
                answer([301, 302, 303, 307, 308][at % 5], &[("location", &format!("/{at}"))], b"")
            }
            false => answer(200, &[], ROBOTS),
        }
    })
    .await
}

#[tokio::test]
async fn five_redirects_are_followed_and_kept() {
    let site = staircase(5).await;
    let attempt = fetch(&site.url("http", "/")).await;
    assert_eq!(answered(&attempt).body, ROBOTS);
    let expected: Vec<_> = [301, 302, 303, 307, 308]
        .iter()
        .enumerate()
        .map(|(n, status)| Redirect::new(*status, site.url("http", &format!("/{n}"))))
        .collect();
    assert_eq!(attempt.redirects, expected);
}

#[tokio::test]
async fn six_redirects_are_too_many() {
    let site = staircase(6).await;
    let attempt = fetch(&site.url("http", "/")).await;
    assert_eq!(attempt.redirects.len(), 5);
    assert_eq!(failed(attempt), Failure::TooManyRedirects);
    assert_eq!(site.seen().len(), 6);

    let more = settings().max_redirects(6).build().unwrap();
    let attempt = more.fetch(&origin(&site.url("http", "/")), None).await;
    assert_eq!(answered(&attempt).body, ROBOTS);

    let none = settings().max_redirects(0).build().unwrap();
    let attempt = none.fetch(&origin(&site.url("http", "/")), None).await;
    assert_eq!(failed(attempt), Failure::TooManyRedirects);
}

#[tokio::test]
async fn a_loop_is_detected() {
    let site = Site::http(|request| {
        let to = if request.uri.path() == "/robots.txt" { "/a" } else { "/robots.txt#again" };
        answer(302, &[("location", to)], b"")
    })
    .await;
    let attempt = fetch(&site.url("http", "/")).await;
    assert_eq!(attempt.redirects.len(), 1);
    assert_eq!(failed(attempt), Failure::RedirectLoop);
    assert_eq!(site.seen().len(), 2);
}

#[tokio::test]
async fn other_hosts_are_followed_without_user_info() {
    let there = Site::http(|_| answer(200, &[], ROBOTS)).await;
    let to = format!("http://user:secret@other.test:{}/r.txt#part", there.port());
    let here = Site::http(move |_| answer(301, &[("location", &to)], b"moved")).await;
    let attempt = fetch(&here.url("http", "/")).await;
    assert_eq!(answered(&attempt).body, ROBOTS);
    let to = format!("http://other.test:{}/r.txt", there.port());
    assert_eq!(attempt.redirects, [Redirect::new(301, to)]);
    let seen = &there.seen()[0];
    assert!(!seen.headers.contains_key(header::AUTHORIZATION));
    assert!(!seen.headers.contains_key(header::REFERER));
}

#[tokio::test]
async fn invalid_redirects() {
    for location in ["ftp://site.test/robots.txt", "file:///etc/passwd", "http://", "gopher://x/"] {
        let site = Site::http(move |_| answer(302, &[("location", location)], b"")).await;
        let failure = failed(fetch(&site.url("http", "/")).await);
        assert!(matches!(failure, Failure::BadRedirect(_)), "{location}: {failure}");
    }
    let site = Site::http(|_| answer(302, &[], ROBOTS)).await;
    let failure = failed(fetch(&site.url("http", "/")).await);
    assert_eq!(failure, Failure::BadRedirect("no Location".to_owned()));
}

fn copy(final_url: Option<String>) -> CachedCopy {
    let mut copy = CachedCopy::new(ROBOTS, Timestamp(0));
    copy.lifetime = 0;
    copy.final_url = final_url;
    copy.etag = Some(b"\"v1\"".to_vec());
    copy.last_modified = Some(b"Sat, 01 Jan 2000 00:00:00 GMT".to_vec());
    copy
}

#[tokio::test]
async fn validators_are_sent_to_the_url_that_they_came_from() {
    let site = Site::http(|request| match request.uri.path() {
        "/robots.txt" => answer(301, &[("location", "/real.txt")], b""),
        _ if request.headers.get("if-none-match").is_some_and(|tag| tag == "\"v1\"") => {
            answer(304, &[("cache-control", "max-age=60")], b"")
        }
        _ => answer(200, &[("etag", "\"v2\"")], ROBOTS),
    })
    .await;
    let fetcher = fetcher();
    let url = site.url("http", "/");
    let copy_of_real = copy(Some(site.url("http", "/real.txt")));
    let attempt = fetcher.fetch(&origin(&url), Some(&copy_of_real)).await;
    assert_eq!(answered(&attempt).status, 304);
    assert_eq!(answered(&attempt).headers["cache-control"], "max-age=60");
    let seen = site.seen();
    assert!(!seen[0].headers.contains_key(header::IF_NONE_MATCH));
    assert_eq!(seen[1].headers[header::IF_NONE_MATCH], "\"v1\"");
    assert_eq!(seen[1].headers[header::IF_MODIFIED_SINCE], "Sat, 01 Jan 2000 00:00:00 GMT");

    // A copy from before the redirect says nothing about its target.
    let attempt = fetcher.fetch(&origin(&url), Some(&copy(None))).await;
    assert_eq!(answered(&attempt).status, 200);
    let seen = site.seen();
    assert_eq!(seen[2].headers[header::IF_NONE_MATCH], "\"v1\"");
    assert!(!seen[3].headers.contains_key(header::IF_NONE_MATCH));
}

#[tokio::test]
async fn a_4xx_to_a_condition_is_asked_about_again() {
    let site = Site::http(|request| match request.headers.contains_key(header::IF_NONE_MATCH) {
        true => answer(412, &[], b""),
        false => answer(200, &[], ROBOTS),
    })
    .await;
    let attempt = fetcher().fetch(&origin(&site.url("http", "/")), Some(&copy(None))).await;
    assert_eq!((answered(&attempt).status, attempt.tries), (200, 2));
    assert!(!site.seen()[1].headers.contains_key(header::IF_MODIFIED_SINCE));

    let gone = Site::http(|_| answer(410, &[], b"")).await;
    let attempt = fetcher().fetch(&origin(&gone.url("http", "/")), Some(&copy(None))).await;
    assert_eq!((answered(&attempt).status, gone.seen().len()), (410, 2));
}

#[tokio::test]
async fn a_304_to_an_unconditional_request_is_broken() {
    let site = Site::http(|_| answer(304, &[], b"")).await;
    let failure = failed(fetch(&site.url("http", "/")).await);
    assert!(matches!(failure, Failure::Broken(_)), "{failure}");
    let mut without = copy(None);
    (without.etag, without.last_modified) = (None, None);
    let attempt = fetcher().fetch(&origin(&site.url("http", "/")), Some(&without)).await;
    assert!(matches!(failed(attempt), Failure::Broken(_)));
}

#[tokio::test]
async fn content_encodings_are_undone() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(ROBOTS).unwrap();
    let gzip = gzip.finish().unwrap();
    let mut deflate = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    deflate.write_all(ROBOTS).unwrap();
    let deflate = deflate.finish().unwrap();
    let mut br = Vec::new();
    brotli::BrotliCompress(&mut &*ROBOTS, &mut br, &Default::default()).unwrap();
    let zstd = zstd::encode_all(ROBOTS, 3).unwrap();
    let gzip_of_br = {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&br).unwrap();
        gzip.finish().unwrap()
    };
    for (name, body) in [
        ("gzip", gzip),
        ("deflate", deflate),
        ("br", br),
        ("zstd", zstd),
        ("br, gzip", gzip_of_br),
        ("identity", ROBOTS.to_vec()),
        // No encodings, but what servers write.
        ("utf-8", ROBOTS.to_vec()),
        ("none", ROBOTS.to_vec()),
        ("8bit", ROBOTS.to_vec()),
    ] {
        let site = Site::http(move |_| answer(200, &[("content-encoding", name)], &body)).await;
        let attempt = fetch(&site.url("http", "/")).await;
        assert_eq!(answered(&attempt).body, ROBOTS, "{name}");
    }
    for name in ["rot13", "gzip", "br", "zstd", "deflate"] {
        let site = Site::http(move |_| answer(200, &[("content-encoding", name)], ROBOTS)).await;
        let failure = failed(fetch(&site.url("http", "/")).await);
        assert!(matches!(failure, Failure::Encoding(_)), "{name}: {failure}");
        // The body of an error page is not decoded.
        let site = Site::http(move |_| answer(404, &[("content-encoding", name)], ROBOTS)).await;
        assert_eq!(answered(&fetch(&site.url("http", "/")).await).status, 404);
    }
}

#[tokio::test]
async fn a_file_in_utf_16_becomes_utf_8() {
    let units = "\u{feff}User-agent: *\nDisallow: /private\n".encode_utf16();
    let body: Vec<u8> = units.flat_map(u16::to_le_bytes).collect();
    let site = Site::http(move |_| answer(200, &[], &body)).await;
    let attempt = fetch(&site.url("http", "/")).await;
    assert_eq!(answered(&attempt).body, ROBOTS);
    assert!(answered(&attempt).is_transcoded);
    // Cut within the last line.
    let fetcher = settings().max_body_bytes(50).build().unwrap();
    let attempt = fetcher.fetch(&origin(&site.url("http", "/")), None).await;
    assert_eq!(answered(&attempt).body, b"User-agent: *\n");
    assert!(answered(&attempt).is_truncated);
}

#[tokio::test]
async fn interim_answers_are_skipped() {
    let site = Site::raw(|mut stream| async move {
        let interim = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n".repeat(20);
        let _ = stream.write_all(interim.as_bytes()).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await;
    })
    .await;
    assert_eq!(answered(&fetch(&site.url("http", "/")).await).body, b"ok");
}

#[tokio::test]
async fn names_without_address_and_ports_without_server() {
    // A resolver that knows other names.
    let (site, fetcher) = (Site::http(|_| answer(200, &[], ROBOTS)).await, fetcher());
    answered(&fetcher.fetch(&origin(&site.url("http", "/")), None).await);
    let failure = failed(fetcher.fetch(&origin("http://nowhere.invalid/"), None).await);
    assert_eq!(failure, Failure::Dns("the name has no address".to_owned()));
    // This port was free a moment ago.
    let port = Site::http(|_| answer(200, &[], b"")).await.port();
    let failure = failed(fetch(&format!("http://127.0.0.1:{port}/")).await);
    assert!(matches!(failure, Failure::Connect(_)), "{failure}");
}

#[tokio::test]
async fn addresses_are_tried_one_after_another() {
    let names = Names::new(|_| ["127.0.0.9", "127.0.0.1"].map(|ip| ip.parse().unwrap()).to_vec());
    let fetcher =
        settings().resolver(names).read_timeout(Duration::from_millis(500)).build().unwrap();
    let site = Site::http(|_| answer(200, &[], ROBOTS)).await;
    let attempt = fetcher.fetch(&origin(&site.url("http", "/")), None).await;
    assert_eq!(answered(&attempt).body, ROBOTS);
    // The site does not speak FTP, but it was reached.
    let attempt = fetcher.fetch(&origin(&site.url("ftp", "/")), None).await;
    assert_eq!(site.connections(), 2);
    assert!(matches!(failed(attempt), Failure::TimedOut(_) | Failure::Broken(_)));
}

#[tokio::test]
async fn an_ipv6_address_is_fetched_from() {
    let Ok(listener) = tokio::net::TcpListener::bind("[::1]:0").await else {
        skipped("this machine has no IPv6 loopback");
        return;
    };
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 1024]).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nv6").await;
    });
    assert_eq!(answered(&fetch(&format!("http://[::1]:{port}/")).await).body, b"v6");
}

#[test]
fn invalid_settings_are_refused() {
    let build = |user_agent: &str| Fetcher::builder(user_agent).build().err();
    for bad in ["", "  ", "a\r\nHost: b", "a\tb", "Müller", "\u{0}"] {
        assert!(matches!(build(bad), Some(InvalidFetcher::UserAgent(_))), "{bad:?}");
    }
    let text = build("").map(|error| error.to_string()).unwrap();
    assert!(text.contains("MyCrawler/1.0"), "{text}");
    let cases = [
        (settings().max_parallel(0), "max_parallel is 0"),
        (settings().max_body_bytes(0), "max_body_bytes is 0"),
        (settings().max_wire_bytes(usize::MAX), "must be from 1 to 4294967295"),
        (settings().read_timeout(Duration::ZERO), "read_timeout must be more than zero"),
        (settings().total_timeout(Duration::MAX), "total_timeout must be"),
        (Fetcher::builder(USER_AGENT).trust_pem(b"no PEM"), "no certificate in it"),
    ];
    for (settings, expected) in cases {
        let text = settings.build().err().map(|error| error.to_string()).unwrap();
        assert!(text.contains(expected), "{text}");
    }
}
