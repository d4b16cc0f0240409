//! The runners of conformance/ for parsers in Rust: `conformance PARSER CASES` prints `id<TAB>answer` for each case.
//!
//! Each parser is asked through its best public use. What it cannot be asked is `?` with the reason.

use std::io::Write;

use base64::Engine as _;
use futures_util::FutureExt;
use robotsieve::{Crawler, Profile, Robots};
use serde_json::Value;

/// A file, the crawler's one name, and a URL: allowed, or why the parser cannot be asked.
type Judge = fn(&[u8], &str, &str) -> Result<bool, &'static str>;

const PARSERS: [(&str, Judge); 5] = [
    ("texting_robots", |file, name, url| {
        let robot = texting_robots::Robot::new(name, file).map_err(|_| "refuses the file")?;
        Ok(robot.allowed(url))
    }),
    ("robotxt", |file, name, url| Ok(robotxt::Robots::parse(file, name).is_allowed(path_of(url)?))),
    ("robotstxt", |file, name, url| {
        let text = std::str::from_utf8(file).map_err(|_| "takes text")?;
        Ok(robotstxt::DefaultMatcher::default().one_agent_allowed_by_robots(text, name, url))
    }),
    ("fast_robots", |file, name, url| {
        let robots = fast_robots::RobotsTxt::parse_bytes(file).map_err(|_| "refuses the file")?;
        Ok(robots.is_allowed(name, path_of(url)?))
    }),
    ("cylon", |file, name, url| {
        // What is read from memory is always ready.
        let compiled = cylon::Compiler::new(name).compile(file).now_or_never().expect("ready");
        Ok(compiled.map_err(|_| "refuses the file")?.allow(path_of(url)?))
    }),
];

/// For parsers that take a path.
fn path_of(url: &str) -> Result<&str, &'static str> {
    let Some(authority) = url.find("://") else {
        return if url.starts_with('/') { Ok(url) } else { Err("takes a path") };
    };
    let behind = &url[authority + 3..];
    let path = behind.find('/').map_or("/", |at| &behind[at..]);
    Ok(path.split('#').next().unwrap_or(path))
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [parser, path] = &arguments[..] else { panic!("conformance PARSER CASES") };
    let text = std::fs::read(path).expect("the cases can be read");
    let suite: Value = serde_json::from_slice(&text).expect("the cases are JSON");
    let mut out = std::io::stdout().lock();
    for case in suite["cases"].as_array().expect("cases") {
        let answer = match parser.strip_prefix("robotsieve:") {
            Some(profile) => of_robotsieve(profile, case),
            None => of_peer(parser, case),
        };
        writeln!(out, "{}\t{answer}", case["id"].as_str().expect("an id"))
            .expect("standard output is open");
    }
}

fn of_peer(parser: &str, case: &Value) -> String {
    let judge = PARSERS.iter().find(|(name, _)| *name == parser).expect("a known parser").1;
    let [name] = &names(case)[..] else { return "? takes one name".to_owned() };
    let Ok(url) = String::from_utf8(bytes(case, "url")) else { return "? takes text".to_owned() };
    let file = bytes(case, "robots");
    // Some panic.
    match std::panic::catch_unwind(|| judge(&file, name, &url)) {
        Ok(Ok(true)) => "allow".to_owned(),
        Ok(Ok(false)) => "disallow".to_owned(),
        Ok(Err(reason)) => format!("? {reason}"),
        Err(_) => "? panics".to_owned(),
    }
}

fn of_robotsieve(profile: &str, case: &Value) -> String {
    let profile =
        Profile::NAMED.iter().find(|(name, _)| *name == profile).expect("a named profile").1;
    let crawler = match case["user_agent"].as_str() {
        Some(header) => Crawler::from_user_agent(header),
        None => Crawler::names(names(case)),
    };
    let file = bytes(case, "robots");
    let policy = Robots::parse(&robotsieve::text_of(&file, &profile), &profile).policy(&crawler);
    match policy.is_allowed(&bytes(case, "url")) {
        Ok(true) => "allow",
        Ok(false) => "disallow",
        Err(_) => "invalid",
    }
    .to_owned()
}

fn names(case: &Value) -> Vec<&str> {
    let names = case["crawler"].as_array().into_iter().flatten();
    names.map(|name| name.as_str().expect("a name")).collect()
}

/// A field as text, or in base64 where it is no text.
fn bytes(case: &Value, field: &str) -> Vec<u8> {
    match case[field].as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => {
            let encoded =
                case[&format!("{field}_base64")].as_str().expect("the field, or in base64");
            base64::prelude::BASE64_STANDARD.decode(encoded).expect("base64")
        }
    }
}
