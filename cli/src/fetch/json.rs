//! What `fetch --json` prints: everything that is known about a site, as docs/fetch.schema.json
//! says.

use robotsieve::Origin;
use robotsieve::report::{HeldCopy, Site, text};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{CachedCopy, Cause, Holds, OriginState, Outcome, Ruling, Why};
use serde_json::json;

use crate::write::time::rfc3339 as time;

/// The version of the format.
const SCHEMA: &str = "robotsieve-fetch-1";

/// A JSON object on a line of its own.
pub fn line(origin: &Origin<'_>, known: &OriginState, ruling: &Ruling) -> String {
    let mut object = json!(site(origin.key(), known, ruling));
    object["schema"] = SCHEMA.into();
    object.to_string() + "\n"
}

/// The line of a site that is not asked, because an override decides.
pub fn overridden(origin: &Origin<'_>, holds: Holds) -> String {
    let object = json!({
        "schema": SCHEMA,
        "origin": origin.key(),
        "outcome": "override",
        "holds": holds.as_str(),
        "why": Why::Override.as_str(),
    });
    object.to_string() + "\n"
}

/// What is known about a site, and what follows from it.
pub fn site(origin: &str, known: &OriginState, ruling: &Ruling) -> Site {
    let (outcome, cause) = match &known.last {
        Outcome::Absent(cause) => ("absent", Some(cause)),
        Outcome::Unreachable(cause) => ("unreachable", Some(cause)),
        _ => ("present", None),
    };
    let status = match cause {
        Some(Cause::Status(status)) => Some(*status),
        _ => None,
    };
    Site {
        origin: origin.to_owned(),
        condition: known.condition().as_str(),
        outcome,
        cause: cause.map(|_| known.last.why()),
        status,
        attempted: time(known.attempted),
        failures: known.failures,
        unreachable_since: known.unreachable_since.map(time),
        retry_after: known.retry_after.map(time),
        holds: ruling.holds.as_str(),
        why: ruling.why.as_str(),
        until: forever(ruling.until),
        expired: None,
        next_attempt: forever(ruling.next_attempt),
        copy: known.copy.as_ref().map(copy),
        notes: Vec::new(),
    }
}

fn copy(copy: &CachedCopy) -> HeldCopy {
    let (etag, etag_base64) = copy.etag.as_deref().map(text).unzip();
    let (last_modified, last_modified_base64) = copy.last_modified.as_deref().map(text).unzip();
    HeldCopy {
        sha256: copy.content.to_string(),
        bytes: copy.len,
        fetched: time(copy.at),
        lifetime_seconds: copy.lifetime,
        fresh_until: time(copy.fresh_until()),
        is_truncated: copy.is_truncated,
        is_blank: copy.is_blank,
        looks_like_html: copy.looks_like_html,
        final_url: copy.final_url.clone(),
        etag,
        etag_base64: etag_base64.flatten(),
        last_modified,
        last_modified_base64: last_modified_base64.flatten(),
    }
}

/// The time, or nothing for the end of time.
fn forever(at: Timestamp) -> Option<String> {
    (at != Timestamp(u64::MAX)).then(|| time(at))
}
