//! A parsed file: its groups, and the way from a crawler to its own.
//!
//! ```text
//! User-agent: a        ┐ group 0, opened by the first user-agent line
//! User-agent: b        │
//! Disallow: /x         │
//! Allow: /x/y          ┘
//! User-agent: *        ┐ group 1: a user-agent line after a rule opens the next one
//! Disallow: /z         ┘
//! ```
//!
//! Rules belong to a group. A `Crawl-delay`, a `Request-rate` or a `Visit-time` (here: a record of
//! the pace) belongs to the user-agent lines directly above it, which need not be the whole group:
//!
//! ```text
//! User-agent: a        ┐ group 0 ┐ run 0
//! Crawl-delay: 10      │         ┘ ends the run, not the group: the delay is a's alone
//! User-agent: *        │         ┐ run 1
//! Disallow: /x         ┘         ┘ a rule for both
//! ```
//!
//! A run ends at any rule, at any record of the pace, valid or not, and with its group. So a run is
//! a part of one group, most are all of it, and a crawler's runs lie in the groups that it obeys:
//! they are those with a line that names it best.
//!
//! This module knows nothing of policies: it says which lines belong to which group and which
//! groups a crawler obeys. [`Robots`](crate::Robots) makes policies of them.

use std::ops::Range;
use std::sync::OnceLock;

use crate::profile::{OtherRecords, Profile};
use crate::read::crawler::Crawler;
use crate::read::diagnostic::{Diagnostic, diagnose};
use crate::read::differing::Differing;
use crate::read::fields::{self, Pace};
use crate::read::parse::{Content, Extent, FoundLine, Line, LineKind, Lines, Record, scan};
use crate::read::select::{GroupNumbers, Lookups, Selected};
use crate::read::token::{Names, names_everybody};
use crate::verdict::Verdict;

/// The user-agent lines and rules of a file, in two flat lists.
///
/// Groups are numbered from 0 in the order of the file. Neither list holds a group: each
/// user-agent line has its group's number and the place of the group's first rule, and a group's
/// rules go on to where those of the next group begin.
#[derive(Debug)]
pub struct Groups<'a> {
    file: &'a [u8],
    profile: Profile,
    /// In the order of the file, so also in the order of their groups.
    agents: Vec<Agent>,
    rules: Vec<Rule>,
    count: u32,
    run_count: u32,
    /// What is said about a crawler's pace below the runs, in their order. Only below those where
    /// something is said.
    paces: Vec<(u32, Pace)>,
    lookups: Lookups<'a>,
    everybody: OnceLock<(Selected, GroupNumbers)>,
}

/// A user-agent line. Where rules before the first one are for everybody, they have one that no file
/// has, with the number of their first line.
#[derive(Clone, Copy, Debug)]
pub struct Agent {
    pub line: u32,
    value_at: u32,
    value_end: u32,
    group: u32,
    /// Runs are numbered from 0 in the order of the file.
    run: u32,
    /// Where its group's rules begin in the list of all rules.
    rules_from: u32,
}

impl Agent {
    /// Returns true if the file does not have it.
    fn is_assumed(&self) -> bool {
        self.value_at == u32::MAX
    }
}

/// A rule of a group. Its value may be empty.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub line: u32,
    value_at: u32,
    value_end: u32,
    pub verdict: Verdict,
}

impl Rule {
    pub fn is_empty(&self) -> bool {
        self.value_at == self.value_end
    }
}

/// Is shown each line that belongs to a group. Their values are not yet [trimmed](FoundLine::trimmed).
pub trait Visit {
    /// A user-agent line. `opens_run` is true if the line above it that belongs to a group is no user-agent
    /// line of this group.
    fn agent(&mut self, line: FoundLine, opens_group: bool, opens_run: bool);

    /// The line that follows, a rule or a record of the pace, opens a group for everybody without a
    /// user-agent line.
    fn everybody(&mut self, line: FoundLine);

    /// A rule, which may have an empty value.
    fn rule(&mut self, line: FoundLine, verdict: Verdict);

    /// A crawl delay, a request rate or a visit time, as [`FoundLine::kind`] says. It belongs to
    /// the last run.
    fn pace(&mut self, line: FoundLine);
}

/// Shows each line that belongs to a group, in the order of the file. Rules before the first group
/// belong to none, and the `differing` ones may be left out.
#[inline]
pub fn scan_groups(
    file: &[u8],
    profile: &Profile,
    differing: Option<Differing>,
    visit: &mut impl Visit,
) {
    /// Where the next line stands.
    #[derive(Clone, Copy, PartialEq)]
    enum At {
        /// In no group: a rule is ignored.
        Outside,
        /// Among a group's user-agent lines: another one names one more crawler.
        Agents,
        /// After a group's first rule, or what counts as one: a user-agent line opens a new
        /// group.
        Rules,
    }
    let other_records = profile.other_records;
    let mut at = At::Outside;
    // True if the next user-agent line of the same group joins the run of the last one.
    let mut in_run = false;
    // True if rules are for everybody, since no user-agent line came yet.
    let mut before = profile.rules_before_agents;
    scan(file, profile, differing, |lines| {
        for &found in lines {
            match found.kind {
                LineKind::Disallow | LineKind::Allow => {
                    if at == At::Outside {
                        if !before {
                            continue;
                        }
                        visit.everybody(found);
                    }
                    at = At::Rules;
                    let allows = found.kind == LineKind::Allow;
                    let verdict = if allows { Verdict::Allow } else { Verdict::Disallow };
                    visit.rule(found, verdict);
                }
                LineKind::UserAgent => {
                    let opens_group = at != At::Agents;
                    let opens_run = opens_group || !in_run;
                    (at, in_run, before) = (At::Agents, true, false);
                    visit.agent(found, opens_group, opens_run);
                }
                LineKind::Blank => {
                    if profile.blank_line_ends_group && !before {
                        at = At::Outside;
                    }
                }
                LineKind::Sitemap => {
                    let ends =
                        profile.sitemap_ends_agents || other_records == OtherRecords::AllEndAgents;
                    if ends && at == At::Agents {
                        at = At::Rules;
                    }
                }
                LineKind::Other => {
                    if at == At::Agents {
                        at = At::Rules;
                    }
                }
                LineKind::CrawlDelay | LineKind::RequestRate | LineKind::VisitTime => {
                    in_run = false;
                    if before && at == At::Outside {
                        visit.everybody(found);
                        at = At::Rules;
                    }
                    if at == At::Agents && other_records != OtherRecords::EndNothing {
                        at = At::Rules;
                    }
                    if at != At::Outside {
                        visit.pace(found);
                    }
                }
            }
        }
    });
}

/// Adds what a line below the last run says.
#[cold]
#[inline(never)]
fn add_pace(paces: &mut Vec<(u32, Pace)>, run: u32, file: &[u8], found: FoundLine) {
    let kind = match found.kind {
        LineKind::CrawlDelay => fields::Kind::CrawlDelay,
        LineKind::RequestRate => fields::Kind::RequestRate,
        _ => return,
    };
    let FoundLine { value_at, value_end, .. } = found.trimmed(file);
    let pace = Pace::of_line(kind, &file[value_at as usize..value_end as usize]);
    match paces.last_mut() {
        Some((last, before)) if *last == run => *before = before.and(pace),
        _ if pace.is_none() => {}
        _ => paces.push((run, pace)),
    }
}

impl Visit for Groups<'_> {
    fn agent(&mut self, line: FoundLine, opens_group: bool, opens_run: bool) {
        self.count += u32::from(opens_group);
        self.run_count += u32::from(opens_run);
        let FoundLine { line, value_at, value_end, .. } = line.trimmed(self.file);
        self.add_agent(line, value_at, value_end);
    }

    fn everybody(&mut self, line: FoundLine) {
        self.count += 1;
        self.run_count += 1;
        self.add_agent(line.line, u32::MAX, u32::MAX);
    }

    #[inline(always)]
    fn rule(&mut self, line: FoundLine, verdict: Verdict) {
        let FoundLine { line, value_at, value_end, .. } = line.trimmed(self.file);
        self.rules.push(Rule { line, value_at, value_end, verdict });
    }

    fn pace(&mut self, line: FoundLine) {
        add_pace(&mut self.paces, self.run_count - 1, self.file, line);
    }
}

impl<'a> Groups<'a> {
    /// Parses a file: one pass, `O(n)`.
    #[inline]
    pub fn parse(file: &'a [u8], profile: &Profile) -> Groups<'a> {
        /// Room for one rule is reserved for this many bytes of the file. Most files have fewer
        /// rules: growing the list once more costs less than memory that stays unused.
        const BYTES_PER_RULE: usize = 64;
        let mut groups = Groups {
            file,
            profile: *profile,
            agents: Vec::new(),
            rules: Vec::with_capacity(file.len().min(Extent::limit(profile)) / BYTES_PER_RULE),
            count: 0,
            run_count: 0,
            paces: Vec::new(),
            lookups: Lookups::default(),
            everybody: OnceLock::new(),
        };
        scan_groups(file, profile, None, &mut groups);
        groups
    }

    fn add_agent(&mut self, line: u32, value_at: u32, value_end: u32) {
        self.agents.push(Agent {
            line,
            value_at,
            value_end,
            group: self.count - 1,
            run: self.run_count - 1,
            rules_from: self.rules.len() as u32,
        });
    }

    /// True if a pace is asked of anybody.
    pub fn has_pace(&self) -> bool {
        !self.paces.is_empty()
    }

    /// What is said about the pace below these runs, which are in the order of the file.
    pub fn pace(&self, runs: &[u32]) -> Pace {
        let pace = |run: &u32| {
            let at = self.paces.binary_search_by_key(run, |(run, _)| *run).ok()?;
            Some(self.paces[at].1)
        };
        runs.iter().filter_map(pace).fold(Pace::NONE, Pace::and)
    }

    /// The same for the runs of `*`.
    pub fn pace_of_everybody(&self) -> Pace {
        self.pace(&self.everybody().1)
    }

    pub fn file(&self) -> &'a [u8] {
        self.file
    }

    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    pub fn extent(&self) -> Extent {
        Extent::of(self.file, &self.profile)
    }

    /// The number of groups there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// All lines. Reads the file again.
    pub fn lines(&self) -> impl Iterator<Item = Line<'a>> {
        Lines::of(self.file, self.extent(), &self.profile)
    }

    /// All records, whether or not they belong to a group. Reads the file again.
    pub fn records(&self) -> impl Iterator<Item = Record<'a>> {
        self.lines().filter_map(|line| match line.content {
            Content::Record(record) => Some(record),
            _ => None,
        })
    }

    /// What is odd about the file. Reads it again.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        diagnose(self.file, &self.profile, |line| self.group_of_line(line))
    }

    /// The groups that a crawler obeys.
    pub fn select(&self, crawler: &Crawler) -> Selected {
        match self.select_named(crawler) {
            Selected::None => self.select_everybody(),
            selected => selected,
        }
    }

    /// The groups that name a crawler, if any do. Unlike the groups for everybody, which may be
    /// very many, all that name some crawler are together no more than the file has lines.
    pub fn select_named(&self, crawler: &Crawler) -> Selected {
        let groups = self.groups_of_runs(self.runs_that_name(crawler));
        Selected::of(groups, std::iter::empty(), &self.profile)
    }

    /// The groups that a crawler obeys, in the order of the file.
    pub fn groups_of(&self, crawler: &Crawler) -> GroupNumbers {
        GroupNumbers::from_slice(self.select(crawler).groups())
    }

    /// The groups of a crawler that no user-agent line names.
    pub fn select_everybody(&self) -> Selected {
        self.everybody().0.clone()
    }

    /// The runs of user-agent lines of a crawler, in the order of the file: those with a line that
    /// names it best, of the groups that it obeys. Its crawl delay stands below one of them.
    pub fn runs_of(&self, crawler: &Crawler) -> GroupNumbers {
        let named = self.runs_that_name(crawler);
        if named.is_empty() { self.everybody().1.clone() } else { self.obeyed_runs(named) }
    }

    /// All runs with a line that names a crawler best.
    fn runs_that_name(&self, crawler: &Crawler) -> GroupNumbers {
        let lines = self.agents.iter().map(|agent| (self.agent_value(agent), agent.run));
        self.lookups.named(lines, crawler, &self.profile)
    }

    /// The groups and runs for everybody.
    fn everybody(&self) -> &(Selected, GroupNumbers) {
        self.everybody.get_or_init(|| {
            let is_star = |agent: &&Agent| names_everybody(self.agent_value(agent), &self.profile);
            let stars = self.agents.iter().filter(is_star);
            let mut runs: GroupNumbers = stars.map(|agent| agent.run).collect();
            runs.dedup();
            let groups = self.groups_of_runs(runs.clone()).into_iter();
            let groups = Selected::of(GroupNumbers::new(), groups, &self.profile);
            (groups, self.obeyed_runs(runs))
        })
    }

    /// Those of these runs whose group counts.
    fn obeyed_runs(&self, mut runs: GroupNumbers) -> GroupNumbers {
        if let (false, Some(first)) = (self.profile.merge_groups, runs.first()) {
            let group = self.group_of_run(*first);
            runs.retain(|run| self.group_of_run(*run) == group);
        }
        runs
    }

    /// The groups that these runs are in.
    fn groups_of_runs(&self, mut runs: GroupNumbers) -> GroupNumbers {
        // Then each group is one run, with the same number.
        if self.run_count != self.count {
            runs.iter_mut().for_each(|run| *run = self.group_of_run(*run));
            runs.dedup();
        }
        runs
    }

    /// The group that a run is in.
    pub fn group_of_run(&self, run: u32) -> u32 {
        self.run(run).first().map_or(run, |agent| agent.group)
    }

    /// The user-agent lines of a run.
    fn run(&self, run: u32) -> &[Agent] {
        let from = self.agents.partition_point(|agent| agent.run < run);
        let len = self.agents[from..].partition_point(|agent| agent.run == run);
        &self.agents[from..from + len]
    }

    /// The group and the run of the user-agent line on this line.
    pub fn run_of_line(&self, line: u32) -> Option<(u32, u32)> {
        let at = self.agents.binary_search_by_key(&line, |agent| agent.line).ok()?;
        Some((self.agents[at].group, self.agents[at].run))
    }

    /// Returns true if all user-agent lines of a group are one run.
    pub fn is_one_run(&self, group: u32) -> bool {
        let agents = self.agents(group);
        agents.first().map(|agent| agent.run) == agents.last().map(|agent| agent.run)
    }

    /// The group of the user-agent line or rule on this line.
    pub fn group_of_line(&self, line: u32) -> Option<u32> {
        if let Ok(at) = self.agents.binary_search_by_key(&line, |agent| agent.line) {
            return Some(self.agents[at].group);
        }
        let at = self.rules.binary_search_by_key(&line, |rule| rule.line).ok()?;
        let next = self.agents.partition_point(|agent| agent.rules_from as usize <= at);
        // A rule before the first group is not kept, so a user-agent line comes before this one.
        Some(self.agents[next - 1].group)
    }

    /// The user-agent lines of a group.
    pub fn agents(&self, group: u32) -> &[Agent] {
        let from = self.agents.partition_point(|agent| agent.group < group);
        let len = self.agents[from..].partition_point(|agent| agent.group == group);
        &self.agents[from..from + len]
    }

    /// The rules of a group, those with an empty value included.
    pub fn rules(&self, group: u32) -> &[Rule] {
        let rules_from = |group| {
            let agent = self.agents.partition_point(|agent| agent.group < group);
            self.agents.get(agent).map_or(self.rules.len(), |agent| agent.rules_from as usize)
        };
        &self.rules[rules_from(group)..rules_from(group + 1)]
    }

    /// About how many bytes the user-agent lines and rules of a group take in a policy.
    pub fn bytes(&self, group: u32) -> usize {
        /// For each line, beside its text.
        const LINE: usize = 32;
        let (agents, rules) = (self.agents(group), self.rules(group));
        let from = agents.first().filter(|agent| !agent.is_assumed());
        let from = from.map_or(0, |agent| agent.value_at);
        let to = rules.last().map(|rule| rule.value_end);
        let written = agents.last().filter(|agent| !agent.is_assumed());
        let to = to.or(written.map(|agent| agent.value_end)).unwrap_or(from);
        (to - from) as usize + LINE * (agents.len() + rules.len())
    }

    /// The group and run of the rules before all user-agent lines, if they are for everybody.
    pub fn assumed_run(&self) -> Option<(u32, u32)> {
        let first = self.agents.first().filter(|agent| agent.is_assumed())?;
        Some((first.group, first.run))
    }

    /// All user-agent lines of the file: line, where the value is in the file, group.
    pub fn agent_lines(&self) -> impl Iterator<Item = (u32, Range<usize>, u32)> {
        let span = |agent: &Agent| agent.value_at as usize..agent.value_end as usize;
        let written = self.agents.iter().filter(|agent| !agent.is_assumed());
        written.map(move |agent| (agent.line, span(agent), agent.group))
    }

    /// The lines of a group's rules, and whether their values are empty.
    pub fn rule_lines(&self, group: u32) -> impl Iterator<Item = (u32, bool)> {
        self.rules(group).iter().map(|rule| (rule.line, rule.is_empty()))
    }

    /// Where in the file the value of the rule on this line is.
    pub fn rule_span(&self, line: u32) -> Option<Range<usize>> {
        let at = self.rules.binary_search_by_key(&line, |rule| rule.line).ok()?;
        let Rule { value_at, value_end, .. } = self.rules[at];
        Some(value_at as usize..value_end as usize)
    }

    pub fn agent_value(&self, agent: &Agent) -> &'a [u8] {
        if agent.is_assumed() {
            return b"*";
        }
        &self.file[agent.value_at as usize..agent.value_end as usize]
    }

    pub fn rule_value(&self, rule: &Rule) -> &'a [u8] {
        &self.file[rule.value_at as usize..rule.value_end as usize]
    }

    /// The product tokens of all groups as written, `*` included.
    pub fn tokens(&self) -> impl Iterator<Item = &'a [u8]> {
        self.agents.iter().filter_map(|agent| self.token(agent))
    }

    /// The product tokens of one group as written, `*` included.
    pub fn tokens_of_group(&self, group: u32) -> impl Iterator<Item = &'a [u8]> {
        self.agents(group).iter().filter_map(|agent| self.token(agent))
    }

    /// The product tokens of one run as written, `*` included.
    pub fn tokens_of_run(&self, run: u32) -> impl Iterator<Item = &'a [u8]> {
        self.run(run).iter().filter_map(|agent| self.token(agent))
    }

    fn token(&self, agent: &Agent) -> Option<&'a [u8]> {
        match self.names(agent) {
            Names::Everybody => Some(&b"*"[..]),
            Names::Token(token) => Some(token),
            Names::Nobody => None,
        }
    }

    fn names(&self, agent: &Agent) -> Names<'a> {
        Names::of(self.agent_value(agent), &self.profile)
    }
}
