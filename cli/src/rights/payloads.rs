//! The bodies of revisits, which other records of the archives have.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use robotsieve_captures::packs::GatherInput;
use robotsieve_captures::warc::{self, Answers, ResponseItem, ResponseRecord};
use robotsieve_captures::{Key, Lead, PayloadClaim, RepeatedAt, Says, SiteAnswer};
use robotsieve_client::Timestamp;
use robotsieve_client::internals::has_file;
use robotsieve_client::outcome::{ContentHash, Said};
use robotsieve_rights::Response;
use robotsieve_rights::internals::origin_of_tdm;
use url::Url;

use super::args::RightsArgs;
use super::page::{is_part, names_rsl, page_of};
use super::row::Page;
use crate::error::Failure;
use crate::pack::sources::{CaptureSource, Faults};
use crate::read::warc_files;

/// The records to which revisits refer, as hashes: of a name, or of a URL and a time.
#[derive(Default)]
pub struct References {
    hasher: RandomState,
    wanted: HashSet<u64>,
}

impl References {
    fn hash(&self, key: &str, at: Option<Timestamp>) -> u64 {
        self.hasher.hash_one((key, at.map(|at| at.0)))
    }

    fn add(&mut self, place: &RepeatedAt<Box<str>>) {
        let hash = self.hash(&place.key, place.exactly);
        self.wanted.insert(hash);
    }
}

/// A source of captures that notes to what its revisits refer.
pub struct Noting<S> {
    pub source: S,
    pub references: Arc<Mutex<References>>,
}

impl<S: CaptureSource> CaptureSource for Noting<S> {
    fn next(&mut self, faults: &Faults) -> Option<GatherInput> {
        let input = self.source.next(faults)?;
        if let GatherInput::Capture(capture) = &input
            && let SiteAnswer::Same(same) = &capture.answer
        {
            let mut references = self.references.lock().unwrap_or_else(PoisonError::into_inner);
            same.places.iter().flatten().for_each(|place| references.add(place));
        }
        Some(input)
    }
}

/// What a record has that a revisit repeats.
pub struct Payload {
    pub status: u16,
    pub headers: Vec<(String, Vec<u8>)>,
    /// What its page says, without its header but for the type.
    pub page: (Page, Response),
    /// Its body, if that may be a document.
    pub document: Option<Vec<u8>>,
    digest: ContentHash,
    claim: PayloadClaim,
    /// What its answer says.
    said: Option<Said>,
}

impl Payload {
    /// Returns true if a revisit of this status may repeat it. The body of an error is not that of a 2xx.
    pub fn may_be_of(&self, status: u16) -> bool {
        status == 0 || status == self.status || has_file(self.status)
    }
}

/// What the records have to which revisits refer.
pub struct Payloads {
    references: References,
    by_place: HashMap<u64, Arc<Payload>>,
}

impl Payloads {
    /// Reads the archives once more, unless no revisit refers to anything.
    pub fn read(args: &RightsArgs, references: References) -> Result<Payloads, Failure> {
        let mut by_place = HashMap::new();
        if !references.wanted.is_empty() {
            let look = |record: &ResponseRecord<'_>| Ok(of_record(record, &references));
            let weigh = |_: &Option<(Vec<u64>, Payload)>| 4096;
            let take = |item: ResponseItem<Option<(Vec<u64>, Payload)>>| {
                if let ResponseItem::Made(Some((places, payload))) = item {
                    let payload = Arc::new(payload);
                    by_place.extend(places.into_iter().map(|place| (place, Arc::clone(&payload))));
                }
                Ok::<(), Failure>(())
            };
            // What is damaged is told when the responses are judged.
            let files = warc_files::opened(&args.warc);
            let (with, threads) = (Answers::Responses, args.threads.get());
            warc::read_responses(with, files, threads, look, weigh, take, |_| ())?;
        }
        Ok(Payloads { references, by_place })
    }

    /// What the record has that a revisit repeats. `None` unless that has the digest that the revisit states.
    pub fn of(&self, record: &ResponseRecord<'_>) -> Option<&Payload> {
        let mut places = record.repeats.iter().flatten().flatten();
        let of = |place: &RepeatedAt<Box<str>>| {
            self.by_place.get(&self.references.hash(&place.key, place.exactly))
        };
        let found = places.find_map(of).map(|payload| &**payload);
        found.filter(|payload| record.claim().is_of(payload.claim))
    }

    /// The status of an answer; of a revisit without a header, of the one that it repeats.
    pub fn status(&self, record: &ResponseRecord<'_>) -> u16 {
        match self.of(record) {
            Some(payload) if record.status == 0 => payload.status,
            _ => record.status,
        }
    }

    /// What an answer says that is no redirect; of a revisit, together with the record that it repeats, as
    /// [`Lead::says`] has it. `None` if that is not known.
    pub fn said(&self, record: &ResponseRecord<'_>, answer: &SiteAnswer) -> Option<Said> {
        let own = said_of(answer, record.at).filter(|_| record.status != 0);
        let is_whole = !matches!(own, None | Some(Said::File(_) | Said::Unchanged(_)));
        let mut places = record.repeats.iter().flatten().flatten();
        match self.of(record) {
            _ if is_whole => own,
            Some(payload) => {
                let mut lead = Lead::redirect((), 0);
                (lead.revisit, lead.payload) = (Some(((), own)), record.claim());
                lead.says(payload.said?)
            }
            // A 304 that names no record speaks of the file that its own URL had.
            None => own.filter(|own| !matches!(own, Said::Unchanged(_)) || places.next().is_none()),
        }
    }

    /// The SHA-256 of what a record has of its answer; of a revisit, of that of the record that it repeats and of
    /// what its own has.
    pub fn digest(&self, record: &ResponseRecord<'_>) -> ContentHash {
        match self.of(record) {
            Some(payload) => ContentHash::of(&[&payload.digest.0, record.block()].concat()),
            None => ContentHash::of(record.block()),
        }
    }
}

/// What an answer says that is no redirect.
fn said_of(answer: &SiteAnswer, at: Timestamp) -> Option<Said> {
    match answer.says::<()>(at) {
        Some(Says::Answer(said, _)) => Some(said),
        _ => None,
    }
}

/// What a record has, if a revisit refers to it, and under which places.
fn of_record(record: &ResponseRecord<'_>, references: &References) -> Option<(Vec<u64>, Payload)> {
    if record.repeats.is_some() {
        return None;
    }
    let names = record.names();
    let names = [&names.id, &names.payload].into_iter().flatten();
    let mut places: Vec<u64> = names.map(|name| references.hash(name, None)).collect();
    places.extend(Key::of(record.url).map(|key| references.hash(key.as_str(), Some(record.at))));
    places.retain(|place| references.wanted.contains(place));
    if places.is_empty() {
        return None;
    }
    let headers = record.headers().map(|(name, value)| (name.to_owned(), value.to_owned()));
    let headers: Vec<_> = headers.collect();
    // Its type says how the page is to be read.
    let types = record.headers().filter(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let response = Response::new().with_headers(types);
    let page = page_of(record.headers(), record.status, response, || record.body());
    let is_tdm = origin_of_tdm(record.url).is_some();
    let is_robots = Url::parse(record.url).is_ok_and(|url| url.path() == "/robots.txt");
    let is_document =
        |body: &Vec<u8>| is_tdm || is_robots || page.0 == Page::NotHtml && names_rsl(body);
    let is_part = is_part(record.headers(), record.status);
    let document = record.body().ok().filter(|body| !body.is_cut && !is_part);
    let document = document.map(|body| body.bytes).filter(is_document);
    let digest = ContentHash::of(record.block());
    let claim = record.claim();
    let said = said_of(&record.answer(), record.at);
    Some((places, Payload { status: record.status, headers, page, document, digest, claim, said }))
}
