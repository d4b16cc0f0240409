//! What a change does to verdicts and to the pace of crawlers.
//!
//! Every fix that `lint` offers goes through here. The file is read before and after the change, in each profile that
//! matters; for each crawler whose groups changed the two policies are compared by the product of their automata (`diff`),
//! not by trying URLs. What the file asks each crawler for as its pace is compared too. The outcome is an effect with
//! the shortest paths that flip, or a [`Refusal`]: the change blocks or opens a whole site, or the proof would cost
//! more than the budget.
//!
//! The budget ([`Work`]) is counted in bytes looked at and shared by all proofs of a file, so a hostile file costs
//! bounded time; what could not be proven is told as such, never as "no effect".

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::iter;
use std::ops::Range;

use memchr::memmem;
use robotsieve::internals::{
    Groups, LineKind, Names, PolicyInternals as _, RawRule, RobotsInternals as _, RuleRef, RuleSet,
    Selected, scan,
};
use robotsieve::records::{Kind, Pace, Preferences};
use robotsieve::{Crawler, Policy, Profile, Robots, Verdict};
use robotsieve_rights::internals::{RightsField, RightsLine, RightsLines};

use crate::change::{Change, Effect, RightsChange, replaced, who};
use crate::diff::{self, Difference, Flips, Limits};
use crate::options::Options;
use crate::subject::line_span;

/// The paths that are named in each direction.
const PATHS: usize = 3;

/// Two paths without a byte in common but the slash: a pattern that matches both names nothing. The
/// first one is the last character of Unicode.
pub(crate) const UNNAMED: [&[u8]; 2] = [b"/%F4%8F%BF%BF", b"/zqxjwk"];

/// The work that proofs may take together, in bytes looked at.
#[derive(Debug)]
pub(crate) struct Work {
    left: u64,
    /// True if a proof would have taken more than was left.
    pub(crate) was_short: bool,
}

impl Work {
    pub(crate) fn new(bytes: u64) -> Work {
        Work { left: bytes, was_short: false }
    }

    fn spend(&mut self, bytes: u64) -> Result<(), Refusal> {
        let left = self.left.checked_sub(bytes);
        self.was_short |= left.is_none();
        self.left = left.ok_or(Refusal::Unproven)?;
        Ok(())
    }
}

/// The file before a change, in each profile in which changes are proven.
pub(crate) struct Subjects<'a> {
    file: &'a [u8],
    /// What it costs to parse it.
    parsed: u64,
    all: Vec<Before<'a>>,
}

/// The file before a change, in one profile.
struct Before<'a> {
    name: Cow<'static, str>,
    robots: Robots<'a>,
    /// The crawlers that the file names, and `*`, by the groups that they obey.
    crawlers: OnceCell<Vec<Alike<'a>>>,
    rights: OnceCell<RightsLines<'a>>,
}

impl<'a> Subjects<'a> {
    pub(crate) fn new(file: &'a [u8], options: &Options) -> Subjects<'a> {
        let before = |(name, profile): (Cow<'static, str>, Profile)| Before {
            name,
            robots: Robots::parse(file, &profile),
            crawlers: OnceCell::new(),
            rights: OnceCell::new(),
        };
        let lines = file.iter().filter(|byte| b"\r\n".contains(byte)).count();
        let parsed = file.len() as u64 + PARSED_LINE * lines as u64;
        Subjects { file, parsed, all: profiles(options).into_iter().map(before).collect() }
    }
}

impl Subjects<'_> {
    /// The names of the profiles.
    pub(crate) fn names(&self) -> Vec<Cow<'static, str>> {
        self.all.iter().map(|before| before.name.clone()).collect()
    }
}

impl<'a> Before<'a> {
    fn rights(&self) -> &RightsLines<'a> {
        self.rights.get_or_init(|| RightsLines::of(&self.robots))
    }

    fn crawlers(&self) -> &[Alike<'a>] {
        self.crawlers.get_or_init(|| {
            let mut all: Vec<Alike<'a>> = Vec::new();
            let mut numbers: HashMap<Selected, usize> = HashMap::new();
            for token in distinct(self.robots.tokens()) {
                let selected = self.robots.groups().select(&crawler(token));
                let number = *numbers.entry(selected.clone()).or_insert_with(|| {
                    all.push((selected, Vec::new()));
                    all.len() - 1
                });
                all[number].1.push(token);
            }
            all
        })
    }
}

/// Crawlers that obey the same groups, by their tokens.
type Alike<'a> = (Selected, Vec<&'a [u8]>);

/// `*`, and each other token once.
fn distinct<'t>(tokens: impl Iterator<Item = &'t [u8]>) -> impl Iterator<Item = &'t [u8]> {
    let mut known = HashSet::new();
    iter::once(&b"*"[..])
        .chain(tokens)
        .filter(move |token| known.insert(token.to_ascii_lowercase()))
}

/// The crawler with this token; one without a name for `*`.
fn crawler(token: &[u8]) -> Crawler {
    Crawler::names(Some(token).filter(|token| *token != b"*"))
}

/// The profiles in which changes are proven: those of the options, and those of most readers.
pub(crate) fn profiles(options: &Options) -> Vec<(Cow<'static, str>, Profile)> {
    let mut profiles = options.profiles.clone();
    for (name, profile) in [("rfc9309", Profile::RFC9309), ("google", Profile::GOOGLE)] {
        if !profiles.iter().any(|(_, known)| *known == profile) {
            profiles.push((name.into(), profile));
        }
    }
    profiles
}

/// Why a change is no fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It blocks or opens a site.
    Harm(Harm),
    /// Nothing is proven: the rules are over the limits of the automaton, or the budget is used up.
    Unproven,
}

/// How a change blocks or opens a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Harm {
    /// True if it blocks; if not, it opens.
    blocks: bool,
    /// True if all of the site, or only its start page or what no rule names.
    whole: bool,
    start_page: bool,
    crawlers: Vec<Vec<u8>>,
    /// The names of the profiles in which it does.
    profiles: Vec<Cow<'static, str>>,
}

impl Harm {
    /// `block the whole site for GPTBot (rfc9309)`.
    pub(crate) fn infinitive(&self) -> String {
        let verb = if self.blocks { "block" } else { "open" };
        let what = match (self.whole, self.start_page) {
            (true, _) => "the whole site",
            (false, true) => "the start page '/'",
            (false, false) => "all URLs that no other rule names",
        };
        format!("{verb} {what} for {} ({})", who(&self.crawlers), self.profiles.join(", "))
    }
}

/// Proves what changes do to verdicts, as far as the budget goes.
pub(crate) struct Prover<'s, 'a, 'w> {
    subjects: &'s Subjects<'a>,
    work: &'w mut Work,
    /// A token that no crawler has. What is blocked or opened for it does no harm.
    nobody: Option<Vec<u8>>,
}

/// What a line costs beside its bytes, compared with a byte that is parsed.
const PARSED_LINE: u64 = 12;

/// What a byte of a rule costs that is compiled, compared with a byte that is parsed.
const COMPILED: u64 = 256;

/// What a byte of a table costs that is walked beside another table.
const WALKED: u64 = 64;

/// What looking up a crawler costs.
const LOOKED_UP: u64 = 1_000;

/// Whether a text may have a line about use: the name of such a field is somewhere in it.
fn may_speak_of_use(text: &[u8]) -> bool {
    let text = text.to_ascii_lowercase();
    ["content-", "license"].iter().any(|name| memmem::find(&text, name.as_bytes()).is_some())
}

impl<'s, 'a, 'w> Prover<'s, 'a, 'w> {
    pub(crate) fn new(subjects: &'s Subjects<'a>, work: &'w mut Work) -> Prover<'s, 'a, 'w> {
        Prover { subjects, work, nobody: None }
    }

    /// Takes a token for one that no crawler has.
    pub(crate) fn without(mut self, nobody: Option<Vec<u8>>) -> Prover<'s, 'a, 'w> {
        self.nobody = nobody;
        self
    }

    /// What it does to verdicts and to the pace that some bytes are replaced.
    pub(crate) fn prove_edit(
        &mut self,
        span: &Range<usize>,
        replacement: &[u8],
    ) -> Result<Effect, Refusal> {
        if self.subjects.is_same_line(span, replacement) {
            return Ok(Effect::None);
        }
        self.work.spend(self.subjects.file.len() as u64)?;
        self.prove(&replaced(self.subjects.file, [(span, replacement)]))
    }

    /// What it does to verdicts and to the pace that the file becomes `new`.
    pub(crate) fn prove(&mut self, new: &[u8]) -> Result<Effect, Refusal> {
        let mut changes: Vec<Change> = Vec::new();
        let mut harm: Option<Harm> = None;
        for before in &self.subjects.all {
            // Both are about as long, and have about as many lines.
            self.work.spend(2 * (self.subjects.parsed + new.len() as u64))?;
            let new = Robots::parse(new, before.robots.profile());
            for (crawlers, [old, new]) in self.different(before, &new)? {
                let starts = [&old, &new].map(Start::of);
                let is_nobody = |crawler: &Vec<u8>| {
                    self.nobody.as_ref().is_some_and(|nobody| nobody.eq_ignore_ascii_case(crawler))
                };
                if let Some(found) = Harm::of(&starts, &crawlers, before.name.clone())
                    && !crawlers.iter().all(is_nobody)
                {
                    match &mut harm {
                        Some(known) if known.is_like(&found) => {
                            known.profiles.push(before.name.clone());
                        }
                        // Blocking is worse.
                        Some(known) if known.blocks || !found.blocks => {}
                        _ => harm = Some(found),
                    }
                    continue;
                }
                let Some(flips) = self.flips(&old, &new)? else { continue };
                let paths =
                    |flips: Vec<diff::Flip>| flips.into_iter().map(|flip| flip.path).collect();
                let change = Change {
                    profiles: vec![before.name.clone()],
                    crawlers,
                    newly_disallowed: paths(flips.newly_disallowed),
                    newly_allowed: paths(flips.newly_allowed),
                    pace: None,
                };
                add(&mut changes, change);
            }
            for (crawlers, pace) in self.different_paces(before, &new)? {
                let change = Change {
                    profiles: vec![before.name.clone()],
                    crawlers,
                    newly_disallowed: Vec::new(),
                    newly_allowed: Vec::new(),
                    pace: Some(pace),
                };
                add(&mut changes, change);
            }
        }
        match harm {
            Some(harm) => Err(Refusal::Harm(harm)),
            None if changes.is_empty() => Ok(Effect::None),
            None => Ok(Effect::Verdicts(changes)),
        }
    }

    /// What it does to what the file says of use that some bytes of a line are replaced, if the line said
    /// nothing before and nothing else of that changes: no other line about use, and no group.
    pub(crate) fn prove_statement(
        &mut self,
        line: u32,
        span: &Range<usize>,
        replacement: &[u8],
    ) -> Result<Effect, Refusal> {
        self.work.spend(2 * self.subjects.parsed * self.subjects.all.len() as u64)?;
        let new = replaced(self.subjects.file, [(span, replacement)]);
        let states = |said: &RightsLine<'_>| said.field.stated(&Preferences::of(said.value));
        let mut effect = None;
        for before in &self.subjects.all {
            let robots = Robots::parse(&new, before.robots.profile());
            let (old, new) = (before.rights(), RightsLines::of(&robots));
            let said_before = |said: &RightsLine<'_>| {
                let (allows, disallows) = states(said);
                said.line == line
                    && (said.field == RightsField::License
                        || allows.iter().chain(disallows.iter()).next().is_some())
            };
            if !old.is_same_without(&new, line) || old.lines.iter().any(said_before) {
                return Err(Refusal::Unproven);
            }
            let said = new.lines.iter().find(|said| said.line == line).ok_or(Refusal::Unproven)?;
            // Outside every group it would still hold for nobody, or in part.
            if said.group.is_none() && said.field != RightsField::License {
                return Err(Refusal::Unproven);
            }
            let (allows, disallows) = states(said);
            let [allows, disallows] = [allows, disallows].map(|some| some.iter().collect());
            let change = Effect::Rights(vec![RightsChange { line, allows, disallows }]);
            if effect.get_or_insert_with(|| change.clone()) != &change {
                return Err(Refusal::Unproven);
            }
        }
        effect.ok_or(Refusal::Unproven)
    }

    /// Returns an error unless the lines about use say the same to the same crawlers where some bytes are
    /// replaced.
    pub(crate) fn prove_same_rights(
        &mut self,
        span: &Range<usize>,
        replacement: &[u8],
    ) -> Result<(), Refusal> {
        let file = self.subjects.file;
        let line = [
            file[..span.start].rsplit(|byte| *byte == b'\n').next().unwrap_or_default(),
            replacement,
            file[span.end..].split(|byte| *byte == b'\n').next().unwrap_or_default(),
        ];
        let is_silent = |before: &Before<'_>| before.rights().lines.is_empty();
        if self.subjects.all.iter().all(is_silent) && !may_speak_of_use(&line.concat()) {
            return Ok(());
        }
        self.work.spend(file.len() as u64)?;
        self.same_rights(&replaced(file, [(span, replacement)]), true)
    }

    /// The same, where the file becomes `new`.
    pub(crate) fn prove_same_rights_in(&mut self, new: &[u8]) -> Result<(), Refusal> {
        self.same_rights(new, may_speak_of_use(new))
    }

    fn same_rights(&mut self, new: &[u8], may_speak: bool) -> Result<(), Refusal> {
        for before in &self.subjects.all {
            let old = before.rights();
            if old.lines.is_empty() && !may_speak {
                continue;
            }
            self.work.spend(self.subjects.parsed + new.len() as u64)?;
            let robots = Robots::parse(new, before.robots.profile());
            if !old.says_like(&RightsLines::of(&robots)) {
                return Err(Refusal::Unproven);
            }
        }
        Ok(())
    }

    /// The shortest paths on which two policies differ; `None` if there are none.
    fn flips(&mut self, old: &Policy, new: &Policy) -> Result<Option<Flips>, Refusal> {
        let limits = Limits { flips: PATHS, pairs: 1 << 15, ..Limits::default() };
        let bytes = |policy: &Policy| policy.rule_set().memory_usage() as u64;
        self.work.spend(COMPILED * (bytes(old) + bytes(new)))?;
        for policy in [old, new] {
            policy.compile();
            let Some(automaton) = policy.automaton() else { return Err(Refusal::Unproven) };
            self.work.spend(WALKED * automaton.bytes().len() as u64)?;
        }
        match diff::policies(old, new, &limits) {
            Difference::Equal => Ok(None),
            Difference::Different(flips) if flips.unproven.is_none() => Ok(Some(flips)),
            _ => Err(Refusal::Unproven),
        }
    }

    /// Crawlers whose policies are not equal at first sight, with both.
    fn different(
        &mut self,
        before: &Before<'_>,
        new: &Robots<'_>,
    ) -> Result<Vec<Different>, Refusal> {
        let old = &before.robots;
        let mut different = Vec::new();
        if let Some(changed) = changed_groups(old.groups(), new.groups()) {
            if changed.is_empty() {
                return Ok(different);
            }
            for (selected, tokens) in before.crawlers() {
                if !selected.groups().iter().any(|group| changed.contains(group)) {
                    continue;
                }
                self.work.spend(LOOKED_UP + cost(old, selected) + cost(new, selected))?;
                let policies = [old.policy_of(selected), new.policy_of(selected)];
                if !policies[0].decides_like(&policies[1]) {
                    let tokens = tokens.iter().map(|token| token.to_vec()).collect();
                    different.push((tokens, policies));
                }
            }
            return Ok(different);
        }
        // Other groups, or other names for them.
        let mut numbers: HashMap<[usize; 2], Option<usize>> = HashMap::new();
        // Kept as long as their addresses are compared.
        let mut kept = Vec::new();
        let both = [old.tokens().collect::<Vec<&[u8]>>(), new.tokens().collect()].concat();
        for token in distinct(both.into_iter()) {
            let crawler = crawler(token);
            let selected = [old.groups().select(&crawler), new.groups().select(&crawler)];
            self.work.spend(LOOKED_UP + cost(old, &selected[0]) + cost(new, &selected[1]))?;
            let policies = [old.policy_of(&selected[0]), new.policy_of(&selected[1])];
            let addresses = [policies[0].address(), policies[1].address()];
            let number = match numbers.get(&addresses) {
                Some(number) => *number,
                None => {
                    let number = if policies[0].decides_like(&policies[1]) {
                        kept.push(policies);
                        None
                    } else {
                        different.push((Vec::new(), policies));
                        Some(different.len() - 1)
                    };
                    numbers.insert(addresses, number);
                    number
                }
            };
            if let Some(number) = number {
                different[number].0.push(token.to_vec());
            }
        }
        Ok(different)
    }

    /// Crawlers that are asked for another pace, with the one before and the one after.
    fn different_paces(
        &mut self,
        before: &Before<'_>,
        new: &Robots<'_>,
    ) -> Result<Vec<OfPace>, Refusal> {
        let old = &before.robots;
        let mut different: Vec<OfPace> = Vec::new();
        if are_same_paces(old.groups(), new.groups()) {
            return Ok(different);
        }
        let mut numbers: HashMap<[Pace; 2], usize> = HashMap::new();
        let both = [old.tokens().collect::<Vec<&[u8]>>(), new.tokens().collect()].concat();
        for token in distinct(both.into_iter()) {
            let crawler = crawler(token);
            let runs = [old.groups().runs_of(&crawler), new.groups().runs_of(&crawler)];
            self.work.spend(LOOKED_UP * (2 + runs[0].len() + runs[1].len()) as u64)?;
            let pace = [old.groups().pace(&runs[0]), new.groups().pace(&runs[1])];
            if pace[0] != pace[1] {
                let number = *numbers.entry(pace).or_insert_with(|| {
                    different.push((Vec::new(), pace));
                    different.len() - 1
                });
                different[number].0.push(token.to_vec());
            }
        }
        Ok(different)
    }
}

/// Adds a change, or its profile to one that is the same.
fn add(changes: &mut Vec<Change>, mut change: Change) {
    let known = changes.iter_mut().find(|known| {
        known.crawlers == change.crawlers
            && known.newly_allowed == change.newly_allowed
            && known.newly_disallowed == change.newly_disallowed
            && known.pace == change.pace
    });
    match known {
        Some(known) => known.profiles.append(&mut change.profiles),
        None => changes.push(change),
    }
}

/// Returns true if it is seen at once that all crawlers are asked for the same pace: each user-agent line is.
fn are_same_paces(old: &Groups<'_>, new: &Groups<'_>) -> bool {
    let pace = |groups: &Groups<'_>, line| {
        groups.run_of_line(line).map_or(Pace::NONE, |(_, run)| groups.pace(&[run]))
    };
    let agents = || old.agent_lines().zip(new.agent_lines());
    !old.has_pace() && !new.has_pace()
        || have_same_names(old, new)
            // A group for everybody may have no line.
            && old.pace_of_everybody() == new.pace_of_everybody()
            && agents().all(|((a, ..), (b, ..))| pace(old, a) == pace(new, b))
}

/// What a policy of these groups costs: it copies their rules, few long ones as well as many short ones.
fn cost(robots: &Robots<'_>, selected: &Selected) -> u64 {
    const RULE: u64 = 64;
    let groups = robots.groups();
    let cost = |group: &u32| RULE * groups.rules(*group).len() as u64 + groups.bytes(*group) as u64;
    selected.groups().iter().map(cost).sum()
}

/// Crawlers with the policies that they had and have.
type Different = (Vec<Vec<u8>>, [Policy; 2]);

/// Crawlers with the paces that they were and are asked for.
type OfPace = (Vec<Vec<u8>>, [Pace; 2]);

/// The numbers of the groups whose rules changed; `None` if there are other groups, or other names
/// for them.
fn changed_groups(old: &Groups<'_>, new: &Groups<'_>) -> Option<BTreeSet<u32>> {
    if !have_same_names(old, new) {
        return None;
    }
    let rules = |groups: &Groups<'_>, group| groups.rules(group).to_vec();
    let is_changed = |group: &u32| {
        let [a, b] = [rules(old, *group), rules(new, *group)];
        a.len() != b.len()
            || a.iter()
                .zip(&b)
                .any(|(a, b)| a.verdict != b.verdict || old.rule_value(a) != new.rule_value(b))
    };
    Some((0..old.count()).filter(is_changed).collect())
}

/// Returns true if there are the same groups, with the same names for them.
fn have_same_names(old: &Groups<'_>, new: &Groups<'_>) -> bool {
    let is_same = |((_, a, a_group), (_, b, b_group)): (AgentLine, AgentLine)| {
        let a = Names::of(&old.file()[a], old.profile());
        let b = Names::of(&new.file()[b], new.profile());
        a_group == b_group && is_same_name(a, b)
    };
    let agents = |groups: &Groups<'_>| groups.agent_lines().count();
    agents(old) == agents(new) && old.agent_lines().zip(new.agent_lines()).all(is_same)
}

type AgentLine = (u32, Range<usize>, u32);

fn is_same_name(a: Names<'_>, b: Names<'_>) -> bool {
    match (a, b) {
        (Names::Token(a), Names::Token(b)) => a.eq_ignore_ascii_case(b),
        (a, b) => a == b,
    }
}

impl Subjects<'_> {
    /// Returns true if an edit within one line leaves what the line says in every profile.
    fn is_same_line(&self, span: &Range<usize>, replacement: &[u8]) -> bool {
        let line = line_span(self.file, span.start);
        let is_end = |byte: &u8| b"\r\n".contains(byte);
        let len = self.file.len().max(self.file.len() - span.len() + replacement.len());
        let within = span.end <= line.end
            && !self.file[span.clone()].iter().any(is_end)
            && !replacement.iter().any(is_end)
            // A byte order mark, and what is cut off, are about the file as a whole.
            && line.start > 3
            && len <= Profile::MIN_SIZE_LIMIT;
        let before = &self.file[line.clone()];
        let edit = span.start - line.start..span.end - line.start;
        within && {
            let after = replaced(before, [(&edit, replacement)]);
            // Read alone, a line may begin with a byte order mark, or a part of one, that is skipped; in the file it
            // is not.
            let has_mark = |line: &[u8]| line.first() == Some(&0xEF);
            !has_mark(before)
                && !has_mark(&after)
                && self.all.iter().all(|subject| {
                    let profile = subject.robots.profile();
                    says(before, profile) == says(&after, profile)
                })
        }
    }
}

/// What a line says of groups, rules and the pace.
#[derive(PartialEq)]
enum Said {
    Nothing,
    Name(Vec<u8>),
    /// Verdict, pattern, whether it is anchored, precedence.
    Rules(Vec<(Verdict, Vec<u8>, bool, u32)>),
    Empty(Verdict),
    Pace(Pace),
    Other(LineKind),
}

fn says(line: &[u8], profile: &Profile) -> Said {
    let mut said = Said::Nothing;
    scan(line, profile, None, |lines| {
        for found in lines.iter().map(|found| found.trimmed(line)) {
            let value = &line[found.value_at as usize..found.value_end as usize];
            said = match found.kind {
                LineKind::UserAgent => match Names::of(value, profile) {
                    Names::Everybody => Said::Name(b"*".to_vec()),
                    Names::Token(token) => Said::Name(token.to_ascii_lowercase()),
                    Names::Nobody => Said::Other(LineKind::UserAgent),
                },
                LineKind::Allow => says_rule(Verdict::Allow, value, profile),
                LineKind::Disallow => says_rule(Verdict::Disallow, value, profile),
                LineKind::CrawlDelay => Said::Pace(Pace::of_line(Kind::CrawlDelay, value)),
                LineKind::RequestRate => Said::Pace(Pace::of_line(Kind::RequestRate, value)),
                kind => Said::Other(kind),
            };
        }
    });
    said
}

fn says_rule(verdict: Verdict, value: &[u8], profile: &Profile) -> Said {
    if value.is_empty() {
        return Said::Empty(verdict);
    }
    let rules = RuleSet::new(iter::once(RawRule { line: 1, verdict, value }), profile);
    let pattern = |rule: RuleRef<'_>| {
        let pattern = rule.pattern;
        (verdict, pattern.bytes.to_vec(), pattern.anchored, rule.precedence)
    };
    Said::Rules(rules.iter().map(pattern).collect())
}

/// What a policy says of the start page, and of paths that it does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    start_page: bool,
    unnamed: [bool; 2],
    /// True if no rule gives another verdict than these.
    whole: bool,
}

impl Start {
    /// Returns true if the start page is closed, and all that no rule names.
    pub(crate) fn is_closed(&self) -> bool {
        !self.start_page && self.unnamed == [false; 2]
    }

    pub(crate) fn of(policy: &Policy) -> Start {
        let is_allowed = |path: &[u8]| policy.is_path_allowed(path).unwrap_or(true);
        let (start_page, unnamed) = (is_allowed(b"/"), UNNAMED.map(is_allowed));
        let whole = unnamed == [start_page; 2]
            && policy.rules().all(|rule| rule.verdict.is_allow() == start_page);
        Start { start_page, unnamed, whole }
    }
}

impl Harm {
    fn of(
        [old, new]: &[Start; 2],
        crawlers: &[Vec<u8>],
        profile: Cow<'static, str>,
    ) -> Option<Harm> {
        let start_page = old.start_page != new.start_page;
        let unnamed = old.unnamed != new.unnamed
            && [old, new].iter().all(|start| start.unnamed[0] == start.unnamed[1]);
        if !start_page && !unnamed {
            return None;
        }
        let blocks = if start_page { !new.start_page } else { !new.unnamed[0] };
        let whole = new.whole && start_page && unnamed;
        let (crawlers, profiles) = (crawlers.to_vec(), vec![profile]);
        Some(Harm { blocks, whole, start_page, crawlers, profiles })
    }

    /// Returns true if the same is done to the same crawlers, maybe in another profile.
    fn is_like(&self, other: &Harm) -> bool {
        let kind = |harm: &Harm| (harm.blocks, harm.whole, harm.start_page);
        kind(self) == kind(other) && self.crawlers == other.crawlers
    }
}
