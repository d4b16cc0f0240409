//! The limits within which a DFA is built.

use std::fmt;

/// The limits within which a [`Engine::Dfa`](crate::Engine::Dfa) is built. One that is hit changes the engine,
/// never a verdict, and [`Policy::limit_hit`](crate::Policy::limit_hit) says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[non_exhaustive]
pub struct Limits {
    /// States at most; `None`: 16 for each node of the rules' trie, and 64.
    pub states: Option<u32>,
    /// Work at most, counted in nodes looked at while states are built; `None`: in
    /// proportion to the nodes of the rules' trie.
    pub work: Option<u64>,
    /// Bytes of the finished table at most.
    pub table_bytes: usize,
    /// Bytes of all patterns together at most.
    pub pattern_bytes: usize,
    /// Stars at most that are not the first ones of their patterns: what multiplies states. More
    /// than this would end at the other limits after much work.
    pub inner_stars: usize,
}

impl Limits {
    /// No limits: for tests and for `dot`. A hostile file of 250 bytes takes gigabytes.
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
    /// What fits 99 % of real files and costs a hostile one no more than a large honest
    /// one: tables of at most 1 MiB, patterns of at most 4 MiB.
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

/// A limit that kept a policy from becoming a [`Engine::Dfa`](crate::Engine::Dfa).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LimitHit {
    /// [`Limits::states`], with the value that was in force.
    States(u32),
    /// [`Limits::work`], with the value that was in force.
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
                write!(f, "more than {limit} stars behind the first ones of their patterns")
            }
        }
    }
}
