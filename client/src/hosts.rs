//! Whose robots.txt counts for a URL, and what names of files are hosts.

use std::borrow::Cow;

use memchr::{memchr, memrchr};
use robotsieve::{InvalidOrigin, Origin};

/// Whose robots.txt counts for a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose<'u> {
    /// That of this origin.
    Origin(Origin<'u>),
    /// Nobody's: the URL has a host, but only http, https and ftp have a robots.txt.
    Foreign,
    /// It has no host, or not one that all clients agree on.
    Nobody,
}

/// Whose robots.txt counts for a URL, and where its authority ends: 0 if it has none.
///
/// The authority is what the library's rules for URLs say: it follows `scheme://` and ends before
/// `/`, `?` or `#`. In google/robotstxt a `;` ends it too.
#[inline]
#[must_use]
pub fn whose(url: &[u8], google: bool) -> (usize, Whose<'_>) {
    match Origin::of(url) {
        // The usual spelling: the URL begins with it, and what ends it ends every authority.
        Ok(origin) if begins_at(&origin, url) => (origin.key().len(), Whose::Origin(origin)),
        _ => whose_by_authority(url, google),
    }
}

/// Returns true if an origin is spelt in a URL as it is compared.
#[inline]
#[must_use]
fn begins_at(origin: &Origin<'_>, url: &[u8]) -> bool {
    std::ptr::eq(origin.key().as_ptr(), url.as_ptr())
}

#[cold]
fn whose_by_authority(url: &[u8], google: bool) -> (usize, Whose<'_>) {
    let Some((end, authority)) = authority(url, google) else { return (0, Whose::Nobody) };
    let host = memrchr(b'@', authority).map_or(authority, |at| &authority[at + 1..]);
    // The WHATWG URL standard takes `\` for `/`, so for some clients `http://a\@b/` is a URL of `a`
    // and for others one of `b`. It drops tabs and spaces at the ends, too.
    let is_odd = |byte: &u8| *byte <= b' ' || *byte == 0x7f;
    if memchr(b'\\', authority).is_some() || host.iter().any(is_odd) {
        return (end, Whose::Nobody);
    }
    let whose = match Origin::of(&url[..end]) {
        Ok(origin) => Whose::Origin(origin.into_owned()),
        Err(InvalidOrigin::Scheme) => Whose::Foreign,
        Err(_) => Whose::Nobody,
    };
    (end, whose)
}

/// The authority of a URL, which is not empty, and where it ends.
///
/// RFC 3986 §3.1: `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )`.
fn authority(url: &[u8], google: bool) -> Option<(usize, &[u8])> {
    let (scheme, rest) = url.split_at(memchr(b':', url)?);
    let rest = rest.strip_prefix(b"://")?;
    let is_scheme = |o: &u8| o.is_ascii_alphanumeric() || matches!(o, b'+' | b'-' | b'.');
    if !scheme.first()?.is_ascii_alphabetic() || !scheme.iter().all(is_scheme) {
        return None;
    }
    let is_end = |byte: &u8| matches!(byte, b'/' | b'?' | b'#') || google && *byte == b';';
    let len = rest.iter().position(is_end).unwrap_or(rest.len());
    (len > 0).then(|| (url.len() - rest.len() + len, &rest[..len]))
}

/// The form in which `HOST` and `HOST:PORT`, as files are named, are compared: as in
/// [`Origin::authority`], but with every port that is given. `None` if it is not a valid host.
///
/// The port follows the last `:` outside brackets. An empty one is none, and leading zeros are
/// dropped.
#[must_use]
pub fn host_and_port(text: &[u8]) -> Option<Cow<'_, str>> {
    let text = str::from_utf8(text).ok()?;
    let name_len = match text.strip_prefix('[') {
        Some(_) => text.find(']')? + 1,
        None => text.rfind(':').unwrap_or(text.len()),
    };
    let (name, port) = text.split_at(name_len);
    let port = match port.strip_prefix(':').unwrap_or(port) {
        "" => None,
        digits if port.len() > digits.len() && digits.bytes().all(|o| o.is_ascii_digit()) => {
            Some(digits.parse::<u16>().ok()?)
        }
        _ => return None,
    };
    let url = format!("https://{name}");
    let (end, Whose::Origin(origin)) = whose(url.as_bytes(), false) else { return None };
    if end < url.len() || name.contains('@') {
        return None;
    }
    let named = match port {
        Some(port) => format!("{}:{port}", origin.host()),
        None => origin.host().to_owned(),
    };
    Some(if named == text { Cow::Borrowed(text) } else { Cow::Owned(named) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(url: impl AsRef<[u8]>, google: bool) -> (usize, Option<String>) {
        let (end, whose) = whose(url.as_ref(), google);
        let key = match whose {
            Whose::Origin(origin) => Some(origin.key().to_owned()),
            Whose::Foreign => Some("foreign".to_owned()),
            Whose::Nobody => None,
        };
        (end, key)
    }

    #[test]
    fn origins_of_urls() {
        let cases = [
            ("http://e.com", 12, Some("http://e.com")),
            ("http://e.com/x:1@y", 12, Some("http://e.com")),
            ("http://E.Com?x", 12, Some("http://e.com")),
            ("HTTPS://e.com#x", 13, Some("https://e.com")),
            ("http://e.com./", 13, Some("http://e.com")),
            ("http://a_b.e.com/", 16, Some("http://a_b.e.com")),
            ("http://-a-.com/", 14, Some("http://-a-.com")),
            ("http://a--b.com/", 15, Some("http://a--b.com")),
            ("http://Müller.example/", 22, Some("http://xn--mller-kva.example")),
            ("http://m%C3%BCller.example/", 26, Some("http://xn--mller-kva.example")),
            ("http://XN--mller-KVA.example/", 28, Some("http://xn--mller-kva.example")),
            ("http://straße.example/", 22, Some("http://xn--strae-oqa.example")),
            ("http://e\u{3002}com/", 14, Some("http://e.com")),
            ("http://%65.com/", 14, Some("http://e.com")),
            ("http://e.com:80/", 15, Some("http://e.com")),
            ("http://e.com:/", 13, Some("http://e.com")),
            ("http://e.com:0080/", 17, Some("http://e.com")),
            ("http://e.com:443/", 16, Some("http://e.com:443")),
            ("https://e.com:443/", 17, Some("https://e.com")),
            ("https://e.com:80/", 16, Some("https://e.com:80")),
            ("ftp://e.com:21/", 14, Some("ftp://e.com")),
            ("ftp://e.com:80/", 14, Some("ftp://e.com:80")),
            ("svn+ssh://e.com/", 15, Some("foreign")),
            ("WS://e.com:80/", 13, Some("foreign")),
            ("http://e.com:08080/", 18, Some("http://e.com:8080")),
            ("http://E.com:8080/", 17, Some("http://e.com:8080")),
            ("http://e.com:0/", 14, Some("http://e.com:0")),
            ("http://e.com:65536/", 18, None),
            ("http://e.com:99999999999999999999/", 33, None),
            ("http://e.com:8o/", 15, None),
            ("http://e.com:+80/", 16, None),
            ("http://u:p@e.com:8080/", 21, Some("http://e.com:8080")),
            ("http://u@v@e.com/", 16, Some("http://e.com")),
            ("http://u@/", 9, None),
            ("http://:80/", 10, None),
            ("http:///x", 0, None),
            ("http:/e.com/x", 0, None),
            ("http:e.com/x", 0, None),
            ("http:\\\\e.com/x", 0, None),
            ("/x", 0, None),
            ("e.com/x", 0, None),
            ("1http://e.com/", 0, None),
            (" http://e.com/", 0, None),
            ("://e.com/", 0, None),
            ("", 0, None),
            ("http://[::1]/", 12, Some("http://[::1]")),
            ("http://[2001:DB8::1]:80/", 23, Some("http://[2001:db8::1]")),
            ("http://[::ffff:192.0.2.1]/", 25, Some("http://[::ffff:c000:201]")),
            ("http://[::1%25eth0]/", 19, None),
            ("http://[v1.x]/", 13, None),
            ("http://a\\@b/", 11, None),
            ("http://a:80\\@b/", 14, None),
            ("http://u@a\\b/", 12, None),
            ("http://u@v\\w@b/", 14, None),
            ("http://[::1]:8080/", 17, Some("http://[::1]:8080")),
            ("http://[::1/", 11, None),
            ("http://[]/", 9, None),
            ("http://[::1]x/", 13, None),
            ("http://192.0.2.1/", 16, Some("http://192.0.2.1")),
            ("http://0xC0.2.1/", 15, Some("http://192.2.0.1")),
            ("http://../", 9, Some("http://..")),
            ("http://a%2fb/", 12, None),
            ("http://%2e%2e/", 13, Some("http://..")),
            ("http://a%/", 9, None),
            ("http://a b/", 10, None),
            ("http://b /", 9, None),
            ("http://a\tb/", 10, None),
            ("http://a\\b/", 10, None),
            ("http://xn--a/", 12, None),
            ("http://\u{ad}/", 9, None),
        ];
        for (url, end, wanted) in cases {
            let found = key(url, false);
            assert_eq!((found.0, found.1.as_deref()), (end, wanted), "{url}");
        }
        assert_eq!(key(b"http://\xff/", false), (8, None));
    }

    #[test]
    fn a_semicolon_ends_the_authority_for_google() {
        assert_eq!(key("http://e.com;x/", true), (12, Some("http://e.com".into())));
        assert_eq!(key("http://e.com;x/", false), (14, Some("http://e.com;x".into())));
        assert_eq!(key("HTTP://u@E.com:81;x/", true), (17, Some("http://e.com:81".into())));
    }

    #[test]
    fn names_of_files() {
        for (name, wanted) in [
            ("e.com", Some("e.com")),
            ("E.Com", Some("e.com")),
            ("e.com.", Some("e.com")),
            ("Müller.example", Some("xn--mller-kva.example")),
            ("e.com:8080", Some("e.com:8080")),
            ("e.com:0080", Some("e.com:80")),
            ("e.com:80", Some("e.com:80")),
            ("e.com:443", Some("e.com:443")),
            ("e.com:", Some("e.com")),
            ("[::1]", Some("[::1]")),
            ("[0:0::1]:81", Some("[::1]:81")),
            ("127.1", Some("127.0.0.1")),
            ("a:b:80", None),
            ("e.com:65536", None),
            ("e.com:+1", None),
            ("[::1]81", None),
            ("a b", None),
            ("u@e.com", None),
            ("e.com?x", None),
            ("e.com/x", None),
            ("e.com\\x", None),
            ("", None),
            (":80", None),
        ] {
            assert_eq!(host_and_port(name.as_bytes()).as_deref(), wanted, "{name}");
        }
        assert_eq!(host_and_port(b"\xff"), None);
    }
}
