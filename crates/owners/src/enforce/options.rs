//! What to write, and for whom.

use robotsieve_known::Purpose;

use super::server::{Approximate, Server};
use crate::block::check_token;
use crate::ranges::{PRIVATE, Ranges};

/// Whom a configuration is for. The default: the crawlers that the file names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Choice {
    /// Also the known crawlers that the file leaves to the group of `*`.
    pub known: bool,
    /// Only the known crawlers of these purposes, named or not, and `crawlers`.
    pub purposes: Vec<Purpose>,
    /// Only the crawlers with these product tokens, named or not, and those of `purposes`.
    pub crawlers: Vec<String>,
    /// Not these.
    pub except: Vec<String>,
}

/// The addresses of a crawler, all of which its operator publishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnAddresses {
    /// Its product token.
    pub token: String,
    /// The addresses.
    pub ranges: Ranges,
    /// When the list was made, as it says itself.
    pub created: Option<String>,
}

impl OwnAddresses {
    /// The crawler and the date, for a comment.
    pub(super) fn title(&self) -> String {
        let created = self.created.as_deref().unwrap_or("a day that the list does not name");
        format!("# {}, as of {created}", self.token())
    }

    pub(super) fn token(&self) -> String {
        self.token.to_ascii_lowercase()
    }

    /// The networks from which its name is not refused: its own, and private ones.
    pub(super) fn networks(&self) -> impl Iterator<Item = String> {
        PRIVATE.map(str::to_owned).into_iter().chain(self.ranges.networks())
    }
}

/// What to write.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// For this server.
    pub server: Server,
    /// Whom it is for.
    pub choice: Choice,
    /// The status of a refusal: 403, 429, 451, or 444 to close the connection without an answer.
    pub status: u16,
    /// Only mark what would be refused, so that it can be logged.
    pub log_only: bool,
    /// What may be written if the server cannot say it exactly. `None`: nothing.
    pub approximate: Option<Approximate>,
    /// Look only at URLs as they were sent, and not also at the paths to which the server resolves them, such as
    /// `/private/` for `/x/../private/`.
    pub as_sent: bool,
    /// Also hold crawlers to the pace that `Crawl-delay` asks for. For nginx and HAProxy.
    pub crawl_delay: bool,
    /// Also refuse who sends the name of one of these crawlers from another address. For nginx, Caddy, Apache and HAProxy.
    pub ranges: Vec<OwnAddresses>,
    /// What the names in the configuration begin with: a letter, then letters and digits, 24 at most.
    pub name: String,
}

/// The longest name: nginx takes 32 bytes, of which the longest ending takes six.
const NAME_BYTES: usize = 24;
/// Beginnings of nginx's own variables.
const RESERVED: [&str; 13] = [
    "arg", "bytes", "cookie", "http", "proxy", "realip", "request", "sent", "server", "ssl",
    "tcpinfo", "time", "upstream",
];

impl Options {
    /// Status 403, exact, for the crawlers that the file names.
    #[must_use]
    pub fn new(server: Server) -> Options {
        Options {
            server,
            choice: Choice::default(),
            status: 403,
            log_only: false,
            approximate: None,
            as_sent: false,
            crawl_delay: false,
            ranges: Vec::new(),
            name: "robots".to_owned(),
        }
    }

    /// Adds the addresses of a crawler. Several lists of one are one list: as old as the older of them, and undated if
    /// one is.
    pub fn add_ranges(&mut self, own: OwnAddresses) {
        let is_it = |other: &&mut OwnAddresses| other.token.eq_ignore_ascii_case(&own.token);
        match self.ranges.iter_mut().find(is_it) {
            Some(other) => {
                other.ranges.add(&own.ranges);
                other.created = other.created.take().min(own.created);
            }
            None => self.ranges.push(own),
        }
    }

    /// Checks the options that not every server can follow.
    ///
    /// # Errors
    /// Returns a clause that says what it cannot do.
    pub fn check(&self) -> Result<(), String> {
        let server = self.server;
        let title = server.title();
        let closes = matches!(server, Server::Nginx | Server::Caddy | Server::Haproxy);
        let marks = matches!(server, Server::Nginx | Server::Apache | Server::Haproxy);
        let mut name = self.name.bytes();
        let is_name = name.next().is_some_and(|first| first.is_ascii_alphabetic())
            && name.all(|byte| byte.is_ascii_alphanumeric())
            && self.name.len() <= NAME_BYTES
            && !RESERVED.contains(&self.name.to_ascii_lowercase().as_str());
        if !is_name {
            return Err(
                "the name of a configuration is a letter, then letters and digits, 24 at most, and no beginning of a variable \
                 of nginx"
                    .to_owned(),
            );
        }
        let choice = &self.choice;
        let own = self.ranges.iter().map(|own| &own.token);
        for name in choice.crawlers.iter().chain(&choice.except).chain(own) {
            check_token(name).map_err(|wrong| wrong.to_string())?;
        }
        match self.status {
            _ if self.crawl_delay
                && let Some(why) = server.no_pace() =>
            {
                Err(format!("what Crawl-delay asks for is written for nginx and HAProxy: {why}"))
            }
            _ if !self.ranges.is_empty()
                && let Some(why) = server.no_addresses() =>
            {
                Err(format!(
                    "what goes by addresses is written for nginx, Caddy, Apache and HAProxy: {why}"
                ))
            }
            _ if self.log_only && !marks => Err(format!(
                "{title} cannot log what would be refused; nginx, Apache and HAProxy can"
            )),
            429 | 451 | 444 if server == Server::Cloudflare => Err(
                "the status of Cloudflare's answers is chosen in its rule, not in the expression"
                    .to_owned(),
            ),
            403 | 429 | 451 => Ok(()),
            444 if closes => Ok(()),
            444 => Err(format!(
                "{title} cannot close a connection without an answer (status 444); choose 403, 429 or 451"
            )),
            _ => Err("the status of a refusal is 403, 429, 451 or 444".to_owned()),
        }
    }
}
