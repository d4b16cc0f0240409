//! `robotsieve diff`: compares what two robots.txt files mean.

pub mod args;
mod github;
mod markdown;
mod text;
mod urls;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use robotsieve::internals::RobotsInternals as _;
use robotsieve::{Crawler, Profile, Robots};
use robotsieve_lint::diff::Limits;
use robotsieve_report::{Comparison, CrawlerDiff, DiffReport, DiffResult, InsteadOfFile};
use robotsieve_shown::first_of;

use crate::error::{Failure, Status};
use crate::known::Known;
use crate::read::policy::OperatorsNote;
use crate::read::web::Answer;
use crate::read::{robots_file, stdin};
use crate::write::report::Report;
use crate::write::stdout::{self, Stdout};
use crate::write::{progress, stderr};
use args::{DiffArgs, DiffFormat};
use urls::Urls;

/// The most names in a note.
const NAMES: usize = 3;

/// Compares the files and prints what changed.
pub fn run(args: &DiffArgs) -> Result<Status, Failure> {
    let urls = args.urls.iter().map(OsString::as_os_str);
    stdin::at_most_once(urls.chain([args.old.as_os_str(), args.new.as_os_str()]))?;
    let known = args.known.read()?;
    let profile = args.profile.get();
    let asked = |path| robots_file::asked(path, &[profile], &known);
    let (old, new) = (asked(&args.old)?, asked(&args.new)?);
    let (files, answers) = ([old.bytes, new.bytes], [old.answer, new.answer]);
    let [old, new] = [0, 1].map(|side: usize| Robots::parse(&files[side], &profile));
    robots_file::note_cut(&args.old, &files[0], &old);
    robots_file::note_cut(&args.new, &files[1], &new);
    let is_answered = answers.each_ref().map(Option::is_some);
    let mut limits = Limits::default();
    // Programs get as many as the library finds, people a few.
    let few = (args.format != DiffFormat::Json).then_some(limits.flips);
    if let Some(limit) = args.limit.map(NonZeroUsize::get).or(few) {
        (limits.flips, limits.records) = (limit, limit);
    }
    let mut comparison = Comparison::of(&old, &new)
        .names([&args.old, &args.new].map(|path| Some(path.as_os_str().as_encoded_bytes())))
        .answers(answers.map(|answer| answer.map(instead)))
        .limits(limits)
        .risks(&known);
    if args.profile.by_operators() {
        comparison = comparison.by_operators();
    }
    if !args.agents.0.is_empty() {
        let crawlers = args.agents.crawlers(&profile)?;
        let sides = [(&args.old, &old), (&args.new, &new)].into_iter().zip(is_answered);
        let sides: Vec<_> =
            sides.filter(|(_, is_answered)| !is_answered).map(|(it, _)| it).collect();
        note_known(&crawlers, &sides);
        let names = args.agents.0.iter().map(|agent| agent.text.as_encoded_bytes().to_vec());
        comparison = comparison.crawlers(names.zip(crawlers).collect());
    }
    let compare = || {
        let report = comparison.report();
        let is_changed = |same: &CrawlerDiff| same.result != DiffResult::Equal;
        let changed = report.crawlers.iter().enumerate().filter(|(_, same)| is_changed(same));
        let changed = changed.filter(|_| !args.urls.is_empty());
        let changed = changed.map(|(at, same)| {
            (at, same.own_profile().unwrap_or(profile), comparison.policies(same))
        });
        let policies = changed.collect();
        (report, policies)
    };
    let (mut report, policies) =
        progress::with_spinner(args.progress.progress, "comparing", compare);
    note_operators(&report, &known, &profile);
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

/// Notes that a file says something else to known crawlers than to the names that were given for them,
/// or in the profile of their operators.
fn note_known(crawlers: &[Crawler], files: &[(&PathBuf, &Robots<'_>)]) {
    for crawler in crawlers {
        let note = files.iter().find_map(|(_, file)| Known::built_in().note(crawler, file));
        note.iter().for_each(|note| stderr::note(note));
    }
    for (path, file) in files {
        let name = format!("'{}'", robots_file::shown(path));
        OperatorsNote::of(crawlers, file.profile()).look(file.groups().file(), &name);
    }
}

/// Notes for which known crawlers something else changes because their operators read files in another
/// profile.
fn note_operators(report: &DiffReport, known: &Known, asked: &Profile) {
    let mut by_operator: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for same in &report.crawlers {
        let profile = same.own_profile().and_then(|own| own.name());
        for crawler in same.crawlers.iter().filter_map(|token| known.by_token(token)) {
            let Some(profile) = profile else { continue };
            by_operator.entry((&crawler.operator, profile)).or_default().push(&crawler.name);
        }
    }
    for ((operator, profile), names) in by_operator {
        let names = first_of(NAMES, names.iter().map(|name| (*name).to_owned()));
        stderr::note(&format_args!(
            "{names}: compared in profile {profile}, in which {operator} reads robots.txt, and in which \
             something else changes; --profile {} compares all alike",
            asked.name().unwrap_or_default(),
        ));
    }
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
