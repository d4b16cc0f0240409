//! Compares two files for many crawlers at once.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use robotsieve::internals::{POLICY_BYTES, PolicyInternals as _, RobotsInternals as _, Selected};
use robotsieve::{Crawler, Policy, Robots};

use super::limits::Limits;
use super::policies::{Comparisons, Difference, Unproven};
use super::records::{RecordChanges, records};

/// Crawlers for which the same changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedCrawlers<C> {
    /// The crawlers. The old file has one policy for all of them, and so has the new file.
    pub crawlers: Vec<C>,
    /// The changes for them.
    pub difference: Difference,
}

/// The labels must be text or bytes.
impl<C: AsRef<[u8]>> serde::Serialize for ComparedCrawlers<C> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use robotsieve::internals::bytes_as_text::BytesAsText;
        use serde::ser::SerializeStruct;
        let crawlers: Vec<_> = self.crawlers.iter().map(|c| BytesAsText(c.as_ref())).collect();
        let mut out = serializer.serialize_struct("ComparedCrawlers", 2)?;
        out.serialize_field("crawlers", &crawlers)?;
        out.serialize_field("difference", &self.difference)?;
        out.end()
    }
}

/// The crawlers that either file names: `*` for any crawler that no group names, then the distinct
/// product tokens of the old file and of the new one, as first written.
#[must_use]
pub fn named_crawlers<'a>(old: &Robots<'a>, new: &Robots<'a>) -> Vec<(&'a [u8], Crawler)> {
    let mut known = HashSet::new();
    // A crawler without a name gets the groups for everybody.
    let mut all = vec![(&b"*"[..], Crawler::names([""; 0]))];
    for token in old.tokens().chain(new.tokens()).filter(|token| *token != b"*") {
        if known.insert(token.to_ascii_lowercase()) {
            all.push((token, Crawler::name(token)));
        }
    }
    all
}

/// The changes from one file to another.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(bound(serialize = "C: AsRef<[u8]>"))]
#[non_exhaustive]
pub struct ComparedFiles<C> {
    /// The changes in what crawlers may fetch. Crawlers with the same policies are grouped, in
    /// the order of the first of each group.
    pub crawlers: Vec<ComparedCrawlers<C>>,
    /// The changes in the other records: sitemaps, crawl delays and so on.
    pub records: Vec<RecordChanges<C>>,
}

impl<C> ComparedFiles<C> {
    /// Returns true if both files are proven to say the same to all the crawlers.
    pub fn is_equal(&self) -> bool {
        self.records.is_empty() && self.crawlers.iter().all(|same| same.difference.is_equal())
    }
}

/// Compares two files for the [`named_crawlers`]: what each may fetch, and the other records.
///
/// Every crawler is looked up by its token alone. Use [`crawlers`] for one that finds other groups by a
/// longer name or by several names.
#[must_use]
pub fn files<'a>(old: &Robots<'a>, new: &Robots<'a>, limits: &Limits) -> ComparedFiles<&'a [u8]> {
    let named = named_crawlers(old, new);
    ComparedFiles {
        crawlers: crawlers(old, new, named.clone(), limits),
        records: records(old, new, named, limits),
    }
}

/// Compares two files for these crawlers. Each comes with a label, which stands for it in the
/// result.
///
/// Crawlers with the same policies are grouped, in the order of the first of each group.
#[must_use]
pub fn crawlers<C>(
    old: &Robots<'_>,
    new: &Robots<'_>,
    crawlers: impl IntoIterator<Item = (C, Crawler)>,
    limits: &Limits,
) -> Vec<ComparedCrawlers<C>> {
    struct Same<C> {
        crawlers: Vec<C>,
        /// `None` if they don't fit the budget.
        policies: Option<[Policy; 2]>,
    }
    let mut all: Vec<Same<C>> = Vec::new();
    // Most crawlers share their groups, and others have policies with the same rules.
    let mut by_groups: HashMap<[Selected; 2], usize> = HashMap::new();
    let mut by_rules: HashMap<[u64; 2], Vec<usize>> = HashMap::new();
    let mut fingerprints: HashMap<usize, u64> = HashMap::new();
    let mut room = [POLICY_BYTES; 2];
    let everybody = [old.groups().select_everybody(), new.groups().select_everybody()];
    for (label, crawler) in crawlers {
        let mut selected =
            [old.groups().select_named(&crawler), new.groups().select_named(&crawler)];
        if let Some(number) = by_groups.get(&selected) {
            all[*number].crawlers.push(label);
            continue;
        }
        let known = selected.clone();
        for (selected, everybody) in selected.iter_mut().zip(&everybody) {
            if *selected == Selected::None {
                selected.clone_from(everybody);
            }
        }
        let of_old = old.policy_within(&selected[0], &mut room[0]);
        let of_new = new.policy_within(&selected[1], &mut room[1]);
        let policies = of_old.zip(of_new).map(|(old, new)| [old, new]);
        let mut same = None;
        let mut numbers = None;
        if let Some(policies) = &policies {
            let prints = [0, 1].map(|side: usize| {
                let policy = &policies[side];
                *fingerprints.entry(policy.address()).or_insert_with(|| fingerprint(policy))
            });
            let alike = by_rules.entry(prints).or_default();
            same = alike.iter().copied().find(|number| {
                let others = all[*number].policies.iter().flatten();
                policies.iter().zip(others).all(|(a, b)| a.is_same(b) || a.decides_like(b))
            });
            numbers = Some(alike);
        }
        let number = same.unwrap_or_else(|| {
            if let Some(numbers) = numbers {
                numbers.push(all.len());
            }
            all.push(Same { crawlers: Vec::new(), policies });
            all.len() - 1
        });
        all[number].crawlers.push(label);
        by_groups.insert(known, number);
    }
    // The smallest first, so that what they need is left for them.
    let mut order: Vec<usize> = (0..all.len()).collect();
    let size = |policy: &Policy| policy.rule_set().memory_usage();
    order.sort_by_key(|number| all[*number].policies.iter().flatten().map(size).sum::<usize>());
    let mut comparisons = Comparisons::new(limits, order.len());
    let mut differences: Vec<Option<Difference>> = vec![None; all.len()];
    for number in order {
        let compare = |[old, new]: &[Policy; 2]| comparisons.next(old, new);
        differences[number] = all[number].policies.as_ref().map(compare);
    }
    let too_much = Difference::Unknown { unproven: Unproven::Work, sampled: 0 };
    let all = all.into_iter().zip(differences);
    all.map(|(same, difference)| ComparedCrawlers {
        crawlers: same.crawlers,
        difference: difference.unwrap_or_else(|| too_much.clone()),
    })
    .collect()
}

/// A hash of the rules of a policy.
fn fingerprint(policy: &Policy) -> u64 {
    let mut hasher = DefaultHasher::new();
    for rule in policy.rules() {
        (rule.verdict, rule.pattern(), rule.anchored()).hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use robotsieve::Profile;
    use serde_json::{json, to_value};

    use super::*;

    #[test]
    fn serialised() {
        let old = Robots::parse(b"User-agent: a\nDisallow: /x", &Profile::ORIGINAL_1994);
        let new = Robots::parse(b"User-agent: b\nDisallow: /\xE9", &Profile::ORIGINAL_1994);
        let compared = files(&old, &new, &Limits::default());
        assert_eq!(to_value(&compared).unwrap()["records"], json!([]));
        let compared = compared.crawlers;
        let rule =
            |line: u32, value| json!({ "verdict": "disallow", "line": line, "value": value });
        let flip = |path, old, new| {
            json!({
                "path": path,
                "is_shortest": true,
                "extent": "from",
                "old": old,
                "new": new,
            })
        };
        let bytes = json!([47, 233]);
        let wanted = json!([
            { "crawlers": ["*"], "difference": "equal" },
            { "crawlers": ["a"], "difference": { "different": {
                "newly_disallowed": [],
                "newly_allowed": [flip(json!("/x"), rule(2, json!("/x")), json!(null))],
                "more_disallowed": 0,
                "more_allowed": 0,
                "unexamined": 0,
                "whole_site": null,
                "unproven": null,
            } } },
            { "crawlers": ["b"], "difference": { "different": {
                "newly_disallowed": [flip(bytes.clone(), json!(null), rule(2, bytes))],
                "newly_allowed": [],
                "more_disallowed": 0,
                "more_allowed": 0,
                "unexamined": 0,
                "whole_site": null,
                "unproven": null,
            } } },
        ]);
        let value = to_value(&compared).unwrap();
        assert_eq!(value, wanted);
        for (value, compared) in value.as_array().unwrap().iter().zip(&compared) {
            let difference = serde_json::from_value(value["difference"].clone()).unwrap();
            assert_eq!(compared.difference, difference);
        }
    }
}
