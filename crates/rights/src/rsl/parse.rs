//! From XML to contents and licences.

use std::borrow::Cow;
use std::ops::Range;

use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{Namespace, ResolveResult};
use quick_xml::{NsReader, XmlVersion};

use crate::html::utf8_of_utf16;
use crate::purpose::Purposes;
use crate::rsl::content::Content;
use crate::rsl::terms::Terms;
use crate::tables::{RSL_OTHER_ELEMENTS, RSL_PAYMENTS, RSL_USAGE, RslPayment};

/// The namespace of RSL 1.0, exactly.
const NAMESPACE: Namespace<'static> = Namespace("https://rslstandard.org/rsl");

const DEEPEST: usize = 64;
const MOST_ATTRIBUTES: usize = 64;
/// The most namespaces that a document declares. Each element is compared with those that are open.
const MOST_NAMESPACES: usize = 64;
/// The most conditions of a licence: there are some 250 countries.
const MOST_CONDITIONS: usize = 512;

/// The most bytes of a user or a place. A longer one is not known.
const MOST_TOKEN_BYTES: usize = 128;

/// [`read`] of [`text`].
#[cfg(test)]
pub(super) fn contents(document: &[u8]) -> Option<Vec<Content>> {
    read(&text(document)?)
}

/// The contents of a document, as [`text`] has it. `None` if it is not valid.
pub(super) fn read(text: &str) -> Option<Vec<Content>> {
    // What quick-xml lets pass, and XML does not: most control characters, and a declaration that is not
    // first.
    let is_control = |byte: u8| byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    let is_late = |text: &str| text.starts_with("<?xml ") || text.starts_with("<?xml\t");
    if text.bytes().any(is_control)
        || text.trim_ascii_start().len() < text.len() && is_late(text.trim_ascii_start())
    {
        return None;
    }
    let mut xml = NsReader::from_str(text);
    xml.config_mut().expand_empty_elements = true;
    xml.config_mut().check_comments = true;
    let mut builder = Builder::default();
    loop {
        let begin = usize::try_from(xml.buffer_position()).ok()?;
        let (namespace, event) = xml.read_resolved_event().ok()?;
        let is_rsl = match namespace {
            ResolveResult::Bound(namespace) => namespace == NAMESPACE,
            ResolveResult::Unbound => false,
            // A prefix that is not declared.
            ResolveResult::Unknown(_) => return None,
        };
        builder.at = begin..usize::try_from(xml.buffer_position()).ok()?;
        match event {
            Event::Start(start) => builder.start(&start, is_rsl)?,
            Event::End(_) => builder.end()?,
            Event::Text(text) => builder.text(&text.xml10_content())?,
            Event::CData(text) => builder.cdata(&text)?,
            Event::GeneralRef(reference) => match reference.resolve_char_ref().ok()? {
                Some(character) => builder.cdata(character.encode_utf8(&mut [0; 4]))?,
                None => builder.cdata(resolve_xml_entity(&reference)?)?,
            },
            Event::Decl(declaration) => {
                let encoding = declaration.encoding().transpose().ok()?;
                let is_read = |encoding: &str| {
                    ENCODINGS.iter().any(|read| encoding.eq_ignore_ascii_case(read))
                };
                if !encoding.is_none_or(|encoding| is_read(&encoding)) {
                    return None;
                }
            }
            Event::Comment(_) | Event::PI(_) => {}
            Event::DocType(_) => return None,
            Event::Eof => return builder.finish(),
            Event::Empty(_) => {}
        }
    }
}

/// The text of a document in UTF-8, without its byte order mark. `None` if its encoding is none that is read.
pub(super) fn text(document: &[u8]) -> Option<Cow<'_, str>> {
    let text = in_utf8(document)?;
    match text.strip_prefix('\u{feff}') {
        Some(rest) => Some(rest.to_owned().into()),
        None => Some(text),
    }
}

/// The names of encodings that are read.
const ENCODINGS: [&str; 6] = ["utf-8", "us-ascii", "utf-16", "utf-16le", "utf-16be", "iso-8859-1"];

/// A document in UTF-8. `None` if it is in none of the encodings that are read: XML 1.0 §4.3.3 asks for UTF-8 and
/// UTF-16, which a byte order mark or the first characters show; ISO-8859-1 is what old servers declare.
fn in_utf8(document: &[u8]) -> Option<Cow<'_, str>> {
    if let Some(text) = utf8_of_utf16(document) {
        return String::from_utf8(text).ok().map(Cow::Owned);
    }
    if let Ok(text) = str::from_utf8(document) {
        return Some(Cow::Borrowed(text));
    }
    /// The most bytes that the declaration takes.
    const DECLARATION: usize = 128;
    let end = memchr::memmem::find(&document[..document.len().min(DECLARATION)], b"?>")?;
    let declaration = document[..end].to_ascii_lowercase();
    let is_latin_1 = declaration.starts_with(b"<?xml ")
        && memchr::memmem::find(&declaration, b"iso-8859-1").is_some();
    is_latin_1.then(|| document.iter().map(|byte| char::from(*byte)).collect())
}

/// Where the reader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Root,
    Content,
    Licence,
    /// An element whose text counts: `permits` and `prohibits`.
    List,
    Payment,
    /// Within `payment`.
    OfPayment,
    /// `amount` there.
    Amount,
    /// Terms that are not judged.
    Other,
    /// Of another namespace.
    Foreign,
}

/// What `permits` or `prohibits` lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListOf {
    Usage,
    Users,
    Places,
    Unknown,
}

/// The open list, and its text so far.
#[derive(Debug)]
struct List {
    permits: bool,
    of: ListOf,
    text: String,
}

/// A payment that is read.
#[derive(Debug)]
struct Payment {
    kind: Option<RslPayment>,
    /// True if there is anything in it.
    has_terms: bool,
    /// The text of its amounts, each followed by white space.
    amounts: String,
}

impl Payment {
    /// What it asks for. One that is free, or asks for something else than money, and names an amount contradicts
    /// itself: then it is to be paid.
    fn asks(self) -> RslPayment {
        let is_sum = |amount: &str| amount.parse::<f64>().ok() != Some(0.0);
        let has_amount = self.amounts.split_whitespace().any(is_sum);
        match self.kind {
            Some(RslPayment::Free | RslPayment::Condition(_)) | None if has_amount => {
                RslPayment::Agreement(Purposes::USES)
            }
            Some(kind) => kind,
            // Without a type it is free, unless it asks for something.
            None if self.has_terms => RslPayment::Agreement(Purposes::USES),
            None => RslPayment::Free,
        }
    }
}

#[derive(Debug, Default)]
struct Builder {
    open: Vec<At>,
    namespaces: usize,
    has_root: bool,
    contents: Vec<Content>,
    /// The content that is open.
    content: Option<Content>,
    /// True if the open content asks for reports.
    reporting: bool,
    licence: Option<Terms>,
    /// Where the event stands, and where the open licence begins.
    at: Range<usize>,
    begin: usize,
    list: Option<List>,
    /// The open payment.
    payment: Option<Payment>,
}

impl Builder {
    fn start(&mut self, start: &BytesStart<'_>, is_rsl: bool) -> Option<()> {
        let attributes = self.attributes(start)?;
        let at = self.open.last().copied();
        if self.open.len() == DEEPEST || at.is_none() && self.has_root {
            return None;
        }
        let name = start.local_name();
        let here = match (at, name.as_ref()) {
            (None, "rsl") if is_rsl => {
                self.has_root = true;
                At::Root
            }
            (None, _) => return None,
            (Some(At::Foreign), _) => At::Foreign,
            _ if !is_rsl => At::Foreign,
            (Some(At::Root), "content") => {
                let url = attributes.url?;
                let has_server = attributes.has_server;
                let (licences, spans) = (Vec::new(), Vec::new());
                self.content = Some(Content { url, has_server, licences, spans });
                At::Content
            }
            (Some(At::Content), "license") => {
                self.licence = Some(Terms::NONE);
                self.begin = self.at.start;
                At::Licence
            }
            (Some(At::Licence), "permits" | "prohibits") => {
                let of = match attributes.kind.as_deref() {
                    Some("usage") => ListOf::Usage,
                    Some("user") => ListOf::Users,
                    Some("geo") => ListOf::Places,
                    _ => ListOf::Unknown,
                };
                self.list =
                    Some(List { permits: name.as_ref() == "permits", of, text: String::new() });
                At::List
            }
            (Some(At::Licence), "payment") => {
                let kind = attributes.kind.map(|kind| payment(&kind));
                self.payment = Some(Payment { kind, has_terms: false, amounts: String::new() });
                At::Payment
            }
            (Some(At::Licence), "reporting") => {
                self.licence.as_mut()?.reporting = true;
                At::Other
            }
            (Some(At::Content), "reporting") => {
                self.reporting = true;
                At::Other
            }
            (Some(At::Payment), name) if RSL_OTHER_ELEMENTS.contains(&name) => {
                self.payment.as_mut()?.has_terms = true;
                if name == "amount" { At::Amount } else { At::OfPayment }
            }
            (Some(At::Content | At::Licence | At::Other | At::OfPayment | At::Amount), name)
                if RSL_OTHER_ELEMENTS.contains(&name) =>
            {
                At::Other
            }
            // An element that RSL does not know, or not here.
            _ => return None,
        };
        self.open.push(here);
        Some(())
    }

    /// Reads the attributes of an element, all of which must be well formed.
    fn attributes(&mut self, start: &BytesStart<'_>) -> Option<Attributes> {
        let mut found = Attributes::default();
        for (number, attribute) in start.attributes().enumerate() {
            if number == MOST_ATTRIBUTES {
                return None;
            }
            let attribute = attribute.ok()?;
            if memchr::memchr(b'<', attribute.value.as_bytes()).is_some() {
                return None;
            }
            self.namespaces += usize::from(attribute.key.as_namespace_binding().is_some());
            let value = attribute.normalized_value(XmlVersion::Explicit1_0).ok()?;
            match attribute.key.as_ref() {
                "url" => found.url = Some(value.trim().into()),
                "server" => found.has_server = !value.trim().is_empty(),
                "type" => found.kind = Some(value.trim().into()),
                _ => {}
            }
        }
        (self.namespaces <= MOST_NAMESPACES).then_some(found)
    }

    fn end(&mut self) -> Option<()> {
        match self.open.pop()? {
            At::List => self.end_list()?,
            At::Payment => {
                let payment = self.payment.take()?.asks();
                let payments = &mut self.licence.as_mut()?.payments;
                if !payments.contains(&payment) {
                    payments.push(payment);
                }
            }
            At::Licence => {
                let licence = self.licence.take()?;
                let content = self.content.as_mut()?;
                content.licences.push(licence);
                content.spans.push(self.begin..self.at.end);
            }
            At::Content => {
                let mut content = self.content.take()?;
                if content.licences.is_empty() {
                    return None;
                }
                if std::mem::take(&mut self.reporting) {
                    content.licences.iter_mut().for_each(|licence| licence.reporting = true);
                }
                self.contents.push(content);
            }
            At::Amount => self.payment.as_mut()?.amounts.push(' '),
            At::Root | At::OfPayment | At::Other | At::Foreign => {}
        }
        Some(())
    }

    /// Takes text that may be white space anywhere.
    fn text(&mut self, text: &str) -> Option<()> {
        if self.open.is_empty() {
            // Before and after the root.
            return text.trim_ascii().is_empty().then_some(());
        }
        self.cdata(text)
    }

    fn cdata(&mut self, text: &str) -> Option<()> {
        match (self.open.last()?, &mut self.list) {
            (At::List, Some(list)) => list.text.push_str(text),
            (At::Payment, _) if !text.trim_ascii().is_empty() => {
                self.payment.as_mut()?.has_terms = true
            }
            (At::Amount, _) => self.payment.as_mut()?.amounts.push_str(text),
            _ => {}
        }
        Some(())
    }

    fn end_list(&mut self) -> Option<()> {
        let List { permits, of, text } = self.list.take()?;
        let licence = self.licence.as_mut()?;
        let tokens = || text.split([' ', '\t', '\n', '\r', ',']).filter(|token| !token.is_empty());
        match of {
            ListOf::Usage => {
                let mut purposes = Purposes::NONE;
                for token in tokens() {
                    match RSL_USAGE.iter().find(|(known, _)| *known == token) {
                        Some((_, known)) => purposes |= *known,
                        // What is prohibited in words that are not known may be anything.
                        None => licence.has_unknown |= !permits,
                    }
                }
                if permits {
                    let before = licence.permits.unwrap_or_default();
                    licence.permits = Some(before | purposes);
                } else {
                    licence.prohibits |= purposes;
                }
            }
            ListOf::Users | ListOf::Places => {
                let word = if of == ListOf::Users { "user" } else { "geo" };
                let not = if permits { "" } else { "not-" };
                // No country and no kind of user has such a name.
                let is_short = |token: &&str| token.len() <= MOST_TOKEN_BYTES;
                licence.has_unknown |= !tokens().all(|token| is_short(&token));
                let conditions =
                    tokens().filter(is_short).map(|token| format!("{not}{word}:{token}").into());
                licence.conditions.extend(conditions.take(MOST_CONDITIONS + 1));
                if licence.conditions.len() > MOST_CONDITIONS {
                    return None;
                }
            }
            ListOf::Unknown => {
                licence.has_unknown = true;
                licence.has_unknown_type = true;
            }
        }
        Some(())
    }

    fn finish(self) -> Option<Vec<Content>> {
        (self.has_root && self.open.is_empty() && !self.contents.is_empty())
            .then_some(self.contents)
    }
}

#[derive(Default)]
struct Attributes {
    url: Option<Box<str>>,
    has_server: bool,
    kind: Option<Box<str>>,
}

fn payment(kind: &str) -> RslPayment {
    let known = RSL_PAYMENTS.iter().find(|(known, _)| *known == kind);
    known.map_or(RslPayment::Agreement(Purposes::USES), |(_, payment)| *payment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::purpose::Purpose;

    fn document(body: &str) -> Option<Vec<Content>> {
        contents(format!(r#"<rsl xmlns="https://rslstandard.org/rsl">{body}</rsl>"#).as_bytes())
    }

    /// The terms of the only licence, for what is in it.
    fn terms(body: &str) -> Option<Terms> {
        let mut all =
            document(&format!(r#"<content url="/"><license>{body}</license></content>"#))?;
        all.pop()?.licences.pop()
    }

    const LICENCE: &str = "<license/>";

    #[test]
    fn documents() {
        let content = format!(r#"<content url="/">{LICENCE}</content>"#);
        for body in [
            &content,
            &format!("<!-- x --> <?x y?>{content}\n{content}"),
            &format!(
                r#"<content url="" server="https://l.com" encrypted="true" lastmod="2026-01-01">{LICENCE}</content>"#
            ),
            // Other namespaces are ignored, with all in them.
            &format!(r#"<x xmlns="urn:x"><content/><rsl/></x>{content}"#),
            &format!(r#"<x:y xmlns:x="urn:x"><content/></x:y>{content}"#),
            &format!(
                r#"<content url="/"><schema>https://e.com</schema><copyright/><terms/>{LICENCE}</content>"#
            ),
        ] {
            assert!(document(body).is_some(), "{body}");
        }
        for body in [
            "",
            "<content url='/'></content>",
            "<content><license/></content>",
            "<license/>",
            "<contents url='/'><license/></contents>",
            "<content url='/'><licence/></content>",
            "<content url='/'><license/><permits type='usage'>all</permits></content>",
            "<content url='/'><license><discount/></license></content>",
            "<content url='/'><license><rsl/></license></content>",
            "<content url='/'><license></content></license>",
            "<content url='/'><license>",
            "<content url='/' url='/'><license/></content>",
            "<content url=/><license/></content>",
            "<content url='/<'><license/></content>",
            "<content url='/&x;'><license/></content>",
            "<content url='/'><license/>&x;</content>",
            "<y:content url='/'><license/></y:content>",
        ] {
            assert!(document(body).is_none(), "{body}");
        }
        let whole = |before: &str, namespace: &str, after: &str| {
            contents(format!("{before}<rsl xmlns='{namespace}'>{content}</rsl>{after}").as_bytes())
        };
        let namespace = "https://rslstandard.org/rsl";
        for before in [
            "",
            "\u{feff}",
            "<?xml version='1.0' encoding='UTF-8'?>\n",
            "<!-- x -->\n",
            "<?xml version='1.0'?>",
        ] {
            assert!(whole(before, namespace, "\n<!-- x -->").is_some(), "{before}");
        }
        for before in [
            " <?xml version='1.0'?>",
            "<!-- \u{1} -->",
            "<!DOCTYPE rsl>",
            "x",
            "&amp;",
            "<x/>",
            "<?xml version='1.0' encoding='latin1'?>",
        ] {
            assert!(whole(before, namespace, "").is_none(), "{before}");
        }
        for other in [
            "",
            "http://rslstandard.org/rsl",
            "https://rslstandard.org/rsl/",
            "https://rslstandard.org/RSL",
        ] {
            assert!(whole("", other, "").is_none(), "{other}");
        }
        for after in ["x", "<rsl/>", "<x/>", "]]"] {
            assert!(whole("", namespace, after).is_none(), "{after}");
        }
        let declared = |encoding: &str| {
            let declaration = format!("<?xml version='1.0' encoding='{encoding}'?>");
            let text =
                format!("{declaration}<rsl xmlns='{namespace}'>{content}</rsl><!-- \u{e9} -->");
            let utf_16 = |unit: fn(u16) -> [u8; 2], mark: &str| {
                [mark, &text].concat().encode_utf16().flat_map(unit).collect::<Vec<u8>>()
            };
            let latin_1: Vec<u8> = text.chars().map(|c| c as u8).collect();
            [
                utf_16(u16::to_le_bytes, "\u{feff}"),
                utf_16(u16::to_be_bytes, "\u{feff}"),
                utf_16(u16::to_le_bytes, ""),
                utf_16(u16::to_be_bytes, ""),
                latin_1,
            ]
            .map(|document| contents(&document).is_some())
        };
        assert_eq!(declared("UTF-16"), [true, true, true, true, false]);
        assert_eq!(declared("ISO-8859-1"), [true; 5]);
        assert!(contents(b"<rsl xmlns='https://rslstandard.org/rsl'>\xff</rsl>").is_none());
        assert!(contents(b"").is_none());
    }

    #[test]
    fn terms_of_usage() {
        let purposes = |all: &[Purpose]| Purposes::of(all);
        let permits =
            |text: &str| terms(&format!("<permits type='usage'>{text}</permits>")).unwrap().permits;
        assert_eq!(permits("all"), Some(Purposes::USES));
        assert_eq!(permits("ai-all"), Some(Purposes::AI));
        assert_eq!(
            permits("\n search\tai-train "),
            Some(purposes(&[Purpose::Index, Purpose::Snippet, Purpose::AiTrain]))
        );
        assert_eq!(
            permits("ai-input,ai-index"),
            Some(purposes(&[Purpose::AiInput, Purpose::AiIndex]))
        );
        assert_eq!(permits(""), Some(Purposes::NONE));
        assert_eq!(permits("AI-TRAIN ai-dance"), Some(Purposes::NONE));
        assert_eq!(permits("<![CDATA[ai-train]]>"), Some(purposes(&[Purpose::AiTrain])));
        assert_eq!(permits("ai-&#116;rain<!-- x -->"), Some(purposes(&[Purpose::AiTrain])));
        assert_eq!(terms("").unwrap().permits, None);
        let two = "<permits type='usage'>search</permits><permits type='usage'>ai-train</permits>";
        assert_eq!(terms(two).unwrap().permits, permits("search ai-train"));
        let prohibits = |text: &str| {
            let terms = terms(&format!("<prohibits type='usage'>{text}</prohibits>")).unwrap();
            (terms.prohibits, terms.has_unknown)
        };
        assert_eq!(prohibits("ai-train"), (purposes(&[Purpose::AiTrain]), false));
        assert_eq!(prohibits("ai-train ai-dance"), (purposes(&[Purpose::AiTrain]), true));
        for list in [
            "<permits>all</permits>",
            "<permits type='Usage'>all</permits>",
            "<prohibits type='x'/>",
        ] {
            let terms = terms(list).unwrap();
            assert!(terms.has_unknown && terms.has_unknown_type, "{list}");
        }
    }

    #[test]
    fn other_terms() {
        let users = "<permits type='user'>education non-commercial</permits>\
            <prohibits type='user'>commercial</prohibits><permits type='geo'>DE</permits>\
            <prohibits type='geo'>US, CN</prohibits>";
        assert_eq!(
            terms(users).unwrap().conditions().collect::<Vec<_>>(),
            [
                "user:education",
                "user:non-commercial",
                "not-user:commercial",
                "geo:DE",
                "not-geo:US",
                "not-geo:CN"
            ]
        );
        let everything = RslPayment::Agreement(Purposes::USES);
        for (payment, wanted) in [
            ("<payment/>", RslPayment::Free),
            ("<payment type='free'/>", RslPayment::Free),
            (
                "<payment type=' free '><amount currency='USD'>0</amount></payment>",
                RslPayment::Free,
            ),
            ("<payment type='free'><amount>0.00</amount></payment>", RslPayment::Free),
            ("<payment type='free'><amount/></payment>", RslPayment::Free),
            ("<payment type='free'><amount>5</amount></payment>", everything),
            ("<payment type='free'><amount>five</amount></payment>", everything),
            ("<payment type='free'><amount>0</amount><amount>5</amount></payment>", everything),
            ("<payment type='contribution'><amount>1</amount></payment>", everything),
            ("<payment type='attribution'><amount>1</amount></payment>", everything),
            ("<payment type='contribution'/>", RslPayment::Condition("contribution")),
            ("<payment type='purchase'/>", everything),
            ("<payment type='crawl'/>", everything),
            ("<payment type='per-token'/>", everything),
            ("<payment type='Free'/>", everything),
            ("<payment><standard>https://e.com</standard></payment>", everything),
            ("<payment>5 dollars</payment>", everything),
            ("<payment type='training'/>", RslPayment::Agreement(Purpose::AiTrain.into())),
            ("<payment type='use'/>", RslPayment::Agreement(Purpose::AiInput.into())),
            ("<payment type='attribution'/>", RslPayment::Condition("attribution")),
        ] {
            assert_eq!(terms(payment).unwrap().payments, [wanted], "{payment}");
        }
        assert!(terms("<reporting type='telemetry'><![CDATA[{}]]></reporting>").unwrap().reporting);
        assert!(!terms("<legal type='warranty'>x</legal>").unwrap().reporting);
        let content = "<content url='/'><license/><reporting/><license/></content>";
        let content = document(content).unwrap().pop().unwrap();
        assert!(content.licences.iter().all(|licence| licence.reporting));
        let with_server = |server: &str| {
            let content = format!("<content url='/' server='{server}'><license/></content>");
            document(&content).unwrap()[0].has_server
        };
        assert!(with_server("https://l.com") && !with_server(" "));
    }

    #[test]
    fn bounds() {
        let nested = |depth: usize| {
            let open = "<x xmlns='urn:x'>".to_string() + &"<x>".repeat(depth - 1);
            document(&format!(
                "<content url='/'><license/>{open}{}</content>",
                "</x>".repeat(depth)
            ))
        };
        assert!(nested(60).is_some());
        assert!(nested(63).is_none());
        let attributes = |count: usize| {
            let all: String = (0..count).map(|n| format!(" a{n}=''")).collect();
            document(&format!("<content url='/'{all}><license/></content>"))
        };
        assert!(attributes(60).is_some());
        assert!(attributes(100).is_none());
        let namespaces = |count: usize| {
            let all: String = (0..count).map(|n| format!("<x xmlns='urn:{n}'/>")).collect();
            document(&format!("{all}<content url='/'><license/></content>"))
        };
        assert!(namespaces(60).is_some());
        assert!(namespaces(100).is_none());
        let places = |count: usize| {
            terms(&format!("<prohibits type='geo'>{}</prohibits>", "XX ".repeat(count)))
        };
        assert!(places(300).is_some());
        assert!(places(600).is_none());
    }
}
