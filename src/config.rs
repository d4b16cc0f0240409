//! How policies are built: the engine and the limits.

/// Which engine a policy uses.
///
/// All give the same verdict on every input; they differ in time and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// No automaton: the rules are tried one after another, highest precedence first. For
    /// a policy that is asked only a few times.
    Scan,
    /// One DFA that carries the rules' precedence (`docs/automaton.md`).
    Dfa,
    /// The DFA's states built when a target first visits them and kept, in a pool under one
    /// bound for the whole process. For rule sets that are over the budget of the DFA.
    Lazy,
    /// One pass over the target that looks for the rules' literal pieces. Never builds
    /// states, so nothing can explode: the last resort, and a guarantee.
    Segments,
}

/// The limits within which a [`Engine::Dfa`] is built. One that is hit changes the engine,
/// never a verdict, and [`Policy::limit_hit`](crate::Policy::limit_hit) says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Limits {
    /// States at most; `None`: 16 for each node of the rules' trie, and 64.
    pub states: Option<u32>,
    /// Work at most, counted in nodes looked at while states are built; `None`: in
    /// proportion to the nodes of the rules' trie.
    pub work: Option<u64>,
    /// Octets of the finished table at most.
    pub table_bytes: usize,
    /// Octets of all patterns together at most.
    pub pattern_octets: usize,
    /// Stars at most that are not the first ones of their patterns: what multiplies states. More
    /// than this would end at the other limits after much work.
    pub inner_stars: usize,
}

impl Limits {
    /// No limits: for tests and for `dot`. A hostile file of 250 octets takes gigabytes.
    pub const NONE: Limits = Limits {
        states: Some(u32::MAX),
        work: Some(u64::MAX),
        table_bytes: usize::MAX,
        pattern_octets: usize::MAX,
        inner_stars: usize::MAX,
    };
}

impl Default for Limits {
    /// What fits 99 % of real files and costs a hostile one no more than a large honest
    /// one: tables of at most 1 MiB, patterns of at most 4 MiB.
    fn default() -> Limits {
        Limits {
            states: None,
            work: None,
            table_bytes: 1 << 20,
            pattern_octets: 4 << 20,
            inner_stars: 8 << 10,
        }
    }
}

/// A limit that kept a policy from becoming a [`Engine::Dfa`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LimitHit {
    /// [`Limits::states`], with the value that was in force.
    States(u32),
    /// [`Limits::work`], with the value that was in force.
    Work(u64),
    /// [`Limits::table_bytes`].
    TableBytes(usize),
    /// [`Limits::pattern_octets`].
    PatternOctets(usize),
    /// [`Limits::inner_stars`].
    InnerStars(usize),
}

impl std::fmt::Display for LimitHit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LimitHit::States(limit) => write!(f, "more than {limit} states"),
            LimitHit::Work(limit) => write!(f, "more than {limit} units of work"),
            LimitHit::TableBytes(limit) => write!(f, "a table of more than {limit} octets"),
            LimitHit::PatternOctets(limit) => write!(f, "patterns of more than {limit} octets"),
            LimitHit::InnerStars(limit) => {
                write!(f, "more than {limit} stars behind the first ones of their patterns")
            }
        }
    }
}

/// How policies are built.
///
/// ```
/// use robotsieve::{Config, Crawler, Engine, Profile, Robots};
///
/// let mut config = Config::default();
/// config.build_after = Some(1); // the second question compiles
/// let file = b"User-agent: *\nDisallow: /*.pdf$";
/// let robots = Robots::parse_with(file, &Profile::RFC9309, &config);
/// let policy = robots.policy(&Crawler::name("bot"));
/// assert!(!policy.is_allowed("https://e.com/a.pdf")?);
/// assert_eq!(policy.engine(), Engine::Scan);
/// assert!(policy.is_allowed("https://e.com/a.pdf?x")?);
/// assert_eq!(policy.engine(), Engine::Dfa);
/// # Ok::<(), robotsieve::InvalidUrl>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Config {
    /// The engine; `None`: [`Engine::Scan`] until compiling pays, then [`Engine::Dfa`]
    /// within the limits, else [`Engine::Lazy`], else [`Engine::Segments`]. A given engine
    /// is in force from the first question on, limits too.
    pub engine: Option<Engine>,
    /// The limits of the DFA.
    pub limits: Limits,
    /// After how many questions the policy is compiled, if the engine is not given. `None`:
    /// when the questions so far have cost about what compiling costs, so that the total is
    /// near the better of "never" and "at once" whatever the number of questions.
    pub build_after: Option<u32>,
    /// Whether the policy keeps its rules, to say which one decided
    /// ([`Policy::decide`](crate::Policy::decide)). Without them it is smaller, and compiled
    /// at once; a policy that is over the limits keeps them all the same.
    pub keep_rules: bool,
}

impl Default for Config {
    /// Engine and time of compiling chosen by the policy, default limits, rules kept.
    fn default() -> Config {
        Config { engine: None, limits: Limits::default(), build_after: None, keep_rules: true }
    }
}
