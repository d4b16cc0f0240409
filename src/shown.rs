//! Bytes of others, numbers and lists as text for people.

/// Bytes for people: unchanged if a terminal shows them as they are, escaped otherwise.
///
/// ```
/// use robotsieve::report::shown;
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

/// The character itself, or a replacement for control characters and characters that change the
/// direction of text, so that no file can manipulate a terminal.
#[must_use]
pub fn harmless(c: char) -> char {
    match c {
        '\t' => c,
        // The visible symbols of control characters.
        '\0'..='\x1F' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{FFFD}'),
        '\x7F' => '\u{2421}',
        // Text direction, joiners, line separators, and the byte order mark.
        '\u{200B}'..='\u{200F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{061C}'
        | '\u{FEFF}' => '\u{FFFD}',
        _ if c.is_control() => '\u{FFFD}',
        _ => c,
    }
}

/// At most 60 bytes for use in a sentence, with replacements for what a terminal would not show as
/// it is.
///
/// ```
/// use robotsieve::report::short;
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
pub(crate) fn shortened(text: &str, chars: usize) -> String {
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
    }

    #[test]
    fn groups() {
        let all = [0, 999, 1_000, 12_345, 999_999, 1_000_000].map(grouped);
        assert_eq!(all, ["0", "999", "1,000", "12,345", "999,999", "1,000,000"]);
        assert_eq!([urls(1), urls(2)], ["1 URL", "2 URLs"]);
    }
}
