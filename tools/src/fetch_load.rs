//! Fetches the robots.txt of ten thousand origins from servers on loopback, one in twenty of
//! them hostile, and checks the result of each fetch.
//!
//! ```text
//! cargo run --profile dist -p robotsieve-tools --bin fetch_load [ORIGINS] [PARALLEL] [EVERY]
//! ```
//!
//! Every EVERYth origin is hostile: by default every 20th; with 1 all of them, and then no rate is
//! required. The deadlines are short (a second to read, two in total), because a hostile origin
//! occupies a place until its deadline.
//!
//! Prints the rate, the longest attempt and its deadline, and the peak memory of the process,
//! which includes the servers. The exit status is 1 if a requirement is missed.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use robotsieve::Origin;
use robotsieve_client::fetch::{Fetcher, Resolve, Resolving};
use robotsieve_client::outcome::{Attempt, Failure, Stage};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::sleep;

const READ_TIMEOUT: Duration = Duration::from_millis(1000);
const TOTAL_TIMEOUT: Duration = Duration::from_millis(2000);

/// The time by which an attempt may end after its deadline on a busy machine.
const SLACK: Duration = Duration::from_millis(1000);

/// The required rate, in origins a second.
const MIN_RATE: f64 = 2000.0;

const ROBOTS: &[u8] = include_bytes!("../../corpora/robots/news.example.txt");

/// The behaviour of a server. Its address says which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Behaviour {
    Plain,
    Gzip,
    Absent,
    Moved,
    /// Sends a byte every 100 milliseconds, without end.
    Drip,
    /// Sends a gigabyte compressed to a megabyte or less, by gzip, brotli or zstd.
    Bomb,
    /// Redirects between two URLs.
    Loop,
    /// Resets the connection within the body.
    Reset,
    /// Sends nothing.
    Silent,
    /// Sends as much as the client takes, without end.
    Endless,
}

const HONEST: [Behaviour; 4] =
    [Behaviour::Plain, Behaviour::Gzip, Behaviour::Absent, Behaviour::Moved];
const HOSTILE: [Behaviour; 6] = [
    Behaviour::Drip,
    Behaviour::Bomb,
    Behaviour::Loop,
    Behaviour::Reset,
    Behaviour::Silent,
    Behaviour::Endless,
];

/// The number of loopback addresses of each kind.
const ADDRESSES: u8 = 8;

impl Behaviour {
    /// The kind of the nth origin, if every `every`th is hostile.
    fn of(n: usize, every: usize) -> Behaviour {
        match (n + 1).is_multiple_of(every) {
            true => HOSTILE[n / every % HOSTILE.len()],
            false => HONEST[n % every % HONEST.len()],
        }
    }

    fn address(self, n: usize) -> Ipv4Addr {
        Ipv4Addr::new(127, 77, self as u8, 1 + (n / 120 % usize::from(ADDRESSES)) as u8)
    }

    /// True if an attempt has the expected result.
    fn is_met(self, attempt: &Attempt) -> bool {
        let is = |status, len, is_truncated| {
            matches!(&attempt.result, Ok(response) if response.status == status
                && response.body.len() == len && response.is_truncated == is_truncated)
        };
        let failure = attempt.result.as_ref().err();
        match self {
            Behaviour::Plain | Behaviour::Gzip => is(200, ROBOTS.len(), false),
            Behaviour::Moved => is(200, ROBOTS.len(), false) && attempt.redirects.len() == 1,
            Behaviour::Absent => is(404, 0, false),
            Behaviour::Drip => failure == Some(&Failure::TimedOut(Stage::Total)),
            Behaviour::Bomb | Behaviour::Endless => is(200, 1 << 20, true),
            Behaviour::Loop => failure == Some(&Failure::RedirectLoop),
            Behaviour::Reset => matches!(failure, Some(Failure::Broken(_))),
            Behaviour::Silent => failure == Some(&Failure::TimedOut(Stage::Read)),
        }
    }
}

/// Resolves `origin-N.test` to a server of the nth origin's kind.
struct Names {
    every: usize,
}

impl Resolve for Names {
    fn resolve(&self, name: &str) -> Resolving {
        let n = name.strip_prefix("origin-").and_then(|rest| rest.strip_suffix(".test"));
        let n = n.and_then(|n| n.parse::<usize>().ok());
        let found = n.map(|n| IpAddr::from(Behaviour::of(n, self.every).address(n)));
        Box::pin(async move { Ok(found.into_iter().collect()) })
    }
}

/// The answers that are made once.
struct Answers {
    plain: Vec<u8>,
    gzip: Vec<u8>,
    bombs: [Vec<u8>; 3],
}

fn answer(encoding: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n{encoding}Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

impl Answers {
    fn new() -> Answers {
        let zeros = vec![0; 1 << 30];
        let brotli = {
            let parameters = brotli::enc::BrotliEncoderParams { quality: 2, ..Default::default() };
            let mut encoded = Vec::new();
            brotli::BrotliCompress(&mut &*zeros, &mut encoded, &parameters).unwrap();
            encoded
        };
        let zstd = zstd::encode_all(&*zeros, 3).unwrap();
        Answers {
            plain: answer("", ROBOTS),
            gzip: answer("Content-Encoding: gzip\r\n", &gzip(ROBOTS)),
            bombs: [
                answer("Content-Encoding: gzip\r\n", &gzip(&zeros)),
                answer("Content-Encoding: br\r\n", &brotli),
                answer("Content-Encoding: zstd\r\n", &zstd),
            ],
        }
    }
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(body).unwrap();
    gzip.finish().unwrap()
}

async fn serve(mut stream: TcpStream, kind: Behaviour, answers: &Answers) -> std::io::Result<()> {
    let mut head = Vec::with_capacity(512);
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read_buf(&mut head).await? == 0 {
            return Ok(());
        }
    }
    let is_first = head.starts_with(b"GET /robots.txt ");
    match kind {
        Behaviour::Plain => stream.write_all(&answers.plain).await?,
        Behaviour::Gzip => stream.write_all(&answers.gzip).await?,
        Behaviour::Absent => {
            stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone").await?;
        }
        Behaviour::Moved if is_first => {
            let moved = b"HTTP/1.1 301 Moved\r\nLocation: /r.txt\r\nContent-Length: 0\r\n\r\n";
            stream.write_all(moved).await?;
        }
        Behaviour::Moved => stream.write_all(&answers.plain).await?,
        Behaviour::Loop => {
            let to = if is_first { "/again" } else { "/robots.txt" };
            let found =
                format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
            stream.write_all(found.as_bytes()).await?;
        }
        Behaviour::Bomb => {
            let IpAddr::V4(address) = stream.local_addr()?.ip() else { return Ok(()) };
            let which = usize::from(address.octets()[3]) % answers.bombs.len();
            stream.write_all(&answers.bombs[which]).await?;
        }
        Behaviour::Drip => {
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
            loop {
                stream.write_all(b"#").await?;
                sleep(Duration::from_millis(100)).await;
            }
        }
        Behaviour::Reset => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nUser-agent:").await?;
            stream.set_zero_linger()?;
        }
        Behaviour::Silent => sleep(Duration::from_secs(3600)).await,
        Behaviour::Endless => {
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
            loop {
                stream.write_all(&[b'#'; 1 << 14]).await?;
            }
        }
    }
    Ok(())
}

/// Listens on the same port of all addresses. Returns the port.
async fn listen() -> u16 {
    let answers = Arc::new(Answers::new());
    let mut port = 0;
    for kind in HONEST.into_iter().chain(HOSTILE) {
        for n in 0..usize::from(ADDRESSES) {
            let address = kind.address(120 * n);
            let listener = TcpListener::bind((address, port)).await.unwrap();
            port = listener.local_addr().unwrap().port();
            let answers = Arc::clone(&answers);
            tokio::spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    let answers = Arc::clone(&answers);
                    // The client closes the connection when it has enough.
                    tokio::spawn(async move { drop(serve(stream, kind, &answers).await) });
                }
            });
        }
    }
    port
}

/// Resets the peak memory, which making the bombs has raised.
fn forget_peak() {
    // On systems that cannot do this, the figure is too high.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The peak memory of the process in MiB, if the system reports it.
fn peak_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? / 1024)
}

#[tokio::main]
async fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse().expect("a number"));
    let origins: usize = numbers.next().unwrap_or(10_000);
    let parallel: usize = numbers.next().unwrap_or(256);
    let every: usize = numbers.next().unwrap_or(20).max(1);
    let port = listen().await;
    let fetcher = Fetcher::builder("SieveLoad/1.0 (+https://sieve.test/bot)")
        .allow_networks(["127.77.0.0/16".parse().unwrap()])
        .resolver(Names { every })
        .read_timeout(READ_TIMEOUT)
        .total_timeout(TOTAL_TIMEOUT)
        .max_parallel(parallel)
        // All origins share a few addresses.
        .max_per_address(None)
        .build()
        .unwrap_or_else(|cause| panic!("{cause}"));
    forget_peak();
    let before = peak_mib();

    let began = Instant::now();
    let next = Arc::new(AtomicUsize::new(0));
    let mut workers = JoinSet::new();
    // As many workers as attempts may run at a time, so that none waits for a turn.
    for _ in 0..parallel {
        workers.spawn(work(fetcher.clone(), Arc::clone(&next), origins, every, port));
    }
    let mut counts = Counts::default();
    while let Some(worker) = workers.join_next().await {
        counts.add(worker.expect("an attempt does not panic"));
    }
    let took = began.elapsed();

    let rate = origins as f64 / took.as_secs_f64();
    println!("{origins} origins, {parallel} at a time, in {took:.2?}: {rate:.0} a second");
    for (kind, (met, all)) in &counts.met {
        println!("  {kind:?}: {met} of {all} as expected");
    }
    let longest = counts.longest;
    println!("longest attempt {longest:.2?}, its deadline {TOTAL_TIMEOUT:.2?}");
    match (before, peak_mib()) {
        (Some(before), Some(peak)) => {
            println!(
                "peak memory {peak} MiB with the servers, {before} MiB before the first fetch"
            );
        }
        _ => println!("peak memory: this system does not report it"),
    }

    let is_fast = rate >= MIN_RATE || every < 20;
    let is_met = counts.met.values().all(|(met, all)| met == all);
    let all: usize = counts.met.values().map(|(_, all)| all).sum();
    match is_met && all == origins && longest < TOTAL_TIMEOUT + SLACK && is_fast {
        true => ExitCode::SUCCESS,
        false => {
            println!("FAILED: required are every result, every deadline, and {MIN_RATE} a second");
            ExitCode::FAILURE
        }
    }
}

/// The results of attempts.
#[derive(Default)]
struct Counts {
    /// For each kind, how many had the expected result, and how many there were.
    met: BTreeMap<Behaviour, (usize, usize)>,
    longest: Duration,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        for (kind, (met, all)) in other.met {
            let sum = self.met.entry(kind).or_default();
            *sum = (sum.0 + met, sum.1 + all);
        }
        self.longest = self.longest.max(other.longest);
    }
}

/// Fetches one origin after another until none is left.
async fn work(
    fetcher: Fetcher,
    next: Arc<AtomicUsize>,
    origins: usize,
    every: usize,
    port: u16,
) -> Counts {
    let mut counts = Counts::default();
    loop {
        let n = next.fetch_add(1, Ordering::Relaxed);
        if n >= origins {
            return counts;
        }
        let url = format!("http://origin-{n}.test:{port}/");
        let origin = Origin::of(&url).expect("a URL");
        let began = Instant::now();
        let attempt = fetcher.fetch(&origin, None).await;
        counts.longest = counts.longest.max(began.elapsed());
        let kind = Behaviour::of(n, every);
        let (met, all) = counts.met.entry(kind).or_default();
        *all += 1;
        if kind.is_met(&attempt) {
            *met += 1;
        } else {
            let came = attempt.result.map(|r| (r.status, r.body.len(), r.is_truncated));
            eprintln!("{kind:?}, origin {n}: {came:?}");
        }
    }
}
