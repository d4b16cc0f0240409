//! `robotsieve dot`.

use crate::command::{Folder, run};

#[test]
fn draws() {
    let folder = Folder::new();
    let robots =
        folder.file("robots.txt", "User-agent: a\nDisallow: /x\n\nUser-agent: b\nDisallow: /y*z$");
    let draw = |agent: &str| {
        let ran = run(args!["dot", &robots, agent]);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
        let out = String::from_utf8(ran.out).unwrap();
        assert!(out.starts_with("digraph"), "{out}");
        assert!(out.ends_with("}\n"), "{out}");
        out
    };
    assert_ne!(draw("a"), draw("b"));
    assert_eq!(draw("none,b"), draw("b"));
    // No group applies: everything is allowed, which can be drawn too.
    draw("none");
    let header = run(args!["dot", "--user-agent", "Mozilla/5.0 (compatible; b/1)", &robots]);
    assert_eq!(String::from_utf8(header.out).unwrap(), draw("b"));
    // Stars are plain characters in 1994.
    let star = run(args!["dot", "--profile", "original-1994", &robots, "b"]);
    assert_ne!(String::from_utf8(star.out).unwrap(), draw("b"));
}

/// 14 rules of this shape take 813 MB as a plain DFA.
fn bomb() -> String {
    let rules = ('a'..='l').map(|c| format!("Disallow: /*{c}x*{}y\n", c.to_ascii_uppercase()));
    "User-agent: *\n".to_owned() + &rules.collect::<String>()
}

#[test]
fn over_the_budget() {
    let folder = Folder::new();
    let robots = folder.file("robots.txt", bomb());
    run(args!["dot", &robots, "FooBot"])
        .fails(3, "exceeds the budget")
        .says("FooBot")
        .says("robots.txt")
        .says("--states")
        .says("--work");
}

#[test]
fn budget_of_states_and_work() {
    let folder = Folder::new();
    let robots = folder.file("robots.txt", "User-agent: *\nDisallow: /*ax*Ay\nDisallow: /*bx*By");
    let draw = |options: &[&str]| {
        let options = options.iter().map(Into::into);
        run(args!["dot"].into_iter().chain(options).chain(args![&robots, "FooBot"]))
    };
    assert_eq!(draw(&[]).status, 0);
    draw(&["--states", "1"]).fails(3, "more than 1 states").says("--states");
    draw(&["--work", "1"]).fails(3, "more than 1 units of work").says("--work");
    assert_eq!(draw(&["--states", "100000", "--work", "100000000"]).status, 0);
    draw(&["--states", "x"]).fails(2, "--states");
}

#[test]
fn raised_budget_draws_what_was_over() {
    let folder = Folder::new();
    let rules = ('a'..='g').map(|c| format!("Disallow: /*{c}x*{}y\n", c.to_ascii_uppercase()));
    let text = "User-agent: *\n".to_owned() + &rules.collect::<String>();
    let robots = folder.file("robots.txt", text);
    run(args!["dot", &robots, "FooBot"]).fails(3, "exceeds the budget");
    let options = args!["dot", "--states", "10000000", "--work", "100000000000", &robots, "FooBot"];
    let ran = run(options);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    assert!(ran.out.starts_with(b"digraph"));
}

#[test]
fn failures() {
    let folder = Folder::new();
    run(args!["dot", folder.path("absent.txt"), "FooBot"]).fails(3, "absent.txt");
    run(args!["dot", "robots.txt"]).fails(2, "AGENT");
}
