//! Writing packs: one file or a folder of shards, from the sites of other packs.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;
use std::slice;

use rayon::prelude::*;
use robotsieve::Origin;
use robotsieve::pack::{Pack, shard_name};
use robotsieve_captures::packs::{CopyError, Making, copy};
use robotsieve_client::pack_files::Lock;

use super::shards;
use crate::error::Failure;
use crate::read::packs;
use crate::write::file::{folder_of, temporary, temporary_of_one};

/// The most shards that are written at the same time: each takes a descriptor.
const MOST_OPEN: u32 = 256;

/// About how many sites are written in one pass over the packs that are read, which bounds the
/// memory of the writers.
const SITES_AT_A_TIME: u64 = 12_000_000;

/// What was written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Made {
    pub origins: u64,
    pub bytes: u64,
}

/// How a pack was made.
///
/// # Errors
/// Returns an error if its profile has no name, so that its rules of fetching are not known.
pub fn making_like(pack: &Pack<'_>, path: &Path) -> Result<Making, Failure> {
    Making::like(pack).ok_or_else(|| {
        Failure::Usage(format!(
            "pack '{}' was made with a profile of its own, which this command does not know",
            path.display()
        ))
    })
}

/// A pack that is read, and its path.
pub type NamedPack<'p> = (&'p Pack<'p>, &'p Path);

/// Writes the sites of some packs into one file. What several have for an origin is its history, and
/// the last pack comes last of those with equally new answers.
///
/// # Errors
/// Returns an error if the file cannot be written, or a pack is damaged.
pub fn to_file(packs: &[NamedPack<'_>], making: &Making, path: &Path) -> Result<Made, Failure> {
    let cannot = |cause| cannot_copy(packs, path, cause);
    let out = BufWriter::with_capacity(1 << 20, temporary(path).map_err(cannot)?);
    let mut writer = making.writer(out, folder_of(path)).map_err(cannot)?;
    let writers = slice::from_mut(&mut writer);
    let origins = copy(&unnamed(packs), &making.profile, writers, |_| Some(0)).map_err(cannot)?;
    let out = writer.finish().map_err(cannot)?;
    let file = out.into_inner().map_err(|error| cannot(error.into_error()))?;
    let _lock = Lock::to_replace(path).map_err(cannot)?;
    Ok(Made { origins, bytes: file.persist().map_err(cannot)? })
}

/// Writes a file of a pack anew: a shard, or all of it. The caller has the pack's lock.
///
/// # Errors
/// Returns an error if the file cannot be written, or the pack is damaged.
pub fn shard_anew(
    pack: &Pack<'_>,
    making: &Making,
    (index, count): (u32, u32),
    path: &Path,
) -> io::Result<u64> {
    let mut file = temporary_of_one(path)?;
    // A file of another user cannot be given to that one.
    let _ = file.take_after(&fs::metadata(path)?);
    let out = BufWriter::with_capacity(1 << 20, file);
    let mut writer = making.shard(out, index, count)?;
    copy(&[pack], &making.profile, slice::from_mut(&mut writer), |_| Some(0))?;
    let file = writer.finish()?.into_inner().map_err(|error| error.into_error())?;
    file.persist()
}

/// Writes the sites of some packs into a folder of shards, which becomes visible as a whole. Uses
/// all threads of the present pool.
///
/// # Errors
/// The same as for [`to_file`]; also if there is something else than shards at `path`.
pub fn to_shards(
    packs: &[NamedPack<'_>],
    making: &Making,
    path: &Path,
    count: u32,
) -> Result<Made, Failure> {
    let cannot = |cause| cannot_copy(packs, path, cause);
    let folder = shards::Folder::new(path)?;
    let sites: u64 = packs.iter().map(|(pack, _)| pack.len()).sum();
    let threads = rayon::current_num_threads() as u32;
    let per_pass = (SITES_AT_A_TIME * u64::from(count) / sites.max(1)).max(1);
    let per_pass = u32::try_from(per_pass).unwrap_or(u32::MAX).min(MOST_OPEN);
    // Threads share out the shards, and each reads all packs.
    let per_group = per_pass.div_ceil(threads).min(count.div_ceil(threads)).max(1);
    let groups: Vec<u32> = (0..count).step_by(per_group as usize).collect();
    let made = groups.into_par_iter().map(|first| {
        let group = first..(first + per_group).min(count);
        let mut writers = Vec::new();
        for index in group.clone() {
            let file = File::create(folder.path(&shard_name(index, count)))?;
            let out = BufWriter::with_capacity(64 << 10, file);
            writers.push(making.shard(out, index, count)?);
        }
        let which = |origin: &Origin<'_>| {
            let shard = origin.shard(count);
            group.contains(&shard).then(|| (shard - first) as usize)
        };
        let origins = copy(&unnamed(packs), &making.profile, &mut writers, which)?;
        let mut bytes = 0;
        for writer in writers {
            let file = writer.finish()?.into_inner().map_err(|error| error.into_error())?;
            file.sync_all()?;
            bytes += file.metadata()?.len();
        }
        Ok(Made { origins, bytes })
    });
    let sum = |one: Made, other: Made| {
        Ok(Made { origins: one.origins + other.origins, bytes: one.bytes + other.bytes })
    };
    let made = made.try_reduce(Made::default, sum).map_err(cannot)?;
    folder.persist().map_err(cannot)?;
    Ok(made)
}

/// The failure of copying packs to a path: of one that is damaged, or of writing.
fn cannot_copy(packs: &[NamedPack<'_>], path: &Path, cause: io::Error) -> Failure {
    match cause.downcast::<CopyError>() {
        Ok(CopyError { number, error }) => packs::damaged(packs[number].1, &error),
        Err(cause) => cannot_write(path, cause),
    }
}

/// The failure of writing a pack.
pub fn cannot_write(path: &Path, cause: io::Error) -> Failure {
    Failure::io(format!("cannot write pack '{}'", path.display()), cause)
}

fn unnamed<'p>(packs: &[NamedPack<'p>]) -> Vec<&'p Pack<'p>> {
    packs.iter().map(|(pack, _)| *pack).collect()
}
