//! What a reader should know besides the rulings.

use std::fmt;

use crate::purpose::{Purpose, Purposes};
use crate::tables::{MINING, TDM_RESERVED};

/// Defines [`Note`] with codes and sentences.
macro_rules! notes {
    ($($note:ident $code:literal $sentence:literal,)*) => {
        /// Something about the statements that a ruling does not show.
        ///
        /// With the feature `serde` it is written as its code, [`Note::as_str`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Note {
            $(#[doc = concat!("`", $code, "`: ", $sentence, ".")] $note,)*
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

            /// What it says: a sentence without a full stop, with a small letter first unless a name
            /// begins it.
            pub fn sentence(self) -> &'static str {
                match self {
                    $(Note::$note => $sentence,)*
                }
            }
        }
    };
}

notes! {
    ArchiveDamaged "archive-damaged"
        "a part of the archives could not be read, and may have had a document of the site",
    C2paNotRead "c2pa-not-read"
        "the file has an assertion of C2PA or CAWG about training and mining, which is not read",
    Cancelled "cancelled"
        "Yandex: 'index' or 'all' in the page cancels a 'noindex' in it",
    Cut "cut"
        "a list is cut: more places, licences or conditions count than are listed",
    DocumentLater "document-later"
        "a document of the site was captured only after the page: it is the nearest that is known",
    DocumentOlder "document-older"
        "a document of the site was captured longer before the page than it counts: it is the nearest that \
         is known",
    DocumentsDiffer "documents-differ"
        "two captures of one second of a document of the site differ, or it changed in the page's own second: it is not \
         known which was in force",
    ElementScoped "element-scoped"
        "an RSL script in an element of the page covers only that element",
    EqualLength "equal-length"
        "different paths of equal length match the URL: all of them count, and disallow wins",
    FileNotRead "file-not-read"
        "a file of the site could not be read, so nothing is known of what it says",
    FoundationModels "foundation-models"
        "'train-ai=y' permits training of foundation or generative models; of other training it says nothing",
    GroupsDiffer "groups-differ"
        "Content-Usage ends a run of user-agent lines; crawlers that follow RFC 9309 alone join the \
         groups, so a Disallow meant for one crawler may apply to others",
    ImagesOnly "images-only"
        "'noimageai' applies only to the page's images",
    LaterRefusal "later-refusal"
        "the owner refused a use after the page was fetched",
    LicenceInvalid "licence-invalid"
        "a licence is not a valid RSL document, so nothing is known of it",
    LicenceNotGiven "licence-not-given"
        "the text of a licence was not given, so nothing is known of it",
    LicenceNotHttps "licence-not-https"
        "the address of a licence is not https, as RSL requires",
    LicenceRelative "licence-relative"
        "the address of a licence is not absolute, so its text is not known",
    LicenceUnknownTerm "licence-unknown-term"
        "a licence has a term or a 'url' that is not known, so it is not known what it prohibits",
    LicencesLeftOut "licences-left-out"
        "the site names more licences than are read, so nothing is known of the others",
    LooksLikeXRobotsTag "looks-like-x-robots-tag"
        "a rule alone in Robots-Tag, such as 'noindex', is read as a crawler's name; '*;noindex' was \
         probably meant",
    Malformed "malformed"
        "a value is malformed: a Content-Usage or Robots-Tag is ignored as a whole; of any other, only the \
         sound pieces count",
    MisspeltField "misspelt-field"
        "a field of robots.txt is misspelt, so it is ignored",
    NoCache "nocache"
        "Bing: 'nocache' leaves only address, title and snippet for training, which permits no training on \
         the page",
    NoIndexHidden "noindex-hidden"
        "the URL may not be crawled, so a crawler that obeys robots.txt never sees that the page or its \
         header bars it from the index",
    NotCrawlable "not-crawlable"
        "Content-Usage in robots.txt is disregarded: the URL may not be crawled",
    NowNotGiven "now-not-given"
        "'unavailable_after' was not judged, because the time was not given",
    OnlyForOthers "only-for-others"
        "other groups make statements that do not apply to this crawler, which has a group of its \
         own",
    OutsideGroup "outside-group"
        "a statement stands outside every group of robots.txt; there only a Content-Signal 'no' \
         counts",
    PageCut "page-cut"
        "a part of the page is missing, so nothing is known of what that part says",
    PageNotRead "page-not-read"
        "the page could not be read, so nothing is known of what it says",
    RobotsNotRead "robots-not-read"
        "robots.txt, or a part of it, was not read, so it is not known what that says of uses",
    TdmFile "tdm-file"
        "/.well-known/tdmrep.json is not a JSON array, or reserves at a location that is missing or no path, so it is not \
         known whether it reserves rights",
    TdmNotRead "tdm-not-read"
        "/.well-known/tdmrep.json was not read, so it is not known whether it reserves rights",
    TdmPolicy "tdm-policy"
        "a TDM policy has no absolute address, so it is ignored",
    TdmValue "tdm-value"
        "a 'tdm-reservation' is neither 0 nor 1, so it sets nothing",
    UnknownLabel "unknown-label"
        "a label is not in the vocabulary that is read, so it is ignored",
    UnknownRule "unknown-rule"
        "a rule of X-Robots-Tag or of a robots meta tag is not known, so it is ignored",
    UnknownValue "unknown-value"
        "a label has an undefined value, so it says nothing",
    XmpNotRead "xmp-not-read"
        "the file has XMP that could not be read or has a value that is not known, or is no image, video or PDF \
         of a kind that is known, so it is not known whether it reserves rights",
    XmpSilent "xmp-silent"
        "the file has no XMP that speaks of data mining",
}

impl Note {
    /// The note with this code.
    #[must_use]
    pub fn with_code(code: &str) -> Option<Note> {
        Note::ALL.iter().copied().find(|note| note.as_str() == code)
    }

    /// The purposes that it keeps from being allowed: those that could be disallowed where nothing was read.
    ///
    /// What others say of them is no permission then, and their ruling is unknown, unless something
    /// disallows them.
    pub fn withholds(self) -> Purposes {
        match self {
            Note::ArchiveDamaged
            | Note::DocumentsDiffer
            | Note::FileNotRead
            | Note::LicenceInvalid
            | Note::LicenceNotGiven
            | Note::LicenceRelative
            | Note::LicenceUnknownTerm
            | Note::LicencesLeftOut
            | Note::PageCut
            | Note::PageNotRead
            | Note::RobotsNotRead => Purposes::USES,
            Note::C2paNotRead | Note::XmpNotRead => MINING,
            Note::TdmFile | Note::TdmNotRead | Note::TdmValue => TDM_RESERVED,
            Note::NoCache => Purpose::AiTrain.into(),
            Note::NowNotGiven => Purpose::Index.into(),
            _ => Purposes::NONE,
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl serde::Serialize for Note {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A set of notes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Notes(u64);

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

    /// The purposes that they keep from being allowed.
    pub fn withhold(self) -> Purposes {
        if self.is_empty() {
            return Purposes::NONE;
        }
        self.iter().fold(Purposes::NONE, |all, note| all | note.withholds())
    }

    pub(crate) fn add(&mut self, note: Note) {
        self.0 |= 1 << note as u32;
    }

    pub(crate) fn add_if(&mut self, is_so: bool, note: Note) {
        if is_so {
            self.add(note);
        }
    }

    pub(crate) fn remove(&mut self, note: Note) {
        self.0 &= !(1 << note as u64);
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
        assert!(Note::ALL.len() <= 64);
        let notes: Notes = [Note::UnknownValue, Note::Cancelled].into_iter().collect();
        assert_eq!(notes.iter().collect::<Vec<_>>(), [Note::Cancelled, Note::UnknownValue]);
    }
}
