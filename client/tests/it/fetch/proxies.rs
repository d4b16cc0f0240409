//! Proxies, local addresses and headers.

use std::net::IpAddr;
use std::time::Duration;

use robotsieve_client::outcome::{Attempt, Failure, LocalKind};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::servers::proxy::{
    Fails, Requests, failing, forwarding, http, socks, socks_but,
};
use crate::support::servers::site::{Site, answer};
use crate::support::servers::{
    Names, ROBOTS, answered, authority, failed, fetch, origin, settings,
};
use crate::support::time::FastClock;

async fn secure() -> Site {
    let tls = authority::test().server("site.test", &["h2", "http/1.1"]);
    Site::https(tls, |_| answer(200, &[], ROBOTS)).await
}

fn asked(asked: &Requests) -> Vec<String> {
    asked.lock().unwrap().clone()
}

async fn through(proxy: &str, url: &str) -> Attempt {
    settings().proxy(proxy).build().unwrap().fetch(&origin(url), None).await
}

fn is_proxy_fault(attempt: Attempt) -> bool {
    matches!(failed(attempt), Failure::Local(fault) if fault.kind == LocalKind::Proxy)
}

#[tokio::test]
async fn an_http_proxy_connects_to_the_address_that_was_checked() {
    let site = secure().await;
    let (proxy, seen) = http("", None).await;
    let url = format!("http://127.0.0.1:{}", proxy.port());
    let attempt = through(&url, &site.url("https", "/")).await;
    assert_eq!(answered(&attempt).body, ROBOTS);
    assert_eq!(asked(&seen), [format!("CONNECT 127.0.0.1:{}", site.port())]);
    // The proxy resolves the name if it is told to.
    let fetcher = settings().proxy(&url).proxy_resolves(true).build().unwrap();
    let attempt = fetcher.fetch(&origin(&site.url("https", "/")), None).await;
    assert_eq!(answered(&attempt).body, ROBOTS);
    assert_eq!(asked(&seen)[1], format!("CONNECT site.test:{}", site.port()));
}

#[tokio::test]
async fn an_http_proxy_connects_for_http_urls_too() {
    let site = Site::http(|_| answer(200, &[], ROBOTS)).await;
    let (proxy, seen) = http("", None).await;
    let url = format!("http://127.0.0.1:{}", proxy.port());
    let attempt = through(&url, &site.url("http", "/")).await;
    assert_eq!(answered(&attempt).body, ROBOTS);
    assert_eq!(asked(&seen), [format!("CONNECT 127.0.0.1:{}", site.port())]);
    // What comes through the tunnel is the site's.
    let denied = Site::http(|_| answer(403, &[], b"")).await;
    assert_eq!(answered(&through(&url, &denied.url("http", "/")).await).status, 403);
}

#[tokio::test]
async fn a_proxy_that_refuses_to_connect_gets_whole_http_urls() {
    let site = Site::http(|_| answer(200, &[], ROBOTS)).await;
    let (proxy, seen) = forwarding().await;
    let fetcher = settings().proxy(format!("http://127.0.0.1:{}", proxy.port())).build().unwrap();
    for _ in 0..2 {
        let attempt = fetcher.fetch(&origin(&site.url("http", "/")), None).await;
        assert_eq!(answered(&attempt).body, ROBOTS);
    }
    let get = format!("GET {}", site.url("http", "/robots.txt"));
    assert_eq!(asked(&seen), [format!("CONNECT 127.0.0.1:{}", site.port()), get.clone(), get]);
}

#[tokio::test]
async fn a_socks_proxy_gets_an_address_or_a_name() {
    for (scheme, host) in [("socks5", "127.0.0.1"), ("socks5h", "site.test")] {
        let (proxy, seen) = socks(0).await;
        let url = format!("{scheme}://127.0.0.1:{}", proxy.port());
        let site = secure().await;
        let attempt = through(&url, &site.url("https", "/")).await;
        assert_eq!(answered(&attempt).body, ROBOTS);
        let plain = Site::http(|_| answer(200, &[], ROBOTS)).await;
        let attempt = through(&url, &plain.url("http", "/")).await;
        assert_eq!(answered(&attempt).body, ROBOTS);
        let expected = [&site, &plain].map(|site| format!("SOCKS {host}:{}", site.port()));
        assert_eq!(asked(&seen), expected);
    }
}

#[tokio::test]
async fn addresses_are_checked_before_the_proxy_is_asked() {
    let (web, _) = http("", None).await;
    let (sock, _) = socks(0).await;
    let inside = Names::new(|_| vec!["10.0.0.1".parse().unwrap()]);
    for proxy in
        [format!("http://127.0.0.1:{}", web.port()), format!("socks5://127.0.0.1:{}", sock.port())]
    {
        let fetcher = settings().resolver(inside.clone()).proxy(&proxy).build().unwrap();
        for url in ["http://inside.test/", "https://inside.test/", "https://10.0.0.1/"] {
            let attempt = fetcher.fetch(&origin(url), None).await;
            assert_eq!(failed(attempt), Failure::Refused("10.0.0.1".parse().unwrap()));
        }
    }
    // Where the proxy resolves, addresses within URLs are still checked.
    let there = format!("socks5h://127.0.0.1:{}", sock.port());
    let attempt = through(&there, "http://10.0.0.1/").await;
    assert_eq!(failed(attempt), Failure::Refused("10.0.0.1".parse().unwrap()));
    assert_eq!((web.connections(), sock.connections()), (0, 0));
}

#[tokio::test]
async fn a_proxy_that_fails_is_a_local_fault() {
    let site = secure().await;
    let plain = Site::http(|_| answer(200, &[], ROBOTS)).await;
    // Nobody listens on this port any more.
    let nowhere =
        format!("http://127.0.0.1:{}", Site::http(|_| answer(200, &[], b"")).await.port());
    for url in [site.url("https", "/"), plain.url("http", "/")] {
        assert!(is_proxy_fault(through(&nowhere, &url).await), "{url}");
        assert!(is_proxy_fault(through(&nowhere.replace("http", "socks5"), &url).await), "{url}");
    }
    for status in ["403 Forbidden", "500 Oops", "405 No"] {
        let (proxy, _) = http(status, None).await;
        let url = format!("http://127.0.0.1:{}", proxy.port());
        assert!(is_proxy_fault(through(&url, &site.url("https", "/")).await), "{status}");
    }
    for code in [1, 2, 3, 7] {
        let (proxy, _) = socks(code).await;
        let url = format!("socks5://127.0.0.1:{}", proxy.port());
        assert!(is_proxy_fault(through(&url, &site.url("https", "/")).await), "{code}");
    }
    assert!(is_proxy_fault(through(&nowhere, "ftp://site.test/").await));
    assert_eq!((site.connections(), plain.connections()), (0, 0));
}

/// A refusal of its own must not look like a site without a robots.txt.
#[tokio::test]
async fn a_refusal_by_the_proxy_itself_is_a_local_fault() {
    for (name, value, is_local) in [
        ("x-squid-error", "ERR_ACCESS_DENIED 0", true),
        ("proxy-status", "squid; error=http_request_denied", true),
        ("server", "a site", false),
    ] {
        let proxy = Site::http(move |request| {
            let is_refused = request.uri.host() == Some("a.test");
            let answer = http::Response::builder().status(match request.method.as_str() {
                "CONNECT" => 405,
                _ if is_refused => 403,
                _ => 200,
            });
            let answer = if is_refused { answer.header(name, value) } else { answer };
            answer.body(Vec::new()).unwrap()
        })
        .await;
        let fetcher = settings().proxy(proxy.url("http", "")).build().unwrap();
        // Until it has answered otherwise, who knows?
        let attempt = fetcher.fetch(&origin("http://a.test/"), None).await;
        assert!(is_proxy_fault(attempt), "{name}");
        let attempt = fetcher.fetch(&origin("http://b.test/"), None).await;
        assert_eq!(answered(&attempt).status, 200);
        let attempt = fetcher.fetch(&origin("http://a.test/"), None).await;
        assert_eq!(attempt.result.is_err() && is_proxy_fault(attempt), is_local, "{name}");
    }
}

/// A proxy that denies the sites with `denied` in their names, and says so in its own name. It may
/// connect to none at all. It answers in the place of all other sites.
async fn denying(tunnels: bool, server: &'static str) -> (Site, Requests) {
    let asked = Requests::default();
    let noted = std::sync::Arc::clone(&asked);
    let proxy = Site::accept(move |mut client| {
        let noted = std::sync::Arc::clone(&noted);
        async move {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                match client.read_u8().await {
                    Ok(byte) => head.push(byte),
                    Err(_) => return,
                }
            }
            let head = String::from_utf8_lossy(&head).into_owned();
            let line = head.lines().next().unwrap_or_default();
            noted.lock().unwrap().push(line.trim_end_matches(" HTTP/1.1").to_owned());
            let is_connect = line.starts_with("CONNECT ");
            let is_denied = line.contains("denied") || (is_connect && !tunnels);
            let of_site = b"HTTP/1.1 200 OK\r\nServer: a site\r\nContent-Length: 0\r\n\r\n";
            if is_denied {
                let own = format!(
                    "HTTP/1.1 403 Filtered\r\nServer: {server}\r\nContent-Length: 0\r\n\r\n"
                );
                let _ = client.write_all(own.as_bytes()).await;
                return;
            }
            if is_connect {
                let _ = client.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").await;
                let _ = client.read(&mut [0; 4096]).await;
            }
            // A site that denies everybody its robots.txt, whoever asks.
            match line.contains("closed") {
                true => {
                    let closed = "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n";
                    let _ = client.write_all(closed.as_bytes()).await;
                }
                false => drop(client.write_all(of_site).await),
            }
        }
    });
    (proxy.await, asked)
}

/// One denied site must neither make the proxy be asked for whole URLs, nor look like a site without
/// a robots.txt.
#[tokio::test]
async fn a_site_that_the_proxy_denies_is_a_local_fault() {
    let (proxy, seen) = denying(true, "tinyproxy/1.11.1").await;
    let fetcher = settings().proxy(proxy.url("http", "")).proxy_resolves(true).build().unwrap();
    let get =
        async |name: &str| fetcher.fetch(&origin(&format!("http://{name}.test/")), None).await;
    assert!(is_proxy_fault(get("denied-1").await));
    assert_eq!(answered(&get("good-1").await).status, 200);
    for name in ["denied-2", "denied-1", "denied-3"] {
        assert!(is_proxy_fault(get(name).await), "{name}");
        assert_eq!(answered(&get("good-1").await).status, 200);
    }
    // Only the very first was asked for as a whole URL: nothing had shown that others get through.
    let seen = asked(&seen);
    let whole: Vec<_> = seen.iter().filter(|line| line.starts_with("GET ")).collect();
    assert_eq!(whole, ["GET http://denied-1.test/robots.txt"]);
    // What a site says through its tunnel is its own.
    assert_eq!(answered(&get("closed").await).status, 403);
}

/// Squid and tinyproxy as they are installed connect to port 443 alone, and forward http.
#[tokio::test]
async fn a_proxy_that_tunnels_to_other_ports_forwards() {
    let (proxy, _) = denying(false, "tinyproxy/1.11.1").await;
    let fetcher = settings().proxy(proxy.url("http", "")).proxy_resolves(true).build().unwrap();
    let get =
        async |name: &str| fetcher.fetch(&origin(&format!("http://{name}.test/")), None).await;
    // Until several hosts were refused, who knows whose answer it is?
    assert!(is_proxy_fault(get("closed").await));
    for name in ["a", "b", "c"] {
        assert_eq!(answered(&get(name).await).status, 200);
        assert!(is_proxy_fault(get("denied-1").await), "{name}");
    }
    assert_eq!(answered(&get("closed").await).status, 403);
    for name in ["denied-1", "denied-2"] {
        assert!(is_proxy_fault(get(name).await), "{name}");
    }
}

#[tokio::test]
async fn what_a_proxy_says_of_the_site_is_the_sites() {
    for status in ["502 Bad Gateway", "503 Unavailable", "504 Gateway Timeout"] {
        let (proxy, _) = http(status, None).await;
        let url = format!("http://127.0.0.1:{}", proxy.port());
        let failure = failed(through(&url, "https://site.test/").await);
        assert!(matches!(failure, Failure::Connect(_)), "{status}: {failure}");
    }
    for code in [4, 5, 6] {
        let (proxy, _) = socks(code).await;
        let url = format!("socks5://127.0.0.1:{}", proxy.port());
        let failure = failed(through(&url, "https://site.test/").await);
        assert!(matches!(failure, Failure::Connect(_)), "{code}: {failure}");
    }
}

#[tokio::test]
async fn a_proxy_gets_its_password_and_nobody_else_does() {
    let site = secure().await;
    let plain = Site::http(|request| {
        assert!(!request.headers.contains_key("authorization"));
        answer(200, &[], ROBOTS)
    })
    .await;
    let (proxy, _) = http("", Some("Basic dXNlcjpzZWNyZXQ=")).await;
    for url in [site.url("https", "/"), plain.url("http", "/")] {
        let without = format!("http://127.0.0.1:{}", proxy.port());
        assert!(is_proxy_fault(through(&without, &url).await), "{url}");
        let with = format!("http://user:secret@127.0.0.1:{}", proxy.port());
        assert_eq!(answered(&through(&with, &url).await).body, ROBOTS, "{url}");
    }
    assert!(!site.seen()[0].headers.contains_key("proxy-authorization"));
}

#[tokio::test]
async fn a_local_address_is_connected_from() {
    let site = Site::raw(|mut stream| async move {
        let peer = stream.peer_addr().unwrap().ip().to_string();
        let _ = stream.write_all(format!("HTTP/1.0 200 OK\r\n\r\n{peer}").as_bytes()).await;
    })
    .await;
    let from: IpAddr = "127.0.0.5".parse().unwrap();
    let fetcher = settings().local_address(from).build().unwrap();
    let attempt = fetcher.fetch(&origin(&site.url("http", "/")), None).await;
    assert_eq!(answered(&attempt).body, b"127.0.0.5");
}

#[tokio::test]
async fn headers_are_sent_and_replace_those_of_the_fetcher() {
    let site = Site::http(|_| answer(200, &[], ROBOTS)).await;
    let fetcher = settings().header("From", "bot@sieve.test").header("accept", "*/*");
    let fetcher = fetcher.build().unwrap();
    answered(&fetcher.fetch(&origin(&site.url("http", "/")), None).await);
    answered(&fetch(&site.url("http", "/")).await);
    let seen = site.seen();
    assert_eq!(seen[0].headers["from"], "bot@sieve.test");
    assert_eq!(seen[0].headers.get_all("accept").iter().count(), 1);
    assert_eq!(seen[0].headers["accept"], "*/*");
    assert!(!seen[1].headers.contains_key("from"));
}

#[test]
fn errors_name_the_setting() {
    for (settings, expected) in [
        (settings().header("User-Agent", "x"), "header: \"User-Agent\" is given to"),
        (settings().header("Host", "x"), "header: \"Host\" is set by the fetcher"),
        (settings().header("Connection", "x"), "header: \"Connection\" is set by"),
        (settings().header("a b", "x"), "header: \"a b\" is not the name of a header"),
        (settings().header("a", "x\r\ny"), "header: \"a\" has a value with line breaks"),
        (settings().proxy("ftp://x"), "proxy: ftp://x: the scheme must be"),
        (settings().local_address("192.0.2.1".parse().unwrap()), "local_address: 192.0.2.1 is not"),
        (settings().max_per_address(0), "max_per_address is 0 but must be from 1"),
        (settings().max_per_host(0), "max_per_host is 0 but must be from 1"),
    ] {
        let text = settings.build().err().map(|error| error.to_string()).unwrap();
        assert!(text.starts_with(expected), "{text}");
    }
}

/// What fails for all sites behind a proxy that has worked is the proxy's fault, not theirs.
#[tokio::test]
async fn a_proxy_that_fails_later_is_at_fault_and_not_the_sites() {
    let _clock = FastClock::start();
    let plain = Site::http(|_| answer(200, &[], ROBOTS)).await;
    for how in [
        Fails::Hangs,
        Fails::Connects("502 Bad Gateway"),
        Fails::Connects("503 Service Unavailable"),
        Fails::Connects("504 Gateway Timeout"),
        Fails::Forwards("503 Service Unavailable"),
        Fails::Garbage,
        Fails::Socks(4),
    ] {
        let (proxy, fails) = failing(how).await;
        let scheme = if matches!(how, Fails::Socks(_)) { "socks5" } else { "http" };
        let fetcher = settings()
            .resolver(Names::new(|_| vec!["127.0.0.1".parse().unwrap()]))
            .connect_timeout(Duration::from_secs(2))
            .read_timeout(Duration::from_secs(2))
            .proxy(format!("{scheme}://127.0.0.1:{}", proxy.port()))
            .build()
            .unwrap();
        let url = |name: &str, n: usize| format!("http://{name}-{n}.test:{}/", plain.port());
        for n in 0..4 {
            answered(&fetcher.fetch(&origin(&url("before", n)), None).await);
        }
        fails.store(true, std::sync::atomic::Ordering::SeqCst);
        let after = (0..10).map(|n| {
            let (fetcher, url) = (fetcher.clone(), url("after", n));
            tokio::spawn(async move { fetcher.fetch(&origin(&url), None).await })
        });
        for attempt in after.collect::<Vec<_>>() {
            let failure = failed(attempt.await.unwrap());
            let Failure::Local(fault) = &failure else { panic!("{how:?}: {failure:?}") };
            assert_eq!(fault.kind, LocalKind::Proxy, "{how:?}: {fault}");
        }
        fails.store(false, std::sync::atomic::Ordering::SeqCst);
        answered(&fetcher.fetch(&origin(&url("again", 0)), None).await);
    }
}

/// One site that a proxy cannot reach is at fault, if others are reached.
#[tokio::test]
async fn a_site_that_a_proxy_cannot_reach() {
    let _clock = FastClock::start();
    let plain = Site::http(|_| answer(200, &[], ROBOTS)).await;
    let (proxy, _) = socks_but(4, "bad.test").await;
    let proxy = format!("socks5h://127.0.0.1:{}", proxy.port());
    let fetcher = settings().proxy(proxy).build().unwrap();
    answered(&fetcher.fetch(&origin(&plain.url("http", "/")), None).await);
    let url = format!("http://bad.test:{}/", plain.port());
    for _ in 0..3 {
        let attempt = fetcher.fetch(&origin(&url), None).await;
        assert!(attempt.is_confirmed);
        let failure = failed(attempt);
        assert!(matches!(failure, Failure::Connect(_)), "{failure:?}");
    }
}

/// Every socket leaves from the address that was chosen.
#[tokio::test]
async fn canaries_and_name_servers_are_asked_from_the_local_address() {
    let _clock = FastClock::start();
    let peers = Requests::default();
    let noted = std::sync::Arc::clone(&peers);
    let site = Site::accept(move |mut stream| {
        noted.lock().unwrap().push(stream.peer_addr().unwrap().ip().to_string());
        async move {
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(b"HTTP/1.0 200 OK\r\n\r\n").await;
        }
    })
    .await;
    let server = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let from: IpAddr = "127.0.0.5".parse().unwrap();
    let fetcher = settings().local_address(from).build().unwrap();
    answered(&fetcher.fetch(&origin(&site.url("http", "/")), None).await);
    let dead = Site::http(|_| answer(200, &[], ROBOTS)).await.address;
    let dead = format!("http://127.0.0.2:{}/", dead.port());
    let failure = failed(fetcher.fetch(&origin(&dead), None).await);
    assert!(matches!(failure, Failure::Connect(_)), "{failure:?}");
    while asked(&peers).len() < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(asked(&peers), ["127.0.0.5"; 2]);
    let fetcher = settings()
        .name_servers([server.local_addr().unwrap()])
        .local_address(from)
        .connect_timeout(Duration::from_secs(1))
        .build()
        .unwrap();
    failed(fetcher.fetch(&origin("http://a.test/"), None).await);
    let (_, peer) = server.recv_from(&mut [0; 512]).await.unwrap();
    assert_eq!(peer.ip(), from);
}
