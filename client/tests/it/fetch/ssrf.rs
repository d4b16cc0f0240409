//! Addresses that are not public are refused at every hop.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use robotsieve_client::fetch::{Fetcher, FetcherBuilder};
use robotsieve_client::outcome::{Attempt, Failure};

use crate::support::servers::site::{Site, answer};
use crate::support::servers::{Names, ROBOTS, USER_AGENT, answered, authority, failed, origin};

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// The default settings, plus the test authority, because the system may have none.
fn strict() -> FetcherBuilder {
    Fetcher::builder(USER_AGENT)
        .trust_pem(authority::test().pem().as_bytes())
        .max_per_host(None)
        .max_per_address(None)
        .redirect_ports(1..=u16::MAX)
}

async fn fetch(fetcher: &Fetcher, url: &str) -> Attempt {
    fetcher.fetch(&origin(url), None).await
}

/// A server that must not be reached.
async fn inside() -> Site {
    Site::http(|_| answer(200, &[], b"User-agent: *\nAllow: /secret\n")).await
}

/// Spellings of addresses that are not public, and those addresses.
const LITERALS: [(&str, &str); 30] = [
    ("127.0.0.1", "127.0.0.1"),
    ("127.1", "127.0.0.1"),
    ("127.255.255.254", "127.255.255.254"),
    ("2130706433", "127.0.0.1"),
    ("0x7f000001", "127.0.0.1"),
    ("0x7f.0.0.1", "127.0.0.1"),
    ("0177.0.0.1", "127.0.0.1"),
    ("017700000001", "127.0.0.1"),
    ("127.0.0.1.", "127.0.0.1"),
    ("%31%32%37.0.0.1", "127.0.0.1"),
    ("１２７.0.0.1", "127.0.0.1"),
    ("①②⑦。0。0。1", "127.0.0.1"),
    ("0.0.0.0", "0.0.0.0"),
    ("0", "0.0.0.0"),
    ("10.0.0.1", "10.0.0.1"),
    ("172.16.0.1", "172.16.0.1"),
    ("192.168.0.1", "192.168.0.1"),
    ("100.100.100.200", "100.100.100.200"),
    ("169.254.169.254", "169.254.169.254"),
    ("0xa9fea9fe", "169.254.169.254"),
    ("255.255.255.255", "255.255.255.255"),
    ("[::]", "::"),
    ("[::1]", "::1"),
    ("[::ffff:10.0.0.1]", "::ffff:10.0.0.1"),
    ("[::ffff:7f00:1]", "::ffff:127.0.0.1"),
    ("[0:0:0:0:0:ffff:169.254.169.254]", "::ffff:169.254.169.254"),
    ("[64:ff9b::7f00:1]", "64:ff9b::7f00:1"),
    ("[2002:7f00:1::]", "2002:7f00:1::"),
    ("[fe80::1]", "fe80::1"),
    ("[fd00:ec2::254]", "fd00:ec2::254"),
];

#[tokio::test]
async fn literals_in_any_spelling_are_refused() {
    let site = inside().await;
    let fetcher = strict().build().unwrap();
    for (host, expected) in LITERALS {
        for scheme in ["http", "https", "ftp"] {
            let attempt = fetch(&fetcher, &format!("{scheme}://{host}:{}/", site.port())).await;
            assert_eq!(failed(attempt), Failure::Refused(address(expected)), "{scheme}://{host}");
        }
    }
    assert_eq!(site.connections(), 0);
}

#[tokio::test]
async fn redirects_to_literals_are_refused() {
    let site = inside().await;
    // Only the first hop's address is permitted.
    let fetcher = strict()
        .allow_networks(["127.99.0.0/16".parse().unwrap()])
        .resolver(Names::new(|_| vec![address("127.99.0.1")]))
        .build()
        .unwrap();
    for (host, expected) in LITERALS {
        let to = format!("http://{host}:{}/robots.txt", site.port());
        let first = on_127_99(move || to.clone()).await;
        let attempt = fetch(&fetcher, &format!("http://first.test:{first}/")).await;
        assert_eq!(attempt.redirects.len(), 1, "{host}: {attempt:?}");
        assert_eq!(failed(attempt), Failure::Refused(address(expected)), "{host}");
    }
    assert_eq!(site.connections(), 0);
}

/// Starts a server on 127.99.0.1 that redirects. Returns its port.
async fn on_127_99(to: impl Fn() -> String + Send + 'static) -> u16 {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind("127.99.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 1024]).await;
            let to = to();
            let head = format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
            let _ = stream.write_all(head.as_bytes()).await;
        }
    });
    port
}

#[tokio::test]
async fn names_of_addresses_that_are_not_public_are_refused() {
    let site = inside().await;
    for (_, text) in LITERALS {
        let found = address(text);
        let fetcher = strict().resolver(Names::new(move |_| vec![found])).build().unwrap();
        for scheme in ["http", "https", "ftp"] {
            let attempt = fetch(&fetcher, &site.url(scheme, "/")).await;
            assert_eq!(failed(attempt), Failure::Refused(found), "{scheme} {text}");
        }
    }
    assert_eq!(site.connections(), 0);
}

#[tokio::test]
async fn localhost_is_refused_by_the_systems_resolver() {
    let site = inside().await;
    let fetcher = strict().build().unwrap();
    for host in ["localhost", "LOCALHOST", "localhost."] {
        for scheme in ["http", "ftp"] {
            let url = format!("{scheme}://{host}:{}/", site.port());
            match failed(fetch(&fetcher, &url).await) {
                Failure::Refused(found) => assert!(found.is_loopback(), "{found}"),
                other => panic!("{url}: {other:?}"),
            }
        }
    }
    assert_eq!(site.connections(), 0);
}

#[tokio::test]
async fn a_redirect_to_a_name_of_such_an_address_is_refused() {
    let site = inside().await;
    let to = format!("http://inside.test:{}/", site.port());
    let first = on_127_99(move || to.clone()).await;
    let fetcher = strict()
        .allow_networks(["127.99.0.0/16".parse().unwrap()])
        .resolver(Names::new(|name| match name {
            "inside.test" => vec![address("127.0.0.1")],
            _ => vec![address("127.99.0.1")],
        }))
        .build()
        .unwrap();
    let attempt = fetch(&fetcher, &format!("http://first.test:{first}/")).await;
    assert_eq!(failed(attempt), Failure::Refused(address("127.0.0.1")));
    assert_eq!(site.connections(), 0);
}

/// The address that is checked is the one that is connected to. So a name that resolves to a
/// public address the first time and to a private one the second time gains nothing, in either
/// order.
#[tokio::test]
async fn a_name_that_changes_its_answer() {
    let site = inside().await;
    let port = site.port();
    // 127.99.0.1 plays the public address. Its server redirects back to the same name.
    let first = on_127_99(move || format!("http://rebind.test:{port}/robots.txt")).await;
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let fetcher = strict()
        .allow_networks(["127.99.0.0/16".parse().unwrap()])
        .resolver(Names::new(move |_| {
            let is_first = counted.fetch_add(1, Ordering::SeqCst).is_multiple_of(2);
            vec![address(if is_first { "127.99.0.1" } else { "127.0.0.1" })]
        }))
        .build()
        .unwrap();
    for round in 1..=10 {
        let attempt = fetch(&fetcher, &format!("http://rebind.test:{first}/")).await;
        let is_first = round % 2 == 1;
        assert_eq!(attempt.redirects.len(), usize::from(is_first));
        match failed(attempt) {
            // The redirect goes to the address that was checked, where nobody listens.
            Failure::Connect(_) if is_first => {}
            Failure::Refused(refused) if !is_first => assert_eq!(refused, address("127.0.0.1")),
            failure => panic!("{round}: {failure}"),
        }
        // One look-up for each visit to a host, and none between check and use.
        assert_eq!(asked.load(Ordering::SeqCst), round);
    }
    assert_eq!(site.connections(), 0);
}

#[tokio::test]
async fn of_several_addresses_the_permitted_ones_are_used() {
    let site = inside().await;
    let to = site.url("http", "/");
    let permitted = on_127_99(move || to.clone()).await;
    let all = ["10.0.0.1", "127.0.0.1", "127.99.0.1", "127.99.0.1", "::1"].map(address);
    let fetcher = strict()
        .allow_networks(["127.99.0.0/16".parse().unwrap()])
        .max_redirects(0)
        .resolver(Names::new(move |_| all.to_vec()))
        .build()
        .unwrap();
    let attempt = fetch(&fetcher, &format!("http://mixed.test:{permitted}/")).await;
    assert_eq!(failed(attempt), Failure::TooManyRedirects);
    // If the permitted address has no server, the others are not tried instead.
    let attempt = fetch(&fetcher, &site.url("http", "/")).await;
    assert!(matches!(failed(attempt), Failure::Connect(_)));
    assert_eq!(site.connections(), 0);
}

/// A connection is not reused for a name that now has another address.
#[tokio::test]
async fn connections_do_not_outlive_their_check() {
    let site = Site::http(|_| answer(200, &[], ROBOTS)).await;
    let moved = Arc::new(AtomicUsize::new(0));
    let asked = Arc::clone(&moved);
    let fetcher = strict()
        .allow_networks(["127.0.0.1/32".parse().unwrap()])
        .resolver(Names::new(move |_| {
            vec![address(["127.0.0.1", "127.0.0.2"][asked.load(Ordering::SeqCst)])]
        }))
        .build()
        .unwrap();
    let url = site.url("http", "/");
    assert_eq!(answered(&fetch(&fetcher, &url).await).body, ROBOTS);
    moved.store(1, Ordering::SeqCst);
    assert_eq!(failed(fetch(&fetcher, &url).await), Failure::Refused(address("127.0.0.2")));
    assert_eq!(site.connections(), 1);
}

#[tokio::test]
async fn all_addresses_by_option() {
    let site = Site::http(|_| answer(200, &[], ROBOTS)).await;
    let fetcher = strict().allow_private(true).build().unwrap();
    for host in ["127.0.0.1", "localhost", "2130706433"] {
        let attempt = fetch(&fetcher, &format!("http://{host}:{}/", site.port())).await;
        assert_eq!(answered(&attempt).body, ROBOTS, "{host}");
    }
}
