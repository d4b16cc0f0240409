//! `robotsieve fetch` and `filter --fetch` when something is wrong: silent sites, faults of this
//! machine, signals, disks that are full.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use crate::command::{Folder, Ran, run};

const AGENT: &str = "FooBot/1.0 (+http://foo.example/)";

/// A server that is a site at each loopback address. Those at 127.9.0.0/16 accept and never answer,
/// those at 127.8.0.0/16 answer 503, all others have rules.
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
    let output = Command::new("sh")
        .args(["-c", &format!("{script}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_robotsieve")])
        .args(args)
        .current_dir(folder.root())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Ran {
        status: output.status.code().expect("it was not killed"),
        out: output.stdout,
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
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
    let origins: Vec<String> = (0..600).map(|number| web.origin(1, number)).collect();
    let urls: String =
        origins.iter().map(|origin| format!("{origin}/\n{origin}/private\n")).collect();
    let wanted: String = origins
        .iter()
        .map(|origin| format!("allow\t{origin}/\ndisallow\t{origin}/private\n"))
        .collect();
    for (limit, fits) in
        [(64, "no more than 16 requests run"), (256, "no more than 112 requests run")]
    {
        let script = format!("ulimit -n {limit}");
        let folder = Folder::of(&[("urls", &urls)]);
        let ran = shell(&script, &[&FILTER[..], &["urls"]].concat(), &folder);
        ran.gives(0, &wanted).says(fits).says("(ulimit -n 544)");
        assert_eq!((figure(&ran, "fetched"), figure(&ran, "local_faults")), (600, 0));
        let folder = Folder::of(&[("urls", &urls)]);
        let ran = shell(&script, &[&FETCH[..], &["urls"]].concat(), &folder);
        assert_eq!((ran.status, figure(&ran, "parsed")), (0, 600), "{}", ran.err);
        assert_eq!(stat(&folder, "present"), 600);
    }
    // What was asked for is named, and a soft limit is raised without a word.
    let folder = Folder::of(&[("urls", &urls)]);
    let more = ["--parallel", "500", "urls"];
    let ran = shell("ulimit -n 256", &[&FETCH[..], &more].concat(), &folder);
    ran.says("--parallel 500 would need 1032");
    assert_eq!(figure(&ran, "parsed"), 600);
    let folder = Folder::of(&[("urls", &urls)]);
    let ran = shell("ulimit -Sn 64", &[&FETCH[..], &["urls"]].concat(), &folder);
    assert_eq!(
        (ran.status, figure(&ran, "parsed"), ran.err.lines().count()),
        (0, 600, 1),
        "{ran:?}"
    );
}

/// If nothing ever answers, it is us: nothing is concluded, stored or printed.
#[test]
fn nothing_answers() {
    let port = closed_port();
    let dead = |count: usize| -> String {
        (0..count).fold(String::new(), |mut urls, number| {
            let _ = writeln!(urls, "http://127.1.{}.{}:{port}/", number / 250, number % 250 + 1);
            urls
        })
    };
    let folder = Folder::new();
    for count in [50, 2_000] {
        let ran = fetch(&folder, &dead(count), &[]);
        ran.gives(3, "").says("no site has answered").says("the fault is probably here");
        assert!(ran.err.lines().count() <= 3, "{}", ran.err);
        assert_eq!((figure(&ran, "fetched"), stat(&folder, "origins")), (0, 0));
        let ran = filter(&folder, &dead(count), &[]);
        ran.gives(3, "").says("no site has answered").says("the first 0 URLs were judged");
        assert_eq!((figure(&ran, "disallowed"), stat(&folder, "origins")), (0, 0));
    }
    // A few sites may well be unreachable.
    let ran = fetch(&folder, &dead(10), &[]);
    assert_eq!((ran.status, figure(&ran, "unreachable")), (0, 10), "{ran:?}");
    let ran = filter(&folder, &dead(5), &[]);
    assert_eq!((ran.status, figure(&ran, "disallowed")), (0, 5), "{ran:?}");
}

/// Dead sites are no fault of ours as long as one answers, however many there are.
#[test]
fn most_sites_are_dead() {
    let (web, port) = (Web::new(), closed_port());
    let urls: String = (0..1_000)
        .map(|number| match number % 10 {
            5 => web.origin(1, number) + "/\n",
            _ => format!("http://127.2.{}.{}:{port}/\n", number / 250, number % 250 + 1),
        })
        .collect();
    let folder = Folder::new();
    let ran = fetch(&folder, &urls, &[]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!((figure(&ran, "parsed"), figure(&ran, "unreachable")), (100, 900), "{}", ran.err);
    let folder = Folder::new();
    let ran = filter(&folder, &urls, &[]);
    assert_eq!((ran.status, figure(&ran, "allowed"), figure(&ran, "disallowed")), (0, 100, 900));
}

/// A first interrupt ends the run with its summary and leaves what is in flight unasked.
#[cfg(unix)]
#[test]
fn interrupts() {
    use std::os::unix::process::ExitStatusExt;

    let web = Web::new();
    let mut input: String = (0..20).map(|number| web.origin(1, number) + "/\n").collect();
    input.extend((0..20).map(|number| web.origin(9, number) + "/\n"));
    for (name, number) in [("INT", 2), ("TERM", 15)] {
        for command in [&FETCH[..], &FILTER[..]] {
            let folder = Folder::of(&[("urls", &input)]);
            let mut child = Command::new(env!("CARGO_BIN_EXE_robotsieve"))
                .args(command)
                .arg("urls")
                .current_dir(folder.root())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            if command == FETCH {
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
            if command == FETCH {
                assert!(
                    said.contains("20 outcomes are kept") && said.contains(" unasked 20 "),
                    "{said}"
                );
            } else {
                assert_eq!(String::from_utf8(ended.stdout).unwrap().lines().count(), 20, "{said}");
                assert!(said.contains("the first 20 URLs were judged"), "{said}");
            }
            assert_eq!(stat(&folder, "origins"), 20);
            assert_eq!(run(args!["store", "verify", folder.path("s")]).status, 0);
        }
    }
}

/// URLs of other hosts are asked and judged while silent hosts are waited for; the order is kept.
#[test]
fn silent_sites_do_not_hold_up_others() {
    let web = Web::new();
    let urls = |silent: bool| {
        (0..40_000).fold(String::new(), |mut urls, number| {
            let host = number % 2_000;
            let net = if silent && host % 100 == 50 { 9 } else { 1 };
            let path = if number % 3 == 0 { "private" } else { "public" };
            let _ = writeln!(urls, "{}/{path}/{number}", web.origin(net, host));
            urls
        })
    };
    let timed = |silent: bool| {
        let (folder, input) = (Folder::new(), urls(silent));
        let begun = Instant::now();
        let ran = filter(&folder, &input, &["--timeout", "4"]);
        let time = begun.elapsed();
        assert_eq!((ran.status, figure(&ran, "fetched")), (0, 2_000), "{}", ran.err);
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
    let input: String = (0..20_000)
        .map(|number| format!("{}/public/{number:0100}\n", web.origin(1, number % 300)))
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
