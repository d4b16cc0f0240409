//! From robots.txt files to a pack.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, Write};
use std::sync::Arc;

use crate::policy::config::Config;
use crate::policy::content::ContentKeys;
use crate::policy::robots::Robots;
use crate::policy::{Policy, Reading};
use crate::profile::Profile;
use crate::read::crawler::Crawler;

use super::{
    BLOCK_LEN, FREE, HEADER_LEN, KIND_RULES, KIND_TABLE, MAGIC, RECORD_HEAD, RECORD_UNIT, SLOT_LEN,
    Trailer, VERSION, hash, reading_to_bytes,
};

/// How robots.txt files are packed: the profile, the crawlers, and whether rules are kept.
/// Cheap to clone, and shared by the threads that pack.
#[derive(Clone, Debug)]
pub struct Recipe(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    profile: Profile,
    crawlers: Vec<Crawler>,
    keep_rules: bool,
    keys: ContentKeys,
}

/// A robots.txt that was read and compiled for all crawlers of a pack.
#[derive(Clone, Debug)]
pub struct Packed {
    content: u128,
    /// The bodies of distinct policies, and by crawler which one is its.
    bodies: Vec<Vec<u8>>,
    columns: Vec<u32>,
}

impl Recipe {
    /// Reads and compiles a file for all crawlers. Threads do so at the same time.
    pub fn pack(&self, file: &[u8]) -> Packed {
        let parts = &*self.0;
        // Compiled when told to.
        let config = Config { build_after: Some(u32::MAX), ..Config::default() };
        let robots = Robots::parse_with(file, &parts.profile, &config);
        let mut packed =
            Packed { content: self.content(file), bodies: Vec::new(), columns: Vec::new() };
        let mut policies: Vec<Policy> = Vec::new();
        for crawler in &parts.crawlers {
            let policy = robots.policy(crawler);
            let known = policies.iter().position(|known| known.is_same(&policy));
            packed.columns.push(known.unwrap_or(policies.len()) as u32);
            if known.is_none() {
                packed.bodies.push(body(&policy, parts.keep_rules));
                policies.push(policy);
            }
        }
        packed
    }

    /// What tells files with different bytes apart: two keyed hashes of 64 bits, the keys of
    /// which are random, so that nobody can make two files that are taken for one.
    pub fn content(&self, file: &[u8]) -> u128 {
        self.0.keys.of(file)
    }
}

/// The body of a policy's record.
fn body(policy: &Policy, keep_rules: bool) -> Vec<u8> {
    policy.compile();
    let table = policy.table();
    let mut body = Vec::new();
    if let Some(table) = table {
        body.extend([KIND_TABLE]);
        body.extend((table.len() as u32).to_le_bytes());
        body.extend_from_slice(table);
    } else {
        body.extend([KIND_RULES]);
    }
    if table.is_none() || keep_rules {
        put_rules(policy, &mut body);
    }
    body
}

fn put_rules(policy: &Policy, to: &mut Vec<u8>) {
    let number = |to: &mut Vec<u8>, number: usize| to.extend((number as u32).to_le_bytes());
    number(to, policy.empty_rule().unwrap_or(0) as usize);
    number(to, policy.group().count());
    for (line, value) in policy.group() {
        number(to, line as usize);
        number(to, value.len());
        to.extend_from_slice(value);
    }
    let rules = policy.rule_set();
    number(to, rules.len());
    for rule in rules.iter() {
        let pattern = rule.pattern.bytes;
        // Most values begin with the pattern that they are normalised to.
        let shared = rule.value.starts_with(pattern);
        number(to, rule.line as usize);
        number(to, rule.precedence as usize);
        let bits = [!rule.verdict.is_allow(), rule.pattern.anchored, shared];
        to.push(bits.iter().rev().fold(0, |bits, bit| bits << 1 | u8::from(*bit)));
        number(to, pattern.len());
        number(to, rule.value.len());
        if !shared {
            to.extend_from_slice(pattern);
        }
        to.extend_from_slice(rule.value);
    }
}

/// Writes a pack.
///
/// Records go out as they come; what is kept in memory until the end is some 40 bytes for each
/// origin beside its name, and some 100 for each distinct file and policy.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    recipe: Recipe,
    /// Where the next record begins.
    at: u64,
    /// By content: the number of the file's row.
    files: HashMap<u128, u32>,
    /// By content: the number of the record.
    records: HashMap<u128, u32>,
    rows: Vec<u32>,
    names: Vec<u8>,
    /// Where each origin's name ends, and its row.
    origins: Vec<(u64, u32)>,
}

impl<W: Write> Writer<W> {
    /// Begins a pack for these crawlers. With `keep_rules` it can also tell which rule decided.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(
        mut out: W,
        profile: &Profile,
        crawlers: impl IntoIterator<Item = Crawler>,
        keep_rules: bool,
    ) -> io::Result<Writer<W>> {
        out.write_all(&MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&[0; 4])?;
        let recipe = Recipe(Arc::new(Parts {
            profile: *profile,
            crawlers: crawlers.into_iter().collect(),
            keep_rules,
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

    /// How files are to be packed for this writer.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// How many different files were added.
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// How many origins were added.
    pub fn origin_count(&self) -> usize {
        self.origins.len()
    }

    /// Whether a file with this [`Recipe::content`] was added.
    pub fn knows(&self, content: u128) -> bool {
        self.files.contains_key(&content)
    }

    /// Adds an origin whose file has the same bytes as one that was added before; `false`
    /// where none has. `content` is [`Recipe::content`] of the file.
    ///
    /// # Errors
    /// As [`Writer::add`].
    pub fn add_known(&mut self, origin: &[u8], content: u128) -> io::Result<bool> {
        match self.files.get(&content) {
            Some(&row) => self.add_row(origin, row).map(|()| true),
            None => Ok(false),
        }
    }

    /// Adds an origin with its file, packed by this writer's [`Recipe`]. Of an origin that is
    /// added twice the first file stays.
    ///
    /// # Errors
    /// Those of the output; and where the pack becomes larger than the format can hold:
    /// 32 GiB of policies, 2³² - 1 files, or a name of 64 KiB.
    pub fn add(&mut self, origin: &[u8], packed: &Packed) -> io::Result<()> {
        if !self.files.contains_key(&packed.content) {
            let row = number(self.files.len(), "files").ok().filter(|row| *row != FREE);
            let row = row.ok_or_else(|| too_large("files"))?;
            let mut records = Vec::with_capacity(packed.bodies.len());
            for body in &packed.bodies {
                records.push(self.put(body)?);
            }
            self.rows.extend(packed.columns.iter().map(|column| records[*column as usize]));
            self.files.insert(packed.content, row);
        }
        self.add_row(origin, self.files[&packed.content])
    }

    fn add_row(&mut self, origin: &[u8], row: u32) -> io::Result<()> {
        if origin.len() > usize::from(u16::MAX) {
            return Err(too_large("the bytes of a name"));
        }
        self.names.extend_from_slice(origin);
        self.origins.push((self.names.len() as u64, row));
        Ok(())
    }

    /// Writes a record, unless an equal one is there. Its number.
    fn put(&mut self, body: &[u8]) -> io::Result<u32> {
        match self.records.entry(self.recipe.content(body)) {
            Entry::Occupied(known) => Ok(*known.get()),
            Entry::Vacant(vacant) => {
                let record = number(self.at as usize / RECORD_UNIT, "bytes of policies")?;
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

    /// Writes the index and all that is left, and gives the output back.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<W> {
        let mut trailer = Trailer {
            reading: reading_to_bytes(
                Reading::of(&self.recipe.0.profile),
                self.recipe.0.profile.wildcards,
            ),
            keeps_rules: self.recipe.0.keep_rules,
            crawlers: number(self.recipe.0.crawlers.len(), "crawlers")?,
            files: self.files.len() as u64,
            records: self.records.len() as u64,
            rows_at: self.at,
            ..Trailer::default()
        };
        let rows: Vec<u8> = self.rows.iter().flat_map(|record| record.to_le_bytes()).collect();
        trailer.names_at = trailer.rows_at + rows.len() as u64;
        trailer.index_at = trailer.names_at + self.names.len() as u64;
        let index = self.index(&mut trailer);
        trailer.blocks_at = trailer.index_at + index.len() as u64;
        let blocks = blocks([&rows, &self.names, &index]);
        trailer.about_at = trailer.blocks_at + blocks.len() as u64;
        let about = self.about();
        trailer.checksums = [crc32fast::hash(&blocks), crc32fast::hash(&about)];
        for part in [&rows, &self.names, &index, &blocks, &about] {
            self.out.write_all(part)?;
        }
        self.out.write_all(&trailer.to_bytes())?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// The slots: a hash table with open addressing, at most three quarters full, in which no
    /// origin is far from its place.
    fn index(&self, trailer: &mut Trailer) -> Vec<u8> {
        /// So far at most, if another seed can help: a name costs that many slots to look for.
        const REACH: usize = 64;
        const SEEDS: u32 = 16;
        let slots = (self.origins.len() * 4 / 3 + 1).next_power_of_two();
        trailer.slots = slots as u64;
        let mut index = Vec::new();
        for seed in 0..SEEDS {
            index.clear();
            index.resize(slots * SLOT_LEN, 0xFF);
            let (mut reach, mut from) = (0, 0);
            trailer.origins = 0;
            for &(to, row) in &self.origins {
                let name = &self.names[from..to as usize];
                let hash = hash(name, seed);
                let mut distance = 0;
                let is_new = loop {
                    let slot = (hash as usize).wrapping_add(distance) & (slots - 1);
                    let slot = &mut index[slot * SLOT_LEN..][..SLOT_LEN];
                    if slot[4..8] == FREE.to_le_bytes() {
                        slot[..4].copy_from_slice(&((hash >> 32) as u32).to_le_bytes());
                        slot[4..8].copy_from_slice(&row.to_le_bytes());
                        slot[8..14].copy_from_slice(&(from as u64).to_le_bytes()[..6]);
                        slot[14..].copy_from_slice(&(name.len() as u16).to_le_bytes());
                        break true;
                    }
                    if slot[..4] == ((hash >> 32) as u32).to_le_bytes() {
                        let at = name_at(slot);
                        if self.names.get(at..at + name.len()) == Some(name)
                            && slot[14..] == (name.len() as u16).to_le_bytes()
                        {
                            break false;
                        }
                    }
                    distance += 1;
                };
                reach = reach.max(distance);
                trailer.origins += u64::from(is_new);
                from = to as usize;
            }
            (trailer.seed, trailer.reach) = (seed, reach as u32);
            if reach <= REACH {
                break;
            }
        }
        index
    }

    /// What the pack is about, for people and for programs that use it: lines of text.
    fn about(&self) -> Vec<u8> {
        let Parts { profile, crawlers, .. } = &*self.recipe.0;
        let named = Profile::NAMED.iter().find(|(_, named)| named == profile);
        let mut about = Vec::new();
        put_text(&mut about, named.map_or("custom", |(name, _)| name).as_bytes());
        put_text(&mut about, concat!("robotsieve ", env!("CARGO_PKG_VERSION")).as_bytes());
        for crawler in crawlers {
            about.extend((crawler.iter().count() as u32).to_le_bytes());
            for name in crawler.iter() {
                put_text(&mut about, name);
            }
        }
        about
    }
}

/// The checksums of the blocks of these parts, which lie one behind the other.
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

/// Where the name of a slot begins among the names.
fn name_at(slot: &[u8]) -> usize {
    let mut at = [0; 8];
    at[..6].copy_from_slice(&slot[8..14]);
    u64::from_le_bytes(at) as usize
}

/// Its length in bytes, and a text.
fn put_text(to: &mut Vec<u8>, text: &[u8]) {
    to.extend((text.len() as u32).to_le_bytes());
    to.extend_from_slice(text);
}

fn number(number: usize, of: &'static str) -> io::Result<u32> {
    u32::try_from(number).map_err(|_| too_large(of))
}

fn too_large(what: &'static str) -> io::Error {
    io::Error::other(format!("too many for a pack: {what}"))
}
