//! How far an attempt is, for those who judge its end.

use std::future::Future;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

tokio::task_local! {
    /// The attempt of this task. Connectors run in the task of their attempt, because
    /// connections are not pooled.
    static CURRENT: Arc<Progress>;
}

/// How far an attempt is.
#[derive(Default)]
pub(super) struct Progress(Mutex<State>);

#[derive(Default)]
struct State {
    is_looking_up: bool,
    /// The addresses of the host that was requested last.
    tried: Vec<IpAddr>,
    /// What the look-up before the attempt's turn found, until it is used.
    found: Option<(String, Vec<IpAddr>)>,
}

impl Progress {
    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a part of the attempt.
    pub(super) async fn scope<T>(self: &Arc<Progress>, part: impl Future<Output = T>) -> T {
        CURRENT.scope(Arc::clone(self), part).await
    }

    /// Whether the attempt waits for the addresses of a name.
    pub(super) fn is_looking_up(&self) -> bool {
        self.state().is_looking_up
    }

    /// The addresses that are tried now, or were tried last. None if there never were any.
    pub(super) fn tried(&self) -> Vec<IpAddr> {
        self.state().tried.clone()
    }

    /// Keeps the addresses of a name for the request that follows.
    pub(super) fn keep(&self, name: String, found: Vec<IpAddr>) {
        self.state().found = Some((name, found));
    }
}

/// Notes in the current attempt that a name is being looked up. Returns its addresses if they
/// were looked up before, which counts once.
pub(super) fn looking_up(name: &str) -> Option<Vec<IpAddr>> {
    let found = CURRENT.try_with(|progress| {
        let mut state = progress.state();
        state.is_looking_up = true;
        state.tried.clear();
        state.found.take_if(|(kept, _)| kept == name).map(|(_, found)| found)
    });
    found.ok().flatten()
}

/// Notes in the current attempt that these addresses are tried now.
pub(super) fn trying(addresses: &[IpAddr]) {
    // Outside an attempt nobody asks.
    let _ = CURRENT.try_with(|progress| {
        let mut state = progress.state();
        state.is_looking_up = false;
        state.tried = addresses.to_vec();
    });
}

/// The addresses that the current attempt tries.
pub(super) fn tried() -> Vec<IpAddr> {
    CURRENT.try_with(|progress| progress.tried()).unwrap_or_default()
}
