//! `robotsieve audit`: the crawlers that fetched what the robots.txt forbids, by the site's logs.

pub mod args;
mod lines;
mod ranges;
mod text;

use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use memchr::memchr_iter;
use robotsieve::Robots;
use robotsieve::audit::{Audit, AuditReport, LogFormat, LogLine, Version};

use crate::error::{Failure, Status};
use crate::options::Format;
use crate::read::robots_file::{self, Given};
use crate::read::{inputs, stdin};
use crate::write::report::Report;
use crate::write::stdout::{self, Stdout};
use crate::write::{bytes, stderr};
use args::AuditArgs;
use lines::Block;

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
    let format = format.or(args.log_format.map(LogFormat::from));
    let known = args.known.read()?;
    let profile = args.profile.get();
    let given =
        versions.iter().map(|version| robots_file::given_for(&version.path, &[profile], &known));
    let files: Vec<Given> = given.collect::<Result<_, _>>()?;
    let dated = versions.iter().zip(&files).map(|(version, file)| {
        let robots = Robots::parse(&file.bytes, &profile);
        robots_file::note_cut(&version.path, &file.bytes, &robots);
        let mut dated = Version::new(robots_file::shown(&version.path), robots);
        if let Some(from) = version.from {
            dated = dated.from(from.0);
        }
        match file.cause() {
            Some(cause) => dated.answered(cause),
            None => dated,
        }
    });
    let mut audit = Audit::new(dated.collect(), &known);
    args.host.iter().for_each(|host| audit.add_host(host));
    for option in &args.ranges {
        ranges::add(option, &known, &mut audit)?;
    }
    let mut list = args.list.then(|| List {
        out: BufWriter::with_capacity(1 << 16, Stdout::new()),
        harmless: io::stdout().is_terminal(),
    });
    let errors = Arc::new(Report::new(args.progress.progress, &logs));
    for log in &logs {
        read(log, format.as_ref(), &mut audit, &mut list, &errors)?;
    }
    let read = errors.end();
    let report = audit.report();
    if let Some(List { out, .. }) = &mut list {
        out.flush().map_err(stdout::failed)?;
    }
    notes(args, &report);
    if list.is_some() {
        report.sentences.iter().for_each(|line| stderr::note(&line.text));
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
    if report.lacks_headers() {
        return Err(Failure::Incomplete(
            "no line of the logs has a User-Agent header, so no crawler can be found in them: write \
             them in the combined format, or describe it with --format-string"
                .into(),
        ));
    }
    if report.lacks_requests() {
        return Err(Failure::Incomplete(
            "no line of the logs could be read in this format, so nothing was judged: leave \
             --log-format and --format-string out to have it found, or give the one that is theirs"
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
    let found = if report.forbidden > 0 { Status::No } else { Status::Done };
    Ok(if read == Status::Done { found } else { read })
}

/// Where forbidden requests are printed.
struct List {
    out: BufWriter<Stdout>,
    /// True if control characters are escaped.
    harmless: bool,
}

impl List {
    fn print(&mut self, line: &[u8]) -> io::Result<()> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = if self.harmless { bytes::on_one_line(line) } else { line.into() };
        self.out.write_all(&line)?;
        self.out.write_all(b"\n")
    }
}

/// Reads one log.
fn read(
    log: &OsString,
    format: Option<&LogFormat>,
    audit: &mut Audit<'_>,
    list: &mut Option<List>,
    errors: &Arc<Report>,
) -> Result<(), Failure> {
    let input = match inputs::open(log, errors) {
        Ok(input) => input,
        Err(cause) => {
            errors.error(&inputs::cannot_read(log, &cause));
            return Ok(());
        }
    };
    audit.begin_log(&robots_file::shown(Path::new(log)), format.cloned());
    let read = lines::each(input, |block| {
        let block = match block {
            Block::Lines(block) => block,
            Block::TooLong => {
                audit.skip_line();
                return Ok(());
            }
        };
        audit.detect(block);
        let mut from = 0;
        for to in memchr_iter(b'\n', block) {
            let line = &block[from..to];
            from = to + 1;
            if audit.line(line) == LogLine::Forbidden
                && let Some(list) = list
            {
                list.print(line).map_err(|cause| Stop::Output(stdout::failed(cause)))?;
            }
        }
        Ok(())
    });
    match read {
        Ok(()) => {}
        Err(Stop::Output(failure)) => return Err(failure),
        Err(Stop::Input(cause)) => {
            errors.error(&format_args!("{} breaks off: {cause}", inputs::shown(log)));
        }
    }
    if !audit.end_log() {
        errors.error(&format_args!(
            "cannot tell the format of {}: it is not combined, common, the W3C's, or JSON of Caddy, \
             Cloudflare, nginx or Traefik; describe it with --format-string",
            inputs::shown(log)
        ));
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
    if report.lines == 0 {
        stderr::note(&"the logs have no lines");
    }
    for name in &report.not_found {
        stderr::note(&format_args!(
            "no request has the name of '{name}', whose addresses --ranges gives"
        ));
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

/// Why a log is not read to its end.
enum Stop {
    Input(io::Error),
    Output(Failure),
}

impl From<io::Error> for Stop {
    fn from(cause: io::Error) -> Stop {
        Stop::Input(cause)
    }
}
