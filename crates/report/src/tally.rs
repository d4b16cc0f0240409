//! Verdicts on many URLs, counted by what decides.

use std::cmp::Reverse;
use std::collections::HashMap;

use robotsieve::{Decision, Policy, Reason, Target, Verdict};
use robotsieve_shown::{shortened, shown, urls};

use super::{shown_text, text, texts};

/// The number of examples that are kept of each rule.
const EXAMPLES: usize = 3;

/// A longer URL is no example.
const EXAMPLE_BYTES: usize = 2 << 10;

/// The number of bytes of examples that are kept in all: a file can have very many rules.
const ALL_EXAMPLE_BYTES: usize = 1 << 20;

/// How much of a rule is shown, in characters.
const RULE_CHARS: usize = 80;

/// Counts of a policy's verdicts on URLs.
///
/// ```
/// use robotsieve_report::tally::Tally;
/// use robotsieve::{Profile, Robots, Verdict};
///
/// let policy = Robots::parse(b"User-agent: *\nDisallow: /x", &Profile::RFC9309).policy(&"a".into());
/// let mut tally = Tally::new(Verdict::Disallow, None);
/// for url in ["/x1", "/y", "/x2"] {
///     tally.add(&policy, url.as_bytes(), &policy.target(url)?);
/// }
/// assert_eq!((tally.allowed, tally.disallowed), (1, 2));
/// assert_eq!(tally.by()[0].shown(), "line 2 Disallow: /x");
/// # Ok::<(), robotsieve::InvalidUrl>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tally {
    /// The verdict of which it is told what decides.
    verdict: Verdict,
    /// The number of URLs that are allowed.
    pub allowed: u64,
    /// The number of URLs that are disallowed.
    pub disallowed: u64,
    answer: Option<String>,
    by: Vec<DecidedBy>,
    places: HashMap<Option<u32>, usize>,
    /// The number of bytes of examples there is room for.
    room: usize,
}

/// A rule or reason that decides about some URLs, with their number and examples.
#[derive(Clone, Debug)]
pub struct DecidedBy {
    /// What decides in the place of rules: `HTTP 503`.
    answer: Option<String>,
    /// The rule's line.
    pub line: Option<u32>,
    /// The rule with its value as written; none if the line's rule is empty.
    rule: Option<(Verdict, Vec<u8>)>,
    /// The number of URLs that it decides about.
    pub count: u64,
    /// Some of these URLs.
    pub examples: Vec<Vec<u8>>,
}

impl Tally {
    /// Counts all verdicts, and tells what decides where it is this one: an answer that was given
    /// in the place of a file, or the rules.
    #[must_use]
    pub fn new(verdict: Verdict, answer: Option<&str>) -> Tally {
        Tally {
            verdict,
            allowed: 0,
            disallowed: 0,
            answer: answer.map(str::to_owned),
            by: Vec::new(),
            places: HashMap::new(),
            room: ALL_EXAMPLE_BYTES,
        }
    }

    /// Adds the verdict of a policy on a URL, given with its target.
    pub fn add(&mut self, policy: &Policy, url: &[u8], target: &Target<'_>) {
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
            self.by.push(DecidedBy { answer, line, rule, count: 0, examples: Vec::new() });
            self.by.len() - 1
        });
        let by = &mut self.by[at];
        by.count += 1;
        if by.examples.len() < EXAMPLES && url.len() <= EXAMPLE_BYTES.min(self.room) {
            self.room -= url.len();
            by.examples.push(url.to_vec());
        }
    }

    /// The number of URLs that get the verdict of which it is told what decides.
    #[must_use]
    pub fn count(&self) -> u64 {
        match self.verdict {
            Verdict::Allow => self.allowed,
            Verdict::Disallow => self.disallowed,
        }
    }

    /// The deciding rules and reasons, the most frequent first.
    #[must_use]
    pub fn by(&self) -> Vec<&DecidedBy> {
        let mut all: Vec<&DecidedBy> = self.by.iter().collect();
        all.sort_by_key(|by| (Reverse(by.count), by.line));
        all
    }

    /// The counts as a member of reports.
    #[must_use]
    pub fn report(&self) -> TallyReport {
        TallyReport {
            allowed: self.allowed,
            disallowed: self.disallowed,
            by: self.by().into_iter().map(DecidedBy::report).collect(),
        }
    }
}

impl DecidedBy {
    /// A phrase such as `line 5 Disallow: /search`.
    #[must_use]
    pub fn shown(&self) -> String {
        self.shown_as(str::to_owned)
    }

    /// The same; `rule` shows the text of the rule.
    #[must_use]
    pub fn shown_as(&self, rule: impl Fn(&str) -> String) -> String {
        let of_rule = self.rule.as_ref().map(|(verdict, value)| (*verdict, shown(value)));
        phrase(self.line, of_rule, self.answer.as_deref(), rule)
    }

    /// A phrase such as `104 URLs: https://e.com/search/a  https://e.com/search/b`.
    #[must_use]
    pub fn counted(&self) -> String {
        let examples: Vec<String> = self.examples.iter().map(|url| shown(url)).collect();
        let colon = if examples.is_empty() { "" } else { ": " };
        format!("{}{colon}{}", urls(self.count), examples.join("  "))
    }

    fn report(&self) -> TallyRule {
        let rule = self.rule.as_ref().map(|(_, value)| text(value));
        let (rule, rule_base64) = rule.map_or((None, None), |(rule, base64)| (Some(rule), base64));
        let (examples, examples_base64) = texts(&self.examples);
        TallyRule {
            line: self.line,
            urls: self.count,
            answer: self.answer.clone(),
            verdict: self.rule.as_ref().map(|(verdict, _)| *verdict),
            rule,
            rule_base64,
            examples,
            examples_base64,
        }
    }
}

/// Counts of verdicts on many URLs.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TallyReport {
    /// The number of URLs that are allowed.
    pub allowed: u64,
    /// The number of URLs that are disallowed.
    pub disallowed: u64,
    /// The deciding rules and reasons, the most frequent first.
    pub by: Vec<TallyRule>,
}

/// A rule or reason that decides about some of many URLs.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TallyRule {
    /// The line of the rule that decides, from 1; null if no rule does.
    pub line: Option<u32>,
    /// The number of URLs that it decides about.
    pub urls: u64,
    /// The answer in the place of a file, which decides: `HTTP 503`.
    pub answer: Option<String>,
    /// The rule's verdict; null if it is empty, or if no rule decides.
    pub verdict: Option<Verdict>,
    /// The rule's value as written; null if `verdict` is.
    pub rule: Option<String>,
    /// The bytes of `rule` if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_base64: Option<String>,
    /// Some of these URLs.
    pub examples: Vec<String>,
    /// The bytes of `examples` if some are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub examples_base64: Option<Vec<String>>,
}

impl TallyRule {
    /// A phrase such as `line 5 Disallow: /search`; `rule` shows the text of the rule.
    #[must_use]
    pub fn shown_as(&self, rule: impl Fn(&str) -> String) -> String {
        let value = |value: &String| shown_text(value, self.rule_base64.as_deref());
        let of_rule = self.verdict.zip(self.rule.as_ref().map(value));
        phrase(self.line, of_rule, self.answer.as_deref(), rule)
    }
}

fn phrase(
    line: Option<u32>,
    rule: Option<(Verdict, String)>,
    answer: Option<&str>,
    show: impl Fn(&str) -> String,
) -> String {
    match (line, rule) {
        (Some(line), Some((verdict, value))) => {
            let field = if verdict.is_allow() { "Allow" } else { "Disallow" };
            format!("line {line} {field}: {}", show(&shortened(&value, RULE_CHARS)))
        }
        (Some(line), None) => format!("line {line}, an empty rule"),
        (None, _) => answer.unwrap_or("no rule").to_owned(),
    }
}
