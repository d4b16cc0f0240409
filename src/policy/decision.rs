//! A verdict and why.

use crate::rules::RuleRef;
use crate::verdict::Verdict;

/// A rule of a policy.
#[derive(Clone, Copy, Debug)]
pub struct Rule<'p> {
    /// What it says.
    pub verdict: Verdict,
    /// Its line in the file, 1-based.
    pub line: u32,
    /// Its value as written.
    pub value: &'p [u8],
    /// What decides between matching rules: the higher one wins, of equal ones allow. With
    /// [`RulePrecedence::Longest`](crate::RulePrecedence::Longest) the bytes of the
    /// normalised pattern.
    pub precedence: u32,
    pattern: crate::rules::Pattern<'p>,
}

impl<'p> Rule<'p> {
    pub(crate) fn of(rule: RuleRef<'p>) -> Rule<'p> {
        Rule {
            verdict: rule.verdict,
            line: rule.line,
            value: rule.value,
            precedence: rule.precedence,
            pattern: rule.pattern,
        }
    }

    /// What is compared with the target: normalised, in the shortest form that matches the
    /// same targets (`/a**b*` is `/a*b`), a `$` at the end cut off.
    pub fn pattern(&self) -> &'p [u8] {
        self.pattern.bytes
    }

    /// Whether the target must end where the pattern does: the rule ends in `$`.
    pub fn is_anchored(&self) -> bool {
        self.pattern.anchored
    }
}

/// Why a verdict is what it is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Reason<'p> {
    /// This rule matches, and none of higher precedence does.
    Rule(Rule<'p>),
    /// No group of the file is for this crawler.
    NoGroup,
    /// The group has rules, but none matches.
    NoMatch,
    /// The group has nothing but rules with an empty value, which restrict nothing.
    EmptyRule {
        /// The line of the first one.
        line: u32,
    },
    /// robots.txt itself may always be fetched
    /// ([`Profile::robots_txt_allowed`](crate::Profile::robots_txt_allowed)).
    RobotsTxt,
    /// The policy was built without its rules
    /// ([`Config::keep_rules`](crate::Config::keep_rules)) and cannot say.
    RulesNotKept,
}

/// A verdict with its reason.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Decision<'p> {
    /// What [`Policy::verdict`](crate::Policy::verdict) says.
    pub verdict: Verdict,
    /// Why.
    pub reason: Reason<'p>,
}

impl<'p> Decision<'p> {
    /// The rule that decided, if one did.
    pub fn rule(&self) -> Option<Rule<'p>> {
        match self.reason {
            Reason::Rule(rule) => Some(rule),
            _ => None,
        }
    }
}
