//! What docs/explain.md shows is what the command prints.

mod command;

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use command::run_in;

const PAGE: &str = "../docs/explain.md";

/// The words of a command line, in single quotes or without.
fn words(line: &str) -> Vec<OsString> {
    let parts = line.split('\'').enumerate();
    parts
        .flat_map(|(at, part)| -> Vec<&str> {
            if at % 2 == 1 { vec![part] } else { part.split_whitespace().collect() }
        })
        .map(OsString::from)
        .collect()
}

/// The page with its blocks as the command prints them, and how many there are.
fn printed(page: &str) -> (String, usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut made = String::new();
    let mut blocks = 0;
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        made.push_str(line);
        made.push('\n');
        if line != "```console" {
            continue;
        }
        let asked = lines.next().expect("a command");
        let args = asked.strip_prefix("$ robotsieve ").expect("a command of robotsieve");
        let ran = run_in(&root, words(args));
        assert!(ran.err.is_empty(), "{ran:?}");
        made.push_str(&format!("{asked}\n{}", String::from_utf8(ran.out).expect("UTF-8")));
        made.push_str("```\n");
        blocks += 1;
        assert!(lines.any(|line| line == "```"), "a block without an end");
    }
    (made, blocks)
}

#[test]
fn the_page_is_what_the_command_prints() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = fs::read_to_string(&path).expect("the page").replace("\r\n", "\n");
    let (made, blocks) = printed(&page);
    assert_eq!(blocks, 5);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, made).expect("the page can be written");
    } else {
        assert_eq!(page, made, "write it anew with UPDATE_DOCS=1");
    }
}
