//! Answers for many URLs of many origins.
//!
//! An origin that is not in a cache costs a chain of fetches from memory: line, entry, record, and
//! where the walk begins. One by one, a question waits for all of them. Here [`AHEAD`] origins
//! take each step together, and each step asks for the memory of the next, so that their waits
//! overlap.

use smallvec::SmallVec;

use super::layout::{Key, Policies};
use super::policy::{SitePolicy, unless_robots_txt};
use crate::as_url::AsUrl;
use crate::automaton::Begun;
use crate::origin::Origin;
use crate::policy::Reading;
use crate::policy::crawlers::Answer;
use crate::rules::target::{InvalidUrl, Target};

/// The number of origins that take a step together.
const AHEAD: usize = 32;

/// The number of URLs that take a step together: that many fit into the nearest cache.
const MOST_URLS: usize = 16 * AHEAD;

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
    fn policy<'g>(
        &'g self,
        site: Self::Site<'g>,
        record: u32,
    ) -> Result<SitePolicy<'g>, Self::Error>;
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
    let answer = |record| Ok(grounds.policy(site, record)?.own_verdict(target).into());
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

/// URLs of one origin that follow one another, for [`Pack::answers_for`] and
/// [`PolicySet::answers_for`](crate::PolicySet::answers_for).
///
/// [`Pack::answers_for`]: crate::pack::Pack::answers_for
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlRun<'u> {
    /// The origin whose robots.txt governs them. `None` if there is none.
    pub origin: Option<Origin<'u>>,
    /// The answer if nothing is known of the origin, or if there is none.
    pub otherwise: Answer,
    /// The number of the first URL behind them: that of their first one, plus how many they are.
    pub end: usize,
}

impl UrlRun<'_> {
    /// The target of a URL of the run. `is_own` says if the origin was made of the run's URLs.
    #[inline]
    fn target<'u, U: AsUrl>(
        &self,
        url: &'u U,
        is_own: bool,
        reading: Reading,
    ) -> Result<Target<'u>, InvalidUrl> {
        let path = match &self.origin {
            Some(origin) if is_own => origin.usual_path_of(url.as_url()),
            _ => url.known_path(),
        };
        match path {
            Some(path) => Target::of_path(path, reading.encoding),
            None => Target::of(url.as_url(), reading.form, reading.encoding),
        }
    }
}

/// Writes a row of answers for each URL: one for each of these crawlers. [`Answer::Invalid`] for
/// what has no origin, [`Answer::Unknown`] for what nothing is known of or where a fault is, each
/// of which `fault` is told.
///
/// # Panics
/// Panics unless there is room for as many answers.
pub(crate) fn answers<G: Grounds, U: AsUrl>(
    grounds: &G,
    urls: &[U],
    crawlers: &[usize],
    answers: &mut [Answer],
    mut fault: impl FnMut(G::Error),
) {
    assert_eq!(answers.len(), urls.len() * crawlers.len(), "an answer for each URL and crawler");
    if crawlers.is_empty() {
        return;
    }
    let (mut urls, mut answers) = (urls, answers);
    loop {
        let runs = runs(urls);
        let Some(last) = runs.last() else { return };
        let (some_urls, other_urls) = urls.split_at(last.end);
        let (rows, other_rows) = answers.split_at_mut(last.end * crawlers.len());
        let some_runs = SomeRuns { runs: &runs, first: 0, are_own: true };
        some(grounds, some_runs, some_urls, crawlers, rows, &mut fault);
        (urls, answers) = (other_urls, other_rows);
    }
}

/// The same for URLs whose origins are known, in runs.
///
/// # Panics
/// Panics unless there is room for as many answers, or if the runs do not cover the URLs.
pub(crate) fn answers_for<G: Grounds, U: AsUrl>(
    grounds: &G,
    runs: &[UrlRun<'_>],
    urls: &[U],
    crawlers: &[usize],
    answers: &mut [Answer],
    mut fault: impl FnMut(G::Error),
) {
    assert_eq!(answers.len(), urls.len() * crawlers.len(), "an answer for each URL and crawler");
    assert_eq!(runs.last().map_or(0, |run| run.end), urls.len(), "each URL is in a run");
    if crawlers.is_empty() {
        return;
    }
    let mut first = 0;
    for runs in runs.chunks(AHEAD) {
        let some_runs = SomeRuns { runs, first, are_own: false };
        some(grounds, some_runs, urls, crawlers, answers, &mut fault);
        first = runs.last().map_or(first, |run| run.end);
    }
}

/// The runs with which some URLs begin: those that take the steps together. None only if there are
/// no URLs.
#[inline]
fn runs<U: AsUrl>(urls: &[U]) -> SmallVec<[UrlRun<'_>; AHEAD]> {
    let mut runs: SmallVec<[UrlRun<'_>; AHEAD]> = SmallVec::new();
    for (number, url) in urls.iter().take(MOST_URLS).enumerate() {
        let url = url.as_url();
        if let Some(UrlRun { origin: Some(last), end, .. }) = runs.last_mut()
            && last.is_of(url)
        {
            *end = number + 1;
        } else if runs.len() < AHEAD {
            let origin = Origin::of(url).ok();
            let otherwise = if origin.is_some() { Answer::Unknown } else { Answer::Invalid };
            runs.push(UrlRun { origin, otherwise, end: number + 1 });
        } else {
            break;
        }
    }
    runs
}

/// Runs that take the steps together: [`AHEAD`] at most.
struct SomeRuns<'r, 'u> {
    runs: &'r [UrlRun<'u>],
    /// The number of their first URL.
    first: usize,
    /// True if their origins were made of their URLs.
    are_own: bool,
}

/// Answers for the URLs of some runs.
fn some<G: Grounds, U: AsUrl>(
    grounds: &G,
    SomeRuns { runs, mut first, are_own }: SomeRuns<'_, '_>,
    urls: &[U],
    crawlers: &[usize],
    answers: &mut [Answer],
    fault: &mut impl FnMut(G::Error),
) {
    let mut keys: SmallVec<[Option<Key<'_>>; AHEAD]> = SmallVec::new();
    for run in runs {
        keys.push(run.origin.as_ref().map(|origin| {
            let key = grounds.key(origin);
            grounds.read_line_ahead(&key);
            key
        }));
    }
    // The runs with a fault, a bit each.
    let mut faulty: u64 = 0;
    let mut places: SmallVec<[Option<G::Place>; AHEAD]> = SmallVec::new();
    for (number, key) in keys.iter().enumerate() {
        let place = match key {
            Some(key) => or_fault(grounds.first_place(key), number, &mut faulty, fault),
            None => None,
        };
        if let Some(place) = place {
            grounds.read_entry_ahead(place);
        }
        places.push(place);
    }
    let mut sites: SmallVec<[Option<G::Site<'_>>; AHEAD]> = SmallVec::new();
    for (number, (key, place)) in keys.iter().zip(places).enumerate() {
        let site = match (key, place) {
            (Some(key), Some(place)) => {
                or_fault(grounds.site(key, place), number, &mut faulty, fault)
            }
            _ => None,
        };
        if let Some(site) = site {
            grounds.read_site_ahead(site);
        }
        sites.push(site);
    }
    let mut wanted: SmallVec<[Wanted<G::Site<'_>>; AHEAD]> = SmallVec::new();
    for (number, (run, site)) in runs.iter().zip(sites).enumerate() {
        let known = site.and_then(|site| {
            let policies = or_fault(grounds.policies(site), number, &mut faulty, fault)?;
            Some((site, policies))
        });
        wanted.push(match (known, crawlers) {
            (None, _) if faulty >> number & 1 != 0 => Wanted::Nothing(Answer::Unknown),
            (None, _) => Wanted::Nothing(run.otherwise),
            (Some((site, Policies::One(record))), _) => Wanted::One(site, record),
            (Some((site, Policies::Panel(panel))), [crawler]) => {
                let record = panel.record(*crawler);
                grounds.read_policy_ahead(site, record);
                Wanted::One(site, record)
            }
            (Some((site, Policies::Panel(panel))), _) => {
                for record in panel.records().take(4) {
                    grounds.read_policy_ahead(site, record);
                }
                Wanted::Panel(site)
            }
        });
    }
    let reading = grounds.reading();
    let mut begun: SmallVec<[(usize, Target<'_>, Begun<'_>); AHEAD]> = SmallVec::new();
    for (run, wanted) in runs.iter().zip(wanted) {
        let numbers = std::mem::replace(&mut first, run.end)..run.end;
        let of_run = &mut answers[numbers.start * crawlers.len()..run.end * crawlers.len()];
        let (site, record) = match wanted {
            Wanted::Nothing(answer) => {
                of_run.fill(answer);
                continue;
            }
            Wanted::One(site, record) => (site, Some(record)),
            Wanted::Panel(site) => (site, None),
        };
        let policy = match record.map(|record| grounds.policy(site, record)).transpose() {
            Ok(policy) => policy,
            Err(error) => {
                fault(error);
                of_run.fill(Answer::Unknown);
                continue;
            }
        };
        let mut is_first = true;
        for (number, row) in numbers.zip(of_run.chunks_exact_mut(crawlers.len())) {
            let is_first = std::mem::replace(&mut is_first, false);
            let Ok(target) = run.target(&urls[number], are_own, reading) else {
                row.fill(Answer::Invalid);
                continue;
            };
            match &policy {
                Some(policy) => match policy.table().filter(|_| is_first) {
                    Some(table) => begun.push((number, target, table.begin(target.unended()))),
                    // What its walk needs was just read.
                    None => row.fill(policy.own_verdict(&target).into()),
                },
                None => {
                    let crawlers = crawlers.iter().copied();
                    if let Err(error) = ask(grounds, site, &target, crawlers, row) {
                        fault(error);
                        row.fill(Answer::Unknown);
                    }
                }
            }
        }
    }
    for (number, target, begun) in &begun {
        let row = &mut answers[number * crawlers.len()..][..crawlers.len()];
        row.fill(unless_robots_txt(begun.finish(), target, reading).into());
    }
}

/// What was found. Nothing if that is a fault, of which the bit of the run is then set.
#[inline]
fn or_fault<T, E>(
    found: Result<Option<T>, E>,
    run: usize,
    faulty: &mut u64,
    fault: &mut impl FnMut(E),
) -> Option<T> {
    found.unwrap_or_else(|error| {
        *faulty |= 1 << run;
        fault(error);
        None
    })
}

// A bit for each run.
const _: () = assert!(AHEAD <= u64::BITS as usize);

/// What decides for an origin.
#[derive(Clone, Copy)]
enum Wanted<S> {
    /// There is nothing to decide.
    Nothing(Answer),
    /// One policy for all crawlers: its record.
    One(S, u32),
    Panel(S),
}
