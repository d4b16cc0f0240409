//! `robotsieve audit`: the crawlers that fetched what the robots.txt forbids, by the site's logs.

pub mod args;
mod input;
mod lines;
pub mod ranges;
mod text;
mod threads;

use std::ffi::OsString;
use std::io::{BufWriter, Write};
use std::sync::Arc;

use robotsieve::{Profile, Robots};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{Attempt, Outcome, Protocol, Response};
use robotsieve_known::Operators;
use robotsieve_owners::audit::{Audit, AuditReport, AuditedCrawler, LogFormat, Version};

use crate::error::{Failure, Status};
use crate::known::refused_name;
use crate::options::Format;
use crate::read::robots_file::{self, Given};
use crate::read::stdin;
use crate::write::report::Report;
use crate::write::stdout::{self, Stdout};
use crate::write::{bytes, stderr};
use args::{AuditArgs, WhoseAddresses};
use input::Input;
use threads::List;

/// Reads the logs and reports.
pub fn run(args: &AuditArgs) -> Result<Status, Failure> {
    let versions = args.versions()?;
    let logs = args.logs()?;
    let paths = versions.iter().map(|version| version.path.as_os_str());
    stdin::at_most_once(paths.chain(logs.iter().map(OsString::as_os_str)))?;
    let format = args.format_string.as_deref().map(LogFormat::template).transpose();
    let format = format.map_err(|wrong| Failure::Usage(format!("--format-string: {wrong}")))?;
    if versions.len() > 1 && format.as_ref().is_some_and(|format| !format.has_time()) {
        return Err(Failure::Usage(
            "--format-string lacks the time ($time_local, %t), by which one of several robots.txt \
             files is chosen"
                .into(),
        ));
    }
    let format = format.or_else(|| args.log_format.clone());
    let known = args.known.read()?;
    let profile = args.profile.get();
    let given =
        versions.iter().map(|version| robots_file::asked(&version.path, &[profile], &known));
    let files: Vec<Given> = given.collect::<Result<_, _>>()?;
    are_files(&versions, &files)?;
    let dated = versions.iter().zip(&files).map(|(version, file)| {
        let robots = Robots::parse(&file.bytes, &profile);
        robots_file::note_cut(&version.path, &file.bytes, &robots);
        let mut dated = Version::new(robots_file::shown(&version.path), robots);
        if args.profile.by_operators() {
            dated = dated.by_operators(Operators::of(&file.bytes, &profile, known.iter()));
        }
        if let Some(from) = version.from {
            dated = dated.from(from.0);
        }
        dated
    });
    let dated: Vec<Version<'_>> = dated.collect();
    let is_named =
        |name: &&String| dated.iter().all(|version| version.did_you_mean(name, &known).is_some());
    if let Some(name) = args.crawlers.iter().find(is_named) {
        let question = dated.iter().find_map(|version| version.did_you_mean(name, &known));
        return Err(refused_name(question.unwrap_or_default()));
    }
    let mut audit = Audit::new(dated, &known, means_none);
    args.purpose.purposes.iter().for_each(|purpose| audit.choose_purpose(*purpose));
    for token in &args.crawlers {
        let chosen = audit.choose_crawler(token);
        chosen.map_err(|wrong| Failure::Usage(format!("--crawler {wrong}")))?;
    }
    if let Some(whose) = args.addresses {
        may_list(whose, args)?;
        audit.keep_addresses();
    }
    args.host.iter().for_each(|host| audit.add_host(host));
    for option in &args.ranges {
        ranges::add(option, &known, &mut audit)?;
    }
    let errors = Arc::new(Report::new(args.progress.progress, &logs));
    let input = Input::new(&logs, format, args.list, Arc::clone(&errors));
    let list = args.list.then(List::new);
    let counts = threads::judge(&audit, input, list, args.threads)?;
    let read = errors.end();
    let unless_failed = |found| if read == Status::Done { found } else { read };
    // Lines were listed, so something is forbidden.
    let Some(counts) = counts else { return Ok(unless_failed(Status::No)) };
    let report = counts.report();
    notes(args, &report);
    if args.list {
        if report.excused > 0 {
            stderr::note(&format_args!(
                "of the listed lines, {} are of crawlers that might fetch all then: they were refused /robots.txt itself, or \
                 another crawler of their operator was",
                report.excused
            ));
        }
        report.sentences.iter().for_each(|line| stderr::note(&line.text));
    } else if let Some(whose) = args.addresses {
        let listed = counts.addresses(whose.into());
        let lines: String = listed.addresses.iter().map(|address| format!("{address}\n")).collect();
        let mut out = Stdout::new();
        out.print(lines.as_bytes())?;
        report.sentences.iter().for_each(|line| stderr::note(&line.text));
        listed.notes.iter().for_each(|note| stderr::note(note));
    } else {
        let mut out = BufWriter::new(Stdout::new());
        let printed = match args.format() {
            Format::Text => text::print(&report, !args.ranges.is_empty(), &mut out),
            Format::Json => serde_json::to_writer(&mut out, &report)
                .map_err(Into::into)
                .and_then(|()| writeln!(out)),
        };
        printed.and_then(|()| out.flush()).map_err(stdout::failed)?;
    }
    if report.lines == 0 && report.unread.is_empty() {
        return Err(Failure::Incomplete(
            "the logs have no lines, so nothing was judged: an empty log does not show that anybody obeys"
                .into(),
        ));
    }
    if report.lacks_headers() {
        return Err(Failure::Incomplete(
            "no line of the logs has a User-Agent header, so no crawler can be found in them: write \
             them in the combined format, or describe it with --format-string"
                .into(),
        ));
    }
    if report.lacks_requests() {
        return Err(Failure::Incomplete(
            match args.log_format.is_some() || args.format_string.is_some() {
                true => {
                    "no line of the logs could be read in this format, so nothing was judged: leave \
                     --log-format and --format-string out to have it found, or give the one that is \
                     theirs"
                }
                false => "no line of the logs could be read, so nothing was judged",
            }
            .into(),
        ));
    }
    if report.lacks_hosts() {
        let hosts: Vec<String> =
            args.host.iter().map(|host| bytes::shown(host.as_bytes())).collect();
        return Err(Failure::Incomplete(format!(
            "no request is for {}, so nothing was judged; the logs have {}",
            hosts.join(", "),
            report.hosts.join(", ")
        )));
    }
    Ok(unless_failed(if report.forbidden > 0 { Status::No } else { Status::Done }))
}

/// Returns true if a status in the place of a robots.txt means that there is none, so that all may be fetched.
fn means_none(profile: &Profile, status: u16) -> bool {
    let attempt = Attempt::new(Timestamp(0), Ok(Response::new(status, *b"")));
    let state = Protocol::of(profile).after(None, &attempt);
    state.is_ok_and(|state| matches!(state.last, Outcome::Absent(_)))
}

/// Refuses to list addresses that nobody can blame.
fn may_list(whose: WhoseAddresses, args: &AuditArgs) -> Result<(), Failure> {
    if whose == WhoseAddresses::Impostors && args.ranges.is_empty() {
        return Err(Failure::Usage(
            "--addresses impostors needs the addresses of the crawlers themselves: give them with --ranges FILE"
                .into(),
        ));
    }
    Ok(())
}

/// Refuses to judge by what a URL answers now in the place of a file: a log tells of the past.
fn are_files(versions: &[args::Version], files: &[Given]) -> Result<(), Failure> {
    for (version, file) in versions.iter().zip(files) {
        if let Some(cause) = file.cause() {
            return Err(Failure::Incomplete(format!(
                "nothing was judged: '{}' gives no file now, but {cause}, which says nothing of the time of the logs: \
                 give the file that crawlers could read then, with --robots FILE",
                version.path.display()
            )));
        }
    }
    Ok(())
}

/// What one should know before one believes the report.
fn notes(args: &AuditArgs, report: &AuditReport) {
    if args.host.is_empty() && report.hosts.len() > 1 {
        stderr::note(&format_args!(
            "the logs have several hosts ({}), and all were judged by the same robots.txt: \
             choose one with --host",
            report.hosts.join(", ")
        ));
    }
    for name in &report.not_found {
        let of = match args.crawlers.is_empty() && args.purpose.purposes.is_empty() {
            true => "a crawler",
            false => "the crawlers chosen",
        };
        stderr::note(&format_args!(
            "no request of {of} has the name of '{name}', whose addresses --ranges gives"
        ));
    }
    for token in &args.crawlers {
        let is_it = |crawler: &AuditedCrawler| {
            crawler.token.as_ref().is_some_and(|there| there.eq_ignore_ascii_case(token))
        };
        if !report.crawlers.iter().any(is_it) {
            let name = bytes::shown(token.as_bytes());
            stderr::note(&format_args!(
                "no request of a crawler has the name of '{name}', the crawler asked for"
            ));
        }
    }
    if report.before_first > 0 {
        let requests = match report.before_first {
            1 => "1 request was".to_owned(),
            n => format!("{n} requests were"),
        };
        stderr::note(&format_args!(
            "{requests} made before the date of '{}', the first robots.txt, and judged by it",
            report.robots[0].file
        ));
    }
}
