//! What is wrong with a robots.txt, and which of its rules have no effect.
//!
//! [`lint`] reports everything that the parser notices
//! ([`Robots::diagnostics`](crate::Robots::diagnostics)) and more: rules that can never match or
//! never win, groups that no crawler obeys, fields that nobody reads. Each [`Finding`] has a
//! [`Code`], and each code has a page in `docs/lint`.
//!
//! | module | finds |
//! |---|---|
//! | `file` | what concerns the file as a whole |
//! | `lines` | what a single line shows: the parser's diagnostics, two records on one line |
//! | `tokens` | user-agent lines: what is no product token, misspelt crawlers |
//! | `fields` | fields that are neither user-agent lines nor rules |
//! | `values` | the values of rules: slashes, dollars, escapes |
//! | `differs` | lines that RFC 9309 and google/robotstxt read differently |
//! | `obeyed` | nothing: it says which groups each crawler obeys |
//! | `groups` | groups without rules, groups that no crawler obeys |
//! | `site` | a site that is blocked, or what its pages need; sitemaps that are |
//! | `rules` | rules without effect, or over the automaton's budget |
//! | `dead` | rules that can be removed without changing a verdict |
//!
//! A finding that proposes a change carries it as a [`Fix`], if it is proven what the change does
//! to verdicts and it neither blocks nor opens a whole site. [`fix`] applies fixes.
//!
//! ```
//! use robotsieve::lint::{Code, Options, lint};
//!
//! let file = b"User-agent: *\nDisallow: /shop/cart/\nDisallow: /shop/\n";
//! let report = lint(file, &Options::default());
//! let finding = &report.findings[0];
//! assert_eq!((finding.code, finding.line), (Code::RedundantRule, 2));
//! assert_eq!(&file[finding.span.clone()], b"/shop/cart/");
//! assert_eq!(finding.related[0].line, 3);
//! ```
//!
//! # Stored findings
//!
//! With the feature `serde`, [`Report`], [`Finding`], [`Related`], [`Code`] and [`Severity`]
//! implement `Serialize` and `Deserialize`. A finding is a map of its fields by their names:
//!
//! ```json
//! {
//!   "code": "RS403",
//!   "severity": "note",
//!   "message": "'Disallow: /shop/cart/' changes no verdict beside 'Disallow: /shop/' on line 3",
//!   "line": 2,
//!   "span": [24, 35],
//!   "related": [{"line": 3, "span": [46, 52], "message": "this rule gives the same verdicts"}],
//!   "help": null,
//!   "fix": {"what": "remove the line", "span": [14, 36], "replacement": "", "effect": "none",
//!           "profiles": ["rfc9309", "google"]},
//!   "profiles": ["rfc9309"]
//! }
//! ```
//!
//! A span is the offset of its first byte and of the one after its last. The command's
//! `lint --format jsonl` uses the same names, so its lines can be read as findings.

//!
//! # Comments that silence findings
//!
//! `# robotsieve: ignore RS403` at the end of a line silences findings of this code about the
//! line; on a line of its own it is about the next line that is no comment. `ignore-file` silences
//! them in the whole file. Codes are numbers or names, separated by commas or spaces.
//! [`Report::silenced`] counts what was left out.

mod code;
mod comments;
mod crawlers;
mod dead;
mod differs;
mod fields;
mod file;
mod fix;
mod groups;
mod lines;
mod obeyed;
mod rules;
mod site;
mod subject;
mod tokens;
mod values;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

pub use code::{Code, Severity};
pub use fix::{Apply, Change, Effect, Fix, Fixed, fix, fix_codes};
use fix::{Offered, Prover, Refusal, Subjects};
use subject::{Draft, Subject, shown};

use crate::profile::Profile;

/// How a file is linted.
///
/// ```
/// use robotsieve::Profile;
/// use robotsieve::lint::{Options, lint};
///
/// let options = Options::new(Profile::NAMED.iter().copied()).content_type("text/plain");
/// let report = lint(b"User-agent: *\nDisalow: /x\n", &options);
/// let profiles = report.findings.iter().map(|finding| &finding.profiles[..]);
/// assert!(profiles.into_iter().any(|profiles| profiles == ["google"]));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The profiles in which the file is read, with the names that findings give them. Without any
    /// profile nothing is found.
    pub profiles: Vec<(Cow<'static, str>, Profile)>,
    /// The value of the Content-Type header with which the file was served, if known.
    pub content_type: Option<String>,
}

impl Options {
    /// Reads files in these profiles.
    #[must_use]
    pub fn new<N: Into<Cow<'static, str>>>(
        profiles: impl IntoIterator<Item = (N, Profile)>,
    ) -> Options {
        let profiles = profiles.into_iter().map(|(name, profile)| (name.into(), profile));
        Options { profiles: profiles.collect(), content_type: None }
    }

    /// Sets the value of the Content-Type header with which the file was served.
    #[must_use]
    pub fn content_type(mut self, value: impl Into<String>) -> Options {
        self.content_type = Some(value.into());
        self
    }
}

impl Default for Options {
    /// [`Profile::RFC9309`] under the name `rfc9309`; content type unknown.
    fn default() -> Options {
        Options::new([("rfc9309", Profile::RFC9309)])
    }
}

/// What was found in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Report {
    /// Sorted by line, then by code.
    pub findings: Vec<Finding>,
    /// The lines of rules for which the budget ran out before it was known whether they have an
    /// effect, ascending. They are not reported as [`Code::NeverWins`], [`Code::RedundantRule`] or
    /// [`Code::DuplicateRule`].
    pub undecided: Vec<u32>,
    /// How many findings are left out, by code: those after the first [`MAX_PER_CODE`], in the
    /// profile that has the most.
    #[cfg_attr(feature = "serde", serde(default))]
    pub left_out: BTreeMap<Code, usize>,
    /// How many findings comments in the file silenced.
    #[cfg_attr(feature = "serde", serde(default))]
    pub silenced: usize,
}

/// The most findings of a code in a profile. So the memory for a report has a bound, even if each
/// line of a file has several findings.
pub const MAX_PER_CODE: usize = 10_000;

/// Something that is wrong with a file, or that has no effect.
///
/// It is displayed on one line, without related places:
///
/// ```
/// use robotsieve::lint::{Options, lint};
///
/// let report = lint(b"User-agent: *\nDisallow: x\n", &Options::default());
/// assert_eq!(
///     report.findings[0].to_string(),
///     "line 2: error[RS405]: 'x' does not begin with '/', so no URL can match it; write '/x'; this \
///      disallows URLs such as '/x' for crawlers without a group of their own (rfc9309, google)"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Finding {
    /// The kind of finding.
    pub code: Code,
    /// How much it matters in these profiles.
    pub severity: Severity,
    /// What is wrong here: a sentence without capital letter and full stop.
    pub message: String,
    /// The line, 1-based; 1 if the finding is about the file as a whole.
    pub line: u32,
    /// The bytes of the file that the finding is about; may be empty.
    #[cfg_attr(feature = "serde", serde(with = "span"))]
    pub span: Range<usize>,
    /// Other places that explain it.
    pub related: Vec<Related>,
    /// What to think of or what to do, in the form of the message, unless there is a fix.
    pub help: Option<String>,
    /// A change that mends it, with its proven effect.
    #[cfg_attr(feature = "serde", serde(default))]
    pub fix: Option<Fix>,
    /// The names of the profiles in which this holds, in the order of [`Options::profiles`].
    pub profiles: Vec<Cow<'static, str>>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}[{}]: {}", self.line, self.severity, self.code, self.message)?;
        if let Some(help) = &self.help {
            write!(f, "; {help}")?;
        }
        match &self.fix {
            Some(fix) => write!(f, "; {fix}"),
            None => Ok(()),
        }
    }
}

/// A place that explains a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Related {
    /// The line, 1-based.
    pub line: u32,
    /// The bytes of the file.
    #[cfg_attr(feature = "serde", serde(with = "span"))]
    pub span: Range<usize>,
    /// What it has to do with the finding; may be empty.
    pub message: String,
}

/// Spans as pairs of numbers.
#[cfg(feature = "serde")]
mod span {
    use std::ops::Range;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(span: &Range<usize>, to: S) -> Result<S::Ok, S::Error> {
        (span.start, span.end).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Range<usize>, D::Error> {
        let (start, end) = Deserialize::deserialize(from)?;
        if start > end {
            return Err(D::Error::custom(format_args!("span ends at {end}, before {start}")));
        }
        Ok(start..end)
    }
}

/// Finds what is wrong with a file, whatever its bytes.
///
/// A finding that is the same in several profiles is reported once, with the names of all of them.
///
/// Time and memory grow linearly with the file, and with the number of profiles. The policies of
/// the file's crawlers and the search for rules without effect have fixed budgets on top of that,
/// the same in every run: [`Report::undecided`] lists the rules that exceeded them. So has the
/// proof of fixes: a finding whose change could not be proven has none.
#[must_use]
pub fn lint(file: &[u8], options: &Options) -> Report {
    lint_within(file, options, FIX_WORK)
}

/// Like [`lint`], with this budget for the proof of fixes.
fn lint_within(file: &[u8], options: &Options, fix_work: u64) -> Report {
    let mut drafts = Vec::new();
    let mut undecided = BTreeSet::new();
    let mut left_out = BTreeMap::new();
    let mut dead_in_all: Option<BTreeSet<u32>> = None;
    for (number, (name, profile)) in fix::profiles(options).into_iter().enumerate() {
        let mut subject = Subject::new(file, name, &profile);
        let dead = rules::dead(&subject);
        let alone: BTreeSet<u32> = dead.removable().collect();
        dead_in_all = Some(match dead_in_all {
            Some(known) => known.intersection(&alone).copied().collect(),
            None => alone,
        });
        if number >= options.profiles.len() {
            continue;
        }
        file::find(&mut subject, options.content_type.as_deref());
        lines::find(&mut subject);
        if !subject.is_other() {
            differs::find(&mut subject);
            groups::find(&mut subject);
            site::find(&mut subject);
            rules::find(&mut subject, &dead);
            undecided.extend(dead.undecided);
        }
        for (code, count) in &subject.counts {
            if let Some(more) = count.checked_sub(MAX_PER_CODE).filter(|more| *more > 0) {
                let known = left_out.entry(*code).or_default();
                *known = more.max(*known);
            }
        }
        drop_what_is_said(&mut subject.found);
        drafts.append(&mut subject.found);
    }
    merge(&mut drafts);
    let silenced = comments::find(file, &mut drafts, options);
    // What is without effect beside such a rule is needed once that is gone.
    let blocking: BTreeSet<u32> = drafts
        .iter()
        .filter(|draft| draft.finding.code == Code::BlocksEverything)
        .map(|draft| draft.finding.line)
        .collect();
    for Draft { finding, proposal } in &mut drafts {
        let is_beside = finding.related.iter().any(|related| blocking.contains(&related.line));
        if finding.code.is_dead_rule() && is_beside {
            *proposal = None;
        }
    }
    let mut prover = Proofs::new(file, options, dead_in_all.unwrap_or_default(), fix_work);
    let findings = drafts.into_iter().map(|draft| prover.finding(draft)).collect();
    Report { findings, undecided: undecided.into_iter().collect(), left_out, silenced }
}

/// Where one finding says what is wrong with a line, others about its consequences add nothing.
fn drop_what_is_said(drafts: &mut Vec<Draft>) {
    let mut heads: BTreeMap<u32, Code> = BTreeMap::new();
    for Draft { finding, .. } in &*drafts {
        if let Some(rank) = finding.code.rank_on_line() {
            let head = heads.entry(finding.line).or_insert(finding.code);
            if head.rank_on_line() > Some(rank) {
                *head = finding.code;
            }
        }
    }
    drafts.retain(|Draft { finding, .. }| match heads.get(&finding.line) {
        Some(head) => finding.code == *head || !head.implies(finding.code),
        None => true,
    });
}

/// Sorts the findings by line, and puts those together that are the same in several profiles.
fn merge(drafts: &mut Vec<Draft>) {
    // Stable, so the profiles keep their order.
    drafts.sort_by(|Draft { finding: a, .. }, Draft { finding: b, .. }| {
        let place = |f: &Finding| (f.line, f.code, f.span.start, f.span.end);
        place(a).cmp(&place(b)).then_with(|| a.message.cmp(&b.message))
    });
    drafts.dedup_by(|later, first| {
        let kind = |f: &Finding| (f.code, f.severity, f.span.start, f.span.end);
        let same = kind(&later.finding) == kind(&first.finding)
            && later.finding.message == first.finding.message
            && later.finding.help == first.finding.help
            && later.proposal == first.proposal;
        if same {
            first.finding.profiles.append(&mut later.finding.profiles);
            first.finding.profiles.dedup();
        }
        same
    });
}

/// Proves what findings propose.
struct Proofs<'a> {
    file: &'a [u8],
    is_text: bool,
    subjects: Subjects<'a>,
    budget: u64,
    /// The lines of rules that can be removed alone, in every profile.
    dead: BTreeSet<u32>,
}

/// The budget for the fixes of a file, in bytes looked at: some 30 ms.
const FIX_WORK: u64 = 30_000_000;

impl<'a> Proofs<'a> {
    fn new(file: &'a [u8], options: &Options, dead: BTreeSet<u32>, budget: u64) -> Proofs<'a> {
        // UTF-16 without a mark, or no text at all: what a change does to it is not known.
        let is_control = |byte: &&u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
        let is_text = file.iter().filter(is_control).count() <= file.len() / 16;
        Proofs { file, is_text, subjects: Subjects::new(file, options), budget, dead }
    }

    /// The finding, with a fix if what it proposes is proven and does no harm.
    fn finding(&mut self, draft: Draft) -> Finding {
        let Draft { mut finding, proposal } = draft;
        let Some(proposal) = proposal.filter(|_| self.is_text) else { return finding };
        let effect = if finding.code.is_dead_rule() {
            // The search has proven it.
            if self.dead.contains(&finding.line) {
                Ok(Effect::None)
            } else {
                Err(Refusal::Unproven)
            }
        } else {
            let is_misspelt = finding.code == Code::MisspeltCrawler;
            let nobody = is_misspelt.then(|| self.file[finding.span.clone()].to_vec());
            self.prove(&proposal, nobody)
        };
        match effect {
            Ok(effect)
                if proposal.offered == Offered::IfItSpares
                    || proposal.offered == Offered::IfUnchanging && effect == Effect::None =>
            {
                let fix::Proposal { what, span, replacement, .. } = proposal;
                let profiles = self.subjects.names();
                finding.fix = Some(Fix { what, span, replacement, effect, profiles });
            }
            Err(Refusal::Harm(harm)) if proposal.offered != Offered::IfUnchanging => {
                // Two things may be meant: what is proposed, or nothing at all.
                let mut help = format!("to {} would {}", proposal.what, harm.infinitive());
                let without = match finding.code {
                    // Nobody has the misspelt name.
                    Code::MisspeltCrawler => Err(Refusal::Unproven),
                    _ => self.without_line(proposal.span.start),
                };
                match without {
                    Ok(Effect::None) => help += ": if that is not meant, remove the line",
                    Err(Refusal::Harm(other)) => {
                        help += &format!(", and to remove the line would {}", other.infinitive());
                    }
                    _ => help += ": do so only if that is meant",
                }
                finding.help = Some(match finding.help.take() {
                    Some(general) => format!("{general}; {help}"),
                    None => help,
                });
            }
            _ => {}
        }
        finding
    }

    /// What removing the line around a place does.
    fn without_line(&mut self, at: usize) -> Result<Effect, Refusal> {
        let line = fix::Proposal::new(String::new(), subject::line_span(self.file, at), Vec::new());
        self.prove(&line, None)
    }

    fn prove(
        &mut self,
        proposal: &fix::Proposal,
        nobody: Option<Vec<u8>>,
    ) -> Result<Effect, Refusal> {
        let mut prover = Prover::new(&self.subjects, self.budget).without(nobody);
        let effect = prover.prove_edit(&proposal.span, &proposal.replacement);
        self.budget = prover.left();
        effect
    }
}
