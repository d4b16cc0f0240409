//! Keeps faults of this side from becoming outcomes of sites, and ends a run early.
//!
//! [`Guard`] stands between the sieve and the network. What it asks and learns goes through
//! [`Watch`], which the whole run shares:
//!
//! - As long as no site has answered, failures may be ours: they are held back until one does, and
//!   their sites are then asked again. After [`MOST_HELD`] failures no more sites are asked; if none
//!   of those that are being asked answers, the run is stopped. It is also stopped if it ends with
//!   [`FEW`] failures or more and without an answer. Fewer are told as what they are: faults that
//!   may be ours.
//! - Until then sites are asked in random order ([`queue`](super::queue)), so that dead ones that come
//!   first neither stop a run nor the next one.
//! - If most of the last `WINDOW` sites could not be asked because of a fault on this side, the
//!   run is stopped. Faults that only some sites cause, such as addresses to which there is no route,
//!   don't count once another site has answered. Nor do faults that were only inferred from
//!   silence: a network that answers somebody is not down. While many count, sites are asked in random
//!   order again, so that dead ones cannot hide those that would answer.
//! - A stop, by either of these, by a signal or by a store that cannot be written, ends what is in
//!   flight without an outcome: these sites count as not asked.

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use robotsieve::Origin;
use tokio::sync::{Semaphore, SemaphorePermit, watch};

use super::decide::Sieve;
use super::decision::Fetched;
use super::error::SieveError;
use super::fetch::Fetch;
use crate::Timestamp;
use crate::outcome::{Attempt, CachedCopy, Failure, LocalFault, LocalKind};
use crate::store::StoreError;

/// With fewer failures and no answer at the end of a run, the run is not said to be stopped.
pub const FEW: u64 = 20;

/// At this many failures before the first answer no more sites are asked.
pub const MOST_HELD: u64 = 200;

/// The number of attempts that run before the first answer: without a network, each may take its time.
const MOST_FIRST: usize = 1024;

/// How many sites a run looks back at.
const WINDOW: usize = 200;

/// At this many faults of this side among them a run is stopped: 90 %.
const MOST_FAULTS: usize = 180;

/// How long nothing may happen before failures that are held back are decided about, if the input
/// goes on: a program may wait for the answer before it writes the next line.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often that is looked at.
const TICK: Duration = Duration::from_millis(200);

/// How often a site is asked again if a fault on this side was in the way.
const LOCAL_RETRIES: u32 = 3;

/// The wait before the first of these attempts. Each further one waits twice as long.
const LOCAL_WAIT: Duration = Duration::from_millis(500);

/// The least number of sites under way, without those that are held back.
const LEAST_WINDOW: usize = 4096;

/// The number of sites that are under way at the same time, if this many requests run at the same
/// time. The others wait: for the answer to their name, which may never come, for other sites with
/// the same address, for a retry, or for the first answer of any site. There are so many that they
/// hold up nobody. A site that waits takes about 20 kB.
#[must_use]
pub fn window(parallel: usize) -> usize {
    LEAST_WINDOW.max(4 * parallel) + MOST_HELD as usize
}

/// The text of the fault of a site that was not asked, because the run was stopped.
const UNASKED: &str = "the run was stopped";

/// Why a run ends early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The signal with this number.
    Signal(i32),
    /// No site has answered.
    NothingAnswers {
        /// How many attempts failed.
        failures: u64,
        /// How the first one did.
        first: String,
    },
    /// Many of the last sites could not be asked.
    Faults {
        /// How many.
        faults: usize,
        /// Of how many.
        of: usize,
        /// Why the last one could not be asked.
        last: LocalFault,
    },
    /// The store cannot be written.
    Store(String),
    /// Nobody reads the output any more.
    NoReader,
}

impl Stop {
    /// The store cannot be written, for this reason.
    pub fn store(cause: &StoreError) -> Stop {
        let (path, fault) = (cause.path().display(), cause.fault());
        Stop::Store(format!("cannot write store '{path}': {fault}"))
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Signal(signal) => write!(f, "interrupted by {}", signal_name(*signal)),
            Stop::NothingAnswers { failures, first } => write!(
                f,
                "stopped: no site has answered, and all {failures} attempts failed, so the fault \
                 is probably here: check the network and the name servers. Nothing is concluded \
                 about these sites. The first was {first}"
            ),
            Stop::Faults { faults, of, last } => write!(
                f,
                "stopped: {faults} of the last {of} sites could not be asked because of a fault on \
                 this side. The last was: {last}"
            ),
            Stop::Store(cause) => write!(f, "stopped: {cause}"),
            Stop::NoReader => f.write_str("stopped: nobody reads standard output any more"),
        }
    }
}

/// The sites of a run that was stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The outcomes that are in the store, or were printed if there is none.
    pub outcomes: u64,
    /// True if there is a store.
    pub is_stored: bool,
    /// The sites that could not be asked because of a fault on this side.
    pub local_faults: u64,
    /// The sites that were not asked.
    pub unasked: u64,
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Kept { outcomes, local_faults, unasked, .. } = self;
        let (s, are) = if *outcomes == 1 { ("", "is") } else { ("s", "are") };
        let kept = match (self.is_stored, *outcomes) {
            (true, _) => format!("{are} kept"),
            (false, 1) => "was printed".to_owned(),
            (false, _) => "were printed".to_owned(),
        };
        write!(
            f,
            "{outcomes} outcome{s} {kept}. Of the sites that were read, {local_faults} could not be \
             asked and {unasked} were left unasked"
        )
    }
}

fn signal_name(signal: i32) -> String {
    match signal {
        2 => "SIGINT".into(),
        15 => "SIGTERM".into(),
        _ => format!("signal {signal}"),
    }
}

/// How far a run is: see [`Watch::progress`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Sites that were looked up.
    pub done: u64,
    /// Sites that were read from the input.
    pub read: u64,
    /// True if that are all.
    pub has_read_all: bool,
}

/// The state that all attempts of a run share.
#[derive(Debug)]
pub struct Watch {
    stop: OnceLock<Stop>,
    state: Mutex<WatchState>,
    phase: watch::Sender<Phase>,
    /// Places of attempts before the first answer.
    first: Semaphore,
}

/// What becomes of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// No site has answered. The failures up to this one are released all the same.
    Unproven(u64),
    /// Some site has answered, so failures are the sites'.
    Proven,
    Stopped,
}

#[derive(Debug)]
struct WatchState {
    /// Sites that the run wants to know about and does not yet.
    open: u64,
    /// Sites that the run has wanted to know about.
    begun: u64,
    /// How many of the open ones have failed, which is held back.
    held: u64,
    /// Attempts that are being made.
    running: u64,
    /// Attempts that failed before the first answer.
    failures: u64,
    first: Option<String>,
    /// True if the input has ended.
    ended: bool,
    last_change: Instant,
    /// The faults for which the last sites could not be asked.
    window: VecDeque<Option<LocalKind>>,
}

impl WatchState {
    /// How many of the last sites could not be asked.
    fn faults(&self) -> usize {
        self.window.iter().flatten().count()
    }
}

impl Watch {
    /// For a run that begins.
    #[must_use]
    pub fn new() -> Arc<Watch> {
        let state = WatchState {
            open: 0,
            begun: 0,
            held: 0,
            running: 0,
            failures: 0,
            first: None,
            ended: false,
            last_change: Instant::now(),
            window: VecDeque::with_capacity(WINDOW),
        };
        let phase = watch::Sender::new(Phase::Unproven(0));
        let (stop, first) = (OnceLock::new(), Semaphore::new(MOST_FIRST));
        Arc::new(Watch { stop, state: Mutex::new(state), phase, first })
    }

    /// Ends the run early. The first reason counts.
    pub fn stop(&self, why: Stop) {
        let _ = self.stop.set(why);
        self.phase.send_replace(Phase::Stopped);
    }

    /// Why the run was stopped, if it was.
    pub fn stopped(&self) -> Option<&Stop> {
        self.stop.get()
    }

    /// Waits until the run is stopped.
    pub async fn wait_for_stop(&self) {
        let mut phase = self.phase.subscribe();
        // The sender is in `self`.
        let _ = phase.wait_for(|phase| *phase == Phase::Stopped).await;
    }

    /// Waits for this long. Returns `false` if the run is stopped before.
    pub async fn sleep(&self, time: Duration) -> bool {
        let (stop, slept) = (pin!(self.wait_for_stop()), pin!(tokio::time::sleep(time)));
        matches!(select(stop, slept).await, Either::Right(_))
    }

    /// Notes that a site is to be looked up. [`Watch::done`] notes the end of it.
    pub fn begin(&self) {
        let mut state = self.lock();
        state.open += 1;
        state.begun += 1;
    }

    /// Notes that a site has been looked up, and the fault on this side if it could not be asked.
    pub fn done(&self, fault: Option<&LocalFault>) {
        let mut state = self.lock();
        state.open = state.open.saturating_sub(1);
        if self.stopped().is_some() {
            return;
        }
        if state.window.len() == WINDOW {
            state.window.pop_front();
        }
        let fault = fault.filter(|fault| !self.is_proven() || !is_of_some_sites(fault));
        state.window.push_back(fault.map(|fault| fault.kind));
        let faults = state.faults();
        let Some(fault) = fault.filter(|_| faults >= MOST_FAULTS) else {
            return self.decide(&state);
        };
        self.stop(Stop::Faults { faults, of: state.window.len(), last: fault.clone() });
    }

    /// True if some site has answered.
    pub fn is_proven(&self) -> bool {
        *self.phase.borrow() == Phase::Proven
    }

    /// True if it is not clear that the fault is not on this side: no site has answered, or many of the
    /// last could not be asked.
    pub(super) fn doubts(&self) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        !self.is_proven() || state.faults() >= WINDOW / 10
    }

    /// The number of sites that are waited for.
    pub fn open(&self) -> u64 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).open
    }

    /// How far the run is.
    pub fn progress(&self) -> Progress {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let done = state.begun - state.open;
        Progress { done, read: state.begun, has_read_all: state.ended }
    }

    /// Notes that no further site will be looked up.
    pub fn end(&self) {
        let mut state = self.lock();
        state.ended = true;
        self.decide(&state);
    }

    fn lock(&self) -> MutexGuard<'_, WatchState> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.last_change = Instant::now();
        state
    }

    /// Decides about the failures that are held back, once nothing else is under way.
    fn decide(&self, state: &WatchState) {
        if state.held == 0 || state.held < state.open || !state.ended {
            return;
        }
        self.settle(state);
    }

    /// The same, if nothing has happened for a while though the input goes on.
    fn decide_if_idle(&self) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_idle = state.held >= state.open && state.last_change.elapsed() >= PATIENCE;
        if state.held > 0 && is_idle {
            self.settle(&state);
        }
    }

    fn settle(&self, state: &WatchState) {
        if state.failures < FEW {
            self.phase.send_if_modified(|phase| {
                let holds =
                    matches!(phase, Phase::Unproven(released) if *released < state.failures);
                if holds {
                    *phase = Phase::Unproven(state.failures);
                }
                holds
            });
        } else {
            self.nothing_answers(state);
        }
    }

    fn nothing_answers(&self, state: &WatchState) {
        let (failures, first) = (state.failures, state.first.clone().unwrap_or_default());
        self.stop(Stop::NothingAnswers { failures, first });
    }

    /// Before the first answer, waits for a place.
    async fn place(&self) -> Option<SemaphorePermit<'_>> {
        let mut phase = self.phase.subscribe();
        let is_known = |phase: &Phase| !matches!(phase, Phase::Unproven(_));
        if is_known(&phase.borrow()) {
            return None;
        }
        match select(pin!(phase.wait_for(is_known)), pin!(self.first.acquire())).await {
            Either::Left(_) => None,
            Either::Right((place, _)) => place.ok(),
        }
    }

    /// Fetches a site. If a fault on this side is in the way, tries again a few times.
    ///
    /// # Errors
    /// Returns the error of the last attempt.
    pub async fn fetch(&self, sieve: &Sieve, origin: &Origin<'_>) -> Result<Fetched, SieveError> {
        let mut wait = LOCAL_WAIT;
        for _ in 0..LOCAL_RETRIES {
            match sieve.fetch(origin).await {
                Err(SieveError::Local(fault)) if may_pass(&fault, self) => {}
                result => return result,
            }
            if !self.sleep(wait).await {
                break;
            }
            wait *= 2;
        }
        sieve.fetch(origin).await
    }

    /// Notes that a site has answered.
    pub(super) fn prove(&self) {
        self.phase.send_if_modified(|phase| {
            let is_first = matches!(phase, Phase::Unproven(_));
            if is_first {
                *phase = Phase::Proven;
            }
            is_first
        });
    }

    /// Waits until an attempt may be made, and counts it. Returns `false` if the run is stopped
    /// before.
    async fn may_ask(&self) -> bool {
        let mut phase = self.phase.subscribe();
        loop {
            {
                let mut state = self.lock();
                let now = *phase.borrow_and_update();
                match now {
                    Phase::Unproven(_) if state.failures >= MOST_HELD => {
                        self.give_up(&state);
                    }
                    Phase::Stopped => return false,
                    _ => {
                        state.running += 1;
                        return true;
                    }
                }
            }
            // The sender is in `self`.
            let _ = phase.changed().await;
        }
    }

    /// Stops the run if too many attempts have failed and no other one is being made.
    fn give_up(&self, state: &WatchState) {
        if state.failures >= MOST_HELD && state.running == 0 {
            self.nothing_answers(state);
        }
    }

    /// Returns false if the run is stopped. Waits until it is known what becomes of a failure.
    async fn passes(&self, origin: &Origin<'_>, result: &Evidence) -> bool {
        let mut phase = self.phase.subscribe();
        match result {
            Evidence::None => {
                let mut state = self.lock();
                state.running -= 1;
                if matches!(*phase.borrow(), Phase::Unproven(_)) {
                    self.give_up(&state);
                }
                return *phase.borrow() != Phase::Stopped;
            }
            Evidence::Answer => {
                let mut state = self.lock();
                state.running -= 1;
                for fault in &mut state.window {
                    *fault = fault.filter(|kind| !kind.is_inferred());
                }
                drop(state);
                self.prove();
                return *phase.borrow() != Phase::Stopped;
            }
            Evidence::Doubt(_) => {}
        }
        let ticket = {
            let mut state = self.lock();
            state.running -= 1;
            match *phase.borrow() {
                Phase::Unproven(_) => {}
                Phase::Proven => return true,
                Phase::Stopped => return false,
            }
            state.failures += 1;
            state.held += 1;
            if let Evidence::Doubt(cause) = result {
                state.first.get_or_insert_with(|| format!("{origin}: {cause}"));
            }
            self.give_up(&state);
            self.decide(&state);
            state.failures
        };
        let is_known = |phase: &Phase| !matches!(phase, Phase::Unproven(to) if *to < ticket);
        let passes = loop {
            let known = pin!(async { phase.wait_for(is_known).await.map(|phase| *phase) });
            match select(known, pin!(tokio::time::sleep(TICK))).await {
                Either::Left((phase, _)) => break phase.is_ok_and(|phase| phase != Phase::Stopped),
                Either::Right(_) => self.decide_if_idle(),
            }
        };
        self.lock().held -= 1;
        passes
    }
}

/// What an attempt says about the network of this machine.
enum Evidence {
    /// It works: somebody answered.
    Answer,
    /// It may be broken, or the site may be: why.
    Doubt(String),
    /// Nothing.
    None,
}

impl Evidence {
    fn of(attempt: &Attempt) -> Evidence {
        match &attempt.result {
            Ok(_) if attempt.is_confirmed => Evidence::Answer,
            Ok(response) => Evidence::Doubt(format!("HTTP {}", response.status)),
            // It was confirmed by what others answered, or has nothing to do with the network.
            Err(Failure::Local(_)) => Evidence::None,
            Err(_) if attempt.is_confirmed && !attempt.redirects.is_empty() => Evidence::Answer,
            Err(_) if attempt.is_confirmed => Evidence::None,
            Err(failure) => Evidence::Doubt(failure.to_string()),
        }
    }
}

/// True for a fault that depends on the site: others may be well.
fn is_of_some_sites(fault: &LocalFault) -> bool {
    matches!(fault.kind, LocalKind::Route | LocalKind::Unconfirmed)
}

/// Fetches for a run that is watched.
pub struct Guard<F> {
    /// The fetcher that asks sites.
    pub fetcher: F,
    /// The knowledge of the run.
    pub watch: Arc<Watch>,
}

impl<F: Fetch> Fetch for Guard<F> {
    fn fetch<'f>(
        &'f self,
        origin: &'f Origin<'static>,
        copy: Option<&'f CachedCopy>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'f>> {
        Box::pin(async move {
            let place = self.watch.place().await;
            if !self.watch.may_ask().await {
                return unasked();
            }
            let fetching = self.fetcher.fetch(origin, copy);
            let attempt = match select(pin!(self.watch.wait_for_stop()), fetching).await {
                Either::Left(_) => return unasked(),
                Either::Right((attempt, _)) => attempt,
            };
            // A failure may be held back for long.
            drop(place);
            let passes = self.watch.passes(origin, &Evidence::of(&attempt)).await;
            if passes { attempt } else { unasked() }
        })
    }
}

fn unasked() -> Attempt {
    let fault = LocalFault::new(LocalKind::Other, UNASKED);
    Attempt::new(Timestamp::now(), Err(Failure::Local(fault))).with_time(Duration::ZERO)
}

/// Returns true if it is worth asking a site again that could not be asked because of this fault.
fn may_pass(fault: &LocalFault, watch: &Watch) -> bool {
    match fault.kind {
        LocalKind::Unconfirmed => watch.is_proven(),
        _ => !is_unasked(fault),
    }
}

/// Returns true if a site was not asked because the run was stopped.
pub fn is_unasked(fault: &LocalFault) -> bool {
    fault.kind == LocalKind::Other && fault.text == UNASKED
}
