//! Writes packs from robots.txt files.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, Write};
use std::sync::Arc;

use crate::policy::config::Config;
use crate::policy::content::ContentKeys;
use crate::policy::robots::Robots;
use crate::policy::sitemaps::Sitemaps;
use crate::policy::{Policy, Reading};
use crate::profile::Profile;
use crate::read::crawler::Crawler;

use super::format::{
    BLOCK_LEN, FREE, HAS_PACE, HEADER_LEN, KIND_RULES, KIND_SITEMAPS, KIND_TABLE, MAGIC,
    MAX_CRAWLERS, MAX_REACH, NO_SITEMAPS, RECORD_HEAD, RECORD_UNIT, SLOT_LEN, Trailer, VERSION,
    hash, pace_to_bytes, reading_to_bytes,
};

/// Bits of the field of a slot that says where a name begins.
const NAME_OFFSET_BITS: u32 = 48;

/// How to pack robots.txt files: the profile, the crawlers, and the configuration. Returned by
/// [`Writer::recipe`]. Cheap to clone, so that each thread that packs can have one.
#[derive(Clone, Debug)]
pub struct Recipe(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    profile: Profile,
    crawlers: Vec<Crawler>,
    config: Config,
    keys: ContentKeys,
}

/// A robots.txt, compiled for all crawlers of a pack. Returned by [`Recipe::pack`].
#[derive(Clone, Debug)]
pub struct Packed {
    content: u128,
    /// The bodies of the distinct policies.
    bodies: Vec<Vec<u8>>,
    /// For each crawler the index of its policy in `bodies`.
    columns: Vec<usize>,
    /// The body of the record of its sitemaps, if the pack keeps them. Empty if there are none.
    sitemaps: Option<Vec<u8>>,
}

impl Recipe {
    /// Parses a file and compiles its policies for all crawlers. Several threads can do this at the
    /// same time.
    #[must_use]
    pub fn pack(&self, file: &[u8]) -> Packed {
        let parts = &*self.0;
        // `body` compiles the policies, nothing else does.
        let config = Config { build_after: Some(u32::MAX), keep_rules: true, ..parts.config };
        let robots = Robots::parse_with(file, &parts.profile, &config);
        let mut packed = Packed {
            content: self.content(file),
            bodies: Vec::new(),
            columns: Vec::new(),
            sitemaps: parts.config.keep_sitemaps.then(|| {
                let sitemaps = Sitemaps::kept(&robots);
                match sitemaps.text() {
                    [] => Vec::new(),
                    text => [&[KIND_SITEMAPS], text].concat(),
                }
            }),
        };
        let mut policies: Vec<Policy> = Vec::new();
        for crawler in &parts.crawlers {
            let policy = robots.policy(crawler);
            let known = policies.iter().position(|known| known.is_same(&policy));
            packed.columns.push(known.unwrap_or(policies.len()));
            if known.is_none() {
                packed.bodies.push(body(&policy, parts.config.keep_rules));
                policies.push(policy);
            }
        }
        packed
    }

    /// A hash that tells different files apart: two keyed hashes of 64 bits each, with random keys,
    /// so that nobody can make two files that are taken for one.
    pub fn content(&self, file: &[u8]) -> u128 {
        self.0.keys.of(file)
    }
}

/// Makes the body of a policy's record.
fn body(policy: &Policy, keep_rules: bool) -> Vec<u8> {
    policy.compile();
    let table = policy.table();
    let pace = policy.pace();
    let has_pace = if pace.is_none() { 0 } else { HAS_PACE };
    let mut body = Vec::new();
    if let Some(table) = table {
        body.extend([KIND_TABLE | has_pace]);
        put_len(&mut body, table.len());
        body.extend_from_slice(table);
    } else {
        body.extend([KIND_RULES | has_pace]);
    }
    if table.is_none() || keep_rules {
        put_rules(policy, &mut body);
    }
    if !pace.is_none() {
        body.extend(pace_to_bytes(pace));
    }
    body
}

/// A length of something that follows, or a number of things that follow. If it does not fit, the
/// body does not either, and [`Writer::put`] refuses it.
fn put_len(body: &mut Vec<u8>, len: usize) {
    body.extend(u32::try_from(len).unwrap_or(u32::MAX).to_le_bytes());
}

fn put_rules(policy: &Policy, body: &mut Vec<u8>) {
    body.extend(policy.empty_rule().unwrap_or(0).to_le_bytes());
    put_len(body, policy.group().count());
    for (line, value) in policy.group() {
        body.extend(line.to_le_bytes());
        put_len(body, value.len());
        body.extend_from_slice(value);
    }
    let rules = policy.rule_set();
    put_len(body, rules.len());
    for rule in rules.iter() {
        let pattern = rule.pattern.bytes;
        // Most values begin with the pattern that they are normalised to.
        let shared = rule.value.starts_with(pattern);
        body.extend(rule.line.to_le_bytes());
        body.extend(rule.precedence.to_le_bytes());
        let bits = [!rule.verdict.is_allow(), rule.pattern.anchored, shared];
        body.push(bits.iter().rev().fold(0, |bits, bit| bits << 1 | u8::from(*bit)));
        put_len(body, pattern.len());
        put_len(body, rule.value.len());
        if !shared {
            body.extend_from_slice(pattern);
        }
        body.extend_from_slice(rule.value);
    }
}

/// Writes a pack.
///
/// Records are written as they come. Until the end, memory holds some 40 bytes and the name for
/// each origin, and some 100 bytes for each distinct file and policy.
#[must_use = "the pack is incomplete until `finish` is called"]
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    recipe: Recipe,
    /// Where the next record begins.
    at: u64,
    /// The row of each file, by its content.
    files: HashMap<u128, u32>,
    /// The number of each record, by its content.
    records: HashMap<u128, u32>,
    rows: Vec<u32>,
    names: Vec<u8>,
    /// Where each origin's name ends in `names`, and its row.
    origins: Vec<(usize, u32)>,
}

impl<W: Write> Writer<W> {
    /// Begins a pack for these crawlers.
    ///
    /// The configuration says what the pack holds: with [`Config::keep_rules`] it is about twice
    /// as large and can tell which rule decides, with [`Config::keep_sitemaps`] it has the
    /// sitemaps of each file. It also limits the automata, and says how paces are read.
    /// [`Config::build_after`] means nothing here, and policies that an engine other than
    /// [`Engine::Dfa`](crate::Engine::Dfa) is given for are stored as rules.
    ///
    /// # Errors
    /// Returns an error if `out` does, or if there are more than 4096 crawlers.
    pub fn new(
        mut out: W,
        profile: &Profile,
        crawlers: impl IntoIterator<Item = Crawler>,
        config: &Config,
    ) -> io::Result<Writer<W>> {
        let crawlers: Vec<Crawler> = crawlers.into_iter().collect();
        if crawlers.len() > MAX_CRAWLERS as usize {
            return Err(too_large("crawlers"));
        }
        out.write_all(&MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&[0; 4])?;
        let recipe = Recipe(Arc::new(Parts {
            profile: *profile,
            crawlers,
            config: *config,
            keys: ContentKeys::default(),
        }));
        Ok(Writer {
            out,
            recipe,
            at: HEADER_LEN as u64,
            files: HashMap::new(),
            records: HashMap::new(),
            rows: Vec::new(),
            names: Vec::new(),
            origins: Vec::new(),
        })
    }

    /// How to pack files for this writer.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// How many distinct files were added.
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// How many origins were added, including any that were added twice.
    pub fn origin_count(&self) -> usize {
        self.origins.len()
    }

    /// Whether a file with this [`Recipe::content`] has been added.
    pub fn knows(&self, content: u128) -> bool {
        self.files.contains_key(&content)
    }

    /// Adds an origin whose file has been added before, by the [`Recipe::content`] of the file.
    /// Returns `false`, and adds nothing, if it has not.
    ///
    /// # Errors
    /// The same as for [`Writer::add`].
    pub fn add_known(&mut self, origin: &[u8], content: u128) -> io::Result<bool> {
        match self.files.get(&content) {
            Some(&row) => self.add_row(origin, row).map(|()| true),
            None => Ok(false),
        }
    }

    /// Adds an origin and its file, packed by this writer's [`Recipe`]. If an origin is added
    /// twice, its first file counts.
    ///
    /// # Errors
    /// Returns an error if the output does, or if the pack becomes larger than the format allows:
    /// 32 GiB of policies, 4 GiB for one policy, 2³² - 1 files, or 64 KiB for a name.
    pub fn add(&mut self, origin: &[u8], packed: &Packed) -> io::Result<()> {
        if !self.files.contains_key(&packed.content) {
            let row = number(self.files.len(), "files")?;
            if row == FREE {
                return Err(too_large("files"));
            }
            let mut records = Vec::with_capacity(packed.bodies.len());
            for body in &packed.bodies {
                records.push(self.put(body)?);
            }
            let sitemaps = match &packed.sitemaps {
                None => None,
                Some(body) if body.is_empty() => Some(NO_SITEMAPS),
                Some(body) => Some(self.put(body)?),
            };
            self.rows.extend(packed.columns.iter().map(|column| records[*column]));
            self.rows.extend(sitemaps);
            self.files.insert(packed.content, row);
        }
        self.add_row(origin, self.files[&packed.content])
    }

    fn add_row(&mut self, origin: &[u8], row: u32) -> io::Result<()> {
        if origin.len() > usize::from(u16::MAX) {
            return Err(too_large("bytes of a name"));
        }
        self.names.extend_from_slice(origin);
        if self.names.len() as u64 >= 1 << NAME_OFFSET_BITS {
            return Err(too_large("bytes of names"));
        }
        self.origins.push((self.names.len(), row));
        Ok(())
    }

    /// Writes a record, unless an equal one has been written, and returns its number.
    fn put(&mut self, body: &[u8]) -> io::Result<u32> {
        match self.records.entry(self.recipe.content(body)) {
            Entry::Occupied(known) => Ok(*known.get()),
            Entry::Vacant(vacant) => {
                let record = number(self.at / RECORD_UNIT as u64, "bytes of policies")?;
                let len = number(body.len(), "bytes of a policy")?;
                self.out.write_all(&len.to_le_bytes())?;
                self.out.write_all(&crc32fast::hash(body).to_le_bytes())?;
                self.out.write_all(body)?;
                let padding = body.len().next_multiple_of(RECORD_UNIT) - body.len();
                self.out.write_all(&[0; RECORD_UNIT][..padding])?;
                self.at += (RECORD_HEAD + body.len() + padding) as u64;
                vacant.insert(record);
                Ok(record)
            }
        }
    }

    /// Writes the rest of the pack, and returns the output.
    ///
    /// # Errors
    /// Returns an error if the output does, if the pack is larger than the format allows, or if the
    /// hashes of too many names are equal whatever the seed.
    pub fn finish(mut self) -> io::Result<W> {
        let mut trailer = Trailer {
            reading: reading_to_bytes(
                Reading::of(&self.recipe.0.profile),
                self.recipe.0.profile.wildcards,
            ),
            keeps_rules: self.recipe.0.config.keep_rules,
            keeps_sitemaps: self.recipe.0.config.keep_sitemaps,
            crawlers: number(self.recipe.0.crawlers.len(), "crawlers")?,
            files: self.files.len() as u64,
            records: self.records.len() as u64,
            rows_at: self.at,
            ..Trailer::default()
        };
        let rows: Vec<u8> = self.rows.iter().flat_map(|record| record.to_le_bytes()).collect();
        trailer.names_at = trailer.rows_at + rows.len() as u64;
        trailer.index_at = trailer.names_at + self.names.len() as u64;
        let index = self.index(&mut trailer)?;
        trailer.blocks_at = trailer.index_at + index.len() as u64;
        let blocks = blocks([&rows, &self.names, &index]);
        trailer.about_at = trailer.blocks_at + blocks.len() as u64;
        let about = self.about()?;
        trailer.checksums = [crc32fast::hash(&blocks), crc32fast::hash(&about)];
        for part in [&rows, &self.names, &index, &blocks, &about] {
            self.out.write_all(part)?;
        }
        self.out.write_all(&trailer.to_bytes())?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Makes the index: a hash table with open addressing, at most three quarters full, in which
    /// no origin is far from its slot. Sets what the trailer says about it.
    fn index(&self, trailer: &mut Trailer) -> io::Result<Vec<u8>> {
        /// How far an origin should be from its slot.
        const REACH: u32 = 64;
        /// How many seeds to try to keep it there, and then to keep it within [`MAX_REACH`].
        const SEEDS: u32 = 16;
        let slots = (self.origins.len() * 4 / 3 + 1).next_power_of_two();
        trailer.slots = slots as u64;
        let mut index = Vec::new();
        for seed in 0..2 * SEEDS {
            index.clear();
            index.resize(slots * SLOT_LEN, 0xFF);
            let most = if seed < SEEDS { REACH } else { MAX_REACH };
            if let Some((origins, reach)) = self.fill_index(&mut index, seed, most) {
                (trailer.origins, trailer.seed, trailer.reach) = (origins, seed, reach);
                return Ok(index);
            }
        }
        Err(too_large("origins with equal hashes"))
    }

    /// Fills the slots of an index, and returns how many origins it has and how far the furthest
    /// one is from its slot. `None` if that is further than `most`.
    fn fill_index(&self, index: &mut [u8], seed: u32, most: u32) -> Option<(u64, u32)> {
        let mask = index.len() / SLOT_LEN - 1;
        let (mut origins, mut reach, mut from) = (0, 0, 0);
        for &(to, row) in &self.origins {
            let name = &self.names[from..to];
            let name_len = u16::try_from(name.len()).expect("`add_row` refuses longer names");
            let hash = hash(name, seed);
            let upper_half = ((hash >> 32) as u32).to_le_bytes();
            let mut distance = 0;
            let is_new = loop {
                // As in `Pack::get`, only the lower bits count.
                let slot = (hash as usize).wrapping_add(distance as usize) & mask;
                let slot = &mut index[slot * SLOT_LEN..][..SLOT_LEN];
                if slot[4..8] == FREE.to_le_bytes() {
                    slot[..4].copy_from_slice(&upper_half);
                    slot[4..8].copy_from_slice(&row.to_le_bytes());
                    // `add_row` sees to it that six bytes can hold it.
                    slot[8..14].copy_from_slice(&(from as u64).to_le_bytes()[..6]);
                    slot[14..].copy_from_slice(&name_len.to_le_bytes());
                    break true;
                }
                if slot[..4] == upper_half {
                    let at = name_at(slot);
                    if self.names.get(at..at + name.len()) == Some(name)
                        && slot[14..] == name_len.to_le_bytes()
                    {
                        break false;
                    }
                }
                if distance == most {
                    return None;
                }
                distance += 1;
            };
            reach = reach.max(distance);
            origins += u64::from(is_new);
            from = to;
        }
        Some((origins, reach))
    }

    /// The description of the pack: profile, program and crawlers.
    fn about(&self) -> io::Result<Vec<u8>> {
        let Parts { profile, crawlers, .. } = &*self.recipe.0;
        let named = Profile::NAMED.iter().find(|(_, named)| named == profile);
        let mut about = Vec::new();
        put_text(&mut about, named.map_or("custom", |(name, _)| name).as_bytes())?;
        put_text(&mut about, concat!("robotsieve ", env!("CARGO_PKG_VERSION")).as_bytes())?;
        for crawler in crawlers {
            about.extend(number(crawler.iter().count(), "names of a crawler")?.to_le_bytes());
            for name in crawler.iter() {
                put_text(&mut about, name)?;
            }
        }
        Ok(about)
    }
}

/// The checksums of the blocks of these parts, which follow one another without gaps.
fn blocks(parts: [&[u8]; 3]) -> Vec<u8> {
    let mut checksums = Vec::new();
    let (mut block, mut left) = (crc32fast::Hasher::new(), BLOCK_LEN);
    for mut part in parts {
        while !part.is_empty() {
            let (now, later) = part.split_at(left.min(part.len()));
            block.update(now);
            left -= now.len();
            if left == 0 {
                checksums.extend(std::mem::take(&mut block).finalize().to_le_bytes());
                left = BLOCK_LEN;
            }
            part = later;
        }
    }
    if left < BLOCK_LEN {
        checksums.extend(block.finalize().to_le_bytes());
    }
    checksums
}

/// Where the name of a slot begins in [`Writer::names`].
fn name_at(slot: &[u8]) -> usize {
    let mut at = [0; 8];
    at[..6].copy_from_slice(&slot[8..14]);
    // It was a `usize` when it was written there.
    u64::from_le_bytes(at) as usize
}

/// The length of a text in bytes, and the text.
fn put_text(to: &mut Vec<u8>, text: &[u8]) -> io::Result<()> {
    to.extend(number(text.len(), "bytes of a name")?.to_le_bytes());
    to.extend_from_slice(text);
    Ok(())
}

fn number(number: impl TryInto<u32>, of: &'static str) -> io::Result<u32> {
    number.try_into().map_err(|_| too_large(of))
}

fn too_large(what: &'static str) -> io::Error {
    io::Error::other(format!("the pack has too many {what}; write several smaller packs"))
}
