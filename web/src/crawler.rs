//! Who asks.

use std::borrow::Cow;

use robotsieve::{Crawler, Profile, UserAgent};
use robotsieve_report::Asked;
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::error::invalid_name;
use crate::json::json;
use crate::positions::{Text, Texts};

/// What JavaScript has written. Numbers have four bytes, the lowest first; a text has its length before
/// it.
pub struct Reader<'w>(pub &'w [u8]);

/// Crawlers as JavaScript writes them: for each a byte, the number of names, and each name or header.
pub struct Written<'w>(pub &'w [u8]);

/// The bytes that say what follows. Names that no line can name are errors unless they are taken as
/// given.
const HEADER: u8 = 1;
const AS_GIVEN: u8 = 2;
/// As given too: the first name that a group names decides.
const FIRST_OF: u8 = 3;

/// A crawler, as it was given.
pub struct Who<'w> {
    pub crawler: Crawler,
    header: Option<&'w [u8]>,
}

impl<'w> Reader<'w> {
    fn bytes(&mut self, len: usize) -> &'w [u8] {
        let (taken, left) = self.0.split_at(len.min(self.0.len()));
        self.0 = left;
        taken
    }

    fn number(&mut self) -> usize {
        self.bytes(4).iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
    }

    pub fn text(&mut self) -> &'w [u8] {
        let len = self.number();
        self.bytes(len)
    }
}

impl<'w> Written<'w> {
    /// The next crawler, with its names checked.
    pub fn next(&mut self, profile: &Profile) -> Option<Result<Who<'w>, JsValue>> {
        let mut rest = Reader(self.0);
        let [kind, ..] = *rest.bytes(1) else { return None };
        let count = rest.number();
        let names: Vec<&[u8]> = (0..count).map(|_| rest.text()).collect();
        self.0 = rest.0;
        let (crawler, header) = match (kind, &names[..]) {
            (HEADER, [header]) => (Ok(Crawler::from_user_agent(header)), Some(*header)),
            (AS_GIVEN, _) => (Ok(Crawler::names(names)), None),
            (FIRST_OF, _) => (Ok(Crawler::first_of(names)), None),
            _ => (Crawler::try_names(names, profile), None),
        };
        let who = crawler.map(|crawler| Who { crawler, header });
        Some(who.map_err(|error| invalid_name(&error)))
    }

    /// All of them.
    #[cfg(feature = "full")]
    pub fn all(mut self, profile: &Profile) -> Result<Vec<Who<'w>>, JsValue> {
        std::iter::from_fn(|| self.next(profile)).collect()
    }
}

/// One crawler.
pub fn who<'w>(written: &'w [u8], profile: &Profile) -> Result<Who<'w>, JsValue> {
    let nobody = || Who { crawler: Crawler::names([""; 0]), header: None };
    Written(written).next(profile).unwrap_or_else(|| Ok(nobody()))
}

impl Who<'_> {
    /// The question whether it may fetch a URL.
    pub fn asked<'q>(&'q self, robots: Option<&'q [u8]>, url: &'q [u8]) -> Asked<'q> {
        let mut asked = Asked::new(&self.crawler, url);
        asked.robots = robots;
        if let Some(header) = self.header {
            asked.agent = header.into();
            asked.user_agent = true;
        }
        asked
    }

    /// The text that stands for it in a report.
    #[cfg(feature = "full")]
    pub fn agent(&self) -> Vec<u8> {
        self.asked(None, b"").agent.into_owned()
    }
}

/// A name in a header.
#[derive(Serialize)]
struct Name<'h> {
    name: Cow<'h, str>,
    agent_span: [usize; 2],
    certainty: &'static str,
}

/// The names in a header.
#[wasm_bindgen(js_name = headerNames)]
pub fn header_names(header: &[u8], is_utf16: bool) -> String {
    let read = UserAgent::read(header);
    let names = read.names().iter().map(|name| Name {
        name: String::from_utf8_lossy(name.name),
        agent_span: [name.span.start, name.span.end],
        certainty: name.certainty.as_str(),
    });
    let texts = || Texts { agent: Text::of(header), ..Texts::default() };
    json(&names.collect::<Vec<_>>(), is_utf16.then(texts))
}
