//! `robotsieve fetch` and `filter --fetch` when something is wrong: silent sites, faults of this
//! machine, signals, disks that are full.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream, UdpSocket};
use std::process::Stdio;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use robotsieve_corpora::effort;

use crate::command::schema::Schema;
use crate::command::{Command, Folder, Ran, command, in_shell, run};

const AGENT: &str = "FooBot/1.0 (+http://foo.example/)";

/// A server that is a site at each loopback address. Those at 127.9.0.0/16 accept and never answer,
/// those at 127.8.0.0/16 answer 503, 127.7.0.0/16 403, 127.6.0.0/16 429, 127.5.0.0/16 and those from
/// 127.100.0.0/16 on 511; all others have rules.
struct Web {
    port: u16,
}

impl Web {
    fn new() -> Web {
        let listener = TcpListener::bind("0.0.0.0:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        for _ in 0..4 {
            let listener = listener.try_clone().unwrap();
            thread::spawn(move || {
                for connection in listener.incoming().flatten() {
                    answer(connection);
                }
            });
        }
        Web { port }
    }

    /// The origin at 127.`net`.x.y.
    fn origin(&self, net: u8, number: usize) -> String {
        format!("http://127.{net}.{}.{}:{}", number / 250, number % 250 + 1, self.port)
    }
}

static SILENT: Mutex<Vec<TcpStream>> = Mutex::new(Vec::new());

fn answer(mut connection: TcpStream) {
    let IpAddr::V4(own) = connection.local_addr().unwrap().ip() else { return };
    let [first, net, ..] = own.octets();
    if first != 127 {
        return;
    }
    if net == 9 {
        SILENT.lock().unwrap().push(connection);
        return;
    }
    let mut head = Vec::new();
    let mut piece = [0; 1024];
    while !head.ends_with(b"\r\n\r\n") {
        match connection.read(&mut piece) {
            Ok(len) if len > 0 => head.extend_from_slice(&piece[..len]),
            _ => return,
        }
    }
    let (status, body) = match net {
        8 => ("503 Service Unavailable", ""),
        7 => ("403 Forbidden", ""),
        6 => ("429 Too Many Requests", ""),
        5 | 100.. => ("511 Network Authentication Required", ""),
        _ => ("200 OK", "User-agent: *\nDisallow: /private\n"),
    };
    let _ = write!(
        connection,
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
}

/// A loopback port that nothing listens on.
fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Runs the command in a shell, after this script.
fn shell(script: &str, args: &[&str], folder: &Folder) -> Ran {
    let mut shell = in_shell(&format!("{script}; exec \"$0\" \"$@\""));
    shell.args(args).current_dir(folder.root()).output().unwrap().into()
}

const FETCH: [&str; 6] = ["fetch", "--allow-private", "--send-user-agent", AGENT, "--store", "s"];

const FILTER: [&str; 9] = [
    "filter",
    "--fetch",
    "--allow-private",
    "--user-agent",
    AGENT,
    "--store",
    "s",
    "--format",
    "tsv",
];

fn fetch(folder: &Folder, input: &str, more: &[&str]) -> Ran {
    folder.file("urls", input);
    shell(":", &[&FETCH, more, &["urls"]].concat(), folder)
}

fn filter(folder: &Folder, input: &str, more: &[&str]) -> Ran {
    folder.file("urls", input);
    shell(":", &[&FILTER, more, &["urls"]].concat(), folder)
}

/// Runs these at the same time: most of the time each waits for sites.
fn side_by_side(parts: &[&(dyn Fn() + Sync)]) {
    thread::scope(|scope| parts.iter().for_each(|part| drop(scope.spawn(part))));
}

/// The number after a name in the last line.
#[track_caller]
fn figure(ran: &Ran, name: &str) -> u64 {
    let summary = ran.err.lines().last().unwrap_or_default();
    let mut words = summary.split(' ');
    words.find(|word| *word == name).unwrap_or_else(|| panic!("no {name}: {ran:?}"));
    words.next().unwrap().parse().unwrap()
}

/// The value in a line of `store stat`.
fn stat(folder: &Folder, name: &str) -> u64 {
    let ran = run(args!["store", "stat", folder.path("s")]);
    let text = String::from_utf8(ran.out.clone()).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('\t'));
    line.unwrap_or_else(|| panic!("no {name}: {ran:?}")).parse().unwrap()
}

/// The limit of open files decides how many sites are asked at the same time, not what they allow.
#[test]
fn few_open_files() {
    let web = Web::new();
    let sites: u64 = if effort::everything() { 600 } else { 300 };
    let origins: Vec<String> = (0..sites as usize).map(|number| web.origin(1, number)).collect();
    let urls: String =
        origins.iter().map(|origin| format!("{origin}/\n{origin}/private\n")).collect();
    let wanted: String = origins
        .iter()
        .map(|origin| format!("allow\t{origin}/\ndisallow\t{origin}/private\n"))
        .collect();
    for limit in [64, 256] {
        let script = format!("ulimit -n {limit}");
        let folder = Folder::of(&[("urls", &urls)]);
        let ran = shell(&script, &[&FILTER[..], &["urls"]].concat(), &folder);
        ran.gives(0, &wanted).says(" requests run at the same time").says("(ulimit -n ");
        assert_eq!((figure(&ran, "fetched"), figure(&ran, "local_faults")), (sites, 0));
        let folder = Folder::of(&[("urls", &urls)]);
        let ran = shell(&script, &[&FETCH[..], &["urls"]].concat(), &folder);
        assert_eq!((ran.status, figure(&ran, "parsed")), (0, sites), "{}", ran.err);
        assert_eq!(stat(&folder, "present"), sites);
    }
    // What was asked for is named, and a soft limit is raised without a word.
    let folder = Folder::of(&[("urls", &urls)]);
    let more = ["--parallel", "500", "urls"];
    let ran = shell("ulimit -n 256", &[&FETCH[..], &more].concat(), &folder);
    ran.says("--parallel 500 would need ");
    assert_eq!(figure(&ran, "parsed"), sites);
    let folder = Folder::of(&[("urls", &urls)]);
    let ran = shell("ulimit -Sn 64", &[&FETCH[..], &["urls"]].concat(), &folder);
    assert_eq!(
        (ran.status, figure(&ran, "parsed"), ran.err.lines().count()),
        (0, sites, 1),
        "{ran:?}"
    );
}

/// If nothing ever answers, it is us: nothing is concluded, stored or printed.
#[test]
fn nothing_answers() {
    let (web, port) = (Web::new(), closed_port());
    let dead = |count: usize| -> String {
        (0..count).fold(String::new(), |mut urls, number| {
            let _ = writeln!(urls, "http://127.1.{}.{}:{port}/", number / 250, number % 250 + 1);
            urls
        })
    };
    let canary = format!("--canary=127.0.0.1:{}", web.port);
    let many = |count: usize| {
        let folder = Folder::new();
        let ran = fetch(&folder, &dead(count), &[]);
        ran.gives(3, "").says("no site has answered").says("the fault is probably here");
        assert!(ran.err.lines().count() <= 3, "{}", ran.err);
        assert_eq!((figure(&ran, "fetched"), stat(&folder, "origins")), (0, 0));
        let ran = filter(&folder, &dead(count), &[]);
        ran.gives(3, "").says("no site has answered").says("the first 0 URLs were judged");
        assert_eq!((figure(&ran, "disallowed"), stat(&folder, "origins")), (0, 0));
    };
    // A few sites may well be unreachable, but nothing shows it, until something answers.
    let few = || {
        let folder = Folder::new();
        let ran = fetch(&folder, &dead(10), &[]);
        ran.gives(3, "")
            .says("and no other site has: the fault may be on this side")
            .says("--canary");
        assert_eq!((figure(&ran, "local_faults"), stat(&folder, "origins")), (10, 0), "{ran:?}");
        let ran = filter(&folder, &dead(5), &[]);
        let found = (ran.status, figure(&ran, "unknown"), stat(&folder, "origins"));
        assert_eq!(found, (3, 5, 0), "{ran:?}");
        let ran = fetch(&folder, &dead(10), &[&canary]);
        assert_eq!((ran.status, figure(&ran, "unreachable")), (0, 10), "{ran:?}");
    };
    let all_disallowed = || {
        let ran = filter(&Folder::new(), &dead(300), &[&canary]);
        assert_eq!((ran.status, figure(&ran, "disallowed")), (0, 300), "{ran:?}");
    };
    side_by_side(&[&|| many(50), &|| many(2_000), &few, &all_disallowed]);
}

/// Sites that ask for a login, or to which there is no route, stop no run in which others answer.
#[test]
fn strangers_stop_no_run() {
    let web = Web::new();
    let good: String = (0..400).map(|number| web.origin(1, number) + "/\n").collect();
    // 511, from the addresses of one network.
    let logins = || {
        let logins: String = (0..300).map(|number| web.origin(5, number) + "/\n").collect();
        let ran = fetch(&Folder::new(), &(logins + &good), &[]);
        let found = (ran.status, figure(&ran, "parsed"), figure(&ran, "unreachable"));
        assert_eq!(found, (0, 400, 300), "{}", ran.err);
    };
    // Nothing connects to the address of a link without naming the link, so there is no route on any machine.
    let no_route = || {
        let nowhere: String =
            (0..300).map(|number| format!("http://[fe80::{number:x}]/\n")).collect();
        let ran = fetch(&Folder::new(), &(good.clone() + &nowhere), &["--parallel", "1000"]);
        let found = (ran.status, figure(&ran, "parsed"), figure(&ran, "local_faults"));
        assert_eq!(found, (0, 400, 300), "{}", ran.err);
    };
    side_by_side(&[&logins, &no_route]);
}

/// The same from many networks, after other sites have answered.
#[test]
fn many_networks_ask_for_a_login() {
    let web = Web::new();
    let folder = Folder::new();
    let mut child =
        command(FETCH).current_dir(folder.root()).stdin(Stdio::piped()).spawn().unwrap();
    let mut urls = child.stdin.take().unwrap();
    (0..100).for_each(|number| writeln!(urls, "{}/", web.origin(1, number)).unwrap());
    urls.flush().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    (0..100).for_each(|_| assert!(lines.next().unwrap().unwrap().starts_with("parsed\t")));
    let rest = thread::spawn(move || lines.count());
    for number in 0..300 {
        writeln!(urls, "{}/", web.origin(100 + (number % 150) as u8, number)).unwrap();
    }
    drop(urls);
    let ended = child.wait_with_output().unwrap();
    let ran = Ran {
        status: ended.status.code().unwrap(),
        out: Vec::new(),
        err: String::from_utf8(ended.stderr).unwrap(),
    };
    assert_eq!(
        (ran.status, figure(&ran, "parsed"), figure(&ran, "unasked")),
        (0, 100, 0),
        "{ran:?}"
    );
    let judged = figure(&ran, "unreachable");
    assert_eq!(judged + figure(&ran, "local_faults"), 300, "{ran:?}");
    assert_eq!(rest.join().unwrap() as u64, judged);
    assert_eq!(stat(&folder, "origins"), 100 + judged);
}

/// A name server on loopback: `six-…` has an address of IPv6 to which there is no route, `good-N` that of a site.
fn name_server() -> u16 {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    thread::spawn(move || {
        let mut query = [0; 1024];
        while let Ok((len, peer)) = socket.recv_from(&mut query) {
            // RFC 1035, section 4.1: the first label, and the type after the name's end.
            let label = &query[13..13 + usize::from(query[12])];
            let Some(end) = query[12..len].iter().position(|byte| *byte == 0) else { continue };
            let (name, kind) = (String::from_utf8_lossy(label), query[12 + end + 2]);
            let number = name.split('-').nth(1).and_then(|number| number.parse::<u16>().ok());
            let data = match (kind, number.unwrap_or(0).to_be_bytes()) {
                (1, [high, low]) if name.starts_with("good-") => vec![127, 1, high, low],
                (28, [high, low]) if name.starts_with("six-") => {
                    [&[0xfe, 0x80][..], &[0; 12], &[high, low]].concat()
                }
                (2, _) => vec![1, b'a', 0],
                _ => Vec::new(),
            };
            let mut answer = query[..12 + end + 5].to_vec();
            (answer[2], answer[3]) = (0x81, 0x80);
            answer[4..12].copy_from_slice(&[0, 1, 0, u8::from(!data.is_empty()), 0, 0, 0, 0]);
            if !data.is_empty() {
                answer.extend([0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 60, 0, data.len() as u8]);
                answer.extend(data);
            }
            let _ = socket.send_to(&answer, peer);
        }
    });
    port
}

/// Names that have addresses of IPv6 alone, on a machine without it, stop no run in which others
/// answer, though they come first.
#[test]
fn names_of_another_family_stop_no_run() {
    let (web, dns) = (Web::new(), name_server());
    let of = |name: &str, count: usize| -> String {
        (0..count).map(|number| format!("http://{name}-{number}.test:{}/\n", web.port)).collect()
    };
    let folder = Folder::new();
    let dns = format!("127.0.0.1:{dns}");
    let urls = of("six", 300) + &of("good", 300);
    let ran = fetch(&folder, &urls, &["--dns", &dns, "--parallel", "1000"]);
    assert_eq!((ran.status, figure(&ran, "parsed")), (0, 300), "{}", ran.err);
    assert_eq!(figure(&ran, "local_faults"), 300, "{}", ran.err);
}

/// More dead sites come first than are asked at a time: as long as one site answers, they are no fault of ours.
#[test]
fn very_many_dead_sites_come_first() {
    let (web, port) = (Web::new(), closed_port());
    let dead: String = (0..4_500)
        .map(|number| format!("http://127.2.{}.{}:{port}/\n", number / 250, number % 250 + 1))
        .collect();
    let good: String = (0..450).map(|number| web.origin(1, number) + "/\n").collect();
    let folder = Folder::new();
    let ran = fetch(&folder, &format!("{dead}{good}"), &[]);
    assert_eq!((ran.status, figure(&ran, "parsed"), figure(&ran, "unreachable")), (0, 450, 4_500));
    let folder = Folder::new();
    let ran = filter(&folder, &format!("{dead}{good}"), &[]);
    assert_eq!((ran.status, figure(&ran, "allowed"), figure(&ran, "disallowed")), (0, 450, 4_500));
    let printed = String::from_utf8(ran.out).unwrap();
    let urls = printed.lines().map(|line| line.split('\t').nth(1).unwrap());
    assert!(urls.eq(dead.lines().chain(good.lines())), "another order");
}

/// What the command says on standard error if its reader goes away after the first line: it ends with 3.
#[cfg(unix)]
fn cut_off(command: &mut Command) -> String {
    let mut child = command.spawn().unwrap();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
    let ended = child.wait_with_output().unwrap();
    let err = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(3), "{err}");
    err
}

/// Whoever reads the output goes away: what is left unasked is told.
#[cfg(unix)]
#[test]
fn nobody_reads() {
    let web = Web::new();
    let urls: String = (0..600).map(|number| web.origin(1, number) + "/\n").collect();
    let folder = Folder::of(&[("urls", &urls)]);
    let err = cut_off(command(FETCH).args(["--parallel", "4", "urls"]).current_dir(folder.root()));
    assert!(err.contains("stopped: nobody reads standard output any more; "), "{err}");
    assert!(
        err.contains(" outcomes are kept. Of the sites that were read, 0 could not be asked"),
        "{err}"
    );
}

/// The same of `filter --fetch`, whose output keeps the order of the input.
#[cfg(unix)]
#[test]
fn nobody_reads_verdicts() {
    let web = Web::new();
    let path = "x".repeat(1_000);
    let mut urls: String =
        (0..300).map(|number| format!("{}/{path}\n", web.origin(1, number))).collect();
    urls.extend((0..900).map(|number| format!("{}/{path}\n", web.origin(9, number))));
    let folder = Folder::of(&[("urls", &urls)]);
    let short = ["--timeout", "4", "urls"];
    let err = cut_off(command(FILTER).args(short).current_dir(folder.root()));
    let (_, told) = err.split_once("stopped: nobody reads standard output any more; ").unwrap();
    let number = |before: &str| -> u64 {
        let (_, rest) = told.split_at(told.find(before).unwrap() + before.len());
        rest.split(' ').next().unwrap().parse().unwrap()
    };
    assert_eq!(number(""), stat(&folder, "origins"), "{err}");
    assert!(
        told.contains(" outcomes are kept. Of the sites that were read, 0 could not be"),
        "{err}"
    );
    assert!(number("asked and ") > 0 && number("") > 200, "{err}");
}

/// A first interrupt ends the run with its summary and leaves what is in flight unasked.
#[cfg(unix)]
#[test]
fn interrupts() {
    use std::os::unix::process::ExitStatusExt;

    let web = Web::new();
    let mut input: String = (0..20).map(|number| web.origin(1, number) + "/\n").collect();
    input.extend((0..20).map(|number| web.origin(9, number) + "/\n"));
    let interrupt = |name: &str, number: i32, words: &[&str]| {
        let folder = Folder::of(&[("urls", &input)]);
        let mut child = command(words).arg("urls").current_dir(folder.root()).spawn().unwrap();
        if words == FETCH {
            let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
            (0..20).for_each(|_| drop(lines.next().unwrap().unwrap()));
        } else {
            // Its output keeps the order of the input, and the last sites are silent.
            thread::sleep(Duration::from_secs(2));
        }
        let begun = Instant::now();
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
        let ended = child.wait_with_output().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(14), "it waited for silent sites");
        assert_eq!(ended.status.signal(), Some(number));
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(said.contains(&format!("interrupted by SIG{name}; ")), "{said}");
        if words == FETCH {
            assert!(
                said.contains("20 outcomes are kept") && said.contains(" unasked 20 "),
                "{said}"
            );
        } else {
            assert_eq!(String::from_utf8(ended.stdout).unwrap().lines().count(), 20, "{said}");
            assert!(said.contains("the first 20 URLs were judged"), "{said}");
            assert!(said.contains(" was left. 20 outcomes are kept. Of the sites"), "{said}");
            assert!(said.contains(" and 20 were left unasked"), "{said}");
        }
        assert_eq!(stat(&folder, "origins"), 20);
        assert_eq!(run(args!["store", "verify", folder.path("s")]).status, 0);
    };
    side_by_side(&[
        &|| interrupt("INT", 2, &FETCH),
        &|| interrupt("TERM", 15, &FETCH),
        &|| interrupt("INT", 2, &FILTER),
        &|| interrupt("TERM", 15, &FILTER),
    ]);
}

/// URLs of other hosts are asked and judged while silent hosts are waited for; the order is kept.
#[test]
fn silent_sites_do_not_hold_up_others() {
    let web = Web::new();
    let sites = if effort::everything() { 2_000 } else { 600 };
    let urls = |silent: bool| {
        (0..10_000).fold(String::new(), |mut urls, number| {
            let host = number % sites;
            let net = if silent && host % 100 == 50 { 9 } else { 1 };
            let path = if number % 3 == 0 { "private" } else { "public" };
            let _ = writeln!(urls, "{}/{path}/{number:0170}", web.origin(net, host));
            urls
        })
    };
    let timed = |silent: bool| {
        let (folder, input) = (Folder::new(), urls(silent));
        let begun = Instant::now();
        let ran = filter(&folder, &input, &["--timeout", "4"]);
        let time = begun.elapsed();
        assert_eq!((ran.status, figure(&ran, "fetched")), (0, sites as u64), "{}", ran.err);
        let printed = String::from_utf8(ran.out.clone()).unwrap();
        let wanted = input.lines().map(|url| match url {
            _ if url.contains("//127.9.") || url.contains("/private/") => {
                format!("disallow\t{url}")
            }
            _ => format!("allow\t{url}"),
        });
        assert!(printed.lines().eq(wanted), "another order");
        time
    };
    let (without, with) = (timed(false), timed(true));
    // One deadline, not one for each chunk of the input (there are eight).
    assert!(with < 2 * without + Duration::from_secs(8), "{with:?}, {without:?} without them");
}

/// With little room, fewer chunks wait, and the output is the same.
#[test]
fn a_small_buffer_changes_nothing() {
    let web = Web::new();
    let input: String = (0..4_000)
        .map(|number| format!("{}/public/{number:0600}\n", web.origin(1, number % 100)))
        .collect();
    let wanted: String = input.lines().map(|url| format!("allow\t{url}\n")).collect();
    let ran = filter(&Folder::new(), &input, &["--buffer", "1K", "--threads", "2"]);
    assert!((ran.status, ran.out == wanted.as_bytes()) == (0, true), "{}", ran.err);
    filter(&Folder::new(), "", &["--buffer", "0"]).fails(2, "a size is at least one byte");
}

/// A file that is no list of URLs makes no flood of messages.
#[test]
fn invalid_lines_are_told_in_short() {
    let folder = Folder::new();
    let input: String = (0..1_000).map(|number| format!("nonsense {number}\n")).collect();
    let ran = fetch(&folder, &input, &[]);
    ran.gives(0, "").says("'nonsense 9' is skipped").says("990 more invalid lines were skipped");
    let lines: BTreeSet<&str> = ran.err.lines().collect();
    assert_eq!((lines.len(), figure(&ran, "invalid")), (12, 1_000));
}

/// Every answer in JSON fits the schema, and says what the text says.
#[test]
fn json() {
    let web = Web::new();
    let schema = Schema::of(include_str!("../../src/schema/fetch.json"));
    let input = format!("{}/\n{}/\n", web.origin(1, 0), web.origin(8, 0));
    for option in [&["--json"][..], &["--format", "jsonl"]] {
        let ran = fetch(&Folder::new(), &input, option);
        assert_eq!(ran.status, 0, "{ran:?}");
        let lines: Vec<serde_json::Value> = String::from_utf8(ran.out.clone())
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), 2);
        for line in &lines {
            assert!(schema.is_valid(line), "{line}");
        }
        let of =
            |condition: &str| lines.iter().find(|line| line["condition"] == condition).unwrap();
        let (parsed, down) = (of("parsed"), of("unreachable"));
        assert_eq!(parsed["origin"], web.origin(1, 0));
        assert_eq!((&parsed["holds"], &parsed["copy"]["bytes"]), (&"rules".into(), &33.into()));
        assert_eq!((&down["status"], &down["cause"]), (&503.into(), &"HTTP 503".into()));
        assert_eq!((&down["failures"], down.get("copy")), (&1.into(), None));
    }
}

/// Metrics and logs do not change what is printed.
#[test]
#[cfg(unix)]
fn metrics_replace_only_files() {
    let folder = Folder::new();
    let link = folder.path("link");
    std::os::unix::fs::symlink("/dev/null", &link).unwrap();
    let ran = fetch(&folder, "", &["--metrics", "link"]);
    assert_eq!(ran.status, 3, "{ran:?}");
    ran.says("it exists and is not a regular file");
    std::fs::remove_file(&link).unwrap();
    folder.file("m.prom", "old");
    std::os::unix::fs::symlink("m.prom", &link).unwrap();
    assert_eq!(fetch(&folder, "", &["--metrics", "link"]).status, 0);
    assert!(std::fs::read_to_string(folder.path("m.prom")).unwrap().contains("# TYPE"));
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[test]
fn metrics_and_logs() {
    let web = Web::new();
    let input: String = (0..5).map(|number| web.origin(1, number) + "/\n").collect();
    let input = input + &web.origin(8, 0) + "/\n";
    for run in [fetch, filter] {
        let folder = Folder::new();
        let plain = run(&Folder::new(), &input, &[]);
        let ran = run(&folder, &input, &["--metrics", "m.prom", "-v"]);
        assert_eq!(ran.status, 0, "{ran:?}");
        assert_eq!(ran.out.len(), plain.out.len());
        assert!(ran.err.contains("DEBUG") && !plain.err.contains("DEBUG"), "{}", ran.err);
        let metrics = std::fs::read_to_string(folder.path("m.prom")).unwrap();
        for line in [
            "# TYPE robotsieve_attempts_total counter",
            "robotsieve_attempts_total{outcome=\"present\"} 5",
            "robotsieve_attempts_total{outcome=\"unreachable\"} 1",
            "robotsieve_answers_total{status=\"200\"} 5",
            "robotsieve_answers_total{status=\"503\"} 1",
            "robotsieve_attempt_duration_seconds_count 6",
            "robotsieve_attempt_duration_seconds_bucket{le=\"+Inf\"} 6",
            "robotsieve_sites_open 0",
        ] {
            assert!(metrics.lines().any(|found| found == line), "no {line} in {metrics}");
        }
        // Every family once: those of the library, as its tests check them, and one more.
        let families = metrics.lines().filter_map(|line| line.strip_prefix("# TYPE robotsieve_"));
        let families: Vec<_> = families.map(|line| line.split(' ').next().unwrap()).collect();
        let mut known = vec![
            "build_info",
            "lookups_total",
            "attempts_total",
            "answers_total",
            "failures_total",
            "local_faults_total",
            "refreshes_total",
            "fetcher_panics_total",
            "pauses_total",
            "held_back_total",
            "store_errors_total",
            "paused",
            "sites",
            "sites_bytes",
            "attempt_duration_seconds",
            "store_read_duration_seconds",
            "sites_open",
        ];
        if ran.err.contains("urls ") {
            known.push("verdicts_total");
        }
        assert_eq!(families, known);
        let left: Vec<_> = std::fs::read_dir(folder.root()).unwrap().collect();
        assert_eq!(left.len(), 3, "{left:?}");
        run(&folder, &input, &["--metrics", "no/m"]).fails(3, "cannot write --metrics 'no/m'");
    }
    let folder = Folder::of(&[("urls", &input)]);
    let args = [&FETCH[..], &["urls"]].concat();
    let ran = shell("export RUST_LOG=robotsieve=debug", &args, &folder);
    assert!(ran.err.contains("DEBUG"), "{}", ran.err);
    shell("export RUST_LOG=a=b=c", &args, &folder).fails(2, "RUST_LOG='a=b=c'");
}

/// Each URL counts, also where a site is looked up once for many.
#[test]
fn verdicts_are_counted() {
    let (web, folder) = (Web::new(), Folder::new());
    let urls = |path: &str, count: usize| {
        (0..count).map(|n| format!("{}{path}{n}\n", web.origin(1, n % 3))).collect::<String>()
    };
    let input = urls("/x", 300) + &urls("/private/", 100) + "no url\n";
    assert_eq!(filter(&folder, &input, &["--metrics", "m.prom"]).status, 0);
    let metrics = std::fs::read_to_string(folder.path("m.prom")).unwrap();
    for (verdict, count) in [("allow", 300), ("disallow", 100), ("unknown", 0), ("invalid", 1)] {
        let line = format!("robotsieve_verdicts_total{{verdict=\"{verdict}\"}} {count}\n");
        assert!(metrics.contains(&line), "{line}{metrics}");
    }
}

/// With --message-format json all of standard error is JSON: notes, the summary, errors and logs.
#[test]
fn messages_as_json() {
    let (web, folder) = (Web::new(), Folder::new());
    let input = format!("{}/\n\"not\ta url\n{}/\n", web.origin(1, 0), web.origin(9, 0));
    let always = ["--message-format", "json", "-v", "--progress", "always", "--timeout", "1"];
    let ran = fetch(&folder, &input, &always);
    let mut levels = BTreeSet::new();
    for line in ran.err.lines() {
        let object: serde_json::Value = serde_json::from_str(line).expect(line);
        for member in ["time", "level", "message"] {
            assert!(object[member].is_string(), "{line}");
        }
        levels.insert(object["level"].as_str().unwrap().to_owned());
        if object["level"] == "debug" {
            assert!(object["target"].as_str().unwrap().starts_with("robotsieve"), "{line}");
        }
    }
    assert!(levels.contains("debug") && levels.contains("info"), "{levels:?}: {}", ran.err);
    // Fields of an attempt's span are in its events.
    let (logged, summary) =
        (format!("\"origin\":\"{}\"", web.origin(1, 0)), "\"message\":\"origins 2 ");
    assert!(ran.err.contains(&logged) && ran.err.contains(summary), "{}", ran.err);
    // What ends a run before it begins, too.
    let ran = fetch(&folder, "", &["--message-format", "json", "--overrides", "none"]);
    assert!(ran.err.starts_with('{') && ran.err.contains("\"level\":\"error\""), "{ran:?}");
}

/// The bar counts sites and not bytes of the input, and moves while nothing ends. There is no estimate
/// before the end of the input is known.
#[test]
fn progress_in_sites() {
    let web = Web::new();
    let input: String = (0..20).map(|number| web.origin(1, number) + "/\n").collect();
    // A silent site holds the run up for two seconds.
    let input = input + &web.origin(9, 0) + "/\n";
    let shows = |run: fn(&Folder, &str, &[&str]) -> Ran| {
        let ran = run(&Folder::new(), &input, &["--progress", "always", "--timeout", "2"]);
        assert!(ran.err.contains("20/21 sites"), "{}", ran.err);
        assert!(!ran.err.contains("B/s"), "{}", ran.err);
    };
    side_by_side(&[&|| shows(fetch), &|| shows(filter)]);
}

/// The rulings of a store as of another time.
#[test]
fn as_of() {
    let web = Web::new();
    let folder = Folder::new();
    let url = format!("{}/\n", web.origin(8, 0));
    assert_eq!(fetch(&folder, &url, &[]).status, 0);
    folder.file("urls", &url);
    let at = |time: &str, more: &[&str]| {
        let first = ["filter", "--store", "s", "--agent", "a", "--format", "tsv", "--as-of", time];
        shell(":", &[&first[..], more, &["urls"]].concat(), &folder)
    };
    at("+1h", &[]).gives(0, format!("disallow\t{url}"));
    at("now", &[]).gives(0, format!("disallow\t{url}"));
    // What held before it was asked is unknown.
    let told = "1 site was asked later than --as-of";
    for time in ["2020-01-01", "1h", "2020-01-01T00:00:00+02:00"] {
        let ran = at(time, &["--profile", "google"]);
        ran.gives(0, format!("unknown\t{url}")).says(told);
        at(time, &["--missing", "allow"]).gives(0, format!("allow\t{url}"));
    }
    let explain = ["explain", "--as-of", "1h", "s", "a", url.trim_end()];
    let ran = shell(":", &explain, &folder);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(String::from_utf8_lossy(&ran.out).contains("was asked later"), "{ran:?}");
    // An override holds at all times.
    folder.file("overrides", format!("{} allow\n", url.trim_end_matches("/\n")));
    let ran = at("2020-01-01", &["--overrides", "overrides"]);
    ran.gives(0, format!("allow\t{url}"));
    assert!(!ran.err.contains("--as-of"), "{ran:?}");
    at("-1h", &[]).fails(2, "a time in the past has no sign");
    at("soon", &[]).fails(2, "a time is like 2026-11-20T12:00:00Z");
    at("1h", &["--fetch", "--send-user-agent", "x"]).fails(2, "--fetch");
}

/// A bare host is skipped, with the URL to write in its place.
#[test]
fn bare_hosts() {
    let ran = fetch(&Folder::new(), "example.com\nnonsense\nexample.com/x\n", &[]);
    ran.gives(0, "").says("ftp URL; write https://example.com/\n").says(" invalid 3 ");
    assert_eq!(ran.err.matches("; write").count(), 1, "{ran:?}");
}

/// A robots.txt that is longer than the profile's limit is told, wherever it comes from.
#[test]
fn long_files() {
    let long = "User-agent: *\n".to_owned() + &"Disallow: /some/page\n".repeat(30_000);
    let names = ["a.example", "b.example", "c.example", "d.example", "e.example"];
    let folder = Folder::of(&[]);
    names.iter().for_each(|name| drop(folder.file(&format!("d/{name}"), &long)));
    let urls: String = names.iter().map(|name| format!("http://{name}/x\n")).collect();
    folder.file("urls", &urls);
    let import = ["store", "import", "--robots-dir", "d", "s"];
    assert_eq!(shell(":", &import, &folder).status, 0);
    for source in [["--robots-dir", "d"], ["--store", "s"]] {
        let filter = ["filter", "--agent", "a", "urls"];
        let ran = shell(":", &[&filter[..], &source].concat(), &folder);
        ran.gives(0, &urls).says(" has 630014 bytes, of which only the first 512000 count");
        assert_eq!(ran.err.matches("has 630014 bytes").count(), 3, "{ran:?}");
        ran.says("2 more robots.txt files are longer than the profile's size limit");
        let google = ["--profile", "google"];
        let ran = shell(":", &[&filter[..], &source, &google].concat(), &folder);
        assert!(!ran.err.contains("630014"), "{ran:?}");
    }
}

/// Options of stores are refused without a store, and options of fetching without --fetch.
#[test]
fn options_that_would_do_nothing() {
    let folder = Folder::of(&[("robots.txt", ""), ("d/e.com", ""), ("urls", ""), ("o", "")]);
    for source in [["--robots", "robots.txt"], ["--robots-dir", "d"], ["--pack", "p"]] {
        for option in [
            ["--overrides", "o"],
            ["--as-of", "now"],
            ["--denied", "allow"],
            ["--too-many-requests", "wait"],
            ["--unreachable-failures", "3"],
            ["--unreachable-days", "3"],
        ] {
            let args = [&["filter", "--agent", "a"][..], &source, &option, &["urls"]].concat();
            let ran = shell(":", &args, &folder);
            ran.fails(2, option[0]).says("--store");
        }
    }
    assert_eq!(fetch(&folder, "", &[]).status, 0);
    for option in [&["-v"][..], &["--metrics", "m"]] {
        let args = [&["filter", "--agent", "a", "--store", "s"][..], option, &["urls"]].concat();
        shell(":", &args, &folder).fails(2, "--fetch");
    }
}

/// What answers mean can be changed, also without fetching.
#[test]
fn protocol_switches() {
    let web = Web::new();
    let verdict = |net: u8, more: &[&str]| {
        let url = format!("{}/\n", web.origin(net, 0));
        let ran = filter(&Folder::new(), &url, more);
        assert_eq!(ran.status, 0, "{ran:?}");
        String::from_utf8(ran.out).unwrap().split('\t').next().unwrap().to_owned()
    };
    assert_eq!((verdict(7, &[]), verdict(6, &[])), ("allow".into(), "allow".into()));
    assert_eq!(verdict(7, &["--denied", "disallow"]), "disallow");
    assert_eq!(verdict(6, &["--too-many-requests", "wait"]), "disallow");
    assert_eq!(verdict(8, &["--errors-allow"]), "allow");
    // The other commands that read stores can be told the same.
    let (folder, url) = (Folder::new(), format!("{}/", web.origin(7, 0)));
    assert_eq!(fetch(&folder, &format!("{url}\n"), &[]).status, 0);
    let denied = ["--denied", "disallow"];
    let printed = |args: &[&str]| {
        let ran = shell(":", args, &folder);
        assert!(ran.status < 2, "{ran:?}");
        String::from_utf8(ran.out).unwrap()
    };
    assert!(printed(&["store", "get", "s", &url]).contains("holds\tallow-all\n"));
    let get = [&["store", "get"][..], &denied, &["s", &url]].concat();
    assert!(printed(&get).contains("holds\tdisallow-all\n"));
    assert!(printed(&["explain", "s", "a", &url]).contains("\nallow: "));
    let explain = [&["explain"][..], &denied, &["s", "a", &url]].concat();
    assert!(printed(&explain).contains("\ndisallow: "));
    let export = [&["store", "export"][..], &denied, &["--robots-dir", "d", "s"]].concat();
    printed(&export);
    let host = url.trim_start_matches("http://").trim_end_matches('/');
    let file = std::fs::read_to_string(folder.path("d").join(host)).unwrap();
    assert!(file.ends_with("User-agent: *\nDisallow: /\n"), "{file}");
    let export = [&["store", "export"][..], &denied, &["--warc", "w", "s"]].concat();
    shell(":", &export, &folder).fails(2, "--denied is for --robots-dir and --pack");
    let explain = [&["explain"][..], &denied, &["d/x", "a", &url]].concat();
    shell("echo > d/x", &explain, &folder).fails(2, "--denied is for a store");
    let more = ["--unreachable-failures", "7", "--unreachable-days", "3"];
    assert_eq!(verdict(8, &more), "disallow");
    filter(&Folder::new(), "", &["--unreachable-failures", "1"]).fails(2, "--unreachable-failures");
}

/// Overrides decide without asking, and errors in their file name the line.
#[test]
fn overrides() {
    let web = Web::new();
    let origins = [1, 2, 3, 4].map(|number| web.origin(1, number));
    let urls: String = origins.iter().map(|origin| format!("{origin}/own\n")).collect();
    let folder =
        Folder::of(&[("lists/own.txt", "User-agent: *\nDisallow: /own\n"), ("urls", &urls)]);
    let hosts = [0, 1, 2].map(|number| origins[number].strip_prefix("http://").unwrap());
    let list = format!(
        "# Sites with an agreement\n\n{}  disallow\r\n{}\tallow\n  {} own.txt\n",
        origins[0], hosts[1], hosts[2]
    );
    folder.file("lists/overrides", list);
    let more = ["--overrides", "lists/overrides"];
    let verdicts = ["disallow", "allow", "disallow", "allow"];
    let wanted: String = verdicts
        .iter()
        .zip(urls.lines())
        .map(|(verdict, url)| format!("{verdict}\t{url}\n"))
        .collect();
    let ran = filter(&folder, &urls, &more);
    ran.gives(0, &wanted);
    assert_eq!((figure(&ran, "fetched"), stat(&folder, "origins")), (1, 1));
    // They need no network, and win over the store.
    let ran = shell(
        ":",
        &[&["filter", "--store", "s", "--agent", "a", "--format", "tsv"][..], &more, &["urls"]]
            .concat(),
        &folder,
    );
    ran.gives(0, &wanted);
    // Only a rule that stands in a file is named.
    let json = ["filter", "--store", "s", "--agent", "a", "--format", "jsonl"];
    let ran = shell(":", &[&json[..], &more, &["urls"]].concat(), &folder);
    let text = String::from_utf8(ran.out).unwrap();
    let has_line: Vec<bool> = text.lines().map(|line| line.contains("\"line\":")).collect();
    assert_eq!(has_line, [false, false, true, false], "{text}");
    let why = text.lines().filter(|line| line.contains(r#""why":"override""#));
    assert_eq!(why.count(), 3, "{text}");
    let down = format!("{}/\n", web.origin(8, 0));
    assert_eq!(fetch(&folder, &down, &[]).status, 0);
    let ran = shell(":", &[&json[..], &["urls"]].concat(), &folder);
    let text = String::from_utf8(ran.out).unwrap();
    assert!(text.contains("disallow") && !text.contains("line"), "{text}");
    // An outage is told from a rule.
    assert!(text.contains(r#""why":"unreachable_without_copy""#), "{text}");
    let ran = fetch(&folder, &urls, &[&more[..], &["--again"]].concat());
    let figures = ["fetched", "overridden", "not_due"].map(|name| figure(&ran, name));
    assert_eq!((ran.status, figures), (0, [1, 3, 0]), "{ran:?}");
    let ran = fetch(&folder, &urls, &[&more[..], &["--json"]].concat());
    let text = String::from_utf8(ran.out).unwrap();
    let schema = Schema::of(include_str!("../../src/schema/fetch.json"));
    let mut held = Vec::new();
    for line in text.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(schema.is_valid(&line), "{line}");
        assert_eq!(line["outcome"], "override");
        held.push(line["holds"].as_str().unwrap().to_owned());
    }
    held.sort_unstable();
    assert_eq!(held, ["allow-all", "disallow-all", "rules"]);
    for (text, message) in [
        ("a.example allow\nb.example\n", "line 2: 'b.example' has no answer"),
        ("\na.example deny\n", "line 2: "),
        ("a.example allow\nA.example disallow\n", "line 2: 'A.example': the site has an override"),
        ("http://a.example/x allow\n", "line 1: 'http://a.example/x': the URL of a page"),
        ("a b.example allow\n", "line 1: "),
    ] {
        folder.file("lists/overrides", text);
        let ran = fetch(&folder, &urls, &more);
        ran.fails(2, "--overrides 'lists/overrides', ").says(message);
    }
    fetch(&folder, &urls, &["--overrides", "nothing"])
        .fails(3, "cannot read --overrides 'nothing'");
}

/// A server that keeps the heads of requests, and answers each with rules. Tunnels that are asked of
/// it end at itself.
fn listener() -> (u16, std::sync::mpsc::Receiver<(String, IpAddr)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, heads) = std::sync::mpsc::channel();
    thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            loop {
                let lines = BufReader::new(&connection).lines();
                let head: Vec<String> =
                    lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
                let head = head.join("\n");
                let is_tunnel = head.starts_with("CONNECT ");
                let _ = sender.send((head, connection.peer_addr().unwrap().ip()));
                if !is_tunnel {
                    break;
                }
                let _ = connection.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
            }
            let _ = connection
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        }
    });
    (port, heads)
}

/// What requests look like and where they come from.
#[test]
fn requests_as_the_options_say() {
    let (port, heads) = listener();
    let url = format!("http://127.0.0.1:{port}/\n");
    let more =
        ["--header", "From: bot@foo.example", "--header", "X-A:1", "--source-address", "127.0.0.7"];
    assert_eq!(fetch(&Folder::new(), &url, &more).status, 0);
    let (head, from) = heads.recv().unwrap();
    let head = head.to_ascii_lowercase();
    assert!(head.contains("from: bot@foo.example") && head.contains("x-a: 1"), "{head}");
    assert_eq!(from.to_string(), "127.0.0.7");
    // A password is for one host, and one in a URL is told of.
    let host = format!("127.0.0.1:{port}");
    for (host, is_sent) in [(&host[..], true), ("127.0.0.2", false)] {
        let with_user = format!("http://me:secret@127.0.0.1:{port}/\n");
        let ran = fetch(&Folder::new(), &with_user, &["--header-for", host, "Authorization: x"]);
        assert_eq!(ran.status, 0, "{ran:?}");
        let (head, _) = heads.recv().unwrap();
        assert_eq!(head.to_ascii_lowercase().contains("authorization: x"), is_sent, "{head}");
        assert!(ran.err.contains("is not sent") && !ran.err.contains("secret"), "{ran:?}");
    }
    let folder = Folder::of(&[("urls", &format!("http://me:secret@127.0.0.1:{port}/\n"))]);
    let first = args!["filter", "--fetch", "--agent", "FooBot", "--allow-private", "--store"];
    let more = args![folder.path("s"), "--send-user-agent", AGENT, folder.path("urls")];
    let ran = run(first.into_iter().chain(more));
    heads.recv().unwrap();
    ran.says("the user name or password in a URL of http://127.0.0.1").says("is not sent");
    // Through a proxy, whose address is not checked.
    let proxy = format!("http://127.0.0.1:{port}");
    let ran = fetch(&Folder::new(), "http://127.9.9.9:81/\n", &["--proxy", &proxy]);
    assert_eq!((ran.status, figure(&ran, "empty")), (0, 1), "{ran:?}");
    for line in ["CONNECT 127.9.9.9:81 HTTP/1.1", "GET /robots.txt HTTP/1.1"] {
        let (head, _) = heads.recv().unwrap();
        assert!(head.starts_with(line), "{head}");
    }
    // Networks are allowed and denied one by one.
    let folder = Folder::of(&[("urls", &url)]);
    let public = |more: &[&str]| {
        let first = ["fetch", "--send-user-agent", AGENT];
        let ran = shell(":", &[&first[..], more, &["urls"]].concat(), &folder);
        assert_eq!(ran.status, 0, "{ran:?}");
        figure(&ran, "empty")
    };
    assert_eq!(public(&[]), 0);
    assert_eq!(public(&["--allow-network", "10.0.0.0/8"]), 0);
    assert_eq!(public(&["--allow-network", "10.0.0.0/8", "--allow-network", "127.0.0.0/8"]), 1);
    assert_eq!(public(&["--allow-private", "--deny-network", "127.0.0.0/30"]), 0);
    // What is wrong is said with the option.
    for (option, value, message) in [
        ("--header", "x", "--header 'x': a header is NAME: VALUE"),
        ("--header", "Host: x", "--header: \"Host\" is set by the fetcher"),
        ("--proxy", "gopher://x", "--proxy: "),
        ("--header-for", "e.com", "--header-for 'urls': a header is NAME: VALUE"),
        ("--source-address", "192.0.2.1", "--source-address: 192.0.2.1 is not an address"),
        ("--source-address", "x", "--source-address"),
        ("--allow-network", "10.0.0.0/99", "--allow-network"),
        ("--ca-file", "urls", "--ca-file 'urls': "),
        ("--delay", "soon", "--delay"),
        ("--max-size", "0", "--max-size"),
        ("--dns", "ns.example", "a name server is an address"),
    ] {
        fetch(&folder, &url, &[option, value]).fails(2, message);
    }
    fetch(&folder, &url, &["--dns", "system", "--dns", "127.0.0.1"])
        .fails(2, "--dns system is for itself");
    for server in ["system", "127.0.0.1:1", "[::1]:5353"] {
        let ran = fetch(&Folder::new(), &url, &["--dns", server]);
        assert_eq!((ran.status, figure(&ran, "empty")), (0, 1), "{ran:?}");
    }
    fetch(&folder, &url, &["--ca-file", "none"]).fails(3, "cannot read --ca-file 'none'");
}

/// Failures are retried within the run only if that is asked for.
#[test]
fn retries() {
    let web = Web::new();
    let url = web.origin(8, 0) + "/\n";
    let ran = fetch(&Folder::new(), &url, &["--retries", "1"]);
    assert_eq!((ran.status, figure(&ran, "unreachable")), (0, 1), "{ran:?}");
    let seconds = ran.err.split("seconds ").nth(1).unwrap().split(' ').next().unwrap();
    assert!(seconds.parse::<f64>().unwrap() >= 0.5, "{ran:?}");
}
