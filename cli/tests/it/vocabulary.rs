//! The vocabulary of docs/commands.md: every option means the same everywhere, and older spellings
//! still work.

use std::ffi::OsString;

use crate::command::{Folder, Ran, command, run, run_in, run_with};

const ROBOTS: &str = "User-agent: FooBot\nDisallow: /foo\n\nUser-agent: BarBot\nDisallow: /bar\n";

/// A header of FooBot, and one of BarBot.
const FOO: &str = "Mozilla/5.0 (compatible; FooBot/2.1; +https://foo.example/)";
const BAR: &str = "BarBot/1.0 (x)";

fn folder() -> Folder {
    Folder::of(&[
        ("robots.txt", ROBOTS),
        ("robots/e.example", ROBOTS),
        ("urls", "https://e.example/foo\nhttps://e.example/bar\n"),
    ])
}

/// Runs a command line in the folder; `'…'` is one argument.
#[track_caller]
fn run_line(folder: &Folder, line: &str) -> Ran {
    let mut args: Vec<OsString> = Vec::new();
    for (number, part) in line.split('\'').enumerate() {
        if number % 2 == 1 {
            args.push(part.into());
        } else {
            args.extend(part.split_whitespace().map(OsString::from));
        }
    }
    run_in(&folder.root(), args)
}

/// The output without differences that come from the spelling of the crawler.
fn plain(ran: &Ran) -> String {
    let mut out = String::from_utf8(ran.out.clone()).unwrap();
    // `explain` also shows how the header was read.
    if let Some(from) = out.find("note: the names in the User-Agent header") {
        let to = out.find("note: compared as").unwrap();
        out.replace_range(from..to, "");
    }
    for (from, to) in [(",\"agent_span\":", "}"), ("\"names_notes\":[", "]")] {
        if let Some(at) = out.find(from).map(|at| at + if to == "]" { from.len() } else { 0 }) {
            let end = at + out[at..].find(to).unwrap();
            out.replace_range(at..end, "");
        }
    }
    out.replace(FOO, "FooBot").replace("\"user_agent\":true", "\"user_agent\":false")
}

/// AGENT, --agent and --user-agent name the same crawler; with either option there is no AGENT.
#[test]
fn one_crawler() {
    let folder = folder();
    for (command, rest, status) in [
        ("check", "/foo", 1),
        ("check --profile google", "/foo /bar", 1),
        ("check", "/bar", 0),
        ("explain", "/foo", 1),
        ("explain --format json", "/foo", 1),
        ("explain --record", "/foo /bar", 1),
        ("dot", "", 0),
    ] {
        let positional = run_line(&folder, &format!("{command} robots.txt FooBot {rest}"));
        assert_eq!((positional.status, positional.err.as_str()), (status, ""), "{command}");
        for option in ["--agent FooBot", "--agent=FooBot", &format!("--user-agent '{FOO}'")] {
            // The option may stand before or after the arguments.
            for line in [
                format!("{command} {option} robots.txt {rest}"),
                format!("{command} robots.txt {rest} {option}"),
            ] {
                let ran = run_line(&folder, &line);
                assert_eq!(ran.status, positional.status, "{line}: {ran:?}");
                assert_eq!(plain(&ran), plain(&positional), "{line}");
            }
        }
    }
    // From standard input, too.
    let robots = folder.path("robots.txt");
    run_with(args!["check", "--user-agent", FOO, &robots, "-"], b"/foo\n")
        .gives(1, "disallow\t/foo\n");
    for command in ["check", "explain", "dot"] {
        let both = format!("{command} --agent FooBot --user-agent '{FOO}' robots.txt /x");
        run_line(&folder, &both).fails(2, "'--agent <NAME>' cannot be used with");
    }
    for command in ["check", "explain"] {
        run_line(&folder, &format!("{command} --agent FooBot robots.txt"))
            .fails(2, "no URL was given: with --agent the arguments are ROBOTS URL...");
    }
    run_line(&folder, "dot --agent FooBot robots.txt FooBot")
        .fails(2, "unexpected argument 'FooBot': --agent names the crawler, so leave AGENT out");
    run_line(&folder, "dot robots.txt").fails(2, "AGENT");
}

/// --agent and --user-agent name crawlers in every command that takes several, in order.
#[test]
fn several_crawlers() {
    let folder = folder();
    let crawlers =
        format!("--user-agent '{BAR}' --agent x,FooBot --agent FooBot --user-agent '{FOO}'");
    let out = "allow\tdisallow\tdisallow\tdisallow\thttps://e.example/foo\n\
               disallow\tallow\tallow\tallow\thttps://e.example/bar\n";
    let tsv = "--format tsv urls";
    run_line(&folder, &format!("filter --robots robots.txt {crawlers} {tsv}")).gives(0, out);
    run_line(&folder, &format!("filter --robots-dir robots {crawlers} {tsv}")).gives(0, out);
    run_line(&folder, &format!("pack --robots-dir robots {crawlers} -o p")).gives(0, "");
    run_line(&folder, &format!("filter --pack p {tsv}")).gives(0, out);
    run_line(&folder, &format!("filter --pack p {crawlers} {tsv}")).gives(0, out);
    run_line(&folder, "store import --robots-dir robots s").gives(0, "");
    run_line(&folder, &format!("filter --store s {crawlers} {tsv}")).gives(0, out);
    run_line(&folder, &format!("store export s --pack q {crawlers}")).gives(0, "");
    run_line(&folder, &format!("filter --pack q {tsv}")).gives(0, out);
    let ran = run_line(&folder, &format!("diff {crawlers} robots.txt robots.txt"));
    ran.gives(0, "no change: the text is the same\n");
    let records = run_line(&folder, &format!("records {crawlers} robots.txt"));
    assert_eq!(records.status, 0, "{records:?}");
    run_line(&folder, "records --path /foo robots.txt").fails(2, "robotsieve rights");
}

/// `json` is one document, `jsonl` one object a line.
#[test]
fn formats() {
    let folder = folder();
    let json = |line: &str| -> serde_json::Value {
        let ran = run_line(&folder, line);
        serde_json::from_slice(&ran.out).unwrap_or_else(|wrong| panic!("{line}: {wrong}: {ran:?}"))
    };
    for line in [
        "explain --format json robots.txt FooBot /foo",
        "explain --format json --all-profiles robots.txt FooBot /foo",
        "records --format json robots.txt",
        "diff --format json --urls urls robots.txt robots/e.example",
        "lint --format sarif robots.txt robots.txt",
    ] {
        assert!(json(line).is_object(), "{line}");
    }
    for (line, count) in [
        ("explain --format jsonl robots.txt FooBot /foo /bar", 2),
        ("explain --record robots.txt FooBot /foo /bar", 2),
        ("filter --format jsonl --robots robots.txt --agent a urls", 2),
    ] {
        let ran = run_line(&folder, line);
        let text = String::from_utf8(ran.out).unwrap();
        assert_eq!(text.lines().count(), count, "{line}: {text}");
        for line in text.lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(value.is_object(), "{line}");
        }
    }
    for urls in ["/foo /bar", "-"] {
        run_line(&folder, &format!("explain --format json robots.txt FooBot {urls}"))
            .fails(2, "--format json prints one document")
            .says("--format jsonl");
    }
}

/// --color decides; 'auto' uses colors on terminals only, which a test's pipe is not.
#[test]
fn colors() {
    let folder = Folder::of(&[("robots.txt", "User-agent: *\nDisalow: /\nDisallow: /x\n")]);
    for line in ["lint --fail-on never robots.txt", "explain robots.txt FooBot /"] {
        let of = |option: &str| {
            let ran = run_line(&folder, &format!("{line} {option}"));
            assert_eq!(ran.status, 0, "{ran:?}");
            String::from_utf8(ran.out).unwrap()
        };
        let (plain, colored) = (of(""), of("--color always"));
        assert!(!plain.contains('\x1b') && colored.contains("\x1b["), "{colored}");
        assert_eq!(of("--color auto"), plain);
        assert_eq!(of("--color=never"), plain);
        run_line(&folder, &format!("{line} --color sometimes")).fails(2, "auto, always, never");
    }
    // NO_COLOR is for 'auto'; whoever says 'always' gets colors.
    let mut always = command(args!["lint", "--color", "always", folder.path("robots.txt")]);
    let output = always.env("NO_COLOR", "1").output().unwrap();
    assert!(output.stdout.contains(&b'\x1b'));
}

/// --quiet leaves nothing on standard error but errors, and changes neither output nor status.
#[test]
fn quiet() {
    let folder = folder();
    folder.file("nonsense", "nonsense\n/foo\n");
    folder.file("robots/E.example", ROBOTS);
    let record = run_line(&folder, "explain --record robots.txt FooBot /foo");
    folder.file("records", record.out);
    for line in [
        "filter --robots robots.txt --agent a urls",
        "filter --robots-dir robots --agent a urls",
        "lint robots.txt",
        "replay records",
        "pack --robots-dir robots --agent a -o p",
        "diff --urls nonsense robots.txt robots.txt",
        "store import --robots-dir robots s",
        "store export s --robots-dir out",
        "store get s https://other.example/",
        "fetch --send-user-agent x nonsense",
    ] {
        let loud = run_line(&folder, line);
        assert!(!loud.err.is_empty(), "{line}");
        let first = line.split(' ').next().unwrap();
        for quiet in [
            format!("{line} --quiet"),
            format!("{line} -q"),
            format!("-q {line}"),
            line.replacen(first, &format!("{first} --quiet"), 1),
        ] {
            let ran = run_line(&folder, &quiet);
            assert_eq!((ran.status, ran.err.as_str()), (loud.status, ""), "{quiet}");
            assert_eq!(ran.out, loud.out, "{quiet}");
        }
    }
    // Errors are shown.
    run_line(&folder, "check --quiet none.txt FooBot /").fails(3, "none.txt");
    let ran = run_line(&folder, "check --quiet robots.txt FooBot e.com");
    ran.gives(2, "invalid\te.com\n").says("'e.com' is invalid");
    let ran = run_line(&folder, "filter -q --robots robots.txt --agent a none urls");
    assert_eq!((ran.status, ran.err.lines().count()), (3, 1), "{ran:?}");
    // Not even the bar is shown.
    let ran = run_line(&folder, "filter -q --progress always --robots robots.txt --agent a urls");
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
}

/// `pack stat` and `pack verify` do what the options did, which still work.
#[test]
fn pack_commands() {
    let folder = folder();
    run_line(&folder, "pack --robots-dir robots --agent FooBot -o p").gives(0, "");
    for command in ["stat", "verify"] {
        let new = run_line(&folder, &format!("pack {command} p"));
        assert_eq!((new.status, new.err.as_str()), (0, ""), "{new:?}");
        assert!(!new.out.is_empty());
        assert_eq!(run_line(&folder, &format!("pack {command} --progress always p")).status, 0);
        run_line(&folder, &format!("pack {command}")).fails(2, "Usage: robotsieve pack");
        run_line(&folder, &format!("pack {command} --agent a p")).fails(2, "--agent");
        let help = run_line(&folder, "pack --help");
        assert!(!String::from_utf8(help.out).unwrap().contains(&format!("--{command}")));
    }
}

/// Calls that scripts rely on.
#[test]
fn usual_calls() {
    let folder = folder();
    run_line(&folder, "check robots.txt FooBot /foo /bar")
        .gives(1, "disallow\t/foo\nallow\t/bar\n");
    run_line(&folder, "check --profile original-1994 robots.txt foobot /foo")
        .gives(1, "disallow\t/foo\n");
    let dot = run_line(&folder, "dot --profile rfc9309 robots.txt FooBot");
    assert!(dot.status == 0 && dot.out.starts_with(b"digraph"), "{dot:?}");
    for format in ["urls", "denied", "tsv", "jsonl"] {
        let line = "filter --robots robots.txt --agent FooBot";
        let ran = run_line(&folder, &format!("{line} --format {format} urls"));
        assert!(ran.status == 0 && !ran.out.is_empty(), "{ran:?}");
    }
}

/// Without AGENT a URL would be taken for one, and the verdict would be that of nobody.
#[test]
fn a_url_in_the_place_of_the_agent() {
    let folder = Folder::of(&[("robots.txt", "User-agent: a\nDisallow: /\n")]);
    let robots = folder.path("robots.txt");
    for url in ["https://e.com/x", "/x"] {
        run(args!["check", &robots, url, "/y"]).fails(2, "AGENT is missing");
        run(args!["explain", &robots, url, "/y"]).fails(2, "AGENT is missing");
        run(args!["dot", &robots, url]).fails(2, "AGENT is missing");
    }
    let filter = args!["filter", "--robots", &robots, "--agent", "a", "--fetch", "urls"];
    run(filter).fails(2, "--fetch");
}
