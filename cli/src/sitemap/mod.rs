//! Sitemaps: the URLs that a site wants to be read, for every command with `--sitemap`.
//!
//! The client reads them; `opening` opens files and fetches, `site` says which site it is, `urls` tells
//! its URLs from those of others, and `tally` judges.

mod names;
mod opening;
mod site;
mod tally;
mod urls;

pub use names::{Names, SITEMAP, SitemapOption};
pub use opening::Sitemaps;
pub use site::{SiteOption, require_any, site_urls};
pub use tally::judge;
pub use urls::{SiteBy, SiteUrls};
