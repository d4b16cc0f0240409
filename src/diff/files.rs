//! From two files to the crawlers that they treat differently.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Difference, Limits, policies_within};
use crate::policy::Policy;
use crate::policy::robots::Robots;
use crate::read::crawler::Crawler;

/// What changed for some crawlers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CrawlersDifference<C> {
    /// The crawlers that get the same policies from both files.
    pub crawlers: Vec<C>,
    /// What changed for them.
    pub difference: Difference,
}

/// Every crawler that either file knows: `*` for those that no group names, then the distinct
/// product tokens of the old file and of the new one, as first written there.
pub fn named_crawlers<'a>(old: &Robots<'a>, new: &Robots<'a>) -> Vec<(&'a [u8], Crawler)> {
    let mut known = HashSet::new();
    // No name: the groups for everybody.
    let mut all = vec![(&b"*"[..], Crawler::names([""; 0]))];
    for token in old.tokens().chain(new.tokens()).filter(|token| *token != b"*") {
        if known.insert(token.to_ascii_lowercase()) {
            all.push((token, Crawler::name(token)));
        }
    }
    all
}

/// What changed from one file to another, for the [`named_crawlers`].
///
/// Crawlers that get the same policies from both files stand together, in the order of the first
/// of them. A crawler is asked for by its token alone: one that finds several groups by a longer
/// name or by several names is a matter for [`crawlers`].
pub fn files<'a>(
    old: &Robots<'a>,
    new: &Robots<'a>,
    limits: &Limits,
) -> Vec<CrawlersDifference<&'a [u8]>> {
    crawlers(old, new, named_crawlers(old, new), limits)
}

/// What changed from one file to another for these crawlers, each given with what it is called
/// in the result. Crawlers that get the same policies from both files stand together, in the
/// order of the first of them.
pub fn crawlers<C>(
    old: &Robots<'_>,
    new: &Robots<'_>,
    crawlers: impl IntoIterator<Item = (C, Crawler)>,
    limits: &Limits,
) -> Vec<CrawlersDifference<C>> {
    struct Same<C> {
        crawlers: Vec<C>,
        policies: [Policy; 2],
    }
    let mut all: Vec<Same<C>> = Vec::new();
    // Most crawlers share one policy; others have rules of the same meaning.
    let mut by_address: HashMap<[usize; 2], usize> = HashMap::new();
    let mut by_rules: HashMap<[u64; 2], Vec<usize>> = HashMap::new();
    for (called, crawler) in crawlers {
        let policies = [old.policy(&crawler), new.policy(&crawler)];
        let addresses = [0, 1].map(|side: usize| policies[side].address());
        if let Some(number) = by_address.get(&addresses) {
            all[*number].crawlers.push(called);
            continue;
        }
        let numbers =
            by_rules.entry([0, 1].map(|side: usize| fingerprint(&policies[side]))).or_default();
        let same = numbers.iter().copied().find(|number| {
            let known = &all[*number].policies;
            policies.iter().zip(known).all(|(a, b)| a.is_same(b) || a.decides_like(b))
        });
        let number = same.unwrap_or_else(|| {
            numbers.push(all.len());
            all.push(Same { crawlers: Vec::new(), policies });
            all.len() - 1
        });
        all[number].crawlers.push(called);
        by_address.insert(addresses, number);
    }
    let mut budget = limits.pairs.saturating_mul(4);
    let compare = |Same { crawlers, policies: [old, new] }| {
        let difference = policies_within(&old, &new, limits, &mut budget);
        CrawlersDifference { crawlers, difference }
    };
    all.into_iter().map(compare).collect()
}

/// A number that is the same for policies with the same rules.
fn fingerprint(policy: &Policy) -> u64 {
    let mut hasher = DefaultHasher::new();
    for rule in policy.rules() {
        (rule.verdict, rule.pattern(), rule.is_anchored()).hash(&mut hasher);
    }
    hasher.finish()
}
