//! Whether the network of this machine works.
//!
//! A site that does not answer and a network that is down look the same: no connection, no
//! answer, or a reset. Such a failure is *ambiguous* ([`is_ambiguous`]). Before it is blamed on
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
//! As long as nothing has answered there are no canaries. Then the failure is blamed on the site,
//! but is [unconfirmed](crate::outcome::Attempt::is_confirmed).

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::{Mutex as Turn, Notify};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::TARGET;
use super::failure::{is_ambiguous, shortage};
use crate::outcome::{Failure, LocalFault, LocalKind};

/// How long an ambiguous failure waits for somebody's answer before canaries are asked.
const PATIENCE: Duration = Duration::from_millis(100);
/// How long it waits if there are no canaries yet but other attempts are in flight.
const FIRST_PATIENCE: Duration = Duration::from_secs(1);
/// How long a canary may take.
const CANARY_TIMEOUT: Duration = Duration::from_secs(2);
/// The next canary of a round is asked after this time.
const STAGGER: Duration = Duration::from_millis(250);
/// Between the beginnings of two rounds. A failed round is valid for as long.
const SPACING: Duration = Duration::from_millis(500);
/// Without any answer for this long, attempts in flight ask the canaries.
const HEARTBEAT: Duration = Duration::from_secs(2);
/// How many canaries are asked in a round.
const ASKED: usize = 3;
/// How many addresses are kept as canaries, for each kind of network.
const KEPT: usize = 12;
/// How many of the last attempts [`Health::recent`] counts.
const RECENT: usize = 200;

/// What a fetcher knows of its network: how its attempts ended.
///
/// A program that fetches for many sites stops, or pauses, when [`Health::is_suspect`] says that
/// the fault is here, and keeps no [unconfirmed](crate::outcome::Attempt::is_confirmed) failure
/// as long as `answered` is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Health {
    /// How many answers came: heads of HTTP answers, and greetings of FTP servers. Redirects and
    /// errors such as 500 count. 0 means that the network has never been seen to work.
    pub answered: u64,
    /// How many attempts ended in an answer or in a confirmed failure of the site.
    pub judged: u64,
    /// How many attempts failed without confirmation that the network worked, because nothing had
    /// ever answered.
    pub unconfirmed: u64,
    /// How many attempts ended in a [`LocalFault`].
    pub local: u64,
    /// How many attempts `recent_suspect` is out of: at most 200, the last ones.
    pub recent: usize,
    /// How many of the recent attempts were unconfirmed or local.
    pub recent_suspect: usize,
}

impl Health {
    /// Whether the fault is on this side: at least 90 % of the last 200 attempts ended in local
    /// faults or unconfirmed failures.
    ///
    /// Dead sites do not count here, however many there are, as long as any other site answers.
    #[must_use]
    pub fn is_suspect(&self) -> bool {
        self.recent >= RECENT && self.recent_suspect * 10 >= self.recent * 9
    }
}

/// How an attempt ended.
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

/// What is known of one network.
#[derive(Default)]
struct Known {
    answered: Option<Instant>,
    /// When canaries last failed.
    failed: Option<Instant>,
    /// Addresses that answered, the latest last.
    canaries: VecDeque<SocketAddr>,
}

impl Known {
    /// Whether the network worked at a time or later.
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
        let usable = || self.canaries.iter().rev().filter(|address| !tried.contains(&address.ip()));
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

/// What a round of canaries found.
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
    state: Mutex<State>,
    /// Notified at each answer.
    news: Notify,
    /// The last round of each network, and whose turn it is to begin one.
    rounds: [Turn<Option<(Instant, Round)>>; NETWORKS],
}

#[derive(Default)]
struct State {
    known: [Known; NETWORKS],
    health: Health,
    recent: VecDeque<Ending>,
    in_flight: usize,
}

/// Counts an attempt as in flight until it is dropped.
pub(super) struct InFlight<'n>(&'n Network);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.state().in_flight -= 1;
    }
}

impl Network {
    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn health(&self) -> Health {
        self.state().health
    }

    /// Counts an attempt.
    pub(super) fn enter(&self) -> InFlight<'_> {
        self.state().in_flight += 1;
        InFlight(self)
    }

    /// Notes that an address answered.
    pub(super) fn answered(&self, address: SocketAddr) {
        let mut state = self.state();
        state.health.answered += 1;
        let known = &mut state.known[network(address.ip())];
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
        drop(state);
        self.news.notify_waiters();
    }

    /// Counts the end of an attempt.
    pub(super) fn ended<T>(&self, result: &Result<T, Failure>, is_confirmed: bool) {
        let ending = match result {
            Err(Failure::Local(_)) => Ending::Local,
            Err(_) if !is_confirmed => Ending::Unconfirmed,
            _ => Ending::Judged,
        };
        let mut state = self.state();
        match ending {
            Ending::Judged => state.health.judged += 1,
            Ending::Unconfirmed => state.health.unconfirmed += 1,
            Ending::Local => state.health.local += 1,
        }
        if state.recent.len() == RECENT && state.recent.pop_front() != Some(Ending::Judged) {
            state.health.recent_suspect -= 1;
        }
        state.recent.push_back(ending);
        state.health.recent_suspect += usize::from(ending != Ending::Judged);
        state.health.recent = state.recent.len();
    }

    /// Whether a failure is the site's or ours. Returns it, or the fault of this side in its
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
        if !is_ambiguous(&failure) {
            return (failure, true);
        }
        let failed = Instant::now();
        let networks = networks(tried);
        let is_first = self.canaries(&networks, tried).is_empty();
        let patience = match is_first {
            true if self.state().in_flight > 1 => FIRST_PATIENCE,
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
        let state = self.state();
        let known = || networks.iter().map(|network| &state.known[*network]);
        // The network works now, and no canary failed during the attempt.
        if known().any(|known| known.works_since(failed) && !known.failed_since(began)) {
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
                if !self.state().known[network].works_since(since) {
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
                let state = self.state();
                if networks.iter().any(|network| state.known[*network].works_since(since)) {
                    return;
                }
            }
            news.await;
        }
    }

    fn canaries(&self, networks: &[usize], tried: &[IpAddr]) -> Vec<SocketAddr> {
        let state = self.state();
        networks.iter().flat_map(|network| state.known[*network].canaries(tried)).collect()
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
        let canaries = self.state().known[network].canaries(tried);
        if canaries.is_empty() {
            return None;
        }
        let began = Instant::now();
        let round = ask(canaries).await;
        let mut state = self.state();
        let known = &mut state.known[network];
        match &round {
            Round::Works => {
                known.answered = Some(Instant::now());
                drop(state);
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
            Ok(Ok(Err(cause))) => fault = fault.or_else(|| shortage(&cause)),
            _ => {}
        }
    }
    fault.map_or(Round::Fails, Round::Impossible)
}
