//! What is known of generated origins.

#![allow(dead_code, reason = "not every test needs all of it")]

use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{Cause, ContentHash, Copy, Failure, Known, Outcome, Stage};

/// The key of the host number `host`.
pub fn origin(host: u64) -> String {
    format!("https://{}", robotsieve_corpora::host_name(host))
}

/// A first attempt that found this body.
pub fn with_body(body: &[u8], at: u64) -> Known {
    let copy = Copy {
        content: ContentHash::of(body),
        len: body.len() as u32,
        at: Timestamp(at),
        lifetime: 86_400,
        final_url: None,
        etag: None,
        last_modified: None,
        is_truncated: false,
        is_blank: body.is_empty(),
        looks_like_html: body.starts_with(b"<!DOCTYPE html"),
    };
    Known { last: Outcome::Present, copy: Some(copy), ..without_copy(Outcome::Present, at) }
}

/// An attempt with this outcome, and no copy.
pub fn without_copy(last: Outcome, at: u64) -> Known {
    Known {
        attempted: Timestamp(at),
        last,
        copy: None,
        unreachable_since: None,
        failures: 0,
        retry_after: None,
        site_answered: None,
        errors_mean_absent: false,
    }
}

/// A mix as a crawler meets it: nine of ten hosts have a file, some with validators and from
/// elsewhere, the others have none or do not answer.
pub fn generated(seed: u64, host: u64) -> (String, Known, Option<Vec<u8>>) {
    let at = 1_800_000_000 + host % 100_000;
    let key = origin(host);
    let known = match host % 20 {
        0 => without_copy(Outcome::Absent(Cause::Status(404)), at),
        10 => Known {
            unreachable_since: Some(Timestamp(at - 3_600)),
            failures: 3,
            ..without_copy(
                Outcome::Unreachable(Cause::Failure(Failure::TimedOut(Stage::Connect))),
                at,
            )
        },
        kind => {
            let body = robotsieve_corpora::robots(seed, host);
            let mut known = with_body(&body, at);
            let copy = known.copy.as_mut().expect("a copy");
            if kind % 3 == 0 {
                copy.etag = Some(format!("\"{:x}-5f3a\"", host.wrapping_mul(7919)).into_bytes());
                copy.last_modified = Some(b"Sat, 14 Nov 2026 07:28:00 GMT".to_vec());
            }
            if kind % 5 == 0 {
                copy.final_url = Some(format!("{}/robots.txt", key.replace("://", "://www.")));
            }
            return (key, known, Some(body));
        }
    };
    (key, known, None)
}
