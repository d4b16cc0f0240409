//! The policies of a pack, looked up by host.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use robotsieve::Origin;
use robotsieve::pack::{Kind, Pack, PackError};

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
    /// By the origin's key; `None` if it is damaged. Entries are never removed.
    sites: RwLock<HashMap<Box<str>, Option<&'static Site>>>,
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
            // What is unknown is missing.
            let Some(policy) = site.policy(column)? else { continue };
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

    fn find(&self, start: &[u8], _: &[u8], _: HostHash) -> Found<'_> {
        let Ok(origin) = Origin::of(start) else { return Found::Missing };
        let site = match self.pack.get(&origin) {
            Ok(Some(site)) if site.kind() != Kind::Unknown => site,
            Ok(_) => return Found::Missing,
            Err(error) => {
                self.damaged(&error);
                return Found::Unreadable;
            }
        };
        // The read lock ends here; below, the lock is taken for writing.
        let known =
            self.sites.read().unwrap_or_else(PoisonError::into_inner).get(origin.key()).copied();
        let found = known.unwrap_or_else(|| {
            let made = self.site(site).map_err(|error| self.damaged(&error)).ok();
            let mut sites = self.sites.write().unwrap_or_else(PoisonError::into_inner);
            let made = || made.map(|made| &*Box::leak(Box::new(made)));
            *sites.entry(origin.key().into()).or_insert_with(made)
        });
        found.map_or(Found::Unreadable, Found::Site)
    }
}
