//! Sitemaps, crawl delays and all other records that are neither user-agent lines nor rules.
//!
//! None of them changes a verdict. [`Robots::typed_records`](crate::Robots::typed_records) returns each with its line, the
//! value as written, and its scope: the whole file or a group, whichever the definition of the
//! field says. A value that does not follow the definition comes with an error instead of a
//! typed value, and is never lost. [`Robots::other_records`](crate::Robots::other_records) returns the same records untyped.
//!
//! ```
//! use robotsieve::records::{Scope, Value};
//! use robotsieve::{Profile, Robots};
//!
//! let file = b"User-agent: a\nCrawl-delay: 2.5\nSitemap: https://e.com/s.xml\n\
//!     Request-rate: often\nDisallow: /x";
//! let robots = Robots::parse(file, &Profile::RFC9309);
//! let records = robots.typed_records();
//!
//! let Ok(Value::CrawlDelay(delay)) = &records[0].value else { panic!() };
//! assert_eq!((delay.as_secs_f64(), records[0].scope), (2.5, Scope::Group(0)));
//! assert_eq!(records[1].scope, Scope::File);
//! assert_eq!(records[2].record.value, b"often");
//! assert!(records[2].value.as_ref().unwrap_err().to_string().contains("1/5"));
//! ```
//!
//! | field | value | scope | source |
//! |---|---|---|---|
//! | `Sitemap` | [`Sitemap`] | file | sitemaps.org |
//! | `Crawl-delay` | [`Duration`](std::time::Duration) | the user-agent lines above it | Yahoo, Bing, Yandex; never standardised |
//! | `Request-rate` | [`RequestRate`] | the same | "An Extended Standard for Robot Exclusion", 1996 |
//! | `Visit-time` | [`TimeWindow`] | the same | the same |
//! | `Host` | [`Host`] | file | Yandex, until 2018 |
//! | `Clean-param` | [`CleanParam`] | file | Yandex |
//! | `License` | [`License`] | group; outside all of them, the file | RSL 1.0 |
//! | `Noindex` | a path pattern | group | undocumented; Google, until 2019 |
//! | `Content-Signal` | [`Preferences`] | group | contentsignals.org, Cloudflare; a **draft** |
//! | `Content-Usage` | [`Preferences`] | group | draft-ietf-aipref-attach-05; a **draft** |
//!
//! A `Crawl-delay`, a `Request-rate` or a `Visit-time` is for the crawlers of the user-agent lines
//! directly above it ([`Pace`]): where these are not the whole group, its scope is [`Scope::Run`].
//!
//! Field names are read without regard to case, `-`, `_` and spaces. `clean-params` and
//! `content-signals` are understood too.
//!
//! # Drafts
//!
//! `Content-Usage` and `Content-Signal` say what content may be used for. Drafts define them, so the
//! crate `robotsieve-rights` reads their statements: what it says changes whenever the drafts do. Here
//! they are split into a path and a statement as written; `robotsieve_rights::records` also refuses a
//! statement that is malformed as a whole.

#[cfg(feature = "serde")]
mod serialize;
mod typed;

pub use crate::read::fields::{
    CleanParam, Host, InvalidValue, Kind, License, Pace, Preferences, RequestRate, Sitemap,
    TimeWindow, Value,
};
pub(crate) use typed::is_within;
pub use typed::{Scope, TypedRecord};
