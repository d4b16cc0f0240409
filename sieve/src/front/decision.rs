//! What a [`Sieve`](super::Sieve) answers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use robotsieve::{Answer, InvalidOrigin, InvalidUrl, Policy, Profile, Reason, Verdict};

use super::resident::SiteRef;
use super::site::Site;
use crate::Timestamp;
use crate::outcome::{Holds, Known, Ruling};

/// The verdict on a URL, and where it comes from.
///
/// It keeps the policy that decided; the reason is found when it is asked for.
pub struct Decision<'u> {
    pub(super) verdict: Verdict,
    pub(super) url: &'u [u8],
    pub(super) site: SiteRef,
    pub(super) now: Timestamp,
    pub(super) profile: Profile,
}

/// Why a URL is allowed or not.
#[derive(Clone, Debug)]
pub enum Grounds<'d> {
    /// The site's robots.txt says so, by this rule or for want of one.
    Rules(Reason<'d>),
    /// There is no robots.txt, or it cannot be had: [`Ruling::why`].
    Outcome(Ruling),
}

impl<'u> Decision<'u> {
    fn site(&self) -> &Site {
        self.site.as_ref().expect("a decision is made of a site")
    }

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
        let site = self.site();
        match (site.ruling.holds, self.policy().decide(self.url)) {
            (Holds::Rules, Ok(decision)) => Grounds::Rules(decision.reason),
            _ => Grounds::Outcome(site.ruling),
        }
    }

    /// What held when the site was last looked at, why, and until when.
    pub fn ruling(&self) -> Ruling {
        self.site().ruling
    }

    /// What is known of the site.
    pub fn known(&self) -> &Known {
        &self.site().known
    }

    /// The site's origin, by its [key](robotsieve::Origin::key).
    pub fn origin(&self) -> &str {
        &self.site().key
    }

    /// How old the copy of the robots.txt is, if one decided: the time since it was fetched or
    /// last found unchanged.
    pub fn age(&self) -> Option<Duration> {
        let site = self.site();
        let copy = site.known.copy.as_ref().filter(|_| site.ruling.holds == Holds::Rules)?;
        Some(self.now.since(copy.at))
    }

    /// The profile by which it was decided.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The policy that decided. Where there is no robots.txt or it cannot be had, one that says
    /// what follows from that.
    pub fn policy(&self) -> &Policy {
        self.site().panel.policy(0)
    }

    /// The answers for all crawlers of the sieve, in the order given.
    pub fn answers(&self) -> Vec<Answer> {
        let panel = &self.site().panel;
        let mut answers = vec![Answer::Unknown; panel.len()];
        panel.ask(self.url, &mut answers);
        answers
    }
}

impl fmt::Debug for Decision<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decision")
            .field("verdict", &self.verdict)
            .field("origin", &self.origin())
            .field("ruling", &self.ruling())
            .finish_non_exhaustive()
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
    /// The attempt to fetch ended without an outcome: the runtime is being shut down, or the
    /// fetcher panicked.
    Gone,
}

impl fmt::Display for SieveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SieveError::Origin(cause) => cause.fmt(f),
            SieveError::Url(cause) => cause.fmt(f),
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
    pub(super) site: Arc<Site>,
    /// Whether it is in the store for good; `Ok` where there is no store.
    pub stored: Result<(), Arc<crate::store::StoreError>>,
}

impl Fetched {
    /// What is known of it now.
    pub fn known(&self) -> &Known {
        &self.site.known
    }

    /// What holds because of that.
    pub fn ruling(&self) -> Ruling {
        self.site.ruling
    }
}
