//! Which URLs of a sitemap are of the site whose robots.txt judges them.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::sitemap::{SiteBy, SiteUrls};
use clap::Args;
use robotsieve::Origin;

use super::names::SITEMAP;
use crate::error::Failure;
use crate::read::web;

/// `--site`.
#[derive(Args, Clone, Debug, Default)]
pub struct SiteOption {
    /// The site whose robots.txt it is, such as https://example.com
    ///
    /// URLs of a sitemap that are of another site are counted and not
    /// judged: this robots.txt does not count for them. Without the option
    /// it is the site that ROBOTS was fetched from, else that of the
    /// sitemap's URL, else that of the first URL in the sitemap.
    #[arg(long, value_name = "ORIGIN", requires = SITEMAP, verbatim_doc_comment)]
    pub site: Option<OsString>,
}

/// The URLs of the site that the command line says, or that the first URL will say. `google` reads URLs as
/// in that profile.
///
/// # Errors
/// Returns an error if `--site` is no origin.
pub fn site_urls(
    option: &SiteOption,
    robots: &OsStr,
    sitemaps: &[OsString],
    google: bool,
) -> Result<SiteUrls, Failure> {
    let site = match &option.site {
        Some(given) => Some((given_origin(given)?, SiteBy::Option)),
        None => origin(robots).map(|key| (key, SiteBy::Robots)).or_else(|| {
            sitemaps.iter().find_map(|name| origin(name)).map(|key| (key, SiteBy::Sitemap))
        }),
    };
    Ok(SiteUrls::new(site, google))
}

/// # Errors
/// Returns an error if no URL was of the site.
pub fn require_any(urls: &SiteUrls) -> Result<(), Failure> {
    if urls.here > 0 {
        return Ok(());
    }
    let lines = urls.lines().join("; ");
    Err(Failure::Usage(format!(
        "nothing was judged: {lines}; --site ORIGIN names the site of this robots.txt"
    )))
}

/// The origin of a file's name that is a URL.
fn origin(name: &OsStr) -> Option<String> {
    let url = web::url(Path::new(name))?;
    Origin::of(url).ok().map(|origin| origin.key().to_owned())
}

fn given_origin(given: &OsStr) -> Result<String, Failure> {
    let origin = Origin::of(given.as_encoded_bytes()).map(|origin| origin.key().to_owned());
    origin.map_err(|cause| {
        Failure::Usage(format!(
            "--site '{}': {cause}; it is scheme://host, as in https://example.com",
            given.display()
        ))
    })
}
