//! Shutting crawlers out of a whole site: the groups to add to a robots.txt, or the edited file.
//!
//! What is returned is proven, by the automata of all four profiles: each of the crawlers may read
//! nothing, and for `*`, for every other crawler that the file names and for every other known
//! crawler nothing changes.
//!
//! ```
//! use robotsieve_known::KnownCrawlers;
//! use robotsieve_owners::block::Block;
//!
//! let mut block = Block::new(KnownCrawlers::built_in());
//! block.add_crawler("GPTBot")?;
//! let edited = block.edit(b"User-agent: *\nDisallow: /private/\n")?;
//! let lines: Vec<&str> = str::from_utf8(&edited.file)?.lines().skip(3).collect();
//! assert_eq!(lines, ["# Crawlers for AI training", "User-agent: GPTBot", "Disallow: /"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod edit;
mod prove;

use std::collections::{BTreeSet, HashSet};
use std::fmt;

use robotsieve::{Crawler, DiagnosticKind, Field, Profile, Robots, Rule, Verdict};
use robotsieve_known::internals::{is_named, stands_last};
use robotsieve_known::{KnownCrawler, KnownCrawlers, Purpose, notes};
use robotsieve_lint::diff::{self, Limits};
use robotsieve_shown::{first_of, grouped, shown};

use edit::Place;
use prove::{Blocked, Proven};

/// How many records that crawlers lose are named.
const RECORDS: usize = 10;

/// Crawlers to shut out of a whole site.
#[derive(Clone, Debug)]
pub struct Block<'k> {
    known: &'k KnownCrawlers,
    blocked: Vec<Blocked<'k>>,
    /// The tokens of those that were asked for by their names.
    named: Vec<String>,
}

/// Returns true if a file has nothing but groups that shut crawlers out of the whole site: what
/// [`Block::edit`] makes of an empty file. Comments do not count.
///
/// ```
/// use robotsieve_owners::block::has_nothing_else;
///
/// assert!(has_nothing_else(b"# No training\nUser-agent: GPTBot\nDisallow: /\n"));
/// assert!(!has_nothing_else(b"User-agent: GPTBot\nDisallow: /private/\n"));
/// ```
#[must_use]
pub fn has_nothing_else(file: &[u8]) -> bool {
    Robots::parse(file, &Profile::RFC9309).records().all(|record| match record.field {
        Field::UserAgent => true,
        Field::Disallow => record.value == b"/",
        _ => false,
    })
}

/// A robots.txt that shuts crawlers out; proven.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockedFile {
    /// The file.
    pub file: Vec<u8>,
    /// The caveats, in sentences: who does not obey, and what else follows.
    pub notes: Vec<String>,
    /// What profiles that read names in other ways do not have proven, or change besides; in
    /// sentences.
    pub profile_notes: Vec<String>,
}

/// A reason why no file shuts the crawlers out and changes nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CannotBlock {
    /// The file is UTF-16, in which crawlers find no group.
    Utf16,
    /// The file is an HTML document.
    Html,
    /// Another crawler was probably meant by a name: a sentence asks.
    DidYouMean(String),
    /// The edited file would not do what was asked for, or it is not proven: a clause says what.
    Unproven(String),
}

impl fmt::Display for CannotBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CannotBlock::Utf16 => f.write_str("crawlers find no group in a UTF-16 file"),
            CannotBlock::Html => f.write_str("the file is an HTML document and no robots.txt"),
            CannotBlock::DidYouMean(text) | CannotBlock::Unproven(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for CannotBlock {}

/// A name that no robots.txt can give to a crawler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoToken {
    name: String,
    meant: Option<String>,
}

impl fmt::Display for NoToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' is not a product token: ", shown(self.name.as_bytes()))?;
        match &self.meant {
            Some(meant) => write!(f, "did you mean '{meant}'?"),
            None => f.write_str(
                "give the name that robots.txt files use, of letters, digits, '-', '_' and '.'",
            ),
        }
    }
}

impl std::error::Error for NoToken {}

/// Checks that a robots.txt can give this name to a crawler.
///
/// # Errors
/// Returns an error if it cannot, with the name that was probably meant: `GPTBot` for `GPTBot/1.0`.
pub fn check_token(name: &str) -> Result<(), NoToken> {
    let no_token = |meant| NoToken { name: name.to_owned(), meant };
    if name.is_empty() || name == "*" {
        return Err(no_token(None));
    }
    Crawler::try_name(name, &Profile::RFC9309).map(drop).map_err(|wrong| {
        let meant = wrong.probably_meant().filter(|_| wrong.is_evident());
        no_token(meant.map(shown))
    })
}

/// A note on crawlers that a profile cannot name.
pub(crate) fn unnamed_note(profile: &str, names: &str) -> String {
    format!("profile {profile} cannot name these, so nothing is proven of them there: {names}")
}

impl<'k> Block<'k> {
    /// Shuts nobody out yet. For the other ones of these crawlers nothing may change.
    #[must_use]
    pub fn new(known: &'k KnownCrawlers) -> Block<'k> {
        Block { known, blocked: Vec::new(), named: Vec::new() }
    }

    /// Shuts out the known crawlers of a purpose.
    pub fn add_purpose(&mut self, purpose: Purpose) {
        for crawler in self.known.of_purpose(purpose) {
            self.add(Blocked::Known(crawler));
        }
    }

    /// Shuts out a crawler, known or not, by its product token.
    ///
    /// # Errors
    /// Returns an error if it is no product token.
    pub fn add_crawler(&mut self, token: &str) -> Result<(), NoToken> {
        check_token(token)?;
        self.named.push(token.to_owned());
        let known = self.known.by_token(token);
        self.add(known.map_or_else(|| Blocked::Unknown(token.to_owned()), Blocked::Known));
        Ok(())
    }

    fn add(&mut self, one: Blocked<'k>) {
        if !self.blocked.iter().any(|other| other.token().eq_ignore_ascii_case(one.token())) {
            self.blocked.push(one);
        }
    }

    /// Returns true if nobody is shut out.
    pub fn is_empty(&self) -> bool {
        self.blocked.is_empty()
    }

    /// The file with the crawlers shut out: they are taken out of the groups that name them, and
    /// new groups shut them out. Those that the file shuts out already stay where they are. Of an
    /// empty file that is the groups alone.
    ///
    /// # Errors
    /// Returns an error if that cannot be proven.
    pub fn edit(&self, file: &[u8]) -> Result<BlockedFile, CannotBlock> {
        let robots = Robots::parse(file, &Profile::RFC9309);
        let has_groups = robots.group_count() > 0;
        let mut is_html = false;
        for found in robots.diagnostics() {
            match found.kind {
                DiagnosticKind::Utf16 => return Err(CannotBlock::Utf16),
                DiagnosticKind::Html if has_groups => is_html = true,
                DiagnosticKind::Html => return Err(CannotBlock::Html),
                _ => {}
            }
        }
        let unknown = self.blocked.iter().filter(|one| one.known().is_none());
        if let Some(question) =
            unknown.into_iter().find_map(|one| self.known.did_you_mean(one.token(), &robots))
        {
            return Err(CannotBlock::DidYouMean(question));
        }
        let (permitted, notes) = self.permitted(&robots);
        let mut rest = self.clone();
        rest.blocked.retain(|one| !permitted.contains(one.token()));
        rest.edit_rest(file, is_html, notes)
    }

    /// The tokens of crawlers that a group lets in by name, and everywhere, though their purpose is shut out: that
    /// is somebody's decision, so it stays. And notes on it, also on those that are shut out by their names.
    fn permitted(&self, robots: &Robots<'_>) -> (HashSet<&str>, Vec<String>) {
        let mut kept: Vec<&str> = Vec::new();
        let mut gone: Vec<&str> = Vec::new();
        for one in &self.blocked {
            let crawler = one.crawler();
            if !is_named(robots, &Crawler::name(one.token())) {
                continue;
            }
            let forbids =
                |rule: Rule<'_>| rule.verdict == Verdict::Disallow && !rule.pattern().is_empty();
            let policy = robots.policy(&crawler);
            // A group without any rule is no decision.
            let group: BTreeSet<u32> =
                robots.group_of(&crawler).into_iter().map(|(line, _)| line).collect();
            let has_rules = robots.records().any(|record| {
                matches!(record.field, Field::Allow | Field::Disallow)
                    && group.last().is_some_and(|line| record.line > *line)
            });
            if !has_rules || policy.rules().any(forbids) {
                continue;
            }
            if self.named.iter().any(|named| named.eq_ignore_ascii_case(one.token())) {
                gone.push(one.token());
            } else {
                kept.push(one.token());
            }
        }
        let mut notes = Vec::new();
        if !kept.is_empty() {
            notes.push(format!(
                "the file lets these in by name, so they stay as they are: {} (to shut one out, name it)",
                first_of(RECORDS, kept.iter().map(ToString::to_string))
            ));
        }
        if !gone.is_empty() {
            notes.push(format!(
                "the file let these in by name, and shuts them out now: {}",
                first_of(RECORDS, gone.iter().map(ToString::to_string))
            ));
        }
        (kept.into_iter().collect(), notes)
    }

    /// [`Block::edit`] without those that stay.
    fn edit_rest(
        &self,
        file: &[u8],
        is_html: bool,
        mut notes: Vec<String>,
    ) -> Result<BlockedFile, CannotBlock> {
        let done: HashSet<&str> =
            prove::shut_out(file, &self.blocked).into_iter().map(Blocked::token).collect();
        let (new, proven) =
            self.proven(file, &self.groups(&done)).map_err(CannotBlock::Unproven)?;
        notes.extend(self.notes(done.len()));
        if is_over_limit(&new) && new != file {
            notes.push(format!(
                "the file is longer than {} bytes, of which crawlers need read no more, so the new \
                 groups are at its beginning",
                grouped(Profile::MIN_SIZE_LIMIT as u64)
            ));
        }
        if is_html {
            notes.push("the file begins as an HTML document does, and has groups".to_owned());
        }
        notes.extend(self.lost(file, &new));
        // Googlebot's parser is one that many crawlers copy.
        let unnamed = proven.unnamed.iter().filter(|(profile, _)| *profile == "google");
        let unnamed: Vec<&str> = unnamed.map(|(_, name)| name.as_str()).collect();
        if !unnamed.is_empty() {
            notes.push(unnamed_note("google", &unnamed.join(", ")));
        }
        Ok(BlockedFile { file: new, notes, profile_notes: profile_notes(&proven) })
    }

    /// A group for each purpose, without the crawlers that are shut out already.
    fn groups(&self, done: &HashSet<&str>) -> Vec<(String, Vec<&str>)> {
        let of = |purpose: Purpose| {
            let of_it = self.blocked.iter().filter(|one| one.purpose() == purpose);
            let tokens = of_it.map(Blocked::token).filter(|token| !done.contains(token));
            let mut tokens: Vec<&str> = tokens.collect();
            tokens.sort_by_key(|token| stands_last(token));
            (purpose.heading(), tokens)
        };
        Purpose::all().map(of).filter(|(_, tokens)| !tokens.is_empty()).collect()
    }

    /// The file with the groups, and what the proof says.
    ///
    /// # Errors
    /// Returns what cannot be proven of the first way to edit it.
    fn proven(
        &self,
        old: &[u8],
        groups: &[(String, Vec<&str>)],
    ) -> Result<(Vec<u8>, Proven), String> {
        let prove = |new: &[u8]| prove::prove(old, new, &self.blocked, self.known.iter());
        if groups.is_empty() {
            return prove(old).map(|proven| (old.to_vec(), proven));
        }
        let mut first_wrong = None;
        let mut tried: Vec<Vec<u8>> = Vec::new();
        // Beyond the limit some crawlers would not find them.
        let places = match is_over_limit(&edit::edited(old, &Profile::RFC9309, groups, Place::End))
        {
            true => [Place::Beginning, Place::End],
            false => [Place::End, Place::Beginning],
        };
        for place in places {
            // Where profiles differ about what is a group, the other reading may do.
            for profile in [Profile::RFC9309, Profile::GOOGLE] {
                let new = edit::edited(old, &profile, groups, place);
                if tried.contains(&new) {
                    continue;
                }
                match prove(&new) {
                    Ok(proven) => return Ok((new, proven)),
                    Err(wrong) if place == Place::Beginning && is_over_limit(&new) => {
                        first_wrong.get_or_insert(format!(
                            "{wrong}: the file is longer than the {} bytes that all crawlers read, \
                             so new groups push other rules out or are not read; shorten it first",
                            grouped(Profile::MIN_SIZE_LIMIT as u64)
                        ));
                    }
                    Err(wrong) => first_wrong = first_wrong.or(Some(wrong)),
                }
                tried.push(new);
            }
        }
        Err(first_wrong.unwrap_or_default())
    }

    fn notes(&self, done: usize) -> Vec<String> {
        let mut all = Vec::new();
        if done > 0 {
            all.push(format!(
                "{done} of {} crawlers were shut out already, so nothing changes for them",
                self.blocked.len()
            ));
        }
        let known: Vec<&KnownCrawler> = self.blocked.iter().filter_map(Blocked::known).collect();
        all.extend(notes(known));
        all
    }

    /// A note on the records beside rules that were for the crawlers by name, and are no longer.
    fn lost(&self, old: &[u8], new: &[u8]) -> Option<String> {
        let [old, new] = [old, new].map(|file| Robots::parse(file, &Profile::RFC9309));
        let named = self.blocked.iter().map(|one| (one.token().as_bytes(), one.crawler()));
        let named = named.filter(|(_, crawler)| is_named(&old, crawler));
        let changed = diff::records(&old, &new, named, &Limits::default());
        let mut lost: Vec<(u32, String)> = Vec::new();
        for change in changed.iter().filter(|changed| changed.crawlers.is_some()) {
            for record in change.changes.iter().flat_map(|change| &change.removed) {
                let text = format!("'{}: {}'", shown(&record.field), shown(&record.value));
                lost.push((record.line, format!("line {}, {text}", record.line)));
            }
        }
        lost.sort();
        lost.dedup();
        (!lost.is_empty()).then(|| {
            format!(
                "crawlers that are shut out left the groups with these lines, which are no longer \
                 for them: {}",
                first_of(RECORDS, lost.into_iter().map(|(_, text)| text))
            )
        })
    }
}

fn is_over_limit(file: &[u8]) -> bool {
    file.len() > Profile::MIN_SIZE_LIMIT
}

fn profile_notes(proven: &Proven) -> Vec<String> {
    let mut all = Vec::new();
    let mut by_profile = |named: &BTreeSet<(&str, String)>,
                          say: &dyn Fn(&str, String) -> String| {
        for (profile, _) in Profile::NAMED {
            let of_it = named.iter().filter(|(of, _)| of == profile);
            let names: Vec<&str> = of_it.map(|(_, name)| name.as_str()).collect();
            if !names.is_empty() {
                all.push(say(profile, names.join(", ")));
            }
        }
    };
    let older =
        proven.unnamed.iter().filter(|(profile, _)| *profile != "google").cloned().collect();
    by_profile(&older, &|profile, names| unnamed_note(profile, &names));
    by_profile(&proven.taken_along, &|profile, names| {
        format!(
            "profile {profile} takes these for some of the crawlers that are shut out, because of \
             their names, so what they may read changes there: {names}"
        )
    });
    all
}
