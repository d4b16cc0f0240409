//! The answer to a question alone, without an explanation: to compare many readings of one file.

use crate::engine::matching;
use crate::policy::robots::Robots;
use crate::profile::Profile;
use crate::read::crawler::Crawler;
use crate::rules::target::Target;
use crate::verdict::Verdict;

/// The verdict (`None` for an invalid URL), and the line that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) verdict: Option<Verdict>,
    pub(super) line: Option<u32>,
}

/// A crawler and a URL, to be put to a file as different profiles read it.
pub(super) struct Question<'q> {
    pub(super) file: &'q [u8],
    pub(super) crawler: &'q Crawler,
    pub(super) url: &'q [u8],
}

impl Question<'_> {
    /// The answer alone, without an explanation.
    pub(super) fn answer(&self, profile: &Profile) -> Answer {
        let Ok(target) = Target::from_url(self.url, profile) else {
            return Answer { verdict: None, line: None };
        };
        if profile.robots_txt_allowed && target.is_robots_txt() {
            return Answer { verdict: Some(Verdict::Allow), line: None };
        }
        let policy = Robots::parse(self.file, profile).policy(self.crawler);
        let rules = policy.rule_set();
        let first = matching(rules, &target.to_buffer()).first().map(|first| rules.get(*first));
        let verdict = first.map_or(Verdict::Allow, |rule| rule.verdict);
        Answer { verdict: Some(verdict), line: first.map(|rule| rule.line) }
    }
}
