//! Compares two policies.

mod rules;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;

use robotsieve::internals::{Automaton, Compiler, PolicyInternals as _};
use robotsieve::{LimitHit, Policy, Verdict};

use super::budget::Budget;
use super::extent::{Extent, WholeSite};
use super::limits::Limits;
use super::product::{End, Product};
use super::samples::Samples;
use super::targets::{Targets, has_stray};

/// The result of comparing two policies.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Difference {
    /// Both are proven to allow the same URLs.
    Equal,
    /// They differ on these paths.
    Different(Flips),
    /// No difference was found, but equality is not proven. Never if a difference is proven: then
    /// a path that shows it is known.
    Unknown {
        /// Why there is no proof.
        unproven: Unproven,
        /// The number of paths that were tried.
        sampled: usize,
    },
}

impl Difference {
    /// Returns true if both policies are proven to allow the same URLs.
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
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Flips {
    /// Paths that the old policy allows and the new one disallows. The proven shortest come
    /// first, then the others by length.
    pub newly_disallowed: Vec<Flip>,
    /// Paths that the old policy disallows and the new one allows, in the same order.
    pub newly_allowed: Vec<Flip>,
    /// The number of further pairs of deciding rules that were found to flip paths in the first direction,
    /// beyond [`Limits::flips`]. At least: the search ends soon after that.
    pub more_disallowed: usize,
    /// The same for the other direction.
    pub more_allowed: usize,
    /// The number of rules of only one policy that may flip paths too, in either direction: the
    /// budget was used up before that was known. Every other such rule decides one of the paths
    /// found or counted, or is proven to flip none.
    #[serde(default)]
    pub unexamined: usize,
    /// The fate of the whole site: closed or opened. `None` if it is not proven that it was.
    pub whole_site: Option<WholeSite>,
    /// Why the comparison ended early. If this is `None`, a direction without flips has none.
    pub unproven: Option<Unproven>,
}

/// A path on which two policies differ.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Flip {
    /// The path, with its query if it has one. To be passed to [`Policy::is_path_allowed`], not
    /// to [`Policy::is_allowed`], which takes a path that begins with `//` for a host.
    #[serde(with = "robotsieve::internals::bytes_as_text")]
    pub path: Vec<u8>,
    /// True if no shorter target flips in this direction; proven. If valid URLs flip, targets that
    /// none has, since a `%` in them begins no escape, do not count.
    pub is_shortest: bool,
    /// The other paths that are proven to flip with it.
    pub extent: Extent,
    /// The rule that decides in the old policy, if one does.
    pub old: Option<DecidingRule>,
    /// The rule that decides in the new policy, if one does.
    pub new: Option<DecidingRule>,
}

impl Flip {
    /// Returns true if no valid URL has this path.
    fn is_stray(&self) -> bool {
        has_stray(&self.path)
    }
}

/// The rule that decides about a path.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct DecidingRule {
    /// The verdict that it gives: `allow` or `disallow`.
    pub verdict: Verdict,
    /// Its line number, from 1.
    pub line: u32,
    /// Its value as written.
    #[serde(with = "robotsieve::internals::bytes_as_text")]
    pub value: Vec<u8>,
}

/// Why a comparison has no proof.
///
/// Its `Display` is a clause such as `more than 262144 pairs of states`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
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
/// use robotsieve_lint::diff::{self, Difference, Limits};
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

/// Several comparisons, which share the work that those of two files may take. None takes more than its
/// part of what is left.
pub struct Comparisons<'l> {
    limits: &'l Limits,
    budget: Budget,
    left: usize,
}

impl Comparisons<'_> {
    /// For so many comparisons.
    pub fn new(limits: &Limits, count: usize) -> Comparisons<'_> {
        Comparisons { limits, budget: Budget::of(limits), left: count }
    }

    /// Like [`policies`], within the budget.
    pub fn next(&mut self, old: &Policy, new: &Policy) -> Difference {
        let mut share = self.budget.share(self.left);
        self.left = self.left.saturating_sub(1);
        let difference = policies_within(old, new, self.limits, &mut share);
        self.budget.put_back(share);
        difference
    }
}

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

/// The number of pairs that may be visited even if the budget for several comparisons is used up, so that
/// small automata are always compared in full.
const LEAST_PAIRS: usize = 256;

/// How many paths to look at for each flip to report. Most are dropped, since another one with
/// the same pair of deciding rules is known.
const CANDIDATES_PER_FLIP: usize = 200;

/// The number of paths to look at in each direction even if the budget is used up, if that is cheap.
const LEAST_CANDIDATES: usize = 4;

/// The lines of two deciding rules.
type Lines = [Option<u32>; 2];

/// What was found so far.
struct Found<'p> {
    old: &'p Policy,
    new: &'p Policy,
    limits: &'p Limits,
    budget: &'p mut Budget,
    /// True if a path that flips was dropped because the budget was used up.
    dropped: bool,
    /// True if paths beyond [`Limits::flips`] are counted.
    counting: bool,
    /// Newly disallowed and newly allowed.
    directions: [Direction; 2],
    whole_site: Option<WholeSite>,
    /// The lines of the rules that decide what was found, in the old policy and in the new one.
    told: [HashSet<u32>; 2],
    /// The number of rules there was no budget for.
    unexamined: usize,
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
        let (dropped, counting, whole_site) = (false, true, None);
        let (told, unexamined) = Default::default();
        Found {
            old,
            new,
            limits,
            budget,
            dropped,
            counting,
            directions,
            whole_site,
            told,
            unexamined,
        }
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
        let has_flips = self.directions.iter().any(|direction| !direction.flips.is_empty());
        if end.is_ok() && has_flips {
            self.by_rules(product);
            self.prefer_valid_urls(product);
        }
        self.budget.pairs = self.budget.pairs.saturating_sub(visited.get());
        end
    }

    /// The pairs that are left for this product.
    fn pairs_left(&self, product: Product<'_>) -> usize {
        self.budget.pairs.saturating_sub(product.visited.get())
    }

    fn by_product(&mut self, product: Product<'_>) -> Result<(), Unproven> {
        let limit = self.budget.pairs.max(LEAST_PAIRS);
        let (flip, flips_to) = match product.any_flip(limit) {
            Ok(None) => return Ok(()),
            Ok(Some(flip)) => flip,
            Err(()) => return Err(Unproven::Pairs(limit)),
        };
        self.whole_site = WholeSite::of(product, self.pairs_left(product) / 4);
        let pairs = self.limits.pairs.min(self.pairs_left(product).max(LEAST_PAIRS));
        let end = product.flips(pairs, |target, verdict| {
            if !self.is_full(verdict) {
                let target = target();
                let nearest = *self.direction(verdict).nearest.get_or_insert(target.len());
                let is_shortest = target.len() == nearest;
                self.add(Some(product), target, verdict, is_shortest);
            }
            !(self.is_full(Verdict::Disallow) && self.is_full(Verdict::Allow))
        });
        if self.direction(flips_to).flips.is_empty() {
            // Whatever it costs: one look-up in each policy.
            self.keep(Some(product), flip, flips_to, false);
        }
        match end {
            End::Limit => Err(Unproven::Pairs(pairs)),
            _ if self.dropped => Err(Unproven::Work),
            End::Exhausted | End::Stopped => Ok(()),
        }
    }

    /// Puts other paths with the same deciding rules in the place of those that no valid URL has,
    /// since a `%` in them begins no escape. Where there are none, they stay.
    fn prefer_valid_urls(&mut self, product: Product<'_>) {
        let has_strays = |direction: &Direction| direction.flips.iter().any(Flip::is_stray);
        let wanted = [0, 1].map(|at: usize| has_strays(&self.directions[at]));
        let Some(targets) = product.targets.of_valid_urls().filter(|_| wanted != [false; 2]) else {
            return;
        };
        let most = self.limits.flips.max(1).saturating_mul(CANDIDATES_PER_FLIP);
        let pairs = self.limits.pairs.min(self.pairs_left(product).max(LEAST_PAIRS));
        let mut candidates: [Vec<Vec<u8>>; 2] = Default::default();
        Product { targets, ..product }.flips(pairs, |target, verdict| {
            let at = usize::from(verdict.is_allow());
            if wanted[at] && candidates[at].len() < most {
                candidates[at].push(target());
            }
            (0..2).any(|at| wanted[at] && candidates[at].len() < most)
        });
        for (at, candidates) in candidates.into_iter().enumerate() {
            let verdict = if at == 1 { Verdict::Allow } else { Verdict::Disallow };
            let shortest = candidates.first().map(Vec::len);
            for target in candidates {
                let policies = [self.old, self.new];
                if !has_strays(&self.directions[at])
                    || !self.budget.pay_for_rules(policies, target.len(), false)
                {
                    break;
                }
                self.replace_stray(product, target, verdict);
            }
            let flips = self.directions[at].flips.iter_mut().filter(|flip| !flip.is_stray());
            for flip in flips {
                // Where a path is not its target, nothing shorter has that target.
                flip.is_shortest |= shortest.is_some_and(|len| flip.path.len() <= len);
            }
        }
    }

    /// Puts a target in the place of the flip that no valid URL has and that the same rules decide.
    fn replace_stray(&mut self, product: Product<'_>, target: Vec<u8>, verdict: Verdict) {
        let decided = [self.old, self.new].map(|policy| policy.decide_path(&target).ok());
        let [Some(old), Some(new)] = decided else { return };
        let lines = [old.rule(), new.rule()].map(|rule| rule.map(|rule| rule.line));
        let left = self.pairs_left(product);
        let strays = self.direction(verdict).flips.iter_mut().filter(|flip| flip.is_stray());
        let same = strays.into_iter().find(|flip| {
            let of = |rule: &Option<DecidingRule>| rule.as_ref().map(|rule| rule.line);
            [of(&flip.old), of(&flip.new)] == lines
        });
        if let Some(flip) = same {
            flip.extent = Extent::of(product, &target, verdict, left / 16);
            flip.is_shortest = false;
            flip.path = target;
        }
    }

    /// Tries paths made from the rules of both, and returns how many.
    fn by_samples(&mut self) -> usize {
        // What is only counted is not worth the time that each path takes here.
        self.counting = false;
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
                    self.add(None, path, verdict, false);
                }
            }
        }
        count
    }

    fn direction(&mut self, verdict: Verdict) -> &mut Direction {
        &mut self.directions[usize::from(verdict.is_allow())]
    }

    /// Returns true if no more paths are wanted in this direction.
    fn is_full(&mut self, verdict: Verdict) -> bool {
        let limit = self.limits.flips.max(1);
        let (dropped, counting) = (self.dropped, self.counting);
        let direction = self.direction(verdict);
        direction.candidates >= limit.saturating_mul(CANDIDATES_PER_FLIP)
            || direction.flips.len() >= limit && !counting
            || dropped
    }

    /// Adds a path that flips to this verdict, unless another one with the same pair of deciding
    /// rules is known, or the budget is used up. Once there are enough, the pairs of rules are only
    /// counted. With a product, `found` is a target of its tables.
    fn add(
        &mut self,
        product: Option<Product<'_>>,
        found: Vec<u8>,
        verdict: Verdict,
        is_shortest: bool,
    ) {
        let policies = [self.old, self.new];
        let limit = self.limits.flips.max(1);
        let direction = self.direction(verdict);
        let is_needed = direction.candidates < LEAST_CANDIDATES;
        if direction.flips.len() >= limit {
            self.counting &= self.budget.pay_for_counting(policies, found.len());
            if !self.counting {
                return;
            }
        } else if !self.budget.pay_for_rules(policies, found.len(), is_needed) {
            self.dropped = true;
            return;
        }
        self.keep(product, found, verdict, is_shortest);
    }

    /// Adds a path that was paid for.
    fn keep(
        &mut self,
        product: Option<Product<'_>>,
        path: Vec<u8>,
        verdict: Verdict,
        is_shortest: bool,
    ) {
        let decided = [self.old, self.new].map(|policy| policy.decide_path(&path).ok());
        let [Some(old), Some(new)] = decided else { return };
        let flips = old.verdict != new.verdict && new.verdict == verdict;
        debug_assert!(flips, "{} does not flip", path.escape_ascii());
        if !flips {
            return;
        }
        let rules = [old.rule(), new.rule()];
        for (told, rule) in self.told.iter_mut().zip(&rules) {
            told.extend(rule.map(|rule| rule.line));
        }
        let limit = self.limits.flips.max(1);
        let left = product.map_or(0, |product| self.pairs_left(product));
        let direction = self.direction(verdict);
        direction.candidates += 1;
        let is_known = !direction.lines.insert(rules.map(|rule| rule.map(|rule| rule.line)));
        if !is_known && direction.flips.len() < limit {
            let [old, new] = rules.map(|rule| {
                rule.map(|rule| DecidingRule {
                    verdict: rule.verdict,
                    line: rule.line,
                    value: rule.value.to_vec(),
                })
            });
            let extent = product
                .map_or(Extent::Path, |product| Extent::of(product, &path, verdict, left / 16));
            direction.flips.push(Flip { path, is_shortest, extent, old, new });
        }
    }

    fn difference(self, unproven: Option<Unproven>, sampled: usize) -> Difference {
        let whole_site = self.whole_site;
        let [disallowed, allowed] = self.directions.map(|mut direction| {
            direction
                .flips
                .sort_by_key(|flip| (flip.is_stray(), !flip.is_shortest, flip.path.len()));
            let more = direction.lines.len() - direction.flips.len();
            (direction.flips, more)
        });
        if !disallowed.0.is_empty() || !allowed.0.is_empty() {
            return Difference::Different(Flips {
                newly_disallowed: disallowed.0,
                newly_allowed: allowed.0,
                more_disallowed: disallowed.1,
                more_allowed: allowed.1,
                unexamined: self.unexamined,
                whole_site,
                unproven,
            });
        }
        match unproven {
            Some(unproven) => Difference::Unknown { unproven, sampled },
            None => Difference::Equal,
        }
    }
}

/// The automaton of a policy, whatever engine it uses: with a budget of its own.
pub fn automaton_of(policy: &Policy) -> Result<Cow<'_, Automaton>, Option<LimitHit>> {
    automaton(policy, &mut Budget::of(&Limits::default()))
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
    let mut limits = robotsieve::Limits::default();
    limits.states = Some(STATES);
    limits.work = Some(budget.nodes);
    limits.table_bytes = 64 << 20;
    let mut compiler = Compiler::default();
    let automaton = compiler.compile(policy.rule_set(), policy.reading().encoding, &limits);
    budget.nodes = budget.nodes.saturating_sub(compiler.work());
    Ok(Cow::Owned(automaton.map_err(Some)?))
}
