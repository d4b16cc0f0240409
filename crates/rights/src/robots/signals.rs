//! The Content-Signal lines for a crawler.

use robotsieve::Profile;
use robotsieve::records::Preferences;

use crate::content_signals::ContentSignals;
use crate::note::Notes;
use crate::paths::Paths;
use crate::place::Place;
use crate::purpose::{Purposes, Ruling};
use crate::robots::said::Said;
use crate::statement::Statement;
use crate::tables::SIGNALS;
use crate::version::Version;

/// Content-Signal lines by label and path.
#[derive(Debug)]
pub(super) struct SignalRules {
    lines: Vec<(u32, ContentSignals)>,
    /// For each label that grants or refuses, and last for the ceiling: the lines that state it.
    paths: [Paths; SIGNALS.len() + 1],
    /// True if the lines stand outside any group, so that they can refuse but not grant.
    are_outside: bool,
}

/// The place of the ceiling among the labels.
const CEILING: usize = SIGNALS.len();

impl SignalRules {
    pub(super) fn new(lines: &[(u32, &[u8])], are_outside: bool, profile: &Profile) -> SignalRules {
        let split = lines.iter().map(|(line, value)| (*line, Preferences::of(value)));
        let read =
            |(line, said): (u32, Preferences<'_>)| (line, ContentSignals::parse(said.statement));
        let lines: Vec<(u32, ContentSignals)> = split.clone().map(read).collect();
        let paths = std::array::from_fn(|label| {
            let paths = split.clone().map(|(_, said)| said.path).zip(0..).zip(&lines);
            let stated = paths.filter(|(_, (_, signals))| states(signals, label));
            Paths::new(stated.map(|(path, _)| path), profile)
        });
        SignalRules { lines, paths, are_outside }
    }

    /// Returns true if there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The bytes of memory beside the value itself.
    pub(super) fn memory_usage(&self) -> usize {
        let paths: usize = self.paths.iter().map(Paths::memory_usage).sum();
        self.lines.capacity() * size_of::<(u32, ContentSignals)>() + paths
    }

    /// Returns true if a target has to be compared.
    pub(super) fn has_patterns(&self) -> bool {
        self.paths.iter().any(Paths::has_patterns)
    }

    /// What is odd about the lines.
    pub(super) fn notes(&self) -> Notes {
        let mut notes = Notes::NONE;
        self.lines.iter().for_each(|(_, signals)| notes.add_all(signals.notes()));
        notes
    }

    /// Calls `said` with what is said of a normalised target, at least of the purposes that are wanted:
    /// for each label the longest path that states it counts. Of several lines a refusal and the lowest
    /// ceiling win.
    pub(super) fn state(&self, target: &[u8], wanted: Purposes, said: &mut impl FnMut(Said)) {
        for (label, paths) in self.paths.iter().enumerate() {
            let about = SIGNALS.get(label).map_or(Purposes::USES, |(_, purposes)| *purposes);
            if paths.is_empty() || (about & wanted).is_empty() {
                continue;
            }
            for number in paths.longest(target).numbers {
                let Some((line, signals)) = self.lines.get(number as usize) else { continue };
                if label == CEILING {
                    signals
                        .use_ceiling()
                        .into_iter()
                        .for_each(|ceiling| said(Said::Ceiling(ceiling)));
                    continue;
                }
                let place = Place::Robots { line: *line };
                let statement = Statement::new(place, Version::ContentSignals);
                match signals.said(label) {
                    Ruling::Disallow => said(Said::Statement(statement.disallowing(about))),
                    Ruling::Allow if !self.are_outside => {
                        said(Said::Statement(statement.allowing(about)));
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Returns true if a line states a label.
fn states(signals: &ContentSignals, label: usize) -> bool {
    if label == CEILING {
        signals.use_ceiling().is_some()
    } else {
        signals.said(label) != Ruling::Unknown
    }
}
