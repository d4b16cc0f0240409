//! Packs that no writer makes: what is not as a writer writes it is refused, however right its
//! checksums are.

use std::path::Path;

use crate::pack::origin;
use crate::support::crafted::{
    Crafted, Entry, Index, PackedRule, about_body, at, branch, delay, explain_body, hash, line,
    panel_body, record, rules_body, sitemaps_body, table, table_body, wait, with_pace,
};
use crate::support::whole_pack::look_at;
use crate::support::{generate, hostile_packs};
use proptest::prelude::*;
use robotsieve::pack::{FileError, Pack, PackError, Writer};
use robotsieve::{Answer, Config, Crawler, CrawlerId, Origin, Profile, SiteKind, SiteRules};
use robotsieve_corpora::effort;

/// What is wrong with a pack; `None` if it is as a writer writes it. Uses it in every way.
fn damage(pack: &Crafted) -> Option<&'static str> {
    match look_at(&pack.bytes(), usize::MAX) {
        Ok(()) => None,
        Err(PackError::Damaged { what, .. }) => Some(what),
        Err(error) => panic!("{error}"),
    }
}

fn of(body: &[u8]) -> Crafted {
    Crafted::of(&Profile::RFC9309, body)
}

#[test]
fn as_a_writer_writes_it() {
    let rules = [PackedRule::disallow(b"/ab", 3), PackedRule::disallow(b"/a", 2)];
    let pack = of(&rules_body(&rules));
    assert_eq!(damage(&pack), None);
    let bytes = pack.bytes();
    let pack = Pack::open(&bytes).expect("a pack");
    let site = pack.get(&origin("e.com")).expect("no damage").expect("is there");
    let mut answers = [Answer::Unknown];
    for (path, answer) in [("/ab", Answer::Disallow), ("/b", Answer::Allow)] {
        site.ask_into(path, &mut answers).expect("no damage");
        assert_eq!(answers, [answer]);
    }
    assert_eq!(damage(&of(&table_body(&table(&[wait(&[], 0)])))), None);
}

#[test]
fn tables() {
    let right = table(&[wait(&[], 0)]);
    let invalid = Some("an invalid table");
    let cases: [(&str, Vec<u8>, Option<&'static str>); 7] = [
        ("a target outside", table_body(&table(&[branch(&[(b'a', 9)], false)])), invalid),
        ("equal bytes", table_body(&table(&[branch(&[(b'a', 1), (b'a', 1)], false)])), invalid),
        ("no records", table_body(&table(&[])), invalid),
        ("more than a table", [table_body(&right), vec![1]].concat(), invalid),
        ("a part of a table", table_body(&right[..right.len() - 1]), invalid),
        ("no table", vec![0], invalid),
        ("nothing", vec![], Some("the number of records is wrong")),
    ];
    for (name, body, wanted) in cases {
        assert_eq!(damage(&of(&body)), wanted, "{name}");
    }
    for kind in [3, 8, 9, 12, 16, 0xFF] {
        let wanted = match kind {
            3 | 0xFF => "the pace of a record cannot be read",
            8 => "the record is no policy",
            9 => "rights in a pack that keeps none",
            _ => "the kind of a record is unknown",
        };
        assert_eq!(damage(&of(&[kind, 1, 0, 0, 0])), Some(wanted), "{kind}");
    }
}

#[test]
fn rules() {
    let one = |change: fn(&mut PackedRule)| {
        let mut rule = PackedRule::disallow(b"/a", 2);
        change(&mut rule);
        rules_body(&[rule])
    };
    let mut more_than_there_are = rules_body(&[]);
    more_than_there_are[9..13].copy_from_slice(&u32::MAX.to_le_bytes());
    let bodies = [
        ("a pattern not normalised", one(|rule| rule.pattern = b"/%41".to_vec())),
        ("a line end in a pattern", one(|rule| rule.pattern = b"/a\nb".to_vec())),
        ("a line end in a value", one(|rule| rule.value = b"/a\nb".to_vec())),
        ("no value", one(|rule| (rule.pattern, rule.value) = (Vec::new(), Vec::new()))),
        (
            "the wrong order",
            rules_body(&[PackedRule::disallow(b"/a", 2), PackedRule::disallow(b"/ab", 3)]),
        ),
        ("more rules than there are", more_than_there_are),
        ("more than rules", [rules_body(&[]), vec![0]].concat()),
    ];
    for (name, body) in bodies {
        assert_eq!(damage(&of(&body)), Some("the rules of a record cannot be read"), "{name}");
    }
    // 256 rules of one byte.
    let all = |begin: &[u8]| -> Vec<PackedRule> {
        let bytes = 0..=255u8;
        bytes.map(|byte| PackedRule::disallow(&[begin, &[byte]].concat(), 2)).collect()
    };
    for begin in [&b"/"[..], b""] {
        for (name, profile) in Profile::NAMED {
            let pack = Crafted::of(profile, &rules_body(&all(begin)));
            assert_eq!(damage(&pack), Some("the rules of a record cannot be read"), "{name}");
        }
    }
}

#[test]
fn paces() {
    let rules = rules_body(&[PackedRule::disallow(b"/a", 2)]);
    let table = table_body(&table(&[wait(&[], 0)]));
    for body in [&rules, &table] {
        let pack = of(&with_pace(body, delay(5, 500_000_000)));
        assert_eq!(damage(&pack), None);
        let bytes = pack.bytes();
        let pack = Pack::open(&bytes).expect("a pack");
        let site = pack.get(&origin("e.com")).expect("no damage").expect("is there");
        let delay = site.pace(CrawlerId::at(0)).expect("no damage").crawl_delay;
        assert_eq!(delay, Some(std::time::Duration::from_millis(5_500)));
    }
    let change = |change: fn(&mut [u8; 32])| {
        let mut pace = delay(1, 0);
        change(&mut pace);
        with_pace(&rules, pace)
    };
    let bodies = [
        ("nanoseconds of a second and more", change(|pace| *pace = delay(1, 1_000_000_000))),
        ("a delay that is none and some", change(|pace| pace[8..12].fill(0xFF))),
        ("nothing", change(|pace| *pace = delay(0, u32::MAX))),
        ("a period without requests", change(|pace| pace[16] = 1)),
        ("a window without a rate", change(|pace| pace[28..].fill(0))),
        ("a window after midnight", change(|pace| (pace[12], pace[29]) = (1, 0xF0))),
        ("cut short", [&[3], &[0; 31][..]].concat()),
    ];
    for (name, body) in bodies {
        assert_eq!(damage(&of(&body)), Some("the pace of a record cannot be read"), "{name}");
    }
    // The 32 bytes are taken from the end.
    let short = [&with_pace(&rules, delay(1, 0))[..10], &delay(1, 0)].concat();
    assert_eq!(damage(&of(&short)), Some("the rules of a record cannot be read"));
    // Other kinds have the bit that says that there is a pace.
    for (kind, wanted) in [
        (8, "the kind of a record is unknown"),
        (4, "sitemaps in a pack that keeps none"),
        (5, "explanations in a pack that keeps none"),
    ] {
        assert_eq!(damage(&of(&with_pace(&[kind], delay(1, 0)))), Some(wanted));
    }
    let mut list = sitemaps_body(&[b""]);
    list.extend([28, 0, 0, 0]);
    list.extend(&delay(1, 0)[4..]);
    let mut sitemaps = of(&list);
    sitemaps.keeps_sitemaps = true;
    assert_eq!(damage(&sitemaps), Some("the record is no policy"));
    let bytes = sitemaps.bytes();
    let opened = Pack::open(&bytes).expect("a pack");
    let site = opened.get(&origin("e.com")).expect("no damage").expect("is there");
    assert!(site.pace(CrawlerId::at(0)).is_err() && site.policy(CrawlerId::at(0)).is_err());
}

/// A pack that keeps rules and sitemaps, with a policy and these explanations.
fn explained(policy: &[u8], about: impl FnOnce(&mut Crafted) -> u32) -> Crafted {
    let mut pack = Crafted::new(&Profile::RFC9309);
    (pack.keeps_rules, pack.keeps_sitemaps) = (true, true);
    let policies = pack.record(policy);
    let about = about(&mut pack);
    pack.entries.push(Entry { about, ..Entry::new("e.com", policies) });
    pack
}

#[test]
fn sitemaps() {
    let rules = rules_body(&[]);
    let with = |list: Option<&[u8]>| {
        explained(&rules, |pack| {
            let list = list.map_or(0, |list| pack.record(list));
            pack.record(&about_body(&[list]))
        })
    };
    let list = sitemaps_body(&[b"https://e.com/s.xml", b"", b"\xFF"]);
    let pack = with(Some(&list));
    assert_eq!(damage(&pack), None);
    let bytes = pack.bytes();
    let opened = Pack::open(&bytes).expect("a pack");
    let site = opened.get(&origin("e.com")).expect("no damage").expect("is there");
    let found: Vec<&[u8]> = site.sitemaps().expect("no damage").collect();
    assert_eq!(found, [&b"https://e.com/s.xml"[..], b"", b"\xFF"]);
    assert_eq!(damage(&with(None)), None);

    let unreadable = Some("the sitemaps of a record cannot be read");
    assert_eq!(damage(&with(Some(&list[..list.len() - 1]))), unreadable);
    assert_eq!(damage(&with(Some(&[6]))), unreadable);
    assert_eq!(damage(&with(Some(&rules))), Some("the record has no sitemaps"));
    // A list within a list is one sitemap.
    assert_eq!(damage(&with(Some(&sitemaps_body(&[&record(&list)])))), None);
    // Nor are they there if the trailer says that they are not.
    let mut none = of(&rules);
    none.record(&list);
    assert_eq!(damage(&none), Some("sitemaps in a pack that keeps none"));
}

#[test]
fn explanations() {
    let rules = [PackedRule::disallow(b"/a", 2)];
    let table = table_body(&table(&[wait(&[], 0)]));
    let with = |rules: &[u8]| {
        explained(&table, |pack| {
            let rules = pack.record(rules);
            pack.record(&about_body(&[0, rules]))
        })
    };
    assert_eq!(damage(&with(&explain_body(&rules))), None);
    let no_rules = Some("the record has no rules");
    assert_eq!(damage(&with(&rules_body(&rules))), no_rules);
    assert_eq!(damage(&with(&table)), no_rules);
    assert_eq!(damage(&with(&sitemaps_body(&[b"/"]))), no_rules);
    let unreadable = Some("the rules of a record cannot be read");
    assert_eq!(damage(&with(&[5, 0, 0])), unreadable);
    assert_eq!(damage(&with(&[&explain_body(&rules)[..], &[0]].concat())), unreadable);
    let about = |body: &[u8]| explained(&table, |pack| pack.record(body));
    let cannot = Some("the explanations of a record cannot be read");
    assert_eq!(damage(&about(&[7])), cannot);
    assert_eq!(damage(&about(&[7, 0, 0, 0, 0, 0])), cannot);
    assert_eq!(damage(&about(&table)), Some("the record is not one for explanations"));
    // The one for explanations, and the policy, lead to themselves.
    let itself = explained(&table, |pack| {
        let next = pack.record_number(pack.records.len());
        pack.record(&about_body(&[next, next]))
    });
    assert_eq!(damage(&itself), Some("the record has no sitemaps"));
    let outside = about(&about_body(&[0, u32::MAX]));
    assert_eq!(damage(&outside), Some("no record begins here"));
    // Numbers that no policy has are nobody's.
    assert_eq!(damage(&about(&about_body(&[0, 0, u32::MAX]))), None);
}

#[test]
fn panels() {
    let two = |make: &dyn Fn(&mut Crafted) -> u32| {
        let mut pack = Crafted::new(&Profile::RFC9309);
        pack.crawlers.push(vec![b"other".to_vec()]);
        let record = make(&mut pack);
        pack.entries.push(Entry::new("e.com", record));
        damage(&pack)
    };
    let policies = |pack: &mut Crafted| {
        ["/a", "/b"]
            .map(|rule| pack.record(&rules_body(&[PackedRule::disallow(rule.as_bytes(), 2)])))
    };
    let panel = |records: &dyn Fn([u32; 2]) -> Vec<u32>, columns: &[u16]| {
        two(&|pack| {
            let records = records(policies(pack));
            pack.record(&panel_body(&records, columns))
        })
    };
    assert_eq!(panel(&|both| both.to_vec(), &[1, 0]), None);
    assert_eq!(panel(&|[one, _]| vec![one, one], &[1, 0]), None);
    let cannot = Some("the policies of a record cannot be read");
    assert_eq!(panel(&|both| both.to_vec(), &[1, 2]), cannot);
    assert_eq!(panel(&|both| both.to_vec(), &[1]), cannot);
    assert_eq!(panel(&|both| both.to_vec(), &[1, 0, 1]), cannot);
    assert_eq!(panel(&|_| vec![], &[0, 0]), cannot);
    // More policies than crawlers.
    assert_eq!(panel(&|[one, two]| vec![one, two, one], &[1, 2]), cannot);
    let no_record = Some("no record begins here");
    assert_eq!(panel(&|[one, _]| vec![one, 0], &[0, 0]), no_record);
    assert_eq!(panel(&|[one, _]| vec![one, u32::MAX], &[0, 0]), no_record);
    let nested = two(&|pack| {
        let both = policies(pack);
        let inner = pack.record(&panel_body(&both, &[0, 1]));
        pack.record(&panel_body(&[both[0], inner], &[0, 1]))
    });
    assert_eq!(nested, Some("the record is no policy"));
    let itself = two(&|pack| {
        let record = pack.record_number(pack.records.len());
        pack.record(&panel_body(&[record, record], &[0, 1]))
    });
    assert_eq!(itself, Some("the record is no policy"));
}

#[test]
fn records_that_overlap() {
    let inner = rules_body(&[PackedRule::disallow(b"/a", 2)]);
    let mut outer = PackedRule::disallow(b"/b", 2);
    // The value begins 8 + 13 + 17 bytes after the record does.
    outer.value = [&b"/b12345678"[..], &record(&inner)].concat();
    let mut pack = Crafted::new(&Profile::RFC9309);
    pack.record(&rules_body(&[outer]));
    let record = pack.record_number(48);
    pack.entries.push(Entry::new("e.com", record));
    // It is a right one, wherever it stands.
    assert_eq!(damage(&pack), None);
    // Lengths that lead out of the layer, or to its end.
    for len in [u32::MAX, u32::MAX - 15, 1 << 31, 8192, 4096, 100] {
        let mut pack = of(&rules_body(&[]));
        pack.records[..4].copy_from_slice(&len.to_le_bytes());
        assert!(damage(&pack).is_some(), "{len}");
    }
}

#[test]
fn entries() {
    let with = |change: &dyn Fn(&mut Crafted)| {
        let mut pack = of(&rules_body(&[]));
        change(&mut pack);
        damage(&pack)
    };
    let entry = |change: &dyn Fn(&mut Entry)| with(&|pack| change(&mut pack.entries[0]));
    assert_eq!(entry(&|_| ()), None);
    assert_eq!(entry(&|entry| entry.captured = 1), None);
    assert_eq!(entry(&|entry| entry.captured = u32::MAX), None);
    for schemes in [1, 2, 4, 7] {
        assert_eq!(entry(&|entry| entry.schemes = schemes), None);
    }
    assert_eq!(with(&|pack| (pack.entries[0].schemes, pack.entries[0].captured) = (9, 1)), None);
    // No scheme, and captured later than at no time.
    for schemes in [0, 8, 9] {
        let wanted = Some("no entry begins here");
        assert_eq!(entry(&|entry| entry.schemes = schemes), wanted, "{schemes}");
    }
    let unfounded = Some("an origin has no policy, or one although nothing is known");
    for (kind, wanted) in [
        (0, None),
        (1, None),
        (2, None),
        (3, unfounded),
        (4, None),
        // The name begins where the second time is missing.
        (5, Some("an origin has a name that no URL has")),
    ] {
        assert_eq!(entry(&|entry| entry.kind = kind), wanted, "{kind}");
    }
    assert_eq!(entry(&|entry| (entry.kind, entry.policies) = (3, 0)), None);
    assert_eq!(entry(&|entry| entry.policies = 0), unfounded);
    for record in [2, 255, 256, 300, 1 << 20, u32::MAX] {
        assert!(entry(&|entry| entry.policies = record).is_some(), "{record}");
    }
    // Names that no origin has.
    for name in [
        &b"E.com"[..],
        b"e.com:443",
        b"e.com:80",
        b"e.com/",
        b"u@e.com",
        b"e.com.",
        b"e\0.com",
        b"e .com",
        b"\xFF.com",
        "é.com".as_bytes(),
        b"e.com\n",
        b"e.com?",
        b"e.com:99999",
        b"127.1",
        b"[::01]",
        &[b'A'; 2048],
    ] {
        let wanted = Some("an origin has a name that no URL has");
        let shown = name.escape_ascii();
        assert_eq!(entry(&|entry| entry.name = name.to_vec()), wanted, "{shown}");
    }
    let wanted = Some("no entry begins here");
    assert_eq!(entry(&|entry| entry.name.clear()), wanted);
    let wanted = Some("the name of a record is too long");
    assert_eq!(entry(&|entry| entry.name = vec![b'a'; 2049]), wanted);
    for name in [
        &b"e.com:8443"[..],
        b"127.0.0.1",
        b"[::1]",
        b"[::1]:81",
        b"xn--mller-kva.eu",
        &[b'a'; 2048],
    ] {
        assert_eq!(entry(&|entry| entry.name = name.to_vec()), None, "{}", name.escape_ascii());
    }
    // The same origin twice, and each of its schemes for itself: the first one counts.
    let wrong = Some("the number of origins is wrong");
    let twice = |first: u8, second: u8| {
        with(&|pack| {
            pack.entries[0].schemes = first;
            pack.entries.push(Entry { schemes: second, ..pack.entries[0].clone() });
        })
    };
    assert_eq!((twice(1, 2), twice(1, 6)), (None, None));
    assert_eq!((twice(3, 3), twice(1, 3)), (wrong, wrong));
}

#[test]
fn numbers_in_the_trailer() {
    let with = |at: usize, number: u64| {
        let mut pack = of(&rules_body(&[]));
        pack.lie(at, number);
        damage(&pack)
    };
    let right = of(&rules_body(&[])).bytes();
    let fill = Some("the parts do not fill the file");
    for (at, len) in (at::CRAWLERS..at::BEGIN)
        .step_by(4)
        .map(|at| (at, 4))
        .chain((at::BEGIN..at::FILES).step_by(8).map(|at| (at, 8)))
    {
        let number = &right[right.len() - 160 + at..][..len];
        let mut bytes = [0; 8];
        bytes[..len].copy_from_slice(number);
        let number = u64::from_le_bytes(bytes);
        for lie in [
            0,
            1,
            16,
            number.wrapping_sub(1),
            number + 1,
            number + 16,
            number + 4096,
            number * 2,
            1 << 31,
            1 << 32,
            1 << 50,
            1 << 57,
            u64::MAX / 2,
            u64::MAX - 4096,
            u64::MAX,
        ] {
            let lie = if len == 4 { lie & u64::from(u32::MAX) } else { lie };
            let mut pack = of(&rules_body(&[]));
            pack.lie(at, lie);
            if lie == number {
                assert_eq!(damage(&pack), None, "{at}");
            } else if [at::SHARD, at::SHARDS].contains(&at) {
                let error = Pack::open(pack.bytes()).err();
                let other =
                    matches!(error, Some(PackError::OneOf { .. } | PackError::Damaged { .. }));
                assert!(other, "{at}: {error:?}");
            } else {
                assert!(damage(&pack).is_some(), "{at}: {lie}");
            }
        }
    }
    assert_eq!(with(at::ORIGINS, u64::MAX), fill);
    assert_eq!(with(at::ORIGINS, 0), Some("the number of origins is wrong"));
    assert_eq!(with(at::ENTRIES, 0), Some("the number of entries is wrong"));
    assert_eq!(with(at::RECORDS, 0), Some("the number of records is wrong"));
    // Nothing else says how many files there were.
    assert_eq!(with(at::FILES, u64::MAX), None);
    assert_eq!(with(at::SHARDS, 0), fill);
}

/// A number of origins that is too small does not become a huge one by an update.
#[test]
fn too_few_origins() {
    let mut pack = of(&rules_body(&[]));
    pack.origins = Some(0);
    let bytes = pack.bytes();
    let opened = Pack::open(&bytes).expect("a pack");
    let mut layer =
        Writer::append(&opened, Vec::new(), &Profile::RFC9309, &Config::default()).expect("a Vec");
    layer.forget(&origin("e.com")).expect("a Vec");
    let error = layer.finish().expect_err("nothing can be forgotten");
    assert!(error.to_string().contains("the number of origins is wrong"), "{error}");
    pack.origins = None;
    let bytes = pack.bytes();
    let pack = Pack::open(&bytes).expect("a pack");
    let mut layer =
        Writer::append(&pack, Vec::new(), &Profile::RFC9309, &Config::default()).expect("a Vec");
    layer.forget(&origin("e.com")).expect("a Vec");
    let whole = [bytes.clone(), layer.finish().expect("a layer")].concat();
    assert_eq!(Pack::open(&whole).expect("a pack").len(), 1);
}

#[test]
fn lines() {
    let pack = || {
        let mut pack = of(&rules_body(&[]));
        pack.entries.push(Entry::new("f.com", pack.entries[0].policies));
        pack
    };
    let with = |change: &dyn Fn(&mut Index)| {
        let mut pack = pack();
        let mut index = pack.right_index();
        change(&mut index);
        pack.index = Some(index);
        damage(&pack)
    };
    assert_eq!(with(&|_| ()), None);
    let right = pack().right_index();
    assert_eq!((right.lines, right.bytes.len()), (1, 1));
    let none = Some("no entry begins here");
    let not_in_place = Some("an entry is not in its place");
    let [first, second] = [0, 11].map(|at| right.bytes[0][at..at + 11].to_vec());
    let of_line = |entries: &[&[u8]]| with(&|index| index.bytes[0] = line(entries, false));
    assert_eq!(of_line(&[&first, &second]), None);
    assert_eq!(of_line(&[&second, &first]), not_in_place, "the wrong order");
    assert_eq!(of_line(&[&first, &[0], &second]), none, "a gap");
    assert_eq!(of_line(&[&first]), Some("the number of entries is wrong"));
    assert_eq!(of_line(&[&first, &first]), Some("the number of origins is wrong"));
    assert_eq!(of_line(&[&first, &second, &[1]]), none, "something behind them");
    assert_eq!(with(&|index| index.bytes[0][63] = 1), not_in_place, "more is behind it");
    // A bit that means nothing.
    assert_eq!(with(&|index| index.bytes[0][63] = 2), not_in_place);
    // A time that is not told, which a writer would leave out.
    let head = u16::from_le_bytes([first[0], first[1]]) | 1 << 13;
    let timed = [&head.to_le_bytes()[..], &first[2..6], &[0; 4], &first[6..]].concat();
    assert_eq!(of_line(&[&timed, &second]), none);
    // The length of a name, up to the end of the line and beyond.
    for len in 0..=63 {
        let head = u16::from_le_bytes([first[0], first[1]]) & !63 | len;
        let longer = [&head.to_le_bytes()[..], &first[2..]].concat();
        assert_eq!(of_line(&[&longer, &second]).is_none(), len == 5, "{len}");
    }
    // Behind a line that does not say so.
    let behind = |has_more: bool| {
        with(&|index| {
            index.reach = 1;
            index.bytes = vec![line(&[&first], has_more), line(&[&second], false)];
        })
    };
    assert_eq!(behind(false), Some("an origin is not found by its name"));
    assert_eq!(behind(true), not_in_place);
}

/// Full lines as far as an origin may be from its own, and no farther.
#[test]
fn reach() {
    let full = |reach: u32| {
        let mut pack = of(&rules_body(&[]));
        let record = pack.entries[0].policies;
        // Of 56 bytes, so one in each line.
        pack.entries = (0..=reach).map(|n| Entry::new(format!("{n:0>46}.com"), record)).collect();
        let (mut all, _) = pack.entry_bytes();
        all.sort_by_key(|(hash, _)| *hash);
        let lines = all.iter().enumerate();
        let bytes = lines.map(|(n, (_, entry))| line(&[entry], n < reach as usize)).collect();
        pack.index = Some(Index { lines: 1, reach, bytes });
        damage(&pack)
    };
    // Right, but for the number of lines, which says that they are too crowded.
    assert_eq!(full(1024), None);
    assert_eq!(full(1025), Some("the parts do not fill the file"));
}

/// What an entry says of a long name must be right, and so must the record.
#[test]
fn long_names() {
    let long = "a".repeat(200);
    let mut pack = of(&rules_body(&[]));
    let record = pack.entries[0].policies;
    pack.entries.push(Entry::new(long.clone(), record));
    assert_eq!(damage(&pack), None);
    let bytes = pack.bytes();
    let opened = Pack::open(&bytes).expect("a pack");
    assert!(opened.get(&origin(&long)).expect("no damage").is_some());
    assert!(opened.get(&origin(&long[1..])).expect("no damage").is_none());
    let with = |change: &dyn Fn(&mut [u8])| {
        let mut pack = pack.clone();
        let mut index = pack.right_index();
        let at = index.bytes.iter().position(|line| line[0] & 63 == 63 || line[11] & 63 == 63);
        let line = &mut index.bytes[at.expect("it is there")];
        let at = if line[0] & 63 == 63 { 0 } else { 11 };
        change(&mut line[at..at + 14]);
        pack.index = Some(index);
        damage(&pack)
    };
    assert_eq!(with(&|_| ()), None);
    let not_found = Some("an origin is not found by its name");
    assert_eq!(with(&|entry| entry[6] ^= 1), not_found, "another hash");
    let policy = record.to_le_bytes();
    assert_eq!(with(&|entry| entry[10..].copy_from_slice(&policy)), Some("the record is no name"));
    assert!(with(&|entry| entry[10..].fill(0xFF)).is_some());
    assert!(with(&|entry| entry[10..].fill(0)).is_some());
    // A name that the line has room for.
    let mut short = pack.clone();
    let name = short.record(b"\x08g.com");
    let mut entry = short.entries[1].bytes(false, 0, || name);
    entry[6..10].copy_from_slice(&(hash(b"g.com", 0) as u32).to_le_bytes());
    short.entries[1].name = b"g.com".to_vec();
    short.index = Some(Index { lines: 1, reach: 0, bytes: vec![line(&[&entry], false)] });
    assert_eq!(damage(&short), not_found);
}

/// The verdict that an entry has is that of all its policies.
#[test]
fn verdicts_of_entries() {
    let rules = rules_body(&[PackedRule::disallow(b"/a", 2)]);
    let wrong = Some("an origin has a verdict that is not its policy's");
    let with = |body: &[u8], always: u8| {
        let mut pack = of(body);
        pack.entries[0].always = always;
        damage(&pack)
    };
    for always in [1, 2] {
        assert_eq!(with(&rules, always), wrong);
        assert_eq!(with(&table_body(&table(&[wait(&[], 0)])), always), wrong);
    }
    assert_eq!(with(&rules, 3), Some("no entry begins here"));
    // What writers write.
    let file = |file: &[u8]| {
        let crawlers = [Crawler::name("bot")];
        let config = Config::default();
        let mut writer =
            Writer::new(Vec::new(), &Profile::RFC9309, crawlers, &config).expect("a Vec");
        let packed = writer.recipe().pack(file);
        let rules = SiteRules::Rules(writer.put(&packed).expect("a Vec"));
        writer.add(&origin("e.com"), rules, None).expect("a Vec");
        writer.finish().expect("a Vec")
    };
    let always = |bytes: &[u8]| bytes[4096 + 1] >> 6;
    for (text, wanted) in [
        (&b""[..], 1),
        (b"User-agent: *\nDisallow:", 1),
        (b"User-agent: *\nDisallow: /", 2),
        (b"User-agent: *\nDisallow: /\nCrawl-delay: 3", 2),
        (b"User-agent: *\nDisallow: /a", 0),
        (b"User-agent: *\nDisallow: /\nAllow: /a", 0),
    ] {
        let bytes = file(text);
        assert_eq!(always(&bytes), wanted, "{}", text.escape_ascii());
        let pack = Pack::open(&bytes).expect("a pack");
        pack.verify().expect("no damage");
        let mut answers = [Answer::Unknown; 4];
        let urls =
            ["https://e.com/", "https://e.com/robots.txt", "https://e.com/b", "https://e.com"];
        pack.answers_into(&urls, &[CrawlerId::at(0)], &mut answers).expect("no damage");
        let (allow, disallow) = (Answer::Allow, Answer::Disallow);
        let wanted = match text {
            [.., b'/'] | [.., b'3'] => [disallow, allow, disallow, disallow],
            [.., b'\n', b'A', _, _, _, _, _, _, _, _] => [disallow, allow, disallow, disallow],
            _ => [allow; 4],
        };
        assert_eq!(answers, wanted, "{}", text.escape_ascii());
        let site = pack.get(&origin("e.com")).expect("no damage").expect("is there");
        for (url, wanted) in urls.iter().zip(wanted) {
            let mut answer = [Answer::Unknown];
            site.ask_into(*url, &mut answer).expect("no damage");
            assert_eq!(answer, [wanted], "{url}");
        }
    }
}

#[test]
fn layers() {
    let first = of(&rules_body(&[PackedRule::disallow(b"/a", 2)]));
    let second = || {
        let mut second = first.next_layer();
        let record = second.record(&rules_body(&[PackedRule::disallow(b"/b", 2)]));
        second.entries.push(Entry { schemes: 2, ..Entry::new("e.com", record) });
        second.origins = Some(2);
        second
    };
    assert_eq!(damage(&second()), None);
    let bytes = second().bytes();
    let pack = Pack::open(&bytes).expect("a pack");
    let answers = |url: &str| {
        let mut answers = [Answer::Unknown];
        pack.answers_into(&[url], &[CrawlerId::at(0)], &mut answers).expect("no damage");
        answers[0]
    };
    let (allow, disallow) = (Answer::Allow, Answer::Disallow);
    let urls = ["https://e.com/a", "https://e.com/b", "http://e.com/a", "http://e.com/b"];
    assert_eq!(urls.map(answers), [allow, disallow, disallow, allow]);
    let lie = |at: usize, number: u64| {
        let mut second = second();
        second.lie(at, number);
        damage(&second)
    };
    let apart = Some("the layers do not belong together");
    let cut = Some("the parts do not fill the file");
    assert_eq!(lie(at::SHARD - 4, 7), apart, "another description");
    assert_eq!(lie(at::ABOUT, 7), apart);
    assert_eq!(lie(at::ABOUT_LEN, 7), apart);
    assert_eq!(lie(4, 1), apart, "rules are kept");
    assert_eq!(lie(at::CRAWLERS, 2), apart);
    assert_eq!(lie(0, 1), apart, "another profile");
    let end = first.bytes().len() as u64;
    for previous in [0, 1, 16, end - 16, end + 16, 2 * end, u64::MAX] {
        assert_eq!(lie(at::PREVIOUS, previous), cut, "{previous}");
        if previous > end {
            let mut second = second();
            second.lie(at::PREVIOUS, previous);
            second.lie(at::BEGIN, previous);
            let wanted = [cut, Some("no layer ends here")];
            assert!(wanted.contains(&damage(&second)), "{previous}");
        }
    }
    // Another layer of other crawlers, which is one for itself.
    for (shard, wanted) in [(0, apart), (1, apart), (2, cut)] {
        let mut second = second();
        second.lie(at::SHARDS, 2);
        second.lie(at::SHARD, shard);
        assert_eq!(damage(&second), wanted);
    }
    // An entry of the layer before, which a writer would write again.
    let mut other = second();
    let index = first.right_index();
    other.index = Some(index);
    assert_eq!(damage(&other), None);
    // A record of the layer before is right: policies are not written again.
    let mut shared = second();
    shared.entries[0].policies = first.entries[0].policies;
    assert_eq!(damage(&shared), None);
    // Gone in the newest layer, and back in the next one.
    let mut gone = second();
    (gone.entries[0].kind, gone.entries[0].policies, gone.origins) = (4, 0, Some(1));
    assert_eq!(damage(&gone), None);
    let mut back = gone.next_layer();
    back.entries.push(Entry { captured: 9, ..first.entries[0].clone() });
    back.origins = Some(2);
    assert_eq!(damage(&back), None);
}

/// Files that say that they are parts of a pack, and whose origins are others'.
#[test]
fn shards() {
    let part = |shard: u64, shards: u64, host: &str| {
        let mut pack = of(&rules_body(&[]));
        pack.entries[0].name = host.as_bytes().to_vec();
        pack.lie(at::SHARD, shard);
        pack.lie(at::SHARDS, shards);
        pack.bytes()
    };
    let host_of = |shard: u32| {
        let mut hosts = (0..100).map(|number| format!("{number}.com"));
        hosts.find(|host| origin(host).shard(2) == shard).expect("one of 100")
    };
    let [first, second] = [0, 1].map(host_of);
    let right = [part(0, 2, &first), part(1, 2, &second)];
    let open = |files: &[Vec<u8>]| {
        let files: Vec<&[u8]> = files.iter().map(|file| &file[..]).collect();
        Pack::open_shards(&files).map(|pack| pack.verify())
    };
    assert_eq!(open(&right), Ok(Ok(())));
    let swapped = [part(0, 2, &second), part(1, 2, &first)];
    let swapped = open(&swapped).expect("two files").expect_err("origins of other files");
    assert!(swapped.to_string().contains("belongs into another file"), "{swapped}");
    for files in [
        vec![right[0].clone(), part(1, 3, &second)],
        vec![right[0].clone(), part(0, 2, &second)],
        vec![right[0].clone()],
        vec![part(0, 1, &first), part(0, 1, &second)],
        vec![part(u64::from(u32::MAX) - 1, u64::from(u32::MAX), &first)],
    ] {
        assert!(matches!(open(&files), Err(FileError { error: PackError::OneOf { .. }, .. })));
    }
    for (shard, shards) in [(2, 2), (1, 1), (0, 0)] {
        let error = open(&[part(shard, shards, &first)]);
        assert!(
            matches!(error, Err(FileError { file: 0, error: PackError::Damaged { .. } })),
            "{error:?}"
        );
    }
}

/// Nothing is copied that is not what it should be.
#[test]
fn copies() {
    let site = |pack: &Crafted| {
        let bytes = pack.bytes();
        let pack = Pack::open(&bytes).expect("a pack");
        let mut config = Config::default();
        (config.keep_rules, config.keep_sitemaps) = (pack.keeps_rules(), pack.keeps_sitemaps());
        let crawlers = pack.crawlers().to_vec();
        let mut copy =
            Writer::new(Vec::new(), &Profile::RFC9309, crawlers, &config).expect("a Vec");
        let site = pack.get(&origin("e.com")).expect("no damage").expect("is there");
        copy.put_site(&site).map(|outcome| matches!(outcome, SiteRules::Rules(_)))
    };
    let rules = rules_body(&[]);
    assert!(site(&of(&rules)).is_ok_and(|is_rules| is_rules));
    let mut no_policy = of(&rules);
    no_policy.entries[0].policies = 0;
    assert!(site(&no_policy).is_err());
    let mut list = explained(&rules, |pack| pack.record(&about_body(&[0])));
    list.entries[0].policies = list.record(&sitemaps_body(&[b"/"]));
    assert!(site(&list).is_err());
    let no_list = explained(&rules, |pack| {
        let rules = pack.record(&rules);
        pack.record(&about_body(&[rules]))
    });
    assert!(site(&no_list).is_err());
    let no_rules = explained(&table_body(&table(&[wait(&[], 0)])), |pack| {
        let list = pack.record(&sitemaps_body(&[b"/"]));
        pack.record(&about_body(&[list, list]))
    });
    assert!(site(&no_rules).is_err());
    let mut known = of(&rules);
    known.entries[0].kind = SiteKind::AllowAll as u8;
    assert!(site(&known).is_ok_and(|is_rules| !is_rules));
}

#[test]
fn hostile_packs_are_used() {
    for (name, make) in hostile_packs::ALL {
        let _ = look_at(&make(4 << 10), usize::MAX);
        let _ = look_at(&make(9 << 10), 20);
        assert!(!name.is_empty());
    }
}

#[test]
fn many_crawlers() {
    let most = |count: usize| {
        let mut pack = Crafted::new(&Profile::RFC9309);
        pack.crawlers = vec![Vec::new(); count];
        Pack::open(pack.bytes()).and_then(|pack| pack.verify()).map_err(|error| error.to_string())
    };
    assert_eq!(most(4096), Ok(()));
    assert!(most(4097).is_err_and(|error| error.contains("the parts do not fill the file")));
    let writer = |count| {
        let crawlers = std::iter::repeat_n(Crawler::name("bot"), count);
        Writer::new(Vec::new(), &Profile::RFC9309, crawlers, &Config::default())
    };
    assert!(writer(4096).is_ok());
    assert!(writer(4097).is_err_and(|error| error.to_string().contains("too many crawlers")));
}

/// A damaged record stays one, and the others can be used.
#[test]
fn one_damaged_record() {
    let mut pack = Crafted::new(&Profile::RFC9309);
    let body = rules_body(&[PackedRule::disallow(b"/a", 2)]);
    for host in ["a.com", "b.com"] {
        let record = pack.record(&body);
        pack.entries.push(Entry::new(host, record));
    }
    // It claims to reach to the end.
    let len = u32::try_from(pack.records.len() - 8).expect("short");
    pack.records[..4].copy_from_slice(&len.to_le_bytes());
    let bytes = pack.bytes();
    let pack = Pack::open(&bytes).expect("a pack");
    let ask = |host: &str| {
        let mut answers = [Answer::Unknown];
        let site = pack.get(&origin(host))?.expect("is there");
        site.ask_into("/a", &mut answers).map(|()| answers[0])
    };
    for _ in 0..3 {
        assert!(ask("a.com").is_err());
        assert_eq!(ask("b.com"), Ok(Answer::Disallow));
    }
}

/// What writers write: with all that a pack can keep, over the limits of a DFA, and with an update.
fn written(name: &str) -> Vec<u8> {
    let mut config = Config::default();
    (config.keep_rules, config.keep_sitemaps) = (name != "small", name != "small");
    let crawlers = ["GPTBot", "bot"].map(Crawler::name);
    let writer = Writer::new(Vec::new(), &Profile::GOOGLE, crawlers, &config).expect("a Vec");
    let mut writer = writer.with_seed(7);
    let mut hostile = b"User-agent: *\n".to_vec();
    for letter in b'a'..b'u' {
        let letter = char::from(letter);
        hostile.extend(format!("Disallow: /*{letter}x*A{letter}y\nAllow: /*{letter}$\n").bytes());
    }
    let small = b"User-agent: GPTBot\nDisallow: /a*b$\nCrawl-delay: 2.5\n\nUser-agent: *\n\
        Request-rate: 1/5 0600-0845\nDisallow: /%C3%A9\nAllow: /a\nSitemap: https://e.com/1.xml\n";
    let file = if name == "over" { &hostile[..] } else { small };
    let packed = writer.recipe().pack(file);
    let rules = SiteRules::Rules(writer.put(&packed).expect("a Vec"));
    let add = |writer: &mut Writer<'_, Vec<u8>>, origin: &str, outcome| {
        let origin = Origin::of(origin).expect("an origin");
        writer.add(&origin, outcome, Some(1)).expect("a Vec");
    };
    add(&mut writer, "https://e.com", rules);
    add(&mut writer, "http://e.com", rules);
    add(&mut writer, "https://e.com:8443", SiteRules::AllowAll);
    add(&mut writer, "http://f.com", SiteRules::DisallowAll);
    add(&mut writer, "http://g.com", SiteRules::Unknown);
    let bytes = writer.finish().expect("a Vec");
    if name != "updated" {
        return bytes;
    }
    let pack = Pack::open(&bytes).expect("a pack");
    let mut layer = Writer::append(&pack, Vec::new(), &Profile::GOOGLE, &config).expect("a Vec");
    layer.forget(&origin("e.com:8443")).expect("a Vec");
    add(&mut layer, "http://e.com", SiteRules::AllowAll);
    add(&mut layer, "http://g.com", SiteRules::DisallowAll);
    let layer = layer.finish().expect("a Vec");
    [&bytes[..], &layer].concat()
}

/// The seeds of the fuzz target `pack` hold each hostile pack, as small as it can be made, and packs
/// as they are written. `UPDATE_DOCS=1` writes them.
#[test]
fn seeds() {
    let seeds = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("fuzz/seeds/pack");
    let hostile = hostile_packs::ALL.iter().map(|(name, make)| (*name, make(1 << 10)));
    let written = ["small", "all", "over", "updated"].map(|name| (name, written(name)));
    // The largest one would only be slow.
    let all = hostile.chain(written).filter(|(_, bytes)| bytes.len() < 1 << 16);
    for (name, bytes) in all {
        let path = seeds.join(name.replace(' ', "-"));
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &bytes).expect("writable");
        }
        let seed = std::fs::read(&path).unwrap_or_default();
        assert!(seed == bytes, "{}: run with UPDATE_DOCS=1", path.display());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: effort::cases(150) as u32,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// What a writer writes is never refused, whatever the rules.
    #[test]
    fn what_a_writer_writes(
        generated in generate::generated(generate::Size { rules: 12, words: 6 }),
    ) {
        for (name, profile) in Profile::NAMED {
            let crawlers = [Crawler::name("bot")];
            let config = Config::default();
            let mut writer = Writer::new(Vec::new(), profile, crawlers, &config).expect("a Vec");
            let packed = writer.recipe().pack(&generated.file);
            let rules = SiteRules::Rules(writer.put(&packed).expect("a Vec"));
            writer.add(&origin("e.com"), rules, None).expect("a Vec");
            let bytes = writer.finish().expect("a Vec");
            let file = generated.file.escape_ascii();
            prop_assert_eq!(look_at(&bytes, usize::MAX), Ok(()), "{} {}", name, file);
        }
    }
}
