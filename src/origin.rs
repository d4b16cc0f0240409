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

use url::{Host, Url};

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

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Scheme, host and port: what one robots.txt counts for, in the form in which they are
/// compared.
///
/// Hosts are lower-case and in Punycode, IPv4 addresses four decimal numbers, IPv6 addresses
/// as RFC 5952 writes them, in brackets; a default port is not there, nor are user info and a
/// dot at the end of the name (*a reading*: in the DNS both spellings are one name). All else
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
    /// [`InvalidOrigin`] where the text is no absolute URL of http, https or ftp.
    #[inline]
    pub fn of<U: AsRef<[u8]> + ?Sized>(url: &'u U) -> Result<Origin<'u>, InvalidOrigin> {
        let url = url.as_ref();
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

    /// The same without a borrow.
    pub fn into_owned(self) -> Origin<'static> {
        Origin { key: Cow::Owned(self.key.into_owned()), scheme: self.scheme, port: self.port }
    }

    /// The origin of a URL that begins with one in the form in which they are compared, as
    /// most do.
    #[inline]
    fn of_usual(url: &'u [u8]) -> Option<Origin<'u>> {
        let (scheme, at) = match url {
            [b'h', b't', b't', b'p', b's', b':', b'/', b'/', ..] => (Scheme::Https, 8),
            [b'h', b't', b't', b'p', b':', b'/', b'/', ..] => (Scheme::Http, 7),
            [b'f', b't', b'p', b':', b'/', b'/', ..] => (Scheme::Ftp, 6),
            _ => return None,
        };
        let (host_len, end) = usual_host(&url[at..])?;
        let mut len = at + host_len;
        let mut port = scheme.default_port();
        if end == Some(b':') {
            (port, len) = usual_port(url, len + 1).filter(|(found, _)| *found != port)?;
        }
        let key = str::from_utf8(&url[..len]).ok()?;
        Some(Origin { key: Cow::Borrowed(key), scheme, port })
    }

    #[cold]
    #[inline(never)]
    fn of_any(url: &[u8]) -> Result<Origin<'static>, InvalidOrigin> {
        // What is not UTF-8 may stand behind the authority; within it, U+FFFD is no host.
        let url = String::from_utf8_lossy(url);
        let url = Url::parse(&url).map_err(InvalidOrigin::Url)?;
        let scheme = Scheme::of(url.scheme()).ok_or(InvalidOrigin::Scheme)?;
        let host = url.host().ok_or(InvalidOrigin::Url(url::ParseError::EmptyHost))?;
        let host = match host {
            Host::Domain(name) => {
                let name = name.strip_suffix('.').unwrap_or(name);
                if name.is_empty() {
                    return Err(InvalidOrigin::Url(url::ParseError::EmptyHost));
                }
                Host::Domain(name)
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

impl fmt::Display for Origin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.key)
    }
}

/// How many octets a host has that is for certain in the form in which hosts are compared,
/// and what ends it; `None` where that is not for certain.
///
/// Such a host is of lower-case letters, digits, `-`, `_` and dots; it has no `--`, which each
/// Punycode label has; its last label, which is not empty, begins with a letter, so it is no
/// IPv4 address in any spelling.
#[inline]
fn usual_host(text: &[u8]) -> Option<(usize, Option<u8>)> {
    let mut before = b'.';
    let mut label_first = 0;
    for (at, octet) in text.iter().copied().enumerate() {
        match CLASSES[usize::from(octet)] {
            PLAIN => {
                if before == b'.' {
                    label_first = octet;
                }
            }
            DASH if before != b'-' => {
                if before == b'.' {
                    label_first = octet;
                }
            }
            DOT => label_first = 0,
            END => {
                let is_name = label_first.is_ascii_lowercase();
                return is_name.then_some((at, Some(octet)));
            }
            _ => return None,
        }
        before = octet;
    }
    label_first.is_ascii_lowercase().then_some((text.len(), None))
}

const OTHER: u8 = 0;
const PLAIN: u8 = 1;
const DASH: u8 = 2;
const DOT: u8 = 3;
const END: u8 = 4;

/// What an octet is in a host.
static CLASSES: [u8; 256] = {
    let mut classes = [OTHER; 256];
    let mut octet = 0;
    while octet < 256 {
        classes[octet] = match octet as u8 {
            b'a'..=b'z' | b'0'..=b'9' | b'_' => PLAIN,
            b'-' => DASH,
            b'.' => DOT,
            b'/' | b'?' | b'#' | b':' => END,
            _ => OTHER,
        };
        octet += 1;
    }
    classes
};

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
