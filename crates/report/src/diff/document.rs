//! The document of a comparison, and its sentences.

use robotsieve::records::Kind;
use robotsieve::{Profile, Verdict};
use robotsieve_lint::diff::{self, ComparedCrawlers, Difference, Flips, RecordChanges, WholeSite};
use robotsieve_shown::{pasted, shown};
use serde::Serialize;

use super::risks::Risks;
use super::words::whole_site;
use crate::{SCHEMA, Sentence, TOOL_VERSION, bytes, counted, text, texts};

/// What changed for crawlers with the same policies, by their names.
pub(super) type Compared = ComparedCrawlers<Vec<u8>>;

/// The changes from one file to another, in meaning: the report `diff`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct DiffReport {
    // The first one, so that the command can write a long list before it knows how long it is.
    /// The URLs that flip, in the order in which they were given. `null` if none were given.
    pub urls: Option<Vec<UrlFlip>>,
    /// The version of the form of this document.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    pub schema: &'static str,
    /// The kind of this document.
    #[cfg_attr(feature = "schema", schemars(extend("const" = "diff")))]
    pub report: &'static str,
    /// The version of robotsieve.
    pub tool_version: &'static str,
    /// The name of the new file as the caller gave it.
    pub robots: Option<String>,
    /// Its bytes in base64, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robots_base64: Option<String>,
    /// The name of the old file as the caller gave it.
    pub old_robots: Option<String>,
    /// Its bytes in base64, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_robots_base64: Option<String>,
    /// The name of the profile in which both were read. `null` if it has none, or if there are two.
    pub profile: Option<&'static str>,
    /// True if the files differ in their bytes, or a side is no file.
    pub text_differs: bool,
    /// The answer of the old file's URL, if that is no file.
    pub old_answer: Option<InsteadOfFile>,
    /// The answer of the new file's URL, if that is no file.
    pub new_answer: Option<InsteadOfFile>,
    /// The result: do both files say the same to all the crawlers?
    pub result: DiffResult,
    /// The changes in what crawlers may fetch, the severest first.
    pub crawlers: Vec<CrawlerDiff>,
    /// The changes in the other records, such as sitemaps.
    pub records: Vec<RecordDiff>,
    /// The meaning of the change for known crawlers. `null` if that was not asked.
    pub risks: Option<Risks>,
    /// The number of URLs that flip. `null` if none were given.
    pub urls_flipped: Option<u64>,
    /// The answers in the place of a file, the fate of whole sites and home pages, and as the
    /// last one the result as a whole.
    pub sentences: Vec<Sentence>,
    /// True if the caller named the crawlers.
    #[serde(skip)]
    pub(super) are_named: bool,
}

/// The result of a comparison: do two files, or two policies, say the same?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DiffResult {
    /// Proven.
    Equal,
    /// Something changed.
    Different,
    /// No difference was found, but it is not proven that there is none.
    Unknown,
}

/// A URL's answer in the place of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(clippy::exhaustive_structs, reason = "callers who fetch make it")]
pub struct InsteadOfFile {
    /// The URL that was asked for.
    pub url: String,
    /// `HTTP 503`, or what went wrong; and from where, if redirects led there.
    pub answer: String,
    /// The verdict on all paths, for all crawlers.
    pub verdict: Verdict,
    /// The consequence of the answer, and its reason: a clause.
    pub why: String,
}

/// The changes for crawlers with the same policies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CrawlerDiff {
    /// The crawlers, by the tokens of the files or as they were given; `*` is any crawler that no
    /// group names.
    pub crawlers: Vec<String>,
    /// Their bytes in base64, if not all are UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crawlers_base64: Option<Vec<String>>,
    /// Their names in one text.
    pub label: String,
    /// The result: may they fetch the same as before?
    pub result: DiffResult,
    /// The fate of the site as a whole: proven. `null` if none of these is.
    pub whole_site: Option<WholeSite>,
    /// The fate of the site as a whole, or of its home page, in words.
    pub headline: Option<String>,
    /// Paths that were allowed and are no longer. The proven shortest come first.
    pub newly_disallowed: Vec<Flip>,
    /// Paths that were not allowed and now are. The proven shortest come first.
    pub newly_allowed: Vec<Flip>,
    /// The number of further pairs of deciding rules that disallow paths now, at least.
    pub more_disallowed: usize,
    /// The same, in words.
    pub more_disallowed_label: Option<String>,
    /// The number of further pairs of deciding rules that allow paths now, at least.
    pub more_allowed: usize,
    /// The same, in words.
    pub more_allowed_label: Option<String>,
    /// The number of rules that only one of the files has and that may flip paths too: the budget
    /// was used up. Every other such rule decides one of the paths listed or counted, or is proven
    /// to flip none.
    pub unexamined: usize,
    /// Why the comparison has no proof. If `null`, a direction without paths has none.
    pub unproven: Option<String>,
    /// The number of paths that were tried, if the result is unknown.
    pub sampled: Option<usize>,
    /// Possible further changes, and why they are not known.
    pub notes: Vec<String>,
    /// The profile in which their operator reads the files, if that is another one and makes a difference.
    #[serde(skip)]
    pub(super) own_profile: Option<Profile>,
}

/// A path whose verdict differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Flip {
    /// Path and query, normalised.
    pub path: String,
    /// Its bytes in base64, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_base64: Option<String>,
    /// True if no shorter path flips in this direction: proven.
    pub shortest: bool,
    /// The other paths that are proven to flip with it.
    pub extent: Extent,
    /// The beginning of the paths that flip, if the extent is `below`.
    pub below: Option<String>,
    /// Its bytes in base64, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below_base64: Option<String>,
    /// The paths that flip, in words.
    pub label: String,
    /// The rule that decided before, if one did.
    pub old: Option<DecidingRule>,
    /// The old decision, in words.
    pub old_label: String,
    /// The rule that decides now, if one does.
    pub new: Option<DecidingRule>,
    /// The new decision, in words.
    pub new_label: String,
}

/// The paths that are proven to flip with one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Extent {
    /// Nothing is known of longer paths.
    Path,
    /// Every path flips that begins with it.
    From,
    /// Every path flips that begins with `below` and is longer than that.
    Below,
}

/// The rule that decides about a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct DecidingRule {
    /// The verdict that it gives: `allow` or `disallow`.
    pub verdict: Verdict,
    /// Its line, from 1.
    pub line: u32,
    /// Its value as written.
    pub value: String,
    /// Its bytes in base64, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_base64: Option<String>,
}

/// The changes in the records of one kind, for some crawlers. They are compared by what they say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RecordDiff {
    /// The crawlers. `null` for records of no group.
    pub crawlers: Option<Vec<String>>,
    /// Their bytes in base64, if not all are UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crawlers_base64: Option<Vec<String>>,
    /// `for` their names, or `of no group`.
    pub label: String,
    /// The kind of record.
    pub kind: Kind,
    /// The records of the old file alone.
    pub removed: Vec<ChangedRecord>,
    /// The records of the new file alone.
    pub added: Vec<ChangedRecord>,
    /// The number of further ones that were removed.
    pub more_removed: usize,
    /// The number of further ones that were added.
    pub more_added: usize,
}

/// A record that only one of the files has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ChangedRecord {
    /// Its line in that file, from 1.
    pub line: u32,
    /// The field's name as written.
    pub field: String,
    /// Its bytes in base64, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field_base64: Option<String>,
    /// The value as written.
    pub value: String,
    /// Its bytes in base64, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_base64: Option<String>,
    /// The line with its number.
    pub label: String,
}

/// A URL whose verdict differs for some crawlers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct UrlFlip {
    /// The URL, or path, as it was given.
    pub url: String,
    /// Its bytes in base64, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_base64: Option<String>,
    /// The verdict now.
    pub new: Verdict,
    /// The crawlers.
    pub crawlers: Vec<String>,
    /// Their bytes in base64, if not all are UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crawlers_base64: Option<Vec<String>>,
    /// Their names in one text.
    pub label: String,
}

impl DiffReport {
    /// One of nothing, with a sentence to be filled.
    pub(super) fn empty() -> DiffReport {
        DiffReport {
            urls: None,
            schema: SCHEMA,
            report: "diff",
            tool_version: TOOL_VERSION,
            robots: None,
            robots_base64: None,
            old_robots: None,
            old_robots_base64: None,
            profile: None,
            text_differs: false,
            old_answer: None,
            new_answer: None,
            result: DiffResult::Equal,
            crawlers: Vec::new(),
            records: Vec::new(),
            risks: None,
            urls_flipped: None,
            sentences: vec![Sentence::new("", None)],
            are_named: false,
        }
    }

    /// Adds how many of the URLs that were asked about flip.
    pub fn count_urls(&mut self, flipped: u64) {
        self.urls.get_or_insert_default();
        self.urls_flipped = Some(flipped);
        self.sum_up();
    }

    /// The result as a whole, in one sentence.
    #[must_use]
    pub fn summary(&self) -> &str {
        self.sentences.last().map_or("", |sentence| &sentence.text)
    }

    pub(super) fn sum_up(&mut self) {
        let any = |result| self.crawlers.iter().any(|same| same.result == result);
        self.result = if !self.records.is_empty()
            || self.urls_flipped.is_some_and(|flipped| flipped > 0)
            || any(DiffResult::Different)
        {
            DiffResult::Different
        } else if any(DiffResult::Unknown) {
            DiffResult::Unknown
        } else {
            DiffResult::Equal
        };
        let summary = self.in_short();
        if let Some(last) = self.sentences.last_mut() {
            last.text = summary;
        }
    }

    fn in_short(&self) -> String {
        let count = |all: bool| -> usize {
            let those = self.crawlers.iter().filter(|same| all || same.result != DiffResult::Equal);
            those.map(|same| same.crawlers.len()).sum()
        };
        let (differ, all) = (count(false), count(true));
        let mut said = match self.result {
            DiffResult::Equal if !self.text_differs => "no change: the text is the same".into(),
            // Others may still see a difference.
            DiffResult::Equal => {
                let whose = if self.are_named { " for these crawlers" } else { "" };
                let profile = self.profile.map(|name| format!(" in profile {name}"));
                let meaning = format!("the meaning{whose}{}", profile.unwrap_or_default());
                if self.old_answer.is_some() || self.new_answer.is_some() {
                    format!("no change: {meaning} is the same")
                } else {
                    format!("no change: the text differs, {meaning} does not")
                }
            }
            DiffResult::Different if differ == 0 => "change: no verdict".into(),
            DiffResult::Different => format!("change: {differ} of {all} crawlers"),
            DiffResult::Unknown => {
                format!("no change found, not proven: {differ} of {all} crawlers")
            }
        };
        let records: usize = self.records.iter().map(RecordDiff::count).sum();
        if records > 0 {
            let records = counted(records, "other record");
            said = format!("{said}, {records}");
        }
        match self.urls_flipped {
            Some(1) => said + "; 1 URL flips",
            Some(flipped) => format!("{said}; {flipped} URLs flip"),
            None => said,
        }
    }
}

impl CrawlerDiff {
    /// The profile in which the operator of these known crawlers reads the files. `None` if it is the
    /// report's, or makes no difference.
    #[must_use]
    pub fn own_profile(&self) -> Option<Profile> {
        self.own_profile
    }

    /// The names of the crawlers.
    pub fn names(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        names_of(&self.crawlers, &self.crawlers_base64)
    }

    /// The changes between two policies, for crawlers with these names.
    #[must_use]
    pub fn new(crawlers: Vec<Vec<u8>>, difference: Difference) -> CrawlerDiff {
        CrawlerDiff::of(&Compared { crawlers, difference }, &[None, None])
    }

    pub(super) fn of(same: &Compared, answers: &[Option<InsteadOfFile>; 2]) -> CrawlerDiff {
        let none = Flips::default();
        let flips = same.difference.flips().unwrap_or(&none);
        let (result, unproven, sampled) = match &same.difference {
            Difference::Equal => (DiffResult::Equal, None, None),
            Difference::Different(flips) => (DiffResult::Different, flips.unproven, None),
            Difference::Unknown { unproven, sampled } => {
                (DiffResult::Unknown, Some(*unproven), Some(*sampled))
            }
        };
        let (crawlers, crawlers_base64) = texts(&same.crawlers);
        let listed = |flips: &[diff::Flip]| flips.iter().map(|one| flip(one, answers)).collect();
        let more = |count: usize| {
            let pairs = || counted(count, "other pair");
            (count > 0).then(|| format!("more, by at least {} of rules", pairs()))
        };
        CrawlerDiff {
            crawlers,
            crawlers_base64,
            label: names(&same.crawlers),
            result,
            whole_site: flips.whole_site,
            headline: headline(flips).map(str::to_owned),
            newly_disallowed: listed(&flips.newly_disallowed),
            newly_allowed: listed(&flips.newly_allowed),
            more_disallowed: flips.more_disallowed,
            more_disallowed_label: more(flips.more_disallowed),
            more_allowed: flips.more_allowed,
            more_allowed_label: more(flips.more_allowed),
            unexamined: flips.unexamined,
            unproven: unproven.map(|why| why.to_string()),
            sampled,
            notes: notes(&same.difference),
            own_profile: None,
        }
    }
}

/// What happened to a whole site, or what it means that a home page closes or opens.
fn headline(flips: &Flips) -> Option<&'static str> {
    if let Some(whole) = flips.whole_site {
        return Some(whole_site(whole));
    }
    let is_home = |flip: &&diff::Flip| flip.path == b"/";
    if let Some(closed) = flips.newly_disallowed.iter().find(is_home) {
        return Some(if closed.new.as_ref().is_some_and(is_for_all) {
            "the whole site is closed now, but for what other rules allow"
        } else {
            "the home page is closed now"
        });
    }
    flips.newly_allowed.iter().find(is_home).map(|_| "the home page is open now")
}

/// Returns true if a rule matches every path.
fn is_for_all(rule: &diff::DecidingRule) -> bool {
    let stars = rule.value.strip_prefix(b"/").unwrap_or(&rule.value);
    !rule.value.is_empty() && stars.iter().all(|byte| *byte == b'*')
}

/// What may flip besides.
fn notes(difference: &Difference) -> Vec<String> {
    match difference {
        Difference::Equal => Vec::new(),
        Difference::Different(flips) => {
            let unexamined = match flips.unexamined {
                0 => None,
                n => Some(format!(
                    "{} may flip paths: there was no budget to find out",
                    counted(n, "more rule")
                )),
            };
            // The first of a direction is a shortest one, if one is known.
            let is_unproven =
                |flips: &[diff::Flip]| flips.first().is_some_and(|flip| !flip.is_shortest);
            let shorter = is_unproven(&flips.newly_disallowed) || is_unproven(&flips.newly_allowed);
            let shorter = if shorter { ", also shorter ones" } else { "" };
            let early = flips.unproven.map(|why| format!("other paths may flip{shorter} ({why})"));
            unexamined.into_iter().chain(early).collect()
        }
        Difference::Unknown { unproven, sampled: 0 } => {
            vec![format!("paths may flip, none was tried ({unproven})")]
        }
        Difference::Unknown { unproven, sampled } => {
            vec![format!("none of the {sampled} paths tried flips, but others may ({unproven})")]
        }
    }
}

fn flip(flip: &diff::Flip, answers: &[Option<InsteadOfFile>; 2]) -> Flip {
    let (path, path_base64) = text(&flip.path);
    let (extent, below) = match flip.extent {
        diff::Extent::Path => (Extent::Path, None),
        diff::Extent::From => (Extent::From, None),
        diff::Extent::Below(len) => (Extent::Below, flip.path.get(..len)),
    };
    let rule = |side: usize, rule: &Option<diff::DecidingRule>| {
        let rule = rule.as_ref().filter(|_| answers[side].is_none()).map(DecidingRule::of);
        let label = match &answers[side] {
            Some(instead) => shown(instead.answer.as_bytes()),
            None => rule_label(rule.as_ref(), shown),
        };
        (rule, label)
    };
    let [(old, old_label), (new, new_label)] = [rule(0, &flip.old), rule(1, &flip.new)];
    let label = extent_label(extent, below.unwrap_or(&flip.path), shown);
    let (below, below_base64) = below.map(text).unzip();
    Flip {
        path,
        path_base64,
        shortest: flip.is_shortest,
        extent,
        below,
        below_base64: below_base64.flatten(),
        label,
        old,
        old_label,
        new,
        new_label,
    }
}

impl Flip {
    /// The paths that flip, in words, with texts of the file written as `quoted` writes them.
    pub fn label_with(&self, quoted: impl Fn(&[u8]) -> String) -> String {
        match &self.below {
            Some(below) => {
                extent_label(self.extent, &bytes(below, self.below_base64.as_deref()), quoted)
            }
            None => {
                extent_label(self.extent, &bytes(&self.path, self.path_base64.as_deref()), quoted)
            }
        }
    }
}

fn extent_label(extent: Extent, start: &[u8], quoted: impl Fn(&[u8]) -> String) -> String {
    let quoted = |start: &[u8]| quoted(&pasted(start));
    match extent {
        Extent::From if start == b"/" => "every path".to_owned(),
        Extent::From => format!("{} and all below", quoted(start)),
        Extent::Below => format!("all below {}", quoted(start)),
        Extent::Path => quoted(start),
    }
}

/// A rule with its line, with its text written as `quoted` writes it.
pub fn rule_label(rule: Option<&DecidingRule>, quoted: impl Fn(&[u8]) -> String) -> String {
    let Some(rule) = rule else { return "no rule".to_owned() };
    let field = if rule.verdict.is_allow() { "Allow: " } else { "Disallow: " };
    let value = bytes(&rule.value, rule.value_base64.as_deref());
    format!("line {} {}", rule.line, quoted(&[field.as_bytes(), &value].concat()))
}

impl DecidingRule {
    fn of(rule: &diff::DecidingRule) -> DecidingRule {
        let (value, value_base64) = text(&rule.value);
        DecidingRule { verdict: rule.verdict, line: rule.line, value, value_base64 }
    }
}

/// One for each kind of record that changed.
pub(super) fn record_diffs(changed: &RecordChanges<Vec<u8>>) -> impl Iterator<Item = RecordDiff> {
    let (crawlers, crawlers_base64) = changed.crawlers.as_deref().map(texts).unzip();
    let label = match &changed.crawlers {
        None => "of no group".to_owned(),
        Some(crawlers) => format!("for {}", names(crawlers)),
    };
    let listed = |records: &[diff::ChangedRecord]| records.iter().map(changed_record).collect();
    changed.changes.iter().map(move |change| RecordDiff {
        crawlers: crawlers.clone(),
        crawlers_base64: crawlers_base64.clone().flatten(),
        label: label.clone(),
        kind: change.kind,
        removed: listed(&change.removed),
        added: listed(&change.added),
        more_removed: change.more_removed,
        more_added: change.more_added,
    })
}

impl RecordDiff {
    /// The names of the crawlers. `None` for records of no group.
    pub fn names(&self) -> Option<impl Iterator<Item = Vec<u8>> + '_> {
        self.crawlers.as_ref().map(|crawlers| names_of(crawlers, &self.crawlers_base64))
    }

    /// The one record that was replaced and the one that replaced it, if that is all.
    #[must_use]
    pub fn replaced(&self) -> Option<[&ChangedRecord; 2]> {
        match (&self.removed[..], &self.added[..], self.more_removed + self.more_added) {
            ([old], [new], 0) => Some([old, new]),
            _ => None,
        }
    }

    /// The number of records that changed: one that was replaced counts once.
    fn count(&self) -> usize {
        let removed = self.removed.len() + self.more_removed;
        let added = self.added.len() + self.more_added;
        if (removed, added) == (1, 1) { 1 } else { removed + added }
    }
}

fn changed_record(record: &diff::ChangedRecord) -> ChangedRecord {
    let (field, field_base64) = text(&record.field);
    let (value, value_base64) = text(&record.value);
    let label = format!("line {} {}: {}", record.line, shown(&record.field), shown(&record.value));
    ChangedRecord { line: record.line, field, field_base64, value, value_base64, label }
}

impl UrlFlip {
    /// The names of the crawlers.
    pub fn names(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        names_of(&self.crawlers, &self.crawlers_base64)
    }

    /// A URL whose verdict is another one now for the crawlers of these parts of a report.
    #[must_use]
    pub fn new(url: &[u8], new: Verdict, parts: &[&CrawlerDiff]) -> UrlFlip {
        let (url, url_base64) = text(url);
        let names: Vec<Vec<u8>> = parts.iter().flat_map(|part| part.names()).collect();
        let (crawlers, crawlers_base64) = texts(&names);
        let labels: Vec<&str> = parts.iter().map(|part| part.label.as_str()).collect();
        UrlFlip { url, url_base64, new, crawlers, crawlers_base64, label: labels.join(", ") }
    }
}

/// The names of crawlers in one text.
#[must_use]
pub fn names(names: &[Vec<u8>]) -> String {
    let one = |name: &Vec<u8>| match &name[..] {
        b"*" => "* (any other crawler)".to_owned(),
        name => shown(name),
    };
    names.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The bytes of names in two members.
fn names_of<'n>(
    texts: &'n [String],
    base64: &'n Option<Vec<String>>,
) -> impl Iterator<Item = Vec<u8>> + 'n {
    (0..texts.len()).map(move |at| {
        let base64 = base64.as_ref().and_then(|base64| base64.get(at));
        bytes(&texts[at], base64.map(String::as_str))
    })
}
