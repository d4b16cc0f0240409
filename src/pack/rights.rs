//! The record of what a file says of rights: its lines for each crawler, as written.
//!
//! ```text
//! KIND_RIGHTS
//! for each crawler of the pack the number of its lines: 2 bytes
//! the number of different lines, and for each: 1 if its signals stand outside any group, else 0: 4 bytes
//!     Content-Usage, Content-Signal, License, notes: the number of each, and for each of them
//!         its line in the file (0 for a note), its length, and its bytes
//! ```

#[cfg(feature = "rights")]
use crate::rights::{Note, Notes, robots::selection::Selection};

#[cfg(feature = "rights")]
use super::format::KIND_RIGHTS;
use super::take::Take;

/// Lines with their numbers, as written.
pub(super) type Lines<'a> = Vec<(u32, &'a [u8])>;

/// The lines for a crawler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RightsLines<'a> {
    pub(super) signals_are_outside: bool,
    /// Content-Usage, Content-Signal, License, and the codes of notes.
    pub(super) lines: [Lines<'a>; 4],
}

/// The body of a record. Empty if nothing is said to any crawler.
#[cfg(feature = "rights")]
pub(super) fn body(of_crawlers: &[RightsLines<'_>]) -> Vec<u8> {
    use super::take::put_len;

    if of_crawlers.iter().all(|lines| *lines == RightsLines::default()) {
        return Vec::new();
    }
    let mut different: Vec<&RightsLines<'_>> = Vec::new();
    let mut body = vec![KIND_RIGHTS];
    for lines in of_crawlers {
        let number = different.iter().position(|known| *known == lines);
        let number = number.unwrap_or_else(|| {
            different.push(lines);
            different.len() - 1
        });
        // There are 4096 crawlers at most.
        body.extend((number as u16).to_le_bytes());
    }
    put_len(&mut body, different.len());
    for RightsLines { signals_are_outside, lines } in different {
        body.extend(u32::from(*signals_are_outside).to_le_bytes());
        for lines in lines {
            put_len(&mut body, lines.len());
            for (line, value) in lines {
                body.extend(line.to_le_bytes());
                put_len(&mut body, value.len());
                body.extend_from_slice(value);
            }
        }
    }
    body
}

/// Reads the lines for a crawler. `None` if any part of the record, of which the kind is known, is not
/// as a writer writes it. `O(n)`.
pub(super) fn lines_for(record: &[u8], crawlers: usize, crawler: usize) -> Option<RightsLines<'_>> {
    let (columns, rest) = record.get(1..)?.split_at_checked(2 * crawlers)?;
    let columns = columns.as_chunks().0;
    let wanted = u16::from_le_bytes(*columns.get(crawler)?);
    let mut rest = Take(rest);
    let count = rest.number()?;
    let mut found = None;
    for number in 0..count {
        let lines = read(&mut rest)?;
        if number == u32::from(wanted) {
            found = Some(lines);
        }
    }
    let are_there = columns.iter().all(|column| u32::from(u16::from_le_bytes(*column)) < count);
    found.filter(|_| are_there && rest.0.is_empty())
}

fn read<'a>(rest: &mut Take<'a>) -> Option<RightsLines<'a>> {
    let mut read = RightsLines {
        signals_are_outside: match rest.number()? {
            0 => false,
            1 => true,
            _ => return None,
        },
        ..RightsLines::default()
    };
    for lines in &mut read.lines {
        for _ in 0..rest.number()? {
            lines.push((rest.number()?, rest.text()?));
        }
    }
    Some(read)
}

#[cfg(feature = "rights")]
impl<'a> From<&Selection<'a>> for RightsLines<'a> {
    fn from(selection: &Selection<'a>) -> RightsLines<'a> {
        let Selection { usage, signals, signals_are_outside, licences, notes } = selection;
        let licences = licences.iter().map(|(line, url)| (*line, url.as_bytes()));
        let notes = notes.iter().map(|note| (0, note.as_str().as_bytes()));
        RightsLines {
            signals_are_outside: *signals_are_outside,
            lines: [usage.clone(), signals.clone(), licences.collect(), notes.collect()],
        }
    }
}

/// Fails for what no writer writes.
#[cfg(feature = "rights")]
impl<'a> TryFrom<RightsLines<'a>> for Selection<'a> {
    type Error = ();

    fn try_from(read: RightsLines<'a>) -> Result<Selection<'a>, ()> {
        let RightsLines { signals_are_outside, lines: [usage, signals, licences, notes] } = read;
        let licences =
            licences.into_iter().map(|(line, url)| Some((line, str::from_utf8(url).ok()?)));
        let note_of = |(_, code): (u32, &[u8])| {
            Note::ALL.iter().copied().find(|note| note.as_str().as_bytes() == code)
        };
        let notes = notes.into_iter().map(note_of);
        Ok(Selection {
            usage,
            signals,
            signals_are_outside,
            licences: licences.collect::<Option<_>>().ok_or(())?,
            notes: notes.collect::<Option<Notes>>().ok_or(())?,
        })
    }
}

#[cfg(all(test, feature = "rights"))]
mod tests {
    use super::*;

    #[test]
    fn written_and_read() {
        let nothing = RightsLines::default();
        assert!(body(&[nothing.clone(), nothing.clone()]).is_empty());
        let one: Lines<'_> = vec![(3, b"train-ai=n"), (4, b"")];
        let some = RightsLines {
            signals_are_outside: true,
            lines: [one, Vec::new(), vec![(9, b"https://e.com/")], vec![(0, b"groups-differ")]],
        };
        let record = body(&[nothing.clone(), some.clone(), some.clone()]);
        for (crawler, wanted) in [&nothing, &some, &some].into_iter().enumerate() {
            assert_eq!(lines_for(&record, 3, crawler).as_ref(), Some(wanted));
        }
        assert_eq!(lines_for(&record, 3, 3), None);
        for len in 0..record.len() {
            assert_eq!(lines_for(&record[..len], 3, 0), None, "{len}");
        }
        assert_eq!(lines_for(&[&record[..], b"x"].concat(), 3, 0), None);
    }
}
