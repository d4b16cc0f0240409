//! Names that no group can match.

use std::fmt;

use crate::profile::{GroupMatch, Profile, TokenBytes};
use crate::read::token::{looked_up, token};
use crate::read::user_agent::UserAgent;

/// A crawler's name that names nothing: no `User-agent` line matches it, or it is a whole header.
///
/// [`Crawler::try_name`](crate::Crawler::try_name) returns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameError {
    name: Box<[u8]>,
    probably_meant: Option<Box<[u8]>>,
    fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// It has the parentheses or semicolons of a header.
    Header,
    /// It is a URL or a path.
    Url,
    /// It has what stands between names: white space or a slash.
    Parted,
    /// It has another byte that no token has.
    Byte,
}

impl NameError {
    /// Checks whether a group of a robots.txt can name a crawler so.
    ///
    /// # Errors
    /// Returns an error if no group can, in this profile.
    pub fn check(name: &[u8], profile: &Profile) -> Result<(), NameError> {
        let has = |bytes: &[u8]| name.iter().any(|byte| bytes.contains(byte));
        let fault = if has(b"();") {
            Fault::Header
        } else if can_match(name, profile) {
            return Ok(());
        } else if is_url(name) {
            Fault::Url
        } else if has(b"/ \t\n\r\x0B\x0C") {
            Fault::Parted
        } else {
            Fault::Byte
        };
        let first = || UserAgent::read(name).names().first().map(|first| first.name);
        let line = token(name.trim_ascii(), profile.token_bytes);
        let meant = match fault {
            Fault::Header => first(),
            Fault::Url => None,
            _ if line.is_empty() => first(),
            _ => Some(line),
        };
        let is_name = |meant: &&[u8]| can_match(meant, profile);
        let probably_meant = meant.filter(is_name).map(Box::from);
        Err(NameError { name: name.into(), probably_meant, fault })
    }

    /// The name.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// The name that was probably meant. Of a header it is the surest name in it. Otherwise it is
    /// the product token of a robots.txt line with this name: `GPTBot` for `GPTBot/1.0`, `Sogou`
    /// for `Sogou web spider`. `None` if the name is a URL.
    pub fn probably_meant(&self) -> Option<&[u8]> {
        self.probably_meant.as_deref()
    }

    /// Returns true if the name is a whole User-Agent header, or a part of one: it has parentheses or
    /// semicolons. [`Crawler::from_user_agent`](crate::Crawler::from_user_agent) reads headers.
    pub fn is_header(&self) -> bool {
        self.fault == Fault::Header
    }

    /// Returns true if the name is evidently none: a header, a URL, or it has white space or a slash. If
    /// not, it is one word, with a byte that no product token has.
    pub fn is_evident(&self) -> bool {
        self.fault != Fault::Byte
    }
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = String::from_utf8_lossy(&self.name);
        if self.is_header() {
            write!(f, "'{name}' is a User-Agent header, not a crawler's name")?;
        } else if self.fault == Fault::Url {
            write!(f, "'{name}' is a URL, not a crawler's name: name the crawler first")?;
        } else {
            write!(f, "'{name}' is not a product token, so no group can name it")?;
        }
        match &self.probably_meant {
            Some(meant) => write!(f, "; did you mean '{}'?", String::from_utf8_lossy(meant)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for NameError {}

/// Returns true for a URL or a path, in the place where the crawler is named.
fn is_url(name: &[u8]) -> bool {
    let is_word = !name.iter().any(u8::is_ascii_whitespace);
    is_word && (name.starts_with(b"/") || memchr::memmem::find(name, b"://").is_some())
}

/// Returns true if some user-agent line can name a crawler with this name. The empty name and `*` stand
/// for a crawler that no group names.
fn can_match(name: &[u8], profile: &Profile) -> bool {
    if name.is_empty() || name == b"*" {
        return true;
    }
    // A token never begins or ends with white space.
    let is_token = |name: &[u8]| token(name, profile.token_bytes) == name;
    match profile.group_match {
        GroupMatch::Equal => is_token(name),
        GroupMatch::LongestPrefix => is_token(&name[..1]),
        GroupMatch::FirstSubstring => {
            let name = looked_up(name, profile.group_match);
            profile.token_bytes == TokenBytes::UpToSlash && !name.is_empty()
                || name.iter().any(|byte| is_token(&[*byte]))
        }
    }
}
