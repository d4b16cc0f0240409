//! What is wrong with the value of a record.

use std::fmt;

use super::kind::Kind;

/// The error for a value that does not follow the definition of its field. The record keeps the
/// value as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InvalidValue {
    kind: Kind,
    what: &'static str,
}

impl InvalidValue {
    /// What was expected of a value of this kind.
    #[must_use]
    pub fn new(kind: Kind, what: &'static str) -> InvalidValue {
        InvalidValue { kind, what }
    }

    /// The kind of record whose value is invalid.
    pub fn kind(&self) -> Kind {
        self.kind
    }
}

impl fmt::Display for InvalidValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid {}: {}", self.kind.as_str(), self.what)
    }
}

impl std::error::Error for InvalidValue {}
