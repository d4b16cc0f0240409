//! Who is asked for what: crawlers with the groups that are for them.

use std::collections::HashMap;

use robotsieve::{Crawler, Verdict};
use robotsieve_known::{KnownCrawler, KnownCrawlers, Purpose};
use robotsieve_shown::{first_of, short};

use super::fault::{CannotBuild, Fault, Place};
use super::intentions::{Group, Intentions};
use super::pattern::{literal, written};
use super::values::{self, Line, Values};
use crate::block::check_token;

/// The most crawlers that are named, and the longest name.
const MAX_CRAWLERS: usize = 5_000;
const MAX_NAME_BYTES: usize = 200;

/// The most rules and other lines, of all roles together.
const MAX_LINES: usize = 100_000;

/// A rule that is asked for.
#[derive(Clone, Debug)]
pub(super) struct AskedRule {
    pub(super) place: Place,
    pub(super) verdict: Verdict,
    /// As it is written.
    pub(super) pattern: String,
}

/// What some crawlers may do: what the groups that are for them say together.
#[derive(Clone, Debug, Default)]
pub(super) struct Role {
    /// The numbers of the groups, ascending.
    pub(super) groups: Vec<usize>,
    pub(super) rules: Vec<AskedRule>,
    /// The records for the crawlers.
    pub(super) lines: Vec<Line>,
}

/// A crawler that a group is for.
#[derive(Clone, Debug)]
pub(super) struct Member<'k> {
    pub(super) token: String,
    pub(super) known: Option<&'k KnownCrawler>,
    /// The number of its role.
    pub(super) role: usize,
}

impl Member<'_> {
    pub(super) fn crawler(&self) -> Crawler {
        self.known.map_or_else(|| Crawler::name(&self.token), KnownCrawler::crawler)
    }
}

/// All crawlers and roles.
#[derive(Debug, Default)]
pub(super) struct Roles<'k> {
    pub(super) all: Vec<Role>,
    /// In the order in which they are first named.
    pub(super) members: Vec<Member<'k>>,
    /// Numbers of members by token, in lower case.
    pub(super) by_token: HashMap<String, usize>,
    /// The role of crawlers that no group is for, if there is one.
    pub(super) everybody: Option<usize>,
    /// The comments of each group, each line with its `#`.
    pub(super) comments: Vec<Vec<String>>,
}

/// How a crawler is named: the surest way counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    All,
    Purpose,
    Token,
}

/// A crawler with the groups that name it.
struct Found<'k> {
    token: String,
    known: Option<&'k KnownCrawler>,
    named: Named,
    groups: Vec<usize>,
}

impl<'k> Roles<'k> {
    /// Reads the groups.
    ///
    /// # Errors
    /// Returns all that is wrong with them.
    pub(super) fn of(
        intentions: &Intentions,
        known: &'k KnownCrawlers,
    ) -> Result<Roles<'k>, CannotBuild> {
        let mut faults = Vec::new();
        let (found, everybody) = crawlers(intentions, known, &mut faults);
        let groups: Vec<Role> = intentions
            .groups
            .iter()
            .enumerate()
            .map(|(number, group)| role_of(number, group, &mut faults))
            .collect();
        let comments = intentions.groups.iter().enumerate();
        let comments = comments.map(|(n, group)| comments_of(n, group, &mut faults)).collect();
        CannotBuild::unless_empty(faults)?;
        let mut roles = Roles { comments, ..Roles::default() };
        let mut by_groups: HashMap<Vec<usize>, usize> = HashMap::new();
        let mut lines = 0;
        let mut role = |numbers: Vec<usize>| -> Result<usize, CannotBuild> {
            if let Some(number) = by_groups.get(&numbers) {
                return Ok(*number);
            }
            let role = together(&numbers, &groups)?;
            lines += role.rules.len() + role.lines.len();
            if lines > MAX_LINES {
                let message = format!(
                    "the groups have more than {MAX_LINES} rules and other lines together, counted \
                     for each set of crawlers: that is more than a robots.txt can have"
                );
                CannotBuild::unless_empty(vec![Fault::new(Place::default(), message)])?;
            }
            roles.all.push(role);
            by_groups.insert(numbers, roles.all.len() - 1);
            Ok(roles.all.len() - 1)
        };
        for found in found {
            let number = role(found.groups)?;
            let Found { token, known, .. } = found;
            roles.by_token.insert(token.to_ascii_lowercase(), roles.members.len());
            roles.members.push(Member { token, known, role: number });
        }
        if !everybody.is_empty() {
            roles.everybody = Some(role(everybody)?);
        }
        Ok(roles)
    }

    /// The role of a known crawler that no group is for: that of the first name after its own, or
    /// everybody's. `None` if nothing is asked of it.
    pub(super) fn of_other(&self, known: &KnownCrawler) -> Option<usize> {
        let after = known.after.iter();
        let mut named = after.filter_map(|name| self.by_token.get(&name.to_ascii_lowercase()));
        match named.next() {
            Some(member) => Some(self.members[*member].role),
            None => self.everybody.filter(|_| known.star),
        }
    }

    /// Notes on the known crawlers that no group is for and that do not do what everybody is asked for.
    pub(super) fn others_notes(&self, known: &KnownCrawlers) -> Vec<String> {
        const NAMES: usize = 10;
        let Some(everybody) = self.everybody else { return Vec::new() };
        let is_named =
            |known: &KnownCrawler| self.by_token.contains_key(&known.token.to_ascii_lowercase());
        let others = known.iter().filter(|known| !is_named(known));
        let (obeying, ignoring): (Vec<&KnownCrawler>, Vec<&KnownCrawler>) = others
            .filter(|known| self.of_other(known) != Some(everybody))
            .partition(|known| self.of_other(known).is_some());
        let note = |all: Vec<&KnownCrawler>, what: &str| {
            let names = all.iter().map(|known| known.name.clone());
            (!all.is_empty()).then(|| {
                format!(
                    "these known crawlers {what}, as their operators say, so the group of * is not for \
                     them (name them, or '@all' beside '*', to ask the same of them): {}",
                    first_of(NAMES, names)
                )
            })
        };
        [
            note(ignoring, "ignore the group of *"),
            note(obeying, "obey the group of another crawler where none names them"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// The crawlers that groups name, and the groups of everybody.
fn crawlers<'k>(
    intentions: &Intentions,
    known: &'k KnownCrawlers,
    faults: &mut Vec<Fault>,
) -> (Vec<Found<'k>>, Vec<usize>) {
    let mut found: Vec<Found<'k>> = Vec::new();
    let mut by_token: HashMap<String, usize> = HashMap::new();
    let mut everybody: Vec<usize> = Vec::new();
    let mut add = |token: &str, known: Option<&'k KnownCrawler>, named, group| {
        let number = *by_token.entry(token.to_ascii_lowercase()).or_insert_with(|| {
            found.push(Found { token: token.to_owned(), known, named, groups: Vec::new() });
            found.len() - 1
        });
        let one = &mut found[number];
        if named > one.named {
            one.groups.clear();
            one.named = named;
        }
        if named == one.named && one.groups.last() != Some(&group) {
            one.groups.push(group);
        }
    };
    let mut count = 0;
    for (group, asked) in intentions.groups.iter().enumerate() {
        if asked.crawlers.is_empty() {
            let message =
                "the group has no crawlers: name some, or '*' for all that no group names";
            faults.push(Fault::new(Place::group(group), message));
        }
        for (number, name) in asked.crawlers.iter().enumerate() {
            let wrong = |message| Fault::new(Place::in_group(group, "crawlers", number), message);
            count += 1;
            if count > MAX_CRAWLERS {
                faults.push(wrong(format!("there are more than {MAX_CRAWLERS} names of crawlers")));
                return (found, everybody);
            }
            match name.strip_prefix('@') {
                _ if name == "*" => {
                    if everybody.last() != Some(&group) {
                        everybody.push(group);
                    }
                }
                Some("all") => {
                    known.iter().for_each(|one| add(&one.token, Some(one), Named::All, group));
                }
                Some(purpose) => match purpose.parse::<Purpose>() {
                    Ok(purpose) => {
                        let of_purpose = known.of_purpose(purpose);
                        of_purpose
                            .for_each(|one| add(&one.token, Some(one), Named::Purpose, group));
                    }
                    Err(_) => faults.push(wrong(no_purpose(name))),
                },
                None => match check_token(name) {
                    Ok(()) if name.len() <= MAX_NAME_BYTES => {
                        // The file is written only now, so it names nobody.
                        if let Some(question) = known.misspelt(name) {
                            faults.push(wrong(format!(
                                "{question} If it is the name of another crawler, add it to the \
                                 known ones"
                            )));
                            continue;
                        }
                        let of_token = known.by_token(name);
                        let token = of_token.map_or(name.as_str(), |known| &known.token);
                        add(token, of_token, Named::Token, group);
                    }
                    Ok(()) => faults.push(wrong(format!(
                        "a crawler's name is longer than {MAX_NAME_BYTES} bytes"
                    ))),
                    Err(none) => faults.push(wrong(none.to_string())),
                },
            }
        }
    }
    (found, everybody)
}

fn no_purpose(name: &str) -> String {
    let names: Vec<String> = Purpose::all().map(|purpose| format!("@{purpose}")).collect();
    let name = robotsieve_shown::short(name.as_bytes());
    format!("'{name}' is no purpose: there are {} and @all", names.join(", "))
}

/// What one group says.
fn role_of(number: usize, group: &Group, faults: &mut Vec<Fault>) -> Role {
    let mut role = Role { groups: vec![number], ..Role::default() };
    let fields = [
        ("allow", &group.allow, Verdict::Allow, false),
        ("disallow", &group.disallow, Verdict::Disallow, false),
        ("allow_path", &group.allow_path, Verdict::Allow, true),
        ("disallow_path", &group.disallow_path, Verdict::Disallow, true),
    ];
    for (field, texts, verdict, is_literal) in fields {
        for (index, text) in texts.iter().enumerate() {
            // As in a file: a rule without a value is none.
            if text.is_empty() {
                continue;
            }
            let place = Place::in_group(number, field, index);
            match if is_literal { literal(text) } else { written(text) } {
                Ok(pattern) => role.rules.push(AskedRule { place, verdict, pattern }),
                Err(wrong) => faults.push(Fault::new(place, wrong.to_string())),
            }
        }
    }
    contradicted(&role.rules, faults);
    let mut values = Values::new(faults);
    let place = |field| move |index| Place::in_group(number, field, index);
    values.add("License", &group.license, place("license"));
    values.add("Content-Signal", &group.content_signal, place("content_signal"));
    values.add("Content-Usage", &group.content_usage, place("content_usage"));
    values.add_others(&group.other, place("other"));
    role.lines = values.lines;
    match group.crawl_delay.map(values::seconds) {
        Some(Ok(seconds)) => role.lines.push(("Crawl-delay".into(), seconds)),
        Some(Err(message)) => {
            let place = Place { index: None, ..Place::in_group(number, "crawl_delay", 0) };
            faults.push(Fault::new(place, message));
        }
        None => {}
    }
    role
}

/// Finds patterns that one group allows and disallows: only one of the two wishes can be granted.
fn contradicted(rules: &[AskedRule], faults: &mut Vec<Fault>) {
    let mut known: HashMap<&str, &AskedRule> = HashMap::new();
    for rule in rules {
        let first = *known.entry(&rule.pattern).or_insert(rule);
        if first.verdict != rule.verdict {
            let message = format!(
                "'{}' is allowed and disallowed in one group, and only one of the two can be: leave {} or \
                 this one out",
                short(rule.pattern.as_bytes()),
                first.place
            );
            faults.push(Fault::new(rule.place.clone(), message));
        }
    }
}

fn comments_of(number: usize, group: &Group, faults: &mut Vec<Fault>) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, text) in group.comment.iter().enumerate() {
        match values::comment(text) {
            Ok(more) => lines.extend(more),
            Err(message) => {
                faults.push(Fault::new(Place::in_group(number, "comment", index), message));
            }
        }
    }
    let purpose = |name: &String| name.strip_prefix('@')?.parse::<Purpose>().ok();
    if lines.is_empty()
        && let Some(purposes) = group.crawlers.iter().map(purpose).collect::<Option<Vec<_>>>()
    {
        lines.extend(purposes.into_iter().map(|purpose| format!("# {}", purpose.heading())));
    }
    lines
}

/// What several groups say together.
fn together(numbers: &[usize], groups: &[Role]) -> Result<Role, CannotBuild> {
    let mut role = Role { groups: numbers.to_vec(), ..Role::default() };
    for number in numbers {
        role.rules.extend(groups[*number].rules.iter().cloned());
        for line in &groups[*number].lines {
            if role.lines.contains(line) {
                continue;
            }
            if line.0 == "Crawl-delay" && role.lines.iter().any(|(name, _)| *name == line.0) {
                let message = "another group asks the same crawlers for another crawl delay: give them \
                               one";
                let place = Place { index: None, ..Place::in_group(*number, "crawl_delay", 0) };
                CannotBuild::unless_empty(vec![Fault::new(place, message)])?;
            }
            role.lines.push(line.clone());
        }
    }
    // The records before the rules, then those after them.
    role.lines.sort_by_key(|(name, _)| match &**name {
        "License" => 0,
        "Content-Signal" => 1,
        "Content-Usage" => 2,
        _ => 3,
    });
    Ok(role)
}
