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

/// The hosts of files with these sorted names, each with its index in `names`. A name that ends in
/// `.txt` is `HOST.txt`, and `HOST` is preferred to it. Of several spellings of either, the
/// normalized one is preferred, then the first in byte order. There is a warning for each host with
/// several files.
fn hosts_of(folder: &Path, names: &[OsString]) -> (Vec<HostPlace>, Vec<String>) {
    let mut hosts: HashMap<Box<[u8]>, (Rank, u32)> = HashMap::new();
    let mut warnings = Vec::new();
    for (place, name) in (0..).zip(names) {
        let bytes = name.as_encoded_bytes();
        let (spelling, has_suffix) = match bytes.strip_suffix(b".txt") {
            Some(spelling) => (spelling, true),
            None => (bytes, false),
        };
        let Some(host) = host_and_port(spelling, None) else { continue };
        let this = (Rank { has_suffix, is_spelt_otherwise: *host != *spelling }, place);
        match hosts.entry(Box::from(&*host)) {
            Entry::Vacant(entry) => {
                entry.insert(this);
            }
            Entry::Occupied(mut entry) => {
                let other = *entry.get();
                let used = this.min(other);
                let name = |(_, place): (Rank, u32)| names[place as usize].display();
                warnings.push(format!(
                    "'{}' and '{}' in '{}' are for the same host, {}: '{}' is used; remove or \
                     rename the other one",
                    name(other),
                    name(this),
                    folder.display(),
                    String::from_utf8_lossy(&host),
                    name(used),
                ));
                entry.insert(used);
            }
        }
    }
    (hosts.into_iter().map(|(host, (_, place))| (host, place)).collect(), warnings)
}

/// Which of the files for one host is used: the least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    has_suffix: bool,
    is_spelt_otherwise: bool,
}

/// Refuses to write a file to such a folder, where it would be taken for the robots.txt of a host.
///
/// # Errors
/// Returns an error if `file` is, or would be, in the folder itself.
pub fn refuse_output(folder: &Path, file: &Path) -> Result<(), Failure> {
    let is_in_folder = |file: &Path| {
        let parent = file.parent().filter(|path| *path != Path::new("")).unwrap_or(Path::new("."));
        is_same_folder(parent, folder)
    };
    // Both the place of a link and that of what it leads to.
    let is_there =
        is_in_folder(file) || fs::canonicalize(file).is_ok_and(|file| is_in_folder(&file));
    if is_there {
        return Err(Failure::Usage(format!(
            "'{}' would be in --robots-dir '{}', whose files are the robots.txt of hosts: write it \
             to another folder",
            file.display(),
            folder.display()
        )));
    }
    Ok(())
}

fn is_same_folder(one: &Path, other: &Path) -> bool {
    fs::canonicalize(one).is_ok_and(|one| fs::canonicalize(other).is_ok_and(|other| one == other))
}
