//! What changed between a robots.txt and the one that would be written today.

use std::collections::BTreeMap;

use robotsieve::{Crawler, Profile, Robots, text_of};
use robotsieve_known::KnownCrawlers;
use robotsieve_lint::diff::{self, Limits};
use robotsieve_shown::{first_of, shown};

/// How many crawlers a sentence names.
const NAMES: usize = 20;

/// The changes between a file and the one that its intentions give today.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changes {
    /// Crawlers that only the new file names.
    pub added: Vec<String>,
    /// Crawlers that only the old file names.
    pub removed: Vec<String>,
    /// Crawlers with other rules or records, of those that both files name; `*` for all others.
    pub changed: Vec<String>,
    /// The changes in sentences. None if both files are the same, byte for byte.
    pub sentences: Vec<String>,
}

impl Changes {
    /// Compares the texts of two files. Of an old one in UTF-16, which the new one never is, a sentence says so.
    #[must_use]
    pub fn between(old: &[u8], new: &[u8], known: &KnownCrawlers) -> Changes {
        let mut changes = Changes::default();
        if old == new {
            return changes;
        }
        let text = text_of(old, &Profile::RFC9309);
        let is_utf16 = *text != *old;
        let old = &*text;
        let [before, after] = [old, new].map(|file| Robots::parse(file, &Profile::RFC9309));
        let [of_old, of_new] = [&before, &after].map(names);
        let only = |of: &BTreeMap<String, String>, other: &BTreeMap<String, String>| {
            let names = of.iter().filter(|(key, _)| !other.contains_key(*key));
            names.map(|(_, name)| name.clone()).collect()
        };
        changes.added = only(&of_new, &of_old);
        changes.removed = only(&of_old, &of_new);
        let everybody = ("*".to_owned(), Crawler::names([""; 0]));
        let both = of_new.iter().filter(|(key, _)| of_old.contains_key(*key));
        let named = both.map(|(_, name)| name).filter(|name| *name != "*");
        let crawlers: Vec<(String, Crawler)> = [everybody]
            .into_iter()
            .chain(named.map(|name| (name.clone(), Crawler::name(name))))
            .collect();
        let limits = Limits::default();
        for same in diff::crawlers(&before, &after, crawlers.clone(), &limits) {
            if !same.difference.is_equal() {
                changes.changed.extend(same.crawlers);
            }
        }
        let records = diff::records(&before, &after, crawlers, &limits);
        for name in records.iter().filter_map(|changed| changed.crawlers.as_ref()).flatten() {
            if !changes.changed.contains(name) {
                changes.changed.push(name.clone());
            }
        }
        let whole = records.iter().any(|changed| changed.crawlers.is_none());
        changes.sentences = changes.said(known, whole);
        if is_utf16 {
            let why = "the file is UTF-16, in which most crawlers find no rule, and would be UTF-8";
            changes.sentences.push(why.to_owned());
        }
        if changes.sentences.is_empty() {
            // A difference that no diff shows.
            let texts = [old, new].map(|file| file.iter().filter(|byte| **byte != b'\r'));
            let [old, new] = texts;
            let how = if old.eq(new) { "with other line ends" } else { "in another text" };
            changes.sentences.push(format!("the file says the same {how}"));
        }
        changes
    }

    fn said(&self, known: &KnownCrawlers, whole: bool) -> Vec<String> {
        let mut all = Vec::new();
        let list =
            |names: &[&String]| first_of(NAMES, names.iter().map(|name| shown(name.as_bytes())));
        let mut say = |names: &[String], is_known: bool, what: &str| {
            let names = names.iter().filter(|name| known.by_token(name).is_some() == is_known);
            let names: Vec<&String> = names.collect();
            if !names.is_empty() {
                let crawlers = if names.len() == 1 { "crawler" } else { "crawlers" };
                all.push(format!("{} {crawlers} {what}: {}", names.len(), list(&names)));
            }
        };
        say(&self.added, true, "that the file does not name would be named");
        say(&self.added, false, "that the file does not name would be named, not known ones");
        say(&self.removed, true, "that the file names would not be named");
        say(&self.removed, false, "that the file names would not be named, not known ones");
        if !self.changed.is_empty() {
            let names: Vec<&String> = self.changed.iter().collect();
            all.push(format!("other rules or records for {}", list(&names)));
        }
        if whole {
            all.push("other records of the whole file, such as sitemaps".to_owned());
        }
        all
    }
}

/// The names in a file, by their lower case.
fn names(robots: &Robots<'_>) -> BTreeMap<String, String> {
    let names = robots.tokens().map(|token| String::from_utf8_lossy(token).into_owned());
    names.map(|name| (name.to_ascii_lowercase(), name)).collect()
}
