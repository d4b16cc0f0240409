//! `robotsieve test`: expectations of a robots.txt.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

use robotsieve_corpora::effort;
use serde_json::{Value, json};

use crate::command::{Command, Folder, Ran, root, run, run_in, run_with, text as out};

const ROBOTS: &str = "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nUser-agent: *\n\
    Disallow: /shop/\nAllow: /shop/open\nDisallow: /*.pdf$\n";

fn folder() -> Folder {
    Folder::of(&[("robots.txt", ROBOTS)])
}

/// Tests these expectations, from the file `e`.
fn test(folder: &Folder, options: &[&str], expectations: impl AsRef<[u8]>) -> Ran {
    folder.file("e", expectations);
    let args = ["test"].iter().chain(options).chain(&["robots.txt", "e"]);
    run_in(&folder.root(), args.map(std::ffi::OsString::from))
}

/// Whether a line was printed, however its fields are aligned.
fn has(ran: &Ran, line: &str) -> bool {
    out(ran).lines().any(|other| other.split_whitespace().eq(line.split(' ')))
}

#[test]
fn they_hold() {
    let folder = folder();
    let lines = "# Comments,\n\n\u{feff}".replace('\u{feff}', "")
        + "allow    *        /shop/open\r\n\
           disallow *        https://e.com/shop/x   # and more comments\n\
           disallow GPTBot   /shop/open\n\
           disallow x,CCBot\t/\n\
           allow    *        /a#/x.pdf\n\
           disallow *        /x.pdf#a\n\
           disallow *        /shop/%41\n";
    test(&folder, &[], &lines).gives(0, "").says("robotsieve: 7 expectations, 0 failed\n");
    test(&folder, &[], format!("\u{feff}{lines}")).gives(0, "").says("7 expectations");
    test(&folder, &["--profile", "rfc9309", "--profile", "google"], &lines)
        .gives(0, "")
        .says("7 expectations in 2 profiles, 0 failed");
    assert_eq!(test(&folder, &["-q"], &lines).err, "");
    let robots = folder.path("robots.txt");
    run_with(args!["test", &robots, "-"], b"allow * /")
        .gives(0, "")
        .says("1 expectation, 0 failed");
    // Several files, and compressed ones.
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(b"allow * /\n").unwrap();
    let gzip = folder.file("e.gz", gzip.finish().unwrap());
    run(args!["test", &robots, gzip, folder.path("e")]).gives(0, "").says("8 expectations");
}

#[test]
fn failures_show_what_decides() {
    let folder = folder();
    let ran = test(&folder, &[], "allow * /\n allow  FooBot  /shop/x # open\n");
    let text = "\
error: expected allow, got disallow: FooBot, /shop/x (profile rfc9309)
 --> e:2:2
  |
2 |  allow  FooBot  /shop/x # open
  |  ^^^^^
  |
disallow: FooBot, /shop/x (profile rfc9309)
 --> robots.txt:6:11
  |
5 | User-agent: *
  |             - this group: no other group names the crawler
6 | Disallow: /shop/
  |           ^^^^^^ decides: 6 bytes
  = note: 2 user-agent lines for other crawlers: GPTBot (1), CCBot (2)
  = note: line 6 decides, out of 3 rules in the group for everybody
  = note: by the other rules the verdict would be allow: none matches

";
    ran.gives(1, text).says("robotsieve: 2 expectations, 1 failed\n");
    // Where no rule decides.
    let ran = test(&folder, &[], "disallow * /\n");
    assert!(out(&ran).contains("none of the 3 rules of the group matches"), "{ran:?}");
    assert_eq!(ran.status, 1);
    // Only the first ones in full.
    let many = "disallow * /\n".repeat(12);
    let ran = test(&folder, &[], &many);
    assert_eq!(out(&ran).matches("error: ").count(), 10);
    assert!(out(&ran).ends_with("2 more failures; --max-failures 0 shows all\n"), "{ran:?}");
    let ran = test(&folder, &["--max-failures", "0"], &many);
    assert_eq!(out(&ran).matches("error: ").count(), 12);
}

#[test]
fn purposes() {
    let folder = folder();
    let known = folder.file(
        "known.toml",
        [
            "replace = true\n".to_owned(),
            entry("GPTBot", "ai-training"),
            entry("Foo", "ai-training"),
            entry("Bar", "seo"),
            entry("Ads", "ads") + "star = false\n",
        ]
        .concat(),
    );
    let known = known.to_str().unwrap();
    let of = |lines: &str| test(&folder, &["--crawlers", known], lines);
    of("disallow @ai-training /shop/\nallow @seo /\nallow @ads /shop/\nallow @Ads /shop/\n\
        allow @all /robots.txt\n")
    .gives(0, "");
    let ran = of("disallow @ai-training /\n");
    assert!(
        out(&ran).contains(
            "expected disallow for @ai-training, /; got allow for 1 of 2 crawlers (profile \
             rfc9309): Foo\n"
        ),
        "{ran:?}"
    );
    let ran = of("disallow @all /shop/x\n");
    assert!(
        out(&ran).contains("got allow for 1 of 4 crawlers (profile rfc9309): Ads\n"),
        "{ran:?}"
    );
    assert!(
        out(&ran).contains("no group names it, and it does not obey the group of '*'"),
        "{ran:?}"
    );
    of("allow @monitoring /\n").fails(2, "no known crawler is in '@monitoring'");
    of("allow @ai /\n").fails(2, "'@ai' is no purpose: there are @search, @ai-training,");
    // The built-in ones.
    test(&folder, &[], "disallow @all /shop/x\n").says("1 failed");
    test(&folder, &[], "allow @search /\nallow @all /robots.txt\n").gives(0, "");
}

fn entry(token: &str, purpose: &str) -> String {
    format!(
        "[[crawler]]\nname = \"{token}\"\ntoken = \"{token}\"\noperator = \"x\"\npurpose = \
         \"{purpose}\"\nobeys = \"unknown\"\nsource = \"x\"\ndate = 2026-11-22\n"
    )
}

#[test]
fn profiles() {
    let folder = folder();
    // The standard of 1994 has no stars.
    let line = "disallow * /a.pdf\n";
    test(&folder, &["--profile", "google"], line).gives(0, "");
    let ran = test(&folder, &["--profile", "original-1994", "--profile", "google"], line);
    assert!(
        out(&ran).contains("* /a.pdf") && out(&ran).contains("(profile original-1994)\n"),
        "{ran:?}"
    );
    let ran = test(&folder, &["--all-profiles"], "disallow @all /a.pdf\n");
    ran.says("1 expectation in 4 profiles, 1 failed");
    let ran = test(&folder, &["--all-profiles"], "allow * /shop/x\n");
    let all = "(profiles rfc9309, google, google-classic and original-1994)";
    assert!(out(&ran).contains(all), "{ran:?}");
    test(&folder, &["--all-profiles", "--profile", "google"], line).fails(2, "--all-profiles");
}

/// A line about a crawler that nobody knows would hold whatever the file says.
#[test]
fn misspelt_names() {
    let folder = folder();
    let line = "allow Googelbot /\nallow @Googelbot /\ndisallow Googelbot-News,Googelbot /\n";
    test(&folder, &[], line)
        .fails(2, "e:1: no crawler is known as 'Googelbot': did you mean 'Googlebot'? Nor does the")
        .says("e:2: no crawler is known as 'Googelbot': did you mean 'Googlebot'?\n")
        .says("e:3: no crawler is known as 'Googelbot-News': did you mean 'Googlebot-News'?");
    folder.file("own.toml", entry("Googelbot", "search"));
    test(&folder, &["--crawlers", "own.toml"], "allow Googelbot /\n").gives(0, "");
    folder.file("robots.txt", "User-agent: Googelbot/2.1\nDisallow: /\n");
    test(&folder, &["--all-profiles"], "disallow Googelbot /\nallow FooBot /\n").gives(0, "");
}

#[test]
fn lines_that_are_none() {
    let folder = folder();
    let lines = "allow * /\nAllow: /\nallow /x\nallow Foo\nallow Foo x\nallow Foo(x) /\n\
                 allow GPTBot/1.0 /\nallow a /x y\nallow @x /\n\x1b[31m\n\
                 allow , /\nallow Foo,,Bar /\ndisallow *,Foo /x\nallow Foo,@ads /\n";
    let ran = test(&folder, &[], lines);
    ran.fails(2, "e:2: 'Allow:' is no verdict")
        .says("e:3: there is no crawler before '/x'")
        .says("e:4: there is no URL after 'Foo'")
        .says("e:5: 'x' is no URL: write scheme://host/path, or a path that starts with '/'")
        .says("e:6: 'Foo(x)' is not a product token")
        .says(
            "e:7: 'GPTBot/1.0' is not a product token, so no group can name it in profile \
               rfc9309: did you mean 'GPTBot'?",
        )
        .says("e:8: unexpected 'y' after the URL: write a blank in a URL as %20")
        .says("e:9: '@x' is no purpose")
        .says("e:10: ")
        .says("e:11: ',' has an empty name")
        .says("e:12: 'Foo,,Bar' has an empty name")
        .says("e:13: '*,Foo': '*' and sets such as '@all' stand alone")
        .says("e:14: 'Foo,@ads': '*' and sets such as '@all' stand alone");
    assert!(!ran.err.contains('\x1b') && !ran.err.contains("e:1:"), "{ran:?}");
    // All are counted, the first are told.
    let ran = test(&folder, &[], "x\n".repeat(1000));
    ran.fails(2, "980 more lines are no expectations");
    assert_eq!(ran.err.lines().count(), 21);
    let ran = test(&folder, &[], format!("allow * /{}\n", "x".repeat(2 << 20)));
    ran.fails(2, "e:1: the line is longer than");
    for empty in ["", "# nothing\n"] {
        test(&folder, &[], empty).fails(2, "there is no expectation").says("--init");
    }
    let robots = folder.path("robots.txt");
    run(args!["test", &robots, "/none", folder.path("e")]).fails(3, "cannot read input '/none'");
    run(args!["test", "/none", &robots]).fails(3, "cannot read robots.txt");
    run(args!["test", &robots]).fails(2, "EXPECTATIONS");
    run(args!["test", "-", "-"]).fails(2, "standard input can be read only once");
    // In profile google anything is a URL, and names with digits are none, which is only noted.
    test(&folder, &["--profile", "google"], "allow MJ12bot x\n")
        .says("'MJ12bot' is not a product token");
}

/// What people, files and lines have in them is no markup anywhere.
const HOSTILE: &[u8] = b"disallow * /a\"><b>&amp;]]>\xFF\xC2\x9B\n\
    disallow * /\x1b[31m\x07\xEF\xBF\xBE\xEF\xBF\xBF\n\
    disallow Foo %0A::error::x\x0c\n";

#[test]
fn json() {
    let folder = folder();
    let ran = test(&folder, &["--format", "json"], "allow * /\nallow GPTBot /x # y\n");
    let value: Value = serde_json::from_slice(&ran.out).unwrap();
    let rule = json!({ "verdict": "disallow", "line": 3, "rule": "/" });
    let message =
        "expected allow, got disallow: GPTBot, /x (profile rfc9309); line 3 decides, Disallow: /";
    assert_eq!(
        value,
        json!({
            "schema": "robotsieve-report-1", "report": "test",
            "tool_version": env!("CARGO_PKG_VERSION"),
            "robots": "robots.txt", "answer": null, "profiles": ["rfc9309"], "sitemap": null,
            "results": [
                { "file": "e", "line": 1, "expected": "allow", "who": "*", "url": "/",
                  "holds": true, "message": null, "rule_line": null, "failures": [] },
                { "file": "e", "line": 2, "expected": "allow", "who": "GPTBot", "url": "/x",
                  "holds": false, "message": message, "rule_line": 3,
                  "failures": [{ "profile": "rfc9309", "verdict": "disallow",
                  "crawlers": ["GPTBot"], "reason": "rule", "rule": rule, "sitemap": null }] },
            ],
            "expectations": 2, "failed": 1,
            "sentences": [{ "text": "2 expectations, 1 failed", "line": null }],
        })
    );
    assert_eq!(ran.status, 1);
    let ran = test(&folder, &["--format", "json", "--profile", "google"], HOSTILE);
    let value: Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!(value["failed"], 3);
    assert!(value["results"][0]["url_base64"].is_string());
}

/// Reads a document with Python's parser, and returns what is in it.
fn parsed_xml(document: &[u8]) -> Option<Value> {
    const SCRIPT: &str = "\
import json, sys, xml.etree.ElementTree as tree
def value(it):
    return [it.tag, it.attrib, it.text or '', [value(one) for one in it]]
json.dump(value(tree.fromstring(sys.stdin.buffer.read())), sys.stdout)
";
    let spawned = Command::new("python3")
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(cause) => {
            eprintln!("python3 does not run here: {cause}");
            return None;
        }
    };
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || drop(stdin.write_all(document)));
        child.wait_with_output().unwrap()
    });
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(document));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn junit() {
    let folder = folder();
    let ran = test(&folder, &["--format", "junit"], "allow * /\nallow GPTBot /x # y\n");
    assert_eq!(ran.status, 1);
    if let Some(value) = parsed_xml(&ran.out) {
        assert_eq!(value[0], "testsuites");
        assert_eq!((&value[1]["tests"], &value[1]["failures"]), (&json!("2"), &json!("1")));
        let suite = &value[3][0];
        assert_eq!((&suite[1]["name"], &suite[1]["failures"]), (&json!("e"), &json!("1")));
        let [holds, fails] = [0, 1].map(|case: usize| &suite[3][case]);
        assert_eq!((&holds[1]["name"], &holds[3]), (&json!("line 1: allow * /"), &json!([])));
        let failure = &fails[3][0];
        let message = failure[1]["message"].as_str().unwrap();
        assert!(message.contains("expected allow, got disallow: GPTBot, /x"), "{message}");
        assert!(message.ends_with("line 3 decides, Disallow: /"), "{message}");
        assert!(failure[2].as_str().unwrap().contains("decides: 1 byte"), "{failure}");
    }
    // Hostile lines, rules and names of files.
    let hostile: Vec<u8> =
        [b"User-agent: *\nDisallow: /]]><x a='\"&#0;\xC2\x85\xFF\x01\n", HOSTILE].concat();
    folder.file("robots.txt", &hostile);
    let name = "a&<\"'>\u{1}.e";
    for options in [&["--max-failures", "0"][..], &["--max-failures", "1"]] {
        folder.file(name, [HOSTILE, b"allow * /]]><x%20a='\"&\xC2\x85\xFF\x01\n"].concat());
        let args = ["test", "--profile", "google", "--format", "junit", "robots.txt", name];
        let ran = run_in(&folder.root(), args.iter().chain(options).map(std::ffi::OsString::from));
        assert_eq!(ran.status, 1, "{ran:?}");
        assert!(!ran.out.contains(&0x1b) && str::from_utf8(&ran.out).is_ok());
        if let Some(value) = parsed_xml(&ran.out) {
            assert_eq!(value[3][0][3].as_array().unwrap().len(), 4);
            assert_eq!(value[3][0][1]["name"], "a&<\"'>␁.e");
        }
    }
}

#[test]
fn github() {
    let folder = folder();
    let ran = test(&folder, &["--format", "github"], "allow GPTBot /x\ndisallow * /\n");
    ran.gives(
        1,
        "::error file=robots.txt,line=3,col=1,endColumn=12,title=robots.txt%3A an expectation does \
         not hold::expected allow, got disallow: GPTBot, /x (profile rfc9309); line 3 decides, \
         Disallow: / (expected by e, line 1)\n\
         ::error file=e,line=2,title=robots.txt%3A an expectation does not hold::expected \
         disallow, got allow: *, / (profile rfc9309); no rule of its groups matches\n",
    );
    let ran = test(&folder, &["--format", "github", "--profile", "google"], HOSTILE);
    assert_eq!(out(&ran).lines().count(), 3);
    assert!(out(&ran).lines().all(|line| line.starts_with("::error file=e,line=")), "{ran:?}");
    assert!(out(&ran).contains("%250A::error::x"), "{ran:?}");
    test(&folder, &["--format", "github"], "allow * /\n").gives(0, "");
}

#[test]
fn sarif() {
    let folder = folder();
    let ran = test(&folder, &["--format", "sarif"], "allow GPTBot /x\ndisallow * /\n");
    let value: Value = serde_json::from_slice(&ran.out).unwrap();
    let results = &value["runs"][0]["results"];
    let place = |location: &Value| {
        let place = &location["physicalLocation"];
        (place["artifactLocation"]["uri"].clone(), place["region"]["startLine"].clone())
    };
    assert_eq!(place(&results[0]["locations"][0]), (json!("robots.txt"), json!(3)));
    assert_eq!(place(&results[0]["relatedLocations"][0]), (json!("e"), json!(1)));
    assert_eq!(place(&results[1]["locations"][0]), (json!("e"), json!(2)));
    assert_eq!(value["runs"][0]["tool"]["driver"]["rules"][0]["name"], "FailedExpectation");
    assert_eq!(value["runs"][0]["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn init() {
    let folder = folder();
    let ran = run_in(&folder.root(), args!["test", "--init", "robots.txt"]);
    assert!(out(&ran).starts_with("# What 'robots.txt' says now (profile rfc9309)"), "{ran:?}");
    for line in [
        "allow * /",
        "disallow * /shop/",
        "disallow * /page.pdf",
        "allow * /shop/open",
        "disallow GPTBot /",
        "disallow CCBot /",
        "allow @AdsBot-Google /page.pdf",
    ] {
        assert!(has(&ran, line), "{line}: {ran:?}");
    }
    assert_eq!((ran.status, ran.err.lines().count()), (0, 1), "{ran:?}");
    test(&folder, &[], &ran.out).gives(0, "");
    // For given URLs.
    let ran =
        run_in(&folder.root(), args!["test", "--init", "robots.txt", "/shop/x", "https://e.com/"]);
    assert!(has(&ran, "disallow * /shop/x") && has(&ran, "allow * https://e.com/"), "{ran:?}");
    test(&folder, &[], &ran.out).gives(0, "");
    for url in ["x", "/a b", ""] {
        run_in(&folder.root(), args!["test", "--init", "robots.txt", url])
            .fails(2, "cannot be tested");
    }
    run_in(&folder.root(), args!["test", "--init", "--format", "json", "robots.txt"])
        .fails(2, "--init");
    // A purpose as a whole.
    let known = [entry("GPTBot", "ai-training"), entry("CCBot", "ai-training"), entry("x", "seo")];
    let known = folder.file("known.toml", "replace = true\n".to_owned() + &known.concat());
    let ran = run_in(&folder.root(), args!["test", "--init", "--crawlers", known, "robots.txt"]);
    assert!(has(&ran, "disallow @ai-training /"), "{ran:?}");
    assert!(!out(&ran).contains("@seo"), "{ran:?}");
    // Where the rule has a star the path has a word, if the same rule decides it.
    folder.file(
        "stars",
        "User-agent: *\nDisallow: /*/private/\nDisallow: /page/private/\nDisallow: /x*?id=\n",
    );
    let ran = run_in(&folder.root(), args!["test", "--init", "stars"]);
    assert!(has(&ran, "disallow * /x?id=") && has(&ran, "disallow * /page/private/"), "{ran:?}");
    assert!(has(&ran, "disallow * https://example.com//private/"), "{ran:?}");
    // Names that no line can have, and verdicts on which profiles differ.
    folder.file(
        "robots.txt",
        "User-agent: Sogou web spider\nDisallow: /*a\n\nUser-agent: a,b\nAllow: /\n",
    );
    for options in [&["--profile", "original-1994"][..], &["--all-profiles"]] {
        let args = ["test", "--init", "robots.txt"].iter().chain(options);
        let ran = run_in(&folder.root(), args.map(std::ffi::OsString::from));
        assert_eq!(ran.status, 0, "{ran:?}");
        test(&folder, options, &ran.out).gives(0, "");
    }
}

/// Whatever a group is for, its loss is noticed.
#[test]
fn init_notices_that_a_group_is_lost() {
    let folder = Folder::new();
    let star = "User-agent: *\nDisallow: /private/\n";
    for group in [
        "User-agent: GPTBot\nUser-agent: FooBot\nDisallow:\n",
        "User-agent: FooBot\nUser-agent: BarBot\nAllow: /\n",
        "User-agent: FooBot\nDisallow: /a\nAllow: /b\n",
        "User-agent: FooBot\nDisallow: //\n",
    ] {
        let names = group.lines().filter_map(|line| line.strip_prefix("User-agent: "));
        for profile in ["rfc9309", "google", "google-classic", "original-1994"] {
            folder.file("robots.txt", format!("{star}\n{group}"));
            let options = &["--profile", profile];
            let made =
                run_in(&folder.root(), args!["test", "--profile", profile, "--init", "robots.txt"]);
            test(&folder, options, &made.out).gives(0, "");
            for name in names.clone() {
                let without: Vec<&str> =
                    group.lines().filter(|line| !line.ends_with(&format!(" {name}"))).collect();
                let left = without.join("\n");
                let left = if left.contains("User-agent") { left } else { String::new() };
                folder.file("robots.txt", format!("{star}\n{left}\n"));
                let ran = test(&folder, options, &made.out);
                assert_eq!(ran.status, 1, "{profile} {group} {name} {}", out(&made));
            }
        }
    }
    folder.file("robots.txt", "User-agent: *\nDisallow: //\n");
    let made = run_in(&folder.root(), args!["test", "--init", "robots.txt"]);
    assert!(has(&made, "disallow * https://example.com//"), "{made:?}");
}

/// What `--init` writes holds, for every file there is.
#[test]
fn init_holds_for_real_files() {
    let mut files: Vec<PathBuf> = Vec::new();
    let shared = robotsieve_corpora::shared::corpus().join("robots");
    for (folder, most) in
        [(root().join("corpora/robots"), usize::MAX), (shared, effort::cases(100))]
    {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let mut names: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        names.sort();
        // Spread over all of them: each is compiled for hundreds of crawlers.
        let step = names.len().div_ceil(most).max(1);
        files.extend(names.into_iter().step_by(step).filter(|path| path.is_file()));
    }
    assert!(files.len() >= 10);
    let folder = Folder::new();
    let mut lines = 0;
    for (turn, file) in files.into_iter().enumerate() {
        // Each file in one of the two ways, or in both.
        let every = effort::step(2);
        let ways = [&[][..], &["--all-profiles"]];
        for options in ways.into_iter().skip(turn % every).step_by(every) {
            let args = |rest: &[&std::ffi::OsStr]| {
                let options = options.iter().map(std::ffi::OsString::from);
                let rest = rest.iter().map(std::ffi::OsString::from);
                [std::ffi::OsString::from("test")]
                    .into_iter()
                    .chain(options)
                    .chain(rest)
                    .collect::<Vec<_>>()
            };
            let made = run(args(&["--init".as_ref(), file.as_os_str()]));
            assert_eq!(made.status, 0, "{}: {made:?}", file.display());
            lines += made
                .out
                .split(|byte| *byte == b'\n')
                .filter(|line| !line.starts_with(b"#"))
                .count();
            let expected = folder.file("e", &made.out);
            let ran = run(args(&[file.as_os_str(), expected.as_os_str()]));
            assert!(ran.status == 0 && ran.out.is_empty(), "{}: {ran:?}", file.display());
        }
    }
    assert!(lines > 200, "{lines}");
}

/// Time grows with the number of lines, and no faster.
#[test]
fn many_expectations() {
    let folder = folder();
    let mut lines = String::new();
    for number in 0..200_000 {
        lines.push_str(&format!("disallow bot{} /shop/{number}\n", number % 5_000));
    }
    let start = Instant::now();
    test(&folder, &["--format", "github"], &lines)
        .gives(0, "")
        .says("200000 expectations, 0 failed");
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}
