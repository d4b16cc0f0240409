//! Findings for people: the lines concerned, with the relevant parts marked.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::IsTerminal;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use console::{Term, measure_text_width};
use robotsieve_lint::{Code, Severity};
use robotsieve_report::{Finding, Lines};

use crate::error::Failure;
use crate::lint::linted::Linted;
use crate::write::bytes::harmless;
use crate::write::stdout::Stdout;

/// The most bytes of a line to show before the start of the marked part, and from there on.
const BEFORE: usize = 80;
const AFTER: usize = 160;
/// What stands before a help or a note: `     = help: `, with room for line numbers.
const BEFORE_MESSAGE: usize = 13;
const BEFORE_FIX: usize = 12;

/// The columns that a message leaves free at the right.
const MARGIN: usize = 1;
/// Messages are not wrapped more narrowly than that.
const LEAST_WIDTH: usize = 40;

/// How findings are shown.
pub struct Style {
    renderer: Renderer,
    /// The width of the terminal; `None` if there is none.
    width: Option<usize>,
    /// 0 is all.
    max_per_code: usize,
}

impl Style {
    pub fn new(is_colored: bool, max_per_code: usize) -> Style {
        let renderer = if is_colored { Renderer::styled() } else { Renderer::plain() };
        let size = std::io::stdout().is_terminal().then(|| Term::stdout().size_checked());
        let width = size.flatten().map(|(_, columns)| usize::from(columns).max(LEAST_WIDTH));
        let renderer = match width {
            Some(width) => renderer.term_width(width),
            None => renderer,
        };
        Style { renderer, width, max_per_code }
    }

    /// A text with line ends where it would go beyond the terminal, if it begins after so many
    /// columns.
    fn wrapped(&self, text: &str, indent: usize) -> String {
        self.width.map_or_else(|| text.to_owned(), |width| wrapped(text, indent, width - MARGIN))
    }
}

/// Breaks a text between words. A word that is too long for a line has one for itself.
fn wrapped(text: &str, indent: usize, width: usize) -> String {
    let room = width.saturating_sub(indent).max(1);
    let mut lines = String::new();
    let mut used = 0;
    for word in text.split(' ') {
        let len = measure_text_width(word);
        if used > 0 && used + 1 + len > room {
            lines.push('\n');
            used = 0;
        } else if used > 0 {
            lines.push(' ');
            used += 1;
        }
        lines.push_str(word);
        used += len;
    }
    lines
}

/// Writes the findings of a file, the worst first.
pub fn write(linted: &Linted, style: &Style, out: &mut Stdout) -> Result<(), Failure> {
    let max_per_code = style.max_per_code;
    let mut findings: Vec<&Finding> = linted.report.findings.iter().collect();
    let lines = Lines::of(&linted.bytes);
    // Stable, so those of one severity keep the order of lines.
    findings.sort_by_key(|finding| Reverse(finding.severity));
    let mut counts: BTreeMap<Code, usize> = BTreeMap::new();
    for finding in findings {
        let count = counts.entry(finding.code).or_default();
        *count += 1;
        if max_per_code == 0 || *count <= max_per_code {
            out.print(&(style.renderer.render(&[group(linted, &lines, finding, style)]) + "\n\n"))?;
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

fn group<'a>(linted: &'a Linted, lines: &Lines, finding: &'a Finding, style: &Style) -> Group<'a> {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = format!("{} [{}]", finding.message, finding.name);
    // What stands before the message, as in `error[RS203]: `.
    let start = finding.severity.as_str().len() + finding.code.number().len() + "[]: ".len();
    let title = style.wrapped(&title, start);
    let mut group = level.primary_title(title).id(finding.code.number()).element(snippet(
        linted,
        lines,
        finding.line,
        finding.file_span,
        AnnotationKind::Primary,
        "",
    ));
    for related in &finding.related {
        let (line, span) = (related.line, related.file_span);
        let kind = AnnotationKind::Context;
        group = group.element(snippet(linted, lines, line, span, kind, &related.message));
    }
    if linted.report.profiles.len() > 1 {
        let profiles = format!("holds for {}", finding.profiles.join(", "));
        group = group.element(Level::NOTE.message(style.wrapped(&profiles, BEFORE_MESSAGE)));
    }
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(style.wrapped(help, BEFORE_MESSAGE)));
    }
    if let Some(fix) = &finding.fix {
        let text = fix.to_string();
        group =
            group.element(Level::HELP.with_name("fix").message(style.wrapped(&text, BEFORE_FIX)));
    }
    group
}

/// One line, or the relevant part of a long line.
fn snippet<'a>(
    linted: &'a Linted,
    lines: &Lines,
    line: u32,
    [start, end]: [usize; 2],
    kind: AnnotationKind,
    label: &'a str,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let of_line = lines.span(line);
    let part = lines.on_line(line, &(start..end));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_wrapped() {
        assert_eq!(wrapped("one two three", 0, 80), "one two three");
        assert_eq!(wrapped("one two three", 0, 7), "one two\nthree");
        assert_eq!(wrapped("one two three", 4, 7), "one\ntwo\nthree");
        // Nothing is lost, however narrow.
        assert_eq!(wrapped("a  verylongword b", 0, 4), "a \nverylongword\nb");
        assert_eq!(wrapped("", 9, 4), "");
        assert_eq!(wrapped("éé éé", 0, 5), "éé éé");
    }
}
