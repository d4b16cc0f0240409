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
