//! What an attempt means, and what holds because of it: the rules of each source.

use std::time::Duration;

use robotsieve::{FetchRules, Profile};

use super::freshness;
use super::{Attempt, Cause, ContentHash, Copy, Failure, Known, Outcome, Response};
use crate::Timestamp;

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// What a fetch means: the switches of SPEC.md's table "What a fetch means". Start from a
/// constant and change a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Protocol {
    /// Whether 429 (too many requests) is an error of the site's, like 5xx, and not "there is
    /// none", like other 4xx.
    pub too_many_requests_is_error: bool,
    /// Whether 5xx is an answer like 404, for all sites. For a single one there is
    /// [`Known::errors_mean_absent`].
    pub errors_mean_absent: bool,
    /// How long nothing is allowed when a site becomes unreachable and the copy has expired.
    pub grace: Duration,
    /// What holds after the grace while there is no copy.
    pub without_copy: Holds,
    /// How long a site is thought to be unreachable for a time only.
    pub unreachable_limit: Duration,
    /// What holds after that.
    pub after_limit: AfterLimit,
    /// How long an answer serves.
    pub lifetime: Duration,
    /// How far `max-age` may shorten that.
    pub shortest_lifetime: Duration,
    /// How far `max-age` may lengthen it; not at all where this is [`Protocol::lifetime`].
    pub longest_lifetime: Duration,
    /// Whether a copy's validators are sent (`If-None-Match`, `If-Modified-Since`).
    pub conditional: bool,
    /// Redirects that are followed: what lies behind more of them counts as absent, whoever
    /// followed them.
    pub max_redirects: u8,
    /// The wait after the first failure. Each further one doubles it.
    pub first_retry: Duration,
    /// No wait between attempts is longer, whatever `Retry-After` says.
    pub longest_retry: Duration,
}

/// Which policy holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// The rules of the copy.
    Rules,
    /// Everything is allowed.
    AllowAll,
    /// Nothing is allowed.
    DisallowAll,
}

/// What holds when a site has been unreachable for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterLimit {
    /// Everything is allowed, as if there were no robots.txt.
    AllowAll,
    /// Everything is allowed if other pages of the site have been answered in the meantime
    /// ([`Known::site_answered`]), else nothing.
    AllowIfSiteAnswers,
}

/// Which policy holds at some time, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// Which policy holds.
    pub holds: Holds,
    /// Why.
    pub why: Why,
    /// When something else will hold, or the answer will have expired, if nothing is heard in
    /// the meantime.
    pub until: Timestamp,
    /// When to try again. Before that there is no reason to.
    pub next_attempt: Timestamp,
    /// The answer has served its time: to go on with it is right only if no better one can be
    /// had.
    pub is_expired: bool,
}

/// Why a policy holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The site's robots.txt says so.
    Copy,
    /// The site has no robots.txt.
    Absent,
    /// The site is unreachable, and the copy from before still serves.
    CopyWhileUnreachable,
    /// The site is unreachable, and has been for a short time.
    UnreachableLately,
    /// The site is unreachable, and there is no copy from before.
    UnreachableWithoutCopy,
    /// The site has been unreachable for long.
    UnreachableForLong,
}

/// What a robots.txt is like, for whoever asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// A text with something in it.
    Parsed,
    /// A text with nothing but white space.
    Empty,
    /// An HTML page, or so it begins. What it has of valid lines counts.
    LooksLikeHtml,
    /// A text that was longer than what is kept. The rest of it does not count.
    Truncated,
    /// There is none.
    Absent,
    /// It could not be had.
    Unreachable,
}

impl Condition {
    /// In a word or three.
    pub fn as_str(self) -> &'static str {
        match self {
            Condition::Parsed => "parsed",
            Condition::Empty => "empty",
            Condition::LooksLikeHtml => "html",
            Condition::Truncated => "truncated",
            Condition::Absent => "absent",
            Condition::Unreachable => "unreachable",
        }
    }
}

impl Why {
    /// As a sentence.
    pub fn as_str(self) -> &'static str {
        match self {
            Why::Copy => "its robots.txt",
            Why::Absent => "there is no robots.txt",
            Why::CopyWhileUnreachable => "its last robots.txt, while it cannot be reached",
            Why::UnreachableLately => "its robots.txt cannot be reached",
            Why::UnreachableWithoutCopy => "its robots.txt cannot be reached and none is held",
            Why::UnreachableForLong => "its robots.txt has not been reachable for long",
        }
    }
}

impl Protocol {
    /// RFC 9309, §2.3.1 and §2.4.
    pub const RFC9309: Protocol = Protocol {
        too_many_requests_is_error: false,
        errors_mean_absent: false,
        grace: Duration::ZERO,
        without_copy: Holds::DisallowAll,
        unreachable_limit: DAY.saturating_mul(30),
        after_limit: AfterLimit::AllowAll,
        lifetime: DAY,
        shortest_lifetime: Duration::from_secs(10 * 60),
        longest_lifetime: DAY,
        conditional: true,
        max_redirects: 5,
        first_retry: Duration::from_secs(5 * 60),
        longest_retry: HOUR.saturating_mul(6),
    };

    /// What Google writes today. Its bounds for `max-age` are not written; a week is ours.
    pub const GOOGLE: Protocol = Protocol {
        too_many_requests_is_error: true,
        grace: HOUR.saturating_mul(12),
        without_copy: Holds::AllowAll,
        after_limit: AfterLimit::AllowIfSiteAnswers,
        longest_lifetime: DAY.saturating_mul(7),
        ..Protocol::RFC9309
    };

    /// Google's specification from before RFC 9309: 5xx forbids everything for as long as it
    /// lasts, unless a copy is held; requests are unconditional.
    pub const GOOGLE_CLASSIC: Protocol = Protocol {
        unreachable_limit: Duration::MAX,
        longest_lifetime: DAY.saturating_mul(7),
        conditional: false,
        first_retry: Duration::from_secs(60),
        ..Protocol::RFC9309
    };

    /// The protocol that a profile names in [`Profile::fetch_rules`]. A profile with other
    /// switches changed keeps it.
    ///
    /// ```
    /// use robotsieve::Profile;
    /// use robotsieve_client::outcome::Protocol;
    ///
    /// let mut profile = Profile::GOOGLE;
    /// profile.wildcards = false;
    /// assert_eq!(Protocol::of(&profile), Protocol::GOOGLE);
    /// ```
    pub fn of(profile: &Profile) -> Protocol {
        match profile.fetch_rules {
            FetchRules::Google => Protocol::GOOGLE,
            FetchRules::GoogleClassic => Protocol::GOOGLE_CLASSIC,
            // The enum may grow: an unknown family is read by the standard.
            _ => Protocol::RFC9309,
        }
    }

    /// What is known of an origin after an attempt.
    pub fn after(&self, before: Option<&Known>, attempt: &Attempt) -> Known {
        let mut known = before.cloned().unwrap_or_else(|| Known::nothing(attempt.at));
        known.attempted = attempt.at;
        known.retry_after = None;
        known.last = match &attempt.result {
            _ if attempt.redirects.len() > self.max_redirects.into() => {
                Outcome::Absent(Cause::Failure(Failure::TooManyRedirects))
            }
            Ok(response) => self.meaning(&mut known, attempt, response),
            Err(failure) => match failure {
                Failure::TooManyRedirects | Failure::RedirectLoop | Failure::BadRedirect(_) => {
                    Outcome::Absent(Cause::Failure(failure.clone()))
                }
                _ => Outcome::Unreachable(Cause::Failure(failure.clone())),
            },
        };
        match known.last {
            Outcome::Present => {}
            // The site says that there is none: the copy is history.
            Outcome::Absent(_) => known.copy = None,
            Outcome::Unreachable(_) => {
                // A point in the future says that some clock was wrong.
                let since = known.unreachable_since.filter(|since| *since <= attempt.at);
                known.unreachable_since = Some(since.unwrap_or(attempt.at));
                known.failures = known.failures.saturating_add(1);
                return known;
            }
        }
        known.unreachable_since = None;
        known.failures = 0;
        known
    }

    /// What a final answer means.
    fn meaning(&self, known: &mut Known, attempt: &Attempt, response: &Response) -> Outcome {
        let status = response.status;
        if status == 429 || status == 503 {
            known.retry_after = freshness::retry_after(&response.headers, attempt.at)
                .map(|at| at.min(attempt.at + self.longest_retry));
        }
        let is_error = match status {
            200..=299 => {
                known.copy = Some(self.copy_of(attempt, response));
                return Outcome::Present;
            }
            304 => match &mut known.copy {
                Some(copy) if self.conditional => {
                    copy.at = attempt.at;
                    copy.lifetime = self.lifetime_of(response, attempt.at);
                    return Outcome::Present;
                }
                _ => true,
            },
            429 => self.too_many_requests_is_error,
            300..=499 => false,
            500..=599 => !self.errors_mean_absent && !known.errors_mean_absent,
            _ => true,
        };
        let cause = Cause::Status(status);
        if is_error { Outcome::Unreachable(cause) } else { Outcome::Absent(cause) }
    }

    fn copy_of(&self, attempt: &Attempt, response: &Response) -> Copy {
        let validator = |name| {
            let value = response.headers.get(name)?.as_bytes();
            (value.len() <= LONGEST_VALIDATOR).then(|| value.to_vec())
        };
        let body = &response.body[..];
        Copy {
            content: ContentHash::of(body),
            len: u32::try_from(body.len()).unwrap_or(u32::MAX),
            at: attempt.at,
            lifetime: self.lifetime_of(response, attempt.at),
            final_url: attempt.redirects.last().map(|redirect| redirect.to.clone()),
            etag: validator(http::header::ETAG),
            last_modified: validator(http::header::LAST_MODIFIED),
            is_truncated: response.is_truncated,
            is_blank: text_of(body).is_empty(),
            looks_like_html: looks_like_html(body),
        }
    }

    fn lifetime_of(&self, response: &Response, at: Timestamp) -> u32 {
        let lifetime = match freshness::lifetime(&response.headers, at) {
            None => self.lifetime,
            // The bounds are settings; where they contradict, the shorter one counts.
            Some(stated) => stated.max(self.shortest_lifetime).min(self.longest_lifetime),
        };
        u32::try_from(lifetime.as_secs()).unwrap_or(u32::MAX)
    }

    /// Which policy holds now, why, until when, and when to try again.
    pub fn ruling(&self, known: &Known, now: Timestamp) -> Ruling {
        match known.last {
            Outcome::Present => {
                // There is a copy; `DisallowAll` is for whoever made something else.
                let Some(copy) = &known.copy else {
                    return self.expiring(Holds::DisallowAll, Why::Copy, now, now, now);
                };
                let end = copy.fresh_until();
                self.expiring(Holds::Rules, Why::Copy, copy.at, end, now)
            }
            Outcome::Absent(_) => {
                let end = known.attempted + self.lifetime;
                self.expiring(Holds::AllowAll, Why::Absent, known.attempted, end, now)
            }
            Outcome::Unreachable(_) => self.unreachable(known, now),
        }
    }

    /// An answer that serves until some time.
    fn expiring(
        &self,
        holds: Holds,
        why: Why,
        at: Timestamp,
        until: Timestamp,
        now: Timestamp,
    ) -> Ruling {
        // An answer from the future says that some clock was wrong.
        let is_expired = now >= until || at > now + CLOCK_TOLERANCE;
        // In the last tenth of its time a new one is asked for, so that nobody waits for it.
        let next_attempt = if is_expired { now } else { until - until.since(at) / 10 };
        Ruling { holds, why, until, next_attempt, is_expired }
    }

    fn unreachable(&self, known: &Known, now: Timestamp) -> Ruling {
        let since = known.unreachable_since.unwrap_or(known.attempted);
        let grace_end = since + self.grace;
        let limit_end = since + self.unreachable_limit;
        let (holds, why, until) = match &known.copy {
            Some(copy) if now < copy.fresh_until() && copy.at <= now + CLOCK_TOLERANCE => {
                (Holds::Rules, Why::CopyWhileUnreachable, copy.fresh_until())
            }
            _ if !self.grace.is_zero() && now < grace_end => {
                (Holds::DisallowAll, Why::UnreachableLately, grace_end)
            }
            Some(_) if now < limit_end => (Holds::Rules, Why::CopyWhileUnreachable, limit_end),
            None if now < limit_end => (self.without_copy, Why::UnreachableWithoutCopy, limit_end),
            _ => {
                let answers = known.site_answered.is_some_and(|at| at >= since);
                let holds = match self.after_limit {
                    AfterLimit::AllowIfSiteAnswers if !answers => Holds::DisallowAll,
                    _ => Holds::AllowAll,
                };
                (holds, Why::UnreachableForLong, Timestamp(u64::MAX))
            }
        };
        let is_from_the_future = known.attempted > now + CLOCK_TOLERANCE;
        let next_attempt = if is_from_the_future { now } else { self.next_after_failure(known) };
        Ruling { holds, why, until, next_attempt, is_expired: false }
    }

    /// Each failure doubles the wait; `Retry-After` may make it longer, up to a bound.
    fn next_after_failure(&self, known: &Known) -> Timestamp {
        let doubled = known.failures.saturating_sub(1).min(31);
        let wait = self.first_retry.saturating_mul(1 << doubled).min(self.longest_retry);
        let next = known.attempted + wait;
        known.retry_after.map_or(next, |asked| asked.max(next))
    }

    /// The copy whose validators are sent with the next request, if any are.
    pub fn conditional_on<'k>(&self, known: &'k Known) -> Option<&'k Copy> {
        let has_validator = |copy: &&Copy| copy.etag.is_some() || copy.last_modified.is_some();
        known.copy.as_ref().filter(|_| self.conditional).filter(has_validator)
    }
}

/// Validators with more bytes are not kept.
const LONGEST_VALIDATOR: usize = 512;

/// Clocks may differ by so much.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(5 * 60);

/// A body without the byte order mark and the white space at its beginning.
fn text_of(body: &[u8]) -> &[u8] {
    body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start()
}

/// Whether a body begins like an HTML page. What the header says means nothing: many a server
/// calls each file a page, or no page a page.
fn looks_like_html(body: &[u8]) -> bool {
    const BEGINNINGS: [&[u8]; 7] =
        [b"<!doctype", b"<html", b"<head", b"<body", b"<script", b"<title", b"<?xml"];
    let text = text_of(body);
    BEGINNINGS.iter().any(|beginning| {
        text.get(..beginning.len()).is_some_and(|text| text.eq_ignore_ascii_case(beginning))
    })
}

impl Known {
    /// Before the first attempt, which is now.
    fn nothing(at: Timestamp) -> Known {
        Known {
            attempted: at,
            last: Outcome::Present,
            copy: None,
            unreachable_since: None,
            failures: 0,
            retry_after: None,
            site_answered: None,
            errors_mean_absent: false,
        }
    }

    /// What the origin's robots.txt is like.
    pub fn condition(&self) -> Condition {
        match (&self.last, &self.copy) {
            (Outcome::Absent(_), _) => Condition::Absent,
            (Outcome::Unreachable(_), _) | (Outcome::Present, None) => Condition::Unreachable,
            (Outcome::Present, Some(copy)) => copy.condition(),
        }
    }
}

impl Copy {
    /// What it is like.
    pub fn condition(&self) -> Condition {
        if self.is_truncated {
            Condition::Truncated
        } else if self.looks_like_html {
            Condition::LooksLikeHtml
        } else if self.is_blank {
            Condition::Empty
        } else {
            Condition::Parsed
        }
    }

    /// Until when it serves, without regard to failed attempts.
    pub fn fresh_until(&self) -> Timestamp {
        self.at + Duration::from_secs(self.lifetime.into())
    }
}
