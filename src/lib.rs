//! robotsieve decides which URLs a robots.txt lets a crawler fetch.
//!
//! It follows four readings of the protocol to the letter, and a decision costs one short walk
//! through a table.
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
//! // `$` is the end of the URL, and here a query comes before it.
//! assert!(policy.is_allowed("https://example.com/a.pdf?download")?);
//! # Ok::<(), robotsieve::InvalidUrl>(())
//! ```
//!
//! # Where to begin
//!
//! | to | use |
//! |---|---|
//! | judge many URLs of one host | [`Robots::parse`], [`Robots::policy`], [`Policy::is_allowed`] |
//! | judge one URL, once | [`is_allowed_once`] |
//! | judge for several crawlers at once | [`CrawlerPolicies`] |
//! | find the names in a User-Agent header | [`Crawler::from_user_agent`], [`UserAgent`] |
//! | hold the policies of many hosts | [`PolicySet`](self#features), or [`pack`](self#features) for a file |
//! | judge millions of URLs on all cores | [`batch`](self#features) |
//! | say which rule decided | [`Policy::decide`] |
//! | show every step to that verdict | [`Robots::explain`] |
//! | compare two versions of a file | [`diff`] |
//! | read sitemaps, crawl delays and other records | [`records`] |
//! | draw a policy's automaton | [`Policy::to_dot`], [`Policy::to_graph`] |
//! | find mistakes in a file | [`Robots::diagnostics`], [`lint`](self#features) |
//!
//! # From bytes to a verdict
//!
//! Data flows one way, and there is one folder of `src/` for each step:
//!
//! | folder | what it does | what you see of it |
//! |---|---|---|
//! | `read` | bytes → records → groups → the groups of a crawler | [`Record`], [`Crawler`], [`Diagnostic`] |
//! | `rules` | rules → patterns in order of precedence; URL → target | [`Rule`], [`Target`] |
//! | `automaton` | patterns → trie → pruned DFA → table; walking it | [`Limits`], [`Policy::to_dot`], [`graph`] |
//! | `engine` | which engine decides: the DFA, or one for rules over its limits | [`Engine`] |
//! | `policy` | groups → policy → verdict or decision | [`Robots`], [`Policy`], [`Decision`] |
//! | `explain` | every step of one decision, as data | [`explain`] |
//! | `diff` | what changed from one file to another, by walking both automata | [`diff`] |
//! | `records` | the records that are no rules, typed | [`records`] |
//! | `lint` | what is wrong with a file, and what has no effect | feature `lint` |
//! | `sites` | the policies of many origins, laid out for questions in random order | feature `url` |
//! | `pack` | the same in a file, used in place | feature `pack` |
//! | `origin` | whose robots.txt governs a URL | feature `url` |
//!
//! A [`Profile`] says how each step reads what the sources leave open or see differently: RFC 9309
//! (the default), google/robotstxt, Google's specification from before the RFC, the standard of
//! 1994, or any combination of their switches. `docs/automaton.md` in the repository leads from
//! patterns to a table with a worked example and a picture.
//!
//! # What it does not do
//!
//! This crate fetches nothing and reads no files. To find, fetch and keep the right robots.txt
//! there is the crate `robotsieve-client`. It changes a URL only as the profile says for
//! percent-encoding: dot segments, for example, stay as they are, so resolve them first.
//!
//! # Hostile input
//!
//! Any bytes may be given as a robots.txt or as a URL. Parsing is `O(n)`. Compiling has a budget
//! ([`Limits`]); rules that exceed it are decided by other engines, with the same verdicts and
//! bounded time and memory.
//!
//! Unsafe code is confined to these places, each with its proof:
//!
//! * vector instructions that find line ends (`read::marks`) and the end of a URL's host
//!   (`rules::target`, `origin`), and that walk the table without bounds checks
//!   (`automaton::avx2`);
//! * the tables of a set, which only the compiler writes, and those of a pack, which are validated
//!   once and trusted from then on (`automaton::table`, `sites::set`, `pack::shard`);
//! * an origin taken for UTF-8 because it was found to be ASCII (`origin`);
//! * the hint that fetches memory ahead (`read_ahead`).
//!
//! # Features
//!
//! All are off by default.
//!
//! * `rayon`: the module `batch`, which judges many URLs on all cores.
//! * `pack`: the module `pack`, policies of many origins in files that are used in place.
//! * `lint`: the module `lint`, which finds what is wrong with a file and what has no effect.
//! * `url`: `Origin`, which says whose robots.txt governs a URL, `PolicySet`, which holds the policies
//!   of many, and `records::Sitemap::resolve`.
//! * `serde`: `Serialize` for what people store, such as [`Decision`], [`Record`] and
//!   [`Diagnostic`], and also `Deserialize` for what owns its data, such as [`Verdict`],
//!   [`Answer`], [`Profile`] and [`Config`]. Each type documents its representation. Byte strings
//!   are written as strings if they are UTF-8, else as arrays of numbers.
//! * `drafts`: `Robots::usage`, what a file says about training, search and inference. It follows
//!   drafts of the IETF and of contentsignals.org, and changes when they do, in a minor version
//!   too: see [`records`].

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
mod read_ahead;
pub mod records;
mod rules;
#[cfg(feature = "url")]
mod sites;
mod verdict;

/// What [`Policy::validate`] returns. Only the tests, benches and fuzz targets use it.
#[doc(hidden)]
pub use automaton::InvalidAutomaton;
pub use automaton::{LimitHit, Limits, graph};
pub use engine::Engine;
/// Only the tests and benches that measure memory use it.
#[doc(hidden)]
pub use engine::lazy_pool_bytes;
#[cfg(feature = "url")]
pub use origin::{InvalidOrigin, Origin, Scheme};
#[cfg(feature = "rayon")]
pub use policy::batch;
pub use policy::config::Config;
pub use policy::crawlers::{Answer, CrawlerPolicies};
pub use policy::decision::{Decision, Reason, Rule};
pub use policy::once::is_allowed_once;
pub use policy::robots::Robots;
pub use policy::verdicts::{BegunVerdict, Verdicts};
pub use policy::{Memory, Policy};
pub use profile::{
    ByteOrderMark, ControlCharacters, FetchRules, GroupMatch, Profile, RulePrecedence, Sides,
    TargetForm, TokenBytes,
};
pub use read::crawler::Crawler;
pub use read::diagnostic::{Diagnostic, DiagnosticKind};
pub use read::name_error::NameError;
pub use read::parse::{Field, Record};
pub use read::user_agent::{Certainty, HeaderName, UserAgent};
pub use rules::target::{InvalidUrl, Target};
#[cfg(feature = "url")]
pub use sites::set::{PolicySet, SetSite};
pub use verdict::Verdict;

/// Tests the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Tests the examples of the guide to explanations.
#[cfg(doctest)]
#[doc = include_str!("../docs/explain.md")]
struct ExplainGuide;

/// Tests the examples of the page on profiles.
#[cfg(doctest)]
#[doc = include_str!("../docs/profiles.md")]
struct ProfilesPage;
