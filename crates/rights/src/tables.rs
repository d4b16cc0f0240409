//! What the texts define, as data: labels, rules, tokens and whom they are about.
//!
//! A new version of a text is a new row here. The code knows none of these words.

use crate::place::XmpProperty;
use crate::purpose::{Purpose, Purposes};
use crate::tag_rule::TagRule;
use crate::version::{TagReading, Version, Vocabulary};

const TRAINING: Purposes = Purposes::of(&[Purpose::AiTrain]);
const INPUT: Purposes = Purposes::of(&[Purpose::AiInput]);
const INDEX: Purposes = Purposes::of(&[Purpose::Index]);
const SNIPPET: Purposes = Purposes::of(&[Purpose::Snippet]);
/// What RSL means by "all uses by AI systems".
const RSL_AI: Purposes = Purposes::AI;

/// A label of a vocabulary of Content-Usage.
#[derive(Clone, Copy, Debug)]
pub(super) struct UsageLabel {
    pub(super) name: &'static str,
    /// The label whose preference counts where this one has none.
    pub(super) parent: Option<&'static str>,
    /// What `y` allows and `n` disallows.
    pub(super) about: Purposes,
    /// What only `n` decides: the label covers a part of it, or more than is sure.
    pub(super) restricts: Purposes,
}

const fn label(
    name: &'static str,
    parent: Option<&'static str>,
    about: Purposes,
    restricts: Purposes,
) -> UsageLabel {
    UsageLabel { name, parent, about, restricts }
}

const NONE: Purposes = Purposes::NONE;

/// draft-ietf-aipref-vocab-01 §4.
const USAGE_01: &[UsageLabel] = &[
    label("tdm", None, NONE, NONE),
    label("ai", Some("tdm"), TRAINING, NONE),
    label("genai", Some("ai"), NONE, TRAINING),
    label("search", Some("tdm"), Purposes::SEARCH, NONE),
    label("inference", Some("tdm"), INPUT, NONE),
];
const USAGE_02: &[UsageLabel] = &[
    label("all", None, NONE, NONE),
    label("train-ai", Some("all"), TRAINING, NONE),
    label("train-genai", Some("train-ai"), NONE, TRAINING),
    label("ai-use", Some("all"), INPUT, NONE),
    label("search", Some("all"), Purposes::SEARCH, NONE),
];
const USAGE_03: &[UsageLabel] = &[
    // No other label is about input, which is automated processing like the rest.
    label("bots", None, NONE, INPUT),
    label("train-ai", Some("bots"), TRAINING, NONE),
    label("train-genai", Some("train-ai"), NONE, TRAINING),
    label("search", Some("bots"), Purposes::SEARCH, NONE),
];
const USAGE_04: &[UsageLabel] = &[
    label("bots", None, NONE, NONE),
    label("train-ai", Some("bots"), TRAINING, NONE),
    label("ai-output", Some("bots"), INPUT, NONE),
    label("search", Some("ai-output"), Purposes::SEARCH, NONE),
];
const USAGE_05: &[UsageLabel] =
    &[label("train-ai", None, TRAINING, NONE), label("search", None, Purposes::SEARCH, NONE)];
/// draft-ietf-aipref-vocab-08 §4: no label falls back to another.
const USAGE_08: &[UsageLabel] = &[
    label("train-ai", None, TRAINING, NONE),
    label("ai-use", None, INPUT, NONE),
    label("search", None, Purposes::SEARCH, NONE),
];

/// The labels of a vocabulary. Parents come before their children.
pub(super) fn usage_labels(vocabulary: Vocabulary) -> &'static [UsageLabel] {
    match vocabulary {
        Vocabulary::V01 => USAGE_01,
        Vocabulary::V02 => USAGE_02,
        Vocabulary::V03 => USAGE_03,
        Vocabulary::V04 => USAGE_04,
        Vocabulary::V05 | Vocabulary::V06 | Vocabulary::V07 => USAGE_05,
        Vocabulary::V08 => USAGE_08,
    }
}

/// All labels of all vocabularies.
pub(super) const USAGE_NAMES: [&str; 11] = [
    "train-ai",
    "ai-use",
    "search",
    "bots",
    "ai-output",
    "train-genai",
    "all",
    "tdm",
    "ai",
    "genai",
    "inference",
];

/// The labels of Content Signals that grant and refuse (contentsignals.org).
pub(super) const SIGNALS: [(&str, Purposes); 3] =
    [("search", Purposes::SEARCH), ("ai-input", INPUT), ("ai-train", TRAINING)];

/// The label of Content Signals that sets a ceiling (Cloudflare, changelog of 2026-08-31).
pub(super) const SIGNAL_USE: &str = "use";

/// The rules without a value. All others are about nothing here.
pub(super) const TAG_RULES: [(&str, TagRule); 10] = [
    ("noindex", TagRule::NoIndex),
    ("none", TagRule::NoIndex),
    ("nosnippet", TagRule::NoSnippet),
    ("noarchive", TagRule::NoArchive),
    ("nocache", TagRule::NoCache),
    ("noai", TagRule::NoAi),
    ("noimageai", TagRule::NoImageAi),
    ("indexifembedded", TagRule::IndexIfEmbedded),
    ("index", TagRule::Index),
    ("all", TagRule::Index),
];

/// Rules that are about nothing here, so that they are neither unknown nor names.
pub(super) const TAG_OTHER_RULES: [&str; 11] = [
    "follow",
    "nofollow",
    "notranslate",
    "noimageindex",
    "nositelinkssearchbox",
    "nopagereadaloud",
    "noodp",
    "noydir",
    "noyaca",
    "nopreview",
    "archive",
];

/// The rules with a value after a colon, so none of them is the name of a crawler.
pub(super) const TAG_MAX_SNIPPET: &str = "max-snippet";
pub(super) const TAG_UNAVAILABLE_AFTER: &str = "unavailable_after";
pub(super) const TAGS_WITH_VALUES: [&str; 4] =
    [TAG_MAX_SNIPPET, "max-image-preview", "max-video-preview", TAG_UNAVAILABLE_AFTER];

/// The rules by which robots tags decide, in any reading, and on what: to quote them.
pub(super) const TAG_WORDS: [(&str, Purposes); 9] = [
    ("noindex", INDEX),
    ("none", INDEX),
    (TAG_UNAVAILABLE_AFTER, INDEX),
    ("nosnippet", Purposes::of(&[Purpose::Snippet, Purpose::AiInput])),
    (TAG_MAX_SNIPPET, Purposes::of(&[Purpose::Snippet, Purpose::AiInput])),
    ("noarchive", Purposes::of(&[Purpose::AiInput, Purpose::AiTrain])),
    ("noai", TRAINING),
    ("index", INDEX),
    ("all", INDEX),
];

/// How a search engine reads robots tags.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    pub(super) version: Version,
    /// What `nosnippet` disallows.
    pub(super) no_snippet: Purposes,
    /// What `noarchive` disallows.
    pub(super) no_archive: Purposes,
    /// True if `nocache` leaves address, title and snippet, also beside `noarchive`.
    pub(super) caches: bool,
    /// True if `indexifembedded` beside `noindex` is a limit.
    pub(super) embeds: bool,
    /// True if permissions in the page cancel its prohibitions.
    pub(super) permits: bool,
    /// Names of the vendor's crawlers, in lower case: what is addressed to them counts too, but lifts nothing for
    /// crawlers of others.
    pub(super) names: &'static [&'static str],
    /// If not empty: of the names of meta tags, only these count beside `robots`.
    pub(super) meta_names: &'static [&'static str],
}

/// Google, robots meta tag page, 2026-03-24.
const GENERIC: Reading = Reading {
    version: Version::Google,
    no_snippet: SNIPPET,
    no_archive: NONE,
    caches: false,
    embeds: false,
    permits: false,
    names: &[],
    meta_names: &[],
};

/// The reading for a crawler of these names. Without a vendor's it is that of Amazon for Amazon's crawler, whose
/// operator gives a rule that all know a meaning that only restricts.
pub(super) fn reading<'n>(reading: TagReading, names: impl Iterator<Item = &'n [u8]>) -> Reading {
    let amazon = of(TagReading::Amazon);
    let is_amazons = |name: &[u8]| amazon.names.iter().any(|own| name == own.as_bytes());
    match reading {
        TagReading::Generic if { names }.any(is_amazons) => amazon,
        reading => of(reading),
    }
}

fn of(reading: TagReading) -> Reading {
    match reading {
        TagReading::Generic => GENERIC,
        TagReading::Google => Reading {
            no_snippet: Purposes::of(&[Purpose::Snippet, Purpose::AiInput]),
            embeds: true,
            names: &["googlebot"],
            // The crawlers for advertisements heed one of their own, as their page says.
            meta_names: &["googlebot", "googlebot-news", "adsbot-google", "adsbot-google-mobile"],
            ..GENERIC
        },
        // "Content tagged NOARCHIVE will not be included in Bing Chat answers", nor used for training.
        TagReading::Bing => Reading {
            version: Version::Bing,
            no_archive: Purposes::of(&[Purpose::AiInput, Purpose::AiTrain]),
            caches: true,
            names: &["bingbot", "msnbot"],
            ..GENERIC
        },
        // "noarchive: do not use the page for model training."
        TagReading::Amazon => Reading {
            version: Version::Amazon,
            no_archive: TRAINING,
            names: &["amazonbot"],
            ..GENERIC
        },
        TagReading::Yandex => Reading {
            version: Version::Yandex,
            permits: true,
            names: &["yandex", "yandexbot"],
            ..GENERIC
        },
    }
}

/// The rules of Robots-Tag (draft-illyes-repext-03) and what they disallow.
pub(super) const REPEXT_RULES: [(&str, Purposes); 2] = [("noindex", INDEX), ("nosnippet", SNIPPET)];

/// What `tdm-reservation` disallows if it is 1, and allows if it is 0.
pub(super) const TDM_RESERVED: Purposes = Purposes::of(&[Purpose::AiInput, Purpose::AiTrain]);
pub(super) const TDM_FREE: Purposes = TRAINING;

/// What data mining is, as far as PLUS and C2PA mean it: indexes of search engines too, unless they are excepted.
pub(super) const MINING: Purposes =
    Purposes::of(&[Purpose::Index, Purpose::AiInput, Purpose::AiTrain]);

/// The public identifiers of document types with which browsers know the entities of HTML in XML (HTML, "Parsing XML
/// documents").
pub(super) const XHTML_ENTITY_DOCTYPES: [&str; 11] = [
    "-//W3C//DTD XHTML 1.0 Transitional//EN",
    "-//W3C//DTD XHTML 1.1//EN",
    "-//W3C//DTD XHTML 1.0 Strict//EN",
    "-//W3C//DTD XHTML 1.0 Frameset//EN",
    "-//W3C//DTD XHTML Basic 1.0//EN",
    "-//W3C//DTD XHTML 1.1 plus MathML 2.0//EN",
    "-//W3C//DTD XHTML 1.1 plus MathML 2.0 plus SVG 1.1//EN",
    "-//W3C//DTD MathML 2.0//EN",
    "-//WAPFORUM//DTD XHTML Mobile 1.0//EN",
    "-//WAPFORUM//DTD XHTML Mobile 1.1//EN",
    "-//WAPFORUM//DTD XHTML Mobile 1.2//EN",
];

/// The values of `plus:DataMining`, without the address of their vocabulary: what they allow and disallow. Where
/// the terms stand elsewhere they are not known, and it is prohibited.
pub(super) const PLUS_MINING: [(&str, Purposes, Purposes); 9] = [
    ("DMI-UNSPECIFIED", NONE, NONE),
    ("DMI-ALLOWED", TDM_FREE, NONE),
    ("DMI-PROHIBITED", NONE, MINING),
    ("DMI-PROHIBITED-AIMLTRAINING", NONE, TRAINING),
    ("DMI-PROHIBITED-GENAIMLTRAINING", NONE, TRAINING),
    ("DMI-PROHIBITED-EXCEPTSEARCHENGINEINDEXING", NONE, TDM_RESERVED),
    ("DMI-PROHIBITED-SEECONSTRAINT", NONE, MINING),
    ("DMI-PROHIBITED-SEEEMBEDDEDRIGHTSEXPR", NONE, MINING),
    ("DMI-PROHIBITED-SEELINKEDRIGHTSEXPR", NONE, MINING),
];

/// The properties of XMP that are read, by their namespaces. TDMRep's is written in three ways.
pub(super) const XMP_NAMESPACES: [(&str, &[XmpProperty]); 4] = [
    ("http://ns.useplus.org/ldf/xmp/1.0/", &[XmpProperty::DataMining]),
    ("http://www.w3.org/ns/tdmrep/", XMP_TDM),
    ("http://www.w3.org/ns/tdmrep#", XMP_TDM),
    ("http://www.w3.org/ns/tdmrep", XMP_TDM),
];
const XMP_TDM: &[XmpProperty] = &[XmpProperty::TdmReservation, XmpProperty::TdmPolicy];

/// A format that neither compresses nor encrypts all of its packets: what is not found in such a file, and does not
/// show, is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Jpeg,
    Png,
    Gif,
    Tiff,
    /// WebP, WAV, AVI.
    Riff,
    /// Boxes of ISO 14496-12: MP4, HEIC, AVIF, JPEG 2000.
    Boxes,
    Pdf,
    Svg,
    Other,
}

/// How the files begin, each from a byte on, that have their packets of XMP as they are, or none. PDF and SVG are
/// recognised otherwise.
pub(super) const XMP_FORMATS: [(usize, &[u8], Format); 16] = [
    (0, b"\xFF\xD8\xFF", Format::Jpeg),
    (0, b"\x89PNG", Format::Png),
    (0, b"GIF8", Format::Gif),
    (0, b"II*\0", Format::Tiff),
    (0, b"MM\0*", Format::Tiff),
    (0, b"RIFF", Format::Riff),
    (0, b"8BPS", Format::Other),
    (0, b"%!PS", Format::Other),
    (0, b"BM", Format::Other),
    (0, b"\0\0\x01\0", Format::Other),
    (0, b"ID3", Format::Other),
    (0, b"OggS", Format::Other),
    (0, b"fLaC", Format::Other),
    (4, b"ftyp", Format::Boxes),
    (4, b"moov", Format::Boxes),
    (4, b"jP  ", Format::Boxes),
];

/// The tokens of usage in RSL 1.0 §3.5.
pub(super) const RSL_USAGE: [(&str, Purposes); 6] = [
    ("all", Purposes::USES),
    ("ai-all", RSL_AI),
    ("ai-train", TRAINING),
    ("ai-input", INPUT),
    ("ai-index", Purposes::of(&[Purpose::AiIndex])),
    ("search", Purposes::SEARCH),
];

/// What a payment of RSL 1.0 §3.7 asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum RslPayment {
    /// Nothing.
    Free,
    /// To be agreed upon before these uses.
    Agreement(Purposes),
    /// Nothing but this condition.
    Condition(&'static str),
}

/// The types of payment. One that is not here is to be agreed upon before any use.
pub(super) const RSL_PAYMENTS: [(&str, RslPayment); 8] = [
    ("free", RslPayment::Free),
    ("purchase", RslPayment::Agreement(Purposes::USES)),
    ("subscription", RslPayment::Agreement(Purposes::USES)),
    ("crawl", RslPayment::Agreement(Purposes::USES)),
    ("training", RslPayment::Agreement(TRAINING)),
    ("use", RslPayment::Agreement(INPUT)),
    ("attribution", RslPayment::Condition("attribution")),
    ("contribution", RslPayment::Condition("contribution")),
];

/// The elements of RSL 1.0 that hold terms this library does not judge by.
pub(super) const RSL_OTHER_ELEMENTS: [&str; 9] = [
    "standard",
    "custom",
    "amount",
    "accepts",
    "legal",
    "copyright",
    "terms",
    "schema",
    "alternate",
];

/// A token of `User-agent` lines that no crawler sends: a group for it is about purposes, not about
/// fetching. Its `Disallow` keeps the crawlers of its owner from using what they fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyToken {
    /// The token.
    pub name: &'static str,
    /// What its `Disallow` is about, by the documentation of its owner.
    pub purposes: Purposes,
    /// The crawler that fetches the pages, to which robots tags are addressed.
    pub crawler: &'static str,
}

impl PolicyToken {
    /// All tokens that are known.
    pub const ALL: &'static [PolicyToken] = &[
        // Training of Gemini, and grounding of its answers; not Google Search.
        PolicyToken {
            name: "Google-Extended",
            purposes: Purposes::of(&[Purpose::AiInput, Purpose::AiTrain]),
            crawler: "googlebot",
        },
        PolicyToken { name: "Applebot-Extended", purposes: TRAINING, crawler: "applebot" },
    ];

    /// What a `Disallow` for a crawler of these names is about, if any is a token.
    pub(crate) fn of_names<'n>(names: impl Iterator<Item = &'n [u8]>) -> Purposes {
        let tokens = names.filter_map(|name| PolicyToken::of_name(str::from_utf8(name).ok()?));
        tokens.fold(Purposes::NONE, |all, token| all | token.purposes)
    }

    /// The token of this name, which has no case.
    pub fn of_name(name: &str) -> Option<PolicyToken> {
        PolicyToken::ALL.iter().copied().find(|token| token.name.eq_ignore_ascii_case(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A preference falls back to that of the parent, which must be known by then.
    #[test]
    fn parents_come_first() {
        for vocabulary in Vocabulary::ALL {
            let labels = usage_labels(*vocabulary);
            for (number, label) in labels.iter().enumerate() {
                assert!(USAGE_NAMES.contains(&label.name));
                let known = |parent| labels[..number].iter().any(|label| label.name == parent);
                assert!(label.parent.is_none_or(known), "{}", label.name);
            }
        }
    }
}
