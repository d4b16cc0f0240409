//! The lines of a robots.txt about rights that are for one crawler, not yet read.

use robotsieve::internals::RobotsInternals as _;
use robotsieve::{Crawler, Robots};

use crate::note::{Note, Notes};
use crate::robots::licences::licences;
use crate::robots::lines::{RightsField, RightsLines};
use crate::robots::scope::in_scope;

/// The lines that are for one crawler: each with its number, and its value as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Selection<'a> {
    pub(crate) usage: Vec<(u32, &'a [u8])>,
    pub(crate) signals: Vec<(u32, &'a [u8])>,
    /// True if the signals stand outside any group, so that they can refuse but not grant.
    pub(crate) signals_are_outside: bool,
    /// The absolute addresses of licences.
    pub(crate) licences: Vec<(u32, &'a str)>,
    /// What is odd whatever the URL.
    pub(crate) notes: Notes,
}

impl<'a> Selection<'a> {
    /// The lines of each crawler. Reads the file once: `O(n + crawlers · lines)`.
    pub(crate) fn each<'c>(
        robots: &Robots<'a>,
        crawlers: impl IntoIterator<Item = &'c Crawler>,
    ) -> Vec<Selection<'a>> {
        let lines = RightsLines::of(robots);
        let crawlers = crawlers.into_iter();
        crawlers.map(|crawler| Selection::of(robots, &lines, crawler)).collect()
    }

    fn of(robots: &Robots<'a>, lines: &RightsLines<'a>, crawler: &Crawler) -> Selection<'a> {
        let (groups, profile) = (robots.groups(), robots.profile());
        let mut notes = Notes::NONE;
        notes.add_if(lines.has_misspelt, Note::MisspeltField);
        notes.add_if(lines.groups_differ, Note::GroupsDiffer);
        notes.add_if(lines.is_cut, Note::RobotsNotRead);
        if lines.lines.is_empty() {
            return Selection { notes, ..Selection::default() };
        }

        let (own, everybody) = lines.usage_groups(crawler, profile);
        let usage = in_scope(lines, RightsField::ContentUsage, &own, &everybody, &mut notes);

        let (own, everybody) = (groups.select(crawler), groups.select_everybody());
        let mut signals = in_scope(lines, RightsField::ContentSignal, &own, &everybody, &mut notes);
        let signals_are_outside = signals.is_empty();
        if signals_are_outside {
            let outside = lines.of_field(RightsField::ContentSignal);
            signals.extend(
                outside.filter(|line| line.group.is_none()).map(|line| (line.line, line.value)),
            );
        }
        let licences = licences(lines, &own, &mut notes);
        Selection { usage, signals, signals_are_outside, licences, notes }
    }
}
