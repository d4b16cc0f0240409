//! `robotsieve diff`: what it prints and how it ends.

use crate::command::{Folder, Ran, gzip, run, run_in, run_with, text as out};

const OLD: &str =
    "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /shop/\nAllow: /shop/open\n";
/// Other text, the same meaning.
const SAME: &str = "User-agent: *\nAllow: /shop/open\nDisallow: /shop/cart\n\nUser-agent: *\n\
    Disallow: /shop/*\n\nUser-agent: gptbot\nDisallow: /*\nFoo: bar\n";
const NEW: &str = "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nUser-agent: *\n\
    Disallow: /shop/\nAllow: /shop/open$\nDisallow: /*.pdf\n";

fn folder() -> Folder {
    Folder::of(&[("old", OLD), ("same", SAME), ("new", NEW)])
}

#[test]
fn no_change() {
    let folder = folder();
    let [old, same] = ["old", "same"].map(|name| folder.path(name));
    run(args!["diff", &old, &old]).gives(0, "no change: the text is the same\n");
    let ran = run(args!["diff", &old, &same]);
    ran.gives(0, "no change: the text differs, the meaning in profile rfc9309 does not\n");
}

#[test]
fn change() {
    let folder = folder();
    let [old, new] = ["old", "new"].map(|name| folder.path(name));
    let text = "\
the whole site is closed now for CCBot
CCBot:
  disallowed now  /                         no rule -> line 3 Disallow: /
  disallowed now  /shop/open and all below  line 6 Allow: /shop/open -> line 3 Disallow: /
* (any other crawler):
  disallowed now  /.pdf and all below   no rule -> line 8 Disallow: /*.pdf
  disallowed now  all below /shop/open  line 6 Allow: /shop/open -> line 6 Disallow: /shop/
change: 2 of 3 crawlers
";
    run(args!["diff", &old, &new]).gives(1, text);
    let back = run(args!["diff", &new, &old]);
    assert!(out(&back).contains("allowed now     /.pdf and all below "), "{back:?}");
    assert_eq!(back.status, 1);
    // For GPTBot nothing changed.
    run(args!["diff", "--agent", "GPTBot", &old, &new]).gives(
        0,
        "no change: the text differs, the meaning for these crawlers in profile rfc9309 does not\n",
    );
    let header = "Mozilla/5.0 (compatible; CCBot/2.0)";
    let ran = run(args!["diff", "--user-agent", header, "--agent", "x,GPTBot", &old, &new]);
    assert!(out(&ran).ends_with("change: 1 of 2 crawlers\n"), "{ran:?}");
    let ran = run(args!["diff", "--profile", "original-1994", &old, &new]);
    assert!(out(&ran).contains("/*.pdf"), "{ran:?}");
}

#[test]
fn urls() {
    let folder = folder();
    let [old, new] = ["old", "new"].map(|name| folder.path(name));
    let urls =
        b"https://e.com/a.pdf\r\n/shop/open\n\nnonsense\nhttps://e.com/shop/openx\n/shop/x\n";
    let packed = folder.file("urls.gz", gzip(urls));
    let args = || args!["diff", "--agent", "FooBot", "--urls"];
    let wanted = "\
FooBot:
  disallowed now  /.pdf and all below   no rule -> line 8 Disallow: /*.pdf
  disallowed now  all below /shop/open  line 6 Allow: /shop/open -> line 6 Disallow: /shop/
URLs that flip:
  disallowed now  https://e.com/a.pdf  (FooBot)
  disallowed now  https://e.com/shop/openx  (FooBot)
change: 1 of 1 crawlers; 2 URLs flip
";
    let ran = run(args().into_iter().chain(args![packed, &old, &new]));
    ran.gives(1, wanted).says("skipped 1 line of --urls: a URL is");
    run_with(args().into_iter().chain(args!["-", &old, &new]), urls).gives(1, wanted);
    let ran = run(args().into_iter().chain(args![folder.path("none"), &old, &new]));
    assert_eq!(ran.status, 3);
    ran.says("cannot read input").says("none");
}

#[test]
fn json() {
    let folder = folder();
    let [old, new] = ["old", "new"].map(|name| folder.path(name));
    let urls = folder.file("urls", b"/x.pdf\n/\xFF.pdf\n/y\n");
    let ran = run(args!["diff", "--format", "json", "--urls", urls, &old, &new]);
    assert_eq!(ran.status, 1);
    let value: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!(
        (&value["report"], &value["schema"]),
        (&"diff".into(), &"robotsieve-report-1".into())
    );
    assert_eq!((&value["profile"], &value["result"]), (&"rfc9309".into(), &"different".into()));
    assert_eq!(value["text_differs"], true);
    let crawlers = &value["crawlers"];
    // The severest first.
    assert_eq!(crawlers[0]["crawlers"], serde_json::json!(["CCBot"]));
    assert_eq!(crawlers[0]["whole_site"], "closed");
    assert_eq!(crawlers[1]["crawlers"], serde_json::json!(["*"]));
    assert_eq!(crawlers[2]["result"], "equal");
    let wanted = serde_json::json!([{
        "path": "/.pdf", "extent": "from", "below": null, "shortest": true, "old": null,
        "new": { "verdict": "disallow", "line": 8, "value": "/*.pdf" },
        "label": "/.pdf and all below",
        "old_label": "no rule", "new_label": "line 8 Disallow: /*.pdf",
    }, {
        "path": "/shop/opena", "extent": "below", "below": "/shop/open", "shortest": false,
        "old": { "verdict": "allow", "line": 6, "value": "/shop/open" },
        "new": { "verdict": "disallow", "line": 6, "value": "/shop/" },
        "label": "all below /shop/open",
        "old_label": "line 6 Allow: /shop/open", "new_label": "line 6 Disallow: /shop/",
    }]);
    assert_eq!(crawlers[1]["newly_disallowed"], wanted);
    assert_eq!(crawlers[1]["newly_allowed"], serde_json::json!([]));
    assert_eq!(crawlers[1]["more_disallowed"], 0);
    assert_eq!(crawlers[1]["whole_site"], serde_json::Value::Null);
    assert_eq!(value["records"], serde_json::json!([]));
    assert_eq!(value["urls_flipped"], 3);
    assert_eq!(value["sentences"][1]["text"], "change: 2 of 3 crawlers; 3 URLs flip");
    assert_eq!(value["urls"][2]["crawlers"], serde_json::json!(["CCBot"]));
    let url = &value["urls"][1];
    assert_eq!(url["crawlers"], serde_json::json!(["CCBot", "*"]));
    assert_eq!((&url["new"], &url["url_base64"]), (&"disallow".into(), &"L/8ucGRm".into()));
    let ran = run(args!["diff", "--format", "json", &old, &old]);
    let value: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!((ran.status, &value["result"]), (0, &"equal".into()));
}

/// A sitemap that went, a longer delay and a signal that flipped are changes.
#[test]
fn other_records() {
    let old = "User-agent: a\nCrawl-delay: 10\nContent-Signal: ai-train=no\nDisallow: /x\n\
        Sitemap: /s\n";
    let new = "User-agent: a\nCrawl-delay: 9000\nContent-Signal: ai-train=yes\nDisallow: /x\n\
        Sitemap: /1\nSitemap: /2\nSitemap: /3\n";
    let folder = Folder::of(&[("old", old), ("new", new)]);
    let [old, new] = ["old", "new"].map(|name| folder.path(name));
    let wanted = "\
other records, of no group:
  removed  line 5 Sitemap: /s
  added    line 5 Sitemap: /1
  added    line 6 Sitemap: /2
  added    1 more sitemap
other records, for a:
  changed  line 2 Crawl-delay: 10 -> line 2 Crawl-delay: 9000
  changed  line 3 Content-Signal: ai-train=no -> line 3 Content-Signal: ai-train=yes
change: no verdict, 6 other records
";
    run(args!["diff", "--limit", "2", &old, &new]).gives(1, wanted);
    // Another crawler sees what is for the whole file only.
    let ran = run(args!["diff", "--agent", "b", &old, &new]);
    assert!(out(&ran).ends_with("change: no verdict, 4 other records\n"), "{ran:?}");
    let ran = run(args!["diff", "--format", "json", &old, &new]);
    let value: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!((ran.status, &value["result"]), (1, &"different".into()));
    let wanted = serde_json::json!({
        "kind": "crawl-delay",
        "crawlers": ["a"],
        "label": "for a",
        "removed": [{
            "line": 2, "field": "Crawl-delay", "value": "10", "label": "line 2 Crawl-delay: 10",
        }],
        "added": [{
            "line": 2, "field": "Crawl-delay", "value": "9000",
            "label": "line 2 Crawl-delay: 9000",
        }],
        "more_removed": 0,
        "more_added": 0,
    });
    assert_eq!(value["records"][1], wanted);
    assert_eq!(value["records"][0]["crawlers"], serde_json::Value::Null);
}

#[test]
fn more_than_the_limit() {
    let rules: String = ('a'..='i').map(|c| format!("Disallow: /{c}\n")).collect();
    let new = format!("User-agent: *\n{rules}");
    let folder = Folder::of(&[("old", ""), ("new", &new)]);
    let [old, new] = ["old", "new"].map(|name| folder.path(name));
    let ran = run(args!["diff", "--limit", "1", &old, &new]);
    let wanted = "\
* (any other crawler):
  disallowed now  /a and all below  no rule -> line 2 Disallow: /a
  disallowed now  more, by at least 8 other pairs of rules
change: 1 of 1 crawlers
";
    ran.gives(1, wanted);
    let ran = run(args!["diff", "--limit", "9", &old, &new]);
    assert!(!out(&ran).contains("more"), "{ran:?}");
    run(args!["diff", "--limit", "0", &old, &new]).fails(2, "--limit");
}

#[test]
fn whole_sites() {
    let say = |old: &str, new: &str, wanted: &str| {
        let folder = Folder::of(&[("old", old), ("new", new)]);
        let ran = run(args!["diff", folder.path("old"), folder.path("new")]);
        assert!(ran.status == 1 && out(&ran).starts_with(wanted), "{ran:?}");
    };
    let [open, half, closed] =
        ["", "Disallow: /x\n", "Disallow: /"].map(|rule| format!("User-agent: *\n{rule}"));
    say(&half, &closed, "the whole site is closed now for * (any other crawler)\n");
    say(&closed, &open, "the whole site was closed and is open now for * (any other crawler)\n");
    say(&closed, &half, "the site is no longer closed as a whole for * (any other crawler)\n");
    say(&half, &open, "* (any other crawler):\n  allowed now     /x and all below");
    say(
        &open,
        &closed,
        "the whole site is closed now for * (any other crawler)\n\
        * (any other crawler):\n  disallowed now  every path  no rule -> line 2 Disallow: /\n",
    );
}

/// Crawlers, rules and values that are not UTF-8 keep their bytes.
#[cfg(unix)]
#[test]
fn bytes_that_are_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let old = b"User-agent: b\xE9\nCrawl-delay: \xFF\nDisallow: /\xE9\n";
    let folder = Folder::new();
    let (old, new) = (folder.file("old", old), folder.file("new", ""));
    let agent = OsStr::from_bytes(b"b\xE9");
    let args = args!["diff", "--format", "json", "--profile", "original-1994"];
    for agent in [&args!["--agent", agent][..], &[]] {
        let ran = run(args.iter().chain(agent).cloned().chain(args![&old, &new]));
        let value: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
        let crawlers = value["crawlers"].as_array().unwrap();
        let changed = crawlers.iter().find(|group| group["result"] == "different").unwrap();
        assert_eq!(changed["crawlers"], serde_json::json!(["b\u{FFFD}"]));
        assert_eq!(changed["crawlers_base64"], serde_json::json!(["Yuk="]));
        let flip = &changed["newly_allowed"][0];
        assert_eq!(
            (&flip["path_base64"], &flip["old"]["value_base64"]),
            (&"L+k=".into(), &"L+k=".into())
        );
        let record = &value["records"][0];
        assert_eq!(record["crawlers_base64"], serde_json::json!(["Yuk="]));
        assert_eq!(record["removed"][0]["value_base64"], "/w==");
    }
}

#[test]
fn a_file_that_is_cut_is_noted() {
    let long = "# x\n".repeat(130_000);
    let folder = Folder::of(&[("old", &long), ("new", "")]);
    let ran = run(args!["diff", folder.path("old"), folder.path("new")]);
    assert_eq!(ran.status, 0);
    ran.says("line 128001 of '").says("and all after it (8000 bytes) are ignored").says("rfc9309");
    let ran = run(args!["diff", "--profile=google", folder.path("old"), folder.path("new")]);
    // It is read whole there, and Googlebot does not do that.
    ran.says("is longer than the 500 KiB that Googlebot reads").says("'head -c 512000' keeps");
    assert_eq!(ran.err.lines().count(), 1);
}

/// Without a proof the result is not "no change".
#[test]
fn not_proven() {
    let large: String = (0..40).map(|i| format!("Disallow: /*a{i}b*c{i}d*e{i}f\n")).collect();
    let old = format!("User-agent: *\n{large}");
    let new = format!("{old}Disallow: /*a7b*c7d*e7f*x\n");
    let folder = Folder::of(&[("old", &old), ("new", &new)]);
    let [old, new] = ["old", "new"].map(|name| folder.path(name));
    let ran = run(args!["diff", &old, &new]);
    assert_eq!(ran.status, 1, "{ran:?}");
    let out = out(&ran);
    assert!(out.contains("none of the 20000 paths tried flips, but others may"), "{out}");
    assert!(out.ends_with("no change found, not proven: 1 of 1 crawlers\n"), "{out}");
    let ran = run(args!["diff", "--format", "json", &old, &new]);
    let value: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!(value["result"], "unknown");
    assert_eq!(value["crawlers"][0]["result"], "unknown");
}

#[test]
fn called_wrongly() {
    let folder = folder();
    let old = folder.path("old");
    run(args!["diff", &old]).fails(2, "NEW");
    run(args!["diff", "--format", "xml", &old, &old]).fails(2, "xml");
    run(args!["diff", &old, folder.path("none")]).fails(3, "cannot read robots.txt");
    run(args!["diff"]).fails(2, "Usage: robotsieve diff");
}

/// Two files, with more options.
fn compared(old: &str, new: &str, options: &[&str]) -> Ran {
    let folder = Folder::of(&[("old", old), ("new", new), ("urls", "/a\n/b\n/a\n")]);
    let args = ["diff", "old", "new"].iter().chain(options);
    run_in(&folder.root(), args.map(std::ffi::OsString::from))
}

/// The exit status, and what happens to a crawler's whole site, is the same in every format.
fn in_every_format(old: &str, new: &str, headline: &str, crawler: &str) {
    compared(old, new, &[]).status(1).prints(&format!("{headline} for {crawler}"));
    let ran = compared(old, new, &["--format", "github"]);
    ran.status(1).prints(&format!("{headline} for {crawler}"));
    let (first, rest) = headline.split_at(1);
    let headline = first.to_uppercase() + rest;
    let ran = compared(old, new, &["--format", "markdown"]);
    ran.status(1).prints(&format!("**{headline}** for `{crawler}`"));
    let ran = compared(old, new, &["--format", "json"]);
    let value: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!((ran.status, &value["result"]), (1, &"different".into()), "{ran:?}");
    let sites = value["risks"]["sites"].as_array().unwrap();
    let mut crawlers = sites.iter().flat_map(|site| site["crawlers"].as_array().unwrap());
    assert!(crawlers.any(|one| one["token"] == crawler), "{ran:?}");
}

/// Known crawlers that obey the group of another one, or ignore that of `*`.
#[test]
fn known_crawlers_look_themselves_up() {
    let old = "User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n";
    let new = format!("{old}\nUser-agent: Googlebot-Image\nDisallow: /\n");
    in_every_format(old, &new, "the whole site is closed now", "Googlebot-Image");
    let new = "User-agent: *\nDisallow: /\n";
    let old = format!("User-agent: AdsBot-Google\nDisallow: /\n\n{new}");
    let headline = "the whole site was closed and is open now";
    in_every_format(&old, new, headline, "AdsBot-Google");
    // One that neither file names, and for which the group is another one now.
    let known = "[[crawler]]\nname = 'C'\ntoken = 'C'\nafter = ['A', 'B']\noperator = 'x'\n\
        purpose = 'other'\nsource = 'x'\ndate = 2026-11-28\n";
    let old = "User-agent: *\nDisallow: /x\n\nUser-agent: B\nDisallow: /y\n";
    let new = format!("{old}\nUser-agent: A\nDisallow: /x\n");
    let folder = Folder::of(&[("old", old), ("new", &new), ("known", known)]);
    let [old, new, known] = ["old", "new", "known"].map(|name| folder.path(name));
    run(args!["diff", &old, &new]).status(0);
    let wanted = "\
C:
  disallowed now  /x and all below  no rule -> line 8 Disallow: /x
  allowed now     /y and all below  line 5 Disallow: /y -> no rule
change: 1 of 4 crawlers
";
    run(args!["diff", &old, &new, "--crawlers", known]).gives(1, wanted);
}

/// Known crawlers whose operators read files in another profile.
#[test]
fn operators_read_in_their_profiles() {
    let old = "User-agent: *\nDisallow: /a\n";
    let new = format!("{old}Dissallow: /\n");
    in_every_format(old, &new, "the whole site is closed now", "Googlebot");
    let ran = compared(old, &new, &["--urls", "urls"]);
    ran.status(1).says("Googlebot").says("compared in profile google, in which Google reads");
    ran.prints("  disallowed now  /b  (Googlebot, ").prints("; 1 URL flips\n");
    ran.prints("no rule -> line 3 Disallow: /\n");
    // All alike.
    let ran = compared(old, &new, &["--profile", "rfc9309"]);
    ran.gives(0, "no change: the text differs, the meaning in profile rfc9309 does not\n");
    // By names alone, it is noted for each file.
    let ran = compared(&new, old, &["--agent", "Googlebot"]);
    ran.status(0).says("in which 'old' has other rules for it");
    assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
    // What was there before changes nothing, and they are not listed apart.
    let newer = format!("{new}Disallow: /b\n");
    let ran =
        compared(&new.replace("Dissallow: /", "Dissallow: /c"), &newer.replace("/\n", "/c\n"), &[]);
    ran.gives(
        1,
        "* (any other crawler):\n  disallowed now  /b and all below  no rule -> line 4 Disallow: /b\n\
         change: 1 of 1 crawlers\n",
    );
    assert_eq!(ran.err, "", "{ran:?}");
    // The same to most, but Google takes escapes as they are.
    let [old, new] = ["/%41", "/A"].map(|path| format!("User-agent: *\nDisallow: {path}\n"));
    compared(&old, &new, &[]).status(1).prints("disallowed now  /A and all below").says("Google");
    compared(&old, &new, &["--profile", "rfc9309"]).status(0);
    // One that a file names, and for which nothing changes as it reads.
    let closed = "User-agent: Googlebot\nDissallow: /\n";
    let mended = "User-agent: Googlebot\nDisallow: /\n";
    let ran = compared(closed, mended, &["--format", "json"]);
    let value: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
    let of_it = value["crawlers"].as_array().unwrap().iter();
    let of_it: Vec<_> = of_it.filter(|one| one["label"] == "Googlebot").collect();
    assert_eq!(of_it.len(), 1, "{ran:?}");
    assert_eq!(of_it[0]["result"], "equal", "{ran:?}");
}

/// The first example of the page has these files and this output.
#[test]
fn the_first_example() {
    let page = include_str!("../../../docs/diff.md");
    let example = page.split("```").nth(1).unwrap();
    let mut parts = example.split("\n$ ").skip(1).map(|part| part.split_once('\n').unwrap());
    let folder = Folder::new();
    for name in ["old.txt", "new.txt"] {
        let (command, text) = parts.next().unwrap();
        assert_eq!(command, format!("cat {name}"));
        folder.file(name, format!("{text}\n"));
    }
    let (command, wanted) = parts.next().unwrap();
    assert_eq!(command, "robotsieve diff old.txt new.txt");
    let ran = run_in(&folder.root(), ["diff", "old.txt", "new.txt"].map(Into::into));
    ran.gives(1, wanted);
}
