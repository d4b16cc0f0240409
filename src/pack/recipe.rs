//! From a robots.txt to the bodies of its records: what a writer puts into a pack.

use std::collections::HashMap;
use std::sync::Arc;

use crate::policy::Policy;
use crate::policy::config::Config;
use crate::policy::content::ContentKeys;
use crate::policy::robots::Robots;
use crate::policy::sitemaps::Sitemaps;
use crate::profile::Profile;
use crate::read::crawler::Crawler;
use crate::read::utf16::text_of;
use crate::sites::compiled::{Policies, table_body};
use crate::sites::layout::{HAS_PACE, KIND_RULES};
use crate::sites::pace;

use super::format::{KIND_EXPLAIN, KIND_SITEMAPS};
use super::take::put_len;

/// How to pack robots.txt files: the profile, the crawlers, and the configuration. Returned by
/// [`Writer::recipe`](crate::pack::Writer::recipe). Cheap to clone, so that each thread that packs can have one.
#[derive(Clone, Debug)]
pub struct Recipe(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    profile: Profile,
    crawlers: Vec<Crawler>,
    config: Config,
    keys: ContentKeys,
}

/// A robots.txt, compiled for all crawlers of a pack. Returned by [`Recipe::pack`].
#[derive(Clone, Debug)]
pub struct Packed {
    content: u128,
    /// The different policies.
    pub(super) policies: Vec<PackedParts>,
    /// For each crawler the index of its policy.
    pub(super) columns: Vec<usize>,
    /// The body of the record of its sitemaps. Empty if there are none, or if they are not kept.
    pub(super) sitemaps: Vec<u8>,
    /// The record of its rights, without its kind. `None` if it was packed without them.
    pub(super) rights: Option<Vec<u8>>,
}

/// The bodies of a policy's records.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PackedParts {
    pub(super) policy: Vec<u8>,
    /// The rules of a policy that has a table. Empty if they are not kept.
    pub(super) rules: Vec<u8>,
}

/// The body of a record of this kind. Empty if it says nothing.
pub(super) fn body_of(kind: u8, text: &[u8]) -> Vec<u8> {
    if text.is_empty() { Vec::new() } else { [&[kind], text].concat() }
}

impl Packed {
    pub(super) fn new<'s>(
        content: u128,
        policies: Vec<PackedParts>,
        columns: Vec<usize>,
        sitemaps: impl Iterator<Item = &'s [u8]>,
    ) -> Packed {
        let sitemaps = body_of(KIND_SITEMAPS, Sitemaps::of(sitemaps).text());
        Packed { content, policies, columns, sitemaps, rights: None }
    }

    /// The [`Recipe::content`] of the file.
    pub fn content(&self) -> u128 {
        self.content
    }

    /// The same under another number, which tells it apart from a file of the same bytes.
    #[must_use]
    pub fn with_content(self, content: u128) -> Packed {
        Packed { content, ..self }
    }
}

impl Recipe {
    pub(super) fn new(profile: Profile, crawlers: Vec<Crawler>, config: Config) -> Recipe {
        Recipe(Arc::new(Parts { profile, crawlers, config, keys: ContentKeys::default() }))
    }

    pub(super) fn profile(&self) -> &Profile {
        &self.0.profile
    }

    /// Parses a file and compiles its policies for all crawlers. Several threads can do this at the
    /// same time.
    ///
    /// A pack that keeps rights ([`Config::keep_rights`]) takes files from
    /// [`Recipe::pack_with_rights`] only.
    #[must_use]
    pub fn pack(&self, file: &[u8]) -> Packed {
        self.packed(file, |_, _| None)
    }

    /// The same, for a pack that keeps rights. `rights` makes of a file what it says of rights to each
    /// crawler of the pack, in bytes that the pack keeps and does not read: `robotsieve_rights::packed::record`
    /// does. No bytes mean that it says nothing.
    #[must_use]
    pub fn pack_with_rights(
        &self,
        file: &[u8],
        rights: impl FnOnce(&Robots<'_>, &[Crawler]) -> Vec<u8>,
    ) -> Packed {
        self.packed(file, |robots, crawlers| Some(rights(robots, crawlers)))
    }

    fn packed(
        &self,
        file: &[u8],
        rights: impl FnOnce(&Robots<'_>, &[Crawler]) -> Option<Vec<u8>>,
    ) -> Packed {
        let parts = &*self.0;
        // `table_body` compiles the policies, nothing else does.
        let config = Config { build_after: Some(u32::MAX), keep_rules: true, ..parts.config };
        let file = &*text_of(file, &parts.profile);
        let robots = Robots::parse_with(file, &parts.profile, &config);
        let of_groups = Policies::of(&robots, &parts.crawlers);
        // Different groups often have equal rules.
        let mut numbers: HashMap<PackedParts, usize> = HashMap::new();
        let of_groups_to_number: Vec<usize> = of_groups
            .policies
            .iter()
            .map(|policy| {
                let next = numbers.len();
                *numbers.entry(parts_of(policy, parts.config.keep_rules)).or_insert(next)
            })
            .collect();
        let mut policies: Vec<(usize, PackedParts)> =
            numbers.into_iter().map(|(parts, number)| (number, parts)).collect();
        policies.sort_unstable_by_key(|(number, _)| *number);
        Packed {
            content: self.content(file),
            policies: policies.into_iter().map(|(_, parts)| parts).collect(),
            columns: of_groups.columns.iter().map(|of| of_groups_to_number[*of]).collect(),
            sitemaps: body_of(KIND_SITEMAPS, Sitemaps::kept(&robots).text()),
            rights: rights(&robots, &parts.crawlers),
        }
    }

    /// A hash that tells different files apart: two keyed hashes of 64 bits each, with random keys,
    /// so that nobody can make two files that are taken for one.
    pub fn content(&self, file: &[u8]) -> u128 {
        self.0.keys.of(file)
    }

    /// Returns true if the pack keeps rights, so that it takes files from [`Recipe::pack_with_rights`] only.
    pub fn keeps_rights(&self) -> bool {
        self.0.config.keep_rights
    }

    /// The crawlers of the pack.
    pub fn crawlers(&self) -> &[Crawler] {
        &self.0.crawlers
    }
}

/// Makes the bodies of a policy's records.
fn parts_of(policy: &Policy, keep_rules: bool) -> PackedParts {
    match table_body(policy) {
        Some(table) => PackedParts {
            policy: table,
            rules: if keep_rules { rules_body(policy) } else { Vec::new() },
        },
        None => PackedParts::of_rules(policy),
    }
}

/// The body of the rules of a policy that has a table.
pub(super) fn rules_body(policy: &Policy) -> Vec<u8> {
    let mut rules = vec![KIND_EXPLAIN];
    put_rules(policy, &mut rules);
    rules
}

impl PackedParts {
    /// Those of a policy that has no table.
    pub(super) fn of_rules(policy: &Policy) -> PackedParts {
        let pace = pace::bytes(policy.pace());
        let mut body = vec![KIND_RULES | if pace.is_empty() { 0 } else { HAS_PACE }];
        put_rules(policy, &mut body);
        body.extend_from_slice(&pace);
        PackedParts { policy: body, rules: Vec::new() }
    }
}

fn put_rules(policy: &Policy, body: &mut Vec<u8>) {
    body.extend(policy.empty_rule().unwrap_or(0).to_le_bytes());
    put_len(body, policy.group().count());
    for (line, value) in policy.group() {
        body.extend(line.to_le_bytes());
        put_len(body, value.len());
        body.extend_from_slice(value);
    }
    let rules = policy.rule_set();
    put_len(body, rules.len());
    for rule in rules.iter() {
        let pattern = rule.pattern.bytes;
        // Most values begin with the pattern that they are normalised to.
        let shared = rule.value.starts_with(pattern);
        body.extend(rule.line.to_le_bytes());
        body.extend(rule.precedence.to_le_bytes());
        let bits = [!rule.verdict.is_allow(), rule.pattern.anchored, shared];
        body.push(bits.iter().rev().fold(0, |bits, bit| bits << 1 | u8::from(*bit)));
        put_len(body, pattern.len());
        put_len(body, rule.value.len());
        if !shared {
            body.extend_from_slice(pattern);
        }
        body.extend_from_slice(rule.value);
    }
}
