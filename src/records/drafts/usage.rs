//! What a site says about training, search and inference for a path.

use std::fmt;

use super::usage::{Preference, Stated};
use super::{Kind, Scope, TypedRecord, Value};
use crate::profile::RulePrecedence;
use crate::read::crawler::Crawler;
use crate::robots::Robots;
use crate::rules::target::{InvalidUrl, Target};
use crate::rules::{RawRule, RuleSet};
use crate::verdict::Verdict;

/// What content may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Use {
    /// Training of (generative) models: `train-ai` in Content-Usage, `ai-train` in
    /// Content-Signal.
    Training,
    /// A search that leads to the content: `search` in both.
    Search,
    /// Input to a model that answers: `ai-use` in Content-Usage, `ai-input` in Content-Signal.
    Inference,
}

impl Use {
    /// All of them.
    pub const ALL: [Use; 3] = [Use::Training, Use::Search, Use::Inference];

    /// `training`, `search` or `inference`.
    pub fn as_str(self) -> &'static str {
        match self {
            Use::Training => "training",
            Use::Search => "search",
            Use::Inference => "inference",
        }
    }

    fn of(source: Source, label: &[u8]) -> Option<Use> {
        match source {
            // Case-sensitive: draft-ietf-aipref-vocab-08 §6.1.
            Source::ContentUsage => match label {
                b"train-ai" => Some(Use::Training),
                b"search" => Some(Use::Search),
                b"ai-use" => Some(Use::Inference),
                _ => None,
            },
            Source::ContentSignal => match &label.to_ascii_lowercase()[..] {
                b"ai-train" => Some(Use::Training),
                b"search" => Some(Use::Search),
                b"ai-input" => Some(Use::Inference),
                _ => None,
            },
        }
    }
}

/// Which draft a statement follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// draft-ietf-aipref-attach-05 with draft-ietf-aipref-vocab-08.
    ContentUsage,
    /// contentsignals.org.
    ContentSignal,
}

impl Source {
    /// `content-usage` or `content-signal`.
    pub fn as_str(self) -> &'static str {
        match self {
            Source::ContentUsage => Kind::ContentUsage.as_str(),
            Source::ContentSignal => Kind::ContentSignal.as_str(),
        }
    }
}

/// What one record says about one use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Statement {
    /// The draft that it follows.
    pub source: Source,
    /// Its line, 1-based.
    pub line: u32,
    /// What it is about.
    pub used_for: Use,
    /// What it says: never [`Preference::Unknown`].
    pub preference: Preference,
}

/// What makes an answer less than certain. The drafts leave these open, or the file departs from
/// them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ambiguity {
    /// A record stands before any group. Neither draft knows that; it is taken for all crawlers
    /// where none of the crawler's groups has one of the same kind.
    OutsideGroups {
        /// What it is.
        source: Source,
        /// Its line.
        line: u32,
    },
    /// The crawler has groups of its own, without such a record, but the group for `*` has one.
    /// By RFC 9309 that is not for this crawler, and it does not count here; who wrote it may
    /// have meant the whole file.
    OnlyForOthers {
        /// What it is.
        source: Source,
        /// Its line.
        line: u32,
    },
    /// A Content-Usage record has no path, as in draft-ietf-aipref-attach-00: taken for `/`.
    WithoutPath {
        /// Its line.
        line: u32,
    },
    /// A Content-Signal record has a path, which contentsignals.org does not define: it counts
    /// for that path only.
    SignalWithPath {
        /// Its line.
        line: u32,
    },
    /// Records of equal weight, or of both drafts, disagree: the most restrictive counts.
    Disagreement {
        /// About what.
        used_for: Use,
        /// The lines that allow and those that disallow it.
        lines: Vec<u32>,
    },
    /// Patterns of equal length match: the draft speaks of identical ones only. They are
    /// combined.
    EqualLength {
        /// Their lines.
        lines: Vec<u32>,
    },
    /// A label that the current draft does not have: ignored, as it demands. Some are of
    /// earlier versions of the draft.
    UnknownLabel {
        /// The line.
        line: u32,
        /// The label as written.
        label: String,
    },
    /// A label's value is none of those that the draft defines: nothing is said by it.
    UnknownPreference {
        /// The line.
        line: u32,
        /// The label as written.
        label: String,
    },
    /// The value could not be read: nothing is said by it.
    Invalid {
        /// The line.
        line: u32,
    },
    /// The path may not be crawled: by the draft Content-Usage says nothing about it then.
    NotCrawlable,
}

impl fmt::Display for Ambiguity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |lines: &[u32]| lines.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        match self {
            Ambiguity::OutsideGroups { source, line } => write!(
                f,
                "line {line}: {} before any group; the draft knows it in groups only, taken for \
                 all crawlers whose groups have none",
                source.as_str()
            ),
            Ambiguity::OnlyForOthers { source, line } => write!(
                f,
                "line {line}: {} in the group for *, but this crawler has groups of its own: it \
                 does not count, though it may have been meant for all",
                source.as_str()
            ),
            Ambiguity::WithoutPath { line } => {
                write!(f, "line {line}: content-usage without a path, taken for /")
            }
            Ambiguity::SignalWithPath { line } => write!(
                f,
                "line {line}: content-signal with a path, which is not defined; taken for that \
                 path only"
            ),
            Ambiguity::Disagreement { used_for, lines } => write!(
                f,
                "lines {} disagree about {}: the most restrictive counts",
                list(lines),
                used_for.as_str()
            ),
            Ambiguity::EqualLength { lines } => {
                write!(f, "lines {}: content-usage patterns of equal length, combined", list(lines))
            }
            Ambiguity::UnknownLabel { line, label } => write!(
                f,
                "line {line}: label '{label}' is not in the current draft, ignored{}",
                if is_of_earlier_draft(label) { " (an earlier version had it)" } else { "" }
            ),
            Ambiguity::UnknownPreference { line, label } => {
                write!(f, "line {line}: the value of '{label}' is not defined, nothing is said")
            }
            Ambiguity::Invalid { line } => {
                write!(f, "line {line}: the value cannot be read, nothing is said")
            }
            Ambiguity::NotCrawlable => {
                f.write_str("the path may not be crawled: content-usage says nothing about it then")
            }
        }
    }
}

/// draft-ietf-aipref-vocab-01 to -04.
fn is_of_earlier_draft(label: &str) -> bool {
    ["all", "bots", "tdm", "ai", "genai", "inference", "train-genai", "ai-output"].contains(&label)
}

/// What a file says to a crawler about the use of a path's content. Of **drafts**, which may
/// change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// Whether the crawler may fetch the path at all.
    pub is_crawlable: bool,
    /// What is said, in the order of the file.
    pub statements: Vec<Statement>,
    /// What makes the answer less than certain.
    pub ambiguities: Vec<Ambiguity>,
}

impl Usage {
    /// The preference about a use: the most restrictive statement, of whichever draft.
    pub fn preference(&self, used_for: Use) -> Preference {
        let about = self.statements.iter().filter(|statement| statement.used_for == used_for);
        about.fold(Preference::Unknown, |all, one| all.combined(one.preference))
    }
}

impl Robots<'_> {
    /// What the file says to a crawler about training, search and inference with what is at a
    /// URL, or at a path that begins with `/`, by its `Content-Usage` and `Content-Signal`
    /// records.
    ///
    /// Both are **drafts**, read as of draft-ietf-aipref-attach-05, draft-ietf-aipref-vocab-08
    /// and contentsignals.org. Content-Usage: of the crawler's groups the record with the longest
    /// pattern that matches, several of them combined so that the most restrictive counts; nothing
    /// for what may not be crawled. Content-Signal: all of the crawler's groups. What the drafts
    /// leave open is named in [`Usage::ambiguities`]. Reads the file again.
    ///
    /// ```
    /// use robotsieve::records::{Preference, Use};
    /// use robotsieve::{Crawler, Profile, Robots};
    ///
    /// let file = b"User-agent: *\nContent-Usage: / train-ai=n\nContent-Usage: /open/ train-ai=y\n\
    ///     Content-Signal: search=yes\n";
    /// let robots = Robots::parse(file, &Profile::RFC9309);
    /// let usage = |path| robots.usage(&Crawler::name("bot"), path).unwrap();
    /// assert_eq!(usage("/x").preference(Use::Training), Preference::Disallowed);
    /// assert_eq!(usage("/open/x").preference(Use::Training), Preference::Allowed);
    /// assert_eq!(usage("/x").preference(Use::Search), Preference::Allowed);
    /// assert_eq!(usage("/x").preference(Use::Inference), Preference::Unknown);
    /// ```
    ///
    /// # Errors
    /// [`InvalidUrl`] where the URL is none; never in the profile `google`.
    pub fn usage<U: AsRef<[u8]> + ?Sized>(
        &self,
        crawler: &Crawler,
        url: &U,
    ) -> Result<Usage, InvalidUrl> {
        let target = Target::from_url(url, self.profile())?;
        let is_crawlable = self.policy(crawler).verdict(&target).is_allow();
        let mut reader = Reader {
            robots: self,
            groups: self.groups_of(crawler).to_vec(),
            target: target.to_vec(),
            found: Usage { is_crawlable, statements: Vec::new(), ambiguities: Vec::new() },
        };
        let records = self.typed_records();
        for source in [Source::ContentUsage, Source::ContentSignal] {
            let kind = match source {
                Source::ContentUsage => Kind::ContentUsage,
                Source::ContentSignal => Kind::ContentSignal,
            };
            let of_kind: Vec<_> = records.iter().filter(|record| record.kind == kind).collect();
            let own = reader.in_scope(source, &of_kind);
            if source == Source::ContentUsage && !is_crawlable {
                if !own.is_empty() {
                    reader.found.ambiguities.push(Ambiguity::NotCrawlable);
                }
                continue;
            }
            reader.read(source, &own);
        }
        reader.found.statements.sort_by_key(|statement| statement.line);
        reader.disagreements();
        Ok(reader.found)
    }
}

/// What one record says, and of which paths.
struct Said<'s> {
    line: u32,
    path: Option<&'s [u8]>,
    stated: &'s [Stated<'s>],
}

impl<'s> Said<'s> {
    /// The pattern of the paths.
    fn pattern(&self) -> &'s [u8] {
        self.path.unwrap_or(b"/")
    }
}

struct Reader<'r, 'a> {
    robots: &'r Robots<'a>,
    /// In ascending order.
    groups: Vec<u32>,
    /// Normalised.
    target: Vec<u8>,
    found: Usage,
}

impl<'a> Reader<'_, 'a> {
    /// The records that are for the crawler: those of its groups, else those before all groups.
    fn in_scope<'t>(
        &mut self,
        source: Source,
        records: &[&'t TypedRecord<'a>],
    ) -> Vec<&'t TypedRecord<'a>> {
        let ambiguities = &mut self.found.ambiguities;
        let is_own = |scope| matches!(scope, Scope::Group(group) if self.groups.binary_search(&group).is_ok());
        let own: Vec<_> = records.iter().copied().filter(|record| is_own(record.scope)).collect();
        let outside = records.iter().copied().filter(|record| record.scope == Scope::Outside);
        let outside: Vec<_> = outside.collect();
        for record in &outside {
            ambiguities.push(Ambiguity::OutsideGroups { source, line: record.record.line });
        }
        if !own.is_empty() {
            return own;
        }
        // A crawler without a name finds those.
        let everybody = self.robots.groups_of(&Crawler::names([""; 0]));
        for record in records {
            if let Scope::Group(group) = record.scope
                && everybody.binary_search(&group).is_ok()
            {
                ambiguities.push(Ambiguity::OnlyForOthers { source, line: record.record.line });
            }
        }
        outside
    }

    fn read(&mut self, source: Source, records: &[&TypedRecord<'a>]) {
        let mut all: Vec<Said<'_>> = Vec::new();
        for record in records {
            let line = record.record.line;
            match &record.value {
                Ok(Value::ContentUsage(usage)) => {
                    if usage.path.is_none() {
                        self.found.ambiguities.push(Ambiguity::WithoutPath { line });
                    }
                    let stated = &usage.preferences;
                    all.push(Said { line, path: usage.path, stated });
                }
                Ok(Value::ContentSignal(signal)) => {
                    if signal.path.is_some() {
                        self.found.ambiguities.push(Ambiguity::SignalWithPath { line });
                    }
                    all.push(Said { line, path: signal.path, stated: &signal.signals });
                }
                _ => self.found.ambiguities.push(Ambiguity::Invalid { line }),
            }
        }
        let matching = self.matching(&all);
        let longest = matching.iter().map(|(_, length)| *length).max();
        let is_usage = source == Source::ContentUsage;
        let deciding: Vec<u32> = matching
            .iter()
            .filter(|(_, length)| !is_usage || Some(*length) == longest)
            .map(|(line, _)| *line)
            .collect();
        let deciding = all.iter().filter(|said| deciding.binary_search(&said.line).is_ok());
        let deciding: Vec<&Said<'_>> = deciding.collect();
        if is_usage && deciding.windows(2).any(|two| two[0].pattern() != two[1].pattern()) {
            let lines = deciding.iter().map(|said| said.line).collect();
            self.found.ambiguities.push(Ambiguity::EqualLength { lines });
        }
        for said in deciding {
            self.state(source, said.line, said.stated);
        }
    }

    /// The lines whose patterns match, with the bytes of the normalised patterns.
    fn matching(&self, records: &[Said<'_>]) -> Vec<(u32, u32)> {
        let mut profile = *self.robots.profile();
        // Of rules that disallow a pattern is one pattern, whatever the profile.
        profile.rule_precedence = RulePrecedence::Longest;
        let raw = records.iter().map(|said| RawRule {
            line: said.line,
            verdict: Verdict::Disallow,
            value: said.pattern(),
        });
        let rules = RuleSet::new(raw, &profile);
        let matching = rules.iter().filter(|r| r.pattern.matches(&self.target, rules.wildcards()));
        let mut matching: Vec<_> = matching.map(|rule| (rule.line, rule.precedence)).collect();
        matching.sort_unstable();
        matching
    }

    fn state(&mut self, source: Source, line: u32, stated: &[Stated<'_>]) {
        for Stated { label, preference } in stated {
            let shown = || String::from_utf8_lossy(label).into_owned();
            match (Use::of(source, label), *preference) {
                (None, _) => {
                    self.found.ambiguities.push(Ambiguity::UnknownLabel { line, label: shown() });
                }
                (Some(_), Preference::Unknown) => self
                    .found
                    .ambiguities
                    .push(Ambiguity::UnknownPreference { line, label: shown() }),
                (Some(used_for), preference) => {
                    self.found.statements.push(Statement { source, line, used_for, preference });
                }
            }
        }
    }

    fn disagreements(&mut self) {
        for used_for in Use::ALL {
            let about: Vec<_> =
                self.found.statements.iter().filter(|s| s.used_for == used_for).collect();
            if about.windows(2).any(|two| two[0].preference != two[1].preference) {
                let mut lines: Vec<u32> = about.iter().map(|statement| statement.line).collect();
                lines.dedup();
                self.found.ambiguities.push(Ambiguity::Disagreement { used_for, lines });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    fn usage(file: &str, crawler: &str, path: &str) -> Usage {
        let robots = Robots::parse(file.as_bytes(), &Profile::RFC9309);
        robots.usage(&Crawler::name(crawler), path).unwrap()
    }

    /// Training, search, inference: `+`, `-` or `?`.
    fn shown(usage: &Usage) -> String {
        let sign = |used_for| match usage.preference(used_for) {
            Preference::Allowed => '+',
            Preference::Disallowed => '-',
            Preference::Unknown => '?',
        };
        Use::ALL.map(sign).iter().collect()
    }

    /// The example of draft-ietf-aipref-attach.
    #[test]
    fn example_of_the_draft() {
        let file = "User-Agent: *\nAllow: /\nDisallow: /never/\nContent-Usage: / train-ai=n\n\
            Content-Usage: /ai-ok/ train-ai=y\n\nUser-Agent: ExampleBot\nAllow: /\n\
            Content-Usage: / train-ai=y\n";
        for (crawler, path, wanted) in [
            ("other", "/test", "-??"),
            ("other", "/never/test", "???"),
            ("other", "/ai-ok/test", "+??"),
            ("ExampleBot", "/test", "+??"),
        ] {
            let usage = usage(file, crawler, path);
            assert_eq!(shown(&usage), wanted, "{crawler} {path}");
            let not_crawlable = path == "/never/test";
            assert_eq!(usage.is_crawlable, !not_crawlable);
            let wanted: &[Ambiguity] = if not_crawlable { &[Ambiguity::NotCrawlable] } else { &[] };
            assert_eq!(usage.ambiguities, wanted);
        }
    }

    #[test]
    fn patterns_match_as_those_of_rules() {
        let file = "User-agent: *\nContent-Usage: /*.pdf$ train-ai=n\nContent-Usage: / search=y\n\
            Content-Usage: /%7euser ai-use=n\n";
        assert_eq!(shown(&usage(file, "x", "/a.pdf")), "-??");
        assert_eq!(shown(&usage(file, "x", "/a.pdf?")), "?+?");
        assert_eq!(shown(&usage(file, "x", "https://e.com/~user/a.pdf")), "-??");
        assert_eq!(shown(&usage(file, "x", "/~user/b")), "??-");
    }

    #[test]
    fn ambiguities() {
        let file = "Content-Signal: ai-train=no\nUser-agent: a\nDisallow: /x\n\nUser-agent: *\n\
            Content-Usage: train-ai=n, bots=n, Search=1\nContent-Usage: / search=y\n\
            Content-Usage: / search=n, ai-use=maybe, bots=n\nContent-Signal: /b search=yes\n";
        let a = usage(file, "a", "/");
        assert_eq!(shown(&a), "-??");
        let lines = |usage: &Usage| {
            usage.ambiguities.iter().map(Ambiguity::to_string).collect::<Vec<_>>().join("\n")
        };
        let text = lines(&a);
        for part in [
            "line 1: content-signal before any group",
            "line 7: content-usage in the group for *",
            "line 9: content-signal in the group for *",
        ] {
            assert!(text.contains(part), "{text}");
        }
        let text = lines(&usage(file, "b", "/b"));
        for part in [
            "line 6: the value cannot be read",
            "lines 7, 8, 9 disagree about search",
            "line 8: the value of 'ai-use' is not defined",
            "line 8: label 'bots' is not in the current draft, ignored (an earlier version had it)",
            "line 9: content-signal with a path",
        ] {
            assert!(text.contains(part), "no {part} in {text}");
        }
        assert_eq!(shown(&usage(file, "b", "/b")), "?-?");
        let equal = "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /*a search=y\n\
            Content-Usage: /b* ai-use=y\n";
        let equal = usage(equal, "x", "/ba");
        assert_eq!(shown(&equal), "?++");
        assert!(lines(&equal).contains("lines 3, 4: content-usage patterns of equal length"));
        assert!(lines(&equal).contains("line 2: content-usage without a path"));
    }
}
