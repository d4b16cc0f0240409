//! A WARC file into a store: our own, which say everything, and those of other crawlers.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Duration;

use robotsieve::{Origin, Profile};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{
    Attempt, Cause, ContentHash, Failure as FetchFailure, OriginState, Outcome, Protocol, Redirect,
    Response,
};
use robotsieve_client::store::{MAX_BODY_BYTES, Store};

use super::http;
use super::reader::{End, Next, Reader, Record};
use super::state;
use crate::error::Failure;
use crate::write::stderr;

/// How many origins, and how many bytes of bodies, are put into the store at once.
const BATCH: usize = 8192;
const BATCH_BYTES: usize = 32 << 20;
/// How many bytes of URLs of redirects are kept until the end of the file.
const REDIRECT_BYTES: usize = 256 << 20;
/// Longer URLs are left out.
const MAX_URL_BYTES: usize = 8 << 10;
/// How many damaged places are named one by one.
const NAMED: u64 = 20;
/// How far redirects are followed: beyond what any protocol counts.
const MAX_REDIRECTS: usize = 20;
/// How far apart two clocks may be.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(5 * 60);

/// What came of a file.
#[derive(Debug, Default)]
pub struct Imported {
    /// Origins that were put into the store. One that occurs twice counts twice.
    pub origins: u64,
    /// What the store knew better already.
    pub older: u64,
    /// Redirects to what is not in the file.
    pub unknown_targets: u64,
    /// Damaged records, and answers that could not be read.
    pub damaged: u64,
}

/// Imports a file. Calls `done` with the number of the records read.
///
/// # Errors
/// Returns an error if the file cannot be read or the store cannot be written.
pub fn import(path: &Path, store: &Store, done: impl Fn(u64)) -> Result<Imported, Failure> {
    let cannot = |cause| Failure::io(format!("cannot read WARC file '{}'", path.display()), cause);
    let mut reader = Reader::open(path).map_err(cannot)?;
    let mut import = Import {
        path,
        store,
        protocol: Protocol::of(&Profile::RFC9309),
        batch: HashMap::new(),
        batch_bytes: 0,
        last: None,
        redirects: HashMap::new(),
        redirect_bytes: 0,
        imported: Imported::default(),
        latest: Timestamp::now() + CLOCK_TOLERANCE,
    };
    while let Some(next) = reader.next(is_wanted).map_err(cannot)? {
        match next {
            Next::Damage(offset, what) => import.damaged(offset, &what),
            Next::Record(record) => import.record(record)?,
        }
        done(1);
    }
    import.answer()?;
    import.flush()?;
    import.follow()?;
    import.flush()?;
    Ok(import.imported)
}

/// Whether a record can say something about a robots.txt.
fn is_wanted(record: &Record) -> bool {
    match &record.kind[..] {
        "response" => record.content_type.starts_with("application/http"),
        "resource" => true,
        "metadata" => record.content_type.starts_with("application/json"),
        _ => false,
    }
}

struct Import<'i> {
    path: &'i Path,
    store: &'i Store,
    protocol: Protocol,
    /// What is not in the store yet.
    batch: HashMap<String, (OriginState, Option<Vec<u8>>)>,
    batch_bytes: usize,
    /// The last answer. The next record says whether there is a state for it.
    last: Option<Answer>,
    /// The answers that lead elsewhere, by their origins.
    redirects: HashMap<String, Step>,
    redirect_bytes: usize,
    imported: Imported,
    /// Later times come from a wrong clock.
    latest: Timestamp,
}

/// The answer to a request for a URL.
struct Answer {
    offset: u64,
    id: String,
    at: Option<Timestamp>,
    uri: String,
    result: Result<Result<Response, FetchFailure>, String>,
}

/// An answer that leads elsewhere.
struct Step {
    at: Timestamp,
    redirect: Redirect,
}

impl Import<'_> {
    fn record(&mut self, record: Record) -> Result<(), Failure> {
        match &record.kind[..] {
            "metadata" if !record.block.is_empty() => match state::of_json(&record.block) {
                Some(Ok((origin, state))) => self.state(&record, origin, state),
                Some(Err(cause)) => {
                    self.damaged(record.offset, &cause);
                    Ok(())
                }
                None => Ok(()),
            },
            "response" | "resource" if is_wanted(&record) => {
                self.answer()?;
                let result = match &record.kind[..] {
                    "response" => http::response(&record.block, record.end),
                    _ if record.end == End::Early => Ok(Err(http::broken())),
                    _ => {
                        let mut response = Response::new(200, record.block);
                        let is_long = response.body.len() > MAX_BODY_BYTES;
                        response.is_truncated = is_long || record.end == End::Limit;
                        Ok(Ok(response))
                    }
                };
                let at = humantime::parse_rfc3339_weak(&record.date).ok().map(Timestamp::from);
                let (offset, id, uri) = (record.offset, record.id, record.uri);
                self.last = Some(Answer { offset, id, at, uri, result });
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// An origin with everything that is known of it.
    fn state(&mut self, record: &Record, key: String, state: OriginState) -> Result<(), Failure> {
        let is_its = |answer: &mut Answer| !answer.id.is_empty() && answer.id == record.refers_to;
        let answer = self.last.take_if(is_its);
        // An answer that this state is not about speaks for itself.
        self.answer()?;
        let response = answer.and_then(|answer| answer.result.ok()?.ok());
        let mut body = response.map(|response| response.body);
        if let Some(copy) = &state.copy {
            body.take_if(|body| ContentHash::of(body) != copy.content);
            if body.is_none() && self.store.body(&copy.content)?.is_none() {
                self.damaged(
                    record.offset,
                    &format!("the body of {key} is missing or another one"),
                );
                return Ok(());
            }
        } else {
            body = None;
        }
        let known = self.known(&key)?;
        if known.is_some_and(|known| self.is_later(known.attempted, state.attempted)) {
            self.imported.older += 1;
            return Ok(());
        }
        self.put(key, state, body)
    }

    /// An answer without a state: what another crawler wrote.
    fn answer(&mut self) -> Result<(), Failure> {
        let Some(answer) = self.last.take() else { return Ok(()) };
        let Some(origin) = origin_of(&answer.uri) else { return Ok(()) };
        let result = match answer.result {
            Ok(result) => result,
            Err(cause) => {
                self.damaged(answer.offset, &cause);
                return Ok(());
            }
        };
        let Some(at) = answer.at else {
            self.damaged(answer.offset, "the record has no valid WARC-Date");
            return Ok(());
        };
        if at > self.latest {
            self.damaged(answer.offset, "its WARC-Date is in the future: its clock was wrong");
            return Ok(());
        }
        // A copy of our own is as it should be; this one may end with half a line.
        let whole = result.map(|response| match response.is_truncated {
            true => response.cut(MAX_BODY_BYTES),
            false => response,
        });
        let response = match whole {
            // Nothing is known of the rules that were cut off.
            Ok(response) if response.is_truncated && response.body.is_empty() => {
                return self.attempt(origin.key(), &Attempt::new(at, Err(http::broken())));
            }
            Ok(response) => response,
            Err(failure) => return self.attempt(origin.key(), &Attempt::new(at, Err(failure))),
        };
        let location = response.headers.get("location").and_then(|to| to.to_str().ok());
        let to = location.and_then(|to| url::Url::parse(&answer.uri).ok()?.join(to).ok());
        match (response.status, to) {
            (301 | 302 | 303 | 307 | 308, Some(to)) if to.as_str().len() <= MAX_URL_BYTES => {
                let key = origin.key().to_owned();
                if self.redirects.get(&key).is_some_and(|step| step.at > at) {
                    return Ok(());
                }
                self.redirect_bytes += key.len() + to.as_str().len();
                if self.redirect_bytes > REDIRECT_BYTES {
                    self.imported.unknown_targets += 1;
                    return Ok(());
                }
                let redirect = Redirect::new(response.status, to);
                self.redirects.insert(key, Step { at, redirect });
                Ok(())
            }
            (301 | 302 | 303 | 307 | 308, _) => {
                let cause = FetchFailure::BadRedirect("no usable Location".to_owned());
                self.attempt(origin.key(), &Attempt::new(at, Err(cause)))
            }
            _ => self.attempt(origin.key(), &Attempt::new(at, Ok(response))),
        }
    }

    /// What follows from an attempt.
    fn attempt(&mut self, key: &str, attempt: &Attempt) -> Result<(), Failure> {
        let before = self.known(key)?;
        let is_older = |before: &OriginState| self.is_later(before.attempted, attempt.at);
        if before.as_ref().is_some_and(is_older) {
            self.imported.older += 1;
            return Ok(());
        }
        // A fault of this side says nothing about the site.
        let Ok(state) = self.protocol.after(before.as_ref(), attempt) else { return Ok(()) };
        let body = match &attempt.result {
            Ok(response) if state.copy.is_some() && (200..300).contains(&response.status) => {
                Some(response.body.clone())
            }
            _ => None,
        };
        self.put(key.to_owned(), state, body)
    }

    /// Follows the redirects to what the file, or the store, has.
    fn follow(&mut self) -> Result<(), Failure> {
        let steps = std::mem::take(&mut self.redirects);
        let mut keys: Vec<&String> = steps.keys().collect();
        keys.sort_unstable();
        for key in keys {
            let (mut at, mut redirects) = (steps[key].at, Vec::new());
            let mut seen = HashSet::new();
            let mut here = key.clone();
            let result = loop {
                if !seen.insert(here.clone()) {
                    break Some(Err(FetchFailure::RedirectLoop));
                }
                let Some(step) = steps.get(&here).filter(|_| redirects.len() < MAX_REDIRECTS)
                else {
                    break self.found(&here, &mut at)?;
                };
                redirects.push(step.redirect.clone());
                match origin_of(&step.redirect.to) {
                    Some(origin) => here = origin.key().to_owned(),
                    None => break None,
                }
            };
            match result {
                None => self.imported.unknown_targets += 1,
                Some(result) => {
                    let attempt = Attempt::new(at, result).with_redirects(redirects);
                    self.attempt(key, &attempt)?;
                }
            }
        }
        Ok(())
    }

    /// What is known of the origin at the end of redirects, as an answer. Moves the time of the
    /// attempt back to when that was found.
    fn found(
        &mut self,
        key: &str,
        at: &mut Timestamp,
    ) -> Result<Option<Result<Response, FetchFailure>>, Failure> {
        let found = match self.batch.get(key) {
            Some((state, body @ Some(_))) => Some((state.clone(), body.clone())),
            _ => self.store.get_with_body(key)?,
        };
        let Some((state, body)) = found else { return Ok(None) };
        *at = state.attempted.min(*at);
        Ok(match (state.last, state.copy, body) {
            (Outcome::Present, Some(copy), Some(body)) => {
                let mut response = Response::new(200, body);
                response.is_truncated = copy.is_truncated;
                let lifetime = format!("max-age={}", copy.lifetime);
                response.headers.extend(
                    lifetime.parse().ok().map(|value| (::http::header::CACHE_CONTROL, value)),
                );
                for (name, value) in [
                    (::http::header::ETAG, copy.etag),
                    (::http::header::LAST_MODIFIED, copy.last_modified),
                ] {
                    let value =
                        value.and_then(|value| ::http::HeaderValue::from_bytes(&value).ok());
                    response.headers.extend(value.map(|value| (name, value)));
                }
                Some(Ok(response))
            }
            (
                Outcome::Absent(Cause::Status(status))
                | Outcome::Unreachable(Cause::Status(status)),
                ..,
            ) => Some(Ok(Response::new(status, Vec::new()))),
            (
                Outcome::Absent(Cause::Failure(cause))
                | Outcome::Unreachable(Cause::Failure(cause)),
                ..,
            ) => Some(Err(cause)),
            _ => None,
        })
    }

    /// Whether one time counts as later than another. One from a wrong clock comes before all
    /// others.
    fn is_later(&self, one: Timestamp, other: Timestamp) -> bool {
        (one <= self.latest, one) > (other <= self.latest, other)
    }

    fn known(&self, key: &str) -> Result<Option<OriginState>, Failure> {
        match self.batch.get(key) {
            Some((state, _)) => Ok(Some(state.clone())),
            None => Ok(self.store.get(key)?),
        }
    }

    fn put(
        &mut self,
        key: String,
        state: OriginState,
        body: Option<Vec<u8>>,
    ) -> Result<(), Failure> {
        self.imported.origins += 1;
        // A copy that was found unchanged needs the body that came before.
        let body = body.or_else(|| {
            let (before, body) = self.batch.get(&key)?;
            let content = |state: &OriginState| state.copy.as_ref().map(|copy| copy.content);
            body.clone().filter(|_| content(before) == content(&state))
        });
        self.batch_bytes += body.as_ref().map_or(0, Vec::len);
        self.batch.insert(key, (state, body));
        if self.batch.len() >= BATCH || self.batch_bytes >= BATCH_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.batch_bytes = 0;
        let mut rows: Vec<_> = self.batch.drain().collect();
        // In the order of their keys, so that equal files give equal stores.
        rows.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        self.store.put_many(rows.into_iter().map(|(key, (state, body))| (key, state, body)))?;
        Ok(())
    }

    fn damaged(&mut self, offset: u64, what: &str) {
        self.imported.damaged += 1;
        if self.imported.damaged <= NAMED {
            let what = crate::write::bytes::shown(what.as_bytes());
            stderr::error(&format_args!(
                "{}, byte {offset}: {what}; left out",
                self.path.display()
            ));
        }
    }
}

/// The origin whose robots.txt has this URL.
fn origin_of(url: &str) -> Option<Origin<'_>> {
    let origin = (url.len() <= MAX_URL_BYTES).then(|| Origin::of(url).ok())??;
    let is_robots =
        url::Url::parse(url).is_ok_and(|url| url.path() == "/robots.txt" && url.query().is_none());
    is_robots.then_some(origin)
}
