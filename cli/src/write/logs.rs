//! What the library does, as logs on standard error.

use std::env;
use std::fmt::{Debug, Result};
use std::io::{self, Write};

use robotsieve_client::Timestamp;
use robotsieve_client::report::rfc3339;
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing_subscriber::Layer as _;
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

use super::{screen, stderr};
use crate::error::Failure;

/// Logs to standard error what `-v`, given this many times, or else `RUST_LOG` asks for, as JSON if
/// messages are.
///
/// # Errors
/// Returns an error if `RUST_LOG` is not a list of levels and targets.
pub fn start(verbose: u8) -> std::result::Result<(), Failure> {
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
    let layer = fmt::layer().with_ansi(false).with_writer(|| Line(Vec::new()));
    let layer = match stderr::is_json() {
        true => layer.fmt_fields(Json).event_format(Json).with_filter(filter).boxed(),
        false => layer.with_filter(filter).boxed(),
    };
    // It fails if there is a subscriber already, which nobody else sets.
    let _ = tracing_subscriber::registry().with(layer).try_init();
    Ok(())
}

/// Writes an event as a JSON object: its fields, and those of the spans that it is in. With the feature
/// `json` of `tracing-subscriber` it would take a crate more, and have them in three places.
struct Json;

impl<'w> FormatFields<'w> for Json {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'w>, fields: R) -> Result {
        let mut found = Fields::default();
        fields.record(&mut found);
        write!(writer, "{}", Value::Object(found.0))
    }
}

impl<S, N> FormatEvent<S, N> for Json
where
    S: tracing::Subscriber + for<'l> LookupSpan<'l>,
    N: for<'w> FormatFields<'w> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &tracing::Event<'_>,
    ) -> Result {
        let mut all = Fields::default();
        all.0.insert("time".to_owned(), rfc3339(Timestamp::now()).into());
        let level = event.metadata().level().as_str().to_ascii_lowercase();
        all.0.insert("level".to_owned(), level.into());
        all.0.insert("target".to_owned(), event.metadata().target().into());
        for span in context.event_scope().into_iter().flatten() {
            let known = span.extensions();
            let fields = known.get::<FormattedFields<N>>().map(|fields| &fields.fields[..]);
            if let Some(Value::Object(fields)) = fields.and_then(|it| serde_json::from_str(it).ok())
            {
                all.0.extend(fields);
            }
        }
        event.record(&mut all);
        writeln!(writer, "{}", Value::Object(all.0))
    }
}

/// The fields of an event or a span.
#[derive(Default)]
struct Fields(Map<String, Value>);

impl Visit for Fields {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").into());
    }
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
        screen::without_bar(|| drop(stderr::lock().write_all(&self.0)));
    }
}
