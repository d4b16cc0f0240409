//! `robotsieve lint`.

use crate::command::schema::Schema;
use crate::command::{Folder, run, run_with};
use serde_json::Value;

const BAD: &str = "User-agent: *\nDisalow: /x\nDisallow: /shop/cart/\nDisallow: /shop/\n";
const WARNED: &str = "User-agent: *\nDisallow: /shop/\nAllow: /shop/$\nSitemap: /sitemap.xml\n";
const CLEAN: &str = "User-agent: *\nDisallow: /shop/\n";

#[test]
fn human_shows_the_lines() {
    let folder = Folder::of(&[("robots.txt", BAD)]);
    let ran = run(args!["lint", folder.path("robots.txt")]);
    let out = String::from_utf8(ran.out.clone()).unwrap();
    assert_eq!(ran.status, 1, "{ran:?}");
    for part in [
        "error[RS203]: unknown field 'Disalow', so the line is ignored [misspelt-field]",
        "2 | Disalow: /x",
        "| ^^^^^^^",
        "= fix: write 'Disallow'; this disallows URLs such as '/x' for crawlers",
        "note[RS403]",
        "3 | Disallow: /shop/cart/",
        "4 | Disallow: /shop/",
        "robots.txt:3:11",
    ] {
        assert!(out.contains(part), "no {part:?} in {out}");
    }
    // No colors, since this is not a terminal.
    assert!(!out.contains('\x1b'), "{out}");
    ran.says("files 1 errors 1 warnings 0 notes 2");
}

#[test]
fn statuses() {
    let folder = Folder::of(&[("bad", BAD), ("warned", WARNED), ("clean", CLEAN)]);
    let status = |options: &[&str], file: &str| {
        let options = options.iter().map(std::ffi::OsString::from);
        run(args!["lint"].into_iter().chain(options).chain(args![folder.path(file)])).status
    };
    assert_eq!(status(&[], "clean"), 0);
    assert_eq!(status(&["--fail-on", "note"], "clean"), 0);
    assert_eq!(status(&[], "warned"), 0);
    assert_eq!(status(&["--fail-on", "warning"], "warned"), 1);
    assert_eq!(status(&["--fail-on", "note"], "warned"), 1);
    assert_eq!(status(&[], "bad"), 1);
    assert_eq!(status(&["--fail-on", "never"], "bad"), 0);
    assert_eq!(status(&["--fail-on", "fatal"], "bad"), 2);
    assert_eq!(status(&["--format", "xml"], "bad"), 2);
    assert_eq!(status(&["--profile", "rfc9309", "--all-profiles"], "bad"), 2);
    run(args!["lint", "--fail-on", "never"]).fails(2, "<ROBOTS>");
}

#[test]
fn an_unreadable_file_does_not_end_the_others() {
    let folder = Folder::of(&[("bad", BAD)]);
    let ran = run(args!["lint", folder.path("absent"), folder.path("bad")]);
    assert_eq!(ran.status, 3, "{ran:?}");
    ran.says("absent").says("files 1 errors 1");
    assert!(String::from_utf8(ran.out).unwrap().contains("RS203"));
}

#[test]
fn standard_input() {
    let ran = run_with(args!["lint", "--format", "github", "-"], WARNED.as_bytes());
    ran.gives(
        0,
        "::warning file=<stdin>,line=4,col=10,endColumn=22,title=RS207 sitemap-not-absolute::\
         the sitemap '/sitemap.xml' is not an absolute URL; write it with scheme and host, as in \
         'https://example.com/sitemap.xml'\n",
    );
}

#[test]
fn github_escapes() {
    let folder = Folder::of(&[("a,b:c.txt", "User-agent: *\nDisallow: /100%/\n")]);
    let ran = run(args!["lint", "--format", "github", folder.path("a,b:c.txt")]);
    let out = String::from_utf8(ran.out).unwrap();
    assert!(out.contains("a%2Cb%3Ac.txt,line=2"), "{out}");
    assert!(out.contains("this '%25' is not followed"), "{out}");
    assert!(out.lines().all(|line| line.starts_with("::")), "{out}");
}

#[test]
fn jsonl_has_every_finding() {
    // Not UTF-8, and more findings of one code than are shown.
    let mut file = b"User-agent: *\n".to_vec();
    for _ in 0..20 {
        file.extend_from_slice(b"\xFFno record\n");
    }
    let ran = run_with(args!["lint", "--format", "jsonl", "-"], &file);
    let out = String::from_utf8(ran.out).unwrap();
    assert_eq!(out.lines().count(), 1);
    let report: Value = serde_json::from_str(&out).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let records: Vec<&Value> = findings.iter().filter(|v| v["code"] == "RS201").collect();
    assert_eq!(records.len(), 20);
    let first = records[0];
    assert_eq!((&first["line"], &first["column"]), (&2.into(), &1.into()));
    assert_eq!(first["file_span"], serde_json::json!([14, 24]));
    assert_eq!(first["end_column"], 11);
    assert_eq!(first["severity"], "warning");
    assert_eq!(first["name"], "not-a-record");
    assert_eq!((&report["report"], &report["robots"]), (&"lint".into(), &"-".into()));
    assert_eq!(report["sentences"][0]["text"], "21 warnings");
    assert_eq!(first["profiles"], serde_json::json!(["rfc9309"]));

    let human = run_with(args!["lint", "-"], &file);
    let out = String::from_utf8(human.out).unwrap();
    assert_eq!(out.matches("warning[RS201]").count(), 5, "{out}");
    assert!(out.contains("15 more RS201 (not-a-record); --max-per-code 0 shows all"), "{out}");
    let all = run_with(args!["lint", "--max-per-code", "0", "-"], &file);
    let out = String::from_utf8(all.out).unwrap();
    assert_eq!(out.matches("warning[RS201]").count(), 20, "{out}");
}

#[test]
fn profiles_and_content_type() {
    let lint = |options: &[&str]| {
        let options = options.iter().map(std::ffi::OsString::from);
        let args = args!["lint", "--format", "jsonl"].into_iter().chain(options).chain(args!["-"]);
        let file = b"User-agent: *\nDisallow: /shop/cart\nAllow: /shop/cart*\n";
        String::from_utf8(run_with(args, file).out).unwrap()
    };
    assert!(lint(&["--profile", "original-1994"]).contains("RS205"));
    assert!(!lint(&[]).contains("RS205"));
    let all = lint(&["--all-profiles"]);
    assert!(all.contains(r#""profiles":["rfc9309","google","google-classic"]"#), "{all}");
    assert!(all.contains(r#""profiles":["original-1994"]"#), "{all}");
    assert!(lint(&["--content-type", "text/html"]).contains("RS108"));
}

/// Control characters in a file do not reach the terminal.
#[test]
fn human_is_safe_to_show() {
    let file = b"User-agent: *\nDisallow: /\x1b[31m\x9B\nsome \x1b]0;title\x07 text\n\x1b[2J: x\n";
    let ran = run_with(args!["lint", "--all-profiles", "-"], file);
    assert!(ran.out.iter().all(|o| !o.is_ascii_control() || *o == b'\n'), "{ran:?}");
}

#[test]
fn sarif_validates_against_the_published_schema() {
    let packed = &include_bytes!("../data/sarif-schema-2.1.0.json.gz")[..];
    let schema = std::io::read_to_string(flate2::read::GzDecoder::new(packed)).unwrap();
    let schema = Schema::of(&schema);
    let validate = |out: &[u8]| -> Value {
        let log: Value = serde_json::from_slice(out).unwrap();
        let errors = schema.errors(&log);
        assert!(errors.is_empty(), "{errors:?}");
        log
    };
    // The schema rejects an invalid log.
    assert!(!schema.is_valid(&serde_json::json!({ "version": "2.1.0" })));

    let folder = Folder::of(&[("bad one", BAD), ("warned", WARNED), ("clean", CLEAN)]);
    let files = args![folder.path("bad one"), folder.path("warned"), folder.path("clean")];
    let ran = run(args!["lint", "--format", "sarif"].into_iter().chain(files));
    let log = validate(&ran.out);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let of = |code: &str| results.iter().find(|result| result["ruleId"] == code).unwrap();
    let redundant = of("RS403");
    let place = &redundant["locations"][0]["physicalLocation"];
    assert!(place["artifactLocation"]["uri"].as_str().unwrap().ends_with("/bad%20one"));
    assert_eq!(place["region"]["startLine"], 3);
    assert_eq!(place["region"]["startColumn"], 11);
    assert_eq!(redundant["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 4);
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    for result in results {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }

    // The files of this repository, and an empty file.
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpora/robots");
    let files = std::fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path().into());
    let options = args!["lint", "--all-profiles", "--format", "sarif"];
    let ran = run(options.into_iter().chain(files));
    assert!(validate(&ran.out)["runs"][0]["results"].as_array().unwrap().len() > 20);
    let ran = run_with(args!["lint", "--format", "sarif", "-"], b"");
    validate(&ran.out);
    let ran = run(args!["lint", "--format", "sarif", folder.path("absent")]);
    assert_eq!(ran.status, 3);
    assert_eq!(validate(&ran.out)["runs"][0]["invocations"][0]["executionSuccessful"], false);
}

fn codes(ran: &crate::command::Ran) -> Vec<String> {
    let report: Value = serde_json::from_slice(&ran.out).unwrap();
    let findings = report["findings"].as_array().unwrap().iter();
    findings.map(|finding| finding["code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn select_and_ignore() {
    let folder = Folder::of(&[("bad", BAD)]);
    let ask = |options: &[&str]| {
        let options = options.iter().map(std::ffi::OsString::from);
        let all = args!["lint", "--format", "jsonl"].into_iter().chain(options);
        run(all.chain(args![folder.path("bad")]))
    };
    assert_eq!(codes(&ask(&[])), ["RS203", "RS209", "RS403"]);
    assert_eq!(codes(&ask(&["--select", "RS2"])), ["RS203", "RS209"]);
    assert_eq!(codes(&ask(&["--select", "RS2xx", "--ignore", "RS209"])), ["RS203"]);
    assert_eq!(codes(&ask(&["--select", "redundant-rule,RS209"])), ["RS209", "RS403"]);
    // The one that says more decides.
    assert_eq!(codes(&ask(&["--select", "RS209", "--ignore", "RS2"])), ["RS209"]);
    // What is not reported does not fail.
    let ran = ask(&["--ignore", "RS203"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    ran.says("files 1 errors 0 warnings 0 notes 2");
    ask(&["--select", "RS9"]).fails(2, "no code 'RS9'");
    ask(&["--ignore", "redundant"]).fails(2, "a name such as redundant-rule");
}

#[test]
fn a_baseline_hides_what_is_known() {
    let folder = Folder::of(&[("robots.txt", BAD), ("other", CLEAN)]);
    let (file, known) = (folder.path("robots.txt"), folder.path("known.json"));
    let ran = run(args!["lint", "--write-baseline", &known, &file, folder.path("other")]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.out.is_empty(), "{ran:?}");
    ran.says("wrote 3 findings to");
    let written: Value = serde_json::from_slice(&std::fs::read(&known).unwrap()).unwrap();
    assert_eq!(written["version"], 1);
    assert_eq!(written["findings"][0]["code"], "RS203");
    assert_eq!(written["findings"][0]["text"], "Disalow: /x");
    assert_eq!(written["findings"][0]["count"], 1);
    let ask = || run(args!["lint", "--baseline", &known, "--format", "jsonl", &file]);
    let ran = ask();
    assert_eq!((ran.status, codes(&ran).len()), (0, 0), "{ran:?}");
    ran.says("notes 0; 3 more are in the baseline");
    // Lines may move, and a second one of the same text is new.
    let moved = format!("# moved\n\n{BAD}Disalow: /x\n");
    std::fs::write(&file, moved).unwrap();
    let ran = ask();
    assert_eq!(codes(&ran), ["RS203", "RS209"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    // What no longer occurs is told, if it was searched for.
    std::fs::write(&file, CLEAN).unwrap();
    ask().says("3 of the findings in the baseline are no longer there");
    let ran = run(args!["lint", "--baseline", &known, "--ignore", "RS203", &file]);
    assert!(!ran.err.contains("no longer"), "{ran:?}");
    // Another file's findings are not known.
    std::fs::write(folder.path("other"), BAD).unwrap();
    let ran = run(args!["lint", "--baseline", &known, folder.path("other")]);
    assert_eq!(ran.status, 1, "{ran:?}");
    // The other formats leave the same out.
    for format in ["sarif", "github", "text"] {
        std::fs::write(&file, BAD).unwrap();
        let ran = run(args!["lint", "--baseline", &known, "--format", format, &file]);
        assert!(!String::from_utf8_lossy(&ran.out).contains("/x"), "{ran:?}");
    }
}

#[test]
fn baselines_that_cannot_be_used() {
    let folder = Folder::of(&[("bad", BAD), ("broken", "{"), ("later", LATER)]);
    const LATER: &str = r#"{"version": 2, "findings": []}"#;
    let ask = |baseline: &str| {
        run(args!["lint", "--baseline", folder.path(baseline), folder.path("bad")])
    };
    ask("absent").fails(3, "absent");
    ask("broken").fails(3, "--write-baseline");
    ask("later").fails(3, "its version is 2");
    // One that exists stays if a file cannot be read.
    let known = folder.path("known");
    std::fs::write(&known, r#"{"version": 1, "findings": []}"#).unwrap();
    run(args!["lint", "--write-baseline", &known, folder.path("absent"), folder.path("bad")])
        .fails(3, "was not written");
    assert_eq!(std::fs::read(&known).unwrap(), br#"{"version": 1, "findings": []}"#);
    run(args!["lint", "--write-baseline", folder.path("no/folder"), folder.path("bad")])
        .fails(3, "cannot write baseline");
    run(args!["lint", "--write-baseline", &known, "--baseline", &known, folder.path("bad")])
        .fails(2, "--baseline");
}

/// Lines that are long or not UTF-8 are known by their hash.
#[test]
fn a_baseline_of_any_bytes() {
    let folder = Folder::of(&[]);
    let (file, known) = (folder.path("robots.txt"), folder.path("known.json"));
    let long = format!("User-agent: *\nDisallow: {}\nDisallow: \u{e9}\n", "x".repeat(5_000));
    let mut bytes = long.into_bytes();
    bytes.extend(b"Disallow: \xFF\n");
    std::fs::write(&file, bytes).unwrap();
    run(args!["lint", "--write-baseline", &known, &file]);
    assert!(std::fs::metadata(&known).unwrap().len() < 3_000);
    let ran = run(args!["lint", "--baseline", &known, &file]);
    assert_eq!((ran.status, ran.out.len()), (0, 0), "{ran:?}");
}

/// In text the worst come first, and a summary by code and by file at the end.
#[test]
fn text_is_sorted_and_summed_up() {
    let late = "User-agent: *\nDisallow: /shop/cart/\nDisallow: /shop/\nDisalow: /x\n";
    let folder = Folder::of(&[("a", CLEAN), ("b", WARNED), ("c", late), ("d", late)]);
    let files = ["a", "b", "c", "d"].map(|name| folder.path(name));
    let ran = run(args!["lint"].into_iter().chain(files.iter().map(Into::into)));
    let out = String::from_utf8(ran.out).unwrap();
    let at = |part: &str| out.find(part).unwrap_or_else(|| panic!("no {part:?} in {out}"));
    assert!(at("error[RS203]") < at("note[RS403]"), "{out}");
    let summary = format!(
        "RS203 misspelt-field: 2 errors\n\
         RS207 sitemap-not-absolute: 1 warning\n\
         RS209 readers-differ: 2 notes\n\
         RS403 redundant-rule: 2 notes\n\
         {}: 1 error, 2 notes\n\
         {}: 1 error, 2 notes\n\
         {}: 1 warning\n",
        files[2].display(),
        files[3].display(),
        files[1].display(),
    );
    assert!(out.ends_with(&summary), "{out}");
}
