//! The documents show what the command prints: each `console` block of these pages is run by the
//! shell, in the root of the repository, and its standard output is compared. The guides to archives
//! and to rights are run beside an archive, and all that a terminal would show is compared, but for times
//! and sizes. A robots.txt of these sites ([`SITES`]) comes from a server on loopback.
//!
//! `UPDATE_DOCS=1 cargo test -p robotsieve-cli --test it docs_output` updates the pages. The times in them are those of
//! the build that is shipped: set `ROBOTSIEVE_COMMAND` to it (`target/dist/robotsieve`).

#![cfg(unix)]

use crate::command::{Command, Folder, root};
use std::env;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::LazyLock;

use robotsieve_corpora::archive;

use crate::command::site::{answered, site};

/// The pages, each with the heading of the section to run, or all of it.
const PAGES: [(&str, Option<&str>); 12] = [
    ("README.md", Some("## A verdict and its reason")),
    ("cli/README.md", None),
    ("docs/diff.md", Some("## In a pull request")),
    ("docs/explain.md", None),
    ("docs/guide-archives.md", None),
    ("docs/guide-crawlers.md", None),
    ("docs/guide-rights.md", None),
    ("docs/guide-sites.md", None),
    ("docs/rights.md", None),
    ("docs/testing.md", None),
    ("docs/tour.md", None),
    ("docs/writing.md", None),
];

/// The other pages with commands, and why these are not run here.
const NOT_RUN: [(&str, &str); 9] = [
    ("docs/c.md", "capi/tests/guide.py runs its programs"),
    ("docs/fetching.md", "its hosts fail on purpose"),
    ("docs/guide-scale.md", "needs Spark: python/tests/spark/test_guide.py runs it"),
    ("docs/performance.md", "a benchmark"),
    ("docs/side-by-side.md", "a benchmark"),
    ("docs/wasm.md", "builds the module"),
    ("web/README.md", "installs and builds the package"),
    ("python/README.md", "installs the package"),
    ("README.md", "its other sections install things"),
];

/// Sites of the pages, and what they answer.
const SITES: [(&str, &str); 1] = [("https://forum.example/robots.txt", "")];

/// Where these sites are: their URLs, and those on loopback.
static SERVED: LazyLock<[(&str, String); 1]> =
    LazyLock::new(|| SITES.map(|(url, file)| (url, served(file))));

/// Serves a file, or none, and returns its URL.
fn served(file: &'static str) -> String {
    let status = if file.is_empty() { "404 Not Found" } else { "200 OK" };
    format!("{}/robots.txt", site(move |_| answered(status, "", file)))
}

/// What the guide to archives says how to generate: captures, files, and pages in the index.
const ARCHIVE: [u64; 3] = [10_000, 4, 20_000];

/// A shell that runs a command line with the `robotsieve` that was built.
fn shell(line: &str) -> Command {
    let built = env::var_os("ROBOTSIEVE_COMMAND").map_or_else(
        || Path::new(env!("CARGO_BIN_EXE_robotsieve")).to_owned(),
        |given| root().join(given),
    );
    let folder = built.parent().unwrap().to_owned();
    let others = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([folder].into_iter().chain(env::split_paths(&others))).unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).env("PATH", path).env("LC_ALL", "C").stdin(Stdio::null());
    shell
}

/// What a command line prints.
fn printed(line: &str) -> String {
    let there = |text: &str, (url, loopback): &(&str, String)| text.replace(url, loopback);
    let asked = SERVED.iter().fold(line.to_owned(), |line, site| there(&line, site));
    let printed = printed_here(&asked);
    let back = |text: String, (url, loopback): &(&str, String)| text.replace(loopback, url);
    SERVED.iter().fold(printed, back)
}

fn printed_here(line: &str) -> String {
    let output = shell(line).current_dir(root()).output().expect("a shell");
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

/// What a terminal shows of a command line that is run in this folder.
fn shown(line: &str, folder: &Path) -> String {
    let output =
        shell(&format!("exec 2>&1; {line}")).current_dir(folder).output().expect("a shell");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The text with a dash for each number that is a time, a pace or the size of a file.
fn untimed(text: &str) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    for at in 1..words.len() {
        if let "seconds" | "urls_per_second" | "bytes" = words[at - 1] {
            let number = words[at].trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
            words[at] = if number.starts_with('\n') { "-\n" } else { "-" };
        }
    }
    words.join(" ")
}

/// A folder with the archive that the guide to archives generates.
fn archive() -> Folder {
    let folder = Folder::new();
    let [captures, files, pages] = ARCHIVE;
    let hosts = robotsieve_corpora::warc::hosts_of(1, captures);
    archive::write(&folder.path("archive"), 1, hosts, files, 1, true).unwrap();
    archive::expect(&folder.path("expected"), 1, hosts, 1).unwrap();
    archive::index(&folder.path("expected/index.cdxj"), 1, hosts, 1, pages).unwrap();
    folder
}

/// A folder with the archive of the guide to rights.
fn pages() -> Folder {
    let folder = Folder::new();
    let archive = root().join("corpora/archives/pages.warc");
    fs::copy(archive, folder.path("pages.warc")).unwrap();
    folder
}

/// The page with the real output in its blocks, and the number of commands in it.
fn made(page: &str, section: Option<&str>, printed: impl Fn(&str) -> String) -> (String, usize) {
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

/// Each page with commands is run, or is in the list of those that are not.
#[test]
fn no_page_with_commands_is_forgotten() {
    let mut pages = vec!["README.md".to_owned()];
    pages.extend(["capi", "cli", "client", "python", "web"].map(|of| format!("{of}/README.md")));
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".md") {
            pages.push(format!("docs/{name}"));
        }
    }
    for page in pages {
        let text = fs::read_to_string(root().join(&page)).unwrap_or_default();
        if !text.lines().any(|line| line == "```console") {
            continue;
        }
        let is_run = PAGES.iter().any(|(name, _)| *name == page);
        let why = NOT_RUN.iter().find(|(name, _)| *name == page);
        assert!(is_run || why.is_some(), "{page} is in neither list");
    }
}

#[test]
fn pages_show_what_the_command_prints() {
    for (name, section) in PAGES {
        let path = root().join(name);
        let page = fs::read_to_string(&path).expect(name).replace("\r\n", "\n");
        let folder = match name {
            "docs/guide-archives.md" => Some(archive()),
            "docs/guide-rights.md" => Some(pages()),
            "cli/README.md" => Some(Folder::new()),
            _ => None,
        };
        let (made, commands) = made(&page, section, |line| match &folder {
            Some(folder) => shown(line, &folder.root()),
            None => printed(line),
        });
        assert!(commands >= 2, "{name}: {commands} commands are run");
        if env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&path, made).expect(name);
        } else {
            let text = |text: String| if folder.is_some() { untimed(&text) } else { text };
            assert_eq!(
                text(page),
                text(made),
                "{name}: update it with UPDATE_DOCS=1 cargo test -p robotsieve-cli --test it docs_output"
            );
        }
    }
}
