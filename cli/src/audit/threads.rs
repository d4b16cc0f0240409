//! The threads that judge logs.
//!
//! Each reads a block, judges it, and adds what it comes to in its turn: so what was read stays in the cache
//! of its core, and the report is the same for any number of threads. One thread at a time reads, and with it
//! decompresses.

use std::io::{self, IsTerminal};
use std::sync::{Mutex, PoisonError};
use std::thread;

use robotsieve_owners::audit::{Audit, Counts, Judge, Judged};

use super::input::Input;
use crate::error::Failure;
use crate::options::Threads;
use crate::turns::{Turn, Turns};
use crate::write::bytes;
use crate::write::stdout::Stdout;

/// Where the lines of forbidden requests are printed.
pub struct List {
    out: Stdout,
    /// True if control characters are escaped.
    is_harmless: bool,
}

impl List {
    pub fn new() -> List {
        List { out: Stdout::new(), is_harmless: io::stdout().is_terminal() }
    }
}

/// What the threads share.
struct Shared<'r> {
    audit: &'r Audit<'r>,
    input: Mutex<Input<'r>>,
    turns: Turns<(Judged<'r>, Vec<u8>)>,
    sum: Mutex<Sum<'r>>,
    /// How lines are listed, if they are: with control characters escaped, or as they are.
    lists: Option<bool>,
}

/// All blocks so far.
struct Sum<'r> {
    counts: Counts<'r>,
    list: Option<List>,
}

/// Judges all logs. `None` if nobody reads the list any more.
///
/// # Errors
/// Returns an error if the list cannot be written, or if there can be no threads.
pub fn judge<'r>(
    audit: &'r Audit<'r>,
    input: Input<'r>,
    list: Option<List>,
    threads: Threads,
) -> Result<Option<Counts<'r>>, Failure> {
    let threads = threads.get();
    let shared = Shared {
        audit,
        input: Mutex::new(input),
        turns: Turns::new(2 * threads),
        lists: list.as_ref().map(|list| list.is_harmless),
        sum: Mutex::new(Sum { counts: Counts::new(audit), list }),
    };
    let shared = &shared;
    thread::scope(|scope| {
        let mut others = Vec::new();
        for _ in 1..threads {
            let thread = thread::Builder::new().name("judging".to_owned());
            let started = thread.spawn_scoped(scope, || work(shared)).map_err(|cause| {
                shared.turns.end();
                Failure::io("cannot start a judging thread (try fewer --threads)", cause)
            });
            others.push(started?);
        }
        let mut worked = work(shared);
        for thread in others {
            let ended = thread.join().unwrap_or(Err(Failure::Thread("judging")));
            worked = worked.and(ended);
        }
        worked
    })?;
    let mut sum = shared.sum.lock().unwrap_or_else(PoisonError::into_inner);
    let input = shared.input.lock().unwrap_or_else(PoisonError::into_inner);
    input.unread().iter().for_each(|log| sum.counts.add_unread(log));
    let is_read = sum.list.as_ref().is_none_or(|list| list.out.has_reader());
    Ok(is_read.then(|| std::mem::replace(&mut sum.counts, Counts::new(audit))))
}

/// Reads, judges and adds blocks until there are no more.
fn work(shared: &Shared<'_>) -> Result<(), Failure> {
    let Shared { audit, input, turns, sum, lists } = shared;
    let mut judge = Judge::new(audit);
    let mut buffer = Vec::new();
    while turns.wait_for_room() {
        let next = input.lock().unwrap_or_else(PoisonError::into_inner).next(&mut buffer);
        let Some((number, block)) = next else { break };
        let turn = Turn::new(turns, number);
        let mut listed = Vec::new();
        let judged = judge.judge(block, |line| {
            if let Some(is_harmless) = lists {
                add_line(&mut listed, line, *is_harmless);
            }
        });
        turn.finish((judged, listed), |(judged, listed)| {
            let mut sum = sum.lock().unwrap_or_else(PoisonError::into_inner);
            sum.counts.add(judged);
            let Some(list) = &mut sum.list else { return Ok::<(), Failure>(()) };
            list.out.print(&listed)?;
            // What is not read need not be found, and a live log has no end.
            if !list.out.has_reader() {
                turns.end();
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn add_line(listed: &mut Vec<u8>, line: &[u8], is_harmless: bool) {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if is_harmless {
        listed.extend_from_slice(&bytes::on_one_line(line));
    } else {
        listed.extend_from_slice(line);
    }
    listed.push(b'\n');
}
