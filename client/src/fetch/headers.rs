//! The headers of requests, and which hosts they are sent to.
//!
//! A header that was added may have a password in it, so a redirect must not carry it to another host
//! (curl's CVE-2018-1000007, CVE-2022-27774 and CVE-2022-27776).

use http::header::{ACCEPT, ACCEPT_ENCODING, HeaderName, USER_AGENT};
use http::{HeaderMap, HeaderValue};
use url::{Host, Url};

use super::error::InvalidFetcher;
use crate::network::is_same_place;

/// Headers that cannot be added: those that the fetcher or the protocol sets, and those that
/// concern one connection only.
const RESERVED: [&str; 17] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "range",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Headers that say who asks, and what for: they are sent to redirect targets, too.
pub const HARMLESS: [&str; 9] = [
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "cache-control",
    "dnt",
    "from",
    "pragma",
    "sec-gpc",
];

/// A header that was added: the host that it is for, if it is for one alone, its name and its value.
pub(super) type Added = (Option<String>, String, String);

/// The headers of a fetcher.
#[derive(Clone, Debug)]
pub(super) struct Headers {
    /// Those of each request.
    all: HeaderMap,
    /// Those that stay at the host that is asked first.
    first: HeaderMap,
    /// Those of one host.
    hosts: Vec<(HostPort, HeaderMap)>,
}

/// A host, and its port unless it may be that of http or of https.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HostPort(Host, Option<u16>);

impl HostPort {
    fn of(text: &str) -> Option<HostPort> {
        let url = Url::parse(&format!("ftp://{text}/")).ok()?;
        let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        let is_bare = is_bare && url.username().is_empty() && url.password().is_none();
        // The scheme's own port, which nobody means, is not told from none.
        let host = url.host().filter(|_| is_bare)?.to_owned();
        Some(HostPort(without_dot(host), url.port()))
    }

    fn has(&self, url: &Url) -> bool {
        let port = url.port_or_known_default();
        let is_port = match self.1 {
            Some(_) => port == self.1,
            None => url.port().is_none(),
        };
        is_port && url.host().is_some_and(|host| without_dot(host.to_owned()) == self.0)
    }
}

/// A host without the dot at its end.
fn without_dot(host: Host) -> Host {
    match host {
        Host::Domain(name) => Host::Domain(name.trim_end_matches('.').to_owned()),
        address => address,
    }
}

impl Headers {
    /// What says who asks.
    pub(super) fn user_agent(&self) -> Option<&HeaderValue> {
        self.all.get(USER_AGENT)
    }

    pub(super) fn new(user_agent: &str, added: &[Added]) -> Result<Headers, InvalidFetcher> {
        let user_agent = user_agent.trim();
        let is_text = user_agent.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        let user_agent = match HeaderValue::from_str(user_agent) {
            Ok(value) if is_text && !value.is_empty() => value,
            _ => return Err(InvalidFetcher::UserAgent(user_agent.to_owned())),
        };
        let mut headers = Headers {
            all: HeaderMap::from_iter([
                (USER_AGENT, user_agent),
                (ACCEPT, HeaderValue::from_static("text/plain, */*;q=0.5")),
                (ACCEPT_ENCODING, HeaderValue::from_static("gzip, br, zstd")),
            ]),
            first: HeaderMap::new(),
            hosts: Vec::new(),
        };
        let mut harmless = HeaderMap::new();
        for (host, name, value) in added {
            let setting = if host.is_some() { "header_for" } else { "header" };
            let invalid = |what: &str, cause: &str| InvalidFetcher::Setting {
                setting,
                cause: format!("{what:?} {cause}"),
            };
            let parsed = HeaderName::try_from(name)
                .map_err(|_| invalid(name, "is not the name of a header"))?;
            if parsed == USER_AGENT {
                return Err(invalid(name, "is given to Fetcher::builder"));
            }
            if RESERVED.contains(&parsed.as_str()) {
                return Err(invalid(name, "is set by the fetcher and cannot be added"));
            }
            let value = HeaderValue::try_from(value).map_err(|_| {
                invalid(name, "has a value with line breaks or other control characters")
            })?;
            let map = match host {
                Some(host) => {
                    let host = HostPort::of(host).ok_or_else(|| {
                        invalid(host, "is not a host, such as e.com or e.com:8080")
                    })?;
                    let at = headers.hosts.iter().position(|(known, _)| *known == host);
                    let at = at.unwrap_or_else(|| {
                        headers.hosts.push((host, HeaderMap::new()));
                        headers.hosts.len() - 1
                    });
                    &mut headers.hosts[at].1
                }
                None if HARMLESS.contains(&parsed.as_str()) => &mut harmless,
                None => &mut headers.first,
            };
            map.append(parsed, value);
        }
        headers.all.extend(harmless);
        Ok(headers)
    }

    /// The headers of a request to somebody who has not proved to be the site: none that may have a
    /// password in it.
    pub(super) fn of_stranger(&self) -> &HeaderMap {
        &self.all
    }

    /// The headers of a request for `url`, to which redirects have led from `first`.
    pub(super) fn of(&self, first: &Url, url: &Url) -> HeaderMap {
        let mut headers = self.all.clone();
        let is_first = is_same_place(first, url);
        if is_first {
            headers.extend(self.first.clone());
        }
        for (host, own) in &self.hosts {
            // Nobody but the caller may choose to send it unencrypted.
            if host.has(url) && (is_first || url.scheme() == "https") {
                headers.extend(own.clone());
            }
        }
        headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of `Authorization`, of a header of one's own and of `From` that a URL gets.
    fn sent(first: &str, to: &str) -> String {
        let added = |host: Option<&str>, name: &str, value: &str| {
            (host.map(str::to_owned), name.to_owned(), value.to_owned())
        };
        let headers = Headers::new(
            "Bot/1.0",
            &[
                added(None, "Authorization", "all"),
                added(None, "X-Api-Key", "key"),
                added(None, "From", "bot@e.com"),
                added(Some("B.example."), "authorization", "b"),
                added(Some("b.example:8443"), "Authorization", "b8443"),
                added(Some("[::1]"), "Authorization", "one"),
            ],
        );
        let url = |text| Url::parse(text).unwrap();
        let sent = headers.unwrap().of(&url(first), &url(to));
        let value = |name| sent.get(name).map_or("-", |value| value.to_str().unwrap());
        [value("authorization"), value("x-api-key"), value("from")].join(" ")
    }

    #[test]
    fn no_redirect_carries_a_header_to_another_place() {
        for (first, to, wanted) in [
            ("http://a.example/", "http://a.example/x", "all key bot@e.com"),
            ("http://a.example/", "https://a.example/x", "all key bot@e.com"),
            ("https://a.example/", "http://a.example/x", "- - bot@e.com"),
            ("http://a.example/", "http://a.example:8080/x", "- - bot@e.com"),
            ("http://a.example:8080/", "https://a.example:8443/x", "- - bot@e.com"),
            ("http://a.example/", "http://www.a.example/x", "- - bot@e.com"),
            ("http://a.example/", "http://a.example.evil.example/", "- - bot@e.com"),
            ("https://b.example/", "https://b.example/", "b key bot@e.com"),
            ("http://b.example/", "http://b.example/", "b key bot@e.com"),
            ("https://a.example/", "https://b.example./", "b - bot@e.com"),
            ("https://a.example/", "https://b.example:8443/", "b8443 - bot@e.com"),
            ("https://a.example/", "https://b.example:9/", "- - bot@e.com"),
            ("https://b.example/", "http://b.example/", "- - bot@e.com"),
            ("http://[::1]/", "http://[::1]/", "one key bot@e.com"),
        ] {
            assert_eq!(sent(first, to), wanted, "{first} {to}");
        }
    }

    #[test]
    fn hosts_that_are_none() {
        for host in ["", "https://e.com", "e.com/x", "user@e.com", "e.com?x", "a b", "e.com:x"] {
            let added = [(Some(host.to_owned()), "X-A".to_owned(), "1".to_owned())];
            let error = Headers::new("Bot/1.0", &added).unwrap_err().to_string();
            assert!(error.contains("is not a host"), "{host}: {error}");
        }
    }
}
