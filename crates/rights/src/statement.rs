//! A statement about uses of content, settled within its mechanism.

use crate::place::Place;
use crate::purpose::Purposes;
use crate::version::Version;

/// What one place says of a page: the result of a mechanism after its own precedence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statement {
    /// Where it stands.
    pub place: Place,
    /// The text that it follows.
    pub version: Version,
    /// The purposes that it allows.
    pub allows: Purposes,
    /// The purposes that it disallows.
    pub disallows: Purposes,
    /// Of the purposes that it disallows those that a licence can be had for.
    pub licensable: Purposes,
}

impl Statement {
    pub(crate) fn new(place: Place, version: Version) -> Statement {
        let none = Purposes::NONE;
        Statement { place, version, allows: none, disallows: none, licensable: none }
    }

    pub(crate) fn allowing(self, purposes: Purposes) -> Statement {
        Statement { allows: self.allows | purposes, ..self }
    }

    pub(crate) fn disallowing(self, purposes: Purposes) -> Statement {
        Statement { disallows: self.disallows | purposes, ..self }
    }

    /// Returns true if it is about no purpose.
    pub fn is_empty(&self) -> bool {
        (self.allows | self.disallows).is_empty()
    }
}
