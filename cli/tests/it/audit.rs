//! `audit`: formats of logs, who is a crawler, what is counted.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::command::site::{answered, site};
use crate::command::{Command, Folder, Ran, gzip, in_shell, run_in, run_with};

const ROBOTS: &str = "User-agent: GPTBot\nDisallow: /\nAllow: /press/\n\n\
    User-agent: *\nDisallow: /search\nDisallow: /*.pdf$\n";

const GPTBOT: &str = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.1; +https://openai.com/gptbot)";
const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/// A line of the combined format, at this minute.
fn line(minute: u32, path: &str, header: &str) -> String {
    format!(
        "192.0.2.7 - - [20/Nov/2026:12:{minute:02}:00 +0100] \"GET {path} HTTP/1.1\" 200 5 \"-\" \"{header}\"\n"
    )
}

fn log() -> String {
    [
        line(1, "/robots.txt", GPTBOT),
        line(2, "/press/x", GPTBOT),
        line(3, "/a", GPTBOT),
        line(4, "/b", GPTBOT),
        line(5, "/search?q=x", "Xyzbot/1.0"),
        line(6, "/a", "Xyzbot/1.0"),
        line(7, "/search", BROWSER),
        line(8, "/search", "-"),
    ]
    .concat()
}

fn folder() -> Folder {
    Folder::of(&[("robots.txt", ROBOTS), ("access.log", &log())])
}

fn audit(folder: &Folder, args: &[&str]) -> Ran {
    let args = std::iter::once("audit").chain(args.iter().copied());
    run_in(&folder.root(), args.map(std::ffi::OsString::from))
}

#[track_caller]
fn report(folder: &Folder, args: &[&str]) -> Value {
    let args = [&["--format", "json"], args].concat();
    let ran = audit(folder, &args);
    serde_json::from_slice(&ran.out).unwrap_or_else(|_| panic!("{ran:?}"))
}

/// The numbers of a report, those of lines first.
fn numbers(report: &Value) -> [u64; 6] {
    ["lines", "damaged", "too_long", "judged", "forbidden", "other_clients"]
        .map(|name| report[name].as_u64().unwrap_or_else(|| panic!("{name}: {report}")))
}

/// Requests, and those that are forbidden, of a crawler.
fn of(report: &Value, name: &str) -> [u64; 2] {
    let mut crawlers = report["crawlers"].as_array().unwrap().iter();
    let found = crawlers.find(|crawler| crawler["name"] == name);
    let found = found.unwrap_or_else(|| panic!("no {name}: {report}"));
    ["requests", "forbidden"].map(|count| found[count].as_u64().unwrap())
}

const REPORT: &str = "\
crawler   requests  forbidden   share  first                 last                  robots.txt
AI training
  GPTBot         4          2  50.0 %  2026-11-20T11:01:00Z  2026-11-20T11:04:00Z  1
    line 2 Disallow: /  2 requests: /a  /b
not known
  Xyzbot         2          1  50.0 %  2026-11-20T11:05:00Z  2026-11-20T11:06:00Z  never
    line 6 Disallow: /search  1 request: /search?q=x

3 of 6 requests by crawlers forbidden (50.0 %), of 2 of 2 crawlers
not judged: 1 by other clients, 1 without a User-Agent header
never asked for /robots.txt in these logs: Xyzbot
Names are those of User-Agent headers, which anybody can forge; --ranges checks addresses that operators publish.
";

#[test]
fn the_report() {
    let ran = audit(&folder(), &["robots.txt", "access.log"]);
    ran.gives(1, REPORT);
    assert_eq!(ran.err, "");
}

/// Once a server refuses, the report says how much of what is forbidden got nothing.
#[test]
fn refused_requests() {
    let folder = folder();
    let log = log().replacen("\"GET /a HTTP/1.1\" 200", "\"GET /a HTTP/1.1\" 403", 1);
    folder.file("access.log", log);
    let ran = audit(&folder, &["robots.txt", "access.log"]);
    let rule = "    line 2 Disallow: /  2 requests: /a  /b\n";
    let refused = "    of 2 forbidden, 1 got no content (status 4xx)\n";
    ran.gives(1, REPORT.replace(rule, &format!("{rule}{refused}")));
}

#[test]
fn nobody_disobeys() {
    let folder = folder();
    folder.file("good.log", [line(1, "/press/", GPTBOT), line(2, "/", BROWSER)].concat());
    let ran = audit(&folder, &["robots.txt", "good.log"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
    // Not forbidden for anybody, with any file.
    folder.file("all.txt", "User-agent: *\nDisallow: /\n");
    folder.file("robots.log", line(1, "/robots.txt", GPTBOT));
    assert_eq!(audit(&folder, &["all.txt", "robots.log"]).status, 0);
    folder.file("empty.log", "");
    let ran = audit(&folder, &["robots.txt", "empty.log"]);
    // That is no all-clear.
    ran.gives(3, "0 of 0 requests by crawlers forbidden (0 %), of 0 of 0 crawlers\n");
}

#[test]
fn the_json() {
    let report = report(&folder(), &["robots.txt", "access.log"]);
    assert_eq!(numbers(&report), [8, 0, 0, 6, 3, 1]);
    assert_eq!(report["robots"], json!([{ "file": "robots.txt", "from": null, "judged": 6 }]));
    assert_eq!(report["formats"], json!(["combined"]));
    let [gptbot, xyzbot] = [0, 1].map(|number: usize| &report["crawlers"][number]);
    assert_eq!(gptbot["purpose"], "ai-training");
    assert_eq!(gptbot["operator"], "OpenAI");
    assert_eq!(gptbot["robots_txt"], 1);
    assert_eq!(gptbot["first"], "2026-11-20T11:01:00Z");
    assert_eq!(gptbot["forbidden_by_status"], json!([{ "status": "2xx", "requests": 2 }]));
    assert_eq!(gptbot["verified"], Value::Null);
    let examples = json!([{ "cut": false, "path": "/a" }, { "cut": false, "path": "/b" }]);
    let rule = json!({ "file": 0, "line": 2, "rule": "/", "requests": 2, "examples": examples });
    assert_eq!(gptbot["rules"], json!([rule]));
    assert_eq!([&xyzbot["name"], &xyzbot["token"]], ["Xyzbot", "Xyzbot"]);
    assert_eq!([&xyzbot["purpose"], &xyzbot["operator"]], [&Value::Null, &Value::Null]);
    let ran = audit(&folder(), &["--json", "robots.txt", "access.log"]);
    assert_eq!(serde_json::from_slice::<Value>(&ran.out).unwrap(), report);
}

#[test]
fn offending_lines() {
    let wanted =
        [line(3, "/a", GPTBOT), line(4, "/b", GPTBOT), line(5, "/search?q=x", "Xyzbot/1.0")];
    audit(&folder(), &["--list", "robots.txt", "access.log"])
        .gives(1, wanted.concat())
        .says("3 of 6 requests by crawlers forbidden");
}

/// The same three requests in each format.
/// A line of a log, for a path and a User-Agent header.
type LineOf<'l> = dyn Fn(&str, &str) -> String + 'l;

#[test]
fn formats() {
    let folder = folder();
    let caddy = |path: &str, header: &str| {
        let request = json!({
            "remote_ip": "192.0.2.7", "host": "e.com", "uri": path, "method": "GET",
            "headers": { "Accept": ["*/*"], "User-Agent": [header] },
        });
        format!("{}\n", json!({ "ts": 1763636460.25, "request": request, "status": 200 }))
    };
    let cloudflare = |path: &str, header: &str| {
        let line = json!({
            "ClientIP": "192.0.2.7", "ClientRequestHost": "e.com", "ClientRequestURI": path,
            "ClientRequestUserAgent": header, "EdgeStartTimestamp": "2026-11-20T12:01:00Z",
            "EdgeResponseStatus": 200,
        });
        format!("{line}\n")
    };
    let combined = |path: &str, header: &str| {
        // As nginx writes it.
        line(1, path, &header.replace('\\', r"\x5C").replace('"', r"\x22"))
    };
    // As Apache does.
    let apache =
        |path: &str, header: &str| line(1, path, &header.replace('\\', r"\\").replace('"', "\\\""));
    let host = |path: &str, header: &str| format!("e.com:443 {}", combined(path, header));
    let main = |path: &str, header: &str| combined(path, header).replace("\"\n", "\" \"-\"\r\n");
    let formats: [(&str, &LineOf<'_>); 6] = [
        ("combined", &combined),
        ("combined", &apache),
        ("combined", &host),
        ("combined", &main),
        ("caddy", &caddy),
        ("cloudflare", &cloudflare),
    ];
    for (number, (name, write)) in formats.into_iter().enumerate() {
        let requests = [("/a", GPTBOT), ("/search", r#"x"y\z; Xyzbot/1.0"#), ("/search", BROWSER)];
        let text: String = requests.iter().map(|(path, header)| write(path, header)).collect();
        folder.file("log", &text);
        for args in [&["robots.txt", "log"][..], &["--log-format", name, "robots.txt", "log"]] {
            let report = report(&folder, args);
            assert_eq!(numbers(&report), [3, 0, 0, 2, 2, 1], "{number}: {report}");
            assert_eq!(report["formats"], json!([name]));
            assert_eq!(of(&report, "GPTBot"), [1, 1]);
            assert_eq!(of(&report, "Xyzbot"), [1, 1]);
        }
        let hosts = ["--host", "E.com", "robots.txt", "log"];
        assert_eq!(numbers(&report(&folder, &hosts))[3], 2, "{number}");
        let hosts = ["--host", "other.e.com", "robots.txt", "log"];
        let judged = if number == 2 || number > 3 { 0 } else { 2 };
        assert_eq!(numbers(&report(&folder, &hosts))[3], judged, "{number}");
    }
}

#[test]
fn the_common_format_has_no_crawlers() {
    let folder = folder();
    let common = r#"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /x HTTP/1.0" 200 2326"#;
    folder.file("common.log", format!("{common}\n"));
    let ran = audit(&folder, &["robots.txt", "common.log"]);
    ran.says("no line of the logs has a User-Agent header").status(3);
    let report = report(&folder, &["robots.txt", "common.log"]);
    assert_eq!([&report["formats"][0], &report["without_header"]], [&json!("common"), &json!(1)]);
}

#[test]
fn no_requests_and_requests_twice() {
    let folder = folder();
    folder.file("empty.log", "");
    audit(&folder, &["robots.txt", "empty.log"]).says("the logs have no lines").status(3);
    let logs = ["robots.txt", "access.log", "./access.log"];
    audit(&folder, &logs).fails(2, "'./access.log' was given twice");
}

#[test]
fn format_strings() {
    let folder = folder();
    for format in [
        r#"$remote_addr - - [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent""#,
        r#"%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i""#,
    ] {
        let mut told = report(&folder, &["--format-string", format, "robots.txt", "access.log"]);
        assert_eq!(told["formats"], json!(["format-string"]));
        told["formats"] = json!(["combined"]);
        assert_eq!(told, report(&folder, &["robots.txt", "access.log"]));
    }
    for (format, message) in [
        ("$request", "--format-string: it lacks the User-Agent header"),
        ("combined", "neither variables of nginx"),
    ] {
        audit(&folder, &["--format-string", format, "robots.txt", "access.log"]).fails(2, message);
    }
    let untimed = r#"$request_uri	$http_user_agent"#;
    folder.file("tabs.log", format!("/a\t{GPTBOT}\n"));
    let report = report(&folder, &["--format-string", untimed, "robots.txt", "tabs.log"]);
    assert_eq!(of(&report, "GPTBot"), [1, 1]);
    assert_eq!(report["crawlers"][0]["first"], Value::Null);
    let dated = ["--robots", "2026-11-20=robots.txt", "--robots", "2026-11-21=robots.txt"];
    let args = [&["--format-string", untimed], &dated[..], &["tabs.log"]].concat();
    audit(&folder, &args).fails(2, "lacks the time");
}

#[test]
fn compressed_and_piped() {
    let folder = folder();
    let gzip = gzip(log().as_bytes());
    folder.file("log.gz", &gzip);
    folder.file("log.zst", zstd::encode_all(log().as_bytes(), 1).unwrap());
    let one = report(&folder, &["robots.txt", "access.log"]);
    assert_eq!(report(&folder, &["robots.txt", "log.gz"]), one);
    assert_eq!(report(&folder, &["robots.txt", "log.zst"]), one);
    let robots = folder.path("robots.txt");
    for input in [log().as_bytes(), &gzip] {
        let ran = run_with(args!["audit", "--list", &robots, "-"], input);
        assert_eq!((ran.status, ran.out.split(|byte| *byte == b'\n').count()), (1, 4), "{ran:?}");
    }
    let three = report(&folder, &["robots.txt", "access.log", "log.gz", "log.zst"]);
    assert_eq!(numbers(&three), numbers(&one).map(|number| 3 * number));
    for (name, first, says) in [
        (
            "log.xz",
            &b"\xfd7zXZ\0\0\x04"[..],
            "it is compressed with xz, which is not read here: pipe what 'xz -dc FILE'",
        ),
        (
            "log.bz2",
            b"BZh91AY&SY\x01",
            "it is compressed with bzip2, which is not read here: pipe what 'bzip2 -dc FILE'",
        ),
    ] {
        folder.file(name, first);
        let ran = audit(&folder, &["robots.txt", name]);
        ran.says(says);
        assert_eq!(ran.status, 3);
    }
    // Text may begin like that.
    folder.file("text.log", ["BZh9 ", &log()].concat());
    assert_eq!(report(&folder, &["robots.txt", "text.log"])["damaged"], 0);
    // Cut off.
    folder.file("cut.gz", &gzip[..gzip.len() - 12]);
    let ran = audit(&folder, &["robots.txt", "cut.gz", "access.log"]);
    ran.says("cut.gz' breaks off");
    assert_eq!(ran.status, 3);
    // Whoever has only the report is told too.
    let text = String::from_utf8_lossy(&ran.out);
    assert!(text.contains("\ncould not be read, or not to the end: cut.gz\n"), "{text}");
    let ran = audit(&folder, &["--json", "robots.txt", "missing", "access.log", "cut.gz"]);
    let report: Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!(report["unread"], json!(["missing", "cut.gz"]));
    assert_eq!(one["unread"], json!([]));
}

#[test]
fn files_by_date() {
    let folder = folder();
    folder.file("old.txt", "User-agent: *\nDisallow: /old\n");
    folder.file("new.txt", "User-agent: *\nDisallow: /new\n");
    let day =
        |day: u32, path: &str| line(0, path, "Xyzbot/1.0").replace("20/Nov", &format!("{day}/Nov"));
    let log = [day(10, "/old"), day(10, "/new"), day(20, "/old"), day(20, "/new")].concat();
    folder.file("log", log);
    let list = |args: &[&str]| {
        let ran = audit(&folder, &[&["--list"], args, &["log"]].concat());
        assert!([0, 1].contains(&ran.status), "{ran:?}");
        let out = String::from_utf8(ran.out).unwrap();
        let words = out.lines().map(|line| {
            let mut words = line.split(' ');
            [words.nth(3).unwrap()[1..3].to_owned(), words.nth(2).unwrap().to_owned()].concat()
        });
        words.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(list(&["old.txt"]), "10/old 20/old");
    assert_eq!(list(&["--robots", "old.txt"]), "10/old 20/old");
    let new = "2026-11-15=new.txt";
    // In any order.
    assert_eq!(list(&["--robots", new, "--robots", "old.txt"]), "10/old 20/new");
    // For a day a crawler may use its copy of the file before.
    for (from, count) in [("2026-11-19T11:00:01Z", 0), ("2026-11-19T11:00:00Z", 1)] {
        let new = format!("{from}=new.txt");
        let ran = audit(&folder, &["--robots", "2026-11-11=old.txt", "--robots", &new, "log"]);
        ran.prints(&format!("{} of 4 requests by crawlers forbidden", count + 1));
        let note = "1 request within 24 hours of a new file that an earlier one allows";
        let has_note = String::from_utf8_lossy(&ran.out).contains(note);
        assert_eq!(has_note, count == 0, "{ran:?}");
    }
    assert_eq!(list(&["--robots", "2026-11-01=old.txt", "--robots", new]), "10/old 20/new");
    // Nobody knows what was before the first date.
    assert_eq!(list(&["--robots", new]), "10/new 20/new");
    let args = ["--robots", new, "--robots", "2026-11-19T10:59:59Z=old.txt", "log"];
    let report = report(&folder, &args);
    assert_eq!(report["before_first"], 2);
    assert_eq!([&report["robots"][0]["judged"], &report["robots"][1]["judged"]], [2, 2]);
    audit(&folder, &args).says("2 requests were made before the date of 'new.txt'");
    let text = String::from_utf8(audit(&folder, &args).out).unwrap();
    assert!(text.contains("    old.txt, line 2 Disallow: /old  1 request: /old\n"), "{text}");

    let twice = ["--robots", new, "--robots", "2026-11-15T00:00:00Z=old.txt", "log"];
    audit(&folder, &twice).fails(2, "are for the same time");
    audit(&folder, &["--robots", "2026-11-31=new.txt", "log"])
        .fails(2, "'2026-11-31' is not a date");
    audit(&folder, &["--robots", new]).fails(2, "no LOG was given");
    audit(&folder, &["robots.txt"]).fails(2, "no LOG was given");
    audit(&folder, &["-", "-"]).fails(2, "standard input can be read only once");
}

#[test]
fn published_addresses() {
    let folder = folder();
    let from = |address: &str| line(1, "/a", GPTBOT).replace("192.0.2.7", address);
    let log = ["192.0.2.7", "2001:db8::7", "198.51.100.1", "crawl.e.com"].map(from).concat();
    folder.file("log", log + &line(2, "/", "Xyzbot"));
    let ranges = r#"{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"},{"ipv6Prefix":"2001:db8::/32"}]}"#;
    folder.file("gptbot.json", ranges);
    folder.file("other.json", ranges);
    for option in ["gptbot.json", "GPTBot=other.json"] {
        let report = report(&folder, &["--ranges", option, "robots.txt", "log"]);
        let sources = ["published", "other", "unknown"].map(|source| {
            let mut crawlers = report["crawlers"].as_array().unwrap().iter();
            let found = crawlers.find(|crawler| crawler["source"] == source).unwrap();
            (found["forbidden"].as_u64().unwrap(), &found["verified"])
        });
        let others = json!([{ "address": "198.51.100.1", "requests": 1, "forbidden": 1 }]);
        let none = json!({ "requests": 0, "forbidden": 0, "others": [], "more_others": 1 });
        let other = json!({ "requests": 0, "forbidden": 0, "others": others, "more_others": 0 });
        let own = json!({ "requests": 2, "forbidden": 2, "others": [], "more_others": 0 });
        assert_eq!(sources, [(2, &own), (1, &other), (1, &none)]);
        assert_eq!(report["crawlers"][3]["source"], Value::Null);
        assert_eq!(report["crawlers"][3]["verified"], Value::Null);
    }
    let ran = audit(&folder, &["--ranges", "gptbot.json", "robots.txt", "log"]);
    let text = String::from_utf8(ran.out).unwrap();
    for line in [
        "  GPTBot                          2          2   100 %",
        "  GPTBot, other addresses         1          1   100 %",
        "    in no list given for it: 198.51.100.1  1 request, 1 forbidden\n",
        "  GPTBot, no address              1          1   100 %",
        "4 of 5 requests by crawlers forbidden (80.0 %), of 1 of 2 crawlers\nforbidden, and perhaps not of the crawler: \
         1 from addresses in no list given for the crawler, 1 without a public address in the log\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    // A proxy's address says nothing of who is behind it.
    for address in ["10.0.0.1", "127.0.0.1", "169.254.1.1", "fd00::1", "fe80::1"] {
        folder.file("proxy.log", from(address));
        let ranges = ["--ranges", "gptbot.json", "robots.txt", "proxy.log"];
        let crawlers = &report(&folder, &ranges)["crawlers"];
        assert_eq!(crawlers[0]["source"], "unknown", "{address}: {crawlers}");
        let ran = audit(&folder, &[&["--addresses", "impostors"], &ranges[..]].concat());
        ran.gives(1, "").says("1 address left out, of private networks");
    }
    audit(&folder, &["--ranges", "other.json", "robots.txt", "log"])
        .fails(2, "no known crawler has the name 'other'; write NAME=other.json");
    audit(&folder, &["--ranges", "Googelbot=other.json", "robots.txt", "log"]).fails(
        2,
        "--ranges Googelbot=other.json: no crawler is known as 'Googelbot': did you mean 'Googlebot'?",
    );
    // An operator whose name is nearly a crawler's.
    audit(&folder, &["--ranges", "Perplexity=other.json", "robots.txt", "log"])
        .says("no request of a crawler has the name of 'Perplexity'");
    audit(&folder, &["--ranges", "Googlebot=robots.txt", "robots.txt", "log"])
        .fails(3, "cannot read the address ranges in 'robots.txt'");
    audit(&folder, &["--ranges", "Googlebot=other.json", "robots.txt", "log"])
        .says("no request of a crawler has the name of 'Googlebot'");
}

/// Only some crawlers: what others do is counted, and changes neither the list nor the status.
#[test]
fn chosen_crawlers() {
    let folder = folder();
    let xyzbot = report(&folder, &["--crawler", "xyzbot", "robots.txt", "access.log"]);
    assert_eq!(numbers(&xyzbot), [8, 0, 0, 2, 1, 1]);
    assert_eq!((of(&xyzbot, "Xyzbot"), &xyzbot["other_crawlers"]), ([2, 1], &json!(4)));
    let both = ["--purpose", "ai-training", "--crawler", "Xyzbot", "robots.txt", "access.log"];
    assert_eq!(numbers(&report(&folder, &both)), [8, 0, 0, 6, 3, 1]);
    let ran = audit(&folder, &["--list", "--purpose", "search", "robots.txt", "access.log"]);
    ran.gives(0, "")
        .says("not judged: 1 by other clients, 6 by other crawlers, 1 without a User-Agent header");
    audit(&folder, &["--crawler", "nobot", "robots.txt", "access.log"])
        .says("no request of a crawler has the name of 'nobot', the crawler asked for");
    audit(&folder, &["--crawler", "GPTBot/1.0", "robots.txt", "access.log"])
        .fails(2, "--crawler 'GPTBot/1.0' is not a product token: did you mean 'GPTBot'?");
    audit(&folder, &["--crawler", "GTPBot", "robots.txt", "access.log"])
        .fails(2, "did you mean 'GPTBot'?");
}

/// Addresses for a firewall: none behind which there may be people, and none for an answer in the place of a file.
#[test]
fn addresses_for_a_firewall() {
    let folder = folder();
    let from =
        |address: &str, path: &str, header| line(1, path, header).replace("192.0.2.7", address);
    let log = [
        from("203.0.113.9", "/search", "Xyzbot/1.0"),
        from("192.0.2.7", "/a", GPTBOT),
        from("198.51.100.1", "/a", GPTBOT),
        from("198.51.100.2", "/press/", GPTBOT),
        // A browser comes from there too.
        from("198.51.100.3", "/a", GPTBOT),
        from("198.51.100.3", "/a", BROWSER),
        from("10.0.0.1", "/a", GPTBOT),
        from("::1", "/a", GPTBOT),
        from("2001:db8::7", "/a", GPTBOT),
        from("crawl.e.com", "/a", GPTBOT),
        // Of another crawler's addresses.
        from("192.0.2.99", "/", GPTBOT),
        // It was refused the file itself.
        from("203.0.113.8", "/robots.txt", "Refusedbot/1").replace(" 200 ", " 403 "),
        from("203.0.113.8", "/search", "Refusedbot/1"),
    ];
    folder.file("log", log.concat());
    folder.file("gptbot.json", r#"{"prefixes":[{"ipv4Prefix":"192.0.2.0/28"}]}"#);
    folder.file("bingbot.json", r#"{"prefixes":[{"ipv4Prefix":"192.0.2.96/28"}]}"#);
    let ranges = ["--ranges", "gptbot.json", "--ranges", "bingbot.json", "robots.txt", "log"];
    let list = |options: &[&str]| audit(&folder, &[&["--addresses"], options, &ranges].concat());
    list(&["offenders"])
        .gives(1, "192.0.2.7\n192.0.2.99\n198.51.100.1\n203.0.113.9\n2001:db8::7\n")
        .says("1 address left out, from which others sent requests too")
        .says("2 addresses left out, of private networks")
        .says("1 request came from addresses that the log does not have");
    list(&["impostors"])
        .gives(1, "198.51.100.1\n198.51.100.2\n2001:db8::7\n")
        .says("1 address left out, that operators publish for other crawlers");
    list(&["offenders", "--crawler", "Xyzbot"]).gives(1, "203.0.113.9\n");
    audit(&folder, &["--addresses", "impostors", "robots.txt", "log"])
        .fails(2, "give them with --ranges");
    // All of that may be the site's own fault.
    let broken = site(|_| answered("503 Service Unavailable", "", ""));
    audit(&folder, &["--addresses", "offenders", &format!("{broken}/robots.txt"), "log"])
        .fails(3, "nothing was judged");
}

/// A file of an operator is for all its crawlers, and may be a URL.
#[test]
fn published_addresses_of_operators() {
    let folder = folder();
    let body = r#"{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}"#;
    let origin = site(move |_| answered("200 OK", "", body));
    for option in [
        format!("{origin}/gptbot.json"),
        format!("OpenAI={origin}/x"),
        format!("GPTBot={origin}/x?a=b"),
    ] {
        let report = report(&folder, &["--ranges", &option, "robots.txt", "access.log"]);
        assert_eq!(report["crawlers"][0]["verified"]["requests"], 4, "{option}");
        assert_eq!(report["not_found"], json!([]), "{option}");
    }
    folder.file("common-crawlers.json", body);
    audit(&folder, &["--ranges", "common-crawlers.json", "robots.txt", "access.log"])
        .says("no request of a crawler has the name of 'common-crawlers', whose addresses");
    let missing = site(|_| answered("404 Not Found", "", ""));
    audit(&folder, &["--ranges", &format!("{missing}/gptbot.json"), "robots.txt", "access.log"])
        .fails(3, "HTTP 404");
    folder.file("later.json", r#"{"formatVersion":"2.0","prefixes":[]}"#);
    audit(&folder, &["--ranges", "GPTBot=later.json", "robots.txt", "access.log"])
        .fails(3, "its formatVersion is 2.0, and only 1 is known");
}

/// Logs in the extended format of the W3C name their columns, and may do so anew.
#[test]
fn formats_of_other_servers() {
    let folder = folder();
    let iis = "#Software: Microsoft Internet Information Services 10.0\r\n\
        #Fields: date time cs-method cs-uri-stem cs-uri-query c-ip cs(User-Agent) sc-status\r\n\
        2026-11-20 12:00:00 GET /robots.txt - 192.0.2.7 Mozilla/5.0+(compatible;+GPTBot/1.1;++https://x) 200\r\n\
        2026-11-20 12:00:01 GET /search q=x 192.0.2.7 Xyzbot/1.0 404\r\n\
        2026-11-20 12:00:02 GET\r\n\
        #Fields: time date cs-uri-stem cs(User-Agent)\r\n\
        12:00:03 2026-11-20 /a GPTBot/1.1\r\n";
    folder.file("iis.log", iis);
    let of_iis = report(&folder, &["robots.txt", "iis.log"]);
    assert_eq!(numbers(&of_iis), [4, 1, 0, 3, 2, 0], "{of_iis}");
    assert_eq!(of_iis["formats"], json!(["w3c"]));
    assert_eq!(of_iis["crawlers"][0]["first"], "2026-11-20T12:00:00Z");
    assert_eq!(of_iis["crawlers"][1]["rules"][0]["examples"][0]["path"], "/search?q=x");
    let path = |path: &str| {
        format!(
            r#"{{"RequestPath":"{path}","request_User-Agent":"GPTBot/1.1","StartUTC":"2026-11-20T12:00:00Z"}}"#
        )
    };
    folder.file("traefik.log", [path("/a"), path("/press/")].join("\n"));
    let nginx = r#"{"request":"GET /a HTTP/1.1","http_user_agent":"GPTBot/1.1","time_iso8601":"2026-11-20T12:00:00Z"}"#;
    folder.file("nginx.log", nginx);
    for (log, format, judged) in [("traefik.log", "traefik", 2), ("nginx.log", "nginx", 1)] {
        for options in [&["robots.txt", log][..], &["--log-format", format, "robots.txt", log]] {
            let report = report(&folder, options);
            assert_eq!(numbers(&report), [judged, 0, 0, judged, 1, 0], "{report}");
            assert_eq!(report["formats"], json!([format]));
        }
    }
}

#[test]
fn several_hosts() {
    let folder = folder();
    let at = |host: &str| format!("{host} {}", line(1, "/a", GPTBOT));
    folder.file("log", [at("e.com:443"), at("www.e.com"), at("e.com:80")].concat());
    audit(&folder, &["robots.txt", "log"]).says("several hosts (e.com, www.e.com)");
    let report = report(&folder, &["--host", "e.com", "robots.txt", "log"]);
    assert_eq!((&report["other_hosts"], of(&report, "GPTBot")), (&json!(1), [2, 2]));
    audit(&folder, &["--host", "typo.example", "robots.txt", "log"]).status(3).says(
        "no request is for typo.example, so nothing was judged; the logs have e.com, www.e.com",
    );
    let absolute = line(1, "http://www.e.com:80/a", GPTBOT) + &line(1, "/a", GPTBOT);
    folder.file("log", absolute);
    let report = self::report(&folder, &["--host", "e.com", "robots.txt", "log"]);
    assert_eq!((&report["other_hosts"], of(&report, "GPTBot")), (&json!(1), [1, 1]));
    let other = line(1, "http://other.example/a", GPTBOT);
    folder.file("log", line(1, "http://www.e.com:80/a", GPTBOT) + &other);
    audit(&folder, &["robots.txt", "log"]).says("several hosts (other.example, www.e.com)");
}

/// People's clients have names in which `bot` stands in a word.
#[test]
fn clients_that_are_no_bots() {
    let folder = folder();
    let header = |name: &str| format!("Mozilla/5.0 (iPhone) Mobile/15E148 {name}");
    for (name, status) in [("BOTIM/3.9.1", 0), ("Bottle/1.0", 0), ("FooBot-x/1", 1), ("bots/1", 1)]
    {
        folder.file("log", line(1, "/search", &header(name)));
        let ran = audit(&folder, &["--addresses", "offenders", "robots.txt", "log"]);
        ran.gives(status, if status == 0 { "" } else { "192.0.2.7\n" });
    }
}

/// People's apps and browsers have names that files give to crawlers, or with which names in files begin.
#[test]
fn clients_that_are_people() {
    let folder = folder();
    let named = "User-agent: Microsoft URL Control\nUser-agent: ChatGPT Agent\nUser-agent: DuckDuckGo\n\
                 User-agent: WhatsApp\nDisallow: /\n";
    folder.file("named.txt", named);
    let of_people = [
        "Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.5056; Pro)",
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 \
         Safari/537.36 ChatGPT/1.2025.287",
        "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/134.0.0.0 Mobile \
         DuckDuckGo/5 Safari/537.36",
        "WhatsApp/2.23.20.0 A",
    ];
    folder.file("log", of_people.map(|header| line(1, "/x", header)).concat());
    assert_eq!(numbers(&report(&folder, &["named.txt", "log"])), [4, 0, 0, 0, 0, 4]);
    audit(&folder, &["named.txt", "log"]).status(0);
    audit(&folder, &["--list", "named.txt", "log"]).gives(0, "");
    audit(&folder, &["--addresses", "offenders", "named.txt", "log"]).gives(0, "");
    audit(&folder, &["--crawler", "WhatsApp", "named.txt", "log"])
        .status(0)
        .says("no request of a crawler has the name of 'WhatsApp'");
    // People may be behind the address of a crawler, too.
    folder.file("both", line(1, "/x", "Xyzbot/1.0") + &line(2, "/x", of_people[3]));
    folder.file("all.txt", "User-agent: *\nDisallow: /\n");
    audit(&folder, &["--addresses", "offenders", "all.txt", "both"])
        .gives(1, "")
        .says("1 address left out, from which others sent requests too");
}

/// Those beyond a thousand are counted together, so their number is not known.
#[test]
fn more_names_than_are_told_apart() {
    let folder = folder();
    folder.file(
        "log",
        (0..1_500).map(|n| line(1, "/search", &format!("Bot{n}x/1.0"))).collect::<String>(),
    );
    audit(&folder, &["robots.txt", "log"])
        .status(1)
        .prints("1500 of 1500 requests by crawlers forbidden (100 %), of at least 1001 of at least 1001 crawlers");
}

/// In some profiles a rule can match /robots.txt. Asking for it is no offence for that. With a query it is another URL.
#[test]
fn robots_txt_is_for_all() {
    let folder = Folder::of(&[("all", "User-agent: *\nDisallow: /\n")]);
    let asked = ["/robots.txt", "https://e.com/robots.txt", "http://e.com:80/robots.txt"];
    folder.file("log", asked.map(|path| line(1, path, GPTBOT)).concat());
    folder.file("query", line(1, "/robots.txt?x", GPTBOT));
    audit(&folder, &["all", "query"])
        .status(1)
        .prints("1 of 1 request by crawlers forbidden")
        .prints("never asked for /robots.txt in these logs: GPTBot");
    folder.file("more", line(1, "/robots.txt.bak", GPTBOT));
    for profile in ["rfc9309", "google", "google-classic", "original-1994"] {
        let ran = audit(&folder, &["--profile", profile, "all", "log"]);
        ran.status(0).prints("0 of 3 requests by crawlers forbidden");
        let ran = audit(&folder, &["--profile", profile, "all", "log", "more", "--list"]);
        ran.gives(1, line(1, "/robots.txt.bak", GPTBOT));
    }
}

#[test]
fn requests_without_a_path() {
    let folder = folder();
    let request = |request: &str| line(1, "X", GPTBOT).replace("GET X HTTP/1.1", request);
    let requests =
        ["OPTIONS * HTTP/1.1", "CONNECT e.com:443 HTTP/1.1", "-", "", r"\x16\x03\x01\x00", "GET"];
    folder.file("log", requests.map(request).concat() + &request("GET http://e.com/a HTTP/1.1"));
    for profile in ["rfc9309", "google"] {
        let report = report(&folder, &["--profile", profile, "robots.txt", "log"]);
        assert_eq!(report["without_path"], 6);
        assert_eq!(of(&report, "GPTBot"), [1, 1], "{profile}");
    }
}

#[test]
fn damaged_lines() {
    let folder = folder();
    let good = line(1, "/a", GPTBOT);
    let bad = [
        "hello",
        "\0\0\0",
        "1.2.3.4 - - [20/Nov/2026:12:00:00 +0100] GET /a HTTP/1.1 200 5",
        r#"1.2.3.4 - - [20/Nov/2026:12:00:00 +0100] "GET /a HTTP/1.1" 200 5 "-" "GPTBot"#,
        r#"1.2.3.4 - - [31/Nov/2026:12:00:00 +0100] "GET /a HTTP/1.1" 200 5 "-" "GPTBot""#,
        r#"1.2.3.4 - - [20/Nov/2026:12:00:00 +0100] "GET /a HTTP/1.1" xyz 5 "-" "GPTBot""#,
    ];
    let text = format!("{good}\n{}\n{good}", bad.join("\n"));
    folder.file("log", text);
    let report = report(&folder, &["robots.txt", "log"]);
    assert_eq!(numbers(&report), [8, 6, 0, 2, 2, 0]);
    assert_eq!(report["first_damaged"][0], json!({ "log": "log", "line": 3 }));
    let ran = audit(&folder, &["robots.txt", "log"]);
    let text = String::from_utf8(ran.out).unwrap();
    let wanted = "lines that are not in the format: 6 (log:3, log:4, log:5, log:6, log:7, …)\n";
    assert!(text.contains(wanted), "{text}");
    // No format at all.
    folder.file("none", "hello\nworld\n");
    audit(&folder, &["robots.txt", "none"]).says("cannot tell the format of input 'none'");
    assert_eq!(audit(&folder, &["robots.txt", "none"]).status, 3);
    let ran = audit(&folder, &["--log-format", "combined", "robots.txt", "none"]);
    assert_eq!(ran.status, 3);
    ran.says("no line of the logs could be read in this format, so nothing was judged");
    for missing in [["robots.txt", "missing"], ["missing", "access.log"]] {
        assert_eq!(audit(&folder, &missing).status, 3);
    }
    audit(&folder, &["robots.txt", "missing.log"])
        .says("give the path of the log, or pipe the log to standard input, which is '-'");
}

#[test]
fn hostile_logs() {
    let folder = folder();
    // Bytes that are different each time, but the same in each run.
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize
    };
    let bytes: Vec<u8> = (0..1 << 20).map(|_| random() as u8).collect();
    // Lines with some bytes changed, of each format.
    let caddy =
        r#"{"ts":1,"request":{"uri":"/\u00e9","headers":{"User-Agent":["GPTBot"]}},"status":200}"#;
    let cloudflare =
        r#"{"ClientRequestURI":"/","ClientRequestUserAgent":"GPTBot","EdgeStartTimestamp":1}"#;
    let combined = line(1, r"/\x22a", GPTBOT);
    let mut mutated = Vec::new();
    for good in [combined.trim_end(), caddy, cloudflare] {
        for _ in 0..3_000 {
            let mut line = good.as_bytes().to_vec();
            for _ in 0..1 + random() % 4 {
                let at = random() % line.len();
                line[at] = [b'"', b'\\', b'[', b'{', 0, b' ', 0xFF, b'-'][random() % 8];
            }
            line.push(b'\n');
            mutated.extend(line);
        }
    }
    folder.file("random", bytes);
    folder.file("mutated", mutated);
    folder.file("deep", format!("{}\n", "{\"a\":".repeat(200_000)));
    for format in ["combined", "common", "caddy", "cloudflare"] {
        for name in ["random", "mutated", "deep"] {
            let report = report(&folder, &["--log-format", format, "robots.txt", name]);
            let [lines, damaged, ..] = numbers(&report);
            assert!(lines > 0 && damaged > 0, "{format} {name}: {report}");
        }
    }
    // Control characters do not get out.
    folder.file("escapes", line(1, "/\x1b[31m\u{9b}x", GPTBOT));
    let text = String::from_utf8(audit(&folder, &["robots.txt", "escapes"]).out).unwrap();
    assert!(text.contains(r": /\x1b[31m\xc2\x9bx"), "{text}");
    assert!(!text.bytes().any(|byte| byte == 0x1b));
}

/// A line of 256 MiB, and as many headers as one likes, take little memory.
#[cfg(target_os = "linux")]
#[test]
fn memory_is_bounded() {
    let folder = folder();
    let robots = folder.path("robots.txt");
    let limited = |input: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>| {
        // Each thread reserves address space, whatever it uses of it.
        let script = "ulimit -v 400000; exec \"$0\" audit --threads 2 --format json \"$1\" -";
        let mut child = in_shell(script).arg(&robots).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = std::io::BufWriter::new(child.stdin.take().unwrap());
        input(&mut stdin).unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).expect("a report")
    };
    let report = limited(&mut |out| {
        out.write_all(line(1, "/a", GPTBOT).as_bytes())?;
        (0..256).try_for_each(|_| out.write_all(&[b'x'; 1 << 20]))?;
        out.write_all(b"\n")?;
        out.write_all(line(1, "/b", GPTBOT).as_bytes())
    });
    assert_eq!(numbers(&report), [3, 0, 1, 2, 2, 0]);
    let report = limited(&mut |out| {
        (0..100_000).try_for_each(|number| {
            let (path, header) = (format!("/search/{number}"), format!("A{number}bot/1.0"));
            out.write_all(line(1, &path, &header).as_bytes())
        })
    });
    assert_eq!(numbers(&report), [100_000, 0, 0, 100_000, 100_000, 0]);
    assert_eq!(report["crawlers"].as_array().unwrap().len(), 1_001);
    assert_eq!(of(&report, "more unknown crawlers"), [99_000, 99_000]);
}

/// Logs of many blocks: more crawlers than are told apart, damaged lines, and one that is too long.
fn long_logs(folder: &Folder) {
    let agents = [GPTBOT, BROWSER, "Xyzbot/1.0", "-"];
    let request = |number: u32| match number {
        _ if number % 97 == 5 => format!("damaged {number}\n"),
        9_000 => format!("{}\n", "x".repeat((1 << 20) + 1)),
        _ if number.is_multiple_of(3) => {
            line(number % 60, &format!("/search/{}", number % 11), &format!("Bot{number}x/1.0"))
        }
        _ => line(number % 60, &format!("/{}", number % 50), agents[number as usize % 4]),
    };
    folder.file("1.log", (0..12_000).map(request).collect::<String>());
    let second: String = (12_000..20_000).map(request).collect();
    let gzip = gzip(second.as_bytes());
    folder.file("2.log.gz", &gzip);
    folder.file("cut.gz", &gzip[..gzip.len() / 2]);
    folder.file("none.log", "hello\n".repeat(100_000));
}

/// The output is the same for any number of threads, and so are the messages.
#[test]
fn any_number_of_threads() {
    let folder = folder();
    long_logs(&folder);
    let logs = ["robots.txt", "1.log", "missing", "cut.gz", "none.log", "2.log.gz", "access.log"];
    for how in [&["--json"][..], &["--list"], &[]] {
        let ran = |threads: &str| audit(&folder, &[how, &["--threads", threads], &logs].concat());
        let one = ran("1");
        one.status(3).says("cut.gz' breaks off").says("cannot tell the format of");
        assert!(one.out.len() > 1_000, "{one:?}");
        for threads in ["2", "3", "16"] {
            let several = ran(threads);
            assert_eq!(several.status, one.status);
            assert_eq!(several.err, one.err, "{how:?} {threads}");
            assert!(several.out == one.out, "{how:?} {threads}");
        }
    }
    audit(&folder, &["--threads", "0", "robots.txt", "1.log"]).fails(2, "--threads");
}

/// Whether the list can be written is told by all threads.
#[cfg(target_os = "linux")]
#[test]
fn a_list_that_nobody_reads() {
    let folder = folder();
    long_logs(&folder);
    let run = |out: Stdio, logs: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_robotsieve"));
        command.args(["audit", "--list", "--threads", "3", "robots.txt"]).args(logs);
        command.current_dir(folder.root()).stdout(out).output().unwrap()
    };
    let closed = |logs: &[&str]| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let closed = run(writer.into(), logs);
        (closed.status.code(), String::from_utf8(closed.stderr).unwrap())
    };
    let logs = ["1.log", "2.log.gz"];
    let full = run(fs::File::create("/dev/full").unwrap().into(), &logs);
    let err = String::from_utf8(full.stderr).unwrap();
    assert_eq!(full.status.code(), Some(3), "{err}");
    assert!(err.contains("cannot write to standard output"), "{err}");
    // The logs were not read to their end.
    assert_eq!(closed(&logs), (Some(1), String::new()));
    let (status, err) = closed(&["missing.log", "1.log"]);
    assert_eq!(status, Some(3), "{err}");
    assert!(err.contains("missing.log"), "{err}");
}

/// What a server logs of some requests, if it is installed: `start` starts it on a port.
#[cfg(unix)]
fn logged(programs: &[&str], start: impl Fn(&mut Command, u16), requests: &[(&str, &str)]) -> bool {
    use std::io::Read;
    use std::net::{TcpListener, TcpStream};
    use std::time::Duration;
    let found = programs.iter().find(|path| fs::exists(path).is_ok_and(|is| is));
    let Some(program) = found else {
        eprintln!("{programs:?}: not installed");
        return false;
    };
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = Command::new(program);
    start(&mut command, port);
    let mut server = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let connected = || {
        for _ in 0..200 {
            if let Ok(stream) = TcpStream::connect(("127.0.0.1", port)) {
                return stream;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{program} does not answer");
    };
    for (path, header) in requests {
        let mut stream = connected();
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: e.com\r\nUser-Agent: {header}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.contains(" 204 "), "{answer}");
    }
    // SIGTERM, so that it writes what it still holds.
    let _ = Command::new("kill").arg(server.id().to_string()).status();
    server.wait().unwrap();
    true
}

/// What nginx writes.
#[cfg(unix)]
#[test]
fn a_log_of_nginx() {
    let folder = folder();
    let root = folder.root();
    let start = |command: &mut Command, port: u16| {
        folder.file(
            "nginx.conf",
            format!(
                "daemon off; master_process off; pid {0}/pid; error_log {0}/error.log;\n\
                 events {{}}\n\
                 http {{\n\
                   client_body_temp_path {0}/b; proxy_temp_path {0}/p; fastcgi_temp_path {0}/f;\n\
                   uwsgi_temp_path {0}/u; scgi_temp_path {0}/s;\n\
                   access_log {0}/nginx.log;\n\
                   server {{ listen 127.0.0.1:{port}; return 204; }}\n\
                 }}\n",
                root.display()
            ),
        );
        command.arg("-c").arg(folder.path("nginx.conf")).arg("-p").arg(&root);
    };
    let requests = [
        ("/robots.txt", GPTBOT),
        ("/a\"b\\é", GPTBOT),
        ("/press/", r#"x"y\z; GPTBot/1.0"#),
        ("http://e.com/b", GPTBOT),
        ("/search", "é; Xyzbot/1.0"),
        ("/search", BROWSER),
    ];
    if !logged(&["/usr/sbin/nginx", "/usr/bin/nginx"], start, &requests) {
        return;
    }
    let report = report(&folder, &["robots.txt", "nginx.log"]);
    assert_eq!(report["formats"], json!(["combined"]));
    assert_eq!(numbers(&report), [6, 0, 0, 5, 3, 1], "{report}");
    assert_eq!(of(&report, "GPTBot"), [4, 2]);
    assert_eq!(of(&report, "Xyzbot"), [1, 1]);
    assert_eq!(examples(&report), ["/a\"b\\é", "http://e.com/b"]);
}

/// What Caddy writes.
#[cfg(unix)]
#[test]
fn a_log_of_caddy() {
    let folder = folder();
    let start = |command: &mut Command, port: u16| {
        let log = folder.path("caddy.log");
        folder.file(
            "Caddyfile",
            format!(
                "{{\nadmin off\nauto_https off\n}}\n\
                 http://:{port} {{\nbind 127.0.0.1\nlog {{\noutput file {}\n}}\nrespond 204\n}}\n",
                log.display()
            ),
        );
        command.args(["run", "--adapter", "caddyfile", "--config"]).arg(folder.path("Caddyfile"));
        command.env("HOME", folder.root());
    };
    // Go refuses bytes that are not ASCII in a path.
    let requests = [
        ("/robots.txt", GPTBOT),
        ("/a\"b\\%C3%A9<>&", GPTBOT),
        ("/press/", r#"x"y\z; GPTBot/1.0"#),
        ("http://e.com/b", GPTBOT),
        ("/search", "é; Xyzbot/1.0"),
        ("/search", BROWSER),
    ];
    if !logged(&["/usr/bin/caddy"], start, &requests) {
        return;
    }
    let report = report(&folder, &["robots.txt", "caddy.log"]);
    assert_eq!(report["formats"], json!(["caddy"]));
    assert_eq!(numbers(&report), [6, 0, 0, 5, 3, 1], "{report}");
    assert_eq!(of(&report, "GPTBot"), [4, 2]);
    assert_eq!(of(&report, "Xyzbot"), [1, 1]);
    assert_eq!(examples(&report), ["/a\"b\\%C3%A9<>&", "http://e.com/b"]);
}

/// The examples of the first rule that the first crawler broke.
#[cfg(unix)]
fn examples(report: &Value) -> Vec<&Value> {
    let examples = report["crawlers"][0]["rules"][0]["examples"].as_array().unwrap();
    examples.iter().map(|example| &example["path"]).collect()
}

/// A crawler that was refused robots.txt itself may fetch all, as RFC 9309 says, until it gets it.
#[test]
fn refused_robots_txt_itself() {
    let folder = Folder::new();
    folder.file("robots.txt", "User-agent: *\nDisallow: /private/\n");
    let line = |header: &str, path: &str, status: u16| {
        format!(
            "192.0.2.1 - - [20/Nov/2026:10:00:00 +0000] \"GET {path} HTTP/1.1\" {status} 5 \"-\" \"{header}\"\n"
        )
    };
    let audited = |gpt: &[u16]| {
        let gpt = gpt.iter().map(|status| {
            line("GPTBot/1.2", "/robots.txt", *status) + &line("GPTBot/1.2", "/private/1", 403)
        });
        folder.file("access.log", gpt.collect::<String>() + &line("CCBot/2.0", "/x", 200));
        audit(&folder, &["robots.txt", "access.log"])
    };
    audited(&[403, 404])
        .status(0)
        .prints("0 of 5 requests by crawlers forbidden (0 %)")
        .prints("never got /robots.txt: 2 requests got status 4xx, 0 got 5xx, 0 another answer")
        .prints("might fetch all once it was refused /robots.txt, as RFC 9309 says: the file forbids 2 of these requests")
        .prints("warning: no crawler got /robots.txt in these logs: of 2 requests for it, 2 got status 4xx, 0 got 5xx and 0 another")
        .prints("is not counted (2 requests): GPTBot");
    for got in [200, 304] {
        audited(&[403, got])
            .status(1)
            .prints("1 of 5 requests by crawlers forbidden")
            .prints("is not counted (1 request): GPTBot");
        audited(&[got, 404]).status(1).prints("1 of 5 requests by crawlers forbidden");
    }
    // A server that fails forbids all, and a redirect leads elsewhere.
    audited(&[503]).status(1).prints("warning: no crawler got /robots.txt");
    audited(&[301]).status(1).prints(
        "warning: no crawler got /robots.txt in these logs: of 1 request for it, 0 got status 4xx, 0 got 5xx and 1 another \
         answer without the file, such as a redirect",
    );
    // Nobody knows what was answered.
    folder.file("access.log", "/robots.txt\tGPTBot\n/private/1\tGPTBot\n");
    let format = ["--format-string", "$request_uri\t$http_user_agent"];
    let ran = audit(&folder, &[&format[..], &["robots.txt", "access.log"]].concat());
    ran.status(1);
    assert!(!String::from_utf8_lossy(&ran.out).contains("got /robots.txt"), "{ran:?}");
}

/// Only an answer to a request for the file that means that there is none lets a crawler fetch all.
#[test]
fn what_is_no_refusal() {
    let folder = Folder::of(&[("robots.txt", "User-agent: *\nDisallow: /private/\n")]);
    let (rfc9309, google, classic) = (
        &["--profile", "rfc9309"][..],
        &["--profile", "google"][..],
        &["--profile", "google-classic"][..],
    );
    for (options, name, request, status, is_excused) in [
        (&[][..], "CCBot", "GET /robots.txt", 403, true),
        (&[], "CCBot", "GET /robots.txt", 405, true),
        (&[], "CCBot", "HEAD /robots.txt", 404, true),
        (&[], "CCBot", "HEAD /robots.txt", 405, false),
        (&[], "CCBot", "POST /robots.txt", 405, false),
        (&[], "CCBot", "GET /robots.txt?x=1", 410, false),
        (&[], "CCBot", "GET /robots.txt", 408, false),
        (&[], "CCBot", "GET /robots.txt", 412, false),
        (&[], "CCBot", "GET /robots.txt", 444, false),
        (&[], "CCBot", "GET /robots.txt", 499, false),
        (&[], "CCBot", "GET /robots.txt", 429, true),
        (google, "CCBot", "GET /robots.txt", 429, false),
        (google, "CCBot", "GET /robots.txt", 404, true),
        (classic, "CCBot", "GET /robots.txt", 429, true),
        (&[], "Googlebot", "GET /robots.txt", 429, false),
        (&[], "AdsBot-Google", "GET /robots.txt", 429, false),
        (rfc9309, "Googlebot", "GET /robots.txt", 429, true),
    ] {
        let header = format!("{name}/1.0");
        let asked = line(1, "/robots.txt", &header)
            .replace("GET /robots.txt", request)
            .replace(" 200 ", &format!(" {status} "));
        folder.file("log", asked + &line(2, "/private/1", &header));
        folder.file("robots.txt", format!("User-agent: {name}\nDisallow: /private/\n"));
        let report = report(&folder, &[options, &["robots.txt", "log"]].concat());
        let excused = report["excused"].as_u64().unwrap() > 0;
        assert_eq!(excused, is_excused, "{options:?} {name}: {request} {status}: {report}");
        assert_eq!(report["forbidden"].as_u64().unwrap() > 0, !is_excused, "{report}");
    }
    // HEAD brings no file, and POST does not ask for it.
    let answered = |request: &str| {
        folder.file("log", line(1, "/robots.txt", "CCBot/2.0").replace("GET /robots.txt", request));
        let report = report(&folder, &["robots.txt", "log"]);
        ["robots_txt", "robots_txt_delivered"].map(|name| report["crawlers"][0][name].clone())
    };
    assert_eq!(answered("GET /robots.txt"), [1, 1]);
    assert_eq!(answered("HEAD /robots.txt"), [1, 0]);
    assert_eq!(answered("POST /robots.txt"), [0, 0]);
    // In other formats too.
    let caddy = json!({ "request": { "uri": "/robots.txt", "method": "POST",
        "headers": { "User-Agent": ["CCBot/2.0"] } }, "status": 405 });
    let google = json!({ "httpRequest": { "requestMethod": "POST", "requestUrl": "https://e.com/robots.txt",
        "status": 405, "userAgent": "CCBot/2.0" } });
    let cloudflare = json!({ "ClientRequestURI": "/robots.txt", "ClientRequestMethod": "POST",
        "ClientRequestUserAgent": "CCBot/2.0", "EdgeResponseStatus": 405 });
    let w3c =
        "#Fields: cs-method cs-uri-stem cs(User-Agent) sc-status\nPOST /robots.txt CCBot/2.0 405";
    for log in [caddy.to_string(), google.to_string(), cloudflare.to_string(), w3c.to_owned()] {
        folder.file("log", format!("{log}\n"));
        let report = report(&folder, &["robots.txt", "log"]);
        let crawler = &report["crawlers"][0];
        assert_eq!([&crawler["requests"], &crawler["robots_txt"]], [1, 0], "{log}: {report}");
    }
}

/// What one crawler of an operator was answered for /robots.txt holds for its others: Google's ask under one name.
#[test]
fn crawlers_of_one_operator() {
    let folder = Folder::of(&[("robots.txt", "User-agent: *\nDisallow: /private/\n")]);
    let robots = |minute, status: u16| {
        let asked = line(minute, "/robots.txt", "Googlebot/2.1");
        asked.replace(" 200 ", &format!(" {status} "))
    };
    let image = |minute| line(minute, "/private/1", "Googlebot-Image/1.0");
    let gptbot = |minute| line(minute, "/private/1", GPTBOT);
    let audited = |lines: &[String], options: &[&str]| {
        folder.file("log", lines.concat());
        audit(&folder, &[options, &["robots.txt", "log"]].concat())
    };
    folder.file("googlebot.json", r#"{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}"#);
    let only = ["--crawler", "Googlebot-Image"];
    for options in [&[][..], &["--ranges", "googlebot.json"], &only] {
        // Also what was requested before, and not what was requested after the file came.
        audited(&[image(1), robots(2, 403), image(3)], options)
            .status(0)
            .prints("might fetch all once another crawler of its operator was refused /robots.txt")
            .prints("or another crawler of the same operator was")
            .prints("is not counted (2 requests): Googlebot-Image");
        let ran = audited(&[robots(1, 403), image(2), robots(3, 200), image(4)], options);
        ran.status(1).prints("is not counted (1 request): Googlebot-Image");
        assert!(!String::from_utf8_lossy(&ran.out).contains("never asked"), "{ran:?}");
    }
    // Those of others know nothing of it.
    audited(&[robots(1, 403), image(2), gptbot(3)], &[])
        .status(1)
        .prints("1 of 3 requests by crawlers forbidden")
        .prints("never asked for /robots.txt in these logs: GPTBot\n");
    audited(&[robots(1, 200), image(2)], &["--addresses", "offenders"]).gives(1, "192.0.2.7\n");
    audited(&[robots(1, 403), image(2)], &["--addresses", "offenders"]).gives(0, "");
    // Of many blocks and threads.
    let many = (0..30_000).map(|number| match number {
        20_000 => robots(30, 404),
        25_000 => robots(40, 200),
        _ => image(if number < 20_000 {
            20
        } else if number < 25_000 {
            35
        } else {
            45
        }),
    });
    let many = [many.collect::<String>()];
    for threads in ["1", "3"] {
        audited(&many, &["--threads", threads])
            .status(1)
            .prints("4999 of 30000 requests by crawlers forbidden")
            .prints("is not counted (24999 requests): Googlebot-Image");
    }
}

/// Times matter, not the end of the logs: what was requested after a refusal and before the file came is excused.
#[test]
fn refused_for_a_while() {
    let folder = Folder::of(&[("robots.txt", "User-agent: *\nDisallow: /x\n")]);
    let robots = |minute, status: &str| {
        line(minute, "/robots.txt", "CCBot/2.0").replace(" 200 ", &format!(" {status} "))
    };
    let x = |minute| line(minute, "/x", "CCBot/2.0");
    let audited = |lines: &[String]| {
        folder.file("access.log", lines.concat());
        audit(&folder, &["robots.txt", "access.log"])
    };
    audited(&[robots(5, "404"), x(6), robots(20, "200")])
        .status(0)
        .prints("is not counted (1 request): CCBot");
    audited(&[robots(5, "200"), x(6), robots(7, "410"), x(8), robots(9, "503"), x(10)])
        .status(1)
        .prints("1 of 6 requests by crawlers forbidden")
        .prints("is not counted (2 requests): CCBot");
    audited(&[x(4), robots(5, "404"), x(6), robots(7, "304"), x(8)])
        .status(1)
        .prints("1 of 5 requests by crawlers forbidden");
    // Nobody can tell.
    for lines in [
        [x(4), robots(5, "200"), x(6), robots(3, "404")],
        [robots(5, "404"), robots(8, "200"), x(7), x(9)],
    ] {
        let ran = audited(&lines);
        ran.status(0)
            .prints("the lines are not in the order of time")
            .prints("(2 requests): CCBot");
        let list = audit(&folder, &["--addresses", "offenders", "robots.txt", "access.log"]);
        list.gives(0, "");
    }
    // The order of other requests does not matter.
    audited(&[robots(1, "404"), robots(2, "200"), x(9), x(8)]).status(1).prints("2 of 4 requests");
}

/// A log without queries does not tell what was asked for.
#[test]
fn logs_without_queries() {
    let folder = Folder::new();
    let w3c = "#Fields: date time cs-uri-stem cs(User-Agent) sc-status\n2026-11-20 12:00:00 PATH GPTBot/1.1 200\n";
    let json =
        r#"{"path":"PATH","user_agent":"GPTBot/1.1","status":200,"time":"2026-11-20T12:00:00Z"}"#;
    let cloudflare = r#"{"ClientRequestPath":"PATH","ClientRequestUserAgent":"GPTBot/1.1"}"#;
    let nginx = r#"{"uri":"PATH","http_user_agent":"GPTBot/1.1"}"#;
    let template = ["--format-string", "$uri \"$http_user_agent\""];
    let apache = ["--format-string", "%U \"%{User-Agent}i\""];
    let plain = "PATH \"GPTBot/1.1\"\n";
    let no_query = "nobody can tell what rules about queries say of them";
    for (options, log) in [
        (&[][..], w3c),
        (&[], json),
        (&[], cloudflare),
        (&[], nginx),
        (&template[..], plain),
        (&apache[..], plain),
    ] {
        for (rules, path, forbidden) in [
            ("Disallow: /s$", "/s", 0),
            ("Disallow: /s\nAllow: /s?q=", "/s", 0),
            ("Disallow: /s\nAllow: /*page=1$", "/s", 0),
            ("Disallow: /s?q", "/s", 0),
            ("Disallow: /s\nAllow: /*.js", "/s", 0),
            ("Disallow: /s/\nAllow: /", "/s/a", 1),
        ] {
            folder.file("robots.txt", format!("User-agent: *\n{rules}\n"));
            folder.file("log", log.replace("PATH", path));
            let ran = audit(&folder, &[options, &["robots.txt", "log"]].concat());
            let wanted = format!("{forbidden} of 1 request by crawlers forbidden");
            ran.status(forbidden).prints(&wanted).prints(no_query);
        }
    }
    folder.file("robots.txt", "User-agent: *\nDisallow: /s$\n");
    let with = |query: &str| json.replace(r#""PATH""#, &format!(r#""/s","query":"{query}""#));
    for (options, log, status) in [
        (&[][..], with("q=1"), 0),
        (&[], with("?q=1"), 0),
        (&[], with(""), 1),
        (&[], json.replace("PATH", "/s?q"), 0),
        (&[], nginx.replace("\"PATH\"", "\"/s\",\"args\":\"\""), 1),
        (
            &["--format-string", "$uri \"$args\" \"$http_user_agent\""],
            "/s \"q=1\" \"GPTBot/1\"\n".into(),
            0,
        ),
        (&["--format-string", "%U%q \"%{User-Agent}i\""], "/s?q=1 \"GPTBot/1\"\n".into(), 0),
        (&["--format-string", "%U \"%q\" \"%{User-Agent}i\""], "/s \"\" \"GPTBot/1\"\n".into(), 1),
    ] {
        folder.file("log", &log);
        let ran = audit(&folder, &[options, &["robots.txt", "log"]].concat());
        ran.status(status);
        assert!(!String::from_utf8_lossy(&ran.out).contains(no_query), "{log}: {ran:?}");
    }
}
