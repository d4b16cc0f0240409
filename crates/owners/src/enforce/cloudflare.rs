//! An expression of Cloudflare's Rules language.

use std::collections::BTreeSet;

use robotsieve_known::KnownCrawlers;

use super::cannot::CannotEnforce;
use super::header::longer;
use super::pattern::Run;
use super::text::{Written, WrittenClass};

/// The characters that an expression may have.
const CHARACTERS: usize = 4_096;

/// # Errors
/// Returns an error if the expression is too long.
pub(super) fn text(
    written: &Written<'_>,
    known: &KnownCrawlers,
) -> Result<String, CannotEnforce> {
    let classes = written
        .refused()
        .map(|class| {
            format!("({} and {})", named(written, known, class), condition(&class.normal))
        });
    let classes: Vec<String> = classes.collect();
    let text = classes.join("\nor ");
    let characters = text.chars().count();
    if characters > CHARACTERS {
        return Err(CannotEnforce::TooLong(format!(
            "the expression has {characters} characters, and Cloudflare takes {CHARACTERS}: choose fewer crawlers \
             (--purpose, --crawler), or several times some of them for several rules"
        )));
    }
    Ok(text + "\n")
}

/// A condition for headers with one of the names of a class, and with none of another class that has one of these
/// in it: Cloudflare knows no words.
fn named(written: &Written<'_>, known: &KnownCrawlers, class: &WrittenClass) -> String {
    let contains = |token: &str| format!("lower(http.user_agent) contains {}", quoted(token));
    let names: Vec<String> = class.tokens().map(contains).collect();
    let others = written.classes.iter().filter(|other| other.number != class.number);
    let of_others = others.flat_map(WrittenClass::tokens).map(str::to_owned);
    let known = class.tokens().flat_map(|token| longer(known, token));
    let longer: BTreeSet<String> = of_others
        .chain(known.filter(|other| !class.tokens().any(|token| token == other)))
        .filter(|other| class.tokens().any(|token| other.contains(token)))
        .collect();
    let not: String = longer.iter().map(|other| format!(" and not {}", contains(other))).collect();
    format!("({}){not}", names.join(" or "))
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
