//! How a sieve reads rights.

use robotsieve::Crawler;
use robotsieve_rights::{PolicyToken, RightsReader, TagReading, Vocabulary};

/// How a sieve reads rights: see [`SieveBuilder::rights`](super::SieveBuilder::rights).
///
/// ```
/// use robotsieve_rights::{PolicyToken, TagReading};
/// use robotsieve_client::sieve::RightsOptions;
///
/// let options = RightsOptions::new()
///     .with_reading(TagReading::Google)
///     .with_policy_tokens(PolicyToken::of_name("Google-Extended"));
/// # let _ = options;
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct RightsOptions {
    vocabulary: Vocabulary,
    reading: TagReading,
    tokens: Vec<PolicyToken>,
    site_files: bool,
}

impl RightsOptions {
    /// The current vocabulary, no vendor's reading, no policy tokens, and no other files of sites.
    pub fn new() -> RightsOptions {
        RightsOptions::default()
    }

    /// The same with another vocabulary of Content-Usage.
    pub fn with_vocabulary(self, vocabulary: Vocabulary) -> RightsOptions {
        RightsOptions { vocabulary, ..self }
    }

    /// The same with a vendor's reading of robots tags.
    pub fn with_reading(self, reading: TagReading) -> RightsOptions {
        RightsOptions { reading, ..self }
    }

    /// The same for a crawler whose operator heeds these
    /// [tokens](RightsReader::with_policy_tokens).
    pub fn with_policy_tokens(
        self,
        tokens: impl IntoIterator<Item = PolicyToken>,
    ) -> RightsOptions {
        RightsOptions { tokens: tokens.into_iter().collect(), ..self }
    }

    /// The same with other files of sites: `/.well-known/tdmrep.json`, and the RSL documents that
    /// robots.txt and responses name. They are fetched by the sieve's fetcher when somebody asks for the
    /// rights of a URL that they are about, if the robots.txt of their own site allows it, and kept in
    /// memory and in the store as long as their headers say, within the bounds of the
    /// [`Protocol`](crate::outcome::Protocol).
    ///
    /// A quarter of [`SieveBuilder::max_bytes`](super::SieveBuilder::max_bytes) is for them.
    pub fn with_site_files(self, site_files: bool) -> RightsOptions {
        RightsOptions { site_files, ..self }
    }

    pub(super) fn reads_site_files(&self) -> bool {
        self.site_files
    }

    pub(super) fn reader(&self, crawler: &Crawler) -> RightsReader {
        RightsReader::new(crawler)
            .with_vocabulary(self.vocabulary)
            .with_reading(self.reading)
            .with_policy_tokens(self.tokens.iter().copied())
    }
}
