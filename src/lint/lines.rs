//! Findings about single lines: the parser's diagnostics, and the fields.

use std::ops::Range;

use crate::lint::{Code, Severity, Subject, shown};
use crate::read::diagnostic::{Diagnostic, DiagnosticKind};
use crate::read::parse::{Field, Record, likely_field};
use crate::rules::normalise::Encoding;

pub(super) fn find(subject: &mut Subject<'_>) {
    for diagnostic in subject.robots.diagnostics() {
        of_diagnostic(subject, &diagnostic);
    }
    for record in subject.records.clone() {
        match record.field {
            Field::Other => other_field(subject, &record),
            Field::Sitemap => sitemap(subject, &record),
            Field::Allow | Field::Disallow => rule(subject, &record),
            Field::UserAgent => {}
        }
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
            let (severity, message) = if skipped {
                (Severity::Note, "the file begins with a byte order mark, which is skipped")
            } else {
                (
                    Severity::Error,
                    "the file begins with a byte order mark, so the first line's field is unknown",
                )
            };
            subject
                .add(Code::ByteOrderMark, line, span, message)
                .severity(severity)
                .help("save the file as UTF-8 without a byte order mark");
        }
        DiagnosticKind::Utf16 => {
            subject
                .add(
                    Code::Utf16,
                    line,
                    span,
                    "the file is encoded in UTF-16, so none of its rules are read",
                )
                .help("save the file as UTF-8");
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
                .add(code, line, span, format!("the line contains {what}{fate}"))
                .severity(severity)
                .help("remove it");
        }
        DiagnosticKind::NulEndsLine => {
            let message = "the line contains a NUL byte, and what follows it is not read";
            subject.add(Code::Nul, line, span, message).help("remove it");
        }
        DiagnosticKind::NoRecord => no_record(subject, line, span),
        DiagnosticKind::MissingColon => {
            let message =
                format!("no colon after '{}', so most crawlers ignore the line", shown(text));
            let help = format!("write '{}:'", shown(text));
            subject
                .add(Code::MissingColon, line, span, message)
                .severity(Severity::Warning)
                .help(help);
        }
        DiagnosticKind::MisspeltField { likely } => {
            let likely = spelt(likely);
            let message = format!("unknown field '{}', so the line is ignored", shown(text));
            subject
                .add(Code::MisspeltField, line, span, message)
                .help(format!("did you mean '{likely}'?"));
        }
        DiagnosticKind::MisspellingAccepted { field } => {
            let field = spelt(field);
            let message =
                format!("most crawlers ignore '{}', which is read as '{field}' here", shown(text));
            subject
                .add(Code::MisspeltField, line, span, message)
                .severity(Severity::Warning)
                .help(format!("write '{field}'"));
        }
        DiagnosticKind::RuleOutsideGroup => {
            subject
                .add(
                    Code::RuleOutsideGroup,
                    line,
                    span,
                    "the rule belongs to no group, so it is ignored",
                )
                .help("put 'User-agent: *' before it, or a line for each crawler that it is meant for");
        }
        DiagnosticKind::NamesNobody => {
            let message = if text.is_empty() {
                "the user-agent line has no value, so it names no crawler".to_owned()
            } else {
                format!("'{}' names no crawler", shown(text))
            };
            subject
                .add(Code::NamesNobody, line, span, message)
                .help("name a crawler by its product token, or write '*' for all crawlers");
        }
        DiagnosticKind::AfterToken => {
            let token = subject.record(line).map(|record| record.value).unwrap_or_default();
            let token = &token[..token.len().saturating_sub(text.len())];
            let (token, after) = (shown(token), shown(text));
            let message = format!("only '{token}' names a crawler; '{after}' is ignored");
            subject.add(Code::AfterToken, line, span, message).help(format!(
                "write only '{token}', and a line of its own for each further crawler"
            ));
        }
        DiagnosticKind::TokenOutsideGrammar => {
            let message = format!(
                "the product token '{}' has bytes other than letters, '-' and '_', and some crawlers \
                 end it at the first of them",
                shown(text)
            );
            subject.add(Code::TokenOutsideGrammar, line, span, message);
        }
        DiagnosticKind::RepeatedToken { first_line, merged } => {
            let (severity, fate) = if merged {
                (Severity::Note, "so the groups are merged")
            } else {
                (Severity::Warning, "so this group is ignored")
            };
            let message =
                format!("'{}' is already named on line {first_line}, {fate}", shown(text));
            let related = subject.related(first_line, "first named here");
            subject
                .add(Code::RepeatedToken, line, span, message)
                .severity(severity)
                .related([related])
                .help("put all rules for a crawler into one group");
        }
        DiagnosticKind::NoLeadingSlash { assumed } => {
            let value = shown(text);
            let stars = text.iter().take_while(|o| **o == b'*').count();
            let help = match after_authority(text) {
                Some(b"") => "write only a path, without scheme and host".to_owned(),
                Some(path) => format!("write '{}', without scheme and host", shown(path)),
                // The stars may match nothing: '*/x' matches '/x' too, which '/*/x' does not.
                None if !assumed && stars > 0 && text.get(stars) == Some(&b'/') => {
                    format!("write two rules, '{}' and '/{value}'", shown(&text[stars..]))
                }
                None => format!("write '/{value}'"),
            };
            let (severity, message) = match (assumed, text.first()) {
                (true, _) => (
                    Severity::Warning,
                    format!("'{value}' is read as '/{value}' here, but not by most crawlers"),
                ),
                (false, Some(b'*')) if subject.profile.wildcards => (
                    Severity::Note,
                    format!(
                        "'{value}' begins with '*' instead of '/', which not all crawlers accept"
                    ),
                ),
                _ => (
                    Severity::Error,
                    format!("'{value}' does not begin with '/', so no URL can match it"),
                ),
            };
            subject.add(Code::NoLeadingSlash, line, span, message).severity(severity).help(help);
        }
        DiagnosticKind::DollarInside => {
            subject
                .add(
                    Code::DollarInside,
                    line,
                    span,
                    "this '$' is a plain character, because '$' means the end of the URL only at \
                     the end of a rule",
                )
                .help("remove it, or write '%24' for a dollar sign");
        }
        // `rule` reports which bytes they are.
        DiagnosticKind::Normalised => {}
    }
}

/// The part after the host of a rule that is a whole URL: empty, or it begins with `/`.
fn after_authority(value: &[u8]) -> Option<&[u8]> {
    let after = ["http://", "https://"].into_iter().find_map(|scheme| {
        let (start, rest) = value.split_at_checked(scheme.len())?;
        start.eq_ignore_ascii_case(scheme.as_bytes()).then_some(rest)
    })?;
    let path = memchr::memchr(b'/', after).unwrap_or(after.len());
    Some(&after[path..])
}

/// A line that is not a record: a known field without its colon, or anything else.
fn no_record(subject: &mut Subject<'_>, line: u32, span: Range<usize>) {
    let text = &subject.file[span.clone()];
    let before = text.iter().take_while(|o| o.is_ascii_whitespace()).count();
    let text = text.trim_ascii();
    let word_len = text.iter().position(|o| o.is_ascii_whitespace()).unwrap_or(text.len());
    let (word, rest) = text.split_at(word_len);
    let rest = rest.trim_ascii();
    let is_name = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
    // Prose can begin with 'allow' too, but rarely has only two words.
    let is_value = rest.split(u8::is_ascii_whitespace).count() == 1
        && (rest.is_empty() || b"/*".contains(&rest[0]) || is_name("user-agent"));
    if is_value && ["user-agent", "allow", "disallow", "sitemap"].into_iter().any(is_name) {
        let at = span.start + before;
        let word = shown(word);
        let message = format!("no colon after '{word}', so the line is ignored");
        subject
            .add(Code::MissingColon, line, at..at + word_len, message)
            .help(format!("write '{word}:'"));
    } else {
        let message =
            format!("'{}' is neither 'field: value' nor a comment, so it is ignored", shown(text));
        subject
            .add(Code::NotARecord, line, span, message)
            .help("remove the line, or make it a comment with '#'");
    }
}

/// Fields that some document defines or some crawler reads. Those that hardly any crawler obeys
/// have a text that says what to do instead.
const OTHER_FIELDS: [(&str, Option<&str>); 12] = [
    ("crawl-delay", None),
    ("content-signal", None),
    ("content-usage", None),
    (
        "noindex",
        Some("Google has ignored it since 2019; use the robots meta tag or 'X-Robots-Tag'"),
    ),
    (
        "nofollow",
        Some("Google has ignored it since 2019; use the robots meta tag or 'X-Robots-Tag'"),
    ),
    ("noarchive", Some("use the robots meta tag or 'X-Robots-Tag'")),
    ("host", Some("only Yandex read it, until 2018; redirect to the main host instead")),
    ("clean-param", Some("only Yandex reads it; use 'rel=canonical' for other crawlers")),
    ("request-rate", Some("limit requests on the server, with status 429")),
    ("visit-time", Some("limit requests on the server, with status 429")),
    ("cache-delay", Some("no crawler is known to obey it")),
    ("robot-version", Some("it comes from a draft of 1996 that was never adopted")),
];

fn other_field(subject: &mut Subject<'_>, record: &Record<'_>) {
    let name_at = record.name.as_ptr() as usize - subject.file.as_ptr() as usize;
    let span = name_at..name_at + record.name.len();
    let Ok(name) = str::from_utf8(record.name) else {
        let message = format!("unknown field '{}', so the line is ignored", shown(record.name));
        subject.add(Code::UnknownField, record.line, span, message);
        return;
    };
    let lower = name.to_ascii_lowercase();
    if lower == "allow" {
        // Only the 1994 standard does not know it.
        let message = "the 1994 standard has no 'Allow', so the line is ignored";
        subject.add(Code::UnsupportedField, record.line, span, message);
        return;
    }
    match OTHER_FIELDS.iter().find(|(known, _)| *known == lower) {
        Some(("crawl-delay", _)) => crawl_delay(subject, record),
        Some((_, None)) => {}
        Some((known, Some(instead))) => {
            let message = format!("hardly any crawler obeys '{known}', or none does");
            subject.add(Code::UnsupportedField, record.line, span, message).help(*instead);
        }
        // The parser has a diagnostic for it.
        None if likely_field(record.name).is_some() => {}
        None => {
            const MAX_LEN: usize = 32;
            let similarity = |(known, _): &(&'static str, _)| {
                if lower.len().abs_diff(known.len()) > 2 {
                    return None;
                }
                let distance = strsim::osa_distance(&lower, known);
                (distance <= 2).then_some((distance, *known))
            };
            let near = (name.len() <= MAX_LEN)
                .then(|| OTHER_FIELDS.iter().filter_map(similarity).min())
                .flatten();
            let message = format!("unknown field '{}', so the line is ignored", shown(record.name));
            let finding = subject.add(Code::UnknownField, record.line, span, message);
            if let Some((_, known)) = near {
                finding.help(format!("did you mean '{known}'?"));
            }
        }
    }
}

fn crawl_delay(subject: &mut Subject<'_>, record: &Record<'_>) {
    let span = subject.record_span(record);
    let seconds = str::from_utf8(record.value).ok().and_then(|value| value.parse::<f64>().ok());
    let is_number = seconds.is_some_and(|s| s.is_finite() && s >= 0.0);
    if is_number {
        let message = "most crawlers ignore Crawl-delay, including Googlebot";
        subject.add(Code::CrawlDelay, record.line, span, message);
    } else {
        let message =
            format!("the crawl delay '{}' is not a number of seconds", shown(record.value));
        subject
            .add(Code::CrawlDelay, record.line, span, message)
            .severity(Severity::Warning)
            .help("write the number of seconds between two requests, as in 'Crawl-delay: 10'");
    }
}

fn sitemap(subject: &mut Subject<'_>, record: &Record<'_>) {
    let value = record.value;
    let colon = memchr::memmem::find(value, b"://");
    let scheme = colon.map(|at| &value[..at]).filter(|scheme| {
        scheme.first().is_some_and(u8::is_ascii_alphabetic)
            && scheme.iter().all(|o| o.is_ascii_alphanumeric() || b"+-.".contains(o))
    });
    let has_host =
        colon.is_some_and(|at| value[at + 3..].first().is_some_and(|o| !b"/?#:".contains(o)));
    if scheme.is_some() && has_host {
        return;
    }
    let span = if value.is_empty() { subject.record_span(record) } else { record.value_span() };
    let message = if value.is_empty() {
        "the sitemap has no URL".to_owned()
    } else {
        format!("the sitemap '{}' is not an absolute URL", shown(value))
    };
    subject
        .add(Code::SitemapNotAbsolute, record.line, span, message)
        .help("write it with scheme and host, as in 'https://example.com/sitemap.xml'");
}

/// Bytes of a rule that should be percent-encoded, or should not.
fn rule(subject: &mut Subject<'_>, record: &Record<'_>) {
    let value = record.value;
    let at = record.value_offset;
    let profile = subject.profile;
    let encoding = Encoding::of_rule(&profile);
    let is_unescaped = |o: &u8| {
        !o.is_ascii()
            || matches!(o, 0..=0x20 | 0x7F | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{'..=b'}')
    };
    if let Some(first) = value.iter().position(is_unescaped) {
        let last = value.iter().rposition(is_unescaped).unwrap_or(first);
        // All unescaped bytes, not only the first one.
        let compared = value[first..=last].iter().filter(|o| is_unescaped(o));
        let is_encoded = |o: &u8| encoding.changes(*o);
        let encoded = compared.clone().all(is_encoded);
        let as_it_stands = !compared.into_iter().any(is_encoded);
        let bytes = shown(&value[first..=last]);
        let (severity, message) = if encoded {
            (
                Severity::Note,
                format!("not all crawlers percent-encode '{bytes}' before they compare it"),
            )
        } else if !as_it_stands {
            (
                Severity::Warning,
                format!(
                    "only part of '{bytes}' is compared percent-encoded, but URLs encode all of it"
                ),
            )
        } else {
            (
                Severity::Warning,
                format!("'{bytes}' is compared as written, but URLs contain it percent-encoded"),
            )
        };
        subject
            .add(Code::UnescapedBytes, record.line, at + first..at + last + 1, message)
            .severity(severity)
            .help(format!("write '{}'", shown(&escaped(value))));
    }
    percent_encoding(subject, record);
}

/// The value with all bytes percent-encoded that URLs contain only so.
fn escaped(value: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(value.len());
    for byte in value {
        match byte {
            0x21..=0x7E if !b"\"<>\\^`{|}".contains(byte) => escaped.push(*byte),
            byte => escaped.extend(format!("%{byte:02X}").bytes()),
        }
    }
    escaped
}

fn percent_encoding(subject: &mut Subject<'_>, record: &Record<'_>) {
    let value = record.value;
    let hex = |at: usize| value.get(at).and_then(|o| char::from(*o).to_digit(16));
    let (mut stray, mut unreserved) = (None, None);
    for at in memchr::memchr_iter(b'%', value) {
        match (hex(at + 1), hex(at + 2)) {
            (Some(high), Some(low)) => {
                let byte = (high * 16 + low) as u8;
                if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                    unreserved.get_or_insert((at, byte));
                }
            }
            _ => _ = stray.get_or_insert(at),
        }
    }
    let offset = record.value_offset;
    if let Some((at, byte)) = unreserved {
        let (encoded, plain) = (shown(&value[at..at + 3]), char::from(byte));
        let (severity, message) = if subject.profile.unreserved_decoded {
            (Severity::Note, format!("not all crawlers read '{encoded}' as '{plain}'"))
        } else {
            let message = format!(
                "'{encoded}' is compared as written, so URLs with a plain '{plain}' do not match"
            );
            (Severity::Warning, message)
        };
        subject
            .add(Code::PercentEncoding, record.line, offset + at..offset + at + 3, message)
            .severity(severity)
            .help(format!("write '{plain}'"));
    }
    if let Some(at) = stray {
        let message = "this '%' is not followed by two hex digits, but every '%' in a URL is";
        subject
            .add(Code::PercentEncoding, record.line, offset + at..offset + at + 1, message)
            .help("write '%25' for a percent sign");
    }
}
