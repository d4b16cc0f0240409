//! The store, through its public API.

use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use proptest::prelude::*;
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{
    Cause, ContentHash, Failure, LocalFault, LocalKind, OriginState, Outcome, Stage, StatedLifetime,
};
use robotsieve_client::store::{Fault, MAX_BODY_BYTES, SCHEMA_VERSION, Store};

use crate::support::folder::in_memory;
use crate::support::generated::{generated, origin, with_body, without_copy};

/// A folder that is removed after the test, and a path in it.
fn somewhere() -> (tempfile::TempDir, PathBuf) {
    let folder = in_memory();
    let path = folder.path().join("robots.store");
    (folder, path)
}

fn holds(store: &Store, hosts: u64) {
    for host in 0..hosts {
        let (origin, state, body) = generated(1, host);
        assert_eq!(store.get(&origin).expect("an answer").as_ref(), Some(&state));
        assert_eq!(store.get_with_body(&origin).expect("an answer"), Some((state, body)));
    }
    assert_eq!(store.get("https://other.example").expect("an answer"), None);
    assert_eq!(store.get_with_body("").expect("an answer"), None);
}

#[test]
fn what_is_put_is_there_after_reopening() {
    let (_folder, path) = somewhere();
    let store = Store::open(&path).expect("a store");
    for host in 0..100 {
        let (origin, state, body) = generated(1, host);
        store.put(&origin, &state, body.as_deref()).expect("puts");
    }
    holds(&store, 100);
    assert_eq!(store.path(), path);
    drop(store);
    holds(&Store::open(&path).expect("a store"), 100);
    holds(&Store::open_read_only(&path).expect("a store"), 100);
}

#[test]
fn every_field_of_a_state_is_kept() {
    let (_folder, path) = somewhere();
    let store = Store::open(&path).expect("a store");
    let mut state = with_body(b"User-agent: *\nDisallow:\n", u64::MAX);
    state.unreachable_since = Some(Timestamp(0));
    state.failures = u32::MAX;
    state.retry_after = Some(Timestamp(u64::MAX / 2));
    state.site_answered = Some(Timestamp(1));
    state.errors_mean_absent = true;
    let copy = state.copy.as_mut().expect("a copy");
    copy.lifetime = u32::MAX;
    copy.stated = Some(StatedLifetime::MaxAge(u32::MAX - 1));
    copy.final_url = Some("https://www.müller.example/robots.txt".into());
    copy.etag = Some(b"\"\xff\x00\"".to_vec());
    copy.last_modified = Some(Vec::new());
    copy.is_truncated = true;
    copy.looks_like_html = true;
    store.put("a", &state, Some(b"User-agent: *\nDisallow:\n")).expect("puts");
    assert_eq!(store.get("a").expect("an answer"), Some(state.clone()));
    for (number, failure) in [
        Failure::Dns("no such name".into()),
        Failure::Refused("127.0.0.1".parse().expect("an address")),
        Failure::Refused("::ffff:10.0.0.1".parse().expect("an address")),
        Failure::Connect("refused".into()),
        Failure::Tls("expired".into()),
        Failure::TimedOut(Stage::Connect),
        Failure::TimedOut(Stage::Read),
        Failure::TimedOut(Stage::Total),
        Failure::Broken("ü".into()),
        Failure::Encoding(String::new()),
        Failure::TooManyRedirects,
        Failure::RedirectLoop,
        Failure::BadRedirect("no Location".into()),
        Failure::Local(LocalFault::new(LocalKind::Descriptors, "")),
    ]
    .into_iter()
    .enumerate()
    {
        for outcome in [Outcome::Absent, Outcome::Unreachable] {
            state.last = outcome(Cause::Failure(failure.clone()));
            // The body is in the store by now.
            store.put(&origin(number as u64), &state, None).expect("puts");
            let found = store.get(&origin(number as u64)).expect("an answer");
            assert_eq!(found, Some(state.clone()));
        }
    }
}

/// The bytes of a record. The variants of outcomes, causes, failures and stages are numbered in
/// order, so a change of the order would make existing stores unreadable.
#[test]
fn the_format_stays() {
    let causes = [
        (Outcome::Present, vec![0]),
        (Outcome::Absent(Cause::Status(404)), vec![1, 0, 0x94, 3]),
        (Outcome::Unreachable(Cause::Failure(Failure::TimedOut(Stage::Total))), vec![2, 1, 4, 2]),
        (
            Outcome::Absent(Cause::Failure(Failure::Local(LocalFault::new(LocalKind::Memory, "")))),
            [&[1, 1, 10, 13][..], b"out of memory"].concat(),
        ),
    ];
    for (outcome, bytes) in causes {
        assert_eq!(postcard::to_extend(&outcome, Vec::new()), Ok(bytes), "{outcome:?}");
    }
}

#[test]
fn equal_bodies_are_stored_once_until_no_origin_refers_to_them() {
    let (_folder, path) = somewhere();
    let store = Store::open(&path).expect("a store");
    let (old, new) = (b"User-agent: *\nDisallow: /old\n", b"User-agent: *\nDisallow: /new\n");
    for host in 0..10 {
        store.put(&origin(host), &with_body(old, 100 + host), Some(old)).expect("puts");
    }
    let stat = store.stat().expect("figures");
    assert_eq!((stat.origins, stat.present, stat.copies), (10, 10, 10));
    assert_eq!((stat.bodies, stat.unused_bodies, stat.body_bytes), (1, 0, old.len() as u64));
    assert!(stat.stored_bytes < stat.body_bytes && stat.file_bytes > 0);
    assert_eq!(stat.schema, SCHEMA_VERSION);
    assert_ne!(stat.dictionary, 0);

    // One origin still has it: the old origins go, the body stays.
    store.put(&origin(9), &with_body(new, 200), Some(new)).expect("puts");
    let pruned = store.prune(Timestamp(108)).expect("prunes");
    assert_eq!((pruned.origins, pruned.bodies), (8, 0));
    assert_eq!(store.get(&origin(7)).expect("an answer"), None);
    assert_eq!(store.body(&ContentHash::of(old)).expect("an answer").as_deref(), Some(&old[..]));

    assert!(store.remove(&origin(8)).expect("removes"));
    assert!(!store.remove(&origin(8)).expect("removes"));
    assert_eq!(store.stat().expect("figures").unused_bodies, 1);
    let pruned = store.prune(Timestamp(0)).expect("prunes");
    assert_eq!((pruned.origins, pruned.bodies), (0, 1));
    assert_eq!(store.body(&ContentHash::of(old)).expect("an answer"), None);
    assert_eq!(store.body(&ContentHash::of(new)).expect("an answer").as_deref(), Some(&new[..]));

    // A removed body can be stored again.
    store.put(&origin(8), &with_body(old, 300), Some(old)).expect("puts");
    let found = store.get_with_body(&origin(8)).expect("an answer");
    assert_eq!(found, Some((with_body(old, 300), Some(old.to_vec()))));
    drop(store);
    Store::verify(&path).expect("no damage");
}

#[test]
fn a_body_must_match_its_state() {
    let (_folder, path) = somewhere();
    let store = Store::open(&path).expect("a store");
    let state = with_body(b"Disallow: /\n", 1);
    let error = store.put("a", &state, None).expect_err("no body");
    assert!(matches!(error.fault(), Fault::NoBody(_)), "{error}");
    let error = store.put("a", &state, Some(b"Allow: /\n")).expect_err("another body");
    assert!(matches!(error.fault(), Fault::OtherBody(_)), "{error}");
    assert!(
        error
            .to_string()
            .starts_with(&format!("{}: the body does not have the hash ", path.display()))
    );
    let error = store.put("a", &without_copy(Outcome::Present, 1), Some(b"")).expect_err("none");
    assert!(matches!(error.fault(), Fault::OtherBody(_)), "{error}");
    let huge = vec![b'a'; MAX_BODY_BYTES + 1];
    let error = store.put("a", &with_body(&huge, 1), Some(&huge)).expect_err("too large");
    assert!(matches!(error.fault(), Fault::TooLarge(_)), "{error}");
    let rows = [("b", with_body(b"", 1), Some("")), ("a", state, None)];
    store.put_many(rows).expect_err("no body");
    // A transaction puts everything or nothing.
    assert_eq!(store.stat().expect("figures").origins, 0);
    assert_eq!(store.stat().expect("figures").bodies, 0);
}

#[test]
fn bodies_of_any_kind_come_back() {
    let (_folder, path) = somewhere();
    let store = Store::open(&path).expect("a store");
    let mut noise = 1_u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (noise >> 56) as u8
    })
    .take(100_000)
    .collect();
    let zeros = vec![0; 5 << 20];
    let bodies: [&[u8]; 5] = [b"", b"x", &noise, &zeros, &robotsieve_corpora::big()];
    let mut stored = 0;
    for body in bodies {
        store.put("a", &with_body(body, 1), Some(body)).expect("puts");
        let before = std::mem::replace(&mut stored, store.stat().expect("figures").stored_bytes);
        // A body that compression does not shorten does not grow either.
        assert!(stored - before <= body.len() as u64);
        let found = store.body(&ContentHash::of(body)).expect("an answer");
        assert!(found.as_deref() == Some(body), "{} bytes", body.len());
    }
    let stat = store.stat().expect("figures");
    assert_eq!((stat.bodies, stat.unused_bodies), (5, 4));
    assert!(stat.stored_bytes < stat.body_bytes / 10, "{stat:?}");
}

#[test]
fn origins_come_in_the_order_of_their_keys_as_of_the_start() {
    let (_folder, path) = somewhere();
    let store = Store::open(&path).expect("a store");
    let rows = (0..3_000).map(|host| generated(1, host));
    assert_eq!(store.put_many(rows).expect("puts"), 3_000);
    let iter = store.iter().expect("an answer");
    let reader = store.reader();
    store.remove(&origin(7)).expect("removes");
    assert_eq!(store.iter().expect("an answer").count(), 2_999);
    assert!(reader.get(&origin(7)).expect("an answer").is_some());
    let (state, body) = reader.get_with_body(&origin(7)).expect("an answer").expect("is known");
    let content = state.copy.expect("a copy").content;
    assert_eq!(reader.body(&content).expect("an answer"), body);
    // Readers keep the store open.
    drop(store);
    let error = Store::open(&path).expect_err("is open");
    assert!(matches!(error.fault(), Fault::InUse), "{error}");
    let wanted: BTreeMap<String, OriginState> =
        (0..3_000).map(|host| generated(1, host)).map(|(key, state, _)| (key, state)).collect();
    let found: Vec<(String, OriginState)> = iter.map(|row| row.expect("no damage")).collect();
    assert!(found.into_iter().eq(wanted));
    drop(reader);
    Store::open(&path).expect("is closed");
}

#[test]
fn many_threads_and_tasks_write_at_once() {
    let (_folder, path) = somewhere();
    let store = Store::open(&path).expect("a store");
    thread::scope(|scope| {
        for thread in 0..8 {
            let store = &store;
            scope.spawn(move || {
                for host in (thread..400).step_by(8) {
                    let (origin, state, body) = generated(1, host);
                    if host % 2 == 0 {
                        store.put(&origin, &state, body.as_deref()).expect("puts");
                    } else {
                        block_on(store.put_async(&origin, &state, body.as_deref())).expect("puts");
                    }
                    assert_eq!(store.get(&origin).expect("an answer"), Some(state));
                }
            });
        }
    });
    holds(&store, 400);
    // A dropped future does no harm.
    let (key, state, body) = generated(1, 401);
    {
        let future = pin!(store.put_async(&key, &state, body.as_deref()));
        let _ = future.poll(&mut Context::from_waker(Waker::noop()));
    }
    let (key, state, body) = generated(1, 402);
    store.put(&key, &state, body.as_deref()).expect("puts");
    drop(store);
    let store = Store::open(&path).expect("a store");
    let (key, state, _) = generated(1, 401);
    assert_eq!(store.get(&key).expect("an answer"), Some(state), "its change was in the queue");
}

/// The smallest possible runtime.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

#[test]
fn one_writer_and_many_readers() {
    let (_folder, path) = somewhere();
    let error = Store::open_read_only(&path).expect_err("is not there");
    assert!(matches!(error.fault(), Fault::Io(_)) && error.source().is_some(), "{error}");
    let store = Store::open(&path).expect("a store");
    for error in
        [Store::open(&path).expect_err("is open"), Store::compact(&path).expect_err("is open")]
    {
        assert!(matches!(error.fault(), Fault::InUse) && error.is_of_file(), "{error}");
    }
    Store::verify(&path).expect("no damage");
    store.put_many((0..50).map(|host| generated(1, host))).expect("puts");
    let early = Store::open_read_only(&path).expect("a store");
    store.remove(&origin(7)).expect("removes");
    let late = Store::open_read_only(&path).expect("a store");
    // Each is as of when it was opened, whatever is written.
    for host in 50..500 {
        let (origin, state, body) = generated(1, host);
        store.put_many([(origin, state, body)]).expect("puts");
    }
    holds(&early, 50);
    assert_eq!(late.get(&origin(7)).expect("an answer"), None);
    assert_eq!(
        (early.stat().expect("figures").origins, late.iter().expect("rows").count()),
        (50, 49)
    );
    drop(store);
    // Readers stay when the writer goes, and keep no other away, but pages cannot be moved.
    let error = Store::compact(&path).expect_err("is read");
    assert!(matches!(error.fault(), Fault::InUse), "{error}");
    let store = Store::open(&path).expect("a store");
    store.put_many((500..600).map(|host| generated(1, host))).expect("puts");
    holds(&early, 50);
    drop((early, late, store));
    Store::compact(&path).expect("nobody has it open");
    let readers = [(); 2].map(|()| Store::open_read_only(&path).expect("a store"));
    let state = without_copy(Outcome::Present, 1);
    for error in [
        readers[0].put("a", &state, None).expect_err("is open for reading"),
        readers[0].put_many([("a", state, None::<&[u8]>)]).expect_err("is open for reading"),
        readers[0].remove("a").map(drop).expect_err("is open for reading"),
        readers[1].prune(Timestamp(0)).map(drop).expect_err("is open for reading"),
    ] {
        assert!(matches!(error.fault(), Fault::ReadOnly), "{error}");
    }
}

#[test]
fn an_empty_file_becomes_a_store() {
    let (_folder, path) = somewhere();
    fs::write(&path, b"").expect("writes");
    Store::open(&path).expect("a store").put("a", &with_body(b"", 1), Some(b"")).expect("puts");
    assert!(Store::open(&path).expect("a store").get("a").expect("an answer").is_some());
}

/// Of many who create a store at the same time one gets it, and nothing is lost.
#[test]
fn many_create_it_at_once() {
    for round in 0..20 {
        let (_folder, path) = somewhere();
        if round % 2 == 0 {
            fs::write(&path, b"").expect("writes");
        }
        let stores: Vec<Store> = thread::scope(|scope| {
            let threads = [(); 6].map(|()| {
                scope.spawn(|| match Store::open(&path) {
                    Ok(store) => {
                        store.put("a", &with_body(b"", 1), Some(b"")).expect("puts");
                        Some(store)
                    }
                    Err(error) => {
                        assert!(matches!(error.fault(), Fault::InUse), "{error}");
                        None
                    }
                })
            });
            threads.into_iter().filter_map(|thread| thread.join().expect("ends")).collect()
        });
        assert_eq!(stores.len(), 1);
        drop(stores);
        assert!(Store::open(&path).expect("a store").get("a").expect("an answer").is_some());
    }
}

/// The store is created at the link's target.
#[test]
#[cfg(unix)]
fn a_link_to_an_empty_file_stays() {
    let (folder, path) = somewhere();
    let target = folder.path().join("elsewhere");
    fs::write(&target, b"").expect("writes");
    std::os::unix::fs::symlink(&target, &path).expect("links");
    drop(Store::open(&path).expect("a store"));
    assert!(fs::symlink_metadata(&path).expect("is there").is_symlink());
    Store::open_read_only(&target).expect("a store");
}

/// A socket represents everything that is not a regular file. If root could replace `/dev/null`
/// with a store, the system would break.
#[test]
#[cfg(unix)]
fn special_files_are_left_alone() {
    use std::os::unix::fs::FileTypeExt;
    let (_folder, path) = somewhere();
    let _socket = std::os::unix::net::UnixListener::bind(&path).expect("a socket");
    for error in [
        Store::open(&path).expect_err("no store"),
        Store::open_read_only(&path).expect_err("no store"),
        Store::compact(&path).expect_err("no store"),
        Store::verify(&path).expect_err("no store"),
    ] {
        assert!(matches!(error.fault(), Fault::NotAStore), "{error}");
    }
    assert!(fs::symlink_metadata(&path).expect("is there").file_type().is_socket());
}

#[test]
fn a_store_is_created_only_in_an_existing_folder() {
    let (folder, _) = somewhere();
    let error = Store::open(folder.path().join("none/a.store")).expect_err("no folder");
    assert!(matches!(error.fault(), Fault::Io(_)), "{error}");
    let error = Store::open(folder.path()).expect_err("a folder");
    assert!(matches!(error.fault(), Fault::Io(_)), "{error}");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing is left behind");
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let (folder, path) = somewhere();
    let database = redb::Database::create(folder.path().join("other")).expect("a database");
    let transaction = database.begin_write().expect("begins");
    let table = redb::TableDefinition::<&str, &str>::new("header");
    transaction.open_table(table).expect("a table").insert("a", "b").expect("inserts");
    transaction.commit().expect("commits");
    drop(database);
    let other = fs::read(folder.path().join("other")).expect("reads");
    for content in [b"x".to_vec(), b"User-agent: *\n".repeat(1_000), vec![0; 10_000], other] {
        fs::write(&path, &content).expect("writes");
        for error in [
            Store::open(&path).expect_err("no store"),
            Store::open_read_only(&path).expect_err("no store"),
            Store::compact(&path).expect_err("no store"),
            Store::verify(&path).expect_err("no store"),
        ] {
            assert!(matches!(error.fault(), Fault::NotAStore), "{error}");
            assert!(error.to_string().ends_with("the file is not a robotsieve store"));
        }
        let after = fs::read(&path).expect("reads");
        assert!(after == content, "{} bytes were changed", content.len());
    }
}

#[test]
fn another_schema_is_refused_and_left_alone() {
    let (_folder, path) = somewhere();
    let store = Store::open(&path).expect("a store");
    store.put("a", &with_body(b"", 1), Some(b"")).expect("puts");
    drop(store);
    let database = redb::Database::open(&path).expect("a database");
    let transaction = database.begin_write().expect("begins");
    let header = redb::TableDefinition::<&str, &[u8]>::new("header");
    let version = (SCHEMA_VERSION + 1).to_le_bytes();
    transaction.open_table(header).expect("a table").insert("schema", &version[..]).expect("puts");
    transaction.commit().expect("commits");
    drop(database);
    let before = fs::read(&path).expect("reads");
    for error in [
        Store::open(&path).expect_err("another schema"),
        Store::open_read_only(&path).expect_err("another schema"),
        Store::compact(&path).expect_err("another schema"),
        Store::verify(&path).expect_err("another schema"),
    ] {
        assert!(matches!(error.fault(), Fault::Schema { found: 2 }), "{error}");
        let wanted = "the store has version 2 but this program reads version 1; use the program \
                      that wrote it, or another file";
        assert_eq!(error.to_string(), format!("{}: {wanted}", path.display()));
    }
    assert!(fs::read(&path).expect("reads") == before, "the file was changed");
}

/// Space freed by a commit is reused, although the store keeps a snapshot of the last commit.
#[test]
fn changes_do_not_grow_the_file() {
    let (_folder, path) = somewhere();
    let store = Store::open(&path).expect("a store");
    store.put_many((0..1_000).map(|host| generated(1, host))).expect("puts");
    let mut lens = Vec::new();
    for _ in 0..3 {
        for host in 0..150 {
            let (origin, state, body) = generated(1, host);
            store.put(&origin, &state, body.as_deref()).expect("puts");
        }
        lens.push(fs::metadata(&path).expect("a file").len());
    }
    assert!(lens[2] <= lens[0], "{lens:?}");
}

/// As if a later version of this library, with another dictionary, had created the store.
#[test]
fn a_store_keeps_the_dictionary_that_it_was_made_with() {
    let (_folder, path) = somewhere();
    drop(Store::open(&path).expect("a store"));
    let database = redb::Database::open(&path).expect("a database");
    let transaction = database.begin_write().expect("begins");
    // zstd accepts any text as a dictionary without an id.
    let dictionary = b"User-agent: *\nDisallow: /wp-admin/\nDisallow: /bag\n".repeat(20);
    let row = [&crc32fast::hash(&dictionary).to_le_bytes()[..], &dictionary[..]].concat();
    let header = redb::TableDefinition::<&str, &[u8]>::new("header");
    transaction.open_table(header).expect("a table").insert("dictionary", &row[..]).expect("puts");
    transaction.commit().expect("commits");
    drop(database);

    let store = Store::open(&path).expect("a store");
    store.put_many((0..100).map(|host| generated(1, host))).expect("puts");
    assert_eq!(store.stat().expect("figures").dictionary, 0);
    drop(store);
    holds(&Store::open(&path).expect("a store"), 100);

    // A corrupt dictionary is not used.
    let database = redb::Database::open(&path).expect("a database");
    let transaction = database.begin_write().expect("begins");
    let row = &row[..row.len() - 1];
    transaction.open_table(header).expect("a table").insert("dictionary", row).expect("puts");
    transaction.commit().expect("commits");
    drop(database);
    let error = Store::open(&path).expect_err("is damaged");
    assert!(matches!(error.fault(), Fault::Damaged(_)), "{error}");
}

#[test]
fn threads_share_it() {
    fn is_shared<T: Send + Sync + Clone>() {}
    is_shared::<Store>();
    is_shared::<robotsieve_client::store::Reader>();
    is_shared::<robotsieve_client::store::StoreError>();
    fn is_sent<T: Send>(_: T) {}
    let (_folder, path) = somewhere();
    let store = Store::open(path).expect("a store");
    is_sent(store.put_async("a", &without_copy(Outcome::Present, 1), None));
    is_sent(store.iter());
}

#[test]
fn compacting_gives_room_back() {
    let (_folder, path) = somewhere();
    let store = Store::open(&path).expect("a store");
    store.put_many((0..2_000).map(|host| generated(1, host))).expect("puts");
    let late: Vec<_> = (0..100)
        .map(|host| generated(1, host))
        .map(|(key, mut state, body)| {
            state.attempted = Timestamp(1_900_000_000);
            (key, state, body)
        })
        .collect();
    store.put_many(late.clone()).expect("puts");
    assert_eq!(store.prune(Timestamp(1_900_000_000)).expect("prunes").origins, 1_900);
    let before = store.stat().expect("figures");
    drop(store);
    let len = Store::compact(&path).expect("compacts");
    assert_eq!(len, fs::metadata(&path).expect("a file").len());
    assert!(len < before.file_bytes, "{len} {before:?}");
    let store = Store::open(&path).expect("a store");
    for (key, state, body) in late {
        assert_eq!(store.get_with_body(&key).expect("an answer"), Some((state, body)));
    }
    drop(store);
    Store::verify(&path).expect("no damage");
}

/// A step done to a store and to the map that it must agree with.
#[derive(Clone, Debug)]
enum Step {
    Put { host: u64, body: Option<u64>, at: u64 },
    PutMany { hosts: Vec<u64>, body: u64, at: u64 },
    Remove { host: u64 },
    Prune { older_than: u64 },
    Reopen,
    Compact,
}

fn step() -> impl Strategy<Value = Step> {
    let (host, body, at) = (|| 0..12_u64, || 0..8_u64, || 0..30_u64);
    prop_oneof![
        8 => (host(), proptest::option::of(body()), at())
            .prop_map(|(host, body, at)| Step::Put { host, body, at }),
        2 => (proptest::collection::vec(host(), 0..6), body(), at())
            .prop_map(|(hosts, body, at)| Step::PutMany { hosts, body, at }),
        2 => host().prop_map(|host| Step::Remove { host }),
        2 => at().prop_map(|older_than| Step::Prune { older_than }),
        1 => Just(Step::Reopen),
        1 => Just(Step::Compact),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn it_is_a_map(steps in proptest::collection::vec(step(), 1..40)) {
        let folder = in_memory();
        let path = folder.path().join("robots.store");
        let mut store = Store::open(&path).expect("a store");
        let mut map: BTreeMap<String, (OriginState, Option<Vec<u8>>)> = BTreeMap::new();
        let body_of = |number: u64| robotsieve_corpora::robots(3, number);
        for step in steps {
            match step {
                Step::Put { host, body, at } => {
                    let body = body.map(body_of);
                    let state = match &body {
                        Some(body) => with_body(body, at),
                        None => without_copy(Outcome::Absent(Cause::Status(410)), at),
                    };
                    store.put(&origin(host), &state, body.as_deref()).expect("puts");
                    map.insert(origin(host), (state, body));
                }
                Step::PutMany { hosts, body, at } => {
                    let body = body_of(body);
                    let rows = hosts.iter().map(|host| (origin(*host), with_body(&body, at), Some(&body)));
                    prop_assert_eq!(store.put_many(rows).expect("puts"), hosts.len() as u64);
                    for host in hosts {
                        map.insert(origin(host), (with_body(&body, at), Some(body.clone())));
                    }
                }
                Step::Remove { host } => {
                    let was_there = store.remove(&origin(host)).expect("removes");
                    prop_assert_eq!(was_there, map.remove(&origin(host)).is_some());
                }
                Step::Prune { older_than } => {
                    let before = map.len();
                    map.retain(|_, (state, _)| state.attempted >= Timestamp(older_than));
                    let pruned = store.prune(Timestamp(older_than)).expect("prunes");
                    prop_assert_eq!(pruned.origins, (before - map.len()) as u64);
                    prop_assert_eq!(store.stat().expect("figures").unused_bodies, 0);
                }
                Step::Reopen => {
                    drop(store);
                    store = Store::open(&path).expect("a store");
                }
                Step::Compact => {
                    drop(store);
                    Store::compact(&path).expect("compacts");
                    store = Store::open(&path).expect("a store");
                }
            }
            for host in 0..12 {
                let found = store.get_with_body(&origin(host)).expect("an answer");
                prop_assert_eq!(found.as_ref(), map.get(&origin(host)));
            }
        }
        let found = store.iter().expect("an answer").map(|row| row.expect("no damage"));
        prop_assert!(found.eq(map.iter().map(|(key, (state, _))| (key.clone(), state.clone()))));
        let bodies: HashSet<&Vec<u8>> = map.values().filter_map(|(_, body)| body.as_ref()).collect();
        let stat = store.stat().expect("figures");
        prop_assert_eq!(stat.bodies - stat.unused_bodies, bodies.len() as u64);
        drop(store);
        Store::verify(&path).expect("no damage");
    }
}
