//! A policy: the rules that hold for one crawler, and the engine that decides by them.

#[cfg(feature = "rayon")]
pub mod batch;
pub(crate) mod config;
pub(crate) mod content;
pub(crate) mod crawlers;
pub(crate) mod decision;
pub(crate) mod once;
#[cfg(feature = "rayon")]
mod read_ahead;
pub(crate) mod robots;
pub(crate) mod set;

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use crate::automaton::LimitHit;
use crate::automaton::{Automaton, InvalidAutomaton};
use crate::engine::Compiled;
use crate::engine::Engine;
use crate::policy::config::Config;
use crate::policy::decision::{Decision, Reason, Rule};
use crate::profile::{Profile, TargetForm};
use crate::rules::RuleSet;
use crate::rules::normalise::Encoding;
use crate::rules::target::{InvalidUrl, Target};
use crate::verdict::Verdict;

/// What a robots.txt says to one crawler.
///
/// Made by [`Robots::policy`](crate::Robots::policy); owns all it needs. Cheap to clone (one
/// atomic increment), `Send` and `Sync`: all threads ask the same policy.
///
/// A policy begins as a list of rules and compiles itself when it has been asked so often
/// that compiling pays ([`Config::build_after`]); the engine never changes a verdict. Once
/// it is a DFA, a question reads the target once at most, allocates nothing and stops as
/// soon as the verdict is final.
#[derive(Clone)]
pub struct Policy(Arc<Inner>);

/// How a profile reads the URLs that its policies are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) form: TargetForm,
    pub(crate) encoding: Encoding,
    pub(crate) robots_txt_allowed: bool,
}

impl Reading {
    pub(crate) fn of(profile: &Profile) -> Reading {
        Reading {
            form: profile.target_form,
            encoding: Encoding::of_target(profile),
            robots_txt_allowed: profile.robots_txt_allowed,
        }
    }
}

struct Inner {
    reading: Reading,
    /// How it is compiled, where that is not the usual way and still to be done.
    config: Option<Box<Config>>,
    keep_rules: bool,
    /// The line of the first rule without a value.
    empty_rule: Option<u32>,
    /// How often it was asked before it was compiled.
    asked: AtomicU32,
    build_after: u32,
    compiled: OnceLock<Compiled>,
    /// Empty where rules are not kept.
    rules: RuleSet,
    agents: Agents,
    rule_count: usize,
}

/// The user-agent lines of the policy's groups in one allocation: for each its number, the
/// bytes of its value, both as four bytes, and the value.
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

/// The bytes that a policy occupies, by part. Shared by all clones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Memory {
    /// What the engine was compiled to.
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
    ) -> Policy {
        let mut inner = Inner {
            reading,
            config: None,
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
        } else if *config != Config::default() {
            inner.config = Some(Box::new(*config));
        }
        Policy(Arc::new(inner))
    }

    /// Whether the crawler may fetch this URL. A path that begins with `/` is taken for a
    /// URL too.
    ///
    /// # Errors
    /// [`InvalidUrl`] where the URL is none; never in the profile `google`.
    #[inline(always)]
    pub fn is_allowed<U: AsRef<[u8]> + ?Sized>(&self, url: &U) -> Result<bool, InvalidUrl> {
        Ok(self.verdict(&self.target(url)?).is_allow())
    }

    /// Whether the crawler may fetch this path, with its query if it has one.
    ///
    /// # Errors
    /// [`InvalidUrl`] where the path does not begin with `/`.
    #[inline(always)]
    pub fn is_path_allowed<P: AsRef<[u8]> + ?Sized>(&self, path: &P) -> Result<bool, InvalidUrl> {
        let target = Target::of_path(path.as_ref(), self.0.reading.encoding)?;
        Ok(self.verdict(&target).is_allow())
    }

    /// The verdict on a URL, or on a path that begins with `/`, and why: the verdict of
    /// [`Policy::is_allowed`], with a second, slower look for the rule that decided.
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
    /// // Seven bytes beat six, whatever matches more of the path.
    /// assert_eq!(policy.decide("https://e.com/open/a.pdf")?.verdict, Verdict::Disallow);
    /// # Ok::<(), robotsieve::InvalidUrl>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidUrl`] where the URL is none; never in the profile `google`.
    pub fn decide<U: AsRef<[u8]> + ?Sized>(&self, url: &U) -> Result<Decision<'_>, InvalidUrl> {
        Ok(self.decision(&self.target(url)?))
    }

    /// The verdict on a path, with its query if it has one, and why.
    ///
    /// # Errors
    /// [`InvalidUrl`] where the path does not begin with `/`.
    pub fn decide_path<P: AsRef<[u8]> + ?Sized>(
        &self,
        path: &P,
    ) -> Result<Decision<'_>, InvalidUrl> {
        Ok(self.decision(&Target::of_path(path.as_ref(), self.0.reading.encoding)?))
    }

    /// The target of a URL, or of a path that begins with `/`, in the policy's profile.
    ///
    /// # Errors
    /// [`InvalidUrl`] where the URL is none; never in the profile `google`.
    #[inline(always)]
    pub fn target<'u, U>(&self, url: &'u U) -> Result<Target<'u>, InvalidUrl>
    where
        U: AsRef<[u8]> + ?Sized,
    {
        Target::of(url.as_ref(), self.0.reading.form, self.0.reading.encoding)
    }

    /// The verdict on a target, which must be of the same profile as the policy.
    #[inline(always)]
    pub fn verdict(&self, target: &Target<'_>) -> Verdict {
        let inner = &*self.0;
        let verdict = match inner.compiled.get() {
            Some(compiled) => compiled.verdict(&inner.rules, target),
            None => inner.verdict_before_compiling(target),
        };
        // Asked last, since most URLs are allowed anyway.
        if !verdict.is_allow() && inner.reading.robots_txt_allowed && target.is_robots_txt() {
            return Verdict::Allow;
        }
        verdict
    }

    /// The decision on a target, which must be of the same profile as the policy.
    pub fn decision(&self, target: &Target<'_>) -> Decision<'_> {
        let inner = &*self.0;
        let verdict = self.verdict(target);
        let deciding = || inner.rules.deciding(&target.to_buffer()).map(Rule::of);
        let reason = if inner.reading.robots_txt_allowed && target.is_robots_txt() {
            Reason::RobotsTxt
        } else if inner.rules.len() < inner.rule_count {
            Reason::RulesNotKept
        } else if let Some(rule) = deciding() {
            debug_assert_eq!(rule.verdict, verdict);
            Reason::Rule(rule)
        } else if inner.agents.is_empty() && inner.keep_rules {
            Reason::NoGroup
        } else {
            match inner.empty_rule {
                Some(line) if inner.rule_count == 0 => Reason::EmptyRule { line },
                _ => Reason::NoMatch,
            }
        };
        Decision { verdict, reason }
    }

    /// Asks for the memory of the policy itself, which leads to that of its engine.
    #[cfg(feature = "rayon")]
    #[inline]
    pub(crate) fn read_ahead(&self) {
        read_ahead::value(&*self.0);
    }

    /// Asks for the memory in which its DFA's walks begin.
    #[cfg(feature = "rayon")]
    #[inline]
    pub(crate) fn read_engine_ahead(&self) {
        if let Some(automaton) = self.0.compiled.get().and_then(Compiled::automaton) {
            read_ahead::ends(automaton.bytes());
        }
    }

    /// Compiles now, if that is still to be done and the engine is not [`Engine::Scan`].
    pub fn compile(&self) {
        if self.0.config.as_ref().is_none_or(|config| config.engine != Some(Engine::Scan)) {
            self.0.compiled();
        }
    }

    /// The engine that answers the next question.
    pub fn engine(&self) -> Engine {
        self.0.compiled.get().map_or(Engine::Scan, Compiled::engine)
    }

    /// The limit that kept the policy from becoming a DFA, if it was compiled and one did.
    pub fn limit_hit(&self) -> Option<LimitHit> {
        self.0.compiled.get().and_then(Compiled::limit_hit)
    }

    /// The compiled automaton as a Graphviz DOT graph; compiles first if that is still to be
    /// done. `None` where the policy is no [`Engine::Dfa`]: [`Policy::limit_hit`] says why.
    ///
    /// An ellipse reads bytes, a hexagon waits behind a star; each is coloured by the
    /// verdict if the target ends there. A dashed edge is taken by every other byte, which
    /// is then read again. Boxes are final verdicts.
    pub fn to_dot(&self) -> Option<String> {
        self.compile();
        self.0.compiled.get()?.automaton().map(|automaton| automaton.table().to_dot())
    }

    /// Checks the invariants of the compiled automaton, if there is one.
    ///
    /// # Errors
    /// The first invariant that does not hold: a bug in this library.
    pub fn validate(&self) -> Result<(), InvalidAutomaton> {
        let automaton = self.0.compiled.get().and_then(Compiled::automaton);
        automaton.map_or(Ok(()), |automaton| automaton.table().validate())
    }

    /// The occupied bytes by part. What the [`Engine::Lazy`] needs while it runs lies in
    /// the process-wide pool ([`lazy_pool_bytes`](crate::lazy_pool_bytes)) and is not counted
    /// here.
    pub fn memory_usage(&self) -> Memory {
        let inner = &*self.0;
        Memory {
            engine_bytes: inner.compiled.get().map_or(0, Compiled::memory_usage),
            rules_bytes: inner.rules.memory_usage(),
            // The two counters of the Arc.
            rest_bytes: size_of::<Inner>()
                + 2 * size_of::<usize>()
                + inner.agents.0.len()
                + inner.config.as_ref().map_or(0, |_| size_of::<Config>()),
        }
    }

    /// How many rules with a value the policy has.
    pub fn rule_count(&self) -> usize {
        self.0.rule_count
    }

    /// The rules with a value from highest to lowest precedence; of equal ones allow first,
    /// then in the order of the file: the first that matches decides. None where they were
    /// not kept.
    pub fn rules(&self) -> impl ExactSizeIterator<Item = Rule<'_>> {
        self.0.rules.iter().map(Rule::of)
    }

    /// The user-agent lines of the policy's groups: line, 1-based, and value as written.
    /// None where no group is for the crawler or where rules are not kept.
    pub fn group(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.0.agents.iter()
    }

    pub(crate) fn rule_set(&self) -> &RuleSet {
        &self.0.rules
    }

    /// The table that it was compiled to.
    #[cfg(feature = "pack")]
    pub(crate) fn table(&self) -> Option<&[u8]> {
        Some(self.automaton()?.bytes())
    }

    /// The automaton that it was compiled to.
    pub(crate) fn automaton(&self) -> Option<&Automaton> {
        self.0.compiled.get()?.automaton()
    }

    /// How it reads the URLs that it is asked about.
    pub(crate) fn reading(&self) -> Reading {
        self.0.reading
    }

    pub(crate) fn empty_rule(&self) -> Option<u32> {
        self.0.empty_rule
    }

    /// Whether this is the same policy as another: a clone, or one that
    /// [`Robots::policy`](crate::Robots::policy) gave for another crawler in the same group.
    pub fn is_same(&self, other: &Policy) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Policy {
    /// A number that is another one for every policy that [`Policy::is_same`] tells apart, as
    /// long as both exist.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Whether both are known to give the same verdict on every target: their rules are kept,
    /// and they have the same patterns and verdicts.
    pub(crate) fn decides_like(&self, other: &Policy) -> bool {
        let (a, b) = (&*self.0, &*other.0);
        let kept = |inner: &Inner| inner.rules.len() == inner.rule_count;
        a.reading == b.reading && kept(a) && kept(b) && a.rules.decides_like(&b.rules)
    }
}

impl Inner {
    fn compiled(&self) -> &Compiled {
        let compile = || {
            let config = self.config.as_deref().copied().unwrap_or_default();
            Compiled::new(&self.rules, self.reading.encoding, config.engine, &config.limits)
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
        let deciding = self.rules.deciding(&target.to_buffer());
        deciding.map_or(Verdict::Allow, |rule| rule.verdict)
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
