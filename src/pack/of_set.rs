//! A policy set as a pack.

use std::collections::HashMap;
use std::io::{self, Write};

use crate::sites::set::{PolicySet, SetSite};

use super::outcome::Written;
use super::recipe::{Packed, PackedParts, rules_body};
use super::write::Writer;

impl PolicySet {
    /// Writes the set as a pack, with nothing compiled again: to share it between processes, or to
    /// have it at once when the program starts next.
    ///
    /// ```
    /// use robotsieve::pack::Pack;
    /// use robotsieve::{Config, Crawler, Origin, PolicySet, Profile, SiteRules};
    ///
    /// let crawlers = [Crawler::name("bot")];
    /// let mut set = PolicySet::new(&Profile::RFC9309, &Config::default(), crawlers);
    /// let origin = Origin::of("https://example.com")?;
    /// set.insert(&origin, SiteRules::DisallowAll);
    /// let pack = Pack::open(set.write_pack(Vec::new())?)?;
    /// let bot = pack.crawler(&Crawler::name("bot")).expect("is one of its crawlers");
    /// let policy = pack.get(&origin)?.expect("is there").policy(bot)?.expect("is known");
    /// assert!(!policy.is_path_allowed("/x")?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if `out` does, or if there are more than 4096 crawlers.
    pub fn write_pack<W: Write>(&self, out: W) -> io::Result<W> {
        let crawlers = self.crawlers().iter().cloned();
        // A set has no rights.
        let config = self.config().with_keep_rights(false);
        let mut writer = Writer::new(out, self.profile(), crawlers, &config)?;
        let mut files: HashMap<u32, Written> = HashMap::new();
        for site in self.iter() {
            let outcome = site.kind().try_with(|| {
                if let Some(written) = files.get(&site.file_number()) {
                    return Ok(*written);
                }
                let written = writer.put(&packed(self, &site))?;
                files.insert(site.file_number(), written);
                io::Result::Ok(written)
            })?;
            writer.add(&site.origin(), outcome, None)?;
        }
        writer.finish()
    }
}

/// The bodies of a site's records.
fn packed(set: &PolicySet, site: &SetSite<'_>) -> Packed {
    let mut policies: Vec<PackedParts> = Vec::new();
    let columns = (0..set.crawlers().len()).map(|crawler| {
        let parts = match site.body(crawler) {
            Ok(table) => PackedParts {
                policy: table.to_vec(),
                rules: site
                    .policies()
                    .map_or_else(Vec::new, |kept| rules_body(kept.policy(crawler))),
            },
            Err(policy) => PackedParts::of_rules(policy),
        };
        policies.iter().position(|known| *known == parts).unwrap_or_else(|| {
            policies.push(parts);
            policies.len() - 1
        })
    });
    let columns = columns.collect();
    // The writer gets each file once, so any number tells them apart.
    Packed::new(site.file_number().into(), policies, columns, site.sitemaps())
}
