//! Which URLs of a sitemap are of the site whose robots.txt judges them.

use std::collections::HashMap;

use robotsieve_owners::reach::{OtherSite, SitemapUrls};
use robotsieve_report::Sentence;
use robotsieve_shown::{first_of, grouped, shown, urls};

use robotsieve_client::hosts::{Whose, whose};

/// The number of other origins that are told apart.
const ORIGINS: usize = 10_000;

/// How many of them are shown, and how many are in reports.
const SHOWN: usize = 5;
const REPORTED: usize = 100;

/// The way a site was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SiteBy {
    /// It was named.
    Option,
    /// It is the one that robots.txt was fetched from.
    Robots,
    /// It is that of the sitemap's URL.
    Sitemap,
    /// It is that of the first URL.
    FirstUrl,
}

impl SiteBy {
    /// The word for it in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            SiteBy::Option => "option",
            SiteBy::Robots => "robots",
            SiteBy::Sitemap => "sitemap",
            SiteBy::FirstUrl => "first-url",
        }
    }

    fn told(self) -> &'static str {
        match self {
            SiteBy::Option => "--site",
            SiteBy::Robots => "where robots.txt is",
            SiteBy::Sitemap => "where the sitemap is",
            SiteBy::FirstUrl => "of the first URL; --site chooses another",
        }
    }
}

/// Tells the URLs of a site from those of others, for which its robots.txt does not count, and counts
/// both.
#[derive(Clone, Debug)]
pub struct SiteUrls {
    /// The site by its origin, once it is known.
    site: Option<(String, SiteBy)>,
    /// True if URLs are read as in the profile `google`.
    google: bool,
    /// The number of URLs that are of the site.
    pub here: u64,
    elsewhere: HashMap<String, u64>,
    /// URLs of origins beyond [`ORIGINS`].
    beyond: u64,
    invalid: u64,
    first_invalid: Vec<u8>,
}

impl SiteUrls {
    /// For a site by its origin's key; if it is not known, it is that of the first URL. In google/robotstxt
    /// an authority ends at `;` too.
    #[must_use]
    pub fn new(site: Option<(String, SiteBy)>, google: bool) -> SiteUrls {
        SiteUrls {
            site,
            google,
            here: 0,
            elsewhere: HashMap::new(),
            beyond: 0,
            invalid: 0,
            first_invalid: Vec::new(),
        }
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
        let (site, _) =
            self.site.get_or_insert_with(|| (origin.key().to_owned(), SiteBy::FirstUrl));
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

    /// The number of URLs that are of other sites.
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

    /// The lines about the URLs: one, and one more for each kind that is not judged.
    #[must_use]
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

    /// The counts of the URLs, as a member of reports.
    #[must_use]
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
        report.sentences = sentences.map(|text| Sentence::new(text, None)).collect();
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_first_urls_site() {
        let mut urls = SiteUrls::new(None, false);
        assert!(urls.is_here(b"https://example.com/a"));
        assert!(!urls.is_here(b"https://shop.example.com/b"));
        let line = "2 URLs in the sitemap, 1 of https://example.com (of the first URL; --site chooses another)";
        assert_eq!(urls.lines()[0], line);
    }
}
