//! Cookies that sites set on the way from one redirect to the next: RFC 6265. They live as long as the
//! attempt.

use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderValue};
use url::{Host, Url};

/// The most cookies of an attempt, and the most bytes of one: as much as browsers keep at least.
const MAX_COOKIES: usize = 50;
const MAX_COOKIE_BYTES: usize = 4096;

/// The cookies of one attempt.
#[derive(Clone, Debug, Default)]
pub(super) struct Cookies(Vec<Cookie>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Cookie {
    name: Vec<u8>,
    value: Vec<u8>,
    host: String,
    /// True if hosts below `host` get it too.
    has_subdomains: bool,
    path: String,
    is_secure: bool,
}

impl Cookies {
    /// Takes what an answer from `url` sets. Returns whether anything changed.
    pub(super) fn take(&mut self, url: &Url, headers: &HeaderMap) -> bool {
        let mut is_changed = false;
        for value in headers.get_all(SET_COOKIE) {
            let Some((cookie, is_over)) = parsed(url, value.as_bytes()) else { continue };
            let is_same = |known: &Cookie| {
                (&known.name, &known.host, &known.path)
                    == (&cookie.name, &cookie.host, &cookie.path)
            };
            let at = self.0.iter().position(is_same);
            match at {
                Some(at) if is_over => {
                    self.0.remove(at);
                }
                Some(at) if self.0[at] == cookie => continue,
                Some(at) => self.0[at] = cookie,
                None if is_over || self.0.len() >= MAX_COOKIES => continue,
                None => self.0.push(cookie),
            }
            is_changed = true;
        }
        is_changed
    }

    /// The header for a request of `url`, if there are cookies for it.
    pub(super) fn header(&self, url: &Url) -> Option<HeaderValue> {
        let mut own: Vec<_> = self.0.iter().filter(|cookie| cookie.is_for(url)).collect();
        // Longer paths come first: section 5.4.
        own.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        let pairs: Vec<_> =
            own.iter().map(|cookie| [&cookie.name[..], &cookie.value].join(&b'=')).collect();
        let header = HeaderValue::from_bytes(&pairs.join(&b"; "[..])).ok()?;
        (!own.is_empty()).then_some(header)
    }
}

impl Cookie {
    fn is_for(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let is_host = host == self.host || (self.has_subdomains && is_below(host, &self.host));
        let rest = url.path().strip_prefix(&self.path[..]);
        let is_path = rest.is_some_and(|rest| {
            rest.is_empty() || self.path.ends_with('/') || rest.starts_with('/')
        });
        is_host && is_path && (!self.is_secure || url.scheme() == "https")
    }
}

fn is_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
}

/// A cookie, and whether it is over at once, by `Max-Age` or `Expires`.
fn parsed(url: &Url, text: &[u8]) -> Option<(Cookie, bool)> {
    if text.len() > MAX_COOKIE_BYTES {
        return None;
    }
    let mut parts = text.split(|byte| *byte == b';');
    let (name, value) = pair(parts.next()?)?;
    let host = url.host_str()?;
    let mut cookie = Cookie {
        name: name.to_vec(),
        value: value.to_vec(),
        host: host.to_owned(),
        has_subdomains: false,
        path: directory(url.path()).to_owned(),
        is_secure: false,
    };
    let (mut by_age, mut by_date) = (None, None);
    for part in parts {
        let (name, value) = pair(part).unwrap_or((part.trim_ascii(), b""));
        let text = str::from_utf8(value).unwrap_or_default();
        match &*name.to_ascii_lowercase() {
            b"secure" => cookie.is_secure = true,
            b"path" if text.starts_with('/') => cookie.path = text.to_owned(),
            b"domain" if !text.is_empty() => {
                let domain = text.trim_start_matches('.').to_ascii_lowercase();
                let is_name = matches!(url.host(), Some(Host::Domain(_)));
                // No site sets cookies for a whole top-level domain, or for others.
                if domain != host && !(is_name && domain.contains('.') && is_below(host, &domain)) {
                    return None;
                }
                (cookie.has_subdomains, cookie.host) = (is_name, domain);
            }
            b"max-age" => by_age = Some(text.starts_with('-') || text.parse() == Ok(0u64)),
            b"expires" => {
                let date = httpdate::parse_http_date(&text.replace('-', " "));
                by_date = date.ok().map(|date| date <= std::time::SystemTime::now());
            }
            _ => {}
        }
    }
    Some((cookie, by_age.or(by_date).unwrap_or(false)))
}

fn pair(part: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = part.iter().position(|byte| *byte == b'=')?;
    let name = part[..at].trim_ascii();
    (!name.is_empty()).then(|| (name, part[at + 1..].trim_ascii()))
}

/// The folder of a path, without the slash at its end: section 5.1.4.
fn directory(path: &str) -> &str {
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(at) => &path[..at],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(from: &str, cookies: &[&str], to: &str) -> String {
        let headers = cookies.iter().map(|text| (SET_COOKIE, text.parse().unwrap())).collect();
        let url = |text| Url::parse(text).unwrap();
        let mut jar = Cookies::default();
        jar.take(&url(from), &headers);
        assert!(!jar.take(&url(from), &HeaderMap::new()));
        jar.header(&url(to)).map_or(String::new(), |value| value.to_str().unwrap().to_owned())
    }

    #[test]
    fn cookies_go_where_they_are_for() {
        let from = "https://www.a.example/x/robots.txt";
        for (cookie, to, wanted) in [
            ("a=1; Path=/", "https://www.a.example/y", "a=1"),
            ("a=1", "https://www.a.example/x/y", "a=1"),
            ("a=1", "https://www.a.example/xy", ""),
            ("a=1; path=/x", "http://www.a.example/x", "a=1"),
            ("a=1; path=/; secure", "http://www.a.example/x", ""),
            ("a=1; path=/", "https://a.example/", ""),
            ("a=1; path=/; domain=.A.example", "https://a.example/", "a=1"),
            ("a=1; path=/; domain=a.example", "https://c.a.example/", "a=1"),
            ("a=1; path=/; domain=example", "https://www.a.example/", ""),
            ("a=1; path=/; domain=b.example", "https://b.example/", ""),
            ("a=1; path=/; max-age=0", "https://www.a.example/", ""),
            ("a=1; path=/; max-age=9", "https://www.a.example/", "a=1"),
            ("a=1; path=/; expires=Thu, 01-Jan-1970 00:00:00 GMT", "https://www.a.example/", ""),
            ("a=1; path=/; expires=Thu, 01 Jan 1970 00:00:00 GMT", "https://www.a.example/", ""),
            ("=1; path=/", "https://www.a.example/", ""),
            ("a; path=/", "https://www.a.example/", ""),
        ] {
            assert_eq!(sent(from, &[cookie], to), wanted, "{cookie}");
        }
        let cookies = ["a=1; path=/", "b=2; path=/x", "a=3; path=/"];
        assert_eq!(sent(from, &cookies, "https://www.a.example/x"), "b=2; a=3");
    }
}
