//! Lines of logs, judged.

use std::net::IpAddr;

use memchr::{memchr, memchr_iter};
use robotsieve::Policy;

use super::crawlers::Name;
use super::fields::{self, Fields, LacksQuery, Method};
use super::formats::LogFormat;
use super::judged::{Judged, Recorder};
use super::logs::Block;
use super::requested::{Asked, asked, host, is_allowed_with, is_robots_txt, without_port};
use super::senders::{Sender, Senders, Sent};
use super::settings::Audit;
use super::tally::Answer;
use super::times::Clock;
use super::w3c;
use crate::ranges::{AddressSource, is_private};

/// Judges blocks of lines by an [`Audit`].
///
/// Remembers who sent which User-Agent header, up to 65,536 headers or 16 MiB of them, so each thread
/// needs one of its own. It never changes what a block comes to.
#[derive(Debug)]
pub struct Judge<'a> {
    audit: &'a Audit<'a>,
    senders: Senders<'a>,
    clock: Clock,
    recorder: Recorder<'a>,
}

/// What a line is that has a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Request {
    /// Its time is none.
    Damaged,
    /// Not of a crawler, or not judged for another reason.
    NotJudged,
    /// No rule forbids it.
    Allowed,
    /// A crawler must not make it.
    Forbidden,
}

impl<'a> Judge<'a> {
    /// A judge that knows no header yet.
    #[must_use]
    pub fn new(audit: &'a Audit<'a>) -> Judge<'a> {
        Judge {
            audit,
            senders: Senders::new(audit),
            clock: Clock::default(),
            recorder: Recorder::default(),
        }
    }

    /// Judges the requests of a block, and calls `forbidden` with each line, without its line feed, of a
    /// request that a crawler must not make.
    ///
    /// Takes memory in proportion to the block, for what differs from line to line: blocks of some hundred
    /// kilobytes are best.
    pub fn judge(&mut self, block: Block<'_>, mut forbidden: impl FnMut(&[u8])) -> Judged<'a> {
        self.senders.make_room();
        self.recorder.begin(&block, self.audit.versions.len());
        let Block { mut format, lines, .. } = block;
        let Some(lines) = lines else {
            self.recorder.judged.lines += 1;
            self.recorder.judged.totals.lines += 1;
            self.recorder.judged.totals.too_long += 1;
            return self.recorder.end();
        };
        let mut from = 0;
        for to in memchr_iter(b'\n', lines) {
            if self.line(&lines[from..to], &mut format) {
                forbidden(&lines[from..to]);
            }
            from = to + 1;
        }
        if from < lines.len() && self.line(&lines[from..], &mut format) {
            forbidden(&lines[from..]);
        }
        self.recorder.end()
    }

    /// Counts and judges a line. Returns true if its request is forbidden.
    #[inline]
    fn line(&mut self, line: &[u8], format: &mut Option<LogFormat>) -> bool {
        self.recorder.judged.lines += 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() || line[0] == b'#' && is_directive(line, format) {
            return false;
        }
        self.recorder.judged.totals.lines += 1;
        let fields = format.as_ref().and_then(|format| format.read(line));
        let request = fields.as_ref().map_or(Request::Damaged, |fields| self.request(fields));
        if self.audit.keeps_addresses
            && let Some(address) = fields.and_then(|fields| address_of(&fields))
        {
            let is_judged = matches!(request, Request::Allowed | Request::Forbidden);
            self.recorder.add_client(address, is_judged);
        }
        if request == Request::Damaged {
            self.recorder.add_damaged();
        }
        request == Request::Forbidden
    }

    /// Counts and judges a request.
    #[inline]
    fn request(&mut self, fields: &Fields<'_>) -> Request {
        let time = match fields.time {
            Some(text) => match self.clock.read(text) {
                Some(time) => Some(time),
                None => return Request::Damaged,
            },
            // Nobody can tell which file was in force.
            None if self.audit.versions.len() > 1 => return Request::Damaged,
            None => None,
        };
        if !self.audit.hosts.is_empty() {
            let host = host(fields);
            // One for nobody knows which host counts.
            if !host.is_empty() && !self.audit.hosts.contains(&host) {
                self.recorder.judged.totals.other_hosts += 1;
                self.recorder.add_host(host);
                return Request::NotJudged;
            }
        }
        // Escaped or not, nearly all begin like this.
        if !matches!(fields.target, Some([b'/', ..])) {
            let target = fields.target();
            if target.as_deref().and_then(asked).is_none() {
                self.recorder.judged.totals.without_path += 1;
                return Request::NotJudged;
            }
        }
        let Some(header) = fields.agent else {
            self.recorder.judged.totals.without_header += 1;
            return Request::NotJudged;
        };
        let sender = match fields.is_w3c {
            true => self.senders.sender(&w3c::header(header)),
            false => self.senders.sender(header),
        };
        match sender {
            Sender::Other => {
                self.recorder.judged.totals.other_clients += 1;
                Request::NotJudged
            }
            Sender::NotChosen { number } => {
                self.recorder.judged.totals.other_crawlers += 1;
                number.into_iter().for_each(|number| self.of_other(fields, time, number));
                Request::NotJudged
            }
            Sender::Crawler { number, policies } => self.of_crawler(fields, time, number, policies),
        }
    }

    /// Notes what a crawler that is not judged was answered for /robots.txt, which may hold for others that are.
    fn of_other(&mut self, fields: &Fields<'_>, time: Option<u64>, number: usize) {
        let target = fields.target().unwrap_or_default();
        if !asked(&target).is_some_and(|asked| is_robots_txt(&asked, &self.audit.profile)) {
            return;
        }
        let file = time.map_or(0, |time| self.audit.in_force(time));
        let Sent { name, asker, .. } = &self.senders.crawlers[number];
        let Some(answer) = self.answer(fields, name, file) else { return };
        let (source, _) = self.source(number, fields);
        self.recorder.add_answer(*asker, source, (time, answer), || name.clone());
    }

    /// The answer to a request for the URL of /robots.txt. `None` if it did not ask for the file.
    fn answer(&self, fields: &Fields<'_>, name: &Name<'a>, file: usize) -> Option<Answer> {
        let means_none =
            |status| (self.audit.means_none)(self.audit.crawlers.profile(name, file), status);
        let asks = fields.method != Method::Other;
        asks.then(|| Answer::of(fields.method, fields.status, means_none))
    }

    /// Judges the request of a crawler.
    fn of_crawler(
        &mut self,
        fields: &Fields<'_>,
        time: Option<u64>,
        number: usize,
        policies: usize,
    ) -> Request {
        let target = fields.target().unwrap_or_default();
        let asked = asked(&target).unwrap_or(Asked::Path(b"/"));
        let file = time.map_or(0, |time| self.audit.in_force(time));
        let judged = &mut self.recorder.judged;
        if time.is_some() && self.audit.versions[0].from > time {
            judged.totals.before_first += 1;
        }
        judged.totals.judged += 1;
        judged.judged_by[file] += 1;
        let (_, named) = fields.client.apart();
        if !named.is_empty() {
            if self.recorder.wants_host(named) {
                self.recorder.add_host(without_port(named));
            }
        } else if matches!(asked, Asked::Url(_)) && self.recorder.has_room_for_hosts() {
            let host = host(fields);
            if !host.is_empty() {
                self.recorder.add_host(host);
            }
        }
        let (source, address) = self.source(number, fields);
        let policy = self.senders.policy(policies, file);
        // Whoever is to obey a robots.txt must read it, so that is no offence in any profile.
        let is_robots_txt = is_robots_txt(&asked, &self.audit.profile);
        let is_allowed = is_robots_txt || is_path_allowed(policy, &asked);
        let totals = &mut self.recorder.judged.totals;
        match fields.lacks_query {
            LacksQuery::No => totals.with_query += u64::from(memchr(b'?', &target).is_some()),
            LacksQuery::Perhaps => totals.may_lack_query += 1,
            LacksQuery::Yes => totals.lack_query += 1,
        }
        let some_query_allows = |policy: &Policy| {
            let queries = self.audit.queries.as_ref();
            fields.lacks_query != LacksQuery::No
                && queries.is_none_or(|queries| is_allowed_with(queries, policy, &asked))
        };
        let may_copy_allow = |copy| {
            let policy = self.senders.policy(policies, copy);
            is_path_allowed(policy, &asked) || some_query_allows(policy)
        };
        // Nobody is accused on a doubt.
        let is_allowed = is_allowed || {
            let by_query = some_query_allows(policy);
            let mut copies = self.audit.copies(file, time.unwrap_or(0));
            let by_copy = !by_query && copies.any(may_copy_allow);
            totals.by_query += u64::from(by_query);
            totals.by_copy += u64::from(by_copy);
            by_query || by_copy
        };
        let rule = if is_allowed { None } else { Some((file, line_of(policy, &asked))) };
        let Sent { name, asker, .. } = &self.senders.crawlers[number];
        let answer = if is_robots_txt { self.answer(fields, name, file) } else { None };
        let crawler =
            self.recorder.crawler([number, *asker], source, (time, answer), || name.clone());
        let sums = self.recorder.sums(crawler);
        sums.add(time, answer, fields.status);
        if rule.is_some() {
            sums.add_forbidden(fields.status);
        }
        if source == Some(AddressSource::Other) || self.audit.keeps_addresses {
            match address {
                Some(address) => self.recorder.add_address(crawler, address, !is_allowed),
                None => sums.more_addresses += 1,
            }
        }
        let Some(rule) = rule else { return Request::Allowed };
        let path = match asked {
            Asked::Path(text) | Asked::Url(text) => text,
        };
        self.recorder.add_forbidden(crawler, rule, path);
        self.recorder.judged.totals.forbidden += 1;
        Request::Forbidden
    }

    /// Where the request of the crawler came from, and from which address if that matters.
    fn source(
        &self,
        number: usize,
        fields: &Fields<'_>,
    ) -> (Option<AddressSource>, Option<IpAddr>) {
        let at = self.senders.crawlers[number].verified;
        if at.is_none() && !self.audit.keeps_addresses {
            return (None, None);
        }
        let address = address_of(fields);
        let source = at.map(|at| match address {
            Some(address) if self.audit.verified[at].ranges.contains(address) => {
                AddressSource::Published
            }
            Some(address) if !is_private(address) => AddressSource::Other,
            // A proxy's address says nothing of who is behind it.
            Some(_) | None => AddressSource::Unknown,
        });
        (source, address)
    }
}

fn address_of(fields: &Fields<'_>) -> Option<IpAddr> {
    fields::address(fields.client.apart().0)
}

#[cold]
fn is_directive(line: &[u8], format: &mut Option<LogFormat>) -> bool {
    format.as_mut().is_some_and(|format| format.read_directive(line))
}

fn is_path_allowed(policy: &Policy, asked: &Asked<'_>) -> bool {
    let is_allowed = match asked {
        Asked::Path(path) => policy.is_path_allowed(path),
        Asked::Url(url) => policy.is_allowed(url),
    };
    is_allowed.unwrap_or(true)
}

/// The line of the rule that forbids it.
fn line_of(policy: &Policy, asked: &Asked<'_>) -> u32 {
    let decision = match asked {
        Asked::Path(path) => policy.decide_path(path),
        Asked::Url(url) => policy.decide(url),
    };
    decision.ok().and_then(|decision| decision.rule()).map_or(0, |rule| rule.line)
}
