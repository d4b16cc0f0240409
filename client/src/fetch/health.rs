//! The health of this machine's network.
//!
//! A site that does not answer and a network that is down look the same: no connection, no
//! answer, or a reset. Such a failure is *ambiguous* ([`Failure::is_ambiguous`]). Before it is blamed on
//! the site, something must show that the network worked after the failure:
//!
//! 1. an answer from any address. In a busy crawl the next one comes within milliseconds, so this
//!    costs no traffic;
//! 2. or else a canary: a TCP connection to an address that answered earlier, tried on up to
//!    three addresses. Attempts that fail together share one round of canaries, and rounds begin
//!    at least [`SPACING`] apart.
//!
//! If every canary fails, the failure is [`LocalKind::Network`], and so is every ambiguous failure
//! of an attempt during which canaries failed: the network was down for part of it. To notice such
//! times, attempts in flight ask the canaries when no address has answered for [`HEARTBEAT`].
//!
//! IPv4, IPv6 and loopback are judged apart: an answer over one says nothing about the others. An
//! attempt that tried several is blamed on the site if one of them works.
//!
//! As long as nothing has answered there are no canaries but those of
//! [`FetcherBuilder::canary`](super::FetcherBuilder::canary). Without any, the failure is
//! [unconfirmed](crate::outcome::Attempt::is_confirmed): nothing follows from it.
//!
//! The status 511 is the answer of a network that wants a login, or the whim of a site. It is no
//! sign that the network works. It counts as the site's if another address answers as it should
//! after it, or did so before. If [`LOGINS`] unrelated addresses in a row ask for a login, it is
//! ours as long as no other has ever answered; later it is unconfirmed, for sites in so many networks
//! may belong to one who wishes that others be left unasked.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::net::TcpStream;
use tokio::sync::{Mutex as Turn, Notify};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::events::TARGET;
use crate::outcome::{ASKS_FOR_LOGIN, Failure, LocalFault, LocalKind};

/// The time that an ambiguous failure waits for somebody's answer before canaries are asked.
const PATIENCE: Duration = Duration::from_millis(100);
/// The time that it waits if there are no canaries yet but other attempts are in flight.
const FIRST_PATIENCE: Duration = Duration::from_secs(1);
/// The time that a canary may take.
const CANARY_TIMEOUT: Duration = Duration::from_secs(2);
/// The next canary of a round is asked after this time.
const STAGGER: Duration = Duration::from_millis(250);
/// Between the beginnings of two rounds. A failed round is valid for as long.
const SPACING: Duration = Duration::from_millis(500);
/// Without any answer for this long, attempts in flight ask the canaries.
const HEARTBEAT: Duration = Duration::from_secs(2);
/// The number of canaries that are asked in a round.
const ASKED: usize = 3;
/// The number of addresses that are kept as canaries, for each kind of network.
const KEPT: usize = 12;
/// When this many networks in a row ask for a login, and no other answers, it may be ours that asks.
const LOGINS: usize = 3;
/// The number of last attempts that [`Health::recent`] counts.
const RECENT: usize = 200;

/// A fetcher's knowledge of its network: the ends of its attempts.
///
/// A program that fetches for many sites stops, or pauses, when [`Health::is_suspect`] says that
/// the fault is here, and keeps no [unconfirmed](crate::outcome::Attempt::is_confirmed) failure
/// as long as `answered` is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Health {
    /// The number of answers: heads of HTTP answers, and greetings of FTP servers. Redirects and
    /// errors such as 500 count. 0 means that the network has never been seen to work.
    pub answered: u64,
    /// The number of attempts that ended in an answer or in a confirmed failure of the site.
    pub judged: u64,
    /// The number of attempts that failed without confirmation that the network worked, because
    /// nothing had ever answered.
    pub unconfirmed: u64,
    /// The number of attempts that ended in a [`LocalFault`].
    pub local: u64,
    /// The number of attempts that `recent_suspect` is out of: at most 200, the last ones.
    pub recent: usize,
    /// The number of recent attempts that were unconfirmed or local.
    pub recent_suspect: usize,
}

impl Health {
    /// True if the fault is on this side: at least 90 % of the last 200 attempts ended in local
    /// faults or unconfirmed failures.
    ///
    /// Dead sites do not count here, however many there are, as long as any other site answers.
    #[must_use]
    pub fn is_suspect(&self) -> bool {
        self.recent >= RECENT && self.recent_suspect * 10 >= self.recent * 9
    }
}

/// The end of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Judged,
    Unconfirmed,
    Local,
}

/// The networks that are judged apart.
const NETWORKS: usize = 4;

/// The network of an address: IPv4, IPv6, or the loopback of one of them.
fn network(address: IpAddr) -> usize {
    let address = address.to_canonical();
    usize::from(address.is_ipv6()) * 2 + usize::from(address.is_loopback())
}

/// The knowledge of one network.
#[derive(Default)]
struct Known {
    answered: Option<Instant>,
    /// The time at which canaries last failed.
    failed: Option<Instant>,
    /// Addresses that answered, the latest last.
    canaries: VecDeque<SocketAddr>,
    /// Addresses that answer, as the user says.
    set: Vec<SocketAddr>,
}

impl Known {
    /// True if the network worked at a time or later.
    fn works_since(&self, at: Instant) -> bool {
        self.answered.is_some_and(|answered| answered >= at)
    }

    fn failed_since(&self, at: Instant) -> bool {
        self.failed.is_some_and(|failed| failed >= at)
    }

    /// Addresses to ask, of different networks (/16, or /32 for IPv6) first, without those that
    /// the attempt tried.
    fn canaries(&self, tried: &[IpAddr]) -> Vec<SocketAddr> {
        let mut picked: Vec<SocketAddr> = Vec::new();
        let all = || self.canaries.iter().rev().chain(&self.set);
        let usable = || all().filter(|address| !tried.contains(&address.ip()));
        for address in usable() {
            if !picked.iter().any(|other| block(other.ip()) == block(address.ip())) {
                picked.push(*address);
            }
        }
        for address in usable() {
            if !picked.contains(address) {
                picked.push(*address);
            }
        }
        picked.truncate(ASKED);
        picked
    }
}

/// The block of addresses that probably share a route.
fn block(address: IpAddr) -> u32 {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_bits() >> 16,
        IpAddr::V6(address) => (address.to_bits() >> 96) as u32,
    }
}

/// The result of a round of canaries.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Round {
    Works,
    Fails,
    /// The canaries could not be asked.
    Impossible(LocalFault),
}

/// Judges ambiguous failures. One for each fetcher.
#[derive(Default)]
pub(super) struct Network {
    seen: Mutex<Seen>,
    /// Notified at each answer.
    news: Notify,
    /// The last round of each network, and whose turn it is to begin one.
    rounds: [Turn<Option<(Instant, Round)>>; NETWORKS],
}

#[derive(Default)]
struct Seen {
    known: [Known; NETWORKS],
    /// The blocks of addresses that asked for a login since another address answered.
    logins: Vec<u32>,
    health: Health,
    recent: VecDeque<Ending>,
    in_flight: usize,
}

/// Counts an attempt as in flight until it is dropped.
pub(super) struct InFlight<'n>(&'n Network);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.seen().in_flight -= 1;
    }
}

impl Network {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        // No code panics while it holds the lock.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For a fetcher with these canaries.
    pub(super) fn new(canaries: &[SocketAddr]) -> Network {
        let network_of = network;
        let network = Network::default();
        for canary in canaries {
            network.seen().known[network_of(canary.ip())].set.push(*canary);
        }
        network
    }

    pub(super) fn health(&self) -> Health {
        self.seen().health
    }

    /// Counts an attempt.
    pub(super) fn enter(&self) -> InFlight<'_> {
        self.seen().in_flight += 1;
        InFlight(self)
    }

    /// Notes that an address answered.
    pub(super) fn answered(&self, address: SocketAddr) {
        let mut seen = self.seen();
        seen.health.answered += 1;
        seen.logins.clear();
        let known = &mut seen.known[network(address.ip())];
        known.answered = Some(Instant::now());
        if !known.canaries.contains(&address) {
            let is_near = |other: &SocketAddr| block(other.ip()) == block(address.ip());
            let near = known.canaries.iter().filter(|other| is_near(other)).count();
            // A few of each block, so that one large site does not push out all others.
            let oldest = match near >= ASKED {
                true => known.canaries.iter().position(is_near),
                false => (known.canaries.len() >= KEPT).then_some(0),
            };
            if let Some(oldest) = oldest {
                known.canaries.remove(oldest);
            }
            known.canaries.push_back(address);
        }
        drop(seen);
        self.news.notify_waiters();
    }

    /// Tells whether a request for a login from one of these addresses is the site's, and whether
    /// that is confirmed.
    pub(super) async fn judge_login(&self, tried: &[IpAddr]) -> (Result<(), LocalFault>, bool) {
        let asked = Instant::now();
        let logins = {
            let mut seen = self.seen();
            for block in tried.iter().map(|address| block(*address)) {
                if seen.logins.len() < LOGINS && !seen.logins.contains(&block) {
                    seen.logins.push(block);
                }
            }
            seen.logins.len()
        };
        if self.seen().in_flight > 1 {
            let all: Vec<usize> = (0..NETWORKS).collect();
            let has_news = timeout(FIRST_PATIENCE, self.answers(&all, asked)).await.is_ok();
            if has_news {
                return (Ok(()), true);
            }
        }
        let has_answered = self.seen().health.answered > 0;
        if logins < LOGINS {
            return (Ok(()), has_answered);
        }
        tracing::warn!(target: TARGET, "many networks ask for a login");
        match has_answered {
            // Perhaps ours asks for one now. Perhaps somebody has sites in many networks, and wishes
            // that others be left unasked.
            true => (Ok(()), false),
            false => (Err(LocalFault::new(LocalKind::Network, ASKS_FOR_LOGIN)), true),
        }
    }

    /// Counts the end of an attempt.
    pub(super) fn ended<T>(&self, result: &Result<T, Failure>, is_confirmed: bool) {
        let ending = match result {
            Err(Failure::Local(_)) => Ending::Local,
            _ if !is_confirmed => Ending::Unconfirmed,
            _ => Ending::Judged,
        };
        let mut seen = self.seen();
        match ending {
            Ending::Judged => seen.health.judged += 1,
            Ending::Unconfirmed => seen.health.unconfirmed += 1,
            Ending::Local => seen.health.local += 1,
        }
        if seen.recent.len() == RECENT && seen.recent.pop_front() != Some(Ending::Judged) {
            seen.health.recent_suspect -= 1;
        }
        seen.recent.push_back(ending);
        seen.health.recent_suspect += usize::from(ending != Ending::Judged);
        seen.health.recent = seen.recent.len();
    }

    /// Tells whether a failure is the site's or ours. Returns it, or the fault of this side in its
    /// place, and whether that is confirmed.
    ///
    /// `began` is when the attempt began; `tried` are the addresses that it tried, or none if it
    /// never had one.
    pub(super) async fn judge(
        &self,
        failure: Failure,
        began: Instant,
        tried: &[IpAddr],
    ) -> (Failure, bool) {
        if !failure.is_ambiguous() {
            return (failure, true);
        }
        let failed = Instant::now();
        let networks = networks(tried);
        let is_first = self.canaries(&networks, tried).is_empty();
        let patience = match is_first {
            true if self.seen().in_flight > 1 => FIRST_PATIENCE,
            true => Duration::ZERO,
            false => PATIENCE,
        };
        let has_news = timeout(patience, self.answers(&networks, failed)).await.is_ok();
        let mut is_down = false;
        if !has_news && !is_first {
            for network in &networks {
                tokio::select! {
                    () = self.answers(&networks, failed) => break,
                    round = self.round(*network, failed, tried) => match round {
                        Some(Round::Works) => break,
                        Some(Round::Impossible(fault)) => return (Failure::Local(fault), true),
                        Some(Round::Fails) => is_down = true,
                        None => {}
                    },
                }
            }
        }
        let seen = self.seen();
        let known = || networks.iter().map(|network| &seen.known[*network]);
        // The network works now, and no canary failed during the attempt.
        if known().any(|known| known.works_since(failed) && !known.failed_since(began)) {
            return (failure, true);
        }
        // The head of the answer came, and nobody else can be asked.
        let is_cut = matches!(failure, Failure::Broken(_));
        if is_first && is_cut && known().any(|known| known.works_since(began)) {
            return (failure, true);
        }
        if is_down || known().any(|known| known.failed_since(began)) {
            tracing::debug!(target: TARGET, %failure, "the network does not work");
            let fault = LocalFault::new(LocalKind::Network, failure.to_string());
            return (Failure::Local(fault), true);
        }
        (failure, false)
    }

    /// While an attempt is in flight, asks the canaries whenever no address answers for a while.
    /// Never ends. `tried` gives the addresses that the attempt has tried so far.
    pub(super) async fn watch(&self, tried: impl Fn() -> Vec<IpAddr>) -> Infallible {
        loop {
            let since = Instant::now();
            sleep(HEARTBEAT).await;
            for network in 0..NETWORKS {
                if !self.seen().known[network].works_since(since) {
                    self.round(network, since, &tried()).await;
                }
            }
        }
    }

    /// Waits for an answer over one of these networks at this time or later.
    async fn answers(&self, networks: &[usize], since: Instant) {
        loop {
            let mut news = std::pin::pin!(self.news.notified());
            news.as_mut().enable();
            {
                let seen = self.seen();
                if networks.iter().any(|network| seen.known[*network].works_since(since)) {
                    return;
                }
            }
            news.await;
        }
    }

    fn canaries(&self, networks: &[usize], tried: &[IpAddr]) -> Vec<SocketAddr> {
        let seen = self.seen();
        networks.iter().flat_map(|network| seen.known[*network].canaries(tried)).collect()
    }

    /// The result of a round of canaries that began at a time or later. Returns none if there are
    /// no canaries.
    async fn round(&self, network: usize, since: Instant, tried: &[IpAddr]) -> Option<Round> {
        // Whoever waits here shares the round that began meanwhile.
        let mut last = self.rounds[network].lock().await;
        if let Some((began, round)) = &*last {
            let is_failed = *round == Round::Fails && began.elapsed() < SPACING;
            if *began >= since || is_failed {
                return Some(round.clone());
            }
            sleep_until(*began + SPACING).await;
        }
        let canaries = self.seen().known[network].canaries(tried);
        if canaries.is_empty() {
            return None;
        }
        let began = Instant::now();
        let round = ask(canaries).await;
        let mut seen = self.seen();
        let known = &mut seen.known[network];
        match &round {
            Round::Works => {
                known.answered = Some(Instant::now());
                drop(seen);
                self.news.notify_waiters();
            }
            Round::Fails if !known.works_since(began) => {
                known.failed = Some(Instant::now());
                tracing::warn!(target: TARGET, "the network is down: no canary answers");
            }
            Round::Fails | Round::Impossible(_) => {}
        }
        *last = Some((began, round.clone()));
        Some(round)
    }
}

/// The networks that an attempt tried. Without an address it may have been any.
fn networks(tried: &[IpAddr]) -> Vec<usize> {
    let mut networks: Vec<usize> = tried.iter().map(|address| network(*address)).collect();
    networks.sort_unstable();
    networks.dedup();
    match networks.is_empty() {
        true => (0..NETWORKS).collect(),
        false => networks,
    }
}

/// Connects to canaries, one after another, until one accepts.
async fn ask(canaries: Vec<SocketAddr>) -> Round {
    let mut asked = JoinSet::new();
    for (n, canary) in (0..).zip(canaries) {
        asked.spawn(async move {
            sleep(STAGGER * n).await;
            timeout(CANARY_TIMEOUT, TcpStream::connect(canary)).await
        });
    }
    let mut fault = None;
    // Dropping the set ends the other tasks.
    while let Some(ended) = asked.join_next().await {
        match ended {
            Ok(Ok(Ok(_))) => return Round::Works,
            Ok(Ok(Err(cause))) => fault = fault.or_else(|| LocalFault::from_io(&cause)),
            _ => {}
        }
    }
    fault.map_or(Round::Fails, Round::Impossible)
}
