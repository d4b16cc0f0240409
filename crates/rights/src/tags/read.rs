//! From the lines of X-Robots-Tag and the contents of meta tags to rules.

use smallvec::SmallVec;

use crate::note::{Note, Notes};
use crate::place::{Element, HeaderField, Place};
use crate::tables::{
    TAG_MAX_SNIPPET, TAG_OTHER_RULES, TAG_RULES, TAG_UNAVAILABLE_AFTER, TAGS_WITH_VALUES,
};
use crate::tag_rule::TagRule;
use crate::tags::date;

/// The rules of all X-Robots-Tag lines and robots meta tags of a response.
///
/// ```
/// use robotsieve_rights::{RobotsTags, TagRule};
///
/// let mut tags = RobotsTags::default();
/// tags.add_header_line(b"noindex, unavailable_after: Sunday, 15-Feb-26 10:00:00 GMT, OtherBot: noai");
/// let rules: Vec<_> = tags.iter().map(|tag| (tag.name(), tag.rule)).collect();
/// assert_eq!(rules, [
///     (None, TagRule::NoIndex),
///     (None, TagRule::UnavailableAfter(1_771_149_600)),
///     (Some(&b"OtherBot"[..]), TagRule::NoAi),
/// ]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RobotsTags {
    tags: SmallVec<[RobotsTag; 2]>,
    header_lines: u32,
    notes: Notes,
}

/// A rule, whom it is for, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RobotsTag {
    /// The rule.
    pub rule: TagRule,
    /// Where it stands.
    pub place: Place,
    /// `None` if it is for all.
    name: Option<Box<[u8]>>,
}

impl RobotsTag {
    /// The name of the crawler that it is for, as written. `None` if it is for all.
    pub fn name(&self) -> Option<&[u8]> {
        self.name.as_deref()
    }
}

impl RobotsTags {
    /// Adds a line of X-Robots-Tag.
    ///
    /// A list with commas. `name:` before a rule makes the rest of the line, up to the next name, one
    /// for this crawler; `*:` and `robots:` make it one for all. `O(n)`.
    pub fn add_header_line(&mut self, value: &[u8]) {
        self.header_lines = self.header_lines.saturating_add(1);
        let place = Place::Header { field: HeaderField::XRobotsTag, line: Some(self.header_lines) };
        self.add(value, None, true, &place);
    }

    /// Adds the content of a meta tag of this name, the `number`th of its page. The name is `robots`
    /// or that of a crawler: no name is looked at here.
    pub fn add_meta(&mut self, name: &[u8], content: &[u8], number: u32) {
        let place = Place::Html { element: Element::Meta, number };
        self.add(content, Some(name), false, &place);
    }

    /// The rules that are about a purpose, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &RobotsTag> {
        self.tags.iter()
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    /// What is odd about those that are for all crawlers.
    pub fn notes(&self) -> Notes {
        self.notes
    }

    fn add<'v>(
        &mut self,
        value: &'v [u8],
        mut name: Option<&'v [u8]>,
        has_names: bool,
        place: &Place,
    ) {
        let mut rest = Some(value);
        while let Some(text) = rest {
            let piece;
            (piece, rest) = next_piece(text);
            let mut piece = piece.trim_ascii();
            let mut has_time = false;
            while let Some(colon) = memchr::memchr(b':', piece) {
                let (before, after) =
                    (piece[..colon].trim_ascii(), piece[colon + 1..].trim_ascii());
                if is_rule_with_value(before) {
                    let (rule, left) = rule_with_value(before, after, rest);
                    rest = left;
                    self.push(rule, name, place);
                    piece = &[];
                } else if let Some(rule) = rule_named(before) {
                    // It has no value. One that takes it back is no rule.
                    let is_taken_back = ["false", "no", "0"].iter().any(|word| is(after, word));
                    self.push(rule.filter(|_| !is_taken_back), name, place);
                    self.notes.add(Note::Malformed);
                    // What follows may be the next rule.
                    piece = if begins_rule(after) { after } else { &[] };
                } else if is_time(before, after) {
                    has_time = true;
                    self.notes.add(Note::Malformed);
                    piece = if after.contains(&b':') { after } else { &[] };
                } else if has_names && (has_time || !is_name(before)) {
                    // No name, the rest of a time, or the name of the field once more, as if another line began
                    // here: in doubt it is for all.
                    self.notes.add(Note::Malformed);
                    name = None;
                    piece = after;
                } else if has_names {
                    name = Some(before);
                    piece = after;
                } else {
                    piece = &[];
                }
            }
            match rule_named(piece) {
                Some(rule) => self.push(rule, name, place),
                None if piece.is_empty() || is_rule_with_value(piece) => {}
                None if name.is_none_or(is_everybody) => self.notes.add(Note::UnknownRule),
                None => {}
            }
        }
    }

    fn push(&mut self, rule: Option<TagRule>, name: Option<&[u8]>, place: &Place) {
        let name = name.filter(|name| !is_everybody(name));
        if let Some(rule) = rule {
            self.tags.push(RobotsTag { rule, place: place.clone(), name: name.map(Box::from) });
        }
    }
}

fn is(text: &[u8], word: &str) -> bool {
    text.eq_ignore_ascii_case(word.as_bytes())
}

/// Returns true if a text before a colon can name crawlers: it has a letter, and is not the name of the field.
fn is_name(text: &[u8]) -> bool {
    let has_letter = text.iter().any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
    is_everybody(text) || has_letter && !is(text, HeaderField::XRobotsTag.as_str())
}

/// Returns true if a colon stands between digits, as in a time of the day, and not behind a name.
fn is_time(before: &[u8], after: &[u8]) -> bool {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    is_digit(before.last()) && is_digit(after.first())
}

/// Returns true for the names that stand for all crawlers.
fn is_everybody(name: &[u8]) -> bool {
    is(name, "*") || is(name, "robots")
}

/// The rule without a value that this is; the inner `None` is for one that is about nothing here.
fn rule_named(text: &[u8]) -> Option<Option<TagRule>> {
    let known = TAG_RULES.iter().find(|(word, _)| is(text, word));
    let other = || TAG_OTHER_RULES.iter().any(|word| is(text, word)).then_some(None);
    known.map(|(_, rule)| Some(*rule)).or_else(other)
}

/// Returns true if a text begins with a rule that is known: up to a comma or a colon.
fn begins_rule(text: &[u8]) -> bool {
    let end = text.iter().position(|byte| matches!(byte, b',' | b':')).unwrap_or(text.len());
    let word = text[..end].trim_ascii();
    rule_named(word).is_some() || is_rule_with_value(word)
}

/// The text from the next piece on that is no part of a date: one that begins with a rule, or with a name and a
/// rule.
fn after_date(mut rest: Option<&[u8]>) -> Option<&[u8]> {
    while let Some(text) = rest {
        let (piece, after) = next_piece(text);
        let named = || memchr::memchr(b':', piece).map(|colon| &piece[colon + 1..]);
        if begins_rule(piece) || named().is_some_and(begins_rule) {
            break;
        }
        rest = after;
    }
    rest
}

fn is_rule_with_value(text: &[u8]) -> bool {
    TAGS_WITH_VALUES.iter().any(|word| is(text, word))
}

/// The text up to a comma, and the text after it.
fn next_piece(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(b',', text) {
        Some(comma) => (&text[..comma], Some(&text[comma + 1..])),
        None => (text, None),
    }
}

/// The rule with this value, if it can be read, and the pieces that are left after it. The comma
/// after a day of the week belongs to the date.
fn rule_with_value<'t>(
    rule: &[u8],
    value: &[u8],
    rest: Option<&'t [u8]>,
) -> (Option<TagRule>, Option<&'t [u8]>) {
    if is(rule, TAG_MAX_SNIPPET) {
        return (max_snippet(value), rest);
    }
    if !is(rule, TAG_UNAVAILABLE_AFTER) {
        return (None, rest);
    }
    if let (true, Some(text)) = (date::is_weekday(value), rest) {
        let (piece, after) = next_piece(text);
        return match date::seconds_on(value, piece) {
            Some(seconds) => (Some(TagRule::UnavailableAfter(seconds)), after),
            None => (Some(TagRule::Unreadable), after_date(rest)),
        };
    }
    match date::seconds(value) {
        Some(seconds) => (Some(TagRule::UnavailableAfter(seconds)), rest),
        // Where it ends cannot be told, so no part of it becomes a name.
        None => (Some(TagRule::Unreadable), after_date(rest)),
    }
}

/// A number of characters. `-1` is no limit, and neither is a number that no page reaches.
fn max_snippet(value: &[u8]) -> Option<TagRule> {
    if value == b"-1" {
        return None;
    }
    let digits = str::from_utf8(value)
        .ok()
        .filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
    match digits.map(str::parse::<u32>) {
        None => Some(TagRule::Unreadable),
        Some(Ok(0)) => Some(TagRule::NoSnippet),
        Some(Ok(most)) => Some(TagRule::MaxSnippet(most)),
        Some(Err(_)) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(tags: &RobotsTags) -> Vec<(String, TagRule)> {
        let name = |tag: &RobotsTag| {
            tag.name().map_or("all".into(), |name| name.escape_ascii().to_string())
        };
        tags.iter().map(|tag| (name(tag), tag.rule)).collect()
    }

    fn header(value: &str) -> Vec<(String, TagRule)> {
        let mut tags = RobotsTags::default();
        tags.add_header_line(value.as_bytes());
        shown(&tags)
    }

    fn all(rules: &[TagRule]) -> Vec<(String, TagRule)> {
        rules.iter().map(|rule| ("all".into(), *rule)).collect()
    }

    const AFTER: TagRule = TagRule::UnavailableAfter(1_771_149_600);

    #[test]
    fn lists() {
        use TagRule::*;
        assert_eq!(header("  NoIndex  ,nosnippet ,, "), all(&[NoIndex, NoSnippet]));
        assert_eq!(header(""), []);
        assert_eq!(header("follow, notranslate, noimageindex, noindexx"), []);
        assert_eq!(header("none, all, index"), all(&[NoIndex, Index, Index]));
        assert_eq!(header("noindex nosnippet"), []);
        assert_eq!(
            header(
                "max-snippet:0, max-snippet : 20, max-snippet:-1, max-snippet:x, max-snippet:, \
                max-snippet, max-snippet:99999999999"
            ),
            all(&[NoSnippet, MaxSnippet(20), Unreadable, Unreadable])
        );
        assert_eq!(header("max-image-preview:none, max-video-preview:0, noai"), all(&[NoAi]));
    }

    #[test]
    fn names() {
        use TagRule::*;
        let of = |name: &str, rule| (name.to_string(), rule);
        assert_eq!(
            header("noindex, OtherBot: nosnippet, noai, *: noarchive"),
            [
                of("all", NoIndex),
                of("OtherBot", NoSnippet),
                of("OtherBot", NoAi),
                of("all", NoArchive)
            ]
        );
        assert_eq!(header("a: b: noindex"), [of("b", NoIndex)]);
        assert_eq!(header("a:, noindex"), [of("a", NoIndex)]);
        assert_eq!(header("a: max-snippet: 5"), [of("a", MaxSnippet(5))]);
        assert_eq!(header("a: noindex, robots: noai"), [of("a", NoIndex), of("all", NoAi)]);
        // A name holds for its line.
        let mut tags = RobotsTags::default();
        tags.add_header_line(b"a: noindex");
        tags.add_header_line(b"noai");
        assert_eq!(shown(&tags), [of("a", NoIndex), of("all", NoAi)]);
        let places: Vec<_> = tags.iter().map(|tag| tag.place.to_string()).collect();
        assert_eq!(places, ["header:x-robots-tag:1", "header:x-robots-tag:2"]);
    }

    /// A rule is no name, whatever follows it, and neither is a part of a date.
    #[test]
    fn slips() {
        use TagRule::*;
        let notes = |value: &str| {
            let mut tags = RobotsTags::default();
            tags.add_header_line(value.as_bytes());
            tags.notes().iter().collect::<Vec<_>>()
        };
        for (value, wanted, note) in [
            ("noindex: true, noai", &[NoIndex, NoAi][..], Note::Malformed),
            ("noindex:, noai", &[NoIndex, NoAi], Note::Malformed),
            ("noindex: noai", &[NoIndex, NoAi], Note::Malformed),
            ("follow: x, noai", &[NoAi], Note::Malformed),
            ("noindex: false, noai", &[NoAi], Note::Malformed),
            ("X-Robots-Tag: noindex, noai", &[NoIndex, NoAi], Note::Malformed),
            ("x-robots-tag: X-Robots-Tag: noai", &[NoAi], Note::Malformed),
            (": noai", &[NoAi], Note::Malformed),
            ("noml, noai", &[NoAi], Note::UnknownRule),
            ("max-snippet: 50, 10:00, noai", &[MaxSnippet(50), NoAi], Note::Malformed),
            ("noai, 10:00:00 GMT, noarchive", &[NoAi, NoArchive], Note::Malformed),
            ("at 10:00: noai", &[NoAi], Note::Malformed),
            ("a: follow, 7: noai", &[NoAi], Note::Malformed),
            ("a: follow, **: noai", &[NoAi], Note::Malformed),
            ("10:00 x: noai", &[NoAi], Note::Malformed),
            ("10:00x: noai", &[NoAi], Note::Malformed),
            ("a: follow, 10:00 x: noai", &[NoAi], Note::Malformed),
        ] {
            assert_eq!(header(value), all(wanted), "{value}");
            assert_eq!(notes(value), [note], "{value}");
        }
        assert_eq!(notes("a: noml, max-snippet, follow, noindex"), []);
        for date in ["Jun 25, 2030 15:00:00 PST", "15:00, 21 Sep 2030 15:00:00 GMT", "x, y, : z"] {
            let value = format!("unavailable_after: {date}, noai, a: noindex");
            let mut wanted = all(&[Unreadable, NoAi]);
            wanted.push(("a".into(), NoIndex));
            assert_eq!(header(&value), wanted, "{value}");
        }
        // A time after a date that can be read, in a header and in a page, whose tags have no names.
        let date = "2026-02-15T10:00Z";
        for time in ["10:00", "10:00:00 GMT", "T10:00", "at 10:00", "Sun 10 : 00", "10:00:00"] {
            let value = format!("unavailable_after: {date}, {time}, noai");
            assert_eq!(header(&value), all(&[AFTER, NoAi]), "{value}");
            let mut tags = RobotsTags::default();
            tags.add_meta(b"robots", value.as_bytes(), 1);
            assert_eq!(shown(&tags), all(&[AFTER, NoAi]), "{value}");
            assert_eq!(tags.notes().iter().collect::<Vec<_>>(), [Note::Malformed], "{value}");
            // In the scope of a name it stays there.
            let own = [AFTER, NoAi].map(|rule| ("a".to_string(), rule));
            assert_eq!(header(&format!("a: {value}")), own, "{value}");
        }
        let named = header("unavailable_after: x, a: noai");
        assert_eq!(named, [("all".into(), Unreadable), ("a".into(), NoAi)]);
    }

    #[test]
    fn dates() {
        use TagRule::*;
        assert_eq!(
            header("unavailable_after: Sunday, 15-Feb-26 10:00:00 GMT, nosnippet"),
            all(&[AFTER, NoSnippet])
        );
        assert_eq!(
            header("noai, Unavailable_After: Sun, 15 Feb 2026 10:00:00 GMT"),
            all(&[NoAi, AFTER])
        );
        assert_eq!(
            header("unavailable_after: 15 Feb 2026 10:00:00 GMT,nosnippet"),
            all(&[AFTER, NoSnippet])
        );
        assert_eq!(
            header("a: unavailable_after: 2026-02-15T10:00:00+00:00, noindex"),
            [("a".into(), AFTER), ("a".into(), NoIndex)]
        );
        // A date that cannot be read is ignored, and nothing else.
        assert_eq!(header("unavailable_after: never, noindex"), all(&[Unreadable, NoIndex]));
        assert_eq!(header("unavailable_after: Sunday, noindex"), all(&[Unreadable, NoIndex]));
        assert_eq!(header("unavailable_after: Sunday"), all(&[Unreadable]));
    }

    #[test]
    fn meta_tags() {
        use TagRule::*;
        let mut tags = RobotsTags::default();
        tags.add_meta(b"ROBOTS", b"noindex, a: nosnippet, max-snippet: 5", 3);
        tags.add_meta(b"GoogleBot", b"unavailable_after: 2026-02-15T10:00:00Z", 4);
        let wanted = [
            ("all".into(), NoIndex),
            ("all".into(), MaxSnippet(5)),
            ("GoogleBot".to_string(), AFTER),
        ];
        assert_eq!(shown(&tags), wanted);
        assert_eq!(tags.iter().last().unwrap().place.to_string(), "html:meta:4");
    }
}
