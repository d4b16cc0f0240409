//! `robotsieve crawlers`: the table, the list, and files of known crawlers.

use std::fmt::Write as _;
use std::time::Instant;

use robotsieve::{Profile, Robots};
use robotsieve_corpora::effort;
use robotsieve_known::KnownCrawlers;
use serde_json::Value;

use crate::command::{Folder, Ran, root, run, run_line, run_with, text};

const ROBOTS: &str = "\
User-agent: GPTBot
User-agent: CCBot
Disallow: /

User-agent: Googlebot
Disallow: /*.pdf$

User-agent: Bingbot
Disallow: /
Allow: /public/

User-agent: *
Disallow: /private/
Allow: /private/open
";

/// A crawler for a file.
fn entry(token: &str, purpose: &str, more: &str) -> String {
    format!(
        "[[crawler]]\nname = \"{token}\"\ntoken = \"{token}\"\noperator = \"Op of {token}\"\n\
         purpose = \"{purpose}\"\nobeys = \"yes\"\n{more}source = \"s\"\ndate = 2026-11-22\n"
    )
}

/// A few crawlers that are all there are.
fn few() -> String {
    let mut few = "replace = true\n".to_owned();
    for token in ["GPTBot", "CCBot", "TrainBot", "OtherBot", "MoreBot", "LastBot", "FinalBot"] {
        few += &entry(token, "ai-training", "");
    }
    few += &entry("Googlebot", "search", "");
    few += &entry("Googlebot-Image", "search", "after = [\"Googlebot\"]\n");
    few += &entry("Bingbot", "search", "");
    few += &entry("AdsBot", "ads", "star = false\n").replace("\"yes\"", "\"partly\"");
    few + &entry("Fetcher", "link-preview", "").replace("\"yes\"", "\"no\"")
}

fn folder() -> Folder {
    Folder::of(&[("robots.txt", ROBOTS), ("few.toml", &few())])
}

#[track_caller]
fn json(ran: &Ran) -> Value {
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
    serde_json::from_slice(&ran.out).unwrap()
}

#[test]
fn table() {
    let folder = folder();
    run_line(&folder, "crawlers --crawlers few.toml robots.txt").gives(
        0,
        "\
pages, one for each column:
   1  /
   2  /.pdf
   3  /public/
   4  /private/

search: 0 of 3 shut out, 3 partly, 0 let in
AI training: 2 of 7 shut out, 5 partly, 0 let in
advertising: 0 of 1 shut out, 0 partly, 1 let in: AdsBot
link previews: 0 of 1 shut out, 1 partly, 0 let in

disallow  disallow  disallow  disallow  nothing
  AI training: GPTBot (line 1), CCBot (line 2)

disallow  disallow  allow     disallow  nothing but /public/ (line 10)
  search: Bingbot (line 8)

allow     disallow  allow     allow     all but /*.pdf$ (line 6)
  search: Googlebot (line 5), Googlebot-Image (line 5)

allow     allow     allow     disallow  all but /private/ (line 13)
  AI training: FinalBot, LastBot, MoreBot, OtherBot, TrainBot (by the group of *)
  link previews: Fetcher (by the group of *)

allow     allow     allow     allow     everything
  advertising: AdsBot (no group names it, and it ignores that of *)

note: robots.txt only asks. By what their operators say, these do not obey it: Fetcher
note: robots.txt only asks. By what their operators say, these obey it in part: AdsBot
",
    );
}

#[test]
fn robots_txt_alone_is_no_page() {
    let folder = folder();
    let shut_out = |rules: &str| {
        folder.file("closed.txt", format!("User-agent: *\nDisallow: /\n{rules}"));
        let line = "crawlers --crawlers few.toml --format json closed.txt";
        let purposes = json(&run_line(&folder, line))["purposes"].clone();
        purposes.as_array().unwrap()[0]["shut_out"].as_u64().unwrap()
    };
    assert_eq!(shut_out("Allow: /robots.txt\n"), 3);
    assert_eq!(shut_out("Allow: /robots.txt$\n"), 3);
    assert_eq!(shut_out("Allow: /robots\n"), 0);
    assert_eq!(shut_out("Allow: /robots.txt\nAllow: /a\n"), 0);
}

/// A page that is found is judged as it is if it is given.
#[test]
fn pages_are_urls() {
    let folder = folder();
    folder.file("slashes", "User-agent: *\nDisallow: //\n\nUser-agent: GPTBot\nDisallow: /a\n");
    for profile in ["rfc9309", "google", "google-classic", "original-1994"] {
        let line =
            format!("crawlers --crawlers few.toml --format json --profile {profile} slashes");
        let found = json(&run_line(&folder, &line));
        let pages = found["pages"].as_array().unwrap().iter();
        let pages: Vec<&str> = pages.map(|page| page.as_str().unwrap()).collect();
        assert_eq!(pages.contains(&"//"), profile != "google", "{profile}: {pages:?}");
        let given = json(&run_line(&folder, &format!("{line} {}", pages.join(" "))));
        let verdicts = |table: &Value| {
            let policies = table["policies"].as_array().unwrap().iter();
            policies.map(|policy| policy["verdicts"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(verdicts(&found), verdicts(&given), "{profile}");
    }
}

#[test]
fn what_is_not_proven() {
    let folder = folder();
    folder.file("stars", format!("User-agent: *\nDisallow: /{}\n", "*a".repeat(100_000)));
    let ran = run_line(&folder, "crawlers --crawlers few.toml stars /x");
    ran.status(0).prints("the rules are over the automaton's limits");
    assert!(!text(&ran).contains("new rules"));
    // A flip of what is below a path says which one.
    folder.file("below", "User-agent: *\nDisallow: /a.index.html&\n");
    let value = json(&run_line(
        &folder,
        "crawlers --crawlers few.toml --format json --profile google-classic below",
    ));
    let flips = value["policies"].as_array().unwrap().iter();
    let mut flips = flips.flat_map(|policy| policy["forbidden"].as_array().unwrap());
    assert!(flips.all(|flip| (flip["extent"] == "below") == flip["below"].is_string()), "{value}");
}

#[test]
fn urls_and_purposes() {
    let folder = folder();
    let line = "crawlers --crawlers few.toml --purpose search robots.txt";
    let wanted = "\
pages, one for each column:
   1  https://e.com/private/open
   2  /a.pdf

search: 0 of 3 shut out, 3 partly, 0 let in

disallow  disallow  nothing but /public/ (line 10)
  search: Bingbot (line 8)

allow     disallow  all but /*.pdf$ (line 6)
  search: Googlebot (line 5), Googlebot-Image (line 5)
";
    let urls = ["https://e.com/private/open", "/a.pdf"];
    run_line(&folder, &format!("{line} {}", urls.join(" "))).gives(0, wanted);
    let args = line.split(' ').chain(["-"]).map(|word| match word {
        "few.toml" | "robots.txt" => folder.path(word).into(),
        word => word.into(),
    });
    run_with(args, format!("{}\r\n\n{}\n", urls[0], urls[1]).as_bytes()).gives(0, wanted);
    run_line(&folder, &format!("{line} e.com/x"))
        .fails(2, "'e.com/x' is no known crawler, nor a URL (scheme:");
    run_line(&folder, &format!("{line} https:///x")).fails(2, "'https:///x' is invalid: a URL is");
    let many = " /x".repeat(101);
    run_line(&folder, &format!("{line}{many}")).fails(2, "more than 100 URLs");
}

/// Crawlers that are named get their answers alone.
#[test]
fn names() {
    let folder = folder();
    folder.file(
        "own.toml",
        entry("OwnBot", "seo", "").replace("name = \"OwnBot\"", "name = \"Own one\""),
    );
    let line = "crawlers --crawlers own.toml robots.txt";
    run_line(&folder, &format!("{line} /private/x perplexitybot CCBot ownbot")).gives(
        0,
        "\
page:
  /private/x

disallow  nothing
  AI training: CCBot (line 2)

disallow  all but /private/ (line 13)
  AI search and assistants: PerplexityBot (by the group of *)
  SEO: Own one (by the group of *)
",
    );
    let args = args![
        "crawlers",
        "--crawlers",
        folder.path("own.toml"),
        folder.path("robots.txt"),
        "Own one"
    ];
    run(args).status(0).prints("  SEO: Own one (by the group of *)\n");
    let value = json(&run_line(&folder, &format!("{line} --format json CCBot")));
    assert_eq!(value["crawlers"].as_array().unwrap().len(), 1);
    run_line(&folder, &format!("{line} PerplexityBto"))
        .fails(2, "no crawler is known as 'PerplexityBto': did you mean 'PerplexityBot'?");
    run_line(&folder, &format!("{line} FooBot"))
        .fails(2, "'FooBot' is no known crawler, nor a URL");
    run_line(&folder, &format!("{line} --purpose search CCBot"))
        .fails(2, "none of the crawlers that were named has one of these purposes");
    run_line(&folder, "crawlers --list CCBot").status(2);
}

/// Every known crawler is named, whatever decides for it.
#[test]
fn all_names() {
    let ran = run_with(args!["crawlers", "-"], b"User-agent: GPTBot\nDisallow: /\n");
    let words = text(&ran).split_whitespace().collect::<Vec<_>>().join(" ");
    for crawler in KnownCrawlers::built_in() {
        assert!(words.contains(&crawler.name), "{}", crawler.name);
    }
    assert!(words.contains("search: Googlebot, Bingbot, Applebot, "), "{words}");
    assert!(
        text(&ran).lines().all(|line| line.len() <= 100
            || line.starts_with("note: ")
            || line.contains(" let in: "))
    );
}

#[test]
fn markdown() {
    let folder = folder();
    let line = "crawlers --crawlers few.toml --purpose ai-training --format markdown robots.txt";
    run_line(&folder, line).gives(
        0,
        "\
| Crawlers for | Known | Shut out | Partly | Let in | Not proven |
|---|---:|---:|---:|---:|---:|
| AI training | 7 | 2 | 5 | 0 | 0 |

### AI training

| Crawlers | May read | `/` |
|---|---|---|
| GPTBot (line 1), CCBot (line 2) | nothing | **disallow** |
| FinalBot, LastBot, MoreBot, OtherBot, TrainBot (by the group of \\*) | all but `/private/` (line 13) | allow |
",
    );
}

/// Whatever the file and the profile, the verdicts are those of the library, and what is said of a
/// whole site holds for every path that is tried.
#[test]
fn same_as_the_library() {
    let paths = ["/", "/private/x", "/wp-admin/", "/search?q=1", "/a.pdf", "/*", "/x/y/z$"];
    let files = ["wordpress", "shopify", "news", "hostile", "empty", "drupal", "large-shop"];
    for (turn, file) in files.into_iter().enumerate() {
        let path = root().join(format!("corpora/robots/{file}.example.txt"));
        let bytes = std::fs::read(&path).unwrap();
        for (number, (name, profile)) in Profile::NAMED.iter().enumerate() {
            // Each file in one of the profiles, or in all.
            if (number + turn) % effort::step(Profile::NAMED.len()) > 0 {
                continue;
            }
            let options = args!["crawlers", "--format", "json", "--profile", name, &path];
            let ran = run(options.into_iter().chain(paths.map(Into::into)));
            assert_eq!(ran.status, 0, "{ran:?}");
            let value: Value = serde_json::from_slice(&ran.out).unwrap();
            let robots = Robots::parse(&bytes, profile);
            for crawler in value["crawlers"].as_array().unwrap() {
                let token = crawler["token"].as_str().unwrap();
                let known = KnownCrawlers::built_in().by_token(token).unwrap();
                let policy = robots.policy(&known.crawler());
                let class = &value["policies"][crawler["policy"].as_u64().unwrap() as usize];
                let verdicts = class["verdicts"].as_array().unwrap();
                for (path, verdict) in paths.iter().zip(verdicts) {
                    let is_allowed =
                        crawler["by"] == "ignores-star" || policy.is_allowed(path).unwrap();
                    let wanted = if is_allowed { "allow" } else { "disallow" };
                    assert_eq!(verdict, wanted, "{file} {name} {token} {path}");
                    let reads = class["reads"].as_str().unwrap();
                    assert!(reads != "nothing" || !is_allowed, "{file} {name} {token} {path}");
                    assert!(reads != "everything" || is_allowed, "{file} {name} {token} {path}");
                }
                for (list, allowed) in [("forbidden", false), ("allowed", true)] {
                    for flip in class[list].as_array().unwrap() {
                        let Some(path) =
                            flip["path"].as_str().filter(|_| flip["path_base64"].is_null())
                        else {
                            continue;
                        };
                        assert_eq!(
                            policy.is_path_allowed(path),
                            Ok(allowed),
                            "{file} {name} {token}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn json_has_it_all() {
    let folder = folder();
    let value = json(&run_line(&folder, "crawlers --crawlers few.toml --format json robots.txt"));
    let head = ["schema", "report", "robots", "profile"].map(|name| &value[name]);
    assert_eq!(head, ["robotsieve-report-1", "crawlers", "robots.txt", "rfc9309"]);
    let find = |token: &str| {
        let crawlers = value["crawlers"].as_array().unwrap();
        crawlers.iter().find(|crawler| crawler["token"] == token).unwrap()
    };
    let policy = |token: &str| &value["policies"][find(token)["policy"].as_u64().unwrap() as usize];
    for (token, by, lines, reads) in [
        ("GPTBot", "named", vec![1], "nothing"),
        ("CCBot", "named", vec![2], "nothing"),
        ("TrainBot", "everybody", vec![], "partly"),
        ("Googlebot-Image", "named", vec![5], "partly"),
        ("AdsBot", "ignores-star", vec![], "everything"),
    ] {
        let crawler = find(token);
        assert_eq!((&crawler["by"], &crawler["lines"]), (&by.into(), &lines.into()), "{token}");
        assert_eq!(policy(token)["reads"], reads, "{token}");
    }
    let forbidden = &policy("TrainBot")["forbidden"];
    assert_eq!(forbidden.as_array().unwrap().len(), 1);
    assert_eq!(forbidden[0]["rule"], "/private/");
    assert_eq!((&forbidden[0]["line"], &forbidden[0]["path"]), (&13.into(), &"/private/".into()));
    let counts = &value["purposes"].as_array().unwrap()[1];
    assert_eq!((&counts["purpose"], &counts["crawlers"]), (&"ai-training".into(), &7.into()));
    assert_eq!((&counts["shut_out"], &counts["partly"]), (&2.into(), &5.into()));
    for policy in value["policies"].as_array().unwrap() {
        let pages = value["pages"].as_array().unwrap();
        assert_eq!(policy["verdicts"].as_array().unwrap().len(), pages.len());
    }
}

#[test]
fn built_in_list() {
    let folder = folder();
    let ran = run_line(&folder, "crawlers --list --purpose ai-training");
    assert!(text(&ran).lines().count() >= 20, "{ran:?}");
    assert!(text(&ran).lines().any(|line| line.starts_with("GPTBot ") && line.contains("OpenAI")));
    let all = json(&run_line(&folder, "crawlers --list --format json"));
    let all = all["crawlers"].as_array().unwrap();
    assert!(all.len() >= 200);
    assert!(all.iter().all(|crawler| crawler["source"].is_string()));
    // What it prints as TOML says the same when it is read.
    let toml = run_line(&folder, "crawlers --list --format toml");
    folder.file("all.toml", [&b"replace = true\n\n"[..], &toml.out].concat());
    let again = run_line(&folder, "crawlers --list --format toml --crawlers all.toml");
    again.gives(0, &toml.out);
    let again = json(&run_line(&folder, "crawlers --list --format json --crawlers all.toml"));
    assert_eq!(again["crawlers"].as_array().unwrap(), all);
}

#[test]
fn files_of_crawlers() {
    let folder = folder();
    folder.file("mine.toml", entry("MyBot", "monitoring", "") + &entry("gptbot", "seo", ""));
    let ran = run_line(&folder, "crawlers --list --crawlers mine.toml");
    let line = |start: &str| text(&ran).lines().find(|line| line.starts_with(start)).unwrap();
    assert!(line("MyBot ").ends_with(" monitoring     Op of MyBot"), "{}", line("MyBot "));
    assert!(line("gptbot ").contains(" seo "), "{}", line("gptbot "));
    assert!(!text(&ran).contains("\nGPTBot "));
    for (name, bytes, message) in [
        ("a", b"[[crawler]]\nname = 1\n".to_vec(), "line 2: a value is a text in quotes"),
        ("b", entry("A B", "seo", "").into_bytes(), "line 3: 'A B' is not a product token"),
        ("c", entry("A", "spam", "").into_bytes(), "line 5: purpose 'spam': it is none of"),
        ("d", (entry("A", "seo", "") + &entry("a", "seo", "")).into_bytes(), "line 9: 'a' is also"),
        ("e", b"\xff".to_vec(), "it is not UTF-8"),
        ("f", vec![b'#'; (4 << 20) + 1], "it is longer than 4 MiB"),
        ("g", b"nonsense".to_vec(), "line 1: "),
    ] {
        folder.file(name, bytes);
        let ran = run_line(&folder, &format!("crawlers --list --crawlers {name}"));
        ran.fails(3, &format!("cannot read the known crawlers in '{name}': ")).says(message);
        ran.says("'robotsieve crawlers --list --format toml'");
        assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
    }
    run_line(&folder, "crawlers --list --crawlers none").fails(3, "'none'");
    run_line(&folder, "crawlers --crawlers none robots.txt").fails(3, "'none'");
}

#[test]
fn wrong_usage() {
    let folder = folder();
    for (line, message) in [
        ("crawlers --list robots.txt", "cannot be used with"),
        ("crawlers --profile google", "<ROBOTS>"),
        ("crawlers --format toml robots.txt", "--format toml needs --list"),
        ("crawlers --list --format markdown", "--list has no --format markdown"),
        ("crawlers --purpose spam robots.txt", "ai-training"),
        ("crawlers --crawlers few.toml --purpose seo robots.txt", "no crawler is known of these"),
    ] {
        run_line(&folder, line).fails(2, message);
    }
    folder.file("none.toml", "replace = true\n");
    run_line(&folder, "crawlers --crawlers none.toml --list")
        .fails(2, "the files of --crawlers have no crawler");
    run_line(&folder, "crawlers none.txt").fails(3, "cannot read robots.txt 'none.txt'");
}

#[test]
fn hostile_text_reaches_no_terminal() {
    let folder = folder();
    let robots =
        "User-agent: *\nDisallow: /\x1b[31m|`x\nDisallow: /\u{202e}y\nDisallow: /\u{9b}z\n";
    folder.file("bad.txt", robots);
    for format in ["text", "markdown", "json"] {
        let ran = run_line(&folder, &format!("crawlers --format {format} bad.txt /\u{9b}"));
        assert_eq!(ran.status, 0, "{ran:?}");
        let is_bad = |c: char| c != '\n' && c.is_control() || c == '\u{202e}';
        let json_may = format == "json";
        assert!(json_may || !text(&ran).contains(is_bad), "{ran:?}");
        assert!(!ran.out.contains(&0x1b), "{ran:?}");
    }
}

/// A policy for each crawler, each large.
#[test]
fn hostile_files_take_bounded_time() {
    let folder = folder();
    let list = run(args!["crawlers", "--list", "--format", "json"]);
    let list: Value = serde_json::from_slice(&list.out).unwrap();
    let tokens = list["crawlers"].as_array().unwrap().iter();
    let tokens: Vec<&str> = tokens.map(|crawler| crawler["token"].as_str().unwrap()).collect();
    let mut file = String::new();
    for token in &tokens {
        writeln!(file, "User-agent: {token}\nDisallow: /{token}\n").unwrap();
    }
    tokens.iter().for_each(|token| writeln!(file, "User-agent: {token}").unwrap());
    let mut number = 0;
    while file.len() < 510_000 {
        writeln!(file, "Allow: /*{number}a").unwrap();
        number += 1;
    }
    folder.file("large.txt", &file);
    let start = Instant::now();
    let ran = run_line(&folder, "crawlers large.txt");
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}
