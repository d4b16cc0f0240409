//! An RSL document, ready to be asked about URLs.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::place::Place;
use crate::quotation::in_one_line;
use crate::rsl::compiled::Compiled;
use crate::rsl::content::Content;
use crate::rsl::parse;

/// An RSL 1.0 document: licences by path.
///
/// ```
/// use robotsieve_rights::{InvalidRsl, Rsl};
///
/// let document = br#"<rsl xmlns="https://rslstandard.org/rsl"><content url="/">
///     <license><permits type="usage">search</permits></license></content></rsl>"#;
/// assert!(Rsl::parse(document, "https://e.com/license.xml").is_ok());
/// // No document type, and so no entities: nothing in it can grow.
/// assert!(Rsl::parse(b"<!DOCTYPE rsl><rsl/>", "https://e.com/license.xml").is_err());
/// ```
#[derive(Clone, Debug)]
pub struct Rsl {
    pub(super) name: Arc<str>,
    /// The number of its contents.
    count: usize,
    text: Box<str>,
    /// Where each licence stands in the text, and of which content it is, in their order.
    licences: Vec<(u32, Range<u32>)>,
    pub(super) compiled: Compiled,
}

/// The most bytes of a document.
const MAX_BYTES: usize = 4 << 20;

impl Rsl {
    /// Reads a document. `name` is its address, or the place of the script that it is; places are
    /// named by it.
    ///
    /// Refuses a document type, and with it every entity but the five of XML itself; a document of
    /// more than 4 MiB, nested more than 64 deep, or with more than 64 attributes in an element; and
    /// what RSL 1.0 does not allow: another namespace, an element that it does not know, a content
    /// without `url` or licence. Refuses more than 16 paths with a `*` within for a site, or 80 conditions
    /// of them, too. `O(n)`; what the document says of a URL is settled here, once.
    ///
    /// # Errors
    /// Returns an error if it is not a valid document. Then nothing is known of it.
    pub fn parse(document: &[u8], name: &str) -> Result<Rsl, InvalidRsl> {
        if document.len() > MAX_BYTES {
            return Err(InvalidRsl("at most 4 MiB"));
        }
        let text = parse::text(document).ok_or(InvalidRsl(EXPECTED))?;
        let contents = parse::read(&text).ok_or(InvalidRsl(EXPECTED))?;
        let compiled = Compiled::new(&contents).map_err(InvalidRsl)?;
        let of_content = |(content, number): (&Content, u32)| {
            let at = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
            let spans =
                content.spans.iter().map(move |span| (number, at(span.start)..at(span.end)));
            spans.collect::<Vec<_>>()
        };
        let licences = contents.iter().zip(1..).flat_map(of_content).collect();
        let text = text.into_owned().into();
        Ok(Rsl { name: name.into(), count: contents.len(), text, licences, compiled })
    }

    /// The name that its places have.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The licence at a place.
    pub(crate) fn quote(&self, place: &Place) -> Option<String> {
        let Place::Rsl { content, licence, .. } = place else { return None };
        let first = self.licences.partition_point(|(of, _)| of < content);
        let (of, span) = self.licences.get(first + licence.checked_sub(1)? as usize)?;
        let span = span.start as usize..span.end as usize;
        (of == content).then(|| self.text.get(span)).flatten().map(in_one_line)
    }

    /// The document, if it has exactly one content, as one in a page must.
    pub(crate) fn with_one_content(self) -> Result<Rsl, InvalidRsl> {
        if self.count == 1 { Ok(self) } else { Err(InvalidRsl("exactly one content in a page")) }
    }
}

/// The error of [`Rsl::parse`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidRsl(&'static str);

const EXPECTED: &str = "a document of RSL 1.0, without a document type";

impl fmt::Display for InvalidRsl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}", self.0)
    }
}

impl std::error::Error for InvalidRsl {}
