//! `--sitemap` of `filter`, `check`, `crawlers` and `test`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::command::site::{answered, site};
use crate::command::{Folder, Ran, in_shell, root, run_in, run_line, run_with};

const ROBOTS: &str = "User-agent: *\nDisallow: /search\nDisallow: /private/\n\n\
    User-agent: Googlebot\nDisallow: /private/\n\nUser-agent: GPTBot\nDisallow: /\n";

/// Pages of a site, one each of two other sites, and no URL.
const PAGES: [&str; 6] = [
    "https://e.example/",
    "https://e.example/search?q=a&b",
    "https://e.example/private/1",
    "https://www.e.example/",
    "https://e.example/private/2",
    "mailto:me@e.example",
];

fn escaped(url: &str) -> String {
    url.replace('&', "&amp;")
}

fn urlset(urls: &[&str]) -> String {
    let entries = urls.iter().map(|url| format!("<url><loc>{}</loc></url>\n", escaped(url)));
    let entries = entries.collect::<String>();
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset>\n{entries}</urlset>\n")
}

fn index(urls: &[&str]) -> String {
    let entries = urls.iter().map(|url| format!("<sitemap><loc>{url}</loc></sitemap>\n"));
    format!("<sitemapindex>\n{}</sitemapindex>\n", entries.collect::<String>())
}

fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    crate::command::gzip(bytes.as_ref())
}

/// A folder with the robots.txt and the pages as a sitemap.
fn folder() -> Folder {
    Folder::of(&[("robots.txt", ROBOTS), ("sitemap.xml", &urlset(&PAGES))])
}

const DENIED: &str = "filter --robots robots.txt --agent Bot --format denied";

#[test]
fn every_format() {
    let lines = PAGES.join("\n");
    let rss = PAGES.map(|url| format!("<item><link>{}</link></item>", escaped(url))).concat();
    let atom = PAGES.map(|url| format!("<entry><link href='{}'/></entry>", escaped(url))).concat();
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let latin1 = urlset(&PAGES).replace("UTF-8", "ISO-8859-1");
    let half = urlset(&PAGES).len() / 2;
    let members = [gzip(&urlset(&PAGES)[..half]), gzip(&urlset(&PAGES)[half..])].concat();
    let formats: [(&str, Vec<u8>); 12] = [
        ("xml", urlset(&PAGES).into()),
        ("a mark and blanks", format!("\u{feff} \n{}", urlset(&PAGES)).into()),
        ("lines", lines.clone().into()),
        (
            "lines with a mark, CR and blanks",
            format!("\u{feff}\r\n {}\r\n\r\n", lines.replace('\n', " \r\n")).into(),
        ),
        ("rss", format!("<rss><channel>{rss}</channel></rss>").into()),
        ("atom", format!("<feed>{atom}</feed>").into()),
        ("utf-16", utf16(&format!("\u{feff}{}", urlset(&PAGES)))),
        ("utf-16 lines", utf16(&format!("\u{feff}{lines}"))),
        ("latin-1", latin1.into()),
        ("gzip", gzip(urlset(&PAGES))),
        ("gzip of two members", members),
        ("gzip of lines", gzip(&lines)),
    ];
    let folder = folder();
    let wanted = "https://e.example/search?q=a&b\nhttps://e.example/private/1\n\
                  https://e.example/private/2\n";
    for (name, bytes) in formats {
        // The name says nothing.
        folder.file("sitemap", bytes);
        let ran = run_line(&folder, &format!("{DENIED} --sitemap sitemap"));
        assert_eq!(String::from_utf8_lossy(&ran.out), wanted, "{name}: {ran:?}");
        ran.status(0).counts([6, 2, 3, 0, 1, 2]);
    }
    folder.file("sitemap", zstd::encode_all(urlset(&PAGES).as_bytes(), 1).unwrap());
    run_line(&folder, &format!("{DENIED} --sitemap sitemap")).gives(0, wanted);
}

#[test]
fn beside_inputs_and_from_standard_input() {
    let folder = folder();
    folder.file("urls", "https://e.example/private/0\n");
    folder.file("other", "https://e.example/private/9\n");
    let line = format!("{DENIED} --sitemap other urls --sitemap sitemap.xml");
    run_line(&folder, &line).gives(
        0,
        "https://e.example/private/0\nhttps://e.example/private/9\nhttps://e.example/search?q=a&b\n\
         https://e.example/private/1\nhttps://e.example/private/2\n",
    );
    let robots = folder.path("robots.txt");
    let line = ["filter", "--robots", "ROBOTS", "--agent", "Bot", "--sitemap", "-"];
    let args = line.map(|word| if word == "ROBOTS" { robots.clone().into() } else { word.into() });
    run_with(args, urlset(&PAGES[..2]).as_bytes()).gives(0, "https://e.example/\n");
    for line in [
        format!("{DENIED} --sitemap - -"),
        "check - Bot --sitemap -".to_owned(),
        "test robots.txt - --sitemap -".to_owned(),
        "crawlers - --sitemap -".to_owned(),
    ] {
        run_line(&folder, &line).fails(2, "standard input can be read only once");
    }
}

#[test]
fn what_check_reports() {
    let folder = folder();
    let split = "6 URLs in the sitemap, 4 of https://e.example (of the first URL; --site chooses \
                 another)\n  not judged, because this robots.txt does not count for other hosts: \
                 https://www.e.example (1)\n  not judged, because they are no URLs with a host: 1, \
                 the first is 'mailto:me@e.example'\n";
    run_line(&folder, "check robots.txt Bot --sitemap sitemap.xml").gives(
        1,
        format!(
            "{split}Bot may fetch 1 of 4, and not 3:\n  line 3 Disallow: /private/  2 URLs: \
             https://e.example/private/1  https://e.example/private/2\n  line 2 Disallow: /search  \
             1 URL: https://e.example/search?q=a&b\n"
        ),
    );
    run_line(&folder, "check robots.txt GPTBot --sitemap sitemap.xml").status(1).prints(
        "GPTBot may fetch 0 of 4, and not 4:\n  line 9 Disallow: /  4 URLs: https://e.example/",
    );
    let line = "check --agent Bot robots.txt --site https://www.e.example/ --sitemap sitemap.xml";
    run_line(&folder, line)
        .status(0)
        .prints("1 of https://www.e.example (--site)\n")
        .prints("https://e.example (4)\n")
        .prints("Bot may fetch all 1\n");
    // Nothing is allowed by judging nothing.
    let line = "check robots.txt Bot --sitemap sitemap.xml --site http://e.example";
    run_line(&folder, line)
        .fails(2, "nothing was judged")
        .says("https://e.example (4), https://www.e.example (1)");
    folder.file("empty.xml", "<urlset/>");
    run_line(&folder, "check robots.txt Bot --sitemap empty.xml").fails(2, "0 URLs in the sitemap");
    for (line, message) in [
        ("check robots.txt Bot --sitemap sitemap.xml /x", "cannot be used with"),
        ("check robots.txt --sitemap sitemap.xml", "AGENT"),
        ("check robots.txt Bot --site https://e.example /", "--sitemap"),
        ("check robots.txt Bot --sitemap sitemap.xml --site e.example", "--site 'e.example'"),
        ("check --agent Bot robots.txt /x --sitemap sitemap.xml", "unexpected argument '/x'"),
    ] {
        run_line(&folder, line).fails(2, message);
    }
}

#[test]
fn what_crawlers_shows() {
    let folder = folder();
    let line = "crawlers robots.txt --sitemap sitemap.xml --purpose search --purpose ai-training";
    run_line(&folder, line)
        .status(0)
        .prints("6 URLs in the sitemap, 4 of https://e.example (of the first URL")
        .prints("; sitemap: 0 may read all of its 4 URLs, ")
        .prints("  sitemap: 2 of 4; forbidden by line 6 Disallow: /private/ (2)\n")
        .prints("  sitemap: 1 of 4; forbidden by line 3 Disallow: /private/ (2), line 2 Disallow: /search (1)\n")
        .prints("  sitemap: none of 4\n  AI training: GPTBot (line 8)\n");
    run_line(&folder, &format!("{line} --format markdown"))
        .status(0)
        .prints("| Crawlers for | Known | Shut out | Partly | Let in | Not proven | None of the sitemap | A part | All |")
        .prints("| Crawlers | May read | Sitemap |")
        .prints("| none of 4 |");
    let ran = run_line(&folder, &format!("{line} --format json"));
    let json: Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!(json["sitemap"]["site"], "https://e.example");
    assert_eq!(json["sitemap"]["judged"], 4);
    assert_eq!(json["sitemap"]["other_sites"][0]["site"], "https://www.e.example");
    assert_eq!(json["sitemap"]["invalid"], 1);
    let crawlers = json["crawlers"].as_array().unwrap();
    let policy = |token: &str| {
        let one = crawlers.iter().find(|one| one["token"] == token).unwrap();
        &json["policies"][one["policy"].as_u64().unwrap() as usize]["sitemap"]
    };
    assert_eq!(
        (&policy("GPTBot")["allowed"], &policy("GPTBot")["disallowed"]),
        (&0.into(), &4.into())
    );
    let google = policy("Googlebot");
    assert_eq!(google["by"][0]["line"], 6);
    assert_eq!(google["by"][0]["rule"], "/private/");
    assert_eq!(google["by"][0]["urls"], 2);
    assert_eq!(google["by"][0]["examples"][1], "https://e.example/private/2");
    // Without a sitemap nothing of it is there.
    let ran = run_line(&folder, "crawlers robots.txt --format json");
    let json: Value = serde_json::from_slice(&ran.out).unwrap();
    assert!(json["sitemap"].is_null() && json["policies"][0]["sitemap"].is_null());
    run_line(&folder, "crawlers --list --sitemap sitemap.xml").fails(2, "cannot be used with");
}

/// The verdicts are those of `filter`, for every crawler.
#[test]
fn crawlers_agrees_with_filter() {
    let folder = Folder::new();
    let robots = root().join("corpora/robots/news.example.txt");
    let sitemap = root().join("corpora/sitemaps/index.xml");
    let line = args!["crawlers", &robots, "--format", "json", "--sitemap", &sitemap];
    let json: Value = serde_json::from_slice(&run_in(&folder.root(), line).out).unwrap();
    let crawlers = json["crawlers"].as_array().unwrap();
    for token in ["GPTBot", "Googlebot", "Bingbot", "CCBot", "DuckDuckBot"] {
        let one =
            crawlers.iter().find(|one| one["token"].as_str().unwrap().eq_ignore_ascii_case(token));
        let class = one.unwrap_or_else(|| panic!("{token}"))["policy"].as_u64().unwrap();
        let shown = &json["policies"][class as usize]["sitemap"];
        let filter = args!["filter", "--robots", &robots, "--agent", token, "--sitemap", &sitemap];
        let ran = run_in(&folder.root(), filter);
        let out = String::from_utf8_lossy(&ran.out);
        let allowed = out.lines().filter(|url| url.starts_with("https://news.example/")).count();
        assert_eq!(shown["allowed"], allowed, "{token}");
        assert_eq!(shown["disallowed"], 12 - allowed, "{token}");
    }
}

#[test]
fn what_test_says() {
    let folder = folder();
    folder.file("holds", "disallow GPTBot @sitemap\nallow * /\n");
    run_line(&folder, "test robots.txt holds --sitemap sitemap.xml")
        .gives(0, "")
        .says("2 expectations, 0 failed");
    folder.file("fails", "allow Googlebot @sitemap\nallow @search @sitemap\n");
    let ran = run_line(&folder, "test robots.txt fails --sitemap sitemap.xml");
    ran.status(1)
        .prints(
            "error: expected allow, got disallow for 2 of 4 URLs: Googlebot, @sitemap (profile google)\n \
             --> fails:1:1\n",
        )
        .prints(
            "disallow: Googlebot, 2 URLs: https://e.example/private/1  https://e.example/private/2 \
             (profile google)\n --> robots.txt:6:11\n",
        )
        .prints("6 | Disallow: /private/\n  |           ^^^^^^^^^ decides")
        .prints("error: expected allow for @search, @sitemap; got disallow for ")
        .prints("; got disallow for up to 3 of 4 URLs and ")
        .prints(", 2 URLs: https://e.example/private/1  https://e.example/private/2 (profile");
    let ran = run_line(&folder, "test robots.txt fails --sitemap sitemap.xml --format json");
    let json: Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!(json["sitemap"]["judged"], 4);
    let failure = &json["results"][0]["failures"][0];
    assert_eq!(failure["sitemap"]["by"][0]["rule"], "/private/");
    assert_eq!(failure["sitemap"]["disallowed"], 2);
    assert_eq!(json["results"][0]["url"], "@sitemap");
    for (format, text) in [
        ("github", "::error file=robots.txt,line=6,"),
        ("junit", "line 1: allow Googlebot @sitemap"),
        ("sarif", "line 6 Disallow: /private/ decides for 2 URLs: https://e.example/private/1"),
    ] {
        let line = format!("test robots.txt fails --sitemap sitemap.xml --format {format}");
        run_line(&folder, &line).status(1).prints(text);
    }
    folder.file("open", "disallow Googlebot @sitemap\n");
    run_line(&folder, "test robots.txt open --sitemap sitemap.xml --all-profiles")
        .status(1)
        .prints("got allow for 2 of 4 URLs: Googlebot, @sitemap (profiles rfc9309, google, google-classic and original-1994)")
        .prints("no rule");
    // What is missing.
    run_line(&folder, "test robots.txt fails")
        .fails(2, "fails:1: '@sitemap' stands for")
        .says("--sitemap FILE|URL");
    folder.file("none", "allow * /\n");
    run_line(&folder, "test robots.txt none --sitemap sitemap.xml").fails(2, "write '@sitemap'");
}

#[test]
fn init_has_what_holds() {
    let folder = folder();
    folder.file("pages.txt", "https://e.example/\nhttps://e.example/about\n");
    let ran = run_line(&folder, "test --init robots.txt --sitemap pages.txt");
    let out = String::from_utf8_lossy(&ran.status(0).out).into_owned();
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> =
        out.lines().filter(|line| line.contains("@sitemap")).map(words).collect();
    let wanted = ["allow *", "allow Googlebot", "allow bingbot", "disallow GPTBot"];
    assert_eq!(lines, wanted.map(|line| format!("{line} @sitemap")));
    folder.file("expect", &ran.out);
    run_line(&folder, "test robots.txt expect --sitemap pages.txt").gives(0, "");
    let ran = run_line(&folder, "test --init robots.txt --sitemap sitemap.xml");
    ran.status(0)
        .prints("# 3 crawlers left out that may read a part of the sitemap.\n")
        .prints("@sitemap\n");
}

/// Nothing that could be read is lost, and the exit status says that something could not.
#[test]
fn damaged_sitemaps() {
    let folder = folder();
    let good = "<url><loc>https://e.example/private/1</loc></url>\n";
    let cases: [(&str, Vec<u8>, &str); 12] = [
        ("cut", format!("<urlset>\n{good}<url><loc>https://e.example/pri").into(),
            "sitemap 'sitemap', line 3: it ends here, before its root element is closed: a part is missing (the 1 before it count)"),
        ("a bare &", format!("<urlset>{good}<url><loc>https://e.example/?a&b</loc></url></urlset>").into(),
            "line 2: an entry is skipped because its URL cannot be read: '&' is written '&amp;' in XML"),
        ("an entity", format!("<!DOCTYPE urlset [<!ENTITY x 'y'>]>\n<urlset>{good}<url><loc>https://e.example/&x;</loc></url></urlset>").into(),
            "'&x;' is unknown"),
        ("crossed tags", format!("<urlset>{good}<url><loc>x</url></loc></urlset>").into(),
            "line 2: '</url>' stands where '</loc>' is due (the 1 before it count)"),
        ("a NUL", format!("<urlset>{good}<url><loc>/&#0;</loc></url></urlset>").into(), "'&#0;' is unknown"),
        ("not UTF-8", [format!("<urlset>{good}<url><loc>/").as_bytes(), b"\xff</loc></url></urlset>"].concat(),
            "line 2: it is not UTF-8"),
        ("no loc", format!("<urlset>{good}<url/></urlset>").into(), "line 2: an entry is skipped because its URL cannot be read: it has no <loc>"),
        ("deep", format!("<urlset>{good}{}", "<url>".repeat(100_000)).into(), "nested more than 64 deep"),
        ("two roots", format!("<urlset>{good}</urlset><urlset/>").into(), "line 2: something follows the end of the root element"),
        ("cut gzip", { let mut bytes = gzip(format!("<urlset>{good}")); bytes.truncate(bytes.len() - 9); bytes }, "before what is compressed there does"),
        ("unterminated", format!("<urlset>{good}<!-- ").into(), "comment not closed"),
        ("an attribute", format!("<urlset>{good}<url x=\"").into(), "attribute value not closed"),
    ];
    for (name, bytes, message) in cases {
        folder.file("sitemap", bytes);
        let ran = run_line(&folder, &format!("{DENIED} --sitemap sitemap"));
        ran.says(message).status(3);
        if name != "cut gzip" {
            ran.gives(3, "https://e.example/private/1\n");
            // One found is no answer about the whole.
            run_line(&folder, "check robots.txt Bot --sitemap sitemap")
                .status(3)
                .prints("and not 1");
        }
    }
    for (name, bytes, message) in [
        ("a page", b"<!DOCTYPE html>\n<html></html>".to_vec(), "it is a web page, not a sitemap"),
        ("another page", b"<html></html>".to_vec(), "it is a web page, not a sitemap"),
        ("svg", b"<svg/>".to_vec(), "its root element is 'svg', not urlset"),
        ("binary", b"\x7fELF\0\0".to_vec(), "neither XML nor lines of text"),
        ("twice", gzip(gzip("<urlset/>")), "it is compressed twice"),
    ] {
        folder.file("sitemap", bytes);
        let ran = run_line(&folder, &format!("{DENIED} --sitemap sitemap"));
        assert!(ran.status == 3 && ran.err.contains(message), "{name}: {ran:?}");
    }
    run_line(&folder, &format!("{DENIED} --sitemap gone"))
        .says("cannot read sitemap 'gone'")
        .status(3);
    run_line(&folder, &format!("{DENIED} --sitemap e.example/sitemap.xml"))
        .says("a URL begins with http:// or https://")
        .status(3);
}

/// Runs `filter --sitemap -` with at most this much address space, and what a shell pipes to it.
#[cfg(target_os = "linux")]
fn limited(producer: &str, folder: &Folder) -> Ran {
    let line = format!(
        "ulimit -v 600000; {producer} | \"$0\" filter --robots robots.txt --agent Bot \
         --threads 1 --format denied --sitemap -"
    );
    in_shell(&line).current_dir(folder.root()).output().unwrap().into()
}

#[cfg(target_os = "linux")]
#[test]
fn hostile_sitemaps_are_bounded() {
    let folder = folder();
    let head = "printf '<urlset><url><loc>https://e.example/private/1</loc></url>";
    let endless = "head -c 1000000000 /dev/zero | tr '\\0'";
    let one = "https://e.example/private/1\n";
    for (what, producer) in [
        ("a tag", format!("({head}<'; {endless} x)")),
        ("attributes", format!("({head}<a '; yes 'a=\"1\"' | head -c 1000000000)")),
        ("a comment", format!("({head}<!--'; {endless} x)")),
        ("blanks", format!("({head}'; {endless} ' ')")),
        ("a doctype", format!("({head}<!DOCTYPE x ['; {endless} x)")),
    ] {
        let ran = limited(&producer, &folder);
        ran.says("of more than 8 MiB begins here");
        assert!(ran.status == 3 && ran.out == one.as_bytes(), "{what}: {ran:?}");
    }
    // A URL of 7 MB is one URL that is too long.
    let long = format!(
        "({head}<url><loc>'; head -c 7000000 /dev/zero | tr '\\0' x; \
                        printf '</loc></url><url><loc>https://e.example/private/2</loc></url></urlset>')"
    );
    limited(&long, &folder)
        .gives(0, format!("{one}https://e.example/private/2\n"))
        .says("longer than 1 MiB, so it is skipped");
    limited("(head -c 1000000000 /dev/zero | tr '\\0' x)", &folder)
        .says("longer than 1 MiB")
        .status(0);
    // Billion laughs: no entity is expanded.
    let mut laughs = "<!DOCTYPE urlset [<!ENTITY a0 \"https://e.example/\">".to_owned();
    for number in 1..20 {
        let last = format!("&a{};", number - 1).repeat(10);
        laughs += &format!("<!ENTITY a{number} \"{last}\">");
    }
    laughs += "]><urlset><url><loc>&a19;</loc></url><url><loc>https://e.example/private/1</loc></url></urlset>";
    folder.file("laughs", laughs);
    limited("cat laughs", &folder).gives(3, one).says("'&a19;' is unknown");
}

/// A bomb ends at 1 GiB, and what is before that counts.
#[cfg(target_os = "linux")]
#[test]
fn bombs_are_bounded() {
    let folder = folder();
    let mut bomb = gzip("<urlset><url><loc>https://e.example/private/1</loc></url>");
    let comment = gzip(format!("<!--{}-->", "x".repeat(7 << 20)));
    (0..150).for_each(|_| bomb.extend_from_slice(&comment));
    folder.file("bomb", &bomb);
    assert!(bomb.len() < 16 << 20);
    limited("cat bomb", &folder)
        .gives(3, "https://e.example/private/1\n")
        .says("it is longer than 1 GiB");
}

#[test]
fn large_sitemaps() {
    let folder = folder();
    let mut text = String::new();
    (0..50_001).for_each(|number| text += &format!("https://e.example/{number}\n"));
    folder.file("many.txt", &text);
    run_line(&folder, "check robots.txt Bot --sitemap many.txt")
        .status(0)
        .prints("50,001 URLs in the sitemap, all of https://e.example (")
        .prints("Bot may fetch all 50,001\n")
        .says("sitemap 'many.txt' has more than 50000 URLs or 50 MiB");
    run_line(&folder, "--quiet check robots.txt Bot --sitemap many.txt").status(0);
}

#[test]
fn indexes_of_files() {
    let folder = folder();
    folder.file("maps/1.xml", urlset(&PAGES[..3]));
    folder.file("maps/2.txt.gz", gzip("https://e.example/private/9\n"));
    let maps = [
        "https://e.example/1.xml",
        "https://e.example/a/2.txt.gz?x#y",
        "https://e.example/1.xml",
        "https://e.example/b/1.xml",
    ];
    // Each is read once, also if the index is given again.
    folder.file("maps/index.xml", index(&maps[..3]));
    let run_index = || run_line(&folder, &format!("{DENIED} --sitemap maps/index.xml"));
    let wanted = "https://e.example/search?q=a&b\nhttps://e.example/private/1\n\
                  https://e.example/private/9\n";
    run_index().gives(0, wanted);
    run_line(&folder, &format!("{DENIED} --sitemap maps/index.xml --sitemap maps/index.xml"))
        .gives(0, wanted);
    folder.file("maps/index.xml", index(&maps));
    run_index()
        .gives(3, wanted)
        .says("sitemap 'maps/1.xml' stands for several sitemaps of its index")
        .says("'https://e.example/b/1.xml' is not read");
    // No name leads out of the folder, and none to a folder.
    folder.file("secret", "https://e.example/private/secret\n");
    for name in
        ["https://e.example/..", "https://e.example/", "https://e.example/gone.xml", "x", ""]
    {
        folder.file("maps/index.xml", index(&[name]));
        let ran = run_index();
        assert!(ran.status == 3 && ran.out.is_empty(), "{name}: {ran:?}");
    }
    folder.file("maps/index.xml", index(&["https://e.example/gone.xml"]));
    run_index()
        .says("there is no file 'gone.xml' beside its index; download it to there, or give the URL of the index with --sitemap");
    // An index within an index, and within itself.
    folder.file(
        "maps/index.xml",
        index(&["https://e.example/inner.xml", "https://e.example/index.xml"]),
    );
    folder.file("maps/inner.xml", index(&["https://e.example/1.xml"]));
    run_index()
        .gives(3, "")
        .says("sitemap 'maps/inner.xml' is an index within an index")
        .says("sitemap 'maps/index.xml' names itself");
    // Many that are not there.
    let gone: Vec<String> = (0..40_000).map(|n| format!("https://e.example/gone{n}.xml")).collect();
    folder.file("maps/index.xml", index(&gone.iter().map(String::as_str).collect::<Vec<_>>()));
    let ran = run_index();
    ran.gives(3, "")
        .says("10 sitemaps in a row could not be read")
        .says("7 more sitemaps could not be read");
    assert!(ran.err.lines().count() < 10, "{ran:?}");
    let robots = folder.path("robots.txt");
    let args = args!["check", robots, "Bot", "--sitemap", "-"];
    run_with(args, index(&maps).as_bytes()).fails(3, "an index from standard input has no folder");
}

#[test]
fn fetched_sitemaps() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let origin = site(move |head| {
        let path = head[0].split(' ').nth(1).unwrap_or_default();
        count.fetch_add(1, Ordering::Relaxed);
        match path {
            "/robots.txt" => answered("200 OK", "", ROBOTS),
            "/sitemap.xml" => answered("200 OK", "", urlset(&["https://e.example/private/1"])),
            "/sitemap.xml.gz" => {
                answered("200 OK", "Content-Type: application/gzip\r\n", gzip(urlset(&PAGES)))
            }
            _ => answered("404 Not Found", "", "no"),
        }
    });
    let folder = folder();
    let line = format!("{DENIED} --sitemap {origin}/sitemap.xml.gz");
    run_line(&folder, &line).status(0).counts([6, 2, 3, 0, 1, 2]);
    run_line(&folder, &format!("{DENIED} --sitemap {origin}/gone.xml")).fails(3, "HTTP 404");
    // The site is where the sitemap or the robots.txt is.
    let pages = format!("{origin}/\n{origin}/private/\nhttps://e.example/");
    folder.file("pages.txt", &pages);
    run_line(&folder, &format!("check {origin}/robots.txt Bot --sitemap pages.txt"))
        .status(1)
        .prints(&format!("3 URLs in the sitemap, 2 of {origin} (where robots.txt is)\n"));
    run_line(&folder, &format!("check robots.txt Bot --sitemap {origin}/sitemap.xml"))
        .fails(2, &format!("0 of {origin} (where the sitemap is)"));
    assert!(asked.load(Ordering::Relaxed) >= 4);
}

/// The word `robots` stands for what the robots.txt names.
#[test]
fn sitemaps_of_the_robots_txt() {
    let origin = site(|head| {
        let host = |line: &String| Some(line.to_lowercase().strip_prefix("host: ")?.to_owned());
        let host = head.iter().find_map(host).unwrap_or_default();
        let maps = format!(
            "Sitemap: http://{host}/a.txt\nSitemap: secret\nSitemap: -\n\
             Sitemap: file:///etc/passwd\nSitemap: http://{host}/b.txt\n"
        );
        match head[0].split(' ').nth(1).unwrap_or_default() {
            "/robots.txt" => answered("200 OK", "", format!("{maps}{ROBOTS}")),
            "/a.txt" => answered("200 OK", "", "https://e.example/private/1\n"),
            "/b.txt" => answered("200 OK", "", "https://e.example/\n"),
            _ => answered("404 Not Found", "", ""),
        }
    });
    let folder = folder();
    folder.file("secret", "https://e.example/private/secret\n");
    let given = "--sitemap robots --site https://e.example";
    run_line(&folder, &format!("check {origin} Bot {given}"))
        .status(1)
        .prints("2 URLs in the sitemap, all of https://e.example (--site)\n")
        .prints("Bot may fetch 1 of 2, and not 1:\n");
    run_line(&folder, &format!("crawlers {origin} {given}")).status(0);
    folder.file("expect", "disallow GPTBot @sitemap\n");
    run_line(&folder, &format!("test {origin} expect {given}"))
        .status(0)
        .says("2 URLs in the sitemap, all of https://e.example (--site)\n");
    let denied = format!("filter --robots {origin} --agent Bot --format denied --sitemap robots");
    // The file of one site says nothing of another.
    run_line(&folder, &denied).gives(0, "").says("nor is any other URL of another site");
    run_line(&folder, "check robots.txt Bot --sitemap robots").fails(2, "has no Sitemap record");
    folder.file("folder/e.example", ROBOTS);
    run_line(&folder, "filter --robots-dir folder --agent Bot --sitemap robots")
        .fails(2, "needs one robots.txt");
    // A file of this name is named as one.
    folder.file("robots", "https://e.example/private/2\n");
    run_line(&folder, &format!("{DENIED} --sitemap ./robots"))
        .gives(0, "https://e.example/private/2\n");
}

/// However often it is named.
#[test]
fn each_is_read_once() {
    let folder = folder();
    folder.file("a.txt", "https://e.example/private/1\n");
    folder.file("index.xml", index(&["https://e.example/a.txt", "https://e.example/a.txt"]));
    for names in [
        "--sitemap a.txt --sitemap ./a.txt",
        "--sitemap index.xml --sitemap a.txt",
        "--sitemap a.txt --sitemap index.xml",
        "--sitemap index.xml --sitemap index.xml",
    ] {
        run_line(&folder, &format!("{DENIED} {names}")).gives(0, "https://e.example/private/1\n");
    }
    let origin = site(|head| {
        let host = |line: &String| Some(line.to_lowercase().strip_prefix("host: ")?.to_owned());
        let host = head.iter().find_map(host).unwrap_or_default();
        let map = format!("Sitemap: http://{host}/a.txt\n");
        match head[0].split(' ').nth(1).unwrap_or_default() {
            "/robots.txt" => answered("200 OK", "", format!("{map}{map}{ROBOTS}")),
            _ => answered("200 OK", "", "https://e.example/private/1\n"),
        }
    });
    let line = format!("check {origin} Bot --sitemap robots --site https://e.example");
    run_line(&folder, &line).status(1).prints("1 URL in the sitemap");
}

/// What a robots.txt names is not what its reader asked for: it leads to no private address, but for
/// the one from which the file came.
#[test]
fn sitemaps_of_a_robots_txt_are_no_way_in() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let inside = site(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        answered("200 OK", "", "https://e.example/\n")
    });
    let folder = folder();
    let refused = "an address that is not public is asked only if the URL given names it itself";
    for url in [format!("{inside}/a.txt"), "http://169.254.169.254/latest".to_owned()] {
        folder.file("named.txt", format!("Sitemap: {url}\n{ROBOTS}"));
        run_line(&folder, "check named.txt Bot --sitemap robots").fails(3, refused);
        run_line(&folder, "filter --robots named.txt --agent Bot --sitemap robots")
            .fails(3, refused);
    }
    // What is not read is told.
    folder.file("many.txt", ["Sitemap: http://127.0.0.2:1/a.txt\n"; 1_003].concat());
    run_line(&folder, "check many.txt Bot --sitemap robots")
        .fails(3, "names are read, 3 more are not");
    let named = format!("Sitemap: {inside}/a.txt\nSitemap: http://127.0.0.2:1/a.txt\n{ROBOTS}");
    let elsewhere = site(move |_| answered("200 OK", "", named.clone()));
    run_line(&folder, &format!("check {elsewhere} Bot --sitemap robots --site https://e.example"))
        .status(3)
        .says(refused);
    // Both are at 127.0.0.1, which the URL of the robots.txt names.
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

/// Redirects may lead to another host of the site, on which the sitemaps are.
#[test]
fn redirected_indexes() {
    let origin = site(|head| {
        let port = |line: &String| {
            Some(line.to_lowercase().strip_prefix("host: ")?.split(':').nth(1)?.to_owned())
        };
        let port = head.iter().find_map(port).unwrap_or_default();
        match head[0].split(' ').nth(1).unwrap_or_default() {
            "/index.xml" => {
                let to = format!("Location: http://localhost:{port}/real.xml\r\n");
                answered("301 Moved Permanently", &to, "")
            }
            "/real.xml" => {
                answered("200 OK", "", index(&[&format!("http://localhost:{port}/1.xml")]))
            }
            "/1.xml" => answered("200 OK", "", urlset(&["https://e.example/private/1"])),
            _ => answered("404 Not Found", "", ""),
        }
    });
    run_line(&folder(), &format!("{DENIED} --sitemap {origin}/index.xml"))
        .gives(0, "https://e.example/private/1\n");
}

#[test]
fn fetched_indexes() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    // It does not know its own origin before it runs.
    let origin = site(move |head| {
        let path = head[0].split(' ').nth(1).unwrap_or_default();
        let name = |port: &str| format!("http://127.0.0.1:{port}");
        match path.strip_prefix("/index/") {
            Some(port) => {
                let maps = [
                    format!("{}/1.xml", name(port)),
                    format!("{}/1.xml", name(port)),
                    "http://192.0.2.1/other-host.xml".to_owned(),
                    "file:///etc/passwd".to_owned(),
                    format!("{}/index/{port}?2", name(port)),
                ];
                answered("200 OK", "", index(&maps.each_ref().map(String::as_str)))
            }
            None if path == "/1.xml" => {
                count.fetch_add(1, Ordering::Relaxed);
                answered("200 OK", "", urlset(&["https://e.example/private/1"]))
            }
            None => answered("404 Not Found", "", ""),
        }
    });
    let port = origin.rsplit(':').next().unwrap();
    run_line(&folder(), &format!("{DENIED} --sitemap {origin}/index/{port}"))
        .gives(3, "https://e.example/private/1\n")
        .says("it is not on the host of its index")
        .says("'file:///etc/passwd', which is no URL of http or https")
        .says("is an index within an index");
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}
