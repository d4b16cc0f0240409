//! Paths that people recognise, for the rules of a file.
//!
//! The shortest path that a rule decides has nothing where the rule has a star: `/games/.xml` for
//! `/games/*.xml`. This one has a word there.

/// A path for the pattern of a rule, with words in the place of its stars. `None` if it has no star
/// that needs one.
pub(super) fn filled(pattern: &[u8]) -> Option<Vec<u8>> {
    let pattern = pattern.strip_suffix(b"$").unwrap_or(pattern);
    if !pattern.contains(&b'*') {
        return None;
    }
    let mut path: Vec<u8> = Vec::with_capacity(pattern.len() + 8);
    for (at, byte) in pattern.iter().enumerate() {
        if *byte != b'*' {
            path.push(*byte);
            continue;
        }
        let word = word(&path, pattern.get(at + 1).copied());
        path.extend_from_slice(word);
    }
    Some(path)
}

/// What to write for a star after a path, and before a byte of the pattern.
fn word(path: &[u8], next: Option<u8>) -> &'static [u8] {
    let is_query = path.contains(&b'?');
    let is_start = path.last().is_none_or(|last| matches!(last, b'/' | b'-' | b'_' | b'.'));
    match next {
        // The star before it stands for as much.
        Some(b'*') => b"",
        Some(b'&') if is_query => b"a=1",
        Some(b'&') if is_start => b"page?a=1",
        Some(b'&') => b"?a=1",
        Some(next) if is_query => match path.last() {
            Some(b'?' | b'&') if next.is_ascii_alphanumeric() => b"a=1&",
            Some(b'?' | b'&') => b"a",
            _ => b"",
        },
        Some(b'?') if !is_start => b"",
        Some(next) if next.is_ascii_alphanumeric() && is_start => b"page-",
        Some(next) if next.is_ascii_alphanumeric() => b"-",
        _ if is_query => b"",
        _ if is_start => b"page",
        // What follows goes on in the same word, as in '/product*.pdf'.
        _ => b"-page",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_stars() {
        for (pattern, wanted) in [
            ("/*/comments", "/page/comments"),
            ("/games/*.xml", "/games/page.xml"),
            ("/*.pdf$", "/page.pdf"),
            ("/*?print=1", "/page?print=1"),
            ("/*&print=1", "/page?a=1&print=1"),
            ("/*?*print=1", "/page?a=1&print=1"),
            ("/search?*&page=", "/search?a=1&page="),
            ("/private/*", "/private/page"),
            ("/shop*?", "/shop?"),
            ("/product*.pdf", "/product-page.pdf"),
            ("/*sponsored", "/page-sponsored"),
            ("/a**b", "/a-b"),
            ("/live/*/feed.json", "/live/page/feed.json"),
            ("*", "page"),
        ] {
            let filled = filled(pattern.as_bytes()).unwrap();
            assert_eq!(String::from_utf8(filled).unwrap(), wanted, "{pattern}");
        }
        assert_eq!(filled(b"/a$"), None);
        assert_eq!(filled(b""), None);
    }
}
