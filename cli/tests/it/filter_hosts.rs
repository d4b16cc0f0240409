//! `robotsieve filter --robots-dir`: which file judges a URL.

use std::ffi::OsString;

use crate::command::{Folder, Ran, run, run_with};

/// A robots.txt that disallows only this path, which identifies it.
fn only(path: &str) -> String {
    format!("User-agent: *\nDisallow: {path}\n")
}

fn filter(folder: &Folder, options: &[&str], input: impl AsRef<[u8]>) -> Ran {
    let options = options.iter().map(OsString::from);
    let first = args!["filter", "--robots-dir", folder.root(), "--agent", "a"];
    run_with(first.into_iter().chain(options), input.as_ref())
}

/// The verdicts for these URLs, separated by spaces.
#[track_caller]
fn verdicts(folder: &Folder, options: &[&str], urls: &[&str]) -> String {
    let ran = filter(folder, &[&["--format", "tsv"], options].concat(), urls.join("\n"));
    assert_eq!(ran.status, 0, "{ran:?}");
    let out = String::from_utf8(ran.out).unwrap();
    let lines: Vec<_> = out.lines().map(|line| line.split_once('\t').unwrap()).collect();
    assert!(lines.iter().map(|line| line.1).eq(urls.iter().copied()), "{out}");
    lines.iter().map(|line| line.0).collect::<Vec<_>>().join(" ")
}

#[test]
fn each_host_its_file() {
    let folder = Folder::of(&[("a.example", &only("/a")), ("b.example.txt", &only("/b"))]);
    let urls = [
        "http://a.example/a",
        "https://a.example/a",
        "ftp://a.example/a",
        "http://b.example/a",
        "http://b.example/b",
        "http://c.example/a",
        "http://sub.a.example/a",
    ];
    let wanted = "disallow disallow disallow allow disallow unknown unknown";
    assert_eq!(verdicts(&folder, &[], &urls), wanted);
    filter(&folder, &[], urls.join("\n"))
        .gives(0, "http://b.example/a\n")
        .counts([7, 1, 4, 2, 0, 4]);
    filter(&folder, &["--format", "denied"], urls.join("\n")).gives(
        0,
        "http://a.example/a\nhttps://a.example/a\nftp://a.example/a\nhttp://b.example/b\n",
    );
}

#[test]
fn missing() {
    let folder = Folder::of(&[("a.example", &only("/a"))]);
    let input = "http://a.example/\nhttp://b.example/\nhttp://a.example/a\nnonsense\n";
    filter(&folder, &["--missing", "unknown"], input)
        .gives(0, "http://a.example/\n")
        .counts([4, 1, 1, 1, 1, 2]);
    filter(&folder, &["--missing", "allow"], input)
        .gives(0, "http://a.example/\nhttp://b.example/\n")
        .counts([4, 2, 1, 0, 1, 2]);
    filter(&folder, &["--missing", "disallow", "--format", "denied"], input)
        .gives(0, "http://b.example/\nhttp://a.example/a\n")
        .counts([4, 1, 2, 0, 1, 2]);
    let jsonl = filter(&folder, &["--format", "jsonl"], "http://b.example/\n");
    jsonl.gives(
        0,
        "{\"url\":\"http://b.example/\",\"verdicts\":[{\"agent\":\"a\",\"verdict\":\"unknown\",\
         \"why\":\"missing\"}]}\n",
    );
    let options = ["--format", "tsv", "--agent", "b", "--missing", "allow"];
    filter(&folder, &options, "http://b.example/\n").gives(0, "allow\tallow\thttp://b.example/\n");
}

#[test]
fn ports() {
    let folder = Folder::of(&[
        ("e.com", &only("/default")),
        ("e.com:8080", &only("/8080")),
        ("e.com:8081.txt", &only("/8081")),
        ("e.com:443", &only("/http443")),
        ("[::1]", &only("/v6")),
        ("[::1]:8080", &only("/v6-8080")),
    ]);
    let disallowed = [
        "http://e.com/default",
        "http://e.com:80/default",
        "http://e.com:/default",
        "http://e.com:0080/default",
        "https://e.com:443/default",
        "ftp://e.com:21/default",
        "HTTP://e.com:80/default",
        "http://user:pass@e.com:80/default",
        "http://e.com:8080/8080",
        "https://e.com:08080/8080",
        "http://u@e.com:8080/8080",
        "http://e.com:8081/8081",
        "http://e.com:443/http443",
        "http://[::1]/v6",
        "https://[::1]:443/v6",
        "http://[::1]:8080/v6-8080",
    ];
    assert_eq!(verdicts(&folder, &[], &disallowed), ["disallow"; 16].join(" "));
    let unknown = ["http://e.com:81/", "https://e.com:80/", "http://e.com:0/", "http://[::2]/"];
    assert_eq!(verdicts(&folder, &[], &unknown), ["unknown"; 4].join(" "));
    let invalid = ["http://e.com:65536/", "http://e.com:x/", "http://e.com:-1/", "http://[::1/"];
    assert_eq!(verdicts(&folder, &[], &invalid), ["invalid"; 4].join(" "));
}

#[test]
fn spellings_of_a_host() {
    let folder = Folder::of(&[
        ("Müller.example", &only("/x")),
        ("xn--strae-oqa.example", &only("/x")),
        ("UPPER.example", &only("/x")),
        ("under_score.example", &only("/x")),
        ("192.0.2.1", &only("/x")),
        ("[2001:db8::1].txt", &only("/x")),
    ]);
    let disallowed = [
        "http://müller.example/x",
        "http://MÜLLER.example/x",
        "http://xn--mller-kva.example/x",
        "http://XN--mller-kva.EXAMPLE/x",
        "http://m%C3%BCller.example/x",
        "http://mu\u{308}ller.example/x",
        "http://straße.example/x",
        "http://upper.example/x",
        "http://UPPER.EXAMPLE/x",
        "http://upp%65r.example/x",
        "http://under_score.example/x",
        "http://Under_Score.example/x",
        "http://upper.example./x",
        "http://192.0.2.1/x",
        "http://192.0.513/x",
        "http://0xC0000201/x",
        "http://[2001:DB8:0::1]/x",
    ];
    assert_eq!(verdicts(&folder, &[], &disallowed), ["disallow"; 17].join(" "));
    // Non-transitional: ß is not ss.
    let unknown = ["http://strasse.example/x", "http://muller.example/"];
    assert_eq!(verdicts(&folder, &[], &unknown), ["unknown"; 2].join(" "));
    let mut spellings = filter(&folder, &[], disallowed.join("\n"));
    spellings.counts([17, 0, 17, 0, 0, 6]);
    spellings = filter(&folder, &[], "http://xn--a/\nhttp://\u{fffd}/\nhttp://a%ffb/\n");
    spellings.gives(0, "").counts([3, 0, 0, 0, 3, 0]);
    filter(&folder, &[], b"http://\xff.example/\n").gives(0, "").counts([1, 0, 0, 0, 1, 0]);
}

/// Only http, https and ftp have a robots.txt.
#[test]
fn other_schemes() {
    let folder = Folder::of(&[("e.com", &only("/e")), ("e.com:80", &only("/80"))]);
    let urls = ["ftp://e.com/e", "FTP://e.com:21/e", "ftp://e.com:80/80", "http://e.com/e"];
    assert_eq!(verdicts(&folder, &[], &urls), ["disallow"; 4].join(" "));
    let urls = ["gopher://e.com/e", "ws://e.com/e", "svn+ssh://e.com:80/80", "x://e.com/"];
    for (options, wanted) in [
        (&[][..], "unknown"),
        (&["--missing", "allow"], "allow"),
        (&["--missing", "disallow"], "disallow"),
        (&["--profile", "google"], "unknown"),
    ] {
        assert_eq!(verdicts(&folder, options, &urls), [wanted; 4].join(" "));
    }
    filter(&folder, &[], urls.join("\n")).gives(0, "").counts([4, 0, 0, 4, 0, 0]);
}

/// URLs of one host and of others in all orders: a run of lines is one host's whatever stands
/// before and after it.
#[test]
fn runs_of_hosts() {
    let folder = Folder::of(&[("a.example", &only("/a")), ("b.example", &only("/b"))]);
    let urls = [
        "http://a.example/a",
        "http://a.example/b",
        "http://b.example/a",
        "http://b.example/b",
        "HTTP://A.example/a",
        "http://a.example",
        "http://a.example?/a",
        "http://c.example/a",
        "/a",
    ];
    let one_by_one: Vec<String> = urls.iter().map(|url| verdicts(&folder, &[], &[url])).collect();
    let (mut input, mut wanted) = (Vec::new(), Vec::new());
    for number in 0..urls.len().pow(4) {
        for place in 0..4 {
            let which = number / urls.len().pow(place) % urls.len();
            input.push(urls[which]);
            wanted.push(&one_by_one[which][..]);
        }
    }
    assert_eq!(verdicts(&folder, &[], &input), wanted.join(" "));
}

#[test]
fn txt_comes_second() {
    let folder = Folder::of(&[
        ("a", &only("/exact")),
        ("a.txt", &only("/txt")),
        ("A.txt", &only("/TXT")),
        ("b.txt", &only("/txt")),
        ("C.txt", &only("/txt")),
    ]);
    let urls =
        ["http://a/exact", "http://a/txt", "http://b/txt", "http://c/txt", "http://b.txt/txt"];
    let ran = filter(&folder, &["--format", "tsv"], urls.join("\n"));
    let out = "disallow\thttp://a/exact\nallow\thttp://a/txt\ndisallow\thttp://b/txt\n\
               disallow\thttp://c/txt\nunknown\thttp://b.txt/txt\n";
    ran.gives(0, out).says("/A.txt' are for").says("/a.txt' are for").says("/a' is used");
}

#[test]
fn two_files_for_one_host() {
    let folder = Folder::of(&[
        ("E.com", &only("/E")),
        ("e.com", &only("/e")),
        ("F.Com", &only("/FC")),
        ("F.com", &only("/F")),
        ("g.com:080", &only("/080")),
        ("g.com:80", &only("/80")),
    ]);
    let urls = ["http://e.com/e", "http://f.com/FC", "https://g.com:80/80"];
    let ran = filter(&folder, &["--format", "denied"], urls.join("\n"));
    ran.gives(0, urls.join("\n") + "\n")
        .says("/E.com' are for the same host, e.com")
        .says("/e.com' is used")
        .says("/F.com' are for the same host, f.com")
        .says("/F.Com' is used")
        .says("/g.com:80' is used");
}

#[test]
fn a_host_is_no_path() {
    let outer = Folder::new();
    outer.file("secret", only("/"));
    outer.file("robots/e.com", only("/e"));
    outer.file("robots/sub/f.com", only("/"));
    let urls = [
        "http://../",
        "http://./",
        "http://../secret",
        "http://..%2fsecret/",
        "http://..%2Fsecret/",
        "http://%2e%2e/",
        "http://sub%2ff.com/",
        "http://sub/",
        "http://sub\\f.com/",
        "http://e.com%00/",
        "http:///etc/passwd",
    ];
    let first = args!["filter", "--robots-dir", outer.path("robots"), "--agent", "a"];
    let options = first.into_iter().chain(args!["--format", "tsv"]);
    let ran = run_with(options, urls.join("\n").as_bytes());
    let words = [
        "unknown", "unknown", "unknown", "invalid", "invalid", "unknown", "invalid", "unknown",
        "invalid", "invalid", "invalid",
    ];
    let wanted = words.iter().zip(urls).map(|(word, url)| format!("{word}\t{url}\n"));
    ran.gives(3, wanted.collect::<String>()).says("sub': it is no file");
}

#[test]
fn what_has_no_host() {
    let folder = Folder::of(&[("e.com", &only("/e"))]);
    let urls = ["/e", "e.com/e", "http:///e", "http://:80/e", "mailto:a@e.com", "http://u@/e"];
    assert_eq!(verdicts(&folder, &[], &urls), ["invalid"; 6].join(" "));
    filter(&folder, &[], urls.join("\n")).gives(0, "").counts([6, 0, 0, 0, 6, 0]);
    // With google nothing is invalid. --missing does not apply to URLs without a host.
    for options in [&["--profile", "google"][..], &["--profile", "google", "--missing", "allow"]] {
        assert_eq!(verdicts(&folder, options, &urls), ["unknown"; 6].join(" "));
    }
    let urls = ["http://e.com/e", "http://e.com;/e", "http://e.com?/e", "http://e.com:1/e"];
    let google = ["--profile", "google"];
    assert_eq!(verdicts(&folder, &google, &urls), "disallow allow allow unknown");
    assert_eq!(verdicts(&folder, &[], &urls), "disallow unknown allow unknown");
}

/// Folders and names that are not hosts are ignored.
#[test]
fn only_files_count() {
    let folder = Folder::of(&[("e.com/robots.txt", ""), ("e.com.txt", &only("/e")), ("a b", "")]);
    assert_eq!(verdicts(&folder, &[], &["http://e.com/e"]), "disallow");
}

#[cfg(unix)]
#[test]
fn links() {
    use std::os::unix::fs::symlink;
    let folder = Folder::of(&[("e.com", &only("/e"))]);
    let elsewhere = Folder::of(&[("robots.txt", &only("/f"))]);
    symlink(elsewhere.path("robots.txt"), folder.path("f.com")).unwrap();
    symlink(elsewhere.root(), folder.path("g.com")).unwrap();
    let urls = ["http://e.com/e", "http://f.com/f"];
    assert_eq!(verdicts(&folder, &[], &urls), "disallow disallow");
    filter(&folder, &["--missing", "allow"], "http://g.com/").gives(3, "").says("it is no file");
}

/// What stands in a host's place and cannot be read says something, and it is not known what: the same in a folder, a
/// pack and a store.
#[cfg(unix)]
#[test]
fn what_cannot_be_read_is_unknown_everywhere() {
    let folder = Folder::of(&[("robots/e.com", &only("/e")), ("robots/dir.example/x", "")]);
    let robots = folder.path("robots");
    folder.file("robots/gzip.example", b"\x1f\x8b\x08");
    let pipe = crate::command::Command::new("mkfifo").arg(robots.join("pipe.example")).status();
    assert!(pipe.unwrap().success());
    std::os::unix::fs::symlink("/dev/null", robots.join("null.example")).unwrap();
    let (pack, store) = (folder.path("p"), folder.path("s"));
    for made in [
        run(args!["pack", "--robots-dir", &robots, "--agent", "a", "-o", &pack]),
        run(args!["store", "import", &store, "--robots-dir", &robots]),
    ] {
        for name in ["gzip", "pipe", "null"] {
            made.fails(3, &format!("{name}.example'"));
        }
        assert_eq!(made.err.matches("; what its host says counts as unknown").count(), 3);
        made.says("origins 10 ");
    }
    let urls = ["gzip", "pipe", "null"].map(|name| format!("http://{name}.example/\n")).concat();
    let wanted =
        |urls: &str| urls.lines().map(|url| format!("unknown\t{url}\n")).collect::<String>();
    let first = args!["filter", "--missing", "allow", "--format", "tsv"];
    let filter = |source: &[OsString], urls: &str| {
        run_with(first.iter().cloned().chain(source.iter().cloned()), urls.as_bytes())
    };
    filter(&args!["--pack", &pack], &urls).gives(0, wanted(&urls));
    filter(&args!["--store", &store, "--agent", "a"], &urls).gives(0, wanted(&urls));
    // A folder is no file either. In a pack its files are those of hosts.
    let urls = urls + "http://dir.example/\n";
    let ran = filter(&args!["--robots-dir", &robots, "--agent", "a"], &urls);
    ran.gives(3, wanted(&urls)).says("dir.example': it is no file");
}

/// Its URLs are unknown whatever --missing says; it is reported once, and the others are judged.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read() {
    let folder = Folder::of(&[("e.com", &only("/e"))]);
    std::os::unix::fs::symlink("nowhere", folder.path("broken.example")).unwrap();
    let mut input = "http://broken.example/\nhttp://e.com/\n".repeat(3);
    for missing in ["unknown", "allow", "disallow"] {
        let ran = filter(&folder, &["--missing", missing], &input);
        ran.gives(3, "http://e.com/\n".repeat(3)).counts([6, 3, 0, 3, 0, 2]);
        assert_eq!(ran.err.matches("broken.example").count(), 1, "{ran:?}");
    }
    // Without a URL for it there is no error.
    input = "http://e.com/\n".to_owned();
    filter(&folder, &[], &input).gives(0, "http://e.com/\n");
}

#[test]
fn files_are_read_when_needed_and_once() {
    let folder = Folder::new();
    for host in 0..2_000 {
        folder.file(&format!("h{host}.example"), only(&format!("/{host}/")));
    }
    let mut input = String::new();
    let mut wanted = String::new();
    for number in 0..60_000 {
        let (host, path) = (number * 7 % 2_500, number % 3_000);
        let url = format!("https://h{host}.example/{path}/\n");
        input += &url;
        if host < 2_000 && host != path {
            wanted += &url;
        }
    }
    let ran = filter(&folder, &["--threads", "8"], &input);
    assert_eq!(ran.status, 0);
    assert!(ran.out == wanted.as_bytes());
    assert_eq!((ran.figure("hosts"), ran.figure("unknown")), (2500.0, 12_000.0));
}

/// Usual and odd spellings mixed, in batches and in all formats: the same from a folder and from
/// the pack that is made of it.
#[test]
fn the_same_from_a_pack() {
    let folder = Folder::new();
    for host in
        ["e.com", "e.com:81", "xn--mller-kva.example", "192.0.2.1", "[::1]", "no-rules.example"]
    {
        let rules = if host == "no-rules.example" { String::new() } else { only("/e") };
        folder.file(&format!("robots/{host}"), rules);
    }
    let urls = [
        "http://e.com/e",
        "https://e.com/e",
        "HTTP://E.COM/e",
        "http://e.com./e",
        "http://u@e.com/e",
        "http://e.com:80/e",
        "https://e.com:81/e",
        "https://e.com:081/e",
        "http://e.com;/e",
        "http://e.com?/e",
        "http://e.com#/e",
        "http://e.com",
        "http://m\u{fc}ller.example/e",
        "http://xn--mller-kva.example/e",
        "http://192.0.2.1/e",
        "http://0xC0000201/e",
        "http://[::1]/e",
        "http://[0::1]/e",
        "http://a\\@e.com/e",
        "http://e.com\\/e",
        "http://e.com\t/e",
        "http://other.example/e",
        "gopher://e.com/e",
        "/e",
        "e.com/e",
        "http:///e",
        "http://no-rules.example/e",
        "https://e.com/",
        "https://e.com/robots.txt",
    ];
    let mut input = String::new();
    for number in 0..5_000 {
        input += urls[number * number % 1009 % urls.len()];
        input += if number % 7 == 0 { "\r\n" } else { "\n" };
    }
    let (pack, robots) = (folder.path("out.pack"), folder.path("robots"));
    for profile in ["rfc9309", "google"] {
        let made =
            args!["pack", "--robots-dir", &robots, "--agent", "a", "--agent", "b", "--keep-rules"];
        let made = made.into_iter().chain(args!["--profile", profile, "-o", &pack]);
        assert_eq!(run_with(made, b"").status, 0);
        for format in ["urls", "denied", "tsv", "jsonl"] {
            for missing in ["unknown", "allow", "disallow"] {
                let options = args!["--format", format, "--missing", missing, "--agent", "a"];
                let several = format == "tsv" || format == "jsonl";
                let agents = if several { args!["--agent", "b"].to_vec() } else { Vec::new() };
                let filter = |source: Vec<OsString>| {
                    let all = args!["filter"].into_iter().chain(source).chain(options.clone());
                    run_with(all.chain(agents.clone()), input.as_bytes())
                };
                let from_files =
                    filter(args!["--robots-dir", &robots, "--profile", profile].to_vec());
                let from_pack = filter(args!["--pack", &pack].to_vec());
                assert!(from_files.out == from_pack.out, "{profile} {format} {missing}");
                for count in ["urls", "allowed", "disallowed", "unknown", "invalid", "hosts"] {
                    let [files, pack] = [&from_files, &from_pack].map(|ran| ran.figure(count));
                    assert_eq!(files, pack, "{profile} {format} {missing} {count}");
                }
            }
        }
    }
}
