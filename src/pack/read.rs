//! An open pack: its parts, its index and its policies.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use crate::automaton::Table;
use crate::policy::config::Config;
use crate::policy::decision::{Decision, Reason};
use crate::policy::{Policy, Reading};
use crate::profile::{Profile, TargetForm};
use crate::read::crawler::Crawler;
use crate::records::{Pace, RequestRate};
use crate::rules::target::{InvalidUrl, Target};
use crate::rules::{Pattern, RuleRef, RuleSet};
use crate::verdict::Verdict;

use super::checked::Checked;
use super::format::{
    BLOCK_LEN, FREE, HAS_PACE, HEADER_LEN, KIND_RULES, KIND_SITEMAPS, KIND_TABLE, MAGIC,
    MAX_CRAWLERS, MAX_REACH, NO_SITEMAPS, RECORD_HEAD, RECORD_UNIT, SLOT_LEN, TRAILER_LEN, Trailer,
    VERSION, hash, pace_from_bytes, reading_from_bytes, u32_at,
};
use super::{PackError, Site};

/// An open pack. It is `Send` and `Sync`, so all threads can use the same one.
///
/// Opening reads only the beginning and a small part at the end. Everything else is read, and
/// checked, when it is first used.
#[derive(Debug)]
pub struct Pack<'p> {
    pub(super) bytes: &'p [u8],
    pub(super) trailer: Trailer,
    pub(super) parts: Parts,
    reading: Reading,
    wildcards: bool,
    profile_name: String,
    tool: String,
    crawlers: Vec<Crawler>,
    /// The records that were found valid.
    valid: Checked,
    /// The blocks of rows, names and index that were found valid.
    valid_blocks: Checked,
    /// What is wrong with the records that were found damaged.
    damaged: RwLock<HashMap<u32, PackError>>,
    /// The bytes of all records that were found valid or damaged.
    checked_bytes: AtomicU64,
    /// The policies made from records whose rules were needed, by the number of the record.
    policies: RwLock<HashMap<u32, Result<Policy, PackError>>>,
}

/// Where the parts of a pack are. They fill it, in this order and without gaps, from the end of the
/// header to the trailer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    /// Where the records end and the rows begin.
    pub(super) rows: usize,
    pub(super) names: usize,
    pub(super) index: usize,
    pub(super) blocks: usize,
    pub(super) about: usize,
    pub(super) trailer: usize,
}

impl Parts {
    /// The parts that a trailer speaks of. `None` unless they fill a pack whose trailer begins at
    /// this offset, and are as large as what they hold.
    fn of(trailer: &Trailer, trailer_at: usize) -> Option<Parts> {
        let at = |offset: u64| usize::try_from(offset).ok();
        let parts = Parts {
            rows: at(trailer.rows_at)?,
            names: at(trailer.names_at)?,
            index: at(trailer.index_at)?,
            blocks: at(trailer.blocks_at)?,
            about: at(trailer.about_at)?,
            trailer: trailer_at,
        };
        let Parts { rows, names, index, blocks, about, .. } = parts;
        let rows_len = trailer.files.checked_mul(4 * u64::from(trailer.columns()))?;
        let slots_len = trailer.slots.checked_mul(SLOT_LEN as u64)?;
        let fill = [HEADER_LEN, rows, names, index, blocks, about, trailer_at].is_sorted()
            && rows.is_multiple_of(RECORD_UNIT)
            && (names - rows) as u64 == rows_len
            && (blocks - index) as u64 == slots_len
            && about - blocks == 4 * parts.block_count()
            && trailer.slots.is_power_of_two()
            && u64::from(trailer.reach) < trailer.slots
            && trailer.reach <= MAX_REACH
            && trailer.crawlers <= MAX_CRAWLERS
            && trailer.files <= u64::from(u32::MAX);
        fill.then_some(parts)
    }

    /// How many blocks the rows, the names and the index have.
    fn block_count(&self) -> usize {
        (self.blocks - self.rows).div_ceil(BLOCK_LEN)
    }

    /// How many slots the index has: a power of two.
    pub(super) fn slot_count(&self) -> usize {
        (self.blocks - self.index) / SLOT_LEN
    }
}

/// The policy of one crawler for one origin. It has been checked.
#[derive(Clone, Debug)]
pub struct PackedPolicy<'p> {
    pack: &'p Pack<'p>,
    record: u32,
    /// The body of its record.
    body: &'p [u8],
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
    /// `O(crawlers)`, plus the checksums of the blocks: 4 bytes for each 4096 of rows, names and
    /// index.
    ///
    /// # Errors
    /// Returns an error if the beginning or the end is not that of a pack of this version, or is
    /// damaged.
    pub fn open(bytes: &'p [u8]) -> Result<Pack<'p>, PackError> {
        if !bytes.starts_with(&MAGIC) || bytes.len() < HEADER_LEN + TRAILER_LEN {
            return Err(PackError::NotAPack);
        }
        match u32_at(bytes, MAGIC.len()) {
            Some(VERSION) => {}
            version => return Err(PackError::Version(version.unwrap_or_default())),
        }
        let (body, last) = bytes.split_at(bytes.len() - TRAILER_LEN);
        if !last.ends_with(&MAGIC) {
            return Err(PackError::NotAPack);
        }
        let damaged = |what| damaged(body.len(), what);
        let trailer = last.first_chunk().and_then(Trailer::from_bytes);
        let trailer = trailer.ok_or_else(|| damaged("the trailer's checksum is wrong"))?;
        let (reading, wildcards) = reading_from_bytes(trailer.reading)
            .ok_or_else(|| damaged("the profile's switches are invalid"))?;
        let parts = Parts::of(&trailer, body.len())
            .ok_or_else(|| damaged("the parts do not fill the file"))?;
        let mut pack = Pack {
            bytes,
            valid: Checked::new(parts.rows / RECORD_UNIT),
            valid_blocks: Checked::new(parts.block_count()),
            reading,
            wildcards,
            profile_name: String::new(),
            tool: String::new(),
            crawlers: Vec::new(),
            damaged: RwLock::default(),
            checked_bytes: AtomicU64::new(0),
            policies: RwLock::default(),
            parts,
            trailer,
        };
        if crc32fast::hash(&bytes[parts.blocks..parts.about]) != pack.trailer.checksums[0] {
            let what = "the checksum of the blocks' checksums is wrong";
            return Err(self::damaged(parts.blocks, what));
        }
        pack.read_about()
            .ok_or_else(|| self::damaged(parts.about, "the description cannot be read"))?;
        Ok(pack)
    }

    /// Reads the description: profile, program and crawlers.
    fn read_about(&mut self) -> Option<()> {
        let about = &self.bytes[self.parts.about..self.parts.trailer];
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

    /// These bytes of the rows, the names or the index. Checks the blocks they are in.
    #[inline]
    pub(super) fn checked(&self, range: Range<usize>) -> Result<&'p [u8], PackError> {
        if !range.is_empty() {
            let block = |at: usize| (at - self.parts.rows) / BLOCK_LEN;
            for block in block(range.start)..=block(range.end - 1) {
                if !self.valid_blocks.is_set(block as u64) {
                    self.check(block)?;
                }
            }
        }
        Ok(&self.bytes[range])
    }

    #[cold]
    fn check(&self, block: usize) -> Result<(), PackError> {
        let Parts { rows, blocks, about, .. } = self.parts;
        let from = rows + block * BLOCK_LEN;
        let to = blocks.min(from + BLOCK_LEN);
        let wanted = u32_at(&self.bytes[blocks..about], 4 * block);
        if wanted != Some(crc32fast::hash(&self.bytes[from..to])) {
            return Err(damaged(from, "the checksum of a block is wrong"));
        }
        self.valid_blocks.set(block as u64);
        Ok(())
    }

    /// The name of the profile: one of [`Profile::NAMED`], or `custom`.
    pub fn profile_name(&self) -> &str {
        &self.profile_name
    }

    /// How the pack's profile finds the target of a URL.
    pub fn target_form(&self) -> TargetForm {
        self.reading.form
    }

    /// The program that wrote the pack, and its version.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The crawlers that the pack has policies for.
    pub fn crawlers(&self) -> &[Crawler] {
        &self.crawlers
    }

    /// Whether it keeps rules, so that it can tell which one decides.
    pub fn keeps_rules(&self) -> bool {
        self.trailer.keeps_rules
    }

    /// Whether it keeps the sitemaps of each file.
    pub fn keeps_sitemaps(&self) -> bool {
        self.trailer.keeps_sitemaps
    }

    /// How many origins it has.
    pub fn len(&self) -> u64 {
        self.trailer.origins
    }

    /// Whether it has no origins.
    pub fn is_empty(&self) -> bool {
        self.trailer.origins == 0
    }

    /// The target of a URL, or of a path that begins with `/`, in the pack's profile.
    ///
    /// # Errors
    /// Returns an error if the URL is invalid; never in the profile `google`.
    #[inline]
    pub fn target<'u, U>(&self, url: &'u U) -> Result<Target<'u>, InvalidUrl>
    where
        U: AsRef<[u8]> + ?Sized,
    {
        Target::of(url.as_ref(), self.reading.form, self.reading.encoding)
    }

    /// Looks up an origin by the name that was given to [`Writer::add`](super::Writer::add).
    ///
    /// Reads one or two slots of the index and the name.
    ///
    /// # Errors
    /// Returns an error if a part of the index that is read is damaged.
    pub fn get(&self, origin: &[u8]) -> Result<Option<Site<'_>>, PackError> {
        let hash = hash(origin, self.trailer.seed);
        let mask = self.parts.slot_count() - 1;
        for distance in 0..=self.trailer.reach as usize {
            // Only the lower bits count, so it does not matter if `usize` drops the upper ones.
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

    /// All origins with their names, in no particular order.
    ///
    /// Yields an error for each slot of the index that is damaged, and one in place of the rest
    /// if names overlap: all names together are never longer than the pack.
    pub fn origins(&self) -> impl Iterator<Item = Result<(&[u8], Site<'_>), PackError>> {
        let (mut slots, mut left) = (0..self.parts.slot_count(), self.names_len());
        std::iter::from_fn(move || {
            let slot = slots.by_ref().find_map(|slot| self.slot(slot).transpose())?;
            Some(slot.and_then(|slot| {
                let Some(fewer) = left.checked_sub(slot.name.len()) else {
                    slots = 0..0;
                    return Err(damaged(self.parts.names, "names overlap"));
                };
                left = fewer;
                Ok((slot.name, Site { pack: self, row: slot.row }))
            }))
        })
    }

    /// The bytes of all names.
    pub(super) fn names_len(&self) -> usize {
        self.parts.index - self.parts.names
    }

    /// A slot of the index. `None` if it is free.
    #[inline]
    pub(super) fn slot(&self, slot: usize) -> Result<Option<Slot<'p>>, PackError> {
        let at = self.parts.index + slot * SLOT_LEN;
        let bytes: &[u8; SLOT_LEN] =
            self.checked(at..at + SLOT_LEN)?.first_chunk().expect("a slot");
        let [h0, h1, h2, h3, r0, r1, r2, r3, n @ ..] = *bytes;
        let row = u32::from_le_bytes([r0, r1, r2, r3]);
        if row == FREE {
            return Ok(None);
        }
        let [n0, n1, n2, n3, n4, n5, l0, l1] = n;
        let from = u64::from_le_bytes([n0, n1, n2, n3, n4, n5, 0, 0]);
        let to = from + u64::from(u16::from_le_bytes([l0, l1]));
        if u64::from(row) >= self.trailer.files || to > self.names_len() as u64 {
            return Err(damaged(at, "an origin points outside the pack"));
        }
        // At most the length of the names, so `usize` can hold them.
        let name = self.parts.names + from as usize..self.parts.names + to as usize;
        let hash = u32::from_le_bytes([h0, h1, h2, h3]);
        Ok(Some(Slot { hash, row, name: self.checked(name)? }))
    }

    /// The body of a record, and its checksum. Checks its bounds.
    pub(super) fn body(&self, record: u32) -> Result<(&'p [u8], u32), PackError> {
        let damaged = |what| PackError::Damaged { offset: record_offset(record), what };
        let at = usize::try_from(record_offset(record)).ok();
        // The rows begin after the header, which is longer than a record's head.
        let possible = HEADER_LEN..=self.parts.rows - RECORD_HEAD;
        let at = at.filter(|at| possible.contains(at));
        let at = at.ok_or_else(|| damaged("no record begins here"))?;
        let (head, body) = self.bytes[at..self.parts.rows].split_at(RECORD_HEAD);
        let [len, checksum] = [0, 4].map(|at| u32_at(head, at).expect("eight bytes"));
        let body = body.get(..len as usize).ok_or_else(|| damaged("a record is cut short"))?;
        Ok((body, checksum))
    }

    /// The policy of a record.
    #[inline]
    #[expect(unsafe_code, reason = "tables are validated once, not for each verdict")]
    pub(super) fn policy(&self, record: u32) -> Result<PackedPolicy<'_>, PackError> {
        let (body, checksum) = self.body(record)?;
        if !self.valid.is_set(record) {
            self.check_record(record, body, checksum)?;
        }
        let mut rest = Take(body);
        let kind = rest.byte().expect("checked") & !HAS_PACE;
        let how = if kind == KIND_TABLE {
            let table = rest.text().expect("checked");
            // SAFETY: the mark of a record that holds a table is set only after `examine` found
            // that the table is valid with the pack's encoding. These are the same bytes and the
            // same encoding, because the place of a record's table depends only on the pack's
            // bytes, which are borrowed for `'p` and so do not change, and the encoding is fixed
            // when the pack is opened.
            How::Table(unsafe { Table::from_bytes_unchecked(table, self.reading.encoding) })
        } else if kind == KIND_RULES {
            How::Policy(self.with_rules(record)?)
        } else {
            let offset = record_offset(record);
            return Err(PackError::Damaged { offset, what: "the record is no policy" });
        };
        Ok(PackedPolicy { pack: self, record, body, how })
    }

    /// The list of sitemaps of a record: texts, which fill it.
    pub(super) fn sitemaps(&self, record: u32) -> Result<&'p [u8], PackError> {
        if record == NO_SITEMAPS {
            return Ok(&[]);
        }
        let (body, checksum) = self.body(record)?;
        if !self.valid.is_set(record) {
            self.check_record(record, body, checksum)?;
        }
        body.strip_prefix(&[KIND_SITEMAPS]).ok_or(PackError::Damaged {
            offset: record_offset(record),
            what: "the record has no sitemaps",
        })
    }

    /// Checks a record, and keeps in mind how that went.
    ///
    /// Records that overlap could make that cost `O(n²)`, and a damaged one that many rows lead to
    /// could as well. So a record is checked once, and all that are checked may together have
    /// twice as many bytes as there are: the valid records of an undamaged pack have as many at
    /// most, and the damage of a length may add as many again.
    #[cold]
    fn check_record(&self, record: u32, body: &[u8], checksum: u32) -> Result<(), PackError> {
        let known = self.damaged.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = known.get(&record) {
            return Err(error.clone());
        }
        drop(known);
        let len = (RECORD_HEAD + body.len()) as u64;
        let budget = 2 * (self.parts.rows - HEADER_LEN) as u64;
        // Threads that check records at the same time may exceed it by one record each.
        if self.checked_bytes.load(Ordering::Relaxed) + len > budget {
            return Err(PackError::Damaged {
                offset: record_offset(record),
                what: "records overlap",
            });
        }
        let outcome = self.examine(record, body, checksum);
        let is_new = match &outcome {
            Ok(()) => self.valid.set(record),
            Err(error) => {
                let mut known = self.damaged.write().unwrap_or_else(PoisonError::into_inner);
                known.insert(record, error.clone()).is_none()
            }
        };
        if is_new {
            self.checked_bytes.fetch_add(len, Ordering::Relaxed);
        }
        outcome
    }

    /// Checks the checksum of a record, and its table, or its rules if it has no table.
    fn examine(&self, record: u32, body: &[u8], checksum: u32) -> Result<(), PackError> {
        let offset = record_offset(record);
        if crc32fast::hash(body) != checksum {
            return Err(PackError::Damaged { offset, what: "a record's checksum is wrong" });
        }
        let damaged = |what| Err(PackError::Damaged { offset: offset + RECORD_HEAD as u64, what });
        let kind = body.first().copied();
        if kind == Some(KIND_SITEMAPS) {
            let mut rest = Take(&body[1..]);
            let is_list = loop {
                match rest.text() {
                    Some(_) if rest.0.is_empty() => break true,
                    Some(_) => {}
                    None => break false,
                }
            };
            return match is_list {
                true => Ok(()),
                false => damaged("the sitemaps of a record cannot be read"),
            };
        }
        let Some((body, _)) = split_pace(body) else {
            return damaged("the pace of a record cannot be read");
        };
        let mut rest = Take(body);
        match rest.byte().map(|kind| kind & !HAS_PACE) {
            Some(KIND_TABLE) => {
                let Some(table) = rest.text() else { return damaged("a table cut short") };
                if Table::validated(table, self.reading.encoding).is_err() {
                    return damaged("an invalid table");
                }
                if !self.keeps_rules() && !rest.0.is_empty() {
                    return damaged("rules in a pack that keeps none");
                }
                Ok(())
            }
            Some(KIND_RULES) => self.with_rules(record).map(|_| ()),
            _ => damaged("the kind of a record is unknown"),
        }
    }

    /// The policy of a record, made from its rules, or why there is none. Made once.
    fn with_rules(&self, record: u32) -> Result<Policy, PackError> {
        let known = self.policies.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(policy) = known.get(&record) {
            return policy.clone();
        }
        drop(known);
        let (body, _) = self.body(record)?;
        let policy = self.read_rules(body).ok_or(PackError::Damaged {
            offset: record_offset(record) + RECORD_HEAD as u64,
            what: "the rules of a record cannot be read",
        });
        let mut known = self.policies.write().unwrap_or_else(PoisonError::into_inner);
        known.entry(record).or_insert(policy).clone()
    }

    /// Reads the rules of a record's body. `None` if they are not as a writer writes them.
    pub(super) fn read_rules(&self, body: &[u8]) -> Option<Policy> {
        let (body, pace) = split_pace(body)?;
        let mut rest = Take(body);
        match rest.byte()? & !HAS_PACE {
            KIND_TABLE => drop(rest.text()?),
            KIND_RULES => {}
            _ => return None,
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
        let rules = RuleSet::restored(rules.into_iter(), self.wildcards, self.reading.encoding)?;
        Some(Policy::new(
            self.reading,
            &Config::default(),
            rules,
            agents.iter().copied(),
            empty_rule,
            pace,
        ))
    }
}

/// A slot of the index.
pub(super) struct Slot<'p> {
    /// The upper half of the name's hash.
    hash: u32,
    /// Less than the number of files.
    pub(super) row: u32,
    pub(super) name: &'p [u8],
}

/// The body of a policy's record without its pace, and the pace. `None` if that is not as a writer
/// writes it.
fn split_pace(body: &[u8]) -> Option<(&[u8], Pace)> {
    match body.first() {
        Some(kind) if kind & HAS_PACE != 0 => {
            let (body, pace) = body.split_last_chunk()?;
            Some((body, pace_from_bytes(pace)?))
        }
        _ => Some((body, Pace::NONE)),
    }
}

/// Where a record begins, in bytes from the beginning of the pack.
fn record_offset(record: u32) -> u64 {
    u64::from(record) * RECORD_UNIT as u64
}

pub(super) fn damaged(at: usize, what: &'static str) -> PackError {
    PackError::Damaged { offset: at as u64, what }
}

impl PackedPolicy<'_> {
    /// Whether the crawler may fetch this URL, or this path that begins with `/`.
    ///
    /// # Errors
    /// Returns an error if the URL is invalid; never in the profile `google`.
    #[inline]
    pub fn is_allowed<U: AsRef<[u8]> + ?Sized>(&self, url: &U) -> Result<bool, InvalidUrl> {
        Ok(self.verdict(&self.pack.target(url)?).is_allow())
    }

    /// Whether the crawler may fetch this path, with its query if it has one.
    ///
    /// # Errors
    /// Returns an error if the path does not begin with `/`.
    #[inline]
    pub fn is_path_allowed<P: AsRef<[u8]> + ?Sized>(&self, path: &P) -> Result<bool, InvalidUrl> {
        let target = Target::of_path(path.as_ref(), self.pack.reading.encoding)?;
        Ok(self.verdict(&target).is_allow())
    }

    /// The verdict on a target, which must come from the pack's own profile or from one that
    /// finds and normalises targets alike.
    ///
    /// # Panics
    /// Panics if the target comes from a profile that finds or normalises targets differently.
    #[inline]
    pub fn verdict(&self, target: &Target<'_>) -> Verdict {
        assert!(
            target.encoding() == self.pack.reading.encoding,
            "the target comes from a profile that normalises URLs differently from the pack's"
        );
        if self.pack.reading.robots_txt_allowed && target.is_robots_txt() {
            return Verdict::Allow;
        }
        match &self.how {
            How::Table(table) => table.verdict(target.unended()),
            How::Policy(policy) => policy.verdict(target),
        }
    }

    /// How fast the site asks the crawler to go, as [`Policy::pace`] says it.
    pub fn pace(&self) -> Pace {
        split_pace(self.body).expect("checked").1
    }

    /// The crawl delay of [`PackedPolicy::pace`].
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.pace().crawl_delay
    }

    /// The request rate of [`PackedPolicy::pace`].
    pub fn request_rate(&self) -> Option<RequestRate> {
        self.pace().request_rate
    }

    /// Whether it is a compiled table. If not, it is a list of rules.
    pub fn is_table(&self) -> bool {
        matches!(self.how, How::Table(_))
    }

    /// The policy with its rules, for [`Policy::decide`]. `None` if this policy is a table and the
    /// pack does not keep rules. The pack keeps the policy in memory from then on.
    ///
    /// # Errors
    /// Returns an error if the rules are damaged.
    pub fn with_rules(&self) -> Result<Option<Policy>, PackError> {
        match &self.how {
            How::Policy(policy) => Ok(Some(policy.clone())),
            How::Table(_) if self.pack.keeps_rules() => self.pack.with_rules(self.record).map(Some),
            How::Table(_) => Ok(None),
        }
    }

    /// The verdict on a URL, or on a path that begins with `/`, with its reason as far as a table
    /// tells: [`Reason::RobotsTxt`] or else [`Reason::RulesNotKept`].
    /// [`PackedPolicy::with_rules`] knows the rule.
    ///
    /// # Errors
    /// Returns an error if the URL is invalid; never in the profile `google`.
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

/// The rest of some bytes, which are taken from the front.
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

    /// A length, and as many bytes.
    fn text(&mut self) -> Option<&'o [u8]> {
        let len = self.number()?;
        self.take(len as usize)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::Engine;
    use crate::rules::normalise::Encoding;

    type Rule = (u8, bool, bool, Vec<u8>);

    /// Rules as a pack may hold them: pieces of patterns, also in forms that none is written in.
    fn rules() -> impl Strategy<Value = Vec<Rule>> {
        let pieces: [&[u8]; 16] = [
            b"/", b"a", b"b", b"*", b"$", b"%2F", b"%2f", b"%41", b"%", b" ", b"\xE9", b"\n",
            b"\0", b"#", b"ab/", b"*a",
        ];
        // Most pieces are harmless, so that many rule sets are restored.
        let piece = prop_oneof![8 => 0..4usize, 4 => 14..16usize, 1 => 4..14usize];
        let tail = prop::collection::vec(piece.prop_map(move |piece| pieces[piece]), 0..6);
        let pattern = (prop::bool::weighted(0.9), tail).prop_map(|(slash, tail)| {
            [if slash { &b"/"[..] } else { b"" }, &tail.concat()].concat()
        });
        let rule = (0..4u8, any::<bool>(), prop::bool::weighted(0.2), pattern);
        prop::collection::vec(rule, 0..8)
    }

    fn restored(rules: &[Rule], profile: &Profile, engine: Option<Engine>) -> Option<Policy> {
        let rules = rules.iter().map(|(precedence, disallow, anchored, bytes)| RuleRef {
            line: 1,
            verdict: if *disallow { Verdict::Disallow } else { Verdict::Allow },
            precedence: u32::from(*precedence),
            pattern: Pattern { bytes, anchored: *anchored },
            value: b"/value",
        });
        let reading = Reading::of(profile);
        let rules = RuleSet::restored(rules, profile.wildcards, reading.encoding)?;
        let config = Config { engine, ..Config::default() };
        Some(Policy::new(reading, &config, rules, std::iter::empty(), None, Pace::NONE))
    }

    /// All engines agree about rules that are restored, and their tables are valid.
    fn agree(rules: &[Rule], profile: &Profile, paths: &[Vec<u8>]) -> bool {
        let policy = |engine| restored(rules, profile, Some(engine));
        let Some(scan) = policy(Engine::Scan) else { return false };
        for engine in [Engine::Dfa, Engine::Lazy, Engine::Segments] {
            let policy = policy(engine).expect("restored before");
            policy.compile();
            policy.validate().expect("a valid table");
            for path in paths {
                let target = Target::of_path(path, Encoding::of_target(profile)).expect("a path");
                assert_eq!(
                    policy.verdict(&target),
                    scan.verdict(&target),
                    "{engine:?} {} {rules:?}",
                    path.escape_ascii()
                );
            }
        }
        true
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 2_000,
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn restored_rules(
            mut rules in rules(),
            sorted in prop::bool::weighted(0.95),
            paths in prop::collection::vec("/[ab/*$%2Ff4 1]{0,8}", 8),
            profile in 0..Profile::NAMED.len(),
        ) {
            if sorted {
                rules.sort_by_key(|(precedence, disallow, ..)| {
                    (std::cmp::Reverse(*precedence), *disallow)
                });
            }
            let paths: Vec<Vec<u8>> = paths.into_iter().map(String::into_bytes).collect();
            agree(&rules, &Profile::NAMED[profile].1, &paths);
        }
    }

    /// What no rule can be is not restored: each of these once made engines differ, or might.
    #[test]
    fn rules_that_are_not_in_normal_form() {
        let rule = |pattern: &[u8], anchored| vec![(1, true, anchored, pattern.to_vec())];
        let of = |profile: &Profile, rules: &[Rule]| agree(rules, profile, &[b"/a".to_vec()]);
        for pattern in [&b"/a"[..], b"a", b"/%2F", b"/*a", b"*/", b"", b"/%C3%A9", b"/a*%24"] {
            assert!(of(&Profile::RFC9309, &rule(pattern, false)), "{}", pattern.escape_ascii());
        }
        for pattern in [
            &b"/a**b"[..],
            b"/a*",
            b"*",
            b"/%2f",
            b"/%41",
            b"/%",
            b"/a b",
            b"/\xE9",
            b"/a\nb",
            b"/\r",
            b"/a#b",
            b"/a$",
        ] {
            assert!(!of(&Profile::RFC9309, &rule(pattern, false)), "{}", pattern.escape_ascii());
        }
        let original = Profile::ORIGINAL_1994;
        assert!(of(&original, &rule(b"/a", false)) && of(&original, &rule(b"/*", false)));
        assert!(!of(&original, &rule(b"", false)) && !of(&original, &rule(b"/a", true)));
        // Most of all: more transitions than a record can hold.
        for (_, profile) in Profile::NAMED {
            let all = |begin: &[u8], bytes: &[u8]| -> Vec<Rule> {
                let bytes = bytes.iter();
                bytes.map(|byte| (1, true, false, [begin, &[*byte]].concat())).collect()
            };
            let bytes: Vec<u8> = (0..=255).collect();
            for begin in [&b""[..], b"/", b"/*"] {
                assert!(!of(profile, &all(begin, &bytes)));
            }
            let letters: Vec<u8> = bytes.into_iter().filter(u8::is_ascii_alphanumeric).collect();
            assert!(of(profile, &all(b"/", &letters)));
        }
        let (high, low) = ((2, true, false, b"/a".to_vec()), (1, true, false, b"/b".to_vec()));
        assert!(of(&original, &[high.clone(), low.clone()]));
        assert!(!of(&original, &[low, high]));
    }
}
