//! The proof that regular expressions refuse what a policy disallows, over all URLs.
//!
//! The expressions are compiled to lazy DFAs, one for each run, and walked in lockstep with the
//! policy's automaton: breadth first, so the first difference is a shortest one.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::util::{start, syntax};
use regex_automata::{Anchored, MatchKind};
use robotsieve::internals::{Compiler, Cursor, Encoding, Pattern, RuleSet, Table};
use robotsieve::{Limits, Verdict};
use robotsieve_lint::internals::READABLE_FIRST;
use smallvec::SmallVec;

use super::pattern::{Form, Run, STAR, STAR_LOOKING_BACK};

/// The shortest URLs for which a configuration does something else than the policy says. Both `None`:
/// proven to be alike.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Differences {
    /// The policy allows it, and the configuration refuses it.
    pub(super) stricter: Option<Vec<u8>>,
    /// The policy disallows it, and the configuration lets it through.
    pub(super) looser: Option<Vec<u8>>,
}

impl Differences {
    /// The shorter ones of both.
    pub(super) fn or_shorter(self, other: Differences) -> Differences {
        let shorter = |a: Option<Vec<u8>>, b: Option<Vec<u8>>| match (a, b) {
            (Some(a), Some(b)) => Some(if b.len() < a.len() { b } else { a }),
            (a, b) => a.or(b),
        };
        Differences {
            stricter: shorter(self.stricter, other.stricter),
            looser: shorter(self.looser, other.looser),
        }
    }
}

/// There is no proof within the limits of time and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

/// The states and the parts of states that the proofs of a configuration may visit together.
pub(super) const CELLS: usize = 48 << 20;
/// Those that the comparisons of whole sets of rules may visit together: about a second.
pub(super) const CELLS_AS_A_WHOLE: usize = 150_000;
/// The memory that the states of a run may take, in bytes.
const CACHE_BYTES: usize = 16 << 20;

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

type Runs = SmallVec<[At; 3]>;

/// A state of the walk.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Spot {
    cursor: Cursor,
    /// Of the runs up to the first that matched.
    runs: Runs,
}

impl Spot {
    /// Returns true if nothing that follows changes the verdicts.
    fn is_settled(&self) -> bool {
        let runs = self.runs.iter().all(|at| !matches!(at, At::State(_)));
        runs && self.cursor.is_final()
    }

    /// Forgets the runs that come after one that matched.
    fn cut(&mut self) {
        let matched = self.runs.iter().position(|at| *at == At::Matched);
        if let Some(first) = matched {
            self.runs.truncate(first + 1);
        }
    }
}

/// A spot that was reached, by this token from the spot of this number.
struct Reached {
    spot: Spot,
    from: u32,
    sent: Sent,
}

/// A byte of a URL, or an escape.
type Sent = SmallVec<[u8; 3]>;

/// What a URL is made of: bytes and escapes, with what each becomes in the normal form. Of those that nothing
/// tells apart there is one.
struct Tokens {
    bytes: Vec<(u8, Sent)>,
    /// By the first digit, then by the second.
    escapes: Vec<(u8, Vec<(u8, Sent)>)>,
}

impl Tokens {
    fn of(rules: &RuleSet, encoding: Encoding, seen: Seen) -> Tokens {
        let mut in_rules = [false; 256];
        for rule in rules.iter() {
            rule.pattern.bytes.iter().for_each(|byte| in_rules[usize::from(*byte)] = true);
        }
        b"/?robots.txt".iter().for_each(|byte| in_rules[usize::from(*byte)] = true);
        let told = |byte: &u8| in_rules[usize::from(*byte)];
        let escapes_told = b"%0123456789ABCDEF".iter().any(told);
        let of = |sent: &[u8]| -> Option<Sent> {
            let normal: Sent = encoding.normalised(sent).collect();
            (seen.form != Form::Normal || normal[..] == *sent).then_some(normal)
        };
        // What HTTP does not allow in a request is not there.
        let is_sent = |byte: &u8| seen.form.has(*byte) && (seen.bytes || byte.is_ascii());
        // Of what is in no rule, one of each kind is enough.
        let mut others = [[false; 2]; 2];
        let mut is_another = |normal: &Sent, escaped: bool| {
            let (is_told, becomes_escape) = match normal[..] {
                [byte] => (told(&byte), false),
                _ => (escapes_told, true),
            };
            let known = &mut others[usize::from(escaped)][usize::from(becomes_escape)];
            !is_told && std::mem::replace(known, true)
        };
        let bytes = READABLE_FIRST.iter().copied().filter(is_sent);
        let bytes = bytes.filter_map(|byte| Some((byte, of(&[byte])?)));
        let bytes = bytes.filter(|(_, normal)| !is_another(normal, false)).collect();
        let hex = || READABLE_FIRST.iter().copied().filter(u8::is_ascii_hexdigit);
        let mut escapes = Vec::new();
        for high in hex() {
            let low = hex().filter_map(|low| Some((low, of(&[b'%', high, low])?)));
            let low: Vec<(u8, Sent)> =
                low.filter(|(_, normal)| !is_another(normal, true)).collect();
            if !low.is_empty() {
                escapes.push((high, low));
            }
        }
        Tokens { bytes, escapes }
    }
}

/// The lazy DFA of a run.
struct Lazy {
    dfa: DFA,
    cache: Cache,
    refuses: bool,
}

impl Lazy {
    fn new(run: &Run) -> Result<Lazy, TooLarge> {
        // An atomic group drops only what cannot lead to a match, and in the URLs that are walked each `%` begins
        // an escape, so both stars end in the same places.
        let texts: Vec<String> = run
            .regexes
            .iter()
            .map(|regex| regex.text.replace("(?>", "(?:").replace(STAR_LOOKING_BACK, STAR))
            .collect();
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

/// Compares the runs with a policy. `cells` is what may still be visited.
///
/// # Errors
/// Returns an error if that takes too many states.
pub(super) fn differences(
    table: Table<'_>,
    rules: &RuleSet,
    encoding: Encoding,
    runs: &[Run],
    seen: Seen,
    cells: &mut usize,
) -> Result<Differences, TooLarge> {
    let tokens = Tokens::of(rules, encoding, seen);
    let mut lazy = runs.iter().map(Lazy::new).collect::<Result<Vec<Lazy>, TooLarge>>()?;
    let mut found = Differences::default();
    let mut at = Runs::new();
    for run in &mut lazy {
        let first = run.first()?;
        at.push(run.step(first, b'/')?);
    }
    let first = Spot { cursor: table.first_cursor(), runs: at };
    let mut known: HashSet<Spot, RandomState> = HashSet::default();
    known.insert(first.clone());
    let mut reached = vec![Reached { spot: first, from: 0, sent: Sent::from_slice(b"/") }];
    let mut next = 0;
    while let Some(Reached { spot, .. }) = reached.get(next) {
        let spot = spot.clone();
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
        if !spot.is_settled() {
            // Most tokens lead where the one before led.
            let mut last: [Option<Spot>; 2] = [None, None];
            let mut to = |runs: &Runs, cursor: Cursor, sent: &[u8]| -> Result<(), TooLarge> {
                let is_it = |last: &Option<Spot>| {
                    last.as_ref().is_some_and(|last| last.cursor == cursor && last.runs == *runs)
                };
                if last.iter().any(is_it) {
                    return Ok(());
                }
                let mut spot = Spot { cursor, runs: runs.clone() };
                last.swap(0, 1);
                last[0] = Some(spot.clone());
                spot.cut();
                if !known.contains(&spot) {
                    *cells = cells.checked_sub(4 + spot.runs.len()).ok_or(TooLarge)?;
                    known.insert(spot.clone());
                    reached.push(Reached { spot, from: next as u32, sent: Sent::from_slice(sent) });
                }
                Ok(())
            };
            let mut cursors = Cursors::new(table, spot.cursor);
            for (byte, normal) in &tokens.bytes {
                let ends = seen.path_only && *byte == b'?';
                let runs = match ends {
                    true => ended(&mut lazy, &spot.runs)?,
                    false => stepped(&mut lazy, &spot.runs, *byte)?,
                };
                to(&runs, cursors.after(normal), &[*byte])?;
            }
            if !tokens.escapes.is_empty() {
                let percent = stepped(&mut lazy, &spot.runs, b'%')?;
                // Many first digits lead to the same spot, and so do the second ones from there.
                let mut after: Vec<(Runs, [Option<Runs>; 256])> = Vec::new();
                for (high, lows) in &tokens.escapes {
                    let first = stepped(&mut lazy, &percent, *high)?;
                    let at =
                        after.iter().position(|(known, _)| *known == first).unwrap_or_else(|| {
                            after.push((first, [const { None }; 256]));
                            after.len() - 1
                        });
                    let (first, seconds) = &mut after[at];
                    for (low, normal) in lows {
                        let runs = match &mut seconds[usize::from(*low)] {
                            Some(runs) => runs,
                            none => none.insert(stepped(&mut lazy, first, *low)?),
                        };
                        to(runs, cursors.after(normal), &[b'%', *high, *low])?;
                    }
                }
            }
        }
        next += 1;
    }
    Ok(found)
}

/// Where tokens lead from one state of a table.
struct Cursors<'t> {
    table: Table<'t>,
    from: Cursor,
    by_byte: [Option<Cursor>; 256],
}

impl<'t> Cursors<'t> {
    fn new(table: Table<'t>, from: Cursor) -> Cursors<'t> {
        Cursors { table, from, by_byte: [None; 256] }
    }

    /// After these bytes, which are in normal form.
    fn after(&mut self, normal: &[u8]) -> Cursor {
        let Some((first, rest)) = normal.split_first() else { return self.from };
        let known = &mut self.by_byte[usize::from(*first)];
        let first = *known.get_or_insert_with(|| self.table.step(self.from, *first));
        rest.iter().fold(first, |at, byte| self.table.step(at, *byte))
    }
}

/// Returns true if each expression matches what its rules match, and each rule that has none never decides: what it
/// matches, one that has an expression and comes before it matches too, or nothing does.
///
/// # Errors
/// Returns an error if that takes too many states.
pub(super) fn in_parts(
    rules: &RuleSet,
    encoding: Encoding,
    runs: &[Run],
    seen: Seen,
    cells: &mut usize,
) -> Result<bool, TooLarge> {
    let mut compiler = Compiler::default();
    let mut is_alike = |indexes: &[usize], runs: &[Run]| -> Result<bool, TooLarge> {
        let matched = rules.matched_by(indexes);
        let automaton =
            compiler.compile(&matched, encoding, &Limits::default()).map_err(|_| TooLarge)?;
        let found = differences(automaton.table(), &matched, encoding, runs, seen, cells)?;
        Ok(found == Differences::default())
    };
    let mut has_expression = vec![false; rules.len()];
    for regex in runs.iter().flat_map(|run| &run.regexes).filter(|regex| !regex.rules.is_empty()) {
        if !is_alike(&regex.rules, &[Run { refuses: true, regexes: vec![regex.clone()] }])? {
            return Ok(false);
        }
        regex.rules.iter().for_each(|index| has_expression[*index] = true);
    }
    // The patterns with expressions, each with the first change of verdict before it.
    let mut known: HashMap<Pattern<'_>, usize, RandomState> = HashMap::default();
    let mut left_out: Vec<(usize, Pattern<'_>, usize)> = Vec::new();
    let (mut run, mut verdict) = (0, None);
    for (index, rule) in rules.iter().enumerate() {
        run += usize::from(verdict.replace(rule.verdict) != Some(rule.verdict));
        if has_expression[index] {
            known.entry(rule.pattern).or_insert(run);
        } else {
            left_out.push((index, rule.pattern, run));
        }
    }
    // Rules that allow decide nothing after the last one that disallows.
    let last = rules.iter().rposition(|rule| rule.verdict == Verdict::Disallow);
    left_out.retain(|(index, ..)| Some(*index) <= last);
    for (index, pattern, run) in left_out {
        let decides_before = |pattern| known.get(&pattern).is_some_and(|of| *of <= run);
        let is_covered = decides_before(pattern)
            || (0..=pattern.bytes.len()).any(|len| {
                decides_before(Pattern { bytes: &pattern.bytes[..len], anchored: false })
            });
        if !is_covered && !is_alike(&[index], &[])? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Where a byte leads.
fn stepped(lazy: &mut [Lazy], from: &Runs, byte: u8) -> Result<Runs, TooLarge> {
    let runs = lazy.iter_mut().zip(from);
    runs.map(|(run, at)| run.step(*at, byte)).collect()
}

/// Where what the expressions are given ends.
fn ended(lazy: &mut [Lazy], from: &Runs) -> Result<Runs, TooLarge> {
    let runs = lazy.iter_mut().zip(from);
    runs.map(|(run, at)| Ok(if run.matches_at_end(*at)? { At::Matched } else { At::Never }))
        .collect()
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

/// The URL that leads to a spot: its path and query.
fn url(reached: &[Reached], at: usize) -> Vec<u8> {
    let mut sent: Vec<&Sent> = Vec::new();
    let mut at = Some(at);
    while let Some(spot) = at {
        sent.push(&reached[spot].sent);
        at = (spot > 0).then_some(reached[spot].from as usize);
    }
    sent.into_iter().rev().flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use robotsieve::Profile;
    use robotsieve::internals::RawRule;

    use super::super::pattern::{self, Syntax};
    use super::*;

    const SYNTAX: Syntax = Syntax { pcre: true, joins: true, bytes_at_most: 4_000, paths: None };

    /// Both proofs find what is changed: a letter, an expression that is gone, one that is another's, the order.
    #[test]
    fn what_is_wrong_is_found() {
        let profile = Profile::RFC9309;
        let encoding = Encoding::of_target(&profile);
        let lines = [
            (Verdict::Disallow, &b"/shop/*sort="[..]),
            (Verdict::Allow, b"/shop/open"),
            (Verdict::Disallow, b"/shop/open/x"),
            (Verdict::Disallow, b"/shop/"),
            (Verdict::Disallow, b"/*2F$"),
            (Verdict::Disallow, b"no-slash"),
            (Verdict::Allow, b"/a"),
        ];
        let raw =
            lines.iter().zip(1..).map(|(&(verdict, value), line)| RawRule { line, verdict, value });
        let rules = RuleSet::new(raw, &profile);
        let automaton = Compiler::default().compile(&rules, encoding, &Limits::default()).unwrap();
        for form in [Form::Normal, Form::Sent, Form::Resolved] {
            let seen = Seen { form, bytes: true, path_only: false };
            let proofs = |runs: &[Run]| {
                let (mut whole, mut parts) = (CELLS, CELLS);
                let found =
                    differences(automaton.table(), &rules, encoding, runs, seen, &mut whole);
                let in_parts = in_parts(&rules, encoding, runs, seen, &mut parts);
                [found.unwrap() == Differences::default(), in_parts.unwrap()]
            };
            let runs = pattern::runs(&rules, encoding, form, SYNTAX).unwrap();
            assert_eq!(proofs(&runs), [true; 2]);
            let count: usize = runs.iter().map(|run| run.regexes.len()).sum();
            assert_eq!(count, 6, "{runs:?}");
            for run in 1..runs.len() {
                for at in 0..runs[run].regexes.len() {
                    let mut without = runs.clone();
                    without[run].regexes.remove(at);
                    assert_eq!(proofs(&without), [false; 2], "{run} {at}");
                    let mut other = runs.clone();
                    other[run].regexes[at].text = other[run].regexes[at].text.replace("/", "//");
                    assert_eq!(proofs(&other), [false; 2], "{run} {at}");
                }
            }
        }
    }
}
