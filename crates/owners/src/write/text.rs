//! The text of the file: which crawlers share a group, and in which order groups stand.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

use aho_corasick::AhoCorasick;
use robotsieve::{GroupMatch, Profile};
use robotsieve_known::internals::stands_last;

use super::roles::{Member, Roles};
use super::shorten::{Rules, field};
use super::values::Line;

/// The records of a file other than those of groups.
#[derive(Debug, Default)]
pub(super) struct Outside {
    /// Lines with their `#`.
    pub(super) comment: Vec<String>,
    /// Before the groups.
    pub(super) before: Vec<Line>,
    /// After them.
    pub(super) after: Vec<Line>,
}

/// A file, and all its records in order.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) text: String,
    pub(super) records: Vec<Line>,
}

impl Written {
    fn comment(&mut self, lines: &[String]) {
        for line in lines {
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    fn record(&mut self, name: &str, value: &str) {
        let blank = if value.is_empty() { "" } else { " " };
        let _ = writeln!(self.text, "{name}:{blank}{value}");
        self.records.push((name.to_owned().into(), value.to_owned()));
    }

    /// A blank line, if something stands before.
    fn part(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }
}

/// A group of the file.
struct Section<'r> {
    tokens: Vec<&'r str>,
    is_everybody: bool,
    rules: &'r Rules,
    lines: &'r [Line],
    /// The numbers of the groups that were asked for.
    groups: BTreeSet<usize>,
}

/// Writes the file. The rules are those of each role.
pub(super) fn write(
    roles: &Roles<'_>,
    rules: &[Rules],
    outside: &Outside,
    profiles: &[Profile],
) -> Written {
    let mut written = Written::default();
    written.comment(&outside.comment);
    if !outside.before.is_empty() {
        written.part();
        outside.before.iter().for_each(|(name, value)| written.record(name, value));
    }
    for section in in_order(sections(roles, rules), profiles) {
        written.part();
        let mut told: HashSet<&[String]> = HashSet::new();
        for group in &section.groups {
            let comment = &roles.comments[*group][..];
            if told.insert(comment) {
                written.comment(comment);
            }
        }
        for token in &section.tokens {
            written.record("User-agent", token);
        }
        if section.is_everybody {
            written.record("User-agent", "*");
        }
        // Few readers know a delay, and those that do find it after the rules too.
        let (delays, lines): (Vec<&Line>, Vec<&Line>) =
            section.lines.iter().partition(|(name, _)| *name == "Crawl-delay");
        lines.into_iter().for_each(|(name, value)| written.record(name, value));
        for (verdict, pattern) in section.rules {
            written.record(field(*verdict), pattern);
        }
        if section.rules.is_empty() {
            written.record("Disallow", "");
        }
        delays.into_iter().for_each(|(name, value)| written.record(name, value));
    }
    if !outside.after.is_empty() {
        written.part();
        outside.after.iter().for_each(|(name, value)| written.record(name, value));
    }
    written
}

/// The groups, one for all crawlers that are asked for the same.
fn sections<'r>(roles: &'r Roles<'_>, rules: &'r [Rules]) -> Vec<Section<'r>> {
    type Key<'r> = (BTreeSet<(bool, &'r str)>, &'r [Line]);
    let key = |role: usize| -> Key<'r> {
        let rules = rules[role].iter().map(|(verdict, text)| (verdict.is_allow(), text.as_str()));
        (rules.collect(), &roles.all[role].lines[..])
    };
    let keys: Vec<Key<'r>> = (0..roles.all.len()).map(key).collect();
    let same = |one: usize, other: usize| keys[one] == keys[other];
    let names: Vec<&str> = roles.members.iter().map(|member| &*member.token).collect();
    let inside = inside(&names);
    let mut sections: Vec<Section<'r>> = Vec::new();
    let mut by_key: HashMap<&Key<'r>, usize> = HashMap::new();
    let mut section = |role: usize| {
        let number = *by_key.entry(&keys[role]).or_insert_with(|| {
            sections.push(Section {
                tokens: Vec::new(),
                is_everybody: false,
                rules: &rules[role],
                lines: &roles.all[role].lines,
                groups: BTreeSet::new(),
            });
            sections.len() - 1
        });
        sections[number].groups.extend(&roles.all[role].groups);
        number
    };
    // A crawler that may do what everybody may need not be named if it obeys the group of '*', and no
    // other group that is written is taken for its own.
    let is_like_everybody =
        |member: &Member<'_>| roles.everybody.is_some_and(|role| same(role, member.role));
    let is_named = |number: usize, member: &Member<'_>| {
        let after = member.known.iter().flat_map(|known| &known.after);
        let mut others = after
            .filter_map(|name| roles.by_token.get(&name.to_ascii_lowercase()).copied())
            .chain(inside[number].iter().copied());
        !is_like_everybody(member)
            || member.known.is_some_and(|known| !known.star)
            || others.any(|other| !is_like_everybody(&roles.members[other]))
    };
    let mut tokens: Vec<(usize, &'r str)> = Vec::new();
    for (number, member) in roles.members.iter().enumerate() {
        if is_named(number, member) {
            tokens.push((section(member.role), &member.token));
        }
    }
    let everybody = roles.everybody.map(section);
    for (number, token) in tokens {
        sections[number].tokens.push(token);
    }
    for section in &mut sections {
        section.tokens.sort_by_key(|token| stands_last(token));
    }
    if let Some(number) = everybody {
        sections[number].is_everybody = true;
        let last = sections.remove(number);
        sections.push(last);
    }
    sections
}

/// For each name the numbers of the others that are inside it, whatever their case.
fn inside(names: &[&str]) -> Vec<Vec<usize>> {
    // There is none if the names are too large for it, which they are not: their number is limited.
    let Ok(finder) = AhoCorasick::builder().ascii_case_insensitive(true).build(names) else {
        return vec![Vec::new(); names.len()];
    };
    let found = names.iter().enumerate().map(|(number, name)| {
        let found = finder.find_overlapping_iter(name).map(|found| found.pattern().as_usize());
        let others: BTreeSet<usize> = found.filter(|other| *other != number).collect();
        others.into_iter().collect()
    });
    found.collect()
}

/// The groups in an order in which a crawler's group stands before those of names that its own contains:
/// the standard of 1994 has the first such group decide. Otherwise as they are.
///
/// If no order does that, because crawlers share groups, the groups are parted, should one of the profiles
/// need it.
fn in_order<'r>(sections: Vec<Section<'r>>, profiles: &[Profile]) -> Vec<Section<'r>> {
    let needs_order =
        profiles.iter().any(|profile| profile.group_match == GroupMatch::FirstSubstring);
    match sorted(&sections) {
        Some(order) => picked(sections, &order),
        None if needs_order => {
            let mut parted: Vec<Section<'r>> = Vec::new();
            for section in sections {
                if section.is_everybody {
                    parted.push(Section {
                        tokens: Vec::new(),
                        groups: section.groups.clone(),
                        ..section
                    });
                }
                for token in &section.tokens {
                    parted.push(Section {
                        tokens: vec![token],
                        is_everybody: false,
                        rules: section.rules,
                        lines: section.lines,
                        groups: section.groups.clone(),
                    });
                }
            }
            // Names that contain each other are the same, so there is an order.
            let order = sorted(&parted).unwrap_or_default();
            picked(parted, &order)
        }
        None => sections,
    }
}

fn picked<'r>(sections: Vec<Section<'r>>, order: &[usize]) -> Vec<Section<'r>> {
    let mut left: Vec<Option<Section<'r>>> = sections.into_iter().map(Some).collect();
    order.iter().filter_map(|number| left[*number].take()).collect()
}

/// The numbers of groups in such an order, that of everybody last. `None` if there is none.
fn sorted(sections: &[Section<'_>]) -> Option<Vec<usize>> {
    let of = sections.iter().enumerate();
    let all: Vec<(usize, &str)> = of
        .flat_map(|(number, section)| section.tokens.iter().map(move |token| (number, *token)))
        .collect();
    let names: Vec<&str> = all.iter().map(|(_, token)| *token).collect();
    // The groups that must stand before each one.
    let mut before: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); sections.len()];
    for ((longer, _), inside) in all.iter().zip(inside(&names)) {
        for name in inside {
            let shorter = all[name].0;
            if shorter != *longer {
                before[shorter].insert(*longer);
            }
        }
    }
    let mut order: Vec<usize> = Vec::new();
    let mut done = vec![false; sections.len()];
    while order.len() < sections.len() {
        let is_ready =
            |number: &usize| !done[*number] && before[*number].iter().all(|first| done[*first]);
        // That of everybody only if nothing else is left.
        let ready = (0..sections.len()).filter(is_ready);
        let next = ready.min_by_key(|number| (sections[*number].is_everybody, *number))?;
        done[next] = true;
        order.push(next);
    }
    Some(order)
}
