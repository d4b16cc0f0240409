//! The answers of a [`Sieve`](super::Sieve).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use robotsieve::records::{Pace, RequestRate};
use robotsieve::{
    Answers, AsUrl, CrawlerPolicies, InvalidUrl, Policy, Profile, Reason, SiteKind, Verdict,
};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::entry::Entry;
use super::table::EntryRef;
use crate::outcome::{CachedCopy, OriginState, Ruling, Why};
use crate::store::StoreError;
use crate::time::Timestamp;

/// A site, and the policies that apply to it.
///
/// It stays as it was when it was looked up, whatever happens to the site later.
pub struct Site {
    pub(super) entry: EntryRef,
    pub(super) now: Timestamp,
}

impl Site {
    pub(super) fn entry(&self) -> &Entry {
        self.entry.as_ref().expect("every site has an entry")
    }

    /// The [key](robotsieve::Origin::key) of the site's origin.
    #[must_use]
    pub fn origin(&self) -> &str {
        self.entry().key()
    }

    /// The state of the site's origin. For an [override](super::Overrides), as if its file had
    /// been fetched when the sieve was built.
    #[must_use]
    pub fn state(&self) -> &OriginState {
        &self.entry().state
    }

    /// The policy that applied when the site was last checked, with its reason and its end.
    #[must_use]
    pub fn ruling(&self) -> Ruling {
        self.entry().ruling
    }

    /// The policy of a crawler, by its index in the order in which the crawlers were added. If
    /// there is no robots.txt or it is unreachable, this policy allows or disallows everything.
    ///
    /// # Panics
    /// Panics if there is no such crawler.
    #[must_use]
    pub fn policy(&self, crawler: usize) -> &Policy {
        self.entry().policies().policy(crawler)
    }

    /// The policies of all crawlers.
    #[must_use]
    pub fn policies(&self) -> &CrawlerPolicies {
        self.entry().policies()
    }

    /// The pace that the site asks of a crawler, by the crawler's index. Nothing if there is no
    /// robots.txt or it is unreachable.
    ///
    /// # Panics
    /// Panics if there is no such crawler.
    #[must_use]
    pub fn pace(&self, crawler: usize) -> Pace {
        self.policies().pace(crawler)
    }

    /// The crawl delay of [`Site::pace`].
    ///
    /// # Panics
    /// Panics if there is no such crawler.
    #[must_use]
    pub fn crawl_delay(&self, crawler: usize) -> Option<Duration> {
        self.pace(crawler).crawl_delay
    }

    /// The request rate of [`Site::pace`].
    ///
    /// # Panics
    /// Panics if there is no such crawler.
    #[must_use]
    pub fn request_rate(&self, crawler: usize) -> Option<RequestRate> {
        self.pace(crawler).request_rate
    }

    /// The values of the file's `Sitemap` records, as written and in its order. None unless
    /// [`Config::keep_sitemaps`](robotsieve::Config::keep_sitemaps) is set with
    /// [`SieveBuilder::config`](super::SieveBuilder::config): they take memory.
    pub fn sitemaps(&self) -> impl Iterator<Item = &[u8]> {
        self.policies().sitemaps()
    }

    /// The age of the cached copy, if its rules apply: the time since it was fetched or last
    /// found unchanged.
    #[must_use]
    pub fn age(&self) -> Option<Duration> {
        let entry = self.entry();
        let is_copy = |_: &&CachedCopy| {
            entry.ruling.holds == SiteKind::Rules && entry.ruling.why != Why::Override
        };
        let copy = entry.state.copy.as_ref().filter(is_copy)?;
        Some(self.now.since(copy.at))
    }
}

impl Clone for Site {
    /// The same site, for keeping it as long as you like: a site as it is returned may make later
    /// look-ups of its thread a little slower while it exists.
    fn clone(&self) -> Site {
        Site { entry: EntryRef::from_inner(Option::clone(&self.entry)), now: self.now }
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

/// The verdict on a URL, and where it comes from.
///
/// [`SieveDecision::grounds`] finds the reason on request, which costs a second walk. Serialising a
/// decision includes it, under these names: `url`, `verdict`, `origin`, `holds`, `why`, `line` (of
/// the rule that decided, if one did), `reason` (of [`Grounds::Rules`]) and `age_seconds`.
///
/// `U` is the URL as it was passed: borrowed (`&str`) or owned (`String`).
#[derive(Clone, Debug)]
pub struct SieveDecision<U> {
    pub(super) verdict: Verdict,
    pub(super) url: U,
    pub(super) site: Site,
}

/// The reason for which a URL is allowed or not.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Grounds<'d> {
    /// The site's robots.txt decided, by a rule or because none matches.
    Rules(Reason<'d>),
    /// There is no robots.txt, it is unreachable, or an override decided; see [`Ruling::why`].
    Outcome(Ruling),
}

impl<U: AsUrl> SieveDecision<U> {
    /// Decides on a URL of this site.
    #[inline]
    pub(super) fn new(site: Site, url: U) -> Result<SieveDecision<U>, (U, InvalidUrl)> {
        match site.entry().verdict(&url) {
            Ok(verdict) => Ok(SieveDecision { verdict, url, site }),
            Err(cause) => Err((url, cause)),
        }
    }

    /// The URL.
    #[must_use]
    pub fn url(&self) -> &U {
        &self.url
    }

    /// The URL, for those who passed it by value.
    #[must_use]
    pub fn into_url(self) -> U {
        self.url
    }

    /// The verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// True if the URL may be fetched.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        self.verdict.is_allow()
    }

    /// The reason. This searches for the rule that decided, which is slower than the decision.
    #[must_use]
    pub fn grounds(&self) -> Grounds<'_> {
        let ruling = self.site.ruling();
        match (ruling.holds, self.site.policy(0).decide(self.url.as_url())) {
            (SiteKind::Rules, Ok(decision)) => Grounds::Rules(decision.reason),
            _ => Grounds::Outcome(ruling),
        }
    }

    /// The site of the URL.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// The age of the cached copy, if its rules decided.
    #[must_use]
    pub fn age(&self) -> Option<Duration> {
        self.site.age()
    }

    /// The crawl delay that the site asks of the first crawler; see [`Site::pace`] for more.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.site.crawl_delay(0)
    }

    /// The profile that the decision follows.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.site.entry().profile
    }

    /// The answers for all crawlers, in the order in which they were added.
    #[must_use]
    pub fn answers(&self) -> Answers {
        self.site.policies().ask(self.url.as_url())
    }
}

impl<U: AsUrl> Serialize for SieveDecision<U> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ruling = self.site.ruling();
        let reason = match self.grounds() {
            Grounds::Rules(reason) => Some(reason),
            Grounds::Outcome(_) => None,
        };
        let line = match reason {
            Some(Reason::Rule(rule)) => Some(rule.line),
            Some(Reason::EmptyRule { line }) => Some(line),
            _ => None,
        };
        let mut decision = serializer.serialize_struct("Decision", 8)?;
        decision.serialize_field("url", &String::from_utf8_lossy(self.url.as_url()))?;
        decision.serialize_field("verdict", self.verdict.as_str())?;
        decision.serialize_field("origin", self.site.origin())?;
        decision.serialize_field("holds", &ruling.holds)?;
        decision.serialize_field("why", &ruling.why)?;
        decision.serialize_field("line", &line)?;
        decision.serialize_field("reason", &reason.map(|reason| reason.as_str()))?;
        decision.serialize_field("age_seconds", &self.age().map(|age| age.as_secs()))?;
        decision.end()
    }
}

/// The outcome of [`Sieve::fetch`](super::Sieve::fetch).
#[derive(Clone, Debug)]
pub struct Fetched {
    pub(super) entry: Arc<Entry>,
    /// An error if the outcome is not durable in the store. `Ok` if there is no store.
    pub stored: Result<(), Arc<StoreError>>,
}

impl Fetched {
    /// The state of the origin now.
    #[must_use]
    pub fn state(&self) -> &OriginState {
        &self.entry.state
    }

    /// The policy that applies now, and the reason.
    #[must_use]
    pub fn ruling(&self) -> Ruling {
        self.entry.ruling
    }

    /// The site as it is now, at the time of the attempt.
    #[must_use]
    pub fn site(&self) -> Site {
        let entry = EntryRef::from_inner(Some(Arc::clone(&self.entry)));
        Site { entry, now: self.entry.state.attempted }
    }
}
