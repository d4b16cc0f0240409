//! Sites on loopback.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread;

/// Starts a site that answers each request as this says, which is given the lines of its head. Returns
/// its origin.
pub fn site(answer: impl Fn(&[String]) -> Vec<u8> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for connection in listener.incoming() {
            let Ok(mut connection) = connection else { continue };
            let lines = BufReader::new(&connection).lines();
            let head: Vec<String> =
                lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
            let _ = connection.write_all(&answer(&head));
        }
    });
    format!("http://127.0.0.1:{port}")
}

/// An answer; the headers are whole lines.
pub fn answered(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}
