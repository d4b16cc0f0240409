//! A policy asked about the URLs of one buffer, as Arrow holds them: what bindings are compared with.
//!
//!     cargo bench -p robotsieve-benches --bench buffer -- ROBOTS AGENT URLS
//!
//! prints how many of the URLs in the file `URLS`, one a line, are allowed, and the nanoseconds for
//! each in the best of nine rounds. Without arguments it takes files of `corpora/`.

use std::hint::black_box;
use std::time::Instant;

use robotsieve::{Crawler, Profile, Robots};

fn main() {
    let given: Vec<String> =
        std::env::args().skip(1).filter(|text| !text.starts_with("--")).collect();
    let here = env!("CARGO_MANIFEST_DIR");
    let [robots, agent, urls] = match given.try_into() {
        Ok(given) => given,
        Err(_) => [
            format!("{here}/../corpora/robots/news.example.txt"),
            "Googlebot".to_owned(),
            format!("{here}/../corpora/urls/news.txt"),
        ],
    };
    let robots = std::fs::read(robots).expect("the file with the rules");
    let mut values = std::fs::read(urls).expect("the file with the URLs");
    values.pop_if(|last| *last == b'\n');
    let policy = Robots::parse(&robots, &Profile::RFC9309).policy(&Crawler::name(agent));
    policy.compile();
    let mut offsets: Vec<i32> = Vec::new();
    let mut at = 0;
    for line in values.split_inclusive(|byte| *byte == b'\n') {
        offsets.push(at);
        at += i32::try_from(line.len()).expect("less than 2 GiB");
    }
    let ends = |row: usize| offsets.get(row + 1).map_or(values.len(), |next| *next as usize - 1);
    let rows: Vec<(usize, usize)> =
        offsets.iter().enumerate().map(|(row, begin)| (*begin as usize, ends(row))).collect();
    let mut best = f64::INFINITY;
    let mut allowed = 0;
    for _ in 0..9 {
        let begin = Instant::now();
        allowed = rows
            .iter()
            .filter(|(begin, end)| policy.is_allowed(black_box(&values[*begin..*end])) == Ok(true))
            .count();
        best = best.min(begin.elapsed().as_secs_f64());
    }
    println!("{allowed} {:.1}", best * 1e9 / rows.len() as f64);
}
