//! A program that stands still for a while blames no site for it.

#[cfg(unix)]
use std::env;
use std::net::SocketAddr;
#[cfg(unix)]
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use robotsieve_client::fetch::Fetcher;
use robotsieve_client::outcome::{Attempt, Failure, LocalKind};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::sync::mpsc;

use crate::support::servers::site::{Site, answer};
use crate::support::servers::{ROBOTS, answered, failed, origin, settings};

async fn fetch(fetcher: &Fetcher, address: SocketAddr) -> Attempt {
    fetcher.fetch(&origin(&format!("http://{address}/")), None).await
}

async fn good() -> Site {
    Site::http(|_| answer(200, &[], ROBOTS)).await
}

/// A site whose answers to the first requests, `count` of them, stall this runtime, in which the
/// fetcher runs too, and are cut off.
async fn stalling(count: usize) -> Site {
    let seen = Arc::new(AtomicUsize::new(0));
    Site::raw(move |mut stream| {
        let seen = Arc::clone(&seen);
        async move {
            if seen.fetch_add(1, Ordering::SeqCst) < count {
                let _ = stream.write_all(b"HTTP/1.1 200").await;
                std::thread::sleep(Duration::from_millis(1600));
                return;
            }
            say(stream, ROBOTS).await;
        }
    })
    .await
}

async fn say(mut stream: TcpStream, body: &[u8]) {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    let _ = stream.write_all(&[head.as_bytes(), body].concat()).await;
}

#[tokio::test]
async fn an_attempt_that_was_interrupted_is_made_again() {
    let (fetcher, other) = (settings().build().unwrap(), good().await);
    assert_eq!(answered(&fetch(&fetcher, other.address).await).body, ROBOTS);
    let site = stalling(2).await;
    let attempt = fetch(&fetcher, site.address).await;
    assert_eq!((&answered(&attempt).body[..], attempt.tries), (ROBOTS, 3));
    assert_eq!(fetcher.health().local, 0);
}

#[tokio::test]
async fn a_program_that_is_interrupted_again_and_again_judges_no_site() {
    let (fetcher, other) = (settings().build().unwrap(), good().await);
    assert_eq!(answered(&fetch(&fetcher, other.address).await).body, ROBOTS);
    let site = stalling(usize::MAX).await;
    let attempt = fetch(&fetcher, site.address).await;
    assert_eq!(attempt.tries, 4);
    let failure = failed(attempt);
    let Failure::Local(fault) = &failure else { panic!("{failure:?}") };
    assert_eq!(fault.kind, LocalKind::Suspended, "{fault}");
    assert!(fault.to_string().starts_with("this program was stopped: for "), "{fault}");
    assert_eq!(fetcher.health().local, 1);
}

/// The environment variable with the addresses that the stopped process asks.
#[cfg(unix)]
const STOPPED: &str = "ROBOTSIEVE_FETCH_STOPPED";

/// The time for which a site may be silent for the process that is stopped. The test has to stop it
/// within this time.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(6);

/// The process that is stopped. The test below starts this program again to run only this.
#[cfg(unix)]
#[tokio::test]
#[ignore = "only for `a_stopped_program_judges_no_site`, which starts it"]
async fn is_stopped() {
    let Ok(addresses) = env::var(STOPPED) else { return };
    let addresses: Vec<SocketAddr> =
        addresses.split(' ').map(|address| address.parse().unwrap()).collect();
    let fetcher = settings().read_timeout(PATIENCE).total_timeout(PATIENCE * 9).build().unwrap();
    assert_eq!(answered(&fetch(&fetcher, addresses[0]).await).body, ROBOTS);
    let mut attempts = tokio::task::JoinSet::new();
    for address in addresses.into_iter().skip(1) {
        let fetcher = fetcher.clone();
        attempts.spawn(async move { fetch(&fetcher, address).await });
    }
    while let Some(attempt) = attempts.join_next().await {
        let attempt = attempt.unwrap();
        assert_eq!(answered(&attempt).body, ROBOTS);
        assert!(attempt.tries > 1, "{attempt:?}");
    }
    println!("stopped, and nobody was blamed");
}

/// Really stopped, for longer than a site may be silent. One site is silent at first, another one
/// loses patience meanwhile, and a third one shows that the network works.
#[cfg(unix)]
#[tokio::test]
async fn a_stopped_program_judges_no_site() {
    let (sender, mut asked) = mpsc::unbounded_channel();
    let at_first = |patience: Duration| {
        let (sender, seen) = (sender.clone(), Arc::new(AtomicUsize::new(0)));
        Site::raw(move |mut stream| {
            let (sender, seen) = (sender.clone(), Arc::clone(&seen));
            async move {
                if seen.fetch_add(1, Ordering::SeqCst) == 0 {
                    // A connection that ends before the first byte is tried again by itself.
                    let _ = stream.write_all(b"HTTP/1.1 200").await;
                    let _ = sender.send(());
                    // Then the connection ends.
                    return tokio::time::sleep(patience).await;
                }
                say(stream, ROBOTS).await;
            }
        })
    };
    let good = good().await;
    let sites = [at_first(PATIENCE * 2).await, at_first(PATIENCE / 2).await];
    let addresses = [good.address, sites[0].address, sites[1].address].map(|at| at.to_string());
    let program = env::current_exe().unwrap();
    let mut command = Command::new(program);
    command.args(["--exact", "fetch::suspended::is_stopped", "--ignored", "--nocapture"]);
    command.env(STOPPED, addresses.join(" ")).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let id = child.id().to_string();
    let signal = |name: &str| Command::new("kill").args(["-s", name, &id]).status().unwrap();
    for _ in &sites {
        asked.recv().await;
    }
    assert!(signal("STOP").success());
    tokio::time::sleep(PATIENCE + Duration::from_secs(1)).await;
    assert!(signal("CONT").success());
    let output = tokio::task::spawn_blocking(|| child.wait_with_output()).await.unwrap().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}{errors}");
    assert!(told.contains("stopped, and nobody was blamed"), "{told}{errors}");
}
