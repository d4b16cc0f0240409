//! WARC files into a store.

use std::io;
use std::path::Path;

use http::HeaderValue;
use http::header::{AGE, CACHE_CONTROL, DATE, ETAG, EXPIRES, LAST_MODIFIED};
use robotsieve::{Origin, Profile};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{
    Attempt, CachedCopy, Cause, Failure, OriginState, Outcome, Protocol, Redirect, Response, Said,
};
use robotsieve_client::store::Store;
use serde::{Deserialize, Serialize};

use super::error::ExchangeError;
use super::scratch::{Scratch, Spot};
use crate::history::rank;
use crate::warc::Known;
use crate::{Answered, CLOCK_TOLERANCE, Capture, Gathered, Held, Lead, Says, SiteAnswer};

/// The number of origins, and how many bytes of bodies, that are put into the store at once.
const BATCH: usize = 8192;
const BATCH_BYTES: usize = 32 << 20;

/// The numbers of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Origins that were put into the store.
    pub origins: u64,
    /// Answers from before what the store knew already.
    pub older: u64,
    /// Redirects and revisits of what neither the files nor the store have.
    pub unknown_targets: u64,
}

/// An import of captures. They may come in any order: all wait in temporary files until
/// [`Import::finish`], which follows redirects as [`captures`](crate) says, and applies
/// what each origin answered in the order of the times.
///
/// ```
/// use robotsieve_client::Timestamp;
/// use robotsieve_captures::{At, Fields, RecordPlace};
/// use robotsieve_captures::exchange::{ExchangeError, Import};
/// use robotsieve_client::store::Store;
///
/// let folder = std::env::temp_dir().join(format!("robotsieve-import-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// let path = folder.join("robots.store");
///
/// let mut import = Import::new(None, &folder)?;
/// let place = RecordPlace { file: folder.as_path().into(), at: At::Whole };
/// let fields = Fields { url: "https://example.com", status: 404, ..Fields::default() };
/// import.capture(fields.capture(place)?)?;
/// let (imported, store) = import.finish(|| Store::open(&path).map_err(ExchangeError::from))?;
/// assert_eq!(imported.origins, 1);
/// # drop(store);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Import {
    store: Option<Store>,
    captures: Gathered<Kept>,
    scratch: Scratch,
}

/// What a capture's row has in the place of the answer.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
enum Kept {
    /// The answer.
    Answer(Spot),
    /// The answer, which a state was made from: only others need it.
    OfState(Spot),
    /// The answer, and the state that was made from it and those before it.
    State(Spot, Spot, Option<Spot>),
}

impl Import {
    /// An import into this store, or one that is made when there is something to put into it.
    /// `folder` takes the temporary files.
    ///
    /// # Errors
    /// Returns an error if there can be no temporary files.
    pub fn new(store: Option<Store>, folder: &Path) -> Result<Import, ExchangeError> {
        Ok(Import { store, captures: Gathered::new(folder)?, scratch: Scratch::new(folder)? })
    }

    /// Adds an origin with everything that a store knew of it. Returns what cannot be known, if the body of
    /// its copy is missing here and in the store.
    ///
    /// # Errors
    /// Returns an error if a temporary file cannot be written, or the store not be read.
    pub fn known(&mut self, mut known: Known) -> Result<Option<String>, ExchangeError> {
        if let (Some(copy), None, Some(store)) = (&known.state.copy, &known.copy, &self.store) {
            let body = store.body(&copy.content)?;
            known.copy = body.map(|body| of_copy(copy, body));
        }
        if let Some(lack) = known.lacks() {
            for capture in known.captures() {
                self.capture(capture)?;
            }
            return Ok(Some(lack));
        }
        let copy = known.copy.as_ref().filter(|_| known.state.copy.is_some());
        let body = copy.map(|copy| self.scratch.put_body(&copy.body)).transpose()?;
        let state = self.scratch.put(&known.state)?;
        let mut captures = known.captures();
        let Some(last) = captures.pop() else { return Ok(None) };
        for capture in captures {
            self.add(capture, Kept::OfState)?;
        }
        self.add(last, |spot| Kept::State(spot, state, body))?;
        Ok(None)
    }

    /// Adds a capture.
    ///
    /// # Errors
    /// Returns an error if a temporary file cannot be written.
    pub fn capture(&mut self, capture: Capture) -> Result<(), ExchangeError> {
        self.add(capture, Kept::Answer)
    }

    fn add(
        &mut self,
        capture: Capture,
        kept: impl FnOnce(Spot) -> Kept,
    ) -> Result<(), ExchangeError> {
        let at = capture.time();
        // What says nothing of the site is left out.
        let Some(says) = capture.answer.says::<()>(at) else { return Ok(()) };
        let says = match &says {
            Says::Answer(said, _) => {
                let spot = match &capture.answer {
                    SiteAnswer::Final(response) => self.scratch.put_answer(Ok(response))?,
                    SiteAnswer::Failed(failure) => self.scratch.put_answer(Err(failure))?,
                    // To what has no origin.
                    SiteAnswer::Redirect(redirect) => {
                        let failure = Failure::BadRedirect(redirect.to.clone());
                        self.scratch.put_answer(Err(&failure))?
                    }
                    SiteAnswer::Same(_) => return Ok(()),
                };
                Says::Answer(*said, Some(kept(spot)))
            }
            says => says.map(|key| &key[..], |()| unreachable!("only answers have a body")),
        };
        let is_origin = capture.other.is_none();
        Ok(self.captures.put(capture.key(), is_origin, at, says, &capture.names)?)
    }

    /// Puts what follows from the captures into the store, which `open` makes if there is none.
    /// There is still none if there was nothing to put into it.
    ///
    /// # Errors
    /// Returns an error if the store cannot be opened or written, or a temporary file not be read.
    pub fn finish<E: From<ExchangeError>>(
        self,
        open: impl Fn() -> Result<Store, E>,
    ) -> Result<(Imported, Option<Store>), E> {
        let Import { store, captures, scratch } = self;
        let scratch = std::cell::RefCell::new(scratch);
        // Of the store as it is before anything is put into it.
        let before = store.as_ref().map(Store::reader);
        let elsewhere = |lead: &Lead<&str>| -> Result<_, E> {
            let known = match &before {
                Some(store) => store.get_with_body(lead.to).map_err(ExchangeError::from)?,
                None => None,
            };
            let Some((state, body)) = known else { return Ok(None) };
            let at = state.attempted;
            let answer = match answer_of(state, body, lead.exactly) {
                Some((said, answer)) => {
                    let mut scratch = scratch.borrow_mut();
                    let spot = scratch.put_answer(answer.as_ref()).map_err(ExchangeError::from)?;
                    Some((said, Some(Kept::Answer(spot))))
                }
                None if lead.exactly.is_some() => return Ok(None),
                None => None,
            };
            Ok(Some(Held { at, answer }))
        };
        let mut settle = Settle {
            store,
            open,
            protocol: Protocol::of(&Profile::RFC9309),
            batch: Vec::new(),
            batch_bytes: 0,
            imported: Imported::default(),
        };
        let lost = captures
            .settle(
                |lead| elsewhere(lead).map_err(Stop),
                |origin, answers| {
                    settle.origin(origin, answers, &mut scratch.borrow_mut()).map_err(Stop)
                },
            )
            .map_err(|Stop(error)| error)?;
        settle.flush()?;
        settle.imported.unknown_targets = lost;
        Ok((settle.imported, settle.store))
    }
}

/// An error of the caller's, or of a temporary file.
struct Stop<E>(E);

impl<E: From<ExchangeError>> From<io::Error> for Stop<E> {
    fn from(cause: io::Error) -> Stop<E> {
        Stop(ExchangeError::from(cause).into())
    }
}

/// A row of the store.
type StateRow = (String, OriginState, Option<Vec<u8>>);

/// What puts origins into the store.
struct Settle<O> {
    store: Option<Store>,
    open: O,
    protocol: Protocol,
    batch: Vec<StateRow>,
    batch_bytes: usize,
    imported: Imported,
}

impl<E: From<ExchangeError>, O: Fn() -> Result<Store, E>> Settle<O> {
    fn origin(
        &mut self,
        origin: &Origin<'_>,
        answers: &[Answered<'_, Kept>],
        scratch: &mut Scratch,
    ) -> Result<(), E> {
        let cannot = |cause: io::Error| ExchangeError::from(cause);
        let known = match &self.store {
            Some(store) => store.get(origin.key()).map_err(ExchangeError::from)?,
            None => None,
        };
        let (mut state, mut body, mut is_new) = (known, None, false);
        let mut answers: Vec<&Answered<'_, Kept>> = answers.iter().collect();
        let said = |answered: &Answered<'_, Kept>| answered.answer.map(|(_, said, _)| said);
        answers.sort_by_key(|answered| (answered.at, rank(&self.protocol, said(answered))));
        for Answered { at, answer, by, .. } in answers {
            let is_unknown = match answer {
                None => true,
                // What follows speaks of what is not known, until the site answers.
                Some((_, said, kept)) => {
                    let is_state = matches!(kept, Some(Kept::State(..)));
                    let says_nothing = !is_state && !self.protocol.is_answer(*said);
                    says_nothing && state.as_ref().is_some_and(OriginState::is_unknown)
                }
            };
            let (Some((hops, said, kept)), false) = (answer, is_unknown) else {
                // It may have said anything: what was known before no longer holds.
                let since = match &state {
                    Some(before) if !is_later(before.attempted, *at) => Some(*at),
                    // Failures after it say nothing else.
                    Some(before) => rests_on_before(before, *at).then_some(before.attempted),
                    None => Some(*at),
                };
                let unknown = since.map(OriginState::unknown);
                if unknown.is_some() && state != unknown {
                    (state, body, is_new) = (unknown, None, true);
                }
                continue;
            };
            let attempt = match kept {
                // A revisit of what is not here.
                None if matches!(said, Said::Unchanged(_)) => {
                    Attempt::new(*at, Ok(with_lifetime(Response::new(304, Vec::new()), *said)))
                }
                None => Attempt::new(*at, Err(Failure::TooManyRedirects)),
                Some(Kept::OfState(_)) if *by == origin.key() => continue,
                Some(Kept::State(_, spot, of_body)) if *by == origin.key() => {
                    let of_file: OriginState = scratch.get(*spot).map_err(cannot)?;
                    let is_older =
                        |before: &OriginState| is_later(before.attempted, of_file.attempted);
                    if state.as_ref().is_some_and(is_older) {
                        self.imported.older += 1;
                        continue;
                    }
                    body = of_body.map(|spot| scratch.bytes(spot)).transpose().map_err(cannot)?;
                    (state, is_new) = (Some(of_file), true);
                    continue;
                }
                Some(Kept::Answer(spot) | Kept::OfState(spot) | Kept::State(spot, ..)) => {
                    let mut result = scratch.answer(*spot).map_err(cannot)?;
                    // The header of a revisit is its own.
                    if *hops == 0 && Said::of(result.as_ref(), *at) != Some(*said) {
                        result = result.map(|response| with_lifetime(response, *said));
                    }
                    Attempt::new(*at, result).with_redirects(redirects(*hops, by))
                }
            };
            let is_older = |before: &&OriginState| is_later(before.attempted, attempt.at);
            let after = match state.as_ref().filter(is_older) {
                Some(before) => match with_earlier(&self.protocol, before, &attempt) {
                    Some(after) => after,
                    None => {
                        self.imported.older += 1;
                        continue;
                    }
                },
                None => match self.protocol.after(state.as_ref(), &attempt) {
                    Ok(after) => after,
                    // A fault of this side says nothing about the site.
                    Err(_) => continue,
                },
            };
            match after.body_of(&attempt) {
                Some(file) => body = Some(file.to_vec()),
                // One that was found unchanged needs the body that came before.
                None if after.copy.is_none() => body = None,
                None => {}
            }
            (state, is_new) = (Some(after), true);
        }
        match state {
            Some(state) if is_new => self.put(origin.key().to_owned(), state, body),
            _ => Ok(()),
        }
    }

    fn put(&mut self, key: String, state: OriginState, body: Option<Vec<u8>>) -> Result<(), E> {
        self.imported.origins += 1;
        self.batch_bytes += body.as_ref().map_or(0, Vec::len);
        self.batch.push((key, state, body));
        if self.batch.len() >= BATCH || self.batch_bytes >= BATCH_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), E> {
        self.batch_bytes = 0;
        if self.batch.is_empty() {
            return Ok(());
        }
        let store = match &self.store {
            Some(store) => store,
            None => self.store.insert((self.open)()?),
        };
        store.put_many(self.batch.drain(..)).map_err(ExchangeError::from)?;
        Ok(())
    }
}

/// An answer whose header says how long it may be used as these words do, and not otherwise.
fn with_lifetime(mut response: Response, said: Said) -> Response {
    for name in [AGE, CACHE_CONTROL, DATE, EXPIRES] {
        response.headers.remove(name);
    }
    if let Said::File(Some(lifetime)) | Said::Unchanged(Some(lifetime)) = said {
        response.headers.extend(max_age(lifetime).map(|value| (CACHE_CONTROL, value)));
    }
    response
}

fn max_age(lifetime: u32) -> Option<HeaderValue> {
    HeaderValue::from_str(&format!("max-age={lifetime}")).ok()
}

/// So many redirects that ended at the capture with this key.
fn redirects(hops: u8, by: &str) -> Vec<Redirect> {
    let to = match Origin::of(by) {
        Ok(origin) if origin.key() == by => origin.robots_url(),
        _ => by.to_owned(),
    };
    vec![Redirect::new(301, to); hops.into()]
}

/// Returns true if what an origin is known for rests on answers from before a time: its newest attempts have
/// failed, and nothing is known from after the time that ended what was before.
fn rests_on_before(known: &OriginState, at: Timestamp) -> bool {
    let later = known.copy.as_ref().map(|copy| copy.at).max(known.no_file_at);
    matches!(known.last, Outcome::Unreachable(_)) && later.is_none_or(|later| later < at)
}

/// An origin whose newest attempts have failed, with an answer from before the last of them. `None` if what is
/// known does not rest on it.
fn with_earlier(
    protocol: &Protocol,
    known: &OriginState,
    attempt: &Attempt,
) -> Option<OriginState> {
    let Outcome::Unreachable(cause) = &known.last else { return None };
    let said = Said::of(attempt.result.as_ref(), attempt.at)?;
    if known.is_unknown() || !protocol.is_answer(said) || !rests_on_before(known, attempt.at) {
        return None;
    }
    let mut state = protocol.after(None, attempt).ok()?;
    let failures = known.events().into_iter().filter(|event| event.at > attempt.at);
    for event in failures {
        let result = match cause {
            Cause::Failure(failure) => Err(failure.clone()),
            Cause::Status(status) => Ok(Response::new(*status, Vec::new())),
        };
        // What is known was the site's.
        let failed = Attempt::new(event.at, result).confirmed(true);
        state = protocol.after(Some(&state), &failed).ok()?;
    }
    let mut earlier = known.clone();
    (earlier.copy, earlier.no_file_at) = (state.copy, state.no_file_at);
    if known.unreachable_since.is_some_and(|since| since <= attempt.at) {
        (earlier.unreachable_since, earlier.failures) = (state.unreachable_since, state.failures);
    }
    Some(earlier)
}

/// What a store knows of an origin, as an answer; or only what it answered at this time.
fn answer_of(
    state: OriginState,
    body: Option<Vec<u8>>,
    exactly: Option<Timestamp>,
) -> Option<(Said, Result<Response, Failure>)> {
    if exactly.is_some_and(|at| state.copy.as_ref().is_none_or(|copy| copy.at != at)) {
        return None;
    }
    let at = state.attempted;
    let answer = match (state.last, state.copy, body) {
        (last, Some(copy), Some(body)) if exactly.is_some() || last == Outcome::Present => {
            Ok(of_copy(&copy, body))
        }
        // Others answered then; alone it would say nothing of the site.
        (Outcome::Unreachable(Cause::Status(511)), ..) => {
            Err(Failure::Broken("HTTP 511".to_owned()))
        }
        (
            Outcome::Absent(Cause::Status(status)) | Outcome::Unreachable(Cause::Status(status)),
            ..,
        ) => Ok(Response::new(status, Vec::new())),
        (
            Outcome::Absent(Cause::Failure(cause)) | Outcome::Unreachable(Cause::Failure(cause)),
            ..,
        ) => Err(cause),
        _ => return None,
    };
    let said = Said::of(answer.as_ref(), at)?;
    Some((said, answer))
}

/// The answer that a copy was made from, as far as it is known.
fn of_copy(copy: &CachedCopy, body: Vec<u8>) -> Response {
    let mut response = Response::as_is(200, body);
    response.is_truncated = copy.is_truncated;
    response.headers.extend(max_age(copy.lifetime).map(|value| (CACHE_CONTROL, value)));
    for (name, value) in [(ETAG, &copy.etag), (LAST_MODIFIED, &copy.last_modified)] {
        let value = value.as_ref().and_then(|value| HeaderValue::from_bytes(value).ok());
        response.headers.extend(value.map(|value| (name, value)));
    }
    response
}

/// Returns true if one time counts as later than another. One from a wrong clock comes before all others.
fn is_later(one: Timestamp, other: Timestamp) -> bool {
    let latest = Timestamp::now() + CLOCK_TOLERANCE;
    (one <= latest, one) > (other <= latest, other)
}
