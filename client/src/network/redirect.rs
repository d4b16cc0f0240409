//! Redirects: how many are followed, where to, and never twice to the same URL.

use std::collections::BTreeSet;
use std::sync::Arc;

use http::header::LOCATION;
use http::{HeaderMap, HeaderValue};
use url::Url;

use super::cookies::Cookies;
use crate::cause::line;
use crate::outcome::{Failure, Redirect};

/// The longest URL that is followed. RFC 9110, section 4.1, asks everyone to support 8000 bytes.
pub const MAX_URL_BYTES: usize = 8 << 10;

/// The URLs of an attempt, and the redirects between them.
///
/// An HTTP stack of your own follows redirects with it as the fetcher does.
///
/// ```
/// use http::HeaderMap;
/// use http::header::LOCATION;
/// use robotsieve_client::network::Chain;
///
/// let mut chain = Chain::of("https://a.example/robots.txt", 5, [80, 443])?;
/// let headers = HeaderMap::from_iter([(LOCATION, "//b.example/robots.txt#x".parse()?)]);
/// chain.follow(301, &headers)?;
/// assert_eq!(chain.url(), "https://b.example/robots.txt");
/// assert_eq!(chain.into_redirects().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Chain {
    /// The URL to request now.
    url: Url,
    /// The URLs that were requested before.
    requested: Vec<Url>,
    followed: Vec<Redirect>,
    own_port: Option<u16>,
    rules: Arc<RedirectRules>,
    cookies: Cookies,
}

/// The redirects that are followed.
#[derive(Clone, Debug)]
pub(crate) struct RedirectRules {
    pub(crate) max_redirects: usize,
    /// The ports that they may lead to, beside the origin's own.
    pub(crate) ports: BTreeSet<u16>,
}

/// True for the statuses of a redirect with a target.
#[must_use]
pub fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

impl Chain {
    pub(crate) fn new(url: Url, rules: Arc<RedirectRules>) -> Chain {
        let own_port = url.port_or_known_default();
        Chain {
            url,
            requested: Vec::new(),
            followed: Vec::new(),
            own_port,
            rules,
            cookies: Cookies::default(),
        }
    }

    /// A chain that begins with this URL, of at most `max_redirects` redirects. They may lead to
    /// these ports and to the URL's own.
    ///
    /// # Errors
    /// Returns [`Failure::BadRedirect`] if `url` is not an absolute URL.
    pub fn of(
        url: &str,
        max_redirects: usize,
        ports: impl IntoIterator<Item = u16>,
    ) -> Result<Chain, Failure> {
        let rules = RedirectRules { max_redirects, ports: ports.into_iter().collect() };
        match Url::parse(url) {
            Ok(url) => Ok(Chain::new(url, Arc::new(rules))),
            Err(cause) => Err(Failure::BadRedirect(line(&format!("{cause}: {url}")))),
        }
    }

    /// The URL to request now.
    #[must_use]
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// The URL to request now.
    #[cfg(feature = "fetch")]
    pub(crate) fn as_url(&self) -> &Url {
        &self.url
    }

    /// The URL that was requested first.
    #[cfg(feature = "fetch")]
    pub(crate) fn first(&self) -> &Url {
        self.requested.first().unwrap_or(&self.url)
    }

    /// True if redirects have left the host and port of the first URL, or https for http: credentials
    /// for the site must not be sent there.
    #[must_use]
    pub fn is_elsewhere(&self) -> bool {
        self.requested.first().is_some_and(|first| !is_same_place(first, &self.url))
    }

    /// The `Cookie` to send with the request of [`Chain::url`], if answers on the way set any for it.
    #[must_use]
    pub fn cookie(&self) -> Option<HeaderValue> {
        self.cookies.header(&self.url)
    }

    /// The redirects that were followed.
    #[must_use]
    pub fn into_redirects(self) -> Vec<Redirect> {
        self.followed
    }

    /// Follows an answer with the status 301, 302, 303, 307 or 308. An answer that sets a cookie may
    /// lead to a URL that was requested without it.
    ///
    /// # Errors
    /// Returns why it is not followed: there are too many, they form a loop, or the `Location` is
    /// missing, invalid, or leads to a scheme or port that is not allowed.
    pub fn follow(&mut self, status: u16, headers: &HeaderMap) -> Result<(), Failure> {
        let to = target(&self.url, headers.get(LOCATION).map(HeaderValue::as_bytes))?;
        let port = to.port_or_known_default();
        if port != self.own_port && !port.is_some_and(|port| self.rules.ports.contains(&port)) {
            return Err(Failure::RefusedRedirect(line(to.as_str())));
        }
        let has_new_cookies = self.cookies.take(&self.url, headers);
        if !has_new_cookies && (to == self.url || self.requested.contains(&to)) {
            return Err(Failure::RedirectLoop);
        }
        if self.followed.len() >= self.rules.max_redirects {
            return Err(Failure::TooManyRedirects);
        }
        self.followed.push(Redirect::new(status, to.as_str()));
        self.requested.push(std::mem::replace(&mut self.url, to));
        Ok(())
    }
}

/// The target of a redirect from a URL: an absolute URL without fragment and user info.
///
/// # Errors
/// Returns [`Failure::BadRedirect`] if the `Location` is missing, invalid or too long, or has a scheme that
/// is not followed.
pub fn target(from: &Url, location: Option<&[u8]>) -> Result<Url, Failure> {
    let bad = |cause: String| Failure::BadRedirect(line(&cause));
    let Some(location) = location else { return Err(bad("no Location".into())) };
    let location = location.trim_ascii();
    if location.is_empty() {
        return Err(bad("the Location is empty".into()));
    }
    if location.len() > MAX_URL_BYTES {
        return Err(bad(format!("the Location has {} bytes", location.len())));
    }
    let location = to_text(location);
    let mut to = from.join(&location).map_err(|cause| bad(format!("{cause}: {location}")))?;
    if !matches!(to.scheme(), "http" | "https") {
        return Err(bad(format!("the scheme {} is not followed", to.scheme())));
    }
    to.set_fragment(None);
    // These fail only for URLs without a host, which http URLs always have.
    let _ = to.set_username("");
    let _ = to.set_password(None);
    if to.as_str().len() > MAX_URL_BYTES {
        return Err(bad(format!("the URL has {} bytes", to.as_str().len())));
    }
    // `Url` takes a few characters that cannot be sent.
    match http::Uri::try_from(to.as_str()) {
        Ok(_) => Ok(to),
        Err(cause) => Err(bad(format!("{cause}: {to}"))),
    }
}

/// True if what was meant for `first` may be sent to `url`: the same host and port, and not by http
/// what was meant for https.
pub(crate) fn is_same_place(first: &Url, url: &Url) -> bool {
    let is_upgrade = || {
        (first.scheme(), url.scheme()) == ("http", "https")
            && first.port().is_none()
            && url.port().is_none()
    };
    let is_same = || {
        first.scheme() == url.scheme()
            && first.port_or_known_default() == url.port_or_known_default()
    };
    first.host() == url.host() && (is_same() || is_upgrade())
}

/// A `Location` as text. If it is not UTF-8, bytes from 0x80 are percent-encoded, as browsers do.
fn to_text(location: &[u8]) -> String {
    match str::from_utf8(location) {
        Ok(text) => text.to_owned(),
        Err(_) => location
            .iter()
            .map(|byte| match byte {
                0..0x80 => char::from(*byte).to_string(),
                _ => format!("%{byte:02X}"),
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain() -> Chain {
        let rules = RedirectRules { max_redirects: 5, ports: BTreeSet::from([80, 443]) };
        Chain::new(Url::parse("https://a.example/robots.txt").unwrap(), Arc::new(rules))
    }

    fn to(location: &[u8]) -> HeaderMap {
        HeaderMap::from_iter([(LOCATION, HeaderValue::from_bytes(location).unwrap())])
    }

    #[test]
    fn locations_are_made_absolute() {
        for (location, url) in [
            (&b"/x"[..], "https://a.example/x"),
            (b"x?y", "https://a.example/x?y"),
            (b"//b.example", "https://b.example/"),
            (b"http://B.example:80/x#part", "http://b.example/x"),
            (b"https://user:secret@b.example/", "https://b.example/"),
            (b"http:/\\b.example", "http://b.example/"),
            (b"  /trimmed ", "https://a.example/trimmed"),
            ("/ü".as_bytes(), "https://a.example/%C3%BC"),
            (b"/\xfc", "https://a.example/%FC"),
            (b"http://0x7f.1/", "http://127.0.0.1/"),
            (b"http://2130706433/", "http://127.0.0.1/"),
            (b"http://0177.0.0.1/", "http://127.0.0.1/"),
            (b"http://[::ffff:10.0.0.1]/", "http://[::ffff:a00:1]/"),
        ] {
            let mut chain = chain();
            chain.follow(301, &to(location)).unwrap();
            assert_eq!(chain.url.as_str(), url);
            assert_eq!(chain.followed, [Redirect { status: 301, to: url.to_owned() }]);
        }
    }

    #[test]
    fn invalid_locations() {
        let long = [b"/", &[b'a'; MAX_URL_BYTES][..]].concat();
        let long_once_encoded = "/ü".repeat(2000);
        for location in [
            &b""[..],
            b"ftp://a.example/robots.txt",
            b"file:///etc/passwd",
            b"javascript:alert(1)",
            b"http://",
            b"http://a b/",
            b"http://1.2.3.4.5/",
            &long,
            long_once_encoded.as_bytes(),
        ] {
            let text = String::from_utf8_lossy(location);
            let failure = chain().follow(302, &to(location));
            assert!(matches!(failure, Err(Failure::BadRedirect(_))), "{text:.40}: {failure:?}");
        }
        let without = chain().follow(302, &HeaderMap::new());
        assert_eq!(without, Err(Failure::BadRedirect("no Location".to_owned())));
    }

    /// As sites that first want to see whether cookies come back do.
    #[test]
    fn a_cookie_makes_another_request_of_the_same_url() {
        let mut chain = chain();
        let mut wall = to(b"/robots.txt");
        wall.insert("set-cookie", HeaderValue::from_static("seen=1; Path=/"));
        assert_eq!(
            (chain.follow(302, &wall), chain.cookie()),
            (Ok(()), Some("seen=1".parse().unwrap()))
        );
        assert_eq!(chain.follow(302, &wall), Err(Failure::RedirectLoop));
        for count in 0..4 {
            wall.insert("set-cookie", format!("seen={count}x").parse().unwrap());
            chain.follow(302, &wall).unwrap();
        }
        wall.insert("set-cookie", HeaderValue::from_static("seen=y"));
        assert_eq!(chain.follow(302, &wall), Err(Failure::TooManyRedirects));
    }

    #[test]
    fn only_some_ports_are_followed() {
        let rules = RedirectRules { max_redirects: 5, ports: BTreeSet::from([80, 8443]) };
        let url = Url::parse("http://a.example:8080/robots.txt").unwrap();
        let chain = || Chain::new(url.clone(), Arc::new(rules.clone()));
        for location in ["/x", "http://b.example", "https://b.example:8443/", "http://b:8080/"] {
            chain().follow(301, &to(location.as_bytes())).unwrap();
        }
        for location in ["http://b.example:22/", "https://b.example/", "http://a.example:8081/"] {
            let refused = chain().follow(301, &to(location.as_bytes()));
            assert_eq!(refused, Err(Failure::RefusedRedirect(location.to_owned())));
        }
    }

    #[test]
    fn five_are_followed_and_a_loop_is_detected_at_once() {
        let mut many = chain();
        for n in 0..5 {
            many.follow(307, &to(format!("/{n}").as_bytes())).unwrap();
        }
        assert_eq!(many.follow(307, &to(b"/5")), Err(Failure::TooManyRedirects));
        assert_eq!(many.follow(307, &to(b"/robots.txt#x")), Err(Failure::RedirectLoop));
        assert_eq!(many.followed.len(), 5);
        assert_eq!(chain().follow(308, &to(b"/robots.txt")), Err(Failure::RedirectLoop));
    }
}
