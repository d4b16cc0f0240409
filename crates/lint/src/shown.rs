//! Bytes of the file in messages.

pub(super) use robotsieve_shown::is_invisible;

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
        Some(text) if !text.chars().any(char::is_control) => text
            .chars()
            .map(|c| if is_invisible(c) { c.escape_unicode().to_string() } else { c.into() })
            .collect(),
        _ => long[..long.len().min(2 * LEN)].escape_ascii().to_string(),
    };
    if let Some((end, _)) = text.char_indices().nth(LEN) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Values in quotes, as a list.
pub(super) fn quoted<'v>(values: impl Iterator<Item = &'v [u8]>) -> String {
    listed(&values.map(|value| format!("'{}'", shown(value))).collect::<Vec<_>>())
}

/// A list for a message; a long one is cut off.
pub(super) fn listed(names: &[String]) -> String {
    const LEN: usize = 5;
    let shown = names[..names.len().min(LEN)].join(", ");
    match names.len().saturating_sub(LEN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
