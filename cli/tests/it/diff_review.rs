//! `robotsieve diff --format markdown|github`: what one wants to see under a pull request.

use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::command::{Folder, Ran, run, run_in, text as out};

const OLD: &str = "User-agent: Googlebot\nDisallow: /tmp\n\nUser-agent: *\nDisallow: /shop/\n\n\
    Sitemap: https://e.com/old.xml\n";
const NEW: &str = "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nUser-agent: Googlebot\n\
    Disallow: /tmp\n\nUser-agent: *\nDisallow: /shop/x\nDisallow: /*.pdf\n";

fn folder() -> Folder {
    let entry = |token: &str, purpose: &str, more: &str| {
        format!(
            "[[crawler]]\nname = \"{token}\"\ntoken = \"{token}\"\noperator = \"The <b>*Op*\"\n\
             purpose = \"{purpose}\"\nobeys = \"unknown\"\nsource = \"x\"\ndate = 2026-11-22\n{more}"
        )
    };
    let known = [
        "replace = true\n".to_owned(),
        entry("GPTBot", "ai-training", ""),
        entry("CCBot", "ai-training", ""),
        entry("Bingbot", "search", ""),
        entry("Googlebot-Image", "search", "after = [\"Googlebot\"]\n"),
        entry("AdsBot-Google", "ads", "star = false\n"),
    ];
    let known = known.concat();
    Folder::of(&[("old", OLD), ("new", NEW), ("known", &known)])
}

fn diff(folder: &Folder, options: &[&str]) -> Ran {
    let args = ["diff", "old", "new", "--crawlers", "known"].iter().chain(options);
    run_in(&folder.root(), args.map(std::ffi::OsString::from))
}

#[test]
fn markdown() {
    let folder = folder();
    let ran = diff(&folder, &["--format", "markdown"]);
    let text = "\
## `new`: what changes

- **The whole site is closed now** for `GPTBot`, `CCBot`
- **AI training: the whole site is closed now for all 2 known crawlers**: \
`GPTBot` (The \\<b\\>\\*Op\\*, AI training), `CCBot` (The \\<b\\>\\*Op\\*, AI training)
- **Some paths change for known crawlers**: `Bingbot` (The \\<b\\>\\*Op\\*, search)

### What closes

- `GPTBot`, `CCBot`
  - `/` (no rule → line 3 `Disallow: /`)
- any other crawler (`*`)
  - `/.pdf` and all below (no rule → line 10 `Disallow: /*.pdf`)

### What opens

- any other crawler (`*`)
  - `/shop/` (line 5 `Disallow: /shop/` → no rule)

### Other records

- of no group
  - removed: line 7, `Sitemap: https://e.com/old.xml`

### What does not change

- what these may read: `Googlebot`
- what the known crawlers may read for advertising

Change: 3 of 4 crawlers, 1 other record.
";
    ran.gives(1, text);
    // Crawlers that are named are the only ones.
    let ran = diff(&folder, &["--format", "markdown", "--agent", "Googlebot"]);
    assert!(!out(&ran).contains("known crawlers") && !out(&ran).contains("GPTBot"), "{ran:?}");
    folder.file("urls", "/shop/y\n/a.pdf\n/b.pdf\n");
    let ran = diff(&folder, &["--format", "markdown", "--urls", "urls"]);
    assert!(out(&ran).contains("### URLs that flip\n\n- "), "{ran:?}");
    assert!(out(&ran).contains("- disallowed now: `/a.pdf` ("), "{ran:?}");
    assert!(out(&ran).contains("3 URLs flip.\n"), "{ran:?}");
    let old = folder.path("old");
    let ran = run(args!["diff", "--format", "markdown", &old, &old]);
    assert!(out(&ran).ends_with(": no change\n\nNo change: the text is the same.\n"), "{ran:?}");
    assert_eq!(ran.status, 0);
    // Every format knows these crawlers.
    diff(&folder, &[]).status(1).prints("change: 3 of 4 crawlers, 1 other record\n");
}

#[test]
fn github() {
    let folder = folder();
    let ran = diff(&folder, &["--format", "github"]);
    let lines: Vec<&str> = out(&ran).lines().collect();
    assert_eq!(
        lines[0],
        "::warning file=new,title=the whole site is closed now::the whole site is closed now for \
         GPTBot, CCBot"
    );
    assert_eq!(
        lines[1],
        "::warning file=new,title=AI training%3A the whole site is closed now::AI training: the \
         whole site is closed now for all 2 known crawlers: GPTBot, CCBot"
    );
    for line in [
        "::warning file=new,line=3,title=disallowed now::disallowed now for GPTBot, CCBot: / (no rule -> line 3 Disallow: /)",
        "::warning file=new,line=10,title=disallowed now::disallowed now for * (any other \
         crawler): /.pdf and all below (no rule -> line 10 Disallow: /*.pdf)",
        "::warning file=new,title=allowed now::allowed now for * (any other crawler): /shop/ \
         (line 5 Disallow: /shop/ -> no rule)",
        "::notice file=new,title=record removed::removed of no group: line 7 Sitemap: \
         https://e.com/old.xml",
    ] {
        assert!(lines.contains(&line), "{line}: {ran:?}");
    }
    assert_eq!(ran.status, 1);
    let old = folder.path("old");
    run(args!["diff", "--format", "github", &old, &old]).gives(0, "");
}

/// No text of a file is a link, an image, HTML, a table or the end of a line, in either format.
#[test]
fn hostile_files() {
    let folder = folder();
    let evil = [
        "<script>alert(1)</script>",
        "![x](https://evil.example/y.png)",
        "[x](javascript:1)",
        "`",
        "``",
        "```",
        "`</code><img src=x>`",
        "|a|b|\n|-|-|",
        "a\r## x",
        "<https://evil.example>",
        "&lt;",
        "\\`",
        "\\",
        "$`x`$",
        "@user",
        "\u{202e}",
        "x\u{1b}[31m",
        "**b**",
        "<!--",
        "%0A::error::x",
    ];
    let mut old = String::from("User-agent: *\nAllow: /\n");
    let mut new = String::new();
    for (number, text) in evil.iter().enumerate() {
        new.push_str(&format!("User-agent: bot{number}-{text}\nUser-agent: {text}\n"));
        new.push_str(&format!("Disallow: /{text}\nDisallow: {text}\nCrawl-delay: {text}\n\n"));
        old.push_str(&format!("Sitemap: https://evil.example/{text}\nHost: {text}\n"));
        new.push_str(&format!("Clean-param: {text} /{text}\n"));
    }
    folder.file("old", &old);
    folder.file("new", &new);
    folder.file("`<b>|![x](y)", &new);
    folder.file("urls", evil.map(|text| format!("/{text}\n")).concat());
    for profile in ["rfc9309", "google", "google-classic", "original-1994"] {
        for sides in [["old", "new"], ["new", "old"], ["old", "`<b>|![x](y)"]] {
            let of = |format: &str| {
                let options = ["diff", "--limit", "99", "--urls", "urls", "--profile", profile];
                let format = ["--format", format];
                let args = options.iter().chain(&format).chain(&sides);
                run_in(&folder.root(), args.map(std::ffi::OsString::from))
            };
            let ran = of("markdown");
            assert_eq!(ran.status, 1, "{ran:?}");
            let text = out(&ran);
            assert!(!text.chars().any(|c| c != '\n' && c.is_control()), "{text}");
            assert!(text.len() < 65_536);
            let mut codes = 0;
            for event in Parser::new_ext(text, Options::all()) {
                match event {
                    Event::Code(_) => codes += 1,
                    // In code spans only.
                    Event::Text(text) => {
                        assert!(
                            !text.contains("alert") && !text.contains("evil.example"),
                            "{text}"
                        );
                    }
                    Event::Start(
                        Tag::Heading { .. }
                        | Tag::List(None)
                        | Tag::Item
                        | Tag::Paragraph
                        | Tag::Strong,
                    )
                    | Event::End(_)
                    | Event::SoftBreak => {}
                    other => panic!("{other:?} in {text}"),
                }
            }
            assert!(codes > 20, "{codes}: {text}");
            let ran = of("github");
            assert!(
                out(&ran).lines().all(|line| {
                    line.starts_with("::warning file=") || line.starts_with("::notice file=")
                }),
                "{ran:?}"
            );
            assert!(!out(&ran).chars().any(|c| c != '\n' && c.is_control()), "{ran:?}");
        }
    }
}

/// A comment on GitHub has 65,536 characters at most.
#[test]
fn comments_fit() {
    let folder = folder();
    let mut new = String::new();
    for number in 0..3_000 {
        new.push_str(&format!("User-agent: bot{number}-{}\n", "x".repeat(100)));
        new.push_str(&format!("Disallow: /{number}/{}\n\n", "y".repeat(100)));
    }
    folder.file("new", &new);
    let ran = diff(&folder, &["--format", "markdown"]);
    assert!(ran.out.len() < 65_536 && ran.out.len() > 40_000, "{}", ran.out.len());
    assert!(out(&ran).contains("more lines are left out, so that this fits"), "{ran:?}");
    assert!(out(&ran).contains("Change: "), "{ran:?}");
}

/// A site without its home page is closed for most, even if something is left.
#[test]
fn a_home_page_is_a_headline() {
    let old = "User-agent: *\nDisallow: /search\nAllow: /help\n";
    let new = "User-agent: *\nDisallow: /\nAllow: /help\n";
    let folder = Folder::of(&[("old", old), ("new", new), ("known", "replace = true\n")]);
    let ran = diff(&folder, &["--format", "markdown"]);
    let line = "\n- **The whole site is closed now, but for what other rules allow** for any other crawler (`*`)\n";
    assert!(out(&ran).contains(line), "{}", out(&ran));
    let ran = diff(&folder, &["--format", "github"]);
    assert!(
        out(&ran).contains("::the whole site is closed now, but for what other rules allow for ")
    );
    let args = ["diff", "new", "old", "--crawlers", "known", "--format", "markdown"];
    let ran = run_in(&folder.root(), args.map(std::ffi::OsString::from));
    let line = "\n- **The home page is open now** for any other crawler (`*`)\n";
    assert!(out(&ran).contains(line), "{}", out(&ran));
}

/// Known crawlers are looked up as they look themselves up.
#[test]
fn names_that_are_known() {
    let of = |old: &str, new: &str, format: &str| {
        let folder = Folder::of(&[("old", old), ("new", new)]);
        let args = ["diff", "old", "new", "--format", format];
        run_in(&folder.root(), args.map(std::ffi::OsString::from))
    };
    // Applebot obeyed the group of Googlebot before.
    let google = "User-agent: Googlebot\nDisallow: /\n";
    let apple = format!("{google}\nUser-agent: Applebot\nDisallow: /\n");
    for format in ["markdown", "text"] {
        let ran = of(google, &apple, format);
        let text = out(&ran).to_lowercase();
        assert!(!text.contains("closed") && text.contains("no change"), "{text}");
        assert_eq!(ran.status, 0, "{text}");
    }
    of(google, &apple, "json").status(0).prints("\"result\":\"equal\"");
    of(google, &apple, "github").gives(0, "");
    // By its name alone, it had no group.
    let folder = Folder::of(&[("old", google), ("new", &apple)]);
    let ran = run(args!["diff", "--agent", "Applebot", folder.path("old"), folder.path("new")]);
    ran.status(1).prints("closed now for Applebot\n").says("ask for 'Applebot,Googlebot'");
    // AdsBot-Google ignores '*'.
    let ads = "User-agent: AdsBot-Google\nCrawl-delay: 5\nDisallow:\n";
    let all = "User-agent: *\nCrawl-delay: 7\nDisallow: /\n";
    let ran = of(ads, all, "markdown");
    let text = out(&ran);
    assert!(text.contains("closed now** for any other crawler (`*`)\n"), "{text}");
    assert!(text.contains("- what these may read: `AdsBot-Google`\n"), "{text}");
    assert!(
        text.contains("- for `AdsBot-Google`\n  - removed: line 2, `Crawl-delay: 5`\n"),
        "{text}"
    );
    let ran = of("", all, "markdown");
    assert!(!out(&ran).contains("`AdsBot-Google`"), "{}", out(&ran));
}

/// The headlines of all formats are the same.
#[test]
fn headlines_in_text() {
    let new = "User-agent: *\nDisallow: /\nAllow: /robots.txt\n";
    let folder = Folder::of(&[("old", ""), ("new", new)]);
    let ran = run(args!["diff", "--profile", "google", folder.path("old"), folder.path("new")]);
    let line =
        "the whole site is closed now, but for what other rules allow for * (any other crawler)\n";
    assert!(out(&ran).starts_with(line), "{}", out(&ran));
}
