//! A file, and the questions about it that need no policy.

use std::borrow::Cow;
use std::rc::Rc;

use robotsieve::explain::{self, NamedCrawlers};
use robotsieve::{Crawler, Field, Profile};
use serde::{Serialize, Serializer};
use wasm_bindgen::prelude::*;

use crate::crawler::who;
use crate::file::{Shared, value_span};
use crate::json::json;
use crate::policy::{RawPolicy, pace};
use crate::scratch;

/// A robots.txt.
#[wasm_bindgen]
pub struct RawRobots {
    pub(crate) shared: Rc<Shared>,
}

/// The profile with this number: its place in `Profile::NAMED`.
pub fn profile_of(number: u8) -> Profile {
    Profile::NAMED.get(usize::from(number)).map_or(Profile::RFC9309, |(_, profile)| *profile)
}

/// The answers about the file itself and about one crawler. Those about verdicts are in `documents`.
#[wasm_bindgen]
impl RawRobots {
    #[wasm_bindgen(constructor)]
    pub fn new(file: Box<[u8]>, profile: u8, name: Option<Box<[u8]>>, is_utf16: bool) -> RawRobots {
        scratch::reserve();
        let shared = Shared::new(file, profile_of(profile), name, is_utf16);
        RawRobots { shared: Rc::new(shared) }
    }

    pub fn text(&self) -> Box<[u8]> {
        self.shared.text().into()
    }

    /// The file as it was given.
    pub fn file(&self) -> Box<[u8]> {
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
