//! What a change means for known crawlers, and for their purposes as a whole.

use robotsieve_known::{KnownCrawler, KnownCrawlers, Purpose};
use robotsieve_lint::diff::{Difference, WholeSite};
use serde::Serialize;

use super::words::whole_site;

/// The meaning of a change for known crawlers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Risks {
    /// The purposes whose crawlers lose or gain the whole site, in the order of the severity.
    pub sites: Vec<SiteRisk>,
    /// The crawlers for which some paths change.
    pub some: Vec<RiskCrawler>,
    /// The same in words, without their names. `null` if there are none.
    pub some_label: Option<&'static str>,
    /// The purposes for which nothing changes, which is proven for each of their crawlers.
    pub same: Vec<RiskPurpose>,
}

/// Crawlers of a purpose that lose or gain the whole site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SiteRisk {
    /// The purpose.
    pub purpose: RiskPurpose,
    /// The fate of the site as a whole.
    pub whole_site: WholeSite,
    /// The same in words, with the purpose.
    pub headline: String,
    /// The headline with how many crawlers of the purpose it concerns.
    pub label: String,
    /// These crawlers.
    pub crawlers: Vec<RiskCrawler>,
    /// The number of known crawlers that the purpose has.
    pub count: usize,
}

/// A known crawler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RiskCrawler {
    /// The product token.
    pub token: String,
    /// Who runs it.
    pub operator: String,
    /// Its purpose.
    pub purpose: RiskPurpose,
}

/// A purpose of known crawlers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RiskPurpose {
    /// Its name: `ai-training`.
    pub name: &'static str,
    /// A heading: `AI training`.
    pub title: &'static str,
}

impl Risks {
    pub(super) fn of(mut differences: Vec<(&KnownCrawler, &Difference)>) -> Risks {
        // The famous ones first, the others in alphabetical order.
        differences.sort_by_cached_key(|(crawler, _)| {
            (KnownCrawlers::place(&crawler.token), crawler.name.to_lowercase())
        });
        let mut risks = Risks::default();
        for purpose in Purpose::all() {
            let of_purpose = differences.iter().filter(|(crawler, _)| crawler.purpose == purpose);
            risks.add(purpose, &of_purpose.collect::<Vec<_>>());
        }
        risks.sites.sort_by_key(|risk| risk.whole_site);
        let label = "some paths change for known crawlers";
        risks.some_label = (!risks.some.is_empty()).then_some(label);
        risks
    }

    /// Adds what changes for the crawlers of a purpose.
    fn add(&mut self, of: Purpose, all: &[&(&KnownCrawler, &Difference)]) {
        let purpose = RiskPurpose { name: of.as_str(), title: of.title() };
        if all.iter().all(|(_, difference)| difference.is_equal()) {
            self.same.extend((!all.is_empty()).then_some(purpose));
            return;
        }
        let those = |whole: Option<WholeSite>| -> Vec<RiskCrawler> {
            let is_it = |difference: &Difference| {
                difference.flips().is_some_and(|flips| flips.whole_site == whole)
            };
            let those = all.iter().filter(|(_, difference)| is_it(difference));
            let crawler = |(known, _): &&(&KnownCrawler, &Difference)| RiskCrawler {
                token: known.token.clone(),
                operator: known.operator.clone(),
                purpose: purpose.clone(),
            };
            those.map(crawler).collect()
        };
        for whole in [WholeSite::Closed, WholeSite::Opened, WholeSite::PartlyOpened] {
            let crawlers = those(Some(whole));
            let counted = match (crawlers.len(), all.len()) {
                (0, _) => continue,
                (1, 1) => "the only known crawler".to_owned(),
                (n, all) if n == all => format!("all {n} known crawlers"),
                (n, all) => format!("{n} of {all} known crawlers"),
            };
            let headline = format!("{}: {}", purpose.title, whole_site(whole));
            self.sites.push(SiteRisk {
                purpose: purpose.clone(),
                whole_site: whole,
                label: format!("{headline} for {counted}"),
                headline,
                crawlers,
                count: all.len(),
            });
        }
        self.some.extend(those(None));
    }
}
