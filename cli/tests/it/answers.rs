//! One table of answers, `corpora/answers.json`, through every path of the command: from a server, an
//! archive, lines of JSON, a file, a folder and a store. Whoever brings an answer, it means the same. Python's tests and
//! those of C and Node read the same table.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt::Write;
use std::fs;

use robotsieve_corpora::effort;
use serde_json::{Value, json};

use crate::command::site::{answered, site};
use crate::command::{Folder, run, run_with};

const RULES: &str = "User-agent: *\nDisallow: /private\n";
const AGENT: &str = "FooBot";
const PATHS: [&str; 2] = ["/private", "/"];

struct Case {
    id: String,
    json: Value,
}

impl Case {
    fn all() -> Vec<Case> {
        let table = include_str!("../../../corpora/answers.json");
        let cases: Vec<Value> = serde_json::from_str(table).unwrap();
        assert!(cases.len() > 50);
        cases
            .into_iter()
            .map(|json| Case { id: json["id"].as_str().unwrap().into(), json })
            .collect()
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.json.get(name)?.as_str()
    }

    fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        let digits = match self.text(name) {
            Some(text) => return Some(text.into()),
            None => self.text(&format!("{name}_hex"))?,
        };
        let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
        Some((0..digits.len()).step_by(2).map(byte).collect())
    }

    /// The bytes of the file, for what takes no answers. `None` if the answer brings none that is whole.
    fn file(&self) -> Option<Vec<u8>> {
        self.bytes("file")
    }

    fn status(&self) -> u16 {
        self.text("status").unwrap()[..3].parse().unwrap()
    }

    fn headers(&self, other: &str) -> Vec<String> {
        let headers = self.json.get("headers").and_then(Value::as_array);
        let header = |header: &Value| header.as_str().unwrap().replace("{other}", other);
        headers.into_iter().flatten().map(header).collect()
    }

    /// The body as it is sent. `None` if there can be none.
    fn body(&self) -> Option<Vec<u8>> {
        let mut body = self.bytes("body")?;
        if let Some([times, text]) =
            self.json.get("repeat").and_then(Value::as_array).map(|r| &r[..])
        {
            let times = times.as_u64().unwrap() as usize;
            body.extend_from_slice(text.as_str().unwrap().repeat(times).as_bytes());
        }
        Some(body)
    }

    fn wire(&self, other: &str) -> Vec<u8> {
        let mut head = self.text("before").unwrap_or_default().to_owned();
        write!(head, "HTTP/1.1 {}\r\nConnection: close\r\n", self.text("status").unwrap()).unwrap();
        for header in self.headers(other) {
            write!(head, "{header}\r\n").unwrap();
        }
        if let Some(body) = self.body() {
            let len = self.json.get("length").and_then(Value::as_u64).unwrap_or(body.len() as u64);
            write!(head, "Content-Length: {len}\r\n").unwrap();
        }
        [head.as_bytes(), b"\r\n", &self.body().unwrap_or_default()].concat()
    }

    /// The condition in a profile, as `fetch` names it.
    fn kind(&self, profile: &str) -> &str {
        self.text(profile).or(self.text("kind")).unwrap()
    }

    /// The verdict on a path.
    fn verdict(&self, profile: &str, path: &str) -> &str {
        match self.kind(profile) {
            "unreachable" => "disallow",
            _ => self.text(if path == "/" { "root" } else { "private" }).unwrap(),
        }
    }

    /// The same of an archive.
    fn of_archive(&self, profile: &str, path: &str) -> &str {
        let own = self.text("archive_root").filter(|_| path == "/");
        own.or(self.text("archive")).unwrap_or(self.verdict(profile, path))
    }
}

/// What differs, by path and case.
#[derive(Default)]
struct Differences(Vec<String>);

impl Differences {
    fn look(&mut self, way: &str, case: &Case, found: &str, wanted: &str) {
        if found != wanted {
            self.0.push(format!("{way}: {}: {found}, not {wanted}", case.id));
        }
    }

    #[track_caller]
    fn are_none(self) {
        assert!(self.0.is_empty(), "{:#?}", self.0);
    }
}

/// The words in front of the URLs.
fn verdicts(out: &[u8]) -> HashMap<String, String> {
    let text = String::from_utf8(out.to_vec()).unwrap();
    let lines = text.lines().filter_map(|line| line.split_once('\t'));
    lines.map(|(verdict, url)| (url.to_owned(), verdict.to_owned())).collect()
}

fn urls(origins: &[String]) -> String {
    origins.iter().flat_map(|origin| PATHS.map(|path| format!("{origin}{path}\n"))).collect()
}

fn filter(source: impl IntoIterator<Item = OsString>, urls: &str) -> HashMap<String, String> {
    let first = args!["filter", "--agent", AGENT, "--format", "tsv"];
    let ran = run_with(first.into_iter().chain(source), urls.as_bytes());
    assert_eq!(ran.status, 0, "{ran:?}");
    verdicts(&ran.out)
}

/// What other sites lead to.
fn elsewhere(path: &str) -> Vec<u8> {
    match path {
        "/robots.txt" | "/rules.txt" => answered("200 OK", "", RULES),
        "/broken" => answered("503 Service Unavailable", "", ""),
        _ => answered("404 Not Found", "", ""),
    }
}

fn path_of(head: &[String]) -> &str {
    head.first().and_then(|line| line.split(' ').nth(1)).unwrap_or_default()
}

#[test]
fn from_servers() {
    let other = site(|head| elsewhere(path_of(head)));
    let cases = Case::all();
    let start = |case: &Case| {
        let answer = case.wire(&other);
        site(move |head| match path_of(head) {
            "/robots.txt" => answer.clone(),
            path => elsewhere(path),
        })
    };
    let origins: Vec<String> = cases.iter().map(start).collect();
    let input = urls(&origins);
    let folder = Folder::new();
    let mut all = Differences::default();
    for profile in ["rfc9309", "google"] {
        let store = folder.path(&format!("{profile}.store"));
        let asks = args![
            "--allow-private",
            "--send-user-agent",
            AGENT,
            "--retries",
            "0",
            "--delay",
            "0s",
            "--max-per-address",
            "64",
            "--profile",
            profile
        ];
        let first = args!["fetch", "--store", &store, "--max-size", "1MiB"];
        let ran = run_with(first.into_iter().chain(asks.clone()), input.as_bytes());
        assert_eq!(ran.status, 0, "{ran:?}");
        let out = String::from_utf8(ran.out).unwrap();
        let rows: HashMap<&str, Vec<&str>> = out
            .lines()
            .map(|line| line.split('\t').collect::<Vec<_>>())
            .map(|row| (row[1], row))
            .collect();
        for (case, origin) in cases.iter().zip(&origins) {
            let row = rows.get(&**origin).unwrap_or_else(|| panic!("{}: {out}", case.id));
            all.look("fetch", case, row[0], case.kind(profile));
            if let Some(why) = case.text("why").filter(|why| !row[3].contains(why)) {
                all.look("fetch, why", case, row[3], why);
            }
        }
        let stored = filter(args!["--store", &store, "--profile", profile], &input);
        let options = args!["--fetch", "--store", folder.path(&format!("{profile}2.store"))];
        let fetched = filter(options.into_iter().chain(asks), &input);
        for (number, (case, origin)) in cases.iter().zip(&origins).enumerate() {
            for path in PATHS {
                let (url, wanted) = (format!("{origin}{path}"), case.verdict(profile, path));
                all.look("filter --store", case, &stored[&url], wanted);
                all.look("filter --fetch", case, &fetched[&url], wanted);
            }
            // A run for each case is slow: besides `check`, and for Google what is alike, only some.
            let is_some = number % effort::step(4) == 0;
            let commands: &[&str] = match (profile, is_some) {
                ("google", _) if is_some || case.text("google").is_some() => &["check"],
                ("google", _) => &[],
                (_, true) => &["check", "explain"],
                (_, false) => &["check"],
            };
            for command in commands {
                let [private, root] = PATHS.map(|path| format!("{origin}{path}"));
                let ran = run(args![command, "--profile", profile, origin, AGENT, private, root]);
                // Without an answer they say so, and judge nothing.
                let has_answer = case.text("why").is_none_or(|why| why.starts_with("HTTP"));
                if case.kind(profile) == "unreachable" && !has_answer {
                    ran.fails(3, case.text("why").unwrap());
                    continue;
                }
                let found = verdicts(&ran.out);
                for path in PATHS {
                    let url = format!("{origin}{path}");
                    let found = match *command {
                        "check" => found.get(&url).map_or_else(String::new, String::clone),
                        _ => explained(&ran.out, &url),
                    };
                    all.look(command, case, &found, case.verdict(profile, path));
                }
            }
        }
    }
    all.are_none();
}

/// The verdict in what `explain` prints.
fn explained(out: &[u8], url: &str) -> String {
    let text = String::from_utf8_lossy(out);
    let of_url = format!(": {AGENT}, {url} (");
    let verdict = text.lines().find_map(|line| Some(line.split_once(&of_url)?.0.to_owned()));
    verdict.unwrap_or_else(|| text.into_owned())
}

fn host(number: usize) -> String {
    format!("http://case{number}.example")
}

/// A record of an answer.
fn record(url: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: 2026-01-10T12:00:00Z\r\n\
         WARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\n\
         Content-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = |chunk: &[u8]| {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | usize::from(*chunk.get(at).unwrap_or(&0)));
        [18, 12, 6, 0].map(|shift| DIGITS[bits >> shift & 63] as char)
    };
    let mut text: String = bytes.chunks(3).flat_map(digits).collect();
    let padding = (3 - bytes.len() % 3) % 3;
    text.truncate(text.len() - padding);
    text + &"="[..1].repeat(padding)
}

#[test]
fn from_archives() {
    const OTHER: &str = "http://other.example";
    let cases = Case::all();
    let folder = Folder::new();
    let elsewhere_of = |origin: &str| {
        ["/robots.txt", "/rules.txt", "/broken", "/none"]
            .map(|path| (format!("{origin}{path}"), elsewhere(path)))
    };
    let mut warc = Vec::new();
    let mut jsonl = String::new();
    let others = elsewhere_of(OTHER);
    let own = cases
        .iter()
        .enumerate()
        .filter(|(_, case)| case.headers("").iter().any(|h| h == "Location: /rules.txt"));
    let own =
        own.map(|(number, _)| (format!("{}/rules.txt", host(number)), elsewhere("/rules.txt")));
    for (url, answer) in others.into_iter().chain(own) {
        warc.extend(record(&url, &answer));
        let status: u16 = String::from_utf8_lossy(&answer[9..12]).parse().unwrap();
        writeln!(
            jsonl,
            "{}",
            json!({"url": url, "status": status, "body": RULES, "time": 1_768_046_400})
        )
        .unwrap();
    }
    let mut is_line = vec![false; cases.len()];
    for (number, case) in cases.iter().enumerate() {
        let url = format!("{}/robots.txt", host(number));
        warc.extend(record(&url, &case.wire(OTHER)));
        // Lines have no headers, and whole bodies.
        let is_file = matches!(case.status(), 200..=205 | 207..=299);
        let body = if is_file {
            case.file().or_else(|| case.json.get("repeat").and(case.body()))
        } else {
            case.body()
        };
        let body = match (body, is_file) {
            (None, true) => continue,
            (body, _) => body.unwrap_or_default(),
        };
        is_line[number] = true;
        let mut line = json!({"url": url, "status": case.status(), "body_base64": base64(&body), "time": 1_768_046_400});
        let headers = case.headers(OTHER);
        if let Some(location) = headers.iter().find_map(|header| header.strip_prefix("Location: "))
        {
            line["location"] = location.into();
        }
        writeln!(jsonl, "{line}").unwrap();
    }
    let warc = folder.file("a.warc", warc);
    let jsonl = folder.file("a.jsonl", jsonl);
    let origins: Vec<String> = (0..cases.len()).map(host).collect();
    let input = urls(&origins);
    let mut all = Differences::default();
    for profile in ["rfc9309", "google"] {
        let mut ways = Vec::new();
        for (way, path) in [("--warc", &warc), ("--jsonl", &jsonl)] {
            let pack = folder.path(&format!("{profile}{way}.pack"));
            let ran =
                run(args!["pack", "-o", &pack, "--agent", AGENT, "--profile", profile, way, path]);
            assert_eq!(ran.status, 0, "{ran:?}");
            ways.push((format!("pack {way}"), filter(args!["--pack", &pack], &input)));
        }
        let store = folder.path(&format!("{profile}.store"));
        let ran = run(args!["store", "import", &store, "--warc", &warc]);
        assert_eq!(ran.status, 0, "{ran:?}");
        let source = args!["--store", &store, "--as-of", "capture", "--profile", profile];
        ways.push(("store import --warc".to_owned(), filter(source, &input)));
        for (way, found) in ways {
            for (number, case) in cases.iter().enumerate() {
                if way.contains("jsonl") && !is_line[number] {
                    continue;
                }
                for path in PATHS {
                    let url = format!("{}{path}", host(number));
                    let wanted = case.of_archive(profile, path);
                    all.look(&format!("{way}, {profile}"), case, &found[&url], wanted);
                }
            }
        }
    }
    all.are_none();
}

#[test]
fn from_files() {
    let all_cases = Case::all();
    let cases: Vec<(&Case, Vec<u8>)> =
        all_cases.iter().filter_map(|case| Some((case, case.file()?))).collect();
    let folder = Folder::new();
    let robots = folder.path("robots");
    fs::create_dir(&robots).unwrap();
    for (number, (_, file)) in cases.iter().enumerate() {
        fs::write(robots.join(format!("case{number}.example.txt")), file).unwrap();
    }
    let origins: Vec<String> = (0..cases.len()).map(host).collect();
    let input = urls(&origins);
    let mut all = Differences::default();
    for profile in ["rfc9309", "google"] {
        let of_profile = args!["--profile", profile];
        let pack = folder.path(&format!("{profile}.pack"));
        let ran = run(args![
            "pack",
            "-o",
            &pack,
            "--agent",
            AGENT,
            "--profile",
            profile,
            "--robots-dir",
            &robots
        ]);
        assert_eq!(ran.status, 0, "{ran:?}");
        let store = folder.path(&format!("{profile}.store"));
        let ran = run(args!["store", "import", &store, "--robots-dir", &robots]);
        assert_eq!(ran.status, 0, "{ran:?}");
        let with = |source: [OsString; 2]| source.into_iter().chain(of_profile.clone());
        let ways = [
            ("--robots-dir", filter(with(args!["--robots-dir", &robots]), &input)),
            ("pack --robots-dir", filter(args!["--pack", &pack], &input)),
            ("store import --robots-dir", filter(with(args!["--store", &store]), &input)),
        ];
        for (number, (case, _)) in cases.iter().enumerate() {
            let file = robots.join(format!("case{number}.example.txt"));
            let [private, root] = PATHS.map(|path| host(number) + path);
            let given = args!["--profile", profile, &file, AGENT, &private, &root];
            let checked = verdicts(&run(args!["check"].into_iter().chain(given.clone())).out);
            for path in PATHS {
                let (url, wanted) = (host(number) + path, case.verdict(profile, path));
                for (way, found) in &ways {
                    all.look(&format!("{way}, {profile}"), case, &found[&url], wanted);
                }
                all.look("check", case, &checked[&url], wanted);
            }
            // A run for each file is slow: besides `check` only some.
            if number % effort::step(4) > 0 {
                continue;
            }
            let said = run(args!["explain"].into_iter().chain(given)).out;
            let one = filter(with(args!["--robots", &file]), &format!("{private}\n{root}\n"));
            for path in PATHS {
                let (url, wanted) = (host(number) + path, case.verdict(profile, path));
                all.look("filter --robots", case, &one[&url], wanted);
                all.look("explain", case, &explained(&said, &url), wanted);
            }
        }
    }
    all.are_none();
}
