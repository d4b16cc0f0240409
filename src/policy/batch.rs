//! Many URLs at once, on all cores (feature `rayon`).
//!
//! | one crawler | several crawlers | |
//! |---|---|---|
//! | [`answers`] | [`table`] | all URLs of one host |
//! | [`answers_by`] | [`table_by`] | URLs of many hosts |
//!
//! Answers are in the order of the URLs. The work runs in rayon's current thread pool: wrap the
//! call in [`rayon::ThreadPool::install`] to limit the number of threads. Below some hundreds of
//! URLs a loop is as fast.
//!
//! ```
//! use robotsieve::{Answer, Crawler, Profile, Robots, batch};
//!
//! let robots = Robots::parse(b"User-agent: *\nDisallow: /a", &Profile::RFC9309);
//! let policy = robots.policy(&Crawler::name("bot"));
//! let urls = ["https://e.com/a", "https://e.com/b", "e.com"];
//! let answers = batch::answers(&policy, &urls);
//! assert_eq!(answers, [Answer::Disallow, Answer::Allow, Answer::Invalid]);
//! ```

use rayon::prelude::*;
use smallvec::SmallVec;

use crate::policy::Policy;
use crate::policy::crawlers::{Answer, CrawlerPolicies};

/// The URLs that a thread takes at a time: about 20 µs of work.
const AT_A_TIME: usize = 512;

/// How many URLs' policies are prefetched together. With many policies resident, each lies in
/// memory far from the processor, and prefetching makes the waits overlap.
const AHEAD: usize = 16;

/// The answers of one policy to many URLs. Never [`Answer::Unknown`].
#[must_use]
pub fn answers<U: AsRef<[u8]> + Sync>(policy: &Policy, urls: &[U]) -> Vec<Answer> {
    urls.par_iter().with_min_len(AT_A_TIME).map(|url| one(policy, url.as_ref())).collect()
}

/// The answers for many URLs, each by the policy that `policy_of` returns for it.
///
/// A URL for which it returns `None` gets [`Answer::Unknown`], even if the URL is invalid.
///
/// ```
/// use std::collections::HashMap;
/// use robotsieve::{Answer, Crawler, Profile, Robots, batch};
///
/// let file = b"User-agent: *\nDisallow: /";
/// let policy = Robots::parse(file, &Profile::RFC9309).policy(&"bot".into());
/// let policies = HashMap::from([("e.com", policy)]);
/// let host = |url: &&str| url.split('/').nth(2).unwrap_or_default().to_string();
/// let urls = ["https://e.com/a", "https://other.com/"];
/// let answers = batch::answers_by(&urls, |url| policies.get(host(url).as_str()));
/// assert_eq!(answers, [Answer::Disallow, Answer::Unknown]);
/// ```
#[must_use]
pub fn answers_by<'p, U, F>(urls: &[U], policy_of: F) -> Vec<Answer>
where
    U: AsRef<[u8]> + Sync,
    F: Fn(&U) -> Option<&'p Policy> + Sync,
{
    let mut answers = vec![Answer::Unknown; urls.len()];
    let parts = answers.par_chunks_mut(AT_A_TIME).zip(urls.par_chunks(AT_A_TIME));
    parts.for_each(|(answers, urls)| {
        for (answers, urls) in answers.chunks_mut(AHEAD).zip(urls.chunks(AHEAD)) {
            let policies: SmallVec<[_; AHEAD]> = urls.iter().map(&policy_of).collect();
            policies.iter().flatten().for_each(|policy| policy.read_ahead());
            policies.iter().flatten().for_each(|policy| policy.read_engine_ahead());
            for ((answer, url), policy) in answers.iter_mut().zip(urls).zip(&policies) {
                if let Some(policy) = policy {
                    *answer = one(policy, url.as_ref());
                }
            }
        }
    });
    answers
}

/// The answer of a policy to a URL.
fn one(policy: &Policy, url: &[u8]) -> Answer {
    policy.target(url).map(|target| policy.own_verdict(&target)).into()
}

/// Answers for many URLs and several crawlers: a row for each URL and a column for each crawler,
/// both in the order given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    columns: usize,
    answers: Vec<Answer>,
}

impl Table {
    /// The answers for a URL, by its place in the order given: one for each crawler.
    ///
    /// # Panics
    /// Panics if there is no such URL.
    pub fn row(&self, url: usize) -> &[Answer] {
        &self.answers[url * self.columns..(url + 1) * self.columns]
    }

    /// The rows, in the order of the URLs.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[Answer]> {
        (0..self.answers.len().checked_div(self.columns).unwrap_or(0)).map(|url| self.row(url))
    }

    /// How many crawlers there are.
    pub fn columns(&self) -> usize {
        self.columns
    }
}

/// The answers of one file's policies to many URLs. Crawlers that obey the same groups cost one
/// walk together.
#[must_use]
pub fn table<U: AsRef<[u8]> + Sync>(policies: &CrawlerPolicies, urls: &[U]) -> Table {
    table_by(urls, policies.len(), |_| Some(policies))
}

/// The answers for many URLs and `columns` crawlers, each URL by the policies that `policies_of`
/// returns for it.
///
/// A URL for which it returns `None` gets a row of [`Answer::Unknown`].
///
/// # Panics
/// Panics if `policies_of` returns policies for more or fewer than `columns` crawlers.
#[must_use]
pub fn table_by<'p, U, F>(urls: &[U], columns: usize, policies_of: F) -> Table
where
    U: AsRef<[u8]> + Sync,
    F: Fn(&U) -> Option<&'p CrawlerPolicies> + Sync,
{
    let mut answers = vec![Answer::Unknown; urls.len() * columns];
    if columns > 0 {
        let parts = answers.par_chunks_mut(AT_A_TIME * columns).zip(urls.par_chunks(AT_A_TIME));
        parts.for_each(|(rows, urls)| {
            for (rows, urls) in rows.chunks_mut(AHEAD * columns).zip(urls.chunks(AHEAD)) {
                let policies: SmallVec<[_; AHEAD]> = urls.iter().map(&policies_of).collect();
                policies.iter().flatten().for_each(|policies| policies.read_ahead());
                policies.iter().flatten().for_each(|policies| policies.read_engines_ahead());
                for ((row, url), policies) in rows.chunks_mut(columns).zip(urls).zip(&policies) {
                    if let Some(policies) = policies {
                        policies.ask(url.as_ref(), row);
                    }
                }
            }
        });
    }
    Table { columns, answers }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Crawler, Profile, Robots};

    /// More URLs than a thread takes at a time, in order, for one crawler and for several.
    #[test]
    fn same_as_one_by_one() {
        let file = b"User-agent: a\nUser-agent: b\nDisallow: /*7\nUser-agent: *\nDisallow: /*3$";
        let robots = Robots::parse(file, &Profile::RFC9309);
        let policies = ["a", "c", "b"].map(|name| robots.policy(&Crawler::name(name)));
        let urls: Vec<String> = (0..5000)
            .map(|i| if i % 11 == 0 { format!("{i}") } else { format!("https://e.com/{i}") })
            .collect();
        let together = CrawlerPolicies::new(policies.clone());
        assert_eq!(together.distinct_count(), 2);
        let table = table(&together, &urls);
        assert_eq!(table.rows().len(), urls.len());
        for (column, policy) in policies.iter().enumerate() {
            let answers = answers(policy, &urls);
            let by = answers_by(&urls, |_| Some(policy));
            for (row, url) in urls.iter().enumerate() {
                let one = policy.target(url).map(|target| policy.verdict(&target)).into();
                assert_eq!((answers[row], by[row], table.row(row)[column]), (one, one, one));
            }
        }
        let unknown = table_by(&urls, 2, |_| None);
        assert!(unknown.rows().all(|row| row == [Answer::Unknown; 2]));
        assert_eq!(table_by(&urls, 0, |_| None).rows().len(), 0);
    }
}
