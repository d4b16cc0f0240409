//! Synthetic archives of robots.txt captures, in the form and the shares of Common Crawl's.
//!
//! A [`Site`] is what one invented host answered: captures with URL, time and reply, and what a
//! reader that follows RFC 9309 must conclude of each origin. [`write()`] makes WARC records of them.
//! Both keep nothing between hosts, so memory does not grow with the archive.
//!
//! Of the captures about half are 200, a third 404, a seventh redirects (`http` to `https`, to
//! `www`, chains, loops, to other sites), the rest 403, 410, 401 and server errors. About 5 % of the
//! 200s are web pages. Bodies are plain, chunked, compressed, or both; some hosts were captured
//! several times, with other answers each time, and some captures are revisits of earlier ones.

use std::io::{self, Write};

use flate2::{Compress, Compression, Crc, FlushCompress, Status};

use crate::hosts::robots;
use crate::individual::page;
use crate::names::host_name;
use crate::rng::Rng;

const STREAM_SITE: u64 = 3;
const STREAM_RECORD: u64 = 4;
const STREAM_PAGE: u64 = 5;
const STREAM_FILE: u64 = 6;

/// The first captures are of 14 November 2023. All lie within eight weeks.
const FIRST_SECOND: u64 = 1_700_000_000;
const DAY: u64 = 86_400;

/// The numbers of the second files of hosts, which have two, lie beyond those of all hosts.
const SECOND_FILE: u64 = 1 << 40;

/// What a host answered to one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The URL that was asked for, most often of a robots.txt.
    pub url: String,
    /// When, in seconds since 1970.
    pub at: u64,
    /// The answer.
    pub reply: Reply,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// 200 with this text.
    Text(Text),
    /// A redirect: the status and the value of `Location`.
    Redirect(u16, String),
    /// Another status, with a short page as its body.
    Status(u16),
    /// A revisit record: 304, as the same URL answered with 200 at this time.
    SameAs(u64),
}

/// The body of a 200.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// [`robots`] of this number.
    Robots(u64),
    /// A web page of this host.
    Page(u64),
}

impl Text {
    /// Its bytes.
    pub fn bytes(self, seed: u64) -> Vec<u8> {
        match self {
            Text::Robots(number) => robots(seed, number),
            Text::Page(host) => page(&mut Rng::new(seed, host, STREAM_PAGE), host).into_bytes(),
        }
    }
}

/// What holds for an origin as of its captures, by RFC 9309.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The rules of this text.
    Rules(Text),
    /// There is no robots.txt.
    AllowAll,
    /// The site failed.
    DisallowAll,
    /// It redirects to what was not captured.
    Unknown,
}

/// All captures of one host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// In the order of their times.
    pub captures: Vec<Capture>,
    /// The origins that were asked (`https://host-17.example`), and what follows from the answers.
    pub expected: Vec<(String, Expected)>,
}

impl Site {
    /// What was captured of host number `host`: one to eight captures. Cost: no body is generated.
    pub fn new(seed: u64, host: u64) -> Site {
        let mut rng = Rng::new(seed, host, STREAM_SITE);
        let mut site = Site::default();
        site.fill(&mut rng, host);
        site
    }

    fn add(&mut self, url: String, at: u64, reply: Reply) {
        self.captures.push(Capture { url, at, reply });
    }

    fn expect(&mut self, origin: &str, expected: Expected) {
        self.expected.push((origin.to_owned(), expected));
    }

    fn fill(&mut self, rng: &mut Rng, host: u64) {
        let name = host_name(host);
        let at = FIRST_SECOND + rng.below(14 * DAY);
        let (http, www) = (format!("http://{name}"), format!("https://www.{name}"));
        let mut https = format!("https://{name}");
        let robots_of = |origin: &str| format!("{origin}/robots.txt");
        // Three of a hundred files are web pages by themselves; these make it five.
        let text = if rng.percent(3) { Text::Page(host) } else { Text::Robots(host) };
        match rng.below(1_000) {
            0..410 => {
                if rng.percent(1) {
                    https.push_str(":8443");
                } else if rng.percent(10) {
                    self.add(robots_of(&http), at, Reply::Redirect(301, robots_of(&https)));
                    self.expect(&http, Expected::Rules(text));
                } else if rng.percent(12) {
                    self.add(robots_of(&http), at, Reply::Text(text));
                    self.expect(&http, Expected::Rules(text));
                }
                self.add(robots_of(&https), at + 1, Reply::Text(text));
                self.expect(&https, Expected::Rules(text));
            }
            410..440 => {
                self.add(robots_of(&http), at, Reply::Text(text));
                self.expect(&http, Expected::Rules(text));
            }
            440..810 => {
                let origin = if rng.percent(20) { http } else { https };
                self.add(robots_of(&origin), at, Reply::Status(404));
                self.expect(&origin, Expected::AllowAll);
            }
            810..890 => self.redirects_to_www(rng, [&http, &https, &www], at, text),
            890..920 => {
                self.add(robots_of(&https), at, Reply::Status(403));
                self.expect(&https, Expected::AllowAll);
            }
            920..940 => {
                let status = [500, 502, 503, 503, 504][rng.below(5) as usize];
                self.add(robots_of(&https), at, Reply::Status(status));
                self.expect(&https, Expected::DisallowAll);
            }
            940..950 => {
                let status = [400, 401, 410, 451][rng.below(4) as usize];
                self.add(robots_of(&https), at, Reply::Status(status));
                self.expect(&https, Expected::AllowAll);
            }
            950..956 => self.loops(rng, [&https, &www], at),
            956..962 => self.chain(rng, &https, at, text),
            962..970 => self.elsewhere(rng, host, &https, at),
            _ => self.history(rng, host, &https, at, text),
        }
    }

    /// To `www`, sometimes from `http` to `https` first. At `www` there is a file or none.
    fn redirects_to_www(
        &mut self,
        rng: &mut Rng,
        [http, https, www]: [&str; 3],
        at: u64,
        text: Text,
    ) {
        let expected = if rng.percent(85) { Expected::Rules(text) } else { Expected::AllowAll };
        let target = format!("{www}/robots.txt");
        let status = if rng.percent(75) { 301 } else { 302 };
        if rng.percent(30) {
            let to = format!("{https}/robots.txt");
            self.add(format!("{http}/robots.txt"), at, Reply::Redirect(301, to));
            self.expect(http, expected);
        }
        let location =
            if rng.percent(5) { target["https:".len()..].to_owned() } else { target.clone() };
        self.add(format!("{https}/robots.txt"), at + 1, Reply::Redirect(status, location));
        self.expect(https, expected);
        let reply = match expected {
            Expected::Rules(text) => Reply::Text(text),
            _ => Reply::Status(404),
        };
        self.add(target, at + 2, reply);
        self.expect(www, expected);
    }

    fn loops(&mut self, rng: &mut Rng, [https, www]: [&str; 2], at: u64) {
        let [one, other] = [https, www].map(|origin| format!("{origin}/robots.txt"));
        if rng.percent(30) {
            self.add(one.clone(), at, Reply::Redirect(302, one));
        } else {
            self.add(one.clone(), at, Reply::Redirect(301, other.clone()));
            self.add(other, at + 1, Reply::Redirect(302, one));
            self.expect(www, Expected::AllowAll);
        }
        self.expect(https, Expected::AllowAll);
    }

    /// Two to seven redirects; after five a reader gives up.
    fn chain(&mut self, rng: &mut Rng, https: &str, at: u64, text: Text) {
        let hops = 2 + rng.below(6);
        let mut url = format!("{https}/robots.txt");
        for hop in 1..=hops {
            let next = format!("/r/{hop}?robots.txt");
            let location = if rng.percent(50) { next.clone() } else { format!("{https}{next}") };
            self.add(url, at + hop, Reply::Redirect(302, location));
            url = format!("{https}{next}");
        }
        self.add(url, at + hops + 1, Reply::Text(text));
        let expected = if hops <= 5 { Expected::Rules(text) } else { Expected::AllowAll };
        self.expect(https, expected);
    }

    /// To the start page, to a page of another site, or to a page that was not captured.
    fn elsewhere(&mut self, rng: &mut Rng, host: u64, https: &str, at: u64) {
        let (location, reply, expected) = match rng.below(3) {
            0 => (
                "/".to_owned(),
                Some(Reply::Text(Text::Page(host))),
                Expected::Rules(Text::Page(host)),
            ),
            1 => (
                format!("https://lander-{host}.example/for-sale"),
                Some(Reply::Status(404)),
                Expected::AllowAll,
            ),
            _ => (format!("https://parking.example/lander?of={host}"), None, Expected::Unknown),
        };
        let target = match location.strip_prefix('/') {
            Some(path) => format!("{https}/{path}"),
            None => location.clone(),
        };
        self.add(format!("{https}/robots.txt"), at, Reply::Redirect(302, location));
        if let Some(reply) = reply {
            self.add(target, at + 1, reply);
        }
        self.expect(https, expected);
    }

    /// Two or three captures, days apart.
    fn history(&mut self, rng: &mut Rng, host: u64, https: &str, at: u64, text: Text) {
        let url = || format!("{https}/robots.txt");
        let later = at + DAY + rng.below(10 * DAY);
        let second = Text::Robots(host | SECOND_FILE);
        let expected = match rng.below(6) {
            0 => {
                self.add(url(), at, Reply::Text(text));
                self.add(url(), later, Reply::Text(second));
                Expected::Rules(second)
            }
            1 => {
                self.add(url(), at, Reply::Status(503));
                self.add(url(), later, Reply::Text(text));
                Expected::Rules(text)
            }
            2 => {
                self.add(url(), at, Reply::Text(text));
                self.add(url(), later, Reply::Status(404));
                Expected::AllowAll
            }
            3 => {
                // The failure is newer than the file, but the file may still be used.
                self.add(url(), at, Reply::Text(text));
                self.add(url(), later, Reply::Status(503));
                Expected::Rules(text)
            }
            4 => {
                self.add(url(), at, Reply::Text(text));
                self.add(url(), later, Reply::SameAs(at));
                Expected::Rules(text)
            }
            _ => {
                self.add(url(), at, Reply::Status(404));
                self.add(url(), later, Reply::Text(text));
                self.add(url(), later + DAY, Reply::Text(second));
                Expected::Rules(second)
            }
        };
        self.expect(https, expected);
    }
}

/// How many hosts make at least so many captures. Cost: O(`captures`), one host in memory.
pub fn hosts_of(seed: u64, captures: u64) -> u64 {
    let (mut hosts, mut found) = (0, 0);
    while found < captures {
        found += Site::new(seed, hosts).captures.len() as u64;
        hosts += 1;
    }
    hosts
}

/// In which of `files` files a capture is: those of one host are spread over all of them.
fn file_of(seed: u64, host: u64, capture: usize, files: u64) -> u64 {
    Rng::new(seed, host, STREAM_FILE.wrapping_add((capture as u64) << 32)).below(files)
}

/// Writes some of the `files` files of an archive of these hosts, in one pass over the hosts: `outs`
/// has their numbers and where each goes. A file has a `warcinfo` record, and `response` and
/// `revisit` records with some `request` and `metadata` records between them. Returns the number of
/// captures that were written.
///
/// With `compress` every record is a gzip member of its own, as in `.warc.gz`.
///
/// # Errors
///
/// Those of the writers, with the number of the file.
pub fn write<W: Write>(
    outs: &mut [(u64, W)],
    seed: u64,
    hosts: u64,
    files: u64,
    compress: bool,
) -> Result<u64, (u64, io::Error)> {
    let mut outs: Vec<(u64, Records<'_, W>)> = outs
        .iter_mut()
        .map(|(file, out)| {
            let gzip = compress.then(Gzip::new);
            (*file, Records { out, gzip, member: Vec::new() })
        })
        .collect();
    for (file, out) in &mut outs {
        out.info(seed, *file, files).map_err(|error| (*file, error))?;
    }
    let mut gzip = Gzip::new();
    let mut captures = 0;
    for host in 0..hosts {
        for (number, capture) in Site::new(seed, host).captures.iter().enumerate() {
            let file = file_of(seed, host, number, files);
            let Some((_, out)) = outs.iter_mut().find(|(known, _)| *known == file) else {
                continue;
            };
            let stream = STREAM_RECORD.wrapping_add((number as u64 + 1) << 32);
            let mut rng = Rng::new(seed, host, stream);
            out.capture(&mut rng, capture, seed, &mut gzip).map_err(|error| (file, error))?;
            captures += 1;
        }
    }
    Ok(captures)
}

/// Where records go.
struct Records<'w, W> {
    out: &'w mut W,
    gzip: Option<Gzip>,
    /// The record that is being compressed.
    member: Vec<u8>,
}

impl<W: Write> Records<'_, W> {
    fn info(&mut self, seed: u64, file: u64, files: u64) -> io::Result<()> {
        let text = format!(
            "software: robotsieve-corpora\r\ndescription: generated captures of robots.txt, seed \
             {seed}, file {file} of {files}\r\nformat: WARC File Format 1.0\r\n"
        );
        let id = record_id(&mut Rng::new(seed, file, STREAM_RECORD));
        self.record("warcinfo", FIRST_SECOND, &id, "application/warc-fields", "", text.as_bytes())
    }

    fn record(
        &mut self,
        kind: &str,
        at: u64,
        id: &str,
        content: &str,
        fields: &str,
        block: &[u8],
    ) -> io::Result<()> {
        let head = format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Date: {}\r\nWARC-Record-ID: {id}\r\n\
             Content-Length: {}\r\nContent-Type: {content}\r\n{fields}\r\n",
            date(at),
            block.len(),
        );
        let parts = [head.as_bytes(), block, b"\r\n\r\n"];
        match &mut self.gzip {
            None => parts.into_iter().try_for_each(|part| self.out.write_all(part)),
            Some(gzip) => {
                self.member.clear();
                gzip.member(&parts.concat(), &mut self.member);
                self.out.write_all(&self.member)
            }
        }
    }

    fn capture(
        &mut self,
        rng: &mut Rng,
        capture: &Capture,
        seed: u64,
        gzip: &mut Gzip,
    ) -> io::Result<()> {
        let id = record_id(rng);
        let (url, at) = (&capture.url, capture.at);
        let mut fields =
            format!("WARC-IP-Address: 192.0.2.{}\r\nWARC-Target-URI: {url}\r\n", rng.below(256));
        if rng.percent(25) {
            let request = record_id(rng);
            let (host, path) = parts(url);
            let block = format!(
                "GET {path} HTTP/1.1\r\nUser-Agent: corpora/1.0\r\nAccept-Encoding: gzip\r\n\
                 Host: {host}\r\nConnection: Keep-Alive\r\n\r\n"
            );
            let content = "application/http; msgtype=request";
            self.record("request", at, &request, content, &fields, block.as_bytes())?;
            fields.push_str(&format!("WARC-Concurrent-To: {request}\r\n"));
        }
        let content = "application/http; msgtype=response";
        if let Reply::SameAs(before) = capture.reply {
            fields.push_str(&format!(
                "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/server-not-modified\r\n\
                 WARC-Refers-To-Target-URI: {url}\r\nWARC-Refers-To-Date: {}\r\n",
                date(before)
            ));
            let block = b"HTTP/1.1 304 Not Modified\r\nServer: corpora\r\n\r\n";
            return self.record("revisit", at, &id, content, &fields, block);
        }
        let block = http(rng, &capture.reply, seed, gzip);
        self.record("response", at, &id, content, &fields, &block)?;
        if rng.percent(5) {
            let fields = format!("WARC-Target-URI: {url}\r\nWARC-Concurrent-To: {id}\r\n");
            let block = format!("fetchTimeMs: {}\r\n", 20 + rng.below(900));
            let id = record_id(rng);
            let content = "application/warc-fields";
            self.record("metadata", at, &id, content, &fields, block.as_bytes())?;
        }
        Ok(())
    }
}

/// The HTTP response: chunked, compressed, both, or (most often) as Common Crawl stores it: with
/// the body decoded and the fields that told its encoding renamed.
fn http(rng: &mut Rng, reply: &Reply, seed: u64, gzip: &mut Gzip) -> Vec<u8> {
    let (status, kind, body) = match reply {
        Reply::Text(text) => {
            let body = text.bytes(seed);
            let is_page = body.starts_with(b"<!DOCTYPE");
            (200, if is_page { "text/html; charset=utf-8" } else { "text/plain" }, body)
        }
        Reply::Redirect(status, _) | Reply::Status(status) => {
            let page = format!("<html><body><h1>{status}</h1></body></html>\n");
            (*status, "text/html", page.into_bytes())
        }
        Reply::SameAs(_) => (304, "text/plain", Vec::new()),
    };
    let mut head = format!(
        "HTTP/1.1 {status} {}\r\nServer: corpora\r\nContent-Type: {kind}\r\n",
        reason(status)
    );
    if let Reply::Redirect(_, location) = reply {
        head.push_str(&format!("Location: {location}\r\n"));
    }
    let (is_compressed, is_chunked) = match rng.below(20) {
        0..3 => (true, false),
        3..6 => (false, true),
        6 => (true, true),
        _ => (false, false),
    };
    let mut content = body;
    if is_compressed {
        head.push_str("Content-Encoding: gzip\r\n");
        let mut member = Vec::new();
        gzip.member(&content, &mut member);
        content = member;
    } else if !is_chunked && rng.percent(50) {
        head.push_str("X-Crawler-Content-Encoding: gzip\r\n");
    }
    if is_chunked {
        head.push_str("Transfer-Encoding: chunked\r\n");
        content = chunked(rng, &content);
    } else {
        head.push_str(&format!("Content-Length: {}\r\n", content.len()));
    }
    head.push_str("\r\n");
    let mut block = head.into_bytes();
    block.append(&mut content);
    block
}

fn chunked(rng: &mut Rng, body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len() + 64);
    let mut left = body;
    while !left.is_empty() {
        let size = (1 + rng.below(8_192) as usize).min(left.len());
        out.extend_from_slice(format!("{size:x}\r\n").as_bytes());
        out.extend_from_slice(&left[..size]);
        out.extend_from_slice(b"\r\n");
        left = &left[size..];
    }
    out.extend_from_slice(b"0\r\n\r\n");
    out
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 => "Moved Permanently",
        302 => "Found",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        410 => "Gone",
        451 => "Unavailable For Legal Reasons",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "Gateway Timeout",
    }
}

/// The host with its port, and the path with its query.
fn parts(url: &str) -> (&str, &str) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split_at(rest.find('/').unwrap_or(rest.len()))
}

fn record_id(rng: &mut Rng) -> String {
    let (a, b) = (rng.next(), rng.next());
    format!(
        "<urn:uuid:{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}>",
        a >> 32,
        (a >> 16) & 0xffff,
        a & 0xfff,
        b >> 52,
        b & 0xffff_ffff_ffff
    )
}

/// A time as `2023-11-14T22:13:20Z`.
fn date(at: u64) -> String {
    let (days, seconds) = (at / DAY, at % DAY);
    // Years begin in March here, so that the day in February of leap years is the last one.
    let days = days + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Makes gzip members with one compressor, because a new one for each record takes longer than most
/// records.
struct Gzip(Compress);

impl Gzip {
    fn new() -> Gzip {
        Gzip(Compress::new(Compression::new(1), false))
    }

    /// Appends one member.
    fn member(&mut self, text: &[u8], out: &mut Vec<u8>) {
        // No name, no time, unknown system.
        out.extend_from_slice(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
        self.0.reset();
        loop {
            let read = self.0.total_in() as usize;
            out.reserve(text.len() - read + 64);
            let status = self.0.compress_vec(&text[read..], out, FlushCompress::Finish);
            if status.expect("deflate takes any bytes") == Status::StreamEnd {
                break;
            }
        }
        let mut crc = Crc::new();
        crc.update(text);
        out.extend_from_slice(&crc.sum().to_le_bytes());
        out.extend_from_slice(&crc.amount().to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01T00:00:00Z");
        assert_eq!(date(FIRST_SECOND), "2023-11-14T22:13:20Z");
        assert_eq!(date(951_827_696), "2000-02-29T12:34:56Z");
        assert_eq!(date(1_798_761_599), "2026-12-31T23:59:59Z");
    }
}
