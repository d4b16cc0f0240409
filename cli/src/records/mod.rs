//! `robotsieve records`: prints everything in a robots.txt that is neither a user-agent line nor a
//! rule.

pub mod args;

use std::io::{self, Write};

use robotsieve::records::{
    LabelledPreference, RequestRate, Scope, TimeWindow, TypedRecord, Usage, Use, Value,
};
use robotsieve::{Crawler, Robots};
use serde_json::{Value as Json, json};

use crate::error::{Failure, Status};
use crate::options::Format;
use crate::read::{robots_file, web};
use crate::write::bytes::{self, shown};
use crate::write::stdout::{self, Stdout};
use args::RecordsArgs;

/// The version of the JSON described in `docs/records.md`.
const JSON_VERSION: u32 = 1;

/// How a crawler may use the content at a path.
struct Answer {
    agent: Vec<u8>,
    path: Vec<u8>,
    usage: Usage,
}

/// Prints the records.
pub fn run(args: &RecordsArgs) -> Result<Status, Failure> {
    let file = match web::url(&args.robots) {
        Some(_) => robots_file::text(&args.robots)?,
        None => robots_file::given(&args.robots, &[args.profile.get()])?.bytes,
    };
    let robots = Robots::parse(&file, &args.profile.get());
    robots_file::note_cut(&args.robots, &file, &robots);
    let names = args.agents.0.iter().map(|agent| agent.text.as_encoded_bytes().to_vec());
    let agents: Vec<(Vec<u8>, Crawler)> =
        names.zip(args.agents.crawlers(&args.profile.get())?).collect();
    let mut records = robots.typed_records();
    if !agents.is_empty() {
        let of = |(_, crawler): &(Vec<u8>, Crawler)| robots.typed_records_for(crawler);
        let mut lines: Vec<u32> = agents.iter().flat_map(of).map(|r| r.record.line).collect();
        lines.sort_unstable();
        records.retain(|record| lines.binary_search(&record.record.line).is_ok());
    }
    let answers = answers(args, &robots, agents)?;
    let mut out = io::BufWriter::new(Stdout::new());
    let printed = match args.format {
        Format::Text => print_text(args, &robots, &records, &answers, &mut out),
        Format::Json => print_json(args, &robots, &records, &answers, &mut out),
    };
    printed.and_then(|()| out.flush()).map_err(stdout::failed)?;
    Ok(Status::Done)
}

/// The answers for each path and each crawler; without crawlers, for those that no group names.
fn answers(
    args: &RecordsArgs,
    robots: &Robots<'_>,
    mut agents: Vec<(Vec<u8>, Crawler)>,
) -> Result<Vec<Answer>, Failure> {
    if agents.is_empty() {
        agents.push((b"*".to_vec(), Crawler::names([""; 0])));
    }
    let mut answers = Vec::new();
    for path in &args.path {
        for (agent, crawler) in &agents {
            let bytes = path.as_encoded_bytes();
            let usage = robots.usage(crawler, bytes).map_err(|_| {
                Failure::Usage(format!(
                    "--path '{}' is invalid: give scheme://host/path, or a path that starts with '/'",
                    path.display()
                ))
            })?;
            answers.push(Answer { agent: agent.clone(), path: bytes.to_vec(), usage });
        }
    }
    Ok(answers)
}

fn print_text(
    args: &RecordsArgs,
    robots: &Robots<'_>,
    records: &[TypedRecord<'_>],
    answers: &[Answer],
    out: &mut impl Write,
) -> io::Result<()> {
    let mut scopes: Vec<Scope> = records.iter().map(|record| record.scope).collect();
    // The whole file first, then the groups in their order, then records outside groups.
    scopes.sort_by_key(|scope| match scope {
        Scope::File => (0, 0),
        Scope::Group(group) => (1, *group),
        _ => (2, 0),
    });
    scopes.dedup();
    let line_width = records.last().map_or(1, |last| last.record.line.to_string().len());
    let names = records.iter().map(|record| shown(record.record.name).chars().count());
    let name_width = names.filter(|len| *len <= 24).max().unwrap_or(0);
    for scope in scopes {
        match scope {
            Scope::File => writeln!(out, "for the whole file:")?,
            Scope::Group(group) => {
                let tokens = robots.group_tokens(group);
                let tokens: Vec<String> = tokens.into_iter().map(shown).collect();
                writeln!(out, "for {}:", tokens.join(", "))?;
            }
            _ => writeln!(out, "in no group:")?,
        }
        for record in records.iter().filter(|record| record.scope == scope) {
            let (line, name) = (record.record.line, shown(record.record.name));
            let value = shown(record.record.value);
            write!(out, "  line {line:line_width$}  {name:name_width$}  {value}")?;
            match note(args, record) {
                Some(note) => writeln!(out, "  ({note})")?,
                None => writeln!(out)?,
            }
        }
    }
    if records.is_empty() {
        writeln!(out, "no records other than user-agent lines and rules")?;
    }
    for Answer { agent, path, usage } in answers {
        let (path, agent) = (shown(path), shown(agent));
        writeln!(out, "use of {path} by {agent}, according to drafts:")?;
        for &used_for in Use::ALL {
            let about = usage.statements.iter().filter(|said| said.used_for == used_for);
            let lines: Vec<String> =
                about.map(|said| format!("line {} {}", said.line, said.source.as_str())).collect();
            let preference = usage.preference(used_for).as_str();
            let lines = lines.join(", ");
            let text = format!("  {:9}  {preference:10}  {lines}", used_for.as_str());
            writeln!(out, "{}", text.trim_end())?;
        }
        for ambiguity in &usage.ambiguities {
            writeln!(out, "  note: {ambiguity}")?;
        }
    }
    Ok(())
}

/// The note next to a value.
fn note(args: &RecordsArgs, record: &TypedRecord<'_>) -> Option<String> {
    let value = match &record.value {
        Err(invalid) => return Some(invalid.to_string()),
        Ok(value) => value,
    };
    Some(match value {
        Value::Sitemap(sitemap) => match (&args.base, sitemap.is_absolute()) {
            (_, true) => return None,
            (None, false) => "not absolute".to_owned(),
            (Some(base), false) => match sitemap.resolve(base) {
                Ok(url) => format!("not absolute: {url}"),
                Err(cause) => format!("not absolute, and cannot be resolved: {cause}"),
            },
        },
        Value::CrawlDelay(delay) => format!("{} s", delay.as_secs_f64()),
        Value::RequestRate(RequestRate { requests, period, window, .. }) => {
            let window = window.map(|window| format!(", {}", shown_window(window)));
            let seconds = period.as_secs();
            format!("{requests} in {seconds} s{}", window.unwrap_or_default())
        }
        Value::VisitTime(window) => shown_window(*window),
        Value::CleanParam(clean) => format!("{} parameters", clean.params.len()),
        Value::ContentSignal(signal) => shown_stated(&signal.signals),
        Value::ContentUsage(usage) => shown_stated(&usage.preferences),
        Value::Unknown(_) => "unknown field".to_owned(),
        _ => return None,
    })
}

fn shown_window(window: TimeWindow) -> String {
    format!("{} to {} UTC", clock(window.from_minute), clock(window.to_minute))
}

fn clock(minute: u16) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}

fn shown_stated(stated: &[LabelledPreference<'_>]) -> String {
    let one = |said: &LabelledPreference<'_>| {
        format!("{} {}", shown(said.label), said.preference.as_str())
    };
    stated.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn print_json(
    args: &RecordsArgs,
    robots: &Robots<'_>,
    records: &[TypedRecord<'_>],
    answers: &[Answer],
    out: &mut impl Write,
) -> io::Result<()> {
    let profile = json!(args.profile.name());
    write!(out, "{{\"version\":{JSON_VERSION},\"profile\":{profile},\"records\":[")?;
    for (number, record) in records.iter().enumerate() {
        let comma = if number == 0 { "" } else { "," };
        write!(out, "{comma}\n{}", record_json(args, robots, record))?;
    }
    write!(out, "]")?;
    if !args.path.is_empty() {
        let answers: Json = answers.iter().map(answer_json).collect();
        write!(out, ",\"usage\":{answers}")?;
    }
    writeln!(out, "}}")
}

fn record_json(args: &RecordsArgs, robots: &Robots<'_>, record: &TypedRecord<'_>) -> Json {
    let mut value = json!({ "line": record.record.line, "kind": record.kind.as_str() });
    bytes::put(&mut value, "field", record.record.name);
    bytes::put(&mut value, "raw", record.record.value);
    match record.scope {
        Scope::File => value["scope"] = "file".into(),
        Scope::Group(group) => {
            value["scope"] = "group".into();
            value["group"] = group.into();
            bytes::put_all(&mut value, "crawlers", robots.group_tokens(group));
        }
        _ => value["scope"] = "outside".into(),
    }
    match &record.value {
        Ok(typed) => value["value"] = value_json(args, typed),
        Err(invalid) => value["error"] = invalid.to_string().into(),
    }
    value
}

fn value_json(args: &RecordsArgs, value: &Value<'_>) -> Json {
    match value {
        Value::Sitemap(sitemap) => {
            let mut json = json!({ "absolute": sitemap.is_absolute() });
            if let Some(base) = &args.base {
                json["url"] = sitemap.resolve(base).map_or(Json::Null, |url| json!(url.as_str()));
            }
            json
        }
        Value::CrawlDelay(delay) => json!({ "seconds": delay.as_secs_f64() }),
        Value::RequestRate(rate) => json!({
            "requests": rate.requests,
            "seconds": rate.period.as_secs(),
            "time": rate.window.map(window_json),
        }),
        Value::VisitTime(window) => window_json(*window),
        Value::Host(host) => {
            let mut json = json!({ "port": host.port });
            put_maybe(&mut json, "scheme", host.scheme);
            bytes::put(&mut json, "name", host.name);
            json
        }
        Value::CleanParam(clean) => {
            let mut json = json!({});
            bytes::put_all(&mut json, "params", &clean.params);
            put_maybe(&mut json, "path", clean.path);
            json
        }
        Value::NoIndex(path) => {
            let mut json = json!({});
            bytes::put(&mut json, "path", path);
            json
        }
        Value::ContentSignal(signal) => stated_json(signal.path, &signal.signals),
        Value::ContentUsage(usage) => stated_json(usage.path, &usage.preferences),
        _ => Json::Null,
    }
}

fn window_json(window: TimeWindow) -> Json {
    json!({ "from": clock(window.from_minute), "to": clock(window.to_minute) })
}

fn put_maybe(json: &mut Json, name: &str, bytes: Option<&[u8]>) {
    match bytes {
        Some(bytes) => bytes::put(json, name, bytes),
        None => json[name] = Json::Null,
    }
}

fn stated_json(path: Option<&[u8]>, stated: &[LabelledPreference<'_>]) -> Json {
    let one = |said: &LabelledPreference<'_>| {
        let mut json = json!({ "preference": said.preference.as_str() });
        bytes::put(&mut json, "label", said.label);
        json
    };
    let mut json = json!({ "preferences": stated.iter().map(one).collect::<Json>() });
    put_maybe(&mut json, "path", path);
    json
}

fn answer_json(Answer { agent, path, usage }: &Answer) -> Json {
    let statements = usage.statements.iter().map(|said| {
        json!({
            "source": said.source.as_str(),
            "line": said.line,
            "use": said.used_for.as_str(),
            "preference": said.preference.as_str(),
        })
    });
    let preference = |used_for| usage.preference(used_for).as_str();
    let mut value = json!({
        "crawlable": usage.is_crawlable,
        "training": preference(Use::Training),
        "search": preference(Use::Search),
        "inference": preference(Use::Inference),
        "statements": statements.collect::<Json>(),
        "ambiguities": usage.ambiguities.iter().map(ToString::to_string).collect::<Json>(),
    });
    bytes::put(&mut value, "agent", agent);
    bytes::put(&mut value, "path", path);
    value
}
