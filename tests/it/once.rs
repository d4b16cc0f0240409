//! `is_allowed_once` gives the same verdict as a policy: under any combination of switches, on
//! random files full of what the switches are about, and on the corpus.

use crate::support::random::Random;
use crate::support::switches::SWITCHES;
use crate::support::{corpus, say};
use robotsieve::{Config, Crawler, Engine, Profile, Robots, is_allowed_once};
use robotsieve_corpora::effort;

/// A profile that takes each switch from one of the four profiles.
fn random_profile(random: &mut Random) -> Profile {
    let mut profile = Profile::NAMED[random.below(4)].1;
    for switch in SWITCHES {
        if random.below(3) == 0 {
            (switch.set)(&mut profile, &random.of(Profile::NAMED).1);
        }
    }
    profile
}

const NAMES: [&str; 10] = ["a", "ab", "A", "abc", "b", "b/1", "", "*", "bab", "a b"];

const VALUES: [&str; 33] = [
    "",
    "*",
    "* a",
    "/",
    "/a",
    "/b$",
    "/*",
    "/*a",
    "/*a$",
    "/a*$",
    "/a**b",
    "a",
    "*b",
    "/%61",
    "/%2f",
    "/%2F",
    "/a%",
    "/%e",
    "/*%2",
    "/%*0",
    "/%%61",
    "/%4%31",
    "/$",
    "/$a",
    "/a/index.htm",
    "/index.html",
    "/a/b/c/d/e/f",
    "/a b",
    "/\u{e9}",
    "/aaaaaaaa",
    "/aaaaaaaab",
    "/%C3%A9",
    "/a***",
];

const PATHS: [&str; 27] = [
    "/",
    "/a",
    "/b",
    "/b/a",
    "/a/",
    "/aa",
    "/ab",
    "/a/b/c/d/e/f/g",
    "/%61",
    "/%2f",
    "/%2F/a",
    "/a%",
    "/%%61",
    "/%4%31b",
    "/%20%e",
    "/a%25",
    "/$",
    "/$a",
    "/%24a",
    "/*",
    "/index.html",
    "/\u{e9}",
    "/%c3%a9",
    "/aaaaaaaab",
    "/robots.txt",
    "/a#b",
    "/a b",
];

fn random_file(random: &mut Random) -> Vec<u8> {
    let mut file = format!("User-agent: {}\n", *random.of(&["*", "a", "ab", "b"]));
    for _ in 0..random.below(14) {
        let field = *random.of(&[
            "User-agent",
            "user-agent",
            "Disallow",
            "Disallow",
            "Allow",
            "Sitemap",
            "disalow",
            "Allowed",
            "x",
        ]);
        let value = match field {
            "User-agent" | "user-agent" => {
                *random.of(&["*", "a", "B", "ab", "abc/1", "*", "", "* x"])
            }
            _ => *random.of(&VALUES),
        };
        file += field;
        file += *random.of(&[":", ": ", ":\t", " : ", " "]);
        file += value;
        file += *random.of(&["", "", "", " ", " # x"]);
        file += *random.of(&["\n", "\n", "\r\n", "\n\n", "\r", "\0\n"]);
    }
    file.into_bytes()
}

#[test]
fn any_switches() {
    let mut random = Random(11);
    let mut allowed = 0;
    let rounds = effort::cases(30_000) as u32;
    for _ in 0..rounds {
        let profile = random_profile(&mut random);
        let file = random_file(&mut random);
        let count = 1 + random.below(3);
        let crawler = Crawler::names((0..count).map(|_| *random.of(&NAMES)));
        let policy = Robots::parse(&file, &profile).policy(&crawler);
        for _ in 0..4 {
            let path = *random.of(&PATHS);
            let once = is_allowed_once(&file, &profile, &crawler, path);
            let shown = file.escape_ascii();
            assert_eq!(once, policy.is_allowed(path), "{shown}\n{crawler:?} {path}\n{profile:?}");
            allowed += u32::from(once == Ok(true));
        }
    }
    // Some URLs are allowed and some are not.
    assert!((rounds..rounds * 15 / 4).contains(&allowed), "{allowed}");
}

#[corpus::test]
fn corpus() {
    let mut config = Config::default();
    config.engine = Some(Engine::Scan);
    let hosts = corpus::hosts();
    let counts = corpus::tally(hosts, |host, count: &mut usize| {
        for &(name, profile) in Profile::NAMED {
            let robots = Robots::parse_with(&host.file, &profile, &config);
            // Large files get fewer questions, because each question reads the whole file.
            let step = (host.file.len() / 20_000 + 1) * effort::step(4);
            for asked in &host.crawlers {
                let crawler = Crawler::name(asked.agent);
                let policy = robots.policy(&crawler);
                for (url, google) in asked.verdicts.iter().step_by(step) {
                    let once = is_allowed_once(&host.file, &profile, &crawler, *url);
                    assert_eq!(once, policy.is_allowed(*url), "{} {name}", host.name);
                    assert!(name != "google" || once == Ok(*google), "{}", host.name);
                    *count += 1;
                }
            }
        }
    });
    say(&format!("once: {} verdicts agree with the policy's", counts.into_iter().sum::<usize>()));
}
