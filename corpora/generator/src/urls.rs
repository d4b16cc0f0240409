//! URLs of an invented host; a third of them aim at the host's own rules.

use crate::hosts::robots;
use crate::names::host_name;
use crate::rng::Rng;
use crate::words::{ESCAPED, EXTENSIONS, NOUNS, PARAMETERS, SECTIONS, slug};

/// The stream of the first URL; the number of the URL is added.
const STREAM_URL: u64 = 1 << 32;

/// The longest path and query that is not built from a rule, in bytes.
const LONGEST_PATH: usize = 120;

/// URL number `number` of host number `host`, as an absolute `https` URL.
///
/// About a third are built from the rules of [`robots`]`(seed, host)` and hit or just miss them. The
/// others are plausible paths of 10 to 120 bytes, a few with queries and percent-escapes. Cost:
/// O(size of the host's file) for that third, O(length) for the others.
///
/// ```
/// let url = robotsieve_corpora::url(1, 17, 0);
/// assert!(url.starts_with(b"https://host-17.example/"));
/// ```
pub fn url(seed: u64, host: u64, number: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed, host, STREAM_URL.wrapping_add(number));
    let path = if rng.below(3) == 0 { near_a_rule(&mut rng, &robots(seed, host)) } else { None };
    let path = path.unwrap_or_else(|| plausible_path(&mut rng));
    let mut url = format!("https://{}", host_name(host)).into_bytes();
    url.extend_from_slice(&path);
    url
}

/// A path that one of the file's rules matches or nearly matches; `None` if the file has no rule.
fn near_a_rule(rng: &mut Rng, robots: &[u8]) -> Option<Vec<u8>> {
    let patterns: Vec<&[u8]> = robots.split(|&byte| byte == b'\n').filter_map(rule_value).collect();
    if patterns.is_empty() {
        return None;
    }
    let pattern = patterns[rng.below(patterns.len() as u64) as usize];
    let mut path = Vec::new();
    let end = pattern.strip_suffix(b"$");
    for &byte in end.unwrap_or(pattern) {
        if byte != b'*' {
            path.push(byte);
        } else if rng.percent(80) {
            path.extend_from_slice(rng.pick(NOUNS).as_bytes());
        }
    }
    match rng.below(10) {
        // A near miss: the last byte is missing or different.
        0 if path.len() > 1 => {
            path.pop();
        }
        1 if path.len() > 1 => {
            path.pop();
            path.push(b'_');
        }
        // A miss by case.
        2 => path.make_ascii_uppercase(),
        // A miss by an extra folder at the start.
        3 => {
            let mut moved = format!("/{}", rng.pick(NOUNS)).into_bytes();
            moved.extend_from_slice(&path);
            path = moved;
        }
        // A hit with something after it (a miss if the rule ends in `$`).
        4..8 => path.extend_from_slice(slug(rng).as_bytes()),
        _ => {}
    }
    Some(path)
}

/// The value of a rule line, if it begins with a slash.
fn rule_value(line: &[u8]) -> Option<&[u8]> {
    let value = line.strip_prefix(b"Disallow: ").or_else(|| line.strip_prefix(b"Allow: "))?;
    let value = value.trim_ascii_end();
    value.starts_with(b"/").then_some(value)
}

/// A path of 10 to 120 bytes, of the kind that fills a frontier.
fn plausible_path(rng: &mut Rng) -> Vec<u8> {
    let mut path = String::new();
    if rng.percent(20) {
        path.push_str(rng.pick(&["/en", "/de", "/fr", "/nl", "/es", "/us"]));
    }
    if rng.percent(12) {
        path.push_str(&format!("/20{:02}/{:02}", 5 + rng.below(21), 1 + rng.below(12)));
    }
    for _ in 0..1 + rng.below(3) {
        path.push('/');
        path.push_str(if rng.percent(60) { rng.pick(SECTIONS) } else { rng.pick(NOUNS) });
    }
    if rng.percent(70) {
        path.push('/');
        path.push_str(&slug(rng));
    }
    if rng.percent(6) {
        path.push('/');
        path.push_str(rng.pick(ESCAPED));
    }
    match rng.below(10) {
        0..3 => path.push_str(&format!(".{}", rng.pick(EXTENSIONS))),
        3..6 => path.push('/'),
        _ => {}
    }
    if rng.percent(14) {
        path.push_str(&format!("?{}={}", rng.pick(PARAMETERS), rng.pick(NOUNS)));
        for _ in 0..rng.below(3) {
            path.push_str(&format!("&{}={}", rng.pick(PARAMETERS), rng.below(500)));
        }
    }
    while path.len() < 10 {
        path.push_str(&format!("/{}", rng.pick(NOUNS)));
    }
    if path.len() > LONGEST_PATH {
        path.truncate(LONGEST_PATH);
        // Do not cut an escape in two.
        if let Some(percent) = path.rfind('%').filter(|&at| at + 3 > path.len()) {
            path.truncate(percent);
        }
    }
    path.into_bytes()
}
