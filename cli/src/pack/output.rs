//! Writing packs: one file or a folder of shards, from the sites of other packs.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::slice;

use rayon::prelude::*;
use robotsieve::pack::{Pack, Writer};
use robotsieve::{Config, Crawler, Origin, Profile};

use super::shards;
use super::sources::folder_of;
use crate::error::Failure;
use crate::read::packs;
use crate::write::file::temporary;

/// The most shards that are written at the same time: each takes a descriptor.
const MOST_OPEN: u32 = 256;

/// About how many sites are written in one pass over the packs that are read, which bounds the
/// memory of the writers.
const SITES_AT_A_TIME: u64 = 12_000_000;

/// How a pack is made.
#[derive(Clone, Debug)]
pub struct Making {
    pub profile: Profile,
    pub crawlers: Vec<Crawler>,
    pub config: Config,
    /// Of the hash, for all of its files.
    pub seed: u64,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Made {
    pub origins: u64,
    pub bytes: u64,
}

impl Making {
    /// As a pack was made.
    ///
    /// # Errors
    /// Returns an error if its profile has no name, so that its rules of fetching are not known.
    pub fn like(pack: &Pack<'_>, path: &Path) -> Result<Making, Failure> {
        let profile = Profile::named(pack.profile_name()).ok_or_else(|| {
            Failure::Usage(format!(
                "pack '{}' was made with a profile of its own, which this command does not know",
                path.display()
            ))
        })?;
        let mut config = Config::default();
        config.keep_rules = pack.keeps_rules();
        config.keep_sitemaps = pack.keeps_sitemaps();
        Ok(Making { profile, crawlers: pack.crawlers().to_vec(), config, seed: pack.seed() })
    }

    /// A writer for a pack of its own, of any size. `folder` takes a temporary file.
    pub fn writer<W: Write>(&self, out: W, folder: &Path) -> io::Result<Writer<'static, W>> {
        let writer = Writer::new(out, &self.profile, self.crawlers.clone(), &self.config)?;
        Ok(writer.with_seed(self.seed).with_scratch(tempfile::tempfile_in(folder)?))
    }

    /// A writer for a shard.
    pub fn shard<W: Write>(
        &self,
        out: W,
        index: u32,
        count: u32,
    ) -> io::Result<Writer<'static, W>> {
        let crawlers = self.crawlers.clone();
        let writer = Writer::shard(out, &self.profile, crawlers, &self.config, index, count)?;
        Ok(writer.with_seed(self.seed))
    }
}

/// Writes the sites of some packs into one file. Of an origin that several have, the newest
/// capture counts; of equally new ones that of the last pack.
///
/// # Errors
/// Returns an error if the file cannot be written, or a pack is damaged.
pub fn to_file(packs: &[&Pack<'_>], making: &Making, path: &Path) -> Result<Made, Failure> {
    let cannot = |cause| cannot_write(path, cause);
    let out = BufWriter::with_capacity(1 << 20, temporary(path).map_err(cannot)?);
    let mut writer = making.writer(out, &folder_of(path)).map_err(cannot)?;
    let origins = copy(packs, slice::from_mut(&mut writer), |_| Some(0)).map_err(cannot)?;
    let out = writer.finish().map_err(cannot)?;
    let file = out.into_inner().map_err(|error| cannot(error.into_error()))?;
    Ok(Made { origins, bytes: file.persist().map_err(cannot)? })
}

/// Writes a file of a pack anew: a shard, or all of it.
///
/// # Errors
/// Returns an error if the file cannot be written, or the pack is damaged.
pub fn shard_anew(
    pack: &Pack<'_>,
    making: &Making,
    (index, count): (u32, u32),
    path: &Path,
) -> io::Result<u64> {
    let out = BufWriter::with_capacity(1 << 20, temporary(path)?);
    let mut writer = making.shard(out, index, count)?;
    copy(&[pack], slice::from_mut(&mut writer), |_| Some(0))?;
    let file = writer.finish()?.into_inner().map_err(|error| error.into_error())?;
    file.persist()
}

/// Writes the sites of some packs into a folder of shards, which becomes visible as a whole. Uses
/// all threads of the present pool.
///
/// # Errors
/// The same as for [`to_file`]; also if there is something else than shards at `path`.
pub fn to_shards(
    packs: &[&Pack<'_>],
    making: &Making,
    path: &Path,
    count: u32,
) -> Result<Made, Failure> {
    let cannot = |cause| cannot_write(path, cause);
    let folder = shards::Folder::new(path)?;
    let sites: u64 = packs.iter().map(|pack| pack.len()).sum();
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
            let file = File::create(folder.path(&packs::shard_name(index, count)))?;
            let out = BufWriter::with_capacity(64 << 10, file);
            writers.push(making.shard(out, index, count)?);
        }
        let which = |origin: &Origin<'_>| {
            let shard = origin.shard(count);
            group.contains(&shard).then(|| (shard - first) as usize)
        };
        let origins = copy(packs, &mut writers, which)?;
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

/// Copies sites to the writers that `which` names for their origins. Returns the number of origins.
fn copy<W: Write>(
    packs: &[&Pack<'_>],
    writers: &mut [Writer<'static, W>],
    which: impl Fn(&Origin<'_>) -> Option<usize>,
) -> io::Result<u64> {
    let mut count = 0;
    for (number, pack) in packs.iter().enumerate() {
        for site in pack.sites() {
            let site = site.map_err(packs::as_io)?;
            let mut outcome = None;
            for origin in site.origins() {
                // The other schemes have the same shard.
                let Some(writer) = which(&origin) else { break };
                if !is_newest(packs, number, &origin, site.captured())? {
                    continue;
                }
                let writer = &mut writers[writer];
                let outcome = match outcome {
                    Some(outcome) => outcome,
                    None => *outcome.insert(writer.put_site(&site)?),
                };
                writer.add(&origin, outcome, site.captured())?;
                count += 1;
            }
        }
    }
    Ok(count)
}

/// Whether no other pack has a newer capture of an origin.
fn is_newest(
    packs: &[&Pack<'_>],
    number: usize,
    origin: &Origin<'_>,
    captured: Option<u64>,
) -> io::Result<bool> {
    for (other, pack) in packs.iter().enumerate().filter(|(other, _)| *other != number) {
        let Some(site) = pack.get(origin).map_err(packs::as_io)? else { continue };
        if (site.captured(), other) > (captured, number) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The failure of writing a pack.
pub fn cannot_write(path: &Path, cause: io::Error) -> Failure {
    Failure::io(format!("cannot write pack '{}'", path.display()), cause)
}
