//! Writing packs: one file or a folder of shards, from the sites of other packs.

use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::slice;

use rayon::prelude::*;
use robotsieve::pack::{Kind, Outcome, Pack, PackError, Site, Writer, shard_name};
use robotsieve::{Config, Crawler, Origin, Profile};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{AsOf, Event, Holds, Protocol};

use super::captured::Captured;
use super::join;
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

/// A pack that is read, and its path.
pub type Input<'p> = (&'p Pack<'p>, &'p Path);

/// Writes the sites of some packs into one file. What several have for an origin is its history, and
/// the last pack comes last of those with equally new answers.
///
/// # Errors
/// Returns an error if the file cannot be written, or a pack is damaged.
pub fn to_file(packs: &[Input<'_>], making: &Making, path: &Path) -> Result<Made, Failure> {
    let cannot = |cause| cannot_copy(packs, path, cause);
    let out = BufWriter::with_capacity(1 << 20, temporary(path).map_err(cannot)?);
    let mut writer = making.writer(out, &folder_of(path)).map_err(cannot)?;
    let writers = slice::from_mut(&mut writer);
    let origins = copy(packs, &making.profile, writers, |_| Some(0)).map_err(cannot)?;
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
    copy(&[(pack, path)], &making.profile, slice::from_mut(&mut writer), |_| Some(0))?;
    let file = writer.finish()?.into_inner().map_err(|error| error.into_error())?;
    file.persist()
}

/// Writes the sites of some packs into a folder of shards, which becomes visible as a whole. Uses
/// all threads of the present pool.
///
/// # Errors
/// The same as for [`to_file`]; also if there is something else than shards at `path`.
pub fn to_shards(
    packs: &[Input<'_>],
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
        let origins = copy(packs, &making.profile, &mut writers, which)?;
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
    packs: &[Input<'_>],
    profile: &Profile,
    writers: &mut [Writer<'static, W>],
    which: impl Fn(&Origin<'_>) -> Option<usize>,
) -> io::Result<u64> {
    let protocol = Protocol::of(profile);
    let mut count = 0;
    for (number, (pack, _)) in packs.iter().enumerate() {
        for site in pack.sites() {
            let site = site.map_err(|error| Damaged::io(number, error))?;
            let mut copied = None;
            for origin in site.origins() {
                // The other schemes have the same shard.
                let Some(writer) = which(&origin) else { break };
                let told = told(packs, &protocol, (number, site), &origin)?;
                let Some((kind, captured)) = told else { continue };
                let writer = &mut writers[writer];
                let outcome = match (kind, copied) {
                    (Kind::AllowAll, _) => Outcome::AllowAll,
                    (Kind::DisallowAll, _) => Outcome::DisallowAll,
                    (Kind::Unknown, _) => Outcome::Unknown,
                    (Kind::Rules, Some(copied)) => copied,
                    (Kind::Rules, None) => {
                        let put = writer.put_site(&site);
                        *copied.insert(put.map_err(|error| Damaged::of(number, error))?)
                    }
                };
                captured.add(writer, &origin, outcome)?;
                count += 1;
            }
        }
    }
    Ok(count)
}

/// What all packs come to for an origin, and when that was captured, if it comes from this site of the
/// pack with this number.
fn told(
    packs: &[Input<'_>],
    protocol: &Protocol,
    (number, site): (usize, Site<'_>),
    origin: &Origin<'_>,
) -> io::Result<Option<(Kind, Captured)>> {
    let mut answers = vec![(Captured::of(&site), number, site.kind())];
    for (other, (pack, _)) in packs.iter().enumerate().filter(|(other, _)| *other != number) {
        let site = pack.get(origin).map_err(|error| Damaged::io(other, error))?;
        answers.extend(site.map(|site| (Captured::of(&site), other, site.kind())));
    }
    if let [(captured, _, kind)] = answers[..] {
        return Ok(Some((kind, captured)));
    }
    // What is known is better than what is not.
    if answers.iter().any(|(.., kind)| *kind != Kind::Unknown) {
        answers.retain(|(.., kind)| *kind != Kind::Unknown);
    }
    answers.sort_unstable_by_key(|(captured, number, _)| (*captured, *number));
    let events = answers.iter().filter_map(|(captured, _, kind)| {
        Some(Event { at: Timestamp(captured.at), redirects: 0, said: join::said_of(*kind)? })
    });
    let events: Vec<Event> = events.collect();
    let Some(judged) = protocol.judge(&events, AsOf::Capture) else {
        let newest = answers.last().filter(|(_, of, _)| *of == number);
        return Ok(newest.map(|(captured, _, kind)| (*kind, *captured)));
    };
    let (captured, of, _) = answers[judged.event];
    let kind = match judged.holds {
        Holds::Rules => Kind::Rules,
        Holds::AllowAll => Kind::AllowAll,
        _ => Kind::DisallowAll,
    };
    Ok((of == number).then(|| (kind, join::captured_of(&judged, captured))))
}

/// Damage of a pack that is copied.
#[derive(Debug)]
struct Damaged {
    /// Which of the packs.
    number: usize,
    error: PackError,
}

impl Damaged {
    fn io(number: usize, error: PackError) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, Damaged { number, error })
    }

    /// The same of what a writer says of a pack that it reads.
    fn of(number: usize, error: io::Error) -> io::Error {
        match error.downcast::<PackError>() {
            Ok(damage) => Damaged::io(number, damage),
            Err(error) => error,
        }
    }
}

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl Error for Damaged {}

/// The failure of copying packs to a path: of one that is damaged, or of writing.
fn cannot_copy(packs: &[Input<'_>], path: &Path, cause: io::Error) -> Failure {
    match cause.downcast::<Damaged>() {
        Ok(Damaged { number, error }) => packs::damaged(packs[number].1, &error),
        Err(cause) => cannot_write(path, cause),
    }
}

/// The failure of writing a pack.
pub fn cannot_write(path: &Path, cause: io::Error) -> Failure {
    Failure::io(format!("cannot write pack '{}'", path.display()), cause)
}
