//! `robotsieve filter`: what it reads.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::command::{Folder, Ran, gzip, run_with};

struct Test {
    folder: Folder,
    robots: PathBuf,
}

impl Test {
    fn new() -> Test {
        let folder = Folder::new();
        let robots = folder.file("robots.txt", "User-agent: *\nDisallow: /private");
        Test { folder, robots }
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> OsString {
        self.folder.file(name, bytes).into()
    }

    fn filter(&self, inputs: impl IntoIterator<Item = OsString>, stdin: &[u8]) -> Ran {
        let first = args!["filter", "--agent", "a", "--robots", &self.robots];
        run_with(first.into_iter().chain(inputs), stdin)
    }
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

#[test]
fn inputs_one_after_another() {
    let test = Test::new();
    let a = test.file("a", "/a1\n/private\n/a2"); // no line feed at the end
    let b = test.file("b", "");
    let c = test.file("c", "/c1\r\n/c2\r");
    test.filter([a.clone(), b, c.clone()], b"/stdin\n").gives(0, "/a1\n/a2\n/c1\n/c2\n");
    test.filter([], b"/stdin\n").gives(0, "/stdin\n");
    test.filter(["-".into()], b"/stdin").gives(0, "/stdin\n");
    test.filter([a.clone(), "-".into(), c], b"/stdin").gives(0, "/a1\n/a2\n/stdin\n/c1\n/c2\n");
    // Standard input cannot be read twice.
    test.filter(["-".into(), a, "-".into()], b"/stdin").fails(2, "standard input");
}

/// Some programs write a byte order mark before the first line.
#[test]
fn byte_order_marks() {
    let test = Test::new();
    let text = b"\xef\xbb\xbfhttps://e.com/private\nhttps://e.com/\n";
    for bytes in [text.to_vec(), gzip(text), zstd(text)] {
        let ran = test.filter([test.file("urls", &bytes), "--format=tsv".into()], b"");
        ran.gives(0, "disallow\thttps://e.com/private\nallow\thttps://e.com/\n");
    }
    test.filter(["--format=tsv".into()], text).says("invalid 0");
}

/// With a backslash before the path, clients disagree on whose URL it is: invalid, as for `check`.
#[test]
fn backslashes_before_the_path() {
    let test = Test::new();
    let urls = [
        "http://a\\@b/private",
        "https://e.com\\/",
        "https://e.com%4\\/",
        "https://e.com/private\\",
    ];
    let verdicts = ["invalid", "invalid", "invalid", "disallow"];
    let wanted: String =
        verdicts.iter().zip(urls).map(|(verdict, url)| format!("{verdict}\t{url}\n")).collect();
    let ran = test.filter(["--format=tsv".into()], urls.join("\n").as_bytes());
    ran.gives(0, &wanted);
    for (verdict, url) in verdicts.iter().zip(urls) {
        let line = args!["check", "--agent", "a", &test.robots, url];
        assert!(run_with(line, b"").out.starts_with(verdict.as_bytes()), "{url}");
    }
}

#[test]
fn compressed() {
    let test = Test::new();
    let lines: String = (0..100_000).map(|n| format!("https://e.com/{n}\n")).collect();
    for pack in [gzip, zstd] {
        let whole = test.file("whole", pack(lines.as_bytes()));
        test.filter([whole], b"").gives(0, &lines);
        test.filter([], &pack(lines.as_bytes())).gives(0, &lines);
        // Concatenated, split within a line, with an empty member.
        let (one, two) = lines.as_bytes().split_at(lines.len() / 3);
        let parts = [pack(one), pack(b""), pack(two)].concat();
        let parts = test.file("no.suffix", parts);
        test.filter([parts], b"").gives(0, &lines);
        test.filter([], &pack(b"")).gives(0, "");
    }
    // The compression of each file is detected by its content, not by its name.
    let inputs =
        [test.file("a.zst", gzip(b"/a\n")), test.file("b", zstd(b"/b")), test.file("c.gz", "/c")];
    test.filter(inputs, b"").gives(0, "/a\n/b\n/c\n");
    // pzstd starts with a skippable frame.
    let skippable = [b"\x50\x2a\x4d\x18\x04\0\0\0abcd".to_vec(), zstd(b"/x\n")].concat();
    test.filter([], &skippable).gives(0, "/x\n");
    // Very short inputs are not compressed.
    test.filter([], b"/").gives(0, "/\n");
}

/// What precedes the break is judged, and so are the other inputs.
#[test]
fn broken_off() {
    let test = Test::new();
    // Incompressible bytes, so that a part of the file is a part of the lines.
    let mut state = 1_u64;
    let mut lines = String::new();
    for _ in 0..50_000 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        lines += &format!("https://e.com/{state:016x}\n");
    }
    for pack in [gzip, zstd] {
        let packed = pack(lines.as_bytes());
        let cut = test.file("cut.packed", &packed[..packed.len() / 2]);
        let after = test.file("after", "/after\n");
        let ran = test.filter([cut, after], b"");
        ran.says("cut.packed").says("breaks off");
        assert_eq!(ran.status, 3);
        let before = ran.out.strip_suffix(b"/after\n").unwrap();
        assert!(before.len() > lines.len() / 4, "{}", before.len());
        // Whole lines only: the start of a URL is a different URL.
        assert!(lines.as_bytes().starts_with(before) && before.ends_with(b"\n"));
    }
    // Other bytes after the end of the gzip, and a wrong checksum.
    let rubbish = test.file("rubbish", [gzip(b"/a\n"), b"rubbish".to_vec()].concat());
    test.filter([rubbish], b"").gives(3, "/a\n").says("rubbish");
    let mut wrong = gzip(b"/a\n");
    let at = wrong.len() - 6;
    wrong[at] ^= 1;
    let wrong = test.file("wrong", wrong);
    test.filter([wrong], b"").gives(3, "/a\n").says("wrong");
    test.filter([], b"\x1f\x8b").gives(3, "").says("standard input");
    test.filter([], b"\x28\xb5\x2f\xfd").gives(3, "").says("standard input");
}

#[test]
fn inputs_that_cannot_be_opened() {
    let test = Test::new();
    let a = test.file("a", "/a\n");
    let absent = test.folder.path("absent").into();
    let ran = test.filter([absent, a.clone()], b"");
    ran.gives(3, "/a\n").says("absent").counts([1, 1, 0, 0, 0, 0]);
    // A folder can be opened but not read.
    test.filter([test.folder.root().into(), a], b"").gives(3, "/a\n").says("cannot read");
}

#[test]
fn long_lines() {
    let test = Test::new();
    let long = |len: usize| "/".to_owned() + &"x".repeat(len - 1) + "\n";
    // Around the size of a chunk, where line feeds are at its ends, and much longer ones.
    let chunk = 256 << 10;
    for len in [chunk - 2, chunk - 1, chunk, chunk + 1, 2 * chunk - 1, 2 * chunk, 1_000_000] {
        let input = format!("/a\n{}/private{}{}/b\r\n/c", long(len), long(len), long(len));
        let wanted = format!("/a\n{0}{0}/b\n/c\n", long(len));
        let ran = test.filter([], input.as_bytes());
        assert!((ran.status, ran.out == wanted.as_bytes()) == (0, true), "{len}");
        let packed = test.file("packed", gzip(input.as_bytes()));
        let ran = test.filter([packed.clone(), packed], b"");
        assert!((ran.status, ran.out == wanted.repeat(2).as_bytes()) == (0, true), "{len}");
    }
    let only = long(3 * chunk);
    assert!(test.filter([], &only.as_bytes()[..3 * chunk]).out == only.as_bytes());
}

/// Lines that end at every position around the end of a chunk.
#[test]
fn ends_of_chunks() {
    let test = Test::new();
    let chunk = 256 << 10;
    for first in chunk - 4..chunk + 4 {
        let input = "/".to_owned() + &"x".repeat(first - 1) + "\n/y\r\n\n/z\n";
        let wanted = input.replace("\r\n\n", "\n");
        let ran = test.filter([], input.as_bytes());
        assert!(ran.out == wanted.as_bytes(), "{first}");
        let a = test.file("a", &input.as_bytes()[..first]);
        let b = test.file("b", &input.as_bytes()[first + 1..]);
        assert!(test.filter([a, b], b"").out == wanted.as_bytes(), "{first}");
    }
}

/// Many small inputs share chunks.
#[test]
fn many_inputs() {
    let test = Test::new();
    let inputs: Vec<_> = (0..500).map(|n| test.file(&format!("{n}"), format!("/{n}"))).collect();
    let wanted: String = (0..500).map(|n| format!("/{n}\n")).collect();
    test.filter(inputs, b"").gives(0, wanted);
}

/// A line has a bound, so memory has one too: what is longer is an invalid URL, and the rest goes on.
#[test]
fn lines_without_end() {
    let test = Test::new();
    let longest = format!("/{}", "a".repeat((1 << 20) - 1));
    let long = format!("{longest}a");
    let mut text = format!("/1\n{long}\n/2\n{longest}\n/3\r\n{}", "b".repeat(5 << 20));
    let left = format!("/1\n/2\n{longest}\n/3\n");
    let check = |ran: Ran, urls, invalid| {
        assert_eq!(ran.status, 0, "{}", ran.err);
        assert!(ran.out == left.as_bytes(), "{}", ran.out.len());
        assert_eq!((ran.figure("urls"), ran.figure("invalid")), (urls, invalid), "{}", ran.err);
        ran
    };
    let ran = check(test.filter([], text.as_bytes()), 6.0, 2.0);
    ran.says(
        "standard input, line 2: longer than 1 MiB, so it is skipped as an invalid URL: '/aaaa",
    );
    ran.says("standard input, line 6: longer than 1 MiB");
    for pack in [gzip, zstd] {
        let file = test.file("packed", pack(text.as_bytes()));
        check(test.filter([file], b""), 6.0, 2.0).says("packed', line 6: longer");
    }
    // The next input starts anew, and a flood is told in short.
    let first = test.file("first", text.clone());
    text.push('\n');
    let many = format!("{long}\n").repeat(6);
    let second = test.file("second", many);
    let ran = check(test.filter([first, second], b""), 12.0, 8.0);
    ran.says("second', line 1: longer").says("5 more lines were skipped because they are too long");
    assert_eq!(ran.err.matches("longer than").count(), 3, "{}", ran.err);
    // The same bound for the commands that take URLs from standard input.
    let input = format!("/1\n{long}\n/2\n{long}\n");
    let robots = &test.robots;
    let ran = run_with(args!["check", robots, "a", "-"], input.as_bytes());
    ran.gives(2, "allow\t/1\nallow\t/2\n").says("line 2: longer than 1 MiB");
    ran.says("1 more line is too long");
    let ran = run_with(args!["explain", robots, "a", "-"], input.as_bytes());
    assert_eq!(ran.status, 2, "{ran:?}");
    let ran = run_with(args!["diff", robots, robots, "--urls", "-"], input.as_bytes());
    ran.says("skipped 2 lines of --urls");
}

/// Each line has its verdict in its place, so that verdicts can be put beside the lines they are of.
#[test]
fn lines_without_end_have_a_verdict() {
    let test = Test::new();
    let long = format!("/é{}", "é".repeat(1 << 20));
    // The 1,024th byte is the first of a character.
    let kept = &long[..1023];
    let judged = |line: &str| match line {
        "/private" => ("disallow", line.to_owned()),
        _ if line.len() > 1 << 20 => ("invalid", kept.to_owned()),
        _ => ("allow", line.to_owned()),
    };
    for text in [
        format!("/1\n{long}\n/private\n{long}\n{long}\r\n/2\n{long}"),
        format!("{long}\n/private\n"),
        format!("{}{long}\n\n/2", "/x\n".repeat(200_000)),
    ] {
        let lines = text.lines().filter(|line| !line.is_empty());
        let lines: Vec<(&str, String)> = lines.map(judged).collect();
        let long_lines = lines.iter().filter(|(verdict, _)| *verdict == "invalid").count();
        let row = |crawlers: usize, ends: [&str; 2]| -> String {
            let row = |(verdict, url): &(&str, String)| {
                let end = ends[usize::from(*verdict == "invalid")];
                format!("{}{url}{end}\n", format!("{verdict}\t").repeat(crawlers))
            };
            lines.iter().map(row).collect()
        };
        let packed = test.file("packed", gzip(text.as_bytes()));
        for (option, crawlers, wanted) in [
            ("--threads=1", 1, row(1, ["", ""])),
            ("--threads=3", 1, row(1, ["", ""])),
            ("--agent=b", 2, row(2, ["", ""])),
            ("--why", 1, row(1, ["\trules", "\t"])),
        ] {
            let options = ["--format=tsv".into(), option.into(), packed.clone()];
            let ran = test.filter(options, b"");
            assert!(ran.status == 0 && ran.out == wanted.as_bytes(), "{option}: {}", ran.err);
            let figures = (ran.figure("urls"), ran.figure("invalid"));
            assert_eq!(figures, (lines.len() as f64, (crawlers * long_lines) as f64), "{option}");
        }
        let ran = test.filter(["--format=jsonl".into(), packed], b"");
        let printed = String::from_utf8(ran.out).unwrap();
        assert_eq!(printed.lines().count(), lines.len());
        for (printed, (verdict, url)) in printed.lines().zip(&lines) {
            let printed: serde_json::Value = serde_json::from_str(printed).unwrap();
            assert_eq!(printed["url"], **url);
            assert_eq!(printed["verdicts"][0]["verdict"], *verdict);
        }
    }
    // No profile judges the beginning of a URL.
    let options = ["--format=tsv".into(), "--profile=google".into()];
    let wanted = format!("invalid\t{kept}\nallow\t/1\n");
    test.filter(options, format!("{long}\n/1\n").as_bytes()).gives(0, wanted);
}

/// The same while sites are asked.
#[cfg(feature = "network")]
#[test]
fn lines_without_end_while_fetching() {
    let test = Test::new();
    let overrides = test.file("overrides", "https://e.example disallow\n");
    let long = format!("https://e.example/{}", "a".repeat(1 << 20));
    let text = format!("https://e.example/1\n{long}\nhttps://e.example/2\n{long}\n");
    let first = args!["filter", "--store", test.folder.path("s.store"), "--fetch"];
    let then =
        args!["--user-agent", "F/1.0", "--overrides", overrides, "--format", "tsv", "--quiet"];
    let ran = run_with(first.into_iter().chain(then), text.as_bytes());
    let kept = &long[..1024];
    ran.gives(
        0,
        format!(
            "disallow\thttps://e.example/1\ninvalid\t{kept}\ndisallow\thttps://e.example/2\n\
             invalid\t{kept}\n"
        ),
    );
}

/// A line of 100 MB takes no more memory than its bound.
#[cfg(target_os = "linux")]
#[test]
fn lines_without_end_take_no_memory() {
    let test = Test::new();
    let script =
        "head -c 100000000 /dev/zero | tr '\\0' a | (ulimit -v 400000; exec \"$0\" \"$@\")";
    let ran = crate::command::in_shell(script)
        .args(["filter", "--threads", "2", "--agent", "a", "--robots"])
        .arg(&test.robots)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(0), "{said}");
    assert!(said.contains("line 1: longer than 1 MiB") && said.contains(" invalid 1 "), "{said}");
}
