//! Which groups the crawlers that a file names obey, found once for all findings.

use std::collections::{BTreeSet, HashMap, HashSet};

use robotsieve::internals::{GroupNumbers, Names, POLICY_BYTES, RobotsInternals as _, Selected};
use robotsieve::{Crawler, Policy, Profile, Robots};

/// The groups that one crawler obeys.
#[derive(Default)]
struct Groups {
    numbers: GroupNumbers,
    /// True if one of them has rules, be they empty.
    have_rules: bool,
}

/// The groups that each crawler obeys: one for each product token of the file, and one that no
/// user-agent line names.
pub(super) struct Obeyed {
    profile: Profile,
    everybody: Groups,
    /// By token in lower case.
    by_token: HashMap<Vec<u8>, Groups>,
    nobody: Groups,
}

impl Obeyed {
    pub(super) fn of(robots: &Robots<'_>, file: &[u8]) -> Obeyed {
        let groups = robots.groups();
        let with_rules: Vec<bool> =
            (0..groups.count()).map(|group| !groups.rules(group).is_empty()).collect();
        let of = |selected: &Selected| Groups {
            numbers: GroupNumbers::from_slice(selected.groups()),
            have_rules: selected.groups().iter().any(|group| with_rules[*group as usize]),
        };
        let mut by_token = HashMap::new();
        for (_, span, _) in groups.agent_lines() {
            if let Names::Token(token) = Names::of(&file[span], robots.profile()) {
                by_token
                    .entry(token.to_ascii_lowercase())
                    .or_insert_with(|| of(&groups.select(&Crawler::name(token))));
            }
        }
        let everybody = of(&groups.select_everybody());
        Obeyed { profile: *robots.profile(), everybody, by_token, nobody: Groups::default() }
    }

    fn groups(&self, value: &[u8]) -> &Groups {
        match Names::of(value, &self.profile) {
            Names::Everybody => &self.everybody,
            Names::Token(token) => {
                self.by_token.get(&token.to_ascii_lowercase()).unwrap_or(&self.nobody)
            }
            Names::Nobody => &self.nobody,
        }
    }

    /// The groups that a crawler obeys if the value of a user-agent line of the file names it, in
    /// the order of the file.
    pub(super) fn by(&self, value: &[u8]) -> &[u32] {
        &self.groups(value).numbers
    }

    /// The groups of a crawler that no user-agent line names.
    pub(super) fn everybody(&self) -> &[u32] {
        &self.everybody.numbers
    }

    /// Returns true if one of these groups has rules.
    pub(super) fn have_rules(&self, value: &[u8]) -> bool {
        self.groups(value).have_rules
    }

    /// The groups that at least one crawler obeys.
    pub(super) fn reached(&self) -> HashSet<u32> {
        // No crawler has an empty name.
        let named = self.by_token.iter().filter(|(token, _)| !token.is_empty());
        let all = named.map(|(_, groups)| groups).chain([&self.everybody]);
        all.flat_map(|groups| &groups.numbers).copied().collect()
    }

    /// The policies of all crawlers, each once.
    pub(super) fn policies(&self, robots: &Robots<'_>) -> Policies {
        let all = self.by_token.values().chain([&self.everybody]);
        let all: BTreeSet<&GroupNumbers> = all.map(|groups| &groups.numbers).collect();
        let mut policies = Policies::default();
        let mut room = POLICY_BYTES;
        for groups in all.into_iter().filter(|groups| !groups.is_empty()) {
            match robots.policy_within(&Selected::Named(groups.clone()), &mut room) {
                Some(policy) => {
                    policies.by_groups.insert(groups.clone(), policies.all.len());
                    policies.all.push(policy);
                }
                None => policies.left_out.extend(groups),
            }
        }
        policies
    }
}

/// The policies of a file.
#[derive(Default)]
pub(super) struct Policies {
    pub(super) all: Vec<Policy>,
    /// Their numbers.
    by_groups: HashMap<GroupNumbers, usize>,
    /// The groups of those that did not fit the budget.
    pub(super) left_out: HashSet<u32>,
}

impl Policies {
    /// The policy of the crawlers that obey these groups, if there are any and it fits the budget.
    pub(super) fn of(&self, groups: &[u32]) -> Option<&Policy> {
        self.by_groups.get(groups).map(|number| &self.all[*number])
    }
}
