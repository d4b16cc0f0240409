//! A policy: verdicts one by one and many at once.

use std::rc::Rc;

use robotsieve::records::Pace;
use robotsieve::{Decision, Engine, Policy, Reason, Rule, Verdict};
use wasm_bindgen::prelude::*;

use crate::error::invalid_url;
use crate::explain::verdict_name;
use crate::graph;
use crate::json::Json;
use crate::robots::Shared;
use crate::scratch;

/// The answers in bytes.
const DISALLOW: u8 = 0;
const ALLOW: u8 = 1;
const INVALID: u8 = 2;

/// What a file says to a crawler.
#[wasm_bindgen]
pub struct RawPolicy {
    policy: Policy,
    shared: Rc<Shared>,
}

#[inline(always)]
fn answer(policy: &Policy, url: &[u8]) -> u8 {
    match policy.target(url) {
        Ok(target) if policy.verdict(&target) == Verdict::Allow => ALLOW,
        Ok(_) => DISALLOW,
        Err(_) => INVALID,
    }
}

impl RawPolicy {
    pub fn new(policy: Policy, shared: Rc<Shared>) -> RawPolicy {
        RawPolicy { policy, shared }
    }
}

#[wasm_bindgen]
impl RawPolicy {
    /// The answer for the URL in the scratch buffer.
    #[wasm_bindgen(js_name = answer)]
    pub fn answer(&self, len: usize) -> u8 {
        scratch::with(len, |url| answer(&self.policy, url))
    }

    /// The answers for the URLs in the scratch buffer, with a line feed between each two. Nothing
    /// if they are not `count`: then some have line feeds in them.
    #[wasm_bindgen(js_name = answersByLine)]
    pub fn answers_by_line(&self, len: usize, count: usize) -> Box<[u8]> {
        scratch::with(len, |urls| {
            let mut answers = Vec::with_capacity(count);
            let mut left = urls;
            while let Some(end) = memchr::memchr(b'\n', left) {
                if answers.len() == count {
                    break;
                }
                answers.push(answer(&self.policy, &left[..end]));
                left = &left[end + 1..];
            }
            answers.push(answer(&self.policy, left));
            if answers.len() != count {
                answers.clear();
            }
            answers.into_boxed_slice()
        })
    }

    /// The answers for the URLs in the scratch buffer, which have these lengths.
    #[wasm_bindgen(js_name = answersByLength)]
    pub fn answers_by_length(&self, len: usize, lengths: &[u32]) -> Box<[u8]> {
        scratch::with(len, |mut left| {
            let answers = lengths.iter().map(|len| {
                let (url, rest) = left.split_at((*len as usize).min(left.len()));
                left = rest;
                answer(&self.policy, url)
            });
            answers.collect()
        })
    }

    /// The decision on the URL in the scratch buffer, as JSON.
    pub fn decide(&self, len: usize) -> Result<String, JsValue> {
        scratch::with(len, |url| {
            let decision = self.policy.decide(url).map_err(invalid_url)?;
            Ok(Json::of(|json| json.object(|json| decided(json, &decision, &self.shared))))
        })
    }

    pub fn compile(&self) {
        self.policy.compile();
    }

    pub fn engine(&self) -> String {
        let engine = match self.policy.engine() {
            Engine::Scan => "scan",
            Engine::Dfa => "dfa",
            Engine::Lazy => "lazy",
            // Of those that are known today, only the segment matcher is left.
            _ => "segments",
        };
        engine.to_owned()
    }

    #[wasm_bindgen(js_name = limitHit)]
    pub fn limit_hit(&self) -> Option<String> {
        self.policy.limit_hit().map(|limit| limit.to_string())
    }

    pub fn rules(&self) -> String {
        Json::of(|json| {
            json.array(self.policy.rules(), |json, rule| json.object(|json| written(json, &rule)))
        })
    }

    pub fn group(&self) -> String {
        Json::of(|json| {
            json.array(self.policy.group(), |json, (line, value)| {
                json.object(|json| {
                    json.key("line").line(line);
                    json.key("value").bytes(value);
                });
            });
        })
    }

    pub fn pace(&self) -> String {
        pace(&self.policy.pace())
    }

    #[wasm_bindgen(js_name = toDot)]
    pub fn to_dot(&self) -> Option<String> {
        self.policy.to_dot()
    }

    pub fn automaton(
        &self,
        url: Option<Box<[u8]>>,
        most: usize,
    ) -> Result<Option<String>, JsValue> {
        graph::automaton(&self.policy, &self.shared.profile(), url.as_deref(), most)
            .map_err(invalid_url)
    }
}

/// The fields of a decision.
fn decided(json: &mut Json, decision: &Decision<'_>, shared: &Shared) {
    json.key("verdict").text(verdict_name(decision.verdict));
    json.key("allowed").bool(decision.verdict.is_allow());
    json.key("reason").text(decision.reason.as_str());
    json.key("line").option(line_of(decision), Json::line);
    json.key("rule").option(decision.rule(), |json, rule| {
        json.object(|json| {
            written(json, &rule);
            let [line, value] = shared.rule_spans(rule.line);
            shared.text().write(json.key("lineSpan"), &line);
            shared.text().write(json.key("valueSpan"), &value);
        });
    });
}

/// The line that decided.
pub fn line_of(decision: &Decision<'_>) -> Option<u32> {
    match decision.reason {
        Reason::Rule(rule) => Some(rule.line),
        Reason::EmptyRule { line } => Some(line),
        _ => None,
    }
}

/// The fields of a rule.
fn written(json: &mut Json, rule: &Rule<'_>) {
    json.key("verdict").text(verdict_name(rule.verdict));
    json.key("line").line(rule.line);
    json.key("value").bytes(rule.value);
    json.key("precedence").line(rule.precedence);
    json.key("pattern").bytes(rule.pattern());
    json.key("anchored").bool(rule.is_anchored());
}

/// A pace, as JSON.
pub fn pace(pace: &Pace) -> String {
    Json::of(|json| {
        json.object(|json| {
            let delay = pace.crawl_delay.map(|delay| delay.as_secs_f64());
            json.key("crawlDelay").option(delay, Json::float);
            json.key("requestRate").option(pace.request_rate, |json, rate| {
                json.object(|json| {
                    json.key("requests").line(rate.requests);
                    json.key("seconds").float(rate.period.as_secs_f64());
                    json.key("window").option(rate.window, |json, window| {
                        json.object(|json| {
                            json.key("fromMinute").line(window.from_minute.into());
                            json.key("toMinute").line(window.to_minute.into());
                        });
                    });
                });
            });
            let interval = pace.min_interval().map(|interval| interval.as_secs_f64());
            json.key("minInterval").option(interval, Json::float);
        });
    })
}
