//! What `robotsieve pack` is made from: every source gives the same verdicts.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use crate::command::{Command, Folder, Ran, in_shell, run, run_with};

const FILES: [(&str, &str); 4] = [
    ("a.example", "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /*a$\n"),
    ("b.example", "User-agent: *\nDisallow: /b\nCrawl-delay: 2\n"),
    ("c.example:8080", ""),
    ("d.example", "User-agent: *\nDisallow: /b\nCrawl-delay: 2\n"),
];

const AGENTS: [&str; 4] = ["--agent", "GPTBot", "--agent", "FooBot"];

const URLS: &str = "http://a.example/a\nhttps://a.example/b\nhttp://b.example/b\nhttps://b.example/b\n\
    https://d.example/c\nhttp://c.example:8080/\nhttp://c.example/\nhttps://e.example/\n\
    http://c.example:8080/robots.txt\n";

fn pack(folder: &Folder, source: &[OsString]) -> Ran {
    let first = args!["pack", "-o", folder.path("out.pack")];
    let agents = AGENTS.map(OsString::from);
    run(first.into_iter().chain(agents).chain(source.iter().cloned()))
}

/// The verdicts of the pack.
fn verdicts(folder: &Folder, urls: &str) -> String {
    let args = args!["filter", "--pack", folder.path("out.pack"), "--format", "tsv"];
    let ran = run_with(args, urls.as_bytes());
    assert_eq!(ran.status, 0, "{ran:?}");
    String::from_utf8(ran.out).unwrap()
}

/// The same without the second crawler's, one line each.
fn of_first(folder: &Folder, urls: &str) -> Vec<String> {
    let verdicts = verdicts(folder, urls);
    verdicts.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
}

fn line(url: &str, status: u16, rest: &str) -> String {
    let comma = if rest.is_empty() { "" } else { "," };
    format!("{{\"url\":\"{url}\",\"status\":{status}{comma}{rest}}}\n")
}

fn body(text: &str) -> String {
    format!("\"body\":{}", serde_json::to_string(text).unwrap())
}

/// The files as lines of JSON.
fn jsonl() -> String {
    let mut lines = String::new();
    for (host, file) in FILES {
        for scheme in ["http", "https"] {
            lines += &line(&format!("{scheme}://{host}/robots.txt"), 200, &body(file));
        }
    }
    lines
}

fn files() -> Folder {
    let folder = Folder::new();
    for (host, file) in FILES {
        folder.file(&format!("robots/{host}"), file);
    }
    folder
}

#[test]
fn all_sources_give_the_same() {
    let folder = files();
    let robots = folder.path("robots");
    let filter = args!["filter", "--robots-dir", &robots, "--format", "tsv"];
    let wanted = run_with(filter.into_iter().chain(AGENTS.map(OsString::from)), URLS.as_bytes());
    let wanted = String::from_utf8(wanted.out).unwrap();
    assert_eq!(wanted.lines().count(), URLS.lines().count());

    let spread = Folder::new();
    for (number, (host, file)) in FILES.iter().enumerate() {
        spread.file(&format!("robots/{}/{number}/{host}", number % 2), file);
    }
    let mut list = String::new();
    for (host, _) in FILES {
        writeln!(list, "{host}\t{}", robots.join(host).display()).unwrap();
    }
    let list = folder.file("list.tsv", list);
    let jsonl = folder.file("captures.jsonl", jsonl());
    let gzip = folder.path("captures.jsonl.gz");
    let made = Command::new("gzip").arg("-k").arg(&jsonl).status().unwrap();
    assert!(made.success());
    let (store, warc) = (folder.path("robots.store"), folder.path("robots.warc.gz"));
    assert_eq!(run(args!["store", "import", "--robots-dir", &robots, &store]).status, 0);
    assert_eq!(run(args!["store", "export", "--warc", &warc, &store]).status, 0);

    let sources: [(&str, PathBuf); 7] = [
        ("--robots-dir", robots),
        ("--robots-dir", spread.path("robots")),
        ("--list", list),
        ("--jsonl", jsonl),
        ("--jsonl", gzip),
        ("--store", store),
        ("--warc", warc),
    ];
    for (option, path) in &sources {
        for option in [option, "--from"] {
            pack(&folder, &args![option, path]).gives(0, "").says("origins 8 ");
            assert_eq!(verdicts(&folder, URLS), wanted, "{option} {path:?}");
        }
    }
    // What 'store export --pack' writes is the same.
    let export = args!["store", "export", "--pack", folder.path("out.pack"), &sources[5].1];
    run(export.into_iter().chain(AGENTS.map(OsString::from))).gives(0, "").says("origins 8 ");
    assert_eq!(verdicts(&folder, URLS), wanted);
    // All of them together say nothing else.
    let all: Vec<OsString> =
        sources.iter().flat_map(|(option, path)| args![option, path]).collect();
    pack(&folder, &all).gives(0, "").says("origins 8 ");
    assert_eq!(verdicts(&folder, URLS), wanted);
    // What is the same for http and https is there once.
    let stat = run(args!["pack", "stat", folder.path("out.pack")]);
    let stat = String::from_utf8(stat.out).unwrap();
    assert!(stat.contains("\norigins\t8\nsites\t4\n"), "{stat}");
}

/// Files are found by their names alone, whatever subfolder they are in; but `http` and `ftp` have
/// those of one scheme, as `store export` writes them.
#[test]
fn subfolders() {
    let folder = Folder::of(&[
        ("robots/a.example", "User-agent: *\nDisallow: /a\n"),
        ("robots/http/a.example", "User-agent: *\nDisallow: /h\n"),
        ("robots/x/y/b.example.txt", "User-agent: *\nDisallow: /b\n"),
        ("robots/x/not a host", ""),
        ("robots/x/neither this", ""),
        ("robots/README?", ""),
    ]);
    let ran = pack(&folder, &args!["--robots-dir", folder.path("robots")]);
    ran.gives(0, "").says("origins 4 ").says("ignored ").says("not a host'");
    let urls = "https://a.example/a\nhttp://a.example/a\nhttp://a.example/h\nhttp://b.example/b\n";
    assert_eq!(of_first(&folder, urls), ["disallow", "allow", "disallow", "disallow"]);
    // Nothing may be written where it would be read the next time.
    for out in ["robots/out.pack", "robots/x/y/out.pack", "robots/x/y/b.example.txt"] {
        let args = args!["pack", "--robots-dir", folder.path("robots"), "-o", folder.path(out)];
        run(args.into_iter().chain(AGENTS.map(OsString::from)))
            .fails(2, "would be in the folder '");
    }
}

#[test]
fn sites_of_a_list() {
    let folder = files();
    let path = |host: &str| folder.path("robots").join(host);
    let (a, b) = (path("a.example"), path("b.example"));
    let list = format!(
        "https://x.example\t{}\nhttp://x.example/any?page\t{}\ny.example:81\t{}\n",
        a.display(),
        b.display(),
        b.display()
    );
    let list = folder.file("list.tsv", list);
    pack(&folder, &args!["--list", &list]).gives(0, "").says("origins 4 files 2");
    let urls = "https://x.example/b\nhttp://x.example/b\nhttp://y.example:81/b\n\
        https://y.example:81/b\nhttp://y.example/b\n";
    assert_eq!(
        of_first(&folder, urls),
        ["disallow", "disallow", "disallow", "disallow", "unknown"]
    );
    let urls = "https://x.example/c\nhttp://x.example/c\n";
    assert_eq!(of_first(&folder, urls), ["disallow", "allow"]);
}

/// Redirects lead to what the input has, over five hops at most, wherever it stands.
#[test]
fn redirects() {
    let folder = Folder::new();
    let to = |to: &str| format!("\"location\":\"{to}\"");
    let file = body("User-agent: *\nDisallow: /b\n");
    let mut lines = vec![
        line("http://a.example/robots.txt", 301, &to("https://a.example/robots.txt")),
        line("https://a.example/robots.txt", 308, &to("//www.a.example/robots.txt")),
        line("https://www.a.example/robots.txt", 200, &file),
        // By way of something else than a robots.txt.
        line("https://b.example/robots.txt", 302, &to("/de/robots.txt")),
        line("https://b.example/de/robots.txt", 200, &file),
        line("https://loop.example/robots.txt", 302, &to("http://loop.example/robots.txt")),
        line("http://loop.example/robots.txt", 302, &to("https://loop.example/robots.txt")),
        line("https://lost.example/robots.txt", 302, &to("https://elsewhere.example/robots.txt")),
        line("https://gone.example/robots.txt", 302, &to("https://404.example/robots.txt")),
        line("https://404.example", 404, ""),
        line("https://closed.example/robots.txt", 307, &to("https://503.example/robots.txt")),
        line("https://503.example", 503, ""),
    ];
    for hop in 0..7 {
        let next = format!("https://{}.hops.example/robots.txt", hop + 1);
        lines.push(line(&format!("https://{hop}.hops.example/robots.txt"), 301, &to(&next)));
    }
    lines.push(line("https://7.hops.example/robots.txt", 200, &file));
    let urls = "http://a.example/b\nhttps://a.example/b\nhttps://www.a.example/b\n\
        https://b.example/b\nhttps://loop.example/b\nhttps://lost.example/b\n\
        https://gone.example/b\nhttps://closed.example/b\nhttps://503.example/b\n\
        https://2.hops.example/b\nhttps://1.hops.example/b\nhttps://0.hops.example/b\n";
    let wanted = [
        "disallow", "disallow", "disallow", "disallow", "allow", "unknown", "allow", "disallow",
        "disallow", "disallow", "allow", "allow",
    ];
    for _ in 0..2 {
        let captures = folder.file("captures.jsonl", lines.concat());
        for shards in [None, Some("5")] {
            let out = folder.path(if shards.is_some() { "out" } else { "out.pack" });
            let shards = shards.iter().flat_map(|count| args!["--shards", count]);
            let args = args!["pack", "--from", &captures, "-o", &out].into_iter().chain(shards);
            let ran = run(args.chain(AGENTS.map(OsString::from)));
            ran.gives(0, "").says("1 redirects and revisits lead to what the sources do not have: what they say is unknown");
            let args = args!["filter", "--pack", &out, "--format", "tsv"];
            let ran = run_with(args, urls.as_bytes());
            let text = String::from_utf8(ran.out.clone()).unwrap();
            let verdicts: Vec<&str> = text.lines().map(|l| l.split('\t').next().unwrap()).collect();
            assert_eq!(verdicts, wanted, "{ran:?}");
        }
        lines.reverse();
    }
}

/// Several answers of a site are a history.
#[test]
fn histories() {
    let folder = Folder::new();
    let at = |time: &str| format!("\"time\":{time}");
    let file = |time: &str, path: &str| {
        format!("{},{}", body(&format!("User-agent: *\nDisallow: /{path}\n")), at(time))
    };
    let (monday, tuesday) = ("1795132800", "\"2026-11-21T00:00:00Z\"");
    let lines = [
        line("https://new.example", 200, &file(tuesday, "new")),
        line("https://new.example", 200, &file(monday, "old")),
        line("https://fails.example", 200, &file(monday, "old")),
        line("https://fails.example", 503, &at(tuesday)),
        line("https://gone.example", 404, &at(tuesday)),
        line("https://gone.example", 200, &file(monday, "old")),
        line("https://down.example", 503, &at(monday)),
    ];
    let captures = folder.file("captures.jsonl", lines.concat());
    pack(&folder, &args!["--jsonl", &captures]).gives(0, "").says("origins 4 ");
    let urls = "https://new.example/new\nhttps://new.example/old\nhttps://fails.example/old\n\
        https://gone.example/old\nhttps://down.example/\n";
    let now = ["disallow", "allow", "disallow", "allow", "disallow"];
    assert_eq!(of_first(&folder, urls), now);
    for (time, wanted) in [
        ("capture", now),
        ("2026-11-22", now),
        ("2026-11-20", ["allow", "disallow", "disallow", "disallow", "disallow"]),
        ("2026-11-19", ["unknown"; 5]),
    ] {
        pack(&folder, &args!["--jsonl", &captures, "--as-of", time]).gives(0, "");
        assert_eq!(of_first(&folder, urls), wanted, "{time}");
    }
    let down = folder.file("down.jsonl", line("https://down.example/robots.txt", 500, ""));
    pack(&folder, &args!["--jsonl", &down]).gives(0, "");
    assert_eq!(of_first(&folder, "https://down.example/x\n"), ["disallow"]);
    pack(&folder, &args!["--jsonl", &down, "--errors-allow"]).gives(0, "");
    assert_eq!(of_first(&folder, "https://down.example/x\n"), ["allow"]);
    pack(&folder, &args!["--jsonl", &captures, "--as-of", "soon"]).fails(2, "a time is like");
    pack(&folder, &args!["--jsonl", &captures]).gives(0, "");
    let list = run(args!["pack", "list", folder.path("out.pack")]);
    let text = String::from_utf8(list.out).unwrap();
    for line in [
        "https://new.example\trules\t2026-11-21T00:00:00Z\t\t",
        "https://fails.example\trules\t2026-11-20T00:00:00Z\t\t",
        "https://gone.example\tallow-all\t2026-11-21T00:00:00Z\t\t",
        "https://down.example\tdisallow-all\t2026-11-20T00:00:00Z\t\t",
    ] {
        assert!(text.lines().any(|l| l == line), "{line}: {text}");
    }
}

/// Times as programs write them.
#[test]
fn times() {
    let folder = Folder::new();
    let shown = |time: &str| {
        let capture = line("https://a.example", 404, &format!("\"time\":{time}"));
        let captures = folder.file("captures.jsonl", capture);
        pack(&folder, &args!["--jsonl", &captures]).gives(0, "");
        let list = run(args!["pack", "list", folder.path("out.pack")]);
        let text = String::from_utf8(list.out).unwrap();
        let line = text.lines().find(|line| line.starts_with("https://a.example\t")).unwrap();
        line.split('\t').nth(2).unwrap().to_owned()
    };
    for (times, wanted) in [
        (
            &[
                "1795132800",
                "1795132800.75",
                "\"1795132800\"",
                "\"2026-11-20T00:00:00Z\"",
                "\"2026-11-20T00:00:00.123456Z\"",
                "\"2026-11-20t00:00:00.5z\"",
                "\"2026-11-20T02:00:00+02:00\"",
                "\"2026-11-19T19:30:00.25-04:30\"",
                "\"2026-11-20T00:00:00\"",
                "\"2026-11-20 00:00:00\"",
                "\"2026-11-20\"",
            ][..],
            "2026-11-20T00:00:00Z",
        ),
        // Not known.
        (&["0", "0.5", "\"0\"", "null", "\"1970-01-01T00:00:00Z\"", "\"1970-01-01\""], ""),
    ] {
        for time in times {
            assert_eq!(shown(time), wanted, "{time}");
        }
    }
}

/// A redirect that leads nowhere means the same wherever it was captured: as for a fetcher, there
/// is no robots.txt.
#[test]
fn redirects_without_a_target() {
    let folder = Folder::new();
    let site = |number: usize| format!("https://{number}.example/robots.txt");
    let locations =
        [None, Some("mailto:a@e.com"), Some("https://"), Some("ftp://e.com/robots.txt")];
    let (mut lines, mut records) = (String::new(), String::new());
    for (number, location) in locations.iter().enumerate() {
        let member = location.map_or(String::new(), |to| format!("\"location\":\"{to}\""));
        lines += &line(&site(number), 301, &member);
        let header = location.map_or(String::new(), |to| format!("Location: {to}\r\n"));
        let answer = format!("HTTP/1.1 301 Moved\r\n{header}\r\n");
        write!(
            records,
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2026-01-10T12:00:00Z\r\n\
             WARC-Target-URI: {}\r\nContent-Type: application/http; msgtype=response\r\n\
             Content-Length: {}\r\n\r\n{answer}\r\n\r\n",
            site(number),
            answer.len(),
        )
        .unwrap();
    }
    for file in [folder.file("a.jsonl", lines), folder.file("a.warc", records)] {
        pack(&folder, &args!["--from", &file]).gives(0, "").says("origins 4 ");
        let list = run(args!["pack", "list", folder.path("out.pack")]);
        let text = String::from_utf8(list.out).unwrap();
        assert_eq!(text.matches(".example\tallow-all\t").count(), 4, "{file:?}: {text}");
    }
}

/// What is damaged is told with its place, and what stands before is kept: with `--from` as with
/// the option of its kind.
#[test]
fn damaged_and_empty() {
    let folder = Folder::new();
    let mut lines = String::new();
    for host in 0..3000 {
        let rules = body(&format!("User-agent: *\nDisallow: /{}\n", host * 7919));
        lines += &line(&format!("https://{host}.example/robots.txt"), 200, &rules);
    }
    let gzip = |name: &str, bytes: &[u8]| {
        let path = folder.file(name, bytes);
        assert!(Command::new("gzip").arg("-f").arg(&path).status().unwrap().success());
        folder.path(&format!("{name}.gz"))
    };
    let whole = fs::read(gzip("whole.jsonl", lines.as_bytes())).unwrap();
    let origins = |ran: &Ran| {
        // Without a pack there is no such figure.
        let Some(after) = ran.err.split("origins ").nth(1) else { return 0 };
        after.split(' ').next().unwrap().parse::<u64>().unwrap()
    };
    // In the middle, in the first block, in the head, and in the checksum.
    for (len, at_least) in [(whole.len() / 2, 500), (500, 0), (5, 0), (whole.len() - 3, 2999)] {
        let cut = folder.file("cut.jsonl.gz", &whole[..len]);
        let mut told = Vec::new();
        for option in ["--from", "--jsonl"] {
            let ran = pack(&folder, &args![option, &cut]);
            ran.gives(3, "").says(&format!(
                "cut.jsonl.gz' breaks off: it ends at byte {len}, before what is compressed \
                 there does; the rest of it is left out\n"
            ));
            assert!((at_least..=3000).contains(&origins(&ran)), "{len}: {ran:?}");
            told.push(origins(&ran));
        }
        assert_eq!(told[0], told[1], "{len}");
    }
    let mut hurt = whole.clone();
    let at = whole.len() / 2;
    hurt[at..at + 50].fill(0xff);
    let hurt = folder.file("hurt.jsonl.gz", hurt);
    for option in ["--from", "--jsonl"] {
        let ran = pack(&folder, &args![option, &hurt]);
        ran.gives(3, "").says("hurt.jsonl.gz' breaks off: it is damaged before byte ");
        assert!(origins(&ran) > 500, "{ran:?}");
    }
    // Nothing is no damage: of many files some may be empty.
    for path in [gzip("empty.jsonl", b""), folder.file("nothing", "")] {
        let ran = pack(&folder, &args!["--from", &path]);
        ran.gives(0, "").says("is empty\n").says("origins 0 ");
        pack(&folder, &args!["--jsonl", &path]).gives(0, "").says("origins 0 ");
    }
    // What can be read only once would be lost to whoever looks what it is.
    if cfg!(unix) {
        pack(&folder, &args!["--from", "/dev/null"]).fails(2, "name it, as in '--jsonl /dev/null'");
    }
}

/// Lines that say nothing usable are told, with their place; the others count.
#[test]
fn lines_that_are_left_out() {
    let folder = Folder::new();
    let lines = [
        "{\"url\":\"https://a.example\",\"status\":200,\"body_base64\":\"VXNlci1hZ2VudDogKgpEaXNhbGxvdzogLwo=\"}\n",
        "\n",
        "nonsense\n",
        "{\"url\":\"mailto:x\",\"status\":200,\"body\":\"\"}\n",
        "{\"url\":\"https://b.example\",\"status\":200}\n",
        "{\"url\":\"https://b.example\",\"status\":200,\"body\":\"\",\"body_base64\":\"\"}\n",
        "{\"url\":\"https://b.example\",\"status\":200,\"body_base64\":\"?\"}\n",
        "{\"url\":\"https://b.example\",\"status\":7}\n",
        "{\"url\":\"https://b.example\",\"status\":404,\"time\":-5}\n",
        "{\"url\":\"https://b.example\",\"status\":404,\"time\":\"noon\"}\n",
        "{\"url\":\"https://b.example\",\"status\":404,\"time\":99999999999}\n",
        "{\"url\":\"https://c.example\",\"status\":404,\"more\":[1]}\n",
        "{\"url\":\"https://b.example\"}\n",
        "\"an answer that is longer than most\"\n",
        "{\"url\":\"https://b.example\",\"status\":\"200\",\"body\":\"\"}\n",
        "{\"url\":\"https://b.example\",\"status\":404,\"time\":[1]}\n",
        "{\"url\":\"https://b.example\",\"status\":404,\"time\":1795132800000}\n",
        "{\"url\":\"https://b.example\",\n",
        "{\"url\":\"https://b.example\",\"status\":200,\"body\":{}}\n",
        "{\"url\":\"https://b.example\",\"url\":\"https://d.example\",\"status\":404}\n",
        "{\"url\":null,\"status\":404}\n",
    ];
    let captures = folder.file("captures.jsonl", lines.concat());
    let ran = pack(&folder, &args!["--jsonl", &captures]);
    ran.gives(3, "").says("origins 2 ");
    for (line, what) in [
        (3, "it is no JSON object: see column 2; left out"),
        (4, "'url' is 'mailto:x'; the URL of a site, as in https://example.com/robots.txt, is"),
        (5, "'status' is 200, but it has no 'body' or 'body_base64'; an empty file is \"\""),
        (6, "it has both 'body' and 'body_base64'"),
        (7, "'body_base64' is no base64"),
        (8, "'status' is 7; an HTTP status from 100 to 999 is expected"),
        (9, "'time' is before 1970"),
        (10, "'time' is 'noon'; seconds since 1970, or a time as in 2026-11-20T12:00:00Z, is"),
        (11, "'time' is 5138-11-16T09:46:39Z, in the future: its clock was wrong"),
        (13, "it has no 'status': an HTTP status from 100 to 999 is expected"),
        (14, "it is a text, not a JSON object"),
        (15, "'status' is the text \"200\"; an HTTP status"),
        (16, "'time' is a list; seconds since 1970"),
        (
            17,
            "'time' is 1795132800000; seconds since 1970, or a time as in \
              2026-11-20T12:00:00Z, is expected, not milliseconds",
        ),
        (18, "its JSON has no end"),
        (19, "'body' is an object; text is expected"),
        (20, "one of its members is there twice"),
        (21, "'url' is null; the URL of a site"),
    ] {
        let told = ran.err.lines().find(|told| told.contains(&format!("line {line}:")));
        assert!(told.is_some_and(|told| told.contains(what)), "{line}: {what}: {ran:?}");
    }
    let urls = "https://a.example/x\nhttps://c.example/x\nhttps://b.example/\n";
    assert_eq!(of_first(&folder, urls), ["disallow", "allow", "unknown"]);
    // Many are counted.
    let captures = folder.file("captures.jsonl", "nonsense\n".repeat(30));
    let ran = pack(&folder, &args!["--jsonl", &captures]);
    ran.gives(3, "").says("left out: 10 more");
}

/// Sources of which nothing can be read leave the pack alone that is there.
#[test]
fn nothing_is_no_pack() {
    let folder = Folder::new();
    let good = folder.file("good.jsonl", jsonl());
    pack(&folder, &args!["--jsonl", &good]).gives(0, "");
    let before = fs::read(folder.path("out.pack")).unwrap();
    let bad = folder.file("bad.jsonl", "nonsense\n");
    let cut = folder.file("cut.warc.gz", [0x1f, 0x8b, 8]);
    for source in [args!["--jsonl", &bad], args!["--warc", &cut]] {
        pack(&folder, &source).fails(3, "out.pack' was not written");
        assert_eq!(fs::read(folder.path("out.pack")).unwrap(), before);
    }
    // What can be read is written.
    pack(&folder, &args!["--jsonl", &bad, "--jsonl", &good]).gives(3, "");
}

#[test]
fn what_is_no_source() {
    let folder = Folder::new();
    let text = folder.file("text", "User-agent: *\n");
    pack(&folder, &args!["--from", &text]).fails(2, "is no source");
    pack(&folder, &args!["--from", "-"]).fails(2, "name it, as in '--jsonl -'");
    pack(&folder, &args!["--from", folder.path("none")]).fails(3, "cannot read input '");
    pack(&folder, &args!["--jsonl", "-", "--list", "-"]).fails(2, "only once");
    let captures = folder.file("captures.jsonl", jsonl());
    pack(&folder, &args!["--from", &captures]).gives(0, "");
    pack(&folder, &args!["--from", folder.path("out.pack")])
        .fails(2, "is one of the files to read");
    fs::rename(folder.path("out.pack"), folder.path("old.pack")).unwrap();
    pack(&folder, &args!["--from", folder.path("old.pack")]).fails(2, "pack merge");
    if cfg!(not(feature = "parquet")) {
        pack(&folder, &args!["--parquet", &captures]).fails(2, "--features parquet");
    }
}

/// A body that is longer than a batch, many sources at a time, and any number of threads: the same
/// sources make the same bytes.
#[test]
fn the_same_bytes() {
    let folder = Folder::new();
    let mut sources = Vec::new();
    for file in 0..11 {
        let mut lines = String::new();
        for host in 0..300 {
            let rules: String =
                (0..host % 7).map(|rule| format!("Disallow: /{rule}/{file}\n")).collect();
            let rules = body(&format!("User-agent: *\n{rules}"));
            lines += &line(&format!("https://{host}.{file}.example/robots.txt"), 200, &rules);
        }
        sources.extend(args!["--jsonl", folder.file(&format!("{file}.jsonl"), lines)]);
    }
    let mut before: Option<Vec<u8>> = None;
    for threads in ["1", "2", "5"] {
        let args = args!["--threads", threads, "--keep-rules", "--seed", "18446744073709551615"];
        let args = [&args[..], &sources].concat();
        pack(&folder, &args).gives(0, "").says("origins 3300 ");
        let made = fs::read(folder.path("out.pack")).unwrap();
        assert!(before.is_none_or(|before| before == made), "{threads} threads");
        before = Some(made);
    }
}

/// Memory does not grow with the input.
#[cfg(target_os = "linux")]
#[test]
fn memory_is_bounded() {
    use std::io::Write;
    use std::process::Stdio;

    let folder = Folder::new();
    // 300 MB of bodies, all of them different; none has a rule, so that compiling is fast.
    let script = format!(
        "ulimit -v 250000; exec \"$0\" pack --jsonl - --agent FooBot --threads 2 -o '{}'",
        folder.path("out.pack").display()
    );
    let mut child = in_shell(&script).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = std::io::BufWriter::new(child.stdin.take().unwrap());
    let filler = "#".repeat(30_000);
    for host in 0..10_000 {
        let body = format!("\"body\":\"{filler}{host}\"");
        input.write_all(line(&format!("https://{host}.example"), 200, &body).as_bytes()).unwrap();
    }
    drop(input);
    assert!(child.wait().unwrap().success());
    assert_eq!(of_first(&folder, "https://9999.example/\n"), ["allow"]);
}

#[cfg(feature = "parquet")]
mod parquet {
    use std::sync::Arc;

    use ::parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
    use ::parquet::file::properties::WriterProperties;
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;

    use super::*;

    /// A row: URL, status, body, time, location.
    type Row<'r> = (&'r str, i32, Option<&'r str>, Option<i64>, Option<&'r str>);

    fn write(folder: &Folder, time: &str, rows: &[Row<'_>], per_group: usize) -> PathBuf {
        let schema = format!(
            "message captures {{ required binary url (UTF8); required int32 status; optional binary \
             body; optional int64 time {time}; optional binary location (UTF8); }}"
        );
        let path = folder.path("captures.parquet");
        let compression = ::parquet::basic::Compression::SNAPPY;
        let properties = WriterProperties::builder().set_compression(compression).build();
        let mut writer = SerializedFileWriter::new(
            fs::File::create(&path).unwrap(),
            Arc::new(parse_message_type(&schema).unwrap()),
            Arc::new(properties),
        )
        .unwrap();
        for rows in rows.chunks(per_group) {
            let mut group = writer.next_row_group().unwrap();
            let bytes = |text: &str| ByteArray::from(text.as_bytes().to_vec());
            let optional = |texts: Vec<Option<&str>>| {
                let levels: Vec<i16> = texts.iter().map(|t| i16::from(t.is_some())).collect();
                (texts.into_iter().flatten().map(bytes).collect::<Vec<_>>(), levels)
            };
            let urls: Vec<_> = rows.iter().map(|row| bytes(row.0)).collect();
            let statuses: Vec<i32> = rows.iter().map(|row| row.1).collect();
            let (bodies, body_levels) = optional(rows.iter().map(|row| row.2).collect());
            let times: Vec<i64> = rows.iter().filter_map(|row| row.3).collect();
            let time_levels: Vec<i16> = rows.iter().map(|row| i16::from(row.3.is_some())).collect();
            let (locations, levels) = optional(rows.iter().map(|row| row.4).collect());
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<ByteArrayType>().write_batch(&urls, None, None).unwrap();
            column.close().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<Int32Type>().write_batch(&statuses, None, None).unwrap();
            column.close().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            let typed = column.typed::<ByteArrayType>();
            typed.write_batch(&bodies, Some(&body_levels), None).unwrap();
            column.close().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<Int64Type>().write_batch(&times, Some(&time_levels), None).unwrap();
            column.close().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<ByteArrayType>().write_batch(&locations, Some(&levels), None).unwrap();
            column.close().unwrap();
            group.close().unwrap();
        }
        writer.close().unwrap();
        path
    }

    #[test]
    fn rows() {
        let folder = Folder::new();
        let (old, new) = ("User-agent: *\nDisallow: /old\n", "User-agent: *\nDisallow: /new\n");
        let monday = 1_795_132_800;
        for (time, per_second) in [
            ("", 1),
            ("(TIMESTAMP_MILLIS)", 1_000),
            ("(TIMESTAMP(MICROS,true))", 1_000_000),
            ("(TIMESTAMP(NANOS,true))", 1_000_000_000),
        ] {
            let at = |days: i64| Some((monday + days * 86_400) * per_second);
            let to = Some("https://a.example/robots.txt");
            let mut rows: Vec<Row<'_>> = vec![
                ("https://a.example/robots.txt", 200, Some(new), at(1), None),
                ("https://a.example/robots.txt", 200, Some(old), at(0), None),
                ("http://a.example/robots.txt", 301, None, at(0), to),
                ("https://b.example", 404, None, None, None),
                ("https://c.example", 503, Some("sorry"), None, None),
                ("nonsense", 200, Some(""), None, None),
            ];
            let names: Vec<String> = (0..700).map(|n| format!("https://{n}.example")).collect();
            rows.extend(names.iter().map(|name| (&name[..], 200, Some(old), None, None)));
            let path = write(&folder, time, &rows, 400);
            for option in ["--parquet", "--from"] {
                let ran = pack(&folder, &args![option, &path]);
                ran.gives(3, "")
                    .says("origins 704 ")
                    .says("row 6: 'url' is 'nonsense'; the URL of a site");
                let urls = "https://a.example/new\nhttps://a.example/old\nhttp://a.example/old\n\
                    https://b.example/\nhttps://c.example/\nhttps://699.example/old\n";
                assert_eq!(
                    of_first(&folder, urls),
                    ["disallow", "allow", "disallow", "allow", "disallow", "disallow"]
                );
            }
            let list = run(args!["pack", "list", folder.path("out.pack")]);
            let text = String::from_utf8(list.out).unwrap();
            let line = "https://a.example\trules\t2026-11-21T00:00:00Z\t\t";
            assert!(text.lines().any(|l| l == line), "{time}: {text}");
        }
    }

    #[test]
    fn damage() {
        let folder = Folder::new();
        let row = ("https://a.example/robots.txt", 200, Some(""), None, None);
        let path = write(&folder, "", &[row], 10);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - 9]).unwrap();
        pack(&folder, &args!["--parquet", &path]).fails(3, "cannot read Parquet file '");
        pack(&folder, &args!["--parquet", "-"]).fails(2, "standard input");
    }
}
