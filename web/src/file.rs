//! A parsed file with its bytes, which objects of JavaScript share.

use std::cell::OnceCell;
use std::rc::Rc;

use robotsieve::{Field, Profile, Record};
use self_cell::self_cell;

use crate::positions::{Text, Texts};

type Parsed<'a> = robotsieve::Robots<'a>;

self_cell! {
    struct Cell {
        owner: Box<[u8]>,

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
        let cell = Cell::new(file, |file| robotsieve::Robots::parse(file, &profile));
        let (marks, rules) = Default::default();
        Shared { cell, name, is_utf16, marks, rules }
    }

    pub fn with<T>(&self, ask: impl FnOnce(&robotsieve::Robots<'_>) -> T) -> T {
        self.cell.with_dependent(|_, robots| ask(robots))
    }

    pub fn bytes(&self) -> &[u8] {
        self.cell.borrow_owner()
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
            let bytes = self.bytes();
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
        let bytes = self.bytes();
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
