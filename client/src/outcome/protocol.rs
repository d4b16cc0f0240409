//! The rules of each source: what an attempt means, and which policy applies because of it.
//!
//! [`Protocol`] is to fetching what [`Profile`] is to reading: a plain value with one switch for each point on which RFC
//! 9309, Google's documents and Google's older specification differ. An attempt (a status, headers and a body, or a
//! failure) goes in, an outcome comes out: rules, allow all, disallow all or unknown, for how long, and when to ask again.
//! Nothing here fetches, waits or looks at a clock: the caller gives the time, so an archive is judged as of its captures
//! by the same code.
//!
//! `history` applies it to a sequence of answers, the store keeps the state between them, and docs/answers.md, which a
//! tool writes, shows each answer under each constant.

use std::time::Duration;

use http::HeaderName;
use http::header::{ETAG, LAST_MODIFIED};
use robotsieve::{FetchRules, Profile, SiteKind};
use serde::{Deserialize, Serialize};

use super::attempt::{ASKS_FOR_LOGIN, Attempt, Failure, Response, asks_for_login};
use super::freshness;
use super::local::{LocalFault, LocalKind};
use super::ruling::{Ruling, Why};
use super::seconds;
use super::state::{
    CachedCopy, Cause, DEFAULT_LIFETIME, OriginState, Outcome, StatedLifetime, seconds_of,
};
use crate::time::{CLOCK_TOLERANCE, Timestamp};

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The longest validator that is kept, in bytes.
const MAX_VALIDATOR_BYTES: usize = 512;

/// The meaning of fetches, with one setting for each point on which the sources differ.
///
/// Start from a constant, or from [`Protocol::of`] a profile, and change a setting:
///
/// ```
/// use std::time::Duration;
/// use robotsieve_client::outcome::Protocol;
///
/// const PROTOCOL: Protocol =
///     Protocol::RFC9309.with_longest_lifetime(Duration::from_secs(7 * 24 * 60 * 60));
/// ```
///
/// `docs/answers.md` in the repository shows what each answer means with the three constants.
///
/// Serialised with durations in seconds. A setting that is missing is that of
/// [`Protocol::RFC9309`]:
///
/// ```
/// use robotsieve_client::outcome::Protocol;
///
/// let protocol: Protocol =
///     serde_json::from_str(r#"{ "denial_disallows": true, "unreachable_limit": 604800 }"#)?;
/// assert!(protocol.denial_disallows);
/// assert_eq!(protocol.max_redirects, Protocol::RFC9309.max_redirects);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Silence never opens a site
/// While a site is unreachable, time alone allows nothing: what applies after
/// [`Protocol::grace`] and [`Protocol::unreachable_limit`] needs attempts that failed for so
/// long, however much time has passed since the last one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Protocol {
    /// True if 401 (unauthorized) and 403 (forbidden) mean that nothing is allowed, as crawlers
    /// read them before RFC 9309, instead of "there is no robots.txt" like other 4xx.
    pub denial_disallows: bool,
    /// True if 429 (too many requests) means to wait, as 5xx does, instead of "there is no
    /// robots.txt" like other 4xx.
    pub too_many_requests_is_error: bool,
    /// True if 5xx means "there is no robots.txt", for every site. For a single site set
    /// [`OriginState::errors_mean_absent`].
    pub errors_mean_absent: bool,
    /// The time for which nothing is allowed once a site becomes unreachable and its copy is no
    /// longer fresh. It ends with the first attempt that fails so long after the first failure.
    #[serde(with = "seconds")]
    pub grace: Duration,
    /// The policy after [`Protocol::grace`] if there is no copy. All but [`SiteKind::AllowAll`]
    /// counts as [`SiteKind::DisallowAll`].
    pub without_copy: SiteKind,
    /// The time for which a site may be unreachable before [`Protocol::after_limit`] applies: the
    /// time from the first failed attempt to the last. [`Duration::MAX`] means for ever.
    ///
    /// If more than half of it lies between two failures, the second counts as the first:
    /// nobody knows what the site answered in between.
    #[serde(with = "seconds")]
    pub unreachable_limit: Duration,
    /// The number of attempts that must have failed in a row before [`Protocol::after_limit`]
    /// applies, the first and the last included.
    pub min_failures: u32,
    /// The policy after [`Protocol::unreachable_limit`].
    pub after_limit: AfterLimit,
    /// The time for which an answer may be used if its headers do not say, and for which it counts
    /// that a site has no robots.txt, whatever the headers say.
    #[serde(with = "seconds")]
    pub lifetime: Duration,
    /// The shortest lifetime that headers may set.
    #[serde(with = "seconds")]
    pub shortest_lifetime: Duration,
    /// The longest lifetime that headers may set. If it equals [`Protocol::lifetime`], headers
    /// can only shorten the lifetime.
    #[serde(with = "seconds")]
    pub longest_lifetime: Duration,
    /// True if the copy's validators are sent (`If-None-Match`, `If-Modified-Since`).
    pub conditional: bool,
    /// The number of redirects that count. An answer reached through more of them means "there is
    /// no robots.txt", even if the fetcher followed them.
    pub max_redirects: u8,
    /// The wait after the first failure. Each further failure doubles it.
    #[serde(with = "seconds")]
    pub first_retry: Duration,
    /// The longest wait between two attempts, whatever `Retry-After` says.
    #[serde(with = "seconds")]
    pub longest_retry: Duration,
}

/// The setters of a [`Protocol`].
macro_rules! setters {
    ($($setter:ident: $setting:ident: $value:ty,)*) => {
        impl Protocol {
            $(
                #[doc = concat!("The same with another [`Protocol::", stringify!($setting), "`].")]
                #[must_use]
                pub const fn $setter(mut self, $setting: $value) -> Protocol {
                    self.$setting = $setting;
                    self
                }
            )*
        }
    };
}

setters! {
    with_denial_disallows: denial_disallows: bool,
    with_too_many_requests_is_error: too_many_requests_is_error: bool,
    with_errors_mean_absent: errors_mean_absent: bool,
    with_grace: grace: Duration,
    with_without_copy: without_copy: SiteKind,
    with_unreachable_limit: unreachable_limit: Duration,
    with_min_failures: min_failures: u32,
    with_after_limit: after_limit: AfterLimit,
    with_lifetime: lifetime: Duration,
    with_shortest_lifetime: shortest_lifetime: Duration,
    with_longest_lifetime: longest_lifetime: Duration,
    with_conditional: conditional: bool,
    with_max_redirects: max_redirects: u8,
    with_first_retry: first_retry: Duration,
    with_longest_retry: longest_retry: Duration,
}

impl From<&Profile> for Protocol {
    /// [`Protocol::of`].
    fn from(profile: &Profile) -> Protocol {
        Protocol::of(profile)
    }
}

impl Default for Protocol {
    /// [`Protocol::RFC9309`].
    fn default() -> Protocol {
        Protocol::RFC9309
    }
}

/// The policy for a site that has been unreachable for longer than [`Protocol::unreachable_limit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
        denial_disallows: false,
        too_many_requests_is_error: false,
        errors_mean_absent: false,
        grace: Duration::ZERO,
        without_copy: SiteKind::DisallowAll,
        unreachable_limit: DAY.saturating_mul(30),
        min_failures: 5,
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
        without_copy: SiteKind::AllowAll,
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
    /// Returns the fault if it is on this side, or may be: [`Failure::Local`], and any failure
    /// that is [not confirmed](Attempt::is_confirmed). The attempt then says nothing about the site,
    /// and its state remains what it was.
    pub fn after(
        &self,
        before: Option<&OriginState>,
        attempt: &Attempt,
    ) -> Result<OriginState, LocalFault> {
        match &attempt.result {
            Err(Failure::Local(fault)) => return Err(fault.clone()),
            _ if attempt.is_confirmed => {}
            result if asks_for_login(result) => {
                return Err(LocalFault::new(LocalKind::Unconfirmed, ASKS_FOR_LOGIN));
            }
            Err(failure) => {
                return Err(LocalFault::new(LocalKind::Unconfirmed, failure.to_string()));
            }
            Ok(response) => {
                let from = match attempt.redirects.last() {
                    Some(redirect) => format!(" from {}", redirect.to),
                    None if response.is_file() => {
                        ", perhaps the page for a login in the place of the file".to_owned()
                    }
                    None => String::new(),
                };
                let text = format!("HTTP {}{from}", response.status);
                return Err(LocalFault::new(LocalKind::Unconfirmed, text));
            }
        }
        let first = || OriginState::new(attempt.at, Outcome::Present);
        let mut state = before.cloned().unwrap_or_else(first);
        let goes_on = before.is_some_and(|before| self.continues(before, attempt.at));
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
        // What is left of an earlier attempt is as certain as that was.
        if attempt.invalid_certificate.is_some() || !matches!(state.last, Outcome::Unreachable(_)) {
            state.invalid_certificate.clone_from(&attempt.invalid_certificate);
        }
        let is_from_the_future = |at: Timestamp| at > attempt.at + CLOCK_TOLERANCE;
        state.site_answered = state.site_answered.filter(|at| !is_from_the_future(*at));
        state.no_file_at = match (&state.last, &state.copy, before) {
            (Outcome::Unreachable(_), None, Some(before)) => match before.last {
                Outcome::Unreachable(_) if !before.is_unknown() => before.no_file_at,
                _ => Some(before.attempted),
            },
            _ => None,
        };
        (state.unreachable_since, state.failures) = match state.last {
            Outcome::Present | Outcome::Unknown => (None, 0),
            // It is no failure of the site's.
            Outcome::Unreachable(_) if is_refused_here(attempt) => (None, 0),
            // The site no longer has a robots.txt, so the copy is dropped.
            Outcome::Absent(_) => {
                state.copy = None;
                (None, 0)
            }
            Outcome::Unreachable(_) => {
                if let Some(copy) = state.copy.as_mut().filter(|copy| is_from_the_future(copy.at)) {
                    // Nobody knows how old the copy is, so it is no longer fresh.
                    (copy.at, copy.lifetime) = (attempt.at, 0);
                }
                match state.unreachable_since.filter(|_| goes_on) {
                    Some(since) => (Some(since), state.failures.saturating_add(1)),
                    None => (Some(attempt.at), 1),
                }
            }
        };
        Ok(state)
    }

    /// True if a failure at `now` continues the failures before it, so that the time in between
    /// counts as time without an answer.
    fn continues(&self, before: &OriginState, now: Timestamp) -> bool {
        let is_unreachable = matches!(before.last, Outcome::Unreachable(_)) && before.was_asked();
        // Times in the future come from a wrong clock.
        let is_past = before.attempted <= now + CLOCK_TOLERANCE
            && before.unreachable_since.is_some_and(|since| since <= now);
        is_unreachable && is_past && now.since(before.attempted) <= self.unreachable_limit / 2
    }

    /// The meaning of a final answer. Updates the copy and `Retry-After` in `state`.
    fn meaning(&self, state: &mut OriginState, attempt: &Attempt, response: &Response) -> Outcome {
        let status = response.status;
        state.retry_after = freshness::retry_after(status, &response.headers, attempt.at)
            .map(|at| at.min(attempt.at + self.longest_retry));
        if let Some(failure) = response.unread() {
            return Outcome::Unreachable(Cause::Failure(failure));
        }
        let is_error = match status {
            _ if response.is_file() => {
                state.copy = Some(self.copy_of(attempt, response));
                return Outcome::Present;
            }
            304 => match &mut state.copy {
                Some(copy) if self.conditional => {
                    self.refresh(copy, attempt.at, response);
                    return Outcome::Present;
                }
                _ => true,
            },
            429 => self.too_many_requests_is_error,
            300..=499 => false,
            500..=599 => !self.errors_mean_absent && !state.errors_mean_absent,
            // 206, too.
            _ => true,
        };
        let cause = Cause::Status(status);
        if is_error { Outcome::Unreachable(cause) } else { Outcome::Absent(cause) }
    }

    fn copy_of(&self, attempt: &Attempt, response: &Response) -> CachedCopy {
        let stated = freshness::stated(&response.headers, attempt.at);
        CachedCopy {
            lifetime: stated
                .map_or(seconds_of(self.lifetime), |stated| self.bounded(stated, response)),
            stated,
            final_url: attempt.redirects.last().map(|redirect| redirect.to.clone()),
            etag: validator(response, &ETAG).flatten(),
            last_modified: validator(response, &LAST_MODIFIED).flatten(),
            is_truncated: response.is_truncated || response.is_part(),
            ..CachedCopy::new(&response.body, attempt.at)
        }
    }

    /// Updates a copy that a 304 has found unchanged: RFC 9111, sections 3.2 and 4.3.4. What the
    /// 304 does not say remains as it was, so an `Expires` does not end the stored `max-age`. The
    /// RFC would also have a copy fetched anew whose strong `ETag` differs; but this was the answer
    /// to a request for just this copy, and servers change the `ETag` of an unchanged file, for
    /// instance when they compress it.
    fn refresh(&self, copy: &mut CachedCopy, at: Timestamp, response: &Response) {
        copy.at = at;
        copy.stated = match (copy.stated, freshness::stated(&response.headers, at)) {
            (Some(kept @ StatedLifetime::MaxAge(_)), None | Some(StatedLifetime::Expires(_))) => {
                Some(kept)
            }
            (kept, stated) => stated.or(kept),
        };
        // The protocol may be another one than when the copy was fetched.
        copy.lifetime = match copy.stated {
            Some(stated) => self.bounded(stated, response),
            None => copy.lifetime.min(seconds_of(self.longest_lifetime.max(self.lifetime))),
        };
        if let Some(etag) = validator(response, &ETAG) {
            copy.etag = etag;
        }
        if let Some(last_modified) = validator(response, &LAST_MODIFIED) {
            copy.last_modified = last_modified;
        }
    }

    /// The seconds for which a copy with this lifetime is fresh from now on: less by the `Age` of the
    /// newest answer, and within the bounds of the protocol.
    fn bounded(&self, stated: StatedLifetime, newest: &Response) -> u32 {
        let stated = freshness::from_now_on(stated, &newest.headers);
        // `min` comes last: if the two settings contradict each other, the shorter one wins.
        seconds_of(stated.max(self.shortest_lifetime).min(self.longest_lifetime))
    }

    /// The policy that applies at `now`, with its reason, its end, and the time to try again.
    ///
    /// Of a state whose site [was not asked](OriginState::was_asked) by the last attempt, a copy goes on to
    /// count. Without one nothing is known.
    #[must_use]
    pub fn ruling(&self, state: &OriginState, now: Timestamp) -> Ruling {
        let was_asked = state.was_asked();
        // What 429 and 5xx mean is read anew: another protocol may have made the state.
        let is_answer = match &state.last {
            Outcome::Unreachable(Cause::Status(500..=599)) => self.errors_mean_absent,
            Outcome::Absent(Cause::Status(429)) | Outcome::Unreachable(Cause::Status(429)) => {
                !self.too_many_requests_is_error
            }
            last => matches!(last, Outcome::Absent(_)),
        };
        match (&state.last, &state.copy) {
            (Outcome::Absent(cause) | Outcome::Unreachable(cause), _) if was_asked && is_answer => {
                let is_denial = matches!(cause, Cause::Status(401 | 403));
                let (holds, why) = match is_denial && self.denial_disallows {
                    true => (SiteKind::DisallowAll, Why::Denied),
                    false => (SiteKind::AllowAll, Why::Absent),
                };
                expiring(holds, why, state.attempted, state.attempted + self.lifetime, now)
            }
            (Outcome::Absent(_) | Outcome::Unreachable(_), _) if was_asked => {
                self.unreachable(state, now)
            }
            (_, Some(copy)) => {
                expiring(SiteKind::Rules, Why::Copy, copy.at, copy.fresh_until(), now)
            }
            (_, None) => expiring(SiteKind::Unknown, Why::NeverAsked, now, now, now),
        }
    }

    fn unreachable(&self, state: &OriginState, now: Timestamp) -> Ruling {
        let attempted = state.attempted;
        let next_attempt = self.next_after_failure(state);
        // Who has not asked again for twice the wait does not know how the site is now.
        let expiry = attempted + next_attempt.since(attempted).saturating_mul(2);
        let valid_from = attempted - CLOCK_TOLERANCE;
        let fresh_until = (state.copy.as_ref())
            .filter(|copy| copy.at <= attempted + CLOCK_TOLERANCE)
            .map_or(Timestamp(0), CachedCopy::fresh_until);
        let (holds, why, valid_from, until) = if now < fresh_until {
            (SiteKind::Rules, Why::CopyWhileUnreachable, valid_from, expiry.min(fresh_until))
        } else {
            let (holds, why) = self.while_unreachable(state, fresh_until);
            (holds, why, valid_from.max(fresh_until), expiry)
        };
        // A failure from the future comes from a wrong clock.
        if now >= expiry || attempted > now + CLOCK_TOLERANCE {
            let next_attempt = next_attempt.min(now);
            return Ruling { holds, why, valid_from: now, until, next_attempt, is_expired: true };
        }
        Ruling { holds, why, valid_from, until, next_attempt, is_expired: false }
    }

    /// The policy of an unreachable site without a fresh copy. It depends on the attempts alone, so
    /// nothing is allowed because time has passed.
    fn while_unreachable(&self, state: &OriginState, fresh_until: Timestamp) -> (SiteKind, Why) {
        let since = state.unreachable_since.unwrap_or(state.attempted);
        let without_answer = state.attempted.since(since);
        let is_over_limit = without_answer >= self.unreachable_limit
            && state.failures >= self.min_failures
            && state.attempted >= fresh_until;
        if is_over_limit {
            let answers = state.site_answered.is_some_and(|at| at >= since);
            let holds = match self.after_limit {
                AfterLimit::AllowIfSiteAnswers if !answers => SiteKind::DisallowAll,
                _ => SiteKind::AllowAll,
            };
            (holds, Why::UnreachableTooLong)
        } else if without_answer < self.grace {
            (SiteKind::DisallowAll, Why::UnreachableRecently)
        } else if state.copy.is_some() {
            (SiteKind::Rules, Why::CopyWhileUnreachable)
        } else {
            let holds = match self.without_copy {
                SiteKind::AllowAll => SiteKind::AllowAll,
                // There are no rules.
                _ => SiteKind::DisallowAll,
            };
            (holds, Why::UnreachableWithoutCopy)
        }
    }

    /// Each failure doubles the wait, up to the end of the grace period: the attempt there decides
    /// what applies next. `Retry-After` may lengthen the wait, but never beyond
    /// [`Protocol::longest_retry`].
    fn next_after_failure(&self, state: &OriginState) -> Timestamp {
        let doubled = state.failures.saturating_sub(1).min(31);
        let wait = self.first_retry.saturating_mul(1 << doubled).min(self.longest_retry);
        let mut next = state.attempted + wait;
        let grace_end = state.unreachable_since.map_or(Timestamp(0), |since| since + self.grace);
        if state.attempted < grace_end {
            next = next.min(grace_end.max(state.attempted + self.first_retry));
        }
        state.retry_after.map_or(next, |asked| asked.max(next))
    }

    /// The copy whose validators the next request should send, if any. Not those of a copy that
    /// was cut: "unchanged" would keep it cut, though the limit may have been raised.
    #[must_use]
    pub fn conditional_on<'k>(&self, state: &'k OriginState) -> Option<&'k CachedCopy> {
        let is_usable = |copy: &&CachedCopy| !copy.is_truncated && !copy.validators().is_empty();
        state.copy.as_ref().filter(|_| self.conditional).filter(is_usable)
    }
}

/// True if our settings forbid an address of the site itself, and not one that it led to.
fn is_refused_here(attempt: &Attempt) -> bool {
    attempt.redirects.is_empty() && matches!(attempt.result, Err(Failure::Refused(_)))
}

/// The ruling from an answer that came at `at` and expires at `until`.
fn expiring(holds: SiteKind, why: Why, at: Timestamp, until: Timestamp, now: Timestamp) -> Ruling {
    // An answer from the future comes from a wrong clock.
    if now >= until || at > now + CLOCK_TOLERANCE {
        return Ruling { holds, why, valid_from: now, until, next_attempt: now, is_expired: true };
    }
    // A new answer is fetched during the last tenth of the lifetime, so that nobody has to
    // wait for it.
    let next_attempt = until - until.since(at) / 10;
    let valid_from = at - CLOCK_TOLERANCE;
    Ruling { holds, why, valid_from, until, next_attempt, is_expired: false }
}

/// A validator of an answer, if it has one. One that is too long is not kept.
fn validator(response: &Response, name: &HeaderName) -> Option<Option<Vec<u8>>> {
    let value = response.headers.get(name)?.as_bytes();
    Some((value.len() <= MAX_VALIDATOR_BYTES).then(|| value.to_vec()))
}
