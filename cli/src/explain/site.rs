//! What a store knows of a URL's site, looked up as `filter --store` does.

use std::rc::Rc;

use robotsieve::{Profile, TargetForm};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{AsOf, CachedCopy, Holds, OriginState, Ruling, Why};
use robotsieve_client::store::Store;

use crate::error::Failure;
use crate::fetch;
use crate::fetch::args::Answers;
use crate::options::is_before;
use crate::read::hosts::{Whose, whose};
use crate::write::bytes::shown;
use crate::write::time::rfc3339;

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
                time(known.state.attempted)
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
        let what = match self.ruling.holds {
            Holds::Rules => "the rules apply",
            Holds::AllowAll => "everything is allowed",
            _ => "nothing is allowed",
        };
        format!("{what}: {}", self.ruling.why)
    }

    /// What the store knows, and what follows from it.
    pub fn report(&self) -> robotsieve::report::Site {
        let mut site = fetch::json::site(&self.known.origin, &self.known.state, &self.ruling);
        site.expired = Some(self.ruling.is_expired);
        site.notes = self.notes();
        site
    }

    /// What the store knows, in sentences.
    fn notes(&self) -> Vec<String> {
        let (state, ruling) = (&self.known.state, &self.ruling);
        let mut notes = Vec::new();
        match &state.copy {
            Some(copy) if self.has_rules() => self.tell_copy(copy, &mut notes),
            _ => {}
        }
        let cause = state.last.why();
        if !cause.is_empty() {
            let cause = shown(cause.as_bytes());
            notes.push(format!("last asked {}: {cause}", self.ago(state.attempted)));
        }
        if let Some(since) = state.unreachable_since {
            let (failures, since) = (state.failures, time(since));
            let s = if failures == 1 { "" } else { "s" };
            notes.push(format!("unreachable since {since}: {failures} failure{s} in a row"));
        }
        if !self.has_rules() {
            notes.push(self.policy());
            if let Some(copy) = &state.copy {
                notes.push(format!("its last robots.txt is from {}", time(copy.at)));
            }
        }
        notes.push(if ruling.is_expired {
            let (until, again) = (time(ruling.until), "it is used until the site is asked again");
            match ruling.until <= self.now {
                true => format!("this expired at {until}; {again}"),
                // The clock was wrong when it was fetched, or is now.
                false => format!("this counts as expired, since its time lies ahead; {again}"),
            }
        } else if ruling.next_attempt <= self.now {
            format!("this holds until {}; the site may be asked again now", time(ruling.until))
        } else {
            let (until, next) = (time(ruling.until), time(ruling.next_attempt));
            format!("this holds until {until}; the site may be asked again at {next}")
        });
        notes
    }

    fn tell_copy(&self, copy: &CachedCopy, notes: &mut Vec<String>) {
        let own = format!("{}/robots.txt", self.known.origin);
        let from = copy.final_url.as_deref().unwrap_or(&own);
        let fetched = self.ago(copy.at);
        notes.push(format!("fetched {fetched} from {}", shown(from.as_bytes())));
        if self.ruling.why == Why::CopyWhileUnreachable {
            notes.push(self.policy());
        }
        if copy.is_truncated {
            notes.push(format!(
                "cut at the fetcher's size limit: these are its first {} bytes, which end with the \
                 last whole line",
                copy.len
            ));
        }
    }

    /// A time, and how long ago it was.
    fn ago(&self, at: Timestamp) -> String {
        let age = humantime::format_duration(self.now.since(at));
        format!("{} ({age} ago)", time(at))
    }
}

fn time(at: Timestamp) -> String {
    match at {
        Timestamp(u64::MAX) => "the end of time".to_owned(),
        at => rfc3339(at),
    }
}
