//! Explanations as JSON.

use std::ops::Range;

use robotsieve::Verdict;
use robotsieve::explain::{
    AgentLine, ComparedTarget, Explanation, MatchedRule, NamedCrawlers, ProfileComparison,
};

use crate::json::Json;
use crate::policy::line_of;
use crate::positions::{Positions, Text};

pub fn verdict_name(verdict: Verdict) -> &'static str {
    if verdict.is_allow() { "allow" } else { "disallow" }
}

/// The texts that an explanation has spans of.
#[derive(Clone, Copy)]
struct Texts<'t> {
    file: Text<'t>,
    url: Text<'t>,
    target: Text<'t>,
    compared: &'t ComparedTarget,
}

pub fn explanation(json: &mut Json, file: Text<'_>, url: &[u8], why: &Explanation<'_>) {
    let of_url = Positions::of(url);
    let url = Text { bytes: url, positions: &of_url };
    let of_target = Positions::of(&why.target.bytes);
    let target = Text { bytes: &why.target.bytes, positions: &of_target };
    let texts = Texts { file, url, target, compared: &why.target };
    let decision = why.decision();
    let place = |rule: Option<&MatchedRule<'_>>| {
        let rule = rule?;
        why.matches.iter().position(|one| std::ptr::eq(one, rule))
    };
    json.object(|json| {
        json.key("profile").option(why.profile.name(), Json::text);
        json.key("crawler").array(why.crawler.iter(), Json::bytes);
        json.key("verdict").text(verdict_name(why.verdict));
        json.key("allowed").bool(why.verdict.is_allow());
        json.key("reason").text(decision.reason.as_str());
        json.key("line").option(line_of(&decision), Json::line);
        json.key("selection").object(|json| {
            json.key("choice").text(why.selection.choice.as_str());
            json.key("lines").array(&why.selection.lines, |json, line| {
                json.object(|json| {
                    agent_line(json, file, line);
                    json.key("standing").text(line.standing.as_str());
                    json.key("foundBy").option(line.found_by, Json::number);
                });
            });
        });
        compared(json.key("target"), &texts);
        json.key("matches").array(&why.matches, |json, rule| matched(json, &texts, rule));
        json.key("matchCount").number(why.match_count);
        // The places of both among the matches: JavaScript puts the objects there.
        json.key("winner").option(place(why.winner()), Json::number);
        json.key("runnerUp").option(place(why.runner_up()), Json::number);
        let otherwise = why.verdict_otherwise.map(verdict_name);
        json.key("verdictOtherwise").option(otherwise, Json::text);
        json.key("ruleCount").number(why.rule_count());
        json.key("cut").option(why.cut.as_ref(), |json, cut| {
            json.object(|json| {
                json.key("bytesRead").number(cut.bytes_read);
                json.key("line").line(cut.line);
                json.key("limitBytes").number(cut.limit);
                json.key("matters").bool(cut.matters);
                json.key("verdict").text(verdict_name(cut.verdict));
                json.key("winnerLine").option(cut.winner, Json::line);
            });
        });
    });
}

/// The fields of a user-agent line.
pub fn agent_line(json: &mut Json, file: Text<'_>, line: &AgentLine<'_>) {
    json.key("line").line(line.line);
    json.key("value").bytes(line.value);
    file.write(json.key("valueSpan"), &line.value_span);
    json.key("group").line(line.group);
    let (names, token) = match line.names {
        NamedCrawlers::Everybody => ("everybody", None),
        NamedCrawlers::Token(token) => ("token", Some(token)),
        _ => ("nobody", None),
    };
    json.key("names").text(names);
    json.key("token").option(token, Json::bytes);
}

fn compared(json: &mut Json, texts: &Texts<'_>) {
    let Texts { url, target, compared, .. } = *texts;
    json.object(|json| {
        json.key("text").bytes(target.bytes);
        url.write(json.key("urlSpan"), &compared.url_span);
        json.key("slashImplied").bool(compared.slash_implied);
        json.key("changes").array(&compared.changes, |json, change| {
            json.object(|json| {
                url.write(json.key("urlSpan"), &change.url_span);
                target.write(json.key("targetSpan"), &change.target_span);
            });
        });
    });
}

/// The target of a URL as JSON.
pub fn target(json: &mut Json, url: Text<'_>, compared: &ComparedTarget) {
    let positions = Positions::of(&compared.bytes);
    let target = Text { bytes: &compared.bytes, positions: &positions };
    self::compared(json, &Texts { file: url, url, target, compared });
}

fn matched(json: &mut Json, texts: &Texts<'_>, rule: &MatchedRule<'_>) {
    let Texts { file, url, target, compared } = *texts;
    let in_url = |span: &Range<usize>| compared.in_url(span.clone());
    json.object(|json| {
        json.key("verdict").text(verdict_name(rule.verdict));
        json.key("line").line(rule.line);
        json.key("value").bytes(rule.value);
        json.key("precedence").line(rule.precedence);
        json.key("pattern").bytes(&rule.pattern);
        json.key("anchored").bool(rule.anchored);
        file.write(json.key("lineSpan"), &rule.line_span);
        file.write(json.key("valueSpan"), &rule.value_span);
        json.key("pieces").array(&rule.pieces, |json, piece| {
            json.object(|json| {
                json.key("kind").text(piece.kind.as_str());
                file.write(json.key("fileSpan"), &piece.file_span);
                url.write(json.key("urlSpan"), &in_url(&piece.target_span));
                target.write(json.key("targetSpan"), &piece.target_span);
            });
        });
        let end = rule.pieces.last().map_or(0, |piece| piece.target_span.end);
        url.write(json.key("urlSpan"), &in_url(&(0..end)));
    });
}

pub fn comparison(json: &mut Json, file: Text<'_>, url: &[u8], all: &ProfileComparison<'_>) {
    json.object(|json| {
        json.key("answers").array(&all.explanations, |json, (profile, why)| {
            let why = why.as_ref().ok();
            json.object(|json| {
                json.key("profile").text(profile);
                json.key("verdict").text(why.map_or("invalid", |why| verdict_name(why.verdict)));
                json.key("explanation").option(why, |json, why| explanation(json, file, url, why));
            });
        });
        json.key("agree").bool(!all.differences.iter().any(|difference| difference.of_verdict));
        json.key("differences").array(&all.differences, |json, difference| {
            json.object(|json| {
                json.key("profile").text(difference.profile);
                json.key("ofVerdict").bool(difference.of_verdict);
                json.key("causes").array(&difference.causes, |json, cause| {
                    json.object(|json| {
                        json.key("switch").text(cause.switch().as_str());
                        json.key("text").display(cause);
                    });
                });
                json.key("together").bool(difference.together);
            });
        });
        json.key("sentence").display(all);
    });
}
