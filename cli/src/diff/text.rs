//! A comparison for people.

use std::io::{self, Write};

use robotsieve::Verdict;
use robotsieve_report::{CrawlerDiff, DiffReport, DiffResult, Flip, RecordDiff, bytes, now};

use super::urls::{Urls, of_same_crawlers};

/// Prints what changed, the severest first.
pub fn print(report: &mut DiffReport, urls: &Urls<'_>, out: &mut impl Write) -> io::Result<()> {
    // The last one is the result.
    if let [before @ .., _] = &report.sentences[..] {
        before.iter().try_for_each(|sentence| writeln!(out, "{}", sentence.text))?;
    }
    let changed = report.crawlers.iter().filter(|same| same.result != DiffResult::Equal);
    changed.into_iter().try_for_each(|same| crawlers(same, out))?;
    for changed in of_same_crawlers(&report.records) {
        writeln!(out, "other records, {}:", changed[0].label)?;
        changed.iter().try_for_each(|change| records(change, out))?;
    }
    let mut heading = Some("URLs that flip:\n");
    urls.flipping(report, |flip| {
        out.write_all(heading.take().unwrap_or_default().as_bytes())?;
        write!(out, "  {:14}  ", now(flip.new))?;
        out.write_all(&bytes(&flip.url, flip.url_base64.as_deref()))?;
        writeln!(out, "  ({})", flip.label)
    })?;
    writeln!(out, "{}", report.summary())
}

fn crawlers(same: &CrawlerDiff, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}:", same.label)?;
    let all = [&same.newly_disallowed, &same.newly_allowed];
    let lens = all.into_iter().flatten().map(|flip| flip.label.chars().count());
    // Very long paths are ignored, so that they do not push all rules far to the right.
    let width = lens.filter(|len| *len <= 48).max().unwrap_or(0);
    let more = [&same.more_disallowed_label, &same.more_allowed_label];
    for ((to, flips), more) in [Verdict::Disallow, Verdict::Allow].iter().zip(all).zip(more) {
        let what = now(*to);
        for Flip { label, old_label, new_label, .. } in flips {
            writeln!(out, "  {what:14}  {label:width$}  {old_label} -> {new_label}")?;
        }
        if let Some(more) = more {
            writeln!(out, "  {what:14}  {more}")?;
        }
    }
    same.notes.iter().try_for_each(|note| writeln!(out, "  {note}"))
}

fn records(change: &RecordDiff, out: &mut impl Write) -> io::Result<()> {
    if let Some([old, new]) = change.replaced() {
        return writeln!(out, "  changed  {} -> {}", old.label, new.label);
    }
    for (what, records, more) in [
        ("removed", &change.removed, change.more_removed),
        ("added  ", &change.added, change.more_added),
    ] {
        records.iter().try_for_each(|one| writeln!(out, "  {what}  {}", one.label))?;
        if more > 0 {
            writeln!(out, "  {what}  {more} more {}", change.kind)?;
        }
    }
    Ok(())
}
