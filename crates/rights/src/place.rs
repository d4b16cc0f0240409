//! Where a statement stands.

use std::fmt;
use std::sync::Arc;

/// The place of a statement, counted from 1.
///
/// Its `Display` is `robots.txt:LINE`, `header:NAME` or `header:NAME:N` (the Nth field line of that
/// name), `html:meta:N`, `html:link:N` or `html:script:N` (the Nth such element that is read),
/// `file:/.well-known/tdmrep.json:N` (the Nth rule), `xmp:PROPERTY:N` (of the Nth packet of an image or a PDF:
/// `xmp:plus:DataMining:1`), or `rsl:URL:C.L` (licence L of content C; of a
/// document in a page `rsl:html:script:N:C.L`); behind the place of a document that was captured after the page
/// `@` and that time. With the feature `serde` it is written so.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Place {
    /// A line of robots.txt.
    Robots {
        /// The line.
        line: u32,
    },
    /// A field of the response's header.
    Header {
        /// The field.
        field: HeaderField,
        /// Which of the field's lines, if each is read for itself.
        line: Option<u32>,
    },
    /// An element of the page.
    Html {
        /// The kind of element.
        element: Element,
        /// Which of them.
        number: u32,
    },
    /// A rule of `/.well-known/tdmrep.json`.
    TdmFile {
        /// Which rule.
        rule: u32,
    },
    /// A property of an XMP packet of an image or a PDF.
    Xmp {
        /// The property.
        property: XmpProperty,
        /// Which of the file's packets.
        packet: u32,
    },
    /// A licence of an RSL document.
    Rsl {
        /// The address of the document, or the place of the script that it is.
        document: Arc<str>,
        /// Which content.
        content: u32,
        /// Which licence of the content.
        licence: u32,
    },
    /// A place of a document as it was captured later than the page.
    Later {
        /// When it was captured.
        captured: Arc<str>,
        /// Where in it.
        place: Box<Place>,
    },
}

/// A header field that can hold a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum HeaderField {
    /// `Content-Usage`.
    ContentUsage,
    /// `Content-Signal`.
    ContentSignal,
    /// `X-Robots-Tag`.
    XRobotsTag,
    /// `Robots-Tag`.
    RobotsTag,
    /// `tdm-reservation`.
    TdmReservation,
    /// `tdm-policy`.
    TdmPolicy,
    /// `Link`.
    Link,
}

impl HeaderField {
    /// The field of this name, which has no case.
    pub fn of_name(name: &[u8]) -> Option<HeaderField> {
        const ALL: [HeaderField; 7] = [
            HeaderField::ContentUsage,
            HeaderField::ContentSignal,
            HeaderField::XRobotsTag,
            HeaderField::RobotsTag,
            HeaderField::TdmReservation,
            HeaderField::TdmPolicy,
            HeaderField::Link,
        ];
        ALL.into_iter().find(|field| name.eq_ignore_ascii_case(field.as_str().as_bytes()))
    }

    /// Returns true if a field of this name is read: one that can hold a statement, or say that the body is a part.
    pub fn is_read(name: &[u8]) -> bool {
        let is = |other: &str| name.eq_ignore_ascii_case(other.as_bytes());
        HeaderField::of_name(name).is_some() || is("content-range") || is("content-type")
    }

    /// The name in lower case.
    pub fn as_str(self) -> &'static str {
        match self {
            HeaderField::ContentUsage => "content-usage",
            HeaderField::ContentSignal => "content-signal",
            HeaderField::XRobotsTag => "x-robots-tag",
            HeaderField::RobotsTag => "robots-tag",
            HeaderField::TdmReservation => "tdm-reservation",
            HeaderField::TdmPolicy => "tdm-policy",
            HeaderField::Link => "link",
        }
    }
}

/// An element of a page that can hold a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Element {
    /// `<meta>`.
    Meta,
    /// `<link>`.
    Link,
    /// `<script>`.
    Script,
}

impl Element {
    /// The name of the element.
    pub fn as_str(self) -> &'static str {
        match self {
            Element::Meta => "meta",
            Element::Link => "link",
            Element::Script => "script",
        }
    }
}

/// A property of XMP that can hold a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum XmpProperty {
    /// `plus:DataMining`.
    DataMining,
    /// `tdm:reservation`.
    TdmReservation,
    /// `tdm:policy`.
    TdmPolicy,
}

impl XmpProperty {
    /// The name with the prefix that its text gives it, whatever a packet calls it.
    pub fn as_str(self) -> &'static str {
        match self {
            XmpProperty::DataMining => "plus:DataMining",
            XmpProperty::TdmReservation => "tdm:reservation",
            XmpProperty::TdmPolicy => "tdm:policy",
        }
    }

    /// The name in its namespace.
    pub(crate) fn local_name(self) -> &'static str {
        self.as_str().split_once(':').map_or("", |(_, name)| name)
    }
}

impl Place {
    /// A header field that is read as a whole.
    pub(crate) fn header(field: HeaderField) -> Place {
        Place::Header { field, line: None }
    }

    /// The same place of the document that was captured then, if `captured` says when.
    #[must_use]
    pub fn later(self, captured: impl Fn(&Place) -> Option<Arc<str>>) -> Place {
        match captured(&self) {
            Some(captured) => Place::Later { captured, place: Box::new(self) },
            None => self,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Robots { line } => write!(f, "robots.txt:{line}"),
            Place::Header { field, line: None } => write!(f, "header:{}", field.as_str()),
            Place::Header { field, line: Some(line) } => {
                write!(f, "header:{}:{line}", field.as_str())
            }
            Place::Html { element, number } => write!(f, "html:{}:{number}", element.as_str()),
            Place::TdmFile { rule } => write!(f, "file:/.well-known/tdmrep.json:{rule}"),
            Place::Xmp { property, packet } => write!(f, "xmp:{}:{packet}", property.as_str()),
            Place::Rsl { document, content, licence } => {
                write!(f, "rsl:{document}:{content}.{licence}")
            }
            Place::Later { captured, place } => write!(f, "{place}@{captured}"),
        }
    }
}

impl serde::Serialize for Place {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
