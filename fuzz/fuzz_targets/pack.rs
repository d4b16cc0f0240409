//! Hostile packs: arbitrary bytes, and the same bytes with their checksums corrected, so that the
//! fuzzer gets past the checksums.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robotsieve::Answer;
use robotsieve::pack::Pack;

const HEADER_LEN: usize = 16;
const TRAILER_LEN: usize = 144;
const BLOCK_LEN: usize = 4096;
const MAGIC: &[u8; 8] = b"\x89rsieve\n";
const VERSION: u8 = 2;

fuzz_target!(|bytes: &[u8]| {
    ask(bytes);
    let mut mended = bytes.to_vec();
    if mend(&mut mended).is_some() {
        ask(&mended);
    }
});

/// Uses a pack in every way. Any answer will do, but nothing may panic.
fn ask(bytes: &[u8]) {
    let Ok(pack) = Pack::open(bytes) else { return };
    let verified = pack.verify().is_ok();
    let _ = pack.stat();
    let mut answers = vec![Answer::Unknown; pack.crawlers().len()];
    let urls = ["https://e.com/", "/a/b?c=d", "/robots.txt", "/%C3%A9*$#x", "/aXbYcZ/aaaa.pdf"];
    for origin in pack.origins().take(64) {
        assert!(!verified || origin.is_ok(), "damaged, but verify() found nothing");
        let Ok((name, site)) = origin else { continue };
        let _ = pack.get(name);
        for url in urls {
            let asked = site.ask(url, &mut answers);
            assert!(!verified || asked.is_ok(), "damaged, but verify() found nothing");
        }
        let sitemaps = site.sitemaps().map(Iterator::count);
        assert!(!verified || sitemaps.is_ok(), "damaged, but verify() found nothing");
        for crawler in 0..answers.len().min(4) {
            if let Ok(policy) = site.policy(crawler) {
                let _ = policy.pace().min_interval();
                let _ = policy.decide(urls[3]);
                if let Ok(Some(policy)) = policy.with_rules() {
                    for url in urls {
                        let _ = policy.decide(url);
                    }
                    policy.compile();
                    let _ = policy.is_allowed(urls[4]);
                }
            }
        }
    }
}

/// Corrects magic numbers and checksums as far as the parts of the pack can be located.
fn mend(bytes: &mut [u8]) -> Option<()> {
    let body = bytes.len().checked_sub(TRAILER_LEN).filter(|len| *len >= HEADER_LEN)?;
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..16].copy_from_slice(&[VERSION, 0, 0, 0, 0, 0, 0, 0]);
    let number = |bytes: &[u8], index: usize| {
        let at = body + 28 + 8 * index;
        let number = u64::from_le_bytes(bytes[at..at + 8].try_into().ok()?);
        usize::try_from(number).ok().filter(|number| *number <= body)
    };
    let (rows, blocks, about) = (number(bytes, 4)?, number(bytes, 7)?, number(bytes, 8)?);
    let mut at = HEADER_LEN;
    while at + 8 <= rows {
        let len = u32::from_le_bytes(bytes[at..at + 4].try_into().ok()?) as usize;
        let end = (at + 8).checked_add(len).filter(|end| *end <= rows)?;
        let checksum = crc32fast::hash(&bytes[at + 8..end]);
        bytes[at + 4..at + 8].copy_from_slice(&checksum.to_le_bytes());
        at = end.next_multiple_of(8);
    }
    if rows <= blocks {
        let mut to = blocks;
        for from in (rows..blocks).step_by(BLOCK_LEN) {
            let checksum = crc32fast::hash(&bytes[from..blocks.min(from + BLOCK_LEN)]);
            bytes.get_mut(to..to + 4)?.copy_from_slice(&checksum.to_le_bytes());
            to += 4;
        }
    }
    let of = |bytes: &[u8], from: usize, to: usize| Some(crc32fast::hash(bytes.get(from..to)?));
    let (blocks, about) = (of(bytes, blocks, about)?, of(bytes, about, body)?);
    bytes[body + 20..body + 24].copy_from_slice(&blocks.to_le_bytes());
    bytes[body + 24..body + 28].copy_from_slice(&about.to_le_bytes());
    let end = bytes.len();
    bytes[end - 16..end - 12].copy_from_slice(&u32::from(VERSION).to_le_bytes());
    let checksum = crc32fast::hash(&bytes[body..end - 12]);
    bytes[end - 12..end - 8].copy_from_slice(&checksum.to_le_bytes());
    bytes[end - 8..].copy_from_slice(MAGIC);
    Some(())
}
