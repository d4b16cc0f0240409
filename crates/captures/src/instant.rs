//! Times as text.

use robotsieve_client::Timestamp;

/// A time as RFC 3339 writes it, with any fraction, which is cut off, and any offset: without one it
/// is UTC. A date alone is its first second in UTC. Returns `None` if it is none, or before 1970.
#[must_use]
pub fn rfc3339(text: &str) -> Option<Timestamp> {
    // `t` and `z` are as good.
    let text = text.to_ascii_uppercase();
    let is_date = text.len() == "2026-11-20".len() && text.as_bytes()[4] == b'-';
    let whole = if is_date { text + "T00:00:00Z" } else { text };
    let (whole, offset) = offset(&whole).unwrap_or((&whole, 0));
    let Timestamp(seconds) = humantime::parse_rfc3339_weak(whole).ok()?.into();
    Some(Timestamp(seconds.saturating_add_signed(-offset)))
}

/// A time as archives write it: as [`rfc3339`], less precisely (a year, a month, a date, a minute: its first
/// second), or as the 14 digits of ARC files. Returns `None` if it is none, or before 1970.
///
/// WARC 1.1, section 5.4; <https://www.w3.org/TR/NOTE-datetime>
#[must_use]
pub fn w3cdtf(text: &str) -> Option<Timestamp> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.len() {
        4 => rfc3339(&format!("{text}-01-01")),
        7 => rfc3339(&format!("{text}-01")),
        14 if digits(text) => {
            let part = |from, to| &text[from..to];
            let (date, hour) = ([part(0, 4), part(4, 6), part(6, 8)].join("-"), part(8, 10));
            rfc3339(&format!("{date}T{hour}:{}:{}Z", part(10, 12), part(12, 14)))
        }
        // The seconds are left out.
        17 | 22 if text.as_bytes()[16] != b':' => {
            let (minute, offset) = text.split_at_checked(16)?;
            rfc3339(&format!("{minute}:00{offset}"))
        }
        _ => rfc3339(text),
    }
}

/// A time of day without its offset from UTC, and that offset in seconds.
fn offset(text: &str) -> Option<(&str, i64)> {
    let (time, offset) = text.split_at_checked(text.len().checked_sub("+02:00".len())?)?;
    let (sign, offset) = match offset.split_at_checked(1)? {
        ("+", offset) => (1, offset),
        ("-", offset) => (-1, offset),
        _ => return None,
    };
    let number = |digits: &str| {
        let are_digits = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<i64>().ok().filter(|_| are_digits)
    };
    let (hours, minutes) = offset.split_once(':')?;
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let is_time =
        time.contains(['T', 't', ' ']) && !time.ends_with(['Z', 'z']) && hours < 24 && minutes < 60;
    is_time.then_some((time, sign * (hours * 60 + minutes) * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_archives() {
        let wanted = |text| rfc3339(text).unwrap();
        for (text, whole) in [
            ("2016", "2016-01-01T00:00:00Z"),
            ("2016-09", "2016-09-01T00:00:00Z"),
            ("2016-09-19", "2016-09-19T00:00:00Z"),
            ("2016-09-19T17:20Z", "2016-09-19T17:20:00Z"),
            ("2016-09-19T17:20+02:00", "2016-09-19T15:20:00Z"),
            ("2016-09-19T17:20:24Z", "2016-09-19T17:20:24Z"),
            ("2016-09-19T17:20:24.0123Z", "2016-09-19T17:20:24Z"),
            ("2016-09-19T17:20:24-01:30", "2016-09-19T18:50:24Z"),
            ("20160919172024", "2016-09-19T17:20:24Z"),
        ] {
            assert_eq!(w3cdtf(text), Some(wanted(whole)), "{text}");
        }
        for none in [
            "",
            "201",
            "2016-13",
            "2016-09-19T17Z",
            "20160919172099",
            "1969",
            "a016",
            "2016-09-19T17:2",
        ] {
            assert_eq!(w3cdtf(none), None, "{none}");
        }
    }
}
