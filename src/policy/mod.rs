//! From groups to decisions: a policy has the rules for one crawler and the engine that decides
//! by them.
//!
//! | module | what |
//! |---|---|
//! | `config` | how policies are built |
//! | `robots` | a parsed file, and the policies made from its groups |
//! | `decision` | a verdict and the reason for it |
//! | `once` | one verdict straight from a file, without a policy |
//! | `crawlers` | the policies of several crawlers for one file |
//! | `sitemaps` | the sitemaps of a file, if they are kept |
//! | `verdicts` | what a verdict needs of a policy, and nothing else |

pub(crate) mod answers;
pub(crate) mod config;
#[cfg(feature = "url")]
pub(crate) mod content;
pub(crate) mod crawlers;
pub(crate) mod decision;
pub(crate) mod once;
#[expect(missing_docs, reason = "only robotsieve's own crates see it")]
mod reading;
pub(crate) mod robots;
pub(crate) mod sitemaps;
pub(crate) mod verdicts;

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

pub use reading::Reading;

use crate::as_url::AsUrl;
use crate::automaton::graph::Graph;
use crate::automaton::{Automaton, InvalidAutomaton, LimitHit, Limits};
use crate::engine::{Compiled, Engine};
use crate::policy::config::Config;
use crate::policy::decision::{Decision, Reason, Rule};
use crate::policy::verdicts::Verdicts;
use crate::read::fields::{Pace, RequestRate};
use crate::rules::target::{InvalidUrl, Target};
use crate::rules::{RuleRef, RuleSet};
use crate::verdict::Verdict;

/// The rules of a robots.txt for one crawler.
///
/// Made by [`Robots::policy`](crate::Robots::policy). A policy owns everything it needs, so the
/// file and the `Robots` may be dropped. It is cheap to clone (one atomic increment), `Send` and
/// `Sync`: share one policy between all threads.
///
/// A policy starts as a list of rules and compiles itself once it has been asked often enough
/// for that to pay ([`Config::build_after`]). The engine never changes a verdict. As a DFA it
/// goes through a target once, from left to right, stops as soon as the verdict is final, and never
/// allocates.
///
/// ```
/// use robotsieve::{Crawler, Engine, Profile, Robots};
///
/// let file = b"User-agent: *\nDisallow: /a%20b\nAllow: /a b/open";
/// let policy = Robots::parse(file, &Profile::RFC9309).policy(&Crawler::name("bot"));
/// // Rules and URLs are compared in one normal form.
/// assert!(!policy.is_allowed("https://e.com/a b")?);
/// assert!(policy.is_allowed("https://e.com/%61%20b/open")?);
/// assert_eq!(policy.engine(), Engine::Scan);
/// policy.compile();
/// assert_eq!(policy.engine(), Engine::Dfa);
/// # Ok::<(), robotsieve::InvalidUrl>(())
/// ```
#[derive(Clone)]
pub struct Policy(Arc<Inner>);

struct Inner {
    reading: Reading,
    /// What few policies have.
    rare: Option<Box<Rare>>,
    keep_rules: bool,
    /// The line of the first rule without a value.
    empty_rule: Option<u32>,
    /// How often it was asked before it was compiled, long targets weighted.
    asked: AtomicU32,
    build_after: u32,
    compiled: OnceLock<Compiled>,
    /// Empty if rules are not kept.
    rules: RuleSet,
    agents: Agents,
    rule_count: usize,
}

/// What few policies have: apart, so that the others need no memory for it.
#[derive(Clone, Copy, PartialEq)]
struct Rare {
    /// How to compile. Unused once compiled.
    engine: Option<Engine>,
    limits: Limits,
    pace: Pace,
}

impl Rare {
    fn boxed(config: &Config, pace: Pace) -> Option<Box<Rare>> {
        let of =
            |config: &Config, pace| Rare { engine: config.engine, limits: config.limits, pace };
        let rare = of(config, pace);
        (rare != of(&Config::default(), Pace::NONE)).then(|| Box::new(rare))
    }
}

/// The user-agent lines of the policy's groups in one allocation: for each the line and the
/// length of the value, four bytes each, then the value.
#[derive(Default)]
struct Agents(Box<[u8]>);

impl Agents {
    fn new<'a>(agents: impl Iterator<Item = (u32, &'a [u8])> + Clone) -> Agents {
        let len = agents.clone().map(|(_, value)| 8 + value.len()).sum();
        let mut bytes = Vec::with_capacity(len);
        for (line, value) in agents {
            bytes.extend(line.to_le_bytes());
            bytes.extend((value.len() as u32).to_le_bytes());
            bytes.extend_from_slice(value);
        }
        Agents(bytes.into_boxed_slice())
    }

    fn iter(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let mut left = &self.0[..];
        std::iter::from_fn(move || {
            let (line, after) = left.split_first_chunk::<4>()?;
            let (len, after) = after.split_first_chunk::<4>()?;
            let (value, after) = after.split_at(u32::from_le_bytes(*len) as usize);
            left = after;
            Some((u32::from_le_bytes(*line), value))
        })
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The memory that a policy occupies, by part. Clones share it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Memory {
    /// The compiled engine.
    pub engine_bytes: usize,
    /// The rules, kept to explain verdicts and for engines other than the DFA.
    pub rules_bytes: usize,
    /// Everything else: the policy itself and the lines of its groups.
    pub rest_bytes: usize,
}

impl Memory {
    /// All parts together.
    pub fn total_bytes(&self) -> usize {
        self.engine_bytes + self.rules_bytes + self.rest_bytes
    }
}

impl Policy {
    pub(crate) fn new<'a>(
        reading: Reading,
        config: &Config,
        rules: RuleSet,
        agents: impl Iterator<Item = (u32, &'a [u8])> + Clone,
        empty_rule: Option<u32>,
        pace: Pace,
    ) -> Policy {
        let mut inner = Inner {
            reading,
            rare: Rare::boxed(config, pace),
            keep_rules: config.keep_rules,
            empty_rule,
            asked: AtomicU32::new(0),
            build_after: match (config.engine, config.build_after) {
                (Some(Engine::Scan), _) => u32::MAX,
                (Some(_), _) => 0,
                (None, _) if !config.keep_rules => 0,
                (None, Some(questions)) => questions,
                (None, None) => crate::engine::questions_before_compiling(&rules),
            },
            compiled: OnceLock::new(),
            rule_count: rules.len(),
            rules,
            agents: Agents::new(agents),
        };
        if !config.keep_rules {
            let compiled =
                Compiled::new(&inner.rules, reading.encoding, config.engine, &config.limits);
            if compiled.automaton().is_some() {
                inner.rules = RuleSet::default();
                inner.agents = Agents::default();
            }
            inner.compiled = OnceLock::from(compiled);
            inner.rare = Rare::boxed(&Config::default(), pace);
        }
        Policy(Arc::new(inner))
    }

    /// Returns true if the crawler may fetch this URL, or this path that begins with `/`.
    ///
    /// # Errors
    /// Returns an error if `url` is neither; never in the profile `google`.
    #[inline(always)]
    pub fn is_allowed<U: AsUrl + ?Sized>(&self, url: &U) -> Result<bool, InvalidUrl> {
        Ok(self.own_verdict(&self.target(url)?).is_allow())
    }

    /// Returns true if the crawler may fetch this path, with its query if it has one. Unlike in
    /// [`Policy::is_allowed`], `//e.com/x` is a path in every profile.
    ///
    /// # Errors
    /// Returns an error if the path does not begin with `/`.
    #[inline(always)]
    pub fn is_path_allowed<P: AsRef<[u8]> + ?Sized>(&self, path: &P) -> Result<bool, InvalidUrl> {
        let target = Target::of_path(path.as_ref(), self.0.reading.encoding)?;
        Ok(self.own_verdict(&target).is_allow())
    }

    /// The verdict on a URL, or on a path that begins with `/`, and the reason for it.
    ///
    /// Gives the verdict of [`Policy::is_allowed`], then tries the rules one by one to find the
    /// one that decided: use it to explain, not to filter.
    ///
    /// ```
    /// use robotsieve::{Crawler, Profile, Reason, Robots, Verdict};
    ///
    /// let file = b"User-agent: *\nDisallow: /*.pdf$\nAllow: /open/\n";
    /// let policy = Robots::parse(file, &Profile::RFC9309).policy(&Crawler::name("bot"));
    /// let decision = policy.decide("https://e.com/a.pdf")?;
    /// assert_eq!(decision.verdict, Verdict::Disallow);
    /// let rule = decision.rule().unwrap();
    /// assert_eq!((rule.line, rule.value), (2, &b"/*.pdf$"[..]));
    /// assert!(matches!(policy.decide("https://e.com/")?.reason, Reason::NoMatch));
    /// // The longest pattern decides, `/*.pdf$` with seven bytes, not the longest match.
    /// assert_eq!(policy.decide("https://e.com/open/a.pdf")?.verdict, Verdict::Disallow);
    /// # Ok::<(), robotsieve::InvalidUrl>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if `url` is neither; never in the profile `google`.
    pub fn decide<U: AsUrl + ?Sized>(&self, url: &U) -> Result<Decision<'_>, InvalidUrl> {
        Ok(self.own_decision(&self.target(url)?))
    }

    /// The verdict on a path, with its query if it has one, and the reason for it.
    ///
    /// # Errors
    /// Returns an error if the path does not begin with `/`.
    pub fn decide_path<P: AsRef<[u8]> + ?Sized>(
        &self,
        path: &P,
    ) -> Result<Decision<'_>, InvalidUrl> {
        Ok(self.own_decision(&Target::of_path(path.as_ref(), self.0.reading.encoding)?))
    }

    /// The target of a URL, or of a path that begins with `/`, in the policy's profile: to ask
    /// several policies of one profile about the same URL.
    ///
    /// # Errors
    /// Returns an error if `url` is neither; never in the profile `google`.
    #[inline(always)]
    pub fn target<'u, U>(&self, url: &'u U) -> Result<Target<'u>, InvalidUrl>
    where
        U: AsUrl + ?Sized,
    {
        Target::of(url.as_url(), self.0.reading.form, self.0.reading.encoding)
    }

    /// The verdict on a target, which must come from the policy's own profile or from one that
    /// finds and normalises targets alike.
    ///
    /// ```
    /// use robotsieve::{Profile, Robots};
    ///
    /// let robots = Robots::parse(b"User-agent: a\nDisallow: /x", &Profile::RFC9309);
    /// let (a, b) = (robots.policy(&"a".into()), robots.policy(&"b".into()));
    /// let target = a.target("https://e.com/%78")?;
    /// assert!(!a.verdict(&target).is_allow());
    /// assert!(b.verdict(&target).is_allow());
    /// # Ok::<(), robotsieve::InvalidUrl>(())
    /// ```
    ///
    /// # Panics
    /// Panics if the target comes from a profile that finds or normalises targets differently
    /// (one of the switches from [`Profile::target_form`](crate::Profile::target_form) on).
    #[inline(always)]
    #[must_use]
    pub fn verdict(&self, target: &Target<'_>) -> Verdict {
        self.assert_reads(target);
        self.own_verdict(target)
    }

    /// The decision on a target, which must come from the policy's own profile or from one that
    /// finds and normalises targets alike.
    ///
    /// # Panics
    /// Panics where [`Policy::verdict`] does.
    pub fn decision(&self, target: &Target<'_>) -> Decision<'_> {
        self.assert_reads(target);
        self.own_decision(target)
    }

    /// Engines differ in when they normalise: on a target of another encoding they would give
    /// different verdicts, so no target gets in with one. One comparison of four bytes.
    #[inline(always)]
    fn assert_reads(&self, target: &Target<'_>) {
        assert!(
            target.encoding() == self.0.reading.encoding,
            "the target comes from a profile that normalises URLs differently from the policy's"
        );
    }

    /// The verdict on a target of the policy's own encoding.
    #[inline(always)]
    pub(crate) fn own_verdict(&self, target: &Target<'_>) -> Verdict {
        debug_assert_eq!(target.encoding(), self.0.reading.encoding);
        let inner = &*self.0;
        let verdict = match inner.compiled.get() {
            Some(compiled) => compiled.verdict(&inner.rules, target),
            None => inner.verdict_before_compiling(target),
        };
        // Checked last, since most URLs are allowed anyway.
        if !verdict.is_allow() && inner.reading.robots_txt_allowed && target.is_robots_txt() {
            return Verdict::Allow;
        }
        verdict
    }

    fn own_decision(&self, target: &Target<'_>) -> Decision<'_> {
        let rules = &self.0.rules;
        let is_robots_txt = self.0.reading.robots_txt_allowed && target.is_robots_txt();
        let reason = self.reason(is_robots_txt, || rules.deciding(&target.to_buffer()));
        let decision = Decision { verdict: self.own_verdict(target), reason };
        debug_assert!(decision.rule().is_none_or(|rule| rule.verdict == decision.verdict));
        decision
    }

    /// Why it decides so about a target, of which it is given whether that is `/robots.txt`, where that is
    /// always allowed. `deciding` finds the first rule that matches.
    pub(crate) fn reason<'p>(
        &'p self,
        is_robots_txt: bool,
        deciding: impl FnOnce() -> Option<RuleRef<'p>>,
    ) -> Reason<'p> {
        let inner = &*self.0;
        if is_robots_txt {
            Reason::RobotsTxt
        } else if self.pace().left_alone {
            Reason::LeftAlone
        } else if inner.rules.len() < inner.rule_count {
            Reason::RulesNotKept
        } else if let Some(rule) = deciding() {
            Reason::Rule(Rule::of(rule))
        } else if inner.agents.is_empty() && inner.keep_rules {
            Reason::NoGroup
        } else {
            match inner.empty_rule {
                Some(line) if inner.rule_count == 0 => Reason::EmptyRule { line },
                _ => Reason::NoMatch,
            }
        }
    }

    /// Compiles now instead of later. Does nothing if the policy is compiled already or its
    /// configuration asks for [`Engine::Scan`].
    pub fn compile(&self) {
        if self.0.rare.as_ref().is_none_or(|rare| rare.engine != Some(Engine::Scan)) {
            self.0.compiled();
        }
    }

    /// Returns true if a question about a URL of common length would compile the policy first, and so take
    /// much longer than others: to do that where nobody waits, with [`Policy::compile`].
    ///
    /// ```
    /// use robotsieve::{Crawler, Profile, Robots};
    ///
    /// let file = b"User-agent: *\nDisallow: /*.pdf$";
    /// let policy = Robots::parse(file, &Profile::RFC9309).policy(&Crawler::name("bot"));
    /// while !policy.compiles_next() {
    ///     policy.is_allowed("https://e.com/a.pdf")?;
    /// }
    /// policy.compile();
    /// assert!(!policy.compiles_next());
    /// # Ok::<(), robotsieve::InvalidUrl>(())
    /// ```
    pub fn compiles_next(&self) -> bool {
        const COMMON_BYTES: usize = 64;
        let inner = &*self.0;
        inner.build_after != u32::MAX && inner.compiled.get().is_none() && {
            let weight = crate::engine::weight_before_compiling(&inner.rules, COMMON_BYTES);
            inner.asked.load(Ordering::Relaxed).saturating_add(weight) > inner.build_after
        }
    }

    /// Never tries to make a DFA, since it is known that the policy is over the limits of one.
    #[cfg(feature = "pack")]
    pub(crate) fn without_dfa(self) -> Policy {
        let inner = &self.0;
        inner
            .compiled
            .get_or_init(|| Compiled::over(&inner.rules, inner.reading.encoding, None, None));
        self
    }

    /// The part of the policy that a verdict needs, and nothing else. `None` if the policy is not an
    /// [`Engine::Dfa`], or not yet: [`Policy::compile`] makes it one if it can be. One atomic
    /// increment.
    #[doc(hidden)]
    pub fn verdicts(&self) -> Option<Verdicts> {
        Some(Verdicts::new(self.automaton()?.clone(), self.0.reading))
    }

    /// The engine that answers the next question.
    pub fn engine(&self) -> Engine {
        self.0.compiled.get().map_or(Engine::Scan, Compiled::engine)
    }

    /// The limit that kept the policy from becoming a DFA. `None` if it is one, or is not
    /// compiled yet.
    pub fn limit_hit(&self) -> Option<LimitHit> {
        self.0.compiled.get().and_then(Compiled::limit_hit)
    }

    /// The compiled automaton as a Graphviz DOT graph. Compiles first if needed. `None` if the
    /// policy is not an [`Engine::Dfa`]; [`Policy::limit_hit`] says why.
    ///
    /// An ellipse reads bytes and a hexagon waits after a star; the colour of each is the verdict
    /// if the target ends there. A dashed edge is for every other byte, which is then read again.
    /// Boxes are final verdicts.
    pub fn to_dot(&self) -> Option<String> {
        self.compile();
        self.0.compiled.get()?.automaton().map(|automaton| automaton.table().to_dot())
    }

    /// The compiled automaton as data, to draw it and to show the walk of a target through it: a
    /// graph of at most `most` states. Compiles first if needed. `None` if the policy is not an
    /// [`Engine::Dfa`]; [`Policy::limit_hit`] says why. See [`graph`](crate::graph) for an example.
    ///
    /// # Panics
    /// Panics where [`Policy::verdict`] does.
    pub fn to_graph(&self, target: Option<&Target<'_>>, most: usize) -> Option<Graph> {
        self.compile();
        let table = self.0.compiled.get()?.automaton()?.table();
        let bytes = target.map(|target| {
            self.assert_reads(target);
            target.bytes().collect::<Vec<u8>>()
        });
        Some(table.to_graph(bytes.as_deref(), most))
    }

    /// Checks the invariants of the compiled automaton, if there is one. Hidden: only the tests,
    /// benches and fuzz targets call it.
    ///
    /// # Errors
    /// Returns the first invariant that does not hold: a bug in this library.
    #[doc(hidden)]
    pub fn validate(&self) -> Result<(), InvalidAutomaton> {
        let automaton = self.0.compiled.get().and_then(Compiled::automaton);
        automaton.map_or(Ok(()), |automaton| automaton.table().validate())
    }

    /// The memory that the policy occupies, by part. [`Engine::Lazy`] keeps what it needs while
    /// it runs in a pool for the whole process, which is not counted here.
    pub fn memory_usage(&self) -> Memory {
        let inner = &*self.0;
        Memory {
            engine_bytes: inner.compiled.get().map_or(0, Compiled::memory_usage),
            rules_bytes: inner.rules.memory_usage(),
            // The two counters of the Arc.
            rest_bytes: size_of::<Inner>()
                + 2 * size_of::<usize>()
                + inner.agents.0.len()
                + inner.rare.as_ref().map_or(0, |_| size_of::<Rare>()),
        }
    }

    /// The number of rules the policy has, those with an empty value not counted.
    pub fn rule_count(&self) -> usize {
        self.0.rule_count
    }

    /// The rules from highest to lowest precedence, those with an empty value left out. Of equal
    /// precedence, allow comes first, then the order of the file: the first that matches decides.
    /// Yields nothing if the rules were not kept ([`Config::keep_rules`]).
    pub fn rules(&self) -> impl ExactSizeIterator<Item = Rule<'_>> {
        self.0.rules.iter().map(Rule::of)
    }

    /// The user-agent lines of the policy's groups: line, 1-based, and value as written. Yields
    /// nothing if no group is for the crawler or the rules were not kept.
    pub fn group(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.0.agents.iter()
    }

    pub(crate) fn rule_set(&self) -> &RuleSet {
        &self.0.rules
    }

    /// The bytes of the automaton, if it was compiled to one.
    #[cfg(feature = "url")]
    pub(crate) fn table(&self) -> Option<&[u8]> {
        Some(self.automaton()?.bytes())
    }

    /// The automaton, if it was compiled to one.
    pub(crate) fn automaton(&self) -> Option<&Automaton> {
        self.0.compiled.get()?.automaton()
    }

    /// How it reads the URLs that it is asked about.
    pub(crate) fn reading(&self) -> Reading {
        self.0.reading
    }

    #[cfg(feature = "pack")]
    pub(crate) fn empty_rule(&self) -> Option<u32> {
        self.0.empty_rule
    }

    /// The pace that the site asks of the crawler: the crawl delay and the request rate of the
    /// policy's groups. Does not read the file again, and costs nothing: a policy without them,
    /// like most, has no memory for them.
    ///
    /// ```
    /// use std::time::Duration;
    /// use robotsieve::{Crawler, Profile, Robots};
    ///
    /// let file = b"User-agent: a\nCrawl-delay: 2.5\nDisallow: /x\n\nUser-agent: *\nDisallow: /y";
    /// let robots = Robots::parse(file, &Profile::RFC9309);
    /// let policy = robots.policy(&Crawler::name("a"));
    /// assert_eq!(policy.pace().min_interval(), Some(Duration::from_millis(2_500)));
    /// assert!(robots.policy(&Crawler::name("b")).pace().is_none());
    /// ```
    pub fn pace(&self) -> Pace {
        self.0.rare.as_ref().map_or(Pace::NONE, |rare| rare.pace)
    }

    /// The crawl delay of [`Policy::pace`].
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.pace().crawl_delay
    }

    /// The request rate of [`Policy::pace`].
    pub fn request_rate(&self) -> Option<RequestRate> {
        self.pace().request_rate
    }

    /// Returns true if both are the same policy: one is a clone of the other, or the same
    /// [`Robots`](crate::Robots) gave both for crawlers that obey the same groups. Policies of
    /// two files are never the same, even if the files are equal.
    pub fn is_same(&self, other: &Policy) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Policy {
    /// A number that identifies the policy while it exists: equal only for policies that
    /// [`Policy::is_same`] calls the same.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Returns true if both read targets alike.
    pub(crate) fn reads_like(&self, other: &Policy) -> bool {
        self.0.reading == other.0.reading
    }

    /// Returns true if both are known to decide every target alike: their rules are kept and have the
    /// same patterns and verdicts.
    pub(crate) fn decides_like(&self, other: &Policy) -> bool {
        let (a, b) = (&*self.0, &*other.0);
        let kept = |inner: &Inner| inner.rules.len() == inner.rule_count;
        self.reads_like(other) && kept(a) && kept(b) && a.rules.decides_like(&b.rules)
    }
}

impl Inner {
    fn compiled(&self) -> &Compiled {
        let compile = || {
            let (engine, limits) = match &self.rare {
                Some(rare) => (rare.engine, rare.limits),
                None => (None, Limits::default()),
            };
            Compiled::new(&self.rules, self.reading.encoding, engine, &limits)
        };
        self.compiled.get_or_init(compile)
    }

    #[cold]
    fn verdict_before_compiling(&self, target: &Target<'_>) -> Verdict {
        if self.build_after != u32::MAX {
            let weight = crate::engine::weight_before_compiling(&self.rules, target.len_at_most());
            // Relaxed: a question counted late only compiles late.
            let asked = self.asked.fetch_add(weight, Ordering::Relaxed).saturating_add(weight);
            if asked > self.build_after {
                return self.compiled().verdict(&self.rules, target);
            }
        }
        crate::engine::scan::verdict(&self.rules, target)
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy")
            .field("rules", &self.0.rule_count)
            .field("engine", &self.engine())
            .field("limit_hit", &self.limit_hit())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Profile, Robots, Target};

    fn ask(target: &Target<'_>) -> bool {
        let robots = Robots::parse(b"User-agent: *\nDisallow: /a%20b", &Profile::RFC9309);
        robots.policy(&"bot".into()).verdict(target).is_allow()
    }

    /// Switches that change no target are no difference.
    #[test]
    fn targets_of_other_profiles() {
        let mut profile = Profile::RFC9309;
        profile.merge_groups = false;
        assert!(!ask(&Target::from_path("/a b", &profile).unwrap()));
    }

    #[test]
    #[should_panic = "normalises URLs differently"]
    fn targets_of_another_encoding() {
        ask(&Target::from_path("/a b", &Profile::GOOGLE).unwrap());
    }

    /// Only the form differs: it decides where a target ends.
    #[test]
    #[should_panic = "normalises URLs differently"]
    fn targets_of_another_form() {
        let mut profile = Profile::RFC9309;
        profile.target_form = crate::TargetForm::Google;
        ask(&Target::from_path("/a b", &profile).unwrap());
    }
}
