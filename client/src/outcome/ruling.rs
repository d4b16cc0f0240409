//! Which policy applies, and why.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// Which policy applies at some time, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Ruling {
    /// Which policy applies.
    pub holds: Holds,
    /// Why it does.
    pub why: Why,
    /// When another policy will apply or the answer will expire, if no further attempt is made.
    pub until: Timestamp,
    /// When to try again. Trying earlier brings nothing.
    pub next_attempt: Timestamp,
    /// Whether the answer has expired. Use it only if no newer one can be fetched.
    pub is_expired: bool,
}

/// Which policy applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Holds {
    /// The rules of the cached copy.
    Rules,
    /// Everything is allowed.
    AllowAll,
    /// Nothing is allowed.
    DisallowAll,
}

impl Holds {
    /// `rules`, `allow all` or `disallow all`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Holds::Rules => "rules",
            Holds::AllowAll => "allow all",
            Holds::DisallowAll => "disallow all",
        }
    }
}

impl fmt::Display for Holds {
    /// [`Holds::as_str`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Why a policy applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Why {
    /// The site has a robots.txt, and these are its rules.
    Copy,
    /// The site has no robots.txt.
    Absent,
    /// The site is unreachable, and its last copy may still be used.
    CopyWhileUnreachable,
    /// The site became unreachable a short time ago.
    UnreachableRecently,
    /// The site is unreachable, and there is no copy.
    UnreachableWithoutCopy,
    /// The site has been unreachable for longer than the protocol's limit.
    UnreachableTooLong,
}

impl Why {
    /// The reason in a few words, for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Why::Copy => "its robots.txt",
            Why::Absent => "it has no robots.txt",
            Why::CopyWhileUnreachable => "its last robots.txt, while it is unreachable",
            Why::UnreachableRecently => "its robots.txt has just become unreachable",
            Why::UnreachableWithoutCopy => "its robots.txt is unreachable and no copy is held",
            Why::UnreachableTooLong => "its robots.txt has been unreachable for too long",
        }
    }
}

impl fmt::Display for Why {
    /// [`Why::as_str`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
