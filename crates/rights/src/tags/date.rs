//! The dates of `unavailable_after`: RFC 822, RFC 850 and ISO 8601.

use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::{rfc2822, strtime, temporal};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};

/// The longest date that is read, in bytes.
const MAX_BYTES: usize = 64;

static RFC_2822: rfc2822::DateTimeParser = rfc2822::DateTimeParser::new().relaxed_weekday(true);
static ISO_8601: temporal::DateTimeParser = temporal::DateTimeParser::new();

/// The days of the week, with which the dates of RFC 850 and RFC 822 begin.
const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Returns true if this is a day of the week or its first three letters, so that a comma after it
/// belongs to a date.
pub(super) fn is_weekday(text: &[u8]) -> bool {
    WEEKDAYS.iter().any(|day| {
        let day = day.as_bytes();
        text.eq_ignore_ascii_case(day) || text.eq_ignore_ascii_case(&day[..3])
    })
}

/// The time of a date in seconds since 1970. `None` if it is none, or too long for one.
///
/// Without a zone it is in UTC, without a time it is midnight.
pub(super) fn seconds(text: &[u8]) -> Option<i64> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let text = str::from_utf8(text).ok()?.trim_ascii();
    let begins_with_year =
        text.len() >= 4 && text.bytes().take(4).all(|byte| byte.is_ascii_digit());
    if begins_with_year {
        return Some(iso_8601(text)?.as_second());
    }
    let of_rfc = |text: &str| match memchr::memchr(b'-', text.as_bytes()) {
        Some(_) => rfc_850(text).or_else(|| rfc_822(text)),
        None => rfc_822(text),
    };
    let time = of_rfc(text).or_else(|| of_rfc(&format!("{text} GMT"))).or_else(|| asctime(text));
    let full = || of_rfc(&with_short_month(text)?);
    Some(time.or_else(full)?.as_second())
}

/// The time of a date that a day of the week and a comma precede.
pub(super) fn seconds_on(weekday: &[u8], date: &[u8]) -> Option<i64> {
    if date.len() > MAX_BYTES {
        return None;
    }
    seconds(&[weekday, b", ", date.trim_ascii()].concat())
}

fn iso_8601(text: &str) -> Option<Timestamp> {
    if let Ok(time) = ISO_8601.parse_timestamp(text) {
        return Some(time);
    }
    if let Some(time) = ISO_8601.parse_datetime(text).ok().and_then(in_utc) {
        return Some(time);
    }
    // Midnight at the end of a day.
    let (date, rest) = text.split_once("T24:00")?;
    let zone = rest.strip_prefix(":00").unwrap_or(rest);
    let is_midnight = !zone.starts_with([':', '.']);
    let begins = is_midnight.then(|| iso_8601(&[date, "T00:00:00", zone].concat())).flatten()?;
    begins.checked_add(SignedDuration::from_hours(24)).ok()
}

/// `Sunday, 15-Feb-26 10:00:00 GMT`, or `15-Feb-2026 10:00:00 GMT`, as Google once wrote it.
fn rfc_850(text: &str) -> Option<Timestamp> {
    let rest = match text.split_once(',') {
        Some((day, rest)) if is_weekday(day.trim_ascii().as_bytes()) => rest,
        Some(_) => return None,
        None => text,
    };
    let (date_and_time, zone) = rest.trim_ascii().rsplit_once(' ')?;
    let parsed = strtime::parse("%d-%b-%y %H:%M:%S", date_and_time)
        .or_else(|_| strtime::parse("%d-%b-%Y %H:%M:%S", date_and_time));
    let local = parsed.ok()?.to_datetime().ok()?;
    // The zones of RFC 822.
    let offset = rfc_822(&format!("1 Jan 2000 00:00:00 {zone}"))?;
    let midnight = in_utc(DateTime::from_parts(Date::constant(2000, 1, 1), Time::midnight()))?;
    in_utc(local)?.checked_add(offset.duration_since(midnight)).ok()
}

/// `25 Jun 2010 15:00:00 PST`, with or without a day of the week; the year may have two digits.
fn rfc_822(text: &str) -> Option<Timestamp> {
    RFC_2822.parse_timestamp(text).ok()
}

/// `Sat Sep 21 15:00:00 2024` (RFC 9110 §5.6.7), always in UTC.
fn asctime(text: &str) -> Option<Timestamp> {
    in_utc(strtime::parse("%a %b %e %H:%M:%S %Y", text).ok()?.to_datetime().ok()?)
}

/// The text with the first three letters of a month in place of its whole name.
fn with_short_month(text: &str) -> Option<String> {
    const MONTHS: [&str; 11] = [
        "January",
        "February",
        "March",
        "April",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    MONTHS.iter().find_map(|month| {
        let at = text.to_ascii_lowercase().find(&month.to_ascii_lowercase())?;
        Some([&text[..at + 3], &text[at + month.len()..]].concat())
    })
}

fn in_utc(local: DateTime) -> Option<Timestamp> {
    TimeZone::fixed(Offset::UTC).to_timestamp(local).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<String> {
        Some(Timestamp::from_second(seconds(text.as_bytes())?).unwrap().to_string())
    }

    #[test]
    fn dates() {
        for (text, wanted) in [
            ("2026-02-15T10:00:00+00:00", "2026-02-15T10:00:00Z"),
            ("2026-02-15T10:00:00Z", "2026-02-15T10:00:00Z"),
            ("2026-02-15T10:00:00.5+02:00", "2026-02-15T08:00:00Z"),
            ("2026-02-15 10:00:00Z", "2026-02-15T10:00:00Z"),
            ("2026-02-15T10:00:00", "2026-02-15T10:00:00Z"),
            ("2026-02-15", "2026-02-15T00:00:00Z"),
            ("20260215T100000Z", "2026-02-15T10:00:00Z"),
            ("2026-02-14T24:00:00Z", "2026-02-15T00:00:00Z"),
            ("2026-02-14T24:00+01:00", "2026-02-14T23:00:00Z"),
            ("2026-02-14T24:00", "2026-02-15T00:00:00Z"),
            ("Sunday, 15-Feb-26 10:00:00 GMT", "2026-02-15T10:00:00Z"),
            ("Sunday, 15-Feb-26 10:00:00 EST", "2026-02-15T15:00:00Z"),
            ("sun, 15-Feb-2026 10:00:00 UTC", "2026-02-15T10:00:00Z"),
            ("Friday, 31-Dec-99 23:59:59 GMT", "1999-12-31T23:59:59Z"),
            ("15 Feb 2026 10:00:00 PST", "2026-02-15T18:00:00Z"),
            ("15 Feb 26 10:00 GMT", "2026-02-15T10:00:00Z"),
            ("15-Feb-2026 10:00:00 EST", "2026-02-15T15:00:00Z"),
            ("15 Feb 2026 10:00:00", "2026-02-15T10:00:00Z"),
            ("15-Feb-2026 10:00:00", "2026-02-15T10:00:00Z"),
            ("Sun, 15 Feb 2026 10:00:00 +0100", "2026-02-15T09:00:00Z"),
            // A wrong day of the week changes nothing.
            ("Mon, 15 Feb 2026 10:00:00 GMT", "2026-02-15T10:00:00Z"),
            ("Sun Feb 15 10:00:00 2026", "2026-02-15T10:00:00Z"),
            ("15 February 2026 10:00:00 EST", "2026-02-15T15:00:00Z"),
            ("Sunday, 15-february-26 10:00:00 GMT", "2026-02-15T10:00:00Z"),
            ("  15 Feb 2026 10:00:00 GMT ", "2026-02-15T10:00:00Z"),
        ] {
            assert_eq!(shown(text).as_deref(), Some(wanted), "{text}");
        }
        for text in ["", "never", "Sunday", "15", "2026-13-01", "2026-02-30", "15-Feb-26", "\u{e9}"]
        {
            assert_eq!(shown(text), None, "{text}");
        }
        assert_eq!(seconds(&[b'1'; 1_000_000]), None);
        assert_eq!(seconds(b"\xff"), None);
    }

    #[test]
    fn weekdays() {
        assert!(is_weekday(b"Sunday") && is_weekday(b"sun") && is_weekday(b"WED"));
        assert!(!is_weekday(b"su") && !is_weekday(b"sund") && !is_weekday(b""));
    }
}
