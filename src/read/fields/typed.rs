//! The typed value of a record, read by its kind.

use std::time::Duration;

use super::error::InvalidValue;
use super::kind::Kind;
use super::preferences::Preferences;
use super::values::{self, CleanParam, Host, RequestRate, TimeWindow};

/// The typed value of a record.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum Value<'a> {
    /// The location of a sitemap.
    Sitemap(Sitemap<'a>),
    /// The time to wait between two requests.
    CrawlDelay(Duration),
    /// The number of requests to make, and the time for them.
    RequestRate(RequestRate),
    /// The time of day to visit.
    VisitTime(TimeWindow),
    /// The site's main mirror.
    Host(Host<'a>),
    /// Query parameters to ignore.
    CleanParam(CleanParam<'a>),
    /// The address of a licence.
    License(License<'a>),
    /// A path pattern like that of a rule: what it matches should not be indexed.
    #[cfg_attr(feature = "serde", serde(rename = "noindex"))]
    NoIndex(
        #[cfg_attr(feature = "serde", serde(serialize_with = "crate::bytes_as_text::serialize"))]
        &'a [u8],
    ),
    /// How content may be used, by contentsignals.org. A draft.
    ContentSignal(Preferences<'a>),
    /// How content may be used, by the IETF's aipref working group. A draft.
    ContentUsage(Preferences<'a>),
    /// The value as written: the field is unknown.
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

    /// Returns true if it begins with a scheme and an authority. If not, it has to be resolved against
    /// the URL of the robots.txt, which sitemaps.org does not provide for.
    pub fn is_absolute(&self) -> bool {
        is_absolute(self.0)
    }

    /// Resolves it against the URL of the robots.txt, as browsers resolve a link. Bytes that are
    /// not UTF-8 become replacement characters.
    ///
    /// ```
    /// # use robotsieve::{Profile, Robots};
    /// # use robotsieve::records::Value;
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

/// The address of a licence in RSL, which must be absolute. Other crawlers pass it over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct License<'a>(&'a [u8]);

impl<'a> License<'a> {
    /// The value as written.
    pub fn as_written(&self) -> &'a [u8] {
        self.0
    }

    /// Returns true if it begins with a scheme and an authority, as RSL demands.
    pub fn is_absolute(&self) -> bool {
        is_absolute(self.0)
    }
}

/// Returns true if an address begins with a scheme and an authority.
fn is_absolute(address: &[u8]) -> bool {
    let is_scheme = |o: &u8| o.is_ascii_alphanumeric() || matches!(o, b'+' | b'-' | b'.');
    let scheme_len = address.iter().position(|o| !is_scheme(o)).unwrap_or(address.len());
    let (scheme, rest) = address.split_at(scheme_len);
    scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && rest.len() > 3
        && rest.starts_with(b"://")
}

/// The value of a record of this kind.
pub fn typed(kind: Kind, value: &[u8]) -> Result<Value<'_>, InvalidValue> {
    let invalid = |what| InvalidValue::new(kind, what);
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
        Kind::License => Value::License(License(value)),
        Kind::NoIndex => Value::NoIndex(value),
        Kind::ContentSignal => Value::ContentSignal(Preferences::of(value)),
        Kind::ContentUsage => Value::ContentUsage(Preferences::of(value)),
        Kind::Unknown => Value::Unknown(value),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
