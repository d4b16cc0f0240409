//! The URLs of `--urls` that get another verdict.

use std::ffi::OsString;
use std::io;
use std::sync::Arc;

use robotsieve::{Policy, Profile, Target, Verdict};
use robotsieve_report::{CrawlerDiff, DiffReport, RecordDiff, UrlFlip};

use crate::read::inputs::Inputs;
use crate::write::report::Report;
use crate::write::stderr;

/// The URLs of `--urls`, with the policies that decide about them.
pub struct Urls<'a> {
    pub given: &'a [OsString],
    /// Of the crawlers for which something changed, with their places in the report and the profile in
    /// which they read URLs.
    pub policies: Vec<(usize, Profile, [Policy; 2])>,
    pub profile: Profile,
    pub progress: &'a Arc<Report>,
}

impl Urls<'_> {
    /// Calls `found` for the URLs that flip, in the order of the inputs, with the crawlers for which
    /// they do; the report gets how many there are.
    pub fn flipping(
        &self,
        report: &mut DiffReport,
        mut found: impl FnMut(&UrlFlip) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.given.is_empty() {
            return Ok(());
        }
        let mut inputs = Inputs::new(self.given.to_vec(), Arc::clone(self.progress));
        let (mut chunk, mut flipped, mut invalid) = (Vec::new(), 0, 0u64);
        let mut others: Vec<Profile> = Vec::new();
        for (_, profile, _) in &self.policies {
            if *profile != self.profile && !others.contains(profile) {
                others.push(*profile);
            }
        }
        while inputs.fill(&mut chunk) {
            for line in chunk.split(|byte| *byte == b'\n') {
                let url = line.strip_suffix(b"\r").unwrap_or(line);
                let target = match Target::from_url(url, &self.profile) {
                    _ if url.is_empty() => continue,
                    Ok(target) => target,
                    Err(_) => {
                        invalid += 1;
                        continue;
                    }
                };
                let in_others = others
                    .iter()
                    .filter_map(|profile| Some((*profile, Target::from_url(url, profile).ok()?)));
                let in_others: Vec<(Profile, Target<'_>)> = in_others.collect();
                let target_in = |profile: &Profile| match *profile == self.profile {
                    true => Some(&target),
                    false => in_others.iter().find_map(|(of, it)| (of == profile).then_some(it)),
                };
                let mut is_flipped = false;
                for to in [Verdict::Disallow, Verdict::Allow] {
                    let flips = |profile: &Profile, [old, new]: &[Policy; 2]| {
                        target_in(profile).is_some_and(|target| {
                            new.verdict(target) == to && old.verdict(target) != to
                        })
                    };
                    let places = self.policies.iter();
                    let places = places.filter(|(_, profile, policies)| flips(profile, policies));
                    let same: Vec<&CrawlerDiff> =
                        places.map(|(place, ..)| &report.crawlers[*place]).collect();
                    if !same.is_empty() {
                        is_flipped = true;
                        found(&UrlFlip::new(url, to, &same))?;
                    }
                }
                flipped += u64::from(is_flipped);
            }
        }
        invalid += self.progress.long_lines();
        if invalid > 0 {
            let lines = if invalid == 1 { "line" } else { "lines" };
            stderr::note(&format_args!(
                "skipped {invalid} {lines} of --urls: a URL is scheme://host/path, or a path that \
                 starts with '/'"
            ));
        }
        report.count_urls(flipped);
        Ok(())
    }
}

/// Records that changed for the same crawlers, which follow one another.
pub fn of_same_crawlers(records: &[RecordDiff]) -> impl Iterator<Item = &[RecordDiff]> {
    records.chunk_by(|one, next| one.label == next.label)
}
