//! `robotsieve rights --warc`: which documents count for a page of which time, and revisits.

use serde_json::Value;

use crate::command::{Folder, run};

/// A record with an HTTP answer.
fn record(kind: &str, date: &str, url: &str, more: &str, head: &str, body: &str) -> String {
    let block =
        if head.is_empty() { String::new() } else { format!("HTTP/1.1 {head}\r\n\r\n{body}") };
    format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Date: {date}\r\nWARC-Target-URI: {url}\r\n{more}\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

fn response(date: &str, url: &str, head: &str, body: &str) -> String {
    record("response", date, url, "", head, body)
}

/// The rows of archives, and the exit status.
fn rows(records: &[String], more: &[&str]) -> (i32, Vec<Value>) {
    let folder = Folder::of(&[]);
    let path = folder.file("a.warc", records.concat());
    let args = args!["rights", "--agent", "a", "--warc", path];
    let ran = run(args.into_iter().chain(more.iter().map(Into::into)));
    let lines = String::from_utf8(ran.out).unwrap();
    (ran.status, lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn row_of(records: &[String], url: &str, more: &[&str]) -> Value {
    let (_, rows) = rows(records, more);
    rows.into_iter().rfind(|row| row["url"] == url).unwrap()
}

const PAGE: &str = "https://e.com/a";
const ROBOTS: &str = "https://e.com/robots.txt";
const TDM: &str = "https://e.com/.well-known/tdmrep.json";
const HTML: &str = "200 OK\r\nContent-Type: text/html";

fn says(signals: &str) -> String {
    format!("User-agent: *\nContent-Signal: {signals}\n")
}

/// What was in force when the page was fetched counts: no later refusal, unless that is asked for, and
/// never a later grant.
#[test]
fn the_robots_txt_of_the_time_of_the_page_counts() {
    let old = |signals| response("2024-01-01T00:00:00Z", ROBOTS, "200 OK", &says(signals));
    let new = |signals| response("2026-01-01T00:00:00Z", ROBOTS, "200 OK", &says(signals));
    let page = |date: &str| response(date, PAGE, HTML, "<p>");
    let asked = |first, second, date: &str, more: &[&str]| {
        let row = row_of(&[new(second), page(date), old(first)], PAGE, more);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let document = &row["documents"][0];
        let notes = row["notes"].as_array().into_iter().flatten().map(text);
        let notes: Vec<String> =
            notes.filter(|note| note.contains("er-") || note.contains("document")).collect();
        (
            text(&row["ai-train"]),
            document["age_seconds"].as_i64().unwrap(),
            text(&document["fit"]),
            notes.join(" "),
        )
    };
    let (yes, no) = ("ai-train=yes", "ai-train=no");
    let gives = |ruling: &str, age, fit: &str, notes: &str| {
        (ruling.to_owned(), age, fit.to_owned(), notes.to_owned())
    };
    let same_day = "2024-01-01T00:10:00Z";
    let day = 86_400;
    assert_eq!(asked(yes, no, same_day, &[]), gives("allow", 600, "current", ""));
    assert_eq!(asked(no, yes, same_day, &[]), gives("disallow", 600, "current", ""));
    let later = &["--and-later-refusals"];
    assert_eq!(asked(yes, no, same_day, later), gives("disallow", 600, "current", "later-refusal"));
    assert_eq!(asked(no, yes, same_day, later), gives("disallow", 600, "current", ""));
    assert_eq!(asked("search=no", yes, same_day, later), gives("unknown", 600, "current", ""));
    let newest = &["--as-of", "newest"];
    assert_eq!(asked(yes, no, same_day, newest).0, "disallow");
    assert_eq!(asked(yes, no, "2026-01-01T00:00:01Z", &[]), gives("disallow", 1, "current", ""));
    // The nearest, if none was in force.
    assert_eq!(
        asked(yes, no, "2024-01-11", &[]),
        gives("allow", 10 * day, "older", "document-older")
    );
    assert_eq!(
        asked(yes, no, "2025-12-31", &[]),
        gives("disallow", -day, "later", "document-later")
    );
    assert_eq!(asked(yes, no, "2023-12-31", &[]), gives("allow", -day, "later", "document-later"));
}

/// The same holds for tdmrep.json and licences, also where a redirect leads to them.
#[test]
fn documents_of_the_time_of_the_page_count() {
    let rule = |reserved| format!("[{{\"location\":\"/\",\"tdm-reservation\":{reserved}}}]");
    let tdm = |date: &str, url: &str, reserved| response(date, url, "200 OK", &rule(reserved));
    let robots = response("2024-01-01", ROBOTS, "200 OK", "User-agent: *\nAllow: /\n");
    let page = response("2024-01-01T01:00Z", PAGE, HTML, "<p>");
    let training = |records: &[String], more: &[&str]| {
        let all = [&[robots.clone(), page.clone()], records].concat();
        row_of(&all, PAGE, more)["ai-train"].as_str().unwrap().to_owned()
    };
    let (then, now) = ("2024-01-01T00:30Z", "2026");
    assert_eq!(training(&[tdm(now, TDM, 1), tdm(then, TDM, 0)], &[]), "allow");
    assert_eq!(training(&[tdm(now, TDM, 0), tdm(then, TDM, 1)], &[]), "disallow");
    let later = ["--and-later-refusals"];
    assert_eq!(training(&[tdm(now, TDM, 1), tdm(then, TDM, 0)], &later), "disallow");
    assert_eq!(training(&[tdm(now, TDM, 0), tdm(then, TDM, 1)], &later), "disallow");
    // Gone later, not then; and not there yet.
    let gone = |date: &str| response(date, TDM, "404 Not Found", "");
    assert_eq!(training(&[tdm(then, TDM, 0), gone(now)], &[]), "allow");
    assert_eq!(training(&[tdm(now, TDM, 0), gone(then)], &[]), "unknown");
    let other = "https://other.com/tdm.json";
    let moved = response(then, TDM, &format!("301 Moved\r\nLocation: {other}"), "");
    assert_eq!(training(&[moved, tdm(then, other, 0), tdm(now, other, 1)], &[]), "allow");
}

/// A revisit has a row of its own: its header is its own, and its page is that of the record to which it
/// refers, wherever that stands.
#[test]
fn revisits_are_answers_of_their_own() {
    let robots = response("2024-01-01", ROBOTS, "200 OK", &says("ai-train=yes"));
    let payload = "WARC-Record-ID: <urn:uuid:b2>\r\nWARC-Payload-Digest: sha1:AB\r\n";
    let body = "<meta name=robots content=nosnippet><p>hello";
    let original = record("response", "2024-01-01T00:01Z", PAGE, payload, HTML, body);
    let revisit = |refers: &str, head: &str| {
        let revisit = record("revisit", "2024-01-01T00:02Z", PAGE, refers, head, "");
        [&robots, &revisit, &original].map(String::clone)
    };
    let own = format!(
        "{HTML}\r\nContent-Length: 60\r\nX-Robots-Tag: noindex\r\nContent-Usage: train-ai=n"
    );
    let of_revisit = |records: &[String]| {
        let (status, rows) = rows(records, &[]);
        assert_eq!((status, rows.len()), (0, 3));
        let row = rows.into_iter().find(|row| row["captured"] == "2024-01-01T00:02:00Z").unwrap();
        let of = |name: &str| row[name].as_str().unwrap().to_owned();
        ([of("page"), of("index"), of("snippet"), of("ai-train")].join(" "), row["status"].clone())
    };
    for refers in [
        "WARC-Refers-To-Date: 2024-01-01T00:01:00Z\r\n",
        "WARC-Refers-To: <urn:uuid:b2>\r\n",
        "WARC-Payload-Digest: sha1:AB\r\n",
    ] {
        let (row, status) = of_revisit(&revisit(refers, &own));
        assert_eq!((&row[..], status), ("read disallow disallow disallow", 200.into()), "{refers}");
        let (row, status) = of_revisit(&revisit(refers, HTML));
        assert_eq!((&row[..], status), ("read unknown disallow allow", 200.into()), "{refers}");
        let (row, status) = of_revisit(&revisit(refers, ""));
        assert_eq!((&row[..], status), ("read unknown disallow allow", 200.into()), "{refers}");
        let (row, status) = of_revisit(&revisit(refers, "304 Same\r\nX-Robots-Tag: noindex"));
        assert_eq!((&row[..], status), ("read disallow disallow allow", 304.into()), "{refers}");
    }
    // What is not here may say more.
    let (row, _) = of_revisit(&revisit("WARC-Refers-To: <urn:uuid:none>\r\n", &own));
    assert_eq!(row, "unreadable disallow unknown disallow");
    let (row, _) = of_revisit(&revisit("WARC-Refers-To: <urn:uuid:none>\r\n", HTML));
    assert_eq!(row, "unreadable unknown unknown unknown");
    // A revisit of tdmrep.json counts as it is.
    let free = "[{\"location\":\"/\",\"tdm-reservation\":0}]";
    let tdm =
        record("response", "2023-06-01", TDM, "WARC-Record-ID: <urn:uuid:t>\r\n", "200 OK", free);
    let again =
        |head| record("revisit", "2024-01-01", TDM, "WARC-Refers-To: <urn:uuid:t>\r\n", head, "");
    let page = response("2024-01-01T00:01Z", PAGE, HTML, "<p>");
    let empty = response("2024-01-01", ROBOTS, "200 OK", "");
    let of = |again| row_of(&[empty.clone(), again, tdm.clone(), page.clone()], PAGE, &[]);
    assert_eq!(of(again("200 OK"))["ai-train"], "allow");
    assert_eq!(of(again("200 OK"))["documents"][1]["fit"], "current");
    assert_eq!(of(again("404 Not Found"))["ai-train"], "unknown");
    assert_eq!(of(again("503 Busy"))["ai-train"], "unknown");
}

/// One host never gets another's rules, in a pack, a store, and in rights.
#[test]
fn revisits_of_another_host() {
    let moved = |to: &str| format!("301 Moved Permanently\r\nLocation: {to}");
    let theirs = "WARC-Refers-To-Target-URI: http://b.example/robots.txt\r\n\
        WARC-Refers-To-Date: 2024-03-01T00:00:00Z\r\nWARC-Truncated: length\r\n";
    let at = |second: u32| format!("2024-03-01T00:00:0{second}Z");
    let records = [
        response(
            &at(0),
            "http://b.example/robots.txt",
            &moved("https://b.example/robots.txt"),
            "<html>",
        ),
        response(&at(1), "https://b.example/robots.txt", "200 OK", "User-agent: *\nDisallow:\n"),
        record(
            "revisit",
            &at(2),
            "http://a.example/robots.txt",
            theirs,
            &moved("https://a.example/robots.txt"),
            "",
        ),
        response(&at(3), "https://a.example/robots.txt", "200 OK", "User-agent: *\nDisallow: /\n"),
        record("revisit", &at(4), "http://c.example/robots.txt", theirs, "404 Not Found", ""),
        record("revisit", &at(4), "http://d.example/robots.txt", theirs, "503 Busy", ""),
        response(&at(5), "http://a.example/x", "200 OK", "x"),
    ];
    let folder = Folder::of(&[]);
    let path = folder.file("a.warc", records.concat());
    let urls = folder.file(
        "urls",
        "http://a.example/x\nhttp://b.example/x\nhttp://c.example/x\nhttp://d.example/x\n",
    );
    let (pack, store) = (folder.path("a.pack"), folder.path("a.store"));
    run(args!["pack", "--warc", &path, "--agent", "a", "-o", &pack]).gives(0, "");
    run(args!["store", "import", &store, "--warc", &path]).gives(0, "");
    let wanted = "disallow\thttp://a.example/x\nallow\thttp://b.example/x\nallow\thttp://c.example/x\n\
        disallow\thttp://d.example/x\n";
    for source in [
        args!["--pack", &pack].to_vec(),
        args!["--store", &store, "--agent", "a", "--as-of", "capture"].to_vec(),
    ] {
        let ran = run(args!["filter", "--format", "tsv", &urls].into_iter().chain(source));
        let lines = String::from_utf8(ran.out).unwrap();
        assert!(lines.ends_with(wanted), "{lines} {}", ran.err);
    }
    assert_eq!(row_of(&records, "http://a.example/x", &[])["crawl"], "disallow");
}
