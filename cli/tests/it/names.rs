//! Names that are no names, and whole headers.

use serde_json::Value;

use crate::command::{Folder, Ran, run_in};

const ROBOTS: &str = "User-agent: GPTBot\nUser-agent: Sogou web spider\nDisallow: /\n\n\
    User-agent: MJ12bot\nDisallow: /\n\nUser-agent: *\nAllow: /\n";
const HEADER: &str = "Mozilla/5.0 (KHTML, like Gecko; compatible; GPTBot/1.1)";

fn folder() -> Folder {
    let folder = Folder::of(&[("robots.txt", ROBOTS), ("urls", "https://e.example/x\n")]);
    folder.file("robots/e.example", ROBOTS);
    folder
}

fn robotsieve(folder: &Folder, line: &[&str]) -> Ran {
    run_in(&folder.root(), line.iter().map(std::ffi::OsString::from))
}

/// The commands that take a crawler's name, with NAME in its place.
const COMMANDS: [&[&str]; 12] = [
    &["check", "robots.txt", "NAME", "/x"],
    &["check", "--agent", "NAME", "robots.txt", "/x"],
    &["explain", "robots.txt", "NAME", "/x"],
    &["explain", "--all-profiles", "robots.txt", "NAME", "/x"],
    &["explain", "--record", "robots.txt", "NAME", "/x"],
    &["dot", "robots.txt", "NAME"],
    &["filter", "--robots", "robots.txt", "--agent", "NAME", "urls"],
    &["filter", "--robots-dir", "robots", "--agent", "GPTBot", "--agent", "NAME", "urls"],
    &["pack", "--robots-dir", "robots", "--agent", "NAME", "-o", "out"],
    &["diff", "--agent", "NAME", "robots.txt", "robots.txt"],
    &["records", "--agent", "NAME", "robots.txt"],
    &["filter", "--pack", "p", "--agent", "NAME", "urls"],
];

fn with<'l>(line: &[&'l str], name: &'l str) -> Vec<&'l str> {
    line.iter().map(|word| if *word == "NAME" { name } else { word }).collect()
}

/// A slip of the pen in a name is told once, whatever the command.
#[test]
fn did_you_mean() {
    let folder = folder();
    let question = "no crawler is known as 'Googelbot': did you mean 'Googlebot'?";
    for command in &COMMANDS[..11] {
        let ran = robotsieve(&folder, &with(command, "Googelbot"));
        assert_eq!(ran.err.matches(question).count(), 1, "{command:?} {ran:?}");
        let quiet = robotsieve(&folder, &[&["-q"][..], &with(command, "Googelbot")].concat());
        assert!(!quiet.err.contains("did you mean"), "{command:?} {quiet:?}");
        let ran = robotsieve(&folder, &with(command, "openai"));
        assert!(ran.err.contains("did you mean 'GPTBot'?"), "{command:?} {ran:?}");
        let ran = robotsieve(&folder, &with(command, "Gooseberrybot"));
        assert!(!ran.err.contains("did you mean"), "{command:?} {ran:?}");
    }
}

#[test]
fn names_that_no_group_can_match() {
    let folder = folder();
    let pack = ["pack", "--robots-dir", "robots", "--agent", "GPTBot", "-o", "p"];
    assert_eq!(robotsieve(&folder, &pack).status, 0);
    let names = [
        (
            "GPTBot/1.0",
            "'GPTBot/1.0' is not a product token, so no group can name it in profile \
          rfc9309: did you mean 'GPTBot'? A whole header goes to --user-agent",
        ),
        ("x,Sogou web spider", "did you mean 'Sogou'?"),
        ("Big Brother", "did you mean 'Big'?"),
        (
            HEADER,
            "looks like a User-Agent header, not a name: give it with --user-agent, or name \
          the crawler 'GPTBot'",
        ),
    ];
    for command in COMMANDS {
        for (name, message) in names {
            robotsieve(&folder, &with(command, name)).fails(2, message);
        }
    }
    assert!(!folder.path("out").exists());
}

/// The operator's verdict is noted where it is another one.
#[test]
fn known_crawlers_as_their_operators_read() {
    let folder = Folder::of(&[("robots.txt", "User-agent: *\nDisalow: /old-shop/\n")]);
    for command in ["check", "explain"] {
        let ask = |name, path| robotsieve(&folder, &[command, "robots.txt", name, path]);
        let ran = ask("Googlebot", "/old-shop/");
        assert_eq!(ran.status, 0, "{ran:?}");
        ran.says("Googlebot of Google reads robots.txt in profile google, where it may not fetch '/old-shop/'");
        assert!(!ask("Googlebot", "/x").err.contains("profile google"));
        assert!(!ask("GPTBot", "/old-shop/").err.contains("profile google"));
    }
    // `filter` tells the first file that has other rules, whatever the URLs.
    let same = "User-agent: *\nDisallow: /\n";
    let files =
        [("urls", "http://a.test/x\nhttp://b.test/x\nhttp://c.test/x\n"), ("robots/a.test", same)];
    let other = "User-agent: *\nDisalow: /old-shop/\n";
    let more = [("robots/b.test", other), ("robots/c.test", other), ("robots.txt", other)];
    let folder = Folder::of(&[&files[..], &more].concat());
    let made =
        ["store import sites.store --robots-dir robots", "pack --robots-dir robots -o p --agent"];
    let made = made.map(|made| made.split(' ').collect::<Vec<_>>());
    assert_eq!(robotsieve(&folder, &made[0]).status, 0);
    assert_eq!(
        robotsieve(&folder, &[&made[1][..], &["GPTBot", "--agent", "Googlebot"]].concat()).status,
        0
    );
    for (from, name) in [
        (["--robots", "robots.txt"], "this robots.txt"),
        (["--robots-dir", "robots"], "'b.test'"),
        (["--store", "sites.store"], "the file of http://b.test"),
    ] {
        let ask = |options: &[&str]| {
            robotsieve(
                &folder,
                &[&["filter", "urls", "--agent", "GPTBot"], &from[..], options].concat(),
            )
        };
        let note = format!(
            "Googlebot: Google reads robots.txt in profile google, in which {name} has other rules for it: --profile \
             google shows its verdicts"
        );
        let ran = ask(&["--agent", "Googlebot", "--format", "tsv"]);
        assert_eq!((ran.status, ran.err.matches(&note).count()), (0, 1), "{ran:?}");
        assert!(!ran.err.contains("'c.test'"), "{ran:?}");
        // A name alone has not the verdicts of a crawler that obeys other groups too.
        let image = ask(&["--agent", "Googlebot-Image", "--format", "tsv"]);
        assert!(
            image.err.contains(": ask for 'Googlebot-Image,Googlebot' with --profile google\n"),
            "{image:?}"
        );
        assert!(!ask(&["--format", "tsv"]).err.contains("profile google"));
        let google = ask(&["--agent", "Googlebot", "--format", "tsv", "--profile", "google"]);
        assert!(!google.err.contains("profile google"), "{google:?}");
    }
    // A pack has no files.
    let ask = |options: &[&str]| {
        robotsieve(&folder, &[&["filter", "urls", "--pack", "p"], options].concat())
    };
    let note = "Googlebot: Google reads robots.txt in profile google, in which files may have other rules for it; this \
                pack was made in profile rfc9309, and 'robotsieve pack --profile google' makes one in that\n";
    assert!(ask(&[]).err.contains(note), "{:?}", ask(&[]));
    assert!(!ask(&["--agent", "GPTBot"]).err.contains("profile google"));
}

/// Reports on known crawlers judge each as its operator reads, say so, and leave that to `--profile` if it is given.
#[test]
fn reports_read_as_operators_do() {
    let text = |ran: &Ran| String::from_utf8(ran.out.clone()).unwrap();
    let log = |name: &str| {
        format!(
            "192.0.2.1 - - [01/Nov/2026:10:00:00 +0000] \"GET /old-shop/ HTTP/1.1\" 200 1 \"-\" \"{name}/2.1\"\n"
        )
    };
    let folder = Folder::of(&[
        ("robots.txt", "User-agent: *\nDisallow: /a/\nDisalow: /old-shop/\n"),
        (
            "robots.expect",
            "disallow Googlebot /old-shop/\ndisallow @Googlebot /old-shop/\nallow GPTBot /old-shop/\n",
        ),
        ("log", &(log("Googlebot") + &log("GPTBot"))),
        ("urls", "https://e.example/old-shop/\nhttps://e.example/b\n"),
    ]);
    let note = "Googlebot: judged in profile google, in which Google reads robots.txt, and in which this file has other \
                rules for it; --profile rfc9309 judges all alike";
    let commands: [&[&str]; 4] = [
        &["crawlers", "robots.txt", "Googlebot", "GPTBot", "/old-shop/"],
        &["test", "robots.txt", "robots.expect"],
        &["audit", "robots.txt", "log"],
        &[
            "enforce",
            "--server",
            "nginx",
            "--crawler",
            "Googlebot",
            "--crawler",
            "GPTBot",
            "robots.txt",
        ],
    ];
    for command in commands {
        let ran = robotsieve(&folder, command);
        assert_eq!((text(&ran) + &ran.err).matches(note).count(), 1, "{command:?} {ran:?}");
        for profile in ["rfc9309", "google"] {
            let ran = robotsieve(&folder, &[command, &["--profile", profile]].concat());
            assert!(!(text(&ran) + &ran.err).contains("judged in profile"), "{command:?}");
        }
    }
    let ran = robotsieve(&folder, commands[0]);
    assert!(
        text(&ran).contains("disallow  all but /a/ (line 2) and /old-shop/ (line 3)\n"),
        "{ran:?}"
    );
    assert!(text(&ran).contains("allow     all but /a/ (line 2)\n"), "{ran:?}");
    let json = robotsieve(&folder, &[commands[0], &["--format", "json"]].concat()).out;
    let json: Value = serde_json::from_slice(&json).unwrap();
    let profile = |token: &str| {
        let all = json["crawlers"].as_array().unwrap();
        all.iter().find(|one| one["token"] == token).unwrap()["profile"].clone()
    };
    assert_eq!((profile("Googlebot"), profile("GPTBot")), ("google".into(), "rfc9309".into()));
    let sitemap = [commands[0], &["--sitemap", "urls"]].concat();
    let ran = robotsieve(&folder, &sitemap);
    assert!(
        text(&ran).contains("sitemap: 1 of 2; forbidden by line 3 Disallow: /old-shop/ (1)"),
        "{ran:?}"
    );
    assert_eq!(robotsieve(&folder, commands[1]).status, 0);
    let ran = robotsieve(&folder, &[commands[1], &["--profile", "rfc9309"]].concat());
    assert_eq!(ran.status, 1);
    assert!(text(&ran).contains("Googlebot, /old-shop/ (profile rfc9309)"), "{ran:?}");
    folder.file("other.expect", "allow Googlebot /old-shop/\n");
    let ran = robotsieve(&folder, &["test", "robots.txt", "other.expect"]);
    assert!(text(&ran).contains("Googlebot, /old-shop/ (profile google)"), "{ran:?}");
    let ran = robotsieve(&folder, commands[2]);
    assert_eq!(ran.status, 1);
    assert!(text(&ran).contains("Disallow: /old-shop/"), "{ran:?}");
    let ran = robotsieve(&folder, commands[3]);
    assert!(
        text(&ran).contains("profile rfc9309, or google as their operators read it"),
        "{ran:?}"
    );
    assert_eq!(text(&ran).matches("old-shop").count(), 4, "{ran:?}");
    // What is known of a crawler is kept where the list is written and read again.
    let list = text(&robotsieve(&folder, &["crawlers", "--list", "--format", "toml"]));
    folder.file("mine.toml", &("replace = true\n".to_owned() + &list));
    let ran = robotsieve(&folder, &[commands[0], &["--crawlers", "mine.toml"]].concat());
    assert!(text(&ran).contains(note), "{ran:?}");
}

#[test]
fn google_takes_names_as_given() {
    let folder = folder();
    for (name, message) in [
        ("GPTBot/1.0", "no group can name it in profile google: did you mean 'GPTBot'?"),
        ("MJ12bot", "no group can name it in profile google: a line with it names 'MJ'"),
        (HEADER, "give it with --user-agent"),
    ] {
        robotsieve(&folder, &["check", "--profile", "google", "robots.txt", name, "/x"])
            .gives(0, "allow\t/x\n")
            .says(message);
    }
    // MJ12bot is a name elsewhere, and `explain` says where it is none.
    let ran = robotsieve(&folder, &["check", "robots.txt", "MJ12bot", "/x"]);
    assert_eq!((ran.status, &*ran.err), (1, ""));
    let ran = robotsieve(&folder, &["explain", "--all-profiles", "robots.txt", "MJ12bot", "/x"]);
    assert_eq!(ran.status, 1);
    ran.says("no group can name it in profile google");
}

#[test]
fn names_of_other_profiles() {
    let folder = folder();
    for profile in ["google-classic", "original-1994"] {
        for name in ["GPTBot/1.0", "Sogou web spider"] {
            let ran =
                robotsieve(&folder, &["check", "--profile", profile, "robots.txt", name, "/x"]);
            assert_eq!((ran.status, &*ran.err), (1, ""), "{profile} {name}");
        }
        robotsieve(&folder, &["check", "--profile", profile, "robots.txt", HEADER, "/x"])
            .fails(2, "looks like a User-Agent header");
    }
    // Names that stand for a crawler without a group.
    for name in ["", "*"] {
        let ran = robotsieve(&folder, &["check", "robots.txt", name, "/x"]);
        assert_eq!((ran.status, &*ran.err), (0, ""));
    }
    // One word with an odd character, as Python and npm have it.
    for name in ["GPTBot!", "GPTBot*"] {
        robotsieve(&folder, &["check", "robots.txt", name, "/x"])
            .fails(2, "a line with it names 'GPTBot'");
    }
}

#[test]
fn replay_refuses_them_too() {
    let folder = folder();
    let explain = ["explain", "--record", "robots.txt", "Sogou", "/x"];
    let record = robotsieve(&folder, &explain);
    let record = String::from_utf8(record.out.clone()).unwrap();
    folder.file("good", &record);
    folder.file("bad", record.replace("Sogou", "Sogou/1"));
    assert_eq!(robotsieve(&folder, &["replay", "good"]).status, 0);
    let ran = robotsieve(&folder, &["replay", "bad"]);
    assert_eq!(ran.status, 2);
    let out = String::from_utf8_lossy(&ran.out).into_owned();
    assert!(out.contains("malformed") && out.contains("did you mean 'Sogou'?"), "{out}");
}

#[test]
fn explain_shows_how_a_header_was_read() {
    let folder = folder();
    let header = "FooBot/1.0 (like Gecko); compatible; GPTBot/1.0; +https://e.example/MJ12bot";
    let ran = robotsieve(&folder, &["explain", "--user-agent", header, "robots.txt", "/x"]);
    let out = String::from_utf8(ran.out).unwrap();
    assert!(out.contains("the names in the User-Agent header, the surest first"), "{out}");
    assert!(out.contains("^^^^^^ 1: after 'compatible', decides"), "{out}");
    assert!(out.contains("------ 2: a product"), "{out}");
    let other = robotsieve(&folder, &["explain", "--user-agent", "FooBot", "robots.txt", "/x"]);
    let other = String::from_utf8(other.out).unwrap();
    assert!(other.contains("no group is for a name in the User-Agent header"), "{other}");
    assert!(other.contains("1: a product, without a group"), "{other}");
    let browser = ["explain", "--user-agent", "Mozilla/5.0", "robots.txt", "/x"];
    let browser = String::from_utf8(robotsieve(&folder, &browser).out).unwrap();
    assert!(browser.contains("no word of the User-Agent header is a crawler's name"), "{browser}");

    let json = ["explain", "--format", "json", "--user-agent", header, "robots.txt", "/x"];
    let json: Value = serde_json::from_slice(&robotsieve(&folder, &json).out).unwrap();
    let names = serde_json::json!([
        { "name": "GPTBot", "agent_span": [37, 43], "certainty": "compatible",
            "label": "1: after 'compatible', decides" },
        { "name": "FooBot", "agent_span": [0, 6], "certainty": "product",
            "label": "2: a product" },
    ]);
    assert_eq!(json["names"], names);
    assert_eq!(json["selection"]["decided_by"], serde_json::json!([0]));
}
