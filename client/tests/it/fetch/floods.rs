//! Servers that send much that leads nowhere. An attempt ends at a small count, long before its
//! deadline.

use std::time::{Duration, Instant};

use robotsieve_client::outcome::Failure;
use tokio::io::AsyncWriteExt;

use crate::support::servers::frames::{closed, frame, http2, ok};
use crate::support::servers::site::Site;
use crate::support::servers::{answered, failed, fetch, origin, settings};

/// Fetches with deadlines that only a machine that stands still would miss. Returns the text of
/// the failure.
async fn broken(site: &Site, scheme: &str) -> String {
    let long = Duration::from_secs(300);
    let fetcher = settings().read_timeout(long).total_timeout(long).build().unwrap();
    let began = Instant::now();
    let attempt = fetcher.fetch(&origin(&site.url(scheme, "/")), None).await;
    assert!(began.elapsed() < long / 2, "{:?}", began.elapsed());
    match failed(attempt) {
        Failure::Broken(text) => text,
        failure => panic!("{failure}"),
    }
}

#[tokio::test]
async fn frames_without_data() {
    let head = frame(1, 4, 1, &[0x88]);
    let half = frame(1, 0, 1, &[0x88]);
    for (name, before, flood) in [
        ("PING", vec![], frame(6, 0, 0, &[0; 8])),
        ("SETTINGS", vec![], frame(4, 0, 0, b"")),
        ("WINDOW_UPDATE", vec![], frame(8, 0, 0, &[0, 0, 0, 1])),
        ("PRIORITY", vec![], frame(2, 0, 1, &[0, 0, 0, 0, 9])),
        ("unknown", vec![], frame(99, 0, 1, b"?")),
        ("103", vec![], frame(1, 4, 1, &[0x08, 3, b'1', b'0', b'3'])),
        ("CONTINUATION", half, frame(9, 0, 1, b"")),
        ("empty DATA", head.clone(), frame(0, 0, 1, b"")),
        ("padding", head.clone(), frame(0, 8, 1, &[3, 0, 0, 0])),
        ("PING within the body", head, frame(6, 0, 0, &[0; 8])),
    ] {
        let site = http2(&["h2"], move |mut stream| {
            let (before, flood) = (before.clone(), flood.repeat(50));
            async move {
                let _ = stream.write_all(&before).await;
                while stream.write_all(&flood).await.is_ok() && stream.flush().await.is_ok() {}
            }
        })
        .await;
        let text = broken(&site, "https").await;
        assert_eq!(text, "more than 100 HTTP/2 frames without data", "{name}");
    }
}

#[tokio::test]
async fn as_many_as_servers_send_are_taken() {
    let site = http2(&["h2"], |mut stream| async move {
        let ping = frame(6, 0, 0, &[0; 8]).repeat(40);
        let hints = frame(1, 4, 1, &[0x08, 3, b'1', b'0', b'3']).repeat(20);
        let _ = stream.write_all(&[ping, hints, ok(b"User-agent: *\n")].concat()).await;
        closed(stream).await;
    })
    .await;
    let attempt = fetch(&site.url("https", "/")).await;
    assert_eq!(answered(&attempt).body, b"User-agent: *\n");
}

#[tokio::test]
async fn interim_answers() {
    let site = Site::raw(|mut stream| async move {
        let hints = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n".repeat(10);
        while stream.write_all(&hints).await.is_ok() {}
    })
    .await;
    assert_eq!(broken(&site, "http").await, "more than 50 interim answers");
}

/// A stream that is reset before its end, or before the announced length, is no file: half a line is
/// another rule.
#[tokio::test]
async fn a_body_that_is_cut_is_no_file() {
    const CUT: &[u8] = b"User-agent: *\nDisallow: /";
    const NO_ERROR: u8 = 0;
    const CANCEL: u8 = 8;
    const CANCELLED: &str = "stream error received: stream no longer needed";
    // `:status: 200`, and perhaps a content-length.
    let head = |length: Option<&[u8; 2]>| match length {
        Some(length) => [&[0x88, 0x0f, 0x0d, 2], &length[..]].concat(),
        None => vec![0x88],
    };
    for (length, ends, reset, expected) in [
        (Some(b"25"), true, None, Ok(CUT)),
        (Some(b"25"), true, Some(NO_ERROR), Ok(CUT)),
        (None, true, Some(NO_ERROR), Ok(CUT)),
        (None, true, Some(CANCEL), Ok(CUT)),
        (Some(b"49"), false, Some(NO_ERROR), Err("the body ended after 25 of 49 bytes")),
        (Some(b"49"), false, Some(CANCEL), Err(CANCELLED)),
        (Some(b"25"), false, Some(NO_ERROR), Err("the stream was reset after 25 bytes")),
        (None, false, Some(NO_ERROR), Err("the stream was reset after 25 bytes")),
        (None, false, Some(CANCEL), Err(CANCELLED)),
    ] {
        let head = head(length);
        let site = http2(&["h2"], move |mut stream| {
            let mut sent = [frame(1, 4, 1, &head), frame(0, u8::from(ends), 1, CUT)].concat();
            if let Some(code) = reset {
                sent.extend(frame(3, 0, 1, &[0, 0, 0, code]));
            }
            async move {
                let _ = stream.write_all(&sent).await;
                closed(stream).await;
            }
        })
        .await;
        let attempt = fetch(&site.url("https", "/")).await;
        let result = match &attempt.result {
            Ok(response) => Ok(&response.body[..]),
            Err(Failure::Broken(why)) => Err(&why[..]),
            Err(other) => panic!("{other}"),
        };
        assert_eq!(result, expected, "{length:?} {ends} {reset:?}");
    }
}
