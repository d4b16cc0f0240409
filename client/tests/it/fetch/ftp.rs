//! Anonymous FTP: a server for files, and scripted ones for what such a one would not do.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use robotsieve_client::outcome::{Failure, Stage};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

use crate::support::servers::site::Site;
use crate::support::servers::{ROBOTS, answered, failed, fetch, origin, settings};
use crate::support::time::FastClock;

/// A server for the files in a folder.
async fn serving(folder: &tempfile::TempDir) -> Site {
    let root = folder.path().to_owned();
    Site::accept(move |stream| {
        let root = root.clone();
        let file = move |command: &str| {
            let name = command.strip_prefix("RETR /")?;
            std::fs::read(root.join(name)).ok()
        };
        async move {
            let reply = |command: &str, port| match command.starts_with("RETR") {
                true if file(command).is_none() => "550 No such file\r\n".to_owned(),
                _ => usual(command, port),
            };
            let data = |command: &str| file(command).unwrap_or_default();
            let _ = converse(stream, "220 Ready\r\n", &reply, &data).await;
        }
    })
    .await
}

#[tokio::test]
async fn a_file_is_fetched_and_an_absent_one_is_404() {
    let folder = tempfile::tempdir().unwrap();
    let site = serving(&folder).await;
    let attempt = fetch(&site.url("ftp", "/pub/file")).await;
    assert_eq!(answered(&attempt).status, 404);
    assert!(answered(&attempt).body.is_empty());

    for body in [ROBOTS, b"", &[b'x'; 100_000]] {
        std::fs::write(folder.path().join("robots.txt"), body).unwrap();
        let attempt = fetch(&site.url("ftp", "/pub/file")).await;
        let response = answered(&attempt);
        assert_eq!((response.status, response.is_truncated), (200, false));
        assert_eq!(response.body, body);
        assert!(response.headers.is_empty() && attempt.redirects.is_empty());
    }
}

#[tokio::test]
async fn both_connections_leave_from_the_local_address() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("robots.txt"), ROBOTS).unwrap();
    let site = serving(&folder).await;
    let fetcher = settings().local_address("127.0.0.5".parse().unwrap()).build().unwrap();
    let attempt = fetcher.fetch(&origin(&site.url("ftp", "/")), None).await;
    assert_eq!(answered(&attempt).body, ROBOTS);
}

#[tokio::test]
async fn a_large_file_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("robots.txt"), vec![b'\n'; 20 << 20]).unwrap();
    let site = serving(&folder).await;
    let attempt = fetch(&site.url("ftp", "/")).await;
    let response = answered(&attempt);
    assert_eq!((response.body.len(), response.is_truncated), (1 << 20, true));
}

#[tokio::test]
async fn many_at_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("robots.txt"), ROBOTS).unwrap();
    let site = serving(&folder).await;
    let fetcher = settings().build().unwrap();
    let url = site.url("ftp", "/");
    let tasks: Vec<_> = (0..20)
        .map(|_| {
            let (fetcher, origin) = (fetcher.clone(), origin(&url).into_owned());
            tokio::spawn(async move { fetcher.fetch(&origin, None).await })
        })
        .collect();
    for task in tasks {
        assert_eq!(answered(&task.await.unwrap()).body, ROBOTS);
    }
}

/// A server that sends a greeting and then answers each command as `reply` says, given the
/// command and the port of the data connection. It sends `data` after the first part of its
/// answer to `RETR`; a `~` in the answer separates the parts.
async fn scripted(
    greeting: &'static str,
    reply: impl Fn(&str, u16) -> String + Send + Sync + 'static,
    data: &'static [u8],
) -> Site {
    let reply = Arc::new(reply);
    Site::accept(move |stream| {
        let reply = Arc::clone(&reply);
        async move {
            // The client may close the connection at any time.
            let _ = converse(stream, greeting, &*reply, &|_: &str| data.to_vec()).await;
        }
    })
    .await
}

async fn converse(
    stream: TcpStream,
    greeting: &str,
    reply: &impl Fn(&str, u16) -> String,
    data: &impl Fn(&str) -> Vec<u8>,
) -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    let mut stream = BufReader::new(stream);
    stream.get_mut().write_all(greeting.as_bytes()).await?;
    let mut command = String::new();
    while stream.read_line(&mut command).await? > 0 {
        let replies = reply(command.trim_end(), port);
        let (now, after) = replies.split_once('~').unwrap_or((&replies, ""));
        stream.get_mut().write_all(now.as_bytes()).await?;
        if command.starts_with("RETR") && now.starts_with('1') {
            let (mut connection, peer) = listener.accept().await?;
            if peer.ip() != stream.get_ref().peer_addr()?.ip() {
                return Err(std::io::Error::other("the data goes elsewhere"));
            }
            connection.write_all(&data(command.trim_end())).await?;
        }
        stream.get_mut().write_all(after.as_bytes()).await?;
        command.clear();
    }
    Ok(())
}

/// What an ordinary server replies.
fn usual(command: &str, port: u16) -> String {
    match command.split(' ').next() {
        Some("USER") => "331 Password, please\r\n".to_owned(),
        Some("PASS") => "230-Welcome\r\n230 Logged in\r\n".to_owned(),
        Some("TYPE") => "200 Binary\r\n".to_owned(),
        Some("EPSV") => {
            format!("229 Entering Extended Passive Mode (|||{port}|)\r\n")
        }
        Some("PASV") => pasv("127,0,0,1", port),
        Some("RETR") => "150 Here it comes\r\n~226 Done\r\n".to_owned(),
        _ => "502 Not here\r\n".to_owned(),
    }
}

fn pasv(host: &str, port: u16) -> String {
    format!("227 Entering Passive Mode ({host},{},{})\r\n", port >> 8, port & 255)
}

const HELLO: &str = "220-Hello\r\n220 and welcome\r\n";

#[tokio::test]
async fn the_commands_are_those_of_anonymous_ftp() {
    let said = Arc::new(std::sync::Mutex::new(Vec::new()));
    let noted = Arc::clone(&said);
    let site = scripted(
        HELLO,
        move |command, port| {
            noted.lock().unwrap().push(command.to_owned());
            match command {
                "EPSV" => "500 What?\r\n".to_owned(),
                _ => usual(command, port),
            }
        },
        ROBOTS,
    )
    .await;
    assert_eq!(answered(&fetch(&site.url("ftp", "/x")).await).body, ROBOTS);
    let expected = [
        "USER anonymous",
        "PASS anonymous@",
        "TYPE I",
        "SIZE /robots.txt",
        "EPSV",
        "PASV",
        "RETR /robots.txt",
    ];
    assert_eq!(*said.lock().unwrap(), expected);
}

/// A server cannot send the client to another host for the data.
#[tokio::test]
async fn the_data_connection_goes_where_the_control_connection_went() {
    // Nobody else gets this port, and nobody listens at it here.
    let here = tokio::net::TcpSocket::new_v4().unwrap();
    here.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let port = here.local_addr().unwrap().port();
    let elsewhere = TcpListener::bind(("127.0.0.2", port)).await.unwrap();
    let refused = |command: &str, port, host: &str| match command {
        "EPSV" => "502 No\r\n".to_owned(),
        "PASV" => pasv(host, port),
        _ => usual(command, port),
    };
    for host in ["127,0,0,2", "10,0,0,1", "169,254,169,254", "8,8,8,8", "0,0,0,0"] {
        let site = scripted(HELLO, move |c, port| refused(c, port, host), ROBOTS).await;
        assert_eq!(answered(&fetch(&site.url("ftp", "/")).await).body, ROBOTS, "{host}");
    }
    // Not even with the port of a listener there.
    let site = scripted(HELLO, move |c, _| refused(c, port, "127,0,0,2"), ROBOTS).await;
    let failure = failed(fetch(&site.url("ftp", "/")).await);
    assert!(matches!(failure, Failure::Broken(_) | Failure::Connect(_)), "{failure}");
    let came = tokio::time::timeout(Duration::from_millis(100), elsewhere.accept()).await;
    assert!(came.is_err());
}

#[tokio::test]
async fn refusals_and_nonsense_are_failures() {
    let cases: [(&'static str, &str, &str); 9] = [
        (HELLO, "USER", "530 No anonymous users\r\n"),
        (HELLO, "PASS", "530 Not you\r\n"),
        (HELLO, "TYPE", "421 Closing\r\n"),
        (HELLO, "EPSV", "229 Somewhere\r\n"),
        (HELLO, "RETR", "425 No data connection\r\n"),
        (HELLO, "RETR", "150 Here it comes\r\n~426 Broke off\r\n"),
        (HELLO, "RETR", "150 Here it comes\r\n~451 Local error\r\n"),
        ("421 Too many\r\n", "USER", ""),
        ("HTTP/1.1 400 Bad Request\r\n\r\n", "USER", ""),
    ];
    for (greeting, at, said) in cases {
        let (at, said) = (at.to_owned(), said.to_owned());
        let name = format!("{greeting:?} {at} {said:?}");
        let reply = move |command: &str, port| match command.starts_with(&at) {
            true => said.clone(),
            false => usual(command, port),
        };
        let site = scripted(greeting, reply, ROBOTS).await;
        let failure = failed(fetch(&site.url("ftp", "/")).await);
        assert!(matches!(failure, Failure::Broken(_)), "{name}: {failure}");
    }
    let port = scripted("", usual, b"").await.port();
    let failure = failed(fetch(&format!("ftp://127.0.0.1:{port}/")).await);
    assert!(matches!(failure, Failure::Connect(_)), "{failure}");
}

/// Runs an attempt with short deadlines.
async fn in_haste(site: impl Future<Output = Site>) -> (Failure, Duration) {
    let site = site.await;
    let settings = settings()
        .connect_timeout(Duration::from_millis(300))
        .read_timeout(Duration::from_millis(300))
        .total_timeout(Duration::from_millis(1000));
    let began = Instant::now();
    let url = site.url("ftp", "/");
    let attempt = settings.build().unwrap().fetch(&origin(&url), None).await;
    (failed(attempt), began.elapsed())
}

#[tokio::test]
async fn each_step_has_its_deadline() {
    let _clock = FastClock::start();
    let silent = |at: &'static str| {
        let reply = move |command: &str, port| match command.starts_with(at) {
            true => String::new(),
            false => usual(command, port),
        };
        scripted(HELLO, reply, ROBOTS)
    };
    let (failure, _) = in_haste(scripted("", usual, b"")).await;
    assert_eq!(failure, Failure::TimedOut(Stage::Read));
    for at in ["USER", "PASS", "TYPE", "SIZE", "EPSV", "RETR"] {
        let (failure, took) = in_haste(silent(at)).await;
        assert_eq!(failure, Failure::TimedOut(Stage::Read), "{at}");
        assert!(took < Duration::from_millis(2500), "{at}: {took:?}");
    }
    // The data ends, but the reply that it is complete never comes.
    let unfinished = |command: &str, port| match command.starts_with("RETR") {
        true => "150 Here it comes\r\n".to_owned(),
        false => usual(command, port),
    };
    let (failure, _) = in_haste(scripted(HELLO, unfinished, ROBOTS)).await;
    assert_eq!(failure, Failure::TimedOut(Stage::Read));
    // A greeting that never ends, slowly.
    let drip = Site::accept(|mut stream| async move {
        while stream.write_all(b"220-and\r\n").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    let (failure, took) = in_haste(drip).await;
    assert_eq!(failure, Failure::TimedOut(Stage::Read));
    assert!(took < Duration::from_millis(2500), "{took:?}");
}

#[tokio::test]
async fn a_reply_without_an_end_is_broken() {
    let site = Site::accept(|mut stream| async move {
        let bytes = [b'a'; 1 << 16];
        let _ = stream.write_all(b"220 ").await;
        while stream.write_all(&bytes).await.is_ok() {}
    })
    .await;
    let failure = failed(fetch(&site.url("ftp", "/")).await);
    assert!(matches!(failure, Failure::Broken(_)), "{failure}");
}

/// A server that says "done" after a part of the file: half a robots.txt may say the opposite.
#[tokio::test]
async fn a_file_that_is_shorter_than_its_size_is_broken() {
    for (says, is_whole) in [
        ("213 49", false),
        ("213 33", true),
        // It has grown since.
        ("213 3", true),
        ("213-33 or so\r\n213 End", true),
        ("213 many", true),
        ("213 99999999999999999999999", true),
        ("502 What?", true),
        ("550 Not in this mode", true),
    ] {
        let reply = move |command: &str, port| match command.starts_with("SIZE /robots.txt") {
            true => format!("{says}\r\n"),
            false => usual(command, port),
        };
        let attempt = fetch(&scripted(HELLO, reply, ROBOTS).await.url("ftp", "/")).await;
        match is_whole {
            true => assert_eq!(answered(&attempt).body, ROBOTS, "{says}"),
            false => assert_eq!(
                failed(attempt),
                Failure::Broken("the file ended after 33 of 49 bytes".to_owned())
            ),
        }
    }
}

/// Some servers open the data connection before they look for the file.
#[tokio::test]
async fn a_late_550_is_404_unless_bytes_came() {
    let late = |command: &str, port| match command.starts_with("RETR") {
        true => "150 Here it comes\r\n~550 Not found\r\n".to_owned(),
        false => usual(command, port),
    };
    let site = scripted(HELLO, late, b"").await;
    assert_eq!(answered(&fetch(&site.url("ftp", "/")).await).status, 404);
    let site = scripted(HELLO, late, ROBOTS).await;
    let failure = failed(fetch(&site.url("ftp", "/")).await);
    assert!(matches!(failure, Failure::Broken(_)), "{failure}");
}
