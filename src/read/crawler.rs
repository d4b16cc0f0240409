//! A crawler's names, given one by one or read from a `User-Agent` header.

use std::collections::HashSet;

use smallvec::SmallVec;

/// A crawler: one name, or several from most to least specific.
///
/// Give the product token (`FooBot`). A name is taken as given, so `FooBot/2.1` and `FooBot` are
/// two names, and spaces belong to the name. A whole `User-Agent` header goes to
/// [`Crawler::from_user_agent`]; it is never guessed whether a name is one.
///
/// The profile decides which groups a name finds
/// ([`Profile::group_match`](crate::Profile::group_match)). Of several names the first that has a
/// group decides, or the groups of all are merged
/// ([`Profile::merge_names`](crate::Profile::merge_names)).
///
/// ```
/// use robotsieve::Crawler;
///
/// let images = Crawler::names(["Googlebot-Image", "Googlebot"]);
/// let header = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
/// let from_header = Crawler::from_user_agent(header);
/// assert_eq!(from_header.iter().collect::<Vec<_>>(), [b"Googlebot"]);
/// assert_ne!(images, from_header);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Crawler {
    names: SmallVec<[Box<[u8]>; 2]>,
}

/// Products that describe a browser and name no crawler.
const NO_CRAWLERS: [&[u8]; 9] = [
    b"Mozilla",
    b"AppleWebKit",
    b"KHTML",
    b"Gecko",
    b"Chrome",
    b"Safari",
    b"Version",
    b"Mobile",
    // Not a product, but the word that introduces a crawler's name in a comment (reading).
    COMPATIBLE,
];

const COMPATIBLE: &[u8] = b"compatible";

impl Crawler {
    /// A crawler with one name.
    pub fn name<N: AsRef<[u8]>>(name: N) -> Crawler {
        Crawler::names([name])
    }

    /// A crawler with several names, from most to least specific. Without any name it obeys the
    /// `*` group.
    pub fn names<N: AsRef<[u8]>>(names: impl IntoIterator<Item = N>) -> Crawler {
        Crawler { names: names.into_iter().map(|n| Box::from(n.as_ref())).collect() }
    }

    /// The crawler that sends this `User-Agent` header. Its names are the header's products
    /// (`name` or `name/version`, RFC 9110 §10.1.5), those in comments included.
    ///
    /// Products in comments that begin with `compatible` come first, then the others, left to
    /// right. `Mozilla`, `AppleWebKit`, `KHTML`, `Gecko`, `Chrome`, `Safari`, `Version` and
    /// `Mobile` are left out. In a comment, white space, `;` and `,` separate words *(reading)*.
    /// A word that is no product, such as a URL, is skipped.
    ///
    /// Takes any bytes. A header without a product gives a crawler without a name, which obeys
    /// the `*` group. `O(n)`.
    pub fn from_user_agent<H: AsRef<[u8]>>(header: H) -> Crawler {
        let mut first: SmallVec<[&[u8]; 4]> = SmallVec::new();
        let mut others: SmallVec<[&[u8]; 8]> = SmallVec::new();
        let header = header.as_ref();
        let mut at = 0;
        while at < header.len() {
            let (part, comment) = next_part(header, &mut at);
            let begin = part.trim_ascii_start();
            let compatible = comment
                && begin.len() >= COMPATIBLE.len()
                && begin[..COMPATIBLE.len()].eq_ignore_ascii_case(COMPATIBLE);
            for name in part.split(|o| is_separator(*o, comment)).filter_map(product) {
                if compatible {
                    first.push(name);
                } else {
                    others.push(name);
                }
            }
        }
        let mut names: SmallVec<[Box<[u8]>; 2]> = SmallVec::new();
        let mut seen = HashSet::new();
        for name in first.iter().chain(&others) {
            let known = NO_CRAWLERS.iter().any(|n| n.eq_ignore_ascii_case(name));
            if !known && seen.insert(name.to_ascii_lowercase()) {
                names.push(Box::from(*name));
            }
        }
        Crawler { names }
    }

    /// The names, from most to least specific.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.names.iter().map(AsRef::as_ref)
    }
}

/// [`Crawler::name`].
impl From<&str> for Crawler {
    fn from(name: &str) -> Crawler {
        Crawler::name(name)
    }
}

/// The text up to the next comment, or the comment that begins here without its parentheses, and
/// whether it is a comment. Comments nest and may have quoted pairs (RFC 9110 §5.6.5); one that
/// is not closed ends with the header.
fn next_part<'h>(header: &'h [u8], at: &mut usize) -> (&'h [u8], bool) {
    let start = *at;
    if header[start] != b'(' {
        let len = memchr::memchr(b'(', &header[start..]).unwrap_or(header.len() - start);
        *at = start + len;
        return (&header[start..*at], false);
    }
    let mut depth = 0;
    let mut end = start;
    while end < header.len() {
        match header[end] {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b'\\' => end += 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        end += 1;
    }
    let end = end.min(header.len());
    *at = (end + 1).min(header.len());
    (&header[start + 1..end], true)
}

fn is_separator(byte: u8, comment: bool) -> bool {
    byte.is_ascii_whitespace() || comment && matches!(byte, b';' | b',' | b'(' | b')')
}

/// The token of a `product = token ["/" product-version]`.
fn product(word: &[u8]) -> Option<&[u8]> {
    let is_tchar = |o: &u8| o.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(o);
    let name_len = word.iter().position(|o| !is_tchar(o)).unwrap_or(word.len());
    let (name, rest) = word.split_at(name_len);
    let valid = match rest {
        [] => true,
        [b'/', version @ ..] => !version.is_empty() && version.iter().all(is_tchar),
        _ => false,
    };
    (valid && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let cases: [(&str, &[&str]); 13] = [
            ("", &[]),
            ("FooBot/2.1", &["FooBot"]),
            ("FooBot", &["FooBot"]),
            (
                "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
                &["Googlebot"],
            ),
            (
                "Mozilla/5.0 (Linux; Android 6.0.1) AppleWebKit/537.36 (KHTML, like Gecko) \
                 Chrome/1.2 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://g.com/b)",
                &["Googlebot", "Linux", "Android", "6.0.1", "like"],
            ),
            (
                "Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/bot)",
                &["archive.org_bot"],
            ),
            ("Mozilla/5.0 (compatible; a/1) b/2 (c; b)", &["a", "b", "c"]),
            ("b/2 (COMPATIBLE; a/1)", &["a", "b"]),
            ("a (b (c; \\) d) e) f", &["a", "b", "c", "d", "e", "f"]),
            ("a (b; c", &["a", "b", "c"]),
            ("a (b \\", &["a", "b"]),
            ("http://e.com/ a/ /b a@b", &[]),
            (") a", &["a"]),
        ];
        for (header, wanted) in cases {
            let crawler = Crawler::from_user_agent(header);
            let names: Vec<_> = crawler.iter().collect();
            let wanted: Vec<_> = wanted.iter().map(|n| n.as_bytes()).collect();
            assert_eq!(names, wanted, "{header}");
        }
    }
}
