//! A proxy on loopback: HTTP with CONNECT and whole URLs, and SOCKS5.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::TcpStream;
use tokio::time::sleep;

use super::site::Site;

/// What a proxy was asked for: `CONNECT 127.0.0.1:443`, `GET http://…`, `SOCKS site.test:80`.
pub type Requests = Arc<Mutex<Vec<String>>>;

/// An HTTP proxy. It answers with this status line, unless that is empty: then it does what it is
/// asked. It wants this `Proxy-Authorization` if there is one.
pub async fn http(status: &'static str, login: Option<&'static str>) -> (Site, Requests) {
    let asked = Requests::default();
    let noted = Arc::clone(&asked);
    let site = Site::accept(move |stream| {
        let noted = Arc::clone(&noted);
        async move {
            let _ = serve_http(stream, status, login, &noted).await;
        }
    });
    (site.await, asked)
}

/// An HTTP proxy that refuses to connect, and forwards.
pub async fn forwarding() -> (Site, Requests) {
    let asked = Requests::default();
    let noted = Arc::clone(&asked);
    let site = Site::accept(move |stream| {
        let noted = Arc::clone(&noted);
        async move {
            let _ = serve_http(stream, NO_CONNECT, None, &noted).await;
        }
    });
    (site.await, asked)
}

/// The answer to CONNECT alone.
const NO_CONNECT: &str = "405 No tunnels";

async fn serve_http(
    mut client: TcpStream,
    status: &str,
    login: Option<&str>,
    asked: &Requests,
) -> io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(client.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let line = head.lines().next().unwrap_or_default();
    asked.lock().unwrap().push(line.trim_end_matches(" HTTP/1.1").to_owned());
    let given = head.lines().find_map(|line| line.strip_prefix("proxy-authorization: "));
    let status = match login {
        Some(login) if given != Some(login) => "407 Proxy Authentication Required",
        _ if status == NO_CONNECT && !line.starts_with("CONNECT ") => "",
        _ => status,
    };
    if !status.is_empty() {
        let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
        return client.write_all(answer.as_bytes()).await;
    }
    let mut words = line.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if method == "CONNECT" {
        let port = target.rsplit(':').next().unwrap_or_default();
        let mut site = TcpStream::connect(format!("127.0.0.1:{port}")).await?;
        client.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").await?;
        copy_bidirectional(&mut client, &mut site).await?;
        return Ok(());
    }
    let url = url::Url::parse(target).map_err(io::Error::other)?;
    let mut site = TcpStream::connect(("127.0.0.1", url.port().unwrap_or(80))).await?;
    let request = head.replace(target, url.path());
    site.write_all(request.as_bytes()).await?;
    copy_bidirectional(&mut client, &mut site).await?;
    Ok(())
}

/// A SOCKS5 proxy that answers with this code. It connects if the code is 0.
pub async fn socks(code: u8) -> (Site, Requests) {
    socks_but(code, "").await
}

/// The same, for this host alone if one is named. It connects to all others.
pub async fn socks_but(code: u8, host: &'static str) -> (Site, Requests) {
    let asked = Requests::default();
    let noted = Arc::clone(&asked);
    let site = Site::accept(move |stream| {
        let noted = Arc::clone(&noted);
        async move {
            let _ = serve_socks(stream, code, host, &noted).await;
        }
    });
    (site.await, asked)
}

async fn serve_socks(
    mut client: TcpStream,
    code: u8,
    but: &str,
    asked: &Requests,
) -> io::Result<()> {
    let [_, methods] = [client.read_u8().await?, client.read_u8().await?];
    client.read_exact(&mut vec![0; methods.into()]).await?;
    client.write_all(&[5, 0]).await?;
    let mut request = [0; 4];
    client.read_exact(&mut request).await?;
    let host = match request[3] {
        1 => std::net::Ipv4Addr::from(client.read_u32().await?).to_string(),
        3 => {
            let mut name = vec![0; client.read_u8().await?.into()];
            client.read_exact(&mut name).await?;
            String::from_utf8_lossy(&name).into_owned()
        }
        _ => return Ok(()),
    };
    let code = if but.is_empty() || but == host { code } else { 0 };
    let port = client.read_u16().await?;
    asked.lock().unwrap().push(format!("SOCKS {host}:{port}"));
    client.write_all(&[5, code, 0, 1, 0, 0, 0, 0, 0, 0]).await?;
    if code == 0 {
        let mut site = TcpStream::connect(("127.0.0.1", port)).await?;
        copy_bidirectional(&mut client, &mut site).await?;
    }
    Ok(())
}

/// How a proxy fails that has worked.
#[derive(Clone, Copy, Debug)]
pub enum Fails {
    /// It accepts connections and says nothing.
    Hangs,
    /// It answers every request to connect with this status line.
    Connects(&'static str),
    /// It forwards, and answers every request with this status line.
    Forwards(&'static str),
    Garbage,
    /// It answers every request with this code.
    Socks(u8),
}

/// A proxy that works until it is told to fail.
pub async fn failing(how: Fails) -> (Site, Arc<AtomicBool>) {
    let fails = Arc::new(AtomicBool::new(false));
    let switch = Arc::clone(&fails);
    let site = Site::accept(move |mut stream| {
        let fails = switch.load(Ordering::SeqCst);
        async move {
            let asked = Requests::default();
            let _ = match (how, fails) {
                (Fails::Socks(code), _) => {
                    serve_socks(stream, if fails { code } else { 0 }, "", &asked).await
                }
                (Fails::Hangs, true) => {
                    sleep(Duration::from_secs(600)).await;
                    drop(stream);
                    Ok(())
                }
                (Fails::Garbage, true) => stream.write_all(b"\0\x01garbage\r\n\r\n").await,
                (Fails::Connects(status) | Fails::Forwards(status), true) => {
                    serve_http(stream, status, None, &asked).await
                }
                (Fails::Forwards(_), false) => serve_http(stream, NO_CONNECT, None, &asked).await,
                (_, false) => serve_http(stream, "", None, &asked).await,
            };
        }
    });
    (site.await, fails)
}
