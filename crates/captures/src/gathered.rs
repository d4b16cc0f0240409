//! Captures of many origins, brought together in little memory.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use robotsieve::Origin;
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::Said;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::capture::RecordNames;
use super::history::{CapturesOf, Lead, Led, Says};
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
}

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
            let request = Request { source: key, at, number, lead };
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
    /// one after the other. `elsewhere` has what is known of a target that was not captured. Returns
    /// how many lead to what is not known.
    ///
    /// # Errors
    /// Returns an error if a temporary file cannot be read or written, or `elsewhere` or `act`
    /// fails.
    pub fn settle<E: From<io::Error>>(
        mut self,
        elsewhere: impl FnMut(&Lead<&str>) -> Result<Option<(Said, Option<B>)>, E>,
        mut act: impl FnMut(&Origin<'_>, &[Answered<'_, B>]) -> Result<(), E>,
    ) -> Result<u64, E> {
        let (mut followed, lost) = self.follow(elsewhere)?;
        for partition in 0..PARTITIONS {
            let (rows, followed) = (self.rows.rows(partition)?, followed.rows(partition)?);
            let own = rows.iter::<Row<'_, B>>().filter_map(|row| match row {
                Ok(Row { key, at, number, says: Says::Answer(said, body), .. }) => {
                    let answer = Some((0, said, body));
                    Some(Ok(Answered { key, at, number, answer, by: key }))
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
        mut elsewhere: impl FnMut(&Lead<&str>) -> Result<Option<(Said, Option<B>)>, E>,
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
                    let Request { source, at, number, lead } = request?;
                    let led = captures.get(lead.to).map(|captures| captures.answer(lead, at));
                    let led = match led.unwrap_or(Led::Nowhere(lead)) {
                        Led::Nowhere(lead) => match elsewhere(&lead)? {
                            Some((said, body)) => match lead.says(said) {
                                Some(said) => Led::Answer(lead.hops, said, body),
                                None => lead.missing(),
                            },
                            None => lead.missing(),
                        },
                        led => led,
                    };
                    let answer = match led {
                        Led::Answer(hops, said, body) => Some((hops, said, body)),
                        Led::Further(lead) => {
                            let next = Request { source, at, number, lead };
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
                    let answered = Answered { key: source, at, number, answer, by };
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
