//! Sites whose answer the operator gives.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::error::Error;
use std::fmt;

use robotsieve::{InvalidOrigin, Origin};

/// The answer that applies to a site instead of its own robots.txt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Override {
    /// Everything is allowed.
    Allow,
    /// Nothing is allowed.
    Disallow,
    /// This robots.txt applies.
    Body(Vec<u8>),
}

/// Sites whose answer the operator gives. Their robots.txt is never fetched, and what the store
/// knows of them does not count.
///
/// A site is an origin (`https://example.com`, `http://example.com:8080`), or a host with or
/// without a port (`example.com`), which stands for both `http` and `https`. There are no
/// patterns: a sub-domain is another site.
///
/// ```
/// use robotsieve::Crawler;
/// use robotsieve_client::sieve::{Override, Overrides, Sieve};
///
/// let mut overrides = Overrides::new();
/// overrides.insert("partner.example", Override::Allow)?;
/// overrides.insert("https://e.com", Override::Body(b"User-agent: *\nDisallow: /x".to_vec()))?;
/// let sieve = Sieve::builder(Crawler::name("MyCrawler")).overrides(overrides).build_blocking()?;
/// assert!(sieve.decide("http://partner.example/")?.is_allowed());
/// assert!(!sieve.decide("https://e.com/x/y")?.is_allowed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    by_key: HashMap<Box<str>, Override>,
}

/// The reason for which an override cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OverrideError {
    /// The text is neither an origin nor a host.
    Site(InvalidOrigin),
    /// The text is the URL of a page. A robots.txt applies to a whole origin.
    Page,
    /// The text has a `*`. There are no patterns: each site needs an override of its own.
    Pattern,
    /// The site has an override already.
    Twice,
}

impl fmt::Display for OverrideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OverrideError::Site(cause) => {
                write!(f, "neither an origin like 'https://example.com' nor a host: {cause}")
            }
            OverrideError::Page => {
                f.write_str("the URL of a page: leave out what follows the host and port")
            }
            OverrideError::Pattern => {
                f.write_str("a pattern, which no host is: give each site a line of its own")
            }
            OverrideError::Twice => f.write_str("the site has an override already"),
        }
    }
}

impl Error for OverrideError {}

impl Overrides {
    /// No overrides.
    #[must_use]
    pub fn new() -> Overrides {
        Overrides::default()
    }

    /// Adds an override for an origin, or for a host under both `http` and `https`.
    ///
    /// # Errors
    /// Returns an error if `site` is neither, or has an override already. Nothing is added then.
    pub fn insert(&mut self, site: &str, answer: Override) -> Result<(), OverrideError> {
        // A URL may have such a host, but no host has such a name.
        if site.contains('*') {
            return Err(OverrideError::Pattern);
        }
        let keys = if site.contains("://") {
            vec![key(site)?]
        } else {
            vec![key(&format!("https://{site}"))?, key(&format!("http://{site}"))?]
        };
        if keys.iter().any(|key| self.by_key.contains_key(key)) {
            return Err(OverrideError::Twice);
        }
        for key in keys {
            if let Entry::Vacant(place) = self.by_key.entry(key) {
                place.insert(answer.clone());
            }
        }
        Ok(())
    }

    /// The override of an origin.
    #[must_use]
    pub fn get(&self, origin: &Origin<'_>) -> Option<&Override> {
        self.by_key.get(origin.key())
    }

    /// The number of origins with an override. A host counts twice.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// True if there are no overrides.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// All overrides, by the [key](robotsieve::Origin::key) of their origin.
    pub(super) fn into_iter(self) -> impl Iterator<Item = (Box<str>, Override)> {
        self.by_key.into_iter()
    }
}

/// The key of the origin with this URL, if the URL has nothing but an origin.
fn key(url: &str) -> Result<Box<str>, OverrideError> {
    let origin = Origin::of(url).map_err(OverrideError::Site)?;
    let (_, rest) = url.split_once("://").ok_or(OverrideError::Page)?;
    match rest.find(['/', '?', '#', '\\', '@']) {
        Some(at) if &rest[at..] != "/" => Err(OverrideError::Page),
        _ => Ok(origin.key().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites() {
        let mut all = Overrides::new();
        assert!(all.is_empty());
        all.insert("Example.com", Override::Allow).unwrap();
        all.insert("https://müller.eu:443/", Override::Disallow).unwrap();
        all.insert("e.com:8080", Override::Allow).unwrap();
        all.insert("[::1]", Override::Allow).unwrap();
        assert_eq!(all.len(), 7);
        let has = |url| all.get(&Origin::of(url).unwrap()).is_some();
        for url in ["http://example.com/x", "https://example.com", "https://xn--mller-kva.eu/"] {
            assert!(has(url), "{url}");
        }
        for url in ["http://e.com:8080", "https://e.com:8080", "http://[::1]/"] {
            assert!(has(url), "{url}");
        }
        for url in ["http://www.example.com/", "http://xn--mller-kva.eu", "https://e.com"] {
            assert!(!has(url), "{url}");
        }
        let before = all.clone();
        for (site, error) in [
            ("https://example.com", OverrideError::Twice),
            ("e.com/page", OverrideError::Page),
            ("https://e.com/?", OverrideError::Page),
            ("https://me@e.com", OverrideError::Page),
            ("*.example.com", OverrideError::Pattern),
        ] {
            assert_eq!(all.insert(site, Override::Allow), Err(error), "{site}");
        }
        for site in ["", "mailto:me@e.com", "gopher://e.com", "a b"] {
            let result = all.insert(site, Override::Allow);
            assert!(result.is_err(), "{site}");
        }
        assert_eq!(all, before);
    }
}
