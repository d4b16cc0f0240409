//! What headers say about time: `Cache-Control`, `Age`, `Expires`, `Retry-After`.

use std::time::{Duration, SystemTime};

use headers::{Age, CacheControl, Date, Expires, Header, HeaderMapExt};
use http::header::CACHE_CONTROL;
use http::{HeaderMap, HeaderValue};

use crate::time::Timestamp;

/// How long an answer may be used from now on, as its headers say; `None` if they do not say.
pub(super) fn lifetime(headers: &HeaderMap, at: Timestamp) -> Option<Duration> {
    let age =
        headers.typed_get::<Age>().map_or(Duration::ZERO, |age| Duration::from_secs(age.as_secs()));
    if let Some(control) = cache_control(headers) {
        if control.no_store() || control.no_cache() {
            return Some(Duration::ZERO);
        }
        if let Some(stated) = control.max_age() {
            return Some(stated.saturating_sub(age));
        }
    }
    let expires: SystemTime = headers.typed_get::<Expires>()?.into();
    let date = headers.typed_get::<Date>().map_or(at.into(), SystemTime::from);
    Some(expires.duration_since(date).unwrap_or_default().saturating_sub(age))
}

/// The directives of `Cache-Control`. Their names are case-insensitive (RFC 9111, section 5.2),
/// but the crate `headers` recognises them only in lower case.
fn cache_control(headers: &HeaderMap) -> Option<CacheControl> {
    let lower_case =
        |value: &HeaderValue| HeaderValue::from_bytes(&value.as_bytes().to_ascii_lowercase()).ok();
    let values = headers.get_all(CACHE_CONTROL).iter().filter_map(lower_case);
    CacheControl::decode(&mut values.collect::<Vec<_>>().iter()).ok()
}

/// The time before which the site asks for no further request.
pub(super) fn retry_after(headers: &HeaderMap, at: Timestamp) -> Option<Timestamp> {
    let value = headers.get(http::header::RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse() {
        return Some(at + Duration::from_secs(seconds));
    }
    Some(httpdate::parse_http_date(value).ok()?.into())
}
