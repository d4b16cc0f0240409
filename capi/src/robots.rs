//! A parsed file.

use std::ffi::c_char;
use std::ptr::null_mut;

use robotsieve::{InvalidUrl, Profile};
use robotsieve_report::Asked;
use self_cell::self_cell;

use crate::choice::profile;
use crate::crawler::Crawler;
use crate::failure::{Error, Failure, Status, guard};
use crate::given::{Slice, bytes, free, handle, put};
use crate::memory::{copy, give_with_len};

type Parsed<'a> = robotsieve::Robots<'a>;

self_cell! {
    struct Cell {
        owner: Box<[u8]>,

        #[not_covariant]
        dependent: Parsed,
    }
}

/// A parsed robots.txt, with a copy of its bytes.
pub struct Robots {
    cell: Cell,
    profile: Profile,
}

impl Robots {
    pub fn with<T>(&self, ask: impl FnOnce(&robotsieve::Robots<'_>) -> T) -> T {
        self.cell.with_dependent(|_, robots| ask(robots))
    }

    pub fn profile(&self) -> &Profile {
        &self.profile
    }
}

pub fn invalid_url(error: InvalidUrl) -> Failure {
    Failure::new(Status::Url, error.to_string())
}

/// Parses a robots.txt. Any bytes are one; what no line should be is skipped, as the profile says. The
/// bytes are copied. `O(n)`.
///
/// `profile` is one of `robotsieve_profile`. Returns NULL if it fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_robots_parse(
    file: *const c_char,
    file_len: usize,
    profile: u32,
    error: *mut Error,
) -> *mut Robots {
    let run = || {
        let profile = self::profile(profile)?;
        // SAFETY: the caller's promise.
        let file = copy(unsafe { bytes(file, file_len, "file") }?)?;
        let file = match robotsieve::text_of(&file, &profile) {
            std::borrow::Cow::Owned(text) => text.into_boxed_slice(),
            std::borrow::Cow::Borrowed(_) => file,
        };
        let cell = Cell::new(file, |file| robotsieve::Robots::parse(file, &profile));
        Ok(Box::into_raw(Box::new(Robots { cell, profile })))
    };
    // SAFETY: the caller's promise.
    unsafe { guard(error, null_mut(), run) }
}

/// Frees a parsed file. NULL is fine. Its policies do not need it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_robots_free(robots: *mut Robots) {
    // SAFETY: the caller's promise.
    unsafe { free(robots) };
}

/// Writes the values of the first `capacity` lines `Sitemap` of the file, as they are written there,
/// and returns how many there are: ask with a capacity of 0 first, or ask again with more room.
///
/// The bytes are the handle's: they stay until it is freed. `sitemaps` may be NULL if `capacity` is 0.
/// Returns 0 if it fails. Reads the file again, `O(n)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_robots_sitemaps(
    robots: *const Robots,
    sitemaps: *mut Slice,
    capacity: usize,
    error: *mut Error,
) -> usize {
    let run = || {
        // SAFETY: the caller's promise.
        let robots = unsafe { handle(robots, "robots") }?;
        if capacity > 0 && sitemaps.is_null() {
            return Err(crate::given::null("sitemaps"));
        }
        let mut count = 0;
        robots.with(|robots| {
            for value in robots.sitemaps() {
                if count < capacity {
                    // SAFETY: the caller promises room for `capacity` slices.
                    unsafe { put(sitemaps.wrapping_add(count), Slice::of(value)) };
                }
                count += 1;
            }
        });
        Ok(count)
    };
    // SAFETY: the caller's promise.
    unsafe { guard(error, 0, run) }
}

/// Says why a crawler may or may not fetch a URL, or a path that begins with `/`: the group that
/// applies, the rules that match, the one that decides, the next one, and all in sentences. A JSON
/// document, the one that `robotsieve explain --format json` prints; docs/explain.md describes it.
///
/// The text is UTF-8 and ends with a NUL, which `len` does not count; `len` may be NULL. Free it with
/// `robotsieve_free`. Returns NULL if it fails. Reads the file again: to explain, not to filter. A
/// document has some kB, but up to 70 bytes for each byte of a URL whose every byte has to be encoded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_robots_explain(
    robots: *const Robots,
    crawler: *const Crawler,
    url: *const c_char,
    url_len: usize,
    len: *mut usize,
    error: *mut Error,
) -> *mut c_char {
    let run = || {
        // SAFETY: the caller's promises.
        let (robots, who, url) = unsafe {
            let robots = handle(robots, "robots")?;
            (robots, handle(crawler, "crawler")?, bytes(url, url_len, "url")?)
        };
        let crawler = who.within(robots.profile())?;
        let mut asked = Asked::new(crawler, url);
        if let Some(header) = who.header() {
            asked.agent = header.into();
            asked.user_agent = true;
        }
        let report = robots.with(|robots| {
            let why = robots.explain(crawler, url).map_err(invalid_url)?;
            Ok(asked.explained(&why))
        })?;
        let text = serde_json::to_vec(&report)
            .map_err(|error| Failure::new(Status::Internal, error.to_string()))?;
        // SAFETY: the caller's promise.
        unsafe { give_with_len(&text, len) }
    };
    // SAFETY: the caller's promise.
    unsafe { guard(error, null_mut(), run) }
}
