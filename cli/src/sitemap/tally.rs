//! Counts of verdicts, by what decides.

use std::borrow::Borrow;
use std::collections::HashMap;

use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
use robotsieve::{Decision, Policy, Reason, Target, Verdict};
use serde_json::{Value, json};

use super::{Sitemaps, Split};
use crate::read::inputs::CHUNK_BYTES;
use crate::read::web::Answer;
use crate::write::bytes::{put, put_all, shown};
use crate::write::numbers::urls;

/// How many examples are kept of each rule.
const EXAMPLES: usize = 3;

/// A longer URL is no example.
const EXAMPLE_BYTES: usize = 2 << 10;

/// How many bytes of examples are kept in all: a file can have very many rules.
const ALL_EXAMPLE_BYTES: usize = 1 << 20;

/// How much of a rule is shown.
const RULE_CHARS: usize = 80;

/// What a policy says of the URLs of a sitemap.
pub struct Tally {
    /// The verdict of which it is told what decides.
    verdict: Verdict,
    pub allowed: u64,
    pub disallowed: u64,
    /// What a URL answered in the place of the robots.txt, and decides all.
    answer: Option<String>,
    by: Vec<By>,
    places: HashMap<Option<u32>, usize>,
    /// How many bytes of examples there is room for.
    room: usize,
}

/// Judges the URLs of sitemaps that are of the site, by all these policies, in one pass.
pub fn judge<P: Borrow<Policy> + Send + Sync>(
    sitemaps: &mut Sitemaps,
    split: &mut Split,
    policies: &mut [(P, Tally)],
) {
    let mut chunk = Vec::new();
    while sitemaps.fill(&mut chunk, CHUNK_BYTES) {
        let urls = chunk.split(|byte| *byte == b'\n');
        let urls: Vec<&[u8]> = urls.filter(|url| !url.is_empty() && split.is_here(url)).collect();
        policies.par_iter_mut().for_each(|(policy, tally)| {
            let policy: &Policy = (*policy).borrow();
            for url in &urls {
                // What has the origin of a site is valid.
                if let Ok(target) = policy.target(url) {
                    tally.add(policy, url, &target);
                }
            }
        });
    }
}

/// URLs about which the same rule decides, or none.
pub struct By {
    /// What decides in the place of rules: `HTTP 503`.
    answer: Option<String>,
    /// The rule's line.
    pub line: Option<u32>,
    /// The rule as written: `Disallow: /search`.
    pub rule: Option<(Verdict, Vec<u8>)>,
    pub count: u64,
    pub examples: Vec<Vec<u8>>,
}

impl Tally {
    /// Counts all verdicts, and tells what decides where it is this one: an answer, or the rules.
    pub fn new(verdict: Verdict, answer: Option<&Answer>) -> Tally {
        Tally {
            verdict,
            allowed: 0,
            disallowed: 0,
            answer: answer.map(|answer| answer.cause.clone()),
            by: Vec::new(),
            places: HashMap::new(),
            room: ALL_EXAMPLE_BYTES,
        }
    }

    /// Adds the verdict of a policy on a URL.
    fn add(&mut self, policy: &Policy, url: &[u8], target: &Target<'_>) {
        let verdict = policy.verdict(target);
        match verdict {
            Verdict::Allow => self.allowed += 1,
            Verdict::Disallow => self.disallowed += 1,
        }
        if verdict == self.verdict {
            self.add_decision(&policy.decision(target), url);
        }
    }

    fn add_decision(&mut self, decision: &Decision<'_>, url: &[u8]) {
        let line = match decision.reason {
            _ if self.answer.is_some() => None,
            Reason::Rule(rule) => Some(rule.line),
            Reason::EmptyRule { line } => Some(line),
            _ => None,
        };
        let at = *self.places.entry(line).or_insert_with(|| {
            let rule = decision.rule().filter(|_| line.is_some());
            let rule = rule.map(|rule| (rule.verdict, rule.value.to_vec()));
            let answer = self.answer.clone();
            self.by.push(By { answer, line, rule, count: 0, examples: Vec::new() });
            self.by.len() - 1
        });
        let by = &mut self.by[at];
        by.count += 1;
        if by.examples.len() < EXAMPLES && url.len() <= EXAMPLE_BYTES.min(self.room) {
            self.room -= url.len();
            by.examples.push(url.to_vec());
        }
    }

    /// How many URLs get the verdict of which it is told what decides.
    pub fn count(&self) -> u64 {
        match self.verdict {
            Verdict::Allow => self.allowed,
            Verdict::Disallow => self.disallowed,
        }
    }

    /// What decides, the most frequent first.
    pub fn by(&self) -> Vec<&By> {
        let mut all: Vec<&By> = self.by.iter().collect();
        all.sort_by_key(|by| (std::cmp::Reverse(by.count), by.line));
        all
    }
}

impl Tally {
    pub fn json(&self) -> Value {
        json!({
            "allowed": self.allowed,
            "disallowed": self.disallowed,
            "by": self.by().into_iter().map(By::json).collect::<Value>(),
        })
    }
}

impl By {
    fn json(&self) -> Value {
        let mut value = json!({ "line": self.line, "urls": self.count });
        if let Some(answer) = &self.answer {
            value["answer"] = answer.as_str().into();
        }
        if let Some((verdict, rule)) = &self.rule {
            value["verdict"] = verdict.as_str().into();
            put(&mut value, "rule", rule);
        }
        put_all(&mut value, "examples", &self.examples);
        value
    }

    /// `line 5 Disallow: /search`.
    pub fn shown(&self) -> String {
        self.shown_as(str::to_owned)
    }

    /// The same; `rule` shows the text of the rule.
    pub fn shown_as(&self, rule: impl Fn(&str) -> String) -> String {
        match (self.line, &self.rule) {
            (Some(line), Some((verdict, value))) => {
                let field = if verdict.is_allow() { "Allow" } else { "Disallow" };
                let mut value = shown(value);
                if let Some((end, _)) = value.char_indices().nth(RULE_CHARS) {
                    value.truncate(end);
                    value.push('…');
                }
                format!("line {line} {field}: {}", rule(&value))
            }
            (Some(line), None) => format!("line {line}, an empty rule"),
            (None, _) => self.answer.clone().unwrap_or_else(|| "no rule".to_owned()),
        }
    }

    /// `104 URLs: https://e.com/search/a  https://e.com/search/b`.
    pub fn counted(&self) -> String {
        let examples: Vec<String> = self.examples.iter().map(|url| shown(url)).collect();
        let colon = if examples.is_empty() { "" } else { ": " };
        format!("{}{colon}{}", urls(self.count), examples.join("  "))
    }
}
