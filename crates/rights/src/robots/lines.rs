//! The lines of a robots.txt that are about rights, with their groups.
//!
//! Content-Usage is a rule (draft-ietf-aipref-attach-05 §3: `rule =/ content-usage`), so a user-agent
//! line after it opens a new group. RFC 9309 does not know that, and neither do Content-Signal and
//! License. So lines have two groupings: that of Content-Usage, and that of everything else.

use std::collections::{BTreeSet, HashMap};

use robotsieve::internals::{
    Content, GroupNumbers, Lookups, RobotsInternals as _, Selected, names_everybody,
};
use robotsieve::records::Preferences;
use robotsieve::{Crawler, Field, Profile, Robots};

use crate::encoding::is_binary;
use crate::tables::PolicyToken;
use crate::{ContentSignals, ContentUsage, Purposes, Vocabulary};

/// A field of robots.txt that is about rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RightsField {
    /// `Content-Usage`.
    ContentUsage,
    /// `Content-Signal`.
    ContentSignal,
    /// `License`.
    License,
}

impl RightsField {
    /// The field of this name, which has no case.
    fn of_name(name: &[u8]) -> Option<RightsField> {
        let is = |wanted: &[u8]| name.eq_ignore_ascii_case(wanted);
        if is(b"content-usage") {
            Some(RightsField::ContentUsage)
        } else if is(b"content-signal") {
            Some(RightsField::ContentSignal)
        } else if is(b"license") {
            Some(RightsField::License)
        } else {
            None
        }
    }

    /// The purposes that a line of this field allows and disallows.
    pub fn stated(self, said: &Preferences<'_>) -> (Purposes, Purposes) {
        match self {
            RightsField::ContentUsage => match ContentUsage::of_record(said) {
                Ok(usage) => {
                    (usage.allows(Vocabulary::default()), usage.disallows(Vocabulary::default()))
                }
                Err(_) => (Purposes::NONE, Purposes::NONE),
            },
            RightsField::ContentSignal => {
                let signals = ContentSignals::parse(said.statement);
                (signals.allows(), signals.disallows())
            }
            RightsField::License => (Purposes::NONE, Purposes::NONE),
        }
    }
}

/// A line about rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RightsLine<'a> {
    /// The field.
    pub field: RightsField,
    /// The line, from 1.
    pub line: u32,
    /// The value as written.
    pub value: &'a [u8],
    /// Its group, in the grouping of its field. `None` if it stands outside any group.
    pub group: Option<u32>,
    /// Its group of RFC 9309. `None` if it stands outside any group.
    pub crawl_group: Option<u32>,
}

/// Sets of names, each with a number.
type Sets = HashMap<BTreeSet<Vec<u8>>, usize>;

/// The field and the value of a line, and the number of the names in its group.
type Said<'a> = (RightsField, &'a [u8], Option<usize>);

/// The lines of a file about rights.
#[derive(Debug, Default)]
pub struct RightsLines<'a> {
    /// The lines in the order of the file.
    pub lines: Vec<RightsLine<'a>>,
    /// Value and group of each user-agent line, in the grouping of Content-Usage.
    agents: Vec<(&'a [u8], u32)>,
    /// The group of RFC 9309 of each of them.
    crawl_groups: Vec<Option<u32>>,
    /// True if the two groupings differ.
    pub groups_differ: bool,
    /// True if a field is nearly one of these.
    pub has_misspelt: bool,
    /// True if what the profile's limits leave out of the file may be about rights, or the file is no text.
    pub is_cut: bool,
}

impl<'a> RightsLines<'a> {
    /// Reads a file, once: `O(n)`.
    pub fn of(robots: &Robots<'a>) -> RightsLines<'a> {
        let profile = robots.profile();
        let file = robots.groups().file();
        let is_cut = robots.extent().end < file.len() || is_binary(file);
        let mut found = RightsLines { is_cut, ..RightsLines::default() };
        let line_limit = profile.line_limit.unwrap_or(usize::MAX);
        // The grouping of Content-Usage is the file's own, in which a user-agent line after one opens a
        // group, too.
        let (mut count, mut is_after_usage) = (0, false);
        // The group of RFC 9309, once there is one.
        let mut group: Option<Option<u32>> = None;
        for line in robots.groups().lines() {
            let record = match line.content {
                Content::Record(record) => record,
                Content::Blank if profile.blank_line_ends_group => {
                    group = None;
                    continue;
                }
                _ => continue,
            };
            match record.field {
                Field::UserAgent => {
                    let before = group.replace(robots.groups().group_of_line(record.line));
                    let opens_group = is_after_usage || before != group;
                    is_after_usage = false;
                    count += u32::from(opens_group);
                    found.groups_differ |= opens_group && before == group;
                    found.agents.push((record.value, count - 1));
                    found.crawl_groups.extend(group);
                }
                Field::Other => {
                    let Some(field) = RightsField::of_name(record.name) else {
                        found.has_misspelt |= is_misspelt(record.name);
                        continue;
                    };
                    let crawl_group = group.flatten();
                    let mut own = crawl_group;
                    if field == RightsField::ContentUsage {
                        own = group.map(|_| count - 1);
                        is_after_usage = group.is_some();
                    }
                    found.is_cut |= line.bytes.len() > line_limit;
                    let (line, value) = (record.line, record.value);
                    found.lines.push(RightsLine { field, line, value, group: own, crawl_group });
                }
                _ => {}
            }
        }
        found
    }

    /// Returns true if two files differ in nothing but what one line says.
    pub fn is_same_without(&self, other: &RightsLines<'_>, line: u32) -> bool {
        let others =
            |lines: &RightsLines<'_>| lines.lines.iter().filter(|one| one.line != line).count();
        let pairs = self.lines.iter().filter(|one| one.line != line);
        let mut pairs = pairs.zip(other.lines.iter().filter(|one| one.line != line));
        others(self) == others(other)
            && pairs.all(|(one, other)| one == other)
            && self.agents == other.agents
            && self.groups_differ == other.groups_differ
    }

    /// Returns true if the lines of two files say the same to the same crawlers, in the same order.
    pub fn says_like(&self, other: &RightsLines<'_>) -> bool {
        let mut sets = Sets::default();
        self.lines.len() == other.lines.len()
            && (self.lines.is_empty() || {
                let (own, others) = (self.said(&mut sets), other.said(&mut sets));
                own == others
            })
    }

    /// The set of all names in user-agent lines, and of each line its field, its value, and the names of
    /// its group, all by number.
    fn said(&self, sets: &mut Sets) -> (usize, Vec<Said<'a>>) {
        let (mut usage, mut crawl) = (HashMap::new(), HashMap::new());
        let mut all = BTreeSet::new();
        for ((name, group), crawl_group) in self.agents.iter().zip(&self.crawl_groups) {
            let name = name.to_ascii_lowercase();
            usage.entry(*group).or_insert_with(BTreeSet::new).insert(name.clone());
            if let Some(group) = crawl_group {
                crawl.entry(*group).or_insert_with(BTreeSet::new).insert(name.clone());
            }
            all.insert(name);
        }
        let mut number = |set: BTreeSet<Vec<u8>>| {
            let next = sets.len();
            *sets.entry(set).or_insert(next)
        };
        let all = number(all);
        let [usage, crawl] = [usage, crawl].map(|groups| {
            groups.into_iter().map(|(group, set)| (group, number(set))).collect::<HashMap<_, _>>()
        });
        let said = self.lines.iter().map(|line| {
            let groups = if line.field == RightsField::ContentUsage { &usage } else { &crawl };
            let names = line.group.map(|group| groups.get(&group).copied().unwrap_or(all));
            (line.field, line.value, names)
        });
        (all, said.collect())
    }

    /// The lines of a field.
    pub(super) fn of_field(&self, field: RightsField) -> impl Iterator<Item = &RightsLine<'a>> {
        self.lines.iter().filter(move |line| line.field == field)
    }

    /// The groups that a crawler obeys, and those for everybody, in the grouping of Content-Usage.
    pub(super) fn usage_groups(
        &self,
        crawler: &Crawler,
        profile: &Profile,
    ) -> (Selected, Selected) {
        let named = Lookups::default().named(self.agents.iter().copied(), crawler, profile);
        let everybody = || {
            let agents = self.agents.iter();
            let stars = agents.filter(|(value, _)| names_everybody(value, profile));
            Selected::of(GroupNumbers::new(), stars.map(|(_, group)| *group), profile)
        };
        match Selected::of(named, std::iter::empty(), profile) {
            Selected::None => (everybody(), everybody()),
            own => (own, everybody()),
        }
    }
}

/// Returns true if a file says anything of rights beside Allow and Disallow to a crawler whose operator
/// heeds these tokens: if it has a line about them or one that is misspelt, names a token, or is cut.
pub(crate) fn speaks_of_rights(robots: &Robots<'_>, tokens: &[PolicyToken]) -> bool {
    let lines = RightsLines::of(robots);
    let is_named = |token: &PolicyToken| {
        !robots.groups().select_named(&Crawler::name(token.name)).groups().is_empty()
    };
    !lines.lines.is_empty() || lines.has_misspelt || lines.is_cut || tokens.iter().any(is_named)
}

/// Returns true if a name is one of these fields but for hyphens, underscores, spaces and a plural, which
/// no definition allows.
fn is_misspelt(name: &[u8]) -> bool {
    use robotsieve::records::Kind;
    matches!(Kind::of_field(name), Kind::ContentUsage | Kind::ContentSignal)
}

#[cfg(test)]
mod tests {
    use robotsieve::OtherRecords;

    use super::*;

    fn groups(file: &str, profile: &Profile) -> Vec<(u32, Option<u32>)> {
        let robots = Robots::parse(file.as_bytes(), profile);
        RightsLines::of(&robots).lines.iter().map(|line| (line.line, line.group)).collect()
    }

    #[test]
    fn two_groupings() {
        let file = "Content-Usage: a\nLicense: b\nUser-agent: a\nContent-Usage: c\nContent-Signal: d\n\
            User-agent: b\nContent-Usage: e\nLICENSE : f\nDisallow: /\nUser-agent: c\nContent-Signal: g";
        let wanted = [
            (1, None),
            (2, None),
            (4, Some(0)),
            (5, Some(0)),
            (7, Some(1)),
            // To RFC 9309, the user-agent lines of a and b are one run.
            (8, Some(0)),
            (11, Some(1)),
        ];
        assert_eq!(groups(file, &Profile::RFC9309), wanted);
        let differ = |file: &str| {
            RightsLines::of(&Robots::parse(file.as_bytes(), &Profile::RFC9309)).groups_differ
        };
        assert!(differ(file));
        assert!(differ("User-agent: *\nContent-Usage: a=y\n\nUser-agent: b\nDisallow: /"));
        assert!(!differ("User-agent: *\nContent-Usage: a=y\nAllow: /\nUser-agent: b\nDisallow: /"));
        assert!(!differ("User-agent: *\nContent-Signal: a=y\nUser-agent: b\nDisallow: /"));
        let blank = "User-agent: a\nDisallow: /\n\nContent-Usage: x\nContent-Signal: y";
        assert_eq!(groups(blank, &Profile::RFC9309), [(4, Some(0)), (5, Some(0))]);
        assert_eq!(groups(blank, &Profile::ORIGINAL_1994), [(4, None), (5, None)]);
        // What ends a run of user-agent lines for rules does so here.
        let file = "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nFoo: x\nUser-agent: c\nSitemap: s\n\
            User-agent: d\nContent-Usage: x\nUser-agent: e\nContent-Usage: y";
        let ends =
            |other_records| groups(file, &Profile::RFC9309.with_other_records(other_records));
        assert_eq!(ends(OtherRecords::EndNothing), [(8, Some(0)), (10, Some(1))]);
        assert_eq!(ends(OtherRecords::DelaysEndAgents), [(8, Some(1)), (10, Some(2))]);
        assert_eq!(ends(OtherRecords::AllEndAgents), [(8, Some(3)), (10, Some(4))]);
        let classic = Profile::GOOGLE_CLASSIC;
        assert_eq!(groups(file, &classic), [(8, Some(1)), (10, Some(2))]);
    }

    #[test]
    fn speaks() {
        let speaks = |file: &str| {
            let robots = Robots::parse(file.as_bytes(), &Profile::RFC9309);
            speaks_of_rights(&robots, PolicyToken::ALL)
        };
        for file in ["License: x", "Content-signals: x", "user-agent: google-extended\ndisallow: /"]
        {
            assert!(speaks(file), "{file}");
        }
        for file in ["", "User-agent: *\nDisallow: /content-usage\nSitemap: https://e.com/"] {
            assert!(!speaks(file), "{file}");
        }
    }

    #[test]
    fn names() {
        let robots = |file: &'static str| Robots::parse(file.as_bytes(), &Profile::RFC9309);
        let file = robots("Content_Usage: a\nContent-Signals: b\ncontent usage: c\nLicence: d");
        let lines = RightsLines::of(&file);
        assert!(lines.lines.is_empty() && lines.has_misspelt);
        assert!(!RightsLines::of(&robots("Crawl-delay: 1\nLicence: x")).has_misspelt);
    }
}
