//! What the library does, as logs on standard error.

use std::env;
use std::io::{self, Write};

use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use super::screen;
use crate::error::Failure;

/// Logs to standard error what `-v`, given this many times, or else `RUST_LOG` asks for.
///
/// # Errors
/// Returns an error if `RUST_LOG` is not a list of levels and targets.
pub fn start(verbose: u8) -> Result<(), Failure> {
    let wanted = env::var("RUST_LOG").unwrap_or_default();
    let filter = match verbose {
        0 if wanted.is_empty() => return Ok(()),
        0 => wanted.parse::<Targets>().map_err(|cause| {
            Failure::Usage(format!(
                "RUST_LOG='{wanted}': {cause}; it is a level, or a list like \
                 robotsieve=debug,hyper=info"
            ))
        })?,
        1 => Targets::new().with_target("robotsieve", LevelFilter::DEBUG),
        _ => Targets::new()
            .with_target("robotsieve", LevelFilter::TRACE)
            .with_default(LevelFilter::DEBUG),
    };
    let layer = fmt::layer().with_ansi(false).with_writer(|| Line(Vec::new())).with_filter(filter);
    // It fails if there is a subscriber already, which nobody else sets.
    let _ = tracing_subscriber::registry().with(layer).try_init();
    Ok(())
}

/// One event. It is printed when it is complete, while the progress bar is hidden.
struct Line(Vec<u8>);

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        // A closed standard error loses logs.
        screen::without_bar(|| drop(io::stderr().lock().write_all(&self.0)));
    }
}
