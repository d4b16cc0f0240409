//! Bytes that are shown to people and written into JSON.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;

/// Bytes for people: as they are where nothing in them steers a terminal, else escaped.
pub fn shown(bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        Ok(text) if text.chars().all(|c| c != '\t' && harmless(c) == c) => text.to_owned(),
        _ => bytes.escape_ascii().to_string(),
    }
}

/// The character itself, or another one for a control character and what changes the direction
/// of text, so that no file can steer a terminal.
pub fn harmless(c: char) -> char {
    match c {
        '\t' => c,
        // The pictures of control characters.
        '\0'..='\x1F' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{FFFD}'),
        '\x7F' => '\u{2421}',
        // Directions, joiners, separators of lines, and the byte order mark.
        '\u{200B}'..='\u{200F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{061C}'
        | '\u{FEFF}' => '\u{FFFD}',
        _ if c.is_control() => '\u{FFFD}',
        _ => c,
    }
}

/// A text for JSON; with its bytes as Base64 where they are not UTF-8.
pub fn text(bytes: &[u8]) -> (String, Option<String>) {
    match str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), None),
        Err(_) => (String::from_utf8_lossy(bytes).into_owned(), Some(BASE64.encode(bytes))),
    }
}

/// Bytes as a member of a JSON object, and where they are not UTF-8 in Base64 as another.
pub fn put(value: &mut Value, name: &str, bytes: &[u8]) {
    let (text, base64) = text(bytes);
    value[name] = text.into();
    if let Some(base64) = base64 {
        value[format!("{name}_base64")] = base64.into();
    }
}

/// The bytes of a member that [`put`] or [`text`] made.
///
/// # Errors
/// What is wrong with the Base64, in words.
pub fn taken(text: &str, base64: Option<&str>, name: &str) -> Result<Vec<u8>, String> {
    match base64 {
        None => Ok(text.as_bytes().to_vec()),
        Some(base64) => {
            BASE64.decode(base64).map_err(|cause| format!("'{name}_base64' is no base64: {cause}"))
        }
    }
}

/// The lines that count: without the CR at a line's end, and without the empty ones.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)).filter(|line| !line.is_empty())
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
    fn there_and_back() {
        for bytes in [&b"plain"[..], b"\xFF\xFE", b""] {
            let (text, base64) = text(bytes);
            assert_eq!(taken(&text, base64.as_deref(), "x").unwrap(), bytes);
        }
    }
}
