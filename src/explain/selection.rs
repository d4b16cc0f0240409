//! Which group was chosen, and which product tokens competed.

use std::ops::Range;

use crate::policy::robots::Robots;
use crate::profile::{GroupMatch, Profile};
use crate::read::crawler::Crawler;
use crate::read::select::{Names, Selected, looked_up, token_for};

/// The way from a crawler's names to its groups.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection<'a> {
    /// Which kind of group was chosen.
    pub choice: Choice,
    /// All user-agent lines, in the order of the file, with what became of each.
    pub lines: Vec<AgentLine<'a>>,
}

/// Which kind of group holds for a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// Groups that name it.
    Named,
    /// No group names it; those for everybody (`*`) do.
    Everybody,
    /// No group is for it: everything is allowed.
    None,
}

/// A user-agent line and how it fared.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentLine<'a> {
    /// The line, 1-based.
    pub line: u32,
    /// The value as written.
    pub value: &'a [u8],
    /// The bytes of the file that hold the value.
    pub value_span: Range<usize>,
    /// The group that the line opens or belongs to: 1 is the first of the file.
    pub group: u32,
    /// Whom it names.
    pub names: NamedBy<'a>,
    /// Which of the crawler's names finds the token, from 0: the first that does.
    pub found_by: Option<usize>,
    /// What became of it.
    pub standing: Standing,
}

/// Whom a user-agent line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedBy<'a> {
    /// Every crawler that no other group names.
    Everybody,
    /// The crawlers that find this product token.
    Token(&'a [u8]),
    /// Nobody: there is no token.
    Nobody,
}

/// What became of a user-agent line in the choice of a crawler's groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Standing {
    /// Its group is the crawler's because of it.
    Chosen,
    /// Its group is the crawler's because of another line.
    InChosenGroup,
    /// It names other crawlers, or nobody.
    Unrelated,
    /// It is for everybody, but a group names the crawler.
    EverybodyElse,
    /// It names the crawler, but a name that comes before has a group.
    LaterName,
    /// Its token is a prefix of the crawler's name, but another one is longer.
    ShorterToken,
    /// It names the crawler, but so does one further up, and only the first counts.
    FurtherDown,
}

/// Names of a crawler behind these are passed over where an earlier one has a group.
const NAMES_COMPARED: usize = 64;

impl<'a> Selection<'a> {
    pub(super) fn of(robots: &Robots<'a>, crawler: &Crawler) -> Selection<'a> {
        let profile = robots.profile();
        let selected = robots.groups().select(crawler);
        let choice = match selected {
            Selected::None => Choice::None,
            Selected::Named(_) => Choice::Named,
            Selected::Everybody(_) => Choice::Everybody,
        };
        let values = |place: &Range<usize>| &robots.groups().file()[place.clone()];
        let mut lines: Vec<AgentLine<'a>> = robots
            .groups()
            .agent_lines()
            .map(|(line, value_span, group)| AgentLine {
                line,
                value: values(&value_span),
                group: group + 1,
                names: match Names::of(values(&value_span), profile) {
                    Names::Everybody => NamedBy::Everybody,
                    Names::Token(token) => NamedBy::Token(token),
                    Names::Nobody => NamedBy::Nobody,
                },
                value_span,
                found_by: None,
                standing: Standing::Unrelated,
            })
            .collect();
        compete(&mut lines, crawler, profile);
        for line in &mut lines {
            let chosen = selected.groups().binary_search(&(line.group - 1)).is_ok();
            let everybody = line.names == NamedBy::Everybody;
            line.standing = match (line.standing, choice) {
                (Standing::Chosen, _) if chosen => Standing::Chosen,
                (_, Choice::Everybody) if chosen && everybody => Standing::Chosen,
                _ if chosen => Standing::InChosenGroup,
                (_, Choice::Named) if everybody => Standing::EverybodyElse,
                (Standing::Chosen, _) => Standing::FurtherDown,
                _ if everybody => Standing::FurtherDown,
                (standing, _) => standing,
            };
        }
        Selection { choice, lines }
    }

    /// The lines that make the crawler's groups.
    pub fn chosen(&self) -> impl Iterator<Item = &AgentLine<'a>> {
        let is_chosen = |line: &&AgentLine<'_>| {
            matches!(line.standing, Standing::Chosen | Standing::InChosenGroup)
        };
        self.lines.iter().filter(is_chosen)
    }
}

/// Finds out which lines name the crawler, and which of them does so best: those are
/// [`Standing::Chosen`], whatever else keeps their group from being chosen.
fn compete(lines: &mut [AgentLine<'_>], crawler: &Crawler, profile: &Profile) {
    let mut decided = false;
    for (number, name) in crawler.iter().enumerate() {
        if decided && number >= NAMES_COMPARED {
            break;
        }
        let name = looked_up(name, profile.group_match);
        let mut best: Option<&[u8]> = None;
        let mut found: Vec<(usize, &[u8])> = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let Some(token) = token_for(line.value, name, profile) else { continue };
            found.push((at, token));
            let longest = profile.group_match == GroupMatch::LongestPrefix;
            if best.is_none_or(|best| longest && best.len() < token.len()) {
                best = Some(token);
            }
        }
        for (at, token) in found {
            let line = &mut lines[at];
            let standing = if decided {
                Standing::LaterName
            } else if best.is_some_and(|best| best.eq_ignore_ascii_case(token)) {
                Standing::Chosen
            } else if profile.group_match == GroupMatch::LongestPrefix {
                Standing::ShorterToken
            } else {
                Standing::FurtherDown
            };
            if line.found_by.is_none() || standing == Standing::Chosen {
                line.found_by = Some(number);
                line.standing = standing;
            }
        }
        decided |= best.is_some() && !profile.merge_names;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standings(file: &str, names: &[&str], profile: &Profile) -> (Choice, Vec<(u32, Standing)>) {
        let robots = Robots::parse(file.as_bytes(), profile);
        let selection = Selection::of(&robots, &Crawler::names(names));
        let lines = selection.lines.iter().map(|line| (line.line, line.standing)).collect();
        (selection.choice, lines)
    }

    const FILE: &str = "user-agent: a\nuser-agent: ab\ndisallow: /\nuser-agent: *\ndisallow: /\n\
                        user-agent: abc\ndisallow: /\nuser-agent: 1\nuser-agent: AB\ndisallow: /";

    #[test]
    fn each_line_has_its_standing() {
        use Standing::*;
        let of = |names: &[&str], profile| standings(FILE, names, profile);
        let wanted = vec![
            (1, InChosenGroup),
            (2, Chosen),
            (4, EverybodyElse),
            (6, Unrelated),
            (8, InChosenGroup),
            (9, Chosen),
        ];
        assert_eq!(of(&["ab"], &Profile::RFC9309), (Choice::Named, wanted));
        let (choice, lines) = of(&["abcd"], &Profile::GOOGLE_CLASSIC);
        assert_eq!(choice, Choice::Named);
        let wanted = [
            (1, ShorterToken),
            (2, ShorterToken),
            (4, EverybodyElse),
            (6, Chosen),
            (8, Unrelated),
            (9, ShorterToken),
        ];
        assert_eq!(lines, wanted);
        let (choice, lines) = of(&["x", "abc", "ab"], &Profile::RFC9309);
        assert_eq!(choice, Choice::Named);
        assert_eq!(lines[1], (2, LaterName));
        assert_eq!(lines[3], (6, Chosen));
        let (choice, lines) = of(&["x"], &Profile::RFC9309);
        assert_eq!((choice, lines[2]), (Choice::Everybody, (4, Chosen)));
        let (_, lines) = of(&["xab"], &Profile::ORIGINAL_1994);
        assert_eq!(lines[0], (1, Chosen));
        assert_eq!(lines[5], (9, FurtherDown));
        let (choice, lines) = standings("user-agent: a\ndisallow: /", &["b"], &Profile::RFC9309);
        assert_eq!((choice, lines), (Choice::None, vec![(1, Unrelated)]));
    }

    #[test]
    fn only_the_first_group_in_1994() {
        use Standing::*;
        let file = "user-agent: *\ndisallow: /a\n\nuser-agent: *\ndisallow: /b\n";
        let (choice, lines) = standings(file, &["x"], &Profile::ORIGINAL_1994);
        assert_eq!((choice, lines), (Choice::Everybody, vec![(1, Chosen), (4, FurtherDown)]));
    }

    #[test]
    fn chosen_lines_are_those_of_the_group() {
        for &(_, profile) in Profile::NAMED {
            let robots = Robots::parse(FILE.as_bytes(), &profile);
            for names in [vec!["ab"], vec!["abcd"], vec!["x", "abc"], vec!["1"], vec![]] {
                let crawler = Crawler::names(names);
                let selection = Selection::of(&robots, &crawler);
                let chosen: Vec<_> = selection.chosen().map(|l| (l.line, l.value)).collect();
                assert_eq!(chosen, robots.group_of(&crawler));
            }
        }
    }
}
