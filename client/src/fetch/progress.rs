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
    /// The addresses of the host that was requested last.
    tried: Mutex<Vec<IpAddr>>,
}

impl Progress {
    fn lock(&self) -> MutexGuard<'_, Vec<IpAddr>> {
        // No code panics while it holds the lock.
        self.tried.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a part of the attempt.
    pub(super) async fn scope<T>(self: &Arc<Progress>, part: impl Future<Output = T>) -> T {
        CURRENT.scope(Arc::clone(self), part).await
    }

    /// The addresses that are tried now, or were tried last. None if there never were any.
    pub(super) fn tried(&self) -> Vec<IpAddr> {
        self.lock().clone()
    }
}

/// Notes in the current attempt that a name is being looked up.
pub(super) fn looking_up() {
    let _ = CURRENT.try_with(|progress| progress.lock().clear());
}

/// Notes in the current attempt that these addresses are tried now.
pub(super) fn trying(addresses: &[IpAddr]) {
    // Outside an attempt nobody asks.
    let _ = CURRENT.try_with(|progress| {
        *progress.lock() = addresses.to_vec();
    });
}

/// The addresses that the current attempt tries.
pub(super) fn tried() -> Vec<IpAddr> {
    CURRENT.try_with(|progress| progress.tried()).unwrap_or_default()
}
