//! A comparison as workflow commands, which GitHub Actions shows next to the lines of the new file.

use std::io::{self, Write};
use std::sync::Arc;

use robotsieve::Verdict;
use robotsieve::diff::{ChangedRecord, Difference, Flip};

use super::args::DiffArgs;
use super::risk::Risks;
use super::text::{names, said, shown_deciders, shown_extent, unexamined};
use super::{Changes, Outcome, flipping_urls, headlines};
use crate::read::robots_file;
use crate::write::bytes::shown;
use crate::write::report::Report;
use crate::write::workflow::{Annotation, Level};

/// The most crawlers, or URLs, to name in a message.
const NAMES: usize = 10;

/// Prints a line for each risk and each change, the severest first.
pub fn print(
    args: &DiffArgs,
    changes: &Changes,
    risks: &Risks<'_>,
    report: &Arc<Report>,
    out: &mut impl Write,
) -> io::Result<Outcome> {
    let file = robots_file::shown(&args.new);
    let mut say = |level, line: Option<u32>, title: &str, message: &str| {
        let place = line.map(|line| (u64::from(line), None));
        write!(out, "{}", Annotation { level, file: &file, place, title, message })
    };
    for (side, answer) in changes.answered() {
        say(
            Level::Warning,
            None,
            &format!("{side}: {}", answer.cause),
            &format!("{side}: {answer}"),
        )?;
    }
    for (what, group) in headlines(changes) {
        say(Level::Warning, None, what, &format!("{what} for {}", few(&group.names)))?;
    }
    for risk in &risks.sites {
        let names: Vec<Vec<u8>> =
            risk.crawlers.iter().map(|crawler| crawler.token.clone().into_bytes()).collect();
        let title = format!("{}: {}", risk.purpose.title(), said(risk.whole));
        let message = format!("{title} for {}: {}", risk.counted(), few(&names));
        say(Level::Warning, None, &title, &message)?;
    }
    for group in &changes.groups {
        let names = few(&group.names);
        match &group.difference {
            Difference::Equal => {}
            Difference::Different(flips) => {
                let all = [
                    ("disallowed now", &flips.newly_disallowed, flips.more_disallowed),
                    ("allowed now", &flips.newly_allowed, flips.more_allowed),
                ];
                for (what, flips, more) in all {
                    for flip in flips {
                        let rule = flip.new.as_ref().filter(|_| changes.answers[1].is_none());
                        let line = rule.map(|rule| rule.line);
                        let message = flip_message(changes, what, &names, flip);
                        say(Level::Warning, line, what, &message)?;
                    }
                    if more > 0 {
                        let s = if more == 1 { "" } else { "s" };
                        let message = format!(
                            "{what} for {names}: more, by at least {more} other pair{s} of rules"
                        );
                        say(Level::Warning, None, what, &message)?;
                    }
                }
                if let Some(unexamined) = unexamined(flips) {
                    let message = format!("for {names}: {unexamined}");
                    say(Level::Warning, None, "not proven", &message)?;
                }
                if let Some(unproven) = flips.unproven {
                    let message = format!("other paths may flip for {names} ({unproven})");
                    say(Level::Warning, None, "not proven", &message)?;
                }
            }
            Difference::Unknown { unproven, .. } => {
                let message = format!("paths may flip for {names} ({unproven})");
                say(Level::Warning, None, "not proven", &message)?;
            }
            _ => {}
        }
    }
    for changed in &changes.records {
        let whose = match &changed.crawlers {
            None => "of no group".to_owned(),
            Some(crawlers) => format!("for {}", few(crawlers)),
        };
        let record = |ChangedRecord { field, value, .. }: &ChangedRecord| {
            format!("{}: {}", shown(field), shown(value))
        };
        for change in &changed.changes {
            for removed in &change.removed {
                let message = format!("removed {whose}: {}", record(removed));
                say(Level::Notice, None, "record removed", &message)?;
            }
            for added in &change.added {
                let message = format!("added {whose}: {}", record(added));
                say(Level::Notice, Some(added.line), "record added", &message)?;
            }
            let more = change.more_removed + change.more_added;
            if more > 0 {
                let message = format!("{more} more {} changed {whose}", change.kind);
                say(Level::Notice, None, "records changed", &message)?;
            }
        }
    }
    let mut examples = Vec::new();
    let flipped = flipping_urls(args, &changes.groups, report, |url, verdict, _| {
        if examples.len() < NAMES {
            let what = if verdict == Verdict::Allow { "allowed" } else { "disallowed" };
            examples.push(format!("{} ({what} now)", shown(url)));
        }
        Ok(())
    })?;
    if flipped > 0 {
        let message = format!("{flipped} URLs flip, such as {}", examples.join(", "));
        say(Level::Warning, None, "URLs flip", &message)?;
    }
    Ok(Outcome::of(changes, flipped))
}

fn flip_message(changes: &Changes, what: &str, names: &str, flip: &Flip) -> String {
    let [old, new] = shown_deciders(changes, flip);
    format!("{what} for {names}: {} ({old} -> {new})", shown_extent(flip))
}

/// The first names, and how many more there are.
fn few(all: &[Vec<u8>]) -> String {
    match all.len().checked_sub(NAMES) {
        Some(more) if more > 0 => format!("{} and {more} more", names(&all[..NAMES])),
        _ => names(all),
    }
}
