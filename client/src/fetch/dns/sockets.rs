//! UDP sockets that many queries share, so that any number of silent names needs few of them.
//!
//! Each socket is connected to its name server: the system drops what comes from elsewhere, and
//! tells if nothing listens there. A query is found again by its number, which no other query on
//! the same socket has. The ports are random, and a socket takes new queries only until it has
//! had [`USES`]: so a forger has to guess port and number, as if each query had its own socket.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_util::stream::Stream;
use hickory_resolver::config::{ConnectionConfig, ProtocolConfig};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::{
    DnsUdpSocket, RuntimeProvider, TokioHandle, TokioRuntimeProvider, TokioTime,
};
use hickory_resolver::net::tcp::TcpClientStream;
use hickory_resolver::net::udp::UdpClientStream;
use hickory_resolver::net::xfer::{DnsExchange, DnsHandle, DnsRequestSender};
use hickory_resolver::proto::op::{DnsRequest, DnsResponse, Message, MessageType};
use hickory_resolver::{ConnectionProvider, PoolContext};
use tokio::net::UdpSocket;
use tokio::task::AbortHandle;
use tokio::time::{Instant, Sleep, sleep};

use super::heard::{Debt, Heard, lock};

/// The number of queries that a socket takes before it is replaced.
pub(super) const USES: usize = 1024;
/// The number of sockets of a name server that take queries at a time.
pub(super) const SOCKETS: usize = 16;
/// A query that is not answered is sent again after these times, one after the other: it may have
/// been lost. Servers that lose queries because there are too many get time.
const SENT_AGAIN: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(2)];
/// The longest answer over UDP.
const MAX_PACKET_BYTES: usize = 4096;
/// The most answers to one query that are kept until it reads them. Only forgers send more than
/// one.
const MAX_PACKETS: usize = 8;

/// A socket, and the queries that wait for its packets.
struct SharedSocket {
    socket: Arc<UdpSocket>,
    queries: Arc<Queries>,
    uses: AtomicUsize,
    receiving: AbortHandle,
}

impl Drop for SharedSocket {
    fn drop(&mut self) {
        self.receiving.abort();
    }
}

#[derive(Default)]
struct Queries {
    waiting: Mutex<HashMap<u16, Waiting>>,
    /// Set once nobody receives any more, because the runtime ended.
    is_dead: AtomicBool,
}

struct Waiting {
    query: Arc<[u8]>,
    packets: VecDeque<io::Result<Vec<u8>>>,
    waker: Option<Waker>,
}

impl Queries {
    /// The answer in a packet, if it is one to the query with this number.
    fn answer(&self, number: u16, packet: &[u8]) -> Option<Message> {
        let query = Arc::clone(&lock(&self.waiting).get(&number)?.query);
        let (query, answer) = (Message::from_vec(&query).ok()?, Message::from_vec(packet).ok()?);
        let is_answer =
            answer.message_type == MessageType::Response && answer.queries == query.queries;
        is_answer.then_some(answer)
    }

    fn push(&self, number: u16, packet: io::Result<Vec<u8>>) {
        if let Some(waiting) = lock(&self.waiting).get_mut(&number)
            && waiting.packets.len() < MAX_PACKETS
        {
            waiting.packets.push_back(packet);
            if let Some(waker) = waiting.waker.take() {
                waker.wake();
            }
        }
    }

    /// Ends all queries, because the server cannot be reached.
    fn fail(&self, cause: (io::ErrorKind, Option<i32>)) {
        for waiting in lock(&self.waiting).values_mut() {
            waiting.packets.push_back(Err(error(cause)));
            if let Some(waker) = waiting.waker.take() {
                waker.wake();
            }
        }
    }
}

/// Ends the queries when the task that receives is dropped.
struct Receiving {
    queries: Arc<Queries>,
    heard: Arc<Heard>,
    debt: Arc<Debt>,
    trouble: Arc<Trouble>,
}

impl Drop for Receiving {
    fn drop(&mut self) {
        self.queries.is_dead.store(true, Ordering::SeqCst);
        self.queries.fail((io::ErrorKind::BrokenPipe, None));
    }
}

async fn receive(socket: Arc<UdpSocket>, receiving: Receiving) {
    let mut bytes = vec![0; MAX_PACKET_BYTES];
    loop {
        match socket.recv(&mut bytes).await {
            Ok(len) => {
                let packet = &bytes[..len];
                *lock(&receiving.trouble) = None;
                if let Some(number) = number(packet) {
                    // Anybody can send garbage, and a forger whatever else.
                    if let Some(answer) = receiving.queries.answer(number, packet) {
                        receiving.debt.answered();
                        receiving.heard.note(&answer);
                    }
                    receiving.queries.push(number, Ok(packet.to_vec()));
                }
            }
            Err(cause) => {
                let cause = (cause.kind(), cause.raw_os_error());
                *lock(&receiving.trouble) = Some(cause);
                receiving.queries.fail(cause);
                // An error that does not go away must not keep a core busy.
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    }
}

/// The number of a message: its first two bytes.
fn number(message: &[u8]) -> Option<u16> {
    message.first_chunk().map(|bytes| u16::from_be_bytes(*bytes))
}

impl SharedSocket {
    fn new(sockets: &Sockets) -> io::Result<SharedSocket> {
        let server = sockets.server;
        let local = sockets.local.unwrap_or(match server {
            SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        });
        let socket = std::net::UdpSocket::bind((local, 0))?;
        socket.set_nonblocking(true)?;
        socket.connect(server)?;
        let socket = Arc::new(UdpSocket::from_std(socket)?);
        let queries = Arc::new(Queries::default());
        let receiving = Receiving {
            queries: Arc::clone(&queries),
            heard: Arc::clone(&sockets.heard),
            debt: Arc::clone(&sockets.debt),
            trouble: Arc::clone(&sockets.trouble),
        };
        let receiving = tokio::spawn(receive(Arc::clone(&socket), receiving)).abort_handle();
        Ok(SharedSocket { socket, queries, uses: AtomicUsize::new(0), receiving })
    }

    /// Takes a query with this number, unless it has one already.
    fn take(&self, number: u16, query: &Arc<[u8]>) -> bool {
        if self.queries.is_dead.load(Ordering::SeqCst) {
            return false;
        }
        let mut waiting = lock(&self.queries.waiting);
        if waiting.contains_key(&number) {
            return false;
        }
        let query = Arc::clone(query);
        waiting.insert(number, Waiting { query, packets: VecDeque::new(), waker: None });
        self.uses.fetch_add(1, Ordering::SeqCst);
        true
    }

    fn send(&self, bytes: &Arc<[u8]>) -> Sending {
        let (socket, bytes) = (Arc::clone(&self.socket), Arc::clone(bytes));
        Box::pin(async move { socket.send(&bytes).await })
    }
}

/// The sockets of one name server, and the connections to it.
#[derive(Clone)]
pub(super) struct Sockets {
    server: SocketAddr,
    /// The address of this machine that it is asked from, if not any.
    local: Option<IpAddr>,
    open: Arc<Mutex<VecDeque<Arc<SharedSocket>>>>,
    heard: Arc<Heard>,
    debt: Arc<Debt>,
    trouble: Arc<Trouble>,
    tokio: TokioRuntimeProvider,
}

/// The last error of a server's sockets, until the server answers: its number, or its kind.
type Trouble = Mutex<Option<(io::ErrorKind, Option<i32>)>>;

fn error((kind, code): (io::ErrorKind, Option<i32>)) -> io::Error {
    code.map_or_else(|| kind.into(), io::Error::from_raw_os_error)
}

impl Sockets {
    pub(super) fn new(
        server: SocketAddr,
        local: Option<IpAddr>,
        heard: Arc<Heard>,
        debt: Arc<Debt>,
    ) -> Sockets {
        let (open, trouble) = (Arc::default(), Arc::default());
        Sockets { server, local, open, heard, debt, trouble, tokio: TokioRuntimeProvider::new() }
    }

    /// The last error, if the server has not answered since.
    pub(super) fn trouble(&self) -> Option<io::Error> {
        lock(&self.trouble).map(error)
    }

    /// A socket that takes a query with this number.
    fn take(&self, number: u16, query: &Arc<[u8]>) -> io::Result<Arc<SharedSocket>> {
        let mut open = lock(&self.open);
        open.retain(|shared| {
            shared.uses.load(Ordering::SeqCst) < USES
                && !shared.queries.is_dead.load(Ordering::SeqCst)
        });
        if open.len() == SOCKETS {
            for _ in 0..open.len() {
                open.rotate_left(1);
                if let Some(shared) = open.back().filter(|shared| shared.take(number, query)) {
                    return Ok(Arc::clone(shared));
                }
            }
        }
        let shared = match SharedSocket::new(self) {
            Ok(shared) => Arc::new(shared),
            // Short of descriptors, the query shares a socket.
            Err(cause) => {
                let other = open.iter().find(|shared| shared.take(number, query));
                *lock(&self.trouble) = Some((cause.kind(), cause.raw_os_error()));
                return other.map(Arc::clone).ok_or(cause);
            }
        };
        shared.take(number, query);
        open.push_back(Arc::clone(&shared));
        if open.len() > SOCKETS {
            open.pop_front();
        }
        Ok(shared)
    }
}

impl RuntimeProvider for Sockets {
    type Handle = TokioHandle;
    type Timer = TokioTime;
    type Udp = Query;
    type Tcp = <TokioRuntimeProvider as RuntimeProvider>::Tcp;

    fn create_handle(&self) -> TokioHandle {
        self.tokio.create_handle()
    }

    fn connect_tcp(
        &self,
        server: SocketAddr,
        bind: Option<SocketAddr>,
        timeout: Option<Duration>,
    ) -> Pin<Box<dyn Send + Future<Output = io::Result<Self::Tcp>>>> {
        let local = self.local.map(|local| SocketAddr::new(local, 0));
        self.tokio.connect_tcp(server, local.or(bind), timeout)
    }

    fn bind_udp(
        &self,
        _: SocketAddr,
        _: SocketAddr,
    ) -> Pin<Box<dyn Send + Future<Output = io::Result<Query>>>> {
        let query = Query { sockets: self.clone(), sent: Mutex::new(None) };
        Box::pin(std::future::ready(Ok(query)))
    }
}

/// One query's view of a shared socket.
pub(super) struct Query {
    sockets: Sockets,
    sent: Mutex<Option<Sent>>,
}

type Sending = Pin<Box<dyn Send + Future<Output = io::Result<usize>>>>;

/// A query that was sent.
struct Sent {
    shared: Arc<SharedSocket>,
    number: u16,
    bytes: Arc<[u8]>,
    /// Sends it, or sends it again. Not `poll_send`: of the queries that share a socket, that would
    /// wake only the last one once the socket is ready, and the others would never be sent.
    sending: Option<Sending>,
    /// The number of times that it was sent again.
    again: usize,
    /// The time at which it is sent again.
    next: Pin<Box<Sleep>>,
}

impl Sent {
    /// Sends the query again if it is time to.
    fn poll_again(&mut self, context: &mut Context<'_>) {
        while self.again < SENT_AGAIN.len() && self.next.as_mut().poll(context).is_ready() {
            self.sending = Some(self.shared.send(&self.bytes));
            self.again += 1;
            if let Some(wait) = SENT_AGAIN.get(self.again) {
                self.next.as_mut().reset(Instant::now() + *wait);
            }
        }
        if self.sending.is_some() {
            // If it fails, it is lost, like anywhere on the way.
            let _ = self.poll_sending(context);
        }
    }

    fn poll_sending(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let (shared, bytes) = (&self.shared, &self.bytes);
        let sending = self.sending.get_or_insert_with(|| shared.send(bytes));
        let sent = sending.as_mut().poll(context);
        if sent.is_ready() {
            self.sending = None;
        }
        sent
    }
}

impl Drop for Query {
    fn drop(&mut self) {
        if let Some(Sent { shared, number, .. }) = lock(&self.sent).take() {
            lock(&shared.queries.waiting).remove(&number);
        }
    }
}

impl DnsUdpSocket for Query {
    type Time = TokioTime;

    fn poll_recv_from(
        &self,
        context: &mut Context<'_>,
        bytes: &mut [u8],
    ) -> Poll<io::Result<(usize, SocketAddr)>> {
        let mut sent = lock(&self.sent);
        let Some(sent) = &mut *sent else {
            return Poll::Ready(Err(io::ErrorKind::NotConnected.into()));
        };
        {
            let mut waiting = lock(&sent.shared.queries.waiting);
            let Some(waiting) = waiting.get_mut(&sent.number) else {
                return Poll::Ready(Err(io::ErrorKind::NotConnected.into()));
            };
            match waiting.packets.pop_front() {
                Some(Ok(packet)) => {
                    let len = packet.len().min(bytes.len());
                    bytes[..len].copy_from_slice(&packet[..len]);
                    return Poll::Ready(Ok((len, self.sockets.server)));
                }
                Some(Err(cause)) => return Poll::Ready(Err(cause)),
                None => waiting.waker = Some(context.waker().clone()),
            }
        }
        sent.poll_again(context);
        Poll::Pending
    }

    fn poll_send_to(
        &self,
        context: &mut Context<'_>,
        bytes: &[u8],
        _: SocketAddr,
    ) -> Poll<io::Result<usize>> {
        let mut sent = lock(&self.sent);
        if sent.is_none() {
            let Some(number) = number(bytes) else {
                return Poll::Ready(Err(io::ErrorKind::InvalidInput.into()));
            };
            let bytes = Arc::from(bytes);
            let shared = self.sockets.take(number, &bytes)?;
            let next = Box::pin(sleep(SENT_AGAIN[0]));
            *sent = Some(Sent { shared, number, bytes, sending: None, again: 0, next });
        }
        match &mut *sent {
            Some(sent) => {
                self.sockets.debt.asked();
                sent.poll_sending(context)
            }
            None => Poll::Ready(Err(io::ErrorKind::NotConnected.into())),
        }
    }
}

/// Makes the connections to one name server.
#[derive(Clone)]
pub(super) struct Connections(pub(super) Sockets);

/// A connection to a name server.
#[derive(Clone)]
pub(super) enum Connection {
    /// Each query is on its own: there is no queue that can be full.
    Udp {
        sockets: Sockets,
        timeout: Duration,
    },
    Tcp(DnsExchange<Sockets>),
}

impl DnsHandle for Connection {
    type Response = Pin<Box<dyn Stream<Item = Result<DnsResponse, NetError>> + Send>>;
    type Runtime = Sockets;

    fn send(&self, request: DnsRequest) -> Self::Response {
        match self {
            Connection::Udp { sockets, timeout } => {
                let mut stream = UdpClientStream::builder(sockets.server, sockets.clone())
                    .with_timeout(Some(*timeout))
                    // `Query` sends it again, which costs less than another query.
                    .with_max_retries(1)
                    .with_retry_interval_floor(
                        u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX),
                    )
                    .with_os_port_selection(true)
                    .build();
                Box::pin(stream.send_message(request))
            }
            Connection::Tcp(exchange) => Box::pin(exchange.send(request)),
        }
    }
}

impl ConnectionProvider for Connections {
    type Conn = Connection;
    type FutureConn = Pin<Box<dyn Future<Output = Result<Connection, NetError>> + Send>>;
    type RuntimeProvider = Sockets;

    fn new_connection(
        &self,
        _: std::net::IpAddr,
        config: &ConnectionConfig,
        context: &PoolContext,
    ) -> Result<Self::FutureConn, NetError> {
        let (sockets, options) = (self.0.clone(), &context.options);
        let timeout = options.timeout;
        Ok(match config.protocol {
            ProtocolConfig::Tcp => {
                let exchange = TcpClientStream::exchange(
                    sockets.server,
                    None,
                    timeout,
                    Some(options.max_active_requests),
                    sockets,
                );
                Box::pin(async move { Ok(Connection::Tcp(exchange.await?)) })
            }
            _ => Box::pin(std::future::ready(Ok(Connection::Udp { sockets, timeout }))),
        })
    }

    fn runtime_provider(&self) -> &Sockets {
        &self.0
    }
}
