//! The rules of a policy: normalised patterns in order of precedence.
//!
//! A [`RuleSet`] is what all engines are made from, and the only place where precedence is computed: rules are sorted
//! once, from highest to lowest, allow before disallow, then by line. So "which rule wins" is "which matches first", for
//! the scan below, for the automaton's runs and for explanations alike.
//!
//! A rule takes 16 bytes and its text. Most comparisons end at the first eight bytes of a pattern (its *head*), which are
//! read as one word: a policy that is asked once or twice is answered by [`RuleSet::deciding`], and nothing is
//! compiled for it. Values stay as they were written, for explanations; a value that begins with its pattern shares the
//! bytes.

use crate::profile::Profile;
#[cfg(feature = "pack")]
use crate::rules::normalise::Encoding;
use crate::rules::pattern::{HEAD, Pattern, PatternReader, RankedPattern, RawRule, first, head};
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
    /// How many bytes come before the pattern's first star, [`HEAD`] at most.
    head_len: u8,
    flags: u8,
}

impl Entry {
    const DISALLOW: u8 = 1;
    const ANCHORED: u8 = 2;
    /// The value does not begin with the pattern, so it has its own copy before the pattern.
    const VALUE_BEFORE: u8 = 4;
    /// A length or the precedence is too large for 16 bits: all three stand before the pattern.
    const WIDE: u8 = 8;
    /// A star and two bytes that are no stars follow the first `head_len` bytes.
    const STAR_PAIR: u8 = 16;
    /// The byte behind these two is none either, nor the end.
    const STAR_PAIRS: u8 = 32;

    fn verdict(&self) -> Verdict {
        if self.flags & Entry::DISALLOW == 0 { Verdict::Allow } else { Verdict::Disallow }
    }

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

/// The length of the pattern and of the value in bytes, and the precedence.
type Lengths = [u32; 3];

/// The bytes that [`Lengths`] take in the text of a wide entry.
const WIDE_BYTES: usize = 12;

/// Rules from highest to lowest precedence; of equal precedence allow first, then in the order of
/// the file. So the first rule that matches decides.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    /// Values and patterns, then [`HEAD`] zeros, so that a head can be read at any pattern. A
    /// value that begins with its pattern shares the pattern's bytes.
    text: Box<[u8]>,
    entries: Box<[Entry]>,
    stars: u32,
    wildcards: bool,
}

/// One rule of a [`RuleSet`].
#[derive(Clone, Copy, Debug)]
pub struct RuleRef<'s> {
    pub line: u32,
    pub verdict: Verdict,
    pub precedence: u32,
    pub pattern: Pattern<'s>,
    /// The value as written.
    pub value: &'s [u8],
}

impl RuleSet {
    pub fn new<'a>(rules: impl Iterator<Item = RawRule<'a>> + Clone, profile: &Profile) -> RuleSet {
        let (mut count, mut bytes) = (0, 0);
        for rule in rules.clone() {
            count += 1;
            bytes += rule.value.len();
        }
        if count == 0 {
            return RuleSet { wildcards: profile.wildcards, ..RuleSet::default() };
        }
        let mut stored = Stored {
            text: Vec::with_capacity(bytes + HEAD),
            entries: Vec::with_capacity(count),
            stars: 0,
        };
        let mut reader = PatternReader::new(profile);
        for rule in rules {
            reader.read(rule, |pattern| {
                stored.push(&rule, &pattern, profile.wildcards);
            });
        }
        let Stored { text, entries, .. } = &mut stored;
        // A stable sort: equal keys stay in the order of the file. A key is one number, and so compared without a branch.
        entries.sort_by_key(|e| {
            let [_, _, precedence] = e.lengths(text);
            u64::from(!precedence) << 1 | u64::from(e.flags & Entry::DISALLOW)
        });
        stored.finish(profile.wildcards)
    }

    /// A rule set from the rules of another one, in its order, for targets that `encoding`
    /// normalises. `None` if no rule set can have these rules: the engines rely on their order and
    /// on the canonical form of patterns.
    #[cfg(feature = "pack")]
    pub fn restored<'a>(
        rules: impl Iterator<Item = RuleRef<'a>>,
        wildcards: bool,
        encoding: Encoding,
    ) -> Option<RuleSet> {
        let mut stored = Stored::default();
        let mut previous = None;
        for RuleRef { line, verdict, precedence, pattern, value } in rules {
            let key = (std::cmp::Reverse(precedence), verdict == Verdict::Disallow);
            let ends_a_value = |text: &[u8]| text.iter().any(|byte| b"\n\r#".contains(byte));
            let is_normal = previous <= Some(key)
                && !value.is_empty()
                && !ends_a_value(value)
                && !ends_a_value(pattern.bytes)
                && pattern.is_canonical(wildcards, encoding);
            if !is_normal {
                return None;
            }
            previous = Some(key);
            let pattern = RankedPattern { pattern, precedence, plain: false };
            if !stored.push(&RawRule { line, verdict, value }, &pattern, wildcards) {
                return None;
            }
        }
        Some(stored.finish(wildcards))
    }

    /// These rules with the precedences of another set, in its order. Both have one rule for each line, and
    /// the same lines.
    pub fn with_precedences_of(&self, other: &RuleSet) -> RuleSet {
        let own: std::collections::HashMap<u32, RuleRef<'_>> =
            self.iter().map(|rule| (rule.line, rule)).collect();
        let mut stored = Stored::default();
        for RuleRef { line, precedence, .. } in other.iter() {
            let Some(RuleRef { verdict, pattern, value, .. }) = own.get(&line).copied() else {
                continue;
            };
            let ranked = RankedPattern { pattern, precedence, plain: false };
            stored.push(&RawRule { line, verdict, value }, &ranked, self.wildcards);
        }
        stored.finish(self.wildcards)
    }

    /// The set that gives the verdict of the rule of this index to the targets that it decides, and
    /// the other verdict to all others.
    pub fn alone(&self, index: usize) -> RuleSet {
        let mut stored = Stored::default();
        let verdict = self.get(index).verdict;
        // The engines rely on the order of precedences, and of verdicts within one.
        let mut precedence = u32::try_from(index).unwrap_or(u32::MAX).saturating_add(2);
        let mut push = |line, verdict, value: &[u8], pattern| {
            precedence = precedence.saturating_sub(1);
            let ranked = RankedPattern { pattern, precedence, plain: false };
            stored.push(&RawRule { line, verdict, value }, &ranked, self.wildcards);
        };
        for (number, rule) in self.iter().take(index + 1).enumerate() {
            let of_it = if number == index { verdict } else { verdict.opposite() };
            push(rule.line, of_it, rule.value, rule.pattern);
        }
        if verdict.is_allow() {
            // What no rule matches is allowed.
            let everything = Pattern { bytes: b"/", anchored: false };
            push(u32::MAX, Verdict::Disallow, b"/", everything);
        }
        stored.finish(self.wildcards)
    }

    /// The set that disallows what one of these rules matches, whatever its verdict, and nothing else.
    pub fn matched_by(&self, indexes: &[usize]) -> RuleSet {
        let mut stored = Stored::default();
        for &index in indexes {
            let RuleRef { line, value, pattern, .. } = self.get(index);
            let ranked = RankedPattern { pattern, precedence: 1, plain: false };
            let rule = RawRule { line, verdict: Verdict::Disallow, value };
            stored.push(&rule, &ranked, self.wildcards);
        }
        stored.finish(self.wildcards)
    }

    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn wildcards(&self) -> bool {
        self.wildcards
    }

    pub fn get(&self, index: usize) -> RuleRef<'_> {
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

    /// The rules from highest to lowest precedence.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = RuleRef<'_>> + ExactSizeIterator {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The bytes of all patterns.
    pub fn pattern_bytes(&self) -> usize {
        self.entries.iter().map(|e| e.lengths(&self.text)[0] as usize).sum()
    }

    /// The stars in all patterns.
    pub fn stars(&self) -> usize {
        self.stars as usize
    }

    /// The rule that decides, if one matches. `target` is normalised and begins with `/`.
    ///
    /// Tries the rules in order, without an automaton: `O(n · target + pattern bytes)` for `n`
    /// rules, but most rules cost one comparison of eight bytes. Right for a policy that is asked
    /// only a few times.
    pub fn deciding(&self, target: &[u8]) -> Option<RuleRef<'_>> {
        let target_head = head(target);
        // Finding the target's pairs costs as much as searching it for several pieces.
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
                let pair = |at: usize| pairs.may_contain(self.text[at], self.text[at + 1]);
                // A second pair rules out two thirds of what the first one leaves.
                let has_both = entry.flags & Entry::STAR_PAIRS != 0;
                if !pair(pair_at) || has_both && !pair(pair_at + 1) {
                    continue;
                }
            }
            let rule = self.rule(entry);
            if rule.pattern.matches(target, self.wildcards) {
                return Some(rule);
            }
        }
    }

    /// The indices of all rules that match a normalised target that begins with `/`, from highest to
    /// lowest precedence. Tries the rules in order; most cost one comparison of eight bytes.
    pub fn matching(&self, target: &[u8]) -> impl Iterator<Item = usize> {
        let target_head = head(target);
        let entries = self.entries.iter().enumerate();
        let matching = entries.filter(move |(_, e)| {
            let pattern = &self.text[e.pattern_at as usize..];
            first(head(pattern) ^ target_head, usize::from(e.head_len)) == 0
                && self.rule(e).pattern.matches(target, self.wildcards)
        });
        matching.map(|(index, _)| index)
    }

    /// Returns true if both have the same patterns and verdicts, and so decide every target alike. Sets
    /// that decide alike with different patterns are not recognised.
    pub fn decides_like(&self, other: &RuleSet) -> bool {
        self.len() == other.len()
            && self.wildcards == other.wildcards
            && self
                .iter()
                .zip(other.iter())
                .all(|(a, b)| (a.verdict, a.pattern) == (b.verdict, b.pattern))
    }

    /// The occupied bytes, without `self`.
    pub fn memory_usage(&self) -> usize {
        self.text.len() + size_of_val(&*self.entries)
    }
}

/// The pairs of neighbouring bytes in a text, as a filter with false positives.
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

/// The parts of a [`RuleSet`] while they grow.
#[derive(Default)]
struct Stored {
    text: Vec<u8>,
    entries: Vec<Entry>,
    stars: usize,
}

impl Stored {
    /// Adds a rule. Returns `false`, and adds nothing, if it does not fit.
    fn push(&mut self, rule: &RawRule<'_>, ranked: &RankedPattern<'_>, wildcards: bool) -> bool {
        let Stored { text, entries, stars } = self;
        let &RankedPattern { pattern, precedence, plain } = ranked;
        let may_have_stars = wildcards && !plain;
        // Offsets have 32 bits: of more than 4 GiB of rules, those that fit are kept. (The
        // default size limit is 500 KiB, and a file is read up to 4 GiB.)
        let end = text.len() + rule.value.len() + WIDE_BYTES + pattern.bytes.len() + HEAD;
        if u32::try_from(end).is_err() {
            return false;
        }
        let u32 = |number: usize| u32::try_from(number).expect("less than `end`");
        let shared = plain || rule.value.starts_with(pattern.bytes);
        let lengths = [u32(pattern.bytes.len()), u32(rule.value.len()), precedence];
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
        let pattern_at = u32(text.len());
        text.extend_from_slice(if shared { rule.value } else { pattern.bytes });
        let head = &pattern.bytes[..pattern.bytes.len().min(HEAD)];
        let star = if may_have_stars { head.iter().position(|o| *o == b'*') } else { None };
        if may_have_stars {
            *stars += memchr::memchr_iter(b'*', pattern.bytes).count();
        }
        // In canonical form the byte after a star is no star.
        if let Some(star) = star {
            let is_plain = |at: usize| pattern.bytes.get(at).is_some_and(|o| *o != b'*');
            if is_plain(star + 2) {
                flags |= Entry::STAR_PAIR;
                flags |= if is_plain(star + 3) { Entry::STAR_PAIRS } else { 0 };
            }
        }
        entries.push(Entry {
            line: rule.line,
            pattern_at,
            pattern_len,
            value_len,
            precedence,
            head_len: u8::try_from(star.unwrap_or(head.len())).expect("at most HEAD"),
            flags,
        });
        true
    }

    /// A rule set in the order of the entries.
    fn finish(mut self, wildcards: bool) -> RuleSet {
        self.text.extend([0; HEAD]);
        RuleSet {
            text: self.text.into_boxed_slice(),
            entries: self.entries.into_boxed_slice(),
            stars: u32::try_from(self.stars).expect("at most one for each byte of the text"),
            wildcards,
        }
    }
}
