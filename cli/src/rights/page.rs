//! What a response in an archive says of itself: by its header, and by its page.

use robotsieve_captures::warc::Body;
use robotsieve_rights::Response;
use url::Url;

use super::row::Page;

pub(super) const TDM_PATH: &str = "/.well-known/tdmrep.json";

/// Reads a page, if the header says that it is one, or does not say what it is and it begins like one.
/// `headers` are those that count for it, which `response` already has; what the page says is added.
pub fn page_of<'h>(
    headers: impl Iterator<Item = (&'h str, &'h [u8])>,
    status: u16,
    response: Response,
    body: impl FnOnce() -> Result<Body, String>,
) -> (Page, Response) {
    let media_type = media_type(headers);
    let is = |wanted: &str| media_type.eq_ignore_ascii_case(wanted.as_bytes());
    let is_xhtml = is("application/xhtml+xml");
    let says_html = is("text/html") || is_xhtml;
    if !says_html && !media_type.is_empty() {
        return (Page::NotHtml, response);
    }
    match body() {
        Ok(body) if !says_html && !begins_as_html(&body.bytes) => (Page::NotHtml, response),
        Ok(body) => {
            let response = match is_xhtml {
                true => response.with_xhtml(&body.bytes),
                false => response.with_html(&body.bytes),
            };
            // A 206 is a part of the page.
            (if body.is_cut || status == 206 { Page::Cut } else { Page::Read }, response)
        }
        Err(_) => (Page::Unreadable, response),
    }
}

/// The media type of a response without its parameters; empty if it has none. Whoever joins lines of a header
/// puts a comma between them.
pub fn media_type<'h>(mut headers: impl Iterator<Item = (&'h str, &'h [u8])>) -> &'h [u8] {
    let value = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let value = value.map(|(_, value)| value).unwrap_or_default();
    value.split(|byte| matches!(byte, b';' | b',')).next().unwrap_or_default().trim_ascii()
}

/// Returns true if a body of no type may be HTML.
fn begins_as_html(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    body.trim_ascii_start().first() == Some(&b'<')
}

/// True if this is the well-known address of tdmrep.json.
pub(super) fn is_tdm(url: &Url) -> bool {
    url.path() == TDM_PATH && url.query().is_none()
}
