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
    /// Of each crawler that is asked for, its place among those of the pack.
    columns: Vec<usize>,
    /// Whether rules are wanted, where the pack keeps them.
    decides: bool,
    /// By the number of the robots.txt; `None` where it is damaged. Each stays.
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
            "{error}; the URLs that need it are unknown (robotsieve pack --verify tells more, and \
             a new pack helps)"
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
        // The lock is let go here: below it is taken to write.
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
