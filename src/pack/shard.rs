//! One file of a pack: its layers, their entries and records. Whatever is used is checked first, once.
//!
//! A file is a header and one or more layers, one behind the other. A layer has records, an index of lines with
//! checksums by block, and a trailer, which completes it: docs/pack.md has every byte. An update appends a layer, and
//! what it says of an origin outweighs older layers. So a file is read from its end: the last trailer that is valid is
//! the newest layer, and bytes behind it are an update that is under way or was cut short.
//!
//! A look-up goes from the hash of the origin's key to a line, from the line to an entry, from the entry to the record
//! of policies, and from there to a table that is walked in place. Three rules hold everywhere:
//!
//! - **Nothing is believed.** Each offset is bounded before it is used, each block of the index and each record is
//!   checked against its checksum, and a record's contents once as a writer may have written them. Then it may be read
//!   without further checks (`table::view`), which is the reason why a table needs a proof here.
//! - **Each check is made once.** What was found valid or damaged is kept for all threads. The bytes
//!   that are checked are bounded together, since records of a hostile file may overlap.
//! - **Memory is bounded by the file.** A policy is made from rules only where a question needs them, and those that
//!   are kept have no more bytes than the records account for.
//!
//! Errors name the offset in the file. `write` is the other side; the tests there and in `tests/it/pack*` flip bits
//! and cut files at every place.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;
use std::sync::atomic::{self, AtomicU64};
use std::sync::{PoisonError, RwLock};

use smallvec::SmallVec;

use crate::automaton::Table;
use crate::origin::Origin;
use crate::policy::config::Config;
use crate::policy::{Policy, Reading};
use crate::read::fields::Pace;
use crate::rules::{Pattern, RuleRef, RuleSet};
use crate::sites::layout::{
    self, Entry, HAS_PACE, KIND_NAME, KIND_PANEL, KIND_RULES, KIND_TABLE, Key, LINE_LEN, Line,
    MAX_AUTHORITY, NO_RECORD, Name, Panel, Policies, RECORD_HEAD, RECORD_UNIT, Schemes, has_more,
};
use crate::sites::pace;
use crate::sites::policy::SitePolicy;
use crate::verdict::Verdict;

use super::bytes::Bytes;
use super::checked::Checked;
use super::error::PackError;
use super::format::{
    self, BLOCK_LEN, HEADER_LEN, KIND_ABOUT, KIND_EXPLAIN, KIND_RIGHTS, KIND_SITEMAPS, MAGIC,
    MAX_CRAWLERS, MAX_LAYERS, MAX_REACH, TRAILER_LEN, TRAILER_UNIT, Trailer, VERSION, body_offset,
    reading_from_bytes, record_offset, u32_at,
};
use super::outcome::FORGOTTEN;
use super::take::Take;

/// A file of a pack.
#[derive(Debug)]
pub(super) struct Shard<'p> {
    pub(super) bytes: Bytes<'p>,
    /// Tells apart all files that the process has opened.
    pub(super) id: u64,
    /// Which of the files it is, in the order given.
    pub(super) file: usize,
    /// The bytes behind those of the pack: what an update has not completed.
    pub(super) unfinished: usize,
    /// The newest first.
    pub(super) layers: SmallVec<[Layer; 1]>,
    pub(super) reading: Reading,
    pub(super) wildcards: bool,
    /// The seed of the hash.
    pub(super) seed: u64,
    /// The records that were found valid.
    pub(super) valid: Checked,
    /// What is wrong with the records that were found damaged.
    damaged: RwLock<HashMap<u32, PackError>>,
    /// The bytes of all records that were found valid or damaged.
    checked_bytes: AtomicU64,
    /// The policies made from records whose rules were needed, by the record of the policy and that
    /// of the rules, if it has them elsewhere.
    policies: RwLock<HashMap<(u32, u32), Result<Policy, PackError>>>,
    /// The bytes of the rules that were read from elsewhere for them, and of those records.
    kept_bytes: AtomicU64,
}

/// A layer of a file: an index with its entries, and the records that came with it.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) trailer: Trailer,
    /// Where its records begin.
    pub(super) begin: usize,
    /// Where they end, and the index begins.
    pub(super) index: usize,
    /// Where the index ends, and the checksums of its blocks begin.
    pub(super) blocks: usize,
    blocks_end: usize,
    /// The blocks of the index that were found valid.
    valid_blocks: Checked,
}

impl Layer {
    /// The layer that a trailer speaks of. `None` unless its parts fill what lies between the layer
    /// before it and the trailer, which begins at this offset.
    fn of(trailer: Trailer, trailer_at: usize) -> Option<Layer> {
        let at = |offset: u64| usize::try_from(offset).ok();
        let (begin, index) = (at(trailer.begin)?, at(trailer.index_at)?);
        let blocks = at(trailer.blocks_at)?;
        let lines = trailer.lines.checked_add(u64::from(trailer.reach))?;
        let index_len = at(lines.checked_mul(LINE_LEN as u64)?)?;
        let blocks_end = blocks.checked_add(4 * index_len.div_ceil(BLOCK_LEN))?;
        let (about, about_len) = (at(trailer.about_at)?, at(trailer.about_len)?);
        let about_end = about.checked_add(about_len)?;
        let is_first = trailer.previous == 0;
        let end = if is_first { about_end } else { blocks_end };
        let fill = [HEADER_LEN, begin, index, blocks, blocks_end, end, trailer_at].is_sorted()
            && trailer.lines > 0
            && index.checked_add(index_len) == Some(blocks)
            && index.is_multiple_of(BLOCK_LEN)
            && trailer.end == (trailer_at + TRAILER_LEN) as u64
            // `end` is no more than `trailer_at`.
            && (end + TRAILER_LEN).next_multiple_of(TRAILER_UNIT) == trailer_at + TRAILER_LEN
            && trailer.begin == if is_first { HEADER_LEN as u64 } else { trailer.previous }
            && (!is_first || about == blocks_end)
            && trailer.reach <= MAX_REACH
            && trailer.crawlers <= MAX_CRAWLERS
            && trailer.shard[0] < trailer.shard[1]
            // Far fewer; so all files together have no more than can be counted.
            && trailer.origins <= trailer.end;
        fill.then(|| {
            let valid_blocks = Checked::new(index_len.div_ceil(BLOCK_LEN));
            Layer { trailer, begin, index, blocks, blocks_end, valid_blocks }
        })
    }

    /// Returns true if a layer after this one may have such a trailer.
    fn is_before(&self, later: &Trailer) -> bool {
        let of = |trailer: &Trailer| {
            let Trailer { reading, crawlers, shard, seed, about_at, about_len, .. } = *trailer;
            let about = (about_at, about_len, trailer.checksums[1]);
            (reading, trailer.keeps(), crawlers, shard, seed, about)
        };
        of(&self.trailer) == of(later)
    }

    /// Where the checksums of its blocks end.
    pub(super) fn blocks_end(&self) -> usize {
        self.blocks_end
    }

    /// The number of all lines.
    pub(super) fn line_count(&self) -> usize {
        (self.blocks - self.index) / LINE_LEN
    }
}

impl<'p> Shard<'p> {
    /// Opens a file.
    pub(super) fn open(bytes: Bytes<'p>, file: u32) -> Result<Shard<'p>, PackError> {
        if !bytes.starts_with(&MAGIC) || bytes.len() < HEADER_LEN + TRAILER_LEN {
            return Err(PackError::NotAPack);
        }
        match u32_at(&bytes, MAGIC.len()) {
            Some(VERSION) => {}
            version => return Err(PackError::Version(version.unwrap_or_default())),
        }
        static OPENED: AtomicU64 = AtomicU64::new(0);
        let mut shard = Shard {
            bytes,
            id: OPENED.fetch_add(1, atomic::Ordering::Relaxed),
            file: file as usize,
            unfinished: 0,
            layers: SmallVec::new(),
            // Set below.
            reading: Reading::of(&crate::profile::Profile::RFC9309),
            wildcards: true,
            seed: 0,
            valid: Checked::new(0),
            damaged: RwLock::default(),
            checked_bytes: AtomicU64::new(0),
            policies: RwLock::default(),
            kept_bytes: AtomicU64::new(0),
        };
        let complete = shard.complete()?;
        shard.unfinished = shard.bytes.len() - complete;
        shard.bytes.truncate(complete);
        shard.layers = shard.layers_up_to(complete)?;
        let trailer = shard.trailer();
        let (reading, wildcards) = reading_from_bytes(trailer.reading).ok_or_else(|| {
            shard.damaged(shard.bytes.len(), "the profile's switches are invalid")
        })?;
        let seed = trailer.seed;
        (shard.reading, shard.wildcards, shard.seed) = (reading, wildcards, seed);
        let index = shard.layers[0].index;
        shard.valid = Checked::new(index / RECORD_UNIT);
        for layer in &shard.layers {
            let blocks = &shard.bytes[layer.blocks..layer.blocks_end];
            if crc32fast::hash(blocks) != layer.trailer.checksums[0] {
                let what = "the checksum of the blocks' checksums is wrong";
                return Err(shard.damaged(layer.blocks, what));
            }
        }
        if shard.description().is_none() {
            let at = shard.trailer().about_at as usize;
            return Err(shard.damaged(at, "the description cannot be read"));
        }
        Ok(shard)
    }

    /// The layers of a file that ends at an offset, the newest first.
    fn layers_up_to(&self, mut end: usize) -> Result<SmallVec<[Layer; 1]>, PackError> {
        let mut layers: SmallVec<[Layer; 1]> = SmallVec::new();
        while end > 0 {
            let layer = match self.layer_that_ends(end) {
                Err(PackError::NotAPack) => return Err(self.damaged(end, "no layer ends here")),
                layer => layer?,
            };
            if layers.last().is_some_and(|later| !layer.is_before(&later.trailer)) {
                return Err(self.damaged(end, "the layers do not belong together"));
            }
            if layers.len() == MAX_LAYERS {
                return Err(self.damaged(end, "too many layers"));
            }
            end = layer.trailer.previous as usize;
            layers.push(layer);
        }
        Ok(layers)
    }

    /// The layer that ends at an offset.
    fn layer_that_ends(&self, end: usize) -> Result<Layer, PackError> {
        let at = end.checked_sub(TRAILER_LEN).filter(|at| *at >= HEADER_LEN);
        let at = at.filter(|_| end <= self.bytes.len()).ok_or(PackError::NotAPack)?;
        let last = &self.bytes[at..end];
        if !last.ends_with(&MAGIC) {
            return Err(PackError::NotAPack);
        }
        let trailer = last.first_chunk().and_then(Trailer::from_bytes);
        let trailer = trailer.ok_or_else(|| self.damaged(at, "the trailer's checksum is wrong"))?;
        Layer::of(trailer, at).ok_or_else(|| self.damaged(at, "the parts do not fill the file"))
    }

    /// The number of bytes that are the pack: those up to the last trailer. What follows it is an update
    /// that is under way or was cut short.
    ///
    /// `O(n)` of the bytes that follow, of which it reads a few in each 256.
    fn complete(&self) -> Result<usize, PackError> {
        let ends = (0..=self.bytes.len() / TRAILER_UNIT).rev().map(|unit| unit * TRAILER_UNIT);
        let mut ends = ends.take_while(|end| *end >= HEADER_LEN + TRAILER_LEN);
        let is_trailer = |end: &usize| {
            let trailer = self.bytes[end - TRAILER_LEN..].first_chunk();
            trailer.is_some_and(|trailer| format::is_trailer(&self.bytes, trailer))
        };
        ends.find(is_trailer).ok_or_else(|| {
            self.damaged(self.bytes.len(), "its header is damaged, or the file was cut short")
        })
    }

    /// The trailer of the newest layer.
    pub(super) fn trailer(&self) -> &Trailer {
        &self.layers[0].trailer
    }

    /// Returns true if two files can be parts of one pack.
    pub(super) fn agrees_with(&self, other: &Shard<'_>) -> bool {
        let of = |shard: &Shard<'_>| {
            let trailer = shard.trailer();
            (trailer.reading, trailer.keeps(), trailer.crawlers)
        };
        of(self) == of(other) && self.description() == other.description()
    }

    /// The description. `None` if it is damaged.
    pub(super) fn description(&self) -> Option<&[u8]> {
        let Trailer { about_at, about_len, checksums: [_, checksum], .. } = *self.trailer();
        // They were compared with the bounds of the file when the layers were read.
        let about = self.bytes.get(about_at as usize..)?.get(..about_len as usize)?;
        (crc32fast::hash(about) == checksum).then_some(about)
    }

    pub(super) fn damaged(&self, at: usize, what: &'static str) -> PackError {
        PackError::Damaged { file: self.file, offset: at as u64, what }
    }

    fn damaged_record(&self, record: u32, what: &'static str) -> PackError {
        PackError::Damaged { file: self.file, offset: record_offset(record), what }
    }

    pub(super) fn damaged_body(&self, record: u32, what: &'static str) -> PackError {
        PackError::Damaged { file: self.file, offset: body_offset(record), what }
    }

    /// A line of a layer's index. Checks the block it is in.
    #[inline]
    pub(super) fn line(&self, layer: &Layer, line: usize) -> Result<&Line, PackError> {
        let offset = line * LINE_LEN;
        let block = offset / BLOCK_LEN;
        if !layer.valid_blocks.is_set(block as u64) {
            self.check_block(layer, block)?;
        }
        Ok(self.bytes[layer.index + offset..].first_chunk().expect("within the index"))
    }

    #[cold]
    fn check_block(&self, layer: &Layer, block: usize) -> Result<(), PackError> {
        let from = layer.index + block * BLOCK_LEN;
        let to = layer.blocks.min(from + BLOCK_LEN);
        let wanted = u32_at(&self.bytes[layer.blocks..layer.blocks_end], 4 * block);
        if wanted != Some(crc32fast::hash(&self.bytes[from..to])) {
            return Err(self.damaged(from, "the checksum of a block is wrong"));
        }
        layer.valid_blocks.set(block as u64);
        Ok(())
    }

    /// The entry of an origin. `None` if there is none, or if it was removed.
    #[inline]
    pub(super) fn look_up(&self, key: &Key<'_>) -> Result<Option<Entry<'_>>, PackError> {
        let has_about = self.trailer().has_about();
        for layer in &self.layers {
            // The hash names one of the first lines, and `reach` lines follow the last of those.
            let home = layout::home(key.hash, layer.trailer.lines) as usize;
            for number in home..=home + layer.trailer.reach as usize {
                let line = self.line(layer, number)?;
                let found = layout::find(line, key, has_about, |record| self.name(record))?;
                if let Some((at, entry)) = found {
                    if !is_valid(&entry) {
                        return Err(self.damaged_entry(layer, number, at));
                    }
                    return Ok(Some(entry).filter(|entry| entry.kind != FORGOTTEN));
                }
                if !has_more(line) {
                    break;
                }
            }
        }
        Ok(None)
    }

    /// The name that a record has.
    fn name(&self, record: u32) -> Result<&[u8], PackError> {
        match self.valid_body(record)? {
            [KIND_NAME, name @ ..] => Ok(name),
            _ => Err(self.damaged_record(record, "the record is no name")),
        }
    }

    /// The authority of an entry.
    pub(super) fn authority<'e>(&'e self, entry: &Entry<'e>) -> Result<&'e [u8], PackError> {
        match entry.name {
            Name::Here(name) => Ok(name),
            Name::Long { record, .. } => self.name(record),
        }
    }

    #[cold]
    fn damaged_entry(&self, layer: &Layer, line: usize, at: usize) -> PackError {
        self.damaged(layer.index + line * LINE_LEN + at, "no entry begins here")
    }

    /// The end of the records among which an offset is.
    #[inline]
    fn end_of_part(&self, offset: usize) -> Option<usize> {
        let layer =
            self.layers.iter().find(|layer| (layer.begin..layer.index).contains(&offset))?;
        Some(layer.index)
    }

    /// The entries of a layer, in the order of their hashes. The name of each leads to it.
    pub(super) fn indexed<'s>(
        &'s self,
        layer: &'s Layer,
    ) -> impl Iterator<Item = Result<Indexed<'s>, PackError>> + use<'s, 'p> {
        let mut lines = 0..layer.line_count();
        // Those that were read and may not come yet: an entry may be behind its home. They come when
        // no entry that belongs further ahead is left.
        let mut read: BinaryHeap<Reverse<Indexed<'s>>> = BinaryHeap::new();
        // The first line from which on all lines say that more is behind them.
        let mut more_from = 0;
        let (mut may_come, mut key) = (false, String::new());
        std::iter::from_fn(move || {
            loop {
                if may_come && let Some(Reverse(next)) = read.pop() {
                    return Some(Ok(next));
                }
                let number = lines.next()?;
                let line = match self.line(layer, number) {
                    Ok(line) => line,
                    Err(error) => return Some(Err(error)),
                };
                let found = self.entries_of_line(layer, number, line, more_from, &mut key);
                match found {
                    Ok(found) => read.extend(found.into_iter().map(Reverse)),
                    Err(error) => return Some(Err(error)),
                }
                may_come = !has_more(line) || lines.is_empty();
                if !has_more(line) {
                    more_from = number + 1;
                }
            }
        })
    }

    /// The entries of a line, checked. All lines from `more_from` to this one say that more is behind.
    fn entries_of_line<'s>(
        &'s self,
        layer: &Layer,
        number: usize,
        line: &'s Line,
        more_from: usize,
        key: &mut String,
    ) -> Result<SmallVec<[Indexed<'s>; 4]>, PackError> {
        let mut found = SmallVec::new();
        let mut end = 0;
        for (at, entry, len) in layout::entries(line, self.trailer().has_about()) {
            let damaged = |what| Err(self.damaged(layer.index + number * LINE_LEN + at, what));
            end = at + len;
            if !is_valid(&entry) {
                return Err(self.damaged_entry(layer, number, at));
            }
            let authority = self.authority(&entry)?;
            let hash = layout::hash(authority, self.seed);
            let home = layout::home(hash, layer.trailer.lines) as usize;
            // Names are in records only if they are too long, and then with their hash.
            let has_about = self.trailer().has_about();
            let record = || Ok::<_, PackError>(entry.name.record().unwrap_or(NO_RECORD));
            let name = Name::of(authority, hash, [entry.captured, entry.other], has_about, record)?;
            let is_right = name == entry.name;
            let is_within = (more_from.min(number)..=number).contains(&home);
            if !is_right || !is_within || number - home > layer.trailer.reach as usize {
                return damaged("an origin is not found by its name");
            }
            if !is_name(&entry, authority, key) {
                return damaged("an origin has a name that no URL has");
            }
            found.push(Indexed { hash, at: number * LINE_LEN + at, authority, entry });
        }
        if line[end..layout::ROOM].iter().any(|byte| *byte != 0) {
            return Err(self.damaged_entry(layer, number, end));
        }
        Ok(found)
    }

    /// The entries of all origins, the newest of each, with those of its schemes for which it is, and
    /// their authorities.
    pub(super) fn entries(&self) -> impl Iterator<Item = Result<(Entry<'_>, &[u8]), PackError>> {
        // All layers are in the order of their hashes, and so is what comes of them together.
        let mut layers: SmallVec<[_; 1]> =
            self.layers.iter().map(|layer| self.indexed(layer).peekable()).collect();
        // Of those with the hash of the last one: names, and the schemes that newer entries have.
        let (mut last_hash, mut met) = (0, HashMap::<&[u8], Schemes>::new());
        std::iter::from_fn(move || {
            loop {
                // The least hash, and of equal ones that of the newest layer.
                let mut least: Option<(u64, usize)> = None;
                for (number, layer) in layers.iter_mut().enumerate() {
                    match layer.peek() {
                        Some(Ok(next)) if least.is_none_or(|(least, _)| next.hash < least) => {
                            least = Some((next.hash, number));
                        }
                        Some(Err(error)) => {
                            let error = error.clone();
                            layer.next();
                            return Some(Err(error));
                        }
                        _ => {}
                    }
                }
                let (_, number) = least?;
                let Indexed { hash, mut entry, authority, .. } = match layers[number].next()? {
                    Ok(next) => next,
                    Err(error) => return Some(Err(error)),
                };
                if hash != last_hash {
                    last_hash = hash;
                    met.clear();
                }
                let met = met.entry(authority).or_default();
                let schemes = Schemes(entry.schemes.0 & !met.0);
                met.0 |= schemes.0;
                if schemes != Schemes::default() && entry.kind != FORGOTTEN {
                    entry.schemes = schemes;
                    return Some(Ok((entry, authority)));
                }
            }
        })
    }

    /// The body of a record, and its checksum. Checks its bounds.
    #[inline]
    pub(super) fn body(&self, record: u32) -> Result<(&[u8], u32), PackError> {
        let at = usize::try_from(record_offset(record)).ok();
        let end = at.and_then(|at| self.end_of_part(at));
        let (Some(at), Some(end)) = (at, end) else {
            return Err(self.damaged_record(record, "no record begins here"));
        };
        let cut_short = || self.damaged_record(record, "a record is cut short");
        let (head, body) =
            self.bytes[at..end].split_at_checked(RECORD_HEAD).ok_or_else(cut_short)?;
        let [len, checksum] = [0, 4].map(|at| u32_at(head, at).expect("eight bytes"));
        Ok((body.get(..len as usize).ok_or_else(cut_short)?, checksum))
    }

    /// The body of a record that was checked.
    #[inline]
    fn valid_body(&self, record: u32) -> Result<&[u8], PackError> {
        let (body, checksum) = self.body(record)?;
        if !self.valid.is_set(record) {
            self.check_record(record, body, checksum)?;
        }
        Ok(body)
    }

    /// What an entry leads to: a policy, or those of several crawlers.
    #[inline]
    pub(super) fn policies(&self, record: u32, crawlers: usize) -> Result<Policies<'_>, PackError> {
        let body = self.valid_body(record)?;
        if body[0] != KIND_PANEL {
            return Ok(Policies::One(record));
        }
        let panel = Panel::read_again(&body[1..]);
        debug_assert!(Panel::read(&body[1..], crawlers).is_some());
        Ok(Policies::Panel(panel))
    }

    /// The policy of a record.
    #[inline]
    #[expect(unsafe_code, reason = "tables are validated once, not for each verdict")]
    pub(super) fn site_policy(&self, record: u32) -> Result<SitePolicy<'_>, PackError> {
        let body = self.valid_body(record)?;
        match body[0] & !HAS_PACE {
            KIND_TABLE => {
                let table = &pace::without(body)[1..];
                // SAFETY: the mark of a record that holds a table is set only after `examine` found
                // that the table is valid with the file's encoding. These are the same bytes and the
                // same encoding, because the place of a record's table depends only on the file's
                // bytes, which do not change while it is open, and the encoding is fixed
                // when the file is opened.
                let table = unsafe { Table::from_bytes_unchecked(table, self.reading.encoding) };
                Ok(SitePolicy::of_table(table, self.reading))
            }
            KIND_RULES => Ok(self.with_rules(record, NO_RECORD)?.into()),
            _ => Err(self.damaged_record(record, "the record is no policy")),
        }
    }

    /// The pace of a policy's record.
    pub(super) fn pace(&self, record: u32) -> Result<Pace, PackError> {
        let body = self.policy(record)?;
        Ok(pace::split(body).map_or(Pace::NONE, |(_, pace)| pace))
    }

    /// The record of a policy.
    pub(super) fn policy(&self, record: u32) -> Result<&[u8], PackError> {
        let body = self.valid_body(record)?;
        match body[0] & !HAS_PACE {
            KIND_TABLE | KIND_RULES => Ok(body),
            _ => Err(self.damaged_record(record, "the record is no policy")),
        }
    }

    /// The record of the rules of a policy that has a table. Empty if they are not kept.
    pub(super) fn rules(&self, record: u32) -> Result<&[u8], PackError> {
        match self.record(record)? {
            body @ ([] | [KIND_EXPLAIN, ..]) => Ok(body),
            _ => Err(self.damaged_record(record, "the record has no rules")),
        }
    }

    /// The records for explanations: that of the sitemaps, and those of the rules of so many
    /// policies.
    pub(super) fn about(&self, record: u32) -> Result<About<'_>, PackError> {
        if record == NO_RECORD {
            return Ok(About { numbers: &[], has_rights: false });
        }
        match self.valid_body(record)? {
            [KIND_ABOUT, numbers @ ..] => {
                let has_rights = self.trailer().keeps_rights;
                Ok(About { numbers: numbers.as_chunks().0, has_rights })
            }
            _ => Err(self.damaged_record(record, "the record is not one for explanations")),
        }
    }

    /// The list of sitemaps of a record: texts, which fill it.
    pub(super) fn sitemaps(&self, record: u32) -> Result<&[u8], PackError> {
        if record == NO_RECORD {
            return Ok(&[]);
        }
        match self.valid_body(record)? {
            [KIND_SITEMAPS, list @ ..] => Ok(list),
            _ => Err(self.damaged_record(record, "the record has no sitemaps")),
        }
    }

    /// The record of what a file says of rights. Empty if it says nothing.
    pub(super) fn rights(&self, record: u32) -> Result<&[u8], PackError> {
        match self.record(record)? {
            body @ ([] | [KIND_RIGHTS, ..]) => Ok(body),
            _ => Err(self.damaged_record(record, "the record is not about rights")),
        }
    }

    /// Returns true if so many bytes more may be kept in another form, and counts them.
    fn may_keep(&self, len: usize) -> bool {
        let kept = self.kept_bytes.fetch_add(len as u64, atomic::Ordering::Relaxed);
        if kept > 2 * self.bytes.len() as u64 {
            self.kept_bytes.fetch_sub(len as u64, atomic::Ordering::Relaxed);
            return false;
        }
        true
    }

    /// A record as it is, to copy it.
    pub(super) fn record(&self, record: u32) -> Result<&[u8], PackError> {
        if record == NO_RECORD { Ok(&[]) } else { self.valid_body(record) }
    }

    /// Checks a record, and keeps in mind how that went.
    ///
    /// Records that overlap could make that cost `O(n²)`, and a damaged one that many entries lead
    /// to could as well. So a record is checked once, and all that are checked may together have
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
        let budget = 2 * self.bytes.len() as u64;
        // Threads that check records at the same time may exceed it by one record each.
        if self.checked_bytes.load(atomic::Ordering::Relaxed) + len > budget {
            return Err(self.damaged_record(record, "records overlap"));
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
            self.checked_bytes.fetch_add(len, atomic::Ordering::Relaxed);
        }
        outcome
    }

    /// Checks the checksum of a record, and what it holds. It may lead to records that are not
    /// checked yet.
    fn examine(&self, record: u32, body: &[u8], checksum: u32) -> Result<(), PackError> {
        if crc32fast::hash(body) != checksum {
            return Err(self.damaged_record(record, "a record's checksum is wrong"));
        }
        let damaged = |what| Err(self.damaged_body(record, what));
        let right = |is_right: bool, what| if is_right { Ok(()) } else { damaged(what) };
        let trailer = self.trailer();
        match body {
            [KIND_SITEMAPS, list @ ..] => {
                right(trailer.keeps_sitemaps, "sitemaps in a pack that keeps none")?;
                right(are_texts(list), "the sitemaps of a record cannot be read")
            }
            [KIND_RIGHTS, ..] => right(trailer.keeps_rights, "rights in a pack that keeps none"),
            [KIND_NAME, name @ ..] => {
                let is_long = name.len() <= MAX_AUTHORITY;
                right(is_long, "the name of a record is too long")
            }
            [KIND_PANEL, panel @ ..] => {
                let panel = Panel::read(panel, trailer.crawlers as usize);
                right(panel.is_some(), "the policies of a record cannot be read")
            }
            [KIND_ABOUT, numbers @ ..] => {
                right(trailer.has_about(), "explanations in a pack that keeps none")?;
                let is_right = !numbers.is_empty() && numbers.len().is_multiple_of(4);
                right(is_right, "the explanations of a record cannot be read")
            }
            [KIND_EXPLAIN, rules @ ..] => {
                right(trailer.keeps_rules, "rules in a pack that keeps none")?;
                let policy = self.read_rules(rules, Pace::NONE);
                right(policy.is_some(), "the rules of a record cannot be read")
            }
            _ => {
                let Some((body, _)) = pace::split(body) else {
                    return damaged("the pace of a record cannot be read");
                };
                match body.split_first().map(|(kind, rest)| (kind & !HAS_PACE, rest)) {
                    Some((KIND_TABLE, table)) => {
                        let is_valid = Table::validated(table, self.reading.encoding).is_ok();
                        right(is_valid, "an invalid table")
                    }
                    Some((KIND_RULES, _)) => self.with_rules(record, NO_RECORD).map(|_| ()),
                    _ => damaged("the kind of a record is unknown"),
                }
            }
        }
    }

    /// The policy of a record with its rules, which another record has if it is a table, or why
    /// there is none. Made once, unless many tables share their rules: then it is made again, so
    /// that the policies take no more memory than the records account for.
    pub(super) fn with_rules(&self, record: u32, rules: u32) -> Result<Policy, PackError> {
        let known = self.policies.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(policy) = known.get(&(record, rules)) {
            return policy.clone();
        }
        drop(known);
        let policy = self.make_policy(record, rules);
        let len = self.rules(rules).map_or(0, <[u8]>::len);
        if len > 0 && !self.may_keep(len) {
            return policy;
        }
        let mut known = self.policies.write().unwrap_or_else(PoisonError::into_inner);
        known.entry((record, rules)).or_insert(policy).clone()
    }

    fn make_policy(&self, record: u32, rules: u32) -> Result<Policy, PackError> {
        // The record of a policy without a table is checked by making the policy.
        let (body, _) = self.body(record)?;
        let what = "the rules of a record cannot be read";
        let unreadable = || self.damaged_body(record, what);
        let (body, pace) = pace::split(body).ok_or_else(unreadable)?;
        match body.split_first().map(|(kind, rest)| (kind & !HAS_PACE, rest)) {
            // The writer has found out that it is over the limits.
            Some((KIND_RULES, rest)) => {
                self.read_rules(rest, pace).map(Policy::without_dfa).ok_or_else(unreadable)
            }
            _ => match self.rules(rules)? {
                [KIND_EXPLAIN, rest @ ..] => {
                    self.read_rules(rest, pace).ok_or_else(|| self.damaged_body(rules, what))
                }
                _ => Err(self.damaged_record(record, "the record has no rules")),
            },
        }
    }

    /// Reads rules. `None` if they are not as a writer writes them.
    pub(super) fn read_rules(&self, rules: &[u8], pace: Pace) -> Option<Policy> {
        let mut rest = Take(rules);
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

    /// These bytes of a layer's data, to walk through all of its records.
    pub(super) fn data(&self, layer: &Layer) -> Range<usize> {
        layer.begin.next_multiple_of(RECORD_UNIT)..layer.index
    }
}

/// An entry of an index. Ordered by hash, and of equal ones as in the index: no two are at one place.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Indexed<'p> {
    pub(super) hash: u64,
    /// Where it begins in the index.
    at: usize,
    pub(super) authority: &'p [u8],
    pub(super) entry: Entry<'p>,
}

/// Returns true if a writer may have written an entry.
#[inline]
fn is_valid(entry: &Entry<'_>) -> bool {
    entry.schemes.0 != 0 && (entry.captured != 0 || !entry.is_later)
}

/// Returns true if the authority of an entry is that of its origins. The buffer is for their keys.
fn is_name(entry: &Entry<'_>, authority: &[u8], key: &mut String) -> bool {
    let Ok(authority) = str::from_utf8(authority) else { return false };
    let is_short = authority.len() <= MAX_AUTHORITY;
    is_short
        && entry.schemes.iter().all(|scheme| {
            key.clear();
            key.extend([scheme.as_str(), "://", authority]);
            Origin::of(key).is_ok_and(|origin| origin.key() == key)
        })
}

/// The numbers of the records for explanations.
#[derive(Clone, Copy, Debug)]
pub(super) struct About<'p> {
    numbers: &'p [[u8; 4]],
    /// True if one is that of the rights.
    has_rights: bool,
}

impl About<'_> {
    fn number(&self, index: usize) -> u32 {
        self.numbers.get(index).map_or(NO_RECORD, |number| u32::from_le_bytes(*number))
    }

    /// The record of the sitemaps.
    pub(super) fn sitemaps(&self) -> u32 {
        self.number(0)
    }

    /// The record of the rights.
    pub(super) fn rights(&self) -> u32 {
        if self.has_rights { self.number(1) } else { NO_RECORD }
    }

    /// The record of the rules of a policy.
    pub(super) fn rules(&self, policy: usize) -> u32 {
        self.number(1 + usize::from(self.has_rights) + policy)
    }
}

/// Returns true if some bytes are texts, at least one.
fn are_texts(list: &[u8]) -> bool {
    let mut rest = Take(list);
    while rest.text().is_some() {
        if rest.0.is_empty() {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::Engine;
    use crate::profile::Profile;
    use crate::rules::normalise::Encoding;
    use crate::rules::target::Target;

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
        let normal =
            [&b"/a"[..], b"a", b"/%2F", b"/*a", b"*/", b"", b"/%C3%A9", b"/a*%24", b"/%", b"/%E"];
        for pattern in normal {
            assert!(of(&Profile::RFC9309, &rule(pattern, false)), "{}", pattern.escape_ascii());
        }
        for pattern in [
            &b"/a**b"[..],
            b"/a*",
            b"*",
            b"/%2f",
            b"/%41",
            b"/%e",
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
