//! One question put to every named profile: the document, and what makes the answers differ.

use robotsieve::explain::ProfileComparison;
use robotsieve::internals::list;
use serde::Serialize;

use super::{Asked, ExplainReport, ExplainVerdict, SCHEMA, Sentence, TOOL_VERSION, text};
use robotsieve::explain::ProfileDifference;

/// One question put to every named profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CompareReport {
    /// The version of the form of this document.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    pub schema: &'static str,
    /// The kind of this document.
    #[cfg_attr(feature = "schema", schemars(extend("const" = "compare")))]
    pub report: &'static str,
    /// The version of robotsieve.
    pub tool_version: &'static str,
    /// The robots.txt, or the store, as it was named. `null` if it has no name.
    pub robots: Option<String>,
    /// All bytes of `robots`, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robots_base64: Option<String>,
    /// The crawler as given: its names, parted by commas, or a whole User-Agent header.
    pub agent: String,
    /// All bytes of `agent`, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_base64: Option<String>,
    /// The URL as given.
    pub url: String,
    /// All bytes of `url`, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_base64: Option<String>,
    /// True if all profiles give the same verdict.
    pub agree: bool,
    /// The answer of each profile, in the order `rfc9309`, `google`, `google-classic`,
    /// `original-1994`.
    pub explanations: Vec<ExplainReport>,
    /// The profiles whose verdict or deciding line is not that of `rfc9309`. Empty if not the same
    /// file applies in all of them, since their answers are then not compared.
    pub differences: Vec<ProfileDifference>,
    /// The verdicts, and what makes them differ.
    pub sentences: Vec<Sentence>,
}

impl Asked<'_> {
    /// The answers of one file's rules in every profile, and what makes them differ.
    #[must_use]
    pub fn compared(&self, compared: &ProfileComparison<'_>) -> CompareReport {
        let explanations = compared.explanations.iter().map(|(profile, why)| match why {
            Ok(why) => self.explained(why),
            Err(_) => self.invalid(Some(profile)),
        });
        let sentence = compared.to_string();
        self.all(explanations.collect(), compared.differences.clone(), sentence)
    }

    /// The answers of profiles for which not the same file applies.
    #[must_use]
    pub fn uncompared(&self, explanations: Vec<ExplainReport>) -> CompareReport {
        let mut by_verdict: Vec<(ExplainVerdict, Vec<&str>)> = Vec::new();
        for ExplainReport { verdict, profile, .. } in &explanations {
            let profile = profile.unwrap_or("custom");
            match by_verdict.iter_mut().find(|(other, _)| other == verdict) {
                Some((_, profiles)) => profiles.push(profile),
                None => by_verdict.push((*verdict, vec![profile])),
            }
        }
        let say = |(verdict, profiles): &(ExplainVerdict, Vec<&str>)| {
            let says = if profiles.len() == 1 { "says" } else { "say" };
            format!("{} {says} {}", list(profiles, "and"), verdict.as_str())
        };
        let sentence = match &by_verdict[..] {
            [(verdict, _)] => format!("all profiles say {}", verdict.as_str()),
            _ => {
                let verdicts: Vec<String> = by_verdict.iter().map(say).collect();
                format!("{}: not the same policy applies in all of them", verdicts.join("; "))
            }
        };
        self.all(explanations, Vec::new(), sentence)
    }

    fn all(
        &self,
        explanations: Vec<ExplainReport>,
        differences: Vec<ProfileDifference>,
        sentence: String,
    ) -> CompareReport {
        let (robots, robots_base64) = self.robots.map(text).unzip();
        let (agent, agent_base64) = text(&self.agent);
        let (url, url_base64) = text(self.url);
        CompareReport {
            schema: SCHEMA,
            report: "compare",
            tool_version: TOOL_VERSION,
            robots,
            robots_base64: robots_base64.flatten(),
            agent,
            agent_base64,
            url,
            url_base64,
            agree: explanations.windows(2).all(|pair| pair[0].verdict == pair[1].verdict),
            explanations,
            differences,
            sentences: vec![Sentence::new(sentence, None)],
        }
    }
}
