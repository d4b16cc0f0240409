//! The policies of many sites, in files.

use std::ffi::c_char;
use std::fmt::Display;
use std::ptr::null_mut;

use robotsieve::CrawlerId;

use crate::crawler::Crawler;
use crate::failure::{Error, Failure, Status, guard, status};
use crate::given::{self, Slice, array, bytes, free, handle, urls};
use crate::origin::origin;
use crate::policy::{AnswerNumber, seconds};
use crate::set::check_crawler;

/// An open pack: the policies of many sites, used where their bytes are.
pub struct Pack(robotsieve::pack::Pack<'static>);

fn damaged(error: impl Display) -> Failure {
    Failure::new(Status::Pack, error.to_string())
}

/// Opens a pack that is in memory: the bytes of its file, or of all its files if it has several, in any
/// order. `robotsieve pack` and `robotsieve_set_pack` make packs.
///
/// The bytes are not copied: they must stay, and stay as they are, until the pack is freed. A damaged or
/// hostile pack leads to errors and nothing worse, but whoever wrote it decides its answers.
///
/// Reads only the beginning and the end; everything else is checked when it is first used. Returns NULL
/// if it fails: `ROBOTSIEVE_STATUS_PACK`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_pack_open(
    files: *const Slice,
    file_count: usize,
    error: *mut Error,
) -> *mut Pack {
    let run = || {
        // SAFETY: the caller's promise.
        let given = unsafe { array(files, file_count, "files") }?;
        let mut files: Vec<&'static [u8]> = Vec::with_capacity(given.len());
        for file in given {
            // SAFETY: the caller promises that the bytes stay until the pack is freed, and nothing but
            // the pack has them.
            files.push(unsafe { bytes(file.data, file.len, "a file") }?);
        }
        let pack = robotsieve::pack::Pack::open_shards(files).map_err(damaged)?;
        Ok(Box::into_raw(Box::new(Pack(pack))))
    };
    // SAFETY: the caller's promise.
    unsafe { guard(error, null_mut(), run) }
}

/// Opens a pack by the path of its file, or by the paths of all its files if it has several, in any
/// order. The files are mapped into memory: only the parts that are asked for become resident, and
/// processes share them. On Windows a path is UTF-8.
///
/// Replace a pack by renaming a new file over it, or update it with `robotsieve pack update`, which
/// writes only behind the end of a file: whoever has it open sees it as it was. No program may change
/// or cut the bytes of a file while it is mapped; cutting it ends the process. What an update has not
/// completed is left out.
///
/// Returns NULL if it fails: `ROBOTSIEVE_STATUS_FILE` or `ROBOTSIEVE_STATUS_PACK`.
#[cfg(not(target_family = "wasm"))]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_pack_open_files(
    paths: *const Slice,
    path_count: usize,
    error: *mut Error,
) -> *mut Pack {
    let run = || {
        // SAFETY: the caller's promise.
        let given = unsafe { array(paths, path_count, "paths") }?;
        let mut paths = Vec::with_capacity(given.len());
        for path in given {
            // SAFETY: the caller's promise.
            paths.push(mapped::path(unsafe { bytes(path.data, path.len, "a path") }?)?);
        }
        Ok(Box::into_raw(Box::new(Pack(mapped::open(&paths)?))))
    };
    // SAFETY: the caller's promise.
    unsafe { guard(error, null_mut(), run) }
}

/// Frees a pack. NULL is fine. The bytes that it was opened from are the caller's again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_pack_free(pack: *mut Pack) {
    // SAFETY: the caller's promise.
    unsafe { free(pack) };
}

/// Checks all of a pack, `O(n)`: before it is trusted for long, not each time that it is opened.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_pack_verify(pack: *const Pack, error: *mut Error) -> Status {
    // SAFETY: the caller's promise.
    let run = || unsafe { handle(pack, "pack") }?.0.verify().map_err(damaged);
    // SAFETY: the caller's promise.
    unsafe { status(error, run) }
}

/// The number of crawlers that a pack has policies for. 0 if `pack` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_pack_crawler_count(pack: *const Pack) -> usize {
    // SAFETY: the caller's promise.
    let run = || Ok(unsafe { handle(pack, "pack") }?.0.crawlers().len());
    // SAFETY: no error is written.
    unsafe { guard(null_mut(), 0, run) }
}

/// The index of a crawler in a pack: the first with the same names. `SIZE_MAX` if there is none, and if
/// it fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_pack_find_crawler(
    pack: *const Pack,
    crawler: *const Crawler,
    error: *mut Error,
) -> usize {
    let run = || {
        // SAFETY: the caller's promises.
        let (pack, crawler) = unsafe { (handle(pack, "pack")?, handle(crawler, "crawler")?) };
        let mut crawlers = pack.0.crawlers().iter();
        let found = crawlers.position(|known| known.iter().eq(crawler.as_crawler().iter()));
        Ok(found.unwrap_or(usize::MAX))
    };
    // SAFETY: the caller's promise.
    unsafe { guard(error, usize::MAX, run) }
}

/// The answer for a URL and a crawler, which is given by its index. `ROBOTSIEVE_ANSWER_UNKNOWN` if the site is
/// not in the pack, and if it fails: `ROBOTSIEVE_STATUS_PACK` if what was read is damaged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_pack_answer(
    pack: *const Pack,
    crawler: usize,
    url: *const c_char,
    url_len: usize,
    error: *mut Error,
) -> AnswerNumber {
    let run = || {
        // SAFETY: the caller's promises.
        let (pack, url) = unsafe { (handle(pack, "pack")?, bytes(url, url_len, "url")?) };
        check_crawler(crawler, pack.0.crawlers().len())?;
        Ok(pack.0.answer(url, CrawlerId::at(crawler)).map_err(damaged)?.into())
    };
    // SAFETY: the caller's promise.
    unsafe { guard(error, AnswerNumber::Unknown, run) }
}

/// Writes the answers for many URLs of any sites: for each a row, with a byte for each of these
/// crawlers, one of `robotsieve_answer`. The crawlers are given by their indexes; NULL and 0 stand for
/// all, in their order. Much faster than one by one, because the waits for memory overlap.
///
/// `answers` has room for `answer_count` bytes, which must be the number of URLs times that of
/// crawlers. That it lies in the memory of the URLs is an error. If a part that is read is damaged, the
/// answers that need it are `ROBOTSIEVE_ANSWER_UNKNOWN`, all others are written, and the status is
/// `ROBOTSIEVE_STATUS_PACK`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_pack_answers(
    pack: *const Pack,
    crawlers: *const usize,
    crawler_count: usize,
    urls: *const Slice,
    url_count: usize,
    answers: *mut u8,
    answer_count: usize,
    error: *mut Error,
) -> Status {
    let run = || {
        // SAFETY: the caller's promises.
        let (pack, given, urls) = unsafe {
            let pack = handle(pack, "pack")?;
            let given = array(crawlers, crawler_count, "crawlers")?;
            (pack, given, self::urls(urls, url_count)?)
        };
        let count = pack.0.crawlers().len();
        given.iter().try_for_each(|crawler| check_crawler(*crawler, count))?;
        let given: Vec<CrawlerId> = given.iter().copied().map(CrawlerId::at).collect();
        let crawlers = if crawlers.is_null() { pack.0.crawler_ids() } else { &given };
        // SAFETY: the caller's promise.
        let answers = unsafe { given::answers(answers, answer_count, urls, crawlers.len()) }?;
        pack.0.answers_into(urls, crawlers, answers).map_err(damaged)
    };
    // SAFETY: the caller's promise.
    unsafe { status(error, run) }
}

/// The seconds to wait between the beginnings of two requests to the site of a URL, as its file asks a
/// crawler: see `robotsieve_policy_delay`. 0 if it asks for nothing or is not in the pack, and if it
/// fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_pack_delay(
    pack: *const Pack,
    crawler: usize,
    url: *const c_char,
    url_len: usize,
    error: *mut Error,
) -> f64 {
    let run = || {
        // SAFETY: the caller's promises.
        let (pack, origin) = unsafe { (handle(pack, "pack")?, origin(url, url_len)?) };
        check_crawler(crawler, pack.0.crawlers().len())?;
        let Some(site) = pack.0.get(&origin).map_err(damaged)? else { return Ok(0.0) };
        Ok(seconds(site.pace(CrawlerId::at(crawler)).map_err(damaged)?))
    };
    // SAFETY: the caller's promise.
    unsafe { guard(error, 0.0, run) }
}

/// Packs by their paths.
#[cfg(not(target_family = "wasm"))]
mod mapped {
    use std::fmt::Display;
    use std::fs::File;
    use std::io;
    use std::path::{Path, PathBuf};

    use memmap2::Mmap;
    use robotsieve::pack::{FileError, Pack};

    use crate::failure::{Failure, Status};

    /// A path of the caller.
    pub fn path(bytes: &[u8]) -> Result<PathBuf, Failure> {
        #[cfg(unix)]
        return {
            use std::os::unix::ffi::OsStrExt;
            Ok(Path::new(std::ffi::OsStr::from_bytes(bytes)).to_owned())
        };
        #[cfg(not(unix))]
        match str::from_utf8(bytes) {
            Ok(path) => Ok(Path::new(path).to_owned()),
            Err(_) => Err(crate::given::wrong("a path must be UTF-8".to_owned())),
        }
    }

    fn failed(status: Status, path: &Path, cause: impl Display) -> Failure {
        // The end of a long one says more, and leaves room for the cause.
        const SHOWN: usize = 256;
        let path = path.display().to_string();
        let cut = path.char_indices().rev().nth(SHOWN).map_or(0, |(at, _)| at);
        let before = if cut > 0 { "…" } else { "" };
        Failure::new(status, format!("cannot open pack '{before}{}': {cause}", &path[cut..]))
    }

    fn map(path: &Path) -> Result<Mmap, Failure> {
        let mapped = || {
            // Opening a pipe would wait for its writer.
            if !path.metadata()?.is_file() {
                return Err(io::Error::other("it is not a file"));
            }
            // SAFETY: the bytes of a map must not change while it exists. The caller of
            // `robotsieve_pack_open_files` promises that nobody changes or cuts the file. An update by
            // `robotsieve pack update` does neither: it writes only behind the end that the file had
            // before, and the map ends at an end that it has had.
            unsafe { Mmap::map(&File::open(path)?) }
        };
        mapped().map_err(|cause| failed(Status::File, path, cause))
    }

    /// Opens the files of a pack, without what an update has not completed.
    pub fn open(paths: &[PathBuf]) -> Result<Pack<'static>, Failure> {
        let maps = paths.iter().map(|path| map(path)).collect::<Result<Vec<_>, _>>()?;
        Pack::open_shards(maps).map_err(|FileError { file, error }| match paths.get(file) {
            Some(path) => failed(Status::Pack, path, error),
            None => super::damaged(error),
        })
    }
}

// All handles may be used by many threads at once.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Crawler>();
    is_shared::<crate::robots::Robots>();
    is_shared::<crate::policy::Policy>();
    is_shared::<crate::set::Set>();
    is_shared::<Pack>();
};
