//! The store, by its public face.

use robotsieve_sieve::Timestamp;
use robotsieve_sieve::store::Store;

#[path = "support/generated.rs"]
mod support;

use support::generated;

#[test]
fn what_is_put_is_there_also_after_it_is_opened_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.store");
    let store = Store::open(&path).expect("a store");
    for host in 0..100 {
        let (origin, known, body) = generated(1, host);
        store.put(&origin, &known, body.as_deref()).expect("puts");
    }
    holds(&store);
    assert_eq!(store.prune(Timestamp(0)).expect("prunes").origins, 0);
    drop(store);
    holds(&Store::open_read_only(&path).expect("a store"));
}

fn holds(store: &Store) {
    for host in 0..100 {
        let (origin, known, body) = generated(1, host);
        assert_eq!(store.get(&origin).expect("an answer").as_ref(), Some(&known));
        assert_eq!(store.get_with_body(&origin).expect("an answer"), Some((known, body)));
    }
    assert_eq!(store.get("https://other.example").expect("an answer"), None);
}
