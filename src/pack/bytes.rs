//! The bytes of a pack's file, with what owns them.

use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;

/// What may own the bytes of a pack: a memory map, a `Vec`, or a borrow of either.
trait Owner: AsRef<[u8]> + Send + Sync {}

impl<B: AsRef<[u8]> + Send + Sync> Owner for B {}

/// Bytes with what owns them. They are asked for once, so they stay the same however their owner
/// answers later: what was found valid stays valid.
pub(super) struct Bytes<'p> {
    bytes: NonNull<[u8]>,
    /// Never touched: it only keeps the bytes. Not a `Box`, which must be the only way to what is in
    /// it.
    _owner: Arc<dyn Owner + 'p>,
}

impl<'p> Bytes<'p> {
    pub(super) fn of(owner: impl AsRef<[u8]> + Send + Sync + 'p) -> Bytes<'p> {
        let owner: Arc<dyn Owner + 'p> = Arc::new(owner);
        Bytes { bytes: NonNull::from((*owner).as_ref()), _owner: owner }
    }

    /// Leaves out what is behind the first `len` bytes.
    pub(super) fn truncate(&mut self, len: usize) {
        let first = NonNull::from(&self[..len.min(self.len())]);
        self.bytes = first;
    }
}

impl Deref for Bytes<'_> {
    type Target = [u8];

    #[inline(always)]
    #[expect(unsafe_code, reason = "borrows from its own field")]
    fn deref(&self) -> &[u8] {
        // SAFETY: `as_ref` lent these bytes for as long as the owner is borrowed. That stays where it
        // is, nobody else has it or gets a unique borrow of it, and it is not dropped before `self`.
        unsafe { self.bytes.as_ref() }
    }
}

// SAFETY: it is a shared borrow of bytes, and an owner that is `Send` and `Sync`.
#[expect(unsafe_code, reason = "a pointer is neither by itself")]
unsafe impl Send for Bytes<'_> {}
// SAFETY: as above.
#[expect(unsafe_code, reason = "a pointer is neither by itself")]
unsafe impl Sync for Bytes<'_> {}

impl std::fmt::Debug for Bytes<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bytes").field("len", &self.len()).finish_non_exhaustive()
    }
}
