//! What is wrong with a robots.txt, and which of its rules have no effect.
//!
//! [`lint`] reports everything that the parser notices
//! ([`Robots::diagnostics`](crate::Robots::diagnostics)) and more: rules that can never match or
//! never win, groups that no crawler obeys, fields that nobody reads. Each [`Finding`] has a
//! [`Code`], and each code has a page in `docs/lint`.
//!
//! | module | finds |
//! |---|---|
//! | `file` | what concerns the file as a whole |
//! | `lines` | what a single line shows: diagnostics, fields |
//! | `differs` | lines that RFC 9309 and google/robotstxt read differently |
//! | `obeyed` | nothing: it says which groups each crawler obeys |
//! | `groups` | groups without rules, groups that no crawler obeys |
//! | `rules` | rules without effect, over the automaton's budget, or blocking everything |
//! | `dead` | rules that can be removed without changing a verdict |
//!
//! ```
//! use robotsieve::lint::{Code, Options, lint};
//!
//! let file = b"User-agent: *\nDisallow: /shop/cart/\nDisallow: /shop/\n";
//! let report = lint(file, &Options::default());
//! let finding = &report.findings[0];
//! assert_eq!((finding.code, finding.line), (Code::RedundantRule, 2));
//! assert_eq!(&file[finding.span.clone()], b"/shop/cart/");
//! assert_eq!(finding.related[0].line, 3);
//! ```
//!
//! # Stored findings
//!
//! With the feature `serde`, [`Report`], [`Finding`], [`Related`], [`Code`] and [`Severity`]
//! implement `Serialize` and `Deserialize`. A finding is a map of its fields by their names:
//!
//! ```json
//! {
//!   "code": "RS403",
//!   "severity": "note",
//!   "message": "'Disallow: /shop/cart/' changes no verdict beside 'Disallow: /shop/' on line 3",
//!   "line": 2,
//!   "span": [24, 35],
//!   "related": [{"line": 3, "span": [46, 52], "message": "this rule gives the same verdicts"}],
//!   "help": "remove it",
//!   "profiles": ["rfc9309"]
//! }
//! ```
//!
//! A span is the offset of its first byte and of the one after its last. The command's
//! `lint --format jsonl` uses the same names, so its lines can be read as findings.

mod code;
mod dead;
mod differs;
mod file;
mod groups;
mod lines;
mod obeyed;
mod rules;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

pub use code::{Code, Severity};

use crate::policy::robots::Robots;
use crate::profile::Profile;
use crate::read::parse::Record;
use obeyed::Obeyed;

/// How a file is linted.
///
/// ```
/// use robotsieve::Profile;
/// use robotsieve::lint::{Options, lint};
///
/// let options = Options::new(Profile::NAMED.iter().copied()).content_type("text/plain");
/// let report = lint(b"User-agent: *\nDisalow: /x\n", &options);
/// let profiles = report.findings.iter().map(|finding| &finding.profiles[..]);
/// assert!(profiles.into_iter().any(|profiles| profiles == ["google"]));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The profiles in which the file is read, with the names that findings give them. Without any
    /// profile nothing is found.
    pub profiles: Vec<(Cow<'static, str>, Profile)>,
    /// The value of the Content-Type header with which the file was served, if known.
    pub content_type: Option<String>,
}

impl Options {
    /// Reads files in these profiles.
    #[must_use]
    pub fn new<N: Into<Cow<'static, str>>>(
        profiles: impl IntoIterator<Item = (N, Profile)>,
    ) -> Options {
        let profiles = profiles.into_iter().map(|(name, profile)| (name.into(), profile));
        Options { profiles: profiles.collect(), content_type: None }
    }

    /// Sets the value of the Content-Type header with which the file was served.
    #[must_use]
    pub fn content_type(mut self, value: impl Into<String>) -> Options {
        self.content_type = Some(value.into());
        self
    }
}

impl Default for Options {
    /// [`Profile::RFC9309`] under the name `rfc9309`; content type unknown.
    fn default() -> Options {
        Options::new([("rfc9309", Profile::RFC9309)])
    }
}

/// What was found in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Report {
    /// Sorted by line, then by code.
    pub findings: Vec<Finding>,
    /// The lines of rules for which the budget ran out before it was known whether they have an
    /// effect, ascending. They are not reported as [`Code::NeverWins`], [`Code::RedundantRule`] or
    /// [`Code::DuplicateRule`].
    pub undecided: Vec<u32>,
    /// How many findings are left out, by code: those after the first [`MAX_PER_CODE`], in the
    /// profile that has the most.
    #[cfg_attr(feature = "serde", serde(default))]
    pub left_out: BTreeMap<Code, usize>,
}

/// The most findings of a code in a profile. So the memory for a report has a bound, even if each
/// line of a file has several findings.
pub const MAX_PER_CODE: usize = 10_000;

/// Something that is wrong with a file, or that has no effect.
///
/// It is displayed on one line, without related places:
///
/// ```
/// use robotsieve::lint::{Options, lint};
///
/// let report = lint(b"User-agent: *\nDisallow: x\n", &Options::default());
/// assert_eq!(
///     report.findings[0].to_string(),
///     "line 2: error[RS405]: 'x' does not begin with '/', so no URL can match it; write '/x'"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Finding {
    /// The kind of finding.
    pub code: Code,
    /// How much it matters in these profiles.
    pub severity: Severity,
    /// What is wrong here: a sentence without capital letter and full stop.
    pub message: String,
    /// The line, 1-based; 1 if the finding is about the file as a whole.
    pub line: u32,
    /// The bytes of the file that the finding is about; may be empty.
    #[cfg_attr(feature = "serde", serde(with = "span"))]
    pub span: Range<usize>,
    /// Other places that explain it.
    pub related: Vec<Related>,
    /// What to do, in the form of the message.
    pub help: Option<String>,
    /// The names of the profiles in which this holds, in the order of [`Options::profiles`].
    pub profiles: Vec<Cow<'static, str>>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}[{}]: {}", self.line, self.severity, self.code, self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

/// A place that explains a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Related {
    /// The line, 1-based.
    pub line: u32,
    /// The bytes of the file.
    #[cfg_attr(feature = "serde", serde(with = "span"))]
    pub span: Range<usize>,
    /// What it has to do with the finding; may be empty.
    pub message: String,
}

/// Spans as pairs of numbers.
#[cfg(feature = "serde")]
mod span {
    use std::ops::Range;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(span: &Range<usize>, to: S) -> Result<S::Ok, S::Error> {
        (span.start, span.end).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Range<usize>, D::Error> {
        let (start, end) = Deserialize::deserialize(from)?;
        if start > end {
            return Err(D::Error::custom(format_args!("span ends at {end}, before {start}")));
        }
        Ok(start..end)
    }
}

/// Finds what is wrong with a file, whatever its bytes.
///
/// A finding that is the same in several profiles is reported once, with the names of all of them.
///
/// Time and memory grow linearly with the file, and with the number of profiles. The policies of
/// the file's crawlers and the search for rules without effect have fixed budgets on top of that,
/// the same in every run: [`Report::undecided`] lists the rules that exceeded them.
#[must_use]
pub fn lint(file: &[u8], options: &Options) -> Report {
    let mut report = Report::default();
    let mut undecided = BTreeSet::new();
    for (name, profile) in &options.profiles {
        let mut subject = Subject::new(file, name.clone(), profile);
        file::find(&mut subject, options.content_type.as_deref());
        lines::find(&mut subject);
        differs::find(&mut subject);
        groups::find(&mut subject);
        undecided.extend(rules::find(&mut subject));
        for (code, count) in subject.counts {
            if count > MAX_PER_CODE {
                let left_out = report.left_out.entry(code).or_default();
                *left_out = (*left_out).max(count - MAX_PER_CODE);
            }
        }
        report.findings.append(&mut subject.found);
    }
    report.undecided = undecided.into_iter().collect();
    let findings = &mut report.findings;
    // Stable, so the profiles keep their order.
    findings.sort_by(|a, b| {
        let place = |f: &Finding| (f.line, f.code, f.span.start, f.span.end);
        place(a).cmp(&place(b)).then_with(|| a.message.cmp(&b.message))
    });
    findings.dedup_by(|later, first| {
        let kind = |f: &Finding| (f.code, f.severity, f.span.start, f.span.end);
        let same = kind(later) == kind(first) && later.message == first.message;
        if same {
            first.profiles.append(&mut later.profiles);
            first.profiles.dedup();
        }
        same
    });
    report
}

/// A file read in one profile, and what was found in it so far.
struct Subject<'a> {
    file: &'a [u8],
    /// The profile's name.
    name: Cow<'static, str>,
    profile: Profile,
    robots: Robots<'a>,
    obeyed: Obeyed,
    /// In the order of the file.
    records: Vec<Record<'a>>,
    found: Vec<Finding>,
    /// How many findings there are of each code, those that are left out included.
    counts: BTreeMap<Code, usize>,
    /// Where a finding goes that is left out.
    spare: Option<Finding>,
}

impl<'a> Subject<'a> {
    fn new(file: &'a [u8], name: Cow<'static, str>, profile: &Profile) -> Subject<'a> {
        let robots = Robots::parse(file, profile);
        let obeyed = Obeyed::of(&robots, file);
        let records = robots.records().collect();
        Subject {
            file,
            name,
            profile: *profile,
            robots,
            obeyed,
            records,
            found: Vec::new(),
            counts: BTreeMap::new(),
            spare: None,
        }
    }

    /// Adds a finding with the code's usual severity. The caller completes it.
    fn add(
        &mut self,
        code: Code,
        line: u32,
        span: Range<usize>,
        message: impl Into<String>,
    ) -> &mut Finding {
        let finding = Finding {
            code,
            severity: code.severity(),
            message: message.into(),
            line,
            span,
            related: Vec::new(),
            help: None,
            profiles: vec![self.name.clone()],
        };
        let count = self.counts.entry(code).or_default();
        *count += 1;
        if *count > MAX_PER_CODE {
            return self.spare.insert(finding);
        }
        self.found.push(finding);
        self.found.last_mut().expect("it was just added")
    }

    /// The record on a line.
    fn record(&self, line: u32) -> Option<&Record<'a>> {
        let at = self.records.binary_search_by_key(&line, |record| record.line).ok()?;
        Some(&self.records[at])
    }

    /// The span of a line's value.
    fn value_span(&self, line: u32) -> Range<usize> {
        self.record(line).map_or(0..0, Record::value_span)
    }

    /// The span of a record, from the field's name to the end of its value.
    fn record_span(&self, record: &Record<'_>) -> Range<usize> {
        let name_at = record.name.as_ptr() as usize - self.file.as_ptr() as usize;
        name_at..record.value_span().end.max(name_at + record.name.len())
    }

    /// The value of another line, to explain a finding.
    fn related(&self, line: u32, message: impl Into<String>) -> Related {
        Related { line, span: self.value_span(line), message: message.into() }
    }
}

impl Finding {
    fn severity(&mut self, severity: Severity) -> &mut Finding {
        self.severity = severity;
        self
    }

    fn help(&mut self, help: impl Into<String>) -> &mut Finding {
        self.help = Some(help.into());
        self
    }

    fn related(&mut self, related: impl IntoIterator<Item = Related>) -> &mut Finding {
        self.related.extend(related);
        self
    }
}

/// Bytes as text for a message: escaped unless they are printable UTF-8, and cut off if they are
/// long.
fn shown(bytes: &[u8]) -> String {
    const LEN: usize = 80;
    let mut text = match str::from_utf8(bytes) {
        Ok(text) if !text.chars().any(char::is_control) => text.to_owned(),
        _ => bytes[..bytes.len().min(2 * LEN)].escape_ascii().to_string(),
    };
    if let Some((end, _)) = text.char_indices().nth(LEN) {
        text.truncate(end);
        text.push('…');
    }
    text
}
