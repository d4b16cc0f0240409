//! The table as JSON.

use std::io::{self, Write};

use robotsieve::diff::{Extent, Flip};
use serde_json::{Value, json};

use super::judge::{By, Class, Counts, Judged, Reach, SitemapCounts, Table};
use super::list;
use crate::known::Purpose;
use crate::write::bytes::put;

/// The version of the JSON.
const VERSION: u32 = 1;

pub fn print(table: &Table<'_>, profile: &str, out: &mut impl Write) -> io::Result<()> {
    let pages = table.pages.iter().map(|page| {
        let mut value = json!({});
        put(&mut value, "page", &page.text);
        value
    });
    let purposes = table.purposes().into_iter().map(|purpose| purpose_json(table, purpose));
    let mut value = json!({
        "version": VERSION,
        "profile": profile,
        "pages": pages.collect::<Value>(),
        "purposes": purposes.collect::<Value>(),
        "policies": table.classes.iter().map(class_json).collect::<Value>(),
        "crawlers": table.crawlers.iter().map(crawler_json).collect::<Value>(),
    });
    if let Some(split) = &table.sitemap {
        value["sitemap"] = split.json();
    }
    writeln!(out, "{value}")
}

fn purpose_json(table: &Table<'_>, purpose: Purpose) -> Value {
    let counts = Counts::of(table, purpose);
    let mut value = json!({
        "purpose": purpose.as_str(),
        "crawlers": counts.all,
        "shut_out": counts.get(Reach::Nothing),
        "partly": counts.get(Reach::Partly),
        "let_in": counts.get(Reach::Everything),
        "unproven": counts.get(Reach::Unproven),
    });
    if let Some(SitemapCounts { none, part, all }) = SitemapCounts::of(table, purpose) {
        value["sitemap"] = json!({ "none": none, "part": part, "all": all });
    }
    value
}

/// What crawlers that are one class may read.
fn class_json(class: &Class) -> Value {
    let mut value = json!({
        "reads": class.reach.as_str(),
        "forbidden": class.forbidden.iter().map(flip_json).collect::<Value>(),
        "allowed": class.allowed.iter().map(flip_json).collect::<Value>(),
        "more_forbidden": class.more_forbidden,
        "more_allowed": class.more_allowed,
        "unproven": class.unproven,
        "verdicts": class.verdicts.iter().map(|verdict| verdict.as_str()).collect::<Value>(),
    });
    if let Some(tally) = &class.sitemap {
        value["sitemap"] = tally.json();
    }
    value
}

/// A path with the rule that decides.
fn flip_json(flip: &Flip) -> Value {
    let mut value = json!({ "line": flip.new.as_ref().map(|rule| rule.line) });
    if let Some(rule) = &flip.new {
        put(&mut value, "rule", &rule.value);
    }
    put(&mut value, "path", &flip.path);
    value["shortest"] = flip.is_shortest.into();
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

fn crawler_json(crawler: &Judged<'_>) -> Value {
    let mut value = list::json(crawler.known);
    value["policy"] = crawler.class.into();
    value["by"] = crawler.by.as_str().into();
    value["lines"] = match &crawler.by {
        By::Named(lines) => lines.iter().copied().collect(),
        _ => json!([]),
    };
    value
}
