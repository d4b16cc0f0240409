//! A server on a port chosen by the system. Dropping it stops it.

use std::convert::Infallible;
use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use http::request::Parts;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

pub struct Site {
    pub address: SocketAddr,
    seen: Arc<Mutex<Vec<Parts>>>,
    connections: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

impl Drop for Site {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Site {
    /// Answers as a function says, over HTTP/1.1, or over HTTP/2 if the client begins with it.
    pub async fn http<H>(handler: H) -> Site
    where
        H: Fn(&Parts) -> Response<Vec<u8>> + Send + Sync + 'static,
    {
        Site::start(None, handler).await
    }

    /// The same over TLS.
    pub async fn https<H>(tls: Arc<ServerConfig>, handler: H) -> Site
    where
        H: Fn(&Parts) -> Response<Vec<u8>> + Send + Sync + 'static,
    {
        Site::start(Some(TlsAcceptor::from(tls)), handler).await
    }

    async fn start<H>(tls: Option<TlsAcceptor>, handler: H) -> Site
    where
        H: Fn(&Parts) -> Response<Vec<u8>> + Send + Sync + 'static,
    {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let handler = Arc::new(handler);
        let noted = Arc::clone(&seen);
        let site = Site::accept(move |stream| {
            let (tls, handler, noted) = (tls.clone(), Arc::clone(&handler), Arc::clone(&noted));
            async move {
                match tls {
                    None => serve(stream, handler, noted).await,
                    Some(tls) => {
                        // Some tests expect the client to end the handshake.
                        if let Ok(stream) = tls.accept(stream).await {
                            serve(stream, handler, noted).await;
                        }
                    }
                }
            }
        });
        let mut site = site.await;
        site.seen = seen;
        site
    }

    /// Reads the head of a request, and then passes the connection to a function.
    pub async fn raw<H, F>(handler: H) -> Site
    where
        H: Fn(TcpStream) -> F + Send + Sync + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let handler = Arc::new(handler);
        Site::accept(move |mut stream| {
            let handler = Arc::clone(&handler);
            async move {
                read_head(&mut stream).await;
                handler(stream).await;
            }
        })
        .await
    }

    /// Passes each connection to a function.
    pub async fn accept<H, F>(handler: H) -> Site
    where
        H: Fn(TcpStream) -> F + Send + Sync + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(handler(stream));
            }
        });
        Site { address, seen: Arc::default(), connections, accepting }
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// A URL of the site, with a name that the tests' resolver knows.
    pub fn url(&self, scheme: &str, path: &str) -> String {
        format!("{scheme}://site.test:{}{path}", self.port())
    }

    /// The requests received so far.
    pub fn seen(&self) -> Vec<Parts> {
        self.seen.lock().unwrap().clone()
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn serve<S, H>(stream: S, handler: Arc<H>, seen: Arc<Mutex<Vec<Parts>>>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    H: Fn(&Parts) -> Response<Vec<u8>> + Send + Sync + 'static,
{
    let service = service_fn(move |request: Request<Incoming>| {
        let (parts, _) = request.into_parts();
        let answer = handler(&parts).map(|body| Full::new(Bytes::from(body)));
        seen.lock().unwrap().push(parts);
        async move { Ok::<_, Infallible>(answer) }
    });
    // The client may drop a connection that it no longer needs.
    let _ = auto::Builder::new(TokioExecutor::new())
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

/// Reads up to the empty line.
async fn read_head(stream: &mut TcpStream) {
    let mut head = Vec::new();
    let mut bytes = [0; 1024];
    while !head.windows(4).any(|four| four == b"\r\n\r\n") {
        match stream.read(&mut bytes).await {
            Ok(len) if len > 0 => head.extend_from_slice(&bytes[..len]),
            _ => return,
        }
    }
}

/// An answer with a status and headers.
pub fn answer(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Response<Vec<u8>> {
    let mut answer = Response::builder().status(status);
    for (name, value) in headers {
        answer = answer.header(*name, *value);
    }
    answer.body(body.to_vec()).unwrap()
}
