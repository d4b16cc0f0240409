//! Why a value is not what its field says.

use std::fmt;

use super::Kind;

/// The error for a value that is not what its field's definition asks for. The record keeps
/// its value as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InvalidValue {
    kind: Kind,
    what: &'static str,
}

impl InvalidValue {
    pub(super) fn new(kind: Kind, what: &'static str) -> InvalidValue {
        InvalidValue { kind, what }
    }

    /// What the value was to be.
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
