//! `robotsieve block`: groups, edited files, and what is not proven.

use robotsieve::{Crawler, Profile, Robots};
use serde_json::Value;

use crate::command::{Folder, root, run, run_line, run_with, text};

fn folder(robots: &str) -> Folder {
    Folder::of(&[("robots.txt", robots)])
}

/// The tokens of a purpose with their after-names.
fn known() -> Vec<(String, Crawler, String)> {
    let ran = run(args!["crawlers", "--list", "--format", "json"]);
    let value: Value = serde_json::from_slice(&ran.out).unwrap();
    let crawlers = value["crawlers"].as_array().unwrap().iter().map(|crawler| {
        let token = crawler["token"].as_str().unwrap().to_owned();
        let after = crawler["after"].as_array().unwrap().iter().map(|n| n.as_str().unwrap());
        let names = Crawler::names([token.as_str()].into_iter().chain(after));
        (token, names, crawler["purpose"].as_str().unwrap().to_owned())
    });
    crawlers.collect()
}

#[test]
fn groups_alone() {
    let folder = folder("");
    let ran = run_line(&folder, "block --crawler FooBot --crawler foobot --crawler Bar-Bot");
    ran.gives(0, "# Other crawlers\nUser-agent: FooBot\nUser-agent: Bar-Bot\nDisallow: /\n");
    let ran = run_line(&folder, "block --purpose ai-training --crawler Bytespider --crawler X");
    assert_eq!(ran.status, 0, "{ran:?}");
    let text = text(&ran);
    assert!(text.starts_with("# Crawlers for AI training\nUser-agent: "), "{text}");
    assert!(
        text.contains("\nDisallow: /\n\n# Other crawlers\nUser-agent: X\nDisallow: /\n"),
        "{text}"
    );
    let robots = Robots::parse(text.as_bytes(), &Profile::RFC9309);
    for (token, crawler, purpose) in known() {
        let is_out = !robots.policy(&crawler).is_allowed("/x").unwrap();
        assert_eq!(is_out, purpose == "ai-training", "{token}");
    }
    assert_eq!(text.matches("Bytespider").count(), 1, "{text}");
    // An empty file is as none.
    run_with(args!["block", "--crawler", "FooBot", "-"], b"")
        .gives(0, "# Other crawlers\nUser-agent: FooBot\nDisallow: /\n");
}

#[test]
fn edited_files() {
    for (robots, wanted) in [
        // Nothing to take out.
        (
            "User-agent: *\nDisallow: /x",
            "User-agent: *\nDisallow: /x\n\n# Other crawlers\nUser-agent: FooBot\nDisallow: /\n",
        ),
        // Shut out already: as it was.
        ("User-agent: foobot\nDisallow: /", "User-agent: foobot\nDisallow: /"),
        ("User-agent: *\nDisallow: /\n", "User-agent: *\nDisallow: /\n"),
        // In a group of its own.
        (
            "User-agent: FooBot\nDisallow: /x\nAllow: /y\n\nUser-agent: *\nDisallow:\n",
            "User-agent: *\nDisallow:\n\n# Other crawlers\nUser-agent: FooBot\nDisallow: /\n",
        ),
        // With others, and twice.
        (
            "User-agent: a\nUser-agent: FooBot\nAllow: /y\nDisallow: /x\nUser-agent: FOOBOT/1\n\
             Allow: /z\n",
            "User-agent: a\nAllow: /y\nDisallow: /x\n\n# Other crawlers\nUser-agent: FooBot\n\
             Disallow: /\n",
        ),
        // With everybody.
        (
            "User-agent: *\r\nUser-agent: FooBot\r\nDisallow: /x\r\n",
            "User-agent: *\r\nDisallow: /x\r\n\r\n# Other crawlers\r\nUser-agent: FooBot\r\n\
             Disallow: /\r\n",
        ),
        // The last group has no rules: at the end, FooBot would join it.
        (
            "User-agent: *\nDisallow: /x\nUser-agent: a\n",
            "# Other crawlers\nUser-agent: FooBot\nDisallow: /\n\nUser-agent: *\nDisallow: /x\n\
             User-agent: a\n",
        ),
    ] {
        let folder = folder(robots);
        run_line(&folder, "block --crawler FooBot robots.txt").gives(0, wanted);
        // What is done is not done again.
        folder.file("robots.txt", wanted);
        run_line(&folder, "block --crawler FooBot robots.txt")
            .gives(0, wanted)
            .says("1 of 1 crawlers were shut out already");
    }
}

/// With the library: in all profiles the crawlers are shut out, and nothing changes for others.
#[test]
fn files_of_all_kinds() {
    let known = known();
    let paths = ["/", "/x", "/wp-admin/admin-ajax.php", "/search?q=1", "/private/a.pdf", "/robots"];
    for file in std::fs::read_dir(root().join("corpora/robots")).unwrap() {
        let path = file.unwrap().path();
        let old = std::fs::read(&path).unwrap();
        let ran = run(args!["block", "--purpose", "ai-training", &path]);
        if ran.status == 1 {
            ran.fails(1, "nothing is printed, since ");
            continue;
        }
        assert_eq!(ran.status, 0, "{path:?}: {ran:?}");
        for (name, profile) in Profile::NAMED {
            let [old, new] = [&old, &ran.out].map(|file| Robots::parse(file, profile));
            for (token, crawler, purpose) in &known {
                let is_meant = purpose == "ai-training";
                let can_be_named = Crawler::try_name(token, profile).is_ok();
                let [old, new] = [&old, &new].map(|robots| robots.policy(crawler));
                for path in paths {
                    let [old, new] = [&old, &new].map(|policy| policy.is_allowed(path).unwrap());
                    if is_meant && can_be_named {
                        assert!(!new, "{name} {token} {path}");
                    } else if !is_meant && ["rfc9309", "google"].contains(name) {
                        assert_eq!(old, new, "{name} {token} {path}");
                    }
                }
            }
        }
        // The whole meaning, by another command.
        let diff = |token: &str| {
            let folder = Folder::new();
            let new = folder.file("new", &ran.out);
            run(args!["diff", "--agent", token, &path, new]).status
        };
        assert_eq!((diff("SomeBot"), diff("Googlebot")), (0, 0), "{path:?}");
    }
}

#[test]
fn not_proven() {
    // `Foo` is found in the name, and in 1994 the first group counts.
    let folder = folder("User-agent: Foo\nAllow: /\n\nUser-agent: FooBot\nDisallow: /a\n");
    let ran = run_line(&folder, "block --crawler FooBot robots.txt");
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(text(&ran).starts_with("# Other crawlers\nUser-agent: FooBot\n"), "{ran:?}");
    // The rules before the first group would be rules of the new one.
    folder.file("robots.txt", "Allow: /x\nUser-agent: a\n");
    run_line(&folder, "block --crawler FooBot robots.txt")
        .fails(1, "nothing is printed, since the edited file would not do what was asked for: in ")
        .says("what a may read would change, for example /");
    // Others obey the group of a crawler that is shut out.
    run_line(&folder, "block --crawler Googlebot")
        .fails(1, "in profile rfc9309, what ")
        .says("may read would change");
    folder.file("robots.txt", b"\xff\xfeU\0s\0");
    run_line(&folder, "block --crawler FooBot robots.txt").fails(1, "UTF-16");
}

#[test]
fn notes() {
    let folder = folder("");
    folder.file(
        "mine.toml",
        "replace = true\n[[crawler]]\nname = \"Rude\"\ntoken = \"RudeBot\"\noperator = \"x\"\n\
         purpose = \"ai-training\"\nobeys = \"no\"\nsource = \"x\"\ndate = 2026-11-22\n\
         [[crawler]]\nname = \"Rude News\"\ntoken = \"RudeBot-News\"\noperator = \"x\"\n\
         purpose = \"search\"\nobeys = \"yes\"\nsource = \"x\"\ndate = 2026-11-22\n",
    );
    let line = "block --verbose --crawlers mine.toml --purpose ai-training --crawler Bot2";
    let ran = run_line(&folder, line);
    ran.says("robots.txt only asks. By what their operators say, these do not obey it: Rude\n")
        .says("profile google cannot name these, so nothing is proven of them there: Bot2\n")
        .says("profile google-classic takes these for some of the crawlers")
        .says("profile original-1994 takes these for some of the crawlers")
        .says(": Rude News\n");
    let plain = run_line(&folder, &line.replace("--verbose ", ""));
    // Of profile google it is said in any case: many crawlers copy that parser.
    plain.says("profile google cannot name these");
    assert_eq!((&plain.out, plain.err.lines().count()), (&ran.out, 2), "{plain:?}");
    // What was in a crawler's own group besides rules is lost, that of '*' never was its own.
    folder.file(
        "own.txt",
        "User-agent: GPTBot\nContent-Signal: ai-train=no\nCrawl-delay: 5\nDisallow: /x\n\n\
         User-agent: *\nCrawl-delay: 7\n",
    );
    run_line(&folder, "block --crawler GPTBot --crawler CCBot own.txt").status(0).says(
        "which are no longer for them: line 2, 'Content-Signal: ai-train=no', line 3, \
         'Crawl-delay: 5'\n",
    );
    let quiet = run_line(&folder, &format!("{line} --quiet"));
    assert_eq!((quiet.status, quiet.err.as_str()), (0, ""));
    assert_eq!(quiet.out, ran.out);
}

/// A group that lets a crawler in by name is somebody's decision: a purpose does not undo it, a name does and
/// says so.
#[test]
fn explicit_permissions() {
    for (robots, rule) in [
        ("User-agent: *\nDisallow: /x\n\nUser-agent: GPTBot\nAllow: /\n", "Allow: /"),
        ("User-agent: GPTBot\nDisallow:\n\nUser-agent: *\nDisallow: /x\n", "Disallow:"),
    ] {
        let folder = folder(robots);
        let ran = run_line(&folder, "block --purpose ai-training robots.txt");
        ran.says("the file lets these in by name, so they stay as they are: GPTBot");
        assert!(text(&ran).contains(&format!("User-agent: GPTBot\n{rule}\n")), "{ran:?}");
        assert!(text(&ran).contains("User-agent: CCBot\n"), "{ran:?}");
        let ran = run_line(&folder, "block --crawler GPTBot robots.txt");
        ran.says("the file let these in by name, and shuts them out now: GPTBot");
        assert!(text(&ran).contains("User-agent: GPTBot\nDisallow: /\n"), "{ran:?}");
    }
    // One that is forbidden something has rules, and no permission.
    let folder = folder("User-agent: GPTBot\nDisallow: /x\n");
    let ran = run_line(&folder, "block --purpose ai-training robots.txt");
    assert!(!text(&ran).contains("Disallow: /x"), "{ran:?}");
}

#[test]
fn wrong_usage() {
    let folder = folder("");
    for (line, message) in [
        ("block robots.txt", "no crawler was named: give --purpose PURPOSE or --crawler TOKEN"),
        ("block --crawler Foo/1", "--crawler 'Foo/1' is not a product token: did you mean 'Foo'?"),
        ("block --crawler *", "--crawler '*' is not a product token"),
        ("block --crawler= robots.txt", "is not a product token"),
        ("block --purpose spam", "ai-training"),
    ] {
        run_line(&folder, line).fails(2, message);
    }
    run_line(&folder, "block --crawler a none.txt").fails(3, "'none.txt'");
    run_line(&folder, "block --crawler a --crawlers none.toml").fails(3, "'none.toml'");
}

/// A misspelt name shuts nobody out; one that the file has is meant.
#[test]
fn misspelt_names() {
    let folder = folder("User-agent: Googelbot\nDisallow: /x\n");
    run_line(&folder, "block --crawler FooBot --crawler GTPBot").fails(
        2,
        "--crawler: no crawler is known as 'GTPBot': did you mean 'GPTBot'? If it is the",
    );
    run_line(&folder, "block --crawler Googelbot robots.txt").status(0);
    run_line(&folder, "block --crawler Googelbot").fails(2, "did you mean 'Googlebot'?");
    let entry = "[[crawler]]\nname = 'x'\ntoken = 'GTPBot'\noperator = 'x'\npurpose = 'other'\n\
                 obeys = 'yes'\nsource = 'x'\ndate = 2026-11-22\n";
    folder.file("mine.toml", entry);
    run_line(&folder, "block --crawlers mine.toml --crawler GTPBot").status(0);
}

#[test]
fn html() {
    let folder = folder("<!DOCTYPE html><html><body>Not found</body></html>\n");
    run_line(&folder, "block --crawler GPTBot robots.txt")
        .fails(1, "nothing is printed, since the file is an HTML document and no robots.txt: give");
    // Some files are robots.txt in spite of their first line.
    folder.file("robots.txt", "<html>\nUser-agent: *\nDisallow: /x\n");
    run_line(&folder, "block --crawler GPTBot robots.txt").status(0);
}

/// Crawlers find groups that are added to a file longer than they read.
#[test]
fn files_over_the_limit() {
    let comment = format!("# {}\n", "x".repeat(98));
    let robots = format!("User-agent: *\nDisallow: /x\n{}", comment.repeat(5_200));
    let folder = folder(&robots);
    let ran = run_line(&folder, "block --crawler GPTBot robots.txt");
    ran.status(0)
        .says("the file is longer than 512,000 bytes, of which crawlers need read no more");
    assert!(text(&ran).starts_with("# Crawlers for AI training\nUser-agent: GPTBot\n"));
    // A rule that is read today would not be.
    let rule = format!("User-agent: *\n{}Disallow: /x\n", comment.repeat(5_069));
    folder.file("robots.txt", rule + &comment.repeat(200));
    run_line(&folder, "block --crawler GPTBot robots.txt")
        .fails(1, "may read would change")
        .says("the file is longer than the 512,000 bytes that all crawlers read");
}

/// What the file names does not change in any profile, or nothing is printed.
#[test]
fn named_crawlers_are_not_taken_along() {
    let robots = "User-agent: GPTBot\nAllow: /b\nUser-agent: *\nUser-agent: GPTBot-News\nUser-agent: FooBot\n";
    let ran = run_line(&folder(robots), "block --quiet --crawler GPTBot robots.txt");
    assert_eq!((ran.status, text(&ran)), (1, ""), "{ran:?}");
    ran.says("may read would change");
}

/// Crawlers that obey the group of one that is shut out are named all at once.
#[test]
fn followers_are_named_together() {
    let folder = Folder::of(&[("robots.txt", "User-agent: *\nDisallow: /private\n")]);
    let file = folder.path("robots.txt");
    let block = |tokens: &[&str]| {
        let crawlers = tokens.iter().flat_map(|token| ["--crawler", token]);
        let options = crawlers.map(std::ffi::OsString::from);
        let all = std::iter::once("block".into()).chain(options).chain([file.clone().into()]);
        run(all.collect::<Vec<std::ffi::OsString>>())
    };
    let refused = block(&["Googlebot"]);
    assert_eq!(refused.status, 1, "{refused:?}");
    assert!(refused.err.contains("crawlers obey the group of Googlebot: name them too"));
    let named = refused.err.split("--crawler ").skip(1);
    let named = named.map(|rest| rest.split([' ', ')']).next().unwrap());
    let all: Vec<&str> = std::iter::once("Googlebot").chain(named).collect();
    assert!(all.len() > 4 && all.contains(&"Googlebot-Image"), "{all:?}");
    let done = block(&all);
    assert_eq!(done.status, 0, "{done:?}");
}
