//! `robotsieve explain` with a store, and `store get`.

use std::path::{Path, PathBuf};

use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{
    CachedCopy, Cause, Failure, LocalFault, LocalKind, OriginState, Outcome,
};
use robotsieve_client::store::Store;
use serde_json::Value;

use crate::command::schema::Schema;
use crate::command::{Folder, Ran, run, run_with};

const DAY: u64 = 24 * 60 * 60;
/// 2026-11-20T00:00:00Z.
const NOW: u64 = 1_795_132_800;
const NOW_TEXT: &str = "2026-11-20T00:00:00Z";

const RULES: &[u8] = b"User-agent: FooBot\nDisallow: /private\nAllow: /private/*.html$\n\n\
                       User-agent: *\nDisallow: /\nCrawl-delay: 2\nRequest-rate: 1/5s\n";

fn copy(body: &[u8], age: u64) -> CachedCopy {
    CachedCopy::new(body, Timestamp(NOW - age))
}

/// An origin that has been failing for some time.
fn failing(age: u64, failures: u32, copy: Option<CachedCopy>) -> OriginState {
    let cause = Cause::Status(503);
    let mut state = OriginState::new(Timestamp(NOW - 60), Outcome::Unreachable(cause));
    state.unreachable_since = Some(Timestamp(NOW - age));
    state.failures = failures;
    state.copy = copy;
    state
}

fn absent(status: u16, age: u64) -> OriginState {
    OriginState::new(Timestamp(NOW - age), Outcome::Absent(Cause::Status(status)))
}

fn local_fault(copy: Option<CachedCopy>) -> OriginState {
    let fault = LocalFault::new(LocalKind::Route, "");
    let cause = Cause::Failure(Failure::Local(fault));
    let mut state = OriginState::new(Timestamp(NOW - 60), Outcome::Unreachable(cause));
    state.copy = copy;
    state
}

/// A store with a site in every state. The body is that of the copy, if there is one.
fn store(folder: &Folder) -> (PathBuf, Vec<String>) {
    let long = [RULES, &b"Disallow: /z\n".repeat(50_000)].concat();
    let cut = &long[..512_000 - 512_000 % 13];
    let mut truncated = copy(cut, 7_200);
    truncated.is_truncated = true;
    truncated.final_url = Some("https://www.cut.example/robots.txt".into());
    let mut answering = failing(40 * DAY, 9, None);
    answering.site_answered = Some(Timestamp(NOW - 120));
    let resolver = Failure::Dns("no such host".into());
    let mut nameless = failing(60, 1, None);
    nameless.last = Outcome::Unreachable(Cause::Failure(resolver));
    let states: Vec<(&str, OriginState, Option<&[u8]>)> = vec![
        ("fresh", OriginState::present(copy(RULES, 3_600)), Some(RULES)),
        ("expired", OriginState::present(copy(RULES, 3 * DAY)), Some(RULES)),
        (
            "future",
            OriginState::present(CachedCopy::new(RULES, Timestamp(NOW + 9 * DAY))),
            Some(RULES),
        ),
        ("cut", OriginState::present(truncated), Some(cut)),
        ("empty", OriginState::present(copy(b"", 60)), Some(b"")),
        ("html", OriginState::present(copy(b"<html>Disallow: /", 60)), Some(b"<html>Disallow: /")),
        ("absent", absent(404, 60), None),
        ("oldabsent", absent(410, 3 * DAY), None),
        ("denied", absent(403, 60), None),
        ("slow", absent(429, 60), None),
        ("down", failing(60, 1, None), None),
        ("nameless", nameless, None),
        ("downtoday", failing(20 * 3_600, 4, None), None),
        ("downweek", failing(7 * DAY, 9, None), None),
        ("downmonth", failing(40 * DAY, 9, None), None),
        ("downfew", failing(40 * DAY, 2, None), None),
        ("answering", answering, None),
        ("downcopy", failing(60, 1, Some(copy(RULES, 3_600))), Some(RULES)),
        ("downstale", failing(60, 1, Some(copy(RULES, 3 * DAY))), Some(RULES)),
        ("downweekcopy", failing(7 * DAY, 9, Some(copy(RULES, 8 * DAY))), Some(RULES)),
        ("downmonthcopy", failing(40 * DAY, 9, Some(copy(RULES, 41 * DAY))), Some(RULES)),
        ("local", local_fault(None), None),
        ("localcopy", local_fault(Some(copy(RULES, 3_600))), Some(RULES)),
    ];
    let path = folder.path("robots.store");
    let store = Store::open(&path).unwrap();
    for (name, state, body) in &states {
        store.put(&format!("https://{name}.example"), state, *body).unwrap();
    }
    drop(store);
    (path, states.iter().map(|(name, ..)| format!("{name}.example")).collect())
}

fn schema() -> Schema {
    let ran = run(args!["schema"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "test with --all-features");
    Schema::of(str::from_utf8(&ran.out).unwrap())
}

fn lines(ran: &Ran) -> Vec<Value> {
    let text = std::str::from_utf8(&ran.out).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What `explain` says is what `filter --store` says, for every state, profile and time.
#[test]
fn verdicts_are_those_of_filter() {
    let folder = Folder::new();
    let (path, hosts) = store(&folder);
    let mut urls: Vec<String> = Vec::new();
    for host in &hosts {
        for rest in ["", "/private/x", "/private/x.html", "/robots.txt", ";x/private"] {
            urls.push(format!("https://{host}{rest}"));
        }
    }
    let others = [
        "/x",
        "e.com",
        "https://none.example/",
        "http://fresh.example/",
        "gopher://e.com/",
        "https://",
        "https://[x/",
        "HTTPS://Fresh.Example:443/private",
        "https://me@fresh.example/a",
    ];
    urls.extend(others.map(str::to_owned));
    let input = urls.join("\n") + "\n";
    let schema = schema();
    let profiles = ["rfc9309", "google", "google-classic", "original-1994"];
    let (mut seen, mut compared) = (Vec::new(), 0);
    for as_of in [NOW_TEXT, "2026-11-19T12:00:00Z", "2026-11-20T12:00:00Z", "2026-12-30"] {
        for agent in ["FooBot", "OtherBot"] {
            let options = |profile: &str| args!["--profile", profile, "--as-of", as_of];
            let mut by_profile = Vec::new();
            for profile in profiles {
                let filter = args!["filter", "--store", &path, "--agent", agent, "--format", "tsv"];
                let ran = run_with(filter.into_iter().chain(options(profile)), input.as_bytes());
                let said = String::from_utf8(ran.out).unwrap();
                let verdict = |line: &str| line.split('\t').next().unwrap().to_owned();
                let wanted: Vec<String> = said.lines().map(verdict).collect();
                assert_eq!(wanted.len(), urls.len());

                let explain = args!["explain", "--format", "jsonl"].into_iter();
                let explain = explain.chain(options(profile)).chain(args![&path, agent, "-"]);
                let explained = lines(&run_with(explain, input.as_bytes()));
                assert_eq!(explained.len(), urls.len());
                for ((url, wanted), line) in urls.iter().zip(&wanted).zip(&explained) {
                    assert_eq!(schema.errors(line), [""; 0], "{line}");
                    let verdict = &line["verdict"];
                    assert_eq!(verdict, wanted, "{url} {agent} {profile} {as_of}: {line}");
                    let reason = line["reason"].as_str().unwrap().to_owned();
                    if !seen.contains(&reason) {
                        seen.push(reason);
                    }
                }
                // The texts say the same.
                let explain = args!["explain"].into_iter();
                let explain = explain.chain(options(profile)).chain(args![&path, agent, "-"]);
                let text = String::from_utf8(run_with(explain, input.as_bytes()).out).unwrap();
                let starts = ["allow: ", "disallow: ", "unknown: ", "invalid: "];
                let starts_so = |line: &str| starts.iter().any(|start| line.starts_with(start));
                let verdict = |line: &str| line.split(':').next().unwrap().to_owned();
                let said: Vec<String> =
                    text.lines().filter(|l| starts_so(l)).map(verdict).collect();
                assert_eq!(said, wanted);
                by_profile.push(wanted);
            }
            let explain = args!["explain", "--all-profiles", "--format", "jsonl", "--as-of", as_of];
            let explain = explain.into_iter().chain(args![&path, agent, "-"]);
            let explained = lines(&run_with(explain, input.as_bytes()));
            for (number, line) in explained.iter().enumerate() {
                assert_eq!(schema.errors(line), [""; 0], "{line}");
                for (at, wanted) in by_profile.iter().enumerate() {
                    let said = &line["explanations"][at];
                    assert_eq!(said["profile"], profiles[at]);
                    assert_eq!(said["verdict"], wanted[number], "{} {as_of}", urls[number]);
                }
                let by_rules = |why: &Value| !why["selection"].is_null();
                compared +=
                    usize::from(line["explanations"].as_array().unwrap().iter().all(by_rules));
            }
        }
    }
    seen.sort_unstable();
    assert_eq!(
        seen,
        ["invalid-url", "no-group", "no-match", "robots-txt", "rule", "site", "unknown-site"]
    );
    assert!(compared > 100, "{compared}");
}

fn text(path: &Path, options: &[&str], url: &str) -> (i32, String) {
    let options = options.iter().map(Into::into);
    let explain = args!["explain", "--as-of", NOW_TEXT].into_iter().chain(options);
    let ran = run(explain.chain(args![path, "FooBot", url]));
    (ran.status, String::from_utf8(ran.out).unwrap())
}

#[test]
fn text_begins_with_what_the_store_knows() {
    let folder = Folder::new();
    let (path, _) = store(&folder);
    let say = |url: &str, status: i32, parts: &[&str]| {
        let (got, out) = text(&path, &[], url);
        let flat = out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(got, status, "{out}");
        let mut rest = &flat[..];
        for part in parts {
            let at = rest.find(part).unwrap_or_else(|| panic!("no {part:?} in order in\n{out}"));
            rest = &rest[at + part.len()..];
        }
    };
    say(
        "https://fresh.example/private/x",
        1,
        &[
            "site: https://fresh.example",
            "fetched 2026-11-19T23:00:00Z (1h ago) from https://fresh.example/robots.txt",
            "this holds until 2026-11-20T23:00:00Z",
            "disallow: FooBot, https://fresh.example/private/x (profile rfc9309)",
            "--> https://fresh.example/robots.txt:2:11",
            "Disallow: /private",
        ],
    );
    say(
        "https://expired.example/",
        0,
        &[
            "fetched 2026-11-17T00:00:00Z (3days ago)",
            "this expired at 2026-11-18T00:00:00Z; it is used until the site is asked again",
        ],
    );
    say(
        "https://cut.example/",
        0,
        &[
            "fetched 2026-11-19T22:00:00Z (2h ago) from https://www.cut.example/robots.txt",
            "incomplete: cut at the fetcher's size limit after a whole line, or sent as a part; 511992 bytes are here",
        ],
    );
    say(
        "https://absent.example/private/x",
        0,
        &[
            "last asked 2026-11-19T23:59:00Z (1m ago): HTTP 404",
            "everything is allowed: it has no robots.txt",
            "this holds until 2026-11-20T23:59:00Z",
            "allow: FooBot",
            "everything is allowed: it has no robots.txt",
        ],
    );
    say(
        "https://downstale.example/",
        0,
        &["the rules apply: its last robots.txt, while it is unreachable", "unreachable since"],
    );
    say(
        "https://down.example/",
        1,
        &[
            "last asked 2026-11-19T23:59:00Z (1m ago): HTTP 503",
            "unreachable since 2026-11-19T23:59:00Z: 1 failure in a row",
            "nothing is allowed: its robots.txt is unreachable and no copy is held",
            "this holds until 2026-11-20T00:09:00Z; the site may be asked again at 2026-11-20T00:04:00Z",
            "disallow: FooBot",
        ],
    );
    say("https://down.example/robots.txt", 0, &["robots.txt itself may always be fetched"]);
    say(
        "https://none.example/",
        1,
        &["unknown: FooBot, https://none.example/", "is not in the store"],
    );
    say("/private", 2, &["invalid: /private", "with a store a URL is scheme://host/path"]);
    let (status, out) = text(&path, &["--all-profiles"], "https://downstale.example/private/x");
    assert_eq!(status, 1, "{out}");
    assert!(out.matches("site: ").count() >= 2, "{out}");
    let end = "not the same policy applies in all of them\n";
    assert!(out.ends_with(end) || out.contains("all profiles say disallow"), "{out}");
    let (_, out) = text(&path, &["--all-profiles"], "https://fresh.example/private/x");
    assert_eq!(out.matches("site: ").count(), 1, "{out}");
    assert!(out.contains("all profiles say disallow, by line 2"), "{out}");
}

#[test]
fn what_a_store_is_not_for() {
    let folder = Folder::new();
    let (path, _) = store(&folder);
    let robots = folder.file("robots.txt", RULES);
    let url = "https://fresh.example/";
    run(args!["explain", "--record", "--denied", "disallow", &path, "FooBot", url])
        .fails(2, "--denied is not for --record");
    run(args!["explain", "--as-of", "1day", &robots, "FooBot", url])
        .fails(2, "--as-of is for a store");
    run(args!["check", &path, "FooBot", url]).fails(3, "it is a store of robots.txt files");
    let ran = run(args!["explain", &path, "FooBot", "/x"]);
    ran.says("'/x' is invalid: with a store a URL is scheme://host/path");
    assert_eq!(ran.status, 2);
    // A name that is that of a store or of a host.
    run(args!["explain", "nope.store", "FooBot", url])
        .fails(3, "cannot read robots.txt 'nope.store'")
        .says("if a store is meant, check its path; a URL is written like https://nope.store/robots.txt");
    // A redb database that is no store, and a damaged store.
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.truncate(5_000);
    let damaged = folder.file("damaged.store", bytes);
    run(args!["explain", damaged, "FooBot", url]).fails(3, "damaged.store");
}

#[test]
fn get_shows_cuts_and_the_pace() {
    let folder = Folder::new();
    let (path, _) = store(&folder);
    let get = |host: &str, options: &[&str]| {
        let options = options.iter().map(Into::into);
        let url = format!("https://{host}.example/");
        let ran = run(args!["store", "get"].into_iter().chain(options).chain(args![&path, url]));
        assert_eq!(ran.status, 0, "{ran:?}");
        String::from_utf8(ran.out).unwrap()
    };
    assert!(get("cut", &[]).contains("\ncut\tyes\n"));
    let out = get("fresh", &["--agent", "OtherBot"]);
    assert!(out.contains("\ncut\tno\n"), "{out}");
    assert!(out.ends_with("crawl_delay\t2s\nrequest_rate\t1/5s\n"), "{out}");
    assert!(!get("fresh", &["--agent", "FooBot"]).contains("crawl_delay"));
    assert!(!get("absent", &["--user-agent", "OtherBot/1.0"]).contains("crawl_delay"));
}
