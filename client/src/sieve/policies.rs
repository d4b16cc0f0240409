//! The policies of sites.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use robotsieve::{Config, Crawler, CrawlerPolicies, Profile, Robots};

use super::entry::Entry;
use super::overrides::Override;
use crate::outcome::{AsOf, CachedCopy, ContentHash, Holds, OriginState, Protocol, Ruling, Why};
use crate::time::Timestamp;

/// Files that allow everything and nothing.
const ALLOW_ALL: &[u8] = b"";
const DISALLOW_ALL: &[u8] = b"User-agent: *\nDisallow: /";

/// Compiles the policies of sites. Sites with equal bodies share theirs.
pub(super) struct Policies {
    profile: Profile,
    config: Config,
    crawlers: Vec<Crawler>,
    /// True if sites are judged as of the time when they were last asked, not as of now.
    is_as_of_capture: bool,
    allow_all: Arc<CrawlerPolicies>,
    disallow_all: Arc<CrawlerPolicies>,
    shared: Mutex<ByContent>,
}

#[derive(Default)]
struct ByContent {
    by_content: HashMap<ContentHash, Weak<CrawlerPolicies>>,
    /// At this many entries, those that no site uses any more are removed.
    sweep_at: usize,
}

impl Policies {
    pub(super) fn new(profile: Profile, config: Config, crawlers: Vec<Crawler>) -> Policies {
        let policies = |file| Arc::new(compile(file, &profile, &config, &crawlers));
        let (allow_all, disallow_all) = (policies(ALLOW_ALL), policies(DISALLOW_ALL));
        let shared = Mutex::default();
        let is_as_of_capture = false;
        Policies { profile, config, crawlers, is_as_of_capture, allow_all, disallow_all, shared }
    }

    /// Judges sites as of the time when they were last asked.
    pub(super) fn judging_captures(mut self) -> Policies {
        self.is_as_of_capture = true;
        self
    }

    pub(super) fn crawler_count(&self) -> usize {
        self.crawlers.len()
    }

    /// The site with this state. Returns `None` if it needs the body of its copy, which is neither
    /// passed nor in use by another site.
    pub(super) fn site(
        &self,
        key: &str,
        state: OriginState,
        body: Option<&[u8]>,
        protocol: &Protocol,
        now: Timestamp,
    ) -> Option<Entry> {
        let as_of = if self.is_as_of_capture { AsOf::Capture } else { AsOf::Time(now) };
        let ruling = protocol.ruling_as_of(&state, as_of);
        let of_copy = || self.in_use(state.copy.as_ref()?.content);
        let policies = match ruling.holds {
            Holds::AllowAll => (Arc::clone(&self.allow_all), of_copy()),
            Holds::DisallowAll => (Arc::clone(&self.disallow_all), of_copy()),
            Holds::Rules => (self.of_content(state.copy.as_ref()?.content, body)?, None),
        };
        Some(Entry::new(key, state, ruling, policies, self.profile))
    }

    /// A site whose answer the operator gives. Its ruling never ends.
    pub(super) fn overridden(&self, key: &str, answer: &Override, now: Timestamp) -> Entry {
        let (holds, body) = match answer {
            Override::Allow => (Holds::AllowAll, ALLOW_ALL),
            Override::Disallow => (Holds::DisallowAll, DISALLOW_ALL),
            Override::Body(body) => (Holds::Rules, &body[..]),
        };
        let policies = match holds {
            Holds::AllowAll => Arc::clone(&self.allow_all),
            Holds::DisallowAll => Arc::clone(&self.disallow_all),
            Holds::Rules => Arc::new(compile(body, &self.profile, &self.config, &self.crawlers)),
        };
        let ruling = Ruling {
            holds,
            why: Why::Override,
            valid_from: Timestamp(0),
            until: Timestamp(u64::MAX),
            next_attempt: Timestamp(u64::MAX),
            is_expired: false,
        };
        let state = OriginState::present(CachedCopy::new(body, now));
        Entry::new(key, state, ruling, (policies, None), self.profile)
    }

    /// The policies of a body, if a site uses them.
    pub(super) fn in_use(&self, content: ContentHash) -> Option<Arc<CrawlerPolicies>> {
        self.lock().by_content.get(&content)?.upgrade()
    }

    fn of_content(
        &self,
        content: ContentHash,
        body: Option<&[u8]>,
    ) -> Option<Arc<CrawlerPolicies>> {
        if let Some(policies) = self.in_use(content) {
            return Some(policies);
        }
        let policies = Arc::new(compile(body?, &self.profile, &self.config, &self.crawlers));
        let mut shared = self.lock();
        if shared.by_content.len() >= shared.sweep_at {
            shared.by_content.retain(|_, policies| policies.strong_count() > 0);
            shared.sweep_at = 2 * shared.by_content.len().max(512);
        }
        // Another thread may have compiled them in the meantime. Then those are shared.
        match shared.by_content.get(&content).and_then(Weak::upgrade) {
            Some(other) => Some(other),
            None => {
                shared.by_content.insert(content, Arc::downgrade(&policies));
                Some(policies)
            }
        }
    }

    /// Each change of the map is complete, so it stays valid if a thread panics.
    fn lock(&self) -> MutexGuard<'_, ByContent> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn compile(
    file: &[u8],
    profile: &Profile,
    config: &Config,
    crawlers: &[Crawler],
) -> CrawlerPolicies {
    let robots = Robots::parse_with(file, profile, config);
    CrawlerPolicies::of(&robots, crawlers)
}
