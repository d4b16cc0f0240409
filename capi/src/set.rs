//! The policies of many sites, in memory.

use std::ffi::{c_char, c_void};
use std::ptr::null_mut;
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use robotsieve::{Config, CrawlerId, PolicySet};

use crate::choice::{profile, site};
use crate::crawler::Crawler;
use crate::failure::{Error, Failure, Status, guard, status};
use crate::given::{self, Slice, array, bytes, free, handle, urls, wrong};
use crate::memory::give_with_len;
use crate::origin::origin;
use crate::policy::{AnswerNumber, seconds};

/// The policies of some crawlers for many sites.
pub struct Set(RwLock<PolicySet>);

impl Set {
    fn read(&self) -> Result<RwLockReadGuard<'_, PolicySet>, Failure> {
        self.0.read().map_err(|_| broken())
    }

    fn write(&self) -> Result<RwLockWriteGuard<'_, PolicySet>, Failure> {
        self.0.write().map_err(|_| broken())
    }
}

/// A panic while the set was changed has left it as nobody knows.
fn broken() -> Failure {
    Failure::new(Status::Internal, "an earlier call failed within the set: make a new one")
}

/// Checks the index of a crawler.
pub fn check_crawler(crawler: usize, count: usize) -> Result<(), Failure> {
    if crawler >= count {
        return Err(wrong(format!("there is no crawler {crawler} of {count}, counted from 0")));
    }
    Ok(())
}

/// The most crawlers that a set or a pack can have.
const MOST_CRAWLERS: usize = 4096;

/// Makes an empty set for these crawlers, whose files are read in this profile. Sites with equal files
/// share their policies; a site takes some 60 to 90 bytes beside them.
///
/// The crawlers are copied. Any number of threads may ask a set, and change it, at the same time: a
/// change waits for the questions under way, and they for it.
///
/// Returns NULL if it fails, also if there are more than 4096 crawlers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_set_new(
    crawlers: *const *const Crawler,
    crawler_count: usize,
    profile: u32,
    error: *mut Error,
) -> *mut Set {
    let run = || {
        let profile = self::profile(profile)?;
        if crawler_count > MOST_CRAWLERS {
            return Err(wrong(format!("{crawler_count} crawlers are more than {MOST_CRAWLERS}")));
        }
        // SAFETY: the caller's promise.
        let given = unsafe { array(crawlers, crawler_count, "crawlers") }?;
        let mut crawlers = Vec::with_capacity(given.len());
        for crawler in given {
            // SAFETY: the caller's promise.
            let crawler = unsafe { handle(*crawler, "a crawler") }?;
            crawlers.push(crawler.within(&profile)?.clone());
        }
        let config = Config::default().with_keep_rules(false);
        let set = PolicySet::new(&profile, &config, crawlers);
        Ok(Box::into_raw(Box::new(Set(RwLock::new(set)))))
    };
    // SAFETY: the caller's promise.
    unsafe { guard(error, null_mut(), run) }
}

/// Frees a set. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_set_free(set: *mut Set) {
    // SAFETY: the caller's promise.
    unsafe { free(set) };
}

/// Sets what is known of a site, in place of what was known: its robots.txt, or one of the other kinds
/// of `robotsieve_site`, which have no file (NULL and 0). Any URL names the site: its scheme, host and
/// port count.
///
/// The file is not kept. It is parsed and compiled unless another site has an equal one: some tens of
/// microseconds for a common file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_set_put(
    set: *mut Set,
    url: *const c_char,
    url_len: usize,
    site: u32,
    file: *const c_char,
    file_len: usize,
    error: *mut Error,
) -> Status {
    let run = || {
        // SAFETY: the caller's promises.
        let (set, origin, file) = unsafe {
            let set = handle(set, "set")?;
            (set, origin(url, url_len)?, bytes(file, file_len, "file")?)
        };
        set.write()?.insert(&origin, self::site(site, file)?);
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { status(error, run) }
}

/// Removes the site of a URL. Its answers are `ROBOTSIEVE_ANSWER_UNKNOWN` from then on. Fine if it is not
/// there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_set_remove(
    set: *mut Set,
    url: *const c_char,
    url_len: usize,
    error: *mut Error,
) -> Status {
    let run = || {
        // SAFETY: the caller's promises.
        let (set, origin) = unsafe { (handle(set, "set")?, origin(url, url_len)?) };
        set.write()?.remove(&origin);
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { status(error, run) }
}

/// The number of sites in a set. 0 if it fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_set_len(set: *const Set, error: *mut Error) -> usize {
    // SAFETY: the caller's promise.
    let run = || Ok(unsafe { handle(set, "set") }?.read()?.len());
    // SAFETY: the caller's promise.
    unsafe { guard(error, 0, run) }
}

/// The answer for a URL and a crawler, which is given by its index in the order of
/// `robotsieve_set_new`. `ROBOTSIEVE_ANSWER_UNKNOWN` if the site is not in the set, and if it fails.
/// Of several crawlers, ask with `robotsieve_set_answers`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_set_answer(
    set: *const Set,
    crawler: usize,
    url: *const c_char,
    url_len: usize,
    error: *mut Error,
) -> AnswerNumber {
    let run = || {
        // SAFETY: the caller's promises.
        let (set, url) = unsafe { (handle(set, "set")?, bytes(url, url_len, "url")?) };
        let set = set.read()?;
        check_crawler(crawler, set.crawlers().len())?;
        Ok(set.answer(url, CrawlerId::at(crawler)).into())
    };
    // SAFETY: the caller's promise.
    unsafe { guard(error, AnswerNumber::Unknown, run) }
}

/// Writes the answers for many URLs of any sites: for each a row, with a byte for each crawler in the
/// order of `robotsieve_set_new`, one of `robotsieve_answer`. Much faster than one by one, because the
/// waits for memory overlap.
///
/// `answers` has room for `answer_count` bytes, which must be the number of URLs times that of
/// crawlers. That it lies in the memory of the URLs is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_set_answers(
    set: *const Set,
    urls: *const Slice,
    url_count: usize,
    answers: *mut u8,
    answer_count: usize,
    error: *mut Error,
) -> Status {
    let run = || {
        // SAFETY: the caller's promises.
        let (set, urls) = unsafe { (handle(set, "set")?.read()?, self::urls(urls, url_count)?) };
        let crawlers = set.crawlers().len();
        // SAFETY: the caller's promise.
        let answers = unsafe { given::answers(answers, answer_count, urls, crawlers) }?;
        set.answers_into(urls, set.crawler_ids(), answers);
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { status(error, run) }
}

/// The seconds to wait between the beginnings of two requests to the site of a URL, as its file asks a
/// crawler: see `robotsieve_policy_delay`. 0 if it asks for nothing or is not in the set, and if it
/// fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_set_delay(
    set: *const Set,
    crawler: usize,
    url: *const c_char,
    url_len: usize,
    error: *mut Error,
) -> f64 {
    let run = || {
        // SAFETY: the caller's promises.
        let (set, origin) = unsafe { (handle(set, "set")?.read()?, origin(url, url_len)?) };
        check_crawler(crawler, set.crawlers().len())?;
        Ok(set.get(&origin).map_or(0.0, |site| seconds(site.pace(CrawlerId::at(crawler)))))
    };
    // SAFETY: the caller's promise.
    unsafe { guard(error, 0.0, run) }
}

/// Writes a set as a pack, the format of docs/pack.md: to keep it in a file, to share it between
/// processes, or to open it with `robotsieve_pack_open`. Nothing is compiled again.
///
/// `len`, which must not be NULL, gets the number of bytes. Free them with `robotsieve_free`. Returns
/// NULL if it fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_set_pack(
    set: *const Set,
    len: *mut usize,
    error: *mut Error,
) -> *mut c_void {
    let run = || {
        if len.is_null() {
            return Err(given::null("len"));
        }
        // SAFETY: the caller's promise.
        let set = unsafe { handle(set, "set") }?.read()?;
        let pack = set
            .write_pack(Vec::new())
            .map_err(|error| Failure::new(Status::Pack, error.to_string()))?;
        // SAFETY: the caller's promise.
        unsafe { give_with_len(&pack, len) }
    };
    // SAFETY: the caller's promise.
    unsafe { guard(error, null_mut(), run) }
}
