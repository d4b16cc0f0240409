//! What is given by its URL, fetched once.

use std::io;
use std::path::Path;

use robotsieve::{Profile, Verdict};
use robotsieve_client::ask::{AskError, RobotsAt, robots_at};
use robotsieve_client::sitemap::is_url;

use crate::error::Failure;
use crate::known::Known;
use crate::write::stderr;

pub use robotsieve_client::ask::{Instead as Answer, Web};

/// A robots.txt that the command line names.
pub struct Given {
    /// The file, or rules that stand for what a URL answered instead.
    pub bytes: Vec<u8>,
    /// That answer. What is printed names it in the place of a line.
    pub answer: Option<Answer>,
}

impl Given {
    /// What its URL answered in the place of a file: `HTTP 503`.
    pub fn cause(&self) -> Option<&str> {
        self.answer.as_ref().map(|answer| answer.cause.as_str())
    }

    /// Notes what was answered in the place of a file.
    pub fn note(&self) {
        self.answer.iter().for_each(|answer| stderr::note(answer));
    }
}

/// The URL that a name on the command line is, if it is one that can be fetched.
pub fn url(name: &Path) -> Option<&str> {
    name.to_str().filter(|name| is_url(name))
}

/// The robots.txt of a site, given by its URL: the file, or what stands for another answer, for
/// these known crawlers too.
///
/// # Errors
/// Returns an error if the URL is not that of a robots.txt, if there is no answer, or if the answer
/// means different things in the profiles.
pub fn robots(name: &str, profiles: &[Profile], known: &Known) -> Result<Given, Failure> {
    Ok(match robots_at(name, profiles)? {
        RobotsAt::File { bytes, note } => {
            tell(note);
            Given { bytes, answer: None }
        }
        RobotsAt::Instead(answer) => {
            let bytes = match answer.verdict {
                Verdict::Allow => Vec::new(),
                Verdict::Disallow => known.disallow_all(),
            };
            Given { bytes, answer: Some(answer) }
        }
    })
}

/// The same for commands that are about the lines of the file: nothing stands for it. An absent
/// file is empty.
///
/// # Errors
/// Returns an error in the same cases, and if something else than a file was answered.
pub fn robots_text(name: &str) -> Result<Vec<u8>, Failure> {
    match robots_at(name, &[Profile::RFC9309])? {
        RobotsAt::File { bytes, note } => {
            tell(note);
            Ok(bytes)
        }
        RobotsAt::Instead(answer) if answer.is_absent => {
            stderr::note(&answer);
            Ok(Vec::new())
        }
        RobotsAt::Instead(answer) => {
            let cause = format!("{}, so there is no file", answer.cause);
            let advice = None;
            Err(AskError::Unanswered { url: answer.url, cause, advice }.into())
        }
    }
}

fn tell(note: Option<String>) {
    note.iter().for_each(|note| stderr::note(note));
}

impl From<AskError> for Failure {
    fn from(error: AskError) -> Failure {
        let io = |cause: String| io::Error::other(cause);
        match error {
            AskError::Wrong(what) => Failure::Usage(what),
            AskError::Unanswered { url, cause, advice } => {
                let failure = Failure::io(format!("cannot fetch {url}"), io(cause));
                match advice {
                    Some(advice) => failure.advise(advice),
                    None => failure,
                }
            }
            AskError::System(cause) => Failure::io("cannot fetch", io(cause)),
            other => Failure::io("cannot fetch", io(other.to_string())),
        }
    }
}
