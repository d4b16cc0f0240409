//! Results as one JSON document, described in `docs/testing.md`.

use std::io::{self, Write};

use robotsieve::Reason;
use serde_json::{Value, json};

use super::failure::{Failed, Miss, other};
use super::{Expectation, Tested};
use crate::write::bytes::{put, put_all};

/// The version of the JSON.
const VERSION: u32 = 1;

/// Prints one object, with a line for each expectation.
pub fn print(tested: &Tested<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let profiles: Vec<_> = tested.file.profiles.iter().map(|(name, _)| *name).collect();
    let (robots, profiles) = (json!(tested.file.name), json!(profiles));
    write!(out, "{{\"version\":{VERSION},\"robots\":{robots},\"profiles\":{profiles}")?;
    if let Some(answer) = tested.file.answer {
        write!(out, ",\"robots_answer\":{}", json!(answer.cause))?;
    }
    if let Some(sitemap) = &tested.sitemap {
        write!(out, ",\"sitemap\":{}", sitemap.split.json())?;
    }
    write!(out, ",\"results\":[")?;
    let mut failed = tested.failed.iter().peekable();
    for (number, expectation) in tested.expectations.all.iter().enumerate() {
        let failed = failed.next_if(|failed| failed.number == number);
        let comma = if number == 0 { "" } else { "," };
        write!(out, "{comma}\n{}", result(tested, expectation, failed))?;
    }
    let (count, failed) = (tested.expectations.all.len(), tested.failed.len());
    writeln!(out, "],\"expectations\":{count},\"failed\":{failed}}}")
}

fn result(tested: &Tested<'_, '_>, expectation: &Expectation, failed: Option<&Failed>) -> Value {
    let expectations = tested.expectations;
    let misses = failed
        .into_iter()
        .flat_map(|failed| failed.misses.iter().map(|miss| miss_json(tested, expectation, *miss)));
    let mut value = json!({
        "file": expectations.file(expectation),
        "line": expectation.line,
        "expected": expectation.verdict.as_str(),
        "holds": failed.is_none(),
        "failures": misses.collect::<Vec<_>>(),
    });
    put(&mut value, "who", expectations.who_text(expectation));
    put(&mut value, "url", expectations.url(expectation));
    value
}

fn miss_json(tested: &Tested<'_, '_>, expectation: &Expectation, miss: Miss) -> Value {
    let who = tested.expectations.who(expectation);
    let asked = &who.asked[miss.profile][miss.asked];
    let mut value = json!({
        "profile": tested.file.profile_name(miss.profile),
        "verdict": other(expectation.verdict).as_str(),
        "rule": null,
    });
    put_all(&mut value, "crawlers", asked.members.iter().map(|member| &who.members[*member].name));
    if let Some(tally) = tested.tally_of(expectation, miss) {
        value["sitemap"] = tally.json();
        return value;
    }
    if let Ok(decision) = asked.policy.decide(tested.expectations.url(expectation)) {
        if tested.file.answer.is_some() && !matches!(decision.reason, Reason::RobotsTxt) {
            value["reason"] = "site".into();
            return value;
        }
        value["reason"] = decision.reason.as_str().into();
        if let Reason::Rule(rule) = decision.reason {
            let mut shown = json!({ "verdict": rule.verdict.as_str(), "line": rule.line });
            put(&mut shown, "rule", rule.value);
            value["rule"] = shown;
        }
    }
    value
}
