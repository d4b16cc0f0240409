//! Times of requests, as logs write them, in seconds since 1970 in UTC.
//!
//! A general library for times would be far more code, and could not read a field in its place
//! without being told its format.

/// Reads times, and remembers the last one: lines that follow each other often have the same.
#[derive(Debug, Default)]
pub(super) struct Clock {
    text: Vec<u8>,
    time: u64,
}

impl Clock {
    /// The time in a field, or `None` if it is none.
    #[inline]
    pub(super) fn read(&mut self, text: &[u8]) -> Option<u64> {
        if self.text != text || text.is_empty() {
            self.time = time(text)?;
            self.text.clear();
            self.text.extend_from_slice(text);
        }
        Some(self.time)
    }
}

/// A time as `10/Oct/2026:13:55:36 -0700`, as RFC 3339 or ISO 8601 writes it, or as a number of
/// seconds, or of smaller units, since 1970.
fn time(text: &[u8]) -> Option<u64> {
    match text {
        [_, _, b'/', ..] => common(text),
        [_, _, _, _, b'-' | b'/', ..] => iso(text),
        _ => unix(text),
    }
}

/// `10/Oct/2026:13:55:36 -0700`.
fn common(text: &[u8]) -> Option<u64> {
    let [_, _, b'/', m, o, n, b'/', _, _, _, _, b':', clock @ ..] = text else { return None };
    let month = match [*m, *o, *n] {
        [b'J', b'a', b'n'] => 1,
        [b'F', b'e', b'b'] => 2,
        [b'M', b'a', b'r'] => 3,
        [b'A', b'p', b'r'] => 4,
        [b'M', b'a', b'y'] => 5,
        [b'J', b'u', b'n'] => 6,
        [b'J', b'u', b'l'] => 7,
        [b'A', b'u', b'g'] => 8,
        [b'S', b'e', b'p'] => 9,
        [b'O', b'c', b't'] => 10,
        [b'N', b'o', b'v'] => 11,
        [b'D', b'e', b'c'] => 12,
        _ => return None,
    };
    let (seconds, offset) = of_day(clock)?;
    // HAProxy writes milliseconds, and no offset.
    let offset = match offset {
        [b'.', _, fraction @ ..] if fraction.iter().all(u8::is_ascii_digit) => b"",
        _ => offset.strip_prefix(b" ")?,
    };
    since_1970(digits(&text[7..11])?, month, digits(&text[..2])?, seconds, self::offset(offset)?)
}

/// `2026-10-10T13:55:36.123Z`, with a space for the `T`, any fraction and any offset, which may
/// miss; or a tab, where they are columns. Caddy writes slashes in one of its formats, and offsets without a colon.
fn iso(text: &[u8]) -> Option<u64> {
    let (date, clock) = text.split_at_checked(10)?;
    let [y, e, a, r, separator, m, o, second, d, n] = date else { return None };
    if separator != second {
        return None;
    }
    let [b'T' | b't' | b' ' | b'\t', clock @ ..] = clock else { return None };
    let (seconds, after) = of_day(clock)?;
    let after = match after.strip_prefix(b".") {
        Some(fraction) => {
            let len = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if len == 0 {
                return None;
            }
            &fraction[len..]
        }
        None => after,
    };
    let year = digits(&[*y, *e, *a, *r])?;
    since_1970(year, digits(&[*m, *o])?, digits(&[*d, *n])?, seconds, offset(after)?)
}

/// Seconds since 1970 and a fraction, or a number of milliseconds, microseconds or nanoseconds: in
/// any of them, a time of this century is out of the next unit's range.
fn unix(text: &[u8]) -> Option<u64> {
    let len = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (whole, fraction) = text.split_at(len);
    let is_fraction = |digits: &[u8]| digits.iter().all(u8::is_ascii_digit);
    if !(1..=19).contains(&len)
        || !(fraction.is_empty() || fraction.strip_prefix(b".").is_some_and(is_fraction))
    {
        return None;
    }
    let number = str::from_utf8(whole).ok()?.parse::<u64>().ok()?;
    Some(match number {
        0..100_000_000_000 => number,
        100_000_000_000..100_000_000_000_000 => number / 1_000,
        100_000_000_000_000..100_000_000_000_000_000 => number / 1_000_000,
        _ => number / 1_000_000_000,
    })
}

/// The second of the day of `13:55:36`, and what follows.
fn of_day(text: &[u8]) -> Option<(u64, &[u8])> {
    let (clock, after) = text.split_at_checked(8)?;
    let [h, o, b':', m, i, b':', s, e] = clock else { return None };
    let (hour, minute, second) = (digits(&[*h, *o])?, digits(&[*m, *i])?, digits(&[*s, *e])?);
    // 60 is a leap second.
    (hour < 24 && minute < 60 && second <= 60)
        .then_some((hour * 3600 + minute * 60 + second, after))
}

/// The seconds of `+0200`, `-07:00`, `Z` or nothing.
fn offset(text: &[u8]) -> Option<i64> {
    let (sign, [h, o, m, i]) = match text {
        [] | [b'Z' | b'z'] => return Some(0),
        [sign, h, o, b':', m, i] | [sign, h, o, m, i] => (sign, [*h, *o, *m, *i]),
        _ => return None,
    };
    let (hours, minutes) = (digits(&[h, o])?, digits(&[m, i])?);
    let seconds = i64::try_from(hours * 3600 + minutes * 60).ok()?;
    match sign {
        _ if hours > 23 || minutes > 59 => None,
        b'+' => Some(seconds),
        b'-' => Some(-seconds),
        _ => None,
    }
}

fn digits(text: &[u8]) -> Option<u64> {
    text.iter().try_fold(0, |number, byte| {
        byte.is_ascii_digit().then(|| number * 10 + u64::from(byte - b'0'))
    })
}

/// `None` for a day that is not in the calendar, or before 1970.
fn since_1970(year: u64, month: u64, day: u64, seconds: u64, offset: i64) -> Option<u64> {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let longest = match month {
        2 => 28 + u64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if year < 1970 || !(1..=longest).contains(&day) {
        return None;
    }
    // Years begin in March, so that the leap day is the last one.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1;
    // 0000-03-01 to 1970-01-01.
    let seconds_of = (days - 719_468) * 86_400 + seconds;
    seconds_of.checked_add_signed(-offset)
}

/// A time as RFC 3339 writes it, in UTC: `2026-11-20T12:00:00Z`.
pub(super) fn rfc3339(time: u64) -> String {
    let (days, second) = (time / 86_400 + 719_468, time % 86_400);
    // As above: days since 0000-03-01, in 400 years that all have as many.
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (year * 365 + year / 4 - year / 100);
    let month = (day * 5 + 2) / 153;
    let day = day - (month * 153 + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z", era * 400 + year)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_all_formats() {
        let cases: [(&str, &str); 18] = [
            ("2019-08-02\t15:29:08", "2019-08-02T15:29:08Z"),
            ("10/Oct/2000:13:55:36 -0700", "2000-10-10T20:55:36Z"),
            ("29/Feb/2024:23:59:60 +0000", "2024-03-01T00:00:00Z"),
            ("01/Jan/1970:00:00:00 +0000", "1970-01-01T00:00:00Z"),
            ("31/Dec/2026:23:59:59 +0530", "2026-12-31T18:29:59Z"),
            ("2019-08-02T15:29:08Z", "2019-08-02T15:29:08Z"),
            ("2019-08-02T15:29:08.123456789Z", "2019-08-02T15:29:08Z"),
            ("2019-08-02T15:29:08.123+0200", "2019-08-02T13:29:08Z"),
            ("2019-08-02T15:29:08-02:00", "2019-08-02T17:29:08Z"),
            ("2019/08/02 15:29:08", "2019-08-02T15:29:08Z"),
            ("1564759748", "2019-08-02T15:29:08Z"),
            ("1564759748.5241024", "2019-08-02T15:29:08Z"),
            ("1564759748123", "2019-08-02T15:29:08Z"),
            ("1564759748123.5", "2019-08-02T15:29:08Z"),
            ("1564759748123456", "2019-08-02T15:29:08Z"),
            ("1564759748123456789", "2019-08-02T15:29:08Z"),
            ("0", "1970-01-01T00:00:00Z"),
            ("2000-03-01T00:00:00", "2000-03-01T00:00:00Z"),
        ];
        for (text, wanted) in cases {
            assert_eq!(time(text.as_bytes()).map(rfc3339).as_deref(), Some(wanted), "{text}");
        }
        let mut last = String::new();
        for day in 0..500 * 366 {
            let wanted = rfc3339(day * 86_400 + 7);
            assert_eq!(time(wanted.as_bytes()), Some(day * 86_400 + 7), "{wanted}");
            assert!(last < wanted, "{last} {wanted}");
            last = wanted;
        }
    }

    #[test]
    fn no_times() {
        for text in [
            "",
            "-",
            "10/Okt/2000:13:55:36 -0700",
            "31/Feb/2000:13:55:36 -0700",
            "00/Jan/2000:13:55:36 -0700",
            "10/Oct/2000:24:55:36 -0700",
            "10/Oct/2000:13:55:36",
            "10/Oct/2000:13:55:36 0700",
            "10/Oct/1969:13:55:36 -0700",
            "01/Jan/1970:00:00:00 +0100",
            "2019-08-02",
            "2019-08/02T15:29:08Z",
            "2019-08-02T15:29:08.Z",
            "2019-08-02T15:29:08+2:00",
            "2019-13-02T15:29:08Z",
            "156475974x",
            "1564759748.x",
            "12345678901234567890123",
            "é/Oct/2000",
        ] {
            assert_eq!(time(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_clock_remembers_one_time() {
        let mut clock = Clock::default();
        assert_eq!(clock.read(b""), None);
        assert_eq!(clock.read(b"5"), Some(5));
        assert_eq!(clock.read(b"x"), None);
        assert_eq!(clock.read(b"5"), Some(5));
        assert_eq!(clock.read(b"6"), Some(6));
    }
}
