//! `robotsieve fetch`: downloads the robots.txt of many sites and keeps the outcomes.
//!
//! ```text
//!          origins           attempts
//! reader ─────────▶ asking ◀──────────▶ guard ◀─▶ fetcher ◀─▶ network
//!                     │                  │
//!                     ▼                watch: whose fault it is, and when to stop
//!             lines, summary
//! ```
//!
//! `filter --fetch` has the same options ([`args`]), the same fetcher and the same [`watch`].

pub mod args;
mod descriptors;
mod faults;
pub mod json;
pub mod metrics;
pub mod signals;
mod targets;

use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::mem;
use std::net::SocketAddr;
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream;
use robotsieve::{Crawler, Origin, SiteKind};
#[cfg(feature = "network")]
use robotsieve_client::fetch::{Fetcher, InvalidFetcher, SystemResolver};
use robotsieve_client::network::IpNetwork;
use robotsieve_client::outcome::{Cause, Condition, Failure as SiteFailure};
use robotsieve_client::outcome::{LocalFault, OriginState, Outcome};
use robotsieve_client::sieve::{Fetched, Override, Overrides, Sieve, SieveBuilder, SieveError};
use tokio::runtime::Runtime;

use crate::error::{Failure, Status};
#[cfg(not(feature = "network"))]
pub use crate::no_network::fetcher;
use crate::read::inputs::{self, Inputs};
use crate::read::small_file;
use crate::read::{stdin, stores};
use crate::write::report::{MOST_ALIKE, Report};
use crate::write::{bytes, stderr, stdout};
use args::{FetchArgs, Fetching, Resolver};
pub use faults::Faults;
use metrics::MetricsFile;
use robotsieve_client::sieve::queue::Queue;
use robotsieve_client::sieve::watch::{self, Guard, Kept, Stop, Watch, is_unasked};
use targets::{Noting, Targets};

/// The size of the sieve's cache, which is needed here only for origins that are asked twice.
const MAX_BYTES: u64 = 16 << 20;

/// The fetcher that the options describe, which tells `watch` what it learns. Returns how many
/// requests run at the same time, too.
///
/// # Errors
/// Returns an error if an option is invalid.
#[cfg(feature = "network")]
pub fn fetcher(
    header: &str,
    options: &Fetching,
    watch: &Arc<Watch>,
) -> Result<(Guard<Fetcher>, usize), Failure> {
    let seconds = Duration::from_secs(options.timeout.into());
    let mut builder = Fetcher::builder(header)
        .total_timeout(seconds)
        .connect_timeout(seconds.min(Duration::from_secs(10)))
        .read_timeout(seconds.min(Duration::from_secs(15)))
        .max_redirects(options.max_redirects.into())
        .max_wire_bytes(options.max_size.0)
        .max_body_bytes(options.max_size.0)
        .allow_private(options.allow_private)
        .allow_networks(options.allow_network.iter().copied())
        .deny_networks(options.deny_network.iter().copied())
        .max_per_host(limit(options.max_per_host))
        .max_per_address(limit(options.max_per_address))
        .request_delay(options.delay.into())
        .accept_invalid_certificates(options.accept_invalid_certificates)
        .retries(options.retries.into());
    if options.allow_private && options.redirect_port.is_empty() {
        // On a private network sites are on any port.
        builder = builder.redirect_ports(1..=u16::MAX);
    } else {
        let further = options.redirect_port.iter().copied();
        builder = builder.redirect_ports([80, 443].into_iter().chain(further));
    }
    for header in &options.header {
        let (name, value) = name_and_value("--header", header)?;
        builder = builder.header(name, value);
    }
    for of_host in options.header_for.chunks_exact(2) {
        let (name, value) = name_and_value("--header-for", &of_host[1])?;
        builder = builder.header_for(&of_host[0], name, value);
    }
    if let Some(proxy) = &options.proxy {
        builder = builder.proxy(proxy);
    }
    for canary in &options.canary {
        builder = builder.canary(*canary);
    }
    for address in &options.source_address {
        builder = builder.local_address(*address);
    }
    if let Some(path) = &options.ca_file {
        let pem = small_file(path).map_err(|cause| {
            Failure::io(format!("cannot read --ca-file '{}'", path.display()), cause)
        })?;
        builder = builder.trust_pem(&pem);
    }
    builder = match &options.dns[..] {
        [] => builder,
        [Resolver::System] => builder.resolver(SystemResolver),
        resolvers => builder.name_servers(servers(resolvers)?),
    };
    let fitting = descriptors::fitting(options.parallel(), options.parallel.is_some(), |fitting| {
        let builder = builder.clone().max_parallel(fitting.parallel.into());
        builder.max_lookups(fitting.lookups).descriptors()
    });
    let parallel = fitting.parallel;
    builder = builder.max_parallel(parallel.into()).max_lookups(fitting.lookups);
    let fetcher = builder.build().map_err(|cause| match cause {
        InvalidFetcher::UserAgent(_) => Failure::Usage(format!(
            "cannot fetch with User-Agent '{}': {cause}",
            bytes::shown(header.as_bytes())
        )),
        InvalidFetcher::Authorities(_) if options.ca_file.is_some() => {
            let path = options.ca_file.as_deref().unwrap_or(Path::new(""));
            Failure::Usage(format!("--ca-file '{}': {cause}", path.display()))
        }
        InvalidFetcher::Setting { setting, cause } => {
            let option = match setting {
                "local_address" => "source-address",
                "request_delay" => "delay",
                "header_for" => "header-for",
                other => other,
            };
            Failure::Usage(format!("--{option}: {cause}"))
        }
        _ => Failure::Usage(format!("cannot fetch: {cause}")),
    })?;
    Ok((Guard { fetcher, watch: Arc::clone(watch) }, parallel.into()))
}

/// The name and the value of a header.
fn name_and_value<'h>(option: &str, header: &'h str) -> Result<(&'h str, &'h str), Failure> {
    let Some((name, value)) = header.split_once(':') else {
        return Err(Failure::Usage(format!(
            "{option} '{}': a header is NAME: VALUE",
            bytes::shown(header.as_bytes())
        )));
    };
    Ok((name.trim(), value.trim()))
}

/// The name servers, which the system's own look-up cannot be among.
fn servers(resolvers: &[Resolver]) -> Result<Vec<SocketAddr>, Failure> {
    let server = |resolver: &Resolver| match resolver {
        Resolver::Server(server) => Ok(*server),
        Resolver::System => {
            Err(Failure::Usage("--dns system is for itself, without other --dns".into()))
        }
    };
    resolvers.iter().map(server).collect()
}

/// A limit, of which 0 is none.
fn limit(most: u16) -> Option<usize> {
    Some(most.into()).filter(|most| *most > 0)
}

/// The threads that a run starts besides those that fetch: they read, wait, write, count, and take
/// signals.
const OTHER_THREADS: usize = 8;

/// Starts the threads that fetch: one for each core, or as many as can be had.
pub fn runtime() -> Result<Runtime, Failure> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    // If tokio cannot start a thread, it panics, and then waits for ever for those that it has.
    let (started, cause) = startable(cores + OTHER_THREADS);
    if let Some(cause) = cause {
        match started.saturating_sub(OTHER_THREADS) {
            0 => return Err(Failure::io("cannot start threads", cause)),
            few => builder.worker_threads(few),
        };
    }
    let runtime = builder.enable_all().build();
    runtime.map_err(|cause| Failure::io("cannot start threads", cause))
}

/// How many threads, at most so many, can be had at the same time, and why no more.
fn startable(most: usize) -> (usize, Option<io::Error>) {
    let mut started: Vec<(Sender<()>, thread::JoinHandle<()>)> = Vec::new();
    let mut cause = None;
    while started.len() < most && cause.is_none() {
        let (goes_on, ended) = mpsc::channel();
        match thread::Builder::new().spawn(move || _ = ended.recv()) {
            Ok(thread) => started.push((goes_on, thread)),
            Err(error) => cause = Some(error),
        }
    }
    let count = started.len();
    for (goes_on, thread) in started {
        drop(goes_on);
        let _ = thread.join();
    }
    (count, cause)
}

/// Fetches all origins and prints the outcomes.
pub fn run(args: &FetchArgs) -> Result<Status, Failure> {
    stdin::at_most_once(&args.inputs)?;
    args.fetching.start_messages()?;
    let named = inputs::named(&args.inputs);
    args.fetching.refuse_metrics_over(&named, args.store.as_deref(), &args.meaning)?;
    let overrides = args.meaning.overrides(args.fetching.metrics.as_deref())?;
    let runtime = runtime()?;
    let entered = runtime.enter();
    let watch = Watch::new();
    let (fetcher, parallel) = fetcher(&args.send_user_agent, &args.fetching, &watch)?;
    let store = args.store.as_deref().map(stores::open).transpose()?;
    let mut protocol = args.meaning.answers.protocol(&args.profile.get());
    protocol.max_redirects = args.fetching.max_redirects;
    let targets = Arc::new(Targets::default());
    let mut builder: SieveBuilder = Sieve::builder(Crawler::name(""))
        .protocol(protocol)
        .overrides(overrides.clone())
        .max_bytes(MAX_BYTES)
        .slots(1)
        .fetcher(Noting { fetcher, targets: Arc::clone(&targets) });
    if let Some(store) = store {
        builder = builder.store(store);
    }
    let sieve = builder.build();
    drop(entered);
    let report = Arc::new(Report::of_sites(args.progress.progress, &watch));
    signals::stop_politely(&watch)?;
    let metrics = match &args.fetching.metrics {
        Some(path) => Some(MetricsFile::keep(path, &sieve, &watch, &report, None)?),
        None => None,
    };
    let queue = Queue::new(Arc::clone(&watch));
    let reader = thread::Builder::new().name("reading".into()).spawn({
        let (inputs, report, watch, queue) =
            (args.inputs.clone(), Arc::clone(&report), Arc::clone(&watch), Arc::clone(&queue));
        move || {
            read(&inputs, &report, &watch, &queue);
            queue.end();
            watch.end();
        }
    });
    let reader = reader.map_err(|cause| Failure::io("cannot start a reading thread", cause))?;
    let run = Run {
        sieve,
        watch,
        report,
        faults: Faults::default(),
        targets,
        denied: args.fetching.deny_network.clone(),
        has_told_private: AtomicBool::new(false),
        window: watch::window(parallel),
        again: args.again,
        prints_json: args.prints_json(),
        overrides,
    };
    let counts = runtime.block_on(run.ask(&queue));
    // An attempt that was left behind must not keep the store open.
    runtime.block_on(run.sieve.settled());
    let Run { sieve, watch, report, .. } = run;
    drop(metrics);
    drop(sieve);
    // Look-ups of names cannot be ended; nobody waits for them any more.
    runtime.shutdown_background();
    let counts = counts?;
    if watch.stopped().is_none() {
        reader.join().map_err(|_| Failure::Thread("reading"))?;
    }
    if let Some(stop) = watch.stopped() {
        let kept = Kept {
            outcomes: counts.fetched(),
            is_stored: args.store.is_some(),
            local_faults: counts.local_faults,
            unasked: counts.unasked,
        };
        report.error(&format_args!("{stop}; {kept}"));
    }
    let status = report.end();
    stderr::note(&counts);
    signals::end_by(watch.stopped());
    Ok(status)
}

/// A line of the input.
enum InputLine {
    Origin(Origin<'static>),
    Invalid(Vec<u8>),
}

/// Reads the origins, each once.
fn read(names: &[OsString], report: &Arc<Report>, watch: &Watch, queue: &Queue<InputLine>) {
    let mut inputs = Inputs::new(inputs::named(names), Arc::clone(report));
    let (mut lines, mut seen, mut is_told) = (Vec::new(), HashSet::new(), false);
    while inputs.fill(&mut lines) {
        for line in bytes::lines(&lines) {
            let goes_on = match Origin::of(line) {
                Ok(origin) if seen.contains(origin.key()) => continue,
                Ok(origin) => {
                    note_user(line, &origin, &mut is_told);
                    seen.insert(Box::<str>::from(origin.key()));
                    watch.begin();
                    queue.push(InputLine::Origin(origin.into_owned()))
                }
                Err(_) => {
                    let shown = &line[..line.len().min(SHOWN_BYTES)];
                    queue.push_first(InputLine::Invalid(shown.to_vec()))
                }
            };
            if !goes_on {
                return;
            }
        }
    }
}

/// Says once that the user name or password in a URL of an origin is not sent.
pub fn note_user(url: &[u8], origin: &Origin<'_>, is_told: &mut bool) {
    if has_user(url) && !mem::replace(is_told, true) {
        stderr::note(&format_args!(
            "the user name or password in a URL of {} is not sent, nor are others like it: to send \
             it, give it with --header-for HOST 'Authorization: Basic …'",
            origin.key()
        ));
    }
}

/// True if a URL has a user name or a password.
fn has_user(url: &[u8]) -> bool {
    let scheme = url.windows(3).position(|window| window == b"://");
    let after = scheme.map_or(&b""[..], |at| &url[at + 3..]);
    let authority = after.split(|byte| matches!(byte, b'/' | b'\\' | b'?' | b'#')).next();
    authority.is_some_and(|authority| authority.contains(&b'@'))
}

/// How much of an invalid line is shown.
const SHOWN_BYTES: usize = 200;

/// The outcome for an origin.
enum Became {
    NotDue,
    /// An override decides, so that this holds.
    Overridden(SiteKind),
    Fetched(Box<Fetched>),
    Fault(LocalFault),
    Failed(SieveError),
}

/// What all of a run's sites have in common.
struct Run {
    sieve: Sieve,
    watch: Arc<Watch>,
    report: Arc<Report>,
    faults: Faults,
    targets: Arc<Targets>,
    /// The networks that are never asked.
    denied: Vec<IpNetwork>,
    /// True once the options are told with which addresses that are not public are asked.
    has_told_private: AtomicBool,
    /// The number of sites that are under way at the same time.
    window: usize,
    /// True if sites that are not due are asked too.
    again: bool,
    prints_json: bool,
    /// Sites that are never asked.
    overrides: Overrides,
}

impl Run {
    /// Fetches all origins, and prints each outcome as it arrives.
    async fn ask(&self, queue: &Queue<InputLine>) -> Result<Counts, Failure> {
        let asked = stream::unfold((), |()| async { Some((queue.take().await?, ())) });
        let mut outcomes =
            std::pin::pin!(asked.map(|asked| self.one(asked)).buffer_unordered(self.window));
        let mut counts = Counts::new();
        let mut out = stdout::lock().map_err(stdout::failed)?;
        while let Some(outcome) = outcomes.next().await {
            let (origin, became) = match outcome {
                Ok(outcome) => outcome,
                Err(line) => {
                    counts.invalid += 1;
                    if counts.invalid <= MOST_INVALID {
                        let advice = advice(&line);
                        let line = bytes::shown(&line);
                        stderr::note(&format_args!(
                            "'{line}' is skipped: it is not an http, https or ftp URL{advice}"
                        ));
                    }
                    continue;
                }
            };
            counts.origins += 1;
            let target = self.targets.take(&origin);
            let line = match became {
                Became::NotDue => {
                    counts.not_due += 1;
                    continue;
                }
                Became::Overridden(holds) => {
                    counts.overridden += 1;
                    if !self.prints_json {
                        continue;
                    }
                    json::overridden(&origin, holds)
                }
                Became::Fault(fault) if is_unasked(&fault) => {
                    counts.unasked += 1;
                    continue;
                }
                Became::Fault(fault) => {
                    // What led to a stop is told once, as its reason.
                    if self.watch.stopped().is_none() {
                        self.faults.add(&origin, &fault, &self.watch, &self.report);
                    }
                    counts.local_faults += 1;
                    continue;
                }
                Became::Failed(cause) => {
                    counts.failed += 1;
                    if counts.failed <= MOST_ALIKE {
                        self.report.error(&format_args!("{origin}: {cause}"));
                    }
                    continue;
                }
                Became::Fetched(fetched) => match &fetched.stored {
                    Ok(()) => {
                        counts.note(fetched.state().condition());
                        self.advise_private(&origin, &fetched.state().last);
                        if self.prints_json {
                            json::line(&origin, fetched.state(), &fetched.ruling())
                        } else {
                            line(&origin, fetched.state(), target.as_deref())
                        }
                    }
                    // What is not in the store is not printed.
                    Err(cause) => {
                        counts.unasked += 1;
                        self.watch.stop(Stop::store(cause));
                        continue;
                    }
                },
            };
            match out.write_all(line.as_bytes()) {
                // What is under way ends now, and is counted.
                Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => {
                    self.watch.stop(Stop::NoReader);
                }
                Err(cause) => {
                    self.watch.stop(Stop::NoReader);
                    return Err(stdout::failed(cause));
                }
                Ok(()) => {}
            }
        }
        if let Some(more) = counts.invalid.checked_sub(MOST_INVALID).filter(|more| *more > 0) {
            stderr::note(&format_args!("{more} more invalid lines were skipped"));
        }
        if let Some(more) = counts.failed.checked_sub(MOST_ALIKE).filter(|more| *more > 0) {
            self.report.error(&format_args!("{more} more sites could not be looked up"));
        }
        counts.unasked += queue.clear();
        Ok(counts)
    }

    /// Says once with which options an address is asked that is not public.
    fn advise_private(&self, origin: &Origin<'_>, last: &Outcome) {
        let Outcome::Unreachable(Cause::Failure(SiteFailure::Refused(address))) = last else {
            return;
        };
        let is_denied = self.denied.iter().any(|network| network.contains(*address));
        if is_denied || self.has_told_private.swap(true, Ordering::Relaxed) {
            return;
        }
        stderr::note(&format_args!(
            "{origin}: the address {address} is not public, so it was not asked: give \
             --allow-private to ask such addresses, or --allow-network for those of one network"
        ));
    }

    /// The outcome for a line of the input.
    async fn one(&self, asked: InputLine) -> Result<(Origin<'static>, Became), Vec<u8>> {
        let origin = match asked {
            InputLine::Origin(origin) => origin,
            InputLine::Invalid(line) => return Err(line),
        };
        if let Some(answer) = self.overrides.get(&origin) {
            self.watch.done(None);
            let holds = match answer {
                Override::Allow => SiteKind::AllowAll,
                Override::Disallow => SiteKind::DisallowAll,
                _ => SiteKind::Rules,
            };
            return Ok((origin, Became::Overridden(holds)));
        }
        let is_due = if self.again { Ok(true) } else { self.sieve.is_due(&origin) };
        let became = match is_due {
            Ok(false) => Became::NotDue,
            Ok(true) => match self.watch.fetch(&self.sieve, &origin).await {
                Ok(fetched) => Became::Fetched(Box::new(fetched)),
                Err(SieveError::Local(fault)) => Became::Fault(fault),
                Err(cause) => Became::Failed(cause),
            },
            Err(cause) => Became::Failed(SieveError::Store(Arc::new(cause))),
        };
        self.watch.done(match &became {
            Became::Fault(fault) => Some(fault),
            _ => None,
        });
        Ok((origin, became))
    }
}

/// What to write in place of an invalid line, if that is plain: the URL of a bare host.
fn advice(line: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(line) else { return String::new() };
    let is_host = text.contains('.')
        && text.len() < SHOWN_BYTES
        && !text.contains(|c: char| c.is_whitespace() || c.is_control())
        && !text.contains(['/', '@', '?', '#', '\\']);
    let url = format!("https://{text}/");
    if is_host && Origin::of(&url).is_ok() { format!("; write {url}") } else { String::new() }
}

/// The number of invalid lines that are shown before the rest is only counted.
const MOST_INVALID: u64 = 10;

/// Condition, origin, size of the robots.txt, where redirects led or what went wrong, and what is wrong
/// with a certificate that was accepted. `failed_at` is where redirects led, if what went wrong is that.
fn line(origin: &Origin<'_>, known: &OriginState, failed_at: Option<&str>) -> String {
    let mut line = format!("{}\t{origin}\t", known.condition().as_str());
    let copy = known.copy.as_ref().filter(|_| known.last == Outcome::Present);
    match copy {
        Some(copy) => {
            let _ = write!(line, "{}\t{}", copy.len, copy.final_url.as_deref().unwrap_or_default());
        }
        None => {
            let _ = write!(line, "0\t{}", known.last.why());
            if let Some(target) = failed_at {
                let target = bytes::shown(target.as_bytes());
                let _ = write!(line, " ({target}, where it redirects)");
            }
        }
    }
    if let Some(what) = &known.invalid_certificate {
        let _ = write!(line, "\t{}", bytes::shown(what.as_bytes()));
    }
    line.push('\n');
    line
}

/// The summary.
struct Counts {
    began: Instant,
    origins: u64,
    not_due: u64,
    overridden: u64,
    invalid: u64,
    local_faults: u64,
    unasked: u64,
    /// Sites that could not be looked up for another reason.
    failed: u64,
    by_condition: [u64; CONDITIONS.len()],
}

const CONDITIONS: [Condition; 6] = [
    Condition::Parsed,
    Condition::Empty,
    Condition::LooksLikeHtml,
    Condition::Truncated,
    Condition::Absent,
    Condition::Unreachable,
];

impl Counts {
    fn new() -> Counts {
        Counts {
            began: Instant::now(),
            origins: 0,
            not_due: 0,
            overridden: 0,
            invalid: 0,
            local_faults: 0,
            unasked: 0,
            failed: 0,
            by_condition: [0; 6],
        }
    }

    fn note(&mut self, condition: Condition) {
        let place = CONDITIONS.iter().position(|other| *other == condition);
        self.by_condition[place.expect("CONDITIONS has all of them")] += 1;
    }

    fn fetched(&self) -> u64 {
        self.by_condition.iter().sum()
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let fetched = self.fetched();
        let seconds = self.began.elapsed().as_secs_f64();
        write!(f, "origins {} fetched {fetched}", self.origins)?;
        for (condition, count) in CONDITIONS.iter().zip(self.by_condition) {
            write!(f, " {} {count}", condition.as_str())?;
        }
        write!(
            f,
            " not_due {} overridden {} invalid {} local_faults {} unasked {} seconds {seconds:.3} \
             fetched_per_second {:.0}",
            self.not_due,
            self.overridden,
            self.invalid,
            self.local_faults,
            self.unasked,
            fetched as f64 / seconds.max(1e-9)
        )
    }
}
