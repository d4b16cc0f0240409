//! Findings about the file as a whole.

use std::ops::Range;

use robotsieve::internals::{Content, Extent, Lines};
use robotsieve::{Field, Profile};

use crate::subject::Subject;
use crate::{Code, Severity};

pub(super) fn find(subject: &mut Subject<'_>, content_type: Option<&str>) {
    size(subject);
    without_mark(subject);
    if let Some(content_type) = content_type {
        served_as(subject, content_type);
    }
}

/// Reports UTF-16 without a byte order mark: the parser goes by the mark.
fn without_mark(subject: &mut Subject<'_>) {
    let pairs = subject.file.get(..64).unwrap_or(subject.file).chunks_exact(2);
    let is_text = |byte: u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    let is = |order: &dyn Fn([u8; 2]) -> [u8; 2]| {
        let mut all = pairs.clone().map(|pair| order([pair[0], pair[1]]));
        all.all(|[high, low]| high == 0 && is_text(low))
    };
    if pairs.len() >= 8 && (is(&|pair| pair) || is(&|[low, high]| [high, low])) {
        utf16(subject, 1, 0..2);
    }
}

pub(super) fn utf16(subject: &mut Subject<'_>, line: u32, span: Range<usize>) {
    let message = "the file is encoded in UTF-16, in which most crawlers find no rule";
    subject.add(Code::Utf16, line, span, message).help("save the file as UTF-8");
}

/// Reports what lies beyond the size that every crawler must read. The parser only says where it
/// stops itself.
fn size(subject: &mut Subject<'_>) {
    let file = subject.file;
    let limit = Profile::MIN_SIZE_LIMIT;
    if file.len() <= limit {
        return;
    }
    // Cut as the RFC does it, so that all profiles have the same finding.
    let extent = Extent::of(file, &Profile::RFC9309);
    let line = Lines::of(file, extent, &Profile::RFC9309).count() as u32 + 1;
    let beyond = Extent { from: extent.to, to: file.len() };
    let (mut records, mut loses) = (0, false);
    for line in Lines::of(file, beyond, &Profile::RFC9309) {
        let Content::Record(record) = line.content else { continue };
        records += 1;
        loses |= matches!(record.field, Field::UserAgent | Field::Allow | Field::Disallow);
    }
    let is_cut = subject.robots.extent().end < file.len();
    let fate = if is_cut { "are not read" } else { "may be ignored" };
    let message = format!(
        "the file has {} bytes, but crawlers must read only {limit}: the last {} bytes, from line \
         {line} on, with {records} records, {fate}",
        file.len(),
        file.len() - extent.to,
    );
    // Where one reader goes on, others stop.
    let severity = if is_cut { Severity::Error } else { Severity::Warning };
    subject
        .add(Code::SizeLimit, line, extent.to..file.len(), message)
        .severity(severity)
        .loses(loses)
        .help(
            "shorten the file, for example with wildcards in place of lists of paths, and put what \
             matters first",
        );
}

fn served_as(subject: &mut Subject<'_>, content_type: &str) {
    let mut parts = content_type.split(';').map(str::trim);
    let media_type = parts.next().unwrap_or_default();
    if !media_type.eq_ignore_ascii_case("text/plain") {
        let message = format!("the file is served as '{media_type}', not as text/plain");
        subject
            .add(Code::ContentType, 1, 0..0, message)
            .help("serve it with 'Content-Type: text/plain; charset=utf-8'");
        return;
    }
    let charset = parts.filter_map(|part| part.split_once('=')).find_map(|(name, value)| {
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"'))
    });
    if let Some(charset) = charset
        && !["utf-8", "utf8", "us-ascii"].iter().any(|known| charset.eq_ignore_ascii_case(known))
    {
        let message = format!("the file is served with the charset '{charset}', not as UTF-8");
        subject
            .add(Code::ContentType, 1, 0..0, message)
            .help("serve it with 'Content-Type: text/plain; charset=utf-8'");
    }
}
