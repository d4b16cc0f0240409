//! A folder of robots.txt files, each named after its host.
//!
//! A host never becomes part of a path: the folder is listed once, and its file names are
//! normalized like the hosts of URLs.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsString;
use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;

use crate::error::Failure;
use crate::read::hosts::host_and_port;

/// The contents of such a folder.
pub struct Listing {
    /// The names of all files, sorted.
    pub names: Vec<OsString>,
    /// The hosts of the files, in no particular order.
    pub hosts: Vec<HostPlace>,
    /// Warnings about hosts with two files.
    pub warnings: Vec<String>,
}

/// A normalized host, and the index of its file in [`Listing::names`].
pub type HostPlace = (Box<[u8]>, u32);

/// Lists a folder and finds hosts with two files.
///
/// # Errors
/// Returns an error if the folder cannot be listed.
pub fn list(path: &Path) -> Result<Listing, Failure> {
    let failed = |cause| {
        let failure = Failure::io(format!("cannot list --robots-dir '{}'", path.display()), cause);
        if path.is_file() {
            failure.advise("a folder of robots.txt files named HOST is expected, not a file")
        } else {
            failure
        }
    };
    let mut names = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if is_file(&entry).map_err(failed)? {
            names.push(entry.file_name());
        }
    }
    names.sort_unstable();
    let (hosts, warnings) = hosts_of(path, &names);
    Ok(Listing { names, hosts, warnings })
}

/// Whether this is a regular file or a link to one. A broken link counts too: it is reported when
/// its host comes up, not silently ignored.
fn is_file(entry: &DirEntry) -> io::Result<bool> {
    let kind = entry.file_type()?;
    if kind.is_symlink() {
        return Ok(fs::metadata(entry.path()).map_or(true, |target| target.is_file()));
    }
    Ok(kind.is_file())
}

/// The hosts of files with these sorted names, each with its index in `names`. `HOST` is
/// preferred to `HOST.txt`. Of several spellings of either, the normalized one is preferred, then
/// the first in byte order, and there is a warning.
fn hosts_of(folder: &Path, names: &[OsString]) -> (Vec<HostPlace>, Vec<String>) {
    let mut warnings = Vec::new();
    let mut hosts = hosts_with_suffix(b"", folder, names, &mut warnings);
    for (host, place) in hosts_with_suffix(b".txt", folder, names, &mut warnings) {
        hosts.entry(host).or_insert(place);
    }
    (hosts.into_iter().collect(), warnings)
}

fn hosts_with_suffix(
    suffix: &[u8],
    folder: &Path,
    names: &[OsString],
    warnings: &mut Vec<String>,
) -> HashMap<Box<[u8]>, u32> {
    let mut hosts = HashMap::new();
    for (place, name) in names.iter().enumerate() {
        let Some(spelling) = name.as_encoded_bytes().strip_suffix(suffix) else { continue };
        let Some(host) = host_and_port(spelling, None) else { continue };
        match hosts.entry(Box::from(&*host)) {
            Entry::Vacant(entry) => {
                entry.insert(place as u32);
            }
            Entry::Occupied(mut entry) => {
                let other = &names[*entry.get() as usize];
                let used = if *host == *spelling { name } else { other };
                warnings.push(format!(
                    "'{}' and '{}' in '{}' are for the same host, {}: '{}' is used; remove or \
                     rename the other one",
                    other.display(),
                    name.display(),
                    folder.display(),
                    String::from_utf8_lossy(&host),
                    used.display(),
                ));
                if *host == *spelling {
                    entry.insert(place as u32);
                }
            }
        }
    }
    hosts
}
