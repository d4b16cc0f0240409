//! The verdict: what everything else leads to.

use std::fmt;

/// Whether a crawler may fetch a URL, by robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
pub enum Verdict {
    /// It may.
    Allow,
    /// It may not.
    Disallow,
}

impl Verdict {
    /// Whether this is [`Verdict::Allow`].
    pub fn is_allow(self) -> bool {
        self == Verdict::Allow
    }

    /// `allow` or `disallow`.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Allow => "allow",
            Verdict::Disallow => "disallow",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
