//! How policies are built.

use crate::automaton::Limits;
use crate::engine::Engine;

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
