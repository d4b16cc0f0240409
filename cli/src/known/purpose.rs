//! What crawlers read for.

use std::fmt;
use std::sync::LazyLock;

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use crate::options::values;

/// What a crawler reads for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ValueEnum, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// The index of a search engine
    Search,
    /// Training of AI models
    AiTraining,
    /// What AI assistants read to answer, and their indexes
    AiAssistants,
    /// Keeping pages as they were
    Archive,
    /// Link indexes and audits for marketing
    Seo,
    /// Advertising
    Ads,
    /// Previews of links that people post
    LinkPreview,
    /// Availability, security and measurement
    Monitoring,
    /// Feed readers, research, tools and data brokers
    Other,
}

impl Purpose {
    /// As options and data files spell it: `ai-training`.
    pub fn as_str(self) -> &'static str {
        match self {
            Purpose::Search => "search",
            Purpose::AiTraining => "ai-training",
            Purpose::AiAssistants => "ai-assistants",
            Purpose::Archive => "archive",
            Purpose::Seo => "seo",
            Purpose::Ads => "ads",
            Purpose::LinkPreview => "link-preview",
            Purpose::Monitoring => "monitoring",
            Purpose::Other => "other",
        }
    }

    /// As a heading: `AI training`.
    pub fn title(self) -> &'static str {
        match self {
            Purpose::Search => "search",
            Purpose::AiTraining => "AI training",
            Purpose::AiAssistants => "AI search and assistants",
            Purpose::Archive => "archives",
            Purpose::Seo => "SEO",
            Purpose::Ads => "advertising",
            Purpose::LinkPreview => "link previews",
            Purpose::Monitoring => "monitoring",
            Purpose::Other => "other",
        }
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// `--purpose`, for commands that are about some of the known crawlers.
#[derive(Args, Clone, Debug, Default)]
pub struct PurposeOption {
    /// Only crawlers of this purpose; repeat the option for several
    #[arg(id = "purpose", long = "purpose", value_name = "PURPOSE", value_enum)]
    #[arg(hide_possible_values = true, long_help = LONG_HELP.as_str())]
    pub purposes: Vec<Purpose>,
}

static LONG_HELP: LazyLock<String> = LazyLock::new(|| {
    values::<Purpose>("Only crawlers of this purpose; repeat the option for several")
});

impl PurposeOption {
    /// Whether the option was given with this purpose.
    pub fn has(&self, purpose: Purpose) -> bool {
        self.purposes.contains(&purpose)
    }
}
