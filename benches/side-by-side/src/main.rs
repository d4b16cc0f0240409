//! robotsieve beside its peers: one table of figures with the bars that were set, and plots.

mod allocator;
mod contestants;
mod data;
mod measure;
mod plot;
mod random;
mod report;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use robotsieve::{Crawler, Engine, Profile, Robots};

use contestants::{
    AtOnce, Automatic, Contestant, Cylon, DENSE_LIMIT_BYTES, Dense, FastRobots, Hybrid, Kind, Lazy,
    Loop, Never, NoRules, Robotsieve, Robotstxt, Robotxt, Scan, Segments, TextingRobots,
};
use data::{AGENT, Data, Host};
use measure::{Asked, Curve, Differences, Effort, Lane, Memory, quantile};
use plot::{Row, Series};
use report::{Bar, Report};

#[global_allocator]
static ALLOCATOR: allocator::Counting = allocator::Counting;

const COMMAND: &str = "cargo run --profile dist -p side-by-side";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let named = |name: &str| SECTIONS.iter().find(|section| section.0 == name);
    let (smoke, only) = match arguments[..] {
        [] => (false, None),
        ["--smoke"] => (true, None),
        ["--only", name] if named(name).is_some() => (false, named(name)),
        _ => {
            let names = SECTIONS.map(|(name, _)| name).join("|");
            eprintln!("usage: {COMMAND} [-- --smoke | --only {names}]");
            std::process::exit(2);
        }
    };
    // Peers panic on some files, which is caught, counted and not worth a line each. A panic
    // that nobody caught ends the program, and then the last one is told.
    static LAST: Mutex<String> = Mutex::new(String::new());
    std::panic::set_hook(Box::new(|panic| {
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = panic.to_string();
    }));
    if std::panic::catch_unwind(|| run(smoke, only)).is_err() {
        eprintln!("{}", LAST.lock().unwrap_or_else(PoisonError::into_inner));
        std::process::exit(101);
    }
}

/// A part of the table, by the name to ask for it alone.
type Section = (&'static str, fn(&mut Suite<'_>));

const SECTIONS: [Section; 10] = [
    ("verdicts", |suite| suite.verdicts()),
    ("decisions", |suite| suite.decisions()),
    ("first", |suite| suite.first_verdict()),
    ("questions", |suite| suite.questions()),
    ("memory", |suite| suite.memory()),
    ("threads", |suite| suite.threads()),
    ("parse", |suite| suite.parse()),
    ("crawlers", |suite| suite.crawlers()),
    ("compile", |suite| suite.compile()),
    ("random", |suite| suite.random()),
];

/// A smoke run and a single section write no file.
fn run(smoke: bool, only: Option<&Section>) {
    let effort = if smoke { Effort::SMOKE } else { Effort::FULL };
    let data = data::read(smoke);
    let mut suite = Suite::new(&data, effort, smoke);
    match only {
        Some((_, section)) => section(&mut suite),
        None => SECTIONS.iter().for_each(|(_, section)| section(&mut suite)),
    }
    let (met, missed) = suite.report.bars();
    println!("{}\n{}\nbars: {met} met, {missed} missed", suite.head(), suite.report.table(true));
    if !smoke && only.is_none() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        // It names the commit, so it comes before files change.
        let page = suite.page(&suite.report.table(false), met, missed);
        let plots = root.join("docs/plots");
        std::fs::create_dir_all(&plots).expect("docs/plots");
        for (name, svg) in &suite.plots {
            std::fs::write(plots.join(name), svg).expect("a plot in docs/plots");
        }
        std::fs::write(root.join("docs/side-by-side.md"), page).expect("docs/side-by-side.md");
        println!("written: docs/side-by-side.md, docs/plots/");
    }
}

/// How many times robotsieve's figure this is: of lanes, robotsieve's own first.
fn robotsieve<'l, 'd>(lanes: &'l [Lane<'d>]) -> &'l Lane<'d> {
    lanes.iter().find(|lane| lane.kind == Kind::Robotsieve).expect("robotsieve takes part")
}

/// The mean of the fastest peer.
fn best_peer(lanes: &[Lane<'_>]) -> f64 {
    let peers = lanes.iter().filter(|lane| lane.kind == Kind::Peer);
    peers.map(|lane| lane.mean()).fold(f64::INFINITY, f64::min)
}

/// A colour for each of the contestants, peers numbered as they come.
fn colours(kinds: impl Iterator<Item = Kind>) -> Vec<&'static str> {
    let mut peers = 0;
    let colour = |kind| {
        peers += usize::from(kind == Kind::Peer);
        plot::colour(kind, peers.max(1) - 1)
    };
    kinds.map(colour).collect()
}

struct Suite<'d> {
    data: &'d Data,
    effort: Effort,
    is_smoke: bool,
    /// The hosts that have URLs.
    asked: Vec<&'d Host>,
    report: Report,
    plots: Vec<(&'static str, String)>,
}

impl<'d> Suite<'d> {
    fn new(data: &'d Data, effort: Effort, is_smoke: bool) -> Suite<'d> {
        let asked = data.hosts.iter().filter(|host| !host.urls.is_empty()).collect();
        Suite { data, effort, is_smoke, asked, report: Report::default(), plots: Vec::new() }
    }

    /// What takes long says where it is.
    fn begin(&mut self, title: &str) {
        eprintln!("… {title}");
        self.report.section(title);
    }

    /// Speed is worth nothing without them.
    fn verdicts(&mut self) {
        let hosts = &self.data.hosts;
        self.begin("verdicts that differ");
        let exact = measure::assert_exact(hosts);
        let note = format!("of {}", plot::number(exact as f64));
        self.report.row("robotsieve, profile google", 0.0, "", None, note);
        self.report.bar(Bar::holds("none", true));
        let all: [Differences; 7] = [
            measure::differences::<FastRobots>(hosts),
            measure::differences::<TextingRobots>(hosts),
            measure::differences::<Robotxt>(hosts),
            measure::differences::<Robotstxt>(hosts),
            measure::differences::<Cylon>(hosts),
            measure::differences::<Loop>(hosts),
            measure::differences::<Hybrid>(hosts),
        ];
        for found in all {
            assert_eq!(found.verdicts, exact, "{}", found.name);
            let mut note =
                format!("{:.3} %", 100.0 * found.differing as f64 / found.verdicts.max(1) as f64);
            if found.unanswered > 0 {
                let _ = write!(
                    note,
                    "; {} of them without an answer, {} files refused",
                    plot::number(found.unanswered as f64),
                    found.refused_files
                );
            }
            self.report.row(found.name, found.differing as f64, "", None, note);
        }
    }

    fn decisions(&mut self) {
        let hosts = self.asked.clone();
        let over: Vec<&Host> = hosts.iter().copied().filter(|host| is_over_budget(host)).collect();
        let mut rows: Vec<(&'static str, Kind, Vec<Option<f64>>)> = Vec::new();
        for (place, (asked, hosts)) in
            [(Asked::Path, &hosts), (Asked::Url, &hosts), (Asked::Path, &over), (Asked::Url, &over)]
                .into_iter()
                .enumerate()
        {
            let from = if asked == Asked::Path { "path" } else { "URL" };
            let which = if place < 2 {
                String::new()
            } else {
                format!(", {} policies over the budget", over.len())
            };
            self.begin(&format!("a decision from a {from}{which}"));
            let mut lanes: Vec<Lane<'_>> = [
                measure::decide::<Robotsieve<Automatic>>(hosts, asked),
                measure::decide::<Robotsieve<Scan>>(hosts, asked),
                measure::decide::<Robotsieve<Lazy>>(hosts, asked),
                measure::decide::<Robotsieve<Segments>>(hosts, asked),
                measure::decide::<FastRobots>(hosts, asked),
                measure::decide::<TextingRobots>(hosts, asked),
                measure::decide::<Robotxt>(hosts, asked),
                measure::decide::<Robotstxt>(hosts, asked),
                measure::decide::<Cylon>(hosts, asked),
                measure::decide::<Loop>(hosts, asked),
                measure::decide::<Hybrid>(hosts, asked),
                measure::decide::<Dense>(hosts, asked),
            ]
            .into_iter()
            .flatten()
            .collect();
            if lanes.is_empty() {
                continue;
            }
            if place < 2 {
                let dfas: Vec<&Host> =
                    hosts.iter().copied().filter(|host| !is_over_budget(host)).collect();
                if let Some(mut lane) = measure::decide::<Robotsieve<Automatic>>(&dfas, asked) {
                    (lane.name, lane.kind) = ("robotsieve, those that are DFAs", Kind::Setting);
                    lane.note = format!("{} of {} hosts", dfas.len(), hosts.len());
                    lanes.insert(1, lane);
                }
            }
            measure::race(&mut lanes, &self.effort);
            let ours = robotsieve(&lanes).mean();
            for lane in &lanes {
                let note = lane.note.clone();
                self.report.row(lane.name, lane.mean(), "ns", Some(lane.mean() / ours), note);
                if lane.kind == Kind::Robotsieve {
                    let most = [15.0, 45.0, 100.0, 130.0][place];
                    self.report.bar(Bar::at_most(ours, most, "ns"));
                }
                if lane.name == TextingRobots::NAME && place == 0 {
                    self.report.bar(Bar::at_least(lane.mean() / ours, 30.0, "×"));
                }
                let known = rows.iter().position(|(name, ..)| *name == lane.name);
                let row = known.unwrap_or_else(|| {
                    rows.push((lane.name, lane.kind, vec![None; 3]));
                    rows.len() - 1
                });
                if place < 3 {
                    rows[row].2[place] = Some(lane.mean());
                }
            }
            if place == 1 {
                let best = best_peer(&lanes);
                self.report.row("best peer", best, "ns", Some(best / ours), "");
                self.report.bar(Bar::at_least(best / ours, 15.0, "×"));
            }
        }
        let colours = colours(rows.iter().map(|(_, kind, _)| *kind));
        let peers = rows.iter().filter(|(_, kind, _)| *kind == Kind::Peer);
        let peers: Vec<String> = peers.map(|(name, ..)| (*name).to_owned()).collect();
        let rows: Vec<Row> = rows
            .into_iter()
            .zip(colours)
            .map(|((name, kind, values), colour)| Row {
                name: name.to_owned(),
                colour,
                bold: kind == Kind::Robotsieve,
                values,
            })
            .collect();
        // For the README: what a reader wants to know, of those that take part as they are.
        let whole = |row: &&Row| row.bold || peers.contains(&row.name);
        let urls =
            rows.iter().filter(whole).map(|row| Row { values: vec![row.values[1]], ..row.clone() });
        let urls: Vec<Row> = urls.collect();
        let axis = "nanoseconds, mean over all URLs, policies ready; less is better";
        self.plots
            .push(("url.svg", plot::dots("Time to judge a URL", axis, &["from a URL"], &urls)));
        let rows: Vec<Row> =
            rows.into_iter().map(|row| Row { values: row.values[..2].to_vec(), ..row }).collect();
        let marks = ["from a path", "from a URL"];
        let svg = plot::dots(
            "Time of a decision, policies ready",
            "nanoseconds, mean over all questions; the figure is that of the slower mark",
            &marks,
            &rows,
        );
        self.plots.push(("decide.svg", svg));
    }

    fn first_verdict(&mut self) {
        self.begin("from the bytes of a file to one verdict");
        let hosts = &self.data.hosts;
        let mut lanes = vec![
            measure::first::<Robotsieve<Automatic>>(hosts),
            measure::first::<Robotsieve<AtOnce>>(hosts),
            measure::first::<FastRobots>(hosts),
            measure::first::<TextingRobots>(hosts),
            measure::first::<Robotxt>(hosts),
            measure::first::<Robotstxt>(hosts),
            measure::first::<Cylon>(hosts),
            measure::first::<Loop>(hosts),
            measure::first::<Hybrid>(hosts),
            measure::first::<Dense>(hosts),
        ];
        measure::race(&mut lanes, &self.effort);
        let ours = robotsieve(&lanes).mean();
        let mut rows = Vec::new();
        let colours = colours(lanes.iter().map(|lane| lane.kind));
        for (lane, colour) in lanes.iter().zip(colours) {
            let median = lane.quantile(0.5) / 1e3;
            let mut note = format!("median {} µs", plot::number(median));
            if !lane.note.is_empty() {
                let _ = write!(note, "; {}", lane.note);
            }
            let mean = lane.mean() / 1e3;
            self.report.row(lane.name, mean, "µs", Some(lane.mean() / ours), note);
            rows.push(Row {
                name: lane.name.to_owned(),
                colour,
                bold: lane.kind == Kind::Robotsieve,
                values: vec![Some(mean), Some(median)],
            });
        }
        let best = best_peer(&lanes);
        self.report.row("best peer", best / 1e3, "µs", Some(best / ours), "");
        self.report.bar(Bar::at_least(best / ours, 4.0, "×"));
        let axis = "microseconds; the figure is the mean";
        let svg = plot::dots("From bytes to the first verdict", axis, &["mean", "median"], &rows);
        self.plots.push(("first.svg", svg));
    }

    fn questions(&mut self) {
        self.begin("total time for K questions of one host, from the bytes of its file");
        let asked = self.asked.clone();
        let grid = measure::grid(self.effort.most_questions);
        let effort = self.effort;
        let mut curves = vec![
            measure::questions::<Robotsieve<Automatic>>(&asked, effort),
            measure::questions::<Robotsieve<Never>>(&asked, effort),
            measure::questions::<Robotsieve<AtOnce>>(&asked, effort),
            measure::questions::<FastRobots>(&asked, effort),
            measure::questions::<TextingRobots>(&asked, effort),
            measure::questions::<Robotxt>(&asked, effort),
            measure::questions::<Robotstxt>(&asked, effort),
            measure::questions::<Cylon>(&asked, effort),
            measure::questions::<Loop>(&asked, effort),
            measure::questions::<Hybrid>(&asked, effort),
            measure::questions::<Dense>(&asked, effort),
        ];
        measure::race_curves(&mut curves, asked.len(), &grid, self.effort.rounds.min(3));
        for curve in &curves {
            assert!(!curve.times.is_empty(), "{} answers no host", curve.name);
        }
        let [automatic, never, at_once, others @ ..] = &curves[..] else {
            unreachable!("the list above")
        };
        for k in [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000] {
            let Ok(point) = grid.binary_search(&k) else { continue };
            let ours = automatic.mean(point);
            for curve in &curves {
                let mut note = format!("median {} µs", plot::number(curve.median(point) / 1e3));
                let (measured, hosts) = (curve.measured[point], curve.times.len());
                if measured < hosts {
                    let _ = write!(note, "; {} of {hosts} hosts reckoned", hosts - measured);
                }
                if hosts < asked.len() {
                    let _ = write!(note, "; without {} hosts", asked.len() - hosts);
                }
                let mean = curve.mean(point);
                let name = format!("K = {}: {}", plot::number(k as f64), curve.name);
                self.report.row(name, mean / 1e3, "µs", Some(mean / ours), note);
                if curve.kind == Kind::Robotsieve && [1, 10, 100, 1_000, 100_000].contains(&k) {
                    let lowest = others.iter().map(|curve| curve.mean(point));
                    let lowest = lowest.fold(f64::INFINITY, f64::min);
                    self.report.bar(Bar::holds("lowest of all", ours <= lowest));
                }
            }
        }
        let ratios = Ratios::of(automatic, never, at_once, grid.len());
        self.begin("automatic, to the better of never and at once, by K");
        let powers: Vec<usize> =
            (0..=6).filter_map(|n| grid.binary_search(&10_u64.pow(n)).ok()).collect();
        for point in powers {
            let k = grid[point];
            let note = format!(
                "the better one chosen host by host: {}; worst host {}",
                plot::number(ratios.host_by_host[point]),
                plot::number(ratios.worst_host[point]),
            );
            let name = format!("K = {}", plot::number(k as f64));
            self.report.row(name, ratios.of_means[point], "", None, note);
            let strict = [1, 10, 100, 1_000, 100_000].contains(&k);
            let most = if strict { 1.3 } else { 2.0 };
            self.report.bar(Bar::at_most(ratios.of_means[point], most, "×"));
        }
        let worst = ratios.of_means.iter().copied().fold(0.0, f64::max);
        self.report.row(format!("all {} values of K: the worst", grid.len()), worst, "", None, "");
        self.report.bar(Bar::at_most(worst, 2.0, "×"));
        let colours = colours(curves.iter().map(|curve| curve.kind));
        type Figure = fn(&Curve<'_>, usize) -> f64;
        let figures: [(&str, &str, Figure); 2] = [
            ("questions.svg", "mean host", |curve, point| curve.mean(point)),
            ("questions-median.svg", "median host", |curve, point| curve.median(point)),
        ];
        for (file, which, figure) in figures {
            let series: Vec<Series> = curves
                .iter()
                .zip(&colours)
                .map(|(curve, colour)| Series {
                    name: curve.name.to_owned(),
                    colour,
                    width: if curve.kind == Kind::Robotsieve { 3.0 } else { 1.6 },
                    dashed: matches!(curve.kind, Kind::Setting | Kind::Baseline),
                    points: grid
                        .iter()
                        .enumerate()
                        .map(|(point, k)| (*k as f64, figure(curve, point) / 1e3))
                        .collect(),
                })
                .collect();
            let title = format!("Total time for the questions of one host, file included: {which}");
            let svg = plot::lines(&title, ("questions", "microseconds"), &series);
            self.plots.push((file, svg));
        }
        let ratio = |name: &str, colour, width, values: &[f64]| Series {
            name: name.to_owned(),
            colour,
            width,
            dashed: false,
            points: grid.iter().map(|k| *k as f64).zip(values.iter().copied()).collect(),
        };
        let series = [
            ratio("all hosts together", plot::colour(Kind::Robotsieve, 0), 3.0, &ratios.of_means),
            ratio("the better by host", plot::colour(Kind::Peer, 0), 1.6, &ratios.host_by_host),
            ratio("worst host", plot::colour(Kind::Baseline, 0), 1.6, &ratios.worst_host),
        ];
        let title = "When to compile: time to that of the better of never and at once";
        let svg = plot::lines(title, ("questions", "ratio"), &series);
        self.plots.push(("questions-ratio.svg", svg));
    }

    fn memory(&mut self) {
        self.begin("memory of all policies, in bytes per byte of robots.txt");
        let hosts = &self.data.hosts;
        let all: [Memory; 10] = [
            measure::memory::<Robotsieve<Automatic>>(hosts, measure::claim),
            measure::memory::<Robotsieve<NoRules>>(hosts, measure::claim),
            measure::memory::<FastRobots>(hosts, |_| 0),
            measure::memory::<TextingRobots>(hosts, |_| 0),
            measure::memory::<Robotxt>(hosts, |_| 0),
            measure::memory::<Robotstxt>(hosts, |(text, _)| text.len()),
            measure::memory::<Cylon>(hosts, |_| 0),
            measure::memory::<Loop>(hosts, |_| 0),
            measure::memory::<Hybrid>(hosts, |_| 0),
            measure::memory::<Dense>(hosts, |_| 0),
        ];
        let ours = all[0].per_byte();
        let mut rows = Vec::new();
        let colours = colours(all.iter().map(|memory| memory.kind));
        for (memory, colour) in all.iter().zip(colours) {
            let counted: f64 = memory.bytes.iter().sum();
            let median = quantile(memory.bytes.clone(), 0.5);
            let mut note = format!("median policy {} bytes", plot::number(median));
            if memory.left_out > 0 {
                let _ = write!(note, "; without {} files", memory.left_out);
            }
            let is_ours = matches!(memory.kind, Kind::Robotsieve | Kind::Setting);
            if memory.kind == Kind::Robotsieve {
                note.push_str("; with the rules, which explain verdicts");
            }
            // What a port of google/robotstxt keeps is the file itself, which it only borrows.
            let borrowed = memory.name == Robotstxt::NAME;
            if borrowed {
                note = "keeps the file itself, and reads it again for each question".to_owned();
            }
            let per_byte = if borrowed {
                memory.claimed as f64 / memory.text_bytes as f64
            } else {
                memory.per_byte()
            };
            self.report.row(memory.name, per_byte, "", Some(per_byte / ours), note);
            if is_ours {
                // The bar is for what decides: of policies that are DFAs that is without rules.
                if memory.kind == Kind::Setting {
                    self.report.bar(Bar::at_most(per_byte, 0.36, ""));
                }
                let off = 100.0 * (memory.claimed as f64 - counted) / counted;
                let name = format!("{}: memory_usage() beside the allocator", memory.name);
                self.report.row(name, off, "%", None, "");
                self.report.bar(Bar::holds("within 1 %", off.abs() <= 1.0));
            }
            rows.push(Row {
                name: memory.name.to_owned(),
                colour,
                bold: memory.kind == Kind::Robotsieve,
                values: vec![Some(per_byte)],
            });
        }
        let axis = "bytes per byte of robots.txt, all policies for one crawler";
        self.plots.push(("memory.svg", plot::dots("Memory", axis, &["all"], &rows)));
    }

    fn threads(&mut self) {
        self.begin("decisions a second from URLs, by threads that share the policies");
        let hosts = &self.asked;
        let counts = [1, 2, 4];
        let measure = |by: &dyn Fn(usize) -> f64| counts.map(by);
        let effort = &self.effort;
        type Found = (&'static str, Kind, [f64; 3]);
        let all: [Found; 7] = [
            (
                Robotsieve::<Automatic>::NAME,
                Kind::Robotsieve,
                measure(&|n| measure::by_threads::<Robotsieve<Automatic>>(hosts, n, effort)),
            ),
            (
                FastRobots::NAME,
                Kind::Peer,
                measure(&|n| measure::by_threads::<FastRobots>(hosts, n, effort)),
            ),
            (
                TextingRobots::NAME,
                Kind::Peer,
                measure(&|n| measure::by_threads::<TextingRobots>(hosts, n, effort)),
            ),
            (
                Robotxt::NAME,
                Kind::Peer,
                measure(&|n| measure::by_threads::<Robotxt>(hosts, n, effort)),
            ),
            (
                Robotstxt::NAME,
                Kind::Peer,
                measure(&|n| measure::by_threads::<Robotstxt>(hosts, n, effort)),
            ),
            (Cylon::NAME, Kind::Peer, measure(&|n| measure::by_threads::<Cylon>(hosts, n, effort))),
            (
                Loop::NAME,
                Kind::Baseline,
                measure(&|n| measure::by_threads::<Loop>(hosts, n, effort)),
            ),
        ];
        let colours = colours(all.iter().map(|(_, kind, _)| *kind));
        let mut series = Vec::new();
        for ((name, kind, found), colour) in all.iter().zip(colours) {
            for ((count, figure), ours) in counts.iter().zip(found).zip(all[0].2) {
                let threads = if *count == 1 { "thread" } else { "threads" };
                let name = format!("{count} {threads}: {name}");
                let note = format!("{} times one thread", plot::number(figure / found[0]));
                self.report.row(name, figure / 1e6, "million/s", Some(figure / ours), note);
            }
            series.push(Series {
                name: (*name).to_owned(),
                colour,
                width: if *kind == Kind::Robotsieve { 3.0 } else { 1.6 },
                dashed: *kind == Kind::Baseline,
                points: counts.iter().map(|n| *n as f64).zip(*found).collect(),
            });
        }
        let svg = plot::lines("Decisions from URLs", ("threads", "decisions a second"), &series);
        self.plots.push(("threads.svg", svg));
    }

    fn random(&mut self) {
        let frontier = random::Frontier::generate(self.is_smoke);
        self.begin(&frontier.title());
        let mut lanes = random::lanes(&frontier);
        measure::race(&mut lanes, &self.effort);
        let ours = robotsieve(&lanes).mean();
        for lane in &lanes {
            let note = lane.note.clone();
            self.report.row(lane.name, lane.mean(), "ns", Some(lane.mean() / ours), note);
        }
    }

    fn parse(&mut self) {
        self.begin("parse alone, all bytes over all time");
        let hosts = &self.data.hosts;
        let mut lanes = vec![measure::parse(hosts, "robotsieve, google", Profile::GOOGLE)];
        for (name, profile) in [
            ("robotsieve, rfc9309", Profile::RFC9309),
            ("robotsieve, google-classic", Profile::GOOGLE_CLASSIC),
            ("robotsieve, original-1994", Profile::ORIGINAL_1994),
        ] {
            lanes.push(measure::parse(hosts, name, profile));
        }
        lanes.push(measure::parse_fast_robots(hosts));
        lanes.push(measure::read::<TextingRobots>(hosts));
        lanes.push(measure::read::<Robotxt>(hosts));
        lanes.push(measure::parse_robotstxt(hosts));
        lanes.push(measure::read::<Cylon>(hosts));
        measure::race(&mut lanes, &self.effort);
        let ours = robotsieve(&lanes).mean();
        let mut rows = Vec::new();
        let colours = colours(lanes.iter().map(|lane| lane.kind));
        for (lane, colour) in lanes.iter().zip(colours) {
            let rate = 1.0 / lane.mean();
            let mut note = format!("median file {} µs", plot::number(lane.quantile(0.5) / 1e3));
            let what = match lane.name {
                Robotstxt::NAME => "; events only, nothing kept",
                Cylon::NAME => "; with its automaton, for one crawler",
                _ if lane.kind == Kind::Peer => "; for one crawler",
                _ => "",
            };
            note.push_str(what);
            if !lane.note.is_empty() {
                let _ = write!(note, "; {}", lane.note);
            }
            self.report.row(lane.name, rate, "GB/s", Some(ours / lane.mean()), note);
            if lane.kind == Kind::Robotsieve {
                self.report.bar(Bar::at_least(rate, 1.0, "GB/s"));
            }
            rows.push(Row {
                name: lane.name.to_owned(),
                colour,
                bold: lane.kind == Kind::Robotsieve,
                values: vec![Some(rate * 1e3)],
            });
        }
        let best = best_peer(&lanes);
        self.report.row("best peer", 1.0 / best, "GB/s", Some(ours / best), "");
        self.report.bar(Bar::holds("robotsieve ≥ 5 × that", best / ours >= 5.0));
        let axis = "megabytes a second; more is better";
        self.plots.push(("parse.svg", plot::dots("Parsing alone", axis, &["all"], &rows)));
    }

    fn crawlers(&mut self) {
        self.begin("a URL for one crawler and for fifty at once (CrawlerPolicies)");
        let mut lanes = measure::crawlers(&self.asked);
        measure::race(&mut lanes, &self.effort);
        let [one, fifty] = &lanes;
        self.report.row("one crawler", one.mean(), "ns", Some(1.0), "");
        let ratio = fifty.mean() / one.mean();
        self.report.row("50 crawlers", fifty.mean(), "ns", Some(ratio), fifty.note.clone());
        self.report.bar(Bar::at_most(ratio, 3.0, "×"));
    }

    fn compile(&mut self) {
        self.begin("compile, from the parsed file to the policy, profile google");
        let mut lanes = [measure::compile(&self.data.hosts)];
        measure::race(&mut lanes, &self.effort);
        let [lane] = &lanes;
        let microseconds = |share| lane.quantile(share) / 1e3;
        for (name, figure, most) in [
            ("median", microseconds(0.5), 8.0),
            ("mean", lane.mean() / 1e3, 30.0),
            ("99th percentile", microseconds(0.99), 400.0),
            ("longest", microseconds(1.0), 20_000.0),
        ] {
            self.report.row(name, figure, "µs", None, "");
            self.report.bar(Bar::at_most(figure, most, "µs"));
        }
        let mut sorted = lane.best.clone();
        sorted.sort_by(f64::total_cmp);
        // Each point is the time below which all but this share of the files lie.
        let share = |place: usize| 100.0 * (sorted.len() - place) as f64 / sorted.len() as f64;
        let points = sorted.iter().enumerate().map(|(place, ns)| (ns / 1e3, share(place)));
        let series = [Series {
            name: "robotsieve".to_owned(),
            colour: plot::colour(Kind::Robotsieve, 0),
            width: 3.0,
            dashed: false,
            points: points.collect(),
        }];
        let title = "Compiling: how many files take longer";
        let axes = ("microseconds", "per cent of the files that take longer");
        self.plots.push(("compile.svg", plot::lines(title, axes, &series)));
    }

    fn head(&self) -> String {
        let hosts = &self.data.hosts;
        let bytes: usize = hosts.iter().map(|host| host.file.len()).sum();
        let urls: usize = self.asked.iter().map(|host| host.urls.len()).sum();
        let over = self.asked.iter().filter(|host| is_over_budget(host)).count();
        format!(
            "Data: {}. {} files, {} bytes; {} hosts with {} URLs, {over} of their policies over \
             the budget of the DFA. Crawler: {AGENT}.",
            self.data.description,
            plot::number(hosts.len() as f64),
            plot::number(bytes as f64),
            plot::number(self.asked.len() as f64),
            plot::number(urls as f64),
        )
    }

    fn page(&self, table: &str, met: usize, missed: usize) -> String {
        let mut page = format!(
            "# Side by side\n\nGenerated by\n\n```console\n{COMMAND}\n```\n\n{}\n\n{}\n\n",
            machine(),
            self.head()
        );
        page.push_str(&format!(
            "Each figure is the best of up to {} rounds. In a round every contestant takes its turn \
             over all hosts. Policies are made once and asked many times (robotstxt cannot do \
             that, so it parses each time); all questions are asked once untimed, then timed. \
             \"robotsieve = 1\" divides by robotsieve's figure of the same section. Inputs that a \
             peer refuses or panics on are left out of its times and count as verdicts that \
             differ. The baselines read the rules with robotsieve's parser; regex-automata's dense \
             DFA is given up beyond {} MiB. URLs are asked in the order of the corpus; where more \
             questions are asked than a host has URLs, they start over. 1, 10, 100 and 1,000 \
             questions per host are runs of their own; all larger numbers are one run, in which \
             less of a host is still cached when the next one comes. Where asking would take \
             longer than {} ms, the time of the remaining questions is extrapolated from the last \
             ones, and the note says for how many hosts. Hosts at random are generated, all \
             contestants look them up by the key that `Origin` makes, and their URLs are timed 4,096 at a \
             time. {met} bars are met, {missed} missed.\n\n",
            self.effort.rounds,
            DENSE_LIMIT_BYTES >> 20,
            self.effort.questions_budget.as_millis(),
        ));
        for (file, svg) in &self.plots {
            let title = svg.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
            let _ = writeln!(page, "![{}](plots/{file})\n", title.unwrap_or_default());
        }
        page.push_str(table);
        page
    }
}

/// Ratios of the automatic choice to the better of the two others, by K.
struct Ratios {
    of_means: Vec<f64>,
    host_by_host: Vec<f64>,
    worst_host: Vec<f64>,
}

impl Ratios {
    fn of(automatic: &Curve<'_>, never: &Curve<'_>, at_once: &Curve<'_>, points: usize) -> Ratios {
        let mut ratios =
            Ratios { of_means: Vec::new(), host_by_host: Vec::new(), worst_host: Vec::new() };
        for point in 0..points {
            let ours = automatic.mean(point);
            ratios.of_means.push(ours / never.mean(point).min(at_once.mean(point)));
            let better = never.at(point).zip(at_once.at(point)).map(|(a, b)| a.min(b));
            let hosts: Vec<(f64, f64)> = automatic.at(point).zip(better).collect();
            let sum: f64 = hosts.iter().map(|(_, better)| better).sum();
            ratios.host_by_host.push(ours * hosts.len() as f64 / sum);
            let worst = hosts.iter().map(|(ours, better)| ours / better).fold(0.0, f64::max);
            ratios.worst_host.push(worst);
        }
        ratios
    }
}

/// Whether the host's policy, as robotsieve makes it by itself, is no DFA.
fn is_over_budget(host: &Host) -> bool {
    let policy = Robots::parse(host.file, &Profile::GOOGLE).policy(&Crawler::name(AGENT));
    policy.compile();
    policy.engine() != Engine::Dfa
}

/// Machine, date and versions.
fn machine() -> String {
    let output = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().ok();
        let text = output.filter(|o| o.status.success()).map(|output| output.stdout);
        text.map_or_else(|| "unknown".into(), |t| String::from_utf8_lossy(&t).trim().to_owned())
    };
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find(|line| line.starts_with("model name"));
    let model = model.and_then(|line| line.split(": ").nth(1)).unwrap_or("unknown");
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let folder = env!("CARGO_MANIFEST_DIR");
    format!(
        "On {} by {} at {} of robotsieve. Machine: {} ({} threads), load {} at the end, {}. Peers: \
         {}, {}, {}, {}, {}; regex-automata as in Cargo.lock.",
        output("date", &["-u", "+%Y-%m-%d"]),
        output("rustc", &["--version"]),
        output("git", &["-C", folder, "describe", "--always", "--dirty"]),
        model,
        std::thread::available_parallelism().map_or(0, usize::from),
        load.split(' ').next().unwrap_or("unknown"),
        output("uname", &["-sm"]),
        FastRobots::NAME,
        TextingRobots::NAME,
        Robotxt::NAME,
        Robotstxt::NAME,
        Cylon::NAME,
    )
}
