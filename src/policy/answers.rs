//! The answers of policies: one for each URL and crawler.

use std::ops::{Deref, DerefMut};

use smallvec::{SmallVec, smallvec};

#[cfg(feature = "url")]
use crate::read::crawler::Crawler;
use crate::rules::target::InvalidUrl;
use crate::verdict::Verdict;

/// The answer for one URL and one crawler, in one byte: a verdict, or why there is none. The bytes are
/// those of the interfaces to C and JavaScript.
///
/// Not `#[non_exhaustive]`: asking can lead to nothing else.
///
/// With the feature `serde` it is written as [`Answer::as_str`] returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[repr(u8)]
pub enum Answer {
    /// The crawler may fetch it.
    Allow = 1,
    /// The crawler may not fetch it.
    Disallow = 0,
    /// The URL is invalid ([`InvalidUrl`]).
    Invalid = 2,
    /// There is no policy for its host.
    Unknown = 3,
}

impl Answer {
    /// `allow`, `disallow`, `invalid` or `unknown`.
    pub fn as_str(self) -> &'static str {
        match self {
            Answer::Allow => "allow",
            Answer::Disallow => "disallow",
            Answer::Invalid => "invalid",
            Answer::Unknown => "unknown",
        }
    }
}

display_as_str!(Answer);

impl From<Verdict> for Answer {
    fn from(verdict: Verdict) -> Answer {
        match verdict {
            Verdict::Allow => Answer::Allow,
            Verdict::Disallow => Answer::Disallow,
        }
    }
}

impl From<Result<Verdict, InvalidUrl>> for Answer {
    fn from(result: Result<Verdict, InvalidUrl>) -> Answer {
        result.map_or(Answer::Invalid, Answer::from)
    }
}

/// The answers for some URLs, a row for each, with an answer for each crawler that was asked about.
///
/// A slice of all of them, row after row. For one URL it is that of its row.
///
/// ```
/// use robotsieve::{Answer, CrawlerPolicies, Profile, Robots};
///
/// let robots = Robots::parse(b"User-agent: GPTBot\nDisallow: /", &Profile::RFC9309);
/// let policies: CrawlerPolicies = ["GPTBot", "Googlebot"].map(|name| robots.policy(&name.into()))
///     .into_iter().collect();
/// let answers = policies.ask("/x");
/// assert_eq!(answers[0], Answer::Disallow);
/// assert_eq!(answers.rows().len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers {
    answers: SmallVec<[Answer; 16]>,
    urls: usize,
    crawlers: usize,
}

impl Answers {
    pub(crate) fn unknown(urls: usize, crawlers: usize) -> Answers {
        Answers { answers: smallvec![Answer::Unknown; urls * crawlers], urls, crawlers }
    }

    /// The answers for each URL, in the order of the URLs.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[Answer]> {
        (0..self.urls).map(|url| self.row(url))
    }

    /// The answers for one of the URLs, by its place among them.
    ///
    /// # Panics
    /// Panics if there are not as many URLs.
    pub fn row(&self, url: usize) -> &[Answer] {
        assert!(url < self.urls, "no URL {url}");
        &self.answers[url * self.crawlers..][..self.crawlers]
    }

    /// All of them, row after row.
    pub fn into_vec(self) -> Vec<Answer> {
        self.answers.into_vec()
    }
}

impl Deref for Answers {
    type Target = [Answer];

    fn deref(&self) -> &[Answer] {
        &self.answers
    }
}

impl DerefMut for Answers {
    fn deref_mut(&mut self) -> &mut [Answer] {
        &mut self.answers
    }
}

/// A crawler of a [`PolicySet`](crate::PolicySet) or a pack, to ask about: it has one for each of its
/// crawlers, found by name or in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg(feature = "url")]
pub struct CrawlerId(usize);

#[cfg(feature = "url")]
impl CrawlerId {
    /// The crawler at a place in the order of a set's or pack's `crawlers()`, which begins with 0.
    pub const fn at(place: usize) -> CrawlerId {
        CrawlerId(place)
    }

    /// Its place in that order.
    pub const fn place(self) -> usize {
        self.0
    }

    pub(crate) fn of(crawler: &Crawler, among: &[Crawler]) -> Option<CrawlerId> {
        among.iter().position(|other| other == crawler).map(CrawlerId)
    }

    /// # Panics
    /// Panics unless there are all these crawlers.
    pub(crate) fn check(all: &[CrawlerId], crawlers: usize) {
        all.iter().for_each(|crawler| _ = crawler.among(crawlers));
    }

    /// # Panics
    /// Panics unless there are as many crawlers.
    pub(crate) fn among(self, crawlers: usize) -> usize {
        assert!(self.0 < crawlers, "no crawler {}", self.0);
        self.0
    }
}
