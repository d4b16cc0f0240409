//! A file of intentions, TOML or JSON, and the lines of its places.

use std::collections::HashMap;

use robotsieve_owners::write::{Intentions, Place};
use serde::Deserialize;
use serde_json::value::RawValue;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What is wrong in a file, and the line of it, from 1.
#[derive(Debug, PartialEq, Eq)]
pub struct Wrong {
    pub line: usize,
    pub message: String,
}

/// A file of intentions.
#[derive(Debug)]
pub struct Document<'t> {
    text: &'t str,
    pub intentions: Intentions,
}

impl<'t> Document<'t> {
    /// Reads a text: JSON if it begins with a brace, which TOML cannot, else TOML.
    ///
    /// # Errors
    /// Returns what is wrong with it.
    pub fn read(text: &'t str) -> Result<Document<'t>, Wrong> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let intentions = if is_json(text) {
            serde_json::from_str(text).map_err(|error| {
                let place = format!(" at line {} column {}", error.line(), error.column());
                let message = error.to_string().replace(&place, "");
                Wrong { line: error.line().max(1), message: format!("{message} (read as JSON)") }
            })?
        } else {
            toml::from_str(text).map_err(|error| Wrong {
                line: error.span().map_or(1, |span| line_at(text, span.start)),
                message: if is_robots_txt(text) {
                    "this is a robots.txt; give what it should say, as TOML or JSON ('robotsieve \
                     help write' has an example)"
                        .to_owned()
                } else {
                    format!("{} (read as TOML)", error.message().replace('\n', ", "))
                },
            })?
        };
        Ok(Document { text, intentions })
    }

    /// The line of a place, from 1. `None` if it is the whole, or is not there.
    pub fn line(&self, place: &Place) -> Option<usize> {
        let found =
            if is_json(self.text) { in_json(self.text, place) } else { in_toml(self.text, place) };
        found.map(|at| line_at(self.text, at))
    }
}

fn is_robots_txt(text: &str) -> bool {
    let is_agent = |line: &str| line.to_ascii_lowercase().starts_with("user-agent:");
    text.lines().any(|line| is_agent(line.trim_start()))
}

fn is_json(text: &str) -> bool {
    text.trim_ascii_start().starts_with('{')
}

fn line_at(text: &str, at: usize) -> usize {
    1 + text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count()
}

/// Where a place of TOML begins.
fn in_toml(text: &str, place: &Place) -> Option<usize> {
    let table = DeTable::parse(text).ok()?;
    let mut table = table.get_ref();
    let mut at = None;
    if let Some(group) = place.group {
        let DeValue::Array(groups) = table.get("groups")?.get_ref() else { return None };
        let group = groups.get(group)?;
        at = Some(group.span().start);
        let DeValue::Table(of_group) = group.get_ref() else { return at };
        table = of_group;
    }
    let Some(value) = place.field.and_then(|field| table.get(field)) else { return at };
    let item: Option<&Spanned<DeValue<'_>>> = match (value.get_ref(), place.index) {
        (DeValue::Array(all), Some(index)) => all.get(index),
        _ => None,
    };
    Some(item.unwrap_or(value).span().start)
}

/// Where a place of JSON begins.
fn in_json(text: &str, place: &Place) -> Option<usize> {
    /// A part of the text.
    type Raw<'t> = &'t RawValue;
    type Members<'t> = HashMap<String, Raw<'t>>;

    fn parsed<'t, T: Deserialize<'t>>(raw: Raw<'t>) -> Option<T> {
        serde_json::from_str(raw.get()).ok()
    }

    // Parts are borrowed from the text, so they lie in it.
    let at = |raw: Raw<'_>| raw.get().as_ptr().addr().checked_sub(text.as_ptr().addr());
    let mut members: Members<'_> = serde_json::from_str(text).ok()?;
    let mut found = None;
    if let Some(number) = place.group {
        let groups: Vec<Raw<'_>> = parsed(members.get("groups").copied()?)?;
        let group = groups.get(number).copied()?;
        found = at(group);
        members = parsed(group)?;
    }
    let Some(value) = place.field.and_then(|field| members.get(field)).copied() else {
        return found;
    };
    let items: Option<Vec<Raw<'_>>> = parsed(value);
    let item = place.index.zip(items).and_then(|(index, items)| items.get(index).copied());
    at(item.unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use robotsieve_known::KnownCrawlers;

    use super::*;

    /// The lines of all faults.
    fn lines(text: &str) -> Vec<usize> {
        let document = Document::read(text).unwrap();
        let wrong = document.intentions.build(KnownCrawlers::built_in()).unwrap_err();
        wrong.faults().iter().filter_map(|fault| document.line(&fault.place)).collect()
    }

    #[test]
    fn places_have_lines() {
        let toml = "\nsitemap = 'x'\n\n[[groups]]\ncrawlers = ['a',\n  'b c']\ndisallow = [\n  '/x', # '\n\
                    \n  'y'\n]\n\n[[groups]]\ndisallow = 'z'\n";
        assert_eq!(lines(toml), [2, 6, 13, 10, 14]);
        let json = "\u{feff} {\n\"groups\": [\n{\"crawlers\": [\"a\",\n\"b c\"],\n\"disallow\": [\"/x\",\n\n\
                    \"y\"]},\n{\n\"disallow\": \"z\"}]}";
        assert_eq!(lines(json), [4, 8, 7, 9]);
    }

    #[test]
    fn what_is_no_document() {
        for (text, line, message) in [
            ("a = 1", 1, "unknown field `a`, expected one of `groups`, `sitemap`, "),
            (
                "\n[[groups]]\nallow = 3",
                3,
                "invalid type: integer `3`, expected a text or a list of",
            ),
            ("\nprofiles = ['x']", 2, "'x': no profile has this name; there are rfc9309, "),
            ("\n[groups\n", 2, ""),
            ("{\n\"a\": 1}", 2, "unknown field `a`"),
            ("{\n\n", 3, "EOF while parsing"),
            (
                "{\"groups\": [{\"crawl_delay\": \"x\"}]}",
                1,
                "invalid type: string \"x\", expected a number of seconds",
            ),
        ] {
            let wrong = Document::read(text).unwrap_err();
            assert!(wrong.line == line && wrong.message.starts_with(message), "{text}: {wrong:?}");
        }
    }
}
