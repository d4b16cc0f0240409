//! `robotsieve diff`: compares what two robots.txt files mean.

pub mod args;
mod github;
mod markdown;
mod text;
mod urls;

use std::ffi::OsString;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::sync::Arc;

use robotsieve::Robots;
use robotsieve_lint::diff::Limits;
use robotsieve_report::{Comparison, CrawlerDiff, DiffReport, DiffResult, InsteadOfFile};

use crate::error::{Failure, Status};
use crate::known::Known;
use crate::read::web::Answer;
use crate::read::{robots_file, stdin, web};
use crate::write::progress;
use crate::write::report::Report;
use crate::write::stdout::{self, Stdout};
use args::{DiffArgs, DiffFormat};
use urls::Urls;

/// Compares the files and prints what changed.
pub fn run(args: &DiffArgs) -> Result<Status, Failure> {
    let urls = args.urls.iter().map(OsString::as_os_str);
    stdin::at_most_once(urls.chain([args.old.as_os_str(), args.new.as_os_str()]))?;
    let names_risks = [DiffFormat::Markdown, DiffFormat::Github].contains(&args.format);
    if !names_risks && !args.known.files.is_empty() {
        return Err(Failure::Usage(
            "--crawlers is for '--format markdown' and '--format github', which name known crawlers"
                .into(),
        ));
    }
    // An answer in the place of a file counts for known crawlers that ignore `*`, in each format.
    let may_be_answered = [&args.old, &args.new].into_iter().any(|path| web::url(path).is_some());
    let known = if names_risks || may_be_answered { args.known.read()? } else { Known::default() };
    let profile = args.profile.get();
    let asked = |path| robots_file::asked(path, &[profile], &known);
    let (old, new) = (asked(&args.old)?, asked(&args.new)?);
    let (files, answers) = ([old.bytes, new.bytes], [old.answer, new.answer]);
    let [old, new] = [0, 1].map(|side: usize| Robots::parse(&files[side], &profile));
    robots_file::note_cut(&args.old, &files[0], &old);
    robots_file::note_cut(&args.new, &files[1], &new);
    let mut limits = Limits::default();
    // Programs get as many as the library finds, people a few.
    let few = (args.format != DiffFormat::Json).then_some(limits.flips);
    if let Some(limit) = args.limit.map(NonZeroUsize::get).or(few) {
        (limits.flips, limits.records) = (limit, limit);
    }
    let mut comparison = Comparison::of(&old, &new)
        .names([&args.old, &args.new].map(|path| Some(path.as_os_str().as_encoded_bytes())))
        .answers(answers.map(|answer| answer.map(instead)))
        .limits(limits);
    comparison = if names_risks { comparison.risks(&known) } else { comparison.known(&known) };
    if !args.agents.0.is_empty() {
        let names = args.agents.0.iter().map(|agent| agent.text.as_encoded_bytes().to_vec());
        comparison = comparison.crawlers(names.zip(args.agents.crawlers(&profile)?).collect());
    }
    let compare = || {
        let report = comparison.report();
        let is_changed = |same: &CrawlerDiff| same.result != DiffResult::Equal;
        let changed = report.crawlers.iter().enumerate().filter(|(_, same)| is_changed(same));
        let changed = changed.filter(|_| !args.urls.is_empty());
        let policies = changed.map(|(at, same)| (at, comparison.policies(same))).collect();
        (report, policies)
    };
    let (mut report, policies) =
        progress::with_spinner(args.progress.progress, "comparing", compare);
    let progress = Arc::new(Report::new(args.progress.progress, &args.urls));
    let urls = Urls { given: &args.urls, policies, profile, progress: &progress };
    let mut out = io::BufWriter::new(Stdout::new());
    let printed = match args.format {
        DiffFormat::Text => text::print(&mut report, &urls, &mut out),
        DiffFormat::Json => print_json(&mut report, &urls, &mut out),
        DiffFormat::Markdown => {
            markdown::print(&robots_file::shown(&args.new), &mut report, &urls, &mut out)
        }
        DiffFormat::Github => {
            github::print(&robots_file::shown(&args.new), &mut report, &urls, &mut out)
        }
    };
    let read = progress.end();
    printed.and_then(|()| out.flush()).map_err(stdout::failed)?;
    Ok(match (read, report.result) {
        (Status::Done, DiffResult::Equal) => Status::Done,
        (Status::Done, _) => Status::No,
        (other, _) => other,
    })
}

fn instead(answer: Answer) -> InsteadOfFile {
    let Answer { url, cause, verdict, meaning, .. } = answer;
    InsteadOfFile { url, answer: cause, verdict, why: meaning.to_owned() }
}

/// Prints the document. The URLs, its first member, are printed as they are found: there may be
/// very many.
fn print_json(report: &mut DiffReport, urls: &Urls<'_>, out: &mut impl Write) -> io::Result<()> {
    const FIRST: &str = "{\"urls\":[";
    let mut comma = "";
    if !urls.given.is_empty() {
        write!(out, "{FIRST}")?;
    }
    urls.flipping(report, |flip| {
        let flip = serde_json::to_string(flip)?;
        write!(out, "{}\n{flip}", std::mem::replace(&mut comma, ","))
    })?;
    let document = serde_json::to_string(report)?;
    let rest = if urls.given.is_empty() { None } else { document.strip_prefix(FIRST) };
    writeln!(out, "{}", rest.unwrap_or(&document))
}
