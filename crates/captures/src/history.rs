//! What the captures of an origin say together: the one rule for all who bring them together.

use robotsieve::SiteKind;
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{AfterLimit, AsOf, Event, Protocol, Said};
use serde::{Deserialize, Serialize};

use super::payload::PayloadClaim;

/// The number of redirects that are followed, as in the standard (RFC 9309, section 2.3.1.2).
pub const MAX_HOPS: u8 = 5;

/// The meaning of a capture, without its body. `K` is a key of captures, `B` the place of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Says<K, B> {
    /// A final answer, and where its file is, if it has one.
    Answer(Said, Option<B>),
    /// A redirect to this key.
    Redirect(K),
    /// A revisit: what another capture has belongs to it.
    Same(Repeats<K>),
}

/// What a revisit says itself, and where the capture is that has the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeats<K> {
    /// What its own status and header say: a file, or that the file is unchanged. Only the file is the
    /// other's. `None` if the archive kept no header: then the whole answer is the other's.
    pub own: Option<Said>,
    /// Where the other may be, the best place first: by the id of its record, by its URL and time, by
    /// the digest of its payload.
    pub places: [Option<RepeatedAt<K>>; 3],
    /// What the revisit says of the payload.
    pub payload: PayloadClaim,
}

/// A place where the capture may be that a revisit repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepeatedAt<K> {
    /// The key of a capture, or a name of its record ([`RecordNames`](crate::RecordNames)).
    pub key: K,
    /// The time of the capture that is meant; `None` for the nearest one.
    pub exactly: Option<Timestamp>,
}

/// The target of a redirect or a revisit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lead<K> {
    /// The key of the target.
    pub to: K,
    /// The number of redirects that led here.
    pub hops: u8,
    /// The time of the capture that is meant; `None` for the nearest one.
    pub exactly: Option<Timestamp>,
    /// The key of the revisit that leads here, if it is one, and what it says itself.
    pub revisit: Option<(K, Option<Said>)>,
    /// Where else the target may be, if it is not there.
    pub or: [Option<RepeatedAt<K>>; 2],
    /// What a revisit that leads here says of the payload.
    pub payload: PayloadClaim,
}

impl<K> Lead<K> {
    /// To the capture of this key that is nearest in time, after so many redirects.
    #[must_use]
    pub fn redirect(to: K, hops: u8) -> Lead<K> {
        let payload = PayloadClaim::Nothing;
        Lead { to, hops, exactly: None, revisit: None, or: [None, None], payload }
    }

    /// The meaning of what was found there for the capture that led here. Returns `None` if a revisit
    /// has found no file there, or has a part of one itself: then it says nothing of the one that it repeats.
    #[must_use]
    pub fn says(&self, found: Said) -> Option<Said> {
        if self.payload == PayloadClaim::Part {
            return None;
        }
        let own = self.revisit.as_ref().and_then(|(_, own)| *own);
        match (own, found) {
            (None, found) => Some(found),
            // RFC 9111, section 4.3.4: what a 304 does not say holds as before.
            (Some(Said::Unchanged(own)), Said::File(stored)) => Some(Said::File(own.or(stored))),
            (Some(own), Said::File(_)) => Some(own),
            (Some(_), _) => None,
        }
    }

    /// The next step if nothing is there: the next place where it may be. A 304 then speaks of the file
    /// that its own URL had.
    #[must_use]
    pub fn missing<B>(self) -> Led<K, B> {
        let Lead { to, hops, exactly, revisit, or: [next, last], payload } = self;
        match (next, revisit) {
            (Some(RepeatedAt { key: to, exactly }), revisit) => {
                Led::Further(Lead { to, hops, exactly, revisit, or: [last, None], payload })
            }
            (None, Some((_, Some(own @ Said::Unchanged(_))))) => Led::Answer(hops, own, None),
            (None, revisit) => {
                Led::Nowhere(Lead { to, hops, exactly, revisit, or: [None, None], payload })
            }
        }
    }
}

impl<K> Repeats<K> {
    /// Returns true if there is no place where the other may be.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.iter().all(Option::is_none)
    }

    /// The first place where the other may be, for the revisit of this key. Returns `None` if there is no
    /// place.
    fn lead(self, by: K, hops: u8) -> Option<Lead<K>> {
        let revisit = Some((by, self.own));
        let mut places = self.places.into_iter().flatten();
        let RepeatedAt { key: to, exactly } = places.next()?;
        let or = [places.next(), places.next()];
        Some(Lead { to, hops, exactly, revisit, or, payload: self.payload })
    }
}

impl<K: Clone, B> Says<K, B> {
    /// The target, if the capture of this key has no answer of its own.
    #[must_use]
    pub fn lead(&self, of: K) -> Option<Lead<K>> {
        match self {
            Says::Answer(..) => None,
            Says::Redirect(to) => Some(Lead::redirect(to.clone(), 1)),
            Says::Same(repeats) => repeats.clone().lead(of, 0),
        }
    }

    /// The same with other keys and bodies.
    #[must_use]
    pub fn map<'s, L, C>(
        &'s self,
        key: impl Fn(&'s K) -> L,
        body: impl FnOnce(&'s B) -> C,
    ) -> Says<L, C> {
        match self {
            Says::Answer(said, place) => Says::Answer(*said, place.as_ref().map(body)),
            Says::Redirect(to) => Says::Redirect(key(to)),
            Says::Same(Repeats { own, places, payload }) => {
                let place = |place: &'s Option<RepeatedAt<K>>| {
                    let RepeatedAt { key: of, exactly } = place.as_ref()?;
                    Some(RepeatedAt { key: key(of), exactly: *exactly })
                };
                let places = places.each_ref().map(place);
                Says::Same(Repeats { own: *own, places, payload: *payload })
            }
        }
    }
}

/// Where a [`Lead`] ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Led<K, B> {
    /// At an answer after so many redirects.
    Answer(u8, Said, Option<B>),
    /// At the captures of another key.
    Further(Lead<K>),
    /// At what no capture tells: of this.
    Nowhere(Lead<K>),
    /// At a capture that does not state the digest of the revisit that leads there: neither says what was sent.
    Contradiction,
}

/// The captures of a key, in the order of their times.
///
/// ```
/// use robotsieve_client::Timestamp;
/// use robotsieve_captures::{CapturesOf, Lead, Led, PayloadClaim, Says};
/// use robotsieve_client::outcome::Said;
///
/// // On the third of February a file, on the third of June none.
/// let (february, june) = (Timestamp(1_770_076_800), Timestamp(1_780_444_800));
/// let mut captures = CapturesOf::new("https://www.example.com");
/// captures.push(february, Says::Answer(Said::File(None), Some("the file")), PayloadClaim::Nothing);
/// captures.push(june, Says::Answer(Said::Status(404), None), PayloadClaim::Nothing);
///
/// // The redirect of the first of February led to the file.
/// let redirect = Says::<_, ()>::Redirect("https://www.example.com").lead("https://example.com").unwrap();
/// let led = captures.answer(redirect, Timestamp(1_769_904_000));
/// assert_eq!(led, Led::Answer(1, Said::File(None), Some("the file")));
/// ```
#[derive(Clone, Debug)]
pub struct CapturesOf<K, B> {
    key: K,
    times: Vec<Timestamp>,
    says: Vec<(Says<K, B>, PayloadClaim)>,
}

impl<K: Clone + PartialEq, B: Clone> CapturesOf<K, B> {
    /// No captures of this key yet.
    #[must_use]
    pub fn new(key: K) -> CapturesOf<K, B> {
        CapturesOf { key, times: Vec::new(), says: Vec::new() }
    }

    /// Adds the next capture, with what it says of its payload. Of those at the same time the later one counts
    /// as the newer.
    pub fn push(&mut self, at: Timestamp, says: Says<K, B>, payload: PayloadClaim) {
        debug_assert!(self.times.last().is_none_or(|last| *last <= at));
        self.times.push(at);
        self.says.push((says, payload));
    }

    /// Follows what the capture of another key at this time leads to, as far as these captures
    /// tell. `O(log n)` for each redirect.
    #[must_use]
    pub fn answer(&self, mut lead: Lead<K>, at: Timestamp) -> Led<K, B> {
        // A site that redirects to itself ends this after `MAX_HOPS` redirects; a revisit leads to no
        // other one.
        while lead.to == self.key {
            let Some((says, payload)) = self.meant(&lead, at) else { return Led::Nowhere(lead) };
            if !lead.payload.is_of(*payload) {
                return Led::Contradiction;
            }
            let is_payload = matches!(lead.revisit, Some((_, Some(_))));
            lead = match says {
                Says::Answer(said, body) => match lead.says(*said) {
                    Some(said) => return Led::Answer(lead.hops, said, body.clone()),
                    None => return Led::Nowhere(lead),
                },
                // What stands in the body of a redirect is not kept.
                Says::Redirect(_) if is_payload => return Led::Nowhere(lead),
                Says::Redirect(_) if lead.hops == MAX_HOPS => {
                    return Led::Answer(lead.hops, Said::NoTarget, None);
                }
                Says::Redirect(to) => Lead::redirect(to.clone(), lead.hops + 1),
                Says::Same(repeats) => match repeats.clone().lead(self.key.clone(), lead.hops) {
                    Some(lead) => lead,
                    None => return Led::Nowhere(lead),
                },
            };
        }
        Led::Further(lead)
    }

    /// The time of the capture that is nearest to this one, as [`nearest`] says. `O(log n)`.
    #[must_use]
    pub fn nearest(&self, at: Timestamp) -> Option<Timestamp> {
        nearest(&self.times, at).map(|place| self.times[place])
    }

    fn meant(&self, lead: &Lead<K>, at: Timestamp) -> Option<&(Says<K, B>, PayloadClaim)> {
        let time = lead.exactly.or_else(|| self.nearest(at))?;
        let first = self.times.partition_point(|earlier| *earlier < time);
        let len = self.times[first..].partition_point(|equal| *equal == time);
        // What only refers to another capture is not the one that a revisit means.
        let is_meant = |(says, _): &&(Says<K, B>, PayloadClaim)| {
            lead.exactly.is_none() || !matches!(says, Says::Same(..))
        };
        self.against(self.says[first..first + len].iter().filter(is_meant))
    }

    /// Of captures in one second the one that counts against. Returns `None` if that is not known: they lead
    /// to different places.
    fn against<'s>(
        &self,
        says: impl Iterator<Item = &'s (Says<K, B>, PayloadClaim)>,
    ) -> Option<&'s (Says<K, B>, PayloadClaim)>
    where
        K: 's,
        B: 's,
    {
        says.map(Some).reduce(|one, other| {
            let (one, other) = (one?, other?);
            let is_loop = |says: &Says<K, B>| matches!(says, Says::Redirect(to) if *to == self.key);
            match (&one.0, &other.0) {
                (Says::Answer(first, _), Says::Answer(second, _)) => {
                    let rank = |said: &Said| rank(&Protocol::RFC9309, Some(*said));
                    Some(if rank(first) > rank(second) { one } else { other })
                }
                (Says::Redirect(to), Says::Redirect(too)) if to == too => Some(other),
                (Says::Same(same), Says::Same(too)) if same == too => Some(other),
                (_, said) if is_loop(said) => Some(one),
                (said, _) if is_loop(said) => Some(other),
                _ => None,
            }
        })?
    }
}

/// Orders answers of one second: the greater one counts as the newer, since it counts against. `None` is one
/// that leads to what is not known.
pub(crate) fn rank(protocol: &Protocol, said: Option<Said>) -> u8 {
    match said {
        None => 3,
        Some(said) if !protocol.is_answer(said) => 2,
        Some(Said::File(_)) => 1,
        Some(_) => 0,
    }
}

/// Of the times of a target's captures, in ascending order, the one that answers a redirect at
/// this time: the nearest; of two as near, the later; of equal ones, the last. `O(log n)`.
///
/// ```
/// use robotsieve_client::Timestamp;
/// use robotsieve_captures::nearest;
///
/// let times = [10, 20, 20, 30].map(Timestamp);
/// assert_eq!(nearest(&times, Timestamp(15)), Some(2));
/// assert_eq!(nearest(&[], Timestamp(15)), None);
/// ```
#[must_use]
pub fn nearest(times: &[Timestamp], at: Timestamp) -> Option<usize> {
    // The last one up to `at`, and the last of the equal ones that come next.
    let after = times.partition_point(|time| *time <= at);
    let before = after.checked_sub(1);
    let next = times.get(after).map(|next| times.partition_point(|time| time <= next) - 1);
    match (before, next) {
        (Some(before), Some(next)) if times[next].since(at) <= at.since(times[before]) => {
            Some(next)
        }
        (Some(before), _) => Some(before),
        (None, next) => next,
    }
}

/// When an answer was captured. The greater is the newer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Captured {
    /// The time; the beginning of 1970 if it is not known.
    pub at: Timestamp,
    /// Not then, but at an unknown time after that.
    pub is_later: bool,
}

impl Captured {
    /// At this time.
    #[must_use]
    pub fn at(at: Timestamp) -> Captured {
        Captured { at, is_later: false }
    }

    /// At an unknown time after this one.
    #[must_use]
    pub fn after(self) -> Captured {
        Captured { at: self.at, is_later: self.at > Timestamp(0) }
    }
}

/// When the answers were captured that an outcome rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Basis {
    /// The time of the outcome.
    pub captured: Captured,
    /// If it rests on two answers, such as a file and a failure after it: the time of the other one, earlier
    /// or later.
    pub other: Option<Timestamp>,
}

impl Basis {
    fn of_two(captured: Captured, other: Captured) -> Basis {
        // The time 0 is none.
        let other = (other.at.0 + u64::from(other.is_later)).max(1);
        Basis { captured, other: Some(Timestamp(other)) }
    }
}

/// When an answer was captured, the answer with its redirects, and what came with it.
type CapturedAnswer<B> = (Captured, Option<(u8, Said)>, B);

/// The answers of an origin, to settle what holds.
#[derive(Clone, Debug)]
pub struct History<B> {
    /// `None`: it leads to what is not known.
    answers: Vec<CapturedAnswer<B>>,
    /// Until when there may have been answers that a pack has not kept.
    forgotten: Option<Captured>,
}

/// The rules or outcome in force for an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled<B> {
    /// [`SiteKind::Unknown`] if the newest answer leads to what is not known.
    pub holds: SiteKind,
    /// When that was captured.
    pub captured: Captured,
    /// The same for whoever keeps the outcome without the answers: [`History::push_kept`] takes it.
    pub basis: Basis,
    /// The companion of the answer that it rests on: the file whose rules apply, or the newest.
    pub of: B,
    /// True if it serves no longer at the time as of which it was settled: its lifetime is over.
    pub is_expired: bool,
    /// What the answer said that it rests on; `None` if that is not known.
    pub said: Option<Said>,
}

impl<B> Default for History<B> {
    fn default() -> History<B> {
        History { answers: Vec::new(), forgotten: None }
    }
}

impl<B> History<B> {
    /// Adds an answer that came after so many redirects; `None` for redirects to what is not known,
    /// and other captures that say nothing. Of answers in one second the one that counts against is the newest:
    /// one that is not known, a failure, a file; of equal ones, and of those without a time, the one that is
    /// added later.
    pub fn push(&mut self, captured: Captured, answer: Option<(u8, Said)>, of: B) {
        self.answers.push((captured, answer, of));
    }

    /// Adds what is kept of other answers: their outcome, and when they were captured. A file counts as if
    /// its lifetime were short.
    pub fn push_kept(&mut self, kind: SiteKind, basis: Basis, of: B)
    where
        B: Clone,
    {
        let kept = match kind {
            SiteKind::Rules => Some(Said::File(Some(0))),
            SiteKind::AllowAll => Some(Said::Status(404)),
            SiteKind::DisallowAll => Some(Said::Failed),
            SiteKind::Unknown => None,
        };
        let Basis { captured, other: Some(other) } = basis else {
            return self.push(basis.captured, kept.map(|said| (0, said)), of);
        };
        let (one, other) = (captured, Captured::at(other));
        let (answered, failed) = (one.min(other), one.max(other));
        // It ended what was known before. Was it a file that does not apply, the file is not kept.
        let answer = kept.filter(|said| matches!(said, Said::File(_))).unwrap_or(Said::Status(404));
        self.push(answered, Some((0, answer)), of.clone());
        self.push(failed, Some((0, Said::Failed)), of);
        self.forgotten = self.forgotten.max(Some(failed));
    }

    /// The outcome of the answers, as [`Protocol::judge`] says of those after the last that leads to what is
    /// not known: it may have said anything, so nothing from before it holds. Returns `None` if there is no
    /// answer up to the time.
    ///
    /// ```
    /// use robotsieve::SiteKind;
    /// use robotsieve_client::Timestamp;
    /// use robotsieve_captures::{Captured, History};
    /// use robotsieve_client::outcome::{AsOf, Protocol, Said};
    ///
    /// let mut history = History::default();
    /// let at = |at| Captured::at(Timestamp(at));
    /// history.push(at(30), Some((0, Said::File(None))), "the new file");
    /// history.push(at(20), None, "a redirect to what is not known");
    /// history.push(at(10), Some((0, Said::File(None))), "the file");
    /// let as_of = |time| history.clone().settle(&Protocol::RFC9309, AsOf::Time(Timestamp(time))).unwrap();
    /// assert_eq!((as_of(10).holds, as_of(10).of), (SiteKind::Rules, "the file"));
    /// assert_eq!(as_of(20).holds, SiteKind::Unknown);
    /// assert_eq!((as_of(30).holds, as_of(30).of), (SiteKind::Rules, "the new file"));
    /// ```
    #[must_use]
    pub fn settle(mut self, protocol: &Protocol, as_of: AsOf) -> Option<Settled<B>> {
        if let AsOf::Time(time) = as_of {
            self.answers.retain(|(captured, ..)| captured.at <= time);
        }
        let rank = |(captured, answer, _): &CapturedAnswer<B>| match answer {
            Some(_) if captured.is_later || captured.at == Timestamp(0) => 0,
            answer => rank(protocol, answer.map(|(_, said)| said)),
        };
        // Stable: equal ones keep their order.
        self.answers
            .sort_by(|one, other| one.0.cmp(&other.0).then_with(|| rank(one).cmp(&rank(other))));
        let newest = self.answers.last()?.0;
        let lost = self.answers.iter().rposition(|(_, answer, _)| answer.is_none());
        let lost = lost.and_then(|last| self.answers.drain(..=last).next_back());
        if lost.is_some() {
            // Until the site answers again, what follows speaks of what is not known.
            let is_answer = |(_, answer, _): &CapturedAnswer<B>| {
                answer.is_some_and(|(_, said)| protocol.is_answer(said))
            };
            let first = self.answers.iter().position(is_answer).unwrap_or(self.answers.len());
            self.answers.drain(..first);
        }
        let event = |(captured, answer, _): &(Captured, Option<(u8, Said)>, B)| {
            let (redirects, said) = (*answer)?;
            Some(Event { at: captured.at, redirects, said })
        };
        let events: Vec<Event> = self.answers.iter().filter_map(event).collect();
        let unknown = |captured, of| {
            let basis = Basis { captured: newest, other: None };
            let holds = SiteKind::Unknown;
            Some(Settled { holds, captured, basis, of, is_expired: true, said: None })
        };
        let Some(judged) = protocol.judge(&events, as_of) else {
            let (captured, _, of) = lost?;
            return unknown(captured, of);
        };
        let answered = events.iter().rposition(|event| protocol.is_answer(event.said));
        let first = first_of_two(protocol, &events, answered, judged.holds);
        let first = first.map(|first| self.answers[first].0);
        let answered = answered.map(|last| self.answers[last].0);
        let (event, answer, of) = self.answers.swap_remove(judged.event);
        let is_certain = judged.holds == SiteKind::DisallowAll || failures_keep_rules(protocol);
        if self.forgotten.is_some() && self.forgotten >= answered && !is_certain {
            return unknown(newest, of);
        }
        let is_later = event.is_later && event.at == judged.at;
        let captured = Captured { at: judged.at, is_later };
        let basis = match first {
            None => Basis { captured, other: None },
            Some(first) if judged.at == newest.at => Basis::of_two(newest, first),
            Some(first) => Basis::of_two(first, newest),
        };
        let (holds, is_expired) = (judged.holds, judged.is_expired);
        let said = answer.map(|(_, said)| said);
        Some(Settled { holds, captured, basis, of, is_expired, said })
    }
}

/// Returns true if the rules of a file apply however often the site fails after it, until all is allowed.
fn failures_keep_rules(protocol: &Protocol) -> bool {
    protocol.grace.is_zero() && protocol.after_limit == AfterLimit::AllowAll
}

/// The place of the first of two answers that an outcome rests on, unless it rests on the newest alone.
/// `events` are in the order of their times, and `answered` is the last one that says something by itself.
fn first_of_two(
    protocol: &Protocol,
    events: &[Event],
    answered: Option<usize>,
    holds: SiteKind,
) -> Option<usize> {
    let newest = events.len() - 1;
    match answered {
        // What is denied is kept as a failure, before which nothing counts.
        Some(answered) if answered == newest => (holds == SiteKind::DisallowAll).then_some(newest),
        Some(answered) => Some(answered),
        // Failures alone: of several the first counts, too, and what was found unchanged is no failure.
        None if holds == SiteKind::AllowAll => Some(0),
        None => {
            let is_one = newest == 0 && !matches!(events[0].said, Said::Unchanged(_));
            (!is_one && !failures_keep_rules(protocol)).then_some(0)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_nearest_in_time() {
        let times: Vec<Timestamp> = [10, 20, 20, 30].map(Timestamp).to_vec();
        for (at, wanted) in [(0, 0), (10, 0), (14, 0), (15, 2), (20, 2), (25, 3), (29, 3), (99, 3)]
        {
            assert_eq!(nearest(&times, Timestamp(at)), Some(wanted), "{at}");
        }
        assert_eq!(nearest(&[], Timestamp(0)), None);
    }

    /// A redirect of the first of February, whose target had a file on the third of February and
    /// none on the third of June.
    #[test]
    fn the_capture_of_that_time_decides() {
        const DAY: u64 = 24 * 60 * 60;
        let (first, third, june) =
            (Timestamp(20_120 * DAY), Timestamp(20_122 * DAY), Timestamp(20_242 * DAY));
        let mut captures = CapturesOf::new("t");
        captures.push(third, Says::Answer(Said::File(None), Some(())), PayloadClaim::Nothing);
        captures.push(june, Says::Answer(Said::Status(404), None), PayloadClaim::Nothing);
        let lead = Says::<_, ()>::Redirect("t").lead("s").unwrap();
        assert_eq!(captures.answer(lead, first), Led::Answer(1, Said::File(None), Some(())));
        assert_eq!(captures.answer(lead, june), Led::Answer(1, Said::Status(404), None));
        // A revisit means one capture, and no other.
        let same = |at| repeats(None, [Some(("t", Some(at))), None, None]);
        assert_eq!(captures.answer(same(third), june), Led::Answer(0, Said::File(None), Some(())));
        assert_eq!(captures.answer(same(first), first), Led::Nowhere(same(first)));
    }

    /// Of a target's captures in one second the one that counts against answers a redirect.
    #[test]
    fn ties_of_a_target() {
        let file = || Says::Answer(Said::File(None), Some("file"));
        let gone = || Says::Answer(Said::Status(404), None);
        let busy = || Says::Answer(Said::Status(503), None);
        let led = |mut says: Vec<Says<&'static str, &'static str>>| {
            let mut led = Vec::new();
            for _ in 0..2 {
                let mut captures = CapturesOf::new("t");
                for says in &says {
                    captures.push(Timestamp(5), *says, PayloadClaim::Nothing);
                }
                led.push(captures.answer(Lead::redirect("t", 1), Timestamp(4)));
                says.reverse();
            }
            assert_eq!(led[0], led[1], "in any order");
            led.remove(0)
        };
        let answer = |said, body| Led::Answer(1, said, body);
        assert_eq!(led(vec![file(), gone()]), answer(Said::File(None), Some("file")));
        assert_eq!(led(vec![file(), busy(), gone()]), answer(Said::Status(503), None));
        // A redirect to itself, as with a cookie, says nothing beside an answer.
        assert_eq!(led(vec![file(), Says::Redirect("t")]), answer(Said::File(None), Some("file")));
        // Where another one leads is not known here.
        let nowhere = Led::Nowhere(Lead::redirect("t", 1));
        assert_eq!(led(vec![file(), Says::Redirect("u")]), nowhere);
        assert_eq!(led(vec![Says::Redirect("v"), Says::Redirect("u")]), nowhere);
        let further = Led::Further(Lead::redirect("u", 2));
        assert_eq!(led(vec![Says::Redirect("u"), Says::Redirect("u")]), further);
    }

    /// Of answers in one second the one that counts against is the newest.
    #[test]
    fn ties_of_an_origin() {
        let settle = |answers: [Option<Said>; 2]| {
            let mut found = Vec::new();
            for answers in [answers, [answers[1], answers[0]]] {
                let mut history = History::default();
                for said in answers {
                    history.push(Captured::at(Timestamp(5)), said.map(|said| (0, said)), ());
                }
                found.push(history.settle(&Protocol::RFC9309, AsOf::Capture).unwrap().holds);
            }
            assert_eq!(found[0], found[1], "in any order");
            found[0]
        };
        let (file, gone) = (Some(Said::File(None)), Some(Said::Status(404)));
        assert_eq!(settle([file, gone]), SiteKind::Rules);
        assert_eq!(settle([gone, Some(Said::Failed)]), SiteKind::DisallowAll);
        assert_eq!(settle([file, Some(Said::Failed)]), SiteKind::Rules);
        assert_eq!(settle([file, None]), SiteKind::Unknown);
    }

    #[test]
    fn redirects_end() {
        let mut captures = CapturesOf::<_, ()>::new("t");
        captures.push(Timestamp(1), Says::Redirect("t"), PayloadClaim::Nothing);
        let lead = |hops| Lead::redirect("t", hops);
        let ended = Led::Answer(MAX_HOPS, Said::NoTarget, None);
        assert_eq!(captures.answer(lead(1), Timestamp(0)), ended);
        captures.push(Timestamp(2), Says::Redirect("u"), PayloadClaim::Nothing);
        let led = captures.answer(lead(4), Timestamp(9));
        assert_eq!(led, Led::Further(Lead::redirect("u", 5)));
        assert_eq!(captures.answer(lead(5), Timestamp(9)), ended);
    }

    fn repeats(
        own: Option<Said>,
        places: [Option<(&'static str, Option<Timestamp>)>; 3],
    ) -> Lead<&'static str> {
        let place = |(key, exactly)| RepeatedAt { key, exactly };
        let places = places.map(|of| of.map(place));
        let payload = PayloadClaim::Nothing;
        Says::<_, ()>::Same(Repeats { own, places, payload }).lead("s").unwrap()
    }

    /// Status and header of a revisit are its own; only the payload is another's.
    #[test]
    fn revisits() {
        let mut captures = CapturesOf::new("t");
        captures.push(
            Timestamp(1),
            Says::Answer(Said::File(Some(7)), Some(())),
            PayloadClaim::Nothing,
        );
        captures.push(Timestamp(2), Says::Redirect("u"), PayloadClaim::Nothing);
        captures.push(Timestamp(3), Says::Answer(Said::Status(404), None), PayloadClaim::Nothing);
        let answer = |own, at| {
            captures
                .answer(repeats(own, [Some(("t", Some(Timestamp(at)))), None, None]), Timestamp(9))
        };
        let file = |lifetime| Led::Answer(0, Said::File(lifetime), Some(()));
        assert_eq!(answer(Some(Said::File(None)), 1), file(None));
        assert_eq!(answer(Some(Said::Unchanged(None)), 1), file(Some(7)));
        assert_eq!(answer(Some(Said::Unchanged(Some(8))), 1), file(Some(8)));
        // Without a header of its own the whole answer is the other's.
        assert_eq!(answer(None, 2), Led::Further(Lead::redirect("u", 1)));
        assert_eq!(answer(None, 3), Led::Answer(0, Said::Status(404), None));
        for at in [2, 3, 4] {
            let Led::Nowhere(lead) = answer(Some(Said::File(None)), at) else { panic!("{at}") };
            assert_eq!(lead.missing::<()>(), Led::Nowhere(lead), "{at}");
            let Led::Nowhere(lead) = answer(Some(Said::Unchanged(None)), at) else {
                panic!("{at}")
            };
            assert_eq!(lead.missing(), Led::Answer(0, Said::Unchanged(None), None::<()>), "{at}");
        }
        // The next place, if nothing is at the first.
        let lead =
            repeats(Some(Said::File(None)), [Some(("id", None)), None, Some(("digest", None))]);
        let Led::Further(lead) = lead.missing::<()>() else { panic!() };
        assert_eq!((lead.to, lead.or), ("digest", [None, None]));
    }

    /// The answers of a random history: their times, mostly some hours or weeks apart, and what they say. `None`
    /// leads nowhere.
    fn answers() -> impl Strategy<Value = Vec<(u64, Option<Said>)>> {
        let said = prop_oneof![
            3 => prop_oneof![Just(None), Just(Some(60)), Just(Some(86_400 * 7))]
                .prop_map(|lifetime| Some(Said::File(lifetime))),
            2 => Just(Some(Said::Status(404))),
            6 => Just(Some(Said::Failed)),
            1 => Just(Some(Said::Unchanged(None))),
            1 => Just(None),
        ];
        let pause = prop_oneof![Just(0), 1..86_400_u64, 86_400..86_400 * 14_u64];
        prop::collection::vec((pause, said), 1..9).prop_map(|steps| {
            let mut at = 1_700_000_000;
            let answers = steps.into_iter().map(|(pause, said)| {
                // Of two files of one second the later in the input counts.
                at += pause.max(u64::from(matches!(said, Some(Said::File(_)))));
                (at, said)
            });
            answers.collect()
        })
    }

    fn history_of<'a>(
        answers: impl Iterator<Item = (usize, &'a (u64, Option<Said>))>,
    ) -> History<usize> {
        let mut history = History::default();
        for (place, (at, said)) in answers {
            history.push(Captured::at(Timestamp(*at)), said.map(|said| (0, said)), place);
        }
        history
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

        /// Whoever keeps outcomes and forgets the answers never allows what all answers together do not: packs
        /// that are updated, and packs that are merged.
        #[test]
        fn what_was_forgotten_allows_nothing(
            answers in answers(),
            groups in prop::collection::vec(0..3_usize, 9),
        ) {
            for protocol in [Protocol::RFC9309, Protocol::GOOGLE, Protocol::GOOGLE_CLASSIC] {
                let settle = |history: History<usize>| history.settle(&protocol, AsOf::Capture);
                let all = settle(history_of(answers.iter().enumerate())).unwrap();
                let of_group = |group: usize| {
                    let numbered = answers.iter().enumerate();
                    history_of(numbered.filter(|(place, _)| groups[*place] == group))
                };
                let mut updated: Option<Settled<usize>> = None;
                let mut merged = History::default();
                for group in 0..3 {
                    let mut history = of_group(group);
                    if let Some(alone) = settle(history.clone()) {
                        merged.push_kept(alone.holds, alone.basis, alone.of);
                    }
                    let mut with_kept = History::default();
                    if let Some(kept) = &updated {
                        with_kept.push_kept(kept.holds, kept.basis, kept.of);
                    }
                    if !history.answers.is_empty() {
                        with_kept.answers.append(&mut history.answers);
                        updated = settle(with_kept);
                    }
                }
                let merged = settle(merged);
                for found in [updated, merged].into_iter().flatten() {
                    let is_right = match (all.holds, found.holds) {
                        (_, SiteKind::Unknown | SiteKind::DisallowAll) | (SiteKind::AllowAll, _) => true,
                        (SiteKind::Rules, SiteKind::Rules) => all.of == found.of,
                        _ => false,
                    };
                    prop_assert!(is_right, "{protocol:?}\n{all:?}\n{found:?}");
                }
            }
        }
    }
}
