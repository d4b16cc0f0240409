//! Whom an expectation is about: one crawler, or all known ones of a purpose.

use std::collections::HashMap;

use clap::ValueEnum;
use robotsieve::explain::GroupChoice;
use robotsieve::{Crawler, Policy, Profile, Robots};

use super::line::short;
use crate::known::{self, Known, KnownCrawler, Purpose};
use crate::options::{Agent, is_refused};

/// The crawlers that one text stands for.
pub struct Who<'k> {
    pub members: Vec<Member<'k>>,
    /// Whether it is a purpose or `@all`, whose members are counted.
    pub is_set: bool,
    /// For each profile, the different policies of the members.
    pub asked: Vec<Vec<Asked>>,
}

/// One crawler.
pub struct Member<'k> {
    pub name: Vec<u8>,
    pub crawler: Crawler,
    known: Option<&'k KnownCrawler>,
}

/// A policy, and the members whose it is.
pub struct Asked {
    pub policy: Policy,
    pub members: Vec<usize>,
}

impl<'k> Member<'k> {
    /// A known crawler as it is known.
    fn known(known: &'k KnownCrawler) -> Member<'k> {
        let name = known.token.clone().into_bytes();
        Member { name, crawler: known.crawler(), known: Some(known) }
    }

    fn policy(&self, robots: &Robots<'_>) -> Policy {
        self.known.map_or_else(|| robots.policy(&self.crawler), |known| known.policy(robots))
    }

    /// Whether a group for everybody says nothing to it, and no other group is for it.
    pub fn is_free(&self, robots: &Robots<'_>) -> bool {
        self.known.is_some_and(|known| !known.star)
            && known::choice(robots, &self.crawler) != GroupChoice::Named
    }
}

/// The texts that were seen, each resolved once.
pub struct Whos<'k, 'r> {
    known: &'k Known,
    profiles: &'r [(&'static str, Profile)],
    robots: &'r [Robots<'r>],
    all: Vec<Who<'k>>,
    by_text: HashMap<Box<[u8]>, Result<usize, String>>,
    /// About names that no group can match in some profile.
    pub notes: Vec<String>,
}

impl<'k, 'r> Whos<'k, 'r> {
    /// `robots` is the file as each of the profiles reads it.
    pub fn new(
        known: &'k Known,
        profiles: &'r [(&'static str, Profile)],
        robots: &'r [Robots<'r>],
    ) -> Whos<'k, 'r> {
        let (all, by_text, notes) = (Vec::new(), HashMap::new(), Vec::new());
        Whos { known, profiles, robots, all, by_text, notes }
    }

    pub fn get(&self, number: usize) -> &Who<'k> {
        &self.all[number]
    }

    /// The number of the crawlers that a text stands for.
    ///
    /// # Errors
    /// Returns what is wrong with the text, and the way out.
    pub fn find(&mut self, text: &[u8]) -> Result<usize, String> {
        if let Some(found) = self.by_text.get(text) {
            return found.clone();
        }
        let found = self.resolve(text);
        self.by_text.insert(text.into(), found.clone());
        found
    }

    fn resolve(&mut self, text: &[u8]) -> Result<usize, String> {
        let (members, is_set) = match text {
            b"*" => (vec![Member { name: text.into(), crawler: nobody(), known: None }], false),
            [b'@', purpose @ ..] => (self.of_purpose(purpose)?, true),
            name => (vec![self.named(name)?], false),
        };
        let asked = self.robots.iter().map(|robots| asked(&members, robots)).collect();
        self.all.push(Who { members, is_set, asked });
        Ok(self.all.len() - 1)
    }

    fn of_purpose(&self, text: &[u8]) -> Result<Vec<Member<'k>>, String> {
        let members: Vec<Member<'k>> = if text == b"all" {
            self.known.iter().map(Member::known).collect()
        } else {
            let purposes = Purpose::value_variants();
            let found = purposes.iter().find(|purpose| purpose.as_str().as_bytes() == text);
            let Some(purpose) = found else {
                let names: Vec<_> = purposes.iter().map(|purpose| format!("@{purpose}")).collect();
                return Err(format!(
                    "'@{}' is no purpose: there are {} and @all",
                    short(text),
                    names.join(", ")
                ));
            };
            self.known.of_purpose(*purpose).map(Member::known).collect()
        };
        if members.is_empty() {
            return Err(format!(
                "no known crawler is in '@{}': add some with --crawlers FILE",
                short(text)
            ));
        }
        Ok(members)
    }

    fn named(&mut self, name: &[u8]) -> Result<Member<'k>, String> {
        let names: Vec<&[u8]> = name.split(|byte| *byte == b',').collect();
        if names.iter().any(|name| name.is_empty()) {
            return Err(format!(
                "'{}' has an empty name: write one name, or the names of one crawler with a comma \
                 between two of them",
                short(name)
            ));
        }
        if names.len() > 1 && names.iter().any(|name| *name == b"*" || name.starts_with(b"@")) {
            return Err(format!(
                "'{}': '*' and sets such as '@all' stand alone, since names with commas between them \
                 are those of one crawler: write a line for each",
                short(name)
            ));
        }
        for (_, profile) in self.profiles {
            let Err(wrong) = Agent::check(name, false, profile) else { continue };
            let meant =
                wrong.probably_meant().map(|meant| format!("did you mean '{}'?", short(meant)));
            let message = format!(
                "'{}' is not a product token, so no group can name it in profile {}: {}",
                short(wrong.name()),
                profile.name().unwrap_or_default(),
                meant.as_deref().unwrap_or("write the name that robots.txt files use for it"),
            );
            if is_refused(&wrong, profile) {
                return Err(message);
            }
            self.notes.push(message);
        }
        let known = str::from_utf8(name).ok().and_then(|name| self.known.by_token(name));
        Ok(match known {
            Some(known) => Member { name: name.into(), ..Member::known(known) },
            None => {
                Member { name: name.into(), crawler: Agent::crawler_of(name, false), known: None }
            }
        })
    }
}

/// A crawler that no group names.
pub fn nobody() -> Crawler {
    Crawler::names([""; 0])
}

/// The different policies of these crawlers.
fn asked(members: &[Member<'_>], robots: &Robots<'_>) -> Vec<Asked> {
    let mut all: Vec<Asked> = Vec::new();
    for (number, member) in members.iter().enumerate() {
        let policy = member.policy(robots);
        match all.iter_mut().find(|asked| asked.policy.is_same(&policy)) {
            Some(asked) => asked.members.push(number),
            None => all.push(Asked { policy, members: vec![number] }),
        }
    }
    all
}
