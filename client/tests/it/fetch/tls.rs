//! TLS with a test authority.

use robotsieve_client::outcome::{Attempt, Failure, LocalKind, Protocol, Response};
use tokio::io::AsyncWriteExt;

use crate::support::servers::authority::{self, Authority};
use crate::support::servers::site::{Site, answer};
use crate::support::servers::{ROBOTS, answered, failed, fetch, origin, settings};
use crate::support::time::FastClock;

#[tokio::test]
async fn a_valid_certificate_and_both_versions_of_http() {
    for (protocols, version) in [
        (&["h2", "http/1.1"][..], http::Version::HTTP_2),
        (&["http/1.1"], http::Version::HTTP_11),
        (&[], http::Version::HTTP_11),
    ] {
        let tls = authority::test().server("site.test", protocols);
        let site = Site::https(tls, |_| answer(200, &[("x-y", "z")], ROBOTS)).await;
        let attempt = fetch(&site.url("https", "/")).await;
        assert_eq!(answered(&attempt).body, ROBOTS);
        assert_eq!(answered(&attempt).headers["x-y"], "z");
        assert_eq!(site.seen()[0].version, version);
    }
}

#[tokio::test]
async fn a_certificate_for_an_address() {
    let tls = authority::test().server("127.0.0.1", &[]);
    let site = Site::https(tls, |_| answer(200, &[], ROBOTS)).await;
    let attempt = fetch(&format!("https://127.0.0.1:{}/", site.port())).await;
    assert_eq!(answered(&attempt).body, ROBOTS);
}

#[tokio::test]
async fn http2_that_redirects_and_goes_on_for_long() {
    let tls = authority::test().server("site.test", &["h2"]);
    let site = Site::https(tls, |request| match request.uri.path() {
        "/robots.txt" => answer(308, &[("location", "/big")], b"moved"),
        _ => answer(200, &[], &vec![b'\n'; 3 << 20]),
    })
    .await;
    let attempt = fetch(&site.url("https", "/")).await;
    assert_eq!(attempt.redirects.len(), 1);
    let response = answered(&attempt);
    assert_eq!((response.body.len(), response.is_truncated), (1 << 20, true));
}

#[tokio::test]
async fn invalid_certificates() {
    let unknown = Authority::new("Nobody's authority").server("site.test", &[]);
    let other_name = authority::test().server("other.test", &[]);
    let expired = authority::test().server_until("site.test", &[], 2020);
    let own = Authority::new("A server's own").as_server();
    for (tls, expected) in [
        (unknown, "nobody who is trusted has signed its certificate"),
        (other_name, "its certificate is not for site.test but for other.test"),
        (expired, "its certificate expired on 01 Jan 2020"),
        (own, "its certificate is that of an authority: most likely it has signed that itself"),
    ] {
        let site = Site::https(tls, |_| answer(200, &[], ROBOTS)).await;
        match failed(fetch(&site.url("https", "/")).await) {
            Failure::Tls(text) => assert!(text.starts_with(expected), "{text}"),
            other => panic!("{expected}: {other:?}"),
        }
        // No request was sent.
        assert!(site.seen().is_empty());
        // Whoever accepts it for a robots.txt is told, sends no password there, and has no other file.
        let url = site.url("https", "/");
        let accepting = settings().accept_invalid_certificates(true);
        let accepting = accepting.header("Authorization", "Basic x").header("From", "bot@e.com");
        let accepting = accepting.header_for("site.test", "Cookie", "a=b").build().unwrap();
        let attempt = accepting.fetch(&origin(&url), None).await;
        assert_eq!(answered(&attempt).body, ROBOTS);
        let what = attempt.invalid_certificate.clone().unwrap();
        assert!(what.starts_with(expected), "{what}");
        let sent = &site.seen()[0].headers;
        assert!(sent.contains_key("from") && sent.contains_key("host"), "{sent:?}");
        assert!(!sent.contains_key("authorization") && !sent.contains_key("cookie"), "{sent:?}");
        assert!(matches!(failed(accepting.get(&url).await), Failure::Tls(_) | Failure::Local(_)));
        assert_eq!(site.seen().len(), 1);
        // A state keeps it as long as it has what came so.
        let state = Protocol::RFC9309.after(None, &attempt).unwrap();
        assert_eq!(state.invalid_certificate.as_ref(), Some(&what));
        let lost = Attempt::new(attempt.at, Err(Failure::Connect("reset".to_owned())));
        let state = Protocol::RFC9309.after(Some(&state), &lost).unwrap();
        assert_eq!(state.invalid_certificate, Some(what));
        let valid = Attempt::new(attempt.at, Ok(Response::new(404, "")));
        let state = Protocol::RFC9309.after(Some(&state), &valid).unwrap();
        assert_eq!(state.invalid_certificate, None);
    }
}

#[tokio::test]
async fn https_to_a_server_without_tls() {
    let plain = Site::http(|_| answer(200, &[], ROBOTS)).await;
    let failure = failed(fetch(&plain.url("https", "/")).await);
    assert!(matches!(failure, Failure::Tls(_)), "{failure}");
    let talks = Site::accept(|mut stream| async move {
        let _ = stream.write_all(b"220 smtp.test ESMTP\r\n").await;
    })
    .await;
    let failure = failed(fetch(&talks.url("https", "/")).await);
    assert!(failure.to_string().starts_with("TLS failed: what it sends is not TLS"), "{failure}");
}

#[tokio::test]
async fn a_redirect_to_tls_and_back() {
    let last = Site::http(|_| answer(200, &[], ROBOTS)).await;
    let to = last.url("http", "/last.txt");
    let tls = authority::test().server("site.test", &["h2", "http/1.1"]);
    let middle = Site::https(tls, move |_| answer(301, &[("location", &to)], b"")).await;
    let to = middle.url("https", "/robots.txt");
    let first = Site::http(move |_| answer(301, &[("location", &to)], b"")).await;
    let attempt = fetch(&first.url("http", "/")).await;
    assert_eq!(answered(&attempt).body, ROBOTS);
    assert_eq!(attempt.redirects.len(), 2);

    // The certificate is checked at every hop.
    let tls = Authority::new("Nobody's authority").server("site.test", &[]);
    let bad = Site::https(tls, |_| answer(200, &[], ROBOTS)).await;
    let to = bad.url("https", "/");
    let first = Site::http(move |_| answer(301, &[("location", &to)], b"")).await;
    // Somebody answered, so the network works. What the certificate shows is not known yet.
    let failure = failed(fetch(&first.url("http", "/")).await);
    let Failure::Local(fault) = &failure else { panic!("{failure:?}") };
    assert_eq!(fault.kind, LocalKind::Certificates);
}

/// A clock that is wrong, or somebody who intercepts TLS, looks like this everywhere.
#[tokio::test]
async fn an_invalid_certificate_is_the_site_s_once_another_one_is_valid() {
    let _clock = FastClock::start();
    let canary = tokio::net::TcpListener::bind("127.0.0.9:0").await.unwrap();
    let fetcher = settings().canary(canary.local_addr().unwrap()).build().unwrap();
    let plain = Site::http(|_| answer(200, &[], ROBOTS)).await;
    let expired = authority::test().server_until("site.test", &[], 2020);
    let expired = Site::https(expired, |_| answer(200, &[], ROBOTS)).await;
    let good = authority::test().server("site.test", &[]);
    let good = Site::https(good, |_| answer(200, &[], ROBOTS)).await;
    let fetch = async |url: String| fetcher.fetch(&origin(&url), None).await;
    assert_eq!(answered(&fetch(plain.url("http", "/")).await).body, ROBOTS);
    for _ in 0..4 {
        let failure = failed(fetch(expired.url("https", "/")).await);
        let Failure::Local(fault) = &failure else { panic!("{failure:?}") };
        assert_eq!(fault.kind, LocalKind::Certificates);
    }
    assert_eq!(answered(&fetch(good.url("https", "/")).await).body, ROBOTS);
    let failure = failed(fetch(expired.url("https", "/")).await);
    assert!(matches!(failure, Failure::Tls(_)), "{failure:?}");
}
