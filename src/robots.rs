//! A parsed file: records, groups, and the way from a crawler to its policy.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::Verdict;
use crate::config::Config;
use crate::crawler::Crawler;
use crate::diagnostic::{Diagnostic, diagnose};
use crate::parse::{Content, Extent, Field, Lines, Record};
use crate::policy::Policy;
use crate::profile::Profile;
use crate::rules::{RawRule, RuleSet};
use crate::select::{GroupNumbers, Names, Selected, TokenIndex};

/// A parsed robots.txt, borrowed from its octets.
///
/// Parse once, then ask for as many crawlers as you like: crawlers that fall to the same
/// groups share one [`Policy`]. Parsing takes any octets and never fails; what is odd about
/// a file is found by [`Robots::diagnostics`].
///
/// `O(n)`; allocates a few vectors for the whole file, nothing per record.
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
#[derive(Debug)]
pub struct Robots<'a> {
    file: &'a [u8],
    profile: Profile,
    config: Config,
    agents: Vec<Agent<'a>>,
    groups: Vec<GroupRange>,
    rules: Vec<Rule<'a>>,
    others: Vec<Record<'a>>,
    index: OnceLock<TokenIndex<'a>>,
    policies: Mutex<HashMap<GroupNumbers, Policy>>,
}

/// A user-agent line.
#[derive(Clone, Copy, Debug)]
struct Agent<'a> {
    line: u32,
    value: &'a [u8],
}

/// A rule, the empty ones too.
#[derive(Clone, Copy, Debug)]
struct Rule<'a> {
    line: u32,
    verdict: Verdict,
    value: &'a [u8],
}

/// A group's parts of `agents` and `rules`: they follow one another without a gap, so a
/// group ends where the next one begins.
#[derive(Clone, Copy, Debug)]
struct GroupRange {
    agents_from: u32,
    rules_from: u32,
}

impl<'a> Robots<'a> {
    /// Parses a file.
    pub fn parse(file: &'a [u8], profile: &Profile) -> Robots<'a> {
        Robots::parse_with(file, profile, &Config::default())
    }

    /// Parses a file whose policies shall be built with this configuration.
    pub fn parse_with(file: &'a [u8], profile: &Profile, config: &Config) -> Robots<'a> {
        let mut robots = Robots {
            file,
            profile: *profile,
            config: *config,
            agents: Vec::new(),
            groups: Vec::new(),
            rules: Vec::new(),
            others: Vec::new(),
            index: OnceLock::new(),
            policies: Mutex::default(),
        };
        robots.read();
        robots
    }

    fn read(&mut self) {
        /// Where in a group the next line stands.
        enum At {
            /// In none: rules are ignored.
            Outside,
            /// Among its user-agent lines: another one names one more crawler.
            Agents,
            /// Behind a rule, or what counts like one: a user-agent line opens a new group.
            Rules,
        }
        let profile = self.profile;
        let mut at = At::Outside;
        for line in Lines::of(self.file, Extent::of(self.file, &profile), &profile) {
            let record = match line.content {
                Content::Record(record) => record,
                Content::Blank if profile.blank_line_ends_group => {
                    at = At::Outside;
                    continue;
                }
                _ => continue,
            };
            let verdict = match record.field {
                Field::Allow => Verdict::Allow,
                Field::Disallow => Verdict::Disallow,
                Field::UserAgent => {
                    if !matches!(at, At::Agents) {
                        self.groups.push(GroupRange {
                            agents_from: self.agents.len() as u32,
                            rules_from: self.rules.len() as u32,
                        });
                        at = At::Agents;
                    }
                    self.agents.push(Agent { line: record.line, value: record.value });
                    continue;
                }
                Field::Sitemap | Field::Other => {
                    let sitemap = record.field == Field::Sitemap && profile.sitemap_ends_agents;
                    if sitemap && matches!(at, At::Agents) {
                        at = At::Rules;
                    }
                    self.others.push(record);
                    continue;
                }
            };
            if !matches!(at, At::Outside) {
                at = At::Rules;
                self.rules.push(Rule { line: record.line, verdict, value: record.value });
            }
        }
    }

    /// The profile by which the file was read.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The octets of the file that are read: less than all where the profile has a size
    /// limit that the file exceeds, and without a byte order mark that the profile skips.
    pub fn extent(&self) -> Range<usize> {
        let extent = Extent::of(self.file, &self.profile);
        extent.from..extent.to
    }

    /// All records in the order of the file, user-agent lines and rules included, whether
    /// or not they belong to a group. Reads the file again.
    pub fn records(&self) -> impl Iterator<Item = Record<'a>> {
        let extent = Extent::of(self.file, &self.profile);
        Lines::of(self.file, extent, &self.profile).filter_map(|line| match line.content {
            Content::Record(record) => Some(record),
            _ => None,
        })
    }

    /// The records that are neither user-agent lines nor rules: sitemaps, crawl delays and
    /// every other field. They never change a verdict.
    pub fn other_records(&self) -> &[Record<'a>] {
        &self.others
    }

    /// The sitemaps' values as written; they belong to no group.
    pub fn sitemaps(&self) -> impl Iterator<Item = &'a [u8]> {
        let sitemaps = self.others.iter().filter(|record| record.field == Field::Sitemap);
        sitemaps.map(|record| record.value)
    }

    /// How many groups the file has.
    pub fn group_count(&self) -> usize {
        self.groups.len()
    }

    /// The product tokens of the file, as written, in its order; `*` among them.
    pub fn tokens(&self) -> impl Iterator<Item = &'a [u8]> {
        self.agents.iter().filter_map(|agent| match Names::of(agent.value, &self.profile) {
            Names::Everybody => Some(&b"*"[..]),
            Names::Token(token) => Some(token),
            Names::Nobody => None,
        })
    }

    /// What is odd about the file, in the order of its lines. Reads the file again.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        diagnose(self.file, &self.profile, |line| self.group_of_line(line))
    }

    /// The group to which a user-agent line or a rule belongs.
    fn group_of_line(&self, line: u32) -> Option<u32> {
        if let Ok(at) = self.agents.binary_search_by_key(&line, |agent| agent.line) {
            return Some(self.groups.partition_point(|g| g.agents_from as usize <= at) as u32 - 1);
        }
        let at = self.rules.binary_search_by_key(&line, |rule| rule.line).ok()?;
        Some(self.groups.partition_point(|g| g.rules_from as usize <= at) as u32 - 1)
    }

    /// The policy for a crawler.
    ///
    /// The first call for a crawler's groups collects their rules, `O(rules)`; later ones
    /// for the same groups share that policy. Nothing is compiled before it pays
    /// ([`Config::build_after`]).
    pub fn policy(&self, crawler: &Crawler) -> Policy {
        let selected = self.index().select(crawler, &self.profile);
        let groups = selected.groups();
        let mut policies = self.policies.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(policy) = policies.get(groups) {
            return policy.clone();
        }
        let policy = self.new_policy(&selected);
        policies.insert(GroupNumbers::from_slice(groups), policy.clone());
        policy
    }

    /// The lines of the user-agent records that make the groups of a crawler, with their
    /// values: empty where no group is for it.
    pub fn group_of(&self, crawler: &Crawler) -> Vec<(u32, &'a [u8])> {
        let selected = self.index().select(crawler, &self.profile);
        self.agents_of(&selected).map(|agent| (agent.line, agent.value)).collect()
    }

    fn index(&self) -> &TokenIndex<'a> {
        self.index.get_or_init(|| {
            let groups = (0..self.groups.len()).map(|group| (group as u32, self.agents(group)));
            TokenIndex::new(groups.flat_map(|(group, agents)| {
                let names = |agent: &Agent<'a>| Names::of(agent.value, &self.profile);
                agents.iter().map(move |agent| (names(agent), group))
            }))
        })
    }

    fn agents(&self, group: usize) -> &[Agent<'a>] {
        let to = self.groups.get(group + 1).map_or(self.agents.len(), |g| g.agents_from as usize);
        &self.agents[self.groups[group].agents_from as usize..to]
    }

    fn rules(&self, group: usize) -> &[Rule<'a>] {
        let to = self.groups.get(group + 1).map_or(self.rules.len(), |g| g.rules_from as usize);
        &self.rules[self.groups[group].rules_from as usize..to]
    }

    fn agents_of<'s>(&'s self, selected: &'s Selected) -> impl Iterator<Item = &'s Agent<'a>> {
        selected.groups().iter().flat_map(|&group| self.agents(group as usize))
    }

    fn new_policy(&self, selected: &Selected) -> Policy {
        let rules = || selected.groups().iter().flat_map(|&group| self.rules(group as usize));
        let rule_set = RuleSet::new(
            rules().filter(|rule| !rule.value.is_empty()).map(|rule| RawRule {
                line: rule.line,
                verdict: rule.verdict,
                value: rule.value,
            }),
            &self.profile,
        );
        let empty_rule = rules().find(|rule| rule.value.is_empty()).map(|rule| rule.line);
        let agents = self.agents_of(selected).map(|agent| (agent.line, agent.value));
        Policy::new(&self.profile, &self.config, rule_set, agents, empty_rule)
    }
}
