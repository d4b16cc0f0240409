//! Policy sets as files that are used in place, without loading (feature `pack`).
//!
//! A *pack* holds the compiled policies of many origins for some crawlers. [`Writer`] writes it
//! once. [`Pack::open`] then uses it where it is, usually in a memory map, without decoding it:
//! opening reads a small part at the end, finding an origin is a lookup in a hash table, and a
//! verdict walks the same kind of table as a [`Policy`](crate::Policy) does. Many processes can
//! share one file, and only the parts that they ask for become resident.
//!
//! A pack may be several files, whose origins are shared out ([`Writer::shard`],
//! [`Pack::open_shards`]), and a file can be updated by a layer that is appended to it
//! ([`Writer::append`]). A [`SiteRules`](crate::SiteRules) and a time say what was known of each origin, and when.
//!
//! Equal policies are stored once. A policy that is over the limits of a DFA is stored as its
//! normalised rules, and becomes an ordinary policy when it is first used.
//!
//! ```
//! use robotsieve::pack::{Pack, Writer};
//! use robotsieve::{Answer, Config, Crawler, Origin, Profile, SiteRules};
//!
//! let crawlers = ["GPTBot", "Googlebot"].map(Crawler::name);
//! let mut config = Config::default();
//! config.keep_rules = false;
//! config.keep_sitemaps = true;
//! let mut writer = Writer::new(Vec::new(), &Profile::RFC9309, crawlers, &config)?;
//! let file = b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /search\n\
//!     Crawl-delay: 5\nSitemap: https://example.com/sitemap.xml";
//! let packed = writer.recipe().pack(file);
//! let rules = SiteRules::Rules(writer.put(&packed)?);
//! writer.add(&Origin::of("https://example.com")?, rules, Some(1_764_000_000))?;
//! writer.add(&Origin::of("https://www.example.com")?, rules, None)?;
//! writer.add(&Origin::of("http://example.net")?, SiteRules::AllowAll, None)?;
//! let bytes = writer.finish()?;
//!
//! let pack = Pack::open(&bytes)?;
//! let origin = Origin::of("https://example.com/search?q=x")?;
//! let site = pack.get(&origin)?.expect("was added");
//! let answers = site.ask("https://example.com/search?q=x")?;
//! assert_eq!(*answers, [Answer::Disallow, Answer::Disallow]);
//! let googlebot = pack.crawler(&"Googlebot".into()).expect("it was given");
//! let policy = site.policy(googlebot)?.expect("something is known");
//! assert!(policy.is_allowed("https://example.com/")?);
//! assert_eq!(site.pace(googlebot)?.crawl_delay.unwrap().as_secs(), 5);
//! assert_eq!(site.sitemaps()?.next(), Some(&b"https://example.com/sitemap.xml"[..]));
//! assert_eq!(site.captured(), Some(1_764_000_000));
//! assert!(pack.get(&Origin::of("http://example.com")?)?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Trust
//!
//! A damaged or hostile pack leads to errors, never to a panic. Whatever its `n` bytes are, opening and
//! verifying it takes `O(n)` time and memory, and so does a question.
//! Opening checks the trailers, which have the bounds of all parts. Each part of the index and each
//! policy is checked when it is first used: its checksum, and every invariant of
//! the table that the walk relies on, or that its rules are in normal form. [`Pack::verify`] checks everything at once. A checksum protects against
//! damage, not against malice: anyone who can write the file can make it give any verdict.
//!
//! The bytes must not change while the pack is open. The type `&[u8]` guarantees that, unless the
//! bytes are those of a mapped file: then make sure that nobody changes or cuts what is there. Replace a
//! pack by renaming a new one over it, and update it by appending to it: [`Writer::append`] writes
//! nothing before the end of the file, and until its last bytes are there, [`Pack::open`] leaves out
//! what it wrote.
//!
//! `docs/pack.md` describes the format byte by byte.

mod bytes;
mod checked;
mod error;
mod format;
mod index;
mod names;
mod of_set;
mod open;
mod outcome;
mod pending;
mod read;
mod recipe;
mod shard;
mod site;
#[expect(missing_docs, reason = "only robotsieve's own crates see it")]
pub(crate) mod take;
mod verify;
mod write;

pub use error::{FileError, PackError};
pub use format::MAGIC;
pub use names::{ShardsError, check_shards, shard_name, shard_of_name};
pub use open::{Pack, Unfinished};
pub use outcome::{CaptureTimes, Written};
pub use recipe::{Packed, Recipe};
pub use site::{PackedPolicy, Site};
pub use verify::Stat;
pub use write::Writer;
