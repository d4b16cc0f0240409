//! What each request of a fetcher uses.

use std::time::Duration;

use super::body::Limits;
use super::health::Network;
use super::resolve::CheckedResolver;

/// The HTTP client, the resolver that checks its addresses, the settings, and what is known of
/// the network.
pub(super) struct Client {
    pub(super) http: reqwest::Client,
    pub(super) resolver: CheckedResolver,
    pub(super) settings: Settings,
    pub(super) network: Network,
}

/// The settings that apply to each attempt.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) max_redirects: usize,
    pub(super) limits: Limits,
    pub(super) connect_timeout: Duration,
    pub(super) read_timeout: Duration,
    pub(super) total_timeout: Duration,
}
