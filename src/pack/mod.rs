//! Policy sets as files that are used in place, without loading (feature `pack`).
//!
//! A *pack* holds the compiled policies of many origins for some crawlers. [`Writer`] writes it
//! once. [`Pack::open`] then uses it where it is, usually in a memory map, without decoding it:
//! opening reads a small part at the end, finding an origin is a lookup in a hash table, and a
//! verdict walks the same kind of table as a [`Policy`](crate::Policy) does. Many processes can
//! share one file, and only the parts that they ask for become resident.
//!
//! Equal robots.txt files are stored once, and so are equal policies of different files. A policy
//! that is over the limits of a DFA is stored as its normalised rules, and becomes an ordinary
//! policy when it is first used.
//!
//! ```
//! use robotsieve::pack::{Pack, Packed, Writer};
//! use robotsieve::{Answer, Config, Crawler, Profile};
//!
//! let crawlers = ["GPTBot", "Googlebot"].map(Crawler::name);
//! let mut config = Config::default();
//! config.keep_rules = false;
//! config.keep_sitemaps = true;
//! let mut writer = Writer::new(Vec::new(), &Profile::RFC9309, crawlers, &config)?;
//! let file = b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /search\n\
//!     Crawl-delay: 5\nSitemap: https://example.com/sitemap.xml";
//! let packed = writer.recipe().pack(file);
//! writer.add(b"example.com", &packed)?;
//! writer.add(b"www.example.com", &packed)?;
//! let bytes = writer.finish()?;
//!
//! let pack = Pack::open(&bytes)?;
//! let site = pack.get(b"example.com")?.expect("was added");
//! let mut answers = [Answer::Unknown; 2];
//! site.ask("https://example.com/search?q=x", &mut answers)?;
//! assert_eq!(answers, [Answer::Disallow, Answer::Disallow]);
//! assert!(site.policy(1)?.is_allowed("https://example.com/")?);
//! assert_eq!(site.pace(1)?.crawl_delay.unwrap().as_secs(), 5);
//! assert_eq!(site.sitemaps()?.next(), Some(&b"https://example.com/sitemap.xml"[..]));
//! assert!(pack.get(b"example.org")?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Trust
//!
//! A damaged or hostile pack leads to errors, never to a panic. Whatever its `n` bytes are, opening and
//! verifying it takes `O(n)` time and memory, and so does a question.
//! Opening checks the trailer, which has the bounds of all parts. Each part of the index and each
//! policy is checked when it is first used: its checksum, and every invariant of the table that
//! the walk relies on, or that its rules are in normal form. [`Pack::verify`] checks everything at once. A checksum protects against
//! damage, not against malice: anyone who can write the file can make it give any verdict.
//!
//! The bytes must not change while the pack is open. The type `&[u8]` guarantees that, unless the
//! bytes are those of a mapped file: then make sure that nobody writes to it, and replace a pack by
//! renaming a new one over it.
//!
//! `docs/pack.md` describes the format byte by byte.

mod checked;
mod format;
mod read;
mod site;
mod verify;
mod write;

use std::fmt;

pub use format::MAGIC;
pub use read::{Pack, PackedPolicy};
pub use site::Site;
pub use verify::Stat;
pub use write::{Packed, Recipe, Writer};

use format::VERSION;

/// Why bytes cannot be used as a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackError {
    /// They do not begin and end like a pack: it is another kind of file, or it was cut short.
    NotAPack,
    /// The pack has a version that this library does not read.
    Version(u32),
    /// The pack is damaged.
    Damaged {
        /// Where, in bytes from the beginning of the pack.
        offset: u64,
        /// What is wrong there.
        what: &'static str,
    },
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackError::NotAPack => f.write_str("not a pack, or one that was cut short"),
            PackError::Version(version) => write!(
                f,
                "a pack of version {version}, but this program reads version {VERSION}; write the \
                 pack again"
            ),
            PackError::Damaged { offset, what } => {
                write!(f, "damaged pack: {what}, at byte {offset}")
            }
        }
    }
}

impl std::error::Error for PackError {}
