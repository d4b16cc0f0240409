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
//! | hold the policies of many hosts | [`PolicySet`](self#features), or [`pack`](self#features) for a file: both judge many URLs at once |
//! | say which rule decided | [`Policy::decide`] |
//! | show every step to that verdict | [`Robots::explain`] |
//! | compare two versions of a file | [`diff`] |
//! | read sitemaps, crawl delays and other records | [`records`] |
//! | say what else may be done with a URL | [`rights`](self#features) |
//! | draw a policy's automaton | [`Policy::to_dot`], [`Policy::to_graph`] |
//! | find mistakes in a file | [`Robots::diagnostics`], [`lint`](self#features) |
//! | write a file from what a site wants | [`compose`](self#features) |
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
//! | `report` | what is said of verdicts: documents, and their sentences | feature `report` |
//! | `known` | crawlers by name, and shutting them out | feature `known` |
//! | `expect` | expectations of a file, tested | feature `known` |
//! | `compose` | a file written from what a site wants, and proven | feature `known` |
//! | `audit` | access logs, judged | feature `audit` |
//! | `rights` | what else may be done with a URL: indexing, use by AI systems, training | feature `rights` |
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
//!   once and trusted from then on (`automaton::table`, `sites::set`, `pack::shard`), and the bytes of
//!   a pack, which it lends from what owns them (`pack::bytes`);
//! * an origin taken for UTF-8 because it was found to be ASCII (`origin`);
//! * the hint that fetches memory ahead (`read_ahead`).
//!
//! # Features
//!
//! All are off by default.
//!
//! * `pack`: the module `pack`, policies of many origins in files that are used in place.
//! * `lint`: the module `lint`, which finds what is wrong with a file and what has no effect. With it
//!   comes `rights`, which reads what a file says of use.
//! * `url`: `Origin`, which says whose robots.txt governs a URL, `PolicySet`, which holds the policies
//!   of many, and `records::Sitemap::resolve`.
//! * `serde`: `Serialize` for what people store, such as [`Decision`], [`Record`] and
//!   [`Diagnostic`], and also `Deserialize` for what owns its data, such as [`Verdict`],
//!   [`Answer`], [`Profile`] and [`Config`]. Each type documents its representation. Byte strings
//!   are written as strings if they are UTF-8, else as arrays of numbers.
//! * `report`: the module `report`, one document for each kind of report and its sentences, as the
//!   command, Python and JavaScript show them. With it come `serde`, `lint` and `rights`.
//! * `schema`: the JSON Schema of these documents, with all that they need.
//! * `known`: the module `known`, crawlers by name; what a file lets them read; `expect`, which
//!   tests a file; and `compose`, which writes one. With it comes `report`.
//! * `enforce`: the module `enforce`, configuration for web servers that refuses what a file forbids.
//!   With it comes `known`.
//! * `audit`: the module `audit`, which judges access logs, with `known`.
//! * `rights`: the module `rights`, which says whether content may be crawled, indexed, used and
//!   trained on, by robots.txt, headers, pages, TDMRep and RSL. It follows drafts, and
//!   changes when they do, in a minor version too. With it come `url` and parsers of structured
//!   fields, HTML, XML, JSON and dates.
//!
//! Types of the crate `url` 2 are part of the interface of the feature `url`.

mod as_url;
mod automaton;
#[cfg(feature = "serde")]
#[expect(missing_docs, reason = "only robotsieve's own crates see it")]
mod bytes_as_text;
mod engine;
pub mod explain;
pub mod internals;
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

pub use as_url::AsUrl;
pub use automaton::{LimitHit, Limits, graph};
pub use engine::Engine;
#[cfg(feature = "url")]
pub use origin::{InvalidOrigin, Origin, Scheme};
pub use policy::config::Config;
pub use policy::crawlers::{Answer, CrawlerPolicies};
pub use policy::decision::{Decision, Reason, Rule};
pub use policy::once::is_allowed_once;
pub use policy::robots::Robots;
pub use policy::{Memory, Policy};
pub use profile::{
    ByteOrderMark, ControlCharacters, FetchRules, GroupMatch, Profile, RulePrecedence, Sides,
    TargetForm, TokenBytes, UnknownProfile,
};
pub use read::crawler::Crawler;
pub use read::diagnostic::{Diagnostic, DiagnosticKind};
pub use read::name_error::NameError;
pub use read::parse::{Field, Record};
pub use read::user_agent::{Certainty, HeaderName, UserAgent};
pub use rules::target::{InvalidUrl, Target};
#[cfg(feature = "url")]
pub use sites::kind::{SiteKind, SiteRules};
#[cfg(feature = "url")]
pub use sites::look_up::UrlRun;
#[cfg(feature = "url")]
pub use sites::policy::SitePolicy;
#[cfg(feature = "url")]
pub use sites::set::{PolicySet, SetSite};
pub use verdict::Verdict;
