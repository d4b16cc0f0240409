//! The crawlers that send User-Agent headers, and what each of them did.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use super::escapes::undone;
use super::tally::Tally;
use crate::known::{KnownCrawler, KnownCrawlers};
use crate::policy::Policy;
use crate::policy::robots::Robots;
use crate::read::crawler::Crawler;
use crate::read::user_agent::UserAgent;

/// The most unknown crawlers that are told apart. A log of hostile headers has any number.
pub const UNKNOWN: usize = 1_000;

/// The most headers that are remembered with their crawler, and the most bytes of them.
const HEADERS: usize = 1 << 16;
const HEADERS_BYTES: usize = 16 << 20;

/// Who sends a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// No crawler.
    Other,
    Crawler {
        /// The place in [`Crawlers::all`].
        number: usize,
        /// The place of its policies.
        policies: usize,
    },
}

/// A crawler in the log.
#[derive(Debug)]
pub struct Found {
    pub kind: Kind,
    pub tally: Tally,
}

/// The knowledge of a crawler.
#[derive(Debug)]
pub enum Kind {
    Known(Box<KnownCrawler>),
    /// Its token, as the first of its headers has it.
    Unknown(String),
    /// All others that are not known, beyond [`UNKNOWN`].
    More,
}

impl Found {
    pub fn name(&self) -> &str {
        match &self.kind {
            Kind::Known(known) => &known.name,
            Kind::Unknown(token) => token,
            Kind::More => "more unknown crawlers",
        }
    }

    pub fn known(&self) -> Option<&KnownCrawler> {
        match &self.kind {
            Kind::Known(known) => Some(known),
            _ => None,
        }
    }
}

/// The crawlers in the logs.
#[derive(Debug)]
pub struct Crawlers<'a> {
    known: &'a KnownCrawlers,
    files: Vec<Robots<'a>>,
    /// The product tokens of all files, in lower case.
    tokens: HashSet<Vec<u8>>,
    /// By header, as the logs have it.
    senders: HashMap<Box<[u8]>, Sender, RandomState>,
    senders_bytes: usize,
    pub all: Vec<Found>,
    /// Places in `all`, by token in lower case.
    by_token: HashMap<String, usize>,
    unknown: usize,
    /// The place of [`Kind::More`] in `all`.
    more: Option<usize>,
    /// Policies for each file; no two of these are the same.
    policies: Vec<Vec<Policy>>,
}

impl<'a> Crawlers<'a> {
    pub fn new(known: &'a KnownCrawlers, files: Vec<Robots<'a>>) -> Crawlers<'a> {
        let tokens = files.iter().flat_map(Robots::tokens).map(<[u8]>::to_ascii_lowercase);
        let tokens = tokens.collect();
        Crawlers {
            known,
            files,
            tokens,
            senders: HashMap::default(),
            senders_bytes: 0,
            all: Vec::new(),
            by_token: HashMap::new(),
            unknown: 0,
            more: None,
            policies: Vec::new(),
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
        let sender = self.look_up(&undone(header));
        if header.len() <= UserAgent::LIMIT_BYTES {
            if self.senders.len() >= HEADERS || self.senders_bytes >= HEADERS_BYTES {
                self.senders.clear();
                self.senders_bytes = 0;
            }
            self.senders_bytes += header.len();
            self.senders.insert(header.into(), sender);
        }
        sender
    }

    fn look_up(&mut self, header: &[u8]) -> Sender {
        if let Some(known) = self.known.by_header(header) {
            let token = known.token.to_ascii_lowercase();
            let policies = self.files.iter().map(|file| known.policy(file)).collect();
            let kind = || Kind::Known(Box::new(known.clone()));
            let number = match self.by_token.get(&token) {
                Some(number) => *number,
                None => self.add(Some(token), kind()),
            };
            return Sender::Crawler { number, policies: self.policies(policies) };
        }
        let Some(token) = self.token(header) else { return Sender::Other };
        let crawler = Crawler::name(&token);
        let policies = self.files.iter().map(|file| file.policy(&crawler)).collect();
        let lower = token.to_ascii_lowercase();
        let number = match (self.by_token.get(&lower).copied(), self.more) {
            (Some(number), _) => number,
            (None, _) if self.unknown < UNKNOWN => {
                self.unknown += 1;
                self.add(Some(lower), Kind::Unknown(token))
            }
            (None, Some(more)) => more,
            (None, None) => {
                let more = self.add(None, Kind::More);
                self.more = Some(more);
                more
            }
        };
        Sender::Crawler { number, policies: self.policies(policies) }
    }

    fn add(&mut self, token: Option<String>, kind: Kind) -> usize {
        let number = self.all.len();
        self.all.push(Found { kind, tally: Tally::default() });
        if let Some(token) = token {
            self.by_token.insert(token, number);
        }
        number
    }

    /// The place of these policies.
    fn policies(&mut self, policies: Vec<Policy>) -> usize {
        let are_same = |there: &Vec<Policy>| there.iter().zip(&policies).all(|(a, b)| a.is_same(b));
        self.policies.iter().position(are_same).unwrap_or_else(|| {
            self.policies.push(policies);
            self.policies.len() - 1
        })
    }

    /// The files.
    pub fn files(&self) -> &[Robots<'a>] {
        &self.files
    }

    /// The policy at this place for a file.
    pub fn policy(&self, policies: usize, file: usize) -> &Policy {
        &self.policies[policies][file]
    }

    /// The product token in a header that is not known, if the header looks like a crawler's.
    fn token(&self, header: &[u8]) -> Option<String> {
        let read = UserAgent::read(header);
        let mut names = read.names().iter().map(|name| name.name);
        let is_named = |name: &&[u8]| self.tokens.contains(&name.to_ascii_lowercase());
        let has_mark = |text: &[u8], marks: &[&str]| {
            // Phones of that make have the name in their headers, and are no crawlers.
            let lower = String::from_utf8_lossy(text).to_ascii_lowercase().replace("cubot", "");
            marks.iter().any(|mark| lower.contains(mark))
        };
        const WORDS: [&str; 4] = ["bot", "crawler", "spider", "+http"];
        let token = names.clone().find(is_named).or_else(|| {
            let looks = has_mark(header, &WORDS);
            let named = names.clone().find(|name| has_mark(name, &WORDS[..3]));
            named.or_else(|| names.next()).filter(|_| looks)
        })?;
        // Letters, digits, `-`, `_` and `.`.
        Some(String::from_utf8_lossy(token).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;

    const FILE: &[u8] = b"User-agent: FooReader\nDisallow: /foo\n\nUser-agent: *\nDisallow: /all\n";

    #[test]
    fn crawlers_and_others() {
        let known = KnownCrawlers::built_in();
        let files = vec![Robots::parse(FILE, &Profile::RFC9309)];
        let mut crawlers = Crawlers::new(known, files);
        for (header, wanted) in [
            (
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.1; +https://openai.com/gptbot)",
                Some("GPTBot"),
            ),
            (
                "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
                Some("Googlebot"),
            ),
            ("FooReader/1.0", Some("FooReader")),
            ("Mozilla/5.0 (compatible; Barxbot/1.0)", Some("Barxbot")),
            (
                "Mozilla/5.0 (Linux; Android 9; CUBOT_X19) AppleWebKit/537.36 Chrome/100 Mobile",
                None,
            ),
            ("Mozilla/5.0 (Cubot X19) Chrome/100", None),
            ("Mozilla/5.0 (compatible; Quux/1.0; +http://quux.example/)", Some("Quux")),
            (r"Mozilla/5.0 (compatible; Qu\x75x/1.0; +http://quux.example/)", Some("Quux")),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", None),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
                None,
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
                None,
            ),
            (
                "Mozilla/5.0 (Linux; Android 9; CUBOT_X18_Plus) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
                None,
            ),
            ("SomeReader/1.0", None),
            ("", None),
        ] {
            let found = match crawlers.sender(header.as_bytes()) {
                Sender::Other => None,
                Sender::Crawler { number, .. } => Some(crawlers.all[number].name()),
            };
            assert_eq!(found, wanted, "{header}");
            assert_eq!(crawlers.sender(header.as_bytes()), crawlers.sender(header.as_bytes()));
        }
        assert_eq!(crawlers.all.len(), 5);
        // Those that no group names share a policy.
        assert_eq!(crawlers.policies.len(), 2);
    }

    #[test]
    fn any_number_of_headers() {
        let known = &KnownCrawlers::default();
        let files = vec![Robots::parse(FILE, &Profile::RFC9309)];
        let mut crawlers = Crawlers::new(known, files);
        for number in 0..UNKNOWN + 70_000 {
            crawlers.sender(format!("A{number}bot/1.0").as_bytes());
        }
        assert_eq!(crawlers.all.len(), UNKNOWN + 1);
        assert!(matches!(crawlers.all[UNKNOWN].kind, Kind::More));
        assert!(crawlers.senders.len() <= HEADERS);
        assert!(matches!(crawlers.sender(b"A5bot"), Sender::Crawler { number: 5, .. }));
        assert!(matches!(
            crawlers.sender(b"FooReader/2"),
            Sender::Crawler { number: UNKNOWN, policies: 1 }
        ));
    }
}
