//! A policy's automaton, with the walk of a URL.

use std::fmt::Write as _;

use robotsieve::{Crawler, InvalidUrl, Policy, Profile, Robots, Verdict};
use robotsieve_report::{Asked, ComparedTarget};
use serde::Serialize;

use crate::json::json;
use crate::positions::{Text, Texts};

#[derive(Serialize)]
struct Automaton {
    states: Vec<State>,
    start: usize,
    state_count: Option<usize>,
    whole: bool,
    walk: Option<Walk>,
}

#[derive(Serialize)]
struct State {
    verdict: Verdict,
    #[serde(rename = "final")]
    is_final: bool,
    depth: Option<usize>,
    transitions: Vec<Transition>,
    otherwise: Option<usize>,
}

#[derive(Serialize)]
struct Transition {
    bytes: ByteClass,
    to: Option<usize>,
}

#[derive(Serialize)]
struct ByteClass {
    ranges: Vec<[u8; 2]>,
    label: String,
}

#[derive(Serialize)]
struct Walk {
    verdict: Verdict,
    target: Option<ComparedTarget>,
    steps: Vec<Step>,
    stops_early: bool,
}

#[derive(Serialize)]
struct Step {
    byte: u8,
    label: String,
    state: Option<usize>,
    url_span: [usize; 2],
}

pub fn automaton(
    policy: &Policy,
    profile: &Profile,
    url: Option<&[u8]>,
    most: usize,
    is_utf16: bool,
) -> Result<Option<String>, InvalidUrl> {
    // An explanation maps the target's bytes back to the URL. The target does not depend on the
    // file.
    let nothing = Robots::parse(b"", profile);
    let anybody = Crawler::names([""; 0]);
    let why = url.map(|url| nothing.explain(&anybody, url)).transpose()?;
    let walked = url.map(|url| policy.target(url)).transpose()?;
    let Some(graph) = policy.to_graph(walked.as_ref(), most) else { return Ok(None) };
    let walk = graph.walk.as_ref().zip(why.as_ref()).map(|(walk, why)| {
        // The first byte of the target is the `/` before the start.
        let bytes = why.target.bytes.iter().enumerate().skip(1).zip(&walk.states);
        let steps = bytes.map(|((at, byte), state)| {
            let span = why.target.in_url(at..at + 1);
            let url_span = [span.start, span.end];
            Step { byte: *byte, label: label(*byte), state: *state, url_span }
        });
        Walk {
            verdict: walk.verdict,
            steps: steps.collect(),
            stops_early: walk.stops_early,
            target: Asked::new(&anybody, b"").explained(why).target,
        }
    });
    let states = graph.states.iter().map(|state| State {
        verdict: state.verdict,
        is_final: state.is_final,
        depth: state.depth,
        transitions: state
            .transitions
            .iter()
            .map(|transition| Transition {
                bytes: byte_class(&transition.bytes),
                to: transition.to,
            })
            .collect(),
        otherwise: state.otherwise,
    });
    let automaton = Automaton {
        states: states.collect(),
        start: 0,
        state_count: graph.state_count,
        whole: graph.is_whole(),
        walk,
    };
    let texts = why.as_ref().zip(url).filter(|_| is_utf16).map(|(why, url)| Texts {
        url: Text::of(url),
        targets: vec![Text::of(&why.target.bytes)],
        ..Texts::default()
    });
    Ok(Some(json(&automaton, texts)))
}

/// A byte to show.
fn label(byte: u8) -> String {
    match byte {
        b' ' => "␠".to_owned(),
        0x21..=0x7E => char::from(byte).to_string(),
        _ => format!("\\x{byte:02X}"),
    }
}

/// Bytes, which ascend.
fn byte_class(bytes: &[u8]) -> ByteClass {
    let runs = bytes.chunk_by(|one, next| next - one == 1);
    let ranges: Vec<[u8; 2]> = runs.map(|run| [run[0], run[run.len() - 1]]).collect();
    let mut text = String::new();
    for [first, last] in &ranges {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&label(*first));
        if last > first {
            let dash = if last - first > 1 { "-" } else { " " };
            let _ = write!(text, "{dash}{}", label(*last));
        }
    }
    ByteClass { ranges, label: text }
}
