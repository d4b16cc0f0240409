//! A decision record: one line of JSON with a verdict and what it was based on.

use std::ffi::OsString;
use std::path::PathBuf;

use robotsieve::explain::Explanation;
use robotsieve::{Crawler, Profile};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::options::{Agent, is_refused};
use crate::write::bytes::{self, shown, text};

/// The value of a record's member `schema`.
pub const SCHEMA: &str = "robotsieve-record-1";

/// The version in records and explanations.
pub const TOOL_VERSION: &str = env!("CARGO_PKG_VERSION");

/// One decision. Bytes that are not UTF-8 are in a member `…_base64`, next to a text in which they
/// are replaced.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Record {
    pub schema: String,
    pub tool_version: String,
    /// `allow`, `disallow` or `invalid`.
    pub verdict: String,
    /// [`Reason::as_str`](robotsieve::Reason::as_str), or `invalid-url`.
    pub reason: String,
    pub profile: String,
    pub agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_base64: Option<String>,
    /// Whether `agent` is a whole User-Agent header.
    pub user_agent: bool,
    pub url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url_base64: Option<String>,
    /// The URL as it was compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_base64: Option<String>,
    /// The value of the rule that decided, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_base64: Option<String>,
    /// The rule's line, 1-based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The byte range of the rule's value in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<[usize; 2]>,
    /// The path of the robots.txt as it was given.
    pub robots: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robots_base64: Option<String>,
    pub robots_sha256: String,
}

/// The robots.txt that decided.
pub struct Source<'s> {
    pub path: &'s std::path::Path,
    pub sha256: &'s str,
}

impl Record {
    /// The record of a decision, or of an invalid URL.
    pub fn new(
        source: &Source<'_>,
        agent: &Agent,
        url: &[u8],
        profile: &str,
        why: Option<&Explanation<'_>>,
    ) -> Record {
        let (robots, robots_base64) = text(source.path.as_os_str().as_encoded_bytes());
        let (agent_text, agent_base64) = text(agent.text.as_encoded_bytes());
        let (url, url_base64) = text(url);
        let winner = why.and_then(Explanation::winner);
        let (target, target_base64) = maybe_text(why.map(|why| &why.target.bytes[..]));
        let (rule, rule_base64) = maybe_text(winner.map(|rule| rule.value));
        Record {
            schema: SCHEMA.to_owned(),
            tool_version: TOOL_VERSION.to_owned(),
            verdict: why.map_or("invalid", |why| why.verdict.as_str()).to_owned(),
            reason: why.map_or("invalid-url", |why| why.decision().reason.as_str()).to_owned(),
            profile: profile.to_owned(),
            agent: agent_text,
            agent_base64,
            user_agent: agent.is_header,
            url,
            url_base64,
            target,
            target_base64,
            rule,
            rule_base64,
            line: winner.map(|rule| rule.line),
            span: winner.map(|rule| [rule.value_span.start, rule.value_span.end]),
            robots,
            robots_base64,
            robots_sha256: source.sha256.to_owned(),
        }
    }

    /// Parses a serialized record.
    ///
    /// # Errors
    /// Returns a description of what is wrong with the line.
    pub fn parse(line: &[u8]) -> Result<Question, String> {
        let record: Record = serde_json::from_slice(line).map_err(|cause| {
            // A record is one line: only the column says anything.
            let cause = cause.to_string();
            match cause.rsplit_once(" at line 1 column ") {
                Some((what, column)) => format!("not a decision record: {what} in column {column}"),
                None => format!("not a decision record: {cause}"),
            }
        })?;
        if record.schema != SCHEMA {
            return Err(format!("'schema' is '{}', not '{SCHEMA}'", record.schema));
        }
        let profile = Profile::named(&record.profile)
            .ok_or_else(|| format!("there is no profile '{}'", record.profile))?;
        if !["allow", "disallow", "invalid"].contains(&record.verdict.as_str()) {
            return Err(format!("'verdict' is '{}', not a verdict", record.verdict));
        }
        let bytes = |text: &str, base64: &Option<String>, name: &str| {
            bytes::taken(text, base64.as_deref(), name)
        };
        let agent = bytes(&record.agent, &record.agent_base64, "agent")?;
        if let Err(wrong) = Agent::check(&agent, record.user_agent, &profile)
            && is_refused(&wrong, &profile)
        {
            return Err(format!("in 'agent', {}", shown(wrong.to_string().as_bytes())));
        }
        let url = bytes(&record.url, &record.url_base64, "url")?;
        let rule = match &record.rule {
            Some(rule) => Some(bytes(rule, &record.rule_base64, "rule")?),
            None => None,
        };
        let target = match &record.target {
            Some(target) => Some(bytes(target, &record.target_base64, "target")?),
            None => None,
        };
        let robots = bytes(&record.robots, &record.robots_base64, "robots")?;
        let robots = path_of(robots).ok_or("'robots' is not a path on this system")?;
        Ok(Question { profile, agent, url, target, rule, robots, record })
    }
}

/// A parsed record, which can be decided again.
pub struct Question {
    pub profile: Profile,
    pub agent: Vec<u8>,
    pub url: Vec<u8>,
    pub target: Option<Vec<u8>>,
    pub rule: Option<Vec<u8>>,
    pub robots: PathBuf,
    pub record: Record,
}

impl Question {
    /// The crawler of the record.
    pub fn crawler(&self) -> Crawler {
        Agent::crawler_of(&self.agent, self.record.user_agent)
    }
}

#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> Option<PathBuf> {
    Some(OsString::from(String::from_utf8(bytes).ok()?).into())
}

fn maybe_text(bytes: Option<&[u8]>) -> (Option<String>, Option<String>) {
    let (text, base64) = bytes.map(text).unzip();
    (text, base64.flatten())
}

/// The SHA-256 of a file in hexadecimal.
pub fn sha256(file: &[u8]) -> String {
    Sha256::digest(file).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sha256_of_abc() {
        // FIPS 180-2, appendix B.1.
        let wanted = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), wanted);
    }
}
