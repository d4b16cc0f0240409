//! The Content-Usage lines for a crawler.

use robotsieve::Profile;
use robotsieve::records::Preferences;

use crate::content_usage::ContentUsage;
use crate::note::{Note, Notes};
use crate::paths::Paths;
use crate::place::Place;
use crate::purpose::Purposes;
use crate::robots::said::Said;
use crate::statement::Statement;
use crate::version::{Version, Vocabulary};

/// Content-Usage lines by path.
#[derive(Debug)]
pub(super) struct UsageRules {
    vocabulary: Vocabulary,
    lines: Vec<UsageLine>,
    /// The number of a path is that of its line.
    paths: Paths,
}

#[derive(Clone, Copy, Debug)]
struct UsageLine {
    line: u32,
    allows: Purposes,
    disallows: Purposes,
    notes: Notes,
}

impl UsageRules {
    pub(super) fn new(
        lines: &[(u32, &[u8])],
        vocabulary: Vocabulary,
        profile: &Profile,
    ) -> UsageRules {
        let split = lines.iter().map(|(line, value)| (*line, Preferences::of(value)));
        let paths = Paths::new(split.clone().map(|(_, said)| said.path).zip(0..), profile);
        let lines = split.map(|(line, said)| UsageLine::new(line, &said, vocabulary));
        UsageRules { vocabulary, lines: lines.collect(), paths }
    }

    /// Returns true if there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The bytes of memory beside the value itself.
    pub(super) fn memory_usage(&self) -> usize {
        self.lines.capacity() * size_of::<UsageLine>() + self.paths.memory_usage()
    }

    /// Returns true if a target has to be compared.
    pub(super) fn has_patterns(&self) -> bool {
        self.paths.has_patterns()
    }

    /// Calls `said` with what is said of a normalised target: the longest path counts, with all that its
    /// lines say.
    pub(super) fn state(&self, target: &[u8], said: &mut impl FnMut(Said)) {
        let longest = self.paths.longest(target);
        if longest.differ {
            said(Said::Note(Note::EqualLength));
        }
        for number in longest.numbers {
            let Some(line) = self.lines.get(number as usize) else { continue };
            line.notes.iter().for_each(|note| said(Said::Note(note)));
            let place = Place::Robots { line: line.line };
            let statement = Statement::new(place, Version::Aipref(self.vocabulary));
            said(Said::Statement(statement.allowing(line.allows).disallowing(line.disallows)));
        }
    }
}

impl UsageLine {
    fn new(line: u32, said: &Preferences<'_>, vocabulary: Vocabulary) -> UsageLine {
        let Ok(usage) = ContentUsage::of_record(said) else {
            let notes = Notes::from_iter([Note::Malformed]);
            return UsageLine { line, allows: Purposes::NONE, disallows: Purposes::NONE, notes };
        };
        UsageLine {
            line,
            allows: usage.allows(vocabulary),
            disallows: usage.disallows(vocabulary),
            notes: usage.notes(vocabulary),
        }
    }
}
