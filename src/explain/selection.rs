//! Which group applies to a crawler, and which product tokens competed for it.

use std::ops::Range;

use crate::policy::robots::Robots;
use crate::profile::{GroupMatch, Profile};
use crate::read::crawler::Crawler;
use crate::read::joints::joints;
use crate::read::parse::Record;
use crate::read::select::{Selected, token_for};
use crate::read::token::{Names, looked_up};

/// The choice of a crawler's groups.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection<'a> {
    /// The kind of group that applies.
    pub choice: GroupChoice,
    /// All user-agent lines, in the order of the file, with what became of each.
    pub lines: Vec<AgentLine<'a>>,
    /// Where one of the groups that apply goes on although it seems to end: the user-agent lines in it
    /// that come after another record.
    pub joints: Vec<Joint<'a>>,
}

/// A user-agent line that joins the group before it, since the record between ends no group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Joint<'a> {
    /// The user-agent line, from 1.
    pub line: u32,
    /// The line of the record before it.
    pub after: u32,
    /// The name of that record's field, as written.
    pub field: &'a [u8],
}

impl<'a> Joint<'a> {
    /// The joints of a group of a file with these records. Groups are counted from 0.
    pub(crate) fn of_group(
        robots: &Robots<'a>,
        records: &[Record<'a>],
        group: u32,
    ) -> Vec<Joint<'a>> {
        let lines: Vec<u32> =
            robots.groups().agents(group).iter().map(|agent| agent.line).collect();
        Joint::all(records, &lines).collect()
    }

    /// The joints of a group with these user-agent lines, in a file with these records.
    fn all(records: &[Record<'a>], lines: &[u32]) -> impl Iterator<Item = Joint<'a>> {
        joints(records, lines).map(|joint| Joint {
            line: lines[joint.at],
            after: joint.last.line,
            field: joint.last.name,
        })
    }
}

/// Which kind of group applies to a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum GroupChoice {
    /// The groups that name it.
    Named,
    /// The groups for everybody (`*`), because no group names it.
    Everybody,
    /// No group applies, so everything is allowed.
    None,
}

impl GroupChoice {
    /// `named`, `everybody` or `none`.
    pub fn as_str(self) -> &'static str {
        match self {
            GroupChoice::Named => "named",
            GroupChoice::Everybody => "everybody",
            GroupChoice::None => "none",
        }
    }
}

display_as_str!(GroupChoice);

/// A user-agent line, and what became of it when the crawler's groups were chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentLine<'a> {
    /// The line number, from 1.
    pub line: u32,
    /// The value as written.
    pub value: &'a [u8],
    /// Where the value is, in bytes of the file.
    pub value_span: Range<usize>,
    /// The number of the line's group in the file, from 1.
    pub group: u32,
    /// The crawlers that the line names.
    pub names: NamedCrawlers<'a>,
    /// The index, from 0, of the first of the crawler's names that finds the token.
    pub found_by: Option<usize>,
    /// The standing of the line's group: does it apply, and if not, why not?
    pub standing: Standing,
}

/// The crawlers that a user-agent line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedCrawlers<'a> {
    /// Every crawler that no other group names.
    Everybody,
    /// The crawlers whose names find this product token.
    Token(&'a [u8]),
    /// None: the value has no product token.
    Nobody,
}

/// What became of a user-agent line when a crawler's groups were chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Standing {
    /// Its group applies, because of this line.
    Chosen,
    /// Its group applies, because of another of its lines.
    InChosenGroup,
    /// It names other crawlers, or none, or it is found only by a name after the 64th, which are
    /// not compared.
    Unrelated,
    /// It is for everybody, but another group names the crawler.
    EverybodyElse,
    /// It names the crawler, but an earlier one of the crawler's names has a group.
    LaterName,
    /// Its token is a prefix of the crawler's name, but a longer token is too.
    ShorterToken,
    /// It names the crawler, but an earlier line does too, and only the first one counts.
    FurtherDown,
}

impl Standing {
    /// The name of the variant in lower case with hyphens, such as `in-chosen-group`.
    pub fn as_str(self) -> &'static str {
        match self {
            Standing::Chosen => "chosen",
            Standing::InChosenGroup => "in-chosen-group",
            Standing::Unrelated => "unrelated",
            Standing::EverybodyElse => "everybody-else",
            Standing::LaterName => "later-name",
            Standing::ShorterToken => "shorter-token",
            Standing::FurtherDown => "further-down",
        }
    }
}

display_as_str!(Standing);

impl<'a> Selection<'a> {
    /// Once a name has a group, names after this many are no longer looked up: a crawler with
    /// thousands of names would otherwise cost a pass over all lines for each. The groups that
    /// apply are right all the same.
    pub const NAMES_COMPARED: usize = 64;

    /// The selection of the groups that apply to a crawler. Reads the file again; `O(n)`.
    #[must_use]
    pub fn of(robots: &Robots<'a>, crawler: &Crawler) -> Selection<'a> {
        let profile = robots.profile();
        let selected = robots.groups().select(crawler);
        let choice = match selected {
            Selected::None => GroupChoice::None,
            Selected::Named(_) => GroupChoice::Named,
            Selected::Everybody(_) => GroupChoice::Everybody,
        };
        let value = |span: &Range<usize>| &robots.groups().file()[span.clone()];
        let mut lines: Vec<AgentLine<'a>> = robots
            .groups()
            .agent_lines()
            .map(|(line, value_span, group)| AgentLine {
                line,
                value: value(&value_span),
                group: group + 1,
                names: match Names::of(value(&value_span), profile) {
                    Names::Everybody => NamedCrawlers::Everybody,
                    Names::Token(token) => NamedCrawlers::Token(token),
                    Names::Nobody => NamedCrawlers::Nobody,
                },
                value_span,
                found_by: None,
                standing: Standing::Unrelated,
            })
            .collect();
        compete(&mut lines, crawler, profile);
        for line in &mut lines {
            let chosen = selected.groups().binary_search(&(line.group - 1)).is_ok();
            let everybody = line.names == NamedCrawlers::Everybody;
            line.standing = match (line.standing, choice) {
                (Standing::Chosen, _) if chosen => Standing::Chosen,
                (_, GroupChoice::Everybody) if chosen && everybody => Standing::Chosen,
                _ if chosen => Standing::InChosenGroup,
                (_, GroupChoice::Named) if everybody => Standing::EverybodyElse,
                (Standing::Chosen, _) => Standing::FurtherDown,
                _ if everybody => Standing::FurtherDown,
                (standing, _) => standing,
            };
        }
        let mut selection = Selection { choice, lines, joints: Vec::new() };
        selection.joints = selection.find_joints(robots);
        selection
    }

    fn find_joints(&self, robots: &Robots<'a>) -> Vec<Joint<'a>> {
        let chosen: Vec<(u32, u32)> = self.chosen().map(|line| (line.group, line.line)).collect();
        let is_one = |one: &(u32, u32), other: &(u32, u32)| one.0 == other.0;
        let mut found = Vec::new();
        let mut records = Vec::new();
        for group in chosen.chunk_by(is_one).filter(|lines| lines.len() > 1) {
            if records.is_empty() {
                records = robots.records().collect();
            }
            let lines: Vec<u32> = group.iter().map(|(_, line)| *line).collect();
            found.extend(Joint::all(&records, &lines));
        }
        found
    }

    /// All user-agent lines of the groups that apply.
    pub fn chosen(&self) -> impl Iterator<Item = &AgentLine<'a>> {
        let is_chosen = |line: &&AgentLine<'_>| {
            matches!(line.standing, Standing::Chosen | Standing::InChosenGroup)
        };
        self.lines.iter().filter(is_chosen)
    }
}

/// Finds the lines that name the crawler. The best of them become [`Standing::Chosen`], even if
/// the profile then takes another group.
fn compete(lines: &mut [AgentLine<'_>], crawler: &Crawler, profile: &Profile) {
    let mut decided = false;
    for (number, name) in crawler.iter().enumerate() {
        if decided && number >= Selection::NAMES_COMPARED {
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
        decided |= best.is_some() && !crawler.merges_names(profile);
    }
}
