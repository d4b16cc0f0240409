//! A comparison as Markdown: a comment for a pull request, or the summary of a job.
//!
//! What comes from the files is in code spans only, so none of it is markup, a link, an image, a
//! mention or the number of an issue.

use std::io::{self, Write};
use std::sync::Arc;

use robotsieve::Verdict;
use robotsieve::diff::{ChangedRecord, DecidingRule, Difference, Extent, Flip, RecordChange};

use super::args::DiffArgs;
use super::risk::Risks;
use super::text::{others_may, said, summary, unexamined};
use super::{Changes, Group, Outcome, flipping_urls, headlines};
use crate::known::{KnownCrawler, Purpose};
use crate::read::robots_file;
use crate::read::web::Answer;
use crate::write::bytes::shown;
use crate::write::list;
use crate::write::markdown::{self, capitalised, plain};
use crate::write::report::Report;

/// A comment on GitHub has 65,536 characters at most. The rest is for what comes at the end.
const MAX_BYTES: usize = 56_000;

/// The most bytes of a name or a value to show, and the most names in a list.
const VALUE: usize = 120;
const NAMES: usize = 10;

/// The most URLs to list.
const URLS: usize = 20;

/// Prints the page.
pub fn print(
    args: &DiffArgs,
    changes: &Changes,
    risks: &Risks<'_>,
    report: &Arc<Report>,
    out: &mut impl Write,
) -> io::Result<Outcome> {
    let mut page = Page::default();
    let name = code(robots_file::shown(&args.new).as_bytes());
    let mut urls = Vec::new();
    let flipped = flipping_urls(args, &changes.groups, report, |url, verdict, groups| {
        if urls.len() < URLS {
            let groups: Vec<String> = groups.iter().map(|group| names(&group.names)).collect();
            urls.push(format!("- {}: {} ({})\n", now(verdict), code(url), groups.join(", ")));
        }
        Ok(())
    })?;
    let outcome = Outcome::of(changes, flipped);
    let title = match outcome {
        Outcome::Same => "no change",
        Outcome::Changed => "what changes",
        Outcome::Unproven => "no change found, not proven",
    };
    page.text.push_str(&format!("## {name}: {title}\n"));
    for (side, answer) in changes.answered() {
        let Answer { url, cause, meaning, .. } = answer;
        let (side, url, cause) = (capitalised(side), code(url.as_bytes()), plain(cause));
        page.text.push_str(&format!("\n**{side}: {url} answered {cause}**: {meaning}.\n"));
    }
    headline(changes, risks, &mut page);
    let of = |verdict| flips(changes, verdict);
    page.section("What closes", of(Verdict::Disallow));
    page.section("What opens", of(Verdict::Allow));
    page.section("Not proven", changes.groups.iter().filter_map(not_proven));
    page.section(
        "Other records",
        changes.records.iter().flat_map(|changed| {
            let whose = match &changed.crawlers {
                None => "of no group".to_owned(),
                Some(crawlers) => format!("for {}", names(crawlers)),
            };
            let lines = changed.changes.iter().flat_map(records);
            std::iter::once(format!("- {whose}\n")).chain(lines).collect::<Vec<_>>()
        }),
    );
    page.section("URLs that flip", urls);
    if let Some(more) = flipped.checked_sub(URLS as u64).filter(|more| *more > 0) {
        page.item(&format!("- and {more} more\n"));
    }
    page.section("What does not change", same(changes, risks, outcome));
    if page.left_out > 0 {
        let lines = if page.left_out == 1 { "line is" } else { "lines are" };
        page.text.push_str(&format!(
            "\n{} more {lines} left out, so that this fits into a comment: `robotsieve diff` prints \
             all.\n",
            page.left_out
        ));
    }
    writeln!(out, "{}\n{}.", page.text, capitalised(&summary(args, changes, outcome, flipped)))?;
    Ok(outcome)
}

/// A text of bounded length.
#[derive(Default)]
struct Page {
    text: String,
    left_out: usize,
}

impl Page {
    /// Adds lines, or counts them if there is no room.
    fn item(&mut self, item: &str) {
        if self.left_out > 0 || self.text.len() + item.len() > MAX_BYTES {
            self.left_out += item.lines().count();
        } else {
            self.text.push_str(item);
        }
    }

    /// Adds a section, if there is something in it.
    fn section(&mut self, title: &str, items: impl IntoIterator<Item = String>) {
        let mut title = Some(title);
        for item in items {
            if let Some(title) = title.take_if(|_| self.left_out == 0) {
                self.text.push_str(&format!("\n### {title}\n\n"));
            }
            self.item(&item);
        }
    }
}

/// The risks, the severest first.
fn headline(changes: &Changes, risks: &Risks<'_>, page: &mut Page) {
    page.text.push('\n');
    let from = page.text.len();
    for (what, group) in headlines(changes) {
        page.item(&format!("- **{}** for {}\n", capitalised(what), names(&group.names)));
    }
    for risk in &risks.sites {
        let crawlers = risk.crawlers.iter().map(|crawler| operated(crawler));
        page.item(&format!(
            "- **{}: {} for {}**: {}\n",
            capitalised(risk.purpose.title()),
            said(risk.whole),
            risk.counted(),
            list(crawlers),
        ));
    }
    if !risks.some.is_empty() {
        let crawlers = risks.some.iter().map(|crawler| operated(crawler));
        let some = list(crawlers);
        page.item(&format!("- **Some paths change for known crawlers**: {some}\n"));
    }
    if page.text.len() == from {
        page.text.pop();
    }
}

/// What flips to a verdict, for each set of crawlers.
fn flips(changes: &Changes, to: Verdict) -> impl Iterator<Item = String> {
    let groups = changes.groups.iter().filter_map(move |group| {
        let flips = group.difference.flips()?;
        let (flips, more) = match to {
            Verdict::Disallow => (&flips.newly_disallowed, flips.more_disallowed),
            Verdict::Allow => (&flips.newly_allowed, flips.more_allowed),
        };
        (!flips.is_empty()).then_some((group, flips, more))
    });
    groups.flat_map(|(group, flips, more)| {
        let mut lines = vec![format!("- {}\n", names(&group.names))];
        lines.extend(flips.iter().map(|flip| {
            let [old, new] = changes.deciders(flip, rule, plain);
            format!("  - {} ({old} → {new})\n", extent(flip))
        }));
        if more > 0 {
            let s = if more == 1 { "" } else { "s" };
            lines.push(format!("  - more, by at least {more} other pair{s} of rules\n"));
        }
        lines
    })
}

fn extent(flip: &Flip) -> String {
    match flip.extent {
        Extent::From if flip.path == b"/" => "every path".to_owned(),
        Extent::From => format!("{} and all below", code(&flip.path)),
        Extent::Below(len) => format!("all below {}", code(&flip.path[..len])),
        _ => code(&flip.path),
    }
}

fn rule(rule: &Option<DecidingRule>) -> String {
    match rule {
        None => "no rule".to_owned(),
        Some(rule) => {
            let field: &[u8] = if rule.verdict.is_allow() { b"Allow: " } else { b"Disallow: " };
            format!("line {}, {}", rule.line, code(&[field, &rule.value].concat()))
        }
    }
}

/// What may flip besides.
fn not_proven(group: &Group) -> Option<String> {
    let names = names(&group.names);
    match &group.difference {
        Difference::Different(flips) => {
            let early = flips.unproven.map(|why| format!("{} ({why})", others_may(flips)));
            let open = early.or_else(|| unexamined(flips))?;
            Some(format!("- {names}: {open}\n"))
        }
        Difference::Unknown { unproven, sampled: 0 } => {
            Some(format!("- {names}: paths may flip, none was tried ({unproven})\n"))
        }
        Difference::Unknown { unproven, sampled } => Some(format!(
            "- {names}: none of the {sampled} paths tried flips, but others may ({unproven})\n"
        )),
        _ => None,
    }
}

fn records(change: &RecordChange) -> Vec<String> {
    let record = |record: &ChangedRecord| {
        let text = [&record.field[..], b": ", &record.value].concat();
        format!("line {}, {}", record.line, code(&text))
    };
    let mut lines = Vec::new();
    for (what, records, more) in [
        ("removed", &change.removed, change.more_removed),
        ("added", &change.added, change.more_added),
    ] {
        lines.extend(records.iter().map(|one| format!("  - {what}: {}\n", record(one))));
        if more > 0 {
            lines.push(format!("  - {what}: {more} more {}\n", change.kind));
        }
    }
    lines
}

/// What is proven to be as it was.
fn same(changes: &Changes, risks: &Risks<'_>, outcome: Outcome) -> Vec<String> {
    let mut lines = Vec::new();
    if outcome == Outcome::Same {
        return lines;
    }
    let same = changes.groups.iter().filter(|group| group.difference.is_equal());
    let same: Vec<Vec<u8>> = same.flat_map(|group| group.names.iter().cloned()).collect();
    if !same.is_empty() {
        lines.push(format!("- what these may read: {}\n", names(&same)));
    }
    if !risks.same.is_empty() {
        let purposes: Vec<&str> =
            risks.same.iter().map(|purpose| Purpose::title(*purpose)).collect();
        lines.push(format!("- what the known crawlers may read for {}\n", purposes.join(", ")));
    }
    if changes.records.is_empty() {
        lines.push("- other records: sitemaps, crawl delays and so on\n".to_owned());
    }
    lines
}

fn now(verdict: Verdict) -> &'static str {
    if verdict.is_allow() { "allowed now" } else { "disallowed now" }
}

/// A known crawler with who runs it, and for what.
fn operated(crawler: &KnownCrawler) -> String {
    let about = format!("{}, {}", crawler.operator, crawler.purpose.title());
    format!("{} ({})", code(crawler.token.as_bytes()), plain(&about))
}

fn names(names: &[Vec<u8>]) -> String {
    let shown = |name: &Vec<u8>| match &name[..] {
        b"*" => "any other crawler (`*`)".to_owned(),
        name => code(name),
    };
    list(names.iter().map(shown))
}

/// The first of a list, and how many more there are.
fn list(all: impl ExactSizeIterator<Item = String>) -> String {
    list::first(NAMES, all)
}

/// Bytes as a code span, in which nothing is markup.
fn code(bytes: &[u8]) -> String {
    let mut text = shown(&bytes[..bytes.len().min(VALUE)]);
    if bytes.len() > VALUE {
        text.push('…');
    }
    if text.is_empty() { "(empty)".to_owned() } else { markdown::code(&text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values() {
        assert_eq!(code(b""), "(empty)");
        assert_eq!(code(b"a\n\nb\r<"), "`a\\n\\nb\\r<`");
        assert!(code(&b"`".repeat(10_000)).len() < 500);
    }
}
