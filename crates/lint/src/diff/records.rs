//! Compares the records that are neither user-agent lines nor rules.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use robotsieve::internals::RobotsInternals as _;
use robotsieve::records::{Kind, Preferences, Scope, TypedRecord, Value};
use robotsieve::{Crawler, Robots};
use robotsieve_rights::records::typed_records;
use robotsieve_rights::{ContentSignals, ContentUsage, Notes, Vocabulary};

use super::limits::Limits;

/// The changes in the other records for the whole file, or for some crawlers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordChanges<C> {
    /// The crawlers for which this changed; `None` for records of the whole file, and for those
    /// outside all groups.
    pub crawlers: Option<Vec<C>>,
    /// The changes: one for each kind of record, in the order of the kinds. Not empty.
    pub changes: Vec<RecordChange>,
}

/// The changes in the records of one kind, such as sitemaps.
///
/// Records are compared by what they say: `Crawl-delay: 10` is `crawl_delay: 10.0`, and the order
/// of lines does not matter. A value that does not follow the definition of its field is compared
/// as written. Fields of
/// an unknown kind say nothing, so they are not compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct RecordChange {
    /// The kind of the record.
    pub kind: Kind,
    /// The records of the old file alone, each at its first line; at most [`Limits::records`].
    pub removed: Vec<ChangedRecord>,
    /// The records of the new file alone, each at its first line; at most [`Limits::records`].
    pub added: Vec<ChangedRecord>,
    /// The number of further ones that were removed.
    pub more_removed: usize,
    /// The number of further ones that were added.
    pub more_added: usize,
}

/// A record that only one of the files has.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct ChangedRecord {
    /// Its line in that file, from 1.
    pub line: u32,
    /// The field's name as written.
    #[serde(with = "robotsieve::internals::bytes_as_text")]
    pub field: Vec<u8>,
    /// Its value as written.
    #[serde(with = "robotsieve::internals::bytes_as_text")]
    pub value: Vec<u8>,
}

/// The labels must be text or bytes.
impl<C: AsRef<[u8]>> serde::Serialize for RecordChanges<C> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use robotsieve::internals::bytes_as_text::BytesAsText;
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
/// use robotsieve_lint::diff::{self, Limits};
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
    let mut all = Vec::new();
    let mut compare = Compare::new(&said, meanings.len(), limits);
    let of_file = compare.changes([vec![Scope::File], vec![Scope::File]]);
    if !of_file.is_empty() {
        all.push(RecordChanges { crawlers: None, changes: compare.listed(&of_file) });
    }
    // The groups and runs of each crawler that have records. Most crawlers share them.
    let mut numbers: HashMap<[Vec<Scope>; 2], usize> = HashMap::new();
    let crawlers: Vec<(C, usize)> = crawlers
        .into_iter()
        .map(|(label, crawler)| {
            let groups = [
                said[0].with_records(old.scopes_of(&crawler)),
                said[1].with_records(new.scopes_of(&crawler)),
            ];
            let next = numbers.len();
            (label, *numbers.entry(groups).or_insert(next))
        })
        .collect();
    let mut changes: Vec<Vec<Change>> = vec![Vec::new(); numbers.len()];
    let mut groups: Vec<([Vec<Scope>; 2], usize)> = numbers.into_iter().collect();
    groups.sort_by_cached_key(|(groups, _)| compare.heaviest_first(groups));
    for (groups, number) in groups {
        changes[number] = compare.changes(groups);
    }
    let mut places: HashMap<&[Change], usize> = HashMap::new();
    for (label, number) in crawlers {
        let changes = &changes[number][..];
        if changes.is_empty() {
            continue;
        }
        let place = *places.entry(changes).or_insert_with(|| {
            let changes = compare.listed(changes);
            all.push(RecordChanges { crawlers: Some(Vec::new()), changes });
            all.len() - 1
        });
        all[place].crawlers.get_or_insert_default().push(label);
    }
    all
}

/// The number of what a record says, the same in both files. Ascending in the order of the files.
type Meaning = usize;

/// The records of a file.
struct Said<'a> {
    /// The numbers of the records of each group and of each run of user-agent lines, in the order of
    /// the file. Those outside all groups are with those of the whole file.
    groups: HashMap<Scope, Vec<usize>>,
    records: Vec<(Meaning, TypedRecord<'a>)>,
    /// The group and number of each record with this meaning, in order.
    places: HashMap<Meaning, Vec<(Scope, usize)>>,
}

impl<'a> Said<'a> {
    fn of(robots: &Robots<'a>, meanings: &mut HashMap<(Kind, bool, Vec<u8>), Meaning>) -> Said<'a> {
        let mut said = Said { groups: HashMap::new(), records: Vec::new(), places: HashMap::new() };
        for record in typed_records(robots) {
            if record.kind == Kind::Unknown {
                continue;
            }
            let group = match record.scope {
                Scope::Outside => Scope::File,
                scope => scope,
            };
            let next = meanings.len();
            let key = (record.kind, record.scope == Scope::Outside, meaning(&record));
            let meaning = *meanings.entry(key).or_insert(next);
            let number = said.records.len();
            said.groups.entry(group).or_default().push(number);
            said.places.entry(meaning).or_default().push((group, number));
            said.records.push((meaning, record));
        }
        said.places.values_mut().for_each(|places| places.sort_unstable());
        said
    }

    fn with_records(&self, mut groups: Vec<Scope>) -> Vec<Scope> {
        groups.retain(|group| self.groups.contains_key(group));
        groups
    }

    fn of_group(&self, group: Scope) -> &[usize] {
        self.groups.get(&group).map_or(&[], |records| records)
    }

    /// The first record of these groups that says this.
    fn first(&self, groups: &[Scope], meaning: Meaning) -> Option<usize> {
        let places = self.places.get(&meaning)?;
        let in_group = |group: &Scope| {
            let at = places.partition_point(|(other, _)| other < group);
            places.get(at).filter(|(other, _)| other == group).map(|(_, number)| *number)
        };
        groups.iter().filter_map(in_group).min()
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
        Ok(Value::ContentSignal(said)) => {
            let signals = ContentSignals::parse(said.statement);
            stated(said, &signals, signals.notes()).unwrap_or_else(as_written)
        }
        Ok(Value::ContentUsage(said)) => ContentUsage::of_record(said)
            .ok()
            .and_then(|usage| stated(said, &usage, usage.notes(Vocabulary::default())))
            .unwrap_or_else(as_written),
        Ok(value) => format!("{value:?}").into_bytes(),
        // No typed value can be equal to it: it has another meaning, or none.
        Err(_) => [b"invalid ", record.record.value].concat(),
    }
}

/// Preferences in any order; `None` if something is odd about them.
fn stated(said: &Preferences<'_>, read: &impl std::fmt::Debug, notes: Notes) -> Option<Vec<u8>> {
    notes.is_empty().then(|| format!("{:?} {read:?}", said.path).into_bytes())
}

/// What changed in the records of one kind. For each side the numbers of the records to list, and
/// how many more there are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Change {
    kind: Kind,
    listed: [Vec<usize>; 2],
    more: [usize; 2],
}

/// Compares groups of one file with groups of the other, one pair of sets after another.
///
/// Goes from one pair to the next by what differs between them: thousands of crawlers can share a
/// group with thousands of records.
struct Compare<'s, 'a> {
    said: &'s [Said<'a>; 2],
    limit: usize,
    /// The groups that are compared now, in ascending order.
    groups: [Vec<Scope>; 2],
    /// How many of their records say something, by meaning.
    counts: Vec<[u32; 2]>,
    /// What only one side says, by kind.
    only: BTreeMap<Kind, [BTreeSet<Meaning>; 2]>,
}

impl<'s, 'a> Compare<'s, 'a> {
    fn new(said: &'s [Said<'a>; 2], meanings: usize, limits: &Limits) -> Compare<'s, 'a> {
        Compare {
            said,
            limit: limits.records.max(1),
            groups: [Vec::new(), Vec::new()],
            counts: vec![[0; 2]; meanings],
            only: BTreeMap::new(),
        }
    }

    /// A key to sort groups by, so that those with many records are seldom exchanged.
    fn heaviest_first(&self, groups: &[Vec<Scope>; 2]) -> Vec<(Reverse<usize>, usize, Scope)> {
        let mut key = Vec::new();
        for side in [0, 1] {
            let len = |group: &Scope| Reverse(self.said[side].of_group(*group).len());
            key.extend(groups[side].iter().map(|group| (len(group), side, *group)));
        }
        key.sort_unstable();
        key
    }

    /// What changed between these groups, which are in ascending order.
    fn changes(&mut self, groups: [Vec<Scope>; 2]) -> Vec<Change> {
        for side in [0, 1] {
            let before = std::mem::replace(&mut self.groups[side], groups[side].clone());
            for group in groups[side].iter().filter(|g| before.binary_search(g).is_err()) {
                self.count(side, *group, |count| *count += 1);
            }
            for group in before.iter().filter(|g| groups[side].binary_search(g).is_err()) {
                self.count(side, *group, |count| *count -= 1);
            }
        }
        let changed = self.only.iter().filter(|(_, only)| only.iter().any(|only| !only.is_empty()));
        changed
            .map(|(kind, only)| {
                let listed = [0, 1].map(|side: usize| {
                    let first = |meaning| self.said[side].first(&self.groups[side], meaning);
                    let listed = only[side].iter().take(self.limit);
                    let mut listed: Vec<usize> = listed.filter_map(|m| first(*m)).collect();
                    listed.sort_unstable();
                    listed
                });
                let more = [0, 1].map(|side: usize| only[side].len() - listed[side].len());
                Change { kind: *kind, listed, more }
            })
            .collect()
    }

    /// Adds the records of a group to the counts, or takes them away.
    fn count(&mut self, side: usize, group: Scope, step: fn(&mut u32)) {
        for number in self.said[side].of_group(group) {
            let (meaning, record) = &self.said[side].records[*number];
            let counts = &mut self.counts[*meaning];
            let was = counts.map(|count| count > 0);
            step(&mut counts[side]);
            let is = counts.map(|count| count > 0);
            if was == is {
                continue;
            }
            let only = self.only.entry(record.kind).or_default();
            for side in [0, 1] {
                if is[side] && !is[1 - side] {
                    only[side].insert(*meaning);
                } else {
                    only[side].remove(meaning);
                }
            }
        }
    }

    fn listed(&self, changes: &[Change]) -> Vec<RecordChange> {
        let record = |side: usize, number: &usize| {
            let record = &self.said[side].records[*number].1.record;
            ChangedRecord {
                line: record.line,
                field: record.name.to_vec(),
                value: record.value.to_vec(),
            }
        };
        let list = |change: &Change| RecordChange {
            kind: change.kind,
            removed: change.listed[0].iter().map(|number| record(0, number)).collect(),
            added: change.listed[1].iter().map(|number| record(1, number)).collect(),
            more_removed: change.more[0],
            more_added: change.more[1],
        };
        changes.iter().map(list).collect()
    }
}
