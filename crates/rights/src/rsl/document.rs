//! An RSL document, ready to be asked about URLs.

use std::fmt;
use std::sync::Arc;

use robotsieve::Profile;

use crate::paths::Paths;
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
    pub(super) contents: Vec<Content>,
    /// The contents with a path, which is a pattern of RFC 9309. The number is that of the content.
    pub(super) paths: Paths,
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
    /// without `url` or licence. `O(n)`.
    ///
    /// # Errors
    /// Returns an error if it is not a valid document. Then nothing is known of it.
    pub fn parse(document: &[u8], name: &str) -> Result<Rsl, InvalidRsl> {
        if document.len() > MAX_BYTES {
            return Err(InvalidRsl(()));
        }
        let contents = parse::contents(document).ok_or(InvalidRsl(()))?;
        let paths = contents.iter().zip(0..).filter_map(|(content, number)| {
            let path = content.path();
            path.map(|path| (Some(path.as_bytes()), number))
        });
        let paths = Paths::new(paths, &Profile::RFC9309);
        Ok(Rsl { name: name.into(), contents, paths })
    }

    /// The name that its places have.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The document, if it has exactly one content, as one in a page must.
    pub(crate) fn with_one_content(self) -> Result<Rsl, InvalidRsl> {
        if self.contents.len() == 1 { Ok(self) } else { Err(InvalidRsl(())) }
    }
}

/// The error of [`Rsl::parse`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidRsl(());

impl fmt::Display for InvalidRsl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a document of RSL 1.0, without a document type")
    }
}

impl std::error::Error for InvalidRsl {}
