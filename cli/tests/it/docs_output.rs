//! The documents show what the command prints: each `console` block of these pages is run by the
//! shell, in the root of the repository, and its standard output is compared.
//!
//! `UPDATE_DOCS=1 cargo test -p robotsieve-cli --test it docs_output` updates the pages.

#![cfg(unix)]

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The pages, each with the heading of the section to run, or all of it.
const PAGES: [(&str, Option<&str>); 4] = [
    ("README.md", Some("## A tour")),
    ("docs/explain.md", None),
    ("docs/guide-crawlers.md", None),
    ("docs/guide-sites.md", None),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// What a command line prints, with the `robotsieve` that was built.
fn printed(line: &str) -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_robotsieve")).parent().unwrap().to_owned();
    let others = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([folder].into_iter().chain(env::split_paths(&others))).unwrap();
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(root())
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr);
    // Summaries are fine, failures are not.
    let failed = ["Usage:", "--help", "cannot", "invalid", "not found"];
    let is_failure =
        |line: &str| !line.contains(" invalid ") && failed.iter().any(|part| line.contains(part));
    assert!(!said.lines().any(is_failure), "{line}: {said}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(!text.is_empty(), "{line} prints nothing: {said}");
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The page with the real output in its blocks, and the number of commands in it.
fn made(page: &str, section: Option<&str>) -> (String, usize) {
    let mut made = String::new();
    let mut commands = 0;
    let mut is_run = section.is_none();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        made.push_str(line);
        made.push('\n');
        if let Some(section) = section.filter(|_| line.starts_with("## ")) {
            is_run = line == section;
        }
        if line != "```console" || !is_run {
            continue;
        }
        let mut is_first = true;
        for line in lines.by_ref() {
            if line == "```" {
                break;
            } else if let Some(asked) = line.strip_prefix("$ ") {
                made.push_str(&format!("{line}\n{}", printed(asked)));
                commands += 1;
            } else {
                assert!(!is_first, "no command: {line}");
            }
            is_first = false;
        }
        made.push_str("```\n");
    }
    (made, commands)
}

#[test]
fn pages_show_what_the_command_prints() {
    for (name, section) in PAGES {
        let path = root().join(name);
        let page = fs::read_to_string(&path).expect(name).replace("\r\n", "\n");
        let (made, commands) = made(&page, section);
        assert!(commands >= 4, "{name}: {commands} commands are run");
        if env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&path, made).expect(name);
        } else {
            assert_eq!(
                page, made,
                "{name}: update it with UPDATE_DOCS=1 cargo test -p robotsieve-cli --test it docs_output"
            );
        }
    }
}
