//! A policy's DFA as data, to draw it and to show how it decides.
//!
//! [`Policy::to_graph`](crate::Policy::to_graph) returns a [`Graph`]. It has the states of the DFA
//! itself: each byte leads from one state to the next.
//! [`Policy::to_dot`](crate::Policy::to_dot) draws the records of the table instead, which compare
//! several bytes at once and read some bytes twice, so it has fewer nodes.
//!
//! ```
//! use robotsieve::{Crawler, Profile, Robots, Target, Verdict};
//!
//! let file = b"User-agent: *\nDisallow: /a*b\n";
//! let policy = Robots::parse(file, &Profile::RFC9309).policy(&Crawler::name("bot"));
//! let target = Target::from_url("https://e.com/a%62.html", &Profile::RFC9309)?;
//! let graph = policy.to_graph(Some(&target), 100).unwrap();
//!
//! // It reads the bytes after the first `/`. `a` leads to the state that waits for `b`.
//! let start = &graph.states[0];
//! assert_eq!(start.transitions[0].bytes, b"a");
//! let wait = start.transitions[0].to.unwrap();
//! // Any other byte leaves it there, and leads from the start to the final state for allow.
//! assert_eq!(graph.states[wait].otherwise, Some(wait));
//! assert!(graph.states[start.otherwise.unwrap()].is_final);
//! // After `ab` it is known that the URL is disallowed, so the rest is not read.
//! let walk = graph.walk.as_ref().unwrap();
//! assert_eq!((walk.verdict, walk.states.len(), walk.stops_early), (Verdict::Disallow, 2, true));
//! # Ok::<(), robotsieve::InvalidUrl>(())
//! ```

use std::collections::{HashMap, HashSet};

use crate::automaton::cursor::{ByteSet, Cursor};
use crate::automaton::table::Table;
use crate::verdict::Verdict;

/// A policy's DFA, or a part of it. Made by [`Policy::to_graph`](crate::Policy::to_graph).
///
/// It reads the normalised bytes of a [`Target`](crate::Target) after the first `/`. Indexes into
/// [`Graph::states`] name the states.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Graph {
    /// The states, the start first. If not all of them fit, they are those of the walk and then
    /// their neighbours or, without a walk, those nearest to the start.
    pub states: Vec<State>,
    /// The number of states that can be reached from the start. `None` if counting them would take longer
    /// than [`Graph::MOST_TRANSITIONS`] allows.
    pub state_count: Option<usize>,
    /// The walk of the target, if one was given.
    pub walk: Option<Walk>,
}

impl Graph {
    /// The number of transitions that are looked at, at most, to count the states and to find their depth:
    /// some 30 ms.
    pub const MOST_TRANSITIONS: usize = 1 << 20;

    /// Returns true if all states are there.
    pub fn is_whole(&self) -> bool {
        self.state_count == Some(self.states.len())
    }
}

/// A state of a [`Graph`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct State {
    /// The verdict on a target that ends here.
    pub verdict: Verdict,
    /// True if this is the verdict whatever follows. Then there are no transitions.
    pub is_final: bool,
    /// The least number of bytes that lead here from the start. `None` if it was not found out; see
    /// [`Graph::state_count`].
    pub depth: Option<usize>,
    /// Where bytes lead, by the first of their bytes.
    pub transitions: Vec<Transition>,
    /// Where every other byte leads. `None` if that state was left out, or if this one is final.
    pub otherwise: Option<usize>,
}

/// The bytes that lead from one state of a [`Graph`] to another.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Transition {
    /// The bytes, ascending.
    pub bytes: Vec<u8>,
    /// Where they lead. `None` if that state was left out.
    pub to: Option<usize>,
}

/// The walk of a target through a [`Graph`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Walk {
    /// The verdict of the automaton. The policy allows `/robots.txt` itself without asking it
    /// ([`Profile::robots_txt_allowed`](crate::Profile::robots_txt_allowed)).
    pub verdict: Verdict,
    /// The state after each byte that is read, from the one after the first `/`; the walk begins in
    /// state 0. `None` for a state that was left out.
    pub states: Vec<Option<usize>>,
    /// True if the walk ends in a final state before the end of the target.
    pub stops_early: bool,
}

/// What a search breadth first finds.
struct Reached {
    /// The states and their depths, nearest first.
    order: Vec<(Cursor, usize)>,
    /// The place of each in `order`.
    places: HashMap<Cursor, usize>,
    /// True if these are all states.
    is_all: bool,
}

/// Where the bytes of a state lead.
struct Successors {
    /// The bytes, ascending, and where they lead; in the order of the first of them.
    by_target: Vec<(Vec<u8>, Cursor)>,
    /// Where all others lead. `None` for a final state.
    otherwise: Option<Cursor>,
}

impl Table<'_> {
    /// The DFA as a graph of `most` states at most (at least one), with the walk of a target whose
    /// normalised bytes after the first `/` are given.
    ///
    /// `O(states)`, with a bound: [`Graph::MOST_TRANSITIONS`].
    pub(crate) fn to_graph(self, target: Option<&[u8]>, most: usize) -> Graph {
        let most = most.max(1);
        let walked = target.map(|target| self.cursors(target));
        let reached = self.reached();
        let chosen: Vec<Cursor> = match &walked {
            Some(walked) if !reached.is_all || reached.order.len() > most => {
                self.around(walked, most)
            }
            _ => reached.order.iter().map(|(cursor, _)| *cursor).take(most).collect(),
        };
        let indexes: HashMap<Cursor, usize> =
            chosen.iter().enumerate().map(|(index, cursor)| (*cursor, index)).collect();
        let index = |cursor: &Cursor| indexes.get(cursor).copied();
        let states = chosen.iter().map(|cursor| {
            let Successors { by_target, otherwise } = self.successors(*cursor);
            let transitions = by_target.into_iter();
            State {
                verdict: self.verdict_at(*cursor),
                is_final: cursor.is_final(),
                depth: reached.places.get(cursor).map(|place| reached.order[*place].1),
                transitions: transitions
                    .map(|(bytes, to)| Transition { bytes, to: index(&to) })
                    .collect(),
                otherwise: otherwise.as_ref().and_then(index),
            }
        });
        let walk = walked.zip(target).map(|(walked, target)| {
            let last = walked.last().copied().unwrap_or_else(|| self.first_cursor());
            Walk {
                verdict: self.verdict_at(last),
                states: walked.iter().map(index).collect(),
                stops_early: walked.len() < target.len(),
            }
        });
        let state_count = reached.is_all.then_some(reached.order.len());
        Graph { states: states.collect(), state_count, walk }
    }

    /// The state after each byte of a target, up to the first final one.
    fn cursors(self, target: &[u8]) -> Vec<Cursor> {
        let mut cursor = self.first_cursor();
        let mut cursors = Vec::new();
        for byte in target {
            if cursor.is_final() {
                break;
            }
            cursor = self.step(cursor, *byte);
            cursors.push(cursor);
        }
        cursors
    }

    /// The states of a walk, and then their neighbours, in the order of the walk.
    fn around(self, walked: &[Cursor], most: usize) -> Vec<Cursor> {
        let mut chosen = Vec::new();
        let mut known = HashSet::new();
        let mut choose = |cursor: Cursor| {
            if chosen.len() < most && known.insert(cursor) {
                chosen.push(cursor);
            }
            chosen.len() < most
        };
        let first = self.first_cursor();
        let on_walk = || std::iter::once(first).chain(walked.iter().copied());
        if on_walk().all(&mut choose) {
            let mut seen = HashSet::new();
            for cursor in on_walk().filter(|cursor| seen.insert(*cursor)) {
                let Successors { by_target, otherwise } = self.successors(cursor);
                let targets = by_target.into_iter().map(|(_, to)| to).chain(otherwise);
                if !targets.into_iter().all(&mut choose) {
                    break;
                }
            }
        }
        chosen
    }

    fn reached(self) -> Reached {
        let first = self.first_cursor();
        let mut reached =
            Reached { order: vec![(first, 0)], places: HashMap::from([(first, 0)]), is_all: true };
        let (mut at, mut transitions) = (0, 0);
        while let Some(&(cursor, depth)) = reached.order.get(at) {
            at += 1;
            let Successors { by_target, otherwise } = self.successors(cursor);
            transitions += by_target.iter().map(|(bytes, _)| bytes.len()).sum::<usize>() + 1;
            if transitions > Graph::MOST_TRANSITIONS {
                reached.is_all = false;
                break;
            }
            for to in by_target.into_iter().map(|(_, to)| to).chain(otherwise) {
                let place = reached.order.len();
                if *reached.places.entry(to).or_insert(place) == place {
                    reached.order.push((to, depth + 1));
                }
            }
        }
        reached
    }

    fn successors(self, cursor: Cursor) -> Successors {
        let mut by_target: Vec<(Vec<u8>, Cursor)> = Vec::new();
        if cursor.is_final() {
            return Successors { by_target, otherwise: None };
        }
        let mut told_apart = ByteSet::default();
        self.add_bytes(cursor, &mut told_apart);
        // No state tells all bytes apart: none has a transition on `#`, which ends every target.
        let other = (0..=u8::MAX).find(|byte| !told_apart.has(*byte));
        let otherwise = other.map(|byte| self.step(cursor, byte));
        let mut places: HashMap<Cursor, usize> = HashMap::new();
        for byte in (0..=u8::MAX).filter(|byte| told_apart.has(*byte)) {
            let to = self.step(cursor, byte);
            if Some(to) == otherwise {
                continue;
            }
            let next = by_target.len();
            let place = *places.entry(to).or_insert(next);
            if place == next {
                by_target.push((Vec::new(), to));
            }
            by_target[place].0.push(byte);
        }
        Successors { by_target, otherwise }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Crawler, Policy, Profile, Robots, Target};

    fn policy(rules: &str) -> Policy {
        let file = format!("User-agent: *\n{rules}");
        Robots::parse(file.as_bytes(), &Profile::RFC9309).policy(&Crawler::name("bot"))
    }

    fn graph(policy: &Policy, path: &str, most: usize) -> Graph {
        let target = Target::from_path(path, &Profile::RFC9309).unwrap();
        policy.to_graph(Some(&target), most).unwrap()
    }

    /// The state that a byte leads to, by the graph alone.
    fn step(graph: &Graph, state: usize, byte: u8) -> usize {
        let state = &graph.states[state];
        let by_byte = state.transitions.iter().find(|one| one.bytes.binary_search(&byte).is_ok());
        by_byte.map_or(state.otherwise, |transition| transition.to).unwrap()
    }

    const RULES: &str = "Disallow: /shop/*sort=\nDisallow: /*.pdf$\nAllow: /shop/open/\n\
                         Disallow: /a*b*c\nAllow: /a%20\u{e9}$\nDisallow: /sh\n";

    const PATHS: [&str; 12] = [
        "/",
        "/shop/?sort=x",
        "/shop/open/?sort=1",
        "/x.pdf",
        "/x.pdf?",
        "/x.pdf.pdf",
        "/abbc",
        "/a%20%C3%A9",
        "/a \u{e9}",
        "/%61x",
        "/s",
        "/shop",
    ];

    /// Whoever steps through the graph comes to the policy's verdict, and where the walk went.
    #[test]
    fn decides_like_the_policy() {
        let policy = policy(RULES);
        for path in PATHS {
            let graph = graph(&policy, path, 10_000);
            assert!(graph.is_whole());
            let target = Target::from_path(path, &Profile::RFC9309).unwrap().to_vec();
            let walk = graph.walk.as_ref().unwrap();
            let mut state = 0;
            for (at, byte) in target[1..].iter().enumerate() {
                if graph.states[state].is_final {
                    assert_eq!((walk.states.len(), walk.stops_early), (at, true), "{path}");
                    break;
                }
                state = step(&graph, state, *byte);
                assert_eq!(walk.states[at], Some(state), "{path}");
                assert!(graph.states[state].depth.unwrap() <= at + 1, "{path}");
            }
            let allowed = policy.is_path_allowed(path).unwrap();
            assert_eq!(graph.states[state].verdict.is_allow(), allowed, "{path}");
            assert_eq!(walk.verdict.is_allow(), allowed, "{path}");
        }
    }

    /// The bytes of a state's transitions differ, and each has a state of its own.
    #[test]
    fn transitions_are_apart() {
        let policy = policy(RULES);
        let graph = policy.to_graph(None, 10_000).unwrap();
        assert_eq!((graph.states[0].depth, &graph.walk), (Some(0), &None));
        for state in &graph.states {
            assert_eq!(state.is_final, state.otherwise.is_none());
            let mut bytes: Vec<u8> = Vec::new();
            let mut targets = vec![state.otherwise];
            for transition in &state.transitions {
                assert!(transition.bytes.is_sorted() && !transition.bytes.is_empty());
                bytes.extend(&transition.bytes);
                targets.push(transition.to);
            }
            let (all_bytes, all_targets) = (bytes.len(), targets.len());
            bytes.sort_unstable();
            bytes.dedup();
            targets.sort_unstable();
            targets.dedup();
            assert_eq!((bytes.len(), targets.len()), (all_bytes, all_targets));
        }
    }

    /// With too little room, the walk comes first, then its neighbours.
    #[test]
    fn a_part() {
        let policy = policy(RULES);
        let whole = policy.to_graph(None, 10_000).unwrap();
        let part = policy.to_graph(None, 3).unwrap();
        assert_eq!((part.states.len(), part.is_whole()), (3, false));
        assert_eq!(part.state_count, Some(whole.states.len()));
        for path in PATHS {
            let all = graph(&policy, path, 10_000);
            let mut on_walk: Vec<_> = all.walk.as_ref().unwrap().states.clone();
            on_walk.push(Some(0));
            on_walk.sort_unstable();
            on_walk.dedup();
            let part = graph(&policy, path, on_walk.len());
            assert_eq!(part.states.len(), on_walk.len());
            let walk = part.walk.as_ref().unwrap();
            assert!(walk.states.iter().all(Option::is_some), "{path}");
            assert_eq!(walk.verdict, all.walk.as_ref().unwrap().verdict);
            // One more state is a neighbour: some transition of the walk leads there.
            let more = graph(&policy, path, on_walk.len() + 1);
            let neighbour = on_walk.len();
            let leads_there = |state: &State| {
                state.otherwise == Some(neighbour)
                    || state.transitions.iter().any(|one| one.to == Some(neighbour))
            };
            assert!(more.states[..neighbour].iter().any(leads_there), "{path}");
        }
        let one = graph(&policy, "/shop/", 0);
        assert_eq!(one.states.len(), 1);
        assert_eq!(one.walk.unwrap().states, [None; 5]);
    }

    #[test]
    fn final_from_the_start() {
        let policy = policy("Disallow: /\n");
        let graph = graph(&policy, "/abc", 10);
        assert_eq!(graph.states.len(), 1);
        assert!(graph.states[0].is_final);
        let walk = graph.walk.unwrap();
        let wanted = (Verdict::Disallow, true, true);
        assert_eq!((walk.verdict, walk.states.is_empty(), walk.stops_early), wanted);
    }

    /// Files made to be slow have a graph in bounded time, or none.
    #[test]
    fn hostile() {
        let mut rules = String::new();
        for number in 0..400 {
            rules.push_str(&format!("Disallow: /{number:x}/*{}\n", number * 7));
        }
        let path = format!("/{}", "f/9".repeat(10_000));
        let graph = graph(&policy(&rules), &path, 100);
        assert!(graph.states.len() <= 100 && !graph.is_whole());
        assert!(graph.walk.unwrap().states.iter().all(Option::is_some));
        // Over the limits of the DFA.
        let stars: String =
            (0..60).map(|n| format!("Disallow: /*{n}*a*b*c*{n}*d*e*f*x{n}\n")).collect();
        let policy = policy(&stars);
        assert!(policy.to_graph(None, 100).is_none() && policy.limit_hit().is_some());
    }
}
