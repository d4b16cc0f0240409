//! The answers for people.

use std::io::{self, Write};

use console::Term;
use robotsieve_owners::reach::ReachReport;

/// Lists of crawlers are wrapped at this width, or at that of a narrower terminal.
const WIDTH: usize = 100;

/// Prints the report; without the counts of all crawlers if it is about some that were named.
pub fn print(report: &ReachReport, is_named: bool, out: &mut impl Write) -> io::Result<()> {
    let width = Term::stdout().size_checked().map_or(WIDTH, |(_, columns)| columns.into());
    let width = width.clamp(40, WIDTH);
    if let Some(urls) = &report.sitemap {
        let lines: Vec<&str> = urls.sentences.iter().map(|one| one.text.as_str()).collect();
        writeln!(out, "{}", lines.join("\n  "))?;
    }
    let pages = report.shown_pages();
    let is_for_one = pages.len() == 1;
    writeln!(out, "{}:", if is_for_one { "page" } else { "pages, one for each column" })?;
    for (number, page) in pages.iter().enumerate() {
        let number = if is_for_one { String::new() } else { format!("{:2}  ", number + 1) };
        writeln!(out, "  {number}{page}")?;
    }
    if !is_named {
        writeln!(out)?;
        for purpose in &report.purposes {
            writeln!(out, "{}: {}", purpose.title, purpose.summary)?;
        }
    }
    for answer in report.answers() {
        let policy = &report.policies[answer.policy];
        let verdicts = policy.verdicts.iter().map(|verdict| format!("{:8}", verdict.as_str()));
        let verdicts: Vec<String> = verdicts.collect();
        writeln!(out, "\n{}  {}", verdicts.join("  "), policy.text)?;
        if let Some(sitemap) = &policy.sitemap_text {
            writeln!(out, "  sitemap: {sitemap}")?;
        }
        for (purpose, row) in answer.rows {
            wrapped(&format!("{}: {}", purpose.title, row.who.join(", ")), width, out)?;
        }
    }
    if !report.notes.is_empty() {
        writeln!(out)?;
    }
    report.notes.iter().try_for_each(|note| writeln!(out, "note: {note}"))
}

/// Prints a text on as many lines as it needs.
fn wrapped(text: &str, width: usize, out: &mut impl Write) -> io::Result<()> {
    let mut line = String::from(" ");
    for (number, word) in text.split(' ').enumerate() {
        if number > 0 && line.chars().count() + 1 + word.chars().count() > width {
            writeln!(out, "{line}")?;
            line = String::from("     ");
        }
        line.push(' ');
        line += word;
    }
    writeln!(out, "{line}")
}
