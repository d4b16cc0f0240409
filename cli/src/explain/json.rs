//! An explanation as JSON, described in `docs/explain.md` and `docs/explain.schema.json`.

use std::ops::Range;

use robotsieve::explain::{
    AgentLine, Explanation, MatchedRule, NamedCrawlers, ProfileComparison, ProfileDifference,
};
use robotsieve::{HeaderName, UserAgent};
use serde::Serialize;
use serde_json::Value as Json;

use super::header::deciding_names;
use super::site::Site;
use super::{Answer, Answers, Explainer, Source};
use crate::explain::record::TOOL_VERSION;
use crate::write::bytes::text;

/// The value of the member `schema`. It changes when a member changes its meaning or is removed, but
/// not when one is added.
const SCHEMA: &str = "robotsieve-explain-4";

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    tool_version: &'static str,
    #[serde(flatten)]
    robots: Robots,
    #[serde(flatten)]
    agent: Agent,
    #[serde(flatten)]
    url: Url,
    explanations: Vec<Profiled>,
    differences: Option<Differences>,
}

/// Members for bytes: a text, and base64 if the bytes are not UTF-8.
macro_rules! bytes {
    ($name:ident, $text:ident, $base64:ident) => {
        #[derive(Serialize)]
        struct $name {
            $text: String,
            #[serde(skip_serializing_if = "Option::is_none")]
            $base64: Option<String>,
        }

        impl $name {
            fn of(bytes: &[u8]) -> $name {
                let ($text, $base64) = text(bytes);
                $name { $text, $base64 }
            }
        }
    };
}

bytes!(Path, robots, robots_base64);
bytes!(AgentText, agent, agent_base64);
bytes!(Name, name, name_base64);
bytes!(Url, url, url_base64);
bytes!(Value, value, value_base64);
bytes!(Token, token, token_base64);
bytes!(TargetText, bytes, bytes_base64);
bytes!(Pattern, pattern, pattern_base64);

#[derive(Serialize)]
struct Robots {
    #[serde(flatten)]
    path: Path,
    #[serde(skip_serializing_if = "Option::is_none")]
    robots_sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    robots_bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    robots_answer: Option<String>,
}

#[derive(Serialize)]
struct Agent {
    #[serde(flatten)]
    agent: AgentText,
    user_agent: bool,
    names: Vec<NameRead>,
}

#[derive(Serialize)]
struct NameRead {
    #[serde(flatten)]
    name: Name,
    #[serde(flatten)]
    place: Option<NamePlace>,
}

/// Where a name is in a header.
#[derive(Serialize)]
struct NamePlace {
    span: [usize; 2],
    certainty: &'static str,
}

#[derive(Serialize)]
struct Profiled {
    profile: &'static str,
    verdict: &'static str,
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<Json>,
    #[serde(flatten)]
    why: Option<Why>,
}

#[derive(Serialize)]
struct Why {
    group: Group,
    target: Target,
    match_count: usize,
    matches: Vec<Match>,
    winner: Option<u32>,
    runner_up: Option<u32>,
    verdict_otherwise: Option<&'static str>,
    cut: Option<Cut>,
}

#[derive(Serialize)]
struct Cut {
    bytes_read: usize,
    line: u32,
    limit: usize,
    matters: bool,
    verdict: &'static str,
    winner: Option<u32>,
}

#[derive(Serialize)]
struct Group {
    choice: &'static str,
    decided_by: Vec<usize>,
    rule_count: usize,
    lines: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    line: u32,
    #[serde(flatten)]
    value: Value,
    span: [usize; 2],
    group: u32,
    names: &'static str,
    #[serde(flatten)]
    token: Option<Token>,
    found_by: Option<usize>,
    standing: &'static str,
}

#[derive(Serialize)]
struct Target {
    #[serde(flatten)]
    bytes: TargetText,
    url_span: [usize; 2],
    slash_implied: bool,
    changes: Vec<Change>,
}

#[derive(Serialize)]
struct Change {
    url_span: [usize; 2],
    target_span: [usize; 2],
}

#[derive(Serialize)]
struct Match {
    line: u32,
    verdict: &'static str,
    #[serde(flatten)]
    value: Value,
    span: [usize; 2],
    line_span: [usize; 2],
    #[serde(flatten)]
    pattern: Pattern,
    anchored: bool,
    precedence: u32,
    pieces: Vec<Piece>,
}

#[derive(Serialize)]
struct Piece {
    kind: &'static str,
    span: [usize; 2],
    target_span: [usize; 2],
    url_span: [usize; 2],
}

#[derive(Serialize)]
struct Differences {
    sentence: String,
    profiles: Vec<Difference>,
}

#[derive(Serialize)]
struct Difference {
    profile: &'static str,
    of_verdict: bool,
    together: bool,
    causes: Vec<Cause>,
}

#[derive(Serialize)]
struct Cause {
    cause: &'static str,
    clause: String,
}

/// Renders an explanation as one line of JSON.
pub fn render(explainer: &Explainer<'_>, url: &[u8], answers: &Answers<'_>) -> Vec<u8> {
    let Explainer { args, agent, .. } = explainer;
    let file = match &explainer.source {
        Source::File(file) => Some(file),
        Source::Store(_) => None,
    };
    let answer = file.and_then(|file| file.answer.as_ref());
    let text = file.filter(|_| answer.is_none());
    let document = Document {
        schema: SCHEMA,
        tool_version: TOOL_VERSION,
        robots: Robots {
            path: Path::of(args.policy.robots.as_os_str().as_encoded_bytes()),
            robots_sha256: text.map(|file| file.sha256.clone()),
            robots_bytes: text.map(|file| file.bytes.len()),
            robots_answer: answer.map(|answer| answer.cause.clone()),
        },
        agent: Agent {
            agent: AgentText::of(agent.text.as_encoded_bytes()),
            user_agent: agent.is_header,
            names: names(explainer),
        },
        url: Url::of(url),
        explanations: answers
            .said
            .iter()
            .map(|said| {
                let (verdict, reason) = said.answer.words();
                let why = match &said.answer {
                    Answer::Rules(_, why) => Some(Why::of(why)),
                    _ => None,
                };
                let site = said.site.map(Site::to_json);
                Profiled { profile: said.profile, verdict, reason, site, why }
            })
            .collect(),
        differences: answers.compared.as_deref().map(Differences::of),
    };
    let mut out = serde_json::to_vec(&document).expect("a vector has room for any text");
    out.push(b'\n');
    out
}

fn names(explainer: &Explainer<'_>) -> Vec<NameRead> {
    if !explainer.agent.is_header {
        let names = explainer.crawler.iter();
        return names.map(|name| NameRead { name: Name::of(name), place: None }).collect();
    }
    let read = UserAgent::read(explainer.agent.text.as_encoded_bytes());
    let place = |name: &HeaderName<'_>| NamePlace {
        span: span(&name.span),
        certainty: name.certainty.as_str(),
    };
    let names = read.names().iter();
    names.map(|name| NameRead { name: Name::of(name.name), place: Some(place(name)) }).collect()
}

fn span(span: &Range<usize>) -> [usize; 2] {
    [span.start, span.end]
}

impl Why {
    fn of(why: &Explanation<'_>) -> Why {
        let target = &why.target;
        Why {
            group: Group {
                choice: why.selection.choice.as_str(),
                decided_by: deciding_names(why),
                rule_count: why.rule_count(),
                lines: why.selection.lines.iter().map(Line::of).collect(),
            },
            target: Target {
                bytes: TargetText::of(&target.bytes),
                url_span: span(&target.url_span),
                slash_implied: target.slash_implied,
                changes: target
                    .changes
                    .iter()
                    .map(|change| Change {
                        url_span: span(&change.url_span),
                        target_span: span(&change.target_span),
                    })
                    .collect(),
            },
            match_count: why.match_count,
            matches: why.matches.iter().map(|rule| Match::of(rule, why)).collect(),
            winner: why.winner().map(|rule| rule.line),
            runner_up: why.runner_up().map(|rule| rule.line),
            verdict_otherwise: why.verdict_otherwise.map(|verdict| verdict.as_str()),
            cut: why.cut.as_ref().map(|cut| Cut {
                bytes_read: cut.bytes_read,
                line: cut.line,
                limit: cut.limit,
                matters: cut.matters,
                verdict: cut.verdict.as_str(),
                winner: cut.winner,
            }),
        }
    }
}

impl Line {
    fn of(line: &AgentLine<'_>) -> Line {
        let (names, token) = match line.names {
            NamedCrawlers::Everybody => ("everybody", None),
            NamedCrawlers::Token(token) => ("token", Some(Token::of(token))),
            _ => ("nobody", None),
        };
        Line {
            line: line.line,
            value: Value::of(line.value),
            span: span(&line.value_span),
            group: line.group,
            names,
            token,
            found_by: line.found_by,
            standing: line.standing.as_str(),
        }
    }
}

impl Match {
    fn of(rule: &MatchedRule<'_>, why: &Explanation<'_>) -> Match {
        Match {
            line: rule.line,
            verdict: rule.verdict.as_str(),
            value: Value::of(rule.value),
            span: span(&rule.value_span),
            line_span: span(&rule.line_span),
            pattern: Pattern::of(&rule.pattern),
            anchored: rule.anchored,
            precedence: rule.precedence,
            pieces: rule
                .pieces
                .iter()
                .map(|piece| Piece {
                    kind: piece.kind.as_str(),
                    span: span(&piece.file_span),
                    target_span: span(&piece.target_span),
                    url_span: span(&why.target.in_url(piece.target_span.clone())),
                })
                .collect(),
        }
    }
}

impl Differences {
    fn of(compared: &ProfileComparison<'_>) -> Differences {
        let difference = |difference: &ProfileDifference| Difference {
            profile: difference.profile,
            of_verdict: difference.of_verdict,
            together: difference.together,
            causes: difference
                .causes
                .iter()
                .map(|cause| Cause { cause: cause.switch().as_str(), clause: cause.to_string() })
                .collect(),
        };
        Differences {
            sentence: compared.to_string(),
            profiles: compared.differences.iter().map(difference).collect(),
        }
    }
}
