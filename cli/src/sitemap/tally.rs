//! Judging the URLs of sitemaps.

use std::borrow::Borrow;

use crate::sitemap::SiteUrls;
use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
use robotsieve::Policy;
use robotsieve_report::tally::Tally;

use super::opening::Sitemaps;
use crate::read::inputs::CHUNK_BYTES;

/// Judges the URLs of sitemaps that are of the site, by all these policies, in one pass.
pub fn judge<P: Borrow<Policy> + Send + Sync>(
    sitemaps: &mut Sitemaps,
    split: &mut SiteUrls,
    policies: &mut [(P, Tally)],
) {
    let mut chunk = Vec::new();
    while sitemaps.fill(&mut chunk, CHUNK_BYTES) {
        let urls = chunk.split(|byte| *byte == b'\n');
        let urls: Vec<&[u8]> = urls.filter(|url| !url.is_empty() && split.is_here(url)).collect();
        policies.par_iter_mut().for_each(|(policy, tally)| {
            let policy: &Policy = (*policy).borrow();
            for url in &urls {
                // What has the origin of a site is valid.
                if let Ok(target) = policy.target(url) {
                    tally.add(policy, url, &target);
                }
            }
        });
    }
}
