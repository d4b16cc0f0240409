//! Generates difficult rule sets and targets: many stars, `$`, shared prefixes and suffixes, rules
//! of equal length with opposite verdicts, percent-escapes in every spelling.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A generated file with one group, for `*`, and paths to ask about.
#[derive(Clone)]
pub struct Generated {
    pub file: Vec<u8>,
    pub paths: Vec<Vec<u8>>,
}

/// Shows the bytes as text, so that minimised failures are readable.
impl std::fmt::Debug for Generated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{}", self.file.escape_ascii().to_string().replace("\\n", "\n"))?;
        let paths = self.paths.iter().map(|path| path.escape_ascii().to_string());
        f.debug_list().entries(paths).finish()
    }
}

/// How large a rule set may become.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub rules: usize,
    /// The number of words in the middle of a rule.
    pub words: usize,
}

/// What rules and targets are made of. The alphabet is tiny, so that they often match.
fn word() -> impl Strategy<Value = &'static [u8]> {
    const PLAIN: [&[u8]; 5] = [b"a", b"b", b"/", b"ab", b"/a"];
    const ODD: [&[u8]; 24] = [
        b"$",
        b"%61",
        b"%62",
        b"%2a",
        b"%2A",
        b"%24",
        b"%2f",
        b"%2F",
        b"%c3%a9",
        b"%C3%A9",
        b"\xC3\xA9",
        b"\xFF",
        b"%",
        b"%a",
        b"%%61",
        b"%25",
        b" ",
        b"~",
        b"%7E",
        b"?",
        b"{",
        b"c",
        b"robots.txt",
        b"index.htm",
    ];
    prop_oneof![8 => select(&PLAIN[..]), 1 => select(&ODD[..])]
}

fn words(max: usize) -> impl Strategy<Value = Vec<u8>> {
    vec(word(), 0..=max).prop_map(|words| words.concat())
}

/// The middle of a rule: words and stars.
fn middle(max: usize) -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![5 => word().boxed(), 2 => Just(&b"*"[..]).boxed()];
    vec(part, 0..=max).prop_map(|parts| parts.concat())
}

/// One rule before the shared prefixes and suffixes are filled in.
#[derive(Clone, Debug)]
struct Draft {
    allow: bool,
    slash: bool,
    prefix: Index,
    middle: Vec<u8>,
    suffix: Index,
    end: &'static [u8],
    /// If there is to be an opposite rule of the same length: the position at which it differs.
    twin: Option<Index>,
}

fn draft(size: Size) -> impl Strategy<Value = Draft> {
    const ENDS: [&[u8]; 8] = [b"", b"", b"", b"$", b"*", b"*$", b"$*", b"**"];
    let end = select(&ENDS[..]);
    let twin = proptest::option::weighted(0.2, any::<Index>());
    let parts = (any::<Index>(), middle(size.words), any::<Index>());
    (any::<bool>(), proptest::bool::weighted(0.9), parts, end, twin).prop_map(
        |(allow, slash, (prefix, middle, suffix), end, twin)| Draft {
            allow,
            slash,
            prefix,
            middle,
            suffix,
            end,
            twin,
        },
    )
}

/// How a target is made.
#[derive(Clone, Debug)]
enum Path {
    /// From a rule: replaces its stars by the fills in turn, cuts bytes from the end, adds some, and
    /// changes one.
    Rule {
        rule: Index,
        fills: Vec<Vec<u8>>,
        cut: usize,
        added: Vec<u8>,
        changed: Option<Index>,
    },
    Words(Vec<u8>),
}

fn path() -> impl Strategy<Value = Path> {
    let fills = vec(words(3), 1..4);
    let cut = prop_oneof![3 => Just(0), 1 => 1..4usize];
    let added = prop_oneof![3 => Just(Vec::new()).boxed(), 1 => words(2).boxed()];
    let changed = proptest::option::weighted(0.15, any::<Index>());
    prop_oneof![
        5 => (any::<Index>(), fills, cut, added, changed).prop_map(
            |(rule, fills, cut, added, changed)| Path::Rule { rule, fills, cut, added, changed }
        ),
        1 => words(8).prop_map(Path::Words),
        // Targets with the bytes that are special in rules.
        1 => middle(6).prop_map(Path::Words),
    ]
}

/// Rule sets up to this size, with paths.
pub fn generated(size: Size) -> impl Strategy<Value = Generated> {
    let pool = || vec(words(3), 1..4);
    let drafts = vec(draft(size), 1..=size.rules);
    (pool(), pool(), drafts, vec(path(), 1..24)).prop_map(|(prefixes, suffixes, drafts, paths)| {
        let mut rules: Vec<(bool, Vec<u8>)> = Vec::new();
        for draft in &drafts {
            let mut value: Vec<u8> = if draft.slash { b"/".to_vec() } else { Vec::new() };
            value.extend_from_slice(draft.prefix.get::<Vec<u8>>(&prefixes));
            value.extend_from_slice(&draft.middle);
            value.extend_from_slice(draft.suffix.get::<Vec<u8>>(&suffixes));
            value.extend_from_slice(draft.end);
            if let Some(place) = draft.twin.filter(|_| !value.is_empty()) {
                let mut twin = value.clone();
                *place.get_mut(&mut twin[..]) = b'a';
                rules.push((!draft.allow, twin));
            }
            rules.push((draft.allow, value));
        }
        let paths = paths.iter().map(|path| realise(path, &rules)).collect();
        Generated { file: file(&rules), paths }
    })
}

/// A file with one group, for `*`.
pub fn file(rules: &[(bool, Vec<u8>)]) -> Vec<u8> {
    let mut file = b"User-agent: *\n".to_vec();
    for (allow, value) in rules {
        file.extend_from_slice(if *allow { b"Allow: " } else { b"Disallow: " });
        file.extend_from_slice(value);
        file.push(b'\n');
    }
    file
}

fn realise(path: &Path, rules: &[(bool, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = match path {
        Path::Words(words) => words.clone(),
        Path::Rule { rule, fills, cut, added, changed } => {
            let value = &rule.get(rules).1;
            let value = value.strip_suffix(b"$").unwrap_or(value);
            let mut bytes = filled(value, fills.iter().cycle().map(Vec::as_slice));
            bytes.truncate(bytes.len().saturating_sub(*cut));
            bytes.extend_from_slice(added);
            if let Some(place) = changed.filter(|_| !bytes.is_empty()) {
                *place.get_mut(&mut bytes[..]) = b'b';
            }
            bytes
        }
    };
    if bytes.first() != Some(&b'/') {
        bytes.insert(0, b'/');
    }
    bytes
}

/// A rule's value with its stars replaced by the fills in turn.
pub fn filled<'f>(value: &[u8], mut fills: impl Iterator<Item = &'f [u8]>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (i, piece) in value.split(|byte| *byte == b'*').enumerate() {
        if i > 0 {
            bytes.extend_from_slice(fills.next().unwrap_or_default());
        }
        bytes.extend_from_slice(piece);
    }
    bytes
}
