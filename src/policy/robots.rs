//! [`Robots`]: a parsed file and the policies made from it.
//!
//! `read::groups` knows the file and nothing of policies; this module adds the configuration and
//! keeps the policies that were asked for. It is in `policy` because data flows from groups to
//! policies: in `read`, the parser would depend on everything after it.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::policy::config::Config;
use crate::policy::{Policy, Reading};
use crate::profile::Profile;
use crate::read::crawler::Crawler;
use crate::read::diagnostic::Diagnostic;
use crate::read::fields::{Pace, PaceKey};
use crate::read::groups::{Agent, Groups};
use crate::read::parse::{Extent, Field, Record};
use crate::read::select::{GroupNumbers, Selected};
use crate::rules::{RawRule, RuleSet};
use crate::verdict::Verdict;

/// The budget for the policies of all crawlers that a file names, in bytes of rules. A group that
/// many crawlers obey beside others is in the policy of each of them, so all policies together can
/// be as large as the square of the file.
pub const POLICY_BYTES: usize = 4 << 20;

/// Groups and pace. Nearly all policies have none, and a file's first one is found and kept without a hash.
type PolicyKey = (GroupNumbers, Option<Box<PaceKey>>);

/// A parsed robots.txt, borrowed from its bytes.
///
/// Parse once, then ask for as many crawlers as you like: crawlers that obey the same groups
/// share one [`Policy`]. Keep the policies and drop the `Robots`; a policy owns what it needs.
/// To judge one URL for one crawler and nothing more, [`is_allowed_once`](crate::is_allowed_once)
/// is cheaper.
///
/// Parsing takes any bytes and never fails; [`Robots::diagnostics`] reports what is odd about a
/// file. `O(n)`; allocates two lists for the whole file and nothing per record.
///
/// ```
/// use robotsieve::{Crawler, Profile, Robots};
///
/// let file = b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /private/";
/// let robots = Robots::parse(file, &Profile::RFC9309);
/// let policy = robots.policy(&Crawler::name("gptbot"));
/// assert!(!policy.is_allowed("https://example.com/")?);
/// // robots.txt itself may always be fetched (RFC 9309 §2.2.2).
/// assert!(policy.is_allowed("https://example.com/robots.txt")?);
/// # Ok::<(), robotsieve::InvalidUrl>(())
/// ```
pub struct Robots<'a> {
    groups: Groups<'a>,
    config: Config,
    /// By groups and pace. Those for verdicts alone have no pace.
    policies: Mutex<BTreeMap<PolicyKey, Policy>>,
}

impl<'a> Robots<'a> {
    /// Parses a file. Its policies get the default [`Config`]. Of a file that may be UTF-16, parse
    /// [`text_of`](crate::text_of): as bytes it has no rules.
    #[must_use]
    pub fn parse(file: &'a [u8], profile: &Profile) -> Robots<'a> {
        Robots::parse_with(file, profile, &Config::default())
    }

    /// Parses a file. Its policies are built with `config`.
    #[must_use]
    pub fn parse_with(file: &'a [u8], profile: &Profile, config: &Config) -> Robots<'a> {
        let groups = Groups::parse(file, profile);
        Robots { groups, config: *config, policies: Mutex::default() }
    }

    /// The profile that the file was parsed with.
    pub fn profile(&self) -> &Profile {
        self.groups.profile()
    }

    /// The part of the file that is read: without a byte order mark that the profile skips, and
    /// cut at the last whole line within the profile's
    /// [size limit](crate::Profile::size_limit).
    pub fn extent(&self) -> Range<usize> {
        let Extent { from, to } = self.groups.extent();
        from..to
    }

    /// All records in the order of the file: user-agent lines, rules and everything else,
    /// whether or not they belong to a group. Reads the file again.
    pub fn records(&self) -> impl Iterator<Item = Record<'a>> {
        self.groups.records()
    }

    /// The records that are neither user-agent lines nor rules: sitemaps, crawl delays and
    /// every other field. They never change a verdict. Reads the file again.
    ///
    /// [`Robots::typed_records`] reads their values.
    pub fn other_records(&self) -> impl Iterator<Item = Record<'a>> {
        self.records().filter(|record| matches!(record.field, Field::Sitemap | Field::Other))
    }

    /// The values of all `Sitemap` records as written. Sitemaps belong to no group. Reads the
    /// file again.
    pub fn sitemaps(&self) -> impl Iterator<Item = &'a [u8]> {
        let sitemaps = self.records().filter(|record| record.field == Field::Sitemap);
        sitemaps.map(|record| record.value)
    }

    /// The number of groups the file has.
    pub fn group_count(&self) -> usize {
        self.groups.count() as usize
    }

    /// The product tokens that the file's user-agent lines name, as written and in the order of
    /// the file, `*` included.
    pub fn tokens(&self) -> impl Iterator<Item = &'a [u8]> {
        self.groups.tokens()
    }

    /// The oddities of the file, in the order of its lines. Reads the file again.
    ///
    /// ```
    /// use robotsieve::{DiagnosticKind, Field, Profile, Robots};
    ///
    /// let robots = Robots::parse(b"User-agent: *\nDisalow: /private/", &Profile::RFC9309);
    /// let diagnostics = robots.diagnostics();
    /// assert_eq!(diagnostics[0].line, 2);
    /// assert_eq!(diagnostics[0].kind, DiagnosticKind::MisspeltField { likely: Field::Disallow });
    /// // google/robotstxt reads the line as a rule.
    /// let google = Robots::parse(b"User-agent: *\nDisalow: /private/", &Profile::GOOGLE);
    /// let kind = google.diagnostics()[0].kind;
    /// assert_eq!(kind, DiagnosticKind::MisspellingAccepted { field: Field::Disallow });
    /// ```
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.groups.diagnostics()
    }

    /// The policy for a crawler.
    ///
    /// The first call for a crawler's groups collects their rules, `O(rules)`; later calls for
    /// the same groups return the same policy. Nothing is compiled until that pays
    /// ([`Config::build_after`]).
    ///
    /// ```
    /// use robotsieve::{Profile, Robots};
    ///
    /// let file = b"User-agent: a\nUser-agent: b\nDisallow: /x";
    /// let robots = Robots::parse(file, &Profile::RFC9309);
    /// assert!(robots.policy(&"a".into()).is_same(&robots.policy(&"B".into())));
    /// // No group names c and there is no `*` group: c may fetch everything.
    /// assert_eq!(robots.policy(&"c".into()).is_allowed("/x"), Ok(true));
    /// ```
    pub fn policy(&self, crawler: &Crawler) -> Policy {
        self.policy_at(&self.groups.select(crawler), self.pace(crawler))
    }

    /// The pace that the site asks of a crawler: that of its [policy](Policy::pace), without
    /// collecting the rules. Does not read the file again.
    pub fn pace(&self, crawler: &Crawler) -> Pace {
        self.pace_of(&self.runs_of(crawler))
    }

    /// The runs of a crawler. None if the file asks nobody for a pace, so that crawlers with the same
    /// groups share a policy.
    fn runs_of(&self, crawler: &Crawler) -> GroupNumbers {
        let has_pace = self.groups.has_pace();
        if has_pace { self.groups.runs_of(crawler) } else { GroupNumbers::new() }
    }

    fn pace_of(&self, runs: &[u32]) -> Pace {
        let mut pace = self.groups.pace(runs);
        if self.config.inherit_pace && pace.is_none() && !runs.is_empty() {
            pace = self.groups.pace_of_everybody();
        }
        let most = self.config.skip_above;
        pace.left_alone = most.is_some() && pace.min_interval() > most;
        pace.within(self.config.max_interval)
    }

    /// How its policies are built.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// The user-agent lines of the groups that a crawler obeys: line, 1-based, and value as
    /// written. Empty if no group is for it.
    pub fn group_of(&self, crawler: &Crawler) -> Vec<(u32, &'a [u8])> {
        let selected = self.groups.select(crawler);
        self.agents(&selected).map(|agent| (agent.line, self.groups.agent_value(agent))).collect()
    }

    /// The file with its groups.
    pub(crate) fn groups(&self) -> &Groups<'a> {
        &self.groups
    }

    /// The policy for a crawler, with its rules even if the configuration does not keep them.
    pub(crate) fn policy_with_rules(&self, crawler: &Crawler) -> Policy {
        if self.config.keep_rules {
            return self.policy(crawler);
        }
        let config = Config { keep_rules: true, ..self.config };
        self.new_policy(&self.groups.select(crawler), self.pace(crawler), &config)
    }

    /// The policy for a crawler with the rules of the file, even for a site that it leaves alone.
    pub(crate) fn policy_as_written(&self, crawler: &Crawler) -> Policy {
        let config = Config { keep_rules: true, ..self.config };
        self.new_policy(&self.groups.select(crawler), Pace::NONE, &config)
    }

    /// The policy of these groups, without a pace, if it fits into what is left of [`POLICY_BYTES`]. One that is
    /// known costs nothing.
    pub(crate) fn policy_within(&self, selected: &Selected, room: &mut usize) -> Option<Policy> {
        let groups = selected.groups();
        let is_known = || {
            let policies = self.policies.lock().unwrap_or_else(PoisonError::into_inner);
            policies.contains_key(&(GroupNumbers::from_slice(groups), None))
        };
        let bytes = groups.iter().map(|group| self.groups.bytes(*group)).sum();
        if *room < bytes && !is_known() {
            return None;
        }
        *room = room.saturating_sub(bytes);
        Some(self.policy_of(selected))
    }

    /// The policy for selected groups, without a pace: for verdicts.
    pub(crate) fn policy_of(&self, selected: &Selected) -> Policy {
        self.policy_at(selected, Pace::NONE)
    }

    fn policy_at(&self, selected: &Selected, pace: Pace) -> Policy {
        let mut policies = self.policies.lock().unwrap_or_else(PoisonError::into_inner);
        let pace_key = (!pace.is_none()).then(|| Box::new(pace.key()));
        let key = (GroupNumbers::from_slice(selected.groups()), pace_key);
        if let Some(policy) = policies.get(&key) {
            return policy.clone();
        }
        let policy = self.new_policy(selected, pace, &self.config);
        policies.insert(key, policy.clone());
        policy
    }

    fn agents<'s>(&'s self, selected: &'s Selected) -> impl Iterator<Item = &'s Agent> + Clone {
        selected.groups().iter().flat_map(|&group| self.groups.agents(group))
    }

    fn new_policy(&self, selected: &Selected, pace: Pace, config: &Config) -> Policy {
        let profile = self.groups.profile();
        let rules = || selected.groups().iter().flat_map(|&group| self.groups.rules(group));
        let mut rule_set = RuleSet::new(
            rules().filter(|rule| !rule.is_empty()).map(|rule| RawRule {
                line: rule.line,
                verdict: rule.verdict,
                value: self.groups.rule_value(rule),
            }),
            profile,
        );
        let mut empty_rule = rules().find(|rule| rule.is_empty()).map(|rule| rule.line);
        let agents = self.agents(selected);
        if pace.left_alone {
            // Sets and packs keep what the rules are compiled to, so it is these that say no.
            let line = agents.clone().next().map_or(1, |agent| agent.line);
            let nothing = RawRule { line, verdict: Verdict::Disallow, value: b"/" };
            (rule_set, empty_rule) = (RuleSet::new([nothing].into_iter(), profile), None);
        }
        let agents = agents.map(|agent| (agent.line, self.groups.agent_value(agent)));
        Policy::new(Reading::of(profile), config, rule_set, agents, empty_rule, pace)
    }
}

/// Neither the file nor its rules: they may be a megabyte.
impl fmt::Debug for Robots<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Robots")
            .field("bytes", &self.groups.file().len())
            .field("groups", &self.group_count())
            .field("profile", &self.profile().name().unwrap_or("custom"))
            .finish_non_exhaustive()
    }
}
