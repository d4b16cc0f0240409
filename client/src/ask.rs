//! What is given by its URL: fetched once, as a crawler fetches a robots.txt, and what the answer
//! means decides.

use std::error::Error;
use std::net::IpAddr;
use std::time::Duration;
use std::{fmt, io};

use robotsieve::{Origin, Profile, SiteKind, Verdict};
use robotsieve_shown::shown;
use tokio::runtime::{self, Runtime};
use url::{Host, Url};

use crate::fetch::Fetcher;
use crate::network::{IpNetwork, is_public};
use crate::outcome::{Attempt, Cause, Condition, Failure, Outcome, Protocol, Response};

/// The header of these requests.
const USER_AGENT: &str =
    concat!("robotsieve/", env!("CARGO_PKG_VERSION"), " (+", env!("CARGO_PKG_REPOSITORY"), ")");

/// The most that is read of a file, in bytes.
const MAX_BYTES: usize = 64 << 20;

/// How long all of it may take.
const TIME: Duration = Duration::from_secs(30);

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

/// Why nothing can be said of a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AskError {
    /// It is the wrong URL, or the answer means different things in the profiles.
    Wrong(String),
    /// There is no answer, or none with a file that is whole.
    Unanswered {
        /// The URL.
        url: String,
        /// Why.
        cause: String,
        /// What the user can do about it.
        advice: Option<&'static str>,
    },
    /// The system does not allow it.
    System(String),
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskError::Wrong(what) => f.write_str(what),
            AskError::Unanswered { url, cause, advice: None } => {
                write!(f, "cannot fetch {url}: {cause}")
            }
            AskError::Unanswered { url, cause, advice: Some(advice) } => {
                write!(f, "cannot fetch {url}: {cause}; {advice}")
            }
            AskError::System(cause) => write!(f, "cannot fetch: {cause}"),
        }
    }
}

impl Error for AskError {}

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
    let attempt = web.runtime.block_on(web.fetcher.fetch(&origin, None));
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
    let is_absent = matches!(status, Some(404 | 410));
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
            Ok(RobotsAt::Instead(Instead { url, cause: first.cause, verdict, is_absent, meaning }))
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
        let holds = protocol.ruling(&state, attempt.at).holds;
        Ok(Meaning { holds, cause, condition: state.condition(), from })
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

/// The whole answer.
fn whole(response: Response, url: &str) -> Result<Response, AskError> {
    if !response.is_truncated {
        return Ok(response);
    }
    Err(unanswered(url, "it is longer than 64 MiB".to_owned(), None))
}

fn unanswered(url: &str, cause: String, failure: Option<&Failure>) -> AskError {
    let advice = match failure {
        Some(Failure::Dns(_)) => Some("check the name of the host"),
        Some(Failure::Refused(_)) => Some(
            "an address that is not public is asked only if the URL given names it itself, or \
             localhost: give the URL with that address, or download the file and give that",
        ),
        _ => None,
    };
    AskError::Unanswered { url: shown(url.as_bytes()), cause: shown(cause.as_bytes()), advice }
}

/// Fetches what belongs to one site.
pub struct Web {
    runtime: Runtime,
    fetcher: Fetcher,
}

impl Web {
    /// For a URL, and the one that the user gave, which may be another: that of the file that names
    /// this one. If the URL given names an address that is not public, or this machine, that one is
    /// asked and no other: neither files nor redirects nor names lead elsewhere in a private network.
    ///
    /// # Errors
    /// Returns an error if the system does not allow it.
    pub fn of(url: &Url, given: Option<&Url>) -> Result<Web, AskError> {
        let failed = |cause: io::Error| AskError::System(cause.to_string());
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(failed)?;
        let _entered = runtime.enter();
        let private = given.map(private).unwrap_or_default();
        let is_private = !private.is_empty();
        let builder = Fetcher::builder(USER_AGENT)
            .total_timeout(TIME)
            .max_wire_bytes(MAX_BYTES)
            .max_body_bytes(MAX_BYTES)
            .allow_networks(private);
        let builder = if is_private {
            // There sites are on any port.
            builder.redirect_ports(1..=u16::MAX)
        } else {
            builder.redirect_ports([80, 443].into_iter().chain(url.port()))
        };
        let fetcher = builder.build().map_err(|cause| failed(io::Error::other(cause)))?;
        drop(_entered);
        Ok(Web { runtime, fetcher })
    }

    /// The body of a file at this URL, and the URL to which redirects led.
    ///
    /// # Errors
    /// Returns an error if there is no answer, or none with a file of at most 64 MiB.
    pub fn get(&self, url: Url) -> Result<(Vec<u8>, String), AskError> {
        let name = url.to_string();
        let attempt = self.runtime.block_on(self.fetcher.get(&name));
        match attempt.result {
            Ok(response) if response.is_file() => {
                let end = attempt.redirects.last().map(|redirect| redirect.to.clone());
                whole(response, &name).map(|response| (response.body, end.unwrap_or(name)))
            }
            Ok(response) => Err(unanswered(&name, format!("HTTP {}", response.status), None)),
            Err(failure) => Err(unanswered(&name, failure.to_string(), Some(&failure))),
        }
    }
}

/// The addresses that are not public and that a URL names: one, or those of this machine.
fn private(url: &Url) -> Vec<IpNetwork> {
    let one = |address: IpAddr| match is_public(address) {
        true => Vec::new(),
        false => vec![IpNetwork::from(address)],
    };
    match url.host() {
        Some(Host::Ipv4(address)) => one(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => one(IpAddr::V6(address)),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            let is_here = name == "localhost" || name.ends_with(".localhost");
            let here = ["127.0.0.1/32", "::1/128"].into_iter().filter(|_| is_here);
            here.filter_map(|network| network.parse().ok()).collect()
        }
        None => Vec::new(),
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

    #[test]
    fn private_only_if_named() {
        for (name, networks) in [
            ("http://127.0.0.1:8080/", "127.0.0.1/32"),
            ("http://[::1]/", "::1/128"),
            ("http://localhost/", "127.0.0.1/32 ::1/128"),
            ("http://shop.localhost./", "127.0.0.1/32 ::1/128"),
            ("http://notlocalhost/", ""),
            ("http://192.168.1.1/", "192.168.1.1/32"),
            ("http://8.8.8.8/", ""),
            ("http://intranet/", ""),
        ] {
            let private = private(&Url::parse(name).unwrap());
            let private: Vec<String> = private.iter().map(ToString::to_string).collect();
            assert_eq!(private.join(" "), networks, "{name}");
        }
    }
}
