//! The values of the older extensions: delays, rates, times, hosts and parameters.

use std::time::Duration;

/// `Request-rate: requests/period [window]`: how many documents to request in what time.
///
/// Defined by "An Extended Standard for Robot Exclusion" (S. Conner, 1996).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RequestRate {
    /// The number of documents.
    pub requests: u32,
    /// The time in which to request them.
    pub period: Duration,
    /// The time of day for which this holds; `None` for all day.
    pub window: Option<TimeWindow>,
}

impl RequestRate {
    /// The time between two requests that are spread evenly: the period by the number of requests.
    pub fn interval(&self) -> Duration {
        self.period.checked_div(self.requests).unwrap_or(self.period)
    }

    /// Returns true if this one has the longer interval, exactly.
    pub(super) fn is_slower(&self, other: &RequestRate) -> bool {
        // 94 and 32 bits.
        let cross = |a: &RequestRate, b: &RequestRate| a.period.as_nanos() * u128::from(b.requests);
        cross(self, other) > cross(other, self)
    }
}

/// A time of day in UTC, to the minute. It may span midnight.
///
/// The value of `Visit-time`, and a part of `Request-rate`: `0600-0845` or `06:00-08:45`, and
/// either may be followed by `UT`, `UTC`, `GMT` or `Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct TimeWindow {
    /// When it begins, in minutes after midnight.
    pub from_minute: u16,
    /// When it ends, in minutes after midnight; at most 24 hours.
    pub to_minute: u16,
}

impl TimeWindow {
    /// Returns true if this minute of the day, counted from midnight UTC, is within the window. The last
    /// minute is not.
    pub fn contains(&self, minute: u16) -> bool {
        if self.from_minute <= self.to_minute {
            (self.from_minute..self.to_minute).contains(&minute)
        } else {
            minute >= self.from_minute || minute < self.to_minute
        }
    }
}

/// The site's main mirror, such as `example.com` or `https://example.com:8443` (Yandex, until
/// 2018).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Host<'a> {
    /// `http` or `https` as written, if present.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "crate::bytes_as_text::serialize_option")
    )]
    pub scheme: Option<&'a [u8]>,
    /// The host name as written.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::bytes_as_text::serialize"))]
    pub name: &'a [u8],
    /// The port, if present.
    pub port: Option<u16>,
}

/// Query parameters that do not change what is served, such as `ref&utm_source /shop/` (Yandex).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CleanParam<'a> {
    /// The names of the parameters; case matters.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::bytes_as_text::serialize_all"))]
    pub params: Vec<&'a [u8]>,
    /// The prefix of the paths for which this holds, in which `*` is a wildcard; `None` for all
    /// paths.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "crate::bytes_as_text::serialize_option")
    )]
    pub path: Option<&'a [u8]>,
}

/// What is wrong with a value. The message reads `invalid <kind>: ` and then this.
type Invalid = &'static str;

/// The words of a value, which spaces and tabs separate.
pub(super) fn words(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty())
}

/// A number of nothing but decimal digits.
fn number(text: &[u8]) -> Option<u32> {
    let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    if is_number { str::from_utf8(text).ok()?.parse().ok() } else { None }
}

pub(super) fn crawl_delay(value: &[u8]) -> Result<Duration, Invalid> {
    const WANTED: Invalid = "expected a number of seconds, such as 10 or 0.5";
    // Rust reads more as numbers: signs, `inf` and `NaN`. An exponent, as in `1e400`, may stand.
    let e = value.iter().position(|byte| byte.eq_ignore_ascii_case(&b'e'));
    let (digits, exponent) = value.split_at(e.unwrap_or(value.len()));
    let exponent = exponent.get(1..).unwrap_or_default();
    let exponent = exponent.strip_prefix(b"+").or(exponent.strip_prefix(b"-")).unwrap_or(exponent);
    let is_number = digits.iter().any(u8::is_ascii_digit)
        && digits.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
        && exponent.iter().all(u8::is_ascii_digit);
    let text = str::from_utf8(value).ok().filter(|_| is_number).ok_or(WANTED)?;
    let seconds: f64 = text.parse().map_err(|_| WANTED)?;
    // Too large for a number, it is the longest there is.
    Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

pub(super) fn request_rate(value: &[u8]) -> Result<RequestRate, Invalid> {
    const WANTED: Invalid = "expected requests/seconds, such as 1/5, 30/1m or 1/10 0600-0845";
    let mut words = words(value);
    let rate = words.next().ok_or(WANTED)?;
    let slash = rate.iter().position(|byte| *byte == b'/').ok_or(WANTED)?;
    let (requests, period) = (&rate[..slash], &rate[slash + 1..]);
    let (period, unit) = match period.split_last() {
        Some((unit, number)) if unit.is_ascii_alphabetic() => (number, unit.to_ascii_lowercase()),
        _ => (period, b's'),
    };
    let seconds = match unit {
        b's' => 1,
        b'm' => 60,
        b'h' => 3_600,
        b'd' => 86_400,
        _ => return Err("the unit of time must be s, m, h or d"),
    };
    // Too large for a number, each is the largest there is.
    let saturating = |text: &[u8]| {
        let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        is_number.then(|| str::from_utf8(text).ok()?.parse().ok().or(Some(u64::MAX))).flatten()
    };
    let requests = saturating(requests).ok_or(WANTED)?;
    let period = saturating(period).ok_or(WANTED)?;
    if requests == 0 || period == 0 {
        return Err("neither the number of requests nor the time may be 0");
    }
    let left: Vec<&[u8]> = words.collect();
    let window = if left.is_empty() { None } else { Some(time_window(&left.join(&b' '))?) };
    let requests = u32::try_from(requests).unwrap_or(u32::MAX);
    Ok(RequestRate {
        requests,
        period: Duration::from_secs(period.saturating_mul(seconds)),
        window,
    })
}

pub(super) fn time_window(value: &[u8]) -> Result<TimeWindow, Invalid> {
    const WANTED: Invalid = "expected a time of day, such as 0600-0845";
    let mut compact: Vec<u8> = value.iter().copied().filter(|o| !o.is_ascii_whitespace()).collect();
    compact.make_ascii_uppercase();
    let mut text = &compact[..];
    for zone in [&b"UTC"[..], b"GMT", b"UT", b"Z"] {
        if let Some(without) = text.strip_suffix(zone) {
            text = without;
            break;
        }
    }
    let minute = |text: &[u8]| {
        let digits: Vec<u8> = match text {
            [a, b, b':', c, d] | [a, b, c, d] => vec![*a, *b, *c, *d],
            _ => return None,
        };
        let (hours, minutes) = (number(&digits[..2])?, number(&digits[2..])?);
        let minute = u16::try_from(hours * 60 + minutes).ok()?;
        (minutes < 60 && minute <= 24 * 60).then_some(minute)
    };
    let dash = text.iter().position(|byte| *byte == b'-').ok_or(WANTED)?;
    let from_minute = minute(&text[..dash]).ok_or(WANTED)?;
    let to_minute = minute(&text[dash + 1..]).ok_or(WANTED)?;
    if from_minute == 24 * 60 {
        return Err("the time cannot begin at 24:00");
    }
    Ok(TimeWindow { from_minute, to_minute })
}

pub(super) fn host(value: &[u8]) -> Result<Host<'_>, Invalid> {
    const WANTED: Invalid = "expected a host name, with or without a port, and no path";
    let scheme_of = |scheme: &[u8]| {
        let len = scheme.len() + 3;
        let found = value.len() >= len
            && value[..scheme.len()].eq_ignore_ascii_case(scheme)
            && &value[scheme.len()..len] == b"://";
        found.then(|| value.split_at(len))
    };
    let (scheme, rest) = match scheme_of(b"https").or_else(|| scheme_of(b"http")) {
        Some((scheme, rest)) => (Some(&scheme[..scheme.len() - 3]), rest),
        None => (None, value),
    };
    let rest = rest.strip_suffix(b"/").unwrap_or(rest);
    let (name, port) = match rest.iter().position(|byte| *byte == b':') {
        Some(colon) => {
            let port = number(&rest[colon + 1..]).and_then(|port| u16::try_from(port).ok());
            (&rest[..colon], Some(port.ok_or(WANTED)?))
        }
        None => (rest, None),
    };
    // Some files have a name in Unicode.
    let belongs = |o: &u8| o.is_ascii_alphanumeric() || matches!(o, b'-' | b'.' | b'_' | 0x80..);
    if name.is_empty() || !name.iter().all(belongs) {
        return Err(WANTED);
    }
    Ok(Host { scheme, name, port })
}

pub(super) fn clean_param(value: &[u8]) -> Result<CleanParam<'_>, Invalid> {
    const WANTED: Invalid =
        "expected parameters and perhaps the beginning of a path, such as ref&sid /shop/";
    let mut words = words(value);
    let params = words.next().ok_or(WANTED)?;
    let path = words.next();
    if words.next().is_some() {
        return Err("expected at most one path after the parameters");
    }
    let params: Vec<&[u8]> = params.split(|byte| matches!(byte, b'&' | b',')).collect();
    if params.iter().any(|name| name.is_empty() || name.contains(&b'/')) {
        return Err(WANTED);
    }
    Ok(CleanParam { params, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crawl_delays() {
        for (value, millis) in
            [("10", 10_000), ("0.5", 500), (".25", 250), ("3.", 3_000), ("0", 0), ("007", 7_000)]
        {
            assert_eq!(crawl_delay(value.as_bytes()), Ok(Duration::from_millis(millis)), "{value}");
        }
        for value in [
            "", ".", "1.2.3", "-1", "+1", "10s", "5 10", "1,5", "inf", "NaN", "\u{661}", "e", "1e",
            "e3", "1e+", "1ee3", "1e3.5", "1e--3",
        ] {
            assert!(crawl_delay(value.as_bytes()).is_err(), "{value}");
        }
        assert_eq!(crawl_delay(b"1e3"), Ok(Duration::from_secs(1_000)));
        assert_eq!(crawl_delay(b"2.5E-1"), Ok(Duration::from_millis(250)));
        // Too large for a number: the longest there is, never none.
        let nines = "9".repeat(400);
        for value in ["18446744073709551615", "18446744073709551616", "1e400", "1E+99999", &nines] {
            assert_eq!(crawl_delay(value.as_bytes()), Ok(Duration::MAX), "{value}");
        }
    }

    #[test]
    fn rates_and_times() {
        let rate = |value: &str| {
            let rate = request_rate(value.as_bytes())?;
            let window = rate.window.map(|w| (w.from_minute, w.to_minute));
            Ok::<_, Invalid>((rate.requests, rate.period.as_secs(), window))
        };
        assert_eq!(rate("1/5"), Ok((1, 5, None)));
        assert_eq!(rate("30/1m"), Ok((30, 60, None)));
        assert_eq!(rate("1/10m 1300-1659"), Ok((1, 600, Some((780, 1019)))));
        assert_eq!(rate("2/1H  06:00 - 08:45 UT"), Ok((2, 3_600, Some((360, 525)))));
        let most = u64::MAX;
        assert_eq!(rate("1/99999999999d"), Ok((1, 99_999_999_999 * 86_400, None)));
        assert_eq!(rate(&format!("1/{}", "9".repeat(30))), Ok((1, most, None)));
        assert_eq!(rate("99999999999999999999999/1h"), Ok((u32::MAX, 3_600, None)));
        for value in ["", "1", "/5", "1/", "0/5", "1/0", "1/5x", "1/5 6", "a/b", "1 / 5"] {
            assert!(rate(value).is_err(), "{value}");
        }
        let time =
            |value: &str| time_window(value.as_bytes()).map(|w| (w.from_minute, w.to_minute));
        assert_eq!(time("0600-0845"), Ok((360, 525)));
        let within = |value: &str, minute| {
            time_window(value.as_bytes()).is_ok_and(|window| window.contains(minute))
        };
        assert!(within("0600-0845", 360) && !within("0600-0845", 525));
        assert!(within("2200-0400", 1_439) && within("2200-0400", 0) && !within("2200-0400", 240));
        assert!(within("0000-2400", 1_439) && !within("0600-0600", 360));
        assert_eq!(time("2200-0400 GMT"), Ok((1_320, 240)));
        assert_eq!(time("0000-2400"), Ok((0, 1_440)));
        for value in
            ["", "0600", "600-845", "0660-0700", "2500-2600", "2400-0100", "-", "0600-0845-"]
        {
            assert!(time(value).is_err(), "{value}");
        }
    }

    #[test]
    fn hosts() {
        let parts = |value: &'static str| {
            let host = host(value.as_bytes())?;
            Ok::<_, Invalid>((
                host.scheme.map(|s| str::from_utf8(s).unwrap()),
                host.name,
                host.port,
            ))
        };
        assert_eq!(parts("example.com"), Ok((None, &b"example.com"[..], None)));
        assert_eq!(parts("HTTPS://e.com:8443"), Ok((Some("HTTPS"), &b"e.com"[..], Some(8443))));
        assert_eq!(parts("http://e.com/"), Ok((Some("http"), &b"e.com"[..], None)));
        assert_eq!(parts("пример.рф"), Ok((None, "пример.рф".as_bytes(), None)));
        for value in ["", "e.com/x", "a b", "e.com:", "e.com:99999", "ftp://e.com", "https://", "?"]
        {
            assert!(parts(value).is_err(), "{value}");
        }
    }

    #[test]
    fn clean_params() {
        let parts = |value: &'static str| clean_param(value.as_bytes()).map(|c| (c.params, c.path));
        assert_eq!(parts("ref"), Ok((vec![&b"ref"[..]], None)));
        assert_eq!(
            parts("a[]&b  /shop/*.php"),
            Ok((vec![&b"a[]"[..], b"b"], Some(&b"/shop/*.php"[..])))
        );
        for value in ["", "a&&b", "/path", "a /b /c", "&"] {
            assert!(parts(value).is_err(), "{value}");
        }
    }
}
