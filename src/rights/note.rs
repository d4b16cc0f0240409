//! What a reader should know besides the rulings.

use std::fmt;

/// Defines [`Note`] with its codes.
macro_rules! notes {
    ($($(#[$doc:meta])* $note:ident $code:literal,)*) => {
        /// Something about the statements that a ruling does not show.
        ///
        /// With the feature `serde` it is written as its code, [`Note::as_str`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Note {
            $($(#[$doc])* $note,)*
        }

        impl Note {
            /// All notes.
            pub const ALL: &'static [Note] = &[$(Note::$note,)*];

            /// The code: lower-case words with hyphens.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Note::$note => $code,)*
                }
            }
        }
    };
}

notes! {
    /// Yandex: `index` or `all` in the page cancels a `noindex` in it.
    Cancelled "cancelled",
    /// An RSL script inside an element covers that element only.
    ElementScoped "element-scoped",
    /// Different patterns of equal length match. They are combined as identical ones are.
    EqualLength "equal-length",
    /// Content-Usage ends runs of user-agent lines that RFC 9309 takes for one group, so a rule for one
    /// crawler may be one for all.
    GroupsDiffer "groups-differ",
    /// `noimageai`: for the images of the page only.
    ImagesOnly "images-only",
    /// A licence that is no valid RSL document.
    LicenceInvalid "licence-invalid",
    /// A licence whose document was not given.
    LicenceNotGiven "licence-not-given",
    /// The address of a licence is not of https, as RSL demands.
    LicenceNotHttps "licence-not-https",
    /// The address of a licence is relative, so it is ignored.
    LicenceRelative "licence-relative",
    /// A `Robots-Tag` looks as if it were an `X-Robots-Tag`: a bare rule is a crawler's name there.
    LooksLikeXRobotsTag "looks-like-x-robots-tag",
    /// A value does not follow its grammar. All of it or a piece is ignored.
    Malformed "malformed",
    /// A field of robots.txt is spelt as no definition spells it, so it is ignored.
    MisspeltField "misspelt-field",
    /// Content-Usage of robots.txt does not count, because the URL may not be crawled.
    NotCrawlable "not-crawlable",
    /// `unavailable_after` could not be judged, because the time now is not known.
    NowNotGiven "now-not-given",
    /// The crawler has groups of its own without such a line; those for `*` have one.
    OnlyForOthers "only-for-others",
    /// A line of robots.txt stands outside any group.
    OutsideGroup "outside-group",
    /// `/.well-known/tdmrep.json` is not an array in JSON, so it is ignored.
    TdmFile "tdm-file",
    /// A TDM policy whose address is not absolute is ignored.
    TdmPolicy "tdm-policy",
    /// A `tdm-reservation` is neither 0 nor 1, so it sets nothing.
    TdmValue "tdm-value",
    /// A label is not in the vocabulary that is read.
    UnknownLabel "unknown-label",
    /// A value of a known label is not defined.
    UnknownValue "unknown-value",
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Note {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A set of notes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Notes(u32);

impl Notes {
    /// No note.
    pub const NONE: Notes = Notes(0);

    /// Returns true if the note is in the set.
    pub fn contains(self, note: Note) -> bool {
        self.0 >> note as u32 & 1 != 0
    }

    /// Returns true if no note is in the set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The notes, in the order of their codes.
    pub fn iter(self) -> impl Iterator<Item = Note> {
        Note::ALL.iter().copied().filter(move |note| self.contains(*note))
    }

    pub(crate) fn add(&mut self, note: Note) {
        self.0 |= 1 << note as u32;
    }

    pub(crate) fn add_if(&mut self, is_so: bool, note: Note) {
        if is_so {
            self.add(note);
        }
    }

    pub(crate) fn add_all(&mut self, other: Notes) {
        self.0 |= other.0;
    }
}

impl FromIterator<Note> for Notes {
    fn from_iter<I: IntoIterator<Item = Note>>(notes: I) -> Notes {
        let mut all = Notes::NONE;
        notes.into_iter().for_each(|note| all.add(note));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_fit() {
        assert!(Note::ALL.is_sorted_by_key(|note| note.as_str()));
        assert!(Note::ALL.len() <= 32);
        let notes: Notes = [Note::UnknownValue, Note::Cancelled].into_iter().collect();
        assert_eq!(notes.iter().collect::<Vec<_>>(), [Note::Cancelled, Note::UnknownValue]);
    }
}
