//! `robotsieve crawlers --list`: what is known of the crawlers.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::args::Format;
use crate::known::KnownCrawler;

/// The version of the JSON.
const VERSION: u32 = 1;

pub fn print(crawlers: &[&KnownCrawler], format: Format, out: &mut impl Write) -> io::Result<()> {
    match format {
        Format::Json => {
            let crawlers: Vec<Value> = crawlers.iter().map(|crawler| json(crawler)).collect();
            writeln!(out, "{}", json!({ "version": VERSION, "crawlers": crawlers }))
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

/// All that is known of a crawler.
pub fn json(crawler: &KnownCrawler) -> Value {
    json!({
        "name": crawler.name,
        "token": crawler.token,
        "after": crawler.after,
        "star": crawler.star,
        "only_in_robots_txt": crawler.only_in_robots_txt,
        "operator": crawler.operator,
        "purpose": crawler.purpose.as_str(),
        "obeys": crawler.obeys.as_str(),
        "note": crawler.note,
        "header": crawler.header,
        "documentation": crawler.documentation,
        "source": crawler.source,
        "date": crawler.date.to_string(),
    })
}

/// A file that `--crawlers` takes.
fn toml(crawlers: &[&KnownCrawler], out: &mut impl Write) -> io::Result<()> {
    for (number, crawler) in crawlers.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        writeln!(out, "[[crawler]]")?;
        let mut text = |key: &str, value: Option<&str>| match value {
            Some(value) => writeln!(out, "{key} = {}", quoted(value)),
            None => Ok(()),
        };
        text("name", Some(&crawler.name))?;
        text("token", Some(&crawler.token))?;
        if !crawler.after.is_empty() {
            let names: Vec<String> = crawler.after.iter().map(|name| quoted(name)).collect();
            writeln!(out, "after = [{}]", names.join(", "))?;
        }
        if !crawler.star {
            writeln!(out, "star = false")?;
        }
        if crawler.only_in_robots_txt {
            writeln!(out, "only_in_robots_txt = true")?;
        }
        let mut text = |key: &str, value: Option<&str>| match value {
            Some(value) => writeln!(out, "{key} = {}", quoted(value)),
            None => Ok(()),
        };
        text("operator", Some(&crawler.operator))?;
        text("purpose", Some(crawler.purpose.as_str()))?;
        text("obeys", Some(crawler.obeys.as_str()))?;
        text("note", crawler.note.as_deref())?;
        text("header", crawler.header.as_deref())?;
        text("documentation", crawler.documentation.as_deref())?;
        text("source", Some(&crawler.source))?;
        writeln!(out, "date = {}", crawler.date)?;
    }
    Ok(())
}

/// A basic string of TOML. Texts with control characters were refused when they were read.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
