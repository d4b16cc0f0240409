//! The crawlers that two files are compared for, and what changes for each.
//!
//! A known crawler looks itself up: it may obey the group of another one, or ignore that of `*`, and its
//! operator may read files in a profile of its own. So known crawlers that no file names are compared, too.

use std::collections::HashSet;

use robotsieve::internals::RobotsInternals as _;
use robotsieve::{Crawler, Policy, Profile, Robots};
use robotsieve_known::{KnownCrawler, KnownCrawlers, Operators};
use robotsieve_lint::diff::{self, Difference, Limits};

static EQUAL: Difference = Difference::Equal;

/// A crawler to compare for.
#[derive(Clone, Debug)]
pub(super) struct Subject<'k> {
    pub(super) name: Vec<u8>,
    pub(super) crawler: Crawler,
    /// Set if it looks itself up.
    pub(super) known: Option<&'k KnownCrawler>,
    /// True if the files name it, or the caller does.
    pub(super) is_asked: bool,
}

impl<'k> Subject<'k> {
    /// One that is asked for. If it is one of the known crawlers, it looks itself up.
    pub(super) fn asked(
        name: Vec<u8>,
        crawler: Crawler,
        known: Option<&'k KnownCrawlers>,
    ) -> Subject<'k> {
        let known = known.zip(str::from_utf8(&name).ok());
        let known = known.and_then(|(known, token)| known.by_token(token));
        let crawler = known.map_or(crawler, KnownCrawler::crawler);
        Subject { name, crawler, known, is_asked: true }
    }

    fn known(known: &'k KnownCrawler) -> Subject<'k> {
        let name = known.token.clone().into_bytes();
        Subject { name, crawler: known.crawler(), known: Some(known), is_asked: false }
    }

    /// False if it ignores the group of `*`.
    pub(super) fn obeys_star(&self) -> bool {
        self.known.is_none_or(|known| known.star)
    }

    /// False if a file says nothing to it, because it ignores the group of `*`.
    pub(super) fn heeds(&self, file: &Robots<'_>) -> bool {
        self.known.is_none_or(|known| known.star || known.is_named(file))
    }

    fn reads_in(&self, profile: &Profile) -> bool {
        self.known.is_some_and(|known| known.profile == Some(*profile))
    }

    /// Its policy for a file, which is read in this profile if it is another one.
    pub(super) fn policy(&self, file: &Robots<'_>, own: Option<Profile>) -> Policy {
        let Some(known) = self.known else {
            return file.policy_of(&file.groups().select(&self.crawler));
        };
        let operators = Operators::of(file.groups().file(), file.profile(), own.map(|_| known));
        known.verdicts(operators.robots(known, file))
    }
}

/// Adds the known crawlers that are not asked for: those first that most owners look for.
pub(super) fn add_known<'k>(subjects: &mut Vec<Subject<'k>>, known: &'k KnownCrawlers) {
    let asked = subjects.iter().filter_map(|subject| subject.known);
    let asked: HashSet<&str> = asked.map(|known| known.token.as_str()).collect();
    let mut others: Vec<&KnownCrawler> =
        known.iter().filter(|known| !asked.contains(known.token.as_str())).collect();
    others.sort_by_key(|known| KnownCrawlers::place(&known.token));
    subjects.extend(others.into_iter().map(Subject::known));
}

/// Crawlers, by their indexes, for which the same changed.
pub(super) struct Same {
    pub(super) subjects: Vec<usize>,
    pub(super) difference: Difference,
    /// The profile in which their operator reads the files, if that is another one and makes a difference.
    pub(super) own_profile: Option<Profile>,
}

/// The changes for some crawlers.
pub(super) struct Changes<'s, 'k> {
    subjects: &'s [Subject<'k>],
    all: Vec<Same>,
}

impl<'s, 'k> Changes<'s, 'k> {
    /// Compares two files for them, all in the profiles in which the files were read.
    pub(super) fn of(
        files: [&Robots<'_>; 2],
        subjects: &'s [Subject<'k>],
        limits: &Limits,
    ) -> Changes<'s, 'k> {
        Changes { subjects, all: compare(files, subjects, |_| true, limits) }
    }

    /// Compares the files as the operators of known crawlers read them, too. What they find counts for
    /// their crawlers, unless it is the same.
    pub(super) fn by_operators(&mut self, files: [&Robots<'_>; 2], limits: &Limits) {
        let known = || self.subjects.iter().filter_map(|subject| subject.known);
        let operators =
            files.map(|file| Operators::of(file.groups().file(), file.profile(), known()));
        let has_other_rules = |known| {
            let mut sides = operators.iter().zip(files);
            sides.any(|(operators, asked)| operators.differ(known, asked))
        };
        for (old, new) in operators[0].iter().zip(operators[1].iter()) {
            let own = *old.profile();
            let is_theirs = |subject: &Subject<'_>| subject.reads_in(&own);
            let mut theirs = compare([old, new], self.subjects, is_theirs, limits);
            for same in &mut theirs {
                same.own_profile = Some(own);
                same.subjects.retain(|at| {
                    let in_asked = self.difference(*at);
                    // With the same rules, the same changes may be on paths that are written otherwise.
                    match self.subjects[*at].known.is_some_and(has_other_rules) {
                        true => same.difference != *in_asked,
                        false => same.difference.is_equal() != in_asked.is_equal(),
                    }
                });
            }
            self.replace(theirs);
        }
    }

    fn replace(&mut self, theirs: Vec<Same>) {
        let moved: HashSet<usize> =
            theirs.iter().flat_map(|same| &same.subjects).copied().collect();
        self.all.iter_mut().for_each(|same| same.subjects.retain(|at| !moved.contains(at)));
        self.all.extend(theirs);
    }

    /// The change for a crawler.
    fn difference(&self, subject: usize) -> &Difference {
        let of_it = self.all.iter().find(|same| same.subjects.contains(&subject));
        of_it.map_or(&EQUAL, |same| &same.difference)
    }

    /// The changes for the known crawlers.
    pub(super) fn of_known(&self) -> Vec<(&'k KnownCrawler, &Difference)> {
        let known = self.subjects.iter().enumerate();
        known.filter_map(|(at, subject)| Some((subject.known?, self.difference(at)))).collect()
    }

    /// Those to report: for all that were asked for, and for known crawlers to which something else happens.
    pub(super) fn told(mut self) -> Vec<Same> {
        let is_asked = |at: &usize| self.subjects[*at].is_asked;
        for same in &mut self.all {
            let is_shared = same.own_profile.is_none() && same.subjects.iter().any(is_asked);
            if is_shared || same.difference.is_equal() {
                same.subjects.retain(is_asked);
            }
        }
        self.all.retain(|same| !same.subjects.is_empty());
        self.all
    }
}

/// Compares two files for some of these crawlers. Those that heed neither file are left out.
fn compare(
    [old, new]: [&Robots<'_>; 2],
    subjects: &[Subject<'_>],
    is_meant: impl Fn(&Subject<'_>) -> bool,
    limits: &Limits,
) -> Vec<Same> {
    let [no_old, no_new] = [old, new].map(|file| Robots::parse(b"", file.profile()));
    let mut all = Vec::new();
    for (heeds, old_file, new_file) in
        [([true; 2], old, new), ([true, false], old, &no_new), ([false, true], &no_old, new)]
    {
        let meant = subjects.iter().enumerate().filter(|(_, subject)| {
            is_meant(subject) && [subject.heeds(old), subject.heeds(new)] == heeds
        });
        let meant = meant.map(|(at, subject)| (at, subject.crawler.clone()));
        let compared = diff::crawlers(old_file, new_file, meant, limits).into_iter();
        all.extend(compared.map(|same| Same {
            subjects: same.crawlers,
            difference: same.difference,
            own_profile: None,
        }));
    }
    all
}
