//! The spans and events of a fetch and of a sieve.
//!
//! The subscriber is the whole program's, since `tracing` caches for all threads whether anybody
//! listens. So it also hears the other tests, and keeps only what happens on its own thread.

use std::fmt::{Debug, Write as _};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

use robotsieve::{Crawler, Origin};
use robotsieve_client::fetch::Fetcher;
use robotsieve_client::sieve::Sieve;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Notes the spans and events of one thread as text.
#[derive(Clone)]
struct Notes {
    thread: ThreadId,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Notes {
    fn push(&self, line: String) {
        if thread::current().id() == self.thread {
            self.lines.lock().unwrap().push(line);
        }
    }
}

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

impl Subscriber for Notes {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        ["robotsieve::fetch", "robotsieve::sieve"].contains(&metadata.target())
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut text = Text(span.metadata().name().to_owned());
        span.record(&mut text);
        self.push(text.0);
        Id::from_u64(1)
    }

    fn event(&self, event: &Event<'_>) {
        let mut text = Text(String::new());
        event.record(&mut text);
        self.push(text.0);
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// Starts a server that redirects the first request and answers the second. Returns its port.
fn site() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for answer in ["301 Moved\r\nLocation: /r.txt", "200 OK"] {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 1024]).unwrap();
            write!(stream, "HTTP/1.1 {answer}\r\nContent-Length: 2\r\n\r\nok").unwrap();
        }
    });
    port
}

#[tokio::test]
async fn attempts_redirects_and_failures_are_traced() {
    // `#[tokio::test]` runs all tasks on this thread.
    let notes = Notes { thread: thread::current().id(), lines: Arc::default() };
    tracing::subscriber::set_global_default(notes.clone()).unwrap();
    let authority = rcgen::generate_simple_self_signed(["site.test".to_owned()]).unwrap();
    let fetcher = Fetcher::builder("SieveTest/1.0")
        .trust_pem(authority.cert.pem().as_bytes())
        .allow_networks(["127.0.0.1/32".parse().unwrap()])
        .build()
        .unwrap();
    let url = format!("http://127.0.0.1:{}", site());
    let answered = fetcher.fetch(&Origin::of(&url).unwrap(), None).await;
    assert_eq!(answered.result.unwrap().body, b"ok");
    fetcher.fetch(&Origin::of("http://10.0.0.1").unwrap(), None).await.result.unwrap_err();

    let sieve = Sieve::builder(Crawler::name("SieveTest")).fetcher(fetcher).build();
    sieve.decide("http://10.0.0.1/").await.unwrap();

    let notes = notes.lines.lock().unwrap();
    let expected = [
        format!("fetch origin=\"{url}\""),
        format!(" message=redirect status=301 to={url}/r.txt"),
        " message=answer status=200 bytes=2 is_truncated=false micros=".to_owned(),
        "fetch origin=\"http://10.0.0.1\"".to_owned(),
        " message=failure failure=the address 10.0.0.1 is not public micros=".to_owned(),
        "attempt origin=\"http://10.0.0.1\"".to_owned(),
        "wait origin=\"http://10.0.0.1\"".to_owned(),
        "fetch origin=\"http://10.0.0.1\"".to_owned(),
        " message=failure failure=the address 10.0.0.1 is not public micros=".to_owned(),
        " message=outcome origin=\"http://10.0.0.1\" condition=\"unreachable\"".to_owned(),
    ];
    assert_eq!(notes.len(), expected.len(), "{notes:?}");
    for (note, expected) in notes.iter().zip(&expected) {
        assert!(note.starts_with(expected), "{note:?} {expected:?}");
    }
}
