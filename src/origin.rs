//! Whose robots.txt governs a URL (feature `url`): scheme, host and port.
//!
//! ```
//! use robotsieve::Origin;
//!
//! let origin = Origin::of("https://www.Müller.eu:443/fisch?x")?;
//! assert_eq!(origin.key(), "https://www.xn--mller-kva.eu");
//! assert_eq!(origin.robots_url(), "https://www.xn--mller-kva.eu/robots.txt");
//! # Ok::<(), robotsieve::InvalidOrigin>(())
//! ```

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use url::{Host, Url};

use crate::as_url::AsUrl;
use crate::sixteen::Sixteen;

/// The schemes whose sites have a robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    /// Default port 80.
    Http,
    /// Default port 443.
    Https,
    /// Default port 21.
    Ftp,
}

impl Scheme {
    /// As it stands in a URL, lower-case.
    pub fn as_str(self) -> &'static str {
        match self {
            Scheme::Http => "http",
            Scheme::Https => "https",
            Scheme::Ftp => "ftp",
        }
    }

    /// The port that a URL without one means.
    pub fn default_port(self) -> u16 {
        match self {
            Scheme::Http => 80,
            Scheme::Https => 443,
            Scheme::Ftp => 21,
        }
    }

    fn of(name: &str) -> Option<Scheme> {
        [Scheme::Http, Scheme::Https, Scheme::Ftp].into_iter().find(|s| s.as_str() == name)
    }
}

display_as_str!(Scheme);

/// Scheme, host and port: what one robots.txt counts for, in the form in which they are
/// compared.
///
/// Hosts are lower-case and in Punycode, IPv4 addresses four decimal numbers, IPv6 addresses
/// as RFC 5952 writes them, in brackets; a default port is not there, nor are user info and
/// a dot at the end of the name (*a reading*: in the DNS both spellings are one name). All else
/// is as in the WHATWG URL standard, by the crate `url`; the usual URL is already in that
/// form, which is found out without it, and costs no allocation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin<'u> {
    /// `scheme://host` or `scheme://host:port`.
    key: Cow<'u, str>,
    scheme: Scheme,
    port: u16,
}

/// A text that is no URL of a site with a robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidOrigin {
    /// Not an absolute URL, or its host or port is none.
    Url(url::ParseError),
    /// Neither http, https nor ftp.
    Scheme,
}

impl fmt::Display for InvalidOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidOrigin::Url(url::ParseError::RelativeUrlWithoutBase) => {
                f.write_str("no URL, as it does not begin with a scheme such as https://")
            }
            InvalidOrigin::Url(cause) => write!(f, "no URL: {cause}"),
            InvalidOrigin::Scheme => f.write_str("no URL of http, https or ftp"),
        }
    }
}

impl std::error::Error for InvalidOrigin {}

impl<'u> Origin<'u> {
    /// The origin of a URL.
    ///
    /// # Errors
    /// [`InvalidOrigin`] where the text is no absolute URL of http, https or ftp, or where it
    /// depends on the client whose it is: `http://a\@b/` is a URL of `a` for those that take `\` for
    /// `/`, as the WHATWG URL standard says, and one of `b` by RFC 3986.
    #[inline]
    pub fn of<U: AsUrl + ?Sized>(url: &'u U) -> Result<Origin<'u>, InvalidOrigin> {
        let url = url.as_url();
        match Origin::of_usual(url) {
            Some(origin) => Ok(origin),
            None => Origin::of_any(url),
        }
    }

    /// The text by which origins are compared and known: `scheme://host`, with `:port` where
    /// it is not the scheme's default.
    #[inline]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The URL of its robots.txt.
    pub fn robots_url(&self) -> String {
        [&self.key, "/robots.txt"].concat()
    }

    /// The scheme.
    #[inline]
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The host: a name, an IPv4 address, or an IPv6 address in brackets.
    pub fn host(&self) -> &str {
        let host = self.authority();
        match host.rfind(':') {
            Some(at) if !host.ends_with(']') => &host[..at],
            _ => host,
        }
    }

    /// Host and, where it is not the scheme's default, port: `host` or `host:port`.
    pub fn authority(&self) -> &str {
        &self.key[self.scheme.as_str().len() + "://".len()..]
    }

    /// The port, the default one too.
    #[inline]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The part of `shards` that the origin belongs to, where many origins are shared out: 0 to
    /// `shards - 1`. All origins of a host and port belong to the same.
    ///
    /// The hash is XXH64 with the seed 42 of [`Origin::authority`], as a signed number, and the
    /// part is its remainder, which is never negative. So in Spark SQL it is
    /// `pmod(xxhash64(authority), shards)`.
    ///
    /// ```
    /// use robotsieve::Origin;
    ///
    /// assert_eq!(Origin::of("https://example.com/x")?.shard(16), 7);
    /// assert_eq!(Origin::of("http://example.com")?.shard(16), 7);
    /// # Ok::<(), robotsieve::InvalidOrigin>(())
    /// ```
    ///
    /// # Panics
    /// Panics if `shards` is 0.
    pub fn shard(&self, shards: u32) -> u32 {
        shard_of(self.authority().as_bytes(), shards)
    }

    /// Returns true if a URL is certain to have this origin, since it begins with the key. Most others of
    /// the origin do, but not all.
    #[inline]
    pub(crate) fn is_of(&self, url: &[u8]) -> bool {
        has_key(url, self.key.as_bytes())
    }

    /// The same without a borrow.
    pub fn into_owned(self) -> Origin<'static> {
        Origin { key: Cow::Owned(self.key.into_owned()), scheme: self.scheme, port: self.port }
    }

    /// The origin of a URL that begins with one in the form in which they are compared, as
    /// most do.
    #[inline]
    fn of_usual(url: &'u [u8]) -> Option<Origin<'u>> {
        let usual = UsualOrigin::of(url)?;
        let UsualOrigin { scheme, port, .. } = usual;
        Some(Origin { key: Cow::Borrowed(usual.text()), scheme, port })
    }

    #[cold]
    #[inline(never)]
    fn of_any(url: &[u8]) -> Result<Origin<'static>, InvalidOrigin> {
        // What is not UTF-8 may stand behind the authority; within it, U+FFFD is no host.
        let url = String::from_utf8_lossy(url);
        if has_two_readings(&url) {
            return Err(InvalidOrigin::Url(url::ParseError::InvalidDomainCharacter));
        }
        let url = Url::parse(&url).map_err(InvalidOrigin::Url)?;
        let scheme = Scheme::of(url.scheme()).ok_or(InvalidOrigin::Scheme)?;
        let host = url.host().ok_or(InvalidOrigin::Url(url::ParseError::EmptyHost))?;
        let host = match host {
            Host::Domain(name) => {
                let one_less = name.strip_suffix('.');
                let is_name = |name: &&str| !name.is_empty() && !name.ends_with('.');
                Host::Domain(one_less.filter(is_name).unwrap_or(name))
            }
            address => address,
        };
        let key = match url.port() {
            Some(port) => format!("{scheme}://{host}:{port}"),
            None => format!("{scheme}://{host}"),
        };
        let port = url.port().unwrap_or(scheme.default_port());
        Ok(Origin { key: Cow::Owned(key), scheme, port })
    }
}

/// The origin of a URL that begins with one in the form in which they are compared. Made by
/// [`UsualOrigin::of`] alone, so the key is of lower-case letters, digits, `-`, `_`, dots and what
/// belongs to scheme and port: ASCII, where no parser ends a host.
#[derive(Clone, Copy)]
pub(crate) struct UsualOrigin<'u> {
    key: &'u [u8],
    scheme: Scheme,
    /// Where the host begins.
    host_at: usize,
    port: u16,
}

impl<'u> UsualOrigin<'u> {
    /// `None` where the URL may be another one, or has fewer than eight bytes.
    #[inline(always)]
    pub(crate) fn of(url: &'u [u8]) -> Option<UsualOrigin<'u>> {
        let first = u64::from_be_bytes(*url.first_chunk()?);
        let begins_with = |text: &[u8]| {
            let word = text.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
            first >> (64 - 8 * text.len()) == word
        };
        let (scheme, host_at) = match (begins_with(b"https://"), begins_with(b"http://")) {
            (true, _) => (Scheme::Https, 8),
            (_, true) => (Scheme::Http, 7),
            _ if begins_with(b"ftp://") => (Scheme::Ftp, 6),
            _ => return None,
        };
        let mut len = host_at + usual_host(url, host_at)?;
        let mut port = scheme.default_port();
        // Nearly all hosts end so.
        if url.get(len) != Some(&b'/') {
            (port, len) = behind_host(url, len, port)?;
        }
        Some(UsualOrigin { key: &url[..len], scheme, host_at, port })
    }

    /// [`Origin::key`].
    #[inline]
    pub(crate) fn key(&self) -> &'u [u8] {
        self.key
    }

    /// The key as text.
    ///
    /// A second look, by `str::from_utf8`, takes 130 instructions a URL more than the 50 of finding the
    /// key's end (callgrind, keys of 16 to 35 bytes), and about 4 of 15 ns.
    #[inline]
    #[expect(unsafe_code, reason = "takes ASCII for UTF-8 without a second look")]
    fn text(&self) -> &'u str {
        debug_assert!(self.key.is_ascii());
        // SAFETY: all bytes of the key of a `UsualOrigin` are ASCII.
        unsafe { str::from_utf8_unchecked(self.key) }
    }

    /// [`Origin::authority`].
    #[inline]
    pub(crate) fn authority(&self) -> &'u [u8] {
        &self.key[self.host_at..]
    }

    #[inline]
    pub(crate) fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// [`Origin::is_of`].
    #[inline]
    pub(crate) fn is_of(&self, url: &[u8]) -> bool {
        has_key(url, self.key)
    }
}

/// The key of a URL's origin if the URL is of http or https and begins with it, as most do: then the path
/// is what follows, if that begins with `/`.
#[inline]
pub fn usual_key(url: &[u8]) -> Option<&str> {
    let usual = UsualOrigin::of(url)?;
    (usual.scheme != Scheme::Ftp).then(|| usual.text())
}

/// Returns true if a URL is certain to have the origin of this key.
#[inline]
fn has_key(url: &[u8], key: &[u8]) -> bool {
    // Another origin's URL seldom has the same eight bytes there, near the beginning of its host.
    let eight = |bytes: &[u8]| {
        bytes.get(8..16).map(|eight| u64::from_ne_bytes(eight.try_into().expect("eight")))
    };
    (key.len() < 16 || eight(url) == eight(key)) && has_whole_key(url, key)
}

#[inline(never)]
fn has_whole_key(url: &[u8], key: &[u8]) -> bool {
    matches!(url.get(key.len()), None | Some(b'/' | b'?' | b'#'))
        && url.get(..key.len()).is_some_and(|begin| are_equal(begin, key))
}

/// Returns true if two names are equal. Most have 8 to 32 bytes, for which a call would cost more than the
/// comparison, and so would a loop: no processor knows beforehand how often it is taken.
#[inline(always)]
pub fn are_equal(a: &[u8], b: &[u8]) -> bool {
    let len = a.len();
    if len != b.len() {
        return false;
    }
    if !(8..=32).contains(&len) {
        return a == b;
    }
    // Four words, which overlap.
    let second = (len - 8).min(8);
    let word = |bytes: &[u8], at: usize| {
        u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
    };
    let differ = |at: usize| word(a, at) ^ word(b, at);
    differ(0) | differ(second) | differ(len - 8 - second) | differ(len - 8) == 0
}

/// [`Origin::of`].
impl FromStr for Origin<'static> {
    type Err = InvalidOrigin;

    fn from_str(url: &str) -> Result<Origin<'static>, InvalidOrigin> {
        Origin::of(url).map(Origin::into_owned)
    }
}

/// [`Origin::key`].
impl AsRef<str> for Origin<'_> {
    fn as_ref(&self) -> &str {
        self.key()
    }
}

impl fmt::Display for Origin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.key)
    }
}

/// [`Origin::shard`] of an authority.
#[inline]
pub(crate) fn shard_of(authority: &[u8], shards: u32) -> u32 {
    // Spark's seed.
    let hash = xxhash_rust::xxh64::xxh64(authority, 42) as i64;
    hash.rem_euclid(i64::from(shards)) as u32
}

/// Returns true if the authority, up to the first `/`, `?` or `#`, has an `@` behind a `\`.
fn has_two_readings(url: &str) -> bool {
    let Some((_, after)) = url.split_once(':') else { return false };
    // Line ends and tabs are dropped wherever they stand.
    let after = after.trim_start_matches(['/', '\\', '\t', '\n', '\r']);
    let authority = after.find(['/', '?', '#']).map_or(after, |end| &after[..end]);
    authority.split_once('\\').is_some_and(|(_, after)| after.contains('@'))
}

/// How many bytes a host has that is for certain in the form in which hosts are compared; `None`
/// where that is not for certain. What ends it is up to the caller.
///
/// Such a host is of lower-case letters, digits, `-`, `_` and dots; it has no `--`, which each
/// Punycode label has; its last label, which is not empty, begins with a letter, so it is no
/// IPv4 address in any spelling.
#[inline(always)]
fn usual_host(url: &[u8], at: usize) -> Option<usize> {
    let text = &url[at..];
    let kinds = match (text.first_chunk(), url.last_chunk()) {
        (Some(first), _) => Kinds::of(first),
        // The last bytes of the URL, and of what they are, what is of the text.
        (None, Some(last)) => Kinds::of(last).behind(Kinds::BYTES - text.len()),
        (None, None) => {
            let mut bytes = [0; Kinds::BYTES];
            bytes[..text.len()].copy_from_slice(text);
            Kinds::of(&bytes)
        }
    };
    let (len, label) = kinds.host()?;
    if len == Kinds::BYTES {
        return usual_host_by_bytes(text);
    }
    text[..len].get(label)?.is_ascii_lowercase().then_some(len)
}

/// Which of 32 bytes are of which kind: a bit for each, the lowest for the first.
struct Kinds {
    /// Letters, digits, `_`, dots and dashes.
    host: u32,
    dots: u32,
    dashes: u32,
}

impl Kinds {
    const BYTES: usize = u32::BITS as usize;

    /// Without the first bytes, fewer than all. Behind the last one is nothing of any kind.
    #[inline(always)]
    fn behind(self, bytes: usize) -> Kinds {
        let Kinds { host, dots, dashes } = self;
        let [host, dots, dashes] =
            [host, dots, dashes].map(|kind| kind.checked_shr(bytes as u32).unwrap_or(0));
        Kinds { host, dots, dashes }
    }

    /// The bytes of the host that stands there, and where its last label begins; 32 bytes where it may
    /// go on. `None` if it has two dashes in a row.
    #[inline(always)]
    fn host(&self) -> Option<(usize, usize)> {
        let ends = !self.host;
        let host = ends.wrapping_sub(1) & !ends;
        let label = u32::BITS - (self.dots & host).leading_zeros();
        let has_two_dashes = self.dashes & self.dashes >> 1 & host != 0;
        (!has_two_dashes).then_some((ends.trailing_zeros() as usize, label as usize))
    }

    #[inline(always)]
    fn of(bytes: &[u8; Kinds::BYTES]) -> Kinds {
        if Sixteen::IS_FAST {
            let (halves, _) = bytes.as_chunks::<16>();
            let halves = [0, 1].map(|at| Sixteen::load(&halves[at]));
            let bits = |is: fn(Sixteen) -> Sixteen| Sixteen::bits(halves.map(is)) as u32;
            let (dots, dashes) = (bits(|bytes| bytes.is(b'.')), bits(|bytes| bytes.is(b'-')));
            let host = bits(|bytes| {
                let letters = bytes.is_within(b'a', b'z').or(bytes.is(b'_'));
                letters.or(bytes.is_within(b'0', b'9'))
            });
            return Kinds { host: host | dots | dashes, dots, dashes };
        }
        let mut kinds = Kinds { host: 0, dots: 0, dashes: 0 };
        for (at, byte) in bytes.iter().enumerate() {
            let class = CLASSES[usize::from(*byte)];
            for (bits, is_so) in [
                (&mut kinds.host, matches!(class, PLAIN | DASH | DOT)),
                (&mut kinds.dots, class == DOT),
                (&mut kinds.dashes, class == DASH),
            ] {
                *bits |= u32::from(is_so) << at;
            }
        }
        kinds
    }
}

/// The same, byte by byte: for hosts that are longer.
#[cold]
fn usual_host_by_bytes(text: &[u8]) -> Option<usize> {
    let mut before = b'.';
    let mut label_first = 0;
    let mut len = 0;
    for byte in text.iter().copied() {
        match CLASSES[usize::from(byte)] {
            DASH if before == b'-' => return None,
            PLAIN | DASH => {
                if before == b'.' {
                    label_first = byte;
                }
            }
            DOT => label_first = 0,
            _ => break,
        }
        before = byte;
        len += 1;
    }
    label_first.is_ascii_lowercase().then_some(len)
}

const OTHER: u8 = 0;
const PLAIN: u8 = 1;
const DASH: u8 = 2;
const DOT: u8 = 3;

/// What a byte is in a host.
static CLASSES: [u8; 256] = {
    let mut classes = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'0'..=b'9' | b'_' => PLAIN,
            b'-' => DASH,
            b'.' => DOT,
            _ => OTHER,
        };
        byte += 1;
    }
    classes
};

/// The port, and where the key ends, if the host before a place ends there and no `/` follows.
#[cold]
#[inline(never)]
fn behind_host(url: &[u8], at: usize, default_port: u16) -> Option<(u16, usize)> {
    match url.get(at) {
        None | Some(b'?' | b'#') => Some((default_port, at)),
        Some(b':') => usual_port(url, at + 1).filter(|(port, _)| *port != default_port),
        Some(_) => None,
    }
}

/// The port that stands at a place without leading zeros, and where it ends; `None` where
/// something else stands there: user info may, behind a `:`.
fn usual_port(url: &[u8], at: usize) -> Option<(u16, usize)> {
    let digits = &url[at..];
    let len = digits.iter().position(|o| !o.is_ascii_digit()).unwrap_or(digits.len());
    if !matches!(digits.get(len), None | Some(b'/' | b'?' | b'#')) || digits.first() == Some(&b'0')
    {
        return None;
    }
    // At most five digits: six are too many anyway.
    let number = digits[..len].iter().take(6).fold(0, |n, o| n * 10 + u32::from(o - b'0'));
    let port = u16::try_from(number).ok().filter(|port| *port != 0)?;
    Some((port, at + len))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(url: &str) -> Option<String> {
        Some(Origin::of(url).ok()?.key().to_owned())
    }

    /// The table of examples of Google's specification: which URLs a robots.txt counts for.
    #[test]
    fn examples_of_google() {
        let valid = [
            (
                "http://example.com/robots.txt",
                &["http://example.com/", "http://example.com/folder/file"][..],
            ),
            ("http://www.example.com/robots.txt", &["http://www.example.com/"]),
            (
                "http://www.müller.eu/robots.txt",
                &[
                    "http://www.müller.eu/",
                    "http://www.xn--mller-kva.eu/",
                    "http://WWW.M%C3%9CLLER.EU/",
                ],
            ),
            ("ftp://example.com/robots.txt", &["ftp://example.com/", "ftp://example.com:21/x"]),
            ("http://212.96.82.21/robots.txt", &["http://212.96.82.21/"]),
            (
                "http://example.com:80/robots.txt",
                &["http://example.com:80/", "http://example.com/"],
            ),
            ("http://example.com:8181/robots.txt", &["http://example.com:8181/"]),
        ];
        for (robots, urls) in valid {
            let robots = Origin::of(robots).unwrap();
            for url in urls {
                assert_eq!(Origin::of(url).unwrap(), robots, "{url}");
            }
        }
        let invalid = [
            ("http://example.com/", "http://other.example.com/"),
            ("http://example.com/", "https://example.com/"),
            ("http://example.com/", "http://example.com:8181/"),
            ("http://www.example.com/", "http://example.com/"),
            ("http://www.example.com/", "http://shop.www.example.com/"),
            ("http://www.example.com/", "http://www.shop.example.com/"),
            ("ftp://example.com/", "http://example.com/"),
            ("http://212.96.82.21/", "http://example.com/"),
            ("http://example.com:8181/", "http://example.com/"),
        ];
        for (robots, url) in invalid {
            assert_ne!(Origin::of(robots), Origin::of(url), "{url}");
        }
        // `/folder/robots.txt` is nobody's: the file always lies at the root.
        let folder = Origin::of("http://example.com/folder/robots.txt").unwrap();
        assert_eq!(folder.robots_url(), "http://example.com/robots.txt");
    }

    #[test]
    fn keys() {
        for (url, wanted) in [
            ("https://e.com", Some("https://e.com")),
            ("HTTPS://E.Com/x", Some("https://e.com")),
            ("https://e.com.:443?x", Some("https://e.com")),
            ("https://u:p@e.com:8443#x", Some("https://e.com:8443")),
            ("https://e.com:/x", Some("https://e.com")),
            ("https://e.com:0443/x", Some("https://e.com")),
            ("https://e.com:80/x", Some("https://e.com:80")),
            ("http://e.com:80@evil.com/", Some("http://evil.com")),
            ("http://e.com:80\\@evil.com/", None),
            ("http://a\\@b/x", None),
            ("http:\\\\a\\@b/x", None),
            ("http:/\t/u@a\\b@c/x", None),
            ("http://a\\b/@x", Some("http://a")),
            ("http://u@a\\b", Some("http://a")),
            ("http://a/\\@b", Some("http://a")),
            ("http://a?\\@b", Some("http://a")),
            ("http://[0:0:0:0:0:0:0:1]/", Some("http://[::1]")),
            ("http://127.1/", Some("http://127.0.0.1")),
            ("http://0x7f000001/", Some("http://127.0.0.1")),
            ("http://[2001:DB8:0::1]:8080/", Some("http://[2001:db8::1]:8080")),
            ("http://[2001:db8::1]/", Some("http://[2001:db8::1]")),
            ("http://a_b.e.com/", Some("http://a_b.e.com")),
            ("http://localhost/", Some("http://localhost")),
            ("http://e.com:65536/", None),
            ("http://e.com:x/", None),
            ("http://./", Some("http://.")),
            ("http://../", Some("http://..")),
            ("http://", None),
            ("http:///", None),
            ("http://a b/", None),
            ("http://xn--a/", None),
            ("mailto:x@e.com", None),
            ("gopher://e.com/", None),
            ("/robots.txt", None),
            ("e.com/x", None),
            ("", None),
        ] {
            assert_eq!(key(url).as_deref(), wanted, "{url}");
        }
        assert!(Origin::of(b"http://\xff/").is_err());
        assert_eq!(Origin::of(b"http://e.com/\xff").unwrap().key(), "http://e.com");
    }

    /// What Spark 3.5 says of `pmod(xxhash64(authority), 1000)`.
    #[test]
    fn shards_as_in_spark() {
        // XXH64 with the seed 42: `a`, and a text of more than 32 bytes.
        let hash = |text: &str| xxhash_rust::xxh64::xxh64(text.as_bytes(), 42) as i64;
        assert_eq!(hash("Spark"), -4294468057691064905);
        for authority in ["e.com", "example.com:8080", "a-long-name-of-more-than-32-bytes.example"]
        {
            let shard = hash(authority).rem_euclid(1000);
            assert_eq!(i64::from(shard_of(authority.as_bytes(), 1000)), shard);
        }
    }

    #[test]
    fn parts() {
        let parts = |url| {
            let origin = Origin::of(url).unwrap().into_owned();
            (origin.scheme(), origin.host().to_owned(), origin.port())
        };
        assert_eq!(parts("https://e.com/"), (Scheme::Https, "e.com".into(), 443));
        assert_eq!(parts("http://[::1]/"), (Scheme::Http, "[::1]".into(), 80));
        assert_eq!(parts("http://[::1]:81/"), (Scheme::Http, "[::1]".into(), 81));
        assert_eq!(parts("ftp://e.com:2121/"), (Scheme::Ftp, "e.com".into(), 2121));
    }

    /// The usual URL is found to be usual.
    #[test]
    fn usual_urls_are_borrowed() {
        for url in
            ["https://www.example.com/x", "http://a-b.c1.example.org:8080", "https://x_y.de?q"]
        {
            assert!(matches!(Origin::of(url).unwrap().key, Cow::Borrowed(_)), "{url}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        /// What is found out without the crate `url` is what it would say.
        #[test]
        fn equal_to_url(
            scheme in "(https?|ftp|HTTP|hTtps|htp|ws|file)",
            slashes in "(://|:|:/|:///|:\\\\)",
            host in r"([a-z0-9A-Z_.~!%@:é\[\]\\ -]{0,8}|[a-z0-9._-]{20,40}|[a-z0-9-]{1,5}\.[a-z0-9-]{1,4}|[0-9x.]{1,12}|xn--[a-z0-9-]{1,6})",
            port in r"(|:|:[0-9]{1,6}|:80|:443|:21|:0[0-9]{1,3}|:8[a@]b)",
            rest in r"(|/|[/?#\\@ ][a-zé/:@.\t]{0,6})",
            more in "(|[a-z/]{30,40})",
        ) {
            let text = [scheme, slashes, host, port, rest, more].concat();
            prop_assert_eq!(Origin::of(&text), Origin::of_any(text.as_bytes()), "{}", text);
        }

        #[test]
        fn any_bytes(bytes: Vec<u8>) {
            let with_scheme = [b"http://", &bytes[..]].concat();
            for bytes in [bytes, with_scheme] {
                prop_assert_eq!(Origin::of(&bytes), Origin::of_any(&bytes));
            }
        }

        /// A URL that is said to be of an origin is.
        #[test]
        fn is_of(
            host in r"([a-zA-Z0-9.-]{1,6}|\\[::1\\]|xn--mller-kva.eu)",
            port in "(|:[0-9]{1,4})",
            rest in r"(|[/?#:@\\.a-z0-9]{1,6})",
        ) {
            if let Ok(origin) = Origin::of(&format!("http://{host}{port}")) {
                let url = format!("{origin}{rest}");
                if origin.is_of(url.as_bytes()) {
                    prop_assert_eq!(Origin::of(&url), Ok(origin), "{}", url);
                }
            }
        }

        /// A key is the URL of an origin, and that of its own.
        #[test]
        fn keys_are_fixed_points(host in r"[a-zA-Zé0-9.-]{1,12}", port in 0u16..) {
            if let Ok(origin) = Origin::of(&format!("HTTP://{host}:{port}/")) {
                let again = Origin::of(origin.key());
                prop_assert_eq!(again.as_ref(), Ok(&origin));
            }
        }
    }
}
