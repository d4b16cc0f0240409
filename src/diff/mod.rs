//! Finds what changed from one robots.txt to another: in meaning, not in text.
//!
//! [`files`] compares two files for every crawler that they name, [`crawlers`] for crawlers of
//! your choice, and [`policies`] compares two policies. Each result is a [`Difference`]: proven
//! equal, or paths that one side allows and the other does not.
//!
//! ```
//! use robotsieve::diff::{self, Difference, Limits};
//! use robotsieve::{Profile, Robots};
//!
//! let old = b"User-agent: *\nDisallow: /shop/\nDisallow: /shop/cart\nAllow: /shop/open";
//! let new = b"User-agent: *\nAllow: /shop/open$\nDisallow: /shop/\n";
//! let [old, new] = [&old[..], new].map(|file| Robots::parse(file, &Profile::RFC9309));
//! let compared = diff::files(&old, &new, &Limits::default());
//! let Difference::Different(flips) = &compared[0].difference else { panic!() };
//! assert_eq!(flips.newly_disallowed[0].path, b"/shop/opena");
//! // Dropping the line for `/shop/cart` changes nothing, and nothing became allowed.
//! assert!(flips.newly_allowed.is_empty() && flips.unproven.is_none());
//! ```
//!
//! # How it works
//!
//! 1. Policies whose rules have the same patterns in the same order of precedence are equal.
//! 2. Otherwise the automata of both policies are walked in lockstep. The algorithm of Hopcroft
//!    and Karp first decides whether they are equal at all. It takes nearly linear time in the
//!    size of both, so if both have a DFA, this is always known. Differences that no real URL can
//!    reach are ignored: a third automaton knows which bytes normalising leaves.
//! 3. If they differ, all pairs of states are visited breadth first, so the first path found in
//!    each direction is a shortest one. [`Limits::pairs`] bounds this search.
//! 4. If the search hits that bound, or the rules of a policy are over the limits of the
//!    automaton, paths made from the rules of both are tried. This can find differences but never
//!    prove that there are none. [`Flips::unproven`] or [`Difference::Unknown`] then says why.
//!
//! All of this has a budget for two files together, counted in steps, so that the result is the
//! same in every run: two files of 500 KiB take less than a second. The smallest policies come
//! first, and what they leave is for the larger ones.
//!
//! Every path that is returned was put to both policies, and they gave different verdicts.

mod budget;
mod files;
mod product;
mod samples;
mod targets;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;

use crate::automaton::{Automaton, Compiler, LimitHit};
use crate::policy::Policy;
use crate::verdict::Verdict;

use budget::Budget;
pub use files::{ComparedCrawlers, crawlers, files, named_crawlers};
use product::{End, Product};
use samples::Samples;
use targets::Targets;

/// How much work a comparison may take, and how much it reports.
///
/// ```
/// use robotsieve::diff::Limits;
///
/// let mut limits = Limits::default();
/// limits.flips = 1;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How many pairs of states the search for shortest flips visits at most, for each pair of
    /// policies. A whole file may take twice as many, those of the proofs included; once they
    /// are used up, each pair of policies still gets a few hundred.
    pub pairs: usize,
    /// How many flips to report at most in each direction: one for each pair of deciding rules.
    pub flips: usize,
    /// How many paths to try at most if the automata give no proof. Fewer are tried if there are
    /// thousands of rules, or many policies of which that is true.
    pub samples: usize,
}

impl Default for Limits {
    /// 262,144 pairs (some 30 MB and less than a second), 5 flips in each direction, and 20,000
    /// sampled paths.
    fn default() -> Limits {
        Limits { pairs: 1 << 18, flips: 5, samples: 20_000 }
    }
}

/// The result of comparing two policies.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Difference {
    /// Both are proven to allow the same URLs.
    Equal,
    /// They differ on these paths.
    Different(Flips),
    /// No difference was found, but equality is not proven.
    Unknown {
        /// Why there is no proof.
        unproven: Unproven,
        /// How many paths were tried.
        sampled: usize,
    },
}

impl Difference {
    /// Whether both policies are proven to allow the same URLs.
    pub fn is_equal(&self) -> bool {
        *self == Difference::Equal
    }

    /// The paths on which they differ, if any were found.
    pub fn flips(&self) -> Option<&Flips> {
        match self {
            Difference::Different(flips) => Some(flips),
            _ => None,
        }
    }
}

/// Paths on which two policies differ. At least one direction has some.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Flips {
    /// Paths that the old policy allows and the new one disallows. The proven shortest come
    /// first, then the others by length.
    pub newly_disallowed: Vec<Flip>,
    /// Paths that the old policy disallows and the new one allows, in the same order.
    pub newly_allowed: Vec<Flip>,
    /// Why the comparison ended early. If this is `None`, a direction without flips has none.
    pub unproven: Option<Unproven>,
}

/// A path on which two policies differ.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Flip {
    /// The path, with its query if it has one. To be passed to [`Policy::is_path_allowed`], not
    /// to [`Policy::is_allowed`], which takes a path that begins with `//` for a host.
    #[cfg_attr(feature = "serde", serde(with = "crate::bytes_as_text"))]
    pub path: Vec<u8>,
    /// Whether no shorter target flips in this direction; proven.
    pub is_shortest: bool,
    /// The rule that decides in the old policy, if one does.
    pub old: Option<DecidingRule>,
    /// The rule that decides in the new policy, if one does.
    pub new: Option<DecidingRule>,
}

/// The rule that decides about a path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct DecidingRule {
    /// Whether it allows or disallows.
    pub verdict: Verdict,
    /// Its line number, from 1.
    pub line: u32,
    /// Its value as written.
    #[cfg_attr(feature = "serde", serde(with = "crate::bytes_as_text"))]
    pub value: Vec<u8>,
}

/// Why a comparison has no proof.
///
/// Its `Display` is a clause such as `more than 262144 pairs of states`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Unproven {
    /// The automata have more pairs of states than [`Limits::pairs`], or than what was left of
    /// the budget for a whole file.
    Pairs(usize),
    /// The rules of the old policy are over the limits of the automaton.
    Old(LimitHit),
    /// The rules of the new policy are over the limits of the automaton.
    New(LimitHit),
    /// The policies are of different profiles.
    Profiles,
    /// The comparison would take more work than that of two files may take.
    Work,
}

impl Unproven {
    fn or_work(limit: Option<LimitHit>, of: impl Fn(LimitHit) -> Unproven) -> Unproven {
        limit.map_or(Unproven::Work, of)
    }
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
            Unproven::Work => f.write_str("the comparison would take too much work"),
        }
    }
}

/// Compares two policies of the same profile: whether they allow the same URLs, and if not, the
/// shortest paths on which they differ.
///
/// Compiles both policies if they are not compiled yet. Time and memory are bounded, whatever the
/// rules and the limits: beyond the bound the result says that it is not proven.
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
#[must_use]
pub fn policies(old: &Policy, new: &Policy, limits: &Limits) -> Difference {
    policies_within(old, new, limits, &mut Budget::of(limits))
}

/// Like [`policies`], but takes its work from a budget for several comparisons.
fn policies_within(old: &Policy, new: &Policy, limits: &Limits, budget: &mut Budget) -> Difference {
    if old.is_same(new) || old.decides_like(new) {
        return Difference::Equal;
    }
    let mut found = Found::new(old, new, limits, budget);
    match found.by_automata() {
        Ok(()) => found.difference(None, 0),
        Err(unproven) => {
            let sampled = found.by_samples();
            found.difference(Some(unproven), sampled)
        }
    }
}

/// How many pairs may be visited even if the budget for several comparisons is used up, so that
/// small automata are always compared in full.
const LEAST_PAIRS: usize = 256;

/// How many paths to look at for each flip to report. Most are dropped, since another one with
/// the same pair of deciding rules is known.
const CANDIDATES_PER_FLIP: usize = 200;

/// How many paths to look at in each direction even if the budget is used up, if that is cheap.
const LEAST_CANDIDATES: usize = 4;

/// The lines of two deciding rules.
type Lines = [Option<u32>; 2];

/// What was found so far.
struct Found<'p> {
    old: &'p Policy,
    new: &'p Policy,
    limits: &'p Limits,
    budget: &'p mut Budget,
    /// Whether a path that flips was dropped because the budget was used up.
    dropped: bool,
    /// Newly disallowed and newly allowed.
    directions: [Direction; 2],
}

#[derive(Default)]
struct Direction {
    flips: Vec<Flip>,
    lines: HashSet<Lines>,
    candidates: usize,
    /// The length in bytes of the shortest target that flips, once it is proven.
    nearest: Option<usize>,
}

impl<'p> Found<'p> {
    fn new(
        old: &'p Policy,
        new: &'p Policy,
        limits: &'p Limits,
        budget: &'p mut Budget,
    ) -> Found<'p> {
        let directions = [Direction::default(), Direction::default()];
        Found { old, new, limits, budget, dropped: false, directions }
    }

    /// Compares the automata. Returns an error if there may be flips that were not found.
    fn by_automata(&mut self) -> Result<(), Unproven> {
        let (old, new) = (self.old, self.new);
        if old.reading() != new.reading() {
            return Err(Unproven::Profiles);
        }
        let old =
            automaton(old, self.budget).map_err(|limit| Unproven::or_work(limit, Unproven::Old))?;
        let new =
            automaton(new, self.budget).map_err(|limit| Unproven::or_work(limit, Unproven::New))?;
        let targets = Targets::of(self.old.reading());
        let visited = Cell::new(0);
        let product = Product { old: old.table(), new: new.table(), targets, visited: &visited };
        let end = self.by_product(product);
        self.budget.pairs = self.budget.pairs.saturating_sub(visited.get());
        end
    }

    fn by_product(&mut self, product: Product<'_>) -> Result<(), Unproven> {
        let limit = self.budget.pairs.max(LEAST_PAIRS);
        match product.decide_alike(limit) {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(()) => return Err(Unproven::Pairs(limit)),
        }
        let left = self.budget.pairs.saturating_sub(product.visited.get());
        let pairs = self.limits.pairs.min(left.max(LEAST_PAIRS));
        let end = product.flips(pairs, |target, verdict| {
            if !self.is_full(verdict) {
                let target = target();
                let nearest = *self.direction(verdict).nearest.get_or_insert(target.len());
                let is_shortest = target.len() == nearest;
                self.add(product.targets.path(target), verdict, is_shortest);
            }
            !(self.is_full(Verdict::Disallow) && self.is_full(Verdict::Allow))
        });
        match end {
            End::Limit => Err(Unproven::Pairs(pairs)),
            _ if self.dropped => Err(Unproven::Work),
            End::Exhausted | End::Stopped => Ok(()),
        }
    }

    /// Tries paths made from the rules of both, and returns how many.
    fn by_samples(&mut self) -> usize {
        if !self.budget.pay_for_samples([self.old, self.new]) {
            return 0;
        }
        let mut samples = Samples::new(self.old, self.new, self.limits.samples);
        let rules = self.old.rule_count() + self.new.rule_count();
        let mut count = 0;
        while let Some(path) = samples.next()
            && self.budget.pay_for_sample(path.len(), rules)
        {
            count += 1;
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
        let dropped = self.dropped;
        let direction = self.direction(verdict);
        direction.flips.len() >= limit
            || direction.candidates >= limit.saturating_mul(CANDIDATES_PER_FLIP)
            || dropped
    }

    /// Adds a path that flips to this verdict, unless another one with the same pair of deciding
    /// rules is known.
    fn add(&mut self, path: Vec<u8>, verdict: Verdict, is_shortest: bool) {
        let is_needed = self.direction(verdict).candidates < LEAST_CANDIDATES;
        if !self.budget.pay_for_rules([self.old, self.new], path.len(), is_needed) {
            self.dropped = true;
            return;
        }
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

/// The automaton of a policy. If the policy uses another engine, one is built for the comparison.
/// Returns the limit that it hit, or `None` if the budget is used up.
fn automaton<'p>(
    policy: &'p Policy,
    budget: &mut Budget,
) -> Result<Cow<'p, Automaton>, Option<LimitHit>> {
    policy.compile();
    if let Some(automaton) = policy.automaton() {
        return Ok(Cow::Borrowed(automaton));
    }
    /// More than the usual limits, since a comparison may cost more than a verdict.
    const STATES: u32 = 1 << 18;
    if !budget.pay_for_trie(policy) {
        return Err(None);
    }
    let limits = crate::Limits {
        states: Some(STATES),
        work: Some(budget.nodes),
        table_bytes: 64 << 20,
        ..crate::Limits::default()
    };
    let mut compiler = Compiler::default();
    let automaton = compiler.compile(policy.rule_set(), policy.reading().encoding, &limits);
    budget.nodes = budget.nodes.saturating_sub(compiler.work());
    Ok(Cow::Owned(automaton.map_err(Some)?))
}
