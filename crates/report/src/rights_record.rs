//! The rights of a response in an archive as a record that proves itself: the report `robotsieve-rights-1`.
//!
//! A record has all that another program needs to come to the same verdict, and to look each place up: where
//! the response stands, which documents were asked, of when, with their digests and places, by which versions of
//! which texts, and with which settings. JSON and Parquet have the same members.

use std::collections::BTreeMap;
use std::sync::Arc;

use robotsieve_rights::{Rights, Ruling, Version};
use serde::{Serialize, Serializer};

use super::TOOL_VERSION;

/// The version of the form of the record.
pub const RIGHTS_SCHEMA: &str = "robotsieve-rights-1";

/// With what a verdict was reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RightsSettings {
    /// [`RIGHTS_SCHEMA`].
    #[cfg_attr(feature = "schema", schemars(extend("const" = RIGHTS_SCHEMA)))]
    pub schema: &'static str,
    /// The version of robotsieve.
    pub tool_version: &'static str,
    /// The name of the profile.
    pub profile: &'static str,
    /// Whose reading of robots tags counts.
    pub reading: &'static str,
    /// The draft of the vocabulary of Content-Usage: `aipref-vocab-08`.
    pub vocabulary: &'static str,
    /// `newest` if the newest captures of documents count, whenever the page was fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<&'static str>,
    /// True if what owners refused later counts too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub and_later_refusals: bool,
}

impl RightsSettings {
    /// The settings of this version of robotsieve.
    #[must_use]
    pub fn new(profile: &'static str, reading: &'static str, vocabulary: &'static str) -> RightsSettings {
        RightsSettings {
            schema: RIGHTS_SCHEMA,
            tool_version: TOOL_VERSION,
            profile,
            reading,
            vocabulary,
            as_of: None,
            and_later_refusals: false,
        }
    }
}

/// What is known of a response, and of the use of its URL.
#[derive(Clone, Debug, Serialize)]
#[allow(clippy::exhaustive_structs, reason = "whoever reads archives fills it")]
pub struct RightsRecord {
    /// The URL of the response.
    pub url: String,
    /// The crawler, as it was given.
    pub agent: String,
    /// When the response was captured.
    pub captured: String,
    /// Its status.
    pub status: u16,
    /// The file of its record, and where the record begins.
    pub file: String,
    /// See `file`.
    pub offset: Option<u64>,
    /// What the archive has of the robots.txt of its site. `None` if nothing.
    pub robots: Option<&'static str>,
    /// What was read of the page.
    pub page: RecordedPage,
    /// The robots.txt and the other documents that were asked, as the archives have them.
    pub documents: Vec<RecordedDocument>,
    /// The time that `unavailable_after` was compared with, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
    /// Whatever is the same for all records of a run.
    #[serde(flatten, serialize_with = "settings")]
    pub settings: Arc<RightsSettings>,
    /// By the text that they follow, the places that decided.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub versions: BTreeMap<&'static str, Vec<String>>,
    /// The verdicts.
    #[serde(flatten)]
    pub rights: Rights,
}

fn settings<S: Serializer>(settings: &Arc<RightsSettings>, serializer: S) -> Result<S::Ok, S::Error> {
    settings.as_ref().serialize(serializer)
}

/// The most places whose version is told.
const MOST_PLACES: usize = 64;

/// The places that decided, by the version of the text that they follow.
#[must_use]
pub fn versions(rights: &Rights) -> BTreeMap<&'static str, Vec<String>> {
    let mut found: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    let mut decided = |version: Version, place: String| {
        let places = found.entry(version.as_str()).or_default();
        if !places.contains(&place) {
            places.push(place);
        }
    };
    let purposes = rights.purposes().filter(|purpose| rights.ruling(*purpose) != Ruling::Unknown);
    let by = purposes.flat_map(|purpose| rights.by(purpose));
    by.take(MOST_PLACES)
        // Allow and Disallow follow the profile.
        .filter(|by| by.version != Version::Rfc9309)
        .for_each(|by| decided(by.version, by.place.to_string()));
    found
}

/// A document of the archives that was asked about a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(clippy::exhaustive_structs, reason = "whoever reads archives fills it")]
pub struct RecordedDocument {
    /// Its address.
    pub url: String,
    /// When it was captured.
    pub captured: String,
    /// From its capture to that of the page; negative if the page was captured first.
    pub age_seconds: i64,
    /// `current`, `older` or `later`.
    pub fit: &'static str,
    /// The SHA-256 of its bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// What was read of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[allow(clippy::exhaustive_enums, reason = "whoever reads archives fills it")]
pub enum RecordedPage {
    /// All of it.
    Read,
    /// It is not HTML, so only its header counts.
    NotHtml,
    /// What is there of it: its end is missing in the archive.
    Cut,
    /// Nothing: it ended too early, its encoding cannot be undone, or another record has it that is not here.
    Unreadable,
}

impl RecordedPage {
    /// As JSON and Parquet have it.
    pub fn as_str(self) -> &'static str {
        match self {
            RecordedPage::Read => "read",
            RecordedPage::NotHtml => "not-html",
            RecordedPage::Cut => "cut",
            RecordedPage::Unreadable => "unreadable",
        }
    }
}
