//! `robotsieve rights --warc`: which documents count for a page of which time, and revisits.

use std::collections::{HashMap, HashSet};

use robotsieve_client::outcome::ContentHash;
use robotsieve_corpora::{effort, pages};
use serde_json::Value;

use crate::command::schema::Schema;
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

/// The records of `rights --warc`, each with the members of its basis.
pub(crate) fn records_of(out: &[u8]) -> Vec<Value> {
    let mut bases: HashMap<String, Value> = HashMap::new();
    let mut records = Vec::new();
    let schema = Schema::of(include_str!("../../src/schema/rights.json"));
    for (line, number) in str::from_utf8(out).unwrap().lines().zip(0..) {
        let mut line: Value = serde_json::from_str(line).unwrap();
        if number < 100 {
            assert_eq!(schema.errors(&line), [""; 0], "{line}");
        }
        match line["digest"].as_str().map(str::to_owned) {
            Some(digest) => assert!(bases.insert(digest, line).is_none(), "each basis once"),
            None => {
                let basis = bases[line["basis"].as_str().unwrap()].as_object().unwrap().clone();
                let basis = basis.into_iter().filter(|(member, _)| member != "digest");
                line.as_object_mut().unwrap().extend(basis);
                records.push(line);
            }
        }
    }
    records
}

/// The rows of archives, and the exit status.
fn rows(records: &[String], more: &[&str]) -> (i32, Vec<Value>) {
    let folder = Folder::of(&[]);
    let path = folder.file("a.warc", records.concat());
    let args = args!["rights", "--agent", "a", "--warc", path];
    let ran = run(args.into_iter().chain(more.iter().map(Into::into)));
    (ran.status, records_of(&ran.out))
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
        assert_eq!(document["sha256"].as_str().map(str::len), Some(64));
        let notes = row["notes"].as_array().into_iter().flatten().map(text);
        let notes: Vec<String> =
            notes.filter(|note| note.contains("er-") || note.contains("document")).collect();
        (
            text(&row["ai-train"]),
            row["age_seconds"][0].as_i64().unwrap(),
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
    // What is not here may be a refusal.
    let lost = record(
        "revisit",
        "2026-01-01T00:00:00Z",
        ROBOTS,
        "WARC-Payload-Digest: sha1:LOST\r\n",
        "200 OK",
        "",
    );
    let records = [old(yes), page(same_day), lost];
    assert_eq!(row_of(&records, PAGE, &[])["ai-train"], "allow");
    assert_eq!(row_of(&records, PAGE, later)["ai-train"], "unknown");
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
    let of_other = [moved.clone(), tdm(then, other, 0), tdm(now, other, 1)];
    assert_eq!(training(&of_other, &[]), "allow");
    // The target's answer counts that is nearest to the redirect, as for robots.txt, and the record has its time.
    let of_times = |times: &[(&str, u8)]| {
        let answers = times.iter().map(|(date, reserved)| tdm(date, other, *reserved));
        let all = [robots.clone(), page.clone(), moved.clone()].into_iter().chain(answers);
        let row = row_of(&all.collect::<Vec<_>>(), PAGE, &[]);
        let document = row["documents"][1].clone();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        [&row["ai-train"], &document["captured"], &document["fit"]].map(text).join(" ")
    };
    let nearest = [("2024-01-01T00:30:01Z", 1), ("2024-01-01T00:50:00Z", 0)];
    assert_eq!(of_times(&nearest), "disallow 2024-01-01T00:30:01Z current");
    let after = [("2024-01-01T01:30:00Z", 0)];
    assert_eq!(of_times(&after), "allow 2024-01-01T01:30:00Z later");
    // Where it led then, or leads later, something else stands later.
    assert_eq!(training(&of_other, &later), "disallow");
    assert_eq!(training(&of_other[..2], &later), "allow");
    let moves = |date: &str| response(date, TDM, &format!("301 Moved\r\nLocation: {other}"), "");
    let moved_later = [tdm(then, TDM, 0), moves("2025"), tdm(now, other, 1)];
    assert_eq!(training(&moved_later, &later), "disallow");
    // What is lost later may have refused.
    assert_eq!(training(&moved_later[..2], &later), "unknown");
    assert_eq!(training(&moved_later[..2], &[]), "allow");
    let cut = record("response", now, TDM, "WARC-Truncated: length\r\n", "200 OK", "[");
    assert_eq!(training(&[tdm(then, TDM, 0), cut], &later), "unknown");
    for (url, head, body) in [
        (TDM, "200 OK", "{"),
        (ROBOTS, "503 Busy", ""),
        (ROBOTS, "403 No", ""),
        (ROBOTS, "200 OK", "License: https://e.com/l.xml\nUser-agent: *\nAllow: /\n"),
    ] {
        let unread = response(now, url, head, body);
        assert_eq!(training(&[tdm(then, TDM, 0), unread.clone()], &later), "unknown", "{unread}");
        assert_eq!(training(&[tdm(then, TDM, 0), unread], &[]), "allow");
    }
}

/// The words are those of the version that decided, whatever another one has at the same place.
#[test]
fn words_of_later_refusals() {
    let at = |date: &str, signals: &str| response(date, ROBOTS, "200 OK", &says(signals));
    let page = response("2024-01-01T00:10Z", PAGE, HTML, "<p>");
    let quotes = |first: &str, second: &str| {
        let records = [at("2024-01-01", first), page.clone(), at("2026-01-01", second)];
        let row = row_of(&records, PAGE, &["--and-later-refusals"]);
        (row["ai-train"].clone(), row["quotes"].clone())
    };
    let quoted = |all: &[(&str, &str)]| -> Value {
        let all = all.iter();
        all.map(|(place, words)| (place.to_string(), format!("Content-Signal: {words}"))).collect()
    };
    let (line, later) = ("robots.txt:2", "robots.txt:2@2026-01-01T00:00:00Z");
    let refused = |all: &[(&str, &str)]| ("disallow".into(), quoted(all));
    assert_eq!(quotes("ai-train=yes", "ai-train=no"), refused(&[(later, "ai-train=no")]));
    let no = "ai-train=no";
    assert_eq!(quotes(no, "ai-train=no, use=full"), refused(&[(line, no)]));
    let both = [(line, "search=no, ai-train=yes"), (later, "search=yes, ai-train=no")];
    assert_eq!(quotes(both[0].1, both[1].1), refused(&both));
    assert_eq!(quotes("search=yes", "search=yes, ai-train=no").0, "disallow");
    let yes = "ai-train=yes";
    assert_eq!(quotes(yes, "search=yes"), ("allow".into(), quoted(&[(line, yes)])));
    // Behind a redirect the time is that of the file; if it stood there before the page, that of the redirect.
    let to = "https://b.example/robots.txt";
    let moved = response("2026-01-01", ROBOTS, &format!("301 Moved\r\nLocation: {to}"), "");
    for (date, time) in
        [("2026-01-02", "2026-01-02T00:00:00Z"), ("2023-01-02", "2026-01-01T00:00:00Z")]
    {
        let target = response(date, to, "200 OK", &says(no));
        let records = [at("2024-01-01", yes), page.clone(), moved.clone(), target];
        let row = row_of(&records, PAGE, &["--and-later-refusals"]);
        let document = &row["documents"][1];
        assert_eq!(
            (&document["captured"], &document["fit"]),
            (&time.into(), &"later".into()),
            "{row}"
        );
        assert_eq!(row["quotes"], quoted(&[(&format!("robots.txt:2@{time}"), no)]));
    }
}

/// A rule of tdmrep.json and a licence are quoted, too.
#[test]
fn words_of_documents() {
    let licence = "<license>\n<prohibits type='usage'>ai-train</prohibits></license>";
    let rsl = format!(
        "<rsl xmlns='https://rslstandard.org/rsl'><content url='/'>{licence}</content></rsl>"
    );
    let at = "2024-01-01";
    let robots = "License: https://e.com/l\nUser-agent: *\nAllow: /\n";
    let rule = r#"{"location":"/","tdm-reservation":1}"#;
    let records = [
        response(at, ROBOTS, "200 OK", robots),
        response(at, "https://e.com/l", "200 OK", &rsl),
        response(at, TDM, "200 OK", &format!("[ {rule} ]")),
        response("2024-01-01T00:01Z", PAGE, HTML, "<p>"),
    ];
    let quotes = row_of(&records, PAGE, &[])["quotes"].clone();
    assert_eq!(quotes["file:/.well-known/tdmrep.json:1"], rule);
    assert_eq!(quotes["rsl:https://e.com/l:1.1"], licence.replace('\n', " "));
}

/// Of long words those are quoted that decided, wherever they stand, and records that quote them verify.
#[test]
fn words_of_long_lines() {
    let at = "2024-01-01";
    let long = "x".repeat(500);
    let robots = format!(
        "User-agent: *\nContent-Usage: /?{long} train-ai=y\nContent-Usage: {long}=y, train-ai=n\n"
    );
    let rule = format!(r#"[{{"location":"/*","x":"{long}","tdm-reservation":1}}]"#);
    let head = format!("{HTML}\r\nX-Robots-Tag: noindex, {long}, noai");
    let meta = format!("<meta name=robots content='{long}, nosnippet'>");
    let records = [
        response(at, ROBOTS, "200 OK", &robots),
        response(at, TDM, "200 OK", &rule),
        response("2024-01-01T00:01Z", PAGE, &head, &meta),
    ];
    let quotes = row_of(&records, PAGE, &[])["quotes"].clone();
    for (place, ends) in [
        ("robots.txt:3", &["…x", "=y, train-ai=n"][..]),
        ("file:/.well-known/tdmrep.json:1", &["…x", "\",\"tdm-reservation\":1}"]),
        ("header:x-robots-tag:1", &["noindex, x", "x, noai"]),
        ("html:meta:1", &["…x", "x, nosnippet\">"]),
    ] {
        let quote = quotes[place].as_str().unwrap_or_else(|| panic!("{place}: {quotes}"));
        assert!(quote.starts_with(ends[0]) && quote.ends_with(ends[1]), "{quote}");
        assert!(quote.chars().count() <= 82, "{quote}");
    }
    let folder = Folder::of(&[]);
    let path = folder.file("long.warc", records.concat());
    let ran = run(args!["rights", "--agent", "a", "--warc", &path]);
    let lines = String::from_utf8(ran.out).unwrap();
    let records = folder.file("records.jsonl", &lines);
    let ran = run(args!["rights", "--verify", records, "--warc", path]);
    assert!(ran.status(0).err.contains("differ 0 missing 0"), "{}", ran.err);
}

/// An image says itself what it may be mined for, and so does a PDF.
#[test]
fn metadata_of_images_and_pdfs() {
    let packet = |value: &str| {
        format!(
            "<?xpacket begin=''?><x:xmpmeta xmlns:x='adobe:ns:meta/'>
            <r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><r:Description
            xmlns:plus='http://ns.useplus.org/ldf/xmp/1.0/'
            plus:DataMining='http://ns.useplus.org/ldf/vocab/DMI-{value}'/></r:RDF></x:xmpmeta><?xpacket end='r'?>"
        )
    };
    let robots = response("2024-01-01", ROBOTS, "200 OK", &says("ai-train=yes"));
    let of_body = |head: &str, more: &str, body: &str| {
        let payload = "WARC-Record-ID: <urn:uuid:b2>\r\n";
        let file =
            record("response", "2024-01-01T00:01Z", PAGE, &[payload, more].concat(), head, body);
        let refers = "WARC-Refers-To: <urn:uuid:b2>\r\n";
        let again = record("revisit", "2024-01-01T00:02Z", PAGE, refers, head, "");
        let (_, rows) = rows(&[robots.clone(), file, again], &[]);
        let of = |row: &Value| {
            let words =
                row["quotes"]["xmp:plus:DataMining:1"].as_str().unwrap_or_default().to_owned();
            let text = |name: &str| row[name].as_str().unwrap().to_owned();
            (format!("{} {}", text("page"), text("ai-train")), words)
        };
        let pages: Vec<_> = rows.iter().filter(|row| row["url"] == PAGE).map(of).collect();
        assert_eq!(pages[0], pages[1], "a revisit has the body of what it refers to");
        pages[0].clone()
    };
    let words = "plus:DataMining: http://ns.useplus.org/ldf/vocab/DMI-PROHIBITED";
    for kind in ["image/jpeg", "IMAGE/webp", "video/mp4", "application/pdf"] {
        let head = format!("200 OK\r\nContent-Type: {kind}");
        let row = of_body(&head, "", &packet("PROHIBITED"));
        assert_eq!(row, ("metadata disallow".to_owned(), words.to_owned()), "{kind}");
        // In a format that is not known there may be some that is compressed.
        for (body, wanted) in [
            ("GIF89a\x01\0\x01\0\0\0\0;", "metadata allow"),
            ("GIF89a", "metadata unknown"),
            ("%PDF-1.7\nstartxref\n5\n%%EOF\n", "metadata allow"),
            ("%PDF-1.7\n1 0 obj", "metadata unknown"),
            ("<svg><g/></svg>", "metadata allow"),
            ("<svg><g/>", "metadata unknown"),
            ("nothing", "metadata unknown"),
        ] {
            assert_eq!(of_body(&head, "", body).0, wanted, "{kind}");
        }
        let row = of_body(&head, "WARC-Truncated: length\r\n", "nothing");
        assert_eq!(row.0, "cut unknown", "{kind}");
    }
    for head in ["200 OK", "200 OK\r\nContent-Type: application/octet-stream"] {
        let row = of_body(head, "", &format!("%PDF-1.7 {}", packet("PROHIBITED")));
        assert_eq!(row.0, "metadata disallow", "{head}");
    }
    // Of a file of no known kind, and of a text, these are words.
    let head = "200 OK\r\nContent-Type: application/octet-stream";
    assert_eq!(of_body(head, "", &packet("PROHIBITED")).0, "not-html allow");
    assert_eq!(
        of_body("200 OK\r\nContent-Type: text/plain", "", &packet("PROHIBITED")).0,
        "not-html allow"
    );
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
    // The page of an error is not that of a 2xx.
    let refers = "WARC-Refers-To: <urn:uuid:b2>\r\n";
    let [robots_then, again, _] = revisit(refers, HTML);
    let error = "404 Not Found\r\nContent-Type: text/html";
    let gone = record("response", "2024-01-01T00:01Z", PAGE, payload, error, body);
    let (row, status) = of_revisit(&[robots_then, again, gone]);
    assert_eq!((&row[..], status), ("unreadable unknown unknown unknown", 200.into()));
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
    let tdm = record(
        "response",
        "2023-06-01",
        TDM,
        "WARC-Record-ID: <urn:uuid:t>\r\n",
        "500 Broken",
        free,
    );
    assert_eq!(row_of(&[empty, again("200 OK"), tdm, page], PAGE, &[])["ai-train"], "unknown");
}

/// One host never gets another's rules, in a pack, a store, and in rights.
#[test]
fn revisits_of_another_host() {
    let moved = |to: &str| format!("301 Moved Permanently\r\nLocation: {to}");
    let theirs = "WARC-Refers-To-Target-URI: http://b.example/robots.txt\r\n\
        WARC-Refers-To-Date: 2024-03-01T00:00:00Z\r\nWARC-Truncated: length\r\n";
    let lost = "WARC-Payload-Digest: sha1:LOST\r\n";
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
        // What is not here may have said no: what was there before no longer holds.
        response(&at(3), "http://e.example/robots.txt", "200 OK", ""),
        record("revisit", &at(4), "http://e.example/robots.txt", lost, "200 OK", ""),
        response(&at(3), "http://f.example/robots.txt", "200 OK", ""),
        response(&at(4), "http://f.example/robots.txt", &moved("https://gone.example/"), ""),
        record("revisit", &at(3), "http://g.example/robots.txt", lost, "200 OK", ""),
        response(&at(4), "http://g.example/robots.txt", "200 OK", ""),
        // A failure, or a 304, after it speaks of what is not here.
        response(&at(3), "http://h.example/robots.txt", "200 OK", ""),
        record("revisit", &at(4), "http://h.example/robots.txt", lost, "200 OK", ""),
        response(&at(5), "http://h.example/robots.txt", "503 Busy", ""),
        response(&at(3), "http://i.example/robots.txt", "200 OK", "Content-Signal: ai-train=yes\n"),
        record("revisit", &at(4), "http://i.example/robots.txt", lost, "200 OK", ""),
        record("revisit", &at(5), "http://i.example/robots.txt", "", "304 Not Modified", ""),
        response(&at(6), "http://i.example/x", "200 OK", "x"),
        // In the same second, in this order.
        record("revisit", &at(3), "http://j.example/robots.txt", lost, "200 OK", ""),
        response(&at(3), "http://j.example/robots.txt", "200 OK", ""),
    ];
    let folder = Folder::of(&[]);
    let path = folder.file("a.warc", records.concat());
    let before =
        folder.file("b.warc", [7, 9, 13, 16].map(|number: usize| &records[number][..]).concat());
    let urls = folder.file(
        "urls",
        "abcdefghij".chars().map(|host| format!("http://{host}.example/x\n")).collect::<String>(),
    );
    let (pack, store) = (folder.path("a.pack"), folder.path("a.store"));
    let (updated, both) = (folder.path("b.pack"), folder.path("b.store"));
    run(args!["pack", "--warc", &path, "--agent", "a", "-o", &pack]).gives(0, "");
    run(args!["pack", "--warc", &before, "--agent", "a", "-o", &updated]).gives(0, "");
    run(args!["pack", "update", &updated, "--warc", &path]).gives(0, "");
    // What came before does not come back.
    run(args!["pack", "update", &updated, "--warc", &before]).gives(0, "");
    run(args!["store", "import", &store, "--warc", &path]).gives(0, "");
    run(args!["store", "import", &both, "--warc", &before]).gives(0, "");
    run(args!["store", "import", &both, "--warc", &path]).gives(0, "");
    let wanted = "disallow\thttp://a.example/x\nallow\thttp://b.example/x\nallow\thttp://c.example/x\n\
        disallow\thttp://d.example/x\nunknown\thttp://e.example/x\nunknown\thttp://f.example/x\n\
        allow\thttp://g.example/x\nunknown\thttp://h.example/x\nunknown\thttp://i.example/x\n\
        unknown\thttp://j.example/x\n";
    for source in [
        args!["--pack", &pack].to_vec(),
        args!["--pack", &updated].to_vec(),
        args!["--store", &store, "--agent", "a", "--as-of", "capture"].to_vec(),
        args!["--store", &both, "--agent", "a", "--as-of", "capture"].to_vec(),
    ] {
        let ran = run(args!["filter", "--format", "tsv", &urls].into_iter().chain(source));
        let lines = String::from_utf8(ran.out).unwrap();
        assert!(lines.ends_with(wanted), "{lines} {}", ran.err);
    }
    assert_eq!(row_of(&records, "http://a.example/x", &[])["crawl"], "disallow");
    let unread = row_of(&records, "http://i.example/x", &[]);
    assert_eq!((&unread["crawl"], &unread["ai-train"]), (&"unknown".into(), &"unknown".into()));
}

/// Records prove themselves: each place stands in the archive as they say, and whatever is changed is named.
#[test]
fn records_of_many_pages() {
    let folder = Folder::of(&[]);
    let mut archive = Vec::new();
    // Without optimisation 10,000 take a minute.
    let count = if cfg!(debug_assertions) { 1_000 } else { 10_000 };
    pages::write(&mut archive, 1, count).unwrap();
    let count = count + count / 50;
    let path = folder.file("pages.warc", &archive);
    let now = "--now=2026-11-20";
    let ran = run(args!["rights", "--agent", "ExampleBot", now, "--warc", &path]);
    ran.status(0);
    let out = String::from_utf8(ran.out).unwrap();
    let (bases, records): (Vec<&str>, Vec<&str>) =
        out.lines().partition(|line| line.starts_with("{\"digest\":"));
    assert_eq!(records.len() as u64, count);
    let bytes = out.len() / records.len();
    let longest = records.iter().map(|line| line.len()).max().unwrap();
    assert!(
        bytes <= 500 && longest <= 600,
        "{bytes} bytes a record with its basis, {longest} at most"
    );
    assert!(bases.len() < records.len() / 20, "{}", bases.len());
    let verify = |records: &str, archive: &[u8]| {
        let (records, archive) =
            (folder.file("records", records), folder.file("b/pages.warc", archive));
        run(args!["rights", "--verify", records, "--warc", archive])
    };
    let ran = verify(&out, &archive);
    let told = |differ| {
        format!("robotsieve: records {count} same {} differ {differ} missing 0\n", count - differ)
    };
    assert_eq!((ran.status, ran.err), (0, told(0)));

    // The records and the words that decided stand where the record says, with the digests that it names.
    let block = |offset: &Value| {
        let record = &archive[offset.as_u64().unwrap() as usize..];
        let head = memchr::memmem::find(record, b"\r\n\r\n").unwrap() + 4;
        let end = memchr::memmem::find(record, b"\r\n\r\nWARC/1.1\r\n").unwrap_or(record.len() - 4);
        (str::from_utf8(&record[..head]).unwrap(), &record[head..end])
    };
    let hash = |bytes: &[u8]| Value::from(ContentHash::of(bytes).to_string());
    let mut quoted = HashSet::new();
    for record in records_of(out.as_bytes()).iter().step_by(7) {
        let (head, page) = block(&record["offset"]);
        assert!(head.contains(record["url"].as_str().unwrap()), "{record}");
        assert_eq!(record["sha256"], hash(page));
        let document = &record["documents"][0];
        let (head, robots) = block(&document["offset"]);
        assert!(head.contains(document["url"].as_str().unwrap()), "{record}");
        let body = memchr::memmem::find(robots, b"\r\n\r\n").unwrap() + 4;
        assert_eq!(document["sha256"], hash(&robots[body..]));
        for (place, quote) in record["quotes"].as_object().into_iter().flatten() {
            let quote = quote.as_str().unwrap();
            quoted.insert(place.split(':').next().unwrap().to_owned());
            if let Some(line) = place.strip_prefix("robots.txt:") {
                let line: usize = line.parse().unwrap();
                let text = str::from_utf8(&robots[body..]).unwrap();
                assert_eq!(text.lines().nth(line - 1), Some(quote), "{record}");
            }
            assert!(record["by"].to_string().contains(place), "{record}");
        }
    }
    assert_eq!(quoted.len(), 3, "{quoted:?}");

    // One byte of a page, or of a robots.txt.
    let with = |old: &str, new: &str, from: usize| {
        let at = from + memchr::memmem::find(&archive[from..], old.as_bytes()).unwrap();
        let mut changed = archive.clone();
        changed[at..at + old.len()].copy_from_slice(new.as_bytes());
        changed
    };
    let middle = archive.len() / 2;
    let ran = verify(&out, &with("</title>", "</tItle>", middle));
    assert_eq!(ran.status, 1);
    assert!(ran.err.ends_with(&told(1)), "{}", ran.err);
    assert!(ran.err.contains(": 'sha256' is \""), "{}", ran.err);
    let ran = verify(&out, &with("/private/", "/privatf/", middle));
    assert_eq!(ran.status, 1);
    // The pages of the site, and the file itself.
    assert!(ran.err.ends_with(&told(51)), "{}", ran.err);
    assert!(ran.err.contains(": 'documents' is "), "{}", ran.err);
}

/// Any byte of a record, or of a basis.
#[test]
fn changed_records() {
    let folder = Folder::of(&[]);
    let mut archive = Vec::new();
    pages::write(&mut archive, 1, 52).unwrap();
    let path = folder.file("pages.warc", &archive);
    let ran = run(args!["rights", "--agent", "ExampleBot", "--warc", &path]);
    let out = ran.out;
    let verify = |records: &[u8]| {
        run(args!["rights", "--verify", folder.file("records", records), "--warc", &path])
    };
    verify(&out).status(0);
    // The folder of the archive is that of whoever reads it.
    let name = path.to_str().unwrap();
    let folders: Vec<_> = memchr::memmem::find_iter(&out, name).collect();
    let is_folder = |at: usize| {
        folders.iter().any(|begin| (*begin..begin + name.len() - "pages.warc".len()).contains(&at))
    };
    let step = if effort::everything() { 7 } else { 29 };
    let mut line = 0;
    for at in 0..out.len() {
        line += usize::from(at > 0 && out[at - 1] == b'\n');
        let is_last_newline = at + 1 == out.len();
        if at % (if line < 2 { step } else { 997 }) != 0 || is_folder(at) || is_last_newline {
            continue;
        }
        let mut changed = out.clone();
        changed[at] ^= 1;
        let ran = verify(&changed);
        let told = format!("records:{}: ", line + 1);
        let around = String::from_utf8_lossy(&out[at.saturating_sub(20)..at + 1]);
        assert!(ran.status == 1 && ran.err.contains(&told), "byte {at} behind {around}: {ran:?}");
    }
    let text = String::from_utf8(out).unwrap();
    let told = |records: &str, archive: &[u8], wanted: &[&str]| {
        let archive = folder.file("b/pages.warc", archive);
        let records = folder.file("records", records);
        let ran = run(args!["rights", "--verify", records, "--warc", archive]);
        assert!(ran.status == 1 && wanted.iter().all(|part| ran.err.contains(part)), "{ran:?}");
    };
    // Twice the same, two digests in each other's place, another archive, and one that is cut.
    let last = text.lines().last().unwrap();
    let count = text.lines().filter(|line| line.starts_with("{\"url\":")).count();
    let again = format!("{text}{last}\n");
    let first_told = format!("it is the record of line {} again", text.lines().count());
    told(&again, &archive, &[&first_told, &format!("same {count} differ 1 missing 0")]);
    let digest = |line: &str| line.split_once("\"sha256\":\"").unwrap().1[..64].to_owned();
    let one = digest(text.lines().find(|line| line.starts_with("{\"url\":")).unwrap());
    let (a, b) = (&one, &digest(last));
    let swapped = text.lines().map(|line| {
        let line = if line.starts_with("{\"url\":") {
            line.replace(a, "*").replace(b, a).replace('*', b)
        } else {
            line.to_owned()
        };
        line + "\n"
    });
    told(&swapped.collect::<String>(), &archive, &["'sha256' is ", "differ 2 missing 0"]);
    let mut other = Vec::new();
    pages::write(&mut other, 2, 52).unwrap();
    told(&text, &other, &["the archives do not have its response"]);
    told(&text, &archive[..archive.len() / 2], &["the archives do not have its response"]);
    told(&text, &archive[..archive.len() - 40], &["robotsieve: records "]);
    let renamed = folder.file("b/renamed.warc", &archive);
    let ran = run(args!["rights", "--verify", folder.file("records", &text), "--warc", renamed]);
    let what = "its response is in a file 'renamed.warc' now, and was in 'pages.warc'";
    assert!(ran.status == 1 && ran.err.contains(what), "{ran:?}");
    // A basis may not hide what a record says, nor may a second record.
    let twice = text.lines().rfind(|line| line.starts_with("{\"url\":")).unwrap();
    let forged = twice.replacen("\"crawl\":\"allow\"", "\"crawl\":\"unknown\"", 1);
    let ran = verify(format!("{text}{forged}\n").as_bytes());
    assert_eq!(ran.status, 1);
    assert!(
        ran.err.contains("'crawl' is \"unknown\", but \"allow\" by the archives"),
        "{}",
        ran.err
    );
    // Nor may a member that stands twice, or one that no record has.
    for (more, what) in [
        ("\"crawl\":\"unknown\",\"crawl\":\"allow\"", "it has a member twice"),
        ("\"crawl\":\"allow\",\"judge\":null", "'judge' is null, but missing by the archives"),
    ] {
        let ran = verify(text.replacen("\"crawl\":\"allow\"", more, 1).as_bytes());
        assert_eq!(ran.status, 1);
        assert!(ran.err.contains(what), "{}", ran.err);
    }
    let (basis, rest) = text.split_once('\n').unwrap();
    let (_, members) = basis.split_once(',').unwrap();
    let members = format!("\"crawl\":\"allow\",{members}");
    let digest = &ContentHash::of(format!("{{{members}").as_bytes()).to_string()[..20];
    let old = &basis["{\"digest\":\"".len()..][..20];
    let rest =
        rest.replace(old, digest).replacen("\"crawl\":\"allow\"", "\"crawl\":\"unknown\"", 1);
    let ran = verify(format!("{{\"digest\":\"{digest}\",{members}\n{rest}").as_bytes());
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("records:2: its basis has another 'crawl' than it"), "{}", ran.err);
    // A basis alone is no record.
    let ran = verify(format!("{basis}\n").as_bytes());
    assert!(ran.status == 2 && ran.err.contains("records' has no record"), "{ran:?}");
}

/// What could have said no and was not read, or is said in a form that some readers take, is no permission.
#[test]
fn attacks_permit_nothing() {
    let yes = "License: https://e.com/l.xml\nUser-agent: *\nContent-Signal: ai-train=yes\n";
    let (early, same, late) =
        ("2026-03-01T08:00:00Z", "2026-03-01T09:00:00Z", "2026-03-01T10:00:00Z");
    let (robots_url, tdm_url) =
        ("https://e.com/robots.txt", "https://e.com/.well-known/tdmrep.json");
    let url = "https://e.com/a";
    let cut = "WARC-Truncated: length\r\n";
    let html = "200 OK\r\nContent-Type: text/html";
    let rsl = "<rsl xmlns='https://rslstandard.org/rsl'><content url='/'><license><permits type='usage'>\
               ai-train</permits></license></content></rsl>";
    let robots = |body: &str| response(same, robots_url, "200 OK", body);
    let licence = response(same, "https://e.com/l.xml", "200 OK", rsl);
    let page = response(late, url, html, "<p>");
    let typed = |types: &str, body: &str| response(late, url, &format!("200 OK\r\n{types}"), body);
    let tdm = |value| {
        let body = format!("[{{\"location\":\"/\",\"tdm-reservation\":{value}}}]");
        response(same, tdm_url, "200 OK", &body)
    };
    let soft = response("2026-03-01T09:30:00Z", tdm_url, html, "<p>Not found");
    let meta = "<meta name=robots content=noai>";
    let xhtml = "<html xmlns='http://www.w3.org/1999/xhtml'><head><meta name='robots' content='noai'/></head></html>";
    let wide: String = meta.chars().flat_map(|c| [c, '\0']).collect();
    let of = |records: &[String]| {
        let row = row_of(records, url, &[]);
        let notes: Vec<_> =
            row["notes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        format!("{} {}", row["ai-train"].as_str().unwrap(), notes.join(" "))
    };
    let own = |record: &String| of(&[robots(yes), licence.clone(), record.clone()]);
    assert_eq!(own(&page), "allow ");
    for (records, wanted) in [
        (
            vec![record("response", same, robots_url, cut, "200 OK", yes), licence.clone()],
            "unknown robots-not-read",
        ),
        (
            vec![robots(yes), record("response", same, "https://e.com/l.xml", cut, "200 OK", rsl)],
            "unknown file-not-read licence-not-given",
        ),
        (
            vec![robots(&yes.replace("=yes", "=no")), robots(yes), licence.clone()],
            "unknown documents-differ",
        ),
        (vec![robots(yes), licence.clone(), tdm(1), tdm(0)], "unknown documents-differ"),
        // A page in the place of the file is a failure, and ends no reservation.
        (vec![robots(yes), licence.clone(), soft.clone()], "unknown tdm-file"),
        (
            vec![robots(yes), licence.clone(), tdm(0), soft.clone()],
            "unknown document-older tdm-not-read",
        ),
        (vec![robots(yes), licence.clone(), tdm(1), soft], "disallow document-older tdm-not-read"),
        (
            vec![
                robots(yes),
                licence.clone(),
                record("response", same, tdm_url, cut, "200 OK", "[]"),
            ],
            "unknown tdm-not-read",
        ),
        // What is older counts no more, and what is newer not yet.
        (
            vec![
                response(early, robots_url, "200 OK", yes),
                robots(&yes.replace("=yes", "=no")),
                licence.clone(),
            ],
            "disallow ",
        ),
    ] {
        let records: Vec<String> = records.into_iter().chain([page.clone()]).collect();
        assert_eq!(of(&records), wanted);
    }
    for (record, wanted) in [
        (typed("Content-Type: image/png", meta), "unknown page-not-read xmp-not-read"),
        (typed("Content-Type: text/plain\r\nContent-Type: text/html", meta), "disallow "),
        (typed("Content-Type: text/plain, text/html", meta), "disallow "),
        (typed("Content-Type: text/xml", xhtml), "disallow "),
        (typed("Content-Type: text/html; charset=utf-16le", &wide), "disallow "),
    ] {
        assert_eq!(own(&record), wanted);
    }
}

/// A record that could not be read may have been any document; one of which the URL is known, only that.
#[test]
fn what_is_damaged_permits_nothing() {
    let (early, same) = ("2026-03-01T08:00:00Z", "2026-03-01T09:00:00Z");
    let robots = response(early, ROBOTS, "200 OK", &says("ai-train=yes"));
    let page = response("2026-03-01T10:00:00Z", PAGE, HTML, "<p>");
    let of = |damaged: &str| {
        let row = row_of(&[robots.clone(), damaged.to_owned(), page.clone()], PAGE, &[]);
        format!("{} {} {}", row["crawl"], row["ai-train"], row["notes"]).replace('"', "")
    };
    let dated = |url: &str| response("yesterday", url, "200 OK", &says("ai-train=no"));
    let tdm = response(same, TDM, "200 OK", "[]").replace("HTTP/1.1 200", "HTTP/1.1 one");
    let no_answer = |url| record("response", same, url, "", "", "");
    let reserved = r#"[{"location":"/","tdm-reservation":1}]"#;
    let reserves = response(same, TDM, "200 OK", reserved);
    let typed = "Content-Type: application/http; msgtype=response\r\n";
    let any = "unknown unknown [archive-damaged]";
    let file = record("resource", same, TDM, "", "", "");
    let file = file.replace(
        "Content-Length: 0\r\n\r\n",
        &format!("Content-Length: {}\r\n\r\n{reserved}", reserved.len()),
    );
    for (damaged, wanted) in [
        ("", "allow allow null"),
        ("what is this?\r\n\r\n", "unknown unknown [archive-damaged]"),
        (
            &robots.replace("Content-Length: ", "Content-Length: 1"),
            "unknown unknown [archive-damaged]",
        ),
        (&dated(ROBOTS), "unknown unknown [robots-not-read]"),
        (&dated(TDM), "allow unknown [tdm-not-read]"),
        (&tdm, "allow unknown [tdm-not-read]"),
        (&dated("https://e.com/b"), "allow allow null"),
        (&no_answer(ROBOTS), "unknown unknown [robots-not-read]"),
        (&no_answer(TDM), "allow unknown [tdm-not-read]"),
        (&record("revisit", same, ROBOTS, "", "200 OK", ""), "unknown unknown [robots-not-read]"),
        (&response(same, ROBOTS, "503 Busy", ""), "allow unknown [document-older,robots-not-read]"),
        (&response(early, ROBOTS, "404 Gone", ""), "allow unknown [documents-differ]"),
        (&file, "allow disallow null"),
        // Of these the answer is not read, and of which URL it is shows.
        (&reserves.replace(typed, ""), "allow unknown [tdm-not-read]"),
        (&reserves.replace("application/http", "text/html"), "allow unknown [tdm-not-read]"),
        (&robots.replace(typed, ""), "unknown unknown [robots-not-read]"),
        (&reserves.replace(&format!("WARC-Target-URI: {TDM}\r\n"), ""), any),
        (&reserves.replace("WARC-Target-URI: https:", "WARC-Target-URI: https;"), any),
        (&file.replace("WARC-Target-URI: https:", "WARC-Target-URI: https;"), any),
        (&"\0".repeat(reserves.len()), any),
        // A value may begin in the next line.
        (&reserves.replace("WARC-Target-URI: ", "WARC-Target-URI:\r\n "), "allow disallow null"),
        (&reserves.replace("WARC-Type: ", "WARC-Type:\r\n\t"), "allow disallow null"),
        (&reserves.replace("e.com/", "e.com/\r\n "), any),
    ] {
        assert_eq!(of(damaged), wanted, "{damaged}");
    }
    // A page that is not read is told.
    let (status, rows) = rows(&[robots.clone(), page.replace(typed, "")], &[]);
    assert_eq!((status, rows.len()), (3, 1));
}

/// Of two answers of which nobody knows which was in force, none permits.
#[test]
fn documents_of_the_second_of_the_page() {
    let robots = |date: &str, signals: &str| response(date, ROBOTS, "200 OK", &says(signals));
    let tdm = |date: &str, value: u8| {
        let body = format!("[{{\"location\":\"/\",\"tdm-reservation\":{value}}}]");
        response(date, TDM, "200 OK", &body)
    };
    let page = response("2026-03-01T09:00:00.100Z", PAGE, HTML, "<p>");
    let (old, before, same) = ("2026-02-01", "2026-03-01T08:59:00Z", "2026-03-01T09:00:00.900Z");
    let (yes, no) = ("ai-train=yes", "ai-train=no");
    for (records, wanted) in [
        (vec![robots(before, no), robots(same, yes)], "unknown unknown [documents-differ]"),
        (vec![robots(before, yes), robots(same, no)], "unknown disallow [documents-differ]"),
        (vec![robots(before, yes), robots(same, yes)], "allow allow null"),
        (vec![robots(same, yes)], "allow allow null"),
        // That was in force no more.
        (vec![robots(old, no), robots(same, yes)], "allow allow null"),
        (
            vec![robots(before, yes), tdm(before, 1), tdm(same, 0)],
            "allow unknown [documents-differ]",
        ),
        (vec![robots(before, yes), tdm(before, 0), tdm(same, 0)], "allow allow null"),
    ] {
        let row = row_of(&[records.clone(), vec![page.clone()]].concat(), PAGE, &[]);
        let found = format!("{} {} {}", row["crawl"], row["ai-train"], row["notes"]);
        assert_eq!(found.replace('"', ""), wanted, "{records:?}");
    }
}

/// What is there of a page that is cut counts, and what is lost makes the rest unknown.
#[test]
fn pages_that_are_cut() {
    let robots = response("2024-01-01", ROBOTS, "200 OK", &says("ai-train=yes"));
    let reasons = ["length", "time", "disconnect", "unspecified"];
    let cuts = reasons.map(|reason| (format!("WARC-Truncated: {reason}\r\n"), HTML.to_owned()));
    let heads = [
        format!("{HTML}\r\nContent-Length: 999"),
        HTML.replace("200 OK", "206 Partial"),
        "200 OK\r\nContent-Type: text/plain\r\nContent-Length: 999".to_owned(),
    ];
    let heads = heads.map(|head| (String::new(), head));
    for (more, head) in cuts.into_iter().chain(heads) {
        for (body, wanted) in
            [("<meta name=robots content=noai><p>", "disallow"), ("<p>", "unknown")]
        {
            if body != "<p>" && head.contains("text/plain") {
                continue;
            }
            let page = record("response", "2024-01-01T00:01Z", PAGE, &more, &head, body);
            let row = row_of(&[robots.clone(), page], PAGE, &[]);
            let found = format!("{} {} {}", row["page"], row["ai-train"], row["notes"]);
            assert_eq!(found.replace('"', ""), format!("cut {wanted} [page-cut]"), "{more}{head}");
        }
    }
}

/// A pack keeps that a robots.txt was cut: the rest could have said no. Its bytes may be those of a whole file.
#[test]
fn a_pack_of_what_was_cut() {
    let cut = "WARC-Truncated: length\r\n";
    let file = |host: &str, more: &str, head: &str| {
        let (url, body) = (format!("https://{host}.example/robots.txt"), says("ai-train=yes"));
        record("response", "2026-03-01T08:00:00Z", &url, more, head, &body)
    };
    let part = "200 OK\r\nContent-Range: bytes 0-43/99";
    let parts = "200 OK\r\nContent-Type: multipart/byteranges; boundary=x";
    let whole = ["a", "d"].map(|host| file(host, "", "200 OK"));
    let archive = [
        &whole[0],
        &file("b", cut, "200 OK"),
        &file("c", "", part),
        &file("e", "", parts),
        &whole[1],
    ];
    let archive = archive.map(String::as_str).concat();
    let urls = ["a", "b", "c", "d", "e"].map(|host| format!("https://{host}.example/\n")).concat();
    let folder = Folder::of(&[("a.warc", &archive), ("urls", &urls)]);
    let (warc, pack) = (folder.path("a.warc"), folder.path("a.pack"));
    run(args!["pack", "--warc", warc, "--rights", "--agent", "GPTBot", "-o", &pack]).gives(0, "");
    for (purpose, wanted) in [(&[][..], "allow"), (&["--purpose", "ai-train"], "unknown")] {
        let line = |host: &str, verdict| format!("{verdict}\thttps://{host}.example/\n");
        let wanted = ["allow", wanted, wanted, "allow", wanted];
        let wanted: String = ["a", "b", "c", "d", "e"]
            .iter()
            .zip(wanted)
            .map(|(host, verdict)| line(host, verdict))
            .collect();
        let filter = args!["filter", "--pack", &pack, "--format", "tsv", folder.path("urls")];
        run(filter.into_iter().chain(purpose.iter().map(Into::into))).gives(0, &wanted);
    }
}

/// A revisit whose digest is not that of the record that it names says nothing: neither is what was sent.
#[test]
fn revisits_that_contradict_themselves() {
    const HEX: &str = "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80708";
    const BASE_32: &str = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYI";
    let yes = says("ai-train=yes");
    let digest = |digest: &str| format!("WARC-Payload-Digest: {digest}\r\n");
    let named = |id: &str, of: &str| format!("WARC-Record-ID: <urn:uuid:{id}>\r\n{}", digest(of));
    let by_id = "WARC-Refers-To: <urn:uuid:1>\r\n";
    let by_time = "WARC-Refers-To-Date: 2024-01-01T00:01:00Z\r\n";
    for (url, head, body) in [(PAGE, HTML, "<p>"), (ROBOTS, "200 OK", &*yes)] {
        for (first, second, refers, wanted) in [
            ("sha1:A", "sha1:A", by_id, "allow"),
            ("sha1:A", "sha1:B", by_id, "unknown"),
            ("sha1:A", "sha1:B", by_time, "unknown"),
            // Nothing shows that it is the same payload.
            ("sha1:A", "sha256:B", by_id, "unknown"),
            ("", "sha1:A", by_id, "unknown"),
            ("sha1:A", "", by_id, "allow"),
            (HEX, BASE_32, by_id, "allow"),
            (HEX, "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYH", by_id, "unknown"),
            // Whatever else has this digest.
            ("sha1:A", "sha1:C", by_id, "unknown"),
        ] {
            let records = [
                response("2024-01-01T00:00:30Z", ROBOTS, "200 OK", &yes),
                record("response", "2024-01-01T00:01Z", url, &named("1", first), head, body),
                record("response", "2024-01-01T00:01:30Z", url, &named("2", "sha1:C"), head, body),
                record(
                    "revisit",
                    "2024-01-01T00:02Z",
                    url,
                    &[refers, &digest(second)].concat(),
                    head,
                    "",
                ),
                response("2024-01-01T00:03Z", "https://e.com/b", HTML, "<p>"),
            ];
            let asked = if url == PAGE { PAGE } else { "https://e.com/b" };
            let row = row_of(&records, asked, &[]);
            assert_eq!(row["ai-train"], wanted, "{url} {first} {second} {refers}");
            let note = if url == PAGE { "page-not-read" } else { "robots-not-read" };
            assert_eq!(row["notes"].to_string().contains(note), wanted == "unknown", "{row}");
        }
    }
}

/// A 304 has no body, so the digest of one without bytes, which some writers give it, says nothing of the page.
#[test]
fn not_modified_with_the_digest_of_nothing() {
    let (yes, no) = (says("ai-train=yes"), says("ai-train=no"));
    let nothing = "WARC-Payload-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\r\n";
    let id = "WARC-Record-ID: <urn:uuid:1>\r\nWARC-Payload-Digest: sha1:A\r\n";
    let meta = "<meta name=robots content=noai>";
    let revisit = |url: &str, more: &str| {
        record(
            "revisit",
            "2024-01-01T00:02Z",
            url,
            more,
            "304 Not Modified\r\nContent-Type: text/html",
            "",
        )
    };
    let page = [
        response("2024-01-01T00:00:30Z", ROBOTS, "200 OK", &yes),
        record("response", "2024-01-01T00:01Z", PAGE, id, HTML, meta),
    ];
    for (more, wanted) in [
        ([nothing, "WARC-Refers-To: <urn:uuid:1>\r\n"].concat(), "disallow"),
        (nothing.to_owned(), "unknown"),
    ] {
        let records = [&page[..], &[revisit(PAGE, &more)]].concat();
        assert_eq!(row_of(&records, PAGE, &[])["ai-train"], wanted, "{more}");
    }
    // The empty file of another site is not this one's.
    let records = [
        response("2024-01-01T00:00:30Z", ROBOTS, "200 OK", &no),
        record(
            "response",
            "2024-01-01T00:01Z",
            "https://other.example/robots.txt",
            nothing,
            "200 OK",
            "",
        ),
        revisit(ROBOTS, nothing),
        response("2024-01-01T00:03Z", PAGE, HTML, "<p>"),
    ];
    assert_eq!(row_of(&records, PAGE, &[])["ai-train"], "disallow");
}

/// A robots.txt is the same to a record of rights as to a filter by a pack, whatever there is of it.
#[test]
fn one_robots_txt_for_records_and_packs() {
    let yes = says("ai-train=yes");
    let payload = "WARC-Record-ID: <urn:uuid:b2>\r\nWARC-Payload-Digest: sha1:AB\r\n";
    let cut = [payload, "WARC-Truncated: length\r\n"].concat();
    let refers = "WARC-Refers-To: <urn:uuid:b2>\r\nWARC-Payload-Digest: sha1:AB\r\n";
    let others = "WARC-Refers-To: <urn:uuid:b2>\r\nWARC-Payload-Digest: sha1:CD\r\n";
    let part = "200 OK\r\nContent-Range: bytes 0-43/99";
    let whole = "200 OK\r\nContent-Range: bytes 0-43/44";
    let parts = "200 OK\r\nContent-Type: multipart/byteranges; boundary=x";
    let file = |more: &str, head: &str| record("response", "2024-01-01", ROBOTS, more, head, &yes);
    let again = |more: &str, head: &str| record("revisit", "2024-01-02", ROBOTS, more, head, "");
    let nothing = String::new;
    for (number, (first, second, wanted)) in [
        (file(payload, "200 OK"), nothing(), "allow"),
        (file(payload, whole), nothing(), "allow"),
        (file(payload, part), nothing(), "unknown"),
        (file(payload, parts), nothing(), "unknown"),
        (file(&cut, "200 OK"), nothing(), "unknown"),
        (file(payload, "200 OK"), again(refers, "200 OK"), "allow"),
        (file(payload, "200 OK"), again(refers, "304 x"), "allow"),
        (file(payload, "200 OK"), again(refers, whole), "allow"),
        (file(payload, "200 OK"), again(refers, part), "unknown"),
        (file(payload, "200 OK"), again(refers, parts), "unknown"),
        (file(payload, part), again(refers, part), "unknown"),
        (file(payload, part), again(refers, "200 OK"), "unknown"),
        (file(&cut, "200 OK"), again(refers, "200 OK"), "unknown"),
        (file(payload, "200 OK"), again(others, "200 OK"), "unknown"),
        (file(payload, "200 OK"), again(others, "304 x"), "unknown"),
        (file(payload, "200 OK"), again(refers, "404 x"), "unknown"),
        (again(refers, "200 OK"), nothing(), "unknown"),
    ]
    .into_iter()
    .enumerate()
    {
        let page = response("2024-01-02T00:01Z", PAGE, HTML, "<p>");
        let records = [first, second, page];
        assert_eq!(row_of(&records, PAGE, &[])["ai-train"], wanted, "{number}");
        let folder = Folder::of(&[("a.warc", &records.concat()), ("urls", PAGE)]);
        let (warc, pack) = (folder.path("a.warc"), folder.path("a.pack"));
        run(args!["pack", "--warc", warc, "--rights", "--agent", "a", "-o", &pack]).status(0);
        let urls = folder.path("urls");
        let filter =
            args!["filter", "--pack", pack, "--purpose", "ai-train", "--format", "tsv", urls];
        let found = String::from_utf8(run(filter).out).unwrap();
        assert_eq!(found, format!("{wanted}\t{PAGE}\n"), "{number}");
    }
}

/// A record names, quotes and covers the capture of a robots.txt that decided, whatever else its address had.
#[test]
fn the_robots_txt_that_decided_is_named() {
    let file = |date: &str, url: &str, rule: &str| {
        let body = format!("User-agent: *\n{rule}\n");
        (response(date, url, "200 OK", &body), ContentHash::of(body.as_bytes()).to_string())
    };
    let page = response("2026-01-01T12:00:10Z", PAGE, HTML, "<p>");
    // Nearest to the redirect, not the first after it.
    for to in
        ["https://b.example/robots.txt", "https://e.com/r.txt", "https://b.example/l/robots.txt"]
    {
        let (then, sha256) = file("2026-01-01T11:50:00Z", to, "Disallow: /a");
        let (later, _) = file("2026-01-03T00:00:00Z", to, "Allow: /a");
        let head = format!("301 Moved\r\nLocation: {to}");
        let moved = response("2026-01-01T12:00:00Z", ROBOTS, &head, "");
        let row = row_of(&[later, then, moved.clone(), page.clone()], PAGE, &[]);
        let document = &row["documents"][0];
        assert_eq!(row["crawl"], "disallow", "{to}");
        assert_eq!(row["quotes"]["robots.txt:2"], "Disallow: /a", "{to}");
        assert_eq!(document["sha256"], *sha256, "{to}");
        // Its time is that of the file, not of the redirect.
        assert_eq!(document["captured"], "2026-01-01T11:50:00Z", "{to}");
        let (block, first) = (format!("{head}\r\n\r\n"), &document["answers"][0]);
        assert_eq!(*first, *ContentHash::of(format!("HTTP/1.1 {block}").as_bytes()).to_string());
        assert_eq!(document["answers"].as_array().unwrap().len(), 2, "{to}");
        // What the archives have only from after the page is told.
        let (after, _) = file("2026-01-01T12:30:00Z", to, "Allow: /");
        let row = row_of(&[moved, page.clone(), after], PAGE, &[]);
        let document = &row["documents"][0];
        assert_eq!(
            (&document["captured"], &document["fit"]),
            (&"2026-01-01T12:30:00Z".into(), &"later".into())
        );
        assert_eq!(row["age_seconds"][0], -1790, "{to}");
        assert!(row["notes"].to_string().contains("document-later"), "{row}");
    }
    // A 304 says that the file before it holds, and is covered too.
    let (then, sha256) = file("2025-01-01", ROBOTS, "Disallow: /a");
    let again = response("2026-01-01T12:00:00Z", ROBOTS, "304 Not Modified", "");
    let row = row_of(&[then.clone(), again, page.clone()], PAGE, &[]);
    let document = &row["documents"][0];
    assert_eq!((&document["fit"], &document["sha256"]), (&"current".into(), &sha256.into()));
    assert_eq!(document["captured"], "2026-01-01T12:00:00Z");
    assert_eq!(document["answers"].as_array().unwrap().len(), 2);
    assert_eq!(row["quotes"]["robots.txt:2"], "Disallow: /a");
    // There may have been another file that is not here.
    let (then, _) = file("2026-01-01T11:50:00Z", ROBOTS, "Allow: /a");
    let broken = response("2026-01-01T12:00:00Z", ROBOTS, "200 OK\r\nContent-Length: 99", "x");
    let row = row_of(&[then, broken, page], PAGE, &[]);
    assert!(row["notes"].to_string().contains("robots-not-read"), "{row}");
}

/// Documents age as robots.txt files do: a 304 renews them, and their headers say for how long they serve.
#[test]
fn documents_and_robots_txt_have_one_history() {
    let rsl = "<rsl xmlns='https://rslstandard.org/rsl'><content url='/'><license><permits type='usage'>\
               ai-train</permits></license></content></rsl>";
    let robots = "License: https://e.com/l.xml\nUser-agent: *\nAllow: /\n";
    let bodies = [(ROBOTS, robots), ("https://e.com/l.xml", rsl)];
    let both =
        |date: &str, head: &str| bodies.map(|(url, body)| response(date, url, head, body)).concat();
    let licence = |date: &str, head: &str| response(date, bodies[1].0, head, "");
    let page = response("2026-02-10T12:00:00Z", PAGE, HTML, "<p>");
    let of = |more: String| {
        let row = row_of(&[more, page.clone()], PAGE, &[]);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let documents = row["documents"].as_array().unwrap();
        let fits: Vec<_> = documents.iter().map(|one| text(&one["fit"])).collect();
        let is_read = !row["notes"].to_string().contains("file-not-read");
        let answers = documents.get(1).map_or(0, |one| one["answers"].as_array().unwrap().len());
        (text(&row["ai-train"]), fits.join(" "), is_read, answers)
    };
    let gives = |ruling: &str, fits: &str, is_read, answers| {
        (ruling.to_owned(), fits.to_owned(), is_read, answers)
    };
    let (then, now) = ("2026-01-01", "2026-02-10T11:59:50Z");
    let (ok, same) = ("200 OK", "304 Not Modified");
    let age = |seconds: u32| format!("200 OK\r\nCache-Control: max-age={seconds}");
    let hours = |hours: u32| format!("2026-02-10T{:02}:00:00Z", 12 - hours);
    assert_eq!(of(both(now, ok)), gives("allow", "current current", true, 1));
    assert_eq!(of(both(then, ok)), gives("allow", "older older", true, 1));
    assert_eq!(of(both(then, ok) + &both(now, same)), gives("allow", "current current", true, 2));
    assert_eq!(of(both(&hours(2), &age(600))), gives("allow", "older older", true, 1));
    assert_eq!(of(both(&hours(2), &age(9000))), gives("allow", "current current", true, 1));
    let again = "304 Not Modified\r\nCache-Control: max-age=9000";
    let renewed = both(&hours(4), &age(600)) + &both(&hours(2), again);
    assert_eq!(of(renewed), gives("allow", "current current", true, 2));
    // A failure takes permissions away, and what follows it speaks of what was not read.
    let failed = both(&hours(4), ok) + &licence(&hours(3), "503 Busy");
    assert_eq!(of(failed.clone()), gives("unknown", "current current", false, 1));
    let unchanged = failed.clone() + &licence(&hours(2), same);
    assert_eq!(of(unchanged), gives("unknown", "current current", false, 1));
    let found = failed + &response(&hours(2), bodies[1].0, ok, rsl);
    assert_eq!(of(found), gives("allow", "current current", true, 1));
    // Unchanged from what is not here.
    let alone = response(now, ROBOTS, ok, robots) + &licence(now, same);
    assert_eq!(of(alone), gives("unknown", "current", false, 0));
    // A redirect leads where the fetcher follows it.
    let moved = licence(now, "301 Moved\r\nLocation: /new.xml#x");
    let there = response(now, "https://e.com/new.xml", ok, rsl);
    let moved = response(now, ROBOTS, ok, robots) + &moved + &there;
    assert_eq!(of(moved), gives("allow", "current current", true, 2));
}

/// A redirect to what could not be read is a failure: it ends no reservation, and takes permissions away.
#[test]
fn lost_redirects_end_no_reservation() {
    let page = response("2026-02-10T12:00:00Z", PAGE, HTML, "<p>");
    let robots = response("2026-02-10T11:00:00Z", ROBOTS, "200 OK", &says("ai-train=yes"));
    let tdm = |value: u8| format!("[{{\"location\":\"/\",\"tdm-reservation\":{value}}}]");
    let moved = |at: &str, to: &str| {
        response(at, TDM, &format!("302 Found\r\nLocation: https://e.com/{to}"), "")
    };
    let busy = response("2026-02-10T11:00:00Z", "https://e.com/busy", "503 Busy", "");
    let lost = moved("2026-02-10T11:00:00Z", "busy") + &busy;
    let gone = moved("2026-02-10T11:00:00Z", "gone");
    let of = |more: &[String]| {
        let row = row_of(&[more, &[robots.clone(), page.clone()]].concat(), PAGE, &[]);
        let notes = row["notes"].to_string();
        (row["ai-train"].as_str().unwrap().to_owned(), notes.contains("tdm-not-read"))
    };
    for (value, then) in [(1, "disallow"), (0, "unknown")] {
        let first = response("2026-02-01", TDM, "200 OK", &tdm(value));
        for then_lost in [&lost, &gone] {
            assert_eq!(of(&[first.clone(), then_lost.clone()]), (then.to_owned(), true));
        }
        let twice = [moved("2026-02-09", "gone"), first, lost.clone()];
        assert_eq!(of(&twice), (then.to_owned(), true));
    }
    assert_eq!(of(std::slice::from_ref(&lost)), ("unknown".to_owned(), true));
    // However often.
    let first = response("2026-01-01", TDM, "200 OK", &tdm(1));
    let often = (1..30).map(|day| moved(&format!("2026-01-{day:02}T12:00:00Z"), "gone"));
    let all: Vec<String> = std::iter::once(first).chain(often).collect();
    assert_eq!(of(&all), ("disallow".to_owned(), true));
}

/// The file of TDMRep is that of the page's origin, however both write the host.
#[test]
fn tdmrep_json_is_of_an_origin() {
    let tdm = |url: &str| {
        let reserved = "[{\"location\":\"/\",\"tdm-reservation\":1}]";
        response("2026-02-10T11:00:00Z", url, "200 OK", reserved)
    };
    let robots = response("2026-02-10T11:00:00Z", ROBOTS, "200 OK", &says("ai-train=yes"));
    for url in ["https://e.com/x", "https://u:p@e.com/x", "https://e.com./x", "https://E.com:443/x"]
    {
        for file in [TDM, "https://e.com.:443/.well-known/tdmrep.json"] {
            let page = response("2026-02-10T12:00:00Z", url, HTML, "<p>");
            let row = row_of(&[tdm(file), robots.clone(), page], url, &[]);
            assert_eq!(row["ai-train"], "disallow", "{url} {file}: {row}");
        }
    }
}

/// What led to a verdict is covered too: the answers on the way to a document, and the page that a revisit repeats.
#[test]
fn changed_answers_on_the_way() {
    let moved = |url: &str, to: &str| {
        let head = format!("301 Moved Permanently\r\nServer: one\r\nLocation: {to}");
        response("2024-01-01", url, &head, "it is there")
    };
    let payload = "WARC-Record-ID: <urn:uuid:b2>\r\n";
    let refers = "WARC-Refers-To: <urn:uuid:b2>\r\n";
    let (robots, tdm) = ("https://www.e.com/robots.txt", "https://www.e.com/tdm");
    let id = "WARC-Record-ID: <urn:uuid:r>\r\n";
    let same = "WARC-Refers-To: <urn:uuid:r>\r\n";
    let head = "200 OK\r\nServer: two";
    let free = "[{\"location\":\"/\",\"tdm-reservation\":0}]";
    let records = [
        moved(ROBOTS, robots),
        record("response", "2023-01-01", robots, id, head, &says("ai-train=yes")),
        record("revisit", "2024-01-01", robots, same, "200 Yes", ""),
        moved(TDM, tdm),
        response("2024-01-01", tdm, head, free),
        record("response", "2023-01-01", PAGE, payload, HTML, "<p>hello"),
        record("revisit", "2024-01-01T00:01Z", PAGE, refers, HTML, ""),
    ];
    let archive = records.concat();
    let folder = Folder::of(&[]);
    let path = folder.file("a.warc", &archive);
    let ran = run(args!["rights", "--agent", "a", "--warc", &path]);
    let lines = String::from_utf8(ran.out).unwrap();
    let last = lines.lines().last().unwrap();
    let (_, basis) = last.split_once("\"basis\":\"").unwrap();
    let basis =
        lines.lines().find(|line| line.starts_with(&format!("{{\"digest\":\"{}", &basis[..20])));
    let kept = folder.file("kept", format!("{}\n{last}\n", basis.unwrap()));
    let verify = |archive: &str| {
        run(args!["rights", "--verify", &kept, "--warc", folder.file("b/a.warc", archive)])
    };
    verify(&archive).status(0);
    for (number, old, new, member) in [
        (0, "301", "302", "documents"),
        (0, "one", "two", "documents"),
        (0, "there", "where", "documents"),
        (1, "two", "one", "documents"),
        (1, "=yes", "=yet", "by"),
        (2, "Yes", "yes", "documents"),
        (3, "301", "308", "documents"),
        (4, "two", "one", "documents"),
        (4, "\"/\"", "\"*\"", "documents"),
        (5, "hello", "hallo", "sha256"),
        (6, "OK", "Ok", "sha256"),
    ] {
        let mut changed = records.clone();
        changed[number] = changed[number].replacen(old, new, 1);
        assert_ne!(changed, records);
        let ran = verify(&changed.concat());
        assert!(
            ran.status == 1 && ran.err.contains(&format!("'{member}' is ")),
            "{number} {old}: {ran:?}"
        );
    }
}

/// A WAT file has the headers of pages without the pages, and a WET file only text: neither is judged, nor passed
/// over in silence.
#[test]
fn archives_without_responses() {
    let page = response("2024-01-01", PAGE, HTML, "<p>");
    let typed = |kind: &str, media_type: &str, block: &str| {
        format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n\
             WARC-Target-URI: {PAGE}\r\nWARC-Refers-To: <urn:uuid:1>\r\n\
             Content-Type: {media_type}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    };
    let joined = r#"{"Container":{},"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":{
        "Headers":{"X-Robots-Tag":"noai"},"Response-Message":{"Status":"200"}}}}}"#;
    let wat = typed("metadata", "application/json", joined);
    let wet = typed("conversion", "text/plain", "hello");
    let other = typed("metadata", "application/json", "{}");
    let is_wat = "a.warc': it is a WAT file, which has headers, but neither pages";
    for (records, status, count, told) in [
        (vec![&wat], 3, 0, is_wat),
        (vec![&page, &wat, &wat], 3, 1, is_wat),
        (vec![&wet], 3, 0, "the files have no responses, so nothing is judged"),
        (vec![&other], 3, 0, "the files have no responses, so nothing is judged"),
        (vec![&page, &wet, &other], 0, 1, "responses 1"),
    ] {
        let records: Vec<String> = records.into_iter().cloned().collect();
        let folder = Folder::of(&[("a.warc", &records.concat())]);
        let ran = run(args!["rights", "--agent", "a", "--warc", folder.path("a.warc")]);
        assert_eq!((ran.status, records_of(&ran.out).len()), (status, count), "{ran:?}");
        assert_eq!(ran.err.matches(told).count(), 1, "{ran:?}");
    }
    // Nor is a pack made of one.
    let folder = Folder::of(&[("a.warc", &wat)]);
    let (warc, pack) = (folder.path("a.warc"), folder.path("a.pack"));
    run(args!["pack", "--warc", warc, "--agent", "a", "-o", pack]).fails(3, is_wat);
}
