//! Name servers on loopback.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::net::UdpSocket;
use tokio::task::JoinHandle;

/// What a name server says. Families that are not named have no address.
#[derive(Clone, Debug)]
pub enum Says {
    V4(Ipv4Addr),
    V6(Ipv6Addr),
    /// An address of IPv4, and nothing at all to a question for IPv6.
    OnlyV4(Ipv4Addr),
    NoAddress,
    NoSuchName,
    ServerFailure,
    Refused,
    Nothing,
}

pub struct NameServer {
    pub address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    answering: JoinHandle<()>,
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.answering.abort();
    }
}

const TYPE_A: u16 = 1;
const TYPE_AAAA: u16 = 28;

impl NameServer {
    /// Answers as a function of the name says, which has no final dot. `""` is the root, of which
    /// only whether it is answered matters.
    pub async fn start(says: impl Fn(&str) -> Says + Send + Sync + 'static) -> NameServer {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = socket.local_addr().unwrap();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let noted = Arc::clone(&asked);
        let answering = tokio::spawn(async move {
            let mut query = [0; 1024];
            while let Ok((len, peer)) = socket.recv_from(&mut query).await {
                let Some((name, kind, end)) = question(&query[..len]) else { continue };
                let said = says(&name);
                let family = if kind == TYPE_A { "A" } else { "AAAA" };
                noted.lock().unwrap().push(format!("{family} {name}"));
                if let Some(answer) = answer(&query[..end], kind, said) {
                    let _ = socket.send_to(&answer, peer).await;
                }
            }
        });
        NameServer { address, asked, answering }
    }

    /// All queries, in order: `A good.test`. Types other than A are called AAAA.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// Stops, so that the port is closed.
    pub async fn stop(mut self) -> SocketAddr {
        self.answering.abort();
        let _ = (&mut self.answering).await;
        self.address
    }
}

/// The name and the type that a query asks for, and where the question ends.
fn question(query: &[u8]) -> Option<(String, u16, usize)> {
    let mut labels = Vec::new();
    let mut at = 12;
    loop {
        let len = usize::from(*query.get(at)?);
        at += 1;
        if len == 0 {
            break;
        }
        labels.push(String::from_utf8_lossy(query.get(at..at + len)?).to_lowercase());
        at += len;
    }
    let kind = u16::from_be_bytes(query.get(at..at + 2)?.try_into().unwrap());
    Some((labels.join("."), kind, at + 4))
}

fn answer(query: &[u8], kind: u16, says: Says) -> Option<Vec<u8>> {
    let (code, address) = match says {
        Says::Nothing => return None,
        Says::OnlyV4(_) if kind == TYPE_AAAA => return None,
        Says::V4(address) | Says::OnlyV4(address) if kind == TYPE_A => {
            (0, address.octets().to_vec())
        }
        Says::V6(address) if kind == TYPE_AAAA => (0, address.octets().to_vec()),
        Says::V4(_) | Says::V6(_) | Says::OnlyV4(_) | Says::NoAddress => (0, Vec::new()),
        Says::ServerFailure => (2, Vec::new()),
        Says::NoSuchName => (3, Vec::new()),
        Says::Refused => (5, Vec::new()),
    };
    // RFC 1035, section 4.1: number, flags, counts, question, answer.
    let mut message = query.to_vec();
    message[2] = 0x81;
    message[3] = 0x80 | code;
    let count = u8::from(!address.is_empty());
    message[4..12].copy_from_slice(&[0, 1, 0, count, 0, 0, 0, 0]);
    if count > 0 {
        message.extend([0xc0, 12]);
        message.extend(kind.to_be_bytes());
        // The class, a TTL of a minute, and the length.
        message.extend([0, 1, 0, 0, 0, 60, 0, address.len() as u8]);
        message.extend(address);
    }
    Some(message)
}
