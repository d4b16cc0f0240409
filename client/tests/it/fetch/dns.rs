//! Names, and the servers that know them.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use robotsieve_client::fetch::{
    Fetcher, FetcherBuilder, LookupError, Resolve, Resolving, SystemResolver,
};
use robotsieve_client::outcome::{Attempt, Failure, LocalKind};
use tokio::time::Instant;

use crate::support::servers::names::{NameServer, Says};
use crate::support::servers::site::{Site, answer};
use crate::support::servers::{ROBOTS, answered, failed, origin, settings};
use crate::support::time::FastClock;

/// A name gets three quarters of this.
const CONNECT: Duration = Duration::from_secs(4);

async fn site() -> Site {
    Site::http(|_| answer(200, &[], ROBOTS)).await
}

fn asking(servers: &[SocketAddr]) -> FetcherBuilder {
    settings().name_servers(servers.iter().copied()).connect_timeout(CONNECT)
}

async fn fetch(fetcher: &Fetcher, name: &str, port: u16) -> Attempt {
    fetcher.fetch(&origin(&format!("http://{name}:{port}/")), None).await
}

/// `good…` is this machine; other names say what becomes of them.
fn says(name: &str) -> Says {
    match name.split('.').next().unwrap_or_default() {
        "good" | "" => Says::V4(Ipv4Addr::LOCALHOST),
        "good6" => Says::V6(Ipv6Addr::LOCALHOST),
        "half" => Says::OnlyV4(Ipv4Addr::LOCALHOST),
        "private" => Says::V4(Ipv4Addr::new(10, 0, 0, 1)),
        "none" => Says::NoAddress,
        "failing" => Says::ServerFailure,
        "refused" => Says::Refused,
        "silent" => Says::Nothing,
        _ => Says::NoSuchName,
    }
}

#[tokio::test]
async fn what_becomes_of_a_name_is_told_apart() {
    let _clock = FastClock::start();
    let (server, site) = (NameServer::start(says).await, site().await);
    let fetcher = asking(&[server.address]).build().unwrap();
    for (name, text) in [
        ("unknown.test", "no such name"),
        ("none.test", "the name has no address"),
        ("failing.test", "Server Failure"),
        ("refused.test", "refused"),
        ("silent.test", "no name server answered in time"),
    ] {
        let failure = failed(fetch(&fetcher, name, site.port()).await);
        let Failure::Dns(cause) = &failure else { panic!("{name}: {failure:?}") };
        assert!(cause.contains(text), "{name}: {cause}");
    }
    let private = failed(fetch(&fetcher, "private.test", site.port()).await);
    assert_eq!(private, Failure::Refused(Ipv4Addr::new(10, 0, 0, 1).into()));
    assert_eq!(answered(&fetch(&fetcher, "good.test", site.port()).await).body, ROBOTS);
    // The other family's answer never comes.
    assert_eq!(answered(&fetch(&fetcher, "half.test", site.port()).await).body, ROBOTS);
}

#[tokio::test]
async fn names_are_absolute_and_answers_are_cached() {
    let (server, site) = (NameServer::start(says).await, site().await);
    let fetcher = asking(&[server.address]).build().unwrap();
    for name in ["good", "good.test", "good.test", "good.test.", "localhost", "a.localhost"] {
        let attempt = fetch(&fetcher, name, site.port()).await;
        assert_eq!(answered(&attempt).body, ROBOTS, "{name}");
    }
    // Once each: no search domain, and nothing of localhost. That there is no AAAA may not be
    // cached without an SOA record (RFC 2308, section 5).
    let mut asked = server.asked();
    assert!(asked.iter().all(|query| query.ends_with(" good") || query.ends_with(" good.test")));
    asked.retain(|query| query.starts_with("A "));
    assert_eq!(asked, ["A good", "A good.test"]);
    // A label that is too long for a query.
    let long = format!("{}.test", "a".repeat(64));
    assert_eq!(
        failed(fetch(&fetcher, &long, site.port()).await),
        Failure::Dns("no such name".to_owned())
    );
}

#[tokio::test]
async fn name_servers_that_do_not_work_are_no_fault_of_a_site() {
    let _clock = FastClock::start();
    let site = site().await;
    let refusing = NameServer::start(|_| Says::Refused).await;
    let silent = NameServer::start(|_| Says::Nothing).await;
    let down = NameServer::start(says).await.stop().await;
    for servers in [
        vec![refusing.address],
        vec![silent.address],
        vec![down],
        vec![down, silent.address, refusing.address],
    ] {
        let fetcher = asking(&servers).build().unwrap();
        let began = Instant::now();
        let failure = failed(fetch(&fetcher, "good.test", site.port()).await);
        let Failure::Local(fault) = &failure else { panic!("{servers:?}: {failure:?}") };
        assert_eq!(fault.kind, LocalKind::Resolver, "{servers:?}: {fault}");
        assert!(began.elapsed() < CONNECT * 4, "{:?}", began.elapsed());
        assert_eq!(fetcher.health().local, 1);
    }
}

#[tokio::test]
async fn one_working_name_server_is_enough() {
    let _clock = FastClock::start();
    let site = site().await;
    let refusing = NameServer::start(|_| Says::Refused).await;
    let failing = NameServer::start(|_| Says::ServerFailure).await;
    let silent = NameServer::start(|_| Says::Nothing).await;
    let down = NameServer::start(says).await.stop().await;
    let good = NameServer::start(says).await;
    for broken in [refusing.address, failing.address, silent.address, down] {
        let fetcher = asking(&[broken, good.address]).build().unwrap();
        let attempt = fetch(&fetcher, "good.test", site.port()).await;
        assert_eq!(answered(&attempt).body, ROBOTS, "{broken}");
    }
    // A server that owes an answer is asked last.
    let fetcher = asking(&[silent.address, good.address]).build().unwrap();
    let asked = silent.asked().len();
    // Its debt begins with the first name.
    for n in 0..20 {
        let attempt = fetch(&fetcher, &format!("good.{n}.test"), site.port()).await;
        assert_eq!(answered(&attempt).body, ROBOTS);
    }
    assert!(silent.asked().len() < asked + 20, "{:?}", silent.asked());
}

/// A server that is asked too much loses queries.
#[tokio::test]
async fn a_query_that_is_lost_is_sent_again() {
    let _clock = FastClock::start();
    let lost = AtomicUsize::new(0);
    // Twice the query for each family.
    let server = NameServer::start(move |name| match lost.fetch_add(1, Ordering::SeqCst) {
        0..4 => Says::Nothing,
        _ => says(name),
    });
    let (server, site) = (server.await, site().await);
    let settings = asking(&[server.address]).connect_timeout(Duration::from_secs(20));
    let attempt = fetch(&settings.build().unwrap(), "good.test", site.port()).await;
    assert_eq!(answered(&attempt).body, ROBOTS);
    assert_eq!(server.asked().iter().filter(|query| query.starts_with("A ")).count(), 3);
}

/// Names that come all at once share sockets that were opened a moment ago: each query is sent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_query_is_lost_at_a_new_socket() {
    const NAMES: usize = 500;
    let site = site().await;
    for round in 0..2 {
        // A fetcher of its own, so that its sockets are new.
        let server = NameServer::start(says).await;
        let settings = asking(&[server.address]).connect_timeout(Duration::from_secs(30));
        let fetcher = settings.max_parallel(NAMES).build().unwrap();
        let mut attempts = tokio::task::JoinSet::new();
        for n in 0..NAMES {
            let (fetcher, port) = (fetcher.clone(), site.port());
            attempts.spawn(async move {
                let attempt = fetch(&fetcher, &format!("good.{n}.test"), port).await;
                (n, attempt.result.map(|response| response.status))
            });
        }
        let results = attempts.join_all().await;
        let lost: Vec<_> = results.iter().filter(|(_, result)| *result != Ok(200)).collect();
        assert!(lost.is_empty(), "round {round}: {} of {NAMES}: {lost:?}", lost.len());
        let asked: std::collections::HashSet<_> = server.asked().into_iter().collect();
        let v4 = asked.iter().filter(|query| query.starts_with("A ")).count();
        assert_eq!(v4, NAMES, "round {round}");
    }
}

/// Nine of ten names are silent, in the order of a user's list: no good one is lost or held up.
#[tokio::test]
async fn silent_names_hold_up_nobody() {
    let _clock = FastClock::start();
    const GOOD: usize = 40;
    let servers = [
        NameServer::start(says).await,
        NameServer::start(says).await,
        NameServer::start(says).await,
    ];
    let addresses = servers.each_ref().map(|server| server.address);
    let site = site().await;
    let fetcher = asking(&addresses)
        .connect_timeout(Duration::from_secs(30))
        .max_parallel(16)
        .build()
        .unwrap();
    let began = Instant::now();
    let mut attempts = tokio::task::JoinSet::new();
    for n in 0..GOOD * 10 {
        let kind = if n % 10 == 9 { "good" } else { "silent" };
        let (fetcher, port) = (fetcher.clone(), site.port());
        attempts.spawn(async move {
            let attempt = fetch(&fetcher, &format!("{kind}.{n}.test"), port).await;
            (kind, attempt.result.map(|response| response.status))
        });
    }
    // The good ones come first: the silent ones wait for their deadline, 22.5 seconds.
    for _ in 0..GOOD {
        let (kind, result) = attempts.join_next().await.unwrap().unwrap();
        assert_eq!((kind, result), ("good", Ok(200)));
    }
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

/// A look-up that waits for its deadline when its servers go away.
#[tokio::test]
async fn a_silent_name_is_not_blamed_if_the_servers_fall_silent() {
    let _clock = FastClock::start();
    let is_on = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let on = std::sync::Arc::clone(&is_on);
    let server =
        NameServer::start(move |name| match on.load(std::sync::atomic::Ordering::SeqCst) {
            true => says(name),
            false => Says::Nothing,
        })
        .await;
    let site = site().await;
    let fetcher = asking(&[server.address]).build().unwrap();
    let waiting = {
        let (fetcher, port) = (fetcher.clone(), site.port());
        tokio::spawn(async move { fetch(&fetcher, "silent.test", port).await })
    };
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(answered(&fetch(&fetcher, "good.test", site.port()).await).body, ROBOTS);
    is_on.store(false, std::sync::atomic::Ordering::SeqCst);
    let failure = failed(waiting.await.unwrap());
    let Failure::Local(fault) = &failure else { panic!("{failure:?}") };
    assert_eq!(fault.kind, LocalKind::Resolver);
}

/// A resolver whose upstream is gone.
#[tokio::test]
async fn name_servers_that_fail_for_every_name_are_no_fault_of_a_site() {
    let _clock = FastClock::start();
    let site = site().await;
    let failing = NameServer::start(|_| Says::ServerFailure).await;
    let empty = NameServer::start(|_| Says::NoSuchName).await;
    // A resolver keeps what it knows of the root.
    let of_root = |name: &str, other: Says| match name {
        "" | "." => Says::V4(Ipv4Addr::LOCALHOST),
        _ => other,
    };
    let cached = NameServer::start(move |name| of_root(name, Says::ServerFailure)).await;
    let refusing = NameServer::start(move |name| of_root(name, Says::Refused)).await;
    for (server, what) in [
        (&failing, "fails for every name: "),
        (&empty, "knows no name, not even the root"),
        (&cached, "fails for every name: "),
        (&refusing, "refuses every name"),
    ] {
        let server = server.address;
        let told = format!("names cannot be looked up: the name server {server} {what}");
        let fetcher = asking(&[server]).build().unwrap();
        for n in 0..20 {
            let failure = failed(fetch(&fetcher, &format!("good.{n}.test"), site.port()).await);
            let Failure::Local(fault) = &failure else { panic!("{server}: {failure:?}") };
            assert_eq!(fault.kind, LocalKind::Resolver, "{server}: {fault}");
            assert!(fault.to_string().starts_with(&told), "{told}: {fault}");
        }
    }
    let both = asking(&[empty.address, empty.address]).build().unwrap();
    let failure = failed(fetch(&both, "good.test", site.port()).await).to_string();
    assert!(failure.contains(&format!("the name servers {0}, {0} know no", empty.address)));
}

/// Garbage, whatever it is, and answers that nobody asked for say nothing of a name.
#[tokio::test]
async fn garbage_judges_no_site() {
    let _clock = FastClock::start();
    let site = site().await;
    for says in
        [Says::Garbage, Says::Half, Says::OtherNumber, Says::OtherName, Says::NoRoom, Says::Query]
    {
        let said = says.clone();
        let server = NameServer::start(move |_| said.clone()).await;
        let fetcher = asking(&[server.address]).build().unwrap();
        // The network works.
        assert_eq!(answered(&fetch(&fetcher, "127.0.0.1", site.port()).await).body, ROBOTS);
        let names = (0..5).map(|n| format!("good.{n}.test"));
        let attempts = names.map(async |name| fetch(&fetcher, &name, site.port()).await);
        for attempt in futures_util::future::join_all(attempts).await {
            let failure = failed(attempt);
            let Failure::Local(fault) = &failure else { panic!("{says:?}: {failure:?}") };
            assert_eq!(fault.kind, LocalKind::Resolver, "{says:?}: {fault}");
        }
    }
}

/// What servers knew a moment ago shows nothing of what they say now.
#[tokio::test]
async fn servers_that_lose_all_names_are_no_fault_of_a_site() {
    let _clock = FastClock::start();
    let site = site().await;
    for says_now in [Says::NoAddress, Says::NoSuchName, Says::ServerFailure, Says::Garbage] {
        let is_lost = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let (lost, now) = (std::sync::Arc::clone(&is_lost), says_now.clone());
        let server = NameServer::start(move |name| match lost.load(Ordering::SeqCst) {
            true => now.clone(),
            false => says(name),
        })
        .await;
        let fetcher = asking(&[server.address]).build().unwrap();
        assert_eq!(answered(&fetch(&fetcher, "good.test", site.port()).await).body, ROBOTS);
        // These are the names' own.
        for name in ["none.test", "unknown.test"] {
            let failure = failed(fetch(&fetcher, name, site.port()).await);
            assert!(matches!(failure, Failure::Dns(_)), "{failure:?}");
        }
        is_lost.store(true, Ordering::SeqCst);
        for n in 0..5 {
            let failure = failed(fetch(&fetcher, &format!("good.{n}.test"), site.port()).await);
            let Failure::Local(fault) = &failure else { panic!("{says_now:?}: {failure:?}") };
            assert_eq!(fault.kind, LocalKind::Resolver, "{says_now:?}: {fault}");
        }
    }
}

/// A resolver that tells no more than the system's: it answers what its function says.
struct Told(fn(&str) -> Result<Vec<std::net::IpAddr>, LookupError>);

impl Resolve for Told {
    fn resolve(&self, name: &str) -> Resolving {
        let told = (self.0)(name);
        Box::pin(async move { told })
    }
}

#[tokio::test]
async fn a_resolver_that_answers_for_no_name_is_no_fault_of_a_site() {
    let _clock = FastClock::start();
    let site = site().await;
    let told = |name: &str| match name.split('.').next().unwrap_or_default() {
        "good" | "localhost" => Ok(vec![Ipv4Addr::LOCALHOST.into()]),
        "unknown" => Err(LookupError::NoSuchName),
        "failing" => Err(LookupError::Failed("Server Failure".to_owned())),
        _ => Err(LookupError::Silent),
    };
    for shows in ["good.test", "unknown.test"] {
        let fetcher = settings().resolver(Told(told)).build().unwrap();
        // Neither an address in a URL nor the file of hosts shows that name servers answer.
        for host in ["127.0.0.1", "localhost"] {
            assert_eq!(answered(&fetch(&fetcher, host, site.port()).await).body, ROBOTS);
        }
        let silent = async |n: usize| {
            let name =
                format!("{}.{n}.test", if n.is_multiple_of(2) { "silent" } else { "failing" });
            failed(fetch(&fetcher, &name, site.port()).await)
        };
        for n in 0..20 {
            let failure = silent(n).await;
            let Failure::Local(fault) = &failure else { panic!("{failure:?}") };
            assert_eq!(fault.kind, LocalKind::Resolver, "{fault}");
        }
        let _ = fetch(&fetcher, shows, site.port()).await;
        let failure = silent(0).await;
        assert!(matches!(failure, Failure::Dns(_)), "{shows}: {failure:?}");
        // The resolver may have gone away since.
        for n in 0..10 {
            let _ = silent(n).await;
        }
        let failure = silent(0).await;
        assert!(matches!(failure, Failure::Local(_)), "{shows}: {failure:?}");
    }
}

#[tokio::test]
async fn the_systems_resolver_is_a_choice() {
    let site = site().await;
    let fetcher = settings().resolver(SystemResolver).build().unwrap();
    assert_eq!(answered(&fetch(&fetcher, "localhost", site.port()).await).body, ROBOTS);
}

#[test]
fn without_name_servers_there_is_no_fetcher() {
    let error = settings().name_servers([]).build().unwrap_err();
    assert!(error.to_string().contains("name_servers"), "{error}");
}
