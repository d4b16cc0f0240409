//! From bytes to lines and records, borrowed from the input.
//!
//! Nothing here fails: any bytes are a sequence of lines. [`scan`] finds the lines that matter to
//! groups and rules, fast; [`Lines`] yields all lines with all that is known of them.

use std::fmt;
use std::ops::Range;

use memchr::{memchr, memchr2};

use crate::bytes_shown::BytesShown;
use crate::profile::{ByteOrderMark, ControlCharacters, OtherRecords, Profile};
use crate::read::fields;
use crate::read::marks::{BLOCK, marks};

/// The field of a record, as the profile reads its name.
///
/// With the feature `serde` it is written in kebab case: `"user-agent"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Field {
    /// `User-agent`: names a crawler that the group is for.
    UserAgent,
    /// `Allow`.
    Allow,
    /// `Disallow`.
    Disallow,
    /// `Sitemap`: belongs to no group.
    Sitemap,
    /// Any other field; it never changes a verdict.
    Other,
}

impl fmt::Display for Field {
    /// `User-agent`, `Allow`, `Disallow`, `Sitemap` or `other`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Field::UserAgent => "User-agent",
            Field::Allow => "Allow",
            Field::Disallow => "Disallow",
            Field::Sitemap => "Sitemap",
            Field::Other => "other",
        })
    }
}

/// A line of the form `field: value`.
///
/// ```
/// use robotsieve::{Field, Profile, Robots};
///
/// let file = b"User-agent: *\nCrawl-Delay : 10 # seconds";
/// let robots = Robots::parse(file, &Profile::RFC9309);
/// let record = robots.records().nth(1).unwrap();
/// assert_eq!((record.line, record.field), (2, Field::Other));
/// assert_eq!((record.name, record.value), (&b"Crawl-Delay"[..], &b"10"[..]));
/// assert_eq!(&file[record.value_span()], b"10");
/// ```
///
/// With the feature `serde` a record is written with its fields and `value_span`, a pair; `name` and
/// `value` are strings if they are UTF-8, else arrays of bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record<'a> {
    /// The line, 1-based. CR, LF and CRLF each end a line.
    pub line: u32,
    /// The field that the profile takes `name` for.
    pub field: Field,
    /// The name as written, white space around it dropped.
    pub name: &'a [u8],
    /// The value as written, comment and white space around it dropped. May be empty.
    pub value: &'a [u8],
    /// The offset of `value` in the file.
    pub(crate) value_offset: usize,
}

/// Its texts as text, not as numbers.
impl fmt::Debug for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record")
            .field("line", &self.line)
            .field("field", &self.field)
            .field("name", &BytesShown(self.name))
            .field("value", &BytesShown(self.value))
            .finish_non_exhaustive()
    }
}

impl Record<'_> {
    /// The bytes of the file that `value` is.
    pub fn value_span(&self) -> Range<usize> {
        self.value_offset..self.value_offset + self.value.len()
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Record<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use crate::bytes_as_text::BytesAsText;
        use serde::ser::SerializeStruct;
        let Range { start, end } = self.value_span();
        let mut out = serializer.serialize_struct("Record", 5)?;
        out.serialize_field("line", &self.line)?;
        out.serialize_field("field", &self.field)?;
        out.serialize_field("name", &BytesAsText(self.name))?;
        out.serialize_field("value", &BytesAsText(self.value))?;
        out.serialize_field("value_span", &(start, end))?;
        out.end()
    }
}

/// What is on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// Nothing but white space.
    Blank,
    /// Only a comment: the line does not exist.
    Comment,
    /// A record.
    Record(Record<'a>),
    /// No separator between a name and a value, or no name.
    NoRecord,
    /// A record that a control character made invalid.
    ControlCharacter,
}

/// A line.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// 1-based.
    pub number: u32,
    /// Where it begins in the file, in bytes.
    pub offset: usize,
    /// Its bytes without the line end.
    pub bytes: &'a [u8],
    pub content: Content<'a>,
}

/// The part of a file that is read, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Where it begins.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
}

impl Extent {
    /// The number of bytes of a file that are read at most. Never more than 4 GiB: offsets have 32 bits.
    pub fn limit(profile: &Profile) -> usize {
        const LARGEST: usize = u32::MAX as usize;
        let limit = profile.size_limit.map(|limit| limit.max(Profile::MIN_SIZE_LIMIT));
        limit.map_or(LARGEST, |limit| limit.min(LARGEST))
    }

    /// Skips a byte order mark and cuts after the last whole line within the size limit.
    pub fn of(file: &[u8], profile: &Profile) -> Extent {
        let mark = b"\xEF\xBB\xBF";
        let from = match profile.byte_order_mark {
            ByteOrderMark::Keep => 0,
            ByteOrderMark::Skip => {
                if file.starts_with(mark) {
                    mark.len()
                } else {
                    0
                }
            }
            ByteOrderMark::SkipPartial => {
                file.iter().zip(mark).take_while(|(byte, mark)| byte == mark).count()
            }
        };
        let limit = Extent::limit(profile);
        let to = if limit < file.len() {
            let is_end = |o: &u8| matches!(o, b'\r' | b'\n');
            if is_end(&file[limit]) {
                limit
            } else {
                file[..limit].iter().rposition(is_end).map_or(0, |end| end + 1)
            }
        } else {
            file.len()
        };
        Extent { from: from.min(to), to }
    }
}

/// The lines of a file.
#[derive(Clone, Debug)]
pub struct Lines<'a, 'p> {
    profile: &'p Profile,
    /// The file up to the end of its extent.
    file: &'a [u8],
    offset: usize,
    number: u32,
}

impl<'a, 'p> Lines<'a, 'p> {
    /// The lines of this part of a file.
    pub fn of(file: &'a [u8], extent: Extent, profile: &'p Profile) -> Lines<'a, 'p> {
        Lines { profile, file: &file[..extent.to], offset: extent.from, number: 0 }
    }
}

impl<'a> Iterator for Lines<'a, '_> {
    type Item = Line<'a>;

    #[inline]
    fn next(&mut self) -> Option<Line<'a>> {
        let offset = self.offset;
        let left = &self.file[offset..];
        if left.is_empty() {
            return None;
        }
        let len = memchr2(b'\n', b'\r', left).unwrap_or(left.len());
        let end_len = match &left[len..] {
            [b'\r', b'\n', ..] => 2,
            [] => 0,
            _ => 1,
        };
        self.offset += len + end_len;
        self.number = self.number.saturating_add(1);
        let bytes = &left[..len];
        let content = content(self.profile, self.number, offset, bytes);
        Some(Line { number: self.number, offset, bytes, content })
    }
}

/// The lines that matter to groups and rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named after the fields")]
pub enum LineKind {
    Blank,
    UserAgent,
    Allow,
    Disallow,
    Sitemap,
    CrawlDelay,
    RequestRate,
    VisitTime,
    /// Any other record. Found only if such records end something.
    Other,
}

/// A line that matters to groups and rules. Its value is `file[value_at..value_end]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundLine {
    pub kind: LineKind,
    pub line: u32,
    pub value_at: u32,
    pub value_end: u32,
}

/// Calls `found` for each line that matters to groups and rules, in the order of the file. Reads
/// every line as [`Lines`] does.
///
/// One pass. Most lines have no mark before their end and begin with a field spelt right and a
/// colon: these are recognised by one word of eight bytes. All others go through `content`.
#[inline]
pub fn scan(file: &[u8], profile: &Profile, mut found: impl FnMut(FoundLine)) {
    let Extent { from, to } = Extent::of(file, profile);
    if from == to {
        return;
    }
    let text = &file[..to];
    let (blocks, tail) = text.as_chunks::<BLOCK>();
    // The last block is never full, so it has room for the line end that the last line may lack.
    let mut last = [b' '; BLOCK];
    last[..tail.len()].copy_from_slice(tail);
    if !matches!(text[to - 1], b'\r' | b'\n') {
        last[tail.len()] = b'\n';
    }
    let mut scanner = Scanner {
        profile,
        line_limit: profile.line_limit.unwrap_or(usize::MAX),
        text,
        number: 0,
        begin: from,
        text_end: usize::MAX,
        odd: false,
    };
    for number in 0..=blocks.len() {
        let block = blocks.get(number).unwrap_or(&last);
        let mut marks = marks(block);
        while marks != 0 {
            let place = marks.trailing_zeros() as usize;
            marks &= marks - 1;
            let at = number * BLOCK + place;
            // Within the byte order mark, or the LF of a CRLF.
            if at < scanner.begin {
                continue;
            }
            match block[place] {
                end @ (b'\n' | b'\r') => {
                    // The only call, so that it is inlined into the loop.
                    if let Some(line) = scanner.line(at) {
                        found(line);
                    }
                    let crlf = end == b'\r' && text.get(at + 1) == Some(&b'\n');
                    scanner.begin = at + 1 + usize::from(crlf);
                }
                b'#' => scanner.text_end = scanner.text_end.min(at),
                _ => scanner.odd = true,
            }
        }
    }
}

/// The state of [`scan`]: the line that it is in.
struct Scanner<'a, 'p> {
    profile: &'p Profile,
    line_limit: usize,
    /// The file up to its extent's end.
    text: &'a [u8],
    /// The number of the previous line, 1-based.
    number: u32,
    begin: usize,
    /// Where the line's first `#` is, if it has one.
    text_end: usize,
    /// True if the line has a control character.
    odd: bool,
}

impl Scanner<'_, '_> {
    /// The line that ends before `end`, if it matters.
    #[inline(always)]
    fn line(&mut self, end: usize) -> Option<FoundLine> {
        self.number = self.number.saturating_add(1);
        let text_end = std::mem::replace(&mut self.text_end, usize::MAX).min(end);
        let plain = !std::mem::take(&mut self.odd) && end - self.begin <= self.line_limit;
        if !plain {
            return self.unusual(end);
        }
        let mut begin = self.begin;
        let mut usual = usual_field(&self.text[begin..]);
        if usual.is_none() {
            begin = self.skip_white(begin, text_end);
            if begin == text_end {
                // White space and a `#`: the line is only a comment.
                return (text_end == end).then(|| self.found(LineKind::Blank, end, end));
            }
            if begin > self.begin {
                usual = usual_field(&self.text[begin..]);
            }
        }
        let Some((kind, name_len)) = usual else {
            // All fields that matter, misspelt ones too, begin with one of these.
            let first = self.text[begin] | 0x20;
            // The last two are a hyphen and an underscore.
            let matters =
                matches!(first, b'u' | b'd' | b'a' | b's' | b'c' | b'r' | b'v' | b'-' | 0x7F);
            return if matters || self.finds_others() { self.unusual(end) } else { None };
        };
        if kind == LineKind::Allow && !self.profile.allow_rules {
            return None;
        }
        // Name and colon have no mark, so they are within the line's text.
        let (mut value_at, mut value_end) = (begin + name_len, text_end);
        let is_white = |at: usize| matches!(self.text[at], b' ' | b'\t');
        while value_at < value_end && is_white(value_at) {
            value_at += 1;
        }
        while value_at < value_end && is_white(value_end - 1) {
            value_end -= 1;
        }
        Some(self.found(kind, value_at, value_end))
    }

    /// Where the spaces and tabs before a line's text end. Any other white space is a mark, so a
    /// plain line has none.
    #[inline(always)]
    fn skip_white(&self, mut at: usize, to: usize) -> usize {
        // HTML pages served as robots.txt are indented deeply.
        while at + 8 <= to && self.text[at..at + 8] == *b"        " {
            at += 8;
        }
        while at < to && matches!(self.text[at], b' ' | b'\t') {
            at += 1;
        }
        at
    }

    #[cold]
    #[inline(never)]
    fn unusual(&self, end: usize) -> Option<FoundLine> {
        // Most words that begin like these three fields are others.
        let begin = self.text[self.begin..end].trim_ascii_start();
        if matches!(begin.first().map(u8::to_ascii_lowercase), Some(b'c' | b'r' | b'v'))
            && !may_be_pace(begin)
            && !self.finds_others()
        {
            return None;
        }
        match content(self.profile, self.number, self.begin, &self.text[self.begin..end]) {
            Content::Blank => Some(self.found(LineKind::Blank, end, end)),
            Content::Record(record) => {
                let kind = match record.field {
                    Field::UserAgent => LineKind::UserAgent,
                    Field::Allow => LineKind::Allow,
                    Field::Disallow => LineKind::Disallow,
                    Field::Sitemap => LineKind::Sitemap,
                    Field::Other if may_be_pace(record.name) => {
                        match fields::Kind::of_field(record.name) {
                            fields::Kind::CrawlDelay => LineKind::CrawlDelay,
                            fields::Kind::RequestRate => LineKind::RequestRate,
                            fields::Kind::VisitTime => LineKind::VisitTime,
                            _ if self.finds_others() => LineKind::Other,
                            _ => return None,
                        }
                    }
                    Field::Other if self.finds_others() => LineKind::Other,
                    Field::Other => return None,
                };
                let span = record.value_span();
                Some(self.found(kind, span.start, span.end))
            }
            _ => None,
        }
    }

    fn finds_others(&self) -> bool {
        self.profile.other_records == OtherRecords::AllEndAgents
    }

    #[inline(always)]
    fn found(&self, kind: LineKind, at: usize, end: usize) -> FoundLine {
        // The extent ends before 4 GiB, so both offsets fit.
        FoundLine { kind, line: self.number, value_at: at as u32, value_end: end as u32 }
    }
}

/// The field that `text` begins with, if it is spelt right and its colon follows at once, and the
/// length of both.
#[inline(always)]
fn usual_field(text: &[u8]) -> Option<(LineKind, usize)> {
    // Setting this bit makes letters lower case. It also turns a CR into `-`, and a CR may end
    // the line here: so a `-` is checked again below. And it turns another control character into
    // `:`, but a line with one never gets here.
    const LOWER: u64 = 0x2020_2020_2020_2020;
    let word = |name: &[u8; 8]| u64::from_le_bytes(*name);
    let (head, after) = text.split_first_chunk::<8>()?;
    let head = u64::from_le_bytes(*head) | LOWER;
    if head == word(b"disallow") {
        return (after.first() == Some(&b':')).then_some((LineKind::Disallow, 9));
    }
    if head << 16 == word(b"\0\0allow:") {
        return Some((LineKind::Allow, 6));
    }
    if head == word(b"user-age") {
        let rest = after.first_chunk::<3>()?;
        let is_it = rest[0] | 0x20 == b'n' && rest[1] | 0x20 == b't' && rest[2] == b':';
        let is_it = is_it && text[4] == b'-';
        return is_it.then_some((LineKind::UserAgent, 11));
    }
    if head == word(b"crawl-de") {
        let rest = after.first_chunk::<4>()?;
        let is_it = rest[..3].eq_ignore_ascii_case(b"lay") && rest[3] == b':' && text[5] == b'-';
        return is_it.then_some((LineKind::CrawlDelay, 12));
    }
    (head == word(b"sitemap:")).then_some((LineKind::Sitemap, 8))
}

/// Returns true if a field whose name `text` begins with may be `Crawl-delay`, `Request-rate` or
/// `Visit-time`, in any of the spellings that [`fields::Kind::of_field`] knows.
fn may_be_pace(text: &[u8]) -> bool {
    let letters = text.iter().filter(|byte| !matches!(byte, b'-' | b'_' | b' ' | b'\t'));
    let mut head = [0; 4];
    head.iter_mut().zip(letters).for_each(|(head, letter)| *head = letter | 0x20);
    matches!(&head, b"craw" | b"requ" | b"visi")
}

fn is_white(byte: u8, profile: &Profile) -> bool {
    matches!(byte, b' ' | b'\t') || profile.ascii_white_space && matches!(byte, 0x09..=0x0D)
}

/// Drops white space at both ends. Returns how many bytes were dropped in front, and the rest.
#[inline]
fn trim<'a>(text: &'a [u8], profile: &Profile) -> (usize, &'a [u8]) {
    let Some(first) = text.iter().position(|&o| !is_white(o, profile)) else {
        return (text.len(), &[]);
    };
    let last = text.iter().rposition(|&o| !is_white(o, profile)).unwrap_or(first);
    (first, &text[first..=last])
}

fn content<'a>(profile: &Profile, number: u32, offset: usize, bytes: &'a [u8]) -> Content<'a> {
    let mut text = bytes;
    if let Some(limit) = profile.line_limit {
        text = &text[..text.len().min(limit)];
    }
    if profile.control_characters == ControlCharacters::NulEndsLine {
        text = &text[..memchr(0, text).unwrap_or(text.len())];
    }
    let comment = memchr(b'#', text);
    let (skipped, text) = trim(&text[..comment.unwrap_or(text.len())], profile);
    if text.is_empty() {
        return if comment.is_some() { Content::Comment } else { Content::Blank };
    }
    if profile.control_characters == ControlCharacters::InvalidateRecord
        && text.iter().any(|&o| o.is_ascii_control() && o != b'\t')
    {
        return Content::ControlCharacter;
    }
    let separator = memchr(b':', text).or_else(|| {
        // Exactly two words: the text has no white space at its ends, so a word follows the
        // first run of it, and no second run may follow.
        let space = memchr2(b' ', b'\t', text).filter(|_| profile.missing_colon)?;
        let after = text[space..].iter().position(|o| !matches!(o, b' ' | b'\t'))?;
        memchr2(b' ', b'\t', &text[space + after..]).is_none().then_some(space)
    });
    let Some(separator) = separator else { return Content::NoRecord };
    let (_, name) = trim(&text[..separator], profile);
    if name.is_empty() {
        return Content::NoRecord;
    }
    let (before, value) = trim(&text[separator + 1..], profile);
    Content::Record(Record {
        line: number,
        field: field(name, profile),
        name,
        value,
        value_offset: offset + skipped + separator + 1 + before,
    })
}

/// The misspelt fields that google/robotstxt understands.
const MISSPELT: [(&[u8], Field); 8] = [
    (b"useragent", Field::UserAgent),
    (b"user agent", Field::UserAgent),
    (b"dissallow", Field::Disallow),
    (b"dissalow", Field::Disallow),
    (b"disalow", Field::Disallow),
    (b"diasllow", Field::Disallow),
    (b"disallaw", Field::Disallow),
    (b"site-map", Field::Sitemap),
];

fn field(name: &[u8], profile: &Profile) -> Field {
    let is = |wanted: &[u8]| {
        name.len() >= wanted.len()
            && (profile.field_prefixes || name.len() == wanted.len())
            && name[..wanted.len()].eq_ignore_ascii_case(wanted)
    };
    let field = match name[0] | 0x20 {
        b'u' if is(b"user-agent") => Field::UserAgent,
        b'a' if is(b"allow") => Field::Allow,
        b'd' if is(b"disallow") => Field::Disallow,
        b's' if is(b"sitemap") => Field::Sitemap,
        b'u' | b'd' | b's' if profile.misspelt_fields => {
            let misspelt = MISSPELT.iter().find(|(wanted, _)| is(wanted));
            misspelt.map_or(Field::Other, |(_, field)| *field)
        }
        _ => Field::Other,
    };
    if field == Field::Allow && !profile.allow_rules { Field::Other } else { field }
}

/// What an unknown field was probably meant to be: the name begins with a misspelling that
/// google/robotstxt understands, or is at most two edits away from a known field.
pub fn likely_field(name: &[u8]) -> Option<Field> {
    let lower = name.to_ascii_lowercase();
    if let Some((_, field)) = MISSPELT.iter().find(|(misspelt, _)| lower.starts_with(misspelt)) {
        return Some(*field);
    }
    let known: [(&[u8], Field); 4] = [
        (b"user-agent", Field::UserAgent),
        (b"allow", Field::Allow),
        (b"disallow", Field::Disallow),
        (b"sitemap", Field::Sitemap),
    ];
    let near = known.iter().map(|(wanted, field)| (edits(&lower, wanted), wanted.len(), *field));
    near.filter(|(edits, len, _)| *edits <= if *len > 6 { 2 } else { 1 })
        .min_by_key(|(edits, ..)| *edits)
        .map(|(.., field)| field)
}

/// The Levenshtein distance, or `usize::MAX` if the lengths differ by more than two.
fn edits(a: &[u8], b: &[u8]) -> usize {
    if a.len().abs_diff(b.len()) > 2 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records<'a>(file: &'a [u8], profile: &Profile) -> Vec<(u32, Field, &'a [u8])> {
        Lines::of(file, Extent::of(file, profile), profile)
            .filter_map(|line| match line.content {
                Content::Record(r) => {
                    assert_eq!(&file[r.value_span()], r.value);
                    Some((r.line, r.field, r.value))
                }
                _ => None,
            })
            .collect()
    }

    #[test]
    fn line_ends() {
        for file in [
            &b"allow: /a\r\n\r\nallow: /b"[..],
            b"allow: /a\n\nallow: /b\n",
            b"allow: /a\r\rallow: /b\r",
        ] {
            let wanted = [(1, Field::Allow, &b"/a"[..]), (3, Field::Allow, b"/b")];
            assert_eq!(records(file, &Profile::RFC9309), wanted);
        }
    }

    #[test]
    fn names_and_values() {
        let file = b" ALLOW\t: /a b # c\nallow :\nallow\n: /x\n#allow: /y\nnoindex: /z";
        let wanted =
            [(1, Field::Allow, &b"/a b"[..]), (2, Field::Allow, b""), (6, Field::Other, b"/z")];
        assert_eq!(records(file, &Profile::RFC9309), wanted);
    }

    #[test]
    fn google_leniencies() {
        let file = b"Allowed: /a\nuser agent: b\ndissallow:/c\ndisallow /d\ndisallow /e f\n\
            site-map: g\n\x0B\x0Callow\x0B: /h\x0C\nallow: /i\0j\n";
        let wanted = [
            (1, Field::Allow, &b"/a"[..]),
            (2, Field::UserAgent, b"b"),
            (3, Field::Disallow, b"/c"),
            (4, Field::Disallow, b"/d"),
            (6, Field::Sitemap, b"g"),
            (7, Field::Allow, b"/h"),
            (8, Field::Allow, b"/i"),
        ];
        assert_eq!(records(file, &Profile::GOOGLE), wanted);
        let strict = records(file, &Profile::RFC9309);
        let known = strict.iter().filter(|(_, field, _)| *field != Field::Other);
        assert_eq!(known.copied().collect::<Vec<_>>(), [(8, Field::Allow, &b"/i\0j"[..])]);
    }

    /// [`scan`] finds the same lines as [`Lines`].
    fn scan_equals_lines(file: &[u8], profile: &Profile) {
        let mut scanned = Vec::new();
        scan(file, profile, |found| scanned.push(found));
        let lines = Lines::of(file, Extent::of(file, profile), profile);
        let wanted = lines.filter_map(|line| {
            let (kind, span) = match line.content {
                Content::Blank => (LineKind::Blank, None),
                Content::Record(record) => {
                    let kind = match record.field {
                        Field::UserAgent => LineKind::UserAgent,
                        Field::Allow => LineKind::Allow,
                        Field::Disallow => LineKind::Disallow,
                        Field::Sitemap => LineKind::Sitemap,
                        Field::Other => match fields::Kind::of_field(record.name) {
                            fields::Kind::CrawlDelay => LineKind::CrawlDelay,
                            fields::Kind::RequestRate => LineKind::RequestRate,
                            _ => return None,
                        },
                    };
                    (kind, Some(record.value_span()))
                }
                _ => return None,
            };
            Some((kind, line.number, span.filter(|span| !span.is_empty())))
        });
        let scanned = scanned.into_iter().map(|found| {
            let span = found.value_at as usize..found.value_end as usize;
            (found.kind, found.line, Some(span).filter(|span| !span.is_empty()))
        });
        let shown = file.escape_ascii();
        assert_eq!(scanned.collect::<Vec<_>>(), wanted.collect::<Vec<_>>(), "{shown}");
    }

    #[test]
    fn scan_finds_what_lines_find() {
        let pieces: [&[u8]; 46] = [
            b"User-agent:",
            b"user-AGENT",
            b"user\ragent:",
            b"USER-AGEN",
            b"Disallow:",
            b"dISALLOW: ",
            b"disallow\x1A",
            b"Disallow",
            b"Allow:",
            b"allow: /",
            b"allow :",
            b"allowed:",
            b"Sitemap:",
            b"sitemap: https://e.com/",
            b"useragent: a",
            b"site-map:",
            b"Crawl-delay: 1",
            b"_c-R_aw l\tdelay :2",
            b"crawl\rdelay:",
            b"CRAWL-DELAY:",
            b"request rate:1/5",
            b"crawl",
            b"_",
            b"/",
            b"a",
            b"*",
            b"bot",
            b" ",
            b"  ",
            b"\t",
            b"#",
            b" # x",
            b":",
            b"\n",
            b"\n",
            b"\n",
            b"\r",
            b"\r\n",
            b"\r\n",
            b"\0",
            b"\x0B",
            b"\x1F",
            b"\x7F",
            b"\xEF\xBB\xBF",
            b"\xFF",
            b"/a/quite/long/path/that/crosses/the/end/of/a/block/of/sixty-four/bytes",
        ];
        let mut seed = 5u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % below
        };
        for _ in 0..20_000 {
            let count = random(24);
            let file: Vec<u8> =
                (0..count).flat_map(|_| pieces[random(pieces.len())].iter().copied()).collect();
            for &(_, mut profile) in Profile::NAMED {
                profile.line_limit = profile.line_limit.map(|_| 20);
                scan_equals_lines(&file, &profile);
            }
        }
    }

    #[test]
    fn byte_order_marks() {
        let value =
            |file: &'static [u8], profile: &Profile| records(file, profile).first().map(|r| r.1);
        for (file, rfc, google) in [
            (&b"\xEF\xBB\xBFallow: /"[..], Some(Field::Allow), Some(Field::Allow)),
            (b"\xEF\xBBallow: /", Some(Field::Other), Some(Field::Allow)),
            (b"\xEFallow: /", Some(Field::Other), Some(Field::Allow)),
            (b"\xBBallow: /", Some(Field::Other), Some(Field::Other)),
        ] {
            assert_eq!(value(file, &Profile::RFC9309), rfc);
            assert_eq!(value(file, &Profile::GOOGLE), google);
        }
        assert_eq!(value(b"\xEF\xBB\xBFdisallow: /", &Profile::ORIGINAL_1994), Some(Field::Other));
    }

    #[test]
    fn size_limit_cuts_at_a_whole_line() {
        let line = b"allow: /123\n";
        let file = line.repeat(Profile::MIN_SIZE_LIMIT / line.len() + 10);
        let whole = Profile::MIN_SIZE_LIMIT / line.len() * line.len();
        assert_eq!(Extent::of(&file, &Profile::RFC9309), Extent { from: 0, to: whole });
        assert_eq!(Extent::of(&file, &Profile::GOOGLE).to, file.len());
        let mut exact = vec![b'a'; Profile::MIN_SIZE_LIMIT];
        assert_eq!(Extent::of(&exact, &Profile::RFC9309).to, exact.len());
        exact.push(b'\n');
        assert_eq!(Extent::of(&exact, &Profile::RFC9309).to, Profile::MIN_SIZE_LIMIT);
        exact[Profile::MIN_SIZE_LIMIT] = b'a';
        assert_eq!(Extent::of(&exact, &Profile::RFC9309).to, 0);
        // Never less than what the RFC demands.
        let profile = Profile { size_limit: Some(10), ..Profile::RFC9309 };
        assert_eq!(Extent::of(&file, &profile).to, whole);
    }

    #[test]
    fn line_limit() {
        let mut file = b"allow: /".to_vec();
        file.resize(17_000, b'a');
        assert_eq!(records(&file, &Profile::GOOGLE)[0].2.len(), 16_663 - 7);
        assert_eq!(records(&file, &Profile::RFC9309)[0].2.len(), 17_000 - 7);
    }

    #[test]
    fn control_characters() {
        let file = b"allow: /a\x01\nallow:\t/b\nallow: /c # \x01\n";
        assert_eq!(records(file, &Profile::GOOGLE_CLASSIC).len(), 2);
        assert_eq!(records(file, &Profile::RFC9309).len(), 3);
    }

    #[test]
    fn likely_fields() {
        for (name, wanted) in [
            ("Useragent", Some(Field::UserAgent)),
            ("user_agent", Some(Field::UserAgent)),
            ("Disalow", Some(Field::Disallow)),
            ("Dissalllow", Some(Field::Disallow)),
            ("Alow", Some(Field::Allow)),
            ("sitemaps", Some(Field::Sitemap)),
            ("crawl-delay", None),
            ("host", None),
            ("", None),
        ] {
            assert_eq!(likely_field(name.as_bytes()), wanted, "{name}");
        }
    }
}
