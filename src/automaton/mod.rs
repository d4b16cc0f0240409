//! From rules to a table: one DFA that carries the rules' precedence.
//!
//! ```text
//! rules ─▶ runs ─▶ trie with shared tails ─▶ pruned DFA ─▶ table ─▶ walk
//!         └────────── trie ──────────────┘ determinise    table    walk, dot, graph
//! ```
//!
//! 1. **Runs** (`trie`). Only the verdict counts, so neighbours in the order of precedence
//!    with the same verdict form one level, a *run*. Most rule sets have one or two.
//! 2. **Shared tails** (`trie`). The patterns become a trie over bytes with star nodes. Equal
//!    sub-tries are stored once, which bounds what the next step can multiply.
//! 3. **Pruned determinisation** (`determinise`). A state is the best run reached so far and
//!    the live nodes that can still change the verdict. All others are dropped, so a verdict
//!    becomes final as early as possible. States and work have a budget.
//! 4. **Layout** (`table`). States become records in one run of bytes: literals that are
//!    compared at once, branches, and waits after stars. `table::format` lists the invariants,
//!    and `validate` checks them. `cursor` steps through the records byte by byte, and
//!    `lookahead` computes what the next bytes tell without a visit to the records.
//! 5. **Walk** (`walk`: `by_vectors` where the processor has AVX2 or NEON, else `portable`). Goes through a haystack once.
//!
//! Each of `table::format`, `cursor`, `lookahead`, `table::{write, validate}` and `portable`,
//! `by_vectors`, `walk`, `dot`, `graph` uses only those before it.
//!
//! The automaton knows nothing of URLs, crawlers or HTTP: it is given patterns and haystacks.

#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))]
mod by_vectors;
#[expect(missing_docs, reason = "only robotsieve's own crates see it")]
mod cursor;
mod determinise;
mod dot;
pub mod graph;
mod limits;
mod lookahead;
mod portable;
#[expect(missing_docs, reason = "only robotsieve's own crates see it")]
mod table;
mod trie;
mod walk;

use crate::rules::RuleSet;
use crate::rules::normalise::Encoding;
pub use limits::{LimitHit, Limits};

pub use cursor::{ByteSet, Cursor};
pub(crate) use portable::Begun;
pub use table::Automaton;
pub use table::InvalidAutomaton;
pub use table::Table;
use trie::Trie;
pub(crate) use trie::{Run, verdict_of};

/// Scratch space for more than this is not kept: some 16 MB, measured on the hostile file
/// `prefixes`, which would take two thirds more time if it had to allocate afresh.
const KEPT_NODES_AND_STATES: usize = 1 << 17;

/// Compiles rule sets. Its scratch space is kept for the next one.
#[derive(Debug, Default)]
pub struct Compiler {
    trie: Trie,
    dfa: determinise::Dfa,
    layout: table::Layout,
    work: u64,
}

impl Compiler {
    /// The automaton of a rule set, for haystacks that `encoding` normalises.
    ///
    /// # Errors
    /// Returns the limit that was hit.
    pub fn compile(
        &mut self,
        rules: &RuleSet,
        encoding: Encoding,
        limits: &Limits,
    ) -> Result<Automaton, LimitHit> {
        if rules.pattern_bytes() > limits.pattern_bytes {
            return Err(LimitHit::PatternBytes(limits.pattern_bytes));
        }
        if rules.stars().saturating_sub(rules.len()) > limits.inner_stars {
            return Err(LimitHit::InnerStars(limits.inner_stars));
        }
        self.trie.build(rules);
        let built = self.dfa.build(&self.trie, encoding, limits);
        let automaton =
            built.and_then(|()| self.layout.build(&self.dfa, encoding, limits.table_bytes));
        self.work = self.dfa.work();
        if self.trie.len() + self.dfa.len() > KEPT_NODES_AND_STATES {
            *self = Compiler { work: self.work, ..Compiler::default() };
        }
        automaton
    }

    /// How many nodes the last compilation looked at, if it came that far.
    pub fn work(&self) -> u64 {
        self.work
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RawRule;
    use crate::{Profile, Verdict};

    fn rule_set(rules: &[(Verdict, &[u8])], profile: &Profile) -> RuleSet {
        let rules = rules.iter().zip(1..);
        let raw = rules.map(|(&(verdict, value), line)| RawRule { line, verdict, value });
        RuleSet::new(raw, profile)
    }

    /// `docs/automaton.md` explains the bytes that the compiler writes.
    #[test]
    fn worked_example() {
        let profile = Profile::RFC9309;
        let rules: [(Verdict, &[u8]); 3] = [
            (Verdict::Disallow, b"/shop/*sort="),
            (Verdict::Disallow, b"/*.pdf$"),
            (Verdict::Allow, b"/shop/open/"),
        ];
        let rules = rule_set(&rules, &profile);
        let encoding = Encoding::of_target(&profile);
        let automaton = Compiler::default().compile(&rules, encoding, &Limits::default()).unwrap();
        let bytes = automaton.table().bytes();
        let explained = include_str!("../../docs/automaton.md");
        let mut at = None;
        let mut lines = 0;
        for line in explained.lines() {
            let (offset, rest) = line.trim_start().split_once("  ").unwrap_or_default();
            let (Ok(offset), true) = (offset.parse::<usize>(), rest.is_ascii()) else { continue };
            let mut end = offset;
            for word in rest.split_whitespace() {
                match u8::from_str_radix(word, 16) {
                    Ok(byte) if word.len() == 2 => {
                        assert_eq!(bytes[end], byte, "{offset}: {rest}");
                        end += 1;
                    }
                    _ if word == "(filter)" => end += table::format::FilterForm::of(1).len(),
                    _ => break,
                }
            }
            assert!(at.is_none_or(|at| at == offset), "{offset}");
            at = Some(end);
            lines += 1;
        }
        assert_eq!(lines, 6);
        assert!(explained.contains(&format!("has {} bytes", bytes.len())));
    }

    /// A changed bit makes a table invalid, or another valid one on which the walk ends.
    #[test]
    fn changed_bytes() {
        let profile = Profile::RFC9309;
        let rules: [(Verdict, &[u8]); 3] = [
            (Verdict::Disallow, b"/a*bc"),
            (Verdict::Allow, b"/ab$"),
            (Verdict::Disallow, b"/*x%2Fy"),
        ];
        let rules = rule_set(&rules, &profile);
        let encoding = Encoding::of_target(&profile);
        let automaton = Compiler::default().compile(&rules, encoding, &Limits::default()).unwrap();
        let mut bytes = automaton.table().bytes().to_vec();
        assert!(Table::validated(&bytes, encoding).is_ok());
        let (mut valid, mut invalid) = (0, 0);
        for at in 0..bytes.len() - table::format::PADDING {
            for bit in 0..8 {
                bytes[at] ^= 1 << bit;
                match Table::validated(&bytes, encoding) {
                    Ok(table) => {
                        valid += 1;
                        for haystack in ["", "abc", "ab", "a/b%20c/x%2fy", "x%2Fy#z"] {
                            table.verdict(haystack.as_bytes());
                        }
                    }
                    Err(_) => invalid += 1,
                }
                bytes[at] ^= 1 << bit;
            }
        }
        assert!(invalid > 4 * valid, "{invalid} {valid}");
        for len in 0..bytes.len() {
            assert!(Table::validated(&bytes[..len], encoding).is_err(), "{len}");
        }
    }

    /// Debug builds check every read of the walk, and vectors are longer than these records.
    #[test]
    fn shortest_tables() {
        let profile = Profile::RFC9309;
        let encoding = Encoding::of_target(&profile);
        let mut compiler = Compiler::default();
        let text = b"/abcdefghijklmn$";
        let mut with_entries = 0;
        for len in 1..text.len() {
            for anchor in [&b""[..], b"$"] {
                let value = [&text[..len], anchor].concat();
                let rules = rule_set(&[(Verdict::Disallow, &value)], &profile);
                let automaton = compiler.compile(&rules, encoding, &Limits::default()).unwrap();
                let table = automaton.table();
                with_entries += usize::from(table.entries_len() > 0);
                for end in 1..text.len() {
                    let matches = if anchor.is_empty() { end >= len } else { end == len };
                    let wanted = if matches { Verdict::Disallow } else { Verdict::Allow };
                    let haystack = &text[1..end];
                    assert_eq!(table.verdict(haystack), wanted, "{value:?} {haystack:?}");
                }
            }
        }
        assert!(with_entries > 5);
    }

    /// The transition of a branch that leads to the next record comes first. A table with a byte
    /// twice is not valid.
    #[test]
    fn first_transitions() {
        let profile = Profile::RFC9309;
        let rules: [(Verdict, &[u8]); 3] = [
            (Verdict::Disallow, b"/a"),
            (Verdict::Disallow, b"/bcdef"),
            (Verdict::Disallow, b"/c"),
        ];
        let rules = rule_set(&rules, &profile);
        let encoding = Encoding::of_target(&profile);
        let automaton = Compiler::default().compile(&rules, encoding, &Limits::default()).unwrap();
        let table = automaton.table();
        let mut bytes = table.bytes().to_vec();
        let branch = bytes.len() - table.records().len() + table.start() as usize;
        assert_eq!(bytes[branch + 1..branch + 5], [3, b'b', b'a', b'c']);
        assert_eq!(
            table.transitions(table.start()).map(|(_, to)| to).collect::<Vec<_>>()[1..],
            [1, 1]
        );
        for (haystack, wanted) in
            [("a", Verdict::Disallow), ("bcd", Verdict::Allow), ("bcdef", Verdict::Disallow)]
        {
            assert_eq!(table.verdict(haystack.as_bytes()), wanted, "{haystack}");
        }
        for (index, byte) in [(0, b'a'), (0, b'c'), (1, b'b'), (1, b'c'), (1, b'd'), (2, b'b')] {
            let before = std::mem::replace(&mut bytes[branch + 2 + index], byte);
            let Err(invalid) = Table::validated(&bytes, encoding) else { panic!("is valid") };
            assert!(invalid.to_string().contains("ascend"), "{index} {byte}: {invalid}");
            bytes[branch + 2 + index] = before;
        }
        assert!(Table::validated(&bytes, encoding).is_ok());
    }

    /// The number of a record's transitions is a byte, so 255 is the most.
    #[test]
    fn a_transition_for_every_byte() {
        let profile = Profile::ORIGINAL_1994;
        let encoding = Encoding::of_target(&profile);
        for bytes in [255, 256] {
            let values: Vec<[u8; 2]> = (0..bytes).map(|byte| [b'/', byte as u8]).collect();
            let rules: Vec<(Verdict, &[u8])> =
                values.iter().map(|value| (Verdict::Disallow, &value[..])).collect();
            let rules = rule_set(&rules, &profile);
            let compiled = Compiler::default().compile(&rules, encoding, &Limits::default());
            match compiled {
                Ok(automaton) => {
                    assert_eq!(bytes, 255);
                    assert_eq!(automaton.table().verdict(b""), Verdict::Allow);
                    assert_eq!(automaton.table().verdict(b"x"), Verdict::Disallow);
                }
                Err(limit) => {
                    assert_eq!(bytes, 256);
                    assert_eq!(limit, LimitHit::TableBytes(Limits::default().table_bytes));
                }
            }
        }
    }
}
