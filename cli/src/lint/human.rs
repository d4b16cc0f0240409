//! Findings for people: the lines concerned, with the relevant parts marked.

use std::collections::BTreeMap;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use robotsieve::lint::{Code, Finding, Severity};

use crate::error::Failure;
use crate::lint::Linted;
use crate::write::bytes::harmless;
use crate::write::stdout::Stdout;

/// The most bytes of a line to show before the start of the marked part, and from there on.
const BEFORE: usize = 80;
const AFTER: usize = 160;

pub fn write(
    linted: &Linted,
    max_per_code: usize,
    is_colored: bool,
    out: &mut Stdout,
) -> Result<(), Failure> {
    let renderer = if is_colored { Renderer::styled() } else { Renderer::plain() };
    let mut counts: BTreeMap<Code, usize> = BTreeMap::new();
    for finding in &linted.findings {
        let count = counts.entry(finding.code).or_default();
        *count += 1;
        if max_per_code == 0 || *count <= max_per_code {
            out.print(&(renderer.render(&[group(linted, finding)]) + "\n\n"))?;
        }
    }
    if max_per_code > 0 {
        for (code, count) in counts.into_iter().filter(|(_, count)| *count > max_per_code) {
            let more = count - max_per_code;
            let name = code.name();
            out.print(format!(
                "{}: {more} more {code} ({name}); --max-per-code 0 shows all\n\n",
                linted.name
            ))?;
        }
    }
    Ok(())
}

fn group<'a>(linted: &'a Linted, finding: &'a Finding) -> Group<'a> {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = format!("{} [{}]", finding.message, finding.code.name());
    let mut group = level.primary_title(title).id(finding.code.number()).element(snippet(
        linted,
        finding.line,
        &finding.span,
        AnnotationKind::Primary,
        "",
    ));
    for related in &finding.related {
        let (line, span) = (related.line, &related.span);
        let kind = AnnotationKind::Context;
        group = group.element(snippet(linted, line, span, kind, &related.message));
    }
    if linted.several_profiles {
        let profiles = format!("holds for {}", finding.profiles.join(", "));
        group = group.element(Level::NOTE.message(profiles));
    }
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    if let Some(fix) = &finding.fix {
        let text = format!("{}; this {}", fix.what, fix.effect);
        group = group.element(Level::HELP.with_name("fix").message(text));
    }
    group
}

/// One line, or the relevant part of a long line.
fn snippet<'a>(
    linted: &'a Linted,
    line: u32,
    span: &Range<usize>,
    kind: AnnotationKind,
    label: &'a str,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let of_line = linted.lines.span(line);
    let part = linted.lines.on_line(line, span);
    let from = of_line.start.max(part.start.saturating_sub(BEFORE));
    let to = of_line.end.min(part.start + AFTER);
    let mut text = String::new();
    if from > of_line.start {
        text.push('…');
    }
    push_shown(&mut text, &linted.bytes[from..part.start]);
    let start = text.len();
    push_shown(&mut text, &linted.bytes[part.start..part.end.min(to)]);
    let end = text.len();
    push_shown(&mut text, &linted.bytes[part.end.min(to)..to]);
    if to < of_line.end {
        text.push('…');
    }
    let annotation = kind.span(start..end);
    let annotation = if label.is_empty() { annotation } else { annotation.label(label) };
    Snippet::source(text)
        .line_start(line as usize)
        .path(linted.name.as_str())
        .annotation(annotation)
}

/// Adds bytes as text, without the control characters that a terminal would obey.
fn push_shown(text: &mut String, bytes: &[u8]) {
    for character in String::from_utf8_lossy(bytes).chars() {
        match character {
            '\t' => text.push(' '),
            c => text.push(harmless(c)),
        }
    }
}
