//! `robotsieve block`: the groups that shut crawlers out, alone or in a file.

pub mod args;
mod edit;
mod prove;

use std::collections::HashSet;

use robotsieve::diff::{self, Limits};
use robotsieve::explain::GroupChoice;
use robotsieve::{Crawler, Profile, Robots};

use crate::error::{Failure, Status};
use crate::known::{self, Known, KnownCrawler, Purpose};
use crate::read::robots_file;
use crate::write::bytes::shown;
use crate::write::{list, stderr, stdout};
use args::BlockArgs;
use edit::Place;
use prove::Proven;

/// A crawler to shut out.
pub enum Blocked<'k> {
    Known(&'k KnownCrawler),
    /// By its token.
    Unknown(&'k str),
}

impl Blocked<'_> {
    fn token(&self) -> &str {
        match self {
            Blocked::Known(known) => &known.token,
            Blocked::Unknown(token) => token,
        }
    }

    fn name(&self) -> &str {
        match self {
            Blocked::Known(known) => &known.name,
            Blocked::Unknown(token) => token,
        }
    }

    fn crawler(&self) -> Crawler {
        match self {
            Blocked::Known(known) => known.crawler(),
            Blocked::Unknown(token) => Crawler::name(token),
        }
    }

    fn obeys_star(&self) -> bool {
        match self {
            Blocked::Known(known) => known.star,
            Blocked::Unknown(_) => true,
        }
    }

    /// Whether a user-agent line can name it in this profile.
    fn can_be_named(&self, profile: &Profile) -> bool {
        Crawler::try_name(self.token(), profile).is_ok()
    }
}

/// Prints the groups or the edited file.
pub fn run(args: &BlockArgs) -> Result<Status, Failure> {
    let known = args.known.read()?;
    let blocked = blocked(args, &known)?;
    let old = match &args.robots {
        None => Vec::new(),
        Some(robots) => robots_file::text(robots)?,
    };
    if robots_file::is_utf16(&old) {
        stderr::error(&"nothing is printed, since crawlers find no group in a UTF-16 file");
        return Ok(Status::No);
    }
    let done: HashSet<&str> =
        prove::shut_out(&old, &blocked).into_iter().map(Blocked::token).collect();
    let groups = groups(&blocked, &done);
    match proven(&old, &groups, &blocked, &known) {
        Ok((new, proven)) => {
            note(&blocked, done.len(), &proven);
            note_lost(&old, &new, &blocked);
            stdout::print(new)
        }
        Err(wrong) => {
            let what = if args.robots.is_some() { "the edited file" } else { "the groups" };
            stderr::error(&format_args!(
                "nothing is printed, since {what} would not do what was asked for: {wrong}; mend the \
                 file there, or name other crawlers"
            ));
            Ok(Status::No)
        }
    }
}

/// The crawlers that are meant, each once.
fn blocked<'k>(args: &'k BlockArgs, known: &'k Known) -> Result<Vec<Blocked<'k>>, Failure> {
    let mut blocked: Vec<Blocked<'k>> = known
        .iter()
        .filter(|crawler| args.purpose.has(crawler.purpose))
        .map(Blocked::Known)
        .collect();
    let mut tokens: HashSet<String> =
        blocked.iter().map(|one| one.token().to_ascii_lowercase()).collect();
    for token in &args.crawlers {
        let is_name = !token.is_empty() && token != "*";
        if !is_name || Crawler::try_name(token, &Profile::RFC9309).is_err() {
            return Err(Failure::Usage(format!(
                "--crawler '{}' is not a product token: give the name that robots.txt files use, \
                 of letters, digits, '-', '_' and '.'",
                shown(token.as_bytes())
            )));
        }
        if tokens.insert(token.to_ascii_lowercase()) {
            blocked.push(known.by_token(token).map_or(Blocked::Unknown(token), Blocked::Known));
        }
    }
    if blocked.is_empty() {
        let message = if args.purpose.purposes.is_empty() {
            "no crawler was named: give --purpose PURPOSE or --crawler TOKEN"
        } else {
            "no crawler is known of these purposes: name some with --crawler TOKEN"
        };
        return Err(Failure::Usage(message.to_owned()));
    }
    Ok(blocked)
}

/// A group for each purpose, without the crawlers that are shut out already.
fn groups<'b>(blocked: &'b [Blocked<'_>], done: &HashSet<&str>) -> Vec<(String, Vec<&'b str>)> {
    let purpose = |one: &Blocked<'_>| match one {
        Blocked::Known(known) => known.purpose,
        Blocked::Unknown(_) => Purpose::Other,
    };
    let mut groups: Vec<(Purpose, Vec<&str>)> = Vec::new();
    for one in blocked.iter().filter(|one| !done.contains(one.token())) {
        let purpose = purpose(one);
        match groups.iter_mut().find(|(other, _)| *other == purpose) {
            Some((_, tokens)) => tokens.push(one.token()),
            None => groups.push((purpose, vec![one.token()])),
        }
    }
    groups.sort_by_key(|(purpose, _)| *purpose);
    let heading = |purpose: Purpose| match purpose {
        Purpose::Other => "Other crawlers".to_owned(),
        purpose => format!("Crawlers for {}", purpose.title()),
    };
    groups.into_iter().map(|(purpose, tokens)| (heading(purpose), tokens)).collect()
}

/// The file with the groups, and what the proof says.
///
/// # Errors
/// Returns what cannot be proven of the first way to edit it.
fn proven(
    old: &[u8],
    groups: &[(String, Vec<&str>)],
    blocked: &[Blocked<'_>],
    known: &Known,
) -> Result<(Vec<u8>, Proven), String> {
    let prove = |new: &[u8]| prove::prove(old, new, blocked, known.iter());
    if groups.is_empty() {
        return prove(old).map(|proven| (old.to_vec(), proven));
    }
    let mut first_wrong = None;
    let mut tried: Vec<Vec<u8>> = Vec::new();
    for place in [Place::End, Place::Beginning] {
        // Where profiles differ about what is a group, the other reading may do.
        for profile in [Profile::RFC9309, Profile::GOOGLE] {
            let new = edit::edited(old, &profile, groups, place);
            if tried.contains(&new) {
                continue;
            }
            match prove(&new) {
                Ok(proven) => return Ok((new, proven)),
                Err(wrong) => first_wrong = first_wrong.or(Some(wrong)),
            }
            tried.push(new);
        }
    }
    Err(first_wrong.unwrap_or_default())
}

/// Names the records beside rules that were for the crawlers by name, and are no longer.
fn note_lost(old: &[u8], new: &[u8], blocked: &[Blocked<'_>]) {
    let [old, new] = [old, new].map(|file| Robots::parse(file, &Profile::RFC9309));
    let named = blocked.iter().map(|one| (one.token().as_bytes(), one.crawler()));
    let named = named.filter(|(_, crawler)| known::choice(&old, crawler) == GroupChoice::Named);
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
    if !lost.is_empty() {
        stderr::note(&format_args!(
            "crawlers that are shut out left the groups with these lines, which are no longer for \
             them: {}",
            list::first(10, lost.into_iter().map(|(_, text)| text))
        ));
    }
}

/// Says on standard error what the output does not.
fn note(blocked: &[Blocked<'_>], done: usize, proven: &Proven) {
    if done > 0 {
        stderr::note(&format_args!(
            "{done} of {} crawlers were shut out already, so nothing changes for them",
            blocked.len()
        ));
    }
    let known = blocked.iter().filter_map(|one| match one {
        Blocked::Known(known) => Some(*known),
        Blocked::Unknown(_) => None,
    });
    known::notes(known).iter().for_each(|note| stderr::note(note));
    let by_profile = |all: &std::collections::BTreeSet<(&'static str, String)>,
                      say: &dyn Fn(&str, String)| {
        for (profile, _) in Profile::NAMED {
            let of_it = all.iter().filter(|(of, _)| of == profile);
            let names: Vec<&str> = of_it.map(|(_, name)| name.as_str()).collect();
            if !names.is_empty() {
                say(profile, names.join(", "));
            }
        }
    };
    by_profile(&proven.unnamed, &|profile, names| {
        stderr::note(&format_args!(
            "profile {profile} cannot name these, so nothing is proven of them there: {names}"
        ));
    });
    by_profile(&proven.taken_along, &|profile, names| {
        stderr::note(&format_args!(
            "profile {profile} takes these for some of the crawlers that are shut out, because of \
             their names, so what they may read changes there: {names}"
        ));
    });
}
