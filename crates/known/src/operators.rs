//! Files as the operators of known crawlers read them.

use robotsieve::internals::{PolicyInternals as _, RobotsInternals as _};
use robotsieve::{Policy, Profile, Robots};
use robotsieve_shown::first_of;

use super::crawler::{KnownCrawler, read_part};

/// The number of names in a note.
const NAMES: usize = 3;

/// A file as operators of known crawlers read it, where that is known to be in another profile than the one
/// asked for. Empty, it stands for the profile asked for.
///
/// ```
/// use robotsieve::{Profile, Robots};
/// use robotsieve_known::{KnownCrawlers, Operators};
///
/// let (known, file) = (KnownCrawlers::built_in(), b"User-agent: *\nDisalow: /old-shop/");
/// let asked = Robots::parse(file, &Profile::RFC9309);
/// let operators = Operators::of(file, asked.profile(), known);
/// let may_read = |token: &str| {
///     let crawler = known.by_token(token).unwrap();
///     crawler.policy(operators.robots(crawler, &asked)).is_path_allowed("/old-shop/").unwrap()
/// };
/// assert!(!may_read("Googlebot") && may_read("GPTBot"));
/// ```
#[derive(Debug, Default)]
pub struct Operators<'f>(Vec<Robots<'f>>);

impl<'f> Operators<'f> {
    /// Reads the text of a file in the profiles of these crawlers' operators.
    pub fn of<'k>(
        file: &'f [u8],
        asked: &Profile,
        known: impl IntoIterator<Item = &'k KnownCrawler>,
    ) -> Operators<'f> {
        let mut all: Vec<Robots<'f>> = Vec::new();
        for own in known.into_iter().filter_map(|crawler| crawler.profile) {
            if own != *asked && all.iter().all(|robots| *robots.profile() != own) {
                all.push(Robots::parse(read_part(file), &own));
            }
        }
        Operators(all)
    }

    /// The file as the operator of a crawler reads it; `asked` where that is not known.
    pub fn robots<'r>(&'r self, crawler: &KnownCrawler, asked: &'r Robots<'f>) -> &'r Robots<'f> {
        self.own(crawler).unwrap_or(asked)
    }

    /// The readings.
    pub fn iter(&self) -> impl Iterator<Item = &Robots<'f>> {
        self.0.iter()
    }

    fn own(&self, crawler: &KnownCrawler) -> Option<&Robots<'f>> {
        self.0.iter().find(|robots| crawler.profile == Some(*robots.profile()))
    }

    /// Returns true if a crawler has other rules as its operator reads the file. With the same rules, other
    /// spellings of URLs may still be read otherwise.
    pub fn differ(&self, crawler: &KnownCrawler, asked: &Robots<'f>) -> bool {
        self.own(crawler).is_some_and(|own| rules(crawler, own) != rules(crawler, asked))
    }

    /// Those of these crawlers that have other rules as their operators read the file, and the profile, in a
    /// sentence for those who judge them so.
    pub fn note<'k>(
        &self,
        crawlers: impl IntoIterator<Item = &'k KnownCrawler>,
        asked: &Robots<'f>,
    ) -> Option<String> {
        let Differing { names, operator, profile, them, .. } = self.differing(crawlers, asked)?;
        Some(format!(
            "{names}: judged in profile {profile}, in which {operator} reads robots.txt, and in which this file \
             has other rules for {them}; --profile {} judges all alike",
            asked.profile().name().unwrap_or_default(),
        ))
    }

    /// The same for those who judge all in the profile asked for. `file` names the file.
    pub fn note_of_asked<'k>(
        &self,
        crawlers: impl IntoIterator<Item = &'k KnownCrawler>,
        asked: &Robots<'f>,
        file: &str,
    ) -> Option<String> {
        let Differing { names, operator, profile, them, way } = self.differing(crawlers, asked)?;
        Some(format!(
            "{names}: {operator} reads robots.txt in profile {profile}, in which {file} has other rules for {them}{way}",
        ))
    }

    fn differing<'k>(
        &self,
        crawlers: impl IntoIterator<Item = &'k KnownCrawler>,
        asked: &Robots<'f>,
    ) -> Option<Differing<'k>> {
        let differ = crawlers.into_iter().filter(|crawler| self.differ(crawler, asked)).collect();
        Differing::of(differ)
    }

    /// A note for those who ask a pack, which has no files to compare, for these crawlers.
    pub fn note_of_pack<'k>(
        crawlers: impl IntoIterator<Item = &'k KnownCrawler>,
        asked: &Profile,
    ) -> Option<String> {
        let differs = |own: Profile| own != *asked;
        let differ = crawlers.into_iter().filter(|it| it.profile.is_some_and(differs)).collect();
        let Differing { names, operator, profile, them, .. } = Differing::of(differ)?;
        Some(format!(
            "{names}: {operator} reads robots.txt in profile {profile}, in which files may have other rules for \
             {them}; this pack was made in profile {}, and 'robotsieve pack --profile {profile}' makes one in that",
            asked.name()?,
        ))
    }
}

/// Crawlers that have other rules as their operator reads the file.
struct Differing<'k> {
    names: String,
    operator: &'k str,
    profile: &'static str,
    them: &'static str,
    /// How their verdicts in the profile are had, as a clause.
    way: String,
}

impl<'k> Differing<'k> {
    fn of(differ: Vec<&'k KnownCrawler>) -> Option<Differing<'k>> {
        // There is one such operator.
        let first = differ.first()?;
        let profile = first.profile?.name()?;
        let way = first.way_to_ask(profile);
        let is_for_all = differ.iter().all(|crawler| crawler.way_to_ask(profile) == way);
        Some(Differing {
            names: first_of(NAMES, differ.iter().map(|crawler| crawler.name.clone())),
            operator: &first.operator,
            profile,
            way: if is_for_all { way } else { String::new() },
            them: if differ.len() == 1 { "it" } else { "them" },
        })
    }
}

/// The lines and verdicts of the rules that a crawler obeys.
fn rules(crawler: &KnownCrawler, robots: &Robots<'_>) -> Vec<(u32, bool)> {
    let obeys_some = crawler.star || crawler.is_named(robots);
    let policy: Option<Policy> = obeys_some.then(|| robots.policy_with_rules(&crawler.crawler()));
    let rules = policy.iter().flat_map(|policy| policy.rule_set().iter());
    let mut rules: Vec<(u32, bool)> =
        rules.map(|rule| (rule.line, rule.verdict.is_allow())).collect();
    rules.sort_unstable();
    rules
}
