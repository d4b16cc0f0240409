//! Anonymous FTP: RFC 959, and RFC 2428 for the data connection.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use suppaftp::tokio::AsyncFtpStream;
use suppaftp::types::FileType;
use suppaftp::{FtpError, FtpResult, Mode, Status};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::timeout;
use url::Url;

use super::canary::Canary;
use super::client::Client;
use super::clock::Clock;
use super::connect::{self, Target};
use super::failure::NoAddress;
use super::visit::Visit;
use crate::body::{Filled, Incoming};
use crate::cause::{ErrorChain, line};
use crate::outcome::{Failure, LocalFault, LocalKind, Response, Stage};

/// The bytes that are read at a time.
const READ_BYTES: usize = 16 * 1024;

/// Fetches the file of an ftp URL: 200 if it exists, 404 if it does not.
pub(super) async fn fetch(
    client: &Client,
    url: &Url,
    total: &mut Clock,
) -> Result<Response, Failure> {
    if client.connector.proxy.is_some() {
        let text = "FTP is not fetched through a proxy";
        return Err(Failure::Local(LocalFault::new(LocalKind::Proxy, text)));
    }
    let mut left = 0;
    loop {
        let before = total.clone();
        let visit = Visit::begin(client, url, total, left).await?;
        let leave = visit.asked_to_leave();
        tokio::select! {
            response = during(client, url, visit, total) => return response,
            () = leave => (left, *total) = (left + 1, before),
        }
    }
}

/// Fetches the file during a visit.
async fn during(
    client: &Client,
    url: &Url,
    mut visit: Visit<'_>,
    total: &mut Clock,
) -> Result<Response, Failure> {
    let mut connect = Clock::new(client.settings.connect_timeout, Stage::Connect);
    let port = url.port_or_known_default().unwrap_or(21);
    let control = |target| async move {
        match target {
            Target::Address(address) => client.connector.dialer.tcp((address, port).into()).await,
            Target::Name(_) => Err(NoAddress::None.failure()),
        }
    };
    let control = visit.connect(control, total, &mut connect).await?;
    // For the connection of the data. The semaphore is never closed.
    let _further = client.further.acquire().await;
    total.run(transfer(client, url, control)).await
}

/// Fetches the file over a control connection.
async fn transfer(client: &Client, url: &Url, control: TcpStream) -> Result<Response, Failure> {
    let settings = &client.settings;
    let peer = control.peer_addr().map_err(|cause| broken(&cause))?;
    let (connect_timeout, read_timeout) = (settings.connect_timeout, settings.read_timeout);

    let session = in_time(read_timeout, AsyncFtpStream::connect_with_stream(control)).await?;
    let session = session.map_err(ftp_failure)?;
    client.network.answered(Canary::at(peer), false);
    let local = client.connector.dialer.local.clone();
    let mut session = session.passive_stream_builder(move |told| {
        // Only the port comes from the server. The data connection goes to the address of the
        // control connection, or the server could send us anywhere.
        let data = SocketAddr::new(peer.ip(), told.port());
        Box::pin(connect_data(local.clone(), data, connect_timeout))
    });
    let login = session.login("anonymous", "anonymous@");
    in_time(read_timeout, login).await?.map_err(ftp_failure)?;
    let binary = session.transfer_type(FileType::Binary);
    in_time(read_timeout, binary).await?.map_err(ftp_failure)?;
    // RFC 3659, section 4. A server that does not know the command, or the file, says so.
    let size = match in_time(read_timeout, session.size(url.path())).await? {
        Ok(size) => Some(size),
        Err(FtpError::ConnectionError(cause)) => return Err(broken(&cause)),
        Err(_) => None,
    };
    session.set_mode(Mode::ExtendedPassive);
    // Opening the transfer includes a new connection and two replies.
    let open_timeout = connect_timeout + read_timeout;
    let mut opened = in_time(open_timeout, session.retr_as_stream(url.path())).await?;
    if is_unknown_command(&opened) && peer.is_ipv4() {
        session.set_mode(Mode::Passive);
        opened = in_time(open_timeout, session.retr_as_stream(url.path())).await?;
    }
    let mut data = match opened {
        Ok(data) => data,
        Err(cause) if is_absent(&cause) => return Ok(answer(404, Vec::new(), false)),
        Err(cause) => return Err(ftp_failure(cause)),
    };

    let mut incoming = Incoming::plain(settings.limits);
    let (mut bytes, mut arrived) = (vec![0; READ_BYTES], 0);
    loop {
        let read = in_time(read_timeout, data.read(&mut bytes)).await?;
        let len = read.map_err(|cause| broken(&cause))?;
        if len == 0 {
            // Without a size, only the server's reply says that the file is complete.
            match in_time(read_timeout, data.finish()).await? {
                Ok(()) => break complete(arrived, size)?,
                // Some servers open the data connection before they look for the file.
                Err(cause) if arrived == 0 && is_absent(&cause) => {
                    return Ok(answer(404, Vec::new(), false));
                }
                Err(cause) => return Err(ftp_failure(cause)),
            }
        }
        arrived += len;
        if incoming.push(&bytes[..len])? == Filled::Full {
            break;
        }
    }
    let (body, is_truncated) = incoming.end()?;
    Ok(answer(200, body, is_truncated))
}

/// An error if a file that has ended is shorter than the server said.
fn complete(arrived: usize, size: Option<usize>) -> Result<(), Failure> {
    match size {
        Some(size) if arrived < size => {
            Err(Failure::Broken(format!("the file ended after {arrived} of {size} bytes")))
        }
        _ => Ok(()),
    }
}

/// The data connection.
async fn connect_data(
    local: Vec<IpAddr>,
    address: SocketAddr,
    limit: Duration,
) -> FtpResult<TcpStream> {
    let connection = timeout(limit, connect::tcp(&local, address)).await;
    let connection = connection.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
    connection.map_err(FtpError::ConnectionError)
}

/// Runs a step of the session within its deadline.
async fn in_time<T>(limit: Duration, step: impl Future<Output = T>) -> Result<T, Failure> {
    timeout(limit, step).await.map_err(|_| Failure::TimedOut(Stage::Read))
}

/// True if a server says that there is no such file, or that it may not be read.
fn is_absent(cause: &FtpError) -> bool {
    matches!(cause, FtpError::UnexpectedResponse(reply) if reply.status == Status::FileUnavailable)
}

/// True if a server does not know `EPSV`.
fn is_unknown_command<T>(reply: &FtpResult<T>) -> bool {
    use Status::{BadArguments, BadCommand, NotImplemented, NotImplementedParameter};
    let Err(FtpError::UnexpectedResponse(reply)) = reply else { return false };
    matches!(reply.status, BadCommand | BadArguments | NotImplemented | NotImplementedParameter)
}

/// The meaning of an error of an established connection.
fn broken(cause: &io::Error) -> Failure {
    match LocalFault::from_io(cause) {
        Some(fault) => Failure::Local(fault),
        None => Failure::Broken(ErrorChain(cause).text()),
    }
}

fn ftp_failure(cause: FtpError) -> Failure {
    match cause {
        // From the data connection: every other step has its own deadline around it.
        FtpError::ConnectionError(cause) if cause.kind() == io::ErrorKind::TimedOut => {
            Failure::TimedOut(Stage::Connect)
        }
        FtpError::ConnectionError(cause) => broken(&cause),
        FtpError::UnexpectedResponse(reply) => {
            let text = String::from_utf8_lossy(&reply.body);
            Failure::Broken(line(&format!("the server said: {}", text.trim())))
        }
        other => Failure::Broken(ErrorChain(&other).text()),
    }
}

fn answer(status: u16, body: Vec<u8>, is_truncated: bool) -> Response {
    let mut response = Response::new(status, body);
    response.is_truncated = is_truncated;
    response
}
