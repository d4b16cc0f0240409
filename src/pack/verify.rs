//! Checks a whole pack, and counts what is in it.

use super::format::{
    HAS_PACE, HEADER_LEN, KIND_SITEMAPS, KIND_TABLE, MAGIC, NO_SITEMAPS, RECORD_HEAD, RECORD_UNIT,
    SLOT_LEN, u32_at,
};
use super::read::{Parts, damaged};
use super::{Pack, PackError};

/// What is in a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stat {
    /// How many origins it has.
    pub origins: u64,
    /// How many distinct robots.txt files.
    pub files: u64,
    /// How many distinct policies.
    pub policies: u64,
    /// How many of the policies have a crawl delay or a request rate.
    pub paces: u64,
    /// How many distinct lists of sitemaps.
    pub sitemap_lists: u64,
    /// How many of the policies are tables. The others are over the limits of a DFA.
    pub tables: u64,
    /// The bytes of all policies.
    pub policy_bytes: u64,
    /// The bytes of all lists of sitemaps.
    pub sitemap_bytes: u64,
    /// The bytes of the rows: four for each file and crawler, and four for each file if the pack
    /// keeps sitemaps.
    pub row_bytes: u64,
    /// The bytes of the origins' names.
    pub name_bytes: u64,
    /// The bytes of the index.
    pub index_bytes: u64,
    /// The bytes of the whole pack.
    pub total_bytes: u64,
}

impl Pack<'_> {
    /// Reads and checks everything.
    ///
    /// # Errors
    /// Returns an error for the first damage that is found.
    pub fn verify(&self) -> Result<(), PackError> {
        self.stat_and_verify(true).map(|_| ())
    }

    /// Counts what is in the pack. Reads the head of each record.
    ///
    /// # Errors
    /// Returns an error for the first damage that is found on the way.
    pub fn stat(&self) -> Result<Stat, PackError> {
        self.stat_and_verify(false)
    }

    fn stat_and_verify(&self, verify: bool) -> Result<Stat, PackError> {
        let Parts { rows, names, index, blocks, .. } = self.parts;
        if verify {
            self.checked(rows..blocks)?;
            if self.bytes[MAGIC.len() + 4..HEADER_LEN] != [0; 4] {
                return Err(damaged(MAGIC.len() + 4, "expected zeros"));
            }
        }
        let all = &self.bytes[..rows];
        let mut records = Vec::new();
        let (mut tables, mut paces, mut sitemap_lists, mut sitemap_bytes) = (0, 0, 0, 0);
        let mut at = HEADER_LEN;
        while at < rows {
            let record = u32::try_from(at / RECORD_UNIT)
                .map_err(|_| damaged(at, "a record begins beyond 32 GiB"))?;
            let kind = all.get(at + RECORD_HEAD).copied();
            let is_policy = kind != Some(KIND_SITEMAPS);
            if verify && !is_policy {
                if !self.keeps_sitemaps() {
                    return Err(damaged(at, "sitemaps in a pack that keeps none"));
                }
                self.sitemaps(record)?;
            } else if verify {
                self.policy(record)?;
                if self.keeps_rules() {
                    self.read_rules(self.body(record)?.0)
                        .ok_or_else(|| damaged(at, "the rules of a record cannot be read"))?;
                }
            }
            let cut_short = || damaged(at, "a record is cut short");
            let len = u32_at(all, at).ok_or_else(cut_short)? as usize;
            let policy_kind = kind.filter(|_| is_policy);
            tables += u64::from(policy_kind.is_some_and(|kind| kind & !HAS_PACE == KIND_TABLE));
            paces += u64::from(policy_kind.is_some_and(|kind| kind & HAS_PACE != 0));
            let end = (at + RECORD_HEAD).checked_add(len);
            let end = end.filter(|end| *end <= rows).ok_or_else(cut_short)?;
            let next = end.next_multiple_of(RECORD_UNIT);
            if !is_policy {
                sitemap_lists += 1;
                sitemap_bytes += (next - at) as u64;
            }
            at = next;
            // `rows` is a multiple of `RECORD_UNIT` too, so `at` is not beyond it.
            if verify && all[end..at].iter().any(|byte| *byte != 0) {
                return Err(damaged(end, "expected zeros between records"));
            }
            records.push((record, is_policy));
        }
        if records.len() as u64 != self.trailer.records {
            return Err(damaged(rows, "the number of records is wrong"));
        }
        if verify {
            self.verify_index(&records)?;
        }
        Ok(Stat {
            origins: self.trailer.origins,
            files: self.trailer.files,
            policies: self.trailer.records - sitemap_lists,
            paces,
            sitemap_lists,
            tables,
            policy_bytes: (rows - HEADER_LEN) as u64 - sitemap_bytes,
            sitemap_bytes,
            row_bytes: (names - rows) as u64,
            name_bytes: (index - names) as u64,
            index_bytes: (blocks - index) as u64,
            total_bytes: self.bytes.len() as u64,
        })
    }

    /// Checks that rows lead to records, and that each origin is found by its name.
    fn verify_index(&self, records: &[(u32, bool)]) -> Result<(), PackError> {
        let Parts { rows, names, index, .. } = self.parts;
        for (cell, record) in self.bytes[rows..names].as_chunks::<4>().0.iter().enumerate() {
            let record = u32::from_le_bytes(*record);
            // Without columns there are no cells.
            let column = cell as u64 % u64::from(self.trailer.columns());
            let of_policy = column < u64::from(self.trailer.crawlers);
            let is_none = !of_policy && record == NO_SITEMAPS;
            if !is_none && records.binary_search(&(record, of_policy)).is_err() {
                return Err(damaged(rows + 4 * cell, "a row leads to no record"));
            }
        }
        let (mut origins, mut names_len) = (0, 0);
        for number in 0..self.parts.slot_count() {
            if let Some(slot) = self.slot(number)? {
                origins += 1;
                names_len += slot.name.len();
                if names_len > self.names_len() {
                    return Err(damaged(names, "names overlap"));
                }
                let found = self.get(slot.name)?;
                if found.is_none_or(|site| site.row != slot.row) {
                    let at = index + number * SLOT_LEN;
                    return Err(damaged(at, "an origin is not found by its name"));
                }
            }
        }
        if origins != self.trailer.origins {
            return Err(damaged(index, "the number of origins is wrong"));
        }
        Ok(())
    }
}
