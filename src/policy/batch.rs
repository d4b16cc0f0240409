//! Many URLs at once, over all cores (feature `rayon`).
//!
//! Answers stand in the order of the URLs. The work is done in rayon's current thread pool:
//! put the call into [`rayon::ThreadPool::install`] to bound the number of threads.
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

/// URLs that a thread takes at a time: some 20 µs of work.
const AT_A_TIME: usize = 512;

/// URLs whose policies are asked for ahead: with many policies resident, the memory of each is
/// far from the processor, and the waits for so many overlap.
const AHEAD: usize = 16;

/// The answers of one policy to many URLs.
pub fn answers<U: AsRef<[u8]> + Sync>(policy: &Policy, urls: &[U]) -> Vec<Answer> {
    urls.par_iter().with_min_len(AT_A_TIME).map(|url| one(policy, url.as_ref())).collect()
}

/// The answers for many URLs, each by the policy that `policy_of` finds for it;
/// [`Answer::Unknown`] where that is none.
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
    policy.target(url).map(|target| policy.verdict(&target)).into()
}

/// Answers for many URLs and several crawlers: a row for each URL, in their order, with a
/// column for each crawler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    columns: usize,
    answers: Vec<Answer>,
}

impl Table {
    /// The answers for a URL, by its place, one for each crawler in the order given.
    ///
    /// # Panics
    /// Where there is no such URL.
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

/// The answers of one file's policies to many URLs. Crawlers in the same group cost one
/// walk.
pub fn table<U: AsRef<[u8]> + Sync>(panel: &CrawlerPolicies, urls: &[U]) -> Table {
    table_by(urls, panel.len(), |_| Some(panel))
}

/// The answers for many URLs and several crawlers, each URL by the panel that `panel_of`
/// finds for its host; a row of [`Answer::Unknown`] where that is none.
///
/// # Panics
/// Where a panel is not for `columns` crawlers.
pub fn table_by<'p, U, F>(urls: &[U], columns: usize, panel_of: F) -> Table
where
    U: AsRef<[u8]> + Sync,
    F: Fn(&U) -> Option<&'p CrawlerPolicies> + Sync,
{
    let mut answers = vec![Answer::Unknown; urls.len() * columns];
    if columns > 0 {
        let parts = answers.par_chunks_mut(AT_A_TIME * columns).zip(urls.par_chunks(AT_A_TIME));
        parts.for_each(|(rows, urls)| {
            for (rows, urls) in rows.chunks_mut(AHEAD * columns).zip(urls.chunks(AHEAD)) {
                let panels: SmallVec<[_; AHEAD]> = urls.iter().map(&panel_of).collect();
                panels.iter().flatten().for_each(|panel| panel.read_ahead());
                panels.iter().flatten().for_each(|panel| panel.read_engines_ahead());
                for ((row, url), panel) in rows.chunks_mut(columns).zip(urls).zip(&panels) {
                    if let Some(panel) = panel {
                        panel.ask(url.as_ref(), row);
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
        let panel = CrawlerPolicies::new(policies.clone());
        assert_eq!(panel.distinct_count(), 2);
        let table = table(&panel, &urls);
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
