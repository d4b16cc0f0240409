//! Every time limit of every protocol, one second before and after.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use robotsieve::{FetchRules, Profile, SiteKind};

use super::*;
use crate::time::Timestamp;

const START: Timestamp = Timestamp(1_700_000_000);
const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(86_400);
const ALL: [Protocol; 3] = [Protocol::RFC9309, Protocol::GOOGLE, Protocol::GOOGLE_CLASSIC];
const RULES: &[u8] = b"User-agent: *\nDisallow: /x\n";

fn answer(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Result<Response, Failure> {
    let header = |(name, value): &(&str, &str)| {
        let name: HeaderName = name.parse().unwrap();
        (name, HeaderValue::from_str(value).unwrap())
    };
    let mut map = HeaderMap::new();
    headers.iter().map(header).for_each(|(name, value)| {
        map.append(name, value);
    });
    let headers = map;
    let mut response = Response::new(status, body);
    response.headers = headers;
    Ok(response)
}

fn attempt(at: Timestamp, result: Result<Response, Failure>) -> Attempt {
    Attempt::new(at, result)
}

/// The state after one answer at the start.
fn first(protocol: &Protocol, status: u16, headers: &[(&str, &str)]) -> OriginState {
    protocol.after(None, &attempt(START, answer(status, headers, RULES))).unwrap()
}

/// The state after another answer.
fn then(protocol: &Protocol, known: &OriginState, at: Timestamp, status: u16) -> OriginState {
    protocol.after(Some(known), &attempt(at, answer(status, &[], RULES))).unwrap()
}

/// What applies and why, this long after the start.
fn at(protocol: &Protocol, known: &OriginState, after: Duration) -> (SiteKind, Why) {
    let ruling = protocol.ruling(known, START + after);
    (ruling.holds, ruling.why)
}

/// Checks that the ruling changes at this time, and that `until` announces it.
fn changes(
    protocol: &Protocol,
    known: &OriginState,
    after: Duration,
    from: (SiteKind, Why),
    to: (SiteKind, Why),
) {
    assert_eq!(at(protocol, known, after - SECOND), from, "before");
    assert_eq!(protocol.ruling(known, START + after - SECOND).until, START + after);
    assert_eq!(at(protocol, known, after), to, "at");
    assert_eq!(at(protocol, known, after + SECOND), to, "after");
}

/// The state after attempts that failed at these times.
fn failing(protocol: &Protocol, known: Option<&OriginState>, times: &[Duration]) -> OriginState {
    let mut known = known.cloned();
    for after in times {
        let failed = attempt(START + *after, answer(500, &[], b""));
        known = Some(protocol.after(known.as_ref(), &failed).unwrap());
    }
    known.unwrap()
}

/// What applies at the last of these failures, and for a hundred years after it.
#[track_caller]
fn stays(protocol: &Protocol, known: Option<&OriginState>, times: &[Duration]) -> (SiteKind, Why) {
    let state = failing(protocol, known, times);
    let holds = |after| {
        let ruling = protocol.ruling(&state, state.attempted + after);
        (ruling.holds, ruling.why)
    };
    let now = holds(Duration::ZERO);
    for hours in [1, 11, 12, 13, 24, 24 * 29, 24 * 30, 24 * 31, 24 * 36_525] {
        assert_eq!(holds(HOUR * hours), now, "{hours} hours later");
    }
    now
}

/// Fetching follows `fetch_rules` alone: no other switch of a profile changes it.
#[test]
fn a_changed_switch_keeps_the_fetch_rules() {
    for (named, wanted) in [
        (Profile::RFC9309, Protocol::RFC9309),
        (Profile::GOOGLE, Protocol::GOOGLE),
        (Profile::GOOGLE_CLASSIC, Protocol::GOOGLE_CLASSIC),
        (Profile::ORIGINAL_1994, Protocol::RFC9309),
    ] {
        assert_eq!(Protocol::of(&named), wanted);
        let mut changed = named;
        changed.size_limit = Some(1 << 20);
        changed.merge_groups = !named.merge_groups;
        changed.allow_rules = !named.allow_rules;
        changed.unreserved_decoded = !named.unreserved_decoded;
        assert_eq!(Protocol::of(&changed), wanted);
        changed.fetch_rules = FetchRules::Google;
        assert_eq!(Protocol::of(&changed), Protocol::GOOGLE);
    }
}

#[test]
fn statuses() {
    use Condition::{Absent, Parsed, Unreachable};
    for (status, rfc, google, classic) in [
        (200, Parsed, Parsed, Parsed),
        (204, Parsed, Parsed, Parsed),
        (299, Parsed, Parsed, Parsed),
        (300, Absent, Absent, Absent),
        (304, Unreachable, Unreachable, Unreachable),
        (305, Absent, Absent, Absent),
        (400, Absent, Absent, Absent),
        (401, Absent, Absent, Absent),
        (403, Absent, Absent, Absent),
        (404, Absent, Absent, Absent),
        (410, Absent, Absent, Absent),
        (429, Absent, Unreachable, Absent),
        (451, Absent, Absent, Absent),
        (499, Absent, Absent, Absent),
        (500, Unreachable, Unreachable, Unreachable),
        (503, Unreachable, Unreachable, Unreachable),
        (599, Unreachable, Unreachable, Unreachable),
        (600, Unreachable, Unreachable, Unreachable),
        (199, Unreachable, Unreachable, Unreachable),
        (0, Unreachable, Unreachable, Unreachable),
    ] {
        for (protocol, wanted) in ALL.iter().zip([rfc, google, classic]) {
            let known = first(protocol, status, &[]);
            assert_eq!(known.condition(), wanted, "{status}");
            let ruling = protocol.ruling(&known, START);
            let holds = match wanted {
                Parsed => SiteKind::Rules,
                Absent => SiteKind::AllowAll,
                _ => SiteKind::DisallowAll,
            };
            assert_eq!(ruling.holds, holds, "{status}");
            assert!(!ruling.is_expired && ruling.next_attempt > START, "{status}");
            assert_eq!(known.failures, u32::from(wanted == Unreachable));
        }
    }
}

/// A state made by hand equals one made from a plain answer.
#[test]
fn constructors() {
    let state = OriginState::present(CachedCopy::new(RULES, START));
    for protocol in &ALL {
        assert_eq!(first(protocol, 200, &[]), state);
        let absent = OriginState::new(START, Outcome::Absent(Cause::Status(404)));
        assert_eq!(first(protocol, 404, &[]), absent);
    }
}

#[test]
fn failures() {
    let unreachable = [
        Failure::Dns("no such host".into()),
        Failure::Connect("refused".into()),
        Failure::Tls("expired".into()),
        Failure::TimedOut(Stage::Connect),
        Failure::TimedOut(Stage::Read),
        Failure::TimedOut(Stage::Total),
        Failure::Broken("cut short".into()),
        Failure::Encoding("unknown".into()),
    ];
    let local = LocalFault::new(LocalKind::Descriptors, "too many open files");
    let absent =
        [Failure::TooManyRedirects, Failure::RedirectLoop, Failure::BadRedirect("none".into())];
    for protocol in &ALL {
        for failure in &unreachable {
            let known = protocol.after(None, &attempt(START, Err(failure.clone()))).unwrap();
            assert_eq!(known.last, Outcome::Unreachable(Cause::Failure(failure.clone())));
            assert_eq!(at(protocol, &known, SECOND).0, SiteKind::DisallowAll);
        }
        // A fault of this side says nothing about the site.
        let faulty = attempt(START, Err(Failure::Local(local.clone())));
        let known = first(protocol, 404, &[]);
        for before in [None, Some(&known)] {
            assert_eq!(protocol.after(before, &faulty), Err(local.clone()));
        }
        for failure in &absent {
            let known = protocol.after(None, &attempt(START, Err(failure.clone()))).unwrap();
            assert_eq!(known.last, Outcome::Absent(Cause::Failure(failure.clone())));
            assert_eq!(at(protocol, &known, SECOND), (SiteKind::AllowAll, Why::Absent));
        }
    }
}

/// An answer after more redirects than the protocol allows counts as absent.
#[test]
fn redirects_beyond_the_limit() {
    let hops = |count: usize, result| {
        let hop = |hop| Redirect { status: 301, to: format!("https://e.com/{hop}") };
        Attempt::new(START, result).with_redirects((0..count).map(hop).collect())
    };
    for protocol in &ALL {
        let known = protocol.after(None, &hops(5, answer(200, &[], RULES))).unwrap();
        assert_eq!(known.condition(), Condition::Parsed);
        for result in [answer(200, &[], RULES), answer(500, &[], b"")] {
            let known = protocol.after(Some(&known), &hops(6, result)).unwrap();
            let too_many = Outcome::Absent(Cause::Failure(Failure::TooManyRedirects));
            assert_eq!((&known.last, &known.copy), (&too_many, &None));
        }
        let more = Protocol { max_redirects: 6, ..protocol.clone() };
        let known = more.after(None, &hops(6, answer(200, &[], RULES))).unwrap();
        assert_eq!(known.condition(), Condition::Parsed);
    }
}

#[test]
fn a_copy_serves_a_day() {
    for protocol in &ALL {
        for (status, holds) in
            [(200, (SiteKind::Rules, Why::Copy)), (404, (SiteKind::AllowAll, Why::Absent))]
        {
            let known = first(protocol, status, &[]);
            let expired = |after| protocol.ruling(&known, START + after).is_expired;
            assert!(!expired(Duration::ZERO) && !expired(DAY - SECOND));
            assert!(expired(DAY) && expired(DAY + SECOND));
            changes(protocol, &known, DAY, holds, holds);
            // A new attempt is due in the last tenth of the lifetime.
            let ruling = protocol.ruling(&known, START);
            assert_eq!(ruling.next_attempt, START + DAY - DAY / 10);
            assert_eq!(protocol.ruling(&known, START + DAY).next_attempt, START + DAY);
        }
    }
}

/// `max-age` may shorten the lifetime in every protocol, and lengthen it in some, within bounds.
#[test]
fn max_age() {
    let seconds = |protocol: &Protocol, headers: &[(&str, &str)]| {
        let copy = first(protocol, 200, headers).copy.unwrap();
        assert_eq!(copy.fresh_until(), START + Duration::from_secs(copy.lifetime.into()));
        Duration::from_secs(copy.lifetime.into())
    };
    let date = "Tue, 14 Nov 2023 22:13:20 GMT";
    for (headers, rfc, google) in [
        (&[("cache-control", "max-age=3600")][..], HOUR, HOUR),
        (&[("cache-control", "public, max-age=\"3600\"")], HOUR, HOUR),
        (&[("cache-control", "max-age=599")], 10 * MINUTE, 10 * MINUTE),
        (&[("cache-control", "max-age=601")], Duration::from_secs(601), Duration::from_secs(601)),
        (&[("cache-control", "max-age=0")], 10 * MINUTE, 10 * MINUTE),
        (&[("cache-control", "no-cache")], 10 * MINUTE, 10 * MINUTE),
        (&[("cache-control", "no-store, max-age=9999")], 10 * MINUTE, 10 * MINUTE),
        (&[("cache-control", "max-age=86401")], DAY, DAY + SECOND),
        (&[("cache-control", "max-age=604800")], DAY, 7 * DAY),
        (&[("cache-control", "max-age=604801")], DAY, 7 * DAY),
        (&[("cache-control", "max-age=99999999999999999999")], DAY, 7 * DAY),
        (&[("cache-control", "max-age=18446744073709551615")], DAY, 7 * DAY),
        (&[("cache-control", "max-age=4294967296")], DAY, 7 * DAY),
        // Of two the shorter one.
        (&[("cache-control", "max-age=7200, max-age=3600")], HOUR, HOUR),
        (&[("cache-control", "max-age=3600"), ("cache-control", "max-age=7200")], HOUR, HOUR),
        (&[("cache-control", "max-age=7200, no-cache")], 10 * MINUTE, 10 * MINUTE),
        // What is no number has expired.
        (&[("cache-control", "max-age=")], 10 * MINUTE, 10 * MINUTE),
        (&[("cache-control", "max-age")], 10 * MINUTE, 10 * MINUTE),
        (&[("cache-control", "max-age=-1")], 10 * MINUTE, 10 * MINUTE),
        (&[("cache-control", "max-age=1h")], 10 * MINUTE, 10 * MINUTE),
        (&[("cache-control", "max-age=+3600")], 10 * MINUTE, 10 * MINUTE),
        (&[("cache-control", "max-age=3600.5")], 10 * MINUTE, 10 * MINUTE),
        (&[("cache-control", "max-age = 3600")], HOUR, HOUR),
        (&[("cache-control", "max-age=\"3600")], 10 * MINUTE, 10 * MINUTE),
        // A comma within quotes ends nothing.
        (&[("cache-control", "no-cache=\"a, b\", max-age=3600")], 10 * MINUTE, 10 * MINUTE),
        (&[("cache-control", "x=\"max-age=1, \\\", no-store\", max-age=3600")], HOUR, HOUR),
        (&[("cache-control", "x=\"max-age=1, no-store")], DAY, DAY),
        (&[("cache-control", ",, ,max-age=3600,")], HOUR, HOUR),
        (&[("cache-control", "max-age=3600\u{fc}, x=\u{fc}")], 10 * MINUTE, 10 * MINUTE),
        // Nothing to a private cache, or nothing about freshness.
        (&[("cache-control", "s-maxage=3600")], DAY, DAY),
        (&[("cache-control", "max-age=7200, s-maxage=3600, private")], 2 * HOUR, 2 * HOUR),
        (&[("cache-control", "max-age=3600, must-revalidate, immutable")], HOUR, HOUR),
        (&[("cache-control", "max-age=7200"), ("age", "3600, 1")], HOUR, HOUR),
        (&[("cache-control", "max-age=7200"), ("age", "junk")], 2 * HOUR, 2 * HOUR),
        (&[("cache-control", "max-age=7200"), ("age", "-3600")], 2 * HOUR, 2 * HOUR),
        (
            &[("cache-control", "max-age=7200"), ("age", "99999999999999999999")],
            10 * MINUTE,
            10 * MINUTE,
        ),
        (&[("cache-control", "max-age=7200"), ("age", "3600")], HOUR, HOUR),
        (&[("cache-control", "max-age=7200"), ("age", "7201")], 10 * MINUTE, 10 * MINUTE),
        (&[("cache-control", "public")], DAY, DAY),
        (&[("cache-control", "Public, Max-Age=3600")], HOUR, HOUR),
        (&[("cache-control", "No-Cache")], 10 * MINUTE, 10 * MINUTE),
        (&[("cache-control", "public"), ("cache-control", "MAX-AGE=\"3600\"")], HOUR, HOUR),
        (&[("expires", "Tue, 14 Nov 2023 23:13:20 GMT"), ("date", date)], HOUR, HOUR),
        (&[("expires", "Tue, 14 Nov 2023 23:13:20 GMT")], HOUR, HOUR),
        (&[("expires", "Tue, 14 Nov 2023 22:13:19 GMT"), ("date", date)], 10 * MINUTE, 10 * MINUTE),
        (
            &[("cache-control", "max-age=7200"), ("expires", "Tue, 14 Nov 2023 23:13:20 GMT")],
            2 * HOUR,
            2 * HOUR,
        ),
        // What is no date has expired.
        (&[("expires", "never")], 10 * MINUTE, 10 * MINUTE),
        (&[("expires", "0")], 10 * MINUTE, 10 * MINUTE),
        (&[("expires", "-1"), ("date", date)], 10 * MINUTE, 10 * MINUTE),
        (&[("cache-control", "max-age=7200"), ("expires", "0")], 2 * HOUR, 2 * HOUR),
        (
            &[
                ("expires", "Wed, 15 Nov 2023 23:13:20 GMT"),
                ("expires", "Tue, 14 Nov 2023 23:13:20 GMT"),
            ],
            HOUR,
            HOUR,
        ),
        // The older forms of dates.
        (&[("expires", "Tuesday, 14-Nov-23 23:13:20 GMT"), ("date", date)], HOUR, HOUR),
        (&[("expires", "Tue Nov 14 23:13:20 2023"), ("date", date)], HOUR, HOUR),
        // A clock that is years behind or ahead, and one that is none.
        (
            &[
                ("expires", "Thu, 14 Nov 2013 23:13:20 GMT"),
                ("date", "Thu, 14 Nov 2013 22:13:20 GMT"),
            ],
            HOUR,
            HOUR,
        ),
        (
            &[
                ("expires", "Mon, 14 Nov 2033 23:13:20 GMT"),
                ("date", "Mon, 14 Nov 2033 22:13:20 GMT"),
            ],
            HOUR,
            HOUR,
        ),
        (&[("expires", "Tue, 14 Nov 2023 23:13:20 GMT"), ("date", "today")], HOUR, HOUR),
        (
            &[("expires", "Tue, 14 Nov 2023 23:13:20 GMT"), ("date", date), ("age", "1800")],
            30 * MINUTE,
            30 * MINUTE,
        ),
        (&[("age", "3600")], DAY, DAY),
    ] {
        assert_eq!(seconds(&Protocol::RFC9309, headers), rfc, "{headers:?}");
        assert_eq!(seconds(&Protocol::GOOGLE, headers), google, "{headers:?}");
        assert_eq!(seconds(&Protocol::GOOGLE_CLASSIC, headers), google, "{headers:?}");
    }
    // With RFC 9309, only the user's own setting lets it lengthen the lifetime.
    let longer = Protocol { longest_lifetime: 2 * DAY, ..Protocol::RFC9309 };
    assert_eq!(seconds(&longer, &[("cache-control", "max-age=172800")]), 2 * DAY);
}

#[test]
fn unreachable_without_a_copy() {
    use SiteKind::{AllowAll, DisallowAll};
    let without = (DisallowAll, Why::UnreachableWithoutCopy);
    let too_long = (AllowAll, Why::UnreachableTooLong);
    let weekly = [0, 7, 14, 21, 28].map(|days| DAY * days);
    let month = |last: Duration| [&weekly[..], &[last]].concat();

    let rfc = &Protocol::RFC9309;
    assert_eq!(stays(rfc, None, &[Duration::ZERO]), without);
    assert_eq!(stays(rfc, None, &month(30 * DAY - SECOND)), without);
    assert_eq!(stays(rfc, None, &month(30 * DAY)), too_long);
    assert_eq!(stays(rfc, None, &month(31 * DAY)), too_long);

    let google = &Protocol::GOOGLE;
    let lately = (DisallowAll, Why::UnreachableRecently);
    let open = (AllowAll, Why::UnreachableWithoutCopy);
    assert_eq!(stays(google, None, &[Duration::ZERO]), lately);
    assert_eq!(stays(google, None, &[Duration::ZERO, 12 * HOUR - SECOND]), lately);
    assert_eq!(stays(google, None, &[Duration::ZERO, 12 * HOUR]), open);
    assert_eq!(stays(google, None, &month(30 * DAY - SECOND)), open);
    assert_eq!(stays(google, None, &month(30 * DAY)), (DisallowAll, Why::UnreachableTooLong));
    let mut known = failing(google, None, &month(30 * DAY));
    known.site_answered = Some(START);
    assert_eq!(at(google, &known, 31 * DAY), too_long);
    // Answers from before the site became unreachable do not count.
    known.site_answered = Some(START - SECOND);
    assert_eq!(at(google, &known, 31 * DAY).0, DisallowAll);

    let classic = &Protocol::GOOGLE_CLASSIC;
    let years: Vec<Duration> = (0..1000).map(|weeks| 7 * DAY * weeks).collect();
    assert_eq!(stays(classic, None, &years), without);
}

/// "Unreachable for 30 days" needs enough attempts, with no long silence between them.
#[test]
fn attempts_that_span_the_limit() {
    let holds = |protocol: &Protocol, days: &[u32]| {
        let times: Vec<Duration> = days.iter().map(|days| DAY * *days).collect();
        stays(protocol, None, &times).1
    };
    let rfc = &Protocol::RFC9309;
    assert_eq!(rfc.min_failures, 5);
    assert_eq!(holds(rfc, &[0, 10, 20, 30]), Why::UnreachableWithoutCopy);
    assert_eq!(holds(rfc, &[0, 10, 20, 25, 30]), Why::UnreachableTooLong);
    let four = Protocol { min_failures: 4, ..rfc.clone() };
    assert_eq!(holds(&four, &[0, 10, 20, 30]), Why::UnreachableTooLong);
    let week = Protocol { unreachable_limit: 7 * DAY, ..rfc.clone() };
    assert_eq!(holds(&week, &[0, 1, 2, 4, 7]), Why::UnreachableTooLong);

    let with_gap = |gap: Duration| {
        let begin: Vec<Duration> = (0..5).map(|minutes| MINUTE * minutes).collect();
        let end = [4 * MINUTE + gap, 30 * DAY];
        let state = failing(rfc, None, &[&begin[..], &end].concat());
        (at(rfc, &state, 30 * DAY).1, state.failures, state.unreachable_since)
    };
    assert_eq!(with_gap(15 * DAY), (Why::UnreachableTooLong, 7, Some(START)));
    let later = START + 4 * MINUTE + 15 * DAY + SECOND;
    assert_eq!(with_gap(15 * DAY + SECOND), (Why::UnreachableWithoutCopy, 2, Some(later)));

    // An answer begins the failures anew, too.
    let back = then(rfc, &failing(rfc, None, &[Duration::ZERO; 9]), START + DAY, 404);
    assert_eq!(failing(rfc, Some(&back), &[2 * DAY]).failures, 1);
}

/// The site becomes unreachable when its copy is an hour old.
#[test]
fn unreachable_with_a_copy() {
    use SiteKind::{AllowAll, DisallowAll, Rules};
    let stale = (Rules, Why::CopyWhileUnreachable);
    for protocol in &ALL {
        let known = first(protocol, 200, &[]);
        let hours = |hours: &[u32]| -> Vec<Duration> { hours.iter().map(|h| HOUR * *h).collect() };
        let known = failing(protocol, Some(&known), &hours(&[1, 2, 7, 100, 300, 600]));
        // What counts is the time of the first failure.
        assert_eq!((known.unreachable_since, known.failures), (Some(START + HOUR), 6));
        // While the copy is fresh, it applies as if nothing had happened.
        assert_eq!(at(protocol, &known, 2 * HOUR), stale);
        let limit = HOUR + 30 * DAY;
        assert_eq!(stays(protocol, Some(&known), &[limit - SECOND]), stale);
        let wanted = match (protocol.unreachable_limit, protocol.after_limit) {
            (Duration::MAX, _) => stale,
            (_, AfterLimit::AllowAll) => (AllowAll, Why::UnreachableTooLong),
            _ => (DisallowAll, Why::UnreachableTooLong),
        };
        assert_eq!(stays(protocol, Some(&known), &[limit]), wanted);
        // The site answers again.
        let back = then(protocol, &known, START + 26 * DAY, 200);
        assert_eq!(at(protocol, &back, 26 * DAY), (Rules, Why::Copy));
        assert_eq!((back.failures, back.unreachable_since), (0, None));
        // The site says that it has no robots.txt: the copy is dropped.
        let gone = then(protocol, &known, START + 26 * DAY, 404);
        assert_eq!(at(protocol, &gone, 26 * DAY), (AllowAll, Why::Absent));
        let again = then(protocol, &gone, START + 27 * DAY, 500);
        assert_eq!(at(protocol, &again, 27 * DAY).0, DisallowAll);
        assert_eq!(again.unreachable_since, Some(START + 27 * DAY));
    }
    // A copy may stay fresh beyond the limit.
    let long = Protocol { longest_lifetime: 60 * DAY, ..Protocol::RFC9309 };
    let known = first(&long, 200, &[("cache-control", "max-age=9999999")]);
    let known = failing(&long, Some(&known), &[1, 2, 3, 14, 28, 40].map(|days| DAY * days));
    for days in [40, 59, 60, 1000] {
        assert_eq!(at(&long, &known, DAY * days), stale);
    }
    let times = [50, 60].map(|days| DAY * days);
    assert_eq!(stays(&long, Some(&known), &times), (AllowAll, Why::UnreachableTooLong));
}

/// Google's grace period begins with the first failure. A copy applies until it is no longer
/// fresh, and again after the grace period.
#[test]
fn the_first_twelve_hours() {
    use SiteKind::{DisallowAll, Rules};
    let google = &Protocol::GOOGLE;
    let stale = (Rules, Why::CopyWhileUnreachable);
    let lately = (DisallowAll, Why::UnreachableRecently);
    let present = first(google, 200, &[]);
    // The copy is fresh for another two seconds, and the failure counts for ten minutes.
    let known = failing(google, Some(&present), &[DAY - 2 * SECOND]);
    changes(google, &known, DAY, stale, lately);
    let known = failing(google, Some(&present), &[23 * HOUR]);
    assert_eq!(at(google, &known, 23 * HOUR), stale);
    assert_eq!(at(google, &known, DAY), lately);
    let known = Some(&known);
    assert_eq!(stays(google, known, &[35 * HOUR - SECOND]), lately);
    assert_eq!(stays(google, known, &[35 * HOUR]), stale);
    assert_eq!(stays(google, Some(&present), &[2 * DAY, 60 * HOUR - SECOND]), lately);
    assert_eq!(stays(google, Some(&present), &[2 * DAY, 60 * HOUR]), stale);
}

/// A ruling because of a failure expires when its retry is long overdue.
#[test]
fn overdue_retries() {
    for protocol in &ALL {
        let wait = protocol.first_retry;
        for known in [None, Some(first(protocol, 200, &[]))] {
            let known = failing(protocol, known.as_ref(), &[Duration::ZERO]);
            let ruling = |after| protocol.ruling(&known, START + after);
            for after in [Duration::ZERO, wait - SECOND, wait, 2 * wait - SECOND] {
                let ruling = ruling(after);
                assert!(!ruling.is_expired);
                assert_eq!((ruling.next_attempt, ruling.until), (START + wait, START + 2 * wait));
                assert_eq!(ruling.is_current_at(START + after), after < wait);
            }
            for after in [2 * wait, 2 * wait + SECOND, 1000 * DAY] {
                let expired = ruling(after);
                assert!(expired.is_expired && expired.next_attempt == START + wait);
                assert!(!expired.is_current_at(START + after));
            }
            assert_eq!(ruling(2 * wait).holds, ruling(3 * wait).holds);
        }
    }
    // `Retry-After` lengthens the wait.
    let known = first(&Protocol::RFC9309, 503, &[("retry-after", "3600")]);
    let expired = |after| Protocol::RFC9309.ruling(&known, START + after).is_expired;
    assert!(!expired(2 * HOUR - SECOND) && expired(2 * HOUR));
    // The longest wait there is.
    let never = Protocol { first_retry: Duration::MAX, longest_retry: Duration::MAX, ..ALL[0] };
    let known = first(&never, 500, &[]);
    assert!(!never.ruling(&known, Timestamp(u64::MAX - 1)).is_expired);
}

/// Nothing is known, and the site is due at once, at any time.
#[track_caller]
fn assert_never_asked(protocol: &Protocol, state: &OriginState) {
    for now in [START, START + SECOND, START + 40 * DAY] {
        let ruling = protocol.ruling(state, now);
        assert_eq!((ruling.holds, ruling.why), (SiteKind::Unknown, Why::NeverAsked));
        assert!(ruling.is_expired && ruling.next_attempt == now);
    }
}

/// An address that our settings forbid is our own condition: no failure of the site, and other settings
/// can ask at once. Where the site's redirects lead there, it has failed.
#[test]
fn refusals_of_ours() {
    let refused = || Err(Failure::Refused([127, 0, 0, 1].into()));
    for protocol in &ALL {
        let state = protocol.after(None, &attempt(START, refused())).unwrap();
        assert_eq!(state.last.why(), "the address 127.0.0.1 is not public");
        assert_eq!((state.failures, state.unreachable_since), (0, None));
        assert!(!state.was_asked() && state.is_unknown() && state.events().is_empty());
        assert_never_asked(protocol, &state);
        let failed = failing(protocol, Some(&state), &[HOUR]);
        assert_eq!((failed.failures, failed.unreachable_since), (1, Some(START + HOUR)));
        // Nor does it make more of the failures before it.
        let refused_later =
            protocol.after(Some(&failed), &attempt(START + 2 * HOUR, refused())).unwrap();
        assert_eq!((refused_later.failures, refused_later.was_asked()), (0, false));
        let hop = Redirect::new(302, "http://127.0.0.1/");
        let led = attempt(START, refused()).with_redirects(vec![hop]);
        let state = protocol.after(None, &led).unwrap();
        assert_eq!((state.failures, state.was_asked()), (1, true));
        assert_eq!(at(protocol, &state, SECOND).0, SiteKind::DisallowAll);
    }
}

/// Old stores have outcomes that were faults of this side.
#[test]
fn faults_of_this_side_in_old_stores() {
    let fault = LocalFault::new(LocalKind::Descriptors, "too many open files");
    for protocol in &ALL {
        let last = Outcome::Unreachable(Cause::Failure(Failure::Local(fault.clone())));
        assert_eq!(last.local_fault(), Some(&fault));
        let mut state = OriginState::new(START, last);
        (state.failures, state.unreachable_since) = (9, Some(START - 40 * DAY));
        assert_never_asked(protocol, &state);
        // Its failures do not count.
        let failed = failing(protocol, Some(&state), &[HOUR]);
        assert_eq!((failed.failures, failed.unreachable_since), (1, Some(START + HOUR)));
        // The copy from before applies as if there had been no attempt.
        let copy = CachedCopy::new(RULES, START - HOUR);
        let present = OriginState::present(copy.clone());
        state.copy = Some(copy);
        for now in [START, START + DAY] {
            assert_eq!(protocol.ruling(&state, now), protocol.ruling(&present, now));
        }
    }
}

/// What other crawlers read differently is a setting; the default is the source's reading.
#[test]
fn denials() {
    for protocol in &ALL {
        let strict = Protocol { denial_disallows: true, ..protocol.clone() };
        for status in [401, 403] {
            let known = first(&strict, status, &[]);
            assert_eq!(at(protocol, &known, SECOND), (SiteKind::AllowAll, Why::Absent));
            assert_eq!(at(&strict, &known, SECOND), (SiteKind::DisallowAll, Why::Denied));
            assert!(!strict.ruling(&known, START + DAY - SECOND).is_expired);
            assert!(strict.ruling(&known, START + DAY).is_expired);
        }
        for status in [400, 402, 404, 407, 410, 451] {
            let known = first(&strict, status, &[]);
            assert_eq!(at(&strict, &known, SECOND), (SiteKind::AllowAll, Why::Absent));
        }
        // 429 means to wait, or that there is no robots.txt.
        let waits = Protocol { too_many_requests_is_error: true, ..protocol.clone() };
        let known = first(&waits, 429, &[("retry-after", "3600")]);
        assert_eq!(waits.ruling(&known, START).next_attempt, START + HOUR);
        assert_eq!(known.condition(), Condition::Unreachable);
        // There are no rules without a copy.
        let odd =
            Protocol { grace: Duration::ZERO, without_copy: SiteKind::Rules, ..protocol.clone() };
        assert_eq!(at(&odd, &first(&odd, 500, &[]), SECOND).0, SiteKind::DisallowAll);
    }
}

#[test]
fn settings_in_a_file() {
    for protocol in &ALL {
        let text = serde_json::to_string(protocol).unwrap();
        assert_eq!(serde_json::from_str::<Protocol>(&text).unwrap(), *protocol);
    }
    let text =
        r#"{ "grace": 60, "without_copy": "allow-all", "after_limit": "allow_if_site_answers" }"#;
    let wanted = Protocol {
        grace: MINUTE,
        without_copy: SiteKind::AllowAll,
        after_limit: AfterLimit::AllowIfSiteAnswers,
        ..Protocol::RFC9309
    };
    assert_eq!(serde_json::from_str::<Protocol>(text).unwrap(), wanted);
    let unknown = serde_json::from_str::<Protocol>(r#"{ "gracee": 60 }"#).unwrap_err();
    assert!(unknown.to_string().contains("unknown field `gracee`"), "{unknown}");
}

#[test]
fn sites_that_answer_5xx_for_missing_pages() {
    for protocol in &ALL {
        let switched = Protocol { errors_mean_absent: true, ..protocol.clone() };
        assert_eq!(first(&switched, 500, &[]).condition(), Condition::Absent);
        // Other failures are still failures.
        let failed = switched.after(None, &attempt(START, Err(Failure::RedirectLoop))).unwrap();
        assert_eq!(failed.condition(), Condition::Absent);
        let failed = switched.after(None, &attempt(START, Err(Failure::Dns("x".into())))).unwrap();
        assert_eq!(failed.condition(), Condition::Unreachable);
        // The same for a single site.
        let mut known = first(protocol, 500, &[]);
        assert_eq!(known.condition(), Condition::Unreachable);
        known.errors_mean_absent = true;
        let known = then(protocol, &known, START + HOUR, 500);
        assert_eq!(known.condition(), Condition::Absent);
        assert!(known.errors_mean_absent);
    }
}

#[test]
fn when_to_try_again() {
    let rfc = &Protocol::RFC9309;
    let mut known = first(rfc, 500, &[]);
    for minutes in [5, 10, 20, 40, 80, 160, 320, 360, 360] {
        let ruling = rfc.ruling(&known, known.attempted);
        assert_eq!(ruling.next_attempt, known.attempted + MINUTE * minutes);
        let next = known.attempted + MINUTE * minutes;
        known = then(rfc, &known, next, 500);
    }
    for _ in 0..100 {
        known = then(rfc, &known, known.attempted + HOUR, 500);
    }
    let ruling = rfc.ruling(&known, known.attempted);
    assert_eq!(ruling.next_attempt, known.attempted + 6 * HOUR);
    known.failures = u32::MAX;
    known = then(rfc, &known, known.attempted + HOUR, 500);
    assert_eq!(known.failures, u32::MAX);
    // The end of Google's twelve hours is not missed, but comes no sooner than any other retry.
    let google = &Protocol::GOOGLE;
    let next = |known: &OriginState| google.ruling(known, known.attempted).next_attempt;
    let mut known = first(google, 500, &[]);
    for minutes in [5, 15, 35, 75, 155, 315, 635, 720, 1080] {
        assert_eq!(next(&known), START + MINUTE * minutes);
        known = then(google, &known, START + MINUTE * minutes, 500);
    }
    let known = failing(google, None, &[Duration::ZERO, 12 * HOUR - SECOND]);
    assert_eq!(next(&known), START + 12 * HOUR - SECOND + 5 * MINUTE);
}

/// What was cut off may forbid all.
#[test]
fn a_cut_file_without_a_whole_line_is_a_failure() {
    for (body, outcome) in [
        (&b"User-agent: *\nDisallow: /"[..], Said::File(None)),
        (b"User-agent: * Disallow: /", Said::Failed),
        (b"\xff\xfeU\0s\0", Said::Failed),
    ] {
        let response = Response::new(200, body).cut(body.len());
        assert_eq!(Said::of(Ok(&response), START), Some(outcome));
        let known = Protocol::RFC9309.after(None, &Attempt::new(START, Ok(response))).unwrap();
        let holds = Protocol::RFC9309.ruling(&known, START).holds;
        let is_file = outcome != Said::Failed;
        assert_eq!(holds, if is_file { SiteKind::Rules } else { SiteKind::DisallowAll });
        assert_eq!(known.copy.is_some(), is_file);
    }
}

#[test]
fn retry_after() {
    let google = &Protocol::GOOGLE;
    let next = |status, value| {
        let known = first(google, status, &[("retry-after", value)]);
        google.ruling(&known, START).next_attempt.since(START)
    };
    assert_eq!(next(429, "3600"), HOUR);
    assert_eq!(next(503, "3600"), HOUR);
    // Sooner than the protocol's own wait: it does not shorten that.
    assert_eq!(next(503, "1"), 5 * MINUTE);
    assert_eq!(next(503, "99999999999999999999"), 6 * HOUR);
    assert_eq!(next(503, "-1"), 5 * MINUTE);
    assert_eq!(next(503, "18446744073709551615"), 6 * HOUR);
    assert_eq!(next(503, "999999"), 6 * HOUR);
    assert_eq!(next(503, "Tue, 14 Nov 2023 23:13:20 GMT"), HOUR);
    assert_eq!(next(503, "Tue, 14 Nov 2017 23:13:20 GMT"), 5 * MINUTE);
    assert_eq!(next(503, "soon"), 5 * MINUTE);
    assert_eq!(next(502, "3600"), HOUR);
    assert_eq!(next(504, "3600"), HOUR);
    assert_eq!(next(500, "3600"), 5 * MINUTE, "it means something with 429, 502, 503 and 504");
    // With RFC 9309 a 429 is an answer. The header is kept for the caller.
    let known = first(&Protocol::RFC9309, 429, &[("retry-after", "3600")]);
    assert_eq!(known.retry_after, Some(START + HOUR));
    assert_eq!(at(&Protocol::RFC9309, &known, SECOND), (SiteKind::AllowAll, Why::Absent));
    // The next answer replaces it.
    assert_eq!(then(&Protocol::RFC9309, &known, START + DAY, 200).retry_after, None);
}

/// Servers send these; asked with, they are answered by errors, or match whatever the file is.
#[test]
fn validators_that_cannot_be_asked_with() {
    for (etag, date, sent) in [
        ("", "yesterday", 0),
        (" ", "", 0),
        ("*", "0", 0),
        ("", "Tue, 14 Nov 2023 22:13:20", 0),
        ("", "2023-11-14T22:13:20Z", 0),
        ("\"\"", "-1", 1),
        ("unquoted", "now", 1),
        ("", "Tue, 14 Nov 2023 22:13:20 GMT", 1),
        ("W/\"a\"", "Tuesday, 14-Nov-23 22:13:20 GMT", 2),
    ] {
        let known = first(&Protocol::RFC9309, 200, &[("etag", etag), ("last-modified", date)]);
        assert_eq!(known.copy.as_ref().unwrap().validators().len(), sent, "{etag:?} {date:?}");
        assert_eq!(Protocol::RFC9309.conditional_on(&known).is_some(), sent > 0, "{etag} {date}");
    }
}

/// A store from an archive may know nothing but a 5xx of a site that answers so for missing pages.
#[test]
fn errors_that_mean_absent_are_read_anew() {
    let known = first(&Protocol::RFC9309, 500, &[]);
    assert_eq!(at(&Protocol::RFC9309, &known, SECOND).0, SiteKind::DisallowAll);
    let allowing = Protocol { errors_mean_absent: true, ..Protocol::RFC9309 };
    assert_eq!(at(&allowing, &known, SECOND), (SiteKind::AllowAll, Why::Absent));
}

#[test]
fn validators() {
    let headers = [("etag", "\"a\""), ("last-modified", "Tue, 14 Nov 2023 22:13:20 GMT")];
    for protocol in &ALL {
        let known = first(protocol, 200, &headers);
        let copy = known.copy.as_ref().unwrap();
        assert_eq!(copy.etag.as_deref(), Some(&b"\"a\""[..]));
        assert_eq!(copy.last_modified.as_deref(), Some(&b"Tue, 14 Nov 2023 22:13:20 GMT"[..]));
        assert_eq!(protocol.conditional_on(&known).is_some(), protocol.conditional);
        let without = first(protocol, 200, &[]);
        assert_eq!(protocol.conditional_on(&without), None);
        let same = then(protocol, &known, START + DAY, 304);
        if protocol.conditional {
            // The same copy is fresh for another day.
            let wanted = CachedCopy { at: START + DAY, ..copy.clone() };
            assert_eq!(same.copy, Some(wanted));
            assert_eq!(at(protocol, &same, 2 * DAY - SECOND), (SiteKind::Rules, Why::Copy));
        } else {
            // The request was unconditional.
            assert_eq!(same.last, Outcome::Unreachable(Cause::Status(304)));
        }
        // The new answer's header sets the lifetime from now on.
        let result = answer(304, &[("cache-control", "max-age=3600")], b"");
        let same = protocol.after(Some(&known), &attempt(START + DAY, result)).unwrap();
        if protocol.conditional {
            assert_eq!(same.copy.unwrap().lifetime, 3600);
        }
    }
    let rfc = &Protocol::RFC9309;
    let refreshed = |old: &[(&str, &str)], new: &[(&str, &str)]| {
        let known = first(rfc, 200, old);
        let same = rfc.after(Some(&known), &attempt(START + DAY, answer(304, new, b""))).unwrap();
        assert_eq!(same.last, Outcome::Present);
        same.copy.unwrap()
    };
    // What a 304 does not say remains.
    let old = [headers[0], headers[1], ("cache-control", "max-age=3600")];
    let copy = refreshed(&old, &[]);
    assert_eq!((copy.lifetime, copy.at), (3600, START + DAY));
    assert_eq!(copy.etag.as_deref(), Some(&b"\"a\""[..]));
    assert_eq!(refreshed(&old, &[("cache-control", "public")]).lifetime, 3600);
    assert_eq!(refreshed(&old, &[("cache-control", "max-age=7200")]).lifetime, 7200);
    assert_eq!(refreshed(&headers, &[]).lifetime, 86_400);
    // `Expires` does not end the stored `max-age`, only another `Expires`; and `Age` counts.
    assert_eq!(refreshed(&old, &[("expires", "0")]).lifetime, 3600);
    assert_eq!(refreshed(&old, &[("age", "2000")]).lifetime, 1600);
    assert_eq!(refreshed(&old, &[("expires", "0"), ("age", "2000")]).lifetime, 1600);
    assert_eq!(refreshed(&old, &[("expires", "0"), ("cache-control", "no-cache")]).lifetime, 600);
    let expires =
        [headers[0], ("date", headers[1].1), ("expires", "Wed, 15 Nov 2023 00:13:20 GMT")];
    assert_eq!(refreshed(&expires, &[]).lifetime, 7200);
    assert_eq!(refreshed(&expires, &[("age", "2000")]).lifetime, 5200);
    assert_eq!(refreshed(&expires, &[("expires", "0")]).lifetime, 600);
    // An age counts once, and a bound does not become what the site has said.
    let aged = [headers[0], ("cache-control", "max-age=864000"), ("age", "7100")];
    let copy = refreshed(&aged, &[]);
    assert_eq!((copy.lifetime, copy.stated), (86_400, Some(StatedLifetime::MaxAge(864_000))));
    let google = &Protocol::GOOGLE;
    let known = first(google, 200, &aged);
    let lifetime = |new: &[(&str, &str)]| {
        let same = google.after(Some(&known), &attempt(START + DAY, answer(304, new, b"")));
        same.unwrap().copy.unwrap().lifetime
    };
    assert_eq!((lifetime(&[("expires", "0")]), lifetime(&[("age", "300000")])), (604_800, 564_000));
    // What it says replaces it.
    let date = "Wed, 15 Nov 2023 22:13:20 GMT";
    let copy = refreshed(&old, &[("etag", "\"b\""), ("last-modified", date)]);
    assert_eq!(copy.etag.as_deref(), Some(&b"\"b\""[..]));
    assert_eq!(copy.last_modified.as_deref(), Some(date.as_bytes()));
    let long = "x".repeat(513);
    assert_eq!(refreshed(&old, &[("etag", &long)]).etag, None);
    // A lifetime that another protocol allowed.
    let known = first(&Protocol::GOOGLE, 200, &[headers[0], ("cache-control", "max-age=604800")]);
    assert_eq!(then(rfc, &known, START + DAY, 304).copy.unwrap().lifetime, 86_400);
    let known = first(&Protocol::RFC9309, 200, &[("etag", &long)]);
    assert_eq!(known.copy.unwrap().etag, None);
}

#[test]
fn conditions() {
    let condition = |body: &[u8], is_truncated| {
        let mut result = answer(200, &[], body);
        result.as_mut().unwrap().is_truncated = is_truncated;
        Protocol::RFC9309.after(None, &attempt(START, result)).unwrap().condition()
    };
    assert_eq!(condition(RULES, false), Condition::Parsed);
    assert_eq!(condition(b"# nothing but a comment", false), Condition::Parsed);
    assert_eq!(condition(b"", false), Condition::Empty);
    assert_eq!(condition(b"\xef\xbb\xbf \r\n\t", false), Condition::Empty);
    for body in ["<!DOCTYPE html>", "\u{feff}\n <HTML lang=x>", "<?xml version", "<title>x"] {
        assert_eq!(condition(body.as_bytes(), false), Condition::LooksLikeHtml, "{body}");
    }
    assert_eq!(condition(b"<", false), Condition::Parsed);
    assert_eq!(condition(b"<html", true), Condition::Truncated);
    assert_eq!(condition(RULES, true), Condition::Truncated);
}

/// A file in UTF-16 is read, so it does not allow everything without a word.
#[test]
fn a_body_in_utf_16() {
    let text = "User-agent: *\r\nDisallow: /x\r\n";
    for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        let response = Response::new(200, units.flat_map(bytes).collect::<Vec<u8>>());
        assert!(response.is_transcoded);
        assert_eq!(response.body, text.as_bytes());
        let known = Protocol::RFC9309.after(None, &attempt(START, Ok(response))).unwrap();
        let copy = known.copy.unwrap();
        assert_eq!(copy.content, ContentHash::of(text.as_bytes()));
        assert_eq!((copy.len as usize, copy.condition()), (text.len(), Condition::Parsed));
    }
    assert!(!Response::new(200, RULES).is_transcoded);
}

#[test]
fn rules_count_for_the_first_origin() {
    let redirects = ["https://e.com/robots.txt", "https://cdn.e.net/r.txt"]
        .map(|to| Redirect { status: 301, to: to.into() });
    let attempt = Attempt::new(START, answer(200, &[], RULES)).with_redirects(redirects.into());
    let known = Protocol::RFC9309.after(None, &attempt).unwrap();
    assert_eq!(known.copy.unwrap().final_url.as_deref(), Some("https://cdn.e.net/r.txt"));
}

/// What was fetched while the clock was wrong does not stay in use for ever.
#[test]
fn clocks_that_were_wrong() {
    let rfc = &Protocol::RFC9309;
    for status in [200, 404, 500] {
        let known = first(rfc, status, &[]);
        let ruling = rfc.ruling(&known, START);
        assert_eq!(ruling.valid_from, START - 5 * MINUTE);
        for now in [START - 5 * MINUTE, START, ruling.next_attempt - SECOND] {
            assert!(ruling.is_current_at(now));
            assert_eq!(rfc.ruling(&known, now), ruling);
        }
        // Set back, and set forward by years.
        for now in [START - 5 * MINUTE - SECOND, Timestamp(0), START + 3650 * DAY] {
            assert!(!ruling.is_current_at(now));
            let ruling = rfc.ruling(&known, now);
            assert!(ruling.is_expired && ruling.next_attempt <= now && !ruling.is_current_at(now));
        }
    }
    let known = first(rfc, 200, &[]);
    let unreachable = then(rfc, &known, START + SECOND, 500);
    // Unknown how old, but still the last good copy.
    assert_eq!(rfc.ruling(&unreachable, Timestamp(0)).holds, SiteKind::Rules);
    // A failure from the future neither delays the next attempt nor counts as the beginning of
    // the unreachable time.
    let failed = rfc.after(None, &attempt(START + 3000 * DAY, answer(500, &[], b""))).unwrap();
    let ruling = rfc.ruling(&failed, START);
    assert_eq!((ruling.holds, ruling.next_attempt), (SiteKind::DisallowAll, START));
    let failed = then(rfc, &failed, START, 500);
    assert_eq!((failed.unreachable_since, failed.failures), (Some(START), 1));
    // The clock jumps ahead and back: no 30 days have passed.
    for jump in [31 * DAY, 3650 * DAY] {
        let times = [Duration::ZERO, MINUTE, 2 * MINUTE, 3 * MINUTE, jump];
        assert_eq!(stays(rfc, None, &times), (SiteKind::DisallowAll, Why::UnreachableWithoutCopy));
        let back = failing(rfc, None, &[&times[..], &[HOUR]].concat());
        assert_eq!((back.unreachable_since, back.failures), (Some(START + HOUR), 1));
    }
    // A copy from the future is not fresh once an attempt fails, and a page's answer from the
    // future does not count.
    let google = &Protocol::GOOGLE;
    let mut late = first(google, 200, &[]);
    late.copy.as_mut().unwrap().at = START + 3650 * DAY;
    late.site_answered = Some(START + 3650 * DAY);
    let failed = then(google, &late, START, 500);
    assert_eq!(at(google, &failed, SECOND), (SiteKind::DisallowAll, Why::UnreachableRecently));
    assert_eq!(failed.site_answered, None);
    // No addition of times overflows.
    let end = Timestamp(u64::MAX);
    for protocol in &ALL {
        for status in [200, 404, 429, 500] {
            let known = protocol.after(None, &attempt(end, answer(status, &[], RULES))).unwrap();
            for now in [Timestamp(0), START, end] {
                let _ = protocol.ruling(&known, now);
                let _ = protocol.after(Some(&known), &attempt(now, answer(500, &[], b"")));
            }
        }
    }
}

/// A store may be read by another protocol than the one that made it.
#[test]
fn too_many_requests_are_read_anew() {
    let (rfc, google) = (Protocol::RFC9309, Protocol::GOOGLE);
    let known = first(&rfc, 429, &[]);
    assert_eq!(at(&rfc, &known, SECOND), (SiteKind::AllowAll, Why::Absent));
    assert_eq!(at(&google, &known, SECOND), (SiteKind::DisallowAll, Why::UnreachableRecently));
    assert!(google.ruling(&known, START + HOUR).is_expired);
    let known = first(&google, 429, &[]);
    assert_eq!(at(&google, &known, SECOND), (SiteKind::DisallowAll, Why::UnreachableRecently));
    assert_eq!(at(&rfc, &known, SECOND), (SiteKind::AllowAll, Why::Absent));
}

#[test]
fn a_network_that_asks_for_a_login() {
    for protocol in ALL {
        let login = attempt(START, answer(511, &[], b""));
        assert_eq!(protocol.after(None, &login).unwrap_err().kind, LocalKind::Unconfirmed);
    }
}

/// Failures that nothing has confirmed are not counted, and do not end what is held.
#[test]
fn unconfirmed_failures_do_not_count() {
    for protocol in ALL {
        let mut known = first(&protocol, 200, &[]);
        let held = known.clone();
        for day in [1, 8, 15, 22, 31] {
            let silence = attempt(START + DAY * day, Err(Failure::TimedOut(Stage::Connect)));
            let fault = protocol.after(Some(&known), &silence.clone().confirmed(false));
            assert_eq!(fault.unwrap_err().kind, LocalKind::Unconfirmed);
            known = protocol.after(Some(&known), &silence).unwrap();
        }
        assert_eq!(known.failures, 5);
        assert_eq!(at(&protocol, &held, HOUR), (SiteKind::Rules, Why::Copy));
        // What is confirmed is the site's, a status 511 too.
        let login = attempt(START, answer(511, &[], b"")).confirmed(true);
        let known = protocol.after(None, &login).unwrap();
        assert_eq!(known.last, Outcome::Unreachable(Cause::Status(511)));
        // And so it is in the events of its state.
        let judged = protocol.judge(&known.events(), AsOf::Capture).unwrap();
        assert_eq!(judged.holds, protocol.ruling(&known, START).holds);
    }
}

/// It may forbid anything: the answer counts as a broken one, and the file before it stays.
#[test]
fn a_compressed_file_has_not_been_read() {
    for begin in [&b"\x1f\x8b\x08"[..], b"\x28\xb5\x2f\xfd", b"BZh91AY&SY", b"\xfd7zXZ\0"] {
        let unread = attempt(START + DAY, answer(200, &[], begin));
        for protocol in ALL {
            let alone = protocol.after(None, &unread).unwrap();
            assert!(matches!(
                &alone.last,
                Outcome::Unreachable(Cause::Failure(Failure::Encoding(_)))
            ));
            assert_eq!(alone.body_of(&unread), None);
            let known = protocol.after(Some(&first(&protocol, 200, &[])), &unread).unwrap();
            assert_eq!(known.copy.as_ref().map(|copy| copy.content), Some(ContentHash::of(RULES)));
            assert_eq!(known.body_of(&unread), None);
        }
        assert_eq!(Said::of(unread.result.as_ref(), START), Some(Said::Failed));
    }
}

/// A 304 would keep it cut, though the limit may have been raised.
#[test]
fn a_copy_that_was_cut_is_fetched_whole() {
    let mut response = answer(200, &[("etag", "\"a\"")], RULES).unwrap();
    for is_truncated in [false, true] {
        response.is_truncated = is_truncated;
        let known = Protocol::RFC9309.after(None, &attempt(START, Ok(response.clone()))).unwrap();
        assert_eq!(Protocol::RFC9309.conditional_on(&known).is_none(), is_truncated);
    }
}

#[test]
fn hashes_are_read_as_they_are_written() {
    let hash = ContentHash::of(b"User-agent: *");
    let text = hash.to_string();
    assert_eq!(text.parse(), Ok(hash));
    assert_eq!(text.to_uppercase().parse(), Ok(hash));
    for wrong in ["", &text[1..], &text[2..], &format!("{text}00"), &text.replace('b', "g")] {
        assert!(wrong.parse::<ContentHash>().is_err(), "{wrong}");
    }
}

/// Half a file, which nobody asked for, is no file: what it lacks may forbid.
#[test]
fn a_part_of_a_file_is_no_file() {
    for protocol in ALL {
        let known = first(&protocol, 206, &[]);
        assert_eq!(known.last, Outcome::Unreachable(Cause::Status(206)));
        assert_eq!(at(&protocol, &known, SECOND).0, SiteKind::DisallowAll);
        // The last good copy stays.
        let held = first(&protocol, 200, &[]);
        let known = protocol.after(Some(&held), &attempt(START + HOUR, answer(206, &[], b"x")));
        assert_eq!(known.unwrap().copy.unwrap().content, held.copy.unwrap().content);
        // With 200 its rules apply, and it is no more than a part: of uses it may say more.
        for (range, is_part) in [("bytes 0-9/20", true), ("bytes 0-9/10", false)] {
            let known = first(&protocol, 200, &[("content-range", range)]);
            assert_eq!(known.copy.unwrap().is_truncated, is_part, "{range}");
        }
    }
}
