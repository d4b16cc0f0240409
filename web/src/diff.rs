//! What changed from one file to another, as JSON.

use robotsieve::Robots;
use robotsieve::diff::{
    self, ChangedRecord, ComparedCrawlers, DecidingRule, Difference, Extent, Flip, Flips, Limits,
};
use wasm_bindgen::prelude::*;

use crate::crawler::{Written, label};
use crate::explain::verdict_name;
use crate::json::Json;
use crate::robots::RawRobots;

/// Compares two files of one profile for these crawlers; if there are none, for all that either
/// file names.
#[wasm_bindgen(js_name = diffFiles)]
pub fn diff_files(
    before: &RawRobots,
    after: &RawRobots,
    crawlers: &[u8],
    examples: usize,
) -> Result<String, JsValue> {
    let mut limits = Limits::default();
    limits.flips = examples;
    // Parsed again: the lifetimes inside two `Robots` differ, and the comparison wants one.
    let profile = before.shared.profile();
    let old = &Robots::parse(before.shared.bytes(), &profile);
    let new = &Robots::parse(after.shared.bytes(), &profile);
    let mut written = Written(crawlers);
    let mut named = Vec::new();
    while let Some(crawler) = written.next(&profile) {
        let crawler = crawler?;
        named.push((label(&crawler), crawler));
    }
    if named.is_empty() {
        let all = diff::named_crawlers(old, new).into_iter();
        named = all.map(|(label, crawler)| (label.to_vec(), crawler)).collect();
    }
    let crawlers = diff::crawlers(old, new, named.clone(), &limits);
    let records = diff::records(old, new, named, &limits);
    Ok(Json::of(|json| {
        json.object(|json| {
            let is_equal =
                records.is_empty() && crawlers.iter().all(|same| same.difference.is_equal());
            json.key("isEqual").bool(is_equal);
            json.key("crawlers").array(&crawlers, compared);
            let changes = records
                .iter()
                .flat_map(|of| of.changes.iter().map(|change| (of.crawlers.as_ref(), change)));
            json.key("records").array(changes, |json, (crawlers, change)| {
                json.object(|json| {
                    json.key("crawlers").option(crawlers, |json, crawlers| {
                        json.array(crawlers, |json, crawler| json.bytes(crawler));
                    });
                    json.key("kind").text(change.kind.as_str());
                    json.key("removed").array(&change.removed, changed);
                    json.key("added").array(&change.added, changed);
                    json.key("moreRemoved").number(change.more_removed);
                    json.key("moreAdded").number(change.more_added);
                });
            });
        });
    }))
}

fn compared(json: &mut Json, same: &ComparedCrawlers<Vec<u8>>) {
    let none = Flips::default();
    let flips = same.difference.flips().unwrap_or(&none);
    let (result, unproven) = match &same.difference {
        Difference::Equal => ("equal", None),
        Difference::Unknown { unproven, .. } => ("unknown", Some(*unproven)),
        _ => ("different", flips.unproven),
    };
    json.object(|json| {
        json.key("crawlers").array(&same.crawlers, |json, crawler| json.bytes(crawler));
        json.key("result").text(result);
        json.key("closed").array(&flips.newly_disallowed, flip);
        json.key("opened").array(&flips.newly_allowed, flip);
        json.key("moreClosed").number(flips.more_disallowed);
        json.key("moreOpened").number(flips.more_allowed);
        json.key("unexamined").number(flips.unexamined);
        json.key("wholeSite").option(flips.whole_site.map(|site| site.as_str()), Json::text);
        json.key("unproven").option(unproven, |json, why| json.display(&why));
    });
}

fn flip(json: &mut Json, flip: &Flip) {
    let (kind, prefix) = match flip.extent {
        Extent::From => ("from", &flip.path[..]),
        Extent::Below(len) => ("below", &flip.path[..len.min(flip.path.len())]),
        _ => ("path", &flip.path[..]),
    };
    json.object(|json| {
        json.key("path").bytes(&flip.path);
        json.key("isShortest").bool(flip.is_shortest);
        json.key("extent").object(|json| {
            json.key("kind").text(kind);
            json.key("prefix").bytes(prefix);
        });
        json.key("before").option(flip.old.as_ref(), rule);
        json.key("after").option(flip.new.as_ref(), rule);
    });
}

fn rule(json: &mut Json, rule: &DecidingRule) {
    json.object(|json| {
        json.key("verdict").text(verdict_name(rule.verdict));
        json.key("line").line(rule.line);
        json.key("value").bytes(&rule.value);
    });
}

fn changed(json: &mut Json, record: &ChangedRecord) {
    json.object(|json| {
        json.key("line").line(record.line);
        json.key("field").bytes(&record.field);
        json.key("value").bytes(&record.value);
    });
}
