//! When an answer was captured, as far as that is known.

use std::io::{self, Write};

use robotsieve::Origin;
use robotsieve::pack::{Outcome, Site, Writer};
use serde::{Deserialize, Serialize};

/// When an answer was captured. The greater is the newer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Captured {
    /// Seconds since 1970; 0 if unknown.
    pub at: u64,
    /// Not then, but at an unknown time after that.
    pub is_later: bool,
}

impl Captured {
    pub fn at(at: u64) -> Captured {
        Captured { at, is_later: false }
    }

    /// At an unknown time after another one.
    pub fn after(self) -> Captured {
        Captured { at: self.at, is_later: self.at > 0 }
    }

    pub fn of(site: &Site<'_>) -> Captured {
        match site.captured_after() {
            Some(at) => Captured { at, is_later: true },
            None => Captured::at(site.captured().unwrap_or(0)),
        }
    }

    /// Adds an origin with an outcome that was captured then.
    ///
    /// # Errors
    /// The same as for [`Writer::add`].
    pub fn add<W: Write>(
        self,
        writer: &mut Writer<'_, W>,
        origin: &Origin<'_>,
        outcome: Outcome,
    ) -> io::Result<()> {
        match self.is_later {
            true => writer.add_later(origin, outcome, self.at),
            false => writer.add(origin, outcome, Some(self.at)),
        }
    }
}
