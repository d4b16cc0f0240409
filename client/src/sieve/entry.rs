//! A site in memory.

use std::mem::offset_of;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use robotsieve::internals::{BegunVerdict, Verdicts, are_equal, read_span_ahead};
use robotsieve::{AsUrl, CrawlerPolicies, InvalidUrl, Profile, Verdict};
use smallvec::SmallVec;

use super::compiled::Compiled;
use crate::outcome::{OriginState, Ruling};
use crate::time::Timestamp;

/// A site: its state, and the policies that apply because of it.
///
/// The fields that each decision reads come first and lie together: with many sites in memory,
/// a decision spends its time waiting for memory.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Entry {
    /// The time from which on the ruling may no longer apply, or a new attempt is due.
    check_at: AtomicU64,
    /// A time before this shows that the clock has been set back: another ruling may apply.
    valid_from: Timestamp,
    /// The part of the first crawler's policy that decides, once that is compiled: it leads to the
    /// table in one step, the policies do in four.
    verdicts: OnceLock<Verdicts>,
    key: SmallVec<[u8; 40]>,
    // Decisions read what comes before this.
    pub(super) file: Arc<Compiled>,
    /// The ruling as of when the entry was made.
    pub(super) ruling: Ruling,
    pub(super) state: OriginState,
    /// The profile of its policies.
    pub(super) profile: Profile,
    /// The policies of its copy while something else applies. They may apply again, and without a
    /// store nothing else keeps them.
    of_copy: Option<Arc<Compiled>>,
    /// The size of its policies when they were last weighed, in bytes.
    weighed_bytes: AtomicU64,
}

impl Entry {
    pub(super) fn new(
        key: &str,
        state: OriginState,
        ruling: Ruling,
        (file, of_copy): (Arc<Compiled>, Option<Arc<Compiled>>),
        profile: Profile,
    ) -> Entry {
        let verdicts = file.policies.policy(0).verdicts();
        Entry {
            check_at: AtomicU64::new(ruling.until.min(ruling.next_attempt).0),
            valid_from: ruling.valid_from,
            verdicts: verdicts.map(OnceLock::from).unwrap_or_default(),
            key: SmallVec::from_slice(key.as_bytes()),
            file,
            ruling,
            state,
            profile,
            of_copy,
            weighed_bytes: AtomicU64::new(0),
        }
    }

    /// The verdict on a URL for the first crawler.
    #[inline]
    pub(super) fn verdict<U: AsUrl>(&self, url: &U) -> Result<Verdict, InvalidUrl> {
        match self.verdicts.get() {
            Some(verdicts) => {
                verdicts.read_ahead();
                verdicts.verdict(url.as_url())
            }
            None => self.verdict_by_policy(url.as_url()),
        }
    }

    /// Finds out a part of the verdict on a URL, and prefetches what the rest needs.
    #[inline(always)]
    pub(super) fn begin<'e, U: AsUrl>(&'e self, url: &'e U) -> Result<Begun<'e>, InvalidUrl> {
        match self.verdicts.get() {
            Some(verdicts) => verdicts.begin(url).map(Begun::Half),
            None => self.verdict_by_policy(url.as_url()).map(Begun::Whole),
        }
    }

    /// [`Entry::verdict`] before the policy is compiled, and of the few that are no DFA.
    #[cold]
    fn verdict_by_policy(&self, url: &[u8]) -> Result<Verdict, InvalidUrl> {
        let policy = self.policies().policy(0);
        let verdict = policy.target(url).map(|target| policy.verdict(&target));
        if let Some(verdicts) = policy.verdicts() {
            self.verdicts.get_or_init(|| verdicts);
        }
        verdict
    }

    /// Prefetches what each decision reads of an entry.
    #[inline]
    pub(super) fn read_ahead(entry: &Arc<Entry>) {
        // Before the entry are the counters of its Arc.
        const COUNTERS: usize = 2 * size_of::<usize>();
        let start = Arc::as_ptr(entry).wrapping_byte_sub(COUNTERS);
        read_span_ahead(start, COUNTERS + offset_of!(Entry, file));
    }

    /// Prefetches the table with which a verdict begins.
    #[inline]
    pub(super) fn read_verdicts_ahead(&self) {
        if let Some(verdicts) = self.verdicts.get() {
            verdicts.read_ahead();
        }
    }

    /// The policies that apply.
    #[inline]
    pub(super) fn policies(&self) -> &CrawlerPolicies {
        &self.file.policies
    }

    /// True if this is the site of the origin with this key.
    #[inline]
    pub(super) fn is_of(&self, key: &str) -> bool {
        are_equal(&self.key, key.as_bytes())
    }

    /// The key of the origin.
    pub(super) fn key(&self) -> &str {
        str::from_utf8(&self.key).expect("it was made from a `str`")
    }

    /// True if nothing can have changed since the entry was made.
    #[inline]
    pub(super) fn is_current_at(&self, now: Timestamp) -> bool {
        self.valid_from <= now && now.0 < self.check_at.load(Relaxed)
    }

    /// Postpones the next check, while an attempt to refresh the site is running.
    pub(super) fn check_again_at(&self, time: Timestamp) {
        self.check_at.store(time.0, Relaxed);
    }

    /// The size of the entry in bytes, with all its policies. Shared policies count fully for
    /// each site, so the memory bound holds however much is shared.
    pub(super) fn weigh(&self) -> u64 {
        let copy = self.state.copy.as_ref();
        let texts = copy.map_or(0, |copy| {
            let len = |bytes: &Option<Vec<u8>>| bytes.as_ref().map_or(0, Vec::len);
            copy.final_url.as_ref().map_or(0, String::len)
                + len(&copy.etag)
                + len(&copy.last_modified)
        });
        let own = size_of::<Entry>() + size_of::<Compiled>() + 2 * self.key.len() + texts;
        let policies = self.policies_bytes();
        self.weighed_bytes.store(policies, Relaxed);
        own as u64 + policies
    }

    /// True if its policies have grown since they were weighed: policies that are used often
    /// compile themselves.
    pub(super) fn has_grown(&self) -> bool {
        self.policies_bytes() > self.weighed_bytes.load(Relaxed)
    }

    fn policies_bytes(&self) -> u64 {
        let of_copy = self.of_copy.as_ref().map_or(0, |file| file.memory_usage());
        (self.file.memory_usage() + of_copy) as u64
    }
}

/// A verdict, or the first half of one.
pub(super) enum Begun<'e> {
    Half(BegunVerdict<'e>),
    Whole(Verdict),
}

impl Begun<'_> {
    #[inline]
    pub(super) fn finish(&self) -> Verdict {
        match self {
            Begun::Half(begun) => begun.finish(),
            Begun::Whole(verdict) => *verdict,
        }
    }
}
