//! Who takes part: robotsieve in its settings, the peers through their best public use, and
//! what one would write without any of them.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::marker::PhantomData;

use fast_robots::RobotsMatcher;
use futures_util::FutureExt;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::hybrid::dfa as lazy;
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_automata::{Anchored, Input, MatchKind};
use regex_syntax::hir::{Dot, Hir, Look, Repetition};
use robotsieve::{Config, Crawler, Engine, Policy, Profile, Robots, Rule, Verdict};

use crate::data::path_of;

/// A dense DFA is given up beyond so many bytes.
pub const DENSE_LIMIT_BYTES: usize = 2 << 20;

/// The verdict on a URL from a robots.txt.
pub trait Contestant: 'static {
    const NAME: &'static str;
    const KIND: Kind;
    /// What is kept of a file for one crawler.
    type Policy<'f>;

    /// `None` where the contestant refuses the file.
    fn policy<'f>(file: &'f [u8], agent: &'f str) -> Option<Self::Policy<'f>>;

    /// Does now what would otherwise be done by some later question.
    fn prepare(_policy: &Self::Policy<'_>) {}

    fn path(policy: &Self::Policy<'_>, path: &str) -> bool;

    fn url(policy: &Self::Policy<'_>, url: &str) -> bool;

    /// From the bytes of a file to one verdict.
    fn first(file: &[u8], agent: &str, url: &str) -> Option<bool> {
        Self::policy(file, agent).map(|policy| Self::url(&policy, url))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// robotsieve as it comes.
    Robotsieve,
    /// robotsieve with one setting forced.
    Setting,
    /// A crate that decides by robots.txt.
    Peer,
    /// What one would write without any of them.
    Baseline,
}

/// A configuration of robotsieve.
pub trait Setting: 'static {
    const NAME: &'static str;
    const KIND: Kind = Kind::Setting;
    fn config() -> Config;
}

macro_rules! setting {
    ($type:ident, $name:literal, |$config:ident| $set:expr) => {
        pub struct $type;

        impl Setting for $type {
            const NAME: &'static str = $name;

            fn config() -> Config {
                let mut $config = Config::default();
                $set;
                $config
            }
        }
    };
}

/// As it comes.
pub struct Automatic;

impl Setting for Automatic {
    const NAME: &'static str = "robotsieve";
    const KIND: Kind = Kind::Robotsieve;

    fn config() -> Config {
        Config::default()
    }
}

setting!(Scan, "robotsieve, all Scan", |config| config.engine = Some(Engine::Scan));
setting!(Lazy, "robotsieve, all Lazy", |config| config.engine = Some(Engine::Lazy));
setting!(Segments, "robotsieve, all Segments", |config| config.engine = Some(Engine::Segments));
setting!(Never, "robotsieve, never compiled", |config| config.engine = Some(Engine::Scan));
setting!(AtOnce, "robotsieve, compiled at once", |config| config.build_after = Some(0));
setting!(NoRules, "robotsieve, rules not kept", |config| config.keep_rules = false);

/// robotsieve in profile `google`.
pub struct Robotsieve<S>(PhantomData<S>);

impl<S: Setting> Contestant for Robotsieve<S> {
    const NAME: &'static str = S::NAME;
    const KIND: Kind = S::KIND;
    type Policy<'f> = Policy;

    fn policy<'f>(file: &'f [u8], agent: &'f str) -> Option<Policy> {
        let robots = Robots::parse_with(file, &Profile::GOOGLE, &S::config());
        Some(robots.policy(&Crawler::name(agent)))
    }

    fn prepare(policy: &Policy) {
        policy.compile();
    }

    #[inline]
    fn path(policy: &Policy, path: &str) -> bool {
        policy.is_path_allowed(path).expect("paths begin with '/'")
    }

    #[inline]
    fn url(policy: &Policy, url: &str) -> bool {
        policy.is_allowed(url).expect("google takes any URL")
    }

    fn first(file: &[u8], agent: &str, url: &str) -> Option<bool> {
        if S::KIND == Kind::Robotsieve {
            let crawler = Crawler::name(agent);
            return robotsieve::is_allowed_once(file, &Profile::GOOGLE, &crawler, url).ok();
        }
        Self::policy(file, agent).map(|policy| Self::url(&policy, url))
    }
}

/// The crate texting_robots. Takes a URL or a path.
pub struct TextingRobots;

impl Contestant for TextingRobots {
    const NAME: &'static str = "texting_robots 0.2.2";
    const KIND: Kind = Kind::Peer;
    type Policy<'f> = texting_robots::Robot;

    fn policy<'f>(file: &'f [u8], agent: &'f str) -> Option<texting_robots::Robot> {
        texting_robots::Robot::new(agent, file).ok()
    }

    fn path(robot: &texting_robots::Robot, path: &str) -> bool {
        robot.allowed(path)
    }

    fn url(robot: &texting_robots::Robot, url: &str) -> bool {
        robot.allowed(url)
    }
}

/// The crate robotxt. Takes a path, or a parsed `Url`, which costs more than to cut the path
/// out: so the path is cut out.
pub struct Robotxt;

impl Contestant for Robotxt {
    const NAME: &'static str = "robotxt 0.7.0";
    const KIND: Kind = Kind::Peer;
    type Policy<'f> = robotxt::Robots;

    fn policy<'f>(file: &'f [u8], agent: &'f str) -> Option<robotxt::Robots> {
        Some(robotxt::Robots::parse(file, agent))
    }

    fn path(robots: &robotxt::Robots, path: &str) -> bool {
        robots.is_allowed(path)
    }

    fn url(robots: &robotxt::Robots, url: &str) -> bool {
        robots.is_allowed(path_of(url).unwrap_or("/"))
    }
}

/// The crate robotstxt, a port of google/robotstxt: reads the file for every question.
pub struct Robotstxt;

impl Contestant for Robotstxt {
    const NAME: &'static str = "robotstxt 0.3.0";
    const KIND: Kind = Kind::Peer;
    type Policy<'f> = (std::borrow::Cow<'f, str>, &'f str);

    fn policy<'f>(file: &'f [u8], agent: &'f str) -> Option<Self::Policy<'f>> {
        Some((String::from_utf8_lossy(file), agent))
    }

    fn path((text, agent): &Self::Policy<'_>, path: &str) -> bool {
        robotstxt::DefaultMatcher::default().one_agent_allowed_by_robots(text, agent, path)
    }

    fn url((text, agent): &Self::Policy<'_>, url: &str) -> bool {
        robotstxt::DefaultMatcher::default().one_agent_allowed_by_robots(text, agent, url)
    }
}

/// The crate cylon. Takes a path.
pub struct Cylon;

impl Contestant for Cylon {
    const NAME: &'static str = "cylon 0.3.3";
    const KIND: Kind = Kind::Peer;
    type Policy<'f> = cylon::Cylon;

    fn policy<'f>(file: &'f [u8], agent: &'f str) -> Option<cylon::Cylon> {
        let compiler = cylon::Compiler::new(agent);
        // What is read from memory is always ready.
        compiler.compile(file).now_or_never().expect("ready").ok()
    }

    fn path(cylon: &cylon::Cylon, path: &str) -> bool {
        cylon.allow(path)
    }

    fn url(cylon: &cylon::Cylon, url: &str) -> bool {
        cylon.allow(path_of(url).unwrap_or("/"))
    }
}

self_cell::self_cell! {
    /// A file that was read, and the matcher that borrows it.
    pub struct FastPolicy<'f> {
        owner: fast_robots::RobotsTxt<'f>,
        #[covariant]
        dependent: RobotsMatcher,
    }
}

/// The crate fast-robots: its compiled matcher, and for one verdict its loop. Takes a path.
pub struct FastRobots;

impl Contestant for FastRobots {
    const NAME: &'static str = "fast-robots 0.1.5";
    const KIND: Kind = Kind::Peer;
    type Policy<'f> = (FastPolicy<'f>, &'f str);

    fn policy<'f>(file: &'f [u8], agent: &'f str) -> Option<Self::Policy<'f>> {
        let robots = fast_robots::RobotsTxt::parse_bytes(file).ok()?;
        Some((FastPolicy::new(robots, |robots| robots.matcher()), agent))
    }

    fn path((policy, agent): &Self::Policy<'_>, path: &str) -> bool {
        policy.borrow_dependent().is_allowed(agent, path)
    }

    fn url(policy: &Self::Policy<'_>, url: &str) -> bool {
        Self::path(policy, path_of(url).unwrap_or("/"))
    }

    fn first(file: &[u8], agent: &str, url: &str) -> Option<bool> {
        let robots = fast_robots::RobotsTxt::parse_bytes(file).ok()?;
        Some(robots.is_allowed(agent, path_of(url).unwrap_or("/")))
    }
}

/// The rules as robotsieve reads and sorts them: the baselines have no parser of their own.
fn rules(file: &[u8], agent: &str) -> Policy {
    Robots::parse_with(file, &Profile::GOOGLE, &Scan::config()).policy(&Crawler::name(agent))
}

/// What anybody would write first: parsed once, then a loop over the rules, longest first.
pub struct Loop;

pub struct LoopRule {
    pattern: Box<[u8]>,
    anchored: bool,
    allow: bool,
}

impl Contestant for Loop {
    const NAME: &'static str = "loop over the rules";
    const KIND: Kind = Kind::Baseline;
    type Policy<'f> = Vec<LoopRule>;

    fn policy<'f>(file: &'f [u8], agent: &'f str) -> Option<Vec<LoopRule>> {
        let policy = rules(file, agent);
        let rules = policy.rules().map(|rule| LoopRule {
            pattern: rule.pattern().into(),
            anchored: rule.anchored(),
            allow: rule.verdict.is_allow(),
        });
        Some(rules.collect())
    }

    fn path(rules: &Vec<LoopRule>, path: &str) -> bool {
        let path = path.as_bytes();
        let rule = rules.iter().find(|rule| matches(&rule.pattern, rule.anchored, path));
        rule.is_none_or(|rule| rule.allow)
    }

    fn url(rules: &Vec<LoopRule>, url: &str) -> bool {
        Self::path(rules, path_of(url).unwrap_or("/"))
    }
}

/// Whether a pattern matches a path: the pieces between its stars one after another.
fn matches(pattern: &[u8], anchored: bool, path: &[u8]) -> bool {
    let mut pieces = pattern.split(|byte| *byte == b'*');
    let head = pieces.next().unwrap_or_default();
    let Some(mut left) = path.strip_prefix(head) else { return false };
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() && anchored {
            return left.ends_with(piece);
        }
        if piece.is_empty() {
            continue;
        }
        match left.windows(piece.len()).position(|window| window == piece) {
            Some(at) => left = &left[at + piece.len()..],
            None => return false,
        }
    }
    !anchored || left.is_empty()
}

/// The rules as the patterns of one leftmost-first matcher, highest precedence first: of
/// several that match it reports the first, which is the rule that decides.
fn nfa(policy: &Policy) -> (NFA, Vec<bool>) {
    let mut rules: Vec<Rule<'_>> = policy.rules().collect();
    rules.sort_by_key(|rule| (Reverse(rule.precedence), rule.verdict == Verdict::Disallow));
    let patterns: Vec<Hir> = rules.iter().map(hir).collect();
    let nfa = NFA::compiler()
        .configure(thompson::Config::new().utf8(false).which_captures(WhichCaptures::None))
        .build_many_from_hir(&patterns)
        .expect("an NFA without a size limit");
    (nfa, rules.iter().map(|rule| rule.verdict.is_allow()).collect())
}

/// The pattern as a regex over bytes: `*` is `(?s-u:.)*`, the anchor is `\z`.
fn hir(rule: &Rule<'_>) -> Hir {
    let star = || {
        Hir::repetition(Repetition {
            min: 0,
            max: None,
            greedy: true,
            sub: Box::new(Hir::dot(Dot::AnyByte)),
        })
    };
    let mut parts = Vec::new();
    for (i, piece) in rule.pattern().split(|byte| *byte == b'*').enumerate() {
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

/// regex-automata's dense DFA; refuses the files whose DFA is over the limit.
pub struct Dense;

pub struct DensePolicy {
    dfa: dense::DFA<Vec<u32>>,
    allow: Vec<bool>,
}

impl Contestant for Dense {
    const NAME: &'static str = "regex-automata, dense";
    const KIND: Kind = Kind::Baseline;
    type Policy<'f> = DensePolicy;

    fn policy<'f>(file: &'f [u8], agent: &'f str) -> Option<DensePolicy> {
        let (nfa, allow) = nfa(&rules(file, agent));
        let config = dense::Config::new()
            .start_kind(StartKind::Anchored)
            .match_kind(MatchKind::LeftmostFirst)
            .dfa_size_limit(Some(DENSE_LIMIT_BYTES))
            .determinize_size_limit(Some(DENSE_LIMIT_BYTES));
        let dfa = dense::Builder::new().configure(config).build_from_nfa(&nfa).ok()?;
        Some(DensePolicy { dfa, allow })
    }

    fn path(policy: &DensePolicy, path: &str) -> bool {
        let input = Input::new(path).anchored(Anchored::Yes);
        let found = policy.dfa.try_search_fwd(&input).expect("an anchored search");
        found.is_none_or(|half| policy.allow[half.pattern().as_usize()])
    }

    fn url(policy: &DensePolicy, url: &str) -> bool {
        Self::path(policy, path_of(url).unwrap_or("/"))
    }
}

/// regex-automata's lazy DFA, with a cache for each policy.
pub struct Hybrid;

pub struct HybridPolicy {
    dfa: lazy::DFA,
    cache: RefCell<lazy::Cache>,
    allow: Vec<bool>,
}

impl Contestant for Hybrid {
    const NAME: &'static str = "regex-automata, lazy";
    const KIND: Kind = Kind::Baseline;
    type Policy<'f> = HybridPolicy;

    fn policy<'f>(file: &'f [u8], agent: &'f str) -> Option<HybridPolicy> {
        let (nfa, allow) = nfa(&rules(file, agent));
        let config = lazy::Config::new()
            .match_kind(MatchKind::LeftmostFirst)
            .skip_cache_capacity_check(true);
        let dfa = lazy::Builder::new().configure(config).build_from_nfa(nfa).expect("a lazy DFA");
        Some(HybridPolicy { cache: RefCell::new(dfa.create_cache()), dfa, allow })
    }

    fn path(policy: &HybridPolicy, path: &str) -> bool {
        let input = Input::new(path).anchored(Anchored::Yes);
        let found = policy.dfa.try_search_fwd(&mut policy.cache.borrow_mut(), &input);
        let found = found.expect("a cache that may be cleared");
        found.is_none_or(|half| policy.allow[half.pattern().as_usize()])
    }

    fn url(policy: &HybridPolicy, url: &str) -> bool {
        Self::path(policy, path_of(url).unwrap_or("/"))
    }
}
