//! A policy: verdicts one by one and many at once.

use std::borrow::Cow;
use std::rc::Rc;

use robotsieve::records::Pace;
use robotsieve::{Decision, Engine, Policy, Reason, Verdict};
use robotsieve_web_verdicts as verdicts;
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::error::invalid_url;
use crate::file::Shared;
use crate::graph;
use crate::json::json;
use crate::scratch;

/// The rules of a file for one crawler.
#[wasm_bindgen]
pub struct RawPolicy {
    policy: Policy,
    shared: Rc<Shared>,
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
        scratch::with(len, |url| verdicts::answer(&self.policy, url))
    }

    /// What [`verdicts::by_line`] answers for the URLs in the scratch buffer.
    #[wasm_bindgen(js_name = answersByLine)]
    pub fn answers_by_line(&self, len: usize, count: usize) -> Vec<u8> {
        scratch::with(len, |urls| verdicts::by_line(&self.policy, urls, count))
    }

    /// What [`verdicts::by_length`] answers for the URLs in the scratch buffer.
    #[wasm_bindgen(js_name = answersByLength)]
    pub fn answers_by_length(&self, len: usize, lengths: &[u32]) -> Vec<u8> {
        scratch::with(len, |urls| verdicts::by_length(&self.policy, urls, lengths))
    }

    /// The decision on the URL in the scratch buffer.
    pub fn decide(&self, len: usize) -> Result<String, JsValue> {
        scratch::with(len, |url| {
            let decision = self.policy.decide(url).map_err(invalid_url)?;
            Ok(json(&Decided::of(&decision, &self.shared), self.shared.texts()))
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
        let rules: Vec<Rule<'_>> =
            self.policy.rules().map(|rule| Rule::of(&rule, &self.shared)).collect();
        json(&rules, self.shared.texts())
    }

    pub fn group(&self) -> String {
        let lines = self.policy.group();
        let lines = lines.map(|(line, value)| Line { line, value: String::from_utf8_lossy(value) });
        json(&lines.collect::<Vec<_>>(), None)
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
        let shared = &self.shared;
        graph::automaton(&self.policy, &shared.profile(), url.as_deref(), most, shared.is_utf16)
            .map_err(invalid_url)
    }
}

/// A user-agent line.
#[derive(Serialize)]
struct Line<'p> {
    line: u32,
    value: Cow<'p, str>,
}

#[derive(Serialize)]
struct Decided<'p> {
    verdict: Verdict,
    allowed: bool,
    reason: &'static str,
    line: Option<u32>,
    rule: Option<Rule<'p>>,
}

impl<'p> Decided<'p> {
    fn of(decision: &'p Decision<'p>, shared: &Shared) -> Decided<'p> {
        let rule = decision.rule();
        Decided {
            verdict: decision.verdict,
            allowed: decision.verdict.is_allow(),
            reason: decision.reason.as_str(),
            line: match decision.reason {
                Reason::EmptyRule { line } => Some(line),
                _ => rule.map(|rule| rule.line),
            },
            rule: rule.map(|rule| Rule::of(&rule, shared)),
        }
    }
}

/// A rule with its place in the file.
#[derive(Serialize)]
struct Rule<'p> {
    verdict: Verdict,
    line: u32,
    line_span: [usize; 2],
    value: Cow<'p, str>,
    value_span: [usize; 2],
    pattern: String,
    anchored: bool,
    precedence: u32,
}

impl<'p> Rule<'p> {
    fn of(rule: &robotsieve::Rule<'p>, shared: &Shared) -> Rule<'p> {
        let [line_span, value_span] = shared.rule_spans(rule.line);
        Rule {
            verdict: rule.verdict,
            line: rule.line,
            line_span,
            value: String::from_utf8_lossy(rule.value),
            value_span,
            pattern: String::from_utf8_lossy(rule.pattern()).into_owned(),
            anchored: rule.anchored(),
            precedence: rule.precedence,
        }
    }
}

/// The pace of a crawler, in seconds.
#[derive(Serialize)]
struct Going {
    crawl_delay: Option<f64>,
    request_rate: Option<RequestRate>,
    min_interval: Option<f64>,
}

#[derive(Serialize)]
struct RequestRate {
    requests: u32,
    seconds: f64,
    window: Option<Window>,
}

#[derive(Serialize)]
struct Window {
    from_minute: u16,
    to_minute: u16,
}

pub fn pace(pace: &Pace) -> String {
    let going = Going {
        crawl_delay: pace.crawl_delay.map(|delay| delay.as_secs_f64()),
        request_rate: pace.request_rate.map(|rate| RequestRate {
            requests: rate.requests,
            seconds: rate.period.as_secs_f64(),
            window: rate.window.map(|window| Window {
                from_minute: window.from_minute,
                to_minute: window.to_minute,
            }),
        }),
        min_interval: pace.min_interval().map(|interval| interval.as_secs_f64()),
    };
    json(&going, None)
}
