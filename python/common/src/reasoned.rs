//! The reason for a verdict, of rules or of what is known of a site.

use robotsieve::{Answer, Decision, Reason, Rule, SiteKind, Verdict};

/// The reasons there are.
pub const REASONS: [&str; 9] = [
    "rule",
    "no-group",
    "no-match",
    "empty-rule",
    "robots-txt",
    "allow-all",
    "disallow-all",
    "left-alone",
    "rules-not-kept",
];

/// The place of a reason in [`REASONS`], in a constant.
const fn reason_at(name: &str) -> u8 {
    let mut place = 0;
    while place < REASONS.len() {
        let (known, name) = (REASONS[place].as_bytes(), name.as_bytes());
        let mut same = 0;
        while same < known.len() && same < name.len() && known[same] == name[same] {
            same += 1;
        }
        if same == known.len() && same == name.len() {
            return place as u8;
        }
        place += 1;
    }
    panic!("no reason");
}

/// The reason for a verdict: what the rules say, unless what is known of the site is not a file.
pub struct Reasoned<'d> {
    pub verdict: Verdict,
    /// A place in [`REASONS`].
    pub reason: u8,
    /// The line of the rule that decided, or of the empty one.
    pub line: Option<u32>,
    pub rule: Option<Rule<'d>>,
}

impl<'d> Reasoned<'d> {
    pub fn of(decision: Decision<'d>, kind: SiteKind) -> Reasoned<'d> {
        let (reason, line, rule) = match (decision.reason, of_kind(kind, decision.verdict)) {
            (_, Some(reason)) => (reason, None, None),
            (Reason::RobotsTxt, _) => (const { reason_at("robots-txt") }, None, None),
            (Reason::Rule(rule), _) => (const { reason_at("rule") }, Some(rule.line), Some(rule)),
            (Reason::NoGroup, _) => (const { reason_at("no-group") }, None, None),
            (Reason::NoMatch, _) => (const { reason_at("no-match") }, None, None),
            (Reason::EmptyRule { line }, _) => {
                (const { reason_at("empty-rule") }, Some(line), None)
            }
            (Reason::LeftAlone, _) => (const { reason_at("left-alone") }, None, None),
            _ => (const { reason_at("rules-not-kept") }, None, None),
        };
        Reasoned { verdict: decision.verdict, reason, line, rule }
    }

    /// Of what keeps no rules. `None` if there is no verdict.
    pub fn without_rules(answer: Answer, kind: SiteKind) -> Option<Reasoned<'d>> {
        let verdict = match answer {
            Answer::Allow => Verdict::Allow,
            Answer::Disallow => Verdict::Disallow,
            Answer::Invalid | Answer::Unknown => return None,
        };
        let reason = of_kind(kind, verdict).unwrap_or(const { reason_at("rules-not-kept") });
        Some(Reasoned { verdict, reason, line: None, rule: None })
    }
}

/// The reason for a verdict if what is known of a site is not a file.
fn of_kind(kind: SiteKind, verdict: Verdict) -> Option<u8> {
    match (kind, verdict) {
        (SiteKind::AllowAll, _) => Some(const { reason_at("allow-all") }),
        // Where nothing is known, nothing else is allowed either.
        (SiteKind::DisallowAll | SiteKind::Unknown, Verdict::Disallow) => {
            Some(const { reason_at("disallow-all") })
        }
        (SiteKind::DisallowAll | SiteKind::Unknown, Verdict::Allow) => {
            Some(const { reason_at("robots-txt") })
        }
        (SiteKind::Rules, _) => None,
    }
}
