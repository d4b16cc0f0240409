//! Histories, the answers of one origin: an archive is judged as of its captures.

use http::header::CACHE_CONTROL;
use robotsieve::SiteKind;
use serde::{Deserialize, Serialize};

use super::attempt::{Attempt, Failure, Redirect, Response};
use super::freshness;
use super::protocol::Protocol;
use super::ruling::{Ruling, Why};
use super::state::{Cause, OriginState, Outcome};
use crate::time::{CLOCK_TOLERANCE, Timestamp};

/// The time at which a history is judged.
///
/// An archive says nothing about today. Judged by today's clock, a site that answered 503 when it
/// was captured would seem to have been unreachable ever since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AsOf {
    /// The time of the origin's newest capture.
    #[default]
    Capture,
    /// This time. Later captures are left out: nobody knew them.
    Time(Timestamp),
}

impl AsOf {
    /// True if a site was asked later, so that what held then is not known any more. Two clocks may
    /// differ.
    #[must_use]
    pub fn is_before(self, state: &OriginState) -> bool {
        matches!(self, AsOf::Time(time) if state.attempted > time + CLOCK_TOLERANCE)
    }
}

/// One answer in a history, without its body: 24 bytes, however large the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Event {
    /// The time of the answer.
    pub at: Timestamp,
    /// The number of redirects that led to the answer.
    pub redirects: u8,
    /// The answer.
    pub said: Said,
}

/// An answer, as far as a later ruling can depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Said {
    /// A file (2xx), and the lifetime in seconds that its headers state.
    File(Option<u32>),
    /// The file before it, unchanged (304), and the lifetime that its headers state.
    Unchanged(Option<u32>),
    /// Another status than these, and no redirect.
    Status(u16),
    /// Redirects in a circle, too many of them, or one to no usable URL.
    NoTarget,
    /// No answer, or a broken one.
    Failed,
}

impl Said {
    /// The answer in the result of an attempt at `at`. Returns `None` if it says nothing about the
    /// site: the fault was on this side ([`Failure::Local`], status 511).
    ///
    /// ```
    /// use robotsieve::SiteKind;
    /// use robotsieve_client::Timestamp;
    /// use robotsieve_client::outcome::{Response, Said};
    ///
    /// let mut response = Response::new(200, *b"User-agent: *\nDisallow: /private");
    /// response.headers.insert("cache-control", "max-age=3600".parse()?);
    /// assert_eq!(Said::of(Ok(&response), Timestamp(0)), Some(Said::File(Some(3600))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of(result: Result<&Response, &Failure>, at: Timestamp) -> Option<Said> {
        let lifetime = |response: &Response| {
            let stated = freshness::lifetime(&response.headers, at)?;
            Some(u32::try_from(stated.as_secs()).unwrap_or(u32::MAX))
        };
        match result {
            Ok(response) => match response.status {
                _ if response.unread().is_some() => Some(Said::Failed),
                _ if response.is_file() => Some(Said::File(lifetime(response))),
                304 => Some(Said::Unchanged(lifetime(response))),
                511 => None,
                status => Some(Said::Status(status)),
            },
            Err(Failure::Local(_)) => None,
            Err(Failure::TooManyRedirects | Failure::RedirectLoop | Failure::BadRedirect(_)) => {
                Some(Said::NoTarget)
            }
            Err(_) => Some(Said::Failed),
        }
    }

    /// The same as the result of an attempt, with an empty body.
    fn result(self) -> Result<Response, Failure> {
        let with = |status, lifetime: Option<u32>| {
            let mut response = Response::new(status, Vec::new());
            let stated = lifetime.and_then(|seconds| format!("max-age={seconds}").parse().ok());
            response.headers.extend(stated.map(|value| (CACHE_CONTROL, value)));
            Ok(response)
        };
        match self {
            Said::File(lifetime) => with(200, lifetime),
            Said::Unchanged(lifetime) => with(304, lifetime),
            Said::Status(status) => Ok(Response::new(status, Vec::new())),
            Said::NoTarget => Err(Failure::RedirectLoop),
            Said::Failed => Err(Failure::Broken(String::new())),
        }
    }
}

/// The consequence of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Judged {
    /// The policy that applies.
    pub holds: SiteKind,
    /// The reason.
    pub why: Why,
    /// The number of the event that the policy rests on: the [`Said::File`] whose rules apply, or
    /// the newest one.
    pub event: usize,
    /// The time at which the policy was captured: for rules when the file was fetched or last found
    /// unchanged, otherwise when the site last answered or failed to.
    pub at: Timestamp,
    /// True if it serves no longer at that time: its lifetime is over.
    pub is_expired: bool,
}

impl Protocol {
    /// Returns true if this alone says what holds for the site, whatever was known before: no failure does, and
    /// no 304.
    #[must_use]
    pub fn is_answer(&self, said: Said) -> bool {
        let alone = [Event { at: Timestamp(0), redirects: 0, said }];
        let judged = self.judge(&alone, AsOf::Capture);
        judged.is_some_and(|judged| matches!(judged.why, Why::Copy | Why::Absent | Why::Denied))
    }

    /// The meaning of the answers of one origin, in any order, at a time. Of two answers at the
    /// same time the later one in the slice counts as the newer. Returns `None` if there is no
    /// answer up to that time: nothing is known.
    ///
    /// The answers are attempts, one after another ([`Protocol::after`]), and what applies is the
    /// ruling at that time ([`Protocol::ruling`]): the newest answer that says something wins, and
    /// failures after it count as the protocol says. `O(n log n)`.
    ///
    /// ```
    /// use robotsieve::SiteKind;
    /// use robotsieve_client::Timestamp;
    /// use robotsieve_client::outcome::{AsOf, Event, Protocol, Said};
    ///
    /// let day = 24 * 60 * 60;
    /// let event = |day_of, said| Event { at: Timestamp(day_of * day), redirects: 0, said };
    /// let history = [event(40, Said::Status(503)), event(10, Said::File(None))];
    /// let judged = Protocol::RFC9309.judge(&history, AsOf::Capture).unwrap();
    /// assert_eq!((judged.holds, judged.event), (SiteKind::Rules, 1));
    ///
    /// // Alone, the failure allows nothing, however long ago it was.
    /// for as_of in [AsOf::Capture, AsOf::Time(Timestamp(1_000 * day))] {
    ///     let judged = Protocol::RFC9309.judge(&history[..1], as_of).unwrap();
    ///     assert_eq!(judged.holds, SiteKind::DisallowAll);
    /// }
    /// ```
    #[must_use]
    pub fn judge(&self, events: &[Event], as_of: AsOf) -> Option<Judged> {
        let is_known = |event: &Event| match as_of {
            AsOf::Capture => true,
            AsOf::Time(time) => event.at <= time,
        };
        let mut order: Vec<usize> =
            (0..events.len()).filter(|event| is_known(&events[*event])).collect();
        // Stable: events at the same time keep their order.
        order.sort_by_key(|event| events[*event].at);
        let newest = *order.last()?;
        let mut state = None;
        let mut file = newest;
        for event in order {
            let Event { at, redirects, said } = events[event];
            let hop = Redirect::new(301, String::new());
            let redirects = vec![hop; redirects.into()];
            // Whoever got this answer had sent a validator, whatever this protocol would do.
            let copy = state.as_ref().and_then(|state: &OriginState| state.copy.as_ref());
            let said_again = match (said, copy) {
                (Said::Unchanged(stated), Some(copy)) => {
                    Said::File(Some(stated.unwrap_or(copy.lifetime)))
                }
                _ => said,
            };
            let attempt = Attempt::new(at, said_again.result()).with_redirects(redirects);
            // What says nothing of the site changes nothing.
            let Ok(after) = self.after(state.as_ref(), &attempt) else { continue };
            if let Said::File(_) = said {
                file = event;
            }
            state = Some(after);
        }
        let state = state?;
        let now = match as_of {
            AsOf::Capture => events[newest].at,
            AsOf::Time(time) => time,
        };
        let ruling = self.ruling(&state, now);
        let copy = state.copy.as_ref().filter(|_| ruling.holds == SiteKind::Rules);
        let (event, at) = copy.map_or((newest, state.attempted), |copy| (file, copy.at));
        let Ruling { holds, why, is_expired, .. } = ruling;
        Some(Judged { holds, why, event, at, is_expired })
    }
}

impl Protocol {
    /// The [ruling](Protocol::ruling) on a site as of a time. As of its capture, a state is judged
    /// at the time when the site was last asked, and the ruling holds at all times: nobody will ask
    /// it again.
    ///
    /// ```
    /// use robotsieve::SiteKind;
    /// use robotsieve_client::Timestamp;
    /// use robotsieve_client::outcome::{AsOf, Attempt, Protocol, Response};
    ///
    /// // Captured long ago.
    /// let attempt = Attempt::new(Timestamp(1_700_000_000), Ok(Response::new(503, *b"")));
    /// let state = Protocol::RFC9309.after(None, &attempt)?;
    /// let ruling = Protocol::RFC9309.ruling_as_of(&state, AsOf::Capture);
    /// assert_eq!((ruling.holds, ruling.is_expired), (SiteKind::DisallowAll, false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn ruling_as_of(&self, state: &OriginState, as_of: AsOf) -> Ruling {
        match as_of {
            AsOf::Time(time) => self.ruling(state, time),
            AsOf::Capture => {
                let (first, last) = (Timestamp(0), Timestamp(u64::MAX));
                let then = self.ruling(state, state.attempted);
                let is_expired = then.why == Why::NeverAsked;
                Ruling { valid_from: first, until: last, next_attempt: last, is_expired, ..then }
            }
        }
    }
}

/// The most failures of a state that become events: more than any constant of [`Protocol`] counts.
const FAILURES: u32 = 16;

impl OriginState {
    /// The answers that a state can be made from, in the order of their times: its copy, and its
    /// last answer or the failures in a row. What [was not asked](OriginState::was_asked) has none.
    ///
    /// [`Protocol::judge`] says of them what [`Protocol::ruling`] says of the state. So states can
    /// be judged together with other captures.
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        let event = |at, said| Event { at, redirects: 0, said };
        let copy = self.copy.as_ref().map(|copy| event(copy.at, Said::File(Some(copy.lifetime))));
        let mut events: Vec<Event> = copy.into_iter().collect();
        let (Outcome::Absent(cause) | Outcome::Unreachable(cause)) = &self.last else {
            return events;
        };
        if !self.was_asked() {
            return events;
        }
        let said = match (&self.last, cause) {
            // Others answered then, so it was the site's, which a 511 alone does not show.
            (_, Cause::Status(511)) => Said::Failed,
            (_, Cause::Status(status)) => Said::Status(*status),
            (Outcome::Absent(_), Cause::Failure(_)) => Said::NoTarget,
            (_, Cause::Failure(_)) => Said::Failed,
        };
        let since = self.unreachable_since.filter(|_| matches!(self.last, Outcome::Unreachable(_)));
        if let Some(since) = since.filter(|since| *since < self.attempted) {
            let gaps = u64::from(self.failures.clamp(2, FAILURES) - 1);
            let seconds = self.attempted.0 - since.0;
            // The times in between are not known; evenly spread they count as those did.
            let before = (0..gaps).map(|gap| Timestamp(since.0 + seconds / gaps * gap));
            events.extend(before.map(|at| event(at, said)));
        }
        events.push(event(self.attempted, said));
        events
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    const DAY: u64 = 24 * 60 * 60;

    fn event(day: u64, said: Said) -> Event {
        Event { at: Timestamp(day * DAY), redirects: 0, said }
    }

    fn holds(protocol: &Protocol, events: &[Event], as_of: AsOf) -> SiteKind {
        protocol.judge(events, as_of).unwrap().holds
    }

    const PROTOCOLS: [Protocol; 3] =
        [Protocol::RFC9309, Protocol::GOOGLE, Protocol::GOOGLE_CLASSIC];

    /// What was found: 997 of 997 sites that answered 503 when they were captured, 51 days before,
    /// were allowed.
    #[test]
    fn an_old_failure_allows_nothing() {
        for protocol in PROTOCOLS {
            for said in [Said::Status(503), Said::Failed, Said::Status(500)] {
                let events = [event(0, said)];
                for as_of in [AsOf::Capture, AsOf::Time(Timestamp(51 * DAY))] {
                    assert_eq!(holds(&protocol, &events, as_of), SiteKind::DisallowAll);
                }
                // And monthly captures are no attempts in a row.
                let events: Vec<_> = (0..12).map(|month| event(30 * month, said)).collect();
                assert_eq!(holds(&protocol, &events, AsOf::Capture), SiteKind::DisallowAll);
            }
        }
    }

    #[test]
    fn the_newest_answer_wins_in_any_order() {
        let file = |day| event(day, Said::File(None));
        let events = [file(3), event(1, Said::Status(404)), file(2), event(4, Said::Failed)];
        let judged = Protocol::RFC9309.judge(&events, AsOf::Capture).unwrap();
        assert_eq!(
            (judged.holds, judged.event, judged.at),
            (SiteKind::Rules, 0, Timestamp(3 * DAY))
        );
        let as_of = |day| Protocol::RFC9309.judge(&events, AsOf::Time(Timestamp(day * DAY)));
        assert_eq!(as_of(0), None);
        assert_eq!(as_of(1).unwrap().holds, SiteKind::AllowAll);
        assert_eq!((as_of(2).unwrap().holds, as_of(2).unwrap().event), (SiteKind::Rules, 2));
        let tie = [file(1), event(1, Said::Status(404))];
        assert_eq!(holds(&Protocol::RFC9309, &tie, AsOf::Capture), SiteKind::AllowAll);
        let gone = [file(1), event(2, Said::Status(404)), event(3, Said::Failed)];
        assert_eq!(holds(&Protocol::RFC9309, &gone, AsOf::Capture), SiteKind::DisallowAll);
    }

    #[test]
    fn a_file_that_is_found_unchanged_is_newer() {
        let events = [event(1, Said::File(Some(60))), event(9, Said::Unchanged(None))];
        let judged = Protocol::RFC9309.judge(&events, AsOf::Capture).unwrap();
        assert_eq!(
            (judged.holds, judged.event, judged.at),
            (SiteKind::Rules, 0, Timestamp(9 * DAY))
        );
        assert_eq!(holds(&Protocol::RFC9309, &events[1..], AsOf::Capture), SiteKind::DisallowAll);
        // Also by a protocol that sends no validators.
        assert_eq!(holds(&Protocol::GOOGLE_CLASSIC, &events, AsOf::Capture), SiteKind::Rules);
    }

    #[test]
    fn redirects_beyond_the_limit_lead_to_nothing() {
        for (redirects, wanted) in
            [(0, SiteKind::Rules), (5, SiteKind::Rules), (6, SiteKind::AllowAll)]
        {
            let events = [Event { redirects, ..event(1, Said::File(None)) }];
            assert_eq!(holds(&Protocol::RFC9309, &events, AsOf::Capture), wanted);
        }
    }

    /// A copy that was fresh when the site failed applies as of then, however long ago that was.
    #[test]
    fn states_as_of_their_capture() {
        let fresh = [event(0, Said::File(Some(5 * 86_400))), event(2, Said::Status(503))];
        let old = [event(0, Said::File(Some(86_400))), event(2, Said::Status(503))];
        for (events, wanted) in [
            (&fresh[..], SiteKind::Rules),
            (&old, SiteKind::DisallowAll),
            (&fresh[..1], SiteKind::Rules),
            (&[event(0, Said::Status(404))], SiteKind::AllowAll),
            (&[event(0, Said::Failed)], SiteKind::DisallowAll),
        ] {
            let mut state = None;
            for event in events {
                let attempt = Attempt::new(event.at, event.said.result());
                state = Protocol::GOOGLE.after(state.as_ref(), &attempt).ok();
            }
            let ruling = Protocol::GOOGLE.ruling_as_of(&state.unwrap(), AsOf::Capture);
            assert_eq!((ruling.holds, ruling.is_expired), (wanted, false), "{events:?}");
            assert_eq!(holds(&Protocol::GOOGLE, events, AsOf::Capture), wanted);
        }
    }

    #[test]
    fn faults_of_this_side_say_nothing() {
        let events = [event(1, Said::Status(404)), event(2, Said::Status(511))];
        assert_eq!(holds(&Protocol::RFC9309, &events, AsOf::Capture), SiteKind::AllowAll);
        assert_eq!(Protocol::RFC9309.judge(&events[1..], AsOf::Capture), None);
        assert_eq!(Said::of(Ok(&Response::new(511, *b"")), Timestamp(0)), None);
    }

    fn said() -> impl Strategy<Value = Said> {
        prop_oneof![
            proptest::option::of(0..2_000_000u32).prop_map(Said::File),
            proptest::option::of(0..2_000_000u32).prop_map(Said::Unchanged),
            prop_oneof![Just(404), Just(403), Just(429), Just(503), Just(500)]
                .prop_map(Said::Status),
            Just(Said::NoTarget),
            Just(Said::Failed),
        ]
    }

    proptest! {
        /// It is what the attempts one by one, and the ruling at the end, would say.
        #[test]
        fn equal_to_the_attempts(
            mut days in proptest::collection::vec((0..100u64, said()), 1..8),
            later in 0..100u64,
        ) {
            let events: Vec<Event> = days.iter().map(|(day, said)| event(*day, *said)).collect();
            days.sort_by_key(|(day, _)| *day);
            for protocol in PROTOCOLS {
                let mut state = None;
                for (day, said) in &days {
                    let attempt = Attempt::new(Timestamp(day * DAY), said.result());
                    // A 304 is an answer to its own kind of request.
                    let conditional = Protocol { conditional: true, ..protocol.clone() };
                    state = conditional.after(state.as_ref(), &attempt).ok();
                }
                let state = state.unwrap();
                for as_of in [AsOf::Capture, AsOf::Time(state.attempted + Duration::from_secs(later * DAY))] {
                    let now = match as_of { AsOf::Time(time) => time, AsOf::Capture => state.attempted };
                    let judged = protocol.judge(&events, as_of).unwrap();
                    prop_assert_eq!(judged.holds, protocol.ruling(&state, now).holds);
                    if judged.holds == SiteKind::Rules {
                        prop_assert!(matches!(events[judged.event].said, Said::File(_)));
                    }
                }
            }
        }

        /// A state says as events what it says itself.
        #[test]
        fn states_as_events(
            mut days in proptest::collection::vec((0..60u64, said()), 1..24),
            later in 0..100u64,
        ) {
            days.sort_by_key(|(day, _)| *day);
            for protocol in PROTOCOLS {
                let mut state = None;
                for (day, said) in &days {
                    let attempt = Attempt::new(Timestamp(day * DAY), said.result());
                    state = protocol.after(state.as_ref(), &attempt).ok();
                }
                let state = state.unwrap();
                let now = state.attempted + Duration::from_secs(later * DAY);
                let judged = protocol.judge(&state.events(), AsOf::Time(now)).unwrap();
                let ruling = protocol.ruling(&state, now);
                prop_assert_eq!((judged.holds, judged.why), (ruling.holds, ruling.why));
            }
        }

        /// Time alone never allows what was not allowed at the time of the capture.
        #[test]
        fn time_opens_no_site(days in proptest::collection::vec((0..100u64, said()), 1..8), later in 0..1_000u64) {
            let events: Vec<Event> = days.iter().map(|(day, said)| event(*day, *said)).collect();
            for protocol in PROTOCOLS {
                let then = protocol.judge(&events, AsOf::Capture).unwrap().holds;
                let now = protocol.judge(&events, AsOf::Time(Timestamp((100 + later) * DAY))).unwrap().holds;
                prop_assert!(then != SiteKind::DisallowAll || now != SiteKind::AllowAll);
            }
        }
    }
}
