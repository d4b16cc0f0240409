//! Packs that no writer makes: what is not as a writer writes it is refused, however right its
//! checksums are.

use std::path::Path;

use crate::support::crafted::{
    Crafted, PackedRule, branch, delay, record, rules_body, sitemaps_body, table, table_body, wait,
    with_pace,
};
use crate::support::{generate, hostile_packs};
use proptest::prelude::*;
use robotsieve::pack::{Pack, PackError, Writer};
use robotsieve::{Answer, Config, Crawler, Profile};

/// What is wrong with a pack; `None` if it is as a writer writes it, and can be asked.
fn damage(pack: &Crafted) -> Option<&'static str> {
    let bytes = pack.bytes();
    let what = |error| match error {
        PackError::Damaged { what, .. } => what,
        error => panic!("{error}"),
    };
    let ask = || {
        let pack = Pack::open(&bytes)?;
        let mut answers = vec![Answer::Unknown; pack.crawlers().len()];
        for origin in pack.origins() {
            let (name, site) = origin?;
            assert!(pack.get(name)?.is_some());
            site.ask("/a", &mut answers)?;
            site.sitemaps()?.for_each(drop);
            for crawler in 0..answers.len() {
                site.policy(crawler)?.with_rules()?;
            }
        }
        Ok(())
    };
    let verified = Pack::open(&bytes).and_then(|pack| pack.verify());
    let asked: Result<(), PackError> = ask();
    if verified.is_ok() {
        assert_eq!(asked, Ok(()), "verified");
    }
    verified.err().map(what)
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
    let site = pack.get(b"e.com").expect("no damage").expect("is there");
    let mut answers = [Answer::Unknown];
    for (path, answer) in [("/ab", Answer::Disallow), ("/b", Answer::Allow)] {
        site.ask(path, &mut answers).expect("no damage");
        assert_eq!(answers, [answer]);
    }
    assert_eq!(damage(&of(&table_body(&table(&[wait(&[], [0; 96])])))), None);
}

#[test]
fn tables() {
    let right = table(&[wait(&[], [0; 96])]);
    let invalid = Some("an invalid table");
    let cases: [(&str, Vec<u8>, Option<&'static str>); 6] = [
        ("a target outside", table_body(&table(&[branch(&[(b'a', 9)], false)])), invalid),
        ("equal bytes", table_body(&table(&[branch(&[(b'a', 1), (b'a', 1)], false)])), invalid),
        ("no records", table_body(&table(&[])), invalid),
        (
            "a table that is longer than its record",
            vec![0, 255, 255, 255, 255, 2],
            Some("a table cut short"),
        ),
        ("nothing", vec![], Some("the kind of a record is unknown")),
        (
            "rules that are not kept",
            [table_body(&right), rules_body(&[])[1..].to_vec()].concat(),
            Some("rules in a pack that keeps none"),
        ),
    ];
    for (name, body, wanted) in cases {
        assert_eq!(damage(&of(&body)), wanted, "{name}");
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
    let table = table_body(&table(&[wait(&[], [0; 96])]));
    for body in [&rules, &table] {
        let pack = of(&with_pace(body, delay(5, 500_000_000)));
        assert_eq!(damage(&pack), None);
        let bytes = pack.bytes();
        let pack = Pack::open(&bytes).expect("a pack");
        let site = pack.get(b"e.com").expect("no damage").expect("is there");
        let delay = site.pace(0).expect("no damage").crawl_delay;
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
    let unknown = Some("the kind of a record is unknown");
    assert_eq!(damage(&of(&with_pace(&[8], delay(1, 0)))), unknown);
    assert_eq!(damage(&of(&with_pace(&[4], delay(1, 0)))), unknown);
}

#[test]
fn sitemaps() {
    let rules = rules_body(&[]);
    let with = |list: Option<&[u8]>| {
        let mut pack = Crafted::new(&Profile::RFC9309);
        pack.keeps_sitemaps = true;
        let policy = pack.record(&rules);
        let list = list.map_or(0, |list| pack.record(list));
        let row = pack.row(&[policy, list]);
        pack.origins(&[(b"e.com".to_vec(), row)]);
        pack
    };
    let list = sitemaps_body(&[b"https://e.com/s.xml", b"", b"\xFF"]);
    let pack = with(Some(&list));
    assert_eq!(damage(&pack), None);
    let bytes = pack.bytes();
    let opened = Pack::open(&bytes).expect("a pack");
    let site = opened.get(b"e.com").expect("no damage").expect("is there");
    let found: Vec<&[u8]> = site.sitemaps().expect("no damage").collect();
    assert_eq!(found, [&b"https://e.com/s.xml"[..], b"", b"\xFF"]);
    assert_eq!(damage(&with(None)), None);

    let unreadable = Some("the sitemaps of a record cannot be read");
    assert_eq!(damage(&with(Some(&list[..list.len() - 1]))), unreadable);
    assert_eq!(damage(&with(Some(&[4]))), unreadable);
    assert_eq!(damage(&with(Some(&rules))), Some("a row leads to no record"));
    // The columns of the policies and of the sitemaps are not mistaken for each other.
    let mut swapped = pack.clone();
    swapped.rows.swap(0, 1);
    assert_eq!(damage(&swapped), Some("a row leads to no record"));
    let bytes = swapped.bytes();
    let opened = Pack::open(&bytes).expect("a pack");
    let site = opened.get(b"e.com").expect("no damage").expect("is there");
    assert!(site.policy(0).is_err() && site.sitemaps().is_err());
    // Nor are they there if the trailer says that they are not.
    let mut none = pack;
    none.keeps_sitemaps = false;
    none.rows.pop();
    assert_eq!(damage(&none), Some("sitemaps in a pack that keeps none"));
}

#[test]
fn records_that_overlap() {
    let inner = rules_body(&[PackedRule::disallow(b"/a", 2)]);
    let mut outer = PackedRule::disallow(b"/b", 2);
    // The value begins 8 + 13 + 17 bytes after the record does.
    outer.value = [&b"/b"[..], &record(&inner)].concat();
    let mut pack = Crafted::new(&Profile::RFC9309);
    pack.record(&rules_body(&[outer]));
    let record = pack.record_number(40);
    let row = pack.row(&[record]);
    pack.origins(&[(b"e.com".to_vec(), row)]);
    assert_eq!(damage(&pack), Some("a row leads to no record"));
}

#[test]
fn names_that_overlap() {
    let mut pack = of(&rules_body(&[]));
    pack.origins(&[(b"a.com".to_vec(), 0), (b"b.com".to_vec(), 0)]);
    assert_eq!(damage(&pack), None);
    pack.names.pop();
    assert_eq!(damage(&pack), Some("an origin points outside the pack"));
    let last = pack.slots.iter_mut().rfind(|slot| slot.row == 0).expect("two origins");
    (last.name_at, last.name_len) = (0, 9);
    pack.names.clear();
    pack.names.extend(b"a.comb.co");
    assert!(matches!(
        damage(&pack),
        Some(
            "names overlap"
                | "an origin is not found by its name"
                | "an origin points outside the pack"
        )
    ));
}

#[test]
fn an_index_without_order() {
    let mut pack = of(&rules_body(&[]));
    pack.slots = vec![pack.slots[0]; 4096];
    pack.reach = 1024;
    assert_ne!(damage(&pack), Some("the parts do not fill the file"));
    pack.reach = 1025;
    assert_eq!(damage(&pack), Some("the parts do not fill the file"));
}

#[test]
fn many_crawlers() {
    let most = |count: usize| {
        let mut pack = Crafted::new(&Profile::RFC9309);
        pack.crawlers = vec![Vec::new(); count];
        damage(&pack)
    };
    assert_eq!(most(4096), None);
    assert_eq!(most(4097), Some("the parts do not fill the file"));
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
    let rows = [pack.record(&body), pack.record(&body)].map(|record| pack.row(&[record]));
    // It claims to reach to the end.
    let len = u32::try_from(pack.records.len() - 8).expect("short");
    pack.records[..4].copy_from_slice(&len.to_le_bytes());
    pack.origins(&[(b"a.com".to_vec(), rows[0]), (b"b.com".to_vec(), rows[1])]);
    let bytes = pack.bytes();
    let pack = Pack::open(&bytes).expect("a pack");
    let ask = |name: &[u8]| {
        let mut answers = [Answer::Unknown];
        let site = pack.get(name)?.expect("is there");
        site.ask("/a", &mut answers).map(|()| answers[0])
    };
    for _ in 0..3 {
        assert!(ask(b"a.com").is_err());
        assert_eq!(ask(b"b.com"), Ok(Answer::Disallow));
    }
}

/// The seeds of the fuzz target `pack` hold each hostile pack, as small as it can be made.
/// `UPDATE_DOCS=1` writes them.
#[test]
fn seeds() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds/pack");
    for (name, make) in hostile_packs::ALL {
        let path = seeds.join(name.replace(' ', "-"));
        let bytes = make(1 << 10);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &bytes).expect("writable");
        }
        let seed = std::fs::read(&path).unwrap_or_default();
        assert!(seed == bytes, "{}: run with UPDATE_DOCS=1", path.display());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 150,
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
            writer.add(b"e.com", &packed).expect("a Vec");
            let bytes = writer.finish().expect("a Vec");
            let pack = Pack::open(&bytes).expect("a pack");
            prop_assert_eq!(pack.verify(), Ok(()), "{} {}", name, generated.file.escape_ascii());
        }
    }
}
