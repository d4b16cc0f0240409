//! What changed from one robots.txt to another: not in its lines but in its meaning.
//!
//! ```
//! use robotsieve::diff::{self, Difference, Limits};
//! use robotsieve::{Profile, Robots};
//!
//! let old = b"User-agent: *\nDisallow: /shop/\nDisallow: /shop/cart\nAllow: /shop/open";
//! let new = b"User-agent: *\nAllow: /shop/open$\nDisallow: /shop/\n";
//! let [old, new] = [&old[..], new].map(|file| Robots::parse(file, &Profile::RFC9309));
//! let crawlers = diff::files(&old, &new, &Limits::default());
//! let Difference::Different(flips) = &crawlers[0].difference else { panic!() };
//! assert_eq!(flips.newly_disallowed[0].path, b"/shop/opena");
//! // That `/shop/cart` is gone changes nothing, and nothing else became allowed.
//! assert!(flips.newly_allowed.is_empty() && flips.unproven.is_none());
//! ```
//!
//! # How it is decided
//!
//! 1. Rules with the same patterns in the same order of precedence mean the same.
//! 2. The automata of both policies are walked in step. First is found out whether they decide
//!    alike at all, by the algorithm of Hopcroft and Karp: nearly linear in the size of both,
//!    so this is always known where both are DFAs. Targets that no URL has do not count: a
//!    third automaton knows which bytes normalising leaves.
//! 3. If they differ, all pairs of states are visited breadth first. So the first path found in
//!    each direction is a shortest one. [`Limits::pairs`] bounds it.
//! 4. Where that bound is hit, or an automaton is over its own limits, paths made from the rules
//!    of both are tried. That finds differences, but never proves that there are none, and
//!    [`Flips::unproven`] or [`Difference::Unknown`] says so.
//!
//! Every path that is handed out was asked of both policies and flips.

mod files;
mod product;
mod samples;
mod targets;

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use crate::automaton::LimitHit;
use crate::automaton::{Automaton, Compiler};
use crate::policy::Policy;
use crate::verdict::Verdict;

pub use files::{CrawlersDifference, crawlers, files, named_crawlers};
use product::{End, Product};
use samples::Samples;
use targets::Targets;

/// How much work a comparison may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Pairs of states that are visited at most to find shortest flips, for each pair of
    /// policies. [`files`] visits four times as many at most for a whole file.
    pub pairs: usize,
    /// Flips reported at most in each direction, one for each pair of deciding rules.
    pub flips: usize,
    /// Paths tried at most where the automata cannot tell; fewer where thousands of rules make
    /// that take seconds.
    pub samples: usize,
}

impl Default for Limits {
    /// 262,144 pairs (some 30 MB and less than a second), 5 flips in each direction and
    /// 20,000 sampled paths.
    fn default() -> Limits {
        Limits { pairs: 1 << 18, flips: 5, samples: 20_000 }
    }
}

/// What the comparison of two policies found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// Proven: both allow the same targets.
    Equal,
    /// These paths flip.
    Different(Flips),
    /// No path that flips was found, but that there is none is not proven.
    Unknown {
        /// Why not.
        unproven: Unproven,
        /// How many paths were tried.
        sampled: usize,
    },
}

impl Difference {
    /// Whether both are proven to allow the same.
    pub fn is_equal(&self) -> bool {
        *self == Difference::Equal
    }

    /// The flips that were found.
    pub fn flips(&self) -> Option<&Flips> {
        match self {
            Difference::Different(flips) => Some(flips),
            _ => None,
        }
    }
}

/// Paths that the two policies judge differently. At least one direction has some.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flips {
    /// Paths that were allowed and are not any more, the shortest first.
    pub newly_disallowed: Vec<Flip>,
    /// Paths that were disallowed and are allowed now, the shortest first.
    pub newly_allowed: Vec<Flip>,
    /// Why the comparison ended early, if it did. Otherwise a direction without flips has
    /// none.
    pub unproven: Option<Unproven>,
}

/// A path that flips.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flip {
    /// The path, with its query if it has one: for [`Policy::is_path_allowed`].
    pub path: Vec<u8>,
    /// Whether it is proven that no shorter target flips in this direction.
    pub is_shortest: bool,
    /// The rule that decided in the old policy, if one did.
    pub old: Option<DecidingRule>,
    /// The rule that decides in the new policy, if one does.
    pub new: Option<DecidingRule>,
}

/// A rule that decides about a path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecidingRule {
    /// What it says.
    pub verdict: Verdict,
    /// Its line, 1-based.
    pub line: u32,
    /// Its value as written.
    pub value: Vec<u8>,
}

/// Why something could not be proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unproven {
    /// The automata have more pairs of states than [`Limits::pairs`].
    Pairs(usize),
    /// The rules of the old policy are over the limits of the automaton.
    Old(LimitHit),
    /// The rules of the new policy are over the limits of the automaton.
    New(LimitHit),
    /// The policies were read in different profiles.
    Profiles,
}

impl fmt::Display for Unproven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unproven::Pairs(limit) => write!(f, "more than {limit} pairs of states"),
            Unproven::Old(limit) => {
                write!(f, "the old rules are over the automaton's limits: {limit}")
            }
            Unproven::New(limit) => {
                write!(f, "the new rules are over the automaton's limits: {limit}")
            }
            Unproven::Profiles => f.write_str("the policies are of different profiles"),
        }
    }
}

/// Whether two policies of the same profile allow the same targets, and the shortest paths that
/// show where they do not.
///
/// Compiles both, if that is still to be done. Time and memory are bounded by the limits and
/// by those of the automata.
///
/// ```
/// use robotsieve::diff::{self, Difference, Limits};
/// use robotsieve::{Crawler, Profile, Robots};
///
/// let policy = |file: &[u8]| {
///     Robots::parse(file, &Profile::RFC9309).policy(&Crawler::name("bot"))
/// };
/// let one = policy(b"User-agent: bot\nDisallow: /*/x\nDisallow: /a*/x");
/// let same = policy(b"User-agent: *\nDisallow: /*/x*");
/// assert_eq!(diff::policies(&one, &same, &Limits::default()), Difference::Equal);
/// ```
pub fn policies(old: &Policy, new: &Policy, limits: &Limits) -> Difference {
    policies_within(old, new, limits, &mut usize::MAX.clone())
}

/// As [`policies`], within what is left of a budget of pairs for several comparisons.
fn policies_within(old: &Policy, new: &Policy, limits: &Limits, budget: &mut usize) -> Difference {
    if old.is_same(new) || old.decides_like(new) {
        return Difference::Equal;
    }
    let mut found = Found::new(old, new, limits);
    match found.by_automata(budget) {
        Ok(()) => found.difference(None, 0),
        Err(unproven) => {
            let sampled = found.by_samples();
            found.difference(Some(unproven), sampled)
        }
    }
}

/// So many pairs may be visited even if the budget of several comparisons is used up: small
/// automata are always compared in full.
const LEAST_PAIRS: usize = 4_096;

/// Candidates looked at for each flip that may be reported: what has the same pair of deciding
/// rules as another one is left out.
const CANDIDATES_PER_FLIP: usize = 200;

/// Bytes of sampled paths times rules, at most: some two seconds for the costliest rules.
const SAMPLE_WORK: u64 = 4 << 30;

/// The lines of two deciding rules.
type Lines = [Option<u32>; 2];

/// What was found so far.
struct Found<'p> {
    old: &'p Policy,
    new: &'p Policy,
    limits: &'p Limits,
    /// Newly disallowed and newly allowed.
    directions: [Direction; 2],
}

#[derive(Default)]
struct Direction {
    flips: Vec<Flip>,
    lines: HashSet<Lines>,
    candidates: usize,
    /// Bytes of the nearest target that flips, where that is proven.
    nearest: Option<usize>,
}

impl<'p> Found<'p> {
    fn new(old: &'p Policy, new: &'p Policy, limits: &'p Limits) -> Found<'p> {
        Found { old, new, limits, directions: [Direction::default(), Direction::default()] }
    }

    /// Compares the automata. `Err`: what is still to be found is not proven to be there or not.
    fn by_automata(&mut self, budget: &mut usize) -> Result<(), Unproven> {
        let (old, new) = (self.old, self.new);
        if old.reading() != new.reading() {
            return Err(Unproven::Profiles);
        }
        let [old, new] =
            [automaton(old).map_err(Unproven::Old)?, automaton(new).map_err(Unproven::New)?];
        let targets = Targets::of(self.old.reading());
        let product = Product { old: old.table(), new: new.table(), targets };
        // Bounded by the size of the tables; the limit is there for tables of odd configurations.
        match product.decide_alike(self.limits.pairs.max(LEAST_PAIRS).saturating_mul(4)) {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(()) => return Err(Unproven::Pairs(self.limits.pairs)),
        }
        let pairs = self.limits.pairs.min((*budget).max(LEAST_PAIRS));
        let (end, visited) = product.flips(pairs, |target, verdict| {
            if !self.is_full(verdict) {
                let target = target();
                let nearest = *self.direction(verdict).nearest.get_or_insert(target.len());
                let is_shortest = target.len() == nearest;
                self.add(targets.path(target), verdict, is_shortest);
            }
            !(self.is_full(Verdict::Disallow) && self.is_full(Verdict::Allow))
        });
        *budget = budget.saturating_sub(visited);
        match end {
            End::Limit => Err(Unproven::Pairs(pairs)),
            End::Exhausted | End::Stopped => Ok(()),
        }
    }

    /// Tries paths made from the rules of both: how many.
    fn by_samples(&mut self) -> usize {
        let mut samples = Samples::new(self.old, self.new, self.limits.samples);
        let mut count = 0;
        let mut work = 0;
        while work < SAMPLE_WORK
            && let Some(path) = samples.next()
        {
            count += 1;
            work += path.len() as u64 * (self.old.rule_count() + self.new.rule_count()) as u64;
            let allowed = [self.old, self.new].map(|policy| policy.is_path_allowed(&path));
            if let [Ok(old), Ok(new)] = allowed
                && old != new
            {
                let verdict = if new { Verdict::Allow } else { Verdict::Disallow };
                if !self.is_full(verdict) {
                    self.add(path, verdict, false);
                }
            }
        }
        count
    }

    fn direction(&mut self, verdict: Verdict) -> &mut Direction {
        &mut self.directions[usize::from(verdict.is_allow())]
    }

    fn is_full(&mut self, verdict: Verdict) -> bool {
        let limit = self.limits.flips.max(1);
        let direction = self.direction(verdict);
        direction.flips.len() >= limit || direction.candidates >= limit * CANDIDATES_PER_FLIP
    }

    /// Adds a path that the new policy gives this verdict, if it flips, and by a pair of rules
    /// of its own.
    fn add(&mut self, path: Vec<u8>, verdict: Verdict, is_shortest: bool) {
        let decided = [self.old, self.new].map(|policy| policy.decide_path(&path).ok());
        let [Some(old), Some(new)] = decided else { return };
        let flips = old.verdict != new.verdict && new.verdict == verdict;
        debug_assert!(flips, "{} does not flip", path.escape_ascii());
        let rules = [old, new].map(|decision| {
            decision.rule().map(|rule| DecidingRule {
                verdict: rule.verdict,
                line: rule.line,
                value: rule.value.to_vec(),
            })
        });
        let direction = self.direction(verdict);
        direction.candidates += 1;
        let lines = [0, 1].map(|side: usize| rules[side].as_ref().map(|rule| rule.line));
        if flips && direction.lines.insert(lines) {
            let [old, new] = rules;
            direction.flips.push(Flip { path, is_shortest, old, new });
        }
    }

    fn difference(self, unproven: Option<Unproven>, sampled: usize) -> Difference {
        let [mut newly_disallowed, mut newly_allowed] = self.directions.map(|d| d.flips);
        for flips in [&mut newly_disallowed, &mut newly_allowed] {
            flips.sort_by_key(|flip| (!flip.is_shortest, flip.path.len()));
        }
        if !newly_disallowed.is_empty() || !newly_allowed.is_empty() {
            return Difference::Different(Flips { newly_disallowed, newly_allowed, unproven });
        }
        match unproven {
            Some(unproven) => Difference::Unknown { unproven, sampled },
            None => Difference::Equal,
        }
    }
}

/// The automaton of a policy, or one that is built for the comparison, whatever the policy's
/// own engine.
fn automaton(policy: &Policy) -> Result<Cow<'_, Automaton>, LimitHit> {
    policy.compile();
    if let Some(automaton) = policy.automaton() {
        return Ok(Cow::Borrowed(automaton));
    }
    /// A comparison is worth more than a question: so many times the usual limits.
    const STATES: u32 = 1 << 18;
    const WORK: u64 = 1 << 26;
    let limits = crate::Limits {
        states: Some(STATES),
        work: Some(WORK),
        table_bytes: 64 << 20,
        ..crate::Limits::default()
    };
    let automaton =
        Compiler::default().compile(policy.rule_set(), policy.reading().encoding, &limits)?;
    Ok(Cow::Owned(automaton))
}
