//! The robots.txt files of a folder.
//!
//! A host never becomes part of a path: the folder is listed once, its file names are
//! brought to the same form as the hosts of URLs, and hosts are looked up in that list.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsString;
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use robotsieve::{Crawler, Profile};

use super::hosts::{HostHash, HostHasher, Identity, host_and_port};
use super::report::Report;
use super::sites::{Found, Site, Sites};
use crate::error::Failure;
use crate::robots_file;

/// The robots.txt files of a folder by the hosts for which they are.
pub struct Folder {
    report: Arc<Report>,
    path: PathBuf,
    crawlers: Vec<Crawler>,
    profile: Profile,
    files: Vec<RobotsFile>,
    /// Hosts in canonical form, one behind another.
    hosts: Vec<u8>,
    places: HashMap<HostHash, Place, Identity>,
    /// Such that no two of `hosts` have the same hash.
    hasher: HostHasher,
}

/// Where a host and its file are: both here, so that comparing the name and fetching the file
/// wait for memory at the same time.
struct Place {
    /// In `hosts`.
    start: u32,
    len: u32,
    /// In `files`. A file may be for two hosts: `a.txt` for `a.txt` and for `a`.
    file: u32,
}

/// One file of a folder. It is read when it is first needed, and stays.
struct RobotsFile {
    name: OsString,
    site: OnceLock<Option<Site>>,
}

impl Folder {
    /// Lists a folder, and warns about files that are for the same host.
    pub fn list(
        path: &Path,
        crawlers: Vec<Crawler>,
        profile: Profile,
        report: Arc<Report>,
    ) -> Result<Folder, Failure> {
        let failed = |cause| {
            Failure::io(
                format!("cannot list the folder of --robots-dir '{}'", path.display()),
                cause,
            )
        };
        let mut names = Vec::new();
        for entry in fs::read_dir(path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if is_file(&entry).map_err(failed)? {
                names.push(entry.file_name());
            }
        }
        names.sort_unstable();
        let (files_of_hosts, warnings) = hosts_of(path, &names);
        warnings.iter().for_each(|warning| report.warning(warning));
        let mut hosts = Vec::new();
        let (hasher, places) = loop {
            hosts.clear();
            let hasher = HostHasher::default();
            let mut places = HashMap::with_capacity_and_hasher(files_of_hosts.len(), Identity);
            for (host, file) in &files_of_hosts {
                let (start, len) = (hosts.len() as u32, host.len() as u32);
                hosts.extend_from_slice(host);
                places.insert(hasher.hash(host), Place { start, len, file: *file });
            }
            if places.len() == files_of_hosts.len() {
                break (hasher, places);
            }
        };
        let file = |name| RobotsFile { name, site: OnceLock::new() };
        let files = names.into_iter().map(file).collect();
        let path = path.to_owned();
        Ok(Folder { report, path, crawlers, profile, files, hosts, places, hasher })
    }
}

impl Sites for Folder {
    fn hasher(&self) -> &HostHasher {
        &self.hasher
    }

    fn find(&self, host: &[u8], hash: HostHash) -> Found<'_> {
        let Some(place) = self.places.get(&hash) else { return Found::Missing };
        if self.hosts[place.start as usize..][..place.len as usize] != *host {
            return Found::Missing;
        }
        let RobotsFile { name, site } = &self.files[place.file as usize];
        let read = || match robots_file::read(&self.path.join(name)) {
            Ok(file) => Some(Site::new(&file, &self.profile, &self.crawlers)),
            Err(failure) => {
                self.report.error(&format_args!("{failure}; the URLs of its host are unknown"));
                None
            }
        };
        site.get_or_init(read).as_ref().map_or(Found::Unreadable, Found::Site)
    }
}

/// Whether this is a regular file, or a link to one. A link that leads nowhere counts too:
/// that its robots.txt cannot be read shall be told, not passed over.
fn is_file(entry: &DirEntry) -> io::Result<bool> {
    let kind = entry.file_type()?;
    if kind.is_symlink() {
        return Ok(fs::metadata(entry.path()).map_or(true, |target| target.is_file()));
    }
    Ok(kind.is_file())
}

/// A canonical host, with the place of its file among the names of the folder.
type HostPlace = (Box<[u8]>, u32);

/// The hosts that files of these names are for, each with the place of its file in `names`,
/// which are sorted. `HOST` goes before `HOST.txt`; among spellings of either the canonical
/// one goes first, then the order of octets, and a warning tells.
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
                     rename one of them",
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
