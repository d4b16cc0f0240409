//! Building a robots.txt from intentions.

use robotsieve::Profile;
use robotsieve_known::KnownCrawlers;
use robotsieve_owners::write::{BuildReport, Group, Intentions};
use wasm_bindgen::prelude::*;

use crate::json::json;

/// Intentions, which JavaScript gives value by value: JSON would need a reader of it in the module.
#[derive(Default)]
#[wasm_bindgen]
pub struct RawIntentions {
    intentions: Intentions,
    group: Option<Group>,
}

#[wasm_bindgen]
impl RawIntentions {
    #[wasm_bindgen(constructor)]
    pub fn new() -> RawIntentions {
        RawIntentions::default()
    }

    /// Begins a group, which values go to from now on.
    pub fn group(&mut self) {
        self.end_group();
        self.group = Some(Group::default());
    }

    fn end_group(&mut self) {
        if let Some(group) = self.group.take() {
            self.intentions = std::mem::take(&mut self.intentions).group(group);
        }
    }

    /// Adds a value to a field of the group, or of the whole before there is one. Returns false if
    /// there is no such field, or no such profile.
    pub fn add(&mut self, field: &str, value: String) -> bool {
        let value = [value];
        if let Some(group) = self.group.take() {
            let added = match field {
                "crawlers" => group.crawlers(value),
                "allow" => group.allow(value),
                "disallow" => group.disallow(value),
                "allow_path" => group.allow_path(value),
                "disallow_path" => group.disallow_path(value),
                "content_signal" => group.content_signal(value),
                "content_usage" => group.content_usage(value),
                "license" => group.license(value),
                "comment" => group.comment(value),
                "other" => group.other(value),
                _ => return false,
            };
            self.group = Some(added);
            return true;
        }
        let all = std::mem::take(&mut self.intentions);
        self.intentions = match field {
            "sitemap" => all.sitemap(value),
            "license" => all.license(value),
            "host" => all.host(value),
            "comment" => all.comment(value),
            "expect" => all.expect(value),
            "profiles" => match Profile::named(&value[0]) {
                Some(profile) => all.profile(profile),
                None => return false,
            },
            _ => return false,
        };
        true
    }

    #[wasm_bindgen(js_name = crawlDelay)]
    pub fn crawl_delay(&mut self, seconds: f64) {
        self.group = self.group.take().map(|group| group.crawl_delay(seconds));
    }

    /// The report on what is built of them.
    pub fn build(mut self) -> String {
        self.end_group();
        json(&BuildReport::of(&self.intentions.build(KnownCrawlers::built_in())), None)
    }
}
