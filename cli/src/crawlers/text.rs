//! The table for people.

use std::io::{self, Write};

use robotsieve::report::reach::ReachReport;

/// Lists of crawlers are wrapped at this width.
const WIDTH: usize = 100;

pub fn print(report: &ReachReport, out: &mut impl Write) -> io::Result<()> {
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
    for purpose in &report.purposes {
        writeln!(out)?;
        writeln!(out, "{}: {}", purpose.title, purpose.summary)?;
        for row in &purpose.rows {
            let policy = &report.policies[row.policy];
            let verdicts = policy.verdicts.iter().map(|verdict| format!("{:8}", verdict.as_str()));
            let verdicts: Vec<String> = verdicts.collect();
            writeln!(out, "  {}  {}", verdicts.join("  "), policy.text)?;
            if let Some(sitemap) = &policy.sitemap_text {
                writeln!(out, "      sitemap: {sitemap}")?;
            }
            wrapped(&row.who, out)?;
        }
    }
    if !report.notes.is_empty() {
        writeln!(out)?;
    }
    report.notes.iter().try_for_each(|note| writeln!(out, "note: {note}"))
}

/// Prints words with commas between them, on as many lines as they need.
fn wrapped(words: &[String], out: &mut impl Write) -> io::Result<()> {
    const INDENT: &str = "      ";
    let mut line = INDENT.to_owned();
    for (number, word) in words.iter().enumerate() {
        let comma = if number + 1 < words.len() { "," } else { "" };
        let len = line.chars().count() + word.chars().count() + comma.len();
        if line.len() > INDENT.len() && len > WIDTH {
            writeln!(out, "{}", line.trim_end())?;
            line = INDENT.to_owned();
        }
        line += word;
        line += comma;
        line.push(' ');
    }
    writeln!(out, "{}", line.trim_end())
}
