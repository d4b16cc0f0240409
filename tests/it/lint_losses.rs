//! A file that loses a rule or a group never passes: some finding is an error.

use crate::support::random::Random;
use robotsieve::{Crawler, Profile, Robots};
use robotsieve_corpora::effort;
use robotsieve_lint::{Code, Options, Severity, lint};

/// The codes of the errors in a file.
fn errors(file: &[u8]) -> Vec<Code> {
    let report = lint(file, &Options::default());
    let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| finding.code).collect()
}

/// Accidents of real files, each with its siblings.
#[test]
fn accidents() {
    for (code, files) in [
        (
            "RS301",
            &[
                "User-agent: : *\nDisallow: /a\n",
                "User-agent: *<br>\nDisallow: /a\n",
                "User-agent:\nDisallow: /a\n",
                "User-agent: (all)\nDisallow: /a\n",
                "User-agent: *\u{feff}\nDisallow: /a\n",
                "User-agent: \u{200b}*\nDisallow: /a\n",
            ][..],
        ),
        (
            "RS203",
            &[
                "User-agent: *\nDisallow: /a\n\u{feff}User-agent: FooBot\nDisallow: /b\n",
                "User-agent: *\nDisallow: /a\nUser\u{2011}agent: FooBot\nDisallow: /b\n",
                "User-agent: *\nDis\u{200b}allow: /a\n",
                "User-agent: *\n\u{2060}Disallow: /a\n",
                "<p>User-agent: *</p>\n<p>Disallow: /a</p>\n",
                "\\nUser-agent: *\nDisallow: /a\n",
                "User-agent: *\nNoallow: /a\n",
                "User-agent: *\nDeny: /a\n",
                "User-agent: *\nBlock: /*.pdf\n",
            ],
        ),
        (
            "RS202",
            &[
                "User-agent: *\nDisallow/a\n",
                "User-agent: *\nDisallow - /a\n",
                "User-agent: *\nDisallow. /a\n",
                "User-agent - *\nDisallow: /a\n",
                "User-agent: *\nDisallow\u{ff1a} /a\n",
                "User-agent: *\n- Disallow /a\n",
                "User-agent*\nDisallow: /a\n",
            ],
        ),
        (
            "RS210",
            &[
                "User-agent: *\nDisallow: /Sitemap: https://example.com/s.xml\n",
                "User-agent: FooBot\nDisallow: /adminUser-agent: *\nDisallow: /a\n",
                "User-agent: FooBot\nDisallow: /a\nSitemap: https://example.com/s.xmlUser-agent: *\n",
                "User-agent: *\nAllow: /x*Disallow: /\n",
                "User-agent: *\nDisallow: /adminAllow: /admin/a\n",
                "User-agent: *\nDisallow: /User-agent: FooBot\n",
                "User-agent: FooBotdisallow:/a\n",
                "User-agent: *\\nDisallow: /a\n",
                "User-agent: *<br>Disallow: /a\n",
                "User-agent: FooBot\nDisallow: /\n# for othersUser-agent: *\nDisallow: /a\n",
            ],
        ),
        (
            "RS413",
            &[
                "User-agent: *\nDisallow: /a /b /c\n",
                "User-agent: *\nDisallow: /a,/b,/c\n",
                "User-agent: *\nDisallow: /a; /b\n",
                "User-agent: *\nDisallow: /a | /b\n",
                "User-Agent: *\nDisallow: /path-1,/path-2\nAllow: /path-3,/path-4\n",
            ],
        ),
        (
            "RS307",
            &[
                "User-agent: *\nDisallow: */\n",
                "User-agent: *\nDisallow: *\n",
                "User-agent: *\nDisallow: */*\n",
                "User-agent: *\nDisallow: /*\n",
            ],
        ),
        (
            "RS312",
            &[
                "User-agent: semrush\nDisallow: /a\n",
                "User-agent: Google\nDisallow:\n\nUser-agent: *\nDisallow: /\n",
                "User-agent: Facebook\nDisallow: /\n",
                "User-agent: all\nDisallow: /a\n",
                "User-agent: robots\nDisallow: /a\n",
                "User-agent: Crawlers\nDisallow: /a\n",
            ],
        ),
        (
            "RS414",
            &[
                "User-agent: *\nDisallow: /n/:state_code/\n",
                "User-agent: *\nDisallow: /[path]/\n",
                "User-agent: *\nDisallow: /{videoId}/\n",
                "User-agent: *\nDisallow: /a?b&amp;c\n",
                "User-agent: *\nDisallow: /a&lt;b\n",
                "User-agent: *\nDisallow: /${path}/a\n",
                "User-agent: *\nDisallow: /a/{{ url }}\n",
                "User-agent: *\nDisallow: /%s/a\n",
            ],
        ),
        (
            "RS407",
            &[
                "User-agent: *\nDisallow: /a ; our folder\n",
                "User-agent: *\nDisallow: /a; our folder\n",
                "User-agent: *\nDisallow: /a // our folder\n",
                "User-agent: *\nDisallow: /a\u{a0}\n",
                "User-agent: *\nDisallow: /a\\n\n",
                "User-agent: *\nDisallow: /a -- our folder\n",
                "User-agent: *\nDisallow: /aHost: example.com\n",
            ],
        ),
        (
            "RS402",
            &[
                "User-agent: *\nDisallow: /\n\nUser-agent: *\nAllow: /\n",
                "User-agent: *\nDisallow: /\nAllow: /\n",
                "User-agent: *\nDisallow: /a\nAllow: /a*\n",
                "User-agent: *\nDisallow: /\nAllow: /whitelisted-user\nDisallow: /*/raw\nDisallow: /*?lang=*\n",
            ],
        ),
        ("RS204", &["User-agent: *\nDisallow:\nhttps://www.example.com/cgi-bin/d2.cgi?a\n"]),
        (
            "RS201",
            &[
                "User-agent: *\nDisallow:\n/a\n",
                "User-agent:\n*\nDisallow: /a\n",
                "GPTBot\nDisallow: /a\n",
                "User-agent: *\n: /a\n",
            ],
        ),
        (
            "RS311",
            &[
                "User-agent: *\nSitemap: https://www.example.com/s.xml\n\nUser-agent: GPTBot\nDisallow: /\n",
            ],
        ),
        ("RS411", &["User-agent: *\nDisallow: /a[&%]b\n", "User-agent: *\nDisallow: /a/(.*)\n"]),
        (
            "RS302",
            &[
                "User-agent: AhrefsBot, SemrushBot\nDisallow: /a\n",
                "User-agent: Foo\u{feff}Bot\nDisallow: /a\n",
                "User-agent: Foo\u{200e}Bot/1.0\nDisallow: /a\n",
                "User-agent: GPT\u{2011}Bot\nDisallow: /\n",
                "User-agent: Google\u{2011}Extended\nDisallow: /a\n",
                "User-agent: GPTBot CCBot\nDisallow: /\n",
                "User-agent: GPTBot and CCBot\nDisallow: /\n",
                "User-agent: GPTBot/CCBot\nDisallow: /\n",
                "User-agent: GPTBot & CCBot\nDisallow: /\n",
                "User-agent: GPTBot \u{2013} CCBot\nDisallow: /a\n",
                "User-agent: GPTBot as well as CCBot\nDisallow: /a\n",
            ],
        ),
        ("RS405", &["User-agent: *\nDisallow: all\n", "User-agent: *\nDisallow: GPTBot\n"]),
        ("RS308", &["User-agent: GTPBot\nDisallow: /a\n"]),
        ("RS406", &["User-agent: *\nDisallow: /a$*\n"]),
        ("RS306", &["User-agent: *\nDisallow: /a\n\nUser-agent: FooBot\n"]),
    ] {
        let code = Code::named(code).unwrap();
        for file in files {
            let errors = errors(file.as_bytes());
            assert!(errors.contains(&code), "{code} {file:?}: {errors:?}");
        }
    }
}

/// What may mean several things has no fix that decides: it is asked.
#[test]
fn nothing_is_guessed() {
    for file in [
        "Disallow: /a -- our folder",
        "Disallow: /a; our folder",
        "Disallow: /aHost: example.com",
        "Disallow: /a\\n",
        "Disallow: /${path}/a",
        "Disallow: /{{ url }}/a",
        "Disallow: /%s/a",
        "Disallow: /n/:state_code/",
        "Disallow: all",
        "Allow: none",
        "Disallow: GPTBot",
        "Disallow:\n/a",
        "Disallow:\nhttps://example.com/a",
        "Noallow: /a",
        "Disallow: /swallow: /a",
    ] {
        let file = format!("User-agent: *\n{file}\n");
        let report = lint(file.as_bytes(), &Options::default());
        let fixes: Vec<_> = report.findings.iter().filter_map(|found| found.fix.as_ref()).collect();
        assert!(fixes.is_empty(), "{file:?}: {fixes:?}");
    }
}

/// What only looks like one of them is no error.
#[test]
fn no_accidents() {
    for file in [
        "User-agent: *\nDisallow: /user-agent:\nDisallow: /allow:x\nDisallow: /a,b/c\n",
        "User-agent: *\nDisallow: /*,/k,*\nDisallow: *&amp;utm*\nDisallow: /a[]=\n",
        "User-agent: *\nDisallow: /a\n# to block it, write Disallow: /b\nNote: we disallow: nothing\n",
        "User-agent: Mozilla\nDisallow: /a\nUser-agent: Pinterest\nDisallow: /b\n",
        "User-agent: *\nDisallow: /b/*?*|\n",
        "User-agent: *\nDisallow: /AboutUs\\News/a\nDisallow: /%d\nDisallow: /.*\nDisallow: /*&gt;\n",
        "User-agent: *\nDisallow: /a\nBlock: SomeBot\nDeny: 10.0.0.1\n",
        "User-agent: *\nDisallow: /\nAllow: /$\nAllow: /a/\n",
        "User-agent: *\n",
        "User-agent: *\nDisallow: /private/\n\nUser-agent: FooBot\nCrawl-delay: 10\n",
        "User-agent: *\nDisallow: /a\nhttps://example.com/terms\nprose about us\n",
        "User-agent: *\nDisallow: /a\nallow - everybody\nallow-list\n",
        "User-agent: *\nDisallow: /filter/shallow:*\nDisallow: /swallow:/x\nDisallow: /a-disallow:/\n",
        "User-agent: *\nDisallow: /wiki/Disallow:\nDisallow: /wiki/Allow:*\nDisallow: /wiki/User-agent:*\n",
        "User-agent: *\nDisallow: /w?title=Disallow:/x\nDisallow: /How_to_Disallow:*\n",
    ] {
        assert_eq!(errors(file.as_bytes()), [], "{file:?}");
    }
}

/// A value with the names of two crawlers loses nothing if the second one obeys the group all the same, and one with
/// the name of one crawler twice names one.
#[test]
fn names_that_are_not_lost() {
    for value in ["GPTBot/1.0", "GPTBot gptbot", "GPTBot/1.2 (+https://openai.com/gptbot; CCBot)"] {
        let file = format!("User-agent: {value}\nDisallow: /a\n");
        assert_eq!(errors(file.as_bytes()), [], "{value}");
    }
    for line in ["User-agent: CCBot", "User-agent: *"] {
        let file = format!("User-agent: GPTBot and CCBot\n{line}\nDisallow: /a\n");
        assert_eq!(errors(file.as_bytes()), [], "{line}");
    }
}

/// `.*` and `.+` at the end are told of where they may be meant as in a regular expression.
#[test]
fn any_at_the_end() {
    let told = |rule: &str, name: &str| {
        let file = format!("User-agent: *\nDisallow: {rule}\n");
        let profile = Profile::NAMED.iter().copied().filter(|(known, _)| *known == name);
        let report = lint(file.as_bytes(), &Options::new(profile));
        let found = report.findings.iter().find(|one| one.code == Code::RegularExpression);
        found.map(|one| (one.severity, file[one.span.clone()].to_owned(), one.message.clone()))
    };
    for (rule, span, kept) in [
        ("/admin/.*", ".*", "/admin/."),
        ("/a-b/c_d/.*$", ".*$", "/a-b/c_d/."),
        ("/tag/.+", ".+", "/tag/.+"),
        ("/tag.+$", ".+$", "/tag.+"),
    ] {
        let message = format!(
            "'{rule}' matches only what begins with '{kept}', where each character stands for itself"
        );
        let wanted = Some((Severity::Warning, span.to_owned(), message));
        assert_eq!(told(rule, "rfc9309"), wanted, "{rule}");
        // There a star stands for itself, which another finding says.
        assert_eq!(told(rule, "original-1994"), None, "{rule}");
    }
    for rule in [
        "/.*",
        "/.*$",
        "/index.*",
        "/*/.*",
        "/*.*",
        "/*.php$",
        "/.well-known/*",
        "/a.*.html",
        "*.print.*",
        "/a/..*",
        "/x?.*",
        "/.git*",
    ] {
        assert_eq!(told(rule, "rfc9309"), None, "{rule}");
    }
}

/// Names that a profile compares in part do name the crawlers of an operator.
#[test]
fn an_operator_where_a_part_of_the_name_counts() {
    let file = b"User-agent: Google\nDisallow: /a\n";
    for (name, profile) in Profile::NAMED {
        let report = lint(file, &Options::new([(*name, *profile)]));
        let found = report.findings.iter().any(|finding| finding.code == Code::OperatorsName);
        let names = !Robots::parse(file, profile)
            .policy(&Crawler::name("Googlebot"))
            .is_allowed("/a")
            .unwrap();
        assert_eq!(found, !names, "{name}");
    }
}

fn line(random: &mut Random, number: usize) -> String {
    let rule = *random.of::<&str>(&["Disallow", "Allow", "disallow"]);
    let path = *random.of::<&str>(&["/a", "/b/", "/*.pdf$", "/c?d=", "/e-f/g"]);
    format!("{rule}: {path}{number}")
}

fn file(random: &mut Random) -> Vec<String> {
    let mut lines = Vec::new();
    for token in ["FooBot", "*", "BarBot", "GPTBot"].into_iter().take(1 + random.below(4)) {
        lines.push(format!("User-agent: {token}"));
        if random.below(4) == 0 {
            lines.push("Crawl-delay: 10".to_owned());
        }
        let rules = 1 + random.below(4);
        for number in 0..rules {
            let text = line(random, lines.len() + number);
            lines.push(text);
        }
        lines.push(String::new());
    }
    if random.below(2) == 0 {
        lines.push("Sitemap: https://example.com/sitemap.xml".to_owned());
    }
    lines
}

/// The lines with one accident.
fn with_accident(random: &mut Random, lines: &[String]) -> Vec<u8> {
    const BEFORE: [&str; 14] = [
        "\u{feff}", "\u{200b}", "\u{2060}", "\u{200e}", "- ", "<p>", "x", "\\n", "\"", "1. ", "• ",
        ">", "foo ", "/admin",
    ];
    const WITHIN: [&str; 8] =
        ["\u{200b}", "\u{ad}", "\u{2060}", "\u{feff}", "\u{a0}", "\x01", "\x7f", "\u{fffd}"];
    const COLONS: [&str; 7] = ["=", ";", "\u{ff1a}", " ", " -", ".", ""];
    const ENDS: [&str; 8] = ["\u{2028}", "\u{85}", "\x0b", "\x0c", "\\n", "<br>", " ", ""];
    let mut lines = lines.to_vec();
    let records: Vec<usize> = (0..lines.len()).filter(|at| !lines[*at].is_empty()).collect();
    let at = records[random.below(records.len())];
    match random.below(9) {
        0 | 1 => {
            // The next record is drawn up.
            let between = *random.of::<&str>(&["", " ", "\t", ", "]);
            if let Some(next) = records.iter().find(|next| **next > at) {
                let next = lines[*next].clone();
                lines[at] = format!("{}{between}{next}", lines[at]);
                let gone = records[records.iter().position(|known| *known == at).unwrap() + 1];
                lines.remove(gone);
            }
        }
        2 | 3 => lines[at].insert_str(0, random.of::<&str>(&BEFORE)),
        4 => {
            let name = lines[at].find(':').unwrap() + 1;
            lines[at].remove(random.below(name));
        }
        5 => {
            let name = lines[at].find(':').unwrap() + 1;
            lines[at].insert_str(random.below(name), random.of::<&str>(&WITHIN));
        }
        6 => lines[at] = lines[at].replacen(':', random.of::<&str>(&COLONS), 1),
        7 => return lines.join(random.of::<&str>(&ENDS)).into_bytes(),
        _ if lines.len() > 1 => {
            lines.remove(0);
        }
        _ => {}
    }
    (lines.join("\n") + "\n").into_bytes()
}

fn verdicts(file: &[u8]) -> Vec<bool> {
    let robots = Robots::parse(file, &Profile::RFC9309);
    let mut verdicts = Vec::new();
    for name in ["FooBot", "BarBot", "GPTBot", "Other"] {
        let policy = robots.policy(&Crawler::name(name));
        for number in 0..20 {
            for path in ["/a", "/b/", "/x.pdf", "/c?d=", "/e-f/g"] {
                verdicts.push(policy.is_path_allowed(&format!("{path}{number}")).unwrap());
            }
        }
    }
    verdicts
}

/// Lines that are glued or joined, have something in front or lack a byte of their field, and files whose first
/// line is gone: if a verdict is another one, a finding is an error.
#[test]
fn no_lost_rule_passes() {
    let mut random = Random(43);
    let mut changed = 0;
    for _ in 0..effort::cases(3_000) {
        let lines = file(&mut random);
        let whole = (lines.join("\n") + "\n").into_bytes();
        if !errors(&whole).is_empty() {
            continue;
        }
        let broken = with_accident(&mut random, &lines);
        if verdicts(&whole) == verdicts(&broken) {
            continue;
        }
        changed += 1;
        let errors = errors(&broken);
        assert!(!errors.is_empty(), "{}", String::from_utf8_lossy(&broken));
    }
    assert!(changed > 200, "{changed}");
}
