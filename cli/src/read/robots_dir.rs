//! A folder of robots.txt files, each named after its host.
//!
//! A host never becomes part of a path: the folder is listed once, and its file names are
//! normalized like the hosts of URLs.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

use robotsieve::Origin;

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
    /// How many subfolders there are, which are not listed.
    pub subfolders: u64,
}

/// A normalized host, and the index of its file in [`Listing::names`].
pub type HostPlace = (Box<[u8]>, u32);

/// Lists a folder and finds hosts with two files.
///
/// # Errors
/// Returns an error if the folder cannot be listed.
pub fn list(path: &Path) -> Result<Listing, Failure> {
    let failed = |cause| cannot_list(path, cause);
    let (mut names, mut subfolders) = (Vec::new(), 0);
    for entry in fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if is_file(&entry).map_err(failed)? {
            names.push(entry.file_name());
        } else if entry.file_type().map_err(failed)?.is_dir() {
            subfolders += 1;
        }
    }
    names.sort_unstable();
    let (hosts, warnings) = hosts_of(path, &names);
    Ok(Listing { names, hosts, warnings, subfolders })
}

/// All files of a folder and its subfolders that are named after hosts.
pub struct Tree {
    folders: Vec<PathBuf>,
    files: Vec<TreeFile>,
    /// Warnings about hosts with two files.
    pub warnings: Vec<String>,
    /// What is not the robots.txt of a host: how many, and the first of them.
    pub ignored: Vec<PathBuf>,
    pub ignored_count: u64,
}

/// How many ignored files are named.
const NAMED: usize = 3;

/// A file of a [`Tree`]. There may be many millions, so a host that is spelt like its file takes no
/// room.
struct TreeFile {
    folder: u32,
    name: Box<OsStr>,
    host: Option<Box<str>>,
    schemes: Schemes,
}

/// Which of [`SCHEMES`] a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Schemes(u8);

const SCHEMES: [&str; 3] = ["https", "http", "ftp"];

impl TreeFile {
    fn host(&self) -> &str {
        let name = || str::from_utf8(self.name.as_encoded_bytes()).unwrap_or_default();
        self.host.as_deref().unwrap_or_else(name)
    }

    fn rank(&self) -> Rank {
        let bytes = self.name.as_encoded_bytes();
        let spelling = bytes.strip_suffix(b".txt");
        Rank {
            has_suffix: spelling.is_some(),
            is_spelt_otherwise: self.host().as_bytes() != spelling.unwrap_or(bytes),
        }
    }
}

impl Tree {
    /// A file, in the order of the hosts: the keys of its origins, and its path.
    pub fn file(&self, number: usize) -> Option<(Vec<String>, PathBuf)> {
        let file = self.files.get(number)?;
        let schemes = (0..).zip(SCHEMES).filter(|(bit, _)| file.schemes.0 >> bit & 1 == 1);
        let schemes: Vec<&str> = schemes.map(|(_, scheme)| scheme).collect();
        let path = self.folders[file.folder as usize].join(&*file.name);
        Some((keys_of(file.host(), &schemes), path))
    }
}

/// The keys of the origins that a file for this host is for, with these schemes. `HOST:80` is for
/// https only: for http the file is `HOST`.
pub fn keys_of(host: &str, schemes: &[&str]) -> Vec<String> {
    let keys = schemes.iter().filter_map(|scheme| {
        let url = format!("{scheme}://{host}");
        let origin = Origin::of(&url).ok()?;
        (origin.authority() == host).then(|| origin.key().to_owned())
    });
    keys.collect()
}

/// Lists a folder with its subfolders. The name of a file alone says which host it is for. The
/// folders `http`, `https` and `ftp` in `path` itself are for this scheme, as `store export` writes
/// them; others are for http and https. A file in `path` itself comes before those in subfolders, as if
/// it were listed alone. Links to folders are not followed.
///
/// # Errors
/// Returns an error if a folder cannot be listed.
pub fn walk(path: &Path) -> Result<Tree, Failure> {
    let mut tree = Tree {
        folders: Vec::new(),
        files: Vec::new(),
        warnings: Vec::new(),
        ignored: Vec::new(),
        ignored_count: 0,
    };
    let mut left = vec![(path.to_owned(), Schemes(0b011))];
    while let Some((folder, schemes)) = left.pop() {
        let failed = |cause| cannot_list(&folder, cause);
        let number = u32::try_from(tree.folders.len()).expect("fewer folders than 4 billion");
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            if entry.file_type().map_err(failed)?.is_dir() {
                let own = (0..).zip(SCHEMES).find(|(_, scheme)| name == *scheme);
                let own = own.filter(|_| number == 0).map(|(bit, _)| Schemes(1 << bit));
                left.push((entry.path(), own.unwrap_or(schemes)));
                continue;
            }
            let bytes = name.as_encoded_bytes();
            let spelling = bytes.strip_suffix(b".txt").unwrap_or(bytes);
            let host = host_and_port(spelling);
            match host.as_deref() {
                Some(host) if is_file(&entry).map_err(failed)? => {
                    let host = (host.as_bytes() != bytes).then(|| host.into());
                    let name = name.into_boxed_os_str();
                    tree.files.push(TreeFile { folder: number, name, host, schemes });
                }
                _ => {
                    tree.ignored_count += 1;
                    // The first by name, so that the same folder gives the same message.
                    tree.ignored.push(entry.path());
                    if tree.ignored.len() > 1024 {
                        tree.ignored.sort_unstable();
                        tree.ignored.truncate(NAMED);
                    }
                }
            }
        }
        tree.folders.push(folder);
    }
    tree.ignored.sort_unstable();
    tree.ignored.truncate(NAMED);
    tree.settle();
    Ok(tree)
}

impl Tree {
    /// Sorts the files, and lets one remain for each origin.
    fn settle(&mut self) {
        let Tree { folders, files, warnings, .. } = self;
        let folder = |file: &TreeFile| &folders[file.folder as usize];
        let depths: Vec<usize> = folders.iter().map(|path| path.components().count()).collect();
        // The files of a scheme's own folder come before those of both, and those of a folder before
        // those of its subfolders.
        let order = |file: &TreeFile| {
            let depth = depths[file.folder as usize];
            (file.schemes.0.count_ones(), file.schemes, depth, file.rank())
        };
        files.sort_unstable_by(|one, other| {
            (one.host(), order(one))
                .cmp(&(other.host(), order(other)))
                .then_with(|| folder(one).cmp(folder(other)))
                .then_with(|| one.name.cmp(&other.name))
        });
        let path = |file: &TreeFile| folders[file.folder as usize].join(&*file.name);
        let mut taken = Schemes(0);
        let mut before: Option<TreeFile> = None;
        files.retain_mut(|file| {
            let is_same = before.as_ref().is_some_and(|before| before.host() == file.host());
            if !is_same {
                taken = Schemes(0);
            }
            if let Some(before) = before.as_ref().filter(|_| is_same)
                && before.schemes == file.schemes
            {
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
            before = Some(TreeFile { folder: file.folder, name, host, schemes });
            file.schemes.0 != 0
        });
    }
}

fn cannot_list(path: &Path, cause: io::Error) -> Failure {
    let failure = Failure::io(format!("cannot list --robots-dir '{}'", path.display()), cause);
    if path.is_file() {
        failure.advise("a folder of robots.txt files named HOST is expected, not a file")
    } else {
        failure
    }
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
        let Some(host) = host_and_port(spelling) else { continue };
        let this = (Rank { has_suffix, is_spelt_otherwise: host.as_bytes() != spelling }, place);
        match hosts.entry(Box::from(host.as_bytes())) {
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
                    host,
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
        return Err(would_be_in(folder, file));
    }
    Ok(())
}

/// Refuses to write a file to such a folder or its subfolders.
///
/// # Errors
/// Returns an error if `file` is, or would be, beneath the folder.
pub fn refuse_output_beneath(folder: &Path, file: &Path) -> Result<(), Failure> {
    let parent = file.parent().filter(|path| *path != Path::new("")).unwrap_or(Path::new("."));
    let places = [fs::canonicalize(parent), fs::canonicalize(file)];
    let Ok(folder_itself) = fs::canonicalize(folder) else { return Ok(()) };
    let [parent, file_itself] = places;
    let is_beneath = parent.is_ok_and(|parent| parent.starts_with(&folder_itself))
        || file_itself.is_ok_and(|it| it != folder_itself && it.starts_with(&folder_itself));
    if is_beneath { Err(would_be_in(folder, file)) } else { Ok(()) }
}

fn would_be_in(folder: &Path, file: &Path) -> Failure {
    Failure::Usage(format!(
        "'{}' would be in the folder '{}', whose files are read: write it to \
         another folder",
        file.display(),
        folder.display()
    ))
}

fn is_same_folder(one: &Path, other: &Path) -> bool {
    fs::canonicalize(one).is_ok_and(|one| fs::canonicalize(other).is_ok_and(|other| one == other))
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
        let tree = walk(root).unwrap();
        let files: Vec<_> = (0..)
            .map_while(|number| tree.file(number))
            .map(|(keys, path)| (keys.join(" "), fs::read_to_string(path).unwrap()))
            .collect();
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
}
