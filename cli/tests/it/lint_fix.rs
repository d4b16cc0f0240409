//! `robotsieve lint --fix` and `--diff`.

use std::fs;

use crate::command::{Folder, run, run_in, run_with};
use serde_json::Value;

const FILE: &str = "User-agent: *\nDisallow: /shop/cart/\nDisallow: /shop/\nDisallow: private/\n\
    Disalow: /\n";

#[test]
fn fixes_are_applied() {
    let folder = Folder::of(&[("robots.txt", FILE)]);
    let file = || fs::read_to_string(folder.path("robots.txt")).unwrap();
    let ran = run(args!["lint", "--fix", folder.path("robots.txt")]);
    assert_eq!(ran.status, 1, "{ran:?}");
    ran.says("1 fix applied; together this changes no verdict (rfc9309)\n").says("errors 2 ");
    assert_eq!(file(), FILE.replace("Disallow: /shop/cart/\n", ""));
    // A second time there is nothing to do.
    let again = run(args!["lint", "--fix", folder.path("robots.txt")]);
    assert!(!again.err.contains("applied"), "{again:?}");

    let ran = run(args!["lint", "--fix=all", folder.path("robots.txt")]);
    // In profile google the last line closes the site already.
    ran.says(
        "1 fix applied; together this disallows URLs such as '/private/' for crawlers without a \
         group of their own (rfc9309)",
    );
    // What would block the site is left to people.
    assert_eq!(file(), "User-agent: *\nDisallow: /shop/\nDisallow: /private/\nDisalow: /\n");
}

/// Whose delay it is changes only where that is asked for.
#[test]
fn a_pace_is_left_alone() {
    let file = "Disallow:\nCrawl-delay: 300\n";
    let folder = Folder::of(&[("robots.txt", file)]);
    let path = folder.path("robots.txt");
    run(args!["lint", "--fix", &path])
        .says("1 more fix changes verdicts or the pace of crawlers: see --fix=all\n");
    assert_eq!(fs::read_to_string(&path).unwrap(), file);
    run(args!["lint", "--fix=all", &path]).says(
        "1 fix applied; together this changes the pace of crawlers without a group of their own from \
         none to Crawl-delay 300 (rfc9309, google)",
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), ["User-agent: *\n", file].concat());
}

#[test]
fn only_what_is_reported_is_fixed() {
    let folder = Folder::of(&[("robots.txt", FILE)]);
    let path = folder.path("robots.txt");
    let ran = run(args!["lint", "--diff", "--ignore", "redundant-rule", &path]);
    assert!(ran.out.is_empty(), "{ran:?}");
    run(args!["lint", "--fix=all", "--select", "no-leading-slash", &path]).says("1 fix applied");
    let fixed = FILE.replace(" private/", " /private/");
    assert_eq!(fs::read_to_string(&path).unwrap(), fixed);
    let known = folder.path("known.json");
    run(args!["lint", "--fix", "--write-baseline", &known, &path]).fails(2, "--write-baseline");
    run(args!["lint", "--diff", "--baseline", &known, &path]).fails(2, "--baseline");
}

#[test]
fn changes_are_shown() {
    let folder = Folder::of(&[("robots.txt", FILE)]);
    let ran = run_in(&folder.root(), args!["lint", "--diff", "--fix=all", "robots.txt"]);
    ran.gives(
        1,
        "--- robots.txt\n+++ robots.txt\n@@ -1,5 +1,4 @@\n User-agent: *\n-Disallow: /shop/cart/\n \
         Disallow: /shop/\n-Disallow: private/\n+Disallow: /private/\n Disalow: /\n",
    );
    ran.says("2 fixes could be applied");
    assert_eq!(fs::read_to_string(folder.path("robots.txt")).unwrap(), FILE);
    let from_stdin = run_with(args!["lint", "--diff", "-"], FILE.as_bytes());
    assert!(from_stdin.out.starts_with(b"--- <stdin>\n"), "{from_stdin:?}");
}

#[test]
fn a_file_that_cannot_be_fixed_does_not_end_the_others() {
    let folder = Folder::of(&[("robots.txt", FILE)]);
    let paths = args![folder.path("absent"), folder.path("robots.txt")];
    let ran = run(args!["lint", "--fix"].into_iter().chain(paths));
    assert_eq!(ran.status, 3, "{ran:?}");
    ran.says("absent").says("1 fix applied");
    run_with(args!["lint", "--fix", "-"], FILE.as_bytes())
        .fails(2, "standard input cannot be fixed in place: use --diff, or name a file");
}

/// The fix of a finding, as tools get it.
#[test]
fn fixes_for_tools() {
    let folder = Folder::of(&[("robots.txt", FILE)]);
    let lines = run_in(&folder.root(), args!["lint", "--format", "jsonl", "robots.txt"]);
    let report: Value = serde_json::from_slice(&lines.out).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let of = |code: &str| findings.iter().find(|f| f["code"] == code).unwrap()["fix"].clone();
    assert_eq!(
        of("RS403"),
        serde_json::json!({
            "what": "remove the line",
            "file_span": [14, 36],
            "line": 2, "column": 1, "end_line": 3, "end_column": 1,
            "replacement": "",
            "effect": "changes no verdict (rfc9309, google)",
            "changes_verdicts": false,
            "changes": [],
            "profiles": ["rfc9309", "google"],
        })
    );
    assert_eq!(of("RS203"), Value::Null);
    let sarif = run_in(&folder.root(), args!["lint", "--format", "sarif", "robots.txt"]);
    let log: Value = serde_json::from_slice(&sarif.out).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let result = results.iter().find(|result| result["ruleId"] == "RS403").unwrap();
    let change = &result["fixes"][0]["artifactChanges"][0];
    assert_eq!(
        change["replacements"][0],
        serde_json::json!({
            "deletedRegion": { "startLine": 2, "startColumn": 1, "endLine": 3, "endColumn": 1 },
            "insertedContent": { "text": "" },
        })
    );
    let github = run_in(&folder.root(), args!["lint", "--format", "github", "robots.txt"]);
    let text = String::from_utf8(github.out).unwrap();
    assert!(
        text.contains("; remove the line; this changes no verdict (rfc9309, google)\n"),
        "{text}"
    );
}

/// What is not the file that was checked, or is not ours to write, stays as it is.
#[cfg(unix)]
#[test]
fn files_are_replaced_as_they_were() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    let folder = Folder::of(&[("robots.txt", FILE), ("linked", FILE), ("locked", FILE)]);
    let path = |name: &str| folder.path(name);
    fs::set_permissions(path("robots.txt"), fs::Permissions::from_mode(0o640)).unwrap();
    run(args!["lint", "--fix", path("robots.txt")]);
    assert_eq!(fs::metadata(path("robots.txt")).unwrap().mode() & 0o777, 0o640);

    fs::hard_link(path("linked"), path("other")).unwrap();
    fs::set_permissions(path("locked"), fs::Permissions::from_mode(0o444)).unwrap();
    let ran = run(args!["lint", "--fix", path("linked"), path("locked")]);
    assert_eq!(ran.status, 3, "{ran:?}");
    ran.says("hard links").says("it is read-only");
    for name in ["linked", "other", "locked"] {
        assert_eq!(fs::read_to_string(path(name)).unwrap(), FILE, "{name}");
    }
}

/// A forgotten name costs no robots.txt.
#[test]
fn a_baseline_replaces_only_a_baseline() {
    let folder = Folder::of(&[("one", FILE), ("two", FILE)]);
    run(args!["lint", "--write-baseline", folder.path("one"), folder.path("two")])
        .fails(2, "exists and is not a baseline");
    assert_eq!(fs::read_to_string(folder.path("one")).unwrap(), FILE);
    for _ in 0..2 {
        let ran = run(args!["lint", "--write-baseline", folder.path("known"), folder.path("two")]);
        assert_eq!(ran.status, 0, "{ran:?}");
    }
}

/// Bytes that are not UTF-8, names with spaces: the patch is what `patch` takes.
#[test]
fn a_patch_has_the_bytes_of_the_file() {
    let folder = Folder::new();
    let file = b"User-agent: *\nDisallow: /caf\xE9\nDisallow: /a\nDisallow: /a/b";
    fs::write(folder.path("a b"), file).unwrap();
    let ran = run_in(&folder.root(), args!["lint", "--diff", "a b"]);
    let out = ran.out.escape_ascii().to_string();
    assert!(out.starts_with("--- a b\\t\\n+++ a b\\t\\n@@ "), "{out}");
    assert!(out.contains("+Disallow: /caf%E9\\n"), "{out}");
    assert!(out.contains("-Disallow: /a/b\\n\\\\ No newline at end of file\\n"), "{out}");
}
