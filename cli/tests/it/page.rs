//! The page in a browser, served on loopback.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use crate::command::{command, run};

/// A server of the page, ended when it goes out of scope.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(args: &[&str]) -> Server {
        let args = ["page"].iter().chain(args).map(Into::into);
        let mut child = command(args).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/\n"));
        Server { child, address: address.unwrap_or_else(|| panic!("{line}")).to_owned() }
    }

    fn asked(&self, request: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let request = request.replace("HOST", &self.address);
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        answer
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn it_is_served() {
    let server = Server::start(&["--port", "0"]);
    assert!(server.address.starts_with("127.0.0.1:"), "{}", server.address);
    let get = |path: &str| {
        server.asked(&format!("GET {path} HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"))
    };
    let index = get("/");
    let head = String::from_utf8_lossy(&index);
    for part in ["HTTP/1.1 200", "content-type: text/html", "content-encoding: gzip"] {
        assert!(head.contains(part), "{part}: {head}");
    }
    let at = index.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap() + 4;
    let mut html = String::new();
    flate2::read::GzDecoder::new(&index[at..]).read_to_string(&mut html).unwrap();
    assert!(html.contains("Content-Security-Policy") && html.contains("robotsieve"), "{html}");
    let wasm = get("/robotsieve.wasm?x");
    assert!(String::from_utf8_lossy(&wasm).contains("content-type: application/wasm"));
    assert!(get("/../Cargo.toml").starts_with(b"HTTP/1.1 404"));
    // Nonsense ends one connection, and no more.
    server.asked("nonsense\r\n\r\n");
    assert!(get("/index.html").starts_with(b"HTTP/1.1 200"));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it() {
    let mut server = Server::start(&["--port", "0"]);
    let id = server.child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_port_that_is_taken() {
    let server = Server::start(&["--port", "0", "--no-browser"]);
    let port = server.address.rsplit(':').next().unwrap();
    run(args!["page", "--port", port]).fails(3, "choose another with --port");
    run(args!["page", "--port", "99999"]).fails(2, "--port");
}
