//! User-agent lines that join a group across another record, which ends no group.

use crate::read::parse::{Field, Record};

/// A user-agent line that belongs to the group of those before it, although another record is between.
#[derive(Clone, Copy, Debug)]
pub struct Joint<'a> {
    /// The index of the line among those of its group.
    pub at: usize,
    /// The last record before it.
    pub last: Record<'a>,
}

/// The joints of a group. `records` are those of the file and `lines` the group's user-agent lines,
/// both in order.
pub fn joints<'a>(records: &[Record<'a>], lines: &[u32]) -> impl Iterator<Item = Joint<'a>> {
    lines.windows(2).enumerate().filter_map(|(number, pair)| {
        let from = records.partition_point(|record| record.line <= pair[0]);
        let between = records[from..].iter().take_while(|record| record.line < pair[1]);
        let last = between.filter(|record| record.field != Field::UserAgent).last()?;
        Some(Joint { at: number + 1, last: *last })
    })
}
