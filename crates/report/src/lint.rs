//! Findings as a document.

use std::fmt;

use robotsieve_lint as lint;
use robotsieve_lint::{Code, Effect, MAX_PER_CODE, Options, Severity};
use serde::Serialize;

use super::{Lines, SCHEMA, Sentence, TOOL_VERSION, counted, span, text, texts};

/// The findings in a file: the report `lint`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LintReport {
    /// The version of the form of this document.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    pub schema: &'static str,
    /// The kind of this document.
    #[cfg_attr(feature = "schema", schemars(extend("const" = "lint")))]
    pub report: &'static str,
    /// The version of robotsieve.
    pub tool_version: &'static str,
    /// The name of the file as the caller gave it.
    pub robots: Option<String>,
    /// Its bytes in base64, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robots_base64: Option<String>,
    /// The names of the profiles in which the file was read.
    pub profiles: Vec<String>,
    /// The findings, by line and then by code.
    pub findings: Vec<Finding>,
    /// The lines of rules for which the budget ran out before it was known whether they have an
    /// effect, ascending.
    pub undecided: Vec<u32>,
    /// The codes of which findings are left out: those after the first 10,000.
    pub left_out: Vec<LeftOut>,
    /// The number of findings that comments in the file silenced.
    pub silenced: usize,
    /// The number of findings, and what was left out.
    pub sentences: Vec<Sentence>,
}

/// Something that is wrong with a file, or that has no effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Finding {
    /// The number of the kind of finding, such as `RS403`. Stable.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub code: Code,
    /// The name of the kind, such as `redundant-rule`. Stable; a page of the documentation has it.
    pub name: &'static str,
    /// The kind in one sentence, with a full stop.
    pub title: &'static str,
    /// Its severity in these profiles.
    pub severity: Severity,
    /// The fault, in words.
    pub message: String,
    /// The line, from 1; 1 if it is about the file as a whole.
    pub line: u32,
    /// The column in characters at which it begins, from 1.
    pub column: usize,
    /// The column after its last character on that line.
    pub end_column: usize,
    /// The bytes of the file that it is about; may be empty.
    pub file_span: [usize; 2],
    /// Other places that explain it.
    pub related: Vec<Related>,
    /// Advice, unless there is a fix.
    pub help: Option<String>,
    /// A change that mends it, with its proven effect.
    pub fix: Option<Fix>,
    /// The profiles in which this holds, among those in which the file was read.
    pub profiles: Vec<String>,
}

/// A place that explains a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Related {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters at which it begins, from 1.
    pub column: usize,
    /// The column after its last character on that line.
    pub end_column: usize,
    /// The bytes of the file.
    pub file_span: [usize; 2],
    /// Its part in the finding; may be empty.
    pub message: String,
}

/// A change to the file that mends a finding, with what it does to verdicts and to the pace: proven for
/// every crawler. One that blocks or opens a whole site is never a fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Fix {
    /// The change to make: a clause such as `remove the line` or `write '/private/'`.
    pub what: String,
    /// The effect of "this" on verdicts and on the pace of crawlers, and the profiles: a clause such as
    /// `changes no verdict (rfc9309, google)`.
    pub effect: String,
    /// True if some URLs get another verdict, if a crawler is asked for another pace, or if a line about use says
    /// something that said nothing.
    pub changes_verdicts: bool,
    /// The changes, with their crawlers; empty if no verdict of crawling changes.
    pub changes: Vec<VerdictChange>,
    /// The profiles in which that is proven.
    pub profiles: Vec<String>,
    /// The bytes of the file that are replaced; empty if something is inserted.
    pub file_span: [usize; 2],
    /// The line of the first of them, from 1.
    pub line: u32,
    /// Its column in characters, from 1.
    pub column: usize,
    /// The line of the byte after the last one.
    pub end_line: u32,
    /// Its column.
    pub end_column: usize,
    /// The bytes in their place; empty if something is removed.
    pub replacement: String,
    /// Its bytes in base64, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replacement_base64: Option<String>,
}

/// What to do, and what that does: `remove the line; this changes no verdict (rfc9309, google)`.
impl fmt::Display for Fix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; this {}", self.what, self.effect)
    }
}

/// The changes by a fix for some crawlers in some profiles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct VerdictChange {
    /// The profiles in which this holds.
    pub profiles: Vec<String>,
    /// The crawlers, by the tokens of the file; `*` is any crawler that no group names.
    pub crawlers: Vec<String>,
    /// Their bytes in base64, if not all are UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crawlers_base64: Option<Vec<String>>,
    /// Paths that become disallowed, the shortest first; three at most.
    pub newly_disallowed: Vec<String>,
    /// Their bytes in base64, if not all are UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newly_disallowed_base64: Option<Vec<String>>,
    /// Paths that become allowed, the shortest first; three at most.
    pub newly_allowed: Vec<String>,
    /// Their bytes in base64, if not all are UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newly_allowed_base64: Option<Vec<String>>,
}

/// Findings of a code that are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LeftOut {
    /// The number of the kind of finding.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub code: Code,
    /// The number that are left out, in the profile that has the most.
    pub count: usize,
}

/// Fixes that were applied to a file: the report `fix`. The new file is beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FixReport {
    /// The version of the form of this document.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    pub schema: &'static str,
    /// The kind of this document.
    #[cfg_attr(feature = "schema", schemars(extend("const" = "fix")))]
    pub report: &'static str,
    /// The version of robotsieve.
    pub tool_version: &'static str,
    /// The name of the file as the caller gave it.
    pub robots: Option<String>,
    /// Its bytes in base64, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robots_base64: Option<String>,
    /// The fixes in the order in which they were applied.
    pub applied: Vec<AppliedFix>,
    /// The effect of all of them together on verdicts, and the profiles: a clause. `null` if that
    /// could not be proven, which does not happen to fixes that change no verdict.
    pub effect: Option<String>,
    /// The same one by one; empty if no verdict changes, or if that could not be proven.
    pub changes: Vec<VerdictChange>,
    /// True if some fixes are left out because their proof would take too long.
    pub cut_short: bool,
    /// The findings in the new file.
    pub left: LintReport,
    /// The number of fixes there were, and what they do together.
    pub sentences: Vec<Sentence>,
}

/// A fix that was applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct AppliedFix {
    /// The number of the kind of finding that it mends.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub code: Code,
    /// The name of the kind.
    pub name: &'static str,
    /// The severity of the finding.
    pub severity: Severity,
    /// The fault that it mended.
    pub message: String,
    /// The line in the file as it was at that time: an earlier fix may have moved it.
    pub line: u32,
    /// The change that was made: a clause such as `remove the line`.
    pub what: String,
    /// The effect of "this" on verdicts: a clause.
    pub effect: String,
    /// True if some URLs got another verdict, if a crawler is asked for another pace, or if a line about use says
    /// something that said nothing.
    pub changes_verdicts: bool,
}

impl LintReport {
    /// The report on the findings in a file, which the caller calls `robots`.
    #[must_use]
    pub fn new(
        robots: Option<&[u8]>,
        file: &[u8],
        options: &Options,
        found: &lint::Report,
    ) -> LintReport {
        let lines = Lines::of(file);
        let (robots, robots_base64) = robots.map(text).unzip();
        LintReport {
            schema: SCHEMA,
            report: "lint",
            tool_version: TOOL_VERSION,
            robots,
            robots_base64: robots_base64.flatten(),
            profiles: options.profiles.iter().map(|(name, _)| name.to_string()).collect(),
            findings: found.findings.iter().map(|one| finding(one, file, &lines)).collect(),
            undecided: found.undecided.clone(),
            left_out: found
                .left_out
                .iter()
                .map(|(code, count)| LeftOut { code: *code, count: *count })
                .collect(),
            silenced: found.silenced,
            sentences: sentences(found),
        }
    }
}

fn sentences(found: &lint::Report) -> Vec<Sentence> {
    let of = |severity| found.findings.iter().filter(|f| f.severity == severity).count();
    let mut all = vec![
        counts([Severity::Error, Severity::Warning, Severity::Note].map(of))
            .unwrap_or_else(|| "nothing found".to_owned()),
    ];
    let left_out: usize = found.left_out.values().sum();
    if left_out > 0 {
        let more = counted(left_out, "more finding");
        all.push(format!("{more} left out, after the first {MAX_PER_CODE} of a code"));
    }
    if found.silenced > 0 {
        let more = counted(found.silenced, "more finding");
        all.push(format!("comments in the file silence {more}"));
    }
    let unknown = match &found.undecided[..] {
        [] => None,
        [line] => Some(format!("the rule on line {line} has")),
        lines => Some(format!("{} rules have", lines.len())),
    };
    if let Some(rules) = unknown {
        all.push(format!("the budget ran out before it was known whether {rules} an effect"));
    }
    all.into_iter().map(|text| Sentence::new(text, None)).collect()
}

/// Numbers of errors, warnings and notes: `1 error, 2 notes`. `None` if all are 0.
#[must_use]
pub fn counts([errors, warnings, notes]: [usize; 3]) -> Option<String> {
    let all = [(errors, "error"), (warnings, "warning"), (notes, "note")];
    let all = all.into_iter().filter(|(count, _)| *count > 0);
    let all: Vec<String> = all.map(|(count, noun)| counted(count, noun)).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

fn finding(found: &lint::Finding, file: &[u8], lines: &Lines) -> Finding {
    let columns = lines.columns(file, found.line, &found.span);
    let related = found.related.iter().map(|place| {
        let columns = lines.columns(file, place.line, &place.span);
        Related {
            line: place.line,
            column: columns.start,
            end_column: columns.end,
            file_span: span(&place.span),
            message: place.message.clone(),
        }
    });
    Finding {
        code: found.code,
        name: found.code.name(),
        title: found.code.title(),
        severity: found.severity,
        message: found.message.clone(),
        line: found.line,
        column: columns.start,
        end_column: columns.end,
        file_span: span(&found.span),
        related: related.collect(),
        help: found.help.clone(),
        fix: found.fix.as_ref().map(|one| fix(one, file, lines)),
        profiles: names(&found.profiles),
    }
}

fn fix(found: &lint::Fix, file: &[u8], lines: &Lines) -> Fix {
    let (line, column) = lines.place(file, found.span.start);
    let (end_line, end_column) = lines.place(file, found.span.end);
    let (replacement, replacement_base64) = text(&found.replacement);
    Fix {
        what: found.what.clone(),
        effect: effect(&found.effect, &found.profiles),
        changes_verdicts: found.effect != Effect::None,
        changes: changes(&found.effect),
        profiles: names(&found.profiles),
        file_span: span(&found.span),
        line,
        column,
        end_line,
        end_column,
        replacement,
        replacement_base64,
    }
}

/// What a change does, with the profiles in which that is proven.
fn effect<N: AsRef<str>>(effect: &Effect, profiles: &[N]) -> String {
    match effect {
        Effect::None | Effect::Rights(_) => {
            let names: Vec<&str> = profiles.iter().map(AsRef::as_ref).collect();
            format!("{effect} ({})", names.join(", "))
        }
        // It names them itself.
        Effect::Verdicts(_) => effect.to_string(),
    }
}

fn changes(effect: &Effect) -> Vec<VerdictChange> {
    let Effect::Verdicts(changes) = effect else { return Vec::new() };
    let changes = changes.iter().filter(|change| change.pace.is_none());
    let change = |change: &lint::Change| {
        let (crawlers, crawlers_base64) = texts(&change.crawlers);
        let (newly_disallowed, newly_disallowed_base64) = texts(&change.newly_disallowed);
        let (newly_allowed, newly_allowed_base64) = texts(&change.newly_allowed);
        VerdictChange {
            profiles: names(&change.profiles),
            crawlers,
            crawlers_base64,
            newly_disallowed,
            newly_disallowed_base64,
            newly_allowed,
            newly_allowed_base64,
        }
    };
    changes.map(change).collect()
}

fn names<N: ToString>(names: &[N]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

impl FixReport {
    /// The report on the fixes of a file, which the caller calls `robots`.
    #[must_use]
    pub fn new(robots: Option<&[u8]>, options: &Options, fixed: &lint::Fixed) -> FixReport {
        let profiles: Vec<&str> = options.profiles.iter().map(|(name, _)| name.as_ref()).collect();
        let together = fixed.effect.as_ref().map(|together| effect(together, &profiles));
        let applied = match fixed.applied.len() {
            1 => "1 fix applied".to_owned(),
            count => format!("{count} fixes applied"),
        };
        let said = applied + "; " + &together_said(together.as_deref());
        let cut_short = fixed.is_cut_short.then(|| CUT_SHORT.to_owned());
        let sentences = [said].into_iter().chain(cut_short);
        let left = LintReport::new(robots, &fixed.file, options, &fixed.report);
        let one = |found: &lint::Finding| {
            let fix = found.fix.as_ref()?;
            Some(AppliedFix {
                code: found.code,
                name: found.code.name(),
                severity: found.severity,
                message: found.message.clone(),
                line: found.line,
                what: fix.what.clone(),
                effect: effect(&fix.effect, &fix.profiles),
                changes_verdicts: fix.effect != Effect::None,
            })
        };
        FixReport {
            schema: SCHEMA,
            report: "fix",
            tool_version: TOOL_VERSION,
            robots: left.robots.clone(),
            robots_base64: left.robots_base64.clone(),
            applied: fixed.applied.iter().filter_map(one).collect(),
            effect: together,
            changes: fixed.effect.as_ref().map(changes).unwrap_or_default(),
            cut_short: fixed.is_cut_short,
            left,
            sentences: sentences.map(|text| Sentence::new(text, None)).collect(),
        }
    }
}

/// The sentence on fixes that are left out because of the budget for proofs.
pub const CUT_SHORT: &str = "the proof of some fixes would take too long, so they are left out";

/// The effect of fixes together, as a sentence.
#[must_use]
pub fn together_said(effect: Option<&str>) -> String {
    match effect {
        Some(effect) => format!("together this {effect}"),
        None => "what they do together could not be proven".to_owned(),
    }
}
