//! How policies are built.

use std::time::Duration;

use crate::automaton::Limits;
use crate::engine::Engine;

/// How policies are built. The default suits most programs: engine and time of compiling are
/// chosen by measured costs, and no configuration changes a verdict but `skip_above`.
///
/// Set an engine to compare engines or to compile before the first question, lower the
/// [`Limits`] to bound memory, and drop the rules (`keep_rules`) to hold many policies that never
/// have to explain themselves.
///
/// With the feature `serde` a configuration is a map from field names to values. A field that is
/// missing when it is read has its default; an unknown one is an error.
///
/// ```
/// use robotsieve::{Config, Crawler, Engine, Profile, Robots};
///
/// let config = Config::default().with_build_after(Some(1)); // the second question compiles
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
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[non_exhaustive]
pub struct Config {
    /// The engine. `None`: [`Engine::Scan`] until compiling pays, then [`Engine::Dfa`] if the
    /// rules are within the limits, else [`Engine::Lazy`], else [`Engine::Segments`]. A given
    /// engine decides from the first question on; the limits still apply to it.
    pub engine: Option<Engine>,
    /// The limits of the DFA.
    pub limits: Limits,
    /// After how many questions a policy is compiled, if `engine` is `None`. `None`: when the
    /// questions so far have cost about as much as compiling, so that the total is never far
    /// from the better of "never" and "at once", whatever the number of questions.
    pub build_after: Option<u32>,
    /// True if a policy keeps its rules, so that [`Policy::decide`](crate::Policy::decide) can
    /// say which one decided. Without them a policy is smaller and is compiled at once. A policy
    /// over the limits keeps them in any case: its engine needs them.
    pub keep_rules: bool,
    /// True if a [`PolicySet`](crate::PolicySet), a pack and [`CrawlerPolicies::of`] keep the
    /// values of each file's `Sitemap` records. Off by default: most programs need none, and they
    /// take 170 bytes a file on average, in 2,384 real files.
    ///
    /// [`CrawlerPolicies::of`]: crate::CrawlerPolicies::of
    pub keep_sitemaps: bool,
    /// True if a pack keeps what each file says of its crawlers' rights: its lines with Content-Usage,
    /// Content-Signal and License, which the crate `robotsieve-rights` reads and makes bytes of. Off by
    /// default; nothing but packs heeds it.
    pub keep_rights: bool,
    /// The longest time between two requests that a file can ask for. A longer `Crawl-delay`, and
    /// the period of a slower `Request-rate`, are shortened to it
    /// ([`Policy::pace`](crate::Policy::pace)).
    ///
    /// The default is one day. A copy of the file is rarely used for longer, so the crawler would
    /// read it again before a longer delay is over. Crawlers that would rather leave a slow site
    /// alone than keep it in their queue set `skip_above`.
    pub max_interval: Duration,
    /// The longest time between two requests that the crawler is ready to wait: it leaves a site alone
    /// that asks for more, whatever `max_interval` is. The policy then allows `/robots.txt` at most,
    /// has no rule but a `Disallow: /`, and says why: [`Pace::left_alone`](crate::records::Pace::left_alone),
    /// [`Reason::LeftAlone`](crate::Reason::LeftAlone). `None`, the default: no site is left alone.
    ///
    /// ```
    /// use std::time::Duration;
    /// use robotsieve::{Config, Crawler, Profile, Reason, Robots};
    ///
    /// let config = Config::default().with_skip_above(Some(Duration::from_secs(60)));
    /// let file = b"User-agent: a\nCrawl-delay: 300\nUser-agent: *\nDisallow: /x";
    /// let robots = Robots::parse_with(file, &Profile::RFC9309, &config);
    /// let policy = robots.policy(&Crawler::name("a"));
    /// let decision = policy.decide("https://e.com/")?;
    /// assert_eq!((decision.verdict.is_allow(), decision.reason), (false, Reason::LeftAlone));
    /// assert!(robots.policy(&Crawler::name("b")).is_allowed("https://e.com/")?);
    /// # Ok::<(), robotsieve::InvalidUrl>(())
    /// ```
    pub skip_above: Option<Duration>,
    /// True if a crawler with a group of its own that has neither a valid `Crawl-delay` nor a
    /// valid `Request-rate` takes those of the `*` groups. Off by default: by RFC 9309 §2.2.1 only
    /// the groups that name a crawler apply to it, in each of their lines.
    pub inherit_pace: bool,
}

/// The setters of a [`Config`].
macro_rules! setters {
    ($($setter:ident $field:ident: $type:ty),*) => {
        impl Config {
            $(
                #[doc = concat!("The same with another [`Config::", stringify!($field), "`].")]
                #[must_use]
                pub const fn $setter(mut self, $field: $type) -> Config {
                    self.$field = $field;
                    self
                }
            )*
        }
    };
}

setters!(
    with_engine engine: Option<Engine>,
    with_limits limits: Limits,
    with_build_after build_after: Option<u32>,
    with_keep_rules keep_rules: bool,
    with_keep_sitemaps keep_sitemaps: bool,
    with_keep_rights keep_rights: bool,
    with_max_interval max_interval: Duration,
    with_skip_above skip_above: Option<Duration>,
    with_inherit_pace inherit_pace: bool
);

impl Default for Config {
    /// Engine and time of compiling chosen by cost, default limits, rules kept and sitemaps
    /// and rights not, no interval longer than a day.
    fn default() -> Config {
        Config {
            engine: None,
            limits: Limits::default(),
            build_after: None,
            keep_rules: true,
            keep_sitemaps: false,
            keep_rights: false,
            max_interval: Duration::from_secs(86_400),
            skip_above: None,
            inherit_pace: false,
        }
    }
}
