//! The naive oracle: every rule is tried, each by its set of positions.
//!
//! Independent of the library's matchers on purpose: it takes from a policy nothing but the
//! normalised patterns with their precedence, not even their order. The fuzz targets include
//! this file by path, so it must not use anything else of the test suite.

use robotsieve::{Policy, Profile, Rule, Verdict};

/// Whether `pattern` matches `target` from its first byte on, as google/robotstxt's
/// `RobotsMatchStrategy::Matches` finds out: by the set of positions of the target at which
/// the pattern so far can have ended. `O(pattern · target)`, whatever the stars.
pub fn matches(pattern: &[u8], anchored: bool, wildcards: bool, target: &[u8]) -> bool {
    // Ascending, without repetition.
    let mut ends = vec![0];
    for &byte in pattern {
        if byte == b'*' && wildcards {
            // From the first end on everything can be reached.
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

/// The rule that decides: of those that match the one of highest precedence; of equal ones
/// allow, then the one that stands first in the file.
pub fn deciding<'p>(policy: &'p Policy, profile: &Profile, target: &[u8]) -> Option<Rule<'p>> {
    policy
        .rules()
        .filter(|rule| matches(rule.pattern(), rule.is_anchored(), profile.wildcards, target))
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
