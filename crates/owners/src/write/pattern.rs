//! Patterns in the form in which they are written.

use std::fmt;

use robotsieve::Profile;
use robotsieve::internals::Encoding;
use robotsieve_shown::short;

/// The longest pattern, in bytes as written: google/robotstxt cuts lines at 16,663.
const MAX_BYTES: usize = 16_000;

/// A text that is no pattern of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoPattern {
    message: String,
}

impl fmt::Display for NoPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for NoPattern {}

/// The pattern that matches what begins with this path, query included: every character of it stands for
/// itself, `*` and `$` too.
///
/// Append `$` for this path alone.
///
/// ```
/// use robotsieve_owners::write::literal;
///
/// assert_eq!(literal("/a b/ü#1")?, "/a%20b/%C3%BC%231");
/// assert_eq!(literal("/price$")?, "/price$*");
/// assert_eq!(literal("/a*b")?, "/a%2Ab");
/// # Ok::<(), robotsieve_owners::write::NoPattern>(())
/// ```
///
/// # Errors
/// Returns an error if the path does not begin with `/`, or has a control character, or is longer than
/// 16,000 bytes once escaped.
pub fn literal(path: &str) -> Result<String, NoPattern> {
    check(path, "path", |path| path.starts_with('/'))?;
    let mut text = normalised(path);
    text = text.replace('*', "%2A");
    if text.ends_with('$') {
        text.push('*');
    }
    within_limit(text)
}

/// A pattern of a rule as it is written: escaped where a URL or a line would be.
pub(super) fn written(pattern: &str) -> Result<String, NoPattern> {
    check(pattern, "pattern", |pattern| pattern.starts_with(['/', '*']))?;
    let (body, is_anchored) = match pattern.strip_suffix('$') {
        Some(body) => (body, true),
        None => (pattern, false),
    };
    let pieces: Vec<String> = body.split('*').map(normalised).collect();
    let mut text = pieces.join("*");
    if is_anchored {
        text.push('$');
    } else if text.ends_with('$') {
        // It was escaped, so it is no anchor.
        text.push('*');
    }
    within_limit(text)
}

fn check(text: &str, what: &str, begins: impl Fn(&str) -> bool) -> Result<(), NoPattern> {
    let wrong = |message| Err(NoPattern { message });
    if text.chars().any(char::is_control) {
        return wrong(format!(
            "the {what} '{}' has a control character: write it as %XX",
            short(text.as_bytes())
        ));
    }
    if !begins(text) {
        let also = if what == "pattern" { ", or with '*'" } else { "" };
        let path = match text.split_once("://") {
            Some((_, rest)) => rest.find('/').map_or("/", |at| &rest[at..]).to_owned(),
            None => format!("/{text}"),
        };
        return wrong(format!(
            "the {what} '{}' does not begin with '/'{also}: write '{}', without scheme and host",
            short(text.as_bytes()),
            short(path.as_bytes())
        ));
    }
    Ok(())
}

fn within_limit(text: String) -> Result<String, NoPattern> {
    if text.len() > MAX_BYTES {
        let message = format!(
            "the pattern is {} bytes long, which not all crawlers read: {MAX_BYTES} is the most",
            text.len()
        );
        return Err(NoPattern { message });
    }
    Ok(text)
}

/// A piece without wildcards in the normal form of RFC 9309. A `$` stays, since profiles without that form
/// compare it as it is.
fn normalised(piece: &str) -> String {
    let encoding = Encoding::of_rule(&Profile::RFC9309);
    let parts = piece.split('#').map(|part| {
        let bytes = encoding.normalised(part.as_bytes()).map(char::from);
        bytes.collect::<String>().replace("%24", "$")
    });
    parts.collect::<Vec<_>>().join("%23")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, wanted) in [
            ("/", "/"),
            ("/a*b$", "/a*b$"),
            ("*.pdf$", "*.pdf$"),
            ("/a b/é", "/a%20b/%C3%A9"),
            ("/a$b", "/a$b"),
            ("/a%24", "/a$*"),
            ("/a$$", "/a$$"),
            ("/a#b", "/a%23b"),
            ("/%7ea%2fb%zz", "/~a%2Fb%zz"),
            ("/\u{feff}x", "/%EF%BB%BFx"),
            ("/x ", "/x%20"),
        ] {
            assert_eq!(written(pattern).as_deref(), Ok(wanted));
            assert_eq!(written(wanted).as_deref(), Ok(wanted), "twice");
        }
        for (pattern, wanted) in [
            ("", "does not begin with '/'"),
            ("x", "write '/x'"),
            ("https://e.com/a?b", "write '/a?b', without scheme and host"),
            ("https://e.com", "write '/', without"),
            ("/a\nDisallow: /", "control character"),
            ("/a\u{85}", "control character"),
        ] {
            let said = written(pattern).unwrap_err().to_string();
            assert!(said.contains(wanted), "{said}");
        }
        assert!(written(&format!("/{}", "x".repeat(MAX_BYTES))).is_err());
    }
}
