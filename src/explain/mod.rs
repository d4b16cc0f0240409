//! Why a verdict is what it is, as data: group, target, every rule that matches, the winner
//! and the runner-up.
//!
//! Found anew from the file, not from an automaton: which rules match, in which order of
//! precedence. Tests compare it with [`Policy::decide`] and with the naive oracle.

mod profiles;
mod rule;
mod selection;
mod target;

pub use profiles::{Cause, Difference, ProfileComparison, compare_profiles};
pub use rule::{MatchedRule, Piece, PieceKind};
pub use selection::{AgentLine, Choice, NamedBy, Selection, Standing};
pub use target::{Change, ComparedTarget};

use crate::engine::matching;
use crate::policy::Policy;
use crate::policy::decision::{Decision, Reason, Rule};
use crate::policy::robots::Robots;
use crate::profile::Profile;
use crate::read::crawler::Crawler;
use crate::rules::target::{InvalidUrl, Target};
use crate::verdict::Verdict;

/// Why a crawler may fetch a URL, or may not: everything that [`Policy::decide`] knows, and
/// what stood beside it.
///
/// Made by [`Robots::explain`]; borrows the bytes of the file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explanation<'a> {
    /// The profile by which the file was read.
    pub profile: Profile,
    /// Who asks.
    pub crawler: Crawler,
    /// The verdict of [`Policy::decide`].
    pub verdict: Verdict,
    /// Which group was chosen, and which product tokens competed.
    pub selection: Selection<'a>,
    /// What of the URL was compared, and in what form.
    pub target: ComparedTarget,
    /// The rules of the group that match, from highest to lowest precedence; of equal ones
    /// allow first, then in the order of the file. At most [`Explanation::MATCHES_LISTED`].
    pub matches: Vec<MatchedRule<'a>>,
    /// How many rules match, listed or not.
    pub match_count: usize,
    /// The verdict if what decided were not there: the rule that won, or that robots.txt
    /// itself may always be fetched. `None` where neither decided.
    pub verdict_otherwise: Option<Verdict>,
    policy: Policy,
    robots_txt: bool,
    /// The index of the highest rule that matches among those of the policy.
    first: Option<usize>,
}

impl<'a> Explanation<'a> {
    /// So many of the rules that match are listed at most.
    pub const MATCHES_LISTED: usize = 256;

    /// What [`Policy::decide`] says: verdict and reason.
    pub fn decision(&self) -> Decision<'_> {
        let rules = self.policy.rule_set();
        let reason = if self.robots_txt {
            Reason::RobotsTxt
        } else if let Some(first) = self.first {
            Reason::Rule(Rule::of(rules.get(first)))
        } else if self.selection.choice == Choice::None {
            Reason::NoGroup
        } else {
            match self.policy.empty_rule() {
                Some(line) if rules.len() == 0 => Reason::EmptyRule { line },
                _ => Reason::NoMatch,
            }
        };
        Decision { verdict: self.verdict, reason }
    }

    /// The rule that decided, if one did.
    pub fn winner(&self) -> Option<&MatchedRule<'a>> {
        if self.robots_txt { None } else { self.matches.first() }
    }

    /// The rule that would have decided without the winner.
    pub fn runner_up(&self) -> Option<&MatchedRule<'a>> {
        let winner = self.winner()?;
        // One line may hold two patterns: `Profile::index_htm_is_directory`.
        self.matches.iter().find(|rule| rule.line != winner.line)
    }

    /// How many rules with a value the group has.
    pub fn rule_count(&self) -> usize {
        self.policy.rule_count()
    }
}

impl<'a> Robots<'a> {
    /// Why a crawler may fetch a URL, or a path that begins with `/`, or may not.
    ///
    /// Compiles nothing. `O(agent lines + rules)`, and the comparison of the target with all
    /// rules, which is `O(target + pattern bytes)` for files made to be slow. Names of a
    /// crawler behind the 64th are passed over where an earlier one has a group.
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
    /// [`InvalidUrl`] where the URL is none; never in the profile `google`.
    pub fn explain<U: AsRef<[u8]> + ?Sized>(
        &self,
        crawler: &Crawler,
        url: &U,
    ) -> Result<Explanation<'a>, InvalidUrl> {
        let profile = *self.profile();
        let url = url.as_ref();
        let robots_txt =
            profile.robots_txt_allowed && Target::from_url(url, &profile)?.is_robots_txt();
        let target = ComparedTarget::of(url, &profile)?;
        let policy = self.policy_with_rules(crawler);
        let rules = policy.rule_set();
        let matching = matching(rules, &target.bytes);
        let listed = matching.iter().take(Explanation::MATCHES_LISTED);
        let matches: Vec<MatchedRule<'a>> =
            listed.map(|index| MatchedRule::of(rules.get(*index), self, &target.bytes)).collect();
        let allow = Verdict::Allow;
        let by_rules = matches.first().map_or(allow, |rule| rule.verdict);
        let (verdict, verdict_otherwise) = match matches.first() {
            _ if robots_txt => (allow, Some(by_rules)),
            Some(winner) => {
                let other = matches.iter().find(|rule| rule.line != winner.line);
                (by_rules, Some(other.map_or(allow, |rule| rule.verdict)))
            }
            None => (allow, None),
        };
        Ok(Explanation {
            profile,
            crawler: crawler.clone(),
            verdict,
            selection: Selection::of(self, crawler),
            target,
            matches,
            match_count: matching.len(),
            verdict_otherwise,
            first: matching.first().copied(),
            policy,
            robots_txt,
        })
    }
}
