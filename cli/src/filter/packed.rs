//! The policies of a pack, looked up by origin.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use robotsieve::pack::{self, Kind, Pack, PackError};
use robotsieve::{Answer, Origin, SitePolicy, UrlRun};

use super::batch::Batch;
use super::sites::{HostRules, Site, Sites};
use crate::write::report::Report;

/// The number of places of damage that are reported.
const MOST_PLACES: usize = 100;

/// A pack that stays open until the program ends.
pub struct Packed {
    report: Arc<Report>,
    pack: &'static Pack<'static>,
    /// For each crawler to judge for, its index among those of the pack.
    columns: Vec<usize>,
    /// True if to load the rules, if the pack has them.
    decides: bool,
    /// The damage that was reported, and one more if there was more.
    damage: Mutex<Vec<PackError>>,
}

impl Packed {
    pub fn new(
        pack: &'static Pack<'static>,
        columns: Vec<usize>,
        decides: bool,
        report: Arc<Report>,
    ) -> Packed {
        Packed { report, pack, columns, decides, damage: Mutex::default() }
    }

    /// Calls `act` with what the pack has for an origin.
    fn find<R>(&self, origin: &Origin<'_>, act: impl FnOnce(HostRules<'_>) -> R) -> R {
        match self.pack.get(origin).and_then(|site| site.map_or(Ok(None), |site| self.site(site))) {
            Ok(Some(site)) => act(HostRules::Site(&site)),
            Ok(None) => act(HostRules::Missing),
            Err(error) => {
                self.damaged(error);
                act(HostRules::Unreadable)
            }
        }
    }

    /// The policies of a site; `None` if nothing is known of it.
    fn site(&self, site: pack::Site<'static>) -> Result<Option<Site>, PackError> {
        let mut policies = Vec::with_capacity(self.columns.len());
        for &column in &self.columns {
            let Some(policy) = site.policy(column)? else { return Ok(None) };
            let with_rules = if self.decides { policy.with_rules()? } else { None };
            policies.push(with_rules.map_or_else(|| policy.policy().clone(), SitePolicy::from));
        }
        let of = Site::of(policies.into_iter());
        Ok(Some(if site.kind() == Kind::Rules { of } else { of.without_lines() }))
    }

    /// Reports damage: the first places, each once.
    fn damaged(&self, error: PackError) {
        let mut damage = self.damage.lock().unwrap_or_else(PoisonError::into_inner);
        if damage.len() > MOST_PLACES || damage.contains(&error) {
            return;
        }
        if damage.len() == MOST_PLACES {
            self.report.error(&"more of the pack is damaged, and more URLs are unknown");
        } else {
            self.report.error(&format_args!(
                "{error}; the URLs that need it are unknown: make the pack again ('robotsieve pack \
                 verify' checks all of it)"
            ));
        }
        damage.push(error);
    }
}

impl Sites for Packed {
    fn each_run(
        &self,
        batch: &Batch<'_>,
        act: &mut dyn FnMut(&UrlRun<'_>, Range<usize>, HostRules<'_>),
    ) {
        for (run, numbers) in batch.numbered() {
            match &run.origin {
                Some(origin) => self.find(origin, |found| act(run, numbers, found)),
                None => act(run, numbers, HostRules::Missing),
            }
        }
    }

    fn answer(&self, batch: &Batch<'_>, _: usize, answers: &mut [Answer]) {
        let damaged = |error| self.damaged(error);
        self.pack.answers_for(&batch.runs, &batch.lines, &self.columns, answers, damaged);
    }
}
