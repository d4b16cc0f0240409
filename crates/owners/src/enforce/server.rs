//! The servers, and what each can say.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::pattern::{Paths, Syntax};

/// In which direction a configuration may differ from the file where the server cannot say it
/// exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Approximate {
    /// It may refuse more.
    Stricter,
    /// It may refuse less.
    Looser,
}

/// A web server, proxy or service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Server {
    /// nginx, from 1.11 on.
    Nginx,
    /// Caddy, from 2.6 on.
    Caddy,
    /// Apache httpd, from 2.4 on, with mod_rewrite.
    Apache,
    /// HAProxy, from 2.4 on.
    Haproxy,
    /// Traefik, from 3.4 on.
    Traefik,
    /// Cloudflare: an expression of its Rules language.
    Cloudflare,
}

/// The longest delay that is written for HAProxy, and the longest that is read.
pub(super) const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Each server with its name, its title, and what is printed for it.
const TABLE: [(Server, &str, &str, &str); 6] = [
    (Server::Nginx, "nginx", "nginx", "A file to include in the block http"),
    (Server::Caddy, "caddy", "Caddy", "A snippet to import into site blocks"),
    (Server::Apache, "apache", "Apache", "Rules for mod_rewrite, in a virtual host or .htaccess"),
    (Server::Haproxy, "haproxy", "HAProxy", "Lines for a frontend"),
    (Server::Traefik, "traefik", "Traefik", "Dynamic configuration in YAML; it sees no queries"),
    (Server::Cloudflare, "cloudflare", "Cloudflare", "An expression for a custom rule"),
];

impl Server {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Server> {
        TABLE.iter().map(|(server, ..)| *server)
    }

    /// The name in options: `nginx`.
    pub fn as_str(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// The name in sentences: `nginx`, `HAProxy`.
    pub fn title(self) -> &'static str {
        TABLE[self as usize].2
    }

    /// What is printed for it, in a few words.
    pub fn about(self) -> &'static str {
        TABLE[self as usize].3
    }

    /// Whether it sees URLs as they were sent, in every spelling. Else it sees their normal form.
    pub(super) fn sees_spellings(self) -> bool {
        !matches!(self, Server::Traefik | Server::Cloudflare)
    }

    /// Whether it can look for words: else it finds a name anywhere.
    pub(super) fn tells_words(self) -> bool {
        self != Server::Cloudflare
    }

    /// Whether it, or the server behind it, resolves paths that it sees as they were sent.
    pub(super) fn resolves(self) -> bool {
        self.sees_spellings()
    }

    /// Whether its expressions see the path without the query.
    pub(super) fn sees_path_only(self) -> bool {
        self == Server::Traefik
    }

    /// What its patterns can say.
    pub(super) fn syntax(self, approximate: Option<Approximate>) -> Syntax {
        let pcre = matches!(self, Server::Nginx | Server::Apache | Server::Haproxy);
        let paths = match approximate {
            None => Paths::AsTheyAre,
            Some(approximate) => Paths::Widen { refuses: approximate == Approximate::Stricter },
        };
        Syntax {
            pcre,
            joins: self != Server::Cloudflare,
            // A word in a configuration of nginx has 4,096 bytes at most.
            bytes_at_most: if self == Server::Nginx { 3_900 } else { 20_000 },
            paths: self.sees_path_only().then_some(paths),
        }
    }

    /// Why nothing is written that holds crawlers to a pace, and the way out.
    pub(super) fn no_pace(self) -> Option<&'static str> {
        match self {
            Server::Nginx | Server::Haproxy => None,
            Server::Apache => Some(
                "no module in Apache's distribution counts the requests of a crawler; put one of these before it",
            ),
            Server::Caddy => {
                Some("Caddy counts requests only with a plugin; put one of these before it")
            }
            Server::Traefik => Some(
                "Traefik's middleware counts by address, not by crawler; put one of these before it",
            ),
            Server::Cloudflare => Some(
                "the pace is chosen in a rate limiting rule of Cloudflare, not in an expression",
            ),
        }
    }

    /// A clause about a delay that may count as a shorter one.
    pub(super) fn counts_shorter(self, delay: Duration) -> Option<&'static str> {
        match self {
            Server::Nginx if delay > Duration::from_secs(60) => {
                Some("nginx counts no slower than one request a minute")
            }
            Server::Haproxy if delay >= LONGEST => Some("a longer delay counts as a day"),
            _ => None,
        }
    }

    /// Why nothing is written that goes by addresses, and the way out.
    pub(super) fn no_addresses(self) -> Option<&'static str> {
        match self {
            Server::Nginx | Server::Caddy | Server::Apache | Server::Haproxy => None,
            Server::Traefik => Some("no configuration of Traefik for it was tried"),
            Server::Cloudflare => Some(
                "Cloudflare finds names anywhere in a header, so others than impostors would be refused; its field cf.client.bot tells \
                 crawlers that it verified",
            ),
        }
    }

    /// What it needs behind a proxy to see the addresses of clients.
    pub(super) fn sees_clients_by(self) -> &'static str {
        match self {
            Server::Apache => "mod_remoteip",
            Server::Haproxy => "http-request set-src",
            Server::Caddy => "trusted_proxies and client_ip (not remote_ip)",
            _ => "set_real_ip_from and real_ip_header",
        }
    }

    /// What is to be known of it, in sentences.
    pub(super) fn notes(self) -> Vec<String> {
        let note = match self {
            Server::Nginx | Server::Caddy | Server::Apache | Server::Haproxy => return Vec::new(),
            Server::Traefik => {
                "Traefik normalises the paths of requests from version 3.4 on; this was proven for such paths, and \
                 not tried with Traefik itself"
            }
            Server::Cloudflare => {
                "paste the expression into a custom rule with the action Block. Cloudflare finds names anywhere in a \
                 header, and normalises paths but not queries; this was not tried with Cloudflare itself"
            }
        };
        vec![note.to_owned()]
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The error for a name that is no server's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownServer(());

impl fmt::Display for UnknownServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Server::all().map(Server::as_str).collect();
        write!(f, "no server has this name; there are {}", names.join(", "))
    }
}

impl std::error::Error for UnknownServer {}

impl FromStr for Server {
    type Err = UnknownServer;

    fn from_str(name: &str) -> Result<Server, UnknownServer> {
        Server::all().find(|server| server.as_str() == name).ok_or(UnknownServer(()))
    }
}
