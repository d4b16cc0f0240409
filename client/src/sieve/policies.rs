//! The policies of sites.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use robotsieve::{Config, Crawler, Profile, Robots, SiteKind};
#[cfg(feature = "rights")]
use robotsieve_rights::RightsReader;

use super::compiled::Compiled;
use super::entry::Entry;
use super::overrides::Override;
#[cfg(feature = "rights")]
use super::rights_options::RightsOptions;
use crate::outcome::{AsOf, CachedCopy, ContentHash, OriginState, Protocol, Ruling, Why};
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
    /// Reads rights, if somebody asks for them.
    #[cfg(feature = "rights")]
    rights: Option<RightsReader>,
    allow_all: Arc<Compiled>,
    disallow_all: Arc<Compiled>,
    shared: Mutex<ByContent>,
}

#[derive(Default)]
struct ByContent {
    by_content: HashMap<ContentHash, Weak<Compiled>>,
    /// At this many entries, those that no site uses any more are removed.
    sweep_at: usize,
}

impl Policies {
    pub(super) fn new(profile: Profile, config: Config, crawlers: Vec<Crawler>) -> Policies {
        let compiled = |file| {
            let robots = Robots::parse_with(file, &profile, &config);
            Arc::new(Compiled::of(&robots, &crawlers))
        };
        let (allow_all, disallow_all) = (compiled(ALLOW_ALL), compiled(DISALLOW_ALL));
        Policies {
            profile,
            config,
            crawlers,
            is_as_of_capture: false,
            #[cfg(feature = "rights")]
            rights: None,
            allow_all,
            disallow_all,
            shared: Mutex::default(),
        }
    }

    /// Reads the rights of the first crawler too.
    #[cfg(feature = "rights")]
    pub(super) fn reading_rights(mut self, options: &RightsOptions) -> Policies {
        self.rights = self.crawlers.first().map(|crawler| options.reader(crawler));
        self
    }

    /// The reader of rights, if somebody asks for them.
    #[cfg(feature = "rights")]
    pub(super) fn rights(&self) -> Option<&RightsReader> {
        self.rights.as_ref()
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
            SiteKind::AllowAll => (Arc::clone(&self.allow_all), of_copy()),
            SiteKind::DisallowAll | SiteKind::Unknown => {
                (Arc::clone(&self.disallow_all), of_copy())
            }
            SiteKind::Rules => (self.of_content(state.copy.as_ref()?.content, body)?, None),
        };
        Some(Entry::new(key, state, ruling, policies, self.profile))
    }

    /// A site whose answer the operator gives. Its ruling never ends.
    pub(super) fn overridden(&self, key: &str, answer: &Override, now: Timestamp) -> Entry {
        let (holds, body) = match answer {
            Override::Allow => (SiteKind::AllowAll, ALLOW_ALL),
            Override::Disallow => (SiteKind::DisallowAll, DISALLOW_ALL),
            Override::Body(body) => (SiteKind::Rules, &body[..]),
        };
        let policies = match holds {
            SiteKind::AllowAll => Arc::clone(&self.allow_all),
            SiteKind::DisallowAll | SiteKind::Unknown => Arc::clone(&self.disallow_all),
            SiteKind::Rules => Arc::new(self.compile(body)),
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
    pub(super) fn in_use(&self, content: ContentHash) -> Option<Arc<Compiled>> {
        self.lock().by_content.get(&content)?.upgrade()
    }

    fn of_content(&self, content: ContentHash, body: Option<&[u8]>) -> Option<Arc<Compiled>> {
        if let Some(policies) = self.in_use(content) {
            return Some(policies);
        }
        let policies = Arc::new(self.compile(body?));
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

    fn compile(&self, file: &[u8]) -> Compiled {
        let robots = Robots::parse_with(file, &self.profile, &self.config);
        let compiled = Compiled::of(&robots, &self.crawlers);
        #[cfg(feature = "rights")]
        let compiled = Compiled {
            rights: self
                .rights
                .as_ref()
                .and_then(|reader| Some(Box::new(reader.robots_if_any(&robots)?))),
            ..compiled
        };
        compiled
    }

    /// Each change of the map is complete, so it stays valid if a thread panics.
    fn lock(&self) -> MutexGuard<'_, ByContent> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
