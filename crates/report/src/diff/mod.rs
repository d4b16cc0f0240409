//! A comparison of two files as a document.

mod document;
mod files;
mod risks;
mod subjects;
mod words;

pub use document::{
    ChangedRecord, CrawlerDiff, DecidingRule, DiffReport, DiffResult, Extent, Flip, InsteadOfFile,
    RecordDiff, UrlFlip, names, rule_label,
};
pub use files::Comparison;
pub use risks::{RiskCrawler, RiskPurpose, Risks, SiteRisk};
pub use words::{now, whole_site};
