//! What a store knows of a site.

use serde::Serialize;

/// A store's knowledge of a URL's site, and what follows from that in a profile. The members are
/// those of `robotsieve schema fetch`, where a member without a value is left out. Times are in UTC,
/// as RFC 3339 has them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Site {
    /// Scheme, host and port, normalised.
    pub origin: String,
    /// The state of the site: `parsed`, `empty`, `html`, `truncated`, `absent` or `unreachable`.
    pub condition: &'static str,
    /// The meaning of the last attempt: `present`, `absent` or `unreachable`.
    pub outcome: &'static str,
    /// Why there is no robots.txt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The HTTP status that `cause` is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// What is wrong with the site's certificate, which was accepted all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invalid_certificate: Option<String>,
    /// When the last attempt ended.
    pub attempted: String,
    /// The number of attempts that have failed in a row.
    pub failures: u32,
    /// Since when it has been unreachable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreachable_since: Option<String>,
    /// Before this time the site wants no further request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<String>,
    /// The policy that applies: `rules`, `allow-all` or `disallow-all`.
    pub holds: &'static str,
    /// Why that policy applies.
    pub why: &'static str,
    /// Until when it applies; left out if for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// True if that time is over. The policy is still used until the site is asked again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expired: Option<bool>,
    /// From when on the site should be asked again; left out if never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_attempt: Option<String>,
    /// The last good robots.txt, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<HeldCopy>,
    /// The same in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The last good robots.txt of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HeldCopy {
    /// The SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// Its size in bytes.
    pub bytes: u32,
    /// When it was fetched, or last found unchanged.
    pub fetched: String,
    /// For how many seconds it is fresh.
    pub lifetime_seconds: u32,
    /// Until when it is fresh.
    pub fresh_until: String,
    /// True if it was longer than the limit, and the rest cut off.
    pub is_truncated: bool,
    /// True if it has nothing but white space.
    pub is_blank: bool,
    /// True if it looks like an HTML page.
    pub looks_like_html: bool,
    /// Where redirects led.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_url: Option<String>,
    /// Its `ETag`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// All bytes of `etag`, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub etag_base64: Option<String>,
    /// Its `Last-Modified`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// All bytes of `last_modified`, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified_base64: Option<String>,
}
