//! The measurements. Each runs all contestants in turns, several times, and keeps the best of
//! each, so that what else the machine does falls on all of them alike.

use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use robotsieve::{Answer, Config, Crawler, CrawlerPolicies, Policy, Profile, Robots};

use crate::allocator::bytes_of;
use crate::contestants::{Automatic, Contestant, FastRobots, Kind, Robotsieve, Setting};
use crate::data::{AGENT, Host};

/// How often and how long each contestant runs.
#[derive(Clone, Copy)]
pub struct Effort {
    pub rounds: u32,
    /// A contestant that has run for so long runs no further round.
    pub budget: Duration,
    /// Questions of one host beyond this time are not asked but reckoned.
    pub questions_budget: Duration,
    pub most_questions: u64,
}

impl Effort {
    pub const FULL: Effort = Effort {
        rounds: 15,
        budget: Duration::from_secs(4),
        questions_budget: Duration::from_millis(4),
        most_questions: 1_000_000,
    };

    pub const SMOKE: Effort = Effort {
        rounds: 1,
        budget: Duration::from_millis(100),
        questions_budget: Duration::from_micros(500),
        most_questions: 1_000,
    };
}

/// One run: appends the nanoseconds of each item.
type Run<'d> = Box<dyn FnMut(&mut Vec<f64>) + 'd>;

/// One contestant of a measurement.
pub struct Lane<'d> {
    pub name: &'static str,
    pub kind: Kind,
    /// What it left out, if anything.
    pub note: String,
    /// Things done by one run, all items together.
    pub elements: u64,
    /// Best time of each item, in nanoseconds.
    pub best: Vec<f64>,
    run: Run<'d>,
}

impl<'d> Lane<'d> {
    pub fn new(
        (name, kind): (&'static str, Kind),
        elements: u64,
        note: String,
        run: impl FnMut(&mut Vec<f64>) + 'd,
    ) -> Lane<'d> {
        Lane { name, kind, note, elements, best: Vec::new(), run: Box::new(run) }
    }

    pub fn total(&self) -> f64 {
        self.best.iter().sum()
    }

    /// Mean time of a thing done.
    pub fn mean(&self) -> f64 {
        self.total() / self.elements as f64
    }

    /// The time of the item below which lies this share of them.
    pub fn quantile(&self, share: f64) -> f64 {
        quantile(self.best.clone(), share)
    }
}

pub fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * share) as usize]
}

fn label<C: Contestant>() -> (&'static str, Kind) {
    (C::NAME, C::KIND)
}

fn nanoseconds(begin: Instant) -> f64 {
    begin.elapsed().as_nanos() as f64
}

/// Runs the lanes in turns, in another order each round: who comes after one that leaves
/// nothing of the files in the processor's caches pays for it.
pub fn race(lanes: &mut [Lane<'_>], effort: &Effort) {
    let mut spent = vec![Duration::ZERO; lanes.len()];
    for round in 0..effort.rounds {
        for place in order(lanes.len(), round) {
            let (lane, spent) = (&mut lanes[place], &mut spent[place]);
            if round > 0 && *spent >= effort.budget {
                continue;
            }
            let begin = Instant::now();
            let mut times = Vec::new();
            (lane.run)(&mut times);
            *spent += begin.elapsed();
            if round == 0 {
                lane.best = times;
            } else {
                for (best, time) in lane.best.iter_mut().zip(times) {
                    *best = best.min(time);
                }
            }
        }
    }
}

/// The lanes in some order that follows from the round.
fn order(lanes: usize, round: u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lanes).collect();
    let mut state = u64::from(round).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for place in (1..lanes).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        order.swap(place, (state >> 33) as usize % (place + 1));
    }
    order
}

/// From what a question is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    Path,
    Url,
}

impl Asked {
    pub fn texts(self, host: &Host) -> &[&'static str] {
        match self {
            Asked::Path => &host.paths,
            Asked::Url => &host.urls,
        }
    }
}

#[inline]
fn ask<C: Contestant>(policy: &C::Policy<'_>, asked: Asked, text: &str) -> bool {
    match asked {
        Asked::Path => C::path(policy, text),
        Asked::Url => C::url(policy, text),
    }
}

/// A policy as it is after all questions of its host were asked once, and how many of them
/// it allows; `None` where the contestant refuses the file or panics.
fn warm<C: Contestant>(host: &Host, asked: Asked) -> Option<(C::Policy<'static>, u64)> {
    let file = host.file;
    let policy = catch_unwind(|| C::policy(file, AGENT)).ok()??;
    C::prepare(&policy);
    let all = || asked.texts(host).iter().filter(|text| ask::<C>(&policy, asked, text)).count();
    let allowed = catch_unwind(AssertUnwindSafe(all)).ok()?;
    Some((policy, allowed as u64))
}

/// What robotsieve must say to a host's questions, by its slower look for the rule.
fn wanted(host: &Host, asked: Asked) -> Vec<bool> {
    let policy = Robots::parse(host.file, &Profile::GOOGLE).policy(&Crawler::name(AGENT));
    let texts = asked.texts(host).iter();
    texts
        .map(|text| {
            let decision = match asked {
                // `decide` reads `//e.com/x` as a host and its path.
                Asked::Path => policy.decide_path(*text).expect("paths begin with '/'"),
                Asked::Url => policy.decide(*text).expect("google takes any URL"),
            };
            decision.rule().is_none_or(|rule| rule.verdict.is_allow())
        })
        .collect()
}

fn is_ours<C: Contestant>() -> bool {
    matches!(C::KIND, Kind::Robotsieve | Kind::Setting)
}

/// Time of a decision by policies that are ready, over the questions of these hosts.
pub fn decide<'d, C: Contestant>(hosts: &[&'d Host], asked: Asked) -> Option<Lane<'d>> {
    let mut policies = Vec::new();
    let (mut elements, mut allowed, mut left_out) = (0, 0, 0);
    for host in hosts {
        match warm::<C>(host, asked) {
            Some((policy, count)) => {
                policies.push((policy, asked.texts(host)));
                elements += asked.texts(host).len() as u64;
                allowed += count;
            }
            None => left_out += 1,
        }
    }
    if is_ours::<C>() {
        let wanted = hosts.iter().flat_map(|host| wanted(host, asked)).filter(|allow| *allow);
        assert_eq!(wanted.count() as u64, allowed, "{} from a {asked:?}", C::NAME);
    }
    let note = if left_out > 0 { format!("without {left_out} hosts") } else { String::new() };
    let pass = move || {
        let mut count = 0;
        for (policy, texts) in black_box(&policies) {
            for text in *texts {
                count += u64::from(ask::<C>(policy, asked, text));
            }
        }
        assert_eq!(count, allowed, "{} from a {asked:?}", C::NAME);
    };
    let run = move |times: &mut Vec<f64>| {
        // What ran before left nothing of these policies in the processor's caches.
        pass();
        let begin = Instant::now();
        pass();
        times.push(nanoseconds(begin));
    };
    (elements > 0).then(|| Lane::new(label::<C>(), elements, note, run))
}

/// Time from the bytes of a file to one verdict, by file.
pub fn first<'d, C: Contestant>(hosts: &'d [Host]) -> Lane<'d> {
    let mut questions: Vec<(&Host, String, bool)> = Vec::new();
    let mut left_out = 0;
    for host in hosts {
        let url = host.first_url();
        match catch_unwind(|| C::first(host.file, AGENT, &url)) {
            Ok(Some(allowed)) => questions.push((host, url, allowed)),
            _ => left_out += 1,
        }
    }
    if is_ours::<C>() {
        for (host, url, allowed) in &questions {
            let policy = Robots::parse(host.file, &Profile::GOOGLE).policy(&Crawler::name(AGENT));
            assert_eq!(policy.decide(url).expect("any URL").verdict.is_allow(), *allowed);
        }
    }
    let note = if left_out > 0 { format!("without {left_out} files") } else { String::new() };
    let elements = questions.len() as u64;
    Lane::new(label::<C>(), elements, note, move |times| {
        for (host, url, allowed) in &questions {
            let begin = Instant::now();
            let verdict = C::first(black_box(host.file), AGENT, url);
            times.push(nanoseconds(begin));
            assert_eq!(verdict, Some(*allowed), "{} {}", C::NAME, host.name);
        }
    })
}

/// Time to make the policy of each file; what is made is dropped outside the time.
pub fn read<'d, C: Contestant>(hosts: &'d [Host]) -> Lane<'d> {
    read_with(label::<C>(), hosts, |file| C::policy(file, AGENT))
}

/// robotsieve's parse alone, which is for all crawlers.
pub fn parse<'d>(hosts: &'d [Host], name: &'static str, profile: Profile) -> Lane<'d> {
    let kind = if profile == Profile::GOOGLE { Kind::Robotsieve } else { Kind::Setting };
    // The user-agent lines are counted by the other way to read them.
    for host in hosts {
        let robots = Robots::parse(host.file, &profile);
        let agents = robots.records().filter(|r| r.field == robotsieve::Field::UserAgent).count();
        assert!(robots.group_count() <= agents, "{}", host.name);
        assert_eq!(robots.group_count() == 0, agents == 0, "{}", host.name);
    }
    read_with((name, kind), hosts, move |file| Some(Robots::parse(file, &profile)))
}

/// fast-robots' parse alone, which is for all crawlers too.
pub fn parse_fast_robots(hosts: &[Host]) -> Lane<'_> {
    read_with(label::<FastRobots>(), hosts, |file| fast_robots::RobotsTxt::parse_bytes(file).ok())
}

/// The events of robotstxt's parser, which keeps nothing.
#[derive(Default)]
struct Events(u32);

impl robotstxt::RobotsParseHandler for Events {
    fn handle_robots_start(&mut self) {}
    fn handle_robots_end(&mut self) {}
    fn handle_user_agent(&mut self, _line: u32, _value: &str) {
        self.0 += 1;
    }
    fn handle_allow(&mut self, _line: u32, _value: &str) {
        self.0 += 1;
    }
    fn handle_disallow(&mut self, _line: u32, _value: &str) {
        self.0 += 1;
    }
    fn handle_sitemap(&mut self, _line: u32, _value: &str) {
        self.0 += 1;
    }
    fn handle_unknown_action(&mut self, _line: u32, _action: &str, _value: &str) {
        self.0 += 1;
    }
}

/// robotstxt's parse alone.
pub fn parse_robotstxt(hosts: &[Host]) -> Lane<'_> {
    let label = (crate::contestants::Robotstxt::NAME, Kind::Peer);
    read_with(label, hosts, |file| {
        let mut events = Events::default();
        robotstxt::parse_robotstxt(&String::from_utf8_lossy(file), &mut events);
        Some(events.0)
    })
}

/// The elements are bytes of the files; those that are refused or panicked on are left out.
fn read_with<'d, T>(
    label: (&'static str, Kind),
    hosts: &'d [Host],
    read: impl Fn(&'static [u8]) -> Option<T> + 'd,
) -> Lane<'d> {
    let fits = |host: &&Host| {
        matches!(catch_unwind(AssertUnwindSafe(|| read(host.file).is_some())), Ok(true))
    };
    let files: Vec<&Host> = hosts.iter().filter(fits).collect();
    let left_out = hosts.len() - files.len();
    let note = if left_out > 0 { format!("without {left_out} files") } else { String::new() };
    let bytes = files.iter().map(|host| host.file.len() as u64).sum();
    Lane::new(label, bytes, note, move |times| {
        for host in &files {
            let begin = Instant::now();
            let made = read(black_box(host.file));
            times.push(nanoseconds(begin));
            black_box(made);
        }
    })
}

/// Time to compile each file's policy, the profile `google`, from the parsed file on.
pub fn compile(hosts: &[Host]) -> Lane<'_> {
    let mut config = Config::default();
    config.build_after = Some(u32::MAX); // compiled when told to, not before
    let label = (Automatic::NAME, Kind::Robotsieve);
    let made = move |host: &Host| {
        let robots = Robots::parse_with(host.file, &Profile::GOOGLE, &config);
        let begin = Instant::now();
        let policy = robots.policy(&Crawler::name(AGENT));
        policy.compile();
        (nanoseconds(begin), policy)
    };
    // Whether it is a right one is asserted where it is asked.
    hosts.iter().for_each(|host| made(host).1.validate().expect("a valid automaton"));
    Lane::new(label, hosts.len() as u64, String::new(), move |times| {
        times.extend(hosts.iter().map(|host| made(host).0));
    })
}

/// What each policy occupies, ready but not yet asked, by file.
pub struct Memory {
    pub name: &'static str,
    pub kind: Kind,
    pub bytes: Vec<f64>,
    /// Of the files that were not refused.
    pub text_bytes: u64,
    pub left_out: usize,
    /// What robotsieve itself says; 0 for the others.
    pub claimed: usize,
}

impl Memory {
    pub fn per_byte(&self) -> f64 {
        self.bytes.iter().sum::<f64>() / self.text_bytes as f64
    }
}

pub fn memory<C: Contestant>(hosts: &[Host], claim: fn(&C::Policy<'static>) -> usize) -> Memory {
    let mut memory = Memory {
        name: C::NAME,
        kind: C::KIND,
        bytes: Vec::new(),
        text_bytes: 0,
        left_out: 0,
        claimed: 0,
    };
    let make = |host: &Host| {
        let file = host.file;
        catch_unwind(|| bytes_of(|| C::policy(file, AGENT).inspect(|policy| C::prepare(policy))))
    };
    // Once beforehand: what a library keeps for the thread is not the policy's.
    for host in hosts {
        let _ = make(host);
    }
    for host in hosts {
        let Ok((Some(policy), heap)) = make(host) else {
            memory.left_out += 1;
            continue;
        };
        memory.bytes.push((heap + size_of::<C::Policy<'static>>()) as f64);
        memory.text_bytes += host.file.len() as u64;
        memory.claimed += claim(&policy);
    }
    memory
}

/// What the policy says of itself, and the handle that holds it.
pub fn claim(policy: &Policy) -> usize {
    policy.memory_usage().total_bytes() + size_of::<Policy>()
}

/// Decisions a second, from URLs, by so many threads that ask the same policies.
pub fn by_threads<C>(hosts: &[&Host], threads: usize, effort: &Effort) -> f64
where
    C: Contestant,
    C::Policy<'static>: Sync,
{
    let asked = Asked::Url;
    let mut policies = Vec::new();
    for host in hosts {
        policies.extend(warm::<C>(host, asked).map(|warm| (warm, asked.texts(host))));
    }
    let questions: usize = policies.iter().map(|(_, texts)| texts.len()).sum();
    let allowed: u64 = policies.iter().map(|((_, allowed), _)| allowed).sum();
    let pass = |number: usize| {
        // Each begins elsewhere, as crawlers do.
        let (end, begin) = policies.split_at(policies.len() * number / threads);
        let mut count = 0;
        for ((policy, _), texts) in begin.iter().chain(end) {
            for text in *texts {
                count += u64::from(C::url(policy, text));
            }
        }
        assert_eq!(count, allowed, "{}", C::NAME);
    };
    let mut best = 0.0_f64;
    let begin = Instant::now();
    for round in 0..effort.rounds {
        if round > 0 && begin.elapsed() > effort.budget / 2 {
            break;
        }
        let passes = 4;
        let barrier = Barrier::new(threads);
        // Each takes its own time: who waits for them all may be late.
        let run = |number| {
            barrier.wait();
            let begin = Instant::now();
            (0..passes).for_each(|_| pass(number));
            (begin, Instant::now())
        };
        let times: Vec<(Instant, Instant)> = std::thread::scope(|scope| {
            let run = &run;
            let running: Vec<_> = (0..threads).map(|n| scope.spawn(move || run(n))).collect();
            running.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        let begin = times.iter().map(|(begin, _)| *begin).min().expect("a thread");
        let end = times.iter().map(|(_, end)| *end).max().expect("a thread");
        let seconds = (end - begin).as_secs_f64();
        best = best.max((questions * passes * threads) as f64 / seconds);
    }
    best
}

/// Names of crawlers that many robots.txt know.
#[rustfmt::skip]
pub const FIFTY: [&str; 50] = [
    "Googlebot", "Googlebot-Image", "Googlebot-News", "Googlebot-Video", "Google-Extended",
    "Storebot-Google", "AdsBot-Google", "Mediapartners-Google", "Bingbot", "msnbot", "Slurp",
    "DuckDuckBot", "DuckAssistBot", "Baiduspider", "YandexBot", "Yandex", "Sogou", "Exabot",
    "Applebot", "Applebot-Extended", "GPTBot", "ChatGPT-User", "OAI-SearchBot", "CCBot",
    "ClaudeBot", "Claude-User", "Claude-SearchBot", "anthropic-ai", "PerplexityBot",
    "Perplexity-User", "Bytespider", "Amazonbot", "FacebookBot", "Meta-ExternalAgent",
    "facebookexternalhit", "Twitterbot", "LinkedInBot", "Pinterestbot", "cohere-ai", "Diffbot",
    "ImagesiftBot", "Omgilibot", "YouBot", "PetalBot", "SemrushBot", "AhrefsBot", "MJ12bot",
    "DotBot", "ia_archiver", "archive.org_bot",
];

/// Time of a URL for one crawler, and for fifty at once.
pub fn crawlers<'d>(hosts: &[&'d Host]) -> [Lane<'d>; 2] {
    let mut hosts_asked = Vec::new();
    let mut walks = 0;
    for host in hosts {
        let robots = Robots::parse_with(host.file, &Profile::GOOGLE, &Automatic::config());
        let fifty = FIFTY.map(|name| robots.policy(&Crawler::name(name)));
        fifty.iter().for_each(Policy::compile);
        let policies = CrawlerPolicies::new(fifty);
        walks += policies.distinct_count() * host.urls.len();
        hosts_asked.push((policies, &host.urls));
    }
    let elements: u64 = hosts.iter().map(|host| host.urls.len() as u64).sum();
    let fifty_allowed: usize = hosts_asked
        .iter()
        .flat_map(|(policies, urls)| {
            (0..FIFTY.len()).map(move |crawler| (policies.policy(crawler), urls))
        })
        .map(|(policy, urls)| {
            let decided = urls.iter().map(|url| policy.decide(*url).expect("any URL"));
            decided.filter(|d| d.rule().is_none_or(|rule| rule.verdict.is_allow())).count()
        })
        .sum();
    let note = format!("{:.2} policies a URL", walks as f64 / elements as f64);
    let fifty =
        Lane::new(("robotsieve, 50 crawlers", Kind::Setting), elements, note, move |times| {
            let begin = Instant::now();
            let mut allowed = 0;
            for (policies, urls) in black_box(&hosts_asked) {
                let mut answers = [Answer::Unknown; FIFTY.len()];
                for url in *urls {
                    policies.ask_into(url, &mut answers);
                    allowed += answers.iter().filter(|answer| **answer == Answer::Allow).count();
                }
            }
            times.push(nanoseconds(begin));
            assert_eq!(allowed, fifty_allowed);
        });
    let one = decide::<Robotsieve<Automatic>>(hosts, Asked::Url).expect("URLs");
    [one, fifty]
}

/// The questions of a host, by its number, at a grid of numbers of questions: the time up to
/// each, and how many of these were measured.
type RunHost<'d> = Box<dyn Fn(usize, &[u64]) -> Option<(Vec<f64>, usize)> + 'd>;

/// Total time, from the bytes of the file on, for so many questions of one host.
pub struct Curve<'d> {
    pub name: &'static str,
    pub kind: Kind,
    /// By host, by number of questions.
    pub times: Vec<Vec<f64>>,
    /// For how many hosts the question numbers were asked, not reckoned.
    pub measured: Vec<usize>,
    run: RunHost<'d>,
}

impl Curve<'_> {
    pub fn at(&self, point: usize) -> impl Iterator<Item = f64> {
        self.times.iter().map(move |times| times[point])
    }

    pub fn mean(&self, point: usize) -> f64 {
        self.at(point).sum::<f64>() / self.times.len() as f64
    }

    pub fn median(&self, point: usize) -> f64 {
        quantile(self.at(point).collect(), 0.5)
    }
}

/// Numbers of questions: ten to a decade.
pub fn grid(most: u64) -> Vec<u64> {
    let mut grid: Vec<u64> = (0..)
        .map(|i| 10_f64.powf(f64::from(i) / 10.0).round() as u64)
        .take_while(|k| *k <= most)
        .collect();
    grid.dedup();
    grid
}

/// The price of the questions that are reckoned is that of the last ones that were asked:
/// between so many points of the grid, more than half of all.
const POINTS_FOR_PRICE: usize = 4;

pub fn questions<'d, C: Contestant>(hosts: &'d [&'d Host], effort: Effort) -> Curve<'d> {
    let wanted: Vec<Vec<bool>> = match is_ours::<C>() {
        true => hosts.iter().map(|host| wanted(host, Asked::Url)).collect(),
        false => Vec::new(),
    };
    let run = move |at: usize, grid: &[u64]| {
        let host = hosts[at];
        let mut times = Vec::with_capacity(grid.len());
        let mut urls = host.urls.iter().cycle();
        let (mut asked, mut allowed) = (0, 0);
        // Points beyond the budget: they have the price of a question, without what was
        // compiled when the budget was passed.
        let mut left = POINTS_FOR_PRICE + 1;
        let begin = Instant::now();
        let policy = C::policy(black_box(host.file), AGENT)?;
        for number in grid {
            while asked < *number {
                allowed += u64::from(C::url(&policy, urls.next().expect("a cycle")));
                asked += 1;
            }
            let so_far = begin.elapsed();
            times.push(so_far.as_nanos() as f64);
            if so_far > effort.questions_budget {
                left -= 1;
            }
            if left == 0 {
                break;
            }
        }
        if let Some(wanted) = wanted.get(at) {
            let laps = asked / wanted.len() as u64;
            let count = |urls: &[bool]| urls.iter().filter(|allow| **allow).count() as u64;
            let last_lap = &wanted[..(asked % wanted.len() as u64) as usize];
            assert_eq!(allowed, laps * count(wanted) + count(last_lap), "{}", host.name);
        }
        let measured = times.len();
        let (last, before) = (measured - 1, measured.saturating_sub(1 + POINTS_FOR_PRICE));
        let price = (times[last] - times[before]) / (grid[last] - grid[before]).max(1) as f64;
        for number in &grid[measured..] {
            times.push(times[last] + price * (number - grid[last]) as f64);
        }
        Some((times, measured))
    };
    Curve {
        name: C::NAME,
        kind: C::KIND,
        times: Vec::new(),
        measured: Vec::new(),
        run: Box::new(run),
    }
}

/// Up to each of these, a host is asked no more than that in a run of its own, so that what
/// lies in the processor's caches is what a crawler would have there that asks each host so
/// often. More questions are one run.
const OWN_RUNS: [u64; 4] = [1, 10, 100, 1_000];

/// Runs the curves in turns, each over all hosts: a crawler has one of them, not all. Hosts that
/// a contestant refuses are left out of its curve.
pub fn race_curves(curves: &mut [Curve<'_>], hosts: usize, grid: &[u64], rounds: u32) {
    let up_to = |most: u64| grid.partition_point(|number| *number <= most);
    let mut ends: Vec<usize> = OWN_RUNS.iter().map(|most| up_to(*most)).collect();
    ends.push(grid.len());
    ends.dedup();
    for curve in &mut *curves {
        curve.measured = vec![0; grid.len()];
        curve.times = vec![Vec::new(); hosts];
    }
    let mut begin = 0;
    for end in ends {
        race_curves_to(curves, &grid[..end], begin, rounds);
        begin = end;
    }
    for curve in curves {
        curve.times.retain(|times| !times.is_empty());
    }
}

/// Runs the curves up to the last of these numbers of questions, and keeps what it took from
/// the one at `begin` on.
fn race_curves_to(curves: &mut [Curve<'_>], grid: &[u64], begin: usize, rounds: u32) {
    for round in 0..rounds {
        for place in order(curves.len(), round) {
            let Curve { times: all, measured, run, .. } = &mut curves[place];
            for (host, best) in all.iter_mut().enumerate() {
                let Ok(Some((times, points))) = catch_unwind(AssertUnwindSafe(|| run(host, grid)))
                else {
                    continue;
                };
                if best.len() < grid.len() {
                    best.extend_from_slice(&times[begin..]);
                    let points = points.max(begin);
                    measured[begin..points].iter_mut().for_each(|count| *count += 1);
                    continue;
                }
                for (best, time) in best[begin..].iter_mut().zip(&times[begin..]) {
                    *best = best.min(*time);
                }
            }
        }
    }
}

/// Verdicts of a contestant beside those of reference.
#[derive(Default)]
pub struct Differences {
    pub name: &'static str,
    pub verdicts: usize,
    pub differing: usize,
    /// Questions without a verdict, among those that differ: the file was refused, or the
    /// contestant panicked.
    pub unanswered: usize,
    pub refused_files: usize,
}

/// Asks everything that there is a verdict of reference for, over all cores.
pub fn differences<C: Contestant>(hosts: &[Host]) -> Differences {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Differences::default();
        while let Some(host) = hosts.get(next.fetch_add(1, Ordering::Relaxed)) {
            differences_of::<C>(host, &mut found);
        }
        found
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut all = Differences { name: C::NAME, ..Differences::default() };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for thread in running {
            let found = thread.join().expect("panics are caught");
            all.verdicts += found.verdicts;
            all.differing += found.differing;
            all.unanswered += found.unanswered;
            all.refused_files += found.refused_files;
        }
    });
    all
}

fn differences_of<C: Contestant>(host: &Host, found: &mut Differences) {
    let mut refused = false;
    for questions in &host.questions {
        found.verdicts += questions.verdicts.len();
        let Ok(Some(policy)) = catch_unwind(|| C::policy(host.file, &questions.agent)) else {
            refused = true;
            found.differing += questions.verdicts.len();
            found.unanswered += questions.verdicts.len();
            continue;
        };
        for (_, url, allowed) in &questions.verdicts {
            match catch_unwind(AssertUnwindSafe(|| C::url(&policy, url))) {
                Ok(verdict) => found.differing += usize::from(verdict != *allowed),
                Err(_) => {
                    found.differing += 1;
                    found.unanswered += 1;
                }
            }
        }
    }
    found.refused_files += usize::from(refused);
}

/// robotsieve is asked bytes, which its peers cannot be; the number of verdicts.
pub fn assert_exact(hosts: &[Host]) -> usize {
    let mut verdicts = 0;
    for host in hosts {
        let robots = Robots::parse(host.file, &Profile::GOOGLE);
        for questions in &host.questions {
            let policy = robots.policy(&Crawler::name(&questions.agent));
            for (url, _, allowed) in &questions.verdicts {
                assert_eq!(policy.is_allowed(*url), Ok(*allowed), "{}", host.name);
            }
            verdicts += questions.verdicts.len();
        }
    }
    verdicts
}
