//! Names, streams and files that are made to mislead, or that a slip of the keyboard makes.

use std::fs::{File, OpenOptions};
use std::process::Stdio;

use robotsieve_corpora::effort;

#[cfg(unix)]
use crate::command::Ran;
use crate::command::{Folder, command, gzip, run, run_in, run_line, run_with};

const ROBOTS: &str = "User-agent: *\nDisallow: /private\n";

#[test]
fn a_pack_is_not_written_among_the_files_it_is_made_of() {
    let folder = Folder::of(&[("robots/e.com", ROBOTS)]);
    let robots = folder.path("robots");
    for out in [folder.path("robots/a.pack"), folder.path("robots/../robots/a.pack")] {
        run(args!["pack", "--robots-dir", &robots, "--agent", "bot", "-o", &out])
            .fails(2, "would be in the folder '");
        assert!(!out.exists());
    }
    run(args!["store", "import", "--robots-dir", &robots, folder.path("robots/a.store")])
        .fails(2, "would be in the folder '");
    let out = folder.path("a.pack");
    run(args!["pack", "--robots-dir", &robots, "--agent", "bot", "-o", &out]).gives(0, "");
}

/// The output would be read as input, without end.
#[test]
fn an_input_that_is_the_output() {
    let folder = Folder::of(&[("robots.txt", ROBOTS), ("urls", "/\n/private\n")]);
    let appended = || OpenOptions::new().append(true).open(folder.path("urls")).unwrap();
    let robots = folder.path("robots.txt");
    let filter = args!["filter", "--agent", "bot", "--robots", &robots];
    for call in [args!["check", &robots, "bot", "-"].to_vec(), filter.to_vec()] {
        let mut command = command(call);
        command.stdin(File::open(folder.path("urls")).unwrap()).stdout(appended());
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains("it is also the file that standard output is written to"), "{said}");
    }
    let mut named = command(filter.into_iter().chain([folder.path("urls").into()]));
    let output = named.stdout(appended()).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(std::fs::read(folder.path("urls")).unwrap(), b"/\n/private\n");
    // A device may be both.
    if let Ok(null) = OpenOptions::new().read(true).write(true).open("/dev/null") {
        let mut both = command(args!["check", &robots, "bot", "-"]);
        both.stdin(null.try_clone().unwrap()).stdout(null);
        assert_eq!(both.status().unwrap().code(), Some(0));
    }
}

#[cfg(unix)]
#[test]
fn closed_streams() {
    let folder = Folder::of(&[("robots.txt", ROBOTS), ("urls", "/\n")]);
    let shell = |line: &str| {
        let mut shell = crate::command::Command::new("sh");
        shell.args(["-c", line, env!("CARGO_BIN_EXE_robotsieve")]).current_dir(folder.root());
        let output = shell.stderr(Stdio::piped()).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for line in [
        "\"$0\" check robots.txt bot - <&-",
        "\"$0\" check - bot / <&-",
        "\"$0\" filter --robots robots.txt --agent bot <&-",
        "\"$0\" lint - <&-",
        "\"$0\" pack --list - --agent bot -o a.pack <&-",
        "\"$0\" check robots.txt bot / >&-",
        "\"$0\" filter --robots robots.txt --agent bot urls >&-",
        "\"$0\" explain robots.txt bot / >&-",
        "\"$0\" --help >&-",
    ] {
        let (status, said) = shell(line);
        assert!(status == Some(3) && said.contains("it is closed"), "{line}: {status:?} {said}");
    }
    // Streams that are not used may be closed, or be anything.
    for line in [
        "\"$0\" check robots.txt bot / <&-",
        "\"$0\" pack --list urls --agent bot -o a.pack >&- || test $? = 3",
        "\"$0\" check robots.txt bot - < /dev/null > /dev/null",
        "\"$0\" check robots.txt bot - <> /dev/null 1<> /dev/null",
    ] {
        let (status, said) = shell(line);
        assert!(status == Some(0), "{line}: {status:?} {said}");
    }
}

#[test]
fn fetching_options_without_fetching() {
    let folder = Folder::of(&[("robots.txt", ROBOTS)]);
    let robots = folder.path("robots.txt");
    for option in ["--parallel=2", "--timeout=2", "--allow-private"] {
        run(args!["filter", "--robots", &robots, "--agent", "bot", option]).fails(2, "--fetch");
        let store = folder.path("a.store");
        run(args!["filter", "--store", &store, "--agent", "bot", option]).fails(2, "--fetch");
    }
}

#[test]
fn a_folder_has_no_crawlers() {
    let folder = Folder::of(&[("robots/e.com", ROBOTS)]);
    let (robots, store) = (folder.path("robots"), folder.path("a.store"));
    run(args!["store", "import", "--robots-dir", &robots, &store]).gives(0, "");
    let out = folder.path("out");
    for options in [&["--agent", "bot"][..], &["--keep-rules"], &["--user-agent", "bot/1"]] {
        let call = args!["store", "export", "--robots-dir", &out, &store];
        run(call.into_iter().chain(options.iter().map(Into::into))).fails(2, "are for --pack");
        assert!(!out.exists());
    }
    // A host that ends like a file name is read back as that host.
    let folder = Folder::of(&[("robots/e.txt.txt", ROBOTS)]);
    let (robots, store, out) = (folder.path("robots"), folder.path("a.store"), folder.path("out"));
    run(args!["store", "import", "--robots-dir", &robots, &store]).gives(0, "");
    run(args!["store", "export", "--robots-dir", &out, &store]).gives(0, "");
    assert!(out.join("e.txt.txt").is_file());
}

#[test]
fn files_of_folders_in_the_folder_are_imported() {
    let all = "user-agent: *\ndisallow: /";
    let folder = Folder::of(&[("robots/ab/e.com", ROBOTS), ("robots/https/f.com", all)]);
    let (robots, store) = (folder.path("robots"), folder.path("a.store"));
    run(args!["store", "import", "--robots-dir", &robots, &store]).gives(0, "").says("origins 3 ");
    let urls = "http://e.com/private\nhttps://f.com/\nhttp://f.com/\n";
    let filter = args!["filter", "--store", &store, "--agent", "bot", "--format", "tsv"];
    run_with(filter, urls.as_bytes()).gives(
        0,
        "disallow\thttp://e.com/private\ndisallow\thttps://f.com/\nunknown\thttp://f.com/\n",
    );
}

#[test]
fn one_host_with_two_files() {
    let folder = Folder::of(&[("e.com", ROBOTS), ("e.com.txt", ""), ("E.COM.txt", "")]);
    let ran = run_with(
        args!["filter", "--robots-dir", folder.root(), "--agent", "bot", "--format", "tsv"],
        b"http://e.com/private\nhttp://e.com.txt/private\n",
    );
    ran.gives(0, "disallow\thttp://e.com/private\nunknown\thttp://e.com.txt/private\n");
    ran.says("/e.com.txt' are for the same host").says("/E.COM.txt' are for the same host");
    let elsewhere = Folder::new();
    let out = elsewhere.path("a.pack");
    run(args!["pack", "--robots-dir", folder.root(), "--agent", "bot", "-o", &out])
        .gives(0, "")
        .says("origins 2 ")
        .says("is used; remove or rename the other one");
}

/// All ways to write an IPv6 address are one host.
#[test]
fn one_address() {
    let folder = Folder::of(&[("[0:0:0:0:0:0:0:1]", ROBOTS)]);
    run_with(
        args!["filter", "--robots-dir", folder.root(), "--agent", "bot", "--format", "tsv"],
        b"http://[::1]/private\nhttp://[0::1]/private\nhttp://a\\@b/private\n",
    )
    .gives(
        0,
        "disallow\thttp://[::1]/private\ndisallow\thttp://[0::1]/private\n\
         invalid\thttp://a\\@b/private\n",
    );
}

#[test]
fn quiet_shows_no_progress() {
    let folder = Folder::of(&[("robots.txt", ROBOTS), ("urls", "/\n")]);
    let (robots, urls) = (folder.path("robots.txt"), folder.path("urls"));
    let call = args!["filter", "--robots", &robots, "--agent", "bot", "--progress=always", &urls];
    assert!(run(call.clone()).err.contains('\x1b'));
    assert_eq!(run(call.into_iter().chain(["-q".into()])).err, "");
}

#[test]
fn compressed_robots_txt() {
    let folder = Folder::new();
    let gzip = gzip(ROBOTS.as_bytes());
    folder.file("e.com", &gzip);
    run(args!["check", folder.path("e.com"), "bot", "/private"])
        .fails(3, "it is compressed with gzip; unpack it with 'gzip -dc'");
    run_with(args!["lint", "-"], &gzip).fails(3, "compressed with gzip");
    run_with(args!["check", "-", "bot", "/"], b"\x28\xB5\x2F\xFD").fails(3, "with zstd");
    let ran = run_with(
        args!["filter", "--robots-dir", folder.root(), "--agent", "bot", "--format", "tsv"],
        b"http://e.com/private\n",
    );
    ran.gives(3, "unknown\thttp://e.com/private\n").says("compressed with gzip");
}

#[test]
#[cfg(unix)]
fn robots_txt_without_end() {
    run(args!["check", "/dev/zero", "bot", "/"]).fails(3, "it is longer than 64 MiB");
    run(args!["lint", "/dev/zero"]).fails(3, "it is longer than 64 MiB");
}

/// It is decoded, as answers and archives are, and a note says that not all crawlers do that.
#[test]
fn robots_txt_in_utf_16() {
    let folder = Folder::new();
    let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    folder.file("e.com", wide(&format!("\u{feff}{ROBOTS}")));
    let robots = folder.path("e.com");
    run(args!["check", &robots, "bot", "/private"])
        .gives(1, "disallow\t/private\n")
        .says("is UTF-16 and was decoded; crawlers that read it as UTF-8");
    run(args!["check", "--profile", "google", &robots, "bot", "/private"]).status(1);
    // Without the mark, and with that of UTF-32, of which the mark of UTF-16 is a part.
    let utf32 = ROBOTS.chars().flat_map(|char| u32::from(char).to_le_bytes());
    for other in [wide(ROBOTS), [&b"\xff\xfe\0\0"[..], &utf32.collect::<Vec<u8>>()].concat()] {
        let others = Folder::new();
        let other = others.file("other.txt", other);
        run(args!["check", &other, "bot", "/private"])
            .gives(0, "allow\t/private\n")
            .says("has NUL bytes, as UTF-16 without a byte order mark and UTF-32 have");
    }
    run(args!["explain", &robots, "bot", "/private"]).status(1);
    let ran = run_with(
        args!["filter", "--robots-dir", folder.root(), "--agent", "bot"],
        b"http://e.com/private\n",
    );
    ran.says("is UTF-16");
    // The same, whatever reads it.
    let elsewhere = Folder::new();
    let store = elsewhere.path("store");
    run(args!["store", "import", &store, "--robots-dir", folder.root()]).says("is UTF-16");
    for from in [args!["--robots-dir", folder.root()], args!["--store", &store]] {
        let filter = args!["filter", "--agent", "bot", "--format", "tsv"];
        run_with([&filter[..], &from[..]].concat(), b"https://e.com/private\n")
            .gives(0, "disallow\thttps://e.com/private\n");
    }
    assert!(!run(args!["lint", &robots]).err.contains("is UTF-16 and"));
}

#[test]
fn names_that_forge_lines() {
    let folder = Folder::of(&[("robots.txt", ROBOTS)]);
    let robots = folder.path("robots.txt");
    run(args!["check", &robots, "bot", "/private\nallow\t/x\x1b[2J"])
        .gives(1, "disallow\t/private\\nallow\\t/x\\x1b[2J\n");
    run(args!["check", &robots, "bot", "e.com\n\x1b[2J", "x"])
        .gives(2, "invalid\te.com\\n\\x1b[2J\ninvalid\tx\n")
        .says("2 URLs are invalid, the first is 'e.com\\n\\x1b[2J':");
    let ran = run_in(&folder.root(), args!["check", "no\nrobotsieve: \x1b[2Jdone", "bot", "/"]);
    assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
    assert!(!ran.err.contains('\x1b'), "{ran:?}");
    let ran = run(args!["check", "--no\x1b[2Jsuch", &robots, "bot", "/"]);
    assert!(ran.status == 2 && !ran.err.contains('\x1b'), "{ran:?}");
}

#[test]
fn the_invalid_url_is_named() {
    let folder = Folder::of(&[("robots.txt", ROBOTS)]);
    run(args!["check", folder.path("robots.txt"), "bot", "/", "e.com"])
        .gives(2, "allow\t/\ninvalid\te.com\n")
        .says("robotsieve: 'e.com' is invalid: a URL is scheme://host/path");
}

#[test]
fn negative_numbers() {
    let folder = Folder::of(&[("robots.txt", ROBOTS)]);
    let robots = folder.path("robots.txt");
    run(args!["filter", "--robots", &robots, "--agent", "bot", "--threads", "-1"])
        .fails(2, "invalid value '-1' for '--threads <N>'");
    run(args!["fetch", "--send-user-agent", "bot", "--timeout", "-5"])
        .fails(2, "invalid value '-5' for '--timeout <SECONDS>'");
}

/// Runs the command with 256 MB of memory. Returns its outcome and its processor time in seconds, which the shell
/// knows of its children.
#[cfg(unix)]
fn measured(args: &[std::ffi::OsString]) -> (Ran, f64) {
    // Linux counts all that a process may write to; other systems do not count the most of it.
    let line = "ulimit -d 262144; \"$0\" \"$@\"; status=$?; times >&2; exit $status";
    let ran = Ran::from(crate::command::in_shell(line).args(args).output().unwrap());
    // `0m1.25s 0m0.01s`: user and system.
    let times = ran.err.lines().last().unwrap_or_default().split_whitespace();
    let seconds = times.map(|time| -> f64 {
        let (minutes, seconds) = time.trim_end_matches('s').split_once('m').unwrap();
        60.0 * minutes.parse::<f64>().unwrap() + seconds.replace(',', ".").parse::<f64>().unwrap()
    });
    let seconds: f64 = seconds.sum();
    (ran, seconds)
}

/// What takes the square of a file's size, or more, is bounded in every command: 512 kB take at most
/// 1.5 s and 256 MB, or the command says what it left out.
#[test]
#[cfg(unix)]
fn large_robots_txt_take_no_minutes() {
    /// Processor time. Tests are compiled with fewer optimisations than a release, the command with
    /// none, and run beside others.
    const SECONDS: f64 = 4.5;
    let many =
        |count: usize, line: &dyn Fn(usize) -> String| -> String { (0..count).map(line).collect() };
    let letter = |number: usize| char::from(b'a' + (number % 26) as u8);
    let starred = |group: usize| {
        let rule = |rule: usize| {
            let [a, b, c] = [letter(rule), letter(7 * rule), letter(group)];
            format!("Disallow: /*{a}{b}*{c}{group}\n")
        };
        format!("User-agent: w{group}\n{}\n", many(20, &rule))
    };
    let joined = |group| format!("User-agent: *\nUser-agent: w{group}\nDisallow: /x{group}\n\n");
    let whole =
        |text: String| text[..text[..text.len().min(511_000)].rfind('\n').unwrap() + 1].to_owned();
    let log = "1.2.3.4 - - [01/Jan/2026:00:00:00 +0000] \"GET /axb HTTP/1.1\" 200 1 \"-\" \"GPTBot/1.0\"\n";
    let folder = Folder::of(&[
        ("small", ROBOTS),
        ("log", log),
        ("expected", "disallow w7 /x7\nallow @all /axb\nallow @GPTBot /axb\n"),
        (
            "starred",
            &whole("User-agent: *\nDisallow: /*q*z\n\n".to_owned() + &many(1_400, &starred)),
        ),
        ("joined", &whole(many(14_000, &joined))),
        ("prose", &many(255_000, &|_| "a\n".into())),
        ("outside", &many(64_000, &|_| "allow:/\n".into())),
        (
            "delays",
            &(many(8_500, &|n| format!("User-agent: a{n}\nCrawl-delay:1\n"))
                + &many(16_000, &|n| format!("Allow: /x{n}\n"))),
        ),
        (
            "rules",
            &whole(
                "User-agent: *\n".to_owned() + &many(30_000, &|n| format!("Disallow: /*a*b{n}*\n")),
            ),
        ),
    ]);
    let [small, log, expected] = ["small", "log", "expected"].map(|name| folder.path(name));
    let files = ["joined", "prose", "starred", "outside", "delays", "rules"];
    for (turn, file) in files.map(|name| folder.path(name)).iter().enumerate() {
        // Each command has each file, or one of the six.
        let every = effort::step(files.len());
        let calls = [
            args!["test", "--init", file].to_vec(),
            args!["lint", "--diff", file].to_vec(),
            args!["lint", "--diff", "--fix=all", file].to_vec(),
            args!["block", "--purpose", "ai-training", file].to_vec(),
            args!["test", file, &expected].to_vec(),
            args!["diff", &small, file].to_vec(),
            args!["diff", "--format", "markdown", file, &small].to_vec(),
            args!["crawlers", file].to_vec(),
            args!["audit", file, &log].to_vec(),
            args!["explain", "--all-profiles", file, "wx", "/axb"].to_vec(),
            args!["check", file, "wx", "/axb"].to_vec(),
        ];
        for (number, call) in calls.iter().enumerate().skip(turn % every).step_by(every) {
            let (ran, seconds) = measured(call);
            assert!(matches!(ran.status, 0 | 1), "{call:?}: {} {}", ran.status, ran.err);
            assert!(seconds < SECONDS, "{call:?}: {seconds} s");
            // What was left out is said.
            match (files[turn], number) {
                ("joined", 0) => ran.prints("crawlers are not compared with those of '*'"),
                ("prose", 1) => ran.says("the proof of some fixes would take too long"),
                _ => &ran,
            };
        }
    }
}

/// Where only a file makes sense, a pipe is refused: opening it would wait for its writer.
#[cfg(unix)]
#[test]
fn pipes_in_the_place_of_files() {
    let folder = Folder::of(&[("rf.txt", ROBOTS), ("overrides", "https://a.example ff\n")]);
    let made = crate::command::Command::new("mkfifo").arg(folder.path("ff")).status();
    assert!(made.unwrap().success());
    let line = |line: &str| run_line(&folder, line);
    let list = folder.file(
        "list",
        format!(
            "a.example\t{}\nb.example\t{}\n",
            folder.path("ff").display(),
            folder.path("rf.txt").display()
        ),
    );
    run(args!["pack", "--list", list, "--agent", "a", "-o", folder.path("out.pack")])
        .gives(3, "")
        .says("ff': it is no file; what its host says counts as unknown")
        .says("origins 4 ");
    let folder_of_one = Folder::of(&[("robots/e.example", ROBOTS)]);
    run(args![
        "store",
        "import",
        "--robots-dir",
        folder_of_one.path("robots"),
        folder.path("s.store")
    ])
    .gives(0, "");
    line("filter --store s.store --agent a --overrides overrides rf.txt")
        .fails(2, "--overrides 'overrides', line 1: cannot read robots.txt 'ff': it is no file");
    for command in [
        "filter --pack ff",
        "pack stat ff",
        "pack verify ff",
        "pack list ff",
        "pack update ff --jsonl rf.txt",
    ] {
        line(command).fails(3, "cannot open pack 'ff': it is not a regular file");
    }
    line("filter --pack /dev/zero").fails(3, "it is not a regular file");
    line("pack merge ff -o merged").fails(3, "it is not a regular file");
}

/// A line of records has a bound, so memory has one too.
#[cfg(target_os = "linux")]
#[test]
fn records_without_end() {
    let ran = crate::command::in_shell(
        "ulimit -v 400000; exec \"$0\" rights --verify /dev/zero --warc /dev/null",
    )
    .output()
    .unwrap();
    Ran::from(ran).fails(2, "/dev/zero:1: longer than 16777216 bytes");
    let folder = Folder::of(&[("records", &format!("\n{}\n", "x".repeat((16 << 20) + 1)))]);
    run(args!["rights", "--verify", folder.path("records"), "--warc", "/dev/null"])
        .fails(2, "records:2: longer than 16777216 bytes");
}
