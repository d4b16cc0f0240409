//! From rules to a table: one DFA that carries the rules' precedence.
//!
//! ```text
//! rules ─▶ runs ─▶ trie with shared tails ─▶ pruned DFA ─▶ table ─▶ walk
//!         └────────── trie ──────────────┘ determinise    table    walk, dot
//! ```
//!
//! 1. **Runs** (`trie`). Only the verdict counts, so neighbours in the order of precedence
//!    with the same verdict are one level, a *run*. Most rule sets have one or two.
//! 2. **Shared tails** (`trie`). The patterns become a trie over bytes with star nodes;
//!    equal sub-tries are one, which bounds what the next step can multiply.
//! 3. **Pruned determinisation** (`determinise`). A state is the best run reached so far and
//!    the live nodes that can still change the verdict; all others are dropped, so that a
//!    verdict is final as early as can be. States and work have a budget.
//! 4. **Layout** (`table`). States become records in one run of bytes: literals that are
//!    compared at once, branches, and waits behind stars. Its invariants are written down
//!    there and checked by `validate`.
//!    `lookahead` adds what the next bytes tell without a visit to the records.
//!    `places` reads it byte by byte, for who compares two of them.
//! 5. **Walk** (`walk`, and `avx2` for processors that have it). Reads a target once at
//!    most.
//!
//! The automaton knows nothing of URLs, crawlers or HTTP: it is given patterns, and bytes.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod cursor;
mod determinise;
mod dot;
mod limits;
mod lookahead;
mod table;
mod trie;
mod walk;

use crate::rules::RuleSet;
use crate::rules::normalise::Encoding;
pub use limits::{LimitHit, Limits};

pub(crate) use cursor::ByteSet;
pub(crate) use lookahead::Cursor;
pub(crate) use table::Automaton;
pub use table::InvalidAutomaton;
pub(crate) use table::Table;
use trie::Trie;
pub(crate) use trie::{Run, verdict_of};

/// Scratch space that held more than this is not kept: some 16 MB, by what the hostile file
/// `prefixes` takes. To fetch it afresh would make that file cost two thirds more.
const KEPT_NODES_AND_STATES: usize = 1 << 17;

/// Compiles rule sets, with scratch space that is used again for the next one.
#[derive(Debug, Default)]
pub(crate) struct Compiler {
    trie: Trie,
    dfa: determinise::Dfa,
    layout: table::Layout,
}

impl Compiler {
    /// The automaton of a rule set for targets that are normalised by `encoding`.
    ///
    /// # Errors
    /// The limit that was hit.
    pub(crate) fn compile(
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
        if self.trie.len() + self.dfa.len() > KEPT_NODES_AND_STATES {
            *self = Compiler::default();
        }
        automaton
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RawRule;
    use crate::{Profile, Verdict};

    /// The bytes that `docs/automaton.md` explains.
    #[test]
    fn worked_example() {
        let profile = Profile::RFC9309;
        let rules = [
            (2, Verdict::Disallow, "/shop/*sort="),
            (3, Verdict::Disallow, "/*.pdf$"),
            (4, Verdict::Allow, "/shop/open/"),
        ];
        let raw = rules.map(|(line, verdict, value)| {
            let value = value.as_bytes();
            RawRule { line, verdict, value }
        });
        let rules = RuleSet::new(raw.into_iter(), &profile);
        let encoding = Encoding::of_target(&profile);
        let automaton = Compiler::default().compile(&rules, encoding, &Limits::default()).unwrap();
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
                        assert_eq!(automaton.bytes[end], byte, "{offset}: {rest}");
                        end += 1;
                    }
                    _ if word == "(filter)" => end += lookahead::FILTER_LEN,
                    _ => break,
                }
            }
            assert!(at.is_none_or(|at| at == offset) || lines == 5, "{offset}");
            at = Some(end);
            lines += 1;
        }
        assert_eq!((lines, at), (6, Some(automaton.bytes.len() - table::PADDING)));
        assert!(explained.contains(&format!("has {} bytes", automaton.bytes.len())));
        assert_eq!(automaton.table().validate(), Ok(()));
    }

    /// `validate` notices any byte that is changed, or what comes out is a valid table too,
    /// on which the walk ends.
    #[test]
    fn changed_bytes() {
        let profile = Profile::RFC9309;
        let value =
            |line, verdict, value: &'static str| RawRule { line, verdict, value: value.as_bytes() };
        let rules = [
            value(1, Verdict::Disallow, "/a*bc"),
            value(2, Verdict::Allow, "/ab$"),
            value(3, Verdict::Disallow, "/*x%2Fy"),
        ];
        let rules = RuleSet::new(rules.into_iter(), &profile);
        let encoding = Encoding::of_target(&profile);
        let automaton = Compiler::default().compile(&rules, encoding, &Limits::default()).unwrap();
        let (mut valid, mut invalid) = (0, 0);
        for at in 0..automaton.bytes.len() {
            for bit in 0..8 {
                let mut changed = automaton.clone();
                changed.bytes[at] ^= 1 << bit;
                if changed.table().validate().is_err() {
                    invalid += 1;
                    continue;
                }
                valid += 1;
                for path in ["/", "/abc", "/ab", "/a/b%20c/x%2fy", "/x%2Fy#z"] {
                    let target = crate::Target::from_path(path, &profile).unwrap();
                    changed.table().verdict(&target);
                }
            }
        }
        assert!(invalid > 4 * valid, "{invalid} {valid}");
    }
}
