//! Whether an answer can be that of a network that wants a login.

use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use url::Url;

use super::canary;

/// True if what asks for a login in the place of http sites would redirect so: to a host that has
/// nothing to do with the one that was asked.
pub(super) fn leads_away(from: &Url, to: &Url) -> bool {
    let (Some(from_host), Some(to_host)) = (from.host_str(), to.host_str()) else { return false };
    // `example` of `www.example.com` and of `example.org`.
    let name = |host: &str| canary::site(host).split('.').next().unwrap_or_default().to_owned();
    let is_same = match (from.domain(), to.domain()) {
        (Some(from), Some(to)) => canary::site(from) == canary::site(to) || name(from) == name(to),
        _ => from_host == to_host,
    };
    from.scheme() == "http" && !is_same
}

/// True if an answer is a robots.txt, which no page for a login is.
pub(super) fn is_robots_txt(url: &Url, status: u16, headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    let is_page = kind.to_ascii_lowercase().starts_with(b"text/html");
    status == 200 && url.path() == "/robots.txt" && !is_page
}
