//! What a robots.txt says of a purpose other than crawling.

use robotsieve::rights::{Documents, Purpose, Response, RightsReader, RobotsRights, Ruling};
use robotsieve::{Answer, AsUrl, Crawler, InvalidUrl, Robots};

use super::batch::Line;

/// What a robots.txt says of a purpose other than crawling, for all crawlers.
pub struct OfPurpose {
    purpose: Purpose,
    by_crawler: Vec<(RightsReader, RobotsRights)>,
}

impl OfPurpose {
    pub fn new(robots: &Robots<'_>, crawlers: &[Crawler], purpose: Purpose) -> OfPurpose {
        let of = |crawler: &Crawler| {
            let reader = RightsReader::new(crawler);
            let rights = reader.robots(robots);
            (reader, rights)
        };
        OfPurpose { purpose, by_crawler: crawlers.iter().map(of).collect() }
    }

    /// Writes the answer for each crawler.
    pub fn answer(&self, line: &Line<'_>, row: &mut [Answer]) {
        for ((_, rights), answer) in self.by_crawler.iter().zip(row) {
            *answer = rights.ruling(self.purpose, line).map_or(Answer::Invalid, answer_of_ruling);
        }
    }

    /// The answer for each crawler, with the lines that decided.
    pub fn decisions(
        &self,
        line: &Line<'_>,
    ) -> impl Iterator<Item = Result<(Answer, Vec<String>), InvalidUrl>> {
        let (url, nothing, none) = (line.as_url(), Response::new(), Documents::new());
        self.by_crawler.iter().map(move |(reader, robots)| {
            let rights = reader.rights(url, Some(robots), &nothing, &none)?;
            let by = rights.by(self.purpose).map(|by| by.place.to_string()).collect();
            Ok((answer_of_ruling(rights.ruling(self.purpose)), by))
        })
    }
}

fn answer_of_ruling(ruling: Ruling) -> Answer {
    match ruling {
        Ruling::Allow => Answer::Allow,
        Ruling::Disallow => Answer::Disallow,
        Ruling::Unknown => Answer::Unknown,
    }
}
