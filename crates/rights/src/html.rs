//! The elements of a page that can hold statements: `meta`, `link` and `script`.
//!
//! html5gum's tokenizer does the reading, so comments, titles and other raw text are not markup, and
//! character references are decoded. The text of the page is skipped, and reading ends behind the last
//! element that matters.

use html5gum::{Emitter, Error, State, Tokenizer};

use crate::link;

/// An element that was read. Its number counts the elements of its name that are read, from 1: those
/// in templates are not.
pub enum PageElement<'p> {
    Meta {
        number: u32,
        name: &'p [u8],
        content: &'p [u8],
    },
    Link {
        number: u32,
        rel: &'p [u8],
        href: &'p [u8],
        media_type: &'p [u8],
    },
    /// A script whose type is that of RSL.
    RslScript {
        number: u32,
        text: &'p [u8],
        /// True if it stands in an element other than `html`, `head` and `body`.
        in_element: bool,
    },
}

/// A page or document in UTF-16 as UTF-8. `None` if it is in anything else. One without a byte order mark, of
/// which only a header names the encoding, begins with characters of ASCII.
pub(crate) fn utf8_of_utf16(html: &[u8]) -> Option<Vec<u8>> {
    // A zero byte alone may stand at the beginning of any page.
    const CHARACTERS: usize = 4;
    let begins = |ascii: usize| {
        let units = html.as_chunks::<2>().0.get(..CHARACTERS);
        units.is_some_and(|units| {
            units.iter().all(|unit| matches!(unit[ascii], 1..=0x7f) && unit[1 - ascii] == 0)
        })
    };
    let (unit, text): (fn([u8; 2]) -> u16, _) = match html {
        [0xff, 0xfe, text @ ..] => (u16::from_le_bytes, text),
        [0xfe, 0xff, text @ ..] => (u16::from_be_bytes, text),
        _ if begins(0) => (u16::from_le_bytes, html),
        _ if begins(1) => (u16::from_be_bytes, html),
        _ => return None,
    };
    let units = text.as_chunks().0.iter().map(|bytes| unit(*bytes));
    let chars = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
    Some(chars.collect::<String>().into_bytes())
}

/// Reads a page up to the first tag that ends behind `last`, after so many elements of each kind.
pub(crate) fn read_up_to(
    last: Option<usize>,
    numbers: [u32; 3],
    html: &[u8],
    found: &mut dyn FnMut(PageElement<'_>),
) {
    let Some(last) = last else { return };
    let emitter = Elements { last, numbers, ..Elements::new(found) };
    // The reader is a slice, so there are no errors; a token is the sign that all is read.
    Tokenizer::new_with_emitter(html, emitter).next();
}

/// Returns true if HTML knows an entity of this name.
pub(crate) fn is_entity(name: &str) -> bool {
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return false;
    }
    let mut is_known = false;
    let page = format!("<meta content='&{name};'>");
    read_up_to(Some(0), [0; 3], page.as_bytes(), &mut |element| {
        is_known |=
            matches!(element, PageElement::Meta { content: [first, ..], .. } if *first != b'&');
    });
    is_known
}

/// The attributes that are kept.
pub(crate) const KEPT: [&[u8]; 9] =
    [b"name", b"content", b"rel", b"href", b"type", b"encoding", b"color", b"face", b"size"];
pub(crate) const TYPE: usize = 4;
const ENCODING: usize = 5;
/// `color`, `face` and `size`: with any of them a `font` ends SVG and MathML.
const OF_FONT: std::ops::Range<usize> = 6..9;

/// Elements that have no content.
const VOID: [&[u8]; 13] = [
    b"area", b"base", b"br", b"col", b"embed", b"hr", b"img", b"input", b"link", b"meta",
    b"source", b"track", b"wbr",
];

/// Elements whose start ends an open `p` (HTML, tree construction, "close a p element").
const END_P: [&[u8]; 25] = [
    b"address",
    b"article",
    b"aside",
    b"blockquote",
    b"details",
    b"div",
    b"dl",
    b"fieldset",
    b"figure",
    b"footer",
    b"form",
    b"h1",
    b"h2",
    b"h3",
    b"h4",
    b"header",
    b"hr",
    b"main",
    b"nav",
    b"ol",
    b"p",
    b"pre",
    b"section",
    b"table",
    b"ul",
];

/// The name of a tag: its first bytes, and how many there are.
#[derive(Clone, Copy, PartialEq, Eq)]
struct TagName {
    bytes: [u8; TagName::MAX],
    len: u8,
}

impl TagName {
    /// Longer than any name that means something here.
    const MAX: usize = 14;
    const EMPTY: TagName = TagName { bytes: [0; TagName::MAX], len: 0 };

    fn push(&mut self, text: &[u8]) {
        for byte in text {
            if let Some(place) = self.bytes.get_mut(usize::from(self.len)) {
                *place = *byte;
            }
            self.len = self.len.saturating_add(1);
        }
    }

    /// Empty if the name is longer than any that means something.
    fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }
}

/// What the tag that is being read is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    /// Its name is not complete.
    Unnamed,
    Meta,
    Link,
    Script,
    /// `annotation-xml`, of MathML.
    Annotation,
    Font,
    Other,
    End,
}

impl Tag {
    /// The start tag of this name, in lower case.
    pub(crate) fn of(name: &[u8]) -> Tag {
        match name {
            b"meta" => Tag::Meta,
            b"link" => Tag::Link,
            b"script" => Tag::Script,
            b"annotation-xml" => Tag::Annotation,
            b"font" => Tag::Font,
            _ => Tag::Other,
        }
    }

    /// Which of the numbers counts it.
    pub(crate) fn counted(self) -> Option<usize> {
        match self {
            Tag::Meta => Some(0),
            Tag::Link => Some(1),
            Tag::Script => Some(2),
            _ => None,
        }
    }

    /// The element with these values of the kept attributes, if its tag is all of it.
    pub(crate) fn element(
        self,
        number: u32,
        values: &[Vec<u8>; KEPT.len()],
    ) -> Option<PageElement<'_>> {
        let [name, content, rel, href, media_type, ..] = values.each_ref().map(|value| &value[..]);
        match self {
            Tag::Meta => Some(PageElement::Meta { number, name, content }),
            Tag::Link => Some(PageElement::Link { number, rel, href, media_type }),
            _ => None,
        }
    }
}

/// Elements that end SVG and MathML where they begin in it (HTML, "the rules for parsing tokens in foreign
/// content").
const BREAKS_OUT: [&[u8]; 44] = [
    b"b",
    b"big",
    b"blockquote",
    b"body",
    b"br",
    b"center",
    b"code",
    b"dd",
    b"div",
    b"dl",
    b"dt",
    b"em",
    b"embed",
    b"h1",
    b"h2",
    b"h3",
    b"h4",
    b"h5",
    b"h6",
    b"head",
    b"hr",
    b"i",
    b"img",
    b"li",
    b"listing",
    b"menu",
    b"meta",
    b"nobr",
    b"ol",
    b"p",
    b"pre",
    b"ruby",
    b"s",
    b"small",
    b"span",
    b"strong",
    b"strike",
    b"sub",
    b"sup",
    b"table",
    b"tt",
    b"u",
    b"ul",
    b"var",
];

/// Elements of SVG, and of MathML, in which there is HTML again.
const HTML_IN_SVG: [&[u8]; 3] = [b"foreignobject", b"desc", b"title"];
const HTML_IN_MATH: [&[u8]; 5] = [b"mi", b"mo", b"mn", b"ms", b"mtext"];

/// The encodings of an `annotation-xml` in which there is HTML.
const HTML_ANNOTATIONS: [&[u8]; 2] = [b"text/html", b"application/xhtml+xml"];

/// Of what an element is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Html,
    Svg,
    Math,
}

/// Elements after which a `frameset` is none.
const BEFORE_NO_FRAMESET: [&[u8]; 24] = [
    b"applet",
    b"area",
    b"body",
    b"br",
    b"button",
    b"dd",
    b"dt",
    b"embed",
    b"hr",
    b"iframe",
    b"img",
    b"input",
    b"keygen",
    b"li",
    b"listing",
    b"marquee",
    b"object",
    b"plaintext",
    b"pre",
    b"select",
    b"table",
    b"textarea",
    b"wbr",
    b"xmp",
];

/// An element that is open.
#[derive(Clone, Copy)]
struct Open {
    name: TagName,
    kind: Kind,
    /// True if elements in it are of SVG or MathML.
    holds_foreign: bool,
}

struct Elements<'f> {
    // Not generic: the tokenizer is there once.
    found: &'f mut dyn FnMut(PageElement<'_>),
    /// Where the last tag begins that matters.
    last: usize,
    position: usize,
    is_done: bool,
    name: TagName,
    last_start: TagName,
    tag: Tag,
    /// True if the tag ends in `/>`, which matters in SVG and MathML only.
    is_self_closing: bool,
    /// The name of the current attribute, and which of the kept ones it is.
    attribute: TagName,
    kept: Option<usize>,
    /// The values of the kept attributes; of equal ones the first.
    values: [Vec<u8>; KEPT.len()],
    has: [bool; KEPT.len()],
    numbers: [u32; 3],
    templates: u32,
    /// The elements that are open, without `html`, `head` and `body`.
    open: Vec<Open>,
    /// True while a `frameset` can begin.
    may_be_frameset: bool,
    /// True once one has begun: nothing after it is an element that counts.
    is_frameset: bool,
    /// The text of the RSL script that is being read, and whether it is in an element.
    script: Option<bool>,
    text: Vec<u8>,
}

impl<'f> Elements<'f> {
    fn new(found: &'f mut dyn FnMut(PageElement<'_>)) -> Elements<'f> {
        Elements {
            found,
            last: 0,
            position: 0,
            is_done: false,
            name: TagName::EMPTY,
            last_start: TagName::EMPTY,
            tag: Tag::Other,
            is_self_closing: false,
            attribute: TagName::EMPTY,
            kept: None,
            values: Default::default(),
            has: [false; KEPT.len()],
            numbers: [0; 3],
            templates: 0,
            open: Vec::new(),
            may_be_frameset: true,
            is_frameset: false,
            script: None,
            text: Vec::new(),
        }
    }

    /// Decides what the tag is, once its name is complete.
    #[inline]
    fn name_tag(&mut self) {
        if self.tag == Tag::Unnamed {
            self.tag = Tag::of(self.name.as_bytes());
            if self.tag != Tag::Other {
                self.has = [false; KEPT.len()];
                self.values.iter_mut().for_each(Vec::clear);
            }
        }
    }

    /// True if the tag's attributes are wanted.
    #[inline]
    fn collects(&self) -> bool {
        matches!(self.tag, Tag::Meta | Tag::Link | Tag::Script | Tag::Annotation | Tag::Font)
    }

    /// Ends the current attribute.
    #[inline]
    fn end_attribute(&mut self) {
        if self.collects() && self.attribute.len > 0 {
            self.find_attribute();
            if let Some(kept) = self.kept.take() {
                self.has[kept] = true;
            }
            self.attribute = TagName::EMPTY;
        }
    }

    fn find_attribute(&mut self) {
        let name = self.attribute.as_bytes();
        let place = KEPT.iter().position(|kept| *kept == name);
        self.kept = place.filter(|kept| !self.has[*kept]);
    }

    fn start(&mut self) -> Option<State> {
        self.last_start = self.name;
        let name = self.name;
        let name = name.as_bytes();
        let mut is_foreign = self.open.last().is_some_and(|open| open.holds_foreign);
        if is_foreign && (BREAKS_OUT.contains(&name) || self.is_font()) {
            self.break_out();
            is_foreign = false;
        }
        if self.may_be_frameset && !is_foreign {
            self.is_frameset = name == b"frameset";
            self.may_be_frameset = !self.is_frameset && !BEFORE_NO_FRAMESET.contains(&name);
        }
        let has_no_content =
            self.is_self_closing && (is_foreign || matches!(name, b"svg" | b"math"));
        let is_read = self.templates == 0 && !self.is_frameset;
        let mut is_rsl = false;
        if let Some(kind) = self.tag.counted().filter(|_| is_read) {
            self.numbers[kind] = self.numbers[kind].saturating_add(1);
            let element = self.tag.element(self.numbers[kind], &self.values);
            element.into_iter().for_each(&mut *self.found);
            is_rsl = self.tag == Tag::Script && link::is_rsl(&self.values[TYPE]) && !has_no_content;
            if is_rsl {
                self.script = Some(!self.open.is_empty());
                self.text.clear();
            }
        }
        if has_no_content {
            return None;
        }
        self.open(is_foreign);
        if is_rsl {
            return Some(State::ScriptData);
        }
        if is_foreign {
            return None;
        }
        match name {
            b"textarea" | b"title" => Some(State::RcData),
            b"plaintext" => Some(State::PlainText),
            b"script" => Some(State::ScriptData),
            b"style" | b"iframe" | b"xmp" | b"noembed" | b"noframes" => Some(State::RawText),
            _ => None,
        }
    }

    /// Notes that an element is open, which is one of SVG or MathML if it stands in such.
    #[inline]
    fn open(&mut self, in_foreign: bool) {
        /// Browsers nest no deeper.
        const DEEPEST: usize = 512;
        let name = self.name.as_bytes();
        match name {
            b"html" | b"head" | b"body" => return,
            _ if in_foreign => {}
            b"template" => self.templates = self.templates.saturating_add(1),
            _ if VOID.contains(&name) => return,
            _ => {}
        }
        if self.open.last().is_some_and(|last| last.name.as_bytes() == b"p")
            && END_P.contains(&name)
        {
            self.open.pop();
        }
        if self.open.len() < DEEPEST {
            let kind = self.kind(in_foreign);
            let holds_html = match kind {
                Kind::Html => true,
                Kind::Svg => in_foreign && HTML_IN_SVG.contains(&name),
                Kind::Math => {
                    in_foreign && (HTML_IN_MATH.contains(&name) || self.annotates_in_html())
                }
            };
            self.open.push(Open { name: self.name, kind, holds_foreign: !holds_html });
        }
    }

    /// Of what the element is whose start was read.
    fn kind(&self, in_foreign: bool) -> Kind {
        let around = self.open.last().filter(|_| in_foreign);
        match (around, self.name.as_bytes()) {
            (None, b"math") => Kind::Math,
            (None, b"svg") => Kind::Svg,
            (None, _) => Kind::Html,
            // An image may annotate a formula.
            (Some(around), b"svg") if around.name.as_bytes() == b"annotation-xml" => Kind::Svg,
            (Some(around), _) => around.kind,
        }
    }

    /// Returns true if the tag is a `font` of HTML.
    fn is_font(&self) -> bool {
        self.tag == Tag::Font && self.has[OF_FONT].contains(&true)
    }

    /// Returns true if the tag is an `annotation-xml` whose encoding says that it is HTML.
    fn annotates_in_html(&self) -> bool {
        let encoding = &self.values[ENCODING];
        self.tag == Tag::Annotation
            && HTML_ANNOTATIONS.iter().any(|html| encoding.eq_ignore_ascii_case(html))
    }

    /// Closes the open elements of SVG and MathML, up to one in which there is HTML.
    fn break_out(&mut self) {
        while self.open.last().is_some_and(|open| open.holds_foreign) {
            self.open.pop();
        }
    }

    /// Notes that an element is closed, and those in it.
    #[inline]
    fn close(&mut self) {
        /// Of elements that are closed out of order, those further up stay open.
        const LOOKED_AT: usize = 32;
        let name = self.name;
        if matches!(name.as_bytes(), b"p" | b"br") {
            self.break_out();
        }
        let from = self.open.len().saturating_sub(LOOKED_AT);
        let found = self.open[from..].iter().rposition(|open| open.name == name);
        let mut is_foreign = false;
        if let Some(at) = found {
            is_foreign = self.open[from + at].kind != Kind::Html;
            self.open.truncate(from + at);
        }
        if name.as_bytes() == b"template" && !is_foreign {
            self.templates = self.templates.saturating_sub(1);
        }
    }

    fn end(&mut self) {
        if self.name.as_bytes() == b"script"
            && let Some(in_element) = self.script.take()
        {
            let number = self.numbers[2];
            (self.found)(PageElement::RslScript { number, text: &self.text, in_element });
        }
        self.close();
    }
}

impl Emitter for Elements<'_> {
    type Token = ();

    #[inline]
    fn should_emit_errors(&mut self) -> bool {
        false
    }

    #[inline]
    fn pop_token(&mut self) -> Option<()> {
        self.is_done.then_some(())
    }

    #[inline]
    fn move_position(&mut self, offset: isize) {
        self.position = self.position.wrapping_add_signed(offset);
    }

    #[inline]
    fn emit_string(&mut self, text: &[u8]) {
        if self.may_be_frameset && !text.trim_ascii().is_empty() {
            // The text of a title is none of the body.
            let in_head = |open: &Open| {
                matches!(open.name.as_bytes(), b"title" | b"style" | b"script" | b"noscript")
            };
            self.may_be_frameset = self.open.iter().any(in_head) || self.templates > 0;
        }
        if self.script.is_some() {
            self.text.extend_from_slice(text);
        }
    }

    #[inline]
    fn init_start_tag(&mut self) {
        self.name = TagName::EMPTY;
        self.tag = Tag::Unnamed;
        self.is_self_closing = false;
    }

    #[inline]
    fn init_end_tag(&mut self) {
        self.name = TagName::EMPTY;
        self.tag = Tag::End;
    }

    #[inline]
    fn set_self_closing(&mut self) {
        self.is_self_closing = true;
    }

    #[inline]
    fn push_tag_name(&mut self, text: &[u8]) {
        self.name.push(text);
    }

    #[inline]
    fn init_attribute(&mut self) {
        self.name_tag();
        self.end_attribute();
    }

    #[inline]
    fn push_attribute_name(&mut self, text: &[u8]) {
        if self.collects() {
            self.attribute.push(text);
        }
    }

    #[inline]
    fn init_attribute_value(&mut self) {
        if self.collects() {
            self.find_attribute();
        }
    }

    #[inline]
    fn push_attribute_value(&mut self, text: &[u8]) {
        if self.collects()
            && let Some(kept) = self.kept
        {
            self.values[kept].extend_from_slice(text);
        }
    }

    #[inline]
    fn emit_current_tag(&mut self) -> Option<State> {
        self.name_tag();
        self.end_attribute();
        let state = if self.tag == Tag::End {
            self.end();
            None
        } else {
            self.start()
        };
        self.is_done = self.position > self.last && self.script.is_none();
        state
    }

    #[inline]
    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.tag == Tag::End && self.name == self.last_start
    }

    #[inline]
    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.open.last().is_some_and(|open| open.kind != Kind::Html)
    }

    fn set_last_start_tag(&mut self, name: Option<&[u8]>) {
        self.last_start = TagName::EMPTY;
        self.last_start.push(name.unwrap_or_default());
    }

    fn emit_eof(&mut self) {}
    fn emit_error(&mut self, _: Error) {}
    fn init_comment(&mut self) {}
    fn push_comment(&mut self, _: &[u8]) {}
    fn emit_current_comment(&mut self) {}
    fn init_doctype(&mut self) {}
    fn emit_current_doctype(&mut self) {}
    fn set_force_quirks(&mut self) {}
    fn push_doctype_name(&mut self, _: &[u8]) {}
    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Markup, last_candidate, read_page};

    fn shown(html: &str) -> Vec<String> {
        let mut all = Vec::new();
        read_page(Markup::Html, html.as_bytes(), &mut |element| {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            all.push(match element {
                PageElement::Meta { number, name, content } => {
                    format!("meta {number} {}={}", text(name), text(content))
                }
                PageElement::Link { number, rel, href, media_type } => {
                    format!("link {number} {} {} {}", text(rel), text(href), text(media_type))
                }
                PageElement::RslScript { number, text: script, in_element } => {
                    format!("script {number} {} {in_element}", text(script))
                }
            });
        });
        all
    }

    const META: &str = "<meta name=robots content=noindex>";
    const READ: &str = "meta 1 robots=noindex";

    #[test]
    fn utf_16() {
        let marked = "\u{feff}<meta name=robots content=\"no\u{e9}index\">";
        // Without a mark, as a header names it.
        let plain = &marked[3..];
        let both = [u16::to_le_bytes, u16::to_be_bytes];
        for (text, bytes) in [marked, plain].into_iter().flat_map(|text| both.map(|it| (text, it)))
        {
            let page: Vec<u8> = text.encode_utf16().flat_map(bytes).chain(*b"x").collect();
            let mut found = Vec::new();
            read_page(Markup::Html, &page, &mut |element| {
                if let PageElement::Meta { content, .. } = element {
                    found.push(String::from_utf8(content.to_vec()).unwrap());
                }
            });
            assert_eq!(found, ["no\u{e9}index"]);
        }
    }

    #[test]
    fn tags() {
        for (html, wanted) in [
            (META, READ),
            ("<META NAME='robots' CONTENT=\"noindex\" />", READ),
            ("<meta content=noindex\nname = robots>", READ),
            ("<meta name=robots content='no&#105;ndex'>", READ),
            ("<meta name=\"&#114;obots\" content=noindex>", READ),
            // Of equal attributes the first counts, even without a value.
            ("<meta name=robots content=noindex content=all name=x>", READ),
            ("<meta name=robots content content=noindex>", "meta 1 robots="),
            ("<meta name=robots>", "meta 1 robots="),
            ("<meta>", "meta 1 ="),
            ("<p><body><meta name=robots content=noindex>", READ),
            ("<noscript><meta name=robots content=noindex></noscript>", READ),
            ("</title><meta name=robots content=noindex>", READ),
            ("<metadata name=robots content=noindex>", ""),
            ("<meta name=robots content=noindex", ""),
            ("</meta name=robots content=noindex>", ""),
            ("&lt;meta name=robots content=noindex>", ""),
            ("", ""),
            ("<", ""),
        ] {
            assert_eq!(shown(html).join("; "), wanted, "{html}");
        }
    }

    #[test]
    fn what_is_no_markup() {
        for (before, after) in [
            ("<!--", "-->"),
            ("<!-- > ", "-->"),
            ("<title>", "</title>"),
            ("<TITLE>", "</title >"),
            ("<textarea>", "</textarea>"),
            ("<style>", "</style>"),
            ("<xmp>", "</xmp>"),
            ("<iframe>", "</iframe>"),
            ("<noembed>", "</noembed>"),
            ("<noframes>", "</noframes>"),
            ("<script>", "</script>"),
            ("<script>'<!--'", "</script>"),
            ("<script>'<!--<script>'", "</script></script>"),
            ("<template>", "</template>"),
            ("<template><template></template>", "</template>"),
            ("<a title='", "'>"),
            ("<a title=\"", "\">"),
            ("<plaintext>", ""),
            ("<title>", ""),
        ] {
            assert_eq!(shown(&[before, META, after].concat()), [""; 0], "{before}");
            if !after.is_empty() {
                let html = [before, META, after, META].concat();
                assert_eq!(shown(&html), [READ], "{html}");
            }
        }
        // In SVG and MathML a slash ends an element.
        for (before, after) in [
            ("<svg><title/>", ""),
            ("<math><a><style/>", "</math>"),
            ("<svg/><script>'<!--'</script>", ""),
            ("<MATH a='b'/><style><!--</style>", ""),
            ("<svg><desc><svg/><script>'<!--'</script>", "</svg>"),
        ] {
            assert_eq!(shown(&[before, META, after].concat()), [READ], "{before}");
        }
        for before in [
            "<title/>",
            "<svg></svg><title/>",
            "<svg/><title>",
            "<math/><style>",
            "<svg><p><title>",
            "<svg><title><title>",
            // A font is one of HTML by its looks.
            "<svg><font color><title>",
            "<math><a><FONT x=y SIZE='1'><title>",
            "<svg><font face='a'/><title>",
        ] {
            assert_eq!(shown(&[before, META].concat()), [""; 0], "{before}");
        }
        // There, titles are markup too, and CDATA is none; an element of HTML ends both.
        for before in [
            "<svg><title>",
            "<svg><textarea>",
            "<svg><style>",
            "<svg><template>",
            "<svg><desc><svg></svg></desc></svg>",
            "<svg><![CDATA[<title>]]>",
            "<svg><font><title>",
            "<svg><font colors=a x=face><title>",
            "<svg/ ><title>",
            "<math><mi><svg><title>x</title></svg></mi></math>",
        ] {
            assert_eq!(shown(&[before, META].concat()), [READ], "{before}");
        }
        // An annotation in HTML has raw text; one in anything else, or of SVG, has none.
        for (before, is_read) in [
            ("<math><annotation-xml encoding='text/html'><style>", false),
            ("<math><annotation-xml ENCODING=Application/XHTML+XML><title>", false),
            ("<math><annotation-xml encoding='text/html'><p><style>", false),
            ("<math><annotation-xml encoding='text/html'><svg><style>", true),
            ("<math><annotation-xml encoding='text/html'>", true),
            ("<math><annotation-xml encoding='text/html'></annotation-xml><style>", true),
            ("<math><annotation-xml encoding='text/html '><style>", true),
            ("<math><annotation-xml encoding='MathML' encoding='text/html'><style>", true),
            ("<math><annotation-xml><style>", true),
            ("<math><annotation-xml><svg><title><style>", false),
            ("<svg><annotation-xml encoding='text/html'><style>", true),
            ("<svg><mi><style>", true),
            ("<math><title><style>", true),
            ("<svg><title><math><mi><style>", false),
        ] {
            let wanted: &[&str] = if is_read { &[READ] } else { &[] };
            assert_eq!(shown(&[before, META].concat()), wanted, "{before}");
        }
        let in_cdata = ["<svg><![CDATA[", META, "]]></svg>"].concat();
        assert_eq!(shown(&in_cdata), [""; 0]);
        let in_comment = ["<![CDATA[>", META, "]]>"].concat();
        assert_eq!(shown(&in_comment), [READ]);
        // These end at once.
        for before in ["<!-->", "<!--->", "<!>", "<?x>", "</x>", "<title></title>", "</template>"] {
            assert_eq!(shown(&[before, META].concat()), [READ], "{before}");
        }
    }

    /// A page of frames has no elements that count but those in its head.
    #[test]
    fn frames() {
        for before in ["", "<html><head><title>t</title></head>", "<p>"] {
            let html = [before, "<frameset>", META, "</frameset>", META].concat();
            assert_eq!(shown(&html), [""; 0], "{before}");
            let html = [before, META, "<frameset></frameset>"].concat();
            assert_eq!(shown(&html), [READ], "{before}");
        }
        // Here there is a body already, so it is no page of frames.
        for before in ["x", "<body>", "<img>", "<head></head>x"] {
            assert_eq!(shown(&[before, "<frameset>", META].concat()), [READ], "{before}");
        }
    }

    #[test]
    fn links_and_numbers() {
        let html = "<link rel=stylesheet href=s.css><meta charset=utf-8><template><link></template>\
            <link rel=\"license\" href=\"https://e.com/?a&amp;b\" type='application/rsl+xml'><meta name=a>";
        assert_eq!(
            shown(html),
            [
                "link 1 stylesheet s.css ",
                "meta 1 =",
                "link 2 license https://e.com/?a&b application/rsl+xml",
                "meta 2 a="
            ]
        );
    }

    #[test]
    fn scripts() {
        let rsl = |before: &str, after: &str| {
            let script = "<script type='Application/RSL+xml'><rsl>&amp;</rsl></script>";
            shown(&[before, script, after].concat())
        };
        let page = ["script 1 <rsl>&amp;</rsl> false"];
        let element = ["script 1 <rsl>&amp;</rsl> true"];
        for before in [
            "",
            "<head>",
            "<html><head><title>t</title></head><body>",
            "<body><p>Text</p>",
            "<body><p>Text<div>x</div>",
            "<body><figure><img src=x></figure><br>",
            "<body></p></div>",
        ] {
            assert_eq!(rsl(before, "<p>"), page, "{before}");
        }
        for before in
            ["<body><figure><img src=x>", "<p>", "<div><p></p>", "<svg>", "<ul><li>a</ul><b>"]
        {
            assert_eq!(rsl(before, ""), element, "{before}");
        }
        // Not complete, in a template, of another type.
        assert_eq!(shown("<script type=application/rsl+xml><rsl>"), [""; 0]);
        assert_eq!(rsl("<template>", "</template>"), [""; 0]);
        assert_eq!(shown("<script type=text/rsl+xml>x</script>"), [""; 0]);
        assert_eq!(
            shown("<script>1</script><script type=application/rsl+xml;v=1>x</script><meta name=a>"),
            ["script 2 x false", "meta 1 a="]
        );
    }

    /// Reading only up to the last element that matters finds what reading all finds.
    #[test]
    fn nothing_is_missed() {
        const PIECES: [&str; 26] = [
            "<meta name=a content=b>",
            "<link rel=license href=x>",
            "<script>",
            "</script>",
            "<!--",
            "-->",
            "<title>",
            "</title>",
            "<template>",
            "</template>",
            "<script type=application/rsl+xml>",
            "<p>",
            "\r\n",
            "\r",
            "<svg>",
            "<title/>",
            "</svg>",
            "<a b=\"",
            "\">",
            "<meta",
            " x='",
            "'>",
            "\0",
            "\u{e9}",
            "&amp;",
            "<plaintext>",
        ];
        let mut seed = 7u32;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) as usize % below
        };
        let mut found = 0;
        for _ in 0..20_000 {
            let html: String = (0..1 + random(12)).map(|_| PIECES[random(PIECES.len())]).collect();
            let count = |all: &mut Vec<u32>, element: PageElement<'_>| match element {
                PageElement::Meta { number, .. } => all.push(number),
                PageElement::Link { number, .. } => all.push(1_000 + number),
                PageElement::RslScript { number, .. } => all.push(2_000 + number),
            };
            let (mut some, mut all) = (Vec::new(), Vec::new());
            read_page(Markup::Html, html.as_bytes(), &mut |element| count(&mut some, element));
            read_up_to(Some(usize::MAX), [0; 3], html.as_bytes(), &mut |element| {
                count(&mut all, element)
            });
            assert_eq!(some, all, "{html}");
            found += all.len();
        }
        assert!(found > 4_000, "{found}");
    }

    /// Of a page with many more elements only those are read that can matter.
    #[test]
    fn reading_ends_early() {
        let html = [META, &"<a href=x>y</a>".repeat(1000), "<!-- <meta> -->"].concat();
        assert_eq!(shown(&html), [READ]);
        assert_eq!(last_candidate(b"<meta><p>"), Some(0));
        assert_eq!(last_candidate(b"<script src=x>rs"), None);
        assert_eq!(last_candidate(b"<script type=rSL>"), Some(0));
        assert_eq!(last_candidate(b"<script type=rsl><script src=x><script>"), Some(0));
    }
}
