//! Checks every invariant of the [layout](super::format).

use std::fmt;

use crate::automaton::lookahead::Work;
use crate::automaton::table::format::{
    BRANCH, FilterForm, LAST_FINAL, LITERAL, NO_PEEK, OTHERWISE_MISSED, PADDING, RawTable, Record,
    WAIT, entries_len, header_len,
};

/// The error for an automaton that breaks one of its invariants: an offset in its table,
/// and what is wrong there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidAutomaton {
    offset: usize,
    what: &'static str,
}

impl fmt::Display for InvalidAutomaton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid automaton: {} at offset {}", self.what, self.offset)
    }
}

impl std::error::Error for InvalidAutomaton {}

fn invalid(offset: usize, what: &'static str) -> InvalidAutomaton {
    InvalidAutomaton { offset, what }
}

impl RawTable<'_> {
    /// Checks every invariant of the [layout](super::format).
    ///
    /// # Errors
    /// Returns the first invariant that does not hold.
    pub(crate) fn validate(self) -> Result<(), InvalidAutomaton> {
        self.validate_outline()?;
        // The offset of what stands at a place.
        let at = |place, what| invalid(self.entries_len() + place, what);
        let places = self.record_places().map_err(|place| at(place, "a record cut short"))?;
        if !places.has_target(self.start()) {
            return Err(invalid(2, "the start is not a record"));
        }
        if !places.has_target(self.missed()) {
            return Err(invalid(2 + self.width(), "a missed that is not a record"));
        }
        for &place in &places.all {
            self.validate_record(&places, place).map_err(|what| at(place, what))?;
        }
        // Every target is known to be one now, so the records can be followed.
        let start = self.start();
        if self.missed() != if start <= LAST_FINAL { start } else { self.otherwise(start) } {
            return Err(invalid(2 + self.width(), "a missed that is not where the start fails to"));
        }
        let mut work = Work::of(self);
        for &place in &places.all {
            let wait = place as u32;
            if self.head(wait).kind() == WAIT {
                let filter = self.filter(wait, &mut work);
                let len = FilterForm::of(self.count(wait)).len();
                if self.records()[place + 2..][..len] != filter[..len] {
                    return Err(at(place, "a filter that does not belong to its wait"));
                }
            }
        }
        self.validate_entries(&mut work)
    }

    /// Checks that there is room for the header, the entries and the padding.
    fn validate_outline(self) -> Result<(), InvalidAutomaton> {
        let bytes = self.bytes();
        let [width @ (2 | 4), entry_count, ..] = *bytes else {
            return Err(invalid(0, "no header"));
        };
        let (width, entry_count) = (usize::from(width), usize::from(entry_count));
        if bytes.len() < header_len(width) + entries_len(width, entry_count) + PADDING {
            return Err(invalid(0, "a table cut short"));
        }
        Ok(())
    }

    /// The places of all records, in ascending order.
    ///
    /// # Errors
    /// Returns the place of a record that does not end before the padding.
    fn record_places(self) -> Result<Places, usize> {
        let end = self.records_end();
        let mut places = Places { all: Vec::new(), bits: vec![0; end.div_ceil(64)] };
        let mut place = header_len(self.width());
        while place < end {
            places.all.push(place);
            places.bits[place / 64] |= 1 << (place % 64);
            place += self.record_len(place).ok_or(place)?;
        }
        Ok(places)
    }

    fn validate_record(self, places: &Places, place: usize) -> Result<(), &'static str> {
        let record = self.record(place).ok_or("a record cut short")?;
        match record.head.kind() {
            LITERAL => self.validate_literal(places, place, &record)?,
            BRANCH | WAIT => self.validate_transitions(places, place, &record)?,
            _ => return Err("an unknown kind of record"),
        }
        if let Some(otherwise) = record.otherwise
            && otherwise > LAST_FINAL
            && (!places.has_target(otherwise) || self.head(otherwise).kind() != WAIT)
        {
            return Err("an otherwise that is neither final nor a wait");
        }
        if record.head.kind() != WAIT
            && record.head.otherwise() == OTHERWISE_MISSED
            && self.missed() <= LAST_FINAL
        {
            return Err("an otherwise that is not the wait it should be");
        }
        Ok(())
    }

    fn validate_literal(
        self,
        places: &Places,
        place: usize,
        literal: &Record<'_>,
    ) -> Result<(), &'static str> {
        if literal.bytes.is_empty() {
            return Err("an empty literal");
        }
        if literal.bytes.iter().any(|byte| self.encoding().is_special(*byte)) {
            return Err("a literal with a special byte");
        }
        match literal.then {
            None if places.all.last() == Some(&place) => Err("a literal without a next record"),
            Some(then) if !places.has_target(then) => Err("a literal that leads to no record"),
            _ => Ok(()),
        }
    }

    fn validate_transitions(
        self,
        places: &Places,
        place: usize,
        record: &Record<'_>,
    ) -> Result<(), &'static str> {
        let is_branch = record.head.kind() == BRANCH;
        let first = if is_branch { record.head.untargeted() } else { 0 };
        // `record` has found that there is a first byte if it must be there.
        let (first, ascending) = record.bytes.split_at(first);
        if !ascending.is_sorted_by(|a, b| a < b)
            || first.iter().any(|byte| ascending.contains(byte))
        {
            return Err("bytes that do not ascend");
        }
        if !record.targets.iter().all(|target| places.has_target(*target)) {
            return Err("a transition that leads to no record");
        }
        let otherwise = record.otherwise.unwrap_or(place as u32);
        for (peek, target) in record.peeks.iter().zip(&record.targets) {
            if *peek == NO_PEEK {
                continue;
            }
            // All places are those of records that are not cut short.
            let is_right = *target > LAST_FINAL
                && self.head(*target).kind() == LITERAL
                && self.count(*target) > 0
                && self.literal_byte(*target, 0) == *peek
                && self.otherwise(*target) == otherwise;
            if !is_right {
                return Err("a peek that is not the next literal's first byte");
            }
        }
        Ok(())
    }

    fn validate_entries(self, work: &mut Work) -> Result<(), InvalidAutomaton> {
        let width = self.width();
        let header_len = header_len(width);
        let mut entries = Vec::new();
        self.entries(&mut entries, work);
        let prefixes = entries.iter().flat_map(|entry| entry.prefix);
        let skips = entries.iter().map(|entry| entry.skip);
        let targets = entries.iter().flat_map(|e| e.target.to_le_bytes().into_iter().take(width));
        let stored = &self.bytes()[header_len..header_len + self.entries_len()];
        if !prefixes.chain(skips).chain(targets).eq(stored.iter().copied()) {
            return Err(invalid(header_len, "entries that do not belong to the records"));
        }
        Ok(())
    }
}

/// Where the records of a table begin.
struct Places {
    /// In ascending order.
    all: Vec<usize>,
    /// A bit for each byte of the records: packs check a table when it is first asked, and targets
    /// are the most that there is to check.
    bits: Vec<u64>,
}

impl Places {
    /// Returns true if a target is a verdict or the place of a record.
    #[inline]
    fn has_target(&self, target: u32) -> bool {
        let (word, bit) = (target as usize / 64, target % 64);
        target <= LAST_FINAL || self.bits.get(word).is_some_and(|bits| bits >> bit & 1 == 1)
    }
}
