//! Bytes of the file in messages.

/// Bytes as text for a message: escaped unless they are printable UTF-8, and cut off if they are
/// long.
pub(super) fn shown(bytes: &[u8]) -> String {
    const LEN: usize = 80;
    // A long value is looked at no further than it is shown.
    let long = &bytes[..bytes.len().min(8 * LEN)];
    let text = match str::from_utf8(long) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() && long.len() < bytes.len() => {
            str::from_utf8(&long[..error.valid_up_to()]).ok()
        }
        Err(_) => None,
    };
    let mut text = match text {
        Some(text) if !text.chars().any(char::is_control) => text.to_owned(),
        _ => long[..long.len().min(2 * LEN)].escape_ascii().to_string(),
    };
    if let Some((end, _)) = text.char_indices().nth(LEN) {
        text.truncate(end);
        text.push('…');
    }
    text
}
