//! `robotsieve pack update`: appends what changed to the files of a pack.
//!
//! Others have the files mapped while they change, and may be killed, or kill the update, at any time. So
//! the update keeps to the rules of [`pack_files`]: it has the lock before it reads anything, and writes
//! nothing but behind the end of a file. What changed in a file is first written to a file without a
//! name. When it is complete there, its bytes but the last ones, the trailer, are appended to the file of
//! the pack; when they are on the disk, the trailer. From then on readers have the new answers: before,
//! they leave out what is behind the pack.
//!
//! - If a disk is full, that shows before anything is appended: room is reserved first.
//! - If appending fails, or an earlier update was killed while it appended, the bytes of the pack are
//!   written to a new file, which takes the name of the old one. The old one is not cut: a reader that
//!   has it mapped would be ended by a signal.
//! - A file that has been updated often is written anew, in the same way.
//! - An update is reported as done only if its files are still those at their paths.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use robotsieve::pack::{Pack, Site, Writer};
use robotsieve::{Origin, SiteKind, SiteRules};
use robotsieve_captures::packs::{self as made, Gather, Making, PackedAt, PackedOrigin, basis};
use robotsieve_captures::{Basis, PARTITIONS, Spill, partition_of};
use robotsieve_client::pack_files::{Lock, PackFile, map};
use serde::{Deserialize, Serialize};

use super::args::UpdateArgs;
use super::make::{opened, pool, refuse_inputs, stream, tell_left_out};
use super::output::{self, Made, cannot_write};
use super::sources;
use crate::error::{Failure, Status};
use crate::read::output::Output;
use crate::read::packs::{self, Opened};
use crate::write::file::{folder_of, remove_leftover, temporary_of_one};
use crate::write::stderr;

/// A file with more layers is written anew. Each layer costs a look-up another miss.
const MOST_LAYERS: usize = 8;

/// The most files for which layers are written at the same time: each takes two descriptors.
const MOST_OPEN: usize = 256;

/// An origin whose rules the pack has already, perhaps those of another origin.
#[derive(Deserialize, Serialize)]
struct Touched<'r> {
    origin: &'r str,
    like: &'r str,
    basis: Basis,
}

pub fn run(args: &UpdateArgs) -> Result<Status, Failure> {
    let start = Instant::now();
    packs::refuse_stdin(&args.of.pack)?;
    let written = Output::named_by(&args.of.pack, "name another pack to update");
    refuse_inputs(&sources::names(&args.sources), &written)?;
    // Before anything is read, so that nobody else updates the pack meanwhile.
    let _lock = lock(&args.of.pack)?;
    let Opened { pack, mut files, .. } = packs::opened(&args.of.pack)?;
    let pack: &'static Pack<'static> = Box::leak(Box::new(pack));
    files.iter().for_each(|file| remove_leftover(&file.path));
    let making = output::making_like(pack, &args.of.pack)?;
    let judging = args.sources.judging(&making.profile);
    let sources = sources::open(&args.sources, &judging, &written, args.threads.get())?;
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
            let before = site.map(|site| (site.kind(), basis(&site)));
            if is_as_before(origin, &settled, before) {
                return Ok(());
            }
            let basis = settled.basis;
            match &settled.holds {
                SiteRules::Rules(PackedAt::Before(like)) => {
                    let row = Touched { origin: origin.key(), like, basis };
                    touched.put(partition_of(origin.key()), &row)
                }
                _ => made::add(writer, origin, settled.outcome()?, basis),
            }
        })?;
        Ok((opened(writer.finish()?)?, touched, counts, faults))
    };
    let (new, touched, counts, faults) = gather().map_err(cannot)?;
    for tail in pack.unfinished() {
        let file = &mut files[tail.file];
        without_tail(file, tail.complete).map_err(cannot)?;
        stderr::note(&format_args!(
            "cut off {} bytes at the end of '{}': what was left of an update that was cut short",
            tail.bytes,
            file.path.display()
        ));
    }
    let update = Update { pack, making, files, scratch: folder.to_owned(), new, touched };
    let changed = update.apply().map_err(cannot)?;
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

/// Puts a new file in the place of one that has something behind its pack: the pack alone, which has
/// this many bytes. The old file stays as it is for those who have it open.
fn without_tail(file: &mut PackFile, complete: u64) -> io::Result<()> {
    let mut old = file.to_append()?;
    let mut new = temporary_of_one(&file.path)?;
    // A file of another user cannot be given to that one.
    let _ = new.take_after(&old.metadata()?);
    copy(&mut Read::by_ref(&mut old).take(complete), &mut new)?;
    new.persist()?;
    *file = file.again()?;
    Ok(())
}

fn copy(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut buffer = vec![0; 256 << 10];
    loop {
        match from.read(&mut buffer)? {
            0 => return Ok(()),
            len => to.write_all(&buffer[..len])?,
        }
    }
}

/// Returns true if the pack says just this already. What has no time says nothing new of the time.
fn is_as_before(
    origin: &Origin<'_>,
    settled: &PackedOrigin,
    before: Option<(SiteKind, Basis)>,
) -> bool {
    let Some((kind, known)) = before else { return false };
    let is_same = match &settled.holds {
        SiteRules::Rules(PackedAt::Put(_)) => false,
        SiteRules::Rules(PackedAt::Before(like)) if **like != *origin.key() => false,
        holds => holds.kind() == kind,
    };
    is_same && settled.basis.captured.at == known.captured.at && settled.basis.other == known.other
}

/// Waits for nobody: two updates of a pack at the same time are a mistake.
fn lock(pack: &Path) -> Result<Lock, Failure> {
    let cannot = |cause| cannot_write(pack, cause);
    match Lock::to_update(pack) {
        Ok(Some(lock)) => Ok(lock),
        Ok(None) => Err(cannot(io::Error::other("another update of it is under way"))
            .advise("update it again when that one has ended")),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
            Err(cannot(cause).advise(packs::MADE_BY))
        }
        Err(cause) => Err(cannot(cause)),
    }
}

/// What is to be done.
struct Update {
    pack: &'static Pack<'static>,
    making: Making,
    /// The files of the pack, by their shards.
    files: Vec<PackFile>,
    /// Takes what is written before it is appended.
    scratch: PathBuf,
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
            let group = self.append(group)?;
            made.origins += group.origins;
            made.bytes += group.bytes;
        }
        Ok(made)
    }

    fn count(&self) -> u32 {
        u32::try_from(self.files.len()).unwrap_or(u32::MAX)
    }

    /// Appends to some files, one after another.
    fn append(&mut self, group: &[u32]) -> io::Result<Made> {
        let mut layers = BTreeMap::new();
        for shard in group {
            let file = &self.files[*shard as usize];
            layers.insert(*shard, Layer::begin(file, &self.making, &self.scratch)?);
        }
        let (count, pack) = (self.count(), self.pack);
        let mut origins = 0;
        self.each_change(|change, origin, basis| {
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
            made::add(writer, origin, outcome, basis)
        })?;
        let mut bytes = 0;
        for (shard, layer) in layers {
            let file = &mut self.files[shard as usize];
            let is_full = layer.own.layer_count() >= MOST_LAYERS;
            bytes += layer.end(file)?;
            if is_full {
                let whole = Pack::open_shard(map(&File::open(&file.path)?)?);
                let whole = whole.map_err(packs::as_io)?;
                output::shard_anew(&whole, &self.making, (shard, count), &file.path)?;
            }
        }
        Ok(Made { origins, bytes })
    }

    /// Calls `act` with all that changes.
    fn each_change(
        &mut self,
        mut act: impl FnMut(Change<'_>, &Origin<'_>, Basis) -> io::Result<()>,
    ) -> io::Result<()> {
        for site in self.new.sites() {
            let site = site.map_err(packs::as_io)?;
            for origin in site.origins() {
                act(Change::To(&site), &origin, basis(&site))?;
            }
        }
        for partition in 0..PARTITIONS {
            for row in self.touched.rows(partition)?.iter::<Touched<'_>>() {
                let Touched { origin, like, basis } = row?;
                let (Ok(origin), Ok(like)) = (Origin::of(origin), Origin::of(like)) else {
                    continue;
                };
                act(Change::Like(like), &origin, basis)?;
            }
        }
        Ok(())
    }
}

/// A layer that is going to be appended to a file.
struct Layer {
    own: &'static Pack<'static>,
    writer: Writer<'static, BufWriter<File>>,
}

impl Layer {
    fn begin(file: &PackFile, making: &Making, scratch: &Path) -> io::Result<Layer> {
        let own = Pack::open_shard(map(&file.to_append()?)?).map_err(packs::as_io)?;
        let own: &'static Pack<'static> = Box::leak(Box::new(own));
        let out = BufWriter::with_capacity(64 << 10, tempfile::tempfile_in(scratch)?);
        let writer = Writer::append(own, out, &making.profile, &making.config)?;
        Ok(Layer { own, writer })
    }

    /// Appends the layer, and returns how many bytes it has.
    fn end(self, to: &mut PackFile) -> io::Result<u64> {
        let complete = self.own.files().map(<[u8]>::len).sum::<usize>() as u64;
        let (out, trailer) = self.writer.finish_but_trailer()?;
        let mut layer = out.into_inner().map_err(|error| error.into_error())?;
        let bytes = layer.stream_position()? + trailer.len() as u64;
        layer.rewind()?;
        let mut file = to.to_append()?;
        // It begins where the pack ends.
        if file.seek(SeekFrom::End(0))? != complete {
            return Err(io::Error::other(format!(
                "another program has written to '{}' meanwhile",
                to.path.display()
            )));
        }
        reserve(&file, complete, bytes)?;
        let mut append = || {
            copy(&mut layer, &mut file)?;
            file.sync_all()?;
            // In one piece: it is there, or it is not.
            file.write_all(&trailer)
        };
        if let Err(cause) = append() {
            // Whatever becomes of that, the pack is as it was.
            if file.metadata().is_ok_and(|file| file.len() > complete) {
                let _ = without_tail(to, complete);
            }
            return Err(cause);
        }
        file.sync_all()?;
        to.is_in_its_place()?;
        Ok(bytes)
    }
}

/// Makes sure that there is room for bytes behind the end of a file, which stays where it is. Does
/// nothing where the system cannot tell.
fn reserve(file: &File, end: u64, bytes: u64) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{FallocateFlags, fallocate};
        use rustix::io::Errno;
        if let Err(error @ (Errno::NOSPC | Errno::DQUOT)) =
            fallocate(file, FallocateFlags::KEEP_SIZE, end, bytes)
        {
            return Err(error.into());
        }
    }
    let _ = (file, end, bytes);
    Ok(())
}
