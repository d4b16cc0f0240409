//! Errors: each starts alike, names what is wrong on the first line, and says what to do.

use crate::command::{Folder, Ran, run_in};

const ROBOTS: &str = "User-agent: *\nDisallow: /x\n";

fn folder() -> Folder {
    let folder =
        Folder::of(&[("robots.txt", ROBOTS), ("robots/e.example", ROBOTS), ("urls", "/x\n")]);
    folder.file("damaged", "robotsieve");
    folder
}

#[track_caller]
fn run_line(folder: &Folder, line: &str) -> Ran {
    run_in(&folder.root(), line.split_whitespace().map(Into::into))
}

/// Asserts the status and the parts of the first line; and that standard output is empty.
#[track_caller]
fn fails(folder: &Folder, line: &str, status: i32, parts: &[&str]) {
    let ran = run_line(folder, line);
    ran.gives(status, "");
    let first = ran.err.lines().next().unwrap_or_default();
    assert!(first.starts_with("robotsieve: "), "{line}: {ran:?}");
    for part in parts {
        assert!(first.contains(part), "no {part:?} in the first line of {ran:?}");
    }
    assert!(!ran.err.contains("error: ") && !ran.err.contains("robotsieve: robotsieve"), "{ran:?}");
}

#[test]
fn robots_is_not_a_file() {
    let folder = folder();
    let lines_with = |robots: &str| {
        [
            format!("check {robots} FooBot /x"),
            format!("check --agent FooBot {robots} /x"),
            format!("explain {robots} FooBot /x"),
            format!("dot {robots} FooBot"),
            format!("records {robots}"),
            format!("diff robots.txt {robots}"),
            format!("filter --robots {robots} --agent a urls"),
            format!("replay --robots {robots} urls"),
        ]
    };
    for host in ["e.example/x", "e.example"] {
        let wanted = [&format!("'{host}'"), "a URL is written like https://e.example/robots.txt"];
        lines_with(host).iter().for_each(|line| fails(&folder, line, 3, &wanted));
        run_line(&folder, &format!("lint {host}")).fails(3, wanted[1]);
    }
    for (url, wanted) in [
        ("https://e.example/x", "which is https://e.example/robots.txt"),
        ("http://e.example:81/robots.txt?x", "which is http://e.example:81/robots.txt"),
        ("http://me:secret@e.example", "which no crawler sends"),
        ("http://", "is not a URL: empty host"),
    ] {
        lines_with(url).iter().for_each(|line| fails(&folder, line, 2, &[url, wanted]));
        run_line(&folder, &format!("lint {url}")).fails(3, wanted);
    }
    for line in ["check robots FooBot /x", "records robots", "filter --robots robots --agent a"] {
        fails(&folder, line, 3, &["'robots'", "name a file in this folder", "--robots-dir"]);
    }
    for line in ["check none.txt FooBot /x", "diff none.txt robots.txt", "dot none.txt FooBot"] {
        fails(&folder, line, 3, &["'none.txt'", "check the path, or use '-'"]);
    }
}

#[test]
fn arguments_are_swapped() {
    let folder = folder();
    for command in
        ["check FooBot robots.txt /x", "explain FooBot robots.txt /x", "dot FooBot robots.txt"]
    {
        let wanted = ["'FooBot'", "'robots.txt' is a file", "ROBOTS AGENT, in this order?"];
        fails(&folder, command, 3, &wanted);
    }
    // The flag --user-agent of earlier versions.
    fails(
        &folder,
        "check --user-agent robots.txt FooBot /x",
        3,
        &["'FooBot'", "'robots.txt' is a file", "--user-agent HEADER ROBOTS"],
    );
}

#[test]
fn the_way_out() {
    let folder = folder();
    for (line, status, parts) in [
        ("check robots.txt", 2, ["<AGENT>, <URL>...", "; a crawler and a URL follow the file: "]),
        ("explain robots.txt /x", 2, ["<URL>...", "; a crawler and a URL follow the file: "]),
        ("robots.txt", 2, ["'robots.txt'", "; a command comes first: robotsieve lint robots.txt"]),
        ("block FooBot robots.txt", 2, ["'robots.txt'", "--crawler TOKEN or --purpose PURPOSE"]),
        ("rights robots.txt FooBot /", 2, ["'FooBot'", "--robots FILE names the robots.txt"]),
        ("test robots.txt x.expect", 3, ["'x.expect'", "'robotsieve test --init ROBOTS'"]),
        ("write robots.txt", 2, ["this is a robots.txt", "'robotsieve help write'"]),
    ] {
        fails(&folder, line, status, &parts);
    }
    for (url, meant) in [("e.example/x", "https://e.example/x"), ("x/y", "/x/y")] {
        let ran = run_line(&folder, &format!("check robots.txt FooBot {url}"));
        ran.says(&format!("'{url}' is invalid")).says(&format!("did you mean '{meant}'?"));
    }
    run_line(&folder, "check robots.txt FooBot http:/x").says("anything is a URL)\n");
}

#[test]
fn a_format_and_a_path() {
    let folder = folder();
    for format in ["json", "jsonl", "tsv", "text"] {
        fails(
            &folder,
            &format!("pack --robots-dir robots --agent a -o {format}"),
            2,
            &["'--output <PATH>'", "a path is expected, not a format", &format!("'./{format}'")],
        );
        fails(&folder, &format!("man --output {format}"), 2, &["a path is expected"]);
        let made = run_line(&folder, &format!("pack --robots-dir robots --agent a -o ./{format}"));
        made.gives(0, "");
    }
    fails(&folder, "pack --robots-dir robots --agent a -o -", 2, &["'./-' is a file"]);
    for path in ["allowed.txt", "out/urls"] {
        let line = format!("filter --robots robots.txt --agent a --format {path}");
        let redirect = format!("redirect with > {path}");
        fails(&folder, &line, 2, &[path, "not a path", &redirect]);
    }
    for line in ["filter --robots robots.txt --agent a -o x", "lint robots.txt --output x"] {
        fails(&folder, line, 2, &["prints to standard output", "> FILE"]);
    }
    // Something else is listed.
    run_line(&folder, "lint --format xml robots.txt").fails(2, "text, jsonl, sarif, github");
}

#[test]
fn packs_and_stores() {
    let folder = folder();
    for line in ["pack stat", "pack verify", "filter --agent a --pack"] {
        fails(&folder, &format!("{line} none"), 3, &["cannot open pack 'none'", "make packs"]);
        for file in ["robots.txt", "damaged"] {
            let wanted = [&format!("cannot use pack '{file}'"), "make packs"];
            fails(&folder, &format!("{line} {file}"), 3, &wanted);
        }
    }
    for line in ["store stat", "store verify", "store compact", "filter --agent a --store"] {
        fails(&folder, &format!("{line} none"), 3, &["cannot open store 'none'", "make stores"]);
        let wanted = ["cannot use store '", "robots.txt'", "makes stores"];
        fails(&folder, &format!("{line} robots.txt"), 3, &wanted);
    }
    fails(&folder, "filter --robots-dir robots.txt --agent a", 3, &["'robots.txt'", "a folder"]);
    fails(&folder, "pack --robots-dir none --agent a -o p", 3, &["--robots-dir 'none'"]);
    fails(&folder, "pack --list robots.txt --agent a -o p", 3, &["list 'robots.txt', line 1"]);
}

#[test]
fn the_command_line() {
    let folder = folder();
    fails(&folder, "chekc", 2, &["'chekc'"]);
    fails(&folder, "check --frobnicate", 2, &["'--frobnicate'"]);
    fails(&folder, "check robots.txt", 2, &["were not provided: <AGENT>, <URL>..."]);
    fails(&folder, "check robots.txt FooBot", 2, &["were not provided: <URL>..."]);
    fails(&folder, "check --user-agent", 2, &["'--user-agent <HEADER>'"]);
    fails(
        &folder,
        "filter --agent a",
        2,
        &["--robots <FILE>", "--robots-dir <DIR>", "--pack <FILE>"],
    );
    fails(&folder, "filter --robots robots.txt", 2, &["--agent NAME", "--user-agent HEADER"]);
    fails(&folder, "filter --robots robots.txt --agent a --pack p", 2, &["'--robots <FILE>'"]);
    fails(
        &folder,
        "filter --store s --fetch --agent a",
        2,
        &["--send-user-agent HEADER", "--user-agent HEADER"],
    );
    fails(&folder, "filter --robots robots.txt --agent a --send-user-agent x", 2, &["--fetch"]);
    fails(&folder, "fetch --store s", 2, &["--send-user-agent <HEADER>"]);
    fails(&folder, "pack --robots-dir robots --agent a", 2, &["-o PATH"]);
    fails(&folder, "man frobnicate", 2, &["'frobnicate'", "store get", "pack verify"]);
    let profiles = "rfc9309, google, google-classic, original-1994";
    run_line(&folder, "check --profile bing robots.txt a /").fails(2, profiles).says("--profile");
    let inputs = run_line(&folder, "filter --robots robots.txt --agent a https://e.example/x");
    inputs.fails(3, "cannot read input 'https://e.example/x'").says("inputs are files");
}

/// 0, 1, 2 and 3 are the same everywhere.
#[test]
fn statuses() {
    let folder = folder();
    folder.file("stars.txt", "User-agent: *\nDisallow: /*ax*Ay\nDisallow: /*bx*By");
    for (status, lines) in [
        (
            0,
            &[
                "check robots.txt a /",
                "explain robots.txt a /",
                "filter --robots robots.txt --agent a urls",
                "lint robots.txt",
                "records robots.txt",
                "diff robots.txt robots.txt",
                "dot robots.txt a",
                "completions bash",
                "man",
                "--help",
                "--version",
            ][..],
        ),
        (1, &["check robots.txt a /x", "explain robots.txt a /x", "diff robots.txt urls"]),
        (
            2,
            &[
                "check robots.txt a e.com",
                "explain robots.txt a e.com",
                "records --path x robots.txt",
                "lint",
                "",
            ],
        ),
        (
            3,
            &[
                "check none a /",
                "explain none a /",
                "filter --robots none --agent a urls",
                "lint none",
                "records none",
                "diff none robots.txt",
                "replay none",
                "dot none a",
                "dot --states 1 stars.txt a",
                "pack --robots-dir none --agent a -o p",
                "store stat none",
                "man --output robots.txt/x",
            ],
        ),
    ] {
        for line in lines {
            let ran = run_line(&folder, line);
            assert_eq!(ran.status, status, "{line}: {ran:?}");
        }
    }
}
