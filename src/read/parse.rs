//! From bytes to lines and records, borrowed from the input.
//!
//! Nothing here fails: any bytes are a sequence of lines. [`scan`] finds the lines that matter to
//! groups and rules, fast; [`Lines`] yields all lines with all that is known of them.

use std::fmt;
use std::ops::Range;

use memchr::{memchr, memchr2};

use crate::bytes_shown::BytesShown;
use crate::profile::{ByteOrderMark, ControlCharacters, OtherRecords, Profile};
use crate::read::differing::Differing;
use crate::read::fields;
use crate::read::marks::{BLOCK, Marks};

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

impl Field {
    /// Those with a meaning, and their names in lower case.
    pub(crate) const KNOWN: [(&[u8], Field); 4] = [
        (b"user-agent", Field::UserAgent),
        (b"allow", Field::Allow),
        (b"disallow", Field::Disallow),
        (b"sitemap", Field::Sitemap),
    ];
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
        // What follows the end of a last line without a line end still has an offset.
        const LARGEST: usize = u32::MAX as usize - 1;
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

/// The blocks of which the marks are found in one turn: a kibibyte of text.
const BLOCKS: usize = 16;

/// Room for the lines that are looked at in one turn.
const LINES: usize = 64;

/// The lines that matter to groups and rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named after the fields")]
#[repr(u32)]
pub enum LineKind {
    /// Found only if such lines end something.
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

/// A line that matters to groups and rules. Its value is what [`FoundLine::trimmed`] leaves of
/// `file[value_at..value_end]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundLine {
    /// What it is.
    pub kind: LineKind,
    /// Its number, 1-based.
    pub line: u32,
    /// Where its value begins in the file, or white space before it.
    pub value_at: u32,
    /// Where its value ends, or white space after it.
    pub value_end: u32,
}

impl FoundLine {
    #[inline(always)]
    fn new(kind: LineKind, line: u32, at: usize, end: usize) -> FoundLine {
        // The extent ends before 4 GiB, so both offsets fit.
        FoundLine { kind, line, value_at: at as u32, value_end: end as u32 }
    }

    /// The line with the spaces and tabs around its value dropped, and the CR of a CRLF: no other
    /// CR is within a line. Whoever does not need the value spares this.
    #[inline(always)]
    pub fn trimmed(mut self, file: &[u8]) -> FoundLine {
        let mut value = &file[self.value_at as usize..self.value_end as usize];
        while let [b' ' | b'\t' | b'\r', rest @ ..] = value {
            value = rest;
            self.value_at += 1;
        }
        while let [rest @ .., b' ' | b'\t' | b'\r'] = value {
            value = rest;
            self.value_end -= 1;
        }
        self
    }
}

/// Calls `found` with the lines that matter to groups and rules, some at a time, in the order of the
/// file. Reads every line as [`Lines`] does. After a user-agent line the first rule is always found; of those after it the
/// `differing` ones may be left out.
///
/// One pass, in turns of up to a kibibyte: vectors find the line ends, a loop finds the lines that matter, `found` does
/// the rest; each has the processor's registers for itself. Most lines begin with a field spelt right and a colon: these
/// are recognised by one word of eight bytes. Of the others most begin with a byte that no field begins with. What is left
/// goes through `content`.
#[inline]
pub fn scan(
    file: &[u8],
    profile: &Profile,
    differing: Option<Differing>,
    mut found: impl FnMut(&[FoundLine]),
) {
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
    let mut scanner = Scanner { profile, text, number: 0, in_rules: 0 };
    let all_controls = profile.control_characters == ControlCharacters::InvalidateRecord;
    // The extent ends before 4 GiB.
    let mut marks = Marks::new(from as u32);
    let mut lines =
        [FoundLine { kind: LineKind::Blank, line: 0, value_at: 0, value_end: 0 }; LINES];
    let mut number = 0;
    while number <= blocks.len() {
        let base = number * BLOCK;
        let whole = &blocks[number..blocks.len().min(number + BLOCKS)];
        let after = text.get(base + whole.len() * BLOCK).copied();
        marks.next_part();
        number += marks.fill(whole, base, after, all_controls);
        if number == blocks.len() {
            number += marks.fill(&[last], number * BLOCK, None, all_controls);
        }
        let mut notes = marks.notes();
        // Each window has the start of the line after its last one.
        let mut starts = marks.starts();
        while starts.len() > 1 {
            let (window, rest) = (&starts[..starts.len().min(LINES + 1)], starts.len() - 1);
            starts = &starts[rest.min(LINES)..];
            let count = match differing {
                Some(differing) => {
                    let mut kept = [0; LINES];
                    let count = scanner.keep(window, differing, notes, &mut kept);
                    let kept = kept[..count].iter().map(|number| usize::from(*number));
                    scanner.find(window, kept, &mut notes, &mut lines)
                }
                None => scanner.find(window, 0..window.len() - 1, &mut notes, &mut lines),
            };
            found(&lines[..count]);
        }
    }
}

/// The state of [`scan`].
struct Scanner<'a, 'p> {
    profile: &'p Profile,
    /// The file up to its extent's end.
    text: &'a [u8],
    /// The number of the previous line, 1-based.
    number: u32,
    /// All bits are set if a rule came since the last line that may be a user-agent line, and none otherwise.
    in_rules: u32,
}

impl Scanner<'_, '_> {
    /// Writes down which of the lines between these starts may matter. No branch depends on a line: those would be
    /// mispredicted.
    #[inline(never)]
    fn keep(
        &mut self,
        starts: &[u32],
        differing: Differing,
        notes: &[u32],
        kept: &mut [u8; LINES],
    ) -> usize {
        let (text, lines) = (self.text, starts.len() - 1);
        // No line is longer.
        let longest = (starts[lines] - starts[0]) as usize;
        let may_be_cut = self.profile.line_limit.is_some_and(|limit| longest > limit);
        // What looks like the first rule may be none.
        let is_control = |note: &u32| text.get(*note as usize).is_some_and(|byte| *byte != b'#');
        let may_be_invalid = self.profile.control_characters == ControlCharacters::InvalidateRecord
            && notes.iter().take_while(|note| **note < starts[lines]).any(is_control);
        if may_be_cut || may_be_invalid {
            self.in_rules = 0;
            kept.iter_mut().zip(0..).for_each(|(kept, number)| *kept = number);
            return lines;
        }
        let sitemaps_end = self.profile.sitemap_ends_agents || self.finds_others();
        let passed_over = self.passed_over() | if sitemaps_end { 0 } else { First::Sitemap as u8 };
        let mut in_rules = self.in_rules;
        let mut count = 0;
        for (number, &start) in starts[..lines].iter().enumerate() {
            let start = start as usize;
            kept[count] = number as u8;
            let head = text.get(start..start + 16).and_then(<[u8]>::first_chunk::<16>);
            let Some(head) = head else {
                in_rules = 0;
                count += 1;
                continue;
            };
            let mut first = FIRST[usize::from(head[0])];
            if first == First::White {
                first = first_after_white(text, start);
            }
            let (is_rule, differs) = differing.compare(head);
            let shown = u32::from(first as u8 & passed_over) | differs & in_rules;
            count += usize::from(shown == 0);
            let ends_rules = first as u8 & MAY_BE_AGENT != 0;
            in_rules = if ends_rules { 0 } else { in_rules } | if is_rule { u32::MAX } else { 0 };
        }
        self.in_rules = in_rules;
        count
    }

    /// Finds those of the lines between these starts that `which` names. `notes` are the marks from the first line on, and
    /// become those after the last one.
    #[inline(never)]
    fn find(
        &mut self,
        starts: &[u32],
        which: impl Iterator<Item = usize>,
        notes: &mut &[u32],
        lines: &mut [FoundLine; LINES],
    ) -> usize {
        let text = self.text;
        let passed_over = self.passed_over();
        let line_limit = self.profile.line_limit.unwrap_or(usize::MAX);
        let last = starts[starts.len() - 1];
        let may_be_long = (last - starts[0]) as usize > line_limit;
        // What few lines need is elsewhere.
        let mut note = if may_be_long { 0 } else { notes[0] };
        let mut count = 0;
        for at in which {
            let Some(&[begin, next]) = starts.get(at..at + 2) else { break };
            let (begin, end) = (begin as usize, next as usize - 1);
            let number = self.number + at as u32 + 1;
            if note < end as u32 {
                count = self.noted(number, begin, end, notes, lines, count);
                note = if may_be_long { 0 } else { notes[0] };
                continue;
            }
            if let Some(start) = text.get(begin..begin + 9).and_then(<[u8]>::first_chunk::<9>) {
                let first = FIRST[usize::from(start[0])];
                if passed_over & first as u8 != 0
                    || first == First::White
                        && passed_over & first_after_white(text, begin) as u8 != 0
                {
                    continue;
                }
                let (head, colon) = start.as_chunks::<8>();
                if is_disallow(u64::from_le_bytes(head[0])) && colon[0] == b':' {
                    // Name and colon have no mark, so they are within the line.
                    lines[count] = FoundLine::new(LineKind::Disallow, number, begin + 9, end);
                    count += 1;
                    continue;
                }
            }
            count = self.line(number, begin, end, end, lines, count);
        }
        self.number += starts.len() as u32 - 1;
        *notes = skip_notes(notes, last);
        count
    }

    /// The values of [`First`] of lines that do not matter, as a set of bits.
    fn passed_over(&self) -> u8 {
        let bit = |first: First, is_in: bool| if is_in { first as u8 } else { 0 };
        bit(First::Comment, true)
            | bit(First::Other, !self.finds_others())
            | bit(First::End, !self.profile.blank_line_ends_group)
    }

    /// Adds a line if it matters. A mark may be in it, or it may be longer than the limit.
    #[inline(never)]
    fn noted(
        &mut self,
        number: u32,
        begin: usize,
        end: usize,
        notes: &mut &[u32],
        lines: &mut [FoundLine; LINES],
        count: usize,
    ) -> usize {
        let first = skip_notes(notes, begin as u32);
        *notes = skip_notes(first, end as u32);
        // Most are comments.
        if self.passed_over() & FIRST[usize::from(self.text[begin])] as u8 != 0 {
            return count;
        }
        // What is behind a `#` is no matter.
        let note = end.min(first[0] as usize);
        let is_odd = note < end && self.text[note] != b'#';
        if is_odd || self.profile.line_limit.is_some_and(|limit| end - begin > limit) {
            self.unusual_line(number, begin, end, lines, count)
        } else {
            self.line(number, begin, end, note, lines, count)
        }
    }

    /// Adds a line without control characters if it matters. What is before `text_end` is no comment.
    #[inline(never)]
    fn line(
        &mut self,
        number: u32,
        mut begin: usize,
        end: usize,
        text_end: usize,
        lines: &mut [FoundLine; LINES],
        count: usize,
    ) -> usize {
        let mut head = head(self.text, begin);
        let mut first = FIRST[usize::from(head[0] as u8)];
        if first == First::White {
            begin = skip_white(self.text, begin);
            head = self::head(self.text, begin);
            first = FIRST[usize::from(head[0] as u8)];
        }
        if self.passed_over() & first as u8 != 0 {
            return count;
        }
        let line = match first {
            First::End => {
                lines[count] = FoundLine::new(LineKind::Blank, number, end, end);
                return count + 1;
            }
            First::Other | First::Control => None,
            _ => usual_field(head),
        };
        match line {
            Some((LineKind::Allow, _)) if !self.profile.allow_rules => count,
            // Name and colon have no mark, so they are within the line's text.
            Some((kind, len)) => {
                lines[count] = FoundLine::new(kind, number, begin + len, text_end);
                count + 1
            }
            None => self.unusual_line(number, begin, end, lines, count),
        }
    }

    /// Adds a line of any kind if it matters.
    #[cold]
    #[inline(never)]
    fn unusual_line(
        &mut self,
        number: u32,
        begin: usize,
        end: usize,
        lines: &mut [FoundLine; LINES],
        count: usize,
    ) -> usize {
        let Some(line) = self.unusual(number, begin, end) else { return count };
        lines[count] = line;
        count + 1
    }

    /// The line from `begin` to `end`, read with all that a profile knows. White space before `begin` may be
    /// left out.
    fn unusual(&self, number: u32, begin: usize, end: usize) -> Option<FoundLine> {
        let bytes = &self.text[begin..end];
        // That of a CRLF: any other would have ended the line.
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        // Most words that begin like these three fields are others.
        let field = bytes.trim_ascii_start();
        if matches!(field.first().map(u8::to_ascii_lowercase), Some(b'c' | b'r' | b'v'))
            && !may_be_pace(field)
            && !self.finds_others()
        {
            return None;
        }
        match content(self.profile, number, begin, bytes) {
            Content::Blank if self.profile.blank_line_ends_group => {
                Some(FoundLine::new(LineKind::Blank, number, end, end))
            }
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
                Some(FoundLine::new(kind, number, span.start, span.end))
            }
            _ => None,
        }
    }

    fn finds_others(&self) -> bool {
        self.profile.other_records == OtherRecords::AllEndAgents
    }
}

/// The sixteen bytes at this place of the text as two words, filled up with zeros at its end.
#[inline(always)]
fn head(text: &[u8], at: usize) -> [u64; 2] {
    /// Few lines are so near to the end.
    #[inline(never)]
    fn at_end(text: &[u8]) -> [u8; 16] {
        let mut head = [0; 16];
        head[..text.len()].copy_from_slice(text);
        head
    }
    let left = &text[at..];
    let head = match left.first_chunk::<16>() {
        Some(head) => *head,
        None => at_end(left),
    };
    let (words, _) = head.as_chunks::<8>();
    [u64::from_le_bytes(words[0]), u64::from_le_bytes(words[1])]
}

/// Where the spaces and tabs at this place of the text end.
#[inline(always)]
fn skip_white(text: &[u8], mut at: usize) -> usize {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = LOW << 7;
    // HTML pages served as robots.txt are indented deeply.
    while let Some(word) = text[at..].first_chunk::<8>() {
        let word = u64::from_le_bytes(*word);
        // The highest bit of a byte is clear if the byte is what is looked for.
        let not = |byte: u8| (((word & !HIGH) ^ (LOW * u64::from(byte))) + !HIGH) | word;
        let text = not(b' ') & not(b'\t') & HIGH;
        at += text.trailing_zeros() as usize / 8;
        if text != 0 {
            return at;
        }
    }
    at + text[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// What a line's first byte that is no white space says of it.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum First {
    /// No field that matters begins with it.
    Other = 1 << 0,
    /// A user-agent line may begin with it.
    Agent = 1 << 1,
    /// A sitemap may begin with it.
    Sitemap = 1 << 2,
    /// Any other field that matters may begin with it.
    Field = 1 << 3,
    White = 1 << 4,
    /// The line has ended.
    End = 1 << 5,
    /// The line is only a comment.
    Comment = 1 << 6,
    /// A control character that a profile may take for white space or for an end. Zeros fill up the last line.
    Control = 1 << 7,
}

/// The values of [`First`] of lines that may be user-agent lines.
const MAY_BE_AGENT: u8 = First::Agent as u8 | First::Control as u8;

/// What the first byte says that is no white space from here on.
#[inline(never)]
fn first_after_white(text: &[u8], at: usize) -> First {
    FIRST[usize::from(text.get(skip_white(text, at)).copied().unwrap_or_default())]
}

/// The places of marks from here on.
#[inline(always)]
fn skip_notes(mut notes: &[u32], from: u32) -> &[u32] {
    // The last one is at no place, beyond all others.
    while let [note, rest @ ..] = notes
        && *note < from
    {
        notes = rest;
    }
    notes
}

/// All fields that matter begin with one of these letters, misspelt ones too. Letters of the fields of the
/// pace may come after a hyphen or an underscore.
static FIRST: [First; 256] = {
    let mut first = [First::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        first[byte] = match byte as u8 {
            b'u' | b'U' => First::Agent,
            b's' | b'S' => First::Sitemap,
            b'd' | b'D' | b'a' | b'A' | b'c' | b'C' | b'r' | b'R' | b'v' | b'V' | b'-' | b'_' => {
                First::Field
            }
            b' ' | b'\t' => First::White,
            b'\n' | b'\r' => First::End,
            0 | 0x0B | 0x0C => First::Control,
            b'#' => First::Comment,
            _ => First::Other,
        };
        byte += 1;
    }
    first
};

/// Returns true if a word is `disallow` in any case.
#[inline(always)]
fn is_disallow(word: u64) -> bool {
    word | 0x2020_2020_2020_2020 == u64::from_le_bytes(*b"disallow")
}

/// The field that a line with these first bytes begins with, if it is spelt right and its colon
/// follows at once, and the length of both.
#[inline(always)]
fn usual_field([head, after]: [u64; 2]) -> Option<(LineKind, usize)> {
    // Setting this bit makes letters lower case. It is not set in what has to be `-` or `:`, as
    // control characters would become them, and the line may end at a CR.
    let lower = |at: std::ops::Range<usize>| at.fold(0, |bits, at| bits | 0x20 << (8 * at));
    let first = |word: u64, len: usize| word & u64::MAX >> (64 - 8 * len);
    let word = |name: &[u8; 8]| u64::from_le_bytes(*name);
    if is_disallow(head) {
        return (after as u8 == b':').then_some((LineKind::Disallow, 9));
    }
    if first(head, 6) | lower(0..5) == word(b"allow:\0\0") {
        return Some((LineKind::Allow, 6));
    }
    if head | lower(0..4) | lower(5..8) == word(b"user-age") {
        let is_it = first(after, 3) | lower(0..2) == word(b"nt:\0\0\0\0\0");
        return is_it.then_some((LineKind::UserAgent, 11));
    }
    if head | lower(0..5) | lower(6..8) == word(b"crawl-de") {
        let is_it = first(after, 4) | lower(0..3) == word(b"lay:\0\0\0\0");
        return is_it.then_some((LineKind::CrawlDelay, 12));
    }
    (head | lower(0..7) == word(b"sitemap:")).then_some((LineKind::Sitemap, 8))
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
    let near = Field::KNOWN.map(|(wanted, field)| (edits(&lower, wanted), wanted.len(), field));
    near.into_iter()
        .filter(|(edits, len, _)| *edits <= if *len > 6 { 2 } else { 1 })
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

    /// [`scan`] finds the same lines as [`Lines`].
    fn scan_equals_lines(file: &[u8], profile: &Profile) {
        let mut scanned = Vec::new();
        scan(file, profile, None, |lines| {
            scanned.extend(lines.iter().map(|found| found.trimmed(file)));
        });
        let lines = Lines::of(file, Extent::of(file, profile), profile);
        let wanted = lines.filter_map(|line| {
            let (kind, span) = match line.content {
                Content::Blank if profile.blank_line_ends_group => (LineKind::Blank, None),
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
        let value_len = |profile: &Profile| {
            let line = Lines::of(&file, Extent::of(&file, profile), profile).next().unwrap();
            let Content::Record(record) = line.content else { panic!("no record") };
            record.value.len()
        };
        assert_eq!(value_len(&Profile::GOOGLE), 16_663 - 7);
        assert_eq!(value_len(&Profile::RFC9309), 17_000 - 7);
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
