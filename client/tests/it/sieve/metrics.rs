//! The metrics in the text format of Prometheus.

use std::collections::BTreeMap;

use robotsieve_client::outcome::Stage;

use super::*;

/// The samples of a text, by name and labels. Checks the format strictly, as `promtool check
/// metrics` does: each family has its help, its type and its samples together, in this order and
/// once; names follow the conventions; histograms are cumulative and complete.
fn samples(text: &str) -> BTreeMap<String, f64> {
    assert!(text.ends_with('\n'));
    let mut samples = BTreeMap::new();
    let mut families = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let (family, help) = line.strip_prefix("# HELP ").unwrap().split_once(' ').unwrap();
        assert!(help.ends_with('.') && !help.contains('\\'), "{line}");
        assert!(!families.contains(&family.to_owned()), "{family} twice");
        families.push(family.to_owned());
        let kind = lines.next().unwrap().strip_prefix(&format!("# TYPE {family} ")).unwrap();
        let is_name = |text: &str| {
            !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        };
        assert!(is_name(family) && family.starts_with("robotsieve_"), "{family}");
        assert_eq!(kind == "counter", family.ends_with("_total"), "{family}");
        let (mut last, mut bound) = (0.0, f64::NEG_INFINITY);
        while let Some(line) = lines.next_if(|line| !line.starts_with('#')) {
            let (sample, value) = line.rsplit_once(' ').unwrap();
            let value: f64 = value.parse().unwrap();
            assert!(value >= 0.0, "{line}");
            let (name, labels) = match sample.split_once('{') {
                Some((name, labels)) => (name, Some(labels.strip_suffix('}').unwrap())),
                None => (sample, None),
            };
            let label = labels.map(|labels| {
                let (label, value) = labels.split_once('=').unwrap();
                assert!(is_name(label), "{line}");
                (label, value.strip_prefix('"').unwrap().strip_suffix('"').unwrap())
            });
            match kind {
                "counter" | "gauge" => assert_eq!(name, family),
                "histogram" => match (name.strip_prefix(family).unwrap(), label) {
                    ("_bucket", Some(("le", text))) => {
                        let next: f64 = text.parse().unwrap();
                        assert!(next > bound && value >= last, "{line}");
                        (bound, last) = (next, value);
                    }
                    ("_sum", None) => assert_eq!(bound, f64::INFINITY),
                    ("_count", None) => assert_eq!(value, last),
                    other => panic!("{line}: {other:?}"),
                },
                other => panic!("{other}"),
            }
            assert!(samples.insert(sample.to_owned(), value).is_none(), "{sample} twice");
        }
    }
    samples
}

#[tokio::test]
async fn prometheus() {
    let web = Web::of([
        ("https://e.com", Site::Answers(200, RULES)),
        ("https://down.com", Site::Fails),
        ("https://odd.com", Site::Panics),
        ("https://full.com", Site::Unasked),
    ]);
    let sieve = web.builder().pause_after(2).build();
    for url in ["https://e.com/x", "https://e.com/y", "https://none.com/", "https://down.com/"] {
        sieve.decide(url).await.unwrap();
    }
    for url in ["https://odd.com", "https://full.com", "https://other.com"] {
        sieve.decide(url).await.unwrap_err();
    }
    let metrics = sieve.metrics();
    let samples = samples(&metrics.to_prometheus());
    for (name, wanted) in [
        ("lookups_total{site=\"table\"}", 1.0),
        ("lookups_total{site=\"memory\"}", 0.0),
        ("lookups_total{site=\"store\"}", 0.0),
        ("lookups_total{site=\"attempt\"}", 5.0),
        ("attempts_total{outcome=\"present\"}", 1.0),
        ("attempts_total{outcome=\"absent\"}", 1.0),
        ("attempts_total{outcome=\"unreachable\"}", 1.0),
        ("attempts_total{outcome=\"local_fault\"}", 2.0),
        ("answers_total{status=\"200\"}", 1.0),
        ("answers_total{status=\"404\"}", 1.0),
        ("answers_total{status=\"other_4xx\"}", 0.0),
        ("failures_total{failure=\"connect\"}", 1.0),
        ("failures_total{failure=\"dns\"}", 0.0),
        ("local_faults_total{fault=\"other\"}", 1.0),
        ("local_faults_total{fault=\"descriptors\"}", 1.0),
        ("refreshes_total", 0.0),
        ("fetcher_panics_total", 1.0),
        ("pauses_total", 1.0),
        ("held_back_total", 1.0),
        ("paused", 1.0),
        ("store_errors_total", 0.0),
        ("sites", 3.0),
        ("sites_bytes", metrics.bytes as f64),
        ("attempt_duration_seconds_count", 5.0),
        ("attempt_duration_seconds_sum", metrics.attempt_times.total.as_secs_f64()),
        ("attempt_duration_seconds_bucket{le=\"+Inf\"}", 5.0),
        ("attempt_duration_seconds_bucket{le=\"1073.741824\"}", 5.0),
        ("store_read_duration_seconds_bucket{le=\"0.000001\"}", 0.0),
    ] {
        assert_eq!(samples.get(&format!("robotsieve_{name}")), Some(&wanted), "{name}");
    }
    let version = concat!("robotsieve_build_info{version=\"", env!("CARGO_PKG_VERSION"), "\"}");
    assert_eq!(samples.get(version), Some(&1.0));
    assert_eq!(samples.len(), 1 + 4 + 4 + 18 + 13 + 12 + 5 + 3 + 2 * (32 + 2));
    // Each attempt is in one of three families.
    let sum = |family: &str| {
        let prefix = format!("robotsieve_{family}_total{{");
        samples.iter().filter(|(name, _)| name.starts_with(&prefix)).map(|(_, n)| n).sum::<f64>()
    };
    assert_eq!(sum("answers") + sum("failures") + sum("local_faults"), sum("attempts"));
    assert_eq!(sum("local_faults"), 2.0);
}

/// Any status has a counter, and no server can make new ones.
#[tokio::test]
async fn statuses_and_failures() {
    let statuses = [200, 204, 304, 403, 418, 429, 500, 520, 599];
    let names = statuses.map(|status| format!("https://s{status}.com"));
    let web = Web::default();
    for (name, status) in names.iter().zip(statuses) {
        web.set(name, Site::Answers(status, RULES));
    }
    let sieve = web.builder().build();
    let before = samples(&sieve.metrics().to_prometheus()).len();
    for name in &names {
        let _ = sieve.decide(name).await;
    }
    let metrics = sieve.metrics();
    assert_eq!(samples(&metrics.to_prometheus()).len(), before);
    let counted: Vec<_> = metrics.statuses.iter().filter(|(_, count)| **count > 0).collect();
    let wanted = [
        ("200", 1),
        ("304", 1),
        ("403", 1),
        ("429", 1),
        ("500", 1),
        ("other_2xx", 1),
        ("other_4xx", 1),
        ("other_5xx", 2),
    ];
    let counted: Vec<(&str, u64)> = counted.iter().map(|(name, n)| (&***name, **n)).collect();
    assert_eq!(counted, wanted);
    // Each kind of failure has a counter of its name.
    for failure in [
        Failure::Dns(String::new()),
        Failure::Refused([10, 0, 0, 1].into()),
        Failure::Connect(String::new()),
        Failure::Tls(String::new()),
        Failure::TimedOut(Stage::Connect),
        Failure::TimedOut(Stage::Read),
        Failure::TimedOut(Stage::Total),
        Failure::Broken(String::new()),
        Failure::Encoding(String::new()),
        Failure::TooManyRedirects,
        Failure::RedirectLoop,
        Failure::BadRedirect(String::new()),
        Failure::RefusedRedirect(String::new()),
    ] {
        assert!(metrics.failures.contains_key(failure.name()), "{failure:?}");
    }
}
