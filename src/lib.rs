//! Which URLs does a robots.txt allow?
//!
//! robotsieve decides it for a crawler: correct to the letter in four readings of the
//! protocol, and at the price of one short walk through a table.
//!
//! ```
//! use robotsieve::{Crawler, Profile, Robots};
//!
//! let file = b"User-agent: *\nDisallow: /search\nAllow: /search/about\nDisallow: /*.pdf$";
//! let robots = Robots::parse(file, &Profile::RFC9309);
//! let policy = robots.policy(&Crawler::name("MyCrawler"));
//!
//! assert!(policy.is_allowed("https://example.com/search/about")?);
//! assert!(!policy.is_allowed("https://example.com/search?q=x")?);
//! assert!(!policy.is_allowed("https://example.com/a.pdf")?);
//! // `$` is the end of the URL, and a query comes before it.
//! assert!(policy.is_allowed("https://example.com/a.pdf?download")?);
//! # Ok::<(), robotsieve::InvalidUrl>(())
//! ```
//!
//! # From bytes to a verdict
//!
//! Data flows one way, a module for each step:
//!
//! | step | what | where |
//! |---|---|---|
//! | parse | bytes → records, borrowed, with line and span | [`Robots::parse`], [`Record`] |
//! | select | a crawler's names → its groups | [`Crawler`], [`Robots::policy`] |
//! | normalise | rules → patterns in order of precedence | [`Policy::rules`] |
//! | compile | patterns → a trie with shared tails → a pruned DFA → a table | [`Engine::Dfa`] |
//! | decide | URL → target → walk → verdict | [`Policy::is_allowed`], [`Policy::decide`] |
//! | explain | the way of one URL through all of these | [`Robots::explain`], [`compare_profiles`] |
//!
//! The [`Profile`] says how each step reads what the sources leave open or see differently:
//! RFC 9309 (the default), google/robotstxt, Google's specification from before the RFC, the
//! standard of 1994, or any combination of their switches. `docs/automaton.md` in the
//! repository leads from pattern to table with a worked example and a picture.
//!
//! Two modules stand beside: [`diff`] says what changed from one file to another in meaning, by
//! walking both automata in step, and [`records`] types what is neither a user-agent line nor a
//! rule.
//!
//! # What it does not do
//!
//! It fetches nothing and reads no files: which robots.txt governs a URL, and what a failed
//! fetch means, is the caller's matter. It does not resolve dot segments or otherwise change
//! a URL beyond what the profile says of percent-encoding.
//!
//! # Hostile input
//!
//! Any bytes are a robots.txt, any bytes may be asked for. Parsing is `O(n)`; compiling has
//! a budget ([`Limits`]) beyond which other engines decide, with the same verdicts and
//! bounded time and memory. Unsafe code is in four small modules, each with its proof: vectors
//! to find line ends and separators, to find the host's end, and to walk the table, and the
//! hint by which batches fetch memory ahead.
//!
//! # Features
//!
//! All are off by default.
//!
//! * `rayon`: the module `batch`, many URLs at once over all cores.
//! * `pack`: the module `pack`, policy sets as files that are used where they lie.
//! * `lint`: the module [`lint`], what is wrong with a file and what in it has no effect.
//! * `url`: [`Origin`], which says whose robots.txt governs a URL; sitemaps resolved
//!   (`records::Sitemap::resolve`).

mod automaton;
#[cfg(feature = "serde")]
mod bytes_as_text;
pub mod diff;
mod engine;
pub mod explain;
#[cfg(feature = "lint")]
pub mod lint;
#[cfg(feature = "url")]
mod origin;
#[cfg(feature = "pack")]
pub mod pack;
mod policy;
mod profile;
mod read;
pub mod records;
mod rules;
mod verdict;

pub use automaton::{InvalidAutomaton, LimitHit, Limits};
pub use engine::{Engine, lazy_pool_bytes};
#[cfg(feature = "url")]
pub use origin::{InvalidOrigin, Origin, Scheme};
#[cfg(feature = "rayon")]
pub use policy::batch;
pub use policy::config::Config;
pub use policy::crawlers::{Answer, CrawlerPolicies};
pub use policy::decision::{Decision, Reason, Rule};
pub use policy::once::is_allowed_once;
pub use policy::robots::Robots;
pub use policy::set::PolicySet;
pub use policy::{Memory, Policy};
pub use profile::{
    ByteOrderMark, ControlCharacters, FetchRules, GroupMatch, Profile, RulePrecedence, Sides,
    TargetForm, TokenBytes,
};
pub use read::crawler::Crawler;
pub use read::diagnostic::{Diagnostic, DiagnosticKind};
pub use read::parse::{Field, Record};
pub use rules::target::{InvalidUrl, Target};
pub use verdict::Verdict;

/// Runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Runs the example of the guide to explanations.
#[cfg(doctest)]
#[doc = include_str!("../docs/explain.md")]
struct ExplainGuide;

/// Runs the example of the page on profiles.
#[cfg(doctest)]
#[doc = include_str!("../docs/profiles.md")]
struct ProfilesPage;
