//! Access logs judged by a robots.txt: the crawlers that fetched what it forbids.
//!
//! | module | what |
//! |---|---|
//! | `settings` | what requests are judged by |
//! | `logs` | a log in blocks of lines, each with the format at its beginning |
//! | `formats`, `fields`, `jsonl`, `services`, `w3c`, `template` | a line → its fields |
//! | `escapes`, `times`, `requested` | a field → what it means |
//! | `crawlers`, `senders`, `ranges` | a User-Agent header → the crawler, and whether its address is its own |
//! | `judge`, `judged` | a block → what its requests come to |
//! | `counts`, `tally` | the blocks in their order → what all come to |
//! | `report` | the report `audit` |
//! | `addresses` | a list of the addresses from which forbidden requests, or false names, came |
//!
//! Nothing is read here: the caller gives the lines.
//!
//! ```
//! use robotsieve_owners::audit::{Audit, Counts, Judge, Log, LogFormat, Version};
//! use robotsieve_known::KnownCrawlers;
//! use robotsieve::{Profile, Robots};
//!
//! let robots = Robots::parse(b"User-agent: GPTBot\nDisallow: /", &Profile::RFC9309);
//! let means_none = |_: &Profile, status| (400..500).contains(&status);
//! let versions = vec![Version::new("robots.txt", robots)];
//! let audit = Audit::new(versions, KnownCrawlers::built_in(), means_none);
//! let lines = br#"192.0.2.7 - - [20/Nov/2026:12:00:00 +0100] "GET /a HTTP/1.1" 200 5 "-" "GPTBot/1.1""#;
//! let mut log = Log::new("access.log", Some(LogFormat::Combined));
//! let mut counts = Counts::new(&audit);
//! counts.add(Judge::new(&audit).judge(log.block(lines), |_forbidden| ()));
//! assert_eq!(counts.report().crawlers[0].rules[0].rule, "/");
//! ```

mod addresses;
mod counts;
mod crawlers;
mod escapes;
mod fields;
mod formats;
mod jsonl;
mod judge;
mod judged;
mod logs;
mod published;
mod report;
mod requested;
mod senders;
mod services;
mod settings;
mod tally;
mod template;
mod times;
mod w3c;

pub use crate::ranges::{AddressSource, InvalidRange, Ranges};
pub use addresses::{Addresses, Whose};
pub use counts::Counts;
#[cfg(test)]
pub(crate) use crawlers::Crawlers;
pub use formats::{LogFormat, W3cColumns};
pub use judge::Judge;
pub use judged::Judged;
pub use logs::{Block, Log};
pub use published::{InvalidPublished, PublishedRanges};
pub use report::{
    AuditReport, AuditedCrawler, AuditedFile, BrokenRule, DamagedLine, ExamplePath, OtherAddress,
    StatusCount, VerifiedCount,
};
pub use settings::{Audit, MeansNone, Version};
pub use template::{InvalidTemplate, Template};
