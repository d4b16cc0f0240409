//! `robotsieve records`: prints everything in a robots.txt that is neither a user-agent line nor a
//! rule.

pub mod args;

use std::io::{self, Write};

use robotsieve::Robots;
use robotsieve::records::Sitemap;
use robotsieve_report::{RecordsReport, TypedRecord, bytes};

use crate::error::{Failure, Status};
use crate::options::Format;
use crate::read::{robots_file, web};
use crate::write::bytes::shown;
use crate::write::stdout::{self, Stdout};
use args::RecordsArgs;

/// Prints the records.
pub fn run(args: &RecordsArgs) -> Result<Status, Failure> {
    let profile = args.profile.get();
    let file = match web::url(&args.robots) {
        Some(_) => robots_file::text(&args.robots)?,
        None => robots_file::given(&args.robots, &[profile])?.bytes,
    };
    let robots = Robots::parse(&file, &profile);
    robots_file::note_cut(&args.robots, &file, &robots);
    let crawlers = args.agents.crawlers(&profile)?;
    let resolve = |sitemap: &Sitemap<'_>| match &args.base {
        Some(base) => sitemap.resolve(base).map(String::from).map_err(|cause| cause.to_string()),
        None => Err(String::new()),
    };
    let report = RecordsReport::new(
        Some(args.robots.as_os_str().as_encoded_bytes()),
        &robots,
        (!crawlers.is_empty()).then_some(&crawlers),
        args.base.as_ref().map(|_| &resolve as _),
    );
    let mut out = io::BufWriter::new(Stdout::new());
    let printed = match args.format {
        Format::Text => print(&report, &mut out),
        Format::Json => serde_json::to_writer(&mut out, &report)
            .map_err(io::Error::from)
            .and_then(|()| writeln!(out)),
    };
    printed.and_then(|()| out.flush()).map_err(stdout::failed)?;
    Ok(Status::Done)
}

fn print(report: &RecordsReport, out: &mut impl Write) -> io::Result<()> {
    let records = &report.records;
    let text = |text: &str, base64: &Option<String>| shown(&bytes(text, base64.as_deref()));
    let line_width = records.last().map_or(1, |last| last.line.to_string().len());
    let names = records.iter().map(|one| text(&one.field, &one.field_base64).chars().count());
    let name_width = names.filter(|len| *len <= 24).max().unwrap_or(0);
    for scope in &report.scopes {
        writeln!(out, "{}:", scope.label)?;
        let is_of = |record: &&TypedRecord| {
            (record.scope, record.group, record.run) == (scope.scope, scope.group, scope.run)
        };
        for record in records.iter().filter(is_of) {
            let name = text(&record.field, &record.field_base64);
            let value = text(&record.value, &record.value_base64);
            write!(out, "  line {:line_width$}  {name:name_width$}  {value}", record.line)?;
            match &record.note {
                Some(note) => writeln!(out, "  ({note})")?,
                None => writeln!(out)?,
            }
        }
        scope.notes.iter().try_for_each(|note| writeln!(out, "  note: {note}"))?;
    }
    report.sentences.iter().try_for_each(|sentence| writeln!(out, "{}", sentence.text))
}
