//! Decisions on record: what was decided and what it was based on, and whether it still holds.

use robotsieve::explain::Explanation;
use robotsieve::{Crawler, Decision, NameError, Policy, Profile, Rule};
use robotsieve_shown::shown;
use serde::{Deserialize, Serialize};

use super::document::{TOOL_VERSION, text};
use super::explain::Asked;
use super::places::Lines;

/// One decision: a line of JSON, which `explain --record` prints and `replay` checks. Bytes that are not
/// UTF-8 are in a member `…_base64`, next to a text in which they are replaced.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct DecisionRecord {
    /// [`DecisionRecord::SCHEMA`].
    pub schema: String,
    /// The version of robotsieve that decided.
    pub tool_version: String,
    /// `allow`, `disallow` or `invalid`, or with a store `unknown`.
    pub verdict: String,
    /// [`Reason::as_str`](robotsieve::Reason::as_str), or `invalid-url`; with a store also `site`, if no
    /// rules were in force, and `unknown-site`.
    pub reason: String,
    /// The name of the profile.
    pub profile: String,
    /// The crawler as given: its names, parted by commas, or a whole User-Agent header.
    pub agent: String,
    /// All bytes of `agent`, if they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_base64: Option<String>,
    /// True if `agent` is a whole User-Agent header.
    pub user_agent: bool,
    /// The URL as given.
    pub url: String,
    /// All bytes of `url`, if they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url_base64: Option<String>,
    /// The URL as it was compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// All bytes of `target`, if they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_base64: Option<String>,
    /// The value of the rule that decided, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// All bytes of `rule`, if they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_base64: Option<String>,
    /// The rule's line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Where the rule's value is in the file, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<[usize; 2]>,
    /// If `robots` is a store: what it said was in force for the URL's site: `rules`, `allow-all`,
    /// `disallow-all` or `unknown`, or `invalid` for a URL without a host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<String>,
    /// The robots.txt as it was named, or the store that had it.
    pub robots: String,
    /// All bytes of `robots`, if they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robots_base64: Option<String>,
    /// The SHA-256 of the robots.txt, in hexadecimal. Empty if `holds` is not `rules`.
    pub robots_sha256: String,
}

/// A change since a decision was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordChange {
    /// The verdict.
    Verdict,
    /// What decides, or the record is wrong about it.
    Rule,
    /// The file, but neither verdict nor rule.
    File,
}

/// A record whose members are what they should be, which can be decided again.
#[derive(Clone, Debug)]
pub struct RecordedQuestion {
    /// The profile.
    pub profile: Profile,
    /// The bytes of the crawler as given.
    pub agent: Vec<u8>,
    /// The bytes of the URL.
    pub url: Vec<u8>,
    /// The bytes of the name of the robots.txt.
    pub robots: Vec<u8>,
    target: Option<Vec<u8>>,
    rule: Option<Vec<u8>>,
    /// The record itself.
    pub record: DecisionRecord,
}

/// The robots.txt of today that a record is checked against.
#[derive(Clone, Copy, Debug)]
pub struct FileToday<'f> {
    /// Its name, for sentences.
    pub name: &'f str,
    /// Its bytes.
    pub bytes: &'f [u8],
    /// Their SHA-256, in hexadecimal.
    pub sha256: &'f str,
}

impl DecisionRecord {
    /// The value of the member `schema`.
    pub const SCHEMA: &str = "robotsieve-record-1";

    /// The record of a decision in the profile of this name; that of an invalid URL has no explanation.
    #[must_use]
    pub fn new(
        asked: &Asked<'_>,
        profile: &str,
        robots_sha256: &str,
        why: Option<&Explanation<'_>>,
    ) -> DecisionRecord {
        let (robots, robots_base64) = text(asked.robots.unwrap_or_default());
        let (agent, agent_base64) = text(&asked.agent);
        let (url, url_base64) = text(asked.url);
        let winner = why.and_then(Explanation::winner);
        let (target, target_base64) = maybe_text(why.map(|why| &why.target.bytes[..]));
        let (rule, rule_base64) = maybe_text(winner.map(|rule| rule.value));
        DecisionRecord {
            schema: DecisionRecord::SCHEMA.to_owned(),
            tool_version: TOOL_VERSION.to_owned(),
            verdict: why.map_or("invalid", |why| why.verdict.as_str()).to_owned(),
            reason: why.map_or("invalid-url", |why| why.decision().reason.as_str()).to_owned(),
            profile: profile.to_owned(),
            agent,
            agent_base64,
            user_agent: asked.user_agent,
            url,
            url_base64,
            target,
            target_base64,
            rule,
            rule_base64,
            line: winner.map(|rule| rule.line),
            span: winner.map(|rule| [rule.value_span.start, rule.value_span.end]),
            holds: None,
            robots,
            robots_base64,
            robots_sha256: robots_sha256.to_owned(),
        }
    }

    /// The same decision, by what a store says is in force for the URL's site. Where that is not
    /// `rules`, the robots.txt of the decision is a stand-in, of which the record says nothing.
    #[must_use]
    pub fn of_site(mut self, holds: &str) -> DecisionRecord {
        if holds != RULES {
            self.robots_sha256.clear();
            (self.rule, self.rule_base64, self.line, self.span) = (None, None, None, None);
            self.reason = site_reason(&self.reason).to_owned();
        }
        if let Some((verdict, reason)) = undecided(holds).filter(|_| self.verdict != INVALID.0) {
            (self.verdict, self.reason) = (verdict.to_owned(), reason.to_owned());
        }
        self.holds = Some(holds.to_owned());
        self
    }

    /// The question that the record answers.
    ///
    /// # Errors
    /// Returns a description of the first member that is not what it should be.
    pub fn question(self) -> Result<RecordedQuestion, String> {
        if self.schema != DecisionRecord::SCHEMA {
            return Err(format!("'schema' is '{}', not '{}'", self.schema, DecisionRecord::SCHEMA));
        }
        let profile = Profile::named(&self.profile)
            .ok_or_else(|| format!("there is no profile '{}'", self.profile))?;
        let is_unknown = self.holds.is_some() && self.verdict == UNKNOWN.0;
        if !is_unknown && !["allow", "disallow", "invalid"].contains(&self.verdict.as_str()) {
            return Err(format!("'verdict' is '{}', not a verdict", self.verdict));
        }
        let agent = taken(&self.agent, &self.agent_base64, "agent")?;
        if !self.user_agent
            && let Err(wrong) = check_names(&agent, &profile)
            && refuses_names(&profile)
        {
            return Err(format!("in 'agent', {}", shown(wrong.to_string().as_bytes())));
        }
        let url = taken(&self.url, &self.url_base64, "url")?;
        let rule = maybe_taken(self.rule.as_deref(), &self.rule_base64, "rule")?;
        let target = maybe_taken(self.target.as_deref(), &self.target_base64, "target")?;
        let robots = taken(&self.robots, &self.robots_base64, "robots")?;
        Ok(RecordedQuestion { profile, agent, url, robots, target, rule, record: self })
    }
}

/// Checks the names of a crawler, parted by commas.
///
/// # Errors
/// Returns an error for the first name that no group can match. What looks like a User-Agent header is
/// one name, although it may have commas.
pub fn check_names(names: &[u8], profile: &Profile) -> Result<(), NameError> {
    let is_header = names.iter().any(|byte| b"();".contains(byte));
    let names = names.split(|byte| *byte == b',' && !is_header);
    Crawler::try_names(names, profile).map(drop)
}

/// Returns true if a name that no group can match is an error. In profile `google` it is none, because
/// google/robotstxt takes names as given.
#[must_use]
pub fn refuses_names(profile: &Profile) -> bool {
    *profile != Profile::GOOGLE
}

impl RecordedQuestion {
    /// The crawler of the record.
    #[must_use]
    pub fn crawler(&self) -> Crawler {
        if self.record.user_agent {
            Crawler::from_user_agent(&self.agent)
        } else {
            Crawler::names(self.agent.split(|byte| *byte == b','))
        }
    }

    /// The change, and a sentence about it, if the decision is made again by this file's policy for
    /// [`RecordedQuestion::crawler`]. `None` if all of the record holds.
    #[must_use]
    pub fn change(&self, policy: &Policy, file: &FileToday<'_>) -> Option<(RecordChange, String)> {
        let record = &self.record;
        let decision = policy.decide(&self.url).ok();
        let verdict = decision.map_or("invalid", |decision| decision.verdict.as_str());
        let rule = decision.and_then(|decision| decision.rule());
        let is_same_file = file.sha256 == record.robots_sha256;
        let change = if verdict != record.verdict {
            RecordChange::Verdict
        } else if rule.map(|rule| rule.value) != self.rule.as_deref()
            || reason_word(decision.as_ref()) != record.reason
        {
            RecordChange::Rule
        } else if is_same_file && rule.map(|rule| rule.line) != record.line {
            // The same file and the same rule, but another line: the record is wrong.
            RecordChange::Rule
        } else if let Some(member) = self.untrue(policy, rule, file, is_same_file) {
            let sentence = format!("{verdict} holds, but '{member}' is wrong; {}", self.author());
            return Some((RecordChange::Rule, sentence));
        } else if !is_same_file {
            RecordChange::File
        } else {
            return None;
        };
        let was = grounds(&record.verdict, self.rule.as_deref(), record.line, &record.reason);
        let line = rule.map(|rule| rule.line);
        let is = grounds(verdict, rule.map(|r| r.value), line, reason_word(decision.as_ref()));
        let cause = if is_same_file {
            format!("'{}' is the same: {}", file.name, self.author())
        } else {
            format!("'{}' changed", file.name)
        };
        Some((change, format!("was {was}; is {is}; {cause}")))
    }

    /// The same where no rules of the URL's site are in force, as this store says. What `holds` instead
    /// is decided by the policy of its stand-in.
    #[must_use]
    pub fn change_of_site(
        &self,
        policy: &Policy,
        holds: &str,
        store: &str,
    ) -> Option<(RecordChange, String)> {
        let record = &self.record;
        let decision = policy.decide(&self.url).ok();
        let (verdict, reason) = match &decision {
            None => INVALID,
            Some(found) => undecided(holds)
                .unwrap_or_else(|| (found.verdict.as_str(), site_reason(found.reason.as_str()))),
        };
        let change = if verdict != record.verdict {
            RecordChange::Verdict
        } else if reason != record.reason || record.holds.as_deref() != Some(holds) {
            RecordChange::Rule
        } else {
            return None;
        };
        let was = grounds(&record.verdict, self.rule.as_deref(), record.line, &record.reason);
        let is = grounds(verdict, None, None, reason);
        let holds = holds.replace('-', " ");
        Some((change, format!("was {was}; is {is}; '{store}' changed: {holds}")))
    }

    /// The member that would be different now, although verdict and rule are the same.
    fn untrue(
        &self,
        policy: &Policy,
        rule: Option<Rule<'_>>,
        file: &FileToday<'_>,
        is_same_file: bool,
    ) -> Option<&'static str> {
        // The target depends on URL and profile, not on the file.
        let target = policy.target(&self.url).ok().map(|target| target.to_vec());
        if target != self.target {
            return Some("target");
        }
        let is_span = match (rule, self.record.span) {
            (Some(rule), Some([from, to])) => {
                let is_there = || {
                    file.bytes.get(from..to) == Some(rule.value)
                        && Lines::of(file.bytes).place(file.bytes, from).0 == rule.line
                };
                !is_same_file || is_there()
            }
            (rule, span) => rule.is_none() && span.is_none(),
        };
        (!is_span).then_some("span")
    }

    /// What may have caused a difference, if it was not the file.
    fn author(&self) -> String {
        if self.record.tool_version == TOOL_VERSION {
            "the record was altered".to_owned()
        } else {
            format!("robotsieve {} decided", self.record.tool_version)
        }
    }
}

/// What `holds` if the rules of a robots.txt do.
const RULES: &str = "rules";
/// The verdict if a store does not say what holds, and the reason for it.
const UNKNOWN: (&str, &str) = ("unknown", "unknown-site");
/// The same for a URL that is none, or with a store has no host.
const INVALID: (&str, &str) = ("invalid", "invalid-url");

/// Verdict and reason where nothing holds.
fn undecided(holds: &str) -> Option<(&'static str, &'static str)> {
    [UNKNOWN, INVALID].into_iter().find(|(verdict, _)| *verdict == holds)
}

/// The reason of a decision without rules, from that of the stand-in.
fn site_reason(reason: &str) -> &str {
    match reason {
        "robots-txt" | "invalid-url" => reason,
        _ => "site",
    }
}

fn reason_word(decision: Option<&Decision<'_>>) -> &'static str {
    decision.map_or("invalid-url", |decision| decision.reason.as_str())
}

/// A verdict and the rule or the reason for it.
fn grounds(verdict: &str, rule: Option<&[u8]>, line: Option<u32>, reason: &str) -> String {
    match rule {
        Some(rule) => {
            let line = line.map_or_else(String::new, |line| format!(" on line {line}"));
            format!("{verdict} by '{}'{line}", shown(rule))
        }
        None => format!("{verdict} ({reason})"),
    }
}

fn maybe_text(bytes: Option<&[u8]>) -> (Option<String>, Option<String>) {
    let (text, base64) = bytes.map(text).unzip();
    (text, base64.flatten())
}

fn taken(text: &str, base64: &Option<String>, name: &str) -> Result<Vec<u8>, String> {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    match base64 {
        None => Ok(text.as_bytes().to_vec()),
        Some(base64) => STANDARD
            .decode(base64)
            .map_err(|cause| format!("'{name}_base64' is not base64: {cause}")),
    }
}

fn maybe_taken(
    text: Option<&str>,
    base64: &Option<String>,
    name: &str,
) -> Result<Option<Vec<u8>>, String> {
    text.map(|text| taken(text, base64, name)).transpose()
}
