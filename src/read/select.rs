//! From a crawler to its groups.
//!
//! A look-up compares the crawler's names with all user-agent lines, one by one. Once a file with
//! many such lines has been asked for many crawlers, [`Lookups`] builds an index: an aho-corasick
//! automaton over the distinct product tokens. From then on a look-up is one pass over the
//! crawler's name, whatever the number of groups.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use aho_corasick::automaton::Automaton;
use aho_corasick::nfa::noncontiguous::NFA;
use aho_corasick::{Anchored, Input, MatchKind};
use smallvec::SmallVec;

use crate::profile::{GroupMatch, Profile, TokenBytes};
use crate::read::crawler::Crawler;
use crate::read::token::{Names, looked_up};

/// Group numbers, in the order of the file.
pub type GroupNumbers = SmallVec<[u32; 4]>;

/// Up to this many user-agent lines are always compared one by one: most take a look at one byte.
const COMPARED_LINES: usize = 16;

/// This many look-ups compare the lines one by one before the index is built. Measured: comparing
/// a line takes 3 ns, adding it to the index about 250 ns. A long name counts more often.
const COMPARED_LOOKUPS: u32 = 64;

/// The bytes of a name that make it count once more.
const BYTES_PER_LOOKUP: usize = 64;

/// The tokens of one automaton. A file with more has several automata, each with its own pass:
/// aho-corasick takes quadratic time to build one (10,000 tokens: 200 ms), because it moves the
/// states that match to the front.
const TOKENS_PER_AUTOMATON: usize = 512;

/// The groups that a crawler obeys.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Selected {
    /// No group is for it: everything is allowed.
    None,
    /// The groups that name it.
    Named(GroupNumbers),
    /// No group names it, so those for everybody count.
    Everybody(GroupNumbers),
}

impl Selected {
    pub fn groups(&self) -> &[u32] {
        match self {
            Selected::None => &[],
            Selected::Named(groups) | Selected::Everybody(groups) => groups,
        }
    }

    /// Chooses between the groups that name a crawler and those for everybody, both in the order
    /// of the file.
    pub fn of(
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

/// Finds the groups of crawlers: by comparison, or by an index once that pays.
#[derive(Debug, Default)]
pub struct Lookups<'a> {
    count: AtomicU32,
    index: OnceLock<TokenIndex<'a>>,
}

impl<'a> Lookups<'a> {
    /// The groups that name a crawler. `lines` are the value and group of each user-agent line, in
    /// the order of the file and the same in every call.
    pub fn named(
        &self,
        lines: impl ExactSizeIterator<Item = (&'a [u8], u32)> + Clone,
        crawler: &Crawler,
        profile: &Profile,
    ) -> GroupNumbers {
        if lines.len() <= COMPARED_LINES || self.counts_as_few(crawler) {
            return compare_lines(lines, crawler, profile);
        }
        let index = self.index.get_or_init(|| {
            let names = lines.map(|(value, group)| (Names::of(value, profile), group));
            TokenIndex::new(names, profile.group_match)
        });
        index.named(crawler, profile)
    }

    /// Counts a look-up, and says whether there were only few so far.
    fn counts_as_few(&self, crawler: &Crawler) -> bool {
        // Relaxed: at worst the index is built a look-up later.
        if self.count.load(Ordering::Relaxed) >= COMPARED_LOOKUPS {
            return false;
        }
        let bytes: usize = crawler.iter().map(<[u8]>::len).sum();
        let weight = (1 + bytes / BYTES_PER_LOOKUP).min(COMPARED_LOOKUPS as usize + 1) as u32;
        self.count.fetch_add(weight, Ordering::Relaxed) + weight <= COMPARED_LOOKUPS
    }
}

/// The groups that name a crawler, found by comparing all user-agent lines.
fn compare_lines<'a>(
    lines: impl Iterator<Item = (&'a [u8], u32)> + Clone,
    crawler: &Crawler,
    profile: &Profile,
) -> GroupNumbers {
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
        if !named.is_empty() && !crawler.merges_names(profile) {
            break;
        }
    }
    if names > 1 {
        named.sort_unstable();
        named.dedup();
    }
    named
}

/// The token of a user-agent line's value, if the name finds it. `name` is what [`looked_up`]
/// returned.
#[inline]
pub fn token_for<'a>(value: &'a [u8], name: &[u8], profile: &Profile) -> Option<&'a [u8]> {
    // Most lines are ruled out by one byte: a token that equals the name or is a prefix of it
    // begins with the same byte. An empty token has no first byte, and one that ends at a slash
    // may come after white space.
    let lower = |text: &[u8]| text.first().map(u8::to_ascii_lowercase);
    let begins = match profile.group_match {
        GroupMatch::Equal => !name.is_empty(),
        GroupMatch::LongestPrefix => !profile.empty_token_names_empty,
        GroupMatch::FirstSubstring => false,
    };
    if begins && profile.token_bytes != TokenBytes::UpToSlash && lower(value) != lower(name) {
        return None;
    }
    // A token that is longer than the name is not looked at to its end.
    let value = match profile.token_bytes {
        TokenBytes::UpToSlash => value,
        _ => &value[..value.len().min(name.len() + 2)],
    };
    match Names::of(value, profile) {
        Names::Token(token) if finds(name, token, profile.group_match) => Some(token),
        _ => None,
    }
}

/// Returns true if a name that [`looked_up`] returned finds a token, if no other token fits better.
fn finds(name: &[u8], token: &[u8], group_match: GroupMatch) -> bool {
    let is_prefix =
        |name: &[u8]| token.len() <= name.len() && name[..token.len()].eq_ignore_ascii_case(token);
    match group_match {
        _ if token.len() > name.len() => false,
        GroupMatch::Equal => token.eq_ignore_ascii_case(name),
        GroupMatch::LongestPrefix => is_prefix(name),
        // Linear, where the product of both lengths would be much.
        GroupMatch::FirstSubstring if name.len() > BYTES_PER_LOOKUP => {
            let [name, token] = [name, token].map(<[u8]>::to_ascii_lowercase);
            memchr::memmem::find(&name, &token).is_some()
        }
        GroupMatch::FirstSubstring => (0..=name.len()).any(|at| is_prefix(&name[at..])),
    }
}

/// The tokens of a file with the groups that they name.
#[derive(Debug, Default)]
struct TokenIndex<'a> {
    /// Distinct apart from ASCII case, in the order of their first lines.
    tokens: Vec<(&'a [u8], GroupNumbers)>,
    /// One for each [`TOKENS_PER_AUTOMATON`] tokens, in their order.
    automata: Vec<NFA>,
}

impl<'a> TokenIndex<'a> {
    /// Builds the index of `lines`, which are in the order of the file.
    fn new(
        lines: impl Iterator<Item = (Names<'a>, u32)>,
        group_match: GroupMatch,
    ) -> TokenIndex<'a> {
        let mut index = TokenIndex::default();
        let mut lines_by_token: Vec<(&[u8], u32)> = Vec::new();
        for (names, group) in lines {
            if let Names::Token(token) = names {
                lines_by_token.push((token, group));
            }
        }
        // Sort by token, keeping the order of the file within each; then sort tokens by their
        // first line.
        let mut order: Vec<(Vec<u8>, u32)> = lines_by_token
            .iter()
            .zip(0..)
            .map(|((token, _), line)| (token.to_ascii_lowercase(), line))
            .collect();
        order.sort_unstable();
        let mut firsts: Vec<(Vec<u8>, u32)> = Vec::new();
        let mut groups: Vec<GroupNumbers> = Vec::new();
        for (lower, line) in order {
            let group = lines_by_token[line as usize].1;
            match (firsts.last(), groups.last_mut()) {
                (Some((last, _)), Some(groups)) if *last == lower => add_group(groups, group),
                _ => {
                    firsts.push((lower, line));
                    groups.push(GroupNumbers::from_slice(&[group]));
                }
            }
        }
        let mut by_line: Vec<usize> = (0..firsts.len()).collect();
        by_line.sort_unstable_by_key(|at| firsts[*at].1);
        for at in by_line {
            let token = lines_by_token[firsts[at].1 as usize].0;
            index.tokens.push((token, std::mem::take(&mut groups[at])));
        }
        index.automata = build_automata(&index.tokens, group_match);
        index
    }

    /// The groups that name a crawler.
    fn named(&self, crawler: &Crawler, profile: &Profile) -> GroupNumbers {
        let mut named = GroupNumbers::new();
        for name in crawler.iter() {
            let name = looked_up(name, profile.group_match);
            if let Some(token) = search(&self.automata, &self.tokens, name, profile.group_match) {
                named.extend_from_slice(&self.tokens[token].1);
            }
            if !named.is_empty() && !crawler.merges_names(profile) {
                break;
            }
        }
        named.sort_unstable();
        named.dedup();
        named
    }
}

/// Adds a group that is not before the last one; not twice.
fn add_group(groups: &mut GroupNumbers, group: u32) {
    if groups.last() != Some(&group) {
        groups.push(group);
    }
}

type Tokens<'a> = [(&'a [u8], GroupNumbers)];

fn build_automata(tokens: &Tokens<'_>, group_match: GroupMatch) -> Vec<NFA> {
    let match_kind = match group_match {
        GroupMatch::Equal | GroupMatch::LongestPrefix => MatchKind::LeftmostLongest,
        GroupMatch::FirstSubstring => MatchKind::Standard,
    };
    let mut builder = NFA::builder();
    builder.match_kind(match_kind).ascii_case_insensitive(true).prefilter(false);
    // Building fails only above 2³¹ bytes, which 512 tokens of a file do not have in practice.
    let build = |part: &Tokens<'_>| builder.build(part.iter().map(|(token, _)| token));
    tokens.chunks(TOKENS_PER_AUTOMATON).filter_map(|part| build(part).ok()).collect()
}

/// The token that the name finds: one pass over the name for each automaton.
fn search(
    automata: &[NFA],
    tokens: &Tokens<'_>,
    name: &[u8],
    group_match: GroupMatch,
) -> Option<usize> {
    let parts = tokens.chunks(TOKENS_PER_AUTOMATON);
    let mut found =
        automata.iter().zip(parts).enumerate().filter_map(|(part, (automaton, tokens))| {
            let anchored = || automaton.try_find(&Input::new(name).anchored(Anchored::Yes)).ok()?;
            let pattern = |m: aho_corasick::Match| m.pattern().as_usize();
            let found = match group_match {
                // If the name itself is a token, it is the longest prefix.
                GroupMatch::Equal => anchored().filter(|m| m.end() == name.len()).map(pattern),
                GroupMatch::LongestPrefix => anchored().map(pattern),
                GroupMatch::FirstSubstring => first_within(automaton, tokens, name),
            };
            Some(part * TOKENS_PER_AUTOMATON + found?)
        });
    match group_match {
        // The one whose first line comes first.
        GroupMatch::Equal | GroupMatch::FirstSubstring => found.next(),
        GroupMatch::LongestPrefix => found.max_by_key(|token| tokens[*token].0.len()),
    }
}

/// The first token of an automaton that the name contains.
fn first_within(automaton: &NFA, tokens: &Tokens<'_>, name: &[u8]) -> Option<usize> {
    // Of tokens that are each the end of the next, many end at each byte.
    let most = 4 * name.len() + 16;
    let mut first = None;
    // It fails only for automata of other kinds of matches.
    let all = automaton.try_find_overlapping_iter(Input::new(name)).ok()?;
    for (count, found) in all.enumerate() {
        if count == most {
            let name = name.to_ascii_lowercase();
            let is_within = |(token, _): &(&[u8], GroupNumbers)| {
                token.len() <= name.len()
                    && memchr::memmem::find(&name, &token.to_ascii_lowercase()).is_some()
            };
            return tokens.iter().position(is_within);
        }
        let token = found.pattern().as_usize();
        first = Some(first.map_or(token, |first: usize| first.min(token)));
        if first == Some(0) {
            break;
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of nested tokens so many end at each byte of a name that they are tried one by one.
    #[test]
    fn nested_tokens() {
        let lens = (1..=60).rev();
        let values: Vec<String> = lens.map(|len| "a".repeat(len)).collect();
        let lines = || values.iter().zip(0..).map(|(value, group)| (value.as_bytes(), group));
        let profile = Profile::ORIGINAL_1994;
        let names = lines().map(|(value, group)| (Names::of(value, &profile), group));
        let index = TokenIndex::new(names, profile.group_match);
        for len in [0, 1, 5, 59, 60, 61, 200] {
            let crawler = Crawler::name("A".repeat(len));
            let compared = compare_lines(lines(), &crawler, &profile);
            assert_eq!(index.named(&crawler, &profile), compared, "{len}");
        }
    }

    const MATCHES: [GroupMatch; 3] =
        [GroupMatch::Equal, GroupMatch::LongestPrefix, GroupMatch::FirstSubstring];

    /// The index and the comparison find the same groups.
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
                for asked in 0..40 {
                    // Long names are compared in another way.
                    let len = if asked % 8 == 0 { 200 } else { 9 };
                    let crawler = Crawler::names((0..1 + round % 3).map(|_| word(len)));
                    let compared = compare_lines(lines(), &crawler, &profile);
                    assert_eq!(index.named(&crawler, &profile), compared, "{crawler:?}");
                }
            }
        }
    }
}
