//! A part of a body that was sent as if it were the whole.

/// Returns true if a field says that a body is a part of a document: `Content-Range`, or the type for several
/// (RFC 9110, section 14.4). A range that has all of it is no part.
#[must_use]
pub fn says_part(name: &[u8], value: &[u8]) -> bool {
    let begins = |begin: &str| {
        value.get(..begin.len()).is_some_and(|own| own.eq_ignore_ascii_case(begin.as_bytes()))
    };
    if name.eq_ignore_ascii_case(b"content-type") {
        return begins("multipart/byteranges");
    }
    name.eq_ignore_ascii_case(b"content-range") && !str::from_utf8(value).is_ok_and(is_whole)
}

/// Returns true if a `Content-Range` has all bytes: `bytes 0-99/100`.
fn is_whole(range: &str) -> bool {
    let parts = range.trim().strip_prefix("bytes ").and_then(|range| {
        let (range, len) = range.split_once('/')?;
        let (first, last) = range.split_once('-')?;
        Some([first, last, len].map(|number| number.trim().parse::<u64>()))
    });
    matches!(parts, Some([Ok(0), Ok(last), Ok(len)]) if last.checked_add(1) == Some(len))
}
