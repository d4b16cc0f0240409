//! The policies of a pack, looked up by origin.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use robotsieve::SiteKind;
use robotsieve::pack::{self, Pack, PackError};
use robotsieve::{Answer, CrawlerId, SitePolicy, UrlRun};
use robotsieve_rights::Purpose;
use robotsieve_rights::packed::PackRights;

use super::batch::Batch;
use super::purpose::OfPurpose;
use super::sites::{HostRules, Site, Sites};
use crate::write::report::Report;

/// The number of places of damage that are reported.
const MOST_PLACES: usize = 100;

/// A pack that stays open until the program ends.
pub struct Packed {
    pack: &'static Pack<'static>,
    /// For each crawler to judge for, the one of the pack.
    columns: Vec<CrawlerId>,
    /// True if to load the rules, if the pack has them.
    decides: bool,
    damage: Damage,
}

impl Packed {
    pub fn new(
        pack: &'static Pack<'static>,
        columns: Vec<CrawlerId>,
        decides: bool,
        report: Arc<Report>,
    ) -> Packed {
        Packed { pack, columns, decides, damage: Damage::new(report) }
    }

    /// The policies of a site; `None` if nothing is known of it.
    fn site(&self, site: &pack::Site<'static>) -> Result<Option<Site>, PackError> {
        let mut policies = Vec::with_capacity(self.columns.len());
        for &column in &self.columns {
            let Some(policy) = site.policy(column)? else { return Ok(None) };
            let with_rules = if self.decides { policy.with_rules()? } else { None };
            policies.push(with_rules.map_or_else(|| policy.policy().clone(), SitePolicy::from));
        }
        let of = Site::of(policies.into_iter());
        Ok(Some(if site.kind() == SiteKind::Rules { of } else { of.without_lines() }))
    }
}

impl Sites for Packed {
    fn each_run(
        &self,
        batch: &Batch<'_>,
        act: &mut dyn FnMut(&UrlRun<'_>, Range<usize>, HostRules<'_>),
    ) {
        each_run(self.pack, batch, &self.damage, |site| self.site(site), act);
    }

    fn answer(&self, batch: &Batch<'_>, _: usize, answers: &mut [Answer]) {
        let damaged = |error| self.damage.report(error);
        self.pack.answers_for(&batch.runs, &batch.lines, &self.columns, answers, damaged);
    }
}

/// What a pack has of a purpose other than crawling.
pub struct PackedRights {
    pack: &'static Pack<'static>,
    /// For each crawler to judge for, the one of the pack.
    columns: Vec<CrawlerId>,
    purpose: Purpose,
    rights: PackRights<'static>,
    damage: Damage,
}

impl PackedRights {
    pub fn new(
        pack: &'static Pack<'static>,
        columns: Vec<CrawlerId>,
        purpose: Purpose,
        report: Arc<Report>,
    ) -> PackedRights {
        let (rights, damage) = (PackRights::new(pack), Damage::new(report));
        PackedRights { pack, columns, purpose, rights, damage }
    }

    fn site(&self, site: &pack::Site<'static>) -> Result<Option<Site>, PackError> {
        let of = OfPurpose::of_packed(self.pack, &self.rights, site, &self.columns, self.purpose)?;
        Ok(of.map(Site::OfPurpose))
    }
}

impl Sites for PackedRights {
    fn each_run(
        &self,
        batch: &Batch<'_>,
        act: &mut dyn FnMut(&UrlRun<'_>, Range<usize>, HostRules<'_>),
    ) {
        each_run(self.pack, batch, &self.damage, |site| self.site(site), act);
    }
}

/// Calls `act` with each run, and with what `site_of` makes of its site in a pack. Damage is reported.
fn each_run(
    pack: &'static Pack<'static>,
    batch: &Batch<'_>,
    damage: &Damage,
    site_of: impl Fn(&pack::Site<'static>) -> Result<Option<Site>, PackError>,
    act: &mut dyn FnMut(&UrlRun<'_>, Range<usize>, HostRules<'_>),
) {
    for (run, numbers) in batch.numbered() {
        let found = run.origin.as_ref().map_or(Ok(None), |origin| pack.get(origin));
        match found.and_then(|site| site.map(|site| site_of(&site)).transpose()) {
            Ok(Some(Some(site))) => act(run, numbers, HostRules::Site(&site)),
            // It is known that there is an answer, and not what it says.
            Ok(Some(None)) => act(run, numbers, HostRules::Unreadable),
            Ok(None) => act(run, numbers, HostRules::Missing),
            Err(error) => {
                damage.report(error);
                act(run, numbers, HostRules::Unreadable);
            }
        }
    }
}

/// The damage of a pack, of which the first places are reported, each once.
struct Damage {
    report: Arc<Report>,
    /// What was reported, and one more if there was more.
    reported: Mutex<Vec<PackError>>,
}

impl Damage {
    fn new(report: Arc<Report>) -> Damage {
        Damage { report, reported: Mutex::default() }
    }

    /// Reports damage, unless that was done.
    fn report(&self, error: PackError) {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        if reported.len() > MOST_PLACES || reported.contains(&error) {
            return;
        }
        if reported.len() == MOST_PLACES {
            self.report.error(&"more of the pack is damaged, and more URLs are unknown");
        } else {
            self.report.error(&format_args!(
                "{error}; the URLs that need it are unknown: make the pack again ('robotsieve pack \
                 verify' checks all of it)"
            ));
        }
        reported.push(error);
    }
}
