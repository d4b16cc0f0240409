//! The robots.txt files that records are checked against, with a cache.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use robotsieve::{Policy, Profile, Robots, Rule};

use super::args::ReplayArgs;
use crate::error::Failure;
use crate::explain::record::{Question, sha256};
use crate::read::hosts::{Whose, whose};
use crate::read::{robots_dir, robots_file, stdin};
use crate::write::stderr;

/// Where to find the file for a record, and the files read recently.
pub struct Sites {
    place: Place,
    kept: Kept,
}

enum Place {
    /// At the path in the record.
    Record,
    /// One file for all records.
    File(Rc<Site>),
    /// By the host of the record's URL.
    Folder { path: PathBuf, names: Vec<OsString>, hosts: HashMap<Box<[u8]>, u32> },
}

/// A robots.txt file.
pub struct Site {
    pub path: PathBuf,
    pub sha256: String,
    file: Vec<u8>,
    policies: RefCell<HashMap<PolicyKey, Policy>>,
}

/// The profile, the agent, and whether it is a header.
type PolicyKey = (Profile, Vec<u8>, bool);

/// The most policies of a file to cache.
const POLICIES: usize = 256;

impl Site {
    fn of(path: &Path, file: Vec<u8>) -> Site {
        let (path, sha256) = (path.to_owned(), sha256(&file));
        Site { path, sha256, file, policies: RefCell::default() }
    }

    /// The policy for the crawler of a record.
    pub fn policy(&self, question: &Question) -> Policy {
        let key = (question.profile, question.agent.clone(), question.record.user_agent);
        let mut policies = self.policies.borrow_mut();
        if let Some(policy) = policies.get(&key) {
            return policy.clone();
        }
        if policies.len() >= POLICIES {
            policies.clear();
        }
        let robots = Robots::parse(&self.file, &question.profile);
        let policy = robots.policy(&question.crawler());
        policies.insert(key, policy.clone());
        policy
    }

    /// Whether these bytes of the file are the value of the rule, in its line.
    pub fn has(&self, rule: &Rule<'_>, [from, to]: [usize; 2]) -> bool {
        self.file.get(from..to) == Some(rule.value) && line_of(&self.file, from) == rule.line
    }
}

impl Sites {
    /// # Errors
    /// Returns an error if the folder cannot be listed or the one file cannot be read.
    pub fn new(args: &ReplayArgs) -> Result<Sites, Failure> {
        let place = if let Some(path) = &args.robots {
            Place::File(Rc::new(Site::of(path, robots_file::text(path)?)))
        } else if let Some(path) = &args.robots_dir {
            let listing = robots_dir::list(path)?;
            listing.warnings.iter().for_each(|warning| stderr::note(warning));
            let hosts = listing.hosts.into_iter().collect();
            Place::Folder { path: path.clone(), names: listing.names, hosts }
        } else {
            Place::Record
        };
        Ok(Sites { place, kept: Kept::default() })
    }

    /// The file that a record is checked against.
    ///
    /// # Errors
    /// Returns a description of why it cannot be read or found.
    pub fn find(&mut self, question: &Question) -> Result<Rc<Site>, String> {
        let path = match &self.place {
            Place::Record if stdin::is_meant(&question.robots) => {
                let missing = "it was standard input: name the file with --robots FILE";
                return Err(format!("robots.txt '-': {missing}"));
            }
            Place::Record => question.robots.clone(),
            Place::File(site) => return Ok(Rc::clone(site)),
            Place::Folder { path, names, hosts } => {
                let google = question.profile == Profile::GOOGLE;
                let origin = match whose(&question.url, google) {
                    (_, Whose::Origin(origin)) => origin,
                    (_, Whose::Foreign) => return Err("the URL's scheme has no robots.txt".into()),
                    (_, Whose::Nobody) => return Err("the URL has no host".into()),
                };
                let host = origin.authority();
                let place = hosts
                    .get(host.as_bytes())
                    .ok_or_else(|| format!("no file for {host} in '{}'", path.display()))?;
                path.join(&names[*place as usize])
            }
        };
        self.kept.get(&path)
    }
}

/// The files that were read recently, including those that could not be read, in two generations
/// of bounded size. A file that is used moves to the younger one; when that is full, the older one
/// is dropped.
#[derive(Default)]
struct Kept {
    young: HashMap<PathBuf, Result<Rc<Site>, String>>,
    old: HashMap<PathBuf, Result<Rc<Site>, String>>,
    young_bytes: usize,
}

const KEPT_FILES: usize = 4_096;
const KEPT_BYTES: usize = 128 << 20;

impl Kept {
    fn get(&mut self, path: &Path) -> Result<Rc<Site>, String> {
        if let Some(site) = self.young.get(path) {
            return site.clone();
        }
        let site = self.old.remove(path).unwrap_or_else(|| read(path));
        let bytes = site.as_ref().map_or(0, |site| site.file.len());
        if self.young.len() >= KEPT_FILES || self.young_bytes + bytes > KEPT_BYTES {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += bytes;
        self.young.insert(path.to_owned(), site.clone());
        site
    }
}

/// The 1-based line of a byte; LF, CR and CRLF end lines.
fn line_of(file: &[u8], at: usize) -> u32 {
    let ends = file[..at].iter().zip(&file[1..]).filter(|pair| match pair {
        (b'\n', _) => true,
        (b'\r', next) => **next != b'\n',
        _ => false,
    });
    ends.count() as u32 + 1
}

fn read(path: &Path) -> Result<Rc<Site>, String> {
    let file = robots_file::read(path).map_err(|failure| failure.to_string())?;
    Ok(Rc::new(Site::of(path, file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_by_any_end() {
        let lines: Vec<u32> = (0..8).map(|at| line_of(b"a\nb\r\nc\rd", at)).collect();
        assert_eq!(lines, [1, 1, 2, 2, 2, 3, 3, 4]);
        assert_eq!(line_of(b"a", 0), 1);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let path = |number: usize| folder.path().join(number.to_string());
        std::fs::write(path(0), "user-agent: *").unwrap();
        let mut kept = Kept::default();
        let first = kept.get(&path(0)).unwrap();
        for number in 1..3 * KEPT_FILES {
            assert!(kept.get(&path(number)).is_err());
            // It stays because it is used again and again.
            assert!(Rc::ptr_eq(&kept.get(&path(0)).unwrap(), &first));
        }
        assert!(kept.young.len() + kept.old.len() <= 2 * KEPT_FILES);
    }
}
