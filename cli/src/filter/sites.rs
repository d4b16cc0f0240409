//! The robots.txt of a host, and sources of them.

use std::iter;
use std::ops::Range;

use robotsieve::rights::{Documents, Purpose, Response, RightsReader, RobotsRights, Ruling};
use robotsieve::{
    Answer, AsUrl, Crawler, Decision, InvalidUrl, Profile, Robots, SitePolicy, UrlRun,
};

use super::batch::{Batch, Line};

/// A source of robots.txt files by origin, shared by all workers. It is asked for many URLs at
/// once, so that the waits for memory overlap.
pub trait Sites: Send + Sync {
    /// Calls `act` with each run, in order, with the numbers of its lines, and with what is known of
    /// its origin, which never changes. For runs without an origin that is [`HostRules::Missing`].
    fn each_run(
        &self,
        batch: &Batch<'_>,
        act: &mut dyn FnMut(&UrlRun<'_>, Range<usize>, HostRules<'_>),
    );

    /// Writes the answers for all lines: a row for each, with an answer for each crawler.
    fn answer(&self, batch: &Batch<'_>, crawlers: usize, answers: &mut [Answer]) {
        self.each_run(batch, &mut |run, numbers, found| {
            let rows = &mut answers[numbers.start * crawlers..numbers.end * crawlers];
            match found {
                HostRules::Site(site) => {
                    let lines = &batch.lines[numbers];
                    for (line, row) in lines.iter().zip(rows.chunks_exact_mut(crawlers)) {
                        site.answer(line, row);
                    }
                }
                HostRules::Missing => rows.fill(run.otherwise),
                HostRules::Unreadable => rows.fill(Answer::Unknown),
            }
        });
    }
}

/// The outcome of looking up a host.
#[derive(Clone, Copy)]
pub enum HostRules<'s> {
    /// Its robots.txt.
    Site(&'s Site),
    /// There is no robots.txt for the host.
    Missing,
    /// There is one, but it could not be read.
    Unreadable,
}

/// The policies of one robots.txt for all crawlers.
pub struct Site {
    /// For the first crawler, and often for all. It is not in the vector because each pointer on the
    /// way costs time when the host changes.
    first: SitePolicy<'static>,
    /// The other policies. Crawlers with the same group share one.
    others: Vec<SitePolicy<'static>>,
    /// For each crawler, in the order of the command line, the index of its policy in `first`
    /// followed by `others`.
    by_crawler: Vec<usize>,
    /// True if the rules are those of a robots.txt, so that their lines can be named.
    has_lines: bool,
    /// With `--purpose`: what answers in the place of the policies.
    of_purpose: Option<Box<OfPurpose>>,
}

/// What a robots.txt says of a purpose other than crawling, for all crawlers.
pub struct OfPurpose {
    purpose: Purpose,
    by_crawler: Vec<(RightsReader, RobotsRights)>,
}

impl OfPurpose {
    fn new(robots: &Robots<'_>, crawlers: &[Crawler], purpose: Purpose) -> OfPurpose {
        let of = |crawler: &Crawler| {
            let reader = RightsReader::new(crawler);
            let rights = reader.robots(robots);
            (reader, rights)
        };
        OfPurpose { purpose, by_crawler: crawlers.iter().map(of).collect() }
    }

    fn answer(&self, line: &Line<'_>, row: &mut [Answer]) {
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

impl Site {
    /// Makes the policies for `crawlers`, of which there must be at least one. They do not borrow
    /// from `file`. They answer for crawling, or for another purpose.
    pub fn new(
        file: &[u8],
        profile: &Profile,
        crawlers: &[Crawler],
        purpose: Option<Purpose>,
    ) -> Site {
        let robots = Robots::parse(file, profile);
        let site = Site::of(crawlers.iter().map(|crawler| robots.policy(crawler).into()));
        let of_purpose = purpose.map(|purpose| OfPurpose::new(&robots, crawlers, purpose).into());
        Site { of_purpose, ..site }
    }

    /// Combines the policies of the crawlers, of which there must be at least one.
    pub fn of(crawlers: impl Iterator<Item = SitePolicy<'static>>) -> Site {
        let mut policies: Vec<SitePolicy<'static>> = Vec::new();
        let place_of = |policy: SitePolicy<'static>| {
            policies.iter().position(|other| other.is_same(&policy)).unwrap_or_else(|| {
                policies.push(policy);
                policies.len() - 1
            })
        };
        let by_crawler = crawlers.map(place_of).collect();
        let first = policies.remove(0);
        Site { first, others: policies, by_crawler, has_lines: true, of_purpose: None }
    }

    /// The same for rules that no robots.txt has: they stand for what applies to the whole site.
    pub fn without_lines(self) -> Site {
        Site { has_lines: false, ..self }
    }

    /// Returns true if the line and the text of a rule that decided can be named.
    pub fn has_lines(&self) -> bool {
        self.has_lines
    }

    /// With `--purpose`: what answers.
    pub fn of_purpose(&self) -> Option<&OfPurpose> {
        self.of_purpose.as_deref()
    }

    /// Writes the answer for each crawler.
    #[inline]
    pub fn answer(&self, line: &Line<'_>, row: &mut [Answer]) {
        if let Some(of_purpose) = &self.of_purpose {
            return of_purpose.answer(line, row);
        }
        if let [answer] = row {
            *answer = answer_of(&self.first, line);
            return;
        }
        if self.others.is_empty() {
            return row.fill(answer_of(&self.first, line));
        }
        // One for each policy, in a row of those who share it.
        for (number, policy) in self.policies().enumerate() {
            let answer = answer_of(policy, line);
            for (place, of) in row.iter_mut().zip(&self.by_crawler) {
                if *of == number {
                    *place = answer;
                }
            }
        }
    }

    /// The decisions of the distinct policies. A URL is valid for all of them or for none.
    pub fn decisions<'s>(
        &'s self,
        line: &Line<'_>,
    ) -> impl Iterator<Item = Result<Decision<'s>, InvalidUrl>> {
        self.policies().map(move |policy| policy.decide(line))
    }

    /// For each crawler, in the order of the command line, the index of its policy among the
    /// distinct ones.
    pub fn by_crawler(&self) -> &[usize] {
        &self.by_crawler
    }

    fn policies(&self) -> impl Iterator<Item = &SitePolicy<'static>> {
        iter::once(&self.first).chain(&self.others)
    }
}

#[inline]
fn answer_of(policy: &SitePolicy<'_>, line: &Line<'_>) -> Answer {
    match policy.is_allowed(line) {
        Ok(true) => Answer::Allow,
        Ok(false) => Answer::Disallow,
        Err(InvalidUrl { .. }) => Answer::Invalid,
    }
}
