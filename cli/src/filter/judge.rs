//! Judges lines.

use std::ops::Range;

use robotsieve::{Answer, TargetForm};
use robotsieve_client::host_count::HostHasher;

use super::args::{FilterArgs, FilterFormat, Missing};
use super::batch::{Batch, Hosts, Line};
use super::feed::Asked;
use super::output::{self, AgentMember, Pieces, Unwritten};
use super::sites::{HostRules, Site, Sites};
use super::tally::{SeenHosts, Tally};
use crate::read::urls::Governed;

/// The robots.txt that URLs are judged by.
pub enum RobotsSource {
    /// One for all URLs, or for those of its site if that is known.
    One(Site, Governed),
    /// The one of the URL's origin.
    ByHost(Box<dyn Sites>),
}

/// Judges lines; shared by all workers.
pub struct Judge {
    source: RobotsSource,
    /// For counting hosts.
    hasher: HostHasher,
    hosts: Hosts,
    format: FilterFormat,
    /// Whether `tsv` says what decided.
    why: bool,
    /// The crawlers as given, for `jsonl`.
    agents: Vec<AgentMember>,
}

/// What the URLs of a run are judged by.
#[derive(Clone, Copy)]
enum Ruling<'s> {
    /// A robots.txt.
    Site(&'s Site),
    /// The same answer for all URLs, and why.
    All(Answer, &'static str),
}

impl Judge {
    pub fn new(args: &FilterArgs, source: RobotsSource, asked: &Asked) -> Judge {
        Judge {
            source,
            hasher: HostHasher::default(),
            hosts: Hosts {
                google: asked.target_form == TargetForm::Google,
                missing: match args.missing {
                    Missing::Unknown => Answer::Unknown,
                    Missing::Allow => Answer::Allow,
                    Missing::Disallow => Answer::Disallow,
                },
            },
            format: args.format,
            why: args.why,
            agents: asked.agents.iter().map(|agent| AgentMember::new(agent)).collect(),
        }
    }

    /// Writes a row of answers for each line: one for each crawler.
    fn answer(&self, batch: &Batch<'_>, answers: &mut Vec<Answer>) {
        let crawlers = self.agents.len();
        answers.clear();
        answers.resize(batch.lines.len() * crawlers, Answer::Unknown);
        match &self.source {
            RobotsSource::One(site, governed) => {
                for (line, row) in batch.lines.iter().zip(answers.chunks_exact_mut(crawlers)) {
                    // Of what is of another site nothing is known.
                    if !governed.is_elsewhere(line.url) {
                        site.answer(line, row);
                    }
                }
            }
            RobotsSource::ByHost(sites) => sites.answer(batch, crawlers, answers),
        }
    }

    /// Calls `act` with each line and what it is judged by.
    fn each_line(&self, batch: &Batch<'_>, mut act: impl FnMut(&Line<'_>, Ruling<'_>)) {
        match &self.source {
            RobotsSource::One(site, governed) => {
                batch.lines.iter().for_each(|line| match governed.is_elsewhere(line.url) {
                    true => act(line, Ruling::All(Answer::Unknown, "elsewhere")),
                    false => act(line, Ruling::Site(site)),
                });
            }
            RobotsSource::ByHost(sites) => sites.each_run(batch, &mut |run, numbers, found| {
                let ruling = match found {
                    HostRules::Site(site) => Ruling::Site(site),
                    HostRules::Missing => Ruling::All(run.otherwise, "missing"),
                    HostRules::Unreadable => Ruling::All(Answer::Unknown, "unreadable"),
                };
                batch.lines[numbers].iter().for_each(|line| act(line, ruling));
            }),
        }
    }
}

/// Judges one chunk after another; each thread has its own.
pub struct Worker<'j> {
    judge: &'j Judge,
    seen: SeenHosts,
    /// A row for each line of a batch.
    answers: Vec<Answer>,
    shared: Shared,
    /// The parts of a batch to print.
    kept: Vec<Range<usize>>,
}

impl<'j> Worker<'j> {
    pub fn new(judge: &'j Judge) -> Worker<'j> {
        Worker {
            judge,
            seen: SeenHosts::default(),
            answers: Vec::new(),
            shared: Shared::default(),
            kept: Vec::new(),
        }
    }

    /// Returns true if the output consists of input lines, so that [`Worker::sieve`] applies.
    pub fn sieves(&self) -> bool {
        matches!(self.judge.format, FilterFormat::Urls | FilterFormat::Denied)
    }

    /// Judges all lines of a chunk, which ends with a line feed, and moves those that are to be
    /// printed to its beginning. Returns how many bytes they have. For one crawler.
    pub fn sieve(&mut self, lines: &mut [u8]) -> (Tally, usize) {
        let kept_answer = match self.judge.format {
            FilterFormat::Denied => Answer::Disallow,
            _ => Answer::Allow,
        };
        let mut tally = Tally::default();
        let (mut batch, mut start, mut len) = (Batch::default(), 0, 0);
        while start < lines.len() {
            let mut filled = batch;
            start = self.fill(&mut filled, lines, start, &mut tally);
            self.judge.answer(&filled, &mut self.answers);
            // Adjacent lines are kept in one piece. A CR before a line feed and an empty line are
            // removed by leaving a gap.
            let mut piece = 0..0;
            for (line, answer) in filled.lines.iter().zip(&self.answers) {
                tally.count(*answer, 1);
                if *answer == kept_answer {
                    if piece.end != line.start() {
                        self.kept.push(std::mem::replace(&mut piece, line.start()..line.start()));
                    }
                    let end = line.start() + line.url.len();
                    if end != line.end() {
                        self.kept.push(piece.start..end);
                        piece.start = line.end();
                    }
                    piece.end = line.end() + 1;
                }
            }
            self.kept.push(piece);
            batch = filled.emptied();
            // They are still in the nearest cache.
            for piece in self.kept.drain(..) {
                let piece_len = piece.len();
                if piece.start != len {
                    lines.copy_within(piece, len);
                }
                len += piece_len;
            }
        }
        (tally, len)
    }

    /// Judges all lines of a chunk, which ends with a line feed, and formats the verdicts for each.
    pub fn format(&mut self, lines: &[u8], pieces: &mut Pieces<'_>) -> Result<Tally, Unwritten> {
        let mut tally = Tally::default();
        let (mut batch, mut start) = (Batch::default(), 0);
        while start < lines.len() {
            start = self.fill(&mut batch, lines, start, &mut tally);
            match self.judge.format {
                FilterFormat::Jsonl => self.format_json(&batch, &mut tally, pieces)?,
                _ if self.judge.why => self.format_why(&batch, &mut tally, pieces)?,
                _ => self.format_tsv(&batch, &mut tally, pieces)?,
            }
        }
        Ok(tally)
    }

    /// The count of one line that is no URL.
    pub fn tally_invalid(&self) -> Tally {
        let mut tally = Tally::default();
        tally.urls += 1;
        tally.count(Answer::Invalid, self.judge.agents.len() as u64);
        tally
    }

    /// Formats one line that is no URL, whatever the profile: what is printed of it ends with a line feed.
    pub fn format_invalid(
        &mut self,
        line: &[u8],
        pieces: &mut Pieces<'_>,
    ) -> Result<Tally, Unwritten> {
        let url = line.strip_suffix(b"\n").unwrap_or(line);
        let Judge { format, why, agents, .. } = self.judge;
        if *format == FilterFormat::Jsonl {
            let members = &mut Vec::new();
            self.judge.format_json_all(url, Answer::Invalid, "", members, &mut pieces.bytes);
        } else {
            agents.iter().for_each(|_| output::tsv_verdict(&mut pieces.bytes, Answer::Invalid));
            let decided_by: &[u8] = if *why { b"\t" } else { b"" };
            output::url_line(&mut pieces.bytes, &[url, decided_by].concat());
        }
        pieces.line_done()?;
        Ok(self.tally_invalid())
    }

    /// The next lines of a chunk. Counts them and their hosts.
    #[inline]
    fn fill<'c>(
        &mut self,
        batch: &mut Batch<'c>,
        lines: &'c [u8],
        start: usize,
        tally: &mut Tally,
    ) -> usize {
        let start = batch.fill(lines, start, self.judge.hosts);
        tally.urls += batch.lines.len() as u64;
        for run in &batch.runs {
            let Some(origin) = &run.origin else { continue };
            let host = origin.authority();
            self.seen.note(self.judge.hasher.hash(host.as_bytes()), tally);
        }
        start
    }

    fn format_tsv(
        &mut self,
        batch: &Batch<'_>,
        tally: &mut Tally,
        pieces: &mut Pieces<'_>,
    ) -> Result<(), Unwritten> {
        self.judge.answer(batch, &mut self.answers);
        let rows = self.answers.chunks_exact(self.judge.agents.len());
        for (line, row) in batch.lines.iter().zip(rows) {
            for answer in row {
                tally.count(*answer, 1);
                output::tsv_verdict(&mut pieces.bytes, *answer);
            }
            output::url_line(&mut pieces.bytes, line.url);
            pieces.line_done()?;
        }
        Ok(())
    }

    /// As [`Worker::format_tsv`], with what decided at the end of each line.
    fn format_why(
        &mut self,
        batch: &Batch<'_>,
        tally: &mut Tally,
        pieces: &mut Pieces<'_>,
    ) -> Result<(), Unwritten> {
        let Worker { judge, answers: row, .. } = self;
        let mut sent = Ok(());
        judge.each_line(batch, |line, ruling| {
            if sent.is_err() {
                return;
            }
            row.clear();
            row.resize(judge.agents.len(), Answer::Unknown);
            let why = match ruling {
                Ruling::Site(site) => {
                    site.answer(line, row);
                    site.decided_by()
                }
                Ruling::All(answer, why) => {
                    row.fill(answer);
                    why
                }
            };
            for answer in &*row {
                tally.count(*answer, 1);
                output::tsv_verdict(&mut pieces.bytes, *answer);
            }
            let why = if row.contains(&Answer::Invalid) { "" } else { why };
            output::url_line(&mut pieces.bytes, &[line.url, b"\t", why.as_bytes()].concat());
            sent = pieces.line_done();
        });
        sent
    }

    fn format_json(
        &mut self,
        batch: &Batch<'_>,
        tally: &mut Tally,
        pieces: &mut Pieces<'_>,
    ) -> Result<(), Unwritten> {
        let Worker { judge, shared, .. } = self;
        let mut sent = Ok(());
        judge.each_line(batch, |line, ruling| {
            if sent.is_ok() {
                judge.format_json(line, ruling, shared, tally, &mut pieces.bytes);
                sent = pieces.line_done();
            }
        });
        sent
    }
}

impl Judge {
    fn format_json(
        &self,
        line: &Line<'_>,
        ruling: Ruling<'_>,
        shared: &mut Shared,
        tally: &mut Tally,
        out: &mut Vec<u8>,
    ) {
        let url = line.url;
        shared.answers.clear();
        shared.members.clear();
        shared.ends.clear();
        match ruling {
            Ruling::Site(Site::OfPurpose(of_purpose)) => {
                for (answer, by) in of_purpose.decisions(line) {
                    tally.count(answer, 1);
                    output::json_answer(&mut shared.members, answer);
                    output::json_by(&mut shared.members, &by);
                    shared.ends.push(shared.members.len());
                }
                let members = (0..self.agents.len()).map(|number| shared.members_of(number));
                output::json_line(out, url, self.agents.iter().zip(members));
            }
            Ruling::Site(Site::Policies(policies)) => {
                for decision in policies.decisions(line) {
                    shared.answers.push(match decision {
                        Ok(decision) => {
                            let answer = Answer::from(decision.verdict);
                            output::json_answer(&mut shared.members, answer);
                            if let Some(rule) = decision.rule().filter(|_| policies.has_lines()) {
                                output::json_rule(&mut shared.members, rule.line, rule.value);
                            }
                            if let Some(why) = policies.why() {
                                output::json_why(&mut shared.members, why);
                            }
                            answer
                        }
                        Err(_) => {
                            output::json_answer(&mut shared.members, Answer::Invalid);
                            Answer::Invalid
                        }
                    });
                    shared.ends.push(shared.members.len());
                }
                for policy in policies.by_crawler() {
                    tally.count(shared.answers[*policy], 1);
                }
                let members = policies.by_crawler().iter().map(|policy| shared.members_of(*policy));
                output::json_line(out, url, self.agents.iter().zip(members));
            }
            Ruling::All(answer, why) => {
                tally.count(answer, self.agents.len() as u64);
                self.format_json_all(url, answer, why, &mut shared.members, out);
            }
        }
    }

    /// A line with the same answer for all crawlers. `members` is empty, and kept for its memory.
    fn format_json_all(
        &self,
        url: &[u8],
        answer: Answer,
        why: &str,
        members: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) {
        output::json_answer(members, answer);
        if answer != Answer::Invalid {
            output::json_why(members, why);
        }
        output::json_line(out, url, self.agents.iter().map(|agent| (agent, &**members)));
    }
}

/// The parts of a line's output that crawlers with the same policy share. Reused for its memory.
#[derive(Default)]
struct Shared {
    /// By policy.
    answers: Vec<Answer>,
    /// The members of `jsonl`, one policy after another.
    members: Vec<u8>,
    /// Where the members of each policy end.
    ends: Vec<usize>,
}

impl Shared {
    fn members_of(&self, policy: usize) -> &[u8] {
        let start = policy.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.members[start..self.ends[policy]]
    }
}
