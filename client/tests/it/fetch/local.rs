//! Whose fault a failure is: the site's, or this machine's.

use std::env;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::Command;
use std::time::Duration;

use robotsieve_client::fetch::{Fetcher, FetcherBuilder};
use robotsieve_client::outcome::{Attempt, Failure, LocalKind, Stage};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::support::servers::site::{Site, answer};
use crate::support::servers::{Names, ROBOTS, answered, failed, origin, settings};
use crate::support::time::FastClock;

/// A server on an address of its own, which can stop.
struct Server {
    address: SocketAddr,
    serving: JoinHandle<()>,
}

impl Server {
    async fn start(last: u8) -> Server {
        Server::at(Ipv4Addr::new(127, 0, last, 1)).await
    }

    async fn at(address: Ipv4Addr) -> Server {
        let listener = TcpListener::bind((address, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let _ = stream.read(&mut [0; 4096]).await;
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
                });
            }
        });
        Server { address, serving }
    }

    async fn stop(self) -> SocketAddr {
        self.serving.abort();
        let _ = self.serving.await;
        self.address
    }
}

/// An address where nothing listens.
async fn dead(last: u8) -> SocketAddr {
    Server::start(last).await.stop().await
}

async fn fetch(fetcher: &Fetcher, address: SocketAddr) -> Attempt {
    fetcher.fetch(&origin(&format!("http://{address}/")), None).await
}

#[track_caller]
fn local(attempt: Attempt) -> LocalKind {
    match failed(attempt) {
        Failure::Local(fault) => fault.kind,
        failure => panic!("{failure:?}"),
    }
}

fn hasty() -> FetcherBuilder {
    settings().connect_timeout(Duration::from_secs(1)).read_timeout(Duration::from_secs(1))
}

#[tokio::test]
async fn a_dead_site_is_blamed_if_others_answer() {
    let _clock = FastClock::start();
    let fetcher = hasty().build().unwrap();
    let (one, other) = (Server::start(1).await, dead(2).await);
    assert_eq!(answered(&fetch(&fetcher, one.address).await).status, 200);
    for _ in 0..3 {
        let attempt = fetch(&fetcher, other).await;
        assert!(attempt.is_confirmed);
        let failure = failed(attempt);
        assert!(matches!(failure, Failure::Connect(_)), "{failure:?}");
    }
    let health = fetcher.health();
    assert_eq!((health.answered, health.judged, health.local), (1, 4, 0));
}

#[tokio::test]
async fn failures_before_any_answer_are_unconfirmed() {
    let fetcher = hasty().build().unwrap();
    let address = dead(3).await;
    for count in 1..=250 {
        let attempt = fetch(&fetcher, address).await;
        assert!(!attempt.is_confirmed);
        assert!(matches!(failed(attempt), Failure::Connect(_)));
        let health = fetcher.health();
        assert_eq!((health.answered, health.unconfirmed), (0, count));
        assert_eq!(health.is_suspect(), count >= 200);
    }
}

/// Who answers shows that the network works, and so the failure is the site's, or that of the target of its
/// redirect. Who only takes a connection may be a proxy in between.
#[tokio::test]
async fn who_answers_is_blamed() {
    let nobody = dead(0).await;
    let trickles = Site::raw(|mut stream| async move {
        let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 99\r\n\r\n";
        let _ = stream.write_all(head).await;
        while stream.write_all(b"#").await.is_ok() {
            sleep(Duration::from_millis(200)).await;
        }
    })
    .await;
    let leads =
        Site::http(move |_| answer(302, &[("location", &format!("http://{nobody}/x"))], b"")).await;
    let closes = Site::raw(|stream| async move { drop(stream) }).await;
    let silent = Site::raw(|stream| async move {
        sleep(Duration::from_secs(60)).await;
        drop(stream);
    })
    .await;
    let asked = async |address: SocketAddr| {
        let fetcher = hasty().total_timeout(Duration::from_secs(2)).build().unwrap();
        let attempt = fetch(&fetcher, address).await;
        (attempt.is_confirmed, failed(attempt))
    };
    let (is_blamed, failure) = asked(trickles.address).await;
    assert!(is_blamed && matches!(failure, Failure::TimedOut(_)), "{failure:?}");
    let (is_blamed, failure) = asked(leads.address).await;
    assert!(is_blamed && matches!(failure, Failure::Connect(_)), "{failure:?}");
    for only_connected in [closes.address, silent.address] {
        assert!(!asked(only_connected).await.0);
    }
}

/// A canary shows that the network works before any site has answered.
#[tokio::test]
async fn a_canary_confirms() {
    let _clock = FastClock::start();
    let canary = Server::start(30).await;
    let fetcher = hasty().canary(canary.address).build().unwrap();
    let address = dead(31).await;
    let attempt = fetch(&fetcher, address).await;
    assert!(attempt.is_confirmed);
    assert!(matches!(failed(attempt), Failure::Connect(_)));
    assert_eq!(fetcher.health().answered, 0);
    canary.stop().await;
    sleep(Duration::from_millis(600)).await;
    assert_eq!(local(fetch(&fetcher, address).await), LocalKind::Network);
}

/// A server that asks for a login, at 127.`block`.0.1.
async fn login(block: u8) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::new(127, block, 0, 1), 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(b"HTTP/1.1 511 Login\r\nContent-Length: 0\r\n\r\n").await;
        }
    });
    address
}

/// A 511 is the site's if others answer, unconfirmed if none ever has or many networks agree, and
/// ours if they do and none ever has.
#[tokio::test]
async fn who_asks_for_a_login() {
    let _clock = FastClock::start();
    let fetcher = hasty().build().unwrap();
    let sites = [login(101).await, login(102).await, login(103).await];
    let attempt = fetch(&fetcher, sites[0]).await;
    assert!(!attempt.is_confirmed);
    assert_eq!(answered(&attempt).status, 511);
    assert_eq!(fetcher.health().answered, 0);
    let good = Server::start(32).await;
    assert_eq!(answered(&fetch(&fetcher, good.address).await).status, 200);
    // However often one asks.
    for _ in 0..10 {
        let attempt = fetch(&fetcher, sites[0]).await;
        assert!(attempt.is_confirmed);
        assert_eq!(answered(&attempt).status, 511);
    }
    assert_eq!(answered(&fetch(&fetcher, sites[1]).await).status, 511);
    // Many networks do: theirs or ours, who knows?
    for site in [sites[2], sites[0]] {
        let attempt = fetch(&fetcher, site).await;
        assert!(!attempt.is_confirmed);
        assert_eq!(answered(&attempt).status, 511);
    }
    assert_eq!(answered(&fetch(&fetcher, good.address).await).status, 200);
    assert!(fetch(&fetcher, sites[2]).await.is_confirmed);
    // As long as nobody else has answered, it is ours.
    let fetcher = hasty().build().unwrap();
    for site in &sites[..2] {
        assert!(!fetch(&fetcher, *site).await.is_confirmed);
    }
    assert_eq!(local(fetch(&fetcher, sites[2]).await), LocalKind::Network);
}

/// A network that leads all http sites to its own page, or puts it in their place, has not answered for
/// them.
#[tokio::test]
async fn who_leads_all_sites_to_one_page() {
    let leads = Site::http(|request| {
        let host = request.headers["host"].to_str().unwrap();
        match host.split_once(':') {
            Some((host, port)) if host.starts_with("moved") => {
                let to = format!("http://login.portal.test:{port}/in?to={host}");
                answer(302, &[("location", &to)], b"")
            }
            Some(("login.portal.test", _)) => {
                answer(200, &[("content-type", "text/html")], b"<html>Welcome")
            }
            Some((host, _)) if host.starts_with("page") => {
                let page = format!("<html>Welcome <a href='/in?to={host}'>in</a>");
                let kind = [("content-type", "text/html; charset=utf-8")];
                answer(200, if host.len() % 2 == 0 { &kind } else { &[] }, page.as_bytes())
            }
            Some((host, _)) if host.starts_with("own") => answer(
                200,
                &[("content-type", "text/html")],
                format!("<p>{}", &host[3..4]).as_bytes(),
            ),
            _ => answer(200, &[], ROBOTS),
        }
    })
    .await;
    let names = Names::new(|_| vec![Ipv4Addr::LOCALHOST.into()]);
    let fetcher = || hasty().resolver(names.clone()).build().unwrap();
    let url = |name: &str| format!("http://{name}.test:{}/", leads.port());
    let all = async |fetcher: &Fetcher, names: Vec<String>| {
        let tasks = names.into_iter().map(|name| {
            let (fetcher, url) = (fetcher.clone(), url(&name));
            tokio::spawn(async move { fetcher.fetch(&origin(&url), None).await })
        });
        let mut attempts = Vec::new();
        for task in tasks.collect::<Vec<_>>() {
            attempts.push(task.await.unwrap());
        }
        attempts
    };
    let named = |how: &str, n| (0..n).map(|n| format!("{how}{n}")).collect::<Vec<_>>();
    for how in ["moved", "page"] {
        for attempt in all(&fetcher(), named(how, 30)).await {
            assert_eq!(local(attempt), LocalKind::Network);
        }
        // Once another site has answered, nobody knows.
        let one = fetcher();
        answered(&fetch(&one, leads.address).await);
        for attempt in all(&one, named(how, 30)).await {
            assert!(!attempt.is_confirmed, "{attempt:?}");
        }
    }
    // Pages of their own are the sites'.
    let owns = fetcher();
    for attempt in all(&owns, named("own", 9)).await {
        assert!(attempt.is_confirmed, "{attempt:?}");
    }
    assert!(owns.health().answered > 0);
    let one = fetcher();
    // Sites may well move to one place while others answer, and one may move alone.
    let others = {
        let (one, address) = (one.clone(), leads.address);
        tokio::spawn(async move {
            loop {
                answered(&fetch(&one, address).await);
                sleep(Duration::from_millis(100)).await;
            }
        })
    };
    let mut attempts = Vec::new();
    for how in ["moved", "page"] {
        attempts.extend(all(&one, named(how, 30)).await);
        attempts.extend(all(&fetcher(), named(how, 1)).await);
    }
    others.abort();
    for attempt in attempts {
        assert!(attempt.is_confirmed, "{attempt:?}");
        assert_eq!(answered(&attempt).status, 200);
    }
}

/// A resolver that has no address for any name is broken, whatever else answers.
#[tokio::test]
async fn a_resolver_that_knows_no_name() {
    let _clock = FastClock::start();
    let good = Server::start(33).await;
    let names = Names::new(|_| Vec::new());
    let fetcher = hasty().resolver(names).build().unwrap();
    for name in ["http://a.test/", "http://b.test/"] {
        assert_eq!(local(fetcher.fetch(&origin(name), None).await), LocalKind::Resolver);
    }
    assert_eq!(answered(&fetch(&fetcher, good.address).await).status, 200);
    let attempt = fetcher.fetch(&origin("http://a.test/"), None).await;
    assert_eq!(local(attempt), LocalKind::Resolver);
    // It knew names a moment ago, and then has no address for any.
    let is_on = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let on = std::sync::Arc::clone(&is_on);
    let names = Names::new(move |name| {
        match name.starts_with("good") && on.load(std::sync::atomic::Ordering::SeqCst) {
            true => vec![good.address.ip()],
            false => Vec::new(),
        }
    });
    let fetcher = hasty().resolver(names).build().unwrap();
    let url = |name: &str| format!("http://{name}.test:{}/", good.address.port());
    assert_eq!(answered(&fetcher.fetch(&origin(&url("good")), None).await).status, 200);
    let attempt = fetcher.fetch(&origin(&url("none")), None).await;
    assert!(attempt.is_confirmed && matches!(attempt.result, Err(Failure::Dns(_))));
    is_on.store(false, std::sync::atomic::Ordering::SeqCst);
    let mut faults = 0;
    for n in 0..20 {
        let attempt = fetcher.fetch(&origin(&url(&format!("good-{n}"))), None).await;
        faults += u32::from(matches!(attempt.result, Err(Failure::Local(_))));
    }
    assert!(faults >= 15, "{faults}");
}

/// Nine of ten are dead. That is no fault of ours, however it begins.
#[tokio::test]
async fn many_dead_sites_are_not_suspect() {
    let _clock = FastClock::start();
    let fetcher = hasty().build().unwrap();
    let good = Server::start(4).await;
    let bad = dead(5).await;
    let mut attempts = tokio::task::JoinSet::new();
    for n in 0..300 {
        let (fetcher, address) = (fetcher.clone(), if n % 10 == 9 { good.address } else { bad });
        attempts.spawn(async move { fetch(&fetcher, address).await });
    }
    while let Some(attempt) = attempts.join_next().await {
        let attempt = attempt.unwrap();
        assert!(attempt.is_confirmed, "{attempt:?}");
        assert!(!matches!(attempt.result, Err(Failure::Local(_))), "{attempt:?}");
    }
    let health = fetcher.health();
    assert_eq!((health.judged, health.recent_suspect), (300, 0));
    assert!(!health.is_suspect());
}

#[tokio::test]
async fn a_network_that_goes_away_judges_no_site() {
    let _clock = FastClock::start();
    let fetcher = hasty().build().unwrap();
    let servers = [Server::start(6).await, Server::start(7).await, Server::start(8).await];
    for server in &servers {
        assert_eq!(answered(&fetch(&fetcher, server.address).await).status, 200);
    }
    // This one is in flight when the network goes away.
    let silent = Site::raw(|stream| async move {
        sleep(Duration::from_secs(60)).await;
        drop(stream);
    })
    .await;
    let in_flight = {
        let (fetcher, address) = (fetcher.clone(), silent.address);
        tokio::spawn(async move { fetch(&fetcher, address).await })
    };
    sleep(Duration::from_millis(100)).await;
    let mut addresses = Vec::new();
    for server in servers {
        addresses.push(server.stop().await);
    }
    assert_eq!(local(in_flight.await.unwrap()), LocalKind::Network);
    let other = dead(9).await;
    for address in [other, addresses[0], other] {
        assert_eq!(local(fetch(&fetcher, address).await), LocalKind::Network);
    }
    assert_eq!(fetcher.health().local, 4);
    // It comes back: dead sites are dead again.
    let back = TcpListener::bind(addresses[1]).await.unwrap();
    sleep(Duration::from_millis(600)).await;
    let attempt = fetch(&fetcher, other).await;
    assert!(attempt.is_confirmed);
    assert!(matches!(failed(attempt), Failure::Connect(_)));
    drop(back);
}

/// Three strangers who answer once and go deaf do not outweigh the others that answered.
#[tokio::test]
async fn strangers_who_go_deaf_stop_nobody() {
    let _clock = FastClock::start();
    let fetcher = hasty().build().unwrap();
    let mut good = Vec::new();
    for block in 40..50 {
        good.push(Server::at(Ipv4Addr::new(127, block, 0, 1)).await);
        assert_eq!(answered(&fetch(&fetcher, good.last().unwrap().address).await).status, 200);
    }
    for block in 50..53 {
        let stranger = Server::at(Ipv4Addr::new(127, block, 0, 1)).await;
        assert_eq!(answered(&fetch(&fetcher, stranger.address).await).status, 200);
        stranger.stop().await;
    }
    let other = dead(53).await;
    for _ in 0..10 {
        let attempt = fetch(&fetcher, other).await;
        assert!(attempt.is_confirmed);
        let failure = failed(attempt);
        assert!(matches!(failure, Failure::Connect(_)), "{failure:?}");
    }
    assert_eq!(fetcher.health().local, 0);
}

/// The network is away for a part of the attempt, and back before it ends.
#[tokio::test]
async fn an_outage_within_an_attempt_is_noticed() {
    let _clock = FastClock::start();
    let fetcher =
        hasty().read_timeout(Duration::from_secs(12)).total_timeout(Duration::from_secs(20));
    let fetcher = fetcher.build().unwrap();
    let server = Server::start(10).await;
    assert_eq!(answered(&fetch(&fetcher, server.address).await).status, 200);
    let address = server.stop().await;
    let silent = Site::raw(|stream| async move {
        sleep(Duration::from_secs(60)).await;
        drop(stream);
    })
    .await;
    let in_flight = {
        let (fetcher, address) = (fetcher.clone(), silent.address);
        tokio::spawn(async move { fetch(&fetcher, address).await })
    };
    // Attempts in flight ask after two seconds.
    sleep(Duration::from_secs(5)).await;
    let back = TcpListener::bind(address).await.unwrap();
    assert_eq!(local(in_flight.await.unwrap()), LocalKind::Network);
    drop(back);
}

#[tokio::test]
async fn a_silent_site_is_blamed_if_a_canary_answers() {
    let _clock = FastClock::start();
    let fetcher = hasty().build().unwrap();
    let server = Server::start(11).await;
    assert_eq!(answered(&fetch(&fetcher, server.address).await).status, 200);
    let silent = Site::raw(|stream| async move {
        sleep(Duration::from_secs(60)).await;
        drop(stream);
    })
    .await;
    let attempt = fetch(&fetcher, silent.address).await;
    assert!(attempt.is_confirmed);
    assert_eq!(failed(attempt), Failure::TimedOut(Stage::Read));
}

/// A broadcast address: the system has no route for TCP, and nothing is sent.
#[tokio::test]
async fn without_a_route_the_fault_is_local() {
    let nowhere = Ipv4Addr::new(127, 255, 255, 255);
    let fetcher = hasty().build().unwrap();
    assert_eq!(local(fetch(&fetcher, (nowhere, 80).into()).await), LocalKind::Route);
    let ftp = fetcher.fetch(&origin("ftp://127.255.255.255/"), None).await;
    assert_eq!(local(ftp), LocalKind::Route);
    // The site is judged by the addresses that could be tried.
    let site = Site::http(|_| answer(200, &[], ROBOTS)).await;
    let closed = dead(0).await;
    let names = Names::new(move |_| vec![nowhere.into(), IpAddr::from(Ipv4Addr::LOCALHOST)]);
    let fetcher = hasty().resolver(names).build().unwrap();
    let url = format!("http://both.test:{}/", site.port());
    assert_eq!(answered(&fetcher.fetch(&origin(&url), None).await).body, ROBOTS);
    let url = format!("http://both.test:{}/", closed.port());
    let failure = failed(fetcher.fetch(&origin(&url), None).await);
    assert!(matches!(failure, Failure::Connect(_)), "{failure:?}");
}

/// The environment variable with a server's address, for the process without descriptors.
const SHORT: &str = "ROBOTSIEVE_FETCH_SHORT";

/// The process that is short of descriptors. The test below starts this program again to run
/// only this.
#[test]
#[ignore = "only for `a_shortage_of_descriptors_is_local`, which starts it"]
fn short_of_descriptors() {
    let Ok(address) = env::var(SHORT) else { return };
    let address: SocketAddr = address.parse().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let unused: SocketAddr = (Ipv4Addr::LOCALHOST, 9).into();
        let fetcher = hasty().name_servers([unused]).build().unwrap();
        let mut hoard = Vec::new();
        while let Ok(file) = std::fs::File::open("/dev/null") {
            hoard.push(file);
        }
        for url in [
            format!("http://{address}/"),
            format!("https://{address}/"),
            format!("ftp://{address}/"),
            format!("http://name.test:{}/", address.port()),
        ] {
            let failure = failed(fetcher.fetch(&origin(&url), None).await);
            let Failure::Local(fault) = &failure else { panic!("{url}: {failure:?}") };
            assert_eq!(fault.kind, LocalKind::Descriptors, "{url}: {fault}");
        }
        drop(hoard);
        assert_eq!(answered(&fetch(&fetcher, address).await).status, 200);
    });
    println!("short of descriptors, and told");
}

#[tokio::test]
async fn a_shortage_of_descriptors_is_local() {
    let server = Server::start(12).await;
    let program = env::current_exe().unwrap();
    let test = "fetch::local::short_of_descriptors";
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 64; exec \"$@\"", "sh"]).arg(program);
    command.args(["--exact", test, "--ignored", "--nocapture"]);
    command.env(SHORT, server.address.to_string());
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}{errors}");
    assert!(told.contains("short of descriptors, and told"), "{told}{errors}");
}

#[test]
fn the_descriptors_of_the_settings_are_known() {
    let settings = settings().name_servers([(Ipv4Addr::LOCALHOST, 53).into()]);
    let few = settings.clone().max_parallel(16).max_lookups(128).descriptors();
    assert!((32..128).contains(&few), "{few}");
    let many = settings.max_parallel(256).max_lookups(4096).descriptors();
    assert!((512..640).contains(&many), "{many}");
}
