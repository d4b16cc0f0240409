//! Captures that are all known: redirects are followed, and what the captures of an origin say
//! together is found out, one partition after another.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use robotsieve::Origin;
use robotsieve::pack::{Kind, Pack};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{AsOf, Event, Holds, Judged, Said};

use super::captured::Captured;
use super::gather::{Place, Request, Row, What};
use super::sources::Judging;
use super::spill::{PARTITIONS, Spill, partition_of, without_scheme};
use crate::read::packs;
use robotsieve_client::captures::{MAX_HOPS, nearest};

/// Redirects to what the sources do not have.
#[derive(Clone, Copy, Debug, Default)]
pub struct Followed {
    pub lost: u64,
}

/// Follows all redirects. The answers of `requests` are rows of their sources.
///
/// # Errors
/// Returns an error if a temporary file cannot be read or written, or if the pack that is being
/// updated is damaged.
pub fn follow(
    rows: &mut Spill,
    mut requests: Spill,
    before: Option<&Pack<'_>>,
    folder: &Path,
) -> io::Result<(Spill, Followed)> {
    let mut answers = Spill::new(folder)?;
    let mut followed = Followed::default();
    while (0..PARTITIONS).any(|partition| !requests.is_empty(partition)) {
        let mut further = Spill::new(folder)?;
        for partition in 0..PARTITIONS {
            if requests.is_empty(partition) {
                continue;
            }
            let asked = requests.rows(partition)?;
            let held = rows.rows(partition)?;
            let captures = Captures::of(held.iter())?;
            for request in asked.iter::<Request<'_>>() {
                let request = request?;
                let hops = request.hops;
                let what = match captures.answer(&request) {
                    Some(What::Redirect(_)) if hops == MAX_HOPS => {
                        What::Said(hops, Said::NoTarget, Place::Nowhere)
                    }
                    Some(What::Redirect(target)) => {
                        let next = Request { target, hops: hops + 1, exactly: None, ..request };
                        further.put(partition_of(target), &next)?;
                        continue;
                    }
                    Some(What::Same(target, at)) => {
                        let next = Request { target, exactly: Some(at), ..request };
                        further.put(partition_of(target), &next)?;
                        continue;
                    }
                    Some(What::Said(_, said, place)) => What::Said(hops, said, place),
                    Some(What::Lost) | None => match held_before(before, &request)? {
                        Some((said, place)) => What::Said(hops, said, place),
                        None => {
                            followed.lost += 1;
                            What::Lost
                        }
                    },
                };
                let Request { source, at, number, .. } = request;
                answers.put(partition_of(source), &Row { key: source, at, number, what })?;
            }
        }
        requests = further;
    }
    Ok((answers, followed))
}

/// What the pack that is being updated has for the target of a redirect.
fn held_before<'k>(
    before: Option<&Pack<'_>>,
    request: &Request<'k>,
) -> io::Result<Option<(Said, Place<'k>)>> {
    let key = request.target;
    let (Some(before), Some(origin), None) = (before, origin_of(key), request.exactly) else {
        return Ok(None);
    };
    let site = before.get(&origin).map_err(packs::as_io)?;
    Ok(site.and_then(|site| said_before(site.kind(), key)))
}

/// What a pack has for an origin, as an answer.
fn said_before(kind: Kind, key: &str) -> Option<(Said, Place<'_>)> {
    let place = if kind == Kind::Rules { Place::Before(key) } else { Place::Nowhere };
    said_of(kind).map(|said| (said, place))
}

/// What a pack has, as an answer. Packs do not tell what disallowed all: it counts as a failure.
pub fn said_of(kind: Kind) -> Option<Said> {
    match kind {
        Kind::Rules => Some(Said::File(None)),
        Kind::AllowAll => Some(Said::Status(404)),
        Kind::DisallowAll => Some(Said::Failed),
        Kind::Unknown => None,
    }
}

/// When the answer was captured that holds, given when the event that it comes from was.
pub fn captured_of(judged: &Judged, event: Captured) -> Captured {
    let at = judged.at.0;
    Captured { at, is_later: event.is_later && event.at == at }
}

/// The origin of a key, unless it is the key of something else.
fn origin_of(key: &str) -> Option<Origin<'_>> {
    Origin::of(key).ok().filter(|origin| origin.key() == key)
}

/// The captures of a partition by their keys, in the order of their times.
struct Captures<'r>(HashMap<&'r str, (Vec<Timestamp>, Vec<What<'r>>)>);

impl<'r> Captures<'r> {
    fn of(rows: impl Iterator<Item = io::Result<Row<'r>>>) -> io::Result<Captures<'r>> {
        let mut sorted: Vec<Row<'r>> = rows.collect::<io::Result<_>>()?;
        sorted.sort_unstable_by_key(|row| (row.at, row.number));
        let mut captures: HashMap<_, (Vec<_>, Vec<_>)> = HashMap::new();
        for row in sorted {
            let (times, whats) = captures.entry(row.key).or_default();
            times.push(Timestamp(row.at));
            whats.push(row.what);
        }
        Ok(Captures(captures))
    }

    /// The capture that a request is about.
    fn answer(&self, request: &Request<'_>) -> Option<What<'r>> {
        let (times, whats) = self.0.get(request.target)?;
        let Some(exactly) = request.exactly.map(Timestamp) else {
            return Some(whats[nearest(times, Timestamp(request.at))?]);
        };
        // What only refers to another capture is not the one that is meant.
        let first = times.partition_point(|time| *time < exactly);
        let equal = times[first..].iter().take_while(|time| **time == exactly).count();
        let equal = &whats[first..first + equal];
        equal.iter().rev().find(|what| !matches!(what, What::Same(..))).copied()
    }
}

/// What the captures of an origin come to.
pub struct Settled<'r> {
    pub origin: Origin<'r>,
    pub holds: Holding<'r>,
    pub captured: Captured,
}

/// What holds for an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding<'r> {
    Rules(Place<'r>),
    AllowAll,
    DisallowAll,
    Unknown,
}

/// Finds out what holds for each origin, and gives it to `act`: in the order of partitions and
/// keys, the schemes of a host one after the other.
///
/// # Errors
/// Returns an error if a temporary file cannot be read, if the pack that is being updated is
/// damaged, or if `act` fails.
pub fn settle(
    rows: &mut Spill,
    answers: &mut Spill,
    before: Option<&Pack<'_>>,
    judging: &Judging,
    mut act: impl FnMut(Settled<'_>) -> io::Result<()>,
) -> io::Result<()> {
    for partition in 0..PARTITIONS {
        let (rows, answers) = (rows.rows(partition)?, answers.rows(partition)?);
        // These are among the answers, with what they lead to.
        let leads = |row: &Row<'_>| matches!(row.what, What::Redirect(_) | What::Same(..));
        let own = rows.iter().filter(|row| row.as_ref().map_or(true, |row| !leads(row)));
        let mut all: Vec<Row<'_>> = own.chain(answers.iter()).collect::<io::Result<_>>()?;
        all.sort_unstable_by_key(|row| (without_scheme(row.key), row.key, row.at, row.number));
        for history in all.chunk_by(|one, other| one.key == other.key) {
            let Some(origin) = origin_of(history[0].key) else { continue };
            if let Some(settled) = settled(origin, history, before, judging)? {
                act(settled)?;
            }
        }
    }
    Ok(())
}

fn settled<'r>(
    origin: Origin<'r>,
    history: &[Row<'r>],
    before: Option<&Pack<'_>>,
    judging: &Judging,
) -> io::Result<Option<Settled<'r>>> {
    let key = history[0].key;
    let site = match before {
        Some(before) => before.get(&origin).map_err(packs::as_io)?,
        None => None,
    };
    let known = site.as_ref().map_or(Captured::default(), Captured::of);
    if let AsOf::Time(time) = judging.as_of
        && known.at > time.0
    {
        // What is known from a later time stays.
        return Ok(None);
    }
    let mut answers: Vec<(Captured, u8, Said, Place<'_>)> = Vec::with_capacity(history.len() + 1);
    if let Some((said, place)) = site.and_then(|site| said_before(site.kind(), key)) {
        answers.push((known, 0, said, place));
    }
    for row in history {
        if let What::Said(redirects, said, place) = row.what {
            // What is new and has no time counts as newer than what the pack has.
            let captured = if row.at > 0 { Captured::at(row.at) } else { known.after() };
            answers.push((captured, redirects, said, place));
        }
    }
    if answers.is_empty() {
        // All its redirects led nowhere.
        let newest = history.iter().map(|row| row.at).max().unwrap_or(0);
        let captured = Captured::at(newest);
        return Ok(Some(Settled { origin, holds: Holding::Unknown, captured }));
    }
    // Stable: answers of the same time keep their order.
    answers.sort_by_key(|(captured, ..)| *captured);
    let event = |&(Captured { at, .. }, redirects, said, _): &_| Event {
        at: Timestamp(at),
        redirects,
        said,
    };
    let events: Vec<Event> = answers.iter().map(event).collect();
    let Some(judged) = judging.protocol.judge(&events, judging.as_of) else { return Ok(None) };
    let (captured, _, _, place) = answers[judged.event];
    let holds = match judged.holds {
        Holds::Rules => Holding::Rules(place),
        Holds::AllowAll => Holding::AllowAll,
        _ => Holding::DisallowAll,
    };
    Ok(Some(Settled { origin, holds, captured: captured_of(&judged, captured) }))
}
