//! A comparison as JSON, described in `docs/diff.md`.

use std::io::{self, Write};
use std::sync::Arc;

use robotsieve::diff::{
    ChangedRecord, DecidingRule, Difference, Extent, Flip, RecordChange, RecordChanges,
};
use serde_json::{Value, json};

use super::args::DiffArgs;
use super::{Changes, Group, Outcome, flipping_urls};
use crate::read::web::Answer;
use crate::write::bytes::{put, put_all};
use crate::write::report::Report;

/// The version of the JSON.
const VERSION: u32 = 2;

/// Prints one object; the URLs are printed as they are found.
pub fn print(
    args: &DiffArgs,
    changes: &Changes,
    report: &Arc<Report>,
    out: &mut impl Write,
) -> io::Result<Outcome> {
    let Changes { groups, records, text_differs, answers } = changes;
    let profile = json!(args.profile.name());
    write!(out, "{{\"version\":{VERSION},\"profile\":{profile},\"text_differs\":{text_differs}")?;
    for (side, answer) in ["old", "new"].iter().zip(answers) {
        let answer = answer.as_ref().map(|answer| {
            let Answer { url, cause, verdict, meaning, .. } = answer;
            json!({ "url": url, "answer": cause, "verdict": verdict.as_str(), "why": meaning })
        });
        write!(out, ",\"{side}_answer\":{}", json!(answer))?;
    }
    write!(out, ",\"crawlers\":[")?;
    list(groups.iter().map(|group| group_json(changes, group)), out)?;
    write!(out, "],\"records\":[")?;
    list(records.iter().flat_map(records_json), out)?;
    write!(out, "]")?;
    if !args.urls.is_empty() {
        write!(out, ",\"urls\":[")?;
    }
    let mut comma = "";
    let flipped = flipping_urls(args, groups, report, |url, verdict, groups| {
        let mut flip = json!({ "new": verdict.as_str() });
        put_all(&mut flip, "crawlers", groups.iter().flat_map(|group| &group.names));
        put(&mut flip, "url", url);
        write!(out, "{}\n{flip}", std::mem::replace(&mut comma, ","))
    })?;
    if !args.urls.is_empty() {
        write!(out, "],\"urls_flipped\":{flipped}")?;
    }
    let outcome = Outcome::of(changes, flipped);
    writeln!(out, ",\"result\":{}}}", json!(outcome.as_str()))?;
    Ok(outcome)
}

fn list(values: impl Iterator<Item = Value>, out: &mut impl Write) -> io::Result<()> {
    for (number, value) in values.enumerate() {
        let comma = if number == 0 { "" } else { "," };
        write!(out, "{comma}\n{value}")?;
    }
    Ok(())
}

fn group_json(changes: &Changes, group: &Group) -> Value {
    let flip_json = |flip: &Flip| flip_json(changes, flip);
    let mut value = json!({});
    put_all(&mut value, "crawlers", &group.names);
    match &group.difference {
        Difference::Equal => value["result"] = "equal".into(),
        Difference::Different(flips) => {
            value["result"] = "different".into();
            value["newly_disallowed"] = flips.newly_disallowed.iter().map(flip_json).collect();
            value["newly_allowed"] = flips.newly_allowed.iter().map(flip_json).collect();
            value["more_disallowed"] = flips.more_disallowed.into();
            value["more_allowed"] = flips.more_allowed.into();
            value["unexamined"] = flips.unexamined.into();
            value["whole_site"] = flips.whole_site.map(|whole| whole.as_str()).into();
            if let Some(unproven) = flips.unproven {
                value["unproven"] = unproven.to_string().into();
            }
        }
        Difference::Unknown { unproven, sampled } => {
            value["result"] = "unknown".into();
            value["unproven"] = unproven.to_string().into();
            value["sampled"] = (*sampled).into();
        }
        // A kind of difference added by a later version of the library.
        _ => value["result"] = "unknown".into(),
    }
    value
}

fn flip_json(changes: &Changes, flip: &Flip) -> Value {
    let rule = |rule: &Option<DecidingRule>, answer: &Option<Answer>| {
        rule.as_ref().filter(|_| answer.is_none()).map(|rule| {
            let mut value = json!({ "verdict": rule.verdict.as_str(), "line": rule.line });
            put(&mut value, "rule", &rule.value);
            value
        })
    };
    let mut value = json!({
        "shortest": flip.is_shortest,
        "old": rule(&flip.old, &changes.answers[0]),
        "new": rule(&flip.new, &changes.answers[1]),
    });
    put(&mut value, "path", &flip.path);
    value["extent"] = match flip.extent {
        Extent::From => "from",
        Extent::Below(_) => "below",
        _ => "path",
    }
    .into();
    if let Extent::Below(len) = flip.extent {
        put(&mut value, "below", &flip.path[..len]);
    }
    value
}

/// One object for each kind of record that changed.
fn records_json(changed: &RecordChanges<Vec<u8>>) -> impl Iterator<Item = Value> {
    changed.changes.iter().map(|change| {
        let mut value = record_change_json(change);
        match &changed.crawlers {
            Some(crawlers) => put_all(&mut value, "crawlers", crawlers),
            None => value["crawlers"] = Value::Null,
        }
        value
    })
}

fn record_change_json(change: &RecordChange) -> Value {
    let record = |record: &ChangedRecord| {
        let mut value = json!({ "line": record.line });
        put(&mut value, "field", &record.field);
        put(&mut value, "value", &record.value);
        value
    };
    json!({
        "kind": change.kind.as_str(),
        "removed": change.removed.iter().map(record).collect::<Value>(),
        "added": change.added.iter().map(record).collect::<Value>(),
        "more_removed": change.more_removed,
        "more_added": change.more_added,
    })
}
