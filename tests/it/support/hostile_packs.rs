//! Packs made to be slow, of any size: each function returns one of about that many bytes.

use robotsieve::Profile;

use super::crafted::{
    Crafted, Entry, FIRST_PLACE, Index, PackedRule, about_body, branch, delay, explain_body,
    filter_len, line, number, panel_body, record, rules_body, sitemaps_body, table, table_body,
    wait, with_pace,
};

/// Makes a pack of about so many bytes.
type Make = fn(usize) -> Vec<u8>;

/// Each way, with its name.
pub const ALL: [(&str, Make); 24] = [
    ("branches without exits", branches_without_exits),
    ("small tables of branches without exits", small_tables),
    ("branches that share their targets", shared_branches),
    ("waits whose filters take long", long_filters),
    ("records within records", nested_records),
    ("records that all reach to the end", records_to_the_end),
    ("one damaged record for all origins", one_damaged_record),
    ("one record with damaged rules for all origins", one_record_with_damaged_rules),
    ("an index without room", full_index),
    ("an index whose entries nearly match", entries_that_nearly_match),
    ("entries that all have one long name", one_long_name),
    ("entries whose long names are anywhere", names_anywhere),
    ("layers whose lines are all full", full_layers),
    ("more layers than there may be", many_layers),
    ("layers in a circle", layers_in_a_circle),
    ("entries of the same origin", same_origin),
    ("one damaged block of the index", one_damaged_block),
    ("a panel of many crawlers", many_crawlers),
    ("a panel for all origins", one_panel),
    ("panels of panels", panels_of_panels),
    ("one damaged list of sitemaps for all origins", one_damaged_list),
    ("lists of sitemaps within lists", nested_lists),
    ("long rules that many tables share", shared_rules),
    ("ends of layers that are none", ends_without_layers),
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
    let records_end = table.len() - 16;
    let more = (bytes.min(60_000) / 2).saturating_sub(records_end / 2);
    table.splice(records_end..records_end, branch(&[], false).repeat(more));
    Crafted::of(&Profile::ORIGINAL_1994, &table_body(&table)).bytes()
}

fn small_tables(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    for transitions in [7, 17, 27].iter().cycle() {
        let body = table_body(&fan_out(*transitions, 3));
        let record = pack.record(&body);
        pack.entries.push(Entry::new(format!("{record}.com"), record));
        if pack.records.len() > bytes {
            break;
        }
    }
    pack.bytes()
}

/// A start with few transitions, each to a branch with many that it shares with the others.
fn shared_branches(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    while pack.records.len() < bytes {
        // A branch of 60 transitions to a branch of 80 transitions to itself.
        let first = FIRST_PLACE + 2 + 4 * 60;
        let target = u16::try_from(first).expect("a narrow table");
        let start: Vec<(u8, u16)> = letters(60).map(|byte| (byte, target)).collect();
        let itself: Vec<(u8, u16)> = letters(250).map(|byte| (byte, target)).collect();
        let body = table_body(&table(&[branch(&start, false), branch(&itself, false)]));
        let record = pack.record(&body);
        pack.entries.push(Entry::new(format!("{record}.com"), record));
    }
    pack.bytes()
}

/// Waits with two transitions to a branch with many, each to another such branch: each filter looks
/// at all that it may.
fn long_filters(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    while pack.records.len() < bytes {
        let wait_len = 2 + filter_len(2) + 2 * 4;
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
            records.push(wait(&[(b'a', at(1)), (b'b', at(1))], 0));
            for level in [2, 2] {
                let all: Vec<(u8, u16)> = letters(250).map(|byte| (byte, at(level))).collect();
                let mut record = branch(&all, false);
                record[0] = 1 | 2 << 3 | 3 << 5;
                record.extend(at(0).to_le_bytes());
                records.push(record);
            }
        }
        let mut table = table(&records);
        // The last filter is looked at only if those before it are right, so all are made so.
        mend_filters(&mut table, &records);
        let record = pack.record(&table_body(&table));
        pack.entries.push(Entry::new(format!("{record}.com"), record));
    }
    pack.bytes()
}

/// Makes the filters of all waits what they are if the transitions after `a` and `b` are too many to
/// look at: any byte may follow.
fn mend_filters(table: &mut [u8], records: &[Vec<u8>]) {
    let mut at = FIRST_PLACE;
    for record in records {
        if record[0] & 3 == 2 {
            // Two bits for each of six tables: four of them share the first 16 bytes.
            let (first, last) = table[at + 2..at + 2 + filter_len(2)].split_at_mut(16);
            for (bit, byte) in [(1, b'a'), (2, b'b')] {
                first[usize::from(byte & 15)] |= bit;
                first[usize::from(byte >> 4)] |= bit << 2;
            }
            first.iter_mut().for_each(|bits| *bits |= 0xF0);
            last.fill(0x0F);
        }
        at += record.len();
    }
}

/// Entries that lead to records which begin so many bytes before the end of all records.
fn lead_to(pack: &mut Crafted, from_end: &[usize]) {
    for from_end in from_end {
        let record = pack.record_number(pack.records.len() - from_end);
        pack.entries.push(Entry::new(format!("{record}.com"), record));
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
            rule.value = [b"/a", &[b'.'; 16][..fill], &records].concat();
            rules_body(&[rule])
        };
        // The records in the value begin at a multiple of 16 bytes.
        let before = 8 + body(0).len() - records.len();
        records = record(&body(before.next_multiple_of(16) - before));
        from_end.push(records.len());
    }
    (pack.records, pack.record_count) = (records, 1);
    lead_to(&mut pack, &from_end);
    pack.bytes()
}

/// A record begins every 16 bytes, and its body is the rest.
fn records_to_the_end(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    let count = bytes / 3 / 16;
    // From the end, in a buffer that is filled backwards.
    let mut records = vec![0; 16 * (count + 1)];
    for at in (0..16 * count).step_by(16).rev() {
        let body = &records[at + 8..];
        let head = [number(body.len()), crc32fast::hash(body).to_le_bytes()].concat();
        records[at..at + 8].copy_from_slice(&head);
    }
    (pack.records, pack.record_count) = (records, 1);
    let from_end: Vec<usize> = (32..pack.records.len()).step_by(16).collect();
    lead_to(&mut pack, &from_end);
    pack.bytes()
}

/// Many origins that share a record, and one for explanations.
fn with_many_origins(pack: &mut Crafted, record: u32, about: u32, count: usize) {
    for number in 0..count {
        let mut entry = Entry::new(format!("{number}.com"), record);
        entry.about = about;
        pack.entries.push(entry);
    }
}

fn one_damaged_record(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    let record = pack.record(&rules_body(&[PackedRule::disallow(&vec![b'/'; bytes / 2], 1)]));
    pack.records[4] ^= 1;
    with_many_origins(&mut pack, record, 0, bytes / 80);
    pack.bytes()
}

/// The table is right, so that only [`with_rules`](robotsieve::pack::PackedPolicy::with_rules)
/// finds that the last rule is cut short.
fn one_record_with_damaged_rules(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    pack.keeps_rules = true;
    let rules: Vec<PackedRule> = (0..bytes / 50).map(|_| PackedRule::disallow(b"/", 1)).collect();
    let record = pack.record(&table_body(&table(&[wait(&[], 0)])));
    let mut body = explain_body(&rules);
    body.pop();
    let rules = pack.record(&body);
    let about = pack.record(&about_body(&[0, rules]));
    with_many_origins(&mut pack, record, about, bytes / 80);
    pack.bytes()
}

/// Lines that say that more is behind them, for every hash as many as there may be.
fn full_lines(pack: &mut Crafted, lines: Vec<[u8; 64]>) {
    let reach = (lines.len() - 1).min(1024);
    let count = (lines.len() - reach) as u64;
    let reach = u32::try_from(reach).expect("small");
    pack.index = Some(Index { lines: count, reach, bytes: lines });
}

/// All lines are full, and those behind them too, so that each origin is far behind its line.
fn full_index(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    let record = pack.record(&rules_body(&[]));
    with_many_origins(&mut pack, record, 0, bytes / 32);
    let (mut all, _) = pack.entry_bytes();
    all.sort_by_key(|(hash, _)| *hash);
    let mut lines = Vec::new();
    for entries in all.chunks(4) {
        let entries: Vec<&[u8]> = entries.iter().map(|(_, entry)| &entry[..]).collect();
        lines.push(line(&entries, true));
    }
    full_lines(&mut pack, lines);
    pack.bytes()
}

/// In all lines that may have an origin stand others, with names that differ in a byte.
fn entries_that_nearly_match(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    let record = pack.record(&rules_body(&[]));
    let entry = |name: &str| Entry::new(name, record).bytes(false, 0, || 0);
    let [a, b] = ["e.con", "e.com"].map(entry);
    let mut lines = vec![line(&[&a, &a, &a, &a, &a], true); bytes / 64];
    lines.extend([line(&[&b], false)]);
    full_lines(&mut pack, lines);
    pack.bytes()
}

/// The name of a record, in all entries, with the hash of a host that is asked for.
fn one_long_name(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    let record = pack.record(&rules_body(&[]));
    let name = pack.record(&[&[8], &[b'a'; 2048][..]].concat());
    let mut entry = Entry::new(vec![b'a'; 2048], record).bytes(false, 0, || name);
    entry[6..10].copy_from_slice(&(super::crafted::hash(b"e.com", 0) as u32).to_le_bytes());
    let lines = vec![line(&[&entry, &entry, &entry, &entry], true); bytes / 64];
    full_lines(&mut pack, lines);
    pack.bytes()
}

/// In the header, the records, the index, beyond the end.
fn names_anywhere(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    let record = pack.record(&rules_body(&[]));
    let records = [0, 1, 2, 3, 100, 256, 300, bytes as u32 / 16, u32::MAX];
    let hash = super::crafted::hash(b"e.com", 0) as u32;
    let entries: Vec<Vec<u8>> = records
        .iter()
        .map(|name| {
            let mut entry = Entry::new(vec![b'a'; 2048], record).bytes(false, 0, || *name);
            entry[6..10].copy_from_slice(&hash.to_le_bytes());
            entry
        })
        .collect();
    let of = |n: usize| &entries[n % entries.len()][..];
    let lines = (0..bytes / 64).map(|n| line(&[of(4 * n), of(4 * n + 1), of(4 * n + 2)], true));
    let lines = lines.collect();
    full_lines(&mut pack, lines);
    pack.bytes()
}

/// Each layer has only full lines.
fn full_layers(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    for layer in 0..64 {
        if layer > 0 {
            pack = pack.next_layer();
        }
        if pack.begin() > bytes && layer > 1 {
            break;
        }
        let record = pack.record(&rules_body(&[]));
        let entry = Entry::new("a.com", record).bytes(false, 0, || 0);
        let count = (bytes / 64 / 64).max(1);
        full_lines(&mut pack, vec![line(&[&entry[..]; 5], true); count]);
        pack.origins = Some(1);
    }
    pack.bytes()
}

/// One more than 64, each with the same origin.
fn many_layers(_: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    for layer in 0..65 {
        if layer > 0 {
            pack = pack.next_layer();
        }
        let record = pack.record(&rules_body(&[]));
        pack.entries = vec![Entry::new("e.com", record)];
        // 64 of them are not refused.
        if layer == 63 {
            let right = pack.bytes();
            assert_eq!(robotsieve::pack::Pack::open(&right).map(|pack| pack.verify()), Ok(Ok(())));
        }
    }
    pack.bytes()
}

/// The layer before the last one is the last one.
fn layers_in_a_circle(_: usize) -> Vec<u8> {
    let pack = Crafted::of(&Profile::ORIGINAL_1994, &rules_body(&[]));
    let mut pack = pack.next_layer();
    let end = pack.bytes().len() as u64;
    pack.lie(super::crafted::at::PREVIOUS, end);
    pack.lie(super::crafted::at::BEGIN, end);
    pack.bytes()
}

/// All entries are of one origin, in the line of its hash and behind it.
fn same_origin(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    let record = pack.record(&rules_body(&[]));
    pack.entries = vec![Entry::new("e.com", record); (bytes / 16).min(5 * 1024)];
    let entry = pack.entries[0].bytes(false, 0, || 0);
    let count = pack.entries.len().div_ceil(5);
    let mut lines = vec![line(&[&entry[..]; 5], true); count];
    lines.extend([line(&[], false)]);
    let reach = u32::try_from(lines.len() - 1).expect("small");
    pack.index = Some(Index { lines: 1, reach, bytes: lines });
    pack.bytes()
}

/// The checksum of each block is wrong, but not that of all these.
fn one_damaged_block(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    let record = pack.record(&rules_body(&[]));
    with_many_origins(&mut pack, record, 0, bytes / 64);
    let mut bytes = pack.bytes();
    let number = |bytes: &[u8], at: usize| {
        let at = bytes.len() - super::crafted::TRAILER_LEN + at;
        u64::from_le_bytes(*bytes[at..].first_chunk().expect("eight bytes")) as usize
    };
    let index = number(&bytes, super::crafted::at::INDEX);
    let blocks = number(&bytes, super::crafted::at::BLOCKS);
    for block in (index..blocks).step_by(4096) {
        bytes[block] ^= 1;
    }
    bytes
}

/// Each crawler has a record of its own.
fn many_crawlers(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    let count = bytes / 40;
    pack.crawlers = vec![Vec::new(); count];
    let body = rules_body(&[]);
    let records: Vec<u32> = (0..count).map(|_| pack.record(&body)).collect();
    let columns: Vec<u16> = (0..count).map(|column| column as u16).collect();
    let panel = pack.record(&panel_body(&records, &columns));
    pack.entries.push(Entry::new("e.com", panel));
    pack.bytes()
}

/// All crawlers of all origins have the same long record, each origin with other explanations.
fn one_panel(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    (pack.keeps_rules, pack.keeps_sitemaps) = (true, true);
    let count = (bytes / 100).min(100);
    pack.crawlers = vec![Vec::new(); count];
    let long: Vec<PackedRule> = (0..bytes / 100).map(|_| PackedRule::disallow(b"/", 1)).collect();
    let record = pack.record(&rules_body(&long));
    let rules = pack.record(&explain_body(&long));
    let columns: Vec<u16> = (0..count).map(|column| column as u16).collect();
    let panel = pack.record(&panel_body(&vec![record; count], &columns));
    let mut all = vec![rules; count + 1];
    all[0] = 0;
    for number in 0..bytes / (8 * count + 200) {
        let about = pack.record(&about_body(&all));
        with_entry(&mut pack, format!("{number}.com"), panel, about);
    }
    pack.bytes()
}

fn with_entry(pack: &mut Crafted, name: String, policies: u32, about: u32) {
    let mut entry = Entry::new(name, policies);
    entry.about = about;
    pack.entries.push(entry);
}

/// Each panel leads to the next one, and the last one to the first.
fn panels_of_panels(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    pack.crawlers = vec![Vec::new(); 2];
    let count = bytes / 100;
    for number in 0..count {
        let next = pack.record_number(((number + 1) % count) * 32);
        let panel = pack.record(&panel_body(&[next, next], &[0, 1]));
        pack.entries.push(Entry::new(format!("{panel}.com"), panel));
    }
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
    let about = pack.record(&about_body(&[list]));
    with_many_origins(&mut pack, policy, about, bytes / 80);
    pack.bytes()
}

/// Each record is a sitemap that holds all records after it.
fn nested_lists(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    pack.keeps_sitemaps = true;
    let mut records: Vec<u8> = Vec::new();
    // From the last record to the first; offsets are from the end.
    let mut from_end = Vec::new();
    while records.len() < bytes / 2 {
        // Head, kind and length are 13 bytes, so the records begin at a multiple of 16.
        records = record(&sitemaps_body(&[&[b"...", &records[..]].concat()]));
        from_end.push(records.len());
    }
    (pack.records, pack.record_count) = (records, 1);
    let end = pack.records.len();
    let policy = pack.record(&rules_body(&[]));
    for from_end in from_end {
        let list = pack.record_number(end - from_end);
        let about = pack.record(&about_body(&[list]));
        with_entry(&mut pack, format!("{list}.com"), policy, about);
    }
    pack.bytes()
}

/// Many tables, each with a pace of its own, share one long record of rules.
fn shared_rules(bytes: usize) -> Vec<u8> {
    let mut pack = Crafted::new(&Profile::ORIGINAL_1994);
    pack.keeps_rules = true;
    let rules: Vec<PackedRule> = (0..bytes / 80).map(|_| PackedRule::disallow(b"/", 1)).collect();
    let rules = pack.record(&explain_body(&rules));
    let about = pack.record(&about_body(&[0, rules]));
    let table = table_body(&table(&[wait(&[], 0)]));
    for number in 0..bytes / 512 {
        let record = pack.record(&with_pace(&table, delay(number as u64, 0)));
        with_entry(&mut pack, format!("{number}.com"), record, about);
    }
    pack.bytes()
}

/// A pack, and behind it bytes with which each layer ends.
fn ends_without_layers(bytes: usize) -> Vec<u8> {
    let pack = Crafted::of(&Profile::ORIGINAL_1994, &rules_body(&[])).bytes();
    let trailer = &pack[pack.len() - super::crafted::TRAILER_LEN..];
    let more = trailer.repeat(bytes / 2 / trailer.len());
    [&pack[..], &more, &b"\x89rsieve\n".repeat(bytes / 16)].concat()
}
