//! The rules of each source: what an attempt means, and which policy applies because of it.

use std::time::Duration;

use robotsieve::{FetchRules, Profile};

use super::attempt::{Attempt, Failure, Response};
use super::freshness;
use super::local::LocalFault;
use super::ruling::{Holds, Ruling, Why};
use super::state::{CachedCopy, Cause, DEFAULT_LIFETIME, OriginState, Outcome};
use crate::time::Timestamp;

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The longest validator that is kept, in bytes.
const MAX_VALIDATOR_BYTES: usize = 512;

/// How far apart two clocks may be before a time in the future counts as wrong.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(5 * 60);

/// What a fetch means, as one setting for each point on which the sources differ.
///
/// Start from a constant, or from [`Protocol::of`] a profile, and change a setting:
///
/// ```
/// use std::time::Duration;
/// use robotsieve_client::outcome::Protocol;
///
/// let mut protocol = Protocol::RFC9309;
/// protocol.longest_lifetime = Duration::from_secs(7 * 24 * 60 * 60);
/// ```
///
/// `docs/fetching.md` in the repository compares the three constants in a table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Protocol {
    /// Whether 429 (too many requests) counts as a server error like 5xx, instead of "there is
    /// no robots.txt" like other 4xx.
    pub too_many_requests_is_error: bool,
    /// Whether 5xx means "there is no robots.txt", for every site. For a single site set
    /// [`OriginState::errors_mean_absent`].
    pub errors_mean_absent: bool,
    /// For how long nothing is allowed once a site becomes unreachable and its copy is no longer
    /// fresh.
    pub grace: Duration,
    /// What applies after [`Protocol::grace`] if there is no copy.
    pub without_copy: Holds,
    /// How long a site may be unreachable before [`Protocol::after_limit`] applies.
    pub unreachable_limit: Duration,
    /// What applies after [`Protocol::unreachable_limit`].
    pub after_limit: AfterLimit,
    /// How long an answer may be used if its headers do not say.
    pub lifetime: Duration,
    /// The shortest lifetime that headers may set.
    pub shortest_lifetime: Duration,
    /// The longest lifetime that headers may set. If it equals [`Protocol::lifetime`], headers
    /// can only shorten the lifetime.
    pub longest_lifetime: Duration,
    /// Whether the copy's validators are sent (`If-None-Match`, `If-Modified-Since`).
    pub conditional: bool,
    /// How many redirects count. An answer reached through more of them means "there is no
    /// robots.txt", even if the fetcher followed them.
    pub max_redirects: u8,
    /// The wait after the first failure. Each further failure doubles it.
    pub first_retry: Duration,
    /// The longest wait between two attempts, whatever `Retry-After` says.
    pub longest_retry: Duration,
}

/// What applies when a site has been unreachable for longer than
/// [`Protocol::unreachable_limit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AfterLimit {
    /// Everything is allowed, as if there were no robots.txt.
    AllowAll,
    /// Everything is allowed if other pages of the site have been answered since it became
    /// unreachable ([`OriginState::site_answered`]); otherwise nothing is.
    AllowIfSiteAnswers,
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
        lifetime: DEFAULT_LIFETIME,
        shortest_lifetime: Duration::from_secs(10 * 60),
        longest_lifetime: DEFAULT_LIFETIME,
        conditional: true,
        max_redirects: 5,
        first_retry: Duration::from_secs(5 * 60),
        longest_retry: HOUR.saturating_mul(6),
    };

    /// Google's documentation of today. It names no bounds for `max-age`; the week is this
    /// project's choice.
    pub const GOOGLE: Protocol = Protocol {
        too_many_requests_is_error: true,
        grace: HOUR.saturating_mul(12),
        without_copy: Holds::AllowAll,
        after_limit: AfterLimit::AllowIfSiteAnswers,
        longest_lifetime: DAY.saturating_mul(7),
        ..Protocol::RFC9309
    };

    /// Google's specification from before RFC 9309: while a site answers 5xx nothing is allowed,
    /// unless there is a copy. Requests are unconditional.
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
    #[must_use]
    pub fn of(profile: &Profile) -> Protocol {
        match profile.fetch_rules {
            FetchRules::Google => Protocol::GOOGLE,
            FetchRules::GoogleClassic => Protocol::GOOGLE_CLASSIC,
            // The standard's rules, for families that this version does not know.
            _ => Protocol::RFC9309,
        }
    }

    /// The state of an origin after an attempt, given its state before, if it had one.
    ///
    /// # Errors
    /// Returns the fault if it is on this side ([`Failure::Local`]). The attempt then says nothing
    /// about the site, and its state remains what it was.
    pub fn after(
        &self,
        before: Option<&OriginState>,
        attempt: &Attempt,
    ) -> Result<OriginState, LocalFault> {
        if let Err(Failure::Local(fault)) = &attempt.result {
            return Err(fault.clone());
        }
        let first = || OriginState::new(attempt.at, Outcome::Present);
        let mut state = before.cloned().unwrap_or_else(first);
        state.attempted = attempt.at;
        state.retry_after = None;
        state.last = match &attempt.result {
            _ if attempt.redirects.len() > self.max_redirects.into() => {
                Outcome::Absent(Cause::Failure(Failure::TooManyRedirects))
            }
            Ok(response) => self.meaning(&mut state, attempt, response),
            Err(failure) => match failure {
                Failure::TooManyRedirects | Failure::RedirectLoop | Failure::BadRedirect(_) => {
                    Outcome::Absent(Cause::Failure(failure.clone()))
                }
                _ => Outcome::Unreachable(Cause::Failure(failure.clone())),
            },
        };
        match state.last {
            Outcome::Present => {}
            // The site no longer has a robots.txt, so the copy is dropped.
            Outcome::Absent(_) => state.copy = None,
            Outcome::Unreachable(_) => {
                // A time in the future comes from a wrong clock.
                let since = state.unreachable_since.filter(|since| *since <= attempt.at);
                state.unreachable_since = Some(since.unwrap_or(attempt.at));
                state.failures = state.failures.saturating_add(1);
                return Ok(state);
            }
        }
        state.unreachable_since = None;
        state.failures = 0;
        Ok(state)
    }

    /// What a final answer means. Updates the copy and `Retry-After` in `state`.
    fn meaning(&self, state: &mut OriginState, attempt: &Attempt, response: &Response) -> Outcome {
        let status = response.status;
        if status == 429 || status == 503 {
            state.retry_after = freshness::retry_after(&response.headers, attempt.at)
                .map(|at| at.min(attempt.at + self.longest_retry));
        }
        let is_error = match status {
            200..=299 => {
                state.copy = Some(self.copy_of(attempt, response));
                return Outcome::Present;
            }
            304 => match &mut state.copy {
                Some(copy) if self.conditional => {
                    copy.at = attempt.at;
                    copy.lifetime = self.lifetime_of(response, attempt.at);
                    return Outcome::Present;
                }
                _ => true,
            },
            429 => self.too_many_requests_is_error,
            300..=499 => false,
            500..=599 => !self.errors_mean_absent && !state.errors_mean_absent,
            _ => true,
        };
        let cause = Cause::Status(status);
        if is_error { Outcome::Unreachable(cause) } else { Outcome::Absent(cause) }
    }

    fn copy_of(&self, attempt: &Attempt, response: &Response) -> CachedCopy {
        let validator = |name| {
            let value = response.headers.get(name)?.as_bytes();
            (value.len() <= MAX_VALIDATOR_BYTES).then(|| value.to_vec())
        };
        CachedCopy {
            lifetime: self.lifetime_of(response, attempt.at),
            final_url: attempt.redirects.last().map(|redirect| redirect.to.clone()),
            etag: validator(http::header::ETAG),
            last_modified: validator(http::header::LAST_MODIFIED),
            is_truncated: response.is_truncated,
            ..CachedCopy::new(&response.body, attempt.at)
        }
    }

    fn lifetime_of(&self, response: &Response, at: Timestamp) -> u32 {
        let lifetime = match freshness::lifetime(&response.headers, at) {
            None => self.lifetime,
            // `min` comes last: if the two settings contradict each other, the shorter one wins.
            Some(stated) => stated.max(self.shortest_lifetime).min(self.longest_lifetime),
        };
        u32::try_from(lifetime.as_secs()).unwrap_or(u32::MAX)
    }

    /// Which policy applies at `now`, why, until when, and when to try again.
    #[must_use]
    pub fn ruling(&self, state: &OriginState, now: Timestamp) -> Ruling {
        match state.last {
            Outcome::Present => {
                // `after` always leaves a copy here. A state that the caller built without one
                // gets the safe answer.
                let Some(copy) = &state.copy else {
                    return self.expiring(Holds::DisallowAll, Why::Copy, now, now, now);
                };
                let end = copy.fresh_until();
                self.expiring(Holds::Rules, Why::Copy, copy.at, end, now)
            }
            Outcome::Absent(_) => {
                let end = state.attempted + self.lifetime;
                self.expiring(Holds::AllowAll, Why::Absent, state.attempted, end, now)
            }
            Outcome::Unreachable(_) => self.unreachable(state, now),
        }
    }

    /// The ruling from an answer that came at `at` and expires at `until`.
    fn expiring(
        &self,
        holds: Holds,
        why: Why,
        at: Timestamp,
        until: Timestamp,
        now: Timestamp,
    ) -> Ruling {
        // An answer from the future comes from a wrong clock.
        let is_expired = now >= until || at > now + CLOCK_TOLERANCE;
        // A new answer is fetched during the last tenth of the lifetime, so that nobody has to
        // wait for it.
        let next_attempt = if is_expired { now } else { until - until.since(at) / 10 };
        Ruling { holds, why, until, next_attempt, is_expired }
    }

    fn unreachable(&self, state: &OriginState, now: Timestamp) -> Ruling {
        let since = state.unreachable_since.unwrap_or(state.attempted);
        let grace_end = since + self.grace;
        let limit_end = since + self.unreachable_limit;
        let (holds, why, until) = match &state.copy {
            Some(copy) if now < copy.fresh_until() && copy.at <= now + CLOCK_TOLERANCE => {
                (Holds::Rules, Why::CopyWhileUnreachable, copy.fresh_until())
            }
            _ if !self.grace.is_zero() && now < grace_end => {
                (Holds::DisallowAll, Why::UnreachableRecently, grace_end)
            }
            Some(_) if now < limit_end => (Holds::Rules, Why::CopyWhileUnreachable, limit_end),
            None if now < limit_end => (self.without_copy, Why::UnreachableWithoutCopy, limit_end),
            _ => {
                let answers = state.site_answered.is_some_and(|at| at >= since);
                let holds = match self.after_limit {
                    AfterLimit::AllowIfSiteAnswers if !answers => Holds::DisallowAll,
                    _ => Holds::AllowAll,
                };
                (holds, Why::UnreachableTooLong, Timestamp(u64::MAX))
            }
        };
        let is_from_the_future = state.attempted > now + CLOCK_TOLERANCE;
        let next_attempt = if is_from_the_future { now } else { self.next_after_failure(state) };
        Ruling { holds, why, until, next_attempt, is_expired: false }
    }

    /// Each failure doubles the wait. `Retry-After` may lengthen it, but never beyond
    /// [`Protocol::longest_retry`].
    fn next_after_failure(&self, state: &OriginState) -> Timestamp {
        let doubled = state.failures.saturating_sub(1).min(31);
        let wait = self.first_retry.saturating_mul(1 << doubled).min(self.longest_retry);
        let next = state.attempted + wait;
        state.retry_after.map_or(next, |asked| asked.max(next))
    }

    /// The copy whose validators the next request should send, if any.
    #[must_use]
    pub fn conditional_on<'k>(&self, state: &'k OriginState) -> Option<&'k CachedCopy> {
        let has_validator =
            |copy: &&CachedCopy| copy.etag.is_some() || copy.last_modified.is_some();
        state.copy.as_ref().filter(|_| self.conditional).filter(has_validator)
    }
}
