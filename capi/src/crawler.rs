//! Who asks.

use std::ffi::c_char;
use std::ptr::null_mut;

use robotsieve::Profile;

use crate::choice::profile;
use crate::failure::{Error, Failure, Status, guard};
use crate::given::{bytes, free, null};
use crate::memory::copy;

/// A crawler: who asks.
pub struct Crawler {
    crawler: robotsieve::Crawler,
    /// The profile that its names were checked in; none if a header has them.
    checked: Option<Profile>,
    /// The User-Agent header that it was read from.
    header: Option<Box<[u8]>>,
}

impl Crawler {
    /// The crawler, with its names checked in this profile.
    pub fn within(&self, profile: &Profile) -> Result<&robotsieve::Crawler, Failure> {
        if self.checked.is_some_and(|checked| checked != *profile) {
            named(self.crawler.iter(), profile)?;
        }
        Ok(&self.crawler)
    }

    pub fn header(&self) -> Option<&[u8]> {
        self.header.as_deref()
    }

    pub fn as_crawler(&self) -> &robotsieve::Crawler {
        &self.crawler
    }
}

fn named<'n>(
    names: impl Iterator<Item = &'n [u8]>,
    profile: &Profile,
) -> Result<robotsieve::Crawler, Failure> {
    robotsieve::Crawler::try_names(names, profile)
        .map_err(|error| Failure::new(Status::Name, error.to_string()))
}

/// Makes the crawler with a name: its product token, as a robots.txt names it, such as `MyCrawler`.
/// It may have several, from most to least specific, with commas between them and nothing else:
/// `Googlebot-News,Googlebot`.
///
/// The names are checked: one that no robots.txt can name in this profile would silently obey the
/// group for everybody, and is an error. Give a whole User-Agent header to
/// `robotsieve_crawler_from_user_agent`. Make it once, when the program starts.
///
/// Returns NULL if it fails: `ROBOTSIEVE_STATUS_NAME`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_crawler_named(
    name: *const c_char,
    name_len: usize,
    profile: u32,
    error: *mut Error,
) -> *mut Crawler {
    let run = || {
        if name.is_null() {
            return Err(null("name"));
        }
        let profile = self::profile(profile)?;
        // SAFETY: the caller's promise.
        let name = unsafe { bytes(name, name_len, "name") }?;
        let crawler = named(name.split(|byte| *byte == b','), &profile)?;
        Ok(Box::into_raw(Box::new(Crawler { crawler, checked: Some(profile), header: None })))
    };
    // SAFETY: the caller's promise.
    unsafe { guard(error, null_mut(), run) }
}

/// Makes the crawler that sends this User-Agent header: its names are read from it. A header without
/// a name is that of a crawler that obeys the group for everybody. `O(n)`.
///
/// Returns NULL if it fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_crawler_from_user_agent(
    header: *const c_char,
    header_len: usize,
    error: *mut Error,
) -> *mut Crawler {
    let run = || {
        if header.is_null() {
            return Err(null("header"));
        }
        // SAFETY: the caller's promise.
        let header = unsafe { bytes(header, header_len, "header") }?;
        let crawler = robotsieve::Crawler::from_user_agent(header);
        let header = Some(copy(header)?);
        Ok(Box::into_raw(Box::new(Crawler { crawler, checked: None, header })))
    };
    // SAFETY: the caller's promise.
    unsafe { guard(error, null_mut(), run) }
}

/// Frees a crawler. NULL is fine. What was made with it does not need it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_crawler_free(crawler: *mut Crawler) {
    // SAFETY: the caller's promise.
    unsafe { free(crawler) };
}
