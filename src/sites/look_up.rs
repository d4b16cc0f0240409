//! Answers for many URLs of many origins.
//!
//! An origin that is not in a cache costs a chain of fetches from memory: line, entry, record, and
//! where the walk begins. One by one, a question waits for all of them. Here [`AHEAD`] questions
//! take each step together, and each step asks for the memory of the next, so that their waits
//! overlap.

use smallvec::SmallVec;

use super::layout::Key;
use crate::origin::Origin;
use crate::policy::Reading;
use crate::policy::crawlers::Answer;
use crate::rules::target::Target;

/// How many URLs take a step together.
const AHEAD: usize = 32;

/// Where an entry may be that has the right fingerprint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// Which of several indexes has it.
    pub(crate) index: u32,
    pub(crate) place: u64,
}

/// The policies of many origins, in steps.
pub(crate) trait Grounds {
    type Site<'g>: Copy
    where
        Self: 'g;
    type Error;

    /// The seed of the hash.
    fn seed(&self) -> u64;

    fn reading(&self) -> Reading;

    /// Prefetches the line where an origin is looked up.
    fn read_line_ahead(&self, key: &Key<'_>);

    /// The first entry that may be the origin's.
    fn candidate(&self, key: &Key<'_>) -> Result<Option<Candidate>, Self::Error>;

    /// Prefetches an entry.
    fn read_entry_ahead(&self, candidate: Candidate);

    /// The site of an origin, for which there is this candidate.
    fn site<'g>(
        &'g self,
        key: &Key<'_>,
        candidate: Candidate,
    ) -> Result<Option<Self::Site<'g>>, Self::Error>;

    /// Prefetches the record that an entry leads to.
    fn read_site_ahead(&self, site: Self::Site<'_>);

    /// Prefetches what that record leads to, if it is no policy itself.
    fn read_policies_ahead(&self, site: Self::Site<'_>) -> Result<(), Self::Error>;

    /// Writes an answer for each of these crawlers.
    fn ask(
        &self,
        site: Self::Site<'_>,
        target: &Target<'_>,
        crawlers: &[usize],
        answers: &mut [Answer],
    ) -> Result<(), Self::Error>;
}

/// Writes a row of answers for each URL: one for each of these crawlers.
///
/// # Panics
/// Panics unless there is room for as many answers.
pub(crate) fn answers<G: Grounds, U: AsRef<[u8]>>(
    grounds: &G,
    urls: &[U],
    crawlers: &[usize],
    answers: &mut [Answer],
) -> Result<(), G::Error> {
    assert_eq!(answers.len(), urls.len() * crawlers.len(), "an answer for each URL and crawler");
    if crawlers.is_empty() {
        return Ok(());
    }
    let rows = answers.chunks_mut(AHEAD * crawlers.len());
    urls.chunks(AHEAD).zip(rows).try_for_each(|(urls, rows)| some(grounds, urls, crawlers, rows))
}

/// The answers for at most [`AHEAD`] URLs.
fn some<G: Grounds, U: AsRef<[u8]>>(
    grounds: &G,
    urls: &[U],
    crawlers: &[usize],
    answers: &mut [Answer],
) -> Result<(), G::Error> {
    // URLs of one origin often follow one another. They take the steps together.
    let mut origins: SmallVec<[Option<Origin<'_>>; AHEAD]> = SmallVec::new();
    let mut origin_of: SmallVec<[usize; AHEAD]> = SmallVec::new();
    for url in urls {
        let url = url.as_ref();
        if !origins.last().and_then(Option::as_ref).is_some_and(|last| last.is_of(url)) {
            origins.push(Origin::of(url).ok());
        }
        origin_of.push(origins.len() - 1);
    }
    let seed = grounds.seed();
    let keys: SmallVec<[Option<Key<'_>>; AHEAD]> = origins
        .iter()
        .map(|origin| {
            let key = Key::of(origin.as_ref()?, seed);
            grounds.read_line_ahead(&key);
            Some(key)
        })
        .collect();
    let mut candidates: SmallVec<[Option<Candidate>; AHEAD]> = SmallVec::new();
    for key in &keys {
        let candidate = match key {
            Some(key) => grounds.candidate(key)?,
            None => None,
        };
        if let Some(candidate) = candidate {
            grounds.read_entry_ahead(candidate);
        }
        candidates.push(candidate);
    }
    let mut sites: SmallVec<[Option<G::Site<'_>>; AHEAD]> = SmallVec::new();
    for (key, candidate) in keys.iter().zip(candidates) {
        let site = match (key, candidate) {
            (Some(key), Some(candidate)) => grounds.site(key, candidate)?,
            _ => None,
        };
        if let Some(site) = site {
            grounds.read_site_ahead(site);
        }
        sites.push(site);
    }
    for site in sites.iter().flatten() {
        grounds.read_policies_ahead(*site)?;
    }
    let reading = grounds.reading();
    let rows = answers.chunks_mut(crawlers.len());
    for ((url, row), origin) in urls.iter().zip(rows).zip(origin_of) {
        match sites[origin] {
            Some(site) => match Target::of(url.as_ref(), reading.form, reading.encoding) {
                Ok(target) => grounds.ask(site, &target, crawlers, row)?,
                Err(_) => row.fill(Answer::Invalid),
            },
            None if keys[origin].is_some() => row.fill(Answer::Unknown),
            None => row.fill(Answer::Invalid),
        }
    }
    Ok(())
}
