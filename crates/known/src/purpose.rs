//! What crawlers read for, and whether they obey.

use std::fmt;
use std::str::FromStr;

/// The purpose that a crawler reads for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Purpose {
    /// The index of a search engine.
    Search,
    /// Training of AI models.
    AiTraining,
    /// What AI assistants read to answer, and their indexes.
    AiAssistants,
    /// Keeping pages as they were.
    Archive,
    /// Link indexes and audits for marketing.
    Seo,
    /// Advertising.
    Ads,
    /// Previews of links that people post.
    LinkPreview,
    /// Availability, security and measurement.
    Monitoring,
    /// Feed readers, research, tools and data brokers.
    Other,
}

/// Each purpose with its name, its heading and a sentence that describes it.
const TABLE: [(Purpose, &str, &str, &str); 9] = [
    (Purpose::Search, "search", "search", "The index of a search engine"),
    (Purpose::AiTraining, "ai-training", "AI training", "Training of AI models"),
    (
        Purpose::AiAssistants,
        "ai-assistants",
        "AI search and assistants",
        "What AI assistants read to answer, and their indexes",
    ),
    (Purpose::Archive, "archive", "archives", "Keeping pages as they were"),
    (Purpose::Seo, "seo", "SEO", "Link indexes and audits for marketing"),
    (Purpose::Ads, "ads", "advertising", "Advertising"),
    (Purpose::LinkPreview, "link-preview", "link previews", "Previews of links that people post"),
    (Purpose::Monitoring, "monitoring", "monitoring", "Availability, security and measurement"),
    (Purpose::Other, "other", "other", "Feed readers, research, tools and data brokers"),
];

impl Purpose {
    /// All purposes, in the order of reports.
    pub fn all() -> impl Iterator<Item = Purpose> {
        TABLE.iter().map(|(purpose, ..)| *purpose)
    }

    /// The name in options and data files: `ai-training`.
    pub fn as_str(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// A heading: `AI training`.
    pub fn title(self) -> &'static str {
        TABLE[self as usize].2
    }

    /// The heading of a group for its crawlers: `Crawlers for AI training`.
    pub fn heading(self) -> String {
        match self {
            Purpose::Other => "Other crawlers".to_owned(),
            purpose => format!("Crawlers for {}", purpose.title()),
        }
    }

    /// A description without a full stop: `Training of AI models`.
    pub fn description(self) -> &'static str {
        TABLE[self as usize].3
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The error of a name that is that of no purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownPurpose;

impl fmt::Display for UnknownPurpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Purpose::all().map(Purpose::as_str).collect();
        write!(f, "it is none of the purposes {}", names.join(", "))
    }
}

impl std::error::Error for UnknownPurpose {}

impl FromStr for Purpose {
    type Err = UnknownPurpose;

    fn from_str(name: &str) -> Result<Purpose, UnknownPurpose> {
        Purpose::all().find(|purpose| purpose.as_str() == name).ok_or(UnknownPurpose)
    }
}

/// An operator's word on obeying robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Obeys {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// In part, or some of its crawlers.
    Partly,
    /// Nobody who wrote the entry knows.
    Unknown,
}

impl Obeys {
    pub(super) const ALL: [Obeys; 4] = [Obeys::Yes, Obeys::No, Obeys::Partly, Obeys::Unknown];

    /// The name in data files.
    pub fn as_str(self) -> &'static str {
        match self {
            Obeys::Yes => "yes",
            Obeys::No => "no",
            Obeys::Partly => "partly",
            Obeys::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Obeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for (place, purpose) in Purpose::all().enumerate() {
            assert_eq!((purpose as usize, purpose.as_str().parse()), (place, Ok(purpose)));
        }
        assert_eq!("spam".parse::<Purpose>(), Err(UnknownPurpose));
    }
}
