//! Compares the records that are neither user-agent lines nor rules.

use std::collections::{BTreeMap, HashMap};

use super::Limits;
use crate::policy::robots::Robots;
use crate::read::crawler::Crawler;
use crate::read::select::GroupNumbers;
use crate::records::{Kind, Scope, TypedRecord, Value};

/// What changed in the other records for the whole file, or for some crawlers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordChanges<C> {
    /// The crawlers for which this changed; `None` for records of the whole file, and for those
    /// outside all groups.
    pub crawlers: Option<Vec<C>>,
    /// What changed: one for each kind of record, in the order of the kinds. Not empty.
    pub changes: Vec<RecordChange>,
}

/// What changed in the records of one kind, such as sitemaps.
///
/// Records are compared by what they say: `Crawl-delay: 10` is `crawl_delay: 10.0`, and the order
/// of lines does not matter. A value that does not follow the definition of its field is compared
/// as written. Fields of an unknown kind say nothing, so they are not compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RecordChange {
    /// What kind of record it is.
    pub kind: Kind,
    /// The records that only the old file has, in its order; at most [`Limits::records`].
    pub removed: Vec<ChangedRecord>,
    /// The records that only the new file has, in its order; at most [`Limits::records`].
    pub added: Vec<ChangedRecord>,
    /// How many more were removed.
    pub more_removed: usize,
    /// How many more were added.
    pub more_added: usize,
}

/// A record that only one of the files has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ChangedRecord {
    /// Its line in that file, from 1.
    pub line: u32,
    /// The field's name as written.
    #[cfg_attr(feature = "serde", serde(with = "crate::bytes_as_text"))]
    pub field: Vec<u8>,
    /// Its value as written.
    #[cfg_attr(feature = "serde", serde(with = "crate::bytes_as_text"))]
    pub value: Vec<u8>,
}

/// The labels must be text or bytes.
#[cfg(feature = "serde")]
impl<C: AsRef<[u8]>> serde::Serialize for RecordChanges<C> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use crate::bytes_as_text::BytesAsText;
        use serde::ser::SerializeStruct;
        let crawlers = self.crawlers.as_ref();
        let crawlers: Option<Vec<_>> =
            crawlers.map(|crawlers| crawlers.iter().map(|c| BytesAsText(c.as_ref())).collect());
        let mut out = serializer.serialize_struct("RecordChanges", 2)?;
        out.serialize_field("crawlers", &crawlers)?;
        out.serialize_field("changes", &self.changes)?;
        out.end()
    }
}

/// Compares the sitemaps, crawl delays and other records of two files: those of the whole file,
/// and those of the groups of these crawlers. Each crawler comes with a label, which stands for it
/// in the result.
///
/// What changed for the whole file comes first. Crawlers with the same changes are grouped, and
/// those without are left out. Reads both files once more.
///
/// ```
/// use robotsieve::diff::{self, Limits};
/// use robotsieve::records::Kind;
/// use robotsieve::{Crawler, Profile, Robots};
///
/// let old = b"User-agent: *\nCrawl-delay: 10\nDisallow: /x\nSitemap: https://e.com/s.xml";
/// let new = b"User-agent: *\nCrawl-delay: 9000\nDisallow: /x";
/// let [old, new] = [&old[..], new].map(|file| Robots::parse(file, &Profile::RFC9309));
/// let changed = diff::records(&old, &new, [("bot", Crawler::name("bot"))], &Limits::default());
/// let (of_file, of_bot) = (&changed[0], &changed[1]);
/// assert_eq!(of_file.changes[0].kind, Kind::Sitemap);
/// assert_eq!(of_file.changes[0].removed[0].line, 4);
/// assert_eq!(of_bot.crawlers, Some(vec!["bot"]));
/// assert_eq!(of_bot.changes[0].added[0].value, b"9000");
/// ```
#[must_use]
pub fn records<C>(
    old: &Robots<'_>,
    new: &Robots<'_>,
    crawlers: impl IntoIterator<Item = (C, Crawler)>,
    limits: &Limits,
) -> Vec<RecordChanges<C>> {
    let mut meanings = HashMap::new();
    let said = [Said::of(old, &mut meanings), Said::of(new, &mut meanings)];
    let mut compare = Compare { said, marks: vec![[0; 2]; meanings.len()], mark: 0, limits };
    let mut all = Vec::new();
    let changes = compare.changes([&[WHOLE_FILE]; 2]);
    if !changes.is_empty() {
        all.push(RecordChanges { crawlers: None, changes });
    }
    // Which of `all` crawlers with these changes are in, and those of these groups, if any.
    let mut by_changes: HashMap<Vec<RecordChange>, usize> = HashMap::new();
    let mut by_groups: HashMap<[GroupNumbers; 2], Option<usize>> = HashMap::new();
    for (label, crawler) in crawlers {
        let groups = [old.groups().groups_of(&crawler), new.groups().groups_of(&crawler)];
        let number = *by_groups.entry(groups).or_insert_with_key(|[of_old, of_new]| {
            let changes = compare.changes([of_old, of_new]);
            if changes.is_empty() {
                return None;
            }
            Some(*by_changes.entry(changes).or_insert_with_key(|changes| {
                let changes = changes.clone();
                all.push(RecordChanges { crawlers: Some(Vec::new()), changes });
                all.len() - 1
            }))
        });
        if let Some(crawlers) = number.and_then(|number| all[number].crawlers.as_mut()) {
            crawlers.push(label);
        }
    }
    all
}

/// In place of a group: the records of the whole file, and those outside all groups.
const WHOLE_FILE: u32 = u32::MAX;

/// A record, and the number of what it says.
struct Record<'a> {
    meaning: usize,
    record: TypedRecord<'a>,
}

/// The records of a file, by group.
struct Said<'a>(HashMap<u32, Vec<Record<'a>>>);

impl<'a> Said<'a> {
    fn of(robots: &Robots<'a>, meanings: &mut HashMap<(Kind, bool, Vec<u8>), usize>) -> Said<'a> {
        let mut said: HashMap<u32, Vec<Record<'a>>> = HashMap::new();
        for record in robots.typed_records() {
            if record.kind == Kind::Unknown {
                continue;
            }
            let group = match record.scope {
                Scope::Group(group) => group,
                Scope::File | Scope::Outside => WHOLE_FILE,
            };
            let number = meanings.len();
            let key = (record.kind, record.scope == Scope::Outside, meaning(&record));
            let meaning = *meanings.entry(key).or_insert(number);
            said.entry(group).or_default().push(Record { meaning, record });
        }
        Said(said)
    }

    fn of_groups<'s>(&'s self, groups: &'s [u32]) -> impl Iterator<Item = &'s Record<'a>> {
        groups.iter().filter_map(|group| self.0.get(group)).flatten()
    }
}

/// What a record says, so that equal meanings are equal bytes.
fn meaning(record: &TypedRecord<'_>) -> Vec<u8> {
    let as_written = || record.record.value.to_vec();
    match &record.value {
        Ok(Value::Sitemap(sitemap)) => sitemap.as_written().to_vec(),
        Ok(Value::NoIndex(path) | Value::Unknown(path)) => path.to_vec(),
        // Neither schemes nor host names have a case.
        Ok(Value::Host(host)) => {
            let [scheme, name] = [host.scheme.unwrap_or_default(), host.name];
            let [scheme, name] = [scheme, name].map(<[u8]>::to_ascii_lowercase);
            format!("{scheme:?} {name:?} {:?}", host.port).into_bytes()
        }
        #[cfg(feature = "drafts")]
        Ok(Value::ContentSignal(signal)) => {
            stated(signal.path, &signal.signals).unwrap_or_else(as_written)
        }
        #[cfg(feature = "drafts")]
        Ok(Value::ContentUsage(usage)) => {
            stated(usage.path, &usage.preferences).unwrap_or_else(as_written)
        }
        Ok(value) => format!("{value:?}").into_bytes(),
        // No typed value can be equal to it: it has another meaning, or none.
        Err(_) => [b"invalid ", record.record.value].concat(),
    }
}

/// Preferences in any order; `None` if the draft does not define all of them.
#[cfg(feature = "drafts")]
fn stated(
    path: Option<&[u8]>,
    stated: &[crate::records::LabelledPreference<'_>],
) -> Option<Vec<u8>> {
    use crate::records::Preference;
    if stated.iter().any(|said| said.preference == Preference::Unknown) {
        return None;
    }
    // Stable: what is said twice about one label keeps its order.
    let mut stated = stated.to_vec();
    stated.sort_by_key(|said| said.label);
    Some(format!("{path:?} {stated:?}").into_bytes())
}

/// Compares the groups of one file with those of the other.
struct Compare<'a, 'l> {
    said: [Said<'a>; 2],
    /// For each meaning and file, the last comparison in which the file had it.
    marks: Vec<[u32; 2]>,
    mark: u32,
    limits: &'l Limits,
}

impl Compare<'_, '_> {
    fn changes(&mut self, groups: [&[u32]; 2]) -> Vec<RecordChange> {
        self.mark += 1;
        let Compare { said, marks, mark, limits } = self;
        for side in [0, 1] {
            for record in said[side].of_groups(groups[side]) {
                marks[record.meaning][side] = *mark;
            }
        }
        let mut changes: BTreeMap<Kind, RecordChange> = BTreeMap::new();
        for side in [0, 1] {
            for Record { meaning, record } in said[side].of_groups(groups[side]) {
                if marks[*meaning][1 - side] == *mark {
                    continue;
                }
                // Not twice, if the file says it twice.
                marks[*meaning][1 - side] = *mark;
                let kind = record.kind;
                let change = changes.entry(kind).or_insert_with(|| RecordChange {
                    kind,
                    removed: Vec::new(),
                    added: Vec::new(),
                    more_removed: 0,
                    more_added: 0,
                });
                let (listed, more) = match side {
                    0 => (&mut change.removed, &mut change.more_removed),
                    _ => (&mut change.added, &mut change.more_added),
                };
                if listed.len() < limits.records.max(1) {
                    listed.push(ChangedRecord {
                        line: record.record.line,
                        field: record.record.name.to_vec(),
                        value: record.record.value.to_vec(),
                    });
                } else {
                    *more += 1;
                }
            }
        }
        changes.into_values().collect()
    }
}
