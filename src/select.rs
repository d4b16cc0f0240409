//! From a crawler to its groups: an index over the product tokens of all groups.
//!
//! The index is an aho-corasick automaton over the distinct tokens of a file; a look-up is
//! one pass over the crawler's name, whatever the number of groups. It is built when that
//! pays: until a file with many tokens has been asked for many crawlers, comparing the
//! tokens costs less.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind, Anchored, Input, MatchKind, StartKind};
use smallvec::SmallVec;

use crate::crawler::Crawler;
use crate::profile::{GroupMatch, Profile, TokenOctets};

/// Group numbers, in the order of the file.
pub(crate) type GroupNumbers = SmallVec<[u32; 4]>;

/// So few tokens are always compared one by one: some 20 ns.
const COMPARED_TOKENS: usize = 8;

/// So many look-ups compare the tokens one by one before the automaton is built. Measured:
/// to compare one costs 3 ns, to build it in some 250 ns.
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
        if let [b'*', after @ ..] = value {
            // `isspace` of the C locale, vertical tab included.
            let space = after.first().is_some_and(|o| matches!(o, b' ' | 0x09..=0x0D));
            if after.is_empty() || profile.star_then_space && space {
                return Names::Everybody;
            }
        }
        let token = token(value, profile.token_octets);
        if token.is_empty() && !profile.empty_token_names_empty {
            return Names::Nobody;
        }
        Names::Token(token)
    }
}

/// The product token of a user-agent line's value, or of nothing: it may be empty.
pub(crate) fn token(value: &[u8], octets: TokenOctets) -> &[u8] {
    let belongs = |o: &u8| match octets {
        TokenOctets::LettersDigits => o.is_ascii_alphanumeric() || b"-_.".contains(o),
        TokenOctets::Letters => o.is_ascii_alphabetic() || b"-_".contains(o),
        TokenOctets::UpToSlash => *o != b'/',
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

/// The tokens of a file with the groups that they name.
#[derive(Debug, Default)]
pub(crate) struct TokenIndex<'a> {
    /// Distinct, ASCII case ignored, in the order of their first lines.
    tokens: Vec<(&'a [u8], GroupNumbers)>,
    everybody: GroupNumbers,
    lookups: AtomicU32,
    /// For `TOKENS_PER_AUTOMATON` tokens each, in their order.
    automata: OnceLock<Vec<AhoCorasick>>,
}

impl<'a> TokenIndex<'a> {
    /// Of `(names, group)` in the order of the file.
    pub(crate) fn new(lines: impl Iterator<Item = (Names<'a>, u32)>) -> TokenIndex<'a> {
        let mut index = TokenIndex::default();
        let mut lines_by_token: Vec<(&[u8], u32)> = Vec::new();
        for (names, group) in lines {
            match names {
                Names::Everybody => add_group(&mut index.everybody, group),
                Names::Token(token) => lines_by_token.push((token, group)),
                Names::Nobody => {}
            }
        }
        if lines_by_token.len() <= COMPARED_TOKENS {
            for (token, group) in lines_by_token {
                match index.tokens.iter_mut().find(|(t, _)| t.eq_ignore_ascii_case(token)) {
                    Some((_, groups)) => add_group(groups, group),
                    None => index.tokens.push((token, GroupNumbers::from_slice(&[group]))),
                }
            }
        } else {
            let lower = |token: &[u8]| token.to_ascii_lowercase();
            lines_by_token.sort_by_cached_key(|(token, group)| (lower(token), *group));
            for (token, group) in lines_by_token {
                match index.tokens.last_mut() {
                    Some((t, groups)) if t.eq_ignore_ascii_case(token) => add_group(groups, group),
                    _ => index.tokens.push((token, GroupNumbers::from_slice(&[group]))),
                }
            }
            index.tokens.sort_by_key(|(_, groups)| groups[0]);
        }
        index
    }

    /// The groups of a crawler.
    pub(crate) fn select(&self, crawler: &Crawler, profile: &Profile) -> Selected {
        let mut named = GroupNumbers::new();
        for name in crawler.iter() {
            named.extend_from_slice(self.named_by(name, profile.group_match));
            if !named.is_empty() && !profile.merge_names {
                break;
            }
        }
        named.sort_unstable();
        named.dedup();
        let mut selected = match (named.is_empty(), self.everybody.is_empty()) {
            (false, _) => Selected::Named(named),
            (true, false) => Selected::Everybody(self.everybody.clone()),
            (true, true) => Selected::None,
        };
        if let Selected::Named(groups) | Selected::Everybody(groups) = &mut selected
            && !profile.merge_groups
        {
            groups.truncate(1);
        }
        selected
    }

    fn named_by(&self, name: &[u8], group_match: GroupMatch) -> &[u32] {
        let name = match group_match {
            GroupMatch::FirstSubstring => token(name, TokenOctets::UpToSlash),
            GroupMatch::Equal | GroupMatch::LongestPrefix => name,
        };
        let found = match self.automata(group_match) {
            Some(automata) => search(automata, &self.tokens, name, group_match),
            None => compare(&self.tokens, name, group_match),
        };
        found.map_or(&[], |token| &self.tokens[token].1)
    }

    /// The automata, once they pay.
    fn automata(&self, group_match: GroupMatch) -> Option<&[AhoCorasick]> {
        if self.tokens.len() <= COMPARED_TOKENS
            || self.lookups.fetch_add(1, Ordering::Relaxed) < COMPARED_LOOKUPS
        {
            return None;
        }
        Some(self.automata.get_or_init(|| build_automata(&self.tokens, group_match)))
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
    // A part that an automaton cannot hold (2³¹ octets) could not be in a file in memory.
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
    let first_group = |token: &usize| tokens[*token].1[0];
    let found = automata.iter().enumerate().filter_map(|(part, automaton)| {
        let anchored = || automaton.find(Input::new(name).anchored(Anchored::Yes));
        let token = |m: aho_corasick::Match| part * TOKENS_PER_AUTOMATON + m.pattern().as_usize();
        match group_match {
            // The longest token that is a prefix is the name itself, if any is.
            GroupMatch::Equal => anchored().filter(|m| m.end() == name.len()).map(token),
            GroupMatch::LongestPrefix => anchored().map(token),
            GroupMatch::FirstSubstring => {
                automaton.find_overlapping_iter(name).map(token).min_by_key(first_group)
            }
        }
    });
    match group_match {
        GroupMatch::Equal => found.into_iter().next(),
        GroupMatch::LongestPrefix => found.max_by_key(|token| tokens[*token].0.len()),
        GroupMatch::FirstSubstring => found.min_by_key(first_group),
    }
}

/// The token that the name finds, by comparing all of them.
fn compare(tokens: &Tokens<'_>, name: &[u8], group_match: GroupMatch) -> Option<usize> {
    let is_prefix = |token: &[u8], name: &[u8]| {
        token.len() <= name.len() && name[..token.len()].eq_ignore_ascii_case(token)
    };
    let mut found = tokens.iter().enumerate().filter(|(_, (token, _))| match group_match {
        GroupMatch::Equal => token.eq_ignore_ascii_case(name),
        GroupMatch::LongestPrefix => is_prefix(token, name),
        GroupMatch::FirstSubstring => (0..=name.len()).any(|at| is_prefix(token, &name[at..])),
    });
    let token = match group_match {
        GroupMatch::Equal => found.next(),
        GroupMatch::LongestPrefix => found.max_by_key(|(_, (token, _))| token.len()),
        GroupMatch::FirstSubstring => found.min_by_key(|(_, (_, groups))| groups[0]),
    };
    token.map(|(token, _)| token)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATCHES: [GroupMatch; 3] =
        [GroupMatch::Equal, GroupMatch::LongestPrefix, GroupMatch::FirstSubstring];

    #[test]
    fn tokens() {
        let rfc = |value: &'static str| token(value.as_bytes(), TokenOctets::LettersDigits);
        assert_eq!(rfc("FooBot/2.1"), b"FooBot");
        assert_eq!(rfc("MJ12bot"), b"MJ12bot");
        assert_eq!(rfc("archive.org_bot"), b"archive.org_bot");
        assert_eq!(rfc("googlebot*"), b"googlebot");
        assert_eq!(token(b"MJ12bot", TokenOctets::Letters), b"MJ");
        assert_eq!(token(b"123", TokenOctets::Letters), b"");
        assert_eq!(token(b"Foo Bot /2", TokenOctets::UpToSlash), b"Foo Bot");
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

    /// The automata find what comparing finds.
    #[test]
    fn automata_equal_comparison() {
        let mut seed = 7u32;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % below
        };
        for round in 0..60 {
            let mut word = |max: u32| -> Vec<u8> {
                (0..random(max)).map(|_| b"aAbB-"[random(5) as usize]).collect()
            };
            let words: Vec<Vec<u8>> = (0..if round == 0 { 2000 } else { 20 })
                .map(|_| word(if round == 0 { 12 } else { 5 }))
                .collect();
            let lines = words.iter().zip(0..).map(|(w, g)| (Names::Token(&w[..]), g / 2));
            let index = TokenIndex::new(lines);
            for _ in 0..20 {
                let name = word(9);
                for group_match in MATCHES {
                    let automata = build_automata(&index.tokens, group_match);
                    assert_eq!(automata.len(), index.tokens.len().div_ceil(TOKENS_PER_AUTOMATON));
                    let searched = search(&automata, &index.tokens, &name, group_match);
                    let compared = compare(&index.tokens, &name, group_match);
                    // Several tokens may name the same first group.
                    let groups = |t: Option<usize>| t.map(|t| index.tokens[t].1[0]);
                    assert_eq!(groups(searched), groups(compared));
                    if group_match != GroupMatch::FirstSubstring {
                        assert_eq!(searched, compared);
                    }
                }
            }
        }
    }
}
