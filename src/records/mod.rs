//! Sitemaps, crawl delays and all other records that are neither user-agent lines nor rules.
//!
//! None of them changes a verdict. [`Robots::typed_records`] returns each with its line, the
//! value as written, and its scope: the whole file or a group, whichever the definition of the
//! field says. A value that does not follow the definition comes with an error instead of a
//! typed value, and is never lost. [`Robots::other_records`] returns the same records untyped.
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
//! | `Crawl-delay` | [`Duration`] | group | Yahoo, Bing, Yandex; never standardised |
//! | `Request-rate` | [`RequestRate`] | group | "An Extended Standard for Robot Exclusion", 1996 |
//! | `Visit-time` | [`TimeWindow`] | group | the same |
//! | `Host` | [`Host`] | file | Yandex, until 2018 |
//! | `Clean-param` | [`CleanParam`] | file | Yandex |
//! | `Noindex` | a path pattern | group | undocumented; Google, until 2019 |
//! | `Content-Signal` | `ContentSignal` with the feature `drafts` | group | contentsignals.org, Cloudflare; a **draft** |
//! | `Content-Usage` | `ContentUsage` with the feature `drafts` | group | draft-ietf-aipref-attach-05; a **draft** |
//!
//! Field names are read without regard to case, `-`, `_` and spaces. `clean-params` and
//! `content-signals` are understood too.
//!
//! # Drafts
//!
//! Two fields say whether content may be used for training, search and inference. Both are
//! defined by drafts, so their types are behind the feature `drafts`, and **change whenever the
//! drafts do**, even in a minor version of this library:
//!
//! * `Content-Usage`: draft-ietf-aipref-attach-05, with the vocabulary of
//!   draft-ietf-aipref-vocab-08;
//! * `Content-Signal`: contentsignals.org as of September 2025, and
//!   draft-romm-aipref-contentsignals-00.
//!
//! The feature adds `ContentUsage`, `ContentSignal` and `Robots::usage`, which answers what a
//! file says about a path. Without it, these records still have their [`Kind`] and [`Scope`], and
//! their [`Value`] is [`Value::Unknown`], the bytes as written.

#[cfg(feature = "drafts")]
mod drafts;
mod error;
mod pace;
#[cfg(feature = "serde")]
mod serialize;
mod values;

use std::fmt;
use std::time::Duration;

use crate::policy::robots::Robots;
use crate::read::crawler::Crawler;
use crate::read::parse::{Content, Field, Record};

#[cfg(feature = "drafts")]
pub use drafts::{
    Ambiguity, ContentSignal, ContentUsage, LabelledPreference, Preference, Source, Statement,
    Usage, Use,
};
pub use error::InvalidValue;
pub use pace::Pace;
pub use values::{CleanParam, Host, RequestRate, TimeWindow};

/// What kind of record a field makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Kind {
    /// `Sitemap`.
    Sitemap,
    /// `Crawl-delay`.
    CrawlDelay,
    /// `Request-rate`.
    RequestRate,
    /// `Visit-time`.
    VisitTime,
    /// `Host`.
    Host,
    /// `Clean-param`.
    CleanParam,
    /// `Noindex`.
    #[cfg_attr(feature = "serde", serde(rename = "noindex"))]
    NoIndex,
    /// `Content-Signal`.
    ContentSignal,
    /// `Content-Usage`.
    ContentUsage,
    /// Any other field.
    Unknown,
}

impl Kind {
    /// All kinds but [`Kind::Unknown`].
    pub const NAMED: &'static [Kind] = &[
        Kind::Sitemap,
        Kind::CrawlDelay,
        Kind::RequestRate,
        Kind::VisitTime,
        Kind::Host,
        Kind::CleanParam,
        Kind::NoIndex,
        Kind::ContentSignal,
        Kind::ContentUsage,
    ];

    /// The kind of record that a field makes, by the name of the field. Names of rules and
    /// user-agent lines are unknown here.
    pub fn of_field(name: &[u8]) -> Kind {
        /// Longer than any known name, even one with many hyphens and spaces.
        const MAX_NAME_BYTES: usize = 64;
        if name.len() > MAX_NAME_BYTES {
            return Kind::Unknown;
        }
        let (mut compact, mut len) = ([0; MAX_NAME_BYTES], 0);
        for byte in name.iter().filter(|byte| !matches!(byte, b'-' | b'_' | b' ' | b'\t')) {
            compact[len] = byte.to_ascii_lowercase();
            len += 1;
        }
        match &compact[..len] {
            b"sitemap" => Kind::Sitemap,
            b"crawldelay" => Kind::CrawlDelay,
            b"requestrate" => Kind::RequestRate,
            b"visittime" => Kind::VisitTime,
            b"host" => Kind::Host,
            b"cleanparam" | b"cleanparams" => Kind::CleanParam,
            b"noindex" => Kind::NoIndex,
            b"contentsignal" | b"contentsignals" => Kind::ContentSignal,
            b"contentusage" => Kind::ContentUsage,
            _ => Kind::Unknown,
        }
    }

    /// The field's name in lower case, or `unknown`.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Sitemap => "sitemap",
            Kind::CrawlDelay => "crawl-delay",
            Kind::RequestRate => "request-rate",
            Kind::VisitTime => "visit-time",
            Kind::Host => "host",
            Kind::CleanParam => "clean-param",
            Kind::NoIndex => "noindex",
            Kind::ContentSignal => "content-signal",
            Kind::ContentUsage => "content-usage",
            Kind::Unknown => "unknown",
        }
    }

    /// Whether the definition of the field makes it apply to the whole file, wherever it stands.
    pub fn is_per_file(self) -> bool {
        matches!(self, Kind::Sitemap | Kind::Host | Kind::CleanParam)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Which crawlers a record is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Scope {
    /// All crawlers.
    File,
    /// The crawlers of this group. Groups are numbered from 0 in the order of the file.
    Group(u32),
    /// It is not in a group, and is not of a kind that applies to the whole file. It may be of an
    /// unknown kind, or of one that is defined for groups only.
    Outside,
}

/// A record with its kind, scope and typed value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TypedRecord<'a> {
    /// The record as written, with its line.
    pub record: Record<'a>,
    /// What kind of record it is.
    pub kind: Kind,
    /// Which crawlers it is for.
    pub scope: Scope,
    /// Its typed value, or what is wrong with the value.
    pub value: Result<Value<'a>, InvalidValue>,
}

/// The typed value of a record.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Value<'a> {
    /// The location of a sitemap.
    Sitemap(Sitemap<'a>),
    /// The time to wait between two requests.
    CrawlDelay(Duration),
    /// How many requests to make in what time.
    RequestRate(RequestRate),
    /// The time of day to visit.
    VisitTime(TimeWindow),
    /// The site's main mirror.
    Host(Host<'a>),
    /// Query parameters to ignore.
    CleanParam(CleanParam<'a>),
    /// A path pattern like that of a rule: what it matches should not be indexed.
    #[cfg_attr(feature = "serde", serde(rename = "noindex"))]
    NoIndex(
        #[cfg_attr(feature = "serde", serde(serialize_with = "crate::bytes_as_text::serialize"))]
        &'a [u8],
    ),
    /// How content may be used, by contentsignals.org. A draft.
    #[cfg(feature = "drafts")]
    ContentSignal(ContentSignal<'a>),
    /// How content may be used, by the IETF's aipref working group. A draft.
    #[cfg(feature = "drafts")]
    ContentUsage(ContentUsage<'a>),
    /// The value as written: the field is unknown, or it follows a draft and the feature `drafts`
    /// is off.
    Unknown(
        #[cfg_attr(feature = "serde", serde(serialize_with = "crate::bytes_as_text::serialize"))]
        &'a [u8],
    ),
}

/// The location of a sitemap. sitemaps.org asks for an absolute URL, which may be on any host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sitemap<'a>(&'a [u8]);

impl<'a> Sitemap<'a> {
    /// The value as written.
    pub fn as_written(&self) -> &'a [u8] {
        self.0
    }

    /// Whether it begins with a scheme and an authority. If not, it has to be resolved against
    /// the URL of the robots.txt, which sitemaps.org does not provide for.
    pub fn is_absolute(&self) -> bool {
        let is_scheme = |o: &u8| o.is_ascii_alphanumeric() || matches!(o, b'+' | b'-' | b'.');
        let scheme_len = self.0.iter().position(|o| !is_scheme(o)).unwrap_or(self.0.len());
        let (scheme, rest) = self.0.split_at(scheme_len);
        scheme.first().is_some_and(u8::is_ascii_alphabetic)
            && rest.len() > 3
            && rest.starts_with(b"://")
    }

    /// Resolves it against the URL of the robots.txt, as browsers resolve a link. Bytes that are
    /// not UTF-8 become replacement characters.
    ///
    /// ```
    /// # use robotsieve::{Profile, Robots, records::Value};
    /// let robots = Robots::parse(b"Sitemap: /s.xml", &Profile::RFC9309);
    /// let Ok(Value::Sitemap(sitemap)) = robots.typed_records().remove(0).value else { panic!() };
    /// let base = url::Url::parse("https://e.com/robots.txt")?;
    /// assert_eq!(sitemap.resolve(&base)?.as_str(), "https://e.com/s.xml");
    /// # Ok::<(), url::ParseError>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the result is not a URL.
    #[cfg(feature = "url")]
    pub fn resolve(&self, base: &url::Url) -> Result<url::Url, url::ParseError> {
        base.join(&String::from_utf8_lossy(self.0))
    }
}

fn typed(kind: Kind, value: &[u8]) -> Result<Value<'_>, InvalidValue> {
    let invalid = |what| InvalidValue::new(kind, what);
    let follows_draft = matches!(kind, Kind::ContentSignal | Kind::ContentUsage);
    let kind = if follows_draft && !cfg!(feature = "drafts") { Kind::Unknown } else { kind };
    if value.is_empty() && !matches!(kind, Kind::Unknown | Kind::NoIndex) {
        return Err(invalid("the value is empty"));
    }
    Ok(match kind {
        Kind::Sitemap => Value::Sitemap(Sitemap(value)),
        Kind::CrawlDelay => Value::CrawlDelay(values::crawl_delay(value).map_err(invalid)?),
        Kind::RequestRate => Value::RequestRate(values::request_rate(value).map_err(invalid)?),
        Kind::VisitTime => Value::VisitTime(values::time_window(value).map_err(invalid)?),
        Kind::Host => Value::Host(values::host(value).map_err(invalid)?),
        Kind::CleanParam => Value::CleanParam(values::clean_param(value).map_err(invalid)?),
        Kind::NoIndex => Value::NoIndex(value),
        #[cfg(feature = "drafts")]
        Kind::ContentSignal => {
            Value::ContentSignal(drafts::content_signal(value).map_err(invalid)?)
        }
        #[cfg(feature = "drafts")]
        Kind::ContentUsage => Value::ContentUsage(drafts::content_usage(value).map_err(invalid)?),
        _ => Value::Unknown(value),
    })
}

impl<'a> Robots<'a> {
    /// The records that are neither user-agent lines nor rules, with scopes and typed values,
    /// in the order of the file. See [`records`](crate::records). Reads the file again; `O(n)`.
    pub fn typed_records(&self) -> Vec<TypedRecord<'a>> {
        let mut group = None;
        let mut records = Vec::new();
        for line in self.groups().lines() {
            let record = match line.content {
                Content::Blank => {
                    if self.profile().blank_line_ends_group {
                        group = None;
                    }
                    continue;
                }
                Content::Record(record) => record,
                _ => continue,
            };
            let kind = match record.field {
                Field::UserAgent => {
                    group = self.groups().group_of_line(record.line);
                    continue;
                }
                Field::Sitemap => Kind::Sitemap,
                Field::Other => Kind::of_field(record.name),
                _ => continue,
            };
            let scope = match group {
                _ if kind.is_per_file() => Scope::File,
                Some(group) => Scope::Group(group),
                None => Scope::Outside,
            };
            records.push(TypedRecord { record, kind, scope, value: typed(kind, record.value) });
        }
        records
    }

    /// The records that are for a crawler: those of its groups, those of the whole file, and those
    /// outside any group, which no definition keeps from it. Reads the file again; `O(n)`.
    pub fn typed_records_for(&self, crawler: &Crawler) -> Vec<TypedRecord<'a>> {
        let groups = self.groups().groups_of(crawler);
        let mut records = self.typed_records();
        records.retain(|record| match record.scope {
            Scope::Group(group) => groups.binary_search(&group).is_ok(),
            Scope::File | Scope::Outside => true,
        });
        records
    }

    /// The product tokens that a group names, as written, including `*`. Groups are numbered from
    /// 0; from [`Robots::group_count`] on, there are no tokens.
    pub fn group_tokens(&self, group: u32) -> Vec<&'a [u8]> {
        self.groups().tokens_of_group(group).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    #[test]
    fn spellings() {
        for (name, kind) in [
            ("CRAWL-DELAY", Kind::CrawlDelay),
            ("crawl_delay", Kind::CrawlDelay),
            ("Crawldelay", Kind::CrawlDelay),
            ("Clean-params", Kind::CleanParam),
            ("content signal", Kind::ContentSignal),
            ("NoIndex", Kind::NoIndex),
            ("crawl-delays", Kind::Unknown),
            ("", Kind::Unknown),
        ] {
            assert_eq!(Kind::of_field(name.as_bytes()), kind, "{name}");
        }
        for kind in Kind::NAMED {
            assert_eq!(Kind::of_field(kind.as_str().as_bytes()), *kind);
        }
        assert_eq!(Kind::of_field(&[b'-'; 100_000]), Kind::Unknown);
    }

    #[test]
    fn scopes() {
        let file = b"Crawl-delay: 1\nHost: e.com\nUser-agent: a\nCrawl-delay: 2\nUser-agent: b\n\
            Disallow: /\n\nCrawl-delay: 3\nUser-agent: *\nClean-param: s\nNoindex: /x\nFoo: bar\n";
        let scopes = |profile| -> Vec<_> {
            let records = Robots::parse(file, profile).typed_records();
            records.into_iter().map(|r| (r.record.line, r.scope)).collect()
        };
        let group = Scope::Group;
        let wanted = [
            (1, Scope::Outside),
            (2, Scope::File),
            (4, group(0)),
            (8, group(0)),
            (10, Scope::File),
            (11, group(1)),
            (12, group(1)),
        ];
        assert_eq!(scopes(&Profile::RFC9309), wanted);
        // In 1994 a blank line ends the group.
        let mut wanted = wanted;
        wanted[3].1 = Scope::Outside;
        assert_eq!(scopes(&Profile::ORIGINAL_1994), wanted);
        let robots = Robots::parse(file, &Profile::RFC9309);
        assert_eq!(robots.group_tokens(0), [b"a", b"b"]);
        assert_eq!(robots.group_tokens(1), [b"*"]);
        assert!(robots.group_tokens(2).is_empty());
        let delay =
            |name| robots.pace(&Crawler::name(name)).crawl_delay.map(|delay| delay.as_secs());
        assert_eq!((delay("a"), delay("b"), delay("c")), (Some(3), Some(3), None));
    }

    #[test]
    fn sitemaps() {
        for (value, is_absolute) in [
            ("https://e.com/s.xml", true),
            ("HTTP://e.com", true),
            ("/s.xml", false),
            ("//e.com/s.xml", false),
            ("e.com/s.xml", false),
            ("https:///", true),
            ("https://", false),
            ("1http://e", false),
        ] {
            assert_eq!(Sitemap(value.as_bytes()).is_absolute(), is_absolute, "{value}");
        }
        assert!(typed(Kind::Sitemap, b"").is_err());
    }

    #[cfg(not(feature = "drafts"))]
    #[test]
    fn drafts_stay_as_written() {
        for kind in [Kind::ContentSignal, Kind::ContentUsage] {
            for value in [&b""[..], b"/ train-ai=n"] {
                assert_eq!(typed(kind, value), Ok(Value::Unknown(value)));
            }
        }
    }
}
