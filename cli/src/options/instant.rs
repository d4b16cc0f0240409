//! A point in time, absolute or from now.

use std::str::FromStr;
use std::time::{Duration, SystemTime};

use robotsieve_client::Timestamp;

/// A point in time, in whole seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instant(pub Timestamp);

impl FromStr for Instant {
    type Err = String;

    /// Reads `2026-11-20T12:00:00Z`, `2026-11-20`, `7days` (ago) or `+12h` (from now).
    fn from_str(text: &str) -> Result<Instant, String> {
        let is_date = text.len() == "2026-11-20".len() && text.as_bytes()[4] == b'-';
        let whole = if is_date { format!("{text}T00:00:00Z") } else { text.to_owned() };
        if let Ok(time) = humantime::parse_rfc3339_weak(&whole) {
            return Ok(Instant(stamp(time)));
        }
        let (is_later, duration) = match text.strip_prefix('+') {
            Some(duration) => (true, duration),
            None => (false, text),
        };
        let duration: Duration = humantime::parse_duration(duration).map_err(
            |_| "a time is like 2026-11-20T12:00:00Z, 2026-11-20, 7days (ago) or +12h (from now)",
        )?;
        let now = Timestamp::now();
        Ok(Instant(match is_later {
            true => now + duration,
            false => Timestamp(now.0.saturating_sub(duration.as_secs())),
        }))
    }
}

fn stamp(time: SystemTime) -> Timestamp {
    Timestamp(time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let day = Ok(Instant(Timestamp(1_795_132_800)));
        for text in ["2026-11-20", "2026-11-20T00:00:00Z", "2026-11-20 00:00:00"] {
            assert_eq!(text.parse(), day, "{text}");
        }
        let now = Timestamp::now().0;
        let parsed = |text: &str| text.parse::<Instant>().unwrap().0.0;
        assert!(parsed("1day").abs_diff(now - 86_400) < 10);
        assert!(parsed("+2h").abs_diff(now + 7_200) < 10);
        assert_eq!(parsed("9999years"), 0);
        for text in
            ["", "+", "yesterday", "2026-11-40", "2026-13-20T00:00:00Z", "-1day", "é026-1-20"]
        {
            assert!(text.parse::<Instant>().is_err(), "{text}");
        }
    }
}
