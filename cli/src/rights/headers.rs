//! Reads the header of a response from text.

use std::path::Path;

use crate::error::Failure;
use crate::read::robots_file;
use crate::write::bytes::shown;

/// Names and values, in their order.
pub type Headers = Vec<(Vec<u8>, Vec<u8>)>;

/// The fields of a text with `Name: value` lines. Status lines are passed over; where one follows a blank
/// line a new header begins, and the last one counts. A line that begins with white space goes on
/// with the one before.
///
/// # Errors
/// Returns an error that names a line that is no field.
pub fn parse(file: &Path, text: &[u8]) -> Result<Headers, Failure> {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let mut headers: Headers = Vec::new();
    let mut is_new = false;
    for (number, line) in text.split(|byte| *byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            is_new = true;
            continue;
        }
        if line.starts_with(b"HTTP/") {
            if is_new {
                headers.clear();
            }
            is_new = false;
            continue;
        }
        if matches!(line[0], b' ' | b'\t')
            && let Some((_, value)) = headers.last_mut()
        {
            value.push(b' ');
            value.extend_from_slice(line.trim_ascii());
            continue;
        }
        let colon = memchr::memchr(b':', line).filter(|at| is_name(&line[..*at]));
        let Some(at) = colon else {
            return Err(Failure::Usage(format!(
                "{}:{}: expected 'Name: value', found '{}'",
                robots_file::shown(file),
                number + 1,
                shown(line)
            )));
        };
        headers.push((line[..at].to_vec(), line[at + 1..].trim_ascii().to_vec()));
    }
    Ok(headers)
}

/// Returns true for a token, as names of fields are (RFC 9110, 5.1).
fn is_name(name: &[u8]) -> bool {
    !name.is_empty()
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Vec<(String, String)>, String> {
        let text_of = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        match parse(Path::new("h"), text.as_bytes()) {
            Ok(fields) => Ok(fields.into_iter().map(|(n, v)| (text_of(n), text_of(v))).collect()),
            Err(failure) => Err(failure.to_string()),
        }
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
        for (text, line) in [("A: x\nno colon", 2), ("A b: x", 1), (": x", 1), (" x", 1)] {
            assert!(
                parsed(text).unwrap_err().starts_with(&format!("h:{line}: expected ")),
                "{text}"
            );
        }
    }
}
