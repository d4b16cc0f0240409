//! The rules tried one after another, without an automaton, and how long that costs less than
//! building one.

use crate::rules::RuleSet;
use crate::rules::target::Target;
use crate::verdict::Verdict;

/// The verdict on a target: that of the first rule that matches, from highest to lowest
/// precedence.
pub(crate) fn verdict(rules: &RuleSet, target: &Target<'_>) -> Verdict {
    rules.deciding(&target.to_buffer()).map_or(Verdict::Allow, |rule| rule.verdict)
}

/// After how many questions a rule set is compiled: when they have cost three quarters of what
/// compiling is estimated to cost. So the total is at most about twice the better of compiling
/// at once and never, whatever the number of questions. Three quarters and not all of it, since
/// most hosts that are asked that often are asked more: it made the sums over all hosts least.
///
/// The costs are means over real files; `cargo bench -p robotsieve-benches --bench first -- fit` prints them anew.
/// Single rule sets with many stars cost several times as much.
pub(crate) fn questions_before_compiling(rules: &RuleSet) -> u32 {
    /// Nanoseconds to compile: any rule set, each byte and each star of its patterns.
    const COMPILE: [usize; 3] = [400, 24, 1_300];
    /// Nanoseconds to try the rules: any rule set, each rule and each star.
    const QUESTION: [usize; 3] = [70, 2, 8];
    let cost =
        |[fixed, each, star]: [usize; 3], count: usize| fixed + each * count + star * rules.stars();
    let questions = cost(COMPILE, rules.pattern_bytes()) * 3 / 4 / cost(QUESTION, rules.len());
    // The largest number stands for "never".
    u32::try_from(questions).unwrap_or(u32::MAX).min(u32::MAX - 1)
}

/// How many questions one question counts for before compiling: more than one where stars are
/// many and the target is long, so that no question costs more than building what answers it.
#[inline]
pub(crate) fn weight_before_compiling(rules: &RuleSet, target_bytes: usize) -> u32 {
    let weight = 1 + target_bytes.saturating_mul(rules.stars()) / 65_536;
    u32::try_from(weight).unwrap_or(u32::MAX)
}
