//! Two files, compared for all crawlers that either names.

use robotsieve::internals::RobotsInternals as _;
use robotsieve::{Crawler, Policy, Robots};
use robotsieve_known::{KnownCrawler, KnownCrawlers};
use robotsieve_lint::diff::{self, Difference, Limits, RecordChanges};
use robotsieve_shown::shown;

use super::document::{Compared, CrawlerDiff, DiffReport, InsteadOfFile, record_diffs};
use super::risks::Risks;
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
    has_risks: bool,
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
            has_risks: false,
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

    /// Compares for those of these crawlers, too, that ignore the group of `*`, if a side is an
    /// answer: that counts for them as well. Without effect beside [`Comparison::crawlers`].
    #[must_use]
    pub fn known(mut self, known: &'c KnownCrawlers) -> Comparison<'c, 'a> {
        self.known = Some(known);
        self
    }

    /// Reports what changes for these crawlers and for their purposes. A name in the files that is
    /// one of theirs is looked up as that crawler does it, which may obey the group of another one
    /// or ignore that of `*`. Without effect beside [`Comparison::crawlers`].
    #[must_use]
    pub fn risks(mut self, known: &'c KnownCrawlers) -> Comparison<'c, 'a> {
        self.has_risks = true;
        self.known(known)
    }

    /// Compares them.
    #[must_use]
    pub fn report(&self) -> DiffReport {
        let [old, new] = self.files;
        let mut asked = self.asked();
        let starless = self.look_up(&mut asked);
        let mut crawlers = diff::crawlers(old, new, asked.iter().cloned(), &self.limits);
        let mut records = diff::records(old, new, asked.iter().cloned(), &self.limits);
        let risks = self.add_known(&asked, &starless, &mut crawlers, &mut records);
        self.written(crawlers, &records, risks)
    }

    /// The old and the new policy of the crawlers of a part of the report, for further questions.
    #[must_use]
    pub fn policies(&self, same: &CrawlerDiff) -> [Policy; 2] {
        let name = same.names().next().unwrap_or_default();
        let mut asked = self.asked();
        asked.retain(|(other, _)| *other == name);
        {
            // One that the files do not name is there because it ignores the group of `*`.
            let unnamed = self.known.filter(|_| asked.is_empty());
            let unnamed = unnamed.and_then(|known| known.by_token(str::from_utf8(&name).ok()?));
            if let Some(known) = self.look_up(&mut asked).first().copied().or(unnamed) {
                return self.files.map(|file| known.verdicts(file));
            }
        }
        let crawler = asked.pop().map_or_else(|| Crawler::name(&name), |(_, crawler)| crawler);
        self.files.map(|file| file.policy_of(&file.groups().select(&crawler)))
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
        mut crawlers: Vec<Compared>,
        records: &[RecordChanges<Vec<u8>>],
        risks: Option<Risks>,
    ) -> DiffReport {
        // The severest first; the others in the order of the files.
        crawlers.sort_by_key(|same| {
            let whole = same.difference.flips().and_then(|flips| flips.whole_site);
            (whole.is_none(), whole)
        });
        let [(old_robots, old_robots_base64), (robots, robots_base64)] =
            self.names.map(|name| name.map(text).unzip());
        let crawlers: Vec<CrawlerDiff> =
            crawlers.iter().map(|same| CrawlerDiff::of(same, &self.answers)).collect();
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

impl DiffReport {
    /// Compares two files, which the caller calls these names, for these crawlers; without any, for
    /// all that either file names.
    #[must_use]
    pub fn new<'a>(
        names: [Option<&[u8]>; 2],
        old: &Robots<'a>,
        new: &Robots<'a>,
        crawlers: Option<Vec<(Vec<u8>, Crawler)>>,
        limits: &Limits,
    ) -> DiffReport {
        let comparison = Comparison::of(old, new).names(names).limits(*limits);
        match crawlers {
            Some(crawlers) => comparison.crawlers(crawlers).report(),
            None => comparison.report(),
        }
    }
}

impl<'c> Comparison<'c, '_> {
    /// Lets crawlers that are known look themselves up. Takes those out that ignore the group of
    /// `*`, and returns them.
    fn look_up(&self, asked: &mut Vec<Named>) -> Vec<&'c KnownCrawler> {
        let mut starless = Vec::new();
        let known = self.known.filter(|_| self.has_risks && self.crawlers.is_none());
        let Some(known) = known else { return starless };
        asked.retain_mut(|(name, crawler)| {
            let found = str::from_utf8(name).ok().and_then(|token| known.by_token(token));
            match found {
                Some(found) if !found.star => {
                    starless.push(found);
                    false
                }
                Some(found) => {
                    *crawler = found.crawler();
                    true
                }
                None => true,
            }
        });
        starless
    }

    /// Adds what changes for crawlers that ignore the group of `*`.
    fn add_known(
        &self,
        asked: &[Named],
        starless: &[&KnownCrawler],
        crawlers: &mut Vec<Compared>,
        records: &mut Vec<RecordChanges<Vec<u8>>>,
    ) -> Option<Risks> {
        let known = self.known.filter(|_| self.crawlers.is_none())?;
        for crawler in starless {
            records.extend(self.starless_records(crawler));
            let difference = self.starless(crawler);
            crawlers.push(Compared { crawlers: vec![token(crawler)], difference });
        }
        if self.answers.iter().any(Option::is_some) {
            let is_asked = |known: &KnownCrawler| {
                let same = |name: &[u8]| name.eq_ignore_ascii_case(known.token.as_bytes());
                asked.iter().any(|(name, _)| same(name))
                    || starless.iter().any(|known| same(known.token.as_bytes()))
            };
            let first = crawlers.len();
            for crawler in known.iter().filter(|crawler| !crawler.star && !is_asked(crawler)) {
                let difference = self.starless(crawler);
                if difference.is_equal() {
                    continue;
                }
                let alike = crawlers[first..].iter_mut().find(|one| one.difference == difference);
                match alike {
                    Some(alike) => alike.crawlers.push(token(crawler)),
                    None => crawlers.push(Compared { crawlers: vec![token(crawler)], difference }),
                }
            }
        }
        self.has_risks.then(|| Risks::of(self.files, known))
    }

    fn starless(&self, crawler: &KnownCrawler) -> Difference {
        let [old, new] = self.files.map(|file| crawler.policy(file));
        diff::policies(&old, &new, &self.limits)
    }

    /// The other records that changed for a crawler that ignores the group of `*`.
    fn starless_records(&self, known: &KnownCrawler) -> Vec<RecordChanges<Vec<u8>>> {
        let empty = Robots::parse(b"", self.files[0].profile());
        let [old, new] = self.files.map(|file| if known.is_named(file) { file } else { &empty });
        let mut records = diff::records(old, new, [(token(known), known.crawler())], &self.limits);
        // Those of no group are for all, and compared with all.
        records.retain(|changed| changed.crawlers.is_some());
        records
    }
}

fn token(known: &KnownCrawler) -> Vec<u8> {
    known.token.clone().into_bytes()
}
