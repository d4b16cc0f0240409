//! The generator is deterministic and keeps to its mix of files, sizes, hits and misses.

use std::collections::{HashMap, HashSet};

use robotsieve_corpora::{big, host_name, hostile, robots, url};

const HOSTS: u64 = 6_000;

fn rule_count(file: &[u8]) -> usize {
    let text = String::from_utf8_lossy(file);
    text.lines().filter(|line| line.starts_with("Disallow:") || line.starts_with("Allow:")).count()
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for host in 0..200 {
        assert_eq!(robots(7, host), robots(7, host));
        assert_eq!(url(7, host, host * 3), url(7, host, host * 3));
    }
    let differ = (0..200).filter(|&host| robots(7, host) != robots(8, host)).count();
    assert!(differ > 100, "{differ} of 200 hosts differ under another seed");
}

#[test]
fn bytes_are_the_same_on_every_machine() {
    // An FNV-1a hash over the first hosts. It changes when the generator does, which changes the
    // corpus.
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for host in 0..100 {
        for byte in robots(1, host).into_iter().chain(url(1, host, 0)) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    assert_eq!(hash, 0xaa79_55f4_48f5_c230, "{hash:#x}");
}

#[test]
fn at_least_forty_percent_are_individual_and_the_rest_is_shared() {
    let mut count: HashMap<Vec<u8>, u64> = HashMap::new();
    for host in 0..HOSTS {
        *count.entry(robots(1, host)).or_default() += 1;
    }
    let single = count.values().filter(|&&hosts| hosts == 1).count() as u64;
    let share = single * 100 / HOSTS;
    assert!((40..=48).contains(&share), "{share} % of the hosts have a file of their own");
    let defaults = count.values().filter(|&&hosts| hosts > 1).count();
    assert!(defaults < 40, "{defaults} different defaults");
}

#[test]
fn sizes_have_a_small_median_and_a_heavy_tail() {
    let mut sizes: Vec<usize> = (0..HOSTS).map(|host| robots(1, host).len()).collect();
    sizes.sort_unstable();
    let at = |percent: usize| sizes[sizes.len() * percent / 100];
    println!(
        "sizes: p10 {} p50 {} p90 {} p99 {} max {}",
        at(10),
        at(50),
        at(90),
        at(99),
        sizes[sizes.len() - 1]
    );
    assert!((350..=650).contains(&at(50)), "median {}", at(50));
    assert!((1_200..4_000).contains(&at(90)), "p90 {}", at(90));
    assert!((10_000..60_000).contains(&at(99)), "p99 {}", at(99));
}

#[test]
fn large_shops_are_one_in_three_hundred() {
    let shops = (0..HOSTS)
        .filter(|&host| robots(1, host).iter().filter(|&&byte| byte == b'*').count() > 250)
        .count();
    assert!((10..=35).contains(&shops), "{shops} of {HOSTS}");
}

/// The files that one host alone serves, without the large shops.
fn individual_files() -> Vec<String> {
    let mut seen: HashMap<Vec<u8>, u32> = HashMap::new();
    for host in 0..HOSTS {
        *seen.entry(robots(1, host)).or_default() += 1;
    }
    seen.retain(|_, hosts| *hosts == 1);
    let files = seen.into_keys().map(|file| String::from_utf8(file).expect("UTF-8"));
    files.filter(|text| !text.contains("facets and internal pages")).collect()
}

#[test]
fn individual_files_have_the_rules_and_groups_of_real_ones() {
    let files = individual_files();
    let share = |count: usize| count * 100 / files.len();
    let mut rules: Vec<usize> = files.iter().map(|text| rule_count(text.as_bytes())).collect();
    rules.sort_unstable();
    let at = |percent: usize| rules[rules.len() * percent / 100];
    println!("rules: p10 {} p50 {} p90 {} p99 {}", at(10), at(50), at(90), at(99));
    assert!(at(10) <= 2 && (8..20).contains(&at(50)), "p10 {}, p50 {}", at(10), at(50));
    assert!((50..130).contains(&at(90)) && at(99) > 300, "p90 {}, p99 {}", at(90), at(99));
    let named = files.iter().filter(|text| text.matches("User-agent:").count() > 1).count();
    assert!((30..60).contains(&share(named)), "{} % have a named group", share(named));
    let pages = files.iter().filter(|text| text.starts_with("<!DOCTYPE")).count();
    assert!((1..6).contains(&share(pages)), "{} % are web pages", share(pages));
}

/// Whether a rule's value has a star with something after it. One at the end means nothing.
fn has_star(value: &str) -> bool {
    value.trim_end_matches('*').contains('*')
}

#[test]
fn most_individual_files_have_no_star_rule_and_the_others_have_families() {
    let files = individual_files();
    let (mut rules, mut stars, mut with_stars) = (0, 0, 0);
    let (mut several, mut repeated) = (0, 0);
    for text in &files {
        let values = text.lines().filter_map(|line| {
            line.strip_prefix("Disallow: ").or_else(|| line.strip_prefix("Allow: "))
        });
        rules += rule_count(text.as_bytes());
        let of_file: Vec<&str> = values.filter(|value| has_star(value)).collect();
        stars += of_file.len();
        with_stars += usize::from(!of_file.is_empty());
        if of_file.len() >= 8 {
            several += 1;
            let heads: HashSet<&str> =
                of_file.iter().filter_map(|value| value.split('*').next()).collect();
            repeated += usize::from(heads.len() * 2 <= of_file.len());
        }
    }
    let (of_rules, of_files) = (stars * 100 / rules, with_stars * 100 / files.len());
    println!("star rules: {of_rules} % of the rules, in {of_files} % of the files");
    assert!((10..25).contains(&of_rules), "{of_rules} % of the rules have stars");
    assert!((30..50).contains(&of_files), "{of_files} % of the files have star rules");
    assert!(repeated * 4 > several * 3, "{repeated} of {several} repeat what is before the star");
}

#[test]
fn urls_are_urls_of_their_host_and_of_the_promised_length() {
    let mut queries = 0;
    let mut escapes = 0;
    for number in 0..6_000 {
        let host = number % 300;
        let url = url(1, host, number);
        let start = format!("https://{}/", host_name(host));
        assert!(url.starts_with(start.as_bytes()), "{}", String::from_utf8_lossy(&url));
        assert!(url.iter().all(|&byte| byte.is_ascii_graphic()));
        assert!(url.len() < start.len() + 200);
        queries += u32::from(url.contains(&b'?'));
        escapes += u32::from(url.contains(&b'%'));
    }
    assert!((300..3_000).contains(&queries), "{queries} queries");
    assert!((60..1_500).contains(&escapes), "{escapes} escapes");
    let distinct: HashSet<Vec<u8>> = (0..500).map(|number| url(1, 3, number)).collect();
    assert!(distinct.len() > 300, "{} distinct URLs of 500", distinct.len());
}

#[test]
fn a_fair_share_of_urls_meets_a_plain_rule_of_its_host() {
    let mut hits = 0;
    for number in 0..3_000 {
        let host = number % 100;
        let file = robots(1, host);
        let url = url(1, host, number);
        let start = format!("https://{}", host_name(host)).len();
        hits += u32::from(file.split(|&byte| byte == b'\n').any(|line| {
            line.strip_prefix(b"Disallow: ").is_some_and(|value| {
                let value = value.trim_ascii_end();
                value.len() > 1 && !value.contains(&b'*') && url[start..].starts_with(value)
            })
        }));
    }
    assert!((300..2_000).contains(&hits), "{hits} of 3000");
}

#[test]
fn big_straddles_the_limit() {
    let big = big();
    assert!((590_000..620_000).contains(&big.len()), "{}", big.len());
    assert!(big[511_999] != b'\n' && big[512_000] != b'\n');
    let before = big[..512_000].iter().rposition(|&byte| byte == b'\n').unwrap();
    assert!(big[before + 1..].starts_with(b"Disallow: /over-the-limit/x"));
    assert!(big.starts_with(b"User-agent: *\nDisallow: /before-the-limit/\n"));
    assert!(big.ends_with(b"Disallow: /after-the-limit/\n"));
}

#[test]
fn hostile_files_have_their_shape_and_size() {
    let expected = [
        ("prefixes", 20_000, 440_000..512_000),
        ("four_stars", 25_000, 495_000..512_000),
        ("two_stars", 14, 240..280),
        ("star_bombs", 14_300, 470_000..512_000),
        ("nested_pieces", 987, 480_000..512_000),
        ("long_heads", 980, 490_000..500_000),
    ];
    let all = hostile::all();
    assert_eq!(all.len(), expected.len());
    for ((name, file), (expected_name, rules, size)) in all.iter().zip(expected) {
        assert_eq!(*name, expected_name);
        assert_eq!(rule_count(file), rules, "{name}");
        assert!(size.contains(&file.len()), "{name}: {} bytes", file.len());
        assert!(file.starts_with(b"User-agent: *\nDisallow: /"), "{name}");
    }
    assert!(all[2].1.starts_with(b"User-agent: *\nDisallow: /*ab*Ab\nDisallow: /*ac*Ac\n"));
    assert!(all[4].1.starts_with(b"User-agent: *\nDisallow: /*a*Z0\nDisallow: /*aa*Z1\n"));
    let heads: HashSet<&[u8]> =
        all[5].1.split(|&o| o == b'*').skip(2).map(|tail| &tail[..2]).collect();
    assert_eq!(heads.len(), 980, "every long head has its own pair of letters");
}

/// Matches a star pattern without `$` against a path, piece by piece from the left. This is exact,
/// because no piece is anchored to the end.
fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let mut pieces = pattern.split(|&byte| byte == b'*');
    let Some(mut rest) = path.strip_prefix(pieces.next().unwrap_or(b"")) else {
        return false;
    };
    for piece in pieces.filter(|piece| !piece.is_empty()) {
        match rest.windows(piece.len()).position(|window| window == piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    true
}

#[test]
fn no_hostile_rule_matches_the_path_that_goes_with_it() {
    assert!(matches(b"/*a*b", b"/xaxxb") && !matches(b"/*a*b", b"/xbxxa"));
    for (name, file) in hostile::all() {
        for len in [0, 1, 30, 1_500] {
            let path = hostile::url_for(name, len);
            assert_eq!(path.len(), len);
            assert!(len == 0 || path[0] == b'/');
            for line in file.split(|&byte| byte == b'\n') {
                if let Some(pattern) = line.strip_prefix(b"Disallow: ") {
                    assert!(
                        !matches(pattern, &path),
                        "{name}: {}",
                        String::from_utf8_lossy(pattern)
                    );
                }
            }
        }
    }
}
