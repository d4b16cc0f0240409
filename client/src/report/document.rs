//! A site of a store as a document: what is known of it, and what follows from that.

use robotsieve::SiteKind;
use robotsieve_report::{HeldCopy, Site, text};
use robotsieve_shown::shown;

use crate::outcome::{CachedCopy, Cause, OriginState, Outcome, Ruling, Why};
use crate::time::Timestamp;

/// What is known about an origin, by its key, and what follows from it. Says nothing in sentences.
#[must_use]
pub fn site(origin: &str, known: &OriginState, ruling: &Ruling) -> Site {
    let (outcome, cause) = match &known.last {
        Outcome::Absent(cause) => ("absent", Some(cause)),
        Outcome::Unreachable(cause) => ("unreachable", Some(cause)),
        Outcome::Present => ("present", None),
        Outcome::Unknown => ("unknown", None),
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
        invalid_certificate: known.invalid_certificate.clone(),
        attempted: rfc3339(known.attempted),
        failures: known.failures,
        unreachable_since: known.unreachable_since.map(rfc3339),
        retry_after: known.retry_after.map(rfc3339),
        holds: ruling.holds.as_str(),
        why: ruling.why.as_str(),
        until: forever(ruling.until),
        expired: None,
        next_attempt: forever(ruling.next_attempt),
        copy: known.copy.as_ref().map(copy),
        notes: Vec::new(),
    }
}

/// The same, with what a person wants to know at this time, in sentences.
#[must_use]
pub fn site_told(origin: &str, known: &OriginState, ruling: &Ruling, now: Timestamp) -> Site {
    let mut site = site(origin, known, ruling);
    site.expired = Some(ruling.is_expired);
    site.notes = notes(origin, known, ruling, now);
    site
}

/// The policy that applies, in words, and why.
#[must_use]
pub fn policy(ruling: &Ruling) -> String {
    let what = match ruling.holds {
        SiteKind::Rules => "the rules apply",
        SiteKind::AllowAll => "everything is allowed",
        SiteKind::DisallowAll => "nothing is allowed",
        SiteKind::Unknown => "nothing is known",
    };
    format!("{what}: {}", ruling.why)
}

/// A time as RFC 3339 writes it, in UTC: `2026-11-20T12:00:00Z`.
#[must_use]
pub fn rfc3339(at: Timestamp) -> String {
    humantime::format_rfc3339_seconds(at.into()).to_string()
}

fn copy(copy: &CachedCopy) -> HeldCopy {
    let (etag, etag_base64) = copy.etag.as_deref().map(text).unzip();
    let (last_modified, last_modified_base64) = copy.last_modified.as_deref().map(text).unzip();
    HeldCopy {
        sha256: copy.content.to_string(),
        bytes: copy.len,
        fetched: rfc3339(copy.at),
        lifetime_seconds: copy.lifetime,
        fresh_until: rfc3339(copy.fresh_until()),
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
    (at != Timestamp(u64::MAX)).then(|| rfc3339(at))
}

fn notes(origin: &str, known: &OriginState, ruling: &Ruling, now: Timestamp) -> Vec<String> {
    let mut notes = Vec::new();
    let has_rules = ruling.holds == SiteKind::Rules;
    if let Some(copy) = known.copy.as_ref().filter(|_| has_rules) {
        let own = format!("{origin}/robots.txt");
        let from = copy.final_url.as_deref().unwrap_or(&own);
        notes.push(format!("fetched {} from {}", ago(copy.at, now), shown(from.as_bytes())));
        if ruling.why == Why::CopyWhileUnreachable {
            notes.push(policy(ruling));
        }
        if copy.is_truncated {
            notes.push(format!(
                "incomplete: cut at the fetcher's size limit after a whole line, or sent as a part; {} bytes \
                 are here",
                copy.len
            ));
        }
    }
    if let Some(what) = &known.invalid_certificate {
        let what = shown(what.as_bytes());
        notes.push(format!("not proved to be the site's answer: {what}, and was accepted"));
    }
    let cause = known.last.why();
    if !cause.is_empty() {
        let cause = shown(cause.as_bytes());
        notes.push(format!("last asked {}: {cause}", ago(known.attempted, now)));
    }
    if let Some(since) = known.unreachable_since {
        let (failures, since) = (known.failures, time(since));
        let s = if failures == 1 { "" } else { "s" };
        notes.push(format!("unreachable since {since}: {failures} failure{s} in a row"));
    }
    if !has_rules {
        notes.push(policy(ruling));
        if let Some(copy) = &known.copy {
            notes.push(format!("its last robots.txt is from {}", time(copy.at)));
        }
    }
    let until = time(ruling.until);
    notes.push(if ruling.is_expired {
        let again = "it is used until the site is asked again";
        match ruling.until <= now {
            true => format!("this expired at {until}; {again}"),
            // The clock was wrong when it was fetched, or is now.
            false => format!("this counts as expired, since its time lies ahead; {again}"),
        }
    } else if ruling.next_attempt <= now {
        format!("this holds until {until}; the site may be asked again now")
    } else {
        let next = time(ruling.next_attempt);
        format!("this holds until {until}; the site may be asked again at {next}")
    });
    notes
}

/// A time, and how long ago it was.
fn ago(at: Timestamp, now: Timestamp) -> String {
    format!("{} ({} ago)", time(at), humantime::format_duration(now.since(at)))
}

fn time(at: Timestamp) -> String {
    forever(at).unwrap_or_else(|| "the end of time".to_owned())
}
