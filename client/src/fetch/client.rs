//! The parts of a fetcher that its requests share.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use super::canary::Asker;
use super::connector::Connector;
use super::headers::Headers;
use super::health::Network;
use super::pulse::Pulse;
use super::resolve::CheckedResolver;
use super::turns::Turns;
use crate::body::BodyLimits;
use crate::network::RedirectRules;

/// The connector, the resolver that checks its addresses, the turns, the settings, and what is
/// known of the network and of this program.
pub(super) struct Client {
    pub(super) connector: Connector,
    pub(super) resolver: CheckedResolver,
    /// The headers of each request.
    pub(super) headers: Headers,
    pub(super) turns: Turns,
    /// As many as attempts may run at a time.
    pub(super) places: Semaphore,
    /// As many as connections may be open at a time beside the first one of each attempt.
    pub(super) further: Semaphore,
    /// As many as look-ups may run at a time.
    pub(super) lookups: Semaphore,
    /// As many as of these may have begun a moment ago.
    pub(super) young: Semaphore,
    pub(super) settings: Settings,
    pub(super) network: Network,
    pub(super) pulse: Pulse,
}

impl Client {
    /// What canaries are asked with.
    pub(super) fn asker(&self) -> Asker<'_> {
        Asker { connector: &self.connector, headers: &self.headers }
    }
}

/// The settings that apply to each attempt.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) redirects: Arc<RedirectRules>,
    pub(super) limits: BodyLimits,
    pub(super) connect_timeout: Duration,
    pub(super) read_timeout: Duration,
    pub(super) total_timeout: Duration,
    pub(super) max_retry_after: Duration,
    pub(super) retries: u32,
    pub(super) retry_wait: Duration,
}
