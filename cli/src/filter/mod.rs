//! `robotsieve filter`: judges URLs by the million, in a pipeline with bounded memory.
//!
//! ```text
//!             the next chunk          in the order of the input
//! inputs ──────────────────▶ workers ──────────────────▶ output
//!          one at a time                one at a time
//! ```
//!
//! Each worker reads a chunk, judges it and writes it, so what it read stays in its core's cache, and no
//! thread waits while another one could use its core. [`inputs`] opens and decompresses the inputs and
//! splits them into chunks of whole lines; [`feed`] lets one worker after the other read. Then [`judge`]
//! decides about every line. It takes a hundred lines at a time in steps: [`batch`] splits them and finds
//! their origins, [`sites`] has the answers ([`folder`], [`packed`] and [`stored`] are where they come
//! from). If lines are printed as they came, they stay in the chunk; other output is formatted by
//! [`output`]. [`Turns`](crate::turns::Turns) keep the order of what is written.
//!
//! With `--fetch` there is one more stage, [`ahead`]: another thread reads, and chunks wait there for the
//! sites that are being asked.
//!
//! Few chunks may wait for their turn to be written, so a slow consumer stops the reading. A worker
//! whose output grows large (many crawlers, long rules) waits for its turn and writes it in pieces. The
//! chunk whose turn it is can always proceed, so there is no deadlock.

mod ahead;
pub mod args;
mod batch;
mod feed;
mod folder;
mod judge;
mod output;
mod packed;
mod purpose;
mod sites;
mod stored;
mod tally;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use robotsieve::{Crawler, Profile, Robots};

use crate::error::{Failure, Status};
use crate::fetch::metrics::Verdicts;
use crate::fetch::signals;
use crate::options::crawler_names;
use crate::read::inputs::Inputs;
use crate::read::policy::{OperatorsNote, note_known};
use crate::read::robots_file::{self, Given};
use crate::read::urls::Governed;
use crate::read::{packs, stdin};
use crate::sitemap::{Names, Sitemaps};
use crate::turns::Turn;
use crate::write::report::Report;
use crate::write::stdout;
use ahead::Ahead;
use args::{FilterArgs, FilterFormat};
use feed::{Asked, Buffers, Chunk, Chunks, Feed, Source};
use folder::Folder;
use judge::{Judge, RobotsSource, Worker};
use output::{Output, Pieces, Unwritten};
use packed::{Packed, PackedRights};
use robotsieve_client::sieve::watch::{Stop, Watch};
use sites::{Site, Sites};
use stored::Stored;
use tally::Sum;

/// Judges the URLs of all inputs and prints the outcome.
pub fn run(args: &FilterArgs) -> Result<Status, Failure> {
    args.check_source()?;
    if args.purpose.is_some() && args.missing == args::Missing::Allow {
        return Err(Failure::Usage(
            "--missing allow is for crawling alone: of other purposes silence is no permission"
                .to_owned(),
        ));
    }
    if args.why && args.format != FilterFormat::Tsv {
        return Err(Failure::Usage(format!(
            "--why is for --format tsv: {}",
            match args.format {
                FilterFormat::Jsonl => "jsonl has a member why anyway",
                _ => "urls and denied print the URLs alone",
            }
        )));
    }
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
    args.fetching.refuse_metrics_over(&read, args.store.as_deref(), &args.meaning)?;
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
    let judge = Judge::new(args, source, &asked);
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
            if answer.is_none() {
                OperatorsNote::of(&crawlers, &profile).look(&file, &"this robots.txt");
            }
            sitemaps = Some(args.sitemap.resolved(&robots, path)?);
            let site = Site::new(&file, &profile, &crawlers, args.purpose);
            let site = match &answer {
                Some(answer) => site.without_lines().because(answer.why),
                None => site,
            };
            RobotsSource::One(site, Governed::by(path))
        }
        (None, None, path) => {
            let crawlers = args.agents.crawlers(&profile)?;
            // clap requires one of the options.
            let path = path.as_deref().unwrap_or(Path::new(""));
            RobotsSource::ByHost(Box::new(Folder::list(
                path,
                crawlers,
                profile,
                args.purpose,
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
    let (mut columns, mut agents, mut crawlers) = (Vec::new(), Vec::new(), Vec::new());
    for agent in &args.agents.0 {
        let asked = agent.crawler(&profile)?;
        columns.push(pack.crawler(&asked).ok_or_else(|| {
            let there: Vec<_> = pack.crawlers().iter().map(crawler_names).collect();
            Failure::Usage(format!(
                "pack '{}' was not made for the crawler '{}': choose one of {}, or make another pack",
                path.display(),
                agent.text.display(),
                there.join("; "),
            ))
        })?);
        agents.push(agent.text.as_encoded_bytes().to_vec());
        crawlers.push(asked);
    }
    if columns.is_empty() {
        crawlers.extend_from_slice(pack.crawlers());
        columns.extend(pack.crawler_ids());
        let names = |crawler: &Crawler| crawler.iter().collect::<Vec<_>>().join(&b","[..]);
        agents.extend(pack.crawlers().iter().map(names));
    }
    if columns.is_empty() {
        let message =
            format!("pack '{}' has no crawlers: make another one with --agent", path.display());
        return Err(Failure::Usage(message));
    }
    OperatorsNote::of(&crawlers, &profile).tell_of_pack();
    let decides = args.format == FilterFormat::Jsonl;
    let sites: Box<dyn Sites> = match args.purpose {
        None => Box::new(Packed::new(pack, columns, decides, Arc::clone(report))),
        Some(_) if !pack.keeps_rights() => {
            return Err(Failure::Usage(format!(
                "pack '{}' does not keep what files say of other purposes than crawling: make it \
                 again with 'robotsieve pack --rights'",
                path.display()
            )));
        }
        Some(purpose) => Box::new(PackedRights::new(pack, columns, purpose, Arc::clone(report))),
    };
    let sitemaps = args.sitemap.unresolved()?;
    let asked = Asked { agents, target_form: pack.target_form(), sitemaps };
    Ok((RobotsSource::ByHost(sites), asked))
}

/// What workers share.
struct Shared {
    judge: Judge,
    chunks: Chunks,
    buffers: Arc<Buffers>,
    output: Output,
    sum: Mutex<Sum>,
    verdicts: Arc<Verdicts>,
}

/// Runs the pipeline. Returns `None` if the reader of standard output went away.
///
/// In that case the threads are not joined: one of them may wait for input that never comes.
fn sieve(
    args: &FilterArgs,
    judge: Judge,
    sitemaps: Names,
    fetching: Option<&Arc<Stored>>,
    verdicts: &Arc<Verdicts>,
    report: &Arc<Report>,
) -> Result<Option<Sum>, Failure> {
    let threads = args.threads.get();
    let buffers = Arc::new(Buffers::default());
    let feed = Feed {
        inputs: Inputs::new(args.inputs(), Arc::clone(report)).keeping_beginnings(),
        sitemaps: Sitemaps::new(sitemaps, Arc::clone(report)),
    };
    let source = match fetching {
        None => Source::Feed(Box::new(feed)),
        Some(stored) => read_ahead(args, feed, stored, &buffers)?,
    };
    drop(stdout::lock().map_err(stdout::failed)?);
    let shared = Arc::new(Shared {
        judge,
        chunks: Chunks::new(source),
        buffers,
        output: Output::new(2 * threads),
        sum: Mutex::default(),
        verdicts: Arc::clone(verdicts),
    });
    let (ended, ends) = channel();
    for _ in 0..threads {
        let end = End { shared: Arc::clone(&shared), ended: ended.clone() };
        start("judging", move || {
            let worked = work(&end.shared);
            // Nobody listens any more if another worker failed.
            let _ = end.ended.send(worked);
        })?;
    }
    let worked = ends.iter().take(threads).collect::<Result<(), Failure>>();
    let flushed = || stdout::lock().and_then(|mut out| out.flush()).map_err(stdout::failed);
    match worked.and_then(|()| flushed()) {
        Err(Failure::Io { cause, .. }) if cause.kind() == io::ErrorKind::BrokenPipe => {
            if let Some(stored) = fetching {
                stored.watch().stop(Stop::NoReader);
            }
            Ok(None)
        }
        Err(failure) => Err(failure),
        Ok(()) => {
            let mut sum = shared.sum.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(Some(std::mem::take(&mut sum)))
        }
    }
}

/// Starts the stage where chunks wait for sites that are asked, and the thread that reads for it.
fn read_ahead(
    args: &FilterArgs,
    mut feed: Feed,
    stored: &Arc<Stored>,
    buffers: &Arc<Buffers>,
) -> Result<Source, Failure> {
    let (sender, chunks) = sync_channel(args.threads.get());
    let ahead = Arc::new(Ahead::new(args.buffer.0));
    // It may wait for input that never comes, also after the run was stopped, so nobody waits for it.
    start("reading", {
        let (ahead, stored, buffers) =
            (Arc::clone(&ahead), Arc::clone(stored), Arc::clone(buffers));
        move || ahead.read(&mut feed, &stored, || buffers.take())
    })?;
    let stored = Arc::clone(stored);
    start("waiting", move || ahead.release(&stored, |chunk| sender.send(chunk).is_ok()))?;
    Ok(Source::Stage(chunks))
}

fn start(name: &str, body: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    let started = thread::Builder::new().name(name.to_owned()).spawn(body);
    started.map(drop).map_err(|cause| {
        Failure::io(format!("cannot start a {name} thread (try fewer --threads)"), cause)
    })
}

/// Says that a worker has ended, also if it panics.
struct End {
    shared: Arc<Shared>,
    ended: Sender<Result<(), Failure>>,
}

impl Drop for End {
    fn drop(&mut self) {
        if thread::panicking() {
            self.shared.output.turns.end();
            let _ = self.ended.send(Err(Failure::Thread("judging")));
        }
    }
}

/// Reads, judges and writes chunks until there are no more.
fn work(shared: &Shared) -> Result<(), Failure> {
    let Shared { judge, chunks, buffers, output, sum, verdicts } = shared;
    let mut worker = Worker::new(judge);
    while output.turns.wait_for_room() {
        let Some((number, Chunk { mut lines, is_beginning })) = chunks.next(buffers) else { break };
        let turn = Turn::new(&output.turns, number);
        let judged = if worker.sieves() {
            let (tally, len) = match is_beginning {
                true => (worker.tally_invalid(), 0),
                false => worker.sieve(&mut lines),
            };
            let written = output.finish(turn, (lines, len), buffers);
            written.map(|()| tally).map_err(Unwritten::Failed)
        } else {
            let mut pieces = Pieces::new(output, turn, buffers);
            let tally = match is_beginning {
                true => worker.format_invalid(&lines, &mut pieces),
                false => worker.format(&lines, &mut pieces),
            };
            buffers.give(lines);
            tally.and_then(|tally| pieces.finish(buffers).map(|()| tally))
        };
        match judged {
            Ok(tally) => {
                sum.lock().unwrap_or_else(PoisonError::into_inner).add(&tally);
                verdicts.add(&tally.answers);
            }
            Err(Unwritten::Over) => break,
            Err(Unwritten::Failed(cause)) => return Err(stdout::failed(cause)),
        }
    }
    Ok(())
}
