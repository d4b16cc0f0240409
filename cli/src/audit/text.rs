//! The report for people.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use robotsieve::{Field, Robots};

use super::crawlers::{Found, Kind, UNKNOWN};
use super::tally::Broken;
use super::{Audit, PLACES};
use crate::known::Obeys;
use crate::read::robots_file::{self, Given};
use crate::write::bytes::on_one_line;
use crate::write::list;
use crate::write::time::rfc3339;

/// How many rules of a crawler are shown.
const RULES: usize = 5;

/// The crawlers of the logs by purpose, those that are not known last; in each the one with the most
/// forbidden requests first. With the title of the purpose.
pub fn by_purpose(crawlers: &[Found]) -> Vec<(&'static str, Vec<(usize, &Found)>)> {
    let mut purposes: BTreeMap<_, Vec<(usize, &Found)>> = BTreeMap::new();
    // A request without a path makes no crawler.
    for (number, found) in crawlers.iter().enumerate().filter(|(_, found)| found.tally.requests > 0)
    {
        let purpose = found.known().map(|known| known.purpose);
        purposes.entry((purpose.is_none(), purpose)).or_default().push((number, found));
    }
    for found in purposes.values_mut() {
        found.sort_by_key(|(_, found)| {
            let tally = &found.tally;
            (Reverse(tally.forbidden), Reverse(tally.requests), found.name().to_ascii_lowercase())
        });
    }
    let title = |purpose: Option<crate::known::Purpose>| purpose.map_or("not known", |p| p.title());
    purposes.into_iter().map(|((_, purpose), found)| (title(purpose), found)).collect()
}

/// What forbids paths in a file.
pub enum Rules<'a> {
    /// The values of rules, by their lines.
    Lines(HashMap<u32, &'a [u8]>),
    /// What a URL answered in the place of the file.
    Answer(&'a str),
}

/// What forbids paths in each file.
pub fn rules<'r, 'a: 'r, 'f: 'r>(audit: &Audit<'a>, robots: &[Robots<'f>]) -> Vec<Rules<'r>> {
    let of_file = |(given, robots): (&'a Given, &Robots<'f>)| match &given.answer {
        Some(answer) => Rules::Answer(&answer.cause),
        None => {
            let rules = robots.records().filter(|record| record.field == Field::Disallow);
            Rules::Lines(rules.map(|record| (record.line, record.value)).collect())
        }
    };
    audit.files.iter().zip(robots).map(of_file).collect()
}

/// Prints the report.
pub fn print(audit: &Audit<'_>, robots: &[Robots<'_>], out: &mut impl Write) -> io::Result<()> {
    let rules = rules(audit, robots);
    let purposes = by_purpose(&audit.crawlers.all);
    let all = || purposes.iter().flat_map(|(_, found)| found);
    let width = all().map(|(_, found)| found.name().chars().count() + 2).max().unwrap_or(0).max(7);
    if !purposes.is_empty() {
        let verified = if audit.verified.is_empty() { "" } else { "  verified" };
        writeln!(
            out,
            "{:width$}  requests  forbidden   share  first                 last                  robots.txt{verified}",
            "crawler"
        )?;
    }
    for (title, crawlers) in &purposes {
        writeln!(out, "{title}")?;
        for (number, found) in crawlers {
            row(audit, *number, found, width, out)?;
            broken(audit, *number, found, &rules, out)?;
        }
    }
    if !purposes.is_empty() {
        writeln!(out)?;
    }
    totals(audit).iter().try_for_each(|line| writeln!(out, "{line}"))?;
    let never: Vec<&str> = all()
        .filter(|(_, found)| found.tally.robots_txt == 0)
        .map(|(_, found)| found.name())
        .collect();
    if !never.is_empty() {
        const NAMES: usize = 20;
        let names = list::first(NAMES, never.iter().map(|name| (*name).to_owned()));
        writeln!(out, "never asked for /robots.txt in these logs: {names}")?;
    }
    if audit.crawlers.all.iter().any(|found| matches!(found.kind, Kind::More)) {
        writeln!(
            out,
            "there are more than {UNKNOWN} names that are not known: the others are counted together"
        )?;
    }
    if !purposes.is_empty() {
        let verify = if audit.verified.is_empty() {
            "; --ranges checks addresses that operators publish"
        } else {
            "; 'verified' are requests from the addresses that --ranges gives"
        };
        writeln!(out, "Names are those of User-Agent headers, which anybody can forge{verify}.")?;
    }
    Ok(())
}

fn row(
    audit: &Audit<'_>,
    number: usize,
    found: &Found,
    width: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    let tally = &found.tally;
    let [first, last] = match tally.times {
        Some((first, last)) => [rfc3339(first), rfc3339(last)],
        None => ["-".to_owned(), "-".to_owned()],
    };
    let asked = match tally.robots_txt {
        0 => "never".to_owned(),
        times => times.to_string(),
    };
    let name = format!("  {}", found.name());
    write!(
        out,
        "{name:width$}  {:8}  {:9}  {:>6}  {first:20}  {last:20}  ",
        tally.requests,
        tally.forbidden,
        share(tally.forbidden, tally.requests),
    )?;
    if audit.verified.is_empty() {
        return writeln!(out, "{asked}");
    }
    match audit.has_ranges(number) {
        true => writeln!(out, "{asked:10}  {}", tally.verified[0]),
        false => writeln!(out, "{asked:10}  -"),
    }
}

/// The rules that a crawler broke.
fn broken(
    audit: &Audit<'_>,
    number: usize,
    found: &Found,
    rules: &[Rules<'_>],
    out: &mut impl Write,
) -> io::Result<()> {
    let tally = &found.tally;
    let broken = tally.rules();
    for ((file, line), broken) in broken.iter().take(RULES) {
        let name = match audit.versions.len() {
            1 => String::new(),
            _ => format!("{}, ", robots_file::shown(&audit.versions[*file].path)),
        };
        out.write_all(b"    ")?;
        out.write_all(&on_one_line(name.as_bytes()))?;
        match &rules[*file] {
            Rules::Lines(values) => {
                write!(out, "line {line} Disallow: ")?;
                out.write_all(&on_one_line(values.get(line).copied().unwrap_or_default()))?;
            }
            Rules::Answer(cause) => out.write_all(&on_one_line(cause.as_bytes()))?,
        }
        write!(out, "  {}", requests(broken.requests))?;
        examples(broken, out)?;
        writeln!(out)?;
    }
    let hidden: u64 = broken.iter().skip(RULES).map(|(_, broken)| broken.requests).sum();
    let hidden = hidden + tally.by_more_rules;
    if hidden > 0 {
        writeln!(out, "    more rules  {}", requests(hidden))?;
    }
    if tally.forbidden > 0 {
        if audit.has_ranges(number) {
            writeln!(
                out,
                "    of {} forbidden, {} came from its published addresses",
                tally.forbidden, tally.verified[1]
            )?;
        }
        let says = match found.known().map(|known| known.obeys) {
            Some(Obeys::No) => "does not obey robots.txt",
            Some(Obeys::Partly) => "obeys robots.txt only in part",
            _ => return Ok(()),
        };
        writeln!(out, "    its operator says that it {says}")?;
    }
    Ok(())
}

fn examples(broken: &Broken, out: &mut impl Write) -> io::Result<()> {
    for (number, example) in broken.examples.iter().enumerate() {
        out.write_all(if number == 0 { b": " } else { b"  " })?;
        out.write_all(&on_one_line(&example.path))?;
        if example.is_cut {
            out.write_all("…".as_bytes())?;
        }
    }
    Ok(())
}

/// The lines at the end.
pub fn totals(audit: &Audit<'_>) -> Vec<String> {
    let totals = &audit.totals;
    let crawlers = audit.crawlers.all.iter().filter(|found| found.tally.requests > 0);
    let crawlers: Vec<&Found> = crawlers.collect();
    let broke = crawlers.iter().filter(|found| found.tally.forbidden > 0).count();
    // What is counted together is one crawler or many.
    let more = |found: &&&Found| matches!(found.kind, Kind::More);
    let at_least = if crawlers.iter().any(|found| more(&found)) { "at least " } else { "" };
    let did_more = crawlers.iter().any(|found| more(&found) && found.tally.forbidden > 0);
    let broke = if did_more { format!("at least {broke}") } else { broke.to_string() };
    let mut lines = vec![format!(
        "{} of {} by crawlers forbidden ({}), of {broke} of {at_least}{} crawlers",
        totals.forbidden,
        requests(totals.judged),
        share(totals.forbidden, totals.judged),
        crawlers.len(),
    )];
    let rest = [
        (totals.other_clients, "by other clients"),
        (totals.without_header, "without a User-Agent header"),
        (totals.without_path, "without a path"),
        (totals.other_hosts, "for other hosts"),
    ];
    let rest: Vec<String> = rest
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if !rest.is_empty() {
        lines.push(format!("not judged: {}", rest.join(", ")));
    }
    if totals.damaged > 0 {
        let places: Vec<String> = places(audit);
        let more = if totals.damaged > PLACES as u64 { ", …" } else { "" };
        lines.push(format!(
            "lines that are not in the format: {} ({}{more})",
            totals.damaged,
            places.join(", ")
        ));
    }
    if totals.too_long > 0 {
        lines.push(format!("lines longer than 1 MiB, skipped: {}", totals.too_long));
    }
    lines
}

/// Where the first damaged lines are: `access.log:3`.
fn places(audit: &Audit<'_>) -> Vec<String> {
    let shown = |text: &str| String::from_utf8_lossy(&on_one_line(text.as_bytes())).into_owned();
    audit.damaged.iter().map(|(name, line)| format!("{}:{line}", shown(name))).collect()
}

fn requests(count: u64) -> String {
    if count == 1 { "1 request".to_owned() } else { format!("{count} requests") }
}

/// A part in percent. One that is neither nothing nor all never looks like it.
fn share(part: u64, whole: u64) -> String {
    if part == 0 || whole == 0 {
        return "0 %".to_owned();
    }
    if part == whole {
        return "100 %".to_owned();
    }
    let percent = 100.0 * part as f64 / whole as f64;
    format!("{:.1} %", percent.clamp(0.1, 99.9))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares() {
        for (part, whole, wanted) in [
            (0, 0, "0 %"),
            (0, 5, "0 %"),
            (5, 5, "100 %"),
            (1, 8, "12.5 %"),
            (1, 1_000_000, "0.1 %"),
            (999_999, 1_000_000, "99.9 %"),
        ] {
            assert_eq!(share(part, whole), wanted);
        }
    }
}
