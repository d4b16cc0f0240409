//! `robotsieve enforce`: by the real servers.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use robotsieve::{Crawler, Policy, Profile, Robots};
use robotsieve_corpora::effort;
use robotsieve_corpora::shared::corpus;
use robotsieve_corpus_test::corpus_test;
use robotsieve_known::{KnownCrawler, KnownCrawlers};
use robotsieve_owners::audit::Ranges;
use robotsieve_owners::enforce::{self, CannotEnforce, Options, OwnAddresses};

use crate::command::servers::Server;
use crate::command::{Folder, run};

const BROWSERS: [&str; 3] = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/134.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (X11; Linux x86_64; rv:136.0) Gecko/20100101 Firefox/136.0",
];

/// The requests of each crawler and browser to each site.
static REQUESTS: LazyLock<usize> = LazyLock::new(|| effort::cases(200));

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }

    fn of<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.below(all.len())]
    }
}

/// Paths that rules are about, in several spellings, and others.
fn paths(robots: &Robots<'_>, urls: &[String], random: &mut Random) -> Vec<String> {
    let values: Vec<&[u8]> = robots.records().map(|record| record.value).collect();
    let rules: Vec<&&[u8]> =
        values.iter().filter(|value| b"/*".contains(value.first().unwrap_or(&0))).collect();
    let mut paths =
        vec!["/".to_owned(), "/robots.txt".to_owned(), "/%72obots.txt".to_owned(), "/?".to_owned()];
    while paths.len() < *REQUESTS {
        let mut path: Vec<u8> = match (random.below(4), rules.is_empty()) {
            (0, _) | (_, true) if !urls.is_empty() => random.of(urls).clone().into_bytes(),
            (_, true) => format!("/{}", random.below(1_000)).into_bytes(),
            _ => {
                let mut path = Vec::new();
                for &byte in random.of(&rules).iter() {
                    match byte {
                        b'*' => path
                            .extend(random.of(&["", "x", "a/b", "%2f", "?", "%61", "2"]).bytes()),
                        b'$' => {}
                        _ => path.push(byte),
                    }
                }
                path.extend(random.of(&["", "", "x", "/", "?q=1", ".pdf", "%20", "//"]).bytes());
                if random.below(5) == 0 {
                    path.pop();
                }
                path
            }
        };
        if path.first() != Some(&b'/') {
            path.insert(0, b'/');
        }
        let path = spelled(&path, random);
        // Servers refuse to leave the root, whoever asks, and long requests.
        let is_refused = ["..", "%2e", "%2E", "%00"].iter().any(|part| path.contains(part));
        if !is_refused && path.len() < 2_000 {
            paths.push(path);
        }
    }
    paths
}

/// A path with some bytes in another spelling, and with those escaped that no request may have.
fn spelled(path: &[u8], random: &mut Random) -> String {
    let often = random.below(3);
    let mut text = String::new();
    let mut at = 0;
    while let Some(&byte) = path.get(at) {
        let is_escape =
            path.get(at + 1..at + 3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit));
        at += 1;
        let escaped = match random.below(2) {
            0 => format!("%{byte:02x}"),
            _ => format!("%{byte:02X}"),
        };
        match byte {
            b'%' if is_escape => {
                let digits = String::from_utf8_lossy(&path[at..at + 2]);
                let digits = if often > 0 { digits.to_lowercase() } else { digits.into_owned() };
                text += &format!("%{digits}");
                at += 2;
            }
            0..=0x20
            | b'#'
            | b'%'
            | b'"'
            | b'<'
            | b'>'
            | b'\\'
            | b'^'
            | b'`'
            | b'{'
            | b'|'
            | b'}'
            | 0x7F.. => text += &escaped,
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~'
                if often == 2 && random.below(8) == 0 =>
            {
                text += &escaped;
            }
            _ => text.push(char::from(byte)),
        }
    }
    text
}

/// A site, what is known of its crawlers, and what they ask.
struct Site {
    name: String,
    file: Vec<u8>,
    paths: Vec<String>,
    /// Ten crawlers with their policies.
    crawlers: Vec<(&'static KnownCrawler, Policy)>,
}

impl Site {
    fn new(name: String, file: Vec<u8>, urls: &[String], random: &mut Random) -> Site {
        let robots = Robots::parse(&file, &Profile::RFC9309);
        let known = KnownCrawlers::built_in();
        // Their headers have their names after a slash, or an app of people sends the name.
        let with_header = known.iter().filter(|crawler| {
            let is_left_out =
                ["Teoma", "fedoraplanet", "Overcast", "WhatsApp"].contains(&crawler.token.as_str());
            crawler.header.is_some() && !is_left_out
        });
        let (named, others): (Vec<_>, Vec<_>) =
            with_header.partition(|crawler| crawler.is_named(&robots));
        let mut crawlers = Vec::new();
        for mut from in [named, others] {
            while crawlers.len() < 10 && !from.is_empty() {
                let crawler: &'static KnownCrawler = from.swap_remove(random.below(from.len()));
                crawlers.push((crawler, crawler.policy(&robots)));
            }
        }
        let paths = paths(&robots, urls, random);
        Site { name, file, paths, crawlers }
    }

    fn options(&self, server: Server, number: usize) -> Options {
        let mut options = Options::new(server.name().parse().unwrap());
        options.choice.known = true;
        options.name = format!("site{number}");
        options
    }
}

/// A path as servers resolve it, with its query. `None`: they differ in it, or it is no text of a URL.
fn resolved(path: &str) -> Option<String> {
    let (path, query) = path.find('?').map_or((path, ""), |at| path.split_at(at));
    // None of them tells an empty query from none.
    let is_plain = !["//", "/.", "%"].iter().any(|part| path.contains(part));
    let query = if query == "?" && !is_plain { "" } else { query };
    if is_plain {
        return Some(format!("{path}{query}"));
    }
    let mut decoded = String::new();
    let mut rest = path;
    while let Some(next) = rest.chars().next() {
        let (byte, len) = match next {
            '%' => (u8::from_str_radix(rest.get(1..3)?, 16).ok()?, 3),
            next => (next as u8, next.len_utf8()),
        };
        if !(0x21..0x7F).contains(&byte) || len == 3 && b"%#?/\\".contains(&byte) {
            return None;
        }
        if !(byte == b'/' && decoded.ends_with('/')) {
            decoded.push(char::from(byte));
        }
        rest = &rest[len..];
    }
    (!decoded.contains("/.")).then(|| decoded + query)
}

/// Puts all requests to a server, and returns how many answers of each kind there were, refused and not.
fn asked(server: Server, sites: &[&Site]) -> Option<[usize; 2]> {
    let known = KnownCrawlers::built_in();
    let mut configured: Vec<(&Site, String)> = Vec::new();
    let mut unproven = 0;
    for &site in sites {
        let robots = Robots::parse(&site.file, &Profile::RFC9309);
        match enforce::configuration(&robots, known, &site.options(server, configured.len())) {
            Ok(written) => configured.push((site, written.text)),
            Err(CannotEnforce::Nothing { .. }) => {}
            // The automaton of some rules is over the limits.
            Err(CannotEnforce::Unproven(_)) => unproven += 1,
            Err(wrong) => panic!("{}: {wrong}", site.name),
        }
    }
    assert!(unproven <= 2, "{unproven}");
    let texts: Vec<String> = configured.iter().map(|(_, text)| text.clone()).collect();
    let started = server.start(&texts)?;
    let mut counts = [0; 2];
    for (number, (site, _)) in configured.iter().enumerate() {
        for (crawler, policy) in &site.crawlers {
            let statuses = started.ask(number, crawler.header.as_ref().unwrap(), &site.paths);
            for (path, status) in site.paths.iter().zip(statuses) {
                let as_sent = policy.is_path_allowed(path).unwrap();
                let is_allowed = match resolved(path) {
                    _ if !as_sent => false,
                    Some(resolved) => policy.is_path_allowed(&resolved).unwrap(),
                    // Not told here: see `paths_as_the_server_resolves_them`.
                    None => continue,
                };
                let wanted = if is_allowed { 204 } else { 403 };
                assert_eq!(status, wanted, "{server:?}, {}, {}: {path}", site.name, crawler.token);
                counts[usize::from(is_allowed)] += 1;
            }
        }
        for browser in BROWSERS {
            let statuses = started.ask(number, browser, &site.paths);
            assert!(statuses.iter().all(|status| *status == 204), "{server:?}, {}", site.name);
            counts[1] += statuses.len();
        }
    }
    Some(counts)
}

/// The files in `corpora`, with their policies compiled once for all servers.
static OWN_SITES: LazyLock<Vec<Site>> = LazyLock::new(own_sites);

fn own_sites() -> Vec<Site> {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpora/robots");
    let mut files: Vec<PathBuf> =
        fs::read_dir(corpora).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut random = Random(1);
    let site = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        Site::new(name, fs::read(path).unwrap(), &[], &mut random)
    };
    files.into_iter().map(site).collect()
}

#[test]
fn nginx_refuses_what_the_files_forbid() {
    answers_are_right(Server::Nginx);
}

#[test]
fn caddy_refuses_what_the_files_forbid() {
    answers_are_right(Server::Caddy);
}

#[test]
fn apache_refuses_what_the_files_forbid() {
    answers_are_right(Server::Apache);
}

#[test]
fn haproxy_refuses_what_the_files_forbid() {
    answers_are_right(Server::Haproxy);
}

fn answers_are_right(server: Server) {
    // To prove the hostile one takes longer than all else.
    let is_usual = |site: &&Site| effort::everything() || !site.name.starts_with("hostile");
    let sites: Vec<&Site> = OWN_SITES.iter().filter(is_usual).collect();
    if let Some([refused, open]) = asked(server, &sites) {
        assert!(refused > 5 * *REQUESTS && open > 50 * *REQUESTS, "{refused} {open}");
    }
}

/// Real files, the requests of 10 crawlers and 3 browsers each.
#[corpus_test]
fn real_files_by_real_servers() {
    let count = if effort::everything() { 50 } else { 6 };
    let robots = corpus().join("robots");
    let names: BTreeSet<String> = fs::read_dir(&robots)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let names: Vec<String> = names.into_iter().collect();
    let mut random = Random(50);
    let mut sites: Vec<Site> = Vec::new();
    for name in names.iter().step_by(names.len() / 120) {
        let file = fs::read(robots.join(name)).unwrap();
        let urls = fs::read_to_string(corpus().join("urls").join(name)).unwrap_or_default();
        let after_host = |url: &str| url.splitn(4, '/').nth(3).map(|rest| format!("/{rest}"));
        let urls: Vec<String> = urls.lines().filter_map(after_host).take(500).collect();
        let rules = Robots::parse(&file, &Profile::RFC9309);
        let forbids = rules
            .records()
            .any(|record| record.field == robotsieve::Field::Disallow && record.value.len() > 1);
        if forbids && sites.len() < count {
            sites.push(Site::new(name.clone(), file, &urls, &mut random));
        }
    }
    assert_eq!(sites.len(), count);
    let sites: Vec<&Site> = sites.iter().collect();
    for server in Server::ALL {
        if let Some([refused, open]) = asked(server, &sites) {
            println!("{server:?}: {refused} refused, {open} answered");
            let asked = *REQUESTS * count;
            assert!(refused > 4 * asked && refused + open > 11 * asked, "{refused} {open}");
        }
    }
}

/// Values that would like to be more than a value.
const HOSTILE: [&str; 44] = [
    "\"",
    "'",
    "`",
    "\\",
    "\\\\",
    "{",
    "}",
    "{$HOME}",
    "${HOME}",
    "$1",
    "$",
    "%",
    "%{ENV:x}",
    "%[src]",
    ";",
    "#",
    "\t",
    " ",
    "(",
    ")",
    "[",
    "]",
    "|",
    "^",
    "*",
    "**",
    "?",
    "+",
    ".",
    "\u{0}",
    "\u{85}",
    "\u{2028}",
    "é",
    "\\n",
    "//",
    "<",
    ">",
    "</If>",
    "} return 200; {",
    "\" 1; }",
    "' if TRUE",
    "\x1b[31m",
    "%2F",
    "%c3%a9",
];

/// A file that nobody means well with.
fn hostile(random: &mut Random) -> Vec<u8> {
    let mut file = Vec::new();
    for _ in 0..1 + random.below(6) {
        for _ in 0..1 + random.below(4) {
            file.extend(b"User-agent: ");
            match random.below(3) {
                0 => file.extend(
                    random
                        .of(&[
                            "GPTBot",
                            "default",
                            "include",
                            "volatile",
                            "hostnames",
                            "a.b",
                            "-",
                            "_x",
                        ])
                        .bytes(),
                ),
                1 => file.extend(format!("bot{}", random.below(30)).bytes()),
                _ => {
                    (0..1 + random.below(5)).for_each(|_| file.extend(random.of(&HOSTILE).bytes()))
                }
            }
            file.push(b'\n');
        }
        for _ in 0..random.below(8) {
            file.extend(
                random
                    .of(&["Disallow: /", "Disallow: /", "Allow: /", "Disallow: *", "Disallow: "])
                    .bytes(),
            );
            for _ in 0..random.below(7) {
                match random.below(3) {
                    0 => file.push(random.below(256) as u8),
                    _ => file.extend(random.of(&HOSTILE).bytes()),
                }
            }
            // Apache continues a line that ends so, comments too.
            file.extend(random.of(&["\n", "\n", "\\\n", "\r\n", "$\n"]).bytes());
        }
    }
    file
}

/// Whatever a file says, a configuration is loaded, and nothing of the file gets out of its place: each line has one of
/// the forms that are written, and the requests of browsers are answered.
#[test]
fn hostile_files() {
    let known = KnownCrawlers::built_in();
    let (batches, files) = if effort::everything() { (10, 100) } else { (1, 28) };
    let lines = [
        (
            "nginx",
            r#"^(map (\$\w+)+ \$\w+ \{|\}|    (default|\\?[\w.-]+|"\\[a-z]+"|"~\*?[^"]+") ("1?"|"|1|_sent|\d+|/robots\.txt|\$\w+|(\$uri|\$\w+_head%\w\w\$\w+_tail)\$is_args\$args)"?;|    #.*|#.*|)$"#,
        ),
        (
            "caddy",
            r"^(\(\w+\) \{|\}|\t(map .*|\}|#.*|@\w+ vars \{\w+\} 1|@\w+ path_regexp \w+ `[^`]+`|respond @\w+ 403)|\t\t(#.*|default .*|`[^`]+` .*|\d+(_sent|_leads)? \{\w+\})|#.*|)$",
        ),
        (
            "apache",
            r#"^(RewriteEngine On|RewriteCond %\{[\w:]+\} ("[^"]+"|\^\$|!?=1)( \[(OR|NC)\])?|RewriteRule \^ - \[[^\]]+\]|#.*|)$"#,
        ),
        ("haproxy", r"^(    (acl \w+ .*|http-request .*|#.*)|#.*|)$"),
    ];
    for server in Server::ALL {
        let mut random = Random(44);
        let form = lines.iter().find(|(name, _)| *name == server.name()).unwrap().1;
        let form = regex_automata::hybrid::regex::Regex::new(form).unwrap();
        let mut cache = form.create_cache();
        let [mut configured, mut refused] = [0; 2];
        for batch in 0..batches {
            let mut texts: Vec<String> = Vec::new();
            for number in 0..files {
                let file = hostile(&mut random);
                for (_, profile) in [Profile::NAMED[number % 4]] {
                    let mut options = Options::new(server.name().parse().unwrap());
                    options.name = format!("site{}", texts.len());
                    let robots = Robots::parse(&file, &profile);
                    match enforce::configuration(&robots, known, &options) {
                        Ok(written) => {
                            assert!(
                                written
                                    .text
                                    .bytes()
                                    .all(|byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~'))
                            );
                            for line in written.text.lines() {
                                assert!(form.is_match(&mut cache, line), "{server:?}: {line}");
                                assert!(!line.ends_with('\\'), "{server:?}: {line}");
                            }
                            texts.push(written.text);
                        }
                        Err(CannotEnforce::Nothing { .. }) => {}
                        // A star after a part of an escape, in a profile that keeps that.
                        Err(CannotEnforce::Differs { .. }) if profile != Profile::RFC9309 => {
                            refused += 1
                        }
                        Err(wrong) => panic!("{wrong}: {}", file.escape_ascii()),
                    }
                }
            }
            configured += texts.len();
            if let Some(wrong) = server.refuses(&texts) {
                panic!("{server:?}, batch {batch}: {wrong}");
            }
            if batch == 0
                && let Some(started) = server.start(&texts)
            {
                for site in 0..texts.len() {
                    let statuses =
                        started.ask(site, BROWSERS[0], &["/".to_owned(), "/robots.txt".to_owned()]);
                    assert_eq!(statuses, [204, 204], "{server:?}");
                }
            }
        }
        println!("{server:?}: {configured} configurations, {refused} refused");
        let count = batches * files;
        assert!(configured > count / 4 && refused <= 1 + count / 50, "{configured} {refused}");
    }
}

/// A proxy is sent the whole URL, and a long URL is read to its end.
#[test]
fn whole_and_long_urls() {
    let file = b"User-agent: GPTBot\nUser-agent: -f\nDisallow: /private/\nDisallow: /*&print=1\n";
    let robots = Robots::parse(file, &Profile::RFC9309);
    for server in Server::ALL {
        let mut options = Options::new(server.name().parse().unwrap());
        options.name = "site0".to_owned();
        let written = enforce::configuration(&robots, KnownCrawlers::built_in(), &options).unwrap();
        let Some(started) = server.start(&[written.text]) else { continue };
        let paths = [
            "http://e.com/private/x".to_owned(),
            "http://e.com/public/x".to_owned(),
            format!("/%61?f={}&print=1", "x".repeat(3_000)),
            format!("/%61?f={}&print=2", "x".repeat(3_000)),
            "/%61?q=5%&print=1".to_owned(),
        ];
        let statuses = started.ask(0, "Mozilla/5.0 (compatible; GPTBot/1.2)", &paths);
        // An engine that cannot keep what it has read takes `%&p` for an escape.
        let last = if server == Server::Caddy { 204 } else { 403 };
        assert_eq!(statuses, [403, 204, 403, 204, last], "{server:?}");
    }
}

/// A file with a group for each of these crawlers, which forbids `/all` and a path of its own.
fn groups<'t>(tokens: impl Iterator<Item = &'t str>) -> String {
    let groups = tokens.enumerate().map(|(number, token)| {
        format!("User-agent: {token}\nDisallow: /all\nDisallow: /{number}/\n")
    });
    groups.collect()
}

/// Each published header of a crawler is refused what the library says that its group forbids, and no header of a
/// person is refused anything: by the servers themselves.
#[corpus_test]
fn headers_are_read_as_check_reads_them() {
    let crawlers = corpus().join("../crawlers");
    let rows = fs::read_to_string(crawlers.join("headers.tsv")).unwrap();
    let browsers = fs::read_to_string(crawlers.join("browsers.txt")).unwrap();
    let people = include_str!("../../../crates/owners/src/enforce/people.txt");
    let people = people.lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<(&str, &str)> = rows.lines().filter_map(|line| line.split_once('\t')).collect();
    let mut tokens: Vec<&str> = rows.iter().map(|(token, _)| *token).collect();
    tokens.sort_by_key(|token| token.to_ascii_lowercase());
    tokens.dedup_by(|a, b| a.eq_ignore_ascii_case(b));
    // A server is asked about as many groups as its classes can be.
    for tokens in tokens.chunks(400) {
        let file = groups(tokens.iter().copied());
        let robots = Robots::parse(file.as_bytes(), &Profile::RFC9309);
        for (turn, server) in Server::ALL.into_iter().enumerate() {
            // Each header is asked of each server, or of one.
            let every = effort::step(Server::ALL.len());
            let mut options = Options::new(server.name().parse().unwrap());
            options.name = "site0".to_owned();
            let known = KnownCrawlers::built_in();
            let written = enforce::configuration(&robots, known, &options).unwrap();
            let Some(started) = server.start(&[written.text]) else { continue };
            for header in browsers.lines().chain(people.clone()).skip(turn % every).step_by(every) {
                let statuses = started.ask(0, header, &["/all".to_owned()]);
                assert_eq!(statuses, [204], "{server:?}: {header}");
            }
            let [mut alike, mut looser] = [0, 0];
            for (token, header) in rows.iter().skip(turn % every).step_by(every) {
                let policy = robots.policy(&Crawler::from_user_agent(header));
                // That of the group it obeys, if one names it.
                let own = policy.rules().map(|rule| str::from_utf8(rule.value).unwrap());
                let own = own.filter(|value| *value != "/all").max();
                let paths = ["/all", own.unwrap_or("/none/")].map(str::to_owned);
                let wanted = match own {
                    Some(own) => {
                        assert!(!policy.is_path_allowed(own).unwrap());
                        [403, 403]
                    }
                    None => [204, 204],
                };
                let statuses = started.ask(0, header, &paths);
                if statuses == wanted {
                    alike += 1;
                    continue;
                }
                // What is left out is told: nobody is refused for it.
                assert_eq!(statuses, [204, 204], "{server:?} {token}: {header}");
                println!("{server:?} lets through {token}: {header}");
                looser += 1;
            }
            println!("{server:?}: {alike} alike, {looser} looser");
            assert!(looser <= 30, "{looser}");
        }
    }
}

/// Names that would refuse people are left out, and the reason is told: of each server.
#[test]
fn names_that_people_send() {
    let folder = Folder::new();
    for (name, file, said) in [
        (
            "collector",
            "User-agent: Web Image Collector\nUser-agent: Internet Ninja\nDisallow: /\n",
            "robots.txt reads only the beginning",
        ),
        (
            "moto-g",
            "User-agent: G-i-g-a-b-o-t\nUser-agent: G\\-i\\-g\\-a\\-b\\-o\\-t\nDisallow: /\n",
            "robots.txt reads only the beginning",
        ),
        (
            "cut",
            "User-agent: Microsoft URL Control\nUser-agent: Go!Zilla\nDisallow: /\n",
            "robots.txt reads only the beginning",
        ),
        (
            "short",
            "User-agent: es\nUser-agent: html\nUser-agent: apple\nDisallow: /\n",
            "so short a name",
        ),
        (
            "duck",
            "User-agent: Duckduckgo\nUser-agent: Vivaldi\nUser-agent: Instagram\nDisallow: /\n",
            "browsers or apps of people send this name",
        ),
        ("web", "User-agent: web\nUser-agent: Mozilla\nDisallow: /\n", "browsers send this word"),
    ] {
        let robots = folder.file(&format!("{name}.txt"), file);
        for server in ["nginx", "caddy", "apache", "haproxy", "traefik", "cloudflare"] {
            let ran = run(args!["enforce", "--server", server, &robots]);
            let is_told = ran.err.contains(said)
                || server == "cloudflare" && ran.err.contains("within words");
            assert!(is_told, "{name} {server}: {ran:?}");
            let out = String::from_utf8_lossy(&ran.out);
            for token in ["web", "g", "microsoft", "internet", "duckduckgo", "vivaldi", "es", "go"]
            {
                assert!(!out.contains(&format!("    {token} 1;")), "{ran:?}");
                assert!(!out.contains(&format!("contains \"{token}\"")), "{ran:?}");
            }
        }
    }
    // A name of digits counts with a version.
    let robots = folder.file("008.txt", "User-agent: 008\nDisallow: /\n");
    run(args!["enforce", "--server", "nginx", &robots]).status(0).prints("    008 1;");
    run(args!["enforce", "--server", "cloudflare", &robots])
        .fails(1, "nothing refuses 008: the server finds names within words");
}

/// By the servers: a long URL does not run out of stack, an error's page is served, and a number is a name.
#[test]
fn long_urls_and_pages_of_errors() {
    let file = b"User-agent: GPTBot\nUser-agent: 008\nDisallow: /*/secret\nDisallow: /private\n";
    let robots = Robots::parse(file, &Profile::RFC9309);
    for server in Server::ALL {
        let mut options = Options::new(server.name().parse().unwrap());
        options.name = "site0".to_owned();
        let written = enforce::configuration(&robots, KnownCrawlers::built_in(), &options).unwrap();
        let Some(started) = server.start(&[format!("{}{}", before(server), written.text)]) else {
            continue;
        };
        let paths =
            ["/private".to_owned(), format!("/{}/secret", "%78".repeat(2_300)), "/x".to_owned()];
        for header in [
            "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)",
            "Mozilla/5.0 (compatible; 008/0.85; http://www.80legs.com/webcrawler.html) Gecko/2008032620",
        ] {
            assert_eq!(started.ask(0, header, &paths), [403, 403, 204], "{server:?}: {header}");
        }
        let moto = "Mozilla/5.0 (Linux; Android 13; moto g power) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36";
        assert_eq!(started.ask(0, moto, &paths), [204, 204, 204], "{server:?}");
    }
}

/// Paths that lead to a forbidden one are refused, by each server; with `as_sent` only URLs as they are.
#[test]
fn paths_as_the_server_resolves_them() {
    let file = b"User-agent: GPTBot\nDisallow: /private/\nDisallow: /*.pdf$\nDisallow: /find?q=\nAllow: /private/open/\n";
    let robots = Robots::parse(file, &Profile::RFC9309);
    let spellings = [
        "//private/s",
        "/./private/s",
        "/x/../private/s",
        "/%2e/private/s",
        "/private//s",
        "/a/b/../../private/s",
        "//x.pdf",
        "/./find?q=x",
    ];
    let others = [
        "/",
        "/public/../x",
        "//public",
        "/./private",
        "//x.pdf?q",
        "/./find?x=1",
        "/./private/open/s",
        "/robots.txt",
    ];
    for server in Server::ALL {
        for as_sent in [false, true] {
            let mut options = Options::new(server.name().parse().unwrap());
            options.name = "site0".to_owned();
            options.as_sent = as_sent;
            let written =
                enforce::configuration(&robots, KnownCrawlers::built_in(), &options).unwrap();
            let Some(started) = server.start(&[written.text]) else { continue };
            let paths: Vec<String> =
                spellings.iter().chain(&others).map(|path| (*path).to_owned()).collect();
            let statuses = started.ask(0, "GPTBot/1.2", &paths);
            for (path, status) in paths.iter().zip(&statuses) {
                let is_refused = spellings.contains(&path.as_str())
                    && (!as_sent || path == "/private//s" || path == "//x.pdf");
                let wanted = if is_refused { 403 } else { 204 };
                assert_eq!(*status, wanted, "{server:?} {as_sent} {path}");
            }
            // Apache answers 404 for an escaped slash, as its own settings say.
            if server != Server::Apache && !as_sent {
                assert_eq!(
                    started.ask(0, "GPTBot/1.2", &["/private%2fs".to_owned()]),
                    [403],
                    "{server:?}"
                );
            }
            assert!(started.ask(0, BROWSERS[0], &paths).iter().all(|status| *status == 204));
        }
    }
}

/// A decoded `?` begins no query, a decoded `%` no escape, and a decoded line feed ends nothing: by each server.
#[test]
fn paths_that_stay_encoded() {
    let file = b"User-agent: GPTBot\nDisallow: *?\nAllow: /wiki/ok\nAllow: /p/a%3F%3F?\nDisallow: /abc\nDisallow: /end$\nAllow: /*?ok\nDisallow: /p/\nDisallow: /*%3Fx\n";
    let robots = Robots::parse(file, &Profile::RFC9309);
    let policy = robots.policy(&Crawler::name("GPTBot"));
    // The path as sent, and in normal form as it is resolved.
    let asked = [
        ("/wiki/Who%3F", "/wiki/Who%3F"),
        ("/wiki/Who%3f", "/wiki/Who%3F"),
        ("/wiki/Who%3F?x", "/wiki/Who%3F?x"),
        ("//wiki/Who%3F?ok", "/wiki/Who%3F?ok"),
        ("/%2561bc", "/%2561bc"),
        ("/./%61bc", "/abc"),
        ("/end%0A", "/end%0A"),
        ("/./end%0a", "/end%0A"),
        ("/./end", "/end"),
        ("//p/a%3Fok", "/p/a%3Fok"),
        ("//p/a%3fok?ok", "/p/a%3Fok?ok"),
        ("//p/a%25", "/p/a%25"),
        ("//p/a%0A", "/p/a%0A"),
        ("//q/a%3Fxy", "/q/a%3Fxy"),
        ("//q/a%253Fxy", "/q/a%253Fxy"),
        // What is left out in the end leads to no other.
        ("/%3F/../p/s", "/p/s"),
        ("/%25%0A%3F/../p/s", "/p/s"),
        ("/%25%0A%3F/../q/s", "/q/s"),
        // With two of them only the path as sent counts, but for HAProxy.
        ("/wiki/Who%3F%3F", "/wiki/Who%3F%3F"),
        ("/wiki/100%25%0A", "/wiki/100%25%0A"),
        ("/wiki/ok%3F%3F?x", "/wiki/ok%3F%3F?x"),
        ("/p/a%3F%3F", "/p/a%3F%3F"),
    ];
    let paths: Vec<String> = asked.iter().map(|(path, _)| (*path).to_owned()).collect();
    for server in Server::ALL {
        let mut options = Options::new(server.name().parse().unwrap());
        options.name = "site0".to_owned();
        let written = enforce::configuration(&robots, KnownCrawlers::built_in(), &options).unwrap();
        assert_eq!(written.notes, [""; 0]);
        let Some(started) = server.start(&[written.text]) else { continue };
        let statuses = started.ask(0, "GPTBot/1.2", &paths);
        for ((path, resolved), status) in asked.iter().zip(statuses) {
            let is_allowed =
                [path, resolved].iter().all(|path| policy.is_path_allowed(path).unwrap());
            assert_eq!(status, if is_allowed { 204 } else { 403 }, "{server:?} {path}");
        }
        let two = ["//p/a%3F%3F".to_owned()];
        let wanted = if server == Server::Haproxy { 403 } else { 204 };
        assert_eq!(started.ask(0, "GPTBot/1.2", &two), [wanted], "{server:?}");
    }
}

/// HAProxy's lines resolve eight times `/../`. What has more of them is refused, and only to who is refused anything.
#[test]
fn paths_that_go_up_often() {
    let file = b"User-agent: GPTBot\nDisallow: /private/\n\nUser-agent: CCBot\nAllow: /\n";
    let robots = Robots::parse(file, &Profile::RFC9309);
    let up = |times: usize, to: &str| format!("{}{}{to}", "/x".repeat(times), "/..".repeat(times));
    for server in Server::ALL {
        let mut options = Options::new(server.name().parse().unwrap());
        options.name = "site0".to_owned();
        let written = enforce::configuration(&robots, KnownCrawlers::built_in(), &options).unwrap();
        let Some(started) = server.start(&[written.text]) else { continue };
        let private = [8, 9, 20].map(|times| up(times, "/private/s"));
        assert_eq!(started.ask(0, "GPTBot/1.2", &private), [403; 3], "{server:?}");
        assert_eq!(started.ask(0, "CCBot/2.0", &private), [204; 3], "{server:?}");
        let open =
            [up(8, "/s"), up(8, "/s?/../"), "/robots.txt?/../../../../../../../../..".to_owned()];
        assert_eq!(started.ask(0, "GPTBot/1.2", &open), [204; 3], "{server:?}");
    }
}

/// A crawler is held to its pace, and who sends its name from elsewhere is refused; nobody else is.
#[test]
fn paces_and_impostors() {
    Server::ALL.into_iter().for_each(paces_and_impostors_by);
}

fn paces_and_impostors_by(server: Server) {
    let has_pace = matches!(server, Server::Nginx | Server::Haproxy);
    let file = b"User-agent: GPTBot\nCrawl-delay: 60\nDisallow: /private/\n\nUser-agent: CCBot\nDisallow: /x/\n";
    let robots = Robots::parse(file, &Profile::RFC9309);
    let mut options = Options::new(server.name().parse().unwrap());
    options.name = "site0".to_owned();
    options.crawl_delay = has_pace;
    for token in ["GPTBot", "Googlebot", "Twitterbot"] {
        let ranges = Ranges::of(["192.0.2.0/24", "2001:db8::/32"]).unwrap();
        let created = Some("2026-11-01".to_owned());
        options.ranges.push(OwnAddresses { token: token.to_owned(), ranges, created });
    }
    let written = enforce::configuration(&robots, KnownCrawlers::built_in(), &options).unwrap();
    assert!(written.text.contains("# gptbot, as of 2026-11-01\n"));
    assert!(
        written.notes.iter().any(|note| note.contains("behind a proxy")),
        "{:?}",
        written.notes
    );
    let text = written.text;
    let text = match server {
        Server::Nginx => text + "set_real_ip_from 127.0.0.1; real_ip_header X-Forwarded-For;\n",
        Server::Haproxy => format!("http-request set-src req.hdr(x-forwarded-for)\n{text}"),
        Server::Apache => format!("RemoteIPHeader X-Forwarded-For\n{text}"),
        Server::Caddy => text.replace("remote_ip 0", "remote_ip forwarded 0"),
    };
    let Some(started) = server.start(&[text]) else { return };
    let ask = |header: &str, address: &str, paths: &[&str]| {
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        started.ask(0, &format!("{header}\r\nX-Forwarded-For: {address}"), &paths)
    };
    let gptbot = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
    let googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
    let preview = "Mozilla/5.0 (Macintosh) AppleWebKit/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0";
    // Refused for what it is, whatever its pace.
    assert_eq!(ask(gptbot, "192.0.2.7", &["/private/a"; 9]), [403; 9]);
    assert_eq!(ask(gptbot, "192.0.2.7", &["/robots.txt"; 9]), [204; 9]);
    // A few at once, from all addresses together.
    assert_eq!(ask(gptbot, "192.0.2.7", &["/a"; 3]), [204; 3]);
    let fast = if has_pace { 429 } else { 204 };
    assert_eq!(ask(gptbot, "2001:db8::7", &["/a"; 4]), [204, 204, fast, fast]);
    assert_eq!(ask(gptbot, "192.0.2.7", &["/robots.txt", "/private/a"]), [204, 403]);
    // Those without a delay, and others.
    for (header, address) in [
        (googlebot, "192.0.2.7"),
        (googlebot, "10.1.2.3"),
        (googlebot, "127.0.0.9"),
        (googlebot, "fd00::1"),
        ("CCBot/2.0", "198.51.100.1"),
        (BROWSERS[0], "198.51.100.1"),
        (preview, "198.51.100.1"),
        ("TelegramBot (like TwitterBot)", "198.51.100.1"),
        ("Gwene/1.0 (The gwene.org rss-to-news gateway) Googlebot", "198.51.100.1"),
    ] {
        assert_eq!(ask(header, address, &["/a"; 12]), [204; 12], "{server:?} {header} {address}");
    }
    for (header, address) in [
        (googlebot, "198.51.100.1"),
        (googlebot, "2001:db9::1"),
        ("Twitterbot/1.0", "198.51.100.1"),
        (gptbot, "192.0.3.1"),
    ] {
        let statuses = ask(header, address, &["/a", "/robots.txt", "/?x"]);
        assert_eq!(statuses, [403, 204, 403], "{server:?} {header} {address}");
    }
    assert_eq!(ask("CCBot/2.0", "198.51.100.1", &["/x/"]), [403]);
    // Marked, and not refused.
    if server != Server::Caddy {
        options.log_only = true;
        let written = enforce::configuration(&robots, KnownCrawlers::built_in(), &options).unwrap();
        assert_eq!(server.refuses(&[written.text]), None);
    }
    if !has_pace {
        return;
    }
    // A file may ask for a pace alone.
    options.log_only = false;
    let slow = Robots::parse(b"User-agent: *\nCrawl-delay: 10\n", &Profile::RFC9309);
    options.ranges.clear();
    options.choice.known = true;
    let written = enforce::configuration(&slow, KnownCrawlers::built_in(), &options).unwrap();
    assert!(written.text.contains("# Crawl-delay: 10\n"));
    let not_read = |note: &String| note.starts_with("Google's crawlers do not read Crawl-delay (");
    assert!(written.notes.iter().any(not_read), "{:?}", written.notes);
    assert_eq!(server.refuses(&[written.text]), None);
}

/// What a site has before: a page for errors of its own.
fn before(server: Server) -> &'static str {
    if server == Server::Apache { "ErrorDocument 403 /errors/403.html\n" } else { "" }
}

/// The status, what is only marked, and whom it is about.
#[test]
fn options() {
    let folder = Folder::new();
    let file = b"User-agent: GPTBot\nUser-agent: Mozilla\nDisallow: /private/\n\nUser-agent: *\nDisallow: /tmp/\n";
    let robots = folder.file("robots.txt", file);
    let enforce = |options: &[&str]| {
        let options = options.iter().map(std::ffi::OsString::from);
        run(args!["enforce"].into_iter().chain(options).chain([robots.clone().into()]))
    };
    enforce(&["--server", "nginx"])
        .status(0)
        .prints("if ($robots_refused) { return 403; }")
        .prints("gptbot 1;")
        .prints("\"~^/private/\" 1;")
        .says("nothing refuses Mozilla: browsers send this word");
    let ran = enforce(&[
        "--server", "nginx", "--known", "--except", "gptbot", "--name", "shop", "--status", "444",
    ]);
    ran.status(0).prints("if ($shop_refused) { return 444; }").prints("    ccbot 1;");
    assert!(!String::from_utf8_lossy(&ran.out).contains("gptbot"), "{ran:?}");
    enforce(&["--server", "haproxy", "--log-only"]).status(0).prints("%[var(txn.robots_verdict)]");
    enforce(&["--server", "caddy", "--status", "444"]).status(0).prints("abort @robots_refused");
    enforce(&["--server", "apache", "--status", "451"])
        .status(0)
        .prints("RewriteRule ^ - [R=451,L]");
    enforce(&["--server", "nginx", "--crawler", "FooBot"]).status(0).prints("\"~^/tmp/\" 1;");
    enforce(&["--server", "nginx", "--purpose", "ai-training"]).status(0).prints("ccbot 1;");
    enforce(&["--server", "nginx", "--crawler", "Google-Extended"])
        .fails(1, "nothing is printed: nothing can be refused by a header to the crawlers that were chosen; nothing refuses");
    let open = folder.file("open.txt", "User-agent: GPTBot\nDisallow:\n");
    run(args!["enforce", "--server", "nginx", &open]).fails(
        1,
        "nothing is printed: the file forbids nothing to the crawlers that were chosen; --known",
    );
    folder.file(
        "gptbot.json",
        r#"{"creationTime":"2026-11-01T00:00:00","prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}"#,
    );
    let list = folder.path("gptbot.json").display().to_string();
    enforce(&["--server", "nginx", "--ranges", &list])
        .status(0)
        .prints("# gptbot, as of 2026-11-01T00:00:00\n")
        .prints("    192.0.2.0/24 \"\";\n")
        .says("nginx must see the addresses of clients");
    // Two lists of one crawler are one.
    folder.file("more.json", r#"{"prefixes":[{"ipv4Prefix":"198.51.100.0/24"}]}"#);
    let more = format!("GPTBot={}", folder.path("more.json").display());
    enforce(&["--server", "nginx", "--ranges", &list, "--ranges", &more])
        .status(0)
        .prints("    192.0.2.0/24 \"\";\n")
        .prints("    198.51.100.0/24 \"\";\n");
    // Its known header has the name as a word alone.
    let of_bytespider = format!("Bytespider={}", folder.path("more.json").display());
    enforce(&["--server", "nginx", "--ranges", &of_bytespider, "--ranges", &list])
        .status(0)
        .prints("A name that stands elsewhere is let through.")
        .says("whoever sends the known header of Bytespider from another address comes through");
    // What a server counts no slower.
    let slow = "User-agent: GPTBot\nCrawl-delay: 300\n\nUser-agent: CCBot\nCrawl-delay: 100000\n";
    let slow = folder.file("slow.txt", slow);
    run(args!["enforce", "--server", "nginx", "--crawl-delay", &slow])
        .status(0)
        .prints("# Crawl-delay: 300 (nginx counts no slower than one request a minute)\n")
        .says("so gptbot, ccbot may come more often than Crawl-delay asks");
    run(args!["enforce", "--server", "haproxy", "--crawl-delay", &slow])
        .status(0)
        .prints("# Crawl-delay: 300\n")
        .prints("# Crawl-delay: 86400 (a longer delay counts as a day)\n")
        .says("so ccbot may come more often than Crawl-delay asks");
    for (options, message) in [
        (
            ["--server", "cloudflare", "--ranges", &list],
            "what goes by addresses is written for nginx, Caddy, Apache and HAProxy: Cloudflare finds names anywhere",
        ),
        (
            ["--server", "nginx", "--ranges", &format!("Google={list}")],
            "this is for several crawlers, of which some may come from other addresses too",
        ),
    ] {
        enforce(&options).fails(2, message);
    }
    enforce(&["--server", "apache", "--crawl-delay"]).fails(
        2,
        "what Crawl-delay asks for is written for nginx and HAProxy: no module in Apache's",
    );
    enforce(&["--server", "traefik"]).status(0).prints("PathRegexp(`^/private/`)");
    enforce(&["--server", "cloudflare"])
        .status(0)
        .prints("http.request.uri strict wildcard \"/private/*\"");
    for (options, message) in [
        (
            &["--server", "iis"][..],
            "[possible values: nginx, caddy, apache, haproxy, traefik, cloudflare]",
        ),
        (
            &["--server", "apache", "--status", "444"],
            "Apache cannot close a connection without an answer (status 444)",
        ),
        (&["--server", "caddy", "--log-only"], "Caddy cannot log what would be refused"),
        (
            &["--server", "nginx", "--status", "200"],
            "the status of a refusal is 403, 429, 451 or 444",
        ),
        (&["--server", "nginx", "--crawler", "GTPBot"], "did you mean 'GPTBot'?"),
        (&["--server", "nginx", "--name", "a;b"], "the name of a configuration is a letter"),
        (
            &["--server", "nginx", "--known", "--purpose", "seo"],
            "--known is for all known crawlers, --purpose and --crawler are for some: leave",
        ),
        (
            &["--server", "nginx", "--crawler", "GPTBot/1.0"],
            "'GPTBot/1.0' is not a product token: did you mean 'GPTBot'?",
        ),
        (
            &["--server", "nginx", "--except", "Go!Zilla"],
            "'Go!Zilla' is not a product token: give the name",
        ),
        (
            &["--server", "nginx", "--ranges", &format!("Web Image={list}")],
            "--ranges 'Web Image' is not a product token: did you mean 'Web'?",
        ),
    ] {
        enforce(options).fails(2, message);
    }
}

/// A server that sees no queries cannot say what is about them.
#[test]
fn what_a_server_cannot_say() {
    let folder = Folder::new();
    let robots = folder.file(
        "robots.txt",
        b"User-agent: FooBot\nDisallow: /x?q\nDisallow: /*.pdf\nAllow: /x/y$\nDisallow: /x/\n",
    );
    let traefik = |options: &[&str]| {
        let options = options.iter().map(std::ffi::OsString::from);
        run(args!["enforce", "--server", "traefik", &robots].into_iter().chain(options))
    };
    traefik(&[])
        .fails(1, "Traefik cannot say it: it would let through /x?q to foobot, which the file forbids; --approximate");
    traefik(&["--approximate", "looser"])
        .status(0)
        .prints("PathRegexp(`^/x/`)")
        .says("it refuses less than the file forbids: for example, not /x?q to foobot");
    traefik(&["--approximate", "stricter"])
        .status(0)
        .prints("PathRegexp(`^/`)")
        .says("it refuses more than the file forbids, for example");
    // Nothing of it is about queries.
    let paths = folder.file("paths.txt", b"User-agent: FooBot\nDisallow: /x/\nAllow: /x/y\n");
    run(args!["enforce", "--server", "traefik", &paths])
        .status(0)
        .prints("(!(PathRegexp(`^/x/y`)) && (PathRegexp(`^/x/`)))");
    let long = format!("User-agent: FooBot\nDisallow: /{}\n", "a".repeat(1_000));
    let long = folder.file("long.txt", long);
    run(args!["enforce", "--server", "nginx", &long]).fails(1, "the rule of line 2 is longer than");
    run(args!["enforce", "--server", "haproxy", &long]).status(0);
    // Rules for all, and nobody named.
    let star = folder.file("star.txt", "User-agent: *\nDisallow: /tmp/\n");
    run(args!["enforce", "--server", "nginx", &star])
        .fails(1, "--known would refuse what the group of '*' forbids, such as line 2, to ");
    // What is too long for one rule of Cloudflare is several.
    let rules: String = (0..200).map(|n| format!("Disallow: /some/long/folder/{n}/\n")).collect();
    let many = folder.file("many.txt", format!("User-agent: GPTBot\nUser-agent: CCBot\n{rules}"));
    let ran = run(args!["enforce", "--server", "cloudflare", &many]);
    ran.status(0).says("expressions, with an empty line between them");
    let out = String::from_utf8_lossy(&ran.out).into_owned();
    assert!(out.trim_end().split("\n\n").all(|text| text.chars().count() <= 4_096), "{out}");
    let has = |n: usize| out.contains(&format!("\"/some/long/folder/{n}/*\""));
    assert!((0..200).all(has), "{out}");
    // What is beyond the size that is read is not enforced, which is told.
    let mut large = b"User-agent: GPTBot\nDisallow: /a/\n".to_vec();
    large.extend(b"# x\n".repeat(130_000));
    large.extend(b"Disallow: /b/\n");
    let large = folder.file("large.txt", large);
    run(args!["enforce", "--server", "nginx", &large]).status(0).says("longer than 512000 bytes");
    run(args!["enforce", "--server", "nginx", "--name", "bytes", &star]).fails(2, "the name of a");
}

/// Commands about known crawlers say in which profile these read the file if none is given.
#[test]
fn help_names_the_profiles_of_operators() {
    for command in ["crawlers", "enforce", "test"] {
        run(args![command, "--help"]).status(0).prints(
            "Without --profile each known crawler reads the file as its operator does:\n\
             Google's in profile google, all others in rfc9309.\n",
        );
    }
}
