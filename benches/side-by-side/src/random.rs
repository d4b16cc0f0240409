//! URLs of many hosts at random, from their text: what a crawler's frontier asks.

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

use robotsieve::{Answer, Config, Crawler, Origin, Policy, PolicySet, Profile, Robots};
use texting_robots::Robot;

use crate::allocator::bytes_of;
use crate::contestants::{Contestant, Kind, TextingRobots};
use crate::data::AGENT;
use crate::measure::Lane;
use crate::plot::number;

const SEED: u64 = 1;

/// Generated hosts, and URLs of them in no order.
pub struct Frontier {
    hosts: u64,
    urls: Vec<String>,
}

impl Frontier {
    pub fn generate(smoke: bool) -> Frontier {
        let (hosts, urls) = if smoke { (300, 3_000) } else { (100_000, 1_000_000) };
        let url = |number: u64| {
            // An odd multiplier scatters neighbours; the remainder keeps it in range.
            let host = (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11) % hosts;
            String::from_utf8(robotsieve_corpora::url(SEED, host, number)).expect("UTF-8")
        };
        Frontier { hosts, urls: (0..urls).map(url).collect() }
    }

    pub fn title(&self) -> String {
        format!(
            "a URL from its text, {} hosts at random ({} URLs; rules not kept)",
            number(self.hosts as f64),
            number(self.urls.len() as f64)
        )
    }

    /// Each host's origin and file.
    fn files(&self) -> impl Iterator<Item = (String, Vec<u8>)> {
        (0..self.hosts).map(|host| {
            let origin = format!("https://{}", robotsieve_corpora::host_name(host));
            (origin, robotsieve_corpora::robots(SEED, host))
        })
    }
}

fn origin(url: &str) -> Origin<'_> {
    Origin::of(url).expect("a URL")
}

fn config() -> Config {
    let mut config = Config::default();
    config.keep_rules = false;
    config
}

fn set(frontier: &Frontier) -> PolicySet {
    let mut set = PolicySet::new(&Profile::GOOGLE, &config(), [Crawler::name(AGENT)]);
    for (name, file) in frontier.files() {
        set.insert(&origin(&name), &file);
    }
    set
}

/// A policy of robotsieve for each host, in the map of the standard library.
fn policies(frontier: &Frontier) -> HashMap<String, Policy> {
    let policy = |file: &[u8]| {
        let policy =
            Robots::parse_with(file, &Profile::GOOGLE, &config()).policy(&Crawler::name(AGENT));
        policy.compile();
        policy
    };
    frontier.files().map(|(name, file)| (name, policy(&file))).collect()
}

/// The peer's, for the hosts whose files it takes.
fn robots(frontier: &Frontier) -> HashMap<String, Robot> {
    let robot =
        |(name, file): (String, Vec<u8>)| Some((name, TextingRobots::policy(&file, AGENT)?));
    frontier.files().filter_map(robot).collect()
}

/// The contestants. Those of robotsieve agree on every URL. Keys are made as robotsieve makes them,
/// which is faster than what a crate for URLs does.
pub fn lanes(frontier: &Frontier) -> Vec<Lane<'_>> {
    let elements = frontier.urls.len() as u64;
    let note = |bytes: usize| format!("{} bytes a host", bytes / frontier.hosts as usize);
    let (set, set_bytes) = bytes_of(|| set(frontier));
    let (policies, policy_bytes) = bytes_of(|| policies(frontier));
    let (robots, robot_bytes) = bytes_of(|| robots(frontier));

    let of_policy = |url: &String| {
        let policy = &policies[origin(url).key()];
        policy.is_allowed(url).expect("google takes any URL")
    };
    let expected = frontier.urls.iter().filter(|url| of_policy(url)).count();
    let of_robot = move |url: &&String| {
        let robot = robots.get(origin(url).key());
        robot.is_none_or(|robot| TextingRobots::url(robot, url))
    };
    let mut answers = [Answer::Unknown; AT_A_TIME];
    let set = std::rc::Rc::new(set);
    let same_set = set.clone();
    vec![
        Lane::new(
            ("robotsieve: PolicySet, in batches", Kind::Robotsieve),
            elements,
            note(set_bytes),
            move |times| {
                let allowed = timed(frontier, times, |urls| {
                    let answers = &mut answers[..urls.len()];
                    set.answers_into(urls, set.crawler_ids(), answers);
                    answers.iter().filter(|answer| **answer == Answer::Allow).count()
                });
                assert_eq!(allowed, expected);
            },
        ),
        Lane::new(
            ("robotsieve: PolicySet, one by one", Kind::Setting),
            elements,
            String::new(),
            move |times| {
                let is_allowed = |url: &&String| {
                    let mut answer = [Answer::Unknown];
                    let site = same_set.get(&origin(url)).expect("was inserted");
                    site.ask_into(url.as_str(), &mut answer);
                    answer == [Answer::Allow]
                };
                let allowed = timed(frontier, times, |urls| urls.iter().filter(is_allowed).count());
                assert_eq!(allowed, expected);
            },
        ),
        Lane::new(
            ("HashMap<String, robotsieve::Policy>", Kind::Baseline),
            elements,
            note(policy_bytes),
            move |times| {
                let is_allowed = |url: &&String| {
                    let policy = &policies[origin(url).key()];
                    policy.is_allowed(url.as_str()).expect("google takes any URL")
                };
                let allowed = timed(frontier, times, |urls| urls.iter().filter(is_allowed).count());
                assert_eq!(allowed, expected);
            },
        ),
        Lane::new(
            ("HashMap<String, texting_robots::Robot>", Kind::Peer),
            elements,
            note(robot_bytes),
            move |times| {
                let count = |urls: &[String]| urls.iter().filter(&of_robot).count();
                black_box(timed(frontier, times, count));
            },
        ),
    ]
}

/// How many URLs are timed together, and asked together by the contestant that does so.
const AT_A_TIME: usize = 4_096;

/// Counts what is allowed.
fn timed(
    frontier: &Frontier,
    times: &mut Vec<f64>,
    mut count: impl FnMut(&[String]) -> usize,
) -> usize {
    let count = |urls| {
        let begin = Instant::now();
        let allowed = count(urls);
        times.push(begin.elapsed().as_nanos() as f64);
        allowed
    };
    frontier.urls.chunks(AT_A_TIME).map(count).sum()
}
