//! A file read in one profile, and what was found in it so far.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;

use robotsieve::internals::PolicyInternals as _;
use robotsieve::{Decision, Policy, Profile, Record, Robots};

use crate::change::{Offered, Proposal};
use crate::obeyed::{Obeyed, Policies};
use crate::{Code, Finding, MAX_PER_CODE, Related, Severity};

/// A file read in one profile, and what was found in it so far.
pub(super) struct Subject<'a> {
    pub(super) file: &'a [u8],
    /// The profile's name.
    pub(super) name: Cow<'static, str>,
    pub(super) profile: Profile,
    pub(super) robots: Robots<'a>,
    pub(super) obeyed: Obeyed,
    pub(super) policies: Policies,
    /// In the order of the file.
    pub(super) records: Vec<Record<'a>>,
    pub(super) found: Vec<Draft>,
    /// The number of findings there are of each code, those that are left out included.
    pub(super) counts: BTreeMap<Code, usize>,
    /// Where a finding goes that is left out.
    spare: Option<Draft>,
    /// What is left of the budget for [`Subject::decide`].
    decide_work: Cell<u64>,
}

/// The budget for decisions about single paths, in bytes of rules looked at: some 10 ms.
const DECIDE_WORK: u64 = 20_000_000;

/// A finding, and the change to the file that it proposes, which is still to be proven.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) finding: Finding,
    pub(super) proposal: Option<Proposal>,
    /// True if a line that means to be a rule or a group is not read as that.
    pub(super) loses: bool,
}

impl<'a> Subject<'a> {
    pub(super) fn new(file: &'a [u8], name: Cow<'static, str>, profile: &Profile) -> Subject<'a> {
        let robots = Robots::parse(file, profile);
        let obeyed = Obeyed::of(&robots, file);
        let policies = obeyed.policies(&robots);
        let records = robots.records().collect();
        Subject {
            file,
            name,
            profile: *profile,
            robots,
            obeyed,
            policies,
            records,
            found: Vec::new(),
            counts: BTreeMap::new(),
            spare: None,
            decide_work: Cell::new(DECIDE_WORK),
        }
    }

    /// Adds a finding with the code's usual severity. The caller completes it.
    pub(super) fn add(
        &mut self,
        code: Code,
        line: u32,
        span: Range<usize>,
        message: impl Into<String>,
    ) -> &mut Draft {
        let finding = Finding {
            code,
            severity: code.severity(),
            message: message.into(),
            line,
            span,
            related: Vec::new(),
            help: None,
            fix: None,
            profiles: vec![self.name.clone()],
        };
        let draft = Draft { finding, proposal: None, loses: false };
        let count = self.counts.entry(code).or_default();
        *count += 1;
        if *count > MAX_PER_CODE {
            return self.spare.insert(draft);
        }
        self.found.push(draft);
        self.found.last_mut().expect("it was just added")
    }

    /// Returns true if the line before has just been found to have this code.
    pub(super) fn had_before(&self, code: Code, line: u32) -> bool {
        let mut last = self.found.iter().rev().take(8).map(|draft| &draft.finding);
        last.any(|finding| finding.code == code && finding.line + 1 == line)
    }

    /// The decision about a path; `None` if the budget for such decisions is used up.
    pub(super) fn decide<'p>(&self, policy: &'p Policy, path: &[u8]) -> Option<Decision<'p>> {
        // The rules are tried one by one.
        let rules = policy.rule_set();
        let work = rules.memory_usage() as u64 + (rules.len() * path.len()) as u64;
        self.decide_work.set(self.decide_work.get().checked_sub(work)?);
        policy.decide_path(path).ok()
    }

    /// The record on a line.
    pub(super) fn record(&self, line: u32) -> Option<&Record<'a>> {
        let at = self.records.binary_search_by_key(&line, |record| record.line).ok()?;
        Some(&self.records[at])
    }

    /// The span of a line's value.
    pub(super) fn value_span(&self, line: u32) -> Range<usize> {
        self.record(line).map_or(0..0, Record::value_span)
    }

    /// Offers what the last finding proposes only if no verdict changes.
    pub(super) fn offer_if_unchanging(&mut self) {
        if let Some(proposal) = self.found.last_mut().and_then(|draft| draft.proposal.as_mut()) {
            proposal.offered = Offered::IfUnchanging;
        }
    }

    /// The span of a record's field name.
    pub(super) fn name_span(&self, record: &Record<'_>) -> Range<usize> {
        let at = record.name.as_ptr() as usize - self.file.as_ptr() as usize;
        at..at + record.name.len()
    }

    /// The span of a record, from the field's name to the end of its value.
    pub(super) fn record_span(&self, record: &Record<'_>) -> Range<usize> {
        let name = self.name_span(record);
        name.start..record.value_span().end.max(name.end)
    }

    /// The span of the line around a place, with the line's end.
    pub(super) fn line_span(&self, at: usize) -> Range<usize> {
        line_span(self.file, at)
    }

    /// The end of line that the file uses around a place.
    pub(super) fn line_end(&self, at: usize) -> &'static str {
        match &self.file[self.line_span(at)] {
            [.., b'\r', b'\n'] => "\r\n",
            [.., b'\r'] => "\r",
            [.., b'\n'] => "\n",
            // The last line: as the one before it.
            _ if memchr::memmem::find(&self.file[..at], b"\r\n").is_some() => "\r\n",
            _ => "\n",
        }
    }

    /// Returns true if the file is no text of records: UTF-16, or an HTML page without any group.
    pub(super) fn is_other(&self) -> bool {
        let has = |code| self.found.iter().any(|draft| draft.finding.code == code);
        has(Code::Utf16) || has(Code::Html) && self.robots.group_count() == 0
    }

    /// The value of another line, to explain a finding.
    pub(super) fn related(&self, line: u32, message: impl Into<String>) -> Related {
        Related { line, span: self.value_span(line), message: message.into() }
    }
}

impl Draft {
    pub(super) fn severity(&mut self, severity: Severity) -> &mut Draft {
        self.finding.severity = severity;
        self
    }

    /// Says that a rule or a group is lost, if it is. Then the finding is an error, whatever its code.
    pub(super) fn loses(&mut self, is_lost: bool) -> &mut Draft {
        self.loses |= is_lost;
        self
    }

    pub(super) fn help(&mut self, help: impl Into<String>) -> &mut Draft {
        self.finding.help = Some(help.into());
        self
    }

    pub(super) fn related(&mut self, related: impl IntoIterator<Item = Related>) -> &mut Draft {
        self.finding.related.extend(related);
        self
    }

    /// Says of the change just proposed that something else may be meant, so that what it does to verdicts
    /// says nothing of the finding.
    pub(super) fn doubts(&mut self) {
        self.proposal.iter_mut().for_each(|proposal| proposal.is_doubtful = true);
    }

    /// Proposes to replace some bytes of the file. What it says to do is a clause: `write '/x'`.
    pub(super) fn propose(
        &mut self,
        what: impl Into<String>,
        span: Range<usize>,
        replacement: impl Into<Vec<u8>>,
    ) -> &mut Draft {
        self.proposal = Some(Proposal::new(what.into(), span, replacement.into()));
        self
    }
}

/// The span of the line around a place, with the line's end. A byte order mark before the first
/// line is not part of it.
pub(super) fn line_span(file: &[u8], at: usize) -> Range<usize> {
    let mark = if file.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let start = memchr::memrchr2(b'\r', b'\n', &file[..at]).map_or(mark.min(at), |end| end + 1);
    let end = memchr::memchr2(b'\r', b'\n', &file[at..]).map_or(file.len(), |len| {
        let end = at + len;
        end + if file[end..].starts_with(b"\r\n") { 2 } else { 1 }
    });
    start..end
}
