//! Links to licences: the `Link` header (RFC 8288) and `<link>`.

use robotsieve::{Profile, Target};
use url::Url;

use crate::licence::LicenceKind;
use crate::place::Place;

/// The media type of RSL documents.
const RSL_TYPE: &str = "application/rsl+xml";

/// A link with the relation `license`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LicenceLink {
    /// Its target as written.
    pub url: Box<str>,
    /// [`LicenceKind::Rsl`] if its type is `application/rsl+xml`, else [`LicenceKind::Other`].
    pub kind: LicenceKind,
    /// Where it stands.
    pub place: Place,
    /// The resource that it speaks of as written, if it names one: it may be another than the page.
    pub anchor: Option<Box<str>>,
}

impl LicenceLink {
    /// The link with these properties, if it is one to a licence.
    pub(super) fn of(
        target: &[u8],
        rel: &[u8],
        media_type: &[u8],
        place: Place,
    ) -> Option<LicenceLink> {
        let mut relations = rel.split(u8::is_ascii_whitespace);
        let target = target.trim_ascii();
        if target.is_empty() || !relations.any(|rel| rel.eq_ignore_ascii_case(b"license")) {
            return None;
        }
        let kind = if is_rsl(media_type) { LicenceKind::Rsl } else { LicenceKind::Other };
        let url = String::from_utf8_lossy(target).into();
        Some(LicenceLink { url, kind, place, anchor: None })
    }

    /// Returns true if it speaks of the page of a URL: without an anchor, or with one that comes to this URL (RFC 8288
    /// §3.2). Of a page of which only the path is known, the origin may be any.
    pub fn is_of(&self, url: &[u8]) -> bool {
        let Some(anchor) = &self.anchor else { return true };
        let comes_to_page = || {
            let url = String::from_utf8_lossy(url);
            let has_origin = !url.starts_with('/');
            let any = Url::parse("https://any.invalid").ok();
            // If it is not known what the page is, the anchor may be it.
            let Ok(page) = Url::options().base_url(any.as_ref()).parse(&url) else { return true };
            let Ok(resource) = page.join(anchor) else { return false };
            let target = |of: &Url| {
                Target::from_url(of.as_str(), &Profile::RFC9309).ok().map(|target| target.to_vec())
            };
            (!has_origin || resource.origin() == page.origin())
                && resource.fragment().is_none_or(str::is_empty)
                && target(&resource) == target(&page)
        };
        comes_to_page()
    }
}

/// Returns true if this is the media type of RSL documents, whatever its parameters.
pub(super) fn is_rsl(media_type: &[u8]) -> bool {
    let end = memchr::memchr(b';', media_type).unwrap_or(media_type.len());
    media_type[..end].trim_ascii().eq_ignore_ascii_case(RSL_TYPE.as_bytes())
}

/// Calls `found` for each link to a licence in a line of the `Link` header, in its order. `O(n)`.
///
/// RFC 8288 §3: `Link = #link-value`, `link-value = "<" URI-Reference ">" *( OWS ";" OWS link-param )`,
/// `link-param = token BWS [ "=" BWS ( token / quoted-string ) ]`. Of equal parameters the first counts.
pub(super) fn licences_in(line: &[u8], place: &Place, mut found: impl FnMut(LicenceLink)) {
    let mut rest = line;
    while let Some(open) = memchr::memchr(b'<', rest) {
        // Whatever stands between two links, commas and white space, says nothing.
        let after = &rest[open + 1..];
        let Some(close) = memchr::memchr(b'>', after) else { return };
        let target = &after[..close];
        let (mut rel, mut media_type, mut anchor) = (None, None, None);
        rest = parameters(&after[close + 1..], |name, value| {
            let place = if name.eq_ignore_ascii_case(b"rel") {
                &mut rel
            } else if name.eq_ignore_ascii_case(b"type") {
                &mut media_type
            } else if name.eq_ignore_ascii_case(b"anchor") {
                &mut anchor
            } else {
                return;
            };
            place.get_or_insert(value);
        });
        let link = LicenceLink::of(
            target,
            &rel.unwrap_or_default(),
            &media_type.unwrap_or_default(),
            place.clone(),
        );
        if let Some(link) = link {
            // An empty one is the page itself (RFC 3986 §5.2).
            let anchor = anchor.filter(|anchor| !anchor.trim_ascii().is_empty());
            let anchor = anchor.map(|anchor| String::from_utf8_lossy(&anchor).into());
            found(LicenceLink { anchor, ..link });
        }
    }
}

/// Calls `found` with name and value of each parameter of a link. Returns what follows the link.
fn parameters(mut text: &[u8], mut found: impl FnMut(&[u8], Vec<u8>)) -> &[u8] {
    loop {
        text = text.trim_ascii_start();
        let Some(after) = text.strip_prefix(b";") else { return text };
        text = after.trim_ascii_start();
        let len = text.iter().position(|byte| b" \t=;,".contains(byte)).unwrap_or(text.len());
        let name = &text[..len];
        text = text[len..].trim_ascii_start();
        let Some(after) = text.strip_prefix(b"=") else {
            found(name, Vec::new());
            continue;
        };
        let value;
        (value, text) = parameter_value(after.trim_ascii_start());
        found(name, value);
    }
}

/// The value that a text begins with, and what follows it.
fn parameter_value(text: &[u8]) -> (Vec<u8>, &[u8]) {
    let Some(mut quoted) = text.strip_prefix(b"\"") else {
        let len = text.iter().position(|byte| b" \t;,".contains(byte)).unwrap_or(text.len());
        return (text[..len].to_vec(), &text[len..]);
    };
    let mut value = Vec::new();
    loop {
        match quoted {
            [b'\\', byte, after @ ..] => {
                value.push(*byte);
                quoted = after;
            }
            [b'"', after @ ..] => return (value, after),
            [byte, after @ ..] => {
                value.push(*byte);
                quoted = after;
            }
            [] => return (value, quoted),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::HeaderField;

    fn shown(line: &str) -> Vec<String> {
        let mut all = Vec::new();
        let place = Place::Header { field: HeaderField::Link, line: Some(1) };
        licences_in(line.as_bytes(), &place, |link| {
            if link.is_of(b"https://e.com/a") {
                all.push(format!("{} {}", link.kind.as_str(), link.url));
            }
        });
        all
    }

    #[test]
    fn headers() {
        for (line, wanted) in [
            (
                "<https://e.com/l.xml>; rel=\"license\"; type=\"application/rsl+xml\"",
                "rsl https://e.com/l.xml",
            ),
            ("<https://e.com/l>;rel=license;type=application/rsl+xml", "rsl https://e.com/l"),
            (
                "<https://e.com/l> ; REL = LICENSE ; Type = \"Application/RSL+XML; charset=utf-8\"",
                "rsl https://e.com/l",
            ),
            ("<https://e.com/l>; rel=license", "other https://e.com/l"),
            ("</l>; rel=\"next  license\"", "other /l"),
            ("</l>; rel=\"licenses\"", ""),
            ("</l>; rel=alternate; rel=license", ""),
            ("</l>; title=\"x; rel=license\"", ""),
            ("</l>; title=\"x\\\"; rel=license", ""),
            ("</a>; rel=preload; title=\"a, <b>; c\", </l>; rel=license", "other /l"),
            ("</l>; rel=license; anchor=\"#x\"", ""),
            ("</l>; rel=license; anchor=\"\"", "other /l"),
            ("</l>; x; rel=license", "other /l"),
            ("</l>; ; rel=license", "other /l"),
            ("</l>", ""),
            ("</l", ""),
            ("<>; rel=license", ""),
            ("", ""),
            ("/l; rel=license", ""),
        ] {
            assert_eq!(shown(line).join(","), wanted, "{line}");
        }
        assert_eq!(shown("</a>; rel=license, </b>; rel=license"), ["other /a", "other /b"]);
    }

    #[test]
    fn anchors() {
        let is_of = |anchor: &str, url: &str| {
            let line = format!("</l>; rel=license; anchor=\"{anchor}\"");
            let place = Place::header(HeaderField::Link);
            let mut all = Vec::new();
            licences_in(line.as_bytes(), &place, |link| all.push(link.is_of(url.as_bytes())));
            assert_eq!(all.len(), 1, "{anchor}");
            all[0]
        };
        let url = "https://e.com/d/a%20b?x#y";
        for anchor in [
            "",
            " ",
            "#",
            "?x",
            "a b?x",
            "/d/%61%20b?x",
            "//E.com/d/a%20b?x",
            "https://e.com:443/d/./a%20b?x",
        ] {
            assert!(is_of(anchor, url), "{anchor}");
        }
        for anchor in [
            "#y",
            "?",
            "a%20b",
            "/a%20b?x",
            "A%20b?x",
            "http://e.com/d/a%20b?x",
            "https://f.com/d/a%20b?x",
            "mailto:a@e.com",
            "https://",
        ] {
            assert!(!is_of(anchor, url), "{anchor}");
        }
        assert!(is_of("a", "/a") && is_of("https://e.com/a", "/a"));
        assert!(!is_of("b", "/a") && !is_of("https://e.com/b", "/a"));
    }
}
