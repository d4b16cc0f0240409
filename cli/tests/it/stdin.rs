//! `-` is standard input wherever a file is read, at most once.

use crate::command::{Folder, run_in, run_with};

const ROBOTS: &str = "User-agent: *\nDisallow: /private\nSitemap: /s.xml\n";

fn files() -> Folder {
    Folder::of(&[("robots.txt", ROBOTS), ("urls.txt", "/private\n/\n"), ("e.txt", ROBOTS)])
}

#[test]
fn a_robots_txt() {
    let folder = files();
    let (robots, urls) = (folder.path("robots.txt"), folder.path("urls.txt"));
    let given = |args: &[&str]| -> Vec<std::ffi::OsString> {
        let name = |arg: &&str| match *arg {
            "URLS" => urls.clone().into(),
            "ROBOTS" => robots.clone().into(),
            arg => arg.into(),
        };
        args.iter().map(name).collect()
    };
    let calls: [&[&str]; 9] = [
        &["check", "@", "bot", "/private"],
        &["explain", "--format", "text", "@", "bot", "/private"],
        &["filter", "--agent", "bot", "--robots", "@", "URLS"],
        &["dot", "@", "bot"],
        &["lint", "@"],
        &["records", "@"],
        &["diff", "@", "ROBOTS"],
        &["diff", "ROBOTS", "@"],
        &["replay", "--robots", "@", "URLS"],
    ];
    for call in calls {
        let of = |name: &'static str| -> Vec<&str> {
            call.iter().map(|arg| if *arg == "@" { name } else { *arg }).collect()
        };
        let by_name = run_with(given(&of("ROBOTS")), b"");
        let by_stdin = run_with(given(&of("-")), ROBOTS.as_bytes());
        assert_eq!(by_stdin.status, by_name.status, "{call:?}: {by_stdin:?}");
        let path = robots.display().to_string();
        // Explanations truncate long paths.
        let lines = |out: &[u8]| -> Vec<String> {
            let text = String::from_utf8_lossy(out).replace(&path, "<stdin>");
            let lines = text.lines().filter(|line| !line.contains("-->"));
            lines.map(str::to_owned).collect()
        };
        assert_eq!(lines(&by_stdin.out), lines(&by_name.out), "{call:?}");
    }
    let explained = run_with(args!["explain", "-", "bot", "/private"], ROBOTS.as_bytes());
    assert!(String::from_utf8_lossy(&explained.out).contains("--> <stdin>:2:11"), "{explained:?}");
}

#[test]
fn a_list_of_hosts() {
    let folder = files();
    let out = folder.path("a.pack");
    let list = format!("e.example\t{}\n", folder.path("robots.txt").display());
    run_with(args!["pack", "--list", "-", "--agent", "bot", "-o", &out], list.as_bytes())
        .gives(0, "")
        .says("origins 2 ");
    run_with(args!["pack", "--list", "-", "--agent", "bot", "-o", "-"], list.as_bytes())
        .fails(2, "--output <PATH>")
        .says("'./-' is a file");
}

#[test]
fn not_twice() {
    let folder = files();
    let (robots, urls) = (folder.path("robots.txt"), folder.path("urls.txt"));
    for call in [
        &args!["check", "-", "bot", "-"][..],
        &args!["explain", "-", "bot", "-"],
        &args!["filter", "--agent", "bot", "--robots", "-"],
        &args!["filter", "--agent", "bot", "--robots", "-", "-"],
        &args!["filter", "--agent", "bot", "--robots", &robots, "-", &urls, "-"],
        &args!["lint", "-", &robots, "-"],
        &args!["diff", "-", "-"],
        &args!["diff", "-", &robots, "--urls", "-"],
        &args!["replay", "--robots", "-"],
        &args!["replay", "-", "-"],
    ] {
        run_with(call.iter().cloned(), ROBOTS.as_bytes()).fails(2, "only once");
    }
    // A '-' among other URLs is not standard input.
    run_with(args!["check", "-", "bot", "-", "/"], ROBOTS.as_bytes()).says("'-' is invalid");
}

#[test]
fn records_of_standard_input_need_the_file_again() {
    let folder = files();
    let record = run_with(args!["explain", "--record", "-", "bot", "/private"], ROBOTS.as_bytes());
    assert_eq!(record.status, 1, "{record:?}");
    folder.file("records.jsonl", &record.out);
    run_in(&folder.root(), args!["replay", "records.jsonl"])
        .gives(
            3,
            "records.jsonl:1\tmissing\trobots.txt '-': it was standard input: name the file with \
             --robots FILE\n",
        )
        .says("missing 1");
    run_in(&folder.root(), args!["replay", "--robots", "robots.txt", "records.jsonl"]).gives(0, "");
}

#[test]
fn a_file_of_that_name() {
    let folder = files();
    folder.file("-", ROBOTS);
    run_in(&folder.root(), args!["check", "./-", "bot", "/private"])
        .gives(1, "disallow\t/private\n");
}
