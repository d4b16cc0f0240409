//! How a pack is made.

use std::io::{self, Write};
use std::path::Path;

use robotsieve::pack::{Pack, Writer};
use robotsieve::{Config, Crawler, Profile};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{AsOf, Protocol};

/// The settings by which a pack is made.
#[derive(Clone, Debug)]
pub struct Making {
    /// The profile in which files are read, and which says what fetches mean.
    pub profile: Profile,
    /// For whom.
    pub crawlers: Vec<Crawler>,
    /// The parts of files that are kept.
    pub config: Config,
    /// Of the hash, for all of its files.
    pub seed: u64,
}

impl Making {
    /// As a pack was made. Returns `None` if its profile has no name, so that its rules of fetching
    /// are not known.
    #[must_use]
    pub fn like(pack: &Pack<'_>) -> Option<Making> {
        let profile = Profile::named(pack.profile_name())?;
        let mut config = Config::default();
        config.keep_rules = pack.keeps_rules();
        config.keep_sitemaps = pack.keeps_sitemaps();
        config.keep_rights = pack.keeps_rights();
        Some(Making { profile, crawlers: pack.crawlers().to_vec(), config, seed: pack.seed() })
    }

    /// A writer for a pack of its own, of any size. `folder` takes a temporary file.
    ///
    /// # Errors
    /// Returns an error if the pack or the temporary file cannot be written.
    pub fn writer<W: Write>(&self, out: W, folder: &Path) -> io::Result<Writer<'static, W>> {
        let writer = Writer::new(out, &self.profile, self.crawlers.clone(), &self.config)?;
        Ok(writer.with_seed(self.seed).with_scratch(tempfile::tempfile_in(folder)?))
    }

    /// A writer for a shard.
    ///
    /// # Errors
    /// Returns an error if it cannot be written.
    pub fn shard<W: Write>(
        &self,
        out: W,
        index: u32,
        count: u32,
    ) -> io::Result<Writer<'static, W>> {
        let crawlers = self.crawlers.clone();
        let writer = Writer::shard(out, &self.profile, crawlers, &self.config, index, count)?;
        Ok(writer.with_seed(self.seed))
    }
}

/// The settings by which captures are judged.
#[derive(Clone, Debug)]
pub struct Judging {
    /// The protocol that says what the answers of fetches mean.
    pub protocol: Protocol,
    /// The time as of which they are judged.
    pub as_of: AsOf,
    /// The protocol and time by which the states of a store become captures.
    pub of_stores: (Protocol, AsOf),
}

impl Judging {
    /// As a profile says, and as of what was given: else captures as of the newest of each site, and
    /// stores as of now.
    #[must_use]
    pub fn of(profile: &Profile, as_of: Option<AsOf>) -> Judging {
        let protocol = Protocol::of(profile);
        let now = as_of.unwrap_or(AsOf::Time(Timestamp::now()));
        let of_stores = (protocol.clone(), now);
        Judging { protocol, as_of: as_of.unwrap_or_default(), of_stores }
    }
}
