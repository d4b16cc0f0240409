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
//! | hold the policies of many hosts | [`PolicySet`], or [`pack`] for a file: both judge many URLs at once |
//! | say which rule decided | [`Policy::decide`] |
//! | show every step to that verdict | [`Robots::explain`] |
//! | read sitemaps, crawl delays and other records | [`records`] |
//! | draw a policy's automaton | [`Policy::to_dot`], [`Policy::to_graph`] |
//! | find mistakes in a file | [`Robots::diagnostics`], and the crate [`robotsieve-lint`](https://docs.rs/robotsieve-lint) |
//!
//! # The crates around it
//!
//! | crate | what it has |
//! |---|---|
//! | [`robotsieve-lint`](https://docs.rs/robotsieve-lint) | findings and their fixes; what changed from one file to another, proven |
//! | [`robotsieve-rights`](https://docs.rs/robotsieve-rights) | whether content may be indexed, used by AI systems, trained on |
//! | [`robotsieve-known`](https://docs.rs/robotsieve-known) | crawlers by name, header and purpose |
//! | [`robotsieve-owners`](https://docs.rs/robotsieve-owners) | files blocked, written, tested and enforced, access logs audited |
//! | [`robotsieve-report`](https://docs.rs/robotsieve-report) | one document for each kind of report, with its sentences |
//! | [`robotsieve-client`](https://docs.rs/robotsieve-client) | from a URL to the robots.txt in force: fetching, what answers mean, a store |
//! | [`robotsieve-captures`](https://docs.rs/robotsieve-captures) | WARC archives, and packs made of them |
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
//! * vector instructions: those that every processor of the target has (`sixteen`), those that find line ends
//!   (`read::marks`), and those that walk the table without bounds checks (`automaton::by_vectors`);
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
//! * `url`: [`Origin`], which says whose robots.txt governs a URL, [`PolicySet`], which holds the policies
//!   of many, and `records::Sitemap::resolve`. Types of the crate `url` 2 are part of its interface.
//! * `pack`: the module [`pack`], policies of many origins in files that are used in place.
//! * `serde`: `Serialize` for what people store, such as [`Decision`], [`Record`] and
//!   [`Diagnostic`], and also `Deserialize` for what owns its data, such as [`Verdict`],
//!   [`Answer`], [`Profile`] and [`Config`]. Each type documents its representation. Byte strings
//!   are written as strings if they are UTF-8, else as arrays of numbers.
//! * `schema`: for `robotsieve-report` only.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(feature = "url"), doc = "")]
#![cfg_attr(not(feature = "url"), doc = " [`Origin`]: self#features")]
#![cfg_attr(not(feature = "url"), doc = " [`PolicySet`]: self#features")]
#![cfg_attr(not(feature = "pack"), doc = "")]
#![cfg_attr(not(feature = "pack"), doc = " [`pack`]: self#features")]

/// Shows a value as its `as_str` says, filled up to the width that is asked for.
macro_rules! display_as_str {
    ($type:ty) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

mod as_url;
mod automaton;
#[cfg(feature = "serde")]
#[expect(missing_docs, reason = "only robotsieve's own crates see it")]
mod bytes_as_text;
mod bytes_shown;
mod engine;
pub mod explain;
pub mod internals;
#[cfg(feature = "url")]
mod origin;
#[cfg(feature = "url")]
mod own_rules;
#[cfg(feature = "pack")]
pub mod pack;
mod policy;
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))]
mod processor;
mod profile;
mod read;
mod read_ahead;
pub mod records;
mod rules;
#[cfg(feature = "url")]
mod sites;
#[expect(missing_docs, reason = "only robotsieve's own crates see it")]
mod sixteen;
mod verdict;

pub use as_url::AsUrl;
pub use automaton::{LimitHit, Limits, graph};
pub use engine::Engine;
#[cfg(feature = "url")]
pub use origin::{InvalidOrigin, Origin, Scheme};
#[cfg(feature = "url")]
pub use own_rules::own_rules;
#[cfg(feature = "url")]
pub use policy::answers::CrawlerId;
pub use policy::answers::{Answer, Answers};
pub use policy::config::Config;
pub use policy::crawlers::CrawlerPolicies;
pub use policy::decision::{Decision, Reason, Rule};
pub use policy::once::is_allowed_once;
pub use policy::robots::Robots;
pub use policy::{Memory, Policy};
pub use profile::{
    ByteOrderMark, ControlCharacters, FetchRules, GroupMatch, OtherRecords, Profile,
    RulePrecedence, Sides, TargetForm, TokenBytes, UnknownProfile,
};
pub use read::crawler::Crawler;
pub use read::diagnostic::{Diagnostic, DiagnosticKind};
pub use read::name_error::NameError;
pub use read::parse::{Field, Record};
pub use read::user_agent::{Certainty, HeaderName, UserAgent};
pub use read::utf16::text_of;
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
