//! The rights of a response in an archive as a record that proves itself: the report `robotsieve-rights-1`.
//!
//! A record has all that another program needs to come to the same verdict, and to look each place up: where
//! the response stands, which documents were asked, of when, with their digests and places, by which versions of
//! which texts, and with which settings. JSON and Parquet have the same members. What the pages of a site share
//! is its basis, which is written once and named by its digest.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use robotsieve_rights::internals::quotation;
use robotsieve_rights::{Note, Notes, Place, Rights, Ruling, Statement, Version};
use serde::{Serialize, Serializer};

use super::TOOL_VERSION;
use super::rights::{Quotes, RightsSources};

/// The version of the form of the record.
pub const RIGHTS_SCHEMA: &str = "robotsieve-rights-1";

/// The members of a record and of its basis, by the names that they have everywhere: in JSON and its schema, and as
/// columns of Parquet, in this order. What JSON has as a list or an object is its text there.
pub const RIGHTS_MEMBERS: [&str; 35] = [
    "url",
    "agent",
    "captured",
    "age_seconds",
    "status",
    "file",
    "offset",
    "sha256",
    "robots",
    "page",
    "documents",
    "now",
    "schema",
    "tool_version",
    "profile",
    "reading",
    "vocabulary",
    "as_of",
    "and_later_refusals",
    "versions",
    "quotes",
    "basis",
    "crawl",
    "index",
    "snippet",
    "ai-input",
    "ai-train",
    "ai-index",
    "by",
    "licences",
    "licensable",
    "conditions",
    "limits",
    "use",
    "notes",
];

/// Those among them that tell of the capture, which whoever reads the archive knows: from `captured` to `documents`, and
/// `notes`, for what the archive had of its documents and could not be read.
pub const RIGHTS_OF_CAPTURE: [&str; 10] = {
    let mut names = ["notes"; 10];
    let (captured_to_documents, _) = names.split_at_mut(9);
    captured_to_documents.copy_from_slice(RIGHTS_MEMBERS.split_at(2).1.split_at(9).0);
    names
};

/// Those among them that are numbers.
pub const RIGHTS_NUMBERS: [&str; 2] = ["status", "offset"];

/// With what a verdict was reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RightsSettings {
    /// [`RIGHTS_SCHEMA`].
    pub schema: &'static str,
    /// The version of robotsieve.
    pub tool_version: &'static str,
    /// The crawler, as it was given.
    pub agent: String,
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
    pub fn new(
        agent: String,
        profile: &'static str,
        reading: &'static str,
        vocabulary: &'static str,
    ) -> RightsSettings {
        RightsSettings {
            schema: RIGHTS_SCHEMA,
            tool_version: TOOL_VERSION,
            agent,
            profile,
            reading,
            vocabulary,
            as_of: None,
            and_later_refusals: false,
        }
    }
}

/// What is known of a response, and of the use of its URL. What varies stands together, which compresses better.
#[derive(Clone, Debug, Serialize)]
#[allow(clippy::exhaustive_structs, reason = "whoever reads archives fills it")]
pub struct RightsRecord {
    /// The URL of the response.
    pub url: String,
    /// When the response was captured.
    pub captured: String,
    /// For each document of the basis, from its capture to that of the page; negative if the page was captured
    /// first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub age_seconds: Vec<i64>,
    /// Its status.
    pub status: u16,
    /// The file of its record, and where the record begins.
    pub file: String,
    /// See `file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The SHA-256 of the response as its record has it, header and body, before chunks and encodings are undone. Of a
    /// revisit: of the SHA-256 of the response that it repeats, followed by its own bytes.
    pub sha256: String,
    /// What the archive has of the robots.txt of its site. `None` if nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robots: Option<&'static str>,
    /// What was read of the page.
    pub page: RecordedPage,
    /// The time that `unavailable_after` was compared with, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
    /// The digest of the basis, which stands in a line of its own before the record.
    pub basis: String,
    /// The verdicts.
    #[serde(flatten)]
    pub rights: Rights,
}

/// What records share: settings, documents, and what the places that decided say.
#[derive(Clone, Debug, Serialize)]
#[allow(clippy::exhaustive_structs, reason = "whoever reads archives fills it")]
pub struct RightsBasis {
    /// The same for all records of a run.
    #[serde(flatten, serialize_with = "settings")]
    pub settings: Arc<RightsSettings>,
    /// The robots.txt and the other documents that were asked, as the archives have them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<RecordedDocument>,
    /// By the text that they follow, the places that decided.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub versions: BTreeMap<&'static str, Vec<String>>,
    /// By the place, the words that decided, shortened.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub quotes: BTreeMap<String, String>,
}

fn settings<S: Serializer>(
    settings: &Arc<RightsSettings>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    settings.as_ref().serialize(serializer)
}

/// The most places whose version and words are told, and the bytes of them.
const MOST_PLACES: usize = 64;
const MOST_PLACE_BYTES: usize = 4 << 10;

/// The most characters of a quotation.
const MOST_QUOTED: usize = 80;

/// The statements that decided.
fn all_deciding(rights: &Rights) -> impl Iterator<Item = &Statement> {
    let purposes = rights.purposes().filter(|purpose| rights.ruling(*purpose) != Ruling::Unknown);
    purposes.flat_map(|purpose| rights.by(purpose))
}

/// The places that decided, each once, as many as are told.
fn deciding(rights: &Rights) -> Vec<&Statement> {
    let mut seen = HashSet::new();
    let first = all_deciding(rights).filter(|by| seen.insert(&by.place)).take(MOST_PLACES);
    let mut bytes = 0;
    first
        .take_while(|by| {
            bytes += by.place.to_string().len();
            bytes <= MOST_PLACE_BYTES
        })
        .collect()
}

/// Returns true if a statement of the header, or of the page, decided: it can be quoted.
#[must_use]
pub fn decides(rights: &Rights, is_of: impl Fn(&Place) -> bool) -> bool {
    deciding(rights).iter().any(|by| is_of(&by.place))
}

/// What the places that decided say, of robots.txt (by its lines, or as `sources` have it), of the header and of the
/// page.
#[must_use]
pub fn quotes(
    rights: &Rights,
    line_of_robots: impl Fn(u32) -> Option<String>,
    sources: &RightsSources<'_>,
) -> BTreeMap<String, String> {
    let known = Quotes::new(rights, sources);
    let words = deciding(rights).into_iter().filter_map(|by| {
        let words = match by.place {
            Place::Robots { line } => {
                line_of_robots(line).or_else(|| known.quote(&by.place).map(Cow::into_owned))?
            }
            _ => known.quote(&by.place)?.into_owned(),
        };
        (!words.is_empty()).then_some((&by.place, words))
    });
    let words: Vec<(&Place, String)> = words.collect();
    // Of long words those are quoted that decided, by whatever statement of the place.
    let long = words.iter().filter(|(_, words)| words.len() > MOST_QUOTED);
    let mut by: HashMap<&Place, Vec<&Statement>> =
        long.map(|(place, _)| (*place, Vec::new())).collect();
    let says = |of: &Statement| (of.version, of.allows, of.disallows);
    let has_long = !by.is_empty();
    for statement in all_deciding(rights).take_while(|_| has_long) {
        if let Some(known) = by.get_mut(&statement.place)
            && !known.iter().any(|other| says(other) == says(statement))
        {
            known.push(statement);
        }
    }
    let quoted = words.into_iter().map(|(place, words)| {
        let by = by.get(place).map_or(&[][..], Vec::as_slice);
        (place.to_string(), quotation(&words, MOST_QUOTED, by))
    });
    quoted.collect()
}

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
    // Allow and Disallow follow the profile.
    let by = deciding(rights).into_iter().filter(|by| by.version != Version::Rfc9309);
    by.for_each(|by| decided(by.version, by.place.to_string()));
    found
}

/// A document of the archives that was asked about a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(clippy::exhaustive_structs, reason = "whoever reads archives fills it")]
pub struct RecordedDocument {
    /// Its address.
    pub url: String,
    /// When it was captured.
    pub captured: String,
    /// `current`, `older` or `later`.
    pub fit: &'static str,
    /// The file of the record with its bytes, behind all redirects, and where the record begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// See `file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The SHA-256 of its bytes, once chunks and encodings are undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The SHA-256 of each answer that led to it, as [`RightsRecord::sha256`]: of redirects, in their order, of its
    /// own, and before these of a 304 that found it unchanged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<String>,
}

/// What was read of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(clippy::exhaustive_enums, reason = "whoever reads archives fills it")]
pub enum RecordedPage {
    /// All of it.
    Read,
    /// It is not HTML, so only its header counts.
    NotHtml,
    /// It is an image, a video or a PDF, of which the XMP packets were read.
    Metadata,
    /// What is there of it: its end is missing in the archive, or the answer ended too early.
    Cut,
    /// Nothing: its encoding cannot be undone, or another record has it that is not here.
    Unreadable,
}

/// What a capture has to be noted for: what of it was not read, and documents of other times than its own, by their
/// `fit`.
#[must_use]
pub fn notes_of_capture<'f>(
    robots: Option<&str>,
    page: RecordedPage,
    fits: impl IntoIterator<Item = &'f str>,
) -> Notes {
    let has_robots = matches!(robots, Some("rules" | "allow-all"));
    let of_page = match page {
        RecordedPage::Cut => Some(Note::PageCut),
        RecordedPage::Unreadable => Some(Note::PageNotRead),
        RecordedPage::Read | RecordedPage::NotHtml | RecordedPage::Metadata => None,
    };
    let of_documents = fits.into_iter().filter_map(|fit| match fit {
        "older" => Some(Note::DocumentOlder),
        "later" => Some(Note::DocumentLater),
        _ => None,
    });
    let of_robots = (!has_robots).then_some(Note::RobotsNotRead);
    of_robots.into_iter().chain(of_page).chain(of_documents).collect()
}

impl RecordedPage {
    /// All of them.
    pub const ALL: [RecordedPage; 5] = [
        RecordedPage::Read,
        RecordedPage::NotHtml,
        RecordedPage::Metadata,
        RecordedPage::Cut,
        RecordedPage::Unreadable,
    ];

    /// As JSON and Parquet have it.
    pub fn as_str(self) -> &'static str {
        match self {
            RecordedPage::Read => "read",
            RecordedPage::NotHtml => "not-html",
            RecordedPage::Metadata => "metadata",
            RecordedPage::Cut => "cut",
            RecordedPage::Unreadable => "unreadable",
        }
    }
}
