//! The rules of each role without those that change nothing.

use std::collections::HashSet;

use robotsieve::{Field, Profile, Robots, Verdict};
use robotsieve_lint::{Apply, Code, Options, fix_codes};

use super::roles::{Role, Roles};

/// The rules of a group, in the order of the file.
pub(super) type Rules = Vec<(Verdict, String)>;

/// The rules of each role as they are to be written, and false if the search for those that change
/// nothing had to end early.
pub(super) fn shortened(roles: &Roles<'_>, profiles: &[Profile]) -> (Vec<Rules>, bool) {
    let distinct: Vec<Rules> = roles.all.iter().map(distinct).collect();
    let Some((all, is_complete)) = without_dead(&distinct, profiles) else {
        return (distinct.into_iter().map(ordered).collect(), false);
    };
    (all.into_iter().map(plain).map(ordered).collect(), is_complete)
}

/// Each rule once.
fn distinct(role: &Role) -> Rules {
    let mut seen = HashSet::new();
    let rules = role.rules.iter().map(|rule| (rule.verdict, rule.pattern.clone()));
    let mut rules: Rules = rules.filter(|rule| seen.insert(rule.clone())).collect();
    // Of `/a` and `/a*`, one profile would drop the later, another the longer: here that is the same one.
    for at in 0..rules.len() {
        let (verdict, pattern) = &rules[at];
        let is_stem = |other: &(_, String)| {
            other.0 == *verdict && pattern.strip_suffix('*').is_some_and(|stem| stem == other.1)
        };
        if let Some(later) = rules[at + 1..].iter().position(is_stem) {
            rules.swap(at, at + 1 + later);
        }
    }
    plain(rules)
}

/// Rules that only allow change nothing.
fn plain(rules: Rules) -> Rules {
    let forbids = rules.iter().any(|(verdict, _)| *verdict == Verdict::Disallow);
    if forbids { rules } else { Rules::new() }
}

/// Where both verdicts occur, the longest rule comes first, and of equally long ones one that allows.
fn ordered(mut rules: Rules) -> Rules {
    if rules.iter().any(|(verdict, _)| *verdict == Verdict::Allow) {
        rules.sort_by_key(|(verdict, pattern)| {
            (std::cmp::Reverse(pattern.len()), *verdict == Verdict::Disallow)
        });
    }
    rules
}

/// Writes a file with a group for each role, lets lint take out what changes nothing, and reads it back.
/// `None` if the file is larger than some profile reads.
fn without_dead(all: &[Rules], profiles: &[Profile]) -> Option<(Vec<Rules>, bool)> {
    const CODES: [Code; 4] =
        [Code::NeverMatches, Code::NeverWins, Code::RedundantRule, Code::DuplicateRule];
    let mut text = String::new();
    for (number, rules) in all.iter().enumerate() {
        text += &format!("User-agent: {}\n", name(number));
        if rules.is_empty() {
            text += "Disallow:\n";
        }
        for (verdict, pattern) in rules {
            text += &format!("{}: {pattern}\n", field(*verdict));
        }
        text.push('\n');
    }
    if text.len() > Profile::MIN_SIZE_LIMIT {
        return None;
    }
    let named = profiles.iter().map(|profile| (profile.name().unwrap_or("custom"), *profile));
    let options = Options::new(named);
    let fixed =
        fix_codes(text.as_bytes(), &options, Apply::Unchanging, |code| CODES.contains(&code));
    let mut found: Vec<Rules> = Vec::new();
    for record in Robots::parse(&fixed.file, &Profile::RFC9309).records() {
        let verdict = match record.field {
            Field::UserAgent => {
                found.push(Rules::new());
                continue;
            }
            Field::Allow => Verdict::Allow,
            _ => Verdict::Disallow,
        };
        if let Some(rules) = found.last_mut()
            && !record.value.is_empty()
        {
            rules.push((verdict, String::from_utf8_lossy(record.value).into_owned()));
        }
    }
    (found.len() == all.len()).then_some((found, !fixed.is_cut_short))
}

/// The name of the field of a rule.
pub(super) fn field(verdict: Verdict) -> &'static str {
    if verdict.is_allow() { "Allow" } else { "Disallow" }
}

/// A name for the group of a role: of letters, since some profiles read no others, and all of the same
/// length, since others look for the beginnings of names.
fn name(number: usize) -> String {
    let letter = |place: u32| {
        let digit = number / 26_usize.pow(place) % 26;
        char::from(b'a' + u8::try_from(digit).unwrap_or_default())
    };
    (0..5).rev().map(letter).collect()
}
