//! Answers for many URLs of many origins.
//!
//! An origin that is not in a cache costs a chain of fetches from memory: line, entry, record, and
//! where the walk begins. One by one, a question waits for all of them. Here [`AHEAD`] questions
//! take each step together, and each step asks for the memory of the next, so that their waits
//! overlap.

use smallvec::SmallVec;

use super::layout::{Key, Policies};
use crate::automaton::{Begun, Table};
use crate::origin::Origin;
use crate::policy::crawlers::Answer;
use crate::policy::{Policy, Reading};
use crate::rules::target::Target;
use crate::verdict::Verdict;

/// How many URLs take a step together.
const AHEAD: usize = 32;

/// The policies of many origins, in steps.
pub(crate) trait Grounds {
    /// Where the entry of an origin may be.
    type Place: Copy;
    /// What is known of an origin.
    type Site<'g>: Copy
    where
        Self: 'g;
    type Error;

    /// How an origin is looked up.
    fn key<'k>(&self, origin: &'k Origin<'_>) -> Key<'k>;

    fn reading(&self) -> Reading;

    /// Prefetches the line where an origin is looked up.
    fn read_line_ahead(&self, key: &Key<'_>);

    /// The first place that may have the origin's entry.
    fn first_place(&self, key: &Key<'_>) -> Result<Option<Self::Place>, Self::Error>;

    /// Prefetches an entry.
    fn read_entry_ahead(&self, place: Self::Place);

    /// The site of an origin. Looks at this place first.
    fn site<'g>(
        &'g self,
        key: &Key<'_>,
        place: Self::Place,
    ) -> Result<Option<Self::Site<'g>>, Self::Error>;

    /// Prefetches the record that an entry leads to.
    fn read_site_ahead(&self, site: Self::Site<'_>);

    /// What that record is. `None` if nothing is known of the site.
    fn policies<'g>(&'g self, site: Self::Site<'g>) -> Result<Option<Policies<'g>>, Self::Error>;

    /// Prefetches the record of a policy.
    fn read_policy_ahead(&self, site: Self::Site<'_>, record: u32);

    /// The policy of a record.
    fn how<'g>(&'g self, site: Self::Site<'g>, record: u32) -> Result<How<'g>, Self::Error>;
}

/// How a policy decides.
#[derive(Clone)]
pub(crate) enum How<'p> {
    Table(Table<'p>),
    Policy(Policy),
}

impl How<'_> {
    /// The verdict on a target that is read so.
    #[inline]
    pub(crate) fn verdict(&self, target: &Target<'_>, reading: Reading) -> Verdict {
        let verdict = match self {
            How::Table(table) => table.verdict(target.unended()),
            How::Policy(policy) => policy.own_verdict(target),
        };
        unless_robots_txt(verdict, target, reading)
    }
}

impl std::fmt::Debug for How<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            How::Table(_) => "Table",
            How::Policy(_) => "Policy",
        })
    }
}

/// Looks at the target last, since most URLs are allowed anyway.
#[inline]
fn unless_robots_txt(verdict: Verdict, target: &Target<'_>, reading: Reading) -> Verdict {
    if !verdict.is_allow() && reading.robots_txt_allowed && target.is_robots_txt() {
        return Verdict::Allow;
    }
    verdict
}

/// Writes the answers for one URL, for each of these crawlers. Crawlers that share a policy cost one
/// walk.
#[inline]
pub(crate) fn ask<'g, G: Grounds>(
    grounds: &'g G,
    site: G::Site<'g>,
    target: &Target<'_>,
    crawlers: impl Iterator<Item = usize>,
    answers: &mut [Answer],
) -> Result<(), G::Error> {
    let answer = |record| {
        let how = grounds.how(site, record)?;
        Ok(how.verdict(target, grounds.reading()).into())
    };
    match grounds.policies(site)? {
        None => answers.fill(Answer::Unknown),
        Some(Policies::One(record)) => answers.fill(answer(record)?),
        Some(Policies::Panel(panel)) => {
            let mut known: SmallVec<[(u32, Answer); 8]> = SmallVec::new();
            for (crawler, wanted) in crawlers.zip(answers) {
                let record = panel.record(crawler);
                *wanted = match known.iter().find(|(known, _)| *known == record) {
                    Some((_, answer)) => *answer,
                    None => {
                        let found = answer(record)?;
                        known.push((record, found));
                        found
                    }
                };
            }
        }
    }
    Ok(())
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
    let keys: SmallVec<[Option<Key<'_>>; AHEAD]> = origins
        .iter()
        .map(|origin| {
            let key = grounds.key(origin.as_ref()?);
            grounds.read_line_ahead(&key);
            Some(key)
        })
        .collect();
    let mut places: SmallVec<[Option<G::Place>; AHEAD]> = SmallVec::new();
    for key in &keys {
        let place = match key {
            Some(key) => grounds.first_place(key)?,
            None => None,
        };
        if let Some(place) = place {
            grounds.read_entry_ahead(place);
        }
        places.push(place);
    }
    let mut sites: SmallVec<[Option<G::Site<'_>>; AHEAD]> = SmallVec::new();
    for (key, place) in keys.iter().zip(places) {
        let site = match (key, place) {
            (Some(key), Some(place)) => grounds.site(key, place)?,
            _ => None,
        };
        if let Some(site) = site {
            grounds.read_site_ahead(site);
        }
        sites.push(site);
    }
    let mut policies: SmallVec<[Wanted; AHEAD]> = SmallVec::new();
    for (key, site) in keys.iter().zip(&sites) {
        let known = match site {
            Some(site) => grounds.policies(*site)?.map(|policies| (*site, policies)),
            None => None,
        };
        policies.push(match (known, crawlers) {
            (None, _) if key.is_none() => Wanted::Invalid,
            (None, _) => Wanted::Unknown,
            (Some((_, Policies::One(record))), _) => Wanted::One(record),
            (Some((site, Policies::Panel(panel))), [crawler]) => {
                let record = panel.record(*crawler);
                grounds.read_policy_ahead(site, record);
                Wanted::One(record)
            }
            (Some((site, Policies::Panel(panel))), _) => {
                for record in panel.records().take(4) {
                    grounds.read_policy_ahead(site, record);
                }
                Wanted::Panel
            }
        });
    }
    let reading = grounds.reading();
    let mut begun: SmallVec<[(usize, Target<'_>, Begun<'_>); AHEAD]> = SmallVec::new();
    let mut last: Option<(usize, How<'_>)> = None;
    for (number, (url, origin)) in urls.iter().zip(origin_of).enumerate() {
        let row = &mut answers[number * crawlers.len()..][..crawlers.len()];
        let site = match (policies[origin], sites[origin]) {
            (Wanted::Invalid, _) => {
                row.fill(Answer::Invalid);
                continue;
            }
            (Wanted::Unknown, _) | (_, None) => {
                row.fill(Answer::Unknown);
                continue;
            }
            (Wanted::One(_) | Wanted::Panel, Some(site)) => site,
        };
        let Ok(target) = Target::of(url.as_ref(), reading.form, reading.encoding) else {
            row.fill(Answer::Invalid);
            continue;
        };
        let Wanted::One(record) = policies[origin] else {
            ask(grounds, site, &target, crawlers.iter().copied(), row)?;
            continue;
        };
        match &last {
            // What its walk needs was just read.
            Some((known, how)) if *known == origin => {
                row.fill(how.verdict(&target, reading).into());
            }
            _ => {
                let how = grounds.how(site, record)?;
                match &how {
                    How::Table(table) => {
                        begun.push((number, target, table.begin(target.unended())));
                    }
                    How::Policy(_) => row.fill(how.verdict(&target, reading).into()),
                }
                last = Some((origin, how));
            }
        }
    }
    for (number, target, begun) in &begun {
        let row = &mut answers[number * crawlers.len()..][..crawlers.len()];
        row.fill(unless_robots_txt(begun.finish(), target, reading).into());
    }
    Ok(())
}

/// What decides for an origin.
#[derive(Clone, Copy)]
enum Wanted {
    Invalid,
    Unknown,
    /// One policy for all crawlers: the record.
    One(u32),
    Panel,
}
