//! What is made of records, and where it goes.

use std::path::Path;
use std::sync::Arc;
use std::{fmt, io};

use super::record::Record;
use crate::capture::{At, RecordPlace};

/// An input that cannot be read.
#[derive(Debug)]
pub struct Unreadable {
    /// Its path, or what it is called in messages.
    pub name: Arc<Path>,
    /// Why not.
    pub cause: io::Error,
}

/// A thread that read has panicked, so that something is missing: a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Panicked;

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a thread that reads WARC files has panicked: this is a bug in robotsieve")
    }
}

impl std::error::Error for Panicked {}

/// The numbers of what was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Sound records, of every kind.
    pub records: u64,
    /// Places that are no record, and records that could not be read.
    pub damaged: u64,
    /// Inputs that could not be read, or not to their end.
    pub unreadable: u64,
    /// Bytes of the inputs, as they are stored.
    pub bytes: u64,
}

/// What is made of records, by the threads that read them.
pub trait Extract: Sync {
    /// What it makes.
    type Found: Send;

    /// Returns true if something may be made of a record, of which the block is not read yet.
    fn is_wanted(&self, record: &Record<'_>) -> bool;

    /// Makes something of a record, or nothing, or says what is wrong with it.
    fn read(&self, record: &Record<'_>, place: RecordPlace) -> Option<Result<Self::Found, String>>;

    /// About how much memory it takes.
    fn weight(&self, found: &Self::Found) -> usize;
}

/// What was found in an input.
pub enum Extracted<F> {
    /// What was made of a record.
    Made(F),
    /// Something that is no record, or one that says nothing; with its URL, if so much of it could be read.
    Damage(At, String, Option<Box<str>>),
}

/// Takes what was found, in the order of the inputs. What it leaves out itself it counts.
pub trait Sink<F> {
    /// Why it does not go on.
    type Error: From<Panicked>;

    /// Takes what was made of a record.
    fn found(&mut self, found: F, counts: &mut Counts) -> Result<(), Self::Error>;

    /// Takes what is wrong with a place, and the URL of the record there if that could be read.
    fn damaged(
        &mut self,
        place: RecordPlace,
        what: String,
        url: Option<Box<str>>,
    ) -> Result<(), Self::Error>;

    /// Takes an input that cannot be read.
    fn unreadable(&mut self, unreadable: Unreadable) -> Result<(), Self::Error>;

    /// Is told that nothing follows.
    fn end(&mut self, counts: &mut Counts) -> Result<(), Self::Error>;
}
