//! What is wrong with a robots.txt, and what in it has no effect: for those who write one.
//!
//! [`lint`] finds everything that the parser notices
//! ([`Robots::diagnostics`](crate::Robots::diagnostics)) and more that costs site owners: rules
//! that can never match or never win, groups that no crawler obeys, fields that nobody reads.
//! Each [`Finding`] has a [`Code`] with a page in `docs/lint`.
//!
//! | module | finds |
//! |---|---|
//! | `file` | what concerns the file as a whole |
//! | `lines` | what a single line shows: diagnostics, fields |
//! | `differs` | lines that RFC 9309 and google/robotstxt read differently |
//! | `groups` | what a group or the groups together show |
//! | `rules` | rules without effect, over the budget, blocking everything |
//! | `dead` | rules that can be removed: decided by automata, not guessed |
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

mod code;
mod dead;
mod differs;
mod file;
mod groups;
mod lines;
mod rules;

use std::collections::BTreeSet;
use std::ops::Range;

pub use code::{Code, Severity};

use crate::policy::Policy;
use crate::policy::robots::Robots;
use crate::profile::Profile;
use crate::read::parse::Record;

/// How a file is linted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The readings in which it is judged, with their names; at least one, or nothing is found.
    pub profiles: Vec<(&'static str, Profile)>,
    /// The value of the Content-Type header with which the file was served, if it is known.
    pub content_type: Option<String>,
}

impl Default for Options {
    /// RFC 9309, content type unknown.
    fn default() -> Options {
        Options { profiles: vec![Profile::NAMED[0]], content_type: None }
    }
}

/// What was found in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// In the order of lines, then of codes.
    pub findings: Vec<Finding>,
    /// The lines of rules of which it was not found out, within the bounds on time and memory,
    /// whether they have an effect; ascending. There is no [`Code::NeverWins`],
    /// [`Code::RedundantRule`] or [`Code::DuplicateRule`] on them.
    pub undecided: Vec<u32>,
}

/// Something that is wrong with a file, or has no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What kind of thing.
    pub code: Code,
    /// How much it matters in the profile.
    pub severity: Severity,
    /// What it is, in this place: a sentence without the full stop.
    pub message: String,
    /// The line, 1-based; 1 where the file as a whole is meant.
    pub line: u32,
    /// The bytes of the file that are meant; may be empty.
    pub span: Range<usize>,
    /// Other places that have to do with it.
    pub related: Vec<Related>,
    /// What to do.
    pub help: Option<String>,
    /// The names of the profiles in which this holds, in the order of [`Options::profiles`].
    pub profiles: Vec<&'static str>,
}

/// A place that has to do with a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Related {
    /// The line, 1-based.
    pub line: u32,
    /// The bytes of the file that are meant.
    pub span: Range<usize>,
    /// What it has to do with the finding.
    pub message: String,
}

/// Finds what is wrong with a file, whatever its bytes.
///
/// A finding that is the same in several profiles stands there once and names them all.
///
/// Time and memory are in proportion to the file, and a bounded amount of work for the question
/// which rules have no effect: [`Report::undecided`] names the rules for which it did not suffice.
pub fn lint(file: &[u8], options: &Options) -> Report {
    let mut report = Report::default();
    let mut undecided = BTreeSet::new();
    for (name, profile) in &options.profiles {
        let mut subject = Subject::new(file, name, profile);
        file::look(&mut subject, options.content_type.as_deref());
        lines::look(&mut subject);
        differs::look(&mut subject);
        groups::look(&mut subject);
        undecided.extend(rules::look(&mut subject));
        report.findings.append(&mut subject.found);
    }
    report.undecided = undecided.into_iter().collect();
    let findings = &mut report.findings;
    // Stable: the profiles stay in their order.
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

/// A file in one profile, and what was found in it so far.
struct Subject<'a> {
    file: &'a [u8],
    name: &'static str,
    profile: Profile,
    robots: Robots<'a>,
    /// In the order of the file.
    records: Vec<Record<'a>>,
    found: Vec<Finding>,
}

impl<'a> Subject<'a> {
    fn new(file: &'a [u8], name: &'static str, profile: &Profile) -> Subject<'a> {
        let robots = Robots::parse(file, profile);
        let records = robots.records().collect();
        Subject { file, name, profile: *profile, robots, records, found: Vec::new() }
    }

    /// Adds a finding of the code's own severity, which is then still to be completed.
    fn add(
        &mut self,
        code: Code,
        line: u32,
        span: Range<usize>,
        message: impl Into<String>,
    ) -> &mut Finding {
        self.found.push(Finding {
            code,
            severity: code.severity(),
            message: message.into(),
            line,
            span,
            related: Vec::new(),
            help: None,
            profiles: vec![self.name],
        });
        self.found.last_mut().expect("it was just added")
    }

    /// The record in a line.
    fn record(&self, line: u32) -> Option<&Record<'a>> {
        let at = self.records.binary_search_by_key(&line, |record| record.line).ok()?;
        Some(&self.records[at])
    }

    /// The bytes of a line's value.
    fn value_span(&self, line: u32) -> Range<usize> {
        self.record(line).map_or(0..0, Record::value_span)
    }

    /// The bytes of a record, from the field's name to the end of its value.
    fn record_span(&self, record: &Record<'_>) -> Range<usize> {
        let name_at = record.name.as_ptr() as usize - self.file.as_ptr() as usize;
        name_at..record.value_span().end.max(name_at + record.name.len())
    }

    /// A place that has to do with a finding.
    fn related(&self, line: u32, message: impl Into<String>) -> Related {
        Related { line, span: self.value_span(line), message: message.into() }
    }

    /// The policies of all crawlers of one name that differ in their groups.
    fn policies(&self) -> Vec<Policy> {
        groups::policies(self)
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

/// Bytes as text to read: what is no printable ASCII is escaped, and of long ones the beginning
/// is shown.
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
