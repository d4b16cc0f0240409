//! A visit to a host: its turn, its addresses, and the connections to them.

use std::collections::VecDeque;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::sync::SemaphorePermit;
use tokio::time::{Instant, sleep, timeout};
use url::Url;

use super::canary::Canary;
use super::client::Client;
use super::clock::Clock;
use super::connect::Target;
use super::failure::NoAddress;
use super::resolve::literal;
use super::turns::{Leave, Turn};
use super::{failure, progress};
use crate::outcome::{Failure, Stage};

/// The time for which an address is tried before the next one is tried beside it: RFC 8305, section
/// 5.
const HEAD_START: Duration = Duration::from_millis(250);

/// The most addresses of a name that are tried.
const MAX_ADDRESSES: usize = 8;

/// The most look-ups that may be young at a time: begun less than [`YOUNG`] ago, and not answered.
/// So a burst of names does not overflow the buffers of a name server, which would lose queries
/// unseen, while names that stay silent soon make room for others: 3200 a second.
pub(super) const MAX_YOUNG: usize = 64;
const YOUNG: Duration = Duration::from_millis(20);

/// A host that is being asked. While it exists, it takes one of the places of its host, of the
/// address it is connected to, and of all attempts.
pub(super) struct Visit<'c> {
    client: &'c Client,
    host: String,
    host_turn: Turn,
    /// The address that answered last comes first.
    targets: VecDeque<Target>,
    /// The address it is connected to.
    at: Option<(Target, Option<Turn>)>,
    place: Option<SemaphorePermit<'c>>,
    /// Tells that others need the place at the address more, unless it was left often already.
    leave: Option<Leave>,
}

/// The number of times that an attempt leaves its place at an address to others who wait, and begins
/// again when it is its turn.
const MAX_LEFT: u32 = 3;

impl<'c> Visit<'c> {
    /// Waits for the host's turn, and looks up its addresses. `left` is how often the attempt left
    /// its place.
    pub(super) async fn begin(
        client: &'c Client,
        url: &Url,
        total: &mut Clock,
        left: u32,
    ) -> Result<Visit<'c>, Failure> {
        let Some(host) = url.host() else { return Err(Failure::BadRedirect("no host".to_owned())) };
        // Nothing waits for an address that is never asked.
        if let Some(address) = literal(&host)
            && !client.resolver.permitted.contains(address)
        {
            return Err(Failure::Refused(address));
        }
        progress::requesting(&host.to_string());
        let host_turn = client.turns.hosts.turn(host.to_string(), None).await;
        let is_resolved_there = client.connector.proxy.as_ref().is_some_and(|proxy| proxy.resolves);
        let targets = match is_resolved_there && literal(&host).is_none() {
            true => VecDeque::from([Target::Name(host.to_string())]),
            false => {
                // Look-ups have places of their own, so silent names hold up nobody else.
                let _place = client.lookups.acquire().await;
                let young = client.young.acquire().await;
                let began = Instant::now();
                let mut lookup = Clock::new(client.settings.connect_timeout, Stage::Connect);
                let found = async {
                    let mut found = pin!(client.resolver.of_host(host.clone()));
                    let early = timeout(YOUNG, &mut found).await;
                    drop(young);
                    let found = match early {
                        Ok(found) => found,
                        Err(_) => found.await,
                    };
                    found.map_err(|none| none.failure())
                };
                let found = total.run(lookup.run(found)).await.map_err(|cause| {
                    let cause = match cause {
                        Failure::TimedOut(_) => failure::silence(),
                        other => other,
                    };
                    client.resolver.blame(cause, began)
                })?;
                alternating(found).into_iter().map(Target::Address).collect()
            }
        };
        if client.connector.proxy.is_some() {
            // The network that matters is the proxy's.
            progress::trying(&[]);
        }
        let host = host.to_string();
        let leave = (left < MAX_LEFT).then(Leave::default);
        Ok(Visit { client, host, host_turn, targets, at: None, place: None, leave })
    }

    /// Who is connected to, as one to ask again whether the network works.
    pub(super) fn canary(&self, url: &Url) -> Option<Canary> {
        let (target, _) = self.at.as_ref()?;
        match (&self.client.connector.proxy, target) {
            (Some(_), target) => Canary::behind_proxy(target.clone(), url),
            (None, Target::Address(address)) => {
                Some(Canary::at(SocketAddr::new(*address, url.port_or_known_default()?)))
            }
            (None, Target::Name(_)) => None,
        }
    }

    /// True if a URL has the same host.
    pub(super) fn is_of(&self, url: &Url) -> bool {
        url.host_str() == Some(&self.host)
    }

    /// Waits until others need the place at the address more: see [`Gates::turn`].
    ///
    /// [`Gates::turn`]: super::turns::Gates::turn
    pub(super) fn asked_to_leave(&self) -> impl Future<Output = ()> + use<> {
        let leave = self.leave.clone();
        async move {
            match leave {
                Some(leave) => leave.asked().await,
                None => std::future::pending().await,
            }
        }
    }

    /// Waits until a further request may begin, without a place.
    pub(super) async fn again(&mut self) {
        self.place = None;
        self.client.turns.hosts.again(&self.host_turn).await;
    }

    /// The host asks for no further requests for some time, and perhaps its address does too.
    pub(super) fn back_off(&self, time: Duration, address: Duration) {
        self.host_turn.back_off(time);
        if let Some((_, Some(turn))) = &self.at {
            turn.back_off_for_neighbours(address);
        }
    }

    /// Waits for an address' turn and for a place, and connects. Tries the addresses as RFC 8305
    /// says: each gets a head start before the next is tried beside it.
    pub(super) async fn connect<T, F>(
        &mut self,
        open: impl Fn(Target) -> F,
        total: &mut Clock,
        connect: &mut Clock,
    ) -> Result<T, Failure>
    where
        F: Future<Output = Result<T, Failure>>,
    {
        let mut left = self.targets.clone();
        let mut failure = NoAddress::None.failure();
        while let Some(target) = left.pop_front() {
            let turn = match self.at.take() {
                Some((at, turn)) if at == target => turn,
                other => {
                    drop(other);
                    self.turn(&target).await
                }
            };
            if self.place.is_none() {
                // The semaphore is never closed.
                self.place = self.client.places.acquire().await.ok();
            }
            let race = self.race(&open, (target, turn), &mut left);
            match total.run(connect.run(race)).await {
                Ok((connection, target, turn)) => {
                    self.targets.retain(|other| *other != target);
                    self.targets.push_front(target.clone());
                    self.at = Some((target, turn));
                    return Ok(connection);
                }
                Err(late @ Failure::TimedOut(Stage::Connect | Stage::Total)) => return Err(late),
                Err(cause) => failure = graver(failure, cause),
            }
        }
        Err(failure)
    }

    /// The turn of an address. Whoever has to wait for it gives up the place.
    async fn turn(&mut self, target: &Target) -> Option<Turn> {
        let Target::Address(address) = target else { return None };
        let addresses = &self.client.turns.addresses;
        if let Some(turn) = addresses.try_turn(*address, self.leave.as_ref()) {
            return Some(turn);
        }
        self.place = None;
        Some(addresses.turn(*address, self.leave.as_ref()).await)
    }

    /// Connects to the first, and to those of the others that nobody has to wait for. All but one
    /// connection take one of the further places, which all attempts share.
    async fn race<T, F>(
        &self,
        open: &impl Fn(Target) -> F,
        first: (Target, Option<Turn>),
        left: &mut VecDeque<Target>,
    ) -> Result<(T, Target, Option<Turn>), Failure>
    where
        F: Future<Output = Result<T, Failure>>,
    {
        let run = |(target, turn): (Target, Option<Turn>), further| async move {
            let opened = open(target.clone()).await;
            (opened.map(|connection| (connection, target, turn)), further)
        };
        let further = async || {
            sleep(HEAD_START).await;
            // The semaphore is never closed.
            self.client.further.acquire().await.ok()
        };
        let mut running = FuturesUnordered::from_iter([run(first, None)]);
        let mut failure = None;
        loop {
            tokio::select! {
                Some((done, place)) = running.next() => match done {
                    Ok(connected) => return Ok(connected),
                    Err(cause) => {
                        failure = Some(match failure.take() {
                            Some(before) => graver(before, cause),
                            None => cause,
                        });
                        if let Some(next) = self.next(left) {
                            running.push(run(next, place));
                        }
                    }
                },
                place = further(), if !left.is_empty() && !running.is_empty() => {
                    if let Some(next) = self.next(left) {
                        running.push(run(next, place));
                    }
                }
                else => return Err(failure.unwrap_or_else(|| NoAddress::None.failure())),
            }
        }
    }

    /// The next address that has a turn now.
    fn next(&self, left: &mut VecDeque<Target>) -> Option<(Target, Option<Turn>)> {
        let (at, turn) = left.iter().enumerate().find_map(|(at, target)| match target {
            Target::Address(address) => {
                let leave = self.leave.as_ref();
                Some((at, Some(self.client.turns.addresses.try_turn(*address, leave)?)))
            }
            Target::Name(_) => Some((at, None)),
        })?;
        Some((left.remove(at)?, turn))
    }
}

/// Of two addresses' failures, the one that says more of the site: this machine may have no route
/// to the addresses of one family, and that says nothing.
fn graver(before: Failure, now: Failure) -> Failure {
    match (&before, &now) {
        (Failure::Dns(_), _) => now,
        (Failure::Local(_), _) => now,
        (_, Failure::Local(_)) => before,
        _ => now,
    }
}

/// The addresses with families in turn, beginning with the first one's: RFC 8305, section 4.
fn alternating(addresses: Vec<IpAddr>) -> Vec<IpAddr> {
    let is_v4_first = addresses.first().is_some_and(IpAddr::is_ipv4);
    let (mut these, mut others): (VecDeque<_>, VecDeque<_>) =
        addresses.into_iter().partition(|address| address.is_ipv4() == is_v4_first);
    let mut all = Vec::new();
    while let Some(address) = these.pop_front() {
        all.push(address);
        std::mem::swap(&mut these, &mut others);
        if these.is_empty() {
            std::mem::swap(&mut these, &mut others);
        }
    }
    all.truncate(MAX_ADDRESSES);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_take_turns() {
        let of = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        for (found, order) in [
            (&["::1", "::2", "::3", "1.1.1.1"][..], &["::1", "1.1.1.1", "::2", "::3"][..]),
            (&["1.1.1.1", "::1", "1.1.1.2"], &["1.1.1.1", "::1", "1.1.1.2"]),
            (&["1.1.1.1", "1.1.1.2"], &["1.1.1.1", "1.1.1.2"]),
            (&[], &[]),
        ] {
            assert_eq!(alternating(of(found)), of(order) as Vec<IpAddr>);
        }
    }
}
