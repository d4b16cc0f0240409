//! What is asked about a robots.txt file, and its policies for several crawlers.

use std::sync::Arc;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use robotsieve::pack::PackError;
use robotsieve::{Answer, SiteKind};
use robotsieve_client::outcome::Response;

use crate::batch;
use crate::bulk::{Crawlers, Policies, select};
use crate::crawler::{crawlers_of, shared_crawler_of};
use crate::crawlers;
use crate::decisions::{Decide, Said};
use crate::file::{File, Robots, body_of, kept_body_of};
use crate::origin::origin_of;
use crate::pace::RequestRate;
use crate::policy::Policy;
use crate::reports;
use crate::settings::{Config, Profile, config_of, profile_of};
use crate::text::{Text, bytes_of};

#[pymethods]
impl Robots {
    #[new]
    #[pyo3(signature = (body, profile = None, config = None, name = None))]
    fn new(
        body: &Bound<'_, PyAny>,
        profile: Option<&Bound<'_, PyAny>>,
        config: Option<&Bound<'_, Config>>,
        name: Option<Text>,
    ) -> PyResult<Robots> {
        let (profile, config) = ((profile_of(profile)?, profile.is_some()), config_of(config));
        Ok(Robots(File::new(kept_body_of(body, "body")?, profile, config, name)))
    }

    /// The policy for a crawler: a name, names from most to least specific, or a :class:`Crawler`.
    ///
    /// Raises :class:`InvalidName` for a name that no ``User-agent`` line can name, such as a whole
    /// header: that is for :meth:`Crawler.from_user_agent`.
    fn policy(&self, crawler: &Bound<'_, PyAny>) -> PyResult<Policy> {
        Ok(Policy::of(Arc::clone(&self.0), self.crawler(crawler)?))
    }

    /// The policies for several crawlers, which are asked together.
    fn policies<'py>(
        slf: &Bound<'py, Self>,
        crawlers: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, CrawlerPolicies>> {
        let crawlers = crawlers_of(crawlers, &slf.get().own_profile())?;
        let together = slf.get().with(|robots| robotsieve::CrawlerPolicies::of(robots, &crawlers));
        let labels = crawlers::distinct_labels(&crawlers)?;
        let robots = slf.clone().unbind();
        let policies = CrawlerPolicies { together, labels, robots, crawlers };
        Bound::new(slf.py(), Policies::under(policies))
    }

    /// True if the crawler may fetch this URL: ``policy(crawler).is_allowed(url)``.
    fn is_allowed(&self, crawler: &Bound<'_, PyAny>, url: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.policy(crawler)?.is_allowed(url)
    }

    /// The file.
    #[getter]
    fn get_body<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.body().into_bound_py_any(py)
    }

    /// What reports call the file, ``None`` if nothing.
    #[getter(name)]
    fn given_name(&self) -> Option<Text> {
        self.name.clone()
    }

    /// How it is read.
    #[getter]
    fn profile(&self) -> Profile {
        Profile(self.own_profile())
    }

    /// How its policies are built.
    #[getter]
    fn config(&self) -> Config {
        Config(self.config)
    }

    /// The part of the file that is read, as from and to in bytes: without a byte order mark, and cut
    /// at the profile's size limit. Of a file in UTF-16 these are bytes of its text in UTF-8.
    #[getter]
    fn extent(&self) -> (usize, usize) {
        let extent = self.with(|robots| robots.extent());
        (extent.start, extent.end)
    }

    /// True if the file is longer than the profile's size limit: the rest is not read.
    #[getter]
    fn is_cut(&self) -> bool {
        self.with(|robots| robots.extent().end) < self.text().len()
    }

    /// The values of the ``Sitemap`` lines, as written.
    #[getter]
    fn sitemaps(&self) -> Vec<Text> {
        self.with(|robots| robots.sitemaps().map(Text::from).collect())
    }

    /// The product tokens that the file's user-agent lines name, ``*`` included.
    #[getter]
    fn tokens(&self) -> Vec<Text> {
        self.with(|robots| robots.tokens().map(Text::from).collect())
    }

    /// The number of groups the file has.
    #[getter]
    fn group_count(&self) -> usize {
        self.with(|robots| robots.group_count())
    }

    /// The user-agent lines of the groups that a crawler obeys: line, from 1 on, and value.
    fn group_of(&self, crawler: &Bound<'_, PyAny>) -> PyResult<Vec<(u32, Text)>> {
        let crawler = self.crawler(crawler)?;
        Ok(self.with(|robots| {
            let lines = robots.group_of(&crawler);
            lines.into_iter().map(|(line, value)| (line, value.into())).collect()
        }))
    }

    /// The crawl delay for a crawler in seconds, ``None`` if there is none.
    fn crawl_delay(&self, crawler: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
        let crawler = self.crawler(crawler)?;
        Ok(self.with(|robots| robots.pace(&crawler)).crawl_delay.map(|delay| delay.as_secs_f64()))
    }

    /// The request rate for a crawler, ``None`` if there is none.
    fn request_rate(&self, crawler: &Bound<'_, PyAny>) -> PyResult<Option<RequestRate>> {
        let crawler = self.crawler(crawler)?;
        Ok(self.with(|robots| robots.pace(&crawler)).request_rate.map(RequestRate::of))
    }

    /// The seconds to wait between the beginnings of two requests, by crawl delay and request rate.
    fn min_interval(&self, crawler: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
        let crawler = self.crawler(crawler)?;
        Ok(self.with(|robots| robots.pace(&crawler)).min_interval().map(|time| time.as_secs_f64()))
    }

    /// Why the crawler may or may not fetch this URL: an :class:`ExplainReport`.
    ///
    /// Compiles nothing. To filter URLs, ask a policy.
    ///
    /// >>> from robotsieve import Robots
    /// >>> robots = Robots("User-agent: *\nDisallow: /a\nAllow: /*.html$\n")
    /// >>> why = robots.explain("MyCrawler", "https://example.com/%61.html")
    /// >>> why.verdict, why.target.value, why.winner.line, why.runner_up.line
    /// ('allow', '/a.html', 3, 2)
    ///
    /// Raises :class:`InvalidUrl` as :meth:`Policy.is_allowed` does.
    fn explain<'py>(
        slf: &Bound<'py, Self>,
        crawler: &Bound<'_, PyAny>,
        url: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        reports::explain(slf, crawler, url)
    }

    /// The verdicts of all named profiles on this URL, and what makes them differ: a
    /// :class:`CompareReport`. The profile of this file plays no part.
    ///
    /// >>> from robotsieve import Robots
    /// >>> robots = Robots("User-agent: *\nDisallow: /*.pdf\n")
    /// >>> robots.compare_profiles("MyCrawler", "https://example.com/a.pdf").verdicts["original-1994"]
    /// 'allow'
    fn compare_profiles<'py>(
        slf: &Bound<'py, Self>,
        crawler: &Bound<'_, PyAny>,
        url: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        reports::compare_profiles(slf, crawler, url)
    }

    /// What is odd about the file, by line: a list of :class:`Diagnostic`. For advice, use
    /// :func:`lint`. Reads the file again.
    ///
    /// >>> from robotsieve import Robots
    /// >>> for diagnostic in Robots("User-agent: *\nDisalow: /private/\n").diagnostics:
    /// ...     print(diagnostic)
    /// line 2: unknown field, ignored: did you mean 'Disallow'?
    #[getter]
    fn diagnostics<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        reports::diagnostics(slf)
    }

    /// All lines of the form ``field: value``, as written: a list of :class:`Line`. Reads the file
    /// again.
    ///
    /// >>> from robotsieve import Robots
    /// >>> Robots("User-agent: *\nCrawl-Delay : 10 # seconds\n").lines()[1]
    /// Line(line=2, field='other', name='Crawl-Delay', value='10', value_span=(28, 30))
    fn lines<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        reports::lines(slf)
    }

    /// The records that are neither user-agent lines nor rules, such as sitemaps and crawl delays,
    /// with their values read: a :class:`RecordsReport`. With ``crawlers``, those that are for one of
    /// them. None of them changes a verdict. Reads the file again.
    ///
    /// >>> from robotsieve import Robots
    /// >>> robots = Robots("User-agent: a\nCrawl-delay: 2.5\nRequest-rate: often\n")
    /// >>> for record in robots.records().records:
    /// ...     print(record.crawl_delay_ms or record.error)
    /// 2500
    /// invalid request-rate: expected requests/seconds, such as 1/5, 30/1m or 1/10 0600-0845
    #[pyo3(signature = (crawlers = None))]
    fn records<'py>(
        slf: &Bound<'py, Self>,
        crawlers: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        reports::records(slf, crawlers)
    }

    /// What the file lets the known crawlers read: a :class:`ReachReport`. ``purposes`` are those of
    /// the crawlers that are asked about; ``urls`` are pages to ask about, in the place of some that
    /// tell the crawlers apart. :func:`known_crawlers` lists the crawlers. If a profile was named, all are judged by
    /// that one; else the file is read for each crawler as its operator does, where that is known.
    ///
    /// >>> from robotsieve import Robots
    /// >>> reach = Robots("User-agent: GPTBot\nDisallow: /\n").crawlers(purposes=["ai-training"])
    /// >>> reach.purposes[0].shut_out, reach.purposes[0].rows[0].who
    /// (1, ('GPTBot (line 1)',))
    #[pyo3(signature = (*, urls = None, purposes = None))]
    fn crawlers<'py>(
        slf: &Bound<'py, Self>,
        urls: Option<&Bound<'_, PyAny>>,
        purposes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        reports::crawlers(slf, urls, purposes)
    }

    /// The product tokens that a group names, ``*`` included. Groups are numbered from 0.
    #[pyo3(signature = (group, /))]
    fn group_tokens(&self, group: u32) -> Vec<Text> {
        self.with(|robots| robots.group_tokens(group).into_iter().map(Text::from).collect())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Robots>().is_ok_and(|other| *self.0 == *other.get().0)
    }

    fn __hash__(&self) -> u64 {
        self.hash_value()
    }

    fn __repr__(&self) -> String {
        format!(
            "<robotsieve.Robots of {} bytes, {} groups, profile {}>",
            self.bytes().len(),
            self.group_count(),
            self.profile_shown()
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let profile = self.is_named.then(|| self.profile());
        let parts = (self.get_body(py)?, profile, self.config(), self.given_name());
        (py.get_type::<Robots>(), parts).into_bound_py_any(py)
    }
}

/// The policies of one file for several crawlers, which are asked together. Made by
/// :meth:`Robots.policies`.
///
/// >>> from robotsieve import Robots
/// >>> robots = Robots("User-agent: GPTBot\nDisallow: /")
/// >>> policies = robots.policies(["GPTBot", "Googlebot"])
/// >>> policies.ask("https://example.com/")
/// {'GPTBot': 'disallow', 'Googlebot': 'allow'}
#[pyclass(frozen, extends = Policies, module = "robotsieve")]
pub struct CrawlerPolicies {
    together: robotsieve::CrawlerPolicies,
    labels: Vec<String>,
    robots: Py<Robots>,
    crawlers: Vec<robotsieve::Crawler>,
}

impl Decide for CrawlerPolicies {
    fn rules_stay(&self) -> bool {
        true
    }

    fn decide(
        &self,
        urls: &[&[u8]],
        places: &[usize],
        say: &mut dyn FnMut(usize, usize, Said<'_>),
    ) -> Result<(), PackError> {
        for (number, url) in urls.iter().enumerate() {
            for (column, place) in places.iter().enumerate() {
                say(number, column, Said::by(self.together.policy(*place), url, SiteKind::Rules));
            }
        }
        Ok(())
    }
}

impl Crawlers for CrawlerPolicies {
    fn of<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<&'a dyn Crawlers> {
        Ok(object.cast::<CrawlerPolicies>()?.get())
    }

    fn labels(&self) -> &[String] {
        &self.labels
    }

    fn crawlers(&self) -> &[robotsieve::Crawler] {
        &self.crawlers
    }

    fn profile_shown(&self) -> String {
        self.robots.get().profile_shown()
    }

    fn answers(
        &self,
        urls: &[&[u8]],
        places: &[usize],
        answers: &mut [Answer],
    ) -> Result<(), PackError> {
        let width = self.labels.len();
        select(width, places, answers, |all| {
            for (url, answers) in urls.iter().zip(all.chunks_exact_mut(width)) {
                self.together.ask_into(url, answers);
            }
        });
        Ok(())
    }
}

#[pymethods]
impl CrawlerPolicies {
    fn __len__(&self) -> usize {
        self.crawlers.len()
    }

    /// The policy of the crawler at this place.
    fn __getitem__(&self, place: &Bound<'_, PyAny>) -> PyResult<Policy> {
        let place = batch::place(place, self.crawlers.len())?;
        let crawler = self.crawlers[place].clone();
        let policy = self.together.policy(place).clone();
        Ok(Policy::made_of(policy, Arc::clone(&self.robots.get().0), Arc::new(crawler)))
    }

    fn __repr__(&self) -> String {
        let labels: Vec<String> = self.crawlers.iter().map(crawlers::label).collect();
        format!("<robotsieve.CrawlerPolicies of {}>", labels.join(", "))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let make = self.robots.bind(py).getattr("policies")?;
        let crawlers: Vec<_> = self.crawlers.iter().cloned().map(crate::crawler::Crawler).collect();
        (make, (crawlers,)).into_bound_py_any(py)
    }
}

/// True if a crawler may fetch a URL, for a single question: nothing is built for later ones.
///
/// >>> import robotsieve
/// >>> robotsieve.is_allowed("User-agent: *\nDisallow: /x", "MyCrawler", "https://example.com/x")
/// False
#[pyfunction]
#[pyo3(signature = (body, crawler, url, *, profile = None))]
pub fn is_allowed(
    body: &Bound<'_, PyAny>,
    crawler: &Bound<'_, PyAny>,
    url: &Bound<'_, PyAny>,
    profile: Option<&Bound<'_, PyAny>>,
) -> PyResult<bool> {
    let profile = profile_of(profile)?;
    let crawler = shared_crawler_of(crawler, &profile)?;
    let (body, url) = (body_of(body, "body")?, bytes_of(url, "url")?);
    let verdict = robotsieve::is_allowed_once(&body, &profile, &crawler, url.as_ref());
    verdict.map_err(|_| crate::errors::invalid_url(&url))
}

/// The text of a site's file with the rules that are URLs of its own host as paths, and those of other hosts
/// as no rules: to be parsed, instead of the file. ``url`` is any URL of the site, or an :class:`Origin`.
///
/// >>> import robotsieve
/// >>> body = "User-agent: *\nDisallow: http://own.example/x"
/// >>> text = robotsieve.own_rules(body, "https://own.example/robots.txt")
/// >>> robotsieve.is_allowed(text, "MyCrawler", "https://own.example/x")
/// False
///
/// A port has to be that of the site, or both the defaults of their schemes. Each line and each path is where it
/// was.
#[pyfunction]
#[pyo3(signature = (body, url, *, profile = None))]
pub fn own_rules<'py>(
    py: Python<'py>,
    body: &Bound<'py, PyAny>,
    url: &Bound<'py, PyAny>,
    profile: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (body, origin) = (body_of(body, "body")?, origin_of(url)?);
    Ok(PyBytes::new(py, &robotsieve::own_rules(&body, &profile_of(profile)?, &origin)))
}

/// The robots.txt in an answer: its whole lines, if it has more than so many bytes or is a part. ``None`` if the answer
/// has none, or one of which nothing could be read: nothing is known of its rules then.
#[pyfunction]
pub fn file_in<'py>(
    status: u16,
    content_range: Option<&str>,
    body: &Bound<'py, PyBytes>,
    max_bytes: usize,
) -> Option<Bound<'py, PyBytes>> {
    let mut response = Response::as_is(status, body.as_bytes().to_vec());
    if let Some(range) = content_range {
        // One that is no header may say anything.
        if let Ok(range) = range.parse().or_else(|_| "bytes 0-0/*".parse()) {
            response.headers.insert("content-range", range);
        }
    }
    if response.body.len() > max_bytes || response.is_part() {
        response = response.cut(max_bytes);
    }
    let file = PyBytes::new(body.py(), &response.body);
    // Of UTF-16 a byte order mark may be left.
    let mut read = Response::new(status, response.body);
    read.is_truncated = response.is_truncated;
    (read.is_file() && read.unread().is_none()).then_some(file)
}

/// The policy of a file for a crawler: ``Robots(body, profile).policy(crawler)``, in less time.
///
/// >>> import robotsieve
/// >>> policy = robotsieve.policy("User-agent: *\nDisallow: /x", "MyCrawler")
/// >>> policy.is_allowed("https://example.com/x")
/// False
#[pyfunction]
#[pyo3(signature = (body, crawler, *, profile = None, config = None, name = None))]
pub fn policy(
    body: &Bound<'_, PyAny>,
    crawler: &Bound<'_, PyAny>,
    profile: Option<&Bound<'_, PyAny>>,
    config: Option<&Bound<'_, Config>>,
    name: Option<Text>,
) -> PyResult<Policy> {
    Robots::new(body, profile, config, name)?.policy(crawler)
}
