//! What a crawler pays before it has asked many questions: parsing, selecting a group, the first
//! verdict, K URLs of one host, 50 crawlers, and the memory that rules take.
//!
//! Each figure is a sum over all files of a set, on one thread. The best of several runs counts, and
//! the things compared run in turn, because the machine is never quiet. `--test` runs everything
//! once.

use std::hint::black_box;
use std::time::{Duration, Instant};

use robotsieve::{
    Answer, Config, Crawler, CrawlerPolicies, Engine, Policy, Profile, Robots, is_allowed_once,
};

mod support;
use support::Host;

/// Well-known crawlers of search engines and AI companies.
#[rustfmt::skip]
const CRAWLERS: [&str; 50] = [
    "Googlebot", "Googlebot-Image", "Googlebot-News", "Googlebot-Video", "Google-Extended",
    "GoogleOther", "AdsBot-Google", "Mediapartners-Google", "Storebot-Google", "APIs-Google",
    "bingbot", "msnbot", "BingPreview", "AdIdxBot", "Slurp", "DuckDuckBot", "DuckAssistBot",
    "Baiduspider", "YandexBot", "YandexImages", "Sogou", "Yeti", "SeznamBot", "Qwantify",
    "PetalBot", "Applebot", "Applebot-Extended", "GPTBot", "ChatGPT-User", "OAI-SearchBot",
    "ClaudeBot", "Claude-User", "Claude-SearchBot", "anthropic-ai", "PerplexityBot",
    "Perplexity-User", "CCBot", "Bytespider", "Amazonbot", "Meta-ExternalAgent", "FacebookBot",
    "facebookexternalhit", "cohere-ai", "Diffbot", "YouBot", "Timpibot", "omgili", "AhrefsBot",
    "SemrushBot", "ia_archiver",
];

/// Enough runs that at least one is undisturbed.
const RUNS: usize = 15;

struct Bench {
    runs: usize,
}

impl Bench {
    /// Runs these in turn, several times, and returns the best time of each.
    fn best<const N: usize>(&self, mut what: [&mut dyn FnMut(); N]) -> [Duration; N] {
        let mut best = [Duration::MAX; N];
        for _ in 0..self.runs {
            for (what, best) in what.iter_mut().zip(&mut best) {
                let begin = Instant::now();
                what();
                *best = begin.elapsed().min(*best);
            }
        }
        best
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let runs = if args.iter().any(|arg| arg == "--test") { 1 } else { RUNS };
    let wanted = |part: &str| {
        let mut parts = args[1..].iter().filter(|arg| !arg.starts_with("--")).peekable();
        parts.peek().is_none() || parts.any(|arg| arg == part)
    };
    let bench = Bench { runs };
    for (set, hosts) in [("corpora", support::corpora()), ("corpus", support::shared_corpus())] {
        if hosts.is_empty() {
            println!("{set}: not found, skipped");
            continue;
        }
        for &(name, profile) in Profile::NAMED {
            let title = format!("{set}/{name}");
            if wanted("parse") {
                parse(&bench, &title, &profile, &hosts);
            }
            if wanted("verdict") {
                first_verdict(&bench, &title, &profile, &hosts);
            }
            if wanted("memory") {
                memory(&title, &profile, &hosts);
            }
            if wanted("questions") {
                questions(&bench, &title, &profile, &hosts);
            }
            if wanted("fit") {
                fit(&bench, &title, &profile, &hosts);
            }
            if wanted("crawlers") {
                crawlers(&bench, &title, &profile, &hosts);
            }
        }
        if wanted("select") {
            select(&bench);
        }
    }
}

fn parse(bench: &Bench, title: &str, profile: &Profile, hosts: &[Host]) {
    let bytes: usize = hosts.iter().map(|host| host.file.len()).sum();
    let mut all = || {
        for host in hosts {
            black_box(Robots::parse(black_box(&host.file), profile));
        }
    };
    let [time] = bench.best([&mut all]);
    println!(
        "{title}: parse {:.2} GB/s, {:.2} µs a file of {} bytes",
        bytes as f64 / time.as_nanos() as f64,
        micros(time, hosts.len()),
        bytes / hosts.len()
    );
}

/// The first URL of each host, or its root.
fn first_verdict(bench: &Bench, title: &str, profile: &Profile, hosts: &[Host]) {
    let crawler = Crawler::name("Googlebot");
    let url = |host: &Host| host.urls().next().map_or(b"https://e.com/a".to_vec(), <[u8]>::to_vec);
    let asked: Vec<(&[u8], Vec<u8>)> = hosts.iter().map(|h| (&h.file[..], url(h))).collect();
    let by_policy = |file: &[u8], url: &[u8]| {
        Robots::parse(file, profile).policy(&crawler).is_allowed(url).unwrap_or(false)
    };
    let mut ordinary = || {
        for (file, url) in &asked {
            black_box(by_policy(black_box(file), url));
        }
    };
    let mut parse_only = || {
        for (file, _) in &asked {
            black_box(Robots::parse(black_box(file), profile));
        }
    };
    let mut once = || {
        for (file, url) in &asked {
            black_box(
                is_allowed_once(black_box(file), profile, &crawler, url).is_ok_and(black_box),
            );
        }
    };
    for (file, url) in &asked {
        let once = is_allowed_once(file, profile, &crawler, url).unwrap_or(false);
        assert_eq!(once, by_policy(file, url));
    }
    let [ordinary, once, parse_only] = bench.best([&mut ordinary, &mut once, &mut parse_only]);
    println!(
        "{title}: first verdict by a policy {:.2} µs, once {:.2} (parse alone {:.2})",
        micros(ordinary, asked.len()),
        micros(once, asked.len()),
        micros(parse_only, asked.len())
    );
}

fn micros(time: Duration, count: usize) -> f64 {
    time.as_nanos() as f64 / 1e3 / count as f64
}

/// Looking up a crawler in a file of three groups, against comparing three tokens directly.
fn select(bench: &Bench) {
    let file = b"User-agent: GPTBot\nDisallow: /a\n\nUser-agent: CCBot\nDisallow: /b\n\n\
        User-agent: *\nDisallow: /c\n";
    let robots = Robots::parse(file, &Profile::RFC9309);
    let names: Vec<Crawler> = CRAWLERS.iter().map(Crawler::name).collect();
    let mut policies = || {
        for _ in 0..1000 {
            for name in &names {
                black_box(robots.policy(black_box(name)));
            }
        }
    };
    let tokens: [&[u8]; 3] = [b"GPTBot", b"CCBot", b"*"];
    let mut compare = || {
        for _ in 0..1000 {
            for name in &names {
                let name = black_box(name).iter().next().unwrap_or_default();
                black_box(black_box(&tokens).iter().position(|t| t.eq_ignore_ascii_case(name)));
            }
        }
    };
    let [policies, compare] = bench.best([&mut policies, &mut compare]);
    println!(
        "select: policy() of a known group {:.1} ns, comparing three tokens {:.1} ns",
        micros(policies, 1000 * names.len()) * 1e3,
        micros(compare, 1000 * names.len()) * 1e3
    );
}

fn memory(title: &str, profile: &Profile, hosts: &[Host]) {
    let crawler = Crawler::name("Googlebot");
    let (mut rules, mut rules_bytes, mut rest, mut text) = (0, 0, 0, 0);
    for host in hosts {
        let policy = Robots::parse(&host.file, profile).policy(&crawler);
        let memory = policy.memory_usage();
        rules += policy.rule_count();
        rules_bytes += memory.rules_bytes;
        rest += memory.rest_bytes;
        text += policy.rules().map(|rule| rule.value.len()).sum::<usize>();
    }
    println!(
        "{title}: {:.1} rules a policy; bytes a rule {:.1}, of which its value {:.1}; rest of a policy {:.0}",
        rules as f64 / hosts.len() as f64,
        rules_bytes as f64 / rules as f64,
        text as f64 / rules as f64,
        rest as f64 / hosts.len() as f64
    );
}

/// K questions to a new policy that compiles automatically, never, or at once.
fn questions(bench: &Bench, title: &str, profile: &Profile, hosts: &[Host]) {
    let crawler = Crawler::name("Googlebot");
    let automatic = Config::default();
    let mut never = automatic;
    never.engine = Some(Engine::Scan);
    let mut at_once = automatic;
    at_once.build_after = Some(0);
    let with_paths: Vec<(&Host, Vec<&[u8]>)> = hosts
        .iter()
        .map(|host| (host, host.paths().collect::<Vec<_>>()))
        .filter(|(_, paths)| !paths.is_empty())
        .collect();
    for k in [1, 3, 10, 30, 100, 300, 1_000, 10_000, 100_000] {
        // Every host, or every twentieth where all would take minutes.
        let step = if k > 10_000 { 20 } else { 1 };
        let runs = if k >= 1_000 { bench.runs.min(3) } else { bench.runs.min(6) };
        let mut sums = [0.0; 3];
        let mut ratios = Vec::new();
        for (host, paths) in with_paths.iter().step_by(step) {
            let total = |config: &Config| {
                let begin = Instant::now();
                let policy = Robots::parse_with(&host.file, profile, config).policy(&crawler);
                ask(&policy, paths, k);
                begin.elapsed().as_nanos() as f64
            };
            let mut best = [f64::INFINITY; 3];
            // Each configuration goes first equally often, because the first run finds cold caches.
            for run in 0..runs {
                for turn in 0..3 {
                    let at = (run + turn) % 3;
                    best[at] = best[at].min(total([&automatic, &never, &at_once][at]));
                }
            }
            for (sum, best) in sums.iter_mut().zip(best) {
                *sum += best;
            }
            ratios.push(best[0] / best[1].min(best[2]));
        }
        ratios.sort_by(f64::total_cmp);
        let at = |share: f64| ratios[((ratios.len() - 1) as f64 * share) as usize];
        let mean = |sum: f64| sum / 1e3 / ratios.len() as f64;
        println!(
            "{title}: {k} questions, {} hosts, µs: automatic {:.2}, never {:.2}, at once {:.2}; \
             ratio of the sums {:.2}; by host: median {:.2}, p90 {:.2}, p99 {:.2}, max {:.2}",
            ratios.len(),
            mean(sums[0]),
            mean(sums[1]),
            mean(sums[2]),
            sums[0] / sums[1].min(sums[2]),
            at(0.5),
            at(0.9),
            at(0.99),
            at(1.0)
        );
    }
}

fn ask(policy: &Policy, paths: &[&[u8]], count: usize) {
    for path in paths.iter().cycle().take(count) {
        black_box(policy.is_path_allowed(*path).is_ok_and(black_box));
    }
}

/// Fits the estimates of `questions_before_compiling` in `src/engine/mod.rs` to measurements: the
/// nanoseconds that compiling a set of rules takes, and those of a question that tries each rule.
fn fit(bench: &Bench, title: &str, profile: &Profile, hosts: &[Host]) {
    let crawler = Crawler::name("Googlebot");
    let mut scan = Config::default();
    scan.engine = Some(Engine::Scan);
    let (mut compiles, mut questions) = (Vec::new(), Vec::new());
    for host in hosts {
        let paths: Vec<&[u8]> = host.paths().take(100).collect();
        let scanned = Robots::parse_with(&host.file, profile, &scan).policy(&crawler);
        if paths.is_empty() || scanned.rule_count() == 0 {
            continue;
        }
        let mut best = [f64::INFINITY; 2];
        for _ in 0..bench.runs {
            let policy = Robots::parse(&host.file, profile).policy(&crawler);
            let begin = Instant::now();
            policy.compile();
            best[0] = best[0].min(begin.elapsed().as_nanos() as f64);
            let begin = Instant::now();
            ask(&scanned, &paths, paths.len());
            best[1] = best[1].min(begin.elapsed().as_nanos() as f64 / paths.len() as f64);
        }
        let rules = scanned.rules().len() as f64;
        let bytes = scanned.rules().map(|rule| rule.pattern().len()).sum::<usize>() as f64;
        let stars = |pattern: &[u8]| pattern.iter().filter(|o| **o == b'*').count();
        let stars = scanned.rules().map(|rule| stars(rule.pattern())).sum::<usize>() as f64;
        compiles.push(([1.0, bytes, stars], best[0]));
        questions.push(([1.0, rules, stars], best[1]));
    }
    for (what, of, samples) in [("compile", "byte", &compiles), ("a question", "rule", &questions)]
    {
        let [fixed, each, star] = least_squares(samples);
        let estimate = |x: &[f64; 3]| fixed + each * x[1] + star * x[2];
        let mut ratios: Vec<f64> = samples.iter().map(|(x, y)| y / estimate(x)).collect();
        ratios.sort_by(f64::total_cmp);
        let at = |share: f64| ratios[((ratios.len() - 1) as f64 * share) as usize];
        let sum: f64 = samples.iter().map(|(_, y)| y).sum();
        let estimated: f64 = samples.iter().map(|(x, _)| estimate(x)).sum();
        println!(
            "{title}: {what} {fixed:.0} ns + {each:.1} for each {of} + {star:.1} for each star; \
             measured / estimated: p10 {:.2}, median {:.2}, p90 {:.2}, max {:.1}, sums {:.2}",
            at(0.1),
            at(0.5),
            at(0.9),
            at(1.0),
            sum / estimated
        );
    }
}

/// The factors with the least squares of the errors relative to the estimates. That way the sums
/// agree, and a large set weighs no more than a small one.
fn least_squares(samples: &[([f64; 3], f64)]) -> [f64; 3] {
    let mut factors = [0.0; 3];
    for round in 0..50 {
        // The normal equations, solved by elimination.
        let mut rows = [[0.0; 4]; 3];
        for (x, y) in samples {
            let estimate =
                if round == 0 { *y } else { x.iter().zip(factors).map(|(x, f)| x * f).sum() };
            let weight = 1.0 / estimate.max(1.0).powi(2);
            for (row, a) in rows.iter_mut().zip(x) {
                for (cell, b) in row.iter_mut().zip(x.iter().chain([y])) {
                    *cell += weight * a * b;
                }
            }
        }
        for i in 0..3 {
            let pivot = rows[i];
            for (j, row) in rows.iter_mut().enumerate() {
                if j != i {
                    let factor = row[i] / pivot[i];
                    row.iter_mut().zip(pivot).for_each(|(cell, p)| *cell -= factor * p);
                }
            }
        }
        factors = [0, 1, 2].map(|i| (rows[i][3] / rows[i][i]).max(0.0));
    }
    factors
}

/// Every URL, for one crawler and for fifty, with compiled policies.
fn crawlers(bench: &Bench, title: &str, profile: &Profile, hosts: &[Host]) {
    let crawlers: Vec<Crawler> = CRAWLERS.iter().map(Crawler::name).collect();
    let sites: Vec<(CrawlerPolicies, Vec<&[u8]>)> = hosts
        .iter()
        .filter(|host| host.urls().next().is_some())
        .map(|host| {
            let robots = Robots::parse(&host.file, profile);
            let policies = crawlers.iter().map(|crawler| {
                let policy = robots.policy(crawler);
                policy.compile();
                policy
            });
            (CrawlerPolicies::new(policies), host.urls().collect())
        })
        .collect();
    let urls: usize = sites.iter().map(|(_, urls)| urls.len()).sum();
    let distinct: usize = sites.iter().map(|(p, urls)| p.distinct_count() * urls.len()).sum();
    let mut one = || {
        for (policies, urls) in &sites {
            for url in urls {
                black_box(policies.policy(0).is_allowed(*url).is_ok_and(black_box));
            }
        }
    };
    let mut fifty = || {
        let mut answers = [Answer::Unknown; CRAWLERS.len()];
        for (policies, urls) in &sites {
            for url in urls {
                policies.ask_into(*url, &mut answers);
                black_box(&answers);
            }
        }
    };
    let [one, fifty] = bench.best([&mut one, &mut fifty]);
    println!(
        "{title}: one crawler {:.0} ns a URL, fifty {:.0} ns ({:.2} ×), {:.2} policies a URL",
        micros(one, urls) * 1e3,
        micros(fifty, urls) * 1e3,
        fifty.as_secs_f64() / one.as_secs_f64(),
        distinct as f64 / urls as f64
    );
}
