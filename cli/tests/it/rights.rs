//! `robotsieve rights`: what it prints, and the published cases.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use robotsieve_corpus_test::corpus_test;
use robotsieve_report::RIGHTS_MEMBERS;
use serde_json::Value;

use self::compared::differences;
use crate::command::{Folder, run};
use crate::rights_archives::records_of;

#[path = "../../../tests/it/support/compared.rs"]
mod compared;

const ROBOTS: &str = "\
License: https://e.com/license.xml
License: /relative.xml
User-agent: *
Content-Usage: train-ai=n
Content-Usage: /open/ train-ai=y
Content-Signal: search=yes, ai-input=no, use=reference
Disallow: /private/
";

const HEADERS: &str = "\
HTTP/1.1 301 Moved
X-Robots-Tag: noindex

HTTP/2 200
content-type: text/html
x-robots-tag: otherbot: noindex
X-Robots-Tag: max-snippet: 50
";

const PAGE: &str =
    "<title><meta name=robots content=noindex></title><meta name=robots content=nosnippet>";

const LICENSE: &str = "\
<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/open/\"><license>
<permits type=\"usage\">ai-train</permits><payment type=\"attribution\"/></license></content></rsl>";

fn folder() -> Folder {
    Folder::of(&[
        ("robots.txt", ROBOTS),
        ("headers.txt", HEADERS),
        ("page.html", PAGE),
        ("license.xml", LICENSE),
    ])
}

#[test]
fn text() {
    let folder = folder();
    let url = "https://e.com/open/1";
    let license = format!("https://e.com/license.xml={}", folder.path("license.xml").display());
    let ran = run(args![
        "rights",
        "--agent",
        "Bot",
        "--robots",
        folder.path("robots.txt"),
        "--headers",
        folder.path("headers.txt"),
        "--html",
        folder.path("page.html"),
        "--file",
        license,
        url
    ]);
    let wanted = "\
https://e.com/open/1 for Bot:
  crawl     allow     no rule of robots.txt matches
  index     disallow  rsl:https://e.com/license.xml:1.1: <license> <permits type=\"usage\">ai-train</permits><payment type=\"attribution\"/></license> [rsl-1.0]
  snippet   disallow  html:meta:1: <meta name=\"robots\" content=\"nosnippet\"> [x-robots-google-2026-03]
                      rsl:https://e.com/license.xml:1.1: <license> <permits type=\"usage\">ai-train</permits><payment type=\"attribution\"/></license> [rsl-1.0]
  ai-input  disallow  robots.txt:6: Content-Signal: search=yes, ai-input=no, use=reference [content-signals-2025-09]
                      rsl:https://e.com/license.xml:1.1: <license> <permits type=\"usage\">ai-train</permits><payment type=\"attribution\"/></license> [rsl-1.0]
  ai-train  unknown   what could disallow it was not read: see below
  ai-index  disallow  rsl:https://e.com/license.xml:1.1: <license> <permits type=\"usage\">ai-train</permits><payment type=\"attribution\"/></license> [rsl-1.0]
RSL licence https://e.com/license.xml (named by robots.txt:1): read
ai-train depends on conditions: attribution
Content-Signal limits use to 'reference' (index, excerpt, link); this changes no verdict
the address of a licence is not absolute, so its text is not known
";
    ran.gives(0, wanted);
    let packet = "<?xpacket begin=''?><r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\
        <r:Description xmlns:t='http://www.w3.org/ns/tdmrep/' t:reservation='1'/></r:RDF><?xpacket end='r'?>";
    let ran = run(args!["rights", "--agent", "Bot", "--xmp", folder.file("a.jpg", packet), "/x"]);
    ran.status(0);
    let wanted =
        "  ai-train  disallow  xmp:tdm:reservation:1: tdm:reservation: 1 [tdmrep-2024-05]\n";
    assert!(String::from_utf8(ran.out).unwrap().contains(wanted));
    // The header says how the page is read.
    let xhtml = "<h:html xmlns:h='http://www.w3.org/1999/xhtml'><h:title/><h:meta name='robots' content='noai'/></h:html>";
    let head = "Content-Type: application/xhtml+xml\nContent-Signal: ai-train=yes\n";
    let (page, head) = (folder.file("x.html", xhtml), folder.file("x.txt", head));
    let ran = run(args!["rights", "--agent", "Bot", "--headers", head, "--html", page, "/x"]);
    ran.status(0);
    let wanted =
        "  ai-train  disallow  html:meta:1: <meta name=\"robots\" content=\"noai\"> [noai-2022]\n";
    assert!(String::from_utf8(ran.out).unwrap().contains(wanted));
    // A part of a page, nobody says which.
    let head = "HTTP/1.1 206 Partial Content\nContent-Signal: ai-train=yes\n";
    let part = |more: &str| {
        let head = folder.file("206.txt", format!("{head}{more}"));
        let ran =
            run(args!["rights", "--agent", "Bot", "--headers", head, "--format", "json", "/x"]);
        let rights: Value = serde_json::from_slice(&ran.out).unwrap();
        (rights["ai-train"].clone(), rights["notes"].clone())
    };
    assert_eq!(part(""), ("unknown".into(), serde_json::json!(["page-cut"])));
    assert_eq!(part("Content-Range: bytes 0-9/10\n"), ("allow".into(), Value::Null));
    // What limits was read.
    let head = folder.file("n.txt", "X-Robots-Tag: nocache\nContent-Signal: ai-train=yes\n");
    let ran = run(args!["rights", "--agent", "Bot", "--reading", "bing", "--headers", head, "/x"]);
    ran.status(0);
    let wanted = "  ai-train  unknown   only a part may be used for it: see below\n";
    assert!(String::from_utf8(ran.out).unwrap().contains(wanted));
    // Nothing was given, so nothing is known.
    let wanted = "\
/x for Bot:
  crawl     unknown   no robots.txt was given
  index     unknown   no statement settles it
  snippet   unknown   no statement settles it
  ai-input  unknown   no statement settles it
  ai-train  unknown   no statement settles it
";
    run(args!["rights", "--agent", "Bot", "/x"]).gives(0, wanted);
}

#[test]
fn what_is_wrong() {
    let folder = Folder::of(&[("robots.txt", ROBOTS), ("h", "Vary: x\nno field\n")]);
    let robots = folder.path("robots.txt");
    let bot = |more: &[&str]| {
        let mut all = args!["rights", "--agent", "Bot"].to_vec();
        all.extend(more.iter().map(std::convert::Into::into));
        run(all)
    };
    run(args!["rights", "/x"]).fails(2, "robotsieve: no crawler was given: name one with --agent");
    bot(&["e.com/x"]).fails(2, "robotsieve: 'e.com/x' is invalid: give scheme://host/path");
    bot(&["--headers", folder.path("h").to_str().unwrap(), "/x"])
        .fails(2, ":2: expected 'Name: value', found 'no field'");
    bot(&["--file", "x", "/x"]).fails(2, "--file 'x': expected ADDRESS=FILE, but it has no '='");
    bot(&["--file", "license.xml=y", "/x"]).fails(2, "give the address in full");
    bot(&["--file", "/.well-known/tdmrep.json=none", "/x"]).fails(3, "cannot read file 'none'");
    bot(&["--html", "none", "/x"]).fails(3, "cannot read HTML file 'none'");
    bot(&["--html", "-", "--headers", "-", "/x"]).fails(2, "standard input can be read only once");
    bot(&["--reading", "other", "/x"]).fails(2, "one of generic, google, bing, yandex and amazon");
    bot(&["--vocabulary", "09", "/x"]).fails(2, "a draft from 01 to 08 is expected");
    bot(&["--robots", robots.to_str().unwrap(), "--now", "soon", "/x"]).fails(2, "a time is like");
}

/// Many statements cost time and output in proportion.
#[test]
fn many_lines() {
    let lines = "X-Robots-Tag: noindex, nosnippet, noai\n".repeat(20_000);
    let folder = Folder::of(&[("h", &lines)]);
    let ran = run(args!["rights", "--agent", "Bot", "--headers", folder.path("h"), "/x"]);
    ran.status(0).prints("and 19,980 more\n");
    assert!(ran.out.len() < 20_000);
}

/// The path of a file is one of the URL's site.
#[test]
fn files_by_path() {
    let folder = folder();
    let file = format!("/license.xml={}", folder.path("license.xml").display());
    let robots = folder.path("robots.txt");
    let url = "https://e.com/open/1";
    run(args!["rights", "--agent", "Bot", "--robots", robots, "--file", file, url])
        .prints("RSL licence https://e.com/license.xml (named by robots.txt:1): read\n");
}

/// `filter --purpose` judges by the lines of robots.txt about a use.
#[test]
fn filter() {
    let folder = folder();
    // What licences say is not known here, so nothing is allowed by a file that names one.
    let unlicensed = ROBOTS.replace("License:", "Sitemap:");
    let sites = Folder::of(&[
        ("e.com", &*unlicensed),
        ("f.com", "User-agent: *\nDisallow: /\n"),
        ("l.com", ROBOTS),
    ]);
    let urls = "https://e.com/open/1\nhttps://e.com/a\nhttps://e.com/private/\nhttps://f.com/\nhttps://g.com/\nx\n";
    let urls = folder.file("urls", urls);
    let filter = |purpose: &str, more: &[&str]| {
        let mut all = args!["filter", "--agent", "Bot", "--purpose", purpose].to_vec();
        all.extend(more.iter().map(std::convert::Into::into));
        all.extend(args!["--robots-dir", sites.root(), &urls]);
        run(all)
    };
    let verdicts = |purpose, verdicts: [&str; 6]| {
        let ran = filter(purpose, &["--format", "tsv"]);
        let out = String::from_utf8(ran.out).unwrap();
        let found: Vec<&str> = out.lines().map(|line| line.split('\t').next().unwrap()).collect();
        assert_eq!(found, verdicts, "{purpose}");
    };
    let (yes, no, unknown, invalid) = ("allow", "disallow", "unknown", "invalid");
    verdicts("ai-train", [yes, no, unknown, unknown, unknown, invalid]);
    verdicts("ai-input", [no, no, no, unknown, unknown, invalid]);
    verdicts("index", [yes, yes, yes, unknown, unknown, invalid]);
    filter("ai-train", &[]).gives(0, "https://e.com/open/1\n");
    filter("ai-train", &["--format", "denied"]).gives(0, "https://e.com/a\n");
    let wanted = "\
{\"url\":\"https://e.com/open/1\",\"verdicts\":[{\"agent\":\"Bot\",\"verdict\":\"allow\",\"by\":[\"robots.txt:5\"]}]}
";
    filter("ai-train", &["--format", "jsonl"]).prints(wanted);
    let licensed = folder.file("licensed", "https://l.com/open/1\nhttps://l.com/a\n");
    let ran = run(args![
        "filter",
        "--agent",
        "Bot",
        "--purpose",
        "ai-train",
        "--robots-dir",
        sites.root(),
        "--format",
        "tsv",
        licensed
    ]);
    assert_eq!(
        String::from_utf8(ran.out).unwrap(),
        "unknown\thttps://l.com/open/1\ndisallow\thttps://l.com/a\n"
    );
    filter("crawl", &[]).fails(2, "one of index, snippet, ai-input and ai-train is expected");
    run(args!["filter", "--store", "s", "--purpose", "index"]).fails(2, "cannot be used with");
}

/// The folder with the cases, beside the corpus that `#[corpus_test]` looked at.
fn cases() -> PathBuf {
    robotsieve_corpora::shared::corpus().join("../rights/cases.json")
}

/// Each published case through the command, as a user would ask.
#[corpus_test]
fn published_cases() {
    let cases: Vec<Value> = serde_json::from_slice(&fs::read(cases()).unwrap()).unwrap();
    assert_eq!(cases.len(), 133);
    for case in &cases {
        let input = &case["input"];
        let folder = Folder::of(&[]);
        let mut args = args!["rights", "--format", "json"].to_vec();
        let mut option = |name: &str, value: String| {
            args.push(name.into());
            args.push(value.into());
        };
        let file = |name: &str, text: &str| {
            fs::write(folder.path(name), text).unwrap();
            folder.path(name).display().to_string()
        };
        let text = |key: &str| input[key].as_str();
        option("--agent", text("crawler").unwrap().into());
        for (key, name) in [("reading", "--reading"), ("now", "--now")] {
            text(key).into_iter().for_each(|value| option(name, value.into()));
        }
        for (key, name) in [("robots", "--robots"), ("html", "--html")] {
            text(key).into_iter().for_each(|value| option(name, file(key, value)));
        }
        if let Some(version) = input["versions"]["aipref-vocab"].as_str() {
            option("--vocabulary", version.into());
        }
        if let Some(headers) = input["headers"].as_array() {
            let line = |pair: &Value| {
                format!("{}: {}\n", pair[0].as_str().unwrap(), pair[1].as_str().unwrap())
            };
            option("--headers", file("headers", &headers.iter().map(line).collect::<String>()));
        }
        for (number, (address, text)) in
            input["files"].as_object().into_iter().flatten().enumerate()
        {
            let name = file(&format!("file{number}"), text.as_str().unwrap());
            option("--file", format!("{address}={name}"));
        }
        args.push(text("url").unwrap().into());
        let ran = run(args);
        ran.status(0);
        let found: Value = serde_json::from_slice(&ran.out).unwrap();
        assert_eq!(differences(&case["expect"], &found), [""; 0], "{}", case["id"]);
    }
}

/// A record of an answer: `head` is the status and the fields of its header.
fn record(date: &str, url: &str, head: &str, body: &str) -> String {
    let block = format!("HTTP/1.1 {head}\r\n\r\n{body}");
    format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: {date}\r\nWARC-Target-URI: {url}\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

/// The published cases that are records of an archive: the last capture of the URL counts.
#[corpus_test]
fn published_archives() {
    let cases = fs::read(cases().with_file_name("cases_more.json")).unwrap();
    let cases: Vec<Value> = serde_json::from_slice(&cases).unwrap();
    let folder = Folder::of(&[]);
    let of_archives = cases.iter().filter(|case| !case["input"]["captures"].is_null());
    for case in of_archives.clone() {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let capture = |capture: &Value| {
            let fields = capture["headers"].as_array().unwrap();
            let fields =
                fields.iter().map(|field| format!("\r\n{}: {}", text(&field[0]), text(&field[1])));
            let head = format!("{} x{}", capture["status"], fields.collect::<String>());
            record(&text(&capture["date"]), &text(&capture["url"]), &head, &text(&capture["body"]))
        };
        let input = &case["input"];
        let archive: String = input["captures"].as_array().unwrap().iter().map(capture).collect();
        let path = folder.file("case.warc", archive);
        let ran = run(args!["rights", "--agent", text(&input["crawler"]), "--warc", path]);
        ran.status(0);
        let mut rows = records_of(&ran.out).into_iter();
        let row = rows.rfind(|row| row["url"] == input["url"]).unwrap();
        for (purpose, wanted) in case["expect"].as_object().unwrap() {
            assert_eq!(row[purpose], *wanted, "{}: {purpose}", case["id"]);
        }
    }
    assert_eq!(of_archives.count(), 7);
}

/// What could have said no and was not read allows nothing: each of these pages, for which somebody says yes,
/// was once listed as allowed.
#[test]
fn traps_of_archives() {
    const DATE: &str = "2026-03-01T10:00:00Z";
    const LATER: &str = "2026-03-01T11:00:00Z";
    const YES: &str = "Content-Signal: ai-train=yes\n";
    const RSL: &str = "<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license>\
        <prohibits type=\"usage\">ai-train</prohibits></license></content></rsl>";
    const RESERVED: &str = r#"[{"location": "/", "tdm-reservation": 1}]"#;
    let of = |path: &str, head: &str, body: &str| {
        record(DATE, &format!("https://e.com{path}"), head, body)
    };
    let robots = |more: &str| of("/robots.txt", "200 OK", &format!("{more}User-agent: *\n{YES}"));
    let licensed = |path: &str| robots(&format!("License: https://e.com{path}\n"));
    let page = || of("/p", "200 OK\r\nContent-Type: text/html", "<p>");
    let says_yes = || {
        let head = "200 OK\r\nContent-Type: text/html, text/html\r\nContent-Signal: ai-train=yes";
        of("/p", head, "<p>")
    };
    let tdm = |head: &str, body: &str| of("/.well-known/tdmrep.json", head, body);
    let found = |to: &str| format!("302 Found\r\nLocation: {to}");
    let typed = |kind: &str| format!("200 OK\r\nContent-Type: {kind}");
    let failed = record(LATER, "https://e.com/.well-known/tdmrep.json", "503 x", "");
    let link = "200 OK\r\nContent-Type: text/html\r\n\
        Link: <https://e.com/l>; rel=license; type=\"application/rsl+xml\"";
    let xhtml = "<html xmlns='http://www.w3.org/1999/xhtml'><title/>\
        <meta name='robots' content='noai'/></html>";
    let pdf = "%PDF-1.4 <x:xmpmeta xmlns:x='adobe:ns:meta/'>\
        <r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><r:Description \
        xmlns:t='http://www.w3.org/ns/tdmrep/' t:reservation='1'/></r:RDF></x:xmpmeta>\nstartxref\n9\n%%EOF\n";
    let free = r#"[{"location": "/", "tdm-reservation": 0}]"#;
    let before = |record: String| record.replacen("T10:00:00Z", "T09:00:00Z", 1);
    // What it repeats is not here.
    let revisit = |date| {
        let answer = record(date, "https://e.com/robots.txt", "200 OK", "");
        answer.replacen("response\r\n", "revisit\r\nWARC-Payload-Digest: sha1:X\r\n", 1)
    };
    let part = "200 OK\r\nContent-Range: bytes 0-99/200";
    let noai = "<!doctype html><meta name=robots content=noai>";
    let long = format!("User-agent: *\n{YES}{}Content-Signal: ai-train=no", "#\n".repeat(256_000));
    let no = "disallow";
    let folder = Folder::of(&[]);
    for (number, (records, wanted, note)) in [
        (vec![robots(""), page()], "allow", ""),
        (vec![says_yes(), of("/robots.txt", "404 x", "")], "allow", ""),
        (vec![tdm("404 x", ""), robots(""), page()], "allow", ""),
        (vec![tdm("200 OK", "[]"), robots(""), page()], "allow", ""),
        // 1, 2: robots.txt.
        (vec![says_yes()], "unknown", "robots-not-read"),
        (vec![says_yes(), of("/robots.txt", "503 x", "")], "unknown", "robots-not-read"),
        // 3 to 6: tdmrep.json.
        (
            vec![
                tdm(&found("/t"), ""),
                of("/t", &typed("text/html"), RESERVED),
                robots(""),
                page(),
            ],
            no,
            "",
        ),
        (vec![tdm(&found("/t"), ""), robots(""), page()], "unknown", "tdm-not-read"),
        (vec![tdm("503 x", ""), robots(""), page()], "unknown", "tdm-not-read"),
        (vec![tdm("200 OK", "<html>"), robots(""), page()], "unknown", "tdm-file"),
        (vec![tdm("200 OK", RESERVED), failed.clone(), robots(""), page()], no, ""),
        (
            vec![before(tdm("200 OK", free)), tdm("503 x", ""), robots(""), page()],
            "unknown",
            "tdm-not-read",
        ),
        // A failure after the page does not speak of it.
        (vec![tdm("200 OK", free), failed, robots(""), page()], "allow", ""),
        // 7 to 9: licences.
        (vec![licensed("/l"), page()], "unknown", "licence-not-given"),
        (vec![licensed("/l"), of("/l", &typed("text/html"), RSL), page()], no, ""),
        (
            vec![licensed("/l"), of("/l", &found("m#x"), ""), of("/m", "200 OK", RSL), page()],
            no,
            "",
        ),
        (vec![licensed("/l"), of("/l", "200 OK", "<rsl/>"), page()], "unknown", "licence-invalid"),
        (vec![robots(""), of("/l", &typed("image/png"), RSL), of("/p", link, "<p>")], no, ""),
        // 10 to 12: the page and its header.
        (
            vec![
                robots(""),
                page().replacen("WARC-Date", "WARC-Truncated: length\r\nWARC-Date", 1),
            ],
            "unknown",
            "page-cut",
        ),
        (
            vec![robots(""), of("/p", &(typed("text/html") + "\r\nContent-Length: 9"), "<p>")],
            "unknown",
            "page-cut",
        ),
        (vec![robots(""), of("/p", &typed("application/xhtml+xml"), xhtml)], no, ""),
        (
            vec![robots(""), of("/p", &typed("application/xhtml+xml"), "<p>&nbsp;</p>")],
            "unknown",
            "page-not-read",
        ),
        (
            vec![robots(""), of("/p", &typed("application/epub+zip"), "PK")],
            "unknown",
            "xmp-not-read",
        ),
        (
            vec![robots(""), of("/p", &(typed("text/html") + "\r\nX-Robots-Tag : noai"), "<p>")],
            no,
            "",
        ),
        // A page of another type, or of none.
        (vec![robots(""), of("/p", &typed("text/plain"), noai)], "unknown", "page-not-read"),
        (vec![robots(""), of("/p", "200 OK", noai)], no, ""),
        (vec![robots(""), of("/p", "200 OK", &format!("x{noai}"))], "unknown", "page-not-read"),
        (vec![robots(""), of("/p", &typed("html"), noai)], no, ""),
        (vec![robots(""), of("/p", &typed("text/html charset=utf-8"), noai)], no, ""),
        (vec![robots(""), of("/p", &typed("text/html:charset=utf-8"), noai)], no, ""),
        (vec![robots(""), of("/p", &typed("\"text/html\""), noai)], no, ""),
        (vec![robots(""), of("/p", &typed("text / html"), noai)], no, ""),
        (vec![robots(""), of("/p", &typed("application/json"), noai)], "allow", ""),
        // XML of a type that is no page's.
        (
            vec![robots(""), of("/p", &typed("application/vnd.wap.xhtml+xml"), xhtml)],
            "unknown",
            "page-not-read",
        ),
        (
            vec![robots(""), of("/p", &typed("image/svg+xml"), &format!("<svg>{xhtml}</svg>"))],
            "unknown",
            "page-not-read",
        ),
        (vec![robots(""), of("/p", &typed("text/xml"), noai)], "unknown", "page-not-read"),
        (vec![robots(""), of("/p", &typed("text/plain"), "<!doctype html>")], "allow", ""),
        // In an encoding whose markup is not that of ASCII.
        (
            vec![robots(""), of("/p", &typed("text/html; charset=utf-7"), "+ADw-meta")],
            "unknown",
            "page-not-read",
        ),
        (
            vec![robots(""), of("/p", &typed("application/xml; charset=ibm037"), "Lo")],
            "unknown",
            "page-not-read",
        ),
        (vec![robots(""), of("/p", &typed("text/html; charset=utf-7"), noai)], no, ""),
        (vec![robots(""), of("/p", &typed("text/html; charset=latin1"), "<p>")], "allow", ""),
        // No text, or XML with declarations.
        (vec![robots(""), of("/p", &typed("text/html"), "%PDF-1.4")], "unknown", "page-not-read"),
        (vec![robots(""), of("/p", &typed("text/html"), pdf)], no, "page-not-read"),
        (vec![robots(""), of("/p", &typed("text/plain"), pdf)], no, ""),
        // What stores of files send.
        (vec![robots(""), of("/p", &typed("binary/octet-stream"), pdf)], no, ""),
        (vec![robots(""), of("/p", &typed("application/x-pdf"), pdf)], no, ""),
        (
            vec![robots(""), of("/p", &typed("application/force-download"), noai)],
            "unknown",
            "page-not-read",
        ),
        (vec![robots(""), of("/p", &typed("application/force-download"), "PK")], "allow", ""),
        (
            vec![robots(""), of("/p", &typed("application/xhtml+xml"), "<!DOCTYPE x []><x/>")],
            "unknown",
            "page-not-read",
        ),
        (vec![robots("\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}"), page()], "unknown", "robots-not-read"),
        // Anything else in the place of a licence.
        (
            vec![licensed("/l.xml"), of("/l.xml", &typed("text/xml"), "<rsl"), page()],
            "unknown",
            "licence-invalid",
        ),
        (
            vec![licensed("/l.xml"), of("/l.xml", &typed("text/html"), "<p>Log in"), page()],
            "unknown",
            "licence-invalid",
        ),
        // A part of a document.
        (
            vec![robots(""), of("/p", &format!("{part}\r\nContent-Type: text/html"), "<p>")],
            "unknown",
            "page-cut",
        ),
        (
            vec![robots(""), of("/p", "206 x\r\nContent-Type: multipart/byteranges", "<p>")],
            "unknown",
            "page-cut",
        ),
        (
            vec![of("/robots.txt", part, &format!("User-agent: *\n{YES}")), page()],
            "unknown",
            "robots-not-read",
        ),
        (vec![tdm(part, free), robots(""), page()], "unknown", "tdm-not-read"),
        (vec![tdm("206 x", free), robots(""), page()], "unknown", "tdm-not-read"),
        (vec![licensed("/l"), of("/l", part, RSL), page()], "unknown", "licence-not-given"),
        // Behind the 500 KiB that are read.
        (vec![of("/robots.txt", "200 OK", &long), page()], "unknown", "robots-not-read"),
        // Another robots.txt was in force than the one that is here, or may have been.
        (vec![before(robots("")), revisit(DATE), page()], "unknown", "robots-not-read"),
        (
            vec![revisit(DATE), robots("").replacen(DATE, LATER, 1), page()],
            "unknown",
            "robots-not-read",
        ),
        (vec![robots(""), revisit(LATER), page()], "allow", ""),
        // Nobody said that there is none.
        (vec![says_yes(), of("/robots.txt", "403 x", "")], "unknown", "robots-not-read"),
        (vec![says_yes(), of("/robots.txt", "429 x", "")], "unknown", "robots-not-read"),
        (
            vec![says_yes(), of("/robots.txt", &found("/robots.txt"), "")],
            "unknown",
            "robots-not-read",
        ),
        (vec![says_yes(), of("/robots.txt", "410 x", "")], "allow", ""),
        (
            vec![robots(""), of("/p", &(typed("text/html") + "\r\ntdm-reservation: true"), "<p>")],
            "unknown",
            "tdm-value",
        ),
        (
            vec![before(robots("")), of("/robots.txt", &found("https://f.com/"), ""), page()],
            "unknown",
            "robots-not-read",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let path = folder.file("trap.warc", records.concat());
        let rights = |more: &[&str]| {
            let first = args!["rights", "--agent", "a", "--warc", &path];
            let ran = run(first.into_iter().chain(more.iter().map(Into::into)));
            ran.status(0);
            let lines = String::from_utf8(ran.out).unwrap();
            let records = lines.lines().filter(|line| line.starts_with("{\"url\":"));
            records.map(|line| format!("{line}\n")).collect::<String>()
        };
        let lines = rights(&[]);
        let line = lines.lines().find(|line| line.contains("\"https://e.com/p\"")).unwrap();
        let row: Value = serde_json::from_str(line).unwrap();
        assert_eq!(row["ai-train"], wanted, "{number}: {row}");
        let notes: Vec<&str> =
            row["notes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        assert!(note.is_empty() || notes.contains(&note), "{number}: {row}");
        let allowed = rights(&["--only", "allowed", "--purpose", "ai-train"]);
        let is_listed = wanted == "allow" && row["page"] == "read";
        let wanted_line = if is_listed { format!("{line}\n") } else { String::new() };
        assert_eq!(allowed, wanted_line, "{number}");
        let not_disallowed = rights(&["--only", "not-disallowed", "--purpose", "ai-train"]);
        assert_eq!(
            not_disallowed.contains(line),
            wanted != no && row["page"] == "read",
            "{number}"
        );
    }
}

fn archive() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpora/archives/pages.warc")
}

/// Each response has a line, in the order of the archive, whatever the number of threads.
#[test]
fn archives() {
    let ran = run(args!["rights", "--agent", "ExampleBot", "--warc", archive()]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let rows = records_of(&ran.out);
    let of = |url: &str| {
        let row = rows.iter().find(|row| row["url"] == url).unwrap_or_else(|| panic!("{url}"));
        (row["ai-train"].as_str().unwrap(), row["by"]["ai-train"].to_string(), row)
    };
    assert_eq!(rows.len(), 15);
    for (url, ruling, by) in [
        ("https://news.example/press/launch", "allow", "[\"robots.txt:4\"]"),
        ("https://news.example/press/photos", "disallow", "[\"header:x-robots-tag:1\"]"),
        ("https://news.example/world/election", "disallow", "[\"robots.txt:3\"]"),
        ("https://blog.example/essay", "allow", "[\"header:content-signal\"]"),
        ("https://museum.example/visit", "allow", "[\"file:/.well-known/tdmrep.json:2\"]"),
        (
            "https://wiki.example/robotstxt",
            "allow",
            "[\"rsl:https://wiki.example/license.xml:1.1\"]",
        ),
        ("https://shop.example/shoes", "unknown", "null"),
    ] {
        let (found, found_by, _) = of(url);
        assert_eq!((found, &found_by[..]), (ruling, by), "{url}");
    }
    let (_, _, shop) = of("https://shop.example/shoes");
    assert_eq!((&shop["robots"], &shop["crawl"]), (&Value::Null, &"unknown".into()));
    let (_, _, draft) = of("https://blog.example/draft");
    assert_eq!((&draft["robots"], &draft["index"]), (&"allow-all".into(), &"disallow".into()));
    assert_eq!((&draft["page"], &draft["agent"]), (&"read".into(), &"ExampleBot".into()));
    let one = run(args!["rights", "--agent", "ExampleBot", "--threads", "1", "--warc", archive()]);
    one.gives(0, &ran.out);
}

/// Records are verified from the archives alone: with the settings that they name.
#[test]
fn verified_records() {
    let folder = Folder::of(&[]);
    let rights = args![
        "rights",
        "--agent",
        "ExampleBot",
        "--reading",
        "bing",
        "--vocabulary",
        "07",
        "--profile",
        "google",
        "--now",
        "2026-11-20",
        "--warc",
        archive()
    ];
    let ran = run(rights);
    ran.status(0);
    let lines = String::from_utf8(ran.out).unwrap();
    let verify = |records: &str| {
        run(args!["rights", "--verify", folder.file("records.jsonl", records), "--warc", archive()])
    };
    let ran = verify(&lines);
    ran.status(0);
    assert!(ran.err.contains("records 15 same 15 differ 0 missing 0"), "{}", ran.err);
    for record in records_of(lines.as_bytes()) {
        assert_eq!(record["schema"], "robotsieve-rights-1");
        for (setting, wanted) in
            [("profile", "google"), ("reading", "bing"), ("vocabulary", "aipref-vocab-07")]
        {
            assert_eq!(record[setting], wanted);
        }
        assert!(!record["tool_version"].is_null());
        let versions = record["versions"].as_object().cloned().unwrap_or_default();
        let places: Vec<&Value> =
            versions.values().flat_map(|all| all.as_array().unwrap()).collect();
        for purpose in ["index", "snippet", "ai-input", "ai-train"] {
            for place in record["by"][purpose].as_array().into_iter().flatten() {
                assert!(places.contains(&place), "{record}");
            }
        }
    }
    assert!(lines.contains("\"sha256\":\""));
    // Any change is found, and told with its line.
    let forged = lines.replacen("\"ai-train\":\"disallow\"", "\"ai-train\":\"allow\"", 1);
    let ran = verify(&forged);
    assert_eq!(ran.status, 1);
    assert!(
        ran.err.contains("'ai-train' is \"allow\", but \"disallow\" by the archives"),
        "{}",
        ran.err
    );
    let elsewhere = lines.replacen("/press/launch\"", "/press/other\"", 1);
    let ran = verify(&elsewhere);
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("the archives do not have its response"), "{}", ran.err);
    assert!(ran.err.contains("same 14 differ 0 missing 1"), "{}", ran.err);
    verify("{}\n").fails(2, "records.jsonl:1: expected a record");
    verify("").fails(2, "has no record");
}

/// What cannot be read is told once, though the files are read several times, and the rest is printed.
#[test]
fn damaged_archives() {
    let bytes = fs::read(archive()).unwrap();
    let response = |head: &str, body: &str| {
        let block = format!("HTTP/1.1 200 OK\r\n{head}\r\n{body}");
        format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: 2026-03-01T10:00:00Z\r\n\
             WARC-Target-URI: https://news.example/press/cut\r\n\
             Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    };
    let html = "Content-Type: text/html\r\n";
    let short = response(&format!("{html}Content-Length: 100\r\n"), "<p>");
    let untyped = response("", "  <meta name=robots content=noindex>");
    let cut = response(html, "<p>").replacen("WARC-Date", "WARC-Truncated: length\r\nWARC-Date", 1);
    let text = "what is this?\r\n".to_owned();
    let damaged =
        [&bytes[..], text.as_bytes(), short.as_bytes(), untyped.as_bytes(), cut.as_bytes()];
    let folder = Folder::of(&[]);
    let path = folder.file("damaged.warc", damaged.concat());
    let ran =
        run(args!["rights", "--agent", "ExampleBot", "--warc", &path, folder.path("none.warc")]);
    assert_eq!(ran.status, 3, "{ran:?}");
    let rows = records_of(&ran.out);
    let pages: Vec<&Value> = rows[15..].iter().map(|row| &row["page"]).collect();
    assert_eq!(pages, ["cut", "read", "cut"]);
    assert_eq!(rows[16]["index"], "disallow");
    let told = ran.err;
    assert_eq!(told.matches("no record begins here; left out").count(), 1, "{told}");
    assert_eq!(told.matches("cannot read WARC file").count(), 1, "{told}");
}

#[test]
fn what_archives_cannot_be_asked() {
    let rights = |more: &[&str]| {
        let first = args!["rights", "--agent", "a", "--warc", archive()];
        run(first.into_iter().chain(more.iter().map(Into::into)))
    };
    rights(&["--format", "text"]).fails(2, "give --format jsonl or parquet");
    rights(&["--robots", "x"]).fails(2, "cannot be used with");
    run(args!["rights", "--agent", "a", "--warc", "-"]).fails(2, "and '-' is not a regular file");
    run(args!["rights", "--agent", "a", "--format", "parquet", "/"]).fails(2, "are for --warc");
    run(args!["rights", "--agent", "a"]).fails(2, "<URL>");
    rights(&["--only", "allowed"]).fails(2, "--purpose <PURPOSE>");
    rights(&["--purpose", "ai-train"]).fails(2, "--only <WHICH>");
    rights(&["--only", "allowed", "--purpose", "x"]).fails(2, "one of crawl, index, snippet");
    run(args!["rights", "--agent", "a", "--only", "allowed", "--purpose", "index", "/"])
        .fails(2, "--only is for --warc");
}

#[cfg(feature = "parquet")]
#[test]
fn archives_as_parquet() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    let lines = run(args!["rights", "--agent", "ExampleBot", "--warc", archive()]);
    let lines = records_of(&lines.out);
    let ran =
        run(args!["rights", "--agent", "ExampleBot", "--format", "parquet", "--warc", archive()]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let folder = Folder::of(&[]);
    let path = folder.file("rights.parquet", &ran.out);
    let reader = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
    let (mut count, mut names) = (0, BTreeSet::new());
    for (row, line) in reader.get_row_iter(None).unwrap().zip(lines) {
        let row = row.unwrap();
        for (column, (name, _)) in row.get_column_iter().enumerate() {
            let wanted = &line[name.as_str()];
            names.insert(name.clone());
            match name.as_str() {
                "status" | "offset" => {
                    assert_eq!(row.get_long(column).unwrap(), wanted.as_i64().unwrap())
                }
                _ if wanted.is_array() || wanted.is_object() || wanted.is_boolean() => {
                    let text: Value =
                        serde_json::from_str(row.get_string(column).unwrap()).unwrap();
                    assert_eq!(&text, wanted, "{name}");
                }
                _ => assert_eq!(
                    row.get_string(column).ok().map(String::as_str),
                    wanted.as_str(),
                    "{name}"
                ),
            }
        }
        count += 1;
        let is_column = |(name, _): (&String, &Value)| names.contains(name);
        assert!(line.as_object().unwrap().iter().all(is_column), "{line}");
    }
    assert_eq!(count, 15);
    assert_eq!(names.len(), RIGHTS_MEMBERS.len());
}

/// The schema names the members as the table does that Parquet has its columns from.
#[test]
fn members_of_records() {
    let schema: Value = serde_json::from_str(include_str!("../../src/schema/rights.json")).unwrap();
    let of = |part: &str| schema["$defs"][part]["properties"].as_object().unwrap().clone();
    let mut names: BTreeSet<String> =
        of("record").into_iter().chain(of("basis")).map(|(name, _)| name).collect();
    // The name of a basis; records call it `basis`.
    assert!(names.remove("digest"));
    assert_eq!(names, RIGHTS_MEMBERS.map(str::to_owned).into());
}

/// Of a document the newest capture counts, whatever it is, and only at its own address.
#[test]
fn documents_in_archives() {
    let free_body = "[{\"location\":\"/\",\"tdm-reservation\":0}]";
    let free = |date, query: &str| {
        let url = format!("https://e.com/.well-known/tdmrep.json{query}");
        record(date, &url, "200 OK", free_body)
    };
    let tdm = "https://e.com/.well-known/tdmrep.json";
    let reserved = "[{\"location\":\"/\",\"tdm-reservation\":1}]";
    let licence = "https://e.com/license.xml";
    let html = "200 OK\r\nContent-Type: text/html";
    let page = record("2026-03-01T12:00:00Z", "https://e.com/a", html, "<p>");
    let (old, new) = ("2026-03-01T10:00:00Z", "2026-03-01T11:00:00Z");
    let robots = record(
        old,
        "https://e.com/robots.txt",
        "200 OK",
        &format!("License: {licence}\nLicense: {licence}#again\nUser-agent: *\nDisallow:\n"),
    );
    let folder = Folder::of(&[]);
    let of = |name: &str, records: &[&str]| {
        let path = folder.file(name, records.concat());
        let ran = run(args!["rights", "--agent", "a", "--warc", path]);
        let lines = String::from_utf8(ran.out).unwrap();
        let row = lines.lines().find(|line| line.contains("\"https://e.com/a\"")).unwrap();
        (ran.status, serde_json::from_str::<Value>(row).unwrap())
    };
    let training = |name: &str, records: &[&str]| {
        let (_, row) = of(name, records);
        row["ai-train"].as_str().unwrap().to_owned()
    };
    // Their bodies are no documents, even if they read like one.
    let gone = record(new, tdm, "404 Not Found", free_body);
    let partly = record(new, tdm, "206 Partial Content", free_body);
    let later = record(new, tdm, "200 OK", reserved);
    let none = record(old, "https://e.com/robots.txt", "404 Not Found", "");
    assert_eq!(training("free", &[&none, &free(old, ""), &page]), "allow");
    assert_eq!(training("gone", &[&none, &free(old, ""), &gone, &page]), "unknown");
    assert_eq!(training("partly", &[&none, &free(old, ""), &partly, &page]), "unknown");
    assert_eq!(training("later", &[&later, &free(old, ""), &page]), "disallow");
    assert_eq!(training("same", &[&free(new, ""), &later, &page]), "disallow");
    assert_eq!(
        training("query", &[&later, &free("2026-03-01T11:30:00Z", "?x"), &page]),
        "disallow"
    );
    let (status, row) = of("future", &[&later, &free("2999-01-01T00:00:00Z", ""), &page]);
    assert_eq!((status, &row["ai-train"]), (3, &"disallow".into()));
    // A licence, and a web page in its place.
    let rsl = "<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license>\
        <permits type=\"usage\">ai-train</permits></license></content></rsl>";
    let xml = "200 OK\r\nContent-Type: application/xml";
    let licensed = record(old, licence, xml, &format!("<!--{}-->{rsl}", "x".repeat(100_000)));
    assert_eq!(training("licence", &[&robots, &licensed, &page]), "allow");
    let instead = record(new, licence, html, "<p>");
    assert_eq!(training("no licence", &[&robots, &licensed, &instead, &page]), "unknown");
    // A part of a page is not read as a whole.
    let part =
        record(new, "https://e.com/a", "206 Partial Content\r\nContent-Type: text/html", "<p>");
    assert_eq!(of("part", &[&part]).1["page"], "cut");
}
