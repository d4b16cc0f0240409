//! What a robots.txt says of a purpose other than crawling.

use std::iter;

use robotsieve::SiteKind;
use robotsieve::pack::{self, Pack, PackError};
use robotsieve::{Answer, Crawler, CrawlerId, InvalidUrl, Robots};
use robotsieve_rights::packed::PackRights;
use robotsieve_rights::{PolicyToken, Purpose, RightsReader, RobotsRights, Ruling, Vocabulary};

use super::batch::Line;

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

    /// What a site of a pack says to these crawlers. `None` if nothing is known of
    /// the site.
    pub fn of_packed(
        pack: &'static Pack<'static>,
        rights: &PackRights<'static>,
        site: &pack::Site<'static>,
        crawlers: &[CrawlerId],
        purpose: Purpose,
    ) -> Result<Option<OfPurpose>, PackError> {
        if site.kind() == SiteKind::Unknown {
            return Ok(None);
        }
        // A Disallow for a token is about uses.
        let is_token = |crawler: &CrawlerId| {
            let names = pack.crawlers().get(crawler.place()).into_iter().flat_map(Crawler::iter);
            let mut names = names.filter_map(|name| str::from_utf8(name).ok());
            names.any(|name| PolicyToken::of_name(name).is_some())
        };
        if !site.speaks_of_rights()? && !crawlers.iter().any(is_token) {
            return Ok(Some(OfPurpose { purpose, said: Said::Nothing(pack, crawlers.len()) }));
        }
        let to = crawlers.iter().map(|crawler| rights.of(site, *crawler, Vocabulary::default()));
        let to = to.collect::<Result<Option<_>, PackError>>()?;
        Ok(to.map(|to| OfPurpose { purpose, said: Said::To(to) }))
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
