//! A URL in the place of a robots.txt, with servers on loopback.

use std::net::TcpListener;

use crate::command::site::{answered, site};
use crate::command::{Folder, Ran, run_in};

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
    run_in(&folder().root(), line.split_whitespace().map(Into::into))
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
    for status in ["404 Not Found", "410 Gone", "403 Forbidden", "429 Too Many Requests"] {
        let ran = verdict(status, "");
        ran.gives(0, "allow\t/x\n");
        let said = format!("HTTP {}: it has no robots.txt, so everything is allowed", &status[..3]);
        ran.says(&said);
    }
    for status in ["500 Oops", "503 Service Unavailable"] {
        let ran = verdict(status, "");
        ran.gives(1, "disallow\t/x\n");
        ran.says("so nothing is allowed: read as 'User-agent: *', 'Disallow: /'");
    }
    // Google waits, as it does with 5xx.
    verdict("429 Too Many Requests", "--profile google").gives(1, "disallow\t/x\n");
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
    run_line(&format!("lint {absent}")).status(0).says("HTTP 404: it has no robots.txt");
    run_line(&format!("lint {fails}")).fails(3, "HTTP 503");
    run_line(&format!("block --crawler FooBot {absent}")).status(0).prints("User-agent: FooBot");
    let block = run_line(&format!("block --crawler FooBot {fails}"));
    block.fails(3, "but there is no file to read");
    assert_eq!(block.out, b"");
}

#[test]
fn a_monitor() {
    let closed = always("200 OK", "User-agent: *\nDisallow: /\n");
    let ran = run_line(&format!("diff saved.txt {closed}/robots.txt"));
    ran.status(1).prints("the whole site is closed now");
}

#[test]
fn odd_answers() {
    let to = always("200 OK", RULES);
    let location = format!("Location: {to}/elsewhere.txt\r\n");
    let from = site(move |_| answered("301 Moved", &location, ""));
    run_line(&format!("check {from} FooBot /private"))
        .gives(1, "disallow\t/private\n")
        .says("leads to");
    let html = always("200 OK", "<!doctype html><title>Hello</title>");
    run_line(&format!("check {html} FooBot /")).gives(0, "allow\t/\n").says("begins like an HTML");
    let utf16 = site(|_| {
        let text: Vec<u8> = "\u{feff}User-agent: *\nDisallow: /\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        answered("200 OK", "", text)
    });
    run_line(&format!("check {utf16} FooBot /")).gives(1, "disallow\t/\n").says("UTF-16");
    let long = site(|_| answered("200 OK", "", vec![b'\n'; (64 << 20) + 1]));
    run_line(&format!("check {long} FooBot /")).fails(3, "it is longer than 64 MiB");
    let turns = site(|_| answered("302 Found", "Location: /robots.txt\r\n", ""));
    run_line(&format!("check {turns} FooBot /"))
        .gives(0, "allow\t/\n")
        .says("the redirects form a loop: it has no robots.txt, so everything is allowed");
}

#[test]
fn no_answer_is_no_verdict() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    run_line(&format!("check http://{nobody} FooBot /")).fails(3, "no connection");
    // A redirect to a private address, from a URL that does not name one, is tested in the client.
    run_line("check http://none.invalid FooBot /").fails(3, "cannot fetch http://none.invalid");
}
