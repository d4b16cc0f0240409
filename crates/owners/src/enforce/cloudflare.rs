//! An expression of Cloudflare's Rules language.

use std::collections::BTreeSet;

use robotsieve_known::KnownCrawlers;

use super::cannot::CannotEnforce;
use super::header::longer;
use super::pattern::Run;
use super::text::{Written, WrittenClass};

/// The characters that an expression may have.
const CHARACTERS: usize = 4_096;

/// The expressions, one after the other with an empty line between them: each for a rule of its own. A request is refused
/// if one of them matches.
///
/// # Errors
/// Returns an error if the rules of one crawler alone are too long.
pub(super) fn texts(
    written: &Written<'_>,
    known: &KnownCrawlers,
) -> Result<Vec<String>, CannotEnforce> {
    let mut texts: Vec<String> = Vec::new();
    for class in written.refused() {
        let tokens: Vec<&str> = class.tokens().collect();
        let part = Part { written, known, class, tokens: &tokens, runs: &class.normal };
        for part in part.split() {
            let characters = part.chars().count();
            if characters > CHARACTERS {
                return Err(CannotEnforce::TooLong(format!(
                    "the expression for {} has {characters} characters, and Cloudflare takes {CHARACTERS}: --except leaves \
                     it out",
                    class.who()
                )));
            }
            match texts.last_mut() {
                Some(last) if last.chars().count() + 4 + characters <= CHARACTERS => {
                    *last += &format!("\nor {part}");
                }
                _ => texts.push(part),
            }
        }
    }
    Ok(texts)
}

/// What is refused to crawlers of a class, or to some of them, or a part of it.
#[derive(Clone, Copy)]
struct Part<'w> {
    written: &'w Written<'w>,
    known: &'w KnownCrawlers,
    class: &'w WrittenClass,
    tokens: &'w [&'w str],
    runs: &'w [Run],
}

impl Part<'_> {
    /// Expressions that are short enough, if that can be: halves of the names, or of the last rules.
    fn split(self) -> Vec<String> {
        let (named, condition) = (self.named(), condition(self.runs));
        let text = format!("({named} and {condition})");
        if text.chars().count() <= CHARACTERS {
            return vec![text];
        }
        let last = self.runs.last().filter(|run| run.refuses && run.regexes.len() > 1);
        let by_names = self.tokens.len() > 1 && (last.is_none() || named.len() > CHARACTERS / 3);
        if by_names {
            let (a, b) = self.tokens.split_at(self.tokens.len() / 2);
            return [a, b].map(|tokens| Part { tokens, ..self }.split()).concat();
        }
        let Some(last) = last else { return vec![text] };
        let halves = last.regexes.chunks(last.regexes.len().div_ceil(2)).map(|regexes| {
            let mut runs = self.runs.to_vec();
            runs.pop();
            runs.push(Run { refuses: true, regexes: regexes.to_vec() });
            Part { runs: &runs, ..self }.split()
        });
        halves.collect::<Vec<_>>().concat()
    }

    /// A condition for headers with one of the names, and with none of another class that has one of these in it:
    /// Cloudflare knows no words.
    fn named(self) -> String {
        let contains = |token: &str| format!("lower(http.user_agent) contains {}", quoted(token));
        let names: Vec<String> = self.tokens.iter().map(|token| contains(token)).collect();
        let classes = self.written.classes.iter();
        let others = classes.filter(|other| other.number != self.class.number);
        let of_others = others.flat_map(WrittenClass::tokens).map(str::to_owned);
        let known = self.tokens.iter().flat_map(|token| longer(self.known, token));
        let longer: BTreeSet<String> = of_others
            .chain(known.filter(|other| !self.class.tokens().any(|token| token == other)))
            .filter(|other| self.tokens.iter().any(|token| other.contains(token)))
            .collect();
        let not: String =
            longer.iter().map(|other| format!(" and not {}", contains(other))).collect();
        format!("({}){not}", names.join(" or "))
    }
}

/// What is refused: the first run that matches decides.
fn condition(runs: &[Run]) -> String {
    let of = |run: &Run| {
        let all = run.regexes.iter().filter_map(|regex| regex.wildcard.as_ref());
        let all: Vec<String> =
            all.map(|one| format!("http.request.uri strict wildcard {}", quoted(one))).collect();
        format!("({})", all.join(" or "))
    };
    match runs {
        [] => String::new(),
        [last] => of(last),
        [first, rest @ ..] if first.refuses => format!("({} or {})", of(first), condition(rest)),
        [first, rest @ ..] => format!("(not {} and {})", of(first), condition(rest)),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
