//! The use of a pack where it lies.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock};

use smallvec::SmallVec;

use crate::automaton::{InvalidAutomaton, Table};
use crate::policy::config::Config;
use crate::policy::crawlers::Answer;
use crate::policy::decision::{Decision, Reason};
use crate::policy::{Policy, Reading};
use crate::profile::{Profile, TargetForm};
use crate::read::crawler::Crawler;
use crate::rules::target::{InvalidUrl, Target};
use crate::rules::{Pattern, RuleRef, RuleSet};
use crate::verdict::Verdict;

use super::{
    BLOCK_LEN, FREE, HEADER_LEN, KIND_RULES, KIND_TABLE, MAGIC, PackError, RECORD_HEAD,
    RECORD_UNIT, SLOT_LEN, TRAILER_LEN, Trailer, VERSION, hash, reading_from_bytes, u32_at,
};

/// A pack, open. `Send` and `Sync`: all threads use the same one.
///
/// Opening looks at the beginning and the end of the bytes only; everything else is looked
/// at, and checked, when it is used.
#[derive(Debug)]
pub struct Pack<'p> {
    bytes: &'p [u8],
    trailer: Trailer,
    reading: Reading,
    wildcards: bool,
    profile_name: String,
    tool: String,
    crawlers: Vec<Crawler>,
    /// Which records were found valid …
    valid: Marks,
    /// … and which blocks of rows, names and index.
    valid_blocks: Marks,
    /// Records whose rules were needed, as policies, by number.
    policies: RwLock<HashMap<u32, Policy>>,
}

/// A bit for each possible record, in parts that are made when one of them is set.
#[derive(Debug)]
struct Marks(Box<[OnceLock<Box<[AtomicU64; Marks::WORDS]>>]>);

impl Marks {
    const WORDS: usize = 512;

    fn new(bits: usize) -> Marks {
        Marks((0..bits.div_ceil(64 * Marks::WORDS)).map(|_| OnceLock::new()).collect())
    }

    fn place(bit: u32) -> (usize, usize, u64) {
        let word = bit as usize / 64;
        (word / Marks::WORDS, word % Marks::WORDS, 1 << (bit % 64))
    }

    #[inline]
    fn is_set(&self, bit: u32) -> bool {
        let (part, word, mask) = Marks::place(bit);
        let part = self.0.get(part).and_then(OnceLock::get);
        // Acquire is not needed: the bytes that were checked do not change.
        part.is_some_and(|part| part[word].load(Ordering::Relaxed) & mask != 0)
    }

    fn set(&self, bit: u32) {
        let (part, word, mask) = Marks::place(bit);
        if let Some(part) = self.0.get(part) {
            let part = part.get_or_init(|| Box::new([const { AtomicU64::new(0) }; Marks::WORDS]));
            part[word].fetch_or(mask, Ordering::Relaxed);
        }
    }
}

/// What is in a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stat {
    /// Origins.
    pub origins: u64,
    /// Different robots.txt files.
    pub files: u64,
    /// Different policies …
    pub policies: u64,
    /// … and of these the ones that are tables; the others are over the limits of a DFA.
    pub tables: u64,
    /// Bytes of all policies.
    pub policy_bytes: u64,
    /// Bytes of the rows, four for each file and crawler.
    pub row_bytes: u64,
    /// Bytes of the origins' names.
    pub name_bytes: u64,
    /// Bytes of the index.
    pub index_bytes: u64,
    /// Bytes of the whole pack.
    pub total_bytes: u64,
}

/// What a pack knows of one origin.
#[derive(Clone, Copy, Debug)]
pub struct Site<'p> {
    pack: &'p Pack<'p>,
    row: u32,
}

/// The policy of one crawler for one origin, found valid.
#[derive(Clone, Debug)]
pub struct PackedPolicy<'p> {
    pack: &'p Pack<'p>,
    record: u32,
    how: How<'p>,
}

#[derive(Clone)]
enum How<'p> {
    Table(Table<'p>),
    Policy(Policy),
}

impl std::fmt::Debug for How<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            How::Table(_) => "Table",
            How::Policy(_) => "Policy",
        })
    }
}

impl<'p> Pack<'p> {
    /// Opens a pack.
    ///
    /// `O(crawlers)`; touches the first and the last bytes.
    ///
    /// # Errors
    /// What is wrong with its beginning and its end.
    pub fn open(bytes: &'p [u8]) -> Result<Pack<'p>, PackError> {
        if !bytes.starts_with(&MAGIC) || bytes.len() < HEADER_LEN + TRAILER_LEN {
            return Err(PackError::NoPack);
        }
        match u32_at(bytes, MAGIC.len()) {
            Some(VERSION) => {}
            version => return Err(PackError::Version(version.unwrap_or_default())),
        }
        let (body, last) = bytes.split_at(bytes.len() - TRAILER_LEN);
        if !last.ends_with(&MAGIC) {
            return Err(PackError::NoPack);
        }
        let damaged = |what| PackError::Damaged { offset: body.len() as u64, what };
        let trailer = last.first_chunk().and_then(Trailer::from_bytes);
        let trailer = trailer.ok_or_else(|| damaged("the trailer's checksum is wrong"))?;
        let (reading, wildcards) = reading_from_bytes(trailer.reading)
            .ok_or_else(|| damaged("the profile's switches are none"))?;
        let rows_len = trailer.files.checked_mul(4 * u64::from(trailer.crawlers));
        let slots_len = trailer.slots.checked_mul(SLOT_LEN as u64);
        let block_count =
            trailer.blocks_at.saturating_sub(trailer.rows_at).div_ceil(BLOCK_LEN as u64);
        let bounds = [
            HEADER_LEN as u64,
            trailer.rows_at,
            trailer.names_at,
            trailer.index_at,
            trailer.blocks_at,
            trailer.about_at,
            body.len() as u64,
        ];
        if !bounds.is_sorted()
            || rows_len != Some(trailer.names_at - trailer.rows_at)
            || slots_len != Some(trailer.blocks_at - trailer.index_at)
            || trailer.about_at - trailer.blocks_at != 4 * block_count
            || !trailer.slots.is_power_of_two()
            || u64::from(trailer.reach) >= trailer.slots
            || trailer.files > u64::from(u32::MAX)
            || !trailer.rows_at.is_multiple_of(RECORD_UNIT as u64)
        {
            return Err(damaged("the parts do not fill the file"));
        }
        let mut pack = Pack {
            bytes,
            valid: Marks::new(trailer.rows_at as usize / RECORD_UNIT),
            valid_blocks: Marks::new(block_count as usize),
            reading,
            wildcards,
            profile_name: String::new(),
            tool: String::new(),
            crawlers: Vec::new(),
            policies: RwLock::default(),
            trailer,
        };
        let blocks = pack.part(pack.trailer.blocks_at, pack.trailer.about_at);
        if crc32fast::hash(blocks) != pack.trailer.checksums[0] {
            let what = "the checksum of the checksums is wrong";
            return Err(PackError::Damaged { offset: pack.trailer.blocks_at, what });
        }
        pack.read_about().ok_or(PackError::Damaged {
            offset: pack.trailer.about_at,
            what: "what the pack is about cannot be read",
        })?;
        Ok(pack)
    }

    fn read_about(&mut self) -> Option<()> {
        let about = self.part(self.trailer.about_at, (self.bytes.len() - TRAILER_LEN) as u64);
        if crc32fast::hash(about) != self.trailer.checksums[1] {
            return None;
        }
        let mut about = Take(about);
        let text = |text: &[u8]| String::from_utf8(text.to_vec()).ok();
        self.profile_name = text(about.text()?)?;
        self.tool = text(about.text()?)?;
        for _ in 0..self.trailer.crawlers {
            let names = about.number()?;
            let mut crawler: Vec<&[u8]> = Vec::new();
            for _ in 0..names {
                crawler.push(about.text()?);
            }
            self.crawlers.push(Crawler::names(crawler));
        }
        let is_named = match Profile::named(&self.profile_name) {
            Some(profile) => {
                (Reading::of(&profile), profile.wildcards) == (self.reading, self.wildcards)
            }
            None => self.profile_name == "custom",
        };
        (about.0.is_empty() && is_named).then_some(())
    }

    /// The bytes between two offsets that lie within.
    fn part(&self, from: u64, to: u64) -> &'p [u8] {
        &self.bytes[from as usize..to as usize]
    }

    /// The bytes between two offsets within rows, names and index, checked.
    #[inline]
    fn checked(&self, from: u64, to: u64) -> Result<&'p [u8], PackError> {
        if from < to {
            let block = |offset: u64| ((offset - self.trailer.rows_at) / BLOCK_LEN as u64) as u32;
            for block in block(from)..=block(to - 1) {
                if !self.valid_blocks.is_set(block) {
                    self.check(block)?;
                }
            }
        }
        Ok(self.part(from, to))
    }

    #[cold]
    fn check(&self, block: u32) -> Result<(), PackError> {
        let Trailer { rows_at, blocks_at, about_at, .. } = self.trailer;
        let offset = rows_at + u64::from(block) * BLOCK_LEN as u64;
        let bytes = self.part(offset, blocks_at.min(offset + BLOCK_LEN as u64));
        let wanted = u32_at(self.part(blocks_at, about_at), 4 * block as usize);
        if wanted != Some(crc32fast::hash(bytes)) {
            return Err(PackError::Damaged { offset, what: "the checksum of a block is wrong" });
        }
        self.valid_blocks.set(block);
        Ok(())
    }

    /// The name of the profile: one of [`Profile::NAMED`], or `custom`.
    pub fn profile_name(&self) -> &str {
        &self.profile_name
    }

    /// How the profile finds the target of a URL.
    pub fn target_form(&self) -> TargetForm {
        self.reading.form
    }

    /// The program that wrote the pack, with its version.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The crawlers for which the pack holds policies.
    pub fn crawlers(&self) -> &[Crawler] {
        &self.crawlers
    }

    /// Whether it can tell which rule decided.
    pub fn keeps_rules(&self) -> bool {
        self.trailer.keeps_rules
    }

    /// How many origins it knows.
    pub fn len(&self) -> u64 {
        self.trailer.origins
    }

    /// Whether it knows no origin.
    pub fn is_empty(&self) -> bool {
        self.trailer.origins == 0
    }

    /// The target of a URL, or of a path that begins with `/`, in the pack's profile.
    ///
    /// # Errors
    /// [`InvalidUrl`] where the URL is none; never in the profile `google`.
    #[inline]
    pub fn target<'u, U>(&self, url: &'u U) -> Result<Target<'u>, InvalidUrl>
    where
        U: AsRef<[u8]> + ?Sized,
    {
        Target::of(url.as_ref(), self.reading.form, self.reading.encoding)
    }

    /// What is known of an origin; its name as it was given to
    /// [`Writer::add`](super::Writer::add).
    ///
    /// Touches one or two places of the index and the name.
    ///
    /// # Errors
    /// Damage that is met on the way.
    pub fn get(&self, origin: &[u8]) -> Result<Option<Site<'_>>, PackError> {
        let hash = hash(origin, self.trailer.seed);
        let mask = self.trailer.slots as usize - 1;
        for distance in 0..=self.trailer.reach as usize {
            let slot = (hash as usize).wrapping_add(distance) & mask;
            match self.slot(slot)? {
                None => return Ok(None),
                Some(slot) if slot.hash == (hash >> 32) as u32 && slot.name == origin => {
                    return Ok(Some(Site { pack: self, row: slot.row }));
                }
                Some(_) => {}
            }
        }
        Ok(None)
    }

    /// All origins, in no order that means anything.
    pub fn origins(&self) -> impl Iterator<Item = Result<(&[u8], Site<'_>), PackError>> {
        (0..self.trailer.slots as usize).filter_map(|slot| {
            let slot = self.slot(slot).transpose()?;
            Some(slot.map(|slot| (slot.name, Site { pack: self, row: slot.row })))
        })
    }

    /// A slot of the index; `None` where it is free.
    #[inline]
    fn slot(&self, slot: usize) -> Result<Option<Slot<'p>>, PackError> {
        let at = self.trailer.index_at + (slot * SLOT_LEN) as u64;
        let bytes: &[u8; SLOT_LEN] =
            self.checked(at, at + SLOT_LEN as u64)?.first_chunk().expect("a slot");
        let [h0, h1, h2, h3, r0, r1, r2, r3, n @ ..] = *bytes;
        let row = u32::from_le_bytes([r0, r1, r2, r3]);
        if row == FREE {
            return Ok(None);
        }
        let [n0, n1, n2, n3, n4, n5, l0, l1] = n;
        let from = u64::from_le_bytes([n0, n1, n2, n3, n4, n5, 0, 0]) + self.trailer.names_at;
        let to = from + u64::from(u16::from_le_bytes([l0, l1]));
        if u64::from(row) >= self.trailer.files || to > self.trailer.index_at {
            return Err(PackError::Damaged { offset: at, what: "an origin that leads nowhere" });
        }
        let hash = u32::from_le_bytes([h0, h1, h2, h3]);
        Ok(Some(Slot { hash, row, name: self.checked(from, to)? }))
    }

    /// The body of a record; its bounds are checked, its checksum is where it was not found
    /// valid before.
    fn body(&self, record: u32) -> Result<&'p [u8], PackError> {
        let at = u64::from(record) * RECORD_UNIT as u64;
        let damaged = |what| PackError::Damaged { offset: at, what };
        let nowhere = || damaged("no record begins here");
        if at < HEADER_LEN as u64 || at + RECORD_HEAD as u64 > self.trailer.rows_at {
            return Err(nowhere());
        }
        let records = self.part(0, self.trailer.rows_at);
        let len = u32_at(records, at as usize).ok_or_else(nowhere)?;
        let body = &records[at as usize + RECORD_HEAD..];
        let body = body.get(..len as usize).ok_or_else(|| damaged("a record cut short"))?;
        if !self.valid.is_set(record)
            && u32_at(records, at as usize + 4) != Some(crc32fast::hash(body))
        {
            return Err(damaged("a record's checksum is wrong"));
        }
        Ok(body)
    }

    fn policy(&self, record: u32) -> Result<PackedPolicy<'_>, PackError> {
        let damaged = |what| PackError::Damaged {
            offset: u64::from(record) * RECORD_UNIT as u64 + RECORD_HEAD as u64,
            what,
        };
        let mut body = Take(self.body(record)?);
        let how = match body.byte() {
            Some(KIND_TABLE) => {
                let table = body.text().ok_or_else(|| damaged("a table cut short"))?;
                How::Table(self.table(record, table).map_err(|_| damaged("an invalid table"))?)
            }
            Some(KIND_RULES) => {
                let policy = self.with_rules(record)?;
                self.valid.set(record);
                How::Policy(policy)
            }
            _ => return Err(damaged("unknown kind of record")),
        };
        Ok(PackedPolicy { pack: self, record, how })
    }

    /// The table in the body of a record. Validates it unless that was done before.
    #[inline]
    #[expect(unsafe_code, reason = "tables are validated once, not for each verdict")]
    fn table(&self, record: u32, bytes: &'p [u8]) -> Result<Table<'p>, InvalidAutomaton> {
        if !self.valid.is_set(record) {
            self.validate_table(record, bytes)?;
        }
        // SAFETY: the bytes were found valid with the pack's encoding, now or when the mark was
        // set: only `validate_table` sets that of a record that holds a table. They are the same
        // bytes and the same encoding, because the place of a record's table depends only on the
        // pack's bytes, which are borrowed for `'p` and so do not change, and the encoding is
        // fixed when the pack is opened.
        Ok(unsafe { Table::from_bytes_unchecked(bytes, self.reading.encoding) })
    }

    #[cold]
    fn validate_table(&self, record: u32, bytes: &[u8]) -> Result<(), InvalidAutomaton> {
        Table::validated(bytes, self.reading.encoding)?;
        self.valid.set(record);
        Ok(())
    }

    /// The policy of a record with its rules.
    fn with_rules(&self, record: u32) -> Result<Policy, PackError> {
        let known = self.policies.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(policy) = known.get(&record) {
            return Ok(policy.clone());
        }
        drop(known);
        let body = self.body(record)?;
        let policy = self.read_rules(body).ok_or(PackError::Damaged {
            offset: u64::from(record) * RECORD_UNIT as u64 + RECORD_HEAD as u64,
            what: "rules that cannot be read",
        })?;
        let mut known = self.policies.write().unwrap_or_else(PoisonError::into_inner);
        Ok(known.entry(record).or_insert(policy).clone())
    }

    fn read_rules(&self, body: &[u8]) -> Option<Policy> {
        let mut rest = Take(body);
        if rest.byte()? == KIND_TABLE {
            rest.text()?;
        }
        let empty_rule = Some(rest.number()?).filter(|line| *line != 0);
        let mut agents = Vec::new();
        for _ in 0..rest.number()? {
            agents.push((rest.number()?, rest.text()?));
        }
        let count = rest.number()?;
        let mut rules = Vec::new();
        for _ in 0..count {
            let (line, precedence, bits) = (rest.number()?, rest.number()?, rest.byte()?);
            let (pattern_len, value_len) = (rest.number()? as usize, rest.number()? as usize);
            let is_shared = bits & 4 != 0;
            let pattern = if is_shared { None } else { Some(rest.take(pattern_len)?) };
            let value = rest.take(value_len)?;
            let bytes = pattern.or_else(|| value.get(..pattern_len))?;
            let verdict = if bits & 1 == 0 { Verdict::Allow } else { Verdict::Disallow };
            let pattern = Pattern { bytes, anchored: bits & 2 != 0 };
            rules.push(RuleRef { line, verdict, precedence, pattern, value });
        }
        if !rest.0.is_empty() {
            return None;
        }
        let rules = RuleSet::restored(rules.into_iter(), self.wildcards)?;
        Some(Policy::new(
            self.reading,
            &Config::default(),
            rules,
            agents.iter().copied(),
            empty_rule,
        ))
    }

    /// Reads everything, and checks everything.
    ///
    /// # Errors
    /// The first damage.
    pub fn verify(&self) -> Result<(), PackError> {
        self.stat_and_verify(true).map(|_| ())
    }

    /// What is in the pack. Reads the heads of all records.
    ///
    /// # Errors
    /// Damage that is met on the way.
    pub fn stat(&self) -> Result<Stat, PackError> {
        self.stat_and_verify(false)
    }

    fn stat_and_verify(&self, verify: bool) -> Result<Stat, PackError> {
        let trailer = &self.trailer;
        let damaged = |offset, what| PackError::Damaged { offset, what };
        if verify {
            self.checked(trailer.rows_at, trailer.blocks_at)?;
        }
        if verify && self.bytes[MAGIC.len() + 4..HEADER_LEN] != [0; 4] {
            return Err(damaged(MAGIC.len() as u64 + 4, "no zeros"));
        }
        let mut records = Vec::new();
        let mut tables = 0;
        let mut at = HEADER_LEN as u64;
        while at < trailer.rows_at {
            let record = (at / RECORD_UNIT as u64) as u32;
            if verify {
                let policy = self.policy(record)?;
                if self.keeps_rules() {
                    self.read_rules(self.body(record)?)
                        .ok_or(damaged(at, "rules that cannot be read"))?;
                }
                drop(policy);
            }
            let records_end = self.part(0, trailer.rows_at);
            let len = u32_at(records_end, at as usize).ok_or(damaged(at, "a record cut short"))?;
            let kind = records_end.get(at as usize + RECORD_HEAD);
            tables += u64::from(kind == Some(&KIND_TABLE));
            let end = at + RECORD_HEAD as u64 + u64::from(len);
            at = end.next_multiple_of(RECORD_UNIT as u64);
            let padding = records_end.get(end as usize..at as usize);
            if padding.is_none_or(|padding| verify && padding.iter().any(|byte| *byte != 0)) {
                return Err(damaged(end, "no zeros between records"));
            }
            records.push(record);
        }
        if records.len() as u64 != trailer.records {
            return Err(damaged(trailer.rows_at, "another number of records"));
        }
        if verify {
            self.verify_index(&records)?;
        }
        Ok(Stat {
            origins: trailer.origins,
            files: trailer.files,
            policies: trailer.records,
            tables,
            policy_bytes: trailer.rows_at - HEADER_LEN as u64,
            row_bytes: trailer.names_at - trailer.rows_at,
            name_bytes: trailer.index_at - trailer.names_at,
            index_bytes: trailer.blocks_at - trailer.index_at,
            total_bytes: self.bytes.len() as u64,
        })
    }

    /// Rows lead to records, and each origin is found where it is looked for.
    fn verify_index(&self, records: &[u32]) -> Result<(), PackError> {
        let damaged = |offset, what| PackError::Damaged { offset, what };
        let rows = self.part(self.trailer.rows_at, self.trailer.names_at);
        for (column, record) in rows.as_chunks::<4>().0.iter().enumerate() {
            if records.binary_search(&u32::from_le_bytes(*record)).is_err() {
                let offset = self.trailer.rows_at + 4 * column as u64;
                return Err(damaged(offset, "a row that leads to no record"));
            }
        }
        let mut origins = 0;
        for slot in 0..self.trailer.slots as usize {
            let offset = self.trailer.index_at + (slot * SLOT_LEN) as u64;
            if let Some(slot) = self.slot(slot)? {
                origins += 1;
                let found = self.get(slot.name)?;
                if found.is_none_or(|site| site.row != slot.row) {
                    return Err(damaged(offset, "an origin that is not found"));
                }
            }
        }
        if origins != self.trailer.origins {
            return Err(damaged(self.trailer.index_at, "another number of origins"));
        }
        Ok(())
    }
}

/// A slot of the index.
struct Slot<'p> {
    hash: u32,
    row: u32,
    name: &'p [u8],
}

impl<'p> Site<'p> {
    /// The policy of a crawler, by its place in [`Pack::crawlers`].
    ///
    /// The first use of a policy checks it.
    ///
    /// # Errors
    /// Damage.
    ///
    /// # Panics
    /// Where there is no such crawler.
    pub fn policy(&self, crawler: usize) -> Result<PackedPolicy<'p>, PackError> {
        self.pack.policy(self.record(crawler)?)
    }

    /// The number of its robots.txt among the different ones: origins with equal files have
    /// the same.
    pub fn file(&self) -> u32 {
        self.row
    }

    fn record(&self, crawler: usize) -> Result<u32, PackError> {
        let trailer = &self.pack.trailer;
        assert!(crawler < trailer.crawlers as usize, "no crawler {crawler}");
        let column = u64::from(self.row) * u64::from(trailer.crawlers) + crawler as u64;
        let at = trailer.rows_at + 4 * column;
        Ok(u32_at(self.pack.checked(at, at + 4)?, 0).expect("four bytes"))
    }

    /// Answers for a URL, or for a path that begins with `/`: one for each crawler of the
    /// pack. Crawlers with the same policy cost one walk.
    ///
    /// # Errors
    /// Damage.
    ///
    /// # Panics
    /// Where `answers` has not one place for each crawler.
    pub fn ask<U: AsRef<[u8]> + ?Sized>(
        &self,
        url: &U,
        answers: &mut [Answer],
    ) -> Result<(), PackError> {
        assert_eq!(answers.len(), self.pack.crawlers.len(), "one answer for each crawler");
        let Ok(target) = self.pack.target(url) else {
            answers.fill(Answer::Invalid);
            return Ok(());
        };
        let mut known: SmallVec<[(u32, Answer); 8]> = SmallVec::new();
        for (crawler, answer) in answers.iter_mut().enumerate() {
            let record = self.record(crawler)?;
            let found = known.iter().find(|(known, _)| *known == record).map(|(_, answer)| *answer);
            *answer = match found {
                Some(answer) => answer,
                None => {
                    let found = self.pack.policy(record)?.verdict(&target).into();
                    known.push((record, found));
                    found
                }
            };
        }
        Ok(())
    }
}

impl PackedPolicy<'_> {
    /// Whether the crawler may fetch this URL, or this path that begins with `/`.
    ///
    /// # Errors
    /// [`InvalidUrl`] where the URL is none; never in the profile `google`.
    #[inline]
    pub fn is_allowed<U: AsRef<[u8]> + ?Sized>(&self, url: &U) -> Result<bool, InvalidUrl> {
        Ok(self.verdict(&self.pack.target(url)?).is_allow())
    }

    /// Whether the crawler may fetch this path, with its query if it has one.
    ///
    /// # Errors
    /// [`InvalidUrl`] where the path does not begin with `/`.
    #[inline]
    pub fn is_path_allowed<P: AsRef<[u8]> + ?Sized>(&self, path: &P) -> Result<bool, InvalidUrl> {
        let target = Target::of_path(path.as_ref(), self.pack.reading.encoding)?;
        Ok(self.verdict(&target).is_allow())
    }

    /// The verdict on a target, which must be of the pack's profile.
    #[inline]
    pub fn verdict(&self, target: &Target<'_>) -> Verdict {
        if self.pack.reading.robots_txt_allowed && target.is_robots_txt() {
            return Verdict::Allow;
        }
        match &self.how {
            How::Table(table) => table.verdict(target.unended()),
            How::Policy(policy) => policy.verdict(target),
        }
    }

    /// Whether it is a compiled table, and not rules.
    pub fn is_table(&self) -> bool {
        matches!(self.how, How::Table(_))
    }

    /// The policy with its rules, to ask for decisions
    /// ([`Policy::decide`]); `None` where the pack does not keep rules and this policy has a
    /// table. Kept in memory from then on.
    ///
    /// # Errors
    /// Damage.
    pub fn with_rules(&self) -> Result<Option<Policy>, PackError> {
        match &self.how {
            How::Policy(policy) => Ok(Some(policy.clone())),
            How::Table(_) if self.pack.keeps_rules() => self.pack.with_rules(self.record).map(Some),
            How::Table(_) => Ok(None),
        }
    }

    /// The verdict on a URL, or on a path that begins with `/`, and the reason, so far as it
    /// is known here: that no rule decided, because this is robots.txt itself, or
    /// [`Reason::RulesNotKept`]. [`PackedPolicy::with_rules`] knows more.
    ///
    /// # Errors
    /// [`InvalidUrl`] where the URL is none; never in the profile `google`.
    pub fn decide<U: AsRef<[u8]> + ?Sized>(
        &self,
        url: &U,
    ) -> Result<Decision<'static>, InvalidUrl> {
        let target = self.pack.target(url)?;
        let is_robots_txt = self.pack.reading.robots_txt_allowed && target.is_robots_txt();
        let reason = if is_robots_txt { Reason::RobotsTxt } else { Reason::RulesNotKept };
        Ok(Decision { verdict: self.verdict(&target), reason })
    }

    /// Whether both are the same policy of the same pack.
    pub fn is_same(&self, other: &PackedPolicy<'_>) -> bool {
        std::ptr::eq(self.pack.bytes, other.pack.bytes) && self.record == other.record
    }
}

/// Bytes that are taken from the front.
struct Take<'o>(&'o [u8]);

impl<'o> Take<'o> {
    fn take(&mut self, len: usize) -> Option<&'o [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|byte| byte[0])
    }

    fn number(&mut self) -> Option<u32> {
        u32_at(self.take(4)?, 0)
    }

    /// A length, and so many bytes.
    fn text(&mut self) -> Option<&'o [u8]> {
        let len = self.number()?;
        self.take(len as usize)
    }
}
