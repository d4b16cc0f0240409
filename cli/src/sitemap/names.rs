//! `--sitemap`: the sitemaps to read.

use std::ffi::OsString;
use std::path::Path;

use clap::{Args, ValueHint};
use robotsieve::Robots;

use url::Url;

use crate::error::Failure;
use crate::read::web;
use crate::write::stderr;

/// The name of the argument, for those that need or exclude it.
pub const SITEMAP: &str = "sitemap";

/// What stands for the sitemaps that the robots.txt names, and how many of those are read.
const ROBOTS: &str = "robots";
const MOST_NAMED: usize = 1_000;

/// `--sitemap`.
#[derive(Args, Clone, Debug, Default)]
pub struct SitemapOption {
    /// Judge the URLs of a sitemap
    ///
    /// XML, lines of URLs, RSS or Atom; plain, gzip or zstd; told by content.
    /// '-' is standard input. An index stands for its sitemaps: those of a
    /// fetched index are fetched if they are on its host, those of a file
    /// are looked for in its folder, by the last part of their paths. URLs
    /// of images, videos and alternates (xhtml:link) are not taken. 'robots'
    /// stands for the sitemaps that the robots.txt names (in filter: that of
    /// --robots). Repeat the option for several sitemaps.
    #[arg(id = SITEMAP, long = "sitemap", value_name = "FILE|URL", verbatim_doc_comment)]
    #[arg(value_hint = ValueHint::FilePath)]
    pub names: Vec<OsString>,
}

/// The sitemaps to read.
pub struct Names {
    /// Files and URLs.
    pub all: Vec<OsString>,
    /// For each the URL that the user gave, which alone may name a private address: its own, or that
    /// of the robots.txt that names it.
    pub given: Vec<Option<Url>>,
}

impl SitemapOption {
    pub fn is_given(&self) -> bool {
        !self.names.is_empty()
    }

    /// The names, where there is no robots.txt that could name any.
    ///
    /// # Errors
    /// Returns an error if one of them is `robots`.
    pub fn unresolved(&self) -> Result<Names, Failure> {
        if self.names.iter().any(|name| name == ROBOTS) {
            return Err(Failure::Usage(
                "--sitemap robots needs one robots.txt, given with --robots FILE ('./robots' is a \
                 file)"
                    .into(),
            ));
        }
        let given = self.names.iter().map(|name| parsed(Path::new(name)));
        Ok(Names { all: self.names.clone(), given: given.collect() })
    }

    /// The names, with those that the robots.txt, read from `path`, names in the place of `robots`.
    ///
    /// # Errors
    /// Returns an error if it is asked for sitemaps and names none by its URL.
    pub fn resolved(&self, robots: &Robots<'_>, path: &Path) -> Result<Names, Failure> {
        let (mut all, mut given) = (Vec::new(), Vec::new());
        for name in &self.names {
            if name != ROBOTS {
                all.push(name.clone());
                given.push(parsed(Path::new(name)));
                continue;
            }
            let named = robots.sitemaps().filter_map(|value| str::from_utf8(value).ok());
            // Anything else would be a file of this machine.
            let mut urls = named.filter(|value| web::url(Path::new(value)).is_some());
            let before = all.len();
            all.extend(urls.by_ref().take(MOST_NAMED).map(OsString::from));
            let left_out = urls.count();
            if left_out > 0 {
                stderr::error(&format_args!(
                    "--sitemap robots: the first {MOST_NAMED} sitemaps that the robots.txt names are read, {left_out} \
                     more are not; name these with --sitemap"
                ));
            }
            // What a file names, nobody has given.
            given.resize(all.len(), parsed(path));
            if all.len() == before {
                return Err(Failure::Usage(
                    "--sitemap robots: the robots.txt has no Sitemap record with an http(s) URL; \
                     give the sitemap itself with --sitemap FILE|URL ('./robots' is a file)"
                        .into(),
                ));
            }
        }
        Ok(Names { all, given })
    }
}

/// The URL that a name is.
fn parsed(name: &Path) -> Option<Url> {
    web::url(name).and_then(|url| Url::parse(url).ok())
}
