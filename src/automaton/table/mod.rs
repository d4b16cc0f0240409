//! The compact, position-independent form of a DFA.
//!
//! [`mod@format`] describes the layout and its invariants, `write` lays a DFA out, `validate`
//! checks bytes that come from elsewhere. The walk reads tables without looking at their
//! bounds, so a [`Table`] exists only if its bytes are valid: it was validated, or an
//! [`Automaton`] lends it, which only the writer makes.

pub(super) mod format;
mod validate;
mod view;
mod write;

pub use validate::InvalidAutomaton;
pub use view::{Automaton, Table};
pub(super) use write::Layout;
