//! Which capture of a document was in force when a page was fetched.
//!
//! The copy that was current then counts, and no later one (draft-ietf-aipref-attach-05, "When Preferences
//! Apply"): what an owner says later neither permits nor refuses what was fetched before.

use robotsieve::SiteKind;
use robotsieve_client::Timestamp;
use robotsieve_client::internals::has_none;
use robotsieve_client::outcome::{AsOf, Protocol, Said};

use crate::history::{Captured, History, Settled, nearest};

/// The most answers before a time that are looked at, so that an address that was asked a million times
/// costs no more than others. The last file before them counts besides.
const MOST_ANSWERS: usize = 256;

/// The answers of one address, in the order of their times, each with its companion.
#[derive(Clone, Debug)]
pub struct Versions<B> {
    times: Vec<Timestamp>,
    /// The number of redirects and the answer; `None` if it leads to what is not known.
    answers: Vec<(Option<(u8, Said)>, B)>,
    /// The times of those that lead to what is not known.
    lost: Vec<Timestamp>,
}

/// How a capture stands to the page that it is to speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It was in force: captured before the page, and its lifetime was not over.
    Current,
    /// It is the nearest one, from before the page, but its lifetime was over.
    Older,
    /// It is the nearest one, from after the page.
    Later,
}

impl Fit {
    /// As reports write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Fit::Current => "current",
            Fit::Older => "older",
            Fit::Later => "later",
        }
    }
}

impl<B> Default for Versions<B> {
    fn default() -> Versions<B> {
        Versions { times: Vec::new(), answers: Vec::new(), lost: Vec::new() }
    }
}

impl<B: Clone> Versions<B> {
    /// Adds an answer that came after so many redirects; `None` for one that leads to what is not known. Of
    /// answers at the same time the one that is added later counts as the newer. `O(1)` if they come in the
    /// order of their times.
    pub fn push(&mut self, at: Timestamp, answer: Option<(u8, Said)>, of: B) {
        if answer.is_none() {
            let place = self.lost.partition_point(|time| *time <= at);
            self.lost.insert(place, at);
        }
        let place = self.times.partition_point(|time| *time <= at);
        self.times.insert(place, at);
        self.answers.insert(place, (answer, of));
    }

    /// Returns what was in force at the time at which a page was fetched, or without one what the newest
    /// answer comes to ([`AsOf::Capture`]). In force was the newest answer before the page, as
    /// [`History::settle`] says, if its lifetime was not over; else the nearest in time. Answers that lead to
    /// what is not known count only if there are no others: [`Versions::is_doubtful`] tells of them. Returns
    /// `None` if there is no answer.
    ///
    /// ```
    /// use robotsieve_captures::{Fit, Versions};
    /// use robotsieve_client::Timestamp;
    /// use robotsieve_client::outcome::{Protocol, Said};
    ///
    /// const DAY: u64 = 24 * 60 * 60;
    /// let mut versions = Versions::default();
    /// versions.push(Timestamp(100 * DAY), Some((0, Said::File(None))), "the first");
    /// versions.push(Timestamp(900 * DAY), Some((0, Said::File(None))), "the second");
    /// let in_force = |at| {
    ///     let (settled, fit) = versions.in_force(&Protocol::RFC9309, Some(Timestamp(at))).unwrap();
    ///     (settled.of, fit)
    /// };
    /// assert_eq!(in_force(100 * DAY + 60), ("the first", Fit::Current));
    /// assert_eq!(in_force(400 * DAY), ("the first", Fit::Older));
    /// assert_eq!(in_force(600 * DAY), ("the second", Fit::Later));
    /// ```
    #[must_use]
    pub fn in_force(
        &self,
        protocol: &Protocol,
        at: Option<Timestamp>,
    ) -> Option<(Settled<B>, Fit)> {
        let Some(at) = at else {
            let newest = self.settled(self.times.len(), protocol, AsOf::Capture)?;
            return Some((newest, Fit::Current));
        };
        let before = self.times.partition_point(|time| *time <= at);
        let settled = self.settled(before, protocol, AsOf::Time(at));
        let is_current =
            |settled: &Settled<B>| settled.holds != SiteKind::Unknown && !settled.is_expired;
        if let Some(settled) = settled.as_ref().filter(|settled| is_current(settled)) {
            return Some((settled.clone(), Fit::Current));
        }
        let is_known = |place: &usize| self.answers[*place].0.is_some();
        let earlier = (0..before).rev().take(MOST_ANSWERS).find(is_known);
        let later = (before..self.times.len()).take(MOST_ANSWERS).find(is_known);
        let both: Vec<usize> = earlier.into_iter().chain(later).collect();
        let times: Vec<Timestamp> = both.iter().map(|place| self.times[*place]).collect();
        match nearest(&times, at).map(|place| both[place]) {
            Some(place) if place >= before => {
                let at = self.times[place];
                let len = self.times.partition_point(|time| *time <= at);
                Some((self.settled(len, protocol, AsOf::Time(at))?, Fit::Later))
            }
            Some(_) => Some((settled?, Fit::Older)),
            // They all lead to what is not known.
            None => Some((self.settled(self.times.len(), protocol, AsOf::Capture)?, Fit::Older)),
        }
    }

    /// What was in force before an answer of the page's own second, of which nobody knows whether it came before the
    /// page. `None` if nothing was.
    #[must_use]
    pub fn before_second(
        &self,
        protocol: &Protocol,
        captured: Timestamp,
        at: Option<Timestamp>,
    ) -> Option<Settled<B>> {
        let second = at.filter(|at| *at == captured)?;
        let before = self.in_force(protocol, Some(Timestamp(second.0.checked_sub(1)?)));
        before.filter(|(_, fit)| *fit == Fit::Current).map(|(settled, _)| settled)
    }

    /// The time of the answer that is nearest to this one, as [`nearest`] says. `O(log n)`.
    #[must_use]
    pub fn nearest(&self, at: Timestamp) -> Option<Timestamp> {
        nearest(&self.times, at).map(|place| self.times[place])
    }

    /// The last answer until this time, however old.
    #[must_use]
    pub fn last(&self, protocol: &Protocol, until: Timestamp) -> Option<Settled<B>> {
        self.settled(self.times.partition_point(|time| *time <= until), protocol, AsOf::Time(until))
    }

    /// Returns true if another answer may have been in force than the one that was captured then: a newer one
    /// until the time `at` leads to what is not known. `O(log n)`.
    #[must_use]
    pub fn is_doubtful(&self, captured: Timestamp, fit: Fit, at: Option<Timestamp>) -> bool {
        let from = if fit == Fit::Later { Timestamp(0) } else { captured };
        self.is_lost_between(from, at)
    }

    /// Returns true if a robots.txt may say more than what was in force at the time `at`: what allows all did not
    /// show that there is no file, as a 403, or a newer answer is broken, is a failure such as 503, or leads to what is
    /// not known.
    #[must_use]
    pub fn may_say_more(&self, settled: &Settled<B>, fit: Fit, at: Option<Timestamp>) -> bool {
        let captured = settled.captured.at;
        let is_not_shown = settled.holds == SiteKind::AllowAll
            && !matches!(settled.said, Some(Said::Status(status)) if has_none(status));
        // What forbids all says nothing of a file.
        let is_of_file = matches!(settled.holds, SiteKind::Rules | SiteKind::AllowAll);
        is_not_shown
            || self.is_doubtful(captured, fit, at)
            || is_of_file && self.is_broken_since(captured, fit, at)
    }

    /// Returns true if an answer between two times, or at one of them, leads to what is not known. `O(log n)`.
    #[must_use]
    pub fn is_lost_between(&self, from: Timestamp, until: Option<Timestamp>) -> bool {
        let until = self.lost.partition_point(|time| until.is_none_or(|until| *time <= until));
        self.lost[..until].last().is_some_and(|last| *last >= from)
    }

    /// Returns true if an answer until the time `at`, newer than the one that was captured then, is broken, or has a
    /// status that shows neither a file nor that there is none, such as 503.
    fn is_broken_since(&self, captured: Timestamp, fit: Fit, at: Option<Timestamp>) -> bool {
        let from = if fit == Fit::Later {
            0
        } else {
            // Of two of the same time it is not known which was in force.
            self.times.partition_point(|time| *time < captured)
        };
        let until = self.times.partition_point(|time| at.is_none_or(|at| *time <= at));
        let mut newest = (from..until).rev().take(MOST_ANSWERS);
        newest.any(|place| self.shows_nothing(place))
    }

    /// Returns true if the newest answer after a time shows neither a file nor that there is none.
    #[must_use]
    pub fn is_unread_after(&self, at: Timestamp) -> bool {
        let newest = self.times.len().checked_sub(1).filter(|newest| self.times[*newest] > at);
        newest.is_some_and(|newest| self.shows_nothing(newest))
    }

    fn shows_nothing(&self, place: usize) -> bool {
        match self.answers[place].0 {
            Some((_, Said::Failed | Said::NoTarget)) => true,
            Some((_, Said::Status(status))) => !has_none(status),
            _ => false,
        }
    }

    /// The companions of the files that were captured after a time, with their times, the newest first.
    pub fn files_after(&self, at: Timestamp) -> impl Iterator<Item = (Timestamp, &B)> {
        let later = (0..self.times.len()).rev().take_while(move |place| self.times[*place] > at);
        let is_file = |place: &usize| matches!(self.answers[*place].0, Some((_, Said::File(_))));
        later.filter(is_file).map(|place| (self.times[place], &self.answers[place].1))
    }

    /// What follows from the first answers.
    fn settled(&self, len: usize, protocol: &Protocol, as_of: AsOf) -> Option<Settled<B>> {
        let mut history = History::default();
        let first = len.saturating_sub(MOST_ANSWERS);
        let is_file = |place: &usize| matches!(self.answers[*place].0, Some((_, Said::File(_))));
        let file_before = (0..first).rev().find(is_file);
        let are_lost = file_before.is_none()
            && self.answers[first..len].iter().all(|(answer, _)| answer.is_none());
        let mut file_at = None;
        for place in file_before.into_iter().chain(first..len) {
            let (answer, of) = &self.answers[place];
            let at = self.times[place];
            if is_file(&place) {
                file_at = Some(at);
            }
            // What is unchanged then is not the file that is known.
            let is_of_lost = matches!(answer, Some((_, Said::Unchanged(_))))
                && file_at.is_some_and(|file| self.is_lost_between(file, Some(at)));
            if (answer.is_some() && !is_of_lost) || are_lost {
                history.push(Captured::at(at), *answer, of.clone());
            }
        }
        history.settle(protocol, as_of)
    }
}
