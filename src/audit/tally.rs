//! What is counted.

use std::collections::HashMap;
use std::net::IpAddr;

/// The most rules of one crawler that are told apart.
const RULES: usize = 1_000;

/// The most addresses of one crawler that are told apart.
const ADDRESSES: usize = 1_000;

/// The most paths that are kept for a rule, and the most bytes of each.
pub const EXAMPLES: usize = 3;
const EXAMPLE_BYTES: usize = 200;

/// The requests of a crawler, counted.
#[derive(Debug, Default)]
pub struct Tally {
    pub requests: u64,
    pub forbidden: u64,
    /// Requests for /robots.txt.
    pub robots_txt: u64,
    /// The first and the last request.
    pub times: Option<(u64, u64)>,
    /// Forbidden requests by the first digit of their status; 0 if there is none.
    pub forbidden_by_status: [u64; 10],
    /// Requests from its published addresses, and those of them that are forbidden.
    pub verified: [u64; 2],
    /// The requests from other addresses, and those of them that are forbidden, by address.
    pub unverified: HashMap<IpAddr, [u64; 2]>,
    /// The requests from addresses beyond [`ADDRESSES`], or of which the log has no address.
    pub more_unverified: u64,
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
    pub path: Box<[u8]>,
    /// True if it was longer.
    pub is_cut: bool,
}

impl Tally {
    /// Adds a request of any kind.
    #[inline]
    pub fn add(&mut self, time: Option<u64>, is_robots_txt: bool) {
        self.requests += 1;
        self.robots_txt += u64::from(is_robots_txt);
        if let Some(time) = time {
            let (first, last) = self.times.unwrap_or((time, time));
            self.times = Some((first.min(time), last.max(time)));
        }
    }

    /// Adds a request that did not come from the published addresses.
    pub fn add_unverified(&mut self, address: Option<IpAddr>, is_forbidden: bool) {
        let has_room = self.unverified.len() < ADDRESSES;
        let counts = address.and_then(|address| match has_room {
            true => Some(self.unverified.entry(address).or_default()),
            false => self.unverified.get_mut(&address),
        });
        match counts {
            Some([requests, forbidden]) => {
                *requests += 1;
                *forbidden += u64::from(is_forbidden);
            }
            None => self.more_unverified += 1,
        }
    }

    /// Adds that a request is forbidden. `room` is how many bytes of examples there may still be, of
    /// all crawlers.
    pub fn add_forbidden(
        &mut self,
        rule: (usize, u32),
        path: &[u8],
        status: u16,
        room: &mut usize,
    ) {
        self.forbidden += 1;
        self.forbidden_by_status[usize::from(status / 100 % 10)] += 1;
        if self.rules.len() >= RULES && !self.rules.contains_key(&rule) {
            self.by_more_rules += 1;
            return;
        }
        let broken = self.rules.entry(rule).or_default();
        broken.requests += 1;
        if broken.examples.len() < EXAMPLES && *room > 0 {
            let is_cut = path.len() > EXAMPLE_BYTES;
            let path = &path[..path.len().min(EXAMPLE_BYTES)];
            let is_there = |example: &Example| *example.path == *path && example.is_cut == is_cut;
            if !broken.examples.iter().any(is_there) {
                *room = room.saturating_sub(path.len() + size_of::<Example>());
                broken.examples.push(Example { path: path.into(), is_cut });
            }
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
    /// Of crawlers: judged.
    pub judged: u64,
    pub forbidden: u64,
    /// Judged by the first file, though made before its date.
    pub before_first: u64,
}

impl Totals {
    pub fn requests(&self) -> u64 {
        self.lines - self.damaged - self.too_long
    }
}
