//! The generated archives have the shares, the records and the answers that they promise.

use std::collections::{HashMap, HashSet};
use std::io::Read;

use robotsieve_corpora::warc::{Expected, Reply, Site, Text, hosts_of, write};

const HOSTS: u64 = 20_000;

fn archive(hosts: u64, file: u64, files: u64, compress: bool) -> Vec<u8> {
    let mut outs = [(file, Vec::new())];
    write(&mut outs, 1, hosts, files, compress).expect("memory does not fail");
    let [(_, out)] = outs;
    out
}

#[test]
fn statuses_have_the_shares_of_common_crawl() {
    let (mut ok, mut missing, mut redirects, mut other, mut pages) = (0, 0, 0, 0, 0);
    let mut captures = 0;
    for host in 0..HOSTS {
        for capture in Site::new(1, host).captures {
            captures += 1;
            match capture.reply {
                Reply::Text(text) => {
                    ok += 1;
                    pages += u32::from(text.bytes(1).starts_with(b"<!DOCTYPE"));
                }
                Reply::Redirect(..) => redirects += 1,
                Reply::Status(404) => missing += 1,
                Reply::Status(_) | Reply::SameAs(_) => other += 1,
            }
        }
    }
    let share = |count: u32| f64::from(count) * 100.0 / f64::from(captures);
    println!(
        "200 {:.1} %, 404 {:.1} %, redirects {:.1} %, others {:.1} %; pages {:.1} % of 200; {:.2} \
         captures a host",
        share(ok),
        share(missing),
        share(redirects),
        share(other),
        f64::from(pages) * 100.0 / f64::from(ok),
        f64::from(captures) / HOSTS as f64,
    );
    assert!((45.0..55.0).contains(&share(ok)));
    assert!((28.0..38.0).contains(&share(missing)));
    assert!((10.0..18.0).contains(&share(redirects)));
    assert!((3.0..8.0).contains(&share(other)));
    assert!((0.04..0.07).contains(&(f64::from(pages) / f64::from(ok))));
}

#[test]
fn every_origin_that_was_asked_has_one_expectation_and_there_are_all_kinds() {
    let mut kinds: HashMap<&str, u32> = HashMap::new();
    for host in 0..HOSTS {
        let site = Site::new(1, host);
        let asked: HashSet<&str> =
            site.captures.iter().filter_map(|c| c.url.strip_suffix("/robots.txt")).collect();
        let expected: HashSet<&str> = site.expected.iter().map(|(o, _)| o.as_str()).collect();
        assert_eq!(asked, expected, "host {host}");
        assert_eq!(expected.len(), site.expected.len(), "host {host}");
        assert!(site.captures.is_sorted_by_key(|capture| capture.at), "host {host}");
        // `--robots-dir` has one file for both schemes.
        let mut of_authority = HashMap::new();
        for (origin, expected) in &site.expected {
            let authority = origin.split_once("://").expect("a scheme").1;
            let known = *of_authority.entry(authority).or_insert(*expected);
            assert_eq!(known, *expected, "host {host}");
            *kinds
                .entry(match expected {
                    Expected::Rules(Text::Robots(_)) => "rules",
                    Expected::Rules(Text::Page(_)) => "page",
                    Expected::AllowAll => "allow",
                    Expected::DisallowAll => "disallow",
                    Expected::Unknown => "unknown",
                })
                .or_default() += 1;
        }
    }
    println!("{kinds:?}");
    assert_eq!(kinds.len(), 5);
}

/// The records of a plain archive: type, target and block.
fn records(mut archive: &[u8]) -> Vec<(String, String, Vec<u8>)> {
    let mut records = Vec::new();
    while !archive.is_empty() {
        let end = archive.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let head = std::str::from_utf8(&archive[..end]).expect("a head in UTF-8");
        let mut lines = head.split("\r\n");
        assert_eq!(lines.next(), Some("WARC/1.0"));
        let fields: HashMap<&str, &str> =
            lines.map(|line| line.split_once(": ").expect("a field")).collect();
        let length: usize = fields["Content-Length"].parse().expect("a length");
        let block = &archive[end + 4..][..length];
        let target = fields.get("WARC-Target-URI").copied().unwrap_or_default();
        records.push((fields["WARC-Type"].to_owned(), target.to_owned(), block.to_vec()));
        archive = archive[end + 4 + length..].strip_prefix(b"\r\n\r\n").expect("an end");
    }
    records
}

/// The body of an HTTP response, decoded.
fn body(block: &[u8]) -> Vec<u8> {
    let end = block.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
    let (head, mut content) = (&block[..end], block[end + 4..].to_vec());
    let head = std::str::from_utf8(head).expect("a head in UTF-8");
    let has = |field: &str| head.lines().any(|line| line == field);
    if has("Transfer-Encoding: chunked") {
        let (mut left, mut whole) = (&content[..], Vec::new());
        loop {
            let line = left.windows(2).position(|two| two == b"\r\n").expect("a size");
            let size = std::str::from_utf8(&left[..line]).expect("a size");
            let size = usize::from_str_radix(size, 16).expect("a size");
            whole.extend_from_slice(&left[line + 2..][..size]);
            left = &left[line + 2 + size + 2..];
            if size == 0 {
                break;
            }
        }
        assert!(left.is_empty());
        content = whole;
    }
    if has("Content-Encoding: gzip") {
        let mut whole = Vec::new();
        flate2::read::GzDecoder::new(&content[..]).read_to_end(&mut whole).expect("gzip");
        content = whole;
    }
    content
}

#[test]
fn records_hold_the_captures_and_their_bodies() {
    const HOSTS: u64 = 3_000;
    let mut of_url: HashMap<String, Vec<Vec<u8>>> = HashMap::new();
    let mut kinds: HashMap<String, u32> = HashMap::new();
    for (kind, target, block) in records(&archive(HOSTS, 0, 1, false)) {
        *kinds.entry(kind.clone()).or_default() += 1;
        if kind == "response" && block.starts_with(b"HTTP/1.1 200 OK\r\n") {
            of_url.entry(target).or_default().push(body(&block));
        }
    }
    println!("{kinds:?}");
    assert_eq!(kinds["warcinfo"], 1);
    assert!(["request", "revisit", "metadata"].iter().all(|kind| kinds[*kind] > 0));
    let mut expected: HashMap<String, Vec<Vec<u8>>> = HashMap::new();
    for capture in (0..HOSTS).flat_map(|host| Site::new(1, host).captures) {
        if let Reply::Text(text) = capture.reply {
            expected.entry(capture.url).or_default().push(text.bytes(1));
        }
    }
    assert!(of_url == expected, "the bodies differ");
}

#[test]
fn gzip_holds_the_same_records_member_by_member() {
    let plain = archive(300, 0, 1, false);
    let packed = archive(300, 0, 1, true);
    let mut whole = Vec::new();
    flate2::read::MultiGzDecoder::new(&packed[..]).read_to_end(&mut whole).expect("gzip");
    assert!(whole == plain);
    let mut first = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut first).expect("gzip");
    assert_eq!(records(&first).len(), 1);
}

#[test]
fn files_share_the_captures_and_all_files_together_have_all() {
    let whole = records(&archive(500, 0, 1, false));
    let mut parts = Vec::new();
    for file in 0..3 {
        let part = records(&archive(500, file, 3, false));
        assert!(part.len() * 5 > whole.len(), "{} of {}", part.len(), whole.len());
        parts.extend(part);
    }
    let sort = |mut records: Vec<(String, String, Vec<u8>)>| {
        records.retain(|(kind, ..)| kind != "warcinfo");
        records.sort();
        records
    };
    assert!(sort(parts) == sort(whole));
}

#[test]
fn as_many_hosts_as_captures_need() {
    let captures = |hosts: u64| -> u64 {
        (0..hosts).map(|host| Site::new(5, host).captures.len() as u64).sum()
    };
    let hosts = hosts_of(5, 1_000);
    assert!(captures(hosts) >= 1_000 && captures(hosts - 1) < 1_000);
}
