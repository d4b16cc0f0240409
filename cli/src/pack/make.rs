//! Packs from sources.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use rayon::ThreadPool;
use robotsieve::Config;
use robotsieve::pack::Pack;
use robotsieve_captures::packs::{self, Counts, Gather, GatherInput, Judging, Making};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{AsOf, Protocol};
use robotsieve_client::pack_files::{Lock, map};

use super::args::PackArgs;
use super::output::{self, Made, cannot_write};
use super::shards;
use super::sources::{self, CaptureSource, Faults};
use crate::error::{Failure, Status};
use crate::options::{Threads, When};
use crate::read::output::Output;
use crate::read::packs::as_io;
use crate::read::robots_dir;
use crate::write::file::{folder_of, temporary};
use crate::write::progress::{Bar, Measure};
use crate::write::stderr;

/// Makes a pack from sources.
pub fn build(args: &PackArgs) -> Result<Status, Failure> {
    let start = Instant::now();
    let output = required(args.writing.output.as_deref())?;
    args.agents.required()?;
    let profile = args.profile.get();
    let mut config = Config::default();
    config.keep_rules = args.keep_rules;
    config.keep_sitemaps = args.keep_sitemaps;
    config.keep_rights = args.rights;
    let crawlers = args.agents.crawlers(&profile)?;
    let making = Making { profile, crawlers, config, seed: args.writing.seed.get() };
    let judging = args.sources.judging(&profile);
    let written = Output::new(output);
    refuse_inputs(&sources::names(&args.sources), &written)?;
    let sources = sources::open(&args.sources, &judging, &written, args.writing.threads.get())?;
    let progress = args.writing.progress.progress;
    let how = (args.writing.shards.shards, args.writing.threads, progress);
    let summary = make(&making, sources, &judging, output, how)?;
    summary.tell(start);
    Ok(summary.status())
}

/// The path to write to.
pub fn required(output: Option<&Path>) -> Result<&Path, Failure> {
    output.ok_or_else(|| Failure::Usage("there is no file to write: name one with -o PATH".into()))
}

/// Refuses to write over what is read, or to a folder of it.
pub fn refuse_inputs<N: AsRef<OsStr>>(names: &[N], output: &Output<'_>) -> Result<(), Failure> {
    output.refuse_inputs(names)?;
    let mut folders = names.iter().map(Path::new).filter(|path| path.is_dir());
    folders.try_for_each(|folder| robots_dir::refuse_output_beneath(folder, output.path()))
}

/// What came of making a pack.
pub struct Summary {
    made: Made,
    /// Distinct files.
    files: u64,
    counts: Counts,
    /// What could not be read.
    faults: u64,
}

impl Summary {
    /// Writes no empty pack because nothing could be read: an old one may be there.
    fn refuse_nothing(&self, output: &Path) -> Result<(), Failure> {
        if self.faults > 0 && self.counts.captures + self.counts.later == 0 {
            return Err(Failure::Incomplete(format!(
                "nothing could be read, so '{}' was not written: see the errors above",
                output.display()
            )));
        }
        Ok(())
    }

    fn tell(&self, start: Instant) {
        tell_left_out(self.counts);
        if self.made.origins == 0 {
            stderr::note(&"the pack is empty: the sources say nothing of any site");
        }
        let Made { origins, bytes } = self.made;
        stderr::note(&format_args!(
            "origins {origins} files {} captures {} bytes {bytes} seconds {:.3}",
            self.files,
            self.counts.captures,
            start.elapsed().as_secs_f64()
        ));
    }

    /// Whether all could be read.
    pub fn status(&self) -> Status {
        if self.faults == 0 { Status::Done } else { Status::Failed }
    }
}

/// Tells what the pack does not have.
pub fn tell_left_out(Counts { later, lost, .. }: Counts) {
    if lost > 0 {
        stderr::note(&format_args!(
            "{lost} redirects and revisits lead to what the sources do not have: what they say is unknown"
        ));
    }
    if later > 0 {
        stderr::note(&format_args!("left out {later} captures from after the time of --as-of"));
    }
}

/// The number of sources that are read at the same time. The same whatever the number of threads is, so that
/// the same sources make the same pack.
const LANES: usize = 8;

/// The number of captures that are taken from a source at a time, and about how many bytes.
const BATCH: usize = 512;
const BATCH_BYTES: usize = 4 << 20;

/// Captures of a source, and whether there may be more.
type Batch = (Vec<GatherInput>, bool);

fn batch(source: &mut dyn CaptureSource, faults: &Faults) -> Batch {
    let (mut inputs, mut bytes) = (Vec::new(), 0);
    while inputs.len() < BATCH && bytes < BATCH_BYTES {
        let Some(input) = source.next(faults) else { return (inputs, false) };
        bytes += input.weight();
        inputs.push(input);
    }
    (inputs, true)
}

/// Reads all sources, with all threads of a pool. Returns how much could not be read.
pub fn stream<W: Write + Send>(
    gather: &mut Gather<'_, W>,
    sources: Vec<Box<dyn CaptureSource>>,
    threads: &ThreadPool,
    progress: When,
) -> io::Result<u64> {
    use rayon::prelude::*;

    let faults = Faults::default();
    let bar = Bar::new(progress, Measure::Records);
    let mut waiting = sources.into_iter();
    let mut lanes: Vec<Box<dyn CaptureSource>> = waiting.by_ref().take(LANES).collect();
    let fill = |lanes: &mut Vec<Box<dyn CaptureSource>>| -> Vec<Batch> {
        lanes.par_iter_mut().map(|lane| batch(&mut **lane, &faults)).collect()
    };
    let mut read = threads.install(|| fill(&mut lanes));
    while !read.is_empty() {
        let mut is_open = read.iter().map(|(_, is_open)| *is_open);
        lanes.retain(|_| is_open.next().unwrap_or(false));
        lanes.extend(waiting.by_ref().take(LANES - lanes.len()));
        let inputs: Vec<GatherInput> = read.into_iter().flat_map(|(inputs, _)| inputs).collect();
        let count = inputs.len();
        // What was read is compiled while the next is read.
        let (added, next) =
            threads.install(|| rayon::join(|| gather.add(inputs), || fill(&mut lanes)));
        added?.iter().for_each(|unread| faults.unknown(unread));
        read = next;
        bar.add(count as u64);
    }
    bar.end();
    Ok(faults.end())
}

/// Makes a pack: one file, or a folder of shards.
pub fn make(
    making: &Making,
    sources: Vec<Box<dyn CaptureSource>>,
    judging: &Judging,
    output: &Path,
    (shards, threads, progress): (Option<u32>, Threads, When),
) -> Result<Summary, Failure> {
    let cannot = |cause| cannot_write(output, cause);
    let folder = folder_of(output);
    let threads = pool(threads).map_err(cannot)?;
    let Some(count) = shards else {
        let out = BufWriter::with_capacity(1 << 20, temporary(output).map_err(cannot)?);
        let (out, summary) =
            one(making, sources, judging, folder, out, (&threads, progress)).map_err(cannot)?;
        summary.refuse_nothing(output)?;
        let file = out.into_inner().map_err(|error| cannot(error.into_error()))?;
        let _lock = Lock::to_replace(output).map_err(cannot)?;
        let bytes = file.persist().map_err(cannot)?;
        return Ok(Summary { made: Made { bytes, ..summary.made }, ..summary });
    };
    // Where a redirect leads may be in another shard, so the shards are made from one pack.
    shards::Folder::new(output)?;
    let whole = tempfile::tempfile_in(folder).map_err(cannot)?;
    let out = BufWriter::with_capacity(1 << 20, whole);
    let (out, summary) =
        one(making, sources, judging, folder, out, (&threads, progress)).map_err(cannot)?;
    summary.refuse_nothing(output)?;
    let whole = opened(out).map_err(cannot)?;
    let inputs = [(whole, output)];
    let made = threads.install(|| output::to_shards(&inputs, making, output, count))?;
    Ok(Summary { made, ..summary })
}

/// Makes a pack of what is in force for the origins of a store, for `store export`.
pub fn of_store(
    making: &Making,
    store: &Path,
    protocol: Protocol,
    output: &Path,
    progress: When,
) -> Result<Status, Failure> {
    let start = Instant::now();
    let judging = Judging {
        of_stores: (protocol, AsOf::Time(Timestamp::now())),
        ..Judging::of(&making.profile, None)
    };
    let store = sources::Store::open(store, &judging)?;
    let how = (None, Threads::default(), progress);
    let summary = make(making, vec![Box::new(store)], &judging, output, how)?;
    summary.tell(start);
    Ok(summary.status())
}

/// Writes a pack from sources.
fn one<W: Write + Send>(
    making: &Making,
    sources: Vec<Box<dyn CaptureSource>>,
    judging: &Judging,
    folder: &Path,
    out: W,
    (threads, progress): (&ThreadPool, When),
) -> io::Result<(W, Summary)> {
    let mut gather = Gather::new(making.writer(out, folder)?, None, judging, folder)?;
    let faults = stream(&mut gather, sources, threads, progress)?;
    let mut origins = 0;
    let (writer, counts) = gather.settle(|writer, origin, settled| {
        origins += 1;
        let basis = settled.basis;
        packs::add(writer, origin, settled.outcome()?, basis)
    })?;
    let files = writer.file_count();
    let made = Made { origins, bytes: 0 };
    Ok((writer.finish()?, Summary { made, files, counts, faults }))
}

/// Opens a pack that was written to a file without a name.
pub fn opened(out: BufWriter<File>) -> io::Result<&'static Pack<'static>> {
    let file = out.into_inner().map_err(|error| error.into_error())?;
    let pack = Pack::open(map(&file)?).map_err(as_io)?;
    Ok(Box::leak(Box::new(pack)))
}

/// A pool of so many threads.
pub fn pool(threads: Threads) -> io::Result<ThreadPool> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build();
    threads.map_err(io::Error::other)
}
