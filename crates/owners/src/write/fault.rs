//! Reasons why intentions cannot be built, each with its place.

use std::fmt;

/// How many faults the text of an error names.
const MOST_SHOWN: usize = 20;

/// How many lines of a file that is not written it shows.
const MOST_LINES: usize = 50;

/// A place in intentions, written like `groups[1].disallow[0]`.
///
/// Places are numbered from 0, as in JSON and in programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Place {
    /// The number of the group, if it is in one.
    pub group: Option<usize>,
    /// The field, if it is one: `disallow`.
    pub field: Option<&'static str>,
    /// The number of the value in the field, if it is one of several.
    pub index: Option<usize>,
}

impl Place {
    /// A value in a field of all intentions.
    pub(super) fn of(field: &'static str, index: usize) -> Place {
        Place { group: None, field: Some(field), index: Some(index) }
    }

    /// A group.
    pub(super) fn group(group: usize) -> Place {
        Place { group: Some(group), ..Place::default() }
    }

    /// A value in a field of a group.
    pub(super) fn in_group(group: usize, field: &'static str, index: usize) -> Place {
        Place { group: Some(group), field: Some(field), index: Some(index) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut dot = "";
        if let Some(group) = self.group {
            write!(f, "groups[{group}]")?;
            dot = ".";
        }
        if let Some(field) = self.field {
            write!(f, "{dot}{field}")?;
        }
        match self.index {
            Some(index) => write!(f, "[{index}]"),
            None => Ok(()),
        }
    }
}

/// A reason why intentions cannot be built.
///
/// Its `Display` begins with the place, if there is one: `groups[0].allow[0]: profile google …`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The place to mend; of the whole if it has neither group nor field.
    pub place: Place,
    /// What is wrong, and the way out.
    pub message: String,
}

impl Fault {
    pub(super) fn new(place: Place, message: impl Into<String>) -> Fault {
        Fault { place, message: message.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place != Place::default() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.message)
    }
}

/// The error of intentions that no file says, or that are wrong.
///
/// Its `Display` has a line for each fault, up to twenty, and then the file that is not written, with the numbers
/// of its lines, which faults may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CannotBuild {
    /// Never empty.
    faults: Vec<Fault>,
    is_unproven: bool,
    /// The file that is not written; empty if values are wrong.
    text: String,
}

impl CannotBuild {
    /// `Ok` if there are none.
    pub(super) fn unless_empty(faults: Vec<Fault>) -> Result<(), CannotBuild> {
        if faults.is_empty() {
            return Ok(());
        }
        Err(CannotBuild { faults, is_unproven: false, text: String::new() })
    }

    /// Both, or all that is wrong with either.
    pub(super) fn or_both<A, B>(
        one: Result<A, CannotBuild>,
        other: Result<B, CannotBuild>,
    ) -> Result<(A, B), CannotBuild> {
        match (one, other) {
            (Ok(one), Ok(other)) => Ok((one, other)),
            (Err(mut wrong), Err(also)) => {
                wrong.faults.extend(also.faults);
                Err(wrong)
            }
            (Err(wrong), Ok(_)) | (Ok(_), Err(wrong)) => Err(wrong),
        }
    }

    /// The same as [`unless_empty`](CannotBuild::unless_empty) for what is wrong with a file that could be written.
    pub(super) fn unless_proven(faults: Vec<Fault>, text: &str) -> Result<(), CannotBuild> {
        let proven = CannotBuild::unless_empty(faults);
        proven.map_err(|wrong| CannotBuild { is_unproven: true, text: text.to_owned(), ..wrong })
    }

    /// The lines of the file that is not written, with their numbers, which faults name: up to fifty. Empty if
    /// no file could be made at all.
    #[must_use]
    pub fn numbered(&self) -> String {
        let lines = self.text.lines().count();
        let width = lines.min(MOST_LINES).to_string().len();
        let mut numbered: String = self
            .text
            .lines()
            .zip(1..=MOST_LINES)
            .map(|(line, number)| format!("{number:>width$} | {line}\n"))
            .collect();
        if let Some(more) = lines.checked_sub(MOST_LINES).filter(|more| *more > 0) {
            numbered += &format!("and {more} more lines\n");
        }
        numbered
    }

    /// Returns true if all values are fine, but some profile would read the file otherwise than asked for, or
    /// an expectation would not hold.
    pub fn is_unproven(&self) -> bool {
        self.is_unproven
    }

    /// All that is wrong, at least one thing: first what is wrong with values, and if nothing is, what
    /// cannot be proven.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }
}

impl fmt::Display for CannotBuild {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, fault) in self.faults.iter().take(MOST_SHOWN).enumerate() {
            write!(f, "{}{fault}", if number > 0 { "\n" } else { "" })?;
        }
        match self.faults.len().saturating_sub(MOST_SHOWN) {
            0 => {}
            more => write!(f, "\nand {more} more")?,
        }
        if self.text.is_empty() {
            return Ok(());
        }
        write!(f, "\nthe file, which is not written:\n{}", self.numbered().trim_end())
    }
}

impl std::error::Error for CannotBuild {}
