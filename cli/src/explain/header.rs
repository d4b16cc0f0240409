//! How a User-Agent header was read: its names, and which of them decided.

use annotate_snippets::{AnnotationKind, Group, Level, Snippet};
use robotsieve::explain::{Explanation, Standing};
use robotsieve::{Certainty, HeaderName, UserAgent};

use super::shown::Shown;

/// The most names to label; the others are only underlined.
const LABELS: usize = 8;

/// The header with each name underlined.
pub fn of_header<'t>(header: &[u8], why: &Explanation<'_>) -> Group<'t> {
    let read = UserAgent::read(header);
    let deciding = deciding_names(why);
    let title = match (read.names().len(), deciding.is_empty()) {
        (0, _) => "no word of the User-Agent header is a crawler's name",
        (_, true) => "no group is for a name in the User-Agent header",
        (_, false) => "the names in the User-Agent header, the surest first",
    };
    let mut group = Group::with_title(Level::NOTE.secondary_title(title));
    let shown = Shown::of(header);
    let names = read.names().iter().enumerate();
    let annotations = names.filter_map(|(number, name)| {
        let span = shown.span(name.span.clone());
        let kind = match deciding.contains(&number) {
            true => AnnotationKind::Primary,
            false => AnnotationKind::Context,
        };
        let label = (number < LABELS).then(|| label(number, name, &deciding, why));
        // A very long header is cut.
        (!span.is_empty()).then(|| kind.span(span).label(label))
    });
    let annotations: Vec<_> = annotations.collect();
    if !annotations.is_empty() {
        let snippet = Snippet::source(shown.text).path("User-Agent").annotations(annotations);
        group = group.element(snippet);
    }
    if header.len() > UserAgent::LIMIT_BYTES {
        let message = format!("only the first {} bytes are read", UserAgent::LIMIT_BYTES);
        group = group.element(Level::NOTE.message(message));
    }
    group
}

/// The indices of the names by which the crawler's groups were found.
pub fn deciding_names(why: &Explanation<'_>) -> Vec<usize> {
    let lines = why.selection.lines.iter().filter(|line| line.standing == Standing::Chosen);
    let mut names: Vec<usize> = lines.filter_map(|line| line.found_by).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn label(
    number: usize,
    name: &HeaderName<'_>,
    deciding: &[usize],
    why: &Explanation<'_>,
) -> String {
    let place = match name.certainty {
        Certainty::Compatible => "after 'compatible'",
        Certainty::Product => "a product",
        _ => "a word",
    };
    let loses = || {
        let mut lines = why.selection.lines.iter();
        lines.any(|line| line.standing == Standing::LaterName && line.found_by == Some(number))
    };
    let rank = number + 1;
    if deciding.contains(&number) {
        format!("{rank}: {place}, decides")
    } else if deciding.first().is_none_or(|first| number < *first) {
        format!("{rank}: {place}, without a group")
    } else if loses() {
        format!("{rank}: {place}, not asked although it has a group")
    } else {
        format!("{rank}: {place}")
    }
}
