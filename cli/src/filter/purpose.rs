//! What a robots.txt says of a purpose other than crawling.

use std::iter;
use std::ops::Range;
use std::sync::Arc;

use robotsieve::pack::{self, Kind, Pack, PackError};
use robotsieve::rights::{Purpose, RightsReader, RobotsRights, Ruling, Vocabulary};
use robotsieve::{Answer, Crawler, InvalidUrl, Robots, UrlRun};

use super::batch::{Batch, Line};
use super::packed::Damage;
use super::sites::{HostRules, Site, Sites};
use crate::write::report::Report;

/// What a robots.txt says of a purpose other than crawling, for all crawlers.
pub struct OfPurpose {
    purpose: Purpose,
    said: Said,
}

enum Said {
    /// To each crawler.
    To(Vec<RobotsRights<'static>>),
    /// To so many crawlers nothing. The pack knows which URLs are valid.
    Nothing(&'static Pack<'static>, usize),
}

impl OfPurpose {
    pub fn new(robots: &Robots<'_>, crawlers: &[Crawler], purpose: Purpose) -> OfPurpose {
        let to = |crawler: &Crawler| RightsReader::new(crawler).robots(robots);
        OfPurpose { purpose, said: Said::To(crawlers.iter().map(to).collect()) }
    }

    /// Writes the answer for each crawler.
    pub fn answer(&self, line: &Line<'_>, row: &mut [Answer]) {
        match &self.said {
            Said::To(crawlers) => {
                for (rights, answer) in crawlers.iter().zip(row) {
                    *answer =
                        rights.ruling(self.purpose, line).map_or(Answer::Invalid, answer_of_ruling);
                }
            }
            Said::Nothing(pack, _) => row.fill(silence(pack, line)),
        }
    }

    /// The answer for each crawler, with the lines that decided.
    pub fn decisions(&self, line: &Line<'_>) -> Vec<(Answer, Vec<String>)> {
        let decide = |robots: &RobotsRights<'_>| {
            let rights = robots.rights(line)?;
            let by = rights.by(self.purpose).map(|by| by.place.to_string()).collect();
            Ok((answer_of_ruling(rights.ruling(self.purpose)), by))
        };
        match &self.said {
            Said::To(crawlers) => {
                let invalid = |InvalidUrl { .. }| (Answer::Invalid, Vec::new());
                crawlers.iter().map(|robots| decide(robots).unwrap_or_else(invalid)).collect()
            }
            Said::Nothing(pack, crawlers) => {
                iter::repeat_n((silence(pack, line), Vec::new()), *crawlers).collect()
            }
        }
    }
}

/// The answer of a site that says nothing.
fn silence(pack: &Pack<'_>, line: &Line<'_>) -> Answer {
    if pack.target(line).is_ok() { Answer::Unknown } else { Answer::Invalid }
}

fn answer_of_ruling(ruling: Ruling) -> Answer {
    match ruling {
        Ruling::Allow => Answer::Allow,
        Ruling::Disallow => Answer::Disallow,
        Ruling::Unknown => Answer::Unknown,
    }
}

/// What a pack has of a purpose other than crawling.
pub struct PackedRights {
    pack: &'static Pack<'static>,
    /// For each crawler to judge for, its index among those of the pack.
    columns: Vec<usize>,
    purpose: Purpose,
    damage: Damage,
}

impl PackedRights {
    pub fn new(
        pack: &'static Pack<'static>,
        columns: Vec<usize>,
        purpose: Purpose,
        report: Arc<Report>,
    ) -> PackedRights {
        PackedRights { pack, columns, purpose, damage: Damage::new(report) }
    }

    /// What a site says; `None` if nothing is known of it.
    fn site(&self, site: pack::Site<'static>) -> Result<Option<Site>, PackError> {
        if site.kind() == Kind::Unknown {
            return Ok(None);
        }
        let said = if site.speaks_of_rights()? {
            let to = |column: &usize| site.rights(*column, Vocabulary::default());
            let to = self.columns.iter().map(to).collect::<Result<Option<_>, PackError>>()?;
            let Some(to) = to else { return Ok(None) };
            Said::To(to)
        } else {
            Said::Nothing(self.pack, self.columns.len())
        };
        Ok(Some(Site::OfPurpose(OfPurpose { purpose: self.purpose, said })))
    }
}

impl Sites for PackedRights {
    fn each_run(
        &self,
        batch: &Batch<'_>,
        act: &mut dyn FnMut(&UrlRun<'_>, Range<usize>, HostRules<'_>),
    ) {
        for (run, numbers) in batch.numbered() {
            let found = run.origin.as_ref().map_or(Ok(None), |origin| self.pack.get(origin));
            match found.and_then(|site| site.map_or(Ok(None), |site| self.site(site))) {
                Ok(Some(site)) => act(run, numbers, HostRules::Site(&site)),
                Ok(None) => act(run, numbers, HostRules::Missing),
                Err(error) => {
                    self.damage.report(error);
                    act(run, numbers, HostRules::Unreadable);
                }
            }
        }
    }
}
