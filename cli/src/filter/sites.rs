//! The robots.txt of a host, and sources of them.

use std::iter;

use robotsieve::pack::PackedPolicy;
use robotsieve::{Answer, Crawler, Decision, InvalidUrl, Policy, Profile, Robots};

use super::batch::{Batch, Run};

/// A source of robots.txt files by origin, shared by all workers. It is asked for many URLs at
/// once, so that the waits for memory overlap.
pub trait Sites: Send + Sync {
    /// Calls `act` with each run, in order, and with what is known of its origin, which never
    /// changes. For runs without an origin that is [`Found::Missing`].
    fn each_run(&self, batch: &Batch<'_>, act: &mut dyn FnMut(&Run<'_>, Found<'_>));

    /// Writes the answers for all lines: a row for each, with an answer for each crawler.
    /// `missing` is the answer if there is no robots.txt.
    fn answer(&self, batch: &Batch<'_>, missing: Answer, crawlers: usize, answers: &mut [Answer]) {
        self.each_run(batch, &mut |run, found| {
            found.answer(batch, run, missing, crawlers, answers);
        });
    }
}

/// The outcome of looking up a host.
#[derive(Clone, Copy)]
pub enum Found<'s> {
    /// Its robots.txt.
    Site(&'s Site),
    /// There is no robots.txt for the host.
    Missing,
    /// There is one, but it could not be read.
    Unreadable,
}

impl Found<'_> {
    /// Writes the answers for the lines of a run.
    #[inline]
    pub fn answer(
        self,
        batch: &Batch<'_>,
        run: &Run<'_>,
        missing: Answer,
        crawlers: usize,
        answers: &mut [Answer],
    ) {
        let rows = &mut answers[run.first * crawlers..run.end * crawlers];
        match self {
            Found::Site(site) => {
                let lines = &batch.lines[run.first..run.end];
                for (line, row) in lines.iter().zip(rows.chunks_exact_mut(crawlers)) {
                    site.answer(line.url(), row);
                }
            }
            Found::Missing => rows.fill(missing),
            Found::Unreadable => rows.fill(Answer::Unknown),
        }
    }
}

/// A URL and, if already known, its path, which starts with `/`. In every profile the path has the
/// same verdict as the URL, because the authority ends where the library says.
#[derive(Clone, Copy)]
pub struct Url<'u> {
    pub bytes: &'u [u8],
    pub path: Option<&'u [u8]>,
}

/// The policy of one crawler.
pub enum Opinion {
    /// Made from the robots.txt.
    Policy(Policy),
    /// Loaded from a pack, which stays open until the program ends.
    Packed(PackedPolicy<'static>),
}

impl Opinion {
    fn is_same(&self, other: &Opinion) -> bool {
        match (self, other) {
            (Opinion::Policy(a), Opinion::Policy(b)) => a.is_same(b),
            (Opinion::Packed(a), Opinion::Packed(b)) => a.is_same(b),
            _ => false,
        }
    }

    #[inline]
    fn answer(&self, url: Url<'_>) -> Answer {
        let is_allowed = match (self, url.path) {
            (Opinion::Policy(policy), Some(path)) => policy.is_path_allowed(path),
            (Opinion::Policy(policy), None) => policy.is_allowed(url.bytes),
            (Opinion::Packed(policy), Some(path)) => policy.is_path_allowed(path),
            (Opinion::Packed(policy), None) => policy.is_allowed(url.bytes),
        };
        match is_allowed {
            Ok(true) => Answer::Allow,
            Ok(false) => Answer::Disallow,
            Err(InvalidUrl { .. }) => Answer::Invalid,
        }
    }

    fn decide(&self, url: Url<'_>) -> Result<Decision<'_>, InvalidUrl> {
        match (self, url.path) {
            (Opinion::Policy(policy), Some(path)) => policy.decide_path(path),
            (Opinion::Policy(policy), None) => policy.decide(url.bytes),
            (Opinion::Packed(policy), _) => policy.decide(url.bytes),
        }
    }
}

/// The policies of one robots.txt for all crawlers.
pub struct Site {
    /// For the first crawler, and often for all. It is not in the vector because each pointer on the
    /// way costs time when the host changes.
    first: Opinion,
    /// The other policies. Crawlers with the same group share one.
    others: Vec<Opinion>,
    /// For each crawler, in the order of the command line, the index of its policy in `first`
    /// followed by `others`.
    by_crawler: Vec<usize>,
    /// Whether the rules are those of a robots.txt, so that their lines can be named.
    has_lines: bool,
}

impl Site {
    /// Makes the policies for `crawlers`, of which there must be at least one. They do not borrow
    /// from `file`.
    pub fn new(file: &[u8], profile: &Profile, crawlers: &[Crawler]) -> Site {
        let robots = Robots::parse(file, profile);
        Site::of(crawlers.iter().map(|crawler| Opinion::Policy(robots.policy(crawler))))
    }

    /// Combines the policies of the crawlers, of which there must be at least one.
    pub fn of(crawlers: impl Iterator<Item = Opinion>) -> Site {
        let mut policies: Vec<Opinion> = Vec::new();
        let place_of = |policy: Opinion| {
            policies.iter().position(|other| other.is_same(&policy)).unwrap_or_else(|| {
                policies.push(policy);
                policies.len() - 1
            })
        };
        let by_crawler = crawlers.map(place_of).collect();
        let first = policies.remove(0);
        Site { first, others: policies, by_crawler, has_lines: true }
    }

    /// The same for rules that no robots.txt has: they stand for what applies to the whole site.
    pub fn without_lines(self) -> Site {
        Site { has_lines: false, ..self }
    }

    /// Whether the line and the text of a rule that decided can be named.
    pub fn has_lines(&self) -> bool {
        self.has_lines
    }

    /// Writes the answer for each crawler.
    #[inline]
    pub fn answer(&self, url: Url<'_>, row: &mut [Answer]) {
        if let [answer] = row {
            *answer = self.first.answer(url);
            return;
        }
        if self.others.is_empty() {
            return row.fill(self.first.answer(url));
        }
        // One for each policy, in a row of those who share it.
        for (policy, opinion) in self.policies().enumerate() {
            let answer = opinion.answer(url);
            for (place, of) in row.iter_mut().zip(&self.by_crawler) {
                if *of == policy {
                    *place = answer;
                }
            }
        }
    }

    /// The decisions of the distinct policies. A URL is valid for all of them or for none.
    pub fn decisions<'s>(
        &'s self,
        url: Url<'_>,
    ) -> impl Iterator<Item = Result<Decision<'s>, InvalidUrl>> {
        self.policies().map(move |policy| policy.decide(url))
    }

    /// For each crawler, in the order of the command line, the index of its policy among the
    /// distinct ones.
    pub fn by_crawler(&self) -> &[usize] {
        &self.by_crawler
    }

    fn policies(&self) -> impl Iterator<Item = &Opinion> {
        iter::once(&self.first).chain(&self.others)
    }
}
