//! A comparison for people.

use std::io::{self, Write};
use std::sync::Arc;

use robotsieve::diff::{
    ChangedRecord, DecidingRule, Difference, Extent, Flip, Flips, RecordChange, WholeSite,
};

use super::args::DiffArgs;
use super::{Changes, Group, Outcome, flipping_urls, headlines};
use crate::write::bytes::shown;
use crate::write::report::Report;

/// Prints what changed, the severest first.
pub fn print(
    args: &DiffArgs,
    changes: &Changes,
    report: &Arc<Report>,
    out: &mut impl Write,
) -> io::Result<Outcome> {
    let Changes { groups, records, .. } = changes;
    for (side, answer) in changes.answered() {
        writeln!(out, "{side}: {}", shown(answer.to_string().as_bytes()))?;
    }
    for (what, group) in headlines(changes) {
        writeln!(out, "{what} for {}", names(&group.names))?;
    }
    for group in groups {
        match &group.difference {
            Difference::Equal => {}
            Difference::Different(flips) => {
                writeln!(out, "{}:", names(&group.names))?;
                print_flips(changes, flips, out)?;
            }
            Difference::Unknown { unproven, sampled: 0 } => {
                writeln!(out, "{}:", names(&group.names))?;
                writeln!(out, "  paths may flip, none was tried ({unproven})")?;
            }
            Difference::Unknown { unproven, sampled } => {
                writeln!(out, "{}:", names(&group.names))?;
                writeln!(
                    out,
                    "  none of the {sampled} paths tried flips, but others may ({unproven})"
                )?;
            }
            _ => {}
        }
    }
    for changed in records {
        match &changed.crawlers {
            None => writeln!(out, "other records, of no group:")?,
            Some(crawlers) => writeln!(out, "other records, for {}:", names(crawlers))?,
        }
        changed.changes.iter().try_for_each(|change| print_records(change, out))?;
    }
    let mut heading = Some("URLs that flip:\n");
    let flipped = flipping_urls(args, groups, report, |url, verdict, groups| {
        out.write_all(heading.take().unwrap_or_default().as_bytes())?;
        let what = if verdict.is_allow() { "allowed now   " } else { "disallowed now" };
        write!(out, "  {what}  ")?;
        out.write_all(url)?;
        let names: Vec<String> = groups.iter().map(|group| self::names(&group.names)).collect();
        writeln!(out, "  ({})", names.join(", "))
    })?;
    let outcome = Outcome::of(changes, flipped);
    writeln!(out, "{}", summary(args, changes, outcome, flipped))?;
    Ok(outcome)
}

/// The overall result in one line.
pub fn summary(args: &DiffArgs, changes: &Changes, outcome: Outcome, flipped: u64) -> String {
    let Changes { groups, records, text_differs, answers } = changes;
    let crawlers = |is: fn(&Group) -> bool| -> usize {
        groups.iter().filter(|group| is(group)).map(|group| group.names.len()).sum()
    };
    let (differ, all) = (crawlers(|group| !group.difference.is_equal()), crawlers(|_| true));
    let mut text = match outcome {
        Outcome::Same if !text_differs => format!("{outcome}: the files are the same"),
        // Others may still see a difference.
        Outcome::Same => {
            let whose = if args.agents.0.is_empty() { "" } else { " for these crawlers" };
            let profile = args.profile.name();
            if answers.iter().any(Option::is_some) {
                return format!("{outcome}: the meaning{whose} in profile {profile} is the same");
            }
            format!("{outcome}: the text differs, the meaning{whose} in profile {profile} does not")
        }
        Outcome::Changed if differ == 0 => format!("{outcome}: no verdict"),
        _ => format!("{outcome}: {differ} of {all} crawlers"),
    };
    let records: usize =
        records.iter().flat_map(|changed| &changed.changes).map(count_records).sum();
    if records > 0 {
        let s = if records == 1 { "" } else { "s" };
        text.push_str(&format!(", {records} other record{s}"));
    }
    if !args.urls.is_empty() {
        text.push_str(&format!("; {flipped} URLs flip"));
    }
    text
}

fn print_flips(changes: &Changes, flips: &Flips, out: &mut impl Write) -> io::Result<()> {
    let all = [&flips.newly_disallowed, &flips.newly_allowed];
    let lens = all.into_iter().flatten().map(|flip| shown_extent(flip).chars().count());
    // Very long paths are ignored, so that they do not push all rules far to the right.
    let width = lens.filter(|len| *len <= 48).max().unwrap_or(0);
    let more = [flips.more_disallowed, flips.more_allowed];
    for ((what, flips), more) in ["disallowed now", "allowed now   "].iter().zip(all).zip(more) {
        for flip in flips {
            let path = shown_extent(flip);
            let [old, new] = shown_deciders(changes, flip);
            writeln!(out, "  {what}  {path:width$}  {old} -> {new}")?;
        }
        if more > 0 {
            let s = if more == 1 { "" } else { "s" };
            writeln!(out, "  {what}  more, by at least {more} other pair{s} of rules")?;
        }
    }
    if let Some(unexamined) = unexamined(flips) {
        writeln!(out, "  {unexamined}")?;
    }
    if let Some(unproven) = flips.unproven {
        writeln!(out, "  {} ({unproven})", others_may(flips))?;
    }
    Ok(())
}

/// That there may be paths for more rules, if that is so.
pub fn unexamined(flips: &Flips) -> Option<String> {
    match flips.unexamined {
        0 => None,
        1 => Some("1 more rule may flip paths: there was no budget to find out".to_owned()),
        n => Some(format!("{n} more rules may flip paths: there was no budget to find out")),
    }
}

/// The path, with which others flip with it.
pub fn shown_extent(flip: &Flip) -> String {
    match flip.extent {
        Extent::From if flip.path == b"/" => "every path".to_owned(),
        Extent::From => format!("{} and all below", shown(&flip.path)),
        Extent::Below(1) => "all below /".to_owned(),
        Extent::Below(len) => format!("all below {}", shown(&flip.path[..len])),
        _ => shown(&flip.path),
    }
}

/// What may flip besides these flips.
pub fn others_may(flips: &Flips) -> &'static str {
    // The first of a direction is a shortest one, if one is known.
    let is_unproven = |flips: &[Flip]| flips.first().is_some_and(|flip| !flip.is_shortest);
    if is_unproven(&flips.newly_disallowed) || is_unproven(&flips.newly_allowed) {
        "other paths may flip, also shorter ones"
    } else {
        "other paths may flip"
    }
}

/// What decides about a path, before and now.
pub fn shown_deciders(changes: &Changes, flip: &Flip) -> [String; 2] {
    changes.deciders(flip, shown_rule, |answered| shown(answered.as_bytes()))
}

fn shown_rule(rule: &Option<DecidingRule>) -> String {
    match rule {
        None => "no rule".to_owned(),
        Some(rule) => {
            let field = if rule.verdict.is_allow() { "Allow" } else { "Disallow" };
            format!("line {} {field}: {}", rule.line, shown(&rule.value))
        }
    }
}

/// What happened to a whole site.
pub fn said(whole: WholeSite) -> &'static str {
    match whole {
        WholeSite::Closed => "the whole site is closed now",
        WholeSite::Opened => "the whole site was closed and is open now",
        _ => "the site is no longer closed as a whole",
    }
}

fn print_records(change: &RecordChange, out: &mut impl Write) -> io::Result<()> {
    let record = |record: &ChangedRecord| {
        let ChangedRecord { line, field, value, .. } = record;
        format!("line {line} {}: {}", shown(field), shown(value))
    };
    if let ([old], [new]) = (&change.removed[..], &change.added[..])
        && change.more_removed + change.more_added == 0
    {
        return writeln!(out, "  changed  {} -> {}", record(old), record(new));
    }
    for (what, records, more) in [
        ("removed", &change.removed, change.more_removed),
        ("added  ", &change.added, change.more_added),
    ] {
        records.iter().try_for_each(|one| writeln!(out, "  {what}  {}", record(one)))?;
        if more > 0 {
            writeln!(out, "  {what}  {more} more {}", change.kind)?;
        }
    }
    Ok(())
}

/// How many records changed: one that was replaced counts once.
fn count_records(change: &RecordChange) -> usize {
    let removed = change.removed.len() + change.more_removed;
    let added = change.added.len() + change.more_added;
    if (removed, added) == (1, 1) { 1 } else { removed + added }
}

/// The names of crawlers.
pub fn names(names: &[Vec<u8>]) -> String {
    let shown = |name: &Vec<u8>| match &name[..] {
        b"*" => "* (any other crawler)".to_owned(),
        name => shown(name),
    };
    names.iter().map(shown).collect::<Vec<_>>().join(", ")
}
