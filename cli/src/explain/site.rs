//! What a store knows of a URL's site, looked up as `filter --store` does.

use std::rc::Rc;

use robotsieve::{Profile, TargetForm};
use robotsieve_client::Timestamp;
use robotsieve_client::hosts::{Whose, whose};
use robotsieve_client::outcome::{AsOf, Holds, OriginState, Ruling, Why};
use robotsieve_client::report::{self, rfc3339};
use robotsieve_client::store::Store;

use crate::error::Failure;
use crate::fetch::args::Answers;
use crate::options::is_before;
use crate::write::bytes::shown;

/// The robots.txt files that stand for "everything is allowed" and "nothing is allowed", as in the
/// library's `Sieve`.
const ALLOW_ALL: &[u8] = b"";
const DISALLOW_ALL: &[u8] = b"User-agent: *\nDisallow: /";

/// The sites of a store, as of some time.
pub struct Sites {
    store: Store,
    /// The time of `--as-of`.
    as_of: Option<AsOf>,
    now: Timestamp,
    answers: Answers,
    /// The site that was looked up last: URLs of one site tend to be adjacent.
    last: Option<Rc<Known>>,
}

/// What the store has for an origin.
struct Known {
    origin: String,
    state: OriginState,
    body: Option<Vec<u8>>,
}

/// A site, and what applies to it in some profile.
pub struct Site {
    known: Rc<Known>,
    ruling: Ruling,
    now: Timestamp,
}

/// The outcome of looking up the site of a URL.
pub enum Found {
    Site(Site),
    /// What applies is unknown, because of this.
    Unknown(String),
    /// The URL has no usable host.
    Invalid,
}

impl Found {
    /// The file that applies, if one does.
    pub fn file(&self) -> &[u8] {
        match self {
            Found::Site(site) => site.file(),
            _ => b"",
        }
    }

    /// The hash of a robots.txt whose rules apply.
    pub fn sha256(&self) -> String {
        let Found::Site(Site { known, .. }) = self else { return String::new() };
        known.state.copy.as_ref().map_or_else(String::new, |copy| copy.content.to_string())
    }

    /// What applies, in a word or two for records.
    pub fn holds(&self) -> &'static str {
        match self {
            Found::Site(site) => site.ruling.holds.as_str(),
            Found::Unknown(_) => "unknown",
            Found::Invalid => "invalid",
        }
    }

    /// Returns true if the rules of this site's robots.txt apply.
    pub fn has_rules_of(&self, other: &Site) -> bool {
        match self {
            Found::Site(site) => site.has_rules() && Rc::ptr_eq(&site.known, &other.known),
            _ => false,
        }
    }
}

impl Sites {
    /// The sites as they are now, or as of some time, if their answers mean this.
    pub fn new(store: Store, as_of: Option<AsOf>, answers: Answers) -> Sites {
        Sites { store, as_of, now: Timestamp::now(), answers, last: None }
    }

    /// The site of a URL, as this profile sees it.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    pub fn find(&mut self, url: &[u8], profile: &Profile) -> Result<Found, Failure> {
        let is_google = profile.target_form == TargetForm::Google;
        let path = self.store.path().display();
        let origin = match whose(url, is_google) {
            (_, Whose::Origin(origin)) => origin,
            (end, Whose::Foreign) => {
                let origin = shown(&url[..end]);
                let why = format!("{origin} has no robots.txt that could be fetched");
                return Ok(Found::Unknown(why));
            }
            (_, Whose::Nobody) if is_google => {
                let why = "it has no host, so no site of the store is meant";
                return Ok(Found::Unknown(why.into()));
            }
            (_, Whose::Nobody) => return Ok(Found::Invalid),
        };
        let known = match &self.last {
            Some(known) if known.origin == origin.key() => Rc::clone(known),
            _ => {
                let Some((state, body)) = self.store.get_with_body(origin.key())? else {
                    return Ok(Found::Unknown(format!(
                        "{origin} is not in the store '{path}'; 'robotsieve fetch --store' asks it"
                    )));
                };
                Rc::new(Known { origin: origin.key().to_owned(), state, body })
            }
        };
        self.last = Some(Rc::clone(&known));
        if self.as_of.is_some_and(|as_of| is_before(as_of, &known.state)) {
            return Ok(Found::Unknown(format!(
                "{origin} was asked later, at {}, and a store keeps the latest outcome only",
                rfc3339(known.state.attempted)
            )));
        }
        let now = match self.as_of {
            Some(AsOf::Capture) => known.state.attempted,
            Some(AsOf::Time(time)) => time,
            None => self.now,
        };
        let ruling = self.answers.protocol(profile).ruling(&known.state, now);
        if ruling.is_expired && ruling.why == Why::NeverAsked {
            return Ok(Found::Unknown(format!("{origin}: {}", ruling.why)));
        }
        if ruling.holds == Holds::Rules && known.body.is_none() {
            return Ok(Found::Unknown(format!("the robots.txt of {origin} is not in the store")));
        }
        Ok(Found::Site(Site { known, ruling, now }))
    }
}

impl Site {
    /// Returns true if the rules of its robots.txt apply.
    pub fn has_rules(&self) -> bool {
        self.ruling.holds == Holds::Rules
    }

    /// The file that applies.
    pub fn file(&self) -> &[u8] {
        match self.ruling.holds {
            Holds::Rules => self.known.body.as_deref().unwrap_or_default(),
            Holds::AllowAll => ALLOW_ALL,
            _ => DISALLOW_ALL,
        }
    }

    /// What applies if not the rules, and why.
    pub fn policy(&self) -> String {
        report::policy(&self.ruling)
    }

    /// What the store knows, and what follows from it.
    pub fn report(&self) -> robotsieve::report::Site {
        let Known { origin, state, .. } = &*self.known;
        report::site_told(origin, state, &self.ruling, self.now)
    }
}
