//! Checks a whole pack, and counts what is in it.

use crate::origin::shard_of;
use crate::sites::compiled;
use crate::sites::kind::SiteKind;
use crate::sites::layout::{
    Always, Entry, HAS_PACE, KIND_NAME, KIND_PANEL, KIND_TABLE, LINE_LEN, Line, NO_RECORD,
    RECORD_HEAD, RECORD_UNIT,
};

use super::error::PackError;
use super::format::{KIND_ABOUT, KIND_EXPLAIN, KIND_RIGHTS, KIND_SITEMAPS, TRAILER_LEN};
use super::index::Placing;
use super::open::Pack;
use super::shard::{Layer, Shard};

/// The contents of a pack, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stat {
    /// The number of origins it has.
    pub origins: u64,
    /// Its sites: origins with the same answers that differ only in their scheme count once.
    pub sites: u64,
    /// Sites by what is known of them: rules, allow all, disallow all, unknown.
    pub kinds: [u64; 4],
    /// When the oldest and the newest site with a time were captured, in seconds since the UNIX
    /// epoch.
    pub captured: Option<(u64, u64)>,
    /// The robots.txt files that were told apart when the pack was written.
    pub files: u64,
    /// The number of distinct policies.
    pub policies: u64,
    /// The number of policies with a crawl delay or a request rate.
    pub paces: u64,
    /// The number of policies that are tables. The others are over the limits of a DFA.
    pub tables: u64,
    /// The number of distinct lists of sitemaps.
    pub sitemap_lists: u64,
    /// The bytes of all policies.
    pub policy_bytes: u64,
    /// The bytes of the records that say which crawler has which policy.
    pub panel_bytes: u64,
    /// The bytes of all rules that are kept beside tables.
    pub rule_bytes: u64,
    /// The bytes of all lists of sitemaps.
    pub sitemap_bytes: u64,
    /// The number of distinct records of what files say of rights.
    pub rights_records: u64,
    /// Their bytes.
    pub rights_bytes: u64,
    /// The bytes of the index, which has the origins' names and what is known of them, of its
    /// checksums, and of long names.
    pub index_bytes: u64,
    /// The bytes of the whole pack.
    pub total_bytes: u64,
    /// The number of files it has.
    pub shards: u64,
    /// The layers of its files, the most that one has.
    pub layers: u64,
}

impl Pack<'_> {
    /// Reads and checks everything.
    ///
    /// # Errors
    /// Returns an error for the first damage that is found.
    pub fn verify(&self) -> Result<(), PackError> {
        self.stat_and_verify(true).map(|_| ())
    }

    /// Counts what is in the pack. Reads the head of each record, and the index.
    ///
    /// # Errors
    /// Returns an error for the first damage that is found on the way.
    pub fn stat(&self) -> Result<Stat, PackError> {
        self.stat_and_verify(false)
    }

    fn stat_and_verify(&self, verify: bool) -> Result<Stat, PackError> {
        let mut stat = Stat {
            origins: self.len(),
            shards: self.shard_count() as u64,
            layers: self.layer_count() as u64,
            ..Stat::default()
        };
        for shard in &self.shards {
            stat.total_bytes += shard.bytes.len() as u64;
            for layer in &shard.layers {
                shard.walk(layer, verify, &mut stat)?;
            }
            let mut origins = 0;
            for entry in shard.entries() {
                let (entry, authority) = entry?;
                origins += entry.schemes.len();
                stat.sites += 1;
                stat.kinds[usize::from(entry.kind).min(3)] += 1;
                if entry.captured != 0 && !entry.is_later {
                    let time = u64::from(entry.captured);
                    let (oldest, newest) = stat.captured.unwrap_or((time, time));
                    stat.captured = Some((oldest.min(time), newest.max(time)));
                }
                if verify {
                    shard.verify_entry(&entry, authority, self.crawlers().len())?;
                }
            }
            if verify && origins != shard.trailer().origins {
                let what = "the number of origins is wrong";
                return Err(shard.damaged(shard.bytes.len() - TRAILER_LEN, what));
            }
        }
        Ok(stat)
    }
}

impl Shard<'_> {
    /// Walks through the records of a layer, and counts them.
    fn walk(&self, layer: &Layer, verify: bool, stat: &mut Stat) -> Result<(), PackError> {
        let data = self.data(layer);
        let (mut at, mut records) = (data.start, 0);
        stat.files = stat.files.saturating_add(layer.trailer.files);
        stat.index_bytes += (layer.blocks_end() - layer.index) as u64;
        let zeros = |from: usize, to: usize, what| {
            let is_right = !verify || self.bytes[from..to].iter().all(|byte| *byte == 0);
            if is_right { Ok(()) } else { Err(self.damaged(from, what)) }
        };
        while at < data.end {
            // What is left behind the last record are zeros.
            if self.bytes[at..data.end].iter().take(RECORD_HEAD).all(|byte| *byte == 0) {
                break;
            }
            let record = u32::try_from(at / RECORD_UNIT)
                .map_err(|_| self.damaged(at, "a record begins beyond 64 GiB"))?;
            let (body, _) = self.body(record)?;
            let end = at + RECORD_HEAD + body.len();
            let next = end.next_multiple_of(RECORD_UNIT).min(data.end);
            zeros(end, next, "expected zeros between records")?;
            let bytes = (next - at) as u64;
            let kind = body.first().copied().unwrap_or(u8::MAX);
            records += 1;
            match kind {
                KIND_SITEMAPS => {
                    stat.sitemap_lists += 1;
                    stat.sitemap_bytes += bytes;
                }
                KIND_RIGHTS => {
                    stat.rights_records += 1;
                    stat.rights_bytes += bytes;
                }
                KIND_PANEL | KIND_ABOUT => stat.panel_bytes += bytes,
                KIND_EXPLAIN => stat.rule_bytes += bytes,
                KIND_NAME => stat.index_bytes += bytes,
                _ => {
                    stat.policies += 1;
                    stat.tables += u64::from(kind & !HAS_PACE == KIND_TABLE);
                    stat.paces += u64::from(kind & HAS_PACE != 0);
                    stat.policy_bytes += bytes;
                }
            }
            if verify {
                self.record(record)?;
            }
            at = next;
        }
        zeros(at, data.end, "expected zeros before the index")?;
        if records != layer.trailer.records {
            return Err(self.damaged(data.end, "the number of records is wrong"));
        }
        if verify {
            self.verify_index(layer)?;
            let about_end = match layer.trailer.previous {
                0 => (layer.trailer.about_at + layer.trailer.about_len) as usize,
                _ => layer.blocks_end(),
            };
            let trailer = layer.trailer.end as usize - TRAILER_LEN;
            zeros(about_end, trailer, "expected zeros before the trailer")?;
        }
        Ok(())
    }

    /// Checks that each entry is where a writer puts it.
    fn verify_index(&self, layer: &Layer) -> Result<(), PackError> {
        let mut entries = 0;
        let mut number = 0;
        let mut placing = Placing::new(layer.trailer.lines);
        let mut compare = |line: &Line| {
            let is_right = number < layer.line_count() && self.line(layer, number)? == line;
            number += 1;
            let at = layer.index + (number - 1) * LINE_LEN;
            if is_right { Ok(()) } else { Err(self.damaged(at, "an entry is not in its place")) }
        };
        for indexed in self.indexed(layer) {
            let indexed = indexed?;
            let bytes = indexed.entry.bytes(self.trailer().has_about());
            placing.push(indexed.hash, &bytes, &mut compare)?;
            entries += 1;
        }
        placing.finish(&mut compare)?;
        if entries != layer.trailer.entries || number != layer.line_count() {
            return Err(self.damaged(layer.index, "the number of entries is wrong"));
        }
        Ok(())
    }

    /// Checks what an entry leads to. What it leads to has been checked itself.
    fn verify_entry(
        &self,
        entry: &Entry<'_>,
        authority: &[u8],
        crawlers: usize,
    ) -> Result<(), PackError> {
        let damaged = |what| Err(self.damaged(self.trailer().index_at as usize, what));
        let [shard, shards] = self.trailer().shard;
        if shard_of(authority, shards) != shard {
            return damaged("an origin belongs into another file");
        }
        let is_known = SiteKind::of(entry.kind) != Some(SiteKind::Unknown);
        let has_policies = is_known && crawlers > 0;
        if has_policies != (entry.policies != NO_RECORD) || !is_known && entry.about != NO_RECORD {
            return damaged("an origin has no policy, or one although nothing is known");
        }
        let about = self.about(entry.about)?;
        self.sitemaps(about.sitemaps())?;
        self.rights(about.rights())?;
        if has_policies {
            let policies = self.policies(entry.policies, crawlers)?;
            for (number, record) in policies.records().enumerate() {
                let always = compiled::always(self.policy(record)?, self.reading.encoding);
                if entry.always != Always::Neither && entry.always != always {
                    return damaged("an origin has a verdict that is not its policy's");
                }
                self.rules(about.rules(number))?;
            }
        } else if entry.always != Always::Neither {
            return damaged("an origin has a verdict without a policy");
        }
        Ok(())
    }
}
