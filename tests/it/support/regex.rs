//! The second oracle: regex-automata. Only the translation of rules to regexes is our own.
//!
//! The rules, in order of precedence, become the patterns of one leftmost-first matcher. If several
//! patterns match, such a matcher reports the first one, which is the rule of highest precedence.

use std::cmp::Reverse;

use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson::pikevm::{self, PikeVM};
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_automata::{Anchored, Input, MatchKind};
use regex_syntax::hir::{Dot, Hir, Look, Repetition};
use robotsieve::{Policy, Profile, Rule, Verdict};

/// The dense DFA is skipped if it needs more bytes: some rule sets have no small DFA.
const DENSE_LIMIT_BYTES: usize = 8 << 20;

/// The rules of a policy, compiled by regex-automata in two ways.
pub struct Oracle {
    /// The verdict and line of each pattern.
    outcomes: Vec<(Verdict, u32)>,
    robots_txt_allowed: bool,
    pike: PikeVM,
    cache: pikevm::Cache,
    /// `None` if it would be too large.
    dense: Option<dense::DFA<Vec<u32>>>,
}

impl Oracle {
    pub fn new(policy: &Policy, profile: &Profile) -> Oracle {
        let mut rules: Vec<Rule<'_>> = policy.rules().collect();
        // Sorted here because the order of `rules()` is one of the things under test.
        rules.sort_by_key(|rule| {
            (Reverse(rule.precedence), rule.verdict == Verdict::Disallow, rule.line)
        });
        let patterns: Vec<Hir> = rules.iter().map(|rule| hir(rule, profile.wildcards)).collect();
        let nfa = NFA::compiler()
            .configure(thompson::Config::new().utf8(false).which_captures(WhichCaptures::None))
            .build_many_from_hir(&patterns)
            .expect("an NFA without a size limit");
        let dense = dense::Builder::new()
            .configure(
                dense::Config::new()
                    .start_kind(StartKind::Anchored)
                    .match_kind(MatchKind::LeftmostFirst)
                    .dfa_size_limit(Some(DENSE_LIMIT_BYTES))
                    .determinize_size_limit(Some(DENSE_LIMIT_BYTES)),
            )
            .build_from_nfa(&nfa)
            .ok();
        let pike = PikeVM::builder()
            .configure(pikevm::Config::new().match_kind(MatchKind::LeftmostFirst))
            .build_from_nfa(nfa)
            .expect("a PikeVM");
        Oracle {
            outcomes: rules.iter().map(|rule| (rule.verdict, rule.line)).collect(),
            robots_txt_allowed: profile.robots_txt_allowed,
            cache: pike.create_cache(),
            pike,
            dense,
        }
    }

    /// The PikeVM's answer for a normalised target: the verdict, and the line that decided.
    pub fn pike(&mut self, target: &[u8]) -> (Verdict, Option<u32>) {
        let input = Input::new(target).anchored(Anchored::Yes);
        let pattern = self.pike.search_slots(&mut self.cache, &input, &mut []);
        self.outcome(target, pattern.map(|pattern| pattern.as_usize()))
    }

    /// The dense DFA's answer; `None` if there is no dense DFA.
    pub fn dense(&self, target: &[u8]) -> Option<(Verdict, Option<u32>)> {
        let input = Input::new(target).anchored(Anchored::Yes);
        let dense = self.dense.as_ref()?;
        let found = dense.try_search_fwd(&input).expect("an anchored search");
        Some(self.outcome(target, found.map(|half| half.pattern().as_usize())))
    }

    fn outcome(&self, target: &[u8], pattern: Option<usize>) -> (Verdict, Option<u32>) {
        if self.robots_txt_allowed && target == b"/robots.txt" {
            return (Verdict::Allow, None);
        }
        match pattern.map(|pattern| self.outcomes[pattern]) {
            Some((verdict, line)) => (verdict, Some(line)),
            None => (Verdict::Allow, None),
        }
    }
}

/// The pattern as a regex over bytes: `*` is `(?s-u:.)*`, the anchor is `\z`.
fn hir(rule: &Rule<'_>, wildcards: bool) -> Hir {
    let star = || {
        Hir::repetition(Repetition {
            min: 0,
            max: None,
            greedy: true,
            sub: Box::new(Hir::dot(Dot::AnyByte)),
        })
    };
    let mut parts = Vec::new();
    for (i, piece) in rule.pattern().split(|byte| *byte == b'*' && wildcards).enumerate() {
        if i > 0 {
            parts.push(star());
        }
        parts.push(Hir::literal(piece));
    }
    if rule.anchored() {
        parts.push(Hir::look(Look::End));
    }
    Hir::concat(parts)
}
