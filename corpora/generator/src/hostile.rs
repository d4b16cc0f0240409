//! Files that are small enough to be read in full but cost as much as possible.
//!
//! Each has one group, for `*`, with `Disallow` lines only. The documentation of each function says
//! what the file attacks; [`url_for`] gives the path to ask it about.

use crate::rng::Rng;

/// Every hostile file with its name, in the order of this module.
///
/// ```
/// for (name, file) in robotsieve_corpora::hostile::all() {
///     assert!(file.len() < 512_000, "{name} is read in full");
/// }
/// ```
pub fn all() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("prefixes", prefixes()),
        ("four_stars", four_stars()),
        ("two_stars", two_stars()),
        ("star_bombs", star_bombs()),
        ("nested_pieces", nested_pieces()),
        ("long_heads", long_heads()),
    ]
}

/// A file with one `Disallow` line for each pattern.
fn file(patterns: impl Iterator<Item = String>) -> Vec<u8> {
    let mut text = String::from("User-agent: *\n");
    for pattern in patterns {
        text.push_str("Disallow: ");
        text.push_str(&pattern);
        text.push('\n');
    }
    text.into_bytes()
}

/// Pattern number `index` of [`prefixes`].
fn prefix_pattern(index: u64) -> String {
    let mut rng = Rng::new(0, index, 0);
    let mut pattern = String::from("/");
    // Few first folders and more second ones make the trie narrow at its root.
    for syllables in [2, 3] {
        for _ in 0..syllables {
            pattern.push(rng.pick(b"kmrst") as char);
            pattern.push(rng.pick(b"aeio") as char);
        }
        pattern.push('/');
    }
    pattern.pop();
    pattern.push_str(&format!("{:02}", rng.below(100)));
    pattern
}

/// 20,000 prefix rules, about 500 kB, many with a common prefix. Attacks compilation.
pub fn prefixes() -> Vec<u8> {
    file((0..20_000).map(prefix_pattern))
}

/// 25,000 rules of the shape `/*a*b*c*d`, about 500 kB. Attacks with live nodes: after a few bytes
/// thousands of rules wait for their next letter.
///
/// The last letter is from `u` to `z`, the others are from `a` to `t`.
pub fn four_stars() -> Vec<u8> {
    let mut rng = Rng::new(0, 0, 1);
    file((0..25_000).map(move |_| {
        let mut letter = |from: u8, count: u64| (from + rng.below(count) as u8) as char;
        let (a, b, c) = (letter(b'a', 20), letter(b'a', 20), letter(b'a', 20));
        format!("/*{a}*{b}*{c}*{}", letter(b'u', 6))
    }))
}

/// 14 rules of the shape `/*ax*Ax`, each with its own letter, 250 bytes. Attacks with states: each
/// set of first halves seen so far is a state, so there are 2^14 of them.
pub fn two_stars() -> Vec<u8> {
    file((b'b'..).take(14).map(char::from).map(|x| format!("/*a{x}*A{x}")))
}

/// 14,300 rules like `/*a*a*a*a*a*a*a*a*a*b`, about 500 kB. Attacks backtracking matchers, and all
/// others with its number of stars.
///
/// Each rule has nine letters from `a` to `d`, then a piece of three capitals.
pub fn star_bombs() -> Vec<u8> {
    let mut rng = Rng::new(0, 0, 2);
    file((0..14_300).map(move |_| {
        let mut pattern = String::from("/");
        for _ in 0..9 {
            pattern.push('*');
            pattern.push(rng.pick(b"abcd") as char);
        }
        pattern.push('*');
        for _ in 0..3 {
            pattern.push((b'A' + rng.below(26) as u8) as char);
        }
        pattern
    }))
}

/// 987 rules `/*a*Z0`, `/*aa*Z1`, `/*aaa*Z2` and so on, about 500 kB. Attacks aho-corasick over the
/// pieces: each `a` in the path ends up to 987 of them.
pub fn nested_pieces() -> Vec<u8> {
    file((0..987).map(|i| format!("/*{}*Z{i}", "a".repeat(i + 1))))
}

/// 980 rules `/a*AA`, `/aa*BA`, `/aaa*CA` and so on up to 980 times `a`, about 494 kB. Attacks
/// compilation: few nodes are live at a time, but the total work is large.
pub fn long_heads() -> Vec<u8> {
    file((0..980usize).map(|i| {
        // 26 × 26 pairs of capitals, then pairs with a lower-case second letter.
        let first = (b'A' + (i % 26) as u8) as char;
        let row = (i / 26) as u8;
        let second = if row < 26 { b'A' + row } else { b'a' + row - 26 } as char;
        format!("/{}*{first}{second}", "a".repeat(i + 1))
    }))
}

/// The path of `len` bytes, beginning with `/`, that we know to be the most expensive for the named
/// file. No rule matches it, so all of it is read, but each rule matches all but its last part.
///
/// An unknown name gives `/` and a run of `a`. With `len` 0 the path is empty.
///
/// ```
/// let path = robotsieve_corpora::hostile::url_for("nested_pieces", 65_536);
/// assert_eq!(path.len(), 65_536);
/// ```
pub fn url_for(name: &str, len: usize) -> Vec<u8> {
    let unit: Vec<u8> = match name {
        // All of the first rule except its last digit, then bytes that match nothing.
        "prefixes" => {
            let pattern = prefix_pattern(0);
            let mut path = pattern.as_bytes()[..pattern.len() - 1].to_vec();
            path.resize(len.max(path.len()), b'~');
            path.truncate(len);
            return path;
        }
        "four_stars" => (b'a'..b'u').collect(),
        // All first halves, repeatedly, and a capital that starts no second half.
        "two_stars" => (b'b'..).take(14).flat_map(|x| [b'a', x]).chain([b'A', b'a']).collect(),
        "star_bombs" => b"abcd".to_vec(),
        _ => b"a".to_vec(),
    };
    [b'/'].into_iter().chain(unit.into_iter().cycle()).take(len).collect()
}
