//! Servers that speak HTTP/2 by frames, and proxies.

use std::future::Future;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::authority;
use super::site::Site;

pub type Tls = TlsStream<TcpStream>;

/// Reads the request of an HTTP/2 connection on stream 1, and then passes the connection to a
/// function. With `protocols` other than h2 nothing is read.
pub async fn http2<H, F>(protocols: &[&str], handler: H) -> Site
where
    H: Fn(Tls) -> F + Send + Sync + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let acceptor = TlsAcceptor::from(authority::test().server("site.test", protocols));
    let handler = Arc::new(handler);
    Site::accept(move |stream| {
        let (acceptor, handler) = (acceptor.clone(), Arc::clone(&handler));
        async move {
            let Ok(mut stream) = acceptor.accept(stream).await else { return };
            if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                // SETTINGS
                let _ = stream.write_all(&frame(4, 0, 0, b"")).await;
                if read_request(&mut stream).await.is_err() {
                    return;
                }
            }
            handler(stream).await;
        }
    })
    .await
}

/// Reads frames up to the HEADERS of a request.
async fn read_request(stream: &mut Tls) -> std::io::Result<()> {
    stream.read_exact(&mut [0; 24]).await?;
    loop {
        let mut header = [0; 9];
        stream.read_exact(&mut header).await?;
        let [a, b, c, kind, ..] = header;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        stream.read_exact(&mut payload).await?;
        if kind == 1 {
            return Ok(());
        }
    }
}

pub fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let len = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&len[1..], &[kind, flags, 0, 0, 0, stream], payload].concat()
}

/// HEADERS with `:status: 200`, and DATA that ends the stream.
pub fn ok(body: &[u8]) -> Vec<u8> {
    [frame(1, 4, 1, &[0x88]), frame(0, 1, 1, body)].concat()
}

/// Waits until the client closes the connection.
pub async fn closed(mut stream: Tls) {
    let _ = stream.flush().await;
    while stream.read(&mut [0; 1024]).await.is_ok_and(|len| len > 0) {}
}
