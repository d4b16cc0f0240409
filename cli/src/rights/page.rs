//! What a response in an archive says of itself: by its header, and by its page.

use robotsieve::internals::says_part;
use robotsieve_captures::warc::Body;
use robotsieve_rights::internals::{self, begins_as_media};
use robotsieve_rights::{LicenceKind, Response, TdmRep};

use super::row::Page;

/// Reads a page, if the header says that it is one, or does not say what it is and it begins like one; of an image,
/// a video or a PDF its XMP. `headers` are those that count for it, which `response` already has; what the body says
/// is added.
pub fn page_of<'h>(
    headers: impl Iterator<Item = (&'h str, &'h [u8])> + Clone,
    status: u16,
    response: Response,
    body: impl FnOnce() -> Result<Body, String>,
) -> (Page, Response) {
    let is_part = is_part(headers.clone(), status);
    let media_type = media_type(headers.clone());
    let is = |wanted: &str| media_type.eq_ignore_ascii_case(wanted.as_bytes());
    let says_html = is("text/html") || is("application/xhtml+xml");
    // What these have in the namespace of XHTML is a page; what other types of XML have is none.
    let may_be_xhtml = is("application/xml") || is("text/xml");
    let is_xml = !says_html && internals::is_xml(media_type);
    let is_media = has_xmp(media_type);
    if !may_be_page(media_type) && !is_media {
        return (if is_part { Page::Cut } else { Page::NotHtml }, response);
    }
    let page = |body: &Body, whole| if body.is_cut || is_part { Page::Cut } else { whole };
    // What refuses in a file that its type says is no page is obeyed by some, and permits nothing.
    let speaks = |body: &Body| speaks_as_html(headers.clone(), &body.bytes, is_xml);
    let no_page = |body: &Body, response| match speaks(body) {
        true => (Page::Unreadable, response),
        // Only of what may be a page a part is missing.
        false if is_part || is_xml || begins_as_html(&body.bytes) => {
            (page(body, Page::NotHtml), response)
        }
        false => (Page::NotHtml, response),
    };
    match body() {
        Ok(body) if is_media || !says_html && begins_as_media(&body.bytes) => {
            let is_unread = begins_as_html(&body.bytes) && speaks(&body);
            let whole = if is_unread { Page::Unreadable } else { Page::Metadata };
            (page(&body, whole), response.with_xmp(&body.bytes))
        }
        Ok(body) if is_download(media_type) || is("text/plain") => no_page(&body, response),
        Ok(body) if is_xml && !(may_be_xhtml && names_xhtml(&body.bytes)) => {
            no_page(&body, response)
        }
        Ok(body) if !says_html && !begins_as_html(&body.bytes) => no_page(&body, response),
        Ok(body) => {
            let response = response.with_html(&body.bytes);
            let whole = if response.has_unread_page() { Page::Unreadable } else { Page::Read };
            (page(&body, whole), response)
        }
        Err(_) => (Page::Unreadable, response),
    }
}

/// The media type of a response without its parameters; empty if it has none. Whoever joins lines of a header
/// puts a comma between them. Of several the one of a page counts, for which some clients take it, else the first.
pub fn media_type<'h>(headers: impl Iterator<Item = (&'h str, &'h [u8])>) -> &'h [u8] {
    let values = headers.filter(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let pieces = values.flat_map(|(_, value)| value.split(|byte| *byte == b','));
    let mut types = pieces
        .map(|piece| piece.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii());
    let first = types.next().unwrap_or_default();
    let is_page = |of: &&[u8]| {
        [&b"text/html"[..], b"application/xhtml+xml"]
            .iter()
            .any(|page| of.eq_ignore_ascii_case(page))
    };
    if is_page(&first) { first } else { types.find(is_page).unwrap_or(first) }
}

/// Returns true if a document of XML is a page, by the namespace in its beginning.
fn names_xhtml(body: &[u8]) -> bool {
    memchr::memmem::find(&body[..body.len().min(1024)], b"http://www.w3.org/1999/xhtml").is_some()
}

/// Returns true if a body has the namespace of RSL.
pub(super) fn names_rsl(body: &[u8]) -> bool {
    memchr::memmem::find(body, b"rslstandard.org/rsl").is_some()
}

/// Returns true if an answer has a part of a document: a 206, or what says so in its header.
pub(super) fn is_part<'h>(
    mut headers: impl Iterator<Item = (&'h str, &'h [u8])>,
    status: u16,
) -> bool {
    status == 206 || headers.any(|(name, value)| says_part(name.as_bytes(), value))
}

/// Returns true if a type says nothing, so that the first bytes of the body count. Browsers look at them, too, where
/// it is missing, no type at all, such as `text/html charset=utf-8`, or one of these (WHATWG, MIME Sniffing, sections
/// 4.4 and 7).
fn is_untyped(media_type: &[u8]) -> bool {
    const NONE: [&[u8]; 3] = [b"application/unknown", b"unknown/unknown", b"*/*"];
    let is_of_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    let is_token = |text: &[u8]| !text.is_empty() && text.iter().all(is_of_token);
    let slash = memchr::memchr(b'/', media_type);
    let is_type = |at: usize| is_token(&media_type[..at]) && is_token(&media_type[at + 1..]);
    !slash.is_some_and(is_type) || NONE.iter().any(|none| media_type.eq_ignore_ascii_case(none))
}

/// Returns true if files of all kinds are sent with this type: by stores of files, and to make browsers save them.
fn is_download(media_type: &[u8]) -> bool {
    const KINDS: [&[u8]; 6] = [
        b"application/octet-stream",
        b"binary/octet-stream",
        b"application/x-octet-stream",
        b"application/force-download",
        b"application/x-download",
        b"application/download",
    ];
    KINDS.iter().any(|kind| media_type.eq_ignore_ascii_case(kind))
}

/// Returns true if the body of this type is looked at for what a page says.
fn may_be_page(media_type: &[u8]) -> bool {
    const KINDS: [&[u8]; 2] = [b"text/html", b"text/plain"];
    is_untyped(media_type)
        || is_download(media_type)
        || internals::is_xml(media_type)
        || KINDS.iter().any(|kind| media_type.eq_ignore_ascii_case(kind))
}

/// Returns true if a type says that something is a page, or a file with metadata.
pub(super) fn is_of_page(media_type: &[u8]) -> bool {
    let is = |page: &[u8]| media_type.eq_ignore_ascii_case(page);
    is(b"text/html") || is(b"application/xhtml+xml") || has_xmp(media_type)
}

/// Returns true if a body states anything to those who take it for a page, or may, if it may be one (`is_xml`) in an
/// encoding that is not read.
fn speaks_as_html<'h>(
    headers: impl Iterator<Item = (&'h str, &'h [u8])> + Clone,
    body: &[u8],
    is_xml: bool,
) -> bool {
    let speaks = |says: &Response| {
        !says.tags.is_empty()
            || says.page_tdm != TdmRep::default()
            || !says.page_licences.is_empty()
            || says.links.iter().any(|link| link.kind == LicenceKind::Rsl)
    };
    let says = Response::new().with_html(body);
    let fields = || headers.clone().filter(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    // Without the type, which says of this page only that it is XML.
    let labels = fields().map(|(name, value)| (name, &value[after_type(value)..]));
    speaks(&says)
        || is_xml && speaks(&Response::new().with_headers(fields()).with_html(body))
        || is_xml && says.with_headers(labels).has_unread_page()
}

/// Where the parameters of a `Content-Type` begin.
fn after_type(value: &[u8]) -> usize {
    memchr::memchr(b';', value).unwrap_or(value.len())
}

/// Returns true if files of a type have XMP.
fn has_xmp(media_type: &[u8]) -> bool {
    const KINDS: [&[u8]; 3] = [b"image/", b"video/", b"audio/"];
    let is_kind = |kind: &&[u8]| {
        media_type.get(..kind.len()).is_some_and(|own| own.eq_ignore_ascii_case(kind))
    };
    let is = |pdf: &[u8]| media_type.eq_ignore_ascii_case(pdf);
    KINDS.iter().any(is_kind) || is(b"application/pdf") || is(b"application/x-pdf")
}

/// Returns true if a body of no type may be HTML.
fn begins_as_html(body: &[u8]) -> bool {
    // Byte order marks, and the halves of UTF-16.
    let is_before = |byte: &u8| matches!(byte, 0 | 0xEF | 0xBB | 0xBF | 0xFE | 0xFF);
    body.iter().find(|byte| !byte.is_ascii_whitespace() && !is_before(byte)) == Some(&b'<')
}
