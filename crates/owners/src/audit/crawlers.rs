//! The crawlers that send User-Agent headers.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use memchr::memmem;
use robotsieve::internals::RobotsInternals as _;
use robotsieve::{Crawler, Field, Policy, Profile, Robots, UserAgent};
use robotsieve_known::{KnownCrawler, KnownCrawlers, Operators};

use crate::enforce::{Signs, names_in, people_send};

/// The name of a crawler.
#[derive(Clone, Debug)]
pub enum Name<'a> {
    Known(&'a KnownCrawler),
    /// The token of one that is not known, as a header has it.
    Unknown(Arc<str>),
}

impl<'a> Name<'a> {
    pub fn token(&self) -> &str {
        match self {
            Name::Known(known) => &known.token,
            Name::Unknown(token) => token,
        }
    }

    pub fn known(&self) -> Option<&'a KnownCrawler> {
        match self {
            Name::Known(known) => Some(known),
            Name::Unknown(_) => None,
        }
    }

    /// Who asks for /robots.txt for it.
    pub fn asker(&self) -> Asker {
        match self {
            Name::Known(known) => Asker::Operator(known.operator.clone()),
            Name::Unknown(token) => Asker::Token(token.to_ascii_lowercase()),
        }
    }
}

/// Those that ask for /robots.txt together: an operator's crawlers may all use what one of them got, as Google's do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Asker {
    Operator(String),
    /// In lower case, of one that is not known.
    Token(String),
}

/// By what crawlers are found, and what they may read.
#[derive(Debug)]
pub struct Crawlers<'a> {
    known: &'a KnownCrawlers,
    files: Vec<Robots<'a>>,
    /// One for each file.
    operators: Vec<Operators<'a>>,
    /// The product tokens of all files, in lower case, without beginnings of longer names.
    tokens: HashSet<Vec<u8>>,
    /// Of those that were seen, by the token in lower case and whether they are known.
    signs: Mutex<HashMap<(String, bool), Signs>>,
}

impl<'a> Crawlers<'a> {
    pub fn new(
        known: &'a KnownCrawlers,
        files: Vec<Robots<'a>>,
        operators: Vec<Operators<'a>>,
    ) -> Crawlers<'a> {
        let names = files.iter().flat_map(names_in).filter(|(_, whole)| whole.is_none());
        let tokens = names.map(|(token, _)| token.to_ascii_lowercase()).collect();
        Crawlers { known, files, operators, tokens, signs: Mutex::default() }
    }

    /// Each file in the ways in which it is read.
    pub fn readings(&self) -> impl Iterator<Item = impl Iterator<Item = &Robots<'a>>> {
        let files = self.files.iter().zip(&self.operators);
        files.map(|(file, operators)| operators.iter().chain([file]))
    }

    /// The profile by which an answer counts that a crawler got in the place of a file: its operator's.
    pub fn profile(&self, name: &Name<'a>, file: usize) -> &Profile {
        let asked = &self.files[file];
        let has_own = |known: &&KnownCrawler| known.profile.is_some();
        let own = name.known().and_then(|one| self.known.of_operator(&one.operator).find(has_own));
        own.map_or(asked, |known| self.operators[file].robots(known, asked)).profile()
    }

    /// Queries of which one makes a path allowed, if the file allows it with some query. `None` if there are too many.
    pub fn queries(&self) -> Option<Vec<Vec<u8>>> {
        const QUERIES: usize = 64;
        let mut queries = BTreeSet::from([b"x".to_vec()]);
        let records = self.readings().flatten().flat_map(Robots::records);
        for record in records.filter(|record| record.field == Field::Allow) {
            let value = record.value;
            let mark = memchr::memchr(b'?', value).or_else(|| memchr::memrchr(b'*', value));
            let Some(mark) = mark else { continue };
            queries
                .insert(value[mark + 1..].iter().filter(|b| !b"*$".contains(b)).copied().collect());
            if queries.len() > QUERIES {
                return None;
            }
        }
        Some(queries.into_iter().collect())
    }

    /// Those of these crawlers that have other rules as their operators read a file, in a sentence.
    pub fn note(&self, crawlers: &[&KnownCrawler]) -> Option<String> {
        let mut files = self.files.iter().zip(&self.operators);
        files.find_map(|(file, operators)| operators.note(crawlers.iter().copied(), file))
    }

    /// The crawler that sends a header, with its policy for each file. One that is not known never has the
    /// token of one that is. `None` if no crawler sends it, or people may.
    pub fn look_up(&self, header: &[u8]) -> Option<(Name<'a>, Vec<Policy>)> {
        if let Some(known) = self.known.by_header(header) {
            if self.may_be_a_persons(header, &known.token, Some(known)) {
                return None;
            }
            let files = self.files.iter().zip(&self.operators);
            let policies = files
                .map(|(file, operators)| known.verdicts(operators.robots(known, file)))
                .collect();
            return Some((Name::Known(known), policies));
        }
        let token = self.token(header)?;
        let crawler = Crawler::name(&token);
        let policies =
            self.files.iter().map(|file| file.policy_of(&file.groups().select(&crawler))).collect();
        Some((Name::Unknown(token.into()), policies))
    }

    /// Asks the owner of that question. `token` is that of a known crawler, or stands in a file.
    fn may_be_a_persons(&self, header: &[u8], token: &str, known: Option<&KnownCrawler>) -> bool {
        let mut signs = self.signs.lock().unwrap_or_else(PoisonError::into_inner);
        let signs = signs
            .entry((token.to_ascii_lowercase(), known.is_some()))
            .or_insert_with(|| Signs::of(token, known, self.known));
        signs.may_be_a_persons(header)
    }

    /// The product token in a header that is not known, if the header looks like a crawler's.
    fn token(&self, header: &[u8]) -> Option<String> {
        let read = UserAgent::read(header);
        // Letters, digits, `-`, `_` and `.`.
        let names = read.names().iter().map(|name| String::from_utf8_lossy(name.name));
        let is_named = |name: &Cow<'_, str>| {
            self.tokens.contains(name.to_ascii_lowercase().as_bytes())
                && !self.may_be_a_persons(header, name, None)
        };
        let token = names.clone().find(is_named).or_else(|| {
            let looks = has_word(header) || memmem::find(header, b"+http").is_some();
            let mut names = names.filter(|_| looks);
            let named = names.clone().find(|name| has_word(name.as_bytes()));
            named.or_else(|| names.next()).filter(|name| !people_send(name))
        })?;
        Some(token.into_owned())
    }
}

/// Returns true if a text has a word that crawlers have in their names.
fn has_word(text: &[u8]) -> bool {
    // Phones of that make have the name in their headers, and are no crawlers.
    let lower = String::from_utf8_lossy(text).to_ascii_lowercase().replace("cubot", "");
    ["crawler", "spider"].iter().any(|word| lower.contains(word)) || has_bot(&lower)
}

/// Returns true if a text in lower case has `bot` or `bots` at the end of a word: people's clients are named BOTIM and
/// Bottle.
fn has_bot(lower: &str) -> bool {
    let is_end = |after: &str| !after.starts_with(char::is_alphabetic);
    lower.match_indices("bot").any(|(at, bot)| {
        let after = &lower[at + bot.len()..];
        is_end(after.strip_prefix('s').unwrap_or(after))
    })
}

#[cfg(test)]
mod tests {
    use robotsieve::Profile;

    use super::*;

    const FILE: &[u8] = b"User-agent: FooReader\nDisallow: /foo\n\nUser-agent: *\nDisallow: /all\n";

    #[test]
    fn crawlers_and_others() {
        let known = KnownCrawlers::built_in();
        let files = vec![Robots::parse(FILE, &Profile::RFC9309)];
        let crawlers = Crawlers::new(known, files, vec![Operators::default()]);
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
            (
                "Mozilla/5.0 (Macintosh) AppleWebKit/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0",
                None,
            ),
            ("SomeReader/1.0", None),
            ("Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 Mobile/15E148 BOTIM/3.9.1", None),
            ("Mozilla/5.0 (X11) AppleWebKit/537.36 Chrome/120 Safari/537.36 Bottle/1.0", None),
            ("FooBot-x/1.0", Some("FooBot-x")),
            ("FooBot2x/1.0", Some("FooBot2x")),
            ("Foo_Bots/1.0", Some("Foo_Bots")),
            ("bot", Some("bot")),
            ("OurRobot/1.0", Some("OurRobot")),
            ("", None),
        ] {
            let found = crawlers.look_up(header.as_bytes()).map(|(name, _)| name);
            assert_eq!(found.as_ref().map(Name::token), wanted, "{header}");
        }
    }
}
