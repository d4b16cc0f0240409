//! Which URLs of a sitemap are of the site whose robots.txt judges them.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::Args;
use robotsieve::Origin;
use robotsieve::report::reach::{OtherSite, SitemapUrls};
use robotsieve::report::{Sentence, first_of, grouped, urls};

use super::names::SITEMAP;
use crate::error::Failure;
use crate::read::hosts::{Whose, whose};
use crate::read::web;
use crate::write::bytes::shown;

/// How many other origins are told apart.
const ORIGINS: usize = 10_000;

/// How many of them are shown, and how many are in reports.
const SHOWN: usize = 5;
const REPORTED: usize = 100;

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

/// Why a site is the one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    Option,
    Robots,
    Sitemap,
    First,
}

impl Why {
    fn as_str(self) -> &'static str {
        match self {
            Why::Option => "option",
            Why::Robots => "robots",
            Why::Sitemap => "sitemap",
            Why::First => "first-url",
        }
    }

    fn told(self) -> &'static str {
        match self {
            Why::Option => "--site",
            Why::Robots => "where robots.txt is",
            Why::Sitemap => "where the sitemap is",
            Why::First => "of the first URL; --site chooses another",
        }
    }
}

/// Tells the URLs of a site from those of others, and counts both.
pub struct Split {
    /// The site by its origin, once it is known.
    site: Option<(String, Why)>,
    /// Whether URLs are read as in the profile `google`.
    google: bool,
    pub here: u64,
    elsewhere: HashMap<String, u64>,
    /// URLs of origins beyond [`ORIGINS`].
    beyond: u64,
    invalid: u64,
    first_invalid: Vec<u8>,
}

impl Split {
    /// # Errors
    /// Returns an error if `--site` is no origin.
    pub fn new(
        option: &SiteOption,
        robots: &OsStr,
        sitemaps: &[OsString],
        google: bool,
    ) -> Result<Split, Failure> {
        let site = match &option.site {
            Some(given) => Some((given_origin(given)?, Why::Option)),
            None => origin(robots).map(|key| (key, Why::Robots)).or_else(|| {
                sitemaps.iter().find_map(|name| origin(name)).map(|key| (key, Why::Sitemap))
            }),
        };
        Ok(Split {
            site,
            google,
            here: 0,
            elsewhere: HashMap::new(),
            beyond: 0,
            invalid: 0,
            first_invalid: Vec::new(),
        })
    }

    /// Counts a URL; returns whether it is of the site.
    pub fn is_here(&mut self, url: &[u8]) -> bool {
        if let Some((site, _)) = &self.site
            && let Some(rest) = url.strip_prefix(site.as_bytes())
            && matches!(rest.first(), None | Some(b'/' | b'?' | b'#'))
        {
            self.here += 1;
            return true;
        }
        let (_, Whose::Origin(origin)) = whose(url, self.google) else {
            if self.invalid == 0 {
                self.first_invalid = url[..url.len().min(200)].to_vec();
            }
            self.invalid += 1;
            return false;
        };
        let (site, _) = self.site.get_or_insert_with(|| (origin.key().to_owned(), Why::First));
        if *site == origin.key() {
            self.here += 1;
            return true;
        }
        if let Some(count) = self.elsewhere.get_mut(origin.key()) {
            *count += 1;
        } else if self.elsewhere.len() < ORIGINS {
            self.elsewhere.insert(origin.key().to_owned(), 1);
        } else {
            self.beyond += 1;
        }
        false
    }

    /// How many URLs are of other sites.
    fn others(&self) -> u64 {
        self.elsewhere.values().sum::<u64>() + self.beyond
    }

    /// Other sites with the numbers of their URLs, the most numerous first.
    fn elsewhere(&self) -> Vec<(&str, u64)> {
        let mut all: Vec<(&str, u64)> =
            self.elsewhere.iter().map(|(site, count)| (&**site, *count)).collect();
        all.sort_unstable_by(|(site, count), (other, less)| less.cmp(count).then(site.cmp(other)));
        all
    }

    /// What the URLs are: one line, and one more for each kind that is not judged.
    pub fn lines(&self) -> Vec<String> {
        let all = self.here + self.others() + self.invalid;
        let mut lines = vec![match &self.site {
            Some((site, why)) => format!(
                "{} in the sitemap, {} of {} ({})",
                urls(all),
                if self.here == all { "all".to_owned() } else { grouped(self.here) },
                shown(site.as_bytes()),
                why.told()
            ),
            None => format!("{} in the sitemap", urls(all)),
        }];
        if self.others() > 0 {
            let sites = self.elsewhere();
            let sites = sites.iter().map(|(site, count)| format!("{site} ({})", grouped(*count)));
            let sites = first_of(SHOWN, sites.collect::<Vec<_>>().into_iter());
            lines.push(format!(
                "not judged, because this robots.txt does not count for other hosts: {sites}"
            ));
        }
        if self.invalid > 0 {
            lines.push(format!(
                "not judged, because they are no URLs with a host: {}, the first is '{}'",
                grouped(self.invalid),
                shown(&self.first_invalid)
            ));
        }
        lines
    }

    /// What the URLs are, as a member of reports.
    pub fn report(&self) -> SitemapUrls {
        let other = |(site, urls): (&str, u64)| OtherSite { site: site.to_owned(), urls };
        let mut report = SitemapUrls::default();
        report.site = self.site.as_ref().map(|(site, _)| site.clone());
        report.site_by = self.site.as_ref().map(|(_, why)| why.as_str());
        report.urls = self.here + self.others() + self.invalid;
        report.judged = self.here;
        report.other_sites = self.elsewhere().into_iter().take(REPORTED).map(other).collect();
        report.of_other_sites = self.others();
        report.invalid = self.invalid;
        let sentences = self.lines().into_iter();
        report.sentences = sentences.map(|text| Sentence { text, line: None }).collect();
        report
    }

    /// # Errors
    /// Returns an error if no URL was of the site.
    pub fn require_any(&self) -> Result<(), Failure> {
        if self.here > 0 {
            return Ok(());
        }
        let lines = self.lines().join("; ");
        Err(Failure::Usage(format!(
            "nothing was judged: {lines}; --site ORIGIN names the site of this robots.txt"
        )))
    }
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
