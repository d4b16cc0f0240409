//! A file, and the questions about it that need no policy.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use robotsieve::{Crawler, Field, Profile, explain};
use self_cell::self_cell;
use wasm_bindgen::prelude::*;

use crate::crawler::crawler_of;
use crate::error::invalid_url;
use crate::explain::{agent_line, comparison, explanation};
use crate::json::Json;
use crate::policy::{RawPolicy, pace};
use crate::positions::{Positions, Text};
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
    positions: OnceCell<Positions>,
    /// The line of each rule and where its value is, ascending.
    rules: OnceCell<Vec<(u32, Range<usize>)>>,
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

    pub fn text(&self) -> Text<'_> {
        let positions = self.positions.get_or_init(|| Positions::of(self.bytes()));
        Text { bytes: self.bytes(), positions }
    }

    /// Where the rule on a line is: the line without its end, and the value.
    pub fn rule_spans(&self, line: u32) -> [Range<usize>; 2] {
        let rules = self.rules.get_or_init(|| {
            self.with(|robots| {
                let is_rule = |field| matches!(field, Field::Allow | Field::Disallow);
                let rules = robots.records().filter(|record| is_rule(record.field));
                rules.map(|record| (record.line, record.value_span())).collect()
            })
        });
        let Ok(at) = rules.binary_search_by_key(&line, |(line, _)| *line) else {
            return [0..0, 0..0];
        };
        let value = rules[at].1.clone();
        let bytes = self.bytes();
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let before = bytes[..value.start].iter().rposition(is_end).map_or(0, |end| end + 1);
        let start = before.max(self.with(|robots| robots.extent()).start);
        let after = bytes[value.end..].iter().position(is_end);
        [start..after.map_or(bytes.len(), |len| value.end + len), value]
    }
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

#[wasm_bindgen]
impl RawRobots {
    #[wasm_bindgen(constructor)]
    pub fn new(file: Box<[u8]>, profile: u8) -> RawRobots {
        scratch::reserve();
        let profile = profile_of(profile);
        let cell = Cell::new(file, |file| robotsieve::Robots::parse(file, &profile));
        let (positions, rules) = Default::default();
        RawRobots { shared: Rc::new(Shared { cell, positions, rules }) }
    }

    pub fn bytes(&self) -> Box<[u8]> {
        self.shared.bytes().into()
    }

    pub fn extent(&self) -> String {
        let extent = self.shared.with(|robots| robots.extent());
        Json::of(|json| self.shared.text().write(json, &extent))
    }

    pub fn sitemaps(&self) -> String {
        self.shared.with(|robots| Json::of(|json| json.array(robots.sitemaps(), Json::bytes)))
    }

    pub fn tokens(&self) -> String {
        self.shared.with(|robots| Json::of(|json| json.array(robots.tokens(), Json::bytes)))
    }

    pub fn groups(&self) -> String {
        // The selection for any crawler lists all user-agent lines with their groups.
        let anybody = Crawler::names([""; 0]);
        let text = self.shared.text();
        self.shared.with(|robots| {
            let why = robots.explain(&anybody, "/");
            let lines = why.map(|why| why.selection.lines).unwrap_or_default();
            let groups = lines.chunk_by(|one, next| one.group == next.group);
            Json::of(|json| {
                json.array(groups, |json, group| {
                    json.object(|json| {
                        json.key("number").line(group[0].group);
                        json.key("agents").array(group, |json, line| {
                            json.object(|json| agent_line(json, text, line));
                        });
                    });
                });
            })
        })
    }

    pub fn records(&self) -> String {
        let text = self.shared.text();
        self.shared.with(|robots| {
            Json::of(|json| {
                json.array(robots.records(), |json, record| {
                    json.object(|json| {
                        json.key("line").line(record.line);
                        json.key("field").text(match record.field {
                            Field::UserAgent => "user-agent",
                            Field::Allow => "allow",
                            Field::Disallow => "disallow",
                            Field::Sitemap => "sitemap",
                            _ => "other",
                        });
                        json.key("name").bytes(record.name);
                        json.key("value").bytes(record.value);
                        text.write(json.key("valueSpan"), &record.value_span());
                    });
                });
            })
        })
    }

    pub fn policy(&self, crawler: &[u8]) -> Result<RawPolicy, JsValue> {
        let policy = self.shared.with(|robots| {
            crawler_of(crawler, robots.profile()).map(|crawler| robots.policy(&crawler))
        });
        Ok(RawPolicy::new(policy?, self.shared.clone()))
    }

    /// Crawl delay, request rate and the least interval, as JSON.
    pub fn pace(&self, crawler: &[u8]) -> Result<String, JsValue> {
        self.shared.with(|robots| {
            let crawler = crawler_of(crawler, robots.profile())?;
            Ok(pace(&robots.pace(&crawler)))
        })
    }

    pub fn explain(&self, crawler: &[u8], url: &[u8]) -> Result<String, JsValue> {
        let text = self.shared.text();
        self.shared.with(|robots| {
            let crawler = crawler_of(crawler, robots.profile())?;
            let why = robots.explain(&crawler, url).map_err(invalid_url)?;
            Ok(Json::of(|json| explanation(json, text, url, &why)))
        })
    }

    #[wasm_bindgen(js_name = compareProfiles)]
    pub fn compare_profiles(&self, crawler: &[u8], url: &[u8]) -> Result<String, JsValue> {
        let crawler = crawler_of(crawler, &self.shared.profile())?;
        let compared = explain::compare_profiles(self.shared.bytes(), &crawler, url);
        Ok(Json::of(|json| comparison(json, self.shared.text(), url, &compared)))
    }
}
