//! Rulings: the policy that applies, and why.

use std::fmt;

use robotsieve::SiteKind;
use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// The policy that applies at some time, and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Ruling {
    /// The policy that applies: the rules of the cached copy, or what stands for rules.
    /// [`SiteKind::Unknown`] only with [`Why::NeverAsked`].
    pub holds: SiteKind,
    /// The reason.
    pub why: Why,
    /// From when on the ruling applies. If the time is earlier, the clock has been set back: ask
    /// for another ruling.
    pub valid_from: Timestamp,
    /// The time at which another policy will apply or the answer will expire, if no further attempt
    /// is made. In the past if the answer has expired.
    pub until: Timestamp,
    /// The time to try again. Trying earlier brings nothing.
    pub next_attempt: Timestamp,
    /// True if the answer has expired, or the site has not been asked for long after
    /// [`Ruling::next_attempt`]. Use it only if no newer answer can be fetched.
    pub is_expired: bool,
}

impl Ruling {
    /// True if this is still the ruling at `now`, and no attempt is due.
    ///
    /// To keep a ruling in memory, keep [`Ruling::valid_from`] and the smaller one of
    /// [`Ruling::until`] and [`Ruling::next_attempt`], and compare the time with both: a clock
    /// may be set back as well as forward.
    #[must_use]
    pub fn is_current_at(&self, now: Timestamp) -> bool {
        self.valid_from <= now && now < self.until.min(self.next_attempt)
    }
}

/// The reason for a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Why {
    /// The site has a robots.txt, and these are its rules.
    Copy,
    /// The site has no robots.txt.
    Absent,
    /// The site answered 401 or 403, and the protocol takes that for a refusal.
    Denied,
    /// The site is unreachable, and its last copy may still be used.
    CopyWhileUnreachable,
    /// The site became unreachable a short time ago.
    UnreachableRecently,
    /// The site is unreachable, and there is no copy.
    UnreachableWithoutCopy,
    /// The site has been unreachable for longer than the protocol's limit.
    UnreachableTooLong,
    /// The site has never been asked, since each attempt failed on this side or the settings forbid its
    /// address, or its answer is not known.
    /// Whoever cannot ask it now does not know what applies.
    NeverAsked,
    /// An override of the operator decides; nothing is fetched.
    Override,
}

impl Why {
    /// The reason in a few words, for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Why::Copy => "its robots.txt",
            Why::Absent => "it has no robots.txt",
            Why::Denied => "it does not show its robots.txt",
            Why::CopyWhileUnreachable => "its last robots.txt, while it is unreachable",
            Why::UnreachableRecently => "its robots.txt has just become unreachable",
            Why::UnreachableWithoutCopy => "its robots.txt is unreachable and no copy is held",
            Why::UnreachableTooLong => "its robots.txt has been unreachable for too long",
            Why::NeverAsked => "what it answers is not known",
            Why::Override => "an override of the operator",
        }
    }
}

impl fmt::Display for Why {
    /// [`Why::as_str`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
