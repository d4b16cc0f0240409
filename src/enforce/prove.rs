//! The proof that regular expressions refuse what a policy disallows, over all URLs.
//!
//! The expressions are compiled to lazy DFAs, one for each run, and walked in lockstep with the
//! policy's automaton: breadth first, so the first difference is a shortest one.

use std::collections::HashSet;

use foldhash::fast::RandomState;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::util::{start, syntax};
use regex_automata::{Anchored, MatchKind};
use smallvec::SmallVec;

use super::pattern::{Form, Run};
use crate::automaton::{Cursor, Table};
use crate::diff::READABLE_FIRST;
use crate::rules::normalise::Encoding;
use crate::verdict::Verdict;

/// The shortest URLs for which a configuration does something else than the policy says. Both `None`:
/// proven to be alike.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Differences {
    /// The policy allows it, and the configuration refuses it.
    pub(super) stricter: Option<Vec<u8>>,
    /// The policy disallows it, and the configuration lets it through.
    pub(super) looser: Option<Vec<u8>>,
}

/// There is no proof within the limits of time and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

/// The states and the parts of states that the proofs of a configuration may visit together.
pub(super) const CELLS: usize = 48 << 20;
/// The memory that the states of a run may take, in bytes.
const CACHE_BYTES: usize = 256 << 20;

/// What of a URL expressions and policy are given.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) form: Form,
    /// Whether bytes outside ASCII are URLs.
    pub(super) bytes: bool,
    /// Whether the expressions are given the path without the query.
    pub(super) path_only: bool,
}

/// Where a run's expressions are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum At {
    Never,
    Matched,
    State(LazyStateID),
}

/// Where a `%XX` of the URL is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Escape {
    Outside,
    Percent,
    Digit(u8),
}

/// A state of the walk.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Spot {
    cursor: Cursor,
    escape: Escape,
    /// Of the runs up to the first that matched.
    runs: SmallVec<[At; 3]>,
}

impl Spot {
    /// Returns true if nothing that follows changes the verdicts.
    fn is_settled(&self) -> bool {
        let runs = self.runs.iter().all(|at| !matches!(at, At::State(_)));
        runs && self.cursor.is_final() && self.escape == Escape::Outside
    }

    /// Forgets the runs that come after one that matched.
    fn cut(&mut self) {
        let matched = self.runs.iter().position(|at| *at == At::Matched);
        if let Some(first) = matched {
            self.runs.truncate(first + 1);
        }
    }
}

/// A spot that was reached, by this byte from the spot of this number.
struct Reached {
    spot: Spot,
    from: u32,
    byte: u8,
}

/// The lazy DFA of a run.
struct Lazy {
    dfa: DFA,
    cache: Cache,
    refuses: bool,
}

impl Lazy {
    fn new(run: &Run) -> Result<Lazy, TooLarge> {
        // An atomic group drops only what cannot lead to a match.
        let texts: Vec<String> =
            run.regexes.iter().map(|regex| regex.text.replace("(?>", "(?:")).collect();
        let nfa = thompson::Compiler::new()
            .configure(thompson::Config::new().utf8(false).nfa_size_limit(Some(CACHE_BYTES)))
            .syntax(syntax::Config::new().unicode(false).utf8(false))
            .build_many(&texts)
            .map_err(|_| TooLarge)?;
        let config = DFA::config()
            .match_kind(MatchKind::All)
            .cache_capacity(CACHE_BYTES)
            .minimum_cache_clear_count(Some(0));
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).map_err(|_| TooLarge)?;
        let cache = dfa.create_cache();
        Ok(Lazy { dfa, cache, refuses: run.refuses })
    }

    fn first(&mut self) -> Result<At, TooLarge> {
        let config = start::Config::new().anchored(Anchored::Yes);
        let state = self.dfa.start_state(&mut self.cache, &config).map_err(|_| TooLarge)?;
        Ok(At::State(state))
    }

    fn step(&mut self, at: At, byte: u8) -> Result<At, TooLarge> {
        let At::State(state) = at else { return Ok(at) };
        let next = self.dfa.next_state(&mut self.cache, state, byte).map_err(|_| TooLarge)?;
        Ok(if next.is_match() {
            At::Matched
        } else if next.is_dead() {
            At::Never
        } else {
            At::State(next)
        })
    }

    fn matches_at_end(&mut self, at: At) -> Result<bool, TooLarge> {
        match at {
            At::Never => Ok(false),
            At::Matched => Ok(true),
            At::State(state) => {
                let next = self.dfa.next_eoi_state(&mut self.cache, state).map_err(|_| TooLarge)?;
                Ok(next.is_match())
            }
        }
    }
}

/// Compares the runs with the policy's automaton. `cells` is what may still be visited.
///
/// # Errors
/// Returns an error if that takes too many states.
pub(super) fn differences(
    table: Table<'_>,
    encoding: Encoding,
    runs: &[Run],
    seen: Seen,
    cells: &mut usize,
) -> Result<Differences, TooLarge> {
    let mut lazy = runs.iter().map(Lazy::new).collect::<Result<Vec<Lazy>, TooLarge>>()?;
    let mut found = Differences::default();
    let mut at = SmallVec::new();
    for run in &mut lazy {
        let first = run.first()?;
        at.push(run.step(first, b'/')?);
    }
    let first = Spot { cursor: table.first_cursor(), escape: Escape::Outside, runs: at };
    let mut known: HashSet<Spot, RandomState> = HashSet::default();
    known.insert(first.clone());
    let mut reached = vec![Reached { spot: first, from: 0, byte: b'/' }];
    let mut next = 0;
    while let Some(Reached { spot, .. }) = reached.get(next) {
        let spot = spot.clone();
        if spot.escape == Escape::Outside {
            let refuses = refuses(&mut lazy, &spot)?;
            let disallows = table.verdict_at(spot.cursor) == Verdict::Disallow;
            let slot = if refuses { &mut found.stricter } else { &mut found.looser };
            if refuses != disallows && slot.is_none() {
                let url = url(&reached, next);
                // It stays open, whatever the rules say.
                let normal: Vec<u8> = encoding.normalised(&url).collect();
                let path = normal.split(|byte| seen.path_only && *byte == b'?').next();
                if path != Some(b"/robots.txt") {
                    *slot = Some(url);
                    if found.stricter.is_some() && found.looser.is_some() {
                        break;
                    }
                }
            }
        }
        if !spot.is_settled() {
            // Most bytes lead to the same spot.
            let mut here: SmallVec<[Spot; 16]> = SmallVec::new();
            for &byte in &READABLE_FIRST {
                let Some(spot) = step(&mut lazy, table, encoding, seen, &spot, byte)? else {
                    continue;
                };
                if here.contains(&spot) {
                    continue;
                }
                if known.insert(spot.clone()) {
                    *cells = cells.checked_sub(4 + spot.runs.len()).ok_or(TooLarge)?;
                    reached.push(Reached { spot: spot.clone(), from: next as u32, byte });
                }
                here.push(spot);
            }
        }
        next += 1;
    }
    Ok(found)
}

/// Returns true if a URL that ends here is refused.
fn refuses(lazy: &mut [Lazy], spot: &Spot) -> Result<bool, TooLarge> {
    for (run, at) in lazy.iter_mut().zip(&spot.runs) {
        if run.matches_at_end(*at)? {
            return Ok(run.refuses);
        }
    }
    Ok(false)
}

/// Where a byte leads. `None` if no URL continues with it.
fn step(
    lazy: &mut [Lazy],
    table: Table<'_>,
    encoding: Encoding,
    seen: Seen,
    from: &Spot,
    byte: u8,
) -> Result<Option<Spot>, TooLarge> {
    // What HTTP does not allow in a request, and what no server passes on: a `%` without two digits.
    if matches!(byte, 0..=0x20 | b'#' | 0x7F) || !seen.bytes && !byte.is_ascii() {
        return Ok(None);
    }
    let is_hex = byte.is_ascii_hexdigit();
    let (escape, sent): (Escape, SmallVec<[u8; 3]>) = match from.escape {
        Escape::Outside if byte == b'%' => (Escape::Percent, SmallVec::new()),
        Escape::Outside => (Escape::Outside, SmallVec::from_slice(&[byte])),
        Escape::Percent if is_hex => (Escape::Digit(byte), SmallVec::new()),
        Escape::Digit(high) if is_hex => {
            (Escape::Outside, SmallVec::from_slice(&[b'%', high, byte]))
        }
        _ => return Ok(None),
    };
    let normal: SmallVec<[u8; 3]> = encoding.normalised(&sent).collect();
    if seen.form == Form::Normal && normal != sent {
        return Ok(None);
    }
    let mut spot = Spot { escape, ..from.clone() };
    spot.cursor = normal.iter().fold(spot.cursor, |cursor, byte| table.step(cursor, *byte));
    let ends_path = seen.path_only && byte == b'?';
    for (run, at) in lazy.iter_mut().zip(&mut spot.runs) {
        *at = match ends_path {
            true if run.matches_at_end(*at)? => At::Matched,
            true => At::Never,
            false => run.step(*at, byte)?,
        };
    }
    spot.cut();
    Ok(Some(spot))
}

/// The URL that leads to a spot: its path and query.
fn url(reached: &[Reached], mut at: usize) -> Vec<u8> {
    let mut url = vec![reached[at].byte];
    while at > 0 {
        at = reached[at].from as usize;
        url.push(reached[at].byte);
    }
    url.reverse();
    url
}
