//! What is said of verdicts: one document for each kind of report, and its sentences.
//!
//! The command prints these documents with `--format json`, Python's `to_dict()` returns them, and
//! the objects of the npm package are them. `robotsieve schema` prints what describes them all.
//!
//! - Members have one name each, in snake_case, without `is_`.
//! - A `_span` is `[start, end]` in bytes: of the file, or of the text that its name begins with
//!   (`url_span`, `target_span`).
//! - Bytes are a text. If they are not UTF-8, what is not becomes U+FFFD in that text, and a second
//!   member with the suffix `_base64` has the bytes.
//! - Sentences have no full stop at their end and begin with a small letter unless a name does.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod compare;
mod diff;
mod document;
mod explain;
mod lint;
mod places;
pub mod recorded;
mod records;
mod rights;
mod rights_record;
mod site;
pub mod tally;

pub use compare::CompareReport;
pub use diff::{
    ChangedRecord, Comparison, CrawlerDiff, DecidingRule, DiffReport, DiffResult, Extent, Flip,
    InsteadOfFile, RecordDiff, RiskCrawler, RiskPurpose, Risks, SiteRisk, UrlFlip, names, now,
    rule_label, whole_site,
};
pub(crate) use document::counted;
pub use document::{SCHEMA, Sentence, TOOL_VERSION, bytes, shown_text, span, text, texts};
pub use explain::{
    AgentLine, Asked, ComparedTarget, CrawlerName, ExplainReason, ExplainReport, ExplainVerdict,
    MatchedRule, NamedBy, Piece, Selection,
};
pub use lint::{
    AppliedFix, CUT_SHORT, Finding, Fix, FixReport, LeftOut, LintReport, Related, VerdictChange,
    counts, together_said,
};
pub use places::{Columns, Lines};
pub use records::{
    CleanParam, Host, LabelledPreference, License, Preferences, RecordScope, RecordsReport,
    Resolve, ScopeKind, Sitemap, StatedRate, TypedRecord, VisitTime,
};
pub use rights::{PurposeReport, RightsReport, RightsSources};
pub use rights_record::{
    RIGHTS_MEMBERS, RIGHTS_NUMBERS, RIGHTS_OF_CAPTURE, RIGHTS_SCHEMA, RecordedDocument,
    RecordedPage, RightsBasis, RightsRecord, RightsSettings, decides, notes_of_capture, quotes,
    versions,
};
pub use site::{HeldCopy, Site};
