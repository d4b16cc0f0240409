//! `robotsieve filter`: URLs by the million, through a pipeline of bounded memory.
//!
//! ```text
//!            jobs            pieces, one channel a chunk
//! reader ──────────▶ workers ──────────▶ writer
//!    │                                     ▲
//!    └─────────── order of chunks ─────────┘
//! ```
//!
//! [`input`] opens and decompresses the inputs and cuts them into chunks of whole lines.
//! Each chunk goes to a worker, where [`judge`] decides on every line. It asks [`sites`] for a
//! host's robots.txt ([`folder`] is where they come from) and remembers in [`known`] what it
//! was told. Lines to be written as they came stay in the chunk, which goes on to the writer;
//! other output is formed by [`output`]. The reader also hands the writer the receiving end
//! of each chunk's own channel, in the order of the input: so the writer knows what comes
//! next without numbering or sorting anything.
//!
//! All channels are bounded, so a slow consumer stops the reader. A worker whose output
//! grows large (many crawlers, long rules) hands it on in pieces and waits for its turn
//! when the channel is full; the chunk whose turn it is can always proceed, so nothing
//! locks up.

mod folder;
mod judge;
mod known;
mod output;
mod packed;
mod sites;
mod stored;
pub mod tally;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use clap::{CommandFactory, error::ErrorKind};

use robotsieve::{Profile, TargetForm};

use crate::args::{Agent, Cli, FilterArgs, Output, crawler_names};
use crate::error::{Failure, Status};
use crate::read::inputs::{self, CHUNK_BYTES, Inputs};
use crate::read::packs as mapped;
use crate::read::robots_file;
use crate::read::stdin;
use crate::write::progress;
use crate::write::report::Report;
use crate::write::stdout;
use folder::Folder;
use judge::{Judge, Source, Worker};
use output::{Piece, Pieces};
use packed::Packed;
use sites::Site;
use stored::Stored;
use tally::Sum;

/// A chunk on its way to a worker.
struct Job {
    lines: Vec<u8>,
    pieces: SyncSender<Piece>,
}

/// Sieves the inputs to standard output.
pub fn run(args: &FilterArgs) -> Result<Status, Failure> {
    let inputs = inputs::named(&args.inputs);
    let robots = args.robots.as_ref().map(|path| path.as_os_str());
    stdin::at_most_once(inputs.iter().map(OsString::as_os_str).chain(robots))?;
    let report = Arc::new(Report::new(args.progress, &args.inputs));
    let (source, asked) = match &args.pack {
        Some(path) => of_pack(args, path, &report)?,
        None => of_files(args, &report)?,
    };
    let crawlers = asked.agents.len();
    if crawlers > 1 && matches!(args.output, Output::Urls | Output::Denied) {
        let message = format!(
            "--format {} takes one crawler, but {crawlers} were given{}: use --format tsv or jsonl \
             for several crawlers, or commas for several names of one",
            if args.output == Output::Urls { "urls" } else { "denied" },
            if args.agents.0.is_empty() { " by the pack (--agent takes one of them)" } else { "" },
        );
        Cli::command().error(ErrorKind::ArgumentConflict, message).exit();
    }
    let judge = Arc::new(Judge::new(args, source, &asked));
    match sieve(args, judge, &report)? {
        Some(tally) => Ok(report.finish(&tally, crawlers)),
        None => Ok(Status::Done),
    }
}

/// For whom verdicts are asked, and how URLs are read.
pub struct Asked {
    /// The crawlers' names as they are shown.
    pub agents: Vec<String>,
    pub target_form: TargetForm,
}

fn of_files(args: &FilterArgs, report: &Arc<Report>) -> Result<(Source, Asked), Failure> {
    let profile = args.profile.unwrap_or(Profile::RFC9309);
    let agents = args.agents.required()?;
    let crawlers: Vec<_> = agents.iter().map(Agent::crawler).collect();
    let source = match (&args.robots, &args.robots_dir) {
        _ if args.store.is_some() => {
            Source::ByHost(Box::new(Stored::open(args, crawlers, profile, Arc::clone(report))?))
        }
        (Some(path), _) => {
            let file = robots_file::read(path)?;
            Source::One(Site::new(&file, &profile, &crawlers))
        }
        (None, path) => {
            // The parser demands one of the options.
            let path = path.as_deref().unwrap_or(Path::new(""));
            Source::ByHost(Box::new(Folder::list(path, crawlers, profile, Arc::clone(report))?))
        }
    };
    let agents = agents.iter().map(|agent| agent.text.to_string_lossy().into_owned()).collect();
    Ok((source, Asked { agents, target_form: profile.target_form }))
}

fn of_pack(
    args: &FilterArgs,
    path: &Path,
    report: &Arc<Report>,
) -> Result<(Source, Asked), Failure> {
    let pack = mapped::pack(path)?;
    if let Some(profile) = args.profile
        && Profile::named(pack.profile_name()) != Some(profile)
    {
        return Err(Failure::Usage(format!(
            "pack '{}' was made in the profile {}: leave --profile out, or make another pack",
            path.display(),
            pack.profile_name(),
        )));
    }
    let (mut columns, mut agents) = (Vec::new(), Vec::new());
    for agent in &args.agents.0 {
        let place = pack.crawlers().iter().position(|crawler| *crawler == agent.crawler());
        columns.push(place.ok_or_else(|| {
            let there: Vec<_> = pack.crawlers().iter().map(crawler_names).collect();
            Failure::Usage(format!(
                "pack '{}' was not made for the crawler '{}', but for: {}",
                path.display(),
                agent.text.display(),
                there.join("; "),
            ))
        })?);
        agents.push(agent.text.to_string_lossy().into_owned());
    }
    if columns.is_empty() {
        columns.extend(0..pack.crawlers().len());
        agents.extend(pack.crawlers().iter().map(crawler_names));
    }
    if columns.is_empty() {
        let message = format!("pack '{}' was made for no crawler at all", path.display());
        return Err(Failure::Usage(message));
    }
    let decides = args.output == Output::Jsonl;
    let packed = Packed::new(pack, columns, decides, Arc::clone(report));
    let asked = Asked { agents, target_form: pack.target_form() };
    Ok((Source::ByHost(Box::new(packed)), asked))
}

/// Runs the pipeline; the calling thread writes. `None`: the reader of standard output went
/// away.
///
/// The threads are not joined in that case: one of them may wait for input that never
/// comes.
fn sieve(
    args: &FilterArgs,
    judge: Arc<Judge>,
    report: &Arc<Report>,
) -> Result<Option<Sum>, Failure> {
    let threads = args.threads();
    let buffers = Arc::new(Buffers::default());
    let (job_sender, jobs) = sync_channel::<Job>(threads);
    let (turn_sender, turns) = sync_channel::<Receiver<Piece>>(2 * threads);
    let jobs = Arc::new(Mutex::new(jobs));
    let mut workers = Vec::new();
    for _ in 0..threads {
        let (judge, jobs, buffers) = (Arc::clone(&judge), Arc::clone(&jobs), Arc::clone(&buffers));
        workers.push(start("judging", move || work(&judge, &jobs, &buffers))?);
    }
    // Only workers hold it now: should all of them end, the reader does not wait for ever.
    drop(jobs);
    let mut inputs = Inputs::new(&args.inputs, Arc::clone(report));
    let reader = start("reading", {
        let buffers = Arc::clone(&buffers);
        move || read(&mut inputs, &job_sender, &turn_sender, &buffers)
    })?;
    match write(turns, &buffers) {
        Err(Failure::Io { cause, .. }) if cause.kind() == io::ErrorKind::BrokenPipe => Ok(None),
        Err(failure) => Err(failure),
        Ok(tally) => {
            reader.join().map_err(|_| Failure::Thread("reading"))?;
            // With the last of them the judge ends too, and with it its source.
            drop(judge);
            for worker in workers {
                worker.join().map_err(|_| Failure::Thread("judging"))?;
            }
            Ok(Some(tally))
        }
    }
}

fn start(
    name: &str,
    body: impl FnOnce() + Send + 'static,
) -> Result<thread::JoinHandle<()>, Failure> {
    thread::Builder::new().name(name.to_owned()).spawn(body).map_err(|cause| {
        Failure::io(format!("cannot start a {name} thread (fewer --threads may help)"), cause)
    })
}

/// Cuts the inputs into chunks until they end or nobody takes any more.
fn read(
    inputs: &mut Inputs,
    jobs: &SyncSender<Job>,
    turns: &SyncSender<Receiver<Piece>>,
    buffers: &Buffers,
) {
    loop {
        let mut lines = buffers.take();
        if !inputs.fill(&mut lines) {
            return;
        }
        // Two: what a chunk usually has to say fits, its output and its tally.
        let (pieces, turn) = sync_channel(2);
        if turns.send(turn).is_err() || jobs.send(Job { lines, pieces }).is_err() {
            return;
        }
    }
}

/// Judges chunks until there are no more.
fn work(judge: &Judge, jobs: &Mutex<Receiver<Job>>, buffers: &Buffers) {
    let mut worker = Worker::new(judge);
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { mut lines, pieces }) = job else { return };
        if worker.sieves() {
            let tally = worker.sieve(&mut lines);
            output::finish(&pieces, lines, tally);
        } else {
            let mut pieces = Pieces::new(&pieces, buffers);
            let Ok(tally) = worker.tell(&lines, &mut pieces) else { return };
            pieces.finish(tally);
            buffers.give(lines);
        }
    }
}

/// Writes the pieces of one chunk after another.
fn write(turns: Receiver<Receiver<Piece>>, buffers: &Buffers) -> Result<Sum, Failure> {
    let mut sum = Sum::default();
    let mut out = io::stdout().lock();
    let is_terminal = out.is_terminal();
    for pieces in turns {
        let mut complete = false;
        for piece in pieces {
            match piece {
                Piece::Bytes(bytes) => {
                    // A bar is in the way only on the same screen.
                    let mut write = || out.write_all(&bytes);
                    let written = if is_terminal { progress::aside(write) } else { write() };
                    written.map_err(stdout::failed)?;
                    buffers.give(bytes);
                }
                Piece::End(tally) => {
                    sum.add(&tally);
                    complete = true;
                }
            }
        }
        if !complete {
            return Err(Failure::Thread("judging"));
        }
    }
    out.flush().map_err(stdout::failed)?;
    Ok(sum)
}

/// Buffers that are done with, for chunks and for output, used again so that no chunk costs fresh
/// pages. As many exist as chunks are on their way at most.
#[derive(Default)]
struct Buffers(Mutex<Vec<Vec<u8>>>);

impl Buffers {
    /// A buffer, with whatever is left in it.
    fn take(&self) -> Vec<u8> {
        let buffer = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        buffer.unwrap_or_default()
    }

    fn give(&self, buffer: Vec<u8>) {
        // One very long line must not hold its memory to the end.
        if buffer.capacity() <= 4 * CHUNK_BYTES {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
        }
    }
}
