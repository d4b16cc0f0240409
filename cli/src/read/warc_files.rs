//! WARC files that the command line names, and what is told of those that are damaged.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use robotsieve_captures::RecordPlace;
use robotsieve_captures::warc::{Unreadable, WarcInput};
use robotsieve_shown::shown;
use same_file::Handle;

use super::stdin;
use crate::error::Failure;
use crate::write::stderr;

/// The number of damaged places that are named one by one.
const NAMED: u64 = 20;

/// The files with these names, opened one after another; `-` is standard input.
pub fn opened(names: &[OsString]) -> impl Iterator<Item = Result<WarcInput, Unreadable>> {
    names
        .iter()
        .map(|name| open(name).map_err(|cause| Unreadable { name: Path::new(name).into(), cause }))
}

fn open(name: &OsStr) -> io::Result<WarcInput> {
    if stdin::is_meant(name) {
        return WarcInput::stream("standard input", stdin::open()?);
    }
    let file = File::open(name)?;
    stdin::refuse_output(|| Handle::from_file(file.try_clone()?))?;
    WarcInput::file(name, file)
}

/// Tells on standard error what is left out.
#[derive(Debug, Default)]
pub struct Damage {
    told: u64,
}

impl Damage {
    /// Tells what is damaged, if it is not too much.
    pub fn tell(&mut self, place: &RecordPlace, what: &str) {
        self.told += 1;
        if self.told <= NAMED {
            tell_once(format!("{place}: {}; left out", shown(what.as_bytes())));
        }
    }
}

/// Tells an error, unless that was done when the files were read before.
fn tell_once(message: String) {
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if told.insert(message.clone()) {
        stderr::error(&message);
    }
}

/// Tells that a file cannot be read.
pub fn tell_unreadable(unreadable: Unreadable) {
    let Unreadable { name, cause } = unreadable;
    let failure = Failure::io(format!("cannot read WARC file '{}'", name.display()), cause);
    tell_once(failure.to_string());
}
