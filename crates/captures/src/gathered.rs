//! Captures of many origins, brought together in little memory.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use robotsieve::Origin;
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{Protocol, Said};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::capture::RecordNames;
use super::history::{CapturesOf, Lead, Led, Says, rank};
use super::payload::PayloadClaim;
use super::spill::{PARTITIONS, Spill, partition_of, without_scheme};

/// Captures as rows that wait on disk until all are there. `B` is the place of a body.
pub struct Gathered<B> {
    folder: PathBuf,
    rows: Spill,
    requests: Spill,
    count: u64,
    /// Of names of records: as text they would take more room than all the rest.
    hasher: RandomState,
    /// A bit for each hash of a name by which a revisit refers to a record; empty if none does. Several
    /// hashes share a bit.
    wanted: Vec<u64>,
    bodies: PhantomData<fn() -> B>,
}

/// What is left of a capture.
#[derive(Deserialize, Serialize)]
struct Row<'r, B> {
    key: &'r str,
    at: Timestamp,
    /// Captures are numbered as they come.
    number: u64,
    /// The names of its record: 0 for none.
    names: [u64; 2],
    /// What the record says of its payload.
    payload: PayloadClaim,
    #[serde(borrow)]
    says: Says<&'r str, B>,
}

/// A redirect, or a reference to an equal capture, that waits for its target.
#[derive(Deserialize, Serialize)]
struct Request<'r> {
    /// The origin that wants to know.
    source: &'r str,
    /// Time and number of the capture with the first redirect.
    at: Timestamp,
    number: u64,
    #[serde(borrow)]
    lead: Lead<&'r str>,
    /// The captures to which redirects have led.
    #[serde(borrow)]
    hops: Hops<'r>,
}

/// Keys and times of captures.
type Hops<'r> = Vec<(&'r str, Timestamp)>;

/// A capture of an origin once redirects and revisits are followed.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Answered<'r, B> {
    key: &'r str,
    /// When the origin was captured.
    pub at: Timestamp,
    number: u64,
    /// The number of redirects that led to the answer, its meaning, and the place of its file. `None` if they
    /// lead to what is not known.
    pub answer: Option<(u8, Said, Option<B>)>,
    /// The key of the capture that has the answer.
    pub by: &'r str,
    /// The captures to which redirects led, one after the other, as far as the archives have them.
    #[serde(borrow)]
    pub hops: Vec<(&'r str, Timestamp)>,
}

/// What is known of a target besides the captures: its newest answer.
#[derive(Clone, Debug)]
pub struct Held<B> {
    /// When that was. What the target answered before then is not known any more.
    pub at: Timestamp,
    /// Its meaning, and the place of its file. `None` if it leads to what is not known.
    pub answer: Option<(Said, Option<B>)>,
}

impl<B: Clone> Held<B> {
    /// Follows what a capture at a time leads to: to the answer that is nearest in time, this one or one of the
    /// captures. What is older than this one may have been nearer than any.
    fn answer<'r>(
        self,
        captures: Option<&CapturesOf<&'r str, B>>,
        lead: Lead<&'r str>,
        at: Timestamp,
    ) -> Led<&'r str, B> {
        let is_before = at > Timestamp(0) && at < self.at && lead.exactly.is_none();
        let nearest = captures.and_then(|captures| captures.nearest(at));
        let is_of_captures = match nearest.filter(|_| lead.exactly.is_none()) {
            None => false,
            Some(time) if is_before => time == at,
            Some(time) if time == self.at => self.is_outranked(captures, lead, at),
            Some(time) => at == Timestamp(0) || time.0.abs_diff(at.0) <= self.at.0.abs_diff(at.0),
        };
        match captures.filter(|_| is_of_captures) {
            Some(captures) => captures.answer(lead, at),
            None if is_before => Led::Nowhere(lead),
            None => {
                let answer = self.answer.and_then(|(said, body)| Some((lead.says(said)?, body)));
                answer.map_or(Led::Nowhere(lead), |(said, body)| Led::Answer(lead.hops, said, body))
            }
        }
    }

    /// Returns true if of two answers in one second, this one and one of the captures, that of the captures
    /// counts.
    fn is_outranked<'r>(
        &self,
        captures: Option<&CapturesOf<&'r str, B>>,
        lead: Lead<&'r str>,
        at: Timestamp,
    ) -> bool {
        let rank = |said| rank(&Protocol::RFC9309, said);
        match captures.map(|captures| captures.answer(lead, at)) {
            Some(Led::Answer(_, said, _)) => {
                rank(self.answer.as_ref().map(|(said, _)| *said)) <= rank(Some(said))
            }
            _ => true,
        }
    }
}

impl<B: Clone + DeserializeOwned + Serialize> Gathered<B> {
    /// No captures yet. The temporary files lie in `folder`, which has room for what is made: `/tmp`
    /// may be in memory.
    ///
    /// # Errors
    /// Returns an error if there can be no files.
    pub fn new(folder: &Path) -> io::Result<Gathered<B>> {
        let (rows, requests) = (Spill::new(folder)?, Spill::new(folder)?);
        let folder = folder.to_owned();
        let hasher = RandomState::new();
        Ok(Gathered {
            folder,
            rows,
            requests,
            count: 0,
            hasher,
            wanted: Vec::new(),
            bodies: PhantomData,
        })
    }

    /// Adds a capture of a key, which may be that of an origin.
    ///
    /// # Errors
    /// Returns an error if a temporary file cannot be written.
    pub fn put(
        &mut self,
        key: &str,
        is_origin: bool,
        at: Timestamp,
        says: Says<&str, B>,
        names_of: &RecordNames,
    ) -> io::Result<()> {
        let number = self.count;
        self.count += 1;
        let name =
            |name: &Option<Box<str>>| name.as_deref().map_or(0, |name| self.hasher.hash_one(name));
        let mut names = [name(&names_of.id), name(&names_of.payload)];
        let claim = names_of.claim();
        let mut hashed: [Option<String>; 3] = [const { None }; 3];
        let mut says = says;
        if let Says::Same(repeats) = &mut says {
            // A revisit has no payload that others could mean.
            names = [0, 0];
            let references = repeats.places.iter_mut().zip(&mut hashed);
            for (place, hashed) in references.filter_map(|(place, to)| Some((place.as_mut()?, to)))
            {
                if RecordNames::is_one(place.key) {
                    let hash = self.hasher.hash_one(place.key);
                    self.wanted.resize(WANTED_WORDS, 0);
                    let (word, bit) = wanted_bit(hash);
                    self.wanted[word] |= bit;
                    place.key = hashed.insert(name_key(hash));
                }
            }
        }
        if let Some(lead) = says.lead(key).filter(|_| is_origin) {
            let request = Request { source: key, at, number, lead, hops: Vec::new() };
            self.requests.put(partition_of(lead.to), &request)?;
        }
        self.rows.put(partition_of(key), &Row { key, at, number, names, payload: claim, says })
    }

    /// The number of captures that were added.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Follows all redirects and revisits, and gives the answers of each origin to `act`, in the
    /// order of their times: partition after partition, in the order of keys, the schemes of a host
    /// one after the other. `elsewhere` has what is known of a target besides. Returns how many lead to what
    /// is not known.
    ///
    /// # Errors
    /// Returns an error if a temporary file cannot be read or written, or `elsewhere` or `act`
    /// fails.
    pub fn settle<E: From<io::Error>>(
        mut self,
        elsewhere: impl FnMut(&Lead<&str>) -> Result<Option<Held<B>>, E>,
        mut act: impl FnMut(&Origin<'_>, &[Answered<'_, B>]) -> Result<(), E>,
    ) -> Result<u64, E> {
        let (mut followed, lost) = self.follow(elsewhere)?;
        for partition in 0..PARTITIONS {
            let (rows, followed) = (self.rows.rows(partition)?, followed.rows(partition)?);
            let own = rows.iter::<Row<'_, B>>().filter_map(|row| match row {
                Ok(Row { key, at, number, says: Says::Answer(said, body), .. }) => {
                    let answer = Some((0, said, body));
                    Some(Ok(Answered { key, at, number, answer, by: key, hops: Vec::new() }))
                }
                // It leads nowhere.
                Ok(Row { key, at, number, says: Says::Same(repeats), .. })
                    if repeats.is_empty() =>
                {
                    Some(Ok(Answered { key, at, number, answer: None, by: key, hops: Vec::new() }))
                }
                // These are among those that were followed.
                Ok(_) => None,
                Err(error) => Some(Err(error)),
            });
            let mut all: Vec<Answered<'_, B>> =
                own.chain(followed.iter()).collect::<io::Result<_>>()?;
            all.sort_unstable_by_key(|row| (without_scheme(row.key), row.key, row.at, row.number));
            for answers in all.chunk_by(|one, other| one.key == other.key) {
                let key = answers[0].key;
                // Others count only as targets.
                if let Some(origin) = Origin::of(key).ok().filter(|origin| origin.key() == key) {
                    act(&origin, answers)?;
                }
            }
        }
        Ok(lost)
    }

    /// The captures by the names of their records, if a revisit refers to one.
    fn named(&mut self) -> io::Result<Spill> {
        let mut named = Spill::new(&self.folder)?;
        if self.wanted.is_empty() {
            return Ok(named);
        }
        let is_wanted = |name: &u64| {
            let (word, bit) = wanted_bit(*name);
            *name != 0 && self.wanted[word] & bit != 0
        };
        for partition in 0..PARTITIONS {
            let rows = self.rows.rows(partition)?;
            for row in rows.iter::<Row<'_, B>>() {
                let row = row?;
                for name in row.names.into_iter().filter(is_wanted) {
                    let key = &*name_key(name);
                    let says = row.says.clone();
                    named.put(partition_of(key), &Row { key, says, ..row })?;
                }
            }
        }
        Ok(named)
    }

    /// The answers to all requests, as rows of their sources.
    fn follow<E: From<io::Error>>(
        &mut self,
        mut elsewhere: impl FnMut(&Lead<&str>) -> Result<Option<Held<B>>, E>,
    ) -> Result<(Spill, u64), E> {
        let mut answers = Spill::new(&self.folder)?;
        let mut named = self.named()?;
        let mut lost = 0;
        let mut requests = std::mem::replace(&mut self.requests, Spill::new(&self.folder)?);
        while (0..PARTITIONS).any(|partition| !requests.is_empty(partition)) {
            let mut further = Spill::new(&self.folder)?;
            for partition in 0..PARTITIONS {
                if requests.is_empty(partition) {
                    continue;
                }
                let asked = requests.rows(partition)?;
                let held = self.rows.rows(partition)?;
                let of_names = named.rows(partition)?;
                let captures = by_key::<B>(held.iter().chain(of_names.iter()))?;
                for request in asked.iter::<Request<'_>>() {
                    let Request { source, at, number, lead, mut hops } = request?;
                    let of_target = captures.get(lead.to);
                    if lead.revisit.is_none() {
                        let time = of_target.and_then(|captures| captures.nearest(at));
                        hops.extend(time.map(|time| (lead.to, time)));
                    }
                    let led = of_target.map(|captures| captures.answer(lead, at));
                    let mut led = led.unwrap_or(Led::Nowhere(lead));
                    // A capture that is meant is that one, wherever it is.
                    if (lead.exactly.is_none() || matches!(led, Led::Nowhere(_)))
                        && let Some(held) = elsewhere(&lead)?
                    {
                        led = held.answer(of_target, lead, at);
                    }
                    if let Led::Nowhere(lead) = led {
                        led = lead.missing();
                    }
                    let answer = match led {
                        Led::Answer(hops, said, body) => Some((hops, said, body)),
                        Led::Further(lead) => {
                            let next = Request { source, at, number, lead, hops };
                            further.put(partition_of(lead.to), &next)?;
                            continue;
                        }
                        Led::Nowhere(_) | Led::Contradiction => None,
                    };
                    lost += u64::from(answer.is_none());
                    let by = match lead.revisit {
                        Some((revisit, _)) if is_name_key(lead.to) => revisit,
                        _ => lead.to,
                    };
                    let answered = Answered { key: source, at, number, answer, by, hops };
                    answers.put(partition_of(source), &answered)?;
                }
            }
            requests = further;
        }
        Ok((answers, lost))
    }
}

/// The words of the bits of wanted names: 8 MiB.
const WANTED_WORDS: usize = 1 << 20;

/// The word and the bit of a hash.
fn wanted_bit(hash: u64) -> (usize, u64) {
    ((hash >> 6) as usize % WANTED_WORDS, 1 << (hash % 64))
}

/// The key of captures with a name of this hash. No URL begins so.
fn name_key(hash: u64) -> String {
    format!("\0{hash:x}")
}

fn is_name_key(key: &str) -> bool {
    key.starts_with('\0')
}

/// The captures of a partition by their keys, in the order of their times.
fn by_key<'r, B: Clone>(
    rows: impl Iterator<Item = io::Result<Row<'r, B>>>,
) -> io::Result<HashMap<&'r str, CapturesOf<&'r str, B>>> {
    let mut sorted: Vec<Row<'r, B>> = rows.collect::<io::Result<_>>()?;
    sorted.sort_unstable_by_key(|row| (row.at, row.number));
    let mut captures = HashMap::new();
    for Row { key, at, says, payload, .. } in sorted {
        captures.entry(key).or_insert_with(|| CapturesOf::new(key)).push(at, says, payload);
    }
    Ok(captures)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A target whose captures say 404 at 10 and 40, and of which an answer with a file is known besides.
    #[test]
    fn the_nearest_of_all_that_is_known() {
        let mut captures = CapturesOf::new("t");
        for at in [10, 40] {
            captures.push(
                Timestamp(at),
                Says::Answer(Said::Status(404), None),
                PayloadClaim::Nothing,
            );
        }
        let file = Some((Said::File(None), Some(())));
        let led = |held: u64, answer: &Option<_>, at| {
            let held = Held { at: Timestamp(held), answer: *answer };
            match held.answer(Some(&captures), Lead::redirect("t", 1), Timestamp(at)) {
                Led::Answer(_, Said::File(_), _) => "held",
                Led::Answer(..) => "captured",
                _ => "unknown",
            }
        };
        assert_eq!(led(20, &file, 24), "held");
        assert_eq!(led(20, &file, 31), "captured");
        assert_eq!(led(5, &file, 9), "captured");
        // What is older than the one that is held may have been nearer.
        assert_eq!(led(20, &file, 19), "unknown");
        assert_eq!(led(50, &file, 41), "unknown");
        assert_eq!(led(20, &file, 10), "captured");
        // Of one second the one that counts against.
        assert_eq!(led(40, &file, 40), "held");
        assert_eq!(led(10, &Some((Said::Status(404), None)), 12), "captured");
        assert_eq!(led(20, &None, 24), "unknown");
    }
}
