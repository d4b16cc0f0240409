//! A URL in the place of a robots.txt, with servers on loopback.

use std::net::TcpListener;

use crate::command::site::{answered, site};
use crate::command::{Folder, Ran, run_in, run_with};

fn always(status: &'static str, body: &'static str) -> String {
    site(move |head| {
        let agent = "user-agent: robotsieve/";
        assert!(head.iter().any(|line| line.starts_with(agent)), "{head:?}");
        answered(status, "", body)
    })
}

const RULES: &str = "User-agent: *\nDisallow: /private\nSitemap: https://e.example/s.xml\n";

fn folder() -> Folder {
    Folder::of(&[
        ("saved.txt", RULES),
        ("expectations", "disallow * /private\n"),
        ("urls", "/\n/private\n"),
        ("log", ""),
    ])
}

#[track_caller]
fn run_line(line: &str) -> Ran {
    crate::command::run_line(&folder(), line)
}

#[test]
fn every_command_takes_one() {
    let origin = always("200 OK", RULES);
    for url in [format!("{origin}/robots.txt"), origin.clone(), format!("{origin}/")] {
        run_line(&format!("check {url} FooBot / /private"))
            .gives(1, "allow\t/\ndisallow\t/private\n");
        run_line(&format!("explain {url} FooBot /private")).status(1);
        run_line(&format!("records {url}")).status(0).prints("https://e.example/s.xml");
        run_line(&format!("dot {url} FooBot")).status(0).prints("digraph");
        run_line(&format!("lint {url}")).status(0);
        run_line(&format!("lint --fix {url}")).fails(2, "cannot be fixed in place");
        run_line(&format!("diff saved.txt {url}")).status(0);
        run_line(&format!("diff {url} {url}")).status(0);
        run_line(&format!("test {url} expectations")).status(0);
        run_line(&format!("crawlers {url} /")).status(0).prints("AI training: 0 of ");
        run_line(&format!("block --crawler FooBot {url}")).status(0).prints("User-agent: FooBot");
        run_line(&format!("filter --robots {url} --agent FooBot urls")).gives(0, "/\n");
        run_line(&format!("explain --record {url} FooBot /")).fails(2, "is for a file");
    }
}

#[test]
fn the_answer_decides() {
    let verdict = |status, options: &str| {
        run_line(&format!(
            "check {options} {} FooBot /x",
            always(status, "User-agent: *\nDisallow: /x")
        ))
    };
    for (status, said) in [
        ("404 Not Found", "there is no robots.txt"),
        ("410 Gone", "there is no robots.txt"),
        ("403 Forbidden", "that counts as no robots.txt"),
        ("429 Too Many Requests", "that counts as no robots.txt"),
    ] {
        let ran = verdict(status, "");
        ran.gives(0, "allow\t/x\n");
        ran.says(&format!("HTTP {}: {said}, so everything is allowed", &status[..3]));
    }
    for status in ["500 Oops", "503 Service Unavailable"] {
        let ran = verdict(status, "");
        ran.gives(1, "disallow\t/x\n");
        ran.says(
            ": crawlers take it for a failing server and fetch nothing, so nothing is allowed",
        );
    }
    // Google waits, as it does with 5xx.
    let ran = verdict("429 Too Many Requests", "--profile google");
    ran.gives(1, "disallow\t/x\n").says("that counts as a failing server, so nothing is allowed");
    let url = always("429 Too Many Requests", "");
    run_line(&format!("test --profile rfc9309 --profile google {url} expectations"))
        .fails(2, "which profile rfc9309 reads differently than google");
    // What is quiet is decided all the same.
    let ran = run_line(&format!("check --quiet {} FooBot /x", always("404 Not Found", "")));
    assert_eq!((ran.status, &ran.err[..]), (0, ""), "{ran:?}");
}

#[test]
fn nothing_stands_for_the_text_of_a_file() {
    let (absent, fails) = (always("404 Not Found", ""), always("503 Oops", ""));
    run_line(&format!("lint {absent}")).status(0).says("HTTP 404: there is no robots.txt");
    run_line(&format!("lint {fails}")).fails(3, "HTTP 503");
    run_line(&format!("records {fails}")).fails(3, "HTTP 503, so there is no file");
    run_line(&format!("block --crawler FooBot {absent}")).status(0).prints("User-agent: FooBot");
    let block = run_line(&format!("block --crawler FooBot {fails}"));
    block.fails(3, "HTTP 503, so there is no file");
    assert_eq!(block.out, b"");
}

#[test]
fn a_monitor() {
    let closed = always("200 OK", "User-agent: *\nDisallow: /\n");
    let ran = run_line(&format!("diff saved.txt {closed}/robots.txt"));
    ran.status(1).prints("the whole site is closed now");
}

/// They ignore `*`, but not that nothing is answered.
const STARLESS: &str = "AdsBot-Google, AdsBot-Google-Mobile, APIs-Google, Cloudflare-SSLDetector, \
                        Mediapartners-Google";

/// What the answer was is in the output, also with `--quiet`.
#[test]
fn what_is_no_file_is_said() {
    let url = format!("{}/robots.txt", always("503 Oops", ""));
    let why = "HTTP 503: crawlers take it for a failing server and fetch nothing, so nothing is \
               allowed";
    let text = format!(
        "new: {url}: {why}\nthe whole site is closed now for * (any other crawler)\n\
         the whole site is closed now for {STARLESS}\n\
         * (any other crawler):\n  disallowed now  /  no rule -> HTTP 503\n\
         {STARLESS}:\n  disallowed now  every path  no rule -> HTTP 503\n\
         other records, of no group:\n  removed  line 3 Sitemap: https://e.example/s.xml\n\
         change: 6 of 6 crawlers, 1 other record\n"
    );
    let ran = run_line(&format!("diff --quiet saved.txt {url}"));
    ran.gives(1, &text);
    assert_eq!(ran.err, "");
    let ran = run_line(&format!("diff --format markdown saved.txt {url}"));
    ran.status(1).prints(&format!("what changes\n\n**New: `{url}` answered HTTP 503**: crawlers"));
    ran.prints("(no rule → HTTP 503)").prints("`AdsBot-Google` (Google, advertising)");
    let ran = run_line(&format!("diff --format github saved.txt {url}"));
    let out = str::from_utf8(&ran.out).unwrap();
    assert!(
        out.starts_with("::warning file=http") && out.contains(&format!("::new: {url}: {why}\n")),
        "{out}"
    );
    assert!(!out.contains("line="), "{out}");
    let ran = run_line(&format!("diff --format json {url} saved.txt"));
    let value: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!(value["new_answer"], serde_json::Value::Null);
    let answer = &value["old_answer"];
    assert_eq!((&answer["answer"], &answer["verdict"]), (&"HTTP 503".into(), &"disallow".into()));
    assert_eq!(value["crawlers"][0]["newly_allowed"][0]["old"], serde_json::Value::Null);
    // An empty file and none mean the same, but are not the same file.
    let absent = always("404 Not Found", "");
    run_line(&format!("diff log {absent}")).gives(
        0,
        format!(
            "new: {absent}/robots.txt: HTTP 404: there is no robots.txt, so everything is allowed\n\
             no change: the meaning in profile rfc9309 is the same\n"
        ),
    );
}

/// Who ignores `*` gets nothing either from a server that fails.
#[test]
fn nothing_is_nothing_for_everybody() {
    let url = always("503 Oops", "");
    run_line(&format!("crawlers {url} / --purpose ads")).status(0).prints("(HTTP 503)");
    let folder = folder();
    folder.file("expectations", "disallow @ads /\n");
    folder.file("log", LOG);
    let run = |line: &str| run_in(&folder.root(), line.split_whitespace().map(Into::into));
    run(&format!("test {url} expectations")).status(0);
    let init = run(&format!("test --init {url} /"));
    init.status(0);
    assert!(
        !str::from_utf8(&init.out).unwrap().lines().any(|line| line.starts_with("allow")),
        "{init:?}"
    );
    // So it is for those that the user adds.
    folder.file(
        "mine.toml",
        "replace = true\n[[crawler]]\nname = \"MyBot\"\ntoken = \"MyBot\"\nstar = false\n\
         operator = \"me\"\npurpose = \"seo\"\nobeys = \"yes\"\nsource = \"me\"\ndate = 2026-11-22\n",
    );
    let ran = run(&format!("crawlers {url} --crawlers mine.toml"));
    ran.status(0).prints("SEO: 1 of 1 shut out").prints("MyBot (HTTP 503)");
    folder.file("expectations", "disallow MyBot /\ndisallow @seo /\n");
    run(&format!("test {url} expectations --crawlers mine.toml")).status(0);
    folder.file("closed.txt", "User-agent: *\nDisallow: /\n");
    let diff = run(&format!("diff closed.txt {url} --format markdown --crawlers mine.toml"));
    diff.status(1).prints("what changes").prints("`MyBot`");
}

/// No line decides where there is no file.
#[test]
fn no_line_of_an_answer_is_named() {
    let folder = folder();
    let run = |line: &str| run_in(&folder.root(), line.split_whitespace().map(Into::into));
    folder.file("log", LOG);
    folder.file("wanted", "allow FooBot /x\nallow FooBot @sitemap\n");
    folder.file("map", "https://e.example/1\n");
    let url = always("503 Oops", "");
    let map = "--sitemap map --site https://e.example";
    let says = ": HTTP 503: crawlers take it for a failing server and fetch nothing";
    for (line, status, said) in [
        (format!("explain {url} FooBot /x"), 1, says),
        (format!("explain --all-profiles {url} FooBot /x"), 1, "all profiles say disallow"),
        (format!("explain {url} FooBot /robots.txt"), 0, "itself may always be fetched; else http"),
        (format!("explain --format json {url} FooBot /x"), 1, "\"answer\":\"HTTP 503\""),
        (format!("check {url} FooBot {map}"), 1, "  HTTP 503  1 URL: https://e.example/1\n"),
        (format!("test {url} wanted {map}"), 1, says),
        (format!("test {url} wanted {map} --format json"), 1, "\"answer\":\"HTTP 503\""),
        (format!("test {url} wanted {map} --format github"), 1, says),
        (format!("test {url} wanted {map} --format sarif"), 1, says),
        (format!("test {url} wanted {map} --format junit"), 1, says),
        (format!("crawlers {url}"), 0, "(HTTP 503)"),
        (format!("crawlers {url} --format json"), 0, "\"by\":\"answer\""),
        (
            format!("filter --robots {url} --agent FooBot --format jsonl urls"),
            0,
            "\"verdict\":\"disallow\"",
        ),
    ] {
        let ran = run(&line);
        ran.status(status).prints(said);
        let out = str::from_utf8(&ran.out).unwrap();
        for named in ["Disallow: /", "line 6", "by the group", "\"line\":6"] {
            assert!(!out.contains(named), "{line}: {named}: {out}");
        }
    }
    let absent = always("404 Not Found", "");
    // What a site answers now says nothing of its log.
    for (url, option, cause) in
        [(&url, "", "HTTP 503"), (&url, "--list", "HTTP 503"), (&absent, "", "HTTP 404")]
    {
        let ran = run(&format!("audit {option} {url} log"));
        ran.fails(3, &format!("gives no file now, but {cause}")).says("with --robots FILE");
        assert!(ran.out.is_empty(), "{ran:?}");
    }
    run(&format!("explain {absent} FooBot /x"))
        .status(0)
        .prints("HTTP 404: there is no robots.txt");
}

const LOG: &str = "192.0.2.7 - - [22/Nov/2026:10:00:00 +0000] \"GET /shop HTTP/1.1\" 200 5 \"-\" \
    \"AdsBot-Google (+http://www.google.com/adsbot.html)\"\n";

#[test]
fn odd_answers() {
    let to = always("200 OK", RULES);
    let location = format!("Location: {to}/elsewhere.txt\r\n");
    let from = site(move |_| answered("301 Moved", &location, ""));
    run_line(&format!("check {from} FooBot /private")).gives(1, "disallow\t/private\n");
    // Crawlers obey it, so there is nothing to say. A monitor prints nothing.
    assert_eq!(run_line(&format!("check {from} FooBot /private")).err, "");
    let absent = always("404 Not Found", "");
    let location = format!("Location: {absent}/404\r\n");
    let from = site(move |_| answered("301 Moved", &location, ""));
    run_line(&format!("check {from} FooBot /private")).gives(0, "allow\t/private\n").says(&format!(
        "{from}/robots.txt: HTTP 404 from {absent}/404, where it redirects: there is no robots.txt"
    ));
    let html = always("200 OK", "<!doctype html><title>Hello</title>");
    run_line(&format!("check {html} FooBot /")).gives(0, "allow\t/\n").says("begins like an HTML");
    let utf16 = site(|_| {
        let text: Vec<u8> = "\u{feff}User-agent: *\nDisallow: /\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        answered("200 OK", "", text)
    });
    // As a file with these bytes is.
    run_line(&format!("check {utf16} FooBot /")).gives(1, "disallow\t/\n").says("is UTF-16");
    run_line(&format!("lint {utf16}")).status(1).prints("RS102");
    // What is of another site this file does not govern.
    let file = always("200 OK", "User-agent: *\nDisallow: /x\n");
    let of = |url: &str| run_line(&format!("check {file} FooBot {url}"));
    of("https://b.example/x")
        .gives(1, "unknown\thttps://b.example/x\n")
        .says("is not judged: it is of");
    of(&format!("{file}/x")).gives(1, format!("disallow\t{file}/x\n"));
    run_line(&format!("explain {file} FooBot https://b.example/x")).status(1).prints("unknown");
    run_with(
        args!["filter", "--robots", &file, "--agent", "FooBot", "--format", "tsv"],
        b"https://b.example/y\n",
    )
    .gives(0, "unknown\thttps://b.example/y\n")
    .says("is not judged");
    let packed = site(|_| answered("200 OK", "", b"\x1f\x8b\x08\0\0\0\0\0"));
    run_line(&format!("check {packed} FooBot /"))
        .fails(3, "the file is compressed with gzip, which the headers do not say");
    let long = site(|_| answered("200 OK", "", vec![b'\n'; (64 << 20) + 1]));
    run_line(&format!("check {long} FooBot /")).fails(3, "it is longer than 64 MiB");
    let turns = site(|_| answered("302 Found", "Location: /robots.txt\r\n", ""));
    run_line(&format!("check {turns} FooBot /"))
        .gives(0, "allow\t/\n")
        .says("the redirects form a loop: that counts as no robots.txt, so everything is allowed");
}

#[test]
fn no_answer_is_no_verdict() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    run_line(&format!("check http://{nobody} FooBot /"))
        .fails(3, "no connection")
        .says("nothing else has answered, so the network here may be at fault");
    // Who answers shows that the network works.
    let location = format!("Location: http://{nobody}/x\r\n");
    let leads = site(move |_| answered("302 Found", &location, ""));
    let ran = run_line(&format!("check {leads} FooBot /"));
    ran.fails(3, &format!("(http://{nobody}/x, where it redirects)"));
    assert!(!ran.err.contains("network here"), "{ran:?}");
    // A redirect to a private address, from a URL that does not name one, is tested in the client.
    // One that names an address may lead to no other.
    for to in ["http://127.0.0.2:1/x", "http://169.254.169.254/latest"] {
        let location = format!("Location: {to}\r\n");
        let from = site(move |_| answered("301 Moved", &location, ""));
        run_line(&format!("check {from} FooBot /"))
            .fails(3, &format!("is not public ({to}, where it redirects)"))
            .says("is asked only if the URL given names it itself");
    }
    run_line("check http:///robots.txt FooBot /").fails(2, "is a URL without a host");
    run_line("check ftp://e.example/robots.txt FooBot /").fails(3, "'ftp' is not fetched here");
    run_line("check http://none.invalid FooBot /").fails(3, "cannot fetch http://none.invalid");
}

/// What decided in the place of a file is named as with a store.
#[test]
fn filter_says_why() {
    for (status, verdict, why) in [
        ("404 Not Found", "allow", "absent"),
        ("403 Forbidden", "allow", "absent"),
        ("503 Service Unavailable", "disallow", "unreachable_without_copy"),
    ] {
        let ask = |format: &str| {
            let url = always(status, RULES);
            run_line(&format!("filter --robots {url} --agent FooBot --format {format} urls"))
        };
        let lines = format!("{verdict}\t/\t{why}\n{verdict}\t/private\t{why}\n");
        ask("tsv --why").gives(0, &lines);
        ask("jsonl").status(0).prints(&format!("\"why\":\"{why}\""));
    }
}
