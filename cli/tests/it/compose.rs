//! `robotsieve write`: files from intentions, and what is wrong with them.

use robotsieve::{Profile, Robots};

use crate::command::{Folder, run, run_in, run_with};

const TOML: &str = "expect = ['disallow GPTBot /', 'allow * /']\n\n[[groups]]\ncrawlers = '@ai-training'\n\
                    disallow = '/'\n\n[[groups]]\ncrawlers = '*'\ndisallow = ['/cart', '/cart/x']\n";

#[test]
fn toml_and_json() {
    let json = r#"{
        "expect": ["disallow GPTBot /", "allow * /"],
        "groups": [
            { "crawlers": ["@ai-training"], "disallow": ["/"] },
            { "crawlers": ["*"], "disallow": ["/cart", "/cart/x"] }
        ]
    }"#;
    let [toml, json] = [TOML, json].map(|text| run_with(args!["write", "-"], text.as_bytes()));
    assert_eq!((toml.status, &toml.out), (0, &json.out), "{toml:?}");
    let text = str::from_utf8(&toml.out).unwrap();
    assert!(text.starts_with("# Crawlers for AI training\nUser-agent: "), "{text}");
    assert!(text.ends_with("\nDisallow: /\n\nUser-agent: *\nDisallow: /cart\n"), "{text}");
    toml.says("these do not obey it: LAIONDownloader").says("profile google cannot name these");
    let robots = Robots::parse(&toml.out, &Profile::RFC9309);
    assert_eq!(robots.policy(&"CCBot".into()).is_allowed("/x"), Ok(false));
    run_with(args!["--quiet", "write", "-"], b"").gives(0, "");
    run_with(args!["write", "-"], b"").gives(0, "").says("nothing is asked of anybody");
    // Not all obey the group of everybody.
    run_with(args!["write", "-"], b"[[groups]]\ncrawlers = '*'\ndisallow = '/x'\n")
        .status(0)
        .says("these known crawlers ignore the group of *")
        .says("AdsBot-Google");
}

#[test]
fn what_is_wrong_has_a_line() {
    let folder = Folder::of(&[("robots.toml", "")]);
    for (text, status, wanted) in [
        ("[[groups]]\ncrawlers = 'a b'\n", 2, "robots.toml:2: 'a b' is not a product token"),
        ("\nsitemaps = 'x'\n", 2, "robots.toml:2: unknown field `sitemaps`"),
        ("[[groups]\n", 2, "robots.toml:1: "),
        ("{\n\"groups\": [{\"crawlers\": \"@x\"}]}", 2, "robots.toml:2: '@x' is no purpose"),
        (
            "{\n\"groups\": [{\"crawlers\": \"GTPBot\"}]}",
            2,
            "robots.toml:2: no crawler is known as 'GTPBot': did you mean 'GPTBot'?",
        ),
        (
            "[[groups]]\ncrawlers = '*'\ndisallow = [\n'/x',\n'y']",
            2,
            "robots.toml:5: the pattern 'y'",
        ),
        (
            "[[groups]]\ncrawlers = '*'\n\ncontent_usage = 'train-ia=n'\n",
            2,
            "robots.toml:4: the preferences 'train-ia=n' are not all defined (unknown-label): write such as",
        ),
        (
            "[[groups]]\ncrawlers = '*'\ncrawl_delay = 5\nother = ['Crawl-delay: 6']\n",
            2,
            "robots.toml:4: 'Crawl-delay: 6' has a field of its own here: give its value as 'crawl_delay'",
        ),
        (
            "profiles = 'rfc9309'\n[[groups]]\ncrawlers = '*'\nother = 'Disalow: /'\n",
            2,
            "robots.toml:4: 'Disalow: /' has no name that another record can have",
        ),
        (
            "expect = 'allow * @sitemap'\n",
            2,
            "robots.toml:1: '@sitemap' stands for the URLs of a sitemap, and there is none",
        ),
        (
            "[[groups]]\ncrawlers = '*'\ndisallow = '/'\nallow = ['/index.html']\n",
            1,
            "robots.toml:4: profile google would allow / for *",
        ),
        // Whether they were named or not.
        (
            "[[groups]]\ncrawlers = '*'\ndisallow = '/*b%2A'\n",
            1,
            "for profile google: write the pattern '/*b*', which matches more, or give 'profiles' without google",
        ),
        ("\nexpect = ['disallow * /']\n", 1, "robots.toml:2: expected disallow, got allow: *, /"),
        ("expect = [\n'allow Foo Bar /']\n", 2, "robots.toml:2: unexpected '/' after the URL"),
    ] {
        folder.file("robots.toml", text);
        let ran = run_in(&folder.root(), args!["write", "robots.toml"]);
        ran.fails(status, wanted);
        assert!(ran.out.is_empty(), "{ran:?}");
    }
    folder.file("robots.toml", "x\u{0}\u{1b}[31m");
    let ran = run_in(&folder.root(), args!["write", "robots.toml"]);
    ran.fails(2, "robots.toml:1: ");
    assert!(!ran.err.contains('\u{1b}'), "{ran:?}");
    run_in(&folder.root(), args!["write", "missing.toml"])
        .fails(3, "cannot read the intentions 'missing.toml'");
    run_with(args!["write", "-"], b"\xff").fails(3, "it is not UTF-8");
    run(args!["write", "--check", "-", "-"]).fails(2, "standard input");
    let many = format!("[[groups]]\ncrawlers = '*'\ndisallow = [{}]", "'x',".repeat(100));
    run_with(args!["write", "-"], many.as_bytes()).fails(2, "80 more places are wrong");
}

#[test]
fn checks() {
    let folder = Folder::of(&[("robots.toml", TOML)]);
    let run_line = |line: &str| run_in(&folder.root(), line.split(' ').map(Into::into));
    let text = String::from_utf8(run_line("write robots.toml").out).unwrap();
    folder.file("robots.txt", &text);
    run_line("write --check robots.txt robots.toml").gives(0, "");
    // The crawlers are other ones now.
    let entry = "[[crawler]]\nname = 'New'\ntoken = 'NewBot'\noperator = 'x'\npurpose = 'ai-training'\n\
                 obeys = 'yes'\nsource = 'x'\ndate = 2026-01-01\n";
    folder.file("more.toml", entry);
    let ran = run_line("write --check robots.txt --crawlers more.toml robots.toml");
    assert_eq!(ran.status, 1, "{ran:?}");
    let out = str::from_utf8(&ran.out).unwrap();
    assert!(out.starts_with("--- robots.txt\n+++ robots.txt\n@@ "), "{out}");
    assert!(out.contains("\n+User-agent: NewBot\n"), "{out}");
    ran.says("robots.txt: 1 crawler that the file does not name would be named: NewBot");
    // Somebody changed the file.
    folder.file("robots.txt", text.replace("/cart", "/basket"));
    let ran = run_line("write --check robots.txt robots.toml");
    assert_eq!(ran.status, 1, "{ran:?}");
    ran.says("robots.txt: other rules or records for *");
    run_line("write --check missing.txt robots.toml").fails(3, "missing.txt");
    folder.file("robots.txt", text.replace('\n', "\r\n"));
    run_line("write --check robots.txt robots.toml")
        .says("robots.txt: the file says the same with other line ends");
    // It is one file with one text, in which most crawlers find nothing.
    let utf16 = |text: &str| -> Vec<u8> {
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    let is_utf16 =
        "robots.txt: the file is UTF-16, in which most crawlers find no rule, and would be UTF-8";
    folder.file("robots.txt", utf16(&text));
    let ran = run_line("write --check robots.txt robots.toml");
    ran.gives(1, "").says(is_utf16);
    assert!(!ran.err.contains("would be named"), "{ran:?}");
    folder.file("robots.txt", utf16(&text.replace("/cart", "/basket")));
    let ran = run_line("write --check robots.txt robots.toml");
    ran.status(1)
        .says(is_utf16)
        .says("other rules or records for *")
        .prints("-Disallow: /basket\n");
}

/// A file is replaced when its text is there, and stays as it is if there is none.
#[test]
fn output() {
    let folder = Folder::of(&[("robots.toml", TOML), ("wrong.toml", "x = 1"), ("old.txt", "old")]);
    let run_line = |line: &str| run_in(&folder.root(), line.split(' ').map(Into::into));
    let read = |folder: &Folder, name: &str| std::fs::read(folder.path(name)).unwrap();
    run_line("write -o old.txt wrong.toml").fails(2, "unknown field");
    assert_eq!(read(&folder, "old.txt"), b"old");
    let text = run_line("write robots.toml").out;
    run_line("write -o old.txt robots.toml").gives(0, "");
    assert_eq!(read(&folder, "old.txt"), text);
    // In place, as `>` cannot.
    let wanted = run_line("block --crawler FooBot old.txt").out;
    run_line("block --crawler FooBot -o old.txt old.txt").status(0);
    assert_eq!(read(&folder, "old.txt"), wanted);
    run_line("block --crawler FooBot -o old.txt").fails(2, "'old.txt' has other records");
    assert_eq!(read(&folder, "old.txt"), wanted);
    run_line("block --crawler FooBot -o groups.txt").status(0);
    run_line("block --crawler GPTBot -o groups.txt").status(0);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("later.txt", folder.path("link.txt")).unwrap();
        run_line("write -o link.txt robots.toml").gives(0, "");
        assert_eq!(read(&folder, "later.txt"), text);
    }
    let wanted = run_line("enforce --server nginx old.txt").out;
    run_line("enforce --server nginx --output new.conf old.txt").status(0);
    assert_eq!(read(&folder, "new.conf"), wanted);
    run_line("write -o no/such/folder robots.toml").fails(3, "cannot write 'no/such/folder'");
    run_line("write -o x --check old.txt robots.toml").fails(2, "cannot be used with");
}
