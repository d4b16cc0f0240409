//! The policies of a pack, looked up by host.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use robotsieve::pack::{Pack, PackError};

use super::sites::{Found, Opinion, Site, Sites};
use crate::read::hosts::{HostHash, HostHasher};
use crate::write::report::Report;

/// A pack that stays open until the program ends.
pub struct Packed {
    report: Arc<Report>,
    pack: &'static Pack<'static>,
    /// For each crawler to judge for, its index among those of the pack.
    columns: Vec<usize>,
    /// Whether to load the rules, if the pack has them.
    decides: bool,
    /// By the number of the robots.txt; `None` if it is damaged. Entries are never removed.
    sites: RwLock<HashMap<u32, Option<&'static Site>>>,
    hasher: HostHasher,
}

impl Packed {
    pub fn new(
        pack: &'static Pack<'static>,
        columns: Vec<usize>,
        decides: bool,
        report: Arc<Report>,
    ) -> Packed {
        let (sites, hasher) = (RwLock::default(), HostHasher::default());
        Packed { report, pack, columns, decides, sites, hasher }
    }

    fn site(&self, site: robotsieve::pack::Site<'static>) -> Result<Site, PackError> {
        let mut opinions = Vec::new();
        for &column in &self.columns {
            let policy = site.policy(column)?;
            let with_rules = if self.decides { policy.with_rules()? } else { None };
            opinions.push(with_rules.map_or(Opinion::Packed(policy), Opinion::Policy));
        }
        Ok(Site::of(opinions.into_iter()))
    }

    fn damaged(&self, error: &PackError) {
        self.report.error(&format_args!(
            "{error}; the URLs that need it are unknown: make the pack again ('robotsieve pack \
             verify' checks all of it)"
        ));
    }
}

impl Sites for Packed {
    fn hasher(&self) -> &HostHasher {
        &self.hasher
    }

    fn find(&self, _: &[u8], host: &[u8], _: HostHash) -> Found<'_> {
        let site = match self.pack.get(host) {
            Ok(Some(site)) => site,
            Ok(None) => return Found::Missing,
            Err(error) => {
                self.damaged(&error);
                return Found::Unreadable;
            }
        };
        // The read lock ends here; below, the lock is taken for writing.
        let known =
            self.sites.read().unwrap_or_else(PoisonError::into_inner).get(&site.file()).copied();
        let found = known.unwrap_or_else(|| {
            let made = self.site(site).map_err(|error| self.damaged(&error)).ok();
            let mut sites = self.sites.write().unwrap_or_else(PoisonError::into_inner);
            *sites.entry(site.file()).or_insert(made.map(|made| &*Box::leak(Box::new(made))))
        });
        found.map_or(Found::Unreadable, Found::Site)
    }
}
