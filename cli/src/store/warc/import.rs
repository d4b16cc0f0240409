//! WARC files into a store: our own, which say everything, and those of other crawlers.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsString;
use std::path::Path;

use http::HeaderValue;
use http::header::{CACHE_CONTROL, ETAG, LAST_MODIFIED};
use robotsieve::Profile;
use robotsieve_client::Timestamp;
use robotsieve_client::captures::warc::{self, Counts, Item, Known};
use robotsieve_client::captures::{Answer, CLOCK_TOLERANCE, Capture, Key, MAX_HOPS};
use robotsieve_client::outcome::{
    Attempt, Cause, Failure as FetchFailure, OriginState, Outcome, Protocol, Redirect, Response,
    Said,
};
use robotsieve_client::store::Store;

use crate::error::Failure;
use crate::read::stores;
use crate::read::warc_files::{self, Damage, tell_unreadable};
use crate::write::stderr;

/// How many origins, and how many bytes of bodies, are put into the store at once.
const BATCH: usize = 8192;
const BATCH_BYTES: usize = 32 << 20;
/// How many bytes of redirects, and as many of what they may lead to, are kept until the end of the
/// input.
const KEPT_BYTES: usize = 128 << 20;

/// What came of the files.
#[derive(Debug, Default)]
pub struct Imported {
    pub counts: Counts,
    /// Origins that were put into the store. One that occurs twice counts twice.
    pub origins: u64,
    /// What the store knew better already.
    pub older: u64,
    /// Redirects and revisits of what is not in the files.
    pub unknown_targets: u64,
    /// States whose body is missing.
    pub incomplete: u64,
}

/// Imports files into the store at a path, which is made when there is something to put into it.
/// Calls `done` with the numbers of bytes that were read.
///
/// # Errors
/// Returns an error if the store cannot be written.
pub fn import(
    names: &[OsString],
    path: &Path,
    threads: usize,
    done: impl Fn(u64),
) -> Result<(Imported, Option<Store>), Failure> {
    // One that is there and is none, or is in use, is found out before anything is read.
    let store = if path.exists() { Some(stores::open(path)?) } else { None };
    let mut import = Import {
        path,
        store,
        protocol: Protocol::of(&Profile::RFC9309),
        batch: HashMap::new(),
        batch_bytes: 0,
        later: BTreeMap::new(),
        others: HashMap::new(),
        later_bytes: 0,
        others_bytes: 0,
        damage: Damage::default(),
        imported: Imported::default(),
    };
    let files = warc_files::opened(names);
    let counts = warc::read(files, threads, |item| import.item(item), done)?;
    import.flush()?;
    import.follow()?;
    import.flush()?;
    import.imported.counts = counts;
    Ok((import.imported, import.store))
}

struct Import<'i> {
    path: &'i Path,
    store: Option<Store>,
    protocol: Protocol,
    /// What is not in the store yet.
    batch: HashMap<String, (OriginState, Option<Vec<u8>>)>,
    batch_bytes: usize,
    /// The newest answer of each origin that is that of another URL.
    later: BTreeMap<String, Elsewhere>,
    /// Answers for URLs that are no robots.txt.
    others: HashMap<Box<str>, (Timestamp, Answer)>,
    later_bytes: usize,
    others_bytes: usize,
    damage: Damage,
    imported: Imported,
}

/// An answer that is that of another URL.
struct Elsewhere {
    at: Timestamp,
    to: To,
}

enum To {
    Redirect(Redirect),
    /// The answer that this key had at this time.
    Same(Box<str>, Timestamp),
}

impl Import<'_> {
    fn item(&mut self, item: Item) -> Result<(), Failure> {
        match item {
            Item::Known(known) => self.state(*known),
            Item::Capture(capture) => self.capture(capture),
            Item::Damaged { place, what } => {
                self.damage.tell(&place, &what);
                Ok(())
            }
            Item::Unreadable(unreadable) => {
                tell_unreadable(unreadable);
                Ok(())
            }
        }
    }

    /// An origin with everything that a store knew of it.
    fn state(&mut self, known: Known) -> Result<(), Failure> {
        let Known { origin, state, copy, place } = known;
        let key = origin.key().to_owned();
        let mut body = copy.map(|response| response.body);
        match &state.copy {
            Some(copy) if body.is_none() => {
                let has_body = match &self.store {
                    Some(store) => store.body(&copy.content)?.is_some(),
                    None => false,
                };
                if !has_body {
                    self.imported.incomplete += 1;
                    stderr::error(&format_args!(
                        "{place}: the body of {key} is missing or another one; left out"
                    ));
                    return Ok(());
                }
            }
            Some(_) => {}
            None => body = None,
        }
        let before = self.known(&key)?;
        if before.is_some_and(|before| is_later(before.attempted, state.attempted)) {
            self.imported.older += 1;
            return Ok(());
        }
        self.put(key, state, body)
    }

    fn capture(&mut self, capture: Capture) -> Result<(), Failure> {
        let at = capture.time();
        if let Some(url) = capture.other {
            let bytes = url.len() + capture.answer.body().map_or(0, <[u8]>::len);
            if keeps(&mut self.others_bytes, bytes) {
                let is_newer = self.others.get(&url).is_none_or(|(other, _)| *other <= at);
                if is_newer {
                    self.others.insert(url, (at, capture.answer));
                }
            }
            return Ok(());
        }
        let key = capture.origin.key();
        let result = match capture.answer {
            Answer::Final(response) => Ok(response),
            Answer::Failed(failure) => Err(failure),
            Answer::Redirect(redirect) => return self.elsewhere(key, at, To::Redirect(redirect)),
            Answer::Same(same) => return self.elsewhere(key, at, To::Same(same.key, same.at)),
        };
        self.attempt(key, Attempt::new(at, result))
    }

    fn elsewhere(&mut self, key: &str, at: Timestamp, to: To) -> Result<(), Failure> {
        if self.later.get(key).is_some_and(|step| step.at > at) {
            return Ok(());
        }
        let bytes = match &to {
            To::Redirect(redirect) => redirect.to.len(),
            To::Same(key, _) => key.len(),
        };
        if keeps(&mut self.later_bytes, key.len() + bytes) {
            self.later.insert(key.to_owned(), Elsewhere { at, to });
        } else {
            self.imported.unknown_targets += 1;
        }
        Ok(())
    }

    /// What follows from an attempt.
    fn attempt(&mut self, key: &str, attempt: Attempt) -> Result<(), Failure> {
        let before = self.known(key)?;
        let is_older = |before: &&OriginState| is_later(before.attempted, attempt.at);
        let state = match before.as_ref().filter(is_older) {
            Some(before) => match self.with_earlier(before, &attempt) {
                Some(state) => state,
                None => {
                    self.imported.older += 1;
                    return Ok(());
                }
            },
            // A fault of this side says nothing about the site.
            None => match self.protocol.after(before.as_ref(), &attempt) {
                Ok(state) => state,
                Err(_) => return Ok(()),
            },
        };
        let body = match attempt.result {
            Ok(response) if state.copy.is_some() && (200..300).contains(&response.status) => {
                Some(response.body)
            }
            _ => None,
        };
        self.put(key.to_owned(), state, body)
    }

    /// An origin whose newest attempts have failed, with a copy from before them. `None` if what is
    /// known needs no copy, or has a later one.
    fn with_earlier(&self, known: &OriginState, attempt: &Attempt) -> Option<OriginState> {
        let Outcome::Unreachable(cause) = &known.last else { return None };
        let is_file = attempt.result.as_ref().is_ok_and(|found| (200..300).contains(&found.status));
        let has_later = known.copy.as_ref().is_some_and(|copy| copy.at > attempt.at);
        let since = known.unreachable_since.unwrap_or(known.attempted);
        if !is_file || has_later || attempt.at > since {
            return None;
        }
        let mut state = self.protocol.after(None, attempt).ok()?;
        for event in known.events().into_iter().filter(|event| !matches!(event.said, Said::File(_)))
        {
            let result = match cause {
                Cause::Failure(failure) => Err(failure.clone()),
                Cause::Status(status) => Ok(Response::new(*status, Vec::new())),
                _ => return None,
            };
            state = self.protocol.after(Some(&state), &Attempt::new(event.at, result)).ok()?;
        }
        let mut with_copy = known.clone();
        with_copy.copy = state.copy;
        Some(with_copy)
    }

    /// Follows redirects and revisits to what the files, or the store, have.
    fn follow(&mut self) -> Result<(), Failure> {
        let steps = std::mem::take(&mut self.later);
        for (key, Elsewhere { at, to }) in &steps {
            let (mut at, mut redirects) = (*at, Vec::new());
            let mut seen = HashSet::from([key.clone()]);
            let mut next = match to {
                To::Redirect(redirect) => Next::Redirect(redirect.clone()),
                To::Same(of, of_at) => Next::Result(self.found(of, Some(*of_at), &mut at)?),
            };
            let result = loop {
                let redirect = match next {
                    Next::Result(result) => break result,
                    Next::Redirect(redirect) => redirect,
                };
                let Some(to) = Key::of(&redirect.to) else { break None };
                redirects.push(redirect);
                if !seen.insert(to.as_str().to_owned()) {
                    break Some(Err(FetchFailure::RedirectLoop));
                }
                if redirects.len() > MAX_HOPS.into() {
                    break Some(Err(FetchFailure::TooManyRedirects));
                }
                next = match (steps.get(to.as_str()), self.others.get(to.as_str())) {
                    (Some(Elsewhere { to: To::Redirect(redirect), .. }), _)
                    | (None, Some((_, Answer::Redirect(redirect)))) => {
                        Next::Redirect(redirect.clone())
                    }
                    (Some(Elsewhere { to: To::Same(of, of_at), .. }), _) => {
                        Next::Result(self.found(of, Some(*of_at), &mut at)?)
                    }
                    (None, Some((then, answer))) => {
                        at = at.min(*then);
                        Next::Result(match answer {
                            Answer::Final(response) => Some(Ok(response.clone())),
                            Answer::Failed(failure) => Some(Err(failure.clone())),
                            _ => None,
                        })
                    }
                    (None, None) => Next::Result(self.found(to.as_str(), None, &mut at)?),
                };
            };
            match result {
                None => self.imported.unknown_targets += 1,
                Some(result) => {
                    let attempt = Attempt::new(at, result).with_redirects(redirects);
                    self.attempt(key, attempt)?;
                }
            }
        }
        Ok(())
    }

    /// What is known of the origin with this key, as an answer; or only what it answered at this
    /// time. Moves the time of the attempt back to when that was found.
    fn found(
        &mut self,
        key: &str,
        of_at: Option<Timestamp>,
        at: &mut Timestamp,
    ) -> Result<Option<Result<Response, FetchFailure>>, Failure> {
        let found = match (self.batch.get(key), &self.store) {
            (Some((state, body @ Some(_))), _) => Some((state.clone(), body.clone())),
            (_, Some(store)) => store.get_with_body(key)?,
            (_, None) => None,
        };
        let Some((state, body)) = found else { return Ok(None) };
        if let Some(of_at) = of_at {
            // A revisit is an answer of its own time.
            if state.copy.as_ref().is_none_or(|copy| copy.at != of_at) {
                return Ok(None);
            }
        } else {
            *at = state.attempted.min(*at);
        }
        Ok(match (state.last, state.copy, body) {
            (last, Some(copy), Some(body)) if of_at.is_some() || last == Outcome::Present => {
                let mut response = Response::new(200, body);
                response.is_truncated = copy.is_truncated;
                let lifetime = format!("max-age={}", copy.lifetime);
                let lifetime = lifetime.parse().ok();
                response.headers.extend(lifetime.map(|value| (CACHE_CONTROL, value)));
                for (name, value) in [(ETAG, copy.etag), (LAST_MODIFIED, copy.last_modified)] {
                    let value = value.and_then(|value| HeaderValue::from_bytes(&value).ok());
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

    fn known(&self, key: &str) -> Result<Option<OriginState>, Failure> {
        match (self.batch.get(key), &self.store) {
            (Some((state, _)), _) => Ok(Some(state.clone())),
            (None, Some(store)) => Ok(store.get(key)?),
            (None, None) => Ok(None),
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
        if rows.is_empty() {
            return Ok(());
        }
        // In the order of their keys, so that equal files give equal stores.
        rows.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        let store = match &self.store {
            Some(store) => store,
            None => self.store.insert(stores::open(self.path)?),
        };
        store.put_many(rows.into_iter().map(|(key, (state, body))| (key, state, body)))?;
        Ok(())
    }
}

/// Whether there is memory for so many bytes more.
fn keeps(kept: &mut usize, bytes: usize) -> bool {
    let wanted = kept.saturating_add(bytes + 128);
    let is_kept = wanted <= KEPT_BYTES;
    if is_kept {
        *kept = wanted;
    }
    is_kept
}

/// What an answer leads to.
enum Next {
    Redirect(Redirect),
    /// `None` if it is not known.
    Result(Option<Result<Response, FetchFailure>>),
}

/// Whether one time counts as later than another. One from a wrong clock comes before all others.
fn is_later(one: Timestamp, other: Timestamp) -> bool {
    let latest = Timestamp::now() + CLOCK_TOLERANCE;
    (one <= latest, one) > (other <= latest, other)
}
