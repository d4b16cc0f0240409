//! `robotsieve test`: tests that a robots.txt does what is expected of it.

pub mod args;
mod github;
mod junit;
mod sarif;
mod text;

use std::ffi::OsString;
use std::io::{self, BufReader, ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

use robotsieve::{Policy, Profile, Verdict};
use robotsieve_client::lines::{Line, Lines, URL_BYTES};
use robotsieve_owners::reach::SitemapUrls;
use robotsieve_owners::test::{Expectations, Init, Subject, Tested};
use robotsieve_report::tally::Tally;

use crate::error::{Failure, Status};
use crate::known::Known;
use crate::read::robots_file::{self, Given};
use crate::read::{inputs, stdin};
use crate::sitemap::{self, Sitemaps};
use crate::write::report::{MOST_ALIKE, Report};
use crate::write::stdout::{self, Stdout};
use crate::write::{progress, stderr};
use args::{TestArgs, TestFormat};

/// The longest line of a file of expectations: room for a URL, and for names and a comment.
const LINE_BYTES: usize = URL_BYTES + (64 << 10);

/// How many lines that are no expectations are told one by one.
const MOST_WRONG: u64 = 20;

/// Tests the expectations, or prints some that hold.
pub fn run(args: &TestArgs) -> Result<Status, Failure> {
    let urls = if args.init { &[][..] } else { &args.rest };
    let inputs = urls.iter().chain(&args.sitemap.names).map(OsString::as_os_str);
    stdin::at_most_once(inputs.chain([args.robots.as_os_str()]))?;
    let known = args.known.read()?;
    let profiles: Vec<Profile> = args.profiles().iter().map(|(_, profile)| *profile).collect();
    let given = robots_file::given_for(&args.robots, &profiles, &known)?;
    let Given { bytes, answer } = &given;
    // What holds of a server that fails is not what the file says, so --quiet does not hide it.
    let failed = answer.as_ref().filter(|answer| answer.verdict == Verdict::Disallow);
    if let Some(answer) = failed.filter(|_| stderr::is_quiet()) {
        stderr::error(answer);
    }
    let mut subject = Subject::new(robots_file::shown(&args.robots), bytes, &profiles);
    if let Some(answer) = answer {
        subject = subject.answered(&*answer.cause, answer.to_string());
    }
    if args.by_operators() && answer.is_none() {
        subject = subject.by_operators(bytes, &known);
    }
    subject.robots().iter().for_each(|robots| robots_file::note_cut(&args.robots, bytes, robots));
    if args.init {
        return init(args, subject, &known);
    }
    let mut expectations = match read(args, subject, &known)? {
        Ok(expectations) => expectations,
        Err(status) => return Ok(status),
    };
    let mut status = Status::Done;
    if args.sitemap.is_given() {
        let policies = expectations.sitemap_policies();
        if policies.is_empty() {
            return Err(Failure::Usage(
                "no expectation is about the sitemap: write '@sitemap' in the place of a URL, as in \
                 'allow Googlebot @sitemap'"
                    .into(),
            ));
        }
        let (urls, tallies, read) = judge_sitemap(args, expectations.subject(), policies)?;
        for line in &urls.sentences {
            stderr::note(&line.text);
        }
        expectations.add_sitemap(urls, tallies);
        status = read;
    }
    let tested = expectations.test();
    print(args, bytes, &tested)?;
    Ok(match status {
        Status::Done if tested.failed() > 0 => Status::No,
        status => status,
    })
}

fn print(args: &TestArgs, bytes: &[u8], tested: &Tested<'_>) -> Result<(), Failure> {
    let report = tested.report();
    let mut out = io::BufWriter::new(Stdout::new());
    let printed = match args.format {
        TestFormat::Text => text::print(args, bytes, tested, &mut out),
        TestFormat::Json => serde_json::to_writer(&mut out, &report)
            .map_err(Into::into)
            .and_then(|()| writeln!(out)),
        TestFormat::Junit => junit::print(args, bytes, &report, tested, &mut out),
        TestFormat::Github => github::print(bytes, &report, &mut out),
        TestFormat::Sarif => sarif::print(bytes, &report, &mut out),
    };
    printed.and_then(|()| out.flush()).map_err(stdout::failed)?;
    report.sentences.iter().for_each(|line| stderr::note(&line.text));
    Ok(())
}

/// Reads all files. What is wrong is reported; then nothing is tested, and the status says what it was.
fn read<'a>(
    args: &TestArgs,
    subject: Subject<'a>,
    known: &'a Known,
) -> Result<Result<Expectations<'a>, Status>, Failure> {
    let report = Arc::new(Report::new(args.progress.progress, &args.rest));
    let mut read = Expectations::new(subject, known);
    if args.sitemap.is_given() {
        read = read.with_sitemap();
    }
    let mut wrong = 0;
    for name in &args.rest {
        let shown = robots_file::shown(Path::new(name));
        read.begin_file(&*shown);
        let input = match inputs::open(name, &report) {
            Ok(input) => input,
            Err(cause) if cause.kind() == ErrorKind::NotFound => {
                report.error(&format_args!(
                    "cannot read {}: {cause}; 'robotsieve test --init ROBOTS' prints expectations to \
                     begin with",
                    inputs::shown(name)
                ));
                continue;
            }
            Err(cause) => {
                report.error(&inputs::cannot_read(name, &cause));
                continue;
            }
        };
        let mut lines = Lines::of(BufReader::with_capacity(64 << 10, input), LINE_BYTES);
        loop {
            let (number, line) = match lines.next_line() {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(cause) => {
                    report.error(&inputs::cannot_read(name, &cause));
                    break;
                }
            };
            let added = match line {
                Line::Whole(line) => read.add_line(number, line),
                Line::TooLong(_) => Err(format!("the line is longer than {LINE_BYTES} bytes")),
            };
            if let Err(message) = added {
                wrong += 1;
                if wrong <= MOST_WRONG {
                    stderr::error(&format_args!("{shown}:{number}: {message}"));
                }
            }
        }
    }
    if wrong > MOST_WRONG {
        stderr::error(&format_args!("{} more lines are no expectations", wrong - MOST_WRONG));
    }
    let status = report.end();
    for note in read.notes().iter().take(MOST_ALIKE as usize) {
        stderr::note(note);
    }
    if let Some(more) = read.notes().len().checked_sub(MOST_ALIKE as usize + 1) {
        stderr::note(&format_args!("{} more names have such notes", more + 1));
    }
    if status != Status::Done {
        return Ok(Err(status));
    }
    if wrong > 0 {
        return Ok(Err(Status::Usage));
    }
    if read.is_empty() {
        return Err(Failure::Usage(
            "there is no expectation in what was read: 'robotsieve test --init ROBOTS' prints some \
             that hold today"
                .into(),
        ));
    }
    Ok(Ok(read))
}

/// Prints expectations that hold today.
fn init<'a>(args: &TestArgs, subject: Subject<'a>, known: &'a Known) -> Result<Status, Failure> {
    let urls: Vec<&[u8]> = args.rest.iter().map(|url| url.as_encoded_bytes()).collect();
    let compare = || Init::new(subject, known, &urls);
    let compared = progress::with_spinner(args.progress.progress, "comparing", compare);
    let mut init = compared.map_err(Failure::Usage)?;
    let mut status = Status::Done;
    if args.sitemap.is_given() {
        let (_, tallies, read) = judge_sitemap(args, init.subject(), init.sitemap_policies())?;
        // What is not known of a part of it does not hold for all.
        if read == Status::Done {
            init.add_sitemap(&tallies);
        }
        status = read;
    }
    stdout::print(init.text())?;
    let s = if init.len() == 1 { "" } else { "s" };
    stderr::note(&format_args!("{} expectation{s} printed", init.len()));
    Ok(status)
}

/// Judges the URLs of the sitemaps that are of the site. The status says whether all of them could
/// be read.
///
/// # Errors
/// Returns an error if `--site` is no origin, or no URL is of the site.
fn judge_sitemap(
    args: &TestArgs,
    subject: &Subject<'_>,
    mut policies: Vec<(Policy, Tally)>,
) -> Result<(SitemapUrls, Vec<Tally>, Status), Failure> {
    // Those that the first profile reads.
    let names = args.sitemap.resolved(&subject.robots()[0], &args.robots)?;
    // In this profile more URLs have a host that is not clear.
    let google = args.by_operators()
        || subject.robots().iter().any(|robots| *robots.profile() == Profile::GOOGLE);
    let mut split = sitemap::site_urls(&args.site, args.robots.as_os_str(), &names.all, google)?;
    let report = Arc::new(Report::new(args.progress.progress, &names.all));
    let mut sitemaps = Sitemaps::new(names, Arc::clone(&report));
    sitemap::judge(&mut sitemaps, &mut split, &mut policies);
    let status = report.end();
    if status == Status::Done {
        sitemap::require_any(&split)?;
    }
    let tallies = policies.into_iter().map(|(_, tally)| tally).collect();
    Ok((split.report(), tallies, status))
}
