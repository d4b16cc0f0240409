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
    /// The number of the query, and then any bytes.
    Garbage,
    /// The first half of an answer.
    Half,
    /// An answer with another number.
    OtherNumber,
    /// An answer about another name.
    OtherName,
    /// That the answer has no room in a packet. Nothing listens for it over TCP.
    NoRoom,
    /// The query.
    Query,
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
const TYPE_NS: u16 = 2;
const TYPE_AAAA: u16 = 28;

impl NameServer {
    /// Answers as a function of the name says, which has no final dot. `""` is the root, which has a
    /// name server if it has an address.
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
    let good = || record(query, kind, 0, kind_data(kind, &Ipv4Addr::LOCALHOST.octets()));
    Some(match says {
        Says::Nothing => return None,
        Says::OnlyV4(_) if kind == TYPE_AAAA => return None,
        Says::V6(address) if kind == TYPE_AAAA => {
            record(query, kind, 0, Some(address.octets().to_vec()))
        }
        Says::V6(_) if kind == TYPE_A => record(query, kind, 0, None),
        Says::V4(address) | Says::OnlyV4(address) => {
            record(query, kind, 0, kind_data(kind, &address.octets()))
        }
        Says::V6(_) => good(),
        Says::NoAddress => record(query, kind, 0, None),
        Says::ServerFailure => record(query, kind, 2, None),
        Says::NoSuchName => record(query, kind, 3, None),
        Says::Refused => record(query, kind, 5, None),
        Says::Garbage => {
            let mut random = u32::from_be_bytes([query[0], query[1], 7, 9]);
            let mut garbage = query[..2].to_vec();
            garbage.extend((0..60).map(|_| {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (random >> 24) as u8
            }));
            // Of all garbage that which looks most like an answer.
            garbage[2] = 0x81;
            garbage[3] = 0x80;
            garbage
        }
        Says::Half => {
            let mut half = good();
            half.truncate(query.len() - 5);
            half
        }
        Says::OtherNumber => {
            let mut other = good();
            other[1] ^= 0x55;
            other
        }
        Says::OtherName => {
            let mut other = good();
            // The first letter of the name; the root becomes a name without an end.
            other[13] ^= 1;
            other
        }
        Says::NoRoom => {
            let mut none = record(query, kind, 0, None);
            none[2] |= 2;
            none
        }
        Says::Query => query.to_vec(),
    })
}

/// What a record of a name with this address says.
fn kind_data(kind: u16, address: &[u8]) -> Option<Vec<u8>> {
    match kind {
        TYPE_A => Some(address.to_vec()),
        TYPE_NS => Some(vec![1, b'a', 0]),
        _ => None,
    }
}

/// An answer with this code, and with one record if there are data for it.
fn record(query: &[u8], kind: u16, code: u8, data: Option<Vec<u8>>) -> Vec<u8> {
    // RFC 1035, section 4.1: number, flags, counts, question, answer.
    let mut message = query.to_vec();
    message[2] = 0x81;
    message[3] = 0x80 | code;
    message[4..12].copy_from_slice(&[0, 1, 0, u8::from(data.is_some()), 0, 0, 0, 0]);
    if let Some(data) = data {
        message.extend([0xc0, 12]);
        message.extend(kind.to_be_bytes());
        // The class, a TTL of a minute, and the length.
        message.extend([0, 1, 0, 0, 0, 60, 0, data.len() as u8]);
        message.extend(data);
    }
    message
}
