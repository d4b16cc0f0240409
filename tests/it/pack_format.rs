//! A reader of packs that knows nothing but what `docs/pack.md` says: it finds origins, their records
//! and what these say, from the bytes alone.

use robotsieve::pack::{CaptureTimes, Pack, Writer};
use robotsieve::{Config, Crawler, Origin, Profile, SiteKind, SiteRules};

/// A file, and what its trailers say, the newest first.
struct File {
    bytes: Vec<u8>,
    layers: Vec<Trailer>,
}

#[derive(Clone, Copy, Debug)]
struct Trailer {
    kept: u32,
    crawlers: u32,
    reach: u32,
    shard: [u32; 2],
    seed: u64,
    /// From offset 32 on: begin, index, lines, blocks, description, its length, end of the layer
    /// before, end, origins, entries, records, files.
    numbers: [u64; 12],
}

#[derive(Debug, PartialEq, Eq)]
struct Entry {
    schemes: u8,
    kind: u8,
    captured: u32,
    always: u8,
    policies: u32,
    about: u32,
}

const MAGIC: [u8; 8] = [0x89, 0x72, 0x73, 0x69, 0x65, 0x76, 0x65, 0x0A];

fn u16_at(bytes: &[u8], at: usize) -> usize {
    usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

fn hash(authority: &[u8], seed: u64) -> u64 {
    const F: u64 = 0x9E37_79B9_7F4A_7C15;
    let fold = |x: u128| x as u64 ^ (x >> 64) as u64;
    let step = |h: u64, with: u64| fold(u128::from(h ^ with) * u128::from(F));
    let mut h = step(F ^ seed, authority.len() as u64 ^ F.rotate_left(32));
    for part in authority.chunks(8) {
        let number = part.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        h = step(h, number ^ F.rotate_left(17));
    }
    step(h, F.rotate_left(47))
}

impl File {
    fn open(bytes: &[u8]) -> File {
        assert_eq!(bytes[..12], [&MAGIC[..], &[6, 0, 0, 0]].concat());
        let (mut layers, mut end) = (Vec::new(), bytes.len());
        loop {
            let trailer = &bytes[end - 160..end];
            assert_eq!((u32_at(trailer, 144), &trailer[152..]), (6, &MAGIC[..]));
            assert_eq!((end % 256, u32_at(bytes, 12)), (0, crc32fast::hash(&trailer[128..136])));
            assert_eq!(u32_at(trailer, 148), crc32fast::hash(&trailer[..148]));
            assert_eq!([&trailer[136..140], &trailer[140..144]], [&bytes[12..16]; 2]);
            let layer = Trailer {
                kept: u32_at(trailer, 4),
                crawlers: u32_at(trailer, 8),
                reach: u32_at(trailer, 12),
                shard: [u32_at(trailer, 24), u32_at(trailer, 28)],
                seed: u64_at(trailer, 128),
                numbers: std::array::from_fn(|number| u64_at(trailer, 32 + 8 * number)),
            };
            let [_, index, lines, blocks, about, about_len, previous, its_end, ..] = layer.numbers;
            assert_eq!(its_end, end as u64);
            assert_eq!(blocks, index + 64 * (lines + u64::from(layer.reach)));
            let [index, blocks, about, about_len] =
                [index, blocks, about, about_len].map(|number| number as usize);
            let sums: Vec<u8> = bytes[index..blocks]
                .chunks(4096)
                .flat_map(|block| crc32fast::hash(block).to_le_bytes())
                .collect();
            assert_eq!(bytes[blocks..blocks + sums.len()], sums);
            assert_eq!(u32_at(trailer, 16), crc32fast::hash(&sums));
            let description = &bytes[about..about + about_len];
            assert_eq!(u32_at(trailer, 20), crc32fast::hash(description));
            layers.push(layer);
            match previous {
                0 => return File { bytes: bytes.to_vec(), layers },
                _ => end = previous as usize,
            }
        }
    }

    /// All texts of the description, and how many names each crawler has.
    fn description(&self) -> (Vec<String>, Vec<u32>) {
        let [.., about, about_len] = *self.layers[0].numbers.first_chunk::<6>().expect("twelve");
        let mut left = &self.bytes[about as usize..][..about_len as usize];
        let (mut texts, mut counts) = (Vec::new(), Vec::new());
        let mut text = |left: &mut &[u8]| {
            let len = u32_at(left, 0) as usize;
            texts.push(String::from_utf8(left[4..4 + len].to_vec()).expect("UTF-8"));
            *left = &left[4 + len..];
        };
        text(&mut left);
        text(&mut left);
        for _ in 0..self.layers[0].crawlers {
            let count = u32_at(left, 0);
            counts.push(count);
            left = &left[4..];
            (0..count).for_each(|_| text(&mut left));
        }
        assert!(left.is_empty());
        (texts, counts)
    }

    fn look_up(&self, scheme: u8, authority: &str) -> Option<Entry> {
        for layer in &self.layers {
            let hash = hash(authority.as_bytes(), layer.seed);
            let [_, index, lines, ..] = layer.numbers;
            let home = ((u128::from(hash) * u128::from(lines)) >> 64) as u64;
            for line in home..=home + u64::from(layer.reach) {
                let line = &self.bytes[(index + 64 * line) as usize..][..64];
                if let Some(entry) = self.entry(&line[..63], scheme, authority.as_bytes(), hash) {
                    return (entry.kind != 4).then_some(entry);
                }
                if line[63] & 1 == 0 {
                    break;
                }
            }
        }
        None
    }

    /// The entry of an origin in a line.
    fn entry(&self, mut line: &[u8], scheme: u8, authority: &[u8], hash: u64) -> Option<Entry> {
        while line.len() > 2 && line[..2] != [0, 0] {
            let head = u16_at(line, 0);
            let mut at = 6;
            let mut number = |is_there: bool| {
                let number = if is_there { u32_at(line, at) } else { 0 };
                at += if is_there { 4 } else { 0 };
                number
            };
            let captured = number(head >> 13 & 1 != 0);
            number(head >> 6 & 7 > 4);
            let about = number(self.layers[0].kept != 0);
            let len = if head & 63 == 63 { 8 } else { head & 63 };
            let (name, after) = line[at..].split_at(len);
            let is_it = match head & 63 {
                63 if u32_at(name, 0) == hash as u32 => {
                    let name = self.record(u32_at(name, 4));
                    name[0] == 8 && name[1..] == *authority
                }
                63 => false,
                _ => name == authority,
            };
            let schemes = (head >> 9 & 15) as u8;
            if is_it && schemes & scheme != 0 {
                let (kind, always) = ((head >> 6 & 7) as u8, (head >> 14) as u8);
                let policies = u32_at(line, 2);
                return Some(Entry { schemes, kind, captured, always, policies, about });
            }
            line = after;
        }
        None
    }

    fn record(&self, number: u32) -> &[u8] {
        let at = 16 * number as usize;
        let body = &self.bytes[at + 8..][..u32_at(&self.bytes, at) as usize];
        assert_eq!(u32_at(&self.bytes, at + 4), crc32fast::hash(body));
        body
    }

    /// The policy's record, and that of its rules.
    fn policy(&self, entry: &Entry, crawler: usize) -> (&[u8], u32) {
        let record = self.record(entry.policies);
        let (policy, index) = match record[0] {
            4 => {
                let count = u16_at(record, 1);
                let index = u16_at(record, 3 + 4 * count + 2 * crawler);
                (self.record(u32_at(record, 3 + 4 * index)), index)
            }
            _ => (record, 0),
        };
        let rules = match entry.about {
            0 => 0,
            about => u32_at(self.record(about), 1 + 4 * (1 + index)),
        };
        (policy, rules)
    }

    fn sitemaps(&self, entry: &Entry) -> Vec<&[u8]> {
        let about = if entry.about == 0 { 0 } else { u32_at(self.record(entry.about), 1) };
        let mut left = if about == 0 { &[][..] } else { &self.record(about)[1..] };
        let mut sitemaps = Vec::new();
        while !left.is_empty() {
            let len = u32_at(left, 0) as usize;
            sitemaps.push(&left[4..4 + len]);
            left = &left[4 + len..];
        }
        sitemaps
    }
}

const FILE: &[u8] = b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /a\n\
    Disallow: /b*c$\nAllow: /a/b\nCrawl-delay: 2.5\nSitemap: https://e.com/1.xml\nSitemap: /2";

fn config() -> Config {
    let mut config = Config::default();
    (config.keep_rules, config.keep_sitemaps) = (true, true);
    config
}

fn origin(text: &str) -> Origin<'_> {
    Origin::of(text).expect("an origin")
}

#[test]
fn hashes() {
    assert_eq!(hash(b"example.com", 0), 0xC7B1_FAC7_AE66_592F);
    assert_eq!(hash(b"example.com", 1), 0x65D2_5350_5D57_0318);
}

#[test]
fn from_the_bytes_alone() {
    let crawlers = ["GPTBot", "Googlebot", "other"].map(Crawler::name);
    let mut writer =
        Writer::new(Vec::new(), &Profile::RFC9309, crawlers, &config()).expect("a Vec");
    let packed = writer.recipe().pack(FILE);
    let rules = SiteRules::Rules(writer.put(&packed).expect("a Vec"));
    for number in 0..3_000 {
        let key = format!("https://{number}.example");
        writer.add(&origin(&key), rules, None).expect("a Vec");
    }
    let long = format!("{}.example", "a".repeat(60));
    writer.add(&origin(&format!("https://{long}")), SiteRules::AllowAll, None).expect("a Vec");
    for (key, outcome, time) in [
        ("http://e.com", rules, 1_764_000_000),
        ("https://e.com", rules, 1_764_000_000),
        ("https://e.com:8443", SiteRules::AllowAll, 7),
        ("ftp://e.com", SiteRules::Unknown, 8),
    ] {
        writer.add(&origin(key), outcome, Some(time)).expect("a Vec");
    }
    let mut bytes = writer.finish().expect("a Vec");
    let file = File::open(&bytes);
    assert_eq!(file.layers.len(), 1);
    assert_eq!(file.layers[0].shard, [0, 1]);
    assert_ne!(file.layers[0].seed, 0, "random");
    let [.., origins, entries, _, files] = file.layers[0].numbers;
    assert_eq!((origins, entries, files), (3_005, 3_004, 1));
    let (texts, counts) = file.description();
    assert_eq!((&texts[0][..], &counts[..]), ("rfc9309", &[1, 1, 1][..]));
    assert_eq!(texts[2..].join(" ").to_lowercase(), "gptbot googlebot other");

    let entry = file.look_up(1, "e.com").expect("is there");
    assert_eq!((entry.schemes, entry.kind, entry.captured), (3, 0, 1_764_000_000));
    assert_eq!(file.look_up(2, "e.com").as_ref(), Some(&entry));
    assert_eq!(file.look_up(4, "e.com").map(|entry| (entry.kind, entry.policies)), Some((3, 0)));
    assert_eq!(file.look_up(2, "e.com:8443").map(|entry| entry.kind), Some(1));
    assert_eq!(file.look_up(1, "e.com:8443"), None);
    let all = file.look_up(2, &long).expect("is there");
    assert_eq!((all.kind, all.always, entry.always), (1, 1, 0));
    assert_eq!(file.look_up(2, "nobody.example"), None);
    for number in 0..3_000 {
        assert!(file.look_up(2, &format!("{number}.example")).is_some());
        assert!(file.look_up(1, &format!("{number}.example")).is_none());
    }
    assert_eq!(file.sitemaps(&entry), [&b"https://e.com/1.xml"[..], b"/2"]);

    // Crawlers 1 and 2 share a policy, which is a table with a pace; its rules are kept.
    let (policy, rules) = file.policy(&entry, 1);
    assert_eq!(file.policy(&entry, 2), (policy, rules));
    assert_ne!(file.policy(&entry, 0).0, policy);
    assert_eq!(policy[0], 2);
    let pace = &policy[policy.len() - 32..];
    assert_eq!((u64_at(pace, 0), u32_at(pace, 8), u32_at(pace, 12)), (2, 500_000_000, 0));
    assert_eq!((u64_at(pace, 16), u32_at(pace, 24), u32_at(pace, 28)), (0, 0, u32::MAX));
    // A table begins with the width of its targets, and its first record is after the header.
    let table = &policy[1..policy.len() - 32];
    assert!(table[0] == 2 && table.len() > 6 + 16);
    let body = file.record(rules);
    assert_eq!((body[0], u32_at(body, 1), u32_at(body, 5)), (5, 0, 1));
    assert_eq!((u32_at(body, 9), u32_at(body, 13), body[17]), (4, 1, b'*'));
    assert_eq!(u32_at(body, 18), 3);
    let mut at = 22;
    let rules: Vec<(u32, u8, &[u8], &[u8])> = (0..3)
        .map(|_| {
            let (line, bits) = (u32_at(body, at), body[at + 8]);
            let [pattern, value] = [9, 13].map(|more| u32_at(body, at + more) as usize);
            let stored = if bits & 4 == 0 { pattern } else { 0 };
            let texts = &body[at + 17..at + 17 + stored + value];
            at += 17 + stored + value;
            (line, bits & 3, &texts[..pattern], &texts[stored..])
        })
        .collect();
    assert_eq!(at, body.len());
    assert_eq!(
        rules,
        [(6, 3, &b"/b*c"[..], &b"/b*c$"[..]), (7, 0, b"/a/b", b"/a/b"), (5, 1, b"/a", b"/a"),]
    );

    // An update: one origin is gone, one is new, one has something else for a scheme.
    let pack = Pack::open(&bytes).expect("a pack");
    let mut layer =
        Writer::append(&pack, Vec::new(), &Profile::RFC9309, &config()).expect("a layer");
    layer.forget(&origin("https://e.com:8443")).expect("a Vec");
    layer.add(&origin("https://e.com"), SiteRules::DisallowAll, Some(9)).expect("a Vec");
    layer.add(&origin("https://new.example"), SiteRules::AllowAll, Some(9)).expect("a Vec");
    let later = origin("https://later.example");
    let times = CaptureTimes { captured: 5, is_later: true, other: 0 };
    layer.add_at(&later, SiteRules::AllowAll, times).expect("a Vec");
    let two = origin("https://two.example");
    let of_two = [(true, 5), (false, 0)].map(|(is_later, captured)| CaptureTimes {
        captured,
        is_later,
        other: 7,
    });
    layer.add_at(&two, SiteRules::DisallowAll, of_two[0]).expect("a Vec");
    layer.add_at(&origin("http://two.example"), SiteRules::AllowAll, of_two[1]).expect("a Vec");
    let unknown = origin("ftp://two.example");
    layer.add_at(&unknown, SiteRules::Unknown, of_two[0]).expect("a Vec");
    let layer = layer.finish().expect("a Vec");
    drop(pack);
    let before = bytes.len() as u64;
    bytes.extend(layer);
    let file = File::open(&bytes);
    let [begin, .., origins, entries, _, _] = file.layers[0].numbers;
    assert_eq!((file.layers.len(), begin, origins, entries), (2, before, 3_009, 7));
    assert_eq!(file.layers[0].seed, file.layers[1].seed);
    assert_eq!(file.layers[0].numbers[6], before);
    assert_eq!(file.look_up(2, "e.com:8443"), None);
    assert_eq!(file.look_up(1, "e.com"), Some(entry));
    assert_eq!(file.look_up(2, "e.com").map(|entry| (entry.kind, entry.captured)), Some((2, 9)));
    let entry = file.look_up(2, "later.example").expect("is there");
    assert_eq!((entry.schemes, entry.kind, entry.captured), (8 | 2, 1, 5));
    let entry = file.look_up(2, "two.example").expect("is there");
    assert_eq!((entry.schemes, entry.kind, entry.captured), (8 | 2, 7, 5));
    let pack = Pack::open(&bytes).expect("a pack");
    pack.verify().expect("no damage");
    assert_eq!(pack.stat().expect("no damage").captured, Some((8, 1_764_000_000)));
    let known = |key: &str| {
        let site = pack.get(&origin(key)).expect("no damage").expect("is there");
        (site.kind(), site.times())
    };
    assert_eq!(known("https://two.example"), (SiteKind::DisallowAll, of_two[0]));
    assert_eq!(known("http://two.example"), (SiteKind::AllowAll, of_two[1]));
    let alone = CaptureTimes { other: 0, ..of_two[0] };
    assert_eq!(known("ftp://two.example"), (SiteKind::Unknown, alone));
    let site = pack.get(&later).expect("no damage").expect("is there");
    assert_eq!((site.captured(), site.captured_after()), (None, Some(5)));
    assert!(file.look_up(2, "new.example").is_some() && file.look_up(2, "7.example").is_some());
}

/// XXH64 as its specification says, as a signed number: the file of an authority.
#[test]
fn files_of_origins() {
    const P: [u64; 5] = [
        0x9E37_79B1_85EB_CA87,
        0xC2B2_AE3D_27D4_EB4F,
        0x1656_67B1_9E37_79F9,
        0x85EB_CA77_C2B2_AE63,
        0x27D4_EB2F_1656_67C5,
    ];
    let round = |acc: u64, lane: u64| {
        let acc = acc.wrapping_add(lane.wrapping_mul(P[1]));
        acc.rotate_left(31).wrapping_mul(P[0])
    };
    let xxh64 = |text: &[u8], seed: u64| {
        let mut left = text;
        let mut h = seed.wrapping_add(P[4]);
        if text.len() >= 32 {
            let mut accs = [
                seed.wrapping_add(P[0]).wrapping_add(P[1]),
                seed.wrapping_add(P[1]),
                seed,
                seed.wrapping_sub(P[0]),
            ];
            while left.len() >= 32 {
                for (lane, acc) in accs.iter_mut().enumerate() {
                    *acc = round(*acc, u64_at(left, 8 * lane));
                }
                left = &left[32..];
            }
            h = accs
                .iter()
                .zip([1, 7, 12, 18])
                .fold(0, |h: u64, (acc, rotation)| h.wrapping_add(acc.rotate_left(rotation)));
            for acc in accs {
                h = (h ^ round(0, acc)).wrapping_mul(P[0]).wrapping_add(P[3]);
            }
        }
        h = h.wrapping_add(text.len() as u64);
        while left.len() >= 8 {
            h ^= round(0, u64_at(left, 0));
            h = h.rotate_left(27).wrapping_mul(P[0]).wrapping_add(P[3]);
            left = &left[8..];
        }
        if left.len() >= 4 {
            h ^= u64::from(u32_at(left, 0)).wrapping_mul(P[0]);
            h = h.rotate_left(23).wrapping_mul(P[1]).wrapping_add(P[2]);
            left = &left[4..];
        }
        for byte in left {
            h ^= u64::from(*byte).wrapping_mul(P[4]);
            h = h.rotate_left(11).wrapping_mul(P[0]);
        }
        h = (h ^ h >> 33).wrapping_mul(P[1]);
        h = (h ^ h >> 29).wrapping_mul(P[2]);
        (h ^ h >> 32) as i64
    };
    // As the Python package `xxhash` has it.
    assert_eq!(xxh64(b"example.com", 42), 3_640_505_666_308_707_831);
    for authority in ["example.com", "e.com:8080", "a-long-name-of-more-than-32-bytes.example:81"] {
        for shards in [1, 2, 16, 1_000, u32::MAX] {
            let wanted = xxh64(authority.as_bytes(), 42).rem_euclid(i64::from(shards));
            for scheme in ["http", "https"] {
                let key = format!("{scheme}://{authority}");
                assert_eq!(i64::from(origin(&key).shard(shards)), wanted, "{key} {shards}");
            }
        }
    }
    assert_eq!(origin("https://example.com").shard(16), 7);
}
