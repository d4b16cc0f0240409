//! Help, version, wrong usage, shell completions and manual pages.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::command::{Command, Folder, run};

/// The commands, as the help lists them.
fn commands() -> Vec<String> {
    let help = String::from_utf8(run(args!["--help"]).out).unwrap();
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = list.lines().map(|line| line.split_whitespace().next().unwrap().to_owned());
    let names: Vec<String> = names.filter(|name| name != "help").collect();
    assert!(names.len() >= 11, "{names:?}");
    names
}

fn help_of(command: &str) -> String {
    let ran = run(args![command, "--help"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    String::from_utf8(ran.out).unwrap()
}

#[test]
fn without_arguments() {
    let ran = run(args![]);
    ran.fails(2, "Usage: robotsieve").says("Examples:");
    for command in commands() {
        ran.says(&command);
    }
    run(args!["filter"]).fails(2, "Usage: robotsieve filter").says("Examples:");
    run(args!["frobnicate"]).fails(2, "frobnicate");
}

#[test]
fn help_teaches() {
    for help in [args!["--help"], args!["help"], args!["-h"]] {
        let ran = run(help);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""));
        assert!(String::from_utf8(ran.out).unwrap().contains("Examples:"));
    }
    for command in commands() {
        let out = help_of(&command);
        assert_eq!(String::from_utf8(run(args!["help", &command]).out).unwrap(), out);
        for part in ["Examples:\n  robotsieve", "Exit status:\n  0  "] {
            assert!(out.contains(part), "no {part} in {out}");
        }
        let first = out.lines().next().unwrap();
        // The list of commands fits into 80 columns.
        assert!(!first.ends_with('.') && first.len() <= 65, "{first}");
    }
}

/// Options with the same name have the same kind of value everywhere.
#[test]
fn options_are_the_same_everywhere() {
    let mut seen: Vec<(String, String, String)> = Vec::new();
    for command in commands() {
        for line in help_of(&command).lines() {
            let Some(option) = line.trim_start().strip_prefix("--") else { continue };
            if !line.starts_with("      --") {
                continue;
            }
            let (name, value) = option.split_once(' ').unwrap_or((option, ""));
            // Anything else is the second line of an example.
            // `pack --list FILE` and `crawlers --list` are old words for different things. For pages of
            // archives there is no one time: `rights --as-of page`.
            if name != "list"
                && (name, &command[..]) != ("as-of", "rights")
                && (value.is_empty() || value.starts_with('<'))
            {
                seen.push((name.to_owned(), value.to_owned(), command.clone()));
            }
        }
    }
    // `pack` takes a list, other commands print one.
    for (name, value, command) in seen.iter().filter(|(name, ..)| name != "list") {
        let other = seen.iter().find(|(other, differs, _)| name == other && value != differs);
        assert!(other.is_none(), "--{name} {value} of {command}, and {other:?}");
    }
    let count = |name: &str| seen.iter().filter(|(option, ..)| option == name).count();
    assert!(count("profile") >= 8, "{seen:?}");
    assert!(count("format") >= 5, "{seen:?}");
    assert!(count("progress") >= 6, "{seen:?}");
}

#[test]
fn version() {
    let version = concat!("robotsieve ", env!("CARGO_PKG_VERSION"), "\n");
    run(args!["--version"]).gives(0, version);
    run(args!["-V"]).gives(0, version);
}

#[test]
fn schemas() {
    run(args!["schema", "fetch"]).gives(0, include_str!("../../src/schema/fetch.json"));
    run(args!["schema", "rights"]).gives(0, include_str!("../../src/schema/rights.json"));
    run(args!["schema", "x"]).fails(2, "[possible values: reports, fetch, rights]");
    let ran = run(args!["schema"]);
    if cfg!(feature = "schema") {
        ran.status(0).prints("\"title\": \"robotsieve-report-1\"");
    } else {
        ran.fails(2, "--features schema");
    }
}

#[test]
fn completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = run(args!["completions", shell]);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{shell}");
        let script = String::from_utf8(ran.out).unwrap();
        for word in commands().iter().map(String::as_str).chain(["profile"]) {
            assert!(script.contains(word), "no {word} for {shell}");
        }
        // The other shells do not complete values.
        if ["bash", "zsh", "fish"].contains(&shell) {
            assert!(script.contains("google-classic"), "{shell}");
        }
    }
    run(args!["completions", "tcsh"]).fails(2, "powershell");
    run(args!["completions"]).fails(2, "completions bash");
}

/// Gives a program an input and asserts that it succeeds and prints no errors, if it is installed.
#[track_caller]
fn is_content(program: &str, args: &[&str], input: &[u8]) {
    let spawned = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(cause) => return eprintln!("{program} does not run here: {cause}"),
    };
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    });
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{program}: {said}");
}

#[test]
fn shells_read_the_completions() {
    for (shell, option) in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")] {
        is_content(shell, &[option], &run(args!["completions", shell]).out);
    }
}

#[test]
fn bash_completes_a_command() {
    let script = String::from_utf8(run(args!["completions", "bash"]).out).unwrap();
    let asked = "COMP_WORDS=(robotsieve expl); COMP_CWORD=1; _robotsieve robotsieve expl robotsieve\n\
                 [ \"${COMPREPLY[*]}\" = explain ] || echo \"${COMPREPLY[*]}\" >&2\n";
    is_content("bash", &["--norc"], format!("{script}\n{asked}").as_bytes());
    // The commands of a command, and values of options.
    for (words, wanted) in [
        ("pack ver", "verify"),
        ("store comp", "compact"),
        ("lint --color al", "always"),
        ("explain --format jsonl", "jsonl"),
        ("diff --prog", "--progress"),
        ("fetch --send", "--send-user-agent"),
    ] {
        let count = words.split(' ').count();
        let asked = format!(
            "COMP_WORDS=(robotsieve {words}); COMP_CWORD={count}; \
             _robotsieve robotsieve \"${{COMP_WORDS[$COMP_CWORD]}}\" \
             \"${{COMP_WORDS[$COMP_CWORD-1]}}\"\n\
             [ \"${{COMPREPLY[*]}}\" = {wanted} ] || echo \"{words}: ${{COMPREPLY[*]}}\" >&2\n"
        );
        is_content("bash", &["--norc"], format!("{script}\n{asked}").as_bytes());
    }
}

const GROFF: &[&str] = &["-man", "-Tutf8", "-Kutf8", "-P-c"];

/// The commands of `store` and `pack`.
const SECOND: [[&str; 2]; 12] = [
    ["store", "stat"],
    ["store", "get"],
    ["store", "export"],
    ["store", "import"],
    ["store", "prune"],
    ["store", "compact"],
    ["store", "verify"],
    ["pack", "update"],
    ["pack", "merge"],
    ["pack", "list"],
    ["pack", "stat"],
    ["pack", "verify"],
];

#[test]
fn manual_pages() {
    let folder = Folder::new();
    let man = folder.path("share/man1");
    run(args!["man", "--output", &man]).gives(0, "");
    let commands = commands();
    assert_eq!(fs::read_dir(&man).unwrap().count(), commands.len() + 1 + SECOND.len());
    for [command, name] in SECOND {
        let page = fs::read(man.join(format!("robotsieve-{command}-{name}.1"))).unwrap();
        run(args!["man", command, name]).gives(0, &page);
        is_content("groff", GROFF, &page);
    }
    let whole = fs::read(man.join("robotsieve.1")).unwrap();
    run(args!["man"]).gives(0, &whole);
    for command in &commands {
        let listed = format!("robotsieve\\-{command}(1)");
        assert!(String::from_utf8_lossy(&whole).contains(&listed), "{listed}");
        let page = fs::read(man.join(format!("robotsieve-{command}.1"))).unwrap();
        run(args!["man", command]).gives(0, &page);
        let text = String::from_utf8(page.clone()).unwrap();
        let name = format!("robotsieve\\-{command} ");
        for part in
            [".TH ", ".SH NAME", &name, ".SH SYNOPSIS", ".SH EXAMPLES", ".SH \"EXIT STATUS\""]
        {
            assert!(text.contains(part), "no {part} in {text}");
        }
        is_content("groff", GROFF, &page);
    }
    is_content("groff", GROFF, &whole);
    // Values are a list, not lines of a paragraph.
    let page = String::from_utf8(run(args!["man", "filter"]).out).unwrap();
    assert!(page.contains(".IP \\(bu 2\ngoogle\\-classic: "), "{page}");
    run(args!["man", "frobnicate"])
        .fails(2, "'frobnicate'")
        .says("explain, filter")
        .says("store get, store export")
        .says("pack stat");
    run(args!["man", "check", "--output", &man]).fails(2, "--output");
    let taken = folder.file("taken", "");
    run(args!["man", "--output", taken]).fails(3, "taken");
}

/// The footer names the program, also on the pages of its commands.
#[test]
fn manual_pages_say_where_they_are_from() {
    for words in ["man", "man explain", "man store get"] {
        let ran = run(words.split(" ").map(Into::into));
        let page = String::from_utf8(ran.out).unwrap();
        let title = page.lines().find(|line| line.starts_with(".TH")).unwrap();
        let source = format!("\"robotsieve {}\"", env!("CARGO_PKG_VERSION"));
        assert!(title.contains(&source), "{title}");
    }
}
