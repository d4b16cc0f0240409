//! What the requests of a block come to.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::crawlers::Name;
use super::logs::Block;
use super::tally::{Answer, Answers, EXAMPLES, ExamplePart, HOSTS, PLACES, Sums, Totals};
use crate::ranges::AddressSource;

/// The number of no place.
const NONE: u32 = u32::MAX;

/// What the requests of a [`Block`] come to, for [`Counts::add`](super::Counts::add).
///
/// Its lists are in the order in which the lines have things first. They are as long as the block makes
/// them: what is kept of all blocks is decided when they are added.
#[derive(Debug, Default)]
pub struct Judged<'a> {
    pub(super) log: Arc<str>,
    pub(super) is_first: bool,
    pub(super) format: Option<&'static str>,
    /// The number of lines, with those that are empty.
    pub(super) lines: u64,
    pub(super) totals: Totals,
    /// The number of requests that each file judged.
    pub(super) judged_by: Vec<u64>,
    /// The first damaged lines, numbered from 1.
    pub(super) damaged: Vec<u64>,
    /// The first hosts.
    pub(super) hosts: Vec<String>,
    /// The crawlers, apart by where their requests came from and what they were answered for /robots.txt
    /// before. One that wrote its token in several ways is there as often.
    pub(super) crawlers: Vec<CrawlerHere<'a>>,
    /// The answers to requests for /robots.txt of each crawler and others of its operator, apart by where they came from.
    pub(super) answers: Vec<Answers>,
    /// Crawlers that are not judged, and asked for /robots.txt: one for each of the answers that are not those of others.
    pub(super) askers: Vec<AskerHere<'a>>,
    pub(super) addresses: Vec<Addressed>,
    /// The addresses of all clients, and whether requests that are not judged came from there.
    pub(super) clients: Vec<(IpAddr, bool)>,
    pub(super) rules: Vec<BrokenHere>,
    /// The first paths that are forbidden by each rule: of them are those that are kept.
    pub(super) examples: Vec<ExampleHere>,
    paths: Vec<u8>,
}

/// Requests of a crawler.
#[derive(Debug)]
pub(super) struct CrawlerHere<'a> {
    pub(super) name: Name<'a>,
    pub(super) source: Option<AddressSource>,
    pub(super) sums: Sums,
    /// The last answer before them in the block.
    pub(super) after: Option<Answer>,
    /// The place of its answers.
    pub(super) answers: u32,
}

/// A crawler that is not judged, and asked for /robots.txt.
#[derive(Debug)]
pub(super) struct AskerHere<'a> {
    pub(super) name: Name<'a>,
    pub(super) source: Option<AddressSource>,
    /// The place of its answers.
    pub(super) answers: u32,
}

/// Requests of a crawler from an address.
#[derive(Debug)]
pub(super) struct Addressed {
    pub(super) crawler: u32,
    pub(super) address: IpAddr,
    /// All, and those that are forbidden.
    pub(super) counts: [u64; 2],
}

/// Requests of a crawler that a rule forbids.
#[derive(Debug)]
pub(super) struct BrokenHere {
    pub(super) crawler: u32,
    /// The number of the file and the line.
    pub(super) rule: (usize, u32),
    pub(super) requests: u64,
    /// The places of examples.
    examples: [u32; EXAMPLES],
}

/// A path that is forbidden.
#[derive(Debug)]
pub(super) struct ExampleHere {
    pub(super) rule: u32,
    from: usize,
    len: usize,
    is_cut: bool,
}

impl Judged<'_> {
    /// The path of an example.
    pub(super) fn part(&self, example: &ExampleHere) -> ExamplePart<'_> {
        let path = &self.paths[example.from..example.from + example.len];
        ExamplePart { path, is_cut: example.is_cut }
    }
}

/// Writes down what a block has.
#[derive(Debug, Default)]
pub(super) struct Recorder<'a> {
    pub(super) judged: Judged<'a>,
    /// Places in the lists: of crawlers by their numbers, of rules and addresses by those of crawlers.
    crawlers: Vec<u32>,
    answers: Vec<u32>,
    rules: HashMap<(u32, usize, u32), u32, RandomState>,
    addresses: HashMap<(u32, IpAddr), u32, RandomState>,
    clients: HashMap<IpAddr, u32, RandomState>,
}

impl<'a> Recorder<'a> {
    /// Begins a block.
    pub(super) fn begin(&mut self, block: &Block<'_>, files: usize) {
        self.crawlers.clear();
        self.answers.clear();
        self.rules.clear();
        self.addresses.clear();
        self.clients.clear();
        self.judged.log = Arc::clone(&block.log);
        self.judged.is_first = block.is_first;
        self.judged.format = block.format.as_ref().map(|format| format.as_str());
        self.judged.judged_by = vec![0; files];
    }

    /// Ends a block.
    pub(super) fn end(&mut self) -> Judged<'a> {
        std::mem::take(&mut self.judged)
    }

    /// The place of the answers of those that ask together, and whether it is new.
    #[inline]
    fn answers(&mut self, asker: usize, source: Option<AddressSource>) -> (u32, bool) {
        let answers = place(&mut self.answers, 3 * asker + AddressSource::apart(source));
        let is_new = *answers == NONE;
        if is_new {
            *answers = self.judged.answers.len() as u32;
            self.judged.answers.push(Answers::default());
        }
        (*answers, is_new)
    }

    /// Adds the answer to a request for /robots.txt of a crawler that is not judged.
    pub(super) fn add_answer(
        &mut self,
        asker: usize,
        source: Option<AddressSource>,
        (time, answer): (Option<u64>, Answer),
        name: impl FnOnce() -> Name<'a>,
    ) {
        let (answers, is_new) = self.answers(asker, source);
        self.judged.answers[answers as usize].add(time, Some(answer));
        if is_new {
            self.judged.askers.push(AskerHere { name: name(), source, answers });
        }
    }

    /// The place of the crawler with a number, for a request from there at this time, with the answer if it
    /// is one for /robots.txt. `asker` is the first number of those that ask together.
    #[inline]
    pub(super) fn crawler(
        &mut self,
        [number, asker]: [usize; 2],
        source: Option<AddressSource>,
        (time, answer): (Option<u64>, Option<Answer>),
        name: impl FnOnce() -> Name<'a>,
    ) -> u32 {
        let (answers, _) = self.answers(asker, source);
        let from = source.map_or(0, |source| source as usize + 1);
        let all = &mut self.judged.answers[answers as usize];
        all.add(time, answer);
        let after = all.last;
        let number = 3 * (4 * number + from) + after.map_or(0, |answer| answer as usize + 1);
        let place = place(&mut self.crawlers, number);
        if *place == NONE {
            *place = self.judged.crawlers.len() as u32;
            let sums = Sums::default();
            self.judged.crawlers.push(CrawlerHere { name: name(), source, sums, after, answers });
        }
        *place
    }

    /// The sums of the crawler at a place.
    #[inline]
    pub(super) fn sums(&mut self, crawler: u32) -> &mut Sums {
        &mut self.judged.crawlers[crawler as usize].sums
    }

    /// Adds a client's request, of a crawler that is judged or of anybody else.
    pub(super) fn add_client(&mut self, address: IpAddr, is_judged: bool) {
        let clients = &mut self.judged.clients;
        let place = *self.clients.entry(address).or_insert_with(|| {
            clients.push((address, false));
            clients.len() as u32 - 1
        });
        clients[place as usize].1 |= !is_judged;
    }

    /// Adds a request of a crawler from an address.
    pub(super) fn add_address(&mut self, crawler: u32, address: IpAddr, is_forbidden: bool) {
        let addresses = &mut self.judged.addresses;
        let place = *self.addresses.entry((crawler, address)).or_insert_with(|| {
            addresses.push(Addressed { crawler, address, counts: [0, 0] });
            addresses.len() as u32 - 1
        });
        let [requests, forbidden] = &mut addresses[place as usize].counts;
        *requests += 1;
        *forbidden += u64::from(is_forbidden);
    }

    /// Adds a request of a crawler that is forbidden by the rule of a line of a file.
    pub(super) fn add_forbidden(&mut self, crawler: u32, (file, line): (usize, u32), path: &[u8]) {
        let Judged { rules, examples, paths, .. } = &mut self.judged;
        let place = *self.rules.entry((crawler, file, line)).or_insert_with(|| {
            let none = [NONE; EXAMPLES];
            rules.push(BrokenHere { crawler, rule: (file, line), requests: 0, examples: none });
            rules.len() as u32 - 1
        });
        let broken = &mut rules[place as usize];
        broken.requests += 1;
        // Nearly always.
        if broken.examples[EXAMPLES - 1] != NONE {
            return;
        }
        let part = ExamplePart::of(path);
        for there in &mut broken.examples {
            if *there == NONE {
                *there = examples.len() as u32;
                let (from, len) = (paths.len(), part.path.len());
                examples.push(ExampleHere { rule: place, from, len, is_cut: part.is_cut });
                paths.extend_from_slice(part.path);
                return;
            }
            let example = &examples[*there as usize];
            let path = &paths[example.from..example.from + example.len];
            if part == (ExamplePart { path, is_cut: example.is_cut }) {
                return;
            }
        }
    }

    /// Remembers the line that is read as damaged.
    pub(super) fn add_damaged(&mut self) {
        self.judged.totals.damaged += 1;
        if self.judged.damaged.len() < PLACES {
            self.judged.damaged.push(self.judged.lines);
        }
    }

    /// Returns true if another host is remembered.
    #[inline]
    pub(super) fn wants_host(&self, host: &[u8]) -> bool {
        self.has_room_for_hosts() && !self.judged.hosts.iter().any(|there| there.as_bytes() == host)
    }

    /// Returns true if any more hosts are remembered.
    pub(super) fn has_room_for_hosts(&self) -> bool {
        self.judged.hosts.len() <= HOSTS
    }

    /// Remembers a host, to say that there are several.
    pub(super) fn add_host(&mut self, host: String) {
        if self.wants_host(host.as_bytes()) {
            self.judged.hosts.push(host);
        }
    }
}

/// The place with this number, [`NONE`] if it is new.
fn place(places: &mut Vec<u32>, number: usize) -> &mut u32 {
    if number >= places.len() {
        places.resize(number + 1, NONE);
    }
    &mut places[number]
}
