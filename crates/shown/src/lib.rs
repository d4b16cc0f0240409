//! Bytes of others, numbers and lists as text for people.

use std::borrow::Cow;

/// Bytes for people: unchanged if a terminal shows them as they are, escaped otherwise.
///
/// ```
/// use robotsieve_shown::shown;
///
/// assert_eq!(shown("/é".as_bytes()), "/é");
/// assert_eq!(shown(b"\x1b[31m\xFF"), r"\x1b[31m\xff");
/// ```
#[must_use]
pub fn shown(bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        Ok(text) if text.chars().all(|c| c != '\t' && harmless(c) == c) => text.to_owned(),
        _ => bytes.escape_ascii().to_string(),
    }
}

/// The character itself, or a replacement for control characters, for spaces other than the usual
/// one, and for characters that have no width or change the direction of text, so that no file can
/// manipulate a terminal, or look like another one.
///
/// ```
/// use robotsieve_shown::harmless;
///
/// let shown: String = "\x1b[31m/a\u{a0}b\u{202e}".chars().map(harmless).collect();
/// assert_eq!(shown, "\u{241b}[31m/a\u{FFFD}b\u{FFFD}");
/// ```
#[must_use]
pub fn harmless(c: char) -> char {
    match c {
        '\t' => c,
        // The visible symbols of control characters.
        '\0'..='\x1F' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{FFFD}'),
        '\x7F' => '\u{2421}',
        _ if c.is_control() || is_invisible(c) => '\u{FFFD}',
        _ => c,
    }
}

/// Spaces other than the usual one, and characters without width: joiners, text direction, the soft
/// hyphen and the byte order mark.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    !c.is_ascii() && c.is_whitespace()
        || matches!(
            c,
            '\u{AD}'
                | '\u{061C}'
                | '\u{180E}'
                | '\u{200B}'..='\u{200F}'
                | '\u{202A}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}'
                | '\u{FEFF}'
        )
}

/// A path as commands take it: after a host if it begins with `//`, because what follows two slashes
/// is a host itself.
///
/// ```
/// use robotsieve_shown::pasted;
///
/// assert_eq!(*pasted(b"/x"), *b"/x");
/// assert_eq!(*pasted(b"//?x"), *b"https://example.com//?x");
/// ```
#[must_use]
pub fn pasted(path: &[u8]) -> Cow<'_, [u8]> {
    /// Any host will do.
    const HOST: &[u8] = b"https://example.com";
    if path.starts_with(b"//") { [HOST, path].concat().into() } else { path.into() }
}

/// At most 60 bytes for use in a sentence, with replacements for what a terminal would not show as
/// it is.
///
/// ```
/// use robotsieve_shown::short;
///
/// assert_eq!(short(b"a\tb\x1b\xFF"), "a b\u{241b}\u{FFFD}");
/// assert_eq!(short(&[b'a'; 61]), "a".repeat(60) + "…");
/// ```
#[must_use]
pub fn short(bytes: &[u8]) -> String {
    const SHORT: usize = 60;
    let mut text = String::new();
    for chunk in bytes[..bytes.len().min(SHORT)].utf8_chunks() {
        text.extend(chunk.valid().chars().map(|c| if c == '\t' { ' ' } else { harmless(c) }));
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    if bytes.len() > SHORT {
        text.push('…');
    }
    text
}

/// A text with no more than so many characters, and `…` if some are left out.
#[must_use]
pub fn shortened(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A number with a comma between thousands: `1,204`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 URL`, `1,204 URLs`.
#[must_use]
pub fn urls(number: u64) -> String {
    format!("{} URL{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// The first of some names, and how many more there are.
#[must_use]
pub fn first_of(most: usize, names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(most);
    let shown = names.take(most).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_for_people() {
        assert_eq!(shown("/é".as_bytes()), "/é");
        assert_eq!(shown(b"/\xFF"), "/\\xff");
        assert_eq!(shown("/\u{202e}".as_bytes()), "/\\xe2\\x80\\xae");
        assert_eq!(shown(b"\x1b[31m"), "\\x1b[31m");
        // What looks like a space, or like nothing.
        for hidden in ["\u{a0}", "\u{ad}", "\u{2028}", "\u{202f}", "\u{3000}", "\u{feff}", "\u{85}"]
        {
            let text = format!("/a{hidden}b");
            assert!(shown(text.as_bytes()).is_ascii(), "{}", text.escape_unicode());
            assert_eq!(short(text.as_bytes()), "/a\u{FFFD}b");
        }
    }

    #[test]
    fn groups() {
        let all = [0, 999, 1_000, 12_345, 999_999, 1_000_000].map(grouped);
        assert_eq!(all, ["0", "999", "1,000", "12,345", "999,999", "1,000,000"]);
        assert_eq!([urls(1), urls(2)], ["1 URL", "2 URLs"]);
    }
}
