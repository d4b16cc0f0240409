//! Who asks.

use robotsieve::{Crawler, Profile, UserAgent};
use wasm_bindgen::prelude::*;

use crate::error::invalid_name;
use crate::json::Json;
use crate::positions::{Positions, Text};

/// How JavaScript writes crawlers: for each a byte, 1 for a header and 0 for names, the number of
/// names, and for each name or header its length and its bytes. Numbers have four bytes, the lowest
/// first.
pub struct Written<'w>(pub &'w [u8]);

impl<'w> Written<'w> {
    fn bytes(&mut self, len: usize) -> &'w [u8] {
        let (taken, left) = self.0.split_at(len.min(self.0.len()));
        self.0 = left;
        taken
    }

    fn number(&mut self) -> usize {
        self.bytes(4).iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
    }

    /// The next crawler, with its names checked.
    pub fn next(&mut self, profile: &Profile) -> Option<Result<Crawler, JsValue>> {
        let [is_header, ..] = *self.bytes(1) else { return None };
        let count = self.number();
        let names = (0..count).map(|_| {
            let len = self.number();
            self.bytes(len)
        });
        let names: Vec<&[u8]> = names.collect();
        Some(match (is_header, &names[..]) {
            (1, [header]) => Ok(Crawler::from_user_agent(header)),
            _ => Crawler::try_names(names, profile).map_err(|error| invalid_name(&error)),
        })
    }
}

/// One crawler.
pub fn crawler_of(written: &[u8], profile: &Profile) -> Result<Crawler, JsValue> {
    Written(written).next(profile).unwrap_or_else(|| Ok(Crawler::names([""; 0])))
}

/// What stands for a crawler in a result: its first name, `*` if it has none.
#[cfg(feature = "full")]
pub fn label(crawler: &Crawler) -> Vec<u8> {
    crawler.iter().next().unwrap_or(b"*").to_vec()
}

/// The names in a header, as JSON.
#[wasm_bindgen(js_name = headerNames)]
pub fn header_names(header: &[u8]) -> String {
    let positions = Positions::of(header);
    let text = Text { bytes: header, positions: &positions };
    Json::of(|json| {
        json.array(UserAgent::read(header).names(), |json, name| {
            json.object(|json| {
                json.key("name").bytes(name.name);
                text.write(json.key("span"), &name.span);
                json.key("certainty").text(name.certainty.as_str());
            });
        });
    })
}
