//! Bytes of others as text for people.

/// Bytes for people: unchanged if a terminal shows them as they are, escaped otherwise.
///
/// ```
/// use robotsieve_client::captures::shown;
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
}
