//! A parsed file: records, groups, and the way from a crawler to its policy.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::policy::config::Config;
use crate::policy::{Policy, Reading};
use crate::profile::Profile;
use crate::read::crawler::Crawler;
use crate::read::diagnostic::{Diagnostic, diagnose};
use crate::read::parse::{Content, Extent, Field, Found, Kind, Line, Lines, Record, scan};
use crate::read::select::{GroupNumbers, Lookups, Names, Selected};
use crate::rules::{RawRule, RuleSet};
use crate::verdict::Verdict;

/// A parsed robots.txt, borrowed from its bytes.
///
/// Parse once, then ask for as many crawlers as you like: crawlers that fall to the same
/// groups share one [`Policy`]. Parsing takes any bytes and never fails; what is odd about
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
    /// In the order of the file, so of their groups too.
    agents: Vec<Agent>,
    rules: Vec<Rule>,
    group_count: u32,
    lookups: Lookups<'a>,
    policies: Mutex<BTreeMap<GroupNumbers, Policy>>,
}

/// A user-agent line.
#[derive(Clone, Copy, Debug)]
struct Agent {
    line: u32,
    value_at: u32,
    value_end: u32,
    group: u32,
    /// The first of its group's rules, which go on to where those of the next group begin.
    rules_from: u32,
}

/// A rule that belongs to a group, the empty ones too.
#[derive(Clone, Copy, Debug)]
struct Rule {
    line: u32,
    value_at: u32,
    value_end: u32,
    verdict: Verdict,
}

impl Rule {
    fn is_empty(&self) -> bool {
        self.value_at == self.value_end
    }
}

/// A line that belongs to a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum GroupLine {
    Agent { opens_group: bool },
    Rule(Verdict),
}

/// Finds the lines that belong to groups, in the order of the file: user-agent lines, then
/// the rules of the group that they open, the empty ones too.
#[inline]
pub(crate) fn scan_groups(file: &[u8], profile: &Profile, mut visit: impl FnMut(GroupLine, Found)) {
    /// Where in a group the next line stands.
    #[derive(PartialEq)]
    enum At {
        /// In none: rules are ignored.
        Outside,
        /// Among its user-agent lines: another one names one more crawler.
        Agents,
        /// Behind a rule, or what counts like one: a user-agent line opens a new group.
        Rules,
    }
    let mut at = At::Outside;
    scan(file, profile, |found| {
        let verdict = match found.kind {
            Kind::Disallow => Verdict::Disallow,
            Kind::Allow => Verdict::Allow,
            Kind::UserAgent => {
                let opens_group = at != At::Agents;
                at = At::Agents;
                return visit(GroupLine::Agent { opens_group }, found);
            }
            Kind::Blank => {
                if profile.blank_line_ends_group {
                    at = At::Outside;
                }
                return;
            }
            Kind::Sitemap => {
                if profile.sitemap_ends_agents && at == At::Agents {
                    at = At::Rules;
                }
                return;
            }
        };
        if at != At::Outside {
            at = At::Rules;
            visit(GroupLine::Rule(verdict), found);
        }
    });
}

impl<'a> Robots<'a> {
    /// Parses a file.
    pub fn parse(file: &'a [u8], profile: &Profile) -> Robots<'a> {
        Robots::parse_with(file, profile, &Config::default())
    }

    /// Parses a file whose policies shall be built with this configuration.
    pub fn parse_with(file: &'a [u8], profile: &Profile, config: &Config) -> Robots<'a> {
        /// So many bytes of a file hold a rule, at the least: to grow once too often costs
        /// less than memory that is never used.
        const BYTES_PER_RULE: usize = 64;
        let mut robots = Robots {
            file,
            profile: *profile,
            config: *config,
            agents: Vec::new(),
            rules: Vec::with_capacity(file.len().min(Extent::limit(profile)) / BYTES_PER_RULE),
            group_count: 0,
            lookups: Lookups::default(),
            policies: Mutex::default(),
        };
        robots.read();
        robots
    }

    fn read(&mut self) {
        scan_groups(self.file, &self.profile, |line, found| {
            let Found { line: number, value_at, value_end, .. } = found;
            match line {
                GroupLine::Agent { opens_group } => {
                    self.group_count += u32::from(opens_group);
                    self.agents.push(Agent {
                        line: number,
                        value_at,
                        value_end,
                        group: self.group_count - 1,
                        rules_from: self.rules.len() as u32,
                    });
                }
                GroupLine::Rule(verdict) => {
                    self.rules.push(Rule { line: number, value_at, value_end, verdict });
                }
            }
        });
    }

    /// The profile by which the file was read.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The bytes of the file that are read: less than all where the profile has a size
    /// limit that the file exceeds, and without a byte order mark that the profile skips.
    pub fn extent(&self) -> Range<usize> {
        let extent = Extent::of(self.file, &self.profile);
        extent.from..extent.to
    }

    /// All records in the order of the file, user-agent lines and rules included, whether
    /// or not they belong to a group. Reads the file again.
    pub fn records(&self) -> impl Iterator<Item = Record<'a>> {
        self.lines().filter_map(|line| match line.content {
            Content::Record(record) => Some(record),
            _ => None,
        })
    }

    /// All lines. Reads the file again.
    pub(crate) fn lines(&self) -> impl Iterator<Item = Line<'a>> {
        let extent = Extent::of(self.file, &self.profile);
        Lines::of(self.file, extent, &self.profile)
    }

    /// The numbers of a crawler's groups, in the order of the file.
    pub(crate) fn groups_of(&self, crawler: &Crawler) -> GroupNumbers {
        GroupNumbers::from_slice(self.select(crawler).groups())
    }

    /// The product tokens of a group, as written; `*` among them.
    pub(crate) fn tokens_of_group(&self, group: u32) -> impl Iterator<Item = &'a [u8]> {
        self.agents(group).iter().filter_map(|agent| self.shown_token(agent))
    }

    fn shown_token(&self, agent: &Agent) -> Option<&'a [u8]> {
        match self.names(agent) {
            Names::Everybody => Some(&b"*"[..]),
            Names::Token(token) => Some(token),
            Names::Nobody => None,
        }
    }

    /// The records that are neither user-agent lines nor rules: sitemaps, crawl delays and
    /// every other field. They never change a verdict. Reads the file again.
    pub fn other_records(&self) -> impl Iterator<Item = Record<'a>> {
        self.records().filter(|record| matches!(record.field, Field::Sitemap | Field::Other))
    }

    /// The sitemaps' values as written; they belong to no group. Reads the file again.
    pub fn sitemaps(&self) -> impl Iterator<Item = &'a [u8]> {
        let sitemaps = self.records().filter(|record| record.field == Field::Sitemap);
        sitemaps.map(|record| record.value)
    }

    /// How many groups the file has.
    pub fn group_count(&self) -> usize {
        self.group_count as usize
    }

    /// The product tokens of the file, as written, in its order; `*` among them.
    pub fn tokens(&self) -> impl Iterator<Item = &'a [u8]> {
        self.agents.iter().filter_map(|agent| self.shown_token(agent))
    }

    /// What is odd about the file, in the order of its lines. Reads the file again.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        diagnose(self.file, &self.profile, |line| self.group_of_line(line))
    }

    /// The group to which a user-agent line or a rule belongs.
    pub(crate) fn group_of_line(&self, line: u32) -> Option<u32> {
        if let Ok(at) = self.agents.binary_search_by_key(&line, |agent| agent.line) {
            return Some(self.agents[at].group);
        }
        let at = self.rules.binary_search_by_key(&line, |rule| rule.line).ok()?;
        let behind = self.agents.partition_point(|agent| agent.rules_from as usize <= at);
        // No rule is kept before the first group.
        Some(self.agents[behind - 1].group)
    }

    /// The policy for a crawler.
    ///
    /// The first call for a crawler's groups collects their rules, `O(rules)`; later ones
    /// for the same groups share that policy. Nothing is compiled before it pays
    /// ([`Config::build_after`]).
    pub fn policy(&self, crawler: &Crawler) -> Policy {
        self.policy_of(&self.select(crawler))
    }

    fn policy_of(&self, selected: &Selected) -> Policy {
        let groups = selected.groups();
        let mut policies = self.policies.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(policy) = policies.get(groups) {
            return policy.clone();
        }
        let policy = self.new_policy(selected, &self.config);
        policies.insert(GroupNumbers::from_slice(groups), policy.clone());
        policy
    }

    /// The lines of the user-agent records that make the groups of a crawler, with their
    /// values: empty where no group is for it.
    pub fn group_of(&self, crawler: &Crawler) -> Vec<(u32, &'a [u8])> {
        let selected = self.select(crawler);
        self.agents_of(&selected).map(|agent| (agent.line, self.value(agent))).collect()
    }

    pub(crate) fn file(&self) -> &'a [u8] {
        self.file
    }

    /// The user-agent lines: line, where the value stands, group.
    pub(crate) fn agent_lines(&self) -> impl Iterator<Item = (u32, Range<usize>, u32)> {
        let place = |agent: &Agent| agent.value_at as usize..agent.value_end as usize;
        self.agents.iter().map(move |agent| (agent.line, place(agent), agent.group))
    }

    /// Where the value of the rule on this line stands.
    pub(crate) fn rule_place(&self, line: u32) -> Option<Range<usize>> {
        let at = self.rules.binary_search_by_key(&line, |rule| rule.line).ok()?;
        let Rule { value_at, value_end, .. } = self.rules[at];
        Some(value_at as usize..value_end as usize)
    }

    /// The policy for a crawler, with its rules whatever the configuration.
    pub(crate) fn policy_with_rules(&self, crawler: &Crawler) -> Policy {
        if self.config.keep_rules {
            return self.policy(crawler);
        }
        let config = Config { keep_rules: true, ..self.config };
        self.new_policy(&self.select(crawler), &config)
    }

    pub(crate) fn select(&self, crawler: &Crawler) -> Selected {
        let lines = self.agents.iter().map(|agent| (self.value(agent), agent.group));
        self.lookups.select(lines, crawler, &self.profile)
    }

    fn value(&self, agent: &Agent) -> &'a [u8] {
        &self.file[agent.value_at as usize..agent.value_end as usize]
    }

    fn names(&self, agent: &Agent) -> Names<'a> {
        Names::of(self.value(agent), &self.profile)
    }

    fn agents(&self, group: u32) -> &[Agent] {
        let from = self.agents.partition_point(|agent| agent.group < group);
        let len = self.agents[from..].iter().take_while(|agent| agent.group == group).count();
        &self.agents[from..from + len]
    }

    fn rules(&self, group: u32) -> &[Rule] {
        let rules_from = |group| {
            let agent = self.agents.partition_point(|agent| agent.group < group);
            self.agents.get(agent).map_or(self.rules.len(), |agent| agent.rules_from as usize)
        };
        &self.rules[rules_from(group)..rules_from(group + 1)]
    }

    fn agents_of<'s>(&'s self, selected: &'s Selected) -> impl Iterator<Item = &'s Agent> + Clone {
        selected.groups().iter().flat_map(|&group| self.agents(group))
    }

    fn new_policy(&self, selected: &Selected, config: &Config) -> Policy {
        let rules = || selected.groups().iter().flat_map(|&group| self.rules(group));
        let rule_set = RuleSet::new(
            rules().filter(|rule| !rule.is_empty()).map(|rule| RawRule {
                line: rule.line,
                verdict: rule.verdict,
                value: &self.file[rule.value_at as usize..rule.value_end as usize],
            }),
            &self.profile,
        );
        let empty_rule = rules().find(|rule| rule.is_empty()).map(|rule| rule.line);
        let agents = self.agents_of(selected).map(|agent| (agent.line, self.value(agent)));
        Policy::new(Reading::of(&self.profile), config, rule_set, agents, empty_rule)
    }
}

/// What the linter asks.
#[cfg(feature = "lint")]
impl<'a> Robots<'a> {
    /// The lines of a group's rules, the empty ones too, in the order of the file.
    pub(crate) fn rule_lines(&self, group: u32) -> impl Iterator<Item = (u32, bool)> {
        self.rules(group).iter().map(|rule| (rule.line, rule.is_empty()))
    }

    /// The group to which a user-agent line or a rule belongs.
    pub(crate) fn group_of_rule(&self, line: u32) -> Option<u32> {
        self.group_of_line(line)
    }

    /// The groups of a crawler and their policy, or those of whom no other group names.
    pub(crate) fn groups_and_policy(&self, crawler: Option<&Crawler>) -> (GroupNumbers, Policy) {
        let selected = match crawler {
            Some(crawler) => self.select(crawler),
            None => {
                let everybody = self.agents.iter().filter(|a| self.names(a) == Names::Everybody);
                let groups = everybody.map(|agent| agent.group);
                Selected::of(GroupNumbers::new(), groups, &self.profile)
            }
        };
        (GroupNumbers::from_slice(selected.groups()), self.policy_of(&selected))
    }
}
