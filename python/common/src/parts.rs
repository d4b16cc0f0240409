//! Decisions, rules and rates as the arguments that Python makes them from.

use robotsieve::Rule;
use robotsieve::records;

use crate::reasoned::{REASONS, Reasoned};
use crate::text::Text;

/// The verdict, the line, the value as written, the precedence, the pattern, and whether it is anchored.
pub type RuleParts = (&'static str, u32, Text, u32, Text, bool);

/// The verdict, the reason, and the line of the rule or of the empty one. The rule comes apart.
pub type DecisionParts = (&'static str, &'static str, Option<u32>);

/// The number of requests, the seconds, and from and to in minutes after midnight UTC.
pub type RateParts = (u32, f64, Option<(u16, u16)>);

pub fn of_rule(rule: Rule<'_>) -> RuleParts {
    let (value, pattern) = (rule.value.into(), rule.pattern().into());
    (rule.verdict.as_str(), rule.line, value, rule.precedence, pattern, rule.anchored())
}

pub fn of_decision(decision: &Reasoned<'_>) -> DecisionParts {
    (decision.verdict.as_str(), REASONS[usize::from(decision.reason)], decision.line)
}

pub fn of_rate(rate: &records::RequestRate) -> RateParts {
    let window = rate.window.map(|window| (window.from_minute, window.to_minute));
    (rate.requests, rate.period.as_secs_f64(), window)
}
