//! Findings about what the file says of use: Content-Usage, Content-Signal and License.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use robotsieve::internals::{Names, RobotsInternals as _};
use robotsieve::records::Preferences;
use robotsieve::{Policy, Verdict};
use robotsieve_rights::internals::{
    Paths, RightsField, RightsLine, RightsLines, Signal, SignalPiece, UsageMember, pieces,
    read_members,
};
use robotsieve_rights::{ContentUsage, Note, Purpose, Purposes, Ruling, Vocabulary};

use crate::shown::{listed, quoted, shown};
use crate::subject::Subject;
use crate::{Code, Related, site};

/// The labels that somebody means who writes another one: as written, in Content-Usage, in
/// Content-Signal. An empty one is none.
const MEANT: [(&str, &str, &str); 9] = [
    ("ai-train", "train-ai", "ai-train"),
    ("train-ai", "train-ai", "ai-train"),
    ("ai-input", "ai-use", "ai-input"),
    ("ai-use", "ai-use", "ai-input"),
    ("inference", "ai-use", "ai-input"),
    ("ai-inference", "ai-use", "ai-input"),
    ("train-genai", "train-ai", "ai-train"),
    ("genai", "train-ai", "ai-train"),
    ("training", "train-ai", "ai-train"),
];

/// The labels of earlier drafts of Content-Usage that have none in their place.
const EARLIER: [&str; 5] = ["all", "bots", "tdm", "ai", "ai-output"];

pub(super) fn find(subject: &mut Subject<'_>) {
    let found = RightsLines::of(&subject.robots);
    if found.lines.is_empty() {
        return;
    }
    let lines: Vec<Line<'_>> = found.lines.iter().map(Line::of).collect();
    for line in &lines {
        match line.at.field {
            RightsField::ContentUsage => usage(subject, line),
            RightsField::ContentSignal => signals(subject, line),
            RightsField::License => license(subject, line),
        }
        outside(subject, line);
    }
    contradictions(subject, &lines);
    equal_lengths(subject, &lines);
    for field in [RightsField::ContentUsage, RightsField::ContentSignal] {
        // What a group of Content-Usage is, readers disagree then, and RS311 says so.
        if field == RightsField::ContentSignal || !found.groups_differ {
            loses_preferences(subject, &lines, field);
        }
    }
    if !found.groups_differ {
        not_crawlable(subject, &lines);
    }
}

/// A line, and what it says.
struct Line<'a> {
    at: RightsLine<'a>,
    said: Preferences<'a>,
    allows: Purposes,
    disallows: Purposes,
}

impl<'a> Line<'a> {
    fn of(at: &RightsLine<'a>) -> Line<'a> {
        let said = Preferences::of(at.value);
        let (allows, disallows) = at.field.stated(&said);
        Line { at: *at, said, allows, disallows }
    }

    fn name(&self) -> &'static str {
        match self.at.field {
            RightsField::ContentUsage => "Content-Usage",
            RightsField::ContentSignal => "Content-Signal",
            RightsField::License => "License",
        }
    }

    fn says_something(&self) -> bool {
        !(self.allows | self.disallows).is_empty()
    }
}

/// The span of a part of the file.
fn span_of(subject: &Subject<'_>, part: &[u8]) -> Range<usize> {
    let at = part.as_ptr() as usize - subject.file.as_ptr() as usize;
    at..at + part.len()
}

fn usage(subject: &mut Subject<'_>, line: &Line<'_>) {
    let statement = line.said.statement;
    if line.at.value.is_empty() {
        return;
    }
    if ContentUsage::of_record(&line.said).is_err() {
        void(subject, line);
        return;
    }
    let mut members: Vec<UsageMember<'_>> = Vec::new();
    // It was read above.
    let _ = read_members(statement, |member| members.push(member));
    let mut last: HashMap<&str, (UsageMember<'_>, Ruling)> = HashMap::new();
    for member in &members {
        let said = member.said(Vocabulary::default());
        if let Err(note) = said {
            let value = member.token.map(str::as_bytes);
            undefined(subject, line, member.label.as_bytes(), value, note);
            continue;
        }
        let ruling = said.unwrap_or_default();
        let before = last.insert(member.label, (*member, ruling));
        if let Some((_, before)) = before.filter(|(_, before)| *before != ruling) {
            let label = member.label;
            let span = span_of(subject, label.as_bytes());
            let message = format!(
                "'{label}' is there twice, and the last one counts: '{before}' is overruled by \
                 '{ruling}'"
            );
            subject.add(Code::ContradictingPreferences, line.at.line, span, message);
        }
    }
    let parameter = memchr::memchr(b';', statement)
        .map(|semicolon| {
            let after = statement[semicolon + 1..].trim_ascii_start();
            let end = after.iter().position(|byte| b"=,; \t".contains(byte));
            &after[..end.unwrap_or(after.len())]
        })
        .filter(|name| is_label(RightsField::ContentUsage, name) || meant(line, name).is_some());
    if let Some(name) = parameter {
        let span = span_of(subject, name);
        let message = format!(
            "'{}' follows a semicolon, so it is a parameter of the label before it and says nothing",
            shown(name)
        );
        subject
            .add(Code::UndefinedPreference, line.at.line, span, message)
            .help("separate preferences by commas, as in 'train-ai=n, search=y'");
    }
}

/// A Content-Usage that is ignored as a whole.
fn void(subject: &mut Subject<'_>, line: &Line<'_>) {
    let statement = line.said.statement;
    let value = line.at.value;
    let span = span_of(subject, value);
    let is_path =
        |word: &[u8]| word.contains(&b'/') || word.starts_with(b"*") && !word.contains(&b'=');
    let first = value.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    let (why, help) = if statement.is_empty() {
        ("the path has no preferences".to_owned(), "write them after it, as in '/ train-ai=n'")
    } else if line.said.path.is_none() && is_path(first) {
        (format!("'{}' is no path", shown(first)), "a path begins with '/'")
    } else {
        (fault(statement), "write labels in small letters, as in 'train-ai=n, search=y'")
    };
    let message = format!("all of this Content-Usage is ignored: {why}");
    let mended = mended(statement);
    let part = span_of(subject, statement);
    let draft = subject.add(Code::VoidPreferences, line.at.line, span, message);
    match mended {
        Some(mended) => {
            draft.propose(format!("write '{mended}'"), part, mended.clone());
        }
        None => {
            draft.help(help);
        }
    }
}

/// What makes a statement no dictionary of RFC 9651.
fn fault(statement: &[u8]) -> String {
    let mut all = statement.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    for piece in all.clone() {
        let equals = memchr::memchr(b'=', piece).unwrap_or(piece.len());
        let (label, value) = (&piece[..equals], &piece[(equals + 1).min(piece.len())..]);
        if label.trim_ascii().iter().any(u8::is_ascii_uppercase) {
            return format!("the label '{}' has a capital letter", shown(label.trim_ascii()));
        }
        if label.ends_with(b" ") || label.ends_with(b"\t") || value.starts_with(b" ") {
            return "there is a space beside '='".to_owned();
        }
    }
    if all.any(<[u8]>::is_empty) {
        return "a comma has nothing beside it".to_owned();
    }
    if !statement.is_ascii() {
        return "it has bytes outside ASCII".to_owned();
    }
    "it is not a dictionary of RFC 9651".to_owned()
}

/// A statement with its letters, spaces and commas put right, if that makes it a dictionary and nothing
/// else has to change.
fn mended(statement: &[u8]) -> Option<String> {
    const LONGEST: usize = 1_000;
    let text = str::from_utf8(statement).ok().filter(|text| text.len() <= LONGEST)?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.*=, \t".contains(c);
    if text.is_empty() || !text.chars().all(is_plain) {
        return None;
    }
    let mut mended: Vec<String> = Vec::new();
    for piece in text.split(',') {
        let joined = piece.split('=').map(str::trim).collect::<Vec<_>>().join("=");
        for word in joined.split_ascii_whitespace() {
            let (label, value) = word.split_once('=')?;
            let value = match value {
                "Y" | "N" => value.to_ascii_lowercase(),
                _ => value.to_owned(),
            };
            mended.push(format!("{}={value}", label.to_ascii_lowercase()));
        }
    }
    let mended = mended.join(", ");
    // The last of equal labels would count: which one is meant is a guess.
    let (mut labels, mut is_sound) = (BTreeSet::new(), true);
    read_members(mended.as_bytes(), |member| {
        is_sound &=
            member.said(Vocabulary::default()).is_ok() && labels.insert(member.label.to_owned());
    })
    .ok()?;
    (is_sound && !labels.is_empty()).then_some(mended)
}

fn signals(subject: &mut Subject<'_>, line: &Line<'_>) {
    if line.at.value.is_empty() {
        return;
    }
    let statement = line.said.statement;
    let mut first: [Option<Ruling>; 8] = [None; 8];
    for piece in pieces(statement) {
        let SignalPiece { label, value, said } = piece;
        match said {
            Ok(Signal::Ruling(number, ruling)) => {
                let before = first[number].replace(ruling);
                if before.is_some_and(|before| before != ruling) {
                    let message = format!("'{}' is there twice, and 'no' wins", shown(label));
                    let span = span_of(subject, label);
                    subject.add(Code::ContradictingPreferences, line.at.line, span, message);
                }
            }
            Ok(Signal::Ceiling(_)) => {}
            // A comma too many does no harm.
            Err(_) if label.is_empty() && value.is_none() && !statement.is_empty() => {}
            Err(note) => undefined(subject, line, label, value, note),
        }
    }
}

fn is_label(field: RightsField, label: &[u8]) -> bool {
    let labels: &[&str] = match field {
        RightsField::ContentUsage => &["train-ai", "ai-use", "search"],
        _ => &["search", "ai-input", "ai-train", "use"],
    };
    labels.iter().any(|known| known.as_bytes() == label)
}

/// The label of a line's field that is meant by another one.
fn meant(line: &Line<'_>, label: &[u8]) -> Option<&'static str> {
    let lower = str::from_utf8(label).ok().filter(|label| label.len() <= 32)?.to_ascii_lowercase();
    let is_usage = line.at.field == RightsField::ContentUsage;
    let own = |(_, usage, signal): &(&str, &'static str, &'static str)| {
        if is_usage { *usage } else { *signal }
    };
    if let Some(row) = MEANT.iter().find(|(written, ..)| *written == lower) {
        return Some(own(row));
    }
    let labels: &[&'static str] = if is_usage {
        &["train-ai", "ai-use", "search"]
    } else {
        &["search", "ai-input", "ai-train", "use"]
    };
    let near = labels.iter().filter(|known| known.len() > 3);
    let near = near.map(|known| (strsim::osa_distance(&lower, known), *known)).min();
    near.filter(|(distance, _)| *distance <= 2 && lower.len() > 3).map(|(_, known)| known)
}

/// A preference that says nothing: its label or its value is not defined, or it is none.
fn undefined(
    subject: &mut Subject<'_>,
    line: &Line<'_>,
    label: &[u8],
    value: Option<&[u8]>,
    note: Note,
) {
    let is_usage = line.at.field == RightsField::ContentUsage;
    let [yes, no] = if is_usage { ["y", "n"] } else { ["yes", "no"] };
    let meant_value = value.and_then(|value| {
        let is = |words: &[&str]| words.iter().any(|w| w.as_bytes().eq_ignore_ascii_case(value));
        match () {
            () if is(&["y", "yes", "allow", "allowed", "true", "1"]) => Some(yes),
            () if is(&["n", "no", "disallow", "disallowed", "deny", "false", "0"]) => Some(no),
            () => None,
        }
    });
    let written = shown(label);
    let (message, help) = match note {
        Note::UnknownLabel => {
            let message = format!("{} has no label '{written}', so it says nothing", line.name());
            let help = match (meant(line, label), meant_value) {
                (Some(meant), Some(value)) => format!("did you mean '{meant}={value}'?"),
                (Some(meant), None) => format!("did you mean '{meant}'?"),
                _ if is_usage && EARLIER.iter().any(|known| known.as_bytes() == label) => {
                    "an earlier draft had it; the labels are 'train-ai', 'ai-use' and 'search'"
                        .into()
                }
                _ if is_usage => "the labels are 'train-ai', 'ai-use' and 'search'".into(),
                _ => "the labels are 'search', 'ai-input', 'ai-train' and 'use'".into(),
            };
            (message, help)
        }
        Note::UnknownValue if label.eq_ignore_ascii_case(b"use") => (
            format!("'{written}' has no defined value, so it says nothing"),
            "the values are 'immediate', 'reference' and 'full'".to_owned(),
        ),
        Note::UnknownValue => {
            let value = match value {
                Some(value) if !value.is_empty() => format!("the value '{}'", shown(value)),
                _ => "no defined value".to_owned(),
            };
            let help = match meant_value {
                Some(value) => format!("did you mean '{written}={value}'?"),
                None => format!("the values are '{yes}' and '{no}'"),
            };
            (format!("'{written}' has {value}, so it says nothing"), help)
        }
        _ => (
            format!("'{written}' is no signal, so it says nothing"),
            "a signal is a label and a value, as in 'ai-train=no'".to_owned(),
        ),
    };
    let whole = if label.is_empty() { line.at.value } else { label };
    let span = span_of(subject, whole);
    subject.add(Code::UndefinedPreference, line.at.line, span, message).help(help);
}

fn license(subject: &mut Subject<'_>, line: &Line<'_>) {
    let is_http = line.at.value.get(..7).is_some_and(|s| s.eq_ignore_ascii_case(b"http://"));
    if is_http {
        let span = span_of(subject, line.at.value);
        let message = "the licence is not served by https, as RSL requires";
        subject
            .add(Code::LicenseNotHttps, line.at.line, span, message)
            .help("serve it by https, and write 'https://'");
    }
}

fn outside(subject: &mut Subject<'_>, line: &Line<'_>) {
    if line.at.group.is_some() || line.at.value.is_empty() {
        return;
    }
    let what = match line.at.field {
        RightsField::ContentUsage => "so it holds for nobody",
        RightsField::ContentSignal if line.disallows.is_empty() => "where only a 'no' counts",
        RightsField::ContentSignal => {
            "where only a 'no' counts, and not for crawlers with signals of their own"
        }
        RightsField::License => return,
    };
    let message = format!("this {} stands outside every group, {what}", line.name());
    let span = span_of(subject, line.at.value);
    subject
        .add(Code::PreferenceOutsideGroup, line.at.line, span, message)
        .help("put it below a user-agent line, such as 'User-agent: *'");
}

/// For each purpose the line that allows it first, and the one that disallows it first.
type First = HashMap<(Purpose, bool), u32>;

/// Lines that say the opposite of the same paths to the same crawlers.
fn contradictions(subject: &mut Subject<'_>, lines: &[Line<'_>]) {
    /// The whole site: with a path of `/`, or without one.
    const ALL: &[u8] = b"/";
    let mut same: HashMap<(u32, bool, Option<&[u8]>), First> = HashMap::new();
    let mut both: HashMap<(u32, bool, &[u8]), First> = HashMap::new();
    for line in lines.iter().filter(|line| line.says_something()) {
        let Some(group) = line.at.crawl_group else { continue };
        let is_usage = line.at.field == RightsField::ContentUsage;
        let path = line.said.path.unwrap_or(ALL);
        let mut found: Option<(u32, Vec<&'static str>)> = None;
        for purpose in (line.allows | line.disallows).iter() {
            let opposite = (purpose, !line.allows.contains(purpose));
            let own = same.get(&(group, is_usage, line.said.path));
            let other = both.get(&(group, !is_usage, path));
            let first = own.and_then(|first| first.get(&opposite));
            if let Some(other) = first.or_else(|| other.and_then(|first| first.get(&opposite))) {
                let found = found.get_or_insert((*other, Vec::new()));
                found.1.push(purpose.as_str());
            }
        }
        let own = same.entry((group, is_usage, line.said.path)).or_default();
        for purpose in (line.allows | line.disallows).iter() {
            let said = (purpose, line.allows.contains(purpose));
            own.entry(said).or_insert(line.at.line);
            both.entry((group, is_usage, path)).or_default().entry(said).or_insert(line.at.line);
        }
        if let Some((other, purposes)) = found {
            contradiction(subject, line, other, &purposes);
        }
    }
}

fn contradiction(subject: &mut Subject<'_>, line: &Line<'_>, other: u32, purposes: &[&str]) {
    let message = format!(
        "this says the opposite of line {other} about {}: the refusal counts",
        purposes.join(", ")
    );
    let span = span_of(subject, line.at.value);
    let related = subject.related(other, "the opposite is said here");
    subject.add(Code::ContradictingPreferences, line.at.line, span, message).related([related]);
}

/// Lines of Content-Usage whose paths are equally long and match the same URL, but say the opposite.
fn equal_lengths(subject: &mut Subject<'_>, lines: &[Line<'_>]) {
    /// Groups with more such lines are not looked at.
    const MOST: usize = 24;
    let mut groups: HashMap<u32, Vec<&Line<'_>>> = HashMap::new();
    for line in lines.iter().filter(|line| line.at.field == RightsField::ContentUsage) {
        if let (Some(group), Some(path)) = (line.at.group, line.said.path)
            && line.says_something()
            && path.len() <= 1_000
        {
            groups.entry(group).or_default().push(line);
        }
    }
    let mut found = Vec::new();
    for lines in groups.values().filter(|lines| lines.len() <= MOST) {
        for (number, later) in lines.iter().enumerate() {
            for earlier in &lines[..number] {
                let opposite = later.allows & earlier.disallows | later.disallows & earlier.allows;
                if !opposite.is_empty() && meet(subject, [earlier, later]) {
                    found.push((*later, earlier.at.line, opposite));
                    break;
                }
            }
        }
    }
    found.sort_by_key(|(line, ..)| line.at.line);
    for (line, other, opposite) in found {
        let purposes: Vec<&str> = opposite.iter().map(Purpose::as_str).collect();
        contradiction(subject, line, other, &purposes);
    }
}

/// Returns true if a URL is found for which two different paths are equally long.
fn meet(subject: &Subject<'_>, lines: [&Line<'_>; 2]) -> bool {
    let [a, b] = lines.map(|line| line.said.path.unwrap_or_default());
    let is_star = |byte: &u8| *byte == b'*';
    if a == b || !a.iter().chain(b).any(is_star) {
        return false;
    }
    let paths = Paths::new([(Some(a), 0), (Some(b), 1)].into_iter(), &subject.profile);
    // Their stars filled with nothing, with the other path, and with what follows its slash.
    let filled = |path: &[u8], with: &[u8]| {
        path.strip_suffix(b"$").unwrap_or(path).split(is_star).collect::<Vec<_>>().join(with)
    };
    let [in_a, in_b] = [a, b].map(|path| filled(path, b""));
    let tail = |path: &[u8]| path.get(1..).unwrap_or_default().to_vec();
    [
        filled(a, &in_b),
        filled(b, &in_a),
        filled(a, &tail(&in_b)),
        filled(b, &tail(&in_a)),
        in_a,
        in_b,
    ]
    .iter()
    .any(|path| paths.longest(path).differ)
}

/// Crawlers with groups of their own that state nothing, beside a group of `*` that does.
fn loses_preferences(subject: &mut Subject<'_>, lines: &[Line<'_>], field: RightsField) {
    let of_field = || lines.iter().filter(|line| line.at.field == field && line.says_something());
    let with: BTreeSet<u32> = of_field().filter_map(|line| line.at.crawl_group).collect();
    let is_of = |line: &&Line<'_>, groups: &[u32]| {
        line.at.crawl_group.is_some_and(|group| groups.contains(&group))
    };
    let Some(star) = of_field().find(|line| is_of(line, subject.obeyed.everybody())) else {
        return;
    };
    let mut told: BTreeSet<&[u32]> = BTreeSet::new();
    let mut found = Vec::new();
    let agents: Vec<_> = subject.robots.groups().agent_lines().collect();
    for (line, span, _) in agents {
        let value = &subject.file[span.clone()];
        let Names::Token(token) = Names::of(value, &subject.profile) else { continue };
        let groups = subject.obeyed.by(value);
        if token.is_empty() || groups.iter().any(|group| with.contains(group)) {
            continue;
        }
        if !told.insert(groups) {
            continue;
        }
        // What may not be fetched is not used.
        let policy = subject.policies.of(groups);
        if policy.is_none_or(|policy| site::blocking(policy, subject).is_some()) {
            continue;
        }
        found.push((line, token));
    }
    if found.is_empty() {
        return;
    }
    let names: Vec<String> = found.iter().map(|(_, token)| format!("'{}'", shown(token))).collect();
    let (have, them) = match names.len() {
        1 => ("has a group of its own", "it"),
        _ => ("have groups of their own", "them"),
    };
    let message =
        format!("{} {have}, so this {} does not hold for {them}", listed(&names), star.name());
    let related: Vec<Related> = found
        .iter()
        .take(5)
        .map(|(line, token)| {
            subject.related(*line, format!("the group of '{}' says nothing of use", shown(token)))
        })
        .collect();
    let span = span_of(subject, star.at.value);
    subject.add(Code::LosesPreferences, star.at.line, span, message).related(related).help(
        format!(
            "if it shall hold for {them} too, repeat it in {} group{}",
            if names.len() == 1 { "its" } else { "their" },
            if names.len() == 1 { "" } else { "s" }
        ),
    );
}

/// Content-Usage for paths that none of its crawlers may fetch.
fn not_crawlable(subject: &mut Subject<'_>, lines: &[Line<'_>]) {
    /// The most rules to look at.
    const MOST_RULES: usize = 200_000;
    let mut left = MOST_RULES;
    for line in lines.iter().filter(|line| line.at.field == RightsField::ContentUsage) {
        let Some(group) = line.at.crawl_group.filter(|_| line.says_something()) else { continue };
        let agents = subject.robots.groups().agents(group);
        let mut forbidden = None;
        let mut is_forbidden = !agents.is_empty();
        for agent in agents {
            let value = &subject.file[subject.value_span(agent.line)];
            let policy = subject.policies.of(subject.obeyed.by(value));
            let Some(policy) = policy else { return };
            let Some(more) = left.checked_sub(policy.rule_count() + 1) else { return };
            left = more;
            match forbids(policy, line.said.path, subject) {
                Some(rule) => forbidden = Some(rule),
                None => {
                    is_forbidden = false;
                    break;
                }
            }
        }
        let Some(rule) = forbidden.filter(|_| is_forbidden) else { continue };
        let what = match line.said.path {
            Some(path) => format!("{} may not be fetched", quoted([path].into_iter())),
            None => "nothing may be fetched".to_owned(),
        };
        let message = format!("{what}, so this Content-Usage has no effect");
        let span = span_of(subject, line.at.value);
        let related = subject.related(rule, "this rule forbids it");
        subject
            .add(Code::UsageNotCrawlable, line.at.line, span, message)
            .related([related])
            .help("Content-Usage is only about what may be fetched");
    }
}

/// The line of a rule that forbids all that a path matches. `None` if there is none, or if something
/// may be allowed.
fn forbids(policy: &Policy, path: Option<&[u8]>, subject: &Subject<'_>) -> Option<u32> {
    let path = path.unwrap_or(b"/");
    let end = path.iter().position(|byte| matches!(byte, b'*' | b'$' | b'%') || !byte.is_ascii());
    let literal = &path[..end.unwrap_or(path.len())];
    // From highest to lowest precedence.
    for rule in policy.rules() {
        let pattern = rule.pattern();
        let is_literal = !pattern.contains(&b'*') || !subject.profile.wildcards;
        match rule.verdict {
            Verdict::Allow => {
                if !is_literal || pattern.starts_with(literal) || literal.starts_with(pattern) {
                    return None;
                }
            }
            Verdict::Disallow => {
                if is_literal && !rule.anchored() && literal.starts_with(pattern) {
                    return Some(rule.line);
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_letters_spaces_and_commas_are_mended() {
        for (statement, wanted) in [
            ("Train-AI=n", Some("train-ai=n")),
            ("train-ai = N , search= y", Some("train-ai=n, search=y")),
            ("train-ai=n,", Some("train-ai=n")),
            (",train-ai=n,,search=y", Some("train-ai=n, search=y")),
            ("train-ai=n search=y", Some("train-ai=n, search=y")),
            // What is meant is a guess.
            ("Train-AI=no", None),
            ("AI-Train=n", None),
            ("train-ai=n; Search=y", None),
            ("train-ai, Search=y", None),
            ("train-ai=n, Train-AI=y", None),
            ("train-ai=n y", None),
            ("*.pdf train-ai=n", None),
            ("Train-AI=\"n\"", None),
            ("", None),
            (",", None),
        ] {
            assert_eq!(mended(statement.as_bytes()).as_deref(), wanted, "{statement}");
        }
    }
}
