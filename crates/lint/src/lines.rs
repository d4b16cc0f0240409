//! Findings about single lines: the parser's diagnostics, and records.

use std::ops::Range;

use robotsieve::internals::{Extent, Lines, Names};
use robotsieve::{Diagnostic, DiagnosticKind, Field, Record};

use crate::shown::shown;
use crate::subject::Subject;
use crate::{Code, Severity, fields, file, meant, tokens, values};

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
    if !is_page {
        in_comments(subject);
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

/// Reports fields within a value: `User-agent: * Disallow: /`, `Disallow: /aUser-agent: *`.
fn two_records(subject: &mut Subject<'_>, record: &Record<'_>) {
    /// More are not taken apart.
    const RECORDS: usize = 256;
    let value = record.value;
    let offset = record.value_span().start;
    // For each record after the first one: where the value before it ends, and where it begins.
    let mut next: Vec<(usize, usize)> = Vec::new();
    let mut is_sure = true;
    for colon in memchr::memchr_iter(b':', value) {
        let from = next.last().map_or(0, |(_, at)| *at);
        let is_prose = record.field == Field::Other;
        let Some(at) = field_before(value, from, colon, is_prose) else { continue };
        if matches!(record.field, Field::Allow | Field::Disallow) {
            if is_part_of_path(value, at, colon) {
                continue;
            }
            // `/swallow: /x` is no path that anybody writes, and yet nobody knows what is meant.
            let is_glued = at > 0 && !value[at - 1].is_ascii_whitespace();
            is_sure &= !is_glued || value[at].is_ascii_uppercase();
        }
        next.push((without_line_end(&value[..at]).len(), at));
        if next.len() == RECORDS {
            break;
        }
    }
    let Some(&(first, at)) = next.first() else { return };
    let start = subject.record_span(record).start;
    let message = format!(
        "'{}' and '{}' are on one line, and a record ends with its line",
        shown(&subject.file[start..(offset + first).max(subject.name_span(record).end + 1)]),
        shown(&value[at..next.get(1).map_or(value.len(), |(end, _)| *end)]),
    );
    let end = subject.line_end(offset + at);
    let mut lines = Vec::new();
    for (number, (_, at)) in next.iter().enumerate() {
        let to = next.get(number + 1).map_or(*at, |(end, _)| *end);
        lines.extend_from_slice(end.as_bytes());
        lines.extend_from_slice(&value[*at..to]);
    }
    let last = next[next.len() - 1].1;
    let span = offset + at..record.value_span().end;
    let draft = subject.add(Code::TwoRecords, record.line, span, message);
    if is_sure {
        draft.propose("put each on a line of its own", offset + first..offset + last, lines);
    } else {
        draft.help("if these are two records, put each on a line of its own");
    }
}

/// Where the field begins that ends at a colon of a value; `None` if none does. In prose it has a value too.
fn field_before(value: &[u8], from: usize, colon: usize, is_prose: bool) -> Option<usize> {
    const FIELDS: [&[u8]; 5] = [b"user-agent", b"disallow", b"allow", b"sitemap", b"crawl-delay"];
    let before = value[from..colon].trim_ascii_end();
    let ends = |field: &&&[u8]| {
        before.len() >= field.len()
            && before[before.len() - field.len()..].eq_ignore_ascii_case(field)
    };
    let field = FIELDS.iter().find(ends)?;
    let at = before.len() - field.len();
    let after = value[colon + 1..].trim_ascii_start();
    let is_apart = at > 0 && before[at - 1].is_ascii_whitespace();
    // Glued to what stands before it, it is a field only with a value that the field may have.
    let has_value = match *field {
        b"user-agent" => !after.is_empty(),
        b"disallow" => matches!(after.first(), None | Some(b'/' | b'*')),
        b"allow" => matches!(after.first(), Some(b'/' | b'*')),
        b"sitemap" => after.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b"http")),
        _ => after.first().is_some_and(u8::is_ascii_digit),
    };
    (is_apart && !is_prose || has_value).then_some(from + at)
}

/// Returns true if what looks like a field is a part of a path, for all that is known: `/shallow:*`,
/// `/wiki/Disallow:`. A path has no blank.
fn is_part_of_path(path: &[u8], at: usize, colon: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| path[before]) else { return false };
    if before.is_ascii_whitespace() || path.get(colon + 1).is_some_and(u8::is_ascii_whitespace) {
        return false;
    }
    match path[at] {
        b'A' | b'D' => {
            !before.is_ascii_lowercase() && !before.is_ascii_digit() && !b"*$>".contains(&before)
        }
        b'a' | b'd' => true,
        _ => before == b'/',
    }
}

/// A value without what is meant to end its line: white space, a `\n` that is written out, tags such as `<br>`.
fn without_line_end(value: &[u8]) -> &[u8] {
    let mut value = value.trim_ascii_end();
    loop {
        let shorter = match value {
            [rest @ .., b'\\', b'n' | b'r'] => rest,
            [.., b'>'] => match memchr::memrchr(b'<', value) {
                Some(open) => &value[..open],
                None => return value,
            },
            _ => return value,
        };
        value = shorter.trim_ascii_end();
    }
}

/// Reports a record that is glued to the end of a comment: `# our botsUser-agent: *`.
fn in_comments(subject: &mut Subject<'_>) {
    let file = subject.file;
    let extent = subject.robots.extent();
    let mut found = Vec::new();
    let profile = subject.profile;
    let lines = Lines::of(file, Extent { from: extent.start, to: extent.end }, &profile);
    for line in lines {
        let Some(hash) = memchr::memchr(b'#', line.bytes) else { continue };
        let comment = &line.bytes[hash..];
        for colon in memchr::memchr_iter(b':', comment) {
            let Some(at) = field_before(comment, 0, colon, true) else { continue };
            let is_glued =
                comment[at - 1].is_ascii_alphanumeric() || b".!".contains(&comment[at - 1]);
            if is_glued && matches!(comment[at], b'U' | b'D' | b'A') {
                let at = line.offset + hash + at;
                found.push((line.number, at..line.offset + line.bytes.len()));
                break;
            }
        }
    }
    for (line, span) in found {
        let message = format!("'{}' is part of a comment", shown(&file[span.clone()]));
        let end = subject.line_end(span.start);
        let at = span.start..span.start;
        subject.add(Code::TwoRecords, line, span, message).propose(
            "put it on a line of its own",
            at,
            end,
        );
    }
}

/// Returns true if it is a user-agent line or a rule.
fn is_of_groups(record: &Record<'_>) -> bool {
    matches!(record.field, Field::UserAgent | Field::Allow | Field::Disallow)
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
            // What is read here is lost to most.
            let is_lost = subject.record(line).is_some_and(is_of_groups);
            subject
                .add(Code::MissingColon, line, span, message)
                .severity(Severity::Warning)
                .loses(is_lost)
                .propose(what, end..end, ":");
        }
        DiagnosticKind::MisspeltField { likely } => {
            let likely = fields::spelt(likely);
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
            let field = fields::spelt(field);
            let message =
                format!("most crawlers ignore '{}', which is read as '{field}' here", shown(text));
            let is_lost = subject.record(line).is_some_and(is_of_groups);
            subject
                .add(Code::MisspeltField, line, span.clone(), message)
                .severity(Severity::Warning)
                .loses(is_lost)
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
            draft.severity(severity).loses(!merged).related([related]);
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
        return;
    }
    // Behind a mark or in a tag, or with a sign that only looks like a colon.
    let seen = meant::seen(text);
    let colon = seen.split_once(':').filter(|_| !text.contains(&b':'));
    let has_field = match colon {
        Some((name, value)) => meant::field(name.as_bytes(), value.trim().as_bytes()).is_some(),
        None => {
            let bare = seen.trim_start_matches(|c: char| !c.is_alphanumeric());
            bare.len() < seen.len() && FieldAlone::of(bare.trim_end().as_bytes()).is_some()
        }
    };
    if has_field {
        let message = format!("'{}' is no record, so the line is ignored", shown(text));
        subject
            .add(Code::MissingColon, line, span, message)
            .help("a field begins its line, and a plain colon follows it");
        return;
    }
    if let Some(instead) = fields::robots_txt(text) {
        let message =
            "this is the address of a robots.txt and not its text, so the line is ignored";
        subject
            .add(Code::NotARecord, line, span, message)
            .severity(Severity::Warning)
            .help(instead);
        return;
    }
    if meant::is_value_alone(text) {
        let message = format!("'{}' stands alone, so it is ignored", shown(text));
        subject.add(Code::NotARecord, line, span, message).loses(true).help(
            "if it is the value of the line above, write it behind that line's colon; if not, write the \
             field before it",
        );
        return;
    }
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

/// A known field, with another sign than a colon or none.
struct FieldAlone<'t> {
    name: &'t [u8],
    /// Where the sign ends, from the end of the name on; 0 if there is none.
    sign_end: usize,
}

impl FieldAlone<'_> {
    /// `Disallow /x`, `Disallow= /x`, `Disallow = /x`, `Disallow=/x`, `Disallow - /x`.
    fn of(text: &[u8]) -> Option<FieldAlone<'_>> {
        const FIELDS: [&[u8]; 4] = [b"user-agent", b"allow", b"disallow", b"sitemap"];
        let is_begin =
            |field: &&[u8]| text.get(..field.len()).is_some_and(|t| t.eq_ignore_ascii_case(field));
        let (name, after) = text.split_at(FIELDS.into_iter().find(is_begin)?.len());
        let blanks = after.iter().take_while(|o| o.is_ascii_whitespace()).count();
        let (sign_end, value) = match &after[blanks..] {
            [b'=' | b';', value @ ..] => (blanks + 1, value.trim_ascii()),
            // `Disallow - /x`, `Disallow. /x`.
            [b'-' | b'.' | b',', value @ ..]
                if (blanks > 0 || value.first().is_some_and(u8::is_ascii_whitespace))
                    && !value.trim_ascii().is_empty() =>
            {
                (blanks + 1, value.trim_ascii())
            }
            [] => (0, &b""[..]),
            // `Disallow/x`, `User-agent*`.
            value @ [b'/' | b'*', ..] if blanks == 0 => (0, value),
            _ if blanks == 0 => return None,
            value => (0, value),
        };
        // Prose can begin with 'allow' too, but rarely has only two words.
        let is_value = match value {
            [] => true,
            _ if value.iter().any(u8::is_ascii_whitespace) => false,
            [b'/' | b'*', ..] => true,
            _ => {
                let sign = after[..sign_end].last();
                name.eq_ignore_ascii_case(b"user-agent") || matches!(sign, Some(b'=' | b';'))
            }
        };
        is_value.then_some(FieldAlone { name, sign_end })
    }
}
