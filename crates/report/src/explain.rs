//! Why a URL is allowed or not: the document, its labels and its sentences.
//!
//! [`ExplainReport`] is what `explain --format json` prints, what Python and the npm package return, and what the
//! command's text is drawn from. So whatever a face shows is a field here or a sentence made here: no face looks at
//! rules itself.
//!
//! The order of the document is the order of the question: who asks (`names`), which groups apply (`selection`), what is
//! compared (`target`), what matches and which rule wins (`matches`, `winner`, `runner_up`), what would be without it,
//! and what more there is to say (`notes`). Spans are bytes of the file or of the URL; labels are texts beside spans.
//!
//! What stays within bounds on hostile files: at most 256 rules, eight labels of a kind, four stars of a rule.

use std::borrow::Cow;
use std::collections::BTreeMap;

use robotsieve::explain::{self, Explanation, GroupChoice, NamedCrawlers, PieceKind, Standing};
use robotsieve::internals::list;
use robotsieve::{
    Certainty, Crawler, GroupMatch, HeaderName, Reason, RulePrecedence, UserAgent, Verdict,
};
use robotsieve_shown::short;
use serde::Serialize;

use super::{SCHEMA, Sentence, Site, TOOL_VERSION, counted, span, text};
use robotsieve::explain::{FileCut, TargetChange};

/// The most lines of a kind, and the most names of a header, that get a label.
const LABELS: usize = 8;

/// The most stars of a rule that are labelled with what they match.
const STARS: usize = 4;

/// Why a crawler may or may not fetch a URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ExplainReport {
    /// The version of the form of this document.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    pub schema: &'static str,
    /// The kind of this document.
    #[cfg_attr(feature = "schema", schemars(extend("const" = "explain")))]
    pub report: &'static str,
    /// The version of robotsieve.
    pub tool_version: &'static str,
    /// The robots.txt, or the store, as it was named. `null` if it has no name.
    pub robots: Option<String>,
    /// All bytes of `robots`, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robots_base64: Option<String>,
    /// The crawler as given: its names, parted by commas, or a whole User-Agent header.
    pub agent: String,
    /// All bytes of `agent`, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_base64: Option<String>,
    /// True if `agent` is a whole User-Agent header.
    pub user_agent: bool,
    /// The crawler's names, from most to least specific.
    pub names: Vec<CrawlerName>,
    /// Sentences about the names in a User-Agent header, the first one for all of them.
    pub names_notes: Vec<String>,
    /// The URL as given.
    pub url: String,
    /// All bytes of `url`, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_base64: Option<String>,
    /// The name of the profile. `null` if it has none.
    pub profile: Option<&'static str>,
    /// The answer.
    pub verdict: ExplainVerdict,
    /// The reason for it.
    pub reason: ExplainReason,
    /// The line that decides: of a rule, or of the first rule without a value.
    pub line: Option<u32>,
    /// A store's knowledge of the URL's site. `null` without a store, or if it does not know the site.
    pub site: Option<Site>,
    /// A URL's answer in the place of a robots.txt, such as `HTTP 503`.
    pub answer: Option<String>,
    /// The group that applies, and those that competed for the crawler. `null` if no rules were asked.
    pub selection: Option<Selection>,
    /// The part of the URL that is compared with the rules. `null` if no rules were asked.
    pub target: Option<ComparedTarget>,
    /// The number of patterns that match, including any that are not listed. A rule has one, or two in the
    /// profile `google` if it allows an `index.htm`.
    pub match_count: usize,
    /// The rules that match, from highest to lowest precedence; at most 256.
    pub matches: Vec<MatchedRule>,
    /// The line of the rule that decides. The first one of `matches` has it.
    pub winner_line: Option<u32>,
    /// The line of the rule that would decide without the winner's line.
    pub runner_up_line: Option<u32>,
    /// The verdict of the group's other rules alone: of those on other lines than the winner, or of
    /// all if the exception for robots.txt itself decided. `null` if neither decided.
    pub verdict_otherwise: Option<Verdict>,
    /// Where the profile's size limit cut the file. `null` if all of it was read.
    pub cut: Option<FileCut>,
    /// The reason in words, and what more there is to say.
    pub sentences: Vec<Sentence>,
}

/// The answer to the question whether a crawler may fetch a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ExplainVerdict {
    /// It may.
    Allow,
    /// It may not.
    Disallow,
    /// It is not known what applies to the site.
    Unknown,
    /// The URL is none.
    Invalid,
}

impl ExplainVerdict {
    /// `allow`, `disallow`, `unknown` or `invalid`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            ExplainVerdict::Allow => "allow",
            ExplainVerdict::Disallow => "disallow",
            ExplainVerdict::Unknown => "unknown",
            ExplainVerdict::Invalid => "invalid",
        }
    }
}

impl From<Verdict> for ExplainVerdict {
    fn from(verdict: Verdict) -> ExplainVerdict {
        if verdict.is_allow() { ExplainVerdict::Allow } else { ExplainVerdict::Disallow }
    }
}

/// The reason for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ExplainReason {
    /// A rule matches, and none of higher precedence does.
    Rule,
    /// Allowed: no group of the file is for this crawler.
    NoGroup,
    /// Allowed: no rule of the crawler's groups matches, or they have none.
    NoMatch,
    /// Allowed: the crawler's groups have only rules without a value, which restrict nothing.
    EmptyRule,
    /// Allowed: robots.txt itself may always be fetched.
    RobotsTxt,
    /// Disallowed: the site asks for a longer delay than the crawler is ready to wait.
    LeftAlone,
    /// No rules apply, as `site` or `answer` says: everything is allowed, or nothing.
    Site,
    /// The store does not say what applies.
    UnknownSite,
    /// The URL is invalid.
    InvalidUrl,
}

/// A name of a crawler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CrawlerName {
    /// The name.
    pub name: String,
    /// All bytes of `name`, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name_base64: Option<String>,
    /// Where it is in a User-Agent header.
    pub agent_span: Option<[usize; 2]>,
    /// The certainty that it is the crawler's name, if it is from a User-Agent header.
    pub certainty: Option<Certainty>,
    /// Its rank in a User-Agent header, and what became of it; for the first eight.
    pub label: Option<String>,
}

/// The group that applies to a crawler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Selection {
    /// The kind of group that applies.
    pub choice: GroupChoice,
    /// The indices in `names` of those that the groups are for: one, or several where the groups of
    /// several names are merged. Empty if no group names the crawler.
    pub decided_by: Vec<usize>,
    /// The number of rules in the crawler's groups, those without a value not counted.
    pub rule_count: usize,
    /// All user-agent lines of the file, in order.
    pub lines: Vec<AgentLine>,
    /// The choice in words.
    pub sentences: Vec<Sentence>,
    /// About lines that join a group which seems to end, and about those without a label.
    pub notes: Vec<String>,
}

/// A user-agent line, and what became of it when the crawler's groups were chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct AgentLine {
    /// The line number, from 1.
    pub line: u32,
    /// The value as written.
    pub value: String,
    /// All bytes of `value`, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_base64: Option<String>,
    /// Where the value is, in bytes of the file.
    pub value_span: [usize; 2],
    /// The number of the line's group in the file, from 1.
    pub group: u32,
    /// The crawlers that it names.
    pub names: NamedBy,
    /// The product token, if `names` is `token`.
    pub token: Option<String>,
    /// All bytes of `token`, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_base64: Option<String>,
    /// The index in `names` of the report of the first name that finds the token.
    pub found_by: Option<usize>,
    /// Its fate in the selection.
    pub standing: Standing,
    /// The same in words, for the first eight lines of each standing that could have applied.
    pub label: Option<String>,
}

/// The crawlers that a user-agent line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NamedBy {
    /// Every crawler that no other group names.
    Everybody,
    /// The crawlers whose names find its product token.
    Token,
    /// None: the value has no product token.
    Nobody,
}

/// The part of a URL that is compared with the rules, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ComparedTarget {
    /// Path and query, normalised, from the first `/`.
    pub value: String,
    /// All bytes of `value`, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_base64: Option<String>,
    /// Where it is, in bytes of the URL.
    pub url_span: [usize; 2],
    /// True if its first `/` is missing from the URL: `https://e.com?x` is compared as `/?x`.
    pub slash_implied: bool,
    /// The changes that normalising made: one entry for each byte or `%XX`.
    pub changes: Vec<TargetChange>,
    /// The comparison, in words.
    pub label: String,
}

/// A rule that matches the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct MatchedRule {
    /// The verdict that it gives: `allow` or `disallow`.
    pub verdict: Verdict,
    /// Its line number, from 1.
    pub line: u32,
    /// Where the line is, in bytes of the file, without its line end.
    pub line_span: [usize; 2],
    /// Its value as written.
    pub value: String,
    /// All bytes of `value`, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_base64: Option<String>,
    /// Where the value is, in bytes of the file.
    pub value_span: [usize; 2],
    /// The text that is compared with the target: the value, normalised, without stars that change nothing
    /// and without a final `$`.
    pub pattern: String,
    /// All bytes of `pattern`, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern_base64: Option<String>,
    /// True if the target must end where the pattern does.
    pub anchored: bool,
    /// The highest one decides, and among equals Allow. In most profiles it is the length of the
    /// normalised value in bytes.
    pub precedence: u32,
    /// The precedence in words.
    pub precedence_note: String,
    /// The parts of the value, each with the part of the target that it matches, in order and without
    /// gaps. A star matches as few bytes as possible; one at the end matches the rest.
    pub pieces: Vec<Piece>,
    /// All that the rule matches, in bytes of the URL.
    pub url_span: [usize; 2],
    /// Its fate, for the first eight lines.
    pub label: Option<String>,
}

/// A part of a rule, and what it matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Piece {
    /// The kind of part.
    pub kind: PieceKind,
    /// Where it is, in bytes of the file. Empty for a `/` that the profile assumes and the file
    /// does not have.
    pub file_span: [usize; 2],
    /// The part that it matches, in bytes of the target.
    pub target_span: [usize; 2],
    /// The part that it matches, in bytes of the URL.
    pub url_span: [usize; 2],
    /// The text that a star of the deciding rule matches, if that has at most four.
    pub label: Option<String>,
}

/// A crawler and a URL, as they were given.
///
/// ```
/// use robotsieve::{Crawler, Profile, Robots};
/// use robotsieve_report::Asked;
///
/// let file = b"User-agent: *\nDisallow: /search\nAllow: /search/about";
/// let robots = Robots::parse(file, &Profile::RFC9309);
/// let (crawler, url) = (Crawler::name("MyCrawler"), "/search/x");
/// let why = robots.explain(&crawler, url)?;
/// let report = Asked::new(&crawler, url.as_bytes()).explained(&why);
/// let said = &report.sentences[0].text;
/// assert_eq!(said, "line 2 decides, out of 2 rules in the group for everybody");
/// # Ok::<(), robotsieve::InvalidUrl>(())
/// ```
#[derive(Clone, Debug)]
pub struct Asked<'q> {
    /// The name of the robots.txt, if it has one.
    pub robots: Option<&'q [u8]>,
    /// The crawler as given.
    pub agent: Cow<'q, [u8]>,
    /// True if `agent` is a whole User-Agent header.
    pub user_agent: bool,
    /// The crawler.
    pub crawler: &'q Crawler,
    /// The URL.
    pub url: &'q [u8],
}

impl<'q> Asked<'q> {
    /// A crawler given by its names.
    #[must_use]
    pub fn new(crawler: &'q Crawler, url: &'q [u8]) -> Asked<'q> {
        let agent = crawler.iter().collect::<Vec<_>>().join(&b',');
        Asked { robots: None, agent: agent.into(), user_agent: false, crawler, url }
    }

    /// The answer of no rules, in a sentence.
    #[must_use]
    pub fn answered(
        &self,
        profile: Option<&'static str>,
        verdict: ExplainVerdict,
        reason: ExplainReason,
        sentence: impl Into<String>,
    ) -> ExplainReport {
        let (robots, robots_base64) = self.robots.map(text).unzip();
        let (agent, agent_base64) = text(&self.agent);
        let (url, url_base64) = text(self.url);
        ExplainReport {
            schema: SCHEMA,
            report: "explain",
            tool_version: TOOL_VERSION,
            robots,
            robots_base64: robots_base64.flatten(),
            agent,
            agent_base64,
            user_agent: self.user_agent,
            names: self.names(None),
            names_notes: Vec::new(),
            url,
            url_base64,
            profile,
            verdict,
            reason,
            line: None,
            site: None,
            answer: None,
            selection: None,
            target: None,
            match_count: 0,
            matches: Vec::new(),
            winner_line: None,
            runner_up_line: None,
            verdict_otherwise: None,
            cut: None,
            sentences: vec![Sentence::new(sentence, None)],
        }
    }

    /// The answer to a URL that is none in a profile.
    #[must_use]
    pub fn invalid(&self, profile: Option<&'static str>) -> ExplainReport {
        let sentence = "a URL is scheme://host/path, or a path that starts with '/'";
        self.answered(profile, ExplainVerdict::Invalid, ExplainReason::InvalidUrl, sentence)
    }

    /// The answer of the rules of a file.
    #[must_use]
    pub fn explained(&self, why: &Explanation<'_>) -> ExplainReport {
        let (reason, line) = match why.decision().reason {
            Reason::Rule(rule) => (ExplainReason::Rule, Some(rule.line)),
            Reason::EmptyRule { line } => (ExplainReason::EmptyRule, Some(line)),
            Reason::RobotsTxt => (ExplainReason::RobotsTxt, None),
            Reason::LeftAlone => (ExplainReason::LeftAlone, None),
            Reason::NoGroup => (ExplainReason::NoGroup, None),
            _ => (ExplainReason::NoMatch, None),
        };
        let mut report = self.answered(why.profile.name(), why.verdict.into(), reason, "");
        let target = &why.target;
        let (value, value_base64) = text(&target.bytes);
        report.line = line;
        if self.user_agent {
            report.names = self.names(Some(why));
            report.names_notes = self.names_notes(why);
        }
        report.selection = Some(Selection::of(why));
        report.target = Some(ComparedTarget {
            value,
            value_base64,
            url_span: span(&target.url_span),
            slash_implied: target.slash_implied,
            changes: target.changes.clone(),
            label: format!("compared as '{}'", short(&target.bytes)),
        });
        report.match_count = why.match_count;
        report.matches = matches(why);
        report.winner_line = why.winner().map(|rule| rule.line);
        report.runner_up_line = why.runner_up().map(|rule| rule.line);
        report.verdict_otherwise = why.verdict_otherwise;
        report.cut = why.cut.clone();
        report.sentences = report.said();
        report
    }

    fn names(&self, why: Option<&Explanation<'_>>) -> Vec<CrawlerName> {
        if !self.user_agent {
            let names = self.crawler.iter().map(|name| {
                let (name, name_base64) = text(name);
                CrawlerName { name, name_base64, agent_span: None, certainty: None, label: None }
            });
            return names.collect();
        }
        let read = UserAgent::read(&*self.agent);
        let deciding = why.map(decided_by).unwrap_or_default();
        let names = read.names().iter().enumerate().map(|(number, read)| {
            let (name, name_base64) = text(read.name);
            let label = why.filter(|_| number < LABELS);
            CrawlerName {
                name,
                name_base64,
                agent_span: Some(span(&read.span)),
                certainty: Some(read.certainty),
                label: label.map(|why| name_label(number, read, &deciding, why)),
            }
        });
        names.collect()
    }

    fn names_notes(&self, why: &Explanation<'_>) -> Vec<String> {
        let title = match (why.crawler.iter().next(), &decided_by(why)[..]) {
            (None, _) => "no word of the User-Agent header is a crawler's name",
            (_, []) => "no group is for a name in the User-Agent header",
            _ => "the names in the User-Agent header, the surest first",
        };
        let limit = UserAgent::LIMIT_BYTES;
        let cut = self.agent.len() > limit;
        let cut = cut.then(|| format!("only the first {limit} bytes are read"));
        [title.to_owned()].into_iter().chain(cut).collect()
    }
}

/// The indices of the names by which the crawler's groups were found.
fn decided_by(why: &Explanation<'_>) -> Vec<usize> {
    let lines = why.selection.lines.iter().filter(|line| line.standing == Standing::Chosen);
    let mut names: Vec<usize> = lines.filter_map(|line| line.found_by).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn name_label(
    number: usize,
    name: &HeaderName<'_>,
    deciding: &[usize],
    why: &Explanation<'_>,
) -> String {
    let place = match name.certainty {
        Certainty::Compatible => "after 'compatible'",
        Certainty::Product => "a product",
        Certainty::Word => "a word",
    };
    let loses = || {
        let mut lines = why.selection.lines.iter();
        lines.any(|line| line.standing == Standing::LaterName && line.found_by == Some(number))
    };
    let became = if deciding.contains(&number) {
        ", decides"
    } else if deciding.first().is_none_or(|first| number < *first) {
        ", without a group"
    } else if loses() {
        ", not asked although it has a group"
    } else {
        ""
    };
    format!("{}: {place}{became}", number + 1)
}

impl Selection {
    fn of(why: &Explanation<'_>) -> Selection {
        let mut counts: BTreeMap<Standing, usize> = BTreeMap::new();
        let (mut others, mut nobody) = (Unlabelled::default(), Unlabelled::default());
        let mut unlabelled = 0;
        let lines = why.selection.lines.iter().map(|line| {
            let mut label = label(line, why);
            if label.is_some() {
                let count = counts.entry(line.standing).or_default();
                *count += 1;
                if *count > LABELS {
                    label = None;
                    unlabelled += 1;
                }
            } else if line.standing == Standing::Unrelated {
                let is_nobody = line.names == NamedCrawlers::Nobody;
                if is_nobody { &mut nobody } else { &mut others }.add(line);
            }
            AgentLine::of(line, label)
        });
        let lines = lines.collect();
        let compared = explain::Selection::NAMES_COMPARED;
        let whose = match why.crawler.iter().nth(compared) {
            None => "for other crawlers".to_owned(),
            Some(_) => format!("that none of the first {compared} names finds"),
        };
        let unlabelled = (unlabelled > 0)
            .then(|| format!("{} that could apply are not shown", agent_lines(unlabelled)));
        let unlabelled =
            [unlabelled, others.note(&whose), nobody.note("for nobody (no product token)")];
        let notes =
            joined(&why.selection.joints).into_iter().chain(unlabelled.into_iter().flatten());
        Selection {
            choice: why.selection.choice,
            decided_by: decided_by(why),
            rule_count: why.rule_count(),
            sentences: choice(&why.selection),
            lines,
            notes: notes.collect(),
        }
    }

    /// The number of groups that apply.
    fn groups(&self) -> usize {
        let is_chosen =
            |line: &&AgentLine| matches!(line.standing, Standing::Chosen | Standing::InChosenGroup);
        let mut groups: Vec<u32> = self.lines.iter().filter(is_chosen).map(|l| l.group).collect();
        groups.dedup();
        groups.len()
    }
}

/// Which group applies, in words.
fn choice(selection: &explain::Selection<'_>) -> Vec<Sentence> {
    let of = |standing| selection.lines.iter().filter(move |line| line.standing == standing);
    let chosen: Vec<&explain::AgentLine<'_>> = of(Standing::Chosen).collect();
    let Some(first) = chosen.first() else { return Vec::new() };
    let is_one = chosen.iter().all(|line| line.group == first.group);
    let (group, applies) = if is_one { ("group", "applies") } else { ("groups", "apply") };
    let lines = numbered(&chosen.iter().map(|line| line.line).collect::<Vec<_>>());
    let (whom, because) = match selection.choice {
        GroupChoice::Everybody => ("everybody", ", because none names the crawler"),
        _ => ("the crawler", ""),
    };
    let text = format!("the {group} for {whom} {applies}{because}: {lines}");
    let mut sentences = vec![Sentence::new(text, Some(first.line))];
    let mut everybody = of(Standing::EverybodyElse).map(|line| line.line).peekable();
    if let Some(line) = everybody.peek().copied() {
        let lines = numbered(&everybody.collect::<Vec<_>>());
        let text = format!("what is for everybody else does not apply: {lines}");
        sentences.push(Sentence::new(text, Some(line)));
    }
    sentences
}

/// Where a group goes on that seems to end, in words.
pub(super) fn joined(joints: &[explain::Joint<'_>]) -> Vec<String> {
    let said = joints.iter().take(LABELS).map(|joint| {
        let explain::Joint { line, after, field, .. } = joint;
        format!("line {line} joins this group: '{}' on line {after} does not end it", short(field))
    });
    let more = joints.len().saturating_sub(LABELS);
    let more = (more > 0).then(|| format!("{more} more join it in the same way"));
    said.chain(more).collect()
}

/// `line 3`, `lines 3 and 5`, `lines 3, 5, 9 and 4 more`.
fn numbered(lines: &[u32]) -> String {
    const NUMBERED: usize = 3;
    let mut named: Vec<String> = lines.iter().take(NUMBERED).map(u32::to_string).collect();
    if lines.len() > NUMBERED {
        named.push(format!("{} more", lines.len() - NUMBERED));
    }
    format!("line{} {}", if lines.len() == 1 { "" } else { "s" }, list(&named, "and"))
}

/// The label of a line that could have applied.
fn label(line: &explain::AgentLine<'_>, why: &Explanation<'_>) -> Option<String> {
    let name = || line.found_by.and_then(|number| why.crawler.iter().nth(number));
    Some(match line.standing {
        Standing::Unrelated | Standing::InChosenGroup => return None,
        Standing::Chosen => chosen(line, name(), why),
        Standing::EverybodyElse => "not this group: another group names the crawler".to_owned(),
        Standing::LaterName => {
            format!("not this group: a name before '{}' has a group", short(name().unwrap_or(b"")))
        }
        Standing::ShorterToken => "not this group: a longer token matches".to_owned(),
        Standing::FurtherDown => "not this group: the first one is used".to_owned(),
    })
}

/// Why the group of this line was chosen.
fn chosen(line: &explain::AgentLine<'_>, name: Option<&[u8]>, why: &Explanation<'_>) -> String {
    let NamedCrawlers::Token(token) = line.names else {
        return "this group: no other group names the crawler".to_owned();
    };
    let is_name = name.is_some_and(|name| name.eq_ignore_ascii_case(token));
    let (name, token) = (short(name.unwrap_or_default()), short(token));
    match why.profile.group_match {
        _ if is_name => format!("this group: its token is the name '{name}'"),
        GroupMatch::LongestPrefix => {
            format!("this group: '{token}' is the longest token that starts '{name}'")
        }
        GroupMatch::FirstSubstring => {
            format!("this group: '{token}' is the first token found in '{name}'")
        }
        GroupMatch::Equal => format!("this group: its token '{token}' fits '{name}'"),
    }
}

/// User-agent lines without a label, of which the first are named.
#[derive(Default)]
struct Unlabelled {
    named: Vec<String>,
    count: usize,
}

impl Unlabelled {
    fn add(&mut self, line: &explain::AgentLine<'_>) {
        self.count += 1;
        if self.named.len() < LABELS {
            let value = if line.value.is_empty() { "''".to_owned() } else { short(line.value) };
            self.named.push(format!("{value} ({})", line.line));
        }
    }

    fn note(&self, what: &str) -> Option<String> {
        let more = if self.count > self.named.len() { ", …" } else { "" };
        let note =
            || format!("{} {what}: {}{more}", agent_lines(self.count), self.named.join(", "));
        (self.count > 0).then(note)
    }
}

fn agent_lines(count: usize) -> String {
    counted(count, "user-agent line")
}

impl AgentLine {
    fn of(line: &explain::AgentLine<'_>, label: Option<String>) -> AgentLine {
        let (value, value_base64) = text(line.value);
        let (names, token) = match line.names {
            NamedCrawlers::Everybody => (NamedBy::Everybody, None),
            NamedCrawlers::Token(token) => (NamedBy::Token, Some(text(token))),
            NamedCrawlers::Nobody => (NamedBy::Nobody, None),
        };
        let (token, token_base64) = token.unzip();
        AgentLine {
            line: line.line,
            value,
            value_base64,
            value_span: span(&line.value_span),
            group: line.group,
            names,
            token,
            token_base64: token_base64.flatten(),
            found_by: line.found_by,
            standing: line.standing,
            label,
        }
    }
}

/// The rules that match. Those of the first lines have a label, and the winner's stars.
fn matches(why: &Explanation<'_>) -> Vec<MatchedRule> {
    let winner = why.winner().map(|rule| rule.line);
    let runner_up = why.runner_up().map(|rule| rule.line);
    let mut labelled: Vec<u32> = Vec::new();
    let matches = why.matches.iter().enumerate().map(|(at, rule)| {
        // A second pattern of a line is not labelled again.
        let is_new = labelled.len() < LABELS && !labelled.contains(&rule.line);
        let label = is_new.then(|| {
            labelled.push(rule.line);
            let line = Some(rule.line);
            if line == winner {
                "decides"
            } else if line == runner_up {
                "runner-up"
            } else {
                "also matches"
            }
        });
        let mut matched = MatchedRule::of(rule, why);
        matched.label = label.map(str::to_owned);
        let stars = rule.pieces.iter().filter(|piece| piece.kind == PieceKind::Star).count();
        if at == 0 && winner.is_some() && stars <= STARS {
            let pieces = matched.pieces.iter_mut().zip(&rule.pieces);
            for (piece, of) in pieces.filter(|(_, of)| of.kind == PieceKind::Star) {
                piece.label = Some(match &why.target.bytes[of.target_span.clone()] {
                    [] => "matches nothing".to_owned(),
                    taken => format!("matches '{}'", short(taken)),
                });
            }
        }
        matched
    });
    matches.collect()
}

impl MatchedRule {
    fn of(rule: &explain::MatchedRule<'_>, why: &Explanation<'_>) -> MatchedRule {
        let (value, value_base64) = text(rule.value);
        let (pattern, pattern_base64) = text(&rule.pattern);
        let end = rule.pieces.last().map_or(0, |piece| piece.target_span.end);
        let pieces = rule.pieces.iter().map(|piece| Piece {
            kind: piece.kind,
            file_span: span(&piece.file_span),
            target_span: span(&piece.target_span),
            url_span: span(&why.target.in_url(piece.target_span.clone())),
            label: None,
        });
        MatchedRule {
            verdict: rule.verdict,
            line: rule.line,
            line_span: span(&rule.line_span),
            value,
            value_base64,
            value_span: span(&rule.value_span),
            pattern,
            pattern_base64,
            anchored: rule.anchored,
            precedence: rule.precedence,
            precedence_note: match why.profile.rule_precedence {
                RulePrecedence::AnyDisallow => "any Disallow that matches decides".to_owned(),
                RulePrecedence::Longest => counted(rule.precedence as usize, "byte"),
            },
            pieces: pieces.collect(),
            url_span: span(&why.target.in_url(0..end)),
            label: None,
        }
    }
}

impl ExplainReport {
    /// The reason without the number of rules, in which profiles differ that otherwise read a file
    /// alike.
    #[must_use]
    pub fn reason_in_short(&self) -> String {
        self.why(false)
    }

    fn why(&self, with_count: bool) -> String {
        let (count, groups, whom) = self.selection.as_ref().map_or((0, 0, ""), |selection| {
            let whom = match selection.choice {
                GroupChoice::Everybody => "everybody",
                _ => "the crawler",
            };
            (selection.rule_count, selection.groups(), whom)
        });
        let (group, has) = if groups > 1 { ("groups", "have") } else { ("group", "has") };
        let allowed = "what no rule disallows is allowed";
        match (self.reason, self.line) {
            (ExplainReason::Rule, Some(line)) if with_count => {
                let rules = counted(count, "rule");
                format!("line {line} decides, out of {rules} in the {group} for {whom}")
            }
            (ExplainReason::Rule, Some(line)) => format!("line {line} decides"),
            (ExplainReason::EmptyRule, Some(line)) => format!(
                "the rule on line {line} is empty and restricts nothing: everything is allowed"
            ),
            (ExplainReason::NoGroup, _) => {
                "no group applies to this crawler: everything is allowed".to_owned()
            }
            (ExplainReason::NoMatch, _) if count == 0 => {
                format!("the {group} {has} no rules: everything is allowed")
            }
            (ExplainReason::NoMatch, _) if !with_count => {
                format!("no rule of the {group} matches: {allowed}")
            }
            (ExplainReason::NoMatch, _) if count == 1 => {
                format!("the only rule of the {group} does not match: {allowed}")
            }
            (ExplainReason::NoMatch, _) => {
                format!("none of the {count} rules of the {group} matches: {allowed}")
            }
            (ExplainReason::RobotsTxt, _) => {
                "robots.txt itself may always be fetched (RFC 9309 §2.2.2)".to_owned()
            }
            (ExplainReason::LeftAlone, _) => {
                "the site asks for a longer delay than the crawler is set to wait, so the crawler \
                 leaves the site alone"
                    .to_owned()
            }
            // Others were given in a sentence.
            _ => self.sentences.first().map(|first| first.text.clone()).unwrap_or_default(),
        }
    }

    fn said(&self) -> Vec<Sentence> {
        let reason = Sentence::new(self.why(true), self.line);
        let more = self.more().map(|more| Sentence::new(more, None));
        let more = more.into_iter().chain(self.otherwise()).chain(self.without_cut());
        [reason].into_iter().chain(more).collect()
    }

    /// How many rules match that have no label.
    fn more(&self) -> Option<String> {
        let labelled =
            |line: u32| self.matches.iter().any(|rule| rule.line == line && rule.label.is_some());
        let mut others: Vec<u32> = self.matches.iter().map(|rule| rule.line).collect();
        others.sort_unstable();
        others.dedup();
        others.retain(|line| !labelled(*line));
        let least = if self.match_count > self.matches.len() { "at least " } else { "" };
        let verb = if others.len() == 1 { "matches" } else { "match" };
        let rules = || format!("{least}{} of the group {verb}", counted(others.len(), "more rule"));
        (!others.is_empty()).then(rules)
    }

    /// What the other rules say. Not what the file would say without the winner's line: without
    /// it, the groups before and after it may be one.
    fn otherwise(&self) -> Option<Sentence> {
        let verdict = self.verdict_otherwise?;
        if self.winner_line.is_none() {
            let text = format!("by the rules alone the verdict would be {verdict}");
            return Some(Sentence::new(text, None));
        }
        let still = if self.verdict == verdict.into() { "still " } else { "" };
        let by = match self.runner_up_line {
            Some(line) => format!("line {line}"),
            None => "none matches".to_owned(),
        };
        let text = format!("by the other rules the verdict would {still}be {verdict}: {by}");
        Some(Sentence::new(text, self.runner_up_line))
    }

    /// What the size limit kept from being read.
    fn without_cut(&self) -> Option<Sentence> {
        let FileCut { line, limit_bytes, matters, verdict, winner_line, .. } = self.cut.as_ref()?;
        let whole = match winner_line {
            _ if !matters => "they would not change this answer".to_owned(),
            Some(line) => format!("in the whole file line {line} would decide: {verdict}"),
            None => format!("in the whole file no rule would decide: {verdict}"),
        };
        let text = format!(
            "line {line} and all after it are ignored, since only whole lines within {limit_bytes} \
             bytes are read; {whole}"
        );
        Some(Sentence::new(text, Some(*line)))
    }
}
