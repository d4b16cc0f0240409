//! The normalized host of a URL, and its hash.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::net::Ipv6Addr;

use idna::AsciiDenyList;
use memchr::{memchr, memrchr};
use url::Host;

/// What is between `scheme://` and the path of a URL, including user info and port.
#[derive(Clone, Copy, Debug)]
pub struct Authority<'u> {
    /// The URL up to the end of its authority.
    pub start: &'u [u8],
    text: &'u [u8],
    /// Whether `text` is certain to be a normalized host, as it is in most URLs.
    is_plain: bool,
    /// The default port of the scheme, if it has one.
    default_port: Option<u16>,
}

impl<'u> Authority<'u> {
    /// The authority of a URL, if it has one: `scheme://authority`, by the library's rules for
    /// URLs. In google/robotstxt a `;` ends it too.
    #[inline]
    pub fn of(url: &'u [u8], google: bool) -> Option<Authority<'u>> {
        let (rest, default_port) = if let Some(rest) = url.strip_prefix(b"https://") {
            (rest, Some(443))
        } else if let Some(rest) = url.strip_prefix(b"http://") {
            (rest, Some(80))
        } else {
            after_scheme(url)?
        };
        let (len, is_plain) = plain_until(rest, |byte| ends_authority(byte, google));
        let start = &url[..url.len() - rest.len() + len];
        let text = &rest[..len];
        (len > 0).then_some(Authority { start, text, is_plain, default_port })
    }

    /// The normalized host, followed by `:PORT` unless the port is the scheme's default; `None` if
    /// it is not a valid host.
    ///
    /// Neither is one after a `\`, which some clients take for a `/`: for them `http://a\@b/` is a
    /// URL of `a`, for others one of `b`.
    ///
    /// The port follows the last `:` outside brackets. An empty port is the default, and leading
    /// zeros are dropped.
    #[inline]
    pub fn host(&self) -> Option<Cow<'u, [u8]>> {
        if self.is_plain {
            return Some(Cow::Borrowed(self.text));
        }
        let text = match memrchr(b'@', self.text) {
            Some(at) if memchr(b'\\', &self.text[..at]).is_some() => return None,
            Some(at) => &self.text[at + 1..],
            None => self.text,
        };
        host_and_port(text, self.default_port)
    }
}

#[inline]
fn ends_authority(byte: u8, google: bool) -> bool {
    matches!(byte, b'/' | b'?' | b'#') || google && byte == b';'
}

/// What follows `scheme://` if that is not literally `http://` or `https://`.
///
/// RFC 3986 §3.1: `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )`.
#[cold]
fn after_scheme(url: &[u8]) -> Option<(&[u8], Option<u16>)> {
    let (scheme, rest) = url.split_at(memchr(b':', url)?);
    let rest = rest.strip_prefix(b"://")?;
    let is_scheme = |o: &u8| o.is_ascii_alphanumeric() || matches!(o, b'+' | b'-' | b'.');
    if !scheme.first()?.is_ascii_alphabetic() || !scheme.iter().all(is_scheme) {
        return None;
    }
    const PORTS: [(&[u8], u16); 3] = [(b"http", 80), (b"https", 443), (b"ftp", 21)];
    let port = PORTS.iter().find(|(name, _)| name.eq_ignore_ascii_case(scheme));
    Some((rest, port.map(|(_, port)| *port)))
}

/// The normalized form of a host and its port; `None` if it is not a valid host.
pub fn host_and_port(text: &[u8], default_port: Option<u16>) -> Option<Cow<'_, [u8]>> {
    let name_len = if text.first() == Some(&b'[') {
        memchr(b']', text)? + 1
    } else {
        memrchr(b':', text).unwrap_or(text.len())
    };
    let (name, rest) = text.split_at(name_len);
    let name = canonical_name(name)?;
    let port = match rest {
        [] | [b':'] => return Some(name),
        [b':', digits @ ..] => digits.iter().try_fold(0, |port: u32, digit| {
            let digit = char::from(*digit).to_digit(10)?;
            Some(port * 10 + digit).filter(|port| *port <= u16::MAX.into())
        })? as u16,
        _ => return None,
    };
    if Some(port) == default_port {
        return Some(name);
    }
    let has_no_zeros = rest[1] != b'0' || rest.len() == 2;
    Some(match name {
        Cow::Borrowed(_) if has_no_zeros => Cow::Borrowed(text),
        name => Cow::Owned([&name, format!(":{port}").as_bytes()].concat()),
    })
}

/// A host name in normalized form: lower case and Punycode.
///
/// Follows the WHATWG URL standard (percent-decoding, then UTS 46, non-transitional, with
/// underscores), except that numbers are not read as IPv4 addresses. An IPv6 address keeps its
/// brackets, and is written as short as it can be.
fn canonical_name(name: &[u8]) -> Option<Cow<'_, [u8]>> {
    if is_plain(name) {
        return Some(Cow::Borrowed(name));
    }
    if let [b'[', address @ .., b']'] = name {
        let address: Ipv6Addr = str::from_utf8(address).ok()?.parse().ok()?;
        return Some(Cow::Owned(Host::<&str>::Ipv6(address).to_string().into_bytes()));
    }
    let decoded = percent_decoded(name);
    // It forbids, among others, '/', '%', ':', '@', space and controls.
    let ascii = idna::domain_to_ascii_cow(&decoded, AsciiDenyList::URL).ok()?;
    (!ascii.is_empty()).then(|| Cow::Owned(ascii.as_bytes().to_vec()))
}

/// Whether a name is certain to be normalized.
fn is_plain(name: &[u8]) -> bool {
    !name.is_empty() && plain_until(name, |_| false).1
}

/// How many bytes precede the one that ends the text, and whether they are certain to be a
/// normalized host name: lower-case ASCII without `--`, which every Punycode label contains. One
/// loop does both, because its end is what the processor mispredicts.
#[inline(always)]
fn plain_until(text: &[u8], is_end: impl Fn(u8) -> bool) -> (usize, bool) {
    let mut is_plain = true;
    let mut before = 0;
    for (at, byte) in text.iter().copied().enumerate() {
        if is_end(byte) {
            return (at, is_plain);
        }
        is_plain &= PLAIN[usize::from(byte)] & !(byte == b'-' && before == b'-');
        before = byte;
    }
    (text.len(), is_plain)
}

/// The bytes that plain names consist of.
static PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        plain[byte] = matches!(byte as u8, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_');
        byte += 1;
    }
    plain
};

fn percent_decoded(name: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'%', name).is_none() {
        return Cow::Borrowed(name);
    }
    let digit = |byte: Option<&u8>| char::from(*byte?).to_digit(16);
    let mut decoded = Vec::with_capacity(name.len());
    let mut rest = name;
    while let [byte, after @ ..] = rest {
        rest = after;
        let pair = || Some(digit(after.first())? * 16 + digit(after.get(1))?);
        match pair().filter(|_| *byte == b'%') {
            Some(value) => {
                decoded.push(value as u8);
                rest = &after[2..];
            }
            None => decoded.push(*byte),
        }
    }
    Cow::Owned(decoded)
}

/// The hash of a host, for looking it up and for counting hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HostHash(u64);

impl HostHash {
    /// The slot for this hash in a table with this many slots.
    #[inline]
    pub fn slot(self, slots: usize) -> usize {
        self.0 as usize % slots
    }
}

/// A hash function with random keys, so that nobody can choose hosts that collide.
///
/// Folded multiplication, as in wyhash: three multiplications for a typical host. The standard
/// library's hash function takes several times as long.
#[derive(Clone, Debug)]
pub struct HostHasher {
    keys: [u64; 3],
}

impl Default for HostHasher {
    fn default() -> HostHasher {
        let random = RandomState::new();
        HostHasher { keys: [0, 1, 2].map(|key| random.hash_one(key)) }
    }
}

impl HostHasher {
    /// The hash of a normalized host, or of other bytes that identify one.
    #[inline]
    pub fn hash(&self, host: &[u8]) -> HostHash {
        let [first, second, third] = self.keys;
        let len = host.len();
        let mut state = first;
        let mut left = host;
        while let Some((sixteen, rest)) = left.split_first_chunk::<16>() {
            state = folded(word(sixteen) ^ second, word(&sixteen[8..]) ^ state);
            left = rest;
        }
        // Two words that may overlap hold the last bytes.
        let (low, high) = match left.len() {
            8.. => (word(left), word(&left[left.len() - 8..])),
            4.. => (half_word(left), half_word(&left[left.len() - 4..])),
            1.. => (
                u64::from(left[0]) << 8 | u64::from(left[left.len() / 2]),
                u64::from(left[left.len() - 1]),
            ),
            0 => (0, 0),
        };
        let state = folded(low ^ second, high ^ state);
        HostHash(folded(state ^ third, len as u64 ^ second))
    }
}

/// The product of two words, with its halves folded into one.
#[inline(always)]
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// The first eight bytes.
#[inline(always)]
fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(*bytes.first_chunk().expect("8 bytes"))
}

/// The first four bytes.
#[inline(always)]
fn half_word(bytes: &[u8]) -> u64 {
    u32::from_le_bytes(*bytes.first_chunk().expect("4 bytes")).into()
}

/// The hash function of tables whose keys are hashes already.
#[derive(Clone, Copy, Debug, Default)]
pub struct Identity;

impl BuildHasher for Identity {
    type Hasher = IdentityHasher;

    fn build_hasher(&self) -> IdentityHasher {
        IdentityHasher(0)
    }
}

/// Returns the number that it was given.
pub struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn write(&mut self, _: &[u8]) {
        unreachable!("a HostHash is one u64");
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(url: &str) -> Option<String> {
        let host = Authority::of(url.as_bytes(), false)?.host()?;
        Some(String::from_utf8(host.into_owned()).unwrap())
    }

    #[test]
    fn hosts_of_urls() {
        let cases = [
            ("http://e.com", Some("e.com")),
            ("http://e.com/x:1@y", Some("e.com")),
            ("http://E.Com?x", Some("e.com")),
            ("HTTPS://e.com#x", Some("e.com")),
            ("http://e.com.", Some("e.com.")),
            ("http://a_b.e.com/", Some("a_b.e.com")),
            ("http://-a-.com/", Some("-a-.com")),
            ("http://a--b.com/", Some("a--b.com")),
            ("http://Müller.example/", Some("xn--mller-kva.example")),
            ("http://m%C3%BCller.example/", Some("xn--mller-kva.example")),
            ("http://XN--mller-KVA.example/", Some("xn--mller-kva.example")),
            ("http://straße.example/", Some("xn--strae-oqa.example")),
            ("http://e\u{3002}com/", Some("e.com")),
            ("http://%65.com/", Some("e.com")),
            ("http://e.com:80/", Some("e.com")),
            ("http://e.com:/", Some("e.com")),
            ("http://e.com:0080/", Some("e.com")),
            ("http://e.com:443/", Some("e.com:443")),
            ("https://e.com:443/", Some("e.com")),
            ("https://e.com:80/", Some("e.com:80")),
            ("ftp://e.com:21/", Some("e.com")),
            ("ftp://e.com:80/", Some("e.com:80")),
            ("svn+ssh://e.com/", Some("e.com")),
            ("svn+ssh://e.com:80/", Some("e.com:80")),
            ("http://e.com:08080/", Some("e.com:8080")),
            ("http://E.com:8080/", Some("e.com:8080")),
            ("http://e.com:0/", Some("e.com:0")),
            ("http://e.com:00/", Some("e.com:0")),
            ("http://e.com:65535/", Some("e.com:65535")),
            ("http://e.com:65536/", None),
            ("http://e.com:99999999999999999999/", None),
            ("http://e.com:8o/", None),
            ("http://e.com:+80/", None),
            ("http://u:p@e.com:8080/", Some("e.com:8080")),
            ("http://u@v@e.com/", Some("e.com")),
            ("http://u@/", None),
            ("http://:80/", None),
            ("http:///x", None),
            ("http:/e.com/x", None),
            ("/x", None),
            ("e.com/x", None),
            ("1http://e.com/", None),
            ("://e.com/", None),
            ("http://[::1]/", Some("[::1]")),
            ("http://[2001:DB8::1]:80/", Some("[2001:db8::1]")),
            ("http://[0:0:0:0:0:0:0:1]/", Some("[::1]")),
            ("http://[2001:0db8:0:0::0001]:81/", Some("[2001:db8::1]:81")),
            ("http://[::ffff:192.0.2.1]/", Some("[::ffff:c000:201]")),
            ("http://[::1%25eth0]/", None),
            ("http://[v1.x]/", None),
            ("http://a\\@b/", None),
            ("http://a:80\\@b/", None),
            ("http://u@a\\b/", None),
            ("http://u@v\\w@b/", None),
            ("http://[::1]:8080/", Some("[::1]:8080")),
            ("http://[::1/", None),
            ("http://[]/", None),
            ("http://[::1]x/", None),
            ("http://192.0.2.1/", Some("192.0.2.1")),
            ("http://../", Some("..")),
            ("http://a%2fb/", None),
            ("http://a%2Fb/", None),
            ("http://%2e%2e/", Some("..")),
            ("http://a%/", None),
            ("http://a b/", None),
            ("http://a\\b/", None),
            ("http://xn--a/", None),
            ("http://\u{ad}/", None),
        ];
        for (url, wanted) in cases {
            assert_eq!(host(url).as_deref(), wanted, "{url}");
        }
        assert!(Authority::of(b"http://\xff/", false).unwrap().host().is_none());
    }

    #[test]
    fn a_semicolon_ends_the_authority_for_google() {
        let host = |google| Authority::of(b"http://e.com;x/", google).unwrap().host().unwrap();
        assert_eq!(*host(true), *b"e.com");
        assert_eq!(*host(false), *b"e.com;x");
    }

    /// Every byte matters, wherever it is, and so does the length.
    #[test]
    fn hashes_differ() {
        let hasher = HostHasher::default();
        let mut hashes = std::collections::HashSet::new();
        let mut texts = 0;
        for len in 0..=70 {
            let text = vec![b'a'; len];
            texts += 1;
            hashes.insert(hasher.hash(&text));
            for at in 0..len {
                for byte in b'b'..=b'z' {
                    let mut other = text.clone();
                    other[at] = byte;
                    texts += 1;
                    hashes.insert(hasher.hash(&other));
                }
            }
        }
        assert_eq!(hashes.len(), texts);
    }

    /// The slow path does not change any name that the fast path calls plain.
    #[test]
    fn plain_names_are_canonical() {
        let bytes = b"ax019._-n";
        for number in 0..bytes.len().pow(6) {
            let digits = (0..6).scan(number, |rest, _| {
                let digit = bytes[*rest % bytes.len()];
                *rest /= bytes.len();
                Some(digit)
            });
            let name: Vec<u8> = digits.collect();
            if is_plain(&name) {
                let slow = idna::domain_to_ascii_cow(&name, AsciiDenyList::URL);
                let slow = slow.unwrap_or_else(|_| panic!("{}", name.escape_ascii()));
                assert_eq!(slow.as_bytes(), name);
            }
        }
    }
}
