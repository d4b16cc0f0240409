//! Archives of pages whose sites say what they may be used for.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::host_name;
use crate::rng::Rng;
use crate::words::SECTIONS;

/// The pages of a site.
const OF_A_SITE: u64 = 50;

/// Writes a WARC file with so many pages of sites with 50 pages each, behind the robots.txt of each site. Two of
/// three sites speak of training in it, and one of six in the header or in the page.
///
/// # Errors
/// Returns an error if it cannot be written.
pub fn write(out: &mut impl Write, seed: u64, pages: u64) -> io::Result<()> {
    for number in 0..pages {
        let (site, page) = (number / OF_A_SITE, number % OF_A_SITE);
        let host = host_name(site);
        let mut rng = Rng::new(seed, number, 7);
        let second = number % 86_400;
        let time = |second: u64| {
            let (hour, minute) = (second / 3600, second / 60 % 60);
            format!("2026-03-01T{hour:02}:{minute:02}:{:02}Z", second % 60)
        };
        if page == 0 {
            let says =
                ["", "Content-Usage: train-ai=n\n", "Content-Signal: search=yes, ai-train=yes\n"];
            let says = says[(site % 3) as usize];
            let robots = format!("User-agent: *\n{says}Disallow: /private/\n");
            record(
                out,
                &time(second),
                &format!("https://{host}/robots.txt"),
                "text/plain",
                &robots,
            )?;
        }
        let mut path = String::new();
        for _ in 0..1 + rng.below(3) {
            let _ = write!(path, "/{}", rng.pick(SECTIONS));
        }
        let mut body = String::from("<!doctype html><title>");
        let (field, meta) = match site % 6 {
            4 if page % 5 == 0 => ("text/html\r\nX-Robots-Tag: noai", ""),
            5 if page % 5 == 0 => ("text/html", "<meta name=robots content=noindex>"),
            _ => ("text/html", ""),
        };
        let _ = write!(body, "{page}</title>{meta}");
        for _ in 0..40 + rng.below(400) {
            let _ = write!(body, "{} ", rng.pick(SECTIONS));
        }
        record(out, &time(second), &format!("https://{host}{path}-{page}.html"), field, &body)?;
    }
    Ok(())
}

fn record(out: &mut impl Write, time: &str, url: &str, kind: &str, body: &str) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    write!(
        out,
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: {time}\r\nWARC-Target-URI: {url}\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{head}{body}\r\n\r\n",
        head.len() + body.len()
    )
}
