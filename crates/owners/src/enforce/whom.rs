//! Who is refused what: the crawlers that a header can name, in classes with the same policy.

use std::collections::{BTreeSet, HashMap, HashSet};

use robotsieve::internals::{PolicyInternals as _, RobotsInternals as _};
use robotsieve::{Crawler, Policy, Robots, UserAgent};
use robotsieve_known::{KnownCrawler, KnownCrawlers};
use robotsieve_shown::{first_of, shown};

use super::options::Choice;
use super::text::finds;

/// Crawlers with the same policy.
pub(super) struct Class {
    /// `None`: the file asks nothing of them.
    pub(super) policy: Option<Policy>,
    /// Their product tokens in lower case, sorted.
    pub(super) tokens: Vec<String>,
}

/// The classes, and sentences about those who are in none.
pub(super) struct Whom {
    pub(super) classes: Vec<Class>,
    pub(super) notes: Vec<String>,
}

/// The longest token in bytes that is looked for in headers.
const TOKEN_BYTES: usize = 64;
/// How many names a note has.
const NAMES_SHOWN: usize = 10;

/// The crawlers that are chosen, in classes.
pub(super) fn whom(robots: &Robots<'_>, known: &KnownCrawlers, choice: &Choice) -> Whom {
    let mut left_out = LeftOut::default();
    let mut seen: HashSet<String> = HashSet::new();
    let mut classes: Vec<Class> = Vec::new();
    // By the addresses of policies that are kept: no other gets the same.
    let mut by_address: HashMap<usize, usize> = HashMap::new();
    let mut kept: Vec<Policy> = Vec::new();
    for (token, entry) in candidates(robots, known, choice) {
        let lower = token.to_ascii_lowercase();
        if !seen.insert(lower.clone())
            || choice.except.iter().any(|name| name.eq_ignore_ascii_case(&token))
        {
            continue;
        }
        if let Some(kept) = left_out.of(&token, entry) {
            kept.insert(token);
            continue;
        }
        let policy = match entry {
            Some(entry) if !entry.star && !entry.is_named(robots) => None,
            Some(entry) => Some(robots.policy_with_rules(&entry.crawler())),
            None => Some(robots.policy_with_rules(&Crawler::name(&token))),
        };
        let alike = |class: &Class| match (&class.policy, &policy) {
            (Some(a), Some(b)) => a.is_same(b) || a.decides_like(b),
            (a, b) => a.is_none() && b.is_none(),
        };
        let address = policy.as_ref().map_or(0, Policy::address);
        let found = by_address.get(&address).copied().or_else(|| classes.iter().position(alike));
        kept.extend(policy.clone());
        let number = found.unwrap_or_else(|| {
            classes.push(Class { policy, tokens: Vec::new() });
            classes.len() - 1
        });
        by_address.insert(address, number);
        classes[number].tokens.push(lower);
    }
    classes.iter_mut().for_each(|class| class.tokens.sort());
    Whom { classes, notes: left_out.notes() }
}

/// The crawlers that are chosen, by their tokens, with what is known of them.
fn candidates<'k>(
    robots: &Robots<'_>,
    known: &'k KnownCrawlers,
    choice: &Choice,
) -> Vec<(String, Option<&'k KnownCrawler>)> {
    let entry = |token: &str| (token.to_owned(), known.by_token(token));
    let of_known = |crawler: &'k KnownCrawler| (crawler.token.clone(), Some(crawler));
    if !choice.purposes.is_empty() || !choice.crawlers.is_empty() {
        let of_purposes = known.iter().filter(|crawler| choice.purposes.contains(&crawler.purpose));
        let named = choice.crawlers.iter().map(|token| entry(token));
        return named.chain(of_purposes.map(of_known)).collect();
    }
    let named = robots.tokens().filter(|token| *token != b"*" && !token.is_empty());
    let named = named.map(|token| entry(&String::from_utf8_lossy(token)));
    let others = known.iter().filter(|crawler| choice.known || crawler.is_named(robots));
    named.chain(others.map(of_known)).collect()
}

/// Those whom no header can name.
#[derive(Default)]
struct LeftOut {
    only_in_robots_txt: BTreeSet<String>,
    within_words: BTreeSet<String>,
    of_browsers: BTreeSet<String>,
    no_token: BTreeSet<String>,
}

impl LeftOut {
    /// Where a crawler belongs that cannot be told by its header; `None`: it can.
    fn of(&mut self, token: &str, entry: Option<&KnownCrawler>) -> Option<&mut BTreeSet<String>> {
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if entry.is_some_and(|entry| entry.only_in_robots_txt) {
            Some(&mut self.only_in_robots_txt)
        } else if token.len() > TOKEN_BYTES || !token.bytes().all(is_token) {
            Some(&mut self.no_token)
        } else if entry
            .and_then(|entry| entry.header.as_ref())
            .is_some_and(|header| !finds(header, token))
        {
            Some(&mut self.within_words)
        } else if UserAgent::read(token).names().is_empty() {
            Some(&mut self.of_browsers)
        } else {
            None
        }
    }

    fn notes(self) -> Vec<String> {
        let note = |names: BTreeSet<String>, why: &str| {
            let list = || first_of(NAMES_SHOWN, names.iter().map(|name| shown(name.as_bytes())));
            (!names.is_empty()).then(|| format!("nothing refuses {}: {why}", list()))
        };
        [
            note(
                self.only_in_robots_txt,
                "no header has this name, which stands for a use of what another crawler fetches",
            ),
            note(self.within_words, "in its header this name is a part of a word or of an address"),
            note(self.of_browsers, "browsers send this word, or it names no crawler"),
            note(
                self.no_token,
                "this is no product token of at most 64 letters, digits, '-', '_' and '.'",
            ),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
