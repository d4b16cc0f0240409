//! `robotsieve replay`.

use std::fs;

use crate::command::{Folder, Ran, run_in, run_with};

const ROBOTS: &str = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /c\n";

/// Records of these URLs, in the order given.
fn records(folder: &Folder, urls: &[&str]) -> Vec<u8> {
    let record = |url: &&str| {
        run_in(&folder.root(), args!["explain", "--record", "robots.txt", "FooBot", url]).out
    };
    urls.iter().flat_map(record).collect()
}

fn replay(folder: &Folder) -> Ran {
    run_in(&folder.root(), args!["replay", "records.jsonl"])
}

#[track_caller]
fn changes(ran: &Ran, status: i32, wanted: &[(&str, &str)]) {
    let out = String::from_utf8(ran.out.clone()).unwrap();
    let got: Vec<(&str, &str)> = out
        .lines()
        .map(|line| {
            let mut parts = line.split('\t');
            (parts.next().unwrap(), parts.next().unwrap())
        })
        .collect();
    assert_eq!(got, wanted, "{ran:?}");
    assert_eq!(ran.status, status, "{ran:?}");
}

#[test]
fn says_what_changed() {
    let folder = Folder::of(&[("robots.txt", ROBOTS)]);
    let urls = ["/a", "/a/b", "/c", "/d", "e.com"];
    folder.file("records.jsonl", records(&folder, &urls));
    changes(&replay(&folder), 0, &[]);
    replay(&folder).says("records 5 hold 5 verdict 0 rule 0 file 0 missing 0 malformed 0");
    // The same rules on other lines: all records hold, with a note.
    folder.file("robots.txt", format!("# new\n{ROBOTS}"));
    let all = ["1", "2", "3", "4", "5"].map(|line| format!("records.jsonl:{line}"));
    let wanted: Vec<(&str, &str)> = all.iter().map(|place| (place.as_str(), "file")).collect();
    let ran = replay(&folder);
    changes(&ran, 0, &wanted);
    ran.says("records 5 hold 5 verdict 0 rule 0 file 5");
    let out = String::from_utf8(ran.out).unwrap();
    assert!(out.contains("was disallow by '/a' on line 2; is disallow by '/a' on line 3"), "{out}");
    // Another rule with the same verdict, another verdict, and a rule where there was none.
    folder.file("robots.txt", "User-agent: *\nDisallow: /a*\nAllow: /c\nAllow: /d\n");
    let ran = replay(&folder);
    changes(
        &ran,
        1,
        &[
            ("records.jsonl:1", "rule"),
            ("records.jsonl:2", "verdict"),
            ("records.jsonl:3", "verdict"),
            ("records.jsonl:4", "rule"),
            ("records.jsonl:5", "file"),
        ],
    );
    ran.says("records 5 hold 1 verdict 2 rule 2 file 1 missing 0 malformed 0");
    fs::remove_file(folder.path("robots.txt")).unwrap();
    let wanted: Vec<(&str, &str)> = all.iter().map(|place| (place.as_str(), "missing")).collect();
    changes(&replay(&folder), 3, &wanted);
}

#[test]
fn malformed_lines_lose_nothing() {
    let folder = Folder::of(&[("robots.txt", ROBOTS)]);
    let record = String::from_utf8(records(&folder, &["/a"])).unwrap();
    let bad = [
        "not json\n".to_owned(),
        "{}\n".to_owned(),
        record.replace("robotsieve-record-1", "robotsieve-record-9"),
        record.replace("rfc9309", "rfc1"),
        record.replace("\"disallow\"", "\"maybe\""),
        record.replace("\"user_agent\"", "\"url_base64\":\"?\",\"user_agent\""),
    ];
    let text = format!("{record}{}\n{}", bad.concat(), record.replace("/a", "/b"));
    folder.file("records.jsonl", &text);
    let ran = replay(&folder);
    let malformed = (2..8).map(|line| format!("records.jsonl:{line}")).collect::<Vec<_>>();
    let mut wanted: Vec<(&str, &str)> =
        malformed.iter().map(|place| (place.as_str(), "malformed")).collect();
    wanted.push(("records.jsonl:9", "verdict"));
    changes(&ran, 2, &wanted);
    ran.says("records 8 hold 1 verdict 1 rule 0 file 0 missing 0 malformed 6");
    let out = String::from_utf8(ran.out).unwrap();
    for part in ["missing field", "robotsieve-record-9", "'rfc1'", "'maybe'", "url_base64"] {
        assert!(out.contains(part), "no {part} in {out}");
    }
}

/// A line of records has a bound, so an input without end has an end. Other inputs are read.
#[cfg(target_os = "linux")]
#[test]
fn lines_without_end() {
    let folder = Folder::of(&[("robots.txt", ROBOTS)]);
    let record = String::from_utf8(records(&folder, &["/a"])).unwrap();
    folder.file("good.jsonl", &record);
    folder.file("long.jsonl", format!("{record}{}\n{record}", "x".repeat((16 << 20) + 1)));
    let args = args!["replay", "/dev/zero", "long.jsonl", "good.jsonl"];
    let ran = run_in(&folder.root(), args);
    changes(&ran, 2, &[("/dev/zero:1", "malformed"), ("long.jsonl:2", "malformed")]);
    ran.prints("longer than 16777216 bytes, so nothing more of this input is read")
        .says("records 4 hold 2 verdict 0 rule 0 file 0 missing 0 malformed 2");
}

/// A record that was altered does not hold, even if the file is the same.
#[test]
fn altered_records() {
    let folder = Folder::of(&[("robots.txt", ROBOTS)]);
    let record = String::from_utf8(records(&folder, &["/a"])).unwrap();
    let altered = |from: &str, to: &str| {
        assert!(record.contains(from), "{record}");
        folder.file("records.jsonl", record.replace(from, to));
        replay(&folder)
    };
    let ran = altered("\"verdict\":\"disallow\"", "\"verdict\":\"allow\"");
    changes(&ran, 1, &[("records.jsonl:1", "verdict")]);
    assert!(String::from_utf8(ran.out).unwrap().contains("the record was altered"));
    changes(&altered("\"line\":2", "\"line\":4"), 1, &[("records.jsonl:1", "rule")]);
    let ran = altered("\"rule\":\"/a\"", "\"rule\":\"/\"");
    changes(&ran, 1, &[("records.jsonl:1", "rule")]);
    for (member, from, to) in [
        ("target", "\"target\":\"/a\"", "\"target\":\"/x\""),
        ("target", "\"target\":\"/a\",", ""),
        ("span", "\"span\":[24,26]", "\"span\":[34,36]"),
        ("span", "\"span\":[24,26]", "\"span\":[26,24]"),
        ("span", "\"span\":[24,26]", "\"span\":[24,99999]"),
        ("span", ",\"span\":[24,26]", ""),
    ] {
        let ran = altered(from, to);
        changes(&ran, 1, &[("records.jsonl:1", "rule")]);
        let out = String::from_utf8(ran.out).unwrap();
        let wanted = format!("disallow holds, but '{member}' is wrong; the record was altered");
        assert!(out.contains(&wanted), "{out}");
    }
    let ran = altered("\"reason\":\"rule\"", "\"reason\":\"no-match\"");
    changes(&ran, 1, &[("records.jsonl:1", "rule")]);
    let version = format!("\"tool_version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    changes(&altered(&version, "\"tool_version\":\"0.0.1\""), 0, &[]);
}

/// Spans are correct for every line end and every limit of the profiles.
#[test]
fn spans_in_odd_files() {
    let mut file = b"\xEF\xBB\xBFuser-agent: *\r\ndisallow: /a\rallow: /a/b\0c\r\n\n".to_vec();
    file.extend(b"disallow: /x/index.html # y\ndisallow: /".iter().chain(&[b'l'; 20_000]));
    let folder = Folder::new();
    folder.file("robots.txt", &file);
    let mut text = Vec::new();
    let long = format!("/{}", "l".repeat(20_000));
    for url in ["/a", "/a/b", "/a/b\u{1}c", "/x/index.html", "/x/", &long] {
        let args = args!["explain", "--record", "--all-profiles", "robots.txt", "a", url];
        text.extend(run_in(&folder.root(), args).out);
    }
    folder.file("records.jsonl", text);
    replay(&folder).gives(0, "").says("records 24 hold 24 verdict 0 rule 0 file 0");
}

#[test]
fn inputs() {
    use std::io::Write;
    let folder = Folder::of(&[("robots.txt", ROBOTS)]);
    let two = records(&folder, &["/a", "/c"]);
    let robots = folder.path("robots.txt");
    let absolute = String::from_utf8(two.clone()).unwrap();
    let absolute = absolute.replace("robots.txt", robots.to_str().unwrap());
    let summary = "records 2 hold 2 ";
    run_with(args!["replay"], absolute.as_bytes()).gives(0, "").says(summary);
    run_with(args!["replay", "-"], absolute.as_bytes()).gives(0, "").says(summary);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&two).unwrap();
    folder.file("records.jsonl", packed.finish().unwrap());
    replay(&folder).gives(0, "").says(summary);
    // Inputs that cannot be read are skipped.
    let args = args!["replay", "none.jsonl", "records.jsonl"];
    run_in(&folder.root(), args).gives(3, "").says("none.jsonl").says(summary);
    let args = args!["replay", "--progress=always", "records.jsonl"];
    run_in(&folder.root(), args).gives(0, "").says(summary);
    run_with(args!["replay"], b"").gives(0, "").says("records 0 hold 0");
}

#[test]
fn other_files() {
    let folder = Folder::of(&[
        ("robots.txt", ROBOTS),
        ("new.txt", "User-agent: *\nDisallow:\n"),
        ("robots/e.com", ROBOTS),
        ("robots/f.com.txt", "User-agent: *\nAllow: /a\n"),
    ]);
    let urls = ["https://e.com/a", "https://F.com:443/a", "https://g.com/a", "/a"];
    folder.file("records.jsonl", records(&folder, &urls));
    let replay = |option: &str, value: &str| {
        run_in(&folder.root(), args!["replay", option, value, "records.jsonl"])
    };
    let places = ["1", "2", "3", "4"].map(|line| format!("records.jsonl:{line}"));
    let wanted: Vec<(&str, &str)> = places.iter().map(|p| (p.as_str(), "verdict")).collect();
    changes(&replay("--robots", "new.txt"), 1, &wanted);
    let ran = replay("--robots-dir", "robots");
    changes(&ran, 3, &[(&places[1], "verdict"), (&places[2], "missing"), (&places[3], "missing")]);
    let out = String::from_utf8(ran.out).unwrap();
    assert!(out.contains("no file for g.com") && out.contains("the URL has no host"), "{out}");
    replay("--robots", "none.txt").fails(3, "none.txt");
    replay("--robots-dir", "none").fails(3, "none");
    let both = args!["replay", "--robots", "new.txt", "--robots-dir", "robots"];
    run_in(&folder.root(), both).fails(2, "--robots-dir");
}

#[test]
fn every_profile_and_kind_of_agent() {
    let folder = Folder::of(&[("robots.txt", ROBOTS)]);
    let mut text = Vec::new();
    let crawlers = [
        &["--all-profiles", "robots.txt", "a,b"][..],
        &["--user-agent", "X/1 (compatible; y)", "robots.txt"],
    ];
    for crawler in crawlers {
        for url in ["/a", "/a/b", "/robots.txt", "e.com", "https://e.com?é"] {
            let args =
                args!["explain", "--record"].into_iter().chain(crawler.iter().map(Into::into));
            text.extend(run_in(&folder.root(), args.chain(args![url])).out);
        }
    }
    folder.file("records.jsonl", text);
    replay(&folder).gives(0, "").says("records 25 hold 25");
}

#[cfg(unix)]
#[test]
fn bytes_that_are_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let name = OsStr::from_bytes(b"r\xFF.txt");
    fs::write(folder.root().join(name), b"user-agent: \xE9\ndisallow: /\xE9\n").unwrap();
    let agent = OsStr::from_bytes(b"\xE9");
    let url = OsStr::from_bytes(b"/\xE9");
    let args = args!["explain", "--record", "--profile=original-1994", name, agent, url];
    let ran = run_in(&folder.root(), args);
    assert_eq!(ran.status, 1, "{ran:?}");
    folder.file("records.jsonl", &ran.out);
    replay(&folder).gives(0, "").says("records 1 hold 1");
}

/// A hundred thousand records of a hundred files; each file is read once.
#[test]
fn many_records() {
    let folder = Folder::of(&[("robots.txt", ROBOTS)]);
    let record = String::from_utf8(records(&folder, &["https://e.com/a"])).unwrap();
    let mut text = String::new();
    for number in 0..100_000 {
        let name = format!("f{}.txt", number % 100);
        if number < 100 {
            folder.file(&name, ROBOTS);
        }
        text.push_str(&record.replace("robots.txt", &name));
    }
    folder.file("records.jsonl", text);
    replay(&folder).gives(0, "").says("records 100000 hold 100000");
}

/// Records of a store: what a site had, then what the store says of it now.
#[test]
fn of_a_store() {
    let folder = Folder::of(&[
        ("robots/e.example", ROBOTS),
        ("robots/f.example", "User-agent: *\nDisallow:\n"),
    ]);
    let urls = [
        "https://e.example/a",
        "https://e.example/a/b",
        "https://f.example/x",
        "https://g.example/x",
        "/no/host",
        "https://e.example/robots.txt",
    ];
    let run = |args: Vec<std::ffi::OsString>| run_in(&folder.root(), args);
    let import = || {
        let import = args!["store", "import", "robots.store", "--robots-dir", "robots"];
        assert_eq!(run(import.into()).status, 0);
    };
    import();
    let ask = args!["explain", "--record", "robots.store", "FooBot"];
    let recorded = run(ask.into_iter().chain(urls.map(Into::into)).collect());
    assert_eq!(recorded.status, 2, "{recorded:?}");
    let out = String::from_utf8(recorded.out.clone()).unwrap();
    let records: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |name: &str| -> Vec<&str> {
        records.iter().map(|record| record[name].as_str().unwrap()).collect()
    };
    assert_eq!(of("verdict"), ["disallow", "allow", "allow", "unknown", "invalid", "allow"]);
    let holds = ["rules", "rules", "rules", "unknown", "invalid", "rules"];
    assert_eq!(of("holds"), holds);
    assert_eq!(records[0]["rule"], "/a");
    assert_eq!(of("robots"), ["robots.store"; 6]);
    assert_eq!(of("robots_sha256")[3], "");
    folder.file("records.jsonl", recorded.out);
    // By the store that the records name, and by one that is given.
    changes(&replay(&folder), 0, &[]);
    let by_store = args!["replay", "--store", "robots.store", "records.jsonl"];
    changes(&run(by_store.into()), 0, &[]);
    // The store has another file now, and knows one more site.
    folder.file("robots/e.example", "User-agent: *\nDisallow: /a*\nAllow: /a/b\n");
    folder.file("robots/g.example", "User-agent: *\nDisallow: /\n");
    folder.file("robots/f.example", "User-agent: *\nDisallow: /x\n");
    import();
    let ran = replay(&folder);
    changes(
        &ran,
        1,
        &[
            ("records.jsonl:1", "rule"),
            ("records.jsonl:2", "file"),
            ("records.jsonl:3", "verdict"),
            ("records.jsonl:4", "verdict"),
            ("records.jsonl:6", "file"),
        ],
    );
    let wrong = args!["explain", "--record", "--as-of", "2026-11-20", "robots.store", "a", urls[0]];
    run(wrong.into()).fails(2, "--as-of is not for --record");
    // A store that is not there any more.
    std::fs::remove_file(folder.path("robots.store")).unwrap();
    assert_eq!(replay(&folder).status, 3);
}

/// Sites without rules: the record says what held, and no rule of a stand-in.
#[test]
fn of_a_site_without_rules() {
    use robotsieve_client::Timestamp;
    use robotsieve_client::outcome::{Cause, OriginState, Outcome};
    use robotsieve_client::store::Store;

    let folder = Folder::new();
    let keep = |last: Outcome| {
        let store = Store::open(folder.path("robots.store")).unwrap();
        let mut state = OriginState::new(Timestamp::now(), last.clone());
        if matches!(last, Outcome::Unreachable(_)) {
            (state.failures, state.unreachable_since) = (1, Some(state.attempted));
        }
        store.put("https://e.example", &state, None).unwrap();
    };
    keep(Outcome::Unreachable(Cause::Status(503)));
    let (url, own) = ("https://e.example/a", "https://e.example/robots.txt");
    let ask = args!["explain", "--record", "robots.store", "FooBot", url, own];
    let recorded = run_in(&folder.root(), ask);
    let out = String::from_utf8(recorded.out.clone()).unwrap();
    let records: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (record, verdict, reason) in
        [(&records[0], "disallow", "site"), (&records[1], "allow", "robots-txt")]
    {
        assert_eq!(record["holds"], "disallow-all");
        assert_eq!((&record["verdict"], &record["reason"]), (&verdict.into(), &reason.into()));
        assert!(record.get("rule").is_none() && record.get("line").is_none(), "{record}");
    }
    folder.file("records.jsonl", recorded.out);
    changes(&replay(&folder), 0, &[]);
    keep(Outcome::Absent(Cause::Status(404)));
    let ran = replay(&folder);
    changes(&ran, 1, &[("records.jsonl:1", "verdict"), ("records.jsonl:2", "rule")]);
    let out = String::from_utf8(ran.out).unwrap();
    assert!(
        out.contains("was disallow (site); is allow (site); 'robots.store' changed: allow all")
    );
}
