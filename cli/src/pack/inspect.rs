//! `robotsieve pack stat`, `verify` and `list`.

use std::io::{BufWriter, Write};
use std::path::Path;

use robotsieve::records::Pace;
use robotsieve_client::Timestamp;
use robotsieve_rights::packed::PackRights;
use serde::Serialize;

use super::args::{ListArgs, ListFormat};
use robotsieve_client::report::rfc3339;

use crate::error::{Failure, Status};
use crate::options::{When, crawler_names};
use crate::read::packs;
use crate::write::stdout::{self, Stdout, print};
use crate::write::{progress, stderr};

/// Reads all of a pack and checks it.
pub fn verify(path: &Path, progress: When) -> Result<Status, Failure> {
    packs::refuse_stdin(path)?;
    let packs::Opened { pack, tails, .. } = packs::opened(path)?;
    let verified = progress::with_spinner(progress, "checking", || {
        pack.verify().and_then(|_| PackRights::new(&pack).verify())
    });
    verified.map_err(|error| packs::damaged(path, &error))?;
    for tail in &tails {
        stderr::error(&format_args!(
            "'{}' has {} bytes behind the pack, which ends at byte {} and is not damaged: an update was \
             cut short, or is under way; the next 'robotsieve pack update' drops what is left",
            tail.path.display(),
            tail.bytes,
            tail.complete
        ));
    }
    if !tails.is_empty() {
        return Ok(Status::Failed);
    }
    print(format!("{}: no damage, {} origins\n", path.display(), pack.len()))
}

/// Prints what a pack consists of.
pub fn stat(path: &Path, progress: When) -> Result<Status, Failure> {
    let pack = packs::open(path)?;
    let stat = progress::with_spinner(progress, "reading", || pack.stat());
    let stat = stat.map_err(|error| packs::damaged(path, &error))?;
    let crawlers: Vec<String> = pack.crawlers().iter().map(crawler_names).collect();
    let yes = |kept| if kept { "yes" } else { "no" }.to_string();
    let ratio = |of: u64, to: u64| format!("{:.1}", of as f64 / to.max(1) as f64);
    let (oldest, newest) = stat.captured.unzip();
    let [rules, allow_all, disallow_all, unknown] = stat.kinds;
    let lines = [
        ("written_by", pack.tool().to_string()),
        ("profile", pack.profile_name().to_string()),
        ("crawlers", crawlers.join("; ")),
        ("rules_kept", yes(pack.keeps_rules())),
        ("sitemaps_kept", yes(pack.keeps_sitemaps())),
        ("rights_kept", yes(pack.keeps_rights())),
        ("seed", pack.seed().to_string()),
        ("shards", stat.shards.to_string()),
        ("layers", stat.layers.to_string()),
        ("origins", stat.origins.to_string()),
        ("sites", stat.sites.to_string()),
        ("sites_with_rules", rules.to_string()),
        ("sites_allow_all", allow_all.to_string()),
        ("sites_disallow_all", disallow_all.to_string()),
        ("sites_unknown", unknown.to_string()),
        ("oldest_capture", oldest.map(time).unwrap_or_default()),
        ("newest_capture", newest.map(time).unwrap_or_default()),
        ("files", stat.files.to_string()),
        ("origins_per_file", ratio(stat.origins, stat.files)),
        ("policies", stat.policies.to_string()),
        ("policies_as_tables", stat.tables.to_string()),
        ("policies_as_rules", (stat.policies - stat.tables).to_string()),
        ("policies_with_pace", stat.paces.to_string()),
        ("sitemap_lists", stat.sitemap_lists.to_string()),
        ("rights_records", stat.rights_records.to_string()),
        ("bytes_of_policies", stat.policy_bytes.to_string()),
        ("bytes_of_panels", stat.panel_bytes.to_string()),
        ("bytes_of_rules", stat.rule_bytes.to_string()),
        ("bytes_of_sitemaps", stat.sitemap_bytes.to_string()),
        ("bytes_of_rights", stat.rights_bytes.to_string()),
        ("bytes_of_index", stat.index_bytes.to_string()),
        ("bytes", stat.total_bytes.to_string()),
        ("bytes_per_origin", ratio(stat.total_bytes, stat.origins)),
    ];
    let lines = lines.iter().filter(|(_, value)| !value.is_empty());
    print(lines.map(|(name, value)| format!("{name}\t{value}\n")).collect::<String>())
}

fn time(seconds: u64) -> String {
    rfc3339(Timestamp(seconds))
}

/// A line of JSON.
#[derive(Serialize)]
struct Line<'l> {
    origin: &'l str,
    outcome: &'l str,
    #[serde(skip_serializing_if = "Option::is_none")]
    captured: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    captured_after: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    also_rests_on: Option<String>,
    /// Only crawlers that have one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    paces: Vec<PaceOf<'l>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sitemaps: Vec<String>,
}

#[derive(Serialize)]
struct PaceOf<'l> {
    agent: &'l str,
    /// In seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    crawl_delay: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_rate: Option<Rate>,
}

#[derive(Serialize)]
struct Rate {
    requests: u32,
    seconds: f64,
}

/// Prints all origins of a pack.
pub fn list(args: &ListArgs) -> Result<Status, Failure> {
    let pack = packs::open(&args.pack)?;
    let damaged = |error| packs::damaged(&args.pack, &error);
    let names: Vec<String> = pack.crawlers().iter().map(crawler_names).collect();
    let mut out = BufWriter::with_capacity(1 << 16, Stdout::new());
    for site in pack.sites() {
        let site = site.map_err(damaged)?;
        let mut paces = Vec::with_capacity(names.len());
        for crawler in pack.crawler_ids() {
            paces.push(site.pace(*crawler).map_err(damaged)?);
        }
        let mut sitemaps = Vec::new();
        if args.format == ListFormat::Jsonl {
            let kept = site.sitemaps().map_err(damaged)?;
            sitemaps.extend(kept.map(|sitemap| String::from_utf8_lossy(sitemap).into_owned()));
        }
        for origin in site.origins() {
            let captured = site.captured().map(time);
            let outcome = site.kind().as_str();
            let written = match args.format {
                ListFormat::Tsv => {
                    let columns = paces.iter().map(|pace| format!("\t{}", shown(pace)));
                    let captured = captured.unwrap_or_default();
                    let columns = columns.collect::<String>();
                    writeln!(out, "{origin}\t{outcome}\t{captured}{columns}")
                }
                ListFormat::Jsonl => {
                    let (origin, sitemaps) = (origin.key(), sitemaps.clone());
                    let paces = names.iter().zip(&paces).filter_map(|(name, pace)| of(name, pace));
                    let paces = paces.collect();
                    let captured_after = site.captured_after().map(time);
                    let other = Some(site.times().other).filter(|other| *other > 0);
                    let also_rests_on = other.map(time);
                    let line = Line {
                        origin,
                        outcome,
                        captured,
                        captured_after,
                        also_rests_on,
                        paces,
                        sitemaps,
                    };
                    serde_json::to_writer(&mut out, &line)
                        .map_err(std::io::Error::from)
                        .and_then(|()| out.write_all(b"\n"))
                }
            };
            written.map_err(stdout::failed)?;
        }
        if !out.get_ref().has_reader() {
            break;
        }
    }
    out.flush().map_err(stdout::failed)?;
    Ok(Status::Done)
}

fn of<'l>(agent: &'l str, pace: &Pace) -> Option<PaceOf<'l>> {
    let crawl_delay = pace.crawl_delay.map(|delay| delay.as_secs_f64());
    let request_rate = pace
        .request_rate
        .map(|rate| Rate { requests: rate.requests, seconds: rate.period.as_secs_f64() });
    let has_one = crawl_delay.is_some() || request_rate.is_some();
    has_one.then_some(PaceOf { agent, crawl_delay, request_rate })
}

/// `10s`, `1/5s`, both, or nothing.
fn shown(pace: &Pace) -> String {
    let delay = pace.crawl_delay.map(|delay| humantime::format_duration(delay).to_string());
    let rate = pace
        .request_rate
        .map(|rate| format!("{}/{}", rate.requests, humantime::format_duration(rate.period)));
    delay.into_iter().chain(rate).collect::<Vec<_>>().join(" ")
}
