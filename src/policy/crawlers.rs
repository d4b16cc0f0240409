//! The policies of several crawlers for one file.

use smallvec::SmallVec;

use crate::as_url::AsUrl;
use crate::policy::Policy;
use crate::policy::answers::{Answer, Answers};
use crate::policy::robots::Robots;
use crate::policy::sitemaps::Sitemaps;
use crate::read::crawler::Crawler;
use crate::read::fields::Pace;

/// The policies of several crawlers for the same file, asked together.
///
/// A URL's target is found once. Crawlers that share a policy, or whose policies have the same
/// patterns and verdicts, cost one walk together. For one crawler a [`Policy`] is simpler; for
/// many files there is [`PolicySet`](crate::PolicySet).
///
/// ```
/// use robotsieve::{Answer, CrawlerPolicies, Profile, Robots};
///
/// let file = b"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nUser-agent: *\nAllow: /";
/// let robots = Robots::parse(file, &Profile::RFC9309);
/// let crawlers = ["CCBot", "Googlebot", "GPTBot"];
/// let policies = CrawlerPolicies::new(crawlers.map(|name| robots.policy(&name.into())));
/// // Two of the three obey the same group.
/// assert_eq!(policies.distinct_count(), 2);
/// let answers = policies.ask("https://e.com/x");
/// assert_eq!(*answers, [Answer::Disallow, Answer::Allow, Answer::Disallow]);
/// ```
#[derive(Clone, Debug)]
pub struct CrawlerPolicies {
    policies: SmallVec<[Policy; 2]>,
    /// The policies that are asked, by their places: no two have the same rules.
    asked: SmallVec<[u32; 2]>,
    crawlers: SmallVec<[Column; 4]>,
    sitemaps: Sitemaps,
}

#[derive(Clone, Copy, Debug)]
struct Column {
    /// The crawler's own policy.
    policy: u32,
    /// The place in `asked` of the policy that answers for it.
    asked: u32,
}

impl CrawlerPolicies {
    /// The policies of these crawlers for a file, with the file's sitemaps if
    /// [`Config::keep_sitemaps`](crate::Config::keep_sitemaps) is set.
    ///
    /// ```
    /// use robotsieve::{Config, Crawler, CrawlerPolicies, Profile, Robots};
    ///
    /// let file = b"User-agent: *\nCrawl-delay: 10\nSitemap: https://e.com/s.xml";
    /// let mut config = Config::default();
    /// config.keep_sitemaps = true;
    /// let robots = Robots::parse_with(file, &Profile::RFC9309, &config);
    /// let policies = CrawlerPolicies::of(&robots, &[Crawler::name("bot")]);
    /// assert_eq!(policies.pace(0).min_interval().unwrap().as_secs(), 10);
    /// assert_eq!(policies.sitemaps().next(), Some(&b"https://e.com/s.xml"[..]));
    /// ```
    #[must_use]
    pub fn of<'c>(
        robots: &Robots<'_>,
        crawlers: impl IntoIterator<Item = &'c Crawler>,
    ) -> CrawlerPolicies {
        let policies = crawlers.into_iter().map(|crawler| robots.policy(crawler));
        CrawlerPolicies { sitemaps: Sitemaps::kept(robots), ..CrawlerPolicies::new(policies) }
    }

    /// Takes one policy for each crawler, all from the same [`Robots`](crate::Robots) or at least
    /// of the same profile.
    ///
    /// # Panics
    /// Panics if the policies' profiles find or normalise targets differently.
    #[must_use]
    pub fn new(policies: impl IntoIterator<Item = Policy>) -> CrawlerPolicies {
        let mut all = CrawlerPolicies {
            policies: SmallVec::new(),
            asked: SmallVec::new(),
            crawlers: SmallVec::new(),
            sitemaps: Sitemaps::default(),
        };
        for policy in policies {
            if let Some(first) = all.policies.first() {
                assert!(
                    first.reads_like(&policy),
                    "the policies come from profiles that normalise URLs differently"
                );
            }
            let same = |column: &&Column| all.policies[column.policy as usize].is_same(&policy);
            let column = all.crawlers.iter().find(same).copied().unwrap_or_else(|| {
                let alike = |at: &u32| all.policies[*at as usize].decides_like(&policy);
                let asked = all.asked.iter().position(alike).unwrap_or(all.asked.len()) as u32;
                Column { policy: all.policies.len() as u32, asked }
            });
            if column.policy as usize == all.policies.len() {
                if column.asked as usize == all.asked.len() {
                    all.asked.push(column.policy);
                }
                all.policies.push(policy);
            }
            all.crawlers.push(column);
        }
        all
    }

    /// The number of crawlers there are.
    pub fn len(&self) -> usize {
        self.crawlers.len()
    }

    /// Returns true if there is no crawler.
    pub fn is_empty(&self) -> bool {
        self.crawlers.is_empty()
    }

    /// The number of walks that a URL costs: one for each policy whose rules differ from all others'.
    pub fn distinct_count(&self) -> usize {
        self.asked.len()
    }

    /// The policy of a crawler, by its place in the order given to [`CrawlerPolicies::new`].
    ///
    /// # Panics
    /// Panics if `crawler` is not less than [`CrawlerPolicies::len`].
    pub fn policy(&self, crawler: usize) -> &Policy {
        &self.policies[self.crawlers[crawler].policy as usize]
    }

    /// The pace that the site asks of a crawler, by the crawler's place in the order given to
    /// [`CrawlerPolicies::new`].
    ///
    /// # Panics
    /// Panics if `crawler` is not less than [`CrawlerPolicies::len`].
    pub fn pace(&self, crawler: usize) -> Pace {
        self.policy(crawler).pace()
    }

    /// The values of the file's `Sitemap` records, as written and in its order. None if they were
    /// not kept ([`CrawlerPolicies::of`]).
    pub fn sitemaps(&self) -> impl Iterator<Item = &[u8]> {
        self.sitemaps.iter()
    }

    /// The bytes that the policies occupy, shared ones counted once, with the lists that are
    /// allocated apart from `self` and the sitemaps.
    pub fn memory_usage(&self) -> usize {
        let policies = self.policies.iter().map(|policy| policy.memory_usage().total_bytes());
        let mut bytes: usize = policies.sum();
        if self.policies.spilled() {
            bytes += self.policies.capacity() * size_of::<Policy>();
        }
        if self.asked.spilled() {
            bytes += self.asked.capacity() * size_of::<u32>();
        }
        if self.crawlers.spilled() {
            bytes += self.crawlers.capacity() * size_of::<Column>();
        }
        bytes + self.sitemaps.memory_usage()
    }

    /// The policies that a question asks.
    fn asked(&self) -> impl Iterator<Item = &Policy> {
        self.asked.iter().map(|at| &self.policies[*at as usize])
    }

    /// The answers for a URL, or for a path that begins with `/`: one for each crawler, in the order
    /// given to [`CrawlerPolicies::new`]. For an invalid URL all are [`Answer::Invalid`]. Allocates
    /// nothing for up to 16 crawlers.
    #[must_use]
    pub fn ask<U: AsUrl + ?Sized>(&self, url: &U) -> Answers {
        let mut answers = Answers::unknown(1, self.len());
        self.ask_into(url, &mut answers);
        answers
    }

    /// The same, written into a place that is there already. Allocates nothing for up to 16 different
    /// policies.
    ///
    /// # Panics
    /// Panics if the length of `answers` is not the number of crawlers.
    pub fn ask_into<U: AsUrl + ?Sized>(&self, url: &U, answers: &mut [Answer]) {
        assert_eq!(answers.len(), self.len(), "one answer for each crawler");
        let mut asked = self.asked();
        let Some(first) = asked.next() else { return };
        let Ok(target) = first.target(url) else { return answers.fill(Answer::Invalid) };
        let mut verdicts: SmallVec<[Answer; 16]> = SmallVec::new();
        verdicts.push(first.own_verdict(&target).into());
        verdicts.extend(asked.map(|policy| Answer::from(policy.own_verdict(&target))));
        // All crawlers get the same answer for most URLs: one fill.
        if verdicts.iter().all(|verdict| *verdict == verdicts[0]) {
            return answers.fill(verdicts[0]);
        }
        for (answer, column) in answers.iter_mut().zip(&self.crawlers) {
            *answer = verdicts[column.asked as usize];
        }
    }
}

/// [`CrawlerPolicies::new`].
impl FromIterator<Policy> for CrawlerPolicies {
    fn from_iter<I: IntoIterator<Item = Policy>>(policies: I) -> CrawlerPolicies {
        CrawlerPolicies::new(policies)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Profile, Robots};

    const FILE: &[u8] = b"User-agent: a\nDisallow: /x*\n\nUser-agent: b\nDisallow: /x\n\n\
        User-agent: c\nDisallow: /xy\n\nUser-agent: d\nAllow: /x\n\nUser-agent: e\n";

    fn policies(config: &Config) -> CrawlerPolicies {
        let robots = Robots::parse_with(FILE, &Profile::RFC9309, config);
        CrawlerPolicies::new(
            ["a", "b", "c", "d", "e", "nobody", "a"].map(|name| robots.policy(&name.into())),
        )
    }

    #[test]
    fn equal_rules_are_asked_once() {
        let policies = policies(&Config::default());
        // `/x*` is `/x`; the crawler `nobody` has no rules, like `e`.
        assert_eq!(policies.distinct_count(), 4);
        let mut answers = [Answer::Unknown; 7];
        for (path, wanted) in [("/x", "dda aaad"), ("/xy", "ddd aaad"), ("/", "aaa aaaa")] {
            policies.ask_into(path, &mut answers);
            assert_eq!(*policies.ask(path), answers, "{path}");
            let wanted = wanted.bytes().filter(|o| *o != b' ');
            for (crawler, wanted) in wanted.enumerate() {
                let answer = if wanted == b'a' { Answer::Allow } else { Answer::Disallow };
                assert_eq!(answers[crawler], answer, "{path} {crawler}");
                let own = policies.policy(crawler).is_allowed(path);
                assert_eq!(own, Ok(wanted == b'a'), "{path} {crawler}");
            }
        }
        // Each keeps its own policy, with its own lines.
        let lines = |crawler| policies.policy(crawler).group().next().map(|(line, _)| line);
        assert_eq!([0, 1, 4, 5, 6].map(lines), [Some(1), Some(4), Some(13), None, Some(1)]);
    }

    #[test]
    fn without_rules_nothing_is_known_to_be_equal() {
        let config = Config { keep_rules: false, ..Config::default() };
        // Only the two that never had rules are known to be alike.
        assert_eq!(policies(&config).distinct_count(), 5);
    }

    /// A target is found once for all policies, so they must agree on what it is.
    #[test]
    #[should_panic = "normalise URLs differently"]
    fn profiles_must_agree() {
        let policy = |profile| Robots::parse(FILE, profile).policy(&"a".into());
        let _ = CrawlerPolicies::new([&Profile::RFC9309, &Profile::GOOGLE].map(policy));
    }
}
