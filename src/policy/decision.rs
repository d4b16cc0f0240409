//! A verdict and the reason for it.

use std::fmt;

use crate::bytes_shown::BytesShown;
use crate::rules::{Pattern, RuleRef};
use crate::verdict::Verdict;

/// A rule of a policy: an `Allow` or `Disallow` line with a value.
///
/// With the feature `serde` it is written with the fields `verdict`, `line`, `value`,
/// `precedence`, `pattern` and `anchored`. `value` and `pattern` are strings if they are UTF-8,
/// else arrays of bytes.
///
/// ```
/// use robotsieve::{Profile, Robots};
///
/// let robots = Robots::parse(b"User-agent: *\nDisallow: /caf\xc3\xa9*", &Profile::RFC9309);
/// let policy = robots.policy(&"bot".into());
/// let rule = format!("{:?}", policy.rules().next().unwrap());
/// assert!(rule.contains(r#"value: "/café*""#), "{rule}");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Rule<'p> {
    /// The verdict on the URLs that it matches.
    pub verdict: Verdict,
    /// Its line in the file, 1-based.
    pub line: u32,
    /// Its value as written, comment and white space around it dropped.
    pub value: &'p [u8],
    /// Of several rules that match, the one with the highest precedence decides; of equal ones
    /// allow. With [`RulePrecedence::Longest`](crate::RulePrecedence::Longest) it is the length
    /// of the normalised pattern in bytes, before stars are dropped.
    pub precedence: u32,
    pattern: Pattern<'p>,
}

/// Its texts as text, not as numbers.
impl fmt::Debug for Rule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rule")
            .field("verdict", &self.verdict)
            .field("line", &self.line)
            .field("value", &BytesShown(self.value))
            .field("precedence", &self.precedence)
            .field("pattern", &self.pattern)
            .finish()
    }
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

    /// The pattern that targets are compared with: normalised, without stars that change nothing
    /// (`/a**b*` is `/a*b`) and without the `$` of an anchored rule.
    pub fn pattern(&self) -> &'p [u8] {
        self.pattern.bytes
    }

    /// Returns true if the target must end where the pattern ends, because the rule ends in `$`.
    pub fn anchored(&self) -> bool {
        self.pattern.anchored
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Rule<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use crate::bytes_as_text::BytesAsText;
        use serde::ser::SerializeStruct;

        let mut rule = serializer.serialize_struct("Rule", 6)?;
        rule.serialize_field("verdict", &self.verdict)?;
        rule.serialize_field("line", &self.line)?;
        rule.serialize_field("value", &BytesAsText(self.value))?;
        rule.serialize_field("precedence", &self.precedence)?;
        rule.serialize_field("pattern", &BytesAsText(self.pattern()))?;
        rule.serialize_field("anchored", &self.anchored())?;
        rule.end()
    }
}

/// The reason for a verdict.
///
/// With the feature `serde` a reason is written in kebab case: `"no-match"`,
/// `{"empty-rule": {"line": 2}}`, `{"rule": {…}}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Reason<'p> {
    /// This rule matches, and none of higher precedence does.
    Rule(Rule<'p>),
    /// Allowed: no group of the file is for this crawler.
    NoGroup,
    /// Allowed: no rule of the crawler's groups matches, or they have none.
    NoMatch,
    /// Allowed: the crawler's groups have only rules with an empty value, which restrict nothing.
    EmptyRule {
        /// The line of the first one, 1-based.
        line: u32,
    },
    /// Allowed: robots.txt itself may always be fetched
    /// ([`Profile::robots_txt_allowed`](crate::Profile::robots_txt_allowed)).
    RobotsTxt,
    /// Disallowed: the site asks the crawler to wait longer between two requests than it is ready to
    /// ([`Config::skip_above`](crate::Config::skip_above)), so it leaves the site alone.
    LeftAlone,
    /// Unknown: the policy did not keep its rules
    /// ([`Config::keep_rules`](crate::Config::keep_rules)).
    RulesNotKept,
}

impl Reason<'_> {
    /// The name of the variant in lower case with hyphens, such as `no-match`: the key of the
    /// serialised form.
    pub fn as_str(&self) -> &'static str {
        match self {
            Reason::Rule(_) => "rule",
            Reason::NoGroup => "no-group",
            Reason::NoMatch => "no-match",
            Reason::EmptyRule { .. } => "empty-rule",
            Reason::RobotsTxt => "robots-txt",
            Reason::LeftAlone => "left-alone",
            Reason::RulesNotKept => "rules-not-kept",
        }
    }
}

/// A verdict with the reason for it. Made by [`Policy::decide`](crate::Policy::decide).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
#[non_exhaustive]
pub struct Decision<'p> {
    /// The verdict of [`Policy::verdict`](crate::Policy::verdict).
    pub verdict: Verdict,
    /// The reason for it.
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
