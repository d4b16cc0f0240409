//! Tells a request when its connection stands, so that each deadline begins in its time.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::sync::Notify;
use tower::{Layer, Service};

tokio::task_local! {
    /// Notified once the request of the present scope has its connection, TLS included.
    static CONNECTED: Arc<Notify>;
}

/// Runs a request, which gives notice once it has its connection.
pub(super) async fn with_notice<T>(request: impl Future<Output = T>, connected: Arc<Notify>) -> T {
    CONNECTED.scope(connected, request).await
}

/// The layer around the connector that gives notice.
///
/// The connector runs within the task of the request, since nothing is pooled.
#[derive(Clone, Copy)]
pub(super) struct NoticeLayer;

/// A connector that gives notice.
#[derive(Clone)]
pub(super) struct Notice<S>(S);

impl<S> Layer<S> for NoticeLayer {
    type Service = Notice<S>;

    fn layer(&self, connector: S) -> Notice<S> {
        Notice(connector)
    }
}

impl<S: Service<R>, R> Service<R> for Notice<S>
where
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, destination: R) -> Self::Future {
        let connecting = self.0.call(destination);
        Box::pin(async move {
            let connection = connecting.await?;
            // Out of a scope nobody waits for it.
            let _ = CONNECTED.try_with(|connected| connected.notify_one());
            Ok(connection)
        })
    }
}
