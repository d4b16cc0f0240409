//! Failures for people: the expectation, then the lines of the robots.txt that decide.

use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use robotsieve::explain::Explanation;

use super::Tested;
use super::args::TestArgs;
use super::failure::{Failed, Miss, other};
use crate::explain::shown::{Shown, short};
use crate::explain::text::{Detail, File, level, of_file};
use crate::sitemap::By;
use crate::write::stdout::has_color;

/// The most explanations of one failure, each of another policy.
const EXPLANATIONS: usize = 3;

/// Prints the first failures, and how many more there are.
pub fn print(args: &TestArgs, tested: &Tested<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let renderer = if has_color(args.color.color) { Renderer::styled() } else { Renderer::plain() };
    let shown = most(args, tested);
    for failed in &tested.failed[..shown] {
        writeln!(out, "{}\n", rendered(tested, failed, &renderer))?;
    }
    match tested.failed.len() - shown {
        0 => Ok(()),
        1 => writeln!(out, "1 more failure; --max-failures 0 shows all"),
        more => writeln!(out, "{more} more failures; --max-failures 0 shows all"),
    }
}

/// How many failures to show with the lines concerned.
pub fn most(args: &TestArgs, tested: &Tested<'_, '_>) -> usize {
    let count = tested.failed.len();
    if args.max_failures == 0 { count } else { count.min(args.max_failures) }
}

/// A failure with the lines concerned.
pub fn rendered(tested: &Tested<'_, '_>, failed: &Failed, renderer: &Renderer) -> String {
    let expectation = tested.expectation(failed);
    let text = tested.expectations.line(expectation);
    let shown = Shown::of(text);
    let from = text.len() - text.trim_ascii_start().len();
    let len = expectation.verdict.as_str().len();
    let snippet = Snippet::source(shown.text.clone())
        .line_start(usize::try_from(expectation.line).unwrap_or(usize::MAX))
        .path(short(tested.expectations.file(expectation).as_bytes()))
        .annotation(AnnotationKind::Primary.span(shown.span(from..from + len)));
    let title = Level::ERROR.primary_title(tested.sentence(failed));
    let mut groups = vec![Group::with_title(title).element(snippet)];
    let misses: Vec<Miss> = tested.parts(failed).into_iter().flat_map(|part| part.misses).collect();
    // Each with a rule, if the expectation is about a sitemap.
    let mut all: Vec<(Miss, Option<&By>)> = Vec::new();
    for miss in misses {
        match tested.tally(failed, miss) {
            Some(tally) => all.extend(tally.by().into_iter().map(|by| (miss, Some(by)))),
            None => all.push((miss, None)),
        }
    }
    let explained = all.iter().take(EXPLANATIONS);
    groups.extend(explained.map(|(miss, by)| of_miss(tested, failed, *miss, *by)));
    if let Some(more) = all.len().checked_sub(EXPLANATIONS).filter(|more| *more > 0) {
        let are = if more == 1 { "explanation is" } else { "explanations are" };
        let message = format!("{more} more {are} not shown; --format json has all rules");
        groups.push(Group::with_title(Level::NOTE.secondary_title(message)));
    }
    renderer.render(&groups)
}

/// Why the crawlers of a miss get their verdict; of a sitemap, on the URLs of one rule.
fn of_miss<'t>(tested: &Tested<'_, '_>, failed: &Failed, miss: Miss, by: Option<&By>) -> Group<'t> {
    let expectation = tested.expectation(failed);
    let who = tested.expectations.who(expectation);
    let url = match by {
        Some(by) => by.examples.first().map(Vec::as_slice),
        None => Some(tested.expectations.url(expectation)),
    };
    let (file, robots) = (tested.file, &tested.file.robots[miss.profile]);
    let asked = &who.asked[miss.profile][miss.asked];
    let member = &who.members[asked.members[0]];
    let others = match asked.members.len() - 1 {
        0 => String::new(),
        1 => " and 1 other".to_owned(),
        more => format!(" and {more} others"),
    };
    let verdict = other(expectation.verdict);
    let profile = file.profile_name(miss.profile);
    let asked_about = match by {
        Some(by) => by.counted(),
        None => url.map(short).unwrap_or_default(),
    };
    let title = format!("{}{others}, {asked_about} (profile {profile})", short(&member.name));
    let title = level(verdict).secondary_title(title);
    // The rules that it does not obey would be misleading.
    let why: Option<Explanation<'_>> = url
        .filter(|_| file.answer.is_none() && !member.is_free(robots))
        .and_then(|url| robots.explain(&member.crawler, url).ok());
    match why {
        Some(why) => {
            let file = File { bytes: file.bytes, name: short(file.name.as_bytes()) };
            of_file(&file, &why, title, Detail::Whole)
        }
        None => {
            let clause = by.map(|by| format!("{} decides", by.shown()));
            let clause = clause.unwrap_or_else(|| tested.why(failed, miss).clause);
            Group::with_title(title).element(Level::NOTE.message(clause))
        }
    }
}
