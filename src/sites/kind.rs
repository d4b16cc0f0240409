//! The kind of what is known of a site.

use std::fmt;

/// The kind of what is known of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum SiteKind {
    /// The rules of a file.
    Rules,
    /// Everything is allowed.
    AllowAll,
    /// Nothing is allowed.
    DisallowAll,
    /// Nothing is known.
    Unknown,
}

impl SiteKind {
    pub(crate) fn of(byte: u8) -> Option<SiteKind> {
        const ALL: [SiteKind; 4] =
            [SiteKind::Rules, SiteKind::AllowAll, SiteKind::DisallowAll, SiteKind::Unknown];
        ALL.get(usize::from(byte)).copied()
    }

    /// As the commands print it: `rules`, `allow-all`, `disallow-all` or `unknown`.
    pub fn as_str(self) -> &'static str {
        match self {
            SiteKind::Rules => "rules",
            SiteKind::AllowAll => "allow-all",
            SiteKind::DisallowAll => "disallow-all",
            SiteKind::Unknown => "unknown",
        }
    }
}

impl fmt::Display for SiteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The rules of a site, or what stands for them, for [`PolicySet::insert`](crate::PolicySet::insert).
///
/// A file becomes one by itself: `set.insert(&origin, file)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteRules<'f> {
    /// Those of this file.
    File(&'f [u8]),
    /// Everything is allowed: it has no robots.txt.
    AllowAll,
    /// Nothing is allowed but `/robots.txt` itself, where the profile allows that: it cannot be
    /// reached, or refuses.
    DisallowAll,
    /// Nothing is known: all answers are [`Answer::Unknown`](crate::Answer::Unknown).
    Unknown,
}

impl<'f> SiteRules<'f> {
    /// Its kind.
    pub fn kind(&self) -> SiteKind {
        match self {
            SiteRules::File(_) => SiteKind::Rules,
            SiteRules::AllowAll => SiteKind::AllowAll,
            SiteRules::DisallowAll => SiteKind::DisallowAll,
            SiteRules::Unknown => SiteKind::Unknown,
        }
    }

    /// A file that says the same. `None` if nothing is known.
    pub(crate) fn file(self) -> Option<&'f [u8]> {
        match self {
            SiteRules::File(file) => Some(file),
            SiteRules::AllowAll => Some(b""),
            SiteRules::DisallowAll => Some(b"User-agent: *\nDisallow: /"),
            SiteRules::Unknown => None,
        }
    }
}

impl<'f, B: AsRef<[u8]> + ?Sized> From<&'f B> for SiteRules<'f> {
    fn from(file: &'f B) -> SiteRules<'f> {
        SiteRules::File(file.as_ref())
    }
}
