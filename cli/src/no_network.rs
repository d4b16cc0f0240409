//! A build without the feature `network`: what it answers where it would fetch or serve.

use std::ffi::OsString;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use clap::Args;
use robotsieve::Origin;
use robotsieve_client::ask::LEFT_OUT;
use robotsieve_client::outcome::{Attempt, CachedCopy};
use robotsieve_client::sieve::Fetch;
use robotsieve_client::sieve::watch::{Guard, Watch};

use crate::error::{Failure, Status};

/// Open a page in the browser: left out of this build
#[derive(Args, Debug)]
pub struct PageArgs {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

/// In the place of serving the page.
pub fn run(_: &PageArgs) -> Result<Status, Failure> {
    Err(left_out("serve the page"))
}

/// In the place of making a fetcher.
pub fn fetcher<O>(_: &str, _: &O, _: &Arc<Watch>) -> Result<(Guard<Nothing>, usize), Failure> {
    Err(left_out("fetch"))
}

fn left_out(what: &str) -> Failure {
    Failure::Usage(format!("cannot {what}: {LEFT_OUT}"))
}

/// A fetcher that cannot be had.
pub enum Nothing {}

impl Fetch for Nothing {
    fn fetch<'f>(
        &'f self,
        _: &'f Origin<'static>,
        _: Option<&'f CachedCopy>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'f>> {
        match *self {}
    }
}
