//! Captures as rows of columns, or lines with members.

use std::time::{Duration, UNIX_EPOCH};

use robotsieve::Origin;
use robotsieve_client::Timestamp;
use robotsieve_client::internals::has_file;
use robotsieve_client::network::is_redirect;
use robotsieve_client::outcome::Response;
use robotsieve_shown::shown;

use super::capture::{CLOCK_TOLERANCE, Capture, Key, RecordNames, RecordPlace, SiteAnswer};
use super::instant::rfc3339;

/// The parts of a capture, as columns and members have them: `url`, `status`, `body`, `time` and
/// `location`.
///
/// ```
/// use std::path::Path;
///
/// use robotsieve_captures::{At, Fields, RecordPlace};
///
/// let place = RecordPlace { file: Path::new("list.jsonl").into(), at: At::Line(1) };
/// let fields = Fields { url: "https://example.com", status: 404, ..Fields::default() };
/// let capture = fields.capture(place.clone())?;
/// assert_eq!(capture.key(), "https://example.com");
///
/// let fields = Fields { url: "https://example.com", status: 1, ..Fields::default() };
/// let wrong = fields.capture(place).unwrap_err();
/// assert_eq!(wrong, "'status' is 1; an HTTP status from 100 to 999 is expected");
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Default)]
pub struct Fields<'f> {
    /// The URL of a robots.txt, of a site, or of something else that redirects may lead to.
    pub url: &'f str,
    /// The HTTP status.
    pub status: u16,
    /// The file. Only those of 2xx count.
    pub body: Vec<u8>,
    /// Seconds since 1970.
    pub at: Option<u64>,
    /// Where a redirect leads, absolute or relative to `url`.
    pub location: Option<&'f str>,
}

impl Fields<'_> {
    /// The description of `url`, for messages.
    pub const URL: &'static str = "the URL of a site, as in https://example.com/robots.txt,";
    /// The description of `status`.
    pub const STATUS: &'static str = "an HTTP status from 100 to 999";
    /// The description of `time`.
    pub const TIME: &'static str = "seconds since 1970, or a time as in 2026-11-20T12:00:00Z,";

    /// The key of a URL. Unlike by [`Key::of`], `https://example.com` names the site, not its home
    /// page, which is `https://example.com/`.
    ///
    /// ```
    /// use robotsieve_captures::{Fields, Key};
    ///
    /// let is_site = |url| matches!(Fields::key(url), Some(Key::Origin(_)));
    /// assert!(is_site("https://example.com/robots.txt") && is_site("https://example.com"));
    /// assert!(!is_site("https://example.com/") && !is_site("https://example.com/?robots.txt"));
    /// ```
    #[must_use]
    pub fn key(url: &str) -> Option<Key> {
        let is_site =
            url.split_once("://").is_some_and(|(_, rest)| !rest.contains(['/', '\\', '?']));
        if is_site { Some(Key::Origin(Origin::of(url).ok()?.into_owned())) } else { Key::of(url) }
    }

    /// The capture.
    ///
    /// # Errors
    /// Returns what is wrong with it, if no capture can say this.
    pub fn capture(self, place: RecordPlace) -> Result<Capture, String> {
        let (url, expected, time) = (self.url, Self::URL, Self::TIME);
        let key = Fields::key(url).ok_or_else(|| {
            format!("'url' is '{}'; {expected} is expected", shown(url.as_bytes()))
        })?;
        let latest = Timestamp::now() + CLOCK_TOLERANCE;
        if let Some(at) = self.at.filter(|at| *at > latest.0) {
            // As seconds this is the year 5138, as milliseconds 1973.
            if at >= 100_000_000_000 {
                return Err(format!("'time' is {at}; {time} is expected, not milliseconds"));
            }
            let at = humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(at));
            return Err(format!("'time' is {at}, in the future: its clock was wrong"));
        }
        let (origin, other) = key.into_parts();
        let answer = match self.status {
            status if is_redirect(status) => {
                let base = other.as_deref().map_or_else(|| origin.robots_url(), str::to_owned);
                SiteAnswer::redirect(status, &base, self.location.map(str::as_bytes))
            }
            status @ 100..=999 => {
                let body = if has_file(status) { self.body } else { Vec::new() };
                SiteAnswer::Final(Response::new(status, body))
            }
            status => {
                return Err(format!("'status' is {status}; {} is expected", Self::STATUS));
            }
        };
        Ok(Capture {
            origin,
            other,
            at: self.at.map(Timestamp),
            answer,
            place,
            names: RecordNames::default(),
        })
    }
}

/// A time: seconds since 1970, or as RFC 3339 writes it.
///
/// # Errors
/// Returns what is wrong with it.
pub fn time_of(text: &str) -> Result<u64, String> {
    let seconds = text.parse().ok().or_else(|| rfc3339(text).map(|time| time.0));
    seconds.ok_or_else(|| {
        let (text, expected) = (shown(text.as_bytes()), Fields::TIME);
        format!("'time' is '{text}'; {expected} is expected")
    })
}
