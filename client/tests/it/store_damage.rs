//! Damaged files lead to errors, but never to panics, to origins that seem unknown, or to an answer
//! that was not put there.

use std::fs;
use std::path::Path;

use robotsieve_client::Timestamp;
use robotsieve_client::outcome::OriginState;
use robotsieve_client::store::Store;

use crate::support::folder::in_memory;
use crate::support::generated::{generated, origin, with_body};
use crate::support::random::Random;

const HOSTS: u64 = 120;

type Row = (String, OriginState, Option<Vec<u8>>);

/// The bytes of a closed store of [`HOSTS`] origins, and its content.
fn a_store(folder: &Path) -> (Vec<u8>, Vec<Row>) {
    let path = folder.join("whole.store");
    let rows: Vec<Row> = (0..HOSTS).map(|host| generated(1, host)).collect();
    let store = Store::open(&path).expect("a store");
    store.put_many(rows.clone()).expect("puts");
    drop(store);
    Store::compact(&path).expect("compacts");
    (fs::read(path).expect("reads"), rows)
}

/// Reads everything in a file, then writes to it.
fn use_it(path: &Path, rows: &[Row]) -> Use {
    let mut seen = Use::default();
    let Ok(store) = Store::open(path) else { return seen };
    seen.opened = true;
    for (key, state, body) in rows {
        if let Ok(Some(found)) = store.get(key) {
            assert_eq!(&found, state, "{key}");
        }
        match store.get_with_body(key) {
            Ok(Some(found)) => {
                assert!(found == (state.clone(), body.clone()), "{key}");
                seen.right += 1;
            }
            Ok(None) => seen.unknown += 1,
            Err(_) => seen.errors += 1,
        }
        if let (Some(copy), Some(body)) = (&state.copy, body)
            && let Ok(Some(found)) = store.body(&copy.content)
        {
            assert!(found == *body, "{key}");
        }
    }
    let walk = store.iter();
    let mut found = if walk.is_ok() { 0 } else { u64::MAX };
    for row in walk.into_iter().flatten() {
        let Ok(row) = row else {
            found = u64::MAX;
            continue;
        };
        assert!(found < u64::MAX, "nothing follows an error");
        assert!(rows.iter().any(|(key, state, _)| (key, state) == (&row.0, &row.1)), "{row:?}");
        found += 1;
    }
    seen.lost += u64::from(found < HOSTS);
    seen.lost += u64::from(store.stat().is_ok_and(|stat| stat.origins < HOSTS));
    let body = b"User-agent: *\nDisallow: /late\n";
    let late = with_body(body, 1_900_000_000);
    if store.put(&origin(HOSTS), &late, Some(body)).is_ok() {
        let found = store.get_with_body(&origin(HOSTS));
        assert!(!matches!(found, Ok(Some(found)) if found != (late, Some(body.to_vec()))));
    }
    let _ = store.remove(&origin(3));
    let _ = store.prune(Timestamp(1_800_000_050));
    drop(store);
    if let Ok(store) = Store::open_read_only(path) {
        let _ = store.stat();
    }
    let _ = Store::verify(path);
    let _ = Store::compact(path);
    seen
}

#[derive(Debug, Default)]
struct Use {
    opened: bool,
    right: u64,
    unknown: u64,
    /// Walks that missed an origin and said nothing of it.
    lost: u64,
    errors: u64,
}

fn try_all(name: &str, rounds: u64, mut damage: impl FnMut(&mut Vec<u8>, &mut Random)) {
    let folder = in_memory();
    let (whole, rows) = a_store(folder.path());
    let path = folder.path().join("damaged.store");
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut opened, mut sum) = (0, Use::default());
    for _ in 0..rounds {
        let mut bytes = whole.clone();
        damage(&mut bytes, &mut random);
        fs::write(&path, &bytes).expect("writes");
        let seen = use_it(&path, &rows);
        opened += u64::from(seen.opened);
        sum.right += seen.right;
        sum.unknown += seen.unknown;
        sum.lost += seen.lost;
        sum.errors += seen.errors;
    }
    println!("{name}: {opened} of {rounds} files opened; answers: {sum:?}");
    assert_eq!((sum.unknown, sum.lost), (0, 0), "{name}: {sum:?}");
}

#[test]
fn flipped_bits() {
    try_all("flipped bits", 150, |bytes, random| {
        for _ in 0..=random.below(16) {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] ^= 1 << random.below(8);
        }
    });
}

/// The header says what the file is, and which pages are the roots.
#[test]
fn flipped_bits_in_the_header() {
    try_all("flipped bits in the header", 150, |bytes, random| {
        let at = random.below(512) as usize;
        bytes[at] ^= 1 << random.below(8);
    });
}

#[test]
fn truncated() {
    try_all("truncated", 40, |bytes, random| {
        bytes.truncate(random.below(bytes.len() as u64) as usize);
    });
}

#[test]
fn blocks_of_zeros_noise_and_other_pages() {
    try_all("blocks", 150, |bytes, random| {
        let len = bytes.len() as u64;
        let (to, from) = (random.below(len - 4096) as usize, random.below(len - 4096) as usize);
        let block_len = [16, 512, 4096][random.below(3) as usize];
        match random.below(3) {
            0 => bytes[to..to + block_len].fill(0),
            1 => bytes[to..to + block_len].fill_with(|| random.below(256) as u8),
            // Pages begin at multiples of their length.
            _ => bytes.copy_within(from & !4095..(from & !4095) + 4096, to & !4095),
        }
    });
}
