//! The elements of a page that is XML, with namespaces: XHTML.
//!
//! What browsers do not read, because it is not well formed, is not judged here: the rest is read as HTML, and the
//! page counts as not read. So does one whose document type declares anything, which may be any element. Hence a page
//! is read to its end, whatever its last element is.

use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{Namespace, QName, ResolveResult};
use quick_xml::{NsReader, XmlVersion};

use crate::html::{self, KEPT, PageElement, TYPE, Tag};
use crate::labels::Label;
use crate::link;
use crate::tables::XHTML_ENTITY_DOCTYPES;

const NAMESPACE: Namespace<'static> = Namespace("http://www.w3.org/1999/xhtml");

/// The most namespaces that are declared at a place. Each element is compared with them.
const MOST_NAMESPACES: usize = 64;

/// The most attributes of an element. Each is compared with the others.
const MOST_ATTRIBUTES: usize = 256;

/// How far a page was read.
#[derive(Debug, Default)]
pub(crate) struct XmlPage {
    /// Where it is not well formed.
    pub(crate) broken_at: Option<usize>,
    /// True if its document type declares something, or it has characters that are none of XML.
    pub(crate) is_doubtful: bool,
    /// The encoding that it declares.
    pub(crate) declared: Label,
    /// How many elements of each kind were read.
    pub(crate) numbers: [u32; 3],
    /// True if its root is of another namespace, so that no element of its own is of XHTML. `None` before the root.
    is_of_other: Option<bool>,
    /// How many elements are open.
    open: usize,
    /// How deep it is in elements that are neither `html`, `head` nor `body`, and in templates.
    depth: u32,
    templates: u32,
    /// The script of RSL that it is in: what is in there is none of the page.
    script: Option<Script>,
    doctype: Doctype,
    /// The entity that was found to be known last.
    entity: String,
}

/// A script of RSL that is open.
#[derive(Clone, Copy, Debug)]
struct Script {
    /// Where its tag and its text begin.
    tag: usize,
    text: usize,
    /// How many elements are open around it.
    open: usize,
    in_element: bool,
}

/// What is known of the document type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Doctype {
    #[default]
    None,
    /// With it browsers know no entities but those of XML.
    Plain,
    /// With it they know those of HTML.
    WithEntities,
}

impl XmlPage {
    /// Reads a page without its byte order mark. `O(n)`.
    pub(crate) fn read(page: &str, found: &mut dyn FnMut(PageElement<'_>)) -> XmlPage {
        let mut xml = NsReader::from_str(page);
        xml.config_mut().check_comments = true;
        xml.resolver_mut().set_max_namespace_bindings(MOST_NAMESPACES);
        let mut read = XmlPage { is_doubtful: !page.chars().all(is_character), ..Self::default() };
        loop {
            let at = position(&xml);
            match read.event(&mut xml, page, found) {
                Some(true) => {}
                Some(false) => return read,
                None => {
                    read.break_at(at.min(page.len()));
                    return read;
                }
            }
        }
    }

    /// Notes where it is not well formed. A script that is open there is read again.
    fn break_at(&mut self, at: usize) {
        let script = self.script.take();
        if script.is_some() {
            self.numbers[2] = self.numbers[2].saturating_sub(1);
        }
        self.broken_at = Some(script.map_or(at, |script| script.tag));
    }

    /// Reads what comes next. `Some(false)` at the end, `None` if it is not well formed.
    fn event(
        &mut self,
        xml: &mut NsReader<&[u8]>,
        page: &str,
        found: &mut dyn FnMut(PageElement<'_>),
    ) -> Option<bool> {
        let at = position(xml);
        let (namespace, event) = xml.read_resolved_event().ok()?;
        let is_other = match namespace {
            ResolveResult::Bound(of) => of != NAMESPACE,
            ResolveResult::Unbound => false,
            ResolveResult::Unknown(_) => return None,
        };
        let has_root = self.is_of_other.is_some();
        match event {
            Event::Start(start) => {
                self.check_start(xml, &start)?;
                let is_rsl = self.element(&start, is_other, false, found)?;
                if is_rsl {
                    let (text, in_element) = (position(xml), self.depth > 0);
                    self.script = Some(Script { tag: at, text, open: self.open, in_element });
                }
                self.nest(start.local_name().as_ref(), is_other, 1);
                self.open += 1;
            }
            Event::Empty(start) => {
                self.check_start(xml, &start)?;
                self.element(&start, is_other, true, found)?;
            }
            Event::End(end) => {
                self.open -= 1;
                self.nest(end.local_name().as_ref(), is_other, -1);
                if let Some(script) = self.script.take_if(|script| script.open == self.open) {
                    let text = page.get(script.text..at)?.trim();
                    let data = text.strip_prefix("<![CDATA[").and_then(|t| t.strip_suffix("]]>"));
                    found(PageElement::RslScript {
                        number: self.numbers[2],
                        text: data.unwrap_or(text).as_bytes(),
                        in_element: script.in_element,
                    });
                }
            }
            Event::DocType(text) => {
                let is_upper = page.get(at..)?.starts_with("<!DOCTYPE");
                if has_root || self.doctype != Doctype::None || !is_upper {
                    return None;
                }
                self.doctype = Doctype::of(&text);
                self.is_doubtful |= text.contains('[');
            }
            Event::Text(text) => {
                let is_blank = || text.trim_ascii().is_empty();
                (!text.contains("]]>") && (self.open > 0 || is_blank())).then_some(())?;
            }
            Event::CData(_) => (self.open > 0).then_some(())?,
            Event::GeneralRef(name) => {
                (self.open > 0 && self.is_reference(&name)).then_some(())?;
            }
            Event::PI(instruction) => {
                let target = instruction.target();
                (is_name(target) && !target.eq_ignore_ascii_case("xml")).then_some(())?;
            }
            Event::Decl(declaration) => {
                (at == 0).then_some(())?;
                let encoding = declaration.encoding().and_then(Result::ok);
                self.declared = Label::of(encoding.as_deref().unwrap_or_default().as_bytes());
            }
            Event::Comment(_) => {}
            Event::Eof => return (self.open == 0 && has_root).then_some(false),
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
        let is_other = is_other && !is_page_of_other || self.templates > 0 || self.script.is_some();
        let name = start.local_name();
        let tag = Tag::of(&name.as_ref().as_bytes().to_ascii_lowercase());
        let Some(kind) = tag.counted().filter(|_| !is_other) else { return Some(false) };
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

    /// `None` if the start of an element is not well formed, or stands after the root.
    fn check_start(&mut self, xml: &NsReader<&[u8]>, start: &BytesStart<'_>) -> Option<()> {
        let is_second_root = self.open == 0 && self.is_of_other.is_some();
        (!is_second_root && is_name(start.name().as_ref())).then_some(())?;
        let mut names = Vec::new();
        let mut rest = start.attributes_raw();
        while !rest.trim_ascii_start().is_empty() {
            let (name, value);
            (name, value, rest) = attribute(rest)?;
            let is_sound = is_name(name) && !names.contains(&name) && names.len() < MOST_ATTRIBUTES;
            let (namespace, _) = xml.resolver().resolve_attribute(QName(name));
            let is_bound = !matches!(namespace, ResolveResult::Unknown(_));
            // What namespace a reference stands for is not known.
            let is_plain = !(name == "xmlns" || name.starts_with("xmlns:")) || !value.contains('&');
            (is_sound && is_bound && is_plain && self.is_value(value)).then_some(())?;
            names.push(name);
        }
        Some(())
    }

    /// Returns true if all that a value refers to is known.
    fn is_value(&mut self, value: &str) -> bool {
        let mut pieces = value.split('&');
        let first = pieces.next().unwrap_or_default();
        !first.contains('<')
            && pieces.all(|piece| {
                let reference = piece.split_once(';');
                reference.is_some_and(|(name, rest)| self.is_reference(name) && !rest.contains('<'))
            })
    }

    /// Returns true if a reference, without its `&` and `;`, is to a character or an entity that is known.
    fn is_reference(&mut self, name: &str) -> bool {
        if let Some(number) = name.strip_prefix('#') {
            let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |hex| (hex, 16));
            let is_number = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let number = u32::from_str_radix(digits, radix).ok().filter(|_| is_number);
            return number.and_then(char::from_u32).is_some_and(is_character);
        }
        if resolve_xml_entity(name).is_some() || self.entity == name && !name.is_empty() {
            return true;
        }
        let is_known = self.doctype == Doctype::WithEntities && html::is_entity(name);
        if is_known {
            name.clone_into(&mut self.entity);
        }
        is_known
    }
}

impl Doctype {
    fn of(text: &str) -> Doctype {
        match XHTML_ENTITY_DOCTYPES.iter().any(|known| text.contains(known)) {
            true => Doctype::WithEntities,
            false => Doctype::Plain,
        }
    }
}

fn position(xml: &NsReader<&[u8]>) -> usize {
    usize::try_from(xml.buffer_position()).unwrap_or(usize::MAX)
}

/// The name and the value of the attribute that a text begins with, after white space, and what follows it.
fn attribute(text: &str) -> Option<(&str, &str, &str)> {
    let named = text.trim_ascii_start();
    let (name, rest) = named.split_once('=').filter(|_| named.len() < text.len())?;
    let rest = rest.trim_ascii_start();
    let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let (value, rest) = rest[1..].split_once(quote)?;
    Some((name.trim_ascii_end(), value, rest))
}

/// Returns true if a text is a name of XML, of whose characters outside of ASCII all are taken for letters.
fn is_name(text: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "_:-.".contains(c) || !c.is_ascii();
    let begins = |c: char| !c.is_ascii_digit() && !matches!(c, '-' | '.');
    text.starts_with(begins) && text.chars().all(is_of_name)
}

/// Returns true if a character may stand in XML.
fn is_character(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..) && !matches!(c, '\u{fffe}' | '\u{ffff}')
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
            "<title><b/></title>",
            "<textarea/>",
            "<style><a/></style>",
            "<frameset/>",
            "<p>&#160;&#xA0;&amp;</p>",
            "<svg xmlns='urn:x'><title/></svg>",
            "<?x > <!-- ?>",
            "<p a:b='1' xmlns:a='urn:x' xml:lang = \"en\"\n c='>'/>",
        ] {
            assert_eq!(shown(&[html, before, meta, "</html>"].concat()), "meta 1 ", "{before}");
            let open = [html, before, meta].concat();
            assert_eq!(shown(&open), "meta 1 ?", "{before}");
        }
        for (before, after) in [
            ("<!--", "-->"),
            ("<script><![CDATA[", "]]></script>"),
            ("<?x ", "?>"),
            ("<template>", "</template>"),
            ("<x xmlns='urn:x'>", "</x>"),
        ] {
            let page = [html, before, meta, after, "</html>"].concat();
            assert_eq!(shown(&page), "", "{before}");
        }
        let nbsp = "&nbsp;</p><p title='&nbsp;&eacute;'/><meta/></html>";
        let strict = "'-//W3C//DTD XHTML 1.0 Strict//EN' 'http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd'";
        let doctype = format!("<!DOCTYPE html PUBLIC {strict}>");
        let declared = format!("<?xml version='1.0'?>\n<!-- x -->{doctype}");
        for before in
            [&doctype, &declared, &format!("\u{feff}{declared}"), &format!("\u{feff}{doctype}")]
        {
            assert_eq!(shown(&[before, html, "<p>", nbsp].concat()), "meta 1 ", "{before}");
            let unknown = [before, html, "<p>&nosuch;", nbsp].concat();
            assert_eq!(shown(&unknown), "meta 1 ?", "{before}");
        }
        for (page, wanted) in [
            (
                "<h:html xmlns:h='http://www.w3.org/1999/xhtml'><h:meta/><meta/><h:link/></h:html>",
                "meta 1 meta 2 link 1 ",
            ),
            ("<x xmlns='urn:x'><meta/></x>", "meta 1 "),
            ("<!DOCTYPE html PUBLIC 'a>b' 'c'><meta/>", "meta 1 "),
            ("\u{feff}\n<meta/>\n<?x?>", "meta 1 "),
            ("<meta/><!DOCTYPE html>", "meta 1 ?"),
            // What is not well formed goes on as HTML.
            ("<html><meta charset='x'></html><meta/>", "meta 1 meta 2 ?"),
            ("<html><meta name=x/><p/><meta/>", "meta 1 meta 2 ?"),
            ("<html><meta/><br><p></html>", "meta 1 ?"),
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
            (
                "<script type='application/rsl+xml'><meta/><script><script/></script></script>",
                "script 1 <meta/><script><script/></script> false ",
            ),
            (
                "<script type='application/rsl+xml'>&<meta/></script><meta/>",
                "script 1 &<meta/> false meta 1 ?",
            ),
        ] {
            assert_eq!(shown(page), wanted, "{page}");
        }
        let mut content = Vec::new();
        let page = "<meta content='no&#97;i&nbsp;no&amp;&lt;'/>";
        read_page(Markup::Xml, [&doctype, page].concat().as_bytes(), &mut |element| {
            if let PageElement::Meta { content: own, .. } = element {
                content = own.to_vec();
            }
        });
        assert_eq!(content, b"noai,no&<");
    }

    /// A page with an error anywhere counts as not read, also where nothing follows.
    #[test]
    fn not_well_formed() {
        let is_doubtful =
            |page: &str| read_page(Markup::Xml, page.as_bytes(), &mut |_| {}).is_doubtful;
        for inner in [
            "<head><p></head>",
            "&nbsp;",
            "a & b",
            "a & b; c",
            "&#0;",
            "&#x110000;",
            "&#+65;",
            "&#;",
            "&;",
            "a < b",
            "]]>",
            "\u{1}",
            "\u{ffff}",
            "<a b='1' b='2'/>",
            "<a b='1'c='2'/>",
            "<a b=1/>",
            "<a b/>",
            "<a b='<'/>",
            "<a b='&'/>",
            "<a b='&nbsp;'/>",
            "<a ='1'/>",
            "<1/>",
            "<a:b/>",
            "<a b:c='1'/>",
            "</p>",
            "<p>",
            "<!-- -- -->",
            "<?xml version='1.0'?>",
            "<?1?>",
            "<!DOCTYPE html>",
            "<![CDATA[",
        ] {
            let page = format!("<html xmlns='http://www.w3.org/1999/xhtml'>{inner}</html>");
            assert!(is_doubtful(&page), "{inner}");
        }
        let many: String = (0..=MOST_ATTRIBUTES).map(|number| format!(" a{number}=''")).collect();
        for page in [
            "text",
            " ",
            "<!-- -->",
            "<a/><a/>",
            "<a/>x",
            "<a/>&amp;",
            "<![CDATA[]]><a/>",
            "x<a/>",
            " <?xml version='1.0'?><a/>",
            "<!doctype html><a/>",
            "<!DOCTYPE html><!DOCTYPE html><a/>",
            &format!("<a{many}/>"),
        ] {
            assert!(is_doubtful(page), "{page}");
        }
    }
}
