//! What the captures of an origin say together: the one rule for all who bring them together.

use robotsieve::SiteKind;
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{AsOf, Event, Protocol, Said};
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
    /// At a capture with another payload than the revisit has that leads there: neither says what was sent.
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
            if lead.payload.contradicts(*payload) {
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

    fn meant(&self, lead: &Lead<K>, at: Timestamp) -> Option<&(Says<K, B>, PayloadClaim)> {
        let Some(exactly) = lead.exactly else {
            return Some(&self.says[nearest(&self.times, at)?]);
        };
        // What only refers to another capture is not the one that is meant.
        let first = self.times.partition_point(|time| *time < exactly);
        let len = self.times[first..].partition_point(|time| *time == exactly);
        let equal = &self.says[first..first + len];
        equal.iter().rev().find(|(says, _)| !matches!(says, Says::Same(..)))
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

/// When an answer was captured, the answer with its redirects, and what came with it.
type CapturedAnswer<B> = (Captured, Option<(u8, Said)>, B);

/// The answers of an origin, to settle what holds.
#[derive(Clone, Debug)]
pub struct History<B> {
    /// `None`: it leads to what is not known.
    answers: Vec<CapturedAnswer<B>>,
}

/// The rules or outcome in force for an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled<B> {
    /// [`SiteKind::Unknown`] if the newest answer leads to what is not known.
    pub holds: SiteKind,
    /// When that was captured.
    pub captured: Captured,
    /// The companion of the answer that it rests on: the file whose rules apply, or the newest.
    pub of: B,
    /// True if it serves no longer at the time as of which it was settled: its lifetime is over.
    pub is_expired: bool,
    /// What the answer said that it rests on; `None` if that is not known.
    pub said: Option<Said>,
}

impl<B> Default for History<B> {
    fn default() -> History<B> {
        History { answers: Vec::new() }
    }
}

impl<B> History<B> {
    /// Adds an answer that came after so many redirects; `None` for redirects to what is not known,
    /// and other captures that say nothing. Of answers at the same time the one that is added later
    /// counts as the newer.
    pub fn push(&mut self, captured: Captured, answer: Option<(u8, Said)>, of: B) {
        self.answers.push((captured, answer, of));
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
        // Stable: answers of the same time keep their order; one of them that is not known may be the newest.
        self.answers.sort_by_key(|(captured, answer, _)| (*captured, answer.is_none()));
        let is_lost = |(captured, answer, _): &CapturedAnswer<B>| {
            answer.is_none() && !matches!(as_of, AsOf::Time(time) if captured.at > time)
        };
        let lost = self.answers.iter().rposition(is_lost);
        let lost = lost.and_then(|last| self.answers.drain(..=last).next_back());
        self.answers.retain(|(_, answer, _)| answer.is_some());
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
        let Some(judged) = protocol.judge(&events, as_of) else {
            let (captured, _, of) = lost?;
            let holds = SiteKind::Unknown;
            return Some(Settled { holds, captured, of, is_expired: true, said: None });
        };
        let (event, answer, of) = self.answers.swap_remove(judged.event);
        let is_later = event.is_later && event.at == judged.at;
        let captured = Captured { at: judged.at, is_later };
        let said = answer.map(|(_, said)| said);
        Some(Settled { holds: judged.holds, captured, of, is_expired: judged.is_expired, said })
    }
}

#[cfg(test)]
mod tests {
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
}
