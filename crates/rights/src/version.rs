//! The versions of the texts that statements follow.

use std::fmt;
use std::str::FromStr;

/// The text, and its version, that a statement was read by.
///
/// Its `Display` is a short name, such as `aipref-vocab-08`. With the feature `serde` it is written so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Version {
    /// RFC 9309: Allow and Disallow.
    Rfc9309,
    /// What owners of policy tokens document, November 2026.
    PolicyTokens,
    /// draft-ietf-aipref-vocab, attached by draft-ietf-aipref-attach-05.
    Aipref(Vocabulary),
    /// contentsignals.org, September 2025.
    ContentSignals,
    /// `use=` of Content Signals, Cloudflare, July 2026.
    ContentSignalsUse,
    /// Google's page on the robots meta tag, March 2026.
    Google,
    /// Bing's blog, September 2023.
    Bing,
    /// Amazon's page on its crawlers.
    Amazon,
    /// Yandex Webmaster's help.
    Yandex,
    /// `noai` of DeviantArt, 2022.
    NoAi,
    /// draft-illyes-repext-03.
    Repext,
    /// TDM Reservation Protocol, final report of May 2024.
    TdmRep,
    /// Really Simple Licensing 1.0.
    Rsl,
    /// IPTC Photo Metadata Standard 2023.1, with the vocabulary of PLUS.
    Iptc,
}

impl Version {
    /// The name of the version, such as `x-robots-google-2026-03`.
    pub fn as_str(self) -> &'static str {
        match self {
            Version::Rfc9309 => "rfc9309",
            Version::PolicyTokens => "policy-tokens-2026-11",
            Version::Aipref(vocabulary) => vocabulary.version(),
            Version::ContentSignals => "content-signals-2025-09",
            Version::ContentSignalsUse => "content-signals-use-2026-07",
            Version::Google => "x-robots-google-2026-03",
            Version::Bing => "x-robots-bing-2023-09",
            Version::Amazon => "x-robots-amazon",
            Version::Yandex => "x-robots-yandex",
            Version::NoAi => "noai-2022",
            Version::Repext => "repext-03",
            Version::TdmRep => "tdmrep-2024-05",
            Version::Rsl => "rsl-1.0",
            Version::Iptc => "iptc-photo-2023.1",
        }
    }

    /// The draft that says how the statement is attached to content, if that is another text:
    /// `aipref-attach-05`.
    pub fn attachment(self) -> Option<&'static str> {
        matches!(self, Version::Aipref(_)).then_some("aipref-attach-05")
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl serde::Serialize for Version {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A version of draft-ietf-aipref-vocab, which defines the labels of Content-Usage.
///
/// [`FromStr`] reads the number of the draft, with or without a leading zero: `08` or `8`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Vocabulary {
    /// `tdm`, `ai`, `genai`, `search`, `inference`.
    V01,
    /// `all`, `train-ai`, `train-genai`, `ai-use`, `search`.
    V02,
    /// `bots`, `train-ai`, `train-genai`, `search`.
    V03,
    /// `bots`, `train-ai`, `ai-output`, `search`.
    V04,
    /// `train-ai`, `search`.
    V05,
    /// As [`Vocabulary::V05`].
    V06,
    /// As [`Vocabulary::V05`].
    V07,
    /// `train-ai`, `ai-use`, `search`: the default.
    #[default]
    V08,
}

impl Vocabulary {
    /// All versions, the oldest first.
    pub const ALL: &'static [Vocabulary] = &[
        Vocabulary::V01,
        Vocabulary::V02,
        Vocabulary::V03,
        Vocabulary::V04,
        Vocabulary::V05,
        Vocabulary::V06,
        Vocabulary::V07,
        Vocabulary::V08,
    ];

    /// `aipref-vocab-01` to `aipref-vocab-08`.
    pub fn version(self) -> &'static str {
        match self {
            Vocabulary::V01 => "aipref-vocab-01",
            Vocabulary::V02 => "aipref-vocab-02",
            Vocabulary::V03 => "aipref-vocab-03",
            Vocabulary::V04 => "aipref-vocab-04",
            Vocabulary::V05 => "aipref-vocab-05",
            Vocabulary::V06 => "aipref-vocab-06",
            Vocabulary::V07 => "aipref-vocab-07",
            Vocabulary::V08 => "aipref-vocab-08",
        }
    }
}

impl FromStr for Vocabulary {
    type Err = UnknownVocabulary;

    fn from_str(number: &str) -> Result<Vocabulary, UnknownVocabulary> {
        let number = number.strip_prefix('0').unwrap_or(number);
        let mut all = Vocabulary::ALL.iter().copied();
        all.find(|vocabulary| vocabulary.version().strip_prefix("aipref-vocab-0") == Some(number))
            .ok_or(UnknownVocabulary(()))
    }
}

/// The error for a vocabulary that is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownVocabulary(());

impl fmt::Display for UnknownVocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown vocabulary: expected a draft from 01 to 08")
    }
}

impl std::error::Error for UnknownVocabulary {}

/// Whose reading of robots tags is followed, where search engines differ.
///
/// [`FromStr`] reads the names that [`TagReading::as_str`] returns.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum TagReading {
    /// Only what all have in common.
    #[default]
    Generic,
    /// `nosnippet` bars input for AI answers too; `indexifembedded`.
    Google,
    /// `noarchive` and `nocache` are about chat answers and training.
    Bing,
    /// `index` and `all` in the page cancel a `noindex` in it.
    Yandex,
    /// `noarchive` bars training.
    Amazon,
}

impl TagReading {
    /// All readings.
    pub const ALL: &'static [TagReading] = &[
        TagReading::Generic,
        TagReading::Google,
        TagReading::Bing,
        TagReading::Yandex,
        TagReading::Amazon,
    ];

    /// `generic`, `google`, `bing`, `yandex` or `amazon`.
    pub fn as_str(self) -> &'static str {
        match self {
            TagReading::Generic => "generic",
            TagReading::Google => "google",
            TagReading::Bing => "bing",
            TagReading::Yandex => "yandex",
            TagReading::Amazon => "amazon",
        }
    }
}

impl fmt::Display for TagReading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for TagReading {
    type Err = UnknownTagReading;

    fn from_str(name: &str) -> Result<TagReading, UnknownTagReading> {
        let mut all = TagReading::ALL.iter().copied();
        all.find(|reading| reading.as_str() == name).ok_or(UnknownTagReading(()))
    }
}

/// The error for a reading that is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownTagReading(());

impl fmt::Display for UnknownTagReading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown reading: expected generic, google, bing, yandex or amazon")
    }
}

impl std::error::Error for UnknownTagReading {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!("08".parse(), Ok(Vocabulary::V08));
        assert_eq!("3".parse(), Ok(Vocabulary::V03));
        for text in ["", "0", "00", "09", "008", "x", "+8"] {
            assert!(text.parse::<Vocabulary>().is_err(), "{text}");
        }
        for reading in TagReading::ALL {
            assert_eq!(reading.as_str().parse(), Ok(*reading));
        }
        assert!("Google".parse::<TagReading>().is_err());
        assert_eq!(Version::Aipref(Vocabulary::V07).to_string(), "aipref-vocab-07");
        assert_eq!(Version::Aipref(Vocabulary::V07).attachment(), Some("aipref-attach-05"));
        assert_eq!(Version::Rsl.attachment(), None);
    }
}
