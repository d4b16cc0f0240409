//! The rules of a policy: normalised patterns in order of precedence.

use std::cmp::Reverse;

use crate::profile::Profile;
use crate::rules::pattern::{Pattern, RawRule, Read, Reader};
use crate::verdict::Verdict;

/// A rule in 16 bytes.
#[derive(Clone, Copy, Debug)]
struct Entry {
    line: u32,
    /// Where in the text the pattern begins.
    pattern_at: u32,
    pattern_len: u16,
    value_len: u16,
    precedence: u16,
    /// The bytes before the pattern's first star, [`HEAD`] at most.
    head_len: u8,
    flags: u8,
}

impl Entry {
    const DISALLOW: u8 = 1;
    const ANCHORED: u8 = 2;
    /// The value does not begin with the pattern: it stands before it.
    const VALUE_BEFORE: u8 = 4;
    /// A length is too large for 16 bits: all three stand before the pattern.
    const WIDE: u8 = 8;
    /// A star and two plain bytes follow the `head_len` first ones.
    const STAR_PAIR: u8 = 16;

    fn verdict(&self) -> Verdict {
        if self.flags & Entry::DISALLOW == 0 { Verdict::Allow } else { Verdict::Disallow }
    }

    /// Pattern, value and precedence.
    #[inline]
    fn lengths(&self, text: &[u8]) -> Lengths {
        if self.flags & Entry::WIDE == 0 {
            return [self.pattern_len, self.value_len, self.precedence].map(u32::from);
        }
        let (before, _) = text.split_at(self.pattern_at as usize);
        let (numbers, _) = before[before.len() - WIDE_BYTES..].as_chunks::<4>();
        [numbers[0], numbers[1], numbers[2]].map(u32::from_le_bytes)
    }
}

/// Of pattern and value in bytes, and the precedence.
type Lengths = [u32; 3];

/// What [`Lengths`] take in the text, if they stand there.
const WIDE_BYTES: usize = 12;

/// So many bytes of a pattern are compared at once. The text goes on for as many after its
/// last pattern.
pub(super) const HEAD: usize = 8;

/// The first bytes of a text as a word, zeros behind its end.
#[inline]
pub(super) fn head(text: &[u8]) -> u64 {
    match text.first_chunk::<HEAD>() {
        Some(head) => u64::from_le_bytes(*head),
        None => {
            let mut head = [0; HEAD];
            head[..text.len()].copy_from_slice(text);
            u64::from_le_bytes(head)
        }
    }
}

/// The first `len` bytes of a word that [`head`] made.
#[inline]
pub(super) fn first(word: u64, len: usize) -> u64 {
    if len >= HEAD { word } else { word & !(u64::MAX << (8 * len)) }
}

/// Rules from highest to lowest precedence; of equal ones allow first, then the order of
/// the file. So the first rule that matches decides.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleSet {
    /// Values and patterns; a pattern with which its value begins shares its bytes.
    text: Box<[u8]>,
    entries: Box<[Entry]>,
    stars: u32,
    wildcards: bool,
}

/// One rule of a [`RuleSet`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuleRef<'s> {
    pub(crate) line: u32,
    pub(crate) verdict: Verdict,
    pub(crate) precedence: u32,
    pub(crate) pattern: Pattern<'s>,
    /// The value as written.
    pub(crate) value: &'s [u8],
}

impl RuleSet {
    pub(crate) fn new<'a>(
        rules: impl Iterator<Item = RawRule<'a>> + Clone,
        profile: &Profile,
    ) -> RuleSet {
        let (mut count, mut bytes) = (0, 0);
        for rule in rules.clone() {
            count += 1;
            bytes += rule.value.len();
        }
        if count == 0 {
            return RuleSet { wildcards: profile.wildcards, ..RuleSet::default() };
        }
        let stored = Stored {
            text: Vec::with_capacity(bytes + HEAD),
            entries: Vec::with_capacity(count),
            stars: 0,
        };
        let mut builder = Builder { reader: Reader::new(profile), stored };
        for rule in rules {
            builder.add(rule);
        }
        let Stored { text, entries, .. } = &mut builder.stored;
        // Stable: equal keys stay in the order of the file.
        entries.sort_by_key(|e| {
            let [_, _, precedence] = e.lengths(text);
            (Reverse(precedence), e.flags & Entry::DISALLOW)
        });
        builder.stored.finish(profile.wildcards)
    }

    /// The rules that were written down from another rule set, in its order. `None` where no
    /// rule set has such rules: their order or a pattern's form is not the one that all engines
    /// rely on.
    #[cfg(feature = "pack")]
    pub(crate) fn restored<'a>(
        rules: impl Iterator<Item = RuleRef<'a>>,
        wildcards: bool,
    ) -> Option<RuleSet> {
        let mut stored = Stored::default();
        let mut previous = None;
        for RuleRef { line, verdict, precedence, pattern, value } in rules {
            let key = (Reverse(precedence), verdict == Verdict::Disallow);
            let bytes = pattern.bytes;
            let is_canonical = !wildcards
                || !bytes.windows(2).any(|pair| pair == b"**") && bytes.last() != Some(&b'*');
            if previous > Some(key) || !is_canonical || value.is_empty() {
                return None;
            }
            previous = Some(key);
            stored.push(RawRule { line, verdict, value }, pattern, precedence, wildcards);
        }
        Some(stored.finish(wildcards))
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn wildcards(&self) -> bool {
        self.wildcards
    }

    pub(crate) fn get(&self, index: usize) -> RuleRef<'_> {
        self.rule(&self.entries[index])
    }

    fn rule(&self, e: &Entry) -> RuleRef<'_> {
        let [pattern_len, value_len, precedence] = e.lengths(&self.text);
        let pattern_at = e.pattern_at as usize;
        let value_at = if e.flags & Entry::VALUE_BEFORE == 0 {
            pattern_at
        } else {
            let numbers = if e.flags & Entry::WIDE == 0 { 0 } else { WIDE_BYTES };
            pattern_at - numbers - value_len as usize
        };
        let text = |at: usize, len: u32| &self.text[at..at + len as usize];
        RuleRef {
            line: e.line,
            verdict: e.verdict(),
            precedence,
            pattern: Pattern {
                bytes: text(pattern_at, pattern_len),
                anchored: e.flags & Entry::ANCHORED != 0,
            },
            value: text(value_at, value_len),
        }
    }

    /// From highest to lowest precedence.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = RuleRef<'_>> + ExactSizeIterator {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The bytes of all patterns together.
    pub(crate) fn pattern_bytes(&self) -> usize {
        self.entries.iter().map(|e| e.lengths(&self.text)[0] as usize).sum()
    }

    /// The stars of all patterns together.
    pub(crate) fn stars(&self) -> usize {
        self.stars as usize
    }

    /// The rule that decides, if one matches. `target` is normalised and begins with `/`.
    ///
    /// `O(n · target + pattern bytes)` for `n` rules: no automaton, the way for a policy
    /// that is asked only a few times. Of most rules only the first eight bytes are looked at.
    pub(crate) fn deciding(&self, target: &[u8]) -> Option<RuleRef<'_>> {
        let target_head = head(target);
        // To find the target's pairs costs as much as to look for some pieces in it.
        const PAIRS_FROM_STARS: u32 = 5;
        const PAIRS_IN_BYTES: usize = 4 << 10;
        let by_pairs = self.stars >= PAIRS_FROM_STARS && target.len() <= PAIRS_IN_BYTES;
        let mut pairs = None;
        let mut entries = self.entries.iter();
        loop {
            let entry = entries.find(|e| {
                let pattern = &self.text[e.pattern_at as usize..];
                first(head(pattern) ^ target_head, usize::from(e.head_len)) == 0
            })?;
            if by_pairs && entry.flags & Entry::STAR_PAIR != 0 {
                let pairs = pairs.get_or_insert_with(|| Pairs::of(target));
                let pair_at = entry.pattern_at as usize + usize::from(entry.head_len) + 1;
                if !pairs.may_contain(self.text[pair_at], self.text[pair_at + 1]) {
                    continue;
                }
            }
            let rule = self.rule(entry);
            if rule.pattern.matches(target, self.wildcards) {
                return Some(rule);
            }
        }
    }

    /// Whether both give the same verdict on every target, as far as equal patterns tell.
    pub(crate) fn decides_like(&self, other: &RuleSet) -> bool {
        self.len() == other.len()
            && self.wildcards == other.wildcards
            && self
                .iter()
                .zip(other.iter())
                .all(|(a, b)| (a.verdict, a.pattern) == (b.verdict, b.pattern))
    }

    /// The occupied bytes, without `self`.
    pub(crate) fn memory_usage(&self) -> usize {
        self.text.len() + size_of_val(&*self.entries)
    }
}

/// The pairs of neighbouring bytes in a text, and some others.
struct Pairs([u64; 16]);

impl Pairs {
    fn of(text: &[u8]) -> Pairs {
        let mut pairs = Pairs([0; 16]);
        for pair in text.windows(2) {
            let (word, bit) = Pairs::place(pair[0], pair[1]);
            pairs.0[word] |= 1 << bit;
        }
        pairs
    }

    fn may_contain(&self, one: u8, next: u8) -> bool {
        let (word, bit) = Pairs::place(one, next);
        self.0[word] & 1 << bit != 0
    }

    #[inline(always)]
    fn place(one: u8, next: u8) -> (usize, u32) {
        // Letters, digits and most punctuation differ in their lower five or six bits.
        let hash = u32::from(one) ^ u32::from(next) << 4;
        ((hash >> 6) as usize % 16, hash % 64)
    }
}

struct Builder<'p> {
    reader: Reader<'p>,
    stored: Stored,
}

impl Builder<'_> {
    fn add(&mut self, rule: RawRule<'_>) {
        let Builder { reader, stored } = self;
        let wildcards = reader.profile.wildcards;
        reader.read(rule, |Read { pattern, precedence, plain }| {
            stored.push(rule, pattern, precedence, wildcards && !plain);
        });
    }
}

/// The parts of a [`RuleSet`] while they grow.
#[derive(Default)]
struct Stored {
    text: Vec<u8>,
    entries: Vec<Entry>,
    stars: usize,
}

impl Stored {
    fn push(
        &mut self,
        rule: RawRule<'_>,
        pattern: Pattern<'_>,
        precedence: u32,
        may_have_stars: bool,
    ) {
        let Stored { text, entries, stars } = self;
        // Values come from a file in memory; a set of more than 4 GiB of rules keeps what
        // fits. (The default size limit is 500 KiB.)
        if text.len() + 8 * rule.value.len() + 64 > u32::MAX as usize {
            return;
        }
        let shared = rule.value.starts_with(pattern.bytes);
        let lengths = [pattern.bytes.len() as u32, rule.value.len() as u32, precedence];
        let narrow = lengths.map(|length| u16::try_from(length).ok());
        let mut flags = 0;
        if rule.verdict == Verdict::Disallow {
            flags |= Entry::DISALLOW;
        }
        if pattern.anchored {
            flags |= Entry::ANCHORED;
        }
        if !shared {
            flags |= Entry::VALUE_BEFORE;
            text.extend_from_slice(rule.value);
        }
        let [pattern_len, value_len, precedence] = match narrow {
            [Some(pattern), Some(value), Some(precedence)] => [pattern, value, precedence],
            _ => {
                flags |= Entry::WIDE;
                text.extend(lengths.iter().flat_map(|length| length.to_le_bytes()));
                [0; 3]
            }
        };
        let pattern_at = text.len() as u32;
        text.extend_from_slice(if shared { rule.value } else { pattern.bytes });
        let head = &pattern.bytes[..pattern.bytes.len().min(HEAD)];
        let star = if may_have_stars { head.iter().position(|o| *o == b'*') } else { None };
        if may_have_stars {
            *stars += memchr::memchr_iter(b'*', pattern.bytes).count();
        }
        // The canonical form has no star behind a star.
        if let Some(star) = star
            && pattern.bytes.get(star + 2).is_some_and(|o| *o != b'*')
        {
            flags |= Entry::STAR_PAIR;
        }
        entries.push(Entry {
            line: rule.line,
            pattern_at,
            pattern_len,
            value_len,
            precedence,
            head_len: star.unwrap_or(head.len()) as u8,
            flags,
        });
    }

    /// The rules, in the order of their entries.
    fn finish(mut self, wildcards: bool) -> RuleSet {
        self.text.extend([0; HEAD]);
        RuleSet {
            text: self.text.into_boxed_slice(),
            entries: self.entries.into_boxed_slice(),
            // A star needs a byte, and a text has fewer than 2³².
            stars: self.stars as u32,
            wildcards,
        }
    }
}
