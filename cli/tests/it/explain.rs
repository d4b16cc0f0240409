//! `robotsieve explain`.

use std::fs;

use crate::command::{Folder, Ran, run, run_with};
use serde_json::Value;

const ROBOTS: &str = "User-agent: FooBot\nDisallow: /private\nAllow: /private/*.html$\n\n\
                      User-agent: *\nDisallow: /\n";

fn json(ran: &Ran) -> Value {
    serde_json::from_slice(&ran.out).unwrap_or_else(|wrong| panic!("{wrong}: {ran:?}"))
}

#[test]
fn exit_status_is_that_of_check() {
    let folder = Folder::new();
    let robots = folder.file("robots.txt", ROBOTS);
    let explain = |agent: &str, url: &str| run(args!["explain", &robots, agent, url]);
    assert_eq!(explain("FooBot", "https://e.com/").status, 0);
    assert_eq!(explain("FooBot", "/private/x").status, 1);
    assert_eq!(explain("FooBot", "/private/x.html").status, 0);
    assert_eq!(explain("OtherBot", "/").status, 1);
    let invalid = explain("FooBot", "e.com");
    assert_eq!(invalid.status, 2);
    invalid.says("'e.com' is invalid").says("--profile google");
    run(args!["explain", "--profile", "google", &robots, "FooBot", "e.com"]);
    assert_eq!(
        run(args!["explain", "--all-profiles", &robots, "FooBot", "/private/x.html"]).status,
        1
    );
    run(args!["explain", folder.path("none"), "FooBot", "/"]).fails(3, "none");
    run(args!["explain", &robots, "FooBot"]).fails(2, "URL");
    run(args!["explain"]).fails(2, "Usage: robotsieve explain");
    let both = ["--profile=google", "--all-profiles"];
    run(args!["explain", both[0], both[1], &robots, "FooBot", "/"]).fails(2, "--all-profiles");
    run(args!["explain", "--record", "--format=json", &robots, "FooBot", "/"]).fails(2, "--format");
}

#[test]
fn several_urls() {
    let folder = Folder::new();
    let robots = folder.file("robots.txt", ROBOTS);
    let text = |ran: Ran| String::from_utf8(ran.out).unwrap();
    let ran = run(args!["explain", &robots, "FooBot", "/", "/private"]);
    assert_eq!(ran.status, 1);
    let out = text(ran);
    assert!(out.starts_with("allow: FooBot, / ") && out.contains("\n\ndisallow: FooBot"), "{out}");
    let input = b"/private\r\n\n/\ne.com\n";
    let ran = run_with(args!["explain", "--record", &robots, "FooBot", "-"], input);
    assert_eq!(ran.status, 2);
    assert_eq!(text(ran).lines().count(), 3);
    let ran = run_with(args!["explain", "--format=jsonl", &robots, "FooBot", "-"], input);
    let reports: Vec<Value> =
        text(ran).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let verdicts: Vec<&Value> = reports.iter().map(|report| &report["verdict"]).collect();
    assert_eq!(verdicts, ["disallow", "allow", "invalid"]);
}

#[test]
fn help_teaches() {
    for (command, parts) in [
        ("explain", ["Examples:", "Exit status:", "original-1994", "User-Agent", "NO_COLOR"]),
        ("replay", ["Examples:", "Exit status:", "--robots-dir", "malformed", "missing"]),
    ] {
        for help in [args![command, "--help"], args!["help", command]] {
            let ran = run(help);
            let out = String::from_utf8(ran.out).unwrap();
            assert_eq!((ran.status, ran.err.as_str()), (0, ""));
            for part in parts {
                assert!(out.contains(part), "no {part} in {out}");
            }
            assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
        }
    }
}

#[test]
fn text_underlines_what_matches() {
    let folder = Folder::new();
    let robots = folder.file("robots.txt", ROBOTS);
    let ran = run(args!["explain", &robots, "FooBot", "https://e.com/private/%61.html"]);
    let out = String::from_utf8(ran.out).unwrap();
    for part in [
        "allow: FooBot, https://e.com/private/%61.html (profile rfc9309)",
        "1 | User-agent: FooBot\n",
        "this group: its token is the name 'FooBot'",
        "2 | Disallow: /private\n  |           -------- runner-up: 8 bytes",
        "3 | Allow: /private/*.html$\n  |        ^^^^^^^^^-^^^^^^ decides: 16 bytes",
        "matches 'a'",
        "5 | User-agent: *\n  |             - not this group: another group names the crawler",
        "line 3 decides, out of 2 rules in the group for the crawler",
        "by the other rules the verdict would be disallow: line 2",
        "compared as '/private/a.html'",
        "1 | https://e.com/private/%61.html\n  |                       --- 'a'",
        "1 | /private/a.html\n  | ^^^^^^^^^-^^^^^",
    ] {
        assert!(out.contains(part), "no {part:?} in\n{out}");
    }
    // Pipes and files get no colors.
    assert!(!out.contains('\x1b'));
}

#[test]
fn text_names_the_reason() {
    let folder = Folder::new();
    let say = |file: &str, url: &str, part: &str| {
        let robots = folder.file("robots.txt", file);
        let ran = run(args!["explain", &robots, "a", url]);
        let out = String::from_utf8(ran.out).unwrap();
        assert!(ran.status == 0 && out.contains(part), "no {part:?} in\n{out}");
    };
    say("", "/", "no group applies to this crawler: everything is allowed");
    say("user-agent: b\ndisallow: /", "/", "1 user-agent line for other crawlers: b (1)");
    say("user-agent: a\ndisallow: /x", "/", "the only rule of the group does not match");
    say("user-agent: a\ndisallow: /x\nallow: /y", "/", "none of the 2 rules of the group matches");
    say("user-agent: a\ndisallow:", "/", "the rule on line 2 is empty and restricts nothing");
    say("user-agent: a", "/", "the group has no rules");
    say("user-agent: a\nsitemap: x\nuser-agent: a", "/", "the group has no rules");
    say(
        "user-agent: a\ndisallow: /x\nuser-agent: a\ndisallow: /y",
        "/",
        "none of the 2 rules of the groups matches",
    );
    say(
        "user-agent: * b\ndisallow: /",
        "/",
        "1 user-agent line for nobody (no product token): * b",
    );
    say("user-agent:\ndisallow: /", "/", "1 user-agent line for nobody (no product token): '' (1)");
    say("user-agent: *\ndisallow: /", "/robots.txt", "robots.txt itself may always be fetched");
    say(
        "user-agent: *\ndisallow: /",
        "/robots.txt",
        "by the rules alone the verdict would be disallow",
    );
    let robots = folder.file("robots.txt", "user-agent: *\ndisallow: /");
    let ran = run(args!["explain", &robots, "a", "/"]);
    assert!(
        String::from_utf8(ran.out)
            .unwrap()
            .contains("by the other rules the verdict would be allow: none matches")
    );
    // Without line 2, both lines would name one group: only the rules are spoken of.
    let robots =
        folder.file("robots.txt", "user-agent: a\ndisallow: /\nuser-agent: b\ndisallow: /y");
    let ran = run(args!["explain", &robots, "a", "/y"]);
    let out = String::from_utf8(ran.out).unwrap();
    assert!(
        out.contains("by the other rules the verdict would be allow: none")
            && !out.contains("without line")
    );
    // One rule, though google makes two patterns of it.
    let robots = folder.file("robots.txt", "user-agent: a\nallow: /*/index.htm\n");
    let ran = run(args!["explain", "--profile=google", &robots, "a", "/x/index.htm/"]);
    let out = String::from_utf8(ran.out).unwrap();
    assert!(out.contains("out of 1 rule in the group for the crawler"), "{out}");
}

/// Where all profiles say the same, it is said once.
#[test]
fn profiles_that_agree_share_a_block() {
    let folder = Folder::new();
    let explain = |file: &[u8], url: &str| {
        let robots = folder.file("robots.txt", file);
        let ran = run(args!["explain", "--all-profiles", &robots, "FooBot", url]);
        String::from_utf8(ran.out).unwrap()
    };
    let titles = |out: &str| -> Vec<String> {
        let is_title = |line: &&str| line.starts_with("allow: ") || line.starts_with("disallow: ");
        let of = |line: &str| line[line.rfind('(').unwrap()..].to_owned();
        out.lines().filter(is_title).map(of).collect()
    };
    let out = explain(b"User-agent: FooBot\nDisallow: /a\nDisallow: /ab\nAllow: /x\n", "/abc");
    assert_eq!(
        titles(&out),
        ["(profiles rfc9309, google and google-classic)", "(profile original-1994)"]
    );
    let out = explain(b"User-agent: FooBot\nDisallow: /a\nAllow: /x\n", "/abc");
    assert_eq!(titles(&out), ["(all profiles)"]);
    // What differs between them is not said: in 1994, Allow is no rule, and no length counts.
    assert!(out.contains("^^ decides\n") && out.contains("= note: line 2 decides\n"), "{out}");
    assert!(out.ends_with("profiles: all profiles say disallow, by line 2\n"), "{out}");
    let out = explain(b"User-agent: * x\nDisallow: /\n", "/");
    assert_eq!(
        titles(&out),
        ["(profiles rfc9309 and google-classic)", "(profile google)", "(profile original-1994)"]
    );
    assert!(out.contains(
        "google says disallow, because a user-agent of '*', white space and more counts as '*' there"
    ), "{out}");
    let out = explain("User-agent: *\nDisallow: /caf\u{e9}\n".as_bytes(), "/caf%C3%A9");
    assert!(out.contains(
        "original-1994 says allow, because bytes that are not ASCII are compared as they are there"
    ), "{out}");
}

/// Every reason, in JSON. The library's tests check that the documents fit their schema.
#[test]
fn every_reason() {
    let folder = Folder::new();
    for (file, url, reason, rule_count) in [
        ("user-agent: a\ndisallow: /", "/", "rule", 1),
        ("user-agent: b\ndisallow: /", "/", "no-group", 0),
        ("user-agent: a\ndisallow: /x", "/", "no-match", 1),
        ("user-agent: a", "/", "no-match", 0),
        ("user-agent: a\ndisallow:", "/", "empty-rule", 0),
        ("user-agent: a\ndisallow: /", "/robots.txt", "robots-txt", 1),
        ("user-agent: a\ndisallow: /", "e.com", "invalid-url", 0),
    ] {
        let robots = folder.file("robots.txt", file);
        let why = json(&run(args!["explain", "--format=json", &robots, "a", url]));
        assert_eq!(why["reason"], reason);
        if reason != "invalid-url" {
            assert_eq!(why["selection"]["rule_count"], rule_count, "{file}");
        }
        let all =
            json(&run(args!["explain", "--all-profiles", "--format=json", &robots, "a", url]));
        assert_eq!(all["explanations"][0], why);
    }
}

/// What is beyond the size limit is ignored; that is said.
#[test]
fn a_file_that_is_cut() {
    let folder = Folder::new();
    let lines = "Disallow: /a-rule-of-some-length\n".repeat(16_000);
    let robots = folder.file("robots.txt", format!("User-agent: *\n{lines}Disallow: /z\n"));
    let ran = run(args!["explain", &robots, "a", "/z"]);
    let out = String::from_utf8(ran.out.clone()).unwrap();
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let note = "line 15516 and all after it are ignored, since only whole lines within 512000 \
        bytes are read; in the whole file line 16002 would decide: disallow";
    assert!(out.replace("\n          ", " ").contains(note), "{out}");
    let ran = run(args!["explain", &robots, "a", "/"]);
    assert!(String::from_utf8(ran.out).unwrap().contains("they would not change this answer"));
    let ran = run(args!["explain", "--all-profiles", "--format=json", &robots, "a", "/z"]);
    let document = json(&ran);
    let wanted = serde_json::json!({
        "bytes_read": 511_976, "line": 15_516, "limit_bytes": 512_000,
        "matters": true, "verdict": "disallow", "winner_line": 16_002,
    });
    assert_eq!(document["explanations"][0]["cut"], wanted);
    assert_eq!(document["explanations"][1]["cut"], Value::Null);
    for (command, arguments) in [
        ("check", args![&robots, "a", "/z"].to_vec()),
        ("dot", args![&robots, "a"].to_vec()),
        ("records", args![&robots].to_vec()),
        ("diff", args![&robots, &robots].to_vec()),
    ] {
        let ran = run(args![command].into_iter().chain(arguments.clone()));
        ran.says("line 15516 of '").says("--profile google has none");
        let quiet = run(args!["--quiet", command].into_iter().chain(arguments));
        assert_eq!(quiet.err, "", "{command}");
    }
    let filter = args!["filter", "--robots", &robots, "--agent", "a"];
    run_with(filter, b"/z\n").says("line 15516 of '");
}

/// Files, agents and URLs cannot manipulate the terminal, and lines end where the library says.
#[test]
fn text_is_harmless() {
    let folder = Folder::new();
    let file = b"\xEF\xBB\xBFuser-agent: *\rdisallow: /a\x1b[31m\xFF\xE2\x80\xAE*\r\n";
    let robots = folder.file("robots.txt", file);
    let url = "/a\x1b[31m%FF\u{202E}x";
    for profile in ["rfc9309", "google", "google-classic", "original-1994"] {
        // Others refuse such a name.
        let agent = if profile == "rfc9309" { "FooBot" } else { "\x1b[0m" };
        let ran = run(args!["explain", "--profile", profile, &robots, agent, url]);
        let out = String::from_utf8(ran.out).unwrap();
        assert!(!out.contains(['\x1b', '\u{202E}']), "{out}");
        if profile == "rfc9309" {
            assert!(out.contains("2 | disallow: /a␛[31m"), "{out}");
        }
    }
}

/// Hostile files give a short text quickly.
#[test]
fn hostile_files() {
    let folder = Folder::new();
    let url = format!("/{}", "ab".repeat(30 << 10));
    let rule = |piece: &str, times: usize| format!("disallow: /{}\n", piece.repeat(times));
    let files = [
        format!("user-agent: *\n{}", rule("*a", 240 << 10)),
        format!("user-agent: *\n{}", rule("*a", 60).repeat(3_900)),
        format!("user-agent: *\n{}", rule("*", 1).repeat(38_000)),
        "user-agent: a\n".repeat(35_000),
        format!("{}user-agent: *\n{}", ":\n".repeat(240 << 10), rule("*", 1)),
    ];
    for file in files {
        let robots = folder.file("robots.txt", &file);
        for options in [&["--all-profiles", "--agent=a"][..], &["--user-agent=a"]] {
            let options = options.iter().map(Into::into);
            let ran = run(args!["explain"].into_iter().chain(options).chain(args![&robots, &url]));
            assert!(ran.status <= 1 && ran.out.len() < 100_000, "{}", ran.out.len());
        }
        let ran = run(args!["explain", "--format=json", &robots, "a", &url]);
        assert!(json(&ran)["matches"].as_array().unwrap().len() <= 256);
    }
}

#[test]
fn json_says_what_the_text_says() {
    let folder = Folder::new();
    let robots = folder.file("robots.txt", ROBOTS);
    let ran = run(args!["explain", "--format=json", &robots, "FooBot", "/private/%61.html"]);
    let why = json(&ran);
    assert_eq!(
        (&why["schema"], &why["report"]),
        (&"robotsieve-report-1".into(), &"explain".into())
    );
    assert_eq!(why["robots"], robots.to_str().unwrap());
    assert_eq!(why["verdict"], "allow");
    assert_eq!((why["winner_line"].as_u64(), why["runner_up_line"].as_u64()), (Some(3), Some(2)));
    assert_eq!(why["target"]["value"], "/private/a.html");
    let text = String::from_utf8(run(args!["explain", &robots, "FooBot", "/private/%61.html"]).out);
    let text = text.unwrap();
    let sentences = why["sentences"].as_array().unwrap().iter();
    let labels = why["selection"]["lines"]
        .as_array()
        .unwrap()
        .iter()
        .chain(why["matches"].as_array().unwrap());
    let said = sentences.map(|one| &one["text"]).chain(labels.map(|one| &one["label"]));
    for said in said.chain([&why["target"]["label"]]) {
        assert!(text.contains(said.as_str().unwrap()), "no {said} in\n{text}");
    }
}

#[cfg(unix)]
#[test]
fn bytes_that_are_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let robots = folder.file("robots.txt", b"User-agent: *\nDisallow: /\xe9");
    let odd = folder.path("robots.txt").with_file_name(OsStr::from_bytes(b"r\xe9"));
    fs::rename(&robots, &odd).unwrap();
    let robots = odd;
    let url = OsStr::from_bytes(b"/\xe9t");
    let agent = OsStr::from_bytes(b"\xff");
    let ran =
        run(args!["explain", "--format=json", "--profile=original-1994", &robots, agent, url]);
    let document = json(&ran);
    assert_eq!(document["url_base64"], "L+l0");
    assert_eq!(document["agent_base64"], "/w==");
    assert_eq!(document["matches"][0]["value_base64"], "L+k=");
    assert_eq!(document["target"]["value_base64"], "L+l0");
    let name = document["robots_base64"].as_str().unwrap();
    assert!(name.len() > 4 && document["robots"].as_str().unwrap().ends_with("r\u{FFFD}"));
    assert_eq!(ran.status, 1);
    let args = args!["explain", "--record", "--profile=original-1994", &robots, agent, url];
    let record = json(&run(args));
    assert_eq!((&record["robots_base64"], &record["rule_base64"]), (&name.into(), &"L+k=".into()));
}

#[test]
fn records() {
    let folder = Folder::new();
    let robots = folder.file("robots.txt", ROBOTS);
    let ran = run(args!["explain", "--record", &robots, "FooBot", "/private/x"]);
    assert_eq!((ran.status, ran.out.iter().filter(|byte| **byte == b'\n').count()), (1, 1));
    let record = json(&ran);
    assert_eq!(record["schema"], "robotsieve-record-1");
    assert_eq!(record["verdict"], "disallow");
    assert_eq!((record["rule"].as_str(), record["line"].as_u64()), (Some("/private"), Some(2)));
    assert_eq!(record["span"], serde_json::json!([29, 37]));
    assert_eq!(record["robots"], robots.to_str().unwrap());
    assert_eq!(record["robots_sha256"].as_str().unwrap().len(), 64);
    assert_eq!(record["tool_version"], env!("CARGO_PKG_VERSION"));
    let ran = run(args!["explain", "--record", "--all-profiles", &robots, "FooBot", "e.com"]);
    let records: Vec<Value> = serde_json::Deserializer::from_slice(&ran.out)
        .into_iter()
        .map(|record| record.unwrap())
        .collect();
    let verdicts: Vec<&str> = records.iter().map(|r| r["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["invalid", "allow", "invalid", "invalid"]);
    assert_eq!(ran.status, 2);
}

#[test]
fn groups_that_seem_to_end() {
    let folder = Folder::new();
    let robots = folder.file(
        "robots.txt",
        "User-agent: Googlebot\nCrawl-delay: 1\n\nUser-agent: *\nDisallow: /\n",
    );
    let ran = run(args!["explain", &robots, "Googlebot", "/x"]);
    let note = "line 4 joins this group: 'Crawl-delay' on line 2 does not end it";
    assert!(String::from_utf8_lossy(&ran.out).contains(&format!("= note: {note}\n")), "{ran:?}");
    let ran = run(args!["explain", "--format", "json", &robots, "Googlebot", "/x"]);
    assert_eq!(json(&ran)["selection"]["notes"][0], note);
}
