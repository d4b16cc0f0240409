//! The pace at the end of a policy's record.

use std::time::Duration;

use smallvec::SmallVec;

use super::layout::HAS_PACE;
use crate::read::fields::{Pace, RequestRate, TimeWindow};

/// Bytes of a pace.
pub(crate) const PACE_LEN: usize = 32;

/// The bytes of a pace: none if it says nothing.
pub(crate) fn bytes(pace: Pace) -> SmallVec<[u8; PACE_LEN]> {
    if pace.is_none() { SmallVec::new() } else { SmallVec::from(encode(pace)) }
}

/// The body of a policy's record without its pace, and the pace. `None` if that is not as it is
/// written.
#[inline]
pub(crate) fn split(body: &[u8]) -> Option<(&[u8], Pace)> {
    match body.first() {
        Some(kind) if kind & HAS_PACE != 0 => {
            let (body, pace) = body.split_last_chunk()?;
            Some((body, decode(pace)?))
        }
        _ => Some((body, Pace::NONE)),
    }
}

/// The same without the pace, for a body that was checked.
#[inline]
pub(crate) fn without(body: &[u8]) -> &[u8] {
    match body.first() {
        Some(kind) if kind & HAS_PACE != 0 => &body[..body.len() - PACE_LEN],
        _ => body,
    }
}

/// In the nanoseconds of the period, of which there are fewer: the crawler leaves the site alone.
const LEFT_ALONE: u32 = 1 << 31;

/// Encodes a pace.
fn encode(pace: Pace) -> [u8; PACE_LEN] {
    let mut bytes = Vec::with_capacity(PACE_LEN);
    let delay = pace.crawl_delay;
    bytes.extend(delay.map_or(0, |delay| delay.as_secs()).to_le_bytes());
    bytes.extend(delay.map_or(u32::MAX, |delay| delay.subsec_nanos()).to_le_bytes());
    let rate = pace.request_rate;
    let period = rate.map_or(Duration::ZERO, |rate| rate.period);
    bytes.extend(rate.map_or(0, |rate| rate.requests).to_le_bytes());
    bytes.extend(period.as_secs().to_le_bytes());
    let left_alone = if pace.left_alone { LEFT_ALONE } else { 0 };
    bytes.extend((period.subsec_nanos() | left_alone).to_le_bytes());
    let window = rate.and_then(|rate| rate.window);
    bytes.extend(window.map_or(u16::MAX, |window| window.from_minute).to_le_bytes());
    bytes.extend(window.map_or(u16::MAX, |window| window.to_minute).to_le_bytes());
    bytes.try_into().expect("PACE_LEN bytes")
}

/// Decodes a pace. `None` unless these are the bytes of one that says something.
fn decode(bytes: &[u8; PACE_LEN]) -> Option<Pace> {
    const DAY: u16 = 24 * 60;
    let small = |at: usize| u32::from_le_bytes(*bytes[at..].first_chunk().expect("within"));
    let large = |at: usize| u64::from_le_bytes(*bytes[at..].first_chunk().expect("within"));
    let [secs, period_secs] = [0, 16].map(large);
    let [nanos, requests, period_nanos, window] = [8, 12, 24, 28].map(small);
    let (left_alone, period_nanos) = (period_nanos & LEFT_ALONE != 0, period_nanos & !LEFT_ALONE);
    let duration = |secs, nanos: u32| (nanos < 1_000_000_000).then(|| Duration::new(secs, nanos));
    let window = match [window as u16, (window >> 16) as u16] {
        [u16::MAX, u16::MAX] => None,
        [from, to] if from < DAY && to <= DAY => {
            Some(TimeWindow { from_minute: from, to_minute: to })
        }
        _ => return None,
    };
    let pace = Pace {
        left_alone,
        crawl_delay: if nanos == u32::MAX { None } else { Some(duration(secs, nanos)?) },
        request_rate: match requests {
            0 => None,
            _ => {
                Some(RequestRate { requests, period: duration(period_secs, period_nanos)?, window })
            }
        },
    };
    // What is not there is written in one way only.
    (!pace.is_none() && encode(pace) == *bytes).then_some(pace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::fields::Kind;

    #[test]
    fn paces() {
        let lines = |delay: &str, rate: &str| {
            let delay = Pace::of_line(Kind::CrawlDelay, delay.as_bytes());
            delay.and(Pace::of_line(Kind::RequestRate, rate.as_bytes()))
        };
        for pace in [
            lines("0", ""),
            lines("2.5", "1/5 0600-2400"),
            lines("18446744073709549568", "4294967295/4294967295d 2359-0000"),
            lines("", "1/1"),
            lines("", "3/9").within(Duration::new(1, 1)),
            Pace { left_alone: true, ..lines("2.5", "") },
            Pace { left_alone: true, ..lines("1e400", "1/5 0600-2400") },
        ] {
            assert!(!pace.is_none());
            let bytes = encode(pace);
            assert_eq!(decode(&bytes), Some(pace));
            // Every other byte string is another pace, or none.
            for at in 0..PACE_LEN {
                let mut changed = bytes;
                changed[at] ^= 0x80;
                assert_ne!(decode(&changed), Some(pace));
            }
        }
        assert_eq!(decode(&encode(Pace::NONE)), None);
        assert_eq!(decode(&[0xFF; PACE_LEN]), None);
    }
}
