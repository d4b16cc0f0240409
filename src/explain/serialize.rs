//! `Serialize` for what has private fields, or fields that serde cannot derive.

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::bytes_as_text::BytesAsText;
use crate::read::crawler::Crawler;

use super::{Cause, Explanation, ProfileComparison};

/// The profile is its name, or `null` if it has none. The crawler is a list of its names.
impl Serialize for Explanation<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Explanation", 10)?;
        out.serialize_field("profile", &self.profile.name())?;
        out.serialize_field("crawler", &Names(&self.crawler))?;
        out.serialize_field("verdict", &self.verdict)?;
        out.serialize_field("reason", &self.decision().reason)?;
        out.serialize_field("selection", &self.selection)?;
        out.serialize_field("target", &self.target)?;
        out.serialize_field("matches", &self.matches)?;
        out.serialize_field("match_count", &self.match_count)?;
        out.serialize_field("verdict_otherwise", &self.verdict_otherwise)?;
        out.serialize_field("cut", &self.cut)?;
        out.end()
    }
}

struct Names<'c>(&'c Crawler);

impl Serialize for Names<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(BytesAsText))
    }
}

/// An explanation is `null` if the URL is invalid in its profile.
impl Serialize for ProfileComparison<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Explained<'e, 'a> {
            profile: &'static str,
            explanation: Option<&'e Explanation<'a>>,
        }
        let explanations: Vec<Explained<'_, '_>> = self
            .explanations
            .iter()
            .map(|(profile, why)| Explained { profile, explanation: why.as_ref().ok() })
            .collect();
        let mut out = serializer.serialize_struct("ProfileComparison", 2)?;
        out.serialize_field("explanations", &explanations)?;
        out.serialize_field("differences", &self.differences)?;
        out.end()
    }
}

/// The name of the switch, as in a serialised [`Profile`](crate::Profile).
impl Serialize for Cause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.switch().as_str())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};

    use crate::explain::{ComparedTarget, compare_profiles};
    use crate::{Crawler, Profile, Robots};

    #[test]
    fn an_explanation() {
        let file = b"User-agent: *\nDisallow: /\xE9*$\n";
        let robots = Robots::parse(file, &Profile::ORIGINAL_1994);
        let why = robots.explain(&Crawler::name("bot"), b"/\xE9*$x").unwrap();
        let wanted = json!({
            "profile": "original-1994",
            "crawler": ["bot"],
            "verdict": "disallow",
            "reason": { "rule": {
                "verdict": "disallow",
                "line": 2,
                "value": [47, 233, 42, 36],
                "precedence": why.matches[0].precedence,
                "pattern": [47, 233, 42, 36],
                "anchored": false,
            } },
            "selection": {
                "choice": "everybody",
                "lines": [{
                    "line": 1,
                    "value": "*",
                    "value_span": { "start": 12, "end": 13 },
                    "group": 1,
                    "names": "everybody",
                    "found_by": null,
                    "standing": "chosen",
                }],
            },
            "target": {
                "bytes": [47, 233, 42, 36, 120],
                "url_span": { "start": 0, "end": 5 },
                "slash_implied": false,
                "changes": [],
            },
            "matches": [{
                "verdict": "disallow",
                "line": 2,
                "line_span": { "start": 14, "end": 28 },
                "value": [47, 233, 42, 36],
                "value_span": { "start": 24, "end": 28 },
                "pattern": [47, 233, 42, 36],
                "anchored": false,
                "precedence": why.matches[0].precedence,
                "pieces": [{
                    "kind": "literal",
                    "file_span": { "start": 24, "end": 28 },
                    "target_span": { "start": 0, "end": 4 },
                }],
            }],
            "match_count": 1,
            "verdict_otherwise": "allow",
            "cut": null,
        });
        assert_eq!(to_value(&why).unwrap(), wanted);
        let target: ComparedTarget = serde_json::from_value(wanted["target"].clone()).unwrap();
        assert_eq!(target, why.target);
    }

    #[test]
    fn a_comparison() {
        let compared =
            compare_profiles(b"User-agent: a\nDisallow: /", &Crawler::name("a"), "e.com");
        let value = to_value(&compared).unwrap();
        let explanations = value["explanations"].as_array().unwrap();
        assert_eq!(explanations.len(), Profile::NAMED.len());
        assert_eq!(explanations[0], json!({ "profile": "rfc9309", "explanation": null }));
        assert_eq!(explanations[1]["explanation"]["verdict"], "disallow");
        assert_eq!(
            explanations[1]["explanation"]["selection"]["lines"][0]["names"],
            json!({ "token": "a" })
        );
        let wanted = json!([{ "profile": "google", "of_verdict": true, "causes": ["target_form"], "together": false }]);
        assert_eq!(value["differences"], wanted);
    }
}
