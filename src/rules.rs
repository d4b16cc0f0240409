//! The rules of a policy: normalised patterns in order of precedence.
//!
//! A pattern is kept in a canonical form that matches exactly what the rule as written
//! matches: neighbouring stars are one, stars at the end and a `$` after a star are gone.
//! What was dropped still counts for the precedence, which is computed before.

use std::cmp::Reverse;

use crate::Verdict;
use crate::normalise::Encoding;
use crate::profile::{Profile, RulePrecedence};

/// A rule as it stands in the file, before it is normalised.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawRule<'a> {
    pub(crate) line: u32,
    pub(crate) verdict: Verdict,
    /// Not empty.
    pub(crate) value: &'a [u8],
}

/// What a rule matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pattern<'a> {
    /// Normalised octets; where the set has wildcards, `*` is one.
    pub(crate) octets: &'a [u8],
    /// Whether the target must end where the pattern does.
    pub(crate) anchored: bool,
}

/// A rule in 16 octets.
#[derive(Clone, Copy, Debug)]
struct Entry {
    line: u32,
    /// Where in the text the pattern begins.
    pattern_at: u32,
    pattern_len: u16,
    value_len: u16,
    precedence: u16,
    /// The octets before the pattern's first star, [`HEAD`] at most.
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
    /// A star and two plain octets follow the `head_len` first ones.
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
        let (numbers, _) = before[before.len() - WIDE_OCTETS..].as_chunks::<4>();
        [numbers[0], numbers[1], numbers[2]].map(u32::from_le_bytes)
    }
}

/// Of pattern and value in octets, and the precedence.
type Lengths = [u32; 3];

/// What [`Lengths`] take in the text, if they stand there.
const WIDE_OCTETS: usize = 12;

/// So many octets of a pattern are compared at once. The text goes on for as many after its
/// last pattern.
const HEAD: usize = 8;

/// The first octets of a text as a word, zeros behind its end.
#[inline]
fn head(text: &[u8]) -> u64 {
    match text.first_chunk::<HEAD>() {
        Some(head) => u64::from_le_bytes(*head),
        None => {
            let mut head = [0; HEAD];
            head[..text.len()].copy_from_slice(text);
            u64::from_le_bytes(head)
        }
    }
}

/// The first `len` octets of a word that [`head`] made.
#[inline]
fn first(word: u64, len: usize) -> u64 {
    if len >= HEAD { word } else { word & !(u64::MAX << (8 * len)) }
}

/// Rules from highest to lowest precedence; of equal ones allow first, then the order of
/// the file. So the first rule that matches decides.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleSet {
    /// Values and patterns; a pattern with which its value begins shares its octets.
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
        let (mut count, mut octets) = (0, 0);
        for rule in rules.clone() {
            count += 1;
            octets += rule.value.len();
        }
        if count == 0 {
            return RuleSet { wildcards: profile.wildcards, ..RuleSet::default() };
        }
        let mut builder = Builder {
            reader: Reader::new(profile),
            text: Vec::with_capacity(octets + HEAD),
            entries: Vec::with_capacity(count),
            stars: 0,
        };
        for rule in rules {
            builder.add(rule);
        }
        let Builder { mut text, mut entries, stars, .. } = builder;
        text.extend([0; HEAD]);
        // Stable: equal keys stay in the order of the file.
        entries.sort_by_key(|e| {
            let [_, _, precedence] = e.lengths(&text);
            (Reverse(precedence), e.flags & Entry::DISALLOW)
        });
        RuleSet {
            text: text.into_boxed_slice(),
            entries: entries.into_boxed_slice(),
            // A star needs an octet, and a text has fewer than 2³².
            stars: stars as u32,
            wildcards: profile.wildcards,
        }
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
            let numbers = if e.flags & Entry::WIDE == 0 { 0 } else { WIDE_OCTETS };
            pattern_at - numbers - value_len as usize
        };
        let text = |at: usize, len: u32| &self.text[at..at + len as usize];
        RuleRef {
            line: e.line,
            verdict: e.verdict(),
            precedence,
            pattern: Pattern {
                octets: text(pattern_at, pattern_len),
                anchored: e.flags & Entry::ANCHORED != 0,
            },
            value: text(value_at, value_len),
        }
    }

    /// From highest to lowest precedence.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = RuleRef<'_>> + ExactSizeIterator {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The octets of all patterns together.
    pub(crate) fn pattern_octets(&self) -> usize {
        self.entries.iter().map(|e| e.lengths(&self.text)[0] as usize).sum()
    }

    /// The stars of all patterns together.
    pub(crate) fn stars(&self) -> usize {
        self.stars as usize
    }

    /// The rule that decides, if one matches. `target` is normalised and begins with `/`.
    ///
    /// `O(n · target + pattern octets)` for `n` rules: no automaton, the way for a policy
    /// that is asked only a few times. Of most rules only the first eight octets are looked at.
    pub(crate) fn deciding(&self, target: &[u8]) -> Option<RuleRef<'_>> {
        let target_head = head(target);
        // To find the target's pairs costs as much as to look for some pieces in it.
        const PAIRS_FROM_STARS: u32 = 5;
        const PAIRS_IN_OCTETS: usize = 4 << 10;
        let by_pairs = self.stars >= PAIRS_FROM_STARS && target.len() <= PAIRS_IN_OCTETS;
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

    /// The occupied octets, without `self`.
    pub(crate) fn memory_usage(&self) -> usize {
        self.text.len() + size_of_val(&*self.entries)
    }
}

/// The pairs of neighbouring octets in a text, and some others.
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

/// Reads rules as they stand in the file.
struct Reader<'p> {
    profile: &'p Profile,
    encoding: Encoding,
    scratch: Vec<u8>,
}

/// What [`Reader::read`] makes of a rule.
struct Read<'r> {
    /// In its canonical form.
    pattern: Pattern<'r>,
    precedence: u32,
    /// Whether the value is the pattern and has no star.
    plain: bool,
}

impl<'p> Reader<'p> {
    fn new(profile: &'p Profile) -> Reader<'p> {
        Reader { profile, encoding: Encoding::of_rule(profile), scratch: Vec::new() }
    }

    /// The pattern of a rule, or its patterns: one that allows `…/index.htm…` may have a
    /// second one, which comes first.
    fn read(&mut self, rule: RawRule<'_>, mut found: impl FnMut(Read<'_>)) {
        let profile = self.profile;
        let mut value = rule.value;
        let directories = profile.index_htm_is_directory && rule.verdict == Verdict::Allow;
        let slash = profile.leading_slash_assumed && value[0] != b'/';
        if !directories && !slash && self.encoding.is_plain(value) {
            let precedence = self.precedence(rule.verdict, value.len());
            let pattern = Pattern { octets: value, anchored: false };
            return found(Read { pattern, precedence, plain: true });
        }
        self.scratch.clear();
        if slash {
            self.scratch.push(b'/');
        }
        if profile.wildcards && profile.trailing_stars_dropped {
            let stars = value.iter().rev().take_while(|o| **o == b'*').count();
            value = &value[..value.len() - stars];
        }
        // A `$` that trailing stars followed is not the value's last character.
        let anchored =
            profile.wildcards && value.len() == rule.value.len() && value.ends_with(b"$");
        let body = if anchored { &value[..value.len() - 1] } else { value };
        if profile.wildcards {
            for (i, piece) in body.split(|o| *o == b'*').enumerate() {
                if i > 0 {
                    self.scratch.push(b'*');
                }
                self.normalise(piece);
            }
        } else {
            self.normalise(body);
        }
        // All stars are still there; the anchor counts too.
        let len = self.scratch.len() + usize::from(anchored);
        if directories {
            let slash = self.scratch.iter().rposition(|o| *o == b'/');
            if let Some(slash) = slash.filter(|s| self.scratch[*s..].starts_with(b"/index.htm")) {
                let directory = canonical(self.scratch[..=slash].to_vec(), true, profile);
                let (octets, anchored) = &directory;
                let pattern = Pattern { octets, anchored: *anchored };
                let precedence = self.precedence(rule.verdict, slash + 2);
                found(Read { pattern, precedence, plain: false });
            }
        }
        let precedence = self.precedence(rule.verdict, len);
        let (octets, anchored) = canonical(std::mem::take(&mut self.scratch), anchored, profile);
        let pattern = Pattern { octets: &octets, anchored };
        found(Read { pattern, precedence, plain: false });
        self.scratch = octets;
    }

    fn normalise(&mut self, piece: &[u8]) {
        if self.encoding.changes_in(piece) {
            self.scratch.extend(self.encoding.normalised(piece));
        } else {
            self.scratch.extend_from_slice(piece);
        }
    }

    fn precedence(&self, verdict: Verdict, len: usize) -> u32 {
        match self.profile.rule_precedence {
            RulePrecedence::Longest => len as u32,
            RulePrecedence::AnyDisallow => u32::from(verdict == Verdict::Disallow),
        }
    }
}

/// Brings a pattern into its canonical form.
fn canonical(mut pattern: Vec<u8>, mut anchored: bool, profile: &Profile) -> (Vec<u8>, bool) {
    if profile.wildcards {
        pattern.dedup_by(|a, b| *a == b'*' && *b == b'*');
        if pattern.last() == Some(&b'*') {
            pattern.pop();
            anchored = false;
        }
    }
    (pattern, anchored)
}

struct Builder<'p> {
    reader: Reader<'p>,
    text: Vec<u8>,
    entries: Vec<Entry>,
    stars: usize,
}

impl Builder<'_> {
    fn add(&mut self, rule: RawRule<'_>) {
        let Builder { reader, text, entries, stars } = self;
        // Values come from a file in memory; a set of more than 4 GiB of rules keeps what
        // fits. (The default size limit is 500 KiB.)
        if text.len() + 8 * rule.value.len() + 64 > u32::MAX as usize {
            return;
        }
        let wildcards = reader.profile.wildcards;
        reader.read(rule, |Read { pattern, precedence, plain }| {
            let may_have_stars = wildcards && !plain;
            let shared = plain || rule.value.starts_with(pattern.octets);
            let lengths = [pattern.octets.len() as u32, rule.value.len() as u32, precedence];
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
            text.extend_from_slice(if shared { rule.value } else { pattern.octets });
            let head = &pattern.octets[..pattern.octets.len().min(HEAD)];
            let star = if may_have_stars { head.iter().position(|o| *o == b'*') } else { None };
            if may_have_stars {
                *stars += memchr::memchr_iter(b'*', pattern.octets).count();
            }
            // The canonical form has no star behind a star.
            if let Some(star) = star
                && pattern.octets.get(star + 2).is_some_and(|o| *o != b'*')
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
        });
    }
}

/// Judges a target by rules that come one by one as they stand in the file: as the
/// [`RuleSet`] of them would, which is never built.
pub(crate) struct Judge<'p, 't> {
    reader: Reader<'p>,
    /// Normalised; begins with `/`.
    target: &'t [u8],
    head: u64,
    /// So many of its first octets are what they are in a rule too.
    plain_len: usize,
    /// Precedence and verdict of the rule that decides so far.
    best: Option<(u32, Verdict)>,
}

impl<'p, 't> Judge<'p, 't> {
    pub(crate) fn new(target: &'t [u8], profile: &'p Profile) -> Judge<'p, 't> {
        let reader = Reader::new(profile);
        let plain = |o: &&u8| reader.encoding.is_plain(std::slice::from_ref(*o));
        let plain_len = target.iter().take(HEAD).take_while(plain).count();
        Judge { reader, target, head: head(target), plain_len, best: None }
    }

    /// Forgets all rules.
    pub(crate) fn reset(&mut self) {
        self.best = None;
    }

    pub(crate) fn verdict(&self) -> Verdict {
        self.best.map_or(Verdict::Allow, |(_, verdict)| verdict)
    }

    #[inline]
    pub(crate) fn add(&mut self, rule: RawRule<'_>) {
        if !self.differs_early(rule) {
            self.compare(rule);
        }
    }

    /// Whether the rule does not match, as far as its first octets tell.
    #[inline]
    fn differs_early(&self, rule: RawRule<'_>) -> bool {
        let differences = first(head(rule.value) ^ self.head, rule.value.len());
        if differences == 0 {
            return false;
        }
        // The octets before this one are those of the target. Where they are plain and this
        // one is plain too, so begins the pattern.
        let at = differences.trailing_zeros() as usize / 8;
        if at > self.plain_len || !self.reader.encoding.is_plain(&rule.value[at..=at]) {
            return false;
        }
        let profile = self.reader.profile;
        let slash_assumed = at == 0 && profile.leading_slash_assumed;
        // The target may end where a directory does whose index is allowed.
        let directory = at >= self.target.len() && profile.index_htm_is_directory;
        !(slash_assumed || directory && rule.verdict == Verdict::Allow)
    }

    fn compare(&mut self, rule: RawRule<'_>) {
        let Judge { reader, target, best, .. } = self;
        let wildcards = reader.profile.wildcards;
        reader.read(rule, |Read { pattern, precedence, .. }| {
            // Of equal ones allow decides.
            let key = |(precedence, verdict)| (precedence, verdict == Verdict::Allow);
            let candidate = (precedence, rule.verdict);
            if best.is_none_or(|best| key(candidate) > key(best))
                && pattern.matches(target, wildcards)
            {
                *best = Some(candidate);
            }
        });
    }
}

impl Pattern<'_> {
    /// Whether the pattern matches the target from its first octet on.
    ///
    /// Greedy: the first place where a piece fits leaves the most room for the next ones.
    pub(crate) fn matches(self, target: &[u8], wildcards: bool) -> bool {
        let (head, mut rest) = match memchr::memchr(b'*', self.octets) {
            Some(star) if wildcards => (&self.octets[..star], Some(&self.octets[star + 1..])),
            _ => (self.octets, None),
        };
        let Some(mut left) = target.strip_prefix(head) else { return false };
        while let Some(pieces) = rest {
            let star = memchr::memchr(b'*', pieces);
            let piece = &pieces[..star.unwrap_or(pieces.len())];
            if star.is_none() && self.anchored {
                return left.ends_with(piece);
            }
            let Some(at) = memchr::memmem::find(left, piece) else { return false };
            left = &left[at + piece.len()..];
            rest = star.map(|star| &pieces[star + 1..]);
        }
        !self.anchored || left.is_empty()
    }
}
