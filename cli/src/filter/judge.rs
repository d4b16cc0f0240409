//! Judges lines.

use std::ops::Range;

use memchr::memchr;
use robotsieve::{Answer, TargetForm};

use super::Asked;
use super::args::{FilterArgs, FilterFormat, Missing};
use super::known::{KnownHosts, Ruling, begins_with};
use super::output::{self, AgentMember, Gone, Pieces};
use super::sites::{Found, Site, Sites, Url};
use super::tally::{SeenHosts, Tally};
use crate::read::hosts::{Authority, HostHash, HostHasher};

/// The robots.txt that URLs are judged by.
pub enum Source {
    /// One for all URLs.
    One(Site),
    /// The one of the URL's host.
    ByHost(Box<dyn Sites>),
}

/// Judges lines; shared by all workers.
pub struct Judge {
    source: Source,
    hasher: HostHasher,
    /// Whether the authority of a URL is found as in google/robotstxt.
    google: bool,
    missing: Answer,
    format: FilterFormat,
    /// The crawlers as given, for `jsonl`.
    agents: Vec<AgentMember>,
}

impl Judge {
    pub fn new(args: &FilterArgs, source: Source, asked: &Asked) -> Judge {
        let hasher = match &source {
            Source::One(_) => HostHasher::default(),
            Source::ByHost(sites) => sites.hasher().clone(),
        };
        Judge {
            source,
            hasher,
            google: asked.target_form == TargetForm::Google,
            missing: match args.missing {
                Missing::Unknown => Answer::Unknown,
                Missing::Allow => Answer::Allow,
                Missing::Disallow => Answer::Disallow,
            },
            format: args.format,
            agents: asked.agents.iter().map(|agent| AgentMember::new(agent)).collect(),
        }
    }

    /// The ruling for URLs without a host or with an invalid one.
    fn no_host(&self) -> Ruling<'_> {
        match &self.source {
            Source::One(site) => Ruling::Site(site),
            // In google/robotstxt anything is a URL.
            Source::ByHost(_) if self.google => Ruling::All(Answer::Unknown),
            Source::ByHost(_) => Ruling::All(Answer::Invalid),
        }
    }

    /// The ruling for the URLs of a normalized host. `start` is the start of one of them.
    fn ruling(&self, start: &[u8], host: &[u8], hash: HostHash) -> Ruling<'_> {
        match &self.source {
            Source::One(site) => Ruling::Site(site),
            Source::ByHost(sites) => match sites.find(start, host, hash) {
                Found::Site(site) => Ruling::Site(site),
                Found::Missing => Ruling::All(self.missing),
                Found::Unreadable => Ruling::All(Answer::Unknown),
            },
        }
    }
}

/// Judges one chunk after another; each thread has its own.
pub struct Worker<'j> {
    judge: &'j Judge,
    hosts: Hosts<'j>,
    shared: Shared,
    /// The parts of a chunk to print.
    kept: Vec<Range<usize>>,
}

impl<'j> Worker<'j> {
    pub fn new(judge: &'j Judge) -> Worker<'j> {
        let hosts = Hosts { judge, known: KnownHosts::default(), seen: SeenHosts::default() };
        Worker { judge, hosts, shared: Shared::default(), kept: Vec::new() }
    }

    /// Whether the output consists of input lines, so that [`Worker::sieve`] applies.
    pub fn sieves(&self) -> bool {
        matches!(self.judge.format, FilterFormat::Urls | FilterFormat::Denied)
    }

    /// Judges all lines of a chunk, which ends with a line feed, and removes those that are not to be
    /// printed. For one crawler.
    pub fn sieve(&mut self, lines: &mut Vec<u8>) -> Tally {
        let kept_answer = match self.judge.format {
            FilterFormat::Denied => Answer::Disallow,
            _ => Answer::Allow,
        };
        let mut tally = Tally::default();
        let kept = &mut self.kept;
        kept.clear();
        // Adjacent lines are kept in one piece. A CR before a line feed and an empty line are removed
        // by leaving a gap.
        let mut piece = 0..0;
        let mut keep = |start: usize, end: usize| {
            if piece.end == start {
                piece.end = end;
            } else {
                kept.push(std::mem::replace(&mut piece, start..end));
            }
        };
        let never = self.hosts.each_url(lines, &mut tally, |line, tally| -> Result<(), Never> {
            let answer = match line.ruling {
                Ruling::Site(site) => site.answer(line.url),
                Ruling::All(answer) => answer,
            };
            tally.count(answer, 1);
            if answer == kept_answer {
                keep(line.start, line.start + line.url.bytes.len());
                keep(line.end, line.end + 1);
            }
            Ok(())
        });
        match never {
            Ok(()) => kept.push(piece),
            Err(never) => match never {},
        }
        let mut len = 0;
        for piece in kept.drain(..) {
            let piece_len = piece.len();
            if piece.start != len {
                lines.copy_within(piece, len);
            }
            len += piece_len;
        }
        lines.truncate(len);
        tally
    }

    /// Judges all lines of a chunk, which ends with a line feed, and formats the verdicts for each.
    pub fn format(&mut self, lines: &[u8], pieces: &mut Pieces<'_>) -> Result<Tally, Gone> {
        let mut tally = Tally::default();
        let (judge, shared) = (self.judge, &mut self.shared);
        self.hosts.each_url(lines, &mut tally, |line, tally| {
            let out = &mut pieces.bytes;
            match judge.format {
                FilterFormat::Jsonl => judge.format_json(&line, shared, tally, out),
                _ => judge.format_tsv(&line, shared, tally, out),
            }
            pieces.line_done()
        })?;
        Ok(tally)
    }
}

/// An error that never occurs.
enum Never {}

impl Judge {
    #[inline]
    fn format_tsv(
        &self,
        line: &Line<'_, '_>,
        shared: &mut Shared,
        tally: &mut Tally,
        out: &mut Vec<u8>,
    ) {
        match line.ruling {
            Ruling::Site(site) => {
                shared.answers.clear();
                shared.answers.extend(site.answers(line.url));
                for policy in site.by_crawler() {
                    let answer = shared.answers[*policy];
                    tally.count(answer, 1);
                    output::tsv_verdict(out, answer);
                }
            }
            Ruling::All(answer) => {
                tally.count(answer, self.agents.len() as u64);
                self.agents.iter().for_each(|_| output::tsv_verdict(out, answer));
            }
        }
        output::url_line(out, line.url.bytes);
    }

    fn format_json(
        &self,
        line: &Line<'_, '_>,
        shared: &mut Shared,
        tally: &mut Tally,
        out: &mut Vec<u8>,
    ) {
        let url = line.url.bytes;
        shared.answers.clear();
        shared.members.clear();
        shared.ends.clear();
        match line.ruling {
            Ruling::Site(site) => {
                for decision in site.decisions(line.url) {
                    shared.answers.push(match decision {
                        Ok(decision) => {
                            let answer = Answer::from(decision.verdict);
                            output::json_answer(&mut shared.members, answer);
                            if let Some(rule) = decision.rule().filter(|_| site.has_lines()) {
                                output::json_rule(&mut shared.members, rule.line, rule.value);
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
                for policy in site.by_crawler() {
                    tally.count(shared.answers[*policy], 1);
                }
                let members = site.by_crawler().iter().map(|policy| shared.members_of(*policy));
                output::json_line(out, url, self.agents.iter().zip(members));
            }
            Ruling::All(answer) => {
                tally.count(answer, self.agents.len() as u64);
                output::json_answer(&mut shared.members, answer);
                output::json_line(out, url, self.agents.iter().map(|a| (a, &*shared.members)));
            }
        }
    }
}

/// One worker's view of the hosts.
struct Hosts<'j> {
    judge: &'j Judge,
    known: KnownHosts<'j>,
    seen: SeenHosts,
}

/// A non-empty line.
struct Line<'c, 'j> {
    url: Url<'c>,
    ruling: Ruling<'j>,
    /// Where it starts in the chunk.
    start: usize,
    /// Where its line feed is in the chunk.
    end: usize,
}

impl<'j> Hosts<'j> {
    /// Finds the ruling for each URL of a chunk, which ends with a line feed.
    #[inline(always)]
    fn each_url<'c, E>(
        &mut self,
        lines: &'c [u8],
        tally: &mut Tally,
        mut judge: impl FnMut(Line<'c, 'j>, &mut Tally) -> Result<(), E>,
    ) -> Result<(), E> {
        // URLs of one host tend to be adjacent: the start of the previous one, including the slash
        // after its authority.
        let mut last: (&[u8], Ruling<'j>) = (b"", self.judge.no_host());
        let mut start = 0;
        while start < lines.len() {
            let left = &lines[start..];
            let is_same = !last.0.is_empty() && begins_with(left, last.0);
            let searched = if is_same { last.0.len() } else { 0 };
            let Some(len) = memchr(b'\n', &left[searched..]) else { break };
            let end = searched + len;
            let bytes = left[..end].strip_suffix(b"\r").unwrap_or(&left[..end]);
            let line_start = start;
            start += end + 1;
            let path = if is_same {
                Some(&bytes[last.0.len() - 1..])
            } else if bytes.is_empty() {
                continue;
            } else {
                let (authority_end, ruling) = self.find(bytes, tally);
                last.1 = ruling;
                match bytes.get(authority_end) {
                    Some(b'/') if authority_end > 0 => {
                        last.0 = &bytes[..=authority_end];
                        Some(&bytes[authority_end..])
                    }
                    _ => {
                        last.0 = b"";
                        None
                    }
                }
            };
            tally.urls += 1;
            let (url, ruling) = (Url { bytes, path }, last.1);
            judge(Line { url, ruling, start: line_start, end: start - 1 }, tally)?;
        }
        Ok(())
    }

    /// Where the authority of a URL ends (0 if it has none), and its ruling.
    #[inline]
    fn find(&mut self, url: &[u8], tally: &mut Tally) -> (usize, Ruling<'j>) {
        let rest = url.strip_prefix(b"http").unwrap_or(url);
        let rest = rest.strip_prefix(b"s").unwrap_or(rest);
        if let Some(rest) = rest.strip_prefix(b"://")
            && let Some(end) = memchr(b'/', rest)
        {
            let end = url.len() - rest.len() + end;
            let start = &url[..end];
            if let Some(ruling) = self.known.get(start, self.judge.hasher.hash(start)) {
                return (end, ruling);
            }
        }
        self.meet(url, tally)
    }

    /// The same for a URL whose host may be new; a new host is counted.
    fn meet(&mut self, url: &[u8], tally: &mut Tally) -> (usize, Ruling<'j>) {
        let judge = self.judge;
        let Some(authority) = Authority::of(url, judge.google) else { return (0, judge.no_host()) };
        let start = authority.start;
        let start_hash = judge.hasher.hash(start);
        if let Some(ruling) = self.known.get(start, start_hash) {
            return (start.len(), ruling);
        }
        let ruling = match authority.host() {
            None => judge.no_host(),
            Some(host) => {
                let hash = judge.hasher.hash(&host);
                self.seen.note(hash, tally);
                judge.ruling(start, &host, hash)
            }
        };
        self.known.put(start, start_hash, ruling);
        (start.len(), ruling)
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
