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
    /// True if a site's certificate need not be valid.
    accepts: bool,
}

/// The host that was requested last.
#[derive(Default)]
struct Last {
    host: String,
    tried: Vec<IpAddr>,
    between: Option<Between>,
    /// What is wrong with a certificate that was accepted all the same.
    certificate: Option<String>,
    /// True if anybody answered, in any try: the network here works.
    has_answered: bool,
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
    /// Over http, a page came in the place of a robots.txt: [`page`](super::login::page).
    Page { from: String, page: u64 },
}

impl Progress {
    /// What is known of an attempt of which only the end was seen.
    pub(super) fn at(host: String, between: Option<Between>) -> Progress {
        Progress { last: Mutex::new(Last { host, between, ..Last::default() }), accepts: false }
    }

    /// That of an attempt for which a site's certificate need not be valid, or must be.
    pub(super) fn accepting(accepts: bool) -> Progress {
        Progress { accepts, ..Progress::default() }
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

    /// What is wrong with a certificate that was accepted in the last try.
    pub(super) fn certificate(&self) -> Option<String> {
        self.lock().certificate.clone()
    }

    /// True if anybody answered, at any hop.
    pub(super) fn has_answered(&self) -> bool {
        self.lock().has_answered
    }

    /// Forgets who may have spoken and the certificate, as a further try begins.
    pub(super) fn begin(&self) {
        let mut last = self.lock();
        (last.between, last.certificate) = (None, None);
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

/// True if the certificate of a site need not be valid in the current attempt.
pub(super) fn accepts() -> bool {
    CURRENT.try_with(|progress| progress.accepts).unwrap_or(false)
}

/// Notes in the current attempt what is wrong with a certificate that is accepted all the same.
pub(super) fn accepted(certificate: String) {
    let _ = CURRENT.try_with(|progress| progress.lock().certificate = Some(certificate));
}

/// What is wrong with a certificate that the current attempt has accepted.
pub(super) fn certificate() -> Option<String> {
    CURRENT.try_with(|progress| progress.certificate()).ok().flatten()
}

/// Notes in the current attempt that somebody answered.
pub(super) fn answered() {
    let _ = CURRENT.try_with(|progress| progress.lock().has_answered = true);
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
