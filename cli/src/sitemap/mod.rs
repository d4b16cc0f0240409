//! Sitemaps: the URLs that a site wants to be read, for every command with `--sitemap`.
//!
//! The client reads them, and tells the URLs of a site from others; `opening` opens files and fetches,
//! `site` says which site it is, and `tally` judges.

mod names;
mod opening;
mod site;
mod tally;

pub use names::{Names, SITEMAP, SitemapOption};
pub use opening::Sitemaps;
pub use site::{SiteOption, require_any, site_urls};
pub use tally::judge;
