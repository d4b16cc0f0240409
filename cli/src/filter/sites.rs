//! The robots.txt of a host, and sources of them.

use std::iter;
use std::ops::Range;

use robotsieve::{Answer, Crawler, Decision, InvalidUrl, Profile, Robots, SitePolicy, UrlRun};
use robotsieve_client::outcome::Why;
use robotsieve_rights::Purpose;

use super::batch::{Batch, Line};
use super::purpose::OfPurpose;

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

/// What one robots.txt says, for all crawlers.
pub enum Site {
    /// Of crawling.
    Policies(Policies),
    /// Of another purpose.
    OfPurpose(OfPurpose),
}

/// The policies of one robots.txt for all crawlers.
pub struct Policies {
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
    /// What decides in the place of current rules: a name of [`robotsieve_client::outcome::Why`].
    why: Option<String>,
}

impl Site {
    /// What a file says of crawling, or of another purpose, for `crawlers`, of which there must be at
    /// least one. It does not borrow from `file`.
    pub fn new(
        file: &[u8],
        profile: &Profile,
        crawlers: &[Crawler],
        purpose: Option<Purpose>,
    ) -> Site {
        let robots = Robots::parse(file, profile);
        match purpose {
            None => Site::of(crawlers.iter().map(|crawler| robots.policy(crawler).into())),
            Some(purpose) => Site::OfPurpose(OfPurpose::new(&robots, crawlers, purpose)),
        }
    }

    /// The policies of the crawlers, of which there must be at least one.
    pub fn of(crawlers: impl Iterator<Item = SitePolicy<'static>>) -> Site {
        Site::Policies(Policies::of(crawlers))
    }

    /// The same for rules that no robots.txt has: they stand for what applies to the whole site.
    pub fn without_lines(self) -> Site {
        match self {
            Site::Policies(policies) => Site::Policies(Policies { has_lines: false, ..policies }),
            other => other,
        }
    }

    /// The same, with what decides in the place of current rules.
    pub fn because(self, why: Why) -> Site {
        let name = serde_json::to_value(why).ok();
        let why = name.as_ref().and_then(|name| name.as_str()).map(str::to_owned);
        match self {
            Site::Policies(policies) => Site::Policies(Policies { why, ..policies }),
            other => other,
        }
    }

    /// What decides: `rules`, `whole_site` if all URLs have the same answer, or a name of [`Why`].
    pub fn decided_by(&self) -> &str {
        match self {
            Site::Policies(policies) => match policies.why() {
                Some(why) => why,
                None if policies.has_lines => "rules",
                None => "whole_site",
            },
            Site::OfPurpose(_) => "rules",
        }
    }

    /// Writes the answer for each crawler.
    #[inline]
    pub fn answer(&self, line: &Line<'_>, row: &mut [Answer]) {
        match self {
            Site::Policies(policies) => policies.answer(line, row),
            Site::OfPurpose(of_purpose) => of_purpose.answer(line, row),
        }
    }
}

impl Policies {
    /// Combines the policies of the crawlers, of which there must be at least one.
    fn of(crawlers: impl Iterator<Item = SitePolicy<'static>>) -> Policies {
        let mut policies: Vec<SitePolicy<'static>> = Vec::new();
        let place_of = |policy: SitePolicy<'static>| {
            policies.iter().position(|other| other.is_same(&policy)).unwrap_or_else(|| {
                policies.push(policy);
                policies.len() - 1
            })
        };
        let by_crawler = crawlers.map(place_of).collect();
        let first = policies.remove(0);
        Policies { first, others: policies, by_crawler, has_lines: true, why: None }
    }

    /// Returns true if the line and the text of a rule that decided can be named.
    pub fn has_lines(&self) -> bool {
        self.has_lines
    }

    /// What decides in the place of current rules, if it is known.
    pub fn why(&self) -> Option<&str> {
        self.why.as_deref()
    }

    /// Writes the answer for each crawler.
    #[inline]
    fn answer(&self, line: &Line<'_>, row: &mut [Answer]) {
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
