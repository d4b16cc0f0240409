//! Who is refused what: the crawlers that a header can name, in classes with the same policy.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Duration;

use robotsieve::internals::{Names, PolicyInternals as _, RobotsInternals as _};
use robotsieve::{Crawler, Policy, Profile, Robots};
use robotsieve_known::{KnownCrawler, KnownCrawlers, Operators};
use robotsieve_shown::{first_of, shown};

use super::header::{Name, Why, places};
use super::options::Options;

/// Crawlers with the same policy.
pub(super) struct Class {
    /// `None`: the file asks nothing of them.
    pub(super) policy: Option<Policy>,
    /// The profile of the policy.
    pub(super) profile: Profile,
    /// Their product tokens, sorted.
    pub(super) names: Vec<Name>,
}

/// The classes, and sentences about those who are in none.
pub(super) struct Whom {
    pub(super) classes: Vec<Class>,
    /// The names of those that are to wait between requests, in lower case, by how long.
    pub(super) delays: BTreeMap<Duration, Vec<String>>,
    /// The names of those whose addresses are given.
    pub(super) claimed: Vec<Name>,
    /// Whether anybody who was chosen is in no class, for their name.
    pub(super) left_out: bool,
    pub(super) notes: Vec<String>,
}

/// How many names a note has.
const NAMES_SHOWN: usize = 10;

/// The crawlers that are chosen, in classes.
///
/// A crawler whose operator finds other rules in the file is judged by those. With the same rules, only spellings of
/// URLs can differ, and those lead the server to the same pages: then `robots` counts, as for all others.
pub(super) fn whom<'f>(
    robots: &Robots<'f>,
    operators: &Operators<'f>,
    known: &KnownCrawlers,
    options: &Options,
) -> Whom {
    let asked = robots;
    let mut by_operators: Vec<&KnownCrawler> = Vec::new();
    let mut left_out = LeftOut::default();
    let mut seen: HashSet<String> = HashSet::new();
    let mut classes: Vec<Class> = Vec::new();
    // By the addresses of policies that are kept: no other gets the same.
    let mut by_address: HashMap<usize, usize> = HashMap::new();
    let mut kept: Vec<Policy> = Vec::new();
    let mut delays: BTreeMap<Duration, Vec<String>> = BTreeMap::new();
    for Candidate { token, entry, whole } in candidates(robots, known, options) {
        let lower = token.to_ascii_lowercase();
        let is_excepted =
            options.choice.except.iter().any(|name| name.eq_ignore_ascii_case(&token));
        if seen.contains(&lower) || is_excepted {
            continue;
        }
        // The word before the cut may be anybody's. Another line may have it as a whole name.
        if let Some(whole) = whole.filter(|_| entry.is_none()) {
            left_out.cut.entry(lower).or_insert(whole);
            continue;
        }
        seen.insert(lower.clone());
        let places = match places(&token, entry, known, options.server.tells_words()) {
            Ok(places) => places,
            Err(why) => {
                left_out.names.entry(why).or_default().insert(token);
                continue;
            }
        };
        if entry.is_none() && places.wants_more() {
            left_out.only_with_more.insert(token.clone());
        }
        let differs = |entry: &&KnownCrawler| operators.differ(entry, asked);
        let mut robots = asked;
        if let Some(entry) = entry.filter(differs) {
            robots = operators.robots(entry, asked);
            by_operators.push(entry);
        }
        let policy = match entry {
            Some(entry) if !entry.star && !entry.is_named(robots) => None,
            Some(entry) => Some(robots.policy_with_rules(&entry.crawler())),
            None => Some(robots.policy_with_rules(&Crawler::name(&token))),
        };
        if options.crawl_delay && policy.is_some() {
            let named = || Crawler::name(&token);
            let crawler = entry.map_or_else(named, KnownCrawler::crawler);
            let delay = robots.pace(&crawler).crawl_delay.filter(|delay| !delay.is_zero());
            delay
                .into_iter()
                .for_each(|delay| delays.entry(delay).or_default().push(lower.clone()));
        }
        let alike = |class: &Class| match (&class.policy, &policy) {
            (Some(a), Some(b)) => a.is_same(b) || a.decides_like(b),
            (a, b) => a.is_none() && b.is_none(),
        };
        let address = policy.as_ref().map_or(0, Policy::address);
        let found = by_address.get(&address).copied().or_else(|| classes.iter().position(alike));
        kept.extend(policy.clone());
        let number = found.unwrap_or_else(|| {
            classes.push(Class { policy, profile: *robots.profile(), names: Vec::new() });
            classes.len() - 1
        });
        by_address.insert(address, number);
        classes[number].names.push(Name { token: lower, places });
    }
    classes.iter_mut().for_each(|class| class.names.sort_by(|a, b| a.token.cmp(&b.token)));
    left_out.cut.retain(|token, _| !seen.contains(token));
    let mut claimed: Vec<Name> = Vec::new();
    let mut unsure: BTreeSet<String> = BTreeSet::new();
    for own in &options.ranges {
        let token = own.token.to_ascii_lowercase();
        let entry = known.by_token(&token);
        match places(&own.token, entry, known, options.server.tells_words()) {
            Ok(places) if !claimed.iter().any(|there| there.token == token) => {
                if entry.is_some_and(|entry| places.miss_surely(entry)) {
                    unsure.insert(own.token.clone());
                }
                claimed.push(Name { token, places });
            }
            Ok(_) => {}
            Err(why) => {
                left_out.names.entry(why).or_default().insert(own.token.clone());
            }
        }
    }
    let is_left_out = !left_out.names.is_empty() || !left_out.cut.is_empty();
    let mut notes = left_out.notes();
    if !unsure.is_empty() {
        notes.push(format!(
            "whoever sends the known header of {} from another address comes through: the name stands in it neither \
             at the beginning nor after 'compatible' nor with a version",
            first_of(NAMES_SHOWN, unsure.into_iter())
        ));
    }
    notes.extend(too_slow(&delays, options));
    notes.extend(operators.note(by_operators, asked));
    notes.extend(not_read(&delays, known));
    Whom { classes, delays, claimed, left_out: is_left_out, notes }
}

/// Who may come more often than the file asks, since the server counts no slower, in a sentence.
fn too_slow(delays: &BTreeMap<Duration, Vec<String>>, options: &Options) -> Option<String> {
    let counts_shorter = |delay: &Duration| options.server.counts_shorter(*delay);
    let how = delays.keys().find_map(counts_shorter)?;
    let slow = delays.iter().filter(|(delay, _)| counts_shorter(delay).is_some());
    let names: Vec<String> = slow.flat_map(|(_, names)| names).cloned().collect();
    Some(format!(
        "{how}, so {} may come more often than Crawl-delay asks",
        first_of(NAMES_SHOWN, names.into_iter())
    ))
}

/// Whose operator does not read Crawl-delay, in a sentence.
fn not_read(delays: &BTreeMap<Duration, Vec<String>>, known: &KnownCrawlers) -> Option<String> {
    let is_google =
        |token: &&String| known.by_token(token).is_some_and(|crawler| crawler.operator == "Google");
    let names: Vec<String> = delays.values().flatten().filter(is_google).cloned().collect();
    (!names.is_empty()).then(|| {
        format!(
            "Google's crawlers do not read Crawl-delay ({}): they slow down only after answers of 429, and --except leaves \
             them out",
            first_of(NAMES_SHOWN, names.into_iter())
        )
    })
}

/// A crawler that is chosen.
struct Candidate<'k> {
    token: String,
    /// What is known of it.
    entry: Option<&'k KnownCrawler>,
    /// The name as the file has it, if its token is only the beginning.
    whole: Option<String>,
}

fn candidates<'k>(
    robots: &Robots<'_>,
    known: &'k KnownCrawlers,
    options: &Options,
) -> Vec<Candidate<'k>> {
    let choice = &options.choice;
    let of_token = |token: &str, whole| Candidate {
        token: token.to_owned(),
        entry: known.by_token(token),
        whole,
    };
    let of_known = |crawler: &'k KnownCrawler| Candidate {
        token: crawler.token.clone(),
        entry: Some(crawler),
        whole: None,
    };
    if !choice.purposes.is_empty() || !choice.crawlers.is_empty() {
        let of_purposes = known.iter().filter(|crawler| choice.purposes.contains(&crawler.purpose));
        let named = choice.crawlers.iter().map(|token| of_token(token, None));
        return named.chain(of_purposes.map(of_known)).collect();
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let named = names_in(robots).map(|(token, whole)| of_token(&text(token), whole.map(text)));
    let others = known.iter().filter(|crawler| choice.known || crawler.is_named(robots));
    named.chain(others.map(of_known)).collect()
}

/// The tokens of the user-agent lines, and the whole name where a token is only the beginning of it.
pub(crate) fn names_in<'a>(
    robots: &Robots<'a>,
) -> impl Iterator<Item = (&'a [u8], Option<&'a [u8]>)> {
    let groups = robots.groups();
    let agents = (0..groups.count()).flat_map(move |group| groups.agents(group));
    agents.filter_map(move |agent| {
        let value = groups.agent_value(agent);
        let Names::Token(token) = Names::of(value, robots.profile()) else { return None };
        let whole = is_cut(value, token).then_some(value);
        (!token.is_empty()).then_some((token, whole))
    })
}

/// Returns true if a name goes on after its token: `Web Image Collector`, `Go!Zilla`. A version, a comment or a
/// star at its end is no part of it.
fn is_cut(value: &[u8], token: &[u8]) -> bool {
    let value = value.trim_ascii();
    let Some(rest) = value.strip_prefix(token) else { return true };
    let is_apart = rest.first().is_some_and(u8::is_ascii_whitespace);
    match rest.trim_ascii() {
        [] | [b'*'] | [b'/', ..] => false,
        [first, ..] if is_apart => !first.is_ascii_digit() && !b"(;#".contains(first),
        [first, ..] => !b"(;".contains(first),
    }
}

/// Those whom a configuration does not name.
#[derive(Default)]
struct LeftOut {
    names: BTreeMap<Why, BTreeSet<String>>,
    /// By their tokens, whole names of which the token is only the beginning.
    cut: BTreeMap<String, String>,
    /// Those that a word alone does not name.
    only_with_more: BTreeSet<String>,
}

impl LeftOut {
    fn notes(mut self) -> Vec<String> {
        self.names.entry(Why::Cut).or_default().extend(self.cut.into_values());
        let list = |names: &BTreeSet<String>| {
            first_of(NAMES_SHOWN, names.iter().map(|name| shown(name.as_bytes())))
        };
        let note = |(why, names): (Why, BTreeSet<String>)| {
            let text = || format!("nothing refuses {}: {}", list(&names), why.reason());
            (!names.is_empty()).then(text)
        };
        let mut notes: Vec<String> = self.names.into_iter().filter_map(note).collect();
        if !self.only_with_more.is_empty() {
            notes.push(format!(
                "finds {} only at the beginning of a header, after 'compatible' or with a version: such a word alone may \
                 be one of a device or an app",
                list(&self.only_with_more)
            ));
        }
        notes
    }
}

impl Why {
    fn reason(self) -> &'static str {
        match self {
            Why::OnlyInRobotsTxt => {
                "no header has this name, which stands for a use of what another crawler fetches"
            }
            Why::NoToken => {
                "this is no product token of at most 64 letters, digits, '-', '_' and '.'"
            }
            Why::Cut => {
                "of such a name robots.txt reads only the beginning, which headers of other people may have; write a name of letters, digits, '-' and '_'"
            }
            Why::OfBrowsers => "browsers send this word, or it names no crawler",
            Why::TooShort => "so short a name is also a word of devices and languages",
            Why::OfPeople => "browsers or apps of people send this name",
            Why::WithinWords => "in its header this name is a part of a word or of an address",
            Why::Substring => {
                "the server finds names within words, and this one may be a part of what others send"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_cut;

    #[test]
    fn names_that_go_on() {
        for (value, token, cut) in [
            ("GPTBot", "GPTBot", false),
            ("GPTBot/1.0", "GPTBot", false),
            ("HTTrack 3.0", "HTTrack", false),
            ("googlebot*", "googlebot", false),
            ("Foo (the bot)", "Foo", false),
            ("Web Image Collector", "Web", true),
            ("Go!Zilla", "Go", true),
            ("G\\-i\\-g", "G", true),
            ("Microsoft URL Control - 6", "Microsoft", true),
            ("MJ12bot", "MJ", true),
        ] {
            assert_eq!(is_cut(value.as_bytes(), token.as_bytes()), cut, "{value}");
        }
    }
}
