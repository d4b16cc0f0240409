//! What is known of a site: its rules, an outcome that stands for them, or nothing.
//!
//! The set, the packs, the client and all faces use this one type, and data has its words.

/// The kind of what is known of a site: [`SiteRules`] without the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
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

    /// The word for it in data: `rules`, `allow-all`, `disallow-all` or `unknown`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            SiteKind::Rules => "rules",
            SiteKind::AllowAll => "allow-all",
            SiteKind::DisallowAll => "disallow-all",
            SiteKind::Unknown => "unknown",
        }
    }

    /// What is known, with these rules if the kind is [`SiteKind::Rules`].
    ///
    /// # Errors
    /// Returns the error of `rules`, which is called for that kind only.
    pub fn try_with<T, E>(self, rules: impl FnOnce() -> Result<T, E>) -> Result<SiteRules<T>, E> {
        Ok(match self {
            SiteKind::Rules => SiteRules::Rules(rules()?),
            SiteKind::AllowAll => SiteRules::AllowAll,
            SiteKind::DisallowAll => SiteRules::DisallowAll,
            SiteKind::Unknown => SiteRules::Unknown,
        })
    }
}

display_as_str!(SiteKind);

/// The rules of a site, or what stands for them.
///
/// [`PolicySet::insert`](crate::PolicySet::insert) takes the rules as a file, which becomes one by
/// itself: `set.insert(&origin, file)`. A pack takes them as what its writer has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteRules<T> {
    /// The site has these rules.
    Rules(T),
    /// Everything is allowed: it has no robots.txt.
    AllowAll,
    /// Nothing is allowed but `/robots.txt` itself, where the profile allows that: it cannot be
    /// reached, or refuses.
    DisallowAll,
    /// Nothing is known: all answers are [`Answer::Unknown`](crate::Answer::Unknown).
    Unknown,
}

impl<T> SiteRules<T> {
    /// Its kind.
    pub fn kind(&self) -> SiteKind {
        match self {
            SiteRules::Rules(_) => SiteKind::Rules,
            SiteRules::AllowAll => SiteKind::AllowAll,
            SiteRules::DisallowAll => SiteKind::DisallowAll,
            SiteRules::Unknown => SiteKind::Unknown,
        }
    }

    /// The rules, if it has any.
    pub fn rules(self) -> Option<T> {
        match self {
            SiteRules::Rules(rules) => Some(rules),
            _ => None,
        }
    }
}

impl<'f> SiteRules<&'f [u8]> {
    /// A file that says the same. `None` if nothing is known.
    pub(crate) fn file(self) -> Option<&'f [u8]> {
        match self {
            SiteRules::Rules(file) => Some(file),
            SiteRules::AllowAll => Some(b""),
            SiteRules::DisallowAll => Some(b"User-agent: *\nDisallow: /"),
            SiteRules::Unknown => None,
        }
    }
}

impl<'f, B: AsRef<[u8]> + ?Sized> From<&'f B> for SiteRules<&'f [u8]> {
    fn from(file: &'f B) -> SiteRules<&'f [u8]> {
        SiteRules::Rules(file.as_ref())
    }
}
