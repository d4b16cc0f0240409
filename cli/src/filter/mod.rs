//! `robotsieve filter`: judges URLs by the million, in a pipeline with bounded memory.
//!
//! ```text
//!            jobs            pieces, one channel a chunk
//! reader ──────────▶ workers ──────────▶ writer
//!    │                                     ▲
//!    └─────────── order of chunks ─────────┘
//! ```
//!
//! [`inputs`] opens and decompresses the inputs and splits them into chunks of whole lines. Each
//! chunk goes to a worker, where [`judge`] decides about every line. It takes a hundred lines at a
//! time in steps: [`batch`] splits them and finds their origins, [`sites`] has the answers
//! ([`folder`], [`packed`] and [`stored`] are where they come from). If lines are printed as they came, they stay in the chunk, which goes on
//! to the writer; other output is formatted by [`output`]. The reader also sends the writer the
//! receiving end of each chunk's own channel, in the order of the input, so the writer knows what
//! comes next without numbering or sorting.
//!
//! With `--fetch` there is one more stage between reader and workers, [`ahead`]: there chunks wait
//! for the sites that are being asked, while later ones are read.
//!
//! All channels are bounded, so a slow consumer stops the reader. A worker whose output grows large
//! (many crawlers, long rules) sends it in pieces and waits while the channel is full. The chunk
//! whose turn it is can always proceed, so there is no deadlock.

mod ahead;
pub mod args;
mod batch;
mod feed;
mod folder;
mod judge;
mod output;
mod packed;
mod sites;
mod stored;
mod tally;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use robotsieve::{Crawler, Profile, Robots};

use crate::error::{Failure, Status};
use crate::fetch::metrics::Verdicts;
use crate::fetch::signals;
use crate::options::crawler_names;
use crate::read::inputs::Inputs;
use crate::read::policy::note_known;
use crate::read::robots_file::{self, Given};
use crate::read::{packs, stdin};
use crate::sitemap::{Names, Sitemaps};
use crate::write::report::Report;
use crate::write::{screen, stdout};
use ahead::Ahead;
use args::{FilterArgs, FilterFormat};
use feed::{Asked, Buffers, Feed};
use folder::Folder;
use judge::{Judge, RobotsSource, Worker};
use output::{Piece, Pieces};
use packed::Packed;
use robotsieve_client::sieve::watch::{Stop, Watch};
use sites::Site;
use stored::Stored;
use tally::Sum;

/// A chunk on its way to a worker.
struct Job {
    lines: Vec<u8>,
    pieces: SyncSender<Piece>,
}

/// Judges the URLs of all inputs and prints the outcome.
pub fn run(args: &FilterArgs) -> Result<Status, Failure> {
    args.check_source()?;
    if args.store.is_some() {
        args.fetching.start_messages()?;
    }
    let inputs = args.inputs();
    let sitemaps = args.sitemap.names.iter();
    let robots = args.robots.as_ref().map(|path| path.as_os_str());
    stdin::at_most_once(
        inputs.iter().chain(sitemaps.clone()).map(OsString::as_os_str).chain(robots),
    )?;
    let read: Vec<OsString> = inputs.iter().chain(sitemaps).cloned().collect();
    let (watch, verdicts) = (Watch::new(), Arc::default());
    let progress = args.progress.progress;
    let report = Arc::new(match args.fetch {
        true => Report::of_sites(progress, &watch),
        false => Report::new(progress, &read),
    });
    let stored = match &args.store {
        Some(_) => Some(Arc::new(of_store(args, &report, watch, &verdicts)?)),
        None => None,
    };
    let (source, asked) = match &args.pack {
        Some(path) => of_pack(args, path, &report)?,
        None => of_files(args, stored.as_ref(), &report)?,
    };
    let crawlers = asked.agents.len();
    if crawlers > 1 && matches!(args.format, FilterFormat::Urls | FilterFormat::Denied) {
        return Err(Failure::Usage(format!(
            "--format {} is for one crawler, but there are {crawlers}{}: use --format tsv or jsonl \
             for several crawlers, or commas for several names of one",
            args.format.as_str(),
            if args.agents.0.is_empty() { " in the pack (choose one with --agent)" } else { "" },
        )));
    }
    let judge = Arc::new(Judge::new(args, source, &asked));
    let fetching = stored.as_ref().filter(|_| args.fetch);
    if let Some(stored) = fetching {
        signals::stop_politely(stored.watch())?;
    }
    let sum = sieve(args, judge, asked.sitemaps, fetching, &verdicts, &report);
    if let Some(stored) = &stored {
        stored.close();
    }
    let stop = fetching.and_then(|stored| Some((stored.watch().stopped()?, stored.kept())));
    let Some(sum) = sum? else {
        let lacking = stop.filter(|(_, kept)| kept.unasked + kept.local_faults > 0);
        let Some((stop, kept)) = lacking else { return Ok(Status::Done) };
        report.error(&format_args!("{stop}; {kept}"));
        return Ok(Status::Failed);
    };
    if let Some((stop, kept)) = stop {
        report.error(&format_args!(
            "{stop}; the first {} URLs were judged and the rest was left. {kept}",
            sum.urls
        ));
    }
    let status = sum.report(&report, crawlers, fetching.and_then(|stored| stored.counts()));
    signals::end_by(stop.map(|(stop, _)| stop));
    Ok(status)
}

fn of_store(
    args: &FilterArgs,
    report: &Arc<Report>,
    watch: Arc<Watch>,
    verdicts: &Arc<Verdicts>,
) -> Result<Stored, Failure> {
    let profile = args.profile.get();
    args.agents.required()?;
    let crawlers = args.agents.crawlers(&profile)?;
    Stored::open(args, crawlers, profile, Arc::clone(report), watch, verdicts)
}

fn of_files(
    args: &FilterArgs,
    stored: Option<&Arc<Stored>>,
    report: &Arc<Report>,
) -> Result<(RobotsSource, Asked), Failure> {
    let profile = args.profile.get();
    let agents = args.agents.required()?;
    let mut sitemaps = None;
    let source = match (stored, &args.robots, &args.robots_dir) {
        (Some(stored), ..) => RobotsSource::ByHost(Box::new(Arc::clone(stored))),
        (None, Some(path), _) => {
            let crawlers = args.agents.crawlers(&profile)?;
            let Given { bytes: file, answer } = robots_file::given(path, &[profile])?;
            let robots = Robots::parse(&file, &profile);
            robots_file::note_cut(path, &file, &robots);
            crawlers.iter().for_each(|crawler| note_known(crawler, &robots, answer.as_ref()));
            sitemaps = Some(args.sitemap.resolved(&robots, path)?);
            let site = Site::new(&file, &profile, &crawlers);
            RobotsSource::One(if answer.is_some() { site.without_lines() } else { site })
        }
        (None, None, path) => {
            let crawlers = args.agents.crawlers(&profile)?;
            // clap requires one of the options.
            let path = path.as_deref().unwrap_or(Path::new(""));
            RobotsSource::ByHost(Box::new(Folder::list(
                path,
                crawlers,
                profile,
                Arc::clone(report),
            )?))
        }
    };
    let agents = agents.iter().map(|agent| agent.text.as_encoded_bytes().to_vec()).collect();
    let sitemaps = sitemaps.map_or_else(|| args.sitemap.unresolved(), Ok)?;
    Ok((source, Asked { agents, target_form: profile.target_form, sitemaps }))
}

fn of_pack(
    args: &FilterArgs,
    path: &Path,
    report: &Arc<Report>,
) -> Result<(RobotsSource, Asked), Failure> {
    let pack = packs::open(path)?;
    if let Some(profile) = args.profile.profile
        && Profile::named(pack.profile_name()) != Some(profile)
    {
        return Err(Failure::Usage(format!(
            "pack '{}' was made with --profile {}: leave --profile out, or make another pack",
            path.display(),
            pack.profile_name(),
        )));
    }
    // A pack of another version may have a profile without a name.
    let profile = Profile::named(pack.profile_name()).unwrap_or_default();
    let (mut columns, mut agents) = (Vec::new(), Vec::new());
    for agent in &args.agents.0 {
        let asked = agent.crawler(&profile)?;
        let place = pack.crawlers().iter().position(|crawler| *crawler == asked);
        columns.push(place.ok_or_else(|| {
            let there: Vec<_> = pack.crawlers().iter().map(crawler_names).collect();
            Failure::Usage(format!(
                "pack '{}' was not made for the crawler '{}': choose one of {}, or make another pack",
                path.display(),
                agent.text.display(),
                there.join("; "),
            ))
        })?);
        agents.push(agent.text.as_encoded_bytes().to_vec());
    }
    if columns.is_empty() {
        columns.extend(0..pack.crawlers().len());
        let names = |crawler: &Crawler| crawler.iter().collect::<Vec<_>>().join(&b","[..]);
        agents.extend(pack.crawlers().iter().map(names));
    }
    if columns.is_empty() {
        let message =
            format!("pack '{}' has no crawlers: make another one with --agent", path.display());
        return Err(Failure::Usage(message));
    }
    let decides = args.format == FilterFormat::Jsonl;
    let packed = Packed::new(pack, columns, decides, Arc::clone(report));
    let sitemaps = args.sitemap.unresolved()?;
    let asked = Asked { agents, target_form: pack.target_form(), sitemaps };
    Ok((RobotsSource::ByHost(Box::new(packed)), asked))
}

/// Runs the pipeline; the calling thread writes. Returns `None` if the reader of standard output
/// went away.
///
/// In that case the threads are not joined: one of them may wait for input that never comes.
fn sieve(
    args: &FilterArgs,
    judge: Arc<Judge>,
    sitemaps: Names,
    fetching: Option<&Arc<Stored>>,
    verdicts: &Verdicts,
    report: &Arc<Report>,
) -> Result<Option<Sum>, Failure> {
    let threads = args.threads.get();
    let buffers = Arc::new(Buffers::default());
    let (job_sender, jobs) = sync_channel::<Job>(threads);
    let (turn_sender, turns) = sync_channel::<Receiver<Piece>>(2 * threads);
    let jobs = Arc::new(Mutex::new(jobs));
    let mut workers = Vec::new();
    for _ in 0..threads {
        let (judge, jobs, buffers) = (Arc::clone(&judge), Arc::clone(&jobs), Arc::clone(&buffers));
        workers.push(start("judging", move || work(&judge, &jobs, &buffers))?);
    }
    // Now only workers hold it: if all of them end, the reader does not wait forever.
    drop(jobs);
    let mut inputs = Feed {
        inputs: Inputs::new(args.inputs(), Arc::clone(report)),
        sitemaps: Sitemaps::new(sitemaps, Arc::clone(report)),
    };
    let pass = move |lines| pass(lines, &job_sender, &turn_sender);
    let reader = match fetching {
        None => start("reading", {
            let buffers = Arc::clone(&buffers);
            move || {
                let mut lines = buffers.take();
                while inputs.fill(&mut lines) && pass(lines) {
                    lines = buffers.take();
                }
            }
        })?,
        Some(stored) => {
            let ahead = Arc::new(Ahead::new(args.buffer.0));
            // It may wait for input that never comes, also after the run was stopped, so nobody
            // waits for it.
            start("reading", {
                let (ahead, stored, buffers) =
                    (Arc::clone(&ahead), Arc::clone(stored), Arc::clone(&buffers));
                move || ahead.read(&mut inputs, &stored, || buffers.take())
            })?;
            let stored = Arc::clone(stored);
            start("waiting", move || ahead.release(&stored, pass))?
        }
    };
    match write(turns, &buffers, verdicts) {
        Err(Failure::Io { cause, .. }) if cause.kind() == io::ErrorKind::BrokenPipe => {
            if let Some(stored) = fetching {
                stored.watch().stop(Stop::NoReader);
            }
            Ok(None)
        }
        Err(failure) => Err(failure),
        Ok(tally) => {
            reader.join().map_err(|_| Failure::Thread("reading"))?;
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
        Failure::io(format!("cannot start a {name} thread (try fewer --threads)"), cause)
    })
}

/// Passes a chunk on to the workers, and its turn to the writer. Returns `false` if nobody takes more.
fn pass(lines: Vec<u8>, jobs: &SyncSender<Job>, turns: &SyncSender<Receiver<Piece>>) -> bool {
    // Room for what a chunk usually sends: its output and its tally.
    let (pieces, turn) = sync_channel(2);
    turns.send(turn).is_ok() && jobs.send(Job { lines, pieces }).is_ok()
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
            let Ok(tally) = worker.format(&lines, &mut pieces) else { return };
            pieces.finish(tally);
            buffers.give(lines);
        }
    }
}

/// Writes the pieces of one chunk after another.
fn write(
    turns: Receiver<Receiver<Piece>>,
    buffers: &Buffers,
    verdicts: &Verdicts,
) -> Result<Sum, Failure> {
    let mut sum = Sum::default();
    let mut out = stdout::lock().map_err(stdout::failed)?;
    let is_terminal = out.is_terminal();
    for pieces in turns {
        let mut complete = false;
        for piece in pieces {
            match piece {
                Piece::Bytes(bytes) => {
                    // The bar is in the way only if both are on the same screen.
                    let mut write = || out.write_all(&bytes);
                    let written = if is_terminal { screen::without_bar(write) } else { write() };
                    written.map_err(stdout::failed)?;
                    buffers.give(bytes);
                }
                Piece::End(tally) => {
                    sum.add(&tally);
                    verdicts.add(&tally.answers);
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
