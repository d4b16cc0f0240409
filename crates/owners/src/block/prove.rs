//! The proof that an edited robots.txt does what it should, and nothing else.

use std::collections::{BTreeSet, HashSet};

use robotsieve::explain::NamedCrawlers;
use robotsieve::{Crawler, Field, Profile, Robots};
use robotsieve_known::internals::is_named;
use robotsieve_known::{KnownCrawler, Purpose};
use robotsieve_lint::diff::{self, Difference, Limits};
use robotsieve_shown::{pasted, shown};

use super::edit::names_one;

/// A crawler to shut out.
#[derive(Clone, Debug)]
pub(super) enum Blocked<'k> {
    Known(&'k KnownCrawler),
    /// By its token.
    Unknown(String),
}

impl<'k> Blocked<'k> {
    pub(super) fn known(&self) -> Option<&'k KnownCrawler> {
        match self {
            Blocked::Known(known) => Some(known),
            Blocked::Unknown(_) => None,
        }
    }

    pub(super) fn token(&self) -> &str {
        match self {
            Blocked::Known(known) => &known.token,
            Blocked::Unknown(token) => token,
        }
    }

    fn name(&self) -> &str {
        self.known().map_or(self.token(), |known| &known.name)
    }

    pub(super) fn purpose(&self) -> Purpose {
        self.known().map_or(Purpose::Other, |known| known.purpose)
    }

    pub(super) fn crawler(&self) -> Crawler {
        self.known().map_or_else(|| Crawler::name(self.token()), KnownCrawler::crawler)
    }

    fn obeys_star(&self) -> bool {
        self.known().is_none_or(|known| known.star)
    }

    /// Returns true if a user-agent line can name it in this profile.
    fn can_be_named(&self, profile: &Profile) -> bool {
        Crawler::try_name(self.token(), profile).is_ok()
    }
}

/// What a proof leaves out, to be said.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Proven {
    /// Crawlers that some profile cannot name, with that profile.
    pub unnamed: BTreeSet<(&'static str, String)>,
    /// Other crawlers that an older profile takes for one of those shut out, with that profile.
    pub taken_along: BTreeSet<(&'static str, String)>,
}

/// The crawlers that a file shuts out of the whole site in every profile that can name them.
pub(super) fn shut_out<'b, 'k>(file: &[u8], all: &'b [Blocked<'k>]) -> Vec<&'b Blocked<'k>> {
    let mut out: Vec<&Blocked<'k>> = all.iter().collect();
    for (_, profile) in Profile::NAMED {
        let robots = Robots::parse(file, profile);
        let closed = Robots::parse(CLOSED, profile);
        let nameable = out.iter().copied().filter(|one| one.can_be_named(profile));
        // Most are let in, and that takes no proof.
        let may_begin = |one: &&Blocked<'k>| {
            robots.policy(&one.crawler()).is_path_allowed(b"/").unwrap_or(false)
        };
        let (begin, rest): (Vec<&Blocked<'k>>, Vec<&Blocked<'k>>) = nameable.partition(may_begin);
        let others = first_difference(&closed, &robots, &rest).map(|(one, _)| one);
        let let_in: HashSet<&str> = begin.into_iter().chain(others).map(Blocked::token).collect();
        out.retain(|one| !let_in.contains(one.token()));
    }
    // A crawler that no profile can name is never shut out.
    out.retain(|one| Profile::NAMED.iter().any(|(_, profile)| one.can_be_named(profile)));
    out
}

const CLOSED: &[u8] = b"User-agent: *\nDisallow: /\n";

/// The crawlers for which a file does not forbid everything, with the difference.
fn first_difference<'b, 'k>(
    closed: &Robots<'_>,
    robots: &Robots<'_>,
    all: &[&'b Blocked<'k>],
) -> impl Iterator<Item = (&'b Blocked<'k>, Option<Difference>)> {
    let mut found: Vec<(&'b Blocked<'k>, Option<Difference>)> = Vec::new();
    let obeys = |one: &&&'b Blocked<'k>| one.obeys_star() || is_named(robots, &one.crawler());
    let (ruled, unruled): (Vec<&'b Blocked<'k>>, Vec<_>) =
        all.iter().copied().partition(|one| obeys(&one));
    found.extend(unruled.into_iter().map(|one| (one, None)));
    let labelled = ruled.into_iter().map(|one| (one, one.crawler()));
    for same in diff::crawlers(closed, robots, labelled, &limits()) {
        if !same.difference.is_equal() {
            let difference = same.difference;
            found.extend(same.crawlers.into_iter().map(|one| (one, Some(difference.clone()))));
        }
    }
    found.into_iter()
}

fn limits() -> Limits {
    Limits::default().with_flips(1).with_records(1)
}

/// Another crawler: as the file or the list of known ones names it.
struct Other<'k> {
    name: String,
    known: Option<&'k KnownCrawler>,
    crawler: Crawler,
}

/// Proves that the new file shuts these crawlers out of the whole site, and changes nothing for
/// any other: in all four profiles.
///
/// # Errors
/// Returns what cannot be proven, with an example.
pub(super) fn prove<'k>(
    old_file: &[u8],
    new_file: &[u8],
    blocked: &[Blocked<'_>],
    known: impl Iterator<Item = &'k KnownCrawler> + Clone,
) -> Result<Proven, String> {
    let mut proven = Proven::default();
    let tokens: HashSet<String> =
        blocked.iter().map(|one| one.token().to_ascii_lowercase()).collect();
    for (profile_name, profile) in Profile::NAMED {
        let [old, new] = [old_file, new_file].map(|file| Robots::parse(file, profile));
        let closed = Robots::parse(CLOSED, profile);
        let (nameable, unnamed): (Vec<&Blocked<'_>>, Vec<&Blocked<'_>>) =
            blocked.iter().partition(|one| one.can_be_named(profile));
        proven.unnamed.extend(unnamed.iter().map(|one| (*profile_name, one.name().to_owned())));
        if let Some((one, difference)) = first_difference(&closed, &new, &nameable).next() {
            let example = difference.as_ref().map_or_else(String::new, example);
            return Err(format!(
                "in profile {profile_name}, {} would not be shut out of the whole site{example}",
                one.name()
            ));
        }
        let (others, taken_along): (Vec<Other<'_>>, Vec<Other<'_>>) =
            others(&old, &tokens, known.clone())
                .into_iter()
                // What the file names must not change in any profile.
                .partition(|other| {
                    other.known.is_none() || !is_taken_for(&other.crawler, &tokens, profile_name)
                });
        unchanged(&old, &new, &others)
            .map_err(|wrong| format!("in profile {profile_name}, {wrong}"))?;
        // Most of them have groups of their own, and do not change either.
        let changed = taken_along.into_iter().filter(|other| {
            let alone = std::slice::from_ref(other);
            unchanged(&old, &new, alone).is_err()
        });
        proven.taken_along.extend(changed.map(|other| (*profile_name, other.name)));
    }
    Ok(proven)
}

/// The crawlers for which nothing may change: everybody, those that the old file names, and those
/// that are known.
fn others<'k>(
    old: &Robots<'_>,
    tokens: &HashSet<String>,
    known: impl Iterator<Item = &'k KnownCrawler>,
) -> Vec<Other<'k>> {
    let everybody = Other { name: "*".to_owned(), known: None, crawler: Crawler::names([""; 0]) };
    let mut others = vec![everybody];
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    let lines: HashSet<u32> = old
        .records()
        .filter(|record| record.field == Field::UserAgent && !names_one(record.value, tokens))
        .map(|record| record.line)
        .collect();
    // What the profile reads of each line that names another crawler.
    let selection = old.explain(&Crawler::names([""; 0]), "/").map(|why| why.selection);
    for line in selection.iter().flat_map(|selection| &selection.lines) {
        if let NamedCrawlers::Token(token) = line.names
            && lines.contains(&line.line)
            && seen.insert(token.to_ascii_lowercase())
        {
            others.push(Other { name: shown(token), known: None, crawler: Crawler::name(token) });
        }
    }
    for crawler in known.filter(|one| !tokens.contains(&one.token.to_ascii_lowercase())) {
        others.push(Other {
            name: crawler.name.clone(),
            known: Some(crawler),
            crawler: crawler.crawler(),
        });
    }
    others
}

/// Returns true if an older profile finds the group of one of these tokens by the name of another crawler.
fn is_taken_for(crawler: &Crawler, tokens: &HashSet<String>, profile: &str) -> bool {
    crawler.iter().any(|name| {
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        match profile {
            "google-classic" => {
                name.char_indices().any(|(at, c)| tokens.contains(&name[..at + c.len_utf8()]))
            }
            "original-1994" => tokens.iter().any(|token| name.contains(token.as_str())),
            _ => false,
        }
    })
}

/// The advice to name those of these crawlers too that obey the group of another one. Empty if none do.
fn name_too(mut all: Vec<&KnownCrawler>) -> String {
    all.retain(|known| !known.after.is_empty());
    match &all[..] {
        [] => String::new(),
        [known] => format!(
            " (where no group names it, it obeys that of {}: name it too, with --crawler {})",
            known.after.join(" or "),
            known.token
        ),
        all => {
            let after: BTreeSet<&str> =
                all.iter().flat_map(|known| &known.after).map(String::as_str).collect();
            let options: Vec<String> =
                all.iter().map(|known| format!("--crawler {}", known.token)).collect();
            format!(
                " (where no group names them, {} crawlers obey the group{} of {}: name them too, with \
                 {})",
                all.len(),
                if after.len() == 1 { "" } else { "s" },
                after.into_iter().collect::<Vec<_>>().join(", "),
                options.join(" ")
            )
        }
    }
}

/// Checks that nothing changes for these crawlers.
fn unchanged(old: &Robots<'_>, new: &Robots<'_>, others: &[Other<'_>]) -> Result<(), String> {
    let labelled = || others.iter().map(|other| (other, other.crawler.clone()));
    let mut changed = diff::crawlers(old, new, labelled(), &limits());
    changed.retain(|same| !same.difference.is_equal());
    if let Some(first) = changed.first() {
        let all = changed.iter().flat_map(|same| &same.crawlers);
        let advice = name_too(all.filter_map(|other| other.known).collect());
        let example = example(&first.difference);
        return Err(format!(
            "what {} may read would change{example}{advice}",
            first.crawlers[0].name,
        ));
    }
    for other in others {
        // Those that ignore `*` change if a group names them from now on, or no more.
        if let Some(known) = other.known.filter(|known| !known.star)
            && known.is_named(old) != known.is_named(new)
        {
            return Err(format!("the group of {} would be another one", other.name));
        }
    }
    match diff::records(old, new, labelled(), &limits()).first() {
        None => Ok(()),
        Some(changed) => {
            let whose = match &changed.crawlers {
                Some(crawlers) => format!("for {}", crawlers[0].name),
                None => "of the whole file".to_owned(),
            };
            let changes = changed.changes.iter();
            let record =
                changes.flat_map(|change| change.removed.iter().chain(&change.added)).next();
            let record = record.map_or_else(String::new, |record| {
                format!(", '{}: {}'", shown(&record.field), shown(&record.value))
            });
            Err(format!("a record {whose} would change{record}"))
        }
    }
}

/// A path that shows a difference, or why there is no proof.
fn example(difference: &Difference) -> String {
    match difference {
        Difference::Different(flips) => {
            let mut all = flips.newly_allowed.iter().chain(&flips.newly_disallowed);
            all.next().map_or_else(String::new, |flip| {
                format!(", for example {}", shown(&pasted(&flip.path)))
            })
        }
        Difference::Unknown { unproven, .. } => format!(", or it is not proven: {unproven}"),
        _ => String::new(),
    }
}
