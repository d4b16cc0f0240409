//! Sitemaps: the URLs that a site wants to be read, for every command with `--sitemap`.
//!
//! The client reads them; `opening` opens files and fetches. `site` tells the URLs of the site from
//! those of other hosts, and `tally` judges them.

mod names;
mod opening;
mod site;
mod tally;

pub use names::{Names, SITEMAP, SitemapOption};
pub use opening::Sitemaps;
pub use site::{SiteOption, Split};
pub use tally::judge;
