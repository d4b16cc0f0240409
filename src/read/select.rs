//! From a crawler to its groups: an index over the product tokens of all groups.
//!
//! The index is an aho-corasick automaton over the distinct tokens of a file; a look-up is
//! one pass over the crawler's name, whatever the number of groups. It is built when that
//! pays ([`Lookups`]): until a file with many user-agent lines has been asked for many
//! crawlers, comparing them one by one costs less.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind, Anchored, Input, MatchKind, StartKind};
use smallvec::SmallVec;

use crate::profile::{GroupMatch, Profile, TokenBytes};
use crate::read::crawler::Crawler;

/// Group numbers, in the order of the file.
pub(crate) type GroupNumbers = SmallVec<[u32; 4]>;

/// So few user-agent lines are always compared one by one. Most need a look at one byte.
const COMPARED_LINES: usize = 16;

/// So many look-ups compare the lines one by one before the index is built. Measured: to
/// compare one costs 3 ns, to build it into the index some 250 ns.
const COMPARED_LOOKUPS: u32 = 64;

/// So many tokens go into one automaton. A file with more has several, each with its own
/// pass: to build one takes the crate quadratic time (10,000 tokens: 200 ms), since it
/// sorts the states that match to the front.
const TOKENS_PER_AUTOMATON: usize = 512;

/// Whom a user-agent line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names<'a> {
    /// Every crawler that no other group names.
    Everybody,
    /// The crawlers that find this token; an empty one is in use only where the profile
    /// says so.
    Token(&'a [u8]),
    Nobody,
}

impl<'a> Names<'a> {
    pub(crate) fn of(value: &'a [u8], profile: &Profile) -> Names<'a> {
        if names_everybody(value, profile) {
            return Names::Everybody;
        }
        let token = token(value, profile.token_bytes);
        if token.is_empty() && !profile.empty_token_names_empty {
            return Names::Nobody;
        }
        Names::Token(token)
    }
}

/// Whether a user-agent line's value is `*`, or what counts as that.
pub(crate) fn names_everybody(value: &[u8], profile: &Profile) -> bool {
    let [b'*', after @ ..] = value else { return false };
    // `isspace` of the C locale, vertical tab included.
    let space = after.first().is_some_and(|o| matches!(o, b' ' | 0x09..=0x0D));
    after.is_empty() || profile.star_then_space && space
}

/// The product token of a user-agent line's value, or of nothing: it may be empty.
pub(crate) fn token(value: &[u8], bytes: TokenBytes) -> &[u8] {
    let belongs = |o: &u8| match bytes {
        TokenBytes::LettersDigits => o.is_ascii_alphanumeric() || b"-_.".contains(o),
        TokenBytes::Letters => o.is_ascii_alphabetic() || b"-_".contains(o),
        TokenBytes::UpToSlash => *o != b'/',
    };
    let len = value.iter().position(|o| !belongs(o)).unwrap_or(value.len());
    value[..len].trim_ascii()
}

/// Which groups are a crawler's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Selected {
    /// No group is: everything is allowed.
    None,
    /// The groups that name it.
    Named(GroupNumbers),
    /// No group names it; those for everybody do.
    Everybody(GroupNumbers),
}

impl Selected {
    pub(crate) fn groups(&self) -> &[u32] {
        match self {
            Selected::None => &[],
            Selected::Named(groups) | Selected::Everybody(groups) => groups,
        }
    }
}

impl Selected {
    /// Of the groups that name the crawler, and of those for everybody, in the order of the
    /// file.
    pub(crate) fn of(
        named: GroupNumbers,
        everybody: impl Iterator<Item = u32>,
        profile: &Profile,
    ) -> Self {
        let count = if profile.merge_groups { usize::MAX } else { 1 };
        if !named.is_empty() {
            return Selected::Named(named.into_iter().take(count).collect());
        }
        let mut groups = GroupNumbers::new();
        for group in everybody {
            add_group(&mut groups, group);
        }
        groups.truncate(count);
        if groups.is_empty() { Selected::None } else { Selected::Everybody(groups) }
    }
}

/// Finds the groups of crawlers, in the way that pays.
#[derive(Debug, Default)]
pub(crate) struct Lookups<'a> {
    count: AtomicU32,
    index: OnceLock<TokenIndex<'a>>,
}

impl<'a> Lookups<'a> {
    /// The groups of a crawler. `lines`: value and group of the user-agent lines, in the order
    /// of the file, always the same ones.
    pub(crate) fn select(
        &self,
        lines: impl ExactSizeIterator<Item = (&'a [u8], u32)> + Clone,
        crawler: &Crawler,
        profile: &Profile,
    ) -> Selected {
        // Relaxed: a look-up counted late only builds the index late.
        if lines.len() <= COMPARED_LINES
            || self.count.load(Ordering::Relaxed) < COMPARED_LOOKUPS
                && self.count.fetch_add(1, Ordering::Relaxed) < COMPARED_LOOKUPS
        {
            return compare_lines(lines, crawler, profile);
        }
        let index = self.index.get_or_init(|| {
            let names = lines.map(|(value, group)| (Names::of(value, profile), group));
            TokenIndex::new(names, profile.group_match)
        });
        index.select(crawler, profile)
    }
}

/// The name as it is looked up.
pub(crate) fn looked_up(name: &[u8], group_match: GroupMatch) -> &[u8] {
    match group_match {
        GroupMatch::FirstSubstring => token(name, TokenBytes::UpToSlash),
        GroupMatch::Equal | GroupMatch::LongestPrefix => name,
    }
}

/// The groups of a crawler, by comparing all user-agent lines.
fn compare_lines<'a>(
    lines: impl Iterator<Item = (&'a [u8], u32)> + Clone,
    crawler: &Crawler,
    profile: &Profile,
) -> Selected {
    let mut named = GroupNumbers::new();
    let mut names = 0;
    for name in crawler.iter() {
        let name = looked_up(name, profile.group_match);
        let before = named.len();
        let mut found: Option<&[u8]> = None;
        for (value, group) in lines.clone() {
            let Some(token) = token_for(value, name, profile) else { continue };
            let longest = profile.group_match == GroupMatch::LongestPrefix;
            if found.is_none_or(|found| longest && found.len() < token.len()) {
                found = Some(token);
                named.truncate(before);
                named.push(group);
            } else if found.is_some_and(|found| found.eq_ignore_ascii_case(token)) {
                add_group(&mut named, group);
            }
        }
        names += 1;
        if !named.is_empty() && !profile.merge_names {
            break;
        }
    }
    if names > 1 {
        named.sort_unstable();
        named.dedup();
    }
    let everybody = lines.filter(|(value, _)| names_everybody(value, profile));
    Selected::of(named, everybody.map(|(_, group)| group), profile)
}

/// The token of a user-agent line's value, if the name (as it is looked up) finds it.
#[inline]
pub(crate) fn token_for<'a>(value: &'a [u8], name: &[u8], profile: &Profile) -> Option<&'a [u8]> {
    // Most lines are told by one byte: a token that is equal to the name, or a prefix of it,
    // begins as it does. (An empty one need not, and one up to a slash may stand behind white
    // space.)
    let lower = |text: &[u8]| text.first().map(u8::to_ascii_lowercase);
    let begins = match profile.group_match {
        GroupMatch::Equal => !name.is_empty(),
        GroupMatch::LongestPrefix => !profile.empty_token_names_empty,
        GroupMatch::FirstSubstring => false,
    };
    if begins && profile.token_bytes != TokenBytes::UpToSlash && lower(value) != lower(name) {
        return None;
    }
    match Names::of(value, profile) {
        Names::Token(token) if finds(name, token, profile.group_match) => Some(token),
        _ => None,
    }
}

/// Whether a name, as it is looked up, finds a token if no other is better.
fn finds(name: &[u8], token: &[u8], group_match: GroupMatch) -> bool {
    let is_prefix =
        |name: &[u8]| token.len() <= name.len() && name[..token.len()].eq_ignore_ascii_case(token);
    match group_match {
        GroupMatch::Equal => token.eq_ignore_ascii_case(name),
        GroupMatch::LongestPrefix => is_prefix(name),
        GroupMatch::FirstSubstring => (0..=name.len()).any(|at| is_prefix(&name[at..])),
    }
}

/// The tokens of a file with the groups that they name.
#[derive(Debug, Default)]
struct TokenIndex<'a> {
    /// Distinct, ASCII case ignored, in the order of their first lines.
    tokens: Vec<(&'a [u8], GroupNumbers)>,
    everybody: GroupNumbers,
    /// For `TOKENS_PER_AUTOMATON` tokens each, in their order.
    automata: Vec<AhoCorasick>,
}

impl<'a> TokenIndex<'a> {
    /// Of `(names, group)` in the order of the file.
    fn new(
        lines: impl Iterator<Item = (Names<'a>, u32)>,
        group_match: GroupMatch,
    ) -> TokenIndex<'a> {
        let mut index = TokenIndex::default();
        let mut lines_by_token: Vec<(&[u8], u32)> = Vec::new();
        for (names, group) in lines {
            match names {
                Names::Everybody => add_group(&mut index.everybody, group),
                Names::Token(token) => lines_by_token.push((token, group)),
                Names::Nobody => {}
            }
        }
        // By token, the order of the file within each; then tokens by their first line.
        let mut order: Vec<usize> = (0..lines_by_token.len()).collect();
        order.sort_by_cached_key(|line| lines_by_token[*line].0.to_ascii_lowercase());
        let mut tokens: Vec<(usize, &[u8], GroupNumbers)> = Vec::new();
        for line in order {
            let (token, group) = lines_by_token[line];
            match tokens.last_mut() {
                Some((_, t, groups)) if t.eq_ignore_ascii_case(token) => add_group(groups, group),
                _ => tokens.push((line, token, GroupNumbers::from_slice(&[group]))),
            }
        }
        tokens.sort_unstable_by_key(|(line, ..)| *line);
        index.tokens = tokens.into_iter().map(|(_, token, groups)| (token, groups)).collect();
        index.automata = build_automata(&index.tokens, group_match);
        index
    }

    /// The groups of a crawler.
    fn select(&self, crawler: &Crawler, profile: &Profile) -> Selected {
        let mut named = GroupNumbers::new();
        for name in crawler.iter() {
            let name = looked_up(name, profile.group_match);
            if let Some(token) = search(&self.automata, &self.tokens, name, profile.group_match) {
                named.extend_from_slice(&self.tokens[token].1);
            }
            if !named.is_empty() && !profile.merge_names {
                break;
            }
        }
        named.sort_unstable();
        named.dedup();
        Selected::of(named, self.everybody.iter().copied(), profile)
    }
}

/// Adds a group that comes behind all that are there, or is the last of them.
fn add_group(groups: &mut GroupNumbers, group: u32) {
    if groups.last() != Some(&group) {
        groups.push(group);
    }
}

type Tokens<'a> = [(&'a [u8], GroupNumbers)];

fn build_automata(tokens: &Tokens<'_>, group_match: GroupMatch) -> Vec<AhoCorasick> {
    let (match_kind, start_kind) = match group_match {
        GroupMatch::Equal | GroupMatch::LongestPrefix => {
            (MatchKind::LeftmostLongest, StartKind::Anchored)
        }
        GroupMatch::FirstSubstring => (MatchKind::Standard, StartKind::Unanchored),
    };
    let mut builder = AhoCorasick::builder();
    builder
        .kind(Some(AhoCorasickKind::NoncontiguousNFA))
        .match_kind(match_kind)
        .start_kind(start_kind)
        .ascii_case_insensitive(true)
        .prefilter(false);
    // A part that an automaton cannot hold (2³¹ bytes) could not be in a file in memory.
    let build = |part: &Tokens<'_>| builder.build(part.iter().map(|(token, _)| token));
    tokens.chunks(TOKENS_PER_AUTOMATON).filter_map(|part| build(part).ok()).collect()
}

/// The token that the name finds, by one pass over the name for each automaton.
fn search(
    automata: &[AhoCorasick],
    tokens: &Tokens<'_>,
    name: &[u8],
    group_match: GroupMatch,
) -> Option<usize> {
    let found = automata.iter().enumerate().filter_map(|(part, automaton)| {
        let anchored = || automaton.find(Input::new(name).anchored(Anchored::Yes));
        let token = |m: aho_corasick::Match| part * TOKENS_PER_AUTOMATON + m.pattern().as_usize();
        match group_match {
            // The longest token that is a prefix is the name itself, if any is.
            GroupMatch::Equal => anchored().filter(|m| m.end() == name.len()).map(token),
            GroupMatch::LongestPrefix => anchored().map(token),
            GroupMatch::FirstSubstring => automaton.find_overlapping_iter(name).map(token).min(),
        }
    });
    match group_match {
        GroupMatch::Equal => found.into_iter().next(),
        GroupMatch::LongestPrefix => found.max_by_key(|token| tokens[*token].0.len()),
        // The one whose first line comes first.
        GroupMatch::FirstSubstring => found.min(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATCHES: [GroupMatch; 3] =
        [GroupMatch::Equal, GroupMatch::LongestPrefix, GroupMatch::FirstSubstring];

    #[test]
    fn tokens() {
        let rfc = |value: &'static str| token(value.as_bytes(), TokenBytes::LettersDigits);
        assert_eq!(rfc("FooBot/2.1"), b"FooBot");
        assert_eq!(rfc("MJ12bot"), b"MJ12bot");
        assert_eq!(rfc("archive.org_bot"), b"archive.org_bot");
        assert_eq!(rfc("googlebot*"), b"googlebot");
        assert_eq!(token(b"MJ12bot", TokenBytes::Letters), b"MJ");
        assert_eq!(token(b"123", TokenBytes::Letters), b"");
        assert_eq!(token(b"Foo Bot /2", TokenBytes::UpToSlash), b"Foo Bot");
    }

    #[test]
    fn names() {
        let of = |value: &'static str, profile| Names::of(value.as_bytes(), profile);
        assert_eq!(of("*", &Profile::RFC9309), Names::Everybody);
        assert_eq!(of("* x", &Profile::RFC9309), Names::Nobody);
        assert_eq!(of("* x", &Profile::GOOGLE), Names::Everybody);
        assert_eq!(of("*x", &Profile::GOOGLE), Names::Token(b""));
        assert_eq!(of("", &Profile::GOOGLE), Names::Token(b""));
        assert_eq!(of("", &Profile::RFC9309), Names::Nobody);
        assert_eq!(of("/1", &Profile::ORIGINAL_1994), Names::Nobody);
    }

    /// The index finds what comparing finds.
    #[test]
    fn index_equals_comparison() {
        let mut seed = 7u32;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % below
        };
        for round in 0..90 {
            let mut word = |max: u32| -> Vec<u8> {
                (0..random(max)).map(|_| b"aAbB-*/"[random(7) as usize]).collect()
            };
            let words: Vec<Vec<u8>> = (0..if round == 0 { 2000 } else { 20 })
                .map(|_| word(if round == 0 { 12 } else { 5 }))
                .collect();
            let lines = || words.iter().zip(0..).map(|(word, group)| (&word[..], group / 2));
            let (_, mut profile) = Profile::NAMED[round % 4];
            for group_match in MATCHES {
                profile.group_match = group_match;
                profile.merge_groups = round % 3 != 0;
                profile.merge_names = round % 5 == 0;
                profile.empty_token_names_empty = round % 7 < 4;
                let names = lines().map(|(value, group)| (Names::of(value, &profile), group));
                let index = TokenIndex::new(names, group_match);
                let parts = index.tokens.len().div_ceil(TOKENS_PER_AUTOMATON);
                assert_eq!(index.automata.len(), parts);
                for _ in 0..40 {
                    let crawler = Crawler::names((0..1 + round % 3).map(|_| word(9)));
                    let compared = compare_lines(lines(), &crawler, &profile);
                    assert_eq!(index.select(&crawler, &profile), compared, "{crawler:?}");
                }
            }
        }
    }
}
