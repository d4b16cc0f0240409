//! Answers for many URLs of many origins.
//!
//! An origin that is not in a cache costs a chain of fetches from memory: the line with its entry, the
//! record, and where the walk goes on. One by one, a question waits for all of them. Here runs of
//! URLs go through five steps in groups, and each step asks for the memory that the next one
//! reads. While that is on its way, groups before and behind take other steps, so memory is busy all
//! the time, and so is the processor:
//!
//! ```text
//! group 1   line   site   policy  panel  finish
//! group 2          line   site    policy panel  finish
//! group 3                 line    site   policy panel  finish
//! ```

use smallvec::SmallVec;

use super::layout::{Key, Policies};
use super::policy::{SitePolicy, unless_robots_txt};
use crate::as_url::AsUrl;
use crate::automaton::Begun;
use crate::origin::{Origin, Scheme, UsualOrigin};
use crate::policy::Reading;
use crate::policy::answers::{Answer, CrawlerId};
use crate::rules::target::{InvalidUrl, Target};
use crate::verdict::Verdict;

/// The runs of a group. As many as five groups have wait for memory at the same time, which is what
/// processors can take.
const RUNS: usize = 8;

/// The URLs of a group: so many fit into the nearest cache.
const MOST_URLS: usize = 64 * RUNS;

/// The policies of many origins, in steps.
pub(crate) trait SiteTable {
    /// What is known of an origin.
    type Site<'g>: Copy
    where
        Self: 'g;
    type Error;

    /// How an origin is looked up.
    fn key<'k>(&self, authority: &'k [u8], scheme: Scheme) -> Key<'k>;

    fn reading(&self) -> Reading;

    /// Prefetches the line where an origin is looked up.
    fn read_line_ahead(&self, key: &Key<'_>);

    /// The site of an origin.
    fn site<'g>(&'g self, key: &Key<'_>) -> Result<Option<Self::Site<'g>>, Self::Error>;

    /// The verdict on every URL, for every crawler, if it is always the same.
    fn always(&self, site: Self::Site<'_>) -> Option<Verdict>;

    /// Prefetches the record that a site leads to.
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
/// walk. Of a site that nothing is known of, an invalid URL is [`Answer::Unknown`] too.
#[inline]
pub(crate) fn ask<'g, T: SiteTable>(
    table: &'g T,
    site: T::Site<'g>,
    target: Result<Target<'_>, InvalidUrl>,
    crawlers: impl Iterator<Item = CrawlerId>,
    answers: &mut [Answer],
) -> Result<(), T::Error> {
    let Ok(target) = &target else {
        let known = table.always(site).is_some() || table.policies(site)?.is_some();
        answers.fill(if known { Answer::Invalid } else { Answer::Unknown });
        return Ok(());
    };
    if let Some(verdict) = table.always(site) {
        answers.fill(unless_robots_txt(verdict, target, table.reading()).into());
        return Ok(());
    }
    let answer = |record| Ok(table.policy(site, record)?.own_verdict(target).into());
    match table.policies(site)? {
        None => answers.fill(Answer::Unknown),
        Some(Policies::One(record)) => answers.fill(answer(record)?),
        Some(Policies::Panel(panel)) => {
            let mut known: SmallVec<[(u32, Answer); 8]> = SmallVec::new();
            for (crawler, wanted) in crawlers.zip(answers) {
                let record = panel.record(crawler.place());
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
    /// The answer if the origin is not there, or if there is none. For one that is known as
    /// [`SiteKind::Unknown`](crate::SiteKind::Unknown) it is [`Answer::Unknown`].
    pub otherwise: Answer,
    /// The number of the first URL behind them: that of their first one, plus how many they are.
    pub end: usize,
}

/// Writes a row of answers for each URL: one for each of these crawlers. [`Answer::Invalid`] for
/// what has no origin, [`Answer::Unknown`] for what nothing is known of or where a fault is, each
/// of which `fault` is told.
///
/// # Panics
/// Panics unless there is room for as many answers.
pub(crate) fn answers<T: SiteTable, U: AsUrl>(
    table: &T,
    urls: &[U],
    crawlers: &[CrawlerId],
    answers: &mut [Answer],
    fault: impl FnMut(T::Error),
) {
    let mut next = 0;
    Steps::new(table, urls, crawlers, answers, fault)
        .take(|steps, group| steps.fill_group(&mut next, group));
}

/// The same for URLs whose origins are known, in runs.
///
/// # Panics
/// Panics unless there is room for as many answers, or if the runs do not cover the URLs.
pub(crate) fn answers_for<T: SiteTable, U: AsUrl>(
    table: &T,
    given: &[UrlRun<'_>],
    urls: &[U],
    crawlers: &[CrawlerId],
    answers: &mut [Answer],
    fault: impl FnMut(T::Error),
) {
    assert_eq!(given.last().map_or(0, |run| run.end), urls.len(), "each URL is in a run");
    let (mut left, mut from) = (given, 0);
    Steps::new(table, urls, crawlers, answers, fault).take(|_, group| {
        let (some, others) = left.split_at(RUNS.min(left.len()));
        for run in some {
            group.push(Run::of(table, run, from));
            from = run.end;
        }
        left = others;
        !left.is_empty()
    });
}

/// URLs of one origin that follow one another, as they are looked up.
#[derive(Clone, Copy)]
struct Run<'k> {
    /// `None` if there is no origin.
    key: Option<Key<'k>>,
    /// The answer if nothing is known of it.
    otherwise: Answer,
    /// If all URLs begin with the same bytes, as usual: how many these are. Otherwise 0.
    path_at: usize,
    /// The number of the first URL, and of the first behind them.
    from: usize,
    end: usize,
}

impl<'k> Run<'k> {
    /// Looks up the origin of a run, of which the first URL has the number `from`.
    fn of<T: SiteTable>(table: &T, run: &'k UrlRun<'_>, from: usize) -> Run<'k> {
        let key = run.origin.as_ref().map(|origin| {
            let key = table.key(origin.authority().as_bytes(), origin.scheme());
            table.read_line_ahead(&key);
            key
        });
        Run { key, otherwise: run.otherwise, path_at: 0, from, end: run.end }
    }

    /// The target of one of its URLs.
    #[inline(always)]
    fn target<'u, U: AsUrl>(&self, url: &'u U, reading: Reading) -> Result<Target<'u>, InvalidUrl> {
        let path = match self.path_at {
            0 => url.known_path(),
            at => url.as_url().get(at..).filter(|path| path.first() == Some(&b'/')),
        };
        match path {
            Some(path) => Target::of_path(path, reading.encoding),
            None => Target::of(url.as_url(), reading.form, reading.encoding),
        }
    }
}

/// Runs that take the steps together.
struct Group<'s, T: SiteTable + 's> {
    slots: [Slot<'s, T::Site<'s>>; RUNS],
    /// How many of them are in use.
    len: usize,
    /// Walks that wait for memory, each with the number of its URL.
    walks: [Option<(usize, Begun<'s>)>; RUNS],
    /// How many of them do.
    walking: usize,
}

/// A run, and how far it is.
#[derive(Clone, Copy)]
struct Slot<'s, S> {
    run: Run<'s>,
    next: Next<S>,
}

/// What is to be done with a run.
#[derive(Clone, Copy)]
enum Next<S> {
    /// To look up its site.
    LookUp,
    /// To ask the site's policy.
    Ask(S),
    /// To ask the policy that a panel led to.
    AskRecord(S, u32),
    /// To ask all policies of a panel.
    AskAll(S),
    /// Nothing, but to finish a walk that may have begun.
    Done,
}

impl<T: SiteTable> Default for Group<'_, T> {
    fn default() -> Self {
        let run = Run { key: None, otherwise: Answer::Unknown, path_at: 0, from: 0, end: 0 };
        let slots = [Slot { run, next: Next::Done }; RUNS];
        Group { slots, len: 0, walks: [None; RUNS], walking: 0 }
    }
}

impl<'s, T: SiteTable> Group<'s, T> {
    #[inline(always)]
    fn push(&mut self, run: Run<'s>) {
        self.slots[self.len] = Slot { run, next: Next::LookUp };
        self.len += 1;
    }

    #[inline(always)]
    fn used(&mut self) -> &mut [Slot<'s, T::Site<'s>>] {
        &mut self.slots[..self.len]
    }
}

/// The steps, and what they have in common.
struct Steps<'s, 'a, T, U, F> {
    table: &'s T,
    urls: &'s [U],
    crawlers: &'s [CrawlerId],
    reading: Reading,
    answers: &'a mut [Answer],
    fault: F,
}

impl<'s, 'a, T: SiteTable, U: AsUrl, F: FnMut(T::Error)> Steps<'s, 'a, T, U, F> {
    fn new(
        table: &'s T,
        urls: &'s [U],
        crawlers: &'s [CrawlerId],
        answers: &'a mut [Answer],
        fault: F,
    ) -> Self {
        let wanted = urls.len() * crawlers.len();
        assert_eq!(answers.len(), wanted, "an answer for each URL and crawler");
        Steps { table, urls, crawlers, reading: table.reading(), answers, fault }
    }

    /// Takes all runs through the steps. `next` puts the next ones into an empty group, and asks for
    /// their lines: the first step. It returns false if there are none left; if there are, the group
    /// may be empty nevertheless.
    #[inline]
    fn take(&mut self, mut next: impl FnMut(&mut Self, &mut Group<'s, T>) -> bool) {
        if self.crawlers.is_empty() {
            return;
        }
        const STEPS: usize = 5;
        let mut groups: [Group<'s, T>; STEPS] = std::array::from_fn(|_| Group::default());
        // How often the steps are taken until the newest group is finished.
        let (mut newest, mut left) = (0, STEPS);
        while left > 0 {
            let older = |by: usize| (newest + STEPS - by) % STEPS;
            self.finish(&mut groups[older(4)]);
            self.panel(&mut groups[older(3)]);
            self.policy(&mut groups[older(2)]);
            self.site(&mut groups[older(1)]);
            left = if next(self, &mut groups[newest]) { STEPS } else { left - 1 };
            newest = (newest + 1) % STEPS;
        }
    }

    /// Puts runs into a group, from the URL with the number `next` on, and asks for their lines.
    /// Answers for what has an unusual origin. Returns false if no URLs are left.
    #[inline]
    fn fill_group(&mut self, next: &mut usize, group: &mut Group<'s, T>) -> bool {
        let mut last: Option<UsualOrigin<'s>> = None;
        let most = self.urls.len().min(*next + MOST_URLS);
        while *next < most {
            let url = self.urls[*next].as_url();
            if let (Some(last), Some(Slot { run, .. })) = (last, group.used().last_mut())
                && last.is_of(url)
            {
                *next += 1;
                run.end = *next;
                continue;
            }
            if group.len == RUNS {
                break;
            }
            last = UsualOrigin::of(url);
            let Some(origin) = last else {
                *next = self.unusual(*next);
                continue;
            };
            let key = self.table.key(origin.authority(), origin.scheme());
            self.table.read_line_ahead(&key);
            let path_at = if origin.scheme() == Scheme::Ftp { 0 } else { origin.key().len() };
            let (from, end) = (*next, *next + 1);
            let (key, otherwise) = (Some(key), Answer::Unknown);
            group.push(Run { key, otherwise, path_at, from, end });
            *next = end;
        }
        *next < self.urls.len()
    }

    /// Answers for a URL with an unusual origin, and for those of the origin that follow. Returns the
    /// number of the first URL behind them.
    #[cold]
    fn unusual(&mut self, from: usize) -> usize {
        let origin = Origin::of(self.urls[from].as_url()).ok();
        let of_origin = |url: &&U| origin.as_ref().is_some_and(|o| o.is_of(url.as_url()));
        let end = from + 1 + self.urls[from + 1..].iter().take_while(of_origin).count();
        let otherwise = if origin.is_some() { Answer::Unknown } else { Answer::Invalid };
        let given = UrlRun { origin, otherwise, end };
        let run = Run::of(self.table, &given, from);
        let found = match &run.key {
            Some(key) => self.table.site(key),
            None => Ok(None),
        };
        match found {
            Ok(Some(site)) => self.ask_all(&run, site),
            Ok(None) => self.answer(&run, otherwise),
            Err(error) => self.fail(&run, error),
        };
        end
    }

    /// Finds the sites of a group, and asks for the records that they lead to.
    #[inline]
    fn site(&mut self, group: &mut Group<'s, T>) {
        for Slot { run, next } in group.used() {
            let found = match &run.key {
                Some(key) => self.table.site(key),
                None => Ok(None),
            };
            *next = match found {
                Ok(Some(site)) => {
                    self.table.read_site_ahead(site);
                    Next::Ask(site)
                }
                Ok(None) => self.answer(run, run.otherwise),
                Err(error) => self.fail(run, error),
            };
        }
    }

    /// Begins the walks of a group's sites, or finds out that panels lead to their policies.
    #[inline]
    fn policy(&mut self, group: &mut Group<'s, T>) {
        let Group { slots, len, walks, walking } = group;
        for Slot { run, next } in &mut slots[..*len] {
            let Next::Ask(site) = *next else { continue };
            if let Some(verdict) = self.table.always(site) {
                *next = self.always(run, verdict);
                continue;
            }
            *next = match (self.table.policies(site), self.crawlers) {
                // It has an answer, and nobody knows which.
                (Ok(None), _) => self.answer(run, Answer::Unknown),
                (Ok(Some(Policies::One(record))), _) => {
                    self.begin(run, site, record, walks, walking)
                }
                (Ok(Some(Policies::Panel(panel))), [crawler]) => {
                    let record = panel.record(crawler.place());
                    self.table.read_policy_ahead(site, record);
                    Next::AskRecord(site, record)
                }
                (Ok(Some(Policies::Panel(panel))), _) => {
                    for record in panel.records().take(4) {
                        self.table.read_policy_ahead(site, record);
                    }
                    Next::AskAll(site)
                }
                (Err(error), _) => self.fail(run, error),
            };
        }
    }

    /// Does the same for the policies that panels led to.
    #[inline]
    fn panel(&mut self, group: &mut Group<'s, T>) {
        let Group { slots, len, walks, walking } = group;
        for Slot { run, next } in &mut slots[..*len] {
            *next = match *next {
                Next::AskRecord(site, record) => self.begin(run, site, record, walks, walking),
                Next::AskAll(site) => self.ask_all(run, site),
                _ => continue,
            };
        }
    }

    /// Ends the walks of a group, and empties it.
    #[inline]
    fn finish(&mut self, group: &mut Group<'s, T>) {
        for (number, begun) in group.walks[..group.walking].iter().flatten() {
            let target = Target::of_unended(begun.haystack(), self.reading.encoding);
            self.set_verdict(*number, begun.finish(), &target);
        }
        (group.len, group.walking) = (0, 0);
    }

    /// The answers for a URL.
    #[inline]
    fn row(&mut self, number: usize) -> &mut [Answer] {
        &mut self.answers[number * self.crawlers.len()..][..self.crawlers.len()]
    }

    /// The same answer for all crawlers.
    #[inline]
    fn set(&mut self, number: usize, answer: Answer) {
        match self.crawlers.len() {
            // A call to fill one byte would cost more than the rest.
            1 => self.answers[number] = answer,
            _ => self.row(number).fill(answer),
        }
    }

    /// The answer for a URL by a verdict on its target.
    #[inline(always)]
    fn set_verdict(&mut self, number: usize, verdict: Verdict, target: &Target<'_>) {
        self.set(number, unless_robots_txt(verdict, target, self.reading).into());
    }

    /// The same answer for all URLs of a run.
    #[inline]
    fn answer(&mut self, run: &Run<'_>, answer: Answer) -> Next<T::Site<'s>> {
        let crawlers = self.crawlers.len();
        self.answers[run.from * crawlers..run.end * crawlers].fill(answer);
        Next::Done
    }

    #[cold]
    fn fail(&mut self, run: &Run<'_>, error: T::Error) -> Next<T::Site<'s>> {
        (self.fault)(error);
        self.answer(run, Answer::Unknown)
    }

    /// Answers for a run where the verdict is always the same.
    #[inline]
    fn always(&mut self, run: &Run<'_>, verdict: Verdict) -> Next<T::Site<'s>> {
        for number in run.from..run.end {
            match run.target(&self.urls[number], self.reading) {
                Ok(target) => self.set_verdict(number, verdict, &target),
                Err(_) => self.set(number, Answer::Invalid),
            }
        }
        Next::Done
    }

    /// Begins the walk of a run's first URL, which may wait for memory, and answers the others: what
    /// their walks need was just read.
    #[inline(always)]
    fn begin(
        &mut self,
        run: &Run<'_>,
        site: T::Site<'s>,
        record: u32,
        walks: &mut [Option<(usize, Begun<'s>)>; RUNS],
        walking: &mut usize,
    ) -> Next<T::Site<'s>> {
        let policy = match self.table.policy(site, record) {
            Ok(policy) => policy,
            Err(error) => return self.fail(run, error),
        };
        let Some(table) = policy.table() else {
            return self.ask_policy(run, run.from, site, record);
        };
        let number = run.from;
        match run.target(&self.urls[number], self.reading) {
            Ok(target) => {
                // Half of the walks end here, and nobody knows which. So each is stored and answered, and
                // what is counted or written again decides, not a branch.
                let begun = table.begin(target.unended());
                walks[*walking] = Some((number, begun));
                *walking += usize::from(begun.verdict().is_none());
                let verdict = begun.verdict().unwrap_or(Verdict::Allow);
                self.set_verdict(number, verdict, &target);
            }
            Err(_) => self.set(number, Answer::Invalid),
        }
        if run.end - run.from > 1 {
            return self.ask_policy(run, run.from + 1, site, record);
        }
        Next::Done
    }

    /// Answers for the URLs of a run from one on.
    #[inline(never)]
    fn ask_policy(
        &mut self,
        run: &Run<'_>,
        from: usize,
        site: T::Site<'s>,
        record: u32,
    ) -> Next<T::Site<'s>> {
        let policy = match self.table.policy(site, record) {
            Ok(policy) => policy,
            Err(error) => return self.fail(run, error),
        };
        for number in from..run.end {
            match (run.target(&self.urls[number], self.reading), policy.table()) {
                (Ok(target), Some(table)) => {
                    self.set_verdict(number, table.verdict(target.unended()), &target);
                }
                (Ok(target), None) => self.set(number, policy.own_verdict(&target).into()),
                (Err(_), _) => self.set(number, Answer::Invalid),
            }
        }
        Next::Done
    }

    /// Answers for a run whose crawlers do not all have the same policy, or that is taken alone.
    fn ask_all(&mut self, run: &Run<'_>, site: T::Site<'s>) -> Next<T::Site<'s>> {
        for number in run.from..run.end {
            let target = run.target(&self.urls[number], self.reading);
            let crawlers = self.crawlers.iter().copied();
            let table = self.table;
            if let Err(error) = ask(table, site, target, crawlers, self.row(number)) {
                self.row(number).fill(Answer::Unknown);
                (self.fault)(error);
            }
        }
        Next::Done
    }
}
