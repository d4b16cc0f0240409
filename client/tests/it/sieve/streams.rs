//! Streams of decisions.

use std::collections::BTreeSet;
use std::task::{Context, Poll, Waker};

use futures_util::stream::{self, Stream, StreamExt};
use robotsieve_client::sieve::Decided;

use super::*;

/// What a stream has ready, without waiting for anything but other tasks.
async fn ready<S: Stream + Unpin>(stream: &mut S) -> Vec<S::Item> {
    let mut all = Vec::new();
    // Now and then a stream lets other tasks run.
    for _ in 0..100 {
        tokio::task::yield_now().await;
        while let Poll::Ready(Some(item)) =
            stream.poll_next_unpin(&mut Context::from_waker(Waker::noop()))
        {
            all.push(item);
        }
    }
    all
}

fn indices<U>(decided: &[Decided<U>]) -> Vec<u64> {
    decided.iter().map(|decided| decided.index).collect()
}

/// A web with a slow site, and 4,000 URLs, of which every hundredth is the slow site's.
fn slow_web() -> (Web, Arc<Semaphore>, Vec<String>) {
    let gate = Arc::new(Semaphore::new(0));
    let web = Web::of([
        ("https://slow.com", Site::Waits(Arc::clone(&gate))),
        ("https://e.com", Site::Answers(200, RULES)),
    ]);
    let urls = (0..4_000).map(|number| match number % 100 {
        50 => format!("https://slow.com/private/{number}"),
        kind if kind % 2 == 0 => format!("https://e.com/{number}"),
        kind => format!("https://host{kind}.com/{number}"),
    });
    (web, gate, urls.collect())
}

#[tokio::test]
async fn slow_sites_do_not_hold_up_others() {
    let (web, gate, urls) = slow_web();
    let sieve = web.sieve();
    let mut decisions = sieve.decide_iter(urls.clone());
    let first = ready(&mut decisions).await;
    assert_eq!((first.len(), decisions.waiting_len()), (3_960, 40));
    gate.close();
    let rest: Vec<_> = decisions.collect().await;
    assert_eq!(rest.len(), 40);
    let mut seen = BTreeSet::new();
    for decided in first.into_iter().chain(rest) {
        let url = &urls[decided.index as usize];
        assert_eq!(decided.url(), url);
        assert!(seen.insert(decided.index));
        let decision = decided.result.unwrap();
        assert_eq!(decision.is_allowed(), !url.contains("private"));
        assert_eq!(decision.into_url(), *url);
    }
    assert_eq!(seen.len(), urls.len());
    let metrics = sieve.metrics();
    assert_eq!(metrics.lookups, 4_000);
    assert_eq!((web.asked(), metrics.attempts), (52, 52));
    // In the order of the input, and with borrowed URLs.
    let all: Vec<_> = sieve.decide_iter(&urls).in_order().collect().await;
    assert_eq!(indices(&all), (0..4_000).collect::<Vec<_>>());
}

#[tokio::test]
async fn order_of_the_input() {
    let (web, gate, urls) = slow_web();
    let sieve = web.sieve();
    let mut decisions = sieve.decide_iter(urls).in_order();
    assert_eq!(indices(&ready(&mut decisions).await), (0..50).collect::<Vec<_>>());
    gate.close();
    let rest: Vec<_> = decisions.collect().await;
    assert_eq!(indices(&rest), (50..4_000).collect::<Vec<_>>());
    assert!(rest.iter().all(|decided| decided.result.is_ok()));
}

/// However long the input is, so many URLs are taken from it and no more.
#[tokio::test]
async fn bounded_streams() {
    let (web, gate, urls) = slow_web();
    let sieve = web.sieve();
    let counted = || {
        let taken = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&taken);
        let urls = stream::iter(urls.clone()).inspect(move |_| _ = count.fetch_add(1, SeqCst));
        (taken, urls)
    };
    // The tenth URL of the slow site is the 951st.
    let (taken, urls) = counted();
    let mut decisions = sieve.decide_stream(urls).max_waiting(10);
    assert_eq!((ready(&mut decisions).await.len(), taken.load(SeqCst)), (941, 951));
    // Its first is the 51st.
    let (taken, urls) = counted();
    let mut decisions = sieve.decide_stream(urls).max_waiting(10).in_order();
    assert_eq!((ready(&mut decisions).await.len(), taken.load(SeqCst)), (50, 60));
    gate.close();
    sieve.settled().await;
}

/// One site may hold only so many places. Its other URLs come back at once.
#[tokio::test]
async fn busy_sites() {
    let (web, gate, urls) = slow_web();
    let sieve = web.sieve();
    let mut decisions = sieve.decide_iter(urls.clone()).max_waiting(8).max_waiting_per_site(4);
    let first = ready(&mut decisions).await;
    assert_eq!((first.len(), decisions.waiting_len()), (3_996, 4));
    let busy: Vec<_> = first.into_iter().filter_map(|decided| decided.result.err()).collect();
    assert_eq!(busy.len(), 36);
    for undecided in &busy {
        assert!(matches!(undecided.error, SieveError::Busy), "{undecided:?}");
        assert!(undecided.url.starts_with("https://slow.com/"));
    }
    gate.close();
    assert_eq!(decisions.count().await, 4);
    assert_eq!(sieve.metrics().lookups, 3_964);
}

/// Dropping a stream cancels nothing that others wait for.
#[tokio::test]
async fn dropped_streams() {
    let (web, gate, urls) = slow_web();
    let sieve = web.sieve();
    let mut decisions = sieve.decide_iter(urls);
    ready(&mut decisions).await;
    let url = "https://slow.com/private";
    let waiting = tokio::spawn({
        let sieve = sieve.clone();
        async move { allowed(&sieve, url).await }
    });
    tokio::task::yield_now().await;
    drop(decisions);
    gate.close();
    assert!(!waiting.await.unwrap());
    assert_eq!(web.asked(), 52);
}

/// The input is slower than the sites, and some URLs have no decision.
#[tokio::test]
async fn slow_inputs_and_errors() {
    let (web, gate, _) = slow_web();
    let sieve = web.sieve();
    let (sender, receiver) = tokio::sync::mpsc::channel::<Vec<u8>>(1);
    let urls = stream::unfold(receiver, |mut urls| async { Some((urls.recv().await?, urls)) });
    let mut decisions = sieve.decide_stream(urls);
    sender.send(b"https://slow.com/".to_vec()).await.unwrap();
    assert!(ready(&mut decisions).await.is_empty());
    sender.send(b"no URL".to_vec()).await.unwrap();
    let decided = decisions.next().await.unwrap();
    assert_eq!((decided.index, &decided.url()[..]), (1, &b"no URL"[..]));
    assert!(matches!(decided.result.unwrap_err().error, SieveError::Origin(_)));
    // The site is found while the input has nothing.
    gate.close();
    assert!(decisions.next().await.unwrap().result.unwrap().is_allowed());
    web.set("https://e.com", Site::Unasked);
    sender.send(b"https://e.com/".to_vec()).await.unwrap();
    let undecided = decisions.next().await.unwrap().result.unwrap_err();
    assert!(matches!(undecided.error, SieveError::Local(_)));
    assert_eq!(undecided.url, b"https://e.com/");
    drop(sender);
    assert!(decisions.next().await.is_none());
    assert!(decisions.next().await.is_none());
}

#[test]
fn blocking_iterators() {
    let (web, gate, urls) = slow_web();
    let sieve = web.builder().build_blocking().unwrap();
    let mut decided = sieve.decide_iter(&urls, 100);
    let first: Vec<_> = decided.by_ref().take(3_960).collect();
    assert!(first.iter().all(|decided| !decided.url().contains("slow")));
    gate.close();
    assert_eq!(decided.count(), 40);
    let all: Vec<_> = sieve.decide_iter_in_order(&urls, 100).collect();
    assert_eq!(indices(&all), (0..4_000).collect::<Vec<_>>());
}
