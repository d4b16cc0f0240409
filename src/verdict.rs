//! The verdict, which everything else leads to.

/// Whether robots.txt lets a crawler fetch a URL.
///
/// Not `#[non_exhaustive]`: a verdict is one of these two and stays so. An invalid URL has no
/// verdict but an error, [`InvalidUrl`](crate::InvalidUrl).
///
/// With the feature `serde` it is written as `"allow"` or `"disallow"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Verdict {
    /// It may fetch the URL.
    Allow,
    /// It may not fetch the URL.
    Disallow,
}

impl Verdict {
    /// Returns true if this is [`Verdict::Allow`].
    pub fn is_allow(self) -> bool {
        self == Verdict::Allow
    }

    /// The other verdict.
    #[must_use]
    pub fn opposite(self) -> Verdict {
        match self {
            Verdict::Allow => Verdict::Disallow,
            Verdict::Disallow => Verdict::Allow,
        }
    }

    /// `allow` or `disallow`.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Allow => "allow",
            Verdict::Disallow => "disallow",
        }
    }
}

display_as_str!(Verdict);
