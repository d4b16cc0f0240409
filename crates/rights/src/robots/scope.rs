//! The lines that are for a crawler.

use robotsieve::internals::Selected;

use crate::note::{Note, Notes};
use crate::robots::lines::{RightsField, RightsLine, RightsLines};

/// The lines of a field in the crawler's groups: numbers and values. Notes what may have been meant for
/// it besides.
pub(super) fn in_scope<'a>(
    lines: &RightsLines<'a>,
    field: RightsField,
    own: &Selected,
    everybody: &Selected,
    notes: &mut Notes,
) -> Vec<(u32, &'a [u8])> {
    let all = || lines.of_field(field);
    notes.add_if(all().any(|line| line.group.is_none()), Note::OutsideGroup);
    let of_crawler = all().filter(|line| is_of(line, own));
    let of_crawler: Vec<_> = of_crawler.map(|line| (line.line, line.value)).collect();
    let others = of_crawler.is_empty() && all().any(|line| is_of(line, everybody));
    notes.add_if(others, Note::OnlyForOthers);
    of_crawler
}

/// Returns true if a line is in one of these groups.
pub(super) fn is_of(line: &RightsLine<'_>, groups: &Selected) -> bool {
    line.group.is_some_and(|group| groups.groups().binary_search(&group).is_ok())
}
