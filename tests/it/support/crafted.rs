//! Packs that no writer makes, byte by byte but with right checksums: see `docs/pack.md`.

use robotsieve::pack::Writer;
use robotsieve::{Config, Profile};

const HEADER_LEN: usize = 16;
const TRAILER_LEN: usize = 144;
const BLOCK_LEN: usize = 4096;
const MAGIC: &[u8; 8] = b"\x89rsieve\n";

/// The parts of a pack, in the order in which they are written.
#[derive(Clone, Debug)]
pub struct Crafted {
    pub profile: Profile,
    pub keeps_rules: bool,
    pub keeps_sitemaps: bool,
    /// The names of each crawler.
    pub crawlers: Vec<Vec<Vec<u8>>>,
    /// Everything between the header and the rows, a multiple of eight bytes.
    pub records: Vec<u8>,
    /// What the trailer says of the number of records.
    pub record_count: u64,
    /// The numbers of the records, for each file and crawler, and of the sitemaps if it keeps them.
    pub rows: Vec<u32>,
    pub files: u64,
    pub names: Vec<u8>,
    pub slots: Vec<Slot>,
    pub seed: u32,
    pub reach: u32,
}

/// A slot of the index.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    pub upper_hash: u32,
    pub row: u32,
    pub name_at: u64,
    pub name_len: u16,
}

impl Slot {
    pub const FREE: Slot =
        Slot { upper_hash: u32::MAX, row: u32::MAX, name_at: u64::MAX >> 16, name_len: u16::MAX };
}

impl Crafted {
    /// A pack of nothing for one crawler.
    pub fn new(profile: &Profile) -> Crafted {
        Crafted {
            profile: *profile,
            keeps_rules: false,
            keeps_sitemaps: false,
            crawlers: vec![vec![b"bot".to_vec()]],
            records: Vec::new(),
            record_count: 0,
            rows: Vec::new(),
            files: 0,
            names: Vec::new(),
            slots: vec![Slot::FREE],
            seed: 0,
            reach: 0,
        }
    }

    /// A pack with one origin, `e.com`, and this policy.
    pub fn of(profile: &Profile, body: &[u8]) -> Crafted {
        let mut pack = Crafted::new(profile);
        let record = pack.record(body);
        let row = pack.row(&[record]);
        pack.origins(&[(b"e.com".to_vec(), row)]);
        pack
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
        assert!(at.is_multiple_of(8));
        u32::try_from((HEADER_LEN + at) / 8).expect("a small pack")
    }

    /// Adds a file with a record for each crawler, and for its sitemaps if the pack keeps them, and
    /// returns its row.
    pub fn row(&mut self, records: &[u32]) -> u32 {
        assert_eq!(records.len(), self.crawlers.len() + usize::from(self.keeps_sitemaps));
        self.rows.extend(records);
        self.files += 1;
        u32::try_from(self.files - 1).expect("a small pack")
    }

    /// Replaces names and index by those of some origins and their rows.
    pub fn origins(&mut self, origins: &[(Vec<u8>, u32)]) {
        let count = (2 * origins.len() + 1).next_power_of_two();
        self.slots = vec![Slot::FREE; count];
        self.names.clear();
        for (name, row) in origins {
            let hash = hash(name, self.seed);
            let home = hash as usize & (count - 1);
            let distance = (0..count)
                .find(|distance| self.slots[(home + distance) & (count - 1)].row == u32::MAX)
                .expect("half of the slots are free");
            self.reach = self.reach.max(u32::try_from(distance).expect("a small pack"));
            self.slots[(home + distance) & (count - 1)] = Slot {
                upper_hash: (hash >> 32) as u32,
                row: *row,
                name_at: self.names.len() as u64,
                name_len: u16::try_from(name.len()).expect("a short name"),
            };
            self.names.extend(name);
        }
    }

    /// The bytes of the pack.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([2, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend(&self.records);
        let rows = bytes.len();
        bytes.extend(self.rows.iter().flat_map(|record| record.to_le_bytes()));
        let names = bytes.len();
        bytes.extend(&self.names);
        let index = bytes.len();
        for slot in &self.slots {
            bytes.extend(slot.upper_hash.to_le_bytes());
            bytes.extend(slot.row.to_le_bytes());
            bytes.extend(&slot.name_at.to_le_bytes()[..6]);
            bytes.extend(slot.name_len.to_le_bytes());
        }
        let blocks = bytes.len();
        for block in bytes[rows..].to_vec().chunks(BLOCK_LEN) {
            bytes.extend(crc32fast::hash(block).to_le_bytes());
        }
        let about = bytes.len();
        let name = Profile::NAMED.iter().find(|(_, profile)| *profile == self.profile);
        bytes.extend(text(name.map_or("custom", |(name, _)| name).as_bytes()));
        bytes.extend(text(b"crafted"));
        for names in &self.crawlers {
            bytes.extend(number(names.len()));
            bytes.extend(names.iter().flat_map(|name| text(name)));
        }
        let end = bytes.len();
        let mut trailer = reading(&self.profile).to_vec();
        let keeps = u32::from(self.keeps_rules) | u32::from(self.keeps_sitemaps) << 1;
        trailer.extend(keeps.to_le_bytes());
        trailer.extend(number(self.crawlers.len()));
        trailer.extend(self.seed.to_le_bytes());
        trailer.extend(self.reach.to_le_bytes());
        trailer.extend(crc32fast::hash(&bytes[blocks..about]).to_le_bytes());
        trailer.extend(crc32fast::hash(&bytes[about..end]).to_le_bytes());
        let origins = self.slots.iter().filter(|slot| slot.row != u32::MAX).count();
        for number in [self.files, origins as u64, self.record_count, self.slots.len() as u64] {
            trailer.extend(number.to_le_bytes());
        }
        for offset in [rows, names, index, blocks, about] {
            trailer.extend((offset as u64).to_le_bytes());
        }
        trailer.resize(TRAILER_LEN - 16, 0);
        trailer.extend(2u32.to_le_bytes());
        trailer.extend(crc32fast::hash(&trailer).to_le_bytes());
        trailer.extend(MAGIC);
        bytes.extend(trailer);
        bytes
    }
}

/// A record with this body.
pub fn record(body: &[u8]) -> Vec<u8> {
    let mut record = number(body.len()).to_vec();
    record.extend(crc32fast::hash(body).to_le_bytes());
    record.extend(body);
    record.resize(record.len().next_multiple_of(8), 0);
    record
}

/// The body of a record that is a table.
pub fn table_body(table: &[u8]) -> Vec<u8> {
    [&[0][..], &text(table)].concat()
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

/// The body of a record that is sitemaps.
pub fn sitemaps_body(sitemaps: &[&[u8]]) -> Vec<u8> {
    let texts = sitemaps.iter().flat_map(|sitemap| text(sitemap));
    [4].into_iter().chain(texts).collect()
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
/// target, to a verdict otherwise. No transition has a peek.
pub fn branch(transitions: &[(u8, u16)], otherwise_disallow: bool) -> Vec<u8> {
    let mut record = vec![1 | u8::from(otherwise_disallow) << 3, short(transitions.len())];
    record.extend(transitions.iter().map(|(byte, _)| *byte));
    record.extend(transitions.iter().map(|_| b'#'));
    record.extend(transitions.iter().flat_map(|(_, target)| target.to_le_bytes()));
    record
}

/// A record of a table whose targets have two bytes: a wait for these bytes, with this filter.
pub fn wait(transitions: &[(u8, u16)], filter: [u8; 96]) -> Vec<u8> {
    let mut record = vec![2, short(transitions.len())];
    record.extend(filter);
    record.extend(transitions.iter().map(|(byte, _)| *byte));
    record.extend(transitions.iter().map(|_| b'#'));
    record.extend(transitions.iter().flat_map(|(_, target)| target.to_le_bytes()));
    record
}

/// The place of a table's first record, if its targets have two bytes.
pub const FIRST_PLACE: usize = 6;

/// A table of these records, whose targets have two bytes, without entries.
pub fn table(records: &[Vec<u8>]) -> Vec<u8> {
    let mut table = vec![2, 0, 6, 0, 0, 0];
    table.extend(records.concat());
    table.extend([0; 32]);
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

/// The hash of an origin's name, as `docs/pack.md` describes it.
pub fn hash(name: &[u8], seed: u32) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word) * u128::from(FACTOR);
        (product as u64) ^ (product >> 64) as u64
    };
    let mut hash = mix(u64::from(seed) ^ FACTOR, name.len() as u64 ^ FACTOR.rotate_left(32));
    for part in name.chunks(8) {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        hash = mix(hash, u64::from_le_bytes(word) ^ FACTOR.rotate_left(17));
    }
    mix(hash, FACTOR.rotate_left(47))
}
