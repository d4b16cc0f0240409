//! Times in headers: `Cache-Control`, `Age`, `Expires`, `Retry-After`.
//!
//! The reader is a private cache (RFC 9111): `s-maxage`, `proxy-revalidate` and `private` mean
//! nothing to it. `must-revalidate` changes nothing either, because what applies while a site is
//! unreachable is settled by the standards for robots.txt.
//!
//! Crates that were tried: `http-cache-semantics` 3.0 knows directives only in lower case, takes
//! a `max-age` that overflows for 0, uses the first of two, does not read the older forms of
//! dates, and panics on a large `Age`; `headers` 0.4 takes an invalid `Expires` or `max-age` for
//! none.

use std::time::Duration;

use http::header::{AGE, CACHE_CONTROL, DATE, EXPIRES, RETRY_AFTER};
use http::{HeaderMap, HeaderName};

use super::state::StatedLifetime;
use crate::time::Timestamp;

/// The time for which an answer may be used from now on, as its headers say; `None` if they do not
/// say.
pub(super) fn lifetime(headers: &HeaderMap, at: Timestamp) -> Option<Duration> {
    Some(from_now_on(stated(headers, at)?, headers))
}

/// What remains of a lifetime by the `Age` of an answer. No other age is known (RFC 9111, section
/// 4.2.3, allows this), so a site whose clock is wrong does no harm.
pub(super) fn from_now_on(stated: StatedLifetime, headers: &HeaderMap) -> Duration {
    stated.as_duration().saturating_sub(age(headers))
}

/// The lifetime that the headers of an answer state. `Expires` is compared with the `Date` of the
/// same answer.
pub(super) fn stated(headers: &HeaderMap, at: Timestamp) -> Option<StatedLifetime> {
    let by_cache_control = from_cache_control(headers).map(StatedLifetime::max_age);
    by_cache_control.or_else(|| from_expires(headers, at).map(StatedLifetime::expires))
}

/// The lifetime by `Cache-Control`. Of several the shortest counts, and one that is not a number
/// is zero: RFC 9111, section 4.2.1.
fn from_cache_control(headers: &HeaderMap) -> Option<Duration> {
    let values = headers.get_all(CACHE_CONTROL).iter().map(|value| value.as_bytes());
    values.flat_map(Directives).filter_map(|directive| stated_by(directive.trim_ascii())).min()
}

/// The lifetime that a directive states.
fn stated_by(directive: &[u8]) -> Option<Duration> {
    let equals = directive.iter().position(|byte| *byte == b'=');
    let (name, value) = match equals {
        Some(at) => (directive[..at].trim_ascii_end(), directive[at + 1..].trim_ascii_start()),
        None => (directive, &b""[..]),
    };
    if name.eq_ignore_ascii_case(b"max-age") {
        let quoted = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\""));
        return Some(delta_seconds(quoted.unwrap_or(value)).unwrap_or_default());
    }
    // `no-cache` with a list of headers counts like one without, as in many caches.
    let is_zero =
        [&b"no-store"[..], b"no-cache"].iter().any(|zero| name.eq_ignore_ascii_case(zero));
    is_zero.then_some(Duration::ZERO)
}

/// The directives of a `Cache-Control` value: separated by commas, except within quotes.
struct Directives<'v>(&'v [u8]);

impl<'v> Iterator for Directives<'v> {
    type Item = &'v [u8];

    fn next(&mut self) -> Option<&'v [u8]> {
        if self.0.is_empty() {
            return None;
        }
        let (mut is_quoted, mut is_escaped) = (false, false);
        let end = self.0.iter().position(|byte| {
            let is_plain = !std::mem::take(&mut is_escaped);
            match byte {
                b'\\' if is_quoted => is_escaped = is_plain,
                b'"' if is_plain => is_quoted = !is_quoted,
                b',' => return !is_quoted,
                _ => {}
            }
            false
        });
        let (directive, rest) = match end {
            Some(end) => (&self.0[..end], &self.0[end + 1..]),
            None => (self.0, &b""[..]),
        };
        self.0 = rest;
        Some(directive)
    }
}

/// The lifetime by `Expires`. One that is no date has passed: RFC 9111, section 5.3.
fn from_expires(headers: &HeaderMap, at: Timestamp) -> Option<Duration> {
    let dates =
        headers.get_all(EXPIRES).iter().map(|value| Timestamp::of_http_date(value.as_bytes()));
    // `None` is less than any date.
    let Some(expires) = dates.min()? else { return Some(Duration::ZERO) };
    let date = headers.get(DATE).and_then(|value| Timestamp::of_http_date(value.as_bytes()));
    Some(expires.since(date.unwrap_or(at)))
}

/// The age of an answer, by the first member of `Age`. If that is not a number, the answer is new:
/// RFC 9111, section 5.1.
fn age(headers: &HeaderMap) -> Duration {
    let first = first(headers, &AGE).and_then(|value| value.split(|byte| *byte == b',').next());
    first.and_then(|age| delta_seconds(age.trim_ascii())).unwrap_or_default()
}

/// The time before which the site asks for no further request: with 503 (RFC 9110, section 10.2.3), 429
/// (RFC 6585), and with what gateways answer for a site that is overloaded.
pub(crate) fn retry_after(status: u16, headers: &HeaderMap, at: Timestamp) -> Option<Timestamp> {
    let value = first(headers, &RETRY_AFTER).filter(|_| matches!(status, 429 | 502..=504))?;
    delta_seconds(value).map(|wait| at + wait).or_else(|| Timestamp::of_http_date(value))
}

/// The first value of a header, without white space around it.
fn first<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h [u8]> {
    Some(headers.get(name)?.as_bytes().trim_ascii())
}

/// A number of seconds. One that overflows is very long: RFC 9111, section 1.2.2.
fn delta_seconds(text: &[u8]) -> Option<Duration> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let seconds = text.iter().fold(0u64, |seconds, digit| {
        seconds.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
    });
    Some(Duration::from_secs(seconds))
}
