//! Several crawlers at once.

use smallvec::SmallVec;

use crate::decision::Verdict;
use crate::policy::Policy;
use crate::target::InvalidUrl;

/// What is known of a URL for one crawler: one octet.
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
/// is found once, and crawlers that share a policy cost one walk.
///
/// ```
/// use robotsieve::{Answer, Crawler, Panel, Profile, Robots};
///
/// let file = b"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nUser-agent: *\nAllow: /";
/// let robots = Robots::parse(file, &Profile::RFC9309);
/// let panel = Panel::new(["CCBot", "Googlebot", "GPTBot"].map(|n| robots.policy(&n.into())));
/// assert_eq!(panel.distinct_count(), 2);
/// let mut answers = [Answer::Unknown; 3];
/// panel.ask("https://e.com/x", &mut answers);
/// assert_eq!(answers, [Answer::Disallow, Answer::Allow, Answer::Disallow]);
/// ```
#[derive(Clone, Debug)]
pub struct Panel {
    distinct: SmallVec<[Policy; 2]>,
    /// By crawler: its policy in `distinct`.
    columns: SmallVec<[u32; 4]>,
}

impl Panel {
    /// Of one policy for each crawler, all from the same [`Robots`](crate::Robots), or at
    /// least of the same profile.
    pub fn new(policies: impl IntoIterator<Item = Policy>) -> Panel {
        let mut panel = Panel { distinct: SmallVec::new(), columns: SmallVec::new() };
        for policy in policies {
            let known = panel.distinct.iter().position(|p| p.is_same(&policy));
            let column = known.unwrap_or_else(|| {
                panel.distinct.push(policy);
                panel.distinct.len() - 1
            });
            panel.columns.push(column as u32);
        }
        panel
    }

    /// How many crawlers it is for.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether it is for no crawler at all.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// How many different policies they have.
    pub fn distinct_count(&self) -> usize {
        self.distinct.len()
    }

    /// The policy of a crawler, by its place in the order given.
    ///
    /// # Panics
    /// Where there is no such crawler.
    pub fn policy(&self, crawler: usize) -> &Policy {
        &self.distinct[self.columns[crawler] as usize]
    }

    /// Answers for a URL, or for a path that begins with `/`: one for each crawler, in the
    /// order given. Allocates nothing for up to 16 different policies.
    ///
    /// # Panics
    /// Where `answers` has not one place for each crawler.
    pub fn ask<U: AsRef<[u8]> + ?Sized>(&self, url: &U, answers: &mut [Answer]) {
        assert_eq!(answers.len(), self.len(), "one answer for each crawler");
        let Some(first) = self.distinct.first() else { return };
        let Ok(target) = first.target(url) else { return answers.fill(Answer::Invalid) };
        if let [policy] = &self.distinct[..] {
            return answers.fill(policy.verdict(&target).into());
        }
        let distinct: SmallVec<[Verdict; 16]> =
            self.distinct.iter().map(|policy| policy.verdict(&target)).collect();
        for (answer, column) in answers.iter_mut().zip(&self.columns) {
            *answer = distinct[*column as usize].into();
        }
    }
}
