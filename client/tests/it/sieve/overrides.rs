//! Sites whose answer the operator gives.

use robotsieve_client::sieve::{Override, Overrides};

use super::*;

#[tokio::test]
async fn overrides_come_first() {
    let folder = in_memory();
    let store = Store::open(folder.path().join("robots.store")).unwrap();
    // What the store and the sites say does not count.
    let known = CachedCopy::new(RULES.as_bytes(), Timestamp(START));
    let known = OriginState::present(known);
    store.put("https://open.com", &known, Some(RULES.as_bytes())).unwrap();
    let web = Web::of([
        ("https://shut.com", Site::Answers(200, "")),
        ("https://own.com", Site::Answers(200, "")),
        ("https://e.com", Site::Answers(200, RULES)),
    ]);
    let mut overrides = Overrides::new();
    overrides.insert("open.com", Override::Allow).unwrap();
    overrides.insert("shut.com", Override::Disallow).unwrap();
    overrides.insert("https://own.com", Override::Body(RULES.into())).unwrap();
    // So few places in the table that the sites push each other out.
    let sieve = web.builder().store(store.clone()).overrides(overrides).slots(2).build();
    for round in 0..3 {
        for (url, wanted) in [
            ("https://open.com/private", true),
            ("http://open.com/private", true),
            ("https://shut.com/x", false),
            ("https://shut.com/robots.txt", true),
            ("http://SHUT.com:80/x", false),
            ("https://own.com/private", false),
            ("https://own.com/x", true),
            ("https://e.com/private", false),
            ("http://own.com/private", true),
        ] {
            assert_eq!(allowed(&sieve, url).await, wanted, "{url}");
            let found = sieve.site(&Origin::of(url).unwrap()).await.unwrap();
            let is_overridden = !["https://e.com", "http://own.com"].contains(&found.origin());
            assert_eq!(found.ruling().why == Why::Override, is_overridden, "{url}");
        }
        sieve.settled().await;
        // They never expire, whatever the clock does.
        web.later([10, 4_000 * DAY, 0][round]);
    }
    assert_eq!(web.asked(), 4, "the two others, twice");
    let metrics = sieve.metrics();
    assert_eq!((metrics.from_store, metrics.attempts), (0, 4));
    let origin = Origin::of("https://own.com").unwrap();
    assert!(!sieve.is_due(&origin).unwrap());
    let fetched = sieve.fetch(&origin).await.unwrap();
    fetched.stored.clone().unwrap();
    assert_eq!((fetched.ruling().why, fetched.ruling().holds), (Why::Override, SiteKind::Rules));
    sieve.site_answered(&Origin::of("https://shut.com").unwrap()).unwrap();
    assert_eq!((web.asked(), sieve.state(&origin).unwrap()), (4, None));
    // Nothing of them is stored, and what was known is kept.
    assert_eq!(store.get("https://own.com").unwrap(), None);
    assert_eq!(store.get("https://open.com").unwrap(), Some(known));
    let decision = sieve.decide("https://own.com/private").await.unwrap();
    assert!(matches!(decision.grounds(), Grounds::Rules(Reason::Rule(rule)) if rule.line == 2));
    assert_eq!(*decision.answers(), [Answer::Disallow]);
    let wanted = serde_json::json!({
        "url": "https://own.com/private", "verdict": "disallow", "origin": "https://own.com",
        "holds": "rules", "why": "override", "line": 2, "reason": "rule", "age_seconds": null,
    });
    assert_eq!(serde_json::to_value(&decision).unwrap(), wanted);
}

/// They need neither a fetcher nor a runtime.
#[test]
fn overrides_alone() {
    let mut overrides = Overrides::new();
    overrides.insert("e.com", Override::Disallow).unwrap();
    let sieve = Sieve::builder(Crawler::name("bot")).overrides(overrides).build_blocking().unwrap();
    assert!(!sieve.decide("https://e.com/x").unwrap().is_allowed());
    assert!(matches!(sieve.decide("https://f.com/x"), Err(SieveError::Unknown)));
}
