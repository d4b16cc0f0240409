//! Packs that no writer makes, byte by byte but with right checksums: see `docs/pack.md`.

use std::collections::VecDeque;

use robotsieve::pack::Writer;
use robotsieve::{Config, Profile};

const VERSION: u8 = 6;
const HEADER_LEN: usize = 16;
pub const TRAILER_LEN: usize = 160;
const BLOCK_LEN: usize = 4096;
/// The bytes of a line that entries have. The last one says whether more are behind it.
pub const ROOM: usize = 63;
const MAGIC: &[u8; 8] = b"\x89rsieve\n";

/// Where the trailer has its numbers.
pub mod at {
    pub const CRAWLERS: usize = 8;
    pub const REACH: usize = 12;
    pub const SHARD: usize = 24;
    pub const SHARDS: usize = 28;
    pub const BEGIN: usize = 32;
    pub const INDEX: usize = 40;
    pub const LINES: usize = 48;
    pub const BLOCKS: usize = 56;
    pub const ABOUT: usize = 64;
    pub const ABOUT_LEN: usize = 72;
    pub const PREVIOUS: usize = 80;
    pub const END: usize = 88;
    pub const ORIGINS: usize = 96;
    pub const ENTRIES: usize = 104;
    pub const RECORDS: usize = 112;
    pub const FILES: usize = 120;
}

/// The parts of a pack, in the order in which they are written.
#[derive(Clone, Debug)]
pub struct Crafted {
    pub profile: Profile,
    pub keeps_rules: bool,
    pub keeps_sitemaps: bool,
    /// The names of each crawler.
    pub crawlers: Vec<Vec<Vec<u8>>>,
    /// The layers before this one, and where the first one has its description.
    base: Vec<u8>,
    /// The seed of the hash.
    pub seed: u64,
    description: [u64; 3],
    /// The records, a multiple of 16 bytes, without those of long names.
    pub records: Vec<u8>,
    /// What the trailer says of the number of records, without those of long names.
    pub record_count: u64,
    /// What the index holds.
    pub entries: Vec<Entry>,
    /// The index, if it is not as a writer makes it of the entries.
    pub index: Option<Index>,
    /// What the trailer says of the number of origins, if that is not how many schemes there are.
    pub origins: Option<u64>,
    pub files: u64,
    /// What the trailer has instead: bytes, each with its place.
    pub trailer: Vec<(usize, Vec<u8>)>,
}

/// An entry of an origin.
#[derive(Clone, Debug)]
pub struct Entry {
    pub name: Vec<u8>,
    /// The lowest three bits; then one for "captured later".
    pub schemes: u8,
    pub kind: u8,
    pub captured: u32,
    /// The verdict on every URL: 0 none, 1 allow, 2 disallow.
    pub always: u8,
    pub policies: u32,
    pub about: u32,
}

/// The lines of an index.
#[derive(Clone, Debug)]
pub struct Index {
    pub lines: u64,
    pub reach: u32,
    /// All lines, those behind the ones that a hash names too.
    pub bytes: Vec<[u8; 64]>,
}

impl Entry {
    /// What http and https have in common.
    pub fn new(name: impl Into<Vec<u8>>, policies: u32) -> Entry {
        Entry { name: name.into(), schemes: 3, kind: 0, captured: 0, always: 0, policies, about: 0 }
    }

    /// Its bytes. The name is in a record with the number `long`, if it is too long.
    pub fn bytes(&self, has_about: bool, seed: u64, long: impl FnOnce() -> u32) -> Vec<u8> {
        let mut rest = self.policies.to_le_bytes().to_vec();
        if self.captured != 0 {
            rest.extend(self.captured.to_le_bytes());
        }
        if has_about {
            rest.extend(self.about.to_le_bytes());
        }
        let is_long = 2 + rest.len() + self.name.len() > ROOM;
        let len = if is_long { 63 } else { self.name.len() as u16 };
        if is_long {
            rest.extend((hash(&self.name, seed) as u32).to_le_bytes());
            rest.extend(long().to_le_bytes());
        } else {
            rest.extend(&self.name);
        }
        let head = len
            | u16::from(self.kind) << 6
            | u16::from(self.schemes) << 9
            | u16::from(self.captured != 0) << 13
            | u16::from(self.always) << 14;
        [&head.to_le_bytes()[..], &rest].concat()
    }
}

impl Crafted {
    /// A pack of nothing for one crawler.
    pub fn new(profile: &Profile) -> Crafted {
        Crafted {
            profile: *profile,
            keeps_rules: false,
            keeps_sitemaps: false,
            crawlers: vec![vec![b"bot".to_vec()]],
            base: Vec::new(),
            seed: 0,
            description: [0; 3],
            records: Vec::new(),
            record_count: 0,
            entries: Vec::new(),
            index: None,
            origins: None,
            files: 0,
            trailer: Vec::new(),
        }
    }

    /// A pack with the host `e.com`, and this policy.
    pub fn of(profile: &Profile, body: &[u8]) -> Crafted {
        let mut pack = Crafted::new(profile);
        let record = pack.record(body);
        pack.entries.push(Entry::new("e.com", record));
        pack
    }

    /// A layer behind this pack, without anything in it yet.
    pub fn next_layer(&self) -> Crafted {
        let base = self.bytes();
        let description = match self.description {
            [0, ..] => {
                let trailer = &base[base.len() - TRAILER_LEN..];
                let number = |at: usize, len: usize| {
                    let mut number = [0; 8];
                    number[..len].copy_from_slice(&trailer[at..at + len]);
                    u64::from_le_bytes(number)
                };
                [number(at::ABOUT, 8), number(at::ABOUT_LEN, 8), number(20, 4)]
            }
            known => known,
        };
        Crafted {
            base,
            description,
            seed: self.seed,
            keeps_rules: self.keeps_rules,
            keeps_sitemaps: self.keeps_sitemaps,
            crawlers: self.crawlers.clone(),
            ..Crafted::new(&self.profile)
        }
    }

    /// Where the layer begins.
    pub fn begin(&self) -> usize {
        self.base.len().max(HEADER_LEN)
    }

    /// Adds a record and returns its number.
    pub fn record(&mut self, body: &[u8]) -> u32 {
        let number = self.record_number(self.records.len());
        self.records.extend(record(body));
        self.record_count += 1;
        number
    }

    /// The number of a record that begins at an offset within the records.
    pub fn record_number(&self, at: usize) -> u32 {
        assert!(at.is_multiple_of(16));
        u32::try_from((self.begin() + at) / 16).expect("a small pack")
    }

    fn has_about(&self) -> bool {
        self.keeps_rules || self.keeps_sitemaps
    }

    /// The bytes of all entries with the hashes of their names, and the records of long names.
    pub fn entry_bytes(&self) -> (Vec<(u64, Vec<u8>)>, Vec<u8>) {
        let mut names = Vec::new();
        let all = self.entries.iter().map(|entry| {
            let bytes = entry.bytes(self.has_about(), self.seed, || {
                let number = self.record_number(self.records.len() + names.len());
                names.extend(record(&[&[8], &entry.name[..]].concat()));
                number
            });
            (hash(&entry.name, self.seed), bytes)
        });
        (all.collect(), names)
    }

    /// The index as a writer makes it.
    pub fn right_index(&self) -> Index {
        let (mut all, _) = self.entry_bytes();
        all.sort_by_key(|(hash, _)| *hash);
        let taken: usize = all.iter().map(|(_, bytes)| bytes.len()).sum();
        let lines = taken.div_ceil(32).max(1);
        let mut all = all.into_iter().peekable();
        let mut waiting: VecDeque<(usize, Vec<u8>)> = VecDeque::new();
        let (mut index, mut reach) = (Vec::new(), 0);
        while index.len() < lines + reach || !waiting.is_empty() {
            let number = index.len();
            let mut line = Vec::new();
            while let Some((_, entry)) =
                all.next_if(|(hash, _)| home(*hash, lines as u64) == number)
            {
                if line.len() + entry.len() <= ROOM {
                    line.extend(entry);
                } else {
                    waiting.push_back((number, entry));
                }
            }
            while let Some((home, entry)) = waiting.front()
                && line.len() + entry.len() <= ROOM
            {
                reach = reach.max(number - home);
                line.extend(entry);
                waiting.pop_front();
            }
            line.resize(64, 0);
            line[ROOM] = u8::from(!waiting.is_empty());
            index.push(line.try_into().expect("64 bytes"));
        }
        Index { lines: lines as u64, reach: u32::try_from(reach).expect("small"), bytes: index }
    }

    /// The bytes of the pack.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.base.clone();
        if bytes.is_empty() {
            bytes.extend(MAGIC);
            bytes.extend([VERSION, 0, 0, 0]);
            bytes.extend(mark_of(self.seed));
        }
        let begin = bytes.len();
        bytes.extend(&self.records);
        let (entries, names) = self.entry_bytes();
        let record_count = self.record_count + names_in(&names);
        bytes.extend(names);
        bytes.resize(bytes.len().next_multiple_of(BLOCK_LEN), 0);
        let index_at = bytes.len();
        let index = self.index.clone().unwrap_or_else(|| self.right_index());
        bytes.extend(index.bytes.as_flattened());
        let blocks_at = bytes.len();
        for block in bytes[index_at..].to_vec().chunks(BLOCK_LEN) {
            bytes.extend(crc32fast::hash(block).to_le_bytes());
        }
        let blocks_checksum = crc32fast::hash(&bytes[blocks_at..]);
        let mut description = self.description;
        if self.base.is_empty() {
            let about_at = bytes.len();
            let name = Profile::NAMED.iter().find(|(_, profile)| *profile == self.profile);
            bytes.extend(text(name.map_or("custom", |(name, _)| name).as_bytes()));
            bytes.extend(text(b"crafted"));
            for names in &self.crawlers {
                bytes.extend(number(names.len()));
                bytes.extend(names.iter().flat_map(|name| text(name)));
            }
            let about = &bytes[about_at..];
            description = [about_at as u64, about.len() as u64, crc32fast::hash(about).into()];
        }
        let end = (bytes.len() + TRAILER_LEN).next_multiple_of(256);
        bytes.resize(end - TRAILER_LEN, 0);
        let [about_at, about_len, about_checksum] = description;
        let mut trailer = reading(&self.profile).to_vec();
        trailer
            .extend(number(usize::from(self.keeps_rules) | usize::from(self.keeps_sitemaps) << 1));
        trailer.extend(number(self.crawlers.len()));
        trailer.extend(index.reach.to_le_bytes());
        trailer.extend(blocks_checksum.to_le_bytes());
        trailer.extend(number(usize::try_from(about_checksum).expect("32 bits")));
        trailer.extend([0, 0, 0, 0, 1, 0, 0, 0]);
        let schemes = self.entries.iter().filter(|entry| entry.kind < 4);
        let origins = schemes.map(|entry| u64::from((entry.schemes & 7).count_ones())).sum();
        for number in [
            begin as u64,
            index_at as u64,
            index.lines,
            blocks_at as u64,
            about_at,
            about_len,
            self.base.len() as u64,
            end as u64,
            self.origins.unwrap_or(origins),
            entries.len() as u64,
            record_count,
            self.files,
            self.seed,
        ] {
            trailer.extend(number.to_le_bytes());
        }
        trailer.extend([mark_of(self.seed); 2].as_flattened());
        trailer.extend(u32::from(VERSION).to_le_bytes());
        for (at, instead) in &self.trailer {
            trailer[*at..at + instead.len()].copy_from_slice(instead);
        }
        trailer.extend(crc32fast::hash(&trailer).to_le_bytes());
        trailer.extend(MAGIC);
        bytes.extend(trailer);
        bytes
    }

    /// Puts a number into the trailer instead of the right one.
    pub fn lie(&mut self, at: usize, number: u64) {
        let len = if at < at::BEGIN { 4 } else { 8 };
        self.trailer.push((at, number.to_le_bytes()[..len].to_vec()));
    }
}

/// What the header of a file has, and each of its trailers twice.
pub fn mark_of(seed: u64) -> [u8; 4] {
    crc32fast::hash(&seed.to_le_bytes()).to_le_bytes()
}

/// How many records of names there are.
fn names_in(names: &[u8]) -> u64 {
    let (mut count, mut left) = (0, names);
    while let Some(len) = left.first_chunk() {
        left = &left[(8 + u32::from_le_bytes(*len) as usize).next_multiple_of(16)..];
        count += 1;
    }
    count
}

/// A line with these entries, of which the last may be cut.
pub fn line(entries: &[&[u8]], has_more: bool) -> [u8; 64] {
    let mut bytes = entries.concat();
    bytes.resize(ROOM, 0);
    bytes.push(u8::from(has_more));
    bytes.try_into().expect("64 bytes")
}

/// The line that a hash names.
pub fn home(hash: u64, lines: u64) -> usize {
    ((u128::from(hash) * u128::from(lines)) >> 64) as usize
}

/// A record with this body.
pub fn record(body: &[u8]) -> Vec<u8> {
    let mut record = number(body.len()).to_vec();
    record.extend(crc32fast::hash(body).to_le_bytes());
    record.extend(body);
    record.resize(record.len().next_multiple_of(16), 0);
    record
}

/// The body of a record that is a table.
pub fn table_body(table: &[u8]) -> Vec<u8> {
    [&[0], table].concat()
}

/// The body of a record with the policies of several crawlers.
pub fn panel_body(records: &[u32], columns: &[u16]) -> Vec<u8> {
    let mut body = vec![4];
    body.extend(u16::try_from(records.len()).expect("small").to_le_bytes());
    body.extend(records.iter().flat_map(|record| record.to_le_bytes()));
    body.extend(columns.iter().flat_map(|column| column.to_le_bytes()));
    body
}

/// The body of a record for explanations: the record of the sitemaps, and those of rules.
pub fn about_body(records: &[u32]) -> Vec<u8> {
    [7].into_iter().chain(records.iter().flat_map(|record| record.to_le_bytes())).collect()
}

/// A rule in the body of a record.
#[derive(Clone, Debug)]
pub struct PackedRule {
    pub line: u32,
    pub precedence: u32,
    pub disallow: bool,
    pub anchored: bool,
    pub pattern: Vec<u8>,
    pub value: Vec<u8>,
}

impl PackedRule {
    /// A disallow rule whose pattern is its value.
    pub fn disallow(pattern: &[u8], precedence: u32) -> PackedRule {
        PackedRule {
            line: 1,
            precedence,
            disallow: true,
            anchored: false,
            pattern: pattern.to_vec(),
            value: pattern.to_vec(),
        }
    }
}

/// The body of a record that is rules alone.
pub fn rules_body(rules: &[PackedRule]) -> Vec<u8> {
    let mut body = vec![1, 0, 0, 0, 0, 0, 0, 0, 0];
    body.extend(number(rules.len()));
    for rule in rules {
        let shared = rule.value.starts_with(&rule.pattern);
        body.extend(rule.line.to_le_bytes());
        body.extend(rule.precedence.to_le_bytes());
        body.push(u8::from(rule.disallow) | u8::from(rule.anchored) << 1 | u8::from(shared) << 2);
        body.extend(number(rule.pattern.len()));
        body.extend(number(rule.value.len()));
        if !shared {
            body.extend(&rule.pattern);
        }
        body.extend(&rule.value);
    }
    body
}

/// The body of a record that is the rules of a table.
pub fn explain_body(rules: &[PackedRule]) -> Vec<u8> {
    let mut body = rules_body(rules);
    body[0] = 5;
    body
}

/// The body of a record that is sitemaps.
pub fn sitemaps_body(sitemaps: &[&[u8]]) -> Vec<u8> {
    let texts = sitemaps.iter().flat_map(|sitemap| text(sitemap));
    [6].into_iter().chain(texts).collect()
}

/// The same body of a policy's record with a pace.
pub fn with_pace(body: &[u8], pace: [u8; 32]) -> Vec<u8> {
    let mut body = [body, &pace].concat();
    body[0] |= 2;
    body
}

/// A crawl delay of these seconds and nanoseconds, and no request rate.
pub fn delay(secs: u64, nanos: u32) -> [u8; 32] {
    let mut pace = [0; 32];
    pace[..8].copy_from_slice(&secs.to_le_bytes());
    pace[8..12].copy_from_slice(&nanos.to_le_bytes());
    pace[28..].fill(0xFF);
    pace
}

/// A record of a table whose targets have two bytes: a branch on these bytes, each with its
/// target, to a verdict otherwise. No transition has a peek, and all have a target.
pub fn branch(transitions: &[(u8, u16)], otherwise_disallow: bool) -> Vec<u8> {
    let head = 1 | u8::from(otherwise_disallow) << 3 | 3 << 5;
    let mut record = vec![head, short(transitions.len())];
    push_transitions(transitions, &mut record);
    record
}

/// A record of a table whose targets have two bytes: a wait for these bytes. Each byte of its filter
/// is this one.
pub fn wait(transitions: &[(u8, u16)], filter: u8) -> Vec<u8> {
    let mut record = vec![2, short(transitions.len())];
    record.resize(2 + filter_len(transitions.len()), filter);
    push_transitions(transitions, &mut record);
    record
}

/// The length of the filter of a wait with so many transitions.
pub fn filter_len(transitions: usize) -> usize {
    match transitions {
        0 | 1 => 16,
        2 => 32,
        3 | 4 => 48,
        _ => 96,
    }
}

fn push_transitions(transitions: &[(u8, u16)], record: &mut Vec<u8>) {
    record.extend(transitions.iter().map(|(byte, _)| *byte));
    record.extend(transitions.iter().map(|_| b'#'));
    record.extend(transitions.iter().flat_map(|(_, target)| target.to_le_bytes()));
}

/// The place of a table's first record, if its targets have two bytes.
pub const FIRST_PLACE: usize = 6;

/// A table of these records, whose targets have two bytes, without entries.
pub fn table(records: &[Vec<u8>]) -> Vec<u8> {
    let mut table = vec![2, 0, 6, 0];
    // Where the start leads if no entry matches: a wait to itself, a branch otherwise.
    table.extend(match records.first().map(|record| &record[..]) {
        Some([head, ..]) if head & 3 == 2 => [6, 0],
        Some([head, ..]) if head >> 3 & 3 == 1 => [1, 0],
        Some([head, .., low, high]) if head >> 3 & 3 == 2 => [*low, *high],
        _ => [0, 0],
    });
    table.extend(records.concat());
    table.extend([0; 16]);
    table
}

/// A length and these bytes.
pub fn text(bytes: &[u8]) -> Vec<u8> {
    [&number(bytes.len()), bytes].concat()
}

pub fn number(number: usize) -> [u8; 4] {
    u32::try_from(number).expect("a small pack").to_le_bytes()
}

fn short(number: usize) -> u8 {
    u8::try_from(number).expect("at most 255 transitions")
}

/// How the trailer says how URLs are read: what the writer says of the profile.
fn reading(profile: &Profile) -> [u8; 4] {
    let none: [robotsieve::Crawler; 0] = [];
    let pack = Writer::new(Vec::new(), profile, none, &Config::default()).and_then(Writer::finish);
    let pack = pack.expect("a Vec");
    *pack[pack.len() - TRAILER_LEN..].first_chunk().expect("a trailer")
}

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// A step of the hash.
pub fn hash_step(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ word) * u128::from(FACTOR);
    (product as u64) ^ (product >> 64) as u64
}

/// The steps of the hash for some bytes of an authority.
pub fn hash_on(mut hash: u64, name: &[u8]) -> u64 {
    for part in name.chunks(8) {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        hash = hash_step(hash, u64::from_le_bytes(word) ^ FACTOR.rotate_left(17));
    }
    hash
}

/// The hash of an authority, as `docs/pack.md` describes it.
pub fn hash(name: &[u8], seed: u64) -> u64 {
    let begin = hash_step(seed ^ FACTOR, name.len() as u64 ^ FACTOR.rotate_left(32));
    hash_step(hash_on(begin, name), FACTOR.rotate_left(47))
}
