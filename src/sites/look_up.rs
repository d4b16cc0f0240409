//! Answers for many URLs of many origins.
//!
//! An origin that is not in a cache costs a chain of fetches from memory: line, entry, record, and
//! where the walk begins. One by one, a question waits for all of them. Here [`AHEAD`] origins
//! take each step together, and each step asks for the memory of the next, so that their waits
//! overlap.

use smallvec::SmallVec;

use super::layout::{Key, Policies};
use crate::automaton::{Begun, Table};
use crate::origin::Origin;
use crate::policy::crawlers::Answer;
use crate::policy::{Policy, Reading};
use crate::rules::target::{InvalidUrl, Target};
use crate::verdict::Verdict;

/// How many origins take a step together.
const AHEAD: usize = 32;

/// How many URLs take a step together: that many fit into the nearest cache.
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
    let (mut urls, mut answers) = (urls, answers);
    loop {
        let runs = runs(urls);
        let Some(last) = runs.last() else { return Ok(()) };
        let (some_urls, other_urls) = urls.split_at(last.end);
        let (rows, other_rows) = answers.split_at_mut(last.end * crawlers.len());
        some(grounds, some_urls, &runs, crawlers, rows)?;
        (urls, answers) = (other_urls, other_rows);
    }
}

/// URLs of one origin that follow one another.
struct Run<'u> {
    /// `None` if it is one URL without an origin.
    origin: Option<Origin<'u>>,
    /// The number of the first URL behind them.
    end: usize,
}

/// The runs with which some URLs begin: those that take the steps together. None only if there are
/// no URLs.
#[inline]
fn runs<U: AsRef<[u8]>>(urls: &[U]) -> SmallVec<[Run<'_>; AHEAD]> {
    let mut runs: SmallVec<[Run<'_>; AHEAD]> = SmallVec::new();
    for (number, url) in urls.iter().take(MOST_URLS).enumerate() {
        let url = url.as_ref();
        if let Some(Run { origin: Some(last), end }) = runs.last_mut()
            && last.is_of(url)
        {
            *end = number + 1;
        } else if runs.len() < AHEAD {
            runs.push(Run { origin: Origin::of(url).ok(), end: number + 1 });
        } else {
            break;
        }
    }
    runs
}

/// Answers for the URLs of some runs.
fn some<G: Grounds, U: AsRef<[u8]>>(
    grounds: &G,
    urls: &[U],
    runs: &[Run<'_>],
    crawlers: &[usize],
    answers: &mut [Answer],
) -> Result<(), G::Error> {
    let mut keys: SmallVec<[Option<Key<'_>>; AHEAD]> = SmallVec::new();
    for run in runs {
        keys.push(run.origin.as_ref().map(|origin| {
            let key = grounds.key(origin);
            grounds.read_line_ahead(&key);
            key
        }));
    }
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
    let mut wanted: SmallVec<[Wanted<G::Site<'_>>; AHEAD]> = SmallVec::new();
    for (key, site) in keys.iter().zip(sites) {
        let known = match site {
            Some(site) => grounds.policies(site)?.map(|policies| (site, policies)),
            None => None,
        };
        wanted.push(match (known, crawlers) {
            (None, _) if key.is_none() => Wanted::Nothing(Answer::Invalid),
            (None, _) => Wanted::Nothing(Answer::Unknown),
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
    let mut first = 0;
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
        let how = record.map(|record| grounds.how(site, record)).transpose()?;
        let mut is_first = true;
        for (number, row) in numbers.zip(of_run.chunks_exact_mut(crawlers.len())) {
            let is_first = std::mem::replace(&mut is_first, false);
            let Ok(target) = run.target(urls[number].as_ref(), reading) else {
                row.fill(Answer::Invalid);
                continue;
            };
            match &how {
                Some(How::Table(table)) if is_first => {
                    begun.push((number, target, table.begin(target.unended())));
                }
                // What its walk needs was just read.
                Some(how) => row.fill(how.verdict(&target, reading).into()),
                None => ask(grounds, site, &target, crawlers.iter().copied(), row)?,
            }
        }
    }
    for (number, target, begun) in &begun {
        let row = &mut answers[number * crawlers.len()..][..crawlers.len()];
        row.fill(unless_robots_txt(begun.finish(), target, reading).into());
    }
    Ok(())
}

impl Run<'_> {
    /// The target of a URL of the run.
    #[inline]
    fn target<'u>(&self, url: &'u [u8], reading: Reading) -> Result<Target<'u>, InvalidUrl> {
        match self.origin.as_ref().and_then(|origin| origin.usual_path_of(url)) {
            Some(path) => Target::of_path(path, reading.encoding),
            None => Target::of(url, reading.form, reading.encoding),
        }
    }
}

/// What decides for an origin.
#[derive(Clone, Copy)]
enum Wanted<S> {
    /// There is nothing to decide.
    Nothing(Answer),
    /// One policy for all crawlers: its record.
    One(S, u32),
    Panel(S),
}
