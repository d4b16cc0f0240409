//! Hostile packs: arbitrary bytes, and the same bytes with their checksums corrected, so that the
//! fuzzer gets past the checksums. An input that begins with a byte of ASCII is not a pack but says how
//! to craft one, from parts that may lie; see [`craft`].

#![no_main]

use libfuzzer_sys::fuzz_target;
use robotsieve::Profile;
use robotsieve::pack::Pack;

#[allow(dead_code, reason = "the tests use all of it")]
#[path = "../../tests/it/support/crafted.rs"]
mod crafted;
#[allow(dead_code, reason = "the tests use all of it")]
#[path = "../../tests/it/support/whole_pack.rs"]
mod whole_pack;

const HEADER_LEN: usize = 16;
const TRAILER_LEN: usize = 160;
const BLOCK_LEN: usize = 4096;
const MAGIC: &[u8; 8] = b"\x89rsieve\n";
const VERSION: u8 = 6;

fuzz_target!(|bytes: &[u8]| {
    if bytes.first().is_some_and(u8::is_ascii) {
        return look_at(&craft(bytes));
    }
    look_at(bytes);
    let mut mended = bytes.to_vec();
    let Some(body) = mend(&mut mended) else { return };
    look_at(&mended);
    // A file that says that it is a part of a pack: as the only one.
    mended[body + 24..body + 32].copy_from_slice(&[0, 0, 0, 0, 1, 0, 0, 0]);
    mend_trailer(&mut mended);
    look_at(&mended);
});

/// Uses a pack in every way. Any answer will do, but nothing may panic, and what was verified has no
/// damage.
fn look_at(bytes: &[u8]) {
    let _ = whole_pack::look_at(bytes, 64);
    // Twice in one pack: refused unless it says that it is both parts.
    let _ = Pack::open_shards([bytes, bytes]).map(|pack| pack.verify());
    let _ = Pack::open_shards([bytes]).map(|pack| pack.sites().take(64).count());
}

/// The rest of an input, which is taken from the front. Zeros follow it.
struct Take<'b>(&'b [u8]);

impl<'b> Take<'b> {
    fn byte(&mut self) -> u8 {
        self.bytes(1).first().copied().unwrap_or(0)
    }

    fn bytes(&mut self, len: usize) -> &'b [u8] {
        let (taken, left) = self.0.split_at(len.min(self.0.len()));
        self.0 = left;
        taken
    }

    /// A small number or a large one.
    fn number(&mut self) -> u64 {
        match self.byte() {
            255 => {
                self.bytes(8).iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
            }
            254 => u64::MAX - u64::from(self.byte()),
            253 => 1 << (self.byte() & 63),
            252 => u64::from(self.byte()) * 4096,
            small => small.into(),
        }
    }

    /// One of the numbers of records, or any other.
    fn record(&mut self, records: &[u32]) -> u32 {
        match usize::from(self.byte()) {
            known if known < records.len() => records[known],
            250.. => self.number() as u32,
            _ => records.last().copied().unwrap_or(0),
        }
    }
}

/// Crafts a pack: each step of the input is a letter and what follows it.
fn craft(bytes: &[u8]) -> Vec<u8> {
    let mut left = Take(bytes);
    let flags = left.byte();
    let (_, profile) = Profile::NAMED[usize::from(flags & 3) % Profile::NAMED.len()];
    let mut pack = crafted::Crafted::new(&profile);
    pack.keeps_rules = flags & 4 != 0;
    pack.keeps_sitemaps = flags & 8 != 0;
    for number in 0..flags >> 4 & 3 {
        pack.crawlers.push(vec![vec![b'a' + number]]);
    }
    pack.seed = u64::from(flags & 64);
    let mut records = vec![0];
    let (mut layers, mut lines) = (1, Vec::new());
    while let [step, ..] = left.0 {
        left.byte();
        match step {
            // A record with any body.
            b'r' => {
                let len = usize::from(left.byte());
                records.push(pack.record(left.bytes(len)));
            }
            // A table of two records.
            b't' => {
                let pairs: Vec<(u8, u16)> =
                    (0..left.byte() & 3).map(|_| (left.byte(), u16::from(left.byte()))).collect();
                let table = match left.byte() & 1 {
                    0 => vec![crafted::branch(&pairs, left.byte() & 1 != 0)],
                    _ => vec![crafted::wait(&pairs, left.byte()), crafted::branch(&[], true)],
                };
                let body = crafted::table_body(&crafted::table(&table));
                records.push(pack.record(&body));
            }
            // Rules, for a policy or for explanations.
            b'u' | b'x' => {
                let rules: Vec<crafted::PackedRule> = (0..left.byte() & 7)
                    .map(|_| {
                        let (precedence, len) = (left.byte(), usize::from(left.byte() & 15));
                        crafted::PackedRule::disallow(left.bytes(len), precedence.into())
                    })
                    .collect();
                let body = match step {
                    b'u' => crafted::rules_body(&rules),
                    _ => crafted::explain_body(&rules),
                };
                records.push(pack.record(&body));
            }
            // A panel, or explanations.
            b'p' | b'a' => {
                let of: Vec<u32> = (0..left.byte() & 7).map(|_| left.record(&records)).collect();
                let body = match step {
                    b'a' => crafted::about_body(&of),
                    _ => {
                        let columns = (0..pack.crawlers.len()).map(|_| left.byte().into());
                        crafted::panel_body(&of, &columns.collect::<Vec<u16>>())
                    }
                };
                records.push(pack.record(&body));
            }
            b's' => {
                let texts: Vec<&[u8]> = (0..left.byte() & 3)
                    .map(|_| {
                        let len = usize::from(left.byte() & 31);
                        left.bytes(len)
                    })
                    .collect();
                records.push(pack.record(&crafted::sitemaps_body(&texts)));
            }
            // The last record's bytes, changed.
            b'c' if !pack.records.is_empty() => {
                let at = left.number() as usize % pack.records.len();
                pack.records[at] ^= left.byte();
            }
            b'e' => {
                let (len, schemes) = (usize::from(left.byte() & 31), left.byte());
                let name = match len {
                    0 => &b"e.com"[..],
                    // Too long for a line.
                    1 => &[b'e'; 60],
                    _ => left.bytes(len),
                };
                let policies = left.record(&records);
                let mut entry = crafted::Entry::new(name, policies);
                (entry.schemes, entry.kind) = (schemes, left.byte());
                (entry.captured, entry.about) = (left.number() as u32, left.record(&records));
                entry.always = left.byte() & 3;
                pack.entries.push(entry);
            }
            // A name, as a record has it.
            b'w' => {
                let len = usize::from(left.byte() & 63);
                records.push(pack.record(&[&[8], left.bytes(len)].concat()));
            }
            // The lines of the index, changed or more.
            b'i' => lines.push((left.number(), left.byte(), left.byte())),
            b'l' => {
                let at = usize::from(left.byte()) % 144;
                pack.lie(at & !3, left.number());
            }
            b'n' if layers < 70 => {
                change_index(&mut pack, &mut lines);
                pack = pack.next_layer();
                layers += 1;
            }
            _ => {}
        }
    }
    change_index(&mut pack, &mut lines);
    pack.bytes()
}

/// Changes lines of the index: what is added to a byte, and the line copied so many times behind
/// itself.
fn change_index(pack: &mut crafted::Crafted, changes: &mut Vec<(u64, u8, u8)>) {
    if changes.is_empty() {
        return;
    }
    let mut index = pack.right_index();
    for (number, add, count) in changes.drain(..) {
        let line = (number / 64 % 64) as usize;
        if index.bytes.len() <= line {
            index.bytes.resize(line + 1, [0; 64]);
        }
        let byte = &mut index.bytes[line][(number % 64) as usize];
        *byte = byte.wrapping_add(add);
        let copies = std::iter::repeat_n(index.bytes[line], usize::from(count >> 4));
        index.bytes.splice(line..line, copies);
        index.reach = (index.bytes.len() as u64).saturating_sub(index.lines) as u32;
    }
    pack.index = Some(index);
}

/// Corrects magic numbers and checksums as far as the parts of the newest layer, and what stands
/// before it, can be located. Returns where the trailer begins.
fn mend(bytes: &mut [u8]) -> Option<usize> {
    let trailer = bytes.len().checked_sub(TRAILER_LEN).filter(|at| *at >= HEADER_LEN)?;
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..12].copy_from_slice(&[VERSION, 0, 0, 0]);
    let mark = crafted::mark_of(u64::from_le_bytes(*bytes[trailer + 128..].first_chunk()?));
    bytes[12..16].copy_from_slice(&mark);
    let mut end = bytes.len();
    // Each layer, from the newest on, as long as one stands before the other.
    loop {
        let (layer, _) = bytes.split_at_mut(end);
        let previous = mend_layer(layer)?;
        if previous < HEADER_LEN + TRAILER_LEN || previous >= end {
            return Some(trailer);
        }
        end = previous;
    }
}

/// Corrects the checksums of the layer at the end, and returns where the one before it ends.
fn mend_layer(bytes: &mut [u8]) -> Option<usize> {
    let trailer = bytes.len() - TRAILER_LEN;
    let large = |bytes: &[u8], number: usize| {
        let at = trailer + 32 + 8 * number;
        let number = u64::from_le_bytes(*bytes[at..].first_chunk()?);
        usize::try_from(number).ok().filter(|number| *number <= trailer)
    };
    let [begin, index, blocks] = [0, 1, 3].map(|number| large(bytes, number));
    let (begin, index, blocks) = (begin?, index?, blocks?);
    let (about, about_len) = (large(bytes, 4)?, large(bytes, 5)?);
    let previous = large(bytes, 6)?;
    let lines = u64::from_le_bytes(*bytes[trailer + 48..].first_chunk()?);
    let reach = u32::from_le_bytes(*bytes[trailer + 12..].first_chunk()?);
    let mut at = begin.next_multiple_of(16);
    while at + 8 <= index {
        let len = u32::from_le_bytes(*bytes[at..].first_chunk()?) as usize;
        let Some(end) = (at + 8).checked_add(len).filter(|end| *end <= index) else { break };
        let checksum = crc32fast::hash(&bytes[at + 8..end]);
        bytes[at + 4..at + 8].copy_from_slice(&checksum.to_le_bytes());
        at = end.next_multiple_of(16);
    }
    // Which parts the index has follows from the number of its lines.
    let len = usize::try_from(lines.checked_add(reach.into())?.checked_mul(64)?).ok()?;
    let blocks_end =
        blocks.checked_add(4 * len.div_ceil(BLOCK_LEN)).filter(|end| *end <= trailer)?;
    if index.checked_add(len) == Some(blocks) {
        let mut to = blocks;
        for from in (index..blocks).step_by(BLOCK_LEN) {
            let checksum = crc32fast::hash(&bytes[from..blocks.min(from + BLOCK_LEN)]);
            bytes.get_mut(to..to + 4)?.copy_from_slice(&checksum.to_le_bytes());
            to += 4;
        }
    }
    let blocks = crc32fast::hash(&bytes[blocks..blocks_end]);
    let about = crc32fast::hash(bytes.get(about..about.checked_add(about_len)?)?);
    bytes[trailer + 16..trailer + 20].copy_from_slice(&blocks.to_le_bytes());
    bytes[trailer + 20..trailer + 24].copy_from_slice(&about.to_le_bytes());
    mend_trailer(bytes);
    Some(previous)
}

/// Corrects the marks and the checksum of the trailer at the end.
fn mend_trailer(bytes: &mut [u8]) {
    let end = bytes.len();
    let seed = u64::from_le_bytes(*bytes[end - 32..].first_chunk().expect("eight bytes"));
    bytes[end - 24..end - 16].copy_from_slice([crafted::mark_of(seed); 2].as_flattened());
    bytes[end - 16..end - 12].copy_from_slice(&u32::from(VERSION).to_le_bytes());
    let checksum = crc32fast::hash(&bytes[end - TRAILER_LEN..end - 12]);
    bytes[end - 12..end - 8].copy_from_slice(&checksum.to_le_bytes());
    bytes[end - 8..].copy_from_slice(MAGIC);
}
