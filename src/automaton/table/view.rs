//! A table that is known to be valid: owned, or borrowed.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::rules::normalise::Encoding;
#[cfg(feature = "url")]
use crate::verdict::Verdict;

use super::format::RawTable;
#[cfg(any(feature = "pack", test))]
use super::validate::InvalidAutomaton;

/// A policy's DFA in its compact form.
///
/// Its bytes are valid: only `Layout` makes an automaton. Clones share them.
#[derive(Clone, PartialEq, Eq)]
pub struct Automaton {
    bytes: Arc<[u8]>,
    encoding: Encoding,
}

impl Automaton {
    /// Takes the bytes that a `Layout` has written.
    pub(super) fn of_layout(bytes: &[u8], encoding: Encoding) -> Automaton {
        Automaton { bytes: bytes.into(), encoding }
    }

    #[inline(always)]
    pub fn table(&self) -> Table<'_> {
        Table { raw: RawTable::new(&self.bytes, self.encoding) }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes that it occupies, without `self`.
    pub fn memory_usage(&self) -> usize {
        // The two counters of the Arc.
        2 * size_of::<usize>() + self.bytes.len()
    }
}

impl fmt::Debug for Automaton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Automaton").field("len", &self.bytes.len()).finish_non_exhaustive()
    }
}

/// A valid table, borrowed from an [`Automaton`] or from bytes that were checked.
#[derive(Clone, Copy)]
pub struct Table<'t> {
    /// Keeps the invariants of [`mod@super::format`].
    raw: RawTable<'t>,
}

#[cfg(any(feature = "url", test))]
impl<'t> Table<'t> {
    /// The table that these bytes are.
    ///
    /// `O(n log n)` for a table of `n` bytes, valid or not; allocates.
    ///
    /// # Errors
    /// Returns the first invariant that does not hold.
    #[cfg(any(feature = "pack", test))]
    pub fn validated(bytes: &'t [u8], encoding: Encoding) -> Result<Table<'t>, InvalidAutomaton> {
        let raw = RawTable::new(bytes, encoding);
        raw.validate()?;
        Ok(Table { raw })
    }

    /// The verdict of a table that has the same one on every haystack, before any byte. `None` if it
    /// depends on the haystack. The bytes must be those of a valid table.
    #[cfg(feature = "url")]
    pub fn only_verdict(bytes: &'t [u8], encoding: Encoding) -> Option<Verdict> {
        match RawTable::new(bytes, encoding).start() {
            0 => Some(Verdict::Allow),
            1 => Some(Verdict::Disallow),
            _ => None,
        }
    }

    /// The table that these bytes are, without a check in release builds.
    ///
    /// # Safety
    /// [`Table::validated`] must return `Ok` for these bytes and this encoding. On other
    /// bytes, a walk may read beyond their end.
    #[cfg(feature = "url")]
    #[expect(unsafe_code, reason = "an unsafe function, without an unsafe operation in it")]
    #[inline(always)]
    pub unsafe fn from_bytes_unchecked(bytes: &'t [u8], encoding: Encoding) -> Table<'t> {
        let raw = RawTable::new(bytes, encoding);
        debug_assert_eq!(raw.validate(), Ok(()));
        Table { raw }
    }
}

impl<'t> Deref for Table<'t> {
    type Target = RawTable<'t>;

    #[inline(always)]
    fn deref(&self) -> &RawTable<'t> {
        &self.raw
    }
}
