//! What a file says about training, search and inference for a path.

use std::fmt;

use crate::as_url::AsUrl;
use crate::policy::robots::Robots;
use crate::profile::RulePrecedence;
use crate::read::crawler::Crawler;
use crate::records::{Kind, LabelledPreference, Preference, Scope, TypedRecord, Value};
use crate::rules::target::{InvalidUrl, Target};
use crate::rules::{RawRule, RuleSet};
use crate::verdict::Verdict;

/// A use of content. Follows **drafts**.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum Use {
    /// Training a (generative) model: `train-ai` in Content-Usage, `ai-train` in
    /// Content-Signal.
    Training,
    /// Search results that lead to the content: `search` in both.
    Search,
    /// Input to a model that answers questions: `ai-use` in Content-Usage, `ai-input` in
    /// Content-Signal.
    Inference,
}

impl Use {
    /// All uses.
    pub const ALL: &'static [Use] = &[Use::Training, Use::Search, Use::Inference];

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

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The field that a statement comes from, and so the draft that it follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A record's statement about one use. Follows **drafts**.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Statement {
    /// The record's field.
    pub source: Source,
    /// The record's line number, from 1.
    pub line: u32,
    /// The use in question.
    pub used_for: Use,
    /// The record's preference; never [`Preference::Unknown`].
    pub preference: Preference,
}

/// Something that makes an answer uncertain: the drafts leave it open, or the file does not
/// follow them. Follows **drafts**.
///
/// Its `Display` is a sentence that names the line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Ambiguity {
    /// A record comes before any group, which neither draft allows. It counts for crawlers whose
    /// groups have no record of the same field.
    OutsideGroups {
        /// The record's field.
        source: Source,
        /// The record's line number, from 1.
        line: u32,
    },
    /// The crawler has groups of its own without such a record, but the group for `*` has one. By
    /// RFC 9309 that group is not for this crawler, so the record is ignored; its author may have
    /// meant the whole file.
    OnlyForOthers {
        /// The record's field.
        source: Source,
        /// The record's line number, from 1.
        line: u32,
    },
    /// A Content-Usage record has no path, as in draft-ietf-aipref-attach-00. It is read as one
    /// for `/`.
    WithoutPath {
        /// The record's line number, from 1.
        line: u32,
    },
    /// A Content-Signal record has a path, which contentsignals.org does not define. It counts for
    /// that path only.
    SignalWithPath {
        /// The record's line number, from 1.
        line: u32,
    },
    /// Records of equal weight disagree, or the two drafts do. The most restrictive one counts.
    Disagreement {
        /// The use in question.
        used_for: Use,
        /// The lines that allow or disallow it.
        lines: Vec<u32>,
    },
    /// Different patterns of equal length match. They are combined, although the draft says that
    /// of identical patterns only.
    EqualLength {
        /// The lines of the records.
        lines: Vec<u32>,
    },
    /// A label is not in the current draft, though it may have been in an earlier one. It is
    /// ignored, as the draft demands.
    UnknownLabel {
        /// The record's line number, from 1.
        line: u32,
        /// The label as written.
        label: String,
    },
    /// The draft does not define the value of a label. The label is ignored.
    UnknownPreference {
        /// The record's line number, from 1.
        line: u32,
        /// The label as written.
        label: String,
    },
    /// The value of a record is invalid. The record is ignored.
    Invalid {
        /// The record's line number, from 1.
        line: u32,
    },
    /// The crawler may not fetch the path, so by the draft Content-Usage says nothing about it.
    NotCrawlable,
}

impl fmt::Display for Ambiguity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |lines: &[u32]| lines.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        match self {
            Ambiguity::OutsideGroups { source, line } => write!(
                f,
                "line {line}: {source} outside any group, which the draft does not allow; it \
                 counts for crawlers whose groups have none"
            ),
            Ambiguity::OnlyForOthers { source, line } => write!(
                f,
                "line {line}: {source} in the group for * is ignored, since this crawler has \
                 groups of its own; it may have been meant for all crawlers"
            ),
            Ambiguity::WithoutPath { line } => {
                write!(f, "line {line}: content-usage without a path is read as one for /")
            }
            Ambiguity::SignalWithPath { line } => write!(
                f,
                "line {line}: content-signal with a path, which is not defined; it counts for \
                 that path only"
            ),
            Ambiguity::Disagreement { used_for, lines } => write!(
                f,
                "lines {} disagree about {used_for}; the most restrictive one counts",
                list(lines)
            ),
            Ambiguity::EqualLength { lines } => write!(
                f,
                "lines {}: content-usage patterns of equal length match and are combined",
                list(lines)
            ),
            Ambiguity::UnknownLabel { line, label } => write!(
                f,
                "line {line}: label '{label}' is not in the current draft and is ignored{}",
                if is_of_earlier_draft(label) { " (an earlier draft had it)" } else { "" }
            ),
            Ambiguity::UnknownPreference { line, label } => {
                write!(f, "line {line}: the value of '{label}' is not defined and is ignored")
            }
            Ambiguity::Invalid { line } => {
                write!(f, "line {line}: the value is invalid and is ignored")
            }
            Ambiguity::NotCrawlable => f.write_str(
                "the crawler may not fetch the path, so content-usage says nothing about it",
            ),
        }
    }
}

/// Returns true if a label was in draft-ietf-aipref-vocab-01 to -04.
fn is_of_earlier_draft(label: &str) -> bool {
    ["all", "bots", "tdm", "ai", "genai", "inference", "train-genai", "ai-output"].contains(&label)
}

/// A file's preferences about the use of a path's content by a crawler. Follows **drafts**.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Usage {
    /// True if the crawler may fetch the path at all.
    pub is_crawlable: bool,
    /// The statements that count, in the order of the file.
    pub statements: Vec<Statement>,
    /// The reasons for which the answer is uncertain.
    pub ambiguities: Vec<Ambiguity>,
}

impl Usage {
    /// The preference about a use: that of the most restrictive statement in either field.
    pub fn preference(&self, used_for: Use) -> Preference {
        let about = self.statements.iter().filter(|statement| statement.used_for == used_for);
        about.fold(Preference::Unknown, |all, one| all.combined(one.preference))
    }
}

impl Robots<'_> {
    /// The file's preferences about a crawler's use of what is at a URL, or at a path that begins with
    /// `/`, for training, search and inference. Needs the feature `drafts`.
    ///
    /// Reads the `Content-Usage` and `Content-Signal` records. Both follow **drafts**:
    /// draft-ietf-aipref-attach-05 with draft-ietf-aipref-vocab-08, and contentsignals.org. The
    /// answers change when the drafts do.
    ///
    /// * Content-Usage: the record with the longest matching pattern among the crawler's groups
    ///   counts. If several have it, they are combined and the most restrictive preference wins.
    ///   None counts for a path that the crawler may not fetch.
    /// * Content-Signal: all records of the crawler's groups count.
    ///
    /// What the drafts leave open is listed in [`Usage::ambiguities`]. Reads the file again.
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
    /// Returns an error if the URL is invalid; never in the profile `google`.
    pub fn usage<U: AsUrl + ?Sized>(
        &self,
        crawler: &Crawler,
        url: &U,
    ) -> Result<Usage, InvalidUrl> {
        let target = Target::from_url(url, self.profile())?;
        let is_crawlable = self.policy(crawler).verdict(&target).is_allow();
        let mut reader = Reader {
            robots: self,
            groups: self.groups().groups_of(crawler).to_vec(),
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

/// A record's preferences, and the paths they are for.
struct Said<'s> {
    line: u32,
    path: Option<&'s [u8]>,
    preferences: &'s [LabelledPreference<'s>],
}

impl<'s> Said<'s> {
    /// The pattern of the paths.
    fn pattern(&self) -> &'s [u8] {
        self.path.unwrap_or(b"/")
    }
}

struct Reader<'r, 'a> {
    robots: &'r Robots<'a>,
    /// The crawler's groups, in ascending order.
    groups: Vec<u32>,
    /// The normalised target.
    target: Vec<u8>,
    found: Usage,
}

impl<'a> Reader<'_, 'a> {
    /// The records that are for the crawler: those of its groups or, if there are none, those
    /// outside any group.
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
        // A crawler without a name finds the groups for everybody.
        let everybody = self.robots.groups().groups_of(&Crawler::names([""; 0]));
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
                    let preferences = &usage.preferences;
                    all.push(Said { line, path: usage.path, preferences });
                }
                Ok(Value::ContentSignal(signal)) => {
                    if signal.path.is_some() {
                        self.found.ambiguities.push(Ambiguity::SignalWithPath { line });
                    }
                    all.push(Said { line, path: signal.path, preferences: &signal.signals });
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
            self.state(source, said.line, said.preferences);
        }
    }

    /// The lines whose patterns match, with the lengths of the normalised patterns in bytes.
    fn matching(&self, records: &[Said<'_>]) -> Vec<(u32, u32)> {
        let mut profile = *self.robots.profile();
        // The draft always takes the longest pattern. As Disallow rules, the records make one
        // pattern each in every profile.
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

    fn state(&mut self, source: Source, line: u32, preferences: &[LabelledPreference<'_>]) {
        for LabelledPreference { label, preference } in preferences {
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
        for &used_for in Use::ALL {
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
        let sign = |used_for: &Use| match usage.preference(*used_for) {
            Preference::Allowed => '+',
            Preference::Disallowed => '-',
            Preference::Unknown => '?',
        };
        Use::ALL.iter().map(sign).collect()
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
            "line 1: content-signal outside any group",
            "line 7: content-usage in the group for *",
            "line 9: content-signal in the group for *",
        ] {
            assert!(text.contains(part), "{text}");
        }
        let text = lines(&usage(file, "b", "/b"));
        for part in [
            "line 6: the value is invalid",
            "lines 7, 8, 9 disagree about search",
            "line 8: the value of 'ai-use' is not defined",
            "line 8: label 'bots' is not in the current draft and is ignored (an earlier draft had it)",
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
