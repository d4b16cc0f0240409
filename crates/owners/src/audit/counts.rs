//! What all blocks come to.

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;

use super::crawlers::{Asker, Name};
use super::judged::{CrawlerHere, Judged};
use super::settings::{Audit, Verified};
use super::tally::{ADDRESSES, Answer, Answers, HOSTS, PLACES, Sums, Tally, Totals, add_each};
use crate::ranges::AddressSource;

/// The most unknown crawlers that are told apart. A log of hostile headers has any number.
pub(super) const UNKNOWN: usize = 1_000;

/// The most addresses that are kept for a list: of clients, and of crawlers.
const CLIENTS: usize = 1 << 20;

/// The number of bytes of examples that are kept, of all crawlers.
const EXAMPLES_BYTES: usize = 16 << 20;

/// A crawler in the logs.
#[derive(Debug)]
pub(super) struct Found<'a> {
    /// `None`: all others that are not known, beyond [`UNKNOWN`].
    pub(super) name: Option<Name<'a>>,
    pub(super) source: Option<AddressSource>,
    pub(super) tally: Tally,
    /// Requests from an answer 4xx for /robots.txt until it was delivered.
    pub(super) excused: Tally,
    /// The place of its answers, and those of others that ask for /robots.txt together with it.
    pub(super) answers: usize,
}

impl Found<'_> {
    /// All its requests.
    pub(super) fn sums(&self) -> Sums {
        let mut sums = self.tally.sums.clone();
        sums.add_all(&self.excused.sums);
        sums
    }

    fn tally(&mut self, is_excused: bool) -> &mut Tally {
        if is_excused { &mut self.excused } else { &mut self.tally }
    }
}

/// What the blocks of logs come to.
///
/// What is kept is what the lines have first: the places of damaged lines, paths, 1,000 unknown crawlers,
/// and of each crawler 1,000 rules and 1,000 addresses. So blocks are added in the order of the lines, and
/// then the report is the same however they were cut, and whoever judged them. Nothing that had no room once
/// is kept later.
#[derive(Debug)]
pub struct Counts<'a> {
    pub(super) audit: &'a Audit<'a>,
    pub(super) totals: Totals,
    /// The number of requests that each file judged.
    pub(super) judged_by: Vec<u64>,
    /// The first damaged lines: the log's name and the line.
    pub(super) damaged: Vec<(String, u64)>,
    /// Some hosts of judged requests.
    pub(super) hosts: BTreeSet<String>,
    /// The names of logs of which something could not be read.
    pub(super) unread: Vec<String>,
    /// The formats in which the logs were read.
    pub(super) formats: BTreeSet<&'static str>,
    pub(super) found: Vec<Found<'a>>,
    /// Places in `found`, by token in lower case and where requests came from.
    by_token: HashMap<(String, Option<AddressSource>), usize>,
    /// The answers to requests for /robots.txt.
    answers: Vec<Answers>,
    /// Places in `answers`, by who asked and [where that came from](AddressSource::apart).
    by_asker: HashMap<(Asker, usize), usize>,
    /// The addresses of clients, if they are kept, and whether requests that are not judged came from there.
    pub(super) clients: HashMap<IpAddr, bool>,
    /// The number of addresses of crawlers.
    addresses: usize,
    unknown: usize,
    /// The place in `found` of those beyond [`UNKNOWN`].
    more: Option<usize>,
    room: usize,
    /// The number of lines of the present log before the next block.
    lines: u64,
}

impl<'a> Counts<'a> {
    /// Nothing yet.
    #[must_use]
    pub fn new(audit: &'a Audit<'a>) -> Counts<'a> {
        Counts {
            audit,
            totals: Totals::default(),
            judged_by: vec![0; audit.versions.len()],
            damaged: Vec::new(),
            hosts: BTreeSet::new(),
            unread: Vec::new(),
            formats: BTreeSet::new(),
            found: Vec::new(),
            by_token: HashMap::new(),
            answers: Vec::new(),
            by_asker: HashMap::new(),
            clients: HashMap::new(),
            addresses: 0,
            unknown: 0,
            more: None,
            room: EXAMPLES_BYTES,
            lines: 0,
        }
    }

    /// Adds a block: the next one of its log, or the first one of the next log.
    pub fn add(&mut self, judged: Judged<'a>) {
        if judged.is_first {
            self.lines = 0;
        }
        self.formats.extend(judged.format);
        self.totals.add(&judged.totals);
        add_each(&mut self.judged_by, &judged.judged_by);
        for line in judged.damaged.iter().take(PLACES - self.damaged.len()) {
            self.damaged.push((judged.log.to_string(), self.lines + line));
        }
        self.lines += judged.lines;
        for host in &judged.hosts {
            if self.hosts.len() <= HOSTS && !self.hosts.contains(host) {
                self.hosts.insert(host.clone());
            }
        }
        for (address, by_others) in &judged.clients {
            match self.clients.len() < CLIENTS {
                true => *self.clients.entry(*address).or_default() |= by_others,
                false => {
                    self.clients.get_mut(address).into_iter().for_each(|there| *there |= by_others)
                }
            }
        }
        let places: Vec<usize> =
            judged.crawlers.iter().map(|here| self.at(&here.name, here.source)).collect();
        let answers = self.places_of_answers(&judged, &places);
        for (here, place) in judged.answers.iter().zip(&answers) {
            self.excuse_all_before(*place, here);
        }
        // The place of each, and whether it is excused.
        let crawlers = judged.crawlers.iter().zip(places);
        let crawlers: Vec<(usize, bool)> =
            crawlers.map(|(here, at)| (at, self.add_crawler(here, at))).collect();
        for (here, place) in judged.answers.iter().zip(answers) {
            self.answers[place].add_all(here);
        }
        for addressed in &judged.addresses {
            let (place, is_excused) = crawlers[addressed.crawler as usize];
            let found = &mut self.found[place];
            let is_one = found.name.is_some();
            let tally = found.tally(is_excused);
            let has_room = match self.audit.keeps_addresses {
                true => self.addresses < CLIENTS,
                false => tally.addresses.len() < ADDRESSES,
            };
            if is_one && tally.add_address(addressed.address, addressed.counts, has_room) {
                self.addresses += 1;
            }
        }
        for broken in &judged.rules {
            let (place, is_excused) = crawlers[broken.crawler as usize];
            let tally = self.found[place].tally(is_excused);
            tally.add_broken(broken.rule, broken.requests);
        }
        for example in &judged.examples {
            let broken = &judged.rules[example.rule as usize];
            let (place, is_excused) = crawlers[broken.crawler as usize];
            let tally = self.found[place].tally(is_excused);
            tally.add_example(broken.rule, judged.part(example), &mut self.room);
        }
    }

    /// Adds a log of which nothing, or not all, could be read.
    pub fn add_unread(&mut self, log: &str) {
        self.unread.push(log.to_owned());
    }

    /// Returns true if nobody can tell which of a crawler's requests followed a refusal of /robots.txt, and there is one.
    pub(super) fn is_excused(&self, found: &Found<'_>) -> bool {
        let answers = &self.answers[found.answers];
        let [_, got, ..] = found.sums().robots_txt;
        // Of several crawlers nobody can say which one was refused it.
        answers.has_refusal && if found.name.is_some() { answers.is_disordered } else { got == 0 }
    }

    /// The number of requests that a crawler must not make, and of those that are excused.
    pub(super) fn forbidden(&self, found: &Found<'_>) -> [u64; 2] {
        let [forbidden, excused] = [&found.tally, &found.excused].map(|tally| tally.sums.forbidden);
        if self.is_excused(found) { [0, forbidden + excused] } else { [forbidden, excused] }
    }

    /// Returns true if a crawler asked for /robots.txt, or another one of its operator, for all that is known.
    pub(super) fn has_asked(&self, found: &Found<'_>) -> bool {
        let unknown = AddressSource::apart(Some(AddressSource::Unknown));
        let unknown =
            found.name.as_ref().and_then(|name| self.by_asker.get(&(name.asker(), unknown)));
        unknown.into_iter().chain([&found.answers]).any(|at| self.answers[*at].has_asked)
    }

    /// If the first answer of all is a refusal, so was the one before it, for all that is known.
    fn excuse_all_before(&mut self, place: usize, here: &Answers) {
        let answers = &mut self.answers[place];
        if answers.first.is_some() || here.first != Some(Answer::Refused) {
            return;
        }
        answers.first = here.first;
        for found in &mut self.found {
            if found.answers == place && found.name.is_some() {
                std::mem::swap(&mut found.tally, &mut found.excused);
            }
        }
    }

    /// Adds the sums of a crawler. Returns true if these requests are excused.
    fn add_crawler(&mut self, here: &CrawlerHere<'a>, at: usize) -> bool {
        let found = &mut self.found[at];
        if found.name.is_none() {
            // Of several crawlers nobody can say which addresses are theirs.
            let sums = Sums { more_addresses: 0, ..here.sums.clone() };
            found.tally.sums.add_all(&sums);
            return false;
        }
        let answers = &self.answers[found.answers];
        let before = answers.last.or(answers.first);
        let is_excused = here.after.or(before) == Some(Answer::Refused);
        found.tally(is_excused).sums.add_all(&here.sums);
        is_excused
    }

    /// The place of a crawler.
    fn at(&mut self, name: &Name<'a>, source: Option<AddressSource>) -> usize {
        let token = (name.token().to_ascii_lowercase(), source);
        if let Some(at) = self.by_token.get(&token) {
            return *at;
        }
        let is_unknown = name.known().is_none();
        if is_unknown && self.unknown == UNKNOWN {
            let more = self.more.unwrap_or_else(|| self.find(None, None));
            self.more = Some(more);
            return more;
        }
        self.unknown += usize::from(is_unknown);
        let at = self.find(Some(name.clone()), source);
        self.by_token.insert(token, at);
        at
    }

    fn find(&mut self, name: Option<Name<'a>>, source: Option<AddressSource>) -> usize {
        let (tally, excused) = (Tally::default(), Tally::default());
        let answers = self.answers_of(name.as_ref(), source);
        self.found.push(Found { name, source, tally, excused, answers });
        self.found.len() - 1
    }

    /// The place of the answers of a crawler, or of a new one if it has no name.
    fn answers_of(&mut self, name: Option<&Name<'a>>, source: Option<AddressSource>) -> usize {
        let next = self.answers.len();
        let place = name.map_or(next, |name| {
            let asker = (name.asker(), AddressSource::apart(source));
            *self.by_asker.entry(asker).or_insert(next)
        });
        if place == next {
            self.answers.push(Answers::default());
        }
        place
    }

    /// The place of each of the answers of a block whose crawlers have these places.
    fn places_of_answers(&mut self, judged: &Judged<'a>, crawlers: &[usize]) -> Vec<usize> {
        let mut places = vec![0; judged.answers.len()];
        for (here, at) in judged.crawlers.iter().zip(crawlers) {
            places[here.answers as usize] = self.found[*at].answers;
        }
        for here in &judged.askers {
            places[here.answers as usize] = self.answers_of(Some(&here.name), here.source);
        }
        places
    }

    /// The names under which addresses were given, of whose crawlers none is in the logs.
    pub(super) fn not_found(&self) -> Vec<String> {
        let verified = &self.audit.verified;
        let in_logs = self.found.iter().filter_map(|found| found.name.as_ref());
        let in_logs = in_logs.filter_map(|name| self.audit.verified_at(name.token()));
        let in_logs: BTreeSet<usize> = in_logs.collect();
        let mut names: Vec<String> = Vec::new();
        for one in verified {
            let is_it = |other: &Verified| other.given.eq_ignore_ascii_case(&one.given);
            let is_new = !names.iter().any(|name| name.eq_ignore_ascii_case(&one.given));
            if is_new && !in_logs.iter().any(|at| is_it(&verified[*at])) {
                names.push(one.given.clone());
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use robotsieve::{Profile, Robots};
    use robotsieve_known::KnownCrawlers;

    use super::*;
    use crate::audit::{AuditReport, Judge, Log, LogFormat, Ranges, Version, W3cColumns};

    /// Numbers that look random, and are the same in each run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 33) as usize % end
        }

        fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
            texts[self.below(texts.len())]
        }
    }

    /// The robots.txt: more rules than are told apart.
    fn robots() -> String {
        let rules: String = (0..1_300).map(|number| format!("Disallow: /r{number}/\n")).collect();
        format!("User-agent: *\n{rules}User-agent: GPTBot\nDisallow: /\nAllow: /open\n")
    }

    fn audit<'f>(old: &'f str, new: &'f str) -> Audit<'f> {
        let version = |name, file: &'f str| {
            Version::new(name, Robots::parse(file.as_bytes(), &Profile::RFC9309))
        };
        let versions =
            vec![version("old", old).from(1_700_000_000), version("new", new).from(1_790_000_000)];
        let is_4xx = |_: &Profile, status| (400..500).contains(&status);
        let mut audit = Audit::new(versions, KnownCrawlers::built_in(), is_4xx);
        let ranges = Ranges::of(["192.0.2.0/28"]).unwrap();
        // Known, not known, beyond those that are told apart, and in no log.
        for token in ["GPTBot", "xbot1", "Xbot1299", "Googlebot", "Nobot"] {
            audit.add_ranges(token, &ranges);
        }
        audit
    }

    /// Requests: some thousand crawlers, rules and addresses, a few of which are frequent.
    fn requests(random: &mut Random, count: usize) -> Vec<[String; 6]> {
        let request = |number: usize| {
            // Numbers that come for the first time at all places of the log.
            let far = number * 1_300 / count;
            let header = match random.below(12) {
                0 | 8 => format!("Xbot{far}/1.0"),
                1 => format!("xBOT{}", random.below(far + 1)),
                2 => "Mozilla/5.0 (X11) Firefox/140.0".to_owned(),
                3 => "-".to_owned(),
                9.. => "Ybot/1.0".to_owned(),
                _ => random.of(&["GPTBot/1.1", "gptbot", "Xbot1/2", "xBot1/1", "Xbot1"]).to_owned(),
            };
            let rule = if random.below(3) > 0 { far } else { random.below(far + 1) };
            let path = match random.below(12) {
                0 => "/robots.txt".to_owned(),
                1 => "*".to_owned(),
                2 => "http://e.com/r0/x".to_owned(),
                3 => format!("/r{rule}/{}", "long/".repeat(50)),
                4..7 => format!("/r0/{}", random.below(8)),
                _ => format!("/r{rule}/{}", random.below(5)),
            };
            let address = match random.below(6) {
                0 => "-".to_owned(),
                1 => "192.0.2.7".to_owned(),
                2 => "2001:db8::1".to_owned(),
                _ => format!("198.51.{}.{}", far / 256, far % 256),
            };
            let host = random.of(&["e.com", "E.com", "a.e.com", "b.e.com", "c.e.com", "d.e.com"]);
            // The crawlers' own lines are in the order of time, but for one's.
            let (month, from, to) = match number * 8 / count {
                0 => ("02", 0, count / 8),
                1 => ("09", count / 8, count / 4),
                _ => ("11", count / 4, count),
            };
            let day = (1 + (number - from) * 28 / (to - from)).min(28);
            let day = if random.below(50) == 0 { 31 } else { day };
            let second = if header == "gptbot" { random.below(86_400) } else { number };
            let (hour, minute) = (second / 3_600, second / 60 % 60);
            let time = format!("2026-{month}-{day:02} {hour:02}:{minute:02}:{:02}", second % 60);
            let status = random.of(&["200", "403", "503", "-"]);
            // One that is never excused breaks more rules than are told apart.
            let status = if header == "Ybot/1.0" { "200" } else { status }.to_owned();
            [address, host.to_owned(), time, path, status, header]
        };
        (0..count).map(request).collect()
    }

    /// A line of a format string.
    fn combined([address, host, time, path, status, header]: &[String; 6]) -> String {
        format!("{address} {host} {time}Z \"{path}\" {status} \"{header}\"\n")
    }

    const FORMAT: &str =
        r#"$remote_addr $host $time_iso8601 "$request_uri" $status "$http_user_agent""#;

    /// A line of the format of the W3C, with its columns in one of two orders.
    fn w3c([address, host, time, path, status, header]: &[String; 6], is_first: bool) -> String {
        let header = header.replace(' ', "+");
        match is_first {
            true => format!("{time} {path} {address} {host} {status} {header}\r\n"),
            false => format!("{header} {path} {time} {address}\n"),
        }
    }

    /// Two logs, with damaged lines and empty ones, and too long ones, which are one letter here.
    fn logs(random: &mut Random, count: usize, is_w3c: bool) -> [String; 2] {
        let mut is_first = true;
        let requests = requests(random, count);
        let mut logs = [String::new(), String::new()];
        let half = requests.len() / 2;
        for (number, request) in requests.iter().enumerate() {
            let log = &mut logs[usize::from(number > half)];
            if is_w3c && (log.is_empty() || random.below(60) == 0) {
                is_first = random.below(2) == 0;
                log.push_str(match is_first {
                    true => {
                        "#Fields: date time cs-uri-stem c-ip cs-host sc-status cs(User-Agent)\r\n"
                    }
                    false => "#Fields: cs(User-Agent) cs-uri-stem date time c-ip\n",
                });
            }
            match random.below(90) {
                0 => log.push_str("damaged\n"),
                1 => log.push('\n'),
                2 => log.push_str("#Remark: none\n"),
                3 => log.push_str("L\n"),
                _ if is_w3c => log.push_str(&w3c(request, is_first)),
                _ => log.push_str(&combined(request)),
            }
        }
        logs
    }

    /// What a block is made of.
    enum Piece<'l> {
        Lines(&'l [u8]),
        TooLong,
    }

    /// A log in blocks of so many lines at most.
    fn pieces(log: &str, most: usize) -> Vec<Piece<'_>> {
        let (mut pieces, mut from, mut to, mut lines) = (Vec::new(), 0, 0, 0);
        for line in log.split_inclusive('\n') {
            let is_long = line == "L\n";
            if (is_long || lines == most) && from < to {
                pieces.push(Piece::Lines(&log.as_bytes()[from..to]));
                (from, lines) = (to, 0);
            }
            (to, lines) = (to + line.len(), lines + 1);
            if is_long {
                pieces.push(Piece::TooLong);
                (from, lines) = (to, 0);
            }
        }
        pieces.extend((from < to).then(|| Piece::Lines(&log.as_bytes()[from..to])));
        pieces
    }

    /// The report, and the forbidden lines, of so many threads that share the blocks out, whatever they have.
    fn report<'a>(
        audit: &'a Audit<'a>,
        logs: &[String; 2],
        format: &LogFormat,
        (threads, lines, room): (usize, usize, usize),
    ) -> (AuditReport, Vec<Vec<u8>>) {
        let pieces = logs.each_ref().map(|log| pieces(log, lines));
        let mut blocks: Vec<Vec<_>> = (0..threads).map(|_| Vec::new()).collect();
        let mut number = 0;
        for (log, pieces) in pieces.iter().enumerate() {
            let mut log = Log::new(["a.log", "b.log"][log], Some(format.clone()));
            for piece in pieces {
                let block = match piece {
                    Piece::Lines(lines) => log.block(lines),
                    Piece::TooLong => log.too_long(),
                };
                blocks[(number * 7 + number / 3) % threads].push((number, block));
                number += 1;
            }
        }
        let mut judged: Vec<_> = thread::scope(|scope| {
            let judging = blocks.into_iter().map(|blocks| {
                scope.spawn(move || {
                    let mut judge = Judge::new(audit);
                    // In another order than that of the logs.
                    let blocks = blocks.into_iter().rev().map(|(number, block)| {
                        let mut forbidden = Vec::new();
                        let judged = judge.judge(block, |line| forbidden.push(line.to_vec()));
                        (number, judged, forbidden)
                    });
                    blocks.collect::<Vec<_>>()
                })
            });
            let judging: Vec<_> = judging.collect();
            judging.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        judged.sort_by_key(|(number, ..)| *number);
        let mut counts = Counts::new(audit);
        counts.room = room;
        let mut forbidden = Vec::new();
        for (_, judged, lines) in judged {
            counts.add(judged);
            forbidden.extend(lines);
        }
        (counts.report(), forbidden)
    }

    /// Any number of threads and any blocks give the report that line by line gives.
    #[test]
    fn threads_and_blocks_do_not_matter() {
        let robots = robots();
        let audit = audit("User-agent: *\nDisallow: /r0/\n", &robots);
        let mut hosts = self::audit("", &robots);
        hosts.add_host("a.e.com");
        hosts.add_host("C.e.com:80");
        let mut random = Random(7);
        for (is_w3c, count) in [(false, 24_000), (true, 24_000), (false, 300), (true, 300)] {
            let format = match is_w3c {
                true => LogFormat::W3c(W3cColumns::default()),
                false => LogFormat::template(FORMAT).unwrap(),
            };
            let logs = logs(&mut random, count, is_w3c);
            let is_long = count > 300;
            for (audit, room) in [(&audit, EXAMPLES_BYTES), (&audit, 5_000), (&hosts, 100)] {
                if is_long && room == 100 {
                    continue;
                }
                let (wanted, forbidden) = report(audit, &logs, &format, (1, 1, room));
                let sum: u64 = wanted.crawlers.iter().map(|crawler| crawler.forbidden).sum();
                assert!(sum == wanted.forbidden && sum > 0);
                assert_eq!(forbidden.len() as u64, sum + wanted.excused);
                for how in [(1, usize::MAX), (2, 13), (3, 100), (8, 999)] {
                    let told = report(audit, &logs, &format, (how.0, how.1, room));
                    assert!(told.0 == wanted, "{how:?} {}", told.0.sentences[0].text);
                    assert!(told.1 == forbidden, "{how:?}");
                }
                if is_long {
                    more_than_is_kept(&wanted, room);
                }
            }
        }
    }

    /// The logs above have more of everything than is kept.
    fn more_than_is_kept(report: &AuditReport, room: usize) {
        let crawlers = || report.crawlers.iter();
        let lens = [
            crawlers().filter(|crawler| crawler.purpose.is_none()).count(),
            crawlers().map(|crawler| crawler.rules.len()).max().unwrap(),
            report.first_damaged.len(),
        ];
        assert_eq!(lens, [UNKNOWN + 1, 1_000, PLACES]);
        assert_eq!(report.hosts.last().unwrap(), "…");
        assert!(report.too_long > 0 && report.before_first == 0 && report.without_path > 0);
        assert!(crawlers().any(|crawler| crawler.forbidden > 0 && crawler.excused > 0));
        assert!(report.damaged > 0 && report.other_clients > 0 && report.without_header > 0);
        assert!(crawlers().any(|crawler| crawler.more_rules > 0));
        let others = |crawler: &&crate::audit::AuditedCrawler| {
            crawler
                .verified
                .as_ref()
                .is_some_and(|verified| verified.others.len() == 100 && verified.more_others > 0)
        };
        assert_eq!(crawlers().filter(others).count(), 2);
        let from =
            |source| crawlers().filter(move |crawler| crawler.source == Some(source)).count();
        use AddressSource::{Other, Published, Unknown};
        assert_eq!([Published, Other, Unknown].map(from), [2, 2, 2]);
        let beyond = crawlers().find(|crawler| crawler.token.is_none()).unwrap();
        assert!(beyond.verified.is_none() && beyond.rules.len() > 20);
        assert!(report.not_found.iter().any(|name| name == "Xbot1299"));
        let rules = || crawlers().flat_map(|crawler| &crawler.rules);
        let kept = rules().flat_map(|rule| &rule.examples);
        let kept: usize = kept.map(|example| example.path.len()).sum();
        assert_eq!(rules().any(|rule| rule.examples.is_empty()), room < EXAMPLES_BYTES);
        // Of those that are excused some are kept too, and not reported.
        assert!(kept > 100 && kept < room, "{kept}");
    }
}
