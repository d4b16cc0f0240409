//! Fetches from 500 good origins, alone and then mixed with 2,500 or more whose names no name
//! server answers, in the order of a user's list. Three name servers and a site on loopback.
//!
//! ```text
//! cargo run --profile dist -p robotsieve-tools --bin fetch_names [GOOD] [SILENT] [LATENCY_MS] [system]
//! ```
//!
//! The site takes `LATENCY_MS` for each answer, 100 by default: without that, no fetch would wait
//! for anything. With `system`, names are looked up by as many threads as `getaddrinfo` would
//! have (512), with its time-outs (5 seconds, twice for each server), for comparison.
//!
//! Prints how many good origins were lost, and how long it took until the last one was there. The
//! exit status is 1 if one was lost, or if the good ones came at less than half the rate.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use robotsieve::Origin;
use robotsieve_client::fetch::{Fetcher, FetcherBuilder, LookupError, Resolve, Resolving};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// Answers queries for names that begin with `good`, and those for the root, on a thread of its
/// own.
fn name_server() -> SocketAddr {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = socket.local_addr().expect("an address");
    std::thread::spawn(move || {
        let mut query = [0; 1024];
        // An answer to somebody who went away is an error of the next call.
        loop {
            let Ok((len, peer)) = socket.recv_from(&mut query) else { continue };
            let query = &query[..len];
            let is_root = query[12] == 0;
            if !is_root && !query[13..].starts_with(b"good") {
                continue;
            }
            // The question ends with its type and class.
            let end = 12 + query[12..].iter().position(|byte| *byte == 0).expect("a name") + 5;
            let is_v4 = query[end - 3] == 1;
            let mut answer = query[..end].to_vec();
            answer[2..12].copy_from_slice(&[0x81, 0x80, 0, 1, 0, u8::from(is_v4), 0, 0, 0, 0]);
            if is_v4 {
                answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
            }
            let _ = socket.send_to(&answer, peer);
        }
    });
    address
}

/// The number of packets that the system dropped because a socket's buffer was full. Only Linux
/// tells.
fn dropped(server: SocketAddr) -> u64 {
    let port = format!(":{:04X}", server.port());
    let sockets = std::fs::read_to_string("/proc/net/udp").unwrap_or_default();
    let fields = sockets.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let mut fields = fields.filter(|fields| fields.get(1).is_some_and(|at| at.ends_with(&port)));
    fields.find_map(|fields| fields.last()?.parse().ok()).unwrap_or(0)
}

async fn site(latency: Duration) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let _ = stream.read(&mut [0; 4096]).await;
                sleep(latency).await;
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
            });
        }
    });
    port
}

/// The effect of silent names on `getaddrinfo` on Tokio's threads.
struct Threads(Arc<Semaphore>);

impl Resolve for Threads {
    fn resolve(&self, name: &str) -> Resolving {
        let (threads, is_good) = (Arc::clone(&self.0), name.starts_with("good"));
        let busy = tokio::spawn(async move {
            let _thread = threads.acquire_owned().await;
            if !is_good {
                sleep(Duration::from_secs(5) * 2 * 3).await;
            }
            is_good
        });
        Box::pin(async move {
            match busy.await {
                Ok(true) => Ok(vec![IpAddr::from(Ipv4Addr::LOCALHOST)]),
                _ => Err(LookupError::Silent),
            }
        })
    }
}

/// Fetches all origins at once. Returns how many good ones came, and when the last one did.
async fn run(settings: FetcherBuilder, good: usize, silent: usize, port: u16) -> (usize, Duration) {
    let fetcher = settings.build().expect("valid settings");
    let began = Instant::now();
    let mut attempts = JoinSet::new();
    let all = good + silent;
    for n in 0..all {
        // Spread evenly.
        let is_good = (n + 1) * good / all > n * good / all;
        let kind = if is_good { "good" } else { "silent" };
        let fetcher = fetcher.clone();
        attempts.spawn(async move {
            let url = format!("http://{kind}-{n}.test:{port}/");
            let origin = Origin::of(&url).expect("a URL");

            let attempt = fetcher.fetch(&origin, None).await;
            let lost = attempt.result.err().filter(|_| is_good);
            if let Some(failure) = &lost
                && n % 32 == 0
            {
                eprintln!("lost: {failure}");
            }
            (is_good, lost.is_none(), began.elapsed())
        });
    }
    let mut times = Vec::new();
    while let Some(attempt) = attempts.join_next().await {
        if let (true, true, at) = attempt.expect("an attempt does not panic") {
            times.push(at);
        }
    }
    times.sort();
    let came = times.len();
    let part = |percent: usize| times.get((came * percent / 100).max(1) - 1).copied();
    let [half, most, last] = [50, 95, 100].map(|percent| part(percent).unwrap_or_default());
    println!(
        "{good} good, {silent} silent: {came} came: half after {half:.2?}, 95 % after {most:.2?}, the last after {last:.2?}"
    );
    println!("  everything ended after {:.2?}", began.elapsed());
    (came, last)
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: usize| {
        arguments.get(at).map_or(default, |text| text.parse().expect("a number"))
    };
    let (good, silent) = (number(0, 500), number(1, 2500));
    let port = site(Duration::from_millis(number(2, 100) as u64)).await;
    let servers = [name_server(), name_server(), name_server()];
    let settings = Fetcher::builder("SieveLoad/1.0 (+https://sieve.test/bot)")
        .allow_networks(["127.0.0.0/8".parse().expect("a network")])
        // All are at one address.
        .max_per_host(None)
        .max_per_address(None)
        .max_lookups(65_536)
        .name_servers(servers);
    let settings = match arguments.get(3).map(String::as_str) {
        Some("system") => settings.resolver(Threads(Arc::new(Semaphore::new(512)))),
        _ => settings,
    };
    println!("{} file descriptors at most", settings.descriptors());
    let alone = run(settings.clone(), good, 0, port).await;
    let mixed = run(settings, good, silent, port).await;
    let rate = |(came, last): (usize, Duration)| came as f64 / last.as_secs_f64();
    println!("the name servers lost {:?} queries", servers.map(dropped));
    let share = rate(mixed) / rate(alone) * 100.0;
    println!("{:.0} good ones a second alone, {:.0} mixed: {share:.0} %", rate(alone), rate(mixed));
    match mixed.0 == good && share >= 50.0 {
        true => ExitCode::SUCCESS,
        false => {
            println!("FAILED: no good one may be lost, and half the rate must stay");
            ExitCode::FAILURE
        }
    }
}
