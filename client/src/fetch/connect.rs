//! Tells a request when its connection is established, so that the read deadline starts then.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::sync::Notify;
use tower::{Layer, Service};

tokio::task_local! {
    /// Notified once the request in this scope has its connection, TLS included.
    static CONNECTED: Arc<Notify>;
}

/// Runs a request, and notifies `connected` once it has its connection.
pub(super) async fn with_notice<T>(request: impl Future<Output = T>, connected: Arc<Notify>) -> T {
    CONNECTED.scope(connected, request).await
}

/// Wraps the connector in [`Notice`].
///
/// The connector runs in the task of the request, because connections are not pooled.
#[derive(Clone, Copy)]
pub(super) struct NoticeLayer;

/// A connector that notifies the request when the connection is established.
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
            // Outside a scope nobody is waiting.
            let _ = CONNECTED.try_with(|connected| connected.notify_one());
            Ok(connection)
        })
    }
}
