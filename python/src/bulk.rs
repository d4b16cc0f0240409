//! What has the policies of several crawlers, asked about one URL or many.

use pyo3::PyClass;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use robotsieve::pack::PackError;
use robotsieve::{Answer, CrawlerId};

use crate::answers::{Answers, Verdicts};
use crate::batch::{self, Judge, Judged};
use crate::by_crawler::{Columns, CrawlerAnswers, CrawlerDecisions, CrawlerVerdicts};
use crate::crawler::crawler_as_given;
use crate::crawlers;
use crate::decision::Decision;
use crate::decisions::{Decide, Decisions, Said};
use crate::errors::{invalid_origin, invalid_url, pack_error};
use crate::text::{bytes_of, type_name};

/// What has the policies of several crawlers.
pub trait Crawlers: Decide {
    /// What an object of Python has that is of this class.
    fn of<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<&'a dyn Crawlers>
    where
        Self: Sized;

    /// What stands for each crawler in a result.
    fn labels(&self) -> &[String];

    fn crawlers(&self) -> &[robotsieve::Crawler];

    /// The name of the profile, `custom` if it has none.
    fn profile_shown(&self) -> String;

    /// A row of answers for each URL, for the crawlers at these places.
    fn answers(
        &self,
        urls: &[&[u8]],
        places: &[usize],
        answers: &mut [Answer],
    ) -> Result<(), PackError>;
}

/// The answers of all crawlers become those at some places.
pub fn select(
    width: usize,
    places: &[usize],
    answers: &mut [Answer],
    all: impl FnOnce(&mut [Answer]),
) {
    if places.iter().copied().eq(0..width) {
        return all(answers);
    }
    if places.is_empty() {
        return;
    }
    let mut of_all = vec![Answer::Unknown; answers.len() / places.len() * width];
    all(&mut of_all);
    for (row, answers) in of_all.chunks_exact(width).zip(answers.chunks_exact_mut(places.len())) {
        for (answer, place) in answers.iter_mut().zip(places) {
            *answer = row[*place];
        }
    }
}

/// The crawlers of a set or pack at these places.
pub fn ids_of(places: &[usize]) -> Vec<CrawlerId> {
    places.iter().copied().map(CrawlerId::at).collect()
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
    crawlers::place_of(labels, all, crawler, crawler_as_given)
}

/// The places of the crawlers that were named; of all if none were.
fn places_of(source: &dyn Crawlers, crawlers: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<usize>> {
    let labels = source.labels();
    let Some(crawlers) = crawlers else { return Ok((0..labels.len()).collect()) };
    if crawlers.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(
            "crawlers must be a list of crawlers; for one, say crawler= of the method without _by_crawler",
        ));
    }
    let mut places = Vec::new();
    let many = crawlers.try_iter().map_err(|_| {
        PyTypeError::new_err(format!(
            "crawlers must be a list of crawlers, not {}",
            type_name(crawlers)
        ))
    })?;
    for crawler in many {
        let place = place_of(labels, source.crawlers(), Some(&crawler?))?;
        if places.contains(&place) {
            return Err(PyValueError::new_err(format!(
                "crawler {:?} is there twice",
                labels[place]
            )));
        }
        places.push(place);
    }
    Ok(places)
}

/// Some of the crawlers: only these are asked about.
struct Selected<'s> {
    source: &'s dyn Crawlers,
    places: Vec<usize>,
}

fn labels_at(source: &dyn Crawlers, places: &[usize]) -> Vec<String> {
    places.iter().map(|place| source.labels()[*place].clone()).collect()
}

impl Judge for Selected<'_> {
    type Cell = Answer;
    type Scratch = ();

    fn labels(&self) -> Vec<String> {
        labels_at(self.source, &self.places)
    }

    fn judge(&self, urls: &[&[u8]], answers: &mut [Answer], (): &mut ()) -> Result<(), PackError> {
        self.source.answers(urls, &self.places, answers)
    }
}

/// Which crawlers a batch is for.
#[derive(Clone, Copy)]
enum Which<'w, 'py> {
    One(Option<&'w Bound<'py, PyAny>>),
    Many(Option<&'w Bound<'py, PyAny>>),
}

impl Which<'_, '_> {
    fn places(self, source: &dyn Crawlers) -> PyResult<Vec<usize>> {
        match self {
            Which::One(one) => Ok(vec![place_of(source.labels(), source.crawlers(), one)?]),
            Which::Many(some) => places_of(source, some),
        }
    }

    fn judge(
        self,
        source: &dyn Crawlers,
        urls: &Bound<'_, PyAny>,
        threads: Option<isize>,
    ) -> PyResult<Judged<Answer>> {
        let places = self.places(source)?;
        batch::judge(&Selected { source, places }, urls, threads)
    }
}

type Any<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// The policies of several crawlers, which are asked together: a :class:`Pack`, a :class:`PolicySet` or
/// :class:`CrawlerPolicies`.
#[pyclass(frozen, subclass, module = "robotsieve._robotsieve")]
pub struct Policies {
    /// Finds them in the object, which is of a class below this one.
    of: for<'a> fn(&'a Bound<'_, PyAny>) -> PyResult<&'a dyn Crawlers>,
}

impl Policies {
    /// What makes an object of a class below this one.
    pub fn under<T: Crawlers + PyClass<BaseType = Policies>>(value: T) -> PyClassInitializer<T> {
        PyClassInitializer::from(Policies { of: T::of }).add_subclass(value)
    }

    fn source<'a>(slf: &'a Bound<'_, Self>) -> PyResult<&'a dyn Crawlers> {
        (slf.get().of)(slf.as_any())
    }
}

#[pymethods]
impl Policies {
    /// The answer for each crawler: ``allow``, ``disallow``, ``invalid`` or ``unknown``.
    #[pyo3(signature = (url, /))]
    fn ask(slf: &Bound<'_, Self>, url: &Bound<'_, PyAny>) -> PyResult<batch::Named> {
        let source = Policies::source(slf)?;
        let url = bytes_of(url, "url")?;
        let places: Vec<usize> = (0..source.labels().len()).collect();
        let mut answers = vec![Answer::Unknown; places.len()];
        source.answers(&[&url], &places, &mut answers).map_err(|error| pack_error(&error))?;
        Ok(batch::Named::new(source.labels(), &answers))
    }

    /// The verdicts on many URLs, as :meth:`Policy.verdicts`, for one of the crawlers. ``crawler`` may be left out if
    /// there is one; :meth:`verdicts_by_crawler` is for several. Null also if nothing is known of the URL's origin.
    #[pyo3(signature = (urls, /, *, crawler = None, threads = 1))]
    fn verdicts(
        slf: &Bound<'_, Self>,
        urls: &Bound<'_, PyAny>,
        crawler: Any<'_, '_>,
        threads: Option<isize>,
    ) -> PyResult<Verdicts> {
        Ok(Verdicts::of(Which::One(crawler).judge(Policies::source(slf)?, urls, threads)?.cells))
    }

    /// The verdicts for ``crawlers``, or for all: a mapping, and an Arrow struct array or table. Only what is asked for
    /// is computed.
    #[pyo3(signature = (urls, /, *, crawlers = None, threads = 1))]
    fn verdicts_by_crawler(
        slf: &Bound<'_, Self>,
        urls: &Bound<'_, PyAny>,
        crawlers: Any<'_, '_>,
        threads: Option<isize>,
    ) -> PyResult<CrawlerVerdicts> {
        let judged = Which::Many(crawlers).judge(Policies::source(slf)?, urls, threads)?;
        Ok(CrawlerVerdicts(Columns::of(&judged, Verdicts::of)))
    }

    /// As :meth:`verdicts`, in words: ``allow``, ``disallow``, ``invalid`` for what is not a URL (in a set or a pack: one of
    /// http, https or ftp), ``unknown`` for one of whose origin nothing is known.
    #[pyo3(signature = (urls, /, *, crawler = None, threads = 1))]
    fn answers(
        slf: &Bound<'_, Self>,
        urls: &Bound<'_, PyAny>,
        crawler: Any<'_, '_>,
        threads: Option<isize>,
    ) -> PyResult<Answers> {
        Ok(Answers::of(Which::One(crawler).judge(Policies::source(slf)?, urls, threads)?.cells))
    }

    /// As :meth:`verdicts_by_crawler`, in words.
    #[pyo3(signature = (urls, /, *, crawlers = None, threads = 1))]
    fn answers_by_crawler(
        slf: &Bound<'_, Self>,
        urls: &Bound<'_, PyAny>,
        crawlers: Any<'_, '_>,
        threads: Option<isize>,
    ) -> PyResult<CrawlerAnswers> {
        let judged = Which::Many(crawlers).judge(Policies::source(slf)?, urls, threads)?;
        Ok(CrawlerAnswers(Columns::of(&judged, Answers::of)))
    }

    /// As :meth:`verdicts`, with the reasons: what :meth:`Policy.decide` says of each URL, in columns.
    #[pyo3(signature = (urls, /, *, crawler = None, threads = 1))]
    fn decisions(
        slf: &Bound<'_, Self>,
        urls: &Bound<'_, PyAny>,
        crawler: Any<'_, '_>,
        threads: Option<isize>,
    ) -> PyResult<Decisions> {
        let source = Policies::source(slf)?;
        let places = Which::One(crawler).places(source)?;
        let labels = labels_at(source, &places);
        let (judged, rules) = Decisions::judge(source, labels, places, urls, threads)?;
        Ok(Decisions::of(judged.cells, &rules, &source.profile_shown().into()))
    }

    /// As :meth:`verdicts_by_crawler`, with the reasons.
    #[pyo3(signature = (urls, /, *, crawlers = None, threads = 1))]
    fn decisions_by_crawler(
        slf: &Bound<'_, Self>,
        urls: &Bound<'_, PyAny>,
        crawlers: Any<'_, '_>,
        threads: Option<isize>,
    ) -> PyResult<CrawlerDecisions> {
        let source = Policies::source(slf)?;
        let places = Which::Many(crawlers).places(source)?;
        let labels = labels_at(source, &places);
        let (judged, rules) = Decisions::judge(source, labels, places, urls, threads)?;
        let profile = source.profile_shown().into();
        let column = |rows| Decisions::of(rows, &rules, &profile);
        Ok(CrawlerDecisions(Columns::of(&judged, column)))
    }
}

/// Returns true if a crawler may fetch a URL; `None` if nothing is known of its origin.
pub fn is_allowed<S: Crawlers>(
    source: &S,
    url: &Bound<'_, PyAny>,
    crawler: Any<'_, '_>,
) -> PyResult<Option<bool>> {
    let place = place_of(source.labels(), source.crawlers(), crawler)?;
    let url = bytes_of(url, "url")?;
    let mut answer = [Answer::Unknown];
    source.answers(&[&url], &[place], &mut answer).map_err(|error| pack_error(&error))?;
    match answer {
        [Answer::Allow] => Ok(Some(true)),
        [Answer::Disallow] => Ok(Some(false)),
        [Answer::Unknown] => Ok(None),
        [Answer::Invalid] => Err(not_judged(&url)),
    }
}

/// The verdict on a URL and the reason for it; `None` if nothing is known of its origin.
pub fn decide<S: Crawlers>(
    source: &S,
    url: &Bound<'_, PyAny>,
    crawler: Any<'_, '_>,
) -> PyResult<Option<Decision>> {
    let place = place_of(source.labels(), source.crawlers(), crawler)?;
    let url = bytes_of(url, "url")?;
    let mut decision = Ok(None);
    let mut say = |_: usize, _: usize, said: Said<'_>| {
        decision = match said {
            Said::Invalid => Err(()),
            said => Ok(said.reasoned().map(Decision::from)),
        };
    };
    source.decide(&[&url], &[place], &mut say).map_err(|error| pack_error(&error))?;
    decision.map_err(|()| not_judged(&url))
}

/// The error of what is not a URL with an origin.
fn not_judged(url: &[u8]) -> PyErr {
    match robotsieve::Origin::of(url) {
        Err(error) => invalid_origin(&error, url),
        Ok(_) => invalid_url(url),
    }
}
