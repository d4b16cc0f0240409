//! What is given by its URL: fetched once, as a crawler fetches a robots.txt, and what the answer
//! means decides.

mod error;
#[cfg(not(feature = "fetch"))]
mod left_out;
#[cfg(feature = "fetch")]
mod web;

use std::fmt;

use robotsieve::{Origin, Profile, SiteKind, Verdict};
use robotsieve_shown::shown;
use url::Url;

use crate::outcome::attempt::has_none;
use crate::outcome::{Attempt, Cause, Condition, Outcome, Protocol, Ruling, Why};
use error::{unanswered, whole};

pub use error::AskError;
#[cfg(not(feature = "fetch"))]
pub use left_out::{LEFT_OUT, Web};
#[cfg(feature = "fetch")]
pub use web::Web;

/// The answer at the URL of a robots.txt.
#[derive(Clone, Debug)]
pub enum RobotsAt {
    /// A file.
    File {
        /// As the site sent it.
        bytes: Vec<u8>,
        /// What is odd about it, as a sentence.
        note: Option<String>,
    },
    /// Something else, which means something.
    Instead(Instead),
}

/// A site's answer in the place of a file. Its `Display` says what that means.
#[derive(Clone, Debug)]
pub struct Instead {
    /// The URL that was asked for.
    pub url: String,
    /// `HTTP 503`, or what went wrong; and from where, if redirects led there.
    pub cause: String,
    /// The verdict on all paths, for all crawlers.
    pub verdict: Verdict,
    /// True if it says that there is no file.
    pub is_absent: bool,
    /// A clause: what follows from it.
    pub meaning: &'static str,
    /// What decides.
    pub why: Why,
}

impl fmt::Display for Instead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Instead { url, cause, meaning, .. } = self;
        write!(f, "{url}: {cause}: {meaning}")
    }
}

/// Asks for the robots.txt at this URL, or of the site with this URL, and says what the answer means
/// in these profiles.
///
/// # Errors
/// Returns an error if the URL is not that of a robots.txt, if there is no answer, or if the answer
/// means different things in the profiles.
pub fn robots_at(name: &str, profiles: &[Profile]) -> Result<RobotsAt, AskError> {
    let given = robots_url(name)?;
    let origin = Origin::of(given.as_str())
        .map_err(|cause| AskError::Wrong(format!("'{}': {cause}", shown(name.as_bytes()))))?;
    let web = Web::of(&given, Some(&given))?;
    let attempt = web.attempt(&origin);
    let url = origin.robots_url();
    let mut meanings = profiles.iter().map(|profile| Meaning::of(&attempt, &url, profile));
    // Every command has a profile.
    let first =
        meanings.next().unwrap_or_else(|| Meaning::of(&attempt, &url, &Profile::RFC9309))?;
    for (meaning, profile) in meanings.zip(profiles.iter().skip(1)) {
        if meaning?.holds != first.holds {
            let name = |profile: &Profile| profile.name().unwrap_or("custom");
            return Err(AskError::Wrong(format!(
                "{url} answered {}, which profile {} reads differently than {}: choose one with \
                 --profile",
                first.cause,
                name(&profiles[0]),
                name(profile),
            )));
        }
    }
    let status = attempt.result.as_ref().ok().map(|response| response.status);
    let is_absent = status.is_some_and(has_none);
    let (verdict, meaning) = match first.holds {
        SiteKind::AllowAll if is_absent => {
            (Verdict::Allow, "there is no robots.txt, so everything is allowed")
        }
        SiteKind::AllowAll => {
            (Verdict::Allow, "that counts as no robots.txt, so everything is allowed")
        }
        _ if status == Some(429) => {
            (Verdict::Disallow, "that counts as a failing server, so nothing is allowed")
        }
        _ => (
            Verdict::Disallow,
            "crawlers take it for a failing server and fetch nothing, so nothing is allowed",
        ),
    };
    match attempt.result {
        Ok(response) if first.holds == SiteKind::Rules => {
            let response = whole(response, &url)?;
            // It is judged like any file, and decoded there.
            Ok(RobotsAt::File { bytes: response.into_sent(), note: first.note(&url) })
        }
        _ => {
            let Meaning { cause, why, .. } = first;
            Ok(RobotsAt::Instead(Instead { url, cause, verdict, is_absent, meaning, why }))
        }
    }
}

/// The URL of the robots.txt that is meant: the one given, or that of the site given.
fn robots_url(name: &str) -> Result<Url, AskError> {
    let wrong = |what: String| AskError::Wrong(format!("'{}' {what}", shown(name.as_bytes())));
    // Parsers take the next part for the host.
    let after = name.split_once("://").map_or("", |(_, after)| after);
    if after.starts_with(['/', '\\', '?', '#']) {
        return Err(wrong("is a URL without a host".into()));
    }
    let mut url = Url::parse(name).map_err(|cause| wrong(format!("is not a URL: {cause}")))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong(
            "has a user name or a password, which no crawler sends: to test such a site, download \
             the file ('curl -u'), and pipe it to '-'"
                .into(),
        ));
    }
    let is_site = url.path() == "/" && url.query().is_none();
    if !is_site && (url.path() != "/robots.txt" || url.query().is_some()) {
        let origin = url.origin().ascii_serialization();
        return Err(wrong(format!(
            "is not where crawlers look for a robots.txt, which is {origin}/robots.txt: give that \
             URL, or download the file ('curl -o robots.txt URL')"
        )));
    }
    url.set_path("/robots.txt");
    url.set_fragment(None);
    Ok(url)
}

/// What an attempt means in a profile.
struct Meaning {
    holds: SiteKind,
    why: Why,
    /// `HTTP 404`, or what went wrong; nothing if there is a robots.txt.
    cause: String,
    condition: Condition,
    /// ` from https://…, where it redirects`, if it does.
    from: String,
}

impl Meaning {
    fn of(attempt: &Attempt, url: &str, profile: &Profile) -> Result<Meaning, AskError> {
        let protocol = Protocol::of(profile);
        let from = attempt.redirects.last().map_or_else(String::new, |last| {
            format!(" from {}, where it redirects", shown(last.to.as_bytes()))
        });
        let state = match protocol.after(None, attempt) {
            Ok(state) => state,
            Err(fault) => return Err(unanswered(url, format!("{fault}{from}"), None)),
        };
        let cause = state.last.why();
        let cause = match &state.last {
            Outcome::Present => String::new(),
            // Crawlers that get no answer fetch nothing, but here it is more likely a mistake.
            Outcome::Unreachable(Cause::Failure(failure)) => {
                let to = attempt.redirects.last().map_or_else(String::new, |last| {
                    format!(" ({}, where it redirects)", shown(last.to.as_bytes()))
                });
                return Err(unanswered(url, format!("{cause}{to}"), Some(failure)));
            }
            Outcome::Absent(Cause::Status(_)) | Outcome::Unreachable(Cause::Status(_)) => {
                format!("{cause}{from}")
            }
            _ => cause,
        };
        let Ruling { holds, why, .. } = protocol.ruling(&state, attempt.at);
        Ok(Meaning { holds, why, cause, condition: state.condition(), from })
    }

    /// What is odd about a file.
    fn note(&self, url: &str) -> Option<String> {
        let from = &self.from;
        (self.condition == Condition::LooksLikeHtml).then(|| {
            format!(
                "{url}: the answer{from} begins like an HTML page; crawlers read the lines that are \
                 rules all the same, and allow everything if there are none"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_or_its_robots_txt() {
        let url =
            |name| robots_url(name).map(|url| url.to_string()).map_err(|wrong| wrong.to_string());
        for name in ["https://e.com", "HTTPS://E.com/", "https://e.com:443/robots.txt#x"] {
            assert_eq!(url(name).as_deref(), Ok("https://e.com/robots.txt"), "{name}");
        }
        for name in [
            "http:///robots.txt",
            "http://\\robots.txt",
            "https://e.com/page",
            "https://e.com/robots.txt?v=2",
            "https://e.com/?x",
            "https://me@e.com/robots.txt",
            "https://",
        ] {
            assert!(url(name).is_err_and(|wrong| wrong.contains(name)), "{name}");
        }
    }
}
