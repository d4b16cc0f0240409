//! The page in a browser, served on loopback.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use crate::command::site::{answered, site};
use crate::command::{Child, Folder, command, run};

/// A server of the page, ended when it goes out of scope.
struct Server {
    child: Child,
    /// Host and port.
    address: String,
    /// What follows them in the address that is printed.
    path: String,
}

impl Server {
    fn start(args: &[&str]) -> Server {
        let args = ["page"].iter().chain(args);
        let mut child = command(args).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.strip_prefix("http://").and_then(|rest| rest.strip_suffix("\n"));
        let Some((address, path)) = url.and_then(|url| url.split_once('/')) else {
            panic!("{line}")
        };
        Server { child, address: address.to_owned(), path: path.to_owned() }
    }

    fn get(&self, path: &str) -> Vec<u8> {
        self.asked(&format!("GET {path} HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"))
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
    assert_eq!(server.path, "");
    let get = |path: &str| server.get(path);
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

#[test]
fn it_is_served_with_a_file() {
    let folder = Folder::new();
    // Not UTF-8, and with the bytes of a page.
    let file = b"User-agent: *\r\nDisallow: /caf\xe9\n<script>";
    let path = folder.file("its robots.txt", file);
    let server = Server::start(&["--port", "0", path.to_str().unwrap()]);
    assert_eq!(server.path, "?given");
    let answer = server.get("/given");
    assert!(answer.starts_with(b"HTTP/1.1 200") && answer.ends_with(file), "{answer:?}");
    let head = String::from_utf8_lossy(&answer);
    assert!(head.contains("its%20robots.txt\r\n"), "{head}");
    assert!(server.get("/?given").starts_with(b"HTTP/1.1 200"));

    // A URL is fetched once, before anything is served.
    let url = site(|_| answered("200 OK", "Content-Type: text/plain\r\n", "Disallow: /x\n"));
    let server = Server::start(&["--port", "0", &format!("{url}/robots.txt")]);
    assert!(server.get("/given").ends_with(b"\r\n\r\nDisallow: /x\n"));
}

#[test]
fn a_file_that_cannot_be_opened() {
    let folder = Folder::new();
    run(args!["page", folder.path("none")]).fails(3, "cannot read robots.txt");
    run(args!["page", folder.file("a.gz", b"\x1f\x8b\x08\0")]).fails(3, "gzip -dc");
    let long = folder.file("long.txt", vec![b'#'; (8 << 20) + 1]);
    let ran = run(args!["page", long]);
    ran.fails(3, "it is longer than 8 MiB").says("head -c 500K");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it() {
    let mut server = Server::start(&["--port", "0"]);
    let id = server.child.id().to_string();
    assert!(crate::command::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_port_that_is_taken() {
    let server = Server::start(&["--port", "0", "--no-browser"]);
    let port = server.address.rsplit(':').next().unwrap();
    run(args!["page", "--port", port]).fails(3, "choose another with --port");
    run(args!["page", "--port", "99999"]).fails(2, "--port");
}
