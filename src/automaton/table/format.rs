//! The layout of a table, its invariants, and bounds-checked access to its parts.
//!
//! # Layout
//!
//! A table is one run of bytes: a header, the entries, the records, and 16 bytes of padding, which
//! may be anything: whatever follows the table in a pack. A walk begins at the entries, so they
//! share the first lines of memory with the header. A *target* is
//! where a transition leads, as a little-endian number of `W` bytes: 0 is "finally allow", 1 is
//! "finally disallow", anything else is the *place* of a record: its offset, without the length
//! of the entries. So the records can be written before the entries are known.
//!
//! ```text
//! header    W (2 if the last place is below 64 KiB, else 4), number of entries n,
//!           start: W, missed: W
//! entries   4 n bytes of prefixes, n skips, n targets
//! records
//! padding   16 bytes
//! ```
//!
//! The first byte of a record, its *head*, says what it is:
//!
//! ```text
//! bits 0-1  kind       0 literal, 1 branch, 2 wait
//! bit  2    at end     the verdict if the haystack ends in this record: 0 allow, 1 disallow
//! bits 3-4  otherwise  0 finally allow, 1 finally disallow, 2 the target in the record,
//!                      3 `missed`
//! bits 5-6  then       (literal) 0 the next record, 1 finally allow, 2 finally disallow,
//!                      3 the target in the record; (branch) 0 its first transition leads to the
//!                      next record, 3 it holds all targets
//!
//! literal   head, len, len bytes, [then: W], [otherwise: W]
//! branch    head, n, n bytes, n peeks, n or n - 1 targets, [otherwise: W]
//! wait      head, n, a filter, n bytes, n peeks, n targets
//! ```
//!
//! A *literal* compares its bytes with the haystack at once and goes on to `then` if all of
//! them match. A *branch* has `n` transitions, each on one byte. Nearly always one of them leads to
//! the next record: then it comes first, and has no target. If no byte matches, a literal or branch
//! goes to `otherwise`, which reads the byte again: the failure transition of Aho-Corasick. A *wait* is the state after a star: it skips every byte but those of its
//! transitions.
//!
//! # Looking ahead
//!
//! Most bytes that could start a match do not. Three parts of a table tell so without a visit
//! to the records that would find out ([`lookahead`] computes the last two):
//!
//! The *peek* of a transition is the first byte of the literal that it leads to, provided that
//! this literal's `otherwise` is where the branch or wait itself goes if nothing matches. If
//! another byte comes next, the literal need not be visited. All other transitions have the
//! peek `#`, a byte that no literal holds.
//!
//! The *filter* of a wait describes which three bytes in a row may start a match. For each of
//! the three it holds a set of bytes, as two tables indexed by the low and by the high four
//! bits of a byte, where each transition owns one of up to eight bits. Only if all six look-ups
//! share a bit can there be a match. With eight bits, each of the six tables has 16 bytes; for
//! fewer transitions four, two or one are enough, and tables share bytes: see [`FilterForm`].
//!
//! The *entries* say where the first four bytes of a haystack lead: a *prefix* of up to four
//! bytes (filled up with `#`), the target after it, and how many bytes to skip. If no prefix
//! matches and none of the four bytes is special, the walk goes to `missed`, the `otherwise` of
//! the start: a verdict, or a wait that reads the haystack from its first byte. Tables with next
//! to no records have no entries.
//!
//! # Invariants
//!
//! [`RawTable::validate`] checks all of them; the walk relies on them.
//!
//! 1. `W` is 2 or 4. Header and entries are whole. The records follow one another without a gap
//!    from the entries to the padding.
//! 2. Every target is 0, 1 or the place of a record; so is the start.
//! 3. The `otherwise` of a literal or branch is final or a wait; a wait has none. So at most
//!    two records read the same byte, and the walk ends. `missed` is the `otherwise` of the start,
//!    or the start itself if that is a verdict or a wait. An `otherwise` that is `missed` (3) is
//!    a wait.
//! 4. A literal has at least one byte. If a `then` is the next record, there is one. A branch whose
//!    first transition leads there has a transition.
//! 5. The bytes of a branch or a wait differ, and ascend. Only the first byte of a branch need not,
//!    if it leads to the next record.
//! 6. No literal holds a *special* byte, one that ends a haystack or that normalising may
//!    change (the `%` of an escape belongs to branches). So literals can be compared with
//!    haystacks that are not normalised.
//! 7. A peek other than `#` is the first byte of the literal that its transition leads to, and
//!    that literal's `otherwise` is the branch's own, or the wait itself.
//! 8. Filters and entries are what [`lookahead`] computes from the records, with a budget in
//!    proportion to their length. An entry skips at most four bytes. So many bytes follow the
//!    entries that 32 bytes may be loaded from every eighth prefix on.
//!
//! [`lookahead`]: crate::automaton::lookahead

use smallvec::SmallVec;

use crate::rules::normalise::Encoding;
use crate::verdict::Verdict;

pub(in crate::automaton) const LITERAL: u8 = 0;
pub(in crate::automaton) const BRANCH: u8 = 1;
pub(in crate::automaton) const WAIT: u8 = 2;
const KIND: u8 = 3;
pub(super) const AT_END_DISALLOW: u8 = 1 << 2;
pub(super) const OTHERWISE_SHIFT: u8 = 3;
pub(super) const THEN_SHIFT: u8 = 5;
/// `otherwise`: the record holds the target.
pub(in crate::automaton) const OTHERWISE_TARGET: u8 = 2;
/// `otherwise`: the wait that the header calls `missed`.
pub(in crate::automaton) const OTHERWISE_MISSED: u8 = 3;
/// `then`: the next record.
pub(in crate::automaton) const THEN_NEXT: u8 = 0;
/// `then`: the record holds the target.
pub(in crate::automaton) const THEN_TARGET: u8 = 3;

/// The largest target that is a verdict: "finally disallow".
pub(in crate::automaton) const LAST_FINAL: u32 = 1;

/// The length of the header, which is the place of the first record.
pub(in crate::automaton) const fn header_len(width: usize) -> usize {
    2 + 2 * width
}

/// The length of so many entries.
#[inline(always)]
pub(in crate::automaton) const fn entries_len(width: usize, count: usize) -> usize {
    (PREFIX_LEN + 1 + width) * count
}

/// Bytes at the end of a table, so that 16 bytes may be loaded from any offset before them. They
/// may be anything.
pub(in crate::automaton) const PADDING: usize = 16;
/// The peek of a transition that cannot be judged by the next byte.
pub(in crate::automaton) const NO_PEEK: u8 = b'#';
/// Targets have two bytes in tables whose records end before this place.
pub(super) const NARROW_LIMIT: usize = 1 << 16;
/// The tables of a filter: for each of three bytes in a row, one by its low four bits and one by
/// its high four bits.
pub(in crate::automaton) const FILTER_TABLES: usize = 6;
/// The length of the longest filter.
pub(in crate::automaton) const MAX_FILTER_LEN: usize = 16 * FILTER_TABLES;

/// How a filter is laid out. Its tables have 16 elements of one, two, four or eight bits; as many
/// tables as fit share 16 bytes.
#[derive(Clone, Copy)]
pub(in crate::automaton) struct FilterForm {
    /// The number of bits of an element, and so of transitions with a bit of their own.
    pub(in crate::automaton) buckets: u8,
    pub(in crate::automaton) len: u8,
    /// By table: the offset of the 16 bytes that it is in.
    pub(in crate::automaton) offsets: [u8; FILTER_TABLES],
    /// By table: the lowest of its bits in these bytes.
    pub(in crate::automaton) shifts: [u8; FILTER_TABLES],
}

impl FilterForm {
    /// By the number of transitions, up to five, which stands for more, too.
    const BY_COUNT: [FilterForm; 6] = [
        FilterForm::new(1),
        FilterForm::new(1),
        FilterForm::new(2),
        FilterForm::new(4),
        FilterForm::new(4),
        FilterForm::new(8),
    ];

    const fn new(buckets: u8) -> FilterForm {
        let mut form = FilterForm { buckets, len: 0, offsets: [0; 6], shifts: [0; 6] };
        let mut table = 0;
        while table < FILTER_TABLES {
            let bit = table as u8 * buckets;
            form.offsets[table] = bit / 8 * 16;
            form.shifts[table] = bit % 8;
            form.len = form.offsets[table] + 16;
            table += 1;
        }
        form
    }

    /// Of a wait with so many transitions.
    #[inline(always)]
    pub(in crate::automaton) fn of(count: usize) -> &'static FilterForm {
        &FilterForm::BY_COUNT[count.min(5)]
    }

    #[inline(always)]
    pub(in crate::automaton) fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// The bits of an element.
    #[inline(always)]
    pub(in crate::automaton) fn mask(&self) -> u8 {
        u8::MAX >> (8 - self.buckets)
    }
}
/// The length of an entry's prefix.
pub(in crate::automaton) const PREFIX_LEN: usize = 4;

/// The first byte of a record.
#[derive(Clone, Copy)]
pub(in crate::automaton) struct Head(pub(in crate::automaton) u8);

impl Head {
    #[inline(always)]
    pub(in crate::automaton) fn kind(self) -> u8 {
        self.0 & KIND
    }

    #[inline(always)]
    pub(in crate::automaton) fn at_end(self) -> Verdict {
        if self.0 & AT_END_DISALLOW == 0 { Verdict::Allow } else { Verdict::Disallow }
    }

    #[inline(always)]
    pub(in crate::automaton) fn otherwise(self) -> u8 {
        self.0 >> OTHERWISE_SHIFT & 3
    }

    #[inline(always)]
    pub(in crate::automaton) fn then(self) -> u8 {
        self.0 >> THEN_SHIFT & 3
    }

    /// The number of transitions of a branch that have no target, since they lead to the next record: one or
    /// none.
    #[inline(always)]
    pub(in crate::automaton) fn untargeted(self) -> usize {
        usize::from(self.then() == THEN_NEXT)
    }

    /// The length of a literal's target `then`: 0 if the record holds none.
    #[inline(always)]
    pub(in crate::automaton) fn then_len(self, width: usize) -> usize {
        if self.then() == THEN_TARGET { width } else { 0 }
    }

    /// The length of the target `otherwise`: 0 if the record holds none.
    #[inline(always)]
    pub(in crate::automaton) fn otherwise_len(self, width: usize) -> usize {
        if self.otherwise() == OTHERWISE_TARGET { width } else { 0 }
    }

    /// The length of the targets that follow a literal's bytes.
    #[inline(always)]
    pub(in crate::automaton) fn targets_len(self, width: usize) -> usize {
        self.then_len(width) + self.otherwise_len(width)
    }
}

/// A record, taken apart.
pub(in crate::automaton) struct Record<'t> {
    pub(in crate::automaton) head: Head,
    /// A literal's bytes, or the bytes of the transitions.
    pub(in crate::automaton) bytes: &'t [u8],
    /// One for each transition; empty for a literal.
    pub(in crate::automaton) peeks: &'t [u8],
    /// One for each transition; empty for a literal.
    pub(in crate::automaton) targets: SmallVec<[u32; 16]>,
    /// `None` for a wait.
    pub(in crate::automaton) otherwise: Option<u32>,
    /// Where a literal leads; `None` for the next record.
    pub(in crate::automaton) then: Option<u32>,
    /// Of a wait.
    pub(in crate::automaton) filter: Option<&'t [u8]>,
    pub(in crate::automaton) len: usize,
}

/// What the start of a table leads to by up to four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::automaton) struct Entry {
    /// Filled up with `#`.
    pub(in crate::automaton) prefix: [u8; PREFIX_LEN],
    /// How many bytes of the haystack come before those that the target reads. Fewer than the
    /// prefix has if the target is a literal whose first bytes belong to the prefix.
    pub(in crate::automaton) skip: u8,
    pub(in crate::automaton) target: u32,
}

/// The bytes of a table, valid or not.
///
/// All access is checked: what reads beyond the end panics or returns `None`. A
/// [`Table`](super::Table) is one that is known to be valid.
#[derive(Clone, Copy)]
pub struct RawTable<'t> {
    bytes: &'t [u8],
    /// How haystacks are normalised and what ends them.
    encoding: Encoding,
}

impl<'t> RawTable<'t> {
    #[inline(always)]
    pub(super) fn new(bytes: &'t [u8], encoding: Encoding) -> RawTable<'t> {
        RawTable { bytes, encoding }
    }

    #[inline(always)]
    pub fn bytes(self) -> &'t [u8] {
        self.bytes
    }

    /// The table without so many of its first bytes as the entries have: each record's place is
    /// its index here. The padding is included.
    #[inline(always)]
    pub(in crate::automaton) fn records(self) -> &'t [u8] {
        &self.bytes[self.entries_len()..]
    }

    #[inline(always)]
    pub(in crate::automaton) fn entries_len(self) -> usize {
        entries_len(self.width(), usize::from(self.bytes[1]))
    }

    /// How haystacks are normalised and what ends them.
    #[inline(always)]
    pub fn encoding(self) -> Encoding {
        self.encoding
    }

    /// The length of a target.
    #[inline(always)]
    pub(in crate::automaton) fn width(self) -> usize {
        usize::from(self.bytes[0])
    }

    /// A field of the header.
    fn field(self, field: usize) -> u32 {
        let width = self.width();
        number(&self.bytes[2 + field * width..][..width])
    }

    pub(in crate::automaton) fn start(self) -> u32 {
        self.field(0)
    }

    /// Where the walk goes if no entry matches.
    pub(in crate::automaton) fn missed(self) -> u32 {
        self.field(1)
    }

    /// The place where the last record ends and the padding begins.
    pub(in crate::automaton) fn records_end(self) -> usize {
        self.records().len() - PADDING
    }

    /// Takes the record at a place apart; `None` if it does not end before the padding, or has no
    /// transition where it must have one.
    ///
    /// May allocate, so the walk has its own way to read records.
    pub(in crate::automaton) fn record(self, place: usize) -> Option<Record<'t>> {
        let width = self.width();
        let len = self.record_len(place)?;
        let mut rest = &self.records()[place..][..len];
        let mut take = |len: usize| {
            let (taken, left) = rest.split_at_checked(len)?;
            rest = left;
            Some(taken)
        };
        let [head, n] = *take(2)? else { return None };
        let (head, n) = (Head(head), usize::from(n));
        let mut record = Record {
            head,
            bytes: &[],
            peeks: &[],
            targets: SmallVec::new(),
            otherwise: None,
            then: None,
            filter: None,
            len,
        };
        if head.kind() == WAIT {
            record.filter = Some(take(FilterForm::of(n).len())?);
        }
        record.bytes = take(n)?;
        if head.kind() == LITERAL {
            record.then = match head.then() {
                THEN_NEXT => None,
                THEN_TARGET => Some(number(take(width)?)),
                verdict => Some(u32::from(verdict - 1)),
            };
        } else {
            record.peeks = take(n)?;
            let untargeted = if head.kind() == BRANCH { head.untargeted() } else { 0 };
            let targets = take(n.checked_sub(untargeted)? * width)?.chunks_exact(width);
            if untargeted != 0 {
                let end = place + 2 + 2 * n + (n - 1) * width + head.otherwise_len(width);
                record.targets.push(end as u32);
            }
            record.targets.extend(targets.map(number));
        }
        record.otherwise = match (head.kind(), head.otherwise()) {
            (WAIT, _) => None,
            (_, OTHERWISE_TARGET) => Some(number(take(width)?)),
            (_, OTHERWISE_MISSED) => Some(self.missed()),
            (_, verdict) => Some(u32::from(verdict)),
        };
        debug_assert!(rest.is_empty(), "all fields, and nothing else, count for the length");
        Some(record)
    }

    /// The length of the record at a place, by its first two bytes; `None` if it is less than a
    /// record of its kind has, or does not end before the padding.
    pub(in crate::automaton) fn record_len(self, place: usize) -> Option<usize> {
        let width = self.width();
        let rest = self.records().get(..self.records_end())?.get(place..)?;
        let [head, n] = *rest.first_chunk()?;
        let (head, n) = (Head(head), usize::from(n));
        let len = match head.kind() {
            WAIT => FilterForm::of(n).len() + (2 + width) * n,
            LITERAL => n + head.targets_len(width),
            kind => {
                let untargeted = if kind == BRANCH { head.untargeted() } else { 0 };
                2 * n + width * n.checked_sub(untargeted)? + head.otherwise_len(width)
            }
        };
        (2 + len <= rest.len()).then_some(2 + len)
    }

    pub(in crate::automaton) fn head(self, record: u32) -> Head {
        Head(self.records()[record as usize])
    }

    /// The number of bytes a literal has, or how many transitions another record has.
    pub(in crate::automaton) fn count(self, record: u32) -> usize {
        usize::from(self.records()[record as usize + 1])
    }

    /// The place of a literal's bytes, or of the bytes of the transitions.
    fn bytes_at(self, record: u32) -> usize {
        let filter = if self.head(record).kind() == WAIT {
            FilterForm::of(self.count(record)).len()
        } else {
            0
        };
        record as usize + 2 + filter
    }

    /// One of a literal's bytes.
    pub(in crate::automaton) fn literal_byte(self, literal: u32, index: usize) -> u8 {
        self.records()[literal as usize + 2 + index]
    }

    fn target_at(self, place: usize) -> u32 {
        number(&self.records()[place..place + self.width()])
    }

    /// The bytes of the transitions of a branch or wait.
    pub(in crate::automaton) fn transition_bytes(self, record: u32) -> &'t [u8] {
        &self.records()[self.bytes_at(record)..][..self.count(record)]
    }

    /// How many transitions of a branch or wait have no target, since they lead to the next record.
    fn untargeted(self, record: u32) -> usize {
        let head = self.head(record);
        if head.kind() == BRANCH { head.untargeted() } else { 0 }
    }

    /// The place of the targets of a branch's or wait's transitions, as if each had one.
    fn targets_at(self, record: u32) -> usize {
        let untargeted = self.width() * self.untargeted(record);
        self.bytes_at(record) + 2 * self.count(record) - untargeted
    }

    /// Where a branch ends.
    fn branch_end(self, branch: u32) -> u32 {
        let end = self.targets_at(branch) + self.width() * self.count(branch);
        (end + self.head(branch).otherwise_len(self.width())) as u32
    }

    /// The target of a transition of a branch or wait.
    pub(in crate::automaton) fn target(self, record: u32, transition: usize) -> u32 {
        if transition < self.untargeted(record) {
            return self.branch_end(record);
        }
        self.target_at(self.targets_at(record) + self.width() * transition)
    }

    /// The transitions of a branch or wait, by byte in ascending order; but the one of a branch
    /// that leads to the next record comes first.
    pub(in crate::automaton) fn transitions(self, record: u32) -> impl Iterator<Item = (u8, u32)> {
        let bytes = self.transition_bytes(record).iter().copied();
        bytes.enumerate().map(move |(index, byte)| (byte, self.target(record, index)))
    }

    /// Where a literal leads if all its bytes match.
    pub(in crate::automaton) fn then(self, record: u32) -> u32 {
        let head = self.head(record);
        let end = self.bytes_at(record) + self.count(record);
        match head.then() {
            THEN_NEXT => (end + head.targets_len(self.width())) as u32,
            THEN_TARGET => self.target_at(end),
            verdict => u32::from(verdict - 1),
        }
    }

    /// Where a record leads by a byte that it has no transition for; a wait stays.
    pub(in crate::automaton) fn otherwise(self, record: u32) -> u32 {
        let head = self.head(record);
        let bytes = self.bytes_at(record);
        match (head.kind(), head.otherwise()) {
            (WAIT, _) => record,
            (LITERAL, OTHERWISE_TARGET) => {
                self.target_at(bytes + self.count(record) + head.then_len(self.width()))
            }
            (_, OTHERWISE_TARGET) => {
                self.target_at(self.targets_at(record) + self.width() * self.count(record))
            }
            (_, OTHERWISE_MISSED) => self.missed(),
            (_, verdict) => u32::from(verdict),
        }
    }
}

/// A little-endian number.
fn number(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number: u32, byte| number << 8 | u32::from(*byte))
}
