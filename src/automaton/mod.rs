//! The automaton.

mod determinise;
mod dot;
mod table;
mod trie;
mod walk;

use crate::config::{LimitHit, Limits};
use crate::normalise::Encoding;
use crate::rules::RuleSet;

pub(crate) use table::Automaton;
pub use table::InvalidAutomaton;
pub(crate) use trie::{NONE as NO_NODE, Run, Trie, verdict_of};

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
        if rules.pattern_octets() > limits.pattern_octets {
            return Err(LimitHit::PatternOctets(limits.pattern_octets));
        }
        self.trie.build(rules);
        self.dfa.build(&self.trie, encoding, limits)?;
        self.layout.build(&self.dfa, encoding, limits.table_bytes)
    }
}
