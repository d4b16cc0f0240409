//! `robotsieve replay`: checks whether recorded decisions still hold.

pub mod args;
mod sites;

use std::ffi::{OsStr, OsString};
use std::io::BufReader;
use std::sync::Arc;

use robotsieve_report::recorded::{DecisionRecord, FileToday, RecordChange, RecordedQuestion};

use crate::error::{Failure, Status};
use crate::read::{inputs, stdin};
use crate::write::report::Report;
use crate::write::stderr;
use crate::write::stdout::Stdout;
use args::ReplayArgs;
use robotsieve_client::lines::{self, Line, Lines};
use sites::{Sites, Today};

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
                    // The rest of a line that is too long may never end.
                    let goes_on = matches!(line, Line::Whole(_));
                    self.line(&place, line)?;
                    if !goes_on {
                        return Ok(());
                    }
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
            Line::Whole(line) => parsed(line.trim_ascii()),
            Line::TooLong(_) => Err(format!(
                "longer than {} bytes, so nothing more of this input is read",
                lines::RECORD_BYTES
            )),
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
    fn decide(&mut self, question: &RecordedQuestion) -> (Option<Change>, String) {
        let changed = match self.sites.find(question) {
            Err(missing) => return (Some(Change::Missing), missing),
            Ok(Today::File(site)) => {
                let name = site.path.display().to_string();
                let file = FileToday { name: &name, bytes: &site.file, sha256: &site.sha256 };
                question.change(&site.policy(question), &file)
            }
            Ok(Today::Instead { stand_in, holds }) => {
                let name = stand_in.path.display().to_string();
                question.change_of_site(&stand_in.policy(question), holds, &name)
            }
        };
        match changed {
            None => (None, String::new()),
            Some((change, sentence)) => {
                let change = match change {
                    RecordChange::Verdict => Change::Verdict,
                    RecordChange::Rule => Change::Rule,
                    RecordChange::File => Change::File,
                };
                (Some(change), sentence)
            }
        }
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

/// The question of a line.
///
/// # Errors
/// Returns a description of what is wrong with the line.
fn parsed(line: &[u8]) -> Result<RecordedQuestion, String> {
    let record: DecisionRecord = serde_json::from_slice(line).map_err(|cause| {
        // A record is one line: only the column says anything.
        let cause = cause.to_string();
        match cause.rsplit_once(" at line 1 column ") {
            Some((what, column)) => format!("not a decision record: {what} in column {column}"),
            None => format!("not a decision record: {cause}"),
        }
    })?;
    record.question()
}
