//! The elements of a page that is XML, with namespaces: XHTML.
//!
//! What browsers do not read, because it is not well formed, is not judged here: the rest is read as HTML, and the
//! page counts as not read. So does one whose document type declares anything, which may be any element.

use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{Namespace, ResolveResult};
use quick_xml::{NsReader, XmlVersion};

use crate::html::{KEPT, PageElement, TYPE, Tag};
use crate::link;

const NAMESPACE: Namespace<'static> = Namespace("http://www.w3.org/1999/xhtml");

/// The most namespaces that are declared at a place. Each element is compared with them.
const MOST_NAMESPACES: usize = 64;

/// How far a page was read.
#[derive(Debug, Default)]
pub(crate) struct XmlPage {
    /// Where it is not well formed.
    pub(crate) broken_at: Option<usize>,
    /// True if its document type declares something.
    pub(crate) has_declarations: bool,
    /// How many elements of each kind were read.
    pub(crate) numbers: [u32; 3],
    /// True if its root is of another namespace, so that no element of its own is of XHTML.
    is_of_other: Option<bool>,
    /// How deep it is in elements that are neither `html`, `head` nor `body`, and in templates.
    depth: u32,
    templates: u32,
}

impl XmlPage {
    /// Reads a page up to the element that begins at `last`. `O(n)`.
    pub(crate) fn read(page: &str, last: usize, found: &mut dyn FnMut(PageElement<'_>)) -> XmlPage {
        let mut xml = NsReader::from_str(page);
        xml.config_mut().check_comments = true;
        xml.resolver_mut().set_max_namespace_bindings(MOST_NAMESPACES);
        let mut read = XmlPage::default();
        loop {
            let at = usize::try_from(xml.buffer_position()).unwrap_or(usize::MAX);
            // The document type stands before the root.
            if at > last && read.is_of_other.is_some() {
                return read;
            }
            match read.event(&mut xml, page, found) {
                Some(true) => {}
                Some(false) => return read,
                None => {
                    read.broken_at = Some(at.min(page.len()));
                    return read;
                }
            }
        }
    }

    /// Reads what comes next. `Some(false)` at the end, `None` if it is not well formed.
    fn event(
        &mut self,
        xml: &mut NsReader<&[u8]>,
        page: &str,
        found: &mut dyn FnMut(PageElement<'_>),
    ) -> Option<bool> {
        let (namespace, event) = xml.read_resolved_event().ok()?;
        let is_other = matches!(namespace, ResolveResult::Bound(other) if other != NAMESPACE);
        match event {
            Event::Start(start) => {
                if self.element(&start, is_other, false, found)? {
                    let text = xml.read_to_end(start.name()).ok()?;
                    let text = usize::try_from(text.start).ok()?..usize::try_from(text.end).ok()?;
                    let text = page.get(text)?.trim();
                    let data = text.strip_prefix("<![CDATA[").and_then(|t| t.strip_suffix("]]>"));
                    found(PageElement::RslScript {
                        number: self.numbers[2],
                        text: data.unwrap_or(text).as_bytes(),
                        in_element: self.depth > 0,
                    });
                } else {
                    self.nest(start.local_name().as_ref(), is_other, 1);
                }
            }
            Event::Empty(start) => {
                self.element(&start, is_other, true, found)?;
            }
            Event::End(end) => self.nest(end.local_name().as_ref(), is_other, -1),
            Event::DocType(text) => self.has_declarations |= text.contains('['),
            Event::Eof => return Some(false),
            _ => {}
        }
        Some(true)
    }

    /// Notes that an element begins (1) or ends (-1).
    fn nest(&mut self, name: &str, is_other: bool, by: i32) {
        match name {
            "html" | "head" | "body" => {}
            _ => self.depth = self.depth.saturating_add_signed(by),
        }
        if name == "template" && !is_other {
            self.templates = self.templates.saturating_add_signed(by);
        }
    }

    /// Reads the start of an element. True if it is a script of RSL that has content.
    fn element(
        &mut self,
        start: &BytesStart<'_>,
        is_other: bool,
        is_empty: bool,
        found: &mut dyn FnMut(PageElement<'_>),
    ) -> Option<bool> {
        // A page of a wrong namespace is meant to be of the right one.
        let is_page_of_other = *self.is_of_other.get_or_insert(is_other);
        let is_other = is_other && !is_page_of_other;
        let name = start.local_name();
        let tag = Tag::of(&name.as_ref().as_bytes().to_ascii_lowercase());
        let Some(kind) = tag.counted().filter(|_| !is_other && self.templates == 0) else {
            return Some(false);
        };
        let mut values: [Vec<u8>; KEPT.len()] = Default::default();
        let mut has = [false; KEPT.len()];
        for attribute in start.attributes().with_checks(false) {
            let attribute = attribute.ok()?;
            let name = attribute.key.as_ref().as_bytes();
            let place = KEPT.iter().position(|kept| kept.eq_ignore_ascii_case(name));
            let Some(place) = place.filter(|place| !has[*place]) else { continue };
            // Browsers know more entities. Whatever one stands for, it ends a word.
            let entity = |name: &str| Some(resolve_xml_entity(name).unwrap_or(","));
            let value = attribute.normalized_value_with(XmlVersion::Explicit1_0, 1, entity);
            values[place] = value.ok()?.as_bytes().to_vec();
            has[place] = true;
        }
        self.numbers[kind] = self.numbers[kind].saturating_add(1);
        tag.element(self.numbers[kind], &values).into_iter().for_each(found);
        Some(tag == Tag::Script && !is_empty && link::is_rsl(&values[TYPE]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Markup, read_page};

    #[test]
    fn xhtml() {
        let shown = |page: &str| {
            let mut all = String::new();
            let read = read_page(Markup::Xml, page.as_bytes(), &mut |element| {
                all += &match element {
                    PageElement::Meta { number, .. } => format!("meta {number} "),
                    PageElement::Link { number, .. } => format!("link {number} "),
                    PageElement::RslScript { number, text, in_element } => {
                        format!("script {number} {} {in_element} ", text.escape_ascii())
                    }
                };
            });
            all + if read.is_doubtful { "?" } else { "" }
        };
        let meta = "<meta name=\"robots\" content=\"noindex\"/>";
        let html = "<html xmlns='http://www.w3.org/1999/xhtml'>";
        for before in [
            "",
            "<title/>",
            "<script/>",
            "<title>",
            "<textarea/>",
            "<style><a/>",
            "<frameset/>",
            "<p>&nbsp;</p>",
            "<svg xmlns='urn:x'><title/></svg>",
            "<?x > <!-- ?>",
            "<!DOCTYPE html PUBLIC 'a>b' 'c'>",
        ] {
            assert_eq!(shown(&[before, meta].concat()), "meta 1 ", "{before}");
        }
        for (before, after) in [
            ("<!--", "-->"),
            ("<script><![CDATA[", "]]></script>"),
            ("<?x ", "?>"),
            ("<template>", "</template>"),
            ("<x xmlns='urn:x'>", "</x>"),
        ] {
            assert_eq!(shown(&[html, before, meta, after].concat()), "", "{before}");
        }
        for (page, wanted) in [
            (
                "<h:html xmlns:h='http://www.w3.org/1999/xhtml'><h:meta/><meta/><h:link/>",
                "meta 1 meta 2 link 1 ",
            ),
            ("<x xmlns='urn:x'><meta/>", "meta 1 "),
            // What is not well formed goes on as HTML.
            ("<html><meta charset='x'></html><meta/>", "meta 1 meta 2 ?"),
            ("<html><meta name=x/><p/><meta/>", "meta 1 meta 2 ?"),
            ("<html><meta/><br><p></html>", "meta 1 "),
            ("<html><!-- a --!><meta/> --></html>", "meta 1 ?"),
            ("<!DOCTYPE html [<!ENTITY x '<meta/>'>]><html>&x;</html>", "?"),
            ("<!DOCTYPE html [<!ATTLIST meta content CDATA 'x'>]><meta/>", "meta 1 ?"),
            (
                "<script type='application/rsl+xml'> <rsl>&lt;</rsl> </script>",
                "script 1 <rsl>&lt;</rsl> false ",
            ),
            (
                "<p><script type='application/rsl+xml'><![CDATA[<rsl/>]]></script></p>",
                "script 1 <rsl/> true ",
            ),
            ("<script type='application/rsl+xml'/>", ""),
            ("<script type='application/rsl+xml'><rsl>", "?"),
        ] {
            assert_eq!(shown(page), wanted, "{page}");
        }
        let mut content = Vec::new();
        let page = "<meta content='no&#97;i&nbsp;no&amp;&lt;' content='x'/>";
        read_page(Markup::Xml, page.as_bytes(), &mut |element| {
            if let PageElement::Meta { content: own, .. } = element {
                content = own.to_vec();
            }
        });
        assert_eq!(content, b"noai,no&<");
    }
}
