//! From a crawler to its groups: an index over the product tokens of all groups.
//!
//! The index is one aho-corasick automaton over the distinct tokens of a file; a look-up is
//! one pass over the crawler's name, whatever the number of groups. A file with only a few
//! tokens needs none: comparing them costs less than building it.

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Anchored, Input, MatchKind, StartKind};
use smallvec::SmallVec;

use crate::crawler::Crawler;
use crate::profile::{GroupMatch, Profile, TokenOctets};

/// Group numbers, in the order of the file.
pub(crate) type GroupNumbers = SmallVec<[u32; 4]>;

/// Up to so many distinct tokens are compared one by one. Measured: an index over 8 tokens
/// takes some 4 µs to build, a comparison with 8 tokens some 20 ns.
const COMPARED_ONE_BY_ONE: usize = 8;

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
    automaton: OnceLock<Option<AhoCorasick>>,
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
        if lines_by_token.len() <= COMPARED_ONE_BY_ONE {
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
            for &group in self.named_by(name, profile.group_match) {
                add_group(&mut named, group);
            }
            if !named.is_empty() && !profile.merge_names {
                break;
            }
        }
        named.sort_unstable();
        let mut selected = match (named.is_empty(), self.everybody.is_empty()) {
            (false, _) => Selected::Named(named),
            (true, false) => Selected::Everybody(self.everybody.clone()),
            (true, true) => Selected::None,
        };
        if let Selected::Named(groups) | Selected::Everybody(groups) = &mut selected {
            if !profile.merge_groups {
                groups.truncate(1);
            }
        }
        selected
    }

    fn named_by(&self, name: &[u8], group_match: GroupMatch) -> &[u32] {
        let name = match group_match {
            GroupMatch::FirstSubstring => token(name, TokenOctets::UpToSlash),
            GroupMatch::Equal | GroupMatch::LongestPrefix => name,
        };
        let found = match self.automaton(group_match) {
            Some(automaton) => search(automaton, &self.tokens, name, group_match),
            None => compare(&self.tokens, name, group_match),
        };
        found.map_or(&[], |token| &self.tokens[token].1)
    }

    fn automaton(&self, group_match: GroupMatch) -> Option<&AhoCorasick> {
        if self.tokens.len() <= COMPARED_ONE_BY_ONE {
            return None;
        }
        let build = || build_automaton(&self.tokens, group_match);
        self.automaton.get_or_init(build).as_ref()
    }
}

fn add_group(groups: &mut GroupNumbers, group: u32) {
    if !groups.contains(&group) {
        groups.push(group);
    }
}

type Tokens<'a> = [(&'a [u8], GroupNumbers)];

/// `None` where the tokens are more than an automaton takes: then they are compared.
fn build_automaton(tokens: &Tokens<'_>, group_match: GroupMatch) -> Option<AhoCorasick> {
    let (match_kind, start_kind) = match group_match {
        GroupMatch::Equal | GroupMatch::LongestPrefix => {
            (MatchKind::LeftmostLongest, StartKind::Anchored)
        }
        GroupMatch::FirstSubstring => (MatchKind::Standard, StartKind::Unanchored),
    };
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::NoncontiguousNFA))
        .match_kind(match_kind)
        .start_kind(start_kind)
        .ascii_case_insensitive(true)
        .prefilter(false)
        .build(tokens.iter().map(|(token, _)| token))
        .ok()
}

/// The token that the name finds, by one pass over the name.
fn search(
    automaton: &AhoCorasick,
    tokens: &Tokens<'_>,
    name: &[u8],
    group_match: GroupMatch,
) -> Option<usize> {
    let anchored = Input::new(name).anchored(Anchored::Yes);
    match group_match {
        // The longest token that is a prefix is the name itself, if any is.
        GroupMatch::Equal => {
            automaton.find(anchored).filter(|m| m.end() == name.len()).map(|m| m.pattern())
        }
        GroupMatch::LongestPrefix => automaton.find(anchored).map(|m| m.pattern()),
        GroupMatch::FirstSubstring => automaton
            .find_overlapping_iter(name)
            .map(|m| m.pattern())
            .min_by_key(|token| tokens[token.as_usize()].1[0]),
    }
    .map(|token| token.as_usize())
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

    /// The automaton finds what comparing finds.
    #[test]
    fn automaton_equals_comparison() {
        let mut seed = 7u32;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % below
        };
        for _ in 0..300 {
            let mut word = |max: u32| -> Vec<u8> {
                (0..random(max)).map(|_| b"aAbB-"[random(5) as usize]).collect()
            };
            let words: Vec<Vec<u8>> = (0..20).map(|_| word(5)).collect();
            let lines = words.iter().zip(0..).map(|(w, g)| (Names::Token(&w[..]), g / 2));
            let index = TokenIndex::new(lines);
            for _ in 0..20 {
                let name = word(9);
                for group_match in MATCHES {
                    let automaton = build_automaton(&index.tokens, group_match).unwrap();
                    let searched = search(&automaton, &index.tokens, &name, group_match);
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
