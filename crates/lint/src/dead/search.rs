//! The search for a target that shows a rule's effect.
//!
//! The rule and all that can match beside it are walked together, as in
//! `automaton::determinise`, but with one question about one rule. A [`State`] holds the positions
//! in their patterns, whether the rule itself has matched, and the best run of lower precedence
//! that has. A state is not followed if
//!
//! * the rule can no longer match,
//! * a rule of higher precedence has matched, so that the rule doesn't decide,
//! * the best rule of lower precedence says the same, and no rule is left that could contradict
//!   it.
//!
//! If no state that is left shows the effect, there is none.

use std::collections::{BTreeSet, HashSet};

use robotsieve::internals::Pattern;

use super::patterns::{PolicyRules, RankedRule};
use super::work::{OverBudget, Question, Work};

/// The most causes that are kept.
const MAX_CAUSES: usize = 64;

/// Where the rules are after some bytes of a target.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    /// True if the rule in question has matched, whatever follows.
    matched: bool,
    /// The best run of the rules of lower precedence that have matched.
    run: u32,
    /// Sorted.
    positions: Vec<Position>,
}

/// Before byte `at` of the pattern of rule number `rank`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Position {
    rank: u32,
    at: u32,
}

/// Where one byte leads.
#[derive(Debug, Default)]
struct Reached {
    positions: Vec<Position>,
    /// The ranks of rules that have matched.
    matched: Vec<u32>,
}

/// A search for the effect of one rule.
pub(super) struct Search<'s, 'p> {
    rules: &'s PolicyRules<'p>,
    rank: usize,
    question: Question,
    /// The run that holds where no rule of lower precedence has matched.
    default_run: u32,
    causes: &'s mut BTreeSet<usize>,
}

impl<'s, 'p> Search<'s, 'p> {
    pub(super) fn new(
        rules: &'s PolicyRules<'p>,
        rank: usize,
        question: Question,
        default_run: u32,
        causes: &'s mut BTreeSet<usize>,
    ) -> Search<'s, 'p> {
        Search { rules, rank, question, default_run, causes }
    }

    /// Searches among the targets that these rules tell apart; the rule itself is one of them.
    pub(super) fn finds_effect(
        &mut self,
        ranks: &[usize],
        work: &mut Work,
    ) -> Result<bool, OverBudget> {
        let mut reached = Reached::default();
        for &rank in ranks {
            work.add(1)?;
            // Every target begins with `/`, and a star at the start matches it or nothing.
            let Pattern { bytes, anchored } = self.rules.ranked[rank].pattern;
            match bytes.first() {
                Some(b'/') => self.arrive(rank, 1, &mut reached),
                Some(b'*') if self.rules.wildcards => {
                    self.arrive(rank, 0, &mut reached);
                    if bytes.get(1) == Some(&b'/') {
                        self.arrive(rank, 2, &mut reached);
                    }
                }
                None if !anchored => self.arrive(rank, 0, &mut reached),
                _ => {}
            }
        }
        let mut start = State { matched: false, run: self.default_run, positions: Vec::new() };
        if !self.settle(&mut start, &mut reached, None) {
            return Ok(false);
        }
        self.run(start, work)
    }

    pub(super) fn add_cause(&mut self, rank: usize) {
        if self.causes.len() < MAX_CAUSES {
            self.causes.insert(rank);
        }
    }

    fn own(&self) -> &'s RankedRule<'p> {
        &self.rules.ranked[self.rank]
    }

    fn rule(&self, position: Position) -> &'s RankedRule<'p> {
        &self.rules.ranked[position.rank as usize]
    }

    fn follows_star(&self, position: Position) -> bool {
        let bytes = self.rule(position).pattern.bytes;
        self.rules.wildcards && position.at > 0 && bytes[position.at as usize - 1] == b'*'
    }

    fn is_at_end(&self, position: Position) -> bool {
        position.at as usize == self.rule(position).pattern.bytes.len()
    }

    /// Puts a rule before byte `at` of its pattern.
    fn arrive(&self, rank: usize, mut at: usize, reached: &mut Reached) {
        let Pattern { bytes, anchored } = self.rules.ranked[rank].pattern;
        if self.rules.wildcards && bytes.get(at) == Some(&b'*') {
            at += 1;
        }
        if at == bytes.len() && !anchored {
            reached.matched.push(rank as u32);
        } else {
            reached.positions.push(Position { rank: rank as u32, at: at as u32 });
        }
    }

    /// Makes a state of what was reached; `false` if the rule has no effect from there on.
    fn settle(&mut self, state: &mut State, reached: &mut Reached, from: Option<&State>) -> bool {
        let own = self.rank as u32;
        state.matched = from.is_some_and(|from| from.matched);
        state.run = from.map_or(self.default_run, |from| from.run);
        let mut lower = None;
        for &rank in &reached.matched {
            let run = self.rules.ranked[rank as usize].run;
            if rank < own {
                self.add_cause(rank as usize);
                return false;
            } else if rank == own {
                state.matched = true;
            } else if run < state.run {
                state.run = run;
                lower = Some(rank);
            }
        }
        let positions = &mut reached.positions;
        positions.retain(|position| {
            if position.rank == own {
                !state.matched
            } else {
                position.rank < own || self.rules.ranked[position.rank as usize].run < state.run
            }
        });
        positions.sort_unstable();
        positions.dedup();
        // A position after a star makes all earlier ones of the same pattern superfluous: what
        // can be reached from them can be reached from it.
        state.positions.clear();
        for position in positions.iter().rev() {
            let later = state.positions.iter().rev().take_while(|p| p.rank == position.rank);
            if !later.into_iter().any(|later| self.follows_star(*later)) {
                state.positions.push(*position);
            }
        }
        state.positions.reverse();
        if !state.matched && !state.positions.iter().any(|position| position.rank == own) {
            return false;
        }
        let verdict = self.own().verdict;
        let may_contradict =
            |position: &Position| position.rank > own && self.rule(*position).verdict != verdict;
        if self.question == Question::ChangesVerdict
            && self.rules.verdict_of(state.run) == verdict
            && !state.positions.iter().any(may_contradict)
        {
            if let Some(lower) = lower {
                self.add_cause(lower as usize);
            }
            return false;
        }
        true
    }

    /// Returns true if the rule has its effect on the target that ends here.
    fn has_effect_at_end(&mut self, state: &State) -> bool {
        let own = self.rank as u32;
        let (mut matched, mut run) = (state.matched, state.run);
        for &position in &state.positions {
            if !self.is_at_end(position) {
                continue;
            }
            if position.rank < own {
                if matched || state.positions.iter().any(|p| p.rank == own && self.is_at_end(*p)) {
                    self.add_cause(position.rank as usize);
                }
                return false;
            }
            let rule = self.rule(position);
            if position.rank == own {
                matched = true;
            } else if rule.run < run {
                run = rule.run;
            }
        }
        let effect =
            self.question == Question::Decides || self.rules.verdict_of(run) != self.own().verdict;
        if matched && !effect {
            let lower = state.positions.iter().find(|position| {
                position.rank > own
                    && self.is_at_end(**position)
                    && self.rule(**position).run == run
            });
            if let Some(lower) = lower {
                self.add_cause(lower.rank as usize);
            }
        }
        matched && effect
    }

    /// Walks all states that matter, depth first, towards one that shows the effect.
    fn run(&mut self, start: State, work: &mut Work) -> Result<bool, OverBudget> {
        if self.has_effect_at_end(&start) {
            return Ok(true);
        }
        let mut seen = HashSet::from([start.clone()]);
        let mut path = vec![self.step(start, work)?];
        let mut reached = Reached::default();
        while let Some(step) = path.last_mut() {
            let Some(moved) = step.untried.pop() else {
                path.pop();
                continue;
            };
            work.add(step.stay.len() + moved.len() + 1)?;
            reached.matched.clear();
            reached.positions.clear();
            reached.positions.extend_from_slice(&step.stay);
            for position in moved {
                self.arrive(position.rank as usize, position.at as usize + 1, &mut reached);
            }
            let mut state = State { matched: false, run: 0, positions: Vec::new() };
            if !self.settle(&mut state, &mut reached, Some(&step.state)) || seen.contains(&state) {
                continue;
            }
            if self.has_effect_at_end(&state) {
                return Ok(true);
            }
            seen.insert(state.clone());
            path.push(self.step(state, work)?);
        }
        Ok(false)
    }

    /// A state with the bytes to try from it, the most promising one last.
    fn step(&self, state: State, work: &mut Work) -> Result<Step, OverBudget> {
        let own = self.rank as u32;
        let verdict = self.own().verdict;
        let wants_other = self.question == Question::ChangesVerdict
            && self.rules.verdict_of(state.run) == verdict;
        work.add(state.positions.len() + 1)?;
        let mut stay = Vec::new();
        let mut moves: Vec<(u8, Position)> = Vec::new();
        for &position in &state.positions {
            if self.follows_star(position) {
                stay.push(position);
            }
            if let Some(byte) = self.rule(position).pattern.bytes.get(position.at as usize) {
                moves.push((*byte, position));
            }
        }
        moves.sort_unstable_by_key(|(byte, _)| *byte);
        let own_stays = state.matched || stay.iter().any(|position| position.rank == own);
        // The rule's own bytes come first; then, if a contradiction is wanted, those of the rule
        // that is nearest to giving it; then a byte that no rule asks for.
        let mut untried = Vec::new();
        for chunk in moves.chunk_by(|a, b| a.0 == b.0) {
            let has_own = chunk.iter().any(|(_, position)| position.rank == own);
            if !own_stays && !has_own {
                continue;
            }
            let to_end = |position: &Position| {
                let rule = self.rule(*position);
                let contradicts = wants_other && position.rank > own && rule.verdict != verdict;
                contradicts.then(|| rule.pattern.bytes.len() - position.at as usize)
            };
            let nearest = chunk.iter().filter_map(|(_, position)| to_end(position)).min();
            let moved: Vec<Position> = chunk.iter().map(|(_, position)| *position).collect();
            untried.push(((!has_own, nearest.is_none(), nearest), moved));
        }
        // A byte that no rule asks for, unless they ask for all of them.
        if own_stays && untried.len() < 256 {
            untried.push(((true, true, None), Vec::new()));
        }
        // Stable, and popped from the end: of equal keys the byte that no rule asks for comes
        // first.
        untried.reverse();
        untried.sort_by_key(|(key, _)| *key);
        untried.reverse();
        let untried = untried.into_iter().map(|(_, moved)| moved).collect();
        Ok(Step { state, stay, untried })
    }
}

/// A state on the path that is being walked.
struct Step {
    state: State,
    /// The positions after a star: every byte leaves them in place.
    stay: Vec<Position>,
    /// For each byte still to be tried, the positions that it moves on; the last one is next.
    untried: Vec<Vec<Position>>,
}

impl PolicyRules<'_> {
    /// Whether the answer to the question is yes if the rules of some lines are left out. If it is
    /// no, adds the ranks of rules that are the cause.
    pub(super) fn has_effect(
        &self,
        rank: usize,
        question: Question,
        without: &HashSet<u32>,
        work: &mut Work,
        causes: &mut BTreeSet<usize>,
    ) -> Result<bool, OverBudget> {
        let own_line = self.ranked[rank].line;
        let counts = |other: &usize| {
            let line = self.ranked[*other].line;
            *other == rank
                || line != own_line
                    && !without.contains(&line)
                    && (*other < rank || question == Question::ChangesVerdict)
        };
        let cover = self.cover(rank, counts, work)?;
        if let Some(cover) = cover.filter(|cover| *cover < rank) {
            causes.insert(cover);
            return Ok(false);
        }
        // A cover of lower precedence takes the place of the default.
        let default_run = cover.map_or(self.default_run, |cover| self.ranked[cover].run);
        let mut others = self.compatible(rank, work)?;
        others.retain(counts);
        let mut search = Search::new(self, rank, question, default_run, causes);
        let has_effect = search.finds_effect(&others, work)?;
        // If the cover says the same, it is a cause too.
        if let Some(cover) = cover.filter(|_| !has_effect) {
            search.add_cause(cover);
        }
        Ok(has_effect)
    }
}
