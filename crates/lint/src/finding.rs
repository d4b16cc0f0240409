//! Findings, and the report that has them all.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use super::change::Fix;
use super::code::{Code, Severity};
#[cfg(doc)]
use super::options::Options;
use super::select::Selection;

/// The findings in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// Sorted by line, then by code.
    pub findings: Vec<Finding>,
    /// The lines of rules for which the budget ran out before it was known whether they have an
    /// effect, ascending. They are not reported as [`Code::NeverWins`], [`Code::RedundantRule`] or
    /// [`Code::DuplicateRule`].
    pub undecided: Vec<u32>,
    /// The number of findings that are left out, by code: those after the first [`MAX_PER_CODE`], in the
    /// profile that has the most.
    #[serde(default)]
    pub left_out: BTreeMap<Code, usize>,
    /// The number of findings that comments in the file silenced.
    #[serde(default)]
    pub silenced: usize,
}

impl Report {
    /// Leaves out what was found of other codes.
    pub fn select(&mut self, selection: &Selection) {
        self.findings.retain(|finding| selection.has(finding.code));
        self.left_out.retain(|code, _| selection.has(*code));
    }
}

/// The most findings of a code in a profile. So the memory for a report has a bound, even if each
/// line of a file has several findings.
pub const MAX_PER_CODE: usize = 10_000;

/// Something that is wrong with a file, or that has no effect.
///
/// It is displayed on one line, without related places:
///
/// ```
/// use robotsieve_lint::{Options, lint};
///
/// let report = lint(b"User-agent: *\nDisallow: x\n", &Options::default());
/// assert_eq!(
///     report.findings[0].to_string(),
///     "line 2: error[RS405]: 'x' does not begin with '/', so no URL can match it; write '/x'; this \
///      disallows URLs such as '/x' for crawlers without a group of their own (rfc9309, google)"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Finding {
    /// The kind of finding.
    pub code: Code,
    /// Its severity in these profiles.
    pub severity: Severity,
    /// The fault: a sentence without capital letter and full stop.
    pub message: String,
    /// The line, 1-based; 1 if the finding is about the file as a whole.
    pub line: u32,
    /// The bytes of the file that the finding is about; may be empty.
    #[serde(with = "span")]
    pub span: Range<usize>,
    /// Other places that explain it.
    pub related: Vec<Related>,
    /// Advice, in the form of the message, unless there is a fix.
    pub help: Option<String>,
    /// A change that mends it, with its proven effect.
    #[serde(default)]
    pub fix: Option<Fix>,
    /// The names of the profiles in which this holds, in the order of [`Options::profiles`].
    pub profiles: Vec<Cow<'static, str>>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}[{}]: {}", self.line, self.severity, self.code, self.message)?;
        if let Some(help) = &self.help {
            write!(f, "; {help}")?;
        }
        match &self.fix {
            Some(fix) => write!(f, "; {fix}"),
            None => Ok(()),
        }
    }
}

/// A place that explains a finding.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Related {
    /// The line, 1-based.
    pub line: u32,
    /// The bytes of the file.
    #[serde(with = "span")]
    pub span: Range<usize>,
    /// Its part in the finding; may be empty.
    pub message: String,
}

/// Spans as pairs of numbers.
pub(super) mod span {
    use std::ops::Range;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(span: &Range<usize>, to: S) -> Result<S::Ok, S::Error> {
        (span.start, span.end).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Range<usize>, D::Error> {
        let (start, end) = Deserialize::deserialize(from)?;
        if start > end {
            return Err(D::Error::custom(format_args!("span ends at {end}, before {start}")));
        }
        Ok(start..end)
    }
}
