//! A site whose policies are in memory.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use robotsieve::{Config, Crawler, CrawlerPolicies, Policy, Profile, Robots};
use smallvec::SmallVec;

use crate::Timestamp;
use crate::outcome::{ContentHash, Holds, Known, Protocol, Ruling};

/// A site: what is known of it, and the policies that hold because of that.
///
/// What each decision reads comes first and lies together: with many sites in memory, it is
/// memory that a decision waits for.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Entry {
    /// When to look again whether it still holds.
    look_again: AtomicU64,
    /// The policy of the first crawler.
    pub(super) policy: Policy,
    key: SmallVec<[u8; 40]>,
    pub(super) panel: Arc<CrawlerPolicies>,
    /// What held when this was made.
    pub(super) ruling: Ruling,
    pub(super) known: Known,
    /// By which its policies were made.
    pub(super) profile: Profile,
    /// The policies of its copy while something else holds: they may hold again, and there may
    /// be no store that has them.
    of_copy: Option<Arc<CrawlerPolicies>>,
    /// The bytes that its policies were last counted with.
    policies_weighed: AtomicU64,
}

impl Entry {
    fn new(
        key: &str,
        known: Known,
        ruling: Ruling,
        (panel, of_copy): (Arc<CrawlerPolicies>, Option<Arc<CrawlerPolicies>>),
        profile: Profile,
    ) -> Entry {
        Entry {
            look_again: AtomicU64::new(ruling.until.min(ruling.next_attempt).0),
            policy: panel.policy(0).clone(),
            key: SmallVec::from_slice(key.as_bytes()),
            panel,
            ruling,
            known,
            profile,
            of_copy,
            policies_weighed: AtomicU64::new(0),
        }
    }

    /// Whether it is the site of this origin.
    #[inline]
    pub(super) fn is_of(&self, key: &str) -> bool {
        self.key[..] == *key.as_bytes()
    }

    /// The origin's key.
    pub(super) fn key(&self) -> &str {
        str::from_utf8(&self.key).expect("it was made of text")
    }

    /// Whether nothing can have changed since it was made.
    #[inline]
    pub(super) fn holds_at(&self, now: Timestamp) -> bool {
        now.0 < self.look_again.load(Relaxed)
    }

    /// While somebody asks the site anew, nobody else need look.
    pub(super) fn look_again_at(&self, time: Timestamp) {
        self.look_again.store(time.0, Relaxed);
    }

    /// The bytes that it occupies, its policies included, shared or not: so the bound of all
    /// holds whatever is shared.
    pub(super) fn weigh(&self) -> u64 {
        let copy = self.known.copy.as_ref();
        let texts = copy.map_or(0, |copy| {
            let len = |bytes: &Option<Vec<u8>>| bytes.as_ref().map_or(0, Vec::len);
            copy.final_url.as_ref().map_or(0, String::len)
                + len(&copy.etag)
                + len(&copy.last_modified)
        });
        let own = size_of::<Entry>() + size_of::<CrawlerPolicies>() + 2 * self.key.len() + texts;
        let policies = self.policies_bytes();
        self.policies_weighed.store(policies, Relaxed);
        own as u64 + policies
    }

    /// Whether its policies have grown by much since it was counted: they compile themselves
    /// when they have been asked often.
    pub(super) fn has_grown(&self) -> bool {
        self.policies_bytes() > self.policies_weighed.load(Relaxed)
    }

    fn policies_bytes(&self) -> u64 {
        let of_copy = self.of_copy.as_ref().map_or(0, |panel| panel.memory_usage());
        (self.panel.memory_usage() + of_copy) as u64
    }
}

/// Makes the policies of sites; equal bodies share theirs.
pub(super) struct Panels {
    profile: Profile,
    config: Config,
    crawlers: Vec<Crawler>,
    allow_all: Arc<CrawlerPolicies>,
    disallow_all: Arc<CrawlerPolicies>,
    by_content: Mutex<Shared>,
}

#[derive(Default)]
struct Shared {
    panels: HashMap<ContentHash, Weak<CrawlerPolicies>>,
    /// When there are so many, those that nobody uses are dropped.
    sweep_at: usize,
}

impl Panels {
    pub(super) fn new(profile: Profile, config: Config, crawlers: Vec<Crawler>) -> Panels {
        let panel = |file| Arc::new(panel(file, &profile, &config, &crawlers));
        let (allow_all, disallow_all) = (panel(b""), panel(b"User-agent: *\nDisallow: /"));
        let by_content = Mutex::default();
        Panels { profile, config, crawlers, allow_all, disallow_all, by_content }
    }

    pub(super) fn crawler_count(&self) -> usize {
        self.crawlers.len()
    }

    /// The site for what is known; `None` where its copy's body is needed and is neither given
    /// nor in use by another site.
    pub(super) fn site(
        &self,
        key: &str,
        known: Known,
        body: Option<&[u8]>,
        protocol: &Protocol,
        now: Timestamp,
    ) -> Option<Entry> {
        let ruling = protocol.ruling(&known, now);
        let of_copy = || self.in_use(known.copy.as_ref()?.content);
        let panels = match ruling.holds {
            Holds::AllowAll => (Arc::clone(&self.allow_all), of_copy()),
            Holds::DisallowAll => (Arc::clone(&self.disallow_all), of_copy()),
            Holds::Rules => (self.of_content(known.copy.as_ref()?.content, body)?, None),
        };
        Some(Entry::new(key, known, ruling, panels, self.profile))
    }

    /// The policies of a body that is in use.
    pub(super) fn in_use(&self, content: ContentHash) -> Option<Arc<CrawlerPolicies>> {
        self.shared().panels.get(&content)?.upgrade()
    }

    fn of_content(
        &self,
        content: ContentHash,
        body: Option<&[u8]>,
    ) -> Option<Arc<CrawlerPolicies>> {
        if let Some(panel) = self.in_use(content) {
            return Some(panel);
        }
        let panel = Arc::new(panel(body?, &self.profile, &self.config, &self.crawlers));
        let mut shared = self.shared();
        if shared.panels.len() >= shared.sweep_at {
            shared.panels.retain(|_, panel| panel.strong_count() > 0);
            shared.sweep_at = 2 * shared.panels.len().max(512);
        }
        // Another thread may have been faster: then its policies are those that are shared.
        match shared.panels.get(&content).and_then(Weak::upgrade) {
            Some(other) => Some(other),
            None => {
                shared.panels.insert(content, Arc::downgrade(&panel));
                Some(panel)
            }
        }
    }

    /// Each change of the map is whole, so it is good whatever happened to a thread.
    fn shared(&self) -> std::sync::MutexGuard<'_, Shared> {
        self.by_content.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn panel(file: &[u8], profile: &Profile, config: &Config, crawlers: &[Crawler]) -> CrawlerPolicies {
    let robots = Robots::parse_with(file, profile, config);
    CrawlerPolicies::new(crawlers.iter().map(|crawler| robots.policy(crawler)))
}
