//! A page in either markup: the encoding that is known by its bytes, and the last element that can matter.

use std::borrow::Cow;

use crate::html::{PageElement, read_up_to, utf8_of_utf16};
use crate::labels::Label;
use crate::xhtml::XmlPage;

/// How a page is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Markup {
    #[default]
    Html,
    /// XHTML: an empty element ends at once, titles and scripts are markup like the rest, and names have namespaces.
    Xml,
}

/// How a page was read.
pub struct ReadPage {
    pub is_utf16: bool,
    /// True if there may be elements that were not found.
    pub is_doubtful: bool,
    /// Of XML that is not UTF-8: what it declares to be.
    pub(crate) not_utf8: Option<Label>,
}

/// Calls `found` for the elements of a page, in its order. `O(n)` for any bytes. A page in UTF-16 is known
/// by its byte order mark, as browsers do it, or its first characters; any other is taken for ASCII and something.
pub fn read_page(markup: Markup, page: &[u8], found: &mut dyn FnMut(PageElement<'_>)) -> ReadPage {
    let utf8 = utf8_of_utf16(page);
    let page = utf8.as_deref().unwrap_or(page);
    let (mut is_doubtful, mut not_utf8) = (false, None);
    match markup {
        Markup::Html => read_up_to(last_candidate(page), [0; 3], page, found),
        Markup::Xml => {
            let text = String::from_utf8_lossy(page);
            let page = text.strip_prefix('\u{feff}').unwrap_or(&text);
            let read = XmlPage::read(page, found);
            not_utf8 = matches!(text, Cow::Owned(_)).then_some(read.declared);
            is_doubtful = read.is_doubtful || read.broken_at.is_some();
            if let Some(rest) = read.broken_at.and_then(|at| page.as_bytes().get(at..)) {
                read_up_to(last_candidate(rest), read.numbers, rest, found);
            }
        }
    }
    ReadPage { is_utf16: utf8.is_some(), is_doubtful, not_utf8 }
}

/// Where the last tag begins that can be one of the elements.
pub(crate) fn last_candidate(html: &[u8]) -> Option<usize> {
    /// The tag of a script that matters is no longer.
    const SCRIPT_TAG_BYTES: usize = 4 << 10;
    // No later script has anything of its type behind this place.
    let mut looked_at_from = html.len();
    memchr::memrchr_iter(b'<', html).find(|at| {
        let tag = &html[at + 1..];
        let begins =
            |name: &[u8]| tag.get(..name.len()).is_some_and(|text| text.eq_ignore_ascii_case(name));
        if begins(b"meta") || begins(b"link") {
            return true;
        }
        begins(b"script") && {
            let end = html.len().min(at + SCRIPT_TAG_BYTES).min(looked_at_from.saturating_add(2));
            looked_at_from = *at;
            may_be_rsl(&html[*at..end])
        }
    })
}

/// Returns true if the type of RSL may be in a text. Its plus may be a character reference; these
/// letters are not.
fn may_be_rsl(text: &[u8]) -> bool {
    memchr::memchr2_iter(b's', b'S', text)
        .any(|at| at > 0 && text[at - 1..].get(..3).is_some_and(|t| t.eq_ignore_ascii_case(b"rsl")))
}
