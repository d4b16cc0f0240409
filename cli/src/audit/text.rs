//! The report for people.

use std::io::{self, Write};

use robotsieve_owners::audit::{
    AddressSource, AuditReport, AuditedCrawler, BrokenRule, OtherAddress,
};

use crate::write::bytes::on_one_line;

/// The number of rules of a crawler that are shown.
const RULES: usize = 5;

/// The number of addresses of a crawler that are shown.
const ADDRESSES: usize = 5;

/// Prints the report; with a column for requests from published addresses if some are known.
pub fn print(report: &AuditReport, verified: bool, out: &mut impl Write) -> io::Result<()> {
    let crawlers = &report.crawlers;
    let width = crawlers.iter().map(|crawler| crawler.label().chars().count() + 2);
    let width = width.max().unwrap_or(0).max(7);
    if !crawlers.is_empty() {
        let verified = if verified { "  verified" } else { "" };
        writeln!(
            out,
            "{:width$}  requests  forbidden   share  first                 last                  robots.txt{verified}",
            "crawler"
        )?;
    }
    for of_purpose in crawlers.chunk_by(|one, other| one.title == other.title) {
        writeln!(out, "{}", of_purpose[0].title)?;
        for crawler in of_purpose {
            row(crawler, width, verified, out)?;
            others(crawler, out)?;
            broken(report, crawler, out)?;
        }
    }
    if !crawlers.is_empty() {
        writeln!(out)?;
    }
    report.sentences.iter().try_for_each(|line| writeln!(out, "{}", line.text))?;
    if !crawlers.is_empty() {
        let verify = if verified {
            "; 'verified' are requests from the addresses that --ranges gives"
        } else {
            "; --ranges checks addresses that operators publish"
        };
        writeln!(out, "Names are those of User-Agent headers, which anybody can forge{verify}.")?;
    }
    Ok(())
}

fn row(
    crawler: &AuditedCrawler,
    width: usize,
    verified: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let [first, last] = [&crawler.first, &crawler.last].map(|time| time.as_deref().unwrap_or("-"));
    let asked = match crawler.robots_txt {
        0 => "never".to_owned(),
        times => times.to_string(),
    };
    let name = format!("  {}", crawler.label());
    write!(
        out,
        "{name:width$}  {:8}  {:9}  {:>6}  {first:20}  {last:20}  ",
        crawler.requests, crawler.forbidden, crawler.share,
    )?;
    match &crawler.verified {
        _ if !verified => writeln!(out, "{asked}"),
        Some(verified) => writeln!(out, "{asked:10}  {}", verified.requests),
        None => writeln!(out, "{asked:10}  -"),
    }
}

/// What is known of an address that is none of those given: the operator may have further lists.
const NO_LIST: &str = "in no list given for it";

/// The addresses that sent the name of a crawler, and are in no list given for it.
fn others(crawler: &AuditedCrawler, out: &mut impl Write) -> io::Result<()> {
    let Some(verified) = &crawler.verified else { return Ok(()) };
    if crawler.source != Some(AddressSource::Other) {
        return Ok(());
    }
    for other in verified.others.iter().take(ADDRESSES) {
        let OtherAddress { address, requests, forbidden, .. } = other;
        let s = if *requests == 1 { "" } else { "s" };
        writeln!(out, "    {NO_LIST}: {address}  {requests} request{s}, {forbidden} forbidden")?;
    }
    let rest = verified.others.iter().skip(ADDRESSES).map(|other| other.requests).sum::<u64>();
    match rest + verified.more_others {
        0 => Ok(()),
        1 => writeln!(out, "    {NO_LIST}: 1 more request, from another address"),
        more => writeln!(out, "    {NO_LIST}: {more} more requests, from other addresses"),
    }
}

/// The rules that a crawler broke.
fn broken(report: &AuditReport, crawler: &AuditedCrawler, out: &mut impl Write) -> io::Result<()> {
    for rule in crawler.rules.iter().take(RULES) {
        let file = &report.robots[rule.file];
        let name = match report.robots.len() {
            1 => String::new(),
            _ => format!("{}, ", file.file),
        };
        out.write_all(b"    ")?;
        out.write_all(&on_one_line(name.as_bytes()))?;
        write!(out, "line {} Disallow: ", rule.line)?;
        bytes(&rule.rule, &rule.rule_base64, out)?;
        write!(out, "  {}", requests(rule.requests))?;
        examples(rule, out)?;
        writeln!(out)?;
    }
    let hidden: u64 = crawler.rules.iter().skip(RULES).map(|rule| rule.requests).sum();
    let hidden = hidden + crawler.more_rules;
    if hidden > 0 {
        writeln!(out, "    more rules  {}", requests(hidden))?;
    }
    if crawler.lacks_file() {
        writeln!(
            out,
            "    never got /robots.txt: {} got status 4xx, {} got 5xx, {} another answer",
            requests(crawler.robots_txt_refused),
            crawler.robots_txt_failed,
            crawler.robots_txt_otherwise()
        )?;
    }
    if crawler.excused > 0 {
        let whom = match crawler.robots_txt_refused {
            0 => "another crawler of its operator",
            _ => "it",
        };
        writeln!(
            out,
            "    might fetch all once {whom} was refused /robots.txt, as RFC 9309 says: the file forbids {} of these requests",
            crawler.excused
        )?;
    }
    let refused = crawler.forbidden_by_status.iter().find(|count| count.status == "4xx");
    if let Some(refused) = refused {
        writeln!(
            out,
            "    of {} forbidden, {} got no content (status 4xx)",
            crawler.forbidden, refused.requests
        )?;
    }
    crawler.note.iter().try_for_each(|note| writeln!(out, "    {note}"))
}

fn examples(rule: &BrokenRule, out: &mut impl Write) -> io::Result<()> {
    for (number, example) in rule.examples.iter().enumerate() {
        out.write_all(if number == 0 { b": " } else { b"  " })?;
        bytes(&example.path, &example.path_base64, out)?;
        if example.cut {
            out.write_all("…".as_bytes())?;
        }
    }
    Ok(())
}

/// Prints the bytes of two members of the report on one line.
fn bytes(text: &str, base64: &Option<String>, out: &mut impl Write) -> io::Result<()> {
    out.write_all(&on_one_line(&robotsieve_report::bytes(text, base64.as_deref())))
}

fn requests(count: u64) -> String {
    if count == 1 { "1 request".to_owned() } else { format!("{count} requests") }
}
