//! The header of a response as text.

use std::borrow::Cow;
use std::fmt;

type Fields = Vec<(Vec<u8>, Vec<u8>)>;
type BorrowedFields<'t> = Vec<(&'t [u8], Cow<'t, [u8]>)>;

/// The fields of a header as text, with `Name: value` lines as `curl -D FILE` and archives have them:
/// names and values, in their order, for [`Response::with_headers`](crate::Response::with_headers).
///
/// Status lines are passed over; where one follows a blank line a new header begins, and the last one
/// counts: that of the page that redirects led to. A line that begins with white space goes on with the
/// one before. A 206 without `Content-Range` gets an empty one: it is a part of a page, nobody says which. `O(n)`.
///
/// ```
/// use robotsieve_rights::header_fields;
///
/// let fields = header_fields(b"HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\n\r\n")?;
/// assert_eq!(fields, [(b"X-Robots-Tag".to_vec(), b"noindex".to_vec())]);
/// assert_eq!(header_fields(b"noindex").unwrap_err().line, 1);
/// # Ok::<(), robotsieve_rights::InvalidHeader>(())
/// ```
///
/// # Errors
/// Returns an error that names the first line that is no field.
pub fn header_fields(text: &[u8]) -> Result<Fields, InvalidHeader> {
    let fields = borrowed_fields(text)?;
    Ok(fields.into_iter().map(|(name, value)| (name.to_vec(), value.into_owned())).collect())
}

const CONTENT_RANGE: &[u8] = b"content-range";

/// The same, of which only values that go on in another line are copied.
pub(super) fn borrowed_fields(text: &[u8]) -> Result<BorrowedFields<'_>, InvalidHeader> {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let mut fields = BorrowedFields::new();
    let (mut is_new, mut is_part) = (false, false);
    for (number, line) in lines(text).enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            is_new = true;
            continue;
        }
        if line.starts_with(b"HTTP/") {
            if is_new {
                fields.clear();
                is_part = false;
            }
            is_new = false;
            is_part |= line.split(u8::is_ascii_whitespace).nth(1) == Some(b"206");
            continue;
        }
        if matches!(line[0], b' ' | b'\t')
            && let Some((_, value)) = fields.last_mut()
        {
            let value = value.to_mut();
            value.push(b' ');
            value.extend_from_slice(line.trim_ascii());
            continue;
        }
        let colon = memchr::memchr(b':', line).filter(|at| is_name(&line[..*at]));
        let Some(at) = colon else {
            return Err(InvalidHeader { line: number + 1, found: line.into() });
        };
        fields.push((&line[..at], Cow::Borrowed(line[at + 1..].trim_ascii())));
    }
    let is_range = |(name, _): &(&[u8], _)| name.eq_ignore_ascii_case(CONTENT_RANGE);
    if is_part && !fields.iter().any(is_range) {
        fields.push((CONTENT_RANGE, Cow::Borrowed(b"")));
    }
    Ok(fields)
}

/// The parts between line feeds.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let Some(at) = memchr::memchr(b'\n', text) else { return Some(text) };
        rest = Some(&text[at + 1..]);
        Some(&text[..at])
    })
}

/// A line of a header that is no field.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidHeader {
    /// The number of the line, from 1. The message leaves it to the caller, who may know a file's name.
    pub line: usize,
    /// The line.
    pub found: Box<[u8]>,
}

impl fmt::Display for InvalidHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The most bytes that are shown.
        const MOST: usize = 100;
        let (shown, more) = match self.found.get(..MOST) {
            Some(beginning) if self.found.len() > MOST => (beginning, "..."),
            _ => (&*self.found, ""),
        };
        write!(f, "expected 'Name: value', found '{}{more}'", shown.escape_ascii())
    }
}

impl std::error::Error for InvalidHeader {}

/// Returns true for a token, as names of fields are (RFC 9110, 5.1).
fn is_name(name: &[u8]) -> bool {
    !name.is_empty()
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Vec<(String, String)>, InvalidHeader> {
        let text_of = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let fields = header_fields(text.as_bytes())?;
        Ok(fields.into_iter().map(|(name, value)| (text_of(name), text_of(value))).collect())
    }

    #[test]
    fn fields() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            parsed("HTTP/2 200\r\nA: x:y \r\nb:\r\n\r\n"),
            Ok(vec![pair("A", "x:y"), pair("b", "")])
        );
        assert_eq!(parsed("A: x,\n\ty\nA: z"), Ok(vec![pair("A", "x, y"), pair("A", "z")]));
        // After a redirect.
        let two = "HTTP/1.1 301 Moved\nX: 1\n\nHTTP/1.1 200 OK\nY: 2\n\n";
        assert_eq!(parsed(two), Ok(vec![pair("Y", "2")]));
        assert_eq!(parsed(""), Ok(Vec::new()));
        // A part of a page.
        let range = |range: &str| Ok(vec![pair("content-range", range)]);
        assert_eq!(parsed("HTTP/2 206\n\n"), range(""));
        assert_eq!(
            parsed("HTTP/1.1 206 OK\r\ncontent-range: bytes 0-1/2\r\n"),
            range("bytes 0-1/2")
        );
        assert_eq!(parsed("HTTP/1.1 302 x\n\nHTTP/1.1 206 x\n"), range(""));
        assert_eq!(parsed("HTTP/1.1 206 x\n\nHTTP/1.1 200 x\n"), Ok(Vec::new()));
        assert_eq!(parsed("HTTP/1.1 200 206\n"), Ok(Vec::new()));
        for (text, line) in [("A: x\nno colon", 2), ("A b: x", 1), (": x", 1), (" x", 1)] {
            assert_eq!(parsed(text).unwrap_err().line, line, "{text}");
        }
        let error = parsed("a\x1bb").unwrap_err();
        assert_eq!(error.to_string(), "expected 'Name: value', found 'a\\x1bb'");
    }
}
