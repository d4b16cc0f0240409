//! `@sitemap` in the place of a URL: every URL of the sitemaps that is of the site.

use std::collections::HashMap;
use std::sync::Arc;

use robotsieve::{Policy, Profile, Verdict};

use super::args::TestArgs;
use super::failure::{Failed, Miss, other};
use super::who::Who;
use super::{Expectation, Expectations, File, Tested};
use crate::error::{Failure, Status};
use crate::sitemap::{By, Sitemaps, Split, Tally, judge};
use crate::write::report::Report;

/// What stands for all URLs of the sitemaps.
pub const WORD: &[u8] = b"@sitemap";

/// What was found out about the URLs of the sitemaps.
pub struct OfSitemap {
    pub split: Split,
    /// By crawlers, profile, policy, and the verdict expected.
    places: HashMap<(usize, usize, usize, bool), usize>,
    tallies: Vec<Tally>,
    /// Whether all of it could be read.
    pub status: Status,
}

impl OfSitemap {
    /// Judges all URLs for these crawlers, each by its number with the verdict expected.
    ///
    /// # Errors
    /// Returns an error if `--site` is no origin, or no URL is of the site.
    pub fn read<'w>(
        args: &TestArgs,
        file: &File<'_>,
        whos: impl Iterator<Item = (usize, &'w Who<'w>, Verdict)>,
    ) -> Result<OfSitemap, Failure> {
        // Those that the first profile reads.
        let names = args.sitemap.resolved(&file.robots[0], &args.robots)?;
        // In this profile more URLs have a host that is not clear.
        let google = file.profiles.iter().any(|(_, profile)| *profile == Profile::GOOGLE);
        let mut split = Split::new(&args.site, args.robots.as_os_str(), &names.all, google)?;
        let mut places = HashMap::new();
        let mut judged: Vec<(&Policy, Tally)> = Vec::new();
        for (number, who, expected) in whos {
            for (profile, policies) in who.asked.iter().enumerate() {
                for (at, asked) in policies.iter().enumerate() {
                    places.entry((number, profile, at, expected.is_allow())).or_insert_with(|| {
                        judged.push((&asked.policy, Tally::new(other(expected), file.answer)));
                        judged.len() - 1
                    });
                }
            }
        }
        let report = Arc::new(Report::new(args.progress.progress, &names.all));
        let mut sitemaps = Sitemaps::new(names, Arc::clone(&report));
        judge(&mut sitemaps, &mut split, &mut judged);
        let status = report.end();
        if status == Status::Done {
            split.require_any()?;
        }
        let tallies = judged.into_iter().map(|(_, tally)| tally).collect();
        Ok(OfSitemap { split, places, tallies, status })
    }

    /// What a policy says.
    pub fn tally(&self, who: usize, miss: Miss, expected: Verdict) -> Option<&Tally> {
        let place = self.places.get(&(who, miss.profile, miss.asked, expected.is_allow()))?;
        self.tallies.get(*place)
    }
}

impl Expectations<'_, '_> {
    /// Judges the URLs of the sitemaps, if any are given.
    ///
    /// # Errors
    /// Returns an error in the cases of [`OfSitemap::read`], and if no expectation is about them.
    pub fn of_sitemap(
        &self,
        args: &TestArgs,
        file: &File<'_>,
    ) -> Result<Option<OfSitemap>, Failure> {
        if !args.sitemap.is_given() {
            return Ok(None);
        }
        let about = || self.all.iter().filter(|expectation| expectation.is_sitemap);
        if about().next().is_none() {
            return Err(Failure::Usage(
                "no expectation is about the sitemap: write '@sitemap' in the place of a URL, as in \
                 'allow Googlebot @sitemap'"
                    .into(),
            ));
        }
        let whos = about().map(|one| (one.who, self.who(one), one.verdict));
        OfSitemap::read(args, file, whos).map(Some)
    }
}

impl Tested<'_, '_> {
    /// What the policy of a miss says of the sitemap, if the expectation is about it.
    pub fn tally(&self, failed: &Failed, miss: Miss) -> Option<&Tally> {
        self.tally_of(self.expectation(failed), miss)
    }

    pub fn tally_of(&self, expectation: &Expectation, miss: Miss) -> Option<&Tally> {
        let sitemap = self.sitemap.as_ref().filter(|_| expectation.is_sitemap)?;
        sitemap.tally(expectation.who, miss, expectation.verdict)
    }

    /// What decides of the most URLs.
    pub fn most(&self, failed: &Failed, miss: Miss) -> Option<&By> {
        self.tally(failed, miss)?.by().first().copied()
    }
}
