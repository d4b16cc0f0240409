//! Scripted servers on loopback, and a fetcher that can reach them.

pub mod authority;
pub mod frames;
pub mod names;
pub mod proxy;
pub mod site;

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use robotsieve::Origin;
use robotsieve_client::fetch::{Fetcher, FetcherBuilder, Resolve, Resolving};
use robotsieve_client::outcome::{Attempt, Failure, Response};

pub const USER_AGENT: &str = "SieveTest/1.0 (+https://sieve.test/bot)";
pub const ROBOTS: &[u8] = b"User-agent: *\nDisallow: /private\n";

type Resolution = dyn Fn(&str) -> Vec<IpAddr> + Send + Sync;

/// A resolver that answers as a function says.
#[derive(Clone)]
pub struct Names(Arc<Resolution>);

impl Names {
    pub fn new(answer: impl Fn(&str) -> Vec<IpAddr> + Send + Sync + 'static) -> Names {
        Names(Arc::new(answer))
    }

    /// Resolves every name that ends with `.test` to this machine, and no others.
    pub fn test() -> Names {
        Names::new(|name| match name.ends_with(".test") {
            true => vec![Ipv4Addr::LOCALHOST.into()],
            false => Vec::new(),
        })
    }
}

impl Resolve for Names {
    fn resolve(&self, name: &str) -> Resolving {
        let found = (self.0)(name);
        Box::pin(async move { Ok(found) })
    }
}

/// Settings for servers on loopback, which all have the same address and any port: short
/// deadlines, and the test authority is trusted.
pub fn settings() -> FetcherBuilder {
    Fetcher::builder(USER_AGENT)
        .allow_networks(["127.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()])
        .resolver(Names::test())
        .max_per_host(None)
        .max_per_address(None)
        .redirect_ports(1..=u16::MAX)
        .trust_pem(authority::test().pem().as_bytes())
        .connect_timeout(Duration::from_secs(5))
        .read_timeout(Duration::from_secs(5))
        .total_timeout(Duration::from_secs(10))
}

pub fn fetcher() -> Fetcher {
    settings().build().unwrap()
}

/// One attempt with the usual settings.
pub async fn fetch(url: &str) -> Attempt {
    fetcher().fetch(&origin(url), None).await
}

pub fn origin(url: &str) -> Origin<'_> {
    Origin::of(url).unwrap_or_else(|cause| panic!("{url}: {cause}"))
}

/// The answer of an attempt. Panics if there is none.
#[track_caller]
pub fn answered(attempt: &Attempt) -> &Response {
    attempt.result.as_ref().unwrap_or_else(|failure| panic!("{failure}: {attempt:?}"))
}

/// The failure of an attempt. Panics if there is none.
#[track_caller]
pub fn failed(attempt: Attempt) -> Failure {
    match attempt.result {
        Ok(response) => panic!("status {}", response.status),
        Err(failure) => failure,
    }
}

/// Says that a test was skipped, past the harness, which hides the output of passing tests.
pub fn skipped(why: &str) {
    let test = std::thread::current();
    let test = test.name().unwrap_or("a test");
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {why}");
}
