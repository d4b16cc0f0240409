//! The robots.txt files that records are checked against, with a cache.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use robotsieve::{Policy, Profile, Robots};
use robotsieve_client::hosts::{Whose, whose};
use robotsieve_client::outcome::{ContentHash, Protocol};
use robotsieve_client::report::KnownSites;
use robotsieve_report::recorded::RecordedQuestion;

use super::args::ReplayArgs;
use crate::error::Failure;
use crate::read::{path_of, robots_dir, robots_file, stdin, stores};

/// Where to find the file for a record, and the files read recently.
pub struct Sites {
    place: Place,
    kept: Kept,
    /// The store that was read last.
    store: Option<(PathBuf, KnownSites)>,
}

/// What a record is checked against.
pub enum Today {
    /// A robots.txt.
    File(Rc<Site>),
    /// What a store says is in force instead, for which this file stands.
    Instead { stand_in: Rc<Site>, holds: &'static str },
}

enum Place {
    /// At the path in the record.
    Record,
    /// One file for all records.
    File(Rc<Site>),
    /// A store, by the site of the record's URL.
    Store(PathBuf),
    /// By the host of the record's URL.
    Folder { path: PathBuf, files: HashMap<String, PathBuf> },
}

/// A robots.txt file.
pub struct Site {
    pub path: PathBuf,
    pub sha256: String,
    pub file: Vec<u8>,
    policies: RefCell<HashMap<PolicyKey, Policy>>,
}

/// The profile, the agent, and whether it is a header.
type PolicyKey = (Profile, Vec<u8>, bool);

/// The most policies of a file to cache.
const POLICIES: usize = 256;

impl Site {
    fn of(path: &Path, file: Vec<u8>) -> Site {
        let (path, sha256) = (path.to_owned(), ContentHash::of(&file).to_string());
        Site { path, sha256, file, policies: RefCell::default() }
    }

    /// The policy for the crawler of a record.
    pub fn policy(&self, question: &RecordedQuestion) -> Policy {
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
}

impl Sites {
    /// # Errors
    /// Returns an error if the folder cannot be listed or the one file cannot be read.
    pub fn new(args: &ReplayArgs) -> Result<Sites, Failure> {
        let place = if let Some(path) = &args.robots {
            Place::File(Rc::new(Site::of(path, robots_file::rules(path)?)))
        } else if let Some(path) = &args.robots_dir {
            let folder = robots_dir::list(path)?;
            let files = folder.files().map(|file| (file.host().to_owned(), file.path())).collect();
            Place::Folder { path: path.clone(), files }
        } else if let Some(path) = &args.store {
            stores::exists(path)?;
            Place::Store(path.clone())
        } else {
            Place::Record
        };
        Ok(Sites { place, kept: Kept::default(), store: None })
    }

    /// The file that a record is checked against.
    ///
    /// # Errors
    /// Returns a description of why it cannot be read or found.
    pub fn find(&mut self, question: &RecordedQuestion) -> Result<Today, String> {
        let path = match &self.place {
            Place::Store(path) => return self.find_in_store(&path.clone(), question),
            Place::Record => {
                let path = path_of(&question.robots).ok_or("its name is no path on this system")?;
                if stdin::is_meant(&path) {
                    let missing = "it was standard input: name the file with --robots FILE";
                    return Err(format!("robots.txt '-': {missing}"));
                }
                if question.record.holds.is_some() {
                    return self.find_in_store(&path, question);
                }
                path
            }
            Place::File(site) => return Ok(Today::File(Rc::clone(site))),
            Place::Folder { path, files } => {
                let google = question.profile == Profile::GOOGLE;
                let origin = match whose(&question.url, google) {
                    (_, Whose::Origin(origin)) => origin,
                    (_, Whose::Foreign) => return Err("the URL's scheme has no robots.txt".into()),
                    (_, Whose::Nobody) => return Err("the URL has no host".into()),
                };
                let host = origin.authority();
                let file = files.get(host);
                file.ok_or_else(|| format!("no file for {host} in '{}'", path.display()))?.clone()
            }
        };
        self.kept.get(&path).map(Today::File)
    }

    /// What a store says of the site of a record's URL.
    fn find_in_store(&mut self, path: &Path, question: &RecordedQuestion) -> Result<Today, String> {
        if self.store.as_ref().is_none_or(|(open, _)| open != path) {
            let store = stores::read_only(path).map_err(|failure| failure.to_string())?;
            let sites = KnownSites::new(store, None, Protocol::of);
            self.store = Some((path.to_owned(), sites));
        }
        let Some((_, sites)) = &mut self.store else { return Err(String::new()) };
        let found = sites.find(&question.url, &question.profile);
        let found = found.map_err(|failure| failure.to_string())?;
        let site = Rc::new(Site::of(path, found.file().to_vec()));
        Ok(match found.holds() {
            "rules" => Today::File(site),
            holds => Today::Instead { stand_in: site, holds },
        })
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

fn read(path: &Path) -> Result<Rc<Site>, String> {
    let file = robots_file::read(path).map_err(|failure| failure.to_string())?;
    Ok(Rc::new(Site::of(path, file)))
}

#[cfg(test)]
mod tests {
    use super::*;

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
