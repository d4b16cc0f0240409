//! Checks every invariant of the [layout](super::format).

use std::fmt;

use crate::automaton::lookahead::Work;
use crate::automaton::table::format::{
    BRANCH, LAST_FINAL, LITERAL, NO_PEEK, PADDING, PREFIX_LEN, RawTable, Record, WAIT, header_len,
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
        let records_end = self.validate_outline()?;
        let offsets = self.record_offsets()?;
        if !is_target(&offsets, self.start()) {
            return Err(invalid(2, "the start is not a record"));
        }
        for &offset in &offsets {
            self.validate_record(&offsets, offset).map_err(|what| invalid(offset, what))?;
        }
        // Every target is known to be one now, so the records can be followed.
        let mut work = Work::of(self);
        for &offset in &offsets {
            let filter = self.record(offset).and_then(|record| record.filter);
            if filter.is_some_and(|filter| filter != self.filter(offset as u32, &mut work)) {
                return Err(invalid(offset, "a filter that does not belong to its wait"));
            }
        }
        self.validate_entries(records_end, &mut work)
    }

    /// Checks that header, records, entries and padding fill the bytes, and returns where the
    /// records end.
    fn validate_outline(self) -> Result<usize, InvalidAutomaton> {
        let bytes = self.bytes();
        let [width @ (2 | 4), entry_count, ..] = *bytes else {
            return Err(invalid(0, "no header"));
        };
        let (width, entry_count) = (usize::from(width), usize::from(entry_count));
        if bytes.len() < header_len(width) + PADDING {
            return Err(invalid(0, "a table cut short"));
        }
        let (body, padding) = bytes.split_at(bytes.len() - PADDING);
        if padding != [0; PADDING] {
            return Err(invalid(body.len(), "padding that is not zero"));
        }
        let records_end = self.records_end();
        if records_end < header_len(width)
            || records_end.checked_add(entry_count * (PREFIX_LEN + 1 + width)) != Some(body.len())
        {
            return Err(invalid(2 + 2 * width, "records and entries that do not fill the table"));
        }
        Ok(records_end)
    }

    /// The offsets of all records, in ascending order.
    fn record_offsets(self) -> Result<Vec<usize>, InvalidAutomaton> {
        let mut offsets = Vec::new();
        let mut offset = header_len(self.width());
        while offset < self.records_end() {
            offsets.push(offset);
            let record = self.record(offset).ok_or(invalid(offset, "a record cut short"))?;
            offset += record.len;
        }
        Ok(offsets)
    }

    fn validate_record(self, offsets: &[usize], offset: usize) -> Result<(), &'static str> {
        let record = self.record(offset).ok_or("a record cut short")?;
        match record.head.kind() {
            LITERAL => self.validate_literal(offsets, offset, &record)?,
            BRANCH | WAIT => self.validate_transitions(offsets, offset, &record)?,
            _ => return Err("an unknown kind of record"),
        }
        if let Some(otherwise) = record.otherwise
            && otherwise > LAST_FINAL
            && (!is_target(offsets, otherwise) || self.head(otherwise).kind() != WAIT)
        {
            return Err("an otherwise that is neither final nor a wait");
        }
        Ok(())
    }

    fn validate_literal(
        self,
        offsets: &[usize],
        offset: usize,
        literal: &Record<'_>,
    ) -> Result<(), &'static str> {
        if literal.bytes.is_empty() {
            return Err("an empty literal");
        }
        if literal.bytes.iter().any(|byte| self.encoding().is_special(*byte)) {
            return Err("a literal with a special byte");
        }
        match literal.then {
            None if offsets.last() == Some(&offset) => Err("a literal without a next record"),
            Some(then) if !is_target(offsets, then) => Err("a literal that leads to no record"),
            _ => Ok(()),
        }
    }

    fn validate_transitions(
        self,
        offsets: &[usize],
        offset: usize,
        record: &Record<'_>,
    ) -> Result<(), &'static str> {
        if !record.bytes.is_sorted_by(|a, b| a < b) {
            return Err("bytes that do not ascend");
        }
        if !record.targets.iter().all(|target| is_target(offsets, *target)) {
            return Err("a transition that leads to no record");
        }
        let otherwise = record.otherwise.unwrap_or(offset as u32);
        for (peek, target) in record.peeks.iter().zip(&record.targets) {
            if *peek == NO_PEEK {
                continue;
            }
            let next = self.record(*target as usize).filter(|_| *target > LAST_FINAL);
            let is_right = next.is_some_and(|next| {
                next.head.kind() == LITERAL
                    && next.bytes.first() == Some(peek)
                    && next.otherwise == Some(otherwise)
            });
            if !is_right {
                return Err("a peek that is not the next literal's first byte");
            }
        }
        Ok(())
    }

    fn validate_entries(self, records_end: usize, work: &mut Work) -> Result<(), InvalidAutomaton> {
        let width = self.width();
        let mut entries = Vec::new();
        if self.missed() != self.entries(&mut entries, work) {
            return Err(invalid(2 + width, "a missed that is not where the start fails to"));
        }
        let prefixes = entries.iter().flat_map(|entry| entry.prefix);
        let skips = entries.iter().map(|entry| entry.skip);
        let targets = entries.iter().flat_map(|e| e.target.to_le_bytes().into_iter().take(width));
        let stored = &self.bytes()[records_end..self.bytes().len() - PADDING];
        if !prefixes.chain(skips).chain(targets).eq(stored.iter().copied()) {
            return Err(invalid(records_end, "entries that do not belong to the records"));
        }
        Ok(())
    }
}

/// Whether a target is a verdict or the offset of a record.
fn is_target(offsets: &[usize], target: u32) -> bool {
    target <= LAST_FINAL || offsets.binary_search(&(target as usize)).is_ok()
}
