//! The metrics in the text format of Prometheus.
//!
//! A function over the snapshot, and no crate: the facade `metrics` would need a recorder in each
//! program and look every counter up by name, `prometheus-client` counters of its own beside
//! ours, with a registry. The format is a few lines.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

use super::metrics::{Metrics, Times};

impl Metrics {
    /// The metrics in the [text format] of Prometheus, version 0.0.4, for an endpoint or for a file
    /// that the node exporter reads. All times are in seconds.
    ///
    /// ```
    /// let text = robotsieve_client::sieve::Metrics::default().to_prometheus();
    /// assert!(text.contains("\nrobotsieve_attempts_total{outcome=\"present\"} 0\n"));
    /// ```
    ///
    /// [text format]: https://prometheus.io/docs/instrumenting/exposition_formats/
    #[must_use]
    pub fn to_prometheus(&self) -> String {
        let mut text = Text(String::with_capacity(8 << 10));
        text.head("build_info", "The version of robotsieve.", "gauge");
        let version = env!("CARGO_PKG_VERSION");
        let _ = writeln!(text.0, "robotsieve_build_info{{version=\"{version}\"}} 1");
        text.counter(
            "lookups",
            "Sites looked up, by where they were found: \
             the table, other memory, the store, or an attempt that was waited for.",
            &[
                ("{site=\"table\"}", self.from_table),
                ("{site=\"memory\"}", self.from_memory),
                ("{site=\"store\"}", self.from_store),
                ("{site=\"attempt\"}", self.waited),
            ],
        );
        text.counter(
            "attempts",
            "Attempts to fetch a robots.txt that ended, by outcome. \
             A local fault is no outcome: the fault is on this side.",
            &[
                ("{outcome=\"present\"}", self.present),
                ("{outcome=\"absent\"}", self.absent),
                ("{outcome=\"unreachable\"}", self.unreachable),
                ("{outcome=\"local_fault\"}", self.local_faults),
            ],
        );
        for (name, label, help, counts) in [
            (
                "answers",
                "status",
                "Attempts with a final answer, by its status. \
                 A status without a counter of its own is in other_4xx and so on.",
                &self.statuses,
            ),
            ("failures", "failure", "Attempts without an answer, by failure.", &self.failures),
            ("local_faults", "fault", "Faults on this side, by kind.", &self.faults),
        ] {
            text.by_name(name, label, help, counts);
        }
        for (name, help, value) in [
            ("refreshes", "Attempts made in the background, for answers in use.", self.refreshes),
            ("fetcher_panics", "Attempts in which the fetcher panicked.", self.panics),
            ("pauses", "Pauses after local faults in a row.", self.pauses),
            ("held_back", "Attempts not made because of a pause.", self.held_back),
            ("store_errors", "Reads and writes of the store that failed.", self.store_errors),
        ] {
            text.counter(name, help, &[("", value)]);
        }
        text.gauge("paused", "Whether attempts are paused.", self.is_paused.into());
        text.gauge("sites", "Sites in memory.", self.sites);
        text.gauge("sites_bytes", "Memory of those sites and their policies.", self.bytes);
        let help = "How long attempts took.";
        text.histogram("attempt_duration_seconds", help, &self.attempt_times);
        let help = "How long it took to load sites from the store.";
        text.histogram("store_read_duration_seconds", help, &self.store_times);
        text.0
    }
}

/// Writing to a `String` cannot fail, so results are dropped.
struct Text(String);

impl Text {
    fn head(&mut self, name: &str, help: &str, kind: &str) {
        let _ = writeln!(self.0, "# HELP robotsieve_{name} {help}");
        let _ = writeln!(self.0, "# TYPE robotsieve_{name} {kind}");
    }

    fn counter(&mut self, name: &str, help: &str, samples: &[(&str, u64)]) {
        let name = format!("{name}_total");
        self.head(&name, help, "counter");
        for (labels, value) in samples {
            let _ = writeln!(self.0, "robotsieve_{name}{labels} {value}");
        }
    }

    fn by_name(
        &mut self,
        name: &str,
        label: &str,
        help: &str,
        counts: &BTreeMap<Cow<'static, str>, u64>,
    ) {
        let samples: Vec<_> = counts
            .iter()
            .map(|(value, count)| (format!("{{{label}=\"{value}\"}}"), *count))
            .collect();
        let samples: Vec<_> = samples.iter().map(|(label, count)| (&label[..], *count)).collect();
        self.counter(name, help, &samples);
    }

    fn gauge(&mut self, name: &str, help: &str, value: u64) {
        self.head(name, help, "gauge");
        let _ = writeln!(self.0, "robotsieve_{name} {value}");
    }

    fn histogram(&mut self, name: &str, help: &str, times: &Times) {
        self.head(name, help, "histogram");
        let mut count = 0;
        // The last bucket has no upper bound.
        for (bucket, in_it) in times.buckets[..times.buckets.len() - 1].iter().enumerate() {
            count += in_it;
            let bound = (1_u64 << bucket) as f64 / 1e6;
            let _ = writeln!(self.0, "robotsieve_{name}_bucket{{le=\"{bound}\"}} {count}");
        }
        let (count, sum) = (times.count(), times.total.as_secs_f64());
        let _ = writeln!(self.0, "robotsieve_{name}_bucket{{le=\"+Inf\"}} {count}");
        let _ = writeln!(self.0, "robotsieve_{name}_sum {sum}");
        let _ = writeln!(self.0, "robotsieve_{name}_count {count}");
    }
}
