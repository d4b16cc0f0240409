//! Two files, compared for all crawlers that either names.

use robotsieve::internals::RobotsInternals as _;
use robotsieve::{Crawler, Policy, Robots};
use robotsieve_known::KnownCrawlers;
use robotsieve_lint::diff::{self, Limits, RecordChanges};
use robotsieve_shown::shown;

use super::document::{Compared, CrawlerDiff, DiffReport, InsteadOfFile, record_diffs};
use super::risks::Risks;
use super::subjects::{Changes, Same, Subject, add_known};
use crate::{Sentence, text};

/// A crawler, with its name in the report.
type Named = (Vec<u8>, Crawler);

/// A comparison of two files.
///
/// ```
/// use robotsieve_report::Comparison;
/// use robotsieve::{Profile, Robots};
///
/// let old = Robots::parse(b"User-agent: *\nDisallow: /x", &Profile::RFC9309);
/// let new = Robots::parse(b"User-agent: *\nDisallow: /", &Profile::RFC9309);
/// let report = Comparison::of(&old, &new).report();
/// assert_eq!(report.sentences[0].text, "the whole site is closed now for * (any other crawler)");
/// assert_eq!(report.summary(), "change: 1 of 1 crawlers");
/// ```
#[derive(Clone, Debug)]
pub struct Comparison<'c, 'a> {
    files: [&'c Robots<'a>; 2],
    names: [Option<&'c [u8]>; 2],
    answers: [Option<InsteadOfFile>; 2],
    crawlers: Option<Vec<Named>>,
    limits: Limits,
    known: Option<&'c KnownCrawlers>,
    by_operators: bool,
}

impl<'c, 'a> Comparison<'c, 'a> {
    /// Compares two files for all crawlers that either names, and for all others.
    #[must_use]
    pub fn of(old: &'c Robots<'a>, new: &'c Robots<'a>) -> Comparison<'c, 'a> {
        Comparison {
            files: [old, new],
            names: [None; 2],
            answers: [None, None],
            crawlers: None,
            limits: Limits::default(),
            known: None,
            by_operators: false,
        }
    }

    /// Sets what the caller calls the old file and the new one.
    #[must_use]
    pub fn names(mut self, names: [Option<&'c [u8]>; 2]) -> Comparison<'c, 'a> {
        self.names = names;
        self
    }

    /// Sets what the URLs of the two files answered, where that is no file: the rules of that side
    /// stand for the answer.
    #[must_use]
    pub fn answers(mut self, answers: [Option<InsteadOfFile>; 2]) -> Comparison<'c, 'a> {
        self.answers = answers;
        self
    }

    /// Compares for these crawlers only, each with its name in the report.
    #[must_use]
    pub fn crawlers(mut self, crawlers: Vec<(Vec<u8>, Crawler)>) -> Comparison<'c, 'a> {
        self.crawlers = Some(crawlers);
        self
    }

    /// Sets how much work it may take, and how much it reports.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Comparison<'c, 'a> {
        self.limits = limits;
        self
    }

    /// Compares for these crawlers, too, and reports what changes for their purposes. A name in the
    /// files that is one of theirs is looked up as that crawler does it, which may obey the group of
    /// another one or ignore that of `*`. Those that the files do not name are listed if something
    /// else changes for them than for the others. Without effect beside [`Comparison::crawlers`].
    #[must_use]
    pub fn risks(mut self, known: &'c KnownCrawlers) -> Comparison<'c, 'a> {
        self.known = Some(known);
        self
    }

    /// Lets the known crawlers read both files as their operators do, where that is known and changes
    /// something else. Without effect unless the [risks](Comparison::risks) are asked for.
    #[must_use]
    pub fn by_operators(mut self) -> Comparison<'c, 'a> {
        self.by_operators = true;
        self
    }

    /// Compares them.
    #[must_use]
    pub fn report(&self) -> DiffReport {
        let subjects = self.subjects();
        let mut changes = Changes::of(self.files, &subjects, &self.limits);
        if self.by_operators {
            changes.by_operators(self.files, &self.limits);
        }
        let known = self.known().is_some();
        let risks = known.then(|| Risks::of(changes.of_known()));
        self.written(&subjects, changes.told(), risks)
    }

    /// The old and the new policy of the crawlers of a part of the report, for further questions. They
    /// read targets in the part's [profile](CrawlerDiff::own_profile).
    #[must_use]
    pub fn policies(&self, same: &CrawlerDiff) -> [Policy; 2] {
        let name = same.names().next().unwrap_or_default();
        let asked = self.asked().into_iter().find(|(other, _)| *other == name);
        let crawler = asked.map_or_else(|| Crawler::name(&name), |(_, crawler)| crawler);
        let subject = Subject::asked(name, crawler, self.known());
        self.files.map(|file| subject.policy(file, same.own_profile))
    }

    /// The known crawlers, if they count.
    fn known(&self) -> Option<&'c KnownCrawlers> {
        self.known.filter(|_| self.crawlers.is_none())
    }

    fn subjects(&self) -> Vec<Subject<'c>> {
        let known = self.known();
        let asked = self.asked().into_iter();
        let mut subjects: Vec<Subject<'c>> =
            asked.map(|(name, crawler)| Subject::asked(name, crawler, known)).collect();
        if let Some(known) = known {
            add_known(&mut subjects, known);
        }
        subjects
    }

    /// The crawlers to compare for. What stands for an answer names nobody.
    fn asked(&self) -> Vec<Named> {
        if let Some(crawlers) = &self.crawlers {
            return crawlers.clone();
        }
        let empty = Robots::parse(b"", self.files[0].profile());
        let [old, new] = [0, 1].map(|side: usize| match &self.answers[side] {
            Some(_) => &empty,
            None => self.files[side],
        });
        let named = diff::named_crawlers(old, new).into_iter();
        named.map(|(token, crawler)| (token.to_vec(), crawler)).collect()
    }

    fn written(
        &self,
        subjects: &[Subject<'_>],
        mut changes: Vec<Same>,
        risks: Option<Risks>,
    ) -> DiffReport {
        // The severest first; the others in the order of the files.
        changes.sort_by_key(|same| {
            let whole = same.difference.flips().and_then(|flips| flips.whole_site);
            (whole.is_none(), whole)
        });
        let [(old_robots, old_robots_base64), (robots, robots_base64)] =
            self.names.map(|name| name.map(text).unzip());
        let crawlers = changes.into_iter().map(|same| {
            let name = |at: &usize| subjects[*at].name.clone();
            let crawlers = same.subjects.iter().map(name).collect();
            let compared = Compared { crawlers, difference: same.difference };
            let own_profile = same.own_profile;
            CrawlerDiff { own_profile, ..CrawlerDiff::of(&compared, &self.answers) }
        });
        let crawlers: Vec<CrawlerDiff> = crawlers.collect();
        let records = self.records(subjects);
        let of_answers = ["old", "new"].into_iter().zip(&self.answers);
        let of_answers = of_answers.filter_map(|(side, answer)| {
            let InsteadOfFile { url, answer, why, .. } = answer.as_ref()?;
            Some(shown(format!("{side}: {url}: {answer}: {why}").as_bytes()))
        });
        let of_sites = crawlers.iter().filter_map(|same| {
            let headline = same.headline.as_ref()?;
            Some(format!("{headline} for {}", same.label))
        });
        let sentences: Vec<String> = of_answers.chain(of_sites).collect();
        let [old, new] = self.files;
        let is_answered = self.answers.iter().any(Option::is_some);
        let [old_answer, new_answer] = self.answers.clone();
        let mut report = DiffReport {
            robots,
            robots_base64: robots_base64.flatten(),
            old_robots,
            old_robots_base64: old_robots_base64.flatten(),
            profile: new.profile().name().filter(|_| old.profile() == new.profile()),
            text_differs: is_answered || old.groups().file() != new.groups().file(),
            old_answer,
            new_answer,
            crawlers,
            records: records.iter().flat_map(record_diffs).collect(),
            risks,
            are_named: self.crawlers.is_some(),
            ..DiffReport::empty()
        };
        let sentences = sentences.into_iter().map(|text| Sentence::new(text, None));
        // The last one is for the result.
        report.sentences.splice(..0, sentences);
        report.sum_up();
        report
    }
}

impl Comparison<'_, '_> {
    /// The other records that changed, for those that are asked for.
    fn records(&self, subjects: &[Subject<'_>]) -> Vec<RecordChanges<Vec<u8>>> {
        let [old, new] = self.files;
        let named = |subject: &Subject<'_>| (subject.name.clone(), subject.crawler.clone());
        let asked = || subjects.iter().filter(|subject| subject.is_asked);
        let others = asked().filter(|subject| subject.obeys_star()).map(named);
        let mut records = diff::records(old, new, others, &self.limits);
        let empty = Robots::parse(b"", old.profile());
        for subject in asked().filter(|subject| !subject.obeys_star()) {
            let [old, new] = self.files.map(|file| if subject.heeds(file) { file } else { &empty });
            let of_it = diff::records(old, new, [named(subject)], &self.limits);
            // Those of no group are for all, and compared with all.
            records.extend(of_it.into_iter().filter(|changed| changed.crawlers.is_some()));
        }
        records
    }
}
