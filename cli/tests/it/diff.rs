//! `robotsieve diff`: what it prints and how it ends.

use crate::command::{Folder, Ran, run, run_with};
use std::io::Write;

const OLD: &str =
    "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /shop/\nAllow: /shop/open\n";
/// Other text, the same meaning.
const SAME: &str = "User-agent: *\nAllow: /shop/open\nDisallow: /shop/cart\n\nUser-agent: *\n\
    Disallow: /shop/*\n\nUser-agent: gptbot\nDisallow: /*\nSitemap: https://e.com/s.xml\n";
const NEW: &str = "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nUser-agent: *\n\
    Disallow: /shop/\nAllow: /shop/open$\nDisallow: /*.pdf\n";

fn folder() -> Folder {
    Folder::of(&[("old", OLD), ("same", SAME), ("new", NEW)])
}

fn out(ran: &Ran) -> &str {
    str::from_utf8(&ran.out).unwrap()
}

#[test]
fn no_change() {
    let folder = folder();
    let [old, same] = ["old", "same"].map(|name| folder.path(name));
    run(args!["diff", &old, &old]).gives(0, "no change: the files are the same\n");
    let ran = run(args!["diff", &old, &same]);
    ran.gives(0, "no change: the text differs, the meaning does not\n");
}

#[test]
fn change() {
    let folder = folder();
    let [old, new] = ["old", "new"].map(|name| folder.path(name));
    let text = "\
* (any other crawler):
  disallowed now  /.pdf        no rule -> line 8 Disallow: /*.pdf
  disallowed now  /shop/opena  line 6 Allow: /shop/open -> line 6 Disallow: /shop/
CCBot:
  disallowed now  /           no rule -> line 3 Disallow: /
  disallowed now  /shop/open  line 6 Allow: /shop/open -> line 3 Disallow: /
change: 2 of 3 crawlers
";
    run(args!["diff", &old, &new]).gives(1, text);
    let back = run(args!["diff", &new, &old]);
    assert!(out(&back).contains("allowed now     /.pdf "), "{back:?}");
    assert_eq!(back.status, 1);
    // For GPTBot nothing changed.
    run(args!["diff", "--agent", "GPTBot", &old, &new])
        .gives(0, "no change: the text differs, the meaning does not\n");
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
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(urls).unwrap();
    let packed = folder.file("urls.gz", gzip.finish().unwrap());
    let args = || args!["diff", "--agent", "FooBot", "--urls"];
    let wanted = "\
FooBot:
  disallowed now  /.pdf        no rule -> line 8 Disallow: /*.pdf
  disallowed now  /shop/opena  line 6 Allow: /shop/open -> line 6 Disallow: /shop/
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
    assert_eq!(value["version"], 1);
    assert_eq!((&value["profile"], &value["result"]), (&"rfc9309".into(), &"change".into()));
    assert_eq!(value["text_differs"], true);
    let crawlers = &value["crawlers"];
    assert_eq!(crawlers[0]["crawlers"], serde_json::json!(["*"]));
    assert_eq!(crawlers[1]["result"], "equal");
    let wanted = serde_json::json!({
        "path": "/.pdf", "shortest": true, "old": null,
        "new": { "verdict": "disallow", "line": 8, "rule": "/*.pdf" },
    });
    assert_eq!(crawlers[0]["newly_disallowed"][0], wanted);
    assert_eq!(crawlers[0]["newly_allowed"], serde_json::json!([]));
    assert_eq!(value["urls_flipped"], 3);
    assert_eq!(value["urls"][2]["crawlers"], serde_json::json!(["CCBot"]));
    let url = &value["urls"][1];
    assert_eq!(url["crawlers"], serde_json::json!(["*", "CCBot"]));
    assert_eq!((&url["new"], &url["url_base64"]), (&"disallow".into(), &"L/8ucGRm".into()));
    let ran = run(args!["diff", "--format", "json", &old, &old]);
    let value: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!((ran.status, &value["result"]), (0, &"no change".into()));
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
    assert_eq!(value["result"], "no change found, not proven");
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
