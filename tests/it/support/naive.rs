//! The naive oracle tries every rule by following a set of positions.
//!
//! It is independent of the library's matchers on purpose: from a policy it takes only the
//! normalised patterns and their precedence, not their order. The fuzz targets include this file by
//! path, so it must not use other modules of the tests.

use robotsieve::{Policy, Profile, Rule, Verdict};

/// Whether `pattern` matches at the start of `target`.
///
/// Uses the algorithm of google/robotstxt's `RobotsMatchStrategy::Matches`: for each prefix of the
/// pattern it keeps the set of positions in the target at which a match of that prefix can end.
/// `O(pattern · target)`, however many stars there are.
pub fn matches(pattern: &[u8], anchored: bool, wildcards: bool, target: &[u8]) -> bool {
    // Ascending, without duplicates.
    let mut ends = vec![0];
    for &byte in pattern {
        if byte == b'*' && wildcards {
            // A star reaches every position from the first end on.
            ends = (ends[0]..=target.len()).collect();
        } else {
            ends.retain(|&end| target.get(end) == Some(&byte));
            ends.iter_mut().for_each(|end| *end += 1);
        }
        if ends.is_empty() {
            return false;
        }
    }
    !anchored || ends.last() == Some(&target.len())
}

/// The rule that decides: the matching rule of highest precedence. Among equals an allow rule wins,
/// and then the first in the file.
pub fn deciding<'p>(policy: &'p Policy, profile: &Profile, target: &[u8]) -> Option<Rule<'p>> {
    policy
        .rules()
        .filter(|rule| matches(rule.pattern(), rule.anchored(), profile.wildcards, target))
        .max_by_key(|rule| {
            let first = std::cmp::Reverse(rule.line);
            (rule.precedence, rule.verdict == Verdict::Allow, first)
        })
}

/// The verdict on a normalised target.
pub fn verdict(policy: &Policy, profile: &Profile, target: &[u8]) -> Verdict {
    if profile.robots_txt_allowed && target == b"/robots.txt" {
        return Verdict::Allow;
    }
    deciding(policy, profile, target).map_or(Verdict::Allow, |rule| rule.verdict)
}
