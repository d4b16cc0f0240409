//! `robotsieve lint`: finds mistakes in files, and prints them in one of four formats.

pub mod args;
mod fix;
mod github;
mod human;
mod jsonl;
mod place;
mod sarif;

use robotsieve::Profile;
use robotsieve::lint::{self, Finding, Options, Severity};

use crate::error::{Failure, Status};
use crate::read::{robots_file, stdin};
use crate::write::progress::{Bar, Measure};
use crate::write::stderr;
use crate::write::stdout::{Stdout, has_color};
use args::{Deny, LintArgs, LintFormat};
use fix::Plan;
use place::Lines;

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
    let mut out = Stdout::new();
    let is_colored = has_color(args.color.color);
    let bar = Bar::new(args.progress.progress, Measure::Count(args.files.len() as u64, "files"));
    let mut tally = Tally::default();
    let mut unreadable = false;
    let mut log = sarif::Log::default();
    for path in &args.files {
        bar.add(1);
        let bytes = match robots_file::given(path) {
            Ok(bytes) => bytes,
            Err(failure) => {
                stderr::error(&failure);
                unreadable = true;
                continue;
            }
        };
        let bytes = match plan {
            Some(plan) => match plan.fix(path, bytes, &options, &mut out) {
                Ok(bytes) => bytes,
                Err(failure) => {
                    stderr::error(&failure);
                    unreadable = true;
                    continue;
                }
            },
            None => bytes,
        };
        let report = lint::lint(&bytes, &options);
        tally.add(&report);
        let linted = Linted {
            name: robots_file::shown(path),
            lines: Lines::of(&bytes),
            bytes,
            findings: report.findings,
            several_profiles: args.all_profiles,
        };
        // The diff is the output.
        if args.diff {
            continue;
        }
        match args.format {
            LintFormat::Text => human::write(&linted, args.max_per_code, is_colored, &mut out)?,
            LintFormat::Jsonl => jsonl::write(&linted, &mut out)?,
            LintFormat::Github => github::write(&linted, &mut out)?,
            LintFormat::Sarif => log.add(&linted),
        }
    }
    if args.format == LintFormat::Sarif {
        out.print(log.finish(!unreadable))?;
    }
    bar.end();
    tally.say();
    let denied = match args.deny {
        Deny::Note => tally.worst.is_some(),
        Deny::Warning => tally.worst >= Some(Severity::Warning),
        Deny::Error => tally.worst >= Some(Severity::Error),
        Deny::Never => false,
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
    worst: Option<Severity>,
}

impl Tally {
    fn add(&mut self, report: &lint::Report) {
        self.files += 1;
        self.undecided += report.undecided.len();
        for finding in &report.findings {
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
        stderr::note(&format_args!(
            "files {} errors {} warnings {} notes {}{undecided}",
            self.files, self.errors, self.warnings, self.notes
        ));
    }
}
