//! `robotsieve pack` and `filter --pack`: the same verdicts as from the files.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use crate::command::{Command, Folder, Ran, run, run_with};

/// A folder with robots.txt files in `robots/` and room for packs next to it. The files are for five
/// hosts, because `b.example.txt` is a host, too.
fn folder() -> Folder {
    Folder::of(&[
        ("robots/a.example", "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /*a$\n"),
        ("robots/b.example.txt", "User-agent: *\nDisallow: /b\n"),
        ("robots/copy.example", "User-agent: *\nDisallow: /b\n"),
        ("robots/c.example:8080", ""),
        ("robots/xn--mller-kva.example", "User-agent: *\nAllow: /m/a\nDisallow: /m\n"),
    ])
}

const URLS: &str = "http://a.example/a\nhttps://A.example/b\nhttp://b.example/b\n\
    http://copy.example/c\nhttp://c.example:8080/\nhttp://c.example/\nnonsense\n\
    http://m\u{fc}ller.example/m/b\nhttp://a.example/robots.txt\n\
    https://rights.example/x\nhttp://rights.example/y\n";

fn pack(folder: &Folder, options: &[&str]) -> Ran {
    let out = folder.path("out.pack");
    let first = args!["pack", "--robots-dir", folder.path("robots"), "-o", out];
    run(first.into_iter().chain(options.iter().map(OsString::from)))
}

fn filter(source: [OsString; 2], options: &[&str]) -> Ran {
    let first = args!["filter"].into_iter().chain(source);
    run_with(first.chain(options.iter().map(OsString::from)), URLS.as_bytes())
}

/// Packs of formats that are no longer read say what to do.
#[test]
fn older_formats() {
    let folder = folder();
    pack(&folder, &["--agent", "GPTBot"]).gives(0, "");
    let mut bytes = fs::read(folder.path("out.pack")).unwrap();
    let at = robotsieve::pack::MAGIC.len();
    for version in [1, 2, 3, 5, 7] {
        bytes[at] = version;
        let old = folder.file("old.pack", &bytes);
        for call in [
            args!["pack", "stat", &old].to_vec(),
            args!["pack", "update", &old, "--robots-dir", folder.path("robots")].to_vec(),
            args!["pack", "merge", &old, "-o", folder.path("new.pack")].to_vec(),
            args!["filter", "--pack", &old].to_vec(),
        ] {
            run(call)
                .fails(3, &format!("a pack of version {version}, but this program reads version 6"))
                .says("write the pack again; 'robotsieve pack' and 'robotsieve store export' make packs");
        }
    }
}

#[test]
fn same_verdicts_as_from_the_files() {
    let folder = folder();
    let agents = ["--agent", "GPTBot", "--agent", "x,FooBot", "--user-agent", "Bar/1"];
    for profile in ["rfc9309", "google", "google-classic", "original-1994"] {
        for keep in [&[][..], &["--keep-rules"]] {
            pack(&folder, &[&agents[..], &["--profile", profile], keep].concat()).gives(0, "");
            let from_pack = ["--pack".into(), folder.path("out.pack").into()];
            let from_files = ["--robots-dir".into(), folder.path("robots").into()];
            for output in ["tsv", "jsonl"] {
                let output = ["--format", output];
                let with_profile = [&agents[..], &output, &["--profile", profile]].concat();
                let wanted = filter(from_files.clone(), &with_profile);
                assert_eq!(wanted.status, 0, "{wanted:?}");
                let mut wanted = String::from_utf8(wanted.out).unwrap();
                if output[1] == "jsonl" && keep.is_empty() {
                    wanted = without_rules(&wanted);
                }
                // With the given crawlers, and with all crawlers of the pack.
                filter(from_pack.clone(), &with_profile).gives(0, &wanted);
                let all = filter(from_pack.clone(), &output);
                if output[1] == "tsv" {
                    all.gives(0, &wanted);
                }
            }
            let one = ["--agent", "x,FooBot", "--profile", profile];
            let wanted = filter(from_files, &one);
            filter(from_pack, &one[..2]).gives(0, &wanted.out);
        }
    }
}

/// Lines of JSON without the members `line` and `rule`.
fn without_rules(lines: &str) -> String {
    let mut left = String::new();
    for part in lines.split_inclusive('}') {
        match part.split_once(",\"line\":") {
            Some((verdict, _)) => {
                left.push_str(verdict);
                left.push('}');
            }
            None => left.push_str(part),
        }
    }
    left
}

#[test]
fn stat_and_verify() {
    let folder = folder();
    let made = pack(&folder, &["--agent", "GPTBot", "--agent", "FooBot"]);
    made.gives(0, "").says("origins 10 files 4");
    let path = folder.path("out.pack");
    let stat = run(args!["pack", "stat", &path]);
    let text = String::from_utf8(stat.out.clone()).unwrap();
    for line in ["profile\trfc9309", "crawlers\tGPTBot; FooBot", "origins\t10", "files\t4"] {
        assert!(text.lines().any(|l| l == line), "{line}: {text}");
    }
    let verified = run(args!["pack", "verify", &path]);
    assert_eq!(verified.status, 0, "{verified:?}");
    // The same files make the same pack, if the seed is the same.
    let before = fs::read(&path).unwrap();
    let seed = text.lines().find_map(|line| line.strip_prefix("seed\t")).expect("a seed");
    let again = ["--agent", "GPTBot", "--agent", "FooBot", "--threads", "3", "--seed", seed];
    pack(&folder, &again).gives(0, "");
    assert!(fs::read(&path).unwrap() == before);
    pack(&folder, &again[..6]).gives(0, "");
    assert!(fs::read(&path).unwrap() != before, "a random seed");
    assert_eq!(fs::read_dir(folder.root()).unwrap().count(), 2, "nothing else is left");
}

#[test]
fn paces_and_sitemaps() {
    let folder = folder();
    let file = "User-agent: *\nDisallow: /x\nCrawl-delay: 2\nSitemap: https://d.example/s.xml\n";
    folder.file("robots/d.example.txt", file);
    for (options, kept, lists) in [(&[][..], "no", 0), (&["--keep-sitemaps"], "yes", 1)] {
        pack(&folder, &[&["--agent", "FooBot"], options].concat()).gives(0, "");
        let path = folder.path("out.pack");
        let stat = String::from_utf8(run(args!["pack", "stat", &path]).out).unwrap();
        let lists = format!("sitemap_lists\t{lists}");
        for line in [&format!("sitemaps_kept\t{kept}"), "policies_with_pace\t1", &lists] {
            assert!(stat.lines().any(|l| l == line), "{line}: {stat}");
        }
        assert_eq!(run(args!["pack", "verify", &path]).status, 0);
    }
}

#[test]
fn list() {
    let folder = folder();
    let (a, b) = (folder.path("robots/a.example"), folder.path("robots/b.example.txt"));
    let text = format!("A.example\t{}\r\n\nz.example:81\t{}\n", a.display(), b.display());
    let list = folder.file("list.tsv", text);
    let out = folder.path("out.pack");
    run(args!["pack", "--list", &list, "--agent", "FooBot", "-o", &out])
        .gives(0, "")
        .says("origins 4 files 2");
    let urls = b"http://a.example/a\nhttp://z.example:81/b\nhttp://z.example/\n";
    run_with(args!["filter", "--pack", &out, "--format", "tsv"], urls).gives(
        0,
        "disallow\thttp://a.example/a\ndisallow\thttp://z.example:81/b\n\
         unknown\thttp://z.example/\n",
    );
    // Bad lines are told and left out.
    for (text, message) in [
        ("a.example robots.txt", "line 1: there is no tab"),
        ("a.example\tA\na.example\tx", "line 2: the host is in the list twice; the first line"),
        ("\nb/example\tx", "line 2: 'b/example' is neither a host nor the URL of a site"),
        ("https://a.example/\tA\na.example\tx", "line 2: the host is in the list twice"),
        ("mailto://\tx", "line 1: 'mailto://' is neither a host nor the URL of a site"),
        (&"x".repeat(1 << 21), "line 1: it is longer than 1 MiB"),
    ] {
        let text = format!("{text}\nz.example\tB\n");
        // Not one after the other: the name of the folder may have a 'B'.
        let text = text.replace('B', "\0").replace('A', &a.display().to_string());
        let list = folder.file("list.tsv", text.replace('\0', &b.display().to_string()));
        run(args!["pack", "--list", &list, "--agent", "FooBot", "-o", &out])
            .gives(3, "")
            .says("list.tsv', ")
            .says(message)
            .says("; left out\n")
            .says(if text.starts_with("https") { "origins 3 " } else { "origins " });
        run_with(args!["filter", "--pack", &out, "--format", "tsv"], b"https://z.example/b\n")
            .gives(0, "disallow\thttps://z.example/b\n");
    }
    // A list may be compressed, and then break off.
    let lines: String = (0..2000).map(|n| format!("{n}.example\t{}\n", a.display())).collect();
    let list = folder.file("list.tsv", lines);
    assert!(Command::new("gzip").arg("-k").arg(&list).status().unwrap().success());
    let packed = folder.path("list.tsv.gz");
    for option in ["--list", "--from"] {
        run(args!["pack", option, &packed, "--agent", "FooBot", "-o", &out])
            .gives(0, "")
            .says("origins 4000 ");
    }
    let bytes = fs::read(&packed).unwrap();
    let cut = folder.file("cut.tsv.gz", &bytes[..bytes.len() - 20]);
    for option in ["--list", "--from"] {
        run(args!["pack", option, &cut, "--agent", "FooBot", "-o", &out])
            .gives(3, "")
            .says("cut.tsv.gz' breaks off: it ends at byte ");
    }
    let list = folder.file("list.tsv", format!("a.example\t{}\n", out.display()));
    run(args!["pack", "--list", &list, "--agent", "a", "-o", &out])
        .fails(2, "is one of the files to read");
}

#[test]
fn wrong_usage() {
    let folder = folder();
    let robots = folder.path("robots");
    run(args!["pack", "--robots-dir", &robots, "-o", "x"]).fails(2, "--agent NAME");
    run(args!["pack", "--robots-dir", &robots, "--agent", "a"]).fails(2, "-o PATH");
    pack(&folder, &["--agent", "GPTBot", "--agent", "FooBot"]).gives(0, "");
    let source = || ["--pack".into(), folder.path("out.pack").into()];
    filter(source(), &[]).fails(2, "there are 2 in the pack");
    filter(source(), &["--agent", "Nobody"]).fails(2, "choose one of GPTBot; FooBot");
    filter(source(), &["--agent", "FooBot", "--profile", "google"])
        .fails(2, "was made with --profile rfc9309");
    filter(["--robots-dir".into(), robots.into()], &[]).fails(2, "--agent NAME");
}

#[test]
fn what_is_no_pack() {
    let folder = folder();
    let missing = folder.path("missing.pack");
    run(args!["pack", "verify", &missing]).fails(3, "missing.pack");
    let other = folder.file("other.pack", "User-agent: *\n");
    for command in ["verify", "stat"] {
        run(args!["pack", command, &other]).fails(3, "not a pack");
    }
    run(args!["filter", "--pack", &other]).fails(3, "not a pack");
    let empty = folder.file("empty.pack", "");
    assert_eq!(run(args!["filter", "--pack", &empty]).status, 3);
}

/// If a policy is damaged its URLs are unknown, the others are judged, and the damage is reported.
#[test]
fn damage() {
    let folder = folder();
    pack(&folder, &["--agent", "FooBot"]).gives(0, "");
    let path = folder.path("out.pack");
    let mut bytes = fs::read(&path).unwrap();
    // In the first record, after its head.
    bytes[16 + 8 + 9] ^= 0x40;
    fs::write(&path, bytes).unwrap();
    run(args!["pack", "verify", &path]).fails(3, "checksum");
    let ran = filter(["--pack".into(), (&path).into()], &["--format", "tsv"]);
    assert_eq!(ran.status, 3, "{ran:?}");
    ran.says("damaged pack");
    let text = String::from_utf8_lossy(&ran.out);
    assert!(text.contains("unknown\thttp://a.example/a\n"), "{text}");
    assert!(text.contains("disallow\thttp://b.example/b\n"), "{text}");
}

/// A file that cannot be read is reported, and its host is unknown.
#[cfg(unix)]
#[test]
fn unreadable_file() {
    let folder = folder();
    let link = folder.path("robots/gone.example");
    std::os::unix::fs::symlink(Path::new("nowhere"), link).unwrap();
    let made = pack(&folder, &["--agent", "FooBot"]);
    made.gives(3, "").says("gone.example").says("origins 12 files 4");
}

/// What a pack must not take the place of: a file that it is made from, or what is no file. A link
/// is followed.
#[cfg(unix)]
#[test]
fn outputs_that_would_destroy_something() {
    let folder = folder();
    let input = folder.path("robots/copy.example");
    let before = fs::read(&input).unwrap();
    let pack = |out: &Path| {
        run(args!["pack", "--robots-dir", folder.path("robots"), "--agent", "GPTBot", "-o", out])
    };
    pack(Path::new(&input)).fails(2, "would be in the folder '");
    assert_eq!(fs::read(&input).unwrap(), before);
    let list = folder.file("list.tsv", format!("copy.example\t{}\n", input.display()));
    run(args!["pack", "--list", &list, "--agent", "GPTBot", "-o", &input])
        .fails(2, "is one of the files to read");
    assert_eq!(fs::read(&input).unwrap(), before);
    pack(Path::new("/dev/null")).fails(3, "is not a regular file");
    pack(Path::new(&folder.path("robots"))).fails(2, "is one of the files to read");
    fs::create_dir(folder.path("empty")).unwrap();
    pack(Path::new(&folder.path("empty"))).fails(3, "is not a regular file");
    pack(Path::new(&folder.path("none/out.pack"))).fails(3, "there is no folder '");

    let (file, link) = (folder.path("file.pack"), folder.path("link.pack"));
    fs::write(&file, "old").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    assert_eq!(pack(Path::new(&link)).status, 0);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::metadata(&file).unwrap().len() > 100);
}

/// A pack that keeps rights answers 'filter --purpose' as the files do, with the lines that decided.
#[test]
fn rights() {
    let folder = folder();
    let usage = "User-agent: GPTBot\nDisallow: /x\nContent-Usage: train-ai=n\n\nUser-agent: *\n\
        Content-Signal: ai-train=yes, ai-input=no\n";
    folder.file("robots/rights.example", usage.as_bytes());
    let agents = ["--agent", "GPTBot", "--agent", "x,FooBot"];
    pack(&folder, &agents).gives(0, "");
    let from_pack = ["--pack".into(), folder.path("out.pack").into()];
    filter(from_pack.clone(), &["--purpose", "ai-train", "--format", "tsv"])
        .fails(2, "does not keep what files say of other purposes than crawling")
        .says("make it again with 'robotsieve pack --rights'");
    for profile in ["rfc9309", "google"] {
        pack(&folder, &[&agents[..], &["--rights", "--profile", profile]].concat()).gives(0, "");
        assert_eq!(run(args!["pack", "verify", folder.path("out.pack")]).status, 0);
        for purpose in ["index", "ai-train", "ai-input"] {
            for format in ["tsv", "jsonl"] {
                let output = ["--purpose", purpose, "--format", format];
                let from_files = ["--robots-dir".into(), folder.path("robots").into()];
                let with_agents = [&output[..], &agents, &["--profile", profile]].concat();
                let wanted = filter(from_files, &with_agents);
                assert_eq!(wanted.status, 0, "{wanted:?}");
                let all = filter(from_pack.clone(), &output);
                if format == "jsonl" && purpose == "ai-train" {
                    let lines = String::from_utf8(all.out.clone()).unwrap();
                    assert!(lines.contains("{\"agent\":\"GPTBot\",\"verdict\":\"disallow\",\"by\":[\"robots.txt:3\"]}"), "{lines}");
                }
                all.gives(0, &wanted.out);
            }
        }
        // It decides on crawling as before.
        let crawl = filter(from_pack.clone(), &["--format", "tsv"]);
        assert_eq!(crawl.status, 0, "{crawl:?}");
    }
    let stat = String::from_utf8(run(args!["pack", "stat", folder.path("out.pack")]).out).unwrap();
    assert!(stat.contains("rights_kept\tyes\n") && stat.contains("rights_records\t1\n"), "{stat}");
    // An update keeps what the pack keeps.
    let update =
        args!["pack", "update", folder.path("out.pack"), "--robots-dir", folder.path("robots")];
    assert_eq!(run(update).status, 0);
    let other = folder.path("other.pack");
    let plain = [&["--agent", "GPTBot", "--agent", "x,FooBot", "--profile", "google"][..]].concat();
    pack(&folder, &plain).gives(0, "");
    fs::rename(folder.path("out.pack"), &other).unwrap();
    pack(&folder, &[&plain[..], &["--rights"]].concat()).gives(0, "");
    run(args!["pack", "merge", &other, folder.path("out.pack"), "-o", folder.path("m.pack")])
        .fails(2, "rights");
}
