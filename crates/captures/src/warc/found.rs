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
    let begins = |begin: &str| {
        let text = record.content_type.get(..begin.len());
        text.is_some_and(|text| text.eq_ignore_ascii_case(begin.as_bytes()))
    };
    let is_robots = record.uri.ends_with(b"/robots.txt");
    match record.kind {
        Kind::Response => begins("application/http"),
        Kind::Revisit => true,
        // The copy of a store may come from any URL.
        Kind::Resource => is_robots || is_of_a_store(record.id),
        Kind::Metadata => begins("application/json") && is_robots,
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

type Answered = Result<(Key, Timestamp, SiteAnswer), String>;

fn answer(record: &Record<'_>) -> Option<Answered> {
    if record.uri.is_empty() {
        return Some(Err("the record has no WARC-Target-URI".to_owned()));
    }
    // What has no origin is not of a site: `dns:example.com`.
    let url = str::from_utf8(record.uri).ok().filter(|url| url.len() <= MAX_URL_BYTES)?;
    let key = Key::of(url)?;
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
    let places = match references(record, key, at) {
        Ok(places) => places,
        Err(what) => match own {
            Some(own) if own.status == 304 => return Ok(SiteAnswer::Final(own)),
            _ => return Err(what),
        },
    };
    let names = RecordNames::of("", text(record.payload_digest));
    Ok(match own {
        Some(own) if own.status != 304 && is_of_nothing(&names) => SiteAnswer::Final(own),
        own => {
            let payload = match own.as_ref().is_some_and(Response::is_part) {
                true => PayloadClaim::Part,
                false => names.claim(),
            };
            SiteAnswer::Same(Box::new(Same { own, places, payload }))
        }
    })
}

/// Where the record may be that a revisit refers to, the best place first.
///
/// # Errors
/// Returns an error if it refers to nothing.
pub fn references(
    record: &Record<'_>,
    key: &Key,
    at: Timestamp,
) -> Result<[Option<RepeatedAt<Box<str>>>; 3], String> {
    let names = RecordNames::of(text(record.refers_to), text(record.payload_digest));
    let named = |name: Option<Box<str>>| name.map(|key| RepeatedAt { key, exactly: None });
    let of_time = match text(record.refers_to_date) {
        "" => Err("the revisit does not say what it repeats: it has no WARC-Refers-To, no \
                   WARC-Refers-To-Date and no WARC-Payload-Digest"
            .to_owned()),
        date => earlier(record, date.as_bytes(), key, at),
    };
    let (id, payload) = (named(names.id), named(names.payload));
    match of_time {
        Ok(of_time) => Ok([id, Some(of_time), payload]),
        Err(_) if id.is_some() || payload.is_some() => Ok([id, payload, None]),
        Err(what) => Err(what),
    }
}

/// The capture of a URL and a time to which a revisit refers.
fn earlier(
    record: &Record<'_>,
    date: &[u8],
    key: &Key,
    at: Timestamp,
) -> Result<RepeatedAt<Box<str>>, String> {
    let of = match text(record.refers_to_uri) {
        "" => Some(key.clone()),
        url => Key::of(url),
    };
    let of = of.ok_or("the revisit has no valid WARC-Refers-To-Target-URI")?;
    let of_at = time(date, "WARC-Refers-To-Date")?;
    if of == *key && of_at >= at {
        return Err("the revisit refers to itself, or to something later".to_owned());
    }
    Ok(RepeatedAt { key: of.as_str().into(), exactly: Some(of_at) })
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
