//! The policies of many origins in memory.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use robotsieve::Answer;
use robotsieve::pack::PackError;

use crate::answers::{Answers, CrawlerAnswers, CrawlerVerdicts, Verdicts};
use crate::batch::{self, Judge};
use crate::crawler::{Crawler, crawlers_of};
use crate::crawlers;
use crate::errors::invalid_url;
use crate::origin::{Origin, origin_of};
use crate::pace::RequestRate;
use crate::policy::Decision;
use crate::settings::{Config, Profile, config_of, profile_of};
use crate::text::{Text, bytes_of};

/// The policies of some crawlers for many origins, made for URLs in random order.
///
/// >>> from robotsieve import PolicySet
/// >>> sites = PolicySet(["MyCrawler"])
/// >>> sites.add("https://example.com", "User-agent: *\nDisallow: /search")
/// >>> list(sites.verdicts(["https://example.com/search", "https://example.org/"]))
/// [False, None]
///
/// The verdict is null for a URL whose origin is not in the set; :meth:`answers` tells it from what
/// is not a URL. Origins with equal files share their policies. All threads may ask and change it.
///
/// Do not fork while other threads use it: the new process may then wait for them for ever.
///
/// It can't be pickled. Write a pack (:class:`PackWriter`): all processes share its memory.
#[pyclass(frozen, module = "robotsieve")]
pub struct PolicySet {
    set: RwLock<robotsieve::PolicySet>,
    pub crawlers: Vec<robotsieve::Crawler>,
    labels: Vec<String>,
    profile: robotsieve::Profile,
    keeps_rules: bool,
}

/// Larger files are parsed and compiled without the interpreter.
const BYTES_WORTH_DETACHING: usize = 512;

impl PolicySet {
    // Whoever holds the lock never waits for the interpreter, so neither waits for the other.
    fn read(&self) -> RwLockReadGuard<'_, robotsieve::PolicySet> {
        self.set.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, robotsieve::PolicySet> {
        self.set.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The place of a crawler, by its name; of the only one without a name.
    fn place(&self, crawler: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
        place_of(&self.labels, &self.crawlers, crawler)
    }

    /// Judges URLs for the crawler that was named; for all if none was.
    fn judge_one_or_all(
        &self,
        urls: &Bound<'_, PyAny>,
        crawler: Option<&Bound<'_, PyAny>>,
        threads: Option<isize>,
    ) -> PyResult<batch::Judged> {
        // Before anything is judged.
        let place = crawler.map(|crawler| self.place(Some(crawler))).transpose()?;
        let judged = batch::judge(self, urls, threads)?;
        Ok(match place {
            Some(place) => judged.column(place),
            None => judged,
        })
    }
}

/// The place of a crawler among those of a set or pack; of the only one if none is given.
pub fn place_of(
    labels: &[String],
    all: &[robotsieve::Crawler],
    crawler: Option<&Bound<'_, PyAny>>,
) -> PyResult<usize> {
    let Some(crawler) = crawler else {
        return match labels.len() {
            1 => Ok(0),
            _ => Err(PyValueError::new_err(format!("which crawler? one of {}", labels.join(", ")))),
        };
    };
    crawlers::place_of(labels, all, crawler, |crawler| {
        Ok(crawler.cast::<Crawler>().ok().map(|crawler| crawler.get().0.clone()))
    })
}

/// Verdicts for one crawler or for several.
#[derive(IntoPyObject)]
pub enum AnyVerdicts {
    One(Verdicts),
    Many(CrawlerVerdicts),
}

/// Answers for one crawler or for several.
#[derive(IntoPyObject)]
pub enum AnyAnswers {
    One(Answers),
    Many(CrawlerAnswers),
}

pub fn verdicts_of(judged: batch::Judged) -> AnyVerdicts {
    match judged.labels.len() {
        1 => AnyVerdicts::One(Verdicts::of(judged)),
        _ => AnyVerdicts::Many(CrawlerVerdicts::of(judged)),
    }
}

pub fn answers_of(judged: batch::Judged) -> AnyAnswers {
    match judged.labels.len() {
        1 => AnyAnswers::One(Answers::of(judged)),
        _ => AnyAnswers::Many(CrawlerAnswers::of(judged)),
    }
}

impl Judge for PolicySet {
    fn labels(&self) -> Vec<String> {
        self.labels.clone()
    }

    fn judge(&self, urls: &[&[u8]], answers: &mut [Answer]) -> Result<(), PackError> {
        self.read().answers(urls, answers);
        Ok(())
    }
}

#[pymethods]
impl PolicySet {
    #[new]
    #[pyo3(signature = (crawlers, profile = None, config = None))]
    fn new(
        crawlers: &Bound<'_, PyAny>,
        profile: Option<&Bound<'_, PyAny>>,
        config: Option<&Bound<'_, Config>>,
    ) -> PyResult<PolicySet> {
        let profile = profile_of(profile)?;
        let config = config_of(config);
        let crawlers = crawlers_of(crawlers, &profile)?;
        let labels = crawlers::distinct_labels(&crawlers)?;
        let set = robotsieve::PolicySet::new(&profile, &config, crawlers.iter().cloned());
        let keeps_rules = config.keep_rules;
        Ok(PolicySet { set: RwLock::new(set), crawlers, labels, profile, keeps_rules })
    }

    /// Sets the robots.txt of an origin, given by any of its URLs. Replaces what it had.
    ///
    /// A site without a robots.txt (the server says 404) has an empty one. Leave out sites whose
    /// robots.txt is not known. Scheme, host and port make an origin: ``http`` and ``https`` are two,
    /// with and without ``www.`` too.
    fn add(&self, origin: &Bound<'_, PyAny>, body: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = origin.py();
        let origin = origin_of(origin)?;
        let body = bytes_of(body, "body")?;
        match body.len() < BYTES_WORTH_DETACHING {
            true => self.write().insert(&origin, &body),
            false => py.detach(|| self.write().insert(&origin, &body)),
        }
        Ok(())
    }

    /// Removes an origin. Whether it was there.
    fn remove(&self, origin: &Bound<'_, PyAny>) -> PyResult<bool> {
        let origin = origin_of(origin)?;
        Ok(self.write().remove(&origin))
    }

    /// Whether the crawler may fetch this URL; ``None`` if its origin is not in the set.
    ///
    /// ``crawler`` is the name of one of the set's crawlers, and may be left out if there is one.
    /// Raises :class:`InvalidUrl` for what is not a URL of http, https or ftp.
    #[pyo3(signature = (url, /, crawler = None))]
    fn is_allowed(
        &self,
        url: &Bound<'_, PyAny>,
        crawler: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<bool>> {
        let place = self.place(crawler)?;
        let url = bytes_of(url, "url")?;
        let mut answers = vec![Answer::Unknown; self.labels.len()];
        self.read().answers(&[url.as_ref()], &mut answers);
        match answers[place] {
            Answer::Allow => Ok(Some(true)),
            Answer::Disallow => Ok(Some(false)),
            Answer::Unknown => Ok(None),
            Answer::Invalid => Err(not_judged(&url)),
        }
    }

    /// The verdict on a URL with the reason for it; ``None`` if its origin is not in the set.
    #[pyo3(signature = (url, /, crawler = None))]
    fn decide(
        &self,
        url: &Bound<'_, PyAny>,
        crawler: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Decision>> {
        let place = self.place(crawler)?;
        if !self.keeps_rules {
            return Ok(self.is_allowed(url, crawler)?.map(Decision::without_rules));
        }
        let origin = origin_of(url)?;
        let url = bytes_of(url, "url")?;
        let set = self.read();
        let Some(policies) = set.get(&origin).and_then(|site| site.policies()) else {
            return Ok(None);
        };
        let decision = policies.policy(place).decide(url.as_ref());
        decision
            .map(|decision| Some(Decision::of(decision)))
            .map_err(|error| invalid_url(error, &url))
    }

    /// The answer for each crawler: ``allow``, ``disallow``, ``invalid`` or ``unknown``.
    #[pyo3(signature = (url, /))]
    fn ask(&self, url: &Bound<'_, PyAny>) -> PyResult<batch::Named> {
        let url = bytes_of(url, "url")?;
        let mut answers = vec![Answer::Unknown; self.labels.len()];
        self.read().answers(&[url.as_ref()], &mut answers);
        Ok(batch::Named::new(&self.labels, &answers))
    }

    /// The verdicts on many URLs of any origins, as :meth:`Policy.verdicts`; null also if the origin is
    /// not in the set. For the only crawler, or for the one that is named; without a name and with several
    /// crawlers as :meth:`verdicts_by_crawler`.
    #[pyo3(signature = (urls, /, *, crawler = None, threads = 1))]
    fn verdicts(
        &self,
        urls: &Bound<'_, PyAny>,
        crawler: Option<&Bound<'_, PyAny>>,
        threads: Option<isize>,
    ) -> PyResult<AnyVerdicts> {
        self.judge_one_or_all(urls, crawler, threads).map(verdicts_of)
    }

    /// The verdicts for all crawlers, even if there is only one: an Arrow struct array, or table.
    #[pyo3(signature = (urls, /, *, threads = 1))]
    fn verdicts_by_crawler(
        &self,
        urls: &Bound<'_, PyAny>,
        threads: Option<isize>,
    ) -> PyResult<CrawlerVerdicts> {
        batch::judge(self, urls, threads).map(CrawlerVerdicts::of)
    }

    /// The answers for many URLs, in words: ``allow``, ``disallow``, ``invalid`` for what is not a URL of http,
    /// https or ftp, ``unknown`` for one whose origin is not in the set.
    #[pyo3(signature = (urls, /, *, crawler = None, threads = 1))]
    fn answers(
        &self,
        urls: &Bound<'_, PyAny>,
        crawler: Option<&Bound<'_, PyAny>>,
        threads: Option<isize>,
    ) -> PyResult<AnyAnswers> {
        self.judge_one_or_all(urls, crawler, threads).map(answers_of)
    }

    /// The answers for all crawlers, even if there is only one: an Arrow struct array, or table.
    #[pyo3(signature = (urls, /, *, threads = 1))]
    fn answers_by_crawler(
        &self,
        urls: &Bound<'_, PyAny>,
        threads: Option<isize>,
    ) -> PyResult<CrawlerAnswers> {
        batch::judge(self, urls, threads).map(CrawlerAnswers::of)
    }

    /// The crawl delay in seconds that an origin asks for; ``None`` if there is none.
    #[pyo3(signature = (origin, crawler = None))]
    fn crawl_delay(
        &self,
        origin: &Bound<'_, PyAny>,
        crawler: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<f64>> {
        let (place, origin) = (self.place(crawler)?, origin_of(origin)?);
        let pace = self.read().get(&origin).map(|site| site.pace(place));
        Ok(pace.and_then(|pace| pace.crawl_delay).map(|delay| delay.as_secs_f64()))
    }

    /// The request rate that an origin asks for; ``None`` if there is none.
    #[pyo3(signature = (origin, crawler = None))]
    fn request_rate(
        &self,
        origin: &Bound<'_, PyAny>,
        crawler: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<RequestRate>> {
        let (place, origin) = (self.place(crawler)?, origin_of(origin)?);
        let pace = self.read().get(&origin).map(|site| site.pace(place));
        Ok(pace.and_then(|pace| pace.request_rate).map(RequestRate::of))
    }

    /// The seconds to wait between the beginnings of two requests, by crawl delay and request rate;
    /// ``None`` if the origin asks for nothing or is not in the set.
    #[pyo3(signature = (origin, crawler = None))]
    fn min_interval(
        &self,
        origin: &Bound<'_, PyAny>,
        crawler: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<f64>> {
        let (place, origin) = (self.place(crawler)?, origin_of(origin)?);
        let pace = self.read().get(&origin).map(|site| site.pace(place));
        Ok(pace.and_then(|pace| pace.min_interval()).map(|time| time.as_secs_f64()))
    }

    /// The sitemaps of an origin, if the set's config says ``keep_sitemaps=True``.
    fn sitemaps(&self, origin: &Bound<'_, PyAny>) -> PyResult<Vec<Text>> {
        let origin = origin_of(origin)?;
        let set = self.read();
        let site = set.get(&origin);
        Ok(site.map_or_else(Vec::new, |site| site.sitemaps().map(Text::from).collect()))
    }

    /// The origins, in no particular order.
    fn origins(&self) -> Vec<Origin> {
        let set = self.read();
        let origins = set.iter().filter_map(|site| {
            let url = format!("{}://{}", site.scheme(), site.authority());
            robotsieve::Origin::of(&url).ok().map(|origin| Origin(origin.into_owned()))
        });
        origins.collect()
    }

    /// The crawlers that it is for.
    #[getter]
    fn crawlers(&self) -> Vec<Crawler> {
        self.crawlers.iter().cloned().map(Crawler).collect()
    }

    /// How files are read.
    #[getter]
    fn profile(&self) -> Profile {
        Profile(self.profile)
    }

    /// The number of different files the origins have.
    #[getter]
    fn file_count(&self) -> usize {
        self.read().file_count()
    }

    /// The number of different policies they have.
    #[getter]
    fn policy_count(&self) -> usize {
        self.read().policy_count()
    }

    /// The bytes of memory that it occupies.
    #[getter]
    fn memory_usage(&self) -> usize {
        self.read().memory_usage()
    }

    /// The number of origins it has.
    fn __len__(&self) -> usize {
        self.read().len()
    }

    /// Whether the origin of a URL is in the set.
    fn __contains__(&self, origin: &Bound<'_, PyAny>) -> PyResult<bool> {
        let origin = origin_of(origin)?;
        Ok(self.read().get(&origin).is_some())
    }

    fn __repr__(&self) -> String {
        format!(
            "<robotsieve.PolicySet of {} origins for {}>",
            self.__len__(),
            self.labels.join(", ")
        )
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a PolicySet can't be pickled: write a pack with PackWriter, and pass its path or the Pack",
        ))
    }
}

/// What is not a URL with an origin.
pub fn not_judged(url: &[u8]) -> PyErr {
    match robotsieve::Origin::of(url) {
        Err(error) => crate::errors::invalid_origin(&error, url),
        Ok(_) => crate::errors::InvalidUrl::new_err("neither a URL nor a path that begins with /"),
    }
}
