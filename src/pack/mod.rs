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
//! ([`Writer::append`]). An [`Outcome`] and a time say what was known of each origin, and when.
//!
//! Equal policies are stored once. A policy that is over the limits of a DFA is stored as its
//! normalised rules, and becomes an ordinary policy when it is first used.
//!
//! ```
//! use robotsieve::pack::{Outcome, Pack, Writer};
//! use robotsieve::{Answer, Config, Crawler, Origin, Profile};
//!
//! let crawlers = ["GPTBot", "Googlebot"].map(Crawler::name);
//! let mut config = Config::default();
//! config.keep_rules = false;
//! config.keep_sitemaps = true;
//! let mut writer = Writer::new(Vec::new(), &Profile::RFC9309, crawlers, &config)?;
//! let file = b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /search\n\
//!     Crawl-delay: 5\nSitemap: https://example.com/sitemap.xml";
//! let packed = writer.recipe().pack(file);
//! let rules = Outcome::Rules(writer.put(&packed)?);
//! writer.add(&Origin::of("https://example.com")?, rules, Some(1_764_000_000))?;
//! writer.add(&Origin::of("https://www.example.com")?, rules, None)?;
//! writer.add(&Origin::of("http://example.net")?, Outcome::AllowAll, None)?;
//! let bytes = writer.finish()?;
//!
//! let pack = Pack::open(&bytes)?;
//! let origin = Origin::of("https://example.com/search?q=x")?;
//! let site = pack.get(&origin)?.expect("was added");
//! let mut answers = [Answer::Unknown; 2];
//! site.ask("https://example.com/search?q=x", &mut answers)?;
//! assert_eq!(answers, [Answer::Disallow, Answer::Disallow]);
//! let policy = site.policy(1)?.expect("something is known");
//! assert!(policy.is_allowed("https://example.com/")?);
//! assert_eq!(site.pace(1)?.crawl_delay.unwrap().as_secs(), 5);
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
//! Opening checks the trailers, which have the bounds of all parts. Each part of the index, each page
//! of entries and each policy is checked when it is first used: its checksum, and every invariant of
//! the table that the walk relies on, or that its rules are in normal form. [`Pack::verify`] checks everything at once. A checksum protects against
//! damage, not against malice: anyone who can write the file can make it give any verdict.
//!
//! The bytes must not change while the pack is open. The type `&[u8]` guarantees that, unless the
//! bytes are those of a mapped file: then make sure that nobody changes what is there. Replace a pack
//! by renaming a new one over it, and update it by appending to it.
//!
//! `docs/pack.md` describes the format byte by byte.

mod checked;
mod format;
mod names;
mod outcome;
mod read;
mod shard;
mod site;
mod slots;
mod verify;
mod write;

use std::fmt;

pub use format::MAGIC;
pub use names::{ShardsError, check_shards, shard_name, shard_of_name};
pub use outcome::{Kind, Outcome, Written};
pub use read::Pack;
pub use site::{PackedPolicy, Site};
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
    /// An update was cut short: an unfinished layer follows a whole pack. Open the first
    /// `complete` bytes, or cut the file there.
    Unfinished {
        /// The bytes of the whole pack.
        complete: u64,
    },
    /// The file is one of several of a pack, or not the one that is expected in its place:
    /// [`Pack::open_shards`] opens all of them together.
    OneOf {
        /// Which of the files it is, from 0 on.
        shard: u32,
        /// How many there are.
        shards: u32,
    },
    /// The file is for other crawlers, or of another profile, than the others of the pack.
    OtherShards,
    /// The pack is damaged.
    Damaged {
        /// Which of the files that were given to [`Pack::open_shards`]; 0 if there is one.
        file: usize,
        /// Where, in bytes from the beginning of the file.
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
            PackError::Unfinished { complete } => write!(
                f,
                "an update was cut short: the pack before it is whole and has {complete} bytes"
            ),
            PackError::OneOf { shard, shards } => write!(
                f,
                "file {} of a pack of {shards}: open all of them together, each once",
                u64::from(*shard) + 1
            ),
            PackError::OtherShards => f.write_str(
                "for other crawlers or of another profile than the other files of the pack",
            ),
            PackError::Damaged { file: _, offset, what } => {
                write!(f, "damaged pack: {what}, at byte {offset}")
            }
        }
    }
}

impl std::error::Error for PackError {}
