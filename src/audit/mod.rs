//! Access logs judged by a robots.txt: the crawlers that fetched what it forbids.
//!
//! | module | what |
//! |---|---|
//! | `formats`, `fields`, `jsonl`, `template` | a line → its fields |
//! | `escapes`, `times` | a field → what it means |
//! | `crawlers`, `ranges` | a User-Agent header → the crawler, and whether its address is its own |
//! | `judge`, `tally` | what is counted |
//! | `report` | the report `audit` |
//!
//! Nothing is read here: the caller gives the lines.
//!
//! ```
//! use robotsieve::audit::{Audit, LogFormat, Version};
//! use robotsieve::known::KnownCrawlers;
//! use robotsieve::{Profile, Robots};
//!
//! let robots = Robots::parse(b"User-agent: GPTBot\nDisallow: /", &Profile::RFC9309);
//! let mut audit = Audit::new(vec![Version::new("robots.txt", robots)], KnownCrawlers::built_in());
//! let line = br#"192.0.2.7 - - [20/Nov/2026:12:00:00 +0100] "GET /a HTTP/1.1" 200 5 "-" "GPTBot/1.1""#;
//! audit.begin_log("access.log", Some(LogFormat::Combined));
//! assert!(audit.line(line).is_forbidden());
//! let report = audit.report();
//! assert_eq!(report.crawlers[0].rules[0].rule.as_deref(), Some("/"));
//! ```

mod crawlers;
mod escapes;
mod fields;
mod formats;
mod jsonl;
mod judge;
mod published;
mod ranges;
mod report;
mod tally;
mod template;
mod times;
mod w3c;

pub use formats::{LogFormat, W3cColumns};
pub use judge::{Audit, LogLine, Version};
pub use published::{InvalidPublished, PublishedRanges};
pub use ranges::{InvalidRange, Ranges};
pub use report::{
    AuditReport, AuditedCrawler, AuditedFile, BrokenRule, DamagedLine, ExamplePath, OtherAddress,
    StatusCount, VerifiedCount,
};
pub use template::{InvalidTemplate, Template};
