//! A parsed file with its bytes, which objects of JavaScript share.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

use robotsieve::{Field, Profile, Record};
use self_cell::self_cell;

use crate::positions::{Text, Texts};

type Parsed<'a> = robotsieve::Robots<'a>;

/// A file, and its text if that is not the file itself.
struct Bytes {
    file: Box<[u8]>,
    text: Option<Vec<u8>>,
}

impl Bytes {
    fn text(&self) -> &[u8] {
        self.text.as_deref().unwrap_or(&self.file)
    }
}

self_cell! {
    struct Cell {
        owner: Bytes,

        #[not_covariant]
        dependent: Parsed,
    }
}

/// A file, shared by its policies, which say where their rules are.
pub struct Shared {
    cell: Cell,
    /// The name that the caller gave the file.
    name: Option<Box<[u8]>>,
    /// True if spans are counted in UTF-16 code units.
    pub is_utf16: bool,
    /// [`Text::marks`] of the file.
    marks: OnceCell<Rc<[[u32; 2]]>>,
    /// The line of each rule and the place of its value, ascending.
    rules: OnceCell<Vec<(u32, [usize; 2])>>,
}

impl Shared {
    pub fn new(
        file: Box<[u8]>,
        profile: Profile,
        name: Option<Box<[u8]>>,
        is_utf16: bool,
    ) -> Shared {
        let text = match robotsieve::text_of(&file, &profile) {
            Cow::Owned(text) => Some(text),
            Cow::Borrowed(_) => None,
        };
        let bytes = Bytes { file, text };
        let cell = Cell::new(bytes, |bytes| robotsieve::Robots::parse(bytes.text(), &profile));
        let (marks, rules) = Default::default();
        Shared { cell, name, is_utf16, marks, rules }
    }

    pub fn with<T>(&self, ask: impl FnOnce(&robotsieve::Robots<'_>) -> T) -> T {
        self.cell.with_dependent(|_, robots| ask(robots))
    }

    /// The file as given.
    pub fn bytes(&self) -> &[u8] {
        &self.cell.borrow_owner().file
    }

    /// What is parsed: the file, decoded if it is UTF-16.
    pub fn text(&self) -> &[u8] {
        self.cell.borrow_owner().text()
    }

    pub fn profile(&self) -> Profile {
        self.with(|robots| *robots.profile())
    }

    pub fn name(&self) -> Option<&[u8]> {
        self.name.as_deref()
    }

    /// The texts of what is said about the file alone.
    pub fn texts(&self) -> Option<Texts<'_>> {
        self.is_utf16.then(|| {
            let bytes = self.text();
            let marks = self.marks.get_or_init(|| Text::of(bytes).marks);
            Texts { file: Text::marked(bytes, marks.clone()), ..Texts::default() }
        })
    }

    /// The places of a rule by its line: the line without its end, and the value.
    pub fn rule_spans(&self, line: u32) -> [[usize; 2]; 2] {
        let rules = self.rules.get_or_init(|| {
            self.with(|robots| {
                let is_rule = |field| matches!(field, Field::Allow | Field::Disallow);
                let rules = robots.records().filter(|record| is_rule(record.field));
                rules.map(|record| (record.line, value_span(&record))).collect()
            })
        });
        let Ok(at) = rules.binary_search_by_key(&line, |(line, _)| *line) else {
            return [[0; 2]; 2];
        };
        let [value_start, value_end] = rules[at].1;
        let bytes = self.text();
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let before = bytes[..value_start].iter().rposition(is_end).map_or(0, |end| end + 1);
        let start = before.max(self.with(|robots| robots.extent()).start);
        let after = bytes[value_end..].iter().position(is_end);
        let end = after.map_or(bytes.len(), |len| value_end + len);
        [[start, end], rules[at].1]
    }
}

/// The place of a record's value.
pub fn value_span(record: &Record<'_>) -> [usize; 2] {
    let span = record.value_span();
    [span.start, span.end]
}
