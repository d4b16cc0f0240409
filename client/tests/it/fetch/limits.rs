//! Servers that break off, never end, or stay silent.

use std::future::Future;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use robotsieve_client::fetch::{Fetcher, FetcherBuilder};
use robotsieve_client::outcome::{Attempt, Failure, LocalKind, Stage};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

use crate::support::servers::site::{Site, answer};
use crate::support::servers::{ROBOTS, answered, failed, fetch, origin, settings};
use crate::support::time::FastClock;

const READ: Duration = Duration::from_millis(300);
const TOTAL: Duration = Duration::from_millis(1000);

/// The steps of the tests' clock, and what an attempt does between two deadlines.
const SLACK: Duration = Duration::from_millis(200);

fn hasty() -> FetcherBuilder {
    settings().connect_timeout(Duration::from_millis(500)).read_timeout(READ).total_timeout(TOTAL)
}

/// An attempt, and how long it took.
async fn timed(fetcher: &Fetcher, url: &str) -> (Attempt, Duration) {
    let began = Instant::now();
    let attempt = fetcher.fetch(&origin(url), None).await;
    (attempt, began.elapsed())
}

/// Checks that an attempt fails by this deadline, and on time.
async fn assert_times_out(site: &Site, stage: Stage, after: Duration) {
    let (attempt, took) = timed(&hasty().build().unwrap(), &site.url("http", "/")).await;
    assert_eq!(failed(attempt), Failure::TimedOut(stage));
    assert!(after <= took && took < after + SLACK, "{took:?}");
}

/// A site that sends a text and then calls `then`.
async fn says<F>(text: &'static str, then: fn(TcpStream) -> F) -> Site
where
    F: Future<Output = ()> + Send + 'static,
{
    Site::raw(move |mut stream| async move {
        let _ = stream.write_all(text.as_bytes()).await;
        then(stream).await;
    })
    .await
}

async fn closes(_: TcpStream) {}

async fn resets(stream: TcpStream) {
    sleep(Duration::from_millis(50)).await;
    let _ = stream.set_zero_linger();
}

async fn waits(stream: TcpStream) {
    sleep(Duration::from_secs(20)).await;
    drop(stream);
}

async fn drips(mut stream: TcpStream) {
    while stream.write_all(b"a").await.is_ok() {
        sleep(Duration::from_millis(50)).await;
    }
}

async fn floods(mut stream: TcpStream) {
    let bytes = [b'a'; 1 << 16];
    while stream.write_all(&bytes).await.is_ok() {}
}

#[tokio::test]
async fn broken_answers() {
    let _clock = FastClock::start();
    let breaks: [(&str, &'static str); 12] = [
        ("nothing", ""),
        ("half a head", "HTTP/1.1 200 OK\r\nContent-"),
        ("not HTTP", "220 smtp.example ESMTP\r\n\r\n"),
        ("bytes", "\x01\x02\x03\r\n\r\n"),
        ("no number", "HTTP/1.1 abc OK\r\n\r\n"),
        ("early end", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"),
        ("two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nabc"),
        ("negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc"),
        ("half a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"),
        ("no last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"),
        ("no chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
        (
            "huge chunk",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nx",
        ),
    ];
    for (name, text) in breaks {
        let site = says(text, closes).await;
        let failure = failed(fetch(&site.url("http", "/")).await);
        assert!(matches!(failure, Failure::Broken(_)), "{name}: {failure}");
    }
    for text in ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"] {
        let site = says(text, resets).await;
        let failure = failed(fetch(&site.url("http", "/")).await);
        assert!(matches!(failure, Failure::Broken(_)), "{failure}");
    }
}

#[tokio::test]
async fn a_body_ends_with_the_connection_or_at_its_length() {
    for text in [
        "HTTP/1.0 200 OK\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdefgh",
        "HTTP/1.1 200\r\nContent-Length: 3\r\n\r\nabc",
    ] {
        let site = says(text, closes).await;
        assert_eq!(answered(&fetch(&site.url("http", "/")).await).body, b"abc", "{text:?}");
    }
}

#[tokio::test]
async fn heads_without_an_end() {
    let _clock = FastClock::start();
    // More than the client reads of a head.
    let site = says("HTTP/1.1 200 OK\r\nX: ", floods).await;
    let failure = failed(fetch(&site.url("http", "/")).await);
    assert!(matches!(failure, Failure::Broken(_)), "{failure}");
    let site = Site::http(|_| {
        let mut answer = answer(200, &[], ROBOTS);
        for n in 0..1000 {
            let name = http::HeaderName::try_from(format!("x-{n}")).unwrap();
            answer.headers_mut().insert(name, "y".repeat(100).parse().unwrap());
        }
        answer
    })
    .await;
    let failure = failed(fetch(&site.url("http", "/")).await);
    assert!(matches!(failure, Failure::Broken(_)), "{failure}");
    // Each byte comes in time, but the head never ends.
    let site = says("HTTP/1.1 200 OK\r\nX: ", drips).await;
    assert_times_out(&site, Stage::Read, READ).await;
    // Interim answers without end are not an answer.
    let site = Site::raw(|mut stream| async move {
        while stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await.is_ok() {
            sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    assert_times_out(&site, Stage::Read, READ).await;
}

#[tokio::test]
async fn silence_ends_by_the_read_deadline() {
    let _clock = FastClock::start();
    for text in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"] {
        let site = says(text, waits).await;
        assert_times_out(&site, Stage::Read, READ).await;
    }
}

#[tokio::test]
async fn a_drip_ends_by_the_total_deadline() {
    let _clock = FastClock::start();
    let site = says("HTTP/1.1 200 OK\r\n\r\n", drips).await;
    assert_times_out(&site, Stage::Total, TOTAL).await;
    // So do slow redirects, each of them within its deadline.
    let count = Arc::new(AtomicUsize::new(0));
    let site = Site::raw(move |mut stream| {
        let to = count.fetch_add(1, Ordering::SeqCst);
        async move {
            sleep(READ / 3).await;
            let text = format!("HTTP/1.1 302 Found\r\nLocation: /{to}\r\n\r\n");
            let _ = stream.write_all(text.as_bytes()).await;
        }
    })
    .await;
    let fetcher = hasty().max_redirects(100).build().unwrap();
    let (attempt, took) = timed(&fetcher, &site.url("http", "/")).await;
    assert!(attempt.redirects.len() >= 2, "{attempt:?}");
    assert_eq!(failed(attempt), Failure::TimedOut(Stage::Total));
    assert!(took < TOTAL + SLACK, "{took:?}");
}

#[tokio::test]
async fn connecting_ends_by_its_deadline() {
    let _clock = FastClock::start();
    // Nobody accepts and the backlog is full, so nothing answers the client's SYN.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    while let Ok(Ok(stream)) =
        tokio::time::timeout(Duration::from_millis(100), TcpStream::connect(address)).await
    {
        waiting.push(stream);
        assert!(waiting.len() < 100, "the backlog is never full");
    }
    let url = format!("http://{address}/");
    let (attempt, took) = timed(&hasty().build().unwrap(), &url).await;
    assert_eq!(failed(attempt), Failure::TimedOut(Stage::Connect));
    assert!(took < Duration::from_millis(500) + SLACK, "{took:?}");
    // TLS is part of connecting.
    let site = Site::accept(waits).await;
    let (attempt, took) = timed(&hasty().build().unwrap(), &site.url("https", "/")).await;
    assert_eq!(failed(attempt), Failure::TimedOut(Stage::Connect));
    assert!(took < Duration::from_millis(500) + SLACK, "{took:?}");
    // The look-up of the name has as long.
    struct Slow;
    impl robotsieve_client::fetch::Resolve for Slow {
        fn resolve(&self, _: &str) -> robotsieve_client::fetch::Resolving {
            Box::pin(std::future::pending())
        }
    }
    let fetcher = hasty().resolver(Slow).build().unwrap();
    let (attempt, took) = timed(&fetcher, "http://slow.test/").await;
    // A resolver that has answered for no name yet says nothing about this one.
    assert!(matches!(failed(attempt), Failure::Local(fault) if fault.kind == LocalKind::Resolver));
    assert!(took < Duration::from_millis(500) + SLACK, "{took:?}");
}

#[tokio::test]
async fn an_endless_body_is_cut_and_not_drained() {
    let site = says("HTTP/1.1 200 OK\r\n\r\nUser-agent: *\r\n", floods).await;
    let attempt = fetch(&site.url("http", "/")).await;
    let response = answered(&attempt);
    // The second line never ends.
    assert_eq!((&*response.body, response.is_truncated), (&b"User-agent: *\r\n"[..], true));
}

/// An endless encoded body is decoded anew as it grows, until it is full.
#[tokio::test]
async fn an_endless_encoded_body_is_cut() {
    let lines = b"Disallow: /x\n".repeat((2 << 16) / 13 + 1);
    let blocks = stored_in_brotli(&lines[..2 << 16]);
    let head = b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n";
    let begin = [head, &blocks[..]].concat();
    let block = blocks[3 + (1 << 16)..].to_vec();
    let site = Site::raw(move |mut stream| {
        let (begin, block) = (begin.clone(), block.clone());
        async move {
            let _ = stream.write_all(&begin).await;
            while stream.write_all(&block).await.is_ok() {}
        }
    })
    .await;
    let attempt = fetch(&site.url("http", "/")).await;
    let response = answered(&attempt);
    assert!(response.is_truncated && response.body.starts_with(b"Disallow: /x\n"));
    assert!(response.body.len() > 1_000_000, "{}", response.body.len());
}

#[tokio::test]
async fn both_limits_can_be_set_and_are_exact() {
    let body: Vec<u8> =
        (0..100_000u32).map(|n| (n.wrapping_mul(0x9e37_79b9) >> 20) as u8).collect();
    let sent = body.clone();
    let site = Site::http(move |_| answer(200, &[], &sent)).await;
    let is_line_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
    for (wire, kept) in [(100_000, 100_000), (99_999, 100_000), (100_000, 99_999), (1, 1)] {
        let fetcher = settings().max_wire_bytes(wire).max_body_bytes(kept).build().unwrap();
        let attempt = fetcher.fetch(&origin(&site.url("http", "/")), None).await;
        let response = answered(&attempt);
        let limit = wire.min(kept);
        let is_whole = body.get(limit).is_none_or(is_line_end);
        let whole = body[..limit].iter().rposition(is_line_end).map_or(0, |last| last + 1);
        assert_eq!(response.body, &body[..if is_whole { limit } else { whole }]);
        assert_eq!(response.is_truncated, limit < body.len(), "{wire} {kept}");
    }
}

#[tokio::test]
async fn half_a_megabyte_is_kept_by_default() {
    let body = b"Disallow: /x\n".repeat(512_000 / 13 + 1);
    let sent = body.clone();
    let site = Site::http(move |_| answer(200, &[], &sent)).await;
    let attempt = fetch(&site.url("http", "/")).await;
    assert_eq!(answered(&attempt).body, body);
    assert!(!answered(&attempt).is_truncated);
}

#[tokio::test]
async fn bombs_are_cut() {
    // Tens of megabytes of empty lines.
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let lines = vec![b'\n'; 1 << 20];
    for _ in 0..32 {
        gzip.write_all(&lines).unwrap();
    }
    let gzip = gzip.finish().unwrap();
    let mut zstd = zstd::Encoder::new(Vec::new(), 3).unwrap();
    for _ in 0..64 {
        zstd.write_all(&lines).unwrap();
    }
    let zstd = zstd.finish().unwrap();
    let mut br = Vec::new();
    let parameters = brotli::enc::BrotliEncoderParams { quality: 3, ..Default::default() };
    brotli::BrotliCompress(&mut &vec![b'\n'; 32 << 20][..], &mut br, &parameters).unwrap();
    for (name, bomb) in [("gzip", gzip), ("zstd", zstd), ("br", br)] {
        let size = bomb.len();
        let site = Site::http(move |_| answer(200, &[("content-encoding", name)], &bomb)).await;
        let began = Instant::now();
        let attempt = fetch(&site.url("http", "/")).await;
        let response = answered(&attempt);
        assert_eq!((response.body.len(), response.is_truncated), (1 << 20, true), "{name} {size}");
        assert!(began.elapsed() < Duration::from_secs(5), "{name}: {:?}", began.elapsed());
    }
}

/// Brotli's format with the largest window, in blocks that are not compressed, and without an end.
fn stored_in_brotli(bytes: &[u8]) -> Vec<u8> {
    let mut stored = Vec::new();
    for block in bytes.chunks(1 << 16) {
        let len = (block.len() - 1) as u32;
        let head = if stored.is_empty() { 0x0f | len << 7 | 1 << 23 } else { len << 3 | 1 << 19 };
        stored.extend_from_slice(&head.to_le_bytes()[..3]);
        stored.extend_from_slice(block);
    }
    stored
}

/// Three windows of 16 MiB for each host, if it had its decoders while nothing comes.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn stalled_hosts_hold_no_decoders() {
    const HOSTS: usize = 40;
    let held = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmData:")).unwrap();
        line.trim_end_matches("kB").trim().parse::<usize>().unwrap() >> 10
    };
    let mut body = b"Disallow: /x\n".repeat(9000);
    for _ in 0..3 {
        body = stored_in_brotli(&body);
    }
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: br, br, br\r\n\r\n";
    let sent = Arc::new([head.as_bytes(), &body].concat());
    let stalled = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&stalled);
    let site = Site::raw(move |mut stream| {
        let (sent, counted) = (Arc::clone(&sent), Arc::clone(&counted));
        async move {
            let _ = stream.write_all(&sent).await;
            counted.fetch_add(1, Ordering::SeqCst);
            waits(stream).await;
        }
    })
    .await;
    let before = held();
    let fetcher = settings().max_parallel(HOSTS).build().unwrap();
    let tasks: Vec<_> = (0..HOSTS)
        .map(|n| {
            let url = format!("http://{n}.test:{}/", site.port());
            let (fetcher, origin) = (fetcher.clone(), origin(&url).into_owned());
            tokio::spawn(async move { fetcher.fetch(&origin, None).await })
        })
        .collect();
    while stalled.load(Ordering::SeqCst) < HOSTS {
        sleep(Duration::from_millis(10)).await;
    }
    sleep(Duration::from_millis(100)).await;
    let more = held().saturating_sub(before);
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
    assert!(more < 500, "{more} MiB for {HOSTS} hosts");
}

#[tokio::test]
async fn attempts_wait_for_a_turn_and_the_wait_does_not_count() {
    let _clock = FastClock::start();
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, peak) = (Arc::clone(&now), Arc::clone(&most));
    let site = Site::raw(move |mut stream| {
        let (now, most) = (Arc::clone(&counted), Arc::clone(&peak));
        async move {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            sleep(READ / 3).await;
            now.fetch_sub(1, Ordering::SeqCst);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
        }
    })
    .await;
    // Fifteen rounds of two take longer than one attempt may take.
    let fetcher = hasty().max_parallel(2).build().unwrap();
    let url = site.url("http", "/");
    let tasks: Vec<_> = (0..30)
        .map(|_| {
            let (fetcher, origin) = (fetcher.clone(), origin(&url).into_owned());
            tokio::spawn(async move { fetcher.fetch(&origin, None).await })
        })
        .collect();
    for task in tasks {
        assert_eq!(answered(&task.await.unwrap()).status, 200);
    }
    assert_eq!(most.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_dropped_attempt_gives_up_its_turn() {
    let _clock = FastClock::start();
    let site = says("", waits).await;
    let fetcher = settings().max_parallel(1).build().unwrap();
    let url = site.url("http", "/");
    let origin = origin(&url);
    for _ in 0..3 {
        let dropped = fetcher.fetch(&origin, None);
        assert!(tokio::time::timeout(Duration::from_millis(50), dropped).await.is_err());
    }
    let there = Site::http(|_| answer(200, &[], ROBOTS)).await;
    assert_eq!(
        answered(
            &fetcher.fetch(&crate::support::servers::origin(&there.url("http", "/")), None).await
        )
        .body,
        ROBOTS
    );
}
