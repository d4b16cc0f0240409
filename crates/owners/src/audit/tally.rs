//! What is counted.

use std::collections::HashMap;
use std::net::IpAddr;

use super::fields::Method;

/// The number of places of damaged lines that are kept.
pub const PLACES: usize = 5;

/// The number of hosts that are kept if the logs have several.
pub const HOSTS: usize = 4;

/// The most rules of one crawler that are told apart.
const RULES: usize = 1_000;

/// The most addresses of one crawler that are told apart, for a report.
pub const ADDRESSES: usize = 1_000;

/// The most paths that are kept for a rule, and the most bytes of each.
pub const EXAMPLES: usize = 3;
const EXAMPLE_BYTES: usize = 200;

/// The requests of a crawler: what is added up, whatever their order.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    pub requests: u64,
    pub forbidden: u64,
    /// Requests for /robots.txt; those of them that got the file, that have status 4xx, 5xx, and none.
    pub robots_txt: [u64; 5],
    /// The first and the last request.
    pub times: Option<(u64, u64)>,
    /// Forbidden requests by the first digit of their status; 0 if there is none.
    pub forbidden_by_status: [u64; 10],
    /// The requests from addresses that are not told apart, or not known, if addresses are kept.
    pub more_addresses: u64,
}

impl Sums {
    /// Adds a request of any kind, with what a status is as an answer if it is one for /robots.txt.
    #[inline]
    pub fn add(&mut self, time: Option<u64>, answer: Option<Answer>, status: u16) {
        self.requests += 1;
        if let Some(answer) = answer {
            let got = u64::from(answer == Answer::Got);
            let [refused, failed, unknown] =
                [4, 5, 0].map(|class| u64::from(status / 100 == class));
            add_each(&mut self.robots_txt, &[1, got, refused, failed, unknown]);
        }
        if let Some(time) = time {
            self.add_times((time, time));
        }
    }

    #[inline]
    fn add_times(&mut self, (first, last): (u64, u64)) {
        let times = self.times.unwrap_or((first, last));
        self.times = Some((times.0.min(first), times.1.max(last)));
    }

    /// Adds that a request is forbidden.
    pub fn add_forbidden(&mut self, status: u16) {
        self.forbidden += 1;
        self.forbidden_by_status[usize::from(status / 100 % 10)] += 1;
    }

    /// Adds those of other requests.
    pub fn add_all(&mut self, other: &Sums) {
        let Sums { requests, forbidden, robots_txt, times, forbidden_by_status, more_addresses } =
            other;
        self.requests += requests;
        self.forbidden += forbidden;
        add_each(&mut self.robots_txt, robots_txt);
        times.iter().for_each(|times| self.add_times(*times));
        add_each(&mut self.forbidden_by_status, forbidden_by_status);
        self.more_addresses += more_addresses;
    }
}

/// The server's answer to a request for /robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The file.
    Got,
    /// Status 4xx that means that there is none: by RFC 9309 §2.3.1.3 the crawler may then fetch all.
    Refused,
    /// Another one, which leaves things as they are.
    Other,
}

/// Statuses 4xx that logs have of requests to which nobody answered that there is no file: the client was too slow or
/// hung up (408; 499 of nginx, 460 of ALB), nginx closed the connection without an answer (444), or a condition did
/// not hold (412), after which one asks without it.
const UNANSWERED: [u16; 5] = [408, 412, 444, 460, 499];

impl Answer {
    /// The answer of a status. `means_none` says whether it means that there is no file.
    pub fn of(method: Method, status: u16, means_none: impl Fn(u16) -> bool) -> Answer {
        match status {
            200..=299 | 304 if method == Method::Get => Answer::Got,
            // That may be about HEAD alone.
            405 if method == Method::Head => Answer::Other,
            400..=499 if !UNANSWERED.contains(&status) && means_none(status) => Answer::Refused,
            _ => Answer::Other,
        }
    }
}

/// The answers to requests for /robots.txt, of a crawler and all others of its operator, in the order of the lines, and
/// whether that is the order of time.
#[derive(Clone, Debug)]
pub struct Answers {
    /// True if there was any such request.
    pub has_asked: bool,
    /// True if one was refused.
    pub has_refusal: bool,
    /// The first and the last one by which the file was delivered or refused.
    pub first: Option<Answer>,
    pub last: Option<Answer>,
    /// True if an answer is on the wrong side of another request, by their times.
    pub is_disordered: bool,
    /// The earliest and the latest of all requests, and of these answers.
    all: (u64, u64),
    answers: (u64, u64),
}

impl Default for Answers {
    fn default() -> Self {
        let none = (u64::MAX, 0);
        Answers {
            has_asked: false,
            has_refusal: false,
            first: None,
            last: None,
            is_disordered: false,
            all: none,
            answers: none,
        }
    }
}

impl Answers {
    /// Adds a request.
    pub fn add(&mut self, time: Option<u64>, answer: Option<Answer>) {
        let settled = answer.filter(|answer| *answer != Answer::Other);
        let mut line = Answers {
            has_asked: answer.is_some(),
            has_refusal: answer == Some(Answer::Refused),
            first: settled,
            last: settled,
            ..Answers::default()
        };
        if let Some(time) = time {
            line.all = (time, time);
            line.answers = if settled.is_some() { line.all } else { line.answers };
        }
        self.add_all(&line);
    }

    /// Adds those of later lines.
    pub fn add_all(&mut self, later: &Answers) {
        self.has_asked |= later.has_asked;
        self.has_refusal |= later.has_refusal;
        self.first = self.first.or(later.first);
        self.last = later.last.or(self.last);
        self.is_disordered |=
            later.is_disordered || later.all.0 < self.answers.1 || later.answers.0 < self.all.1;
        let both = |one: (u64, u64), other: (u64, u64)| (one.0.min(other.0), one.1.max(other.1));
        self.all = both(self.all, later.all);
        self.answers = both(self.answers, later.answers);
    }
}

/// Adds numbers to others.
pub fn add_each(sums: &mut [u64], numbers: &[u64]) {
    sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
}

/// The requests of a crawler, with what is kept of them in the order of the logs.
#[derive(Debug, Default)]
pub struct Tally {
    pub sums: Sums,
    /// The requests, and those of them that are forbidden, by address: if they are not the published ones,
    /// or if all are kept.
    pub addresses: HashMap<IpAddr, [u64; 2]>,
    /// By the number of the file and the line of the rule.
    pub rules: HashMap<(usize, u32), Broken>,
    /// Forbidden requests by rules beyond [`RULES`].
    pub by_more_rules: u64,
}

/// A rule that was broken.
#[derive(Debug, Default)]
pub struct Broken {
    pub requests: u64,
    pub examples: Vec<Example>,
}

/// A path that is forbidden.
#[derive(Debug, PartialEq, Eq)]
pub struct Example {
    path: Box<[u8]>,
    is_cut: bool,
}

impl Example {
    pub fn part(&self) -> ExamplePart<'_> {
        ExamplePart { path: &self.path, is_cut: self.is_cut }
    }
}

/// The part of a path that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExamplePart<'p> {
    pub path: &'p [u8],
    /// True if it was longer.
    pub is_cut: bool,
}

impl<'p> ExamplePart<'p> {
    pub fn of(path: &'p [u8]) -> ExamplePart<'p> {
        let part = &path[..path.len().min(EXAMPLE_BYTES)];
        ExamplePart { path: part, is_cut: part.len() < path.len() }
    }
}

impl Tally {
    /// Adds requests, and those of them that are forbidden, from an address, if it `has_room` or is there.
    /// Returns true if it is new.
    pub fn add_address(&mut self, address: IpAddr, counts: [u64; 2], has_room: bool) -> bool {
        let len = self.addresses.len();
        let there = match has_room {
            true => Some(self.addresses.entry(address).or_default()),
            false => self.addresses.get_mut(&address),
        };
        match there {
            Some(there) => add_each(there, &counts),
            None => self.sums.more_addresses += counts[0],
        }
        self.addresses.len() > len
    }

    /// Adds forbidden requests by a rule.
    pub fn add_broken(&mut self, rule: (usize, u32), requests: u64) {
        if self.rules.len() >= RULES && !self.rules.contains_key(&rule) {
            self.by_more_rules += requests;
        } else {
            self.rules.entry(rule).or_default().requests += requests;
        }
    }

    /// Adds a forbidden path if its rule is told apart and has too few of them. `room` is how many bytes
    /// of examples there may still be, of all crawlers.
    pub fn add_example(&mut self, rule: (usize, u32), part: ExamplePart<'_>, room: &mut usize) {
        let Some(broken) = self.rules.get_mut(&rule) else { return };
        let is_there = |example: &Example| example.part() == part;
        if broken.examples.len() < EXAMPLES && *room > 0 && !broken.examples.iter().any(is_there) {
            *room = room.saturating_sub(part.path.len() + size_of::<Example>());
            broken.examples.push(Example { path: part.path.into(), is_cut: part.is_cut });
        }
    }

    /// The rules, the one broken most first.
    pub fn rules(&self) -> Vec<((usize, u32), &Broken)> {
        let mut rules: Vec<_> = self.rules.iter().map(|(rule, broken)| (*rule, broken)).collect();
        rules.sort_by_key(|(rule, broken)| (std::cmp::Reverse(broken.requests), *rule));
        rules
    }
}

/// The numbers of lines, apart from the requests of crawlers.
#[derive(Debug, Default)]
pub struct Totals {
    /// Without empty ones.
    pub lines: u64,
    /// Not in the format, or with a time that is none.
    pub damaged: u64,
    pub too_long: u64,
    /// For another host than those asked for.
    pub other_hosts: u64,
    /// Neither a path nor a URL.
    pub without_path: u64,
    pub without_header: u64,
    /// Not of crawlers.
    pub other_clients: u64,
    /// Of crawlers that are not chosen.
    pub other_crawlers: u64,
    /// Of crawlers: judged.
    pub judged: u64,
    pub forbidden: u64,
    /// Judged by the first file, though made before its date.
    pub before_first: u64,
    /// Forbidden, but not by an earlier file of which the crawler may still have had a copy.
    pub by_copy: u64,
    /// Forbidden, but not with some query, which the log lacks.
    pub by_query: u64,
    /// Judged without a query, which the log lacks.
    pub lack_query: u64,
    /// Judged without a query, which the log may lack or the request.
    pub may_lack_query: u64,
    /// Judged with a query.
    pub with_query: u64,
}

impl Totals {
    pub fn add(&mut self, other: &Totals) {
        let Totals {
            lines,
            damaged,
            too_long,
            other_hosts,
            without_path,
            without_header,
            other_clients,
            other_crawlers,
            judged,
            forbidden,
            before_first,
            by_copy,
            by_query,
            lack_query,
            may_lack_query,
            with_query,
        } = other;
        self.lines += lines;
        self.damaged += damaged;
        self.too_long += too_long;
        self.other_hosts += other_hosts;
        self.without_path += without_path;
        self.without_header += without_header;
        self.other_clients += other_clients;
        self.other_crawlers += other_crawlers;
        self.judged += judged;
        self.forbidden += forbidden;
        self.before_first += before_first;
        self.by_copy += by_copy;
        self.by_query += by_query;
        self.lack_query += lack_query;
        self.may_lack_query += may_lack_query;
        self.with_query += with_query;
    }

    pub fn requests(&self) -> u64 {
        self.lines - self.damaged - self.too_long
    }
}
