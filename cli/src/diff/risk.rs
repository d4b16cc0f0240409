//! What a change means for known crawlers, and for their purposes as a whole.

use clap::ValueEnum;
use robotsieve::Robots;
use robotsieve::diff::{self, Difference, Limits, WholeSite};

use crate::known::{Known, KnownCrawler, Purpose};

/// What changes for known crawlers.
#[derive(Default)]
pub struct Risks<'k> {
    /// The purposes whose crawlers lose or gain the whole site, in the order of the severity.
    pub sites: Vec<SiteRisk<'k>>,
    /// Crawlers for which some paths change.
    pub some: Vec<&'k KnownCrawler>,
    /// Purposes for which nothing changes, which is proven for each of their crawlers.
    pub same: Vec<Purpose>,
}

/// Crawlers of a purpose that lose or gain the whole site.
pub struct SiteRisk<'k> {
    pub whole: WholeSite,
    pub purpose: Purpose,
    pub crawlers: Vec<&'k KnownCrawler>,
    /// How many crawlers the purpose has.
    pub count: usize,
}

impl<'k> Risks<'k> {
    pub fn of(old: &Robots<'_>, new: &Robots<'_>, known: &'k Known) -> Risks<'k> {
        // Whether something flips is all that counts.
        let mut limits = Limits::default();
        limits.flips = 1;
        let by_groups = known.iter().filter(|crawler| crawler.star);
        let by_groups = by_groups.map(|crawler| (crawler, crawler.crawler()));
        let mut differences: Vec<(&KnownCrawler, Difference)> = Vec::new();
        for same in diff::crawlers(old, new, by_groups, &limits) {
            let of_them = same.crawlers.into_iter();
            differences.extend(of_them.map(|crawler| (crawler, same.difference.clone())));
        }
        for crawler in known.iter().filter(|crawler| !crawler.star) {
            let difference = diff::policies(&crawler.policy(old), &crawler.policy(new), &limits);
            differences.push((crawler, difference));
        }
        // Back to alphabetical order.
        differences.sort_by_cached_key(|(crawler, _)| crawler.name.to_lowercase());
        let mut risks = Risks::default();
        for purpose in Purpose::value_variants() {
            let of_purpose: Vec<_> =
                differences.iter().filter(|(crawler, _)| crawler.purpose == *purpose).collect();
            if of_purpose.is_empty() {
                continue;
            }
            if of_purpose.iter().all(|(_, difference)| difference.is_equal()) {
                risks.same.push(*purpose);
                continue;
            }
            for whole in [WholeSite::Closed, WholeSite::Opened, WholeSite::PartlyOpened] {
                let is_it = |difference: &Difference| {
                    difference.flips().is_some_and(|flips| flips.whole_site == Some(whole))
                };
                let crawlers: Vec<&KnownCrawler> = of_purpose
                    .iter()
                    .filter(|(_, difference)| is_it(difference))
                    .map(|(crawler, _)| *crawler)
                    .collect();
                if !crawlers.is_empty() {
                    let count = of_purpose.len();
                    risks.sites.push(SiteRisk { whole, purpose: *purpose, crawlers, count });
                }
            }
            let some = of_purpose.iter().filter(|(_, difference)| {
                difference.flips().is_some_and(|flips| flips.whole_site.is_none())
            });
            risks.some.extend(some.map(|(crawler, _)| *crawler));
        }
        risks.sites.sort_by_key(|risk| risk.whole);
        risks
    }
}

impl SiteRisk<'_> {
    /// `all 32 known crawlers`, `2 of 32 known crawlers`.
    pub fn counted(&self) -> String {
        match self.crawlers.len() {
            1 if self.count == 1 => "the only known crawler".to_owned(),
            n if n == self.count => format!("all {n} known crawlers"),
            n => format!("{n} of {} known crawlers", self.count),
        }
    }
}
