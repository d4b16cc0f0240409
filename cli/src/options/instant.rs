//! A point in time, absolute or from now.

use std::str::FromStr;
use std::time::Duration;

use robotsieve_captures::rfc3339;
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::AsOf;

/// A point in time, in whole seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instant(pub Timestamp);

/// The value of `--as-of`: a time, or `capture`.
///
/// # Errors
/// Returns an error that says what a time is like.
pub fn as_of(text: &str) -> Result<AsOf, String> {
    match text {
        "capture" => Ok(AsOf::Capture),
        time => Ok(AsOf::Time(time.parse::<Instant>()?.0)),
    }
}

impl FromStr for Instant {
    type Err = String;

    /// Reads `2026-11-20T12:00:00Z`, `2026-11-20T14:00:00+02:00`, `2026-11-20`, `7days` (ago),
    /// `+12h` (from now) or `now`.
    fn from_str(text: &str) -> Result<Instant, String> {
        if let Some(time) = rfc3339(text) {
            return Ok(Instant(time));
        }
        if text == "now" {
            return Ok(Instant(Timestamp::now()));
        }
        if text.starts_with('-') {
            return Err("a time in the past has no sign: 7days is seven days ago".into());
        }
        let (is_later, duration) = match text.strip_prefix('+') {
            Some(duration) => (true, duration),
            None => (false, text),
        };
        let duration: Duration = humantime::parse_duration(duration).map_err(|_| {
            "a time is like 2026-11-20T12:00:00Z, 2026-11-20T14:00:00+02:00, 2026-11-20, \
                 7days (ago), +12h (from now) or now"
        })?;
        let now = Timestamp::now();
        Ok(Instant(match is_later {
            true => now + duration,
            false => Timestamp(now.0.saturating_sub(duration.as_secs())),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let day = Ok(Instant(Timestamp(1_795_132_800)));
        for text in [
            "2026-11-20",
            "2026-11-20T00:00:00Z",
            "2026-11-20 00:00:00",
            "2026-11-20t00:00:00.999z",
            "2026-11-20T00:00:00.123456789012Z",
            "2026-11-20T02:00:00.5+02:00",
            "2026-11-20T00:00:00-00:00",
            "2026-11-20T02:00:00+02:00",
            "2026-11-19T18:30:00-05:30",
        ] {
            assert_eq!(text.parse(), day, "{text}");
        }
        let now = Timestamp::now().0;
        let parsed = |text: &str| text.parse::<Instant>().unwrap().0.0;
        assert!(parsed("1day").abs_diff(now - 86_400) < 10);
        assert!(parsed("+2h").abs_diff(now + 7_200) < 10);
        assert!(parsed("now").abs_diff(now) < 10);
        assert_eq!(parsed("9999years"), 0);
        assert_eq!(parsed("1970-01-01T00:00:00+23:59"), 0);
        for text in [
            "",
            "+",
            "yesterday",
            "2026-11-40",
            "2026-13-20T00:00:00Z",
            "-1day",
            "é026-1-20",
            "2026-11-20+02:00",
            "2026-11-20T00:00:00Z+02:00",
            "2026-11-20T00:00:00+2:000",
            "2026-11-20T00:00:00+24:00",
            "+é2:00",
        ] {
            assert!(text.parse::<Instant>().is_err(), "{text}");
        }
    }
}
