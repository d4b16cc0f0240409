//! The explanation of one verdict.

use crate::as_url::AsUrl;
use crate::engine::matching;
use crate::policy::Policy;
use crate::policy::decision::{Decision, Reason};
use crate::policy::robots::Robots;
use crate::profile::Profile;
use crate::read::crawler::Crawler;
use crate::rules::target::{InvalidUrl, Target};
use crate::verdict::Verdict;

use super::answer::Answer;
use super::cut::FileCut;
use super::rule::MatchedRule;
use super::selection::Selection;
use super::target::ComparedTarget;

/// Why a crawler may or may not fetch a URL: the verdict, and what led to it.
///
/// Returned by [`Robots::explain`]. It borrows the bytes of the file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explanation<'a> {
    /// The profile the file was read with.
    pub profile: Profile,
    /// The crawler in question.
    pub crawler: Crawler,
    /// The verdict, the same as that of [`Policy::decide`].
    pub verdict: Verdict,
    /// The group that applies, and the user-agent lines that competed for the crawler.
    pub selection: Selection<'a>,
    /// The part of the URL that is compared with the rules, normalised.
    pub target: ComparedTarget,
    /// The rules of the group that match, from highest to lowest precedence. Among equals, allow
    /// rules come first, then the order of the file counts. Holds at most
    /// [`Explanation::MAX_MATCHES`] rules.
    pub matches: Vec<MatchedRule<'a>>,
    /// The number of patterns that match, including any beyond [`Explanation::MAX_MATCHES`]. A rule has one
    /// pattern, or two by [`Profile::index_htm_is_directory`].
    pub match_count: usize,
    /// The verdict of the group's other rules alone: of those on other lines than the winner, or of all if
    /// something else than a rule decided: the exception for robots.txt itself, or
    /// [`Config::skip_above`](crate::Config::skip_above). `None` if none decided.
    pub verdict_otherwise: Option<Verdict>,
    /// Where the profile's [size limit](Profile::size_limit) cut the file, and whether what comes
    /// after would give another answer. `None` if all of the file was read.
    pub cut: Option<FileCut>,
    pub(super) policy: Policy,
    /// True if the URL is that of robots.txt, and the profile always allows that.
    robots_txt: bool,
    /// True if the crawler leaves the site alone, whatever its rules say.
    left_alone: bool,
    /// The index of the winner among the rules of the policy.
    first: Option<usize>,
}

impl<'a> Explanation<'a> {
    /// The most matching rules that [`Explanation::matches`] lists.
    pub const MAX_MATCHES: usize = 256;

    /// The verdict with its reason, the same as that of [`Policy::decide`].
    pub fn decision(&self) -> Decision<'_> {
        let deciding = || self.first.map(|first| self.policy.rule_set().get(first));
        let reason = match self.left_alone {
            true if !self.robots_txt => Reason::LeftAlone,
            _ => self.policy.reason(self.robots_txt, deciding),
        };
        Decision { verdict: self.verdict, reason }
    }

    /// The rule that decided, if one did.
    pub fn winner(&self) -> Option<&MatchedRule<'a>> {
        if self.robots_txt || self.left_alone { None } else { self.matches.first() }
    }

    /// The rule that would have decided without the winner's line.
    pub fn runner_up(&self) -> Option<&MatchedRule<'a>> {
        let winner = self.winner()?;
        // One line can make two patterns: `Profile::index_htm_is_directory`.
        self.matches.iter().find(|rule| rule.line != winner.line)
    }

    /// The number of rules in the crawler's groups, not counting those with an empty value.
    pub fn rule_count(&self) -> usize {
        // One rule can have two patterns.
        let mut lines: Vec<u32> = self.policy.rules().map(|rule| rule.line).collect();
        lines.sort_unstable();
        lines.dedup();
        lines.len()
    }
}

impl<'a> Robots<'a> {
    /// Explains the verdict on a URL, or on a path that begins with `/`.
    ///
    /// Compiles nothing. Takes `O(agent lines + rules)`, plus the comparison of the target with
    /// every rule, which is `O(target + pattern bytes)` even for files made to be slow. If the
    /// profile's size limit cuts the file, all of it is parsed once more. Once a name of the
    /// crawler has a group, names after the 64th are no longer looked up.
    ///
    /// ```
    /// use robotsieve::{Crawler, Profile, Robots, Verdict};
    ///
    /// let file = b"User-agent: *\nDisallow: /a\nAllow: /*.html$\n";
    /// let robots = Robots::parse(file, &Profile::RFC9309);
    /// let why = robots.explain(&Crawler::name("bot"), "https://e.com/%61.html")?;
    /// assert_eq!(why.verdict, Verdict::Allow);
    /// assert_eq!(why.target.bytes, b"/a.html");
    /// assert_eq!(why.winner().unwrap().line, 3);
    /// assert_eq!(why.runner_up().unwrap().line, 2);
    /// assert_eq!(why.verdict_otherwise, Some(Verdict::Disallow));
    /// # Ok::<(), robotsieve::InvalidUrl>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the URL is invalid; never in the profile `google`.
    pub fn explain<U: AsUrl + ?Sized>(
        &self,
        crawler: &Crawler,
        url: &U,
    ) -> Result<Explanation<'a>, InvalidUrl> {
        let profile = *self.profile();
        let url = url.as_url();
        let robots_txt =
            profile.robots_txt_allowed && Target::from_url(url, &profile)?.is_robots_txt();
        let target = ComparedTarget::of(url, &profile)?;
        let left_alone = self.pace(crawler).left_alone;
        let policy = if left_alone {
            self.policy_as_written(crawler)
        } else {
            self.policy_with_rules(crawler)
        };
        let rules = policy.rule_set();
        let matching = matching(rules, &target.bytes);
        let listed = matching.iter().take(Explanation::MAX_MATCHES);
        let matches: Vec<MatchedRule<'a>> =
            listed.map(|index| MatchedRule::of(rules.get(*index), self, &target.bytes)).collect();
        let allow = Verdict::Allow;
        let by_rules = matches.first().map_or(allow, |rule| rule.verdict);
        let (verdict, verdict_otherwise) = match matches.first() {
            _ if robots_txt => (allow, Some(by_rules)),
            _ if left_alone => (Verdict::Disallow, Some(by_rules)),
            Some(winner) => {
                let other = matches.iter().find(|rule| rule.line != winner.line);
                (by_rules, Some(other.map_or(allow, |rule| rule.verdict)))
            }
            None => (allow, None),
        };
        let by_file = match matches.first() {
            _ if robots_txt => Answer { verdict: Some(allow), line: None },
            first => Answer { verdict: Some(by_rules), line: first.map(|rule| rule.line) },
        };
        let cut = FileCut::of(self, &by_file, crawler, url);
        Ok(Explanation {
            profile,
            crawler: crawler.clone(),
            verdict,
            selection: Selection::of(self, crawler),
            target,
            matches,
            match_count: matching.len(),
            verdict_otherwise,
            cut,
            first: matching.first().copied(),
            policy,
            robots_txt,
            left_alone,
        })
    }
}
