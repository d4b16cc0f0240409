//! The sites of a store, looked up by origin, and fetched with `--fetch`.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use robotsieve::{Crawler, Origin, Profile, SiteKind, SitePolicy, TargetForm, UrlRun};
use robotsieve_client::host_count::{HostHash, HostHasher};
use robotsieve_client::hosts::{Whose, whose};
use robotsieve_client::outcome::{AsOf, Why};
use robotsieve_client::sieve::{Fetched, Sieve, SieveError};
use robotsieve_client::store::Store;
use tokio::runtime::Runtime;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinHandle;

use super::args::FilterArgs;
use super::batch::Batch;
use super::sites::{HostRules, Site, Sites};
use crate::error::Failure;
use crate::fetch::metrics::{MetricsFile, Verdicts};
use crate::fetch::{self, Faults};
use crate::read::policy::OperatorsNote;
use crate::read::stores;
use crate::write::bytes;
use crate::write::report::{MOST_ALIKE, Report};
use crate::write::stderr;
use robotsieve_client::sieve::queue::Queue;
use robotsieve_client::sieve::watch::{self, Kept, Stop, Watch, is_unasked};

/// What is in force for the sites of a store, as of when each is first looked up.
pub struct Stored {
    report: Arc<Report>,
    sieve: Sieve,
    store: Store,
    operators: OperatorsNote,
    /// Taken when everything is done.
    runtime: Mutex<Option<Runtime>>,
    handle: tokio::runtime::Handle,
    watch: Arc<Watch>,
    /// The number of sites that are looked up at the same time; `None` without `--fetch`.
    window: Option<usize>,
    crawlers: usize,
    profile: Profile,
    google: bool,
    /// The time of `--as-of`.
    as_of: Option<AsOf>,
    sites: RwLock<Known>,
    /// For what askers remember.
    hasher: HostHasher,
    faults: Faults,
    counts: Mutex<Counts>,
    /// The task that asks, until everything is done.
    asking: Mutex<Option<JoinHandle<()>>>,
    /// Taken when everything is done.
    metrics: Mutex<Option<MetricsFile>>,
}

/// The sites that were looked up.
#[derive(Default)]
struct Known {
    /// By origin; `None` while it is being asked. Entries are never removed.
    sites: HashMap<Box<str>, Option<HostRules<'static>>, foldhash::fast::RandomState>,
    /// How many of them nothing is known of.
    strangers: usize,
}

/// The number of sites that are remembered of which nothing is known. They take some 100 bytes each.
const MOST_STRANGERS: usize = 1 << 20;

impl Known {
    fn get(&self, key: &str) -> Option<HostRules<'static>> {
        self.sites.get(key).copied().flatten()
    }

    /// Remembers what was found, unless another thread was first. Forgets what is unknown when there
    /// is too much of that: it is looked up again.
    fn remember(&mut self, key: &str, looked: Looked) -> Option<HostRules<'static>> {
        let found = match looked {
            Looked::Found(found) => Some(found),
            Looked::Stranger => Some(HostRules::Missing),
            Looked::Stopped => None,
        };
        match self.sites.get_mut(key) {
            Some(known) => {
                *known = known.or(found);
                *known
            }
            None => {
                let is_stranger = matches!(looked, Looked::Stranger);
                if !is_stranger || self.strangers < MOST_STRANGERS {
                    self.strangers += usize::from(is_stranger);
                    self.sites.insert(key.into(), found);
                }
                found
            }
        }
    }
}

/// The outcome of looking a site up.
#[derive(Clone, Copy)]
enum Looked {
    Found(HostRules<'static>),
    /// Nothing is known of it, and it cannot be asked.
    Stranger,
    /// The run was stopped first.
    Stopped,
}

/// What was asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Sites whose robots.txt was asked for, and the outcome is in the store.
    pub fetched: u64,
    /// Sites that could not be asked because of a fault on this side.
    pub local_faults: u64,
    /// Sites that were not asked because the run was stopped.
    pub unasked: u64,
    /// Sites that could not be looked up for another reason.
    pub failed: u64,
    /// Sites of which the store only knows what was later than `--as-of`.
    pub later: u64,
}

impl Stored {
    /// Opens the store, and makes a fetcher with `--fetch`.
    ///
    /// # Errors
    /// Returns an error if the store cannot be opened or the User-Agent header is missing or invalid.
    pub fn open(
        args: &FilterArgs,
        crawlers: Vec<Crawler>,
        profile: Profile,
        report: Arc<Report>,
        watch: Arc<Watch>,
        verdicts: &Arc<Verdicts>,
    ) -> Result<Stored, Failure> {
        let path = args.store.as_deref().unwrap_or(Path::new(""));
        let count = crawlers.len();
        let operators = OperatorsNote::of(&crawlers, &profile);
        let google = profile.target_form == TargetForm::Google;
        let runtime = fetch::runtime()?;
        let entered = runtime.enter();
        let mut crawlers = crawlers.into_iter();
        let first = crawlers.next().unwrap_or_else(|| Crawler::name(""));
        let mut protocol = args.meaning.answers.protocol(&profile);
        if args.fetch {
            protocol.max_redirects = args.fetching.max_redirects;
        }
        let overrides = args.meaning.overrides(args.fetching.metrics.as_deref())?;
        let builder =
            Sieve::builder(first).profile(profile).protocol(protocol).overrides(overrides);
        let mut builder = crawlers.fold(builder, |builder, crawler| builder.crawler(crawler));
        if let Some(as_of) = args.as_of {
            builder = builder.as_of(as_of);
        }
        let mut window = None;
        let store = if args.fetch {
            let header = args.header_to_send()?;
            let (fetcher, parallel) = fetch::fetcher(&header, &args.fetching, &watch)?;
            window = Some(watch::window(parallel));
            builder = builder.fetcher(fetcher);
            stores::open(path)?
        } else {
            stores::read_only(path)?
        };
        let sieve = builder.store(store.clone()).build();
        drop(entered);
        let metrics = match &args.fetching.metrics {
            Some(path) => Some(MetricsFile::keep(path, &sieve, &watch, &report, Some(verdicts))?),
            None => None,
        };
        Ok(Stored {
            report,
            sieve,
            store,
            operators,
            handle: runtime.handle().clone(),
            runtime: Mutex::new(Some(runtime)),
            watch,
            window,
            crawlers: count,
            profile,
            google,
            as_of: args.as_of,
            sites: RwLock::default(),
            hasher: HostHasher::default(),
            faults: Faults::default(),
            counts: Mutex::default(),
            asking: Mutex::default(),
            metrics: Mutex::new(metrics),
        })
    }

    /// What ends the run early, and whose fault failures are.
    pub fn watch(&self) -> &Arc<Watch> {
        &self.watch
    }

    /// What is told of a run that was stopped.
    pub fn kept(&self) -> Kept {
        let Counts { fetched: outcomes, local_faults, unasked, .. } =
            self.counts().unwrap_or_default();
        Kept { outcomes, is_stored: true, local_faults, unasked }
    }

    /// What was asked, if something could be.
    pub fn counts(&self) -> Option<Counts> {
        self.window.map(|_| *self.counts.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn count(&self, count: impl FnOnce(&mut Counts)) {
        count(&mut self.counts.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// The site, if it was looked up.
    fn known(&self, key: &str) -> Option<HostRules<'static>> {
        self.sites.read().unwrap_or_else(PoisonError::into_inner).get(key)
    }

    /// Starts asking about sites, for one reader.
    pub fn asker(self: &Arc<Self>) -> Asker {
        let queue = Queue::<Asked>::new(Arc::clone(&self.watch));
        let (stored, asked) = (Arc::clone(self), Arc::clone(&queue));
        let asking = self.handle.spawn(async move {
            let window = stored.window.unwrap_or(1);
            let turns = Arc::new(Semaphore::new(window));
            while let Some(Asked { origin, known }) = asked.take().await {
                // The semaphore is never closed.
                let turn = Arc::clone(&turns).acquire_owned().await;
                let stored = Arc::clone(&stored);
                tokio::spawn(async move {
                    stored.look(&origin).await;
                    drop((turn, known));
                });
            }
            stored.count(|counts| counts.unasked += asked.clear());
            // Those under way have ended.
            let _ = turns.acquire_many(window as u32).await;
        });
        *self.asking.lock().unwrap_or_else(PoisonError::into_inner) = Some(asking);
        Asker {
            stored: Arc::clone(self),
            queue,
            recent: vec![HostHash::default(); RECENT].into(),
            is_told: false,
        }
    }

    /// Waits until these sites are known, or the run is stopped.
    pub fn wait(&self, looks: Vec<Look>) {
        for Look { known, .. } in looks {
            // One that panicked leaves its site unknown; `find` asks again.
            let _ = self.handle.block_on(known);
        }
    }

    /// The length of the lines before the first whose site is not known.
    pub fn known_lines(&self, lines: &[u8]) -> usize {
        let mut start = 0;
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            let url = line.strip_suffix(b"\n").unwrap_or(line);
            if let (_, Whose::Origin(origin)) =
                whose(url.strip_suffix(b"\r").unwrap_or(url), self.google)
                && self.known(origin.key()).is_none()
            {
                return start;
            }
            start += line.len();
        }
        start
    }

    /// Looks a site up and remembers it. Does nothing if the run is stopped before it is known.
    async fn look(&self, origin: &Origin<'_>) -> Option<HostRules<'static>> {
        let looked = self.looked(origin).await;
        let mut known = self.sites.write().unwrap_or_else(PoisonError::into_inner);
        known.remember(origin.key(), looked)
    }

    async fn looked(&self, origin: &Origin<'_>) -> Looked {
        if self.window.is_some() && !self.fetch(origin).await {
            return Looked::Stopped;
        }
        match self.sieve.site(origin).await {
            Ok(site)
                if site.ruling().why != Why::Override
                    && self.as_of.is_some_and(|as_of| as_of.is_before(site.state())) =>
            {
                self.count(|counts| counts.later += 1);
                Looked::Found(HostRules::Missing)
            }
            // Nobody has asked the site: the settings forbid its address.
            Ok(site) if site.ruling().holds == SiteKind::Unknown => {
                Looked::Found(HostRules::Unreadable)
            }
            Ok(site) => {
                let policies = (0..self.crawlers).map(|crawler| site.policy(crawler).clone());
                let mut found = Site::of(policies.map(SitePolicy::from));
                if site.ruling().holds != SiteKind::Rules {
                    found = found.without_lines();
                } else if let Some(copy) =
                    site.state().copy.as_ref().filter(|_| site.ruling().why != Why::Override)
                {
                    self.report.cut_file(origin, copy.len as usize, &self.profile);
                    if self.operators.is_open()
                        && let Ok(Some(file)) = self.store.body(&copy.content)
                    {
                        self.operators.look(&file, &format_args!("the file of {origin}"));
                    }
                }
                if site.ruling().why != Why::Copy {
                    found = found.because(site.ruling().why);
                }
                Looked::Found(HostRules::Site(Box::leak(Box::new(found))))
            }
            // The store knows that there is an answer, and not what it says; or it cannot be read.
            Err(SieveError::Unknown) if !matches!(self.sieve.state(origin), Ok(None)) => {
                Looked::Found(HostRules::Unreadable)
            }
            Err(SieveError::Unknown) => Looked::Stranger,
            Err(SieveError::Local(fault)) if is_unasked(&fault) => Looked::Stopped,
            Err(SieveError::Local(fault)) => {
                self.count(|counts| counts.local_faults += 1);
                self.faults.add(origin, &fault, &self.watch, &self.report);
                Looked::Found(HostRules::Unreadable)
            }
            Err(cause) => {
                self.failed(origin, &cause);
                Looked::Found(HostRules::Unreadable)
            }
        }
    }

    /// Fetches a site if it is due. Returns `false` if the run is stopped before that is done.
    async fn fetch(&self, origin: &Origin<'_>) -> bool {
        match self.sieve.is_due(origin) {
            Ok(true) => {}
            Ok(false) => {
                self.watch.done(None);
                return true;
            }
            Err(cause) => {
                self.watch.done(None);
                self.failed(origin, &SieveError::Store(Arc::new(cause)));
                return true;
            }
        }
        let fetched = self.watch.fetch(&self.sieve, origin).await;
        self.watch.done(match &fetched {
            Err(SieveError::Local(fault)) => Some(fault),
            _ => None,
        });
        match fetched {
            Ok(Fetched { stored: Err(cause), .. }) => {
                self.watch.stop(Stop::store(&cause));
                false
            }
            Ok(_) => {
                self.count(|counts| counts.fetched += 1);
                true
            }
            Err(SieveError::Local(fault)) if is_unasked(&fault) => {
                self.count(|counts| counts.unasked += 1);
                false
            }
            // What is known may still be used.
            Err(_) => self.watch.stopped().is_none(),
        }
    }

    /// Counts a site that cannot be looked up. Prints the first few.
    fn failed(&self, origin: &Origin<'_>, cause: &SieveError) {
        let mut failed = 0;
        self.count(|counts| {
            counts.failed += 1;
            failed = counts.failed;
        });
        if failed <= MOST_ALIKE {
            self.report.error(&format_args!("{origin}: {cause}; its URLs are unknown"));
        }
    }

    /// Waits until nothing is being asked, and closes the store.
    pub fn close(&self) {
        let runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(runtime) = runtime else { return };
        let asking = self.asking.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(asking) = asking.filter(|_| self.watch.stopped().is_some()) {
            let _ = runtime.block_on(asking);
        }
        runtime.block_on(self.sieve.settled());
        drop(self.metrics.lock().unwrap_or_else(PoisonError::into_inner).take());
        let Counts { failed, later, .. } =
            *self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if later > 0 {
            let sites = if later == 1 { "site was" } else { "sites were" };
            stderr::note(&format_args!(
                "{later} {sites} asked later than --as-of, and a store keeps the latest \
                 outcome only: what held then is unknown"
            ));
        }
        if let Some(more) = failed.checked_sub(MOST_ALIKE).filter(|more| *more > 0) {
            self.report.error(&format_args!("{more} more sites could not be looked up"));
        }
        // Look-ups of names cannot be ended; nobody waits for them any more.
        runtime.shutdown_background();
    }
}

/// How many origins an asker remembers, so that it does not look them up again: 32 KiB.
const RECENT: usize = 1 << 12;

/// Asks about the sites of one chunk of lines after another.
pub struct Asker {
    stored: Arc<Stored>,
    queue: Arc<Queue<Asked>>,
    recent: Box<[HostHash]>,
    /// True once a password in a URL was told of.
    is_told: bool,
}

/// A site that is to be looked up, and what is dropped when that is done.
struct Asked {
    origin: Origin<'static>,
    known: oneshot::Sender<()>,
}

/// A site that is being looked up.
pub struct Look {
    known: oneshot::Receiver<()>,
    key_bytes: usize,
}

impl Look {
    /// About how much memory it takes while it waits.
    pub fn bytes(&self) -> usize {
        2 * self.key_bytes + 1024
    }
}

impl Asker {
    /// Asks about the sites of these lines that were not asked about before. Waits while too many
    /// are being asked.
    pub fn ask(&mut self, lines: &[u8]) -> Vec<Look> {
        let mut looks = Vec::new();
        let mut last: &[u8] = &[];
        for line in bytes::lines(lines) {
            // Most lines begin like the one before.
            if !last.is_empty()
                && line.starts_with(last)
                && matches!(line.get(last.len()), None | Some(b'/'))
            {
                continue;
            }
            let (end, whose) = whose(line, self.stored.google);
            last = &line[..end];
            let Whose::Origin(origin) = whose else { continue };
            let hash = self.stored.hasher.hash(origin.key().as_bytes());
            let recent = &mut self.recent[hash.slot(RECENT)];
            if std::mem::replace(recent, hash) == hash {
                continue;
            }
            let mut known = self.stored.sites.write().unwrap_or_else(PoisonError::into_inner);
            if known.sites.contains_key(origin.key()) {
                continue;
            }
            known.sites.insert(origin.key().into(), None);
            drop(known);
            fetch::note_user(line, &origin, &mut self.is_told);
            looks.push(self.look(origin.into_owned()));
        }
        looks
    }

    fn look(&self, origin: Origin<'static>) -> Look {
        let key_bytes = origin.key().len();
        let (sender, known) = oneshot::channel();
        self.stored.watch.begin();
        self.queue.push(Asked { origin, known: sender });
        Look { known, key_bytes }
    }
}

impl Drop for Asker {
    fn drop(&mut self) {
        self.queue.end();
    }
}

impl Sites for Arc<Stored> {
    fn each_run(
        &self,
        batch: &Batch<'_>,
        act: &mut dyn FnMut(&UrlRun<'_>, Range<usize>, HostRules<'_>),
    ) {
        let known: Vec<_> = {
            let known = self.sites.read().unwrap_or_else(PoisonError::into_inner);
            batch.runs.iter().map(|run| known.get(run.origin.as_ref()?.key())).collect()
        };
        for ((run, numbers), known) in batch.numbered().zip(known) {
            let found = match (known, &run.origin) {
                (Some(known), _) => known,
                (None, None) => HostRules::Missing,
                // Without `--fetch`, or if the site was not asked about in advance.
                (None, Some(origin)) => {
                    self.handle.block_on(self.look(origin)).unwrap_or(HostRules::Unreadable)
                }
            };
            act(run, numbers, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memory for strangers is bounded, and no site that was found is forgotten.
    #[test]
    fn strangers() {
        let mut known = Known { strangers: MOST_STRANGERS - 1, ..Known::default() };
        for (key, looked, is_remembered) in [
            ("a", Looked::Stranger, true),
            ("b", Looked::Stranger, false),
            ("c", Looked::Found(HostRules::Unreadable), true),
            ("d", Looked::Stopped, false),
            ("a", Looked::Found(HostRules::Unreadable), true),
        ] {
            let found = known.remember(key, looked);
            assert_eq!(found.is_none(), matches!(looked, Looked::Stopped), "{key}");
            assert_eq!(known.get(key).is_some(), is_remembered, "{key}");
        }
        assert!(
            matches!(known.get("a"), Some(HostRules::Missing)),
            "the first one to look was first"
        );
        // Sites that are being asked are never forgotten: others wait for them.
        known.sites.insert("e".into(), None);
        assert!(known.remember("e", Looked::Stranger).is_some());
        assert!(matches!(known.get("e"), Some(HostRules::Missing)));
        assert_eq!(known.strangers, MOST_STRANGERS);
    }
}
