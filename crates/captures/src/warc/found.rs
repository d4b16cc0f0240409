//! What a record says of a robots.txt.

use ::http::header::{HeaderValue, LOCATION};
use robotsieve::Origin;
use robotsieve_client::Timestamp;
use robotsieve_client::internals::MAX_BODY_BYTES;
use robotsieve_client::network::is_redirect;
use robotsieve_client::outcome::{OriginState, Response};

use super::extract::Extract;
use super::http;
use super::record::{End, Kind, Record};
use super::state::of_json;
use crate::capture::{Capture, Key, MAX_URL_BYTES, RecordNames, RecordPlace, Same, SiteAnswer};
use crate::history::RepeatedAt;
use crate::instant::w3cdtf;
use crate::payload::PayloadClaim;

/// The contents of a record.
pub enum RecordFound {
    /// An answer, and the id of its record.
    Answer(Box<str>, Box<Capture>),
    /// All that a store knew of an origin.
    State(Box<StateRecord>),
}

/// All that a store knew of an origin.
pub struct StateRecord {
    pub place: RecordPlace,
    pub origin: Origin<'static>,
    pub state: OriginState,
    /// The id of the record with the body.
    pub refers_to: Box<str>,
}

/// Makes captures of records.
pub struct Captures;

impl Extract for Captures {
    type Found = RecordFound;

    fn is_wanted(&self, record: &Record<'_>) -> bool {
        is_wanted(record)
    }

    fn read(&self, record: &Record<'_>, place: RecordPlace) -> Option<Result<RecordFound, String>> {
        read(record, place)
    }

    fn weight(&self, found: &RecordFound) -> usize {
        match found {
            RecordFound::Answer(_, capture) => 512 + capture.answer.body().map_or(0, <[u8]>::len),
            RecordFound::State(_) => 1024,
        }
    }
}

/// Returns true if a record can say something about a robots.txt. A redirect may lead to any page, so all
/// answers can.
fn is_wanted(record: &Record<'_>) -> bool {
    let json = b"application/json";
    let begin = record.content_type.get(..json.len());
    let is_json = begin.is_some_and(|begin| begin.eq_ignore_ascii_case(json));
    let is_robots = record.uri.ends_with(b"/robots.txt");
    match record.kind {
        Kind::Response | Kind::Revisit => true,
        // The copy of a store may come from any URL.
        Kind::Resource => is_robots || is_of_a_store(record.id),
        Kind::Metadata => is_json && is_robots,
        Kind::Other => false,
    }
}

/// Returns true if the id of a record is one of `store export`: a UUID of version 8.
fn is_of_a_store(id: &[u8]) -> bool {
    id.strip_prefix(b"<urn:uuid:").and_then(|id| id.get(14)) == Some(&b'8')
}

/// Reads a record.
fn read(record: &Record<'_>, place: RecordPlace) -> Option<Result<RecordFound, String>> {
    Some(match record.kind {
        Kind::Metadata => match of_json(record.block) {
            None if is_of_a_store(record.id) => Err("its state is no valid JSON".to_owned()),
            None => return None,
            Some(Ok((key, state))) => {
                Origin::of(&key).map_err(|error| error.to_string()).map(|origin| {
                    RecordFound::State(Box::new(StateRecord {
                        place,
                        origin: origin.into_owned(),
                        state,
                        refers_to: text(record.refers_to).into(),
                    }))
                })
            }
            Some(Err(cause)) => Err(cause),
        },
        _ => answer(record)?.map(|(key, time, answer)| {
            let (origin, other) = key.into_parts();
            let names = RecordNames::of(text(record.id), text(record.payload_digest));
            let capture = Capture { origin, other, at: Some(time), answer, place, names };
            RecordFound::Answer(text(record.id).into(), Box::new(capture))
        }),
    })
}

pub fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or_default()
}

/// Why nobody knows what a record says, by its head.
pub fn says_nothing(record: &Record<'_>) -> Option<String> {
    let what = if !record.has_uri() {
        "the record has no valid WARC-Target-URI"
    } else if record.kind == Kind::Response && !record.is_http() {
        "the Content-Type of the response is not application/http"
    } else {
        return None;
    };
    Some(what.to_owned())
}

type Answered = Result<(Key, Timestamp, SiteAnswer), String>;

fn answer(record: &Record<'_>) -> Option<Answered> {
    if !record.has_uri() {
        return says_nothing(record).map(Err);
    }
    // What has no origin is not of a site: `dns:example.com`.
    let url = str::from_utf8(record.uri).ok().filter(|url| url.len() <= MAX_URL_BYTES)?;
    let key = Key::of(url)?;
    if let Some(what) = says_nothing(record) {
        return Some(Err(what));
    }
    Some(time(record.date, "WARC-Date").and_then(|at| {
        let answer = match record.kind {
            Kind::Resource if record.end == End::Early => SiteAnswer::Failed(http::broken()),
            Kind::Resource => {
                let mut response = Response::new(200, record.block);
                let is_long = response.body.len() > MAX_BODY_BYTES;
                response.is_truncated = is_long || record.end == End::Limit;
                of_response(response, url, is_of_a_store(record.id))
            }
            Kind::Revisit => revisit(record, url, &key, at)?,
            _ => match http::response(record.block, record.end)? {
                Ok(response) => of_response(response, url, is_of_a_store(record.id)),
                Err(failure) => SiteAnswer::Failed(failure),
            },
        };
        Ok((key, at, answer))
    }))
}

pub fn time(date: &[u8], name: &str) -> Result<Timestamp, String> {
    w3cdtf(text(date)).ok_or_else(|| format!("the record has no valid {name}"))
}

pub fn of_response(response: Response, url: &str, is_of_a_store: bool) -> SiteAnswer {
    if is_redirect(response.status) {
        let location = response.headers.get(LOCATION).map(HeaderValue::as_bytes);
        return SiteAnswer::redirect(response.status, url, location);
    }
    whole_lines(response, !is_of_a_store)
}

/// A final answer. If its body was cut, it `may_end_early`, with half a line, which would be another rule.
pub fn whole_lines(response: Response, may_end_early: bool) -> SiteAnswer {
    let response = match response.is_truncated && may_end_early {
        true => response.cut(MAX_BODY_BYTES),
        false => response,
    };
    match response.unread() {
        Some(failure) => SiteAnswer::Failed(failure),
        None => SiteAnswer::Final(response),
    }
}

/// The answer of a revisit: status and header are its own, and only the payload is another record's.
fn revisit(record: &Record<'_>, url: &str, key: &Key, at: Timestamp) -> Result<SiteAnswer, String> {
    let own = match http::head(record.block)? {
        Some(own) if !matches!(own.status, 200..=299 | 304) => {
            return Ok(of_response(own, url, false));
        }
        own => own,
    };
    let status = own.as_ref().map_or(0, |own| own.status);
    let places = references(record, key, at, status);
    if let Some(own) = &own
        && own.status == 304
        && places.iter().all(Option::is_none)
    {
        return Ok(SiteAnswer::Final(own.clone()));
    }
    let names = names_of_payload(record.payload_digest, status);
    Ok(match own {
        Some(own) if is_of_nothing(&names) => SiteAnswer::Final(own),
        own => {
            let payload = match own.as_ref().is_some_and(Response::is_part) {
                true => PayloadClaim::Part,
                false => names.claim(),
            };
            SiteAnswer::Same(Box::new(Same { own, places, payload }))
        }
    })
}

/// Where the record may be that a revisit of this status refers to, the best place first. Where it refers to nothing, it
/// is not known what the site answered.
pub fn references(
    record: &Record<'_>,
    key: &Key,
    at: Timestamp,
    status: u16,
) -> [Option<RepeatedAt<Box<str>>>; 3] {
    let id = RecordNames::of(text(record.refers_to), "").id;
    let payload = names_of_payload(record.payload_digest, status).payload;
    let named = |name: Option<Box<str>>| name.map(|key| RepeatedAt { key, exactly: None });
    [named(id), earlier(record, key, at), named(payload)]
}

/// The payload that a record of this status names by its digest. A 304 has no body, so the digest of one without bytes
/// says nothing of the file.
pub fn names_of_payload(digest: &[u8], status: u16) -> RecordNames {
    let names = RecordNames::of("", text(digest));
    if status == 304 && is_of_nothing(&names) { RecordNames::default() } else { names }
}

/// The capture of a URL and a time to which a revisit refers, if that is neither itself nor later.
fn earlier(record: &Record<'_>, key: &Key, at: Timestamp) -> Option<RepeatedAt<Box<str>>> {
    let of_at = w3cdtf(text(record.refers_to_date))?;
    let of = match text(record.refers_to_uri) {
        "" => key.clone(),
        url => Key::of(url)?,
    };
    let is_earlier = of != *key || of_at < at;
    is_earlier.then(|| RepeatedAt { key: of.as_str().into(), exactly: Some(of_at) })
}

/// Returns true if a payload of this digest has no bytes. It may stand in any record, also in one without a
/// file.
pub fn is_of_nothing(names: &RecordNames) -> bool {
    const NOTHING: [&str; 3] = [
        "payload sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "payload sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "payload md5:d41d8cd98f00b204e9800998ecf8427e",
    ];
    names.payload.as_deref().is_some_and(|name| NOTHING.contains(&name))
}
