//! What is printed of a response in an archive.

use robotsieve_rights::{Purpose, Ruling};
use serde::{Serialize, Serializer};

use super::args::Only;

/// What is known of a response, and of the use of its URL.
#[derive(Serialize)]
pub struct Row {
    pub url: String,
    pub agent: String,
    pub captured: String,
    pub status: u16,
    pub file: String,
    pub offset: Option<u64>,
    /// What the archive has of the robots.txt of its site. `None` if nothing.
    pub robots: Option<&'static str>,
    pub page: Page,
    /// The robots.txt and the other documents that were asked, as the archives have them.
    pub documents: Vec<Document>,
    #[serde(flatten)]
    pub rights: robotsieve_rights::Rights,
}

impl Row {
    /// Returns true if it is a document of those that are asked for: read as a whole, with this ruling.
    pub fn is_of(&self, only: Only, purpose: Purpose) -> bool {
        let ruling = self.rights.ruling(purpose);
        let is_wanted = match only {
            Only::Allowed => ruling == Ruling::Allow,
            Only::NotDisallowed => ruling != Ruling::Disallow,
        };
        is_wanted && self.status == 200 && self.page == Page::Read
    }

    /// About the bytes of memory that it takes.
    #[cfg(feature = "parquet")]
    pub fn weight(&self) -> usize {
        1024 + 128 * (self.rights.statements().len() + self.rights.licences().len())
    }
}

/// A document of the archives that was asked about a page.
#[derive(Serialize)]
pub struct Document {
    pub url: String,
    pub captured: String,
    /// From its capture to that of the page; negative if the page was captured first.
    pub age_seconds: i64,
    /// `current`, `older` or `later`.
    pub fit: &'static str,
}

/// What was read of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// All of it.
    Read,
    /// It is not HTML, so only its header counts.
    NotHtml,
    /// What is there of it: its end is missing in the archive.
    Cut,
    /// Nothing: it ended too early, its encoding cannot be undone, or another record has it that is not here.
    Unreadable,
}

impl Page {
    /// As JSON and Parquet have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Page::Read => "read",
            Page::NotHtml => "not-html",
            Page::Cut => "cut",
            Page::Unreadable => "unreadable",
        }
    }
}

impl Serialize for Page {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// What was printed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Printed {
    pub responses: u64,
    /// Those among them that were asked for.
    pub rows: u64,
    /// Revisits whose body is not here.
    pub without_body: u64,
}
