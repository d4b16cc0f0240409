//! A file, and the questions about it that need no policy.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

use robotsieve::explain::{self, NamedCrawlers};
use robotsieve::{Crawler, Field, Profile, Record};
use self_cell::self_cell;
use serde::{Serialize, Serializer};
use wasm_bindgen::prelude::*;

use crate::crawler::who;
use crate::json::json;
use crate::policy::{RawPolicy, pace};
use crate::positions::{Text, Texts};
use crate::scratch;

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
    /// How the caller calls the file.
    name: Option<Box<[u8]>>,
    /// True if spans are counted in UTF-16 code units.
    pub is_utf16: bool,
    /// [`Text::marks`] of the file.
    marks: OnceCell<Rc<[[u32; 2]]>>,
    /// The line of each rule and where its value is, ascending.
    rules: OnceCell<Vec<(u32, [usize; 2])>>,
}

impl Shared {
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

    /// Where the rule on a line is: the line without its end, and the value.
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

fn value_span(record: &Record<'_>) -> [usize; 2] {
    let span = record.value_span();
    [span.start, span.end]
}

/// A robots.txt.
#[wasm_bindgen]
pub struct RawRobots {
    pub(crate) shared: Rc<Shared>,
}

/// The profile with this number: its place in `Profile::NAMED`.
pub fn profile_of(number: u8) -> Profile {
    Profile::NAMED.get(usize::from(number)).map_or(Profile::RFC9309, |(_, profile)| *profile)
}

/// What the file says of itself and of one crawler. What is said of verdicts is in `documents`.
#[wasm_bindgen]
impl RawRobots {
    #[wasm_bindgen(constructor)]
    pub fn new(file: Box<[u8]>, profile: u8, name: Option<Box<[u8]>>, is_utf16: bool) -> RawRobots {
        scratch::reserve();
        let profile = profile_of(profile);
        let cell = Cell::new(file, |file| robotsieve::Robots::parse(file, &profile));
        let (marks, rules) = Default::default();
        RawRobots { shared: Rc::new(Shared { cell, name, is_utf16, marks, rules }) }
    }

    pub fn bytes(&self) -> Box<[u8]> {
        self.shared.bytes().into()
    }

    pub fn extent(&self) -> String {
        #[derive(Serialize)]
        struct Extent {
            file_span: [usize; 2],
        }
        let extent = self.shared.with(|robots| robots.extent());
        json(&Extent { file_span: [extent.start, extent.end] }, self.shared.texts())
    }

    pub fn sitemaps(&self) -> String {
        self.shared.with(|robots| texts(robots.sitemaps()))
    }

    pub fn tokens(&self) -> String {
        self.shared.with(|robots| texts(robots.tokens()))
    }

    pub fn groups(&self) -> String {
        // The selection for any crawler lists all user-agent lines with their groups.
        let anybody = Crawler::names([""; 0]);
        self.shared.with(|robots| {
            let why = robots.explain(&anybody, "/");
            let lines = why.map(|why| why.selection.lines).unwrap_or_default();
            let groups = lines.chunk_by(|one, next| one.group == next.group);
            let groups = groups.map(|group| Group {
                number: group[0].group,
                agents: group.iter().map(AgentLine::of).collect(),
            });
            json(&groups.collect::<Vec<_>>(), self.shared.texts())
        })
    }

    pub fn lines(&self) -> String {
        self.shared.with(|robots| json(&Lines(robots), self.shared.texts()))
    }

    pub fn policy(&self, crawler: &[u8]) -> Result<RawPolicy, JsValue> {
        let policy = self
            .shared
            .with(|robots| who(crawler, robots.profile()).map(|who| robots.policy(&who.crawler)));
        Ok(RawPolicy::new(policy?, self.shared.clone()))
    }

    /// Crawl delay, request rate and the least interval.
    pub fn pace(&self, crawler: &[u8]) -> Result<String, JsValue> {
        self.shared.with(|robots| {
            let who = who(crawler, robots.profile())?;
            Ok(pace(&robots.pace(&who.crawler)))
        })
    }
}

fn texts<'t>(all: impl Iterator<Item = &'t [u8]>) -> String {
    json(&all.map(String::from_utf8_lossy).collect::<Vec<_>>(), None)
}

#[derive(Serialize)]
struct Group<'f> {
    number: u32,
    agents: Vec<AgentLine<'f>>,
}

/// A user-agent line.
#[derive(Serialize)]
struct AgentLine<'f> {
    line: u32,
    value: Cow<'f, str>,
    value_span: [usize; 2],
    names: &'static str,
    token: Option<Cow<'f, str>>,
}

impl<'f> AgentLine<'f> {
    fn of(line: &explain::AgentLine<'f>) -> AgentLine<'f> {
        let (names, token) = match line.names {
            NamedCrawlers::Everybody => ("everybody", None),
            NamedCrawlers::Token(token) => ("token", Some(String::from_utf8_lossy(token))),
            _ => ("nobody", None),
        };
        AgentLine {
            line: line.line,
            value: String::from_utf8_lossy(line.value),
            value_span: [line.value_span.start, line.value_span.end],
            names,
            token,
        }
    }
}

/// All lines of the form `field: value`. There can be millions, so they are written one by one.
struct Lines<'r, 'f>(&'r robotsieve::Robots<'f>);

#[derive(Serialize)]
struct Line<'f> {
    line: u32,
    field: &'static str,
    name: Cow<'f, str>,
    value: Cow<'f, str>,
    value_span: [usize; 2],
}

impl Serialize for Lines<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.records().map(|record| Line {
            line: record.line,
            field: match record.field {
                Field::UserAgent => "user-agent",
                Field::Allow => "allow",
                Field::Disallow => "disallow",
                Field::Sitemap => "sitemap",
                _ => "other",
            },
            name: String::from_utf8_lossy(record.name),
            value: String::from_utf8_lossy(record.value),
            value_span: value_span(&record),
        }))
    }
}
