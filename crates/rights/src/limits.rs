//! What restricts a purpose without disallowing it.

use std::fmt;

use crate::version::Version;

/// The most that a site lets a use be, by `use=` of Content Signals: of several the lowest counts.
///
/// It is reported and changes no ruling: Cloudflare calls it a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum UseCeiling {
    /// Interact, keep nothing.
    Immediate,
    /// Index, excerpt, link.
    Reference,
    /// Summarise, reproduce.
    Full,
}

impl UseCeiling {
    /// The version of the text that defines them.
    pub const VERSION: Version = Version::ContentSignalsUse;

    /// All ceilings, the lowest first.
    pub const ALL: &'static [UseCeiling] =
        &[UseCeiling::Immediate, UseCeiling::Reference, UseCeiling::Full];

    /// `immediate`, `reference` or `full`.
    pub fn as_str(self) -> &'static str {
        match self {
            UseCeiling::Immediate => "immediate",
            UseCeiling::Reference => "reference",
            UseCeiling::Full => "full",
        }
    }
}

impl fmt::Display for UseCeiling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What robots tags restrict without disallowing it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The most characters of a snippet.
    pub max_snippet: Option<u32>,
    /// Google, `indexifembedded`: the page may be indexed as a part of another one.
    pub index_if_embedded: bool,
    /// Bing, `nocache`: of the page only address, title and snippet may be in answers. Bing says the same
    /// of training.
    pub url_title_snippet: bool,
}

impl Limits {
    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        *self == Limits::default()
    }
}

/// With the feature `serde` limits are written as a map of those that there are: `max-snippet`, a
/// number; `index`, `"if-embedded"`; `ai-input`, `"url-title-snippet"`.
impl serde::Serialize for Limits {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(None)?;
        if let Some(most) = self.max_snippet {
            map.serialize_entry("max-snippet", &most)?;
        }
        if self.index_if_embedded {
            map.serialize_entry("index", "if-embedded")?;
        }
        if self.url_title_snippet {
            map.serialize_entry("ai-input", "url-title-snippet")?;
        }
        map.end()
    }
}
