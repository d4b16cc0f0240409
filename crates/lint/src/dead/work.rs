//! The question about a rule, its answer, and the work that may go into it.

/// Reading this many bytes of a pattern or a target costs one unit of work; fewer cost nothing
/// beside what is counted for each pattern.
pub(super) const BYTES_PER_WORK: usize = 64;

/// The most rules that a file's policies may have together; the rules of further policies stay
/// undecided.
pub(super) const MAX_RULES: usize = 1 << 17;

/// What became of a dead rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// No target matches it.
    NeverMatches,
    /// It never decides, and some of the rules that decide instead give the other verdict.
    NeverWins,
    /// Where it decides, the verdict is the same without it, and where it is not, a rule that says the
    /// opposite outranks it.
    Outranked,
    /// Wherever it decides, the verdict is the same without it.
    Redundant,
    /// An earlier rule has the same pattern and verdict.
    Duplicate,
}

/// A rule that can be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dead {
    pub(crate) line: u32,
    pub(crate) fate: Fate,
    /// Some of the lines whose rules leave it without effect, ascending. Empty if the rule says
    /// what holds without any rule.
    pub(crate) causes: Vec<u32>,
    /// True if it is the last rule of its group that is left. Without it, whatever is added to the
    /// file later would belong to the group, or its crawlers would obey the group after it.
    pub(crate) ends_group: bool,
    /// True if it is the last rule of a group that another one follows, so that it has to stay.
    pub(crate) stays: bool,
}

/// The budget ran out before the answer was found.
pub(super) struct OverBudget;

/// Work done, and how much is allowed.
pub(super) struct Work {
    pub(super) done: u64,
    limit: u64,
}

impl Work {
    pub(super) fn with_limit(limit: u64) -> Work {
        Work { done: 0, limit }
    }

    pub(super) fn add(&mut self, work: usize) -> Result<(), OverBudget> {
        self.done += work as u64;
        if self.done > self.limit { Err(OverBudget) } else { Ok(()) }
    }
}

/// What is asked about a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Does some target get another verdict without the rule?
    ChangesVerdict,
    /// Does the rule decide some target?
    Decides,
}
