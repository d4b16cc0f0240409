//! Finds everything: reads the file in each profile, merges what is the same, and proves fixes.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Effect, Fix, Offered, Proposal};
use super::code::{Code, Severity};
use super::finding::{Finding, MAX_PER_CODE, Report};
use super::options::Options;
use super::prove::{Prover, Refusal, Subjects, Work, profiles};
use super::subject::{Draft, Subject, line_span};
use super::{comments, differs, file, groups, lines, rights, rules, site};

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
    lint_within(file, options, &mut Work::new(FIX_WORK))
}

/// Like [`lint`], with this budget for the proof of fixes.
pub(super) fn lint_within(file: &[u8], options: &Options, work: &mut Work) -> Report {
    let mut drafts = Vec::new();
    let mut undecided = BTreeSet::new();
    let mut left_out = BTreeMap::new();
    let mut dead_in_all: Option<BTreeSet<u32>> = None;
    for (number, (name, profile)) in profiles(options).into_iter().enumerate() {
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
            rights::find(&mut subject);
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
    // That readers differ about a line is no second error beside the reason for it.
    let is_error = |draft: &Draft| draft.loses || draft.finding.severity == Severity::Error;
    let told: BTreeSet<u32> = drafts
        .iter()
        .filter(|draft| is_error(draft) && draft.finding.code != Code::ReadersDiffer)
        .map(|draft| draft.finding.line)
        .collect();
    for draft in &mut drafts {
        let is_told = told.contains(&draft.finding.line);
        draft.loses &= draft.finding.code != Code::ReadersDiffer || !is_told;
    }
    let silenced = comments::find(file, &mut drafts, options);
    // What is without effect beside such a rule is needed once that is gone.
    let blocking: BTreeSet<u32> = drafts
        .iter()
        .filter(|draft| draft.finding.code == Code::BlocksEverything)
        .map(|draft| draft.finding.line)
        .collect();
    for Draft { finding, proposal, .. } in &mut drafts {
        let is_beside = finding.related.iter().any(|related| blocking.contains(&related.line));
        if finding.code.is_dead_rule() && is_beside {
            *proposal = None;
        }
    }
    let mut prover = Proofs::new(file, options, dead_in_all.unwrap_or_default(), work);
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
            first.loses |= later.loses;
        }
        same
    });
}

/// Proves what findings propose.
struct Proofs<'a, 'w> {
    file: &'a [u8],
    is_text: bool,
    subjects: Subjects<'a>,
    work: &'w mut Work,
    /// The lines of rules that can be removed alone, in every profile.
    dead: BTreeSet<u32>,
}

/// The budget for the fixes of a file, in bytes looked at: some 30 ms.
const FIX_WORK: u64 = 30_000_000;

impl<'a, 'w> Proofs<'a, 'w> {
    fn new(
        file: &'a [u8],
        options: &Options,
        dead: BTreeSet<u32>,
        work: &'w mut Work,
    ) -> Proofs<'a, 'w> {
        // UTF-16 without a mark, or no text at all: what a change does to it is not known.
        let is_control = |byte: &&u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
        let is_text = file.iter().filter(is_control).count() <= file.len() / 16;
        Proofs { file, is_text, subjects: Subjects::new(file, options), work, dead }
    }

    /// The finding, with a fix if what it proposes is proven and does no harm.
    fn finding(&mut self, draft: Draft) -> Finding {
        let Draft { mut finding, proposal, loses } = draft;
        if loses {
            finding.severity = Severity::Error;
        }
        let Some(proposal) = proposal.filter(|_| self.is_text) else { return finding };
        let effect = if finding.code.is_dead_rule() {
            // The search has proven it.
            if self.dead.contains(&finding.line) {
                Ok(Effect::None)
            } else {
                Err(Refusal::Unproven)
            }
        } else {
            let is_nobody = matches!(finding.code, Code::MisspeltCrawler | Code::OperatorsName);
            let nobody = is_nobody.then(|| self.file[finding.span.clone()].to_vec());
            let effect = self.prove(&proposal, nobody);
            match effect {
                Ok(effect) if !effect.changes_a_verdict() => {
                    let mut prover = Prover::new(&self.subjects, self.work);
                    let (span, new) = (&proposal.span, &*proposal.replacement);
                    // What mends preferences never leaves all as it was.
                    let may_be_same = finding.code != Code::VoidPreferences;
                    if may_be_same && prover.prove_same_rights(span, new).is_ok() {
                        Ok(effect)
                    } else if effect == Effect::None {
                        prover.prove_statement(finding.line, span, new)
                    } else {
                        Err(Refusal::Unproven)
                    }
                }
                effect => effect,
            }
        };
        // What is proposed is what was meant: a verdict of some reader is another one now.
        let turns = match &effect {
            Ok(effect) => effect.changes_a_verdict(),
            Err(refusal) => matches!(refusal, Refusal::Harm(_)),
        };
        if turns && proposal.is_meant() && finding.code != Code::JoinedGroups {
            finding.severity = Severity::Error;
        }
        match effect {
            Ok(effect)
                if proposal.offered == Offered::IfItSpares
                    || proposal.offered == Offered::IfUnchanging && effect == Effect::None =>
            {
                let Proposal { what, span, replacement, .. } = proposal;
                let profiles = self.subjects.names();
                finding.fix = Some(Fix { what, span, replacement, effect, profiles });
            }
            Err(Refusal::Harm(harm)) if proposal.offered != Offered::IfUnchanging => {
                // Two things may be meant: what is proposed, or nothing at all.
                let mut help = format!("to {} would {}", proposal.what, harm.infinitive());
                let without = match finding.code {
                    // Nobody has the misspelt name, and nothing is wrong with the line that joins.
                    Code::MisspeltCrawler | Code::OperatorsName | Code::JoinedGroups => {
                        Err(Refusal::Unproven)
                    }
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
        let line = Proposal::new(String::new(), line_span(self.file, at), Vec::new());
        self.prove(&line, None)
    }

    fn prove(&mut self, proposal: &Proposal, nobody: Option<Vec<u8>>) -> Result<Effect, Refusal> {
        let mut prover = Prover::new(&self.subjects, self.work).without(nobody);
        prover.prove_edit(&proposal.span, &proposal.replacement)
    }
}
