//! What robots.txt files say of rights, compiled once for a reader.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{PoisonError, RwLock};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use robotsieve::Profile;
use robotsieve_rights::{RightsReader, RobotsRights};

use crate::file::Robots;
use crate::reports::Given;

/// What one file says.
pub type Compiled = RobotsRights<'static>;

/// The most files that are kept, and the most bytes of them: beyond, all are forgotten.
const MOST_FILES: usize = 1 << 16;
const MOST_BYTES: usize = 64 << 20;

/// A reader, and what it made of files so far.
pub struct Compiler {
    pub reader: RightsReader,
    /// How files are read that are given as bytes.
    pub profile: Profile,
    hasher: RandomState,
    files: RwLock<Files>,
    objects: RwLock<Objects>,
}

/// Files by the hash of what is in them.
#[derive(Default)]
struct Files {
    by_hash: HashMap<u64, File>,
    len_bytes: usize,
}

struct File {
    body: Box<[u8]>,
    profile: Profile,
    compiled: Compiled,
}

/// Files by the address of the object that they were given as, which cannot change and is kept, so that
/// no other one can be there.
type Objects = HashMap<usize, (Py<PyAny>, Compiled)>;

impl Compiler {
    pub fn new(reader: RightsReader, profile: Profile) -> Compiler {
        let (files, objects) = (RwLock::default(), RwLock::default());
        Compiler { reader, profile, hasher: RandomState::new(), files, objects }
    }

    /// What a file says. `None` for the profile is that of the reader.
    pub fn compiled(&self, body: &[u8], profile: Option<Profile>) -> Compiled {
        let profile = profile.unwrap_or(self.profile);
        let hash = self.hasher.hash_one((body, &profile));
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        let is_same = |file: &&File| *file.body == *body && file.profile == profile;
        if let Some(file) = files.by_hash.get(&hash).filter(is_same) {
            return file.compiled.clone();
        }
        drop(files);
        let text = robotsieve::text_of(body, &profile);
        let compiled = self.reader.robots(&robotsieve::Robots::parse(&text, &profile));
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        if files.by_hash.len() >= MOST_FILES || files.len_bytes + body.len() > MOST_BYTES {
            *files = Files::default();
        }
        let file = File { body: body.into(), profile, compiled: compiled.clone() };
        let before = files.by_hash.insert(hash, file);
        files.len_bytes += body.len();
        files.len_bytes -= before.map_or(0, |file| file.body.len());
        compiled
    }

    /// What a file says that Python gave: text, bytes, or a `Robots`, whose profile then counts.
    pub fn of_object(&self, file: &Bound<'_, PyAny>) -> PyResult<Compiled> {
        let is_kept = file.cast_exact::<Robots>().is_ok()
            || file.cast_exact::<PyBytes>().is_ok()
            || file.cast_exact::<PyString>().is_ok();
        let address = file.as_ptr().addr();
        if is_kept {
            let objects = self.objects.read().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, compiled)) = objects.get(&address) {
                return Ok(compiled.clone());
            }
        }
        let given = Given::of(file, "robots")?;
        let compiled = file.py().detach(|| self.compiled(&given.body, given.profile));
        if is_kept {
            let mut objects = self.objects.write().unwrap_or_else(PoisonError::into_inner);
            let forgotten = (objects.len() >= MOST_OBJECTS).then(|| std::mem::take(&mut *objects));
            objects.insert(address, (file.clone().unbind(), compiled.clone()));
            drop(objects);
            // Dropping objects of Python may run its code, which may come back here.
            drop(forgotten);
        }
        Ok(compiled)
    }
}

/// The most objects that are kept alive.
const MOST_OBJECTS: usize = 256;
