//! The seed of a pack's hash, and hosts that somebody chose because their hashes are equal.

use std::collections::HashSet;

use robotsieve::pack::{Pack, Writer};
use robotsieve::{Answer, Config, Crawler, CrawlerId, Origin, Profile, SiteKind, SiteRules};

use crate::support::crafted::{hash, hash_on, hash_step};

const SEED: u64 = 0x0123_4567_89AB_CDEF;

fn writer() -> Writer<'static, Vec<u8>> {
    let (crawlers, config) = ([Crawler::name("bot")], Config::default());
    Writer::new(Vec::new(), &Profile::RFC9309, crawlers, &config).expect("a Vec")
}

fn origin(host: &str) -> Origin<'static> {
    let origin = Origin::of(&format!("https://{host}")).expect("an origin").into_owned();
    assert_eq!(origin.authority(), host);
    origin
}

/// A pack of some hosts. Every third one is disallowed.
fn written(mut writer: Writer<'_, Vec<u8>>, hosts: &[String]) -> std::io::Result<Vec<u8>> {
    for (number, host) in hosts.iter().enumerate() {
        let outcome = if number % 3 == 0 { SiteRules::DisallowAll } else { SiteRules::AllowAll };
        writer.add(&origin(host), outcome, Some(number as u64 + 1))?;
    }
    writer.finish()
}

/// Asserts that a pack has all that `written` was given, and nothing else.
fn has_all(bytes: &[u8], hosts: &[String]) {
    let pack = Pack::open(bytes).expect("a pack");
    pack.verify().expect("no damage");
    assert_eq!(pack.len(), hosts.len() as u64);
    assert_eq!(pack.stat().expect("no damage").sites, hosts.len() as u64);
    let listed = pack.sites().map(|site| site.expect("no damage").authority());
    assert!(listed.collect::<HashSet<_>>() == hosts.iter().map(|host| &host[..]).collect());
    let mut answers = vec![Answer::Invalid; hosts.len()];
    let urls: Vec<String> = hosts.iter().map(|host| format!("https://{host}/")).collect();
    pack.answers_into(&urls, &[CrawlerId::at(0)], &mut answers).expect("no damage");
    for (number, host) in hosts.iter().enumerate() {
        let site = pack.get(&origin(host)).expect("no damage").expect("was added");
        let (kind, answer) = match number % 3 {
            0 => (SiteKind::DisallowAll, Answer::Disallow),
            _ => (SiteKind::AllowAll, Answer::Allow),
        };
        assert_eq!((site.kind(), site.captured()), (kind, Some(number as u64 + 1)), "{host}");
        assert_eq!(answers[number], answer, "{host}");
    }
}

/// 2^`links` hosts whose hashes are equal, all 64 bits, with this seed. Each link is 16 bytes long and
/// has two forms after which the hash has come to the same.
fn equal_hosts(links: u32, seed: u64) -> Vec<String> {
    const CHARS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    // Two characters that differ in these bits.
    let pair = |bits: u8| CHARS.iter().map(|a| (*a, a ^ bits)).find(|(_, b)| CHARS.contains(b));
    let mut state = hash_step(seed ^ FACTOR, u64::from(16 * links) ^ FACTOR.rotate_left(32));
    let mut hosts = vec![String::new()];
    for _ in 0..links {
        let halves: Vec<(String, u64)> = (0..2_000)
            .map(|number| format!("h{number:06}."))
            .map(|half| (half.clone(), hash_on(state, half.as_bytes())))
            .collect();
        let pairs = halves
            .iter()
            .enumerate()
            .flat_map(|(number, one)| halves[number + 1..].iter().map(move |other| (one, other)));
        let forms = pairs.into_iter().find_map(|((one, after_one), (other, after_other))| {
            let differ = (after_one ^ after_other).to_le_bytes();
            let ends: Vec<(u8, u8)> = differ.into_iter().map_while(pair).collect();
            let (one_end, other_end): (Vec<u8>, Vec<u8>) = ends.into_iter().unzip();
            let form = |half: &str, end: Vec<u8>| {
                half.to_owned() + &String::from_utf8(end).expect("ASCII")
            };
            (one_end.len() == 8).then(|| [form(one, one_end), form(other, other_end)])
        });
        let forms = forms.expect("one of two million pairs");
        let after = forms.each_ref().map(|form| hash_on(state, form.as_bytes()));
        assert_eq!(after[0], after[1]);
        state = after[0];
        hosts = hosts
            .iter()
            .flat_map(|host| forms.each_ref().map(|form| format!("{host}{form}")))
            .collect();
    }
    hosts
}

#[test]
fn seeds_are_random_unless_they_are_set() {
    let hosts: Vec<String> = (0..100).map(|number| format!("{number}.example")).collect();
    let [one, other] = [0, 1].map(|_| written(writer(), &hosts).expect("a Vec"));
    assert_ne!(one, other);
    has_all(&one, &hosts);
    has_all(&other, &hosts);
    let seed = Pack::open(&one).expect("a pack").seed();
    assert_ne!(Pack::open(&other).expect("a pack").seed(), seed);
    assert_eq!(written(writer().with_seed(seed), &hosts).expect("a Vec"), one);

    // An update has the seed of the pack.
    let pack = Pack::open(&one).expect("a pack");
    let layer = Writer::append(&pack, Vec::new(), &Profile::RFC9309, &Config::default());
    let mut layer = layer.expect("a layer");
    layer.add(&origin("new.example"), SiteRules::Unknown, None).expect("a Vec");
    let updated = [one.clone(), layer.finish().expect("a Vec")].concat();
    let updated = Pack::open(&updated).expect("a pack");
    updated.verify().expect("no damage");
    assert_eq!((updated.seed(), updated.len()), (seed, 101));
}

/// Files that are shared out, each with its own seed, are one pack.
#[test]
fn seeds_of_shards() {
    let hosts: Vec<String> = (0..100).map(|number| format!("{number}.example")).collect();
    let mut files = Vec::new();
    for shard in 0..3 {
        let (crawlers, config) = ([Crawler::name("bot")], Config::default());
        let profile = Profile::RFC9309;
        let writer = Writer::shard(Vec::new(), &profile, crawlers, &config, shard, 3);
        let mut writer = writer.expect("a Vec");
        for host in hosts.iter().filter(|host| origin(host).shard(3) == shard) {
            writer.add(&origin(host), SiteRules::AllowAll, None).expect("a Vec");
        }
        files.push(writer.finish().expect("a Vec"));
    }
    let files: Vec<&[u8]> = files.iter().map(|file| &file[..]).collect();
    let pack = Pack::open_shards(&files).expect("three files");
    pack.verify().expect("no damage");
    let urls: Vec<String> = hosts.iter().map(|host| format!("https://{host}/")).collect();
    let mut answers = vec![Answer::Unknown; urls.len()];
    pack.answers_into(&urls, &[CrawlerId::at(0)], &mut answers).expect("no damage");
    assert!(answers.iter().all(|answer| *answer == Answer::Allow));
    assert!(hosts.iter().all(|host| pack.get(&origin(host)).expect("no damage").is_some()));
}

/// Names are compared: of hosts with equal hashes none is lost, and each has its own answer.
#[test]
fn hosts_with_equal_hashes() {
    let hosts = equal_hosts(11, SEED);
    assert_eq!(hosts.iter().collect::<HashSet<_>>().len(), 2_048);
    let hashes: HashSet<u64> = hosts.iter().map(|host| hash(host.as_bytes(), SEED)).collect();
    assert_eq!(hashes.len(), 1);
    has_all(&written(writer().with_seed(SEED), &hosts).expect("they fit"), &hosts);
    has_all(&written(writer(), &hosts).expect("another seed"), &hosts);

    // What is added again replaces what was added before.
    let twice: Vec<String> = [&hosts[..999], &hosts[..]].concat();
    let bytes = written(writer().with_seed(SEED), &twice).expect("as many");
    let pack = Pack::open(&bytes).expect("a pack");
    pack.verify().expect("no damage");
    assert_eq!(pack.len(), hosts.len() as u64);
    for (number, host) in hosts.iter().enumerate() {
        let site = pack.get(&origin(host)).expect("no damage").expect("was added");
        assert_eq!(site.captured(), Some(number as u64 + 1_000), "{host}");
    }
}

/// More than that are refused, with the way out; with another seed they are hosts like others.
#[test]
fn too_many_hosts_with_equal_hashes() {
    let hosts = equal_hosts(14, SEED);
    let refused = written(writer().with_seed(SEED), &hosts).unwrap_err().to_string();
    assert!(
        refused.ends_with("nearly equal hashes: write the pack with another seed"),
        "{refused}"
    );
    has_all(&written(writer().with_seed(SEED + 1), &hosts).expect("another seed"), &hosts);

    // So is an update of a pack whose seed somebody knows.
    let few = ["e.com".to_owned()];
    let bytes = written(writer().with_seed(SEED), &few).expect("a Vec");
    let pack = Pack::open(&bytes).expect("a pack");
    let layer = Writer::append(&pack, Vec::new(), &Profile::RFC9309, &Config::default());
    let refused = written(layer.expect("a layer"), &hosts).unwrap_err().to_string();
    assert!(refused.ends_with("another seed, and update it then"), "{refused}");
}
