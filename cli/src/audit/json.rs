//! The report as JSON, described in `docs/audit.md`.

use std::io::{self, Write};

use robotsieve::Robots;
use serde_json::{Value, json};

use super::Audit;
use super::crawlers::{Found, Kind};
use super::text::{Rules, by_purpose, rules};
use crate::read::robots_file;
use crate::write::bytes::put;
use crate::write::time::rfc3339;

/// The version of the JSON.
const VERSION: u32 = 1;

/// Prints one object.
pub fn print(audit: &Audit<'_>, robots: &[Robots<'_>], out: &mut impl Write) -> io::Result<()> {
    let totals = &audit.totals;
    let files = audit.versions.iter().zip(audit.files).zip(&audit.judged_by);
    let files: Vec<Value> = files
        .map(|((version, given), judged)| {
            let mut file = json!({
                "file": robots_file::shown(&version.path),
                "from": version.from.map(rfc3339),
                "judged": judged,
            });
            if let Some(answer) = &given.answer {
                file["answer"] = answer.cause.as_str().into();
            }
            file
        })
        .collect();
    let damaged = audit.damaged.iter().map(|(log, line)| json!({ "log": log, "line": line }));
    let head = json!({
        "version": VERSION,
        "profile": audit.profile.name(),
        "robots": files,
        "formats": audit.formats,
        "lines": totals.lines,
        "damaged": totals.damaged,
        "first_damaged": damaged.collect::<Value>(),
        "too_long": totals.too_long,
        "requests": totals.requests(),
        "other_hosts": totals.other_hosts,
        "without_path": totals.without_path,
        "without_header": totals.without_header,
        "other_clients": totals.other_clients,
        "judged": totals.judged,
        "before_first": totals.before_first,
        "forbidden": totals.forbidden,
    });
    let head = head.to_string();
    // The list of crawlers is long: one on each line.
    write!(out, "{},\"crawlers\":[", head.strip_suffix('}').unwrap_or(&head))?;
    let rules = rules(audit, robots);
    let purposes = by_purpose(&audit.crawlers.all);
    let crawlers = purposes.iter().flat_map(|(_, found)| found);
    for (number, (place, found)) in crawlers.enumerate() {
        let comma = if number == 0 { "" } else { "," };
        write!(out, "{comma}\n{}", crawler(audit, *place, found, &rules))?;
    }
    writeln!(out, "]}}")
}

fn crawler(audit: &Audit<'_>, place: usize, found: &Found, rules: &[Rules<'_>]) -> Value {
    let tally = &found.tally;
    let token = match &found.kind {
        Kind::Known(known) => Some(known.token.as_str()),
        Kind::Unknown(token) => Some(token.as_str()),
        Kind::More => None,
    };
    let known = found.known();
    let by_status = tally.forbidden_by_status.iter().enumerate().filter(|(_, count)| **count > 0);
    let by_status = by_status.map(|(class, count)| {
        let class = if class == 0 { "unknown".to_owned() } else { format!("{class}xx") };
        (class, Value::from(*count))
    });
    let broken = tally.rules().into_iter().map(|((file, line), broken)| {
        let examples = broken.examples.iter().map(|example| {
            let mut value = json!({ "cut": example.is_cut });
            put(&mut value, "path", &example.path);
            value
        });
        let mut value = json!({
            "file": file,
            "requests": broken.requests,
            "examples": examples.collect::<Value>(),
        });
        match &rules[file] {
            Rules::Lines(values) => {
                value["line"] = line.into();
                put(&mut value, "rule", values.get(&line).copied().unwrap_or_default());
            }
            Rules::Answer(_) => value["line"] = Value::Null,
        }
        value
    });
    let verified = audit
        .has_ranges(place)
        .then(|| json!({ "requests": tally.verified[0], "forbidden": tally.verified[1] }));
    json!({
        "name": found.name(),
        "token": token,
        "purpose": known.map(|known| known.purpose),
        "operator": known.map(|known| &known.operator),
        "obeys": known.map(|known| known.obeys.as_str()),
        "requests": tally.requests,
        "forbidden": tally.forbidden,
        "forbidden_by_status": by_status.collect::<serde_json::Map<_, _>>(),
        "first": tally.times.map(|(first, _)| rfc3339(first)),
        "last": tally.times.map(|(_, last)| rfc3339(last)),
        "robots_txt": tally.robots_txt,
        "verified": verified,
        "rules": broken.collect::<Value>(),
        "more_rules": tally.by_more_rules,
    })
}
