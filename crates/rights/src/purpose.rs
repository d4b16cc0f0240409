//! What content can be used for, and what is said of each use.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign};

/// A use of a page.
///
/// With the feature `serde` it is written as [`Purpose::as_str`] returns it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Purpose {
    /// Fetching it: `Allow` and `Disallow` of robots.txt, and nothing else.
    Crawl,
    /// Listing it in search results.
    Index,
    /// Showing a part of it in search results.
    Snippet,
    /// Giving it to a model that answers a question.
    AiInput,
    /// Training a model on it.
    AiTrain,
    /// An index for AI systems. Only RSL knows it.
    AiIndex,
}

impl Purpose {
    /// All purposes, in the order in which reports list them.
    pub const ALL: &'static [Purpose] = &[
        Purpose::Crawl,
        Purpose::Index,
        Purpose::Snippet,
        Purpose::AiInput,
        Purpose::AiTrain,
        Purpose::AiIndex,
    ];

    /// `crawl`, `index`, `snippet`, `ai-input`, `ai-train` or `ai-index`.
    pub fn as_str(self) -> &'static str {
        match self {
            Purpose::Crawl => "crawl",
            Purpose::Index => "index",
            Purpose::Snippet => "snippet",
            Purpose::AiInput => "ai-input",
            Purpose::AiTrain => "ai-train",
            Purpose::AiIndex => "ai-index",
        }
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A set of purposes, in one byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Purposes(u8);

impl Purposes {
    /// No purpose.
    pub const NONE: Purposes = Purposes(0);
    /// Index and snippet.
    pub const SEARCH: Purposes = Purposes::of(&[Purpose::Index, Purpose::Snippet]);
    /// The three uses by AI systems.
    pub const AI: Purposes = Purposes::of(&[Purpose::AiInput, Purpose::AiTrain, Purpose::AiIndex]);
    /// All purposes but crawling.
    pub const USES: Purposes = Purposes(Purposes::SEARCH.0 | Purposes::AI.0);

    /// The set of these purposes.
    pub const fn of(purposes: &[Purpose]) -> Purposes {
        let (mut bits, mut at) = (0, 0);
        while at < purposes.len() {
            bits |= 1 << purposes[at] as u8;
            at += 1;
        }
        Purposes(bits)
    }

    /// Returns true if the purpose is in the set.
    pub const fn contains(self, purpose: Purpose) -> bool {
        self.0 >> purpose as u8 & 1 != 0
    }

    /// Returns true if no purpose is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The purposes of this set that are not in the other one.
    pub const fn without(self, other: Purposes) -> Purposes {
        Purposes(self.0 & !other.0)
    }

    /// The purposes, in the order of [`Purpose::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Purpose> {
        Purpose::ALL.iter().copied().filter(move |purpose| self.contains(*purpose))
    }
}

impl BitOr for Purposes {
    type Output = Purposes;

    fn bitor(self, other: Purposes) -> Purposes {
        Purposes(self.0 | other.0)
    }
}

impl BitAnd for Purposes {
    type Output = Purposes;

    fn bitand(self, other: Purposes) -> Purposes {
        Purposes(self.0 & other.0)
    }
}

impl BitOrAssign for Purposes {
    fn bitor_assign(&mut self, other: Purposes) {
        self.0 |= other.0;
    }
}

impl From<Purpose> for Purposes {
    fn from(purpose: Purpose) -> Purposes {
        Purposes::of(&[purpose])
    }
}

/// What is known of a purpose: allowed, disallowed, or nothing.
///
/// Unlike a [`Verdict`](robotsieve::Verdict) it has a third value: silence is no permission.
///
/// With the feature `serde` it is written as `"allow"`, `"disallow"` or `"unknown"`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schema",
    schemars(
        description = "What is known of a use: allowed, disallowed, or nothing. Silence is no permission."
    )
)]
pub enum Ruling {
    /// Some statement allows it, and none disallows it.
    Allow,
    /// Some statement disallows it.
    Disallow,
    /// No statement is about it.
    #[default]
    Unknown,
}

impl Ruling {
    /// `allow`, `disallow` or `unknown`.
    pub fn as_str(self) -> &'static str {
        match self {
            Ruling::Allow => "allow",
            Ruling::Disallow => "disallow",
            Ruling::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Ruling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets() {
        assert_eq!(Purposes::USES.iter().count(), 5);
        assert!(!Purposes::USES.contains(Purpose::Crawl));
        let rest = Purposes::USES.without(Purposes::AI);
        assert_eq!(rest.iter().collect::<Vec<_>>(), [Purpose::Index, Purpose::Snippet]);
        assert!(Purposes::NONE.is_empty());
        assert_eq!(Purposes::NONE | Purpose::Crawl.into(), Purposes::of(&[Purpose::Crawl]));
    }
}
