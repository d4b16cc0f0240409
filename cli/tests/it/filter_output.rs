//! `robotsieve filter`: what it writes, and in what order.

use std::ffi::OsString;
use std::process::Stdio;

use robotsieve_corpora::effort;

use crate::command::{Folder, Ran, command, run, run_with};

const ROBOTS: &str = "User-agent: a\nDisallow: /private\n\nUser-agent: b\nUser-agent: c\n\
                      Disallow: /\nAllow: /open$\n";

fn filter(options: &[&str], input: &[u8]) -> Ran {
    let folder = Folder::new();
    let robots = folder.file("robots.txt", ROBOTS);
    let options = options.iter().map(OsString::from);
    run_with(args!["filter", "--robots", robots].into_iter().chain(options), input)
}

const URLS: &[u8] = b"https://e.com/\n/private/x\nhttp://f.com:81/privat\nnonsense\n";

#[test]
fn urls_and_denied() {
    let allowed = "https://e.com/\nhttp://f.com:81/privat\n";
    filter(&["--agent", "a"], URLS).gives(0, allowed).counts([4, 2, 1, 0, 1, 2]);
    filter(&["--agent", "a", "--format", "urls"], URLS).gives(0, allowed);
    filter(&["--agent", "a", "--format", "denied"], URLS)
        .gives(0, "/private/x\n")
        .counts([4, 2, 1, 0, 1, 2]);
}

#[test]
fn tsv() {
    let out = "allow\tdisallow\thttps://e.com/\ndisallow\tdisallow\t/private/x\n\
               allow\tdisallow\thttp://f.com:81/privat\ninvalid\tinvalid\tnonsense\n\
               allow\tallow\t/open\n";
    let input = [URLS, b"/open"].concat();
    let ran = filter(&["--format", "tsv", "--agent", "a", "--agent", "b"], &input);
    // Each URL counts once for each crawler, and the summary says so.
    ran.gives(0, out).counts([5, 4, 4, 0, 2, 2]).says("urls 5 crawlers 2 verdicts 10 allowed 4");
    filter(&["--format", "tsv", "--agent", "a"], b"/\n").gives(0, "allow\t/\n");
    filter(&["--format", "tsv", "--agent", "a", "--agent", "b", "--why"], b"/open\nnonsense\n")
        .gives(0, "allow\tallow\t/open\trules\ninvalid\tinvalid\tnonsense\t\n");
    let ran = filter(&["--format", "jsonl", "--agent", "a", "--why"], b"/\n");
    assert_eq!(ran.status, 2);
    ran.says("--why is for --format tsv: jsonl has a member why anyway");
}

#[test]
fn jsonl() {
    let options = ["--format", "jsonl", "--agent", "a,x", "--user-agent", "b/1.0 (\"x\")"];
    let out = concat!(
        r#"{"url":"https://e.com/","verdicts":[{"agent":"a,x","verdict":"allow"},"#,
        r#"{"agent":"b/1.0 (\"x\")","verdict":"disallow","line":6,"rule":"/"}]}"#,
        "\n",
        r#"{"url":"/private/x","verdicts":[{"agent":"a,x","verdict":"disallow","line":2,"#,
        r#""rule":"/private"},{"agent":"b/1.0 (\"x\")","verdict":"disallow","line":6,"rule":"/"}]}"#,
        "\n",
        r#"{"url":"nonsense","verdicts":[{"agent":"a,x","verdict":"invalid"},"#,
        r#"{"agent":"b/1.0 (\"x\")","verdict":"invalid"}]}"#,
        "\n",
        r#"{"url":"/open","verdicts":[{"agent":"a,x","verdict":"allow"},"#,
        r#"{"agent":"b/1.0 (\"x\")","verdict":"allow","line":7,"rule":"/open$"}]}"#,
        "\n",
    );
    filter(&options, b"https://e.com/\n/private/x\nnonsense\n/open\n")
        .gives(0, out)
        .counts([4, 3, 3, 0, 2, 1]);
}

#[test]
fn jsonl_of_odd_bytes() {
    let options = ["--format", "jsonl", "--agent", "a"];
    let out = concat!(
        r#"{"url":"/a\"b\\c\td\u0001\u001b"#,
        "\u{7f}é",
        r#"","verdicts":[{"agent":"a","verdict":"allow"}]}"#,
        "\n",
        r#"{"url":"/"#,
        "\u{fffd}x",
        r#"","url_base64":"L/94","verdicts":[{"agent":"a","verdict":"allow"}]}"#,
        "\n",
    );
    filter(&options, b"/a\"b\\c\td\x01\x1b\x7f\xc3\xa9\n/\xffx\n").gives(0, out);
    let folder = Folder::new();
    let robots = folder.file("robots.txt", b"User-agent: *\nDisallow: /\xff\"");
    let options = args!["filter", "--robots", robots, "--format", "jsonl", "--agent", "a"];
    run_with(options, b"/%ff%22\n").gives(
        0,
        "{\"url\":\"/%ff%22\",\"verdicts\":[{\"agent\":\"a\",\"verdict\":\"disallow\",\
         \"line\":2,\"rule\":\"/\u{fffd}\\\"\",\"rule_base64\":\"L/8i\"}]}\n",
    );
}

#[test]
fn crawlers_in_the_order_given() {
    // b and c share a group and therefore a policy; a is between them.
    let options =
        ["--format=tsv", "--user-agent=b/1", "--agent=a", "--user-agent=a/2", "--agent=c"];
    filter(&options, b"/\n").gives(0, "disallow\tallow\tallow\tdisallow\t/\n");
    let options = ["--format=jsonl", "--agent=c", "--agent=a", "--agent=b"];
    let out = concat!(
        r#"{"url":"/private","verdicts":[{"agent":"c","verdict":"disallow","line":6,"rule":"/"},"#,
        r#"{"agent":"a","verdict":"disallow","line":2,"rule":"/private"},"#,
        r#"{"agent":"b","verdict":"disallow","line":6,"rule":"/"}]}"#,
        "\n",
    );
    filter(&options, b"/private\n").gives(0, out);
}

#[test]
fn names_are_taken_as_given() {
    let denied = |agent: &str| {
        let options = ["--format=tsv", "--profile=google", "--agent", agent];
        filter(&options, b"/\n").out[0] == b'd'
    };
    assert!(denied("b"));
    assert!(denied("none,b"));
    assert!(!denied("none, b"));
    assert!(!denied("b/1"));
    assert!(!denied(""));
    for agent in ["none, b", "b/1"] {
        filter(&["--agent", agent], b"/\n").fails(2, "did you mean 'b'?");
    }
}

#[test]
fn lines_are_bytes() {
    let input = b"/\xff\xfe\x00x\r\n\r\n\n/a\rb\n/c\r\r\n/private\xff\n\xff\n/last";
    filter(&["--agent", "a"], input)
        .gives(0, b"/\xff\xfe\x00x\n/a\rb\n/c\r\n/last\n")
        .counts([6, 4, 1, 0, 1, 0]);
    filter(&["--agent", "a", "--format", "tsv"], b"\xff\t\xfe\n")
        .gives(0, b"invalid\t\xff\t\xfe\n");
    filter(&["--agent", "a"], b"").gives(0, "").counts([0; 6]);
    filter(&["--agent", "a"], b"\n\r\n\n").gives(0, "").counts([0; 6]);
}

#[test]
fn nothing_is_invalid_for_google() {
    filter(&["--agent", "a", "--profile", "google", "--format", "tsv"], b"nonsense\na/private\n")
        .gives(0, "allow\tnonsense\ndisallow\ta/private\n")
        .counts([2, 1, 1, 0, 0, 0]);
}

#[test]
fn one_file_judges_every_host() {
    let input = b"http://a.example/private\nftp://b.example/private\n/private\nx:/private\n\
                  http://a.example:99999/private\nhttp://A.example:80/private\n";
    filter(&["--agent", "a", "--format", "denied"], input)
        .gives(
            0,
            "http://a.example/private\nftp://b.example/private\n/private\n\
                   http://a.example:99999/private\nhttp://A.example:80/private\n",
        )
        .counts([6, 0, 5, 0, 1, 2]);
}

/// With many chunks and threads the output keeps the order of the input.
#[test]
fn order_with_many_threads() {
    let urls: u64 = if effort::everything() { 200_000 } else { 50_000 };
    let private = urls.div_ceil(7);
    let mut input = Vec::new();
    let mut wanted = Vec::new();
    for number in 0..urls {
        let is_private = number % 7 == 0;
        // Lines of very different lengths, so that chunks take different times.
        let tail = "x".repeat((number % 10_007 % 97) as usize);
        let line = format!(
            "https://h{}.example/{}{number}/{tail}\n",
            number % 1000,
            if is_private { "private" } else { "open" }
        );
        input.extend_from_slice(line.as_bytes());
        if !is_private {
            wanted.extend_from_slice(line.as_bytes());
        }
    }
    for threads in ["1", "2", "7", "32"] {
        let ran = filter(&["--agent", "a", "--threads", threads], &input);
        assert_eq!(ran.status, 0);
        assert!(ran.out == wanted, "{threads} threads");
        ran.counts([urls, urls - private, private, 0, 0, 1000]);
    }
    // Output that is much larger than the input is written in pieces.
    let urls = urls / 5;
    let private = urls.div_ceil(7);
    let input: Vec<u8> =
        input.split_inclusive(|o| *o == b'\n').take(urls as usize).flatten().copied().collect();
    let agents: Vec<_> = (0..20).map(|n| format!("--agent=a,{n}")).collect();
    let mut options = vec!["--format=jsonl", "--threads=4"];
    options.extend(agents.iter().map(String::as_str));
    let ran = filter(&options, &input);
    assert_eq!(ran.status, 0);
    let found = ran.out.split_inclusive(|o| *o == b'\n').map(|line| {
        let end = line.iter().position(|o| *o == b',').unwrap();
        let url = &line[br#"{"url":""#.len()..end - 1];
        [url, b"\n"].concat()
    });
    assert!(found.eq(input.split_inclusive(|o| *o == b'\n').map(<[u8]>::to_vec)));
    ran.counts([urls, 20 * (urls - private), 20 * private, 0, 0, 1000]);
}

/// The command ends quietly when the reader of its output goes away.
#[test]
fn closed_pipe() {
    let folder = Folder::new();
    let robots = folder.file("robots.txt", ROBOTS);
    let urls = folder.file("urls", "/open\n".repeat(1_000_000));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut filter = command(args!["filter", "--robots", &robots, "--agent", "a", &urls]);
    let output = filter.stdout(Stdio::from(writer)).spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{output:?}");

    // Neither endless input nor input that never arrives keeps it running.
    let (reader, writer) = std::io::pipe().unwrap();
    let mut filter = command(args!["filter", "--robots", &robots, "--agent", "a", &urls, "-"]);
    filter.stdin(Stdio::piped()).stdout(Stdio::from(writer));
    let mut child = filter.spawn().unwrap();
    drop(filter); // It holds the writing end of the pipe, too.
    drop(reader);
    let stdin = child.stdin.take();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    drop(stdin);
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk() {
    let folder = Folder::new();
    let robots = folder.file("robots.txt", ROBOTS);
    let urls = folder.file("urls", "/open\n");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut filter = command(args!["filter", "--robots", &robots, "--agent", "a", &urls]);
    let output = filter.stdout(full).spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write to standard output"));
}

#[test]
fn summary() {
    let ran = filter(&["--agent", "a"], URLS);
    let summary = ran.err.lines().last().unwrap();
    let summary = summary.strip_prefix("robotsieve: ").unwrap();
    let names: Vec<_> = summary.split(' ').step_by(2).collect();
    let wanted = "urls allowed disallowed unknown invalid hosts seconds urls_per_second";
    assert_eq!(names.join(" "), wanted);
    assert!(ran.figure("seconds") >= 0.0 && ran.figure("urls_per_second") > 0.0);
    assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
}

#[test]
fn progress() {
    // Standard error is a pipe here, so there is no bar by default.
    for when in ["auto", "never"] {
        let ran = filter(&["--agent", "a", "--progress", when], URLS);
        assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
    }
    let ran = filter(&["--agent", "a", "--progress", "always"], URLS);
    assert!(ran.err.contains('\x1b'), "{ran:?}");
    // The summary is on a line of its own even so.
    let summary = "robotsieve: urls 4 ";
    assert!(
        ["\n", "\x1b[2K"].iter().any(|end| ran.err.contains(&[end, summary].concat())),
        "{ran:?}"
    );
    filter(&["--agent", "a", "--progress", "often"], URLS).fails(2, "--progress");
}

#[test]
fn usage() {
    let two = ["--agent", "a", "--user-agent", "b"];
    for output in ["urls", "denied"] {
        let options = [&two[..], &["--format", output]].concat();
        filter(&options, URLS).fails(2, output).says("tsv").says("jsonl");
    }
    filter(&two, URLS).fails(2, "tsv or jsonl");
    filter(&[], URLS).fails(2, "--agent").says("--user-agent");
    filter(&["--agent", "a", "--threads", "0"], URLS).fails(2, "--threads");
    filter(&["--agent", "a", "--format", "csv"], URLS).fails(2, "--format");
    filter(&["--agent", "a", "--missing", "deny"], URLS).fails(2, "--missing");
    filter(&["--agent", "a", "--profile", "bing"], URLS).fails(2, "rfc9309");
    filter(&["--agent", "a", "--robots-dir", "."], URLS).fails(2, "--robots-dir");
    run(args!["filter", "--agent", "a"]).fails(2, "--robots-dir");
}

#[test]
fn robots_that_cannot_be_read() {
    let folder = Folder::new();
    let absent = folder.path("absent.txt");
    run(args!["filter", "--robots", &absent, "--agent", "a"]).fails(3, "absent.txt");
    run(args!["filter", "--robots", folder.root(), "--agent", "a"])
        .fails(3, "cannot read robots.txt");
    run(args!["filter", "--robots-dir", &absent, "--agent", "a"]).fails(3, "absent.txt");
    let file = folder.file("file", "");
    run(args!["filter", "--robots-dir", &file, "--agent", "a"]).fails(3, "cannot list");
}

/// URLs, crawlers and rules that are not UTF-8 keep their bytes in `jsonl`.
#[cfg(unix)]
#[test]
fn jsonl_of_bytes_that_are_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let file = b"User-agent: b\xE9\nDisallow: /\xE9\n";
    let robots = folder.file("robots.txt", file);
    let agent = std::ffi::OsStr::from_bytes(b"b\xE9");
    let options = ["--format=jsonl", "--profile=original-1994"];
    let args = || args!["filter", options[0], options[1], "--agent", agent];
    let wanted = concat!(
        "{\"url\":\"/\u{FFFD}x\",\"url_base64\":\"L+l4\",\"verdicts\":[",
        "{\"agent\":\"b\u{FFFD}\",\"agent_base64\":\"Yuk=\",\"verdict\":\"disallow\",\"line\":2,",
        "\"rule\":\"/\u{FFFD}\",\"rule_base64\":\"L+k=\"}]}\n"
    );
    run_with(args().into_iter().chain(args!["--robots", &robots]), b"/\xE9x\n").gives(0, wanted);
    // The same from a pack, which names its crawlers.
    let list = folder.file("list", format!("e.com\t{}\n", robots.display()));
    let pack = folder.path("pack");
    let made = run(args!["pack", options[1], "--agent", agent, "--list", list, "--output", &pack]);
    assert_eq!(made.status, 0, "{made:?}");
    let ran = run_with(args!["filter", options[0], "--pack", pack], b"http://e.com/\xE9\n");
    let wanted = "\"agent\":\"b\u{FFFD}\",\"agent_base64\":\"Yuk=\",\"verdict\":\"disallow\"";
    assert!(str::from_utf8(&ran.out).unwrap().contains(wanted), "{ran:?}");
}
