//! What has the policies of several crawlers, asked about one URL or many.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use robotsieve::Answer;
use robotsieve::pack::PackError;

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
fn places_of(source: &impl Crawlers, crawlers: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<usize>> {
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
struct Selected<'s, S> {
    source: &'s S,
    places: Vec<usize>,
}

fn labels_at(source: &impl Crawlers, places: &[usize]) -> Vec<String> {
    places.iter().map(|place| source.labels()[*place].clone()).collect()
}

impl<S: Crawlers> Judge for Selected<'_, S> {
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
    fn places(self, source: &impl Crawlers) -> PyResult<Vec<usize>> {
        match self {
            Which::One(one) => Ok(vec![place_of(source.labels(), source.crawlers(), one)?]),
            Which::Many(some) => places_of(source, some),
        }
    }

    fn judge(
        self,
        source: &impl Crawlers,
        urls: &Bound<'_, PyAny>,
        threads: Option<isize>,
    ) -> PyResult<Judged<Answer>> {
        let places = self.places(source)?;
        batch::judge(&Selected { source, places }, urls, threads)
    }
}

type Any<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

pub fn verdicts<S: Crawlers>(
    source: &S,
    urls: &Bound<'_, PyAny>,
    crawler: Any<'_, '_>,
    threads: Option<isize>,
) -> PyResult<Verdicts> {
    Ok(Verdicts::of(Which::One(crawler).judge(source, urls, threads)?.cells))
}

pub fn verdicts_by_crawler<S: Crawlers>(
    source: &S,
    urls: &Bound<'_, PyAny>,
    crawlers: Any<'_, '_>,
    threads: Option<isize>,
) -> PyResult<CrawlerVerdicts> {
    let judged = Which::Many(crawlers).judge(source, urls, threads)?;
    Ok(CrawlerVerdicts(Columns::of(&judged, Verdicts::of)))
}

pub fn answers<S: Crawlers>(
    source: &S,
    urls: &Bound<'_, PyAny>,
    crawler: Any<'_, '_>,
    threads: Option<isize>,
) -> PyResult<Answers> {
    Ok(Answers::of(Which::One(crawler).judge(source, urls, threads)?.cells))
}

pub fn answers_by_crawler<S: Crawlers>(
    source: &S,
    urls: &Bound<'_, PyAny>,
    crawlers: Any<'_, '_>,
    threads: Option<isize>,
) -> PyResult<CrawlerAnswers> {
    let judged = Which::Many(crawlers).judge(source, urls, threads)?;
    Ok(CrawlerAnswers(Columns::of(&judged, Answers::of)))
}

pub fn decisions<S: Crawlers>(
    source: &S,
    urls: &Bound<'_, PyAny>,
    crawler: Any<'_, '_>,
    threads: Option<isize>,
) -> PyResult<Decisions> {
    let places = Which::One(crawler).places(source)?;
    let labels = labels_at(source, &places);
    let (judged, rules) = Decisions::judge(source, labels, places, urls, threads)?;
    Ok(Decisions::of(judged.cells, &rules, &source.profile_shown().into()))
}

pub fn decisions_by_crawler<S: Crawlers>(
    source: &S,
    urls: &Bound<'_, PyAny>,
    crawlers: Any<'_, '_>,
    threads: Option<isize>,
) -> PyResult<CrawlerDecisions> {
    let places = Which::Many(crawlers).places(source)?;
    let labels = labels_at(source, &places);
    let (judged, rules) = Decisions::judge(source, labels, places, urls, threads)?;
    let profile = source.profile_shown().into();
    let column = |rows| Decisions::of(rows, &rules, &profile);
    Ok(CrawlerDecisions(Columns::of(&judged, column)))
}

/// Whether a crawler may fetch a URL; `None` if nothing is known of its origin.
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

/// The answers for a URL by crawler.
pub fn ask<S: Crawlers>(source: &S, url: &Bound<'_, PyAny>) -> PyResult<batch::Named> {
    let url = bytes_of(url, "url")?;
    let places: Vec<usize> = (0..source.labels().len()).collect();
    let mut answers = vec![Answer::Unknown; places.len()];
    source.answers(&[&url], &places, &mut answers).map_err(|error| pack_error(&error))?;
    Ok(batch::Named::new(source.labels(), &answers))
}

/// The error of what is not a URL with an origin.
fn not_judged(url: &[u8]) -> PyErr {
    match robotsieve::Origin::of(url) {
        Err(error) => invalid_origin(&error, url),
        Ok(_) => invalid_url(url),
    }
}
