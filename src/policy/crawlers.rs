//! Several crawlers at once.

use smallvec::SmallVec;

use crate::policy::Policy;
use crate::rules::target::InvalidUrl;
use crate::verdict::Verdict;

/// What is known of a URL for one crawler: one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The crawler may fetch it.
    Allow,
    /// The crawler may not fetch it.
    Disallow,
    /// It is no URL.
    Invalid,
    /// There is no policy for its host.
    Unknown,
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

/// The policies of several crawlers for the same file, asked together: the target of a URL
/// is found once, and crawlers that share a policy, or whose policies have the same patterns
/// and verdicts, cost one walk.
///
/// ```
/// use robotsieve::{Answer, Crawler, CrawlerPolicies, Profile, Robots};
///
/// let file = b"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nUser-agent: *\nAllow: /";
/// let robots = Robots::parse(file, &Profile::RFC9309);
/// let panel = CrawlerPolicies::new(["CCBot", "Googlebot", "GPTBot"].map(|n| robots.policy(&n.into())));
/// assert_eq!(panel.distinct_count(), 2);
/// let mut answers = [Answer::Unknown; 3];
/// panel.ask("https://e.com/x", &mut answers);
/// assert_eq!(answers, [Answer::Disallow, Answer::Allow, Answer::Disallow]);
/// ```
#[derive(Clone, Debug)]
pub struct CrawlerPolicies {
    policies: SmallVec<[Policy; 2]>,
    /// Of these the ones that are asked: no two have the same rules.
    asked: SmallVec<[u32; 2]>,
    crawlers: SmallVec<[Column; 4]>,
}

#[derive(Clone, Copy, Debug)]
struct Column {
    /// The crawler's own policy.
    policy: u32,
    /// Which of the policies that are asked answers for it.
    asked: u32,
}

impl CrawlerPolicies {
    /// Of one policy for each crawler, all from the same [`Robots`](crate::Robots), or at
    /// least of the same profile.
    pub fn new(policies: impl IntoIterator<Item = Policy>) -> CrawlerPolicies {
        let mut panel = CrawlerPolicies {
            policies: SmallVec::new(),
            asked: SmallVec::new(),
            crawlers: SmallVec::new(),
        };
        for policy in policies {
            let known = panel.crawlers.iter().copied();
            let same = |column: &Column| panel.policies[column.policy as usize].is_same(&policy);
            let column = known.clone().find(same).unwrap_or_else(|| {
                let asked = &panel.asked;
                let alike = |at: &u32| panel.policies[*at as usize].decides_like(&policy);
                let asked = asked.iter().position(alike).unwrap_or(asked.len()) as u32;
                Column { policy: panel.policies.len() as u32, asked }
            });
            if column.policy as usize == panel.policies.len() {
                if column.asked as usize == panel.asked.len() {
                    panel.asked.push(column.policy);
                }
                panel.policies.push(policy);
            }
            panel.crawlers.push(column);
        }
        panel
    }

    /// How many crawlers it is for.
    pub fn len(&self) -> usize {
        self.crawlers.len()
    }

    /// Whether it is for no crawler at all.
    pub fn is_empty(&self) -> bool {
        self.crawlers.is_empty()
    }

    /// How many walks a URL costs: one for each policy that differs from the others in its
    /// rules.
    pub fn distinct_count(&self) -> usize {
        self.asked.len()
    }

    /// The policy of a crawler, by its place in the order given.
    ///
    /// # Panics
    /// Where there is no such crawler.
    pub fn policy(&self, crawler: usize) -> &Policy {
        &self.policies[self.crawlers[crawler].policy as usize]
    }

    /// The bytes that its policies occupy, each once, and those of its lists that are not
    /// within itself.
    pub fn memory_usage(&self) -> usize {
        let policies = self.policies.iter().map(|policy| policy.memory_usage().total_bytes());
        let mut bytes = policies.sum();
        if self.policies.spilled() {
            bytes += self.policies.capacity() * size_of::<Policy>();
        }
        if self.asked.spilled() {
            bytes += self.asked.capacity() * size_of::<u32>();
        }
        if self.crawlers.spilled() {
            bytes += self.crawlers.capacity() * size_of::<Column>();
        }
        bytes
    }

    /// The policies that a question asks.
    fn asked(&self) -> impl Iterator<Item = &Policy> {
        self.asked.iter().map(|at| &self.policies[*at as usize])
    }

    /// Asks for the memory of the first policies that a question will ask: while they are
    /// asked, the processor sees the others coming.
    #[cfg(feature = "rayon")]
    #[inline]
    pub(crate) fn read_ahead(&self) {
        self.asked().take(Self::AHEAD).for_each(Policy::read_ahead);
    }

    /// Asks for the memory in which their walks begin.
    #[cfg(feature = "rayon")]
    #[inline]
    pub(crate) fn read_engines_ahead(&self) {
        self.asked().take(Self::AHEAD).for_each(Policy::read_engine_ahead);
    }

    #[cfg(feature = "rayon")]
    const AHEAD: usize = 4;

    /// Answers for a URL, or for a path that begins with `/`: one for each crawler, in the
    /// order given. Allocates nothing for up to 16 different policies.
    ///
    /// # Panics
    /// Where `answers` has not one place for each crawler.
    pub fn ask<U: AsRef<[u8]> + ?Sized>(&self, url: &U, answers: &mut [Answer]) {
        assert_eq!(answers.len(), self.len(), "one answer for each crawler");
        let mut asked = self.asked();
        let Some(first) = asked.next() else { return };
        let Ok(target) = first.target(url) else { return answers.fill(Answer::Invalid) };
        let mut verdicts: SmallVec<[Answer; 16]> = SmallVec::new();
        verdicts.push(first.verdict(&target).into());
        verdicts.extend(asked.map(|policy| Answer::from(policy.verdict(&target))));
        // Most URLs are the same to all: one fill.
        if verdicts.iter().all(|verdict| *verdict == verdicts[0]) {
            return answers.fill(verdicts[0]);
        }
        for (answer, column) in answers.iter_mut().zip(&self.crawlers) {
            *answer = verdicts[column.asked as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Profile, Robots};

    const FILE: &[u8] = b"User-agent: a\nDisallow: /x*\n\nUser-agent: b\nDisallow: /x\n\n\
        User-agent: c\nDisallow: /xy\n\nUser-agent: d\nAllow: /x\n\nUser-agent: e\n";

    fn panel(config: &Config) -> CrawlerPolicies {
        let robots = Robots::parse_with(FILE, &Profile::RFC9309, config);
        CrawlerPolicies::new(
            ["a", "b", "c", "d", "e", "nobody", "a"].map(|name| robots.policy(&name.into())),
        )
    }

    #[test]
    fn equal_rules_are_asked_once() {
        let panel = panel(&Config::default());
        // `/x*` is `/x`; nobody's group has no rules as that of `e`.
        assert_eq!(panel.distinct_count(), 4);
        let mut answers = [Answer::Unknown; 7];
        for (path, wanted) in [("/x", "dda aaad"), ("/xy", "ddd aaad"), ("/", "aaa aaaa")] {
            panel.ask(path, &mut answers);
            let wanted = wanted.bytes().filter(|o| *o != b' ');
            for (crawler, wanted) in wanted.enumerate() {
                let answer = if wanted == b'a' { Answer::Allow } else { Answer::Disallow };
                assert_eq!(answers[crawler], answer, "{path} {crawler}");
                let own = panel.policy(crawler).is_allowed(path);
                assert_eq!(own, Ok(wanted == b'a'), "{path} {crawler}");
            }
        }
        // Each keeps its own policy, with its own lines.
        let lines = |crawler| panel.policy(crawler).group().next().map(|(line, _)| line);
        assert_eq!([0, 1, 4, 5, 6].map(lines), [Some(1), Some(4), Some(13), None, Some(1)]);
    }

    #[test]
    fn without_rules_nothing_is_known_to_be_equal() {
        let config = Config { keep_rules: false, ..Config::default() };
        // Only the two that never had rules are alike.
        assert_eq!(panel(&config).distinct_count(), 5);
    }
}
