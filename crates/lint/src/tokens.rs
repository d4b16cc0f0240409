//! Findings about the values of user-agent lines.

use robotsieve::internals::{Names, RobotsInternals as _, token};
use robotsieve::{Crawler, Profile, Record, TokenBytes};
use robotsieve_known::{KnownCrawlers, NobodysName, internals as crawlers};

use crate::change::Offered;
use crate::meant::is_hyphen;
use crate::shown::{is_invisible, listed, shown};
use crate::subject::Subject;
use crate::{Code, Severity};

pub(super) fn find(subject: &mut Subject<'_>, record: &Record<'_>) {
    let token = match Names::of(record.value, &subject.profile) {
        Names::Everybody => return,
        Names::Nobody => return names_nobody(subject, record),
        // Only a crawler without a name finds it, and none is.
        Names::Token(b"") => return names_nobody(subject, record),
        Names::Token(_) => token(record.value, subject.profile.token_bytes),
    };
    if token.len() < record.value.len() {
        after_token(subject, record, token);
    }
    outside_grammar(subject, record, token);
    // What is left of a name that the profile cuts off is not what was written.
    if token.len() == record.value.len() {
        misspelt(subject, record, token);
    }
}

/// A value without the characters that nobody sees, and with `-` for what looks like it.
fn visible(value: &[u8]) -> Vec<u8> {
    let Ok(text) = str::from_utf8(value) else { return value.to_vec() };
    let seen = text.chars().filter(|c| !is_invisible(*c));
    seen.map(|c| if is_hyphen(c) { '-' } else { c }).collect::<String>().into_bytes()
}

/// The runs of characters of names in a value, some of them empty.
fn words(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| !byte.is_ascii_alphanumeric() && !b"-_.".contains(byte))
}

/// The well-known crawlers that a value names, each once, as written. What stands between them is no part of a
/// name.
fn well_known(value: &[u8]) -> Vec<&[u8]> {
    let mut names: Vec<&[u8]> = Vec::new();
    for word in words(value) {
        let is_new = |known: &&[u8]| !known.eq_ignore_ascii_case(word);
        if crawlers::is_well_known(word) && names.iter().all(is_new) {
            names.push(word);
        }
    }
    names
}

fn names_nobody(subject: &mut Subject<'_>, record: &Record<'_>) {
    let value = record.value;
    let message = match value.first() {
        None => "the user-agent line has no value, so it names no crawler".to_owned(),
        Some(b'*') => format!("'{}' names no crawler, as something follows the '*'", shown(value)),
        Some(first) if subject.profile.token_bytes == TokenBytes::Letters => format!(
            "'{}' names no crawler here, as a product token ends before '{}'",
            shown(value),
            shown(&[*first])
        ),
        Some(_) => format!("'{}' names no crawler", shown(value)),
    };
    let span = if value.is_empty() { subject.record_span(record) } else { record.value_span() };
    // Whom it is for reads it.
    let is_token = matches!(Names::of(value, &Profile::RFC9309), Names::Token(_));
    let severity = if is_token { Severity::Warning } else { Code::NamesNobody.severity() };
    subject
        .add(Code::NamesNobody, record.line, span, message)
        .severity(severity)
        .help("a user-agent line holds the product token of one crawler, or '*' alone");
    // A colon too many, or HTML around it.
    let bare = value.trim_ascii_start().strip_prefix(b":").unwrap_or(value).trim_ascii();
    let end = memchr::memchr(b'<', bare).unwrap_or(bare.len());
    let bare = &visible(&bare[..end]);
    let bare = bare.trim_ascii_end();
    let is_name = bare == b"*" || !bare.is_empty() && bare.iter().all(u8::is_ascii_alphabetic);
    if is_name && bare.len() < value.len() {
        let draft = subject.found.last_mut().expect("it was just added");
        draft.propose(format!("write only '{}'", shown(bare)), record.value_span(), bare);
    }
}

/// What stands behind the product token is ignored. What was meant depends on what it is.
fn after_token(subject: &mut Subject<'_>, record: &Record<'_>, token: &[u8]) {
    let value = record.value;
    let after = &value[token.len()..];
    let span = record.value_span().start + token.len()..record.value_span().end;
    let message = format!("only '{}' names a crawler; '{}' is ignored", shown(token), shown(after));
    let line = record.line;
    let known = well_known(value);
    let seen = visible(value);
    let whole = robotsieve::internals::token(&seen, subject.profile.token_bytes);
    if seen.len() < value.len() && whole.len() > token.len() && known.len() < 2 {
        let has_hyphen = str::from_utf8(value).is_ok_and(|value| value.contains(is_hyphen));
        let how =
            if has_hyphen { "with a plain '-'" } else { "without characters that nobody sees" };
        let what = format!("write '{}' {how}", shown(whole));
        let draft = subject.add(Code::AfterToken, line, span, message).loses(true);
        draft.propose(what, record.value_span(), whole);
        return;
    }
    if Crawler::from_user_agent(value).iter().next().is_none() {
        subject.add(Code::AfterToken, line, span, message).help(
            "browsers send this, and crawlers obey no group by it: write the product token of the \
             crawler that is meant",
        );
        return;
    }
    // A whole header.
    if after.first() == Some(&b'/') && after.contains(&b'(') {
        let crawler = Crawler::from_user_agent(value);
        let name = crawler.iter().next().map(shown);
        let draft = subject.add(Code::AfterToken, line, span.clone(), message);
        match name {
            Some(name) if name.as_bytes().eq_ignore_ascii_case(token) => {
                draft.propose(format!("write only '{name}'"), span, "")
            }
            Some(name) => draft.help(format!(
                "this is a User-Agent header; the product token in it is probably '{name}'"
            )),
            None => draft,
        };
        return;
    }
    let own = subject.robots.groups().group_of_line(line);
    let finds = |name: &&[u8]| {
        let named = subject.obeyed.by(name);
        let obeyed = if named.is_empty() { subject.obeyed.everybody() } else { named };
        own.is_some_and(|own| obeyed.binary_search(&own).is_ok())
    };
    let is_lost = known.len() > 1 && !known.iter().all(finds);
    let draft = subject.add(Code::AfterToken, line, span.clone(), message).loses(is_lost);
    // A version, or stars that are meant to match versions.
    let is_version = after.first() == Some(&b'/')
        && after[1..].iter().all(|byte| byte.is_ascii_alphanumeric() || b".-_*".contains(byte));
    if known.len() < 2 && is_version || after.iter().all(|byte| *byte == b'*') {
        draft.propose(format!("write only '{}'", shown(token)), span, "");
        return;
    }
    // A list of names.
    let is_separator = |byte: &u8| matches!(byte, b',' | b';' | b'|');
    let names: Vec<&[u8]> = value.split(is_separator).map(<[u8]>::trim_ascii).collect();
    let is_token = |name: &&[u8]| {
        !name.is_empty() && name.iter().all(|b| b.is_ascii_alphabetic() || b"-_".contains(b))
    };
    // Anything else separates names too, if all of them are known: `Big Brother` is one.
    let is_between = |word: &[u8]| {
        let joins = [&b"and"[..], b"or"].iter().any(|joint| joint.eq_ignore_ascii_case(word));
        joins || !word.iter().any(u8::is_ascii_alphanumeric)
    };
    let mut others = words(value).filter(|word| !is_between(word));
    let are_known = known.len() > 1 && others.all(crawlers::is_well_known);
    let names = if are_known { known.clone() } else { names };
    if names.len() > 1 && (are_known || names.iter().all(is_token)) {
        draft.help("write a user-agent line for each crawler");
        let end = subject.line_end(record.value_span().start);
        let name = subject.name_span(record);
        let between = format!("{end}{}: ", shown(&subject.file[name]));
        let lines: Vec<String> = names.iter().map(|name| shown(name)).collect();
        let draft = subject.found.last_mut().expect("it was just added");
        let what = "write a line for each crawler";
        draft.finding.help = None;
        draft.propose(what, record.value_span(), lines.join(&between));
    } else if known.len() > 1 {
        draft.help("write a user-agent line for each crawler");
    } else if after[0].is_ascii_whitespace() {
        draft.help(format!(
            "a product token has no spaces: look up the crawler's, and if it is '{}', write only \
             that",
            shown(token)
        ));
    } else {
        draft.help("look up the crawler's product token, and write nothing else");
    }
}

fn outside_grammar(subject: &mut Subject<'_>, record: &Record<'_>, token: &[u8]) {
    if token.iter().all(|byte| byte.is_ascii_alphabetic() || b"-_".contains(byte)) {
        return;
    }
    if is_known(record.value) {
        return;
    }
    let message = format!(
        "the product token '{}' has bytes other than letters, '-' and '_', and some crawlers end it \
         at the first of them",
        shown(token)
    );
    let span = record.value_span().start..record.value_span().start + token.len();
    subject.add(Code::TokenOutsideGrammar, record.line, span, message);
}

/// Returns true if a value is the product token of a known crawler: then no other one names that.
pub(super) fn is_known(value: &[u8]) -> bool {
    str::from_utf8(value).is_ok_and(|value| KnownCrawlers::built_in().by_token(value).is_some())
}

fn misspelt(subject: &mut Subject<'_>, record: &Record<'_>, token: &[u8]) {
    if let Some(name) = KnownCrawlers::built_in().nobodys_name(token) {
        return operators_name(subject, record, token, name);
    }
    let Some(known) = crawlers::misspelt(token) else { return };
    let message = format!("no crawler is known as '{}'; '{known}' is", shown(token));
    let span = record.value_span().start..record.value_span().start + token.len();
    subject.add(Code::MisspeltCrawler, record.line, span.clone(), message).propose(
        format!("write '{known}'"),
        span,
        known,
    );
}

/// Reports the name of a company, or a word for all crawlers, unless its crawlers obey the group by it.
fn operators_name(
    subject: &mut Subject<'_>,
    record: &Record<'_>,
    token: &[u8],
    name: NobodysName<'_>,
) {
    let span = record.value_span().start..record.value_span().start + token.len();
    let shown = shown(token);
    match name {
        NobodysName::Everybody => {
            let message = format!("no crawler is known as '{shown}'; all of them are '*'");
            subject.add(Code::OperatorsName, record.line, span.clone(), message).propose(
                "write '*'",
                span,
                "*",
            );
        }
        NobodysName::Operator { operator, crawlers } => {
            let groups = subject.robots.groups();
            let own = groups.group_of_line(record.line);
            let selected = groups.select_named(&Crawler::name(&crawlers[0].token));
            if own.is_some_and(|own| selected.groups().contains(&own)) {
                return;
            }
            let tokens: Vec<String> =
                crawlers.iter().map(|crawler| format!("'{}'", crawler.token)).collect();
            let message = format!(
                "no crawler is known as '{shown}'; those of {operator} are {}",
                listed(&tokens)
            );
            // Which of them is meant is not known.
            let draft = subject.add(Code::OperatorsName, record.line, span.clone(), message);
            let known = &crawlers[0].token;
            draft.help("write the product token of the crawler that is meant").propose(
                format!("write '{known}'"),
                span,
                known.as_str(),
            );
            if let Some(proposal) = &mut draft.proposal {
                proposal.offered = Offered::Never;
            }
        }
    }
}
