//! The health of this machine's network.
//!
//! A site that does not answer and a network that is down look the same: no connection, no
//! answer, or a reset. Such a failure is *ambiguous* ([`Failure::is_ambiguous`]). Before it is blamed on
//! the site, something must show that the network worked after the failure:
//!
//! 1. an answer from any address. In a busy crawl the next one comes within milliseconds, so this
//!    costs no traffic;
//! 2. or else a canary ([`canary`](super::canary)): somebody who answered earlier. Attempts that fail
//!    together share one round of canaries, and rounds begin at least [`SPACING`] apart. The last
//!    [`ASKED`] who answered are asked one after another, then a sample of all who ever did, together:
//!    strangers who answer once and go deaf cannot fill it, and one who answers outweighs all who
//!    are deaf.
//!
//! If every canary fails, the failure is [`LocalKind::Network`], and so is every ambiguous failure
//! of an attempt during which canaries failed: the network was down for part of it. To notice such
//! times, attempts in flight ask the canaries when no address has answered for [`HEARTBEAT`].
//!
//! IPv4, IPv6 and loopback are judged apart: an answer over one says nothing about the others. An
//! attempt that tried several is blamed on the site if one of them works. All that goes through a
//! proxy is one network of its own, and what fails there is the proxy ([`LocalKind::Proxy`]).
//!
//! As long as nothing has answered there are no canaries but those of
//! [`FetcherBuilder::canary`](super::FetcherBuilder::canary), and the site that failed is none. Where
//! nobody can be asked, any answer shows that the network works: one of the failed attempt itself,
//! whose site began to answer or led elsewhere, or one of another attempt meanwhile or a moment ago
//! ([`LATELY`]). Through a proxy only those of the attempt itself do. A connection alone shows nothing:
//! a proxy in between may take any. Without any of these, the failure is
//! [unconfirmed](crate::outcome::Attempt::is_confirmed): nothing follows from it.
//!
//! The status 511 is the answer of a network that wants a login, or the whim of a site. It is no
//! sign that the network works. It counts as the site's if another address answers as it should
//! after it, or did so before. If [`LOGINS`] unrelated addresses in a row ask for a login, it is
//! ours as long as no other has ever answered; later it is unconfirmed, for sites in so many networks
//! may belong to one who wishes that others be left unasked. So too if [`LOGINS`] unrelated http sites
//! in a row lead to one host elsewhere, and not to a robots.txt there: that is how a network asks
//! for a login as well. Such a redirect is no sign either that the network works. And so too if the
//! same HTML page comes in the place of the robots.txt files of [`LOGINS`] unrelated http sites in a
//! row; once a second site answers with a page of its own, pages are signs that the network works.
//!
//! An invalid certificate is the site's once some https site has shown a valid one
//! ([`LocalKind::Certificates`] before): a clock that is wrong and a network that intercepts TLS
//! look like that everywhere.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::hash::{BuildHasher, RandomState};
use std::iter;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::{Mutex as Turn, Notify};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use url::Url;

use super::canary::{self, ASKED, Asker, Canary, Round, block};
use super::events::TARGET;
use super::login::{self, is_robots_txt, leads_away};
use super::progress::{Between, Progress};
use crate::outcome::{
    ASKS_FOR_LOGIN, Attempt, Failure, LocalFault, LocalKind, Response, asks_for_login,
};

/// The time that an ambiguous failure waits for somebody's answer before canaries are asked.
const PATIENCE: Duration = Duration::from_millis(100);
/// The time that it waits if there are no canaries yet but other attempts are in flight.
const FIRST_PATIENCE: Duration = Duration::from_secs(1);
/// Between the beginnings of two rounds. A failed round is valid for as long.
const SPACING: Duration = Duration::from_millis(500);
/// Without any answer for this long, attempts in flight ask the canaries.
const HEARTBEAT: Duration = Duration::from_secs(2);
/// The same through a proxy, where a canary may be a request.
const PROXY_HEARTBEAT: Duration = Duration::from_secs(10);
/// The number of the last canaries that are kept, for each kind of network, and of those in the
/// sample.
const KEPT: usize = 12;
/// When this many networks in a row ask for a login, and no other answers, it may be ours that asks.
const LOGINS: usize = 3;
/// The most hosts that others lead to, and pages, that are remembered until somebody answers.
const MAX_LOGINS: usize = 64;
/// The time for which an answer shows that the network works where nobody can be asked, and the number of
/// failures in a row after which it shows nothing any more.
const LATELY: Duration = Duration::from_secs(60);
const MAX_UNANSWERED: u32 = 5;
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
const NETWORKS: usize = 5;

/// What is behind a proxy.
const PROXIED: usize = 4;

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
    /// Those that answered, the latest last.
    latest: VecDeque<Canary>,
    /// A sample of all that ever answered, of different blocks.
    sample: Vec<Canary>,
    /// The number of answers that the sample is out of.
    sampled: u64,
    /// Addresses that answer, as the user says.
    set: Vec<Canary>,
    random: RandomState,
}

impl Known {
    /// True if the network worked at a time or later.
    fn works_since(&self, at: Instant) -> bool {
        self.answered.is_some_and(|answered| answered >= at)
    }

    fn failed_since(&self, at: Instant) -> bool {
        self.failed.is_some_and(|failed| failed >= at)
    }

    /// Notes one that answered.
    fn note(&mut self, canary: Canary) {
        if self.latest.contains(&canary) {
            return;
        }
        let block = canary.block();
        let near = self.latest.iter().filter(|other| other.block() == block).count();
        // A few of each block, so that one large site does not push out all others.
        let oldest = match near >= ASKED {
            true => self.latest.iter().position(|other| other.block() == block),
            false => (self.latest.len() >= KEPT).then_some(0),
        };
        if let Some(oldest) = oldest {
            self.latest.remove(oldest);
        }
        self.latest.push_back(canary.clone());
        if self.sample.iter().any(|other| other.block() == block) {
            return;
        }
        // Each of them is in the sample with the same probability.
        self.sampled += 1;
        if self.sample.len() < KEPT {
            self.sample.push(canary);
            return;
        }
        let at = (self.random.hash_one(self.sampled) % self.sampled) as usize;
        if let Some(place) = self.sample.get_mut(at) {
            *place = canary;
        }
    }

    /// Forgets those that are deaf while others answer.
    fn forget(&mut self, deaf: &[Canary]) {
        self.latest.retain(|canary| !deaf.contains(canary));
        self.sample.retain(|canary| !deaf.contains(canary));
    }

    /// Whom to ask, of different blocks first, without those that the attempt tried.
    fn canaries(&self, tried: &[IpAddr], host: &str) -> Vec<Canary> {
        let mut picked: Vec<Canary> = Vec::new();
        let all = || self.latest.iter().rev().chain(&self.set);
        let usable = || all().filter(|canary| !canary.is_one_of(tried, host));
        for canary in usable() {
            if !picked.iter().any(|other| other.block() == canary.block()) {
                picked.push(canary.clone());
            }
        }
        for canary in usable() {
            if !picked.contains(canary) {
                picked.push(canary.clone());
            }
        }
        picked.truncate(ASKED);
        for canary in self.sample.iter().chain(&self.set) {
            if !canary.is_one_of(tried, host) && !picked.contains(canary) {
                picked.push(canary.clone());
            }
        }
        picked
    }
}

/// Judges ambiguous failures. One for each fetcher.
#[derive(Default)]
pub(super) struct Network {
    is_proxied: bool,
    seen: Mutex<Seen>,
    /// Notified at each answer.
    news: Notify,
    /// The last round of each network, and whose turn it is to begin one.
    rounds: [Turn<Option<(Instant, Round)>>; NETWORKS],
}

/// The way in which a network may ask for a login.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Login {
    /// The status 511.
    Status,
    /// A redirect to this host.
    Away(String),
    /// This page in the place of a robots.txt.
    Page(u64),
}

#[derive(Default)]
struct Seen {
    known: [Known; NETWORKS],
    /// Who asked for a login since somebody else answered: the sites that did so in one way, or
    /// the blocks of the addresses that said so themselves.
    logins: HashMap<Login, Vec<String>>,
    /// True if an https site has shown a valid certificate.
    has_verified: bool,
    /// The number of failures since the last answer, where nobody can be asked.
    unanswered: u32,
    health: Health,
    recent: VecDeque<Ending>,
    in_flight: usize,
}

impl Seen {
    /// True if the last answers over some networks show that these worked during an
    /// attempt that failed: the best sign where nobody can be asked. Counts the failure.
    fn works_lately(&mut self, networks: &[usize], began: Instant) -> bool {
        self.unanswered = self.unanswered.saturating_add(1);
        let is_one_of_few = self.unanswered <= MAX_UNANSWERED;
        networks
            .iter()
            .filter_map(|network| self.known[*network].answered)
            .any(|answered| answered >= began || (is_one_of_few && answered.elapsed() < LATELY))
    }
}

/// The judge of a fetcher whose requests another program makes. It sees how attempts end and no
/// addresses, and has nobody to ask: there the last answers show whether the network works.
#[derive(Default)]
pub struct Onlooker(Network);

impl Onlooker {
    /// Counts an attempt as in flight, until what is returned is dropped.
    #[must_use]
    pub fn enter(&self) -> InFlight<'_> {
        self.0.enter()
    }

    /// The attempt to ask for a URL, with its result or the fault of this side in its place.
    /// `has_answered` says that the last request was answered, whatever the result.
    pub async fn judge(
        &self,
        url: &str,
        attempt: Attempt,
        began: Instant,
        has_answered: bool,
    ) -> Attempt {
        let hops = iter::once(url).chain(attempt.redirects.iter().map(|hop| hop.to.as_str()));
        let hops: Vec<Url> = hops.filter_map(|hop| Url::parse(hop).ok()).collect();
        let away = hops.iter().zip(hops.iter().skip(1)).find(|(from, to)| leads_away(from, to));
        let (Some(first), Some(last)) = (hops.first(), hops.last()) else { return attempt };
        let is_robots_txt = attempt
            .result
            .as_ref()
            .is_ok_and(|response| is_robots_txt(last, response.status, &response.headers));
        let page = match &attempt.result {
            Ok(response) if login::may_be_page(last, response.status, &response.headers) => {
                login::page(last, &response.headers, &response.body)
            }
            _ => None,
        };
        let is_heard = match away {
            Some((from, _)) => is_robots_txt || from != first,
            None if page.is_some() => hops.len() > 1,
            None => has_answered || hops.len() > 1,
        };
        if is_heard && !asks_for_login(&attempt.result) {
            self.0.heard(PROXIED, None, has_answered && last.scheme() == "https");
        }
        let host = |url: &Url| url.host_str().unwrap_or_default().to_owned();
        let between = match (&attempt.result, away) {
            (Err(Failure::Tls(text)), _) if is_of_certificate(text) => Some(Between::Certificate),
            (Ok(_), Some((from, _))) if !is_robots_txt => {
                Some(Between::Away { from: canary::site(&host(from)), to: host(last) })
            }
            (Ok(_), None) => page.map(|page| {
                let from = login::owner(&host(last));
                self.0.saw_page(page, &from, None);
                Between::Page { from, page }
            }),
            _ => None,
        };
        if has_answered && attempt.result.is_err() {
            return attempt.confirmed(true);
        }
        let progress = Progress::at(host(last), between);
        let (result, is_confirmed) = self.0.judge(None, attempt.result, began, &progress).await;
        Attempt { result, is_confirmed, ..attempt }
    }
}

/// True if a TLS library says that a certificate is not valid, as OpenSSL does.
fn is_of_certificate(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["certificate verify failed", "certificate_verify_failed"]
        .iter()
        .any(|said| text.contains(said))
}

/// Counts an attempt as in flight until it is dropped.
pub struct InFlight<'n>(&'n Network);

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

    /// For a fetcher with these canaries, which asks through a proxy or not.
    pub(super) fn new(canaries: &[SocketAddr], is_proxied: bool) -> Network {
        let network_of = network;
        let network = Network { is_proxied, ..Network::default() };
        for canary in canaries {
            let of = if is_proxied { PROXIED } else { network_of(canary.ip()) };
            network.seen().known[of].set.push(Canary::at(*canary));
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

    /// Notes that somebody answered, perhaps over TLS with a valid certificate.
    pub(super) fn answered(&self, canary: Canary, is_verified: bool) {
        let of = match (self.is_proxied, canary.address()) {
            (false, Some(address)) => network(address),
            _ => PROXIED,
        };
        self.heard(of, Some(canary), is_verified);
    }

    /// Notes an answer over a network, from one who can be asked again or not.
    fn heard(&self, of: usize, canary: Option<Canary>, is_verified: bool) {
        let mut seen = self.seen();
        seen.health.answered += 1;
        seen.has_verified |= is_verified;
        seen.logins.clear();
        seen.unanswered = 0;
        let known = &mut seen.known[of];
        known.answered = Some(Instant::now());
        if let Some(canary) = canary {
            known.note(canary);
        }
        drop(seen);
        self.news.notify_waiters();
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

    /// Tells whether the result of an attempt is the site's or ours. Returns it, or the fault of this
    /// side in its place, and whether that is confirmed.
    ///
    /// `began` is when the attempt began. Without an asker nobody can be asked.
    pub(super) async fn judge(
        &self,
        asker: Option<Asker<'_>>,
        result: Result<Response, Failure>,
        began: Instant,
        progress: &Progress,
    ) -> (Result<Response, Failure>, bool) {
        let is_login = asks_for_login(&result);
        match (result, progress.between()) {
            (Err(failure), between) => {
                let judged = self.judge_failure(asker, failure, began, progress).await;
                match (judged, between) {
                    ((failure @ Failure::Tls(_), true), Some(Between::Certificate)) => {
                        (Err(self.judge_certificate(failure, began).await), true)
                    }
                    ((failure, is_confirmed), _) => (Err(failure), is_confirmed),
                }
            }
            (Ok(response), Some(Between::Gateway)) => {
                let failure = Failure::Connect(format!("the proxy answered {}", response.status));
                match self.judge_failure(asker, failure, began, progress).await {
                    (failure @ Failure::Local(_), is_confirmed) => (Err(failure), is_confirmed),
                    (_, is_confirmed) => (Ok(response), is_confirmed),
                }
            }
            (Ok(response), between) => {
                let (login, from) = match between {
                    _ if is_login => (Login::Status, None),
                    Some(Between::Away { from, to }) => (Login::Away(to), Some(from)),
                    Some(Between::Page { from, page }) => (Login::Page(page), Some(from)),
                    _ => return (Ok(response), true),
                };
                match self.judge_login(progress, login, from).await {
                    (Ok(()), is_confirmed) => (Ok(response), is_confirmed),
                    (Err(fault), is_confirmed) => (Err(fault.into()), is_confirmed),
                }
            }
        }
    }

    /// Tells whether an invalid certificate is the site's: once another https site has shown a valid
    /// one. Until then the clock may be wrong here, or somebody intercepts all.
    async fn judge_certificate(&self, failure: Failure, began: Instant) -> Failure {
        if self.seen().in_flight > 1 && !self.seen().has_verified {
            let all: Vec<usize> = (0..NETWORKS).collect();
            let verified = async {
                let mut since = began;
                while !self.seen().has_verified {
                    self.answers(&all, since).await;
                    since = Instant::now();
                }
            };
            let _ = timeout(FIRST_PATIENCE, verified).await;
        }
        match self.seen().has_verified {
            true => failure,
            false => LocalFault::new(LocalKind::Certificates, failure.to_string()).into(),
        }
    }

    /// Counts a page as an answer if another site has answered with another page: one network's would
    /// be the same.
    pub(super) fn saw_page(&self, page: u64, site: &str, canary: Option<Canary>) {
        let is_another = |(login, from): (&Login, &Vec<String>)| {
            matches!(login, Login::Page(other) if *other != page)
                && from.iter().any(|from| from != site)
        };
        let has_another = self.seen().logins.iter().any(is_another);
        match canary {
            Some(canary) if has_another => self.answered(canary, false),
            None if has_another => self.heard(PROXIED, None, false),
            _ => {}
        }
    }

    /// Tells whether a request for a login is the site's, and whether that is confirmed: a 511, or the
    /// way in which a network asks in the place of one site.
    async fn judge_login(
        &self,
        progress: &Progress,
        login: Login,
        site: Option<String>,
    ) -> (Result<(), LocalFault>, bool) {
        let asked = Instant::now();
        let is_status = login == Login::Status;
        {
            let mut seen = self.seen();
            if seen.logins.len() < MAX_LOGINS || seen.logins.contains_key(&login) {
                let from = seen.logins.entry(login.clone()).or_default();
                let tried = progress.tried();
                let new = match site {
                    Some(site) => vec![site],
                    None if tried.is_empty() => vec![canary::site(&progress.host())],
                    None => tried.iter().map(|address| block(*address).to_string()).collect(),
                };
                for one in new {
                    if from.len() < LOGINS && !from.contains(&one) {
                        from.push(one);
                    }
                }
            }
        }
        let had_answered = self.seen().health.answered > 0;
        if self.seen().in_flight > 1 {
            let all: Vec<usize> = (0..NETWORKS).collect();
            let patience = FIRST_PATIENCE * if had_answered { 1 } else { 3 };
            let has_news = timeout(patience, self.answers(&all, asked)).await.is_ok();
            if has_news {
                return (Ok(()), true);
            }
        }
        let seen = self.seen();
        let has_answered = seen.health.answered > 0;
        if seen.logins.get(&login).is_none_or(|from| from.len() < LOGINS) {
            // A site may well move, or have a page there, but a 511 is rare.
            return (Ok(()), has_answered || !is_status);
        }
        tracing::warn!(target: TARGET, ?login, "many networks ask for a login");
        if has_answered {
            // Perhaps ours asks for one now. Perhaps somebody has sites in many networks, and wishes
            // that others be left unasked.
            return (Ok(()), false);
        }
        let text = match login {
            Login::Status => ASKS_FOR_LOGIN.to_owned(),
            Login::Away(to) => format!("all sites lead to {to}: it may ask for a login"),
            Login::Page(_) => {
                "all http sites answer with the same page: it may ask for a login".to_owned()
            }
        };
        (Err(LocalFault::new(LocalKind::Network, text)), true)
    }

    /// Tells whether a failure is the site's or ours. Returns it, or the fault of this side in its
    /// place, and whether that is confirmed.
    async fn judge_failure(
        &self,
        asker: Option<Asker<'_>>,
        failure: Failure,
        began: Instant,
        progress: &Progress,
    ) -> (Failure, bool) {
        if !failure.is_ambiguous() {
            return (failure, true);
        }
        let Some(asker) = asker else {
            let all: Vec<usize> = (0..NETWORKS).collect();
            let is_confirmed = self.seen().works_lately(&all, began);
            return (failure, is_confirmed);
        };
        let failed = Instant::now();
        let networks = self.networks(&progress.tried());
        let is_first = self.has_no_canaries(&networks, progress);
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
                    round = self.round(asker, *network, failed, progress) => match round {
                        Some(Round::Works) => break,
                        Some(Round::Impossible(fault)) => return (Failure::Local(fault), true),
                        Some(Round::Fails) => is_down = true,
                        None => {}
                    },
                }
            }
        }
        let mut seen = self.seen();
        let known = || networks.iter().map(|network| &seen.known[*network]);
        // The network works now, and no canary failed during the attempt.
        if known().any(|known| known.works_since(failed) && !known.failed_since(began)) {
            return (failure, true);
        }
        is_down |= known().any(|known| known.failed_since(began));
        if is_first && !is_down {
            // Nobody can be asked.
            let is_shown = progress.has_answered()
                || (!self.is_proxied && seen.works_lately(&networks, began));
            return (failure, is_shown);
        }
        if is_down {
            tracing::debug!(target: TARGET, %failure, "the network does not work");
            let kind = if self.is_proxied { LocalKind::Proxy } else { LocalKind::Network };
            return (Failure::Local(LocalFault::new(kind, failure.to_string())), true);
        }
        (failure, false)
    }

    /// While an attempt is in flight, asks the canaries whenever no address answers for a while.
    /// Never ends.
    pub(super) async fn watch(&self, asker: Asker<'_>, progress: &Progress) -> Infallible {
        loop {
            let since = Instant::now();
            sleep(if self.is_proxied { PROXY_HEARTBEAT } else { HEARTBEAT }).await;
            for network in 0..NETWORKS {
                if !self.seen().known[network].works_since(since) {
                    self.round(asker, network, since, progress).await;
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

    fn has_no_canaries(&self, networks: &[usize], progress: &Progress) -> bool {
        let (seen, tried, host) = (self.seen(), progress.tried(), progress.host());
        networks.iter().all(|network| seen.known[*network].canaries(&tried, &host).is_empty())
    }

    /// The networks that an attempt tried. Without an address it may have been any.
    fn networks(&self, tried: &[IpAddr]) -> Vec<usize> {
        if self.is_proxied {
            return vec![PROXIED];
        }
        let mut networks: Vec<usize> = tried.iter().map(|address| network(*address)).collect();
        networks.sort_unstable();
        networks.dedup();
        match networks.is_empty() {
            true => (0..NETWORKS).collect(),
            false => networks,
        }
    }

    /// The result of a round of canaries that began at a time or later. Returns none if there are
    /// no canaries.
    async fn round(
        &self,
        asker: Asker<'_>,
        network: usize,
        since: Instant,
        progress: &Progress,
    ) -> Option<Round> {
        // Whoever waits here shares the round that began meanwhile.
        let mut last = self.rounds[network].lock().await;
        if let Some((began, round)) = &*last {
            let is_failed = *round == Round::Fails && began.elapsed() < SPACING;
            if *began >= since || is_failed {
                return Some(round.clone());
            }
            sleep_until(*began + SPACING).await;
        }
        let canaries = self.seen().known[network].canaries(&progress.tried(), &progress.host());
        if canaries.is_empty() {
            return None;
        }
        let began = Instant::now();
        let (round, deaf) = canary::ask(asker, &canaries).await;
        let mut seen = self.seen();
        let known = &mut seen.known[network];
        if round == Round::Works || known.works_since(began) {
            known.forget(&deaf);
        }
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
