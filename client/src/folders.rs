//! Folders of robots.txt files, each named after its host.
//!
//! The name of a file alone says which host it is for: `HOST`, `HOST.txt` or `HOST:PORT`. A host never
//! becomes part of a path: folders are listed once, and the names of files are normalized like the hosts
//! of URLs.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::{error, fmt, io};

use robotsieve::Origin;

use crate::hosts::host_and_port;

/// The files of a folder that are named after hosts, in the order of their hosts.
#[derive(Debug)]
pub struct Folder {
    folders: Vec<PathBuf>,
    files: Vec<Entry>,
    /// Warnings about hosts with two files.
    pub warnings: Vec<String>,
    /// The number of files that are not the robots.txt of a host.
    pub ignored_count: u64,
    /// The first of these by name, at most three.
    pub ignored: Vec<PathBuf>,
    /// The number of folders in this one were not read.
    pub unread_folders: u64,
}

/// The number of ignored files that are named.
const NAMED: usize = 3;

/// A file. There may be many millions, so a host that is spelt like its file takes no room.
#[derive(Debug)]
struct Entry {
    folder: u32,
    name: Box<OsStr>,
    host: Option<Box<str>>,
    schemes: Schemes,
    is_folder: bool,
}

/// Which of [`SCHEMES`] a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Schemes(u8);

const SCHEMES: [&str; 3] = ["https", "http", "ftp"];

const HTTPS_AND_HTTP: Schemes = Schemes(0b011);

impl Entry {
    fn host(&self) -> &str {
        let name = || str::from_utf8(self.name.as_encoded_bytes()).unwrap_or_default();
        self.host.as_deref().unwrap_or_else(name)
    }

    /// Which of the files for one host is used: the least one. `HOST` is preferred to `HOST.txt`, and
    /// the normalized spelling to others; a folder comes last.
    fn rank(&self) -> (bool, bool, bool) {
        let bytes = self.name.as_encoded_bytes();
        let spelling = bytes.strip_suffix(b".txt");
        let is_other = self.host().as_bytes() != spelling.unwrap_or(bytes);
        (self.is_folder, spelling.is_some(), is_other)
    }
}

/// A file of a [`Folder`].
#[derive(Clone, Copy, Debug)]
pub struct HostFile<'f> {
    folder: &'f Path,
    entry: &'f Entry,
}

impl<'f> HostFile<'f> {
    /// The host, with its port if the name has one, as in [`Origin::authority`].
    #[must_use]
    pub fn host(&self) -> &'f str {
        self.entry.host()
    }

    /// Where the file is.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder.join(&*self.entry.name)
    }

    /// The name of the file.
    #[must_use]
    pub fn name(&self) -> &'f OsStr {
        &self.entry.name
    }

    /// The keys of the origins that the file is for.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        let schemes = (0..).zip(SCHEMES).filter(|(bit, _)| self.entry.schemes.0 >> bit & 1 == 1);
        let schemes: Vec<&str> = schemes.map(|(_, scheme)| scheme).collect();
        keys_of(self.host(), &schemes)
    }
}

/// The keys of the origins that a file for this host is for, with these schemes. `HOST:80` is for
/// https only: for http the file is `HOST`.
#[must_use]
pub fn keys_of(host: &str, schemes: &[&str]) -> Vec<String> {
    let keys = schemes.iter().filter_map(|scheme| {
        let url = format!("{scheme}://{host}");
        let origin = Origin::of(&url).ok()?;
        (origin.authority() == host).then(|| origin.key().to_owned())
    });
    keys.collect()
}

/// The longest file name in bytes on common file systems.
const LONGEST_FILE_NAME: usize = 255;

/// The name of the file for a host. `None` if no file can be named so: a host of a list of URLs may be
/// longer than any in DNS, and have odd bytes.
///
/// ```
/// use robotsieve_client::folders::file_name;
///
/// assert_eq!(file_name("example.com:8080").as_deref(), Some("example.com:8080"));
/// // Without the suffix it would be the folder of a scheme.
/// assert_eq!(file_name("http").as_deref(), Some("http.txt"));
/// assert_eq!(file_name("a/b"), None);
/// ```
#[must_use]
pub fn file_name(host: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:[]".contains(&byte);
    let is_short = host.len() <= LONGEST_FILE_NAME;
    if host.starts_with('.') || !is_short || !host.bytes().all(is_plain) {
        return None;
    }
    // Without the suffix it would be for another host, or in the way of a scheme's folder.
    let suffix = if SCHEMES.contains(&host) || host.ends_with(".txt") { ".txt" } else { "" };
    Some(format!("{host}{suffix}"))
}

impl Folder {
    /// The files of a folder, without those of folders in it. A folder in it that is named after a host stands for
    /// that host's file, which cannot be read.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be listed.
    pub fn list(path: &Path) -> Result<Folder, FolderError> {
        Folder::read(path, false)
    }

    /// The files of a folder and of all folders in it. The folders `http`, `https` and `ftp` in `path`
    /// itself are for this scheme, as a store is exported; others are for http and https. A file in `path`
    /// itself comes before those in folders, as if it were listed alone. Links to folders are not
    /// followed.
    ///
    /// # Errors
    /// Returns an error if a folder cannot be listed.
    pub fn walk(path: &Path) -> Result<Folder, FolderError> {
        Folder::read(path, true)
    }

    /// The files, in the order of their hosts.
    pub fn files(&self) -> impl ExactSizeIterator<Item = HostFile<'_>> {
        self.files.iter().map(|entry| self.of(entry))
    }

    /// A file by its number in this order.
    #[must_use]
    pub fn file(&self, number: usize) -> Option<HostFile<'_>> {
        self.files.get(number).map(|entry| self.of(entry))
    }

    fn of<'f>(&'f self, entry: &'f Entry) -> HostFile<'f> {
        HostFile { folder: &self.folders[entry.folder as usize], entry }
    }

    fn read(path: &Path, is_deep: bool) -> Result<Folder, FolderError> {
        let mut all = Folder {
            folders: Vec::new(),
            files: Vec::new(),
            warnings: Vec::new(),
            ignored_count: 0,
            ignored: Vec::new(),
            unread_folders: 0,
        };
        let mut left = vec![(path.to_owned(), HTTPS_AND_HTTP)];
        while let Some((folder, schemes)) = left.pop() {
            let failed = |cause| FolderError { folder: folder.clone(), cause };
            let number = u32::try_from(all.folders.len()).expect("fewer folders than 4 billion");
            for entry in fs::read_dir(&folder).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                let name = entry.file_name();
                let is_folder = entry.file_type().map_err(failed)?.is_dir();
                if is_folder {
                    if is_deep {
                        let own = (0..).zip(SCHEMES).find(|(_, scheme)| name == *scheme);
                        let own = own.filter(|_| number == 0).map(|(bit, _)| Schemes(1 << bit));
                        left.push((entry.path(), own.unwrap_or(schemes)));
                        continue;
                    }
                    all.unread_folders += 1;
                }
                let bytes = name.as_encoded_bytes();
                let host = host_and_port(bytes.strip_suffix(b".txt").unwrap_or(bytes));
                match host.as_deref() {
                    Some(host) => {
                        let host = (host.as_bytes() != bytes).then(|| host.into());
                        let name = name.into_boxed_os_str();
                        all.files.push(Entry { folder: number, name, host, schemes, is_folder });
                    }
                    None if is_folder => {}
                    None => all.ignore(entry.path()),
                }
            }
            all.folders.push(folder);
        }
        all.ignored.sort_unstable();
        all.ignored.truncate(NAMED);
        all.settle();
        Ok(all)
    }

    fn ignore(&mut self, path: PathBuf) {
        self.ignored_count += 1;
        // The first by name, so that the same folder gives the same message.
        self.ignored.push(path);
        if self.ignored.len() > 1024 {
            self.ignored.sort_unstable();
            self.ignored.truncate(NAMED);
        }
    }

    /// Sorts the files, and lets one remain for each origin.
    fn settle(&mut self) {
        let Folder { folders, files, warnings, .. } = self;
        let folder = |file: &Entry| &folders[file.folder as usize];
        let depths: Vec<usize> = folders.iter().map(|path| path.components().count()).collect();
        // The files of a scheme's own folder come before those of both, and those of a folder before
        // those of its subfolders.
        let order = |file: &Entry| {
            let depth = depths[file.folder as usize];
            (file.schemes.0.count_ones(), file.schemes, depth, file.rank())
        };
        files.sort_unstable_by(|one, other| {
            (one.host(), order(one))
                .cmp(&(other.host(), order(other)))
                .then_with(|| folder(one).cmp(folder(other)))
                .then_with(|| one.name.cmp(&other.name))
        });
        let path = |file: &Entry| folders[file.folder as usize].join(&*file.name);
        let mut taken = Schemes(0);
        let mut before: Option<Entry> = None;
        files.retain_mut(|file| {
            let is_same = before.as_ref().is_some_and(|before| before.host() == file.host());
            if !is_same {
                taken = Schemes(0);
            }
            if let Some(before) = before.as_ref().filter(|_| is_same)
                && before.schemes == file.schemes
            {
                if file.is_folder {
                    return false;
                }
                warnings.push(format!(
                    "'{used}' and '{}' are for the same host, {}: '{used}' is used; remove or \
                     rename the other one",
                    path(file).display(),
                    file.host(),
                    used = path(before).display(),
                ));
                return false;
            }
            let schemes = file.schemes;
            file.schemes.0 &= !taken.0;
            taken.0 |= schemes.0;
            let (name, host) = (file.name.clone(), file.host.clone());
            before = Some(Entry { name, host, schemes, ..*file });
            file.schemes.0 != 0
        });
    }
}

/// A folder that cannot be listed.
#[derive(Debug)]
pub struct FolderError {
    /// The folder, which may be one in that which was asked for.
    pub folder: PathBuf,
    /// Why.
    pub cause: io::Error,
}

impl fmt::Display for FolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot list '{}': {}", self.folder.display(), self.cause)
    }
}

impl error::Error for FolderError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        Some(&self.cause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in [
            "a.example",
            "http/a.example",
            "ab/b.example.txt",
            "ab/cd/B.example",
            "ab/http/c.example",
            "z.example:80",
            "top.example.txt",
            "ab/top.example",
            "no host",
            "ftp/d.example",
            "http/e.example",
            "x/e.example",
            "y/e.example",
        ] {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), name).unwrap();
        }
        let tree = Folder::walk(root).unwrap();
        let files = tree
            .files()
            .map(|file| (file.keys().join(" "), fs::read_to_string(file.path()).unwrap()));
        let files: Vec<_> = files.collect();
        let files: Vec<_> = files.iter().map(|(keys, file)| (&keys[..], &file[..])).collect();
        assert_eq!(
            files,
            [
                ("http://a.example", "http/a.example"),
                ("https://a.example", "a.example"),
                ("https://b.example http://b.example", "ab/b.example.txt"),
                ("https://c.example http://c.example", "ab/http/c.example"),
                ("ftp://d.example", "ftp/d.example"),
                ("http://e.example", "http/e.example"),
                ("https://e.example", "x/e.example"),
                ("https://top.example http://top.example", "top.example.txt"),
                ("https://z.example:80", "z.example:80"),
            ]
        );
        assert_eq!((tree.ignored_count, &tree.ignored[..]), (1, &[root.join("no host")][..]));
        assert_eq!(tree.warnings.len(), 3, "{:?}", tree.warnings);
        assert!(tree.warnings[0].contains("ab/b.example.txt' is used"), "{:?}", tree.warnings);
        assert!(tree.warnings[2].contains("/top.example.txt' is used"), "{:?}", tree.warnings);
        assert!(tree.warnings[1].contains("x/e.example' is used"), "{:?}", tree.warnings);
    }

    #[test]
    fn one_folder_alone() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.example", "A.example", "no host"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        fs::create_dir(folder.path().join("http")).unwrap();
        let listed = Folder::list(folder.path()).unwrap();
        let hosts: Vec<&str> = listed.files().map(|file| file.host()).collect();
        // The folder cannot be read as the file of a host.
        assert_eq!(hosts, ["a.example", "b.example", "http"]);
        assert_eq!((listed.unread_folders, listed.ignored_count), (1, 1));
        let error = Folder::list(&folder.path().join("b.example")).unwrap_err();
        assert_eq!(error.folder, folder.path().join("b.example"));
    }
}
