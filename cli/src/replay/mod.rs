//! `robotsieve replay`: checks whether recorded decisions still hold.

pub mod args;
mod sites;

use std::ffi::{OsStr, OsString};
use std::io::BufReader;
use std::sync::Arc;

use robotsieve::{Decision, Policy, Rule};

use crate::error::{Failure, Status};
use crate::explain::record::{Question, Record, TOOL_VERSION};
use crate::read::{inputs, stdin};
use crate::write::bytes::shown;
use crate::write::report::Report;
use crate::write::stderr;
use crate::write::stdout::Stdout;
use args::ReplayArgs;
use robotsieve_client::lines::{self, Line, Lines};
use sites::{Site, Sites};

/// The size of the output buffer.
const OUTPUT_BYTES: usize = 64 << 10;

/// Decides all records again.
pub fn run(args: &ReplayArgs) -> Result<Status, Failure> {
    let names = inputs::named(&args.inputs);
    let robots = args.robots.as_ref().map(|path| path.as_os_str());
    stdin::at_most_once(names.iter().map(OsString::as_os_str).chain(robots))?;
    let mut replay = Replay {
        sites: Sites::new(args)?,
        counts: Counts::default(),
        lines: Vec::new(),
        out: Stdout::new(),
        report: Arc::new(Report::new(args.progress.progress, &args.inputs)),
    };
    for name in &names {
        replay.input(name)?;
    }
    replay.write()?;
    replay.report.end();
    stderr::note(&replay.counts);
    Ok(replay.status())
}

/// What changed since a record was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Verdict,
    Rule,
    File,
    Missing,
    Malformed,
}

impl Change {
    fn as_str(self) -> &'static str {
        match self {
            Change::Verdict => "verdict",
            Change::Rule => "rule",
            Change::File => "file",
            Change::Missing => "missing",
            Change::Malformed => "malformed",
        }
    }
}

#[derive(Default)]
struct Counts {
    records: u64,
    hold: u64,
    /// By [`Change`].
    changed: [u64; 5],
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [verdict, rule, file, missing, malformed] = self.changed;
        write!(
            f,
            "records {} hold {} verdict {verdict} rule {rule} file {file} missing {missing} \
             malformed {malformed}",
            self.records, self.hold
        )
    }
}

struct Replay {
    sites: Sites,
    counts: Counts,
    /// Output that is not printed yet.
    lines: Vec<u8>,
    out: Stdout,
    report: Arc<Report>,
}

impl Replay {
    fn input(&mut self, name: &OsStr) -> Result<(), Failure> {
        let bytes = match inputs::open(name, &self.report) {
            Ok(bytes) => bytes,
            Err(cause) => {
                self.report.error(&inputs::cannot_read(name, &cause));
                return Ok(());
            }
        };
        let mut lines = Lines::of(BufReader::new(bytes), lines::RECORD_BYTES);
        loop {
            match lines.next_line() {
                Ok(Some((number, line))) => {
                    let place = format!("{}:{number}", name.display());
                    self.line(&place, line)?;
                }
                Ok(None) => return Ok(()),
                Err(cause) => {
                    self.report.error(&format_args!("{} breaks off: {cause}", inputs::shown(name)));
                    return Ok(());
                }
            }
        }
    }

    fn line(&mut self, place: &str, line: Line<'_>) -> Result<(), Failure> {
        if matches!(line, Line::Whole(line) if line.trim_ascii().is_empty()) {
            return Ok(());
        }
        self.counts.records += 1;
        let parsed = match line {
            Line::Whole(line) => Record::parse(line.trim_ascii()),
            Line::TooLong(_) => Err(format!("longer than {} bytes", lines::RECORD_BYTES)),
        };
        let (change, text) = match parsed {
            Err(wrong) => (Some(Change::Malformed), wrong),
            Ok(question) => self.decide(&question),
        };
        if matches!(change, None | Some(Change::File)) {
            self.counts.hold += 1;
        }
        let Some(change) = change else { return Ok(()) };
        self.counts.changed[change as usize] += 1;
        // Records and files must not add tabs or lines to the output.
        let text = text.replace(['\t', '\n', '\r'], " ");
        self.lines.extend_from_slice(format!("{place}\t{}\t{text}\n", change.as_str()).as_bytes());
        if self.lines.len() >= OUTPUT_BYTES { self.write() } else { Ok(()) }
    }

    /// Decides again; returns what changed, if anything, and a description of the change.
    fn decide(&mut self, question: &Question) -> (Option<Change>, String) {
        let record = &question.record;
        let site = match self.sites.find(question) {
            Ok(site) => site,
            Err(missing) => return (Some(Change::Missing), missing),
        };
        let policy = site.policy(question);
        let decision = policy.decide(&question.url).ok();
        let verdict = decision.map_or("invalid", |decision| decision.verdict.as_str());
        let is_same_file = site.sha256 == record.robots_sha256;
        let rule = decision.and_then(|decision| decision.rule());
        let change = if verdict != record.verdict {
            Change::Verdict
        } else if rule.map(|rule| rule.value) != question.rule.as_deref()
            || reason_word(decision.as_ref()) != record.reason
        {
            Change::Rule
        } else if is_same_file && rule.map(|rule| rule.line) != record.line {
            // The same file and the same rule, but another line: the record is wrong.
            Change::Rule
        } else if let Some(member) = untrue(question, &policy, rule, &site, is_same_file) {
            let text = format!("{verdict} holds, but '{member}' is wrong; {}", author(record));
            return (Some(Change::Rule), text);
        } else if !is_same_file {
            Change::File
        } else {
            return (None, String::new());
        };
        let was = grounds(&record.verdict, question.rule.as_deref(), record.line, &record.reason);
        let is = grounds(
            verdict,
            rule.map(|rule| rule.value),
            rule.map(|rule| rule.line),
            reason_word(decision.as_ref()),
        );
        let text = format!("was {was}; is {is}; {}", origin(record, &site, is_same_file));
        (Some(change), text)
    }

    fn write(&mut self) -> Result<(), Failure> {
        self.out.print(&self.lines)?;
        self.lines.clear();
        Ok(())
    }

    fn status(&self) -> Status {
        let [verdict, rule, _, missing, malformed] = self.counts.changed;
        if malformed > 0 {
            Status::Usage
        } else if self.report.failed() || missing > 0 {
            Status::Failed
        } else if verdict + rule > 0 {
            Status::No
        } else {
            Status::Done
        }
    }
}

fn reason_word(decision: Option<&Decision<'_>>) -> &'static str {
    decision.map_or("invalid-url", |decision| decision.reason.as_str())
}

/// A verdict and the rule or the reason for it.
fn grounds(verdict: &str, rule: Option<&[u8]>, line: Option<u32>, reason: &str) -> String {
    match rule {
        Some(rule) => {
            let line = line.map_or_else(String::new, |line| format!(" on line {line}"));
            format!("{verdict} by '{}'{line}", shown(rule))
        }
        None => format!("{verdict} ({reason})"),
    }
}

/// The member of a record that would be different now, although verdict and rule are the same.
fn untrue(
    question: &Question,
    policy: &Policy,
    rule: Option<Rule<'_>>,
    site: &Site,
    is_same_file: bool,
) -> Option<&'static str> {
    // The target depends on URL and profile, not on the file.
    let target = policy.target(&question.url).ok().map(|target| target.to_vec());
    if target != question.target {
        return Some("target");
    }
    let is_span = match (rule, question.record.span) {
        (Some(rule), Some(span)) => !is_same_file || site.has(&rule, span),
        (rule, span) => rule.is_none() && span.is_none(),
    };
    (!is_span).then_some("span")
}

/// What may have caused the difference.
fn origin(record: &Record, site: &Site, is_same_file: bool) -> String {
    let path = site.path.display();
    if is_same_file {
        format!("'{path}' is the same: {}", author(record))
    } else {
        format!("'{path}' changed")
    }
}

/// What may have caused the difference, if it was not the file.
fn author(record: &Record) -> String {
    if record.tool_version == TOOL_VERSION {
        "the record was altered".to_owned()
    } else {
        format!("robotsieve {} decided", record.tool_version)
    }
}
