//! What judges the URLs of a host, and where it comes from.

use std::iter;

use robotsieve::pack::PackedPolicy;
use robotsieve::{Answer, Crawler, Decision, InvalidUrl, Policy, Profile, Robots};

use crate::read::hosts::{HostHash, HostHasher};

/// A source of robots.txt files by host; asked by all workers at once.
///
/// A worker remembers what it was told of the hosts that it met lately, so this is not on
/// the way of every URL.
pub trait Sites: Send + Sync {
    /// The hash function whose hashes [`Sites::find`] is given.
    fn hasher(&self) -> &HostHasher;

    /// What there is for a host in canonical form, the same whenever it is asked for; and `start`,
    /// the URL up to the end of its authority.
    fn find(&self, start: &[u8], host: &[u8], hash: HostHash) -> Found<'_>;

    /// Some lines come next: what they need may be looked for all at once.
    fn prepare(&self, _lines: &[u8]) {}
}

/// What there is for a host.
#[derive(Clone, Copy)]
pub enum Found<'s> {
    /// Its robots.txt.
    Site(&'s Site),
    /// None is for this host.
    Missing,
    /// There is one, but it cannot be read.
    Unreadable,
}

/// A URL and, where that is known already, the part of it from the `/` on with which its
/// path begins. Such a path is judged as the whole URL is, in each profile: a URL's
/// authority ends by the library's rules.
#[derive(Clone, Copy)]
pub struct Url<'u> {
    pub bytes: &'u [u8],
    pub path: Option<&'u [u8]>,
}

/// The policy of one crawler.
pub enum Opinion {
    /// Made from the robots.txt.
    Policy(Policy),
    /// Out of a pack that stays open until the program ends.
    Packed(PackedPolicy<'static>),
}

impl Opinion {
    fn is_same(&self, other: &Opinion) -> bool {
        match (self, other) {
            (Opinion::Policy(a), Opinion::Policy(b)) => a.is_same(b),
            (Opinion::Packed(a), Opinion::Packed(b)) => a.is_same(b),
            _ => false,
        }
    }

    #[inline]
    fn answer(&self, url: Url<'_>) -> Answer {
        let is_allowed = match (self, url.path) {
            (Opinion::Policy(policy), Some(path)) => policy.is_path_allowed(path),
            (Opinion::Policy(policy), None) => policy.is_allowed(url.bytes),
            (Opinion::Packed(policy), Some(path)) => policy.is_path_allowed(path),
            (Opinion::Packed(policy), None) => policy.is_allowed(url.bytes),
        };
        match is_allowed {
            Ok(true) => Answer::Allow,
            Ok(false) => Answer::Disallow,
            Err(InvalidUrl { .. }) => Answer::Invalid,
        }
    }

    fn decide(&self, url: Url<'_>) -> Result<Decision<'_>, InvalidUrl> {
        match (self, url.path) {
            (Opinion::Policy(policy), Some(path)) => policy.decide_path(path),
            (Opinion::Policy(policy), None) => policy.decide(url.bytes),
            (Opinion::Packed(policy), _) => policy.decide(url.bytes),
        }
    }
}

/// One robots.txt, for all crawlers.
pub struct Site {
    /// Of the first crawler, and often of all: here, not in the vector, because a URL of
    /// another host than the one before it waits for each pointer on the way.
    first: Opinion,
    /// The other policies. Crawlers in the same group share one.
    others: Vec<Opinion>,
    /// Of each crawler, in the order of the command line, the place of its policy, counted
    /// through `first` and `others`.
    by_crawler: Vec<usize>,
}

impl Site {
    /// For one crawler at least. The policies own what they need: the file may go.
    pub fn new(file: &[u8], profile: &Profile, crawlers: &[Crawler]) -> Site {
        let robots = Robots::parse(file, profile);
        Site::of(crawlers.iter().map(|crawler| Opinion::Policy(robots.policy(crawler))))
    }

    /// Of the policy of each crawler, of which there is one at least.
    pub fn of(crawlers: impl Iterator<Item = Opinion>) -> Site {
        let mut policies: Vec<Opinion> = Vec::new();
        let place_of = |policy: Opinion| {
            policies.iter().position(|other| other.is_same(&policy)).unwrap_or_else(|| {
                policies.push(policy);
                policies.len() - 1
            })
        };
        let by_crawler = crawlers.map(place_of).collect();
        let first = policies.remove(0);
        Site { first, others: policies, by_crawler }
    }

    /// The answer for the first crawler.
    #[inline]
    pub fn answer(&self, url: Url<'_>) -> Answer {
        self.first.answer(url)
    }

    /// The answers of the different policies, of which there is one at least.
    #[inline]
    pub fn answers(&self, url: Url<'_>) -> impl Iterator<Item = Answer> {
        self.policies().map(move |policy| policy.answer(url))
    }

    /// The decisions of the different policies. A URL is valid for all of them or for none.
    pub fn decisions<'s>(
        &'s self,
        url: Url<'_>,
    ) -> impl Iterator<Item = Result<Decision<'s>, InvalidUrl>> {
        self.policies().map(move |policy| policy.decide(url))
    }

    /// Of each crawler, in the order of the command line, the place of its policy among the
    /// different ones.
    pub fn by_crawler(&self) -> &[usize] {
        &self.by_crawler
    }

    fn policies(&self) -> impl Iterator<Item = &Opinion> {
        iter::once(&self.first).chain(&self.others)
    }
}
