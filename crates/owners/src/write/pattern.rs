//! Patterns in the form in which they are written.

use std::fmt;

use robotsieve::internals::Encoding;
use robotsieve::{Profile, Sides};
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
/// itself, `*` and `$` too. `%` with two hex digits after it is an escape, as in a URL; any other is `%25`.
///
/// Append `$` for this path alone.
///
/// ```
/// use robotsieve_owners::write::literal;
///
/// assert_eq!(literal("/a b/ü#1")?, "/a%20b/%C3%BC%231");
/// assert_eq!(literal("/price$")?, "/price$*");
/// assert_eq!(literal("/a*b")?, "/a%2Ab");
/// assert_eq!(literal("/50% off")?, "/50%25%20off");
/// # Ok::<(), robotsieve_owners::write::NoPattern>(())
/// ```
///
/// # Errors
/// Returns an error if the path does not begin with `/`, or has a control character, or is longer than
/// 16,000 bytes once escaped.
pub fn literal(path: &str) -> Result<String, NoPattern> {
    check(path, "path", |path| path.starts_with('/'))?;
    let mut text = normalised(path, &Profile::RFC9309.with_stray_percent_encoded(true));
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
    // A `%` without two hex digits stays as it is, with what follows it: some profiles compare it so.
    let profile = Profile::RFC9309.with_hex_upper_case(Sides::Rule);
    let pieces: Vec<String> = body.split('*').map(|piece| normalised(piece, &profile)).collect();
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

/// A piece without wildcards in the normal form of a profile. A `$` stays, since profiles without that form
/// compare it as it is.
fn normalised(piece: &str, profile: &Profile) -> String {
    let encoding = Encoding::of_rule(profile);
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
    fn paths() {
        for (path, wanted) in [
            ("/50% off/", "/50%25%20off/"),
            ("/100%-free", "/100%25-free"),
            ("/a%b", "/a%25b"),
            ("/%", "/%25"),
            ("/%%41", "/%25A"),
            ("/%e3%81%#", "/%E3%81%25%23"),
            ("/%*", "/%25%2A"),
        ] {
            assert_eq!(literal(path).as_deref(), Ok(wanted));
            // A pattern that is one already stays.
            assert_eq!(written(wanted).as_deref(), Ok(wanted));
        }
    }

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
            ("/a%b", "/a%b"),
            ("/a%b*%c$", "/a%b*%c$"),
            ("/50% off/%e", "/50%%20off/%e"),
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
