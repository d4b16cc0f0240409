//! From a haystack to the verdict: the walk through a table.
//!
//! A *haystack* is a path and query without the first `/`, not normalised. It may go on after
//! its end: the walk stops at the byte that ends it (`#`, in some profiles NUL too).

use crate::automaton::portable::Begun;
use crate::automaton::table::Table;
use crate::read_ahead;
use crate::verdict::Verdict;

impl<'b> Table<'b> {
    /// Begins a walk, and prefetches the record that its second half begins with. To be called
    /// some time after [`Table::read_ahead`], with other haystacks' walks in between.
    #[inline(always)]
    pub(crate) fn begin(self, haystack: &'b [u8]) -> Begun<'b> {
        #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))]
        if let Some(vectors) = crate::processor::Vectors::detect() {
            let begun = vectors.begin(self, haystack);
            begun.read_ahead();
            return begun;
        }
        let begun = Begun::at_start(self, haystack);
        begun.read_ahead();
        begun
    }

    /// Prefetches the lines of memory in which walks through the table of these bytes begin.
    #[inline(always)]
    pub(crate) fn read_ahead(bytes: &[u8]) {
        read_ahead::lines(bytes, 0, 2);
    }
}

impl<'b> Begun<'b> {
    /// Prefetches the record.
    #[inline(always)]
    fn read_ahead(&self) {
        let at = self.table.entries_len() + self.at as usize;
        read_ahead::lines(self.table.bytes(), at, 2);
    }

    /// The verdict on the haystack: the same as [`Table::verdict`].
    #[inline(always)]
    pub(crate) fn finish(&self) -> Verdict {
        #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))]
        if let Some(vectors) = crate::processor::Vectors::detect() {
            let verdict = vectors.finish(self);
            let whole = Begun::at_start(self.table, self.haystack);
            debug_assert_eq!(verdict, whole.finish_portable());
            return verdict;
        }
        self.finish_portable()
    }
}

impl Table<'_> {
    /// The verdict on a haystack. Goes through it once, stops as soon as the verdict is final,
    /// and never allocates.
    #[inline(always)]
    pub(crate) fn verdict(&self, haystack: &[u8]) -> Verdict {
        #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))]
        if let Some(vectors) = crate::processor::Vectors::detect() {
            let verdict = vectors.verdict(self, haystack);
            // So every test and every fuzzed input compares the two walks, whole and in halves.
            debug_assert_eq!(verdict, self.begin(haystack).finish());
            return verdict;
        }
        Begun::at_start(*self, haystack).finish_portable()
    }
}
