//! A policy's automaton as JSON, with the walk of a URL.

use std::fmt::Write as _;

use robotsieve::{Crawler, InvalidUrl, Policy, Profile, Robots};

use crate::explain::{target, verdict_name};
use crate::json::Json;
use crate::positions::{Positions, Text};

pub fn automaton(
    policy: &Policy,
    profile: &Profile,
    url: Option<&[u8]>,
    most: usize,
) -> Result<Option<String>, InvalidUrl> {
    // An explanation maps the target's bytes back to the URL. The target does not depend on the
    // file.
    let nothing = Robots::parse(b"", profile);
    let compared = url.map(|url| nothing.explain(&Crawler::names([""; 0]), url)).transpose()?;
    let compared = compared.as_ref().map(|why| &why.target);
    let walked = url.map(|url| policy.target(url)).transpose()?;
    let Some(graph) = policy.to_graph(walked.as_ref(), most) else { return Ok(None) };
    Ok(Some(Json::of(|json| {
        json.object(|json| {
            json.key("states").array(&graph.states, |json, state| {
                json.object(|json| {
                    json.key("verdict").text(verdict_name(state.verdict));
                    json.key("isFinal").bool(state.is_final);
                    json.key("depth").option(state.depth, Json::number);
                    json.key("transitions").array(&state.transitions, |json, transition| {
                        json.object(|json| {
                            byte_class(json.key("bytes"), &transition.bytes);
                            json.key("to").option(transition.to, Json::number);
                        });
                    });
                    json.key("otherwise").option(state.otherwise, Json::number);
                });
            });
            json.key("start").number(0);
            json.key("stateCount").option(graph.state_count, Json::number);
            json.key("isWhole").bool(graph.is_whole());
            let walk = graph.walk.as_ref().zip(compared).zip(url);
            json.key("walk").option(walk, |json, ((walk, compared), url)| {
                let positions = Positions::of(url);
                let text = Text { bytes: url, positions: &positions };
                json.object(|json| {
                    json.key("verdict").text(verdict_name(walk.verdict));
                    // The first byte of the target is the `/` before the start.
                    let bytes = compared.bytes.iter().enumerate().skip(1);
                    json.key("steps").array(
                        bytes.zip(&walk.states),
                        |json, ((at, byte), state)| {
                            json.object(|json| {
                                json.key("byte").line((*byte).into());
                                json.key("label").text(&label(*byte));
                                json.key("state").option(*state, Json::number);
                                text.write(json.key("urlSpan"), &compared.in_url(at..at + 1));
                            });
                        },
                    );
                    json.key("stopsEarly").bool(walk.stops_early);
                    target(json.key("target"), text, compared);
                });
            });
        });
    })))
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
fn byte_class(json: &mut Json, bytes: &[u8]) {
    let runs =
        || bytes.chunk_by(|one, next| next - one == 1).map(|run| (run[0], run[run.len() - 1]));
    json.object(|json| {
        json.key("ranges").array(runs(), |json, (first, last)| {
            json.array([first, last], |json, byte| json.line(byte.into()));
        });
        let mut text = String::new();
        for (first, last) in runs() {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&label(first));
            if last > first {
                let dash = if last - first > 1 { "-" } else { " " };
                let _ = write!(text, "{dash}{}", label(last));
            }
        }
        json.key("label").text(&text);
    });
}
