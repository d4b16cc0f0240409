//! `robotsieve audit`: which crawlers fetched what the robots.txt forbids, by the site's logs.
//!
//! | module | what |
//! |---|---|
//! | `lines` | a log → lines of bounded length |
//! | `formats`, `fields`, `jsonl`, `template` | a line → its fields |
//! | `escapes`, `times` | a field → what it means |
//! | `crawlers`, `ranges` | a User-Agent header → the crawler, and whether its address is its own |
//! | `tally` | what is counted |
//! | `text`, `json` | the report |

pub mod args;
mod crawlers;
mod escapes;
mod fields;
mod formats;
mod json;
mod jsonl;
mod lines;
mod ranges;
mod tally;
mod template;
mod text;
mod times;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memmem};
use robotsieve::{Policy, Profile, Robots, Target};
use robotsieve_client::Timestamp;

use crate::error::{Failure, Status};
use crate::options::Format;
use crate::read::robots_file::{self, Given};
use crate::read::{inputs, stdin};
use crate::write::report::Report;
use crate::write::stdout::{self, Stdout};
use crate::write::{bytes, stderr};
use args::{AuditArgs, Version};
use crawlers::{Crawlers, Kind, Sender};
use escapes::undone;
use fields::Fields;
use formats::Reader;
use lines::Block;
use ranges::Ranges;
use tally::Totals;
use template::Template;
use times::Clock;

/// How many places of damaged lines are shown.
const PLACES: usize = 5;

/// How many hosts are named if a log has several.
const HOSTS: usize = 4;

/// How many bytes of examples are kept, of all crawlers.
const EXAMPLES_BYTES: usize = 16 << 20;

/// The addresses of a crawler.
struct Verified {
    name: String,
    ranges: Ranges,
    /// Whether a crawler of this name is in the logs.
    is_found: bool,
}

/// What is known of all logs.
struct Audit<'a> {
    profile: Profile,
    versions: &'a [Version],
    /// Those of the versions.
    files: &'a [Given],
    crawlers: Crawlers<'a>,
    /// In lower case.
    hosts: Vec<String>,
    verified: Vec<Verified>,
    /// The place in `verified` for each crawler.
    ranges_of: Vec<Option<usize>>,
    totals: Totals,
    /// How many requests each file judged.
    judged_by: Vec<u64>,
    /// The first damaged lines: the log's name and the line.
    damaged: Vec<(String, u64)>,
    /// Some hosts of judged requests.
    seen_hosts: BTreeSet<Vec<u8>>,
    /// How the logs were read.
    formats: BTreeSet<&'static str>,
    room: usize,
    clock: Clock,
    /// Where offending lines are printed.
    list: Option<BufWriter<Stdout>>,
    /// Whether they must not have control characters.
    harmless: bool,
}

/// What a line is.
enum Line {
    Damaged,
    Done,
    Offends,
}

/// What was asked for.
enum Asked<'t> {
    Path(&'t [u8]),
    Url(&'t [u8]),
}

/// Reads the logs and reports.
pub fn run(args: &AuditArgs) -> Result<Status, Failure> {
    let versions = args.versions()?;
    let logs = args.logs()?;
    let paths = versions.iter().map(|version| version.path.as_os_str());
    stdin::at_most_once(paths.chain(logs.iter().map(OsString::as_os_str)))?;
    let template = args.format_string.as_deref().map(Template::parse).transpose();
    let template = template.map_err(|wrong| Failure::Usage(format!("--format-string: {wrong}")))?;
    if versions.len() > 1 && template.as_ref().is_some_and(|template| !template.has_time) {
        return Err(Failure::Usage(
            "--format-string lacks the time ($time_local, %t), by which one of several robots.txt \
             files is chosen"
                .into(),
        ));
    }
    let fixed = template.map(Reader::Template).or(args.log_format.map(Reader::Named));
    let known = args.known.read()?;
    let profile = args.profile.get();
    let given =
        versions.iter().map(|version| robots_file::given_for(&version.path, &[profile], &known));
    let files: Vec<Given> = given.collect::<Result<_, _>>()?;
    let robots: Vec<Robots<'_>> =
        files.iter().map(|file| Robots::parse(&file.bytes, &profile)).collect();
    for ((version, file), robots) in versions.iter().zip(&files).zip(&robots) {
        robots_file::note_cut(&version.path, &file.bytes, robots);
    }
    let mut audit = Audit {
        profile,
        versions: &versions,
        files: &files,
        crawlers: Crawlers::new(&known, &robots),
        hosts: args.host.iter().map(|host| without_port(host.as_bytes())).collect(),
        verified: verified(args, &known)?,
        ranges_of: Vec::new(),
        totals: Totals::default(),
        judged_by: vec![0; versions.len()],
        damaged: Vec::new(),
        seen_hosts: BTreeSet::new(),
        formats: BTreeSet::new(),
        room: EXAMPLES_BYTES,
        clock: Clock::default(),
        list: args.list.then(|| BufWriter::with_capacity(1 << 16, Stdout::new())),
        harmless: io::stdout().is_terminal(),
    };
    let report = Arc::new(Report::new(args.progress.progress, &logs));
    for log in &logs {
        audit.read(log, fixed.as_ref(), &report)?;
    }
    let read = report.end();
    if let Some(mut list) = audit.list.take() {
        list.flush().map_err(stdout::failed)?;
    }
    audit.notes();
    if args.list {
        text::totals(&audit).iter().for_each(|line| stderr::note(line));
    } else {
        let mut out = BufWriter::new(Stdout::new());
        let printed = match args.format() {
            Format::Text => text::print(&audit, &robots, &mut out),
            Format::Json => json::print(&audit, &robots, &mut out),
        };
        printed.and_then(|()| out.flush()).map_err(stdout::failed)?;
    }
    if audit.names_nobody() {
        return Err(Failure::Incomplete(
            "no line of the logs has a User-Agent header, so no crawler can be found in them: write \
             them in the combined format, or describe it with --format-string"
                .into(),
        ));
    }
    if let Some(message) = audit.asks_for_nobody() {
        return Err(Failure::Incomplete(message));
    }
    let found = if audit.totals.forbidden > 0 { Status::No } else { Status::Done };
    Ok(if read == Status::Done { found } else { read })
}

/// The addresses of `--ranges`.
fn verified(args: &AuditArgs, known: &crate::known::Known) -> Result<Vec<Verified>, Failure> {
    let mut verified: Vec<Verified> = Vec::new();
    for option in &args.ranges {
        if !option.is_named && known.by_token(&option.name).is_none() {
            return Err(Failure::Usage(format!(
                "--ranges {}: no known crawler has the name '{}'; write NAME={0}",
                option.path.display(),
                option.name
            )));
        }
        let name = &option.name;
        let is_name = |there: &Verified| there.name.eq_ignore_ascii_case(name);
        let at = verified.iter().position(is_name).unwrap_or_else(|| {
            let (name, ranges) = (name.clone(), Ranges::default());
            verified.push(Verified { name, ranges, is_found: false });
            verified.len() - 1
        });
        verified[at].ranges.add(&option.path)?;
    }
    Ok(verified)
}

impl Audit<'_> {
    /// Reads one log.
    fn read(
        &mut self,
        log: &OsString,
        fixed: Option<&Reader>,
        report: &Arc<Report>,
    ) -> Result<(), Failure> {
        let input = match inputs::open(log, report) {
            Ok(input) => input,
            Err(cause) => {
                report.error(&inputs::cannot_read(log, &cause));
                return Ok(());
            }
        };
        let name = robots_file::shown(Path::new(log));
        let mut reader = fixed.cloned();
        let (mut number, mut lines) = (0, 0);
        let read = lines::each(input, |block| {
            let block = match block {
                Block::Lines(block) => block,
                Block::TooLong => {
                    number += 1;
                    lines += 1;
                    self.totals.lines += 1;
                    self.totals.too_long += 1;
                    return Ok(());
                }
            };
            if reader.is_none() {
                reader = formats::detect(block).map(Reader::Named);
            }
            let mut from = 0;
            for to in memchr_iter(b'\n', block) {
                let line = &block[from..to];
                from = to + 1;
                number += 1;
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                if line.is_empty() {
                    continue;
                }
                lines += 1;
                self.totals.lines += 1;
                let fields = reader.as_ref().and_then(|reader| reader.read(line));
                match fields.map_or(Line::Damaged, |fields| self.line(&fields)) {
                    Line::Done => {}
                    Line::Damaged => {
                        self.totals.damaged += 1;
                        if self.damaged.len() < PLACES {
                            self.damaged.push((name.clone(), number));
                        }
                    }
                    Line::Offends => self.print(line)?,
                }
            }
            Ok(())
        });
        match read {
            Ok(()) => {}
            Err(Stop::Output(failure)) => return Err(failure),
            Err(Stop::Input(cause)) => {
                report.error(&format_args!("{} breaks off: {cause}", inputs::shown(log)));
            }
        }
        match &reader {
            Some(reader) => drop(self.formats.insert(reader.name())),
            None if lines > 0 => report.error(&format_args!(
                "cannot tell the format of {}: it is not combined, common, Caddy's or Cloudflare's; \
                 describe it with --format-string",
                inputs::shown(log)
            )),
            None => {}
        }
        Ok(())
    }

    /// Counts and judges a line.
    #[inline]
    fn line(&mut self, fields: &Fields<'_>) -> Line {
        let time = match fields.time {
            Some(text) => match self.clock.read(text) {
                Some(time) => Some(time),
                None => return Line::Damaged,
            },
            // Nobody can tell which file was in force.
            None if self.versions.len() > 1 => return Line::Damaged,
            None => None,
        };
        if !self.hosts.is_empty() && !self.is_for_host(fields) {
            self.totals.other_hosts += 1;
            if self.seen_hosts.len() <= HOSTS {
                self.seen_hosts.insert(host(fields).into_bytes());
            }
            return Line::Done;
        }
        // Escaped or not, nearly all begin like this.
        if !matches!(fields.target, Some([b'/', ..])) {
            let target = fields.target.map(undone);
            if target.as_deref().and_then(asked).is_none() {
                self.totals.without_path += 1;
                return Line::Done;
            }
        }
        let Some(header) = fields.agent else {
            self.totals.without_header += 1;
            return Line::Done;
        };
        match self.crawlers.sender(header) {
            Sender::Other => {
                self.totals.other_clients += 1;
                Line::Done
            }
            Sender::Crawler { number, policies } => self.judge(fields, time, number, policies),
        }
    }

    /// Judges the request of a crawler.
    fn judge(
        &mut self,
        fields: &Fields<'_>,
        time: Option<Timestamp>,
        number: usize,
        policies: usize,
    ) -> Line {
        let target = undone(fields.target.unwrap_or_default());
        let asked = asked(&target).unwrap_or(Asked::Path(b"/"));
        let file = time.map_or(0, |time| self.in_force(time));
        if time.is_some() && self.versions[0].from > time {
            self.totals.before_first += 1;
        }
        self.see_host(fields);
        self.totals.judged += 1;
        self.judged_by[file] += 1;
        let is_verified = self.is_verified(number, fields);
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
        let Some(rule) = rule else { return Line::Done };
        let path = match asked {
            Asked::Path(text) | Asked::Url(text) => text,
        };
        tally.add_forbidden(rule, path, fields.status, &mut self.room);
        tally.verified[1] += u64::from(is_verified);
        self.totals.forbidden += 1;
        Line::Offends
    }

    /// The number of the file that was in force: the first one before it began, too.
    fn in_force(&self, time: Timestamp) -> usize {
        if self.versions.len() == 1 {
            return 0;
        }
        self.versions.partition_point(|version| version.from <= Some(time)).saturating_sub(1)
    }

    /// Whether a request came from the published addresses of the crawler.
    fn is_verified(&mut self, number: usize, fields: &Fields<'_>) -> bool {
        if self.verified.is_empty() {
            return false;
        }
        while self.ranges_of.len() < self.crawlers.all.len() {
            let found = &self.crawlers.all[self.ranges_of.len()];
            let name = match &found.kind {
                Kind::Known(known) => known.token.as_str(),
                Kind::Unknown(token) => token.as_str(),
                Kind::More => "",
            };
            let is_name = |verified: &Verified| verified.name.eq_ignore_ascii_case(name);
            let at = self.verified.iter().position(is_name);
            at.iter().for_each(|at| self.verified[*at].is_found = true);
            self.ranges_of.push(at);
        }
        let Some(at) = self.ranges_of[number] else { return false };
        let address = fields::address(fields.client.apart().0);
        address.is_some_and(|address| self.verified[at].ranges.contain(address))
    }

    /// Whether published addresses are known of the crawler at this place.
    fn has_ranges(&self, number: usize) -> bool {
        self.ranges_of.get(number).copied().flatten().is_some()
    }

    /// Whether the request is for one of the hosts asked for, or for nobody knows which.
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

    fn print(&mut self, line: &[u8]) -> Result<(), Stop> {
        let Some(list) = &mut self.list else { return Ok(()) };
        let line = if self.harmless { bytes::on_one_line(line) } else { line.into() };
        let printed = list.write_all(&line).and_then(|()| list.write_all(b"\n"));
        printed.map_err(|cause| Stop::Output(stdout::failed(cause)))
    }

    /// What is wrong if all requests are for other hosts than those asked for.
    fn asks_for_nobody(&self) -> Option<String> {
        let Totals { lines, damaged, too_long, other_hosts, .. } = self.totals;
        if other_hosts == 0 || other_hosts + damaged + too_long < lines {
            return None;
        }
        let hosts: Vec<String> =
            self.hosts.iter().map(|host| bytes::shown(host.as_bytes())).collect();
        Some(format!(
            "no request is for {}, so nothing was judged; the logs have {}",
            hosts.join(", "),
            self.host_names()
        ))
    }

    /// The first hosts of the logs.
    fn host_names(&self) -> String {
        let mut names: Vec<_> =
            self.seen_hosts.iter().take(HOSTS).map(|host| bytes::shown(host)).collect();
        names.extend((self.seen_hosts.len() > HOSTS).then(|| "…".into()));
        names.join(", ")
    }

    /// Whether the logs were read, and lack what tells one client from another.
    fn names_nobody(&self) -> bool {
        let Totals { judged, other_clients, without_header, .. } = self.totals;
        without_header > 0 && judged + other_clients == 0
    }

    /// What one should know before one believes the report.
    fn notes(&self) {
        if self.hosts.is_empty() && self.seen_hosts.len() > 1 {
            stderr::note(&format_args!(
                "the logs have several hosts ({}), and all were judged by the same robots.txt: \
                 choose one with --host",
                self.host_names()
            ));
        }
        if self.totals.lines == 0 {
            stderr::note(&"the logs have no lines");
        }
        for verified in self.verified.iter().filter(|verified| !verified.is_found) {
            stderr::note(&format_args!(
                "no request has the name of '{}', whose addresses --ranges gives",
                verified.name
            ));
        }
        if self.totals.before_first > 0 {
            let requests = match self.totals.before_first {
                1 => "1 request was".to_owned(),
                n => format!("{n} requests were"),
            };
            stderr::note(&format_args!(
                "{requests} made before the date of '{}', the first robots.txt, and judged by it",
                self.versions[0].path.display()
            ));
        }
    }
}

/// Why a log is not read to its end.
enum Stop {
    Input(io::Error),
    Output(Failure),
}

impl From<io::Error> for Stop {
    fn from(cause: io::Error) -> Stop {
        Stop::Input(cause)
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

/// Whether this is /robots.txt, with a query or without.
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
    let target = undone(fields.target.unwrap_or_default());
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
