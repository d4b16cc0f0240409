//! What a [`Sieve`](super::Sieve) answers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use robotsieve::{
    Answer, CrawlerPolicies, InvalidOrigin, InvalidUrl, Policy, Profile, Reason, Verdict,
};

use super::entry::Entry;
use super::resident::EntryRef;
use crate::Timestamp;
use crate::outcome::{Holds, Known, Ruling};
use crate::store::StoreError;

/// A site, and what holds for it.
///
/// It keeps the policies that hold, whatever becomes of the site.
pub struct Site {
    pub(super) entry: EntryRef,
    pub(super) now: Timestamp,
}

impl Site {
    pub(super) fn entry(&self) -> &Entry {
        self.entry.as_ref().expect("a site is made of an entry")
    }

    /// The site's origin, by its [key](robotsieve::Origin::key).
    pub fn origin(&self) -> &str {
        self.entry().key()
    }

    /// What is known of it.
    pub fn known(&self) -> &Known {
        &self.entry().known
    }

    /// What held when it was last looked at, why, and until when.
    pub fn ruling(&self) -> Ruling {
        self.entry().ruling
    }

    /// The policy for a crawler, by its place in the order given. Where there is no robots.txt,
    /// or it cannot be had, one that says what follows from that.
    ///
    /// # Panics
    /// Where there is no such crawler.
    pub fn policy(&self, crawler: usize) -> &Policy {
        self.entry().panel.policy(crawler)
    }

    /// The policies for all crawlers.
    pub fn panel(&self) -> &CrawlerPolicies {
        &self.entry().panel
    }

    /// How old the copy of the robots.txt is, if its rules hold: the time since it was fetched
    /// or last found unchanged.
    pub fn age(&self) -> Option<Duration> {
        let entry = self.entry();
        let copy = entry.known.copy.as_ref().filter(|_| entry.ruling.holds == Holds::Rules)?;
        Some(self.now.since(copy.at))
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Site")
            .field("origin", &self.origin())
            .field("ruling", &self.ruling())
            .finish_non_exhaustive()
    }
}

/// The verdict on a URL, and where it comes from. The reason is found when it is asked for.
#[derive(Debug)]
pub struct Decision<'u> {
    pub(super) verdict: Verdict,
    pub(super) url: &'u [u8],
    pub(super) site: Site,
}

/// Why a URL is allowed or not.
#[derive(Clone, Debug)]
pub enum Grounds<'d> {
    /// The site's robots.txt says so, by this rule or for want of one.
    Rules(Reason<'d>),
    /// There is no robots.txt, or it cannot be had: [`Ruling::why`].
    Outcome(Ruling),
}

impl Decision<'_> {
    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Whether the URL may be fetched.
    pub fn is_allowed(&self) -> bool {
        self.verdict.is_allow()
    }

    /// Why: a second, slower look for the rule that decided.
    pub fn grounds(&self) -> Grounds<'_> {
        let ruling = self.site.ruling();
        match (ruling.holds, self.site.policy(0).decide(self.url)) {
            (Holds::Rules, Ok(decision)) => Grounds::Rules(decision.reason),
            _ => Grounds::Outcome(ruling),
        }
    }

    /// The site that the URL is of.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// How old the copy of the robots.txt is, if its rules decided.
    pub fn age(&self) -> Option<Duration> {
        self.site.age()
    }

    /// The profile by which it was decided.
    pub fn profile(&self) -> &Profile {
        &self.site.entry().profile
    }

    /// The answers for all crawlers of the sieve, in the order given.
    pub fn answers(&self) -> Vec<Answer> {
        let panel = self.site.panel();
        let mut answers = vec![Answer::Unknown; panel.len()];
        panel.ask(self.url, &mut answers);
        answers
    }
}

/// Why there is no decision.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SieveError {
    /// The URL has no origin that a robots.txt could lie at.
    Origin(InvalidOrigin),
    /// The URL is none in the sieve's profile.
    Url(InvalidUrl),
    /// Nothing is known of the site, and the sieve has no fetcher.
    Unknown,
    /// The store cannot be read, and the sieve has no fetcher.
    Store(Arc<StoreError>),
    /// The attempt to fetch ended without an outcome: the runtime is being shut down, or the
    /// fetcher panicked.
    Gone,
}

impl fmt::Display for SieveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SieveError::Origin(cause) => cause.fmt(f),
            SieveError::Url(cause) => cause.fmt(f),
            SieveError::Store(cause) => cause.fmt(f),
            SieveError::Unknown => f.write_str("nothing is known of the site"),
            SieveError::Gone => f.write_str("the attempt to fetch ended without an outcome"),
        }
    }
}

impl std::error::Error for SieveError {}

impl From<InvalidOrigin> for SieveError {
    fn from(cause: InvalidOrigin) -> SieveError {
        SieveError::Origin(cause)
    }
}

impl From<InvalidUrl> for SieveError {
    fn from(cause: InvalidUrl) -> SieveError {
        SieveError::Url(cause)
    }
}

/// What became of an origin that was asked anew: [`Sieve::fetch`](super::Sieve::fetch).
#[derive(Clone, Debug)]
pub struct Fetched {
    pub(super) entry: Arc<Entry>,
    /// Whether it is in the store for good; `Ok` where there is no store.
    pub stored: Result<(), Arc<StoreError>>,
}

impl Fetched {
    /// What is known of it now.
    pub fn known(&self) -> &Known {
        &self.entry.known
    }

    /// What holds because of that.
    pub fn ruling(&self) -> Ruling {
        self.entry.ruling
    }
}
