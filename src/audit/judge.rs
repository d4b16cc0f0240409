//! Lines of logs, counted and judged.

use std::collections::BTreeSet;
use std::net::IpAddr;

use memchr::{memchr, memmem};

use super::crawlers::{Crawlers, Kind, Sender};
use super::fields::{self, Fields};
use super::formats::LogFormat;
use super::ranges::Ranges;
use super::tally::Totals;
use super::times::Clock;
use super::w3c;
use crate::known::KnownCrawlers;
use crate::policy::Policy;
use crate::policy::robots::Robots;
use crate::profile::Profile;
use crate::rules::target::Target;

/// The number of places of damaged lines that are kept.
pub(super) const PLACES: usize = 5;

/// The number of hosts that are kept if the logs have several.
pub(super) const HOSTS: usize = 4;

/// The number of bytes of examples that are kept, of all crawlers.
const EXAMPLES_BYTES: usize = 16 << 20;

/// A robots.txt, and from when on it was the site's.
#[derive(Debug)]
pub struct Version<'f> {
    name: String,
    robots: Robots<'f>,
    from: Option<u64>,
    answer: Option<String>,
}

impl<'f> Version<'f> {
    /// A file that was there from the beginning, with its name for the report.
    #[must_use]
    pub fn new(name: impl Into<String>, robots: Robots<'f>) -> Version<'f> {
        Version { name: name.into(), robots, from: None, answer: None }
    }

    /// Says when the file became the site's, in seconds since 1970.
    #[must_use]
    pub fn from(mut self, seconds: u64) -> Version<'f> {
        self.from = Some(seconds);
        self
    }

    /// Says that the file stands for what its URL answered instead, such as `HTTP 503`.
    #[must_use]
    pub fn answered(mut self, answer: impl Into<String>) -> Version<'f> {
        self.answer = Some(answer.into());
        self
    }
}

/// A version without its file, which [`Crawlers`] has.
#[derive(Debug)]
pub(super) struct Dated {
    pub(super) name: String,
    pub(super) from: Option<u64>,
    pub(super) answer: Option<String>,
}

/// The addresses of a crawler.
#[derive(Debug)]
pub(super) struct Verified {
    /// Its product token.
    token: String,
    /// The name for which the addresses were given: the token, or an operator's.
    pub(super) given: String,
    pub(super) ranges: Ranges,
    /// True if a crawler of this name is in the logs.
    pub(super) is_found: bool,
}

/// The audit of logs, line by line.
#[derive(Debug)]
pub struct Audit<'a> {
    pub(super) profile: Profile,
    pub(super) versions: Vec<Dated>,
    pub(super) crawlers: Crawlers<'a>,
    /// In lower case.
    hosts: Vec<String>,
    pub(super) verified: Vec<Verified>,
    /// The place in `verified` for each crawler.
    ranges_of: Vec<Option<usize>>,
    pub(super) totals: Totals,
    /// How many requests each file judged.
    pub(super) judged_by: Vec<u64>,
    /// The first damaged lines: the log's name and the line.
    pub(super) damaged: Vec<(String, u64)>,
    /// Some hosts of judged requests.
    pub(super) seen_hosts: BTreeSet<Vec<u8>>,
    /// The formats in which the logs were read.
    pub(super) formats: BTreeSet<&'static str>,
    room: usize,
    clock: Clock,
    log: Log,
}

/// The log that is being read.
#[derive(Debug, Default)]
struct Log {
    name: String,
    format: Option<LogFormat>,
    /// The number of the last line, and how many lines were not empty.
    number: u64,
    lines: u64,
}

/// A line of a log, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogLine {
    /// Empty, so it does not count.
    Empty,
    /// Not in the log's format.
    Damaged,
    /// A request that no rule forbids, or that is not judged.
    Request,
    /// A request that a crawler must not make.
    Forbidden,
}

impl LogLine {
    /// Returns true if this is [`LogLine::Forbidden`].
    pub fn is_forbidden(self) -> bool {
        self == LogLine::Forbidden
    }
}

/// Where a request came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// No published addresses of the crawler are known.
    Unknown,
    Published,
    /// Another address, if the log has it.
    Other(Option<IpAddr>),
}

/// What was asked for.
enum Asked<'t> {
    Path(&'t [u8]),
    Url(&'t [u8]),
}

impl<'a> Audit<'a> {
    /// Judges requests by the version of the file that was in force. The versions may come in any
    /// order; what was requested before the first one is judged by it.
    ///
    /// # Panics
    /// Panics if there is no version.
    #[must_use]
    pub fn new(mut versions: Vec<Version<'a>>, known: &'a KnownCrawlers) -> Audit<'a> {
        assert!(!versions.is_empty(), "requests are judged by at least one file");
        versions.sort_by_key(|version| version.from);
        let (versions, files): (Vec<Dated>, Vec<Robots<'a>>) = versions
            .into_iter()
            .map(|Version { name, robots, from, answer }| (Dated { name, from, answer }, robots))
            .unzip();
        Audit {
            profile: *files[0].profile(),
            judged_by: vec![0; versions.len()],
            versions,
            crawlers: Crawlers::new(known, files),
            hosts: Vec::new(),
            verified: Vec::new(),
            ranges_of: Vec::new(),
            totals: Totals::default(),
            damaged: Vec::new(),
            seen_hosts: BTreeSet::new(),
            formats: BTreeSet::new(),
            room: EXAMPLES_BYTES,
            clock: Clock::default(),
            log: Log::default(),
        }
    }

    /// Judges only requests for this host and the others that are added; requests for nobody knows
    /// which host, too.
    pub fn add_host(&mut self, host: &str) {
        self.hosts.push(without_port(host.as_bytes()));
    }

    /// Adds addresses from which the crawler with this token reads.
    pub fn add_ranges(&mut self, token: &str, ranges: &Ranges) {
        self.add_ranges_of(token, token, ranges);
    }

    /// Adds the addresses of a published file for the crawlers that it is for. `name` is that under
    /// which it was given, for the report.
    pub fn add_published(&mut self, name: &str, crawlers: &[(String, Ranges)]) {
        for (token, ranges) in crawlers {
            self.add_ranges_of(name, token, ranges);
        }
    }

    fn add_ranges_of(&mut self, given: &str, token: &str, ranges: &Ranges) {
        let is_it = |there: &&mut Verified| there.token.eq_ignore_ascii_case(token);
        match self.verified.iter_mut().find(is_it) {
            Some(there) => there.ranges.add(ranges),
            None => self.verified.push(Verified {
                token: token.to_owned(),
                given: given.to_owned(),
                ranges: ranges.clone(),
                is_found: false,
            }),
        }
    }

    /// The names under which addresses were given, of whose crawlers none is in the logs.
    pub(super) fn not_found(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for one in &self.verified {
            let is_it = |other: &Verified| other.given.eq_ignore_ascii_case(&one.given);
            let is_new = !names.iter().any(|name| name.eq_ignore_ascii_case(&one.given));
            if is_new && !self.verified.iter().any(|other| is_it(other) && other.is_found) {
                names.push(one.given.clone());
            }
        }
        names
    }

    /// Begins a log. Its format is told by its first lines ([`Audit::detect`]) if it is not given.
    pub fn begin_log(&mut self, name: &str, format: Option<LogFormat>) {
        self.log = Log { name: name.to_owned(), format, number: 0, lines: 0 };
    }

    /// Tells the format of the log by lines, each with its line feed, if it is not known yet.
    pub fn detect(&mut self, lines: &[u8]) {
        if self.log.format.is_none() {
            self.log.format = LogFormat::detect(lines);
        }
    }

    /// Ends a log. Returns whether its format was known, or did not matter because there was no line.
    pub fn end_log(&mut self) -> bool {
        let log = std::mem::take(&mut self.log);
        self.formats.extend(log.format.as_ref().map(LogFormat::as_str));
        log.format.is_some() || log.lines == 0
    }

    /// Counts a line that is too long to be read.
    pub fn skip_line(&mut self) {
        self.log.number += 1;
        self.log.lines += 1;
        self.totals.lines += 1;
        self.totals.too_long += 1;
    }

    /// Counts and judges the next line of the log, given without its line feed.
    #[inline]
    pub fn line(&mut self, line: &[u8]) -> LogLine {
        self.log.number += 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() || line[0] == b'#' && self.is_directive(line) {
            return LogLine::Empty;
        }
        self.log.lines += 1;
        self.totals.lines += 1;
        let fields = self.log.format.as_ref().and_then(|format| format.read(line));
        let read = fields.map_or(LogLine::Damaged, |fields| self.request(&fields));
        if read == LogLine::Damaged {
            self.totals.damaged += 1;
            if self.damaged.len() < PLACES {
                self.damaged.push((self.log.name.clone(), self.log.number));
            }
        }
        read
    }

    #[cold]
    fn is_directive(&mut self, line: &[u8]) -> bool {
        self.log.format.as_mut().is_some_and(|format| format.read_directive(line))
    }

    /// Counts and judges a request.
    #[inline]
    fn request(&mut self, fields: &Fields<'_>) -> LogLine {
        let time = match fields.time {
            Some(text) => match self.clock.read(text) {
                Some(time) => Some(time),
                None => return LogLine::Damaged,
            },
            // Nobody can tell which file was in force.
            None if self.versions.len() > 1 => return LogLine::Damaged,
            None => None,
        };
        if !self.hosts.is_empty() && !self.is_for_host(fields) {
            self.totals.other_hosts += 1;
            if self.seen_hosts.len() <= HOSTS {
                self.seen_hosts.insert(host(fields).into_bytes());
            }
            return LogLine::Request;
        }
        // Escaped or not, nearly all begin like this.
        if !matches!(fields.target, Some([b'/', ..])) {
            let target = fields.target();
            if target.as_deref().and_then(asked).is_none() {
                self.totals.without_path += 1;
                return LogLine::Request;
            }
        }
        let Some(header) = fields.agent else {
            self.totals.without_header += 1;
            return LogLine::Request;
        };
        let sender = match fields.is_w3c {
            true => self.crawlers.sender(&w3c::header(header)),
            false => self.crawlers.sender(header),
        };
        match sender {
            Sender::Other => {
                self.totals.other_clients += 1;
                LogLine::Request
            }
            Sender::Crawler { number, policies } => self.judge(fields, time, number, policies),
        }
    }

    /// Judges the request of a crawler.
    fn judge(
        &mut self,
        fields: &Fields<'_>,
        time: Option<u64>,
        number: usize,
        policies: usize,
    ) -> LogLine {
        let target = fields.target().unwrap_or_default();
        let asked = asked(&target).unwrap_or(Asked::Path(b"/"));
        let file = time.map_or(0, |time| self.in_force(time));
        if time.is_some() && self.versions[0].from > time {
            self.totals.before_first += 1;
        }
        self.see_host(fields);
        self.totals.judged += 1;
        self.judged_by[file] += 1;
        let source = self.source(number, fields);
        let is_verified = source == Source::Published;
        let policy = self.crawlers.policy(policies, file);
        let is_allowed = match asked {
            Asked::Path(path) => policy.is_path_allowed(path),
            Asked::Url(url) => policy.is_allowed(url),
        };
        // Whoever is to obey a robots.txt must read it, so that is no offence in any profile.
        let is_robots_txt = is_robots_txt(&asked, &self.profile);
        let is_allowed = is_robots_txt || is_allowed.unwrap_or(true);
        let rule = if is_allowed { None } else { Some((file, line_of(policy, &asked))) };
        let tally = &mut self.crawlers.all[number].tally;
        tally.add(time, is_robots_txt);
        tally.verified[0] += u64::from(is_verified);
        if let Source::Other(address) = source {
            tally.add_unverified(address, !is_allowed);
        }
        let Some(rule) = rule else { return LogLine::Request };
        let path = match asked {
            Asked::Path(text) | Asked::Url(text) => text,
        };
        tally.add_forbidden(rule, path, fields.status, &mut self.room);
        tally.verified[1] += u64::from(is_verified);
        self.totals.forbidden += 1;
        LogLine::Forbidden
    }

    /// The number of the file that was in force: the first one before it began, too.
    fn in_force(&self, time: u64) -> usize {
        if self.versions.len() == 1 {
            return 0;
        }
        self.versions.partition_point(|version| version.from <= Some(time)).saturating_sub(1)
    }

    /// Where a request of the crawler came from.
    fn source(&mut self, number: usize, fields: &Fields<'_>) -> Source {
        if self.verified.is_empty() {
            return Source::Unknown;
        }
        while self.ranges_of.len() < self.crawlers.all.len() {
            let found = &self.crawlers.all[self.ranges_of.len()];
            let name = match &found.kind {
                Kind::Known(known) => known.token.as_str(),
                Kind::Unknown(token) => token.as_str(),
                Kind::More => "",
            };
            let is_name = |verified: &Verified| verified.token.eq_ignore_ascii_case(name);
            let at = self.verified.iter().position(is_name);
            at.iter().for_each(|at| self.verified[*at].is_found = true);
            self.ranges_of.push(at);
        }
        let Some(at) = self.ranges_of[number] else { return Source::Unknown };
        let address = fields::address(fields.client.apart().0);
        match address.is_some_and(|address| self.verified[at].ranges.contains(address)) {
            true => Source::Published,
            false => Source::Other(address),
        }
    }

    /// Returns true if published addresses are known of the crawler at this place.
    pub(super) fn has_ranges(&self, number: usize) -> bool {
        self.ranges_of.get(number).copied().flatten().is_some()
    }

    /// Returns true if the request is for one of the hosts asked for, or for nobody knows which.
    fn is_for_host(&self, fields: &Fields<'_>) -> bool {
        let host = host(fields);
        host.is_empty() || self.hosts.contains(&host)
    }

    /// Remembers the hosts of the first requests, to say that there are several.
    fn see_host(&mut self, fields: &Fields<'_>) {
        if self.seen_hosts.len() <= HOSTS {
            let (_, host) = fields.client.apart();
            if !host.is_empty() && !self.seen_hosts.contains(host) {
                self.seen_hosts.insert(without_port(host).into_bytes());
            }
        }
    }
}

/// What a target asks for, if it is a path or a URL of the web (RFC 9112 §3.2).
fn asked(target: &[u8]) -> Option<Asked<'_>> {
    if target.first() == Some(&b'/') {
        return Some(Asked::Path(target));
    }
    let scheme = memmem::find(&target[..target.len().min(8)], b"://")?;
    let is_web =
        [&b"http"[..], b"https"].iter().any(|web| target[..scheme].eq_ignore_ascii_case(web));
    // The authority is not empty, so every profile takes the URL.
    let has_host = target.get(scheme + 3).is_some_and(|byte| !matches!(byte, b'/' | b'?' | b'#'));
    (is_web && has_host).then_some(Asked::Url(target))
}

/// The line of the rule that forbids it.
fn line_of(policy: &Policy, asked: &Asked<'_>) -> u32 {
    let decision = match asked {
        Asked::Path(path) => policy.decide_path(path),
        Asked::Url(url) => policy.decide(url),
    };
    decision.ok().and_then(|decision| decision.rule()).map_or(0, |rule| rule.line)
}

/// Returns true if this is /robots.txt, with a query or without.
fn is_robots_txt(asked: &Asked<'_>, profile: &Profile) -> bool {
    let target = match asked {
        // Rules out nearly all.
        Asked::Path([b'/', b'r' | b'%', ..]) | Asked::Url(_) => match asked {
            Asked::Path(path) => Target::from_path(path, profile),
            Asked::Url(url) => Target::from_url(url, profile),
        },
        Asked::Path(_) => return false,
    };
    let Ok(target) = target else { return false };
    let target = target.to_vec();
    target[..memchr(b'?', &target).unwrap_or(target.len())] == *b"/robots.txt"
}

/// The host that a request is for, in lower case, without its port; empty if the log does not tell.
fn host(fields: &Fields<'_>) -> String {
    let (_, host) = fields.client.apart();
    if !host.is_empty() {
        return without_port(host);
    }
    let target = fields.target().unwrap_or_default();
    match asked(&target) {
        Some(Asked::Url(url)) => {
            let after = memmem::find(url, b"://").map_or(&b""[..], |at| &url[at + 3..]);
            let end = after.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#'));
            let authority = &after[..end.unwrap_or(after.len())];
            let at = memchr::memrchr(b'@', authority).map_or(0, |at| at + 1);
            without_port(&authority[at..])
        }
        _ => String::new(),
    }
}

/// A host in lower case, without its port and without the dot at its end.
fn without_port(host: &[u8]) -> String {
    let host = String::from_utf8_lossy(host).to_ascii_lowercase();
    let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let name = match host.rsplit_once(':') {
        // Not the end of an IPv6 address.
        Some((name, port)) if is_port(port) && (!name.contains(':') || name.ends_with(']')) => name,
        _ => &host,
    };
    name.strip_suffix('.').unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_without_ports() {
        for (host, wanted) in [
            ("WWW.e.com:443", "www.e.com"),
            ("e.com.", "e.com"),
            ("[::1]:80", "[::1]"),
            ("::1", "::1"),
            ("e.com:x", "e.com:x"),
            ("", ""),
        ] {
            assert_eq!(without_port(host.as_bytes()), wanted);
        }
    }

    #[test]
    fn targets_that_are_judged() {
        for (target, is_judged) in [
            ("/", true),
            ("//x", true),
            ("http://e.com", true),
            ("HTTPS://e.com/x", true),
            ("http://", false),
            ("http:///x", false),
            ("ftp://e.com/x", false),
            ("e.com:443", false),
            ("*", false),
            ("", false),
        ] {
            let asked = asked(target.as_bytes());
            assert_eq!(asked.is_some(), is_judged, "{target}");
            if let Some(asked) = asked {
                for (name, profile) in Profile::NAMED.iter() {
                    let policy = Robots::parse(b"", profile).policy(&"x".into());
                    let is_allowed = match asked {
                        Asked::Path(path) => policy.is_path_allowed(path),
                        Asked::Url(url) => policy.is_allowed(url),
                    };
                    assert_eq!(is_allowed, Ok(true), "{name} {target}");
                }
            }
        }
    }

    #[test]
    fn requests_for_robots_txt() {
        for (target, wanted) in [
            ("/robots.txt", true),
            ("/robots.txt?x", true),
            ("/%72obots.txt", true),
            ("http://e.com/robots.txt#x", true),
            ("/robots.txt/", false),
            ("/x/robots.txt", false),
            ("/r", false),
        ] {
            let asked = asked(target.as_bytes()).unwrap();
            assert_eq!(is_robots_txt(&asked, &Profile::RFC9309), wanted, "{target}");
        }
    }
}
