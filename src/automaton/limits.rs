//! The limits within which a DFA is built.

use std::fmt;

/// The limits within which a [`Engine::Dfa`](crate::Engine::Dfa) is built.
///
/// A policy that hits one gets another engine, with the same verdicts;
/// [`Policy::limit_hit`](crate::Policy::limit_hit) says which limit it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[non_exhaustive]
pub struct Limits {
    /// The maximal number of states. `None` stands for 64, and 16 for each node of the rules'
    /// trie.
    pub states: Option<u32>,
    /// The maximal work, counted in nodes looked at while states are built. `None` stands for a
    /// number in proportion to the nodes of the rules' trie.
    pub work: Option<u64>,
    /// The maximal size of the finished table, in bytes.
    pub table_bytes: usize,
    /// The maximal length of all patterns together, in bytes.
    pub pattern_bytes: usize,
    /// The maximal number of stars that are not the first ones of their patterns. These
    /// multiply states, so more of them would hit the other limits, but only after much work.
    pub inner_stars: usize,
}

impl Limits {
    /// No limits. A hostile file of 250 bytes then takes gigabytes, so only the tests use it.
    #[doc(hidden)]
    pub const NONE: Limits = Limits {
        states: Some(u32::MAX),
        work: Some(u64::MAX),
        table_bytes: usize::MAX,
        pattern_bytes: usize::MAX,
        inner_stars: usize::MAX,
    };
}

impl Default for Limits {
    /// Limits that 99 % of real files keep, and within which a hostile file costs no more than
    /// a large honest one: tables of up to 1 MiB, patterns of up to 4 MiB.
    fn default() -> Limits {
        Limits {
            states: None,
            work: None,
            table_bytes: 1 << 20,
            pattern_bytes: 4 << 20,
            inner_stars: 8 << 10,
        }
    }
}

/// A limit that kept a policy from becoming a [`Engine::Dfa`](crate::Engine::Dfa), with its
/// value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum LimitHit {
    /// [`Limits::states`], with the number that `None` stood for.
    States(u32),
    /// [`Limits::work`], with the number that `None` stood for.
    Work(u64),
    /// [`Limits::table_bytes`].
    TableBytes(usize),
    /// [`Limits::pattern_bytes`].
    PatternBytes(usize),
    /// [`Limits::inner_stars`].
    InnerStars(usize),
}

impl fmt::Display for LimitHit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LimitHit::States(limit) => write!(f, "more than {limit} states"),
            LimitHit::Work(limit) => write!(f, "more than {limit} units of work"),
            LimitHit::TableBytes(limit) => write!(f, "a table of more than {limit} bytes"),
            LimitHit::PatternBytes(limit) => write!(f, "patterns of more than {limit} bytes"),
            LimitHit::InnerStars(limit) => {
                write!(f, "more than {limit} stars after the first ones of their patterns")
            }
        }
    }
}
