//! The progress of an attempt, for those who judge its end.

use std::future::Future;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

tokio::task_local! {
    /// The attempt of this task. Connections are made in the task of their
    /// attempt.
    static CURRENT: Arc<Progress>;
}

/// The progress of an attempt.
#[derive(Default)]
pub(super) struct Progress {
    last: Mutex<Last>,
}

/// The host that was requested last.
#[derive(Default)]
struct Last {
    host: String,
    tried: Vec<IpAddr>,
    between: Option<Between>,
}

/// A sign that somebody between this fetcher and the site may have said what the site seems to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Between {
    /// A proxy that forwards answers 502, 503 or 504.
    Gateway,
    /// A certificate that is not valid.
    Certificate,
    /// Over http, one host leads to one that it has nothing to do with, and that not to a robots.txt.
    Away { from: String, to: String },
}

impl Progress {
    /// What is known of an attempt of which only the end was seen.
    pub(super) fn at(host: String, between: Option<Between>) -> Progress {
        Progress { last: Mutex::new(Last { host, tried: Vec::new(), between }) }
    }

    fn lock(&self) -> MutexGuard<'_, Last> {
        // No code panics while it holds the lock.
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a part of the attempt.
    pub(super) async fn scope<T>(self: &Arc<Progress>, part: impl Future<Output = T>) -> T {
        CURRENT.scope(Arc::clone(self), part).await
    }

    /// The addresses that are tried now, or were tried last. None if there never were any.
    pub(super) fn tried(&self) -> Vec<IpAddr> {
        self.lock().tried.clone()
    }

    /// Who may have said what the site seems to say, in the last try.
    pub(super) fn between(&self) -> Option<Between> {
        self.lock().between.clone()
    }

    /// Forgets who may have, as a further try begins.
    pub(super) fn begin(&self) {
        self.lock().between = None;
    }

    /// The host that is requested now, or was last.
    pub(super) fn host(&self) -> String {
        self.lock().host.clone()
    }
}

/// Notes in the current attempt that somebody in between may have spoken.
pub(super) fn between(who: Between) {
    let _ = CURRENT.try_with(|progress| progress.lock().between = Some(who));
}

/// Notes in the current attempt that a host is requested now.
pub(super) fn requesting(host: &str) {
    let _ = CURRENT.try_with(|progress| host.clone_into(&mut progress.lock().host));
}

/// Notes in the current attempt that a name is being looked up.
pub(super) fn looking_up() {
    let _ = CURRENT.try_with(|progress| progress.lock().tried.clear());
}

/// Notes in the current attempt that these addresses are tried now.
pub(super) fn trying(addresses: &[IpAddr]) {
    // Outside an attempt nobody asks.
    let _ = CURRENT.try_with(|progress| {
        progress.lock().tried = addresses.to_vec();
    });
}

/// The addresses that the current attempt tries.
pub(super) fn tried() -> Vec<IpAddr> {
    CURRENT.try_with(|progress| progress.tried()).unwrap_or_default()
}
