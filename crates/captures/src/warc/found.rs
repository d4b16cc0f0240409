//! What a record says of a robots.txt.

use ::http::header::LOCATION;
use robotsieve::Origin;
use robotsieve_client::Timestamp;
use robotsieve_client::internals::MAX_BODY_BYTES;
use robotsieve_client::network::is_redirect;
use robotsieve_client::outcome::{OriginState, Response};

use super::extract::Extract;
use super::http;
use super::record::{End, Kind, Record};
use super::state::of_json;
use crate::capture::{Capture, Key, MAX_URL_BYTES, RecordPlace, Same, SiteAnswer};

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
        Kind::Metadata => match of_json(record.block)? {
            Ok((key, state)) => Origin::of(&key).map_err(|error| error.to_string()).map(|origin| {
                RecordFound::State(Box::new(StateRecord {
                    place,
                    origin: origin.into_owned(),
                    state,
                    refers_to: text(record.refers_to).into(),
                }))
            }),
            Err(cause) => Err(cause),
        },
        _ => answer(record)?.map(|(key, time, answer)| {
            let (origin, other) = key.into_parts();
            let capture = Capture { origin, other, at: Some(time), answer, place };
            RecordFound::Answer(text(record.id).into(), Box::new(capture))
        }),
    })
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or_default()
}

type Answered = Result<(Key, Timestamp, SiteAnswer), String>;

fn answer(record: &Record<'_>) -> Option<Answered> {
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
            Kind::Revisit => revisit(record, &key, at)?,
            _ => match http::response(record.block, record.end)? {
                Ok(response) => of_response(response, url, is_of_a_store(record.id)),
                Err(failure) => SiteAnswer::Failed(failure),
            },
        };
        Ok((key, at, answer))
    }))
}

pub fn time(date: &[u8], name: &str) -> Result<Timestamp, String> {
    let time = humantime::parse_rfc3339_weak(text(date)).map(Timestamp::from);
    time.map_err(|_| format!("the record has no valid {name}"))
}

fn of_response(response: Response, url: &str, is_of_a_store: bool) -> SiteAnswer {
    if is_redirect(response.status) {
        let location = response.headers.get(LOCATION);
        let location = location.and_then(|to| str::from_utf8(to.as_bytes()).ok());
        return SiteAnswer::redirect(response.status, url, location);
    }
    match response.is_truncated && !is_of_a_store {
        true => whole_lines(response),
        false => SiteAnswer::Final(response),
    }
}

/// An answer whose body was cut, and may end with half a line, which would be another rule.
pub fn whole_lines(response: Response) -> SiteAnswer {
    let response = response.cut(MAX_BODY_BYTES);
    match response.body.is_empty() {
        // Nothing is known of the rules that were cut off.
        true => SiteAnswer::Failed(http::broken()),
        false => SiteAnswer::Final(response),
    }
}

/// An answer that an earlier record has.
fn revisit(record: &Record<'_>, key: &Key, at: Timestamp) -> Result<SiteAnswer, String> {
    const UNMODIFIED: &[u8] = b"server-not-modified";
    if !record.refers_to_date.is_empty() {
        let of = match text(record.refers_to_uri) {
            "" => Some(key.clone()),
            url => Key::of(url),
        };
        let of = of.ok_or("the revisit has no valid WARC-Refers-To-Target-URI")?;
        let of_at = time(record.refers_to_date, "WARC-Refers-To-Date")?;
        if of == *key && of_at >= at {
            return Err("the revisit refers to itself, or to something later".to_owned());
        }
        return Ok(SiteAnswer::Same(Same { key: of.as_str().into(), at: of_at }));
    }
    let is_unmodified = memchr::memmem::find(record.profile, UNMODIFIED).is_some();
    match http::response(record.block, record.end) {
        Ok(Ok(response)) if is_unmodified && response.status == 304 => {
            Ok(SiteAnswer::Final(response))
        }
        _ => Err("the revisit has no WARC-Refers-To-Date, which says what it repeats".to_owned()),
    }
}
