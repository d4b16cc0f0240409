//! Who sends User-Agent headers, remembered.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use robotsieve::{Policy, UserAgent};

use super::crawlers::{Asker, Name};
use super::escapes::undone;
use super::settings::Audit;

/// The most headers that are remembered with their crawler, and the most bytes of them.
const HEADERS: usize = 1 << 16;
const HEADERS_BYTES: usize = 16 << 20;

/// Who sends a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// No crawler.
    Other,
    /// One whose requests are not judged.
    NotChosen {
        /// The place of a known one in [`Senders::crawlers`]: what it is answered for /robots.txt holds for others.
        number: Option<usize>,
    },
    Crawler {
        /// The place in [`Senders::crawlers`].
        number: usize,
        /// The place of its policies.
        policies: usize,
    },
}

/// A crawler that sent a header.
#[derive(Clone, Debug)]
pub struct Sent<'a> {
    pub name: Name<'a>,
    /// The place of its addresses, if they are known.
    pub verified: Option<usize>,
    /// The place of the first one that asks for /robots.txt together with it.
    pub asker: usize,
}

/// The senders of headers that a thread remembers.
#[derive(Debug)]
pub struct Senders<'a> {
    audit: &'a Audit<'a>,
    /// By header, as the logs have it.
    senders: HashMap<Box<[u8]>, Sender, RandomState>,
    bytes: usize,
    pub crawlers: Vec<Sent<'a>>,
    /// Places in `crawlers`, by token as it is written: another block may have had another spelling first.
    by_token: HashMap<Arc<str>, usize>,
    /// The first of them, by who asks for /robots.txt.
    firsts: HashMap<Asker, usize>,
    /// Policies for each file; no two of these are the same.
    policies: Vec<Vec<Policy>>,
}

impl<'a> Senders<'a> {
    pub fn new(audit: &'a Audit<'a>) -> Senders<'a> {
        Senders {
            audit,
            senders: HashMap::default(),
            bytes: 0,
            crawlers: Vec::new(),
            by_token: HashMap::new(),
            firsts: HashMap::new(),
            policies: Vec::new(),
        }
    }

    /// Forgets all headers if they are many. Numbers that were given before are void then.
    pub fn make_room(&mut self) {
        if self.senders.len() >= HEADERS || self.bytes >= HEADERS_BYTES {
            *self = Senders::new(self.audit);
        }
    }

    /// Who sends this header, given as the log has it.
    #[inline]
    pub fn sender(&mut self, header: &[u8]) -> Sender {
        match self.senders.get(header) {
            Some(sender) => *sender,
            None => self.new_sender(header),
        }
    }

    #[cold]
    fn new_sender(&mut self, header: &[u8]) -> Sender {
        let sender = match self.audit.crawlers.look_up(&undone(header)) {
            None => Sender::Other,
            Some((name, _)) if !self.audit.is_chosen(&name) => {
                let is_known = name.known().is_some();
                Sender::NotChosen { number: is_known.then(|| self.number(name)) }
            }
            Some((name, policies)) => {
                Sender::Crawler { number: self.number(name), policies: self.place(policies) }
            }
        };
        if header.len() <= UserAgent::LIMIT_BYTES {
            self.bytes += header.len();
            self.senders.insert(header.into(), sender);
        }
        sender
    }

    fn number(&mut self, name: Name<'a>) -> usize {
        if let Some(number) = self.by_token.get(name.token()) {
            return *number;
        }
        let number = self.crawlers.len();
        self.by_token.insert(name.token().into(), number);
        let asker = *self.firsts.entry(name.asker()).or_insert(number);
        let verified = self.audit.verified_at(name.token());
        self.crawlers.push(Sent { name, verified, asker });
        number
    }

    /// The place of these policies.
    fn place(&mut self, policies: Vec<Policy>) -> usize {
        let are_same = |there: &Vec<Policy>| there.iter().zip(&policies).all(|(a, b)| a.is_same(b));
        self.policies.iter().position(are_same).unwrap_or_else(|| {
            self.policies.push(policies);
            self.policies.len() - 1
        })
    }

    /// The policy at this place for a file.
    pub fn policy(&self, policies: usize, file: usize) -> &Policy {
        &self.policies[policies][file]
    }
}

#[cfg(test)]
mod tests {
    use robotsieve::{Profile, Robots};
    use robotsieve_known::KnownCrawlers;

    use super::*;
    use crate::audit::Version;

    const FILE: &[u8] = b"User-agent: FooReader\nDisallow: /foo\n\nUser-agent: *\nDisallow: /all\n";

    fn audit(known: &KnownCrawlers) -> Audit<'_> {
        let robots = Robots::parse(FILE, &Profile::RFC9309);
        Audit::new(vec![Version::new("robots.txt", robots)], known, |_, _| true)
    }

    #[test]
    fn crawlers_are_remembered() {
        let audit = audit(KnownCrawlers::built_in());
        let mut senders = Senders::new(&audit);
        for (header, number, policies) in [
            ("GPTBot/1.1", 0, 0),
            (r"Mozilla/5.0 (compatible; Qu\x75x/1.0; +http://quux.example/)", 1, 0),
            ("FooReader/1.0", 2, 1),
            ("Quux/2.0 +http", 1, 0),
            ("x; gptbot", 0, 0),
            // As it is written.
            ("fooreader/1.0", 3, 1),
        ] {
            for _ in 0..2 {
                let wanted = Sender::Crawler { number, policies };
                assert_eq!(senders.sender(header.as_bytes()), wanted, "{header}");
            }
        }
        assert_eq!(senders.sender(b"Mozilla/5.0 (X11) Firefox/140.0"), Sender::Other);
        assert_eq!(senders.crawlers[1].name.token(), "Quux");
    }

    #[test]
    fn any_number_of_headers() {
        let known = KnownCrawlers::default();
        let audit = audit(&known);
        let mut senders = Senders::new(&audit);
        for number in 0..HEADERS + 10 {
            senders.make_room();
            senders.sender(format!("A{number}bot/1.0").as_bytes());
        }
        assert_eq!((senders.senders.len(), senders.crawlers.len()), (10, 10));
        let long = [b"bot ".repeat(UserAgent::LIMIT_BYTES / 4), b"x".to_vec()].concat();
        senders.sender(&long);
        assert_eq!(senders.senders.len(), 10);
    }
}
