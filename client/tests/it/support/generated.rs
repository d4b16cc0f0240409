//! States of generated origins. Also used by `benches/store.rs`.

use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{CachedCopy, Cause, Failure, OriginState, Outcome, Stage};

/// The key of the origin with this number.
pub fn origin(host: u64) -> String {
    format!("https://{}", robotsieve_corpora::host_name(host))
}

/// The state after a first attempt that found this body.
pub fn with_body(body: &[u8], at: u64) -> OriginState {
    OriginState::present(CachedCopy::new(body, Timestamp(at)))
}

/// The state after a first attempt with this outcome, without a copy.
pub fn without_copy(last: Outcome, at: u64) -> OriginState {
    OriginState::new(Timestamp(at), last)
}

/// A mix as crawlers meet it: nine of ten hosts have a file, some with validators and some behind
/// a redirect. The others have none or do not answer.
pub fn generated(seed: u64, host: u64) -> (String, OriginState, Option<Vec<u8>>) {
    let at = 1_800_000_000 + host % 100_000;
    let key = origin(host);
    let state = match host % 20 {
        0 => without_copy(Outcome::Absent(Cause::Status(404)), at),
        10 => {
            let cause = Cause::Failure(Failure::TimedOut(Stage::Connect));
            let mut state = without_copy(Outcome::Unreachable(cause), at);
            state.unreachable_since = Some(Timestamp(at - 3_600));
            state.failures = 3;
            state
        }
        kind => {
            let body = robotsieve_corpora::robots(seed, host);
            let mut state = with_body(&body, at);
            let copy = state.copy.as_mut().expect("a copy");
            if kind % 3 == 0 {
                copy.etag = Some(format!("\"{:x}-5f3a\"", host.wrapping_mul(7919)).into_bytes());
                copy.last_modified = Some(b"Sat, 14 Nov 2026 07:28:00 GMT".to_vec());
            }
            if kind % 5 == 0 {
                copy.final_url = Some(format!("{}/robots.txt", key.replace("://", "://www.")));
            }
            return (key, state, Some(body));
        }
    };
    (key, state, None)
}
