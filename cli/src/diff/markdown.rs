//! A comparison as Markdown: a comment for a pull request, or the summary of a job.
//!
//! What comes from the files is in code spans only, so none of it is markup, a link, an image, a
//! mention or the number of an issue.

use std::io::{self, Write};

use robotsieve::Verdict;
use robotsieve_report::{
    ChangedRecord, CrawlerDiff, DiffReport, DiffResult, RecordDiff, RiskCrawler, bytes, now,
    rule_label,
};
use robotsieve_shown::first_of;

use super::urls::{Urls, of_same_crawlers};
use crate::write::bytes::shown;
use crate::write::markdown::{self, capitalised, plain};

/// A comment on GitHub has 65,536 characters at most. The rest is for what comes at the end.
const MAX_BYTES: usize = 56_000;

/// The most bytes of a name or a value to show, and the most names in a list.
const VALUE: usize = 120;
const NAMES: usize = 10;

/// The most URLs to list.
const URLS: usize = 20;

/// Prints the page.
pub fn print(
    file: &str,
    report: &mut DiffReport,
    urls: &Urls<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut page = Page::default();
    let mut flips = Vec::new();
    urls.flipping(report, |flip| {
        if flips.len() < URLS {
            let url = code(&bytes(&flip.url, flip.url_base64.as_deref()));
            flips.push(format!("- {}: {url} ({})\n", now(flip.new), names(flip.names())));
        }
        Ok(())
    })?;
    let title = match report.result {
        DiffResult::Different => "what changes",
        DiffResult::Equal => "no change",
        _ => "no change found, not proven",
    };
    page.text.push_str(&format!("## {}: {title}\n", code(file.as_bytes())));
    for (side, answer) in [("Old", &report.old_answer), ("New", &report.new_answer)] {
        let Some(answer) = answer else { continue };
        let (url, cause) = (code(answer.url.as_bytes()), plain(&answer.answer));
        page.text.push_str(&format!("\n**{side}: {url} answered {cause}**: {}.\n", answer.why));
    }
    headline(report, &mut page);
    page.section(
        "What closes",
        report.crawlers.iter().flat_map(|same| to(same, Verdict::Disallow)),
    );
    page.section("What opens", report.crawlers.iter().flat_map(|same| to(same, Verdict::Allow)));
    let not_proven = report.crawlers.iter().flat_map(|same| {
        same.notes.iter().map(|note| format!("- {}: {note}\n", names(same.names())))
    });
    page.section("Not proven", not_proven);
    page.section(
        "Other records",
        of_same_crawlers(&report.records).flat_map(|changed| {
            let whose = match changed[0].names() {
                None => changed[0].label.clone(),
                Some(crawlers) => format!("for {}", names(crawlers)),
            };
            let lines = changed.iter().flat_map(records);
            std::iter::once(format!("- {whose}\n")).chain(lines).collect::<Vec<_>>()
        }),
    );
    page.section("URLs that flip", flips);
    let more = report.urls_flipped.unwrap_or(0).saturating_sub(URLS as u64);
    if more > 0 {
        page.item(&format!("- and {more} more\n"));
    }
    page.section("What does not change", same(report));
    if page.left_out > 0 {
        let lines = if page.left_out == 1 { "line is" } else { "lines are" };
        page.text.push_str(&format!(
            "\n{} more {lines} left out, so that this fits into a comment: `robotsieve diff` prints \
             all.\n",
            page.left_out
        ));
    }
    writeln!(out, "{}\n{}.", page.text, capitalised(report.summary()))
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
fn headline(report: &DiffReport, page: &mut Page) {
    page.text.push('\n');
    let from = page.text.len();
    for same in &report.crawlers {
        let Some(headline) = &same.headline else { continue };
        page.item(&format!("- **{}** for {}\n", capitalised(headline), names(same.names())));
    }
    if let Some(risks) = &report.risks {
        for risk in &risks.sites {
            let crawlers = list(risk.crawlers.iter().map(operated));
            page.item(&format!("- **{}**: {crawlers}\n", capitalised(&risk.label)));
        }
        if let Some(label) = risks.some_label {
            let crawlers = list(risks.some.iter().map(operated));
            page.item(&format!("- **{}**: {crawlers}\n", capitalised(label)));
        }
    }
    if page.text.len() == from {
        page.text.pop();
    }
}

/// What flips to a verdict for some crawlers.
fn to(same: &CrawlerDiff, verdict: Verdict) -> Vec<String> {
    let (flips, more) = match verdict {
        Verdict::Disallow => (&same.newly_disallowed, &same.more_disallowed_label),
        Verdict::Allow => (&same.newly_allowed, &same.more_allowed_label),
    };
    if flips.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![format!("- {}\n", names(same.names()))];
    lines.extend(flips.iter().map(|flip| {
        let rule = |rule: &Option<_>, label: &str| match rule {
            Some(rule) => rule_label(Some(rule), code),
            None => plain(label),
        };
        let (old, new) = (rule(&flip.old, &flip.old_label), rule(&flip.new, &flip.new_label));
        format!("  - {} ({old} → {new})\n", flip.label_with(code))
    }));
    lines.extend(more.iter().map(|more| format!("  - {more}\n")));
    lines
}

fn records(change: &RecordDiff) -> Vec<String> {
    let record = |record: &ChangedRecord| {
        let field = bytes(&record.field, record.field_base64.as_deref());
        let value = bytes(&record.value, record.value_base64.as_deref());
        format!("line {}, {}", record.line, code(&[&field[..], b": ", &value].concat()))
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
fn same(report: &DiffReport) -> Vec<String> {
    let mut lines = Vec::new();
    if report.result == DiffResult::Equal {
        return lines;
    }
    let same = report.crawlers.iter().filter(|same| same.result == DiffResult::Equal);
    let same: Vec<Vec<u8>> = same.flat_map(CrawlerDiff::names).collect();
    if !same.is_empty() {
        lines.push(format!("- what these may read: {}\n", names(same.into_iter())));
    }
    let purposes = report.risks.iter().flat_map(|risks| &risks.same);
    let purposes: Vec<&str> = purposes.map(|purpose| purpose.title).collect();
    if !purposes.is_empty() {
        lines.push(format!("- what the known crawlers may read for {}\n", purposes.join(", ")));
    }
    if report.records.is_empty() {
        lines.push("- other records: sitemaps, crawl delays and so on\n".to_owned());
    }
    lines
}

/// A known crawler with who runs it, and for what.
fn operated(crawler: &RiskCrawler) -> String {
    let about = format!("{}, {}", crawler.operator, crawler.purpose.title);
    format!("{} ({})", code(crawler.token.as_bytes()), plain(&about))
}

fn names(names: impl Iterator<Item = Vec<u8>>) -> String {
    let names: Vec<Vec<u8>> = names.collect();
    list(names.iter().map(|name| match &name[..] {
        b"*" => "any other crawler (`*`)".to_owned(),
        name => code(name),
    }))
}

/// The first of a list, and how many more there are.
fn list(all: impl ExactSizeIterator<Item = String>) -> String {
    first_of(NAMES, all)
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
