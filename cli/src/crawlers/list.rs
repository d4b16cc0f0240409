//! `robotsieve crawlers --list`: what is known of the crawlers.

use std::io::{self, Write};

use robotsieve_owners::reach::KnownReport;

use super::args::Format;
use crate::known::KnownCrawler;

pub fn print(crawlers: &[&KnownCrawler], format: Format, out: &mut impl Write) -> io::Result<()> {
    match format {
        Format::Json => {
            serde_json::to_writer(&mut *out, &KnownReport::of(crawlers.iter().copied()))?;
            writeln!(out)
        }
        Format::Toml => toml(crawlers, out),
        Format::Text | Format::Markdown => text(crawlers, out),
    }
}

/// One line for each crawler.
fn text(crawlers: &[&KnownCrawler], out: &mut impl Write) -> io::Result<()> {
    let width = |text: fn(&KnownCrawler) -> &str| {
        let lens = crawlers.iter().map(|crawler| text(crawler).chars().count());
        lens.filter(|len| *len <= 32).max().unwrap_or(0)
    };
    let token = width(|crawler| &crawler.token);
    let purpose = width(|crawler| crawler.purpose.as_str());
    for crawler in crawlers {
        let KnownCrawler { name, operator, .. } = crawler;
        write!(out, "{:token$}  {:purpose$}  {operator}", crawler.token, crawler.purpose)?;
        if *name != crawler.token && name != operator {
            write!(out, " ({name})")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// A file that `--crawlers` takes.
fn toml(crawlers: &[&KnownCrawler], out: &mut impl Write) -> io::Result<()> {
    for (number, crawler) in crawlers.iter().enumerate() {
        let between = if number > 0 { "\n" } else { "" };
        writeln!(out, "{between}[[crawler]]")?;
        let after: Vec<String> = crawler.after.iter().map(|name| quoted(name)).collect();
        let text = |text: &str| Some(quoted(text));
        let optional = |text: &Option<String>| text.as_deref().map(quoted);
        let fields = [
            ("name", text(&crawler.name)),
            ("token", text(&crawler.token)),
            ("after", (!after.is_empty()).then(|| format!("[{}]", after.join(", ")))),
            ("star", (!crawler.star).then(|| "false".to_owned())),
            ("only_in_robots_txt", crawler.only_in_robots_txt.then(|| "true".to_owned())),
            ("operator", text(&crawler.operator)),
            ("purpose", text(crawler.purpose.as_str())),
            ("obeys", text(crawler.obeys.as_str())),
            ("profile", crawler.profile.and_then(|profile| profile.name()).map(quoted)),
            ("profile_source", optional(&crawler.profile_source)),
            ("reported_by", optional(&crawler.reported_by)),
            ("note", optional(&crawler.note)),
            ("header", optional(&crawler.header)),
            ("documentation", optional(&crawler.documentation)),
            ("source", text(&crawler.source)),
            ("date", Some(crawler.date.clone())),
        ];
        for (key, value) in fields {
            value.map_or(Ok(()), |value| writeln!(out, "{key} = {value}"))?;
        }
    }
    Ok(())
}

/// A basic string of TOML. Texts with control characters were refused when they were read.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
