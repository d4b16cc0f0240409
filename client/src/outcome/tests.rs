//! Every time limit of every protocol, one second before and after.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use robotsieve::{FetchRules, Profile};

use super::*;
use crate::Timestamp;

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
    let headers: HeaderMap = headers.iter().map(header).collect();
    Ok(Response { status, headers, body: body.to_vec(), is_truncated: false })
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
fn at(protocol: &Protocol, known: &OriginState, after: Duration) -> (Holds, Why) {
    let ruling = protocol.ruling(known, START + after);
    (ruling.holds, ruling.why)
}

/// Checks that the ruling changes at this time, and that `until` announces it.
fn changes(
    protocol: &Protocol,
    known: &OriginState,
    after: Duration,
    from: (Holds, Why),
    to: (Holds, Why),
) {
    assert_eq!(at(protocol, known, after - SECOND), from, "before");
    assert_eq!(protocol.ruling(known, START + after - SECOND).until, START + after);
    assert_eq!(at(protocol, known, after), to, "at");
    assert_eq!(at(protocol, known, after + SECOND), to, "after");
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
                Parsed => Holds::Rules,
                Absent => Holds::AllowAll,
                _ => Holds::DisallowAll,
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
        Failure::Refused([127, 0, 0, 1].into()),
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
            assert_eq!(at(protocol, &known, SECOND).0, Holds::DisallowAll);
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
            assert_eq!(at(protocol, &known, SECOND), (Holds::AllowAll, Why::Absent));
        }
    }
}

/// An answer after more redirects than the protocol allows counts as absent.
#[test]
fn redirects_beyond_the_limit() {
    let hops = |count: usize, result| {
        let hop = |hop| Redirect { status: 301, to: format!("https://e.com/{hop}") };
        Attempt { at: START, redirects: (0..count).map(hop).collect(), result }
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
            [(200, (Holds::Rules, Why::Copy)), (404, (Holds::AllowAll, Why::Absent))]
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
        (&[("cache-control", "max-age=99999999999999999999")], DAY, DAY),
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
        (&[("expires", "never")], DAY, DAY),
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
    use Holds::{AllowAll, DisallowAll};
    let known = |protocol| first(protocol, 500, &[]);
    let rfc = &Protocol::RFC9309;
    changes(
        rfc,
        &known(rfc),
        30 * DAY,
        (DisallowAll, Why::UnreachableWithoutCopy),
        (AllowAll, Why::UnreachableTooLong),
    );
    let google = &Protocol::GOOGLE;
    changes(
        google,
        &known(google),
        12 * HOUR,
        (DisallowAll, Why::UnreachableRecently),
        (AllowAll, Why::UnreachableWithoutCopy),
    );
    changes(
        google,
        &known(google),
        30 * DAY,
        (AllowAll, Why::UnreachableWithoutCopy),
        (DisallowAll, Why::UnreachableTooLong),
    );
    let answers = OriginState { site_answered: Some(START + DAY), ..known(google) };
    changes(
        google,
        &answers,
        30 * DAY,
        (AllowAll, Why::UnreachableWithoutCopy),
        (AllowAll, Why::UnreachableTooLong),
    );
    // Answers from before the site became unreachable do not count.
    let answered = OriginState { site_answered: Some(START - SECOND), ..known(google) };
    assert_eq!(at(google, &answered, 31 * DAY).0, DisallowAll);
    let classic = &Protocol::GOOGLE_CLASSIC;
    for days in [0, 1, 29, 30, 31, 10_000] {
        let holds = at(classic, &known(classic), DAY * days);
        assert_eq!(holds, (DisallowAll, Why::UnreachableWithoutCopy));
    }
}

/// The site becomes unreachable when its copy is an hour old.
#[test]
fn unreachable_with_a_copy() {
    use Holds::{AllowAll, DisallowAll, Rules};
    let stale = (Rules, Why::CopyWhileUnreachable);
    for protocol in &ALL {
        let mut known = first(protocol, 200, &[]);
        // Further attempts fail; what counts is the time of the first failure.
        for hours in [1, 2, 7, 100, 600] {
            known = then(protocol, &known, START + HOUR * hours, 503);
            assert_eq!(known.unreachable_since, Some(START + HOUR));
        }
        assert_eq!(known.failures, 5);
        // While the copy is fresh, it applies as if nothing had happened.
        assert_eq!(at(protocol, &known, 2 * HOUR), stale);
        let limit = HOUR + 30 * DAY;
        if protocol.unreachable_limit == Duration::MAX {
            assert_eq!(at(protocol, &known, limit * 1000), stale);
        } else if protocol.after_limit == AfterLimit::AllowAll {
            changes(protocol, &known, limit, stale, (AllowAll, Why::UnreachableTooLong));
        } else {
            changes(protocol, &known, limit, stale, (DisallowAll, Why::UnreachableTooLong));
        }
        // The site answers again.
        let back = then(protocol, &known, START + 10 * DAY, 200);
        assert_eq!(at(protocol, &back, 10 * DAY), (Rules, Why::Copy));
        assert_eq!((back.failures, back.unreachable_since), (0, None));
        // The site says that it has no robots.txt: the copy is dropped.
        let gone = then(protocol, &known, START + 10 * DAY, 404);
        assert_eq!(at(protocol, &gone, 10 * DAY), (AllowAll, Why::Absent));
        let again = then(protocol, &gone, START + 11 * DAY, 500);
        assert_eq!(at(protocol, &again, 11 * DAY).0, DisallowAll);
        assert_eq!(again.unreachable_since, Some(START + 11 * DAY));
    }
}

/// Google's grace period begins with the first failure. A copy applies until it is no longer
/// fresh, and again after the grace period.
#[test]
fn the_first_twelve_hours() {
    use Holds::{DisallowAll, Rules};
    let google = &Protocol::GOOGLE;
    let stale = (Rules, Why::CopyWhileUnreachable);
    let lately = (DisallowAll, Why::UnreachableRecently);
    let known = then(google, &first(google, 200, &[]), START + 23 * HOUR, 500);
    changes(google, &known, DAY, stale, lately);
    changes(google, &known, 35 * HOUR, lately, stale);
    let known = then(google, &first(google, 200, &[]), START + 2 * DAY, 500);
    changes(google, &known, 60 * HOUR, lately, stale);
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
    known = then(rfc, &known, START, 500);
    assert_eq!(known.failures, u32::MAX);
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
    assert_eq!(next(503, "99999999999999999999"), 5 * MINUTE);
    assert_eq!(next(503, "18446744073709551615"), 6 * HOUR);
    assert_eq!(next(503, "999999"), 6 * HOUR);
    assert_eq!(next(503, "Tue, 14 Nov 2023 23:13:20 GMT"), HOUR);
    assert_eq!(next(503, "Tue, 14 Nov 2017 23:13:20 GMT"), 5 * MINUTE);
    assert_eq!(next(503, "soon"), 5 * MINUTE);
    assert_eq!(next(500, "3600"), 5 * MINUTE, "it means something with 429 and 503");
    // With RFC 9309 a 429 is an answer. The header is kept for the caller.
    let known = first(&Protocol::RFC9309, 429, &[("retry-after", "3600")]);
    assert_eq!(known.retry_after, Some(START + HOUR));
    assert_eq!(at(&Protocol::RFC9309, &known, SECOND), (Holds::AllowAll, Why::Absent));
    // The next answer replaces it.
    assert_eq!(then(&Protocol::RFC9309, &known, START + DAY, 200).retry_after, None);
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
            assert_eq!(at(protocol, &same, 2 * DAY - SECOND), (Holds::Rules, Why::Copy));
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
    let long = "x".repeat(513);
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

#[test]
fn rules_count_for_the_first_origin() {
    let redirects = ["https://e.com/robots.txt", "https://cdn.e.net/r.txt"]
        .map(|to| Redirect { status: 301, to: to.into() });
    let attempt =
        Attempt { at: START, redirects: redirects.into(), result: answer(200, &[], RULES) };
    let known = Protocol::RFC9309.after(None, &attempt).unwrap();
    assert_eq!(known.copy.unwrap().final_url.as_deref(), Some("https://cdn.e.net/r.txt"));
}

/// A copy that was fetched while the clock was wrong does not stay in use for ever.
#[test]
fn clocks_that_were_wrong() {
    let rfc = &Protocol::RFC9309;
    let known = first(rfc, 200, &[]);
    let expired = |now| rfc.ruling(&known, now).is_expired;
    assert!(!expired(START - 5 * MINUTE));
    assert!(expired(START - 5 * MINUTE - SECOND));
    assert!(expired(Timestamp(0)));
    let unreachable = then(rfc, &known, START + SECOND, 500);
    let ruling = rfc.ruling(&unreachable, Timestamp(0));
    // No longer fresh, but still the last good copy.
    assert_eq!((ruling.holds, ruling.until), (Holds::Rules, START + SECOND + 30 * DAY));
    // A failure from the future neither delays the next attempt nor counts as the beginning of
    // the unreachable time.
    let failed = rfc.after(None, &attempt(START + 3000 * DAY, answer(500, &[], b""))).unwrap();
    let ruling = rfc.ruling(&failed, START);
    assert_eq!((ruling.holds, ruling.next_attempt), (Holds::DisallowAll, START));
    let failed = then(rfc, &failed, START, 500);
    assert_eq!(failed.unreachable_since, Some(START));
    assert_eq!(at(rfc, &failed, 30 * DAY), (Holds::AllowAll, Why::UnreachableTooLong));
    // No addition of times overflows.
    let end = Timestamp(u64::MAX);
    for protocol in &ALL {
        for status in [200, 404, 429, 500] {
            let known = protocol.after(None, &attempt(end, answer(status, &[], RULES))).unwrap();
            for now in [Timestamp(0), START, end] {
                let _ = protocol.ruling(&known, now);
            }
        }
    }
}
