//! The records of a file with their scopes and typed values.

use crate::policy::robots::Robots;
use crate::read::crawler::Crawler;
use crate::read::fields::{InvalidValue, Kind, Value, typed};
use crate::read::parse::{Content, Field, Record};

/// The crawlers that a record is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
        let mut group = None;
        let mut records = Vec::new();
        for line in self.groups().lines() {
            let record = match line.content {
                Content::Blank => {
                    if self.profile().blank_line_ends_group {
                        group = None;
                    }
                    continue;
                }
                Content::Record(record) => record,
                _ => continue,
            };
            let kind = match record.field {
                Field::UserAgent => {
                    group = self.groups().group_of_line(record.line);
                    continue;
                }
                Field::Sitemap => Kind::Sitemap,
                Field::Other => Kind::of_field(record.name),
                _ => continue,
            };
            let scope = match group {
                _ if kind.is_per_file() => Scope::File,
                Some(group) => Scope::Group(group),
                None if kind == Kind::License => Scope::File,
                None => Scope::Outside,
            };
            let value = typed(kind, record.value);
            records.push(TypedRecord { record, kind, scope, value });
        }
        records
    }

    /// The records that are for a crawler: those of its groups, those of the whole file, and those
    /// outside any group, which no definition keeps from it. Reads the file again; `O(n)`.
    pub fn typed_records_for(&self, crawler: &Crawler) -> Vec<TypedRecord<'a>> {
        let groups = self.groups().groups_of(crawler);
        let mut records = self.typed_records();
        records.retain(|record| match record.scope {
            Scope::Group(group) => groups.binary_search(&group).is_ok(),
            Scope::File | Scope::Outside => true,
        });
        records
    }

    /// The product tokens that a group names, as written, including `*`. Groups are numbered from
    /// 0; from [`Robots::group_count`] on, there are no tokens.
    pub fn group_tokens(&self, group: u32) -> Vec<&'a [u8]> {
        self.groups().tokens_of_group(group).collect()
    }
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
            (4, group(0)),
            (8, group(0)),
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
        let delay =
            |name| robots.pace(&Crawler::name(name)).crawl_delay.map(|delay| delay.as_secs());
        assert_eq!((delay("a"), delay("b"), delay("c")), (Some(3), Some(3), None));
    }
}
