//! Packs from captures, and from other packs.
//!
//! [`Gather`] takes captures as they come: files are compiled by all threads of a pool and written to
//! the pack at once; what is left of a capture waits on disk. [`Gather::settle`] then says what holds
//! for each origin, by the rule of [`captures`](crate). [`copy`] writes what several packs
//! have.
//!
//! Nothing here opens a pack or gives it its name: writers and temporary folders come from the caller.

mod captured;
mod copy;
mod gather;
mod making;
mod settle;
#[cfg(feature = "store")]
mod stored;

pub use captured::{add, basis};
pub use copy::{CopyError, copy};
pub use gather::{Counts, Gather, GatherInput, ReadFile, Unread};
pub use making::{Judging, Making};
pub use settle::{PackedAt, PackedOrigin};
