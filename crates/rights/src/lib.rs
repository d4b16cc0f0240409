//! Whether content may be crawled, indexed, used and trained on, who says so, and under which
//! licence.
//!
//! Sites say so in many places. Each is read by its own text, settles its own precedence, and yields
//! [`Statement`]s; then the most restrictive wins ([`Rights`]):
//!
//! ```text
//! robots.txt ─▶ Allow, Disallow                   ─┐
//!               Content-Usage, Content-Signal      │
//!               License ───────────┐               ├─▶ statements ─▶ rights
//! header ─────▶ Content-Usage, Content-Signal      │
//!               X-Robots-Tag, Robots-Tag, tdm-*    │
//!               Link ──────────────┤               │
//! page ───────▶ meta tags          │               │
//!               link, script ──────┤               │
//! files ──────▶ tdmrep.json        └▶ RSL ─────────┤
//! image, PDF ─▶ XMP packets                       ─┘
//! ```
//!
//! | mechanism | read by | text |
//! |---|---|---|
//! | Content-Usage | [`ContentUsage`] | draft-ietf-aipref-attach-05, draft-ietf-aipref-vocab ([`Vocabulary`]) |
//! | Content-Signal | [`ContentSignals`] | contentsignals.org, Cloudflare |
//! | X-Robots-Tag, robots meta tags | [`RobotsTags`] | Google, Bing, Yandex ([`TagReading`]) |
//! | Robots-Tag | [`RobotsTagHeader`] | draft-illyes-repext-03 |
//! | TDMRep | [`TdmRep`], [`TdmFile`] | W3C community group, May 2024 |
//! | RSL | [`Rsl`] | RSL 1.0 |
//! | XMP: `plus:DataMining`, `tdm:reservation` | [`Xmp`] | IPTC Photo Metadata 2023.1, PLUS; TDMRep |
//!
//! [`RightsReader`] puts them together. A robots.txt becomes [`RobotsRights`] once, for any number of
//! URLs; a header and a page become a [`Response`], which can be kept for as long as their bytes are the
//! same.
//!
//! These texts are drafts and conventions: what this module makes of them **changes when they do**,
//! even in a minor version of this library. It gives no legal advice.
//!
//! # Hostile input
//!
//! Any bytes may be given. Every parser is total or returns an error, takes `O(n)` time and memory, and
//! does not recurse over its input. XML with a document type is refused, so no entity is expanded.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod conditions;
mod content_signals;
mod content_usage;
mod documents;
mod encoding;
mod header;
#[expect(missing_docs, reason = "only robotsieve's own crates see it")]
mod html;
pub mod internals;
mod labels;
mod licence;
mod limits;
mod link;
mod media;
mod note;
#[cfg(feature = "pack")]
pub mod packed;
mod page;
mod paths;
mod place;
mod purpose;
mod quotation;
mod reader;
pub mod records;
mod response;
mod result;
mod robots;
mod rsl;
mod serialize;
mod statement;
mod tables;
mod tag_rule;
mod tags;
mod tdm;
mod version;
mod xhtml;
mod xmp;

pub use content_signals::ContentSignals;
pub use content_usage::{ContentUsage, InvalidContentUsage};
pub use documents::Documents;
pub use header::{InvalidHeader, header_fields};
pub use licence::{Licence, LicenceKind, LicenceState};
pub use limits::{Limits, UseCeiling};
pub use link::LicenceLink;
pub use note::{Note, Notes};
pub use place::{Element, HeaderField, Place, XmpProperty};
pub use purpose::{Purpose, Purposes, Ruling};
pub use reader::RightsReader;
pub use response::{PageLicence, Response};
pub use result::Rights;
pub use robots::compiled::RobotsRights;
pub use rsl::document::{InvalidRsl, Rsl};
pub use statement::Statement;
pub use tables::PolicyToken;
pub use tag_rule::TagRule;
pub use tags::read::{RobotsTag, RobotsTags};
pub use tags::robots_tag::{InvalidRobotsTag, RobotsTagHeader};
pub use tdm::{InvalidTdmFile, TdmFile, TdmRep};
pub use version::{TagReading, UnknownTagReading, UnknownVocabulary, Version, Vocabulary};
pub use xmp::Xmp;
