//! The policies of many origins in memory.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use robotsieve::pack::PackError;
use robotsieve::{Answer, CrawlerId, SiteKind, SiteRules};

use crate::bulk::{self, Crawlers, Policies, ids_of, place_of};
use crate::crawler::{Crawler, crawlers_of};
use crate::crawlers;
use crate::decision::Decision;
use crate::decisions::{Decide, Said};
use crate::file::body_of;
use crate::origin::{Origin, origin_of};
use crate::pace::RequestRate;
use crate::settings::{Config, Profile, config_of, profile_name, profile_of};
use crate::text::Text;

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
#[pyclass(frozen, extends = Policies, module = "robotsieve")]
pub struct PolicySet {
    set: RwLock<robotsieve::PolicySet>,
    pub crawlers: Vec<robotsieve::Crawler>,
    labels: Vec<String>,
    profile: robotsieve::Profile,
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
}

impl Decide for PolicySet {
    // Between two calls others may change it.
    fn rules_stay(&self) -> bool {
        false
    }

    fn decide(
        &self,
        urls: &[&[u8]],
        places: &[usize],
        say: &mut dyn FnMut(usize, usize, Said<'_>),
    ) -> Result<(), PackError> {
        let set = self.read();
        let mut answers = vec![Answer::Unknown; self.labels.len()];
        for (number, url) in urls.iter().enumerate() {
            // A site that is there and of which nothing is known is as one that is not there.
            let known = |site: &robotsieve::SetSite<'_>| site.kind() != SiteKind::Unknown;
            let site = robotsieve::Origin::of(url).map(|origin| set.get(&origin).filter(known));
            let kind = site.ok().flatten().map_or(SiteKind::Unknown, |site| site.kind());
            let policies = site.ok().flatten().and_then(|site| site.policies());
            if let (Ok(Some(site)), None) = (site, policies) {
                site.ask_into(url, &mut answers);
            }
            for (column, place) in places.iter().enumerate() {
                let said = match (site, policies) {
                    (Err(_), _) => Said::Invalid,
                    (Ok(None), _) => Said::Unknown,
                    (Ok(Some(_)), Some(policies)) => Said::by(policies.policy(*place), url, kind),
                    (Ok(Some(_)), None) => match answers[*place] {
                        Answer::Invalid => Said::Invalid,
                        answer => Said::Answered(answer, kind),
                    },
                };
                say(number, column, said);
            }
        }
        Ok(())
    }
}

impl Crawlers for PolicySet {
    fn of<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<&'a dyn Crawlers> {
        Ok(object.cast::<PolicySet>()?.get())
    }

    fn labels(&self) -> &[String] {
        &self.labels
    }

    fn crawlers(&self) -> &[robotsieve::Crawler] {
        &self.crawlers
    }

    fn profile_shown(&self) -> String {
        profile_name(&self.profile).to_owned()
    }

    fn answers(
        &self,
        urls: &[&[u8]],
        places: &[usize],
        answers: &mut [Answer],
    ) -> Result<(), PackError> {
        self.read().answers_into(urls, &ids_of(places), answers);
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
    ) -> PyResult<PyClassInitializer<PolicySet>> {
        let profile = profile_of(profile)?;
        let config = config_of(config);
        let crawlers = crawlers_of(crawlers, &profile)?;
        let labels = crawlers::distinct_labels(&crawlers)?;
        let set = robotsieve::PolicySet::new(&profile, &config, crawlers.iter().cloned());
        let set = RwLock::new(set);
        Ok(Policies::under(PolicySet { set, crawlers, labels, profile }))
    }

    /// Sets the robots.txt of an origin, given by any of its URLs. Replaces what it had.
    ///
    /// Instead of a body, ``outcome`` says what the site's answer means, as for :meth:`PackWriter.add`:
    /// ``"allow-all"`` if it has no robots.txt (404), ``"disallow-all"`` if all is forbidden (by RFC 9309, if the
    /// server can't be reached or fails with 5xx), ``"unknown"`` if nothing is known. Scheme, host and port make
    /// an origin: ``http`` and ``https`` are two, with and without ``www.`` too.
    #[pyo3(signature = (origin, body = None, *, outcome = None))]
    fn add(
        &self,
        origin: &Bound<'_, PyAny>,
        body: Option<&Bound<'_, PyAny>>,
        outcome: Option<&str>,
    ) -> PyResult<()> {
        let py = origin.py();
        let origin = origin_of(origin)?;
        match given(body, outcome)? {
            SiteRules::Rules(body) => {
                let body = body_of(body, "body")?;
                match body.len() < BYTES_WORTH_DETACHING {
                    true => self.write().insert(&origin, &body),
                    false => py.detach(|| self.write().insert(&origin, &body)),
                }
            }
            SiteRules::AllowAll => self.write().insert(&origin, SiteRules::AllowAll),
            SiteRules::DisallowAll => self.write().insert(&origin, SiteRules::DisallowAll),
            SiteRules::Unknown => self.write().insert(&origin, SiteRules::Unknown),
        }
        Ok(())
    }

    /// Removes an origin. True if it was there.
    fn remove(&self, origin: &Bound<'_, PyAny>) -> PyResult<bool> {
        let origin = origin_of(origin)?;
        Ok(self.write().remove(&origin))
    }

    /// True if the crawler may fetch this URL; ``None`` if nothing is known of its origin.
    ///
    /// ``crawler`` is one of the set's crawlers, and may be left out if there is one.
    /// Raises :class:`InvalidUrl` for what is not a URL of http, https or ftp.
    #[pyo3(signature = (url, /, crawler = None))]
    fn is_allowed(
        &self,
        url: &Bound<'_, PyAny>,
        crawler: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<bool>> {
        bulk::is_allowed(self, url, crawler)
    }

    /// The verdict on a URL with the reason for it, as far as the set keeps rules; ``None`` if nothing
    /// is known of its origin.
    #[pyo3(signature = (url, /, crawler = None))]
    fn decide(
        &self,
        url: &Bound<'_, PyAny>,
        crawler: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Decision>> {
        bulk::decide(self, url, crawler)
    }

    /// The crawl delay in seconds that an origin asks for; ``None`` if there is none.
    #[pyo3(signature = (origin, crawler = None))]
    fn crawl_delay(
        &self,
        origin: &Bound<'_, PyAny>,
        crawler: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<f64>> {
        let (place, origin) = (self.place(crawler)?, origin_of(origin)?);
        let pace = self.read().get(&origin).map(|site| site.pace(CrawlerId::at(place)));
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
        let pace = self.read().get(&origin).map(|site| site.pace(CrawlerId::at(place)));
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
        let pace = self.read().get(&origin).map(|site| site.pace(CrawlerId::at(place)));
        Ok(pace.and_then(|pace| pace.min_interval()).map(|time| time.as_secs_f64()))
    }

    /// The sitemaps of an origin, if the set's config says ``keep_sitemaps=True``.
    fn sitemaps(&self, origin: &Bound<'_, PyAny>) -> PyResult<Vec<Text>> {
        let origin = origin_of(origin)?;
        let set = self.read();
        let site = set.get(&origin);
        Ok(site.map_or_else(Vec::new, |site| site.sitemaps().map(Text::from).collect()))
    }

    /// What is known of an origin: ``rules``, ``allow-all``, ``disallow-all`` or ``unknown``; ``None`` if it is
    /// not in the set.
    fn outcome(&self, origin: &Bound<'_, PyAny>) -> PyResult<Option<&'static str>> {
        let origin = origin_of(origin)?;
        Ok(self.read().get(&origin).map(|site| site.kind().as_str()))
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

    /// True if the origin of a URL is in the set.
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

/// Takes a body or an outcome, and not both.
pub fn given<'a, 'py>(
    body: Option<&'a Bound<'py, PyAny>>,
    outcome: Option<&str>,
) -> PyResult<SiteRules<&'a Bound<'py, PyAny>>> {
    match (body, outcome) {
        (Some(body), None | Some("rules")) => Ok(SiteRules::Rules(body)),
        (Some(_), Some(_)) => Err(PyTypeError::new_err("give a body or an outcome, not both")),
        (None, Some("allow-all")) => Ok(SiteRules::AllowAll),
        (None, Some("disallow-all")) => Ok(SiteRules::DisallowAll),
        (None, Some("unknown")) => Ok(SiteRules::Unknown),
        (None, _) => Err(PyTypeError::new_err(
            "give a body, or an outcome: 'allow-all', 'disallow-all' or 'unknown'",
        )),
    }
}
