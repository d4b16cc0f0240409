//! `robotsieve records`: what it prints.

use crate::command::{Folder, run};

const FILE: &str = "Content-Signal: search=yes\nUser-agent: a\nUser-agent: b\nCrawl-delay: 2.5\n\
    Request-rate: 1/10m 0600-0845\nDisallow: /x\nSitemap: /s.xml\n\nUser-agent: *\n\
    Crawl-delay: soon\nContent-Usage: / train-ai=n, bots=n\nFoo: bar\n\
    sitemap: https://e.com/t.xml\nVisit-time: 2200-0400\n";

const TEXT: &str = "\
for the whole file:
  line  7  Sitemap         /s.xml  (not absolute)
  line 13  sitemap         https://e.com/t.xml
for a, b:
  line  4  Crawl-delay     2.5  (2.5 s)
  line  5  Request-rate    1/10m 0600-0845  (1 in 600 s, 06:00 to 08:45 UTC)
for *:
  line 10  Crawl-delay     soon  (invalid crawl-delay: expected a number of seconds, such as 10 or 0.5)
  line 11  Content-Usage   / train-ai=n, bots=n  (train-ai: disallow, bots: unknown label)
  line 12  Foo             bar  (unknown field)
  line 14  Visit-time      2200-0400  (22:00 to 04:00 UTC)
in no group:
  line  1  Content-Signal  search=yes  (search: allow)
";

/// Preferences whose whole statement is malformed say nothing, and that is told.
#[test]
fn malformed_statements() {
    let file = "User-agent: *\nContent-Usage: Train-ai=n\nContent-Signal: foo\nAllow: /\n";
    let folder = Folder::of(&[("robots.txt", file)]);
    run(args!["records", folder.path("robots.txt")]).gives(
        0,
        "\
for *:
  line 2  Content-Usage   Train-ai=n  (invalid content-usage: expected a dictionary of RFC 9651, such as \
         train-ai=n, search=y)
  line 3  Content-Signal  foo  (invalid content-signal: expected signals, such as search=yes, ai-train=no)
",
    );
}

/// A delay is that of the user-agent lines above it, any other record that of the group.
#[test]
fn groups_that_run_together() {
    let file = "User-agent: slowbot\nCrawl-delay: 120\n\nUser-agent: *\nDisallow: /x\n\n\
                User-agent: a\nUser-agent: b\nCrawl-delay: 1\nDisallow:\n\n\
                User-agent: c\nNoindex: /n\nUser-agent: d\nDisallow:\n";
    let folder = Folder::of(&[("robots.txt", file)]);
    run(args!["records", folder.path("robots.txt")]).gives(
        0,
        "\
for slowbot:
  line  2  Crawl-delay  120  (120 s)
for a, b:
  line  9  Crawl-delay  1  (1 s)
for c, d:
  line 13  Noindex      /n
  note: line 14 joins this group: 'Noindex' on line 13 does not end it
",
    );
    for (agent, wanted) in [
        ("slowbot", "for slowbot:\n  line 2  Crawl-delay  120  (120 s)\n"),
        ("other", "no records other than user-agent lines and rules\n"),
    ] {
        run(args!["records", "--agent", agent, folder.path("robots.txt")]).gives(0, wanted);
    }
}

#[test]
fn text() {
    let folder = Folder::of(&[("robots.txt", FILE), ("rules", "User-agent: *\nAllow: /\n")]);
    let file = folder.path("robots.txt");
    run(args!["records", &file]).gives(0, TEXT);
    let ran = run(args!["records", "--base", "https://e.com/robots.txt", "--agent", "B", &file]);
    let wanted = "\
for the whole file:
  line  7  Sitemap         /s.xml  (not absolute: https://e.com/s.xml)
  line 13  sitemap         https://e.com/t.xml
for a, b:
  line  4  Crawl-delay     2.5  (2.5 s)
  line  5  Request-rate    1/10m 0600-0845  (1 in 600 s, 06:00 to 08:45 UTC)
in no group:
  line  1  Content-Signal  search=yes  (search: allow)
";
    ran.gives(0, wanted);
    let none = "no records other than user-agent lines and rules\n";
    run(args!["records", folder.path("rules")]).gives(0, none);
}

#[test]
fn json() {
    let folder = Folder::of(&[("robots.txt", FILE)]);
    let file = folder.path("robots.txt");
    let ran = run(args!["records", "--format", "json", "--base", "https://e.com/", &file]);
    assert_eq!(ran.status, 0);
    let value: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!((&value["report"], &value["profile"]), (&"records".into(), &"rfc9309".into()));
    let records = value["records"].as_array().unwrap();
    assert_eq!(records.len(), 9);
    assert!(records.is_sorted_by_key(|record| record["line"].as_u64()));
    let wanted = serde_json::json!({
        "line": 5, "kind": "request-rate", "field": "Request-rate", "value": "1/10m 0600-0845",
        "scope": "group", "group": 0, "run": null, "error": null,
        "note": "1 in 600 s, 06:00 to 08:45 UTC",
        "request_rate": {
            "requests": 1, "seconds": 600, "window": { "from_minute": 360, "to_minute": 525 },
        },
        "sitemap": null, "crawl_delay_ms": null, "visit_time": null, "host": null,
        "clean_param": null, "license": null, "preferences": null,
    });
    assert_eq!(records[2], wanted);
    let scope = serde_json::json!({
        "scope": "group", "group": 0, "run": null, "crawlers": ["a", "b"], "label": "for a, b", "notes": [],
    });
    assert_eq!(value["scopes"][1], scope);
    assert_eq!(records[1]["crawl_delay_ms"], 2_500);
    assert_eq!(records[3]["sitemap"]["url"], "https://e.com/s.xml");
    assert!(records[4]["error"].as_str().unwrap().contains("a number of seconds"));
    let wanted = serde_json::json!({
        "path": "/", "use": null,
        "labels": [
            { "label": "train-ai", "preference": "disallow" },
            { "label": "bots", "preference": "unknown" },
        ],
    });
    assert_eq!(records[5]["preferences"], wanted);
}

#[test]
fn called_wrongly() {
    let folder = Folder::of(&[("robots.txt", FILE)]);
    let file = folder.path("robots.txt");
    run(args!["records", "--path", "/x", &file]).fails(2, "'robotsieve rights URL' says");
    run(args!["records", "--base", "x", &file]).fails(2, "--base");
    run(args!["records", folder.path("none")]).fails(3, "cannot read robots.txt");
    run(args!["records"]).fails(2, "Usage: robotsieve records");
}

/// Crawlers, fields and values that are not UTF-8 keep their bytes.
#[cfg(unix)]
#[test]
fn bytes_that_are_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let file = b"User-agent: b\xE9\nCrawl-delay: \xE9\nNoindex: /\xE9\nContent-Signal: \xE9=yes\n\
        Disallow: /\nHost: \xE9.com\nClean-param: \xE9&a /\xE9\n";
    let robots = folder.file("robots.txt", file);
    let agent = OsStr::from_bytes(b"b\xE9");
    let args = args!["records", "--format=json", "--profile=original-1994"];
    let ran = run(args.into_iter().chain(args!["--agent", agent, &robots]));
    let value: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
    let records = &value["records"];
    let group = &value["scopes"][1];
    assert_eq!(group["crawlers"], serde_json::json!(["b\u{FFFD}"]));
    assert_eq!(group["crawlers_base64"], serde_json::json!(["Yuk="]));
    assert_eq!(records[0]["value_base64"], "6Q==");
    assert_eq!(records[1]["value_base64"], "L+k=");
    let kinds = records.as_array().unwrap().iter().map(|record| record["kind"].as_str().unwrap());
    let kinds: Vec<&str> = kinds.collect();
    assert_eq!(kinds, ["crawl-delay", "noindex", "content-signal", "host", "clean-param"]);
    let label = &records[2]["preferences"]["labels"][0];
    assert!(records[2]["preferences"].is_null() || label["label_base64"] == "6Q==");
    assert!(records[3]["host"].is_null() || records[3]["host"]["name_base64"] == "6S5jb20=");
    let clean_param = &records[4]["clean_param"];
    assert_eq!(clean_param["params_base64"], serde_json::json!(["6Q==", "YQ=="]));
    assert_eq!(clean_param["path_base64"], "L+k=");
}
