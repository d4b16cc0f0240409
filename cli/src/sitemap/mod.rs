//! Sitemaps: the URLs that a site wants to be read, for every command with `--sitemap`.
//!
//! ```text
//! bytes ─▶ text ─▶ xml ─▶ walk ─▶ site ─▶ tally
//! ```
//!
//! [`text`] decodes and bounds the bytes of one sitemap, [`xml`] finds the URLs in it, [`walk`] goes
//! through all sitemaps and those that their indexes name. [`site`] tells the URLs of the site from
//! those of other hosts, and [`tally`] counts verdicts by the rules that decide.

mod site;
mod tally;
mod text;
mod walk;
mod xml;

use std::ffi::OsString;

use clap::{Args, ValueHint};

pub use site::{SiteOption, Split};
pub use tally::{By, Tally, judge};
pub use walk::Sitemaps;

/// The name of the argument, for those that need or exclude it.
pub const SITEMAP: &str = "sitemap";

/// `--sitemap`.
#[derive(Args, Clone, Debug, Default)]
pub struct SitemapOption {
    /// Judge the URLs of a sitemap
    ///
    /// XML, lines of URLs, RSS or Atom; plain, gzip or zstd; told by content.
    /// '-' is standard input. An index stands for its sitemaps: those of a
    /// fetched index are fetched if they are on its host, those of a file
    /// are looked for in its folder, by the last part of their paths. URLs
    /// of images, videos and alternates (xhtml:link) are not taken. Repeat
    /// the option for several sitemaps.
    #[arg(id = SITEMAP, long = "sitemap", value_name = "FILE|URL", verbatim_doc_comment)]
    #[arg(value_hint = ValueHint::FilePath)]
    pub names: Vec<OsString>,
}

impl SitemapOption {
    pub fn is_given(&self) -> bool {
        !self.names.is_empty()
    }
}
