//! A list of sites and the paths of their robots.txt files.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::vec;

use robotsieve::Origin;

use super::{Faults, Source};
use crate::error::Failure;
use crate::pack::gather::Input;
use crate::read::hosts::host_and_port;
use crate::read::robots_dir::keys_of;
use crate::read::stdin;
use crate::write::file::is_same;

/// The lines of a list, in the order of their sites.
pub struct List(vec::IntoIter<(Vec<String>, PathBuf)>);

impl List {
    /// Reads the list.
    ///
    /// # Errors
    /// Returns an error if it cannot be read, or if a line is no line of a list.
    pub fn open(path: &Path, output: &Path) -> Result<List, Failure> {
        let cannot = format!("cannot read list '{}'", path.display());
        let list = if stdin::is_meant(path) {
            let mut list = Vec::new();
            stdin::open().and_then(|input| input.lock().read_to_end(&mut list)).map(|_| list)
        } else {
            fs::read(path)
        };
        let list = list.map_err(|cause| Failure::io(&cannot, cause))?;
        let mut files = Vec::new();
        let mut seen = HashSet::new();
        for (number, line) in list.split(|byte| *byte == b'\n').enumerate() {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() {
                continue;
            }
            let wrong = |what: &str| {
                Failure::Usage(format!("list '{}', line {}: {what}", path.display(), number + 1))
            };
            let tab = line.iter().position(|byte| *byte == b'\t');
            let tab = tab.ok_or_else(|| wrong("there is no tab between the host and the path"))?;
            let (site, file) = (&line[..tab], &line[tab + 1..]);
            let keys = keys(site).ok_or_else(|| {
                wrong("the text before the tab is not a host, nor the URL of a site")
            })?;
            if !keys.iter().all(|key| seen.insert(key.clone())) {
                return Err(wrong("the host is in the list twice"));
            }
            let file =
                path_of(file).ok_or_else(|| wrong("the text after the tab is not a path"))?;
            if is_same(&file, output) {
                return Err(Failure::Usage(format!(
                    "'{}' is one of the files to read: name another file with -o PATH",
                    file.display()
                )));
            }
            files.push((keys, file));
        }
        // So that the same lines make the same pack.
        files.sort_unstable();
        Ok(List(files.into_iter()))
    }
}

impl Source for List {
    fn next(&mut self, _: &Faults) -> Option<Input> {
        self.0.next().map(|(keys, path)| Input::File { keys, path })
    }
}

/// The keys of the origins that the text before the tab is for.
fn keys(site: &[u8]) -> Option<Vec<String>> {
    if memchr::memmem::find(site, b"://").is_some() {
        return Some(vec![Origin::of(site).ok()?.key().to_owned()]);
    }
    let host = host_and_port(site, None)?;
    let keys = keys_of(str::from_utf8(&host).ok()?, &["https", "http"]);
    (!keys.is_empty()).then_some(keys)
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Some(PathBuf::from(OsStr::from_bytes(bytes)))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(bytes).ok().map(|path| PathBuf::from(OsStr::new(path)))
}
