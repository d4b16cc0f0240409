//! Failures for people: the expectation, then the lines of the robots.txt that decide.

use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use robotsieve_owners::test::{Failure, FailureReason, Tested};

use super::args::TestArgs;
use crate::explain::shown::{Shown, short};
use crate::explain::text::{Detail, File, level, of_file};
use crate::read::robots_file;
use crate::write::stdout::has_color;

/// The most explanations of one failure, each of another policy.
const EXPLANATIONS: usize = 3;

/// Prints the first failures, and how many more there are.
pub fn print(
    args: &TestArgs,
    bytes: &[u8],
    tested: &Tested<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let renderer = if has_color(args.color.color) { Renderer::styled() } else { Renderer::plain() };
    let shown = args.most(tested.failed());
    for failure in tested.failures().take(shown) {
        writeln!(out, "{}\n", rendered(args, bytes, failure, &renderer))?;
    }
    match tested.failed() - shown {
        0 => Ok(()),
        1 => writeln!(out, "1 more failure; --max-failures 0 shows all"),
        more => writeln!(out, "{more} more failures; --max-failures 0 shows all"),
    }
}

/// A failure with the lines concerned.
pub fn rendered(
    args: &TestArgs,
    bytes: &[u8],
    failure: Failure<'_, '_>,
    renderer: &Renderer,
) -> String {
    let text = failure.text();
    let shown = Shown::of(text);
    let from = text.len() - text.trim_ascii_start().len();
    let len = failure.expected().as_str().len();
    let snippet = Snippet::source(shown.text.clone())
        .line_start(usize::try_from(failure.line()).unwrap_or(usize::MAX))
        .path(short(failure.file().as_bytes()))
        .annotation(AnnotationKind::Primary.span(shown.span(from..from + len)));
    let title = Level::ERROR.primary_title(failure.sentence());
    let mut groups = vec![Group::with_title(title).element(snippet)];
    let name = robots_file::shown(&args.robots);
    let reasons = failure.reasons();
    groups.extend(reasons.iter().take(EXPLANATIONS).map(|reason| of_reason(reason, bytes, &name)));
    if let Some(more) = reasons.len().checked_sub(EXPLANATIONS).filter(|more| *more > 0) {
        let are = if more == 1 { "explanation is" } else { "explanations are" };
        let message = format!("{more} more {are} not shown; --format json has all rules");
        groups.push(Group::with_title(Level::NOTE.secondary_title(message)));
    }
    renderer.render(&groups)
}

/// Why some crawlers get their verdict.
fn of_reason<'t>(reason: &FailureReason, bytes: &[u8], name: &str) -> Group<'t> {
    let title = level(reason.verdict).secondary_title(reason.title.clone());
    match &reason.explanation {
        Some(why) => {
            let lines = robots_file::lines(bytes, reason.extent.clone()).into();
            let file = File { bytes, name: short(name.as_bytes()), lines };
            of_file(&file, why, title, Detail::Whole)
        }
        None => Group::with_title(title).element(Level::NOTE.message(reason.clause.clone())),
    }
}
