//! A file of known crawlers.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Purpose;
use crate::error::Failure;

/// What is known of a crawler.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct KnownCrawler {
    /// As its operator writes it.
    pub name: String,
    /// The product token: how a robots.txt names it.
    pub token: String,
    /// Names whose groups it obeys if none names the token, before that of `*`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// Whether it obeys the group of `*`.
    #[serde(default = "yes")]
    pub star: bool,
    /// Whether the token is in no header: a name for a use of what another crawler fetches.
    #[serde(default)]
    pub only_in_robots_txt: bool,
    pub operator: String,
    pub purpose: Purpose,
    /// What its operator says of obeying robots.txt.
    pub obeys: Obeys,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// An example of its User-Agent header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// Where its operator documents it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documentation: Option<String>,
    /// Where these facts are from.
    pub source: String,
    /// When they were looked up.
    pub date: toml::value::Datetime,
}

/// What an operator says of obeying robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Obeys {
    Yes,
    No,
    /// In part, or some of its crawlers.
    Partly,
    /// Nobody who wrote the entry knows.
    Unknown,
}

/// A whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Whether the built-in crawlers are left out.
    #[serde(default)]
    pub replace: bool,
    #[serde(default, rename = "crawler")]
    pub crawlers: Vec<KnownCrawler>,
}

fn yes() -> bool {
    true
}

pub fn parse(text: &str) -> Result<File, toml::de::Error> {
    toml::from_str(text)
}

pub fn read(path: &Path) -> Result<File, Failure> {
    let wrong = |cause: io::Error| {
        Failure::io(format!("cannot read the crawlers in '{}'", path.display()), cause)
            .advise("'robotsieve crawlers --list --format toml' prints such a file".to_owned())
    };
    let text = fs::read_to_string(path).map_err(wrong)?;
    parse(&text).map_err(|error| wrong(io::Error::new(io::ErrorKind::InvalidData, error.to_string())))
}
