//! Whether an answer can be that of a network that wants a login.

use std::hash::{DefaultHasher, Hash, Hasher};

use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use memchr::memmem;
use url::Url;

use super::canary;

/// True if what asks for a login in the place of http sites would redirect so: to a host that has
/// nothing to do with the one that was asked.
pub(super) fn leads_away(from: &Url, to: &Url) -> bool {
    let (Some(from_host), Some(to_host)) = (from.host_str(), to.host_str()) else { return false };
    let is_same = match (from.domain(), to.domain()) {
        (Some(from), Some(to)) => {
            canary::site(from) == canary::site(to) || owner(from) == owner(to)
        }
        _ => from_host == to_host,
    };
    from.scheme() == "http" && !is_same
}

/// True if an answer is a robots.txt, which no page for a login is.
pub(super) fn is_robots_txt(url: &Url, status: u16, headers: &HeaderMap) -> bool {
    status == 200 && url.path() == "/robots.txt" && !is_html(headers)
}

/// `example` of `www.example.com` and of `example.org`.
pub(super) fn owner(host: &str) -> String {
    canary::site(host).split('.').next().unwrap_or_default().to_owned()
}

/// True if an answer to a request for a robots.txt over http may be a page, by its head: a network
/// that wants a login can put one in the place of every site's.
pub(super) fn may_be_page(url: &Url, status: u16, headers: &HeaderMap) -> bool {
    let is_asked = url.scheme() == "http" && url.path() == "/robots.txt" && status == 200;
    is_asked && (is_html(headers) || !headers.contains_key(CONTENT_TYPE))
}

/// The page that came in the place of a robots.txt: a number that is the same for every host if nothing
/// but words with its name differ. None if it is no page.
pub(super) fn page(url: &Url, headers: &HeaderMap, body: &[u8]) -> Option<u64> {
    if !is_html(headers) && !body.trim_ascii_start().starts_with(b"<") {
        return None;
    }
    let host = memmem::Finder::new(url.host_str()?);
    let mut hasher = DefaultHasher::new();
    body.split(|byte| byte.is_ascii_whitespace() || b"\"'<>".contains(byte))
        .filter(|word| !word.is_empty() && host.find(word).is_none())
        .for_each(|word| word.hash(&mut hasher));
    Some(hasher.finish())
}

fn is_html(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    kind.to_ascii_lowercase().starts_with(b"text/html")
}
