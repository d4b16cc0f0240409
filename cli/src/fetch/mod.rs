//! `robotsieve fetch`: downloads the robots.txt of many sites and keeps the outcomes.

pub mod args;

use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream;
use robotsieve::{Crawler, Origin};
use robotsieve_client::fetch::Fetcher;
use robotsieve_client::outcome::{Cause, Condition, OriginState, Outcome, Protocol};
use robotsieve_client::sieve::{Fetched, Sieve, SieveBuilder, SieveError};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::error::{Failure, Status};
use crate::read::inputs::Inputs;
use crate::read::{stdin, stores};
use crate::write::report::Report;
use crate::write::{bytes, stderr, stdout};
use args::{FetchArgs, Fetching};

/// The size of the sieve's cache, which is needed here only for origins that are asked twice.
const MAX_BYTES: u64 = 16 << 20;

/// The most origins that are read ahead of those being fetched.
const READ_AHEAD: usize = 4096;

/// The fetcher that the options describe.
///
/// # Errors
/// Returns an error if the header is invalid.
pub fn fetcher(header: &str, options: &Fetching) -> Result<Fetcher, Failure> {
    let seconds = Duration::from_secs(options.timeout.into());
    Fetcher::builder(header)
        .max_parallel(options.parallel.into())
        .total_timeout(seconds)
        .connect_timeout(seconds.min(Duration::from_secs(10)))
        .read_timeout(seconds.min(Duration::from_secs(15)))
        .allow_private(options.allow_private)
        .build()
        .map_err(|cause| {
            Failure::Usage(format!(
                "cannot fetch with User-Agent '{}': {cause}",
                bytes::shown(header.as_bytes())
            ))
        })
}

/// Fetches all origins and prints the outcomes.
pub fn run(args: &FetchArgs) -> Result<Status, Failure> {
    stdin::at_most_once(&args.inputs)?;
    let fetcher = fetcher(&args.send_user_agent, &args.fetching)?;
    let store = args.store.as_deref().map(stores::open).transpose()?;
    let mut builder: SieveBuilder = Sieve::builder(Crawler::name(""))
        .protocol(Protocol::of(&args.profile.get()))
        .max_bytes(MAX_BYTES)
        .slots(1)
        .fetcher(fetcher);
    if let Some(store) = store {
        builder = builder.store(store);
    }
    let sieve = builder.build();
    let report = Arc::new(Report::new(args.progress.progress, &args.inputs));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|cause| Failure::io("cannot start threads", cause))?;
    let (sender, receiver) = channel(READ_AHEAD);
    let reader = thread::Builder::new().name("reading".into()).spawn({
        let (inputs, report) = (args.inputs.clone(), Arc::clone(&report));
        move || read(&inputs, &report, &sender)
    });
    let reader = reader.map_err(|cause| Failure::io("cannot start a reading thread", cause))?;
    let parallel = usize::from(args.fetching.parallel);
    let counts = runtime.block_on(ask(&sieve, receiver, parallel, args.again, &report))?;
    let Some(counts) = counts else { return Ok(Status::Done) };
    reader.join().map_err(|_| Failure::Thread("reading"))?;
    let status = report.end();
    stderr::note(&counts);
    Ok(status)
}

/// A line of the input.
enum Asked {
    Origin(Origin<'static>),
    Invalid(Vec<u8>),
}

/// Reads the origins, each once.
fn read(names: &[OsString], report: &Arc<Report>, sender: &Sender<Asked>) {
    let mut inputs = Inputs::new(names, Arc::clone(report));
    let (mut lines, mut seen) = (Vec::new(), HashSet::new());
    while inputs.fill(&mut lines) {
        for line in bytes::lines(&lines) {
            let asked = match Origin::of(line) {
                Ok(origin) if seen.contains(origin.key()) => continue,
                Ok(origin) => {
                    seen.insert(Box::<str>::from(origin.key()));
                    Asked::Origin(origin.into_owned())
                }
                Err(_) => Asked::Invalid(line.to_vec()),
            };
            if sender.blocking_send(asked).is_err() {
                return;
            }
        }
    }
}

/// The outcome for an origin.
enum Became {
    Held,
    Fetched(Fetched),
    Failed(SieveError),
}

/// Fetches all origins, `parallel` at a time, and prints each outcome as it arrives. Returns `None`
/// if the reader of standard output went away.
async fn ask(
    sieve: &Sieve,
    receiver: Receiver<Asked>,
    parallel: usize,
    again: bool,
    report: &Report,
) -> Result<Option<Counts>, Failure> {
    let asked =
        stream::unfold(receiver, |mut receiver| async { Some((receiver.recv().await?, receiver)) });
    let outcomes = asked.map(|asked| async move {
        let origin = match asked {
            Asked::Origin(origin) => origin,
            Asked::Invalid(line) => return Err(line),
        };
        let became = match sieve.is_due(&origin) {
            _ if again => sieve.fetch(&origin).await,
            Ok(false) => return Ok((origin, Became::Held)),
            Ok(true) => sieve.fetch(&origin).await,
            Err(cause) => Err(SieveError::Store(Arc::new(cause))),
        };
        Ok((origin, became.map_or_else(Became::Failed, Became::Fetched)))
    });
    let mut outcomes = std::pin::pin!(outcomes.buffer_unordered(parallel));
    let mut counts = Counts::new();
    let mut out = stdout::lock().map_err(stdout::failed)?;
    while let Some(outcome) = outcomes.next().await {
        let (origin, became) = match outcome {
            Ok(outcome) => outcome,
            Err(line) => {
                counts.invalid += 1;
                let line = bytes::shown(&line);
                stderr::note(&format_args!(
                    "'{line}' is skipped: it is not an http, https or ftp URL"
                ));
                continue;
            }
        };
        counts.origins += 1;
        match became {
            Became::Held => counts.held += 1,
            Became::Failed(cause) => report.error(&format_args!("{origin}: {cause}")),
            Became::Fetched(fetched) => {
                let known = fetched.state();
                counts.note(known.condition());
                if let Err(cause) = &fetched.stored {
                    report.error(&format_args!("{origin} is not in the store: {cause}"));
                }
                match out.write_all(line(&origin, known).as_bytes()) {
                    Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => return Ok(None),
                    Err(cause) => return Err(stdout::failed(cause)),
                    Ok(()) => {}
                }
            }
        }
    }
    Ok(Some(counts))
}

/// Condition, origin, size of the robots.txt, and where redirects led or what went wrong.
fn line(origin: &Origin<'_>, known: &OriginState) -> String {
    let mut line = format!("{}\t{origin}\t", known.condition().as_str());
    let copy = known.copy.as_ref().filter(|_| known.last == Outcome::Present);
    match copy {
        Some(copy) => {
            let _ = write!(line, "{}\t{}", copy.len, copy.final_url.as_deref().unwrap_or_default());
        }
        None => {
            let _ = write!(line, "0\t{}", cause(&known.last));
        }
    }
    line.push('\n');
    line
}

/// Why there is no robots.txt.
pub fn cause(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Absent(Cause::Status(status)) | Outcome::Unreachable(Cause::Status(status)) => {
            format!("HTTP {status}")
        }
        Outcome::Absent(Cause::Failure(failure))
        | Outcome::Unreachable(Cause::Failure(failure)) => {
            // On one line, whatever a server or a library said.
            failure.to_string().replace(|c: char| c.is_control(), " ")
        }
        _ => String::new(),
    }
}

/// The summary.
struct Counts {
    began: Instant,
    origins: u64,
    held: u64,
    invalid: u64,
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
        Counts { began: Instant::now(), origins: 0, held: 0, invalid: 0, by_condition: [0; 6] }
    }

    fn note(&mut self, condition: Condition) {
        let place = CONDITIONS.iter().position(|other| *other == condition);
        self.by_condition[place.expect("CONDITIONS has all of them")] += 1;
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let fetched: u64 = self.by_condition.iter().sum();
        let seconds = self.began.elapsed().as_secs_f64();
        write!(f, "origins {} fetched {fetched}", self.origins)?;
        for (condition, count) in CONDITIONS.iter().zip(self.by_condition) {
            write!(f, " {} {count}", condition.as_str())?;
        }
        write!(
            f,
            " held {} invalid {} seconds {seconds:.3} fetched_per_second {:.0}",
            self.held,
            self.invalid,
            fetched as f64 / seconds.max(1e-9)
        )
    }
}
