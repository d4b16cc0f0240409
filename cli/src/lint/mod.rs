//! `robotsieve lint`: finds mistakes in files, and prints them in one of four formats.

pub mod args;
mod baseline;
mod fix;
mod github;
mod human;
mod linted;
mod sarif;
mod summary;

use std::io;
use std::path::Path;

use robotsieve::Profile;
use robotsieve_lint as lint;
use robotsieve_lint::{MAX_PER_CODE, Options, Selection, Severity};
use robotsieve_report::LintReport;

use crate::error::{Failure, Status};
use crate::read::{robots_file, stdin, web};
use crate::write::progress::{Bar, Measure};
use crate::write::stderr;
use crate::write::stdout::{self, Stdout, has_color};
use args::{FailOn, LintArgs, LintFormat};
use baseline::Known;
use fix::Plan;
use linted::Linted;
use summary::Summary;

/// Lints the files one after another. Except in SARIF, the findings of a file are printed before the
/// next one is read.
pub fn run(args: &LintArgs) -> Result<Status, Failure> {
    stdin::at_most_once(&args.files)?;
    refuse_to_fix_in_place(args)?;
    let mut run = Run::new(args)?;
    let bar = Bar::new(args.progress.progress, Measure::Count(args.files.len() as u64, "files"));
    for path in &args.files {
        bar.add(1);
        run.lint(path)?;
    }
    bar.end();
    run.end()
}

/// Standard input and URLs can be fixed on standard output only.
fn refuse_to_fix_in_place(args: &LintArgs) -> Result<(), Failure> {
    if args.fix.is_none() || args.diff {
        return Ok(());
    }
    if args.files.iter().any(stdin::is_meant) {
        let message = "standard input cannot be fixed in place: use --diff, or name a file";
        return Err(Failure::Usage(message.into()));
    }
    match args.files.iter().find_map(|file| web::url(file)) {
        Some(url) => Err(Failure::Usage(format!(
            "'{url}' cannot be fixed in place: use --diff, or download the file and name that"
        ))),
        None => Ok(()),
    }
}

/// All that is known while files are linted.
struct Run<'r> {
    args: &'r LintArgs,
    options: Options,
    selection: Selection,
    plan: Option<Plan>,
    known: Known<'r>,
    style: human::Style,
    out: Stdout,
    log: sarif::Log,
    tally: Tally,
    summary: Summary,
    /// True if a file could not be read, or written.
    failed: bool,
}

impl<'r> Run<'r> {
    fn new(args: &'r LintArgs) -> Result<Run<'r>, Failure> {
        Ok(Run {
            args,
            options: options(args),
            selection: Selection { select: args.select.clone(), ignore: args.ignore.clone() },
            plan: Plan::of(args.fix, args.diff),
            known: Known::of(args.baseline.as_deref(), args.write_baseline.as_deref())?,
            style: human::Style::new(has_color(args.color.color), args.max_per_code),
            out: Stdout::new(),
            log: sarif::Log::default(),
            tally: Tally::default(),
            summary: Summary::default(),
            failed: false,
        })
    }

    /// Lints a file. One that cannot be read does not end the others.
    fn lint(&mut self, path: &Path) -> Result<(), Failure> {
        let read = robots_file::text(path).and_then(|bytes| match self.plan {
            Some(plan) => plan.fix(path, bytes, &self.options, &self.selection, &mut self.out),
            None => Ok(bytes),
        });
        let bytes = match read {
            Ok(bytes) => bytes,
            Err(failure) => {
                stderr::error(&failure);
                self.failed = true;
                return Ok(());
            }
        };
        let (name, given) = (robots_file::shown(path), path.as_os_str().as_encoded_bytes());
        let mut found = lint::lint(&bytes, &self.options);
        found.select(&self.selection);
        let is_written = self.known.take(&name, &bytes, &mut found);
        if is_written {
            return Ok(());
        }
        let report = LintReport::new(Some(given), &bytes, &self.options, &found);
        let linted = Linted { name, bytes, report };
        self.tally.add(&linted.report);
        // The diff is the output.
        if self.args.diff {
            return Ok(());
        }
        self.summary.add(&linted);
        match self.args.format {
            LintFormat::Text => human::write(&linted, &self.style, &mut self.out),
            LintFormat::Jsonl => {
                let text = serde_json::to_string(&linted.report).map_err(io::Error::from);
                self.out.print(text.map_err(stdout::failed)? + "\n")
            }
            LintFormat::Github => github::write(&linted, &mut self.out),
            LintFormat::Sarif => {
                self.log.add(&linted);
                Ok(())
            }
        }
    }

    /// Prints what is about all files, and decides how the program ends.
    fn end(mut self) -> Result<Status, Failure> {
        // With fewer codes, others do not occur for that reason.
        if self.selection.is_all() {
            self.known.say_gone();
        }
        if self.known.write(self.failed)? {
            return Ok(Status::Done);
        }
        match self.args.format {
            _ if self.args.diff => {}
            LintFormat::Text => self.out.print(self.summary.shown())?,
            LintFormat::Sarif => self.out.print(self.log.finish(!self.failed))?,
            LintFormat::Jsonl | LintFormat::Github => {}
        }
        self.tally.say(self.known.count());
        let denied = match self.args.fail_on {
            FailOn::Note => self.tally.worst.is_some(),
            FailOn::Warning => self.tally.worst >= Some(Severity::Warning),
            FailOn::Error => self.tally.worst >= Some(Severity::Error),
            FailOn::Never => false,
        };
        Ok(match (self.failed, denied) {
            (true, _) => Status::Failed,
            (false, true) => Status::No,
            (false, false) => Status::Done,
        })
    }
}

fn options(args: &LintArgs) -> Options {
    let profiles = Profile::NAMED
        .iter()
        .copied()
        .filter(|(_, profile)| args.all_profiles || *profile == args.profile.get());
    let mut options = Options::new(profiles);
    options.content_type.clone_from(&args.content_type);
    options
}

/// How much was found in all files.
#[derive(Default)]
struct Tally {
    files: usize,
    /// Errors, warnings and notes.
    counts: [usize; 3],
    undecided: usize,
    left_out: usize,
    worst: Option<Severity>,
}

impl Tally {
    fn add(&mut self, report: &LintReport) {
        self.files += 1;
        self.undecided += report.undecided.len();
        self.left_out += report.left_out.iter().map(|left_out| left_out.count).sum::<usize>();
        for finding in &report.findings {
            self.worst = self.worst.max(Some(finding.severity));
            self.counts[summary::place(finding.severity)] += 1;
        }
    }

    fn say(&self, known: usize) {
        let undecided = match self.undecided {
            0 => String::new(),
            n => format!("; {n} rules may have no effect, but that is not proven"),
        };
        let left_out = match self.left_out {
            0 => String::new(),
            n => format!(
                "; {n} more are left out, after the first {MAX_PER_CODE} of a code in a file"
            ),
        };
        let known = match known {
            0 => String::new(),
            n => format!("; {n} more are in the baseline"),
        };
        let [errors, warnings, notes] = self.counts;
        stderr::note(&format_args!(
            "files {} errors {errors} warnings {warnings} notes {notes}{known}{left_out}{undecided}",
            self.files
        ));
    }
}
