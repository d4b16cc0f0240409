//! The report as a document.

use robotsieve::Verdict;
use robotsieve_known::{KnownCrawler, Obeys, Purpose};
use robotsieve_report::tally::TallyReport;
use robotsieve_report::{SCHEMA, Sentence, TOOL_VERSION};

/// The parts of a site that a robots.txt lets the known crawlers read: the report `crawlers`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ReachReport {
    /// `robotsieve-report-1`.
    pub schema: &'static str,
    /// `crawlers`.
    pub report: &'static str,
    /// The version of robotsieve that made the report.
    pub tool_version: &'static str,
    /// The name of the file as the caller gave it.
    pub robots: Option<String>,
    /// The bytes of `robots` if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robots_base64: Option<String>,
    /// The name of the profile, null if it has none.
    pub profile: Option<String>,
    /// The answer of the file's URL in the place of a file, such as `HTTP 503`.
    pub answer: Option<String>,
    /// The pages of the verdicts: the URLs asked for, or `/` and paths on which the crawlers differ.
    pub pages: Vec<String>,
    /// The bytes of `pages` if some are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages_base64: Option<Vec<String>>,
    /// The purposes that some crawler has.
    pub purposes: Vec<ReachPurpose>,
    /// The different policies of the crawlers.
    pub policies: Vec<ReachPolicy>,
    /// The crawlers, by name.
    pub crawlers: Vec<ReachCrawler>,
    /// The URLs of the sitemap that were judged, if one was given.
    pub sitemap: Option<SitemapUrls>,
    /// Notes on those crawlers whose operators do not say that they obey.
    pub notes: Vec<String>,
    /// All of it in sentences.
    pub sentences: Vec<Sentence>,
}

/// The crawlers of a purpose, by what they may read.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ReachPurpose {
    /// The purpose.
    pub purpose: Purpose,
    /// A heading: `AI training`.
    pub title: &'static str,
    /// The number of crawlers of this purpose there are.
    pub crawlers: usize,
    /// The number of those that may read nothing, or nothing but robots.txt.
    pub shut_out: usize,
    /// The number that may read a part of the site.
    pub partly: usize,
    /// The number that may read everything.
    pub let_in: usize,
    /// Of how many neither is proven.
    pub unproven: usize,
    /// The number that may read how much of the sitemap, if one was given.
    pub sitemap: Option<SitemapCounts>,
    /// All counts: `3 of 32 shut out, 28 partly, 1 let in: Foo`.
    pub summary: String,
    /// The crawlers that may read the same, those that may read least first.
    pub rows: Vec<ReachRow>,
}

/// The number of crawlers of a purpose that may read how much of a sitemap.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SitemapCounts {
    /// The number that may read none of its URLs.
    pub none: usize,
    /// The number that may read a part.
    pub part: usize,
    /// The number that may read all.
    pub all: usize,
}

/// Crawlers of a purpose that may read the same.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ReachRow {
    /// The policy of the first of them, as an index into `policies`. The others' may name other
    /// rules with the same effect, if that is to forbid all or nothing, and may be read in other profiles.
    pub policy: usize,
    /// The crawlers, as indexes into the report's `crawlers`.
    pub crawlers: Vec<usize>,
    /// Who they are and why, those that people look for first: `Googlebot (line 5)`,
    /// `bingbot, GPTBot (by the group of *)`.
    pub who: Vec<String>,
}

/// An answer that crawlers of any purpose get ([`ReachReport::answers`]).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReachAnswer<'r> {
    /// The policy, as an index into the report's `policies`.
    pub policy: usize,
    /// Its crawlers, by purpose.
    pub rows: Vec<(&'r ReachPurpose, &'r ReachRow)>,
}

/// The extent of a site that some crawlers may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Reads {
    /// Nothing, or nothing but robots.txt; proven.
    Nothing,
    /// Some path is forbidden and some other path is allowed.
    Partly,
    /// Neither `nothing` nor `everything` is proven, nor that it is not so.
    Unproven,
    /// Everything; proven.
    Everything,
}

/// A policy of some crawlers.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ReachPolicy {
    /// The extent of the site that may be read.
    pub reads: Reads,
    /// The part that may be read, in words: `all but /private/ (line 13)`.
    pub text: String,
    /// A path for each rule that forbids something, in the order of the file.
    pub forbidden: Vec<ReachPath>,
    /// A path for each rule that allows something although all else were forbidden; or for no rule.
    pub allowed: Vec<ReachPath>,
    /// The number of further rules that forbid something, at least.
    pub more_forbidden: usize,
    /// The number of further rules that allow something, at least.
    pub more_allowed: usize,
    /// Why there may be rules that were not found.
    pub unproven: Option<String>,
    /// The verdicts on `pages`, in their order.
    pub verdicts: Vec<Verdict>,
    /// The verdicts on the URLs of the sitemap, if one was given.
    pub sitemap: Option<TallyReport>,
    /// Those verdicts in words: `7 of 10; forbidden by line 5 Disallow: /search (3)`.
    pub sitemap_text: Option<String>,
}

/// A path, with the rule that decides about it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ReachPath {
    /// The line of the rule, from 1; null if no rule decides.
    pub line: Option<u32>,
    /// The rule's value as written; null if no rule decides.
    pub rule: Option<String>,
    /// The bytes of `rule` if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_base64: Option<String>,
    /// The path, with its query if it has one.
    pub path: String,
    /// The bytes of `path` if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_base64: Option<String>,
    /// True if no shorter path shows it; proven.
    pub shortest: bool,
    /// The other paths with the same verdict: none that is known (`path`), all that begin with the
    /// path (`from`), or all that begin with `below` and are longer.
    pub extent: &'static str,
    /// The beginning of the paths, if `extent` is `below`.
    pub below: Option<String>,
    /// The bytes of `below` if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below_base64: Option<String>,
}

/// A known crawler, and what decides about it. The command's `crawlers --list` has all that is
/// known of it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ReachCrawler {
    /// The name as its operator writes it.
    pub name: String,
    /// The product token: how a robots.txt names it.
    pub token: String,
    /// Who runs it.
    pub operator: String,
    /// The purpose that matters most to the owner of a site.
    pub purpose: Purpose,
    /// Its operator's word on obeying robots.txt.
    pub obeys: Obeys,
    /// The name of the profile in which the file was read for it, null if it has none: that of its operator, or else that of
    /// the report.
    pub profile: Option<&'static str>,
    /// Its policy, as an index into `policies`.
    pub policy: usize,
    /// The groups that it obeys.
    pub by: ReachBy,
    /// The lines that name it, if `by` is `named`.
    pub lines: Vec<u32>,
}

/// The groups that a crawler obeys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ReachBy {
    /// Those that name it.
    Named,
    /// Those of `*`.
    Everybody,
    /// None is for it.
    None,
    /// None names it, and it ignores those of `*`.
    IgnoresStar,
    /// There is no file: what its URL answered decides.
    Answer,
}

/// The URLs of sitemaps: those of the site are judged, others are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SitemapUrls {
    /// The site whose robots.txt it is: an origin, null if no URL has one.
    pub site: Option<String>,
    /// The way the site was found: `option`, `robots`, `sitemap` or `first-url`.
    pub site_by: Option<&'static str>,
    /// The number of all URLs.
    pub urls: u64,
    /// The number of those that were judged.
    pub judged: u64,
    /// The first 100 other sites, the most numerous first.
    pub other_sites: Vec<OtherSite>,
    /// The number of URLs that are of other sites.
    pub of_other_sites: u64,
    /// The number that have no host, or none that is clear.
    pub invalid: u64,
    /// The sentences about the URLs.
    pub sentences: Vec<Sentence>,
}

/// A site of URLs that were not judged.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OtherSite {
    /// The origin.
    pub site: String,
    /// The number of URLs it has.
    pub urls: u64,
}

/// All that is known of crawlers: the report `known`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct KnownReport {
    /// `robotsieve-report-1`.
    pub schema: &'static str,
    /// `known`.
    pub report: &'static str,
    /// The version of robotsieve that made the report.
    pub tool_version: &'static str,
    /// The crawlers, by name.
    pub crawlers: Vec<KnownCrawler>,
}

impl KnownReport {
    /// The report on these crawlers.
    #[must_use]
    pub fn of<'k>(crawlers: impl IntoIterator<Item = &'k KnownCrawler>) -> KnownReport {
        KnownReport {
            schema: SCHEMA,
            report: "known",
            tool_version: TOOL_VERSION,
            crawlers: crawlers.into_iter().cloned().collect(),
        }
    }
}
