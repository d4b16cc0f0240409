//! `robotsieve diff`: compares what two robots.txt files mean.

pub mod args;

use std::ffi::OsString;
use std::io::{self, Write};
use std::sync::Arc;

use robotsieve::diff::{self, DecidingRule, Difference, Flip, Limits};
use robotsieve::{Crawler, Policy, Robots, Verdict};
use serde_json::{Value, json};

use crate::error::{Failure, Status};
use crate::options::Format;
use crate::read::inputs::Inputs;
use crate::read::{robots_file, stdin};
use crate::write::bytes::{self, shown};
use crate::write::report::Report;
use crate::write::stdout::{self, Stdout};
use crate::write::{progress, stderr};
use args::DiffArgs;

/// The version of the JSON described in `docs/diff.md`.
const JSON_VERSION: u32 = 1;

/// Crawlers with the same pair of policies, and what changed for them.
struct Group {
    names: Vec<String>,
    /// Only if URLs are asked about: all policies of a file together may be too large.
    policies: Option<[Policy; 2]>,
    difference: Difference,
}

/// The overall result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Same,
    Changed,
    Unproven,
}

impl Outcome {
    fn of(groups: &[Group], flipped_urls: u64) -> Outcome {
        let any = |is: fn(&Difference) -> bool| groups.iter().any(|group| is(&group.difference));
        if flipped_urls > 0 || any(|difference| difference.flips().is_some()) {
            Outcome::Changed
        } else if any(|difference| !difference.is_equal()) {
            Outcome::Unproven
        } else {
            Outcome::Same
        }
    }

    fn status(self) -> Status {
        if self == Outcome::Same { Status::Done } else { Status::No }
    }

    fn as_str(self) -> &'static str {
        match self {
            Outcome::Same => "no change",
            Outcome::Changed => "change",
            Outcome::Unproven => "no change found, not proven",
        }
    }
}

/// Compares the files and prints what flips.
pub fn run(args: &DiffArgs) -> Result<Status, Failure> {
    let urls = args.urls.iter().map(OsString::as_os_str);
    stdin::at_most_once(urls.chain([args.old.as_os_str(), args.new.as_os_str()]))?;
    let files = [robots_file::given(&args.old)?, robots_file::given(&args.new)?];
    let [old, new] = [0, 1].map(|side: usize| Robots::parse(&files[side], &args.profile.get()));
    let asked: Vec<(String, Crawler)> = if args.agents.0.is_empty() {
        let named = diff::named_crawlers(&old, &new).into_iter();
        named.map(|(token, crawler)| (shown(token), crawler)).collect()
    } else {
        let agents = args.agents.0.iter();
        agents.map(|agent| (agent.text.display().to_string(), agent.crawler())).collect()
    };
    let asked = asked.into_iter().map(|(name, crawler)| ((name, crawler.clone()), crawler));
    let compare = || diff::crawlers(&old, &new, asked, &Limits::default());
    let compared = progress::with_spinner(args.progress.progress, "comparing", compare);
    let groups = compared.into_iter().map(|same| {
        let crawler = &same.crawlers[0].1;
        let policies = || [old.policy(crawler), new.policy(crawler)];
        Group {
            policies: (!args.urls.is_empty()).then(policies),
            names: same.crawlers.into_iter().map(|(name, _)| name).collect(),
            difference: same.difference,
        }
    });
    let groups: Vec<Group> = groups.collect();
    let report = Arc::new(Report::new(args.progress.progress, &args.urls));
    let mut out = io::BufWriter::new(Stdout::new());
    let text_differs = files[0] != files[1];
    let printed = match args.format {
        Format::Text => print_text(args, &groups, text_differs, &report, &mut out),
        Format::Json => print_json(args, &groups, text_differs, &report, &mut out),
    };
    let read = report.end();
    let outcome = printed.and_then(|outcome| out.flush().map(|()| outcome));
    let outcome = outcome.map_err(stdout::failed)?;
    Ok(if read == Status::Done { outcome.status() } else { read })
}

/// Calls `found` for the URLs that flip, in the order of the inputs, with the groups for which they
/// do; returns how many there are.
fn flipping_urls(
    args: &DiffArgs,
    groups: &[Group],
    report: &Arc<Report>,
    mut found: impl FnMut(&[u8], Verdict, &[&Group]) -> io::Result<()>,
) -> io::Result<u64> {
    if args.urls.is_empty() {
        return Ok(0);
    }
    let changed: Vec<&Group> = groups.iter().filter(|group| !group.difference.is_equal()).collect();
    let mut inputs = Inputs::new(&args.urls, Arc::clone(report));
    let (mut chunk, mut flipped, mut invalid) = (Vec::new(), 0, 0u64);
    let mut flips: [Vec<&Group>; 2] = [Vec::new(), Vec::new()];
    while inputs.fill(&mut chunk) {
        for line in chunk.split(|byte| *byte == b'\n') {
            let url = line.strip_suffix(b"\r").unwrap_or(line);
            // All groups have the same profile, so they read URLs in the same way.
            let mut policies = groups.iter().flat_map(|group| &group.policies);
            let Some(target) = policies.next().map(|[policy, _]| policy.target(url)) else {
                continue;
            };
            match target {
                _ if url.is_empty() => {}
                Err(_) => invalid += 1,
                Ok(target) => {
                    flips.iter_mut().for_each(Vec::clear);
                    for group in &changed {
                        let Some(policies) = &group.policies else { continue };
                        let [old, new] = [0, 1].map(|side: usize| policies[side].verdict(&target));
                        if old != new {
                            flips[usize::from(new.is_allow())].push(group);
                        }
                    }
                    for (verdict, groups) in [Verdict::Disallow, Verdict::Allow].iter().zip(&flips)
                    {
                        if !groups.is_empty() {
                            found(url, *verdict, groups)?;
                        }
                    }
                    flipped += u64::from(flips.iter().any(|groups| !groups.is_empty()));
                }
            }
        }
    }
    if invalid > 0 {
        let lines = if invalid == 1 { "line" } else { "lines" };
        stderr::note(&format_args!(
            "skipped {invalid} {lines} of --urls: a URL is scheme://host/path, or a path that starts \
             with '/'"
        ));
    }
    Ok(flipped)
}

fn print_text(
    args: &DiffArgs,
    groups: &[Group],
    text_differs: bool,
    report: &Arc<Report>,
    out: &mut impl Write,
) -> io::Result<Outcome> {
    for group in groups.iter().filter(|group| !group.difference.is_equal()) {
        writeln!(out, "{}:", names(group))?;
        match &group.difference {
            Difference::Different(flips) => {
                let all = [&flips.newly_disallowed, &flips.newly_allowed];
                let lens = all.into_iter().flatten().map(|flip| shown(&flip.path).chars().count());
                // Very long paths are ignored, so that they do not push all rules far to the right.
                let width = lens.filter(|len| *len <= 48).max().unwrap_or(0);
                for (what, flips) in ["disallowed now", "allowed now   "].iter().zip(all) {
                    for flip in flips {
                        let path = shown(&flip.path);
                        let [old, new] = [&flip.old, &flip.new].map(shown_rule);
                        writeln!(out, "  {what}  {path:width$}  {old} -> {new}")?;
                    }
                }
                if let Some(unproven) = flips.unproven {
                    writeln!(out, "  other paths may flip, also shorter ones ({unproven})")?;
                }
            }
            Difference::Unknown { unproven, sampled } => {
                writeln!(
                    out,
                    "  none of the {sampled} paths tried flips, but others may ({unproven})"
                )?;
            }
            _ => {}
        }
    }
    let mut heading = Some("URLs that flip:\n");
    let flipped = flipping_urls(args, groups, report, |url, verdict, groups| {
        out.write_all(heading.take().unwrap_or_default().as_bytes())?;
        let what = if verdict.is_allow() { "allowed now   " } else { "disallowed now" };
        write!(out, "  {what}  ")?;
        out.write_all(url)?;
        let names: Vec<String> = groups.iter().map(|group| self::names(group)).collect();
        writeln!(out, "  ({})", names.join(", "))
    })?;
    let outcome = Outcome::of(groups, flipped);
    let crawlers = |equal: bool| -> usize {
        let of = groups.iter().filter(|group| group.difference.is_equal() == equal);
        of.map(|group| group.names.len()).sum()
    };
    write!(out, "{}", outcome.as_str())?;
    match outcome {
        Outcome::Same if !text_differs => write!(out, ": the files are the same")?,
        Outcome::Same => write!(out, ": the text differs, the meaning does not")?,
        _ => {
            write!(out, ": {} of {} crawlers", crawlers(false), crawlers(false) + crawlers(true))?;
        }
    }
    if !args.urls.is_empty() {
        write!(out, "; {flipped} URLs flip")?;
    }
    writeln!(out)?;
    Ok(outcome)
}

fn names(group: &Group) -> String {
    let shown = |name: &String| match name.as_str() {
        "*" => "* (any other crawler)".to_owned(),
        name => name.to_owned(),
    };
    group.names.iter().map(shown).collect::<Vec<_>>().join(", ")
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

/// Prints one object; the URLs are printed as they are found.
fn print_json(
    args: &DiffArgs,
    groups: &[Group],
    text_differs: bool,
    report: &Arc<Report>,
    out: &mut impl Write,
) -> io::Result<Outcome> {
    let profile = json!(args.profile.name());
    write!(
        out,
        "{{\"version\":{JSON_VERSION},\"profile\":{profile},\"text_differs\":{text_differs}"
    )?;
    write!(out, ",\"crawlers\":[")?;
    for (number, group) in groups.iter().enumerate() {
        let comma = if number == 0 { "" } else { "," };
        write!(out, "{comma}\n{}", group_json(group))?;
    }
    write!(out, "]")?;
    if !args.urls.is_empty() {
        write!(out, ",\"urls\":[")?;
    }
    let mut comma = "";
    let flipped = flipping_urls(args, groups, report, |url, verdict, groups| {
        let names: Vec<&String> = groups.iter().flat_map(|group| &group.names).collect();
        let mut flip = json!({ "new": verdict.as_str(), "crawlers": names });
        bytes::put(&mut flip, "url", url);
        write!(out, "{}\n{flip}", std::mem::replace(&mut comma, ","))
    })?;
    if !args.urls.is_empty() {
        write!(out, "],\"urls_flipped\":{flipped}")?;
    }
    let outcome = Outcome::of(groups, flipped);
    writeln!(out, ",\"result\":{}}}", json!(outcome.as_str()))?;
    Ok(outcome)
}

fn group_json(group: &Group) -> Value {
    let mut value = json!({ "crawlers": group.names });
    match &group.difference {
        Difference::Equal => value["result"] = "equal".into(),
        Difference::Different(flips) => {
            value["result"] = "different".into();
            value["newly_disallowed"] = flips.newly_disallowed.iter().map(flip_json).collect();
            value["newly_allowed"] = flips.newly_allowed.iter().map(flip_json).collect();
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

fn flip_json(flip: &Flip) -> Value {
    let rule = |rule: &Option<DecidingRule>| {
        rule.as_ref().map(|rule| {
            let mut value = json!({ "verdict": rule.verdict.as_str(), "line": rule.line });
            bytes::put(&mut value, "rule", &rule.value);
            value
        })
    };
    let mut value = json!({
        "shortest": flip.is_shortest,
        "old": rule(&flip.old),
        "new": rule(&flip.new),
    });
    bytes::put(&mut value, "path", &flip.path);
    value
}
