//! `robotsieve fetch`, `store` and `filter --store`, with servers on loopback.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use crate::command::site::{answered, site};
use crate::command::{Folder, Ran, in_shell, run, run_with};

/// A site that gives every request the same answer.
struct Site {
    origin: String,
    asked: Arc<AtomicUsize>,
}

impl Site {
    fn new(status: &str, headers: &str, body: &str) -> Site {
        let asked = Arc::new(AtomicUsize::new(0));
        let answer = answered(status, headers, body);
        let counted = Arc::clone(&asked);
        let origin = site(move |head| {
            assert!(
                head.iter().any(|line| line == "user-agent: FooBot/1.0 (+http://foo.example/)")
            );
            counted.fetch_add(1, SeqCst);
            answer.clone()
        });
        Site { origin, asked }
    }

    fn asked(&self) -> usize {
        self.asked.load(SeqCst)
    }

    fn origin(&self) -> &str {
        &self.origin
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}\n", self.origin())
    }
}

/// A site with rules, one without, an unreachable one, and one that redirects to the first.
fn sites() -> [Site; 4] {
    let rules = Site::new("200 OK", "ETag: \"x\"\r\n", "User-agent: *\nDisallow: /private\n");
    let location = format!("Location: {}/elsewhere.txt\r\n", rules.origin());
    [
        rules,
        Site::new("404 Not Found", "", "<html>none</html>"),
        Site::new("503 Service Unavailable", "", ""),
        Site::new("302 Found", &location, ""),
    ]
}

const AGENT: &str = "FooBot/1.0 (+http://foo.example/)";

fn fetch(folder: &Folder, input: &str, options: &[&str]) -> Ran {
    let first = args!["fetch", "--send-user-agent", AGENT, "--store", folder.path("s")];
    run_with(
        first.into_iter().chain(options.iter().map(|option| (*option).into())),
        input.as_bytes(),
    )
}

fn filter(folder: &Folder, input: &str, options: &[&str]) -> Ran {
    let first = args!["filter", "--store", folder.path("s"), "--format", "tsv"];
    run_with(
        first.into_iter().chain(options.iter().map(|option| (*option).into())),
        input.as_bytes(),
    )
}

/// The lines of standard output, sorted.
fn lines(ran: &Ran) -> BTreeSet<String> {
    String::from_utf8(ran.out.clone()).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn outcomes_are_printed_and_kept() {
    let folder = Folder::of(&[]);
    let sites = sites();
    let [rules, none, down, moved] = &sites;
    let input: String = sites.iter().map(|site| site.url("/x") + &site.url("/y")).collect();
    let port = rules.origin().rsplit(':').next().unwrap_or_default().to_owned();
    let allowed = ["--allow-private", "--redirect-port", &port];
    let ran = fetch(&folder, &(input.clone() + "nonsense\r\n\n"), &allowed);
    assert_eq!(ran.status, 0, "{ran:?}");
    let wanted = [
        format!("parsed\t{}\t33\t", rules.origin()),
        format!("absent\t{}\t0\tHTTP 404", none.origin()),
        format!("unreachable\t{}\t0\tHTTP 503", down.origin()),
        format!("parsed\t{}\t33\t{}/elsewhere.txt", moved.origin(), rules.origin()),
    ];
    assert_eq!(lines(&ran), BTreeSet::from(wanted));
    ran.says("'nonsense' is skipped: it is not an http, https or ftp URL");
    ran.says("origins 4 fetched 4 parsed 2 empty 0 html 0 truncated 0 absent 1 unreachable 1 not_due 0 overridden 0 invalid 1 ");
    assert_eq!(sites.each_ref().map(Site::asked), [2, 1, 1, 1]);
    // The second time nothing is due, so nothing is fetched.
    let again = fetch(&folder, &input, &allowed);
    again.gives(0, "").says(" not_due 4 ");
    assert_eq!(sites.each_ref().map(Site::asked), [2, 1, 1, 1]);
    assert_eq!(lines(&fetch(&folder, &input, &[&allowed[..], &["--again"]].concat())).len(), 4);
    assert_eq!(rules.asked(), 4);
    // The store decides.
    let urls = rules.url("/private") + &none.url("/") + &down.url("/") + &moved.url("/private/x");
    let urls = urls + &rules.url("/") + "https://new.example/\n/path\n";
    let verdicts = ["disallow", "allow", "disallow", "disallow", "allow", "unknown", "invalid"];
    let wanted: String =
        urls.lines().zip(verdicts).map(|(url, verdict)| format!("{verdict}\t{url}\n")).collect();
    filter(&folder, &urls, &["--agent", "x"]).gives(0, &wanted).counts([7, 2, 3, 1, 1, 5]);
    // And says what decided: a rule, or an outage.
    let whys = ["rules", "absent", "unreachable_without_copy", "rules", "rules", "missing", ""];
    let wanted: String =
        wanted.lines().zip(whys).map(|(line, why)| format!("{line}\t{why}\n")).collect();
    filter(&folder, &urls, &["--agent", "x", "--why"]).gives(0, &wanted);
    let missing =
        filter(&folder, "https://new.example/\n", &["--agent", "x", "--missing", "allow"]);
    missing.gives(0, "allow\thttps://new.example/\n");
    // The store can be inspected.
    let stat = run(args!["store", "stat", folder.path("s")]);
    stat.says("");
    for line in ["origins\t4", "present\t2", "absent\t1", "unreachable\t1", "bodies\t1"] {
        assert!(lines(&stat).contains(line), "{line}: {stat:?}");
    }
    let get = |options: &[&str]| {
        let first = args!["store", "get", folder.path("s")].into_iter();
        run(first.chain(options.iter().map(|option| (*option).into())))
    };
    let known = get(&[moved.url("/any").trim_end()]);
    for line in [
        format!("origin\t{}", moved.origin()),
        format!("final_url\t{}/elsewhere.txt", rules.origin()),
        "holds\trules".into(),
        "etag\t\"x\"".into(),
    ] {
        assert!(lines(&known).contains(&line), "{line}: {known:?}");
    }
    get(&["--body", rules.origin()]).gives(0, "User-agent: *\nDisallow: /private\n");
    get(&["https://new.example/"]).gives(1, "").says("https://new.example is not in the store");
    get(&["nonsense"]).fails(2, "'nonsense': no URL");
    run(args!["store", "verify", folder.path("s")]).says("");
}

#[test]
fn filter_fetches_what_it_needs() {
    let folder = Folder::of(&[]);
    let sites = sites();
    let [rules, none, down, _] = &sites;
    let urls = rules.url("/private") + &none.url("/") + &down.url("/") + &rules.url("/");
    let wanted: String = urls
        .lines()
        .zip(["disallow", "allow", "disallow", "allow"])
        .map(|(url, verdict)| format!("{verdict}\t{url}\n"))
        .collect();
    let options = ["--fetch", "--allow-private", "--user-agent", AGENT];
    filter(&folder, &urls, &options).gives(0, &wanted);
    assert_eq!(sites.each_ref().map(Site::asked), [1, 1, 1, 0]);
    filter(&folder, &urls, &options).gives(0, &wanted);
    // The crawler by its name, and a header for requests.
    let named = ["--fetch", "--allow-private", "--agent", "FooBot", "--send-user-agent", AGENT];
    filter(&folder, &urls, &named).gives(0, &wanted);
    assert_eq!(sites.each_ref().map(Site::asked), [1, 1, 1, 0]);
    // The store was closed properly.
    filter(&folder, &urls, &["--agent", "FooBot"]).gives(0, &wanted);
    filter(&folder, &urls, &["--fetch", "--agent", "x"]).fails(2, "--send-user-agent HEADER");
}

/// If a store cannot grow, the run stops and says so once. What it printed is in the store.
#[cfg(unix)]
#[test]
fn stores_that_cannot_be_written() {
    let folder = Folder::of(&[]);
    let sites = sites();
    fetch(&folder, "", &[]).gives(0, "");
    let limited = |command: &str, input: &str| {
        // No file may grow beyond this many blocks, of 512 or 1024 bytes; the store is larger.
        let limit = "trap '' XFSZ; ulimit -f 200; exec \"$0\" \"$@\"";
        let mut shell = in_shell(limit);
        let option = if command == "filter" { "--user-agent" } else { "--send-user-agent" };
        shell
            .args([command, "--allow-private", option, AGENT])
            .arg("--store")
            .arg(folder.path("s"));
        let urls = folder.path("urls");
        fs::write(&urls, input).unwrap();
        if command == "filter" {
            shell.arg("--fetch");
        }
        let ran = shell.arg(urls).output().unwrap();
        if command == "fetch" {
            for line in String::from_utf8(ran.stdout).unwrap().lines() {
                let origin = line.split('\t').nth(1).unwrap();
                let kept = run(args!["store", "get", folder.path("s"), origin]);
                assert_eq!(kept.status, 0, "{line}: {kept:?}");
            }
        }
        (ran.status.code(), String::from_utf8(ran.stderr).unwrap())
    };
    // More bodies than fit.
    let many: Vec<Site> = (0..20)
        .map(|site| {
            let rules = (0..5_000u32).map(|rule| {
                format!("Disallow: /{:x}\n", (rule * 31 + site).wrapping_mul(0x9e37_79b9))
            });
            Site::new("200 OK", "", &format!("User-agent: *\n{}", rules.collect::<String>()))
        })
        .collect();
    let urls: String = many.iter().chain(&sites).map(|site| site.url("/")).collect();
    for command in ["filter", "fetch"] {
        let (status, said) = limited(command, &urls);
        assert_eq!(status, Some(3), "{said}");
        assert_eq!(said.matches("cannot write store").count(), 1, "{said}");
    }
    // Everything acknowledged is in it.
    run(args!["store", "verify", folder.path("s")]).says("");
    filter(&folder, "", &["--agent", "FooBot"]).gives(0, "");
}

#[test]
fn private_addresses_are_refused() {
    let folder = Folder::of(&[]);
    let site = Site::new("200 OK", "", "User-agent: *\nDisallow:\n");
    let ran = fetch(&folder, &site.url("/"), &[]);
    let line = format!("unreachable\t{}\t0\tthe address 127.0.0.1 is not public\n", site.origin());
    ran.gives(0, line).says("was not asked: give --allow-private").says("or --allow-network");
    assert_eq!(site.asked(), 0);
    let json = fetch(&folder, &site.url("/"), &["--json"]);
    json.status(0).prints("\"failures\":0,\"holds\":\"unknown\"");
    let options = ["--fetch", "--user-agent", AGENT];
    filter(&folder, &site.url("/x"), &options).prints("unknown\t");
    // It is no failure of the site: the reason is kept, and other options ask at once.
    let kept = run(args!["store", "get", folder.path("s"), site.origin()]);
    kept.prints("the address 127.0.0.1 is not public").prints("holds\tunknown\n");
    assert!(!String::from_utf8_lossy(&kept.out).contains("failures"), "{kept:?}");
    fetch(&folder, &site.url("/"), &["--allow-private"])
        .gives(0, format!("parsed\t{}\t24\t\n", site.origin()));
    assert_eq!(site.asked(), 1);
    // What is denied is denied whatever is allowed.
    let denied = ["--again", "--allow-private", "--deny-network", "127.0.0.0/8"];
    let ran = fetch(&folder, &site.url("/"), &denied);
    assert!(!ran.err.contains("--allow-private"), "{ran:?}");
}

/// The site answered, and the target of its redirect did not.
#[test]
fn targets_that_do_not_answer_are_named() {
    let folder = Folder::of(&[]);
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let location = format!("Location: http://{nobody}/x\r\n");
    let site = Site::new("302 Found", &location, "");
    let ran = fetch(&folder, &site.url("/"), &["--allow-private"]);
    ran.status(0)
        .prints(&format!("unreachable\t{}\t0\tno connection: ", site.origin()))
        .prints(&format!("(http://{nobody}/x, where it redirects)\n"));
    assert!(!ran.err.contains("did not answer"), "{ran:?}");
}

#[test]
fn folders_and_packs_in_and_out() {
    let folder = Folder::of(&[
        ("robots/a.example", "User-agent: *\nDisallow: /a\n"),
        ("robots/b.example.txt", "User-agent: *\nDisallow: /a\n"),
        ("robots/c.example:8080", ""),
        ("robots/d.example:80", "User-agent: *\nDisallow: /\n"),
    ]);
    let store = folder.path("s");
    let import = run(args!["store", "import", "--robots-dir", folder.path("robots"), &store]);
    // `d.example:80` is for https only.
    import.gives(0, "").says("hosts 4 origins 7 ");
    let urls = "http://a.example/a\nhttps://b.example/a\nhttps://c.example:8080/a\n\
        http://c.example/a\nhttps://d.example:80/\nhttp://d.example/\n";
    let wanted = filter(&folder, urls, &["--agent", "x"]);
    let verdicts: Vec<_> =
        lines(&wanted).iter().map(|l| l.split('\t').next().unwrap().to_owned()).collect();
    assert_eq!(verdicts, ["allow", "disallow", "disallow", "disallow", "unknown", "unknown"]);
    let out = folder.path("out");
    let export = run(args!["store", "export", &store, "--robots-dir", &out]);
    export.gives(0, "").says("exported 4 of 4");
    for (name, text) in [("a.example", "User-agent: *\nDisallow: /a\n"), ("c.example:8080", "")] {
        assert_eq!(fs::read_to_string(out.join(name)).unwrap(), text);
    }
    let pack = folder.path("p");
    run(args!["store", "export", &store, "--pack", &pack, "--agent", "x"]).gives(0, "");
    let from_pack = run_with(args!["filter", "--pack", &pack, "--format", "tsv"], urls.as_bytes());
    assert_eq!(lines(&from_pack), lines(&wanted));
    run(args!["store", "export", &store, "--pack", &pack]).fails(2, "--agent");
    // At first the files are too new to be forgotten.
    let prune = |age| run(args!["store", "prune", "--older-than", age, &store]);
    assert!(lines(&prune("1h")).contains("origins_forgotten\t0"));
    for name in ["a.example", "b.example.txt", "c.example:8080", "d.example:80"] {
        let file = fs::File::open(folder.path("robots").join(name)).unwrap();
        let long_ago =
            std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        file.set_modified(long_ago).unwrap();
    }
    run(args!["store", "import", "--robots-dir", folder.path("robots"), &store]).gives(0, "");
    let pruned = prune("1year");
    assert!(lines(&pruned).contains("origins_forgotten\t7"), "{pruned:?}");
    assert!(lines(&pruned).contains("bodies_forgotten\t3"), "{pruned:?}");
    assert!(
        lines(&run(args!["store", "compact", &store])).iter().all(|l| l.starts_with("bytes\t"))
    );
}

/// One such host, which cannot be in DNS, does not stop the export of the others.
#[test]
fn a_host_that_is_no_name_for_a_file_is_left_out() {
    let folder = Folder::of(&[("robots/z.example", "User-agent: *\nDisallow: /a\n")]);
    let store = folder.path("s");
    run(args!["store", "import", "--robots-dir", folder.path("robots"), &store]).gives(0, "");
    let long = ["a"; 256].concat();
    // That one site answers proves that the failure of the other is not the network's.
    let answers = Site::new("200 OK", "", "");
    let urls = answers.url("/") + &format!("http://{long}/\n");
    let fetched = fetch(&folder, &urls, &["--allow-private"]);
    let kinds: BTreeSet<_> =
        lines(&fetched).iter().map(|line| line.split('\t').next().unwrap().to_owned()).collect();
    assert_eq!(kinds, BTreeSet::from(["empty".into(), "unreachable".into()]), "{fetched:?}");
    let out = folder.path("out");
    let export = run(args!["store", "export", &store, "--robots-dir", &out]);
    export.fails(3, "it is not a valid file name").says("exported 2 of 3");
    let names: BTreeSet<_> =
        fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let host = answers.origin().trim_start_matches("http://");
    assert_eq!(names, BTreeSet::from([host.into(), "z.example".into()]));
}

#[test]
fn stores_that_are_none() {
    let folder = Folder::of(&[("text", "no store\n")]);
    for command in ["stat", "verify", "compact"] {
        run(args!["store", command, folder.path("nothing")]).fails(3, "cannot open store '");
        run(args!["store", command, folder.path("text")]).fails(3, "not a robotsieve store");
    }
    filter(&folder, "", &["--agent", "x"]).fails(3, "cannot open store '");
    let fetch = args!["fetch", "--send-user-agent", AGENT, "--store", folder.path("text")];
    run(fetch).fails(3, "not a robotsieve store");
    run(args!["fetch", "--send-user-agent", "a\nb"]).fails(2, "cannot fetch with User-Agent");
    run(args!["fetch"]).fails(2, "--send-user-agent");
    assert_eq!(fs::read_to_string(folder.path("text")).unwrap(), "no store\n");
}
