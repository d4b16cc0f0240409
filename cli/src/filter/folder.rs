//! The robots.txt files of a folder, looked up by host.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use robotsieve::{Crawler, Profile, UrlRun};
use robotsieve_client::folders::HostFile;
use robotsieve_client::host_count::{HostHash, HostHasher};
use robotsieve_rights::Purpose;

use super::batch::Batch;
use super::sites::{HostRules, Site, Sites};
use crate::error::Failure;
use crate::read::policy::OperatorsNote;
use crate::read::robots_dir;
use crate::write::report::Report;
use crate::write::stderr;

/// The robots.txt files of a folder, by host.
pub struct Folder {
    report: Arc<Report>,
    path: PathBuf,
    crawlers: Vec<Crawler>,
    profile: Profile,
    purpose: Option<Purpose>,
    operators: OperatorsNote,
    files: Vec<RobotsFile>,
    /// Hosts as in [`Origin::authority`](robotsieve::Origin::authority), one after another. They
    /// answer for every scheme that has a robots.txt.
    hosts: Vec<u8>,
    places: HashMap<HostHash, Place, foldhash::fast::RandomState>,
    /// Keyed so that no two of `hosts` have the same hash.
    hasher: HostHasher,
}

/// Where a host and its file are. Both are here so that the memory accesses for comparing the name
/// and for loading the file overlap.
struct Place {
    /// An index into `hosts`.
    start: u32,
    len: u32,
    /// An index into `files`.
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
        purpose: Option<Purpose>,
        report: Arc<Report>,
    ) -> Result<Folder, Failure> {
        let folder = robots_dir::list(path)?;
        if folder.unread_folders > 0 {
            stderr::note(&format_args!(
                "the subfolders of '{}' are not read ({}): name one of them, or make a pack, \
                 'robotsieve pack' reads them too",
                path.display(),
                folder.unread_folders
            ));
        }
        let mut hosts = Vec::new();
        let (hasher, places) = loop {
            hosts.clear();
            let hasher = HostHasher::default();
            let mut places = HashMap::default();
            places.reserve(folder.files().len());
            for (file, number) in folder.files().zip(0..) {
                let host = file.host().as_bytes();
                let (start, len) = (hosts.len() as u32, host.len() as u32);
                hosts.extend_from_slice(host);
                places.insert(hasher.hash(host), Place { start, len, file: number });
            }
            if places.len() == folder.files().len() {
                break (hasher, places);
            }
        };
        let file =
            |file: HostFile<'_>| RobotsFile { name: file.name().into(), site: OnceLock::new() };
        let files = folder.files().map(file).collect();
        let path = path.to_owned();
        let operators = OperatorsNote::of(&crawlers, &profile);
        Ok(Folder {
            report,
            path,
            crawlers,
            profile,
            purpose,
            operators,
            files,
            hosts,
            places,
            hasher,
        })
    }
}

impl Folder {
    /// Where a host is, if there is a file for it.
    #[inline]
    fn place(&self, host: &str) -> Option<&Place> {
        self.places.get(&self.hasher.hash(host.as_bytes()))
    }

    /// The site of a file, which is read if this is the first time.
    #[inline]
    fn site(&self, file: u32) -> HostRules<'_> {
        let file = &self.files[file as usize];
        let site = file.site.get_or_init(|| self.read(&file.name));
        site.as_ref().map_or(HostRules::Unreadable, HostRules::Site)
    }

    #[cold]
    fn read(&self, name: &OsStr) -> Option<Site> {
        match robots_dir::read(&self.path.join(name)) {
            Ok(file) => {
                let name = format_args!("'{}'", name.display());
                self.report.cut_file(&name, file.len(), &self.profile);
                self.operators.look(&file, &name);
                Some(Site::new(&file, &self.profile, &self.crawlers, self.purpose))
            }
            Err(failure) => {
                self.report.error(&format_args!("{failure}; the URLs of its host are unknown"));
                None
            }
        }
    }
}

impl Sites for Folder {
    fn each_run(
        &self,
        batch: &Batch<'_>,
        act: &mut dyn FnMut(&UrlRun<'_>, Range<usize>, HostRules<'_>),
    ) {
        // In two steps, so that the processor fetches the places of several hosts at a time.
        let places = batch.runs.iter().map(|run| self.place(run.origin.as_ref()?.authority()));
        let places: Vec<Option<&Place>> = places.collect();
        for ((run, numbers), place) in batch.numbered().zip(places) {
            let place = place.filter(|place| {
                let host = &self.hosts[place.start as usize..][..place.len as usize];
                run.origin.as_ref().is_some_and(|origin| origin.authority().as_bytes() == host)
            });
            act(run, numbers, place.map_or(HostRules::Missing, |place| self.site(place.file)));
        }
    }
}
