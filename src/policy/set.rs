//! The policies of many origins.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::policy::config::Config;
use crate::policy::content::ContentKeys;
use crate::policy::crawlers::CrawlerPolicies;
use crate::policy::robots::Robots;
use crate::profile::Profile;
use crate::read::crawler::Crawler;

/// The policies of some crawlers for many origins, looked up by the origin's name.
///
/// A large part of the web serves one of a few files that come with content management systems,
/// so origins with equal files share one [`CrawlerPolicies`]. Files are not kept: equal ones are
/// recognised by hashes with keys that are random for each set.
///
/// A name may be anything that identifies an origin, such as `example.com:8080`. A set is `Send`
/// and `Sync`, and changing it needs `&mut`. Use a pack (feature `pack`) to write a set to a file
/// or to share it between processes.
///
/// ```
/// use robotsieve::{Answer, Config, Crawler, PolicySet, Profile};
///
/// let crawlers = ["GPTBot", "Googlebot"].map(Crawler::name);
/// let mut set = PolicySet::new(&Profile::RFC9309, &Config::default(), crawlers);
/// let file = b"User-agent: GPTBot\nDisallow: /";
/// set.insert(b"example.com", file);
/// set.insert(b"example.org", file);
/// assert_eq!((set.len(), set.file_count()), (2, 1));
/// let mut answers = [Answer::Unknown; 2];
/// set.get(b"example.org").unwrap().ask("https://example.org/", &mut answers);
/// assert_eq!(answers, [Answer::Disallow, Answer::Allow]);
/// ```
///
/// An origin's policies also say how fast each crawler may go ([`CrawlerPolicies::pace`]) and,
/// with [`Config::keep_sitemaps`], which sitemaps the file names ([`CrawlerPolicies::sitemaps`]).
pub struct PolicySet {
    profile: Profile,
    config: Config,
    crawlers: Vec<Crawler>,
    keys: ContentKeys,
    files: HashMap<u128, Arc<CrawlerPolicies>>,
    origins: HashMap<Box<[u8]>, Origin>,
}

struct Origin {
    content: u128,
    policies: Arc<CrawlerPolicies>,
}

impl PolicySet {
    /// An empty set for these crawlers.
    pub fn new(
        profile: &Profile,
        config: &Config,
        crawlers: impl IntoIterator<Item = Crawler>,
    ) -> PolicySet {
        PolicySet {
            profile: *profile,
            config: *config,
            crawlers: crawlers.into_iter().collect(),
            keys: ContentKeys::default(),
            files: HashMap::new(),
            origins: HashMap::new(),
        }
    }

    /// Sets an origin's robots.txt and returns the origin's policies. Replaces the file that the
    /// origin had. Parses the file unless another origin has an equal one.
    pub fn insert(&mut self, origin: &[u8], file: &[u8]) -> &CrawlerPolicies {
        let content = self.keys.of(file);
        let policies = self.files.entry(content).or_insert_with(|| {
            let robots = Robots::parse_with(file, &self.profile, &self.config);
            Arc::new(CrawlerPolicies::of(&robots, &self.crawlers))
        });
        let new = Origin { content, policies: Arc::clone(policies) };
        if let Some(old) = self.origins.insert(origin.into(), new) {
            self.release(old);
        }
        &self.files[&content]
    }

    /// The policies of an origin, one for each crawler, in the order given to
    /// [`PolicySet::new`].
    pub fn get(&self, origin: &[u8]) -> Option<&CrawlerPolicies> {
        self.origins.get(origin).map(|origin| &*origin.policies)
    }

    /// Removes an origin. Returns `false` if it is not in the set.
    pub fn remove(&mut self, origin: &[u8]) -> bool {
        match self.origins.remove(origin) {
            Some(old) => {
                self.release(old);
                true
            }
            None => false,
        }
    }

    /// Removes the file of a removed origin if no other origin has it.
    fn release(&mut self, Origin { content, policies }: Origin) {
        // One count is `policies`, the other is in `files`.
        if Arc::strong_count(&policies) == 2 {
            self.files.remove(&content);
        }
    }

    /// The origins and their policies, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &CrawlerPolicies)> {
        self.origins.iter().map(|(name, origin)| (&**name, &*origin.policies))
    }

    /// The crawlers that the set is for.
    pub fn crawlers(&self) -> &[Crawler] {
        &self.crawlers
    }

    /// How many origins there are.
    pub fn len(&self) -> usize {
        self.origins.len()
    }

    /// Whether there is no origin.
    pub fn is_empty(&self) -> bool {
        self.origins.is_empty()
    }

    /// How many different files the origins have.
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// The bytes that the set occupies: its policies, shared ones counted once, and its maps at
    /// their capacity. `O(files + origins)`.
    ///
    /// A map counts as its entries and one byte for each; what else the allocator or the standard
    /// library's map adds is not counted.
    pub fn memory_usage(&self) -> usize {
        let files = self.files.values().map(|policies| {
            // The two counters of the Arc.
            2 * size_of::<usize>() + size_of::<CrawlerPolicies>() + policies.memory_usage()
        });
        let names = self.origins.keys().map(|name| name.len());
        files.sum::<usize>()
            + names.sum::<usize>()
            + self.files.capacity() * (size_of::<(u128, Arc<CrawlerPolicies>)>() + 1)
            + self.origins.capacity() * (size_of::<(Box<[u8]>, Origin)>() + 1)
    }
}

impl fmt::Debug for PolicySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicySet")
            .field("origins", &self.len())
            .field("files", &self.file_count())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Answer;

    fn answer(set: &PolicySet, origin: &[u8]) -> Option<Answer> {
        let mut answers = [Answer::Unknown];
        set.get(origin)?.ask("/x", &mut answers);
        Some(answers[0])
    }

    #[test]
    fn equal_files_share_policies() {
        let crawler = [Crawler::name("bot")];
        let mut set = PolicySet::new(&Profile::RFC9309, &Config::default(), crawler);
        let (closed, open) = (&b"User-agent: *\nDisallow: /"[..], &b""[..]);
        for (origin, file) in [(b"a", closed), (b"b", open), (b"c", closed)] {
            set.insert(origin, file);
        }
        assert_eq!((set.len(), set.file_count()), (3, 2));
        let policy = |origin: &[u8]| set.get(origin).unwrap().policy(0).clone();
        assert!(policy(b"a").is_same(&policy(b"c")) && !policy(b"a").is_same(&policy(b"b")));
        let of = |origin: &[u8]| answer(&set, origin);
        assert_eq!(of(b"a"), Some(Answer::Disallow));
        assert_eq!(of(b"b"), Some(Answer::Allow));
        assert_eq!(of(b"d"), None);
        let before = set.memory_usage();
        // A file goes with the last origin that has it.
        set.insert(b"b", closed);
        assert_eq!((set.len(), set.file_count()), (3, 1));
        assert!(set.memory_usage() < before);
        assert_eq!(answer(&set, b"b"), Some(Answer::Disallow));
        // Setting the same file again changes nothing.
        set.insert(b"b", closed);
        assert!(set.remove(b"a") && !set.remove(b"a"));
        assert_eq!((set.len(), set.file_count()), (2, 1));
        assert!(set.remove(b"b") && set.remove(b"c"));
        assert_eq!((set.len(), set.file_count()), (0, 0));
    }
}
