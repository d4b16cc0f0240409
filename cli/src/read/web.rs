//! What is given by its URL: fetched once, as a crawler fetches a robots.txt, and what the answer
//! means decides.

use std::io;
use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use robotsieve::{Origin, Profile};
use robotsieve_client::fetch::{Fetcher, is_public};
use robotsieve_client::outcome::{
    Attempt, Cause, Condition, Failure as Unanswered, Holds, Outcome, Protocol, Response, Ruling,
};
use tokio::runtime::{self, Runtime};
use url::{Host, Url};

use crate::error::Failure;
use crate::fetch;
use crate::write::bytes::shown;
use crate::write::stderr;

/// The header of these requests. A crawler's own header is for 'robotsieve fetch'.
const USER_AGENT: &str =
    concat!("robotsieve/", env!("CARGO_PKG_VERSION"), " (+", env!("CARGO_PKG_REPOSITORY"), ")");

/// The most that is read of a file, in bytes.
const MAX_BYTES: usize = 64 << 20;

/// How long all of it may take.
const TIME: Duration = Duration::from_secs(30);

/// What stands for "nothing is allowed".
const DISALLOW_ALL: &[u8] = b"User-agent: *\nDisallow: /\n";

/// The URL that a name on the command line is, if it is one that can be fetched.
pub fn url(name: &Path) -> Option<&str> {
    let name = name.to_str()?;
    let begins = |scheme: &str| {
        name.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    (begins("http://") || begins("https://")).then_some(name)
}

/// The robots.txt of a site, given by its URL: the file, or two lines that stand for an answer
/// which forbids everything. Notes on standard error say what the answer means.
///
/// # Errors
/// Returns an error if the URL is not that of a robots.txt, if there is no answer, or if the answer
/// means different things in the profiles.
pub fn robots(name: &str, profiles: &[Profile]) -> Result<Vec<u8>, Failure> {
    Ok(match answer(name, profiles)? {
        (Answer::File(bytes), _) => bytes,
        (Answer::Absent | Answer::AllowAll, note) => {
            stderr::note(&note);
            Vec::new()
        }
        (Answer::DisallowAll, note) => {
            stderr::note(&format_args!("{note}: read as 'User-agent: *', 'Disallow: /'"));
            DISALLOW_ALL.to_vec()
        }
    })
}

/// The same for commands that are about the lines of the file: nothing stands for it. An absent
/// file is empty.
///
/// # Errors
/// Returns an error in the same cases, and if something else than a file was answered.
pub fn robots_text(name: &str) -> Result<Vec<u8>, Failure> {
    match answer(name, &[Profile::RFC9309])? {
        (Answer::File(bytes), _) => Ok(bytes),
        (Answer::Absent, note) => {
            stderr::note(&note);
            Ok(Vec::new())
        }
        (_, note) => Err(Failure::Incomplete(format!("{note}, but there is no file to read"))),
    }
}

/// What a site answered.
enum Answer {
    File(Vec<u8>),
    /// There is none, and everything is allowed.
    Absent,
    /// Something else that allows everything.
    AllowAll,
    DisallowAll,
}

/// Asks, and says what the answer means.
fn answer(name: &str, profiles: &[Profile]) -> Result<(Answer, String), Failure> {
    let given = robots_url(name)?;
    let origin = Origin::of(given.as_str())
        .map_err(|cause| Failure::Usage(format!("'{}': {cause}", shown(name.as_bytes()))))?;
    let web = Web::of(&given)?;
    let attempt = web.runtime.block_on(web.fetcher.fetch(&origin, None));
    let url = origin.robots_url();
    let mut meanings = profiles.iter().map(|profile| Meaning::of(&attempt, &url, profile));
    // Every command has a profile.
    let Some(first) = meanings.next() else { return Ok((Answer::AllowAll, String::new())) };
    let first = first?;
    for (meaning, profile) in meanings.zip(&profiles[1..]) {
        if meaning?.ruling.holds != first.ruling.holds {
            let name = |profile: &Profile| profile.name().unwrap_or("custom");
            return Err(Failure::Usage(format!(
                "{url} answered {}, which profile {} reads differently than {}: choose one with \
                 --profile",
                first.cause,
                name(&profiles[0]),
                name(profile),
            )));
        }
    }
    let (what, answer) = match (first.ruling.holds, attempt.result) {
        (Holds::Rules, Ok(response)) => {
            let response = whole(response, &url)?;
            first.note(&response, &url);
            return Ok((Answer::File(response.body), String::new()));
        }
        (Holds::AllowAll, Ok(Response { status: 404 | 410, .. })) => {
            ("everything is allowed", Answer::Absent)
        }
        (Holds::AllowAll, _) => ("everything is allowed", Answer::AllowAll),
        _ => ("nothing is allowed", Answer::DisallowAll),
    };
    Ok((answer, format!("{url}: {}: {}, so {what}", first.cause, first.ruling.why)))
}

/// The URL of the robots.txt that is meant: the one given, or that of the site given.
fn robots_url(name: &str) -> Result<Url, Failure> {
    let wrong = |what: String| Failure::Usage(format!("'{}' {what}", shown(name.as_bytes())));
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
    ruling: Ruling,
    /// `HTTP 404`, or what went wrong; nothing if there is a robots.txt.
    cause: String,
    condition: Condition,
    /// Where it is, if redirects led there.
    final_url: Option<String>,
}

impl Meaning {
    fn of(attempt: &Attempt, url: &str, profile: &Profile) -> Result<Meaning, Failure> {
        let protocol = Protocol::of(profile);
        let state = match protocol.after(None, attempt) {
            Ok(state) => state,
            Err(fault) => return Err(unanswered(url, fault.to_string(), None)),
        };
        // Crawlers that get no answer fetch nothing, but here it is more likely a mistake.
        if let Outcome::Unreachable(Cause::Failure(failure)) = &state.last {
            return Err(unanswered(url, fetch::cause(&state.last), Some(failure)));
        }
        Ok(Meaning {
            ruling: protocol.ruling(&state, attempt.at),
            cause: fetch::cause(&state.last),
            condition: state.condition(),
            final_url: state.copy.and_then(|copy| copy.final_url),
        })
    }

    /// What is odd about a file.
    fn note(&self, response: &Response, url: &str) {
        if let Some(to) = &self.final_url {
            stderr::note(&format_args!("{url} leads to {}", shown(to.as_bytes())));
        }
        if self.condition == Condition::LooksLikeHtml {
            stderr::note(&format_args!(
                "{url} begins like an HTML page; crawlers read the lines that are rules all the \
                 same, and allow everything if there are none"
            ));
        }
        if response.is_transcoded {
            stderr::note(&format_args!(
                "{url} came in UTF-16 and is read as that: crawlers that read it as UTF-8, as the \
                 standard says, find no rule in it and may fetch everything"
            ));
        }
    }
}

/// The whole answer.
fn whole(response: Response, url: &str) -> Result<Response, Failure> {
    if !response.is_truncated {
        return Ok(response);
    }
    let cause = io::Error::new(io::ErrorKind::InvalidData, "it is longer than 64 MiB");
    Err(Failure::io(format!("cannot fetch {url}"), cause))
}

fn unanswered(url: &str, cause: String, failure: Option<&Unanswered>) -> Failure {
    let failed = Failure::io(
        format!("cannot fetch {}", shown(url.as_bytes())),
        io::Error::other(shown(cause.as_bytes()).to_string()),
    );
    match failure {
        Some(Unanswered::Dns(_)) => failed.advise("check the name of the host"),
        Some(Unanswered::Refused(_)) => failed.advise(
            "a private address is asked only if the URL names it itself, or localhost: do that, or \
             download the file and give that",
        ),
        _ => failed,
    }
}

/// Fetches what belongs to one site.
pub struct Web {
    runtime: Runtime,
    fetcher: Fetcher,
}

impl Web {
    /// For a URL that the user has named, and whatever it names. Private addresses are asked if
    /// this URL names one itself, and no others: neither redirects nor names lead there.
    ///
    /// # Errors
    /// Returns an error if the system does not allow it.
    pub fn of(named: &Url) -> Result<Web, Failure> {
        let failed = |cause| Failure::io("cannot fetch", cause);
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(failed)?;
        let _entered = runtime.enter();
        let is_private = names_private(named);
        let builder = Fetcher::builder(USER_AGENT)
            .total_timeout(TIME)
            .max_wire_bytes(MAX_BYTES)
            .max_body_bytes(MAX_BYTES)
            .allow_private(is_private);
        let builder = if is_private {
            // There sites are on any port.
            builder.redirect_ports(1..=u16::MAX)
        } else {
            builder.redirect_ports([80, 443].into_iter().chain(named.port()))
        };
        let fetcher = builder.build().map_err(|cause| failed(io::Error::other(cause)))?;
        drop(_entered);
        Ok(Web { runtime, fetcher })
    }

    /// The body of a file at this URL, and the URL to which redirects led.
    ///
    /// # Errors
    /// Returns an error if there is no answer, or none with a file of at most 64 MiB.
    pub fn get(&self, url: Url) -> Result<(Vec<u8>, String), Failure> {
        let name = url.to_string();
        let attempt = self.runtime.block_on(self.fetcher.get(url));
        match attempt.result {
            Ok(response) if (200..300).contains(&response.status) => {
                let end = attempt.redirects.last().map(|redirect| redirect.to.clone());
                whole(response, &name).map(|response| (response.body, end.unwrap_or(name)))
            }
            Ok(response) => Err(unanswered(&name, format!("HTTP {}", response.status), None)),
            Err(failure) => Err(unanswered(&name, failure.to_string(), Some(&failure))),
        }
    }
}

/// Whether a URL names an address that is not public, or this machine.
fn names_private(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => !is_public(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => !is_public(IpAddr::V6(address)),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
        None => false,
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
        for (name, is_private) in [
            ("http://127.0.0.1:8080/", true),
            ("http://[::1]/", true),
            ("http://localhost/", true),
            ("http://shop.localhost./", true),
            ("http://notlocalhost/", false),
            ("http://192.168.1.1/", true),
            ("http://8.8.8.8/", false),
            ("http://intranet/", false),
        ] {
            let url = Url::parse(name).map(|url| names_private(&url));
            assert_eq!(url, Ok(is_private), "{name}");
        }
    }
}
