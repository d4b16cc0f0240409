//! The reports on verdicts: the library's documents, as JSON.

use robotsieve::explain;
use wasm_bindgen::prelude::*;

use crate::crawler::who;
use crate::error::invalid_url;
use crate::json::json;
use crate::positions::{Text, Texts};
use crate::robots::RawRobots;

#[wasm_bindgen]
impl RawRobots {
    pub fn explain(&self, crawler: &[u8], url: &[u8]) -> Result<String, JsValue> {
        let shared = &self.shared;
        shared.with(|robots| {
            let who = who(crawler, robots.profile())?;
            let why = robots.explain(&who.crawler, url).map_err(invalid_url)?;
            let asked = who.asked(shared.name(), url);
            let texts = shared.texts().map(|texts| Texts {
                url: Text::of(url),
                agent: Text::of(&asked.agent),
                targets: vec![Text::of(&why.target.bytes)],
                ..texts
            });
            Ok(json(&asked.explained(&why), texts))
        })
    }

    #[wasm_bindgen(js_name = compareProfiles)]
    pub fn compare_profiles(&self, crawler: &[u8], url: &[u8]) -> Result<String, JsValue> {
        let shared = &self.shared;
        let who = who(crawler, &shared.profile())?;
        let asked = who.asked(shared.name(), url);
        // One file has one text, whatever a profile alone would make of its bytes.
        let text = robotsieve::text_of(shared.text(), &robotsieve::Profile::RFC9309);
        let compared = explain::compare_profiles(&text, &who.crawler, url);
        let texts = shared.texts().map(|texts| {
            let targets = compared.explanations.iter().map(|(_, why)| match why {
                Ok(why) => Text::of(&why.target.bytes),
                Err(_) => Text::default(),
            });
            Texts {
                url: Text::of(url),
                agent: Text::of(&asked.agent),
                targets: targets.collect(),
                ..texts
            }
        });
        Ok(json(&asked.compared(&compared), texts))
    }
}

#[cfg(feature = "full")]
mod full {
    use robotsieve::{Profile, Robots};
    use robotsieve_known::KnownCrawlers;
    use robotsieve_lint as lint;
    use robotsieve_lint::diff::Limits;
    use robotsieve_lint::{Apply, Code, Options};
    use robotsieve_report::{Comparison, FixReport, LintReport};
    use serde::Serialize;
    use wasm_bindgen::prelude::*;

    use crate::crawler::Written;
    use crate::json::json;
    use crate::positions::{Text, Texts};
    use crate::robots::RawRobots;

    /// The options as JavaScript gives them: the numbers of profiles, and the content type if it is
    /// known.
    fn options(profiles: &[u8], content_type: Option<String>) -> Options {
        let named = profiles.iter().filter_map(|number| Profile::NAMED.get(usize::from(*number)));
        let options = Options::new(named.copied());
        match content_type {
            Some(content_type) => options.content_type(content_type),
            None => options,
        }
    }

    #[wasm_bindgen]
    impl RawRobots {
        pub fn lint(&self, profiles: &[u8], content_type: Option<String>) -> String {
            let file = self.shared.bytes();
            let options = options(profiles, content_type);
            let found = lint::lint(file, &options);
            let report = LintReport::new(self.shared.name(), file, &options, &found);
            json(&report, self.shared.texts())
        }

        /// Applies the fixes of findings with these codes, a list of numbers or names parted by
        /// commas, or of all.
        pub fn fix(
            &self,
            profiles: &[u8],
            content_type: Option<String>,
            all: bool,
            codes: Option<String>,
        ) -> RawFixed {
            let apply = if all { Apply::All } else { Apply::Unchanging };
            let wanted: Option<Vec<Code>> =
                codes.map(|codes| codes.split(',').filter_map(Code::named).collect());
            let is_wanted = |code| wanted.as_ref().is_none_or(|wanted| wanted.contains(&code));
            let options = options(profiles, content_type);
            let fixed = lint::fix_codes(self.shared.bytes(), &options, apply, is_wanted);
            let texts = || Texts { file: Text::of(&fixed.file), ..Texts::default() };
            let report = FixReport::new(self.shared.name(), &options, &fixed);
            let json = json(&report, self.shared.is_utf16.then(texts));
            RawFixed { file: fixed.file.into_boxed_slice(), json }
        }
    }

    /// Compares two files of one profile for these crawlers; if there are none, for all that either
    /// file names, and for the known ones. Unless the caller has named the profile, these read the
    /// files as their operators do.
    #[wasm_bindgen(js_name = diffFiles)]
    pub fn diff_files(
        before: &RawRobots,
        after: &RawRobots,
        crawlers: &[u8],
        examples: usize,
        is_named: bool,
    ) -> Result<String, JsValue> {
        let mut limits = Limits::default();
        limits.flips = examples;
        let names = [before, after].map(|robots| robots.shared.name());
        // Parsed again: the lifetimes inside two `Robots` differ, and the comparison wants one.
        let profile = before.shared.profile();
        let old = &Robots::parse(before.shared.text(), &profile);
        let new = &Robots::parse(after.shared.text(), &profile);
        let who = Written(crawlers).all(&profile)?;
        let mut comparison = Comparison::of(old, new).names(names).limits(limits);
        if !is_named {
            comparison = comparison.by_operators();
        }
        comparison = if crawlers.is_empty() {
            comparison.risks(KnownCrawlers::built_in())
        } else {
            comparison.crawlers(who.into_iter().map(|who| (who.agent(), who.crawler)).collect())
        };
        Ok(json(&comparison.report(), None))
    }

    /// A file with fixes applied, or with crawlers shut out, and what is said of it.
    #[wasm_bindgen]
    pub struct RawFixed {
        pub(super) file: Box<[u8]>,
        pub(super) json: String,
    }

    #[wasm_bindgen]
    impl RawFixed {
        pub fn file(&self) -> Box<[u8]> {
            self.file.clone()
        }

        pub fn json(&self) -> String {
            self.json.clone()
        }
    }

    /// A kind of finding.
    #[derive(Serialize)]
    struct LintCode {
        code: &'static str,
        name: &'static str,
        severity: &'static str,
        title: &'static str,
        explanation: &'static str,
    }

    /// All kinds of findings.
    #[wasm_bindgen(js_name = lintCodes)]
    pub fn lint_codes() -> String {
        let codes = Code::ALL.iter().map(|code| LintCode {
            code: code.number(),
            name: code.name(),
            severity: code.severity().as_str(),
            title: code.title(),
            explanation: code.explanation(),
        });
        json(&codes.collect::<Vec<_>>(), None)
    }
}

#[cfg(feature = "known")]
mod known {
    use robotsieve::Crawler;
    use robotsieve_known::{KnownCrawler, KnownCrawlers, Purpose};
    use robotsieve_owners::block::Block;
    use robotsieve_owners::reach::{KnownReport, Reach};
    use robotsieve_report::RecordsReport;
    use serde::Serialize;
    use wasm_bindgen::prelude::*;

    use super::full::RawFixed;
    use crate::crawler::Written;
    use crate::error::{cannot_block, invalid_page, no_token};
    use crate::json::{MOST_BYTES, json};
    use crate::policy::RawPolicy;
    use crate::robots::RawRobots;

    /// A record takes more than so many bytes of JSON.
    const RECORD_BYTES: usize = 250;

    fn by_token(token: &str) -> Option<&'static KnownCrawler> {
        KnownCrawlers::built_in().by_token(token)
    }

    #[wasm_bindgen]
    impl RawRobots {
        /// The records that are no rules, of all crawlers or of these.
        pub fn records(&self, crawlers: &[u8]) -> Result<String, JsValue> {
            let shared = &self.shared;
            shared.with(|robots| {
                if robots.records().count() > MOST_BYTES / RECORD_BYTES {
                    return Ok(String::new());
                }
                let who = Written(crawlers).all(robots.profile())?;
                let crawlers: Vec<Crawler> = who.into_iter().map(|who| who.crawler).collect();
                let only = (!crawlers.is_empty()).then_some(&crawlers[..]);
                Ok(json(&RecordsReport::new(shared.name(), robots, only, None), shared.texts()))
            })
        }

        /// The reach of the known crawlers of these purposes, or of all: what they may read of these
        /// pages, or of some that tell them apart. Unless the caller has named the profile, they read
        /// the file as their operators do.
        pub fn crawlers(
            &self,
            urls: Vec<String>,
            purposes: Vec<String>,
            is_named: bool,
        ) -> Result<String, JsValue> {
            let profile = self.shared.profile();
            let mut reach = Reach::of(self.shared.text(), &profile).pages(urls);
            if !is_named {
                reach = reach.by_operators();
            }
            if !purposes.is_empty() {
                let all = KnownCrawlers::built_in().iter();
                let is_wanted = |purpose: Purpose| purposes.iter().any(|p| p == purpose.as_str());
                reach = reach.crawlers(all.filter(|crawler| is_wanted(crawler.purpose)));
            }
            if let Some(name) = self.shared.name() {
                reach = reach.named(name);
            }
            let report = reach.report().map_err(|error| invalid_page(&error))?;
            Ok(json(&report, self.shared.texts()))
        }

        /// The file with the known crawlers of these purposes and those with these tokens shut out,
        /// and notes on that.
        pub fn block(
            &self,
            purposes: Vec<String>,
            tokens: Vec<String>,
        ) -> Result<RawFixed, JsValue> {
            let mut block = Block::new(KnownCrawlers::built_in());
            let is_wanted = |purpose: &Purpose| purposes.iter().any(|p| p == purpose.as_str());
            Purpose::all().filter(is_wanted).for_each(|purpose| block.add_purpose(purpose));
            for token in &tokens {
                block.add_crawler(token).map_err(|error| no_token(&error))?;
            }
            let edited = block.edit(self.shared.bytes()).map_err(|error| cannot_block(&error))?;
            let json = json(&edited.notes, None);
            Ok(RawFixed { file: edited.file.into_boxed_slice(), json })
        }

        #[wasm_bindgen(js_name = policyOfKnown)]
        pub fn policy_of_known(&self, token: &str) -> Option<RawPolicy> {
            let crawler = by_token(token)?;
            let policy = self.shared.with(|robots| crawler.policy(robots));
            Some(RawPolicy::new(policy, self.shared.clone()))
        }

        #[wasm_bindgen(js_name = noteOfKnown)]
        pub fn note_of_known(&self, token: &str) -> Option<String> {
            let crawler = by_token(token)?;
            self.shared.with(|robots| crawler.star_note(robots))
        }

        #[wasm_bindgen(js_name = didYouMean)]
        pub fn did_you_mean(&self, token: &str) -> Option<String> {
            self.shared.with(|robots| KnownCrawlers::built_in().did_you_mean(token, robots))
        }
    }

    /// All that is known of crawlers.
    #[wasm_bindgen(js_name = knownCrawlers)]
    pub fn known_crawlers() -> String {
        json(&KnownReport::of(KnownCrawlers::built_in().iter()), None)
    }

    #[derive(Serialize)]
    struct Title {
        purpose: Purpose,
        title: &'static str,
        description: &'static str,
    }

    /// The purposes, with their headings and descriptions.
    #[wasm_bindgen]
    pub fn purposes() -> String {
        let titles = Purpose::all().map(|purpose| Title {
            purpose,
            title: purpose.title(),
            description: purpose.description(),
        });
        json(&titles.collect::<Vec<_>>(), None)
    }
}
