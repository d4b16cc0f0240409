//! `robotsieve check`.

use std::process::Stdio;

use crate::command::{Folder, command, run, run_with};

const ROBOTS: &str = "User-agent: FooBot\nDisallow: /private\n\nUser-agent: *\nDisallow: /\n";

#[test]
fn exit_status_and_lines() {
    let folder = Folder::new();
    let robots = folder.file("robots.txt", ROBOTS);
    run(args!["check", &robots, "FooBot", "https://e.com/"]).gives(0, "allow\thttps://e.com/\n");
    run(args!["check", &robots, "FooBot", "/private/x"]).gives(1, "disallow\t/private/x\n");
    run(args!["check", &robots, "OtherBot", "/"]).gives(1, "disallow\t/\n");
    run(args!["check", &robots, "FooBot", "/a", "/private", "/b"])
        .gives(1, "allow\t/a\ndisallow\t/private\nallow\t/b\n");
    // Invalid takes precedence over disallowed.
    run(args!["check", &robots, "FooBot", "/private", "e.com", ""])
        .gives(2, "disallow\t/private\ninvalid\te.com\ninvalid\t\n")
        .says("robotsieve: 2 URLs are invalid, the first is 'e.com': a URL is scheme://host/path");
}

#[test]
fn nothing_is_invalid_for_google() {
    let folder = Folder::new();
    let robots = folder.file("robots.txt", ROBOTS);
    let check = |urls: &[&str]| {
        let first = args!["check", "--profile", "google", &robots, "FooBot"];
        run(first.into_iter().chain(urls.iter().map(Into::into)))
    };
    check(&["", "e.com/private"]).gives(1, "allow\t\ndisallow\te.com/private\n");
    check(&[""]).gives(0, "allow\t\n");
}

#[test]
fn profiles() {
    let folder = Folder::new();
    let robots = folder.file("robots.txt", "User-agent: foo\nDisallow: fish/\nAllow: /fish/x\n");
    let check = |profile: &str, url: &str| {
        run(args!["check", "--profile", profile, &robots, "foobot", url]).status
    };
    // In rfc9309 tokens must be equal. In google-classic a prefix is enough, and the '/' is implied.
    // In original-1994 a part of the name is enough, and there is no Allow.
    assert_eq!(check("rfc9309", "/fish/"), 0);
    assert_eq!(check("google", "/fish/"), 0);
    assert_eq!(check("google-classic", "/fish/"), 1);
    assert_eq!(check("google-classic", "/fish/x"), 0);
    assert_eq!(check("original-1994", "/fish/"), 0);
    run(args!["check", "--profile", "Google", &robots, "foobot", "/"]).fails(2, "google-classic");
}

#[test]
fn agent_is_names_or_a_header() {
    let folder = Folder::new();
    let robots = folder.file(
        "robots.txt",
        "User-agent: news\nDisallow: /news\n\nUser-agent: bot\nDisallow: /bot\n",
    );
    let check = |agent: &str, url: &str| run(args!["check", &robots, agent, url]).status;
    assert_eq!(check("news,bot", "/news"), 1);
    assert_eq!(check("news,bot", "/bot"), 0);
    assert_eq!(check("none,bot", "/bot"), 1);
    // The space belongs to the name, and so does a version: no group can match such names.
    assert_eq!(check("none, bot", "/bot"), 2);
    assert_eq!(check("bot/1.0", "/bot"), 2);
    assert_eq!(check("", "/bot"), 0);
    assert_eq!(check(",bot", "/bot"), 1);
    let header = |agent: &str| run(args!["check", "--user-agent", agent, &robots, "/bot"]).status;
    assert_eq!(header("Mozilla/5.0 (compatible; bot/1.0)"), 1);
    assert_eq!(header("news bot"), 0);
    // Options may follow the arguments.
    run(args!["check", &robots, "/bot", "--user-agent", "bot/1.0"]).gives(1, "disallow\t/bot\n");
    run(args!["check", &robots, "/bot", "--agent", "none,bot"]).gives(1, "disallow\t/bot\n");
    run(args!["check", "--", &robots, "-bot", "/bot"]).gives(0, "allow\t/bot\n");
}

#[test]
fn urls_from_standard_input() {
    let folder = Folder::new();
    let robots = folder.file("robots.txt", ROBOTS);
    let check = |input: &[u8]| run_with(args!["check", &robots, "FooBot", "-"], input);
    check(b"/a\r\n\n\r\n/b\xff\n/c").gives(0, b"allow\t/a\nallow\t/b\xff\nallow\t/c\n");
    check(b"/a\n/private").gives(1, "allow\t/a\ndisallow\t/private\n");
    check(b"/private\nx\n").gives(2, "disallow\t/private\ninvalid\tx\n");
    check(b"").gives(0, "");
    // '-' is special only on its own.
    run_with(args!["check", &robots, "FooBot", "-", "/a"], b"/private\n")
        .gives(2, "invalid\t-\nallow\t/a\n");
}

#[test]
fn what_cannot_be_read() {
    let folder = Folder::new();
    let absent = folder.path("absent.txt");
    run(args!["check", &absent, "FooBot", "/"]).fails(3, "absent.txt");
    run(args!["check", folder.root(), "FooBot", "/"]).fails(3, "cannot read robots.txt");
    // After a folder, '-' is an ordinary name.
    run_with(args!["check", "./-", "FooBot", "/"], ROBOTS.as_bytes()).fails(3, "'./-'");
}

#[test]
fn usage() {
    run(args!["check"]).fails(2, "Usage: robotsieve check");
    run(args!["check", "robots.txt", "FooBot"]).fails(2, "URL");
    run(args!["check", "--frobnicate", "robots.txt", "FooBot", "/"]).fails(2, "--frobnicate");
}

#[cfg(unix)]
#[test]
fn arguments_are_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let robots = folder.file("robots.txt", b"User-agent: *\nDisallow: /\xe9");
    let url = OsStr::from_bytes(b"/\xe9t\xe9");
    // Profile google takes such names, with a warning.
    let crawler = OsStr::from_bytes(b"\xff");
    run(args!["check", &robots, crawler, url]).fails(2, "is not a product token");
    run(args!["check", &robots, "FooBot", url]).gives(1, b"disallow\t/\xe9t\xe9\n");
}

/// The exit status is the answer even if nobody reads the lines.
#[test]
fn closed_pipe_keeps_the_status() {
    let folder = Folder::new();
    let robots = folder.file("robots.txt", ROBOTS);
    for name in ["check", "explain"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = command(args![name, &robots, "FooBot", "/private"]);
        let child = command.stdout(Stdio::from(writer)).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(output.stderr.is_empty(), "{output:?}");
    }
}

/// A name is a product token in every command, and a note says where the known crawler of that name
/// is asked something else.
#[test]
fn a_name_is_a_product_token() {
    let folder = Folder::new();
    let google = folder.file("google", "User-agent: Googlebot\nDisallow: /x\n");
    let all = folder.file("all", "User-agent: *\nDisallow: /x\n");
    let image = "no group names 'Googlebot-Image', so this product token obeys that of '*', if there is \
                 one; the crawler obeys that of Googlebot, as its operator says: ask for \
                 'Googlebot-Image,Googlebot'";
    let ads = "a product token obeys the group of *, but AdsBot-Google ignores the group of *";
    for (file, name, is_allowed, note) in
        [(&google, "Googlebot-Image", true, image), (&all, "AdsBot-Google", false, ads)]
    {
        let (status, verdict) = if is_allowed { (0, "allow") } else { (1, "disallow") };
        run(args!["check", file, name, "/x"]).gives(status, format!("{verdict}\t/x\n")).says(note);
        run(args!["explain", file, name, "/x"]).says(note);
        run_with(args!["filter", "--robots", file, "--agent", name, "--format", "tsv"], b"/x\n")
            .gives(0, format!("{verdict}\t/x\n"))
            .says(note);
        let opposite = if is_allowed { "disallow" } else { "allow" };
        let lines = format!("{verdict} {name} /x\n{opposite} @{name} /x\n");
        run_with(args!["test", file, "-"], lines.as_bytes())
            .gives(0, "")
            .says(note)
            .says(&format!("'@{name}' stands for the crawler"));
        // It is the one that `crawlers` judges.
        let json = run(args!["crawlers", "--format", "json", file, "/x"]).out;
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert!(json.to_string().contains(name));
    }
    // The names of one crawler, and others: there is no difference to tell.
    for name in ["Googlebot-Image,Googlebot", "Googlebot", "FooBot"] {
        assert_eq!(run(args!["check", &google, name, "/y"]).err, "");
    }
    run(args!["check", &google, "Googlebot-Image,Googlebot", "/x"]).gives(1, "disallow\t/x\n");
}
