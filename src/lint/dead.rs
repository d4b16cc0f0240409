//! Rules that can be removed without changing a verdict, decided by automata.
//!
//! A rule is *dead* if no target exists on which it decides and the next rule that matches, or
//! the default, says otherwise. To find out, the rules are walked together as one automaton, as
//! in `automaton::determinise`, but towards a question about one rule: a state is where the
//! rules stand, and which run of lower precedence matched so far. A state is left out
//!
//! * where the rule can match no more,
//! * where a rule of higher precedence matched: the rule does not decide,
//! * where the best rule of lower precedence says the same, and none is left that could
//!   contradict it.
//!
//! If no state is left that shows the rule's effect, the rule is dead. Targets are taken to be
//! any bytes after a `/`: more than there are, so a rule that is dead here is dead. What the
//! walk may cost has a budget; beyond it nothing is said of the rule.
//!
//! Most rules are alive, and most of those show it on a target made from their own pattern.
//! These are tried first.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

use crate::policy::Policy;
use crate::profile::Profile;
use crate::rules::Pattern;
use crate::verdict::Verdict;

/// The work that the rules of a file may cost, counted in places of patterns looked at.
const FILE_WORK: u64 = 1_000_000;

/// The work that one rule may cost, at each attempt.
const RULE_WORK: [u64; 3] = [2_000, 20_000, 200_000];

/// The work that targets made from the patterns of a file's rules may cost.
const WITNESS_WORK: u64 = 800_000;

/// The rules of all policies of a file together, at most; those of further policies are left
/// undecided.
const RULES: usize = 1 << 17;

/// So many rules that keep a dead one from having an effect are looked at.
const BLOCKERS: usize = 64;

/// So many of them are named.
const NAMED: usize = 4;

/// What became of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// No target matches it.
    NeverMatches,
    /// It decides nowhere, and rules of the other verdict are among those that decide instead.
    NeverWins,
    /// Wherever it decides, the verdict would be the same without it.
    Redundant,
    /// An earlier rule has the same pattern and verdict.
    Duplicate,
}

/// A rule that can be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dead {
    pub(super) line: u32,
    pub(super) fate: Fate,
    /// The lines of rules that leave it without an effect, ascending; not all of them. Empty
    /// where the rule says what holds without any rule.
    pub(super) by: Vec<u32>,
}

/// What was found out about the rules of a file.
#[derive(Debug, Default)]
pub(super) struct DeadRules {
    /// By line. All of them can be removed at once.
    pub(super) dead: Vec<Dead>,
    /// The lines of rules that were left undecided for the budget.
    pub(super) undecided: Vec<u32>,
}

/// Finds the dead rules of a file, given all its policies.
///
/// A rule is dead if it is in each policy that it belongs to. Of rules that are dead only as
/// long as another one stays, only one is found.
///
/// `group_of`: the group of a rule's line. A group with another one behind it keeps one rule, or
/// its user-agent lines would become the next one's; `rules_left`: by group, how many it has.
pub(super) fn dead_rules(
    policies: &[Policy],
    profile: &Profile,
    group_of: impl Fn(u32) -> Option<u32>,
    mut rules_left: Vec<u32>,
) -> DeadRules {
    let mut found = DeadRules::default();
    let mut undecided = BTreeSet::new();
    let mut rules = Rules::new(policies, profile, &mut undecided);
    let mut order = rules.order();
    order.retain(|line| !undecided.contains(line));
    let mut walk = Walk { work: 0, limit: WITNESS_WORK };
    order.retain(|line| !rules.shows_effect(*line, &mut walk));
    // The quick ones first, so that those that take long do not use up what they need.
    let last_group = rules_left.len().checked_sub(1);
    let mut left = FILE_WORK;
    for limit in RULE_WORK {
        order.retain(|line| {
            let group = group_of(*line).map(|group| group as usize);
            let is_last = group == last_group;
            let removable = is_last || group.is_none_or(|group| rules_left[group] > 1);
            let mut walk = Walk { work: 0, limit: limit.min(left) };
            let fate = rules.fate(*line, removable, &mut walk);
            left -= walk.work.min(left);
            let Ok(fate) = fate else { return true };
            if let Some(dead) = fate {
                if let Some(group) = group.filter(|_| !is_last) {
                    rules_left[group] = rules_left[group].saturating_sub(1);
                }
                rules.removed.insert(*line);
                found.dead.push(dead);
            }
            false
        });
    }
    undecided.extend(order);
    found.dead.sort_by_key(|dead| dead.line);
    found.undecided = undecided.into_iter().collect();
    found
}

/// The budget was used up before the answer was found.
struct OverBudget;

/// A rule in a set: the set's number and the rule's rank.
type At = (usize, usize);

/// The rules of a file.
struct Rules<'p> {
    sets: Vec<Set<'p>>,
    /// By set: the first one with the same patterns and verdicts. Many files repeat a group for
    /// each crawler.
    same: Vec<usize>,
    /// By line.
    places: HashMap<u32, Vec<At>>,
    /// By line: the lines of earlier rules that are the same in all, in the sets from which this
    /// one is left out for that.
    twins: HashMap<u32, BTreeSet<u32>>,
    /// Those that were found dead.
    removed: HashSet<u32>,
    /// Whether a target made from the pattern shows an effect, by rule of a `same` set.
    shown: HashMap<At, bool>,
    /// Whether the rule has an effect in the file as it stands, and the ranks of rules that are
    /// the cause if not, by rule of a `same` set.
    known: HashMap<At, (bool, BTreeSet<usize>)>,
}

impl<'p> Rules<'p> {
    /// Of as many policies as there is room for; the lines of the others are undecided.
    fn new(policies: &'p [Policy], profile: &Profile, undecided: &mut BTreeSet<u32>) -> Rules<'p> {
        let mut room = RULES;
        let mut rules = Rules {
            sets: Vec::new(),
            same: Vec::new(),
            places: HashMap::new(),
            twins: HashMap::new(),
            removed: HashSet::new(),
            shown: HashMap::new(),
            known: HashMap::new(),
        };
        let mut firsts = HashMap::new();
        for policy in policies {
            if policy.rule_count() > room {
                undecided.extend(policy.rules().map(|rule| rule.line));
                continue;
            }
            room -= policy.rule_count();
            let (set, number) = (Set::new(policy, profile, &mut rules.twins), rules.sets.len());
            for (rank, ranked) in set.ranked.iter().enumerate().filter(|(_, r)| r.line != 0) {
                rules.places.entry(ranked.line).or_default().push((number, rank));
            }
            for rule in policy.rules() {
                rules.places.entry(rule.line).or_default();
            }
            let bytes = |r: &Ranked<'p>| (r.verdict, r.pattern.bytes, r.pattern.anchored);
            // Where a line has two patterns, they count as one rule.
            let mut lines = HashSet::new();
            let twice = !set.ranked.iter().all(|ranked| lines.insert(ranked.line));
            let key: Vec<_> = set.ranked.iter().map(bytes).collect();
            let same = if twice { number } else { *firsts.entry(key).or_insert(number) };
            rules.same.push(same);
            rules.sets.push(set);
        }
        rules
    }

    /// The lines from the highest precedence to the lowest, of equal ones the last line first:
    /// what is found is the longer one of two, and the later one.
    fn order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = self.places.keys().copied().collect();
        let precedence =
            |line: &u32| self.places[line].iter().map(|at| self.rule(at).precedence).max();
        order.sort_by_cached_key(|line| Reverse((precedence(line), *line)));
        order
    }

    fn rule(&self, &(set, rank): &At) -> &Ranked<'p> {
        &self.sets[set].ranked[rank]
    }

    /// Whether a target made from a rule's pattern shows that it has an effect.
    fn shows_effect(&mut self, line: u32, walk: &mut Walk) -> bool {
        let Rules { sets, same, places, shown, .. } = self;
        places[&line].iter().filter(|at| sets[at.0].can_match(at.1)).any(|&(set, rank)| {
            let at = (same[set], rank);
            *shown.entry(at).or_insert_with(|| {
                matches!(sets[set].shows_effect(rank, Question::Verdict, walk), Ok(true))
            })
        })
    }

    /// Whether a rule has an effect in the file as it stands. If not, `by` gets the lines of
    /// rules that are the cause.
    fn has_effect(
        &mut self,
        &(set, rank): &At,
        walk: &mut Walk,
        by: &mut BTreeSet<u32>,
    ) -> Result<bool, OverBudget> {
        let at = (self.same[set], rank);
        let ranked = &self.sets[set].ranked;
        if let Some((has_effect, ranks)) = self.known.get(&at) {
            by.extend(ranks.iter().map(|rank| ranked[*rank].line));
            return Ok(*has_effect);
        }
        let mut ranks = BTreeSet::new();
        let none = HashSet::new();
        let has_effect =
            self.sets[set].has_effect(rank, Question::Verdict, &none, walk, &mut ranks)?;
        by.extend(ranks.iter().map(|rank| ranked[*rank].line));
        self.known.insert(at, (has_effect, ranks));
        Ok(has_effect)
    }

    /// What becomes of a rule, if it is dead.
    fn fate(
        &mut self,
        line: u32,
        removable: bool,
        walk: &mut Walk,
    ) -> Result<Option<Dead>, OverBudget> {
        let can_match = |&(set, rank): &At| self.sets[set].can_match(rank);
        let live: Vec<At> = self.places[&line].iter().copied().filter(can_match).collect();
        let first = self.twins.get(&line).and_then(|lines| lines.first()).copied();
        let first_can_match = first.is_some_and(|first| self.places[&first].iter().any(can_match));
        if live.is_empty() && !first_can_match {
            return Ok(Some(Dead { line, fate: Fate::NeverMatches, by: Vec::new() }));
        }
        if !removable {
            return Ok(None);
        }
        if let Some(first) = first.filter(|_| live.is_empty()) {
            return Ok(Some(Dead { line, fate: Fate::Duplicate, by: vec![first] }));
        }
        let mut by = BTreeSet::new();
        for at in &live {
            if self.has_effect(at, walk, &mut by)? {
                return Ok(None);
            }
        }
        // A rule may be needed once others are removed.
        let mut touched = Vec::new();
        for &(set, rank) in &live {
            let set = &self.sets[set];
            let others = set.compatible(rank, walk)?;
            if others.iter().any(|other| self.removed.contains(&set.ranked[*other].line)) {
                touched.push((set, rank));
            }
        }
        if !touched.is_empty() {
            by.clear();
        }
        for (set, rank) in touched {
            let mut ranks = BTreeSet::new();
            if set.has_effect(rank, Question::Verdict, &self.removed, walk, &mut ranks)? {
                return Ok(None);
            }
            by.extend(ranks.iter().map(|rank| set.ranked[*rank].line));
        }
        let own = self.rule(&live[0]);
        let rules_of =
            |line: &u32| self.places.get(line).into_iter().flatten().map(|at| self.rule(at));
        let is_same = |line: &u32| {
            rules_of(line).any(|r| (r.verdict, r.pattern) == (own.verdict, own.pattern))
        };
        if let Some(same) = by.iter().copied().find(|by| *by < line && is_same(by)) {
            return Ok(Some(Dead { line, fate: Fate::Duplicate, by: vec![same] }));
        }
        let mut winners = BTreeSet::new();
        let mut decides = false;
        for &(set, rank) in &live {
            let set = &self.sets[set];
            let mut ranks = BTreeSet::new();
            // Over the budget it is known to be dead all the same.
            decides |= set.shows_effect(rank, Question::Winner, walk).unwrap_or(true)
                || set
                    .has_effect(rank, Question::Winner, &self.removed, walk, &mut ranks)
                    .unwrap_or(true);
            winners.extend(ranks.iter().map(|rank| set.ranked[*rank].line));
        }
        // Line 0 is the rule of `/robots.txt`.
        let contradicts =
            |line: &u32| *line == 0 || rules_of(line).any(|rule| rule.verdict != own.verdict);
        let fate = if !decides && winners.iter().any(contradicts) {
            by = winners.into_iter().filter(contradicts).collect();
            Fate::NeverWins
        } else {
            Fate::Redundant
        };
        let by = by.into_iter().filter(|line| *line != 0).take(NAMED).collect();
        Ok(Some(Dead { line, fate, by }))
    }
}

/// What is asked about a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    /// Whether there is a target on which the verdict is another one without it.
    Verdict,
    /// Whether there is a target on which it decides.
    Winner,
}

/// The work done.
struct Walk {
    work: u64,
    limit: u64,
}

impl Walk {
    fn add(&mut self, work: usize) -> Result<(), OverBudget> {
        self.work += work as u64;
        if self.work > self.limit { Err(OverBudget) } else { Ok(()) }
    }
}

/// A rule of a policy, or the one of `/robots.txt`, which is of line 0.
#[derive(Clone, Copy, Debug)]
struct Ranked<'p> {
    line: u32,
    verdict: Verdict,
    precedence: u32,
    pattern: Pattern<'p>,
    /// The pattern up to its first star.
    head: &'p [u8],
    /// Which bytes the pattern has, stars apart: see [`mask`].
    mask: u64,
    /// Neighbours of one verdict are one run; the default belongs to the last one.
    run: u32,
}

/// The bytes of a text, as bits that some of them share. A pattern matches no text without its
/// bytes.
fn mask(text: &[u8]) -> u64 {
    text.iter().fold(0, |mask, byte| mask | 1 << (byte & 63))
}

/// So many patterns are looked at by their masks for the work of one comparison.
const MASKS_FOR_ONE: usize = 16;

/// The rules of a policy, the best ones first.
struct Set<'p> {
    ranked: Vec<Ranked<'p>>,
    /// Ranks by head.
    by_head: Vec<u32>,
    wildcards: bool,
    /// The run of the default.
    default_run: u32,
    /// A byte that is in no pattern, if there is one.
    fresh: Option<u8>,
}

impl<'p> Set<'p> {
    /// Of equal rules the first one. For the others `twins` gets it: of such rules any can go as
    /// long as one stays, and none of them changes what becomes of the other rules.
    fn new(
        policy: &'p Policy,
        profile: &Profile,
        twins: &mut HashMap<u32, BTreeSet<u32>>,
    ) -> Set<'p> {
        let wildcards = profile.wildcards;
        let mut ranked = Vec::with_capacity(policy.rule_count() + 1);
        if profile.robots_txt_allowed {
            ranked.push(Ranked {
                line: 0,
                verdict: Verdict::Allow,
                precedence: u32::MAX,
                pattern: Pattern { bytes: b"/robots.txt", anchored: true },
                head: b"/robots.txt",
                mask: mask(b"/robots.txt"),
                run: 0,
            });
        }
        let mut firsts = HashMap::new();
        ranked.extend(policy.rules().filter_map(|rule| {
            let key = (rule.verdict, rule.precedence, rule.pattern(), rule.is_anchored());
            let first = *firsts.entry(key).or_insert(rule.line);
            if first != rule.line {
                twins.entry(rule.line).or_default().insert(first);
                return None;
            }
            let bytes = rule.pattern();
            let star = memchr::memchr(b'*', bytes).filter(|_| wildcards);
            Some(Ranked {
                line: rule.line,
                verdict: rule.verdict,
                precedence: rule.precedence,
                pattern: Pattern { bytes, anchored: rule.is_anchored() },
                head: &bytes[..star.unwrap_or(bytes.len())],
                mask: bytes
                    .split(|byte| wildcards && *byte == b'*')
                    .fold(0, |all, piece| all | mask(piece)),
                run: 0,
            })
        }));
        let mut run = 0;
        for rank in 1..ranked.len() {
            run += u32::from(ranked[rank].verdict != ranked[rank - 1].verdict);
            ranked[rank].run = run;
        }
        let ends_in = ranked.last().map_or(Verdict::Allow, |rule| rule.verdict);
        let default_run = run + u32::from(ends_in == Verdict::Disallow);
        let mut by_head: Vec<u32> = (0..ranked.len() as u32).collect();
        by_head.sort_by_key(|rank| ranked[*rank as usize].head);
        let mut seen = [false; 256];
        for byte in ranked.iter().flat_map(|ranked| ranked.pattern.bytes) {
            seen[usize::from(*byte)] = true;
        }
        let letters = (b'a'..=b'z').chain(b'A'..=b'Z').chain(b'0'..=b'9').chain(*b"-_.~");
        let fresh = letters.chain(0..=255).find(|byte| !seen[usize::from(*byte)]);
        Set { ranked, by_head, wildcards, default_run, fresh }
    }

    /// Whether any target matches: all begin with `/`.
    fn can_match(&self, rank: usize) -> bool {
        let Pattern { bytes, anchored } = self.ranked[rank].pattern;
        match bytes.first() {
            Some(b'/') => true,
            Some(b'*') => self.wildcards,
            Some(_) => false,
            None => !anchored,
        }
    }

    /// The verdict of a run.
    fn verdict_of(&self, run: u32) -> Verdict {
        // Runs alternate, and the default allows.
        if (self.default_run - run).is_multiple_of(2) { Verdict::Allow } else { Verdict::Disallow }
    }

    fn head(&self, at: usize) -> &'p [u8] {
        self.ranked[self.by_head[at] as usize].head
    }

    /// The ranks of the rules with a head that `text` begins with.
    fn heads_of<'s>(&'s self, text: &'s [u8]) -> impl Iterator<Item = usize> + 's {
        let mut from = 0;
        (0..=text.len()).flat_map(move |len| {
            let head = &text[..len];
            let left = &self.by_head[from..];
            let before =
                left.partition_point(|rank| self.ranked[*rank as usize].head < head) + from;
            // The head is the lowest one from here on.
            let count = self.by_head[before..]
                .partition_point(|rank| self.ranked[*rank as usize].head == head);
            from = before + count;
            self.by_head[before..from].iter().map(|rank| *rank as usize)
        })
    }

    /// The ranks of all rules that may match what rule number `rank` matches, itself included.
    fn compatible(&self, rank: usize, walk: &mut Walk) -> Result<Vec<usize>, OverBudget> {
        let head = self.ranked[rank].head;
        let mut ranks: Vec<usize> = self.heads_of(head).collect();
        let from = self.by_head.partition_point(|rank| self.ranked[*rank as usize].head <= head);
        let longer = (from..self.by_head.len()).take_while(|at| self.head(*at).starts_with(head));
        ranks.extend(longer.map(|at| self.by_head[at] as usize));
        walk.add(1 + ranks.len() / MASKS_FOR_ONE)?;
        Ok(ranks)
    }

    /// Whether a target made from the rule's pattern shows that the answer to the question is yes.
    fn shows_effect(
        &self,
        rank: usize,
        question: Question,
        walk: &mut Walk,
    ) -> Result<bool, OverBudget> {
        let own = &self.ranked[rank];
        let fresh: Vec<u8> = self.fresh.into_iter().collect();
        let mut target = Vec::new();
        let fills = [fresh.as_slice(), b""];
        for fill in fills {
            for end in fills {
                self.fill(&mut target, b"", own.pattern, fill);
                if !own.pattern.anchored {
                    target.extend_from_slice(end);
                }
                if self.is_witness(rank, &target, question, walk)? {
                    return Ok(true);
                }
                if own.pattern.anchored || fresh.is_empty() {
                    break;
                }
            }
            if !self.wildcards || own.head.len() == own.pattern.bytes.len() {
                break;
            }
        }
        // The verdict without it may need another rule, of the other verdict: that one's target
        // with this one's behind its first star, and the other way round.
        const TRIED: usize = 8;
        let lower = if question == Question::Verdict { &self.ranked[rank + 1..] } else { &[] };
        let runs = lower.iter().filter(|other| other.verdict != own.verdict);
        let join = |target: &mut Vec<u8>, start: &Ranked<'_>, end: &Ranked<'_>| {
            let mut before = Vec::new();
            self.fill(&mut before, b"", start.pattern, &fresh);
            let bytes = &end.pattern.bytes[end.head.len()..];
            self.fill(target, &before, Pattern { bytes, ..end.pattern }, &fresh);
        };
        let joins = |start: &Ranked<'_>, end: &Ranked<'_>| {
            !start.pattern.anchored
                && end.head.len() < end.pattern.bytes.len()
                && start.head.starts_with(end.head)
        };
        let others = runs.filter(|other| joins(own, other) || joins(other, own));
        for other in others.take(TRIED) {
            for (start, end) in [(own, other), (other, own)] {
                if joins(start, end) {
                    join(&mut target, start, end);
                    if self.is_witness(rank, &target, question, walk)? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Puts a target that the pattern matches behind `start`.
    fn fill(&self, target: &mut Vec<u8>, start: &[u8], pattern: Pattern<'_>, fill: &[u8]) {
        target.clear();
        target.extend_from_slice(start);
        for byte in pattern.bytes {
            match byte {
                b'*' if self.wildcards => {
                    if target.is_empty() {
                        target.push(b'/');
                    }
                    target.extend_from_slice(fill);
                }
                byte => target.push(*byte),
            }
        }
        if target.is_empty() {
            target.push(b'/');
        }
    }

    /// Whether the answer to the question is yes for this target.
    fn is_witness(
        &self,
        rank: usize,
        target: &[u8],
        question: Question,
        walk: &mut Walk,
    ) -> Result<bool, OverBudget> {
        let own = &self.ranked[rank];
        if !own.pattern.matches(target, self.wildcards) {
            return Ok(false);
        }
        let mut run = self.default_run;
        let bytes = mask(target);
        for (number, other) in self.heads_of(target).enumerate() {
            walk.add(usize::from(number % MASKS_FOR_ONE == 0))?;
            let ranked = &self.ranked[other];
            let counts = other < rank || question == Question::Verdict && ranked.run < run;
            if !counts || ranked.mask & !bytes != 0 || ranked.line == own.line {
                continue;
            }
            walk.add(1)?;
            if ranked.pattern.matches(target, self.wildcards) {
                if other < rank {
                    return Ok(false);
                }
                run = ranked.run;
            }
        }
        Ok(question == Question::Winner || self.verdict_of(run) != own.verdict)
    }

    /// The best rule that matches wherever rule number `rank` does, by a comparison of the two
    /// patterns alone: it may miss one.
    fn cover(
        &self,
        rank: usize,
        counts: impl Fn(&usize) -> bool,
        walk: &mut Walk,
    ) -> Result<Option<usize>, OverBudget> {
        // As a target in which a star stands for anything, which only a star matches.
        let own = self.ranked[rank].pattern;
        let mut text = own.bytes.to_vec();
        if self.wildcards && !own.anchored {
            text.push(b'*');
        }
        let mut texts = vec![text];
        if self.wildcards && own.bytes.first() == Some(&b'*') {
            // Targets begin with `/`: the star matches it and more, or nothing at all.
            let behind = texts[0].split_off(1);
            texts[0] = [b"/*", behind.as_slice()].concat();
            if behind.first() == Some(&b'/') {
                texts.push(behind);
            }
        }
        let mut best: Option<usize> = None;
        let bytes = mask(&texts[0]);
        for (number, other) in self.heads_of(&texts[0]).enumerate() {
            walk.add(usize::from(number % MASKS_FOR_ONE == 0))?;
            let ranked = &self.ranked[other];
            if best.is_none_or(|best| other < best)
                && ranked.mask & !bytes == 0
                && other != rank
                && counts(&other)
            {
                walk.add(1)?;
                if texts.iter().all(|text| ranked.pattern.matches(text, self.wildcards)) {
                    best = Some(other);
                }
            }
        }
        Ok(best)
    }

    /// Whether a rule has an effect if the rules of some lines are left out. If it has none,
    /// `by` gets the ranks of rules that are the cause.
    fn has_effect(
        &self,
        rank: usize,
        question: Question,
        without: &HashSet<u32>,
        walk: &mut Walk,
        by: &mut BTreeSet<usize>,
    ) -> Result<bool, OverBudget> {
        let own_line = self.ranked[rank].line;
        let counts = |other: &usize| {
            let line = self.ranked[*other].line;
            *other == rank
                || line != own_line
                    && !without.contains(&line)
                    && (*other < rank || question == Question::Verdict)
        };
        let (start, cover) = match self.cover(rank, counts, walk)? {
            Some(cover) if cover < rank => {
                by.insert(cover);
                return Ok(false);
            }
            Some(cover) => (self.ranked[cover].run, Some(cover)),
            None => (self.default_run, None),
        };
        let mut begin = State { matched: false, run: start, places: Vec::new() };
        let mut search = Search { set: self, rank, question, start, by };
        let mut reached = Reached::default();
        for other in self.compatible(rank, walk)?.into_iter().filter(counts) {
            walk.add(1)?;
            // Every target begins with `/`, and a star at the start matches it or nothing.
            let bytes = self.ranked[other].pattern.bytes;
            match bytes.first() {
                Some(b'/') => search.arrive(other, 1, &mut reached),
                Some(b'*') if self.wildcards => {
                    search.arrive(other, 0, &mut reached);
                    if bytes.get(1) == Some(&b'/') {
                        search.arrive(other, 2, &mut reached);
                    }
                }
                None if !self.ranked[other].pattern.anchored => {
                    search.arrive(other, 0, &mut reached);
                }
                _ => {}
            }
        }
        let has_effect =
            search.settle(&mut begin, &mut reached, None) && search.run(begin, walk)?;
        // Where the cover says the same, it is the cause.
        if let Some(cover) = cover.filter(|_| !has_effect) {
            search.blocked_by(cover);
        }
        Ok(has_effect)
    }
}

/// Where the rules stand after some bytes of a target.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    /// Whether the rule that is asked about has matched, whatever follows.
    matched: bool,
    /// The best run of the rules of lower precedence that have matched.
    run: u32,
    /// Sorted.
    places: Vec<Place>,
}

/// Before byte number `at` of the pattern of rule number `rank`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Place {
    rank: u32,
    at: u32,
}

/// What one byte leads to.
#[derive(Debug, Default)]
struct Reached {
    places: Vec<Place>,
    /// Rules that have matched.
    matched: Vec<u32>,
}

struct Search<'s, 'p> {
    set: &'s Set<'p>,
    rank: usize,
    question: Question,
    /// The run of a rule that always matches.
    start: u32,
    by: &'s mut BTreeSet<usize>,
}

impl Search<'_, '_> {
    /// The rule stands before byte `at` now.
    fn arrive(&self, rank: usize, mut at: usize, reached: &mut Reached) {
        let Pattern { bytes, anchored } = self.set.ranked[rank].pattern;
        if self.set.wildcards && bytes.get(at) == Some(&b'*') {
            at += 1;
        }
        if at == bytes.len() && !anchored {
            reached.matched.push(rank as u32);
        } else {
            reached.places.push(Place { rank: rank as u32, at: at as u32 });
        }
    }

    fn is_behind_star(&self, place: Place) -> bool {
        let bytes = self.set.ranked[place.rank as usize].pattern.bytes;
        self.set.wildcards && place.at > 0 && bytes[place.at as usize - 1] == b'*'
    }

    fn is_at_end(&self, place: Place) -> bool {
        place.at as usize == self.set.ranked[place.rank as usize].pattern.bytes.len()
    }

    fn blocked_by(&mut self, rank: usize) {
        if self.by.len() < BLOCKERS {
            self.by.insert(rank);
        }
    }

    /// Makes a state of what was reached; `false` where the rule has no effect from there on.
    fn settle(&mut self, state: &mut State, reached: &mut Reached, from: Option<&State>) -> bool {
        let own = self.rank as u32;
        state.matched = from.is_some_and(|from| from.matched);
        state.run = from.map_or(self.start, |from| from.run);
        let mut lower = None;
        for &rank in &reached.matched {
            let run = self.set.ranked[rank as usize].run;
            if rank < own {
                self.blocked_by(rank as usize);
                return false;
            } else if rank == own {
                state.matched = true;
            } else if run < state.run {
                state.run = run;
                lower = Some(rank);
            }
        }
        let places = &mut reached.places;
        places.retain(|place| {
            if place.rank == own {
                !state.matched
            } else {
                place.rank < own || self.set.ranked[place.rank as usize].run < state.run
            }
        });
        places.sort_unstable();
        places.dedup();
        // What comes behind a later star of a pattern is reached from every place before it.
        state.places.clear();
        for place in places.iter().rev() {
            let later = state.places.iter().rev().take_while(|later| later.rank == place.rank);
            if !later.into_iter().any(|later| self.is_behind_star(*later)) {
                state.places.push(*place);
            }
        }
        state.places.reverse();
        if !state.matched && !state.places.iter().any(|place| place.rank == own) {
            return false;
        }
        let verdict = self.set.ranked[self.rank].verdict;
        let may_contradict = |place: &Place| {
            let rule = &self.set.ranked[place.rank as usize];
            place.rank > own && rule.verdict != verdict
        };
        if self.question == Question::Verdict
            && self.set.verdict_of(state.run) == verdict
            && !state.places.iter().any(may_contradict)
        {
            if let Some(lower) = lower {
                self.blocked_by(lower as usize);
            }
            return false;
        }
        true
    }

    /// Whether the rule has its effect if the target ends here.
    fn ends_here(&mut self, state: &State) -> bool {
        let own = self.rank as u32;
        let (mut matched, mut run) = (state.matched, state.run);
        for &place in &state.places {
            if !self.is_at_end(place) {
                continue;
            }
            if place.rank < own {
                if matched || state.places.iter().any(|p| p.rank == own && self.is_at_end(*p)) {
                    self.blocked_by(place.rank as usize);
                }
                return false;
            }
            let rule = &self.set.ranked[place.rank as usize];
            if place.rank == own {
                matched = true;
            } else if rule.run < run {
                run = rule.run;
            }
        }
        let verdict = self.set.ranked[self.rank].verdict;
        let effect = self.question == Question::Winner || self.set.verdict_of(run) != verdict;
        if matched && !effect {
            let lower = state.places.iter().find(|place| {
                place.rank > own
                    && self.is_at_end(**place)
                    && self.set.ranked[place.rank as usize].run == run
            });
            if let Some(lower) = lower {
                self.blocked_by(lower.rank as usize);
            }
        }
        matched && effect
    }

    /// Walks all states that matter, in depth first, towards what would show the effect.
    fn run(&mut self, begin: State, walk: &mut Walk) -> Result<bool, OverBudget> {
        if self.ends_here(&begin) {
            return Ok(true);
        }
        let mut seen = HashSet::from([begin.clone()]);
        let mut path = vec![self.frame(begin, walk)?];
        let mut reached = Reached::default();
        while let Some(frame) = path.last_mut() {
            let Some(places) = frame.left.pop() else {
                path.pop();
                continue;
            };
            walk.add(frame.stay.len() + places.len() + 1)?;
            reached.matched.clear();
            reached.places.clear();
            reached.places.extend_from_slice(&frame.stay);
            for place in places {
                self.arrive(place.rank as usize, place.at as usize + 1, &mut reached);
            }
            let mut state = State { matched: false, run: 0, places: Vec::new() };
            if !self.settle(&mut state, &mut reached, Some(&frame.state)) || seen.contains(&state) {
                continue;
            }
            if self.ends_here(&state) {
                return Ok(true);
            }
            seen.insert(state.clone());
            path.push(self.frame(state, walk)?);
        }
        Ok(false)
    }

    /// The ways on from a state, the most promising one last.
    fn frame(&self, state: State, walk: &mut Walk) -> Result<Frame, OverBudget> {
        let own = self.rank as u32;
        let verdict = self.set.ranked[self.rank].verdict;
        let wants_other =
            self.question == Question::Verdict && self.set.verdict_of(state.run) == verdict;
        walk.add(state.places.len() + 1)?;
        let mut stay = Vec::new();
        let mut moves: Vec<(u8, Place)> = Vec::new();
        for &place in &state.places {
            if self.is_behind_star(place) {
                stay.push(place);
            }
            let bytes = self.set.ranked[place.rank as usize].pattern.bytes;
            if let Some(byte) = bytes.get(place.at as usize) {
                moves.push((*byte, place));
            }
        }
        moves.sort_unstable_by_key(|(byte, _)| *byte);
        let own_stays = state.matched || stay.iter().any(|place| place.rank == own);
        // First the rule's own bytes, then those of a rule that says otherwise, if one is
        // wanted, the nearest to its end first; then any byte that no rule asks for.
        let mut left = Vec::new();
        for chunk in moves.chunk_by(|a, b| a.0 == b.0) {
            let has_own = chunk.iter().any(|(_, place)| place.rank == own);
            if !own_stays && !has_own {
                continue;
            }
            let to_end = |place: &Place| {
                let rule = &self.set.ranked[place.rank as usize];
                let contradicts = wants_other && place.rank > own && rule.verdict != verdict;
                contradicts.then(|| rule.pattern.bytes.len() - place.at as usize)
            };
            let nearest = chunk.iter().filter_map(|(_, place)| to_end(place)).min();
            let places: Vec<Place> = chunk.iter().map(|(_, place)| *place).collect();
            left.push(((!has_own, nearest.is_none(), nearest), places));
        }
        // A byte is left unless the rules ask for all of them.
        if own_stays && left.len() < 256 {
            left.push(((true, true, None), Vec::new()));
        }
        // Stable: the byte that no rule asks for comes before the others of its kind.
        left.reverse();
        left.sort_by_key(|(key, _)| *key);
        left.reverse();
        let left = left.into_iter().map(|(_, places)| places).collect();
        Ok(Frame { state, stay, left })
    }
}

/// A state on the way that is walked.
struct Frame {
    state: State,
    /// The places behind a star: any byte leaves them.
    stay: Vec<Place>,
    /// By byte still to be tried, the places that it moves; the last one comes next.
    left: Vec<Vec<Place>>,
}
