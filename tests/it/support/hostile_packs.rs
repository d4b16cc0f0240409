//! Packs made to be slow, of any size: each function returns one of about that many bytes.

use robotsieve::Profile;

use super::crafted::{
    Crafted, FIRST_PLACE, PackedRule, Slot, branch, delay, hash, number, record, rules_body,
    sitemaps_body, table, table_body, wait, with_pace,
};

/// Makes a pack of about so many bytes.
type Make = fn(usize) -> Vec<u8>;

/// Each way, with its name.
pub const ALL: [(&str, Make); 13] = [
    ("branches without exits", branches_without_exits),
    ("small tables of branches without exits", small_tables),
    ("branches that share their targets", shared_branches),
    ("waits whose filters take long", long_filters),
    ("records within records", nested_records),
    ("records that all reach to the end", records_to_the_end),
    ("one damaged record for all origins", one_damaged_record),
    ("one record with damaged rules for all origins", one_record_with_damaged_rules),
    ("an index without free slots", full_index),
    ("names that overlap", overlapping_names),
    ("a row of many crawlers", many_crawlers),
    ("one damaged list of sitemaps for all origins", one_damaged_list),
    ("lists of sitemaps within lists", nested_lists),
];

/// Bytes of transitions: none of them is special in the profile that all packs here have.
fn letters(count: usize) -> impl Iterator<Item = u8> {
    (0..=255).filter(|byte| *byte != b'#').take(count)
}

/// Levels of branches with as many transitions each, down to a branch without any: nothing that
/// is reached becomes an entry, so their number is never over the limit.
fn fan_out(transitions: usize, levels: usize) -> Vec<u8> {
    let len = 2 + 4 * transitions;
    let mut records = Vec::new();
    for level in 1..=levels {
        let target = u16::try_from(FIRST_PLACE + level * len).expect("a narrow table");
        let all: Vec<(u8, u16)> = letters(transitions).map(|byte| (byte, target)).collect();
        records.push(branch(&all, false));
    }
    records.push(branch(&[], false));
    table(&records)
}

fn branches_without_exits(bytes: usize) -> Vec<u8> {
    // As many levels as lead to the most work, and the rest of the table out of reach.
    let mut table = fan_out(250, 3);
    let records_end = table.len() - 32;
    let more = (bytes.min(60_000) / 2).saturating_sub(records_end / 2);
    table.splice(records_end..records_end, branch(&[], false).repeat(more));
    Crafted::of(&Profile::ORIGINAL_1994, &table_body(&table)).bytes()
}

fn small_tables(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    let mut origins = Vec::new();
    for transitions in [7, 17, 27].iter().cycle() {
        let body = table_body(&fan_out(*transitions, 3));
        let record = pack.record(&body);
        let row = pack.row(&[record]);
        origins.push((format!("{row}.com").into_bytes(), row));
        if pack.records.len() > bytes {
            break;
        }
    }
    pack.origins(&origins);
    pack.bytes()
}

/// A start with few transitions, each to a branch with many that it shares with the others.
fn shared_branches(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    let mut origins = Vec::new();
    while pack.records.len() < bytes {
        // A branch of 60 transitions to a branch of 80 transitions to itself.
        let first = FIRST_PLACE + 2 + 4 * 60;
        let target = u16::try_from(first).expect("a narrow table");
        let start: Vec<(u8, u16)> = letters(60).map(|byte| (byte, target)).collect();
        let itself: Vec<(u8, u16)> = letters(250).map(|byte| (byte, target)).collect();
        let body = table_body(&table(&[branch(&start, false), branch(&itself, false)]));
        let record = pack.record(&body);
        let row = pack.row(&[record]);
        origins.push((format!("{row}.com").into_bytes(), row));
    }
    pack.origins(&origins);
    pack.bytes()
}

/// Waits with two transitions to a branch with many, each to another such branch: each filter looks
/// at all that it may.
fn long_filters(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    let mut origins = Vec::new();
    while pack.records.len() < bytes {
        let wait_len = 2 + 96 + 2 * 4;
        let branch_len = 2 + 4 * 250 + 2;
        let waits = 20;
        let mut records = Vec::new();
        for number in 0..waits {
            let at = |record: usize| {
                let pair = wait_len + 2 * branch_len;
                u16::try_from(
                    FIRST_PLACE + number * pair + [0, wait_len, wait_len + branch_len][record],
                )
                .expect("a narrow table")
            };
            records.push(wait(&[(b'a', at(1)), (b'b', at(1))], [0; 96]));
            for level in [2, 2] {
                let all: Vec<(u8, u16)> = letters(250).map(|byte| (byte, at(level))).collect();
                let mut record = branch(&all, false);
                record[0] = 1 | 2 << 3;
                record.extend(at(0).to_le_bytes());
                records.push(record);
            }
        }
        let mut table = table(&records);
        // The last filter is looked at only if those before it are right, so all are made so.
        mend_filters(&mut table, &records);
        let record = pack.record(&table_body(&table));
        let row = pack.row(&[record]);
        origins.push((format!("{row}.com").into_bytes(), row));
    }
    pack.origins(&origins);
    pack.bytes()
}

/// Makes the filters of all waits what they are if the transitions after `a` and `b` are too many to
/// look at: any byte may follow.
fn mend_filters(table: &mut [u8], records: &[Vec<u8>]) {
    let mut at = FIRST_PLACE;
    for record in records {
        if record[0] & 3 == 2 {
            let (first, following) = table[at + 2..at + 98].split_at_mut(32);
            for (bit, byte) in [(1, b'a'), (2, b'b')] {
                first[usize::from(byte & 15)] |= bit;
                first[16 + usize::from(byte >> 4)] |= bit;
                following.iter_mut().for_each(|bits| *bits |= bit);
            }
        }
        at += record.len();
    }
}

/// Each record is rules with one value, which holds all records after it.
fn nested_records(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    let mut records: Vec<u8> = Vec::new();
    // From the last record to the first; offsets are from the end.
    let mut from_end = Vec::new();
    while records.len() < bytes / 2 {
        let body = |fill: usize| {
            let mut rule = PackedRule::disallow(b"/a", 2);
            rule.value = [b"/a", &[b'.'; 8][..fill], &records].concat();
            rules_body(&[rule])
        };
        // The records in the value begin at a multiple of eight bytes.
        let before = 8 + body(0).len() - records.len();
        records = record(&body(before.next_multiple_of(8) - before));
        from_end.push(records.len());
    }
    pack.records = records;
    pack.record_count = 1;
    let mut origins = Vec::new();
    for from_end in from_end {
        let record = pack.record_number(pack.records.len() - from_end);
        let row = pack.row(&[record]);
        origins.push((format!("{row}.com").into_bytes(), row));
    }
    pack.origins(&origins);
    pack.bytes()
}

/// A record begins every eight bytes, and its body is the rest.
fn records_to_the_end(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    let count = bytes / 3 / 8;
    // From the end, in a buffer that is filled backwards.
    let mut records = vec![0; 8 * (count + 1)];
    for at in (0..8 * count).step_by(8).rev() {
        let body = &records[at + 8..];
        let head = [number(body.len()), crc32fast::hash(body).to_le_bytes()].concat();
        records[at..at + 8].copy_from_slice(&head);
    }
    pack.records = records;
    pack.record_count = 1;
    let mut origins = Vec::new();
    for at in (0..pack.records.len() - 8).step_by(8) {
        let record = pack.record_number(at);
        let row = pack.row(&[record]);
        origins.push((format!("{row}.com").into_bytes(), row));
    }
    pack.origins(&origins);
    pack.bytes()
}

/// Many origins that share a row.
fn with_many_origins(pack: &mut Crafted, record: u32, count: usize) {
    let row = pack.row(&[record]);
    let origins: Vec<(Vec<u8>, u32)> =
        (0..count).map(|number| (format!("{number}.com").into_bytes(), row)).collect();
    pack.origins(&origins);
}

fn one_damaged_record(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    let record = pack.record(&rules_body(&[PackedRule::disallow(&vec![b'/'; bytes / 2], 1)]));
    pack.records[4] ^= 1;
    with_many_origins(&mut pack, record, bytes / 80);
    pack.bytes()
}

/// The table is right, so that only [`with_rules`](robotsieve::pack::PackedPolicy::with_rules)
/// finds that the last rule is cut short.
fn one_record_with_damaged_rules(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    pack.keeps_rules = true;
    let rules: Vec<PackedRule> = (0..bytes / 50).map(|_| PackedRule::disallow(b"/", 1)).collect();
    let mut body = table_body(&table(&[wait(&[], [0; 96])]));
    body.extend(&rules_body(&rules)[1..]);
    body.pop();
    let record = pack.record(&body);
    with_many_origins(&mut pack, record, bytes / 80);
    pack.bytes()
}

/// All origins are where the hash of the first one leads, so each is looked for among all.
fn full_index(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    let record = pack.record(&rules_body(&[]));
    let row = pack.row(&[record]);
    let count = (bytes / 24).next_power_of_two();
    let mut slots = vec![Slot::FREE; count];
    for (number, slot) in slots.iter_mut().enumerate() {
        let name = format!("{number:06}");
        *slot = Slot {
            upper_hash: (hash(name.as_bytes(), 0) >> 32) as u32,
            row,
            name_at: pack.names.len() as u64,
            name_len: 6,
        };
        pack.names.extend(name.bytes());
    }
    pack.slots = slots;
    pack.reach = u32::try_from(count - 1).expect("a small pack");
    pack.bytes()
}

/// All names are the same long text, but for where they end.
fn overlapping_names(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    let record = pack.record(&rules_body(&[]));
    let row = pack.row(&[record]);
    let len = (bytes / 4).min(60_000);
    let count = (bytes / 64).next_power_of_two().min(len);
    pack.names = vec![b'a'; len];
    pack.slots = vec![Slot::FREE; 2 * count];
    for cut in 0..count {
        let name = &pack.names[cut..];
        let hash = hash(name, 0);
        let slots = pack.slots.len();
        let home = hash as usize & (slots - 1);
        let distance = (0..slots)
            .find(|distance| pack.slots[(home + distance) & (slots - 1)].row == u32::MAX)
            .expect("half of them are free");
        pack.reach = pack.reach.max(u32::try_from(distance).expect("a small pack"));
        pack.slots[(home + distance) & (slots - 1)] = Slot {
            upper_hash: (hash >> 32) as u32,
            row,
            name_at: cut as u64,
            name_len: u16::try_from(len - cut).expect("at most 60,000"),
        };
    }
    pack.bytes()
}

/// Each crawler has a record of its own.
fn many_crawlers(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    let count = bytes / 40;
    pack.crawlers = vec![Vec::new(); count];
    let body = rules_body(&[]);
    let records: Vec<u32> = (0..count).map(|_| pack.record(&body)).collect();
    let row = pack.row(&records);
    pack.origins(&[(b"e.com".to_vec(), row)]);
    pack.bytes()
}

/// The last of many empty sitemaps is cut short.
fn one_damaged_list(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    pack.keeps_sitemaps = true;
    let policy = pack.record(&with_pace(&rules_body(&[]), delay(1, 0)));
    let mut list = sitemaps_body(&vec![&b""[..]; bytes / 8]);
    list.pop();
    let list = pack.record(&list);
    let row = pack.row(&[policy, list]);
    let origins: Vec<(Vec<u8>, u32)> =
        (0..bytes / 80).map(|number| (format!("{number}.com").into_bytes(), row)).collect();
    pack.origins(&origins);
    pack.bytes()
}

/// Each record is a sitemap that holds all records after it.
fn nested_lists(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    pack.keeps_sitemaps = true;
    let mut records = record(&rules_body(&[]));
    // From the last record to the first; offsets are from the end.
    let policy_from_end = records.len();
    let mut from_end = Vec::new();
    while records.len() < bytes / 2 {
        // Head, kind and length are 13 bytes, so the records begin at a multiple of eight.
        records = record(&sitemaps_body(&[&[b"...", &records[..]].concat()]));
        from_end.push(records.len());
    }
    pack.records = records;
    pack.record_count = 1;
    let policy = pack.record_number(pack.records.len() - policy_from_end);
    let mut origins = Vec::new();
    for from_end in from_end {
        let list = pack.record_number(pack.records.len() - from_end);
        let row = pack.row(&[policy, list]);
        origins.push((format!("{row}.com").into_bytes(), row));
    }
    pack.origins(&origins);
    pack.bytes()
}
