//! What is odd about a file. Never fatal, and computed only on request.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use crate::profile::{ByteOrderMark, ControlCharacters, Profile};
use crate::read::parse::{Content, Extent, Field, Line, Lines, Record, likely_field};
use crate::read::token::{Names, token};
use crate::read::utf16::ByteOrder;
use crate::rules::normalise::Encoding;

/// Something odd in a robots.txt, and where it is. Found by
/// [`Robots::diagnostics`](crate::Robots::diagnostics).
///
/// A diagnostic says what the profile at hand does with some bytes of the file. For advice with a
/// severity and a remedy, use the crate `robotsieve-lint`.
///
/// With the feature `serde` it is written with its fields, `span` as `{"start": 0, "end": 3}` and
/// `kind` in kebab case.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Diagnostic {
    /// The line, 1-based.
    pub line: u32,
    /// The bytes of the file that it is about.
    pub span: Range<usize>,
    /// The oddity.
    pub kind: DiagnosticKind,
}

/// What can be odd about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum DiagnosticKind {
    /// The file begins with a UTF-8 byte order mark or a part of one.
    ByteOrderMark {
        /// True if the profile skips it.
        skipped: bool,
    },
    /// The file looks like UTF-16, so no rule in it is found.
    Utf16,
    /// The file looks like an HTML page.
    Html,
    /// The file is longer than the profile reads; these bytes are not read.
    SizeLimit {
        /// In bytes.
        limit: usize,
    },
    /// The line is longer than the profile reads; these bytes are not read.
    LineLimit {
        /// In bytes.
        limit: usize,
    },
    /// A control character other than a tab.
    ControlCharacter {
        /// True if it makes the profile ignore the record.
        ignored: bool,
    },
    /// A NUL after which the profile does not read the line.
    NulEndsLine,
    /// Neither a record nor a comment: the line is ignored.
    NoRecord,
    /// A line of two words without a colon, which the profile reads as a record.
    MissingColon,
    /// A field that the profile does not know, close to one that it knows.
    MisspeltField {
        /// What was probably meant.
        likely: Field,
    },
    /// A misspelt field that the profile understands.
    MisspellingAccepted {
        /// What it is read as.
        field: Field,
    },
    /// A rule before the first group, or after a blank line that ended one: ignored.
    RuleOutsideGroup,
    /// A user-agent line that names no crawler.
    NamesNobody,
    /// Text after the product token of a user-agent line: ignored.
    AfterToken,
    /// A product token with other bytes than RFC 9309's grammar permits (letters, `-`, `_`).
    TokenOutsideGrammar,
    /// A token that an earlier group names too.
    RepeatedToken {
        /// The first line that names it.
        first_line: u32,
        /// True if the groups are merged. If not, the later one is ignored.
        merged: bool,
    },
    /// A rule without a leading `/`. Unless the profile assumes one, the rule can match only if
    /// it begins with `*`.
    NoLeadingSlash {
        /// True if the profile assumes it.
        assumed: bool,
    },
    /// A `$` that is not the last byte of a rule, so it stands for itself.
    DollarInside,
    /// A rule's value that is normalised before it is compared.
    Normalised,
}

impl fmt::Display for DiagnosticKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use DiagnosticKind::*;
        match self {
            ByteOrderMark { skipped: true } => f.write_str("byte order mark, skipped"),
            ByteOrderMark { skipped: false } => {
                f.write_str("byte order mark: the first line's field is unknown with it")
            }
            Utf16 => f.write_str("the file looks like UTF-16; robots.txt is UTF-8"),
            Html => f.write_str("the file looks like an HTML page"),
            SizeLimit { limit } => {
                write!(f, "the file is longer than {limit} bytes: the rest is not read")
            }
            LineLimit { limit } => {
                write!(f, "the line is longer than {limit} bytes: the rest is not read")
            }
            ControlCharacter { ignored: true } => {
                f.write_str("control character: the record is ignored")
            }
            ControlCharacter { ignored: false } => f.write_str("control character"),
            NulEndsLine => f.write_str("NUL: the rest of the line is not read"),
            NoRecord => f.write_str("neither `field: value` nor a comment: ignored"),
            MissingColon => f.write_str("missing colon, read as if it were there"),
            MisspeltField { likely } => {
                write!(f, "unknown field, ignored: did you mean '{likely}'?")
            }
            MisspellingAccepted { field } => write!(f, "misspelt field, read as '{field}'"),
            RuleOutsideGroup => f.write_str("rule outside any group: ignored"),
            NamesNobody => f.write_str("names no crawler"),
            AfterToken => f.write_str("text after the product token: ignored"),
            TokenOutsideGrammar => {
                f.write_str("product token with other bytes than RFC 9309 permits")
            }
            RepeatedToken { first_line, merged: true } => {
                write!(f, "already named on line {first_line}: the groups are merged")
            }
            RepeatedToken { first_line, merged: false } => {
                write!(f, "already named on line {first_line}: this group is ignored for it")
            }
            NoLeadingSlash { assumed: true } => f.write_str("no leading '/': assumed"),
            NoLeadingSlash { assumed: false } => {
                f.write_str("no leading '/': can match only if it begins with '*'")
            }
            DollarInside => f.write_str("'$' stands for itself: it is not the last character"),
            Normalised => f.write_str("normalised before it is compared"),
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.kind)
    }
}

/// Reads every line again. `group_of` returns the group that a line belongs to.
pub(crate) fn diagnose(
    file: &[u8],
    profile: &Profile,
    group_of: impl Fn(u32) -> Option<u32>,
) -> Vec<Diagnostic> {
    let extent = Extent::of(file, profile);
    let mut found = Vec::new();
    file_as_a_whole(file, profile, extent, &mut found);
    let mut tokens: HashMap<Vec<u8>, (Option<u32>, u32)> = HashMap::new();
    let mut lines = 0;
    for line in Lines::of(file, extent, profile) {
        lines = line.number;
        bytes_of_line(file, profile, &line, &mut found);
        let mut add = |span: Range<usize>, kind| {
            found.push(Diagnostic { line: line.number, span, kind });
        };
        match line.content {
            Content::NoRecord => {
                add(line.offset..line.offset + line.bytes.len(), DiagnosticKind::NoRecord)
            }
            Content::Record(record) => {
                of_field(file, &record, &mut add);
                match record.field {
                    Field::UserAgent => {
                        let group = group_of(record.line);
                        of_user_agent(&record, profile, group, &mut tokens, &mut add);
                    }
                    Field::Allow | Field::Disallow => {
                        let in_group = group_of(record.line).is_some();
                        of_rule(&record, profile, in_group, &mut add);
                    }
                    _ => {}
                }
            }
            Content::Blank | Content::Comment | Content::ControlCharacter => {}
        }
    }
    if extent.to < file.len() {
        let limit = Extent::limit(profile);
        let kind = DiagnosticKind::SizeLimit { limit };
        found.push(Diagnostic { line: lines + 1, span: extent.to..file.len(), kind });
    }
    found
}

fn file_as_a_whole(file: &[u8], profile: &Profile, extent: Extent, found: &mut Vec<Diagnostic>) {
    let mut add = |span, kind| found.push(Diagnostic { line: 1, span, kind });
    if extent.from > 0 {
        add(0..extent.from, DiagnosticKind::ByteOrderMark { skipped: true });
    } else if profile.byte_order_mark == ByteOrderMark::Keep && file.starts_with(b"\xEF\xBB\xBF") {
        add(0..3, DiagnosticKind::ByteOrderMark { skipped: false });
    }
    if ByteOrder::of(file).is_some() {
        add(0..2, DiagnosticKind::Utf16);
    }
    let text = file[extent.from..].trim_ascii_start();
    let begins =
        |tag: &[u8]| text.len() >= tag.len() && text[..tag.len()].eq_ignore_ascii_case(tag);
    const TAGS: [&[u8]; 8] =
        [b"<!doctype", b"<html", b"<head", b"<meta", b"<title", b"<body", b"<script", b"<?xml"];
    if TAGS.into_iter().any(begins) {
        let at = file.len() - text.len();
        add(at..at + 5, DiagnosticKind::Html);
    }
}

fn bytes_of_line(file: &[u8], profile: &Profile, line: &Line<'_>, found: &mut Vec<Diagnostic>) {
    let end = line.offset + line.bytes.len();
    let mut add = |span, kind| found.push(Diagnostic { line: line.number, span, kind });
    if let Some(limit) = profile.line_limit.filter(|limit| *limit < line.bytes.len()) {
        add(line.offset + limit..end, DiagnosticKind::LineLimit { limit });
    }
    let is_control = |o: &u8| o.is_ascii_control() && *o != b'\t';
    if let Some(at) = line.bytes.iter().position(is_control).map(|at| line.offset + at) {
        let nul_ends = profile.control_characters == ControlCharacters::NulEndsLine;
        if let Some(nul) = memchr::memchr(0, line.bytes).filter(|_| nul_ends) {
            add(line.offset + nul..end, DiagnosticKind::NulEndsLine);
        } else {
            let ignored = line.content == Content::ControlCharacter;
            add(at..at + 1, DiagnosticKind::ControlCharacter { ignored });
        }
    }
    debug_assert!(end <= file.len());
}

fn of_field(file: &[u8], record: &Record<'_>, add: &mut impl FnMut(Range<usize>, DiagnosticKind)) {
    let name_at = record.name.as_ptr() as usize - file.as_ptr() as usize;
    let name_span = name_at..name_at + record.name.len();
    let between = &file[name_span.end..record.value_offset];
    if !between.contains(&b':') {
        add(name_span.clone(), DiagnosticKind::MissingColon);
    }
    match Field::KNOWN.iter().find(|(_, field)| *field == record.field) {
        Some((exact, field)) => {
            if !record.name.eq_ignore_ascii_case(exact) {
                add(name_span, DiagnosticKind::MisspellingAccepted { field: *field });
            }
        }
        None => {
            let likely = likely_field(record.name)
                .filter(|f| *f != Field::Allow || !record.name.eq_ignore_ascii_case(b"allow"));
            if let Some(likely) = likely {
                add(name_span, DiagnosticKind::MisspeltField { likely });
            }
        }
    }
}

fn of_user_agent(
    record: &Record<'_>,
    profile: &Profile,
    group: Option<u32>,
    tokens: &mut HashMap<Vec<u8>, (Option<u32>, u32)>,
    add: &mut impl FnMut(Range<usize>, DiagnosticKind),
) {
    let span = record.value_span();
    let name = match Names::of(record.value, profile) {
        Names::Nobody => return add(span, DiagnosticKind::NamesNobody),
        Names::Everybody => b"*".to_vec(),
        Names::Token(_) => {
            let token = token(record.value, profile.token_bytes);
            let token_end = span.start + token.len();
            if token_end < span.end {
                add(token_end..span.end, DiagnosticKind::AfterToken);
            }
            if token.iter().any(|o| !o.is_ascii_alphabetic() && !b"-_".contains(o)) {
                add(span.start..token_end, DiagnosticKind::TokenOutsideGrammar);
            }
            token.to_ascii_lowercase()
        }
    };
    let (first_group, first_line) = *tokens.entry(name).or_insert((group, record.line));
    if first_group != group {
        let merged = profile.merge_groups;
        add(span, DiagnosticKind::RepeatedToken { first_line, merged });
    }
}

fn of_rule(
    record: &Record<'_>,
    profile: &Profile,
    in_group: bool,
    add: &mut impl FnMut(Range<usize>, DiagnosticKind),
) {
    let (value, span) = (record.value, record.value_span());
    if !in_group {
        return add(span, DiagnosticKind::RuleOutsideGroup);
    }
    if !matches!(value.first(), None | Some(b'/')) {
        let assumed = profile.leading_slash_assumed;
        add(span.clone(), DiagnosticKind::NoLeadingSlash { assumed });
    }
    if let Some(at) = memchr::memchr(b'$', value)
        && at + 1 < value.len()
        && profile.wildcards
    {
        add(span.start + at..span.start + at + 1, DiagnosticKind::DollarInside);
    }
    let encoding = Encoding::of_rule(profile);
    let plain = |o: &u8| profile.wildcards && matches!(o, b'*' | b'$');
    if value.iter().any(|o| encoding.changes(*o) && !plain(o)) {
        // Stars and dollars apart: only the bytes between them are compared.
        let pieces = value.split(plain).flat_map(|piece| encoding.normalised(piece));
        let written = value.iter().copied().filter(|o| !plain(o));
        if !pieces.eq(written) {
            add(span, DiagnosticKind::Normalised);
        }
    }
}
