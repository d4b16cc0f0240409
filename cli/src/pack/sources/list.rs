//! A list of sites and the paths of their robots.txt files.

use std::collections::HashSet;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec;

use robotsieve::Origin;
use robotsieve_captures::packs::GatherInput;
use robotsieve_client::folders::keys_of;
use robotsieve_client::hosts::host_and_port;

use super::source::{CaptureSource, Faults, file_of};
use crate::error::Failure;
use crate::options::When;
use crate::read::output::Output;
use crate::read::{inputs, path_of, robots_dir};
use crate::write::report::Report;
use robotsieve_client::lines::{Line, Lines, URL_BYTES};

/// The lines of a list, in the order of their sites.
pub struct List {
    files: vec::IntoIter<(Vec<String>, PathBuf)>,
    /// What is wrong with the lines that are left out.
    wrong: Vec<String>,
    /// Why it cannot be read to its end.
    breaks_off: Option<(String, io::Error)>,
}

impl List {
    /// Reads the list; `-` is standard input.
    ///
    /// # Errors
    /// Returns an error if it cannot be opened, or if `output` is one of its files.
    pub fn open(path: &Path, output: &Output<'_>) -> Result<List, Failure> {
        let report = Arc::new(Report::new(When::Never, &[]));
        let bytes = inputs::open(path.as_os_str(), &report).map_err(|cause| {
            Failure::io(format!("cannot read list '{}'", path.display()), cause)
        })?;
        let mut lines = Lines::of(BufReader::new(bytes), URL_BYTES);
        let (mut files, mut wrong) = (Vec::new(), Vec::new());
        let mut breaks_off = None;
        let mut seen = HashSet::new();
        loop {
            let (number, line) = match lines.next_line() {
                Ok(None) => break,
                Ok(Some((number, Line::Whole(line)))) => (number, entry(line, &mut seen)),
                Ok(Some((number, Line::TooLong(_)))) => {
                    (number, Err("it is longer than 1 MiB".to_owned()))
                }
                Err(cause) => {
                    breaks_off = Some((format!("list '{}'", path.display()), cause));
                    break;
                }
            };
            match line {
                Ok(entry) => {
                    output.refuse_input(&entry.1)?;
                    files.push(entry);
                }
                Err(what) => {
                    wrong.push(format!("list '{}', line {number}: {what}", path.display()));
                }
            }
        }
        // So that the same lines make the same pack.
        files.sort_unstable();
        Ok(List { files: files.into_iter(), wrong, breaks_off })
    }
}

impl CaptureSource for List {
    fn next(&mut self, faults: &Faults) -> Option<GatherInput> {
        self.wrong.drain(..).for_each(|what| faults.add(&what));
        if let Some((list, cause)) = self.breaks_off.take() {
            faults.breaks_off(&list, &cause);
        }
        self.files.next().map(|(keys, path)| file_of(keys, path, robots_dir::read))
    }
}

/// What a line says, unless the sites were seen before.
///
/// # Errors
/// Returns what is wrong with it.
fn entry(line: &[u8], seen: &mut HashSet<String>) -> Result<(Vec<String>, PathBuf), String> {
    let tab = memchr::memchr(b'\t', line);
    let tab = tab.ok_or("there is no tab between the host and the path")?;
    let (site, file) = (&line[..tab], &line[tab + 1..]);
    let keys = keys(site).ok_or_else(|| {
        format!("'{}' is neither a host nor the URL of a site", crate::write::bytes::shown(site))
    })?;
    let file = path_of(file).ok_or("the text after the tab is not a path")?;
    if keys.iter().any(|key| seen.contains(key)) {
        return Err("the host is in the list twice; the first line counts".to_owned());
    }
    seen.extend(keys.iter().cloned());
    Ok((keys, file))
}

/// The keys of the origins that the text before the tab is for.
fn keys(site: &[u8]) -> Option<Vec<String>> {
    if memchr::memmem::find(site, b"://").is_some() {
        return Some(vec![Origin::of(site).ok()?.key().to_owned()]);
    }
    let host = host_and_port(site)?;
    let keys = keys_of(&host, &["https", "http"]);
    (!keys.is_empty()).then_some(keys)
}
