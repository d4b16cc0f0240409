//! What is made of records, and where it goes.

use crate::captures::capture::{At, RecordPlace};

use super::record::Record;
use super::{Counts, Panicked, Unreadable};

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
pub enum Found<F> {
    /// What was made of a record.
    Made(F),
    /// Something that is no record, or one that says nothing.
    Damage(At, String),
}

/// Takes what was found, in the order of the inputs. What is left out it also counts.
pub trait Sink<F> {
    /// Why it does not go on.
    type Error: From<Panicked>;

    /// Takes what was made of a record.
    fn found(&mut self, found: F, counts: &mut Counts) -> Result<(), Self::Error>;

    /// Takes what is wrong with a place.
    fn damaged(
        &mut self,
        place: RecordPlace,
        what: String,
        counts: &mut Counts,
    ) -> Result<(), Self::Error>;

    /// Takes an input that cannot be read.
    fn unreadable(
        &mut self,
        unreadable: Unreadable,
        counts: &mut Counts,
    ) -> Result<(), Self::Error>;

    /// Is told that nothing follows.
    fn end(&mut self, counts: &mut Counts) -> Result<(), Self::Error>;
}
