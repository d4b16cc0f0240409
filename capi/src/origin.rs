//! Whose robots.txt governs a URL.

use std::ffi::c_char;
use std::ptr::null_mut;

use robotsieve::Origin;

use crate::failure::{Error, Failure, Status, guard};
use crate::given::bytes;
use crate::memory::give_with_len;

/// The site of a URL of the caller.
///
/// # Safety
/// `url` is NULL or leads to `len` bytes, which stay as they are for `'a`.
pub unsafe fn origin<'a>(url: *const c_char, len: usize) -> Result<Origin<'a>, Failure> {
    // SAFETY: the caller's promise.
    let url = unsafe { bytes(url, len, "url") }?;
    Origin::of(url).map_err(|error| Failure::new(Status::Url, error.to_string()))
}

/// The URL of the robots.txt that governs a URL: where to fetch it. Scheme, host and port decide; the
/// host is in lower case and in Punycode. Two URLs with the same answer are of the same site.
///
/// The text ends with a NUL, which `len` does not count; `len` may be NULL. Free it with
/// `robotsieve_free`. Returns NULL if it fails: `ROBOTSIEVE_STATUS_URL` if the URL is not one of http,
/// https or ftp.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_robots_txt_url(
    url: *const c_char,
    url_len: usize,
    len: *mut usize,
    error: *mut Error,
) -> *mut c_char {
    let run = || {
        // SAFETY: the caller's promise.
        let text = unsafe { origin(url, url_len) }?.robots_url();
        // SAFETY: the caller's promise.
        unsafe { give_with_len(text.as_bytes(), len) }
    };
    // SAFETY: the caller's promise.
    unsafe { guard(error, null_mut(), run) }
}
