//! The records of a file with their scopes and typed values.

use crate::policy::robots::Robots;
use crate::read::crawler::Crawler;
use crate::read::fields::{InvalidValue, Kind, Value, typed};
use crate::read::parse::{Content, Field, Record};

/// The crawlers that a record is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Scope {
    /// All crawlers.
    File,
    /// The crawlers of this group. Groups are numbered from 0 in the order of the file.
    Group(u32),
    /// The crawlers of this run of user-agent lines, which is not the whole of its group: so it is
    /// with a `Crawl-delay`, `Request-rate` or `Visit-time` ([`Pace`](super::Pace)) where user-agent
    /// lines of the same group follow it. Runs are numbered from 0 in the order of the file.
    Run(u32),
    /// It is not in a group, and is not of a kind that applies to the whole file. It may be of an
    /// unknown kind, or of one that is defined for groups only.
    Outside,
}

/// A record with its kind, scope and typed value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TypedRecord<'a> {
    /// The record as written, with its line.
    pub record: Record<'a>,
    /// The kind of record.
    pub kind: Kind,
    /// The crawlers it is for.
    pub scope: Scope,
    /// Its typed value, or what is wrong with the value.
    pub value: Result<Value<'a>, InvalidValue>,
}

impl<'a> Robots<'a> {
    /// The records that are neither user-agent lines nor rules, with scopes and typed values,
    /// in the order of the file. See [`records`](crate::records). Reads the file again; `O(n)`.
    pub fn typed_records(&self) -> Vec<TypedRecord<'a>> {
        let mut run = None;
        let mut assumed = self.groups().assumed_run();
        let mut records = Vec::new();
        for line in self.groups().lines() {
            let record = match line.content {
                Content::Blank => {
                    if self.profile().blank_line_ends_group {
                        run = None;
                    }
                    continue;
                }
                Content::Record(record) => record,
                _ => continue,
            };
            let kind = match record.field {
                Field::UserAgent => {
                    (run, assumed) = (self.groups().run_of_line(record.line), None);
                    continue;
                }
                Field::Sitemap => Kind::Sitemap,
                Field::Other => Kind::of_field(record.name),
                _ => continue,
            };
            let scope = match run.or(assumed.filter(|_| kind.is_of_pace())) {
                _ if kind.is_per_file() => Scope::File,
                Some((group, run)) if kind.is_of_pace() && !self.groups().is_one_run(group) => {
                    Scope::Run(run)
                }
                Some((group, _)) => Scope::Group(group),
                None if kind == Kind::License => Scope::File,
                None => Scope::Outside,
            };
            let value = typed(kind, record.value);
            records.push(TypedRecord { record, kind, scope, value });
        }
        records
    }

    /// The records that are for a crawler: those of its groups and of its runs of user-agent lines, those of the whole file, and those
    /// outside any group, which no definition keeps from it. Reads the file again; `O(n)`.
    pub fn typed_records_for(&self, crawler: &Crawler) -> Vec<TypedRecord<'a>> {
        let scopes = self.scopes_of(crawler);
        let mut records = self.typed_records();
        records.retain(|record| is_within(&scopes, record.scope));
        records
    }

    /// The groups that a crawler obeys and its runs of user-agent lines, in the order of [`Scope`].
    pub(crate) fn scopes_of(&self, crawler: &Crawler) -> Vec<Scope> {
        let groups = self.groups().groups_of(crawler).into_iter().map(Scope::Group);
        let runs = self.groups().runs_of(crawler).into_iter().map(Scope::Run);
        groups.chain(runs).collect()
    }

    /// The product tokens that a group names, as written, including `*`. Groups are numbered from
    /// 0; from [`Robots::group_count`] on, there are no tokens.
    pub fn group_tokens(&self, group: u32) -> Vec<&'a [u8]> {
        self.groups().tokens_of_group(group).collect()
    }

    /// The product tokens that a run of user-agent lines names, as [`Robots::group_tokens`]: those
    /// whose crawlers a record with [`Scope::Run`] is for.
    pub fn run_tokens(&self, run: u32) -> Vec<&'a [u8]> {
        self.groups().tokens_of_run(run).collect()
    }
}

/// Returns true if records of this scope are for the crawler that has `scopes` as its own: those of its
/// own groups and runs, those of the whole file, and those outside any group.
pub fn is_within(scopes: &[Scope], scope: Scope) -> bool {
    matches!(scope, Scope::File | Scope::Outside) || scopes.binary_search(&scope).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    #[test]
    fn scopes() {
        let file = b"Crawl-delay: 1\nHost: e.com\nUser-agent: a\nCrawl-delay: 2\nUser-agent: b\n\
            Disallow: /\n\nCrawl-delay: 3\nUser-agent: *\nClean-param: s\nNoindex: /x\nFoo: bar\n";
        let scopes = |profile| -> Vec<_> {
            let records = Robots::parse(file, profile).typed_records();
            records.into_iter().map(|r| (r.record.line, r.scope)).collect()
        };
        let group = Scope::Group;
        let wanted = [
            (1, Scope::Outside),
            (2, Scope::File),
            (4, Scope::Run(0)),
            (8, Scope::Run(1)),
            (10, Scope::File),
            (11, group(1)),
            (12, group(1)),
        ];
        assert_eq!(scopes(&Profile::RFC9309), wanted);
        // In 1994 a blank line ends the group.
        let mut wanted = wanted;
        wanted[3].1 = Scope::Outside;
        assert_eq!(scopes(&Profile::ORIGINAL_1994), wanted);
        let robots = Robots::parse(file, &Profile::RFC9309);
        assert_eq!(robots.group_tokens(0), [b"a", b"b"]);
        assert_eq!(robots.group_tokens(1), [b"*"]);
        assert!(robots.group_tokens(2).is_empty());
        assert_eq!(
            [0, 1, 2, 3].map(|run| robots.run_tokens(run).concat()),
            [&b"a"[..], b"b", b"*", b""]
        );
        // A delay is of its own lines, a rule and any other record of the whole group.
        let lines = |name| -> Vec<u32> {
            let records = robots.typed_records_for(&Crawler::name(name));
            records.into_iter().map(|r| r.record.line).collect()
        };
        assert_eq!(lines("a"), [1, 2, 4, 10]);
        assert_eq!(lines("b"), [1, 2, 8, 10]);
        assert_eq!(lines("c"), [1, 2, 10, 11, 12]);
    }
}
