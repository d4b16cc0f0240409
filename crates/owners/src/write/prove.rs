//! The proof that a file says what was asked for.

use std::collections::HashMap;

use robotsieve::internals::{PolicyInternals as _, RawRule, Reading, RuleSet, policy_of_rules};
use robotsieve::records::{Kind, Scope};
use robotsieve::{Crawler, NameError, Policy, Profile, Robots, RulePrecedence, Verdict};
use robotsieve_known::{KnownCrawler, KnownCrawlers};
use robotsieve_lint::diff::{Difference, Flip, Limits};
use robotsieve_lint::internals::Comparisons;
use robotsieve_shown::{first_of, grouped, pasted, short};

use super::fault::{Fault, Place};
use super::roles::{AskedRule, Member, Role, Roles};
use super::text::Written;
use super::values::Line;
use crate::block::unnamed_note;

/// How many crawlers a note names.
const NAMES: usize = 10;

/// Proves that the file says in these profiles what the roles say. Returns what is not proven, as notes.
///
/// # Errors
/// Returns the places where it says something else.
pub(super) fn prove(
    written: &Written,
    roles: &Roles<'_>,
    known: &KnownCrawlers,
    profiles: &[Profile],
) -> Result<Vec<String>, Vec<Fault>> {
    let (mut faults, mut notes) = (Vec::new(), Vec::new());
    for profile in profiles {
        let proof = Proof {
            written,
            roles,
            known,
            profile,
            name: profile.name().unwrap_or("custom"),
            robots: Robots::parse(written.text.as_bytes(), profile),
        };
        if let Err(fault) = proof.read_back() {
            faults.push(fault);
            continue;
        }
        faults.extend(proof.literal_stars());
        let (wrong, said) = proof.policies();
        faults.extend(wrong);
        notes.extend(said);
    }
    if faults.is_empty() { Ok(notes) } else { Err(faults) }
}

/// The proof in one profile.
struct Proof<'p> {
    written: &'p Written,
    roles: &'p Roles<'p>,
    known: &'p KnownCrawlers,
    profile: &'p Profile,
    name: &'static str,
    robots: Robots<'p>,
}

/// Somebody whom the file is read for.
enum Reader<'p> {
    Everybody,
    Member(&'p Member<'p>),
    Other(&'p KnownCrawler),
}

impl Reader<'_> {
    fn name(&self) -> &str {
        match self {
            Reader::Everybody => "*",
            Reader::Member(member) => &member.token,
            Reader::Other(known) => &known.name,
        }
    }
}

impl Proof<'_> {
    /// Proves that each line is read as it is meant, and all of the file.
    fn read_back(&self) -> Result<(), Fault> {
        let len = self.written.text.len();
        let read = self.robots.extent().end;
        if read < len {
            return Err(Fault::new(
                Place::default(),
                format!(
                    "the file would be {} bytes long, and profile {} reads {}: ask for less, or with \
                     fewer patterns",
                    grouped(len as u64),
                    self.name,
                    grouped(read as u64)
                ),
            ));
        }
        let mut records = self.robots.records();
        for (name, value) in &self.written.records {
            let record = records.next();
            let is_same = record.is_some_and(|record| {
                record.name == name.as_bytes() && record.value == value.as_bytes()
            });
            if !is_same {
                let value = short(value.as_bytes());
                return Err(Fault::new(
                    Place::default(),
                    format!("profile {} does not read the line '{name}: {value}'", self.name),
                ));
            }
        }
        match records.next() {
            None => Ok(()),
            Some(record) => Err(Fault::new(
                Place::default(),
                format!("profile {} reads a record in line {}", self.name, record.line),
            )),
        }
    }

    /// The rules with a star that stands for itself, if the profile compares the star of a URL as it is:
    /// then it is not `%2A`, and no rule can name it.
    fn literal_stars(&self) -> Vec<Fault> {
        if self.profile.special_bytes_encoded {
            return Vec::new();
        }
        let mut rules: Vec<&AskedRule> =
            self.roles.all.iter().flat_map(|role| &role.rules).collect();
        rules.retain(|rule| rule.pattern.contains("%2A"));
        rules.sort_by_key(|rule| (rule.place.group, rule.place.field, rule.place.index));
        rules.dedup_by_key(|rule| &rule.place);
        let fault = |rule: &AskedRule| {
            let wild = short(rule.pattern.replace("%2A", "*").as_bytes());
            let message = format!(
                "no rule can name a '*' in a URL for profile {0}: write the pattern '{wild}', which \
                 matches more, or give 'profiles' without {0}",
                self.name
            );
            Fault::new(rule.place.clone(), message)
        };
        rules.into_iter().map(fault).collect()
    }

    /// Proves for everybody, for each crawler that a group is for and for each other known one that the
    /// policy is the one that was asked for.
    fn policies(&self) -> (Vec<Fault>, Vec<String>) {
        let (mut faults, mut notes) = (Vec::new(), Vec::new());
        let mut unnamed: Vec<&str> = Vec::new();
        let mut taken_along: Vec<String> = Vec::new();
        // What is asked for and what is read, each pair once.
        let mut asked: HashMap<Option<usize>, Policy> = HashMap::new();
        let mut pairs: Vec<(Option<usize>, Policy, Vec<Reader<'_>>)> = Vec::new();
        let mut numbers: HashMap<(Option<usize>, usize), usize> = HashMap::new();
        for reader in self.readers(&mut unnamed) {
            let (role, policy) = match &reader {
                Reader::Everybody => {
                    (self.roles.everybody, self.robots.policy(&Crawler::names([""; 0])))
                }
                Reader::Member(member) => (Some(member.role), self.policy_of(member)),
                Reader::Other(known) => (self.roles.of_other(known), known.policy(&self.robots)),
            };
            if let Reader::Member(member) = &reader
                && let Err(fault) = self.lines(member)
            {
                faults.push(fault);
            }
            asked.entry(role).or_insert_with(|| self.asked(role));
            let number = *numbers.entry((role, policy.address())).or_insert_with(|| {
                pairs.push((role, policy, Vec::new()));
                pairs.len() - 1
            });
            pairs[number].2.push(reader);
        }
        let limits = Limits::default().with_flips(1);
        let mut comparisons = Comparisons::new(&limits, pairs.len());
        for (role, policy, readers) in &pairs {
            let difference = comparisons.next(&asked[role], policy);
            if difference.is_equal() {
                continue;
            }
            let others = readers.iter().filter(|reader| matches!(reader, Reader::Other(_)));
            taken_along.extend(others.map(|reader| reader.name().to_owned()));
            let meant = readers.iter().filter(|reader| !matches!(reader, Reader::Other(_)));
            let names: Vec<String> = meant.map(|reader| reader.name().to_owned()).collect();
            if !names.is_empty() {
                let names = first_of(NAMES, names.into_iter());
                faults.push(self.fault(*role, &names, &difference));
            }
        }
        if !unnamed.is_empty() {
            let names = unnamed.iter().map(|name| (*name).to_owned());
            notes.push(unnamed_note(self.name, &first_of(NAMES, names)));
        }
        if !taken_along.is_empty() {
            notes.push(format!(
                "profile {} takes these known crawlers for some that a group is for, because of their \
                 names, so they may read there what those may (a group that names them mends that): {}",
                self.name,
                first_of(NAMES, taken_along.into_iter())
            ));
        }
        (faults, notes)
    }

    /// All readers, but those that the profile cannot name.
    fn readers<'s>(&'s self, unnamed: &mut Vec<&'s str>) -> Vec<Reader<'s>> {
        let mut all = vec![Reader::Everybody];
        for member in &self.roles.members {
            if NameError::check(member.token.as_bytes(), self.profile).is_ok() {
                all.push(Reader::Member(member));
            } else {
                unnamed.push(&member.token);
            }
        }
        let is_asked = |known: &&KnownCrawler| {
            !self.roles.by_token.contains_key(&known.token.to_ascii_lowercase())
        };
        // The group of a name after its own may be one that the profile cannot name.
        let can_be_read = |known: &&KnownCrawler| {
            known.after.iter().all(|name| NameError::check(name.as_bytes(), self.profile).is_ok())
        };
        let others = self.known.iter().filter(is_asked).filter(can_be_read);
        all.extend(others.map(Reader::Other));
        all
    }

    fn policy_of(&self, member: &Member<'_>) -> Policy {
        match member.known {
            Some(known) => known.policy(&self.robots),
            None => self.robots.policy(&member.crawler()),
        }
    }

    /// The policy that is asked for, made without a file. Where the profile reads rules otherwise than RFC
    /// 9309, it is as that reads them.
    fn asked(&self, role: Option<usize>) -> Policy {
        let profile = self
            .profile
            .with_allow_rules(true)
            .with_wildcards(true)
            .with_trailing_stars_dropped(false)
            .with_leading_slash_assumed(false)
            .with_index_htm_is_directory(false)
            .with_rule_precedence(RulePrecedence::Longest);
        let rules = role.map_or(&[][..], |role| &self.roles.all[role].rules);
        let rules = (1..).zip(rules).map(|(line, rule)| RawRule {
            line,
            verdict: rule.verdict,
            value: rule.pattern.as_bytes(),
        });
        // A '$' counts as the three bytes of '%24' in RFC 9309.
        let order = RuleSet::new(rules.clone(), &Profile::RFC9309);
        let rules = RuleSet::new(rules, &profile).with_precedences_of(&order);
        let reading = Reading::of(&profile);
        policy_of_rules(reading, rules)
    }

    /// Proves that the records for a crawler are those that are asked for.
    fn lines(&self, member: &Member<'_>) -> Result<(), Fault> {
        let role = &self.roles.all[member.role];
        let records = self.robots.typed_records_for(&member.crawler());
        let records =
            records.iter().filter(|typed| matches!(typed.scope, Scope::Group(_) | Scope::Run(_)));
        let mut read: Vec<(&[u8], &[u8])> =
            records.map(|typed| (typed.record.name, typed.record.value)).collect();
        let of_group = |(name, _): &&Line| !Kind::of_field(name.as_bytes()).is_per_file();
        let lines = role.lines.iter().filter(of_group);
        let mut asked: Vec<(&[u8], &[u8])> =
            lines.map(|(name, value)| (name.as_bytes(), value.as_bytes())).collect();
        read.sort_unstable();
        asked.sort_unstable();
        if read == asked {
            return Ok(());
        }
        let message = format!(
            "profile {0} reads other records for {1} than were asked for: name it in one group, or give \
             'profiles' without {0}",
            self.name, member.token
        );
        Err(Fault::new(group_of(role), message))
    }

    /// What is wrong for some crawlers, and where.
    fn fault(&self, role: Option<usize>, names: &str, difference: &Difference) -> Fault {
        let role = role.map(|role| &self.roles.all[role]);
        let whole = role.map_or_else(Place::default, group_of);
        let profile = self.name;
        let flip = difference.flips().and_then(|flips| {
            let closed = flips.newly_disallowed.first().map(|flip| (flip, Verdict::Disallow));
            closed.or(flips.newly_allowed.first().map(|flip| (flip, Verdict::Allow)))
        });
        let Some((flip, verdict)) = flip else {
            let why = match difference {
                Difference::Unknown { unproven, .. } => format!(": {unproven}"),
                _ => String::new(),
            };
            let message = format!(
                "it is not proven that profile {profile} reads the rules for {names} as they are meant\
                 {why}; use fewer '*' in them"
            );
            return Fault::new(whole, message);
        };
        let place = role.and_then(|role| place_of(role, flip)).unwrap_or(whole);
        let path = short(&pasted(&flip.path));
        let reason = flip.new.as_ref().map_or_else(
            || "no rule decides there".to_owned(),
            |rule| {
                let field = if rule.verdict.is_allow() { "Allow" } else { "Disallow" };
                format!("its reading of '{field}: {}' decides", short(&rule.value))
            },
        );
        let message = format!(
            "profile {profile} would {verdict} {path} for {names}, which is to be {}: {reason}; write the \
             rule otherwise, or give 'profiles' without {profile}",
            if verdict.is_allow() { "disallowed" } else { "allowed" }
        );
        Fault::new(place, message)
    }
}

/// The first group of a role.
fn group_of(role: &Role) -> Place {
    role.groups.first().map_or_else(Place::default, |group| Place::group(*group))
}

/// The place of the rule that is read otherwise: the one that is to decide, or else the one that does.
fn place_of(role: &Role, flip: &Flip) -> Option<Place> {
    let asked = || {
        let line = flip.old.as_ref()?.line as usize;
        Some(role.rules.get(line - 1)?.place.clone())
    };
    let decides = || {
        let rule = flip.new.as_ref()?;
        let is_it = |asked: &&AskedRule| {
            asked.verdict == rule.verdict && asked.pattern.as_bytes() == rule.value
        };
        Some(role.rules.iter().find(is_it)?.place.clone())
    };
    decides().or_else(asked)
}
