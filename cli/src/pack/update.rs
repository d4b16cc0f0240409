//! `robotsieve pack update`: appends what changed to the files of a pack.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use robotsieve::pack::{self, Pack, Site, Writer};
use robotsieve::{Origin, SiteKind, SiteRules};
use robotsieve_captures::packs::{
    self as made, Gather, Judging, Making, PackedAt, PackedOrigin, captured,
};
use robotsieve_captures::{Captured, PARTITIONS, Spill, partition_of};
use same_file::Handle;
use serde::{Deserialize, Serialize};

use super::args::UpdateArgs;
use super::make::{opened, pool, refuse_inputs, stream, tell_left_out};
use super::output::{self, Made, cannot_write};
use super::sources;
use crate::error::{Failure, Status};
use crate::read::packs::{self, Tail};
use crate::write::file::folder_of;
use crate::write::stderr;

/// A file with more layers is written anew. Each layer costs a look-up another miss.
const MOST_LAYERS: usize = 8;

/// The most files that are appended to at the same time: each takes two descriptors.
const MOST_OPEN: usize = 256;

/// An origin whose rules the pack has already, perhaps those of another origin.
#[derive(Deserialize, Serialize)]
struct Touched<'r> {
    origin: &'r str,
    like: &'r str,
    captured: Captured,
}

pub fn run(args: &UpdateArgs) -> Result<Status, Failure> {
    let start = Instant::now();
    packs::refuse_stdin(&args.of.pack)?;
    refuse_inputs(&args.sources, &args.of.pack)?;
    let paths = if args.of.pack.is_dir() {
        packs::shards(&args.of.pack)?
    } else {
        vec![args.of.pack.clone()]
    };
    // Before anything is read, so that nobody else updates the pack meanwhile.
    let _lock = lock(&paths[0])?;
    let (pack, tails) = packs::open_before_updates(&args.of.pack)?;
    let making = output::making_like(pack, &args.of.pack)?;
    let judging = Judging::of(&making.profile, args.sources.as_of);
    let sources = sources::open(&args.sources, &judging, &args.of.pack, args.threads.get())?;
    let cannot = |cause| cannot_write(&args.of.pack, cause);
    let threads = pool(args.threads).map_err(cannot)?;
    let folder = folder_of(&args.of.pack);

    let gather = || -> io::Result<_> {
        let out = BufWriter::with_capacity(1 << 20, tempfile::tempfile_in(folder)?);
        let writer = making.writer(out, folder)?;
        let mut gather = Gather::new(writer, Some(pack), &judging, folder)?;
        let faults = stream(&mut gather, sources, &threads, args.of.progress.progress)?;
        let mut touched = Spill::new(folder)?;
        let (writer, counts) = gather.settle(|writer, origin, settled| {
            let site = pack.get(origin).map_err(packs::as_io)?;
            let before = site.map(|site| (site.kind(), captured(&site)));
            if is_as_before(origin, &settled, before) {
                return Ok(());
            }
            let captured = settled.captured;
            match &settled.holds {
                SiteRules::Rules(PackedAt::Before(like)) => {
                    let row = Touched { origin: origin.key(), like, captured };
                    touched.put(partition_of(origin.key()), &row)
                }
                _ => made::add(writer, origin, settled.outcome()?, captured),
            }
        })?;
        Ok((opened(writer.finish()?)?, touched, counts, faults))
    };
    let (new, touched, counts, faults) = gather().map_err(cannot)?;
    tails.iter().try_for_each(cut).map_err(cannot)?;
    let changed = Update { pack, making, paths, new, touched }.apply().map_err(cannot)?;
    tell_left_out(counts);
    stderr::note(&format_args!(
        "changed {} captures {} bytes {} seconds {:.3}",
        changed.origins,
        counts.captures,
        changed.bytes,
        start.elapsed().as_secs_f64()
    ));
    Ok(if faults == 0 { Status::Done } else { Status::Failed })
}

/// Cuts off what is left of an update that was cut short.
fn cut(tail: &Tail) -> io::Result<()> {
    let file = OpenOptions::new().write(true).open(&tail.path)?;
    file.set_len(tail.complete)?;
    file.sync_all()?;
    stderr::note(&format_args!(
        "cut off {} bytes at the end of '{}': what was left of an update that was cut short",
        tail.bytes(),
        tail.path.display()
    ));
    Ok(())
}

/// Returns true if the pack says just this already. What has no time says nothing new of the time.
fn is_as_before(
    origin: &Origin<'_>,
    settled: &PackedOrigin,
    before: Option<(SiteKind, Captured)>,
) -> bool {
    let Some((kind, known)) = before else { return false };
    let is_same = match &settled.holds {
        // What is known is better.
        SiteRules::Unknown => return true,
        SiteRules::Rules(PackedAt::Put(_)) => false,
        SiteRules::Rules(PackedAt::Before(like)) if **like != *origin.key() => false,
        holds => holds.kind() == kind,
    };
    is_same && settled.captured.at == known.at
}

/// Waits for nobody: two updates of a pack at the same time are a mistake.
fn lock(path: &Path) -> Result<File, Failure> {
    let cannot = |cause| cannot_write(path, cause);
    loop {
        let file = OpenOptions::new().read(true).write(true).open(path);
        let file = file.map_err(|cause| match cause.kind() {
            io::ErrorKind::NotFound => cannot(cause).advise(packs::MADE_BY),
            _ => cannot(cause),
        })?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(cannot(io::Error::other("another update of it is under way")));
            }
            Err(TryLockError::Error(cause)) => return Err(cannot(cause)),
        }
        // An update may have written the file anew in between.
        let locked = Handle::from_file(file.try_clone().map_err(cannot)?).map_err(cannot)?;
        if Handle::from_path(path).map_err(cannot)? == locked {
            return Ok(file);
        }
    }
}

/// What is to be done.
struct Update {
    pack: &'static Pack<'static>,
    making: Making,
    /// The files of the pack.
    paths: Vec<PathBuf>,
    /// What the pack does not have.
    new: &'static Pack<'static>,
    touched: Spill,
}

/// How an origin changes.
enum Change<'c> {
    To(&'c Site<'c>),
    /// To what the pack has for this origin.
    Like(Origin<'c>),
}

impl Update {
    /// Appends to each file what changed of its origins.
    fn apply(mut self) -> io::Result<Made> {
        let mut changed = BTreeSet::new();
        let count = self.count();
        self.each_change(|_, origin, _| {
            changed.insert(origin.shard(count));
            Ok(())
        })?;
        let changed: Vec<u32> = changed.into_iter().collect();
        let mut made = Made::default();
        for group in changed.chunks(MOST_OPEN) {
            let mut layers = BTreeMap::new();
            match self.append(group, &mut layers) {
                Ok(group) => {
                    made.origins += group.origins;
                    made.bytes += group.bytes;
                }
                Err(cause) => {
                    // The files are as they were. Dropping a layer writes what is in its buffer.
                    let layers: Vec<_> = layers
                        .into_values()
                        .map(|Layer { file, complete, .. }| (file, complete))
                        .collect();
                    for (file, complete) in layers {
                        file.set_len(complete)?;
                    }
                    return Err(cause);
                }
            }
        }
        Ok(made)
    }

    fn count(&self) -> u32 {
        u32::try_from(self.paths.len()).unwrap_or(u32::MAX)
    }

    /// Appends to some files. Those that remain in `layers` are not complete.
    fn append(&mut self, group: &[u32], layers: &mut BTreeMap<u32, Layer>) -> io::Result<Made> {
        for shard in group {
            layers.insert(*shard, Layer::begin(&self.paths[*shard as usize], &self.making)?);
        }
        let (count, pack) = (self.count(), self.pack);
        let mut origins = 0;
        self.each_change(|change, origin, captured| {
            let Some(Layer { writer, own, .. }) = layers.get_mut(&origin.shard(count)) else {
                return Ok(());
            };
            let outcome = match change {
                Change::To(site) => writer.put_site(site)?,
                Change::Like(like) => {
                    // Of the pack that is appended to, the records are there already.
                    let is_own = like.shard(count) == origin.shard(count);
                    let site = if is_own { own.get(&like) } else { pack.get(&like) };
                    match site.map_err(packs::as_io)? {
                        Some(site) => writer.put_site(&site)?,
                        None => return Ok(()),
                    }
                }
            };
            origins += 1;
            made::add(writer, origin, outcome, captured)
        })?;
        let mut bytes = 0;
        for shard in group {
            let Some(layer) = layers.remove(shard) else { continue };
            let (file, complete, own) = (layer.file.try_clone()?, layer.complete, layer.own);
            match layer.end() {
                Ok(end) => bytes += end - complete,
                Err(cause) => {
                    file.set_len(complete)?;
                    return Err(cause);
                }
            }
            if own.layer_count() >= MOST_LAYERS {
                let path = &self.paths[*shard as usize];
                let whole = Pack::open_shard(packs::map(&file)?).map_err(packs::as_io)?;
                output::shard_anew(&whole, &self.making, (*shard, count), path)?;
            }
        }
        Ok(Made { origins, bytes })
    }

    /// Calls `act` with all that changes.
    fn each_change(
        &mut self,
        mut act: impl FnMut(Change<'_>, &Origin<'_>, Captured) -> io::Result<()>,
    ) -> io::Result<()> {
        for site in self.new.sites() {
            let site = site.map_err(packs::as_io)?;
            for origin in site.origins() {
                act(Change::To(&site), &origin, captured(&site))?;
            }
        }
        for partition in 0..PARTITIONS {
            for row in self.touched.rows(partition)?.iter::<Touched<'_>>() {
                let Touched { origin, like, captured } = row?;
                let (Ok(origin), Ok(like)) = (Origin::of(origin), Origin::of(like)) else {
                    continue;
                };
                act(Change::Like(like), &origin, captured)?;
            }
        }
        Ok(())
    }
}

/// A layer that is being appended to a file.
struct Layer {
    file: File,
    /// How long the file was.
    complete: u64,
    own: &'static Pack<'static>,
    writer: Writer<'static, BufWriter<File>>,
}

impl Layer {
    fn begin(path: &Path, making: &Making) -> io::Result<Layer> {
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        let bytes = packs::map(&file)?;
        let own = Pack::open_shard(bytes).map_err(packs::as_io)?;
        let own: &'static Pack<'static> = Box::leak(Box::new(own));
        let complete = file.seek(SeekFrom::Start(bytes.len() as u64))?;
        let out = BufWriter::with_capacity(64 << 10, file.try_clone()?);
        let writer = Writer::append(own, out, &making.profile, &making.config)?;
        Ok(Layer { file, complete, own, writer })
    }

    /// Completes the layer, and returns how long the file is. The header counts it once it is on the
    /// disk; if that cannot be written, it says what it said.
    fn end(self) -> io::Result<u64> {
        let layers = self.own.layer_count();
        let out = self.writer.finish()?;
        let mut file = out.into_inner().map_err(|error| error.into_error())?;
        file.sync_all()?;
        if let Err(cause) = put_header(&mut file, layers + 1) {
            let _ = put_header(&mut file, layers);
            return Err(cause);
        }
        Ok(file.metadata()?.len())
    }
}

/// Says in the file how many layers it has.
fn put_header(file: &mut File, layers: usize) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&pack::header(layers))?;
    file.sync_all()
}
