//! What the commands read: robots.txt files and folders of them, packs, stores, URLs and records.

pub mod inputs;

pub mod output;
pub mod overrides;
pub mod packs;
pub mod policy;
pub mod robots_dir;
pub mod robots_file;
pub mod stdin;
pub mod stores;
pub mod urls;
pub mod warc_files;
pub mod web;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use same_file::Handle;

/// The bytes of a file that is small by its nature: 64 MiB at most, so that a device or a pipe
/// without end does no harm.
///
/// # Errors
/// Returns an error if it cannot be read or is longer.
pub fn small_file(path: &Path) -> io::Result<Vec<u8>> {
    bounded(File::open(path)?, SMALL_BYTES, "it is longer than 64 MiB")
}

/// The same for a name on the command line, which may be `-`. `too_long` says what is wrong with a
/// longer one.
///
/// # Errors
/// Returns an error in the same cases, and if it is the file that standard output is written to.
pub fn small_input(path: &Path, too_long: &'static str) -> io::Result<Vec<u8>> {
    if stdin::is_meant(path) {
        return bounded(stdin::open()?.lock(), SMALL_BYTES, too_long);
    }
    let file = File::open(path)?;
    stdin::refuse_output(|| Handle::from_file(file.try_clone()?))?;
    bounded(file, SMALL_BYTES, too_long)
}

const SMALL_BYTES: u64 = 64 << 20;

/// At most so many bytes, which are all.
///
/// # Errors
/// Returns an error if they cannot be read or are more.
pub fn bounded(input: impl Read, most: u64, too_long: &'static str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::InvalidData, too_long));
    }
    Ok(bytes)
}

/// The path with these bytes, which are that of a file in a list or a record. `None` if it is none on this
/// system.
#[cfg(unix)]
pub fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Some(std::ffi::OsStr::from_bytes(bytes).into())
}

#[cfg(not(unix))]
pub fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    str::from_utf8(bytes).ok().map(PathBuf::from)
}

/// Returns true if a name on the command line that is not a file looks like a URL, or like a host with or
/// without a path: `https://example.com/x`, `example.com/x`, `example.com`.
pub fn looks_like_url(name: &Path) -> bool {
    let Some(name) = name.to_str() else { return false };
    if name.contains("://") {
        return true;
    }
    let (host, path) = name.split_once('/').map_or((name, None), |(host, path)| (host, Some(path)));
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b"-.:".contains(&byte);
    let Some((_, last)) = host.rsplit_once('.') else { return false };
    // 'robots.txt' and 'old.bak' are more likely files than hosts.
    let is_file_name = path.is_none()
        && (host.contains("robots") || ["txt", "bak", "old", "new", "tmp"].contains(&last));
    !is_file_name && !host.starts_with('.') && last.len() >= 2 && host.bytes().all(is_host)
}

/// Where the robots.txt of such a name is.
pub fn robots_url(name: &Path) -> String {
    let name = name.to_string_lossy();
    let (scheme, rest) = name.split_once("://").unwrap_or(("https", &name));
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    format!("{scheme}://{host}/robots.txt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_like_urls() {
        for name in ["https://e.com/x", "e.com/x", "www.example.com", "e.com:80/x", "e.com/a.txt"] {
            assert!(looks_like_url(Path::new(name)), "{name}");
        }
        for name in
            ["robots.txt", "robots", "./e.com/x", "../x", "a/b", "x.bak", "robots.old.", "-"]
        {
            assert!(!looks_like_url(Path::new(name)), "{name}");
        }
        assert_eq!(robots_url(Path::new("e.com/x")), "https://e.com/robots.txt");
        assert_eq!(robots_url(Path::new("http://e.com:81?x")), "http://e.com:81/robots.txt");
    }
}
