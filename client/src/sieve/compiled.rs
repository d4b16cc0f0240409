//! What a robots.txt compiles to.

use robotsieve::{Crawler, CrawlerPolicies, Robots};
#[cfg(feature = "rights")]
use robotsieve_rights::RobotsRights;

/// What a file compiles to.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) policies: CrawlerPolicies,
    /// What it says of the first crawler's rights. `None` if that is nothing, or nobody asks.
    #[cfg(feature = "rights")]
    pub(super) rights: Option<Box<RobotsRights<'static>>>,
}

/// Rights cost a word for each distinct file, and nothing without the feature.
const _: () = {
    let rights = if cfg!(feature = "rights") { size_of::<usize>() } else { 0 };
    assert!(size_of::<Compiled>() == size_of::<CrawlerPolicies>() + rights);
};

impl Compiled {
    pub(super) fn of(robots: &Robots<'_>, crawlers: &[Crawler]) -> Compiled {
        Compiled {
            policies: CrawlerPolicies::of(robots, crawlers),
            #[cfg(feature = "rights")]
            rights: None,
        }
    }

    /// Its size in bytes, without that of the value itself.
    pub(super) fn memory_usage(&self) -> usize {
        let policies = self.policies.memory_usage();
        #[cfg(feature = "rights")]
        let policies = policies + self.rights.as_ref().map_or(0, |rights| rights.memory_usage());
        policies
    }
}
