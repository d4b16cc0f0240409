//! `robotsieve store` with WARC files and folders, and beside a process that writes.

use std::fs;
use std::path::Path;

use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{CachedCopy, Cause, Failure, OriginState, Outcome, Stage};
use robotsieve_client::store::{StateWithBody, Store};

use crate::command::{Folder, Ran, gzip, run, run_with};

const RULES: &[u8] = b"User-agent: *\nDisallow: /a\n";

fn state(at: u64, last: Outcome) -> OriginState {
    OriginState::new(Timestamp(at), last)
}

/// Origins in every state that a store can have.
fn all_states() -> Vec<(String, StateWithBody)> {
    let mut rows: Vec<(String, StateWithBody)> = Vec::new();
    let mut add = |key: &str, state: OriginState, body: Option<&[u8]>| {
        rows.push((key.to_owned(), (state, body.map(<[u8]>::to_vec))));
    };
    let copy = |body: &[u8], at| CachedCopy::new(body, Timestamp(at));
    add("https://plain.example", OriginState::present(copy(RULES, 1_800_000_000)), Some(RULES));
    add("http://plain.example", OriginState::present(copy(b"", 1_800_000_001)), Some(b""));
    let other = b"\xef\xbb\xbfUser-agent: *\r\nDisallow: /\xff\0\r\n\r\n";
    add("ftp://plain.example", OriginState::present(copy(other, 5)), Some(other));
    let html = b"<!doctype html>WARC/1.1\r\n\r\nWARC/1.0\r\n\r\n";
    let mut full = copy(html, 1_800_000_002);
    full.lifetime = 77;
    full.final_url = Some("https://elsewhere.example/r?a=b".to_owned());
    full.etag = Some(b"\"\xfe\xff\"".to_vec());
    full.last_modified = Some(b"Sat, 14 Nov 2026 07:28:00 GMT".to_vec());
    full.is_truncated = true;
    let mut full = OriginState::present(full);
    full.attempted = Timestamp(1_800_000_100);
    full.last = Outcome::Unreachable(Cause::Status(503));
    full.unreachable_since = Some(Timestamp(1_800_000_050));
    full.failures = 7;
    full.retry_after = Some(Timestamp(1_800_000_500));
    full.site_answered = Some(Timestamp(1_800_000_099));
    full.errors_mean_absent = true;
    add("https://full.example:8443", full, Some(html));
    // Others answered, so it was the site's.
    add(
        "https://login.example",
        state(1_700_000_000, Outcome::Unreachable(Cause::Status(511))),
        None,
    );
    for (number, status) in [404, 410, 500].into_iter().enumerate() {
        let last = Outcome::Absent(Cause::Status(status));
        add(&format!("http://absent{number}.example"), state(1_700_000_000, last), None);
    }
    let failures = [
        Failure::Dns("no \u{1}\u{fffd}\" name".into()),
        Failure::Refused("127.0.0.1".parse().unwrap()),
        Failure::Connect("refused".into()),
        Failure::Tls("bad".into()),
        Failure::TimedOut(Stage::Connect),
        Failure::TimedOut(Stage::Total),
        Failure::Broken("it".into()),
        Failure::Encoding("br".into()),
        Failure::TooManyRedirects,
        Failure::RedirectLoop,
        Failure::BadRedirect("x:".into()),
    ];
    for (number, failure) in failures.into_iter().enumerate() {
        let mut state =
            state(u64::from(u32::MAX) * 9, Outcome::Unreachable(Cause::Failure(failure)));
        state.failures = 2;
        state.unreachable_since = Some(Timestamp(0));
        add(&format!("https://failed{number}.example"), state, None);
    }
    rows
}

fn all_of(path: &Path) -> Vec<(String, StateWithBody)> {
    let store = Store::open_read_only(path).unwrap();
    let keys = store.iter().unwrap().map(|row| row.unwrap().0);
    keys.map(|key| (key.clone(), store.get_with_body(&key).unwrap().unwrap())).collect()
}

fn import(folder: &Folder, warc: &Path, store: &str) -> Ran {
    run(args!["store", "import", folder.path(store), "--warc", warc])
}

fn export(folder: &Folder, store: &str, warc: &str) -> Vec<u8> {
    let path = folder.path(warc);
    run(args!["store", "export", folder.path(store), "--warc", &path]).gives(0, "");
    fs::read(path).unwrap()
}

#[test]
fn everything_comes_back() {
    let folder = Folder::new();
    let store = Store::open(folder.path("s")).unwrap();
    let mut rows = all_states();
    let puts = rows.iter().map(|(key, (state, body))| (key, state.clone(), body.as_deref()));
    store.put_many(puts).unwrap();
    drop(store);
    rows.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(all_of(&folder.path("s")), rows);
    for name in ["w.warc", "w.warc.gz"] {
        let first = export(&folder, "s", name);
        let into = format!("from-{name}");
        let ran = import(&folder, &folder.path(name), &into);
        ran.gives(0, "").says(&format!("origins {} ", rows.len()));
        assert!(!ran.err.contains("left out"), "{ran:?}");
        assert_eq!(all_of(&folder.path(&into)), rows);
        let again = export(&folder, &into, &format!("again-{name}"));
        assert!(first == again, "{name}");
        // And once more into what is there already.
        import(&folder, &folder.path(name), &into).gives(0, "");
        assert_eq!(all_of(&folder.path(&into)), rows);
    }
    // A pack of them knows as much as one of the store.
    let pack = |source: &str, path: &Path| {
        let out = folder.path("p");
        run(args![
            "pack",
            source,
            path,
            "--as-of",
            "2026-11-20T12:00:00Z",
            "--agent",
            "x",
            "-o",
            &out
        ]);
        run(args!["pack", "list", &out]).out
    };
    let login = |list: Vec<u8>| {
        let list = String::from_utf8(list).unwrap();
        list.lines().find(|line| line.contains("login.example")).map(str::to_owned)
    };
    let found = login(pack("--warc", &folder.path("w.warc")));
    assert!(found.as_ref().is_some_and(|line| line.contains("disallow-all")), "{found:?}");
    assert_eq!(found, login(pack("--store", &folder.path("s"))));
    let text = String::from_utf8_lossy(&fs::read(folder.path("w.warc")).unwrap()).into_owned();
    for part in [
        "WARC/1.1\r\nWARC-Type: warcinfo\r\n",
        "WARC-Type: response\r\n",
        "WARC-Target-URI: https://plain.example/robots.txt\r\n",
        "WARC-Type: resource\r\n",
        "Content-Type: application/http;msgtype=response\r\n",
        "HTTP/1.1 200 OK\r\n",
        "\"origin\":\"https://failed0.example\"",
    ] {
        assert!(text.contains(part), "{part}");
    }
}

/// A record as other crawlers write it.
fn record(kind: &str, url: &str, date: &str, block: &[u8]) -> Vec<u8> {
    let content_type = match kind {
        "response" => "application/http; msgtype=response",
        "request" => "application/http; msgtype=request",
        _ => "application/warc-fields",
    };
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Date: {date}\r\nWARC-Record-ID: <urn:uuid:{}>\r\n\
         Content-Length: {}\r\nContent-Type: {content_type}\r\nWARC-Target-URI: {url}\r\n\r\n",
        url.len(),
        block.len(),
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

const DATE: &str = "2026-01-10T12:00:00Z";
const AT: u64 = 1_768_046_400;

fn answer(url: &str, head: &str, body: &[u8]) -> Vec<u8> {
    record("response", url, DATE, &[format!("HTTP/1.1 {head}\r\n\r\n").as_bytes(), body].concat())
}

/// The records of an imaginary crawl, and how many of them are damaged.
fn foreign() -> Vec<Vec<u8>> {
    let robots = |host: &str| format!("http://{host}.example/robots.txt");
    let moved =
        |host: &str, to: &str| answer(&robots(host), &format!("301 Moved\r\nLocation: {to}"), b"x");
    vec![
        record("warcinfo", "", DATE, b"software: nutch\r\n"),
        record(
            "request",
            &robots("a"),
            DATE,
            b"GET /robots.txt HTTP/1.1\r\nHost: a.example\r\n\r\n",
        ),
        answer(
            &robots("a"),
            "200 OK\r\nETag: \"1\"\r\nCache-Control: max-age=7200\r\nX-Crawl-Content-Encoding: gzip",
            RULES,
        ),
        record("metadata", &robots("a"), DATE, b"fetchTimeMs: 12\r\n"),
        answer(&robots("none"), "404 Not Found", b"<html>"),
        answer(&robots("down"), "503 Busy\r\nRetry-After: 60", b""),
        answer(
            &robots("chunks"),
            "200 OK\r\nTransfer-Encoding: chunked",
            b"10\r\nUser-agent: *\nDi\r\nB;x\r\nsallow: /c\n\r\n0\r\n\r\n",
        ),
        answer(&robots("packed"), "200 OK\r\nContent-Encoding: gzip", &gzip(RULES)),
        // Before and after its target.
        moved("secure", "https://secure.example/robots.txt"),
        answer("https://secure.example/robots.txt", "200 OK\r\nETag: \"s\"", RULES),
        moved("www", "/robots.txt"),
        moved("steps", "http://secure.example/robots.txt"),
        moved("home", "http://home.example/"),
        moved("gone", "https://none.example:81/robots.txt"),
        moved("sale", "http://page.example/"),
        moved("tonone", "http://none.example/robots.txt"),
        answer(&robots("nowhere"), "302 Found", b""),
        // Neither is a robots.txt.
        answer("http://a.example/robots.txt?x", "200 OK", b"no"),
        answer("http://page.example/", "200 OK", b"no"),
        // Later and older.
        record("response", &robots("a"), "2025-01-10T12:00:00Z", b"HTTP/1.1 404 Not Found\r\n\r\n"),
        answer(&robots("last"), "200", RULES),
    ]
}

#[test]
fn other_crawlers() {
    let folder = Folder::new();
    let plain = folder.file("f.warc", foreign().concat());
    let members: Vec<u8> = foreign().iter().flat_map(|record| gzip(record)).collect();
    let members = folder.file("f.warc.gz", members);
    let whole = folder.file("whole.gz", gzip(&foreign().concat()));
    let mut stores = Vec::new();
    for (number, path) in [plain, members, whole].iter().enumerate() {
        let name = format!("s{number}");
        let ran = import(&folder, path, &name);
        ran.gives(0, "").says("2 redirects and revisits lead to what the sources do not have");
        stores.push(all_of(&folder.path(&name)));
    }
    assert_eq!(stores[0], stores[1]);
    assert_eq!(stores[0], stores[2]);
    let of = |key: &str| {
        let found = stores[0].iter().find(|(found, _)| found == key);
        found.map(|(_, row)| row.clone()).unwrap_or_else(|| panic!("{key}: {:?}", stores[0]))
    };
    let (a, body) = of("http://a.example");
    let copy = a.copy.unwrap();
    assert_eq!((a.attempted, body.as_deref()), (Timestamp(AT), Some(RULES)));
    assert_eq!((copy.lifetime, copy.etag.as_deref()), (7200, Some(&b"\"1\""[..])));
    assert_eq!(of("http://none.example").0.last, Outcome::Absent(Cause::Status(404)));
    let down = of("http://down.example").0;
    assert_eq!(down.last, Outcome::Unreachable(Cause::Status(503)));
    assert_eq!(down.retry_after, Some(Timestamp(AT + 60)));
    assert_eq!(of("http://chunks.example").1.unwrap(), b"User-agent: *\nDisallow: /c\n");
    for key in ["http://packed.example", "https://secure.example", "http://last.example"] {
        assert_eq!(of(key).1.unwrap(), RULES, "{key}");
    }
    for (key, to) in [
        ("http://secure.example", "https://secure.example/robots.txt"),
        ("http://steps.example", "https://secure.example/robots.txt"),
    ] {
        let (state, body) = of(key);
        let copy = state.copy.unwrap();
        assert_eq!((copy.final_url.as_deref(), body.as_deref()), (Some(to), Some(RULES)));
        assert_eq!(copy.etag.as_deref(), Some(&b"\"s\""[..]));
    }
    assert_eq!(
        of("http://www.example").0.last,
        Outcome::Absent(Cause::Failure(Failure::TooManyRedirects))
    );
    assert_eq!(of("http://sale.example").0.last, Outcome::Present);
    assert_eq!(of("http://tonone.example").0.last, Outcome::Absent(Cause::Status(404)));
    assert!(matches!(
        of("http://nowhere.example").0.last,
        Outcome::Absent(Cause::Failure(Failure::BadRedirect(_)))
    ));
    // These two, of which nothing is known, are kept as that.
    for key in ["http://home.example", "http://gone.example"] {
        assert_eq!(of(key), (OriginState::unknown(Timestamp(AT)), None));
    }
    assert_eq!(stores[0].len(), 15, "{:?}", stores[0]);
}

/// A redirect leads to what its target answered at that time, not to what it answered last: in a
/// store and in a pack, in whatever order the records are.
#[test]
fn the_capture_of_that_time_decides() {
    let folder = Folder::new();
    let (from, to) = ("http://e.example/robots.txt", "https://www.e.example/robots.txt");
    let answer = |url: &str, date: &str, head: &str| {
        let block = [format!("HTTP/1.1 {head}\r\n\r\n").as_bytes(), RULES].concat();
        record("response", url, &format!("{date}T00:00:00Z"), &block)
    };
    let records = [
        answer(from, "2026-02-01", &format!("301 Moved\r\nLocation: {to}")),
        answer(to, "2026-02-03", "200 OK"),
        answer(to, "2026-06-03", "404 Not Found"),
    ];
    let urls = b"http://e.example/a\nhttp://e.example/b\nhttps://www.e.example/a\n";
    let wanted = "http://e.example/b\nhttps://www.e.example/a\n";
    for (number, order) in
        [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].into_iter().enumerate()
    {
        let warc = folder.file("w.warc", order.map(|record| &records[record][..]).concat());
        let name = format!("s{number}");
        import(&folder, &warc, &name).gives(0, "").says("origins 2 ");
        let store = folder.path(&name);
        let rows = all_of(&store);
        let [(_, (state, body)), (_, (target, _))] = &rows[..] else { panic!("{rows:?}") };
        let copy = state.copy.as_ref().unwrap();
        assert_eq!((copy.at, body.as_deref()), (Timestamp(1_769_904_000), Some(RULES)));
        assert_eq!(copy.final_url.as_deref(), Some(to));
        assert_eq!(target.last, Outcome::Absent(Cause::Status(404)));
        let pack = folder.path(&format!("p{number}"));
        run(args!["pack", "--warc", &warc, "--agent", "x", "-o", &pack]).gives(0, "");
        let filter = |from: &[std::ffi::OsString]| {
            run_with([&args!["filter", "--agent", "x"][..], from].concat(), urls).gives(0, wanted);
        };
        filter(&args!["--pack", &pack]);
        filter(&args!["--store", &store, "--as-of", "capture"]);
    }
}

/// An archive is judged as of its captures. When it was judged as of today, 997 of 997 sites that
/// had answered 503 51 days before were allowed.
#[test]
fn sites_that_failed_long_ago_are_not_allowed() {
    const CAPTURED: u64 = 51 * 24;
    let folder = Folder::new();
    let date = |hours_ago| {
        let at = Timestamp(Timestamp::now().0 - hours_ago * 60 * 60);
        humantime::format_rfc3339_seconds(at.into()).to_string()
    };
    let capture = |host: &str, hours_ago, head: &str| {
        let block = [format!("HTTP/1.1 {head}\r\n\r\n").as_bytes(), RULES].concat();
        record("response", &format!("https://{host}/robots.txt"), &date(hours_ago), &block)
    };
    let hosts: Vec<String> = (0..997).map(|number| format!("h{number}.example")).collect();
    let mut records: Vec<Vec<u8>> =
        hosts.iter().map(|host| capture(host, CAPTURED, "503 Busy")).collect();
    // A file that was fresh when the site failed, and one that was not.
    let fresh = "200 OK\r\nCache-Control: max-age=864000";
    records.push(capture("fresh.example", CAPTURED, fresh));
    records.push(capture("fresh.example", CAPTURED - 12, "503 Busy"));
    records.push(capture("stale.example", CAPTURED + 720, fresh));
    records.push(capture("stale.example", CAPTURED, "503 Busy"));
    let warc = folder.file("w.warc", records.concat());
    import(&folder, &warc, "s").gives(0, "");
    let store = folder.path("s");
    let (then, before) = (date(CAPTURED - 18), date(CAPTURED - 4));
    let urls = |hosts: &[String]| -> String {
        hosts.iter().map(|host| format!("https://{host}/x\n")).collect()
    };
    let few = ["fresh.example".to_owned(), "stale.example".to_owned()];
    let (both, fresh) = (urls(&few), urls(&few[..1]));
    let input = urls(&hosts) + &both;
    // By RFC 9309 the last file is used while a site is unreachable. By Google's rules that begins
    // when the site has not answered for 12 hours.
    for (profile, captured, today) in [("rfc9309", &both[..], &both[..]), ("google", &fresh, "")] {
        let filter = |options: &[std::ffi::OsString]| {
            let all = args!["filter", "--agent", "x", "--profile", profile];
            run_with([&all, options].concat(), input.as_bytes())
        };
        filter(&args!["--store", &store]).gives(0, today);
        filter(&args!["--store", &store, "--as-of", "now"]).gives(0, today);
        filter(&args!["--store", &store, "--as-of", "capture"]).gives(0, captured);
        filter(&args!["--store", &store, "--as-of", &then]).gives(0, captured);
        for (as_of, wanted) in
            [(None, captured), (Some("now"), today), (Some(&before[..]), captured)]
        {
            let pack = folder.path(&format!("{profile} {as_of:?}"));
            let mut all = args!["pack", "--profile", profile, "--agent", "x", "-o", &pack].to_vec();
            all.extend(as_of.map(|time| args!["--as-of", time]).into_iter().flatten());
            all.extend(args!["--warc", &warc]);
            run(all).gives(0, "");
            filter(&args!["--pack", &pack]).gives(0, wanted);
        }
        let explain = |time: &str| {
            let ran = run(args![
                "explain",
                "--profile",
                profile,
                "--as-of",
                time,
                &store,
                "x",
                "https://fresh.example/x"
            ]);
            ran.status
        };
        assert_eq!(explain("capture"), 0);
        assert_eq!(explain("now"), i32::from(today.is_empty()));
    }
}

/// Each damage costs one record, is told with its place, and changes the exit status.
#[test]
fn damaged_records_are_told_and_the_rest_is_imported() {
    let folder = Folder::new();
    let records: Vec<Vec<u8>> = (0..20)
        .map(|number| answer(&format!("http://h{number}.example/robots.txt"), "200 OK", RULES))
        .collect();
    let count = |path: &Path| all_of(path).len();
    type Damage = fn(&mut Vec<u8>);
    let damages: [(&str, Damage); 7] = [
        ("cut", |record| record.truncate(record.len() / 2)),
        ("another length", |record| {
            let at = record.windows(14).position(|part| part == b"Content-Length").unwrap();
            record[at + 16] += 1;
        }),
        ("a huge length", |record| {
            let at = record.windows(16).position(|part| part == b"Content-Length: ").unwrap() + 16;
            record.splice(at..at, *b"999999999999999");
        }),
        ("no length", |record| {
            let at = record.windows(14).position(|part| part == b"Content-Length").unwrap();
            record[at] = b'X';
        }),
        ("no version", |record| record[3] = b'X'),
        ("no head", |record| *record = [&b"WARC/1.0\r\n"[..], &[b'x'; 100_000]].concat()),
        ("no answer", |record| {
            let at = record.windows(8).position(|part| part == b"HTTP/1.1").unwrap();
            record[at] = b'X';
        }),
    ];
    for (name, damage) in damages {
        let mut damaged = records.clone();
        damage(&mut damaged[7]);
        let offset: usize = damaged[..7].iter().map(Vec::len).sum();
        let plain = folder.file("d.warc", damaged.concat());
        let members: Vec<Vec<u8>> = damaged.iter().map(|record| gzip(record)).collect();
        let member_offset: usize = members[..7].iter().map(Vec::len).sum();
        let packed = folder.file("d.warc.gz", members.concat());
        let (first, second) = (format!("{name} plain"), format!("{name} packed"));
        let ran = import(&folder, &plain, &first);
        ran.fails(3, &format!("byte {offset}: ")).says("1 record is damaged");
        // Whatever its length says; but of plain text the next record is lost as well if it does not
        // begin on a line of its own.
        let wanted = if matches!(name, "cut" | "no head") { 18 } else { 19 };
        assert_eq!(count(&folder.path(&first)), wanted, "{name}");
        let ran = import(&folder, &packed, &second);
        ran.fails(3, &format!("byte {member_offset}: ")).says("1 record is damaged");
        assert_eq!(count(&folder.path(&second)), 19, "{name}");
    }
    // Damage to the compressed bytes themselves.
    let members: Vec<Vec<u8>> = records.iter().map(|record| gzip(record)).collect();
    for at in [0, 1, 2, 3, 9, 12, 40, members[7].len() - 6, members[7].len() - 1] {
        let mut damaged = members.clone();
        damaged[7][at] ^= 0x55;
        let packed = folder.file("e.warc.gz", damaged.concat());
        let store = format!("bytes {at}");
        let ran = import(&folder, &packed, &store);
        let found = count(&folder.path(&store));
        let is_told = ran.status == 3 && ran.err.contains("byte ");
        // The flags and the time of a member matter to nobody.
        assert!(found == 19 && is_told || found == 20 && ran.status == 0, "{at}: {found} {ran:?}");
    }
    let cut = members.concat();
    let packed = folder.file("f.warc.gz", &cut[..cut.len() - 20]);
    import(&folder, &packed, "cut off").fails(3, "byte ");
    assert_eq!(count(&folder.path("cut off")), 19);
    // What the store knew, which no longer can be read.
    let state = OriginState::unknown(Timestamp::now());
    Store::open(folder.path("from")).unwrap().put("http://a.example", &state, None).unwrap();
    let whole = String::from_utf8(export(&folder, "from", "state.warc")).unwrap();
    let ran = import(
        &folder,
        &folder.file("g.warc", whole.replace("\"state\":{", "\"state\":[")),
        "no JSON",
    );
    ran.fails(3, "its state is no valid JSON").says("no store was made");
    // What stood before does not hold if the newer file, which the store had, is another one.
    let body: &[u8] = b"User-agent: *\nDisallow: /\n";
    let copy = OriginState::present(CachedCopy::new(body, Timestamp::now()));
    Store::open(folder.path("had")).unwrap().put("http://a.example", &copy, Some(body)).unwrap();
    let other = String::from_utf8(export(&folder, "had", "had.warc")).unwrap();
    let other = other.replace("Disallow: /\n", "Disallow: \n");
    let before = answer("http://a.example/robots.txt", "200 OK", b"");
    let warc = folder.file("h.warc", [&before[..], other.as_bytes()].concat());
    import(&folder, &warc, "other")
        .fails(3, "the body of http://a.example is missing or another one");
    assert!(all_of(&folder.path("other"))[0].1.0.is_unknown());
    let pack = folder.path("other.pack");
    run(args!["pack", "--warc", &warc, "--agent", "a", "-o", &pack]).fails(3, "it is unknown");
    run_with(args!["filter", "--pack", &pack, "--format", "tsv"], b"http://a.example/\n")
        .gives(0, "unknown\thttp://a.example/\n");
    let ran = import(&folder, &folder.file("text", "no warc\n"), "from text");
    ran.fails(3, "no record begins here");
}

/// Whatever a file says, memory stays within a bound.
#[cfg(unix)]
#[test]
fn no_record_takes_more_than_its_bound() {
    let folder = Folder::new();
    let big = vec![b'\n'; 200 << 20];
    let huge = answer("http://huge.example/robots.txt", "200 OK", &big);
    let bomb =
        answer("http://bomb.example/robots.txt", "200 OK\r\nContent-Encoding: gzip", &gzip(&big));
    let head = [&b"WARC/1.0\r\nWARC-Type: "[..], &big].concat();
    let claim = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http\r\n\
        Content-Length: 18446744073709551615\r\n\r\nHTTP/1.1 200 OK\r\n\r\n";
    let last = answer("http://last.example/robots.txt", "200 OK", RULES);
    let records = [&huge[..], &bomb, &head, claim, &last].map(gzip);
    let warc = folder.file("h.warc.gz", records.concat());
    // 700 MB of addresses, of which the program and its threads need 300.
    let mut shell = crate::command::in_shell("ulimit -v 700000; exec \"$0\" \"$@\"");
    shell.args(["store", "import"]).arg(folder.path("s")).arg("--warc").arg(&warc);
    let ran = shell.output().unwrap();
    let said = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(3), "{said}");
    assert!(said.contains("2 records are damaged"), "{said}");
    let found = all_of(&folder.path("s"));
    let keys: Vec<&str> = found.iter().map(|(key, _)| &key[..]).collect();
    assert_eq!(keys, ["http://bomb.example", "http://huge.example", "http://last.example"]);
    assert!(found[..2].iter().all(|(_, (state, _))| state.copy.as_ref().unwrap().is_truncated));
}

/// What http says beside https is in a folder of its own, and comes back.
#[test]
fn folders_keep_http_beside_https() {
    let folder = Folder::new();
    let store = Store::open(folder.path("s")).unwrap();
    let put = |key: &str, body: &[u8]| {
        let state = OriginState::present(CachedCopy::new(body, Timestamp::now()));
        store.put(key, &state, Some(body)).unwrap();
    };
    put("https://both.example", b"User-agent: *\nDisallow: /s\n");
    put("http://both.example", b"User-agent: *\nDisallow: /p\n");
    put("ftp://both.example", b"User-agent: *\nDisallow: /f\n");
    put("https://same.example", RULES);
    put("http://same.example", RULES);
    put("http://one.example:8080", RULES);
    drop(store);
    let out = folder.path("out");
    let ran = run(args!["store", "export", folder.path("s"), "--robots-dir", &out]);
    ran.gives(0, "").says("2 origins have a file of their own").says("exported 3 of 3");
    let read = |name: &str| fs::read_to_string(out.join(name)).ok();
    assert_eq!(read("both.example").unwrap(), "User-agent: *\nDisallow: /s\n");
    assert_eq!(read("http/both.example").unwrap(), "User-agent: *\nDisallow: /p\n");
    assert_eq!(read("ftp/both.example").unwrap(), "User-agent: *\nDisallow: /f\n");
    assert_eq!(read("http/same.example"), None);
    let import = run(args!["store", "import", folder.path("t"), "--robots-dir", &out]);
    import.gives(0, "").says("origins 7 ");
    let bodies: Vec<_> =
        all_of(&folder.path("t")).into_iter().map(|(key, (_, body))| (key, body)).collect();
    for (key, (_, body)) in all_of(&folder.path("s")) {
        assert!(bodies.contains(&(key.clone(), body)), "{key}");
    }
    // Nothing but robots.txt files is in the folder.
    let mut names: Vec<_> =
        fs::read_dir(&out).unwrap().map(|file| file.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["both.example", "ftp", "http", "one.example:8080", "same.example"]);
}

/// While this process writes to a store, others read it, and do not stop it.
/// Of https nothing is known then, so http does not speak for it; and what an earlier export wrote no longer holds.
#[test]
fn folders_keep_nothing_that_the_store_does_not_know() {
    let folder = Folder::new();
    let (path, out) = (folder.path("s"), folder.path("out"));
    let no: &[u8] = b"User-agent: *\nDisallow: /\n";
    let present = |body: &[u8]| OriginState::present(CachedCopy::new(body, Timestamp::now()));
    let put = |rows: &[(&str, Option<&[u8]>)]| {
        let store = Store::open(&path).unwrap();
        for (key, body) in rows {
            let unknown = || OriginState::unknown(Timestamp::now());
            store.put(key, &body.map_or_else(unknown, present), *body).unwrap();
        }
    };
    let export = || run(args!["store", "export", &path, "--robots-dir", &out]);
    let names = || {
        let walked = [".", "http", "ftp"].map(|name| {
            let files = fs::read_dir(out.join(name)).into_iter().flatten().map(Result::unwrap);
            let files = files.filter(|file| file.path().is_file());
            files.map(|file| format!("{name}/{}", file.file_name().display())).collect::<Vec<_>>()
        });
        let mut names = walked.concat();
        names.sort_unstable();
        names
    };
    put(&[
        ("https://a.example", Some(b"")),
        ("http://a.example", Some(no)),
        ("https://b.example", Some(b"")),
    ]);
    export().gives(0, "").says("exported 2 of 2");
    fs::write(out.join("other.example"), "").unwrap();
    assert_eq!(names(), ["./a.example", "./b.example", "./other.example", "http/a.example"]);
    put(&[
        ("https://a.example", Some(no)),
        ("https://b.example", None),
        ("https://c.example", None),
        ("http://c.example", Some(b"")),
    ]);
    export().gives(0, "").says("exported 2 of 2").says("removed 2 files");
    assert_eq!(names(), ["./a.example", "./other.example", "http/c.example"]);
    let urls = b"https://a.example/\nhttps://b.example/\nhttps://c.example/\n";
    let filter = args!["filter", "--robots-dir", &out, "--agent", "x", "--format", "tsv"];
    let ran = run_with(filter, urls);
    let out = String::from_utf8(ran.out).unwrap();
    let said: Vec<_> = out.lines().map(|line| line.split('\t').next().unwrap()).collect();
    assert_eq!(said, ["disallow", "unknown", "unknown"]);
}

#[test]
fn stores_are_read_while_they_are_written() {
    let folder = Folder::new();
    let path = folder.path("s");
    let store = Store::open(&path).unwrap();
    let state = OriginState::present(CachedCopy::new(RULES, Timestamp::now()));
    for round in 0..4 {
        store.put(&format!("https://host{round}.example"), &state, Some(RULES)).unwrap();
        let get = run(args!["store", "get", "--body", &path, "https://host0.example/"]);
        get.gives(0, RULES);
        assert!(
            String::from_utf8(run(args!["store", "stat", &path]).out)
                .unwrap()
                .contains(&format!("origins\t{}\n", round + 1))
        );
        assert_eq!(run(args!["store", "verify", &path]).status, 0);
        let urls = b"https://host0.example/a\nhttps://host0.example/b\n";
        let filter = args!["filter", "--store", &path, "--agent", "x"];
        let allowed = run_with(filter, urls);
        allowed.gives(0, "https://host0.example/b\n");
        export(&folder, "s", &format!("{round}.warc"));
        // Whoever wants to write is told.
        run(args!["store", "compact", &path]).fails(3, "in use");
    }
    // After a crash nothing has to be done first, and nothing is changed, also on a disk that
    // cannot be written.
    let crashed = folder.path("crashed");
    fs::copy(&path, &crashed).unwrap();
    drop(store);
    let mut permissions = fs::metadata(&crashed).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&crashed, permissions).unwrap();
    let before = fs::read(&crashed).unwrap();
    run(args!["store", "get", "--body", &crashed, "https://host3.example/"]).gives(0, RULES);
    assert_eq!(run(args!["store", "verify", &crashed]).status, 0);
    assert!(before == fs::read(&crashed).unwrap());
}

/// What a filter says of an http URL on `cut.example`, by a store.
fn verdict(store: &Path, path: &str) -> String {
    let url = format!("http://cut.example/{path}\n");
    let args = args!["filter", "--store", store, "--agent", "x", "--format", "tsv"];
    let out = String::from_utf8(run_with(args, url.as_bytes()).out).unwrap();
    out.split('\t').next().unwrap_or_default().to_owned()
}

/// Half a line would be another rule: `Allow: /` of `Allow: /public/page`.
#[test]
fn answers_that_were_cut_open_nothing() {
    let folder = Folder::new();
    let url = "http://cut.example/robots.txt";
    let now = std::time::SystemTime::now();
    let date = humantime::format_rfc3339_seconds(now).to_string();
    let whole = b"User-agent: *\nDisallow: /\nAllow: /public/page\n";
    let cut = &whole[..whole.len() - "public/page\n".len()];
    let answer = |head: &str, body: &[u8]| {
        let block = [format!("HTTP/1.1 {head}\r\n\r\n").as_bytes(), body].concat();
        record("response", url, &date, &block)
    };
    let with = |reason: &str, record: Vec<u8>| {
        let name = format!("WARC/1.0\r\nWARC-Truncated: {reason}\r\n");
        [name.as_bytes(), record.strip_prefix(b"WARC/1.0\r\n").unwrap()].concat()
    };
    let packed = gzip(whole);
    let long = [&whole[..26], &b"# comment\n".repeat(7_000_000), b"Allow: /"].concat();
    let at = (64 << 20) - "Allow: /".len();
    let long = [&long[..at - 1], b"\nAllow: /public/page\n"].concat();
    let chunk = b"2E\r\nUser-agent: *\nDisallow: /\nAllow: /";
    let resource = |reason: &str| with(reason, record("resource", url, &date, cut));
    let length = format!("200 OK\r\nContent-Length: {}", whole.len());
    let limit = [
        with("length", answer("200 OK", cut)),
        with("Length", answer(&length, cut)),
        with("length", answer("200 OK\r\nTransfer-Encoding: chunked", chunk)),
        resource("length"),
        answer("200 OK", &long),
        with("length", answer("200 OK\r\nContent-Encoding: gzip", &gzip(cut))),
    ];
    let early = [
        with("time", answer("200 OK", cut)),
        with("disconnect", answer("200 OK", cut)),
        with("unspecified", answer("200 OK", cut)),
        answer(&length, cut),
        answer("200 OK\r\nTransfer-Encoding: chunked", chunk),
        answer("200 OK\r\nTransfer-Encoding: chunked", b"2"),
        answer(
            "200 OK\r\nTransfer-Encoding: chunked",
            b"22\r\nUser-agent: *\nDisallow: /\nAllow: /\r\n",
        ),
        resource("time"),
    ];
    let encoding = [
        answer("200 OK\r\nContent-Encoding: gzip", &packed[..packed.len() - 9]),
        answer("200 OK\r\nContent-Encoding: gzip", &packed[..packed.len() / 2]),
    ];
    let mut number = 0;
    let mut import_of = |record: &[u8]| {
        number += 1;
        let store = format!("s{number}");
        let warc = folder.file("w.warc", record);
        import(&folder, &warc, &store).gives(0, "").says("origins 1 ");
        let store = folder.path(&store);
        assert_eq!(verdict(&store, "private"), "disallow", "{number}");
        all_of(&store).remove(0).1
    };
    for record in limit {
        let (state, body) = import_of(&record);
        assert!(state.copy.unwrap().is_truncated);
        let body = body.unwrap();
        assert!(body.starts_with(&whole[..26]) && body.ends_with(b"\n") && body.len() <= 64 << 20);
        assert!(!body.windows(6).any(|part| part == b"Allow:"));
    }
    for record in early {
        let broken = Failure::Broken("end of file before message length reached".into());
        assert_eq!(import_of(&record).0.last, Outcome::Unreachable(Cause::Failure(broken)));
    }
    let nothing_left = with("length", answer("200 OK", b"User-agent"));
    let broken = Failure::Broken("the file was cut off before its first line ended".into());
    assert_eq!(import_of(&nothing_left).0.last, Outcome::Unreachable(Cause::Failure(broken)));
    for record in encoding {
        let last = import_of(&record).0.last;
        assert!(matches!(last, Outcome::Unreachable(Cause::Failure(Failure::Encoding(_)))));
    }
    // A whole answer is used as it is, and its last line needs no end.
    let (state, _) = import_of(&answer(&length, whole));
    assert!(!state.copy.unwrap().is_truncated);
    assert_eq!(verdict(&folder.path(&format!("s{number}")), "public/page"), "allow");
    // Bodies of other answers are not the file, however they end.
    let warc = folder.file("w.warc", with("time", answer("404 Not Found", b"<ht")));
    import(&folder, &warc, "other").gives(0, "");
    let other = all_of(&folder.path("other")).remove(0).1.0.last;
    assert_eq!(other, Outcome::Absent(Cause::Status(404)));
    // What a gzip body has in UTF-16 is the rules, too.
    let text = String::from_utf8(whole.to_vec()).unwrap();
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    let wide: Vec<u8> = units.flat_map(u16::to_le_bytes).collect();
    let warc = folder.file("w.warc", answer("200 OK\r\nContent-Encoding: gzip", &gzip(&wide)));
    import(&folder, &warc, "wide").gives(0, "");
    assert_eq!(verdict(&folder.path("wide"), "private"), "disallow");
}

#[test]
fn dates_in_the_future_come_from_a_wrong_clock() {
    let folder = Folder::new();
    let url = "http://a.example/robots.txt";
    let ok = [&b"HTTP/1.1 200 OK\r\n\r\n"[..], RULES].concat();
    let now = record("response", url, DATE, &ok);
    let gone = |date: &str| record("response", url, date, b"HTTP/1.1 404 Not Found\r\n\r\n");
    let future = gone("2231-01-10T12:00:00Z");
    for (name, records) in
        [("before", [&future[..], &now].concat()), ("after", [&now[..], &future].concat())]
    {
        let warc = folder.file("w.warc", records);
        import(&folder, &warc, name).fails(3, "in the future").says("1 record is damaged");
        let (state, body) = all_of(&folder.path(name)).remove(0).1;
        assert_eq!((state.last, body.as_deref()), (Outcome::Present, Some(RULES)));
    }
    // Older answers change nothing, newer ones do.
    let warc = folder.file("w.warc", gone("2025-12-10T12:00:00Z"));
    import(&folder, &warc, "after").gives(0, "").says("knows 1 answers from a later time");
    assert_eq!(all_of(&folder.path("after"))[0].1.0.last, Outcome::Present);
    let warc = folder.file("w.warc", gone("2026-01-11T12:00:00Z"));
    import(&folder, &warc, "after").gives(0, "");
    assert_eq!(all_of(&folder.path("after"))[0].1.0.last, Outcome::Absent(Cause::Status(404)));
    // A state from a wrong clock gives way to an answer with a true date, and never replaces one.
    let store = Store::open(folder.path("wrong")).unwrap();
    let wrong = state(8_200_000_000, Outcome::Absent(Cause::Status(410)));
    store.put("http://a.example", &wrong, None).unwrap();
    drop(store);
    export(&folder, "wrong", "wrong.warc");
    import(&folder, &folder.path("wrong.warc"), "after").gives(0, "").says("1 answers");
    assert_eq!(all_of(&folder.path("after"))[0].1.0.last, Outcome::Absent(Cause::Status(404)));
    import(&folder, &folder.file("w.warc", &now), "wrong").gives(0, "");
    assert_eq!(all_of(&folder.path("wrong"))[0].1.0.last, Outcome::Present);
}

/// A store with these robots.txt files.
fn store_of(folder: &Folder, name: &str, files: &[(&str, &[u8])]) -> std::path::PathBuf {
    let path = folder.path(name);
    let store = Store::open(&path).unwrap();
    for (key, body) in files {
        let state = OriginState::present(CachedCopy::new(body, Timestamp::now()));
        store.put(key, &state, Some(body)).unwrap();
    }
    path
}

/// A pack keeps schemes apart, as a store does.
#[test]
fn a_pack_allows_nothing_that_its_store_disallows() {
    let folder = Folder::new();
    let open = b"User-agent: *\nAllow: /\n";
    let store = store_of(
        &folder,
        "s",
        &[
            ("https://both.example", open),
            ("http://both.example", b"User-agent: *\nDisallow: /\n"),
            ("https://same.example", RULES),
            ("http://same.example", RULES),
        ],
    );
    let pack = folder.path("p");
    let ran = run(args!["store", "export", &store, "--pack", &pack, "--agent", "x"]);
    ran.gives(0, "").says("origins 4 files 3 ");
    let urls = b"http://both.example/\nhttps://both.example/\nhttp://same.example/b\n";
    let filter =
        |kind: &str, path: &Path| run_with(args!["filter", kind, path, "--agent", "x"], urls);
    filter("--store", &store).gives(0, "https://both.example/\nhttp://same.example/b\n");
    filter("--pack", &pack).gives(0, "https://both.example/\nhttp://same.example/b\n");
}

/// The folders `http` and `ftp` are not in the way of hosts with these names.
#[test]
fn hosts_with_the_names_of_schemes() {
    let folder = Folder::new();
    let no = b"User-agent: *\nDisallow: /\n";
    let files: [(&str, &[u8]); 5] = [
        ("https://http", RULES),
        ("http://http", no),
        ("https://ftp", no),
        ("https://a.example", RULES),
        ("http://a.example", no),
    ];
    let store = store_of(&folder, "s", &files);
    let out = folder.path("out");
    for _ in 0..2 {
        let ran = run(args!["store", "export", &store, "--robots-dir", &out]);
        ran.gives(0, "").says("exported 3 of 3");
    }
    assert_eq!(fs::read(out.join("http.txt")).unwrap(), RULES);
    assert_eq!(fs::read(out.join("http/http.txt")).unwrap(), no);
    run(args!["store", "import", folder.path("t"), "--robots-dir", &out]).gives(0, "");
    let found = all_of(&folder.path("t"));
    for (key, body) in files {
        let (_, (_, found)) = found.iter().find(|(found, _)| found == key).unwrap();
        assert_eq!(found.as_deref(), Some(body), "{key}");
    }
    let filter = args!["filter", "--robots-dir", &out, "--agent", "x"];
    run_with(filter, b"https://http/a\nhttps://http/b\nhttps://ftp/\n")
        .gives(0, "https://http/b\n");
}

/// Nobody has read what is compressed and does not say so: it is a broken answer in every archive.
#[test]
fn compressed_bodies_open_nothing() {
    let folder = Folder::new();
    let ok = |host: &str, head: &str, body: &[u8]| {
        answer(&format!("https://{host}.example/robots.txt"), &format!("200 OK{head}"), body)
    };
    let encoded = "\r\nContent-Encoding: gzip";
    let warc = [
        ok("gzip", "", &gzip(RULES)),
        ok("zstd", "", &zstd::encode_all(RULES, 1).unwrap()),
        ok("twice", encoded, &gzip(&gzip(RULES))),
        ok("behind", encoded, &[&gzip(b"# x\n")[..], RULES].concat()),
        ok("padded", encoded, &[&gzip(b"# x\n")[..], b"\r\n\0"].concat()),
    ];
    let warc = folder.file("w.warc", warc.concat());
    // The first bytes of gzip.
    let line = "{\"url\":\"https://line.example\",\"status\":200,\"body_base64\":\"H4sI\"}\n";
    let jsonl = folder.file("l.jsonl", line);
    let (pack, store) = (folder.path("p"), folder.path("s"));
    let made = args!["pack", "--warc", &warc, "--jsonl", &jsonl, "--agent", "x", "-o", &pack];
    run(made).gives(0, "");
    run(args!["store", "import", &store, "--warc", &warc]).gives(0, "").says("origins 5 ");
    let urls = |hosts: &[&str]| {
        hosts.iter().map(|host| format!("https://{host}.example/\n")).collect::<String>()
    };
    let unread = urls(&["gzip", "zstd", "twice", "behind"]);
    let wanted =
        |urls: &str| urls.lines().map(|url| format!("disallow\t{url}\n")).collect::<String>();
    let filter = |source: &[std::ffi::OsString], urls: &str| {
        let first = args!["filter", "--missing", "allow", "--format", "tsv"].into_iter();
        run_with(first.chain(source.iter().cloned()), urls.as_bytes())
    };
    let line = urls(&["line"]);
    filter(&args!["--pack", &pack], &(unread.clone() + &line))
        .gives(0, wanted(&(unread.clone() + &line)));
    let of_store = args!["--store", &store, "--as-of", "capture", "--agent", "x"];
    filter(&of_store, &unread).gives(0, wanted(&unread));
    filter(&of_store, &urls(&["padded"])).gives(0, "allow\thttps://padded.example/\n");
    run(args!["store", "get", &store, "https://gzip.example/"])
        .prints("the file is compressed with gzip, which the headers do not say");
}

#[test]
fn bodies_that_are_no_text_stay_out_of_folders() {
    let folder = Folder::new();
    let packed = gzip(RULES);
    let smaller = zstd::encode_all(RULES, 1).unwrap();
    let files: [(&str, &[u8]); 3] = [
        ("https://a.example", RULES),
        ("https://gzip.example", &packed),
        ("https://zstd.example", &smaller),
    ];
    let store = store_of(&folder, "s", &files);
    let out = folder.path("out");
    let ran = run(args!["store", "export", &store, "--robots-dir", &out]);
    ran.fails(
        3,
        "left out: 2, whose bytes are no text: https://gzip.example, https://zstd.example",
    );
    ran.says("exported 1 of 3");
    let names: Vec<_> = fs::read_dir(&out).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names, ["a.example"]);
}

#[test]
fn a_failed_import_leaves_no_store() {
    let folder = Folder::new();
    let none = folder.path("s");
    let cut = answer("http://a.example/robots.txt", "200 OK", RULES);
    for file in [
        folder.file("text", "no warc\n"),
        folder.file("cut", &cut[..cut.len() - 10]),
        folder.file("packed", gzip(b"no warc\n")),
        folder.path("missing"),
    ] {
        let ran = import(&folder, &file, "s");
        ran.fails(3, "no store was made").says(&file.display().to_string());
        assert!(!none.exists(), "{}", file.display());
    }
    let robots = folder.path("robots");
    fs::create_dir(&robots).unwrap();
    fs::write(robots.join("a.example"), gzip(RULES)).unwrap();
    let import = || run(args!["store", "import", &none, "--robots-dir", &robots]);
    import().fails(3, "no store was made").says("compressed with gzip");
    assert!(!none.exists());
    // What can be read is imported.
    fs::write(robots.join("b.example"), RULES).unwrap();
    import().fails(3, "what its host says counts as unknown");
    let found = all_of(&none);
    let unknown = found.iter().filter(|(_, (state, _))| state.last == Outcome::Unknown);
    assert_eq!((found.len(), unknown.count()), (4, 2));
}

/// An answer of `https://s.example` at a day of January 2026.
fn of_day(day: u32, head: &str, body: &[u8]) -> Vec<u8> {
    let block = [format!("HTTP/1.1 {head}\r\n\r\n").as_bytes(), body].concat();
    let date = format!("2026-01-{day:02}T00:00:00Z");
    record("response", "https://s.example/robots.txt", &date, &block)
}

const LOST: &str = "301 Moved\r\nLocation: https://nowhere.example/robots.txt";
const SITE: &str = "https://s.example";

/// A store keeps since when a site is unknown, so nothing older counts, in whatever order archives are imported.
#[test]
fn what_is_unknown_stays_so_until_the_site_answers() {
    let folder = Folder::new();
    let days = |days: &[(u32, &str)]| -> Vec<u8> {
        days.iter().flat_map(|(day, head)| of_day(*day, head, RULES)).collect()
    };
    let mut number = 0;
    let mut store_of = |imports: &[Vec<u8>]| {
        number += 1;
        let name = format!("s{number}");
        for records in imports {
            import(&folder, &folder.file("w.warc", records), &name).gives(0, "");
        }
        (name.clone(), all_of(&folder.path(&name)).remove(0).1.0)
    };
    let (ok, gone, busy) = ("200 OK", "404 Not Found", "503 Busy");
    let day = |day: u64| Timestamp(1_767_225_600 + (day - 1) * 86_400);
    for (answers, until) in [
        (vec![(9, LOST), (5, ok)], 9),
        (vec![(9, LOST), (5, gone)], 9),
        // A failure after it says nothing, and is the newest.
        (vec![(9, LOST), (11, busy), (10, gone)], 11),
        (vec![(11, busy), (9, LOST), (5, ok)], 11),
        (vec![(5, ok), (9, LOST)], 9),
    ] {
        let imports: Vec<_> = answers.iter().map(|answer| days(&[*answer])).collect();
        let (name, state) = store_of(&imports);
        assert_eq!(state, OriginState::unknown(day(until)), "{answers:?}");
        let store = folder.path(&name);
        let get = run(args!["store", "get", &store, SITE]);
        get.gives(0, get.out.clone());
        let told = String::from_utf8(get.out).unwrap();
        assert!(told.contains("holds\tunknown\n"), "{told}");
        assert!(told.contains("outcome\tits answer leads to what is not known\n"), "{told}");
        let stat = String::from_utf8(run(args!["store", "stat", &store]).out).unwrap();
        assert!(stat.contains("unreachable\t0\nunknown\t1\n"), "{stat}");
        // It is exported, and comes back.
        let exported = export(&folder, &name, "out.warc");
        let again = format!("{name}-again");
        import(&folder, &folder.path("out.warc"), &again).gives(0, "");
        assert_eq!(all_of(&folder.path(&again))[0].1.0, state);
        assert!(export(&folder, &again, "again.warc") == exported);
        let robots = folder.path(&format!("{name}-robots"));
        let ran = run(args!["store", "export", &store, "--robots-dir", &robots]);
        ran.gives(0, "").says("exported 0 of 0");
        // And everybody says that it is unknown.
        let pack = |kind: &str, path: &Path| {
            let pack = folder.path(&format!("{name}{kind}.pack"));
            run(args!["pack", kind, path, "--agent", "x", "-o", &pack]).gives(0, "");
            pack
        };
        let url = format!("{SITE}/b\n");
        for from in [
            args!["--store", &store],
            args!["--pack", pack("--store", &store)],
            args!["--pack", pack("--warc", &folder.path("out.warc"))],
        ] {
            let args = [&args!["filter", "--agent", "x", "--format", "tsv"][..], &from].concat();
            run_with(args, url.as_bytes()).gives(0, format!("unknown\t{url}"));
        }
    }
    // Until the site answers.
    for (answers, last) in [
        ([(9, LOST), (10, ok)], Outcome::Present),
        ([(10, gone), (9, LOST)], Outcome::Absent(Cause::Status(404))),
    ] {
        assert_eq!(store_of(&answers.map(|answer| days(&[answer]))).1.last, last);
    }
}

/// A file from before the site had none does not come back while the site is unreachable.
#[test]
fn files_from_before_there_was_none() {
    let folder = Folder::new();
    let (ok, gone, busy) = ("200 OK", "404 Not Found", "503 Busy");
    for (number, (days, path)) in [
        ([(5, gone), (9, busy), (3, ok)], "b"),
        ([(9, busy), (5, gone), (3, ok)], "b"),
        ([(9, busy), (3, ok), (5, gone)], "b"),
        ([(9, busy), (5, ok), (3, gone)], "a"),
    ]
    .into_iter()
    .enumerate()
    {
        let store = format!("s{number}");
        for (day, head) in days {
            let warc = folder.file("w.warc", of_day(day, head, RULES));
            import(&folder, &warc, &store).gives(0, "");
            // It is kept in an export, too.
            export(&folder, &store, "out.warc");
            fs::remove_file(folder.path(&store)).unwrap();
            import(&folder, &folder.path("out.warc"), &store).gives(0, "");
        }
        let (state, _) = all_of(&folder.path(&store)).remove(0).1;
        assert!(matches!(state.last, Outcome::Unreachable(_)), "{days:?}");
        assert_eq!(state.copy.is_some(), path == "a", "{days:?}");
        let filter =
            args!["filter", "--store", folder.path(&store), "--agent", "x", "--format", "tsv"];
        let url = format!("{SITE}/{path}\n");
        run_with(filter, url.as_bytes()).gives(0, format!("disallow\t{url}"));
    }
}

/// Nothing is no file: it would allow all.
#[test]
fn no_body_is_printed_for_a_site_without_one() {
    let folder = Folder::new();
    let busy = answer("https://busy.example/robots.txt", "503 Busy", b"");
    let warc = folder.file("busy.warc", busy);
    import(&folder, &warc, "s").gives(0, "");
    let ran = run(args!["store", "get", "--body", folder.path("s"), "https://busy.example/"]);
    assert_eq!((ran.status, ran.out.len()), (1, 0), "{ran:?}");
    ran.says("the store has no robots.txt of https://busy.example: ");
}
