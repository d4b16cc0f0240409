//! What a store knows of a URL's site, looked up as a [`Sieve`](crate::sieve::Sieve) does.

use std::rc::Rc;

use robotsieve::{Profile, SiteKind, TargetForm};
use robotsieve_report::Site;
use robotsieve_shown::shown;

use super::document::{policy, rfc3339, site_told};
use crate::hosts::{Whose, whose};
use crate::outcome::{AsOf, OriginState, Protocol, Ruling, Why};
use crate::store::{Store, StoreError};
use crate::time::Timestamp;

/// The robots.txt files that stand for "everything is allowed" and "nothing is allowed", as in the
/// `Sieve`.
const ALLOW_ALL: &[u8] = b"";
const DISALLOW_ALL: &[u8] = b"User-agent: *\nDisallow: /";

/// What answers mean in a profile.
type ProtocolOf = Box<dyn Fn(&Profile) -> Protocol>;

/// The sites of a store, as of some time.
pub struct KnownSites {
    store: Store,
    /// As of when they are judged, if not now.
    as_of: Option<AsOf>,
    now: Timestamp,
    protocol: ProtocolOf,
    /// The site that was looked up last: URLs of one site tend to be adjacent.
    last: Option<Rc<Known>>,
}

/// What the store has for an origin.
#[derive(Debug)]
struct Known {
    origin: String,
    state: OriginState,
    body: Option<Vec<u8>>,
}

/// A site, and what applies to it in some profile.
#[derive(Debug)]
pub struct KnownSite {
    known: Rc<Known>,
    ruling: Ruling,
    now: Timestamp,
}

/// The outcome of looking up the site of a URL.
#[derive(Debug)]
pub enum FoundSite {
    /// The store says what applies to the site.
    Site(KnownSite),
    /// What applies is unknown, because of this.
    Unknown(String),
    /// The URL has no usable host.
    Invalid,
}

impl FoundSite {
    /// The file that applies, if one does.
    #[must_use]
    pub fn file(&self) -> &[u8] {
        match self {
            FoundSite::Site(site) => site.file(),
            _ => b"",
        }
    }

    /// The hash of a robots.txt whose rules apply.
    #[must_use]
    pub fn sha256(&self) -> String {
        let FoundSite::Site(KnownSite { known, .. }) = self else { return String::new() };
        known.state.copy.as_ref().map_or_else(String::new, |copy| copy.content.to_string())
    }

    /// What applies, in a word or two for records.
    #[must_use]
    pub fn holds(&self) -> &'static str {
        match self {
            FoundSite::Site(site) => site.ruling.holds.as_str(),
            FoundSite::Unknown(_) => "unknown",
            FoundSite::Invalid => "invalid",
        }
    }

    /// Returns true if the rules of this site's robots.txt apply.
    #[must_use]
    pub fn has_rules_of(&self, other: &KnownSite) -> bool {
        match self {
            FoundSite::Site(site) => site.has_rules() && Rc::ptr_eq(&site.known, &other.known),
            _ => false,
        }
    }
}

impl std::fmt::Debug for KnownSites {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KnownSites").field("store", &self.store).finish_non_exhaustive()
    }
}

impl KnownSites {
    /// The sites as they are now, or as of some time, if their answers mean this.
    #[must_use]
    pub fn new(
        store: Store,
        as_of: Option<AsOf>,
        protocol: impl Fn(&Profile) -> Protocol + 'static,
    ) -> KnownSites {
        let (now, protocol) = (Timestamp::now(), Box::new(protocol));
        KnownSites { store, as_of, now, protocol, last: None }
    }

    /// The site of a URL, as this profile sees it.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    pub fn find(&mut self, url: &[u8], profile: &Profile) -> Result<FoundSite, StoreError> {
        let is_google = profile.target_form == TargetForm::Google;
        let path = self.store.path().display();
        let origin = match whose(url, is_google) {
            (_, Whose::Origin(origin)) => origin,
            (end, Whose::Foreign) => {
                let origin = shown(&url[..end]);
                let why = format!("{origin} has no robots.txt that could be fetched");
                return Ok(FoundSite::Unknown(why));
            }
            (_, Whose::Nobody) if is_google => {
                let why = "it has no host, so no site of the store is meant";
                return Ok(FoundSite::Unknown(why.into()));
            }
            (_, Whose::Nobody) => return Ok(FoundSite::Invalid),
        };
        let known = match &self.last {
            Some(known) if known.origin == origin.key() => Rc::clone(known),
            _ => {
                let Some((state, body)) = self.store.get_with_body(origin.key())? else {
                    return Ok(FoundSite::Unknown(format!(
                        "{origin} is not in the store '{path}'; 'robotsieve fetch --store' asks it"
                    )));
                };
                Rc::new(Known { origin: origin.key().to_owned(), state, body })
            }
        };
        self.last = Some(Rc::clone(&known));
        if self.as_of.is_some_and(|as_of| as_of.is_before(&known.state)) {
            return Ok(FoundSite::Unknown(format!(
                "{origin} was asked later, at {}, and a store keeps the latest outcome only",
                rfc3339(known.state.attempted)
            )));
        }
        let now = match self.as_of {
            Some(AsOf::Capture) => known.state.attempted,
            Some(AsOf::Time(time)) => time,
            None => self.now,
        };
        let ruling = (self.protocol)(profile).ruling(&known.state, now);
        if ruling.is_expired && ruling.why == Why::NeverAsked {
            return Ok(FoundSite::Unknown(format!("{origin}: {}", ruling.why)));
        }
        if ruling.holds == SiteKind::Rules && known.body.is_none() {
            return Ok(FoundSite::Unknown(format!(
                "the robots.txt of {origin} is not in the store"
            )));
        }
        Ok(FoundSite::Site(KnownSite { known, ruling, now }))
    }
}

impl KnownSite {
    /// Returns true if the rules of its robots.txt apply.
    #[must_use]
    pub fn has_rules(&self) -> bool {
        self.ruling.holds == SiteKind::Rules
    }

    /// The file that applies.
    #[must_use]
    pub fn file(&self) -> &[u8] {
        match self.ruling.holds {
            SiteKind::Rules => self.known.body.as_deref().unwrap_or_default(),
            SiteKind::AllowAll => ALLOW_ALL,
            _ => DISALLOW_ALL,
        }
    }

    /// What applies if not the rules, and why.
    #[must_use]
    pub fn policy(&self) -> String {
        policy(&self.ruling)
    }

    /// What the store knows, and what follows from it.
    #[must_use]
    pub fn report(&self) -> Site {
        let Known { origin, state, .. } = &*self.known;
        site_told(origin, state, &self.ruling, self.now)
    }
}
