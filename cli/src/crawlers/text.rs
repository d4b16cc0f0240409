//! The table for people.

use std::io::{self, Write};

use super::judge::Table;
use super::words;
use crate::known;
use crate::write::bytes::shown;

/// Lists of crawlers are wrapped at this width.
const WIDTH: usize = 100;

pub fn print(table: &Table<'_>, out: &mut impl Write) -> io::Result<()> {
    if let Some(split) = &table.sitemap {
        writeln!(out, "{}", split.lines().join("\n  "))?;
    }
    let is_for_one = table.pages.len() == 1;
    writeln!(out, "{}:", if is_for_one { "page" } else { "pages, one for each column" })?;
    for (number, page) in table.pages.iter().enumerate() {
        let number = if is_for_one { String::new() } else { format!("{:2}  ", number + 1) };
        writeln!(out, "  {number}{}", shown(&page.text))?;
    }
    for purpose in table.purposes() {
        writeln!(out)?;
        writeln!(out, "{}: {}", purpose.title(), words::summary(table, purpose))?;
        let all = table.of_purpose(purpose).count();
        for (class, row) in table.rows(purpose) {
            let verdicts = class.verdicts.iter().map(|verdict| format!("{:8}", verdict.as_str()));
            let verdicts: Vec<String> = verdicts.collect();
            writeln!(out, "  {}  {}", verdicts.join("  "), words::reads(class, str::to_owned))?;
            if let Some(tally) = &class.sitemap {
                writeln!(out, "      sitemap: {}", words::of_sitemap(tally, str::to_owned))?;
            }
            wrapped(&words::crawlers(&row, all), out)?;
        }
    }
    let notes = known::notes(table.crawlers.iter().map(|crawler| crawler.known));
    if !notes.is_empty() {
        writeln!(out)?;
    }
    notes.iter().try_for_each(|note| writeln!(out, "note: {note}"))
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
