//! Findings about single lines: the parser's diagnostics, and records.

use std::ops::Range;

use robotsieve::internals::Names;
use robotsieve::{Diagnostic, DiagnosticKind, Field, Record};

use crate::shown::shown;
use crate::subject::Subject;
use crate::{Code, Severity, fields, file, tokens, values};

pub(super) fn find(subject: &mut Subject<'_>) {
    let diagnostics = subject.robots.diagnostics();
    // The lines of a page are no lines of a robots.txt.
    let is_page = diagnostics.iter().any(|found| found.kind == DiagnosticKind::Html);
    let is_utf16 = diagnostics.iter().any(|found| found.kind == DiagnosticKind::Utf16)
        || subject.found.iter().any(|draft| draft.finding.code == Code::Utf16);
    let has_groups = subject.robots.group_count() > 0;
    for diagnostic in diagnostics {
        let is_about_file = matches!(
            diagnostic.kind,
            DiagnosticKind::ByteOrderMark { .. } | DiagnosticKind::Utf16 | DiagnosticKind::Html
        );
        let is_markup = is_page && diagnostic.kind == DiagnosticKind::NoRecord;
        if is_about_file || !is_utf16 && (has_groups && !is_markup || !is_page) {
            of_diagnostic(subject, &diagnostic);
        }
    }
    if is_utf16 || is_page && !has_groups {
        return;
    }
    for record in subject.records.clone() {
        two_records(subject, &record);
        match record.field {
            Field::Other if is_page => {}
            Field::Other => fields::other(subject, &record),
            Field::Sitemap => fields::sitemap(subject, &record),
            Field::Allow | Field::Disallow => values::find(subject, &record),
            Field::UserAgent => tokens::find(subject, &record),
        }
    }
}

/// Reports a field within a value: `User-agent: * Disallow: /`.
fn two_records(subject: &mut Subject<'_>, record: &Record<'_>) {
    const FIELDS: [&[u8]; 5] = [b"user-agent", b"disallow", b"allow", b"sitemap", b"crawl-delay"];
    let value = record.value;
    for colon in memchr::memchr_iter(b':', value) {
        let before = value[..colon].trim_ascii_end();
        let is_field = |field: &&&[u8]| {
            before.len() > field.len()
                && before[before.len() - field.len()..].eq_ignore_ascii_case(field)
                && before[before.len() - field.len() - 1].is_ascii_whitespace()
        };
        let Some(field) = FIELDS.iter().find(is_field) else { continue };
        let at = record.value_span().start + before.len() - field.len();
        let first = value[..before.len() - field.len()].trim_ascii_end();
        let message = format!(
            "'{}' and '{}' are on one line, and a record ends with its line",
            shown(
                &subject.file[subject.record_span(record).start..]
                    [..record.value_span().start + first.len() - subject.record_span(record).start]
            ),
            shown(&value[before.len() - field.len()..]),
        );
        let gap = record.value_span().start + first.len()..at;
        let end = subject.line_end(at);
        subject.add(Code::TwoRecords, record.line, at..record.value_span().end, message).propose(
            "put each on a line of its own",
            gap,
            end,
        );
        return;
    }
}

/// How a field is usually written.
fn spelt(field: Field) -> &'static str {
    match field {
        Field::UserAgent => "User-agent",
        Field::Allow => "Allow",
        Field::Disallow => "Disallow",
        Field::Sitemap => "Sitemap",
        Field::Other => "another field",
    }
}

/// Turns a diagnostic of the parser into a finding.
fn of_diagnostic(subject: &mut Subject<'_>, diagnostic: &Diagnostic) {
    let (line, span) = (diagnostic.line, diagnostic.span.clone());
    let text = subject.file.get(span.clone()).unwrap_or_default();
    match diagnostic.kind {
        DiagnosticKind::ByteOrderMark { skipped } => {
            let mark = span.clone();
            let (severity, message) = if skipped {
                (Severity::Note, "the file begins with a byte order mark, which is skipped")
            } else {
                (
                    Severity::Error,
                    "the file begins with a byte order mark, so the first line's field is unknown",
                )
            };
            subject.add(Code::ByteOrderMark, line, span, message).severity(severity).propose(
                "remove the byte order mark",
                mark,
                "",
            );
        }
        DiagnosticKind::Utf16 => {
            file::utf16(subject, line, span);
        }
        DiagnosticKind::Html => {
            subject
                .add(Code::Html, line, span, "the file is an HTML page, not a robots.txt")
                .help("serve a text file, or status 404 if there is no robots.txt");
        }
        // `file` reports it in more detail.
        DiagnosticKind::SizeLimit { .. } => {}
        DiagnosticKind::LineLimit { limit } => {
            let message = format!(
                "only the first {limit} bytes of the line are read, not the last {}",
                text.len()
            );
            subject.add(Code::LineLimit, line, span, message);
        }
        DiagnosticKind::ControlCharacter { ignored } => {
            let byte = text.first().copied().unwrap_or_default();
            let fate = if ignored { ", so it is ignored" } else { "" };
            let (code, what) = if byte == 0 {
                (Code::Nul, "a NUL byte".to_owned())
            } else {
                (Code::ControlCharacter, format!("the control character 0x{byte:02X}"))
            };
            let severity = if ignored { Severity::Error } else { Severity::Warning };
            subject
                .add(code, line, span.clone(), format!("the line contains {what}{fate}"))
                .severity(severity)
                .propose("remove it", span, "");
        }
        DiagnosticKind::NulEndsLine => {
            let message = "the line contains a NUL byte, and what follows it is not read";
            let nul = span.start..span.start + 1;
            subject.add(Code::Nul, line, span, message).propose("remove it", nul, "");
        }
        DiagnosticKind::NoRecord => no_record(subject, line, span),
        DiagnosticKind::MissingColon => {
            let message =
                format!("no colon after '{}', so most crawlers ignore the line", shown(text));
            let what = format!("write '{}:'", shown(text));
            let end = span.end;
            subject
                .add(Code::MissingColon, line, span, message)
                .severity(Severity::Warning)
                .propose(what, end..end, ":");
        }
        DiagnosticKind::MisspeltField { likely } => {
            let likely = spelt(likely);
            let message = format!("unknown field '{}', so the line is ignored", shown(text));
            let is_word = text.first().is_some_and(u8::is_ascii_alphabetic);
            let draft = subject.add(Code::MisspeltField, line, span.clone(), message);
            if is_word {
                draft.propose(format!("write '{likely}'"), span, likely);
            } else {
                draft.help("a field begins its line, and a comment begins with '#'");
            }
        }
        DiagnosticKind::MisspellingAccepted { field } => {
            let field = spelt(field);
            let message =
                format!("most crawlers ignore '{}', which is read as '{field}' here", shown(text));
            subject
                .add(Code::MisspeltField, line, span.clone(), message)
                .severity(Severity::Warning)
                .propose(format!("write '{field}'"), span, field);
        }
        DiagnosticKind::RuleOutsideGroup => {
            let start = subject.line_span(span.start).start;
            let above = format!("User-agent: *{}", subject.line_end(span.start));
            let is_first = !is_below_another(subject, line);
            let draft = subject
                .add(
                    Code::RuleOutsideGroup,
                    line,
                    span,
                    "the rule belongs to no group, so it is ignored",
                )
                .help("above a group's rules stands a user-agent line for each of its crawlers");
            if is_first {
                draft.propose("write 'User-agent: *' above it", start..start, above);
            }
        }
        // `tokens` and `values` report these from the records.
        DiagnosticKind::NamesNobody
        | DiagnosticKind::AfterToken
        | DiagnosticKind::TokenOutsideGrammar
        | DiagnosticKind::NoLeadingSlash { .. }
        | DiagnosticKind::DollarInside
        | DiagnosticKind::Normalised => {}
        DiagnosticKind::RepeatedToken { first_line, merged } => {
            let (severity, fate) = if merged {
                (Severity::Note, "so the groups are merged")
            } else {
                (Severity::Warning, "so this group is ignored")
            };
            let token = match Names::of(text, &subject.profile) {
                Names::Token(token) => token,
                _ => text,
            };
            let message =
                format!("'{}' is already named on line {first_line}, {fate}", shown(token));
            let related = subject.related(first_line, "first named here");
            let draft = subject.add(Code::RepeatedToken, line, span, message);
            draft.severity(severity).related([related]);
            if !merged {
                draft.help("a crawler obeys the first group that names it, and no other");
            }
        }
        kind => debug_assert!(false, "no finding tells of {kind:?}"),
    }
}

/// Returns true if a rule outside of groups would be in the group of one above it, were there a
/// user-agent line above that.
fn is_below_another(subject: &Subject<'_>, line: u32) -> bool {
    if subject.profile.blank_line_ends_group {
        return subject.had_before(Code::RuleOutsideGroup, line);
    }
    // Nothing ends a group but the next one, so all such rules are above the first.
    subject.counts.contains_key(&Code::RuleOutsideGroup)
}

/// A line that is not a record: a known field without its colon, or anything else.
fn no_record(subject: &mut Subject<'_>, line: u32, span: Range<usize>) {
    let file = subject.file;
    let text = &file[span.clone()];
    let before = text.iter().take_while(|o| o.is_ascii_whitespace()).count();
    let text = text.trim_ascii();
    if let Some(field) = FieldAlone::of(text) {
        let at = span.start + before;
        let end = at + field.name.len();
        let word = shown(field.name);
        let message = format!("no colon after '{word}', so the line is ignored");
        subject.add(Code::MissingColon, line, at..end, message).propose(
            format!("write '{word}:'"),
            end..end + field.sign_end,
            ":",
        );
    } else {
        let message =
            format!("'{}' is neither 'field: value' nor a comment, so it is ignored", shown(text));
        let at = span.start;
        subject.add(Code::NotARecord, line, span, message).propose(
            "make the line a comment",
            at..at,
            "# ",
        );
        subject.offer_if_unchanging();
    }
}

/// A known field, with another sign than a colon or none.
struct FieldAlone<'t> {
    name: &'t [u8],
    /// Where the sign ends, from the end of the name on; 0 if there is none.
    sign_end: usize,
}

impl FieldAlone<'_> {
    /// `Disallow /x`, `Disallow= /x`, `Disallow = /x`, `Disallow=/x`.
    fn of(text: &[u8]) -> Option<FieldAlone<'_>> {
        const FIELDS: [&[u8]; 4] = [b"user-agent", b"allow", b"disallow", b"sitemap"];
        let is_begin =
            |field: &&[u8]| text.get(..field.len()).is_some_and(|t| t.eq_ignore_ascii_case(field));
        let (name, after) = text.split_at(FIELDS.into_iter().find(is_begin)?.len());
        let blanks = after.iter().take_while(|o| o.is_ascii_whitespace()).count();
        let (sign_end, value) = match &after[blanks..] {
            [b'=' | b';', value @ ..] => (blanks + 1, value.trim_ascii()),
            [] => (0, &b""[..]),
            _ if blanks == 0 => return None,
            value => (0, value),
        };
        // Prose can begin with 'allow' too, but rarely has only two words.
        let is_value = match value {
            [] => true,
            _ if value.iter().any(u8::is_ascii_whitespace) => false,
            [b'/' | b'*', ..] => true,
            _ => name.eq_ignore_ascii_case(b"user-agent") || sign_end > 0,
        };
        is_value.then_some(FieldAlone { name, sign_end })
    }
}
