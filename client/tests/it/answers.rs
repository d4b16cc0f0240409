//! `docs/answers.md`: what each answer of a server means in each protocol, as the library says.
//!
//! `UPDATE_DOCS=1 cargo test -p robotsieve-client --test it answers` updates the page.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use http::HeaderValue;
use http::header::{AGE, CACHE_CONTROL, DATE, EXPIRES, HeaderName, RETRY_AFTER};
use robotsieve::{Profile, SiteKind};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{
    AsOf, Attempt, CachedCopy, Event, Failure, LocalFault, LocalKind, OriginState, Outcome,
    Protocol, Redirect, Response, Ruling, Said, Stage,
};

const START: Timestamp = Timestamp(1_700_000_000);
const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const LATER: Duration = Duration::from_secs(13 * HOUR);
const MUCH_LATER: Duration = Duration::from_secs(31 * DAY);
const PROTOCOLS: [(&str, Protocol); 3] = [
    ("RFC9309", Protocol::RFC9309),
    ("GOOGLE", Protocol::GOOGLE),
    ("GOOGLE_CLASSIC", Protocol::GOOGLE_CLASSIC),
];
const RULES: &str = "User-agent: *\nDisallow: /private\n";

/// An answer: its name on the page, and the attempt that brings it.
struct Answer {
    name: String,
    attempt: Attempt,
}

impl Answer {
    fn new(name: impl Into<String>, result: Result<Response, Failure>) -> Answer {
        Answer { name: name.into(), attempt: Attempt::new(START, result) }
    }

    fn status(status: u16) -> Answer {
        Answer::new(status.to_string(), Ok(Response::new(status, RULES)))
    }

    fn with(mut self, name: HeaderName, value: &'static str) -> Answer {
        write!(self.name, " with `{}: {value}`", titled(&name)).unwrap();
        let response = self.attempt.result.as_mut().expect("an answer");
        response.headers.append(name, HeaderValue::from_static(value));
        self
    }

    fn redirected(name: &str, times: usize, result: Result<Response, Failure>) -> Answer {
        let to = |hop| Redirect::new(301, format!("https://example.com/{hop}"));
        let answer = Answer::new(name, result);
        let attempt = answer.attempt.with_redirects((0..times).map(to).collect());
        Answer { name: answer.name, attempt }
    }

    fn at(&self, at: Timestamp) -> Attempt {
        let mut attempt = self.attempt.clone();
        attempt.at = at;
        attempt
    }
}

/// `cache-control` as `Cache-Control`.
fn titled(name: &HeaderName) -> String {
    let words = name.as_str().split('-').map(|word| word[..1].to_uppercase() + &word[1..]);
    words.collect::<Vec<_>>().join("-")
}

fn answers() -> Vec<Answer> {
    let failed = |name: &str, failure| Answer::new(name, Err(failure));
    let login = |name: &str, is_confirmed| {
        let Answer { attempt, .. } = Answer::status(511);
        Answer { name: name.to_owned(), attempt: attempt.confirmed(is_confirmed) }
    };
    let text = String::new;
    let ok = || Ok(Response::new(200, RULES));
    let address = [10, 0, 0, 1].into();
    let fault = LocalFault::new(LocalKind::Descriptors, "");
    let mut all: Vec<Answer> = [200, 203, 204, 299].map(Answer::status).into();
    all.push(Answer::redirected("200 after 5 redirects", 5, ok()));
    all.extend([400, 401, 403, 404, 405, 410, 418, 451, 499, 300, 305].map(Answer::status));
    all.extend([
        Answer::redirected("200 after 6 redirects", 6, ok()),
        Answer::redirected("more redirects", 5, Err(Failure::TooManyRedirects)),
        Answer::redirected("redirects in a loop", 2, Err(Failure::RedirectLoop)),
        failed("redirect to another scheme", Failure::BadRedirect(text())),
        failed("redirect without `Location`", Failure::BadRedirect(text())),
    ]);
    all.push(Answer::status(429));
    all.push(Answer::status(429).with(RETRY_AFTER, "3600"));
    all.extend([500, 501, 502, 503, 504, 599].map(Answer::status));
    all.push(login("511 while others answer", true));
    all.push(login("511 while nobody else answers", false));
    all.push(Answer::redirected("503 after 1 redirect", 1, Ok(Response::new(503, ""))));
    all.push(Answer::status(503).with(RETRY_AFTER, "1"));
    all.extend([206, 304, 103, 199, 600, 999].map(Answer::status));
    all.extend([
        failed("name without address", Failure::Dns(text())),
        Answer::redirected(
            "redirect to an address that is not public",
            1,
            Err(Failure::Refused(address)),
        ),
        failed("no connection", Failure::Connect(text())),
        failed("TLS failure", Failure::Tls(text())),
        failed("time-out while connecting", Failure::TimedOut(Stage::Connect)),
        failed("time-out while reading", Failure::TimedOut(Stage::Read)),
        failed("time-out of the whole attempt", Failure::TimedOut(Stage::Total)),
        failed("broken answer", Failure::Broken(text())),
        failed("unknown or broken `Content-Encoding`", Failure::Encoding(text())),
        Answer::new("compressed file without it", Ok(Response::new(200, *b"\x1f\x8b\x08"))),
    ]);
    all.push(Answer::status(503).with(RETRY_AFTER, "3600"));
    all.push(Answer::status(503).with(RETRY_AFTER, "604800"));
    all.push(failed("fault of this side", Failure::Local(fault)));
    all
}

/// A time as a person would say it.
fn time(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        _ if time == Duration::MAX => "never".to_owned(),
        0 => "0".to_owned(),
        DAY => "24 h".to_owned(),
        _ if seconds.is_multiple_of(DAY) => format!("{} days", seconds / DAY),
        _ if seconds.is_multiple_of(HOUR) => format!("{} h", seconds / HOUR),
        _ if seconds < HOUR => format!("{} min", seconds / MINUTE),
        _ => format!("{} h {} min", seconds / HOUR, seconds % HOUR / MINUTE),
    }
}

fn allowed(holds: SiteKind) -> &'static str {
    match holds {
        SiteKind::Rules => "the rules",
        SiteKind::AllowAll => "all",
        _ => "nothing",
    }
}

/// What applies, with a star if it has expired.
fn applies(ruling: &Ruling) -> String {
    format!("{}{}", allowed(ruling.holds), if ruling.is_expired { "*" } else { "" })
}

/// The state at `end`, if the site gives the same answer whenever it is asked. The caller may see
/// its other pages answered all the while.
fn asked_until(
    protocol: &Protocol,
    mut state: OriginState,
    answer: &Answer,
    end: Timestamp,
    site_answers: bool,
) -> OriginState {
    loop {
        let next = protocol.ruling(&state, state.attempted).next_attempt;
        if next > end {
            return state;
        }
        if site_answers {
            state.site_answered = Some(next);
        }
        state = protocol.after(Some(&state), &answer.at(next)).expect("no local fault");
    }
}

/// The cells of an answer's row.
fn cells(protocol: &Protocol, before: Option<&OriginState>, answer: &Answer) -> Vec<String> {
    let Ok(state) = protocol.after(before, &answer.attempt) else {
        let unchanged = before.map_or("unknown", |_| "as before");
        let mut cells = vec![unchanged.to_owned(); 8];
        cells[0] = "no outcome".to_owned();
        return cells;
    };
    let outcome = match &state.last {
        Outcome::Present => "present",
        Outcome::Absent(_) => "absent",
        _ => "unreachable",
    };
    let after_asking = |time| {
        let end = START + time;
        let ruling = |site_answers| {
            let state = asked_until(protocol, state.clone(), answer, end, site_answers);
            protocol.ruling(&state, end)
        };
        let (without, with) = (ruling(false), ruling(true));
        assert!(!without.is_expired, "a site that is asked has no expired answer");
        match without.holds == with.holds {
            true => allowed(without.holds).to_owned(),
            false => {
                let (without, with) = (allowed(without.holds), allowed(with.holds));
                format!("{without}; {with} if other pages answer")
            }
        }
    };
    let now = protocol.ruling(&state, START);
    let until = |time: Timestamp| time.since(START);
    vec![
        outcome.to_owned(),
        applies(&now),
        after_asking(LATER),
        after_asking(MUCH_LATER),
        applies(&protocol.ruling(&state, START + LATER)),
        applies(&protocol.ruling(&state, START + MUCH_LATER)),
        time(until(now.next_attempt)),
        time(until(now.until)),
    ]
}

const COLUMNS: &str = "| answer | outcome | allowed now | after 13 h of asking | after 31 days of asking | after 13 h of silence | after 31 days of silence | next attempt after | expires after |\n|---|---|---|---|---|---|---|---|---|\n";

/// A table of all answers. Those whose cells are equal share a row.
fn table(page: &mut String, protocol: &Protocol, before: Option<&OriginState>) {
    let mut rows: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    for answer in answers() {
        let cells = cells(protocol, before, &answer);
        match rows.iter_mut().find(|(_, others)| *others == cells) {
            Some((names, _)) => names.push(answer.name),
            None => rows.push((vec![answer.name], cells)),
        }
    }
    page.push_str(COLUMNS);
    for (names, cells) in rows {
        writeln!(page, "| {} | {} |", names.join(", "), cells.join(" | ")).unwrap();
    }
}

/// How long a file with these headers is used.
fn lifetimes(page: &mut String) {
    let date = "Tue, 14 Nov 2023 22:13:20 GMT";
    let hour_later = "Tue, 14 Nov 2023 23:13:20 GMT";
    let all: [&[(HeaderName, &'static str)]; 21] = [
        &[],
        &[(CACHE_CONTROL, "max-age=0")],
        &[(CACHE_CONTROL, "max-age=60")],
        &[(CACHE_CONTROL, "max-age=3600")],
        &[(CACHE_CONTROL, "max-age=\"3600\"")],
        &[(CACHE_CONTROL, "max-age=3600, max-age=7200")],
        &[(CACHE_CONTROL, "max-age=172800")],
        &[(CACHE_CONTROL, "max-age=31536000")],
        &[(CACHE_CONTROL, "max-age=99999999999999999999")],
        &[(CACHE_CONTROL, "max-age=soon")],
        &[(CACHE_CONTROL, "no-cache")],
        &[(CACHE_CONTROL, "no-store, max-age=3600")],
        &[(CACHE_CONTROL, "must-revalidate, max-age=3600")],
        &[(CACHE_CONTROL, "s-maxage=3600")],
        &[(CACHE_CONTROL, "private")],
        &[(CACHE_CONTROL, "max-age=3600"), (AGE, "1800")],
        &[(CACHE_CONTROL, "max-age=3600"), (AGE, "old")],
        &[(CACHE_CONTROL, "max-age=3600"), (EXPIRES, "0")],
        &[(DATE, date), (EXPIRES, hour_later)],
        &[(DATE, hour_later), (EXPIRES, date)],
        &[(EXPIRES, "0")],
    ];
    page.push_str("| headers | `RFC9309` | `GOOGLE` | `GOOGLE_CLASSIC` |\n|---|---|---|---|\n");
    for headers in all {
        let mut response = Response::new(200, RULES);
        let mut names = Vec::new();
        for (name, value) in headers {
            names.push(format!("`{}: {value}`", titled(name)));
            response.headers.append(name, HeaderValue::from_static(value));
        }
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let lifetime = |protocol: &Protocol| {
            let attempt = Attempt::new(START, Ok(response.clone()));
            let copy = protocol.after(None, &attempt).unwrap().copy.unwrap();
            time(Duration::from_secs(copy.lifetime.into()))
        };
        let [rfc, google, classic] = PROTOCOLS.map(|(_, protocol)| lifetime(&protocol));
        writeln!(page, "| {names} | {rfc} | {google} | {classic} |").unwrap();
    }
}

/// What bodies look like, by what they contain.
fn bodies(page: &mut String) {
    let utf16: Vec<u8> =
        format!("\u{feff}{RULES}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut cut = Response::new(200, RULES);
    cut.is_truncated = true;
    let whole = |body: &[u8]| Response::new(200, body);
    let nothing_left = whole(b"User-agent: *").cut(9);
    page.push_str("| body of a 2xx | condition | allowed |\n|---|---|---|\n");
    for (name, response, kept) in [
        ("rules", whole(RULES.as_bytes()), "the rules"),
        ("empty, or only white space", whole(b"\xef\xbb\xbf \r\n"), "all, as it has no rules"),
        ("an HTML page", whole(b"<!DOCTYPE html>\n"), "the valid lines it may have; mostly all"),
        ("any other text or bytes", whole(b"\x89PNG"), "the valid lines it may have; mostly all"),
        ("longer than the limit", cut, "the rules up to the last whole line within the limit"),
        ("longer than the limit, with no whole line within it", nothing_left, "nothing"),
        ("UTF-16 with a byte order mark", whole(&utf16), "the rules, once turned into UTF-8"),
    ] {
        let state =
            Protocol::RFC9309.after(None, &Attempt::new(START, Ok(response.clone()))).unwrap();
        let holds = if kept == "nothing" { SiteKind::DisallowAll } else { SiteKind::Rules };
        assert_eq!(Protocol::RFC9309.ruling(&state, START).holds, holds);
        if kept.starts_with("the rules") {
            assert_eq!(response.body, RULES.as_bytes(), "{name}");
        }
        writeln!(page, "| {name} | `{}` | {kept} |", state.condition()).unwrap();
    }
}

/// The settings that make the protocols differ, as they are serialised.
fn settings(page: &mut String) {
    let values = PROTOCOLS.map(|(_, protocol)| serde_json::to_value(protocol).unwrap());
    page.push_str("| setting | `RFC9309` | `GOOGLE` | `GOOGLE_CLASSIC` |\n|---|---|---|---|\n");
    for name in values[0].as_object().unwrap().keys() {
        let value = |protocol: &serde_json::Value| match &protocol[name] {
            serde_json::Value::Bool(true) => "yes".to_owned(),
            serde_json::Value::Bool(false) => "no".to_owned(),
            serde_json::Value::String(text) => text.replace('_', " "),
            serde_json::Value::Number(seconds) if !is_count(name) => {
                let seconds = seconds.as_u64().unwrap();
                time(if seconds > i64::MAX as u64 / 2 {
                    Duration::MAX
                } else {
                    Duration::from_secs(seconds)
                })
            }
            other => other.to_string(),
        };
        let [rfc, google, classic] = values.each_ref().map(value);
        writeln!(page, "| `{name}` | {rfc} | {google} | {classic} |").unwrap();
    }
}

fn is_count(name: &str) -> bool {
    matches!(name, "max_redirects" | "min_failures")
}

/// What the switches change.
fn switches(page: &mut String) {
    let default = Protocol::RFC9309;
    let mut denial = default.clone();
    denial.denial_disallows = true;
    let mut waits = default.clone();
    waits.too_many_requests_is_error = true;
    let mut absent = default.clone();
    absent.errors_mean_absent = true;
    page.push_str("| switch | changes | from | to |\n|---|---|---|---|\n");
    for (name, protocol) in [
        ("denial_disallows", denial),
        ("too_many_requests_is_error", waits),
        ("errors_mean_absent", absent),
    ] {
        let mut rows: Vec<(String, String, Vec<String>)> = Vec::new();
        for answer in answers() {
            let told = |protocol| {
                let cells = cells(protocol, None, &answer);
                format!("{}; allowed: {}; next attempt after {}", cells[0], cells[1], cells[6])
            };
            let (from, to) = (told(&default), told(&protocol));
            if from == to {
                continue;
            }
            match rows.iter_mut().find(|row| (&row.0, &row.1) == (&from, &to)) {
                Some(row) => row.2.push(answer.name),
                None => rows.push((from, to, vec![answer.name])),
            }
        }
        assert!(!rows.is_empty(), "{name} changes nothing");
        for (from, to, names) in rows {
            writeln!(page, "| `{name}` | {} | {from} | {to} |", names.join(", ")).unwrap();
        }
    }
}

/// What an archive with these captures, at these hours, says of a site.
fn histories() -> Vec<(&'static str, Vec<(u64, Said)>)> {
    let file = Said::File(None);
    let status = Said::Status;
    vec![
        ("200", vec![(0, file)]),
        ("404 or another 4xx but 429", vec![(0, status(404))]),
        ("401, 403", vec![(0, status(403))]),
        ("429", vec![(0, status(429))]),
        ("503 or another 5xx", vec![(0, status(503))]),
        ("no answer, or a broken one", vec![(0, Said::Failed)]),
        ("redirects in a loop, more than five, or to no usable URL", vec![(0, Said::NoTarget)]),
        ("redirect to what the archive does not have", vec![]),
        ("304 alone", vec![(0, Said::Unchanged(None))]),
        ("200, 304 a week later", vec![(0, file), (7 * 24, Said::Unchanged(None))]),
        ("200, 503 an hour later", vec![(0, file), (1, status(503))]),
        ("200, 503 a week later", vec![(0, file), (7 * 24, status(503))]),
        (
            "200, 503 a week later and again 13 hours after it",
            vec![(0, file), (7 * 24, status(503)), (7 * 24 + 13, status(503))],
        ),
        ("503, 200 later", vec![(0, status(503)), (7 * 24, file)]),
        ("200, 404 later", vec![(0, file), (7 * 24, status(404))]),
        ("200, 403 later", vec![(0, file), (7 * 24, status(403))]),
        ("200, 429 a week later", vec![(0, file), (7 * 24, status(429))]),
        ("404, 503 later", vec![(0, status(404)), (7 * 24, status(503))]),
        ("503 twice, 13 hours apart", vec![(0, status(503)), (13, status(503))]),
        (
            "503 in three monthly archives",
            vec![(0, status(503)), (30 * 24, status(503)), (60 * 24, status(503))],
        ),
        (
            "503 every week for five weeks",
            (0..6).map(|week| (week * 7 * 24, status(503))).collect(),
        ),
        ("200, then 503 every week for five weeks", {
            let failures = (1..7).map(|week| (week * 7 * 24, status(503)));
            std::iter::once((0, file)).chain(failures).collect()
        }),
        ("511", vec![(0, status(511))]),
    ]
}

fn captures(page: &mut String) {
    page.push_str("| captures |");
    for (name, _) in &PROTOCOLS {
        write!(page, " `{name}` |").unwrap();
    }
    page.push_str("\n|---|---|---|---|\n");
    for (name, history) in histories() {
        let events: Vec<Event> = (history.iter())
            .map(|(hour, said)| {
                let at = START + Duration::from_secs(hour * 60 * 60);
                Event { at, redirects: 0, said: *said }
            })
            .collect();
        write!(page, "| {name} |").unwrap();
        for (_, protocol) in &PROTOCOLS {
            let holds = |as_of| protocol.judge(&events, as_of).map(|judged| judged.holds);
            let captured = holds(AsOf::Capture);
            let cell = match captured {
                Some(SiteKind::Rules) => "the rules",
                Some(SiteKind::AllowAll) => "all",
                Some(_) => "nothing",
                None => "unknown",
            };
            write!(page, " {cell} |").unwrap();
            // Read a year later it may be the same, or less, but time opens no site.
            let later = holds(AsOf::Time(START + Duration::from_secs(400 * DAY)));
            assert!(
                captured != Some(SiteKind::DisallowAll) || later != Some(SiteKind::AllowAll),
                "{name}"
            );
        }
        page.push('\n');
    }
}

fn page() -> String {
    let mut page = "\
# What each answer of a server means

The tables on this page are made by the tests of `robotsieve-client` from what the library does. [From a URL to its verdict](fetching.md) explains the words.

An attempt to fetch a robots.txt has one of three outcomes:

- **present**: the file's rules apply.
- **absent**: there is no robots.txt, so everything is allowed.
- **unreachable**: there may be one, but it did not come. What is allowed then depends on the protocol, on how long the attempts have been failing, and on whether there is a copy from before.

A fault of this side, such as a machine without network, is no outcome: nothing follows from it.

*Asking* means that the site is asked whenever an attempt is due, and always answers the same. *Silence* means that nobody asks after the first answer. A star marks an answer that has expired: a crawler that can ask does so before it uses it. Without a star, the answer is used, and refreshed in the background once the next attempt is due.

Silence opens no site: while a site is unreachable, no time that passes allows more than before. That needs attempts. A site counts as unreachable for 30 days if at least `min_failures` attempts in a row have failed, 30 days lie between the first and the last of them, and never more than half of that between two.

"
    .to_owned();
    let profiles = [
        ("rfc9309", Profile::RFC9309),
        ("google", Profile::GOOGLE),
        ("google-classic", Profile::GOOGLE_CLASSIC),
        ("original-1994", Profile::ORIGINAL_1994),
    ];
    for (name, protocol) in &PROTOCOLS {
        let of: Vec<String> = (profiles.iter())
            .filter(|(_, profile)| Protocol::of(profile) == *protocol)
            .map(|(name, _)| format!("`{name}`"))
            .collect();
        writeln!(page, "## `{name}`, of {}\n", of.join(" and ")).unwrap();
        page.push_str("The first answer of a site:\n\n");
        table(&mut page, protocol, None);
        page.push_str(
            "\nThe answer of a site whose robots.txt was fetched a day ago, so that its copy has just expired:\n\n",
        );
        let mut copy = CachedCopy::new(RULES.as_bytes(), START - Duration::from_secs(DAY));
        copy.etag = Some(b"\"x\"".to_vec());
        table(&mut page, protocol, Some(&OriginState::present(copy)));
        page.push('\n');
    }
    page.push_str("## Bodies\n\nIn every protocol:\n\n");
    bodies(&mut page);
    page.push_str(
        "\n## How long a file is used\n\nBy the headers of a 2xx. A 304 replaces what it states, and leaves the rest as it was: an `Expires` does not end the `max-age` before it, and its `Age` counts. That a site has no robots.txt counts for 24 hours, whatever the headers say.\n\n",
    );
    lifetimes(&mut page);
    page.push_str(
        "\n## Captures of an archive\n\nAn archive is judged as of the time of each site's newest capture, never as of today (`outcome::AsOf`). Several captures are a history, whatever their order in the input: the newest one that says something wins, and failures after it count as the protocol says. A redirect or revisit of what the archive does not have may say anything, so earlier captures no longer count. What is allowed then:\n\n",
    );
    captures(&mut page);
    page.push_str(
        "\nA 412 answers the condition of a request, without which an archive cannot ask again. It says nothing of the file and is left out, so what was known before holds.\n\n## Settings\n\nThe fields of `outcome::Protocol`. Change them to follow another crawler.\n\n",
    );
    settings(&mut page);
    page.push_str("\nWhat three of them change, from the defaults of `RFC9309`:\n\n");
    switches(&mut page);
    page
}

#[test]
fn the_page_is_what_the_library_does() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/answers.md");
    let made = page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, made).unwrap();
        return;
    }
    let page = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert_eq!(
        page, made,
        "update it with UPDATE_DOCS=1 cargo test -p robotsieve-client --test it answers"
    );
}
