//! Licences that a site names.

use crate::place::Place;

/// A licence that a site names for a page.
///
/// With the feature `serde` it is written with the fields `kind`, `url` (null if the licence is in
/// the page), `via`, and `state` if it is of RSL.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Licence {
    /// The kind of licence.
    pub kind: LicenceKind,
    /// Its address as written. `None` if it is in the page.
    pub url: Option<Box<str>>,
    /// The place that names it.
    pub via: Place,
    /// What became of it, if it is of RSL. Other licences are reported, not read.
    pub state: Option<LicenceState>,
}

/// The most licences of a robots.txt for a crawler, and of a response, that are looked at.
pub(crate) const MOST_LICENCES: usize = 64;

/// Returns true if an address of a licence is read: one that is longer, or has control characters, is of no use
/// to people.
pub(crate) fn is_read(address: &str) -> bool {
    /// The most bytes of an address.
    const MOST_BYTES: usize = 1024;
    address.len() <= MOST_BYTES && !address.bytes().any(|byte| byte.is_ascii_control())
}

/// The kind of a [`Licence`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LicenceKind {
    /// An RSL document.
    Rsl,
    /// A policy of TDMRep.
    TdmPolicy,
    /// Any other, such as one of Creative Commons.
    Other,
}

impl LicenceKind {
    /// `rsl`, `tdm-policy` or `other`.
    pub fn as_str(self) -> &'static str {
        match self {
            LicenceKind::Rsl => "rsl",
            LicenceKind::TdmPolicy => "tdm-policy",
            LicenceKind::Other => "other",
        }
    }
}

/// What became of an RSL document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LicenceState {
    /// It was not among the documents given.
    NotGiven,
    /// It is no valid RSL document, so nothing is known of it.
    Invalid,
    /// It does not cover the URL.
    NoMatch,
    /// It covers an element of the page only.
    ElementScoped,
    /// It was read, and covers the URL.
    Read,
}

impl LicenceState {
    /// `not-given`, `invalid`, `no-match`, `element-scoped` or `read`.
    pub fn as_str(self) -> &'static str {
        match self {
            LicenceState::NotGiven => "not-given",
            LicenceState::Invalid => "invalid",
            LicenceState::NoMatch => "no-match",
            LicenceState::ElementScoped => "element-scoped",
            LicenceState::Read => "read",
        }
    }
}

impl serde::Serialize for Licence {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut out =
            serializer.serialize_struct("Licence", 3 + usize::from(self.state.is_some()))?;
        out.serialize_field("kind", &self.kind)?;
        out.serialize_field("url", &self.url)?;
        out.serialize_field("via", &self.via)?;
        if let Some(state) = self.state {
            out.serialize_field("state", &state)?;
        }
        out.end()
    }
}
