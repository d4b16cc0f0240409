//! Whom an expectation is about: one crawler, or all known ones of a purpose.

use std::collections::HashMap;

use robotsieve::internals::RobotsInternals as _;
use robotsieve::{Crawler, NameError, Policy, Profile, Robots};
use robotsieve_known::{KnownCrawler, KnownCrawlers, Purpose};

use super::line::short;
use super::subject::Subject;

/// The crawlers that one text stands for.
#[derive(Debug)]
pub(super) struct Who<'a> {
    pub(super) members: Vec<Member<'a>>,
    /// True if it is a purpose or `@all`, whose members are counted.
    pub(super) is_set: bool,
    /// For each profile, the different policies of the members.
    pub(super) asked: Vec<Vec<SharedPolicy>>,
}

/// One crawler.
#[derive(Debug)]
pub(super) struct Member<'a> {
    pub(super) name: Vec<u8>,
    pub(super) crawler: Crawler,
    known: Option<&'a KnownCrawler>,
    /// The known crawler with its first name, whose operator's reading counts.
    pub(super) reader: Option<&'a KnownCrawler>,
}

/// A policy, and the members whose it is.
#[derive(Debug)]
pub(super) struct SharedPolicy {
    pub(super) policy: Policy,
    pub(super) members: Vec<usize>,
    /// The name of the profile.
    pub(super) profile: &'static str,
}

impl<'a> Member<'a> {
    /// A known crawler as it is known.
    fn known(known: &'a KnownCrawler) -> Member<'a> {
        let name = known.token.clone().into_bytes();
        Member { name, crawler: known.crawler(), known: Some(known), reader: Some(known) }
    }

    fn policy(&self, robots: &Robots<'_>) -> Policy {
        self.known.map_or_else(
            || robots.policy_of(&robots.groups().select(&self.crawler)),
            |known| known.verdicts(robots),
        )
    }

    /// Returns true if a group can name it, as its profile reads names.
    fn is_nameable(&self, robots: &Robots<'_>) -> bool {
        let mut names = self.crawler.iter();
        names.next().is_none_or(|token| NameError::check(token, robots.profile()).is_ok())
    }

    /// Returns true if a group for everybody says nothing to it, and no other group is for it.
    pub(super) fn is_free(&self, robots: &Robots<'_>) -> bool {
        self.known.is_some_and(|known| !known.star && !known.is_named(robots))
    }
}

/// The texts that were seen, each resolved once.
#[derive(Debug)]
pub(super) struct Whos<'a> {
    known: &'a KnownCrawlers,
    all: Vec<Who<'a>>,
    by_text: HashMap<Box<[u8]>, Result<usize, String>>,
    /// True if crawlers are not asked in profiles that cannot name them.
    pub(super) nameable_only: bool,
    /// About names that no group can match in some profile, and about tokens of known crawlers to
    /// which the file says something else.
    pub(super) notes: Vec<String>,
}

impl<'a> Whos<'a> {
    pub(super) fn new(known: &'a KnownCrawlers) -> Whos<'a> {
        let (all, by_text, notes) = (Vec::new(), HashMap::new(), Vec::new());
        Whos { known, all, by_text, nameable_only: false, notes }
    }

    /// The known crawlers whose operators' readings count, each once.
    pub(super) fn readers(&self) -> Vec<&'a KnownCrawler> {
        let mut all: Vec<&KnownCrawler> = Vec::new();
        for reader in self.all.iter().flat_map(|who| &who.members).filter_map(|one| one.reader) {
            if all.iter().all(|there| there.token != reader.token) {
                all.push(reader);
            }
        }
        all
    }

    pub(super) fn get(&self, number: usize) -> &Who<'a> {
        &self.all[number]
    }

    /// The number of the crawlers that a text stands for, with their policies for a file.
    ///
    /// # Errors
    /// Returns what is wrong with the text, and the way out.
    pub(super) fn find(&mut self, text: &[u8], file: &Subject<'_>) -> Result<usize, String> {
        if let Some(found) = self.by_text.get(text) {
            return found.clone();
        }
        let found = self.resolve(text, file);
        self.by_text.insert(text.into(), found.clone());
        found
    }

    fn resolve(&mut self, text: &[u8], file: &Subject<'_>) -> Result<usize, String> {
        let (members, is_set) = match text {
            b"*" => (
                vec![Member { name: text.into(), crawler: nobody(), known: None, reader: None }],
                false,
            ),
            [b'@', token @ ..] if let Some(known) = self.by_token(token) => {
                (vec![Member { name: text.into(), ..Member::known(known) }], false)
            }
            [b'@', purpose @ ..] => (self.of_purpose(purpose)?, true),
            name => (vec![self.named(name, file)?], false),
        };
        let asked = (0..file.robots.len()).map(|number| {
            asked(&members, file, number, |member, robots| {
                !self.nameable_only || member.is_nameable(robots)
            })
        });
        let asked = asked.collect();
        self.all.push(Who { members, is_set, asked });
        Ok(self.all.len() - 1)
    }

    /// The known crawler with this token, if that is the name of no set.
    fn by_token(&self, token: &[u8]) -> Option<&'a KnownCrawler> {
        let token = str::from_utf8(token).ok()?;
        let is_set = token == "all" || token.parse::<Purpose>().is_ok();
        self.known.by_token(token).filter(|_| !is_set)
    }

    fn of_purpose(&self, text: &[u8]) -> Result<Vec<Member<'a>>, String> {
        let members: Vec<Member<'a>> = if text == b"all" {
            self.known.iter().map(Member::known).collect()
        } else {
            let found = Purpose::all().find(|purpose| purpose.as_str().as_bytes() == text);
            let Some(purpose) = found else {
                let names: Vec<_> = Purpose::all().map(|purpose| format!("@{purpose}")).collect();
                return Err(match self.known.misspelt(text) {
                    Some(question) => question,
                    None => format!(
                        "'@{}' is no purpose: there are {} and @all; nor is it the token of a known \
                         crawler, which 'robotsieve crawlers --list' prints",
                        short(text),
                        names.join(", ")
                    ),
                });
            };
            self.known.of_purpose(purpose).map(Member::known).collect()
        };
        if members.is_empty() {
            return Err(format!(
                "no known crawler is in '@{}': add some with --crawlers FILE",
                short(text)
            ));
        }
        Ok(members)
    }

    fn named(&mut self, text: &[u8], file: &Subject<'_>) -> Result<Member<'a>, String> {
        let names: Vec<&[u8]> = text.split(|byte| *byte == b',').collect();
        if names.iter().any(|name| name.is_empty()) {
            return Err(format!(
                "'{}' has an empty name: write one name, or the names of one crawler with a comma \
                 between two of them",
                short(text)
            ));
        }
        if names.len() > 1 && names.iter().any(|name| *name == b"*" || name.starts_with(b"@")) {
            return Err(format!(
                "'{}': '*' and sets such as '@all' stand alone, since names with commas between them \
                 are those of one crawler: write a line for each",
                short(text)
            ));
        }
        // A header is shown as a whole, although it may have commas.
        let has_header = text.iter().any(|byte| b"();".contains(byte));
        let checked = || text.split(|byte| *byte == b',' && !has_header);
        for robots in &file.robots {
            let profile = robots.profile();
            let Err(wrong) = Crawler::try_names(checked(), profile) else { continue };
            let meant =
                wrong.probably_meant().map(|meant| format!("did you mean '{}'?", short(meant)));
            let message = format!(
                "'{}' is not a product token, so no group can name it in profile {}: {}",
                short(wrong.name()),
                profile.name().unwrap_or_default(),
                meant.as_deref().unwrap_or("write the name that robots.txt files use for it"),
            );
            // google/robotstxt takes names as given.
            if *profile != Profile::GOOGLE {
                return Err(message);
            }
            self.notes.push(message);
        }
        // Such a line would pass although it is about nobody.
        let known = self.known;
        let question = |name: &&[u8]| known.did_you_mean(name, &file.robots[0]);
        if let Some(question) = names.iter().find_map(question) {
            return Err(format!(
                "{question} Nor does the robots.txt name it; if it is the name of another crawler, \
                 add that with --crawlers FILE"
            ));
        }
        let crawler = Crawler::names(names);
        let note = file.robots.iter().find_map(|robots| self.known.note(&crawler, robots));
        if let Some(note) = note.filter(|_| file.answer.is_none()) {
            self.notes.push(format!("{note}; '@{}' stands for the crawler", short(text)));
        }
        let reader = self.known.of_crawler(&crawler);
        Ok(Member { name: text.into(), crawler, known: None, reader })
    }
}

/// A crawler that no group names.
pub(super) fn nobody() -> Crawler {
    Crawler::names([""; 0])
}

/// The different policies of those of these crawlers that are asked.
fn asked(
    members: &[Member<'_>],
    file: &Subject<'_>,
    number: usize,
    is_asked: impl Fn(&Member<'_>, &Robots<'_>) -> bool,
) -> Vec<SharedPolicy> {
    let mut all: Vec<SharedPolicy> = Vec::new();
    for (at, member) in members.iter().enumerate() {
        let robots = file.robots_for(number, member.reader);
        if !is_asked(member, robots) {
            continue;
        }
        let policy = member.policy(robots);
        match all.iter_mut().find(|asked| asked.policy.is_same(&policy)) {
            Some(asked) => asked.members.push(at),
            None => {
                let profile = robots.profile().name().unwrap_or("custom");
                all.push(SharedPolicy { policy, members: vec![at], profile });
            }
        }
    }
    all
}
