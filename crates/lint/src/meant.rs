//! What a line means to be, whoever reads it.
//!
//! A reader passes over a line whose field it does not know. Here it is asked whether a person sees a rule or
//! a user-agent line in it all the same: behind a mark of a list, in a tag of HTML, with a character that
//! nobody sees, with another hyphen or colon.

use robotsieve::Field;
use robotsieve_known::internals as crawlers;

use crate::shown::is_invisible;

/// No field and no value that is looked at is longer.
const LONGEST: usize = 256;

/// The fields of groups and rules, as people write them.
const FIELDS: [(&str, Field); 6] = [
    ("user-agent", Field::UserAgent),
    ("user agent", Field::UserAgent),
    ("user_agent", Field::UserAgent),
    ("useragent", Field::UserAgent),
    ("disallow", Field::Disallow),
    ("allow", Field::Allow),
];

/// Fields that nobody has, before a path: other words for `Disallow`.
const SYNONYMS: [&str; 5] = ["block", "deny", "exclude", "forbid", "prohibit"];

/// A field that a name is meant to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meant {
    pub(super) field: Field,
    /// True if nothing else of meaning stands in front of it, so that the field may take the place of the
    /// whole name.
    pub(super) is_whole: bool,
}

/// Returns true if a character looks like `-`, and is another one.
pub(super) fn is_hyphen(c: char) -> bool {
    matches!(c, '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE63}' | '\u{FF0D}')
}

/// The text as a person sees it, in ASCII as far as it looks like that.
pub(super) fn seen(text: &[u8]) -> String {
    let seen = |c: char| match c {
        c if c.is_whitespace() => Some(' '),
        // U+FFFD stands for bytes that are no text.
        c if is_invisible(c) || c.is_control() || c == '\u{FFFD}' => None,
        c if is_hyphen(c) => Some('-'),
        '\u{FF1A}' | '\u{FE55}' | '\u{2236}' | '\u{A789}' => Some(':'),
        '\u{FF0F}' | '\u{2215}' | '\u{2044}' => Some('/'),
        c => Some(c),
    };
    let text = String::from_utf8_lossy(&text[..text.len().min(LONGEST)]);
    text.chars().filter_map(seen).collect()
}

/// The field of a group or a rule that the name of an unknown field is meant to be, beside this value.
pub(super) fn field(name: &[u8], value: &[u8]) -> Option<Meant> {
    if name.len() > LONGEST {
        return None;
    }
    let (name, value) = (seen(name), seen(value));
    let name = name.trim_end_matches(|c: char| !c.is_alphanumeric());
    let lower = name.to_ascii_lowercase();
    if SYNONYMS.contains(&&*lower) && value.starts_with(['/', '*']) {
        return Some(Meant { field: Field::Disallow, is_whole: true });
    }
    let (word, field) = FIELDS.into_iter().find(|(word, _)| lower.ends_with(word))?;
    let before = &name[..name.len() - word.len()];
    let own = &name[before.len()..];
    // Of a protocol of publishers.
    if lower.starts_with("acap") {
        return None;
    }
    let rest = without_marks(before);
    let is_whole = !rest.contains(|c: char| c.is_alphanumeric());
    let value = value.trim_matches(|c: char| c == ' ' || c == '"' || c == '\'');
    let is_word = !value.is_empty() && !value.contains(' ');
    let is_plausible = match field {
        Field::UserAgent => is_word || is_whole && !value.is_empty(),
        _ => {
            value.is_empty() || value.starts_with(['/', '*', '$', '.', '?']) || is_whole && is_word
        }
    };
    // `allow` ends other words too.
    let ends_word = field == Field::Allow
        && rest.ends_with(|c: char| c.is_alphanumeric())
        && !own.starts_with('A')
        && !["no", "un", "not", "dont", "don't"].contains(&rest.trim().to_lowercase().as_str());
    (is_plausible && !ends_word).then_some(Meant { field, is_whole })
}

/// A text without tags of HTML and written line ends, as in `<p>` and `\n`.
fn without_marks(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some(at) = rest.find(['<', '\\', '&']) {
        kept += &rest[..at];
        let tail = &rest[at..];
        let len = match tail.as_bytes() {
            [b'<', ..] => tail.find('>').map(|end| end + 1),
            [b'\\', b'n' | b'r' | b't', ..] => Some(2),
            [b'&', ..] => tail.find(';').filter(|end| *end < 8).map(|end| end + 1),
            _ => None,
        };
        if len.is_none() {
            kept += &tail[..1];
        }
        rest = &tail[len.unwrap_or(1)..];
    }
    kept + rest
}

/// Returns true if a line without a colon is the value of a rule or of a user-agent line: a path, a star or
/// the name of a well-known crawler, and nothing else.
pub(super) fn is_value_alone(text: &[u8]) -> bool {
    let text = text.strip_prefix(b":").unwrap_or(text).trim_ascii();
    if text.is_empty() || text.len() > LONGEST || text.iter().any(u8::is_ascii_whitespace) {
        return false;
    }
    match text {
        [b'*'] => true,
        // Comments of other languages.
        [b'/', b'/', ..] | [b'/', b'*', .., b'*', b'/'] => false,
        [b'/', ..] => true,
        text => crawlers::is_well_known(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields() {
        let meant = |name: &str, value: &str| {
            field(name.as_bytes(), value.as_bytes()).map(|meant| (meant.field, meant.is_whole))
        };
        for name in [
            "\u{feff}User-agent",
            "User\u{2011}agent",
            "User-\u{200b}agent",
            "\\nUser-agent",
            "<p>User-agent",
            "- User-Agent",
            "\"user-agent\"",
            "1. User-agent",
            "**User-agent**",
        ] {
            let is_listed = name.starts_with('1');
            assert_eq!(meant(name, "*"), Some((Field::UserAgent, !is_listed)), "{name}");
        }
        assert_eq!(meant("\u{2060}Disallow", "/a"), Some((Field::Disallow, true)));
        assert_eq!(meant("/adminDisallow", "/a"), Some((Field::Disallow, false)));
        assert_eq!(meant("fooAllow", "/a"), Some((Field::Allow, false)));
        assert_eq!(meant("Noallow", "/a"), Some((Field::Allow, false)));
        assert_eq!(meant("Deny", "/a"), Some((Field::Disallow, true)));
        assert_eq!(meant("Block", "SomeBot"), None);
        for (name, value) in [
            ("swallow", "/a"),
            ("ACAP-disallow", "/a"),
            ("Please note that we disallow", "crawling of this site"),
            ("the user-agent", "header of a request"),
            ("Host", "/a"),
        ] {
            assert_eq!(meant(name, value), None, "{name}");
        }
    }

    #[test]
    fn values() {
        for text in ["/a", ": /a", "*", "Googlebot", "/*.pdf$"] {
            assert!(is_value_alone(text.as_bytes()), "{text}");
        }
        for text in ["", "// a", "//a", "/* a */", "</div>", "a", "/a b", "}"] {
            assert!(!is_value_alone(text.as_bytes()), "{text}");
        }
    }
}
