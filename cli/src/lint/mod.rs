//! `robotsieve lint`: finds mistakes in files, and prints them in one of four formats.

pub mod args;
mod baseline;
mod fix;
mod github;
mod human;
mod jsonl;
mod sarif;
mod select;
mod summary;

use std::collections::HashSet;

use robotsieve::Profile;
use robotsieve::lint::{self, Finding, MAX_PER_CODE, Options, Severity};

use crate::error::{Failure, Status};
use crate::read::{robots_file, stdin, web};
use crate::write::place::Lines;
use crate::write::progress::{Bar, Measure};
use crate::write::stderr;
use crate::write::stdout::{Stdout, has_color};
use args::{FailOn, LintArgs, LintFormat};
use baseline::Baseline;
use fix::Plan;
use select::is_selected;
use summary::Summary;

/// A file with its findings.
struct Linted {
    /// The path as given, or `<stdin>`.
    name: String,
    bytes: Vec<u8>,
    lines: Lines,
    findings: Vec<Finding>,
    /// Whether the findings may hold in some profiles and not in others.
    several_profiles: bool,
}

/// Lints the files one after another. Except in SARIF, the findings of a file are printed before the
/// next one is read.
pub fn run(args: &LintArgs) -> Result<Status, Failure> {
    let options = options(args);
    stdin::at_most_once(&args.files)?;
    let plan = Plan::of(args.fix, args.diff);
    if args.fix.is_some() && !args.diff && args.files.iter().any(stdin::is_meant) {
        let message = "standard input cannot be fixed in place: use --diff, or name a file";
        return Err(Failure::Usage(message.into()));
    }
    if args.fix.is_some()
        && !args.diff
        && let Some(url) = args.files.iter().find_map(|file| web::url(file))
    {
        return Err(Failure::Usage(format!(
            "'{url}' cannot be fixed in place: use --diff, or download the file and name that"
        )));
    }
    let mut out = Stdout::new();
    let style = human::Style::new(has_color(args.color.color), args.max_per_code);
    let mut known = args.baseline.as_deref().map(Baseline::read).transpose()?;
    if let Some(path) = &args.write_baseline {
        Baseline::refuse_other(path)?;
    }
    let mut written = args.write_baseline.as_ref().map(|path| (Baseline::default(), path));
    let mut linted_files = HashSet::new();
    let bar = Bar::new(args.progress.progress, Measure::Count(args.files.len() as u64, "files"));
    let mut tally = Tally::default();
    let mut summary = Summary::default();
    let mut unreadable = false;
    let mut log = sarif::Log::default();
    for path in &args.files {
        bar.add(1);
        let bytes = match robots_file::text(path) {
            Ok(bytes) => bytes,
            Err(failure) => {
                stderr::error(&failure);
                unreadable = true;
                continue;
            }
        };
        let is_selected = |code| is_selected(&args.select, &args.ignore, code);
        let bytes = match plan {
            Some(plan) => match plan.fix(path, bytes, &options, is_selected, &mut out) {
                Ok(bytes) => bytes,
                Err(failure) => {
                    stderr::error(&failure);
                    unreadable = true;
                    continue;
                }
            },
            None => bytes,
        };
        let mut report = lint::lint(&bytes, &options);
        report.findings.retain(|finding| is_selected(finding.code));
        report.left_out.retain(|code, _| is_selected(*code));
        let mut linted = Linted {
            name: robots_file::shown(path),
            lines: Lines::of(&bytes),
            bytes,
            findings: report.findings,
            several_profiles: args.all_profiles,
        };
        if let Some((baseline, _)) = &mut written {
            baseline.add(&linted);
            continue;
        }
        if let Some(known) = &mut known {
            tally.known += known.take_known(&mut linted);
            linted_files.insert(baseline::file_of(&linted));
        }
        tally.add(&linted, report.undecided.len(), report.left_out.values().sum());
        // The diff is the output.
        if args.diff {
            continue;
        }
        summary.add(&linted);
        match args.format {
            LintFormat::Text => human::write(&linted, &style, &mut out)?,
            LintFormat::Jsonl => jsonl::write(&linted, &mut out)?,
            LintFormat::Github => github::write(&linted, &mut out)?,
            LintFormat::Sarif => log.add(&linted),
        }
    }
    bar.end();
    // With fewer codes, others do not occur for that reason.
    let gone = known.filter(|_| args.select.is_empty() && args.ignore.is_empty());
    let gone = gone.map_or(0, |known| known.gone(&linted_files));
    if gone > 0 {
        stderr::note(&format_args!(
            "{gone} of the findings in the baseline {} no longer there: --write-baseline writes it anew",
            if gone == 1 { "is" } else { "are" }
        ));
    }
    if let Some((baseline, path)) = written {
        if unreadable {
            return Err(Failure::Incomplete(format!(
                "baseline '{}' was not written, because a file could not be read",
                path.display()
            )));
        }
        let count = baseline.write(path)?;
        let findings = if count == 1 { "finding" } else { "findings" };
        stderr::note(&format_args!("wrote {count} {findings} to '{}'", path.display()));
        return Ok(Status::Done);
    }
    match args.format {
        _ if args.diff => {}
        LintFormat::Text => out.print(summary.shown())?,
        LintFormat::Sarif => out.print(log.finish(!unreadable))?,
        LintFormat::Jsonl | LintFormat::Github => {}
    }
    tally.say();
    let denied = match args.fail_on {
        FailOn::Note => tally.worst.is_some(),
        FailOn::Warning => tally.worst >= Some(Severity::Warning),
        FailOn::Error => tally.worst >= Some(Severity::Error),
        FailOn::Never => false,
    };
    Ok(match (unreadable, denied) {
        (true, _) => Status::Failed,
        (false, true) => Status::No,
        (false, false) => Status::Done,
    })
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
    errors: usize,
    warnings: usize,
    notes: usize,
    undecided: usize,
    left_out: usize,
    /// Those in the baseline.
    known: usize,
    worst: Option<Severity>,
}

impl Tally {
    fn add(&mut self, linted: &Linted, undecided: usize, left_out: usize) {
        self.files += 1;
        self.undecided += undecided;
        self.left_out += left_out;
        for finding in &linted.findings {
            self.worst = self.worst.max(Some(finding.severity));
            match finding.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Note => self.notes += 1,
            }
        }
    }

    fn say(&self) {
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
        let known = match self.known {
            0 => String::new(),
            n => format!("; {n} more are in the baseline"),
        };
        stderr::note(&format_args!(
            "files {} errors {} warnings {} notes {}{known}{left_out}{undecided}",
            self.files, self.errors, self.warnings, self.notes
        ));
    }
}
