//! A comparison as workflow commands, which GitHub Actions shows next to the lines of the new file.

use std::io::{self, Write};

use robotsieve::Verdict;
use robotsieve_report::{CrawlerDiff, DiffReport, RecordDiff, bytes, now};
use robotsieve_shown::shown;

use super::urls::Urls;
use crate::write::workflow::{Annotation, Level};

/// The most crawlers, or URLs, to name in a message.
const NAMES: usize = 10;

/// Prints a line for each risk and each change, the severest first.
pub fn print(
    file: &str,
    report: &mut DiffReport,
    urls: &Urls<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut page = Page { file, out };
    for (side, answer) in [("old", &report.old_answer), ("new", &report.new_answer)] {
        let Some(answer) = answer else { continue };
        let title = format!("{side}: {}", answer.answer);
        let message = format!("{side}: {}: {}: {}", answer.url, answer.answer, answer.why);
        page.warn(None, &title, &message)?;
    }
    for same in &report.crawlers {
        let Some(headline) = &same.headline else { continue };
        page.warn(None, headline, &format!("{headline} for {}", few(same.names())))?;
    }
    for risk in report.risks.iter().flat_map(|risks| &risks.sites) {
        let names = risk.crawlers.iter().map(|crawler| crawler.token.clone().into_bytes());
        page.warn(None, &risk.headline, &format!("{}: {}", risk.label, few(names)))?;
    }
    report.crawlers.iter().try_for_each(|same| page.crawlers(same))?;
    report.records.iter().try_for_each(|change| page.records(change))?;
    let mut examples = Vec::new();
    urls.flipping(report, |flip| {
        if examples.len() < NAMES {
            let url = shown(&bytes(&flip.url, flip.url_base64.as_deref()));
            examples.push(format!("{url} ({})", now(flip.new)));
        }
        Ok(())
    })?;
    let flipped = report.urls_flipped.unwrap_or(0);
    if flipped > 0 {
        let urls = if flipped == 1 { "URL flips" } else { "URLs flip" };
        let message = format!("{flipped} {urls}, such as {}", examples.join(", "));
        page.warn(None, "URLs flip", &message)?;
    }
    Ok(())
}

struct Page<'p, W> {
    file: &'p str,
    out: &'p mut W,
}

impl<W: Write> Page<'_, W> {
    fn say(
        &mut self,
        level: Level,
        line: Option<u32>,
        title: &str,
        message: &str,
    ) -> io::Result<()> {
        let place = line.map(|line| (u64::from(line), None));
        write!(self.out, "{}", Annotation { level, file: self.file, place, title, message })
    }

    fn warn(&mut self, line: Option<u32>, title: &str, message: &str) -> io::Result<()> {
        self.say(Level::Warning, line, title, message)
    }

    fn crawlers(&mut self, same: &CrawlerDiff) -> io::Result<()> {
        let names = few(same.names());
        let all = [
            (Verdict::Disallow, &same.newly_disallowed, &same.more_disallowed_label),
            (Verdict::Allow, &same.newly_allowed, &same.more_allowed_label),
        ];
        for (to, flips, more) in all {
            let what = now(to);
            for flip in flips {
                let line = flip.new.as_ref().map(|rule| rule.line);
                let how = format!("{} ({} -> {})", flip.label, flip.old_label, flip.new_label);
                self.warn(line, what, &format!("{what} for {names}: {how}"))?;
            }
            if let Some(more) = more {
                self.warn(None, what, &format!("{what} for {names}: {more}"))?;
            }
        }
        let mut notes = same.notes.iter();
        notes.try_for_each(|note| self.warn(None, "not proven", &format!("for {names}: {note}")))
    }

    fn records(&mut self, change: &RecordDiff) -> io::Result<()> {
        let whose = match change.names() {
            None => change.label.clone(),
            Some(names) => format!("for {}", few(names)),
        };
        for removed in &change.removed {
            let message = format!("removed {whose}: {}", removed.label);
            self.say(Level::Notice, None, "record removed", &message)?;
        }
        for added in &change.added {
            let message = format!("added {whose}: {}", added.label);
            self.say(Level::Notice, Some(added.line), "record added", &message)?;
        }
        let more = change.more_removed + change.more_added;
        if more > 0 {
            let message = format!("{more} more {} changed {whose}", change.kind);
            self.say(Level::Notice, None, "records changed", &message)?;
        }
        Ok(())
    }
}

/// The first names, and how many more there are.
fn few(names: impl Iterator<Item = Vec<u8>>) -> String {
    let names: Vec<Vec<u8>> = names.collect();
    let shown = robotsieve_report::names(&names[..names.len().min(NAMES)]);
    match names.len().checked_sub(NAMES) {
        Some(more) if more > 0 => format!("{shown} and {more} more"),
        _ => shown,
    }
}
