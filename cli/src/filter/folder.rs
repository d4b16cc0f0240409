//! The robots.txt files of a folder, looked up by host.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use robotsieve::{Crawler, Profile};

use super::sites::{Found, Site, Sites};
use crate::error::Failure;
use crate::read::hosts::{HostHash, HostHasher, Identity};
use crate::read::robots_dir::{self, Listing};
use crate::read::robots_file;
use crate::write::report::Report;
use crate::write::stderr;

/// The robots.txt files of a folder, by host.
pub struct Folder {
    report: Arc<Report>,
    path: PathBuf,
    crawlers: Vec<Crawler>,
    profile: Profile,
    files: Vec<RobotsFile>,
    /// Normalized hosts, one after another.
    hosts: Vec<u8>,
    places: HashMap<HostHash, Place, Identity>,
    /// Keyed so that no two of `hosts` have the same hash.
    hasher: HostHasher,
}

/// Where a host and its file are. Both are here so that the memory accesses for comparing the name
/// and for loading the file overlap.
struct Place {
    /// An index into `hosts`.
    start: u32,
    len: u32,
    /// An index into `files`. A file may be for two hosts: `a.txt` is for `a.txt` and for `a`.
    file: u32,
}

/// One file of a folder, read when it is first needed.
struct RobotsFile {
    name: OsString,
    site: OnceLock<Option<Site>>,
}

impl Folder {
    /// Lists a folder, and warns about hosts with two files.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be listed.
    pub fn list(
        path: &Path,
        crawlers: Vec<Crawler>,
        profile: Profile,
        report: Arc<Report>,
    ) -> Result<Folder, Failure> {
        let Listing { names, hosts: files_of_hosts, warnings } = robots_dir::list(path)?;
        warnings.iter().for_each(|warning| stderr::note(warning));
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

    fn find(&self, _: &[u8], host: &[u8], hash: HostHash) -> Found<'_> {
        let Some(place) = self.places.get(&hash) else { return Found::Missing };
        if self.hosts[place.start as usize..][..place.len as usize] != *host {
            return Found::Missing;
        }
        let RobotsFile { name, site } = &self.files[place.file as usize];
        let read = || match robots_file::read(&self.path.join(name)) {
            Ok(file) => {
                let name = format_args!("'{}'", name.display());
                self.report.cut_file(&name, file.len(), &self.profile);
                Some(Site::new(&file, &self.profile, &self.crawlers))
            }
            Err(failure) => {
                self.report.error(&format_args!("{failure}; the URLs of its host are unknown"));
                None
            }
        };
        site.get_or_init(read).as_ref().map_or(Found::Unreadable, Found::Site)
    }
}
